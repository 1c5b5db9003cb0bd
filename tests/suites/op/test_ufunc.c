// SPDX-License-Identifier: MIT
/// Guarantees of weft/ufunc.h on results: new and given ones, casts, overlap, broadcasting. test_ufunc_operands.c tests
/// operands.
#include <CL/cl.h>
#include <stdio.h>
#include <weft/opencl.h>

#include "sums.h"
#include "views.h"

static uint64_t managed_bytes(void) {
  weft_memory_stats stats;
  ok(weft_memory_get(&stats, ctx));
  return stats.managed_bytes;
}

static uint64_t arrays_alive(void) {
  weft_memory_stats stats;
  ok(weft_memory_get(&stats, ctx));
  return stats.arrays;
}

static void expect_floats(const weft_array *x, const float *expected, int64_t n) {
  ck_assert_int_eq(weft_array_dtype(x), WEFT_F32);
  check_elements(x, expected, n, "f32");
}

/* ---- results ---- */

START_TEST(a_new_result)
{
  const float data[] = {1, 2, 3, 4, 5, 6}, sums[] = {2, 4, 6, 8, 10, 12};
  weft_array *x = NULL, *turned = NULL, *y = NULL;
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(2, 3), data));
  ok(weft_add(&y, x, x));
  ck_assert_ptr_nonnull(y);
  ck_assert_ptr_ne(y, x);
  ck_assert_int_eq(weft_array_ndim(y), 2);
  ck_assert(weft_array_length(y, 0) == 2 && weft_array_length(y, 1) == 3 && weft_array_is_contiguous(y));
  ck_assert_ptr_eq(weft_array_context(y), ctx);
  expect_floats(y, sums, 6);
  check_elements(x, data, 6, "the operand");
  weft_array_release(&y);
  ok(weft_transpose(&turned, x, WEFT_ALL_AXES)); /* contiguous even if the operand is not */
  ok(weft_negative(&y, turned));
  ck_assert(weft_array_length(y, 0) == 3 && weft_array_length(y, 1) == 2 && weft_array_is_contiguous(y));
  expect_floats(y, (const float[]){-1, -4, -2, -5, -3, -6}, 6);
  weft_array_release(&y);
  weft_array_release(&turned);
  weft_array_release(&x);
}
END_TEST

START_TEST(out_and_in_place)
{
  weft_array *x = NULL, *y = NULL, *kept;
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(3), ((const float[]){1, 2, 3})));
  ok(weft_empty(&y, ctx, WEFT_F32, WEFT_SHAPE(3)));
  kept = y;
  uint64_t arrays = arrays_alive();
  ok(weft_multiply(&y, x, 2.0f));
  ck_assert_ptr_eq(y, kept);
  ok(weft_add(&y, y, x));
  ok(weft_add(&y, y, y));
  ok(weft_subtract(&y, x, y));
  ck_assert_ptr_eq(y, kept);
  ck_assert_uint_eq(arrays_alive(), arrays);
  expect_floats(y, (const float[]){-5, -10, -15}, 3);
  expect_floats(x, (const float[]){1, 2, 3}, 3);
  weft_array_release(&x);
  weft_array_release(&y);
}
END_TEST

/* The result's array may be both operands, and handles may be const. */
START_TEST(constant_handles_and_references)
{
  weft_array *x = NULL, *again;
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(2), ((const int32_t[]){3, -4})));
  again = weft_array_retain(x);
  const weft_array *source = again;
  ok(weft_multiply(&x, source, source));
  check_elements(x, (const int32_t[]){9, 16}, 2, "squares");
  weft_array_release(&again);
  weft_array_release(&x);
}
END_TEST

