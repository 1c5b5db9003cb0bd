// SPDX-License-Identifier: MIT
/// The steps of linear algebra where they fail or have little to do: singular matrices and such that are not positive
/// definite, NaN, matrices without elements, ranks below the full one. In each row; it reads internals, as
/// test_linalg_steps.c does.
#include "matrices.h"
#include "op/linalg/blocked.h"
#include "op/linalg/jacobi.h"
#include "op/linalg/lapack.h"
#include "op/linalg/steps.h"

enum { OWN, LAPACK, ROWS };

static bool has_row(int row) {
  return row == OWN || weft__lapack_is_there();
}

static matrix make_identity(int64_t batch, int64_t n) {
  matrix x = matrix_make(batch, n, n);
  for (int64_t s = 0; s < batch; s++)
    for (int64_t i = 0; i < n; i++) *matrix_at(&x, s, i, i) = 1;
  return x;
}

/// The codes for a stack of three matrices, of which the second has a value at [place, place].
static void check_codes(int64_t n, int64_t place, double value, bool is_cholesky, int32_t expected, int row) {
  matrix a = make_identity(3, n);
  *matrix_at(&a, 1, place, place) = value;
  weft_array *x = matrix_upload(&a, WEFT_F64), *info = matrix_empty(WEFT_I32, WEFT_SHAPE(3)),
             *pivots = matrix_empty(WEFT_I32, WEFT_SHAPE(3, n));
  if (is_cholesky)
    ok(row == OWN ? weft__blocked_potrf(x, info, NULL) : weft__lapack_potrf(x, info, NULL));
  else
    ok(row == OWN ? weft__blocked_getrf(x, pivots, info, NULL) : weft__lapack_getrf(x, pivots, info, NULL));
  int32_t codes[3];
  integers_download(codes, info);
  ck_assert_int_eq(codes[0], 0);
  ck_assert_msg(codes[1] == expected, "n = %" PRId64 ", [%" PRId64 "] = %g, row %d: %d, expected %d", n, place, value,
                row, (int)codes[1], (int)expected);
  ck_assert_int_eq(codes[2], 0);
  matrix factors = matrix_download(x);
  for (int64_t i = 0; i < n; i++) /* the other matrices are not affected */
    ck_assert(*matrix_at(&factors, 0, i, i) == 1 && *matrix_at(&factors, 2, i, i) == 1);
  harness_count(1);
  free(a.at);
  free(factors.at);
  weft_release(&x, &info, &pivots);
}

START_TEST(failures_are_located)
{
  if (!harness_has_dtype(WEFT_F64) || !has_row(_i)) return;
  static const int64_t places[] = {0, 5, 63, 64, 99};
  for (int k = 0; k < 5; k++) {
    const int32_t place = (int32_t)places[k] + 1;
    check_codes(100, places[k], -1, true, place, _i);
    check_codes(100, places[k], 0, true, place, _i);
    check_codes(100, places[k], NAN, true, place, _i);
    check_codes(100, places[k], 0, false, place, _i);
  }
}
END_TEST

START_TEST(zeros_on_a_diagonal_are_found)
{
  matrix a = make_identity(3, 90);
  *matrix_at(&a, 1, 70, 70) = *matrix_at(&a, 1, 80, 80) = *matrix_at(&a, 2, 0, 0) = 0;
  weft_array *x = matrix_upload(&a, WEFT_F32), *info = matrix_empty(WEFT_I32, WEFT_SHAPE(3)),
             *b = matrix_empty(WEFT_F32, WEFT_SHAPE(3, 90, 2));
  int32_t codes[3];
  ok(weft__step_trsm(b, NULL, x, (weft__triangle){.is_upper = true}, info, NULL));
  integers_download(codes, info);
  ck_assert_int_eq(codes[0], 0);
  ck_assert_int_eq(codes[1], 71);
  ck_assert_int_eq(codes[2], 1);
  ok(weft__step_trsm(b, NULL, x, (weft__triangle){.is_unit = true}, info, NULL));
  integers_download(codes, info);
  ck_assert_int_eq(codes[1], 0);
  free(a.at);
  weft_release(&x, &info, &b);
}
END_TEST

