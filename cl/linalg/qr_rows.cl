// SPDX-License-Identifier: MIT
// A panel of the QR factorization of few rows: each thread has a row in registers. A column costs one sum over the
// block, of its products with all columns: with itself its length, with later ones what its reflection takes from
// them, with earlier ones what joins it to their reflections. So the triangle T of the product of the reflections,
// I - V T adjoint(V) (Schreiber and Van Loan 1989), is made at the same time.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DCOMPLEX=1
#include "linalg/block.clh"
#include "warp.clh"

#define COLUMNS 16 // of a panel, at most

#ifdef WEFT_PTX
#define IF_ANY(condition) if (condition)
#if DOUBLE
#define XOR_REAL(v, mask) as_double(weft_xor_u64(as_ulong(v), (mask)))
#else
#define XOR_REAL(v, mask) as_float(weft_xor_u32(as_uint(v), (mask)))
#endif
static inline NUM la_xor(NUM v, uint mask) {
#if COMPLEX
  return (NUM)(XOR_REAL(v.x, mask), XOR_REAL(v.y, mask));
#else
  return XOR_REAL(v, mask);
#endif
}
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
  if (thread < COLUMNS * WEFT_WARPS) {
    NUM sum = sums[thread];
#pragma unroll
    for (uint d = WEFT_WARPS / 2; d > 0; d /= 2) sum += la_xor(sum, d);
    if (thread % WEFT_WARPS == 0) totals[thread / WEFT_WARPS] = sum;
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
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Makes the reflectors of a panel of args.m <= WEFT_BLOCK rows and args.n <= COLUMNS columns, as weft_qr_panel in
// qr.cl. One group for each matrix. Columns and rows beyond the panel are 0.
//   x: the panel, whose triangle becomes R; y: V, with ones on the diagonal and zeros above; z: T
__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_qr_rows(const weft__block_args args, __global uchar *memory, __global uchar *reflectors,
                  __global uchar *triangles) {
  __local NUM sums[WEFT_BLOCK], totals[COLUMNS], heads[2][COLUMNS], t[COLUMNS * COLUMNS];
  __local REAL values[WEFT_BLOCK];
  const uint own = (uint)get_local_id(0), m = (uint)args.m, n = (uint)args.n;
  const ulong batch = get_group_id(0);
  __global NUM *x = part_of(memory, args.x, batch) + (long)own * args.x.row;
  __global NUM *v = part_of(reflectors, args.y, batch) + (long)own * args.y.row;
  NUM row[COLUMNS];
#pragma unroll
  for (uint j = 0; j < COLUMNS; j++) row[j] = own < m && j < n ? x[(long)j * args.x.column] : of_real(0);
#ifdef WEFT_PTX
#pragma unroll
#endif
  for (uint k = 0; k < COLUMNS; k++) {
    __local NUM *head = heads[k % 2]; // the row of the diagonal
    NUM c = own > k ? row[k] : of_real(0), p[COLUMNS];
    if (own == k) {
#pragma unroll
      for (uint j = 0; j < COLUMNS; j++) head[j] = row[j];
    }
#pragma unroll
    for (uint j = 0; j < COLUMNS; j++) p[j] = mul(conj_of(c), row[j]);
    la_sum(p, sums, totals);
    NUM alpha = head[k];
    REAL all = 0;
#pragma unroll
    for (uint j = 0; j < COLUMNS; j++) all += size_of(totals[j]);
    /* squares that overflow, or may vanish: in a singular matrix numbers are rounding errors of rounding errors */
    const bool is_extreme = !(square_add(alpha, real_of(totals[k])) >= LEAST) || !isfinite(all);
    int power = 0;
    IF_ANY(is_extreme) {
      const REAL largest = combine(own == k ? size_of(row[k]) : size_of(c), true, values);
      power = is_extreme ? power_of(largest) : 0;
      c = scaled(c, -power);
      alpha = scaled(alpha, -power);
#pragma unroll
      for (uint j = 0; j < COLUMNS; j++) p[j] = mul(conj_of(c), j == k ? c : row[j]);
      la_sum(p, sums, totals);
    }
    const REAL rest = real_of(totals[k]);
    const bool is_done = rest == 0 && imag_of(alpha) == 0;
    const REAL beta = -copysign(sqrt(square_add(alpha, rest)), real_of(alpha));
    const NUM tau = is_done ? of_real(0) : (of_real(beta) - alpha) / beta;
    const NUM factor = is_done ? of_real(0) : divide(of_real(1), alpha - of_real(beta));
    const NUM reflector = mul(c, factor), weight = own == k ? of_real(1) : reflector;
#pragma unroll
    for (uint j = 0; j < COLUMNS; j++)
      if (j > k) {
        const NUM part = mul(conj_of(tau), mul_add(conj_of(factor), totals[j], head[j]));
        row[j] = mul_add(-weight, part, row[j]);
      }
    if (own < k) {
      NUM sum = of_real(0);
      for (uint l = own; l < k; l++)
        sum = mul_add(t[own * COLUMNS + l], mul_add(conj_of(totals[l]), factor, conj_of(head[l])), sum);
      t[own * COLUMNS + k] = -mul(sum, tau);
    }
    if (own == k) t[own * COLUMNS + k] = tau;
    if (own == k && !is_done) row[k] = scaled(of_real(beta), power);
    if (own > k) row[k] = reflector;
  }
#pragma unroll
  for (uint j = 0; j < COLUMNS; j++)
    if (own < m && j < n) {
      if (own <= j) x[(long)j * args.x.column] = row[j];
      v[(long)j * args.y.column] = own > j ? row[j] : of_real(own == j ? 1 : 0);
    }
  if (own < n) {
    __global NUM *z = part_of(triangles, args.z, batch) + (long)own * args.z.row;
    for (uint j = 0; j < n; j++) z[(long)j * args.z.column] = j >= own ? t[own * COLUMNS + j] : of_real(0);
  }
}
