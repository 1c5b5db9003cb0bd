// SPDX-License-Identifier: MIT
/// Wrong calls of elementwise functions: the status and the text. Given results are unchanged, NULL results stay NULL,
/// and the suite's teardown finds no leaks.
#include <stdio.h>

#include "views.h"

enum { N = 6 };
static weft_array *x, *y, *out; /* f32[2,3], filled with 1, 2 and 7 */

static void open_arrays(void) {
  harness_context_open();
  x = y = out = NULL;
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(2, 3)));
  ok(weft_full(&y, ctx, WEFT_F32, WEFT_SHAPE(2, 3), 2));
  ok(weft_full(&out, ctx, WEFT_F32, WEFT_SHAPE(2, 3), 7));
}

static void close_arrays(void) {
  const float ones[N] = {1, 1, 1, 1, 1, 1}, twos[N] = {2, 2, 2, 2, 2, 2}, sevens[N] = {7, 7, 7, 7, 7, 7};
  check_elements(x, ones, N, "x was changed");
  check_elements(y, twos, N, "y was changed");
  check_elements(out, sevens, N, "out was changed");
  weft_memory_stats stats;
  ok(weft_memory_get(&stats, ctx));
  ck_assert_uint_eq(stats.arrays, 3);
  weft_array_release(&x);
  weft_array_release(&y);
  weft_array_release(&out);
  harness_context_close();
}

/// The call must fail with the given result, and with a new one, which stays NULL. `R` in the call is the result.
#define both_fail(call, status, ...)                                                             \
  do {                                                                                           \
    const char *const parts_[] = {__VA_ARGS__, NULL};                                            \
    weft_array *fresh_ = NULL, *kept_ = out;                                                     \
    for (int new_ = 0; new_ < 2; new_++) {                                                       \
      weft_array **R = new_ ? &fresh_ : &out;                                                    \
      weft_error_clear();                                                                        \
      weft_status rc_ = (call);                                                                  \
      const char *why_ = harness_mismatch(rc_, (status), parts_);                                \
      ck_assert_msg(why_ == NULL, "%s, %s result: %s", #call, new_ ? "a new" : "a given", why_); \
    }                                                                                            \
    ck_assert_ptr_eq(out, kept_);                                                                \
    ck_assert_ptr_null(fresh_);                                                                  \
    harness_count(2);                                                                            \
  } while (0)

/* ---- handles ---- */

START_TEST(what_is_no_array)
{
  weft_array *const wrong[] = {NULL, harness_garbage(), harness_zeroed(), (weft_array *)ctx};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    both_fail(weft_add(R, wrong[i], y), WEFT_ERROR_HANDLE, "`a`", "weft_array", "@a");
    both_fail(weft_add(R, x, wrong[i]), WEFT_ERROR_HANDLE, "`b`", "@b");
    both_fail(weft_where(R, x, y, wrong[i]), WEFT_ERROR_HANDLE, "`c`", "@c");
    both_fail(weft_mul_add(R, 1, 2, 3, wrong[i]), WEFT_ERROR_HANDLE, "`d`", "@d");
    both_fail(weft_sqrt(R, wrong[i]), WEFT_ERROR_HANDLE, "`a`", "@a");
    if (!wrong[i]) continue;
    weft_array *result = wrong[i];
    expect_error(weft_add(&result, x, y), WEFT_ERROR_HANDLE, "`out`", "@out");
    ck_assert_ptr_eq(result, wrong[i]);
    weft_array *first = NULL;
    expect_error(weft_divmod(&first, &result, x, y), WEFT_ERROR_HANDLE, "`out2`", "@out2");
    ck_assert(first == NULL && result == wrong[i]);
  }
}
END_TEST

