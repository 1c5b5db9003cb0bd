// SPDX-License-Identifier: MIT
/// Eigenvalues and singular values by LAPACK.
#include <stdlib.h>

#include "op/linalg/block.h"
#include "op/linalg/lapack_library.h"

/* ---- eigenvalues ---- */

typedef struct workspace {
  void *work, *real;
  int *integers;
  int length, real_length, integer_length;
} workspace;

static void free_workspace(workspace *w) {
  free(w->work);
  free(w->real);
  free(w->integers);
}

/// False: no memory. Lengths of 0 count as 1.
static bool allocate(workspace *w, int type) {
  w->work = weft__lapack_new(type, w->length);
  w->real = weft__lapack_new(type % 2, w->real_length);
  w->integers = malloc(sizeof(int) * (size_t)(w->integer_length > 0 ? w->integer_length : 1));
  return w->work && w->real && w->integers;
}

static void call_syevd(const weft__lapack_task *task, void *a, void *values, const workspace *w, int *info) {
  const char *job = task->flag ? "V" : "N";
  if (weft__lapack_is_complex(task->type))
    weft__lapack.heevd[task->type - 2](job, "U", &task->n, a, &task->n, values, w->work, &w->length, w->real,
                                       &w->real_length, w->integers, &w->integer_length, info, 1, 1);
  else
    weft__lapack.syevd[task->type](job, "U", &task->n, a, &task->n, values, w->work, &w->length, w->integers,
                                   &w->integer_length, info, 1, 1);
}

/// Whether the lower triangle, row-major, is finite.
static bool is_finite_triangle(const void *a, int type, int n) {
  const size_t bytes = weft__lapack_bytes(type);
  for (int i = 0; i < n; i++)
    if (!weft__lapack_is_finite((const char *)a + (size_t)i * (size_t)n * bytes, type, i + 1)) return false;
  return true;
}

/// data: a, w, info.
int weft__syevd_one(void *const *data, const weft__lapack_task *task) {
  const int type = task->type;
  const int64_t n = task->n;
  if (task->flag && 2 * n * n + 6 * n + 1 > INT32_MAX) return WEFT__LAPACK_TOO_LARGE;
  double best[2] = {0}, real_best[2] = {0};
  int integer_best = 0, *info = data[2];
  if (!is_finite_triangle(data[0], type, task->n)) {
    weft__lapack_fill_nan(data[1], type % 2, task->n);
    weft__lapack_fill_nan(data[0], type, (int64_t)task->n * task->n);
    *info = 1;
    return 0;
  }
  workspace w = {best, real_best, &integer_best, -1, -1, -1};
  call_syevd(task, data[0], data[1], &w, info);
  if (*info < 0) return *info;
  w = (workspace){.length = weft__lapack_length(best, type),
                  .real_length = weft__lapack_length(real_best, type % 2),
                  .integer_length = integer_best};
  const bool has_memory = allocate(&w, type);
  if (has_memory) call_syevd(task, data[0], data[1], &w, info);
  free_workspace(&w);
  return !has_memory ? WEFT__HOST_NO_MEMORY : *info < 0 ? *info : 0;
}

/// The column-major matrix is conj(a), with the same eigenvalues and conjugated vectors. Its vectors are rows of the
/// row-major reading, so a is the adjoint of this reading.
weft_status weft__lapack_syevd(weft_array *w, weft_array *a, bool wants_vectors, weft_array *info, const char *site) {
  weft_array *rows = NULL;
  weft_status rc;
  weft__lapack_task task = {
      .work = WEFT__LAPACK_SYEVD, .type = weft__lapack_type(a->dtype), .n = (int)a->shape[1], .flag = wants_vectors};
  const weft__lapack_array arrays[] = {{a, WEFT__LAPACK_IN_OUT}, {w, WEFT__LAPACK_OUT}, {info, WEFT__LAPACK_OUT}};
  WEFT__TRY(weft__lapack_each(&task, 3, arrays, site));
  if (wants_vectors) {
    WEFT__TRY(weft__transposed_copy(&rows, a, site));
    weft_array transposed = weft__array_borrow(rows);
    weft__set_contiguous(&transposed, weft__array_shape(a));
    if (weft_dtype_kind(a->dtype) == 'c') WEFT__TRY(weft__conjugate(&transposed, site));
    WEFT__TRY(weft__assign(a, &transposed, site));
  }
done:
  weft_array_release(&rows);
  return rc;
}

