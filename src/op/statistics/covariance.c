// SPDX-License-Identifier: MIT
/// Covariances and correlations: the product of the centred variables with themselves.
#include <inttypes.h>
#include <stdio.h>

#include <weft/eval.h>
#include <weft/matmul.h>
#include <weft/rearrange.h>
#include <weft/reduce.h>
#include <weft/statistics.h>

#include "call/call.h"
#include "expr/overload.h"
#include "map/cast.h"
#include "op/statistics/centred.h"

enum { X, Y, FWEIGHTS, AWEIGHTS, OPERANDS };

typedef struct cov_call {
  weft__call call;
  weft_operand operand[OPERANDS]; /* those given, without gaps */
  const char *name[OPERANDS];
  int at[OPERANDS]; /* the index of each there; -1: not given */
  weft_cov_params p;
  weft_dtype dtype;
  int64_t variables, observations;
  weft_array given;    /* the variables in rows */
  weft_array *x;       /* the variables of both operands; then centred, of `dtype` */
  weft_array *weights; /* of the observations; NULL: all 1 */
  weft_array *factor;  /* what the products are divided by, if there are weights */
  weft_array *products;
} cov_call;

static const weft_array *array_of(const cov_call *t, int operand) {
  return t->call.array[t->call.results + t->at[operand]];
}

/* ---- operands ---- */

static weft_dtype real_of(weft_dtype dtype) {
  return dtype == WEFT_C64 ? WEFT_F32 : dtype == WEFT_C128 ? WEFT_F64 : dtype;
}

static weft_status find_dtype(cov_call *t) {
  bool is_complex = false;
  for (int k = X; k <= Y; k++)
    if (t->at[k] >= 0) is_complex = is_complex || weft_dtype_kind(weft__call_dtype(&t->call, t->at[k])) == 'c';
  t->dtype = t->p.dtype ? t->p.dtype : is_complex ? WEFT_C128 : WEFT_F64;
  if (t->dtype != WEFT_F32 && t->dtype != WEFT_F64 && t->dtype != WEFT_C64 && t->dtype != WEFT_C128)
    return weft__fail(WEFT_ERROR_DTYPE, "dtype", "`dtype` is %s; expected f32, f64, c64 or c128",
                      weft_dtype_name(t->dtype));
  if (is_complex && weft_dtype_kind(t->dtype) != 'c')
    return weft__fail(WEFT_ERROR_DTYPE, "dtype", "`dtype` is %s, and an operand is complex; expected c64 or c128",
                      weft_dtype_name(t->dtype));
  return weft__dtype_check(t->dtype, t->call.context);
}

/// A view of x or y with the variables in rows.
static weft_status rows_of(weft_array *rows, const cov_call *t, int operand) {
  const weft_array *x = array_of(t, operand);
  const char *name = weft__call_operand_name(&t->call, t->at[operand]);
  if (!x || x->ndim < 1 || x->ndim > 2)
    return weft__fail(WEFT_ERROR_SHAPE, name, "`%s` has %d axes; expected 1 or 2", name, x ? x->ndim : 0);
  *rows = weft__array_borrow(x);
  const bool turns = t->p.columns && x->ndim == 2;
  const int row = turns ? 1 : 0, column = turns ? 0 : x->ndim - 1;
  rows->ndim = 2;
  rows->shape[0] = x->ndim == 1 ? 1 : x->shape[row];
  rows->stride_bytes[0] = x->ndim == 1 ? 0 : x->stride_bytes[row];
  rows->shape[1] = x->shape[column];
  rows->stride_bytes[1] = x->stride_bytes[column];
  return WEFT_OK;
}

