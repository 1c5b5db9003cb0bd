// SPDX-License-Identifier: MIT
/// weft_repeat with a count for each element.
#include <weft/rearrange.h>
#include <weft/reduce.h>
#include <weft/scan.h>

#include <inttypes.h>
#include <stdlib.h>

#include "array/axes.h"
#include "call/call.h"
#include "op/rearrange/arrange.h"
#include "op/rearrange/tuning.h"

typedef struct repeat_key {
  uint8_t size, is_wide;
} repeat_key;

static void write_key(weft__text *text, const void *data) {
  const repeat_key *key = data;
  weft__write_wording(text, key->size, key->is_wide);
}

/// Replaces the counts by their running sums.
static weft_status add_up(int64_t *ends, int64_t count) {
  uint64_t total = 0;
  for (int64_t k = 0; k < count; k++) {
    if (ends[k] < 0)
      return weft__fail(WEFT_ERROR_ARGUMENT, "counts",
                        "`counts` has %" PRId64 " at position %" PRId64 "; expected 0 or more", ends[k], k);
    total += (uint64_t)ends[k];
    if (total > INT64_MAX) return weft__fail(WEFT_ERROR_OVERFLOW, "counts", "the sum of `counts` is more than 2^63-1");
    ends[k] = (int64_t)total;
  }
  return WEFT_OK;
}

/// Gathers the counts to c->array[2]: contiguous i64, `count` of them or one for all.
static weft_status gather_counts(weft__call *c, int64_t count) {
  weft_shape shape = weft__call_shape(c, 1);
  if (!weft__is_whole(weft__call_dtype(c, 1)))
    return weft__fail(WEFT_ERROR_DTYPE, "counts", "`counts` is %s; expected integers or bool",
                      weft_dtype_name(weft__call_dtype(c, 1)));
  if (shape.ndim > 1 || (shape.ndim == 1 && shape.dim[0] != count && shape.dim[0] != 1)) {
    weft__text text = {0};
    weft__add_shape(&text, weft__call_dtype(c, 1), shape);
    weft__fail(WEFT_ERROR_SHAPE, "counts",
               "`counts` is %s; expected one axis of %" PRId64 " elements, like the axis of `x`",
               weft__text_chars(&text), count);
    weft__text_free(&text);
    return WEFT_ERROR_SHAPE;
  }
  return weft__call_contiguous_operand(c, 1, WEFT_I64);
}

/// Adds up the counts on the host: used for few counts, for one count for all, and to report a wrong count.
static weft_status add_up_here(weft_array **ends, int64_t *total, weft__call *c, int64_t count, const char *site) {
  const weft_array *counts = c->array[2];
  int64_t *host = weft__new((size_t)(count > counts->size ? count : counts->size) * sizeof *host + 1);
  weft_status rc = WEFT_ERROR_HOST_MEMORY;
  if (!host) return rc;
  WEFT__TRY(weft__array_read(host, counts, true, site));
  for (int64_t k = count - 1; k > 0 && counts->size == 1; k--) host[k] = host[0];
  WEFT__TRY(add_up(host, count));
  *total = count > 0 ? host[count - 1] : 0;
  if (*total > 0) rc = weft__array_of(ends, c->context, WEFT_I64, weft__shape(1, &count), host, site);
done:
  free(host);
  return rc;
}

/// Adds up the counts on the device. *ends stays NULL if a count is negative or the sum might overflow.
static weft_status add_up_there(weft_array **ends, int64_t *total, weft__call *c, int64_t count, const char *site) {
  int64_t least = 0, most = 0;
  const weft_operand counts = WEFT_OPERAND(c->array[2]);
  const weft_operand to_least = WEFT_OPERAND(WEFT_HOST_OUT(&least, WEFT_I64, WEFT_SHAPE_0D));
  const weft_operand to_most = WEFT_OPERAND(WEFT_HOST_OUT(&most, WEFT_I64, WEFT_SHAPE_0D));
  WEFT__TRY_RETURN(weft__reduce_apply_at(WEFT_REDUCE_MIN, to_least, counts, WEFT_ALL_AXES, 0, site));
  WEFT__TRY_RETURN(weft__reduce_apply_at(WEFT_REDUCE_MAX, to_most, counts, WEFT_ALL_AXES, 0, site));
  if (least < 0 || most > INT64_MAX / count) return WEFT_OK;
  WEFT__TRY_RETURN(weft__cumulate_at(WEFT_SCAN_SUM, WEFT_OPERAND(ends), counts, WEFT__AXES(0),
                                     &(const weft_scan_params){.site = site}));
  const weft_array last = weft__array_part(*ends, 0, count - 1, 1);
  return weft__array_read(total, &last, true, site);
}

