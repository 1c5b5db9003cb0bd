// SPDX-License-Identifier: MIT
// All rounds of a sweep of rotations of rows in one launch: the groups of a matrix wait for each other after each
// round. There are at most as many groups as units of the device, so that all run at the same time (only with PTX).
// A group publishes the rounds that it has done with a tag of the launch, as in exchange.clh.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DCOMPLEX=1
#include "linalg/rotate_rows.clh"
#include "linalg/group_number.clh"

// As weft_jacobi_rotate, for args.round = the first ticket. args.chunks groups for each matrix; args.flags: the tag.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_rounds(const weft__block_args args, __global uchar *xs, __global uchar *ys, __global uchar *changes,
                        __global uchar *state) {
  __local REAL values[ROTATE_VALUES];
  __local uint ticket[1];
  const uint groups = (uint)args.chunks;
  const uint number = la_group_number(state, args.round, ticket);
  const uint batch = number / groups, group = number % groups;
  const uint players_of = (uint)(args.m + (args.m & 1)), pairs = players_of / 2;
  for (uint round = 0; round + 1 < players_of; round++) {
    for (uint begin = 0; begin < pairs; begin += groups)
      if (begin + group < pairs) la_rotate(&args, round, batch, begin + group, xs, ys, changes, values);
#ifdef WEFT_PTX
    const uint thread = (uint)get_local_id(0);
    weft_fence_device();
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (thread == 0) weft_exchange_write(state, number, round + 1, args.flags);
    for (uint g = thread; g < groups; g += WEFT_BLOCK) {
      uint done;
      while (weft_exchange_read(state, batch * groups + g, &done) != args.flags || done <= round) {
      }
    }
    weft_fence_device();
#endif
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
}
