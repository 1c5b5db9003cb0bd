// SPDX-License-Identifier: MIT
/// Cholesky, LU, QR and triangular solves by LAPACK.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "op/linalg/block.h"
#include "op/linalg/lapack_library.h"
#include "op/linalg/triangular_loops.h"
#include "op/linalg/tuning.h"

/// The steps of one matrix return this: negative values of LAPACK's info mean that our call is wrong.
static int only_wrong(int info) {
  return info < 0 ? info : 0;
}

/* ---- Cholesky ---- */

/// The row-major lower triangle is the column-major upper one of conj(a) = adjoint(u) u, where u is conj(adjoint(l)):
/// the row-major reading of u is l.
int weft__potrf_one(void *const *data, const weft__lapack_task *task) {
  int *info = data[1];
  weft__lapack.potrf[task->type]("U", &task->n, data[0], &task->n, info, 1);
  /* OpenBLAS only finds pivots <= 0, not NaN */
  const size_t bytes = weft__lapack_bytes(task->type);
  for (int i = 0; i < task->n && *info == 0; i++)
    if (!weft__lapack_is_finite((const char *)data[0] + (size_t)i * ((size_t)task->n + 1) * bytes, task->type, 1))
      *info = i + 1;
  return only_wrong(*info);
}

weft_status weft__lapack_potrf(weft_array *a, weft_array *info, const char *site) {
  weft__lapack_task task = {.work = WEFT__LAPACK_POTRF, .type = weft__lapack_type(a->dtype), .n = (int)a->shape[1]};
  const weft__lapack_array arrays[] = {{a, WEFT__LAPACK_IN_OUT}, {info, WEFT__LAPACK_OUT}};
  WEFT__TRY_RETURN(weft__lapack_each(&task, 2, arrays, site));
  return weft__clear_upper(a, site);
}

/* ---- LU ---- */

/// The larger part of an element, in magnitude: NaN if a part is.
static double part_of(const void *data, int64_t at, int type) {
  const int parts = weft__lapack_is_complex(type) ? 2 : 1;
  double largest = 0;
  for (int p = 0; p < parts; p++) {
    const double x = fabs(type % 2 ? ((const double *)data)[at * parts + p] : ((const float *)data)[at * parts + p]);
    if (isnan(x)) return x;
    if (x > largest) largest = x;
  }
  return largest;
}

static void multiply(void *data, int64_t count, int type, int power) {
  const int64_t parts = weft__lapack_is_complex(type) ? 2 * count : count;
  for (int64_t i = 0; i < parts; i++)
    if (type % 2)
      ((double *)data)[i] = ldexp(((double *)data)[i], power);
    else
      ((float *)data)[i] = ldexpf(((float *)data)[i], power);
}

/// The numbers below it have inverses that overflow; and the exponent to which the largest of a matrix is brought.
static double least_of(int type) {
  return type % 2 ? DBL_MIN : (double)FLT_MIN;
}
static int room_of(int type) {
  return type % 2 ? 900 : 90;
}

/// OpenBLAS multiplies by the inverses of pivots, which overflow for subnormal ones. Whether there is such a pivot in
/// the column-major result, or NaN.
static bool has_lost_pivot(const void *lu, const weft__lapack_task *task) {
  for (int i = 0; i < task->m && i < task->n; i++) {
    const double x = part_of(lu, (int64_t)i * task->m + i, task->type);
    if (!(x >= least_of(task->type)) && x != 0) return true;
  }
  return false;
}

/// The first column of the row-major matrix with NaN, or n.
static int first_nan(const void *a, const weft__lapack_task *task) {
  int first = task->n;
  for (int64_t i = 0; i < task->m; i++)
    for (int j = 0; j < first; j++)
      if (isnan(part_of(a, i * task->n + j, task->type))) first = j;
  return first;
}

/// LU of the column-major matrix multiplied by a power of 2 and U divided by it; of one with NaN, NaN, unless a pivot
/// before is 0: OpenBLAS prefers a pivot of 0 to NaN.
static void factor_again(void *const *data, const weft__lapack_task *task) {
  int *pivots = data[1], *info = data[3];
  const int64_t count = (int64_t)task->m * task->n;
  const int nan_column = first_nan(data[0], task);
  if (nan_column < task->n) {
    if (*info > 0 && *info <= nan_column) return;
    weft__lapack_fill_nan(data[2], task->type, count);
    for (int i = 0; i < task->m && i < task->n; i++) pivots[i] = i + 1;
    *info = 0;
    return;
  }
  double largest = 0;
  for (int64_t i = 0; i < count; i++) largest = fmax(largest, part_of(data[0], i, task->type));
  if (!isfinite(largest)) return;
  const int power = room_of(task->type) - ilogb(largest);
  weft__lapack_turn(data[2], data[0], task->m, task->n, task->n, task->type);
  multiply(data[2], count, task->type, power);
  weft__lapack.getrf[task->type](&task->m, &task->n, data[2], &task->m, pivots, info);
  const size_t bytes = weft__lapack_bytes(task->type);
  for (int64_t j = 0; j < task->n; j++)
    multiply((char *)data[2] + (size_t)(j * task->m) * bytes, j < task->m ? j + 1 : task->m, task->type, -power);
}

