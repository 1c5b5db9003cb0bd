// SPDX-License-Identifier: MIT
// Rows of contiguous elements, reduced by whole blocks, for GPUs. `splits` blocks share a row and take its tiles in
// turns. Needs the macros of reduce/common.clh, and:
//   WEFT_BLOCK   threads per block
//   R_U          chunks in flight per thread
// The block whose turn follows the last tile reads the chunks left over, and one by one the elements before the row's
// first whole chunk and after its last one.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=2
// lint: -DWEFT_LINT=3 -DWEFT_DEVICE_SCOPE=1
// lint: -DWEFT_LINT=4 -DWEFT_DEVICE_SCOPE=1
#ifdef WEFT_LINT
#include "reduce/lint.clh"
#endif
#include "reduce/gpu.clh"

#define IN_HEAD(k, type, raw, place) \
  if (place == 0) head = (0 - (ulong)x##k) % sizeof(raw) / sizeof(type);
#define IN_ROW(k, type, raw, place) x##k += row * (ulong)args.outer_stride * sizeof(type);
#define IN_ADVANCE(k, type, raw, place) x##k += head * sizeof(type);
#define GET_ONE(k, type, raw, place) const type one##k = ((__global const type *)x##k)[at];
#define IN_ONE(k) one##k

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_reduce_rows(const weft__reduce_args args, __global uchar *restrict out,
                      __global uchar *restrict scratch R_INS(IN_PARAMETER)
                      R_BESIDE(IN_PARAMETER)) {
  WEFT_WARP_STATE
  __local weft_acc warps[WEFT_WARPS];
#ifdef WEFT_DEVICE_SCOPE
  __local uint last;
#endif
  const ulong id = get_local_id(0), block = get_group_id(0);
  const ulong row = args.splits == args.blocks ? 0 : block / args.splits, split = block - row * args.splits;
  const ulong base = args.first + row * args.length;
  ulong head = 0;
  R_INS(IN_OFFSET)
  R_BESIDE(IN_OFFSET)
  R_BESIDE(BESIDE_GET)
  R_INS(IN_ROW)
  R_INS(IN_HEAD)
  head = min(head, args.length);
  R_INS(IN_ADVANCE)
  const ulong chunks = (args.length - head) / R_E, tiles = chunks / (WEFT_BLOCK * R_U);
  weft_acc acc = weft_r_neutral(R_ARGS0);
  for (ulong tile = split; tile < tiles; tile += args.splits) {
    R_INS(IN_HOLD)
    R_VALUE v[R_U * R_E];
#pragma unroll
    for (uint u = 0; u < R_U; u++) {
      const ulong chunk = tile * (WEFT_BLOCK * R_U) + u * WEFT_BLOCK + id;
      R_INS(IN_GET)
    }
#pragma unroll
    for (uint u = 0; u < R_U; u++) {
      const ulong position = head + (tile * (WEFT_BLOCK * R_U) + u * WEFT_BLOCK + id) * R_E;
#pragma unroll
      for (uint e = 0; e < R_E; e++) R_MAP(IN_E, base + position + e, v[u * R_E + e])
#if R_OP != WEFT__GATHER_VARIANCE
      weft_r_add_many(&acc, v + u * R_E, R_E, position, 1 R_ARGS);
#endif
    }
#if R_OP == WEFT__GATHER_VARIANCE
    weft_r_add_many(&acc, v, R_U * R_E, 0, 1 R_ARGS);
#endif
  }
  if (tiles % args.splits == split) {
    for (ulong chunk = tiles * (WEFT_BLOCK * R_U) + id; chunk < chunks; chunk += WEFT_BLOCK) {
      const uint u = 0;
      R_INS(IN_HOLD)
      R_VALUE v[R_E];
      R_INS(IN_GET)
#pragma unroll
      for (uint e = 0; e < R_E; e++) R_MAP(IN_E, base + head + chunk * R_E + e, v[e])
      weft_r_add_many(&acc, v, R_E, head + chunk * R_E, 1 R_ARGS);
    }
    const ulong behind = chunks * R_E;
    for (ulong i = id; i < args.length - behind; i += WEFT_BLOCK) {
      const ulong position = i < head ? i : behind + i;
      const long at = (long)position - (long)head;
      R_VALUE v;
      R_INS(GET_ONE)
      R_MAP(IN_ONE, base + position, v)
      weft_r_join(&acc, v, position R_ARGS);
    }
  }
  weft_block_combine(&acc, warps R_ARGS WEFT_WARP_ARGUMENTS);
  if (id == 0) {
    if (args.mode == WEFT__REDUCE_DIRECT) weft_put(args, out, row, acc);
    if (args.mode == WEFT__REDUCE_SCRATCH) weft_leave(args, scratch, split, row, acc);
#ifdef WEFT_DEVICE_SCOPE
    if (args.mode == WEFT__REDUCE_LAST) {
      weft_exchange_write(scratch, (uint)block, acc, args.lookback.epoch << 2 | EXCHANGE_PARTIAL);
      weft_fence_device();
    }
#endif
  }
#ifdef WEFT_DEVICE_SCOPE
  weft_conclude(args, out, scratch, warps, &last WEFT_WARP_ARGUMENTS);
#endif
}
