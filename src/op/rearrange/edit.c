// SPDX-License-Identifier: MIT
/// Elements added to an array and taken from it: append, insert, delete, trim_zeros.
#include <inttypes.h>
#include <stdlib.h>
#include <weft/eval.h>
#include <weft/index.h>
#include <weft/rearrange.h>
#include <weft/reduce.h>
#include <weft/search.h>
#include <weft/select.h>

#include "array/axes.h"
#include "array/strides.h"
#include "array/view.h"
#include "call/call.h"
#include "dtype/scalar.h"
#include "expr/overload.h"
#include "map/cast.h"

/// A call that works along one axis of `x`, its first operand.
typedef struct editing {
  weft__call call;
  weft_array x; /* flat with WEFT_ALL_AXES */
  int axis;     /* from 0 */
} editing;

/// Gathers the operands, and finds x and the axis.
static weft_status begin(editing *t, weft_axes axes) {
  weft__call *c = &t->call;
  WEFT__TRY_RETURN(weft__one_axis(&t->axis, axes));
  WEFT__TRY_RETURN(weft__call_operands(c));
  const bool flat = t->axis == WEFT__EVERY_AXIS;
  if (flat || weft__call_is_scalar(c, 0)) WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  t->x = flat ? weft__array_flat(c->array[c->results]) : weft__array_borrow(c->array[c->results]);
  if (flat) t->axis = 0;
  return weft__axis_resolve(&t->axis, t->x.ndim);
}

/// Joins arrays along the axis into the caller's result.
static weft_status join(const editing *t, weft_operand out, weft_array *const *parts, int count) {
  return weft__concatenate_at(out, parts, count, weft__axes_int(t->axis), t->call.site);
}

weft_status weft__append_at(weft_operand out, weft_operand x, weft_operand values, weft_axes axis, const char *site) {
  static const char *const names[] = {"x", "values"};
  const weft_operand operand[] = {x, values};
  editing t;
  weft_status rc;
  weft__enter("weft_append", site);
  weft__call_open(&t.call, NULL, 0, NULL, 2, operand, names, site);
  WEFT__TRY(begin(&t, axis));
  if (weft__call_is_scalar(&t.call, 1))
    WEFT__TRY(weft__call_contiguous_operand(&t.call, 1, weft__call_promoted(&t.call)));
  weft_array *parts[] = {&t.x, t.call.array[1]};
  rc = weft__concatenate_at(out, parts, 2, axis, site);
done:
  return weft__leave(weft__call_close(&t.call, rc));
}

/* ---- positions ---- */

static weft_status out_of_range(int64_t index, int axis, int64_t length) {
  return weft__fail(WEFT_ERROR_INDEX, "indices",
                    "index %" PRId64 " is out of range for axis %d of %" PRId64 " element%s", index, axis, length,
                    length == 1 ? "" : "s");
}

/// An index from -length to length - 1, or to length if `end` is set, as a position.
static weft_status position(int64_t *place, int64_t index, const editing *t, bool end) {
  const int64_t length = t->x.shape[t->axis];
  *place = index < 0 ? index + length : index;
  return *place < 0 || *place >= length + end ? out_of_range(index, t->axis, length) : WEFT_OK;
}

/// The value of operand 1 as a C integer. False if it is no C integer.
static bool is_integer(const weft__call *c) {
  return weft__call_is_scalar(c, 1) && weft__is_whole(weft__call_dtype(c, 1)) && weft__call_dtype(c, 1) != WEFT_BOOL;
}

/// Whether the values go before one position, whose slices are along the first axis: as in NumPy a C integer, or an
/// array without axes.
static bool is_one_position(const weft__call *c) {
  return is_integer(c) || c->array[1]->ndim == 0;
}

static weft_status scalar_position(int64_t *place, const editing *t, bool end) {
  uint64_t bytes[2];
  WEFT__TRY_RETURN(weft__element_bytes(bytes, WEFT_I64, t->call.operand[1].as.scalar, "indices"));
  return position(place, (int64_t)bytes[0], t, end);
}