/// Finds where the copies of each element end (*ends, on the device), and the last end (*total). *ends may stay NULL if
/// *total is 0.
static weft_status find_ends(weft_array **ends, int64_t *total, weft__call *c, int64_t count, const char *site) {
  WEFT__TRY_RETURN(gather_counts(c, count));
  if (count > WEFT__REPEAT_MOST_ON_HOST && c->array[2]->size == count)
    WEFT__TRY_RETURN(add_up_there(ends, total, c, count, site));
  return *ends ? WEFT_OK : add_up_here(ends, total, c, count, site);
}

weft_status weft__repeat_kernels_run(bool *is_done, const void *task) {
  const weft__repeat_task *t = task;
  const weft_array *to = t->to;
  weft__wording w;
  weft__kernel *kernel;
  static const char *const kernels[] = {"weft_repeat_counts"};
  *is_done = true;
  weft__wording_of(&w, to->dtype, to->size, to->offset_bytes);
  const weft__repeat_args a = {
      .number = (uint64_t)to->size * (uint64_t)w.per_element,
      .chunks = w.chunks,
      .count = t->parts.length,
      .total = to->size / (t->parts.outer * t->parts.inner),
      .inner = t->parts.inner * w.per_element,
      .to_offset = to->offset_bytes,
      .from_offset = t->from->offset_bytes,
      .ends_offset = t->ends->offset_bytes,
      .from_end = weft__buffer_end(t->from),
      .skew = w.skew,
  };
  const repeat_key key = {(uint8_t)w.size, w.is_wide};
  const weft__kernel_source source = {
      .name = "repeat",
      .key = {.file = "rearrange/repeat_gpu.cl", .kernel = kernels, .kernels = 1, WEFT__KEY_BYTES(repeat_key, &key)},
      .write = write_key};
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &to->context->store, &source));
  const weft__use use[] = {{to->storage, true}, {t->from->storage, false}, {t->ends->storage, false}};
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(w.groups), WEFT_DIM3(WEFT__GPU_BLOCK), &a, sizeof a, 3,
                                              use, .what = "repeat", .site = t->site});
}

static weft_status repeat_each(weft__call *c, int axis, const char *site) {
  weft_array *ends = NULL;
  int64_t total = 0;
  weft_status rc;
  WEFT__TRY(weft__call_operands(c));
  WEFT__TRY(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  if (axis != WEFT__EVERY_AXIS) WEFT__TRY(weft__axis_resolve(&axis, c->array[1]->ndim));
  const weft_array *x = c->array[1];
  weft_shape shape = weft__array_shape(x);
  if (axis == WEFT__EVERY_AXIS) shape = weft__shape(1, &x->size);
  if (axis == WEFT__EVERY_AXIS) axis = 0;
  weft__axis_split parts = weft__split_at_axis(shape, axis);
  WEFT__TRY(find_ends(&ends, &total, c, parts.length, site));
  shape.dim[axis] = total;
  WEFT__TRY(weft__call_contiguous_result(c, 0, x->dtype, shape));
  const weft__repeat_task task = {c->array[0], x, ends, parts, site};
  rc = task.to->size == 0 ? WEFT_OK : weft__ways_run(&weft__repeat_ways, c->context, &task);
done:
  weft_array_release(&ends);
  return rc;
}

weft_status weft__repeat_each(const weft_operand *out, const weft_operand *x, const weft_operand *counts, int axis,
                              const char *site) {
  static const char *const names[] = {"x", "counts"};
  const weft_operand operands[] = {*x, *counts};
  weft__call c;
  weft__call_open(&c, NULL, 1, out, 2, operands, names, site);
  return weft__call_close(&c, repeat_each(&c, axis, site));
}
