// SPDX-License-Identifier: MIT
// LU factorization with partial pivoting: panels of few columns, and exchanges of rows.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DWEFT_BLOCK=1 -DCOMPLEX=1
#include "linalg/block.clh"

// Of two candidates for a pivot the larger, of equal ones the first.
#define BETTER(size, row, other_size, other_row) \
  ((other_size) > (size) || ((other_size) == (size) && (other_row) < (row)))

// Factors a panel of args.m rows and args.n <= LA_SIDE columns. One group for each matrix; each thread has rows of its
// own.
//   x: the panel; y: pivots, i32, at y.offset + batch * y.batch; z: infos, i32, contiguous. Pivots count from row 0 of
//   the matrix, in which the panel begins at row and column args.first
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_lu_panel(const weft__block_args args, __global uchar *memory, __global uchar *pivots, __global uchar *infos) {
  __local SIZE_KEY sizes[WEFT_BLOCK];
  __local uint rows[WEFT_BLOCK];
  __local NUM pivot_row[LA_SIDE];
  const uint thread = (uint)get_local_id(0), m = (uint)args.m, n = (uint)args.n, steps = min(m, n);
  const ulong batch = get_group_id(0);
  __global NUM *x = part_of(memory, args.x, batch);
  __global int *pivot = (__global int *)(pivots + args.y.offset) + (long)batch * args.y.batch;
  __global int *info = (__global int *)(infos + args.z.offset) + batch;
  const long row = args.x.row, column = args.x.column;
  for (uint k = 0; k < steps; k++) {
    SIZE_KEY best = -1;
    uint where = k;
    for (uint i = k + thread; i < m; i += WEFT_BLOCK) {
      const SIZE_KEY size = size_key(x[(long)i * row + (long)k * column]);
      if (BETTER(best, where, size, i)) best = size, where = i;
    }
    sizes[thread] = best;
    rows[thread] = where;
    for (uint d = WEFT_BLOCK / 2; d > 0; d /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (thread < d && BETTER(sizes[thread], rows[thread], sizes[thread + d], rows[thread + d])) {
        sizes[thread] = sizes[thread + d];
        rows[thread] = rows[thread + d];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint p = rows[0];
    for (uint j = thread; j < n; j += WEFT_BLOCK) {
      const NUM upper = x[(long)k * row + (long)j * column], chosen = x[(long)p * row + (long)j * column];
      x[(long)k * row + (long)j * column] = chosen;
      if (p != k) x[(long)p * row + (long)j * column] = upper;
      pivot_row[j] = chosen;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    const NUM diagonal = pivot_row[k];
    if (thread == 0) {
      pivot[k] = (int)(args.first + p);
      if (is_zero(diagonal) && *info == 0) *info = (int)(args.first + k) + 1;
    }
    if (!is_zero(diagonal))
      for (uint i = k + 1 + thread; i < m; i += WEFT_BLOCK) {
        __global NUM *at = x + (long)i * row;
        const NUM l = divide(at[(long)k * column], diagonal);
        at[(long)k * column] = l;
        for (uint j = k + 1; j < n; j++) at[(long)j * column] = mul_add(-l, pivot_row[j], at[(long)j * column]);
      }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
}

#define WIDTH (LA_SIDE < 16 ? 8 : 16) // columns that a group moves at a time

// Exchanges rows args.first + i and pivot[i] of the matrix, for i < args.m, in order. A group moves WIDTH columns of
// the args.n at a time, for LA_SIDE exchanges together: it reads all rows, then writes them.
//   x: the columns, from row 0 of the matrix on; y: pivots, as above, the first at args.first
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_lu_swap(const weft__block_args args, __global uchar *memory, __global const uchar *pivots) {
  __local NUM values[2 * LA_SIDE * WIDTH];
  __local int from[2 * LA_SIDE], to[2 * LA_SIDE], pivot[LA_SIDE];
  const uint thread = (uint)get_local_id(0);
  const ulong batch = get_group_id(0) / args.chunks, chunk = get_group_id(0) % args.chunks;
  __global NUM *x = part_of(memory, args.x, batch);
  __global const int *given = (__global const int *)(pivots + args.y.offset) + (long)batch * args.y.batch;
  for (ulong done = 0; done < args.m; done += LA_SIDE) {
    const uint count = (uint)min((ulong)LA_SIDE, args.m - done);
    const int first = (int)(args.first + done);
    for (uint i = thread; i < count; i += WEFT_BLOCK) pivot[i] = given[done + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    /* where a row's new content comes from: the exchanges backwards. A pivot that occurs twice is written twice */
    for (uint i = thread; i < 2 * count; i += WEFT_BLOCK) {
      int row = i < count ? first + (int)i : pivot[i - count];
      to[i] = row;
      for (int s = (int)count - 1; s >= 0; s--) row = row == first + s ? pivot[s] : row == pivot[s] ? first + s : row;
      from[i] = row;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong begin = chunk * WIDTH; begin < args.n; begin += args.chunks * WIDTH) {
      const uint width = (uint)min((ulong)WIDTH, args.n - begin);
      for (uint e = thread; e < 2 * count * WIDTH; e += WEFT_BLOCK) {
        const uint i = e / WIDTH, j = e % WIDTH;
        if (j < width && from[i] != to[i])
          values[e] = x[(long)from[i] * args.x.row + (long)(begin + j) * args.x.column];
      }
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      for (uint e = thread; e < 2 * count * WIDTH; e += WEFT_BLOCK) {
        const uint i = e / WIDTH, j = e % WIDTH;
        if (j < width && from[i] != to[i]) x[(long)to[i] * args.x.row + (long)(begin + j) * args.x.column] = values[e];
      }
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
  }
}