START_TEST(released_arrays)
{
  weft_array *released = NULL, *dangling;
  ok(weft_zeros(&released, ctx, WEFT_F32, WEFT_SHAPE(2, 3)));
  dangling = released;
  weft_array_release(&released);
  if (HARNESS_SANITIZED) return; /* a use after free, which is mostly detected without a sanitizer */
  both_fail(weft_add(R, x, dangling), WEFT_ERROR_HANDLE, "@b");
}
END_TEST

START_TEST(no_place_for_the_result)
{
  weft_array **nowhere = NULL, *first = NULL;
  expect_error(weft_add(nowhere, x, y), WEFT_ERROR_ARGUMENT, "`out`", "NULL", "@out");
  expect_error(weft_divmod(&first, nowhere, x, y), WEFT_ERROR_ARGUMENT, "`out2`", "NULL", "@out2");
  ck_assert_ptr_null(first);
  expect_error(weft_divmod(nowhere, &first, x, y), WEFT_ERROR_ARGUMENT, "`out`", "NULL", "@out");
  ck_assert_ptr_null(first);
  /* a list of operands that the macros do not allow */
  const weft_operand host = WEFT_OPERAND(WEFT_HOST(&first, WEFT_F32, WEFT_SHAPE(2, 3)));
  expect_error(weft_add(WEFT_OPERAND(out), x, y), WEFT_ERROR_ARGUMENT, "`out`", "address", "@out");
  expect_error(weft_add(WEFT_OPERAND(1.0f), x, y), WEFT_ERROR_ARGUMENT, "`out`", "@out");
  expect_error(weft_add(host, x, y), WEFT_ERROR_ARGUMENT, "`out`", "@out");
  expect_error(weft_divmod(&first, WEFT_OPERAND(out), x, y), WEFT_ERROR_ARGUMENT, "`out2`", "@out2");
  ck_assert_ptr_null(first);
}
END_TEST

START_TEST(results_as_operands)
{
  float host[N] = {5, 5, 5, 5, 5, 5};
  both_fail(weft_add(R, x, WEFT_OPERAND(&y)), WEFT_ERROR_ARGUMENT, "`b`", "@b");
  both_fail(weft_add(R, WEFT_OPERAND(&x), y), WEFT_ERROR_ARGUMENT, "`a`", "@a");
  both_fail(weft_add(R, x, WEFT_OPERAND(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(2, 3)))), WEFT_ERROR_ARGUMENT, "`b`",
            "@b");
  weft_operand none = {.kind = WEFT_OPERAND_NONE}, odd = {.kind = (weft_operand_kind)99};
  both_fail(weft_add(R, none, y), WEFT_ERROR_ARGUMENT, "`a`", "@a");
  both_fail(weft_add(R, x, odd), WEFT_ERROR_ARGUMENT, "`b`", "@b");
  expect_error(weft_add(none, x, y), WEFT_ERROR_ARGUMENT, "`out`", "@out");
  expect_error(weft_add(odd, x, y), WEFT_ERROR_ARGUMENT, "`out`", "@out");
}
END_TEST

START_TEST(scalars_that_are_none)
{
  weft_scalar s = WEFT_SCALAR(1);
  s.dtype = WEFT_DTYPE_NONE;
  both_fail(weft_add(R, x, s), WEFT_ERROR_ARGUMENT, "`b`", "dtype", "@b");
  s.dtype = (weft_dtype)77;
  both_fail(weft_add(R, s, x), WEFT_ERROR_ARGUMENT, "`a`", "77", "@a");
  s.dtype = (weft_dtype)-1;
  both_fail(weft_add(R, s, x), WEFT_ERROR_ARGUMENT, "`a`", "@a");
}
END_TEST

/* ---- the function behind the macros ---- */

