// SPDX-License-Identifier: MIT
// Jacobi rotations for singular values and eigenvalues of matrices of any size. A round has pairs without a common row;
// a sweep of rounds has every pair once.
//
// Singular values (Hestenes 1958): pairs of rows are rotated until all rows are orthogonal; a group has a pair.
// Eigenvalues: rows and columns are rotated until the matrix is diagonal. A launch finds the rotations of a round from
// the elements that become 0, one rotates the rows, one the columns.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DWEFT_BLOCK=1 -DCOMPLEX=1
#include "linalg/rotate_rows.clh"

#define HERMITIAN WEFT__BLOCK_HERMITIAN
#define ANGLE 4 // REAL of a rotation: sine, tau, the phase of the second row

// y = x / scale, args.m x args.n, where scale is the largest element; conjugated with the flag. HERMITIAN: x is
// Hermitian and only its lower triangle is read. All y are NaN if an x is not finite. One group for each matrix.
//   x, y; z: scale, and the square root of the sum of all squares of y, as REAL, args.z.batch for each matrix
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_prepare(const weft__block_args args, __global uchar *xs, __global uchar *ys, __global uchar *scales) {
  __local REAL values[WEFT_BLOCK];
  const uint thread = (uint)get_local_id(0);
  const ulong batch = get_group_id(0), m = args.m, n = args.n;
  const bool hermitian = (args.flags & HERMITIAN) != 0, conjugates = (args.flags & WEFT__BLOCK_CONJUGATE) != 0;
  __global const NUM *x = part_of(xs, args.x, batch);
  __global NUM *y = part_of(ys, args.y, batch);
  __global REAL *scale = (__global REAL *)(scales + args.z.offset) + (long)batch * args.z.batch;
  REAL largest = 0, wrong = 0, sum = 0;
  for (ulong e = thread; e < m * n; e += WEFT_BLOCK) {
    const ulong i = e / n, j = e % n;
    if (hermitian && j > i) continue;
    const REAL size = size_of(x[(long)i * args.x.row + (long)j * args.x.column]);
    if (!(size < INFINITY)) wrong = 1;
    largest = fmax(largest, size);
  }
  wrong = combine(wrong, true, values);
  largest = combine(largest, true, values);
  const REAL by = wrong > 0 ? (REAL)NAN : largest > 0 ? largest : 1;
  for (ulong e = thread; e < m * n; e += WEFT_BLOCK) {
    const ulong i = e / n, j = e % n;
    const bool turns = hermitian && j > i;
    NUM value = x[(long)(turns ? j : i) * args.x.row + (long)(turns ? i : j) * args.x.column];
    if (turns != conjugates) value = conj_of(value);
    if (hermitian && i == j) value = of_real(real_of(value));
    value = value / by;
    y[(long)i * args.y.row + (long)j * args.y.column] = value;
    sum = square_add(value, sum);
  }
  sum = combine(sum, false, values);
  if (thread == 0) scale[0] = by, scale[1] = sqrt(sum);
}

// The pair of a round. j = args.m: the row i rests.
static inline void pair_of(ulong *i, ulong *j, const weft__block_args *args, ulong pair) {
  int p, q;
  players(&p, &q, (int)pair, (int)args->round, (int)(args->m + (args->m & 1)));
  *i = (ulong)p;
  *j = (ulong)q;
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
  __global const REAL *scale = (__global const REAL *)(scales + args.z.offset) + (long)batch * args.z.batch;
  for (ulong i = get_local_id(0); i < args.m; i += WEFT_BLOCK) {
    const REAL own = length[i];
    ulong place = 0;
    for (ulong k = 0; k < args.m; k++) {
      const REAL other = length[k];
      const bool is_before = ascending ? other < own : other > own, is_behind = ascending ? other > own : other < own;
      place += is_before || (!is_behind && k < i);
    }
    y[place] = own * scale[0];
  }
}

