// SPDX-License-Identifier: MIT
/// Arrays side by side: concatenate and stack.
#include <weft/rearrange.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array/axes.h"
#include "array/view.h"
#include "call/call.h"
#include "map/cast.h"
#include "op/rearrange/arrange.h"
#include "op/rearrange/join.h"
#include "op/rearrange/tuning.h"

#define MOST_ARRAYS (INT64_C(1) << 20)

/// A concatenation in progress.
typedef struct joining {
  weft_array *const *array;
  int64_t count;
  weft_context *context;
  weft_dtype dtype;
  weft_shape shape; /* of the result */
  int axis;         /* of the result; -1: all arrays are flattened */
  bool is_stack;
  weft__join_task next; /* the next pieces */
  const char *site;
} joining;

/* ---- the result's dtype, shape and memory ---- */

static weft_status fail_shapes(const joining *j, int64_t k, int axis) {
  weft__text text = {0};
  weft__text_add(&text, "arrays[0] is ");
  weft__add_shape(&text, j->array[0]->dtype, weft__array_shape(j->array[0]));
  weft__text_add(&text, ", arrays[%" PRId64 "] is ", k);
  weft__add_shape(&text, j->array[k]->dtype, weft__array_shape(j->array[k]));
  weft__text_add(&text, axis < 0 ? ": they have different numbers of axes" : ": they differ in axis %d", axis);
  weft__fail(WEFT_ERROR_SHAPE, "arrays", "%s", weft__text_chars(&text));
  weft__text_free(&text);
  return WEFT_ERROR_SHAPE;
}

static weft_status check_arrays(joining *j) {
  weft__dtypes all = 0;
  if (j->count < 1 || j->count > MOST_ARRAYS)
    return weft__fail(WEFT_ERROR_ARGUMENT, "count", "`count` is %" PRId64 "; expected 1 to %" PRId64, j->count,
                      MOST_ARRAYS);
  for (int64_t k = 0; k < j->count; k++) {
    const weft_array *x = j->array[k];
    WEFT__TRY_RETURN(weft__while(weft__array_check(x, "arrays"), "looking at arrays[%" PRId64 "]", k));
    if (k == 0) j->context = x->context;
    if (x->context != j->context)
      return weft__fail(WEFT_ERROR_CONTEXT, "arrays",
                        "arrays[%" PRId64 "] belongs to another context than arrays[0]" WEFT__COPY_HINT, k);
    all |= WEFT__DTYPE_SET(x->dtype);
  }
  j->dtype = weft__promote_all(all);
  return weft__dtype_check(j->dtype, j->context);
}

/// Adds up the lengths along the axis. All other lengths must be equal.
static weft_status find_shape(joining *j) {
  const weft_array *first = j->array[0];
  uint64_t total = 0;
  if (j->axis == WEFT__EVERY_AXIS && !j->is_stack) {
    j->axis = -1;
    j->shape = weft__shape(1, (const int64_t[]){0});
  } else {
    if (!j->is_stack && first->ndim == 0)
      return weft__fail(WEFT_ERROR_SHAPE, "arrays",
                        "arrays[0] has no axes to join along; use weft_stack or WEFT_ALL_AXES");
    if (j->is_stack && first->ndim == WEFT_MAX_NDIM)
      return weft__fail(WEFT_ERROR_SHAPE, "arrays", "arrays[0] has %d axes already, which is the maximum",
                        WEFT_MAX_NDIM);
    WEFT__TRY_RETURN(weft__axis_resolve(&j->axis, first->ndim + j->is_stack));
    j->shape = weft__array_shape(first);
  }
  for (int64_t k = 0; k < j->count; k++) {
    const weft_array *x = j->array[k];
    if (j->axis >= 0 && x->ndim != first->ndim) return fail_shapes(j, k, -1);
    for (int d = 0; d < x->ndim && j->axis >= 0; d++)
      if (x->shape[d] != first->shape[d] && (d != j->axis || j->is_stack)) return fail_shapes(j, k, d);
    /* no wraparound: both numbers are under 2^63 */
    total += (uint64_t)(j->is_stack ? 1 : j->axis < 0 ? x->size : x->shape[j->axis]);
    if (total > INT64_MAX)
      return weft__fail(WEFT_ERROR_OVERFLOW, "arrays", "together they have more than 2^63-1 elements along the axis");
  }
  int at = j->axis < 0 ? 0 : j->axis;
  if (j->is_stack) {
    memmove(&j->shape.dim[at + 1], &j->shape.dim[at], (size_t)(first->ndim - at) * sizeof j->shape.dim[0]);
    j->shape.ndim++;
  }
  j->shape.dim[at] = (int64_t)total;
  return WEFT_OK;
}

