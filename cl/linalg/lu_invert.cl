// SPDX-License-Identifier: MIT
// Inverts the diagonal blocks of L and U, LA_SIDE rows each. A group inverts COLUMNS columns of a block.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DCOMPLEX=1
#define COLUMNS (LA_SIDE < 16 ? 8 : 32)
#include "linalg/triangle.clh"

#define SHARES ((LA_SIDE + COLUMNS - 1) / COLUMNS) // groups of a block

// args.chunks groups for each L and each U: SHARES for each block.
//   m: rows; x: L and U in one, as factored; y: for each matrix the inverse of L, then of U, 0 outside of the blocks
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_lu_invert(const weft__block_args args, __global uchar *memory, __global uchar *ys) {
  __local NUM t[PACKED(LA_SIDE)], v[LA_SIDE * PITCH], inverses[LA_SIDE * STEP], known[STEP * PITCH];
  __local uint plain[LA_SIDE / STEP];
  const uint thread = (uint)get_local_id(0), n = (uint)args.m, share = (uint)(get_group_id(0) % args.chunks) % SHARES;
  const uint first = (uint)(get_group_id(0) % args.chunks) / SHARES * LA_SIDE, m = min((uint)LA_SIDE, n - first);
  const ulong factor = get_group_id(0) / args.chunks;
  const bool is_upper = factor % 2 != 0;
  weft__block_args block = args;
  block.m = m;
  block.flags = is_upper ? WEFT__BLOCK_REVERSE : WEFT__BLOCK_UNIT;
  la_load_triangle(t, part_of(memory, args.x, factor / 2) + (long)first * (args.x.row + args.x.column), &block, 0);
  for (uint e = thread; e < LA_SIDE / STEP; e += WEFT_BLOCK) plain[e] = 0;
  for (uint e = thread; e < LA_SIDE * COLUMNS; e += WEFT_BLOCK)
    v[e / COLUMNS * PITCH + e % COLUMNS] = of_real(e / COLUMNS == share * COLUMNS + e % COLUMNS ? 1 : 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  la_invert(t, inverses, plain);
  la_solve(t, v, inverses, plain, known, m);
  __global NUM *y = part_of(ys, args.y, factor) + (long)first * args.y.row;
  for (uint i = 0; i < m; i++)
    for (uint j = share * WEFT_BLOCK + thread; j < n; j += SHARES * WEFT_BLOCK)
      if (j < first || j >= first + m) y[(long)i * args.y.row + (long)j * args.y.column] = of_real(0);
  for (uint e = thread; e < LA_SIDE * COLUMNS; e += WEFT_BLOCK) {
    const uint i = e / COLUMNS, j = share * COLUMNS + e % COLUMNS;
    if (i < m && j < m)
      y[(long)(is_upper ? m - 1 - i : i) * args.y.row + (long)(first + (is_upper ? m - 1 - j : j)) * args.y.column] =
          v[i * PITCH + e % COLUMNS];
  }
}

// Exchanges the columns of a matrix as LU's rows were exchanged, from the last pivot to the first: z has x's columns.
// A group has WEFT_BLOCK columns of every args.first-th row.
//   m: rows and columns; y: pivots; chunks: args.first groups for each WEFT_BLOCK columns
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_lu_columns(const weft__block_args args, __global const uchar *xs, __global const uchar *pivots,
                     __global uchar *zs) {
  const ulong batch = get_group_id(0) / args.chunks, chunk = get_group_id(0) % args.chunks;
  const int n = (int)args.m, column = (int)(chunk / args.first) * WEFT_BLOCK + (int)get_local_id(0);
  __global const int *pivot = (__global const int *)(pivots + args.y.offset) + (long)batch * args.y.batch;
  __global const NUM *x = part_of((weft_bytes)xs, args.x, batch);
  __global NUM *z = part_of(zs, args.z, batch);
  int from = column;
#pragma unroll 8
  for (int i = 0; i < n; i++) {
    const int other = pivot[i];
    from = from == i ? other : from == other ? i : from;
  }
  if (column >= n) return;
#pragma unroll 4
  for (ulong i = chunk % args.first; i < args.m; i += args.first)
    z[(long)i * args.z.row + (long)column * args.z.column] = x[(long)i * args.x.row + (long)from * args.x.column];
}
