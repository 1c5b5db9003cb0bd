// SPDX-License-Identifier: MIT
/// The ways to compute the steps of linear algebra (steps.h), and the empty matrices, which no way sees.
#include "engine/engine.h"
#include "map/cast.h"
#include "op/linalg/blocked.h"
#include "op/linalg/cusolver.h"
#include "op/linalg/jacobi.h"
#include "op/linalg/lapack.h"
#include "op/linalg/small.h"
#include "op/matmul/cublas.h"

typedef enum step { POTRF, GETRF, TRSM, GEQRF, SYEVD, GESDD, STEPS } step;

/// One call of a step: its arguments, NULL where it has none.
typedef struct step_task {
  step step;
  const weft_array *sized; /* the matrices whose size chooses: of a solution the triangles or the LU factors */
  int64_t side;            /* the largest of their sides that matters */
  int64_t columns;         /* of the right-hand side, or 0 */
  weft_array *a;           /* worked on in place: the matrices, of a solution the right-hand sides */
  weft_array *info, *pivots, *q, *r, *w, *u, *s, *vh;
  const weft_array *from, *swaps; /* of a solution: where the right-hand sides are, the factors' pivots */
  weft__triangle triangle;
  bool wants_vectors;
  const char *site;
} step_task;

static int64_t longer_side(const weft_array *a) {
  return a->shape[1] > a->shape[2] ? a->shape[1] : a->shape[2];
}

/* ---- which tasks a way fits ---- */

/// From which side on NVIDIA's libraries are faster than Weft's kernels and LAPACK, with the way to CUDA's stream and
/// back, for f32, f64, c64 and c128; and for how many matrices of a batch: they take one after the other, Weft's
/// kernels take all at once. Measured on an H200, of rotations on an H100 (docs/performance.md).
#define NEVER INT64_MAX
static const struct {
  int64_t side[WEFT__CUBLAS_TYPES], batch;
} cuda_from[STEPS] = {
    [POTRF] = {{2048, 2048, 1024, 512}, 1},    [GETRF] = {{512, 512, 512, 512}, 1},
    [TRSM] = {{NEVER, NEVER, NEVER, 2048}, 1}, [GEQRF] = {{192, 192, 192, 192}, 2},
    [SYEVD] = {{384, 192, 192, 128}, 4},       [GESDD] = {{1024, 512, 512, 256}, 2},
};

/// The library may refuse the task later. It is loaded only for matrices that it would get.
static bool cuda_fits(const void *task) {
  const step_task *t = task;
  const weft_array *a = t->sized;
  const bool is_faster =
      t->side >= cuda_from[t->step].side[weft__cublas_place(a->dtype)] && a->shape[0] <= cuda_from[t->step].batch;
  if (!is_faster && weft__engine_allowed(WEFT__ENGINE_OWN)) return false;
  return t->step == TRSM ? weft__cublas_is_there(a->context) : weft__cusolver_is_there(a->context);
}

/// LAPACK counts in 32 bits.
static bool has_lapack(const step_task *t) {
  return t->columns <= INT32_MAX && weft__lapack_is_there();
}

static bool small_fits(const void *task) {
  const step_task *t = task;
  const bool rotates = t->step == SYEVD || t->step == GESDD, has = has_lapack(t);
  if (has && !weft__engine_allowed(WEFT__ENGINE_OWN)) return false;
  const int64_t most = rotates && has ? weft__linalg_sizes_of(t->sized->context)->spectrum : WEFT__SMALL_MATRIX;
  return t->side <= most && t->columns <= INT32_MAX / WEFT__SMALL_MATRIX; /* the kernels count in 32 bits */
}

/// On GPUs the matrices would go to the host and back.
static bool lapack_fits(const void *task) {
  const step_task *t = task;
  return has_lapack(t) && (t->sized->context->store.is_cpu || !weft__engine_allowed(WEFT__ENGINE_OWN));
}

/// Whether only the last way fits.
static bool is_left(const step_task *t) {
  return !cuda_fits(t) && !small_fits(t) && !lapack_fits(t);
}

/* ---- the ways ---- */

#define RUN(name, call)                                      \
  static weft_status name(bool *is_done, const void *task) { \
    const step_task *t = task;                               \
    *is_done = true;                                         \
    return call;                                             \
  }
