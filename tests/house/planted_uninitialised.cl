// SPDX-License-Identifier: MIT
// A planted mistake: the first half of the tile is never written.
__kernel void planted(__global int *x, int n) {
  __local int tile[16];
  int i = (int)get_global_id(0), t = (int)get_local_id(0);
  if (t >= 8) tile[t] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n && tile[t] > 3) x[i] = 1;
}
