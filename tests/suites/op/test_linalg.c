// SPDX-License-Identifier: MIT
/// Factorizations and solvers against plain C in f64: products of factors give the matrix, factors are triangular or
/// unitary. NumPy judges the values (tests/judge).
#include <float.h>

#include "harness.h"

/* ---- matrices on the host: complex, row-major, of one stack ---- */

typedef struct number {
  double re, im;
} number;

typedef struct matrices {
  int count, m, n;
  number *x;
} matrices;

static matrices make(int count, int m, int n) {
  return (matrices){count, m, n, calloc((size_t)(count * m * n) + 1, sizeof(number))};
}

static number *at(const matrices *a, int b, int i, int j) {
  return &a->x[(b * a->m + i) * a->n + j];
}

/// Random numbers; with `diagonal`, which is added, far from singular.
static matrices draw(harness_random *random, int count, int m, int n, bool is_complex, double diagonal) {
  matrices a = make(count, m, n);
  for (int k = 0; k < count * m * n; k++) {
    a.x[k].re = (double)harness_between(random, -64, 64) / 64;
    a.x[k].im = is_complex ? (double)harness_between(random, -64, 64) / 64 : 0;
  }
  for (int b = 0; b < count; b++)
    for (int i = 0; i < m && i < n; i++) at(&a, b, i, i)->re += diagonal;
  return a;
}

/// a times b, or with `adjoint` the adjoint of a times b.
static matrices product(const matrices *a, const matrices *b, bool adjoint) {
  const int m = adjoint ? a->n : a->m, inner = adjoint ? a->m : a->n;
  matrices c = make(a->count, m, b->n);
  for (int k = 0; k < a->count; k++)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < b->n; j++)
        for (int l = 0; l < inner; l++) {
          const number x = adjoint ? *at(a, k, l, i) : *at(a, k, i, l), y = *at(b, k, l, j);
          const double im = adjoint ? -x.im : x.im;
          at(&c, k, i, j)->re += x.re * y.re - im * y.im;
          at(&c, k, i, j)->im += x.re * y.im + im * y.re;
        }
  return c;
}

static matrices adjoint(const matrices *a) {
  matrices b = make(a->count, a->n, a->m);
  for (int k = 0; k < a->count; k++)
    for (int i = 0; i < a->m; i++)
      for (int j = 0; j < a->n; j++) *at(&b, k, j, i) = (number){at(a, k, i, j)->re, -at(a, k, i, j)->im};
  return b;
}

static matrices identity(int count, int n) {
  matrices a = make(count, n, n);
  for (int k = 0; k < count; k++)
    for (int i = 0; i < n; i++) at(&a, k, i, i)->re = 1;
  return a;
}

/* ---- to the device and back ---- */

static weft_array *upload(const matrices *a, weft_dtype dtype, bool is_turned) {
  const weft_dtype widest = weft_dtype_kind(dtype) == 'c' ? WEFT_C64 : WEFT_F32;
  const bool is_double = dtype == WEFT_F64 || dtype == WEFT_C128, is_complex = widest == WEFT_C64;
  const matrices source = *a;
  weft_array *x = NULL, *turned = NULL;
  size_t size = weft_dtype_size_bytes(dtype), total = (size_t)(a->count * a->m * a->n);
  unsigned char *bytes = malloc(total * size + 1);
  for (int b = 0, k = 0; b < a->count; b++)
    for (int i = 0; i < (is_turned ? a->n : a->m); i++)
      for (int j = 0; j < (is_turned ? a->m : a->n); j++, k++) {
        const number *v = is_turned ? at(&source, b, j, i) : at(&source, b, i, j);
        const double wide[] = {v->re, v->im};
        const float narrow[] = {(float)v->re, (float)v->im};
        memcpy(bytes + (size_t)k * size, is_double ? (const void *)wide : narrow, is_complex ? size : size);
      }
  const int64_t rows = is_turned ? a->n : a->m, columns = is_turned ? a->m : a->n;
  ok(weft_from_host(&x, ctx, dtype, WEFT_SHAPE(a->count, rows, columns), bytes));
  free(bytes);
  if (!is_turned) return x;
  ok(weft_swapaxes(&turned, x, 1, 2)); /* a view with other strides */
  weft_array_release(&x);
  return turned;
}