/// A matrix with NaN or infinity: a code and values NaN; the other matrix of the stack as always.
static void check_wrong(const weft_array *values, const weft_array *info) {
  matrix found = matrix_download(values);
  int32_t codes[2];
  integers_download(codes, info);
  ck_assert(codes[0] > 0 && codes[1] == 0);
  ck_assert(isnan(creall(*matrix_at(&found, 0, 7, 0))));
  ck_assert(fabsl(creall(*matrix_at(&found, 1, 7, 0)) - 1) < 1e-4L);
  free(found.at);
  harness_count(1);
}

START_TEST(spectra_of_nan)
{
  const int row = _i % ROWS;
  if (!has_row(row)) return;
  matrix a = make_identity(2, 70);
  *matrix_at(&a, 0, 30, 20) = _i / ROWS ? INFINITY : NAN;
  weft_array *x = matrix_upload(&a, WEFT_F32), *y = matrix_upload(&a, WEFT_F32),
             *w = matrix_empty(WEFT_F32, WEFT_SHAPE(2, 70)), *info = matrix_empty(WEFT_I32, WEFT_SHAPE(2)),
             *u = matrix_empty(WEFT_F32, WEFT_SHAPE(2, 70, 70)), *vh = matrix_empty(WEFT_F32, WEFT_SHAPE(2, 70, 70));
  ok(row == OWN ? weft__jacobi_syevd(w, x, true, info, NULL) : weft__lapack_syevd(w, x, true, info, NULL));
  check_wrong(w, info);
  ok(row == OWN ? weft__jacobi_gesdd(u, w, vh, y, info, NULL) : weft__lapack_gesdd(u, w, vh, y, info, NULL));
  check_wrong(w, info);
  free(a.at);
  weft_release(&x, &y, &w, &info, &u, &vh);
}
END_TEST

/// A matrix of ones has one singular value that is not 0; the rotations of its other rows, all rounding errors, end.
START_TEST(spectra_of_ones)
{
  const int row = _i % ROWS;
  const weft_dtype dtype = _i / ROWS ? WEFT_F64 : WEFT_F32;
  if (!has_row(row) || !harness_has_dtype(dtype)) return;
  matrix a = matrix_make(1, 100, 80);
  for (int64_t e = 0; e < 100 * 80; e++) a.at[e] = 1;
  weft_array *x = matrix_upload(&a, dtype), *s = matrix_empty(dtype, WEFT_SHAPE(1, 80)),
             *info = matrix_empty(WEFT_I32, WEFT_SHAPE(1)), *u = matrix_empty(dtype, WEFT_SHAPE(1, 100, 80)),
             *vh = matrix_empty(dtype, WEFT_SHAPE(1, 80, 80));
  int32_t code;
  ok(row == OWN ? weft__jacobi_gesdd(u, s, vh, x, info, NULL) : weft__lapack_gesdd(u, s, vh, x, info, NULL));
  integers_download(&code, info);
  ck_assert_int_eq(code, 0);
  matrix values = matrix_download(s);
  ck_assert(fabsl(creall(values.at[0]) - sqrtl(8000)) < 1e-3L);
  for (int k = 1; k < 80; k++) ck_assert(creall(values.at[k]) < 1e-4L);
  free(a.at);
  free(values.at);
  weft_release(&x, &s, &info, &u, &vh);
  harness_count(1);
}
END_TEST

/// Rows of which a GPU's warp has no room for two: several warps rotate a pair.
START_TEST(long_rows_are_rotated)
{
  const int64_t m = 66, n = 1300;
  harness_random random = harness_random_start(601);
  matrix a = matrix_random(&random, WEFT_F32, 1, m, n);
  weft_array *x = matrix_upload(&a, WEFT_F32), *s = matrix_empty(WEFT_F32, WEFT_SHAPE(1, m)),
             *info = matrix_empty(WEFT_I32, WEFT_SHAPE(1)), *u = matrix_empty(WEFT_F32, WEFT_SHAPE(1, m, m)),
             *vh = matrix_empty(WEFT_F32, WEFT_SHAPE(1, m, n));
  ok(weft__jacobi_gesdd(u, s, vh, x, info, NULL));
  matrix values = matrix_download(s), left = matrix_download(u), right = matrix_download(vh),
         turned = matrix_adjoint(&right);
  const double most = 100 * number_epsilon(WEFT_F32), off = matrix_from_orthonormal(&left),
               also_off = matrix_from_orthonormal(&turned);
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < m; j++) *matrix_at(&left, 0, i, j) *= values.at[j];
  matrix product = matrix_multiply(&left, &right);
  const double apart = matrix_distance(&product, &a);
  ck_assert_msg(off < most && also_off < most && apart < 30 * most, "U is off by %g, V by %g, U S V^H by %g", off,
                also_off, apart);
  free(a.at), free(values.at), free(left.at), free(right.at), free(turned.at), free(product.at);
  weft_release(&x, &s, &info, &u, &vh);
  harness_count(1);
}
END_TEST