START_TEST(wrong_numbers_and_counts)
{
  weft_array *made = NULL;
  const weft_operand three[] = {WEFT_OPERAND(&made), WEFT_OPERAND(x), WEFT_OPERAND(y), WEFT_OPERAND(y)};
  static const int ids[] = {0, -1, WEFT_UFUNC_COUNT, 1000000, INT32_MIN, INT32_MAX};
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
    expect_error(weft__ufunc_apply_at(ids[i], 3, three, WEFT_SITE), WEFT_ERROR_ARGUMENT, "no built-in ufunc", "@id");
    ck_assert_ptr_null(weft_ufunc_name(ids[i]));
  }
  static const int counts[] = {0, 1, 2, 4, -1, INT32_MAX, INT32_MIN};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    expect_error(weft__ufunc_apply_at(WEFT_UFUNC_ADD, counts[i], three, WEFT_SITE), WEFT_ERROR_ARGUMENT,
                 "add has 1 result and 2 operands", "@operand_count");
  expect_error(weft__ufunc_apply_at(WEFT_UFUNC_DIVMOD, 3, three, WEFT_SITE), WEFT_ERROR_ARGUMENT,
               "divmod has 2 results and 2 operands");
  expect_error(weft__ufunc_apply_at(WEFT_UFUNC_SQRT, 3, three, WEFT_SITE), WEFT_ERROR_ARGUMENT,
               "sqrt has 1 result and 1 operand");
  expect_error(weft__ufunc_apply_at(WEFT_UFUNC_ADD, 3, NULL, WEFT_SITE), WEFT_ERROR_ARGUMENT, "NULL", "@operands");
  ck_assert_ptr_null(made);
  ok(weft__ufunc_apply_at(WEFT_UFUNC_ADD, 3, three, NULL)); /* a site is optional */
  check_elements(made, (const float[]){3, 3, 3, 3, 3, 3}, N, "1 + 2");
  weft_array_release(&made);
}
END_TEST

START_TEST(every_function_has_its_name)
{
  for (int id = 1; id < WEFT_UFUNC_COUNT; id++) {
    ck_assert_ptr_nonnull(weft_ufunc_name(id));
    for (int before = 1; before < id; before++) ck_assert_str_ne(weft_ufunc_name(before), weft_ufunc_name(id));
    char name[80];
    snprintf(name, sizeof name, "weft_%s", weft_ufunc_name(id));
    weft_status rc = weft__ufunc_apply_at(id, 0, (const weft_operand[]){{.kind = WEFT_OPERAND_NONE}}, WEFT_SITE);
    ck_assert_int_eq(rc, WEFT_ERROR_ARGUMENT);
    ck_assert_str_eq(weft_error_last()->function, name);
  }
  expect_error(weft_add(&out, x, (weft_array *)NULL), WEFT_ERROR_HANDLE, "@b");
  ck_assert_ptr_nonnull(strstr(weft_error_last()->site, "test_ufunc_errors.c:"));
}
END_TEST

/* ---- shapes ---- */

