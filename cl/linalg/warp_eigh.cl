// SPDX-License-Identifier: MIT
// Eigenvalues of small Hermitian matrices where PTX exchanges values of a warp: a warp has a matrix, and each of its
// threads a row in registers while rows are rotated. The algorithm is weft_small_syevd's (small_jacobi.cl): M with
// adjoint(M) M = A + shift by Cholesky, then rotations of M's rows, in rounds of pairs (t, t ^ round). A small shift is
// tried before one as large as any eigenvalue, as rounding errors are relative to it.
//
// Macros: linalg/number.clh's, and
//   SIDE   32, the rows of a matrix at most: the rows behind the last one are the identity's
//   WANTS  1: vectors are wanted
// Only with PTX (WEFT_PTX).
// lint: -DREAL=float -DCOMPLEX=1 -DSIDE=32 -DWANTS=1
// lint: -DREAL=float -DCOMPLEX=0 -DSIDE=32 -DWANTS=0
// ptxas: 32 -DREAL=float -DDOUBLE=0 -DCOMPLEX=0 -DSIDE=32 -DWANTS=1
#ifdef WEFT_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF
#define WEFT_BLOCK 32
#include "linalg/lanes.clh"
#include "linalg/rotation.clh"
#include "linalg/small_args.h"

#define SWEEPS 40
#define SHIFT_MOST K(1.0625) // of a bound of the largest eigenvalue

#define PITCH 33 // of a row in local memory: a column lies in different banks

#ifdef WEFT_PTX
#define EACH(k) _Pragma("unroll") for (int k = 0; k < SIDE; k++)

WEFT_INLINE REAL largest_of_lanes(REAL x) {
#pragma unroll
  for (uint d = 16; d > 0; d /= 2) x = fmax(x, la_xor_real(x, d));
  return x;
}

// The Hermitian matrix, of which the lower triangle is read, times 2^power, with zeros around it. Returns whether it is
// finite; *largest: its largest part.
WEFT_INLINE bool load(__local NUM *a, __global const REAL *whole, int n, int lane, int power, REAL *largest) {
  bool is_broken = false;
  *largest = 0;
  WEFT_SYNC_WARP();
#pragma unroll 8
  for (int i = 0; i < SIDE; i++) {
    const bool is_in = i < n && lane <= i;
#if COMPLEX
    NUM x = is_in ? vload2((size_t)(i * n + lane), whole) : of_real(0);
#else
    NUM x = is_in ? whole[i * n + lane] : of_real(0);
#endif
    if (i == lane) x = of_real(real_of(x));
    is_broken = is_broken || !is_finite(x);
    *largest = fmax(*largest, largest_part(x));
    if (power) x = scaled(x, power);
    if (lane <= i) a[i * PITCH + lane] = x, a[lane * PITCH + i] = conj_of(x);
  }
  WEFT_SYNC_WARP();
  *largest = largest_of_lanes(*largest);
  return weft_ballot(is_broken) == 0;
}

// The largest sum of sizes in a row of A A: at least the square of the largest eigenvalue, and close to it.
WEFT_INLINE REAL bound_of(__local const NUM *a, int lane) {
  REAL sum = 0;
#pragma unroll 1
  for (int q = 0; q < SIDE; q++) {
    NUM x = of_real(0), y = x;
#pragma unroll 8
    for (int k = 0; k < SIDE; k += 2) {
      x = mul_add(a[lane * PITCH + k], conj_of(a[q * PITCH + k]), x);
      y = mul_add(a[lane * PITCH + k + 1], conj_of(a[q * PITCH + k + 1]), y);
    }
    sum += sqrt(square_add(x + y, 0));
  }
  return sqrt(largest_of_lanes(sum));
}

// The largest sum of sizes in a row of A: rougher than bound_of's, and found in a tenth of its time.
WEFT_INLINE REAL rough_bound_of(__local const NUM *a, int lane) {
  REAL sum = 0;
#pragma unroll 8
  for (int k = 0; k < SIDE; k++) sum += length_of(a[lane * PITCH + k]);
  return largest_of_lanes(sum);
}

// Replaces a = adjoint(M) M by M, an upper triangle. False: it is not positive definite.
WEFT_INLINE bool factor(__local NUM *a, int lane) {
  bool is_definite = true;
#pragma unroll 1
  for (int k = 0; k < SIDE; k++) {
    const REAL pivot = real_of(a[k * PITCH + k]), by = 1 / sqrt(pivot);
    const NUM share = lane > k ? a[lane * PITCH + k] * by : of_real(0);
    is_definite = is_definite && pivot > 0;
    WEFT_SYNC_WARP();
    if (lane >= k) a[k * PITCH + lane] = a[k * PITCH + lane] * by;
    if (lane > k) a[lane * PITCH + k] = of_real(0);
    WEFT_SYNC_WARP();
#pragma unroll 4
    for (int j = k + 1; j < SIDE; j++)
      if (lane > k) a[lane * PITCH + j] = mul_add(-share, a[k * PITCH + j], a[lane * PITCH + j]);
    WEFT_SYNC_WARP();
  }
  return is_definite;
}