static weft_status check_indices(const weft__call *c) {
  const weft_dtype dtype = weft__call_dtype(c, 1);
  if (weft__is_whole(dtype) && dtype != WEFT_BOOL) return WEFT_OK;
  return weft__fail(WEFT_ERROR_DTYPE, "indices", "`indices` is %s; expected integers", weft_dtype_name(dtype));
}

/* ---- insert ---- */

/// A position before which slice number `from` of the values goes.
typedef struct insertion {
  int64_t before, from;
} insertion;

static int in_order(const void *a, const void *b) {
  const insertion *one = a, *other = b;
  if (one->before != other->before) return one->before < other->before ? -1 : 1;
  return one->from < other->from ? -1 : one->from > other->from;
}

/// Reads the positions, in the order of the result. Waits unless there is one C integer.
static weft_status read_positions(insertion **list, int64_t *count, const editing *t) {
  const weft__call *c = &t->call;
  weft_array *wide = NULL;
  int64_t *index = NULL;
  weft_status rc;
  *count = is_integer(c) ? 1 : c->array[1]->size;
  if (!is_integer(c) && c->array[1]->ndim > 1)
    return weft__fail(WEFT_ERROR_SHAPE, "indices", "`indices` has %d axes; expected one, or none", c->array[1]->ndim);
  *list = malloc(((size_t)*count + 1) * sizeof **list);
  if (!*list) return weft__fail_host_memory((size_t)*count * sizeof **list);
  if (is_integer(c)) {
    (*list)->from = 0;
    return scalar_position(&(*list)->before, t, true);
  }
  WEFT__TRY((index = malloc(((size_t)*count + 1) * sizeof *index)) ? WEFT_OK : weft__fail_host_memory((size_t)*count));
  WEFT__TRY(weft__cast(&wide, c->array[1], WEFT_I64, c->site));
  WEFT__TRY(weft__array_read(index, wide, true, c->site));
  for (int64_t k = 0; k < *count; k++) {
    WEFT__TRY(position(&(*list)[k].before, index[k], t, true));
    (*list)[k].from = k;
  }
  qsort(*list, (size_t)*count, sizeof **list, in_order);
  rc = WEFT_OK;
done:
  free(index);
  weft_array_release(&wide);
  return rc;
}

/// The values with the shape of what is inserted: *slices along the axis, which is 0 if the values say how many.
static weft_status shape_values(weft_array *values, editing *t, int64_t slices) {
  weft__call *c = &t->call;
  const weft_dtype dtype = t->x.dtype, given = weft__call_dtype(c, 2);
  if (!weft__call_is_scalar(c, 2) && !weft__casts_same_kind(given, dtype))
    return weft__fail(WEFT_ERROR_DTYPE, "values",
                      "`values` is %s, which is not cast to %s, the dtype of `x`, implicitly", weft_dtype_name(given),
                      weft_dtype_name(dtype));
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 2, dtype));
  weft_shape shape = weft__array_shape(&t->x);
  *values = weft__array_borrow(c->array[2]);
  if (values->ndim > shape.ndim) return weft__call_fail_shapes(c, 0, 2, "`values` has more axes than `x`");
  weft_shape padded = shape;
  for (int d = 0; d < shape.ndim; d++) padded.dim[d] = 1;
  for (int d = 0; d < values->ndim; d++) padded.dim[shape.ndim - values->ndim + d] = values->shape[d];
  weft__set_contiguous(values, padded);
  if (is_one_position(c)) {
    const weft_array all = weft__array_borrow(values);
    int from[WEFT_MAX_NDIM];
    for (int d = 0; d < all.ndim; d++) from[d] = d == t->axis ? 0 : d < t->axis ? d + 1 : d;
    weft__view_permute(values, &all, from);
  }
  shape.dim[t->axis] = slices == 1 ? values->shape[t->axis] : slices;
  weft_shape both = shape;
  int axis;
  if (!weft__broadcast_shapes(&both, weft__array_shape(values), &axis) || !weft__same_shape(both, shape))
    return weft__call_fail_shapes(c, 0, 2, "`values` do not broadcast to the inserted elements");
  *values = weft__array_broadcast(values, shape);
  return WEFT_OK;
}

