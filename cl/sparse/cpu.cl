// SPDX-License-Identifier: MIT
// Products of sparse matrices on CPUs: a work-item adds up a tile; sparse/common.clh has the method.
// lint: -DWEFT_LINT=1 -DLINT_CPU
// lint: -DWEFT_LINT=1 -DLINT_CPU -DLINT_COMPLEX
#ifdef WEFT_LINT
#include "sparse/lint.clh"
#endif
#include "sparse/common.clh"

#define SUMS 4     // of a long row, added at its end
#define COLUMNS 16 // of a product with a matrix, added up at once

/// The sum of the products of `count` elements from `element` on.
static inline M_ACC sum_of(__global const M_A *restrict data, __global const S_INDEX *restrict indices,
                           __global const M_B *restrict x, ulong element, ulong count) {
  M_ACC sum[SUMS];
  ulong done = 0;
  for (uint k = 0; k < SUMS; k++) sum[k] = M_ZERO;
  for (; done + SUMS <= count; done += SUMS) {
#pragma unroll
    for (uint k = 0; k < SUMS; k++) {
      const M_A value = data[element + done + k];
      const M_B factor = x[indices[element + done + k]];
      sum[k] = M_ADD(sum[k], M_MUL(M_LOAD_A(value), M_LOAD_B(factor)));
    }
  }
  for (; done < count; done++) {
    const M_A value = data[element + done];
    const M_B factor = x[indices[element + done]];
    sum[0] = M_ADD(sum[0], M_MUL(M_LOAD_A(value), M_LOAD_B(factor)));
  }
  return M_ADD(M_ADD(sum[0], sum[1]), M_ADD(sum[2], sum[3]));
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void weft_csr_vector(S_PARAMETERS) {
  S_BEGIN
  const ulong number = get_group_id(0) + (ulong)get_group_id(1) * get_num_groups(0);
  if (number >= args.split) return;
  const weft_csr_tile t = weft_csr_tile_of(args, tiles, indptr, number);
  const ulong behind = t.element + t.elements;
  ulong element = t.element;
  for (ulong row = t.row; row < t.row + t.rows; row++) {
    const ulong end = (ulong)indptr[row + 1];
    const M_ACC sum = sum_of(data, indices, x, element, end - element);
    if (row == t.row && t.begins_inside)
      heads[number] = sum;
    else
      weft_matmul_store(M_ARGUMENTS, place, row, 0, sum);
    element = end;
  }
  tails[number] = sum_of(data, indices, x, element, behind - element);
}

/// Adds `count` elements, from `element` on, times `width` columns of x.
static inline void add_rows(__private M_ACC *sum, __global const M_A *restrict data,
                            __global const S_INDEX *restrict indices, __global const M_B *restrict x, ulong element,
                            ulong count, ulong columns, ulong column, uint width) {
  for (uint c = 0; c < COLUMNS; c++) sum[c] = M_ZERO;
  for (ulong k = element; k < element + count; k++) {
    const M_A stored = data[k];
    const M_ACC value = M_LOAD_A(stored);
    __global const M_B *restrict from = x + (ulong)indices[k] * columns + column;
    if (width == COLUMNS) {
      for (uint c = 0; c < COLUMNS; c++) {
        const M_B factor = from[c];
        sum[c] = M_ADD(sum[c], M_MUL(value, M_LOAD_B(factor)));
      }
    } else {
      for (uint c = 0; c < width; c++) {
        const M_B factor = from[c];
        sum[c] = M_ADD(sum[c], M_MUL(value, M_LOAD_B(factor)));
      }
    }
  }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void weft_csr_matrix(S_PARAMETERS) {
  S_BEGIN
  const ulong number = get_group_id(0) + (ulong)get_group_id(1) * get_num_groups(0);
  if (number >= args.split) return;
  const weft_csr_tile t = weft_csr_tile_of(args, tiles, indptr, number);
  const ulong behind = t.element + t.elements;
  M_ACC sum[COLUMNS];
  ulong element = t.element;
  for (ulong row = t.row; row <= t.row + t.rows; row++) {
    const bool is_whole = row < t.row + t.rows;
    const ulong end = is_whole ? (ulong)indptr[row + 1] : behind;
    for (ulong column = 0; column < args.n; column += COLUMNS) {
      const uint width = (uint)min(args.n - column, (ulong)COLUMNS);
      add_rows(sum, data, indices, x, element, end - element, args.n, column, width);
      for (uint c = 0; c < width; c++) {
        if (!is_whole)
          tails[number * args.n + column + c] = sum[c];
        else if (row == t.row && t.begins_inside)
          heads[number * args.n + column + c] = sum[c];
        else
          weft_matmul_store(M_ARGUMENTS, place, row, column + c, sum[c]);
      }
    }
    element = end;
  }
}
