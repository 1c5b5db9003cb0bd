// SPDX-License-Identifier: MIT
/// The steps of linear algebra in each of their ways, against plain C: the factors multiplied again, in long double.
///
/// It reads internals (op/linalg/steps.h): this suite runs every way that fits at every size. The error of a result is
/// compared with C * n * epsilon * (the matrix's largest element).
#include "matrices.h"
#include "op/linalg/lapack.h"
#include "op/linalg/lapack_library.h"
#include "op/linalg/steps.h"

static const weft_dtype dtypes[] = {WEFT_F32, WEFT_F64, WEFT_C64, WEFT_C128};
enum { DTYPES = 4, WAYS = 3 };
typedef enum test_way { OWN, SMALL, LAPACK } test_way;

/// Makes the steps of this test take the way, where it fits. Whether this machine has it.
static bool take(test_way way) {
  static const char *const ways[WAYS] = {
      "potrf:blocked,getrf:blocked,getrs:triangles,trsm:blocked,geqrf:blocked,syevd:jacobi,gesdd:jacobi",
      "potrf:small,getrf:small,getrs:small,trsm:small,geqrf:small,syevd:small,gesdd:small",
      "potrf:lapack,getrf:lapack,getrs:lapack,trsm:lapack,geqrf:lapack,syevd:lapack,gesdd:lapack"};
  static const char *const engines[WAYS] = {"own", "own", "lapack"};
  setenv("WEFT_WAY", ways[way], 1);
  weft__ways_read();
  setenv("WEFT_ENGINE", engines[way], 1);
  if (way != LAPACK || weft__lapack_is_there()) return true;
  printf("no LAPACK here: its way is not tested\n");
  return false;
}

/// Whether the way is the one for small matrices, and the side too large for it.
static bool is_too_large(test_way way, int64_t side) {
  return way == SMALL && side > WEFT__SMALL_MATRIX;
}

/// WEFT_TEST_ERRORS=1 prints every error in units of epsilon * n * size.
static void check_error(double error, weft_dtype dtype, int64_t n, double size, const char *what, test_way way) {
  const double unit = number_epsilon(dtype) * (double)n * (size > 0 ? size : 1), bound = 4;
  if (getenv("WEFT_TEST_ERRORS"))
    printf("error %s %s way %d n %" PRId64 ": %.3f\n", what, weft_dtype_name(dtype), (int)way, n, error / unit);
  ck_assert_msg(error <= bound * unit, "%s, %s, way %d, n = %" PRId64 ": error %g, bound %g", what,
                weft_dtype_name(dtype), (int)way, n, error, bound * unit);
  harness_count(1);
}

/* ---- Cholesky ---- */

/// A Hermitian matrix x matrix_adjoint(x) + n: positive definite.
static matrix make_positive(harness_random *random, weft_dtype dtype, int64_t batch, int64_t n) {
  matrix x = matrix_random(random, dtype, batch, n, n), turned = matrix_adjoint(&x), y = matrix_multiply(&x, &turned);
  for (int64_t s = 0; s < batch; s++)
    for (int64_t i = 0; i < n; i++) {
      *matrix_at(&y, s, i, i) += 1;
      for (int64_t j = 0; j < n; j++) { /* as the dtype holds it */
        char bytes[16] = {0};
        number_write(dtype, bytes, *matrix_at(&y, s, i, j));
        *matrix_at(&y, s, i, j) = number_read(dtype, bytes);
      }
    }
  free(x.at);
  free(turned.at);
  return y;
}