/// Reads and releases an array of matrices, or of vectors, which become columns.
static matrices download(weft_array **x) {
  weft_array *wide = NULL;
  const weft_shape shape = weft_array_shape(*x);
  matrices a = make((int)shape.dim[0], (int)shape.dim[1], shape.ndim > 2 ? (int)shape.dim[2] : 1);
  const int64_t total = (int64_t)a.count * a.m * a.n;
  const bool is_double = device.has_fp64, is_complex = weft_dtype_kind(weft_array_dtype(*x)) == 'c';
  ok(weft_cast(&wide, *x, is_complex ? (is_double ? WEFT_C128 : WEFT_C64) : is_double ? WEFT_F64 : WEFT_F32));
  const size_t parts = is_complex ? 2 : 1, size = is_double ? 8 : 4;
  unsigned char *bytes = calloc((size_t)total * parts + 1, size);
  ok(weft_to_host(bytes, (size_t)total * parts * size, wide));
  for (int64_t k = 0; k < total; k++)
    for (size_t part = 0; part < parts; part++) {
      double d;
      float f;
      memcpy(&d, bytes + ((size_t)k * parts + part) * 8 * is_double, is_double ? 8 : 1);
      memcpy(&f, bytes + ((size_t)k * parts + part) * 4, 4);
      *(part ? &a.x[k].im : &a.x[k].re) = is_double ? d : (double)f;
    }
  free(bytes);
  weft_array_release(&wide);
  weft_array_release(x);
  return a;
}

static double largest(const matrices *a) {
  double most = 0;
  for (int k = 0; k < a->count * a->m * a->n; k++) most = fmax(most, hypot(a->x[k].re, a->x[k].im));
  return most;
}

static double epsilon_of(weft_dtype dtype) {
  return dtype == WEFT_F64 || dtype == WEFT_C128 ? DBL_EPSILON : (double)FLT_EPSILON;
}

/// Whether got is wanted up to `factor` epsilons of the largest element. Frees got.
static void check_near(const char *what, weft_dtype dtype, matrices got, const matrices *wanted, double factor) {
  const double bound = factor * epsilon_of(dtype) * fmax(1, largest(wanted));
  ck_assert_msg(got.count == wanted->count && got.m == wanted->m && got.n == wanted->n, "%s: shape", what);
  for (int k = 0; k < got.count * got.m * got.n; k++) {
    const double off = hypot(got.x[k].re - wanted->x[k].re, got.x[k].im - wanted->x[k].im);
    ck_assert_msg(off <= bound, "%s of %s, %d x %d, element %d: off by %g, %g allowed", what, weft_dtype_name(dtype),
                  got.m, got.n, k, off, bound);
  }
  harness_count(1);
  free(got.x);
}

static void check_unitary(const char *what, weft_dtype dtype, const matrices *q) {
  matrices one = identity(q->count, q->n);
  check_near(what, dtype, product(q, q, true), &one, 16 + q->m);
  free(one.x);
}

static void check_triangle(const char *what, const matrices *a, bool upper) {
  for (int b = 0; b < a->count; b++)
    for (int i = 0; i < a->m; i++)
      for (int j = 0; j < a->n; j++)
        if (upper ? j < i : j > i)
          ck_assert_msg(at(a, b, i, j)->re == 0 && at(a, b, i, j)->im == 0, "%s is not triangular", what);
}

/* ---- all functions on matrices of one size ---- */

static void check_cholesky(weft_dtype dtype, const matrices *a) {
  matrices square = product(a, a, true);
  for (int b = 0; b < square.count; b++)
    for (int i = 0; i < square.n; i++) at(&square, b, i, i)->re += 1;
  for (int upper = 0; upper < 2; upper++) {
    weft_array *x = upload(&square, dtype, upper), *y = NULL;
    ok(weft_cholesky(&y, x, .upper = upper));
    matrices l = download(&y), turned = adjoint(&l);
    check_triangle("cholesky", &l, upper);
    check_near("cholesky", dtype, upper ? product(&turned, &l, false) : product(&l, &turned, false), &square,
               8 + square.n);
    free(l.x), free(turned.x);
    weft_array_release(&x);
  }
  free(square.x);
}

