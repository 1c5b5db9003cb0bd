// SPDX-License-Identifier: MIT
// Rows of bytes in the order of a list of their numbers, each once: what is sorted along with keys but is not sorted by the same kernels.
//
// In front of it: UNIT, a type of 1 to 16 bytes of which rows are made.
// lint: -DUNIT=uint4
// lint: -DUNIT=uchar -DWEFT_CPU
#include "sort/args.h"

__kernel void sort_gather(const weft__sort_gather_args job, __global const uchar *from, __global uchar *to, __global const uchar *numbers) {
  __global const UNIT *x = (__global const UNIT *)(from + job.from);
  __global UNIT *y = (__global UNIT *)(to + job.to);
  __global const ulong *number = (__global const ulong *)(numbers + job.numbers);
#ifdef WEFT_CPU
  const ulong first = (ulong)get_global_id(0) * job.share, end = min(first + job.share, (ulong)job.rows);
  if (job.units == 1) {
    for (ulong i = first; i < end; i++) y[i] = x[number[i]];
  } else {
    for (ulong i = first; i < end; i++)
      for (ulong u = 0; u < job.units; u++) y[i * job.units + u] = x[number[i] * job.units + u];
  }
#else
  const ulong i = (ulong)get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (job.units == 1) {
    if (i < job.rows) y[i] = x[number[i]];
  } else if (i < job.rows * job.units) {
    const ulong row = i / job.units;
    y[i] = x[number[row] * job.units + (i - row * job.units)];
  }
#endif
}
