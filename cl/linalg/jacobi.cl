// SPDX-License-Identifier: MIT
// Jacobi rotations for singular values and eigenvalues of matrices of any size. A round has pairs without a common row;
// a sweep of rounds has every pair once.
//
// Singular values (Hestenes 1958): pairs of rows are rotated until all rows are orthogonal; a group has a pair.
// Eigenvalues: rows and columns are rotated until the matrix is diagonal. A launch finds the rotations of a round from
// the elements that become 0, one rotates the rows, one the columns.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DWEFT_BLOCK=1 -DLA_COMPLEX=1
#include "linalg/block.clh"

#define HERMITIAN WEFT__BLOCK_UPPER
#define EPSILON (sizeof(R) == 4 ? (R)0x1p-23 : (R)0x1p-52)
// Rows with a smaller square are taken as 0; the largest element is 1. Rounding errors would rotate the rows of a
// singular matrix until their squares underflow, and then without end.
#define LEAST (sizeof(R) == 4 ? (R)0x1p-110 : (R)0x1p-960)
#define ANGLE 4 // R of a rotation: sine, tau, the phase of the second row

static inline __attribute__((always_inline)) R la_combine(R value, bool takes_max, __local R *values) {
  const uint thread = (uint)get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  values[thread] = value;
  for (uint d = WEFT_BLOCK / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < d) {
      const R other = values[thread + d];
      values[thread] = takes_max ? fmax(values[thread], other) : values[thread] + other;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return values[0];
}

// The two rows after a rotation by the sine s. With tau = s / (1 + cosine) the errors of small rotations are as small
// as the rotations (Rutishauser 1966): the sums of the squares of rows hardly change.
static inline T la_first(T p, T q, R s, R tau) {
  return p - la_scale(q + la_scale(p, tau), s);
}
static inline T la_second(T p, T q, R s, R tau) {
  return q + la_scale(p - la_scale(q, tau), s);
}

// y = x / scale, args.m x args.n, where scale is the largest element; conjugated with the flag. HERMITIAN: x is
// Hermitian and only its lower triangle is read. All y are NaN if an x is not finite. One group for each matrix.
//   x, y; z: scale, and the square root of the sum of all squares of y, as R, args.z.batch for each matrix
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_prepare(const weft__block_args args, __global uchar *xs, __global uchar *ys, __global uchar *scales) {
  __local R values[WEFT_BLOCK];
  const uint thread = (uint)get_local_id(0);
  const ulong batch = get_group_id(0), m = args.m, n = args.n;
  const bool hermitian = (args.flags & HERMITIAN) != 0, conjugates = (args.flags & WEFT__BLOCK_CONJUGATE) != 0;
  __global const T *x = la_part(xs, args.x, batch);
  __global T *y = la_part(ys, args.y, batch);
  __global R *scale = (__global R *)(scales + args.z.offset) + (long)batch * args.z.batch;
  R largest = 0, wrong = 0, sum = 0;
  for (ulong e = thread; e < m * n; e += WEFT_BLOCK) {
    const ulong i = e / n, j = e % n;
    if (hermitian && j > i) continue;
    const R size = la_size(x[(long)i * args.x.row + (long)j * args.x.column]);
    if (!(size < INFINITY)) wrong = 1;
    largest = fmax(largest, size);
  }
  wrong = la_combine(wrong, true, values);
  largest = la_combine(largest, true, values);
  const R by = wrong > 0 ? (R)NAN : largest > 0 ? largest : 1;
  for (ulong e = thread; e < m * n; e += WEFT_BLOCK) {
    const ulong i = e / n, j = e % n;
    const bool turns = hermitian && j > i;
    T value = x[(long)(turns ? j : i) * args.x.row + (long)(turns ? i : j) * args.x.column];
    if (turns != conjugates) value = la_conj(value);
    if (hermitian && i == j) value = la_from_real(LA_REAL(value));
    value = value / by;
    y[(long)i * args.y.row + (long)j * args.y.column] = value;
    sum += la_square(value);
  }
  sum = la_combine(sum, false, values);
  if (thread == 0) scale[0] = by, scale[1] = sqrt(sum);
}

// The pair of a round: the circle method. One player stays, the others move on by one place each round. j = args.m: the
// row i rests.
static inline void la_pair(ulong *i, ulong *j, const weft__block_args *args, ulong pair) {
  const ulong turn = args->m + (args->m & 1) - 1;
  const ulong first = pair == 0 ? turn : (args->round + pair) % turn, second = (args->round + turn - pair) % turn;
  *i = min(first, second);
  *j = max(first, second);
}

// A rotation of two rows of x, args.m x args.n, and of y, whose rows have args.first elements (0: there is no y).
//   z: i32, contiguous: becomes 1 if a pair was not orthogonal yet
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_rotate(const weft__block_args args, __global uchar *xs, __global uchar *ys, __global uchar *changes) {
  __local R values[WEFT_BLOCK];
  const uint thread = (uint)get_local_id(0);
  const ulong batch = get_group_id(0) / args.chunks, pair = get_group_id(0) % args.chunks;
  ulong i, j;
  la_pair(&i, &j, &args, pair);
  const ulong n = j < args.m ? args.n : 0;
  __global T *a = la_part(xs, args.x, batch) + (long)i * args.x.row;
  __global T *b = la_part(xs, args.x, batch) + (long)min(j, args.m - 1) * args.x.row;
  R alpha = 0, beta = 0;
  T gamma = la_from_real(0);
  for (ulong k = thread; k < n; k += WEFT_BLOCK) {
    const T p = a[k], q = b[k];
    alpha += la_square(p);
    beta += la_square(q);
    gamma = la_add_product(gamma, p, la_conj(q));
  }
  alpha = la_combine(alpha, false, values);
  beta = la_combine(beta, false, values);
#if LA_COMPLEX
  gamma.x = la_combine(gamma.x, false, values);
  gamma.y = la_combine(gamma.y, false, values);
  const R size = hypot(gamma.x, gamma.y);
  const T phase = size > 0 ? gamma / size : la_from_real(1);
#else
  gamma = la_combine(gamma, false, values);
  const R size = fabs(gamma);
  const T phase = gamma < 0 ? -1 : 1;
#endif
  const R limit = EPSILON * sqrt((R)args.n);
  if (size > limit * sqrt(alpha) * sqrt(beta) && alpha > LEAST && beta > LEAST) {
    const R zeta = (beta - alpha) / (2 * size);
    const R root = fabs(zeta) < (R)1e9 ? sqrt(fma(zeta, zeta, (R)1)) : fabs(zeta); /* its square may overflow */
    const R t = copysign((R)1, zeta) / (fabs(zeta) + root);
    const R c = 1 / sqrt(fma(t, t, (R)1)), s = c * t, tau = s / (1 + c);
    for (ulong k = thread; k < n; k += WEFT_BLOCK) {
      const T p = a[k], q = la_mul(b[k], phase);
      a[k] = la_first(p, q, s, tau);
      b[k] = la_second(p, q, s, tau);
    }
    if (args.first) {
      __global T *u = la_part(ys, args.y, batch) + (long)i * args.y.row;
      __global T *v = la_part(ys, args.y, batch) + (long)j * args.y.row;
      for (ulong k = thread; k < args.first; k += WEFT_BLOCK) {
        const T p = u[k], q = la_mul(v[k], phase);
        u[k] = la_first(p, q, s, tau);
        v[k] = la_second(p, q, s, tau);
      }
    }
    if (thread == 0) ((__global int *)(changes + args.z.offset))[batch] = 1;
  }
}

// The length of each row of x, args.m x args.n. One group for each row.
//   y: R, args.m for each matrix
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_lengths(const weft__block_args args, __global uchar *xs, __global uchar *lengths) {
  __local R values[WEFT_BLOCK];
  const ulong batch = get_group_id(0) / args.chunks, i = get_group_id(0) % args.chunks;
  __global const T *a = la_part(xs, args.x, batch) + (long)i * args.x.row;
  R sum = 0;
  for (ulong k = get_local_id(0); k < args.n; k += WEFT_BLOCK) sum += la_square(a[k]);
  sum = la_combine(sum, false, values);
  if (get_local_id(0) == 0) ((__global R *)(lengths + args.y.offset))[batch * args.m + i] = sqrt(sum);
}

// Puts the rows of x into y in the order of their lengths, descending (HERMITIAN: ascending). A row becomes 1 long if
// the flag UNIT is set; it becomes 0 if its length is nothing but rounding errors of the longest.
//   z: lengths; rows of x and y have args.n elements
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_order(const weft__block_args args, __global uchar *xs, __global uchar *ys, __global uchar *lengths) {
  __local R values[WEFT_BLOCK];
  const ulong batch = get_group_id(0) / args.chunks, i = get_group_id(0) % args.chunks;
  const bool ascending = (args.flags & HERMITIAN) != 0;
  __global const R *length = (__global const R *)(lengths + args.z.offset) + batch * args.m;
  const R own = length[i];
  R before = 0, largest = 0;
  for (ulong k = get_local_id(0); k < args.m; k += WEFT_BLOCK) {
    const R other = length[k];
    const bool is_before = ascending ? other < own : other > own, is_behind = ascending ? other > own : other < own;
    if (is_before || (!is_behind && k < i)) before += 1;
    largest = fmax(largest, other);
  }
  /* exact: below 2^24 */
  const ulong place = (ulong)la_combine(before, false, values);
  largest = la_combine(largest, true, values);
  const R least = largest * EPSILON * sqrt((R)args.n);
  const R by = !(args.flags & WEFT__BLOCK_UNIT) ? 1 : own <= least ? 0 : 1 / own;
  __global const T *a = la_part(xs, args.x, batch) + (long)i * args.x.row;
  __global T *to = la_part(ys, args.y, batch) + (long)place * args.y.row;
  for (ulong k = get_local_id(0); k < args.n; k += WEFT_BLOCK) to[k] = la_scale(a[k], by);
}

// The values from the lengths, in order: length * scale.
//   x: lengths; y: the values, R; z: scale, as above
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_values(const weft__block_args args, __global const uchar *lengths, __global uchar *ys,
                        __global const uchar *scales) {
  const ulong batch = get_group_id(0);
  const bool ascending = (args.flags & HERMITIAN) != 0;
  __global const R *length = (__global const R *)(lengths + args.x.offset) + batch * args.m;
  __global R *y = (__global R *)(ys + args.y.offset) + batch * args.m;
  __global const R *scale = (__global const R *)(scales + args.z.offset) + (long)batch * args.z.batch;
  for (ulong i = get_local_id(0); i < args.m; i += WEFT_BLOCK) {
    const R own = length[i];
    ulong place = 0;
    for (ulong k = 0; k < args.m; k++) {
      const R other = length[k];
      const bool is_before = ascending ? other < own : other > own, is_behind = ascending ? other > own : other < own;
      place += is_before || (!is_behind && k < i);
    }
    y[place] = own * scale[0];
  }
}

// The rotations of a round for a Hermitian x, args.m x args.m: each makes an element [i, j] 0.
//   y: i32, contiguous: becomes 1 if an element was not small yet; z: behind scale and size ANGLE R for each pair
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_angles(const weft__block_args args, __global uchar *xs, __global uchar *changes,
                        __global uchar *scales) {
  const ulong batch = get_group_id(0) / args.chunks, chunk = get_group_id(0) % args.chunks, pairs = (args.m + 1) / 2;
  __global const T *x = la_part(xs, args.x, batch);
  __global R *scale = (__global R *)(scales + args.z.offset) + (long)batch * args.z.batch;
  const R limit = EPSILON * scale[1] / sqrt((R)args.m);
  for (ulong pair = chunk * WEFT_BLOCK + get_local_id(0); pair < pairs; pair += args.chunks * WEFT_BLOCK) {
    __global R *angle = scale + 2 + ANGLE * pair;
    ulong i, j;
    la_pair(&i, &j, &args, pair);
    R s = 0, tau = 0, phase_re = 1, phase_im = 0;
    if (j < args.m) {
      const R alpha = LA_REAL(x[(long)i * (args.x.row + args.x.column)]);
      const R beta = LA_REAL(x[(long)j * (args.x.row + args.x.column)]);
      const T gamma = x[(long)i * args.x.row + (long)j * args.x.column];
#if LA_COMPLEX
      const R size = hypot(gamma.x, gamma.y);
#else
      const R size = fabs(gamma);
#endif
      if (size > limit) {
        const R zeta = (beta - alpha) / (2 * size);
        const R t = copysign((R)1, zeta) / (fabs(zeta) + sqrt(fma(zeta, zeta, (R)1)));
        const R c = 1 / sqrt(fma(t, t, (R)1));
        s = c * t;
        tau = s / (1 + c);
#if LA_COMPLEX
        phase_re = gamma.x / size;
        phase_im = gamma.y / size;
#else
        phase_re = gamma < 0 ? -1 : 1;
#endif
        ((__global int *)(changes + args.y.offset))[batch] = 1;
      }
    }
    angle[0] = s;
    angle[1] = tau;
    angle[2] = phase_re;
    angle[3] = phase_im;
  }
}

static inline T la_phase(__global const R *angle) {
#if LA_COMPLEX
  return (T)(angle[2], angle[3]);
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
  __global const R *scale = (__global const R *)(scales + args.z.offset) + (long)batch * args.z.batch;
  __global const R *angle = scale + 2 + ANGLE * pair;
  const R s = angle[0], tau = angle[1];
  const T phase = la_phase(angle);
  ulong i, j;
  la_pair(&i, &j, &args, pair);
  if (s != 0)
    for (ulong k = get_local_id(0); k < 2 * args.n; k += WEFT_BLOCK) {
      const bool is_y = k >= args.n;
      const long at = (long)(is_y ? k - args.n : k), step = is_y ? args.y.row : args.x.row;
      __global T *a = is_y ? la_part(ys, args.y, batch) : la_part(xs, args.x, batch);
      const T p = a[(long)i * step + at], q = la_mul(a[(long)j * step + at], phase);
      a[(long)i * step + at] = la_first(p, q, s, tau);
      a[(long)j * step + at] = la_second(p, q, s, tau);
    }
}

// Rotates the pairs' columns of x, args.m x args.m. One group for each row.
//   z: the rotations
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_columns(const weft__block_args args, __global uchar *xs, __global const uchar *scales) {
  const ulong batch = get_group_id(0) / args.chunks, r = get_group_id(0) % args.chunks, pairs = (args.m + 1) / 2;
  __global const R *scale = (__global const R *)(scales + args.z.offset) + (long)batch * args.z.batch;
  __global T *a = la_part(xs, args.x, batch) + (long)r * args.x.row;
  for (ulong pair = get_local_id(0); pair < pairs; pair += WEFT_BLOCK) {
    __global const R *angle = scale + 2 + ANGLE * pair;
    const R s = angle[0], tau = angle[1];
    ulong i, j;
    la_pair(&i, &j, &args, pair);
    if (s != 0) {
      const T p = a[i], q = la_mul(a[j], la_conj(la_phase(angle)));
      T first = la_first(p, q, s, tau), second = la_second(p, q, s, tau);
      if (r == i) first = la_from_real(LA_REAL(first)), second = la_from_real(0);
      if (r == j) second = la_from_real(LA_REAL(second)), first = la_from_real(0);
      a[i] = first;
      a[j] = second;
    }
  }
}

// The diagonal of x, args.m x args.m, real.
//   y: R, args.m for each matrix
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_diagonal(const weft__block_args args, __global uchar *xs, __global uchar *ys) {
  const ulong batch = get_group_id(0);
  __global const T *x = la_part(xs, args.x, batch);
  __global R *y = (__global R *)(ys + args.y.offset) + batch * args.m;
  for (ulong i = get_local_id(0); i < args.m; i += WEFT_BLOCK)
    y[i] = LA_REAL(x[(long)i * (args.x.row + args.x.column)]);
}

// Multiplies column j of x, args.m x args.n, by the sign (the phase) of element [j, j] of y.
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_jacobi_sign(const weft__block_args args, __global uchar *xs, __global uchar *ys) {
  const ulong batch = get_group_id(0) / args.chunks, chunk = get_group_id(0) % args.chunks;
  __global T *x = la_part(xs, args.x, batch);
  __global const T *y = la_part(ys, args.y, batch);
  for (ulong e = chunk * WEFT_BLOCK + get_local_id(0); e < args.m * args.n; e += args.chunks * WEFT_BLOCK) {
    const long i = (long)(e / args.n), j = (long)(e % args.n);
    const T d = y[j * (args.y.row + args.y.column)];
#if LA_COMPLEX
    const R size = hypot(d.x, d.y);
    const T sign = size > 0 ? d / size : la_from_real(1);
#else
    const T sign = d < 0 ? -1 : 1;
#endif
    __global T *at = x + i * args.x.row + j * args.x.column;
    *at = la_mul(*at, sign);
  }
}
