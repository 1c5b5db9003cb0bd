// SPDX-License-Identifier: MIT
/// Products, solvers, transforms and sparse matrices of more elements than 31 bits count, on devices with enough
/// memory. Numbers are small integers, so that every sum is exact, and the device compares the results, which are too
/// large for the host.
#include <stdio.h>

#include "harness.h"

static weft_array *empty(weft_dtype dtype, weft_shape shape) {
  weft_array *x = NULL;
  ok(weft_empty(&x, ctx, dtype, shape));
  return x;
}

/// An array whose elements are an expression of their number `i`.
static weft_array *filled(weft_dtype dtype, weft_shape shape, const char *text) {
  weft_array *x = empty(dtype, shape);
  char cast[128];
  snprintf(cast, sizeof cast, "%s(%s)", weft_dtype_name(dtype), text);
  ok(weft_eval(&x, ctx, cast));
  return x;
}

static int64_t read_number(weft_array *count) {
  int64_t number = -1;
  ok(weft_to_host(&number, sizeof number, count));
  weft_array_release(&count);
  return number;
}

/// Asserts that an expression of arrays and `i` is true nowhere.
#define expect_nowhere(text, ...)                                                 \
  do {                                                                            \
    weft_array *nowhere_ = NULL;                                                  \
    ok(weft_reduce(&nowhere_, ctx, "i64(" text ")", WEFT_ALL_AXES, __VA_ARGS__)); \
    const int64_t places_ = read_number(nowhere_);                                \
    ck_assert_msg(places_ == 0, "%s: true at %" PRId64 " places", text, places_); \
  } while (0)

/* ---- products ---- */

/// batch products of a [m, 64] and the identity. `turned`: `a` is stored in columns.
static void check_identity(weft_dtype dtype, int64_t batch, int64_t m, bool turned) {
  enum { SIDE = 64 };
  weft_array *eye = NULL, *b = NULL, *y = NULL;
  weft_array *stored = filled(dtype, turned ? WEFT_SHAPE(SIDE, m) : WEFT_SHAPE(batch, m, SIDE), "i % 251"), *a = NULL;
  if (turned)
    ok(weft_transpose(&a, stored, WEFT_ALL_AXES));
  else
    a = weft_array_retain(stored);
  ok(weft_eye(&eye, ctx, dtype, SIDE));
  if (batch > 1)
    ok(weft_tile(&b, eye, WEFT_SHAPE(batch, 1, 1))); /* not a broadcast view, which would make one product of all */
  else
    b = weft_array_retain(eye);
  ok(weft_matmul(&y, a, b));
  expect_nowhere("y != a", WEFT_VAR(y), WEFT_VAR(a));
  weft_array_release(&stored);
  weft_array_release(&a);
  weft_array_release(&b);
  weft_array_release(&eye);
  weft_array_release(&y);
  harness_count(1);
}

START_TEST(many_rows)
{
  static const weft_dtype dtypes[] = {WEFT_U8, WEFT_F16, WEFT_F32, WEFT_F64};
  for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
    const int64_t size = (int64_t)weft_dtype_size_bytes(dtypes[k]);
    const int64_t elements = harness_large("many_rows", (int)(5 * size + 2));
    if (!elements) return;
    check_identity(dtypes[k], 1, elements / 64 + 5, false);
    if (size < 8) check_identity(dtypes[k], 1, elements / 64 + 5, true);
  }
}
END_TEST

START_TEST(many_products)
{
  static const weft_dtype dtypes[] = {WEFT_U8, WEFT_F16, WEFT_F32};
  for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
    const int64_t elements = harness_large("many_products", (int)(8 * weft_dtype_size_bytes(dtypes[k]) + 2));
    if (!elements) return;
    check_identity(dtypes[k], elements / 4096 + 3, 64, false);
    check_identity(dtypes[k], elements / (64 * 200) + 3, 200, false);
  }
}
END_TEST