static void check_potrf(harness_random *random, weft_dtype dtype, int64_t batch, int64_t n, test_way way) {
  if (is_too_large(way, n)) return;
  matrix a = make_positive(random, dtype, batch, n);
  weft_array *x = matrix_upload(&a, dtype), *info = matrix_empty(WEFT_I32, WEFT_SHAPE(batch));
  ok(weft__step_potrf(x, info, NULL));
  matrix l = matrix_download(x), turned = matrix_adjoint(&l), product = matrix_multiply(&l, &turned);
  int32_t codes[64];
  integers_download(codes, info);
  for (int64_t s = 0; s < batch; s++) {
    ck_assert_int_eq(codes[s], 0);
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = i + 1; j < n; j++) ck_assert(*matrix_at(&l, s, i, j) == 0);
  }
  check_error(matrix_distance(&product, &a), dtype, n, matrix_largest(&a), "cholesky", way);
  free(a.at);
  free(l.at);
  free(turned.at);
  free(product.at);
  weft_release(&x, &info);
}

/* ---- LU and solves ---- */

static void check_getrf(harness_random *random, weft_dtype dtype, int64_t batch, int64_t m, int64_t n, test_way way) {
  if (is_too_large(way, m > n ? m : n)) return;
  const int64_t least = m < n ? m : n, columns = 3;
  matrix a = matrix_random(random, dtype, batch, m, n), l = matrix_make(batch, m, least),
         u = matrix_make(batch, least, n);
  weft_array *x = matrix_upload(&a, dtype), *pivots = matrix_empty(WEFT_I32, WEFT_SHAPE(batch, least)),
             *info = matrix_empty(WEFT_I32, WEFT_SHAPE(batch));
  ok(weft__step_getrf(x, pivots, info, NULL));
  matrix lu = matrix_download(x);
  int32_t *pivot = malloc((size_t)(batch * least) * sizeof *pivot), codes[64];
  integers_download(pivot, pivots);
  integers_download(codes, info);
  matrix moved = matrix_make(batch, m, n);
  memcpy(moved.at, a.at, (size_t)(batch * m * n) * sizeof(number));
  for (int64_t s = 0; s < batch; s++) {
    ck_assert_int_eq(codes[s], 0);
    for (int64_t i = 0; i < m; i++)
      for (int64_t j = 0; j < n; j++) {
        const number value = *matrix_at(&lu, s, i, j);
        if (j < i && j < least) *matrix_at(&l, s, i, j) = value;
        if (j >= i && i < least) *matrix_at(&u, s, i, j) = value;
        /* LAPACK's size of a complex number is |re| + |im| */
        if (j < i) ck_assert(fabsl(creall(value)) <= 1.5L && fabsl(cimagl(value)) <= 1.5L);
      }
    for (int64_t i = 0; i < least; i++) {
      *matrix_at(&l, s, i, i) = 1;
      const int64_t p = pivot[s * least + i];
      ck_assert(p >= i && p < m);
      for (int64_t j = 0; j < n; j++) {
        const number kept = *matrix_at(&moved, s, i, j);
        *matrix_at(&moved, s, i, j) = *matrix_at(&moved, s, p, j);
        *matrix_at(&moved, s, p, j) = kept;
      }
    }
  }
  matrix product = matrix_multiply(&l, &u);
  check_error(matrix_distance(&product, &moved), dtype, least, matrix_largest(&a) * 2, "lu", way);
  if (m == n) { /* a x = b, by the residual */
    matrix b = matrix_random(random, dtype, batch, n, columns);
    weft_array *y = matrix_upload(&b, dtype);
    ok(weft__step_getrs(y, x, pivots, NULL));
    matrix solution = matrix_download(y), back = matrix_multiply(&a, &solution);
    check_error(matrix_distance(&back, &b), dtype, n, matrix_largest(&a) * matrix_largest(&solution) * 2, "solve", way);
    free(b.at);
    free(solution.at);
    free(back.at);
    weft_array_release(&y);
  }
  free(a.at);
  free(l.at);
  free(u.at);
  free(lu.at);
  free(moved.at);
  free(product.at);
  free(pivot);
  weft_release(&x, &pivots, &info);
}

