// SPDX-License-Identifier: MIT
// Products of matrices with vectors (n is 1) on CPU devices. A work-group is one work-item and computes some rows, in
// blocks of k. It copies a block of the vector to local memory, and adds up vectors in registers: along k, if the
// elements of a row are neighbours or none are, else along m. The text in front defines the macros of matmul/store.clh,
// matmul/cpu.clh, and
//   V_ALONG_K        1 or 0
//   V_IS_PLAIN       1 if neighbours are next to each other, and `a` holds accumulators
//   V_ROWS, V_K      rows of a group at most, and elements of k in a block: multiples of 16
// own[0]: rows of a group.
// lint: -DWEFT_LINT=1 -DV_ALONG_K=1 -DV_IS_PLAIN=1
// lint: -DWEFT_LINT=1 -DV_ALONG_K=0 -DV_IS_PLAIN=1 -DLINT_COMPLEX
// lint: -DWEFT_LINT=1 -DV_ALONG_K=1 -DV_IS_PLAIN=0 -DLINT_COMPLEX
// lint: -DWEFT_LINT=1 -DV_ALONG_K=0 -DV_IS_PLAIN=0
#ifdef WEFT_LINT
#include "matmul/lint.clh"
#define V_ROWS 64
#define V_K 64
#endif
#include "matmul/cpu.clh"
#include "matmul/store.clh"

#define STREAMS 4 // rows along k, or steps of k along m, that are read at a time

/// A vector of accumulators: its parts.
typedef struct part_vectors {
  cpu_vector re;
#if M_COMPLEX
  cpu_vector im;
#endif
} part_vectors;

static inline part_vectors zeros(void) {
  part_vectors v;
  v.re = (cpu_vector)(0);
#if M_COMPLEX
  v.im = (cpu_vector)(0);
#endif
  return v;
}

/// CPU_WIDTH elements of `a` from `from` on, which are `apart` elements apart.
static inline part_vectors load_a(__global const M_A *from, long apart) {
  part_vectors v;
#if V_IS_PLAIN && M_COMPLEX
  __global const CPU_REAL *reals = (__global const CPU_REAL *)from;
  const cpu_vector low = CPU_LOAD(0, reals), high = CPU_LOAD(1, reals);
  v.re = (cpu_vector)(low.even, high.even);
  v.im = (cpu_vector)(low.odd, high.odd);
#elif V_IS_PLAIN
  v.re = CPU_LOAD(0, from);
#else
  CPU_REAL re[CPU_WIDTH];
#if M_COMPLEX
  CPU_REAL im[CPU_WIDTH];
#endif
#pragma unroll
  for (uint e = 0; e < CPU_WIDTH; e++) {
    const M_A stored = from[(long)e * apart];
    const M_ACC x = M_LOAD_A(stored);
#if M_COMPLEX
    re[e] = x.re;
    im[e] = x.im;
#else
    re[e] = x;
#endif
  }
  v.re = CPU_LOAD(0, re);
#if M_COMPLEX
  v.im = CPU_LOAD(0, im);
#endif
#endif
  return v;
}

static inline part_vectors add_product(part_vectors sum, part_vectors x, part_vectors y) {
#pragma OPENCL FP_CONTRACT ON
#if M_COMPLEX
  sum.re = x.re * y.re + sum.re;
  sum.im = x.re * y.im + sum.im;
  sum.re = -x.im * y.im + sum.re;
  sum.im = x.im * y.re + sum.im;
#elif M_BOOL
  sum.re |= x.re & y.re;
#else
  sum.re = x.re * y.re + sum.re;
#endif
  return sum;
}

/// The sum of a vector's elements, in a fixed order.
static inline CPU_REAL total_of(cpu_vector v) {
  CPU_REAL x[CPU_WIDTH];
  CPU_STORE(v, 0, x);
#pragma unroll
  for (uint apart = CPU_WIDTH / 2; apart > 0; apart /= 2)
#pragma unroll
    for (uint e = 0; e < apart; e++)
#if M_BOOL
      x[e] |= x[e + apart];
#else
      x[e] += x[e + apart];
#endif
  return x[0];
}

static inline M_ACC total(part_vectors v) {
#if M_COMPLEX
  M_ACC sum;
  sum.re = total_of(v.re);
  sum.im = total_of(v.im);
  return sum;
#else
  return total_of(v.re);
#endif
}

/// Copies a block of the vector: its parts.
static inline void copy_b(const weft__matmul_args args, __local CPU_REAL *re, __local CPU_REAL *im,
                          __global const M_B *from, uint steps) {
  for (uint l = 0; l < steps; l++) {
    const M_B stored = from[(long)l * args.b_row];
    const M_ACC y = M_LOAD_B(stored);
#if M_COMPLEX
    re[l] = y.re;
    im[l] = y.im;
#else
    re[l] = y;
#endif
  }
}

static inline part_vectors load_b(__local const CPU_REAL *re, __local const CPU_REAL *im) {
  part_vectors v;
  v.re = CPU_LOAD(0, re);
#if M_COMPLEX
  v.im = CPU_LOAD(0, im);
#endif
  return v;
}

#if V_ALONG_K

