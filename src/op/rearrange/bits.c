// SPDX-License-Identifier: MIT
/// Elements as single bits: packbits and unpackbits.
#include <weft/rearrange.h>

#include <inttypes.h>

#include "array/axes.h"
#include "base/checked.h"
#include "call/call.h"
#include "cl/rearrange/args.h"

/* Bytes of the result per work-item. */
#define CPU_MOST 65536
#define CPU_LEAST 1024
#define GPU_PACKED 4
#define GPU_UNPACKED 16 /* the bits of two bytes */

typedef struct bits_key {
  uint8_t size;
} bits_key;

static void write_key(weft__text *text, const void *data) {
  weft__text_add(text, "#define WEFT_SIZE %d\n", ((const bits_key *)data)->size);
}

static weft_status launch(weft__call *c, weft__axis_split parts, int64_t to_length, bool packs, bool little) {
  static const char *const names[] = {"weft_pack_bits", "weft_unpack_bits"};
  weft__kernel *kernel;
  weft_array *to = c->array[0];
  const weft_array *from = c->array[1];
  if (to->size == 0) return WEFT_OK;
  if (from->size == 0) return weft__fill(to, WEFT_SCALAR(0), c->site);
  weft__bits_args a = {
      .number = (uint64_t)to->size,
      .each = packs ? GPU_PACKED : GPU_UNPACKED,
      .from_length = (uint64_t)parts.length,
      .to_length = (uint64_t)to_length,
      .inner = (uint64_t)parts.inner,
      .to_offset = to->offset_bytes,
      .from_offset = from->offset_bytes,
      .is_little = little,
  };
  const bool is_cpu = c->context->store.is_cpu;
  const uint64_t block = is_cpu ? 1 : WEFT__GPU_BLOCK;
  if (is_cpu) {
    a.each = a.number < CPU_MOST * 64 ? weft_ceil_div(a.number, 64) : CPU_MOST;
    if (a.each < CPU_LEAST) a.each = CPU_LEAST;
  }
  const bits_key key = {(uint8_t)weft_dtype_size_bytes(from->dtype)};
  const weft__kernel_source source = {.name = "bits",
                                      .key = {.file = "rearrange/bits.cl",
                                              .kernel = &names[packs ? 0 : 1],
                                              .kernels = 1,
                                              WEFT__KEY_BYTES(bits_key, &key)},
                                      .write = write_key};
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &c->context->store, &source));
  const weft__use use[] = {{to->storage, true}, {from->storage, false}};
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(weft_ceil_div(a.number, a.each * block)),
                                              WEFT_DIM3(block), &a, sizeof a, 2, use,
                                              .what = packs ? "packbits" : "unpackbits", .site = c->site});
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
  return launch(c, parts, length, packs, little);
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