START_TEST(shapes_that_do_not_fit)
{
  weft_array *longer = NULL, *thin = NULL, *turned = NULL, *high = NULL, *empty = NULL;
  ok(weft_zeros(&longer, ctx, WEFT_I16, WEFT_SHAPE(4)));
  ok(weft_zeros(&thin, ctx, WEFT_U8, WEFT_SHAPE(5, 2, 1)));
  ok(weft_transpose(&turned, x, WEFT_ALL_AXES));
  ok(weft_zeros(&high, ctx, WEFT_I8, WEFT_SHAPE(1, 1, 1, 1, 1, 7, 1, 2)));
  ok(weft_zeros(&empty, ctx, WEFT_F32, WEFT_SHAPE(2, 0)));
  both_fail(weft_add(R, x, turned), WEFT_ERROR_SHAPE, "`a` is f32[2,3]", "`b` is f32[3,2]", "axis 0", "@b");
  both_fail(weft_add(R, x, longer), WEFT_ERROR_SHAPE, "f32[2,3]", "i16[4]", "axis 1", "@b");
  both_fail(weft_add(R, longer, x), WEFT_ERROR_SHAPE, "`a` is i16[4]", "`b` is f32[2,3]", "axis 1", "@b");
  both_fail(weft_where(R, thin, x, longer), WEFT_ERROR_SHAPE, "f32[2,3]", "i16[4]", "axis 1", "@c");
  both_fail(weft_where(R, x, thin, longer), WEFT_ERROR_SHAPE, "`a` is f32[2,3]", "`c` is i16[4]", "axis 1", "@c");
  both_fail(weft_add(R, high, x), WEFT_ERROR_SHAPE, "i8[1,1,1,1,1,7,1,2]", "f32[2,3]", "axis 7");
  both_fail(weft_add(R, empty, x), WEFT_ERROR_SHAPE, "f32[2,0]", "f32[2,3]", "axis 1");
  /* the operands fit, but the result does not */
  weft_array *results[] = {longer, turned, thin, high, empty};
  for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
    weft_array *kept = results[i];
    expect_error(weft_less(&results[i], x, y), WEFT_ERROR_SHAPE, "`out` is ", "the result is bool[2,3]", "@out");
    ck_assert_ptr_eq(results[i], kept);
  }
  expect_error(weft_less(&turned, x, y), WEFT_ERROR_SHAPE, "f32[3,2]", "axis 0");
  weft_array *single = NULL; /* a result is not broadcast, and its axes of length 1 count */
  ok(weft_zeros(&single, ctx, WEFT_F32, WEFT_SHAPE(1, 2, 3)));
  expect_error(weft_add(&single, x, y), WEFT_ERROR_SHAPE, "f32[1,2,3]", "f32[2,3]");
  weft_array *first = NULL;
  expect_error(weft_divmod(&first, &single, x, y), WEFT_ERROR_SHAPE, "`out2`", "@out2");
  ck_assert_ptr_null(first);
  weft_array_release(&single);
  weft_array_release(&longer);
  weft_array_release(&thin);
  weft_array_release(&turned);
  weft_array_release(&high);
  weft_array_release(&empty);
}
END_TEST

START_TEST(results_too_large)
{
  weft_array *one = NULL, *row = NULL, *column = NULL, *made = NULL;
  const int64_t side = INT64_C(1) << 40, middle = INT64_C(1) << 29;
  ok(weft_zeros(&one, ctx, WEFT_U8, WEFT_SHAPE(1, 1)));
  ok(weft_broadcast(&row, one, WEFT_SHAPE(1, side)));
  ok(weft_broadcast(&column, one, WEFT_SHAPE(side, 1)));
  expect_error(weft_add(&made, row, column), WEFT_ERROR_OVERFLOW, "1099511627776,1099511627776");
  weft_array_release(&row);
  weft_array_release(&column);
  ok(weft_broadcast(&row, one, WEFT_SHAPE(1, middle)));
  ok(weft_broadcast(&column, one, WEFT_SHAPE(middle, 1)));
  weft_status rc = weft_add(&made, row, column);
  ck_assert_msg(rc == WEFT_ERROR_MEMORY || rc == WEFT_ERROR_BUDGET, "%s", harness_error_text());
  ck_assert_ptr_null(made);
  weft_array_release(&row);
  weft_array_release(&column);
  weft_array_release(&one);
}
END_TEST

START_TEST(over_the_budget)
{
  weft_array *big = NULL, *made = NULL;
  static float host[200000];
  ok(weft_zeros(&big, ctx, WEFT_F32, WEFT_SHAPE(200000)));
  weft_memory_stats stats;
  ok(weft_memory_get(&stats, ctx));
  ok(weft_memory_set_limit(ctx, stats.managed_bytes + 1000));
  expect_error(weft_add(&made, big, 1), WEFT_ERROR_BUDGET, "weft_add");
  expect_error(weft_add(&big, big, WEFT_HOST(host, WEFT_F32, WEFT_SHAPE(200000))), WEFT_ERROR_BUDGET, "limit");
  host[3] = 5;
  expect_error(weft_add(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(200000)), big, 1), WEFT_ERROR_BUDGET, "limit");
  ck_assert(host[3] == 5 && made == NULL);
  ok(weft_memory_set_limit(ctx, 0));
  ok(weft_add(&big, big, 1));
  weft_array_release(&big);
}
END_TEST

