// SPDX-License-Identifier: MIT
/// The steps of linear algebra in each of their rows, against plain C: the factors multiplied again, in long double.
///
/// It reads internals (op/linalg/steps.h): the public functions choose a row by size and device, and this suite runs
/// every row at every size. The error of a result is compared with C * n * epsilon * (the matrix's largest element).
#include <complex.h>
#include <float.h>

#include "harness.h"
#include "op/linalg/blocked.h"
#include "op/linalg/jacobi.h"
#include "op/linalg/lapack.h"
#include "op/linalg/steps.h"

typedef long double complex number;

static const weft_dtype dtypes[] = {WEFT_F32, WEFT_F64, WEFT_C64, WEFT_C128};
enum { DTYPES = 4, ROWS = 2 };
typedef enum test_row { OWN, LAPACK } test_row;

static double epsilon_of(weft_dtype dtype) {
  return dtype == WEFT_F32 || dtype == WEFT_C64 ? (double)FLT_EPSILON : DBL_EPSILON;
}
static weft_dtype real_of(weft_dtype dtype) {
  return dtype == WEFT_F32 || dtype == WEFT_C64 ? WEFT_F32 : WEFT_F64;
}

/// Whether this machine has the row.
static bool has_row(test_row row) {
  if (row == OWN) return true;
  static bool said;
  if (!weft__lapack_is_there() && !said) printf("no LAPACK here: its row is not tested\n");
  said = true;
  return weft__lapack_is_there();
}

/* ---- matrices ---- */

/// [batch, m, n], row-major.
typedef struct matrix {
  int64_t batch, m, n;
  number *at;
} matrix;

static matrix make(int64_t batch, int64_t m, int64_t n) {
  return (matrix){batch, m, n, calloc((size_t)(batch * m * n) + 1, sizeof(number))};
}
static number *element(const matrix *x, int64_t b, int64_t i, int64_t j) {
  return x->at + (b * x->m + i) * x->n + j;
}

static double part(harness_random *random) {
  return (double)harness_between(random, -1000000, 1000000) / 1000000;
}

/// Random elements that every dtype holds exactly enough: the conversion to f32 is made here.
static matrix make_random(harness_random *random, weft_dtype dtype, int64_t batch, int64_t m, int64_t n) {
  matrix x = make(batch, m, n);
  const bool is_complex = weft_dtype_kind(dtype) == 'c', is_single = real_of(dtype) == WEFT_F32;
  for (int64_t e = 0; e < batch * m * n; e++) {
    const double re = part(random), im = is_complex ? part(random) : 0;
    x.at[e] = is_single ? (long double)(float)re + (long double)(float)im * I : (long double)re + (long double)im * I;
  }
  return x;
}

static void write_one(weft_dtype dtype, void *to, number value) {
  if (dtype == WEFT_F32) *(float *)to = (float)creall(value);
  if (dtype == WEFT_F64) *(double *)to = (double)creall(value);
  if (dtype == WEFT_C64) ((float *)to)[0] = (float)creall(value), ((float *)to)[1] = (float)cimagl(value);
  if (dtype == WEFT_C128) ((double *)to)[0] = (double)creall(value), ((double *)to)[1] = (double)cimagl(value);
}
static number read_one(weft_dtype dtype, const void *from) {
  if (dtype == WEFT_F32) return *(const float *)from;
  if (dtype == WEFT_F64) return *(const double *)from;
  if (dtype == WEFT_C64) return ((const float *)from)[0] + ((const float *)from)[1] * (number)I;
  return ((const double *)from)[0] + ((const double *)from)[1] * (number)I;
}