START_TEST(two_results)
{
  const int32_t a[] = {7, -7, 7, -7, 0}, b[] = {3, 3, -3, -3, 0};
  const int32_t quotient[] = {2, -3, -3, 2, 0}, rest[] = {1, 2, -2, -1, 0};
  weft_array *x = NULL, *y = NULL, *q = NULL, *r = NULL;
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(5), a));
  ok(weft_from_host(&y, ctx, WEFT_I32, WEFT_SHAPE(5), b));
  ok(weft_divmod(&q, &r, x, y));
  check_elements(q, quotient, 5, "quotient");
  check_elements(r, rest, 5, "remainder");
  weft_array_release(&q);
  ok(weft_divmod(&q, &r, x, y)); /* one new result, one given */
  check_elements(q, quotient, 5, "quotient");
  check_elements(r, rest, 5, "remainder");
  ok(weft_divmod(&y, &x, x, y)); /* in place, exchanged */
  check_elements(y, quotient, 5, "quotient in place");
  check_elements(x, rest, 5, "remainder in place");
  weft_array_release(&q);
  weft_array_release(&r);
  weft_array_release(&x);
  weft_array_release(&y);
  float fraction[2], whole[2];
  int32_t exponent[2];
  weft_array *z = NULL;
  ok(weft_from_host(&z, ctx, WEFT_F32, WEFT_SHAPE(2), ((const float[]){2.75f, -0.5f})));
  ok(weft_modf(WEFT_HOST_OUT(fraction, WEFT_F32, WEFT_SHAPE(2)), WEFT_HOST_OUT(whole, WEFT_F32, WEFT_SHAPE(2)), z));
  ck_assert(fraction[0] == 0.75f && fraction[1] == -0.5f && whole[0] == 2 && whole[1] == 0 && signbit(whole[1]));
  ok(weft_frexp(&q, WEFT_HOST_OUT(exponent, WEFT_I32, WEFT_SHAPE(2)), z)); /* one on the device, one in host memory */
  ck_assert(exponent[0] == 2 && exponent[1] == 0);
  expect_floats(q, (const float[]){0.6875f, -0.5f}, 2);
  weft_array_release(&z);
  weft_array_release(&q);
}
END_TEST

/* Interleaved results share no element, although their address ranges overlap. */
START_TEST(two_results_side_by_side)
{
  enum { N = 500 };
  float data[N];
  weft_array *x = NULL, *both = NULL, *table = NULL, *sine = NULL, *cosine = NULL;
  for (int i = 0; i < N; i++) data[i] = (float)(i - 100) + 0.25f;
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(N), data));
  ok(weft_empty(&both, ctx, WEFT_F32, WEFT_SHAPE(2 * N)));
  ok(weft_slice(&sine, both, 0, 0, WEFT_END, .step = 2));
  ok(weft_slice(&cosine, both, 0, 1, WEFT_END, .step = 2));
  ok(weft_modf(&sine, &cosine, x));
  float got[2 * N];
  ok(weft_to_host(got, sizeof got, both));
  for (int i = 0; i < N; i++)
    ck_assert_msg(got[2 * i] + got[2 * i + 1] == data[i] && got[2 * i + 1] == truncf(data[i]), "pair %d", i);
  weft_array_release(&sine);
  weft_array_release(&cosine);
  /* the left and the right half of each row */
  ok(weft_reshape(&table, both, WEFT_SHAPE(50, 20)));
  ok(weft_slice(&sine, table, 1, 0, 10));
  ok(weft_slice(&cosine, table, 1, 10, 20));
  weft_array *square = NULL;
  ok(weft_reshape(&square, x, WEFT_SHAPE(50, 10)));
  ok(weft_modf(&sine, &cosine, square));
  ok(weft_to_host(got, sizeof got, both));
  for (int i = 0; i < N; i++) ck_assert_msg(got[i / 10 * 20 + i % 10 + 10] == truncf(data[i]), "element %d", i);
  weft_array_release(&square);
  weft_array_release(&sine);
  weft_array_release(&cosine);
  weft_array_release(&table);
  weft_array_release(&both);
  weft_array_release(&x);
}
END_TEST

/* ---- casts of the result ---- */

/* numpy.can_cast(from, to, "same_kind"), as documented: within a kind, and upwards from bool to unsigned, signed,
   float, complex. */
static bool casts(weft_dtype from, weft_dtype to) {
  static const char order[] = "buifc";
  return strchr(order, weft_dtype_kind(from)) <= strchr(order, weft_dtype_kind(to));
}

START_TEST(the_result_is_cast_where_that_is_same_kind)
{
  for (int from = harness_next_dtype(0); from; from = harness_next_dtype(from + 1)) {
    weft_array *x = NULL;
    ok(weft_full(&x, ctx, (weft_dtype)from, WEFT_SHAPE(5), 1));
    for (int to = harness_next_dtype(0); to; to = harness_next_dtype(to + 1)) {
      weft_array *y = NULL, *expected = NULL;
      ok(weft_zeros(&y, ctx, (weft_dtype)to, WEFT_SHAPE(5)));
      ok(weft_ones(&expected, ctx, (weft_dtype)to, WEFT_SHAPE(5)));
      char bytes[5 * 16], zeros[5 * 16] = {0};
      if (casts((weft_dtype)from, (weft_dtype)to)) {
        ok(weft_maximum(&y, x, x));
        ok(weft_to_host(bytes, 5 * weft_dtype_size_bytes((weft_dtype)to), expected));
        check_elements(y, bytes, 5, weft_dtype_name((weft_dtype)from));
      } else {
        expect_error(weft_maximum(&y, x, x), WEFT_ERROR_DTYPE, weft_dtype_name((weft_dtype)from),
                     weft_dtype_name((weft_dtype)to), "@out", "weft_cast");
        check_elements(y, zeros, 5, "unchanged");
      }
      weft_array_release(&y);
      weft_array_release(&expected);
      harness_count(1);
    }
    weft_array_release(&x);
  }
}
END_TEST

