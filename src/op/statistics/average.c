// SPDX-License-Identifier: MIT
/// Averages with weights.
#include <stdio.h>

#include <weft/eval.h>
#include <weft/reduce.h>
#include <weft/statistics.h>

#include "array/axes.h"
#include "call/call.h"
#include "expr/overload.h"
#include "map/cast.h"
#include "op/statistics/weights.h"

enum { AVERAGE, TOTAL };

typedef struct average_call {
  weft__call call; /* operands: x, and the weights if given */
  weft_axes axes;
  bool along[WEFT_MAX_NDIM];
  weft_shape shape; /* of the results */
  weft_dtype dtype;
  weft_array weights; /* a view with x's number of axes */
  weft_array *sum, *total;
} average_call;

weft_status weft__weights_place(weft_array *view, const weft__call *call, int k, weft_axes axes) {
  const weft_array *w = call->array[call->results + k];
  const weft_shape x = weft__call_shape(call, 0);
  int axis[WEFT_MAX_NDIM], count;
  *view = weft__array_borrow(w);
  if (weft__has_shape(w, &x)) return WEFT_OK;
  WEFT__TRY_RETURN(weft__axes_list(axis, &count, axes, x.ndim));
  bool fits = count == w->ndim && axes.count != WEFT__EVERY_AXIS;
  for (int d = 0; fits && d < count; d++) fits = w->shape[d] == x.dim[axis[d]];
  if (!fits)
    return weft__call_fail_shapes(call, 0, k, "expected weights of x's shape, or of the lengths of x along `axes`");
  view->ndim = x.ndim;
  for (int d = 0; d < x.ndim; d++) {
    view->shape[d] = 1;
    view->stride_bytes[d] = 0;
  }
  for (int d = 0; d < count; d++) {
    view->shape[axis[d]] = w->shape[d];
    view->stride_bytes[axis[d]] = w->stride_bytes[d];
  }
  return WEFT_OK;
}

static weft_status average_weighted(average_call *t) {
  weft__call *c = &t->call;
  const char *name = weft_dtype_name(t->dtype);
  char product[64], cast[32];
  WEFT__TRY_RETURN(weft__weights_place(&t->weights, c, 1, t->axes));
  snprintf(product, sizeof product, "%s(x) * %s(w)", name, name);
  snprintf(cast, sizeof cast, "%s(w)", name);
  const weft_array wide = weft__array_broadcast(&t->weights, weft__call_shape(c, 0));
  const weft_operand both[] = {WEFT_NAMED("x", c->array[c->results]), WEFT_NAMED("w", &wide)},
                     only = WEFT_NAMED("w", &t->weights);
  WEFT__TRY_RETURN(weft__reduce_at(WEFT_OPERAND(&t->sum), c->context, product, t->axes, 2, both, c->site));
  WEFT__TRY_RETURN(weft__reduce_at(WEFT_OPERAND(&t->total), c->context, cast, t->axes, 1, &only, c->site));
  const weft_operand parts[] = {WEFT_NAMED("s", t->sum), WEFT_NAMED("w", t->total)};
  WEFT__TRY_RETURN(weft__eval_at(WEFT_OPERAND(&c->array[AVERAGE]), c->context, "s / w", 2, parts, c->site));
  if (c->results == 1) return WEFT_OK;
  const weft_array total = weft__array_broadcast(t->total, t->shape);
  return weft__cast_into(c->array[TOTAL], &total, t->dtype, c->site);
}

static weft_status average_plain(average_call *t) {
  weft__call *c = &t->call;
  const weft_shape x = weft__call_shape(c, 0);
  int64_t count = 1;
  for (int d = 0; d < x.ndim; d++)
    if (t->along[d]) count *= x.dim[d];
  WEFT__TRY_RETURN(weft__reduce_apply_at(WEFT_REDUCE_MEAN, WEFT_OPERAND(&c->array[AVERAGE]),
                                         WEFT_OPERAND(c->array[c->results]), t->axes, 0, c->site));
  return c->results == 1 ? WEFT_OK : weft__fill(c->array[TOTAL], WEFT_SCALAR((double)count), c->site);
}

static weft_status average(average_call *t) {
  weft__call *c = &t->call;
  WEFT__TRY_RETURN(weft__call_operands(c));
  if (weft__call_is_scalar(c, 0)) WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  WEFT__TRY_RETURN(weft__axes_resolve(t->along, t->axes, weft__call_shape(c, 0).ndim));
  t->shape = weft__axes_reduced(weft__call_shape(c, 0), t->along, t->axes.keepdims);
  t->dtype = weft__call_dtype(c, 0);
  if (weft__is_whole(t->dtype)) t->dtype = WEFT_F64;
  if (c->inputs > 1) t->dtype = weft__promote(t->dtype, weft__call_dtype(c, 1));
  WEFT__TRY_RETURN(weft__dtype_check(t->dtype, c->context));
  for (int k = 0; k < c->results; k++) WEFT__TRY_RETURN(weft__call_result(c, k, t->dtype, t->shape));
  return c->inputs > 1 ? average_weighted(t) : average_plain(t);
}

weft_status weft__average_at(weft_operand out, weft_operand x, weft_axes axes, const weft_average_params *params) {
  static const char *const names[] = {"x", "weights"}, *const results[] = {"out", "sum_of_weights"};
  const weft_average_params p = WEFT__PARAMS(params);
  const weft_operand operand[] = {x, WEFT_OPERAND(p.weights)}, result[] = {out, WEFT_OPERAND(p.sum_of_weights)};
  average_call t = {.axes = axes};
  weft__enter("weft_average", p.site);
  weft__call_open(&t.call, NULL, p.sum_of_weights ? 2 : 1, result, p.weights ? 2 : 1, operand, names, p.site);
  t.call.result_name = results;
  weft_status rc = average(&t);
  weft_array_release(&t.sum);
  weft_array_release(&t.total);
  return weft__leave(weft__call_close(&t.call, rc));
}