/// Rows of very different lengths: a rotation that turns the longer one by little turns the shorter one far.
START_TEST(lengths_that_differ)
{
  const weft_dtype dtype = _i ? WEFT_F64 : WEFT_F32;
  const int64_t m = _i ? 6 : 4, n = 64;
  const double shortest = _i ? 1e-14 : 3e-6, slant = _i ? 5e-4 : 4e-3;
  if (!harness_has_dtype(dtype)) return;
  harness_random random = harness_random_start(607);
  for (int trial = 0; trial < 24; trial++) {
    matrix a = matrix_random(&random, dtype, 1, m, n);
    int64_t place[6] = {0}; /* of a row by its length */
    for (int64_t i = 0; i < m; i++) {
      const int64_t other = harness_between(&random, 0, i);
      place[i] = place[other];
      place[other] = i;
    }
    for (int64_t k = 0; k < m * n; k++) {
      const double length = pow(shortest, (double)place[k / n] / (double)(m - 1));
      a.at[k] = length * ((k % n == k / n) + slant * a.at[k]);
    }
    weft_array *x = matrix_upload(&a, dtype), *s = matrix_empty(dtype, WEFT_SHAPE(1, m)),
               *info = matrix_empty(WEFT_I32, WEFT_SHAPE(1)), *u = matrix_empty(dtype, WEFT_SHAPE(1, m, m)),
               *vh = matrix_empty(dtype, WEFT_SHAPE(1, m, n));
    ok(weft__jacobi_gesdd(u, s, vh, x, info, NULL));
    matrix left = matrix_download(u), right = matrix_download(vh), turned = matrix_adjoint(&right);
    const double off = matrix_from_orthonormal(&left), also_off = matrix_from_orthonormal(&turned),
                 most = 16 * number_epsilon(dtype);
    ck_assert_msg(off < most && also_off < most, "%s, trial %d: U is off by %g, V by %g", weft_dtype_name(dtype), trial,
                  off, also_off);
    free(a.at), free(left.at), free(right.at), free(turned.at);
    weft_release(&x, &s, &info, &u, &vh);
    harness_count(1);
  }
}
END_TEST

/// QR of a matrix of ones: the columns of R behind the first are rounding errors of rounding errors, which may
/// underflow. Q is orthogonal even then.
static void check_ones(weft_dtype dtype, int64_t m, int64_t n) {
  matrix a = matrix_make(1, m, n);
  for (int64_t e = 0; e < m * n; e++) a.at[e] = 1;
  weft_array *x = matrix_upload(&a, dtype), *q = NULL, *r = NULL;
  ok(weft_qr(&q, &r, x));
  matrix hq = matrix_download(q), hr = matrix_download(r), product = matrix_multiply(&hq, &hr);
  const double off = matrix_from_orthonormal(&hq), apart = matrix_distance(&product, &a);
  const double most = 1000 * number_epsilon(dtype);
  ck_assert_msg(off < most && apart < most, "%s, %" PRId64 " x %" PRId64 ": Q^H Q is off by %g, Q R by %g",
                weft_dtype_name(dtype), m, n, off, apart);
  free(a.at);
  free(hq.at);
  free(hr.at);
  free(product.at);
  weft_release(&x, &q, &r);
  harness_count(1);
}

START_TEST(reflections_of_ones)
{
  static const weft_dtype dtypes[] = {WEFT_F32, WEFT_F64, WEFT_C64};
  setenv("WEFT_ENGINE", "own", 1);
  for (int k = 0; k < 3; k++) {
    if (!harness_has_dtype(dtypes[k])) continue;
    check_ones(dtypes[k], 14, 13);
    check_ones(dtypes[k], 90, 70);
  }
  unsetenv("WEFT_ENGINE");
}
END_TEST