START_TEST(casts_round_once_and_keep_the_sign)
{
  weft_array *x = NULL, *y = NULL;
  const int32_t data[] = {-1, 300, INT32_MIN, 7};
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(4), data));
  ok(weft_empty(&y, ctx, WEFT_I8, WEFT_SHAPE(4)));
  ok(weft_add(&y, x, 1)); /* wraps around when cut, as in NumPy */
  check_elements(y, (const int8_t[]){0, 45, 1, 8}, 4, "i32 to i8");
  weft_array_release(&y);
  ok(weft_empty(&y, ctx, WEFT_F32, WEFT_SHAPE(4)));
  ok(weft_positive(&y, x));
  expect_floats(y, (const float[]){-1, 300, -2147483648.0f, 7}, 4);
  weft_array_release(&y);
  weft_array_release(&x);
  if (harness_has_dtype(WEFT_F64)) {
    const double doubles[] = {1 + 0x1p-30, 1e300, -0.0, 65519.999};
    ok(weft_from_host(&x, ctx, WEFT_F64, WEFT_SHAPE(4), doubles));
    ok(weft_empty(&y, ctx, WEFT_F16, WEFT_SHAPE(4)));
    ok(weft_positive(&y, x));
    check_elements(y, (const uint16_t[]){0x3c00, 0x7c00, 0x8000, 0x7bff}, 4, "f64 to f16");
    weft_array_release(&y);
    ok(weft_empty(&y, ctx, WEFT_C64, WEFT_SHAPE(4)));
    ok(weft_positive(&y, x));
    check_elements(y, (const weft_c64[]){{1, 0}, {INFINITY, 0}, {-0.0f, 0}, {65520, 0}}, 4, "f64 to c64");
    weft_array_release(&y);
    weft_array_release(&x);
  }
}
END_TEST

/* ---- overlap ---- */

START_TEST(shifted_views_of_one_buffer)
{
  harness_random random = harness_random_start((uint64_t)_i);
  static const int sizes[] = {5, 100, 3000, 40000};
  weft_dtype dtype = SUM_DTYPES[_i];
  if (!harness_has_dtype(dtype)) return;
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    int n = sizes[k];
    placed base = placed_make(dtype, n, &random), other = placed_make(dtype, n - 1, &random);
    placed low = placed_share(&base), high = placed_share(&base), back = placed_share(&base);
    placed_slice(&low, 0, 0, n - 1, 1);
    placed_slice(&high, 0, 1, n, 1);
    placed_slice(&back, 0, WEFT_END, 0, -1);
    sum_check(&low, &high, &other, 0, "out before the operand");
    sum_check(&high, &low, &other, 0, "out behind the operand");
    sum_check(&high, &other, &low, 0, "out behind the second operand");
    sum_check(&low, &high, &low, 0, "out is one operand, the other is shifted");
    sum_check(&high, &back, &high, 0, "the operand reversed");
    sum_check(&back, &high, NULL, 3, "the result reversed");
    sum_check(&back, &back, &high, 0, "both");
    sum_check(&base, &base, &base, 0, "in place");
    placed_release(&low);
    placed_release(&high);
    placed_release(&back);
    placed_release(&other);
    placed_release(&base);
  }
}
END_TEST

START_TEST(a_square_and_its_transpose)
{
  harness_random random = harness_random_start(7);
  for (int side = 2; side <= 130; side = side * 2 + 1) {
    placed square = placed_make(WEFT_U32, side * side, &random);
    placed_reshape(&square, WEFT_SHAPE(side, side));
    placed turned = placed_share(&square), row = placed_share(&square), column = placed_share(&square);
    placed_reshape(&turned, WEFT_SHAPE(side, side));
    placed_transpose(&turned, WEFT_ALL_AXES);
    sum_check(&square, &turned, NULL, 1, "transposed onto itself");
    sum_check(&square, &square, &turned, 0, "plus its transpose");
    sum_check(&turned, &square, &turned, 0, "the transpose is the result");
    placed_reshape(&row, WEFT_SHAPE(side, side));
    placed_slice(&row, 0, 0, 1, 1);
    placed_reshape(&column, WEFT_SHAPE(side, side));
    placed_slice(&column, 1, 0, 1, 1);
    sum_check(&square, &square, &row, 0, "plus its first row");
    sum_check(&square, &column, &row, 0, "from its edges");
    placed_release(&row);
    placed_release(&column);
    placed_release(&turned);
    placed_release(&square);
  }
}
END_TEST