/// data: the matrix, row-major, the pivots, room for a column-major matrix, info. Rows are exchanged, as for every LU,
/// so the transposed problem does not help: the matrix is transposed.
int weft__getrf_one(void *const *data, const weft__lapack_task *task) {
  int *pivots = data[1], *info = data[3];
  weft__lapack_turn(data[2], data[0], task->m, task->n, task->n, task->type);
  weft__lapack.getrf[task->type](&task->m, &task->n, data[2], &task->m, pivots, info);
  if (*info > 0 || has_lost_pivot(data[2], task)) factor_again(data, task);
  weft__lapack_turn(data[0], data[2], task->n, task->m, task->m, task->type);
  for (int i = 0; i < task->m && i < task->n; i++) pivots[i]--;
  return only_wrong(*info);
}

weft_status weft__lapack_getrf(weft_array *a, weft_array *pivots, weft_array *info, const char *site) {
  weft_array *columns = NULL;
  WEFT__TRY_RETURN(weft__array_create(&columns, a->context, a->dtype, weft__array_shape(a), site));
  weft__lapack_task task = {
      .work = WEFT__LAPACK_GETRF, .type = weft__lapack_type(a->dtype), .m = (int)a->shape[1], .n = (int)a->shape[2]};
  const weft__lapack_array arrays[] = {
      {a, WEFT__LAPACK_IN_OUT}, {pivots, WEFT__LAPACK_OUT}, {columns, WEFT__LAPACK_OUT}, {info, WEFT__LAPACK_OUT}};
  const weft_status rc = weft__lapack_each(&task, 4, arrays, site);
  weft_array_release(&columns);
  return rc;
}

/* ---- triangular solves ---- */

/// BLAS: op(T) X = B is transposed(X) op(transposed(T)) = transposed(B), a solve from the right with the column-major
/// matrices.
static void call_trsm(void *b, const void *matrix, const weft__lapack_task *task) {
  static const float ones[2] = {1, 0};
  static const double double_ones[2] = {1, 0};
  const weft__triangle t = task->triangle;
  const char *trans = t.transposes ? t.conjugates ? "C" : "T" : "N";
  weft__lapack.trsm[task->type]("R", t.is_upper ? "L" : "U", trans, t.is_unit ? "U" : "N", &task->k, &task->n,
                                task->type % 2 ? (const void *)double_ones : ones, matrix, &task->n, b, &task->k, 1, 1,
                                1, 1);
}

/// Rows of op(T) and of b multiplied by powers of 2 where the diagonal is so small that its inverse overflows, which
/// OpenBLAS multiplies by.
static int trsm_scaled(void *const *data, const weft__lapack_task *task) {
  const int64_t n = task->n;
  const int type = task->type;
  const size_t bytes = weft__lapack_bytes(type);
  char *t = weft__lapack_new(type, n * n), *b = data[0];
  if (!t) return WEFT__HOST_NO_MEMORY;
  memcpy(t, data[1], (size_t)(n * n) * bytes);
  for (int64_t i = 0; i < n; i++) {
    const double x = part_of(data[1], i * (n + 1), type);
    if (x >= least_of(type) || x == 0 || isnan(x)) continue;
    const int power = -ilogb(x);
    multiply(b + (size_t)(i * task->k) * bytes, task->k, type, power);
    for (int64_t j = 0; j < n; j++)
      multiply(t + (size_t)(task->triangle.transposes ? j * n + i : i * n + j) * bytes, 1, type, power);
  }
  call_trsm(b, t, task);
  free(t);
  return 0;
}

