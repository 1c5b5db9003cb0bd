// SPDX-License-Identifier: MIT
/// LAPACK's functions, and the call of one for each matrix of a batch.
#include "op/linalg/lapack_library.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "array/strided_move.h"

/* ---- the library ---- */

weft__lapack_functions weft__lapack;

#define ONE(member, at, name) \
  { name, offsetof(weft__lapack_functions, member) + (at) * sizeof(void (*)(void)), false }
#define FOUR(member, s, d, c, z) ONE(member, 0, s), ONE(member, 1, d), ONE(member, 2, c), ONE(member, 3, z)
static const weft__engine_symbol symbols[] = {
    FOUR(potrf, "spotrf_", "dpotrf_", "cpotrf_", "zpotrf_"),
    FOUR(getrf, "sgetrf_", "dgetrf_", "cgetrf_", "zgetrf_"),
    FOUR(trsm, "strsm_", "dtrsm_", "ctrsm_", "ztrsm_"),
    FOUR(gelqf, "sgelqf_", "dgelqf_", "cgelqf_", "zgelqf_"),
    FOUR(orglq, "sorglq_", "dorglq_", "cunglq_", "zunglq_"),
    FOUR(geqrf, "sgeqrf_", "dgeqrf_", "cgeqrf_", "zgeqrf_"),
    FOUR(orgqr, "sorgqr_", "dorgqr_", "cungqr_", "zungqr_"),
    ONE(syevd, 0, "ssyevd_"),
    ONE(syevd, 1, "dsyevd_"),
    ONE(heevd, 0, "cheevd_"),
    ONE(heevd, 1, "zheevd_"),
    ONE(gesdd, 0, "sgesdd_"),
    ONE(gesdd, 1, "dgesdd_"),
    ONE(gesdd_complex, 0, "cgesdd_"),
    ONE(gesdd_complex, 1, "zgesdd_"),
    {"openblas_get_parallel", offsetof(weft__lapack_functions, get_parallel), true},
    {"openblas_get_num_threads", offsetof(weft__lapack_functions, get_threads), true},
    {"openblas_set_num_threads", offsetof(weft__lapack_functions, set_threads), true},
};
static weft__engine_binding binding = WEFT__ENGINE_BINDING(WEFT__LIBRARY_LAPACK, symbols, &weft__lapack);

bool weft__lapack_is_there(void) {
  return weft__engine_find(&binding);
}

/* ---- a call for each matrix ---- */

/// OpenBLAS 0.3.21 shares even the eigenvectors of 32 by 32 among its threads, which wait for each other: 97 of them
/// take 10.8 ms of processor time on two threads and 4.7 on one. Its number of threads is one for the whole process:
/// calls of other threads that begin meanwhile use one thread too. OpenBLAS with OpenMP keeps its number: there a
/// change frees memory that calls of other threads use.
#define ALONE 64
#define OWN_THREADS 1 /* of openblas_get_parallel */
static pthread_mutex_t alone_lock = PTHREAD_MUTEX_INITIALIZER;
static int alone_calls, kept_threads;

/// Begins, or ends, a call of LAPACK that uses one thread. Calls may overlap. A number that the program sets meanwhile
/// stays.
static void be_alone(bool begins) {
  const weft__lapack_functions *f = &weft__lapack;
  if (!f->get_parallel || !f->get_threads || !f->set_threads || f->get_parallel() != OWN_THREADS) return;
  pthread_mutex_lock(&alone_lock);
  alone_calls += begins ? 1 : -1;
  if (begins && alone_calls == 1) kept_threads = f->get_threads();
  const bool changes = kept_threads > 1 && alone_calls == begins && (begins || f->get_threads() == 1);
  if (changes) f->set_threads(begins ? 1 : kept_threads);
  pthread_mutex_unlock(&alone_lock);
}

static const struct {
  const char *what;
  weft__lapack_one *one;
} works[WEFT__LAPACK_WORKS] = {
    [WEFT__LAPACK_POTRF] = {"cholesky", weft__potrf_one},
    [WEFT__LAPACK_GETRF] = {"lu", weft__getrf_one},
    [WEFT__LAPACK_TRSM] = {"triangular solve", weft__trsm_one},
    [WEFT__LAPACK_ZERO_PIVOT] = {"diagonal", weft__zero_pivot_one},
    [WEFT__LAPACK_GETRS] = {"lu_solve", weft__getrs_one},
    [WEFT__LAPACK_GELQF] = {"qr", weft__gelqf_one},
    [WEFT__LAPACK_GEQRF] = {"qr", weft__geqrf_one},
    [WEFT__LAPACK_SYEVD] = {"eigh", weft__syevd_one},
    [WEFT__LAPACK_GESDD] = {"svd", weft__gesdd_one},
};