static weft_array *upload(const matrix *x, weft_dtype dtype) {
  const size_t size = weft_dtype_size_bytes(dtype);
  const int64_t count = x->batch * x->m * x->n;
  char *bytes = malloc((size_t)count * size + 1);
  weft_array *array = NULL;
  for (int64_t e = 0; e < count; e++) write_one(dtype, bytes + (size_t)e * size, x->at[e]);
  ok(weft_from_host(&array, ctx, dtype, WEFT_SHAPE(x->batch, x->m, x->n), bytes));
  free(bytes);
  return array;
}
static weft_array *empty(weft_dtype dtype, weft_shape shape) {
  weft_array *array = NULL;
  ok(weft_full(&array, ctx, dtype, shape, 77));
  return array;
}
/// An array of 2 or 3 axes; of 2, n is 1.
static matrix download(const weft_array *array) {
  matrix x = make(array->shape[0], array->shape[1], array->ndim > 2 ? array->shape[2] : 1);
  const size_t size = weft_dtype_size_bytes(array->dtype);
  char *bytes = malloc((size_t)array->size * size + 1);
  ok(weft_to_host(bytes, (uint64_t)array->size * size, array));
  for (int64_t e = 0; e < array->size; e++) x.at[e] = read_one(array->dtype, bytes + (size_t)e * size);
  free(bytes);
  return x;
}
static void download_integers(int32_t *to, const weft_array *array) {
  ok(weft_to_host(to, (uint64_t)array->size * 4, array));
}

static matrix multiply(const matrix *a, const matrix *b) {
  matrix y = make(a->batch, a->m, b->n);
  for (int64_t s = 0; s < a->batch; s++)
    for (int64_t i = 0; i < a->m; i++)
      for (int64_t k = 0; k < a->n; k++) {
        const number left = *element(a, s, i, k);
        for (int64_t j = 0; j < b->n; j++) *element(&y, s, i, j) += left * *element(b, s, k, j);
      }
  return y;
}
static matrix adjoint(const matrix *a) {
  matrix y = make(a->batch, a->n, a->m);
  for (int64_t s = 0; s < a->batch; s++)
    for (int64_t i = 0; i < a->m; i++)
      for (int64_t j = 0; j < a->n; j++) *element(&y, s, j, i) = conjl(*element(a, s, i, j));
  return y;
}

/// The largest difference; NaN counts as infinite.
static double distance(const matrix *a, const matrix *b) {
  double most = 0;
  ck_assert_int_eq(a->batch * a->m * a->n, b->batch * b->m * b->n);
  for (int64_t e = 0; e < a->batch * a->m * a->n; e++) {
    const double d = (double)cabsl(a->at[e] - b->at[e]);
    if (!(d <= most)) most = d == d ? d : INFINITY;
  }
  return most;
}
static double largest(const matrix *a) {
  double most = 0;
  for (int64_t e = 0; e < a->batch * a->m * a->n; e++) most = fmax(most, (double)cabsl(a->at[e]));
  return most;
}
/// The distance of adjoint(q) q from the identity.
static double from_orthonormal(const matrix *q) {
  matrix turned = adjoint(q), product = multiply(&turned, q), one = make(q->batch, q->n, q->n);
  for (int64_t s = 0; s < q->batch; s++)
    for (int64_t i = 0; i < q->n; i++) *element(&one, s, i, i) = 1;
  const double d = distance(&product, &one);
  free(turned.at);
  free(product.at);
  free(one.at);
  return d;
}

/// Errors in units of epsilon * sqrt(n) * size, the worst of each step: printed at the end of a test.
static double worst;
static void check_error(double error, weft_dtype dtype, int64_t n, double size, const char *what, test_row row) {
  const double unit = epsilon_of(dtype) * (double)n * (size > 0 ? size : 1), bound = 4;
  worst = fmax(worst, error / unit);
  ck_assert_msg(error <= bound * unit, "%s, %s, row %d, n = %" PRId64 ": error %g, bound %g", what,
                weft_dtype_name(dtype), (int)row, n, error, bound * unit);
  harness_count(1);
}

/* ---- Cholesky ---- */

/// A Hermitian matrix x adjoint(x) + n: positive definite.
static matrix make_positive(harness_random *random, weft_dtype dtype, int64_t batch, int64_t n) {
  matrix x = make_random(random, dtype, batch, n, n), turned = adjoint(&x), y = multiply(&x, &turned);
  for (int64_t s = 0; s < batch; s++)
    for (int64_t i = 0; i < n; i++) {
      *element(&y, s, i, i) += 1;
      for (int64_t j = 0; j < n; j++) { /* as the dtype holds it */
        char bytes[16] = {0};
        write_one(dtype, bytes, *element(&y, s, i, j));
        *element(&y, s, i, j) = read_one(dtype, bytes);
      }
    }
  free(x.at);
  free(turned.at);
  return y;
}

