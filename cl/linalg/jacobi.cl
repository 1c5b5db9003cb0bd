// SPDX-License-Identifier: MIT
// Jacobi rotations for singular values and eigenvalues of matrices of any size. A round has pairs without a common row;
// a sweep of rounds has every pair once.
//
// Pairs of rows are rotated until all rows are orthogonal (Hestenes 1958). Eigenvalues: the rows are the columns of the
// Cholesky factor of the matrix plus a shift (Veselic and Hari 1989).
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DWEFT_BLOCK=1 -DCOMPLEX=1
#include "linalg/rotate_rows.clh"

#define HERMITIAN WEFT__BLOCK_HERMITIAN

// Makes a row v of x, args.m x args.n, 1 long, and finds its Rayleigh quotient v A v^H from y = x A, which has none of
// the shift's rounding errors. One group for each row.
//   z: the quotients, REAL, args.m for each matrix
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_quotients(const weft__block_args args, __global uchar *xs, __global uchar *ys, __global uchar *zs) {
  __local REAL values[WEFT_BLOCK];
  const ulong batch = get_group_id(0) / args.chunks, i = get_group_id(0) % args.chunks;
  __global NUM *v = part_of(xs, args.x, batch) + (long)i * args.x.row;
  __global const NUM *product = part_of(ys, args.y, batch) + (long)i * args.y.row;
  REAL square = 0, sum = 0;
  for (ulong k = get_local_id(0); k < args.n; k += WEFT_BLOCK) {
    square = square_add(v[k], square);
    sum += real_of(mul(product[k], conj_of(v[k])));
  }
  square = combine(square, false, values);
  sum = combine(sum, false, values);
  for (ulong k = get_local_id(0); k < args.n; k += WEFT_BLOCK) v[k] = v[k] / sqrt(square);
  if (get_local_id(0) == 0) ((__global REAL *)(zs + args.z.offset))[batch * args.m + i] = sum / square;
}

// A rotation of two rows of x, args.m x args.n, and of y, whose rows have args.first elements (0: there is no y).
//   z: i32, contiguous: becomes 1 if a pair was not orthogonal yet
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_rotate(const weft__block_args args, __global uchar *xs, __global uchar *ys, __global uchar *changes) {
  __local REAL values[ROTATE_VALUES];
  const ulong batch = get_group_id(0) / args.chunks, pair = get_group_id(0) % args.chunks;
  la_rotate(&args, args.round, batch, pair, xs, ys, changes, values);
}

// The length of each row of x, args.m x args.n. One group for each row.
//   y: REAL, args.m for each matrix
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_lengths(const weft__block_args args, __global uchar *xs, __global uchar *lengths) {
  __local REAL values[WEFT_BLOCK];
  const ulong batch = get_group_id(0) / args.chunks, i = get_group_id(0) % args.chunks;
  __global const NUM *a = part_of(xs, args.x, batch) + (long)i * args.x.row;
  REAL sum = 0;
  for (ulong k = get_local_id(0); k < args.n; k += WEFT_BLOCK) sum = square_add(a[k], sum);
  sum = combine(sum, false, values);
  if (get_local_id(0) == 0) ((__global REAL *)(lengths + args.y.offset))[batch * args.m + i] = sqrt(sum);
}

// Puts the rows of x into y in the order of their lengths, descending (HERMITIAN: ascending). A row becomes 1 long if
// the flag UNIT is set; it becomes 0 if its length is nothing but rounding errors of the longest.
//   z: lengths; rows of x and y have args.n elements
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_order(const weft__block_args args, __global uchar *xs, __global uchar *ys, __global uchar *lengths) {
  __local REAL values[WEFT_BLOCK];
  const ulong batch = get_group_id(0) / args.chunks, i = get_group_id(0) % args.chunks;
  const bool ascending = (args.flags & HERMITIAN) != 0;
  __global const REAL *length = (__global const REAL *)(lengths + args.z.offset) + batch * args.m;
  const REAL own = length[i];
  REAL before = 0, largest = 0;
  for (ulong k = get_local_id(0); k < args.m; k += WEFT_BLOCK) {
    const REAL other = length[k];
    const bool is_before = ascending ? other < own : other > own, is_behind = ascending ? other > own : other < own;
    if (is_before || (!is_behind && k < i)) before += 1;
    largest = fmax(largest, other);
  }
  /* exact: below 2^24 */
  const ulong place = (ulong)combine(before, false, values);
  largest = combine(largest, true, values);
  const REAL least = largest * EPSILON * sqrt((REAL)args.n);
  const REAL by = !(args.flags & WEFT__BLOCK_UNIT) ? 1 : own <= least ? 0 : 1 / own;
  __global const NUM *a = part_of(xs, args.x, batch) + (long)i * args.x.row;
  __global NUM *to = part_of(ys, args.y, batch) + (long)place * args.y.row;
  for (ulong k = get_local_id(0); k < args.n; k += WEFT_BLOCK) to[k] = a[k] * by;
}

// The values from the lengths, in order: length * scale.
//   x: lengths; y: the values, REAL; z: scale, as above
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_values(const weft__block_args args, __global const uchar *lengths, __global uchar *ys,
                        __global const uchar *scales) {
  const ulong batch = get_group_id(0);
  const bool ascending = (args.flags & HERMITIAN) != 0;
  __global const REAL *length = (__global const REAL *)(lengths + args.x.offset) + batch * args.m;
  __global REAL *y = (__global REAL *)(ys + args.y.offset) + batch * args.m;
  __global const REAL *scale = (__global const REAL *)(scales + args.z.offset) + batch;
  for (ulong i = get_local_id(0); i < args.m; i += WEFT_BLOCK) {
    const REAL own = length[i];
    ulong place = 0;
#pragma unroll 8
    for (ulong k = 0; k < args.m; k++) {
      const REAL other = length[k];
      const bool is_before = ascending ? other < own : other > own, is_behind = ascending ? other > own : other < own;
      place += is_before || (!is_behind && k < i);
    }
    y[place] = own * *scale;
  }
}

// Multiplies column j of x, args.m x args.n, by the sign (the phase) of element [j, j] of y.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_sign(const weft__block_args args, __global uchar *xs, __global uchar *ys) {
  const ulong batch = get_group_id(0) / args.chunks, chunk = get_group_id(0) % args.chunks;
  __global NUM *x = part_of(xs, args.x, batch);
  __global const NUM *y = part_of(ys, args.y, batch);
  for (ulong e = chunk * WEFT_BLOCK + get_local_id(0); e < args.m * args.n; e += args.chunks * WEFT_BLOCK) {
    const long i = (long)(e / args.n), j = (long)(e % args.n);
    const NUM d = y[j * (args.y.row + args.y.column)];
    __global NUM *at = x + i * args.x.row + j * args.x.column;
    *at = mul(*at, sign_of(d, length_of(d)));
  }
}
