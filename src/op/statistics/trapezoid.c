// SPDX-License-Identifier: MIT
/// Integrals by the trapezoidal rule.
#include <stdio.h>
#include <string.h>

#include <weft/eval.h>
#include <weft/rearrange.h>
#include <weft/reduce.h>
#include <weft/scan.h>
#include <weft/statistics.h>

#include "array/axes.h"
#include "call/call.h"

typedef struct trapezoid_call {
  weft__call call; /* operands: y, and x if given */
  int axis;
  double dx;
  char text[160];
  int variables;
  weft_operand variable[4];
  weft_array part[4]; /* views: a, b of y; p, q of x */
} trapezoid_call;

/// A variable of the text: the elements along the axis without the first or the last one.
static void add_part(trapezoid_call *t, const char *name, const weft_array *from, int axis, int64_t first) {
  weft_array *part = &t->part[t->variables];
  const int64_t length = from->shape[axis];
  *part = weft__array_part(from, axis, length ? first : 0, length ? length - 1 : 0);
  t->variable[t->variables++] = WEFT_NAMED(name, part);
}

/// How a variable is written: whole numbers as f64, in which differences do not wrap.
static const char *cast_of(weft_dtype dtype) {
  return weft__is_whole(dtype) ? "f64" : "";
}

/// Adds x's spacing: a factor for each pair of elements.
static weft_status add_spacing(trapezoid_call *t, const weft_array *y) {
  weft__call *c = &t->call;
  if (c->inputs == 1) {
    snprintf(t->text, sizeof t->text, "%.17g * ", t->dx);
    return WEFT_OK;
  }
  const weft_shape shape = weft__array_shape(y);
  const weft_array *x = c->array[c->results + 1];
  weft_array along = weft__array_borrow(x);
  if (x->ndim == 1 && x->shape[0] == y->shape[t->axis]) {
    for (int d = 0; d < y->ndim; d++) {
      along.shape[d] = d == t->axis ? x->shape[0] : 1;
      along.stride_bytes[d] = d == t->axis ? x->stride_bytes[0] : 0;
    }
    along.ndim = y->ndim;
  } else if (!weft__has_shape(x, &shape)) {
    return weft__call_fail_shapes(c, 0, 1, "expected an x for each element along the axis, or of y's shape");
  }
  add_part(t, "p", &along, t->axis, 0);
  add_part(t, "q", &along, t->axis, 1);
  snprintf(t->text, sizeof t->text, "(%s(q) - %s(p)) * ", cast_of(x->dtype), cast_of(x->dtype));
  return WEFT_OK;
}

/// Describes the areas between neighbours along the axis as a text and its variables.
static weft_status describe(trapezoid_call *t, weft_axes axis) {
  weft__call *c = &t->call;
  WEFT__TRY_RETURN(weft__call_operands(c));
  WEFT__TRY_RETURN(weft__only_axis(&t->axis, axis, weft__call_shape(c, 0).ndim, "axis"));
  const weft_array *y = c->array[c->results];
  WEFT__TRY_RETURN(add_spacing(t, y));
  const char *cast = cast_of(y->dtype);
  const size_t used = strlen(t->text);
  add_part(t, "a", y, t->axis, 0);
  add_part(t, "b", y, t->axis, 1);
  snprintf(t->text + used, sizeof t->text - used, "(%s(b) + %s(a)) / 2", cast, cast);
  return WEFT_OK;
}

/// Evenly spaced elements of one axis: each counts once, the first and the last one half. Each is read once, not twice:
/// on CPUs the second time is in the cache, and the vectors of neighbours are faster.
static void describe_weights(trapezoid_call *t) {
  const weft_array *y = t->call.array[t->call.results];
  t->variables = 1;
  t->variable[0] = WEFT_NAMED("y", y);
  snprintf(t->text, sizeof t->text, "%s(y) * (%.17g if i == 0 or i == n - 1 else %.17g)", cast_of(y->dtype), t->dx / 2,
           t->dx);
}