static void check_potrf(harness_random *random, weft_dtype dtype, int64_t batch, int64_t n, test_row row) {
  matrix a = make_positive(random, dtype, batch, n);
  weft_array *x = upload(&a, dtype), *info = empty(WEFT_I32, WEFT_SHAPE(batch));
  /* the upper triangle is not read */
  for (int64_t s = 0; s < batch && n > 1; s++) *element(&a, s, 0, n - 1) = *element(&a, s, 0, n - 1);
  ok(row == OWN ? weft__blocked_potrf(x, info, NULL) : weft__lapack_potrf(x, info, NULL));
  matrix l = download(x), turned = adjoint(&l), product = multiply(&l, &turned);
  int32_t codes[64];
  download_integers(codes, info);
  for (int64_t s = 0; s < batch; s++) {
    ck_assert_int_eq(codes[s], 0);
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = i + 1; j < n; j++) ck_assert(*element(&l, s, i, j) == 0);
  }
  check_error(distance(&product, &a), dtype, n, largest(&a), "cholesky", row);
  free(a.at);
  free(l.at);
  free(turned.at);
  free(product.at);
  weft_release(&x, &info);
}

/* ---- LU and solves ---- */

static void check_getrf(harness_random *random, weft_dtype dtype, int64_t batch, int64_t m, int64_t n, test_row row) {
  const int64_t least = m < n ? m : n, columns = 3;
  matrix a = make_random(random, dtype, batch, m, n), l = make(batch, m, least), u = make(batch, least, n);
  weft_array *x = upload(&a, dtype), *pivots = empty(WEFT_I32, WEFT_SHAPE(batch, least)),
             *info = empty(WEFT_I32, WEFT_SHAPE(batch));
  ok(row == OWN ? weft__blocked_getrf(x, pivots, info, NULL) : weft__lapack_getrf(x, pivots, info, NULL));
  matrix lu = download(x);
  int32_t *pivot = malloc((size_t)(batch * least) * sizeof *pivot), codes[64];
  download_integers(pivot, pivots);
  download_integers(codes, info);
  matrix moved = make(batch, m, n);
  memcpy(moved.at, a.at, (size_t)(batch * m * n) * sizeof(number));
  for (int64_t s = 0; s < batch; s++) {
    ck_assert_int_eq(codes[s], 0);
    for (int64_t i = 0; i < m; i++)
      for (int64_t j = 0; j < n; j++) {
        const number value = *element(&lu, s, i, j);
        if (j < i && j < least) *element(&l, s, i, j) = value;
        if (j >= i && i < least) *element(&u, s, i, j) = value;
        /* LAPACK's size of a complex number is |re| + |im| */
        if (j < i) ck_assert(fabsl(creall(value)) <= 1.5L && fabsl(cimagl(value)) <= 1.5L);
      }
    for (int64_t i = 0; i < least; i++) {
      *element(&l, s, i, i) = 1;
      const int64_t p = pivot[s * least + i];
      ck_assert(p >= i && p < m);
      for (int64_t j = 0; j < n; j++) {
        const number kept = *element(&moved, s, i, j);
        *element(&moved, s, i, j) = *element(&moved, s, p, j);
        *element(&moved, s, p, j) = kept;
      }
    }
  }
  matrix product = multiply(&l, &u);
  check_error(distance(&product, &moved), dtype, least, largest(&a) * 2, "lu", row);
  if (m == n) { /* a x = b, by the residual */
    matrix b = make_random(random, dtype, batch, n, columns);
    weft_array *y = upload(&b, dtype);
    setenv("WEFT_ENGINE", row == OWN ? "own" : "lapack", 1);
    ok(weft__step_getrs(y, x, pivots, NULL));
    unsetenv("WEFT_ENGINE");
    matrix solution = download(y), back = multiply(&a, &solution);
    check_error(distance(&back, &b), dtype, n, largest(&a) * largest(&solution) * 2, "solve", row);
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
                       test_row row) {
  for (int kind = 0; kind < 16; kind++) {
    const weft__triangle triangle = {kind & 1, kind & 2, kind & 4, kind & 8};
    matrix t = make_random(random, dtype, batch, n, n), b = make_random(random, dtype, batch, n, columns),
           whole = make(batch, n, n);
    for (int64_t s = 0; s < batch; s++)
      for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
          number *at = element(&t, s, i, j);
          if (i == j) *at = triangle.is_unit ? NAN : *at + 4;
          if (i != j) *at = (triangle.is_upper ? j > i : j < i) ? *at / n : (number)NAN;
          char bytes[16] = {0};
          write_one(dtype, bytes, *at);
          number value = read_one(dtype, bytes);
          if (i == j && triangle.is_unit) value = 1;
          if (i != j && !(triangle.is_upper ? j > i : j < i)) value = 0;
          if (triangle.conjugates) value = conjl(value);
          *(triangle.transposes ? element(&whole, s, j, i) : element(&whole, s, i, j)) = value;
        }
    weft_array *x = upload(&t, dtype), *y = upload(&b, dtype);
    ok(row == OWN ? weft__blocked_trsm(y, x, triangle, NULL) : weft__lapack_trsm(y, x, triangle, NULL));
    matrix solution = download(y), back = multiply(&whole, &solution);
    check_error(distance(&back, &b), dtype, n, largest(&whole) * largest(&solution), "triangular solve", row);
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
                        test_row row) {
  const int64_t least = m < n ? m : n, k = is_full ? m : least;
  matrix a = make_random(random, dtype, batch, m, n);
  weft_array *x = upload(&a, dtype), *q = empty(dtype, WEFT_SHAPE(batch, m, k)),
             *r = empty(dtype, WEFT_SHAPE(batch, k, n));
  ok(row == OWN ? weft__blocked_geqrf(q, r, x, NULL) : weft__lapack_geqrf(q, r, x, NULL));
  matrix left = download(q), right = download(r), product = multiply(&left, &right);
  for (int64_t s = 0; s < batch; s++)
    for (int64_t i = 0; i < k; i++)
      for (int64_t j = 0; j < i && j < n; j++) ck_assert(*element(&right, s, i, j) == 0);
  check_error(distance(&product, &a), dtype, m, largest(&a) * 2, "qr", row);
  check_error(from_orthonormal(&left), dtype, m, 2, "q", row);
  free(a.at);
  free(left.at);
  free(right.at);
  free(product.at);
  weft_release(&x, &q, &r);
}

/* ---- eigenvalues and singular values ---- */

static void check_syevd(harness_random *random, weft_dtype dtype, int64_t batch, int64_t n, test_row row) {
  matrix x = make_random(random, dtype, batch, n, n), a = make(batch, n, n);
  for (int64_t s = 0; s < batch; s++)
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j <= i; j++) {
        number value = *element(&x, s, i, j);
        if (i == j) value = *element(&x, s, i, i) = creall(value);
        *element(&a, s, i, j) = value;
        *element(&a, s, j, i) = conjl(value);
        if (i != j) *element(&x, s, j, i) = NAN; /* not read */
      }
  weft_array *vectors = upload(&x, dtype), *w = empty(real_of(dtype), WEFT_SHAPE(batch, n)),
             *info = empty(WEFT_I32, WEFT_SHAPE(batch)), *alone = upload(&x, dtype),
             *w_alone = empty(real_of(dtype), WEFT_SHAPE(batch, n));
  ok(row == OWN ? weft__jacobi_syevd(w, vectors, true, info, NULL) : weft__lapack_syevd(w, vectors, true, info, NULL));
  ok(row == OWN ? weft__jacobi_syevd(w_alone, alone, false, info, NULL)
                : weft__lapack_syevd(w_alone, alone, false, info, NULL));
  matrix v = download(vectors), values = download(w), values_alone = download(w_alone), left = multiply(&a, &v);
  int32_t codes[64];
  download_integers(codes, info);
  for (int64_t s = 0; s < batch; s++) {
    ck_assert_int_eq(codes[s], 0);
    for (int64_t j = 1; j < n; j++)
      ck_assert(creall(*element(&values, s, j, 0)) >= creall(*element(&values, s, j - 1, 0)));
  }
  check_error(from_orthonormal(&v), dtype, n, 2, "eigenvectors", row);
  for (int64_t s = 0; s < batch; s++)
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < n; j++) *element(&v, s, i, j) *= *element(&values, s, j, 0);
  check_error(distance(&left, &v), dtype, n, largest(&a) * 4, "eigenvalues", row);
  check_error(distance(&values, &values_alone), dtype, n, largest(&a) * 4, "eigenvalues alone", row);
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
                        bool is_full, test_row row) {
  const int64_t least = m < n ? m : n;
  matrix a = make_random(random, dtype, batch, m, n);
  for (int64_t s = 0; s < batch; s++) /* rows and columns beyond the rank repeat earlier ones */
    for (int64_t i = 0; i < m; i++)
      for (int64_t j = 0; j < n; j++)
        *element(&a, s, i, j) = *element(&a, s, m >= n ? i : i % rank, m >= n ? j % rank : j);
  weft_array *x = upload(&a, dtype), *y = upload(&a, dtype),
             *u = empty(dtype, WEFT_SHAPE(batch, m, is_full ? m : least)),
             *vh = empty(dtype, WEFT_SHAPE(batch, is_full ? n : least, n)),
             *s = empty(real_of(dtype), WEFT_SHAPE(batch, least)), *info = empty(WEFT_I32, WEFT_SHAPE(batch)),
             *alone = empty(real_of(dtype), WEFT_SHAPE(batch, least));
  ok(row == OWN ? weft__jacobi_gesdd(u, s, vh, x, info, NULL) : weft__lapack_gesdd(u, s, vh, x, info, NULL));
  ok(row == OWN ? weft__jacobi_gesdd(NULL, alone, NULL, y, info, NULL)
                : weft__lapack_gesdd(NULL, alone, NULL, y, info, NULL));
  matrix left = download(u), right = download(vh), values = download(s), values_alone = download(alone),
         turned = adjoint(&right);
  int32_t codes[64];
  download_integers(codes, info);
  check_error(from_orthonormal(&left), dtype, m > n ? m : n, 2, "u", row);
  check_error(from_orthonormal(&turned), dtype, m > n ? m : n, 2, "vh", row);
  check_error(distance(&values, &values_alone), dtype, m > n ? m : n, largest(&values), "singular values alone", row);
  matrix product = make(batch, m, n);
  for (int64_t b = 0; b < batch; b++) {
    ck_assert_int_eq(codes[b], 0);
    for (int64_t j = 1; j < least; j++) {
      ck_assert(creall(*element(&values, b, j, 0)) <= creall(*element(&values, b, j - 1, 0)));
      ck_assert(creall(*element(&values, b, j, 0)) >= 0);
    }
    for (int64_t i = 0; i < m; i++)
      for (int64_t k = 0; k < least; k++)
        for (int64_t j = 0; j < n; j++)
          *element(&product, b, i, j) +=
              *element(&left, b, i, k) * *element(&values, b, k, 0) * *element(&right, b, k, j);
  }
  check_error(distance(&product, &a), dtype, m > n ? m : n, largest(&a) * 4, "svd", row);
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
static const int64_t sides[] = {1, 2, 7, 31, 32, 33, 63, 64, 65, 100, 129, 200};
enum { SIDES = sizeof sides / sizeof *sides };

START_TEST(cholesky_multiplies_back)
{
  const weft_dtype dtype = dtypes[_i / ROWS];
  const test_row row = _i % ROWS;
  harness_random random = harness_random_start((uint64_t)_i);
  if (!harness_has_dtype(dtype) || !has_row(row)) return;
  for (int k = 0; k < SIDES; k++) check_potrf(&random, dtype, k % 3 + 1, sides[k], row);
  printf("cholesky %s row %d: %.3f\n", weft_dtype_name(dtype), row, worst);
}
END_TEST

START_TEST(lu_multiplies_back)
{
  const weft_dtype dtype = dtypes[_i / ROWS];
  const test_row row = _i % ROWS;
  harness_random random = harness_random_start((uint64_t)_i + 100);
  if (!harness_has_dtype(dtype) || !has_row(row)) return;
  for (int k = 0; k < SIDES; k++) {
    check_getrf(&random, dtype, k % 3 + 1, sides[k], sides[k], row);
    check_getrf(&random, dtype, k % 2 + 1, sides[k], sides[(k + 5) % SIDES], row);
  }
  printf("lu %s row %d: %.3f\n", weft_dtype_name(dtype), row, worst);
}
END_TEST

START_TEST(triangles_are_solved)
{
  const weft_dtype dtype = dtypes[_i / ROWS];
  const test_row row = _i % ROWS;
  harness_random random = harness_random_start((uint64_t)_i + 200);
  if (!harness_has_dtype(dtype) || !has_row(row)) return;
  for (int k = 0; k < SIDES; k += 3) check_trsm(&random, dtype, k % 3 + 1, sides[k], k % 5 * 20 + 1, row);
  check_trsm(&random, dtype, 1, 130, 70, row);
  printf("solve_triangular %s row %d: %.3f\n", weft_dtype_name(dtype), row, worst);
}
END_TEST

START_TEST(qr_multiplies_back)
{
  const weft_dtype dtype = dtypes[_i / ROWS];
  const test_row row = _i % ROWS;
  harness_random random = harness_random_start((uint64_t)_i + 300);
  if (!harness_has_dtype(dtype) || !has_row(row)) return;
  for (int k = 0; k < SIDES; k++) {
    check_geqrf(&random, dtype, k % 3 + 1, sides[k], sides[k], false, row);
    check_geqrf(&random, dtype, k % 2 + 1, sides[k], sides[(k + 7) % SIDES], k % 2, row);
  }
  printf("qr %s row %d: %.3f\n", weft_dtype_name(dtype), row, worst);
}
END_TEST

START_TEST(eigenvalues_are_right)
{
  static const int64_t some[] = {1, 2, 5, 33, 70};
  const weft_dtype dtype = dtypes[_i / ROWS];
  const test_row row = _i % ROWS;
  harness_random random = harness_random_start((uint64_t)_i + 400);
  if (!harness_has_dtype(dtype) || !has_row(row)) return;
  for (int k = 0; k < 5; k++) check_syevd(&random, dtype, k % 3 + 1, some[k], row);
  printf("eigh %s row %d: %.3f\n", weft_dtype_name(dtype), row, worst);
}
END_TEST

START_TEST(singular_values_are_right)
{
  const weft_dtype dtype = dtypes[_i / ROWS];
  const test_row row = _i % ROWS;
  harness_random random = harness_random_start((uint64_t)_i + 500);
  if (!harness_has_dtype(dtype) || !has_row(row)) return;
  check_gesdd(&random, dtype, 3, 1, 1, 1, false, row);
  check_gesdd(&random, dtype, 2, 40, 33, 33, false, row);
  check_gesdd(&random, dtype, 1, 33, 70, 33, false, row);
  check_gesdd(&random, dtype, 2, 20, 12, 12, true, row);
  check_gesdd(&random, dtype, 2, 12, 20, 12, true, row);
  check_gesdd(&random, dtype, 2, 20, 12, 5, false, row); /* not of full rank */
  check_gesdd(&random, dtype, 2, 12, 20, 5, true, row);
  printf("svd %s row %d: %.3f\n", weft_dtype_name(dtype), row, worst);
}
END_TEST

static void add_tests(Suite *suite) {
  TCase *factors = harness_context_case(suite, "factors");
  tcase_set_timeout(factors, 120);
  tcase_add_loop_test(factors, cholesky_multiplies_back, 0, DTYPES * ROWS);
  tcase_add_loop_test(factors, lu_multiplies_back, 0, DTYPES * ROWS);
  tcase_add_loop_test(factors, triangles_are_solved, 0, DTYPES * ROWS);
  tcase_add_loop_test(factors, qr_multiplies_back, 0, DTYPES * ROWS);
  TCase *spectra = harness_context_case(suite, "spectra");
  tcase_set_timeout(spectra, 120);
  tcase_add_loop_test(spectra, eigenvalues_are_right, 0, DTYPES * ROWS);
  tcase_add_loop_test(spectra, singular_values_are_right, 0, DTYPES * ROWS);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "linalg_steps", .add = add_tests});
}
