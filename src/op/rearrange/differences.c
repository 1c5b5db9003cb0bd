// SPDX-License-Identifier: MIT
/// weft/differences.h: functions of views of an array that are shifted against each other, computed by weft_eval.
#include <weft/differences.h>

#include <inttypes.h>
#include <math.h>
#include <weft/eval.h>
#include <weft/rearrange.h>
#include <weft/scan.h>
#include <weft/ufunc.h>

#include "array/axes.h"
#include "call/call.h"
#include "expr/overload.h"
#include "map/cast.h"

static const char *const names[] = {"x"};

/// A call with one operand and one result.
typedef struct differing {
  weft_operand out, operand;
  weft__call call;
  int axis; /* of x, from 0 */
} differing;

/// Opens the call and gathers the operand, in any layout; integers as f64 if `real` is set.
static weft_status begin(differing *t, weft_operand out, weft_operand x, weft_axes axis, bool real, const char *site) {
  weft__call *c = &t->call;
  t->out = out;
  t->operand = x;
  weft__call_open(c, NULL, 1, &t->out, 1, &t->operand, names, site);
  WEFT__TRY_RETURN(weft__call_operands(c));
  const weft_dtype dtype = weft__call_dtype(c, 0);
  const bool widens = real && weft__is_whole(dtype);
  if (real && dtype == WEFT_BOOL) return weft__fail(WEFT_ERROR_DTYPE, "x", "`x` is bool; expected integers or floats");
  if (widens || weft__call_is_scalar(c, 0))
    WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, widens ? WEFT_F64 : WEFT_DTYPE_NONE));
  return weft__only_axis(&t->axis, axis, c->array[1]->ndim, "axis");
}

/// Elements from `begin` on along the call's axis, as many as the axis has less `fewer`.
static weft_array part(const differing *t, const weft_array *x, int64_t begin, int64_t fewer) {
  const int64_t length = x->shape[t->axis] - fewer;
  return weft__array_part(x, t->axis, begin, length > 0 ? length : 0);
}

/* ---- diff ---- */

/// The difference of x[1:] and x[:-1] along the axis; for bool, whether they are not equal.
static weft_status difference(const differing *t, weft_operand out, const weft_array *x) {
  const weft_array high = part(t, x, x->shape[t->axis] > 0, 1), low = part(t, x, 0, 1);
  const weft_operand operands[] = {out, WEFT_OPERAND(&high), WEFT_OPERAND(&low)};
  return weft__ufunc_apply_at(x->dtype == WEFT_BOOL ? WEFT_UFUNC_NOT_EQUAL : WEFT_UFUNC_SUBTRACT, 3, operands,
                              t->call.site);
}

/// x with .prepend and .append at its ends; an array without axes becomes one slice. *joined stays NULL without them.
static weft_status join_ends(weft_array **joined, const differing *t, const weft_array *prepend,
                             const weft_array *append) {
  weft_array end[2], whole = weft__array_borrow(t->call.array[1]), *list[3];
  const weft_array *const given[] = {prepend, append};
  int count = 0;
  for (int k = 0; k < 2; k++) {
    if (k == 1) list[count++] = &whole;
    if (!given[k]) continue;
    WEFT__TRY_RETURN(weft__array_check(given[k], k ? "append" : "prepend"));
    end[k] = weft__array_borrow(given[k]);
    weft_shape slice = weft__array_shape(&whole);
    slice.dim[t->axis] = 1;
    if (given[k]->ndim == 0) end[k] = weft__array_broadcast(given[k], slice);
    list[count++] = &end[k];
  }
  if (count == 1) return WEFT_OK;
  return weft__while(weft__concatenate_at(WEFT_OPERAND(joined), list, count, weft__axes_int(t->axis), t->call.site),
                     "joining `prepend`, `x` and `append`, in this order");
}

weft_status weft__diff_at(weft_operand out, weft_operand x, weft_axes axis, const weft_diff_params *params) {
  const weft_diff_params p = WEFT__PARAMS(params);
  int n = p.n ? p.n : 1;
  differing t;
  weft_array *one = NULL;
  weft_status rc;
  weft__enter("weft_diff", p.site);
  WEFT__TRY(begin(&t, out, x, axis, false, p.site));
  if (n < 0) WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "n", "`n` is %d; expected 0 or more", n));
  WEFT__TRY(join_ends(&one, &t, p.prepend, p.append));
  const weft_array *from = one ? one : t.call.array[1];
  /* the result is empty from here on; further differences do not change it */
  if (n > from->shape[t.axis]) n = from->shape[t.axis] ? (int)from->shape[t.axis] : 1;
  for (; n > 1; n--) {
    weft_array *next = NULL;
    WEFT__TRY(difference(&t, WEFT_OPERAND(&next), one ? one : from));
    weft_array_release(&one);
    one = next;
  }
  rc = difference(&t, t.out, one ? one : from);
