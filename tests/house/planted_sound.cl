// SPDX-License-Identifier: MIT
// A sound kernel: each thread writes its own element, and reads the neighbour's value after a barrier.
__kernel void planted(__global int *x, int n) {
  __local int tile[16];
  int i = (int)get_global_id(0), t = (int)get_local_id(0);
  tile[t] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) x[i] = tile[(t + 1) % 16];
}
