// SPDX-License-Identifier: MIT
// Combines the partial results that another kernel left in `scratch`, a row per split, for CPUs. A work-item makes
// `per` results.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=4
#ifdef WEFT_LINT
#include "reduce/lint.clh"
#endif
#ifndef WEFT_BLOCK
#define WEFT_BLOCK 32 // for warp.clh, which exchange.clh includes
#endif
#include "reduce/common.clh"

__kernel void weft_reduce_finish(const weft__reduce_args args, __global uchar *restrict out,
                                 __global const uchar *restrict scratch) {
  const ulong begin = get_global_id(0) * args.per, end = min(begin + args.per, args.outputs);
  __global const weft_acc *part = (__global const weft_acc *)scratch;
  for (ulong result = begin; result < end; result++) {
    weft_acc acc = part[result];
    for (ulong split = 1; split < args.splits; split++)
      acc = weft_r_combine(acc, part[split * args.outputs + result] R_ARGS);
    weft_put(args, out, result, acc);
  }
}
