// SPDX-License-Identifier: MIT
/* Indexing: calls that are refused at once, and indices out of range, which the next wait reports. */
#include "views.h"

enum { N = 10 };

static weft_array *ten(void) {
  weft_array *x = NULL;
  ok(weft_arange(&x, ctx, WEFT_I32, 100, 100 + N, 1));
  return x;
}

static weft_array *list(const int32_t *values, int count) {
  weft_array *x = NULL;
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(count), values));
  return x;
}

#define LIST(...) list((const int32_t[]){__VA_ARGS__}, (int)(sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t)))

/* ---- out of range ---- */

START_TEST(told_at_the_next_wait)
{
  weft_array *x = ten(), *indices = LIST(0, -10, 9, 12, -11, 3), *y = NULL;
  int32_t got[6];
  ok(weft_take(&y, x, indices, 0));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX,
               "weft_take: index 12 at position 3 of `indices` is out of range for axis 0 of 10 elements; at ",
               "test_index_errors.c:", "while waiting in weft_context_wait", "@indices");
  ck_assert_str_eq(weft_error_last()->function, "weft_take");
  ck_assert_ptr_nonnull(strstr(weft_error_last()->site, "test_index_errors.c:"));
  ok(weft_context_wait(ctx)); /* reported once */
  ok(weft_to_host(got, sizeof got, y));
  const int32_t expected[] = {100, 100, 109, 0, 0, 103};
  ck_assert_mem_eq(got, expected, sizeof got);
  weft_array_release(&y);
  weft_array_release(&indices);
  weft_array_release(&x);
}
END_TEST

START_TEST(told_at_a_read)
{
  weft_array *x = ten(), *indices = LIST(1, 10), *y = NULL, *z = NULL;
  int32_t got[2] = {7, 7};
  ok(weft_take(&y, x, indices, 0));
  expect_error(weft_to_host(got, sizeof got, y), WEFT_ERROR_INDEX, "index 10 at position 1",
               "while waiting in weft_to_host");
  ck_assert_int_eq(got[0], 101); /* the bytes are copied nevertheless */
  ck_assert_int_eq(got[1], 0);
  ok(weft_to_host(got, sizeof got, y));
  /* the call itself reports it if the result is in host memory */
  expect_error(weft_take(WEFT_HOST_OUT(got, WEFT_I32, WEFT_SHAPE(2)), x, indices, 0), WEFT_ERROR_INDEX,
               "weft_take: index 10 at position 1");
  ck_assert_ptr_null(strstr(weft_error_last()->message, "while"));
  /* another call reports it if its result is in host memory */
  ok(weft_take(&z, x, indices, 0));
  expect_error(weft_add(WEFT_HOST_OUT(got, WEFT_I32, WEFT_SHAPE(2)), z, 1), WEFT_ERROR_INDEX, "weft_take: index 10",
               "while waiting in weft_add");
  weft_array_release(&z);
  weft_array_release(&y);
  weft_array_release(&indices);
  weft_array_release(&x);
}
END_TEST

START_TEST(told_by_a_stream_that_waited)
{
  weft_array *x = ten(), *indices = LIST(-11), *y = NULL;
  weft_stream *stream = NULL;
  weft_kernel *kernel = NULL;
  static const char source[] = "__kernel void twice(__global int *x) { x[get_global_id(0)] *= 2; }";
  ok(weft_stream_create(&stream, ctx));
  ok(weft_kernel_create(&kernel, ctx, .source = source));
  ok(weft_context_wait(ctx));
  ok(weft_take(&y, x, indices, 0));
  ok(weft_launch_on(kernel, stream, WEFT_DIM3(1), WEFT_DIM3(1), y)); /* runs after the take */
  expect_error(weft_stream_wait(stream), WEFT_ERROR_INDEX, "weft_take: index -11 at position 0",
               "while waiting in weft_stream_wait");
  ok(weft_context_wait(ctx));
  weft_kernel_release(&kernel);
  weft_stream_release(&stream);
  weft_array_release(&y);
  weft_array_release(&indices);
  weft_array_release(&x);
}
END_TEST

