// SPDX-License-Identifier: MIT
// QR factorization by Householder reflections: panels of few columns, and the triangle that joins a panel's reflectors:
// the product of the reflections is I - V T adjoint(V) (Schreiber and Van Loan 1989).
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DWEFT_BLOCK=1 -DCOMPLEX=1
#include "linalg/block.clh"

#if WEFT_BLOCK == 1
#define LANES 1
#else
#define LANES 16 // threads that share a row
#endif
#define TEAMS (WEFT_BLOCK / LANES)

// The power of 2 by which numbers are divided before they are squared. In a singular matrix they may be rounding errors
// of rounding errors, down to numbers whose inverse overflows.
#define POWER(largest) ldexp((REAL)1, power_of(largest))

// Makes the reflectors of a panel of args.m rows and args.n <= LA_SIDE columns, as LAPACK's geqr2: R on and above the
// diagonal, below it the reflectors without their leading 1. One group for each matrix.
//   x: the panel; y: tau, contiguous, min(m, n) for each matrix, LA_SIDE apart
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_qr_panel(const weft__block_args args, __global uchar *memory, __global uchar *taus) {
  __local REAL values[WEFT_BLOCK];
  __local NUM sums[WEFT_BLOCK];
  __local NUM head[4]; // the diagonal element, tau, the divisors of the rest of the column
  const uint thread = (uint)get_local_id(0), lane = thread % LANES, team = thread / LANES;
  const uint n = (uint)args.n;
  const ulong m = args.m, batch = get_group_id(0);
  __global NUM *x = part_of(memory, args.x, batch);
  __global NUM *tau = part_of(taus, args.y, batch);
  const long row = args.x.row, column = args.x.column;
  for (uint k = 0; k < n && k < m; k++) {
    __global NUM *v = x + (long)k * column;
    REAL largest = 0, sum = 0;
    for (ulong i = k + 1 + thread; i < m; i += WEFT_BLOCK) {
      const REAL size = size_of(v[(long)i * row]);
      largest = size > largest || size != size ? size : largest;
    }
    largest = combine(largest, true, values);
    const REAL scale = POWER(largest);
    for (ulong i = k + 1 + thread; i < m; i += WEFT_BLOCK) sum = square_add(v[(long)i * row] / scale, sum);
    sum = combine(sum, false, values);
    if (thread == 0) {
      const REAL whole = POWER(fmax(largest, size_of(v[(long)k * row])));
      const NUM alpha = v[(long)k * row] / whole;
      const REAL rest = scale / whole * sqrt(sum);
      const bool rest_is_zero = largest == 0 && sum == 0; /* sum: NaN */
#if COMPLEX
      const bool is_done = rest_is_zero && alpha.y == 0;
      const REAL beta = -copysign(hypot(hypot(alpha.x, alpha.y), rest), alpha.x);
      const NUM t = (NUM)((beta - alpha.x) / beta, -alpha.y / beta);
      const NUM divisor = (NUM)(alpha.x - beta, alpha.y);
#else
      const bool is_done = rest_is_zero;
      const REAL beta = -copysign(hypot(alpha, rest), alpha);
      const NUM t = (beta - alpha) / beta, divisor = alpha - beta;
#endif
      head[0] = is_done ? v[(long)k * row] : of_real(beta * whole);
      head[1] = is_done ? of_real(0) : t;
      head[2] = is_done ? of_real(1) : divisor;
      head[3] = of_real(whole);
      tau[k] = head[1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const NUM factor = conj_of(head[1]), divisor = head[2];
    const REAL whole = real_of(head[3]);
    if (thread == 0) v[(long)k * row] = head[0];
    for (ulong i = k + 1 + thread; i < m; i += WEFT_BLOCK) v[(long)i * row] = divide(v[(long)i * row] / whole, divisor);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint begin = k + 1; begin < n; begin += LANES) {
      const uint j = begin + lane;
      __global NUM *a = x + (long)min(j, n - 1) * column;
      NUM product = of_real(0);
      for (ulong i = k + 1 + team; i < m; i += TEAMS)
        product = mul_add(conj_of(v[(long)i * row]), a[(long)i * row], product);
      barrier(CLK_LOCAL_MEM_FENCE);
      sums[thread] = product;
      barrier(CLK_LOCAL_MEM_FENCE);
      product = a[(long)k * row];
      for (uint s = 0; s < TEAMS; s++) product += sums[s * LANES + lane];
      product = mul(factor, product);
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      if (j < n) {
        if (team == 0) a[(long)k * row] -= product;
        for (ulong i = k + 1 + team; i < m; i += TEAMS)
          a[(long)i * row] = mul_add(-v[(long)i * row], product, a[(long)i * row]);
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
  __global const NUM *s = (__global const NUM *)(products + args.x.offset) + (long)batch * args.x.batch;
  __global const NUM *tau = (__global const NUM *)(taus + args.y.offset) + (long)batch * args.y.batch;
  __global NUM *t = part_of(triangles, args.z, batch);
  for (uint i = (uint)get_local_id(0); i < n; i += WEFT_BLOCK) {
    __global NUM *own = t + (long)i * args.z.row;
    for (uint j = 0; j < n; j++) {
      NUM sum = of_real(0);
      for (uint l = i; l < j; l++)
        sum = mul_add(own[l], s[(long)l * args.x.row + (long)j * args.x.column], sum);
      own[j] = j < i ? of_real(0) : j == i ? tau[i] : mul(of_real(-1), mul(sum, tau[j]));
    }
  }
}
