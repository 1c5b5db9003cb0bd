// SPDX-License-Identifier: MIT
/// weft/linalg.h: matrices of subnormal and of huge numbers, with the results of the same matrices times a power of
/// two; matrices with NaN, which all functions show.
#include <math.h>

#include "matrices.h"
#include "samples.h"

static const int sides[] = {2, 3, 20, 70}; /* small ones, and LAPACK's or the blocks' */
static const weft_dtype dtypes[] = {WEFT_F32, WEFT_F64, WEFT_C64, WEFT_C128};
enum { SIDES = sizeof sides / sizeof *sides, DTYPES = sizeof dtypes / sizeof *dtypes };

static int case_side(int i) {
  return sides[i % SIDES];
}
static weft_dtype case_dtype(int i) {
  return dtypes[i / SIDES % DTYPES];
}

/// Elements of few bits, times 2^power; with n columns positive definite.
static weft_array *make(weft_dtype dtype, int n, int columns, int power) {
  matrix a = matrix_make(1, n, columns);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < columns; k++) *matrix_at(&a, 0, i, k) = ldexpl(i == k ? n + 3 : i * k % 4 / 4.0L, power);
  weft_array *stack = matrix_upload(&a, dtype), *x = NULL;
  ok(weft_reshape(&x, stack, WEFT_SHAPE(n, columns)));
  free(a.at);
  weft_release(&stack);
  return x;
}

/// Checks that x[1] is 2^power times x[0], and releases both.
static void expect_times(weft_array **x, int power, const char *what) {
  matrix at[2];
  long double largest = 0;
  for (int k = 0; k < 2; k++) {
    weft_array *flat = NULL;
    ok(weft_reshape(&flat, x[k], WEFT_SHAPE(1, 1, -1)));
    at[k] = matrix_download(flat);
    weft_release(&flat, &x[k]);
  }
  for (int64_t i = 0; i < at[0].n; i++) largest = fmaxl(largest, cabsl(at[0].at[i]));
  for (int64_t i = 0; i < at[0].n; i++)
    ck_assert_msg(cabsl(at[1].at[i] / ldexpl(1, power) - at[0].at[i]) <= 1e-3L * largest,
                  "%s: element %d is %Lg, expected %Lg * 2^%d", what, (int)i, creall(at[1].at[i]), creall(at[0].at[i]),
                  power);
  free(at[0].at);
  free(at[1].at);
  harness_count(1);
}

