// SPDX-License-Identifier: MIT
// Elements along an axis as single bits, or back (weft__bits_args). A work-item makes `each` bytes of the result in
// order, in runs: along the axis if nothing is inside it, else along the inner elements. WEFT_SIZE: the bytes of an
// element that becomes a bit.
// lint: -DWEFT_SIZE=4
// lint: -DWEFT_SIZE=1
#define WEFT_WIDE 1
#include "rearrange/chunk.clh"

// The indices of an element of an outer x length x inner array.
typedef struct {
  ulong outer, along, inner;
} weft_place;

static inline weft_place weft_locate(ulong number, ulong length, ulong inner) {
  weft_place p;
  const ulong rest = number / inner;
  p.inner = number - rest * inner;
  p.outer = rest / length;
  p.along = rest - p.outer * length;
  return p;
}

// Eight bytes at any address.
typedef struct __attribute__((packed)) {
  ulong word;
} weft_loose;

#define EACH_BYTE 0x0101010101010101ul
#define ALL_BUT_TOPS 0x7f7f7f7f7f7f7f7ful
#define BITS_UPWARDS 0x8040201008040201ul // byte k has bit k
#define BITS_DOWNWARDS 0x0102040810204080ul

#if WEFT_SIZE == 1 && defined(__ENDIAN_LITTLE__)
// The truth of eight bytes, as the bits of one.
static inline uchar weft_pack_eight(ulong v, ulong collect) {
  return (uchar)((((v & ALL_BUT_TOPS) + ALL_BUT_TOPS | v) >> 7 & EACH_BYTE) * collect >> 56);
}
#endif

// `count` bytes of the result, from eight elements each.
static inline void weft_pack_whole(__global uchar *restrict to, __global const weft_word *restrict from, ulong count,
                                   uint is_little) {
#if WEFT_SIZE == 1 && defined(__ENDIAN_LITTLE__)
  __global const weft_loose *eight = (__global const weft_loose *)from;
  __global const ulong *aligned = (__global const ulong *)from; // where GPUs load words, not bytes
  const ulong collect = is_little ? BITS_DOWNWARDS : BITS_UPWARDS; // moves the bytes' lowest bits into the top byte
  if (((ulong)from & 7) == 0) {
    for (ulong i = 0; i < count; i++) to[i] = weft_pack_eight(aligned[i], collect);
  } else {
    for (ulong i = 0; i < count; i++) to[i] = weft_pack_eight(eight[i].word, collect);
  }
#else
  const uint flip = is_little ? 0 : 7;
  for (ulong i = 0; i < count; i++) {
    uint byte = 0;
#pragma unroll
    for (uint k = 0; k < 8; k++) byte |= (uint)(from[8 * i + k] != 0) << (k ^ flip);
    to[i] = (uchar)byte;
  }
#endif
}

// Packs bits. Bits after the last element are 0.
__kernel void weft_pack_bits(const weft__bits_args a, __global uchar *restrict buffer,
                             __global const uchar *restrict from) {
  __global uchar *to = buffer + a.to_offset;
  __global const weft_word *source = (__global const weft_word *)(from + a.from_offset);
  const ulong begin = (ulong)get_global_id(0) * a.each, end = min(begin + a.each, (ulong)a.number);
  const uint flip = a.is_little ? 0 : 7;
  ulong run;
  for (ulong i = begin; i < end; i += run) {
    const weft_place p = weft_locate(i, a.to_length, a.inner);
    const ulong left = a.from_length - p.along * 8;
    __global const weft_word *first = source + (p.outer * a.from_length + p.along * 8) * a.inner + p.inner;
    ulong whole = 0;
    if (a.inner == 1) {
      run = min(end - i, a.to_length - p.along);
      whole = min(run, left / 8);
      weft_pack_whole(to + i, first, whole, (uint)a.is_little);
    } else {
      run = min(end - i, a.inner - p.inner);
      if (left >= 8) {
        whole = run;
        for (ulong j = 0; j < run; j++) {
          uint byte = 0;
#pragma unroll
          for (uint k = 0; k < 8; k++) byte |= (uint)(first[k * a.inner + j] != 0) << (k ^ flip);
          to[i + j] = (uchar)byte;
        }
      }
    }
    for (ulong j = whole; j < run; j++) { // of fewer than eight elements
      const uint bits = (uint)(left - 8 * (a.inner == 1 ? j : 0));
      __global const weft_word *element = first + (a.inner == 1 ? 8 * j : j);
      uint byte = 0;
      for (uint k = 0; k < bits; k++) byte |= (uint)(element[k * a.inner] != 0) << (k ^ flip);
      to[i + j] = (uchar)byte;
    }
  }
}

// `count` bytes become eight elements each.
static inline void weft_unpack_whole(__global uchar *restrict to, __global const uchar *restrict from, ulong count,
                                     uint is_little) {
#ifdef __ENDIAN_LITTLE__
  __global weft_loose *eight = (__global weft_loose *)to;
  __global ulong *aligned = (__global ulong *)to;
  const ulong bits = is_little ? BITS_UPWARDS : BITS_DOWNWARDS;
  const bool is_aligned = ((ulong)to & 7) == 0;
  for (ulong i = 0; i < count; i++) {
    const ulong v = ((from[i] * EACH_BYTE & bits) + ALL_BUT_TOPS) >> 7 & EACH_BYTE;
    if (is_aligned)
      aligned[i] = v;
    else
      eight[i].word = v;
  }
#else
  const uint flip = is_little ? 0 : 7;
  for (ulong i = 0; i < 8 * count; i++) to[i] = from[i / 8] >> ((uint)(i & 7) ^ flip) & 1;
#endif
}

// Unpacks bits. Elements after the last byte are 0.
__kernel void weft_unpack_bits(const weft__bits_args a, __global uchar *restrict buffer,
                               __global const uchar *restrict from) {
  __global uchar *to = buffer + a.to_offset;
  __global const uchar *source = from + a.from_offset;
  const ulong begin = (ulong)get_global_id(0) * a.each, end = min(begin + a.each, (ulong)a.number);
  const uint flip = a.is_little ? 0 : 7;
  ulong run;
  for (ulong i = begin; i < end; i += run) {
    const weft_place p = weft_locate(i, a.to_length, a.inner);
    const ulong byte = p.along / 8;
    const uint shift = (uint)(p.along & 7) ^ flip;
    __global const uchar *first = source + (p.outer * a.from_length + byte) * a.inner + p.inner;
    run = min(end - i, a.inner > 1 ? a.inner - p.inner : a.to_length - p.along);
    if (byte >= a.from_length) {
      for (ulong j = 0; j < run; j++) to[i + j] = 0;
    } else if (a.inner > 1) {
      for (ulong j = 0; j < run; j++) to[i + j] = first[j] >> shift & 1;
    } else if (p.along % 8 == 0 && run >= 8) {
      const ulong whole = min(run / 8, a.from_length - byte);
      weft_unpack_whole(to + i, first, whole, (uint)a.is_little);
      run = 8 * whole;
    } else {
      run = 1;
      to[i] = *first >> shift & 1;
    }
  }
}