/// a x = b with a of full rank, and of less, for which the solution is the shortest one.
START_TEST(least_squares_are_least)
{
  const int64_t m = 90, n = 70, rank = _i % 2 ? n : 30;
  harness_random random = harness_random_start(600);
  if (!harness_has_dtype(WEFT_C128)) return;
  setenv("WEFT_ENGINE", _i / 2 ? "lapack" : "own", 1);
  matrix a = matrix_random(&random, WEFT_C128, 1, m, n), b = matrix_random(&random, WEFT_C128, 1, m, 2);
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = rank; j < n; j++) *matrix_at(&a, 0, i, j) = *matrix_at(&a, 0, i, j % rank);
  weft_array *x = matrix_empty(WEFT_C128, WEFT_SHAPE(1, n, 2)), *s = matrix_empty(WEFT_F64, WEFT_SHAPE(1, n)),
             *ranks = matrix_empty(WEFT_I32, WEFT_SHAPE(1)), *info = matrix_empty(WEFT_I32, WEFT_SHAPE(1)),
             *left = matrix_upload(&a, WEFT_C128), *right = matrix_upload(&b, WEFT_C128);
  ok(weft__step_gelsd(&(weft__gelsd){x, s, ranks, info, left, right, 1e-12, true}, NULL));
  unsetenv("WEFT_ENGINE");
  int32_t found;
  integers_download(&found, ranks);
  ck_assert_int_eq(found, (int)rank);
  /* the normal equations hold; equal columns have equal parts of the solution */
  matrix solution = matrix_download(x), rest = matrix_multiply(&a, &solution), turned = matrix_adjoint(&a);
  for (int64_t e = 0; e < m * 2; e++) rest.at[e] -= b.at[e];
  matrix normal = matrix_multiply(&turned, &rest);
  ck_assert(matrix_largest(&normal) < 1e-10);
  for (int64_t j = rank; j < n; j++)
    ck_assert(cabsl(*matrix_at(&solution, 0, j, 0) - *matrix_at(&solution, 0, j % rank, 0)) < 1e-10);
  free(a.at);
  free(b.at);
  free(solution.at);
  free(rest.at);
  free(turned.at);
  free(normal.at);
  weft_release(&x, &s, &ranks, &info, &left, &right);
}
END_TEST

static void check_identity(const weft_array *x) {
  matrix found = matrix_download(x);
  for (int64_t s = 0; s < found.batch; s++)
    for (int64_t i = 0; i < found.m; i++)
      for (int64_t j = 0; j < found.n; j++) ck_assert(*matrix_at(&found, s, i, j) == (i == j));
  free(found.at);
}

/// Matrices without elements, in every step.
START_TEST(empty_matrices)
{
  static const int64_t shapes[][3] = {{0, 5, 5}, {2, 0, 0}, {2, 3, 0}, {2, 0, 3}};
  const int64_t batch = shapes[_i][0], m = shapes[_i][1], n = shapes[_i][2], least = m < n ? m : n;
  weft_array *a = matrix_empty(WEFT_F32, WEFT_SHAPE(batch, m, n)), *info = matrix_empty(WEFT_I32, WEFT_SHAPE(batch)),
             *pivots = matrix_empty(WEFT_I32, WEFT_SHAPE(batch, least)),
             *ranks = matrix_empty(WEFT_I32, WEFT_SHAPE(batch)), *q = matrix_empty(WEFT_F32, WEFT_SHAPE(batch, m, m)),
             *r = matrix_empty(WEFT_F32, WEFT_SHAPE(batch, m, n)),
             *vh = matrix_empty(WEFT_F32, WEFT_SHAPE(batch, n, n)),
             *s = matrix_empty(WEFT_F32, WEFT_SHAPE(batch, least)),
             *x = matrix_empty(WEFT_F32, WEFT_SHAPE(batch, n, 2)), *b = matrix_empty(WEFT_F32, WEFT_SHAPE(batch, m, 2));
  int32_t codes[2] = {0, 0};
  ok(weft__step_getrf(a, pivots, info, NULL));
  ok(weft__step_geqrf(q, r, a, NULL));
  if (batch) check_identity(q);
  ok(weft__step_gesdd(q, s, vh, a, info, NULL));
  ok(weft__step_gelsd(&(weft__gelsd){x, s, ranks, info, a, b, -1, true}, NULL));
  if (m == n) {
    ok(weft__step_potrf(a, info, NULL));
    ok(weft__step_syevd(s, a, true, info, NULL));
    ok(weft__step_getrs(x, a, pivots, NULL));
    ok(weft__step_trsm(x, NULL, a, (weft__triangle){.is_upper = true}, info, NULL));
  }
  integers_download(codes, info);
  ck_assert(codes[0] == 0 && codes[1] == 0);
  if (batch) {
    matrix solution = matrix_download(x);
    ck_assert(matrix_largest(&solution) == 0);
    check_identity(q);
    check_identity(vh);
    free(solution.at);
  }
  weft_release(&a, &info, &pivots, &ranks, &q, &r, &vh, &s, &x, &b);
}
END_TEST