/// Adds the products of a block of `count` rows, at most STREAMS, to their sums.
static inline void add_rows(const weft__matmul_args args, __local M_ACC *sums, __global const M_A *from, uint count,
                            __local const CPU_REAL *re, __local const CPU_REAL *im, uint steps) {
  part_vectors sum[STREAMS];
  __global const M_A *row[STREAMS];
  const uint whole = steps / CPU_WIDTH * CPU_WIDTH;
#pragma unroll
  for (uint r = 0; r < STREAMS; r++) {
    sum[r] = zeros();
    row[r] = from + (long)min(r, count - 1) * args.a_row; // rows behind the last one are read again, and not counted
  }
  for (uint l = 0; l < whole; l += CPU_WIDTH) {
    const part_vectors y = load_b(re + l, im + l);
#pragma unroll
    for (uint r = 0; r < STREAMS; r++)
      sum[r] = add_product(sum[r], load_a(row[r] + (long)l * args.a_column, args.a_column), y);
  }
  for (uint r = 0; r < count; r++) {
    M_ACC all = total(sum[r]);
    CPU_PLAIN
    for (uint l = whole; l < steps; l++) {
      const M_A stored = row[r][(long)l * args.a_column];
      M_ACC y;
#if M_COMPLEX
      y.re = re[l];
      y.im = im[l];
#else
      y = re[l];
#endif
      all = M_FMA(M_LOAD_A(stored), y, all);
    }
    sums[r] = M_ADD(sums[r], all);
  }
}

#else

/// Adds the products of STREAMS steps of k to the sums of `rows` rows, which are rounded up to whole vectors: the sums
/// behind the last row are not counted. Behind the last step of k the vector is 0.
static inline void add_steps(const weft__matmul_args args, __local CPU_REAL *sums, __local CPU_REAL *sums_im,
                             __global const M_A *from, uint rows, __local const CPU_REAL *re,
                             __local const CPU_REAL *im, uint steps) {
  part_vectors y[STREAMS];
  __global const M_A *column[STREAMS];
  const uint whole = rows / CPU_WIDTH * CPU_WIDTH;
#pragma unroll
  for (uint l = 0; l < STREAMS; l++) {
    column[l] = from + (long)min(l, steps - 1) * args.a_column;
    y[l].re = (cpu_vector)(l < steps ? re[l] : 0);
#if M_COMPLEX
    y[l].im = (cpu_vector)(l < steps ? im[l] : 0);
#endif
  }
  for (uint r = 0; r < whole; r += CPU_WIDTH) {
    part_vectors sum = load_b(sums + r, sums_im + r);
#pragma unroll
    for (uint l = 0; l < STREAMS; l++)
      if (l < steps) sum = add_product(sum, load_a(column[l] + (long)r * args.a_row, args.a_row), y[l]);
    CPU_STORE(sum.re, 0, sums + r);
#if M_COMPLEX
    CPU_STORE(sum.im, 0, sums_im + r);
#endif
  }
  CPU_PLAIN
  for (uint r = whole; r < rows; r++)
    for (uint l = 0; l < min(steps, (uint)STREAMS); l++) {
      const M_A stored = column[l][(long)r * args.a_row];
#if M_COMPLEX
      M_ACC factor, sum;
      factor.re = re[l];
      factor.im = im[l];
      sum.re = sums[r];
      sum.im = sums_im[r];
      sum = M_FMA(M_LOAD_A(stored), factor, sum);
      sums[r] = sum.re;
      sums_im[r] = sum.im;
#else
      sums[r] = M_FMA(M_LOAD_A(stored), re[l], sums[r]);
#endif
    }
}

#endif

__kernel void weft_matmul_cpu_vector(M_PARAMETERS) {
  __local CPU_REAL re[V_K], im[M_COMPLEX ? V_K : 1];
#if V_ALONG_K
  __local M_ACC sums[V_ROWS];
#else
  __local CPU_REAL sums[V_ROWS], sums_im[M_COMPLEX ? V_ROWS : 1];
#endif
  M_BEGIN
  const ulong groups = (args.m + args.own[0] - 1) / args.own[0];
  const ulong group = get_group_id(0) + (ulong)get_group_id(1) * get_num_groups(0), batch = group / groups;
  if (batch >= args.batches) return;
  const ulong first = (group - batch * groups) * args.own[0];
  const uint rows = (uint)min(args.own[0], args.m - first);
  const weft_matmul_place place = weft_matmul_place_of(args, batch);
  __global const M_A *from = (__global const M_A *)a + (place.a + (long)first * args.a_row);
  for (uint r = 0; r < rows; r++) {
#if V_ALONG_K
    sums[r] = M_ZERO;
#else
    sums[r] = 0;
#if M_COMPLEX
    sums_im[r] = 0;
#endif
#endif
  }
  for (ulong done = 0; done < place.k; done += V_K) {
    const uint steps = (uint)min((ulong)V_K, place.k - done);
    __global const M_A *block = from + (long)done * args.a_column;
    copy_b(args, re, im, (__global const M_B *)b + (place.b + (long)done * args.b_row), steps);
#if V_ALONG_K
    for (uint r = 0; r < rows; r += STREAMS)
      add_rows(args, sums + r, block + (long)r * args.a_row, min((uint)STREAMS, rows - r), re, im, steps);
#else
    for (uint l = 0; l < steps; l += STREAMS)
      add_steps(args, sums, sums_im, block + (long)l * args.a_column, rows, re + l, im + l, steps - l);
#endif
  }
  for (uint r = 0; r < rows; r++) {
#if V_ALONG_K || !M_COMPLEX
    const M_ACC v = sums[r];
#else
    M_ACC v;
    v.re = sums[r];
    v.im = sums_im[r];
#endif
    weft_matmul_store(M_ARGUMENTS, place, first + r, 0, v);
  }
}