static void check_lu(weft_dtype dtype, const matrices *a) {
  weft_array *x = upload(a, dtype, true), *p = NULL, *l = NULL, *u = NULL;
  ok(weft_lu(&p, &l, &u, x));
  matrices hp = download(&p), hl = download(&l), hu = download(&u), rows = product(&hp, &hl, false);
  check_triangle("l", &hl, false);
  check_triangle("u", &hu, true);
  check_unitary("p", dtype, &hp);
  check_near("lu", dtype, product(&rows, &hu, false), a, 8 + 2 * a->n);
  free(hp.x), free(hl.x), free(hu.x), free(rows.x);
  weft_array_release(&x);
}

static void check_qr(weft_dtype dtype, const matrices *a) {
  weft_array *x = upload(a, dtype, false), *q = NULL, *r = NULL;
  for (int complete = 0; complete < 2; complete++) {
    ok(weft_qr(&q, &r, x, .complete = complete));
    matrices hq = download(&q), hr = download(&r);
    check_triangle("r", &hr, true);
    check_unitary("q", dtype, &hq);
    check_near("qr", dtype, product(&hq, &hr, false), a, 16 + 4 * a->m);
    free(hq.x), free(hr.x);
  }
  weft_array_release(&x);
}

static void scale_columns(const matrices *u, const matrices *s) {
  for (int b = 0; b < u->count; b++)
    for (int i = 0; i < u->m; i++)
      for (int j = 0; j < u->n; j++) {
        at(u, b, i, j)->re *= at(s, b, j, 0)->re;
        at(u, b, i, j)->im *= at(s, b, j, 0)->re;
      }
}

static void check_svd(weft_dtype dtype, const matrices *a) {
  weft_array *x = upload(a, dtype, false), *u = NULL, *s = NULL, *vh = NULL;
  ok(weft_svd(&u, &s, &vh, x, .full_matrices = true));
  matrices hu = download(&u), hv = download(&vh), v = adjoint(&hv);
  ck_assert(hu.n == a->m && hv.m == a->n);
  check_unitary("u", dtype, &hu);
  check_unitary("v", dtype, &v);
  free(hu.x), free(hv.x), free(v.x);
  weft_array_release(&s);
  ok(weft_svd(&u, &s, &vh, x));
  hu = download(&u), hv = download(&vh);
  matrices hs = download(&s);
  for (int k = 0; k + 1 < hs.m; k++) ck_assert(at(&hs, 0, k, 0)->re >= at(&hs, 0, k + 1, 0)->re);
  check_unitary("u", dtype, &hu);
  scale_columns(&hu, &hs);
  check_near("svd", dtype, product(&hu, &hv, false), a, 32 + 4 * (a->m + a->n));
  free(hu.x), free(hv.x), free(hs.x);
  weft_array_release(&x);
}

static void check_eigh(weft_dtype dtype, const matrices *a) {
  matrices turned = adjoint(a), h = make(a->count, a->n, a->n);
  for (int k = 0; k < a->count * a->n * a->n; k++)
    h.x[k] = (number){a->x[k].re + turned.x[k].re, a->x[k].im + turned.x[k].im};
  weft_array *x = upload(&h, dtype, false), *w = NULL, *v = NULL;
  for (int upper = 0; upper < 2; upper++) {
    ok(weft_eigh(&w, &v, x, .upper = upper));
    matrices hw = download(&w), hv = download(&v), back = adjoint(&hv);
    for (int k = 0; k + 1 < hw.m; k++) ck_assert(at(&hw, 0, k, 0)->re <= at(&hw, 0, k + 1, 0)->re);
    check_unitary("v", dtype, &hv);
    scale_columns(&hv, &hw);
    check_near("eigh", dtype, product(&hv, &back, false), &h, 32 + 8 * a->n);
    free(hw.x), free(hv.x), free(back.x);
  }
  weft_array_release(&x);
  free(turned.x), free(h.x);
}

