// SPDX-License-Identifier: MIT
// The tiles of a sparse matrix. Defined in the text in front:
//   S_INDEX   the type of `indptr`: int or long
// lint: -DS_INDEX=int
#include "sparse/args.h"
#define S_STARTS S_INDEX
#include "sparse/tile.clh"

/// Sets first[t] to the number of rows that end in front of tile t, for t from 0 to the number of tiles.
__kernel void weft_csr_tiles(const weft__csr_args args, __global uchar *first_bytes,
                             __global const uchar *restrict indptr_bytes) {
  __global long *first = (__global long *)(first_bytes + args.first);
  __global const S_INDEX *restrict indptr = (__global const S_INDEX *)(indptr_bytes + args.indptr);
  const ulong t = get_global_id(0);
  if (t <= args.tiles) first[t] = (long)weft_rows_before(indptr, args.rows, t * args.tile);
}
