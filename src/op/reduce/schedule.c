// SPDX-License-Identifier: MIT
/// From a reduction's arrays to a division (op/reduce/division.h): the layout of the arrays.
#include <stdlib.h>
#include <string.h>

#include "map/cast.h"
#include "op/reduce/division.h"
#include "op/reduce/tuning.h"

/* ---- the layout of arrays ---- */

/// The least distance between neighbours along the axes that are reduced, or those that are not.
static int64_t nearest(const weft_array *x, const bool *along, bool reduced) {
  int64_t least = INT64_MAX;
  for (int d = 0; d < x->ndim; d++)
    if (along[d] == reduced && x->shape[d] > 1 && llabs(x->stride_bytes[d]) < least) least = llabs(x->stride_bytes[d]);
  return least;
}

/// Copies the array to a contiguous one as rows or columns, whichever has its neighbours side by side.
static weft_status copy_apart(weft_array **copy, weft__strided_split *s, const weft_array *x, const bool *along,
                              const char *site) {
  weft_array turned = weft__array_borrow(x);
  const bool is_columns = nearest(x, along, false) < nearest(x, along, true);
  int64_t count[2] = {1, 1}; /* of elements kept, and of those reduced */
  int n = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int d = 0; d < x->ndim; d++)
      if (along[d] == (is_columns != (pass == 1))) {
        count[along[d]] *= x->shape[d];
        turned.shape[n] = x->shape[d];
        turned.stride_bytes[n++] = x->stride_bytes[d];
      }
  *s = is_columns ? (weft__strided_split){1, count[1], count[0], 0, count[0], 1}
                  : (weft__strided_split){count[0], count[1], 1, count[1], 1, 1};
  return weft__cast(copy, &turned, x->dtype, site);
}

static bool has_numbers(const weft__reduce_task *task) {
  return weft__reduce_is_numbered(&task->what) || (task->plan && task->plan->uses_index);
}

/// Host memory as an array without storage.
static weft_array like_host(const weft_host *host) {
  weft_array x = {.dtype = host->dtype};
  weft__set_contiguous(&x, host->shape);
  return x;
}

/// Whether an array of another shape than the task's has one element, or one for each result, in their order.
static bool is_beside(const weft_array *x, const weft__reduce_task *task) {
  const int ndim = task->shape.ndim, missing = ndim - x->ndim;
  if (x->size == 1) return true;
  if (!weft__is_contiguous(x)) return false;
  for (int d = 0; d < ndim; d++)
    if ((d < missing ? 1 : x->shape[d - missing]) != (task->along[d] ? 1 : task->shape.dim[d])) return false;
  return true;
}

bool weft__reduce_is_direct(const weft__call *c, const weft__reduce_task *task) {
  weft__strided_split s;
  int arrays = 0, whole = 0, beside = 0, hosts = 0;
  for (int k = 0; k < c->inputs; k++) {
    if (weft__call_is_scalar(c, k)) continue;
    const weft_operand *operand = &c->operand[k];
    const weft_array x =
        operand->kind == WEFT_OPERAND_HOST ? like_host(&operand->as.host) : weft__array_borrow(operand->as.array);
    hosts += operand->kind == WEFT_OPERAND_HOST;
    arrays++;
    if (!weft__same_shape(weft__array_shape(&x), task->shape)) {
      if (!is_beside(&x, task)) return false;
      beside++;
    } else if (!weft__is_contiguous(&x) || (x.size > 0 && !weft__split_along(&s, &x, task->along, has_numbers(task)))) {
      return false;
    } else {
      whole++;
    }
  }
  /* a call in chunks cuts all its operands alike */
  return arrays <= WEFT__REDUCE_INPUTS && whole > 0 && (beside == 0 || hosts == 0);
}

bool weft__reduce_turns(const weft__reduce_task *task) {
  weft__strided_split s;
  const weft_host any = {.dtype = WEFT_U8, .shape = task->shape};
  const weft_array x = like_host(&any);
  return !weft__split_along(&s, &x, task->along, has_numbers(task));
}