done:
  weft_array_release(&one);
  return weft__leave(weft__call_close(&t.call, rc));
}

/* ---- ediff1d ---- */

/// Checks elements that are put at an end of the result.
static weft_status check_end(const weft_array *end, weft_dtype dtype, const char *name) {
  if (!end) return WEFT_OK;
  WEFT__TRY_RETURN(weft__array_check(end, name));
  if (weft__casts_same_kind(end->dtype, dtype)) return WEFT_OK;
  return weft__fail(WEFT_ERROR_DTYPE, name, "`%s` is %s, which is not cast to %s, the dtype of `x`, implicitly", name,
                    weft_dtype_name(end->dtype), weft_dtype_name(dtype));
}

/// Casts `from`, in row-major order, into the elements of `to` from `begin` on.
static weft_status put_end(const weft_array *to, int64_t begin, const weft_array *from, const char *site) {
  weft_array whole = weft__array_part(to, 0, begin, from->size), *place = &whole;
  weft_array *flat = NULL;
  weft_status rc;
  WEFT__TRY(weft__ravel_at(&flat, from, site));
  rc = weft__cast_at(&place, flat, to->dtype, site);
done:
  weft_array_release(&flat);
  return rc;
}

static weft_status ediff1d(differing *t, const weft_ediff1d_params *p) {
  weft__call *c = &t->call;
  if (c->array[1]->dtype == WEFT_BOOL)
    return weft__fail(WEFT_ERROR_DTYPE, "x", "`x` is bool, which has no difference; weft_diff compares neighbours");
  WEFT__TRY_RETURN(check_end(p->to_begin, c->array[1]->dtype, "to_begin"));
  WEFT__TRY_RETURN(check_end(p->to_end, c->array[1]->dtype, "to_end"));
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  const weft_array flat = weft__array_flat(c->array[1]);
  const int64_t front = p->to_begin ? p->to_begin->size : 0, back = p->to_end ? p->to_end->size : 0,
                inside = flat.size > 0 ? flat.size - 1 : 0;
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, flat.dtype, WEFT_SHAPE(front + inside + back)));
  weft_array middle = weft__array_part(c->array[0], 0, front, inside), *to = &middle;
  if (front > 0) WEFT__TRY_RETURN(put_end(c->array[0], 0, p->to_begin, c->site));
  if (back > 0) WEFT__TRY_RETURN(put_end(c->array[0], front + inside, p->to_end, c->site));
  t->axis = 0;
  return inside > 0 ? difference(t, WEFT_OPERAND(&to), &flat) : WEFT_OK;
}

weft_status weft__ediff1d_at(weft_operand out, weft_operand x, const weft_ediff1d_params *params) {
  const weft_ediff1d_params p = WEFT__PARAMS(params);
  differing t = {.out = out, .operand = x};
  weft_status rc;
  weft__enter("weft_ediff1d", p.site);
  weft__call_open(&t.call, NULL, 1, &t.out, 1, &t.operand, names, p.site);
  WEFT__TRY(weft__call_operands(&t.call));
  if (weft__call_is_scalar(&t.call, 0)) WEFT__TRY(weft__call_contiguous_operand(&t.call, 0, WEFT_DTYPE_NONE));
  rc = ediff1d(&t, &p);
done:
  return weft__leave(weft__call_close(&t.call, rc));
}

/* ---- gradient ---- */

typedef struct slope {
  differing base;
  double spacing;
  weft_array coordinates; /* with x's number of axes, length 1 in the others; used if is_uneven */
  weft_array *widened;    /* what `coordinates` is of, if the caller's were integers */
  bool is_uneven;
} slope;

/// Computes `text` of x's slices first[0], first[1] ... named p, q, r (and their coordinates u, v, w, and the number h)
/// into `count` slices of the result from `to` on. `slices`: 2 or 3.
static weft_status slices(const slope *s, const char *text, double h, int64_t to, const int64_t *first, int slices_,
                          int64_t count) {
  static const char *const name[] = {"p", "q", "r", "u", "v", "w"};
  const weft__call *c = &s->base.call;
  const int axis = s->base.axis;
  weft_array place = weft__array_part(c->array[0], axis, to, count), from[6], *out = &place;
  weft_operand variable[7];
  int variables = 0;
  for (int k = 0; k < (s->is_uneven ? 6 : 3); k++) {
    if (k % 3 >= slices_) continue;
    from[k] = weft__array_part(k < 3 ? c->array[1] : &s->coordinates, axis, first[k % 3], count);
    variable[variables] = WEFT_OPERAND(&from[k]);
    variable[variables++].name = name[k];
  }
  if (!s->is_uneven) variable[variables++] = WEFT_NAMED("h", h);
  return weft__eval_at(WEFT_OPERAND(&out), c->context, text, variables, variable, c->site);
}