// A sweep of rotations of all pairs. Returns whether one may still be far from orthogonal.
WEFT_INLINE bool sweep_rows(NUM *row, int n, int lane) {
  la_extremes found = {0, 0};
#pragma unroll 1
  for (int round = 1; round < SIDE; round++) {
    const bool is_first = lane < (lane ^ round);
    NUM other[SIDE], part[4];
    REAL square = 0;
    for (int k = 0; k < 4; k++) part[k] = of_real(0);
    EACH(k) {
      other[k] = la_xor(row[k], (uint)round);
      square = square_add(row[k], square);
      part[k % 4] = mul_add(row[k], conj_of(other[k]), part[k % 4]);
    }
    const REAL its = la_xor_real(square, (uint)round);
    NUM product = (part[0] + part[1]) + (part[2] + part[3]);
#if COMPLEX /* rounded differently in the two threads, which both need the first one's */
    product = la_lane(product, (uint)min(lane, lane ^ round));
#endif
    const REAL p = is_first ? square : its, q = is_first ? its : square, size = length_of(product);
    const bool slants = size > least_product(p, q);
    REAL tau = 0, s = 0;
    if (slants) {
      s = sine_of(&tau, p, q, size);
      find_extremes(&found, p, q, size, s);
    }
    if (!is_first) s = -s, tau = -tau;
    const NUM phase = sign_of(product, size);
    if (slants) EACH(k) {
#if COMPLEX
      const NUM x = is_first ? row[k] : mul(row[k], phase), y = is_first ? mul(other[k], phase) : other[k];
      row[k] = first_rotated(x, y, s, tau);
#else
      row[k] = first_rotated(row[k], other[k], s * phase, tau * phase);
#endif
    }
  }
  return is_far_after(largest_of_lanes(found.product), largest_of_lanes(found.added), (ulong)n);
}

#endif

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_warp_syevd(const weft__small_args args, __global uchar *matrices, __global uchar *w_out,
                     __global uchar *info) {
#ifdef WEFT_PTX
  const int lane = (int)get_local_id(0), n = args.rows;
  const ulong matrix = get_group_id(0);
  __global REAL *whole = (__global REAL *)(matrices + args.at[0]) + matrix * (ulong)(n * n * PARTS);
  __global REAL *values = (__global REAL *)(w_out + args.at[1]) + matrix * (ulong)n;
  __local NUM a[SIDE * PITCH];
  REAL largest, shift = 0;
  const bool is_broken = !load(a, whole, n, lane, 0, &largest);
  const int power = is_broken ? 0 : power_of(largest);
  if (power) load(a, whole, n, lane, -power, &largest);
#pragma unroll 1
  for (int attempt = 0; attempt < 2; attempt++) {
    if (attempt) load(a, whole, n, lane, -power, &largest);
    shift = attempt ? SHIFT_MOST * bound_of(a, lane) : EPSILON * SIDE * rough_bound_of(a, lane);
    if (!(shift > 0)) shift = 1;
    a[lane * (PITCH + 1)] += of_real(lane < n ? shift : 1);
    WEFT_SYNC_WARP();
    if (factor(a, lane)) break;
  }
  NUM row[SIDE];
  bool is_far = true;
  EACH(k) row[k] = a[lane * PITCH + k];
#pragma unroll 1
  for (int sweep = 0; sweep < SWEEPS && is_far && !is_broken; sweep++) is_far = sweep_rows(row, n, lane);
  REAL square = 0;
  EACH(k) square = square_add(row[k], square);
  if (lane >= n || isnan(square)) square = INFINITY; // behind all others
  int place = 0;
#pragma unroll 1
  for (int k = 0; k < 32; k++) {
    const REAL other = la_lane_real(square, (uint)k);
    place += other < square || (other == square && k < lane);
  }
  if (lane < n) values[place] = is_broken ? NOT_A_NUMBER : ldexp(square - shift, power);
#if WANTS
  const REAL by = 1 / sqrt(square);
  EACH(k) {
    const NUM x = is_broken ? of_real(NOT_A_NUMBER) : conj_of(row[k]) * by;
    if (lane < n && k < n) {
#if COMPLEX
      vstore2(x, (size_t)(k * n + place), whole);
#else
      whole[k * n + place] = x;
#endif
    }
  }
#endif
  if (lane == 0) ((__global int *)(info + args.at[2]))[matrix] = is_broken || is_far;
#endif
}