/* ---- dtypes and values ---- */

START_TEST(dtypes_without_a_signature)
{
  weft_array *flags = NULL, *ints = NULL, *made = NULL;
  weft_c64 c = {1, 2};
  weft_array *complexes = NULL;
  ok(weft_zeros(&flags, ctx, WEFT_BOOL, WEFT_SHAPE(2, 3)));
  ok(weft_zeros(&ints, ctx, WEFT_I32, WEFT_SHAPE(2, 3)));
  ok(weft_full(&complexes, ctx, WEFT_C64, WEFT_SHAPE(2, 3), c));
  both_fail(weft_subtract(R, flags, flags), WEFT_ERROR_DTYPE, "subtract", "bool");
  both_fail(weft_negative(R, flags), WEFT_ERROR_DTYPE, "negative", "bool");
  both_fail(weft_bitwise_and(R, x, y), WEFT_ERROR_DTYPE, "bitwise_and", "f32");
  both_fail(weft_left_shift(R, ints, 2.5), WEFT_ERROR_DTYPE, "left_shift", "f64");
  both_fail(weft_floor_divide(R, complexes, x), WEFT_ERROR_DTYPE, "floor_divide", "c64");
  both_fail(weft_atan2(R, complexes, 1), WEFT_ERROR_DTYPE, "atan2", "c64");
  both_fail(weft_gcd(R, ints, x), WEFT_ERROR_DTYPE, "gcd");
  /* results of a dtype that has no implicit cast */
  expect_error(weft_add(&ints, x, y), WEFT_ERROR_DTYPE, "f32", "i32", "weft_cast", "@out");
  expect_error(weft_add(&out, complexes, 1), WEFT_ERROR_DTYPE, "c64", "f32", "@out");
  expect_error(weft_add(&flags, ints, 1), WEFT_ERROR_DTYPE, "i32", "bool", "@out");
  expect_error(weft_frexp(&made, &flags, x), WEFT_ERROR_DTYPE, "i32", "bool", "@out2");
  ck_assert_ptr_null(made);
  weft_array_release(&flags);
  weft_array_release(&ints);
  weft_array_release(&complexes);
}
END_TEST

START_TEST(scalars_that_do_not_fit)
{
  static const struct {
    weft_dtype dtype;
    int64_t low, high;
  } rows[] = {{WEFT_I8, INT8_MIN, INT8_MAX},    {WEFT_I16, INT16_MIN, INT16_MAX}, {WEFT_I32, INT32_MIN, INT32_MAX},
              {WEFT_I64, INT64_MIN, INT64_MAX}, {WEFT_U8, 0, UINT8_MAX},          {WEFT_U16, 0, UINT16_MAX},
              {WEFT_U32, 0, UINT32_MAX},        {WEFT_U64, 0, INT64_MAX}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *name = weft_dtype_name(rows[i].dtype);
    weft_array *ints = NULL, *sum = NULL;
    ok(weft_zeros(&ints, ctx, rows[i].dtype, WEFT_SHAPE(2, 3)));
    ok(weft_add(&sum, ints, rows[i].low));
    ok(weft_add(&sum, rows[i].high, ints));
    weft_array_release(&sum);
    if (rows[i].low > INT64_MIN)
      both_fail(weft_add(R, ints, rows[i].low - 1), WEFT_ERROR_OVERFLOW, "`b` is ", name, "@b");
    if (rows[i].dtype != WEFT_U64)
      both_fail(weft_add(R, (unsigned long long)rows[i].high + 1, ints), WEFT_ERROR_OVERFLOW, "`a` is ", name, "@a");
    else
      both_fail(weft_add(R, ints, (signed char)-1), WEFT_ERROR_OVERFLOW, "-1", "u64", "@b");
    ck_assert_ptr_null(sum);
    weft_array_release(&ints);
  }
}
END_TEST