#define BOTH(power, call)               \
  for (int k = 0; k < 2; k++) ok(call); \
  expect_times(x, power, #call)

static weft_status find_rank(weft_array **out, const weft_array *a) {
  weft_array *rank = NULL;
  ok(weft_matrix_rank(&rank, a));
  const weft_status rc = weft_cast(out, rank, WEFT_F32);
  weft_release(&rank);
  return rc;
}

START_TEST(powers_of_two)
{
  const int n = case_side(_i), sign = _i / (SIDES * DTYPES);
  const weft_dtype dtype = case_dtype(_i);
  const bool is_double = dtype == WEFT_F64 || dtype == WEFT_C128;
  if (!harness_has_kernels() || !harness_has_dtype(dtype)) return;
  const int power = sign ? is_double ? 1000 : 110 : is_double ? -1036 : -132;
  weft_array *a[2], *tall[2], *b[2], *x[2] = {NULL, NULL}, *y[2] = {NULL, NULL};
  for (int k = 0; k < 2; k++) {
    a[k] = make(dtype, n, n, k * power);
    tall[k] = make(dtype, n, n / 2, k * power);
    b[k] = make(dtype, n, 12, k * power);
  }
  BOTH(0, weft_lstsq(&x[k], tall[k], b[k]));
  BOTH(0, weft_lstsq(&x[k], a[k], b[k]));
  BOTH(0, weft_lstsq(&x[k], tall[k], b[k], .s = &y[k]));
  expect_times(y, power, "singular values");
  BOTH(0, weft_solve(&x[k], a[k], b[k]));
  BOTH(0, weft_solve_triangular(&x[k], a[k], b[k], .lower = true));
  BOTH(0, weft_solve_triangular(&x[k], a[k], b[k], .transpose = true));
  BOTH(0, weft_qr(&x[k], &y[k], a[k]));
  expect_times(y, power, "R");
  BOTH(power, weft_eigh(&x[k], NULL, a[k]));
  BOTH(power, weft_svd(NULL, &x[k], NULL, tall[k]));
  BOTH(0, weft_cond(&x[k], a[k]));
  BOTH(0, weft_cond(&x[k], a[k], .order = WEFT_NORM_1));
  BOTH(0, weft_cond(&x[k], a[k], .order = WEFT_NORM_FRO));
  BOTH(0, find_rank(&x[k], tall[k]));
  BOTH(power / 2, weft_cholesky(&x[k], a[k]));
  BOTH(0, weft_slogdet(&x[k], &y[k], a[k]));
  weft_release(&y[0], &y[1]);
  weft_release(&a[0], &a[1], &tall[0], &tall[1], &b[0], &b[1]);
}
END_TEST

/// Inverses that are representable though some inverses of pivots are not.
START_TEST(inverses)
{
  const int n = case_side(_i);
  const weft_dtype dtype = case_dtype(_i);
  const bool is_double = dtype == WEFT_F64 || dtype == WEFT_C128;
  if (!harness_has_kernels() || !harness_has_dtype(dtype)) return;
  const int least = is_double ? -1022 : -126, power = n > 16 ? least - 4 : least - 1;
  weft_array *a[2], *x[2] = {NULL, NULL};
  for (int k = 0; k < 2; k++) a[k] = make(dtype, n, n, k * power);
  BOTH(-power, weft_inv(&x[k], a[k]));
  BOTH(-power, weft_pinv(&x[k], a[k]));
  BOTH(-power, weft_pinv(&x[k], a[k], .hermitian = true));
  weft_release(&a[0], &a[1]);
}
END_TEST

/// The number of elements that are NaN. Releases x.
static int64_t count_nan(weft_array **x) {
  weft_array *flags = NULL, *count = NULL;
  int64_t found = 0;
  ok(weft_isnan(&flags, *x));
  ok(weft_count_nonzero(&count, flags, WEFT_ALL_AXES));
  ok(weft_to_host(&found, sizeof found, count));
  weft_release(x, &flags, &count);
  return found;
}

/// One NaN, at [i, k], beside zeros: the results have NaN, and no error says that a pivot is 0.
static void check_nan(weft_dtype dtype, int n, int i, int k) {
  matrix m = matrix_make(1, n, n);
  for (int e = 0; e < n; e++) *matrix_at(&m, 0, e, n - 1 - e) = 1;
  *matrix_at(&m, 0, i, k) = NAN;
  weft_array *stack = matrix_upload(&m, dtype), *a = NULL, *b = make(dtype, n, 1, 0), *x = NULL, *y = NULL, *z = NULL;
  ok(weft_reshape(&a, stack, WEFT_SHAPE(n, n)));
  ok(weft_inv(&x, a));
  ck_assert(count_nan(&x) > 0);
  ok(weft_solve(&x, a, b));
  ck_assert(count_nan(&x) > 0);
  ok(weft_det(&x, a));
  ck_assert_int_eq(count_nan(&x), 1);
  ok(weft_slogdet(&x, &y, a));
  ck_assert_int_eq(count_nan(&x) + count_nan(&y), 2);
  ok(weft_lu_factor(&x, &y, a));
  ok(weft_lu_solve(&z, x, y, b));
  ck_assert(count_nan(&x) > 0 && count_nan(&z) > 0);
  ok(weft_lu(NULL, NULL, &x, a));
  ck_assert(count_nan(&x) > 0);
  ok(weft_qr(NULL, &x, a));
  ck_assert(count_nan(&x) > 0);
  char text[80];
  snprintf(text, sizeof text, "its element [%d,%d] is NaN", i, k);
  expect_error(weft_svd(NULL, &x, NULL, a), WEFT_ERROR_CONVERGENCE, text, "@a");
  expect_error(weft_pinv(&x, a), WEFT_ERROR_CONVERGENCE, text, "@a");
  free(m.at);
  weft_release(&stack, &a, &b, &y);
  harness_count(1);
}

START_TEST(nan_is_no_zero)
{
  const int n = case_side(_i);
  if (!harness_has_kernels() || !harness_has_dtype(case_dtype(_i))) return;
  check_nan(case_dtype(_i), n, 0, 0);
  check_nan(case_dtype(_i), n, 0, n - 1);
  check_nan(case_dtype(_i), n, n - 1, 0);
  check_nan(case_dtype(_i), n, n - 1, n - 1);
  check_nan(case_dtype(_i), n, n / 2, n / 3);
}
END_TEST

/// A column of zeros in front of the NaN is a pivot of 0.
START_TEST(zero_before_nan)
{
  const int n = case_side(_i);
  if (!harness_has_kernels() || !harness_has_dtype(case_dtype(_i))) return;
  matrix m = matrix_make(1, n, n);
  *matrix_at(&m, 0, n - 1, n - 1) = NAN;
  weft_array *stack = matrix_upload(&m, case_dtype(_i)), *x = NULL;
  expect_error(weft_inv(&x, stack), WEFT_ERROR_SINGULAR, "pivot 1, counted from 1, is 0");
  free(m.at);
  weft_release(&stack);
  harness_count(1);
}
END_TEST

static void add(Suite *suite) {
  TCase *all = harness_context_case(suite, "extremes");
  tcase_add_loop_test(all, powers_of_two, 0, 2 * SIDES * DTYPES);
  tcase_add_loop_test(all, inverses, 0, SIDES * DTYPES);
  tcase_add_loop_test(all, nan_is_no_zero, 0, SIDES * DTYPES);
  tcase_add_loop_test(all, zero_before_nan, 0, SIDES * DTYPES);
}

int main(void) {
  const harness_suite suite = {.name = "linalg_extremes", .add = add};
  return harness_main(&suite);
}
