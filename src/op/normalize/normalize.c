// SPDX-License-Identifier: MIT
/// Softmax, its logarithm, logarithms of sums, rows of mean 0 and deviation 1: the calls, and the ways by expressions.
#include "op/normalize/normalize.h"

#include <weft/eval.h>
#include <weft/release.h>
#include <weft/view.h>

#include "array/axes.h"
#include "op/normalize/tuning.h"
#include "op/reduce/reduce.h"

/// Whether few results are wanted of a view that the ways by rows would copy.
static bool copies_much(const weft__normalizing *t) {
  const weft_operand *x = &t->call.operand[0];
  return !weft__normalize_gives_rows(t) && x->kind == WEFT_OPERAND_ARRAY && !weft__is_contiguous(x->as.array) &&
         weft_array_size_bytes(x->as.array) > WEFT__NORMALIZE_MOST_COPIED;
}

bool weft__normalize_has_rows(const weft__normalizing *t) {
  const int ndim = weft__call_shape(&t->call, 0).ndim;
  if (copies_much(t)) return false;
  for (int d = 1; d < ndim; d++)
    if (t->along[d - 1] && !t->along[d]) return false;
  return true;
}

weft_status weft__normalize_contiguous(weft__normalizing *t) {
  WEFT__TRY_RETURN(weft__call_contiguous_operand(&t->call, 0, t->dtype));
  return weft__call_contiguous_result(&t->call, 0, t->dtype, t->result);
}

double weft__normalize_freedom(const weft__normalizing *t) {
  const double freedom = (double)t->length - (double)t->ddof; /* as weft_var */
  return freedom > 0 ? freedom : 0;
}

/* ---- by expressions ---- */

/// What each function computes of x, where @ stands for the axes, ? for ddof, and s is the shift of its row.
#define SHIFT "m = max(x@); s = m if isfinite(m) else 0; "
static const char *const expressions[] = {
    [WEFT__NORMALIZE_SOFTMAX] = "p = exp(x - max(x@)); p / sum(p@)",
    [WEFT__NORMALIZE_LOG_SOFTMAX] = SHIFT "x - s - log(sum(exp(x - s)@))",
    [WEFT__NORMALIZE_LOGSUMEXP] = SHIFT "s + log(sum(exp(x - s)@))",
    /* the mean of equal elements may be rounded, but their variance is 0 */
    [WEFT__NORMALIZE_STANDARDIZE] = "v = var(x@?); (x - mean(x@) if v != 0 else x - x) / sqrt(v + epsilon)",
};
#undef SHIFT

static void add_axes(weft__text *text, const weft__normalizing *t) {
  weft__text_add(text, ", axis=(");
  for (int d = 0; d < weft__call_shape(&t->call, 0).ndim; d++)
    if (t->along[d]) weft__text_add(text, "%d,", d);
  weft__text_add(text, ")");
}

/// Computes result 0, whose array is made.
static weft_status run_expression(weft__normalizing *t) {
  weft__call *c = &t->call;
  weft__text text = {0};
  weft_array *kept = NULL, *flat = NULL;
  weft_status rc;
  for (const char *from = expressions[t->function]; *from; from++)
    if (*from == '@')
      add_axes(&text, t);
    else if (*from == '?')
      weft__text_add(&text, ", ddof=%lld", (long long)t->ddof);
    else
      weft__text_add_bytes(&text, from, 1);
  if (text.failed) WEFT__TRY(weft__fail_host_memory(text.length));
  const weft_operand parts[] = {WEFT_NAMED("x", c->array[1]), WEFT_NAMED("epsilon", t->epsilon)};
  const weft_operand out = weft__normalize_gives_rows(t) ? WEFT_OPERAND(&c->array[0]) : WEFT_OPERAND(&kept);
  WEFT__TRY(weft__eval_at(out, c->context, weft__text_chars(&text), t->function == WEFT__NORMALIZE_STANDARDIZE ? 2 : 1,
                          parts, c->site));
  if (!kept) goto done;
  WEFT__TRY(weft__reshape_at(&flat, kept, t->result, c->site)); /* an expression keeps the axes */
  weft__call_replace(c, 0, weft_array_retain(flat));
done:
  weft_release(&kept, &flat);
  weft__text_free(&text);
  return rc;
}