/// A large result from small operands: its products with a vector from both sides are the operands' own.
static void check_wide(weft_dtype dtype, int64_t m, int64_t n) {
  enum { K = 16 };
  weft_array *a = filled(dtype, WEFT_SHAPE(m, K), "(i * 7 % 11) % 2"), *y = NULL;
  weft_array *b = filled(dtype, WEFT_SHAPE(K, n), "(i * 5 % 13) % 2");
  weft_array *right = filled(WEFT_F32, WEFT_SHAPE(n), "i % 7 == 0"),
             *left = filled(WEFT_F32, WEFT_SHAPE(m), "i % 7 == 0");
  weft_array *got = NULL, *part = NULL, *want = NULL;
  ok(weft_matmul(&y, a, b));
  ok(weft_matmul(&got, y, right));
  ok(weft_matmul(&part, b, right));
  ok(weft_matmul(&want, a, part));
  expect_nowhere("got != want", WEFT_VAR(got), WEFT_VAR(want));
  weft_array_release(&got);
  weft_array_release(&part);
  weft_array_release(&want);
  ok(weft_matmul(&got, left, y));
  ok(weft_matmul(&part, left, a));
  ok(weft_matmul(&want, part, b));
  expect_nowhere("got != want", WEFT_VAR(got), WEFT_VAR(want));
  weft_array *all[] = {a, b, y, right, left, got, part, want};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) weft_array_release(&all[k]);
  harness_count(1);
}

START_TEST(wide_results)
{
  const int64_t elements = harness_large("wide_results", 16), side = (int64_t)sqrt((double)elements) + 60;
  if (!elements) return;
  check_wide(WEFT_F32, side, side);
  check_wide(WEFT_F16, side / 8 * 8, side / 8 * 8 + 8);
  check_wide(WEFT_F32, 300, elements / 300 + 5);
}
END_TEST

/// The last elements of z, the product of `factor` with x along `axis`.
static void check_ends(const weft_array *x, const weft_array *z, const weft_array *factor, int axis) {
  const int64_t length = weft_array_length(z, 0);
  for (int64_t at = length - 3; at < length; at++) {
    weft_array *line = NULL, *flat = NULL, *one = NULL, *want = NULL;
    ok(weft_slice(&line, x, !axis, at, at + 1));
    ok(weft_slice(&one, z, 0, at, at + 1));
    ok(weft_reshape(&flat, line, WEFT_SHAPE(weft_array_length(factor, 0))));
    ok(weft_reduce(&want, ctx, "i64(flat) * i64(factor)", WEFT_ALL_AXES, WEFT_VAR(flat), WEFT_VAR(factor)));
    expect_nowhere("one != u8(want)", WEFT_VAR(one), WEFT_VAR(want));
    weft_array *all[] = {line, flat, one, want};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) weft_array_release(&all[k]);
  }
}

/// A matrix times a vector along its long axis, and along the other one; `axis` is the long one. u8 wraps.
static void check_vectors(int64_t length, int64_t other, int axis) {
  weft_array *x = filled(WEFT_U8, axis ? WEFT_SHAPE(other, length) : WEFT_SHAPE(length, other), "i % 251");
  weft_array *ones = filled(WEFT_U8, WEFT_SHAPE(length), "1"),
             *factor = filled(WEFT_U8, WEFT_SHAPE(other), "i % 5 + 1");
  weft_array *y = NULL, *z = NULL, *want = NULL;
  if (axis) {
    ok(weft_matmul(&y, x, ones));
    ok(weft_matmul(&z, factor, x));
  } else {
    ok(weft_matmul(&y, ones, x));
    ok(weft_matmul(&z, x, factor));
  }
  ok(weft_sum(&want, x, axis)); /* in 64 bits */
  expect_nowhere("y != u8(want)", WEFT_VAR(y), WEFT_VAR(want));
  check_ends(x, z, factor, !axis);
  weft_array *all[] = {x, ones, factor, y, z, want};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) weft_array_release(&all[k]);
  harness_count(1);
}

START_TEST(long_vectors)
{
  static const int64_t others[] = {1, 3, 65, 100003};
  const int64_t elements = harness_large("long_vectors", 24);
  if (!elements) return;
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    for (int axis = 0; axis < 2; axis++) check_vectors(elements / others[k] + 5, others[k], axis);
}
END_TEST

