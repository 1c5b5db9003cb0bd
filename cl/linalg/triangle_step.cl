// SPDX-License-Identifier: MIT
// One step of a triangular solve with few right-hand sides: the next LA_SIDE rows of X, and what they take from the
// rows of B below, in one launch. Each group solves the rows of X again, which costs less than a launch.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DCOMPLEX=1
#define COLUMNS 8 // of B, at most
#include "linalg/triangle.clh"

#define SHARERS (WEFT_BLOCK / LA_SIDE) // threads that share a row of T
#define EACH (LA_SIDE / SHARERS)       // elements of a thread

// T X = B, T args.m x args.m, B args.m x args.n, at the row args.first. Group 0 of args.chunks stores the rows of X,
// group k changes the k-th following block of rows of B.
//   x: T, with its strides exchanged if it is transposed; y: B; z: X
//   flags: REVERSE (T, after that exchange, is upper), UNIT, CONJUGATE
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_triangle_step(const weft__block_args args, __global uchar *ts, __global uchar *bs, __global uchar *xs) {
  __local NUM t[PACKED(LA_SIDE)], v[LA_SIDE * PITCH], inverses[LA_SIDE * STEP], known[STEP * PITCH], sums[WEFT_BLOCK];
  const uint thread = (uint)get_local_id(0), m = (uint)args.m, n = (uint)args.n, first = (uint)args.first;
  const ulong batch = get_group_id(0) / args.chunks;
  const uint chunk = (uint)(get_group_id(0) % args.chunks);
  const bool reverse = (args.flags & WEFT__BLOCK_REVERSE) != 0;
  const uint row = first + chunk * LA_SIDE + thread / SHARERS, sharer = thread % SHARERS;
  __global const NUM *x = part_of(ts, args.x, batch);
  __global NUM *b = part_of(bs, args.y, batch), *solution = part_of(xs, args.z, batch);
  NUM right[EACH]; /* of T, loaded while the rows of X are found */
#pragma unroll
  for (uint e = 0; e < EACH; e++) {
    const uint column = first + e * SHARERS + sharer;
    right[e] = chunk > 0 && row < m ? la_triangle_at(x, &args, row, column) : of_real(0);
  }
  for (uint e = thread; e < LA_SIDE * LA_SIDE; e += WEFT_BLOCK)
    if (e % LA_SIDE <= e / LA_SIDE)
      t[PACKED(e / LA_SIDE) + e % LA_SIDE] = la_triangle_at(x, &args, first + e / LA_SIDE, first + e % LA_SIDE);
  for (uint e = thread; e < LA_SIDE * COLUMNS; e += WEFT_BLOCK) {
    const uint i = first + e / COLUMNS, j = e % COLUMNS;
    const long from = reverse ? (long)m - 1 - i : i;
    v[e / COLUMNS * PITCH + j] = i < m && j < n ? b[from * args.y.row + (long)j * args.y.column] : of_real(0);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  la_solve(t, v, inverses, known, min((uint)LA_SIDE, m - first));
  for (uint e = thread; chunk == 0 && e < LA_SIDE * COLUMNS; e += WEFT_BLOCK) {
    const uint i = first + e / COLUMNS, j = e % COLUMNS;
    const long to = reverse ? (long)m - 1 - i : i;
    if (i < m && j < n) solution[to * args.z.row + (long)j * args.z.column] = v[e / COLUMNS * PITCH + j];
  }
  for (uint j = 0; j < n; j++) {
    NUM sum = of_real(0);
#pragma unroll
    for (uint e = 0; e < EACH; e++) sum = mul_add(right[e], v[(e * SHARERS + sharer) * PITCH + j], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[thread] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (sharer == 0 && chunk > 0 && row < m) {
#pragma unroll
      for (uint s = 1; s < SHARERS; s++) sum += sums[thread + s];
      const long to = reverse ? (long)m - 1 - row : row;
      b[to * args.y.row + (long)j * args.y.column] -= sum;
    }
  }
}
