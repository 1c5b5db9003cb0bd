// SPDX-License-Identifier: MIT
// Products of matrices on CPU devices, of any dtypes and strides. A work-group is one work-item, so that the compiler
// sees plain loops. It computes one tile of a product after the other, in blocks of k: it copies a block of rows of `a`
// and panels of columns of `b` to local memory, as accumulators without gaps, and adds up CPU_ROWS x 2 vectors at a
// time in registers. The text in front defines the macros of matmul/store.clh, matmul/cpu.clh, and
//   CPU_K          elements of k in a block
//   CPU_M, CPU_N   the largest tile; CPU_M is a multiple of CPU_ROWS, CPU_N of a panel
// own[0], own[1]: rows and columns of a tile; own[2]: tiles that a group computes.
// lint: -DWEFT_LINT=1
// lint: -DWEFT_LINT=1 -DLINT_COMPLEX
// lint: -DWEFT_LINT=1 -D__AVX512F__
#ifdef WEFT_LINT
#include "matmul/lint.clh"
#define CPU_K 64
#define CPU_M 48
#define CPU_N 64
#endif
#include "matmul/cpu.clh"
#include "matmul/store.clh"

#define CPU_PARTS (M_COMPLEX ? 2 : 1)    // reals of an accumulator
#define CPU_LINE (2 * CPU_WIDTH)         // reals of a row of a panel: of complex ones WIDTH re, WIDTH im
#define CPU_PANEL (CPU_LINE / CPU_PARTS) // columns of a panel
// accumulators from a row of a's block to the next: not a power of two, whose rows would share lines of the cache
#define CPU_A_APART (CPU_K + 64 / CPU_REAL_BYTES)

// ---- copies to local memory ----

/// Copies rows x steps elements of `a` from `from` on. Rows up to the next multiple of CPU_ROWS become 0.
static inline void copy_a(const weft__matmul_args args, __local M_ACC *to, __global const M_A *from, uint rows,
                          uint steps) {
  const uint all = (rows + CPU_ROWS - 1) / CPU_ROWS * CPU_ROWS;
  if (args.a_column == 1) {
    for (uint r = 0; r < rows; r++) {
      __global const M_A *row = from + (long)r * args.a_row;
      for (uint l = 0; l < steps; l++) to[r * CPU_A_APART + l] = M_LOAD_A(row[l]);
    }
  } else {
    for (uint l = 0; l < steps; l++) {
      __global const M_A *column = from + (long)l * args.a_column;
      CPU_PLAIN
      for (uint r = 0; r < rows; r++) {
        const M_A stored = column[(long)r * args.a_row];
        to[r * CPU_A_APART + l] = M_LOAD_A(stored);
      }
    }
  }
  for (uint r = rows; r < all; r++)
    CPU_PLAIN
    for (uint l = 0; l < steps; l++) to[r * CPU_A_APART + l] = M_ZERO;
}

/// Stores column c of a row of a panel.
static inline void put_b(__local CPU_REAL *line, uint c, M_ACC v) {
#if M_COMPLEX
  line[c] = v.re;
  line[CPU_WIDTH + c] = v.im;
#else
  line[c] = v;
#endif
}

/// Copies steps x columns elements of `b`, at most a panel. Columns behind the last become 0.
static inline void copy_b(const weft__matmul_args args, __local CPU_REAL *to, __global const M_B *from, uint columns,
                          uint steps) {
  if (columns == CPU_PANEL && args.b_column == 1) {
    for (uint l = 0; l < steps; l++) {
      __global const M_B *row = from + (long)l * args.b_row;
      for (uint c = 0; c < CPU_PANEL; c++) put_b(to + l * CPU_LINE, c, M_LOAD_B(row[c]));
    }
    return;
  }
  for (uint c = 0; c < CPU_PANEL; c++) {
    __global const M_B *column = from + (long)c * args.b_column;
    CPU_PLAIN
    for (uint l = 0; l < steps; l++) {
      M_ACC element = M_ZERO;
      if (c < columns) {
        const M_B stored = column[(long)l * args.b_row];
        element = M_LOAD_B(stored);
      }
      put_b(to + l * CPU_LINE, c, element);
    }
  }
}

// ---- sums ----

/// Adds the products of CPU_ROWS rows and a panel to `sums`, whose rows are `apart` reals apart. `begins`: the sums are
/// 0 before.
static inline void add_products(__local CPU_REAL *sums, uint apart, __local const M_ACC *a, __local const CPU_REAL *b,
                                uint steps, int begins) {
#pragma OPENCL FP_CONTRACT ON // fused where the device fuses: nothing but the products is computed here
  cpu_vector sum[CPU_ROWS][2];
#pragma unroll
  for (uint r = 0; r < CPU_ROWS; r++) {
    sum[r][0] = begins ? (cpu_vector)(0) : CPU_LOAD(0, sums + r * apart);
    sum[r][1] = begins ? (cpu_vector)(0) : CPU_LOAD(1, sums + r * apart);
  }
#pragma unroll 1
  for (uint l = 0; l < steps; l++) {
    const cpu_vector y0 = CPU_LOAD(0, b + l * CPU_LINE), y1 = CPU_LOAD(1, b + l * CPU_LINE);
#pragma unroll
    for (uint r = 0; r < CPU_ROWS; r++) {
#if M_COMPLEX
      const cpu_vector re = (cpu_vector)(a[r * CPU_A_APART + l].re), im = (cpu_vector)(a[r * CPU_A_APART + l].im);
      sum[r][0] = re * y0 + sum[r][0];
      sum[r][1] = re * y1 + sum[r][1];
      sum[r][0] = -im * y1 + sum[r][0];
      sum[r][1] = im * y0 + sum[r][1];
#else
      const cpu_vector x = (cpu_vector)(a[r * CPU_A_APART + l]);
#if M_BOOL
      sum[r][0] |= x & y0;
      sum[r][1] |= x & y1;
#else
      sum[r][0] = x * y0 + sum[r][0];
      sum[r][1] = x * y1 + sum[r][1];
#endif
#endif
    }
  }
#pragma unroll
  for (uint r = 0; r < CPU_ROWS; r++) {
    CPU_STORE(sum[r][0], 0, sums + r * apart);
    CPU_STORE(sum[r][1], 1, sums + r * apart);
  }
}