/// Least squares of many rows in a stack, which GPUs reduce block by block: the third column is twice the first one, so
/// of all solutions the one of least norm is wanted. The right-hand sides are the products with it, which the residuals
/// show.
START_TEST(many_rows)
{
  enum { BATCH = 2, M = 1000, N = 3, K = 2 };
  static float a[BATCH][M][N], b[BATCH][M][K];
  float x[BATCH][N][K], values[BATCH][N], residuals[BATCH][K];
  int32_t ranks[BATCH];
  weft_array *left = NULL, *right = NULL, *y = NULL, *rank = NULL, *s = NULL, *residual = NULL;
  if (!harness_has_kernels()) return;
  harness_random random = harness_random_start(1);
  double squares[BATCH] = {0};
  for (int k = 0; k < BATCH * M; k++) {
    float *row = a[k / M][k % M], *to = b[k / M][k % M];
    for (int j = 0; j < 2; j++) row[j] = (float)harness_between(&random, -8, 8);
    row[2] = 2 * row[0];
    for (int j = 0; j < N; j++) squares[k / M] += (double)(row[j] * row[j]);
    to[0] = 5 * row[0] + row[1];
    to[1] = -3 * row[1];
  }
  ok(weft_from_host(&left, ctx, WEFT_F32, WEFT_SHAPE(BATCH, M, N), a));
  ok(weft_from_host(&right, ctx, WEFT_F32, WEFT_SHAPE(BATCH, M, K), b));
  ok(weft_lstsq(&y, left, right, .rank = &rank, .s = &s, .residuals = &residual, .rtol = 1e-5));
  ok(weft_to_host(x, sizeof x, y));
  ok(weft_to_host(ranks, sizeof ranks, rank));
  ok(weft_to_host(values, sizeof values, s));
  ok(weft_to_host(residuals, sizeof residuals, residual));
  for (int k = 0; k < BATCH; k++) {
    const float wanted[N][K] = {{1, 0}, {1, -3}, {2, 0}};
    double sum = 0;
    for (int i = 0; i < N * K; i++) ck_assert_float_eq_tol(x[k][i / K][i % K], wanted[i / K][i % K], 2e-5f);
    for (int i = 0; i < N; i++) sum += (double)(values[k][i] * values[k][i]);
    ck_assert_int_eq(ranks[k], 2);
    ck_assert(values[k][0] >= values[k][1] && values[k][2] < 1e-5f * values[k][0]);
    ck_assert_double_lt(fabs(sum - squares[k]), 1e-5 * squares[k]);
    ck_assert(residuals[k][0] < 1e-4f && residuals[k][1] < 1e-4f);
    harness_count(1);
  }
  weft_release(&left, &right, &y, &rank, &s, &residual);
}
END_TEST

/// Least squares of rows that are reduced first where the singular values are not wanted: of full rank, and with equal
/// columns, where of all solutions the one of least norm is found.
START_TEST(ranks_of_least_squares)
{
  enum { M = 150, N = 40 };
  if (!harness_has_kernels()) return;
  harness_random random = harness_random_start(3);
  for (int equal = 0; equal < 2; equal++) {
    matrix a = matrix_random(&random, WEFT_F64, 2, M, N), b = matrix_random(&random, WEFT_F64, 2, M, 1);
    for (int64_t i = 0; i < M; i++) {
      if (equal) *matrix_at(&a, 1, i, 7) = *matrix_at(&a, 1, i, 3);
      for (int batch = 0; batch < 2; batch++)
        *matrix_at(&b, batch, i, 0) = 3 * *matrix_at(&a, batch, i, 3) + *matrix_at(&a, batch, i, 7);
    }
    weft_array *left = matrix_upload(&a, WEFT_F64), *right = matrix_upload(&b, WEFT_F64), *x = NULL, *rank = NULL;
    int32_t ranks[2];
    ok(weft_lstsq(&x, left, right, .rank = &rank));
    integers_download(ranks, rank);
    ck_assert(ranks[0] == N && ranks[1] == N - equal);
    matrix found = matrix_download(x);
    for (int batch = 0; batch < 2; batch++)
      for (int64_t i = 0; i < N; i++) {
        const bool shares = equal && batch;
        const double wanted = i == 3 ? shares ? 2 : 3 : i == 7 ? shares ? 2 : 1 : 0;
        ck_assert(fabsl(creall(*matrix_at(&found, batch, i, 0)) - wanted) < 1e-10L);
      }
    free(a.at);
    free(b.at);
    free(found.at);
    weft_release(&left, &right, &x, &rank);
    harness_count(1);
  }
}
END_TEST

