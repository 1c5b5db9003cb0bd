// SPDX-License-Identifier: MIT
// LU factorizations of small matrices with partial pivoting, alone or with the solution of systems; the solution of
// systems from LU factors; triangular systems. Rows are updated by one thread each.
//
// Kernels: weft_small_getrf (the matrices; pivots; info), weft_small_gesv (the right-hand sides; the matrices, which
// are overwritten; info), weft_small_getrs (right-hand sides; LU; pivots), weft_small_trsm (right-hand sides; T; info).
// Macros: linalg/team.clh, and:
//   WHICH  0 getrf, 1 gesv, 2 getrs, 3 trsm: the kernel to compile
//   RIGHT  right-hand sides that have room in local memory
// lint: -DREAL=float -DCOMPLEX=0 -DTEAM=8 -DTEAMS=8 -DLOCAL=1 -DSIDE=8 -DRIGHT=1 -DWHICH=0
// lint: -DREAL=float -DCOMPLEX=1 -DTEAM=32 -DTEAMS=2 -DLOCAL=1 -DSIDE=32 -DRIGHT=8 -DWHICH=1
// lint: -DREAL=float -DCOMPLEX=1 -DTEAM=32 -DTEAMS=2 -DLOCAL=1 -DSIDE=32 -DRIGHT=8 -DWHICH=2
// lint: -DREAL=double -DDOUBLE=1 -DTEAM=1 -DTEAMS=1 -DLOCAL=0 -DSIDE=1 -DRIGHT=1 -DWHICH=3 -DWEFT_FP64=1
#ifdef WEFT_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF
#if TEAM > 1
#define TOGETHER 8
#endif
#include "linalg/team.clh"

#if LOCAL
#define LDB(columns) (RIGHT | 1)
#define RIGHT_CELLS (SIDE * (RIGHT | 1))
#else
#define LDB(columns) (columns)
#endif

// Teams within a warp compare their rows' elements by an exchange; a search by each thread waits for memory.
#if defined(cl_nv_pragma_unroll) && TEAM > 1 && TEAM <= 32 && !DOUBLE
#define EXCHANGES_PIVOTS 1
WEFT_INLINE uint of_lane(uint value, uint apart) {
  uint other;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(other) : "r"(value), "r"(apart));
  return other;
}
#endif

// The row of the largest element of column k, from row k on. On CPUs the number is found first, several elements at
// once.
WEFT_INLINE int pivot_of(SPACE const CELL *a, int ld, int k, int rows, int lane) {
#ifdef EXCHANGES_PIVOTS
  uint most = lane >= k && lane < rows ? (uint)size_key(GET(a, lane * ld + k)) + 1 : 0, row = (uint)lane;
#pragma unroll
  for (uint apart = 1; apart < TEAM; apart *= 2) {
    const uint size = of_lane(most, apart), of_row = of_lane(row, apart);
    const bool is_more = size > most || (size == most && of_row < row);
    most = is_more ? size : most;
    row = is_more ? of_row : row;
  }
  return (int)row;
#else
  SIZE_KEY best = -1;
  int at = k;
#if TEAM == 1
  SIZE_KEY most[4] = {-1, -1, -1, -1};
  int from = k;
  for (; from + 4 <= rows; from += 4)
#pragma unroll
    for (int e = 0; e < 4; e++) {
      const SIZE_KEY size = size_key(GET(a, (from + e) * ld + k));
      most[e] = size > most[e] ? size : most[e];
    }
  for (; from < rows; from++) most[0] = max(most[0], size_key(GET(a, from * ld + k)));
  best = max(max(most[0], most[1]), max(most[2], most[3]));
  while (at + 1 < rows && size_key(GET(a, at * ld + k)) != best) at++;
  return at;
#else
  for (int i = k; i < rows; i++) {
    const SIZE_KEY size = size_key(GET(a, i * ld + k));
    if (size > best) {
      best = size;
      at = i;
    }
  }
  return at;
#endif
#endif
}

WEFT_INLINE void swap_rows(SPACE CELL *a, int ld, int i, int k, int columns, int lane) {
  for (int j = lane; j < columns; j += TEAM) {
    const NUM kept = GET(a, i * ld + j);
    PUT(a, i * ld + j, GET(a, k * ld + j));
    PUT(a, k * ld + j, kept);
  }
}