/// Scatters values and x's elements to their places along the axis of a new array.
static weft_status scatter_all(weft_array **joined, const editing *t, const weft_array *values, const insertion *list,
                               int64_t count) {
  const char *site = t->call.site;
  const weft_index_params params = {.site = site};
  const weft_axes axis = weft__axes_int(t->axis);
  weft_array *places = NULL, *before = NULL, *numbers = NULL, *moved = NULL, *kept = NULL;
  weft_status rc;
  int64_t *word = malloc(((size_t)count + 1) * 2 * sizeof *word);
  if (!word) return weft__fail_host_memory((size_t)count * 2 * sizeof *word);
  for (int64_t k = 0; k < count; k++) {
    word[list[k].from] = list[k].before + k;
    word[count + k] = list[k].before;
  }
  weft_shape shape = weft__array_shape(&t->x);
  const int64_t length = shape.dim[t->axis];
  shape.dim[t->axis] += count;
  WEFT__TRY(weft__array_create(joined, t->x.context, t->x.dtype, shape, site));
  WEFT__TRY(weft__array_of(&places, t->x.context, WEFT_I64, WEFT_SHAPE(count), word, site));
  WEFT__TRY(weft__array_of(&before, t->x.context, WEFT_I64, WEFT_SHAPE(count), word + count, site));
  WEFT__TRY(weft__scatter_at(*joined, WEFT_OPERAND(places), WEFT_OPERAND(values), axis, &params));
  /* element j moves by the number of positions up to j */
  WEFT__TRY(
      weft__arange_at(&numbers, t->x.context, WEFT_I64, WEFT_SCALAR(0), WEFT_SCALAR(length), WEFT_SCALAR(1), site));
  WEFT__TRY(weft__searchsorted_at(WEFT_OPERAND(&moved), WEFT_OPERAND(before), WEFT_OPERAND(numbers),
                                  &(weft_searchsorted_params){.side = WEFT_RIGHT, .site = site}));
  const weft_operand sum[] = {WEFT_OPERAND(&kept), WEFT_OPERAND(moved), WEFT_OPERAND(numbers)};
  WEFT__TRY(weft__ufunc_apply_at(WEFT_UFUNC_ADD, 3, sum, site));
  rc = weft__scatter_at(*joined, WEFT_OPERAND(kept), WEFT_OPERAND(&t->x), axis, &params);
done:
  free(word);
  weft_array_release(&places);
  weft_array_release(&before);
  weft_array_release(&numbers);
  weft_array_release(&moved);
  weft_array_release(&kept);
  return rc;
}

static weft_status insert(editing *t, weft_operand out, weft_axes axes) {
  insertion *list = NULL;
  int64_t count;
  weft_array values, *joined = NULL;
  weft_status rc;
  WEFT__TRY_RETURN(begin(t, axes));
  WEFT__TRY_RETURN(check_indices(&t->call));
  WEFT__TRY(read_positions(&list, &count, t));
  WEFT__TRY(shape_values(&values, t, count));
  if (count > 1 && values.size > 0) {
    WEFT__TRY(scatter_all(&joined, t, &values, list, count));
    rc = join(t, out, &joined, 1);
  } else {
    const int64_t at = count ? list->before : 0, length = t->x.shape[t->axis];
    weft_array front = weft__array_part(&t->x, t->axis, 0, at),
               back = weft__array_part(&t->x, t->axis, at, length - at);
    rc = join(t, out, (weft_array *[]){&front, &values, &back}, 3);
  }
done:
  free(list);
  weft_array_release(&joined);
  return rc;
}

