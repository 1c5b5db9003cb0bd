// SPDX-License-Identifier: MIT
// Values added to (or compared with) the indexed elements by atomics, for GPUs. Needs the macros of index/place.clh and
// index/combine.clh, and:
//   WEFT_BLOCK        threads per block
//   WEFT_WORD         the atomic: 1: on integers, by OpenCL; 2: floating-point addition, by PTX if available; 3:
//                     compare and exchange
//   WEFT_WORD_BYTES   bytes of an element; for 1 and 2, the 4 bytes around the element are compared and exchanged
// lint: -DWEFT_LINT=1 -DT=int -DWEFT_OPERATION=1 -DWEFT_WORD=1 -DWEFT_WORD_BYTES=4 -DWEFT_SIMPLE=1 -DWEFT_WIDE=0
// lint: -DWEFT_LINT=1 -DT=ulong -DWEFT_OPERATION=2 -DWEFT_WORD=3 -DWEFT_WORD_BYTES=8 -DWEFT_SIMPLE=0 -DWEFT_WIDE=1 -Dcl_khr_int64_base_atomics=1
// lint: -DWEFT_LINT=1 -DT=float -DT_FLOAT=1 -DWEFT_OPERATION=1 -DWEFT_WORD=2 -DWEFT_WORD_BYTES=4 -DWEFT_SIMPLE=0 -DWEFT_WIDE=0
// lint: -DWEFT_LINT=1 -DT=ushort -DT_NARROW=f16 -DT_FLOAT=1 -DWEFT_OPERATION=3 -DWEFT_WORD=3 -DWEFT_WORD_BYTES=2 -DWEFT_SIMPLE=1 -DWEFT_WIDE=0
// lint: -DWEFT_LINT=1 -DT=uchar -DWEFT_OPERATION=4 -DWEFT_WORD=3 -DWEFT_WORD_BYTES=1 -DWEFT_SIMPLE=1 -DWEFT_WIDE=0
#ifdef WEFT_LINT
#define WEFT_BLOCK 256
#define WEFT_INDEX long
#define WEFT_INDEX_SIGNED 1
#define WEFT_MODE 0
#endif
#define WEFT_ALONG 0
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif
#include "index/place.clh"
#include "index/combine.clh"

#if WEFT_WORD == 1
static inline void weft_apply(volatile __global T *at, T value) {
#if WEFT_WORD_BYTES == 8
  atom_add(at, value);
#elif WEFT_OPERATION == 1
  atomic_add(at, value);
#elif WEFT_OPERATION == 2
  atomic_min(at, value);
#else
  atomic_max(at, value);
#endif
}
#elif WEFT_WORD == 2 && defined(cl_nv_pragma_unroll)
static inline void weft_apply(volatile __global T *at, T value) {
#if WEFT_WORD_BYTES == 4
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "f"(value) : "memory");
#else
  asm volatile("red.global.add.f64 [%0], %1;" ::"l"(at), "d"(value) : "memory");
#endif
}
#elif WEFT_WORD_BYTES < 4
static inline void weft_apply(volatile __global T *at, T value) {
  const uint bits = (uint)((ulong)at & 3u) * 8u, mask = (WEFT_WORD_BYTES == 1 ? 0xffu : 0xffffu) << bits;
  volatile __global uint *word = (volatile __global uint *)((ulong)at & ~(ulong)3);
  uint seen = *word;
  bool done = false;
  while (!done) {
    union {
      T number;
      uchar byte;
      ushort half_word;
    } old, next;
#if WEFT_WORD_BYTES == 1
    old.byte = (uchar)(seen >> bits);
    next.number = weft_combine(old.number, value);
    const uint wanted = (seen & ~mask) | (uint)next.byte << bits;
#else
    old.half_word = (ushort)(seen >> bits);
    next.number = weft_combine(old.number, value);
    const uint wanted = (seen & ~mask) | (uint)next.half_word << bits;
#endif
    const uint found = wanted == seen ? seen : atomic_cmpxchg(word, seen, wanted);
    done = found == seen;
    seen = found;
  }
}
#else
#if WEFT_WORD_BYTES == 4
typedef uint weft_bits;
#define EXCHANGE atomic_cmpxchg
#else
typedef ulong weft_bits;
#define EXCHANGE atom_cmpxchg
#endif
static inline void weft_apply(volatile __global T *at, T value) {
  volatile __global weft_bits *word = (volatile __global weft_bits *)at;
  union {
    T number;
    weft_bits bits;
  } seen, next;
  seen.bits = *word;
  bool done = false;
  while (!done) {
    next.number = weft_combine(seen.number, value);
    const weft_bits found = next.bits == seen.bits ? seen.bits : EXCHANGE(word, seen.bits, next.bits);
    done = found == seen.bits;
    seen.bits = found;
  }
}
#endif

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_scatter_atomic(const weft__index_args args, __global uchar *to, __global const uchar *restrict values,
                         __global const uchar *restrict indices, __global weft__deferred_record *records) {
  const ulong unit = (ulong)get_group_id(0) * WEFT_BLOCK + get_local_id(0);
  if (unit >= args.total) return;
  const weft_origin origin = weft_origin_of(&args, unit);
  const WEFT_INDEX index = ((__global const WEFT_INDEX *)(indices + args.index_offset))[origin.index];
  const T value = ((__global const T *)(values + args.dense_offset))[unit < args.values ? unit : unit % args.values];
  bool bad = false;
  const long j = weft_resolve(index, args.length, &bad);
  if (bad)
    weft_report(records, args.record, args.epoch, origin.index, (ulong)index);
  else
    weft_apply((volatile __global T *)(to + args.indexed_offset) + (origin.base + j * args.axis_stride), value);
}