START_TEST(double_precision_where_there_is_none)
{
  weft_array *made = NULL, *ints = NULL;
  double host[N] = {0};
  if (device.has_fp64) {
    harness_count(1);
    return;
  }
  ok(weft_ones(&ints, ctx, WEFT_I32, WEFT_SHAPE(2, 3)));
  expect_error(weft_divide(&made, ints, ints), WEFT_ERROR_UNSUPPORTED, "f64");
  expect_error(weft_add(&made, ints, 2.5), WEFT_ERROR_UNSUPPORTED, "f64");
  expect_error(weft_add(&made, ints, x), WEFT_ERROR_UNSUPPORTED, "f64");
  expect_error(weft_sqrt(&made, ints), WEFT_ERROR_UNSUPPORTED, "f64");
  expect_error(weft_add(&made, x, WEFT_HOST(host, WEFT_F64, WEFT_SHAPE(2, 3))), WEFT_ERROR_UNSUPPORTED, "f64");
  expect_error(weft_add(WEFT_HOST_OUT(host, WEFT_F64, WEFT_SHAPE(2, 3)), x, y), WEFT_ERROR_UNSUPPORTED, "f64");
  ck_assert_ptr_null(made);
  ok(weft_add(&made, x, 2.5)); /* a double as a weak scalar is not f64 */
  weft_array_release(&made);
  weft_array_release(&ints);
}
END_TEST

/* ---- results that cannot be written ---- */

START_TEST(results_that_share_memory)
{
  weft_array *line = NULL, *low = NULL, *high = NULL, *row = NULL, *wide = NULL, *made = NULL, *ten = NULL,
             *turned = NULL, *square = NULL;
  ok(weft_zeros(&line, ctx, WEFT_F32, WEFT_SHAPE(12)));
  ok(weft_ones(&ten, ctx, WEFT_F32, WEFT_SHAPE(10)));
  ok(weft_slice(&low, line, 0, 0, 10));
  ok(weft_slice(&high, line, 0, 2, 12));
  expect_error(weft_divmod(&low, &high, ten, 2), WEFT_ERROR_LAYOUT, "`out`", "`out2`", "share", "@out2");
  expect_error(weft_divmod(&low, &low, ten, 2), WEFT_ERROR_LAYOUT, "share", "@out2");
  expect_error(weft_divmod(&made, &made, ten, 2), WEFT_ERROR_LAYOUT, "share", "@out2");
  ck_assert_ptr_null(made);
  /* also if one or both overlap an operand and need a temporary */
  expect_error(weft_divmod(&low, &high, high, 2), WEFT_ERROR_LAYOUT, "share", "@out2");
  expect_error(weft_divmod(&low, &high, low, 2), WEFT_ERROR_LAYOUT, "share", "@out2");
  expect_error(weft_divmod(&low, &high, low, high), WEFT_ERROR_LAYOUT, "share", "@out2");
  const float zeros[12] = {0};
  check_elements(line, zeros, 12, "unchanged");
  /* broadcast views */
  ok(weft_slice(&row, line, 0, 0, 3));
  ok(weft_broadcast(&wide, row, WEFT_SHAPE(2, 3)));
  expect_error(weft_add(&wide, x, y), WEFT_ERROR_LAYOUT, "`out`", "broadcast", "axis 0", "@out");
  expect_error(weft_divmod(&made, &wide, x, y), WEFT_ERROR_LAYOUT, "`out2`", "broadcast", "@out2");
  ck_assert_ptr_null(made);
  check_elements(line, zeros, 12, "unchanged");
  /* a matrix and its transpose */
  ok(weft_zeros(&square, ctx, WEFT_F32, WEFT_SHAPE(3, 3)));
  ok(weft_transpose(&turned, square, WEFT_ALL_AXES));
  expect_error(weft_divmod(&square, &turned, square, row), WEFT_ERROR_LAYOUT, "share");
  weft_array_release(&square);
  weft_array_release(&turned);
  weft_array_release(&line);
  weft_array_release(&ten);
  weft_array_release(&low);
  weft_array_release(&high);
  weft_array_release(&row);
  weft_array_release(&wide);
}
END_TEST