static weft_status integrate(weft_operand out, trapezoid_call *t, weft_axes axis) {
  WEFT__TRY_RETURN(describe(t, axis));
  const weft_array *y = t->call.array[t->call.results];
  if (t->call.inputs == 1 && y->ndim == 1 && y->size > 1 && !y->context->store.is_cpu) describe_weights(t);
  return weft__reduce_at(out, t->call.context, t->text, WEFT__AXES(t->axis), t->variables, t->variable, t->call.site);
}

static weft_status check_params(const weft_trapezoid_params *p, bool may_begin) {
  if (p->x && p->dx != 0) return weft__fail(WEFT_ERROR_ARGUMENT, "dx", "`x` and `dx` are given; expected one of them");
  if (p->initial && !may_begin)
    return weft__fail(WEFT_ERROR_ARGUMENT, "initial", "`initial` is given; only weft_cumulative_trapezoid takes it");
  return WEFT_OK;
}

weft_status weft__trapezoid_at(weft_operand out, weft_operand y, weft_axes axis, const weft_trapezoid_params *params) {
  static const char *const names[] = {"y", "x"};
  const weft_trapezoid_params p = WEFT__PARAMS(params);
  const weft_operand operand[] = {y, WEFT_OPERAND(p.x)};
  trapezoid_call t = {.dx = p.dx != 0 ? p.dx : 1};
  weft__enter("weft_trapezoid", p.site);
  weft__call_open(&t.call, NULL, 1, &out, p.x ? 2 : 1, operand, names, p.site); /* weft__reduce_at writes the result */
  weft_status rc = check_params(&p, false);
  return weft__leave(weft__call_close(&t.call, rc ? rc : integrate(out, &t, axis)));
}

/* ---- running integrals ---- */

static weft_status accumulate(weft_operand out, trapezoid_call *t, weft_axes axis, bool initial) {
  weft_status rc;
  weft_array *areas = NULL, *padded = NULL;
  weft__call *c = &t->call;
  WEFT__TRY(describe(t, axis));
  if (c->array[c->results]->shape[t->axis] == 0)
    WEFT__TRY(weft__fail(WEFT_ERROR_SHAPE, "y", "`y` has no elements along axis %d; expected one or more", t->axis));
  WEFT__TRY(weft__eval_at(WEFT_OPERAND(&areas), c->context, t->text, t->variables, t->variable, c->site));
  if (initial) {
    weft_shape before = weft__array_shape(areas), after = before;
    for (int d = 0; d < before.ndim; d++) {
      before.dim[d] = d == t->axis;
      after.dim[d] = 0;
    }
    WEFT__TRY(weft__pad_at(WEFT_OPERAND(&padded), WEFT_OPERAND(areas), before, after,
                           &(const weft_pad_params){.site = c->site}));
  }
  rc = weft__cumulate_at(WEFT_SCAN_SUM, out, WEFT_OPERAND(padded ? padded : areas), WEFT__AXES(t->axis),
                         &(const weft_scan_params){.site = c->site});
done:
  weft_array_release(&areas);
  weft_array_release(&padded);
  return rc;
}

weft_status weft__cumulative_trapezoid_at(weft_operand out, weft_operand y, weft_axes axis,
                                          const weft_trapezoid_params *params) {
  static const char *const names[] = {"y", "x"};
  const weft_trapezoid_params p = WEFT__PARAMS(params);
  const weft_operand operand[] = {y, WEFT_OPERAND(p.x)};
  trapezoid_call t = {.dx = p.dx != 0 ? p.dx : 1};
  weft__enter("weft_cumulative_trapezoid", p.site);
  weft__call_open(&t.call, NULL, 1, &out, p.x ? 2 : 1, operand, names, p.site); /* the scan writes the result */
  weft_status rc = check_params(&p, true);
  return weft__leave(weft__call_close(&t.call, rc ? rc : accumulate(out, &t, axis, p.initial)));
}
