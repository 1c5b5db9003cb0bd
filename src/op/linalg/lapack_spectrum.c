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

static void call_syevd(const weft__lapack_run *run, void *a, void *values, const workspace *w, int *info) {
  const char *job = run->flag ? "V" : "N";
  if (weft__lapack_is_complex(run->type))
    weft__lapack.heevd[run->type - 2](job, "U", &run->n, a, &run->n, values, w->work, &w->length, w->real,
                                      &w->real_length, w->integers, &w->integer_length, info, 1, 1);
  else
    weft__lapack.syevd[run->type](job, "U", &run->n, a, &run->n, values, w->work, &w->length, w->integers,
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
static int syevd_one(void *const *data, const weft__lapack_run *run) {
  const int type = run->type;
  const int64_t n = run->n;
  if (run->flag && 2 * n * n + 6 * n + 1 > INT32_MAX) return WEFT__LAPACK_TOO_LARGE;
  double best[2] = {0}, real_best[2] = {0};
  int integer_best = 0, *info = data[2];
  if (!is_finite_triangle(data[0], type, run->n)) {
    weft__lapack_fill_nan(data[1], type % 2, run->n);
    weft__lapack_fill_nan(data[0], type, (int64_t)run->n * run->n);
    *info = 1;
    return 0;
  }
  workspace w = {best, real_best, &integer_best, -1, -1, -1};
  call_syevd(run, data[0], data[1], &w, info);
  if (*info < 0) return *info;
  w = (workspace){.length = weft__lapack_length(best, type),
                  .real_length = weft__lapack_length(real_best, type % 2),
                  .integer_length = integer_best};
  const bool has_memory = allocate(&w, type);
  if (has_memory) call_syevd(run, data[0], data[1], &w, info);
  free_workspace(&w);
  return !has_memory ? WEFT__LAPACK_NO_MEMORY : *info < 0 ? *info : 0;
}

/// The column-major matrix is conj(a), with the same eigenvalues and conjugated vectors. Its vectors are rows of the
/// row-major reading, so a is the adjoint of this reading.
weft_status weft__lapack_syevd(weft_array *w, weft_array *a, bool wants_vectors, weft_array *info, const char *site) {
  weft_array *rows = NULL;
  weft_status rc;
  const weft__lapack_run run = {.what = "eigh",
                                .type = weft__lapack_type(a->dtype),
                                .n = (int)a->shape[1],
                                .flag = wants_vectors,
                                .arrays = 3,
                                .array = {a, w, info},
                                .is_output = {[1] = true, [2] = true},
                                .one = syevd_one};
  WEFT__TRY(weft__lapack_each(&run, site));
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

static void call_gesdd(const weft__lapack_run *run, void *const *data, const workspace *w, int *info) {
  /* u of the column-major matrix, n x m, is vh's memory; vt is u's */
  const int u_rows = run->n, vt_rows = data[1] ? run->k : 1;
  const char *job = !data[1] ? "N" : run->flag ? "A" : "S";
  double none[2];
  void *u = data[1] ? data[3] : none, *vt = data[1] ? data[1] : none;
  if (weft__lapack_is_complex(run->type))
    weft__lapack.gesdd_complex[run->type - 2](job, &run->n, &run->m, data[0], &run->n, data[2], u, &u_rows, vt,
                                              &vt_rows, w->work, &w->length, w->real, w->integers, info, 1);
  else
    weft__lapack.gesdd[run->type](job, &run->n, &run->m, data[0], &run->n, data[2], u, &u_rows, vt, &vt_rows, w->work,
                                  &w->length, w->integers, info, 1);
}

/// An upper bound of the numbers in gesdd's workspace: of the real ones beside the complex ones, if there are both.
static int64_t workspace_reals(const weft__lapack_run *run, bool wants_vectors) {
  const int64_t m = run->m, n = run->n, least = m < n ? m : n, most = m < n ? n : m;
  if (!wants_vectors) return 7 * least;
  if (!weft__lapack_is_complex(run->type)) return 4 * least * least + 100 * least + most;
  return 7 * least * least + 6 * least +
         (most >= 2 * least ? 0 : 2 * most * least); /* QR comes before the longer ones */
}

/// data: a, u, s, vh, info.
static int gesdd_one(void *const *data, const weft__lapack_run *run) {
  const int type = run->type;
  const int64_t m = run->m, n = run->n, least = m < n ? m : n;
  double best[2] = {0};
  int *info = data[4];
  const int64_t reals = workspace_reals(run, data[1] != NULL);
  if (reals > INT32_MAX || 8 * least > INT32_MAX) return WEFT__LAPACK_TOO_LARGE;
  if (!weft__lapack_is_finite(data[0], type, m * n)) {
    weft__lapack_fill_nan(data[2], type % 2, least);
    if (data[1]) weft__lapack_fill_nan(data[1], type, m * run->k);
    if (data[3]) weft__lapack_fill_nan(data[3], type, n * (run->flag ? n : least));
    *info = 1;
    return 0;
  }
  workspace w = {best, NULL, NULL, -1, 0, 0};
  call_gesdd(run, data, &w, info);
  if (*info < 0) return *info;
  w = (workspace){.length = weft__lapack_length(best, type),
                  .real_length = weft__lapack_is_complex(type) ? (int)reals : 1,
                  .integer_length = (int)(8 * least)};
  const bool has_memory = allocate(&w, type);
  if (has_memory) call_gesdd(run, data, &w, info);
  free_workspace(&w);
  return !has_memory ? WEFT__LAPACK_NO_MEMORY : *info < 0 ? *info : 0;
}

/// transposed(a) = U' S V'h is a = transposed(V'h) S transposed(U'): the memory of U' and V'h, read row-major, is vh
/// and u. Nothing is transposed.
weft_status weft__lapack_gesdd(weft_array *u, weft_array *s, weft_array *vh, weft_array *a, weft_array *info,
                               const char *site) {
  const int64_t least = a->shape[1] < a->shape[2] ? a->shape[1] : a->shape[2];
  const weft__lapack_run run = {.what = "svd",
                                .type = weft__lapack_type(a->dtype),
                                .m = (int)a->shape[1],
                                .n = (int)a->shape[2],
                                .k = (int)(u ? u->shape[2] : least),
                                .flag = u && (u->shape[2] > least || vh->shape[1] > least),
                                .arrays = 5,
                                .array = {a, u, s, vh, info},
                                .is_output = {[1] = true, [2] = true, [3] = true, [4] = true},
                                .one = gesdd_one};
  return weft__lapack_each(&run, site);
}
