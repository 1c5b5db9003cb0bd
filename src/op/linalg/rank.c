// SPDX-License-Identifier: MIT
/// weft_lstsq, weft_pinv, weft_matrix_rank: functions of the singular values.
#include <float.h>
#include <math.h>
#include <weft/eval.h>
#include <weft/matmul.h>
#include <weft/reduce.h>

#include "map/cast.h"
#include "op/linalg/solver.h"

static int64_t shorter(const weft__solver *s) {
  return s->m < s->n ? s->m : s->n;
}

/// The bound for singular values relative to the largest: `rtol`, or by default max(m, n) * epsilon.
static weft_status find_bound(double *bound, const weft__solver *s, double rtol) {
  const double longer = (double)(s->m > s->n ? s->m : s->n);
  if (isnan(rtol) || rtol < 0) return weft__fail(WEFT_ERROR_ARGUMENT, "rtol", "`rtol` is %g; expected 0 or more", rtol);
  *bound = rtol != 0 ? rtol : longer * (s->real == WEFT_F64 ? DBL_EPSILON : (double)FLT_EPSILON);
  return WEFT_OK;
}

/* ---- least squares ---- */

enum { X, RESIDUALS, RANK, SINGULAR, LSTSQ_RESULTS };

/// The squared lengths of the columns of b - a x.
static weft_status find_residuals(weft_array *out, weft__solver *s, const weft_array *x, int64_t columns) {
  const char *site = s->call.site;
  weft_array *a, *b, *squares;
  if (out->size == 0) return WEFT_OK;
  WEFT__TRY_RETURN(weft__solver_work(&a, s, s->dtype, 2, s->m, s->n));
  WEFT__TRY_RETURN(weft__solver_work(&b, s, s->dtype, 2, s->m, columns));
  WEFT__TRY_RETURN(weft__solver_work(&squares, s, s->real, 2, s->m, columns));
  WEFT__TRY_RETURN(weft__solver_load(a, s, 0, false));
  WEFT__TRY_RETURN(weft__solver_load(b, s, 1, false));
  weft_array flat_a = weft__solver_flat(s, a, 2), flat_b = weft__solver_flat(s, b, 2),
             flat_out = weft__array_borrow(out), *difference = &flat_b, *sums = &flat_out;
  weft__set_contiguous(&flat_out, WEFT_SHAPE(s->batch, columns));
  const weft_matmul_params subtract = {.scale = WEFT_SCALAR(-1.0), .accumulate = WEFT_SCALAR(1.0), .site = site};
  if (s->n > 0)
    WEFT__TRY_RETURN(weft__matmul_at(WEFT_OPERAND(&difference), WEFT_OPERAND(&flat_a), WEFT_OPERAND(x), &subtract));
  const weft_operand sizes[] = {WEFT_OPERAND(&squares), WEFT_OPERAND(b)};
  WEFT__TRY_RETURN(weft__ufunc_apply_at(WEFT_UFUNC_ABS, 2, sizes, site));
  const weft_operand products[] = {WEFT_OPERAND(&squares), WEFT_OPERAND(squares)};
  WEFT__TRY_RETURN(weft__ufunc_apply_at(WEFT_UFUNC_SQUARE, 2, products, site));
  const weft_array flat_squares = weft__solver_flat(s, squares, 2);
  return weft__reduce_apply_at(WEFT_REDUCE_SUM, WEFT_OPERAND(&sums), WEFT_OPERAND(&flat_squares), WEFT__AXES(1), 0,
                               site);
}

