// SPDX-License-Identifier: MIT
/// The choice of a row for each step (steps.h), and the empty matrices, which no row sees.
#include "op/linalg/steps.h"

#include "engine/engine.h"
#include "map/cast.h"
#include "op/linalg/blocked.h"
#include "op/linalg/cusolver.h"
#include "op/linalg/jacobi.h"
#include "op/linalg/lapack.h"
#include "op/linalg/small.h"
#include "op/matmul/cublas.h"

/* ---- the choice ---- */

typedef enum step { POTRF, GETRF, TRSM, GEQRF, SYEVD, GESDD, STEPS } step;
typedef enum row { SMALL, OWN, LAPACK } row;

/// From which number of elements of a matrix on the own row for large matrices comes before LAPACK: on CPU devices,
/// where LAPACK works in place, and on others, where the matrices go to the host and back.
#define NEVER INT64_MAX
static const int64_t own_from[STEPS][2] = {
    [POTRF] = {NEVER, 0}, [GETRF] = {NEVER, 0}, [TRSM] = {NEVER, 0},
    [GEQRF] = {NEVER, 0}, [SYEVD] = {NEVER, 0}, [GESDD] = {NEVER, 0},
};

/// Jacobi rotations of a work-item are slower than LAPACK on a CPU from this side on: PoCL with OpenBLAS on 2 cores, ms
/// for 1000 matrices of 16 by 16, own and LAPACK: eigenvalues 104 and 39, singular values 136 and 37.
#define CPU_SPECTRUM 12

/// The row for matrices like a. `side`: the largest side that matters to the row `small`; `columns`: of the right-hand
/// side, or 0. The kernels of `small` and LAPACK count in 32 bits.
static row choose(step s, const weft_array *a, int64_t side, int64_t columns) {
  const bool is_cpu = a->context->store.is_cpu, lapack = columns <= INT32_MAX && weft__lapack_is_there();
  if (lapack && !weft__engine_allowed(WEFT__ENGINE_OWN)) return LAPACK;
  const bool rotates = s == SYEVD || s == GESDD;
  const bool is_countable = columns <= INT32_MAX / WEFT__SMALL_MATRIX;
  if (side <= (rotates && is_cpu && lapack ? CPU_SPECTRUM : WEFT__SMALL_MATRIX) && is_countable) return SMALL;
  return lapack && a->shape[1] * a->shape[2] < own_from[s][is_cpu ? 0 : 1] ? LAPACK : OWN;
}

/// From which side on NVIDIA's libraries are faster than Weft's kernels and LAPACK, with the way to CUDA's stream and
/// back, for f32, f64, c64 and c128; and for how many matrices of a batch: they take one after the other, Weft's
/// kernels take all at once. Measured on an H200, of rotations on an H100 (docs/performance.md).
static const struct {
  int64_t side[WEFT__CUBLAS_TYPES], batch;
} cuda_from[STEPS] = {
    [POTRF] = {{2048, 2048, 1024, 512}, 1},    [GETRF] = {{512, 512, 512, 512}, 1},
    [TRSM] = {{NEVER, NEVER, NEVER, 2048}, 1}, [GEQRF] = {{192, 192, 192, 192}, 2},
    [SYEVD] = {{384, 192, 192, 128}, 4},       [GESDD] = {{1024, 512, 512, 256}, 2},
};

/// Whether matrices like a are NVIDIA's libraries', in contexts made with .cuda. The library may refuse them later. It
/// is loaded only for matrices that it would get.
static bool is_cudas(step s, const weft_array *a, int64_t side) {
  const bool is_faster = side >= cuda_from[s].side[weft__cublas_place(a->dtype)] && a->shape[0] <= cuda_from[s].batch;
  if (!is_faster && weft__engine_allowed(WEFT__ENGINE_OWN)) return false;
  return s == TRSM ? weft__cublas_is_there(a->context) : weft__cusolver_is_there(a->context);
}

static int64_t longer_side(const weft_array *a) {
  return a->shape[1] > a->shape[2] ? a->shape[1] : a->shape[2];
}

bool weft__step_is_small(const weft_array *a) {
  return choose(GETRF, a, longer_side(a), 0) == SMALL;
}

static weft_status zero(weft_array *x, const char *site) {
  return x && x->size ? weft__fill(x, WEFT_SCALAR(0), site) : WEFT_OK;
}

/* ---- the steps ---- */

weft_status weft__step_potrf(weft_array *a, weft_array *info, const char *site) {
  if (a->size == 0) return zero(info, site);
  bool is_done = false;
  if (is_cudas(POTRF, a, a->shape[1])) WEFT__TRY_RETURN(weft__cuda_potrf(&is_done, a, info, site));
  if (is_done) return WEFT_OK;
  switch (choose(POTRF, a, a->shape[1], 0)) {
    case SMALL:
      return weft__small_potrf(a, info, site);
    case OWN:
      return weft__blocked_potrf(a, info, site);
    default:
      return weft__lapack_potrf(a, info, site);
  }
}

weft_status weft__step_getrf(weft_array *a, weft_array *pivots, weft_array *info, const char *site) {
  if (a->size == 0) return zero(info, site);
  bool is_done = false;
  if (is_cudas(GETRF, a, longer_side(a))) WEFT__TRY_RETURN(weft__cuda_getrf(&is_done, a, pivots, info, site));
  if (is_done) return WEFT_OK;
  switch (choose(GETRF, a, longer_side(a), 0)) {
    case SMALL:
      return weft__small_getrf(a, pivots, info, site);
    case OWN:
      return weft__blocked_getrf(a, pivots, info, site);
    default:
      return weft__lapack_getrf(a, pivots, info, site);
  }
}

