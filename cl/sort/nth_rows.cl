// SPDX-License-Identifier: MIT
// Elements of given ranks of every row: result[rank][row]. It needs the macros of sort/nth_rows.clh.
// lint: -DSORT_KEY_BYTES=4 -DSORT_KIND=1 -DNTH_LONG=0 -DNTH_DIGIT=4 -DNTH_ROOM=256 -DWEFT_BLOCK=256
// lint: -DSORT_KEY_BYTES=8 -DSORT_KIND=0 -DNTH_LONG=1 -DNTH_DIGIT=8 -DNTH_ROOM=4096 -DWEFT_BLOCK=256
#define NTH_PAIRS 0
#include "sort/args.h"
#include "sort/nth_rows.clh"

__attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
__kernel void weft_nth_rows(const weft__nth_rows_args a, __global uchar *to, __global const uchar *from) {
  NTH_STATE
  __global sort_key *y = (__global sort_key *)(to + a.to);
  __global const sort_key *x = (__global const sort_key *)(from + a.from);
  const ulong row = NTH_ROW(a.rows);
  nth_open(&r, x + row * a.length, (uint)a.length, a.flip_top, false);
  for (uint k = 0; k < a.ranks; k++) {
    const nth_pair pair = nth_find(&r, (uint)a.rank[k], false, false);
    if (NTH_WRITES(a.rows)) y[k * a.rows + row] = pair.low;
  }
}