START_TEST(told_when_the_context_is_closed)
{
  weft_array *x, *indices, *y = NULL;
  harness_context_open();
  x = ten();
  indices = LIST(11);
  ok(weft_take(&y, x, indices, 0));
  weft_array_release(&y);
  weft_array_release(&indices);
  weft_array_release(&x);
  expect_error(weft_context_close(&ctx), WEFT_ERROR_INDEX, "weft_take: index 11",
               "while waiting in weft_context_close");
  ck_assert_ptr_null(strstr(weft_error_last()->message, "live objects"));
  ck_assert_ptr_null(ctx);
}
END_TEST

START_TEST(told_with_the_leak)
{
  harness_context_open();
  weft_array *x = ten(), *indices = LIST(11), *y = NULL;
  ok(weft_take(&y, x, indices, 0));
  expect_error(weft_context_close(&ctx), WEFT_ERROR_INDEX, "weft_take: index 11", "with live objects");
  weft_release(&x, &indices, &y);
}
END_TEST

/* The first of many bad indices is reported, wherever it is. */
START_TEST(the_first_of_many)
{
  enum { COUNT = 50000 };
  static int32_t indices[COUNT];
  harness_random random = harness_random_start(1);
  weft_array *x = ten(), *y = NULL, *k = NULL;
  for (int round = 0; round < 12; round++) {
    int64_t first = round == 0 ? 0 : harness_between(&random, 0, COUNT - 1);
    char text[80];
    for (int i = 0; i < COUNT; i++) indices[i] = i < first ? i % N : round % 2 ? (int32_t)(N + i) : i % 3 ? 5 : N + i;
    indices[first] = (int32_t)(N + first);
    snprintf(text, sizeof text, "index %d at position %d of", (int)(N + first), (int)first);
    ok(weft_from_host(&k, ctx, WEFT_I32, WEFT_SHAPE(COUNT), indices));
    ok(weft_take(&y, x, k, 0));
    expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX, text);
    ok(weft_put(x, k, 3, .deterministic = round % 3 == 0));
    expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX, "weft_put: ", text, "is out of range for 10 elements; at ");
    ok(weft_scatter_add(x, k, y, 0));
    expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX, "weft_scatter_add: ", text);
    harness_count(3);
  }
  weft_array_release(&y);
  weft_array_release(&k);
  weft_array_release(&x);
}
END_TEST

/* The position counts indices (rows), not elements. */
START_TEST(positions_count_indices)
{
  weft_array *x = NULL, *table = ten(), *y = NULL, *k = NULL;
  ok(weft_reshape(&x, table, WEFT_SHAPE(5, 2)));
  ok(weft_take(&y, x, WEFT_HOST(((const int64_t[]){0, 1, 4, 5, -6, 7}), WEFT_I64, WEFT_SHAPE(2, 3)), 0));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX,
               "index 5 at position 3 of `indices` is out of range for axis 0 of 5 elements");
  weft_array_release(&y);
  ok(weft_take(&y, x, WEFT_HOST(((const int64_t[]){0, 2}), WEFT_I64, WEFT_SHAPE(2)), 1));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX,
               "index 2 at position 1 of `indices` is out of range for axis 1 of 2 elements");
  weft_array_release(&y);
  ok(weft_take(&y, x, WEFT_HOST(((const int64_t[]){0, 10}), WEFT_I64, WEFT_SHAPE(2)), WEFT_ALL_AXES));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX,
               "index 10 at position 1 of `indices` is out of range for 10 elements; at");
  weft_array_release(&y);
  ok(weft_from_host(&k, ctx, WEFT_I32, WEFT_SHAPE(2, 2), ((const int32_t[]){0, 4, 5, -6})));
  ok(weft_take_along_axis(&y, x, k, 0));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX, "weft_take_along_axis: index 5 at position 2");
  ok(weft_put_along_axis(x, k, -1, 0, .deterministic = true));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX, "weft_put_along_axis: index 5 at position 2");
  check_elements(table, (const int32_t[]){-1, 101, 102, 103, 104, 105, 106, 107, 108, -1}, 10,
                 "what was in range is put");
  weft_array_release(&k);
  weft_array_release(&y);
  /* an index beyond i64 */
  ok(weft_take(&y, x, WEFT_HOST(((const uint64_t[]){3, UINT64_MAX}), WEFT_U64, WEFT_SHAPE(2)), 0));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX, "index 18446744073709551615 at position 1");
  weft_array_release(&y);
  weft_array_release(&x);
  weft_array_release(&table);
}
END_TEST