static int run_matrices(void *const *data, const weft__lapack_task *t) {
  for (int64_t i = 0; i < t->count; i++) {
    void *one[WEFT__LAPACK_ARRAYS] = {NULL};
    for (int k = 0, use = 0; k < WEFT__LAPACK_ARRAYS; k++)
      if (t->is_there[k]) one[k] = (char *)data[use++] + i * t->step_bytes[k];
    const int code = works[t->work].one(one, t);
    if (code) return code;
  }
  return 0;
}

static int run_batch(void *const *data, const void *task) {
  const weft__lapack_task *t = task;
  const bool is_small = t->m <= ALONE && t->n <= ALONE && t->k <= ALONE;
  if (is_small) be_alone(true);
  const int code = run_matrices(data, t);
  if (is_small) be_alone(false);
  return code;
}

static weft_status explain(int code, const void *task, const char *what) {
  const weft__lapack_task *t = task;
  if (code == WEFT__HOST_NO_MEMORY) return weft__fail(WEFT_ERROR_HOST_MEMORY, NULL, "no memory for LAPACK's workspace");
  if (code == WEFT__LAPACK_TOO_LARGE)
    return weft__fail(WEFT_ERROR_UNSUPPORTED, NULL,
                      "%s of matrices of side %d with vectors needs more than 2^31 - 1 numbers of workspace, which "
                      "LAPACK does not count",
                      what, t->m ? t->m : t->n);
  return weft__fail(WEFT_ERROR_UNSUPPORTED, NULL, "LAPACK refused its argument %d in %s", -code, what);
}

const weft__host_function weft__host_lapack = {"lapack",  WEFT__LIBRARY_LAPACK,  sizeof(weft__lapack_task),
                                               run_batch, weft__lapack_is_there, explain};

weft_status weft__lapack_each(weft__lapack_task *t, int count, const weft__lapack_array *arrays, const char *site) {
  weft__host_use use[WEFT__LAPACK_ARRAYS];
  int uses = 0, code;
  for (int k = 0; k < count; k++) {
    const weft_array *x = arrays[k].array;
    if (!x) continue;
    for (int axis = 0; axis < x->ndim; axis++)
      if (axis > 0 && x->shape[axis] > INT_MAX)
        return weft__fail(WEFT_ERROR_UNSUPPORTED, NULL, "a side of %" PRId64 " is too long for LAPACK", x->shape[axis]);
    t->is_there[k] = true;
    t->count = x->shape[0];
    t->step_bytes[k] = x->stride_bytes[0];
    use[uses++] = (weft__host_use){
        .array = x, .reads = arrays[k].use != WEFT__LAPACK_OUT, .writes = arrays[k].use != WEFT__LAPACK_IN};
  }
  const weft__host_work work = {.context = use[0].array->context,
                                .uses = uses,
                                .use = use,
                                .function = &weft__host_lapack,
                                .task = t,
                                .what = works[t->work].what,
                                .site = site};
  WEFT__TRY_RETURN(weft__host_step(&code, &work));
  return code ? weft__host_failed(code, &work) : WEFT_OK;
}

/* ---- elements ---- */

int weft__lapack_length(const void *element, int type) {
  const double length = type % 2 ? *(const double *)element : (double)*(const float *)element;
  /* a float holds only 24 bits of a length, rounded either way */
  const double safe = type % 2 ? length : ceil(length * (1 + 0x1p-22));
  return safe >= INT_MAX ? INT_MAX : safe < 1 ? 1 : (int)safe;
}

void *weft__lapack_new(int type, int64_t count) {
  return malloc((size_t)(count > 0 ? count : 1) * weft__lapack_bytes(type));
}

bool weft__lapack_is_finite(const void *data, int type, int64_t count) {
  const int64_t parts = weft__lapack_is_complex(type) ? 2 * count : count;
  /* x - x is 0 for finite x, else NaN */
  if (type % 2) {
    double sum = 0;
    for (int64_t i = 0; i < parts; i++) sum += ((const double *)data)[i] - ((const double *)data)[i];
    return sum == 0;
  }
  float sum = 0;
  for (int64_t i = 0; i < parts; i++) sum += ((const float *)data)[i] - ((const float *)data)[i];
  return sum == 0;
}

void weft__lapack_fill_nan(void *data, int type, int64_t count) {
  const int64_t parts = weft__lapack_is_complex(type) ? 2 * count : count;
  for (int64_t i = 0; i < parts; i++)
    if (type % 2)
      ((double *)data)[i] = NAN;
    else
      ((float *)data)[i] = NAN;
}

void weft__lapack_turn(void *to, const void *from, int rows, int columns, int apart, int type) {
  const int64_t size = (int64_t)weft__lapack_bytes(type);
  const weft__layout layout = {
      .arrays = 2, .ndim = 2, .length = {columns, rows}, .stride = {{rows * size, size}, {size, apart * size}}};
  weft__move_elements(to, from, &layout, (size_t)size);
}
