// SPDX-License-Identifier: MIT
// Rows of a table: out[outer, k, inner] = x[outer, index[k], inner]. In front of it: SELECT_UNIT, a type as wide as what divides a row's bytes,
// and for GPUs WEFT_BLOCK. The indices are right: they were made by select/*.cl.
// lint: -DSELECT_UNIT=uint4 -DWEFT_BLOCK=256
// lint: -DSELECT_UNIT=uint4 -DWEFT_CPU=1

#include "select/args.h"

#if WEFT_CPU

__kernel void weft_select_take(const weft__select_take_args args, __global uchar *out, __global const uchar *x, __global const uchar *index) {
  __global const long *numbers = (__global const long *)(index + args.index);
  const ulong begin = get_group_id(0) * args.group, end = min(begin + args.group, args.rows);
  for (ulong row = begin; row < end; row++) {
    const ulong from_row = row / args.count * args.length + (ulong)numbers[row % args.count];
    __global SELECT_UNIT *to = (__global SELECT_UNIT *)(out + args.out) + row * args.inner;
    __global const SELECT_UNIT *from = (__global const SELECT_UNIT *)(x + args.x) + from_row * args.inner;
    for (ulong i = 0; i < args.inner; i++) to[i] = from[i];
  }
}

#else

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_select_take(const weft__select_take_args args, __global uchar *out, __global const uchar *x, __global const uchar *index) {
  const ulong id = (ulong)get_group_id(0) * WEFT_BLOCK + get_local_id(0), row = id / args.inner;
  if (row >= args.rows) return;
  const ulong from_row = row / args.count * args.length + (ulong)((__global const long *)(index + args.index))[row % args.count];
  ((__global SELECT_UNIT *)(out + args.out))[id] = ((__global const SELECT_UNIT *)(x + args.x))[from_row * args.inner + id % args.inner];
}

#endif