/* No index causes a write outside the array. */
START_TEST(no_stray_writes)
{
  harness_random random = harness_random_start(2);
  for (int round = 0; round < 6; round++) {
    strided x;
    weft_dtype dtype = round % 2 ? WEFT_U8 : WEFT_F32;
    strided_make(&x, dtype, round < 4 ? LAYOUT_INNER : LAYOUT_STEP, 100, &random);
    int32_t indices[40];
    for (int i = 0; i < 40; i++)
      indices[i] = (int32_t)(harness_bits(&random) & 1 ? harness_between(&random, 100000, 1 << 30) : -100000);
    weft_array *k = list(indices, 40), *y = NULL;
    ok(weft_put(x.view, k, 1));
    ok(weft_scatter(x.view, k, 1, 0, .deterministic = true));
    ok(weft_scatter_add(x.view, k, 1, 0));
    ok(weft_scatter_max(x.view, k, 1, 0));
    ok(weft_take(&y, x.view, k, 0));
    expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX, "weft_put: ", "position 0");
    strided_check(&x, "nothing is in range");
    weft_array_release(&y);
    weft_array_release(&k);
    strided_release(&x);
  }
}
END_TEST

/* More calls than error records: some wait, none is lost, and the first failure is reported. */
START_TEST(many_calls_between_waits)
{
  weft_array *x = ten(), *good = LIST(1, 2), *bad = LIST(1, 77), *y = NULL;
  for (int i = 0; i < 400; i++) ok(weft_take(&y, x, i == 3 ? bad : good, 0));
  ok(weft_put(x, bad, 5));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX, "weft_take: index 77 at position 1");
  for (int i = 0; i < 200; i++) ok(weft_take(&y, x, good, 0));
  ok(weft_context_wait(ctx));
  ok(weft_take(&y, x, bad, 0));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX, "weft_take: index 77 at position 1");
  weft_array_release(&y);
  weft_array_release(&good);
  weft_array_release(&bad);
  weft_array_release(&x);
}
END_TEST

START_TEST(several_arrays_are_told_once)
{
  weft_array *x[2] = {ten(), ten()}, *y[2] = {NULL}, *bad = LIST(3, -12, 1);
  ok(weft_take_many(y, (const weft_array *const *)x, 2, bad));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX, "weft_take_many: index -12 at position 1");
  check_elements(y[1], (const int32_t[]){103, 0, 101}, 3, "what is in range");
  ok(weft_put_many(x, (const weft_array *const *)y, 2, bad));
  expect_error(weft_context_wait(ctx), WEFT_ERROR_INDEX, "weft_put_many: index -12 at position 1");
  for (int j = 0; j < 2; j++) {
    weft_array_release(&x[j]);
    weft_array_release(&y[j]);
  }
  weft_array_release(&bad);
}
END_TEST

/* ---- refused at once ---- */