/// Solves op(T) X = B. data: b, t.
int weft__trsm_one(void *const *data, const weft__lapack_task *task) {
  const weft__triangle t = task->triangle;
  weft__triangular_loop *loop =
      weft__lapack_is_complex(task->type) ? NULL : weft__triangular_loop_of(task->type % 2 ? WEFT_F64 : WEFT_F32);
  if (loop && !t.transposes && task->n <= WEFT__LAPACK_MOST_LOOP_SIDE && task->k <= WEFT__LAPACK_MOST_LOOP_RIGHTS) {
    void *room = weft__lapack_new(task->type, (int64_t)task->n * WEFT__TRIANGULAR_ROOM);
    if (!room) return WEFT__HOST_NO_MEMORY;
    loop(&(weft__triangular_task){data[0], data[1], task->n, task->k, t.is_upper, t.is_unit, room});
    free(room);
    return 0;
  }
  for (int i = 0; i < task->n && !t.is_unit; i++) {
    const double x = part_of(data[1], (int64_t)i * (task->n + 1), task->type);
    if (x < least_of(task->type) && x != 0) return trsm_scaled(data, task);
  }
  call_trsm(data[0], data[1], task);
  return 0;
}

weft_status weft__lapack_trsm(weft_array *b, const weft_array *t, weft__triangle triangle, const char *site) {
  /* BLAS has no op that conjugates alone; conj(T) X = B is T conj(X) = conj(B) */
  const bool flips = triangle.conjugates && !triangle.transposes && weft_dtype_kind(b->dtype) == 'c';
  weft_array matrix = weft__array_borrow(t);
  if (flips) WEFT__TRY_RETURN(weft__conjugate(b, site));
  weft__lapack_task task = {.work = WEFT__LAPACK_TRSM,
                            .type = weft__lapack_type(b->dtype),
                            .n = (int)t->shape[1],
                            .k = (int)b->shape[2],
                            .triangle = triangle};
  const weft__lapack_array arrays[] = {{b, WEFT__LAPACK_IN_OUT}, {&matrix, WEFT__LAPACK_IN}};
  WEFT__TRY_RETURN(weft__lapack_each(&task, 2, arrays, site));
  return flips ? weft__conjugate(b, site) : WEFT_OK;
}

/// data: the matrix, the place of its first diagonal element that is 0, from 1 on; 0: none is.
int weft__zero_pivot_one(void *const *data, const weft__lapack_task *task) {
  const size_t bytes = weft__lapack_bytes(task->type);
  int *place = data[1];
  *place = 0;
  for (int i = 0; i < task->n && !*place; i++) {
    const void *x = (const char *)data[0] + (size_t)i * ((size_t)task->n + 1) * bytes;
    const float *f32 = x;
    const double *f64 = x;
    const int last = weft__lapack_is_complex(task->type);
    if (task->type % 2 ? f64[0] == 0 && f64[last] == 0 : f32[0] == 0 && f32[last] == 0) *place = i + 1;
  }
  return 0;
}

weft_status weft__lapack_zero_pivot(weft_array *info, const weft_array *t, const char *site) {
  weft_array matrix = weft__array_borrow(t);
  weft__lapack_task task = {
      .work = WEFT__LAPACK_ZERO_PIVOT, .type = weft__lapack_type(t->dtype), .n = (int)t->shape[1]};
  const weft__lapack_array arrays[] = {{&matrix, WEFT__LAPACK_IN}, {info, WEFT__LAPACK_OUT}};
  return weft__lapack_each(&task, 2, arrays, site);
}

/// data: the right-hand sides, the factors, the pivots.
int weft__getrs_one(void *const *data, const weft__lapack_task *task) {
  const size_t row_bytes = (size_t)task->k * weft__lapack_bytes(task->type);
  const int *pivots = data[2];
  char *b = data[0], *kept = weft__lapack_new(task->type, task->k);
  weft__lapack_task solve = *task;
  if (!kept) return WEFT__HOST_NO_MEMORY;
  for (int i = 0; i < task->n; i++) {
    char *row = b + (size_t)i * row_bytes, *other = b + (size_t)pivots[i] * row_bytes;
    if (row == other) continue;
    memcpy(kept, row, row_bytes);
    memcpy(row, other, row_bytes);
    memcpy(other, kept, row_bytes);
  }
  free(kept);
  for (int upper = 0; upper < 2; upper++) {
    solve.triangle = (weft__triangle){.is_upper = upper, .is_unit = !upper};
    weft__trsm_one(data, &solve);
  }
  return 0;
}

weft_status weft__lapack_getrs(weft_array *b, const weft_array *lu, const weft_array *pivots, const char *site) {
  weft_array matrix = weft__array_borrow(lu), numbers = weft__array_borrow(pivots);
  weft__lapack_task task = {
      .work = WEFT__LAPACK_GETRS, .type = weft__lapack_type(b->dtype), .n = (int)lu->shape[1], .k = (int)b->shape[2]};
  const weft__lapack_array arrays[] = {
      {b, WEFT__LAPACK_IN_OUT}, {&matrix, WEFT__LAPACK_IN}, {&numbers, WEFT__LAPACK_IN}};
  return weft__lapack_each(&task, 3, arrays, site);
}