/// A product of ones and a matrix whose columns are `k` elements apart: the sums are exact in f32.
static void check_lines(weft_dtype dtype, int64_t k) {
  enum { LINES = 256 };
  weft_array *a = filled(dtype, WEFT_SHAPE(LINES, k), "1"), *b = NULL, *want = NULL;
  weft_array *stored = filled(dtype, WEFT_SHAPE(LINES, k), "i % 13 == 0"),
             *y = empty(WEFT_F32, WEFT_SHAPE(LINES, LINES));
  ok(weft_transpose(&b, stored, WEFT_ALL_AXES));
  ok(weft_matmul(&y, a, b));
  ok(weft_reduce(&want, ctx, "i64(stored)", 1, WEFT_VAR(stored)));
  expect_nowhere("y != f32(want)", WEFT_VAR(y), WEFT_VAR(want));
  weft_array *all[] = {a, b, want, stored, y};
  for (size_t j = 0; j < sizeof all / sizeof *all; j++) weft_array_release(&all[j]);
  harness_count(1);
}

/* The 256 lines of a tile lie within 2^31 elements, and do not. */
START_TEST(long_lines)
{
  const int64_t elements = harness_large("long_lines", 32);
  if (!elements) return;
  check_lines(WEFT_F16, elements / 256 - 8);
  check_lines(WEFT_F16, elements / 240 + 520000);
  check_lines(WEFT_F32, elements / 240 + 520000);
}
END_TEST

/* More rows than a grid's first axis has groups: on CPUs the epilogue is a kernel of its own. */
START_TEST(epilogues_of_many_rows)
{
  const int64_t elements = harness_large("epilogues_of_many_rows", 16);
  if (!elements) return;
  weft_array *a = filled(WEFT_F32, WEFT_SHAPE(elements / 2 + 5, 1), "i % 251"), *y = NULL;
  weft_array *b = filled(WEFT_F32, WEFT_SHAPE(1, 1), "2");
  ok(weft_matmul(&y, a, b, .epilogue = WEFT_EPILOGUE("value + 1")));
  expect_nowhere("y != i % 251 * 2 + 1", WEFT_VAR(y));
  weft_array_release(&a);
  weft_array_release(&b);
  weft_array_release(&y);
}
END_TEST

/* More elements of right-hand sides than 31 bits count: the rows come back in reverse order, and halved. */
START_TEST(many_right_sides)
{
  enum { SIDE = 40 };
  const int64_t elements = harness_large("many_right_sides", 60);
  if (!elements) return;
  weft_array *eye = NULL, *turned = NULL, *a = NULL, *x = NULL, *back = NULL;
  weft_array *b = filled(WEFT_F32, WEFT_SHAPE(SIDE, elements / (SIDE - 1) + 5), "i % 251");
  ok(weft_eye(&eye, ctx, WEFT_F32, SIDE));
  ok(weft_flip(&turned, eye, 0));
  ok(weft_multiply(&a, turned, 2));
  ok(weft_solve(&x, a, b));
  ok(weft_flip(&back, b, 0));
  expect_nowhere("2 * x != back", WEFT_VAR(x), WEFT_VAR(back));
  weft_array *all[] = {eye, turned, a, x, back, b};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) weft_array_release(&all[k]);
}
END_TEST

static bool has_engine(const char *name) {
  weft_engine_info info;
  for (int k = 0; weft_engine_get(&info, k) == WEFT_OK; k++)
    if (strcmp(info.name, name) == 0) return info.is_found && info.is_allowed;
  return false;
}

/* cuSOLVER has no such limit, and comes first on NVIDIA's GPUs. */
static bool uses_lapack(void) {
  return has_engine("lapack") && !(device.type == WEFT_DEVICE_TYPE_GPU && has_engine("cusolver"));
}

/* LAPACK's workspace for vectors has a multiple of the matrix's elements. */
START_TEST(too_large_for_lapack)
{
  weft_array *one = NULL, *a = NULL, *u = NULL, *s = NULL, *vh = NULL;
  const int64_t elements = harness_large("too_large_for_lapack", 32);
  if (elements < INT64_C(1) << 28 || !uses_lapack()) return;
  ok(weft_ones(&one, ctx, WEFT_F32, WEFT_SHAPE(1, 1)));
  ok(weft_broadcast(&a, one, WEFT_SHAPE(23200, 23200)));
  expect_error(weft_svd(&u, &s, &vh, a), WEFT_ERROR_UNSUPPORTED,
               "svd of matrices of side 23200 with vectors needs more than 2^31 - 1 numbers of workspace");
  weft_array_release(&a);
  ok(weft_broadcast(&a, one, WEFT_SHAPE(32768, 32768)));
  expect_error(weft_eigh(&s, &vh, a), WEFT_ERROR_UNSUPPORTED, "eigh of matrices of side 32768 with vectors");
  weft_array_release(&a);
  weft_array_release(&one);
}
END_TEST