/// op(T) X = B for every kind of triangle, with junk outside of it.
static void check_trsm(harness_random *random, weft_dtype dtype, int64_t batch, int64_t n, int64_t columns,
                       test_way way) {
  if (is_too_large(way, n)) return;
  for (int kind = 0; kind < 16; kind++) {
    const weft__triangle triangle = {kind & 1, kind & 2, kind & 4, kind & 8};
    matrix t = matrix_random(random, dtype, batch, n, n), b = matrix_random(random, dtype, batch, n, columns),
           whole = matrix_make(batch, n, n);
    for (int64_t s = 0; s < batch; s++)
      for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
          number *at = matrix_at(&t, s, i, j);
          if (i == j) *at = triangle.is_unit ? NAN : *at + 4;
          if (i != j) *at = (triangle.is_upper ? j > i : j < i) ? *at / n : (number)NAN;
          char bytes[16] = {0};
          number_write(dtype, bytes, *at);
          number value = number_read(dtype, bytes);
          if (i == j && triangle.is_unit) value = 1;
          if (i != j && !(triangle.is_upper ? j > i : j < i)) value = 0;
          if (triangle.conjugates) value = conjl(value);
          *(triangle.transposes ? matrix_at(&whole, s, j, i) : matrix_at(&whole, s, i, j)) = value;
        }
    weft_array *x = matrix_upload(&t, dtype), *y = matrix_upload(&b, dtype);
    ok(weft__step_trsm(y, NULL, x, triangle, NULL, NULL));
    matrix solution = matrix_download(y), back = matrix_multiply(&whole, &solution);
    check_error(matrix_distance(&back, &b), dtype, n, matrix_largest(&whole) * matrix_largest(&solution),
                "triangular solve", way);
    free(t.at);
    free(b.at);
    free(whole.at);
    free(solution.at);
    free(back.at);
    weft_release(&x, &y);
  }
}

/* ---- QR ---- */

static void check_geqrf(harness_random *random, weft_dtype dtype, int64_t batch, int64_t m, int64_t n, bool is_full,
                        test_way way) {
  if (is_too_large(way, m > n ? m : n)) return;
  const int64_t least = m < n ? m : n, k = is_full ? m : least;
  matrix a = matrix_random(random, dtype, batch, m, n);
  weft_array *x = matrix_upload(&a, dtype), *q = matrix_empty(dtype, WEFT_SHAPE(batch, m, k)),
             *r = matrix_empty(dtype, WEFT_SHAPE(batch, k, n));
  ok(weft__step_geqrf(q, r, x, NULL));
  matrix left = matrix_download(q), right = matrix_download(r), product = matrix_multiply(&left, &right);
  for (int64_t s = 0; s < batch; s++)
    for (int64_t i = 0; i < k; i++)
      for (int64_t j = 0; j < i && j < n; j++) ck_assert(*matrix_at(&right, s, i, j) == 0);
  check_error(matrix_distance(&product, &a), dtype, m, matrix_largest(&a) * 2, "qr", way);
  check_error(matrix_from_orthonormal(&left), dtype, m, 2, "q", way);
  free(a.at);
  free(left.at);
  free(right.at);
  free(product.at);
  weft_release(&x, &q, &r);
}

/* ---- eigenvalues and singular values ---- */