// ---- the result ----

/// The accumulator of a column from a row of sums.
static inline M_ACC sum_of(__local const CPU_REAL *sums, uint column) {
#if M_COMPLEX
  __local const CPU_REAL *panel = sums + column / CPU_PANEL * CPU_LINE + column % CPU_PANEL;
  M_ACC v;
  v.re = panel[0];
  v.im = panel[CPU_WIDTH];
  return v;
#else
  return sums[column];
#endif
}

#ifdef M_EPILOGUE
#define BLOCK 64 // elements whose operands are copied first, so that the epilogue is a loop of vectors

#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#define VECTORS _Pragma("clang loop vectorize_width(16)")
#else
#define VECTORS
#endif

#define SIDE_BLOCK(s, type)        \
  type block##s[BLOCK];            \
  for (uint e = 0; e < BLOCK; e++) \
    block##s[e] = ((__global const type *)side##s)[ \
        place.side##s + (long)row * M_SIDE_ROW_##s + (long)(first + e) * M_SIDE_COLUMN_##s];
#define SIDE_IN_BLOCK(s) block##s[e]

/// Stores BLOCK products of a row, from column `first` on.
static inline void store_block(M_PARAMETERS, const weft_matmul_place place, ulong row, ulong first,
                               __private const M_ACC *v) {
  __global M_OUT *to = (__global M_OUT *)out + (place.out + (long)row * args.out_row + (long)first * args.out_column);
  M_OUT kept[BLOCK];
#ifdef M_SCALE
  if (args.factors & WEFT__MATMUL_ACCUMULATES)
    for (uint e = 0; e < BLOCK; e++) kept[e] = to[(long)e * args.out_column];
#endif
  M_SIDES(SIDE_BLOCK)
  VECTORS
  for (uint e = 0; e < BLOCK; e++) {
    M_ACC sum = v[e];
    M_PUT_SCALED(sum)
    M_PUT_ADDED(sum, &kept[e])
    M_FINISH(SIDE_IN_BLOCK, sum, &kept[e])
  }
  for (uint e = 0; e < BLOCK; e++) to[(long)e * args.out_column] = kept[e];
}
#endif

__kernel void weft_matmul_cpu(M_PARAMETERS) {
  __local M_ACC a_block[CPU_M * CPU_A_APART];
  __local CPU_REAL b_panel[CPU_K * CPU_LINE], sums[CPU_M * CPU_N * CPU_PARTS];
  M_BEGIN
  const ulong tile_m = args.own[0], tile_n = args.own[1];
  const ulong tiles_m = (args.m + tile_m - 1) / tile_m, tiles_n = (args.n + tile_n - 1) / tile_n;
  const ulong first = (get_group_id(0) + (ulong)get_group_id(1) * get_num_groups(0)) * args.own[2];
  const ulong end = min(first + args.own[2], tiles_m * tiles_n * (ulong)args.batches);
  const uint apart = (uint)((tile_n + CPU_PANEL - 1) / CPU_PANEL) * CPU_LINE;
  for (ulong tile = first; tile < end; tile++) {
    const ulong batch = tile / (tiles_m * tiles_n), at = tile - batch * (tiles_m * tiles_n);
    const ulong first_row = at % tiles_m * tile_m, first_column = at / tiles_m * tile_n;
    const uint rows = (uint)min(tile_m, args.m - first_row), columns = (uint)min(tile_n, args.n - first_column);
    const weft_matmul_place place = weft_matmul_place_of(args, batch);
    __global const M_A *from_a = (__global const M_A *)a + (place.a + (long)first_row * args.a_row);
    __global const M_B *from_b = (__global const M_B *)b + (place.b + (long)first_column * args.b_column);
    for (ulong done = 0; done < max(place.k, (ulong)1); done += CPU_K) {
      const uint steps = (uint)min((ulong)CPU_K, place.k - done);
      copy_a(args, a_block, from_a + (long)done * args.a_column, rows, steps);
      for (uint column = 0; column < columns; column += CPU_PANEL) {
        copy_b(args, b_panel, from_b + ((long)done * args.b_row + (long)column * args.b_column),
               min((uint)CPU_PANEL, columns - column), steps);
        for (uint row = 0; row < rows; row += CPU_ROWS)
          add_products(sums + row * apart + column / CPU_PANEL * CPU_LINE, apart, a_block + row * CPU_A_APART, b_panel,
                       steps, done == 0);
      }
    }
    for (uint row = 0; row < rows; row++) {
      uint column = 0;
#ifdef M_EPILOGUE
      for (; column + BLOCK <= columns; column += BLOCK) {
        M_ACC v[BLOCK];
        for (uint e = 0; e < BLOCK; e++) v[e] = sum_of(sums + row * apart, column + e);
        store_block(M_ARGUMENTS, place, first_row + row, first_column + column, v);
      }
#endif
      for (; column < columns; column += M_CHUNK) {
        M_ACC v[M_CHUNK];
        for (uint e = 0; e < M_CHUNK; e++) v[e] = sum_of(sums + row * apart, column + e);
        weft_matmul_store_chunk(M_ARGUMENTS, place, first_row + row, first_column + column, v);
      }
    }
  }
}
