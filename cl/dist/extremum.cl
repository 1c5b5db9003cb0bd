// SPDX-License-Identifier: MIT
// The first extremum of all ranks' elements, for libweft-mpi: weft_extremum_own writes this rank's element and its
// place into a record of two numbers, which travel together; weft_extremum_best finds the best of the ranks' records.
//   ELEMENT                    type of elements, of SORT_KEY_BYTES (1 2 4 8); SORT_KIND: see sort/key.clh
//   RAW, TO_KEY                unsigned type of that size, and its function to sort_key
//   LEAST                      1: the least element is wanted; a NaN comes before all others here too
// lint: -DELEMENT=float -DRAW=uint -DTO_KEY= -DSORT_KEY_BYTES=4 -DSORT_KIND=1 -DLEAST=1
// lint: -DELEMENT=short -DRAW=ushort -DTO_KEY= -DSORT_KEY_BYTES=2 -DSORT_KIND=0 -DLEAST=1
// lint: -DELEMENT=long -DRAW=ulong -DTO_KEY=as_uint2 -DSORT_KEY_BYTES=8 -DSORT_KIND=0 -DLEAST=0
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define SORT_VALUE_BYTES 0
#include "sort/key.clh"

// `before`: elements of the ranks before this one.
__kernel void weft_extremum_own(__global ulong *record, __global const ELEMENT *x, __global const long *place,
                                ulong before) {
  record[0] = ((__global const RAW *)x)[place[0]];
  record[1] = before + (ulong)place[0];
}

// Greater is better.
static inline sort_order goodness(ulong bits, uint flip_top) {
  const sort_order order = sort_order_of(TO_KEY((RAW)bits), 0, flip_top);
#if LEAST
  const sort_order most = (RAW)-1;
#if SORT_KIND == 1
  if (order == most) return most; // a NaN; no other element is the opposite of it
#endif
  return most - order;
#else
  return order;
#endif
}

// Records are in the order of places: of equal elements the first one stays.
__kernel void weft_extremum_best(__global long *place, __global const ulong *records, uint count, uint flip_top) {
  uint best = 0;
  for (uint r = 1; r < count; r++)
    if (sort_less(goodness(records[2 * best], flip_top), goodness(records[2 * r], flip_top))) best = r;
  place[0] = (long)records[2 * best + 1];
}