/* Overlap with a result of another dtype, also through another dtype (adopted). */
START_TEST(overlap_of_different_dtypes)
{
  enum { N = 400 };
  cl_int code = 0;
  int16_t data[2 * N];
  int32_t expected[N];
  weft_array *narrow = NULL, *wide = NULL;
  cl_mem mem = clCreateBuffer(weft_context_cl_context(ctx), CL_MEM_READ_WRITE, sizeof data, NULL, &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  for (int i = 0; i < 2 * N; i++) data[i] = (int16_t)(31 * i - 9000);
  for (int i = 0; i < N; i++) expected[i] = data[i] + data[i];
  ok(weft_array_adopt(&narrow, ctx, mem, 0, WEFT_I16, WEFT_SHAPE(2 * N)));
  ok(weft_from_host(&narrow, ctx, WEFT_I16, WEFT_SHAPE(2 * N), data));
  weft_array_release(&narrow);
  ok(weft_array_adopt(&narrow, ctx, mem, 0, WEFT_I16, WEFT_SHAPE(N)));
  ok(weft_array_adopt(&wide, ctx, mem, 0, WEFT_I32, WEFT_SHAPE(N)));
  ck_assert_int_eq(clReleaseMemObject(mem), CL_SUCCESS);
  ok(weft_add(&wide, narrow, narrow)); /* each result element covers two operand elements, most of them not yet read */
  for (int i = 0; i < N; i++) expected[i] = (int16_t)expected[i];
  check_elements(wide, expected, N, "i16 + i16 into i32 over them");
  weft_array_release(&narrow);
  weft_array_release(&wide);
}
END_TEST

/* ---- broadcasting ---- */

START_TEST(shapes_are_broadcast_together)
{
  static const struct {
    weft_shape a, b, result;
  } cases[] = {
      {{2, {3, 4}}, {1, {4}}, {2, {3, 4}}},
      {{1, {4}}, {2, {3, 4}}, {2, {3, 4}}},
      {{2, {3, 1}}, {1, {4}}, {2, {3, 4}}},
      {{2, {3, 1}}, {2, {1, 4}}, {2, {3, 4}}},
      {{0, {0}}, {2, {3, 4}}, {2, {3, 4}}},
      {{0, {0}}, {0, {0}}, {0, {0}}},
      {{1, {1}}, {0, {0}}, {1, {1}}},
      {{1, {1}}, {3, {1, 1, 1}}, {3, {1, 1, 1}}},
      {{1, {0}}, {1, {1}}, {1, {0}}},
      {{2, {3, 0}}, {2, {3, 1}}, {2, {3, 0}}},
      {{2, {0, 1}}, {1, {5}}, {2, {0, 5}}},
      {{8, {2, 1, 2, 1, 2, 1, 2, 1}}, {8, {1, 3, 1, 3, 1, 3, 1, 3}}, {8, {2, 3, 2, 3, 2, 3, 2, 3}}},
      {{8, {2, 1, 2, 1, 2, 1, 2, 1}}, {1, {5}}, {8, {2, 1, 2, 1, 2, 1, 2, 5}}},
      {{3, {5, 1, 7}}, {2, {6, 1}}, {3, {5, 6, 7}}},
  };
  harness_random random = harness_random_start(11);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    placed a = placed_make(WEFT_U32, shape_count(cases[k].a), &random),
           b = placed_make(WEFT_U32, shape_count(cases[k].b), &random);
    placed_reshape(&a, cases[k].a);
    placed_reshape(&b, cases[k].b);
    weft_array *made = NULL;
    ok(weft_add(&made, a.view, b.view));
    weft_shape shape = weft_array_shape(made);
    ck_assert_int_eq(shape.ndim, cases[k].result.ndim);
    for (int d = 0; d < shape.ndim; d++) ck_assert_int_eq(shape.dim[d], cases[k].result.dim[d]);
    placed out = placed_make(WEFT_U32, shape_count(shape), &random);
    placed_reshape(&out, shape);
    sum_check(&out, &a, &b, 0, "broadcast");
    size_t size = (size_t)weft_array_size_bytes(made);
    char first[6000], second[6000];
    ck_assert_uint_le(size, sizeof first);
    ok(weft_to_host(first, size, made));
    ok(weft_to_host(second, size, out.base));
    ck_assert_msg(memcmp(first, second, size) == 0, "case %zu: the new result differs from the given one", k);
    weft_array_release(&made);
    placed_release(&a);
    placed_release(&b);
    placed_release(&out);
  }
}
END_TEST