/* ---- transforms ---- */

/// Asserts that two arrays differ by at most `limit`.
static void expect_near(weft_array *x, weft_array *y, double limit, const char *what) {
  weft_array *most = NULL;
  double most_found = -1;
  ok(weft_reduce(&most, ctx, "f64(abs(x - y))", WEFT_ALL_AXES, WEFT_VAR(x), WEFT_VAR(y),
                 WEFT_REDUCTION(.op = WEFT_REDUCE_MAX)));
  ok(weft_to_host(&most_found, sizeof most_found, most));
  weft_array_release(&most);
  ck_assert_msg(most_found <= limit, "%s: a difference of %g; expected at most %g", what, most_found, limit);
}

/// Row (or column) `at` of x and of y, its transform.
static void check_line(const weft_array *x, const weft_array *y, int axis, int64_t at, bool is_real) {
  weft_array *from = NULL, *to = NULL, *want = NULL;
  ok(weft_slice(&from, x, !axis, at, at + 1));
  ok(weft_slice(&to, y, !axis, at, at + 1));
  ok(weft_copy(&from, from));
  if (is_real)
    ok(weft_rfft(&want, from, axis));
  else
    ok(weft_fft(&want, from, axis));
  expect_near(to, want, 1, "a row alone"); /* elements are up to 250, and their sums differ by far more */
  weft_array_release(&from);
  weft_array_release(&to);
  weft_array_release(&want);
}

/// Transforms of x along an axis, and back.
static void check_transform(weft_dtype dtype, weft_shape shape, int axis) {
  const bool is_real = weft_dtype_kind(dtype) == 'f';
  weft_array *x = filled(dtype, shape, "i % 251"), *y = NULL, *back = NULL;
  const int64_t lines = shape.dim[!axis];
  if (is_real)
    ok(weft_rfft(&y, x, axis));
  else
    ok(weft_fft(&y, x, axis));
  const int64_t places[] = {0, lines / 4 - 1, lines / 2, lines - 1};
  for (int k = 0; k < 4; k++) check_line(x, y, axis, places[k], is_real);
  if (is_real)
    ok(weft_irfft(&back, y, axis, .n = shape.dim[axis]));
  else
    ok(weft_ifft(&y, y, axis));
  expect_near(is_real ? back : y, x, 0.01, "there and back");
  weft_array_release(&x);
  weft_array_release(&y);
  weft_array_release(&back);
  harness_count(1);
}

START_TEST(many_transforms)
{
  const int64_t elements = harness_large("many_transforms", 80);
  if (!elements) return;
  check_transform(WEFT_C64, WEFT_SHAPE(elements / 256 + 3, 256), 1);
  check_transform(WEFT_C64, WEFT_SHAPE(1000, elements / 1000 + 3), 0);
  check_transform(WEFT_F32, WEFT_SHAPE(elements / 1000 + 3, 1000), 1);
  check_transform(WEFT_F64, WEFT_SHAPE(elements / 512 + 3, 256), 1); /* bytes: the own engine takes six times these */
  check_transform(WEFT_C64, WEFT_SHAPE(elements / 2 / 997 + 3, 997), 1); /* 2^31 inside of the own engine */
}
END_TEST

/* A number that is not 0, in one long row: each value of its transform is a root of unity. */
START_TEST(a_long_row)
{
  const int64_t elements = harness_large("a_long_row", 80), n = elements, at = n / 8 * 3;
  if (!elements) return;
  weft_array *x = filled(WEFT_C64, WEFT_SHAPE(n), "0"), *one = NULL;
  ok(weft_slice(&one, x, 0, at + 1, at + 2));
  ok(weft_fill(one, 1));
  ok(weft_fft(&x, x, 0));
  /* exp(-2 pi i (3/8 n + 1) k / n): the two factors apart, as f64 has no room for their product */
  weft_array *most = NULL;
  double found = -1;
  ok(weft_reduce(&most, ctx,
                 "turn = f64(3 * (i % 8)) / 8 + f64(i) / f64(n); angle = -6.283185307179586 * (turn - floor(turn)); "
                 "hypot(f64(real(x)) - cos(angle), f64(imag(x)) - sin(angle))",
                 WEFT_ALL_AXES, WEFT_VAR(x), WEFT_REDUCTION(.op = WEFT_REDUCE_MAX)));
  ok(weft_to_host(&found, sizeof found, most));
  ck_assert_msg(found < 1e-4, "a difference of %g", found);
  weft_array_release(&most);
  weft_array_release(&one);
  weft_array_release(&x);
}
END_TEST

