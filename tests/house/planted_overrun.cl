// SPDX-License-Identifier: MIT
// A planted mistake: one element too many is accessed.
__kernel void planted(__global int *x, int n) {
  int i = (int)get_global_id(0);
  if (i <= n) x[i] = i;
}