/// Makes the result, in memory that overlaps no array.
static weft_status make_result(joining *j, weft__call *c) {
  WEFT__TRY_RETURN(weft__call_check(c));
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, j->dtype, j->shape));
  bool overlaps = false;
  for (int64_t k = 0; k < j->count && !c->is_new[0] && !c->temporary[0] && !overlaps; k++)
    overlaps = weft__arrays_overlap(c->array[0], j->array[k]);
  if (overlaps) WEFT__TRY_RETURN(weft__call_temporary(c, 0, j->dtype, j->shape));
  j->next = (weft__join_task){.out = c->array[0], .site = j->site};
  if (j->next.out->size == 0) return WEFT_OK;
  weft__axis_split parts = weft__split_at_axis(j->shape, j->axis < 0 ? 0 : j->axis);
  j->next.rows = parts.outer;
  j->next.pitch = parts.length * parts.inner;
  return WEFT_OK;
}

/* ---- pieces ---- */

typedef struct join_key {
  uint8_t size, is_wide, pieces;
} join_key;

static void write_key(weft__text *text, const void *data) {
  const join_key *key = data;
  weft__write_wording(text, key->size, key->is_wide);
  weft__text_add(text, "#define WEFT_SOURCES(X)");
  for (int k = 0; k < key->pieces; k++) weft__text_add(text, " X(%d)", k);
  weft__text_add(text, "\n");
}

weft_status weft__join_kernels_run(bool *is_done, const void *task) {
  const weft__join_task *t = task;
  weft__wording w;
  weft__kernel *kernel;
  weft__use use[1 + WEFT__JOIN_PIECES];
  static const char *const kernels[] = {"weft_join"};
  int64_t width = 0, bytes = (int64_t)weft_dtype_size_bytes(t->out->dtype);
  *is_done = true;
  for (int k = 0; k < t->pieces; k++) width += t->width[k];
  weft__join_args a = {.pieces = t->pieces, .to_offset = t->out->offset_bytes + t->begin * bytes};
  weft__wording_of(&w, t->out->dtype, t->rows * width, a.to_offset);
  a.number = (uint64_t)(t->rows * width * w.per_element);
  a.chunks = w.chunks;
  a.width = width * w.per_element;
  a.pitch = t->pitch * w.per_element;
  a.skew = w.skew;
  bool in_chunks = (a.to_offset | width * bytes | t->pitch * bytes) % 16 == 0;
  a.is_whole = t->rows == 1 || width == t->pitch || in_chunks;
  int sources = t->pieces <= WEFT__JOIN_FEW ? WEFT__JOIN_FEW : WEFT__JOIN_PIECES;
  use[0] = (weft__use){t->out->storage, true};
  for (int k = 0; k < sources; k++) {
    const weft_array *x = t->piece[k < t->pieces ? k : 0];
    use[k + 1] = (weft__use){x->storage, false};
    if (k >= t->pieces) continue;
    a.first[k + 1] = a.first[k] + t->width[k] * w.per_element;
    a.from_offset[k] = x->offset_bytes;
    a.from_end[k] = weft__buffer_end(x);
  }
  const join_key key = {(uint8_t)w.size, w.is_wide, (uint8_t)sources};
  const weft__kernel_source source = {
      .name = "concatenate",
      .key = {.file = "rearrange/join_gpu.cl", .kernel = kernels, .kernels = 1, WEFT__KEY_BYTES(join_key, &key)},
      .write = write_key};
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &t->out->context->store, &source));
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(w.groups), WEFT_DIM3(WEFT__GPU_BLOCK), &a, sizeof a,
                                              sources + 1, use, .what = "concatenate", .site = t->site});
}

/// The part of the result for array x, in x's shape; a borrowed handle. `along`: where the part begins along the axis.
static weft_array part_of(const joining *j, const weft_array *x, int64_t along) {
  const weft_array *out = j->next.out;
  weft_array v = weft__array_borrow(out);
  int64_t bytes = (int64_t)weft_dtype_size_bytes(j->dtype);
  if (j->axis < 0) weft__set_contiguous(&v, weft__array_shape(x));
  v.ndim = x->ndim;
  v.size = x->size;
  for (int d = 0; d < x->ndim; d++) {
    v.shape[d] = x->shape[d];
    if (j->axis >= 0) v.stride_bytes[d] = out->stride_bytes[d + (j->is_stack && d >= j->axis)];
  }
  v.offset_bytes = out->offset_bytes + along * (j->axis < 0 ? bytes : out->stride_bytes[j->axis]);
  return v;
}

static weft_status flush(weft__join_task *t) {
  if (t->pieces == 0) return WEFT_OK;
  if (t->pieces > 1 || t->rows > 1) {
    WEFT__TRY_RETURN(weft__ways_run(&weft__join_ways, t->out->context, t));
  } else {
    weft_array to = weft__array_borrow(t->out), from = weft__array_borrow(t->piece[0]);
    weft__set_contiguous(&from, weft__shape(1, &from.size));
    weft__set_contiguous(&to, weft__shape(1, &from.size));
    to.size = from.size;
    to.offset_bytes += t->begin * (int64_t)weft_dtype_size_bytes(t->out->dtype);
    WEFT__TRY_RETURN(weft__assign(&to, &from, t->site));
  }
  t->pieces = 0;
  return WEFT_OK;
}

