// SPDX-License-Identifier: MIT
/// Elements as single bits: packbits and unpackbits.
#include <weft/rearrange.h>

#include <inttypes.h>

#include "array/axes.h"
#include "base/checked.h"
#include "call/call.h"
#include "cl/rearrange/args.h"
#include "op/rearrange/bits.h"

/* Bytes of the result per work-item. */
#define PACKED 4
#define UNPACKED 16 /* the bits of two bytes */

typedef struct bits_key {
  uint8_t size;
} bits_key;

static void write_key(weft__text *text, const void *data) {
  weft__text_add(text, "#define WEFT_SIZE %d\n", ((const bits_key *)data)->size);
}

weft_status weft__bits_kernels_run(bool *is_done, const void *task) {
  static const char *const names[] = {"weft_pack_bits", "weft_unpack_bits"};
  const weft__bits_task *t = task;
  weft_array *to = t->to;
  const weft_array *from = t->from;
  weft__kernel *kernel;
  const weft__bits_args a = {
      .number = (uint64_t)to->size,
      .each = t->packs ? PACKED : UNPACKED,
      .from_length = (uint64_t)t->parts.length,
      .to_length = (uint64_t)t->to_length,
      .inner = (uint64_t)t->parts.inner,
      .to_offset = to->offset_bytes,
      .from_offset = from->offset_bytes,
      .is_little = t->little,
  };
  const bits_key key = {(uint8_t)weft_dtype_size_bytes(from->dtype)};
  const weft__kernel_source source = {.name = "bits",
                                      .key = {.file = "rearrange/bits.cl",
                                              .kernel = &names[t->packs ? 0 : 1],
                                              .kernels = 1,
                                              WEFT__KEY_BYTES(bits_key, &key)},
                                      .write = write_key};
  *is_done = true;
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &to->context->store, &source));
  const weft__use use[] = {{to->storage, true}, {from->storage, false}};
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(weft_ceil_div(a.number, a.each * WEFT__GPU_BLOCK)),
                                              WEFT_DIM3(WEFT__GPU_BLOCK), &a, sizeof a, 2, use,
                                              .what = t->packs ? "packbits" : "unpackbits", .site = t->site});
}

static weft_status run(const weft__bits_task *t) {
  if (t->to->size == 0) return WEFT_OK;
  if (t->from->size == 0) return weft__fill(t->to, WEFT_SCALAR(0), t->site);
  return weft__ways_run(&weft__bits_ways, t->to->context, t);
}

/// The number of elements that `bytes` bytes become: all bits if `count` is 0, all except the last -count if negative,
/// else `count`.
static weft_status unpacked_length(int64_t *to, int64_t bytes, int64_t count) {
  int64_t all;
  if (!weft__multiply_i64(&all, bytes, 8))
    return weft__fail(WEFT_ERROR_OVERFLOW, "x", "the result would have more than 2^63-1 elements along the axis");
  *to = count == 0 ? all : count < 0 ? all + count : count;
  if (*to >= 0) return WEFT_OK;
  return weft__fail(WEFT_ERROR_ARGUMENT, "count",
                    "`count` is %" PRId64 ", which leaves out more than the %" PRId64 " bits there are", count, all);
}

static weft_status convert(weft__call *c, int64_t count, weft_axes axes, bool packs, bool little) {
  int axis;
  WEFT__TRY_RETURN(weft__one_axis(&axis, axes));
  WEFT__TRY_RETURN(weft__call_operands(c));
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  const weft_array *x = c->array[1];
  if (packs ? !weft__is_whole(x->dtype) : x->dtype != WEFT_U8)
    return weft__fail(WEFT_ERROR_DTYPE, "x", "`x` is %s; expected %s", weft_dtype_name(x->dtype),
                      packs ? "bool or integers" : "u8");
  weft_shape shape = weft__array_shape(x);
  if (axis == WEFT__EVERY_AXIS) {
    shape = weft__shape(1, &x->size);
    axis = 0;
  }
  WEFT__TRY_RETURN(weft__axis_resolve(&axis, shape.ndim));
  const weft__axis_split parts = weft__split_at_axis(shape, axis);
  int64_t length = (int64_t)weft_ceil_div((uint64_t)parts.length, 8);
  if (!packs) WEFT__TRY_RETURN(unpacked_length(&length, parts.length, count));
  shape.dim[axis] = length;
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, WEFT_U8, shape));
  return run(&(const weft__bits_task){c->array[0], x, parts, length, packs, little, c->site});
}

static const char *const operand_names[] = {"x"};

weft_status weft__packbits_at(weft_operand out, weft_operand x, weft_axes axis, const weft_packbits_params *params) {
  const weft_packbits_params p = WEFT__PARAMS(params);
  weft__call c;
  weft__enter("weft_packbits", p.site);
  weft__call_open(&c, NULL, 1, &out, 1, &x, operand_names, p.site);
  return weft__leave(weft__call_close(&c, convert(&c, 0, axis, true, p.little)));
}

weft_status weft__unpackbits_at(weft_operand out, weft_operand x, weft_axes axis,
                                const weft_unpackbits_params *params) {
  const weft_unpackbits_params p = WEFT__PARAMS(params);
  weft__call c;
  weft__enter("weft_unpackbits", p.site);
  weft__call_open(&c, NULL, 1, &out, 1, &x, operand_names, p.site);
  return weft__leave(weft__call_close(&c, convert(&c, p.count, axis, false, p.little)));
}