/* Three operands, each with its own axis. */
START_TEST(three_operands)
{
  weft_array *c = NULL, *a = NULL, *b = NULL, *y = NULL;
  ok(weft_from_host(&c, ctx, WEFT_BOOL, WEFT_SHAPE(2, 1, 1), ((const bool[]){true, false})));
  ok(weft_from_host(&a, ctx, WEFT_I32, WEFT_SHAPE(3, 1), ((const int32_t[]){1, 2, 3})));
  ok(weft_from_host(&b, ctx, WEFT_I16, WEFT_SHAPE(2), ((const int16_t[]){-1, -2})));
  ok(weft_where(&y, c, a, b));
  ck_assert_int_eq(weft_array_dtype(y), WEFT_I32);
  ck_assert_int_eq(weft_array_ndim(y), 3);
  check_elements(y, (const int32_t[]){1, 1, 2, 2, 3, 3, -1, -2, -1, -2, -1, -2}, 12, "where");
  weft_array_release(&y);
  ok(weft_clip(&y, a, -1, 2));
  check_elements(y, (const int32_t[]){1, 2, 2}, 3, "clip");
  weft_array_release(&y);
  ok(weft_mul_add(&y, a, 2, b, 10)); /* i32 and i16 with weak scalars */
  ck_assert_int_eq(weft_array_dtype(y), WEFT_I32);
  check_elements(y, (const int32_t[]){-8, -18, -6, -16, -4, -14}, 6, "mul_add");
  weft_array_release(&y);
  weft_array_release(&a);
  weft_array_release(&b);
  weft_array_release(&c);
}
END_TEST

/* Repeated calls do not grow memory: each call releases its temporaries. */
START_TEST(memory_is_given_back)
{
  static float host[5000];
  weft_array *x = NULL, *y = NULL, *low = NULL, *high = NULL;
  uint64_t managed = 0, arrays = 0;
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(5000)));
  ok(weft_slice(&low, x, 0, 0, 4999));
  ok(weft_slice(&high, x, 0, 1, 5000));
  for (int round = 0; round < 60; round++) {
    weft_array *z = NULL;
    ok(weft_add(&z, x, WEFT_HOST(host, WEFT_F32, WEFT_SHAPE(5000))));
    ok(weft_add(&high, low, 1));                                            /* through a temporary */
    ok(weft_add(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(5000)), x, 1.0f)); /* through a temporary */
    ok(weft_modf(&y, &z, x));
    expect_error(weft_divmod(&y, &y, x, 2), WEFT_ERROR_LAYOUT, "share");
    weft_array_release(&z);
    ok(weft_context_wait(ctx));
    if (round == 10) managed = managed_bytes(), arrays = arrays_alive();
    if (round > 10) {
      ck_assert_uint_eq(managed_bytes(), managed);
      ck_assert_uint_eq(arrays_alive(), arrays);
    }
  }
  weft_array_release(&low);
  weft_array_release(&high);
  weft_array_release(&x);
  weft_array_release(&y);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "results");
  tcase_add_test(tc, a_new_result);
  tcase_add_test(tc, out_and_in_place);
  tcase_add_test(tc, constant_handles_and_references);
  tcase_add_test(tc, two_results);
  tcase_add_test(tc, two_results_side_by_side);
  tcase_add_test(tc, the_result_is_cast_where_that_is_same_kind);
  tcase_add_test(tc, casts_round_once_and_keep_the_sign);
  tcase_add_loop_test(tc, shifted_views_of_one_buffer, 0, SUM_SIZES);
  tcase_add_test(tc, a_square_and_its_transpose);
  tcase_add_test(tc, overlap_of_different_dtypes);
  tcase_add_test(tc, memory_is_given_back);
  tc = harness_context_case(suite, "shapes");
  tcase_add_test(tc, shapes_are_broadcast_together);
  tcase_add_test(tc, three_operands);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "ufunc", .add = add});
}