/* ---- singular values ---- */

static void call_gesdd(const weft__lapack_task *task, void *const *data, const workspace *w, int *info) {
  /* u of the column-major matrix, n x m, is vh's memory; vt is u's */
  const int u_rows = task->n, vt_rows = data[1] ? task->k : 1;
  const char *job = !data[1] ? "N" : task->flag ? "A" : "S";
  double none[2];
  void *u = data[1] ? data[3] : none, *vt = data[1] ? data[1] : none;
  if (weft__lapack_is_complex(task->type))
    weft__lapack.gesdd_complex[task->type - 2](job, &task->n, &task->m, data[0], &task->n, data[2], u, &u_rows, vt,
                                               &vt_rows, w->work, &w->length, w->real, w->integers, info, 1);
  else
    weft__lapack.gesdd[task->type](job, &task->n, &task->m, data[0], &task->n, data[2], u, &u_rows, vt, &vt_rows,
                                   w->work, &w->length, w->integers, info, 1);
}

/// An upper bound of the numbers in gesdd's workspace: of the real ones beside the complex ones, if there are both.
static int64_t workspace_reals(const weft__lapack_task *task, bool wants_vectors) {
  const int64_t m = task->m, n = task->n, least = m < n ? m : n, most = m < n ? n : m;
  if (!wants_vectors) return 7 * least;
  if (!weft__lapack_is_complex(task->type)) return 4 * least * least + 100 * least + most;
  return 7 * least * least + 6 * least +
         (most >= 2 * least ? 0 : 2 * most * least); /* QR comes before the longer ones */
}

/// data: a, u, s, vh, info.
int weft__gesdd_one(void *const *data, const weft__lapack_task *task) {
  const int type = task->type;
  const int64_t m = task->m, n = task->n, least = m < n ? m : n;
  double best[2] = {0};
  int *info = data[4];
  const int64_t reals = workspace_reals(task, data[1] != NULL);
  if (reals > INT32_MAX || 8 * least > INT32_MAX) return WEFT__LAPACK_TOO_LARGE;
  if (!weft__lapack_is_finite(data[0], type, m * n)) {
    weft__lapack_fill_nan(data[2], type % 2, least);
    if (data[1]) weft__lapack_fill_nan(data[1], type, m * task->k);
    if (data[3]) weft__lapack_fill_nan(data[3], type, n * (task->flag ? n : least));
    *info = 1;
    return 0;
  }
  workspace w = {best, NULL, NULL, -1, 0, 0};
  call_gesdd(task, data, &w, info);
  if (*info < 0) return *info;
  w = (workspace){.length = weft__lapack_length(best, type),
                  .real_length = weft__lapack_is_complex(type) ? (int)reals : 1,
                  .integer_length = (int)(8 * least)};
  const bool has_memory = allocate(&w, type);
  if (has_memory) call_gesdd(task, data, &w, info);
  free_workspace(&w);
  return !has_memory ? WEFT__HOST_NO_MEMORY : *info < 0 ? *info : 0;
}

/// transposed(a) = U' S V'h is a = transposed(V'h) S transposed(U'): the memory of U' and V'h, read row-major, is vh
/// and u. Nothing is transposed.
weft_status weft__lapack_gesdd(weft_array *u, weft_array *s, weft_array *vh, weft_array *a, weft_array *info,
                               const char *site) {
  const int64_t least = a->shape[1] < a->shape[2] ? a->shape[1] : a->shape[2];
  weft__lapack_task task = {.work = WEFT__LAPACK_GESDD,
                            .type = weft__lapack_type(a->dtype),
                            .m = (int)a->shape[1],
                            .n = (int)a->shape[2],
                            .k = (int)(u ? u->shape[2] : least),
                            .flag = u && (u->shape[2] > least || vh->shape[1] > least)};
  const weft__lapack_array arrays[] = {{a, WEFT__LAPACK_IN_OUT},
                                       {u, WEFT__LAPACK_OUT},
                                       {s, WEFT__LAPACK_OUT},
                                       {vh, WEFT__LAPACK_OUT},
                                       {info, WEFT__LAPACK_OUT}};
  return weft__lapack_each(&task, 5, arrays, site);
}
