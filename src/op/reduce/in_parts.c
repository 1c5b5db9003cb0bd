// SPDX-License-Identifier: MIT
/// Reductions of views that are larger than their memory, or whose axes the kernels cannot read in place.
#include "map/cast.h"
#include "op/reduce/reduce.h"
#include "op/reduce/tuning.h"

/// Whether the result of one element is this element, cast.
static bool is_identity(const weft__reduce_task *task) {
  const weft__reduce_what *what = &task->what;
  const bool is_sum = what->gather == WEFT__GATHER_SUM && what->term == WEFT__TERM_VALUE;
  const bool is_plain = is_sum ? what->finish != WEFT__FINISH_ROOT
                               : what->gather == WEFT__GATHER_PROD || what->gather == WEFT__GATHER_BEST ||
                                     what->gather == WEFT__GATHER_ANY || what->gather == WEFT__GATHER_ALL;
  for (int d = 0; d < task->shape.ndim; d++)
    if (task->along[d] && task->shape.dim[d] != 1) return false;
  return is_plain && !what->skip_nan && !what->magnitude && what->source == WEFT__SOURCE_LOAD;
}

/// Copies the elements without the axes along which each is alone.
static weft_status copy_elements(weft_array *out, const weft_array *x, const weft__reduce_task *task,
                                 const char *site) {
  weft_array left = weft__array_borrow(x), to = weft__array_borrow(out);
  left.ndim = 0;
  for (int d = 0; d < x->ndim; d++) {
    if (task->along[d]) continue;
    left.shape[left.ndim] = x->shape[d];
    left.stride_bytes[left.ndim++] = x->stride_bytes[d];
  }
  weft__set_contiguous(&to, weft__array_shape(&left));
  return weft__cast_into(&to, &left, to.dtype, site);
}

/// Whether a result stays the same if one of its elements is there twice.
static bool ignores_copies(const weft__reduce_task *task) {
  const int gather = task->what.gather;
  int reduced = 0;
  for (int d = 0; d < task->shape.ndim; d++) reduced += task->along[d] && task->shape.dim[d] > 1;
  return gather == WEFT__GATHER_BEST || gather == WEFT__GATHER_ANY || gather == WEFT__GATHER_ALL ||
         gather == WEFT__GATHER_RANGE || (gather == WEFT__GATHER_WHERE && reduced == 1);
}

/// Leaves one element of the axes of x along which all are the same: kept ones, and reduced ones where copies change
/// nothing. Returns whether there are any; *has_kept: kept ones.
static bool drop_copies(weft__reduce_task *task, weft_array *x, bool *has_kept) {
  const bool drops_reduced = ignores_copies(task);
  bool is_dropped = false;
  *has_kept = false;
  for (int d = 0; d < x->ndim; d++) {
    if (x->stride_bytes[d] != 0 || x->shape[d] <= 1 || (task->along[d] && !drops_reduced)) continue;
    *has_kept = *has_kept || !task->along[d];
    is_dropped = true;
    x->size /= x->shape[d];
    x->shape[d] = task->shape.dim[d] = 1;
  }
  return is_dropped;
}

/// Copies the results `from` to `to`, which has axes of further results that are the same.
static weft_status spread(weft_array *to, const weft_array *from, const weft__reduce_task *task, const char *site) {
  weft_array few = weft__array_borrow(from);
  weft__set_contiguous(&few, weft__axes_reduced(task->shape, task->along, task->keepdims));
  const weft_array all = weft__array_broadcast(&few, weft__array_shape(to));
  return weft__cast_into(to, &all, to->dtype, site);
}

static weft_status run_dropped(const weft__call *c, const weft__reduce_task *task, weft_array *out, bool has_kept) {
  weft_array *few = NULL;
  weft_status rc;
  if (!has_kept) return weft__reduce_view_run(c, task, out);
  WEFT__TRY(weft__array_create(&few, c->context, out->dtype,
                               weft__axes_reduced(task->shape, task->along, task->keepdims), c->site));
  WEFT__TRY(weft__reduce_view_run(c, task, few));
  rc = spread(out, few, task, c->site);
done:
  weft_array_release(&few);
  return rc;
}

/// Cuts the first reduced axis; each part is copied, and goes on where the last one ended.
static weft_status run_in_parts(const weft__call *c, const weft__reduce_task *task, weft_array *out) {
  weft__call call = *c;
  weft__reduce_task piece = *task;
  weft__reduce_part part = {.goes_on = true, .outputs = 1, .count = 1, .all = 1};
  const weft_array *x = c->array[c->results];
  int axis = -1;
  int64_t first_behind = 1, reduced_behind = 1; /* elements, and reduced ones, of an index of the axis */
  weft_status rc;
  for (int d = 0; d < x->ndim; d++) {
    if (axis < 0 && task->along[d] && x->shape[d] > 1)
      axis = d;
    else if (axis >= 0)
      first_behind *= x->shape[d], reduced_behind *= task->along[d] ? x->shape[d] : 1;
    part.all *= x->shape[d];
    *(task->along[d] ? &part.count : (int64_t *)&part.outputs) *= x->shape[d];
  }
  const int64_t length = x->shape[axis], one = x->size / length;
  const int64_t step = one < WEFT__REDUCE_PART_ELEMENTS ? WEFT__REDUCE_PART_ELEMENTS / one : 1;
  for (int64_t i = 0; i < length; i += step) {
    const int64_t count = length - i < step ? length - i : step;
    weft_array view = weft__array_part(x, axis, i, count);
    call.array[c->results] = &view;
    piece.shape.dim[axis] = count;
    part.first = (uint64_t)(i * first_behind);
    part.row = (uint64_t)(i * reduced_behind);
    WEFT__TRY(weft__reduce_part_run(&call, &piece, out, &part));
  }
  rc = weft__reduce_conclude(c, task, out, &part);
done:
  weft_array_release(&part.partials);
  return rc;
}

/// Reduces an array that has gaps.
static weft_status run_view(const weft__call *c, const weft__reduce_task *task, weft_array *out) {
  weft__call call = *c;
  weft__reduce_task few = *task;
  bool has_kept;
  const weft_array *x = c->array[c->results];
  weft_array view = weft__array_borrow(x);
  call.array[c->results] = &view;
  if (drop_copies(&few, &view, &has_kept)) return run_dropped(&call, &few, out, has_kept);
  if (x->size <= WEFT__REDUCE_PART_ELEMENTS || !weft__reduce_copies(c, task))
    return weft__reduce_part_run(c, task, out, NULL);
  return run_in_parts(c, task, out);
}

weft_status weft__reduce_view_run(const weft__call *c, const weft__reduce_task *task, weft_array *out) {
  const weft_array *x = c->array[c->results];
  if (c->inputs == 1 && !task->plan && is_identity(task)) return copy_elements(out, x, task, c->site);
  if (c->inputs != 1 || task->plan || weft__is_contiguous(x)) return weft__reduce_part_run(c, task, out, NULL);
  return run_view(c, task, out);
}
