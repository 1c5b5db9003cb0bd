// SPDX-License-Identifier: MIT
// A planted mistake: the neighbour's value is read without a barrier.
__kernel void planted(__global int *x, int n) {
  __local int tile[16];
  int i = (int)get_global_id(0), t = (int)get_local_id(0);
  tile[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[t] = i;
  if (i < n) x[i] = tile[(t + 1) % 16];
}
