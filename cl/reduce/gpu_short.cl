// SPDX-License-Identifier: MIT
// Short rows of contiguous elements, several per warp, for GPUs. `lanes` threads (1, 2, 4 ... 32) share a row. Needs
// the macros of reduce/common.clh, and:
//   WEFT_BLOCK   threads per block
//   R_U          rows in flight per thread; 1: a thread may have several chunks of its row
// Rows are whole chunks, and begin at a chunk.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=4
#ifdef WEFT_LINT
#include "reduce/lint.clh"
#endif
#include "reduce/gpu.clh"

#define GET_ROW(k, type, raw, place) \
  WEFT_SPLIT(raw, a##k[u].word, ((__global const raw *)(x##k + row * (ulong)args.outer_stride * sizeof(type)))[chunk])

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_reduce_short(const weft__reduce_args args, __global uchar *restrict out,
                       __global uchar *restrict scratch R_INS(IN_PARAMETER)
                       R_BESIDE(IN_PARAMETER)) {
  WEFT_WARP_STATE
  const uint lanes = (uint)args.lanes, id = (uint)get_local_id(0), lane = id & (lanes - 1), rows = WEFT_BLOCK / lanes;
  const ulong first = (ulong)get_group_id(0) * (rows * R_U) + id / lanes, chunks = args.length / R_E;
  R_INS(IN_OFFSET)
  R_BESIDE(IN_OFFSET)
  R_INS(IN_HOLD)
#if R_U > 1
#pragma unroll
  for (uint u = 0; u < R_U; u++) {
    const ulong row = first + u * rows, chunk = lane;
    if (row < args.outer && chunk < chunks) {
      R_INS(GET_ROW)
    }
  }
#endif
  UNROLL
  for (uint u = 0; u < R_U; u++) {
    const ulong row = first + u * rows;
    weft_acc acc = weft_r_neutral(R_ARGS0);
    if (row < args.outer) {
      R_BESIDE(BESIDE_GET)
#if R_U > 1
      const ulong chunk = lane;
      if (chunk < chunks) {
#else
#pragma unroll 4
      for (ulong chunk = lane; chunk < chunks; chunk += lanes) {
        R_INS(GET_ROW)
#endif
        R_VALUE v[R_E];
#pragma unroll
        for (uint e = 0; e < R_E; e++) R_MAP(IN_E, args.first + row * args.length + chunk * R_E + e, v[e])
        weft_r_add_many(&acc, v, R_E, chunk * R_E, 1 R_ARGS);
      }
    }
    WEFT_OF_THREAD weft_acc mine = acc;
    for (uint d = lanes / 2; d > 0; d /= 2) {
      weft_acc other = mine;
      weft_xor_acc(&other, d WEFT_WARP_ARGUMENTS);
      mine = weft_r_combine(mine, other R_ARGS);
    }
    if (lane == 0 && row < args.outer) weft_put(args, out, row, mine);
  }
}