/// NaN in columns of b does not reach the solutions for other columns, on whichever way they are found.
START_TEST(columns_of_least_squares_stay_apart)
{
  enum { K = 4 };
  static const int64_t sizes[][2] = {{600, 5}, {200, 30}, {50, 7}};
  if (!harness_has_kernels()) return;
  harness_random random = harness_random_start(2);
  for (int c = 0; c < 3; c++) {
    const int64_t m = sizes[c][0], n = sizes[c][1];
    matrix a = matrix_random(&random, WEFT_F32, 1, m, n), b = matrix_random(&random, WEFT_F32, 1, m, K);
    weft_array *left = matrix_upload(&a, WEFT_F32), *right = matrix_upload(&b, WEFT_F32), *clean = NULL, *x = NULL;
    ok(weft_lstsq(&clean, left, right));
    weft_array_release(&right);
    *matrix_at(&b, 0, 7, 1) = NAN;
    *matrix_at(&b, 0, 9, 3) = NAN;
    right = matrix_upload(&b, WEFT_F32);
    ok(weft_lstsq(&x, left, right));
    matrix wanted = matrix_download(clean), found = matrix_download(x);
    for (int64_t i = 0; i < n; i++) {
      for (int j = 0; j < K; j += 2)
        ck_assert(fabsl(creall(*matrix_at(&found, 0, i, j) - *matrix_at(&wanted, 0, i, j))) < 1e-4L);
      for (int j = 1; j < K; j += 2) ck_assert(isnan(creall(*matrix_at(&found, 0, i, j))));
    }
    free(a.at);
    free(b.at);
    free(wanted.at);
    free(found.at);
    weft_release(&left, &right, &clean, &x);
    harness_count(1);
  }
}
END_TEST

/// The inverse of a subnormal number overflows, the quotient of two need not.
START_TEST(subnormal_diagonals_divide)
{
  enum { N = 100 };
  if (!harness_has_dtype(WEFT_F64)) return;
  for (int64_t columns = 2; columns < 40; columns += 35) {
    matrix t = make_identity(1, N), b = matrix_make(1, N, columns);
    *matrix_at(&t, 0, 5, 5) = *matrix_at(&t, 0, 70, 70) = 0x1p-1060;
    *matrix_at(&t, 0, 71, 70) = 0x1p-1060;
    for (int64_t i = 0; i < N; i++)
      for (int64_t j = 0; j < columns; j++)
        *matrix_at(&b, 0, i, j) = i == 5 || i == 70 ? 0x1.8p-1059 : i == 71 ? 3 + 0x1.8p-1059 : 3;
    weft_array *triangle = matrix_upload(&t, WEFT_F64), *x = matrix_upload(&b, WEFT_F64);
    ok(weft__blocked_trsm(x, NULL, triangle, (weft__triangle){0}, NULL));
    matrix found = matrix_download(x);
    for (int64_t i = 0; i < N * columns; i++) ck_assert_ldouble_eq(creall(found.at[i]), 3);
    free(t.at);
    free(b.at);
    free(found.at);
    weft_release(&triangle, &x);
    harness_count(1);
  }
}
END_TEST