START_TEST(refused)
{
  weft_array *x = ten(), *k = LIST(0, 1), *y = NULL, *mask = NULL, *reals = NULL, *table = NULL, *none = NULL,
             *empty = NULL, *wide = NULL, *complex_ones = NULL;
  ok(weft_zeros(&mask, ctx, WEFT_BOOL, WEFT_SHAPE(10)));
  ok(weft_zeros(&reals, ctx, WEFT_F32, WEFT_SHAPE(2)));
  ok(weft_zeros(&table, ctx, WEFT_I32, WEFT_SHAPE(3, 4)));
  ok(weft_zeros(&empty, ctx, WEFT_I32, WEFT_SHAPE(0, 4)));
  ok(weft_zeros(&none, ctx, WEFT_I32, WEFT_SHAPE(0)));
  ok(weft_zeros(&complex_ones, ctx, WEFT_C64, WEFT_SHAPE(3)));
  expect_error(weft_take(&y, x, mask, 0), WEFT_ERROR_DTYPE, "weft_take: `indices` is bool: a mask", "@indices");
  expect_error(weft_take(&y, x, reals, 0), WEFT_ERROR_DTYPE, "`indices` is f32; expected integers");
  expect_error(weft_take(&y, x, 1.5, 0), WEFT_ERROR_DTYPE, "`indices` is f64");
  expect_error(weft_take(&y, x, k, 1), WEFT_ERROR_AXIS, "axis 1", "@axis");
  expect_error(weft_take(&y, x, k, -2), WEFT_ERROR_AXIS, "axis -2");
  expect_error(weft_take(&y, x, k, 0, .mode = (weft_index_mode)3), WEFT_ERROR_ARGUMENT, "`mode` is 3",
               "WEFT_INDEX_WRAP", "@mode");
  expect_error(weft_take(&y, empty, k, 0), WEFT_ERROR_INDEX,
               "`x` has no elements along the axis, and there are 2 indices into it");
  expect_error(weft_put(none, 0, 1, .mode = WEFT_INDEX_CLIP), WEFT_ERROR_INDEX, "there is 1 index into it");
  expect_error(weft_take(&reals, complex_ones, k, 0), WEFT_ERROR_DTYPE, "the result is c64", "@out");
  expect_error(weft_take(&table, x, k, 0), WEFT_ERROR_SHAPE, "i32[3,4]", "i32[2]", "@out");
  expect_error(weft_take_along_axis(&y, x, k, WEFT_ALL_AXES), WEFT_ERROR_AXIS, "WEFT_ALL_AXES");
  expect_error(weft_take_along_axis(&y, table, k, 0), WEFT_ERROR_SHAPE, "`indices` has 1 axes, `x` has 2");
  expect_error(weft_take_along_axis(&y, table, WEFT_HOST(((const int32_t[]){0, 1, 2}), WEFT_I32, WEFT_SHAPE(1, 3)), 0),
               WEFT_ERROR_SHAPE, "`indices` has length 3 in axis 1, `x` has 4");
  expect_error(weft_put(x, k, reals), WEFT_ERROR_DTYPE, "`values` is f32, which is not cast to i32", "@values");
  expect_error(weft_put(NULL, k, 1), WEFT_ERROR_HANDLE, "@x");
  expect_error(weft_scatter(table, k, x, 0), WEFT_ERROR_SHAPE,
               "`values` is i32[10], the written elements are i32[2,4]");
  expect_error(weft_scatter_min(complex_ones, k, 1, 0), WEFT_ERROR_DTYPE, "`x` is c64; complex numbers have no order");
  ok(weft_broadcast(&wide, x, WEFT_SHAPE(2, 10)));
  expect_error(weft_put(wide, k, 1), WEFT_ERROR_LAYOUT, "broadcast view");
  expect_error(weft_put(x, k, 1LL << 40), WEFT_ERROR_OVERFLOW, "@values");
  weft_array *many[2] = {x, x}, *ys[2] = {NULL};
  expect_error(weft_take_many(ys, (const weft_array *const *)many, 0, k), WEFT_ERROR_ARGUMENT, "`count` is 0");
  expect_error(weft_put_many(many, (const weft_array *const *)many, 2, k), WEFT_ERROR_SHAPE,
               "`values[0]` has 10 elements");
  many[1] = table;
  expect_error(weft_take_many(ys, (const weft_array *const *)many, 2, k), WEFT_ERROR_SHAPE,
               "`x[1]` has 12 elements, `x[0]` has 10");
  weft_array *both[2] = {k, k}, *apart[2] = {x, x};
  expect_error(weft_put_many(apart, (const weft_array *const *)both, 2, k), WEFT_ERROR_LAYOUT,
               "`x[1]` and `x[0]` share memory");
  ck_assert_ptr_null(y);
  ck_assert_ptr_null(ys[0]);
  ok(weft_context_wait(ctx));
  weft_array_release(&wide);
  weft_array_release(&complex_ones);
  weft_array_release(&none);
  weft_array_release(&empty);
  weft_array_release(&table);
  weft_array_release(&reals);
  weft_array_release(&mask);
  weft_array_release(&k);
  weft_array_release(&x);
}
END_TEST