/// `dominant` has a dominant diagonal.
static void check_solvers(weft_dtype dtype, const matrices *dominant, harness_random *random) {
  matrices backwards = make(dominant->count, dominant->m, dominant->n), *a = &backwards; /* needs exchanges of rows */
  for (int k = 0; k < a->count; k++)
    for (int i = 0; i < a->m; i++)
      for (int j = 0; j < a->n; j++) *at(a, k, i, j) = *at(dominant, k, a->m - 1 - i, j);
  const bool is_complex = weft_dtype_kind(dtype) == 'c';
  matrices b = draw(random, a->count, a->n, 3, is_complex, 0), one = identity(a->count, a->n);
  weft_array *x = upload(a, dtype, true), *sides = upload(&b, dtype, false), *y = NULL, *lu = NULL, *pivots = NULL;
  ok(weft_solve(&y, x, sides));
  matrices solution = download(&y);
  check_near("solve", dtype, product(a, &solution, false), &b, 64 + 8 * a->n);
  free(solution.x);
  ok(weft_lu_factor(&lu, &pivots, x));
  ok(weft_lu_solve(&y, lu, pivots, sides));
  solution = download(&y);
  check_near("lu_solve", dtype, product(a, &solution, false), &b, 64 + 8 * a->n);
  free(solution.x);
  ok(weft_inv(&y, x));
  solution = download(&y);
  check_near("inv", dtype, product(a, &solution, false), &one, 64 + 8 * a->n);
  free(solution.x);
  ok(weft_pinv(&y, x));
  solution = download(&y);
  check_near("pinv", dtype, product(a, &solution, false), &one, 256 + 32 * a->n);
  free(solution.x);
  weft_array_release(&x);
  x = upload(dominant, dtype, true);
  for (int lower = 0; lower < 2; lower++) {
    matrices t = product(dominant, &one, false);
    for (int k = 0; k < t.count * t.n * t.n; k++)
      if (lower ? k % t.n > k / t.n % t.n : k % t.n < k / t.n % t.n) t.x[k] = (number){0, 0};
    ok(weft_solve_triangular(&y, x, sides, .lower = lower, .transpose = true, .conjugate = true));
    solution = download(&y);
    check_near("solve_triangular", dtype, product(&t, &solution, true), &b, 64 + 8 * a->n);
    free(solution.x), free(t.x);
  }
  free(b.x), free(one.x), free(backwards.x);
  weft_release(&x, &sides, &lu, &pivots);
}

static void check_size(weft_dtype dtype, int count, int m, int n, harness_random *random) {
  const bool is_complex = weft_dtype_kind(dtype) == 'c';
  matrices a = draw(random, count, m, n, is_complex, 0), square = draw(random, count, n, n, is_complex, 2 * n);
  check_lu(dtype, &a);
  check_qr(dtype, &a);
  check_svd(dtype, &a);
  check_cholesky(dtype, &a);
  check_eigh(dtype, &square);
  check_solvers(dtype, &square, random);
  free(a.x), free(square.x);
}

static const weft_dtype dtypes[] = {WEFT_F32, WEFT_F64, WEFT_C64, WEFT_C128};

START_TEST(sizes)
{
  static const int side[][2] = {{1, 1}, {2, 3}, {4, 4}, {9, 5}, {17, 16}, {33, 33}};
  const weft_dtype dtype = dtypes[_i];
  harness_random random = harness_random_start((uint64_t)_i + 1);
  if (!harness_has_kernels() || !harness_has_dtype(dtype)) return;
  const char *quirks = getenv("WEFT_QUIRKS");
  const bool is_emulated = quirks && strstr(quirks, "gpu_kernels"); /* which need kernels for each size */
  if (is_emulated && dtype != WEFT_C64) return;                     /* a build with barriers takes a second */
  for (int k = is_emulated ? 3 : 0; k < (is_emulated ? 4 : 6); k++)
    check_size(dtype, k % 2 ? 3 : 1, side[k][0], side[k][1], &random);
}
END_TEST

START_TEST(large) /* beyond the kernels of small matrices */
{
  harness_random random = harness_random_start(9);
  if (!harness_has_kernels()) return;
  check_size(WEFT_F32, 2, 70, 66, &random);
}
END_TEST

/* ---- values ---- */