static weft_status gather_variables(cov_call *t) {
  weft__call *c = &t->call;
  weft_array view[2];
  WEFT__TRY_RETURN(rows_of(&view[0], t, X));
  t->variables = view[0].shape[0];
  t->observations = view[0].shape[1];
  t->given = view[0];
  if (t->at[Y] < 0) return WEFT_OK;
  WEFT__TRY_RETURN(rows_of(&view[1], t, Y));
  if (view[1].shape[1] != t->observations)
    return weft__call_fail_shapes(c, 0, t->at[Y], "they have different numbers of observations");
  t->variables += view[1].shape[0];
  weft_array *const parts[] = {&view[0], &view[1]};
  WEFT__TRY_RETURN(weft__array_create(&t->x, c->context, t->dtype, WEFT_SHAPE(t->variables, t->observations), c->site));
  WEFT__TRY_RETURN(weft__concatenate_at(WEFT_OPERAND(&t->x), parts, 2, WEFT__AXES(0), c->site));
  t->given = weft__array_borrow(t->x);
  return WEFT_OK;
}

static weft_status check_weights(const cov_call *t, int operand) {
  if (t->at[operand] < 0) return WEFT_OK;
  const weft_array *w = array_of(t, operand);
  const char *name = t->name[t->at[operand]], kind = weft_dtype_kind(w->dtype);
  const bool counts = operand == FWEIGHTS;
  if (kind == 'c' || (counts && kind != 'i' && kind != 'u'))
    return weft__fail(WEFT_ERROR_DTYPE, name, "`%s` is %s; expected %s", name, weft_dtype_name(w->dtype),
                      counts ? "an integer dtype" : "a real dtype");
  if (w->ndim != 1 || w->shape[0] != t->observations)
    return weft__call_fail_shapes(&t->call, 0, t->at[operand], "expected %" PRId64 " weights along one axis",
                                  t->observations);
  return WEFT_OK;
}

/// Makes the observations' weights, and the factor that they lead to.
static weft_status weigh(cov_call *t, double ddof) {
  weft__call *c = &t->call;
  weft_status rc;
  weft_array *importance = NULL, *sum = NULL, *squares = NULL;
  const weft_dtype real = real_of(t->dtype);
  const bool f = t->at[FWEIGHTS] >= 0, a = t->at[AWEIGHTS] >= 0;
  WEFT__TRY(weft__cast(&t->weights, array_of(t, f ? FWEIGHTS : AWEIGHTS), real, c->site));
  if (a) WEFT__TRY(weft__cast(&importance, array_of(t, AWEIGHTS), real, c->site));
  if (f && a) {
    const weft_operand both[] = {WEFT_NAMED("f", t->weights), WEFT_NAMED("a", importance)};
    WEFT__TRY(weft__eval_at(WEFT_OPERAND(&t->weights), c->context, "f * a", 2, both, c->site));
  }
  WEFT__TRY(
      weft__reduce_apply_at(WEFT_REDUCE_SUM, WEFT_OPERAND(&sum), WEFT_OPERAND(t->weights), WEFT_ALL_AXES, 0, c->site));
  if (a) {
    const weft_operand pair[] = {WEFT_NAMED("w", t->weights), WEFT_NAMED("a", importance)};
    WEFT__TRY(weft__reduce_at(WEFT_OPERAND(&squares), c->context, "w * a", WEFT_ALL_AXES, 2, pair, c->site));
  }
  const weft_operand parts[] = {WEFT_NAMED("w", sum), WEFT_NAMED("ddof", ddof), WEFT_NAMED("s", squares)};
  rc = weft__eval_at(WEFT_OPERAND(&t->factor), c->context,
                     a ? "max(w - (ddof * s / w if ddof != 0 else 0), 0)" : "max(w - ddof, 0)", a ? 3 : 2, parts,
                     c->site);
done:
  weft_array_release(&importance);
  weft_array_release(&sum);
  weft_array_release(&squares);
  return rc;
}

/* ---- products ---- */

