// SPDX-License-Identifier: MIT
/// weft_eigh, weft_svd.
#include <float.h>
#include <weft/eval.h>
#include <weft/reduce.h>

#include "map/cast.h"
#include "op/linalg/solver.h"

/* ---- eigenvalues ---- */

static weft_status eigh(weft__solver *s, bool upper) {
  weft_array *w, *v;
  const bool wants = weft__solver_wants(s, 1);
  WEFT__TRY_RETURN(weft__solver_begin(s, true));
  WEFT__TRY_RETURN(weft__solver_result(&w, s, 0, s->real, 1, s->n, 0));
  WEFT__TRY_RETURN(weft__solver_result(&v, s, 1, s->dtype, 2, s->n, s->n));
  WEFT__TRY_RETURN(weft__solver_info(s));
  /* the upper triangle of A is the lower one of A^T, the conjugated matrix */
  WEFT__TRY_RETURN(weft__solver_load(v, s, 0, upper));
  weft_array flat_w = weft__solver_flat(s, w, 1), flat = weft__solver_flat(s, v, 2),
             info = weft__solver_flat(s, s->info, 0);
  WEFT__TRY_RETURN(weft__step_syevd(&flat_w, &flat, wants, &info, s->call.site));
  if (upper && wants && s->dtype != s->real) {
    const weft_operand operands[] = {WEFT_OPERAND(&v), WEFT_OPERAND(v)};
    WEFT__TRY_RETURN(weft_ufunc_apply(WEFT_UFUNC_CONJ, 2, operands));
  }
  return weft__solver_report(s, WEFT__NOT_CONVERGED);
}

weft_status weft__eigh_at(weft_operand w, weft_operand v, weft_operand a, const weft_hermitian_params *params) {
  static const weft__solver_function function = {.name = "weft_eigh", .result = {"w", "v"}, .operand = {"a"}};
  const weft_operand results[] = {w, v};
  const weft_hermitian_params p = WEFT__PARAMS(params);
  weft__solver s;
  weft__solver_open(&s, &function, results, &a, p.info, p.site);
  return weft__solver_close(&s, eigh(&s, p.upper));
}

/* ---- singular values ---- */

/// The singular values of operand 0 in `out`, and with `u` and `vh` (both or neither) the vectors.
static weft_status decompose(weft__solver *s, weft_array *u, weft_array *out, weft_array *vh) {
  weft_array *work;
  WEFT__TRY_RETURN(weft__solver_work(&work, s, s->dtype, 2, s->m, s->n));
  WEFT__TRY_RETURN(weft__solver_load(work, s, 0, false));
  weft_array flat = weft__solver_flat(s, work, 2), flat_s = weft__solver_flat(s, out, 1),
             info = weft__solver_flat(s, s->info, 0), flat_u = flat, flat_vh = flat;
  if (u) flat_u = weft__solver_flat(s, u, 2);
  if (vh) flat_vh = weft__solver_flat(s, vh, 2);
  return weft__step_gesdd(u ? &flat_u : NULL, &flat_s, vh ? &flat_vh : NULL, &flat, &info, s->call.site);
}

static int64_t shorter(const weft__solver *s) {
  return s->m < s->n ? s->m : s->n;
}

static weft_status svd(weft__solver *s, bool full) {
  weft_array *u = NULL, *values, *vh = NULL;
  WEFT__TRY_RETURN(weft__solver_begin(s, false));
  const int64_t k = shorter(s);
  const bool wants = weft__solver_wants(s, 0) || weft__solver_wants(s, 2);
  if (wants) WEFT__TRY_RETURN(weft__solver_result(&u, s, 0, s->dtype, 2, s->m, full ? s->m : k));
  WEFT__TRY_RETURN(weft__solver_result(&values, s, 1, s->real, 1, k, 0));
  if (wants) WEFT__TRY_RETURN(weft__solver_result(&vh, s, 2, s->dtype, 2, full ? s->n : k, s->n));
  WEFT__TRY_RETURN(weft__solver_info(s));
  WEFT__TRY_RETURN(decompose(s, u, values, vh));
  return weft__solver_report(s, WEFT__NOT_CONVERGED);
}

weft_status weft__svd_at(weft_operand u, weft_operand s, weft_operand vh, weft_operand a,
                         const weft_svd_params *params) {
  static const weft__solver_function function = {.name = "weft_svd", .result = {"u", "s", "vh"}, .operand = {"a"}};
  const weft_operand results[] = {u, s, vh};
  const weft_svd_params p = WEFT__PARAMS(params);
  weft__solver solver;
  weft__solver_open(&solver, &function, results, &a, p.info, p.site);
  return weft__solver_close(&solver, svd(&solver, p.full_matrices));
}