// row i of x -= factor * row k, from `first` on
WEFT_INLINE void subtract_row(SPACE CELL *x, int ld, int i, int k, NUM factor, int first, int columns) {
  const NUM minus = -factor;
  int j = first;
#if TEAM == 1 && !COMPLEX && !LOCAL
  for (; j + 16 <= columns; j += 16)
    vstore16(fma((REAL16)(minus), vload16(0, x + k * ld + j), vload16(0, x + i * ld + j)), 0, x + i * ld + j);
#endif
  for (; j + TOGETHER <= columns; j += TOGETHER) {
    NUM sum[TOGETHER];
#pragma unroll
    for (int e = 0; e < TOGETHER; e++) sum[e] = mul_add(minus, GET(x, k * ld + j + e), GET(x, i * ld + j + e));
#pragma unroll
    for (int e = 0; e < TOGETHER; e++) PUT(x, i * ld + j + e, sum[e]);
  }
  for (; j < columns; j++) PUT(x, i * ld + j, mul_add(minus, GET(x, k * ld + j), GET(x, i * ld + j)));
}

// Right-looking LU with partial pivoting in `steps` columns of a, and the same steps on `right` right-hand sides.
// Returns the place of the first pivot that is 0, from 1, or 0. `pivot`: where lane 0 stores the pivots, or NULL.
// `whole`: rows are updated from a multiple of it on, over elements of L that nobody needs.
WEFT_INLINE int eliminate(SPACE CELL *a, int ld, SPACE CELL *b, int ldb, int right, int steps, int rows, int columns,
                          __global int *pivot, int whole, int lane) {
  int failed = 0;
  for (int k = 0; k < steps; k++) {
    const int at = pivot_of(a, ld, k, rows, lane);
    SYNC
    if (at != k) {
      swap_rows(a, ld, at, k, columns, lane);
      swap_rows(b, ldb, at, k, right, lane);
    }
    if (pivot && lane == 0) pivot[k] = at;
    SYNC
    const NUM d = GET(a, k * ld + k);
    failed = (is_zero(d) & (failed == 0)) ? k + 1 : failed; // set in no arm of a branch: docs/drivers.md
    for (int i = k + 1 + lane; i < rows; i += TEAM) {
      const NUM x = GET(a, i * ld + k), factor = is_zero(d) ? x : divide(x, d);
      if (whole == 1) PUT(a, i * ld + k, factor); // else the update would wait for it
      subtract_row(a, ld, i, k, factor, (k + 1) / whole * whole, columns);
      subtract_row(b, ldb, i, k, factor, 0, right);
    }
    SYNC
  }
  return failed;
}

// In a kernel with right-hand sides: the memory of its teams; in its loop the unit's matrix and right-hand sides, the
// first column and the number of these, and both in the memory where they are worked on.
#if LOCAL
#define SIDES_MEMORY \
  TEAM_MEMORY \
  __local NUM side_cells[TEAMS * RIGHT_CELLS];
#define SIDES_LOADED TEAM_LOADED __local NUM *b = side_cells + team * RIGHT_CELLS;
#else
#define SIDES_MEMORY
#define SIDES_LOADED TEAM_LOADED __global REAL *b = all_sides;
#endif
#define SIDES_PLACE \
  TEAM_PLACE \
  const int n = args.rows, ld = LD(n), ldb = LDB(args.others);
#define SIDES_UNIT(sides, matrices) \
  const ulong matrix = unit / args.chunks; \
  const int here = matrix < args.batch, each = (args.others + (int)args.chunks - 1) / (int)args.chunks; \
  const int first = (int)(unit % args.chunks) * each, right = here ? max(0, min(each, args.others - first)) : 0; \
  const int rows = here ? n : 0; \
  __global REAL *whole = GLOBAL_REALS(matrices, 1, n * n), *all_sides = GLOBAL_REALS(sides, 0, n * args.others); \
  SIDES_LOADED

#if LOCAL
#define LOAD_RIGHT(b, whole, n) \
  for (int i = 0; i < rows; i++) \
    for (int c = lane; c < right; c += TEAM) b[i * ldb + c] = GLOBAL_GET(whole, i * args.others + first + c);
#define STORE_RIGHT(b, whole, n) \
  for (int i = 0; i < rows; i++) \
    for (int c = lane; c < right; c += TEAM) GLOBAL_PUT(whole, i * args.others + first + c, b[i * ldb + c]);
#else
#define LOAD_RIGHT(b, whole, n)
#define STORE_RIGHT(b, whole, n)
#endif

#if WHICH == 0
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void weft_small_getrf(const weft__small_args args, __global uchar *matrices, __global uchar *pivots,
                      __global uchar *info) {
  TEAM_MEMORY
  TEAM_PLACE
  const int m = args.rows, n = args.columns, ld = LD(n), steps = min(m, n);
  TEAM_LOOP(args.batch) {
    const ulong matrix = unit;
    const int here = matrix < args.batch, rows = here ? m : 0, columns = here ? n : 0;
    __global REAL *whole = GLOBAL_REALS(matrices, 0, m * n);
    __global int *pivot = GLOBAL_INTS(pivots, 1, steps);
    TEAM_LOADED
    SYNC
    const int failed = eliminate(a, ld, a, ld, 0, steps, rows, columns, here ? pivot : 0, 1, lane);
    STORE_SYNC
#if LOCAL
    store_matrix(whole, a, rows, n, lane);
#endif
    if (lane == 0 && here) *GLOBAL_INTS(info, 2, 1) = failed;
    SYNC
  }
}
#endif