/* ---- host memory ---- */

START_TEST(wrong_host_memory)
{
  float host[N] = {5, 5, 5, 5, 5, 5};
  weft_shape nine = {9, {1, 1, 1, 1, 1, 1, 1, 1}}, negative = WEFT_SHAPE(2, -3), less = {-1, {0}};
  both_fail(weft_add(R, x, WEFT_HOST(NULL, WEFT_F32, WEFT_SHAPE(2, 3))), WEFT_ERROR_ARGUMENT, "`b`", "NULL", "@b");
  both_fail(weft_add(R, x, WEFT_HOST(host, WEFT_DTYPE_NONE, WEFT_SHAPE(2, 3))), WEFT_ERROR_DTYPE,
            "`b` is host memory of dtype 0");
  both_fail(weft_add(R, x, WEFT_HOST(host, (weft_dtype)99, WEFT_SHAPE(2, 3))), WEFT_ERROR_DTYPE, "99");
  both_fail(weft_add(R, WEFT_HOST(host, WEFT_F32, negative), y), WEFT_ERROR_SHAPE, "-3");
  both_fail(weft_add(R, WEFT_HOST(host, WEFT_F32, nine), y), WEFT_ERROR_SHAPE, "9 axes");
  both_fail(weft_add(R, WEFT_HOST(host, WEFT_F32, less), y), WEFT_ERROR_SHAPE, "axes");
  both_fail(weft_add(R, x, WEFT_HOST(host, WEFT_F32, WEFT_SHAPE(INT64_C(1) << 40, INT64_C(1) << 40))),
            WEFT_ERROR_OVERFLOW, "2^63");
  both_fail(weft_add(R, x, WEFT_HOST(host, WEFT_F32, WEFT_SHAPE(3, 2))), WEFT_ERROR_SHAPE, "f32[2,3]", "f32[3,2]",
            "axis 0", "@b");

  expect_error(weft_add(WEFT_HOST_OUT(NULL, WEFT_F32, WEFT_SHAPE(2, 3)), x, y), WEFT_ERROR_ARGUMENT, "`out`", "NULL",
               "@out");
  expect_error(weft_add(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(3, 2)), x, y), WEFT_ERROR_SHAPE, "f32[3,2]",
               "f32[2,3]", "@out");
  expect_error(weft_add(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(6)), x, y), WEFT_ERROR_SHAPE, "f32[6]", "f32[2,3]",
               "@out");
  expect_error(weft_add(WEFT_HOST_OUT(host, WEFT_I32, WEFT_SHAPE(2, 3)), x, y), WEFT_ERROR_DTYPE, "f32", "i32", "@out");
  expect_error(weft_add(WEFT_HOST_OUT(host, (weft_dtype)0, WEFT_SHAPE(2, 3)), x, y), WEFT_ERROR_DTYPE, "0");
  expect_error(weft_add(WEFT_HOST_OUT(host, WEFT_F32, nine), x, y), WEFT_ERROR_SHAPE, "9 axes");
  expect_error(weft_add(WEFT_HOST_OUT(host, WEFT_F32, negative), x, y), WEFT_ERROR_SHAPE, "-3");
  /* two overlapping results */
  expect_error(weft_divmod(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(2, 3)),
                           WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(2, 3)), x, y),
               WEFT_ERROR_LAYOUT, "share", "@out2");
  for (int i = 0; i < N; i++) ck_assert(host[i] == 5);
}
END_TEST

/* ---- contexts ---- */

