// SPDX-License-Identifier: MIT
/// weft_cholesky, weft_lu, weft_lu_factor, weft_qr.

#include "map/cast.h"
#include "op/linalg/solver.h"

/* ---- Cholesky ---- */

/// The upper triangle of A is the lower one of its transposed matrix, which has the factor U^T.
static weft_status cholesky(weft__solver *s, bool upper) {
  weft_array *out, *work;
  WEFT__TRY_RETURN(weft__solver_begin(s, true));
  WEFT__TRY_RETURN(weft__solver_result(&out, s, 0, s->dtype, 2, s->n, s->n));
  WEFT__TRY_RETURN(weft__solver_info(s));
  work = out;
  if (upper) WEFT__TRY_RETURN(weft__solver_work(&work, s, s->dtype, 2, s->n, s->n));
  WEFT__TRY_RETURN(weft__solver_load(work, s, 0, upper));
  weft_array flat = weft__solver_flat(s, work, 2), info = weft__solver_flat(s, s->info, 0);
  WEFT__TRY_RETURN(weft__step_potrf(&flat, &info, s->call.site));
  WEFT__TRY_RETURN(weft__solver_report(s, WEFT__NOT_POSITIVE));
  if (!upper) return WEFT_OK;
  const weft_array turned = weft__array_transposed(work);
  return weft__cast_into(out, &turned, s->dtype, s->call.site);
}

weft_status weft__cholesky_at(weft_operand l, weft_operand a, const weft_hermitian_params *params) {
  static const weft__solver_function function = {.name = "weft_cholesky", .result = {"l"}, .operand = {"a"}};
  const weft_hermitian_params p = WEFT__PARAMS(params);
  weft__solver s;
  weft__solver_open(&s, &function, &l, &a, p.info, p.site);
  return weft__solver_close(&s, cholesky(&s, p.upper));
}

/* ---- LU ---- */

/// LU of operand 0 in `work`, and its pivots.
static weft_status factor_lu(weft__solver *s, weft_array *work, weft_array *pivots) {
  WEFT__TRY_RETURN(weft__solver_info(s));
  WEFT__TRY_RETURN(weft__solver_load(work, s, 0, false));
  weft_array flat = weft__solver_flat(s, work, 2), flat_pivots = weft__solver_flat(s, pivots, 1),
             info = weft__solver_flat(s, s->info, 0);
  return weft__step_getrf(&flat, &flat_pivots, &info, s->call.site);
}

static weft_status lu(weft__solver *s, bool indices) {
  weft_array *work, *pivots, *p, *out;
  WEFT__TRY_RETURN(weft__solver_begin(s, false));
  const int64_t k = s->m < s->n ? s->m : s->n;
  WEFT__TRY_RETURN(weft__solver_work(&work, s, s->dtype, 2, s->m, s->n));
  WEFT__TRY_RETURN(weft__solver_work(&pivots, s, WEFT_I32, 1, k, 0));
  WEFT__TRY_RETURN(factor_lu(s, work, pivots));
  if (weft__solver_wants(s, 0)) {
    WEFT__TRY_RETURN(weft__solver_result(&p, s, 0, indices ? WEFT_I64 : s->real, indices ? 1 : 2, s->m, s->m));
    weft_array flat = weft__solver_flat(s, p, indices ? 1 : 2), flat_pivots = weft__solver_flat(s, pivots, 1);
    WEFT__TRY_RETURN(weft__permutation_of(&flat, &flat_pivots, s->m, s->call.site));
  }
  const weft_array factors = weft__solver_flat(s, work, 2);
  if (weft__solver_wants(s, 1)) {
    WEFT__TRY_RETURN(weft__solver_result(&out, s, 1, s->dtype, 2, s->m, k));
    weft_array l = weft__solver_flat(s, out, 2);
    WEFT__TRY_RETURN(weft__take_unit_lower(&l, &factors, s->call.site));
  }
  if (weft__solver_wants(s, 2)) {
    WEFT__TRY_RETURN(weft__solver_result(&out, s, 2, s->dtype, 2, k, s->n));
    weft_array u = weft__solver_flat(s, out, 2);
    WEFT__TRY_RETURN(weft__take_upper(&u, &factors, s->call.site));
  }
  return WEFT_OK;
}