static weft_status lstsq(weft__solver *s, double rtol) {
  int64_t columns;
  bool is_vector;
  weft_array *x, *residuals = NULL, *values, *rank, *a, *b;
  double bound = 0;
  WEFT__TRY_RETURN(weft__solver_begin(s, false));
  WEFT__TRY_RETURN(find_bound(&bound, s, rtol));
  WEFT__TRY_RETURN(weft__solver_right(&columns, &is_vector, s, 1));
  WEFT__TRY_RETURN(weft__solver_result(&x, s, X, s->dtype, is_vector ? 1 : 2, s->n, columns));
  if (weft__solver_wants(s, RESIDUALS))
    WEFT__TRY_RETURN(weft__solver_result(&residuals, s, RESIDUALS, s->real, is_vector ? 0 : 1, columns, 0));
  WEFT__TRY_RETURN(weft__solver_result(&rank, s, RANK, WEFT_I32, 0, 0, 0));
  WEFT__TRY_RETURN(weft__solver_result(&values, s, SINGULAR, s->real, 1, shorter(s), 0));
  weft_array flat_x = weft__array_borrow(x);
  weft__set_contiguous(&flat_x, WEFT_SHAPE(s->batch, s->n, columns));
  WEFT__TRY_RETURN(weft__solver_info(s));
  WEFT__TRY_RETURN(weft__solver_work(&a, s, s->dtype, 2, s->m, s->n));
  WEFT__TRY_RETURN(weft__solver_work(&b, s, s->dtype, 2, s->m, columns));
  WEFT__TRY_RETURN(weft__solver_load(a, s, 0, false));
  WEFT__TRY_RETURN(weft__solver_load(b, s, 1, false));
  weft_array flat_a = weft__solver_flat(s, a, 2), flat_b = weft__solver_flat(s, b, 2),
             flat_s = weft__solver_flat(s, values, 1), flat_rank = weft__solver_flat(s, rank, 0),
             flat_info = weft__solver_flat(s, s->info, 0);
  const weft__gelsd step = {.x = &flat_x,
                            .s = &flat_s,
                            .rank = &flat_rank,
                            .info = &flat_info,
                            .a = &flat_a,
                            .b = &flat_b,
                            .rcond = bound,
                            .wants_s = weft__solver_wants(s, SINGULAR)};
  WEFT__TRY_RETURN(weft__step_gelsd(&step, s->call.site));
  WEFT__TRY_RETURN(weft__solver_report(s, WEFT__NOT_CONVERGED));
  return residuals ? find_residuals(residuals, s, &flat_x, columns) : WEFT_OK;
}

weft_status weft__lstsq_at(weft_operand x, weft_operand a, weft_operand b, const weft_lstsq_params *params) {
  static const weft__solver_function function = {
      .name = "weft_lstsq", .result = {"x", "residuals", "rank", "s"}, .operand = {"a", "b"}};
  const weft_lstsq_params p = WEFT__PARAMS(params);
  const weft_operand results[LSTSQ_RESULTS] = {x, WEFT_OPERAND(p.residuals), WEFT_OPERAND(p.rank), WEFT_OPERAND(p.s)},
                     operands[] = {a, b};
  weft__solver s;
  weft__solver_open(&s, &function, results, operands, p.info, p.site);
  return weft__solver_close(&s, lstsq(&s, p.rtol));
}

/* ---- pseudo-inverses ---- */

/// A formula of singular values in order, or of eigenvalues, `s` [batch, k], their `first` and `last`, and `bound`.
static weft_status compare_values(weft_array **out, weft__solver *s, const weft_array *values, double bound,
                                  const char *formula) {
  const weft_array first = weft__array_part(values, 1, 0, 1),
                   last = weft__array_part(values, 1, values->shape[1] - 1, 1);
  const weft_operand variables[] = {WEFT_NAMED("s", values), WEFT_NAMED("first", &first), WEFT_NAMED("last", &last),
                                    WEFT_NAMED("bound", bound)};
  WEFT__TRY_RETURN(weft__eval_at(WEFT_OPERAND(out), s->call.context, formula, 4, variables, s->call.site));
  s->work[s->works++] = *out;
  return WEFT_OK;
}

