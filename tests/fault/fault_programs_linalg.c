// SPDX-License-Identifier: MIT
// The programs about linear algebra: factorizations, systems of equations, least squares, singular matrices.
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

#include "fault_driver.h"
#include "fault_programs.h"

static const float symmetric[] = {4, 1, 1, 3}, vector[] = {1, 2}, tall[] = {1, 0, 1, 1, 1, 2}, line[] = {1, 3, 5};

static bool is_near(float x, float y) {
  return x > y - 1e-4f && x < y + 1e-4f;
}

int program_factors(int argc, char **argv) {
  int status = 0;
  float host[4];
  weft_context *context = NULL;
  weft_array *a = NULL, *l = NULL, *p = NULL, *u = NULL, *lu = NULL, *pivots = NULL, *x = NULL, *b = NULL, *q = NULL,
             *r = NULL, *w = NULL, *v = NULL, *s = NULL, *vh = NULL, *zero = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&a, weft_from_host(&a, context, WEFT_F32, WEFT_SHAPE(2, 2), symmetric));
  MAKE(&b, weft_from_host(&b, context, WEFT_F32, WEFT_SHAPE(2), vector));
  MAKE(&l, weft_cholesky(&l, a));
  TRY(weft_to_host(host, sizeof host, l));
  KEPT(is_near(host[0], 2) && host[1] == 0 && is_near(host[2], 0.5f));
  weft_array_release(&l);
  weft_status rc = weft_lu(&p, &l, &u, a);
  KEPT((p != NULL) == (rc == WEFT_OK) && (l != NULL) == (rc == WEFT_OK) && (u != NULL) == (rc == WEFT_OK));
  TRY(rc);
  rc = weft_lu_factor(&lu, &pivots, a);
  KEPT((lu != NULL) == (rc == WEFT_OK) && (pivots != NULL) == (rc == WEFT_OK));
  TRY(rc);
  MAKE(&x, weft_lu_solve(&x, lu, pivots, b));
  TRY(weft_to_host(host, 2 * sizeof *host, x));
  KEPT(is_near(host[0], 1 / 11.0f) && is_near(host[1], 7 / 11.0f));
  rc = weft_qr(&q, &r, a);
  KEPT((q != NULL) == (rc == WEFT_OK) && (r != NULL) == (rc == WEFT_OK));
  TRY(rc);
  rc = weft_eigh(&w, &v, a);
  KEPT((w != NULL) == (rc == WEFT_OK) && (v != NULL) == (rc == WEFT_OK));
  TRY(rc);
  TRY(weft_to_host(host, 2 * sizeof *host, w));
  KEPT(is_near(host[0] + host[1], 7));
  weft_release(&u, &v);
  rc = weft_svd(&u, &s, &vh, a);
  KEPT((u != NULL) == (rc == WEFT_OK) && (s != NULL) == (rc == WEFT_OK) && (vh != NULL) == (rc == WEFT_OK));
  TRY(rc);
  MAKE(&zero, weft_zeros(&zero, context, WEFT_F32, WEFT_SHAPE(2, 2)));
  FAILS(WEFT_ERROR_SINGULAR, weft_cholesky(&v, zero));
  KEPT(v == NULL);

done:
  fault_leave();
  weft_release(&zero, &vh, &s, &v, &w, &r, &q, &b, &x, &pivots, &lu, &u, &p, &l, &a);
  weft_context_release(&context);
  return status;
}