weft_status weft__lu_at(weft_operand p, weft_operand l, weft_operand u, weft_operand a, const weft_lu_params *params) {
  static const weft__solver_function function = {.name = "weft_lu", .result = {"p", "l", "u"}, .operand = {"a"}};
  const weft_operand results[] = {p, l, u};
  const weft_lu_params given = WEFT__PARAMS(params);
  weft__solver s;
  weft__solver_open(&s, &function, results, &a, NULL, given.site);
  return weft__solver_close(&s, lu(&s, given.indices));
}

static weft_status lu_factor(weft__solver *s) {
  weft_array *out, *pivots;
  WEFT__TRY_RETURN(weft__solver_begin(s, false));
  WEFT__TRY_RETURN(weft__solver_result(&out, s, 0, s->dtype, 2, s->m, s->n));
  WEFT__TRY_RETURN(weft__solver_result(&pivots, s, 1, WEFT_I32, 1, s->m < s->n ? s->m : s->n, 0));
  return factor_lu(s, out, pivots);
}

weft_status weft__lu_factor_at(weft_operand lu, weft_operand pivots, weft_operand a, const weft_solve_params *params) {
  static const weft__solver_function function = {
      .name = "weft_lu_factor", .result = {"lu", "pivots"}, .operand = {"a"}};
  const weft_operand results[] = {lu, pivots};
  const weft_solve_params p = WEFT__PARAMS(params);
  weft__solver s;
  weft__solver_open(&s, &function, results, &a, p.info, p.site);
  return weft__solver_close(&s, lu_factor(&s));
}

/* ---- QR ---- */

static weft_status qr(weft__solver *s, bool complete) {
  weft_array *q = NULL, *r, *work;
  WEFT__TRY_RETURN(weft__solver_begin(s, false));
  const int64_t least = s->m < s->n ? s->m : s->n, k = complete ? s->m : least;
  const bool wants_q = weft__solver_wants(s, 0);
  if (wants_q) WEFT__TRY_RETURN(weft__solver_result(&q, s, 0, s->dtype, 2, s->m, k));
  WEFT__TRY_RETURN(weft__solver_result(&r, s, 1, s->dtype, 2, k, s->n));
  WEFT__TRY_RETURN(weft__solver_work(&work, s, s->dtype, 2, s->m, s->n));
  WEFT__TRY_RETURN(weft__solver_load(work, s, 0, false));
  weft_array flat = weft__solver_flat(s, work, 2), flat_r = weft__solver_flat(s, r, 2),
             flat_q = wants_q ? weft__solver_flat(s, q, 2) : flat_r;
  if (wants_q || k == least) return weft__step_geqrf(wants_q ? &flat_q : NULL, &flat_r, &flat, s->call.site);
  /* the rows below the triangle are 0 */
  weft_array *top;
  WEFT__TRY_RETURN(weft__solver_work(&top, s, s->dtype, 2, least, s->n));
  weft_array flat_top = weft__solver_flat(s, top, 2), upper = weft__array_part(r, r->ndim - 2, 0, least);
  WEFT__TRY_RETURN(weft__step_geqrf(NULL, &flat_top, &flat, s->call.site));
  WEFT__TRY_RETURN(weft__fill(r, WEFT_SCALAR(0), s->call.site));
  return weft__cast_into(&upper, top, s->dtype, s->call.site);
}

weft_status weft__qr_at(weft_operand q, weft_operand r, weft_operand a, const weft_qr_params *params) {
  static const weft__solver_function function = {.name = "weft_qr", .result = {"q", "r"}, .operand = {"a"}};
  const weft_operand results[] = {q, r};
  const weft_qr_params p = WEFT__PARAMS(params);
  weft__solver s;
  weft__solver_open(&s, &function, results, &a, NULL, p.site);
  return weft__solver_close(&s, qr(&s, p.complete));
}