/// The least squares solution of A X = 1.
static weft_status invert_singular(weft_array *x, weft__solver *s, double bound) {
  weft_array *values, *rank, *a, *b;
  WEFT__TRY_RETURN(weft__solver_work(&a, s, s->dtype, 2, s->m, s->n));
  WEFT__TRY_RETURN(weft__solver_work(&b, s, s->dtype, 2, s->m, s->m));
  WEFT__TRY_RETURN(weft__solver_work(&values, s, s->real, 1, shorter(s), 0));
  WEFT__TRY_RETURN(weft__solver_work(&rank, s, WEFT_I32, 0, 0, 0));
  WEFT__TRY_RETURN(weft__solver_load(a, s, 0, false));
  weft_array flat_x = weft__solver_flat(s, x, 2), flat_a = weft__solver_flat(s, a, 2),
             flat_b = weft__solver_flat(s, b, 2), flat_s = weft__solver_flat(s, values, 1),
             flat_rank = weft__solver_flat(s, rank, 0), flat_info = weft__solver_flat(s, s->info, 0);
  WEFT__TRY_RETURN(weft__identity(&flat_b, s->call.site));
  const weft__gelsd step = {
      .x = &flat_x, .s = &flat_s, .rank = &flat_rank, .info = &flat_info, .a = &flat_a, .b = &flat_b, .rcond = bound};
  return weft__step_gelsd(&step, s->call.site);
}

/// V diag(1 / w) V^H of Hermitian matrices, without the eigenvalues w that count as 0. V is divided by w: the inverse
/// of a subnormal one overflows.
static weft_status invert_hermitian(weft_array *x, weft__solver *s, double bound) {
  const char *site = s->call.site;
  weft_array *v, *values, *divisors = NULL, *scaled = NULL, *adjoint = NULL;
  WEFT__TRY_RETURN(weft__solver_work(&values, s, s->real, 1, s->n, 0));
  WEFT__TRY_RETURN(weft__solver_work(&v, s, s->dtype, 2, s->n, s->n));
  WEFT__TRY_RETURN(weft__solver_load(v, s, 0, false));
  weft_array flat_x = weft__solver_flat(s, x, 2), flat_v = weft__solver_flat(s, v, 2), *out = &flat_x,
             flat_w = weft__solver_flat(s, values, 1), flat_info = weft__solver_flat(s, s->info, 0);
  WEFT__TRY_RETURN(weft__step_syevd(&flat_w, &flat_v, true, &flat_info, site));
  if (flat_x.size == 0) return WEFT_OK;
  WEFT__TRY_RETURN(compare_values(&divisors, s, &flat_w, bound,
                                  "where(abs(s) > bound * fmax(abs(first), abs(last)), s, where(isnan(s), s, inf))"));
  weft__set_contiguous(divisors, WEFT_SHAPE(s->batch, 1, s->n));
  const weft_operand quotients[] = {WEFT_OPERAND(&scaled), WEFT_OPERAND(&flat_v), WEFT_OPERAND(divisors)};
  WEFT__TRY_RETURN(weft__ufunc_apply_at(WEFT_UFUNC_DIVIDE, 3, quotients, site));
  s->work[s->works++] = scaled;
  const weft_array turned = weft__array_transposed(&flat_v), *right = &turned;
  if (s->dtype != s->real) {
    const weft_operand conjugates[] = {WEFT_OPERAND(&adjoint), WEFT_OPERAND(&turned)};
    WEFT__TRY_RETURN(weft__ufunc_apply_at(WEFT_UFUNC_CONJ, 2, conjugates, site));
    s->work[s->works++] = adjoint;
    right = adjoint;
  }
  const weft_matmul_params params = {.site = site};
  return weft__matmul_at(WEFT_OPERAND(&out), WEFT_OPERAND(scaled), WEFT_OPERAND(right), &params);
}

static weft_status pinv(weft__solver *s, const weft_rank_params *p) {
  weft_array *x;
  double bound = 0;
  WEFT__TRY_RETURN(weft__solver_begin(s, p->hermitian));
  WEFT__TRY_RETURN(find_bound(&bound, s, p->rtol));
  WEFT__TRY_RETURN(weft__solver_result(&x, s, 0, s->dtype, 2, s->n, s->m));
  WEFT__TRY_RETURN(weft__solver_info(s));
  WEFT__TRY_RETURN(p->hermitian ? invert_hermitian(x, s, bound) : invert_singular(x, s, bound));
  return weft__solver_report(s, WEFT__NOT_CONVERGED);
}

