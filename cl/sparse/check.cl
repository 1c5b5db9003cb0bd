// SPDX-License-Identifier: MIT
// Copies the arrays of another library, checks that they are a matrix, and finds its tiles, in one launch of a GPU.
// Defined in the text in front:
//   S_INDEX, S_WIDE, S_RAW, S_UNIT  as in sparse/rows.cl
//   S_GIVEN, S_STARTS               the types of the given indices and of the given indptr
// lint: -DS_INDEX=int -DS_WIDE=4 -DS_RAW=uint4 -DS_UNIT=uint -DS_GIVEN=int -DS_STARTS=int
// lint: -DS_INDEX=int -DS_WIDE=4 -DS_RAW=uint4 -DS_UNIT=uint -DS_GIVEN=long -DS_STARTS=uint
#include "chunk.clh"
#include "sparse/args.h"
#include "sparse/block.clh"
#include "sparse/tile.clh"

typedef WEFT_PACK(S_INDEX, S_WIDE, S_RAW) weft_indices;

#define IS_BAD 1u // no matrix: indptr does not rise from 0 to the number of elements, or an index is outside
#define FALLS 2u  // a row has a column that is not beyond the one before
#define CHECKED_AHEAD 4 // loads of indices in flight

/// The flags of column `here`, which follows `before` and begins a row if `begins` is odd.
#define FLAGS_OF(here, before, begins) \
  (((ulong)(here) >= args.columns ? IS_BAD : 0) | ((before) >= (here) && !((begins) & 1) ? FALLS : 0))

/// Sets found[block] to the flags of the block's part of rows and elements.
__kernel void weft_csr_check(const weft__csr_check_args args, __global uchar *found_bytes, __global uchar *starts_bytes,
                             __global uchar *columns_bytes, __global uchar *copies_bytes, __global uchar *tiles_bytes,
                             __global const uchar *restrict indptr_bytes, __global const uchar *restrict indices_bytes,
                             __global const uchar *restrict values_bytes) {
  __global S_INDEX *restrict starts = (__global S_INDEX *)(starts_bytes + args.to_indptr);
  __global S_INDEX *restrict to = (__global S_INDEX *)(columns_bytes + args.to_indices);
  __global S_UNIT *restrict copies = (__global S_UNIT *)(copies_bytes + args.to_values);
  __global long *restrict tiles = (__global long *)(tiles_bytes + args.first);
  __global const S_STARTS *restrict indptr = (__global const S_STARTS *)(indptr_bytes + args.indptr);
  __global const S_GIVEN *restrict column = (__global const S_GIVEN *)(indices_bytes + args.indices);
  __global const S_UNIT *restrict values = (__global const S_UNIT *)(values_bytes + args.values);
  __local weft_found ends;
  __local uint marks[WORDS], all;
  const uint thread = (uint)get_local_id(0), threads = (uint)get_local_size(0);
  const ulong block = get_group_id(0), blocks = get_num_groups(0);
  const ulong begin = min(block * threads * args.chunk, (ulong)args.elements);
  const ulong end = min(begin + threads * args.chunk, (ulong)args.elements);
  const ulong part = args.rows / blocks + 1, some = args.tiles / blocks + 1;
  uint flags = 0;
  if (thread == 0) all = 0;
  // the last threads wait for one load after the other; meanwhile the others copy
  for (ulong t = threads - 1 - thread; t < some && block * some + t <= args.tiles; t += threads)
    tiles[block * some + t] = (long)weft_rows_before(indptr, args.rows, (block * some + t) * args.tile);
  COPY_BLOCK(S_UNIT, copies, values)
  for (ulong r = block * part + thread; r < min((block + 1) * part, args.rows + 1ul); r += threads) {
    const long at = (long)indptr[r];
    const bool rises = r == args.rows ? at == (long)args.elements : (long)indptr[r + 1] >= at;
    starts[r] = (S_INDEX)at;
    if (!rises || (r == 0 && at != 0)) flags |= IS_BAD;
  }
  weft_block_marks(marks, &ends, indptr, args.rows, begin, end);
  ulong behind = begin; // the elements that are done
  if (sizeof(S_GIVEN) == sizeof(S_INDEX) && (((ulong)(to + begin) | (ulong)(column + begin)) & 15) == 0) {
    const uint words = (uint)(end - begin) / S_WIDE;
    behind += words * S_WIDE;
    for (uint w = thread; w < words; w += CHECKED_AHEAD * threads) {
      weft_indices here[CHECKED_AHEAD];
      long before[CHECKED_AHEAD];
#pragma unroll
      for (uint e = 0; e < CHECKED_AHEAD; e++) {
        const uint at = min(w + e * threads, words - 1);
        WEFT_SPLIT(S_RAW, here[e].word, ((__global const S_RAW *)(column + begin))[at])
        before[e] = (long)column[max(begin + at * S_WIDE, 1ul) - 1];
      }
#pragma unroll
      for (uint e = 0; e < CHECKED_AHEAD; e++) {
        const uint at = w + e * threads;
        if (at >= words) continue;
        ((__global S_RAW *)(to + begin))[at] = WEFT_WHOLE(S_RAW, here[e].word);
        const uint bits = marks[at * S_WIDE / 32] >> at * S_WIDE % 32;
#pragma unroll
        for (uint k = 0; k < S_WIDE; k++) {
          flags |= FLAGS_OF((long)here[e].e[k], before[e], bits >> k);
          before[e] = (long)here[e].e[k];
        }
      }
    }
  }
  for (ulong i = behind + thread; i < end; i += threads) {
    const long here = (long)column[i];
    to[i] = (S_INDEX)here;
    flags |= FLAGS_OF(here, (long)column[max(i, 1ul) - 1], marks[(i - begin) / 32] >> (i - begin) % 32);
  }
  if (flags) atomic_or(&all, flags);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (thread == 0) (found_bytes + args.found)[block] = (uchar)all;
}
