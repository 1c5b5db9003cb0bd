// SPDX-License-Identifier: MIT
// Combines the partial results that another kernel left in `scratch`, a row per split, for GPUs. `lanes`
// threads side by side, a power of two, have a result each, and the other threads of a block have further splits.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=4
#ifdef WEFT_LINT
#include "reduce/lint.clh"
#endif
#include "reduce/common.clh"

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_reduce_finish(const weft__reduce_args args, __global uchar *restrict out,
                        __global const uchar *restrict scratch) {
  __local weft_acc all[WEFT_BLOCK];
  const uint id = (uint)get_local_id(0), lanes = (uint)args.lanes, down = id / lanes, rows = WEFT_BLOCK / lanes;
  const ulong result = (ulong)get_group_id(0) * lanes + id % lanes;
  weft_acc acc = weft_r_neutral(R_ARGS0);
  if (result < args.outputs) {
#pragma unroll 4
    for (ulong split = down; split < args.splits; split += rows)
      acc = weft_r_combine(acc, ((__global const weft_acc *)scratch)[split * args.outputs + result] R_ARGS);
  }
  all[id] = acc;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = rows / 2; d > 0; d /= 2) {
    if (down < d) all[id] = weft_r_combine(all[id], all[id + d * lanes] R_ARGS);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (down == 0 && result < args.outputs) weft_put(args, out, result, all[id]);
}
