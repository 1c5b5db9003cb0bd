// SPDX-License-Identifier: MIT
/// Errors of the steps of linear algebra by the condition of the matrix: backward errors do not depend on it, and the
/// error of a solution is at most in proportion to it. WEFT_TEST_ERRORS=1 prints the table of docs/accuracy.md: the
/// greatest error of some matrices, as multiples of epsilon.
///
/// It reads internals, as test_linalg_steps.c does.
#include "matrices.h"
#include "op/linalg/blocked.h"
#include "op/linalg/jacobi.h"
#include "op/linalg/lapack.h"

enum { OWN, LAPACK, ROWS };
enum { SIDE = 100 };

/// a = (a reflected at a random vector) from the left or the right.
static void reflect(matrix *a, harness_random *random, bool from_left) {
  number v[SIDE];
  long double square = 0;
  for (int i = 0; i < SIDE; i++) {
    v[i] = (long double)harness_between(random, -1000, 1000) / 1000;
    square += creall(v[i]) * creall(v[i]);
  }
  for (int j = 0; j < SIDE; j++) {
    number sum = 0;
    for (int i = 0; i < SIDE; i++) sum += v[i] * (from_left ? *matrix_at(a, 0, i, j) : *matrix_at(a, 0, j, i));
    for (int i = 0; i < SIDE; i++)
      *(from_left ? matrix_at(a, 0, i, j) : matrix_at(a, 0, j, i)) -= 2 * sum / square * v[i];
  }
}

/// A matrix whose singular values fall evenly, by their logarithms, from 1 to 1 / condition; `is_positive`: positive
/// definite. Its elements are rounded to the dtype.
static matrix make_conditioned(harness_random *random, weft_dtype dtype, double condition, bool is_positive) {
  matrix a = matrix_make(1, SIDE, SIDE);
  for (int i = 0; i < SIDE; i++) *matrix_at(&a, 0, i, i) = powl(condition, -(long double)i / (SIDE - 1));
  for (int k = 0; k < 4; k++) {
    harness_random again = *random;
    reflect(&a, random, true);
    reflect(&a, is_positive ? &again : random, false);
  }
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++) {
      char bytes[16] = {0};
      number_write(dtype, bytes, is_positive && j > i ? *matrix_at(&a, 0, j, i) : *matrix_at(&a, 0, i, j));
      *matrix_at(&a, 0, i, j) = number_read(dtype, bytes);
    }
  for (int i = 0; i < SIDE && is_positive; i++)
    for (int j = 0; j < i; j++) *matrix_at(&a, 0, i, j) = *matrix_at(&a, 0, j, i);
  return a;
}

/// The square root of the sum of all squares.
static double size_of(const matrix *a) {
  long double sum = 0;
  for (int64_t e = 0; e < a->batch * a->m * a->n; e++) sum += creall(a->at[e] * conjl(a->at[e]));
  return (double)sqrtl(sum);
}
/// The size of a - b in relation to b's, and to epsilon. Frees a.
static double off(matrix a, const matrix *b, weft_dtype dtype) {
  for (int64_t e = 0; e < a.batch * a.m * a.n; e++) a.at[e] -= b->at[e];
  const double d = size_of(&a) / size_of(b) / number_epsilon(dtype);
  free(a.at);
  return d;
}

enum { CHOLESKY, LU, SOLUTION, QR, ORTHONORMAL, EIGENVALUES, SINGULAR_VALUES, ERRORS };
static const char *const error_name[ERRORS] = {"cholesky", "lu",          "solution",       "qr",
                                               "q",        "eigenvalues", "singular values"};

static void keep(double *most, double error) {
  if (!(error <= *most)) *most = error;
}

static void measure_cholesky(double *error, harness_random *random, weft_dtype dtype, double condition, int row) {
  matrix a = make_conditioned(random, dtype, condition, true);
  weft_array *x = matrix_upload(&a, dtype), *info = matrix_empty(WEFT_I32, WEFT_SHAPE(1)),
             *y = matrix_upload(&a, dtype), *w = matrix_empty(dtype, WEFT_SHAPE(1, SIDE));
  ok(row == OWN ? weft__blocked_potrf(x, info, NULL) : weft__lapack_potrf(x, info, NULL));
  matrix l = matrix_download(x), turned = matrix_adjoint(&l);
  keep(&error[CHOLESKY], off(matrix_multiply(&l, &turned), &a, dtype));
  ok(row == OWN ? weft__jacobi_syevd(w, y, true, info, NULL) : weft__lapack_syevd(w, y, true, info, NULL));
  matrix v = matrix_download(y), values = matrix_download(w), left = matrix_multiply(&a, &v);
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++) *matrix_at(&v, 0, i, j) *= *matrix_at(&values, 0, j, 0);
  keep(&error[EIGENVALUES], off(v, &left, dtype));
  free(a.at);
  free(l.at);
  free(turned.at);
  free(values.at);
  free(left.at);
  weft_release(&x, &info, &y, &w);
}

