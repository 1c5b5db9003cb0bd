// SPDX-License-Identifier: MIT
/// Elements as single bits: packbits and unpackbits.
#include <weft/rearrange.h>

#include <inttypes.h>
#include <string.h>

#include "array/axes.h"
#include "base/checked.h"
#include "base/wide.h"
#include "call/call.h"
#include "cl/rearrange/args.h"
#include "mem/at_once.h"
#include "op/rearrange/bits.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

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

/* ---- by the calling thread ---- */

/// Packs `bits` elements of a byte to bits, or unpacks as many.
typedef void convert_loop(uint8_t *to, const uint8_t *from, int64_t bits, bool little);

static void pack(uint8_t *to, const uint8_t *from, int64_t bits, bool little) {
  const int flip = little ? 0 : 7;
  for (int64_t i = 0; i < bits; i += 8) {
    const int some = bits - i < 8 ? (int)(bits - i) : 8;
    unsigned byte = 0;
    for (int k = 0; k < some; k++) byte |= (unsigned)(from[i + k] != 0) << (k ^ flip);
    to[i / 8] = (uint8_t)byte;
  }
}

static void unpack(uint8_t *to, const uint8_t *from, int64_t bits, bool little) {
  const int flip = little ? 0 : 7;
  for (int64_t i = 0; i < bits; i++) to[i] = from[i / 8] >> ((int)(i & 7) ^ flip) & 1;
}

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_LANES (WEFT__WIDTH == 2)
/// Which byte of 16 comes to each place: itself, or the eight in the other order.
#define ORDER(little)                                                                      \
  _mm512_broadcast_i32x4((little) ? _mm_set_epi64x(0x0f0e0d0c0b0a0908, 0x0706050403020100) \
                                  : _mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607))
WEFT__WIDEST_TARGET static void pack_lanes(uint8_t *to, const uint8_t *from, int64_t bits, bool little) {
  const __m512i order = ORDER(little);
  int64_t i = 0;
  for (; i + 64 <= bits; i += 64) {
    const __m512i bytes = _mm512_shuffle_epi8(_mm512_loadu_si512(from + i), order);
    const uint64_t mask = _mm512_test_epi8_mask(bytes, bytes);
    memcpy(to + i / 8, &mask, sizeof mask);
  }
  pack(to + i / 8, from + i, bits - i, little);
}

WEFT__WIDEST_TARGET static void unpack_lanes(uint8_t *to, const uint8_t *from, int64_t bits, bool little) {
  const __m512i order = ORDER(little), one = _mm512_set1_epi8(1);
  int64_t i = 0;
  for (; i + 64 <= bits; i += 64) {
    uint64_t mask;
    memcpy(&mask, from + i / 8, sizeof mask);
    _mm512_storeu_si512(to + i, _mm512_shuffle_epi8(_mm512_maskz_mov_epi8(mask, one), order));
  }
  unpack(to + i, from + i / 8, bits - i, little);
}
#else
#define HAS_LANES false
#define pack_lanes pack
#define unpack_lanes unpack
#endif

void weft__pack_bits(uint8_t *to, const uint8_t *from, int64_t bits, bool little) {
  (HAS_LANES ? pack_lanes : pack)(to, from, bits, little);
}

/// Converts few elements in one row without a launch.
static weft_status convert_at_once(bool *is_done, const weft__call *c, weft__axis_split parts, bool packs,
                                   bool little) {
  const weft_array *to = c->array[0], *from = c->array[1];
  const int64_t bits = packs ? from->size : to->size;
  const weft__use use[] = {{to->storage, true}, {from->storage, false}};
  convert_loop *const loop = packs ? weft__pack_bits : HAS_LANES ? unpack_lanes : unpack;
  char *place[2];
  *is_done = false;
  if (!c->context->store.is_cpu || parts.outer != 1 || parts.inner != 1 ||
      (uint64_t)bits > weft__at_once_bytes(&c->context->core) / 2 || weft_dtype_size_bytes(from->dtype) != 1 ||
      (!packs && bits > 8 * from->size))
    return WEFT_OK;
  WEFT__TRY_RETURN(weft__at_once(is_done, place, &c->context->core, 2, use));
  if (*is_done)
    loop((uint8_t *)place[0] + to->offset_bytes, (const uint8_t *)place[1] + from->offset_bytes, bits, little);
  return WEFT_OK;
}

/* ---- the launch ---- */

static weft_status launch(weft__call *c, weft__axis_split parts, int64_t to_length, bool packs, bool little) {
  static const char *const names[] = {"weft_pack_bits", "weft_unpack_bits"};
  weft__kernel *kernel;
  weft_array *to = c->array[0];
  const weft_array *from = c->array[1];
  if (to->size == 0) return WEFT_OK;
  if (from->size == 0) return weft__fill(to, WEFT_SCALAR(0), c->site);
  bool is_done;
  WEFT__TRY_RETURN(convert_at_once(&is_done, c, parts, packs, little));
  if (is_done) return WEFT_OK;
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