/// L and U of whole numbers, and rows exchanged in any way: every order of additions gives their inverse exactly.
START_TEST(inverses_of_whole_numbers)
{
  static const int64_t sizes[] = {2, 65, 128, 150, 261};
  enum { BATCH = 2 };
  harness_random random = {7};
  for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
    const int64_t n = sizes[c];
    const weft_dtype dtype = c % 2 && harness_has_dtype(WEFT_C64) ? WEFT_C64 : WEFT_F32;
    matrix lu = matrix_make(BATCH, n, n), l = matrix_make(BATCH, n, n), u = matrix_make(BATCH, n, n);
    int32_t pivot[BATCH * 261];
    for (int64_t s = 0; s < BATCH; s++)
      for (int64_t i = 0; i < n; i++) {
        pivot[s * n + i] = (int32_t)harness_between(&random, i, n - 1);
        for (int64_t j = 0; j < n; j++) {
          const int64_t drawn = harness_between(&random, 0, 60 + n / 2), sign = drawn % 2 ? 1 : -1;
          const number v = i == j ? sign : drawn < 2 ? (dtype == WEFT_C64 ? sign * I : sign) : 0;
          *matrix_at(&lu, s, i, j) = v;
          *matrix_at(j < i ? &l : &u, s, i, j) = v;
        }
        *matrix_at(&l, s, i, i) = 1;
      }
    matrix a = matrix_multiply(&l, &u);
    for (int64_t s = 0; s < BATCH; s++)
      for (int64_t i = n - 1; i >= 0; i--) /* the exchanges backwards */
        for (int64_t j = 0; j < n; j++) {
          const number kept = *matrix_at(&a, s, i, j);
          *matrix_at(&a, s, i, j) = *matrix_at(&a, s, pivot[s * n + i], j);
          *matrix_at(&a, s, pivot[s * n + i], j) = kept;
        }
    weft_array *factors = matrix_upload(&lu, dtype), *x = matrix_empty(dtype, WEFT_SHAPE(BATCH, n, n)), *pivots = NULL;
    ok(weft_from_host(&pivots, ctx, WEFT_I32, WEFT_SHAPE(BATCH, n), pivot));
    ok(weft__step_getri(x, factors, pivots, NULL));
    matrix found = matrix_download(x), one = matrix_multiply(&a, &found);
    for (int64_t s = 0; s < BATCH; s++)
      for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
          ck_assert_msg(*matrix_at(&one, s, i, j) == (i == j), "side %d: [%d, %d, %d]", (int)n, (int)s, (int)i, (int)j);
    free(lu.at);
    free(l.at);
    free(u.at);
    free(a.at);
    free(found.at);
    free(one.at);
    weft_release(&factors, &x, &pivots);
    harness_count(1);
  }
}
END_TEST

/// Without memory for inverted blocks the columns of the identity are solved for, and nothing is left of the failure.
START_TEST(inverses_without_memory)
{
  enum { N = 150 };
  matrix a = make_identity(1, N);
  int32_t pivot[N];
  for (int i = 0; i < N; i++) pivot[i] = i;
  *matrix_at(&a, 0, 0, N - 1) = 3;
  weft_array *factors = matrix_upload(&a, WEFT_F32), *x = matrix_empty(WEFT_F32, WEFT_SHAPE(1, N, N)), *pivots = NULL;
  ok(weft_from_host(&pivots, ctx, WEFT_I32, WEFT_SHAPE(1, N), pivot));
  ok(weft_memory_set_limit(ctx, 1));
  weft_error_clear();
  ok(weft__step_getri(x, factors, pivots, NULL));
  ck_assert_int_eq(weft_error_last()->status, WEFT_OK);
  ok(weft_memory_set_limit(ctx, 0));
  matrix found = matrix_download(x);
  *matrix_at(&a, 0, 0, N - 1) = -3;
  for (int64_t i = 0; i < N * N; i++) ck_assert(found.at[i] == a.at[i]);
  free(a.at);
  free(found.at);
  weft_release(&factors, &x, &pivots);
}
END_TEST

/// A matrix that one group of a GPU factors needs no memory for groups to tell each other pivots.
START_TEST(many_matrices_take_no_more_memory)
{
  enum { BATCH = 3000, N = 6 };
  matrix a = make_identity(BATCH, N);
  weft_array *x = matrix_upload(&a, WEFT_F32), *info = matrix_empty(WEFT_I32, WEFT_SHAPE(BATCH)),
             *pivots = matrix_empty(WEFT_I32, WEFT_SHAPE(BATCH, N));
  weft_memory_stats before, after;
  ok(weft_memory_get(&before, ctx));
  ok(weft__blocked_getrf(x, pivots, info, NULL));
  ok(weft_memory_get(&after, ctx));
  ck_assert_uint_lt(after.active_bytes - before.active_bytes, 1 << 20);
  harness_count(1);
  free(a.at);
  weft_release(&x, &info, &pivots);
}
END_TEST