/// Subtracts each variable's mean. The variables are cast as they are read.
static weft_status centre(cov_call *t) {
  weft__call *c = &t->call;
  weft_status rc;
  weft_array *mean = NULL, *sum = NULL, *centred = NULL;
  const weft_axes along = weft_keepdims(WEFT__AXES(1));
  const char *name = weft_dtype_name(t->dtype);
  char text[60];
  if (t->weights) {
    const weft_operand both[] = {WEFT_NAMED("x", &t->given), WEFT_NAMED("w", t->weights)};
    snprintf(text, sizeof text, "%s(x) * w", name);
    WEFT__TRY(weft__reduce_at(WEFT_OPERAND(&mean), c->context, text, along, 2, both, c->site));
    WEFT__TRY(weft__reduce_apply_at(WEFT_REDUCE_SUM, WEFT_OPERAND(&sum), WEFT_OPERAND(t->weights), WEFT_ALL_AXES, 0,
                                    c->site));
    const weft_operand parts[] = {WEFT_NAMED("x", &t->given), WEFT_NAMED("m", mean), WEFT_NAMED("w", sum)};
    snprintf(text, sizeof text, "%s(x) - m / w", name);
    rc = weft__eval_at(WEFT_OPERAND(&centred), c->context, text, 3, parts, c->site);
  } else {
    const weft_operand one[] = {WEFT_NAMED("x", &t->given), WEFT_REDUCTION(.op = WEFT_REDUCE_MEAN)};
    snprintf(text, sizeof text, "%s(x)", name);
    WEFT__TRY(weft__reduce_at(WEFT_OPERAND(&mean), c->context, text, along, 2, one, c->site));
    const weft_operand parts[] = {WEFT_NAMED("x", &t->given), WEFT_NAMED("m", mean)};
    snprintf(text, sizeof text, "%s(x) - m", name);
    rc = weft__eval_at(WEFT_OPERAND(&centred), c->context, text, 2, parts, c->site);
  }
  WEFT__TRY(rc);
  weft_array_release(&t->x);
  t->x = centred;
  centred = NULL;
done:
  weft_array_release(&mean);
  weft_array_release(&sum);
  weft_array_release(&centred);
  return rc;
}

/// Multiplies the centred variables with each other: t->products.
static weft_status multiply(cov_call *t) {
  weft__call *c = &t->call;
  weft_status rc;
  weft_array *other = NULL;
  const bool is_complex = weft_dtype_kind(t->dtype) == 'c';
  if (t->weights || is_complex) {
    const weft_operand parts[] = {WEFT_NAMED("x", t->x), WEFT_NAMED("w", t->weights)};
    WEFT__TRY(weft__eval_at(WEFT_OPERAND(&other), c->context,
                            !t->weights  ? "conj(x)"
                            : is_complex ? "conj(x) * w"
                                         : "x * w",
                            t->weights ? 2 : 1, parts, c->site));
  }
  weft_array turned = weft__array_borrow(other ? other : t->x);
  turned.shape[0] = t->observations;
  turned.shape[1] = t->variables;
  turned.stride_bytes[1] = turned.stride_bytes[0];
  turned.stride_bytes[0] = (int64_t)weft_dtype_size_bytes(t->dtype);
  rc = weft__matmul_at(WEFT_OPERAND(&t->products), WEFT_OPERAND(t->x), WEFT_OPERAND(&turned),
                       &(const weft_matmul_params){.site = c->site});
done:
  weft_array_release(&other);
  return rc;
}

/// The products of one variable are a number without axes, as in NumPy.
static weft_array shaped(const cov_call *t) {
  weft_array products = weft__array_borrow(t->products);
  if (t->variables == 1) products.ndim = 0;
  return products;
}

static weft_status divide(weft_operand out, cov_call *t, double factor) {
  const weft_array products = shaped(t);
  const weft_operand parts[] = {WEFT_NAMED("x", &products),
                                t->factor ? WEFT_NAMED("f", t->factor) : WEFT_NAMED("f", factor)};
  return weft__eval_at(out, t->call.context, "x / f", 2, parts, t->call.site);
}

/// Divides by the square roots of the diagonal's elements.
static weft_status correlate(weft_operand out, cov_call *t) {
  const weft_array products = shaped(t);
  const bool is_complex = weft_dtype_kind(t->dtype) == 'c';
  weft_array row = products, column = products;
  if (t->variables != 1) {
    row.ndim = 1;
    row.size = t->variables;
    row.stride_bytes[0] += row.stride_bytes[1];
    column = row;
    column.ndim = 2;
    column.shape[1] = 1;
  }
  const weft_operand parts[] = {WEFT_NAMED("x", &products), WEFT_NAMED("r", &row), WEFT_NAMED("c", &column)};
  const char *text = is_complex ? "t = x / sqrt(real(c)) / sqrt(real(r)); "
                                  "min(max(real(t), -1), 1) + 1j * min(max(imag(t), -1), 1)"
                                : "min(max(x / sqrt(c) / sqrt(r), -1), 1)";
  return weft__eval_at(out, t->call.context, text, 3, parts, t->call.site);
}