static void check_syevd(harness_random *random, weft_dtype dtype, int64_t batch, int64_t n, test_way way) {
  if (is_too_large(way, n)) return;
  matrix x = matrix_random(random, dtype, batch, n, n), a = matrix_make(batch, n, n);
  for (int64_t s = 0; s < batch; s++)
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j <= i; j++) {
        number value = *matrix_at(&x, s, i, j);
        if (i == j) value = *matrix_at(&x, s, i, i) = creall(value);
        *matrix_at(&a, s, i, j) = value;
        *matrix_at(&a, s, j, i) = conjl(value);
        if (i != j) *matrix_at(&x, s, j, i) = NAN; /* not read */
      }
  weft_array *vectors = matrix_upload(&x, dtype), *w = matrix_empty(number_real(dtype), WEFT_SHAPE(batch, n)),
             *info = matrix_empty(WEFT_I32, WEFT_SHAPE(batch)), *alone = matrix_upload(&x, dtype),
             *w_alone = matrix_empty(number_real(dtype), WEFT_SHAPE(batch, n));
  ok(weft__step_syevd(w, vectors, true, info, NULL));
  ok(weft__step_syevd(w_alone, alone, false, info, NULL));
  matrix v = matrix_download(vectors), values = matrix_download(w), values_alone = matrix_download(w_alone),
         left = matrix_multiply(&a, &v);
  int32_t codes[64];
  integers_download(codes, info);
  for (int64_t s = 0; s < batch; s++) {
    ck_assert_int_eq(codes[s], 0);
    for (int64_t j = 1; j < n; j++)
      ck_assert(creall(*matrix_at(&values, s, j, 0)) >= creall(*matrix_at(&values, s, j - 1, 0)));
  }
  check_error(matrix_from_orthonormal(&v), dtype, n, 2, "eigenvectors", way);
  for (int64_t s = 0; s < batch; s++)
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < n; j++) *matrix_at(&v, s, i, j) *= *matrix_at(&values, s, j, 0);
  check_error(matrix_distance(&left, &v), dtype, n, matrix_largest(&a) * 4, "eigenvalues", way);
  check_error(matrix_distance(&values, &values_alone), dtype, n, matrix_largest(&a) * 4, "eigenvalues alone", way);
  free(x.at);
  free(a.at);
  free(v.at);
  free(values.at);
  free(values_alone.at);
  free(left.at);
  weft_release(&vectors, &w, &info, &alone, &w_alone);
}

/// With `rank` the last singular values are 0.
static void check_gesdd(harness_random *random, weft_dtype dtype, int64_t batch, int64_t m, int64_t n, int64_t rank,
                        bool is_full, test_way way) {
  if (is_too_large(way, m > n ? m : n)) return;
  const int64_t least = m < n ? m : n;
  matrix a = matrix_random(random, dtype, batch, m, n);
  for (int64_t s = 0; s < batch; s++) /* rows and columns beyond the rank repeat earlier ones */
    for (int64_t i = 0; i < m; i++)
      for (int64_t j = 0; j < n; j++)
        *matrix_at(&a, s, i, j) = *matrix_at(&a, s, m >= n ? i : i % rank, m >= n ? j % rank : j);
  weft_array *x = matrix_upload(&a, dtype), *y = matrix_upload(&a, dtype),
             *u = matrix_empty(dtype, WEFT_SHAPE(batch, m, is_full ? m : least)),
             *vh = matrix_empty(dtype, WEFT_SHAPE(batch, is_full ? n : least, n)),
             *s = matrix_empty(number_real(dtype), WEFT_SHAPE(batch, least)),
             *info = matrix_empty(WEFT_I32, WEFT_SHAPE(batch)),
             *alone = matrix_empty(number_real(dtype), WEFT_SHAPE(batch, least));
  ok(weft__step_gesdd(u, s, vh, x, info, NULL));
  ok(weft__step_gesdd(NULL, alone, NULL, y, info, NULL));
  matrix left = matrix_download(u), right = matrix_download(vh), values = matrix_download(s),
         values_alone = matrix_download(alone), turned = matrix_adjoint(&right);
  int32_t codes[64];
  integers_download(codes, info);
  check_error(matrix_from_orthonormal(&left), dtype, m > n ? m : n, 2, "u", way);
  check_error(matrix_from_orthonormal(&turned), dtype, m > n ? m : n, 2, "vh", way);
  check_error(matrix_distance(&values, &values_alone), dtype, m > n ? m : n, matrix_largest(&values),
              "singular values alone", way);
  matrix product = matrix_make(batch, m, n);
  for (int64_t b = 0; b < batch; b++) {
    ck_assert_int_eq(codes[b], 0);
    for (int64_t j = 1; j < least; j++) {
      ck_assert(creall(*matrix_at(&values, b, j, 0)) <= creall(*matrix_at(&values, b, j - 1, 0)));
      ck_assert(creall(*matrix_at(&values, b, j, 0)) >= 0);
    }
    for (int64_t i = 0; i < m; i++)
      for (int64_t k = 0; k < least; k++)
        for (int64_t j = 0; j < n; j++)
          *matrix_at(&product, b, i, j) +=
              *matrix_at(&left, b, i, k) * *matrix_at(&values, b, k, 0) * *matrix_at(&right, b, k, j);
  }
  check_error(matrix_distance(&product, &a), dtype, m > n ? m : n, matrix_largest(&a) * 4, "svd", way);
  free(a.at);
  free(left.at);
  free(right.at);
  free(values.at);
  free(values_alone.at);
  free(turned.at);
  free(product.at);
  weft_release(&x, &y, &u, &vh, &s, &info, &alone);
}

