// SPDX-License-Identifier: MIT
// Elements along an axis as single bits, or back (weft__bits_args). A work-item makes `each` bytes of the result in
// order. WEFT_SIZE: the bytes of an element that becomes a bit.
// lint: -DWEFT_SIZE=4
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

static inline void weft_next(__private weft_place *p, ulong length, ulong inner) {
  if (++p->inner < inner) return;
  p->inner = 0;
  if (++p->along < length) return;
  p->along = 0;
  p->outer++;
}

// Packs bits. Bits after the last element are 0.
__kernel void weft_pack_bits(const weft__bits_args a, __global uchar *restrict buffer,
                             __global const uchar *restrict from) {
  __global uchar *to = buffer + a.to_offset;
  __global const weft_word *source = (__global const weft_word *)(from + a.from_offset);
  const ulong begin = (ulong)get_global_id(0) * a.each, end = min(begin + a.each, (ulong)a.number);
  const uint flip = a.is_little ? 0 : 7;
  weft_place p = weft_locate(begin, a.to_length, a.inner);
  for (ulong i = begin; i < end; i++) {
    __global const weft_word *first = source + (p.outer * a.from_length + p.along * 8) * a.inner + p.inner;
    const uint bits = (uint)min((ulong)8, a.from_length - p.along * 8);
    uint byte = 0;
    if (bits == 8) {
#pragma unroll
      for (uint k = 0; k < 8; k++) byte |= (uint)(first[k * a.inner] != 0) << (k ^ flip);
    } else {
      for (uint k = 0; k < bits; k++) byte |= (uint)(first[k * a.inner] != 0) << (k ^ flip);
    }
    to[i] = (uchar)byte;
    weft_next(&p, a.to_length, a.inner);
  }
}

// Unpacks bits. Elements after the last byte are 0.
__kernel void weft_unpack_bits(const weft__bits_args a, __global uchar *restrict buffer,
                               __global const uchar *restrict from) {
  __global uchar *to = buffer + a.to_offset;
  __global const uchar *source = from + a.from_offset;
  const ulong begin = (ulong)get_global_id(0) * a.each, end = min(begin + a.each, (ulong)a.number);
  const uint flip = a.is_little ? 0 : 7;
  weft_place p = weft_locate(begin, a.to_length, a.inner);
  for (ulong i = begin; i < end; i++) {
    const ulong byte = p.along / 8;
    uint bits = 0;
    if (byte < a.from_length) bits = source[(p.outer * a.from_length + byte) * a.inner + p.inner];
    to[i] = (uchar)(bits >> ((uint)(p.along & 7) ^ flip) & 1);
    weft_next(&p, a.to_length, a.inner);
  }
}
