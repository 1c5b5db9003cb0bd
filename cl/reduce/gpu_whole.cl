// SPDX-License-Identifier: MIT
// Expressions with reduced values of rows, "exp(x - max(x, axis=-1))", for GPUs: a row is read once, into registers,
// its reduced values are computed one after the other, then its elements. The text in front, written by
// src/op/reduce/whole.c, includes reduce/part.clh for each reduced value, and defines
//   R_INS(X), R_BESIDE(X)  as in reduce/common.clh
//   WHOLE_ALONG(X)         as R_INS, of arrays with an element for each place in a row
//   WHOLE_REDUCED(X)       X(k, ddof) for each reduced value, in the order in which they depend on each other
//   WHOLE_VALUE_k(IN, v)   a statement: sets v to what reduced value k reduces, computed of the elements IN(k) and of
//                          earlier ones, R_REDUCED(k)
//   WHOLE_RESULT(IN, v)    so for the expression; WHOLE_OUT: its type as stored; WHOLE_RAW: as a chunk is stored, if
//                          WHOLE_PACKED
//   WHOLE_LANES, WHOLE_CHUNKS, R_E, R_U, WEFT_BLOCK   see reduce/part.clh
// lint: -DWEFT_LINT=1 -DWHOLE_LANES=16 -DWHOLE_CHUNKS=1
// lint: -DWEFT_LINT=1 -DWHOLE_LANES=256 -DWHOLE_CHUNKS=5
#ifdef WEFT_LINT
#include "reduce/lint_whole.clh"
#endif
#include "chunk.clh"
#include "reduce/args.h"
#include "warp.clh"

#define IN_PARAMETER(k, type, raw, place) , __global const uchar *x##k
#define IN_PACK(k, type, raw, place) typedef WEFT_PACK(type, R_E, raw) weft_in_##k;
#define IN_ROW(k, type, raw, place) x##k += args.offset[place] + mine * args.length * sizeof(type);
#define IN_START(k, type, raw, place) x##k += args.offset[place];
#define BESIDE_GET(k, type, step, place) \
  const type beside##k = ((__global const type *)(x##k + args.offset[place]))[mine * step];
#define IN_HOLD(k, type, raw, place) weft_in_##k a##k[WHOLE_CHUNKS];
#define IN_GET(k, type, raw, place) WEFT_SPLIT(raw, a##k[u].word, ((__global const raw *)x##k)[chunk])
#define IN_E(k) a##k[u].e[e]
#define R_OF_RESULT(k) beside##k
#define R_REDUCED(k) r##k

R_INS(IN_PACK)
WHOLE_ALONG(IN_PACK)

#define REDUCE(k, ddof)                                                                                    \
  __local weft_acc_of_##k warps##k[WEFT_WARPS];                                                            \
  weft_value_of_##k v##k[WHOLE_CHUNKS * R_E];                                                              \
  _Pragma("unroll") for (uint u = 0; u < WHOLE_CHUNKS; u++)                                                \
    if (lane + u * WHOLE_LANES < chunks)                                                                   \
      _Pragma("unroll") for (uint e = 0; e < R_E; e++) WHOLE_VALUE_##k(IN_E, v##k[u * R_E + e])            \
  const weft_result_of_##k r##k =                                                                          \
      weft_reduce_whole_of_##k(v##k, chunks, args.count, ddof, warps##k WEFT_WARP_ARGUMENTS);

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_reduce_whole(const weft__reduce_args args, __global uchar *out R_INS(IN_PARAMETER)
                       R_BESIDE(IN_PARAMETER) WHOLE_ALONG(IN_PARAMETER)) {
  WEFT_WARP_STATE
  const uint id = (uint)get_local_id(0), lane = id % WHOLE_LANES, chunks = (uint)(args.length / R_E);
  const ulong row = (ulong)get_group_id(0) * (WEFT_BLOCK / WHOLE_LANES) + id / WHOLE_LANES;
  const ulong mine = min(row, args.outer - 1); // the threads behind the last row read it too, but store nothing
  R_BESIDE(BESIDE_GET)
  R_INS(IN_ROW)
  WHOLE_ALONG(IN_START)
  R_INS(IN_HOLD)
  WHOLE_ALONG(IN_HOLD)
#pragma unroll
  for (uint u = 0; u < WHOLE_CHUNKS; u++) {
    const uint chunk = lane + u * WHOLE_LANES;
    if (chunk < chunks) {
      R_INS(IN_GET)
      WHOLE_ALONG(IN_GET)
    }
  }
  WHOLE_REDUCED(REDUCE)
  __global WHOLE_OUT *to = (__global WHOLE_OUT *)(out + args.out) + mine * args.length;
#pragma unroll
  for (uint u = 0; u < WHOLE_CHUNKS; u++) {
    const uint chunk = lane + u * WHOLE_LANES;
    if (chunk < chunks && row < args.outer) {
#if WHOLE_PACKED
      WEFT_PACK(WHOLE_OUT, R_E, WHOLE_RAW) y;
#pragma unroll
      for (uint e = 0; e < R_E; e++) WHOLE_RESULT(IN_E, y.e[e])
      ((__global WHOLE_RAW *)to)[chunk] = WEFT_WHOLE(WHOLE_RAW, y.word);
#else
#pragma unroll
      for (uint e = 0; e < R_E; e++) WHOLE_RESULT(IN_E, to[chunk * R_E + e])
#endif
    }
  }
}