START_TEST(values)
{
  const float a[] = {4, 1, 1, 3}, tall[] = {1, 0, 1, 1, 1, 2, 1, 3}, b[] = {1, 3, 5, 7}, singular[] = {1, 2, 2, 4};
  float host[4];
  int32_t rank;
  int64_t found;
  if (!harness_has_kernels()) return;
  ok(weft_det(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE_0D), WEFT_HOST(a, WEFT_F32, WEFT_SHAPE(2, 2))));
  ck_assert(fabsf(host[0] - 11) < 1e-5f);
  ok(weft_slogdet(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE_0D), WEFT_HOST_OUT(host + 1, WEFT_F32, WEFT_SHAPE_0D),
                  WEFT_HOST(a, WEFT_F32, WEFT_SHAPE(2, 2))));
  ck_assert(host[0] == 1 && fabsf(host[1] - 2.3978953f) < 1e-6f);
  weft_array *residuals = NULL, *ranks = NULL, *s = NULL;
  ok(weft_lstsq(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(2)), WEFT_HOST(tall, WEFT_F32, WEFT_SHAPE(4, 2)),
                WEFT_HOST(b, WEFT_F32, WEFT_SHAPE(4)), .residuals = &residuals, .rank = &ranks, .s = &s));
  ck_assert(fabsf(host[0] - 1) < 1e-5f && fabsf(host[1] - 2) < 1e-5f);
  ok(weft_to_host(&rank, sizeof rank, ranks));
  ok(weft_to_host(host, sizeof *host, residuals));
  ck_assert(rank == 2 && host[0] < 1e-8f);
  ok(weft_matrix_rank(WEFT_HOST_OUT(&found, WEFT_I64, WEFT_SHAPE_0D), WEFT_HOST(singular, WEFT_F32, WEFT_SHAPE(2, 2))));
  ck_assert_int_eq(found, 1);
  ok(weft_matrix_rank(WEFT_HOST_OUT(&found, WEFT_I64, WEFT_SHAPE_0D), WEFT_HOST(singular, WEFT_F32, WEFT_SHAPE(4))));
  ck_assert_int_eq(found, 1);
  ok(weft_cond(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE_0D), WEFT_HOST(a, WEFT_F32, WEFT_SHAPE(2, 2))));
  ck_assert(fabsf(host[0] - 1.9387f) < 1e-3f);
  weft_release(&residuals, &ranks, &s);
  harness_count(7);
}
END_TEST

START_TEST(results_are_kept_on_failure)
{
  const float zero[8] = {1, 0, 0, 1}, kept[] = {7, 7, 7, 7};
  float host[8];
  int32_t places[2];
  weft_array *a = NULL, *y = NULL, *stack = NULL, *info = NULL, *both = NULL;
  if (!harness_has_kernels()) return;
  ok(weft_zeros(&a, ctx, WEFT_F32, WEFT_SHAPE(2, 2)));
  ok(weft_from_host(&y, ctx, WEFT_F32, WEFT_SHAPE(2, 2), kept));
  expect_error(weft_inv(&y, a), WEFT_ERROR_SINGULAR, "`a` is singular: pivot 1, counted from 1, is 0", "@a");
  ok(weft_to_host(host, sizeof kept, y));
  ck_assert_mem_eq(host, kept, sizeof kept);
  expect_error(weft_cholesky(&y, a), WEFT_ERROR_SINGULAR, "not positive definite", "minor of order 1", "@a");
  expect_error(weft_solve_triangular(&y, a, y), WEFT_ERROR_SINGULAR, "`a` is singular: its element [0,0] is 0", "@a");
  ok(weft_from_host(&stack, ctx, WEFT_F32, WEFT_SHAPE(2, 2, 2), zero));
  expect_error(weft_solve(&both, stack, y), WEFT_ERROR_SINGULAR, "weft_solve", "`a[1]` is singular", "@a");
  ck_assert_ptr_null(both);
  ok(weft_solve(&both, stack, y, .info = &info));
  ok(weft_to_host(places, sizeof places, info));
  ck_assert(places[0] == 0 && places[1] == 1);
  ok(weft_to_host(host, sizeof host, both));
  ck_assert_mem_eq(host, kept, sizeof kept); /* solved with the identity */
  weft_release(&a, &y, &stack, &info, &both);
  harness_count(5);
}
END_TEST

