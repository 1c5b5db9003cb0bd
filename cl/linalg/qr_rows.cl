// SPDX-License-Identifier: MIT
// A panel of the QR factorization of few rows: each thread has LA_EACH rows in registers. A column costs one sum over
// the block, of its products with all columns: with itself its length, with later ones what its reflection takes from
// them, with earlier ones what joins it to their reflections. So the triangle T of the product of the reflections,
// I - V T adjoint(V) (Schreiber and Van Loan 1989), is made at the same time.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DCOMPLEX=1
#include "linalg/block.clh"
#include "linalg/lanes.clh"

#define COLUMNS 16 // of a panel, at most

#ifdef WEFT_PTX
#define IF_ANY(condition) if (condition)
// A warp adds half of its values to the other half's lanes, until a pair of lanes has one value.
#define FOLD(half, mask) \
  _Pragma("unroll") for (uint j = 0; j < (half); j++) { \
    const bool upper = (lane & (mask)) != 0; \
    const NUM sent = upper ? p[j] : p[j + (half)], kept = upper ? p[j + (half)] : p[j]; \
    p[j] = kept + la_xor(sent, (mask)); \
  }
#else
#define IF_ANY(condition) // a barrier must not be in one arm of an if (warp.clh)
#endif

// totals[j]: the sum of all threads' p[j]. Changes p.
WEFT_INLINE void la_sum(NUM *p, __local NUM *sums, __local NUM *totals) {
  const uint thread = (uint)get_local_id(0);
#ifdef WEFT_PTX
  const uint lane = thread % 32;
  FOLD(8, 16)
  FOLD(4, 8)
  FOLD(2, 4)
  FOLD(1, 2)
  p[0] += la_xor(p[0], 1);
  if (lane % 2 == 0) sums[lane / 2 * WEFT_WARPS + thread / 32] = p[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (thread < COLUMNS) {
    NUM sum = sums[thread * WEFT_WARPS];
#pragma unroll
    for (uint w = 1; w < WEFT_WARPS; w++) sum += sums[thread * WEFT_WARPS + w];
    totals[thread] = sum;
  }
#else
  for (uint j = 0; j < COLUMNS; j++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[thread] = p[j];
    for (uint d = WEFT_BLOCK / 2; d > 0; d /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (thread < d) sums[thread] += sums[thread + d];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread == 0) totals[j] = sums[0];
  }
#endif
}

#define OWN(e) (own + (e) * WEFT_BLOCK)
#define ROUND(j, k) ((j) + (k) < COLUMNS ? (j) + (k) : (j) + (k) - COLUMNS) // the column at place j in step k

// Makes the reflectors of a panel of args.m <= WEFT_BLOCK * LA_EACH rows and args.n <= COLUMNS columns, as
// weft_qr_panel in qr.cl. One group for each matrix. The columns go round: the one that is eliminated is always first.
// Columns and rows beyond the panel are 0.
//   x: the panel, whose triangle becomes R; y: V, COLUMNS columns with ones on the diagonal and zeros above; z: T
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_qr_rows(const weft__block_args args, __global uchar *memory, __global uchar *reflectors,
                  __global uchar *triangles) {
  __local NUM sums[WEFT_BLOCK], totals[COLUMNS], head[COLUMNS], parts[COLUMNS], t[COLUMNS * COLUMNS];
  __local NUM factors[1], taus[COLUMNS];
  __local REAL values[WEFT_BLOCK];
  const uint own = (uint)get_local_id(0), m = (uint)args.m, n = (uint)args.n;
  const ulong batch = get_group_id(0);
  __global NUM *x = part_of(memory, args.x, batch), *v = part_of(reflectors, args.y, batch);
  NUM row[LA_EACH][COLUMNS];
#pragma unroll
  for (uint e = 0; e < LA_EACH; e++)
#pragma unroll
    for (uint j = 0; j < COLUMNS; j++)
      row[e][j] = OWN(e) < m && j < n ? x[(long)OWN(e) * args.x.row + (long)j * args.x.column] : of_real(0);
  for (uint k = 0; k < COLUMNS; k++) {
    NUM p[COLUMNS];
    if (own == k) {
#pragma unroll
      for (uint j = 0; j < COLUMNS; j++) head[j] = row[0][j];
    }
#pragma unroll
    for (uint j = 0; j < COLUMNS; j++) p[j] = of_real(0);
#pragma unroll
    for (uint e = 0; e < LA_EACH; e++) {
      const NUM c = OWN(e) > k ? conj_of(row[e][0]) : of_real(0);
#pragma unroll
      for (uint j = 0; j < COLUMNS; j++) p[j] = mul_add(c, row[e][j], p[j]);
    }
    la_sum(p, sums, totals);
    barrier(CLK_LOCAL_MEM_FENCE);
    /* squares that overflow, or may vanish: in a singular matrix numbers are rounding errors of rounding errors */
    REAL all = 0;
#pragma unroll
    for (uint j = 0; j < COLUMNS; j++) all += size_of(totals[j]);
    const bool is_extreme = !(square_add(head[0], real_of(totals[0])) >= LEAST) || !isfinite(all);
    int power = 0;
    IF_ANY(is_extreme) {
      REAL largest = own == k ? size_of(row[0][0]) : 0;
#pragma unroll
      for (uint e = 0; e < LA_EACH; e++)
        if (OWN(e) > k) largest = fmax(largest, size_of(row[e][0]));
      largest = combine(largest, true, values);
      power = is_extreme ? power_of(largest) : 0;
#pragma unroll
      for (uint j = 0; j < COLUMNS; j++) p[j] = of_real(0);
#pragma unroll
      for (uint e = 0; e < LA_EACH; e++) {
        const NUM c = OWN(e) > k ? scaled(row[e][0], -power) : of_real(0);
#pragma unroll
        for (uint j = 0; j < COLUMNS; j++) p[j] = mul_add(conj_of(c), j == 0 ? c : row[e][j], p[j]);
      }
      la_sum(p, sums, totals);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (own < COLUMNS) {
      const NUM alpha = scaled(head[0], -power);
      const REAL rest = real_of(totals[0]);
      const bool is_done = rest == 0 && imag_of(alpha) == 0;
      const REAL beta = -copysign(sqrt(square_add(alpha, rest)), real_of(alpha));
      const NUM tau = is_done ? of_real(0) : (of_real(beta) - alpha) / beta;
      const NUM factor = is_done ? of_real(0) : divide(of_real(1), alpha - of_real(beta));
      const uint j = ROUND(own, k);
      /* what later columns lose; earlier ones are reflectors, whose products with this one T needs */
      parts[own] = j > k ? mul(conj_of(tau), mul_add(conj_of(factor), totals[own], head[own])) : of_real(0);
      if (j < k) t[j * COLUMNS + k] = mul_add(conj_of(totals[own]), factor, conj_of(head[own]));
      if (own == 0) {
        factors[0] = factor;
        taus[k] = tau;
        parts[0] = is_done ? head[0] : scaled(of_real(beta), power);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const NUM factor = factors[0];
    NUM part[COLUMNS];
#pragma unroll
    for (uint j = 0; j < COLUMNS; j++) part[j] = parts[j];
#pragma unroll
    for (uint e = 0; e < LA_EACH; e++) {
      NUM first = row[e][0];
      if (OWN(e) >= k) {
        const NUM reflector = mul(power ? scaled(first, -power) : first, factor);
        const NUM weight = OWN(e) == k ? of_real(1) : reflector;
        first = OWN(e) == k ? part[0] : reflector;
#pragma unroll
        for (uint j = 1; j < COLUMNS; j++)
          row[e][j] = j < COLUMNS - k ? mul_add(-weight, part[j], row[e][j]) : row[e][j];
      }
#pragma unroll
      for (uint j = 0; j + 1 < COLUMNS; j++) row[e][j] = row[e][j + 1];
      row[e][COLUMNS - 1] = first;
    }
  }
#pragma unroll
  for (uint e = 0; e < LA_EACH; e++)
#pragma unroll
    for (uint j = 0; j < COLUMNS; j++)
      if (OWN(e) < m) {
        if (OWN(e) <= j && j < n) x[(long)OWN(e) * args.x.row + (long)j * args.x.column] = row[e][j];
        v[(long)OWN(e) * args.y.row + (long)j * args.y.column] =
            j >= n || OWN(e) < j ? of_real(0) : OWN(e) == j ? of_real(1) : row[e][j];
      }
  if (own < COLUMNS) { /* a row of T */
    __global NUM *z = part_of(triangles, args.z, batch) + (long)own * args.z.row;
    NUM made[COLUMNS];
#pragma unroll
    for (uint j = 0; j < COLUMNS; j++) {
      NUM sum = of_real(0);
#pragma unroll
      for (uint l = 0; l < j; l++) sum = mul_add(made[l], t[l * COLUMNS + j], sum);
      made[j] = j < own ? of_real(0) : j == own ? taus[j] : -mul(sum, taus[j]);
      z[(long)j * args.z.column] = j < n && own < n ? made[j] : of_real(0);
    }
  }
}