// Solves with a triangle whose element (i, j) is at i * down + j * across; forwards or backwards through the rows.
WEFT_INLINE void solve_triangle(SPACE CELL *b, int ldb, SPACE const CELL *t, int down, int across, int forward,
                                int unit, int conjugate, int n, int rows, int right, int lane) {
  for (int step = 0; step < n; step++) {
    const int k = forward ? step : n - 1 - step;
    if (!unit && rows > 0) {
      NUM d = GET(t, k * (down + across));
      if (conjugate) d = conj_of(d);
      for (int c = lane; c < right; c += TEAM) PUT(b, k * ldb + c, divide(GET(b, k * ldb + c), d));
    }
    SYNC
    const int begin = forward ? k + 1 : 0, end = rows > 0 ? (forward ? n : k) : 0;
    for (int i = begin + lane; i < end; i += TEAM) {
      const NUM factor = GET(t, i * down + k * across);
      subtract_row(b, ldb, i, k, conjugate ? conj_of(factor) : factor, 0, right);
    }
    SYNC
  }
}

#if WHICH == 1
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void weft_small_gesv(const weft__small_args args, __global uchar *sides, __global uchar *matrices,
                     __global uchar *info) {
  SIDES_MEMORY
  SIDES_PLACE
  TEAM_LOOP(args.batch) {
    SIDES_UNIT(sides, matrices)
    if (args.flags & WEFT__SMALL_IDENTITY) {
      for (int i = 0; i < rows; i++)
        for (int c = lane; c < right; c += TEAM) PUT(b, i * ldb + c, of_real(i == first + c));
    } else {
      LOAD_RIGHT(b, all_sides, n)
    }
    SYNC
    const int failed = eliminate(a, ld, b, ldb, right, n, rows, n, 0, TEAM == 1 ? 16 : TOGETHER, lane);
    solve_triangle(b, ldb, a, ld, 1, 0, 0, 0, n, rows, right, lane);
    STORE_SYNC
    STORE_RIGHT(b, all_sides, n)
    if (lane == 0 && here) *GLOBAL_INTS(info, 2, 1) = failed;
    SYNC
  }
}
#endif

#if WHICH == 2
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void weft_small_getrs(const weft__small_args args, __global uchar *sides, __global uchar *factors,
                      __global uchar *pivots) {
  SIDES_MEMORY
  SIDES_PLACE
  TEAM_LOOP(args.batch) {
    SIDES_UNIT(sides, factors)
    __global const int *pivot = GLOBAL_INTS(pivots, 2, n);
    LOAD_RIGHT(b, all_sides, n)
    SYNC
    for (int k = 0; k < rows; k++) {
      const int at = pivot[k];
      if (at > k && at < n) swap_rows(b, ldb, at, k, right, lane); // a thread's own columns
    }
    SYNC
    solve_triangle(b, ldb, a, ld, 1, 1, 1, 0, n, rows, right, lane);
    solve_triangle(b, ldb, a, ld, 1, 0, 0, 0, n, rows, right, lane);
    STORE_SYNC
    STORE_RIGHT(b, all_sides, n)
    SYNC
  }
}
#endif

#if WHICH == 3
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void weft_small_trsm(const weft__small_args args, __global uchar *sides, __global uchar *triangles,
                     __global uchar *info) {
  SIDES_MEMORY
  SIDES_PLACE
  const int turned = (args.flags & WEFT__SMALL_TRANSPOSE) != 0, upper = (args.flags & WEFT__SMALL_UPPER) != 0;
  TEAM_LOOP(args.batch) {
    SIDES_UNIT(sides, triangles)
    LOAD_RIGHT(b, all_sides, n)
    SYNC
    if ((args.flags & WEFT__SMALL_INFO) && lane == 0 && here) {
      int failed = 0;
      for (int k = n; k > 0 && !(args.flags & WEFT__SMALL_UNIT); k--)
        if (is_zero(GET(a, (k - 1) * (ld + 1)))) failed = k;
      *GLOBAL_INTS(info, 2, 1) = failed;
    }
    solve_triangle(b, ldb, a, turned ? 1 : ld, turned ? ld : 1, upper == turned, (args.flags & WEFT__SMALL_UNIT) != 0,
                   (args.flags & WEFT__SMALL_CONJUGATE) != 0, n, rows, right, lane);
    STORE_SYNC
    STORE_RIGHT(b, all_sides, n)
    SYNC
  }
}
#endif