/* ---- few variables ---- */

/// All of it in one step of the host. *is_done: the call is complete.
static weft_status compute_at_host(bool *is_done, cov_call *t, bool correlates, double factor) {
  weft__call *c = &t->call;
  *is_done = !t->factor && weft_dtype_kind(t->dtype) == 'f' && weft__centred_fits(&t->given);
  if (!*is_done) return WEFT_OK;
  WEFT__TRY_RETURN(
      weft__array_create(&t->products, c->context, t->dtype, WEFT_SHAPE(t->variables, t->variables), c->site));
  WEFT__TRY_RETURN(weft__centred_products(&(weft__centred){
      .x = &t->given, .out = t->products, .correlates = correlates, .factor = factor, .site = c->site}));
  if (t->variables == 1) weft__set_contiguous(t->products, WEFT_SHAPE_0D);
  return weft__call_take_result(c, 0, &t->products);
}

/* ---- the calls ---- */

static weft_status run(cov_call *t, weft_operand out, bool correlates) {
  weft__call *c = &t->call;
  WEFT__TRY_RETURN(weft__call_operands(c));
  WEFT__TRY_RETURN(find_dtype(t));
  WEFT__TRY_RETURN(gather_variables(t));
  for (int k = FWEIGHTS; k <= AWEIGHTS; k++) WEFT__TRY_RETURN(check_weights(t, k));
  const double ddof = t->p.ddof != 0 ? t->p.ddof : t->p.bias ? 0 : 1;
  const double freedom = (double)t->observations - ddof, factor = freedom > 0 ? freedom : 0;
  bool is_done;
  if (t->at[FWEIGHTS] >= 0 || t->at[AWEIGHTS] >= 0) WEFT__TRY_RETURN(weigh(t, ddof));
  WEFT__TRY_RETURN(compute_at_host(&is_done, t, correlates, factor));
  if (is_done) return WEFT_OK;
  WEFT__TRY_RETURN(centre(t));
  WEFT__TRY_RETURN(multiply(t));
  return correlates ? correlate(out, t) : divide(out, t, factor);
}

static weft_status cov(weft_operand out, weft_operand x, const weft_cov_params *p, bool correlates) {
  static const char *const names[] = {"x", "y", "fweights", "aweights"};
  const weft_operand given[] = {x, WEFT_OPERAND(p->y), WEFT_OPERAND(p->fweights), WEFT_OPERAND(p->aweights)};
  cov_call t = {.p = *p};
  int operands = 0;
  weft__enter(correlates ? "weft_corrcoef" : "weft_cov", p->site);
  for (int k = 0; k < OPERANDS; k++) {
    t.at[k] = -1;
    if (k != X && !given[k].as.array) continue;
    t.operand[operands] = given[k];
    t.name[operands] = names[k];
    t.at[k] = operands++;
  }
  weft__call_open(&t.call, NULL, 1, &out, operands, t.operand, t.name, p->site); /* weft__eval_at writes the result */
  weft_status rc = run(&t, out, correlates);
  weft_array_release(&t.x);
  weft_array_release(&t.weights);
  weft_array_release(&t.factor);
  weft_array_release(&t.products);
  return weft__leave(weft__call_close(&t.call, rc));
}

weft_status weft__cov_at(weft_operand out, weft_operand x, const weft_cov_params *params) {
  const weft_cov_params p = WEFT__PARAMS(params);
  return cov(out, x, &p, false);
}

weft_status weft__corrcoef_at(weft_operand out, weft_operand x, const weft_corrcoef_params *params) {
  const weft_corrcoef_params p = WEFT__PARAMS(params);
  return cov(out, x, &(weft_cov_params){.y = p.y, .columns = p.columns, .dtype = p.dtype, .site = p.site}, true);
}