/* Small transforms in the last elements of a large array: offsets that 32 bits cannot count. */
START_TEST(transforms_far_in_memory)
{
  const int64_t elements = harness_large("transforms_far_in_memory", 40), n = elements + 8192;
  if (!elements) return;
  for (int is_real = 0; is_real < 2; is_real++) {
    weft_array *all = empty(is_real ? WEFT_F32 : WEFT_C64, WEFT_SHAPE(is_real ? 2 * n : n)), *part = NULL;
    weft_array *values = filled(is_real ? WEFT_F32 : WEFT_C64, WEFT_SHAPE(4096), "i * i % 251"), *got = NULL;
    weft_array *want = NULL;
    ok(weft_slice(&part, all, 0, -4096, WEFT_END));
    ok(weft_copy(&part, values));
    if (is_real) {
      ok(weft_rfft(&got, part, 0));
      ok(weft_rfft(&want, values, 0));
    } else {
      ok(weft_fft(&got, part, 0));
      ok(weft_fft(&want, values, 0));
      ok(weft_fft(&part, part, 0));
      expect_near(part, want, 0.5, "in place");
    }
    expect_near(got, want, 0.5, "at the end of an array");
    weft_array *used[] = {all, part, values, got, want};
    for (size_t k = 0; k < sizeof used / sizeof *used; k++) weft_array_release(&used[k]);
    harness_count(1);
  }
}
END_TEST

START_TEST(long_convolutions)
{
  const int64_t elements = harness_large("long_convolutions", 8);
  if (!elements) return;
  weft_array *x = filled(WEFT_U8, WEFT_SHAPE(elements + 77), "i % 251"), *y = NULL;
  weft_array *v = filled(WEFT_U8, WEFT_SHAPE(3), "1 + 2 * i");
  ok(weft_convolve(&y, x, v, .mode = WEFT_CONVOLVE_VALID)); /* y[i] = 5 x[i] + 3 x[i + 1] + x[i + 2] */
  expect_nowhere("y != u8(i % 251 * 5 + (i + 1) % 251 * 3 + (i + 2) % 251)", WEFT_VAR(y));
  weft_array_release(&x);
  weft_array_release(&v);
  weft_array_release(&y);
}
END_TEST

/* ---- sparse matrices ---- */

/// A matrix of `count` ones: element k in row first_row + k * row_step and column first_column + k * column_step.
static weft_csr *diagonal(weft_shape shape, int64_t count, const int64_t first[2], const int64_t step[2]) {
  weft_csr *a = NULL;
  weft_array *place[2] = {NULL}, *ones = filled(WEFT_U8, WEFT_SHAPE(count), "1");
  for (int d = 0; d < 2; d++) ok(weft_arange(&place[d], ctx, WEFT_I64, first[d], first[d] + count * step[d], step[d]));
  ok(weft_csr_from_coo(&a, NULL, place[0], place[1], ones, shape));
  weft_array_release(&place[0]);
  weft_array_release(&place[1]);
  weft_array_release(&ones);
  return a;
}

/* A vector of more than 2^31 elements on each side of a matrix. */
START_TEST(sparse_with_long_vectors)
{
  enum { COUNT = 1000 };
  const int64_t elements = harness_large("sparse_with_long_vectors", 100), n = elements + 99;
  if (!elements) return;
  weft_csr *wide =
      diagonal(WEFT_SHAPE(COUNT, n), COUNT, (const int64_t[]){0, n - 3 * COUNT + 2}, (const int64_t[]){1, 3});
  weft_array *x = filled(WEFT_U8, WEFT_SHAPE(n), "i % 251"), *y = NULL;
  int64_t first = n - 3 * COUNT + 2;
  ok(weft_csr_matmul(&y, wide, x));
  expect_nowhere("y != (first + 3 * i) % 251", WEFT_VAR(y), WEFT_VAR(first));
  weft_array_release(&y);
  weft_array_release(&x);
  weft_csr *tall = NULL;
  weft_csr_info info;
  ok(weft_csr_transpose(&tall, wide));
  ok(weft_csr_get(&info, tall));
  ck_assert(info.rows == n && info.columns == COUNT && info.count == COUNT &&
            (n <= INT32_MAX || info.index_dtype == WEFT_I64));
  x = filled(WEFT_U8, WEFT_SHAPE(COUNT), "i % 250 + 1");
  ok(weft_csr_matmul(&y, tall, x));
  expect_nowhere("y != ((i - first) // 3 % 250 + 1 if i >= first and (i - first) % 3 == 0 else 0)", WEFT_VAR(y),
                 WEFT_VAR(first));
  weft_array_release(&x);
  weft_array_release(&y);
  weft_csr_release(&wide);
  weft_csr_release(&tall);
}
END_TEST