static weft_status copy_pieces(joining *j) {
  weft__join_task *next = &j->next;
  int64_t along = 0, begin = 0; /* positions along the axis and in a row */
  for (int64_t k = 0; k < j->count; k++) {
    const weft_array *x = j->array[k];
    if (x->size == 0) continue;
    int64_t width = x->size / next->rows;
    if (x->dtype == j->dtype && weft__is_contiguous(x)) {
      if (next->pieces == WEFT__JOIN_PIECES) WEFT__TRY_RETURN(flush(next));
      if (next->pieces == 0) next->begin = begin;
      next->piece[next->pieces] = x;
      next->width[next->pieces++] = width;
    } else {
      weft_array part = part_of(j, x, along);
      WEFT__TRY_RETURN(flush(next));
      WEFT__TRY_RETURN(weft__cast_into(&part, x, j->dtype, j->site));
    }
    begin += width;
    along += j->is_stack ? 1 : j->axis < 0 ? x->size : x->shape[j->axis];
  }
  return flush(next);
}

static weft_status join(joining *j, const weft_operand *out) {
  weft__call c;
  weft_status rc;
  WEFT__TRY_RETURN(check_arrays(j));
  WEFT__TRY_RETURN(find_shape(j));
  weft__call_open(&c, j->context, 1, out, 0, NULL, NULL, j->site);
  WEFT__TRY(make_result(j, &c));
  if (j->next.out->size > 0) rc = copy_pieces(j);
done:
  return weft__call_close(&c, rc);
}

weft_status weft__concatenate_at(weft_operand out, weft_array *const *arrays, int64_t count, weft_axes axis,
                                 const char *site) {
  joining j = {.array = arrays, .count = count, .site = site};
  weft__enter("weft_concatenate", site);
  WEFT__NEED(arrays);
  weft_status rc = weft__one_axis(&j.axis, axis);
  return weft__leave(rc ? rc : join(&j, &out));
}

weft_status weft__stack_at(weft_operand out, weft_array *const *arrays, int64_t count, weft_axes axis,
                           const char *site) {
  joining j = {.array = arrays, .count = count, .is_stack = true, .site = site};
  weft__enter("weft_stack", site);
  WEFT__NEED(arrays);
  weft_status rc = weft__one_axis(&j.axis, axis);
  return weft__leave(rc ? rc : join(&j, &out));
}

/* ---- named by the way the arrays lie ---- */

typedef enum way { ROWS, BESIDE, BEHIND, COLUMNS } way;

/// Gives each array the axes that the function sees, and finds the axis along which they are joined.
static int add_axes(weft_array *view, int64_t count, way how) {
  static const int least[] = {[ROWS] = 2, [BESIDE] = 1, [BEHIND] = 3, [COLUMNS] = 2};
  for (int64_t k = 0; k < count; k++) {
    const bool is_turned = how == COLUMNS && view[k].ndim < 2;
    weft__view_at_least(&view[k], least[how]);
    if (!is_turned) continue;
    const weft_array row = weft__array_borrow(&view[k]);
    weft__view_permute(&view[k], &row, (const int[WEFT_MAX_NDIM]){1, 0});
  }
  return how == ROWS ? 0 : how == BEHIND ? 2 : how == COLUMNS ? 1 : view[0].ndim > 1;
}

static weft_status join_by(const char *function, way how, weft_operand out, weft_array *const *arrays, int64_t count,
                           const char *site) {
  weft_array *view = NULL, **list = NULL;
  weft_status rc;
  weft__enter(function, site);
  WEFT__NEED(arrays);
  joining j = {.array = arrays, .count = count, .site = site};
  WEFT__TRY(check_arrays(&j));
  view = malloc((size_t)count * sizeof *view);
  list = malloc((size_t)count * sizeof(weft_array *));
  if (!view || !list) WEFT__TRY(weft__fail_host_memory((size_t)count * sizeof *view));
  for (int64_t k = 0; k < count; k++) {
    view[k] = weft__array_borrow(arrays[k]);
    list[k] = &view[k];
  }
  j.array = list;
  j.axis = add_axes(view, count, how);
  rc = join(&j, &out);
done:
  free(view);
  free(list);
  return weft__leave(rc);
}

weft_status weft__vstack_at(weft_operand out, weft_array *const *arrays, int64_t count, const char *site) {
  return join_by("weft_vstack", ROWS, out, arrays, count, site);
}

weft_status weft__hstack_at(weft_operand out, weft_array *const *arrays, int64_t count, const char *site) {
  return join_by("weft_hstack", BESIDE, out, arrays, count, site);
}

weft_status weft__dstack_at(weft_operand out, weft_array *const *arrays, int64_t count, const char *site) {
  return join_by("weft_dstack", BEHIND, out, arrays, count, site);
}

weft_status weft__column_stack_at(weft_operand out, weft_array *const *arrays, int64_t count, const char *site) {
  return join_by("weft_column_stack", COLUMNS, out, arrays, count, site);
}