START_TEST(nothing_to_do)
{
  weft_array *x = ten(), *none = NULL, *y = NULL, *empty = NULL;
  ok(weft_zeros(&none, ctx, WEFT_I64, WEFT_SHAPE(2, 0)));
  ok(weft_zeros(&empty, ctx, WEFT_I32, WEFT_SHAPE(0)));
  ok(weft_take(&y, x, none, 0));
  ck_assert_int_eq(weft_array_ndim(y), 2);
  ck_assert_int_eq(weft_array_size(y), 0);
  ok(weft_put(x, none, 5));
  ok(weft_put(x, none, empty));
  ok(weft_put(empty, none, 5));
  ok(weft_scatter_add(empty, none, 5, 0));
  ok(weft_scatter(x, none, none, 0));
  ok(weft_context_wait(ctx));
  weft_array_release(&empty);
  weft_array_release(&none);
  weft_array_release(&y);
  weft_array_release(&x);
}
END_TEST

START_TEST(lists_at_null)
{
  weft_array *x = ten(), *y = NULL;
  expect_error((weft_at)(&y, x, 2, NULL), WEFT_ERROR_ARGUMENT, "`indices` is NULL", "@indices");
  expect_error((weft_ravel_multi_index)(&y, WEFT_SHAPE(3, 3), 2, NULL), WEFT_ERROR_ARGUMENT, "NULL", "@indices");
  expect_error((weft_choose)(&y, x, 2, NULL), WEFT_ERROR_ARGUMENT, "`choices` is NULL", "@choices");
  expect_error((weft_where_first)(&y, 3, NULL), WEFT_ERROR_ARGUMENT, "`operands` is NULL", "@operands");
  /* options at NULL are the default ones */
  weft_array *index = NULL;
  ok(weft_arange(&index, ctx, WEFT_I32, 0, 2, 1));
  const weft_operand none = {.kind = WEFT_OPERAND_INDEXING};
  ok((weft_at)(&y, x, 2, (weft_operand[]){WEFT_OPERAND(index), none}));
  weft_array_release(&y);
  ok((weft_choose)(&y, index, 3, (weft_operand[]){none, WEFT_OPERAND(5), WEFT_OPERAND(6)}));
  weft_release(&x, &y, &index);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "later");
  tcase_add_test(tc, told_at_the_next_wait);
  tcase_add_test(tc, told_at_a_read);
  tcase_add_test(tc, told_by_a_stream_that_waited);
  tcase_add_test(tc, the_first_of_many);
  tcase_add_test(tc, positions_count_indices);
  tcase_add_test(tc, no_stray_writes);
  tcase_add_test(tc, many_calls_between_waits);
  tcase_add_test(tc, several_arrays_are_told_once);
  tc = harness_case(suite, "close");
  tcase_add_test(tc, told_when_the_context_is_closed);
  tcase_add_test(tc, told_with_the_leak);
  tc = harness_context_case(suite, "at once");
  tcase_add_test(tc, refused);
  tcase_add_test(tc, nothing_to_do);
  tcase_add_test(tc, lists_at_null);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "index_errors", .add = add});
}