/// Sees the array as outer x length x inner, of which length and inner are reduced; outer lies between them.
static bool split_apart(weft__strided_split *s, const weft_array *x, const bool *along) {
  const int64_t size = (int64_t)weft_dtype_size_bytes(x->dtype);
  int at[3] = {0}, group = 0; /* the ends of the axes reduced, kept, and reduced */
  for (int d = 0; d < x->ndim; d++) {
    if (x->shape[d] != 1 && along[d] == (group == 1)) group++;
    if (group == 3) return false;
    at[group] = d + 1;
  }
  int64_t inner_stride;
  if (group < 2 || !weft__merge_axes(x, 0, at[0], &s->length, &s->length_stride) ||
      !weft__merge_axes(x, at[0], at[1], &s->outer, &s->outer_stride) ||
      !weft__merge_axes(x, at[1], x->ndim, &s->inner, &inner_stride) || inner_stride != size)
    return false;
  if (s->length_stride <= 0 || s->outer_stride <= 0 || (s->length_stride | s->outer_stride | x->offset_bytes) % size)
    return false;
  s->length_stride /= size;
  s->outer_stride /= size;
  s->inner_stride = 1;
  return s->inner * size >= WEFT__REDUCE_APART_BYTES;
}

static void open_division(weft__division *l, const weft__call *c, const weft__reduce_task *task, weft_array *out,
                          weft__reduce_part *part) {
  memset(l, 0, offsetof(weft__division, args.scalar[1]));
  l->call = c;
  l->task = task;
  l->out = out;
  l->part = part;
  l->rows_each = 1;
  l->key.what = task->what;
  l->key.has_fp64 = c->context->core.device->info.has_fp64;
  l->key.kernel = c->context->store.is_cpu ? WEFT__REDUCE_CPU : WEFT__REDUCE_ROWS;
  l->size = 1;
}

/// Lists the call's arrays, those with all elements first.
static void list_arrays(weft__division *l) {
  const weft__call *c = l->call;
  for (int beside = 0; beside < 2; beside++)
    for (int k = 0; k < c->inputs; k++) {
      weft_array *x = c->array[c->results + k];
      const bool is = x && !l->part && l->task->plan && !weft__same_shape(weft__array_shape(x), l->task->shape);
      if (!x || is != beside) continue;
      const int at = l->arrays + l->beside;
      l->key.number[at] = (uint8_t)k;
      l->key.dtype[at] = (uint8_t)x->dtype;
      l->key.step[at] = beside && x->size > 1;
      l->array[at] = x;
      if (!beside && weft_dtype_size_bytes(x->dtype) > l->size) l->size = weft_dtype_size_bytes(x->dtype);
      *(beside ? &l->beside : &l->arrays) += 1;
    }
  l->key.inputs = (uint8_t)l->arrays;
  l->key.beside = (uint8_t)l->beside;
  l->key.unroll = 1;
}

/// Sees an array without axes kept as rows, of which each has a partial result: the axes to reduce are two.
static bool split_whole(weft__division *l) {
  const weft_array *x = l->array[0];
  const int64_t size = (int64_t)weft_dtype_size_bytes(x->dtype);
  weft__layout all;
  for (int d = 0; d < x->ndim; d++)
    if (x->stride_bytes[d] % size || (x->shape[d] > 1 && !l->task->along[d])) return false;
  weft__layout_of(&all, weft__array_shape(x), 1, (const weft_array *const[]){x}, true);
  if (all.ndim != 2 || x->offset_bytes % size) return false;
  const int row = all.length[0] > all.length[1] ? 0 : 1; /* fewer partial results */
  l->rows_each = (uint64_t)all.length[!row];
  l->s = (weft__strided_split){all.length[!row],           all.length[row],           1,
                               all.stride[0][!row] / size, all.stride[0][row] / size, 1};
  return true;
}