/// Systems of small whole numbers and few right-hand sides, whose solutions every order of additions gives exactly. The
/// other triangle is NaN.
START_TEST(triangles_of_whole_numbers)
{
  static const int64_t sizes[][2] = {{65, 1}, {96, 4}, {131, 5}, {256, 8}, {257, 3}, {100, 9}, {513, 2}};
  for (size_t c = 0; c < 2 * sizeof sizes / sizeof *sizes; c++) {
    const int64_t n = sizes[c / 2][0], columns = sizes[c / 2][1];
    const bool is_lower = c % 2, is_unit = c / 2 % 3 == 1;
    float *t = malloc((size_t)(n * n) * sizeof *t), *x = malloc((size_t)(n * columns) * sizeof *x);
    float *b = calloc((size_t)(n * columns), sizeof *b), *found = malloc((size_t)(n * columns) * sizeof *found);
    weft_array *raw[2] = {NULL}, *a[2] = {NULL}, *solution = NULL, *y = NULL;
    for (int64_t i = 0; i < n * columns; i++) x[i] = (float)(i * 7 % 9 - 4);
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < n; j++) {
        const float v = i == j ? (i % 3 == 0 ? -2.0f : 0.5f) : (float)((i * 5 + j * 3) % 3 - 1);
        const bool is_in = is_lower ? j <= i : j >= i;
        t[i * n + j] = is_in && !(is_unit && i == j) ? v : NAN;
        for (int64_t k = 0; k < columns && is_in; k++)
          b[i * columns + k] += (is_unit && i == j ? 1 : v) * x[j * columns + k];
      }
    ok(weft_from_host(&raw[0], ctx, WEFT_F32, WEFT_SHAPE(n, n), t));
    ok(weft_from_host(&raw[1], ctx, WEFT_F32, WEFT_SHAPE(n, columns), b));
    for (int wide = 0; wide < (device.has_fp64 ? 2 : 1); wide++) {
      for (int k = 0; k < 2; k++) ok(weft_cast(&a[k], raw[k], wide ? WEFT_F64 : WEFT_F32));
      ok(weft_solve_triangular(&solution, a[0], a[1], .lower = is_lower, .unit_diagonal = is_unit));
      ok(weft_cast(&y, solution, WEFT_F32));
      ok(weft_to_host(found, (size_t)(n * columns) * sizeof *found, y));
      for (int64_t i = 0; i < n * columns; i++)
        ck_assert_msg(found[i] == x[i], "case %zu, %d: [%d] is %g, not %g", c, wide, (int)i, (double)found[i],
                      (double)x[i]);
      weft_release(&a[0], &a[1], &solution, &y);
    }
    t[40 * n + 40] = -0.0f;
    weft_array_release(&raw[0]);
    ok(weft_from_host(&raw[0], ctx, WEFT_F32, WEFT_SHAPE(n, n), t));
    if (!is_unit)
      expect_error(weft_solve_triangular(&y, raw[0], raw[1], .lower = is_lower), WEFT_ERROR_SINGULAR,
                   "`a` is singular: its element [40,40] is 0", "@a");
    weft_release(&raw[0], &raw[1], &y);
    free(t);
    free(x);
    free(b);
    free(found);
  }
}
END_TEST

static void add_tests(Suite *suite) {
  TCase *edges = harness_context_case(suite, "edges");
  tcase_set_timeout(edges, 120);
  tcase_add_loop_test(edges, failures_are_located, 0, ROWS);
  tcase_add_test(edges, zeros_on_a_diagonal_are_found);
  tcase_add_loop_test(edges, spectra_of_nan, 0, 2 * ROWS);
  tcase_add_loop_test(edges, spectra_of_ones, 0, 2 * ROWS);
  tcase_add_test(edges, long_rows_are_rotated);
  tcase_add_loop_test(edges, lengths_that_differ, 0, 2);
  tcase_add_test(edges, reflections_of_ones);
  tcase_add_loop_test(edges, least_squares_are_least, 0, 4);
  tcase_add_loop_test(edges, empty_matrices, 0, 4);
  tcase_add_test(edges, many_rows);
  tcase_add_test(edges, columns_of_least_squares_stay_apart);
  tcase_add_test(edges, ranks_of_least_squares);
  tcase_add_test(edges, subnormal_diagonals_divide);
  tcase_add_test(edges, triangles_of_whole_numbers);
  tcase_add_test(edges, inverses_of_whole_numbers);
  tcase_add_test(edges, inverses_without_memory);
  tcase_add_test(edges, many_matrices_take_no_more_memory);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "linalg_edges", .add = add_tests});
}