/* ---- tests ---- */

/// Sides around the sides of blocks.
static const int64_t sides[] = {1, 2, 31, 33, 64, 65, 129};
enum { SIDES = sizeof sides / sizeof *sides };

START_TEST(cholesky_multiplies_back)
{
  const weft_dtype dtype = dtypes[_i / WAYS];
  const test_way way = _i % WAYS;
  harness_random random = harness_random_start((uint64_t)_i);
  if (!harness_has_dtype(dtype) || !take(way)) return;
  for (int k = 0; k < SIDES; k++) check_potrf(&random, dtype, k % 3 + 1, sides[k], way);
}
END_TEST

START_TEST(lu_multiplies_back)
{
  const weft_dtype dtype = dtypes[_i / WAYS];
  const test_way way = _i % WAYS;
  harness_random random = harness_random_start((uint64_t)_i + 100);
  if (!harness_has_dtype(dtype) || !take(way)) return;
  for (int k = 0; k < SIDES; k++) {
    check_getrf(&random, dtype, k % 3 + 1, sides[k], sides[k], way);
    check_getrf(&random, dtype, k % 2 + 1, sides[k], sides[(k + 3) % SIDES], way);
  }
}
END_TEST

START_TEST(triangles_are_solved)
{
  const weft_dtype dtype = dtypes[_i / WAYS];
  const test_way way = _i % WAYS;
  harness_random random = harness_random_start((uint64_t)_i + 200);
  if (!harness_has_dtype(dtype) || !take(way)) return;
  for (int k = 0; k < SIDES; k += 3) check_trsm(&random, dtype, k % 3 + 1, sides[k], k % 5 * 20 + 1, way);
  check_trsm(&random, dtype, 1, 130, 20, way);
}
END_TEST

START_TEST(qr_multiplies_back)
{
  const weft_dtype dtype = dtypes[_i / WAYS];
  const test_way way = _i % WAYS;
  harness_random random = harness_random_start((uint64_t)_i + 300);
  if (!harness_has_dtype(dtype) || !take(way)) return;
  for (int k = 0; k < SIDES; k++) {
    check_geqrf(&random, dtype, k % 3 + 1, sides[k], sides[k], false, way);
    check_geqrf(&random, dtype, k % 2 + 1, sides[k], sides[(k + 4) % SIDES], k % 2, way);
  }
}
END_TEST

START_TEST(eigenvalues_are_right)
{
  static const int64_t some[] = {1, 2, 5, 33, 70};
  const weft_dtype dtype = dtypes[_i / WAYS];
  const test_way way = _i % WAYS;
  harness_random random = harness_random_start((uint64_t)_i + 400);
  if (!harness_has_dtype(dtype) || !take(way)) return;
  for (int k = 0; k < 5; k++) check_syevd(&random, dtype, k % 3 + 1, some[k], way);
}
END_TEST

