// SPDX-License-Identifier: MIT
// Triangles: the solve with a diagonal block, zeros on a diagonal, copies of a triangle.
// lint: -DWEFT_LINT=1 -DWEFT_BLOCK=64
// lint: -DWEFT_LINT=1 -DWEFT_BLOCK=1 -DLA_COMPLEX=1
#include "linalg/block.clh"

#define STEP 8 // rows solved together; LA_SIDE is a multiple

// Solves T X = B in place, T args.m x args.m with args.m <= LA_SIDE, B args.m x args.n. Each thread has a column of B.
//   x: T, with its strides exchanged if it is transposed; y: B
//   flags: REVERSE (T, after that exchange, is upper), UNIT, CONJUGATE
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_triangle_solve(const weft__block_args args, __global uchar *ts, __global uchar *bs) {
  __local T t[LA_SIDE * LA_SIDE];
  const uint thread = (uint)get_local_id(0), m = (uint)args.m;
  const ulong batch = get_group_id(0) / args.chunks, chunk = get_group_id(0) % args.chunks;
  const bool reverse = (args.flags & WEFT__BLOCK_REVERSE) != 0, unit = (args.flags & WEFT__BLOCK_UNIT) != 0;
  __global const T *x = la_part(ts, args.x, batch);
  /* an upper triangle is a lower one from the last row to the first; rows beyond m are those of the identity */
  for (uint e = thread; e < LA_SIDE * LA_SIDE; e += WEFT_BLOCK) {
    const uint i = e / LA_SIDE, j = e % LA_SIDE;
    T value = la_from_real(i == j ? 1 : 0);
    if (i < m && j <= i && !(unit && i == j)) {
      const long row = reverse ? m - 1 - i : i, column = reverse ? m - 1 - j : j;
      value = x[row * args.x.row + column * args.x.column];
      if (args.flags & WEFT__BLOCK_CONJUGATE) value = la_conj(value);
    }
    t[e] = value;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const long row = reverse ? -args.y.row : args.y.row;
  for (ulong column = chunk * WEFT_BLOCK + thread; column < args.n; column += args.chunks * WEFT_BLOCK) {
    __global T *b = la_part(bs, args.y, batch) + (long)column * args.y.column + (reverse ? (long)(m - 1) * args.y.row : 0);
    for (uint begin = 0; begin < m; begin += STEP) {
      T v[STEP];
#pragma unroll
      for (uint r = 0; r < STEP; r++) v[r] = begin + r < m ? b[(long)(begin + r) * row] : la_from_real(0);
      for (uint k = 0; k < begin; k++) {
        const T known = b[(long)k * row];
#pragma unroll
        for (uint r = 0; r < STEP; r++) v[r] = la_sub_product(v[r], t[(begin + r) * LA_SIDE + k], known);
      }
#pragma unroll
      for (uint r = 0; r < STEP; r++) {
        if (!unit) v[r] = la_div(v[r], t[(begin + r) * LA_SIDE + begin + r]);
#pragma unroll
        for (uint s = r + 1; s < STEP; s++) v[s] = la_sub_product(v[s], t[(begin + s) * LA_SIDE + begin + r], v[r]);
      }
#pragma unroll
      for (uint r = 0; r < STEP; r++)
        if (begin + r < m) b[(long)(begin + r) * row] = v[r];
    }
  }
}

// The 1-based place of the first zero on the diagonal, args.m elements; 0: none. One group for each matrix.
//   x: the matrix; infos: i32, contiguous, at y.offset
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_triangle_zero(const weft__block_args args, __global uchar *memory, __global uchar *infos) {
  __local uint first[WEFT_BLOCK];
  const uint thread = (uint)get_local_id(0);
  const ulong batch = get_group_id(0);
  __global const T *x = la_part(memory, args.x, batch);
  uint place = 0xffffffffu;
  for (ulong i = thread; i < args.m; i += WEFT_BLOCK)
    if (place == 0xffffffffu && la_is_zero(x[(long)i * (args.x.row + args.x.column)])) place = (uint)i;
  first[thread] = place;
  for (uint d = WEFT_BLOCK / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < d) first[thread] = min(first[thread], first[thread + d]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (thread == 0) ((__global int *)(infos + args.y.offset))[batch] = first[0] == 0xffffffffu ? 0 : (int)first[0] + 1;
}

// y[i][j] = x[i][j] in the lower triangle (flag UPPER: the upper one; UNIT: with a diagonal of 1), 0 elsewhere,
// args.m x args.n. y may be x.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_triangle_take(const weft__block_args args, __global uchar *xs, __global uchar *ys) {
  const ulong batch = get_group_id(0) / args.chunks, chunk = get_group_id(0) % args.chunks;
  __global const T *x = la_part(xs, args.x, batch);
  __global T *y = la_part(ys, args.y, batch);
  const bool upper = (args.flags & WEFT__BLOCK_UPPER) != 0;
  for (ulong e = chunk * WEFT_BLOCK + get_local_id(0); e < args.m * args.n; e += args.chunks * WEFT_BLOCK) {
    const ulong i = e / args.n, j = e % args.n;
    const bool keeps = upper ? j >= i : j <= i;
    const bool is_one = i == j && (args.flags & WEFT__BLOCK_UNIT) != 0;
    y[(long)i * args.y.row + (long)j * args.y.column] =
        is_one ? la_from_real(1) : keeps ? x[(long)i * args.x.row + (long)j * args.x.column] : la_from_real(0);
  }
}