// The rotations of a round for a Hermitian x, args.m x args.m: each makes an element [i, j] 0.
//   y: i32, contiguous: becomes 1 if an element was not small yet; z: behind scale and size ANGLE REAL for each pair
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_angles(const weft__block_args args, __global uchar *xs, __global uchar *changes,
                        __global uchar *scales) {
  const ulong batch = get_group_id(0) / args.chunks, chunk = get_group_id(0) % args.chunks, pairs = (args.m + 1) / 2;
  __global const NUM *x = part_of(xs, args.x, batch);
  __global REAL *scale = (__global REAL *)(scales + args.z.offset) + (long)batch * args.z.batch;
  const REAL limit = EPSILON * scale[1] / sqrt((REAL)args.m);
  for (ulong pair = chunk * WEFT_BLOCK + get_local_id(0); pair < pairs; pair += args.chunks * WEFT_BLOCK) {
    __global REAL *angle = scale + 2 + ANGLE * pair;
    ulong i, j;
    pair_of(&i, &j, &args, pair);
    REAL s = 0, tau = 0, phase_re = 1, phase_im = 0;
    if (j < args.m) {
      const REAL alpha = real_of(x[(long)i * (args.x.row + args.x.column)]);
      const REAL beta = real_of(x[(long)j * (args.x.row + args.x.column)]);
      const NUM gamma = x[(long)i * args.x.row + (long)j * args.x.column];
      const REAL size = length_of(gamma);
      if (size > limit) {
        const NUM phase = sign_of(gamma, size);
        s = sine_of(&tau, alpha, beta, size);
        phase_re = real_of(phase);
        phase_im = imag_of(phase);
        ((__global int *)(changes + args.y.offset))[batch] = 1;
      }
    }
    angle[0] = s;
    angle[1] = tau;
    angle[2] = phase_re;
    angle[3] = phase_im;
  }
}

static inline NUM phase_of(__global const REAL *angle) {
#if COMPLEX
  return (NUM)(angle[2], angle[3]);
#else
  return angle[2];
#endif
}

// Rotates the pairs' rows of x and of y, args.m x args.n. One group for each pair.
//   z: the rotations
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_rows(const weft__block_args args, __global uchar *xs, __global uchar *ys,
                      __global const uchar *scales) {
  const ulong batch = get_group_id(0) / args.chunks, pair = get_group_id(0) % args.chunks;
  __global const REAL *scale = (__global const REAL *)(scales + args.z.offset) + (long)batch * args.z.batch;
  __global const REAL *angle = scale + 2 + ANGLE * pair;
  const REAL s = angle[0], tau = angle[1];
  const NUM phase = phase_of(angle);
  ulong i, j;
  pair_of(&i, &j, &args, pair);
  if (s != 0)
    for (ulong k = get_local_id(0); k < 2 * args.n; k += WEFT_BLOCK) {
      const bool is_y = k >= args.n;
      const long at = (long)(is_y ? k - args.n : k), step = is_y ? args.y.row : args.x.row;
      __global NUM *a = is_y ? part_of(ys, args.y, batch) : part_of(xs, args.x, batch);
      const NUM p = a[(long)i * step + at], q = mul(a[(long)j * step + at], phase);
      a[(long)i * step + at] = first_rotated(p, q, s, tau);
      a[(long)j * step + at] = second_rotated(p, q, s, tau);
    }
}

// Rotates the pairs' columns of x, args.m x args.m. One group for each row.
//   z: the rotations
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_columns(const weft__block_args args, __global uchar *xs, __global const uchar *scales) {
  const ulong batch = get_group_id(0) / args.chunks, r = get_group_id(0) % args.chunks, pairs = (args.m + 1) / 2;
  __global const REAL *scale = (__global const REAL *)(scales + args.z.offset) + (long)batch * args.z.batch;
  __global NUM *a = part_of(xs, args.x, batch) + (long)r * args.x.row;
  for (ulong pair = get_local_id(0); pair < pairs; pair += WEFT_BLOCK) {
    __global const REAL *angle = scale + 2 + ANGLE * pair;
    const REAL s = angle[0], tau = angle[1];
    ulong i, j;
    pair_of(&i, &j, &args, pair);
    if (s != 0) {
      const NUM p = a[i], q = mul(a[j], conj_of(phase_of(angle)));
      NUM first = first_rotated(p, q, s, tau), second = second_rotated(p, q, s, tau);
      if (r == i) first = of_real(real_of(first)), second = of_real(0);
      if (r == j) second = of_real(real_of(second)), first = of_real(0);
      a[i] = first;
      a[j] = second;
    }
  }
}

// The diagonal of x, args.m x args.m, real.
//   y: REAL, args.m for each matrix
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_diagonal(const weft__block_args args, __global uchar *xs, __global uchar *ys) {
  const ulong batch = get_group_id(0);
  __global const NUM *x = part_of(xs, args.x, batch);
  __global REAL *y = (__global REAL *)(ys + args.y.offset) + batch * args.m;
  for (ulong i = get_local_id(0); i < args.m; i += WEFT_BLOCK)
    y[i] = real_of(x[(long)i * (args.x.row + args.x.column)]);
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