static void measure_solve(double *error, harness_random *random, weft_dtype dtype, double condition, int row) {
  matrix a = make_conditioned(random, dtype, condition, false), exact = matrix_random(random, dtype, 1, SIDE, 1);
  matrix b = matrix_multiply(&a, &exact), l = matrix_make(1, SIDE, SIDE), u = matrix_make(1, SIDE, SIDE);
  weft_array *x = matrix_upload(&a, dtype), *info = matrix_empty(WEFT_I32, WEFT_SHAPE(1)),
             *y = matrix_upload(&b, dtype), *pivots = matrix_empty(WEFT_I32, WEFT_SHAPE(1, SIDE));
  int32_t pivot[SIDE];
  ok(row == OWN ? weft__blocked_getrf(x, pivots, info, NULL) : weft__lapack_getrf(x, pivots, info, NULL));
  setenv("WEFT_ENGINE", row == OWN ? "own" : "lapack", 1);
  ok(weft__step_getrs(y, x, pivots, NULL));
  unsetenv("WEFT_ENGINE");
  keep(&error[SOLUTION], off(matrix_download(y), &exact, dtype) / condition);
  matrix lu = matrix_download(x);
  integers_download(pivot, pivots);
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++) {
      *matrix_at(&l, 0, i, j) = i == j ? 1 : j < i ? *matrix_at(&lu, 0, i, j) : 0;
      *matrix_at(&u, 0, i, j) = j >= i ? *matrix_at(&lu, 0, i, j) : 0;
    }
  matrix product = matrix_multiply(&l, &u);
  for (int i = SIDE - 1; i >= 0; i--) /* the exchanges backwards */
    for (int j = 0; j < SIDE; j++) {
      const number kept = *matrix_at(&product, 0, i, j);
      *matrix_at(&product, 0, i, j) = *matrix_at(&product, 0, pivot[i], j);
      *matrix_at(&product, 0, pivot[i], j) = kept;
    }
  keep(&error[LU], off(product, &a, dtype));
  free(a.at);
  free(exact.at);
  free(b.at);
  free(l.at);
  free(u.at);
  free(lu.at);
  weft_release(&x, &info, &y, &pivots);
}

static void measure_orthogonal(double *error, harness_random *random, weft_dtype dtype, double condition, int row) {
  matrix a = make_conditioned(random, dtype, condition, false);
  weft_array *x = matrix_upload(&a, dtype), *q = matrix_empty(dtype, WEFT_SHAPE(1, SIDE, SIDE)),
             *r = matrix_empty(dtype, WEFT_SHAPE(1, SIDE, SIDE)), *s = matrix_empty(dtype, WEFT_SHAPE(1, SIDE)),
             *info = matrix_empty(WEFT_I32, WEFT_SHAPE(1)), *y = matrix_upload(&a, dtype);
  ok(row == OWN ? weft__blocked_geqrf(q, r, x, NULL) : weft__lapack_geqrf(q, r, x, NULL));
  matrix left = matrix_download(q), right = matrix_download(r);
  keep(&error[QR], off(matrix_multiply(&left, &right), &a, dtype));
  keep(&error[ORTHONORMAL], matrix_from_orthonormal(&left) / number_epsilon(dtype));
  free(left.at);
  free(right.at);
  ok(row == OWN ? weft__jacobi_gesdd(q, s, r, y, info, NULL) : weft__lapack_gesdd(q, s, r, y, info, NULL));
  left = matrix_download(q);
  right = matrix_download(r);
  matrix values = matrix_download(s);
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++) *matrix_at(&right, 0, i, j) *= *matrix_at(&values, 0, i, 0);
  keep(&error[SINGULAR_VALUES], off(matrix_multiply(&left, &right), &a, dtype));
  free(a.at);
  free(left.at);
  free(right.at);
  free(values.at);
  weft_release(&x, &q, &r, &s, &info, &y);
}

START_TEST(errors_by_condition)
{
  static const double conditions[2][3] = {{1e1, 1e3, 1e5}, {1e1, 1e6, 1e12}};
  const weft_dtype dtype = _i / ROWS ? WEFT_F64 : WEFT_F32;
  const int row = _i % ROWS;
  if (!harness_has_dtype(dtype) || (row == LAPACK && !weft__lapack_is_there())) return;
  harness_random random = harness_random_start(700);
  for (int c = 0; c < 3; c++) {
    const double condition = conditions[_i / ROWS][c];
    double error[ERRORS] = {0};
    for (int k = 0; k < (getenv("WEFT_TEST_ERRORS") ? 3 : 1); k++) {
      measure_cholesky(error, &random, dtype, condition, row);
      measure_solve(error, &random, dtype, condition, row);
      measure_orthogonal(error, &random, dtype, condition, row);
    }
    for (int e = 0; e < ERRORS; e++) {
      if (getenv("WEFT_TEST_ERRORS"))
        printf("%s %s, condition %.0e, %s: %.2f\n", weft_dtype_name(dtype), row == OWN ? "own" : "lapack", condition,
               error_name[e], error[e]);
      ck_assert_msg(error[e] <= 40, "%s, %s, row %d, condition %g: %g epsilon", error_name[e], weft_dtype_name(dtype),
                    row, condition, error[e]);
      harness_count(1);
    }
  }
}
END_TEST

static void add_tests(Suite *suite) {
  TCase *conditions = harness_context_case(suite, "conditions");
  tcase_set_timeout(conditions, 120);
  tcase_add_loop_test(conditions, errors_by_condition, 0, 2 * ROWS);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "linalg_condition", .add = add_tests});
}