START_TEST(singular_values_are_right)
{
  const weft_dtype dtype = dtypes[_i / WAYS];
  const test_way way = _i % WAYS;
  harness_random random = harness_random_start((uint64_t)_i + 500);
  if (!harness_has_dtype(dtype) || !take(way)) return;
  check_gesdd(&random, dtype, 3, 1, 1, 1, false, way);
  check_gesdd(&random, dtype, 2, 40, 33, 33, false, way);
  check_gesdd(&random, dtype, 1, 33, 70, 33, false, way);
  check_gesdd(&random, dtype, 2, 20, 12, 12, true, way);
  check_gesdd(&random, dtype, 2, 12, 20, 12, true, way);
  check_gesdd(&random, dtype, 2, 20, 12, 5, false, way); /* not of full rank */
  check_gesdd(&random, dtype, 2, 12, 20, 5, true, way);
}
END_TEST

/* ---- OpenBLAS's threads ---- */

/// What stands in for OpenBLAS's number of threads.
static struct stand_in {
  int kind, threads, changes, least;
} blas;

static int fake_parallel(void) {
  return blas.kind;
}
static int fake_get(void) {
  return blas.threads;
}
static void fake_set(int threads) {
  blas.threads = threads;
  blas.changes++;
  if (threads < blas.least) blas.least = threads;
}
/// As fake_set, in a program whose other thread sets another number at once.
static void set_beside_another(int threads) {
  fake_set(threads);
  blas.threads = 5;
}

/// LAPACK's number of threads is one for small matrices, and afterwards what it was, or what the program set meanwhile;
/// with OpenMP (kind 2) it is left alone.
START_TEST(threads_of_openblas)
{
  static const struct {
    int kind, side;
    void (*set)(int);
    int changes, least, threads;
  } cases[] = {{1, 40, fake_set, 2, 1, 4},
               {1, 70, fake_set, 0, 4, 4},
               {2, 40, fake_set, 0, 4, 4},
               {1, 40, set_beside_another, 1, 1, 5}};
  if (!take(LAPACK)) return;
  const weft__lapack_functions kept = weft__lapack;
  weft__lapack.get_parallel = fake_parallel;
  weft__lapack.get_threads = fake_get;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    harness_random random = harness_random_start(8);
    matrix a = make_positive(&random, WEFT_F32, 2, cases[k].side);
    weft_array *x = matrix_upload(&a, WEFT_F32), *info = matrix_empty(WEFT_I32, WEFT_SHAPE(2));
    weft__lapack.set_threads = cases[k].set;
    blas = (struct stand_in){.kind = cases[k].kind, .threads = 4, .least = 4};
    ok(weft__lapack_potrf(x, info, NULL));
    ck_assert_int_eq(blas.changes, cases[k].changes);
    ck_assert_int_eq(blas.least, cases[k].least);
    ck_assert_int_eq(blas.threads, cases[k].threads);
    free(a.at);
    weft_release(&x, &info);
    harness_count(1);
  }
  weft__lapack = kept;
}
END_TEST

static void add_tests(Suite *suite) {
  TCase *factors = harness_context_case(suite, "factors");
  tcase_set_timeout(factors, 120);
  tcase_add_test(factors, threads_of_openblas);
  tcase_add_loop_test(factors, cholesky_multiplies_back, 0, DTYPES *WAYS);
  tcase_add_loop_test(factors, lu_multiplies_back, 0, DTYPES *WAYS);
  tcase_add_loop_test(factors, triangles_are_solved, 0, DTYPES *WAYS);
  tcase_add_loop_test(factors, qr_multiplies_back, 0, DTYPES *WAYS);
  TCase *spectra = harness_context_case(suite, "spectra");
  tcase_set_timeout(spectra, 120);
  tcase_add_loop_test(spectra, eigenvalues_are_right, 0, DTYPES *WAYS);
  tcase_add_loop_test(spectra, singular_values_are_right, 0, DTYPES *WAYS);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "linalg_steps", .add = add_tests});
}