/// Divides a reduction along axes on both sides of those kept, or along two that are not one, if the kernels can read
/// the array in place.
static bool reads_apart(weft__division *l) {
  const weft_array *x = l->array[0];
  if (l->part || has_numbers(l->task)) return false;
  if (split_whole(l)) return true;
  if (!split_apart(&l->s, x, l->task->along)) return false;
  l->key.across = !weft__division_is_for_cpu(l) &&
                  l->s.inner * (int64_t)weft_dtype_size_bytes(x->dtype) <= WEFT__REDUCE_SHORT_BYTES;
  if (l->key.across) return true;
  if (weft__division_is_for_cpu(l) && l->s.inner < WEFT__REDUCE_CPU_SHORT) return false;
  if (l->s.length_stride != l->s.outer * l->s.outer_stride) return false;
  l->rows_each = (uint64_t)l->s.length;
  l->s = (weft__strided_split){l->s.outer * l->s.length, l->s.inner, 1, l->s.outer_stride, 1, 1};
  return true;
}

bool weft__reduce_copies(const weft__call *c, const weft__reduce_task *task) {
  weft__division l;
  open_division(&l, c, task, c->array[0], NULL);
  list_arrays(&l);
  return !weft__split_along(&l.s, l.array[0], task->along, has_numbers(task)) && !reads_apart(&l);
}

weft_status weft__reduce_part_run(const weft__call *c, const weft__reduce_task *task, weft_array *out,
                                  weft__reduce_part *part) {
  weft_status rc;
  weft__division l;
  weft_array *copy = NULL;
  open_division(&l, c, task, out, part);
  list_arrays(&l);
  if (!weft__split_along(&l.s, l.array[0], task->along, has_numbers(task)) && !reads_apart(&l)) {
    WEFT__TRY(copy_apart(&copy, &l.s, l.array[0], task->along, c->site));
    l.array[0] = copy;
  }
  rc = weft__reduce_division_run(&l);
done:
  weft_array_release(&copy);
  return rc;
}

weft_status weft__reduce_conclude(const weft__call *c, const weft__reduce_task *task, weft_array *out,
                                  weft__reduce_part *part) {
  weft__division l;
  open_division(&l, c, task, out, part);
  return weft__division_conclude(&l);
}

static weft_status fail_empty(const weft__reduce_task *task) {
  weft__text text = {0};
  weft__add_shape(&text, WEFT_DTYPE_NONE, task->shape);
  weft_status rc =
      weft__fail(WEFT_ERROR_SHAPE, "x", "`x` has no elements to take the %s of along the axes given (its shape is %s)",
                 task->name, strchr(weft__text_chars(&text), '[') ? strchr(weft__text_chars(&text), '[') : "");
  weft__text_free(&text);
  return rc;
}

weft_status weft__reduce_result(bool *is_made, weft__call *c, const weft__reduce_task *task) {
  const weft_shape left = weft__axes_reduced(task->shape, task->along, task->keepdims);
  weft_dtype result = (weft_dtype)task->what.result;
  int64_t count = 1, outputs = 1;
  for (int d = 0; d < task->shape.ndim; d++) *(task->along[d] ? &count : &outputs) *= task->shape.dim[d];
  *is_made = count == 0 || outputs == 0;
  if (count == 0 && !task->empty.dtype) return fail_empty(task);
  WEFT__TRY_RETURN(weft__dtype_check(result, c->context));
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, result, left));
  return count == 0 && outputs > 0 ? weft__fill(c->array[0], task->empty, c->site) : WEFT_OK;
}

weft_status weft__reduce_run(weft__call *c, const weft__reduce_task *task) {
  bool is_made;
  WEFT__TRY_RETURN(weft__reduce_result(&is_made, c, task));
  return is_made ? WEFT_OK : weft__reduce_view_run(c, task, c->array[0]);
}