/// A way that decides itself whether it has done the task.
#define TRY_TO_RUN(name, call)                               \
  static weft_status name(bool *is_done, const void *task) { \
    const step_task *t = task;                               \
    return call;                                             \
  }
TRY_TO_RUN(potrf_cuda, weft__cuda_potrf(is_done, t->a, t->info, t->site))
RUN(potrf_small, weft__small_potrf(t->a, t->info, t->site))
RUN(potrf_lapack, weft__lapack_potrf(t->a, t->info, t->site))
RUN(potrf_blocked, weft__blocked_potrf(t->a, t->info, t->site))
TRY_TO_RUN(getrf_cuda, weft__cuda_getrf(is_done, t->a, t->pivots, t->info, t->site))
RUN(getrf_small, weft__small_getrf(t->a, t->pivots, t->info, t->site))
RUN(getrf_lapack, weft__lapack_getrf(t->a, t->pivots, t->info, t->site))
RUN(getrf_blocked, weft__blocked_getrf(t->a, t->pivots, t->info, t->site))
TRY_TO_RUN(geqrf_cuda, weft__cuda_geqrf(is_done, t->q, t->r, t->a, t->site))
RUN(geqrf_small, weft__small_geqrf(t->q, t->r, t->a, t->site))
RUN(geqrf_lapack, weft__lapack_geqrf(t->q, t->r, t->a, t->site))
RUN(geqrf_blocked, weft__blocked_geqrf(t->q, t->r, t->a, t->site))
TRY_TO_RUN(syevd_cuda, weft__cuda_syevd(is_done, t->w, t->a, t->wants_vectors, t->info, t->site))
RUN(syevd_small, weft__small_syevd(t->w, t->a, t->wants_vectors, t->info, t->site))
RUN(syevd_lapack, weft__lapack_syevd(t->w, t->a, t->wants_vectors, t->info, t->site))
RUN(syevd_jacobi, weft__jacobi_syevd(t->w, t->a, t->wants_vectors, t->info, t->site))
TRY_TO_RUN(gesdd_cuda, weft__cuda_gesdd(is_done, t->u, t->s, t->vh, t->a, t->info, t->site))
RUN(gesdd_small, weft__small_gesdd(t->u, t->s, t->vh, t->a, t->info, t->site))
RUN(gesdd_lapack, weft__lapack_gesdd(t->u, t->s, t->vh, t->a, t->info, t->site))
RUN(gesdd_jacobi, weft__jacobi_gesdd(t->u, t->s, t->vh, t->a, t->info, t->site))
RUN(getrs_small, weft__small_getrs(t->a, t->sized, t->swaps, t->site))
RUN(getrs_lapack, weft__lapack_getrs(t->a, t->sized, t->swaps, t->site))

static weft_status getrs_triangles(bool *is_done, const void *task) {
  const step_task *t = task;
  *is_done = true;
  WEFT__TRY_RETURN(weft__swap_rows(t->a, t->swaps, t->site));
  WEFT__TRY_RETURN(weft__step_trsm(t->a, NULL, t->sized, (weft__triangle){.is_unit = true}, NULL, t->site));
  return weft__step_trsm(t->a, NULL, t->sized, (weft__triangle){.is_upper = true}, NULL, t->site);
}

/// Looks for zeros on the diagonal, where a way does not, and copies the right-hand sides, where a way solves in place.
static weft_status begin_trsm(const step_task *t, weft_array *info, const weft_array *from) {
  if (info) WEFT__TRY_RETURN(weft__find_zero_pivot(info, t->sized, t->triangle.is_unit, t->site));
  return from ? weft__cast_into(t->a, from, t->a->dtype, t->site) : WEFT_OK;
}

static weft_status trsm_cuda(bool *is_done, const void *task) {
  const step_task *t = task;
  WEFT__TRY_RETURN(begin_trsm(t, t->info, t->from));
  return weft__cuda_trsm(is_done, t->a, t->sized, t->triangle, t->site);
}

static weft_status trsm_small(bool *is_done, const void *task) {
  const step_task *t = task;
  *is_done = true;
  WEFT__TRY_RETURN(begin_trsm(t, NULL, t->from));
  return weft__small_trsm(t->a, t->sized, t->triangle, t->info, t->site);
}