weft_status weft__step_getrs(weft_array *b, const weft_array *lu, const weft_array *pivots, const char *site) {
  if (b->size == 0) return WEFT_OK;
  const row how = choose(TRSM, lu, lu->shape[1], b->shape[2]);
  if (how == SMALL) return weft__small_getrs(b, lu, pivots, site);
  if (how == LAPACK && b->context->store.is_cpu) return weft__lapack_getrs(b, lu, pivots, site);
  WEFT__TRY_RETURN(weft__swap_rows(b, pivots, site));
  WEFT__TRY_RETURN(weft__step_trsm(b, NULL, lu, (weft__triangle){.is_unit = true}, NULL, site));
  return weft__step_trsm(b, NULL, lu, (weft__triangle){.is_upper = true}, NULL, site);
}

weft_status weft__step_getri(weft_array *x, const weft_array *lu, const weft_array *pivots, const char *site) {
  bool is_done = false;
  if (x->size > 0 && !is_cudas(TRSM, lu, lu->shape[1]) && choose(TRSM, lu, lu->shape[1], lu->shape[1]) == OWN)
    WEFT__TRY_RETURN(weft__blocked_getri(&is_done, x, lu, pivots, site));
  if (is_done) return WEFT_OK;
  WEFT__TRY_RETURN(weft__identity(x, site));
  return weft__step_getrs(x, lu, pivots, site);
}

weft_status weft__step_zero_pivot(weft_array **info, const weft_array *b, const weft_array *t, weft__triangle triangle,
                                  const char *site) {
  weft_array *place = *info;
  const bool is_own = !is_cudas(TRSM, t, t->shape[1]);
  if (!place) return WEFT_OK;
  const row how = is_own ? choose(TRSM, t, t->shape[1], b->shape[2]) : OWN;
  if (b->size > 0 && how == SMALL) return WEFT_OK;
  *info = NULL;
  if (how == LAPACK && t->context->store.is_cpu && t->size > 0 && !triangle.is_unit)
    return weft__lapack_zero_pivot(place, t, site);
  return weft__find_zero_pivot(place, t, triangle.is_unit, site);
}

weft_status weft__step_trsm(weft_array *b, const weft_array *from, const weft_array *t, weft__triangle triangle,
                            weft_array *info, const char *site) {
  WEFT__TRY_RETURN(weft__step_zero_pivot(&info, b, t, triangle, site));
  if (b->size == 0) return WEFT_OK;
  bool is_done = false;
  const bool is_own = !is_cudas(TRSM, t, t->shape[1]);
  const row how = choose(TRSM, t, t->shape[1], b->shape[2]);
  if (is_own && how == OWN) return weft__blocked_trsm(b, from, t, triangle, site);
  if (from) WEFT__TRY_RETURN(weft__cast_into(b, from, b->dtype, site));
  if (!is_own) WEFT__TRY_RETURN(weft__cuda_trsm(&is_done, b, t, triangle, site));
  if (is_done) return WEFT_OK;
  switch (how) {
    case SMALL:
      return weft__small_trsm(b, t, triangle, info, site);
    case OWN:
      return weft__blocked_trsm(b, NULL, t, triangle, site);
    default:
      return weft__lapack_trsm(b, t, triangle, site);
  }
}

weft_status weft__step_geqrf(weft_array *q, weft_array *r, weft_array *a, const char *site) {
  if (a->size == 0) {
    WEFT__TRY_RETURN(zero(r, site));
    return q ? weft__identity(q, site) : WEFT_OK;
  }
  bool is_done = false;
  if (is_cudas(GEQRF, a, longer_side(a))) WEFT__TRY_RETURN(weft__cuda_geqrf(&is_done, q, r, a, site));
  if (is_done) return WEFT_OK;
  switch (choose(GEQRF, a, longer_side(a), 0)) {
    case SMALL:
      return weft__small_geqrf(q, r, a, site);
    case OWN:
      return weft__blocked_geqrf(q, r, a, site);
    default:
      return weft__lapack_geqrf(q, r, a, site);
  }
}

weft_status weft__step_syevd(weft_array *w, weft_array *a, bool wants_vectors, weft_array *info, const char *site) {
  if (a->size == 0) return zero(info, site);
  bool is_done = false;
  if (is_cudas(SYEVD, a, a->shape[1])) WEFT__TRY_RETURN(weft__cuda_syevd(&is_done, w, a, wants_vectors, info, site));
  if (is_done) return WEFT_OK;
  switch (choose(SYEVD, a, a->shape[1], 0)) {
    case SMALL:
      return weft__small_syevd(w, a, wants_vectors, info, site);
    case OWN:
      return weft__jacobi_syevd(w, a, wants_vectors, info, site);
    default:
      return weft__lapack_syevd(w, a, wants_vectors, info, site);
  }
}

weft_status weft__step_gesdd(weft_array *u, weft_array *s, weft_array *vh, weft_array *a, weft_array *info,
                             const char *site) {
  if (a->size == 0) {
    WEFT__TRY_RETURN(zero(info, site));
    if (!u) return WEFT_OK;
    WEFT__TRY_RETURN(weft__identity(u, site));
    return weft__identity(vh, site);
  }
  bool is_done = false;
  if (is_cudas(GESDD, a, longer_side(a))) WEFT__TRY_RETURN(weft__cuda_gesdd(&is_done, u, s, vh, a, info, site));
  if (is_done) return WEFT_OK;
  switch (choose(GESDD, a, longer_side(a), 0)) {
    case SMALL:
      return weft__small_gesdd(u, s, vh, a, info, site);
    case OWN:
      return weft__jacobi_gesdd(u, s, vh, a, info, site);
    default:
      return weft__lapack_gesdd(u, s, vh, a, info, site);
  }
}