int program_solvers(int argc, char **argv) {
  int status = 0;
  float host[6];
  weft_context *context = NULL;
  weft_array *a = NULL, *b = NULL, *x = NULL, *y = NULL, *info = NULL, *sign = NULL, *log = NULL, *table = NULL,
             *values = NULL, *rank = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&a, weft_from_host(&a, context, WEFT_F32, WEFT_SHAPE(2, 2), symmetric));
  MAKE(&b, weft_from_host(&b, context, WEFT_F32, WEFT_SHAPE(2), vector));
  weft_status rc = weft_solve(&x, a, b, .info = &info);
  KEPT((x != NULL) == (rc == WEFT_OK) && (info != NULL) == (rc == WEFT_OK));
  TRY(rc);
  TRY(weft_solve(&x, a, b)); /* into a given array */
  TRY(weft_to_host(host, 2 * sizeof *host, x));
  KEPT(is_near(host[0], 1 / 11.0f) && is_near(host[1], 7 / 11.0f));
  TRY(weft_solve_triangular(&x, a, b, .lower = true));
  MAKE(&y, weft_inv(&y, a));
  TRY(weft_pinv(&y, a));
  TRY(weft_pinv(&y, a, .hermitian = true));
  TRY(weft_to_host(host, 4 * sizeof *host, y));
  KEPT(is_near(host[0], 3 / 11.0f) && is_near(host[3], 4 / 11.0f));
  weft_array_release(&y);
  MAKE(&y, weft_det(&y, a));
  rc = weft_slogdet(&sign, &log, a);
  KEPT((sign != NULL) == (rc == WEFT_OK) && (log != NULL) == (rc == WEFT_OK));
  TRY(rc);
  TRY(weft_cond(&y, a));
  TRY(weft_cond(&y, a, .order = WEFT_NORM_1));
  TRY(weft_matrix_norm(&y, a, WEFT_AXES(0, 1), .order = WEFT_NORM_INF));
  TRY(weft_matrix_norm(&y, a, WEFT_AXES(0, 1), .order = WEFT_NORM_NUC));
  TRY(weft_to_host(host, sizeof *host, y));
  KEPT(is_near(host[0], 7));
  weft_array_release(&y);
  MAKE(&y, weft_matrix_power(&y, a, -3));
  TRY(weft_matrix_power(&y, a, 3));
  TRY(weft_to_host(host, 4 * sizeof *host, y));
  KEPT(is_near(host[0], 75) && is_near(host[3], 37));
  MAKE(&rank, weft_matrix_rank(&rank, a));
  weft_release(&x, &b, &rank);
  MAKE(&table, weft_from_host(&table, context, WEFT_F32, WEFT_SHAPE(3, 2), tall));
  MAKE(&b, weft_from_host(&b, context, WEFT_F32, WEFT_SHAPE(3), line));
  rc = weft_lstsq(&x, table, b, .rank = &rank, .s = &values);
  KEPT((x != NULL) == (rc == WEFT_OK) && (rank != NULL) == (rc == WEFT_OK) && (values != NULL) == (rc == WEFT_OK));
  TRY(rc);
  TRY(weft_to_host(host, 2 * sizeof *host, x));
  KEPT(is_near(host[0], 1) && is_near(host[1], 2));
  FAILS(WEFT_ERROR_SHAPE, weft_solve(&x, table, b));

done:
  fault_leave();
  weft_release(&rank, &values, &table, &log, &sign, &info, &y, &x, &b, &a);
  weft_context_release(&context);
  return status;
}

/// Matrices of several blocks, by Weft's own kernels; spectra by LAPACK, where there is one.
int program_blocks(int argc, char **argv) {
  int status = 0, engines = 0;
  float host[2];
  bool has_lapack = false;
  weft_context *context = NULL;
  weft_array *a = NULL, *diagonal = NULL, *flat = NULL, *b = NULL, *x = NULL, *y = NULL, *z = NULL;
  (void)argc, (void)argv;

  /* no limit: marks of the work depend on the time */
  MAKE(&context, weft_context_create(&context, .ahead_limit_ns = UINT64_MAX));
  fault_mark();
  setenv("WEFT_ENGINE", "own", 1);
  MAKE(&a, weft_ones(&a, context, WEFT_F32, WEFT_SHAPE(66, 66)));
  MAKE(&flat, weft_reshape(&flat, a, WEFT_SHAPE(66 * 66)));
  MAKE(&diagonal, weft_slice(&diagonal, flat, 0, 0, WEFT_END, .step = 67));
  TRY(weft_fill(diagonal, 3.0f));
  MAKE(&b, weft_full(&b, context, WEFT_F32, WEFT_SHAPE(66), 68));
  MAKE(&x, weft_solve(&x, a, b));
  MAKE(&y, weft_slice(&y, x, 0, 64, 66));
  MAKE(&z, weft_copy(&z, y));
  TRY(weft_to_host(host, sizeof host, z));
  KEPT(is_near(host[0], 1) && is_near(host[1], 1));
  weft_release(&y, &z);
  weft_array_release(&x);
  MAKE(&x, weft_cholesky(&x, a));
  weft_array_release(&x);
  MAKE(&y, weft_slice(&y, a, 1, 0, 3));
  TRY(weft_qr(NULL, &z, y));
  weft_release(&y, &z);
  TRY(weft_engine_count(&engines));
  setenv("WEFT_ENGINE", "lapack", 1);
  for (int k = 0; k < engines; k++) {
    weft_engine_info info;
    TRY(weft_engine_get(&info, k));
    has_lapack |= info.is_found && strcmp(info.name, "lapack") == 0;
  }
  if (has_lapack) {
    weft_status rc = weft_eigh(&x, &y, a);
    KEPT((x != NULL) == (rc == WEFT_OK) && (y != NULL) == (rc == WEFT_OK));
    TRY(rc);
    weft_release(&x, &y);
    rc = weft_svd(&x, &y, &z, a);
    KEPT((x != NULL) == (rc == WEFT_OK) && (y != NULL) == (rc == WEFT_OK) && (z != NULL) == (rc == WEFT_OK));
    TRY(rc);
  }

done:
  fault_leave();
  unsetenv("WEFT_ENGINE");
  weft_release(&z, &y, &x, &b, &diagonal, &flat, &a);
  weft_context_release(&context);
  return status;
}