static weft_status trsm_lapack(bool *is_done, const void *task) {
  const step_task *t = task;
  *is_done = true;
  WEFT__TRY_RETURN(begin_trsm(t, t->info, t->from));
  return weft__lapack_trsm(t->a, t->sized, t->triangle, t->site);
}

static weft_status trsm_blocked(bool *is_done, const void *task) {
  const step_task *t = task;
  *is_done = true;
  WEFT__TRY_RETURN(begin_trsm(t, t->info, NULL));
  return weft__blocked_trsm(t->a, t->from, t->sized, t->triangle, t->site);
}

/* ---- the tables ---- */

static const char cuda_when[] = "contexts with .cuda: large matrices, few in a batch, by cuSOLVER or cuBLAS",
                  small_when[] = "n <= 64 (on CPUs with LAPACK: spectra <= 12), a work-group for each matrix",
                  lapack_when[] = "CPUs with LAPACK; elsewhere WEFT_ENGINE=lapack";

#define STEP_WAYS(name, last, last_when)                                                       \
  static const weft__way name##_ways[] = {                                                     \
      {"cuda", WEFT__ON_ALL, WEFT__BY_CUDA, cuda_when, cuda_fits, name##_cuda, false},         \
      {"small", WEFT__ON_ALL, WEFT__BY_KERNELS, small_when, small_fits, name##_small, false},  \
      {"lapack", WEFT__ON_ALL, WEFT__BY_HOST, lapack_when, lapack_fits, name##_lapack, false}, \
      {#last, WEFT__ON_ALL, WEFT__BY_KERNELS, last_when, NULL, name##_##last, false},          \
  };                                                                                           \
  const weft__ways weft__##name##_ways = WEFT__WAYS(#name, name##_ways);
STEP_WAYS(potrf, blocked, "all, by panels and products")
STEP_WAYS(getrf, blocked, "all, by panels and products")
STEP_WAYS(geqrf, blocked, "all, by panels and products")
STEP_WAYS(syevd, jacobi, "all, by rotations")
STEP_WAYS(gesdd, jacobi, "all, by rotations")

static const weft__way trsm_ways[] = {
    {"cuda", WEFT__ON_ALL, WEFT__BY_CUDA, cuda_when, cuda_fits, trsm_cuda, false},
    {"small", WEFT__ON_ALL, WEFT__BY_KERNELS, small_when, small_fits, trsm_small, false},
    {"lapack", WEFT__ON_ALL, WEFT__BY_HOST, lapack_when, lapack_fits, trsm_lapack, false},
    {"blocked", WEFT__ON_ALL, WEFT__BY_KERNELS, "all, by inverses of blocks of the diagonal and products", NULL,
     trsm_blocked, false},
};
const weft__ways weft__trsm_ways = WEFT__WAYS("trsm", trsm_ways);

static const weft__way getrs_ways[] = {
    {"small", WEFT__ON_ALL, WEFT__BY_KERNELS, small_when, small_fits, getrs_small, false},
    {"lapack", WEFT__ON_CPUS, WEFT__BY_HOST, "LAPACK is there", lapack_fits, getrs_lapack, false},
    {"triangles", WEFT__ON_ALL, WEFT__BY_KERNELS, "all: an exchange of rows and two steps trsm", NULL, getrs_triangles,
     false},
};
const weft__ways weft__getrs_ways = WEFT__WAYS("getrs", getrs_ways);

/* ---- the steps ---- */

static step_task task_of(step kind, weft_array *a, int64_t side, weft_array *info, const char *site) {
  return (step_task){.step = kind, .sized = a, .side = side, .a = a, .info = info, .site = site};
}

static weft_status run(const weft__ways *ways, const step_task *task) {
  return weft__ways_run(ways, task->a->context, task);
}

static weft_status zero(weft_array *x, const char *site) {
  return x && x->size ? weft__fill(x, WEFT_SCALAR(0), site) : WEFT_OK;
}

bool weft__step_is_small(const weft_array *a) {
  return small_fits(&(step_task){.step = GETRF, .sized = a, .side = longer_side(a)});
}

weft_status weft__step_potrf(weft_array *a, weft_array *info, const char *site) {
  if (a->size == 0) return zero(info, site);
  const step_task task = task_of(POTRF, a, a->shape[1], info, site);
  return run(&weft__potrf_ways, &task);
}

weft_status weft__step_getrf(weft_array *a, weft_array *pivots, weft_array *info, const char *site) {
  if (a->size == 0) return zero(info, site);
  step_task task = task_of(GETRF, a, longer_side(a), info, site);
  task.pivots = pivots;
  return run(&weft__getrf_ways, &task);
}

/// A solution for b by the triangles or factors t.
static step_task solution(weft_array *b, const weft_array *t, int64_t columns, const char *site) {
  return (step_task){.step = TRSM, .sized = t, .side = t->shape[1], .columns = columns, .a = b, .site = site};
}

weft_status weft__step_getrs(weft_array *b, const weft_array *lu, const weft_array *pivots, const char *site) {
  if (b->size == 0) return WEFT_OK;
  step_task task = solution(b, lu, b->shape[2], site);
  task.swaps = pivots;
  return run(&weft__getrs_ways, &task);
}

weft_status weft__step_getri(weft_array *x, const weft_array *lu, const weft_array *pivots, const char *site) {
  const step_task task = solution(x, lu, lu->shape[1], site);
  bool is_done = false;
  if (x->size > 0 && is_left(&task)) WEFT__TRY_RETURN(weft__blocked_getri(&is_done, x, lu, pivots, site));
  if (is_done) return WEFT_OK;
  WEFT__TRY_RETURN(weft__identity(x, site));
  return weft__step_getrs(x, lu, pivots, site);
}

weft_status weft__step_zero_pivot(weft_array **info, const weft_array *b, const weft_array *t, weft__triangle triangle,
                                  const char *site) {
  weft_array *place = *info;
  const step_task task = solution(NULL, t, b->shape[2], site);
  const bool is_small = !cuda_fits(&task) && small_fits(&task);
  if (!place || (b->size > 0 && is_small)) return WEFT_OK;
  *info = NULL;
  const bool is_lapacks = !cuda_fits(&task) && !is_small && t->context->store.is_cpu && lapack_fits(&task);
  if (is_lapacks && t->size > 0 && !triangle.is_unit) return weft__lapack_zero_pivot(place, t, site);
  return weft__find_zero_pivot(place, t, triangle.is_unit, site);
}

weft_status weft__step_trsm(weft_array *b, const weft_array *from, const weft_array *t, weft__triangle triangle,
                            weft_array *info, const char *site) {
  WEFT__TRY_RETURN(weft__step_zero_pivot(&info, b, t, triangle, site));
  if (b->size == 0) return WEFT_OK;
  step_task task = solution(b, t, b->shape[2], site);
  task.from = from, task.triangle = triangle, task.info = info;
  return run(&weft__trsm_ways, &task);
}

weft_status weft__step_geqrf(weft_array *q, weft_array *r, weft_array *a, const char *site) {
  if (a->size == 0) {
    WEFT__TRY_RETURN(zero(r, site));
    return q ? weft__identity(q, site) : WEFT_OK;
  }
  step_task task = task_of(GEQRF, a, longer_side(a), NULL, site);
  task.q = q, task.r = r;
  return run(&weft__geqrf_ways, &task);
}

weft_status weft__step_syevd(weft_array *w, weft_array *a, bool wants_vectors, weft_array *info, const char *site) {
  if (a->size == 0) return zero(info, site);
  step_task task = task_of(SYEVD, a, a->shape[1], info, site);
  task.w = w, task.wants_vectors = wants_vectors;
  return run(&weft__syevd_ways, &task);
}

weft_status weft__step_gesdd(weft_array *u, weft_array *s, weft_array *vh, weft_array *a, weft_array *info,
                             const char *site) {
  if (a->size == 0) {
    WEFT__TRY_RETURN(zero(info, site));
    if (!u) return WEFT_OK;
    WEFT__TRY_RETURN(weft__identity(u, site));
    return weft__identity(vh, site);
  }
  step_task task = task_of(GESDD, a, longer_side(a), info, site);
  task.u = u, task.s = s, task.vh = vh;
  return run(&weft__gesdd_ways, &task);
}
