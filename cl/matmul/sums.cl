// SPDX-License-Identifier: MIT
// Ends products that were split along k: adds the splits' sums in order, and stores the elements. `a` has the sums as
// accumulators. The text in front defines the macros of matmul/store.clh, and WEFT_BLOCK, work-items of a group.
// own[0]: splits; own[1]: elements of a split.
// lint: -DWEFT_LINT=1 -DWEFT_BLOCK=256
#ifdef WEFT_LINT
#include "matmul/lint.clh"
#endif
#include "matmul/store.clh"

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_matmul_sums(M_PARAMETERS) {
  const ulong i = get_local_id(0) + (get_group_id(0) + (ulong)get_group_id(1) * get_num_groups(0)) * WEFT_BLOCK;
  M_BEGIN
  if (i >= args.own[1]) return;
  __global const M_ACC *from = (__global const M_ACC *)a + i;
  const ulong line = i / args.n, batch = line / args.m;
  const weft_matmul_place place = weft_matmul_place_of(args, batch);
  M_ACC sum = from[0];
#pragma unroll 16 // loads in flight
  for (ulong s = 1; s < args.own[0]; s++) {
    const M_ACC more = from[s * args.own[1]];
    sum = M_ADD(sum, more);
  }
  weft_matmul_store(M_ARGUMENTS, place, line - batch * args.m, i - line * args.n, sum);
}