/* Dense matrices of more than 2^31 elements on each side of a sparse one. */
START_TEST(sparse_with_large_matrices)
{
  enum { COLUMNS = 1040 };
  const int64_t elements = harness_large("sparse_with_large_matrices", 16), n = elements / COLUMNS + 7, last = n - 1;
  if (!elements) return;
  weft_csr *back = diagonal(WEFT_SHAPE(n, n), n, (const int64_t[]){0, n - 1}, (const int64_t[]){1, -1});
  weft_array *x = filled(WEFT_U8, WEFT_SHAPE(n, COLUMNS), "i % 251"), *y = NULL;
  ok(weft_csr_matmul(&y, back, x));
  int64_t width = COLUMNS;
  expect_nowhere("y != ((last - i // width) * width + i % width) % 251", WEFT_VAR(y), WEFT_VAR(last), WEFT_VAR(width));
  weft_array_release(&x);
  weft_array_release(&y);
  weft_csr_release(&back);
}
END_TEST

/* More than 2^31 stored elements. */
START_TEST(sparse_of_many_elements)
{
  enum { COLUMNS = 1024 };
  const int64_t elements = harness_large("sparse_of_many_elements", 110), rows = elements / COLUMNS + 9;
  if (!elements) return;
  weft_array *indptr = filled(WEFT_I64, WEFT_SHAPE(rows + 1), "i * 1024");
  weft_array *indices = filled(WEFT_I32, WEFT_SHAPE(rows * COLUMNS), "i % 1024");
  weft_array *data = filled(WEFT_U8, WEFT_SHAPE(rows * COLUMNS), "i % 251"), *y = NULL, *want = NULL, *table = NULL;
  weft_csr *a = NULL;
  weft_csr_info info;
  ok(weft_csr_create(&a, NULL, indptr, indices, data, WEFT_SHAPE(rows, COLUMNS)));
  weft_array_release(&indices);
  ok(weft_csr_get(&info, a));
  ck_assert(info.count == rows * COLUMNS && (info.count <= INT32_MAX || info.index_dtype == WEFT_I64));
  weft_array *x = filled(WEFT_U8, WEFT_SHAPE(COLUMNS), "1");
  ok(weft_csr_matmul(&y, a, x));
  ok(weft_reshape(&table, data, WEFT_SHAPE(rows, COLUMNS)));
  ok(weft_sum(&want, table, 1));
  expect_nowhere("y != u8(want)", WEFT_VAR(y), WEFT_VAR(want));
  weft_array *all[] = {indptr, data, table, x, y, want};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) weft_array_release(&all[k]);
  weft_csr_release(&a);
}
END_TEST

static void add(Suite *suite) {
  TCase *products = harness_context_case(suite, "products"), *transforms = harness_context_case(suite, "transforms");
  TCase *sparse = harness_context_case(suite, "sparse");
  tcase_add_test(products, many_rows);
  tcase_add_test(products, many_products);
  tcase_add_test(products, wide_results);
  tcase_add_test(products, long_vectors);
  tcase_add_test(products, long_lines);
  tcase_add_test(products, epilogues_of_many_rows);
  tcase_add_test(products, many_right_sides);
  tcase_add_test(products, too_large_for_lapack);
  tcase_add_test(transforms, many_transforms);
  tcase_add_test(transforms, a_long_row);
  tcase_add_test(transforms, transforms_far_in_memory);
  tcase_add_test(transforms, long_convolutions);
  tcase_add_test(sparse, sparse_with_long_vectors);
  tcase_add_test(sparse, sparse_with_large_matrices);
  tcase_add_test(sparse, sparse_of_many_elements);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "matrix_large", .add = add});
}