static weft_status slopes(const slope *s, int edge_order) {
  const weft_array *x = s->base.call.array[1];
  const int64_t n = x->shape[s->base.axis];
  const double h = s->spacing;
  static const char *const uneven =
      "d = v - u; e = w - v; q * (e - d) / (d * e) + r * d / (e * (d + e)) - "
      "p * e / (d * (d + e))";
  static const char *const first[] = {"(q - p) / h", "(q - p) / (v - u)"};
  if (n > 2)
    WEFT__TRY_RETURN(s->is_uneven ? slices(s, uneven, 0, 1, (const int64_t[]){0, 1, 2}, 3, n - 2)
                                  : slices(s, first[0], 2 * h, 1, (const int64_t[]){0, 2}, 2, n - 2));
  if (edge_order == 1) {
    WEFT__TRY_RETURN(slices(s, first[s->is_uneven], h, 0, (const int64_t[]){0, 1}, 2, 1));
    return slices(s, first[s->is_uneven], h, n - 1, (const int64_t[]){n - 2, n - 1}, 2, 1);
  }
  /* both ends by one formula: at the last one, distances are negative */
  static const char *const second[] = {
      "(2 * q - 1.5 * p - 0.5 * r) / h",
      "d = v - u; e = w - v; q * (d + e) / (d * e) - p * (2 * d + e) / (d * (d + e)) - r * d / (e * (d + e))"};
  WEFT__TRY_RETURN(slices(s, second[s->is_uneven], h, 0, (const int64_t[]){0, 1, 2}, 3, 1));
  return slices(s, second[s->is_uneven], -h, n - 1, (const int64_t[]){n - 1, n - 2, n - 3}, 3, 1);
}

/// The coordinates as an array that broadcasts to x. Distances of integers would wrap around.
static weft_status take_coordinates(slope *s, const weft_array *coordinates) {
  const weft_array *x = s->base.call.array[1];
  const int axis = s->base.axis;
  WEFT__TRY_RETURN(weft__array_check(coordinates, "coordinates"));
  if (coordinates->context != x->context)
    return weft__fail(WEFT_ERROR_CONTEXT, "coordinates",
                      "`coordinates` belongs to another context than `x`" WEFT__COPY_HINT);
  if (coordinates->ndim != 1 || coordinates->size != x->shape[axis])
    return weft__fail(WEFT_ERROR_SHAPE, "coordinates",
                      "`coordinates` has %d ax%cs and %" PRId64 " elements; expected one axis of %" PRId64
                      ", the length of axis %d",
                      coordinates->ndim, coordinates->ndim == 1 ? 'i' : 'e', coordinates->size, x->shape[axis], axis);
  const bool is_whole = weft__is_whole(coordinates->dtype) && coordinates->dtype != WEFT_BOOL;
  if (!is_whole && weft_dtype_kind(coordinates->dtype) != 'f')
    return weft__fail(WEFT_ERROR_DTYPE, "coordinates", "`coordinates` is %s; expected integers or floats",
                      weft_dtype_name(coordinates->dtype));
  if (is_whole) {
    const weft_dtype wide = x->context->core.device->info.has_fp64 ? WEFT_F64 : WEFT_F32;
    WEFT__TRY_RETURN(weft__cast(&s->widened, coordinates, wide, s->base.call.site));
    coordinates = s->widened;
  }
  s->coordinates = weft__array_borrow(coordinates);
  s->coordinates.ndim = x->ndim;
  for (int d = 0; d < x->ndim; d++) {
    s->coordinates.shape[d] = d == axis ? coordinates->size : 1;
    s->coordinates.stride_bytes[d] = coordinates->stride_bytes[0];
  }
  s->is_uneven = true;
  return WEFT_OK;
}

