// SPDX-License-Identifier: MIT
// What Jacobi rotations (jacobi.cl) begin with. A large group has a matrix.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DWEFT_BLOCK=1 -DCOMPLEX=1
#include "linalg/block.clh"

#define HERMITIAN WEFT__BLOCK_HERMITIAN
#define AHEAD 8                                         // loads in flight
#define ROW_THREADS (WEFT_BLOCK < 32 ? WEFT_BLOCK : 32) // of a group, that read a row together
#define SHARES (WEFT_BLOCK < 4 ? 1 : 4)                 // of a column, whose sums are taken at the same time
#define SHARE_THREADS (WEFT_BLOCK / SHARES)

// A pass over x: its largest element and whether one is not finite (wrong > 0) are found, or y is stored as below.
WEFT_INLINE void pass_over(const weft__block_args *args, REAL *largest, REAL *wrong, const bool stores, REAL by,
                           __global const NUM *x, __global NUM *y) {
  const bool hermitian = (args->flags & HERMITIAN) != 0, conjugates = (args->flags & WEFT__BLOCK_CONJUGATE) != 0;
  /* threads beside each other load elements beside each other: x may be a transposed view */
  const bool turned = args->x.row < args->x.column;
  const long x_row = turned ? args->x.column : args->x.row, x_column = turned ? args->x.row : args->x.column;
  const long y_row = turned ? args->y.column : args->y.row, y_column = turned ? args->y.row : args->y.column;
  const ulong rows = turned ? args->n : args->m, columns = turned ? args->m : args->n;
  const uint thread = (uint)get_local_id(0);
  for (ulong i = thread / ROW_THREADS; i < rows; i += WEFT_BLOCK / ROW_THREADS) {
    const ulong first = hermitian && turned ? i : 0, end = hermitian && !turned ? i + 1 : columns;
    for (ulong begin = first + thread % ROW_THREADS; begin < end; begin += AHEAD * ROW_THREADS) {
      NUM value[AHEAD];
#pragma unroll
      for (uint e = 0; e < AHEAD; e++)
        value[e] = x[(long)i * x_row + (long)min(begin + e * ROW_THREADS, end - 1) * x_column];
#pragma unroll
      for (uint e = 0; e < AHEAD; e++) {
        const ulong j = begin + e * ROW_THREADS;
        if (!stores) {
          const REAL size = size_of(value[e]);
          if (!(size < INFINITY)) *wrong = 1;
          *largest = fmax(*largest, size);
        } else if (j < end) {
          const NUM part = hermitian && i == j ? of_real(real_of(value[e])) : value[e];
          const NUM own = (conjugates ? conj_of(part) : part) / by;
          y[(long)i * y_row + (long)j * y_column] = own;
          if (hermitian && i != j) y[(long)j * y_row + (long)i * y_column] = conj_of(own);
        }
      }
    }
  }
}

// y = x / scale, args.m x args.n, where scale is the largest element; conjugated with the flag. HERMITIAN: x is
// Hermitian and only its lower triangle is read. All y are NaN if an x is not finite.
//   x, y; z: scale, REAL, one for each matrix
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_prepare(const weft__block_args args, __global uchar *xs, __global uchar *ys, __global uchar *scales) {
  __local REAL values[WEFT_BLOCK];
  const ulong batch = get_group_id(0);
  __global const NUM *x = part_of(xs, args.x, batch);
  __global NUM *y = part_of(ys, args.y, batch);
  REAL largest = 0, wrong = 0;
  pass_over(&args, &largest, &wrong, false, 1, x, y);
  wrong = combine(wrong, true, values);
  largest = combine(largest, true, values);
  const REAL by = wrong > 0 ? (REAL)NAN : largest > 0 ? largest : 1;
  pass_over(&args, &largest, &wrong, true, by, x, y);
  if (get_local_id(0) == 0) ((__global REAL *)(scales + args.z.offset))[batch] = by;
}

// Adds a shift to the diagonal of a Hermitian x, args.m x args.m. The largest sum of sizes in a row of y = x x is at
// least the square of the largest eigenvalue, and close to it. Where z is 0 the shift makes a semidefinite x definite;
// else it makes any x so. Rounding errors are relative to the shift and x.
//   z: i32, one for each matrix
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_shift(const weft__block_args args, __global uchar *xs, __global uchar *ys, __global uchar *zs) {
  __local REAL values[WEFT_BLOCK];
  const uint thread = (uint)get_local_id(0);
  const ulong batch = get_group_id(0);
  __global NUM *x = part_of(xs, args.x, batch);
  __global const NUM *y = part_of(ys, args.y, batch);
  REAL largest = 0;
  for (ulong begin = 0; begin < args.m; begin += SHARE_THREADS) { // y is Hermitian too: columns, loaded side by side
    const ulong j = begin + thread % SHARE_THREADS, column = min(j, args.m - 1);
    REAL sum = 0;
#pragma unroll 16
    for (ulong i = thread / SHARE_THREADS; i < args.m; i += SHARES)
      sum += length_of(y[(long)i * args.y.row + (long)column]);
    barrier(CLK_LOCAL_MEM_FENCE);
    values[thread] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0;
    for (uint k = 0; k < SHARES; k++) sum += values[k * SHARE_THREADS + thread % SHARE_THREADS];
    if (j < args.m) largest = fmax(largest, sum);
  }
  largest = combine(largest, true, values);
  const bool is_large = ((__global const int *)(zs + args.z.offset))[batch] != 0;
  const REAL shift = largest > 0 ? (is_large ? K(1.0625) : EPSILON * (REAL)args.m) * sqrt(largest) : 1;
  for (ulong i = thread; i < args.m; i += WEFT_BLOCK) x[(long)i * (args.x.row + 1)] += of_real(shift);
}