/* ---- QR ---- */

/// transposed(a) = L Q' is a = transposed(Q') transposed(L): the row-major readings of LAPACK's LQ of the column-major
/// matrix. data: a, q (NULL: R alone), whose first min(m, n) columns are a's reflectors, tau. task: m, n, k columns of
/// q.
int weft__gelqf_one(void *const *data, const weft__lapack_task *task) {
  const int type = task->type, rank = task->m < task->n ? task->m : task->n, query = -1;
  double best[2] = {0};
  void *tau = weft__lapack_new(type, rank), *work = NULL;
  int info = 0, length;
  weft__lapack.gelqf[type](&task->n, &task->m, data[0], &task->n, tau, best, &query, &info);
  length = weft__lapack_length(best, type);
  work = weft__lapack_new(type, length);
  if (!tau || !work) info = WEFT__HOST_NO_MEMORY;
  if (info == 0) weft__lapack.gelqf[type](&task->n, &task->m, data[0], &task->n, tau, work, &length, &info);
  if (info == 0 && data[1]) {
    /* the reflectors: rows of the column-major matrix, which has n rows; q has k */
    const size_t bytes = weft__lapack_bytes(type);
    for (int column = 0; column < task->m; column++)
      memcpy((char *)data[1] + (size_t)column * (size_t)task->k * bytes,
             (const char *)data[0] + (size_t)column * (size_t)task->n * bytes, (size_t)rank * bytes);
    weft__lapack.orglq[type](&task->k, &task->m, &rank, data[1], &task->k, tau, best, &query, &info);
    length = weft__lapack_length(best, type);
    free(work);
    work = weft__lapack_new(type, length);
    if (!work) info = WEFT__HOST_NO_MEMORY;
    if (info == 0) weft__lapack.orglq[type](&task->k, &task->m, &rank, data[1], &task->k, tau, work, &length, &info);
  }
  free(work);
  free(tau);
  return info;
}

/// QR of the column-major matrix: for no fewer rows than columns, where LAPACK's LQ of the transposed one takes up to
/// twice as long. data: a, whose first rows become R, and q.
int weft__geqrf_one(void *const *data, const weft__lapack_task *task) {
  const int type = task->type, query = -1, n = task->n > task->k ? task->n : task->k;
  double best[2] = {0};
  void *tau = weft__lapack_new(type, task->n), *columns = weft__lapack_new(type, (int64_t)task->m * n), *work = NULL;
  int info = 0, length;
  weft__lapack.geqrf[type](&task->m, &task->n, columns, &task->m, tau, best, &query, &info);
  length = weft__lapack_length(best, type);
  if (data[1]) {
    weft__lapack.orgqr[type](&task->m, &task->k, &task->n, columns, &task->m, tau, best, &query, &info);
    if (length < weft__lapack_length(best, type)) length = weft__lapack_length(best, type);
  }
  work = weft__lapack_new(type, length);
  if (!tau || !columns || !work) info = WEFT__HOST_NO_MEMORY;
  if (info == 0) {
    weft__lapack_turn(columns, data[0], task->m, task->n, task->n, type);
    weft__lapack.geqrf[type](&task->m, &task->n, columns, &task->m, tau, work, &length, &info);
    weft__lapack_turn(data[0], columns, task->n, task->n, task->m, type);
  }
  if (info == 0 && data[1]) {
    weft__lapack.orgqr[type](&task->m, &task->k, &task->n, columns, &task->m, tau, work, &length, &info);
    weft__lapack_turn(data[1], columns, task->k, task->m, task->m, type);
  }
  free(work);
  free(columns);
  free(tau);
  return info;
}

weft_status weft__lapack_geqrf(weft_array *q, weft_array *r, weft_array *a, const char *site) {
  weft__lapack_task task = {.work = a->shape[1] < a->shape[2] ? WEFT__LAPACK_GELQF : WEFT__LAPACK_GEQRF,
                            .type = weft__lapack_type(a->dtype),
                            .m = (int)a->shape[1],
                            .n = (int)a->shape[2],
                            .k = (int)(q ? q->shape[2] : 0)};
  const weft__lapack_array arrays[] = {{a, WEFT__LAPACK_IN_OUT}, {q, WEFT__LAPACK_OUT}};
  WEFT__TRY_RETURN(weft__lapack_each(&task, 2, arrays, site));
  return weft__take_upper(r, a, site);
}