static weft_status gradient(slope *s, const weft_gradient_params *p) {
  weft__call *c = &s->base.call;
  const int order = p->edge_order ? p->edge_order : 1;
  if (order != 1 && order != 2)
    return weft__fail(WEFT_ERROR_ARGUMENT, "edge_order", "`edge_order` is %d; expected 1 or 2", p->edge_order);
  if (p->spacing != 0 && p->coordinates)
    return weft__fail(WEFT_ERROR_ARGUMENT, "coordinates", "a spacing and coordinates were given; expected one of them");
  if (p->coordinates) WEFT__TRY_RETURN(take_coordinates(s, p->coordinates));
  const weft_array *x = c->array[1];
  if (x->shape[s->base.axis] <= order)
    return weft__fail(WEFT_ERROR_SHAPE, "x", "axis %d of `x` has %" PRId64 " element%s; expected at least %d",
                      s->base.axis, x->shape[s->base.axis], x->shape[s->base.axis] == 1 ? "" : "s", order + 1);
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, x->dtype, weft__array_shape(x)));
  return x->size > 0 ? slopes(s, order) : WEFT_OK;
}

weft_status weft__gradient_at(weft_operand out, weft_operand x, weft_axes axis, const weft_gradient_params *params) {
  const weft_gradient_params p = WEFT__PARAMS(params);
  slope s = {.spacing = p.spacing == 0 ? 1 : p.spacing};
  weft_status rc;
  weft__enter("weft_gradient", p.site);
  WEFT__TRY(begin(&s.base, out, x, axis, true, p.site));
  rc = gradient(&s, &p);
done:
  weft_array_release(&s.widened);
  return weft__leave(weft__call_close(&s.base.call, rc));
}

/* ---- unwrap ---- */

/// What is added to the elements behind the first one: the sums of all jumps before them.
static weft_status corrections(weft_array **sums, const differing *t, const weft_unwrap_params *p) {
  static const char *const text =
      "d = high - low; m = remainder(d + half, period) - half; "
      "m = half if (m == -half) & (d > 0) else m; 0 if abs(d) < discont else m - d";
  const double period = p->period == 0 ? 6.283185307179586 : p->period;
  const weft_array *x = t->call.array[1], high = part(t, x, 1, 1), low = part(t, x, 0, 1);
  const weft_operand variable[] = {WEFT_NAMED("high", &high), WEFT_NAMED("low", &low), WEFT_NAMED("half", period / 2),
                                   WEFT_NAMED("period", period),
                                   WEFT_NAMED("discont", p->discont > period / 2 ? p->discont : period / 2)};
  weft_array *jumps = NULL;
  weft_status rc;
  WEFT__TRY(weft__eval_at(WEFT_OPERAND(&jumps), x->context, text, 5, variable, t->call.site));
  rc = weft__cumulate_at(WEFT_SCAN_SUM, WEFT_OPERAND(sums), WEFT_OPERAND(jumps), weft__axes_int(t->axis),
                         &(weft_scan_params){.site = t->call.site});
done:
  weft_array_release(&jumps);
  return rc;
}

static weft_status unwrap(differing *t, const weft_unwrap_params *p) {
  weft__call *c = &t->call;
  weft_array *sums = NULL;
  weft_status rc;
  if (!(p->period >= 0)) /* also NaN */
    return weft__fail(WEFT_ERROR_ARGUMENT, "period", "`period` is %g; expected a positive number", p->period);
  const weft_array *x = c->array[1];
  if (weft_dtype_kind(x->dtype) == 'c')
    return weft__fail(WEFT_ERROR_DTYPE, "x", "`x` is %s; expected real numbers", weft_dtype_name(x->dtype));
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, x->dtype, weft__array_shape(x)));
  if (x->size == 0) return WEFT_OK;
  weft_array first = weft__array_part(c->array[0], t->axis, 0, 1), rest = part(t, c->array[0], 1, 1), *to = &rest;
  const weft_array begin_ = weft__array_part(x, t->axis, 0, 1), others = part(t, x, 1, 1);
  WEFT__TRY_RETURN(weft__assign(&first, &begin_, c->site));
  if (others.size == 0) return WEFT_OK;
  WEFT__TRY(corrections(&sums, t, p));
  const weft_operand operands[] = {WEFT_OPERAND(&to), WEFT_OPERAND(&others), WEFT_OPERAND(sums)};
  rc = weft__ufunc_apply_at(WEFT_UFUNC_ADD, 3, operands, c->site);
done:
  weft_array_release(&sums);
  return rc;
}

weft_status weft__unwrap_at(weft_operand out, weft_operand x, weft_axes axis, const weft_unwrap_params *params) {
  const weft_unwrap_params p = WEFT__PARAMS(params);
  differing t;
  weft_status rc;
  weft__enter("weft_unwrap", p.site);
  WEFT__TRY(begin(&t, out, x, axis, true, p.site));
  rc = unwrap(&t, &p);
done:
  return weft__leave(weft__call_close(&t.call, rc));
}
