// SPDX-License-Identifier: MIT
// QR factorization by Householder reflections: panels of few columns, and the triangle that joins a panel's reflectors:
// the product of the reflections is I - V T adjoint(V) (Schreiber and Van Loan 1989).
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DWEFT_BLOCK=1 -DLA_COMPLEX=1
#include "linalg/block.clh"

#if WEFT_BLOCK == 1
#define LANES 1
#else
#define LANES 16 // threads that share a row
#endif
#define TEAMS (WEFT_BLOCK / LANES)

// The sum, or with `takes_max` the maximum, of a value of each thread.
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

// The power of 2 by which numbers are divided before they are squared. In a singular matrix they may be rounding errors
// of rounding errors, down to numbers whose inverse overflows.
static inline R la_power(R largest) {
  return largest > 0 && largest < INFINITY ? ldexp((R)1, ilogb(largest)) : 1;
}

// Makes the reflectors of a panel of args.m rows and args.n <= LA_SIDE columns, as LAPACK's geqr2: R on and above the
// diagonal, below it the reflectors without their leading 1. One group for each matrix.
//   x: the panel; y: tau, contiguous, min(m, n) for each matrix, LA_SIDE apart
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_qr_panel(const weft__block_args args, __global uchar *memory, __global uchar *taus) {
  __local R values[WEFT_BLOCK];
  __local T sums[WEFT_BLOCK];
  __local T head[4]; // the diagonal element, tau, the divisors of the rest of the column
  const uint thread = (uint)get_local_id(0), lane = thread % LANES, team = thread / LANES;
  const uint n = (uint)args.n;
  const ulong m = args.m, batch = get_group_id(0);
  __global T *x = la_part(memory, args.x, batch);
  __global T *tau = la_part(taus, args.y, batch);
  const long row = args.x.row, column = args.x.column;
  for (uint k = 0; k < n && k < m; k++) {
    __global T *v = x + (long)k * column;
    R largest = 0, sum = 0;
    for (ulong i = k + 1 + thread; i < m; i += WEFT_BLOCK) {
      const R size = la_size(v[(long)i * row]);
      largest = size > largest || size != size ? size : largest;
    }
    largest = la_combine(largest, true, values);
    const R scale = la_power(largest);
    for (ulong i = k + 1 + thread; i < m; i += WEFT_BLOCK) sum += la_square(v[(long)i * row] / scale);
    sum = la_combine(sum, false, values);
    if (thread == 0) {
      const R whole = la_power(fmax(largest, la_size(v[(long)k * row])));
      const T alpha = v[(long)k * row] / whole;
      const R rest = scale / whole * sqrt(sum);
      const bool is_zero = largest == 0 && sum == 0; /* sum: NaN */
#if LA_COMPLEX
      const bool is_done = is_zero && alpha.y == 0;
      const R beta = -copysign(hypot(hypot(alpha.x, alpha.y), rest), alpha.x);
      const T t = (T)((beta - alpha.x) / beta, -alpha.y / beta);
      const T divisor = (T)(alpha.x - beta, alpha.y);
#else
      const bool is_done = is_zero;
      const R beta = -copysign(hypot(alpha, rest), alpha);
      const T t = (beta - alpha) / beta, divisor = alpha - beta;
#endif
      head[0] = is_done ? v[(long)k * row] : la_from_real(beta * whole);
      head[1] = is_done ? la_from_real(0) : t;
      head[2] = is_done ? la_from_real(1) : divisor;
      head[3] = la_from_real(whole);
      tau[k] = head[1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const T factor = la_conj(head[1]), divisor = head[2];
    const R whole = LA_REAL(head[3]);
    if (thread == 0) v[(long)k * row] = head[0];
    for (ulong i = k + 1 + thread; i < m; i += WEFT_BLOCK) v[(long)i * row] = la_div(v[(long)i * row] / whole, divisor);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint begin = k + 1; begin < n; begin += LANES) {
      const uint j = begin + lane;
      __global T *a = x + (long)min(j, n - 1) * column;
      T product = la_from_real(0);
      for (ulong i = k + 1 + team; i < m; i += TEAMS)
        product = la_add_product(product, la_conj(v[(long)i * row]), a[(long)i * row]);
      barrier(CLK_LOCAL_MEM_FENCE);
      sums[thread] = product;
      barrier(CLK_LOCAL_MEM_FENCE);
      product = a[(long)k * row];
      for (uint s = 0; s < TEAMS; s++) product += sums[s * LANES + lane];
      product = la_mul(factor, product);
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      if (j < n) {
        if (team == 0) a[(long)k * row] -= product;
        for (ulong i = k + 1 + team; i < m; i += TEAMS)
          a[(long)i * row] = la_sub_product(a[(long)i * row], v[(long)i * row], product);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
}

// The upper triangle T of args.n <= LA_SIDE reflectors from their products S = adjoint(V) V. One group for each matrix.
//   x: S; y: tau; z: T
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_qr_join(const weft__block_args args, __global const uchar *products, __global const uchar *taus,
                  __global uchar *triangles) {
  const uint n = (uint)args.n;
  const ulong batch = get_group_id(0);
  __global const T *s = (__global const T *)(products + args.x.offset) + (long)batch * args.x.batch;
  __global const T *tau = (__global const T *)(taus + args.y.offset) + (long)batch * args.y.batch;
  __global T *t = la_part(triangles, args.z, batch);
  for (uint i = (uint)get_local_id(0); i < n; i += WEFT_BLOCK) {
    __global T *own = t + (long)i * args.z.row;
    for (uint j = 0; j < n; j++) {
      T sum = la_from_real(0);
      for (uint l = i; l < j; l++)
        sum = la_add_product(sum, own[l], s[(long)l * args.x.row + (long)j * args.x.column]);
      own[j] = j < i ? la_from_real(0) : j == i ? tau[i] : la_mul(la_from_real(-1), la_mul(sum, tau[j]));
    }
  }
}
