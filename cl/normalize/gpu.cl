// SPDX-License-Identifier: MIT
// Rows on GPUs: WIDTH threads read a row once, ITEMS elements each, and keep it in registers.
// lint: -DT=float -DT_FLOAT=1 -DT_DIGITS=24 -DFUNCTION=0 -DWIDTH=256 -DITEMS=4
// lint: -DT=ushort -DT_FLOAT=1 -DT_DIGITS=11 -DT_NARROW=f16 -DFUNCTION=1 -DWIDTH=32 -DITEMS=1
// lint: -DT=double -DT_FLOAT=1 -DT_DIGITS=53 -DFUNCTION=2 -DWIDTH=64 -DITEMS=2 -DWEFT_FP64=1
// lint: -DT=float -DT_FLOAT=1 -DT_DIGITS=24 -DFUNCTION=3 -DWIDTH=128 -DITEMS=8
#include "normalize/common.clh"

#define WEFT_BLOCK WEFT__NORMALIZE_BLOCK
#include "warp.clh"

#define ROWS (WEFT_BLOCK / WIDTH)  // of a block
#define PARTS (WIDTH / 32)         // warps of a row

#ifdef WEFT_PTX
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("nounroll")  // with its barriers, an unrolled loop takes PoCL minutes to compile
#endif

#define LARGER(a, b) ((b) > (a) ? (b) : (a))
#define SUM(a, b) ((a) + (b))
// Functions that combine the values of a row's threads, for all of them and in the same order.
#define COMBINES(name, OP) \
  WEFT_INLINE T_NUMBER name(T_NUMBER value, __local T_NUMBER *part WEFT_WARP_PARAMETERS) { \
    const uint id = (uint)get_local_id(0); \
    UNROLL for (uint mask = 16; mask > 0; mask /= 2) { \
      const T_NUMBER other = OF_BITS(XOR_BITS(TO_BITS(value), mask)); /* once: OP names its operands twice */ \
      value = OP(value, other); \
    } \
    barrier(CLK_LOCAL_MEM_FENCE); \
    if (id % 32 == 0) part[id / 32] = value; \
    barrier(CLK_LOCAL_MEM_FENCE); \
    value = part[id / WIDTH * PARTS]; \
    for (uint p = 1; p < PARTS; p++) value = OP(value, part[id / WIDTH * PARTS + p]); \
    return value; \
  }
#if FUNCTION != WEFT__NORMALIZE_STANDARDIZE
COMBINES(largest, LARGER)
#endif
COMBINES(total, SUM)

__kernel void weft_normalize_rows(const weft__normalize_args a, __global uchar *to, __global const uchar *from) {
  WEFT_WARP_STATE
  __local T_NUMBER part[WEFT_WARPS];
  const uint id = (uint)get_local_id(0), lane = id % WIDTH;
  const ulong row = (ulong)get_group_id(0) * ROWS + id / WIDTH;
  const uint length = row < a.rows ? (uint)a.length : 0;
  __global const T *x = (__global const T *)(from + a.from) + row * a.length;
#if FUNCTION != WEFT__NORMALIZE_LOGSUMEXP
  __global T *y = (__global T *)(to + a.to) + row * a.length;
#endif
  T_NUMBER v[ITEMS], sum = 0;
#if FUNCTION == WEFT__NORMALIZE_STANDARDIZE
  for (uint k = 0; k < ITEMS; k++) {
    const uint at = lane + k * WIDTH;
    v[k] = at < length ? T_LOAD(x[at]) : 0;
    sum += v[k];
  }
  sum = total(sum, part WEFT_WARP_ARGUMENTS);
  const T_NUMBER mean = sum / (T_NUMBER)a.length;
  T_NUMBER squares = 0;
  for (uint k = 0; k < ITEMS; k++) {
    v[k] = lane + k * WIDTH < length ? v[k] - mean : 0;
    squares += v[k] * v[k];
  }
  squares = total(squares, part WEFT_WARP_ARGUMENTS);
  const T_NUMBER deviation = sqrt(squares / OF_BITS(a.divisor) + OF_BITS(a.epsilon));
  for (uint k = 0; k < ITEMS; k++)
    if (lane + k * WIDTH < length) y[lane + k * WIDTH] = T_STORE(v[k] / deviation);
#else
  T_NUMBER most = -INFINITY;
  for (uint k = 0; k < ITEMS; k++) {
    const uint at = lane + k * WIDTH;
    v[k] = at < length ? T_LOAD(x[at]) : -INFINITY;
    most = LARGER(most, v[k]);
  }
  most = largest(most, part WEFT_WARP_ARGUMENTS);
  const T_NUMBER shift = SHIFT(most);
  for (uint k = 0; k < ITEMS; k++) {
    v[k] -= shift;
    const T_NUMBER e = lane + k * WIDTH < length ? EXP(v[k]) : 0;
    sum += e;
#if FUNCTION == WEFT__NORMALIZE_SOFTMAX
    v[k] = e;
#endif
  }
  sum = total(sum, part WEFT_WARP_ARGUMENTS);
#if FUNCTION == WEFT__NORMALIZE_LOGSUMEXP
  if (lane == 0 && row < a.rows) ((__global T *)(to + a.to))[row] = T_STORE(shift + LOG(sum));
#else
#if FUNCTION == WEFT__NORMALIZE_LOG_SOFTMAX
  const T_NUMBER log_sum = LOG(sum);
#define RESULT(value) ((value)-log_sum)
#else
#define RESULT(value) ((value) / sum)
#endif
  for (uint k = 0; k < ITEMS; k++)
    if (lane + k * WIDTH < length) y[lane + k * WIDTH] = T_STORE(RESULT(v[k]));
#endif
#endif
}
