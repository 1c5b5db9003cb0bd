// SPDX-License-Identifier: MIT
// Triangles: the solve with a diagonal block, zeros on a diagonal.
// lint: -DWEFT_LINT=1 -DWEFT_BLOCK=64
// lint: -DWEFT_LINT=1 -DWEFT_BLOCK=1 -DCOMPLEX=1
#define COLUMNS (LA_SIDE < 16 ? 8 : 32) // of B that a group solves
#include "linalg/triangle.clh"

// Solves T X = B in place, T args.m x args.m with args.m <= LA_SIDE, B args.m x args.n.
//   x: T, with its strides exchanged if it is transposed; y: B
//   flags: REVERSE (T, after that exchange, is upper), UNIT, CONJUGATE
// An upper triangle is a lower one from the last row to the first; rows beyond m are the identity's.

#if WEFT_BLOCK == 1

__kernel void weft_triangle_solve(const weft__block_args args, __global uchar *ts, __global uchar *bs) {
  NUM t[LA_SIDE * LA_SIDE];
  const uint m = (uint)args.m;
  const ulong batch = get_group_id(0) / args.chunks, chunk = get_group_id(0) % args.chunks;
  const bool reverse = (args.flags & WEFT__BLOCK_REVERSE) != 0, unit = (args.flags & WEFT__BLOCK_UNIT) != 0;
  __global const NUM *x = part_of(ts, args.x, batch);
  for (uint i = 0; i < LA_SIDE; i++)
    for (uint j = 0; j <= i; j++) t[i * LA_SIDE + j] = la_triangle_at(x, &args, i, j);
  const long row = reverse ? -args.y.row : args.y.row;
  for (ulong column = chunk; column < args.n; column += args.chunks) {
    __global NUM *b = part_of(bs, args.y, batch) + (long)column * args.y.column;
    if (reverse) b += (long)(m - 1) * args.y.row;
    for (uint begin = 0; begin < m; begin += STEP) {
      NUM v[STEP];
      for (uint r = 0; r < STEP; r++) v[r] = begin + r < m ? b[(long)(begin + r) * row] : of_real(0);
      for (uint k = 0; k < begin; k++) {
        const NUM known = b[(long)k * row];
        for (uint r = 0; r < STEP; r++) v[r] = mul_add(-t[(begin + r) * LA_SIDE + k], known, v[r]);
      }
      for (uint r = 0; r < STEP; r++) {
        if (!unit) v[r] = divide(v[r], t[(begin + r) * LA_SIDE + begin + r]);
        for (uint s = r + 1; s < STEP; s++) v[s] = mul_add(-t[(begin + s) * LA_SIDE + begin + r], v[r], v[s]);
      }
      for (uint r = 0; r < STEP; r++)
        if (begin + r < m) b[(long)(begin + r) * row] = v[r];
    }
  }
}

#else

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_triangle_solve(const weft__block_args args, __global uchar *ts, __global uchar *bs) {
  __local NUM t[PACKED(LA_SIDE)], v[LA_SIDE * PITCH], inverses[LA_SIDE * STEP], known[STEP * PITCH];
  __local uint plain[LA_SIDE / STEP];
  const uint thread = (uint)get_local_id(0), m = (uint)args.m;
  const ulong batch = get_group_id(0) / args.chunks, chunk = get_group_id(0) % args.chunks;
  const bool reverse = (args.flags & WEFT__BLOCK_REVERSE) != 0;
  /* neighbouring threads take neighbouring elements */
  const bool by_row = args.y.row == 1;
  __global const NUM *x = part_of(ts, args.x, batch);
  la_load_triangle(t, x, &args, 0);
  for (uint e = thread; e < LA_SIDE / STEP; e += WEFT_BLOCK) plain[e] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  la_invert(t, inverses, plain);
  for (ulong first = chunk * COLUMNS; first < args.n; first += args.chunks * COLUMNS) {
    const uint columns = (uint)min((ulong)COLUMNS, args.n - first);
    __global NUM *b = part_of(bs, args.y, batch) + (long)first * args.y.column;
    for (uint e = thread; e < LA_SIDE * COLUMNS; e += WEFT_BLOCK) {
      const uint i = by_row ? e % LA_SIDE : e / COLUMNS, j = by_row ? e / LA_SIDE : e % COLUMNS;
      const long row = reverse ? (long)m - 1 - i : i;
      v[i * PITCH + j] = i < m && j < columns ? b[row * args.y.row + (long)j * args.y.column] : of_real(0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    la_solve(t, v, inverses, plain, known, m);
    for (uint e = thread; e < LA_SIDE * COLUMNS; e += WEFT_BLOCK) {
      const uint i = by_row ? e % LA_SIDE : e / COLUMNS, j = by_row ? e / LA_SIDE : e % COLUMNS;
      const long row = reverse ? (long)m - 1 - i : i;
      if (i < m && j < columns) b[row * args.y.row + (long)j * args.y.column] = v[i * PITCH + j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

#endif

// The 1-based place of the first zero on the diagonal, args.m elements; 0: none. One group for each matrix.
//   x: the matrix; infos: i32, contiguous, at y.offset. With WEFT__BLOCK_BROKEN the first element that is not finite,
//   in matrices whose info is 0
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_triangle_zero(const weft__block_args args, __global uchar *memory, __global uchar *infos) {
  __local uint first[WEFT_BLOCK];
  const uint thread = (uint)get_local_id(0);
  const ulong batch = get_group_id(0);
  __global const NUM *x = part_of(memory, args.x, batch);
  __global int *info = (__global int *)(infos + args.y.offset) + batch;
  const int is_broken = (args.flags & WEFT__BLOCK_BROKEN) != 0;
  uint place = 0xffffffffu;
  for (ulong i = thread; i < args.m; i += WEFT_BLOCK) {
    const NUM element = x[(long)i * (args.x.row + args.x.column)];
    if (place == 0xffffffffu && (is_broken ? !is_finite(element) : is_zero(element))) place = (uint)i;
  }
  first[thread] = place;
  for (uint d = WEFT_BLOCK / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < d) first[thread] = min(first[thread], first[thread + d]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (thread == 0 && !(is_broken && *info)) *info = first[0] == 0xffffffffu ? 0 : (int)first[0] + 1;
}