START_TEST(arrays_of_two_contexts)
{
  weft_context_params params = {.device = device.selector};
  weft_context *other = NULL;
  weft_array *foreign = NULL;
  ok((weft_context_create)(&other, &params));
  ok(weft_ones(&foreign, other, WEFT_F32, WEFT_SHAPE(2, 3)));
  both_fail(weft_add(R, x, foreign), WEFT_ERROR_CONTEXT, "`b`", "another context than `a`", "@b");
  expect_error(weft_add(&foreign, x, y), WEFT_ERROR_CONTEXT, "`out`", "another context", "@out");
  expect_error(weft_add(&foreign, x, 1), WEFT_ERROR_CONTEXT, "@out");
  expect_error(weft_divmod(&out, &foreign, x, y), WEFT_ERROR_CONTEXT, "@out2");
  check_elements(foreign, (const float[]){1, 1, 1, 1, 1, 1}, N, "unchanged");
  weft_array_release(&foreign);
  ok(weft_context_close(&other));
}
END_TEST

START_TEST(closed_contexts)
{
  weft_context_params params = {.device = device.selector};
  weft_context *other = NULL;
  weft_array *orphan = NULL, *made = NULL;
  float host[N] = {5, 5, 5, 5, 5, 5};
  ok((weft_context_create)(&other, &params));
  ok(weft_ones(&orphan, other, WEFT_F32, WEFT_SHAPE(2, 3)));
  ok(weft_add(&made, orphan, 1)); /* its kernels were built */
  weft_array_release(&made);
  ck_assert_int_eq(weft_context_close(&other), WEFT_ERROR_LEAK);
  expect_error(weft_add(&made, orphan, 1), WEFT_ERROR_CLOSED, "closed");
  expect_error(weft_add(&orphan, orphan, orphan), WEFT_ERROR_CLOSED, "closed");
  expect_error(weft_add(&orphan, 1, 2), WEFT_ERROR_CLOSED, "closed");
  expect_error(weft_add(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(2, 3)), orphan, 1), WEFT_ERROR_CLOSED, "closed");
  ck_assert(host[0] == 5 && made == NULL && orphan != NULL);
  weft_array_release(&orphan);
}
END_TEST

/* A failure leaves its error record; a later success works and leaves the record unchanged. */
START_TEST(after_a_failure)
{
  weft_array *made = NULL;
  expect_error(weft_sqrt(&made, WEFT_OPERAND(&out)), WEFT_ERROR_ARGUMENT, "@a");
  ok(weft_add(&made, x, y));
  ck_assert_int_eq(weft_error_last()->status, WEFT_ERROR_ARGUMENT);
  ck_assert_str_eq(weft_error_last()->function, "weft_sqrt");
  weft_array_release(&made);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "wrong calls");
  tcase_add_checked_fixture(tc, open_arrays, close_arrays);
  tcase_add_test(tc, what_is_no_array);
  tcase_add_test(tc, released_arrays);
  tcase_add_test(tc, no_place_for_the_result);
  tcase_add_test(tc, results_as_operands);
  tcase_add_test(tc, scalars_that_are_none);
  tcase_add_test(tc, wrong_numbers_and_counts);
  tcase_add_test(tc, every_function_has_its_name);
  tcase_add_test(tc, shapes_that_do_not_fit);
  tcase_add_test(tc, results_too_large);
  tcase_add_test(tc, over_the_budget);
  tcase_add_test(tc, dtypes_without_a_signature);
  tcase_add_test(tc, scalars_that_do_not_fit);
  tcase_add_test(tc, double_precision_where_there_is_none);
  tcase_add_test(tc, results_that_share_memory);
  tcase_add_test(tc, wrong_host_memory);
  tcase_add_test(tc, arrays_of_two_contexts);
  tcase_add_test(tc, closed_contexts);
  tcase_add_test(tc, after_a_failure);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "ufunc_errors", .add = add});
}