weft_status weft__insert_at(weft_operand out, weft_operand x, weft_operand indices, weft_operand values, weft_axes axis,
                            const char *site) {
  static const char *const names[] = {"x", "indices", "values"};
  const weft_operand operand[] = {x, indices, values};
  editing t;
  weft__enter("weft_insert", site);
  weft__call_open(&t.call, NULL, 0, NULL, 3, operand, names, site);
  return weft__leave(weft__call_close(&t.call, insert(&t, out, axis)));
}

/* ---- delete ---- */

static weft_status delete_many(const editing *t, weft_operand out) {
  const char *site = t->call.site;
  const int64_t length = t->x.shape[t->axis];
  weft_array *kept = NULL;
  weft_status rc;
  WEFT__TRY(weft__full_at(&kept, t->x.context, WEFT_BOOL, WEFT_SHAPE(length), WEFT_SCALAR(true), site));
  WEFT__TRY(weft__scatter_at(kept, WEFT_OPERAND(t->call.array[1]), WEFT_OPERAND(false), WEFT__AXES(0),
                             &(weft_index_params){.site = site}));
  rc = weft__compress_at(out, WEFT_OPERAND(kept), WEFT_OPERAND(&t->x), weft__axes_int(t->axis),
                         &(weft_compress_params){.site = site});
done:
  weft_array_release(&kept);
  return rc;
}

static weft_status delete_(editing *t, weft_operand out, weft_axes axes) {
  int64_t at;
  WEFT__TRY_RETURN(begin(t, axes));
  WEFT__TRY_RETURN(check_indices(&t->call));
  if (!is_integer(&t->call)) return delete_many(t, out);
  WEFT__TRY_RETURN(scalar_position(&at, t, false));
  weft_array front = weft__array_part(&t->x, t->axis, 0, at),
             back = weft__array_part(&t->x, t->axis, at + 1, t->x.shape[t->axis] - at - 1);
  return join(t, out, (weft_array *[]){&front, &back}, 2);
}

weft_status weft__delete_at(weft_operand out, weft_operand x, weft_operand indices, weft_axes axis, const char *site) {
  static const char *const names[] = {"x", "indices"};
  const weft_operand operand[] = {x, indices};
  editing t;
  weft__enter("weft_delete", site);
  weft__call_open(&t.call, NULL, 0, NULL, 2, operand, names, site);
  return weft__leave(weft__call_close(&t.call, delete_(&t, out, axis)));
}

/* ---- trim_zeros ---- */

/// The least (or, with MAX, the greatest) number of a nonzero element; `otherwise` without any.
static weft_status end_of(int64_t *number, const weft_array *x, weft_reduction_id id, int64_t otherwise,
                          const char *site) {
  const weft_reduction how = {.op = id};
  const weft_operand variable[] = {WEFT_NAMED("x", x), WEFT_NAMED("otherwise", otherwise),
                                   weft__operand_reduction(&how)};
  return weft__reduce_at(WEFT_OPERAND(WEFT_HOST_OUT(number, WEFT_I64, WEFT_SHAPE_0D)), x->context,
                         "i if x != 0 else otherwise", WEFT_ALL_AXES, 3, variable, site);
}

weft_status weft__trim_zeros_at(weft_array **out, const weft_array *x, const weft_trim_zeros_params *params) {
  const weft_trim_zeros_params p = WEFT__PARAMS(params);
  const char *site = p.site;
  int64_t first = 0, last = 0;
  WEFT__BEGIN_VIEW("weft_trim_zeros");
  if (x->ndim != 1) WEFT__TRY(weft__fail(WEFT_ERROR_SHAPE, "x", "`x` has %d axes; expected 1", x->ndim));
  if (x->size > 0 && !p.keep_front) WEFT__TRY(end_of(&first, x, WEFT_REDUCE_MIN, x->size, site));
  if (x->size > 0 && !p.keep_back) WEFT__TRY(end_of(&last, x, WEFT_REDUCE_MAX, -1, site));
  const int64_t end = p.keep_back ? x->size : last + 1;
  const weft_array kept = weft__array_part(x, 0, first, x->size > 0 && end > first ? end - first : 0);
  rc = weft__array_view(out, &kept, site);
done:
  return weft__leave(rc);
}
