// SPDX-License-Identifier: MIT
// Rows on GPUs: WIDTH threads read a row once, ITEMS chunks each, and keep it in registers. A chunk is EACH elements;
// rows have a multiple of EACH. ALIGNED: all chunks begin at multiples of their size, and RAW moves one.
// lint: -DT=float -DT_FLOAT=1 -DT_DIGITS=24 -DFUNCTION=0 -DWIDTH=512 -DITEMS=4 -DEACH=4 -DALIGNED=1 -DRAW=uint4
// lint: -DT=ushort -DT_FLOAT=1 -DT_DIGITS=11 -DT_NARROW=f16 -DFUNCTION=1 -DWIDTH=32 -DITEMS=1 -DEACH=1 -DALIGNED=1 -DRAW=ushort
// lint: -DT=double -DT_FLOAT=1 -DT_DIGITS=53 -DFUNCTION=2 -DWIDTH=64 -DITEMS=2 -DEACH=2 -DALIGNED=0 -DRAW=ulong2 -DWEFT_FP64=1
// lint: -DT=float -DT_FLOAT=1 -DT_DIGITS=24 -DFUNCTION=3 -DWIDTH=128 -DITEMS=8 -DEACH=2 -DALIGNED=1 -DRAW=uint2
#include "chunk.clh"
#include "normalize/common.clh"

#define WEFT_BLOCK (WIDTH > WEFT__NORMALIZE_BLOCK ? WIDTH : WEFT__NORMALIZE_BLOCK)
#include "warp.clh"

#define ROWS (WEFT_BLOCK / WIDTH)  // of a block
#define PARTS (WIDTH / 32)         // warps of a row

#ifdef WEFT_PTX
#define UNROLL _Pragma("unroll")
#define REGISTERS _Pragma("unroll")  // all indices are constants then
#else
#define UNROLL _Pragma("nounroll")  // with its barriers, an unrolled loop takes PoCL minutes to compile
#define REGISTERS
#endif

typedef WEFT_PACK(T, EACH, RAW) row_chunk;

// Does STEP(k, j) for all elements of a thread; VALID(k): its chunk is in the row.
#define VALID(k) (lane + (k) * WIDTH < chunks)
#define ALL(STEP)                          \
  REGISTERS for (uint k = 0; k < ITEMS; k++) \
    REGISTERS for (uint j = 0; j < EACH; j++) { STEP(k, j); }

// The elements of a thread; `otherwise` where its row has none.
static inline void row_load(WEFT_OF_THREAD T_NUMBER (*v)[EACH], __global const T *x, uint lane, uint chunks,
                            T_NUMBER otherwise) {
  row_chunk chunk[ITEMS];
  REGISTERS for (uint k = 0; k < ITEMS; k++) {
    if (!VALID(k)) continue;
    const uint at = lane + k * WIDTH;
#if ALIGNED
    WEFT_SPLIT(RAW, chunk[k].word, ((__global const RAW *)x)[at])
#else
    REGISTERS for (uint j = 0; j < EACH; j++) chunk[k].e[j] = x[at * EACH + j];
#endif
  }
#define CONVERT(k, j) v[k][j] = VALID(k) ? T_LOAD(chunk[k].e[j]) : otherwise
  ALL(CONVERT)
}

static inline void row_store(__global T *y, const WEFT_OF_THREAD T_NUMBER (*v)[EACH], uint lane, uint chunks) {
  REGISTERS for (uint k = 0; k < ITEMS; k++) {
    if (!VALID(k)) continue;
    const uint at = lane + k * WIDTH;
    row_chunk chunk;
    REGISTERS for (uint j = 0; j < EACH; j++) chunk.e[j] = T_STORE(v[k][j]);
#if ALIGNED
    ((__global RAW *)y)[at] = WEFT_WHOLE(RAW, chunk.word);
#else
    REGISTERS for (uint j = 0; j < EACH; j++) y[at * EACH + j] = chunk.e[j];
#endif
  }
}

#define LARGER(a, b) ((b) > (a) ? (b) : (a))
#define SUM(a, b) ((a) + (b))
// Functions that combine the values of a row's threads, for all of them and in the same order.
#define COMBINES(name, OP) \
  WEFT_INLINE T_NUMBER name(T_NUMBER of_thread, __local T_NUMBER *part WEFT_WARP_PARAMETERS) { \
    WEFT_OF_THREAD T_NUMBER value = of_thread; \
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

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_normalize_rows(const weft__normalize_args a, __global uchar *to, __global const uchar *from) {
  WEFT_WARP_STATE
  __local T_NUMBER part[WEFT_WARPS];
  const uint id = (uint)get_local_id(0), lane = id % WIDTH;
  const ulong row = (ulong)get_group_id(0) * ROWS + id / WIDTH;
  const uint chunks = row < a.rows ? (uint)a.length / EACH : 0;
  __global const T *x = (__global const T *)(from + a.from) + row * a.length;
  WEFT_OF_THREAD T_NUMBER v[ITEMS][EACH];
  T_NUMBER sum = 0;
#if FUNCTION == WEFT__NORMALIZE_STANDARDIZE
  // distances from the first element: equal elements have exactly their mean
  const WEFT_OF_THREAD T_NUMBER first_one = chunks ? T_LOAD(x[0]) : 0;
  row_load(v, x, lane, chunks, first_one);
#define ADD(k, j) v[k][j] -= first_one, sum += v[k][j]
  ALL(ADD)
  sum = total(sum, part WEFT_WARP_ARGUMENTS);
  const T_NUMBER mean = sum / (T_NUMBER)a.length; // less the first element
  T_NUMBER squares = 0;
#define SQUARE(k, j) v[k][j] = VALID(k) ? v[k][j] - mean : 0, squares += v[k][j] * v[k][j]
  ALL(SQUARE)
  squares = total(squares, part WEFT_WARP_ARGUMENTS);
  const T_NUMBER deviation = sqrt(squares / OF_BITS(a.divisor) + OF_BITS(a.epsilon));
#define RESULT(k, j) v[k][j] = v[k][j] / deviation
#else
  T_NUMBER most = -INFINITY;
  row_load(v, x, lane, chunks, -INFINITY);
#define MOST(k, j) most = LARGER(most, v[k][j])
  ALL(MOST)
  most = largest(most, part WEFT_WARP_ARGUMENTS);
  const T_NUMBER shift = SHIFT(most);
#if FUNCTION == WEFT__NORMALIZE_SOFTMAX
#define ADD(k, j) v[k][j] = VALID(k) ? EXP(v[k][j] - shift) : 0, sum += v[k][j]
#else
#define ADD(k, j) v[k][j] -= shift, sum += VALID(k) ? EXP(v[k][j]) : 0
#endif
  ALL(ADD)
  sum = total(sum, part WEFT_WARP_ARGUMENTS);
#if FUNCTION == WEFT__NORMALIZE_LOGSUMEXP
  if (lane == 0 && row < a.rows) ((__global T *)(to + a.to))[row] = T_STORE(shift + LOG(sum));
#elif FUNCTION == WEFT__NORMALIZE_LOG_SOFTMAX
  const T_NUMBER log_sum = LOG(sum);
#define RESULT(k, j) v[k][j] -= log_sum
#else
#define RESULT(k, j) v[k][j] /= sum
#endif
#endif
#ifdef RESULT
  ALL(RESULT)
  row_store((__global T *)(to + a.to) + row * a.length, v, lane, chunks);
#endif
}
