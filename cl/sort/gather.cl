// SPDX-License-Identifier: MIT
// Gathers rows of bytes by their numbers, which are known to be in range.
//
// Define before including: UNIT, a type of 1 to 16 bytes that rows consist of, and NUMBER, the type of their numbers.
// lint: -DUNIT=uint4 -DNUMBER=ulong
// lint: -DUNIT=uchar -DNUMBER=uint -DWEFT_CPU=1
#include "sort/args.h"

#define FROM_ROW(r) \
  (args.count == args.rows ? (ulong)number[r] : (r) / args.count * args.length + number[(r) % args.count])

__kernel void weft_gather_rows(const weft__gather_rows_args args, __global uchar *to, __global const uchar *from,
                               __global const uchar *numbers) {
  __global const UNIT *x = (__global const UNIT *)(from + args.from);
  __global UNIT *y = (__global UNIT *)(to + args.to);
  __global const NUMBER *number = (__global const NUMBER *)(numbers + args.numbers);
#ifdef WEFT_CPU
  ulong i = (ulong)get_global_id(0) * args.share;
  const ulong end = min(i + args.share, args.rows * args.units);
  if (args.units == 1) {
    for (; i < end; i++) y[i] = x[FROM_ROW(i)];
  } else {
    while (i < end) {
      const ulong row = i / args.units, first = row * args.units, last = min(first + args.units, end);
      __global const UNIT *in_row = x + FROM_ROW(row) * args.units;
      for (; i < last; i++) y[i] = in_row[i - first];
    }
  }
#else
  const ulong i = (ulong)get_group_id(0) * get_local_size(0) + get_local_id(0);
  if (i < args.rows * args.units) {
    const ulong row = args.units == 1 ? i : i / args.units;
    y[i] = x[FROM_ROW(row) * args.units + (i - row * args.units)];
  }
#endif
}