weft_status weft__pinv_at(weft_operand out, weft_operand a, const weft_rank_params *params) {
  static const weft__solver_function function = {.name = "weft_pinv", .result = {"out"}, .operand = {"a"}};
  const weft_rank_params p = WEFT__PARAMS(params);
  weft__solver s;
  weft__solver_open(&s, &function, &out, &a, p.info, p.site);
  return weft__solver_close(&s, pinv(&s, &p));
}

/* ---- rank ---- */

/// The singular values of operand 0, or its eigenvalues, as [batch, k].
static weft_status find_values(weft_array *flat, weft__solver *s, bool is_hermitian) {
  weft_array *values, *work;
  WEFT__TRY_RETURN(weft__solver_work(&values, s, s->real, 1, shorter(s), 0));
  WEFT__TRY_RETURN(weft__solver_work(&work, s, s->dtype, 2, s->m, s->n));
  WEFT__TRY_RETURN(weft__solver_load(work, s, 0, false));
  *flat = weft__solver_flat(s, values, 1);
  weft_array flat_work = weft__solver_flat(s, work, 2), info = weft__solver_flat(s, s->info, 0);
  return is_hermitian ? weft__step_syevd(flat, &flat_work, false, &info, s->call.site)
                      : weft__step_gesdd(NULL, flat, NULL, &flat_work, &info, s->call.site);
}

/// An array of fewer than two axes: whether an element is not 0.
static weft_status rank_of_vector(weft__solver *s) {
  weft_array *out, *any = NULL;
  weft__call *c = &s->call;
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  WEFT__TRY_RETURN(weft__solver_result(&out, s, 0, WEFT_I64, 0, 0, 0));
  if (s->info_at >= 0) {
    WEFT__TRY_RETURN(weft__solver_info(s));
    WEFT__TRY_RETURN(weft__fill(s->info, WEFT_SCALAR(0), c->site));
  }
  WEFT__TRY_RETURN(weft__reduce_apply_at(WEFT_REDUCE_ANY, WEFT_OPERAND(&any), WEFT_OPERAND(c->array[c->results]),
                                         WEFT_ALL_AXES, 0, c->site));
  s->work[s->works++] = any;
  return weft__cast_into(out, any, WEFT_I64, c->site);
}

static weft_status matrix_rank(weft__solver *s, const weft_rank_params *p) {
  const char *site = s->call.site;
  weft_array *out, *above = NULL, values;
  double bound = 0;
  WEFT__TRY_RETURN(weft__call_operands(&s->call));
  if (weft__call_shape(&s->call, 0).ndim < 2) return rank_of_vector(s);
  WEFT__TRY_RETURN(weft__solver_begin(s, p->hermitian));
  WEFT__TRY_RETURN(find_bound(&bound, s, p->rtol));
  WEFT__TRY_RETURN(weft__solver_result(&out, s, 0, WEFT_I64, 0, 0, 0));
  WEFT__TRY_RETURN(weft__solver_info(s));
  WEFT__TRY_RETURN(find_values(&values, s, p->hermitian));
  WEFT__TRY_RETURN(weft__solver_report(s, WEFT__NOT_CONVERGED));
  if (values.size == 0) return out->size > 0 ? weft__fill(out, WEFT_SCALAR(0), site) : WEFT_OK;
  WEFT__TRY_RETURN(compare_values(&above, s, &values, bound, "abs(s) > bound * fmax(abs(first), abs(last))"));
  weft_array flat = weft__solver_flat(s, out, 0), *counts = &flat;
  return weft__reduce_apply_at(WEFT_REDUCE_COUNT_NONZERO, WEFT_OPERAND(&counts), WEFT_OPERAND(above), WEFT__AXES(1), 0,
                               site);
}

weft_status weft__matrix_rank_at(weft_operand out, weft_operand a, const weft_rank_params *params) {
  static const weft__solver_function function = {.name = "weft_matrix_rank", .result = {"out"}, .operand = {"a"}};
  const weft_rank_params p = WEFT__PARAMS(params);
  weft__solver s;
  weft__solver_open(&s, &function, &out, &a, p.info, p.site);
  return weft__solver_close(&s, matrix_rank(&s, &p));
}