START_TEST(nan_ends)
{
  weft_array *a = NULL, *u = NULL, *s = NULL, *vh = NULL, *info = NULL, *y = NULL;
  int32_t place;
  float condition;
  if (!harness_has_kernels()) return;
  for (int side = 3; side < 80; side += 67) { /* small and large */
    ok(weft_full(&a, ctx, WEFT_F32, WEFT_SHAPE(side, side), NAN));
    expect_error(weft_svd(&u, &s, &vh, a), WEFT_ERROR_CONVERGENCE,
                 "`a`: the iteration did not converge; its element [0,0] is NaN", "@a");
    expect_error(weft_eigh(&s, NULL, a), WEFT_ERROR_CONVERGENCE, "its element [0,0] is NaN", "@a");
    expect_error(weft_lstsq(&u, a, a), WEFT_ERROR_CONVERGENCE, "weft_lstsq", "@a");
    expect_error(weft_matrix_rank(&u, a), WEFT_ERROR_CONVERGENCE, "weft_matrix_rank", "@a");
    expect_error(weft_cholesky(&y, a), WEFT_ERROR_SINGULAR, "is not positive definite: its element [0,0] is NaN", "@a");
    ck_assert(!u && !s && !vh && !y);
    ok(weft_eigh(&s, &u, a, .info = &info));
    ok(weft_to_host(&place, sizeof place, info));
    ck_assert_int_ne(place, 0);
    ok(weft_cond(WEFT_HOST_OUT(&condition, WEFT_F32, WEFT_SHAPE_0D), a));
    ck_assert(isnan(condition));
    ok(weft_qr(NULL, &y, a));
    weft_release(&a, &s, &u, &info, &y);
  }
  harness_count(2);
}
END_TEST

START_TEST(errors)
{
  weft_array *a = NULL, *wide = NULL, *v = NULL, *stack = NULL, *others = NULL, *half = NULL, *none = NULL,
             *pivots = NULL;
  ok(weft_zeros(&a, ctx, WEFT_F32, WEFT_SHAPE(3, 3)));
  ok(weft_zeros(&wide, ctx, WEFT_F32, WEFT_SHAPE(2, 3)));
  ok(weft_zeros(&v, ctx, WEFT_F32, WEFT_SHAPE(2)));
  ok(weft_zeros(&stack, ctx, WEFT_F32, WEFT_SHAPE(2, 3, 3)));
  ok(weft_zeros(&others, ctx, WEFT_F32, WEFT_SHAPE(3, 3, 1)));
  ok(weft_zeros(&half, ctx, WEFT_F16, WEFT_SHAPE(3, 3)));
  ok(weft_zeros(&pivots, ctx, WEFT_I32, WEFT_SHAPE(2)));
  expect_error(weft_inv(&none, wide), WEFT_ERROR_SHAPE, "weft_inv", "`a` is f32[2,3]; expected square", "@a");
  expect_error(weft_det(&none, v), WEFT_ERROR_SHAPE, "`a` is f32[2]; expected a matrix", "@a");
  expect_error(weft_solve(&none, a, v), WEFT_ERROR_SHAPE, "`b` is f32[2]; expected `b` with 3 rows", "@b");
  expect_error(weft_solve(&none, a, 1.0f), WEFT_ERROR_SHAPE, "expected a vector", "@b");
  expect_error(weft_solve(&none, stack, others), WEFT_ERROR_SHAPE, "their stacks do not broadcast", "@b");
  expect_error(weft_eigh(&none, NULL, half), WEFT_ERROR_DTYPE, "`a` is f16[3,3]", "weft_cast", "@a");
  expect_error(weft_lstsq(&none, a, a, .rtol = -1), WEFT_ERROR_ARGUMENT, "`rtol` is -1", "@rtol");
  expect_error(weft_lu_solve(&none, a, a, a), WEFT_ERROR_DTYPE, "`pivots` is f32; expected i32", "@pivots");
  expect_error(weft_lu_solve(&none, a, pivots, a), WEFT_ERROR_SHAPE, "`pivots` is i32[2]; expected i32[",
               "as weft_lu_factor returns", "@pivots");
  expect_error(weft_qr(&v, NULL, a), WEFT_ERROR_SHAPE, "`q` is f32[2]", "@q");
  ok(weft_reshape(&none, a, WEFT_SHAPE(3, 3)));
  weft_array_release(&none);
  ok(weft_zeros(&none, ctx, WEFT_F32, WEFT_SHAPE(0, 3)));
  expect_error(weft_cond(&v, none), WEFT_ERROR_SHAPE, "empty matrices", "@a");
  weft_release(&a, &wide, &v, &stack, &others, &half, &none, &pivots);
}
END_TEST

/* ---- the suite ---- */

static void add(Suite *suite) {
  TCase *c = harness_context_case(suite, "linalg");
  tcase_add_loop_test(c, sizes, 0, 4);
  tcase_add_test(c, large);
  tcase_add_test(c, values);
  tcase_add_test(c, results_are_kept_on_failure);
  tcase_add_test(c, nan_ends);
  tcase_add_test(c, errors);
}

int main(void) {
  const harness_suite suite = {.name = "linalg", .add = add};
  return harness_main(&suite);
}