weft_status weft__normalize_passes_run(bool *is_done, const void *task) {
  weft__normalizing *t = *(weft__normalizing *const *)task;
  weft__call *c = &t->call;
  *is_done = true;
  /* one conversion costs less than one in every pass */
  if (weft__call_dtype(c, 0) != t->work) WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, t->work));
  WEFT__TRY_RETURN(weft__call_result(c, 0, t->dtype, t->result));
  return run_expression(t);
}

bool weft__normalize_single_fits(const void *task) {
  const weft__normalizing *t = *(weft__normalizing *const *)task;
  return t->length == 1 && (t->function == WEFT__NORMALIZE_SOFTMAX || t->function == WEFT__NORMALIZE_LOG_SOFTMAX);
}

/// Where the element is not finite the result is NaN.
weft_status weft__normalize_single_run(bool *is_done, const void *task) {
  weft__normalizing *t = *(weft__normalizing *const *)task;
  weft__call *c = &t->call;
  *is_done = true;
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, t->dtype));
  WEFT__TRY_RETURN(weft__call_result(c, 0, t->dtype, t->result));
  const weft_operand part[] = {WEFT_NAMED("x", c->array[1])};
  return weft__eval_at(WEFT_OPERAND(&c->array[0]), c->context,
                       t->function == WEFT__NORMALIZE_SOFTMAX ? "x - x + 1" : "x - x", 1, part, c->site);
}

/* ---- the call ---- */

static weft_status find_rows(weft__normalizing *t) {
  weft__call *c = &t->call;
  WEFT__TRY_RETURN(weft__call_check(c));
  const weft_dtype dtype = weft__call_dtype(c, 0);
  const weft_shape shape = weft__call_shape(c, 0);
  if (weft_dtype_kind(dtype) == 'c')
    return weft__fail(WEFT_ERROR_DTYPE, "x", "`x` is %s; expected real numbers", weft_dtype_name(dtype));
  WEFT__TRY_RETURN(weft__axes_resolve(t->along, t->axes, shape.ndim));
  t->dtype = weft_dtype_kind(dtype) == 'f' ? dtype : WEFT_F64;
  t->work = weft__is_narrow(t->dtype) ? WEFT_F32 : t->dtype;
  WEFT__TRY_RETURN(weft__dtype_check(t->dtype, c->context));
  t->rows = t->length = 1;
  for (int d = 0; d < shape.ndim; d++) *(t->along[d] ? &t->length : &t->rows) *= (uint64_t)shape.dim[d];
  t->result = weft__normalize_gives_rows(t) ? shape : weft__axes_reduced(shape, t->along, t->axes.keepdims);
  if (t->length == 0 && t->rows > 0 && !weft__normalize_gives_rows(t))
    return weft__fail(WEFT_ERROR_SHAPE, "x", "the rows of `x` have no elements; expected one or more");
  return weft__call_upload(c);
}

static weft_status normalize(weft__normalizing *t) {
  weft__call *c = &t->call;
  WEFT__TRY_RETURN(find_rows(t));
  WEFT__TRY_RETURN(weft__ddof_check((double)t->ddof));
  if (t->rows == 0 || t->length == 0) return weft__call_result(c, 0, t->dtype, t->result);
  return weft__ways_run(&weft__normalize_ways, c->context, &t);
}

static weft_status call(const char *name, weft__normalizing *t, weft_operand out, weft_operand x, const char *site) {
  static const char *const names[] = {"x"};
  weft__enter(name, site);
  weft__call_open(&t->call, NULL, 1, &out, 1, &x, names, site);
  return weft__leave(weft__call_close(&t->call, normalize(t)));
}

weft_status weft__softmax_at(weft__normalize_id id, weft_operand out, weft_operand x, weft_axes axes,
                             const char *site) {
  static const char *const names[] = {"weft_softmax", "weft_log_softmax", "weft_logsumexp"};
  weft__normalizing t = {.function = (uint8_t)id, .axes = axes};
  return call(names[id], &t, out, x, site);
}

weft_status weft__standardize_at(weft_operand out, weft_operand x, weft_axes axes,
                                 const weft_standardize_params *params) {
  const weft_standardize_params p = WEFT__PARAMS(params);
  weft__normalizing t = {.function = WEFT__NORMALIZE_STANDARDIZE, .axes = axes, .ddof = p.ddof, .epsilon = p.epsilon};
  return call("weft_standardize", &t, out, x, p.site);
}
