// SPDX-License-Identifier: MIT
// Sums of weights on GPUs, in fixed point: integers have the same sum in any order. Needs the macros of
// histogram/bin.clh, and WEFT_BLOCK, threads per block.
//
// All finite weights are below 2^limit, which results from the greatest. A weight w becomes two integers: w * 2^(room -
// limit), rounded, and the remainder times 2^room. `room` is chosen so that n of these fit 63 bits. The remainder of
// most weights of f32 is 0, and is not added. Infinities and NaNs are only noted.
//
// The memory is all zero at first. It begins with a word for the greatest weight. From byte 64 on, a word per bin notes
// infinities and NaNs. From a.chunk on (a multiple of 8) follow a.copies tables of two 64-bit sums per bin. WEIGHT is
// the weights' type: float or double.
// lint: -DWEFT_LINT=1 -DBIN_EVEN=1 -DWEFT_FP64=1 -DWEIGHT=float
#ifdef WEFT_LINT
#include "histogram/lint.clh"
#endif
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#include "histogram/bin.clh"

#define NOTES(memory) ((volatile __global uint *)((memory) + 64))
#define IS_PLUS 1u
#define IS_MINUS 2u
#define IS_NAN 4u

// The upper half of the bits of |w|, which is ordered like |w|.
static inline uint weft_upper(double w) {
  return (uint)(as_ulong(w) >> 32) & 0x7fffffffu;
}
static inline int weft_limit(uint greatest) {
  return (int)(greatest >> 20) - 1022;
}
static inline int weft_room(ulong n) {
  return 62 - (int)(64 - clz(n));
}
// 2^k. Two factors reach an exponent that f64 does not have.
static inline double weft_power(int k) {
  return as_double((ulong)(1023 + k) << 52);
}

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_weights_greatest(const weft__histogram_args a, __global uchar *memory, __global const uchar *from) {
  __local uint greatest;
  __global const WEIGHT *weights = (__global const WEIGHT *)(from + a.weights_offset);
  const ulong step = (ulong)get_num_groups(0) * WEFT_BLOCK;
  uint own = 0;
  if (get_local_id(0) == 0) greatest = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  ulong i = (ulong)get_group_id(0) * WEFT_BLOCK + get_local_id(0);
  for (; i + 3 * step < a.n; i += 4 * step) {
    WEIGHT w[4]; // all loads are in flight before the first comparison
#pragma unroll
    for (uint k = 0; k < 4; k++) w[k] = weights[i + k * step];
#pragma unroll
    for (uint k = 0; k < 4; k++) {
      const uint upper = weft_upper(w[k]);
      if (upper < 0x7ff00000u) own = max(own, upper);
    }
  }
  for (; i < a.n; i += step) {
    const uint upper = weft_upper(weights[i]);
    if (upper < 0x7ff00000u) own = max(own, upper);
  }
  atomic_max(&greatest, own);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) atomic_max((volatile __global uint *)memory, greatest);
}

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_weights_add(const weft__histogram_args a, __global uchar *memory, __global const uchar *from,
                      __global const uchar *weights_from
                      EDGES_PARAMETER) {
  __global const T *x = (__global const T *)(from + a.x_offset);
  __global const WEIGHT *weights = (__global const WEIGHT *)(weights_from + a.weights_offset);
  volatile __global long *sums =
      (volatile __global long *)(memory + a.chunk) + (ulong)(get_group_id(0) % a.copies) * a.bins * 2;
  const int limit = weft_limit(*(__global const uint *)memory), room = weft_room(a.n);
  const double half_scale = weft_power((room - limit) / 2), other_half = weft_power(room - limit - (room - limit) / 2);
  const double whole = weft_power(room);
  const ulong step = (ulong)get_num_groups(0) * WEFT_BLOCK;
#if BIN_TABLE || BIN_SEARCH
  edges = (__global const VALUE *)((__global const uchar *)edges + a.edges_offset);
#endif
  for (ulong i = (ulong)get_group_id(0) * WEFT_BLOCK + get_local_id(0); i < a.n; i += step) {
    const uint bin = weft_bin(weft_value(x[i]), &a EDGES_ARGUMENT);
    const double w = weights[i];
    if (bin == NO_BIN) continue;
    if (weft_upper(w) >= 0x7ff00000u) {
      atomic_or(NOTES(memory) + bin, isnan(w) ? IS_NAN : w > 0 ? IS_PLUS : IS_MINUS);
    } else {
      const double fixed = w * half_scale * other_half, high = rint(fixed);
      const long rest = (long)rint((fixed - high) * whole);
      atom_add(sums + (ulong)bin * 2, (long)high);
      if (rest) atom_add(sums + (ulong)bin * 2 + 1, rest);
    }
  }
}

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_weights_end(const weft__histogram_args a, __global uchar *y, __global const uchar *memory) {
  const ulong bin = (ulong)get_group_id(0) * WEFT_BLOCK + get_local_id(0);
  const int limit = weft_limit(*(__global const uint *)memory), room = weft_room(a.n);
  long high = 0, low = 0;
  if (bin >= a.bins) return;
  const uint note = ((__global const uint *)(memory + 64))[bin];
  for (uint k = 0; k < a.copies; k++) {
    __global const long *sum = (__global const long *)(memory + a.chunk) + ((ulong)k * a.bins + bin) * 2;
    high += sum[0];
    low += sum[1];
  }
  high += low >> room;
  low &= (1L << room) - 1;
  double sum = ldexp((double)high + ldexp((double)low, -room), limit - room);
  if (note == IS_PLUS) sum = INFINITY;
  if (note == IS_MINUS) sum = -INFINITY;
  if (note > IS_MINUS) sum = NAN;
  ((__global double *)(y + a.counts_offset))[bin] = sum;
}
