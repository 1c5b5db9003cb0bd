// SPDX-License-Identifier: MIT
/// The loop of matrix_loops.c for one dtype and one width of vectors (base/each_width.h). To define before including:
/// T, float or double; NAME(name), the names of its functions; PAIR_ROWS, rows of a tile of two vectors; VECTORS of a
/// tile at most, 2 or 4.
#define LANES ((ptrdiff_t)(BYTES / sizeof(T)))
typedef T NAME(vector) __attribute__((vector_size(BYTES), may_alias, aligned(sizeof(T))));

#define TILE NAME(tile_1)
#define TILE_ROWS MOST_ROWS
#define TILE_VECTORS 1
#include "op/matmul/matrix_tile.h"
#define TILE NAME(tile_2)
#define TILE_ROWS PAIR_ROWS
#define TILE_VECTORS 2
#include "op/matmul/matrix_tile.h"
#define TILE NAME(tile_4)
#define TILE_ROWS WIDE_ROWS
#define TILE_VECTORS 4
#include "op/matmul/matrix_tile.h"

/// Stores a part of a tile.
TARGET static void NAME(store_edge)(T *out, ptrdiff_t apart, const T *edge, ptrdiff_t width, ptrdiff_t rows,
                                    ptrdiff_t columns, bool adds) {
  for (ptrdiff_t r = 0; r < rows; r++)
    for (ptrdiff_t c = 0; c < columns; c++)
      out[r * apart + c] = adds ? out[r * apart + c] + edge[r * width + c] : edge[r * width + c];
}

/// How many vectors a tile has for these columns.
TARGET static inline int NAME(vectors_of)(ptrdiff_t columns) {
  return VECTORS == 4 && columns > 3 * LANES ? 4 : columns > LANES ? 2 : 1;
}

TARGET static void NAME(product)(const weft__matrix_product *p) {
  const ptrdiff_t k = p->k, m = p->m, n = p->n;
  const bool is_far = p->b_row * (ptrdiff_t)sizeof(T) >= WEFT__MATMUL_FAR_BYTES && m >= WEFT__MATMUL_FAR_ROWS;
  for (ptrdiff_t l = 0, j = 0, width; l < k; j + width < n ? (j += width) : (j = 0, l += WEFT__MATMUL_LOOP_STEPS)) {
    const int vectors = NAME(vectors_of)(n - j);
    const ptrdiff_t most_rows = vectors == 4 ? WIDE_ROWS : vectors == 2 ? PAIR_ROWS : MOST_ROWS;
    const ptrdiff_t steps = k - l < WEFT__MATMUL_LOOP_STEPS ? k - l : WEFT__MATMUL_LOOP_STEPS;
    width = vectors * LANES;
    const ptrdiff_t columns = n - j < width ? n - j : width;
    const T *b = (const T *)p->b + l * p->b_row + j;
    ptrdiff_t b_row = p->b_row;
    if (columns < width || is_far) {
      T *to = p->room;
      for (ptrdiff_t s = 0; s < steps; s++, to += width) {
        for (ptrdiff_t c = 0; c < columns; c++) to[c] = b[s * b_row + c];
        for (ptrdiff_t c = columns; c < width; c++) to[c] = 0;
      }
      b = p->room;
      b_row = width;
    }
    for (ptrdiff_t i = 0; i < m; i += most_rows) {
      T edge[MOST_ROWS * 4 * LANES];
      const T *row[MOST_ROWS];
      const ptrdiff_t rows = m - i < most_rows ? m - i : most_rows;
      const bool is_whole = rows == most_rows && columns == width, adds = is_whole && l > 0;
      T *out = (T *)p->out + i * p->out_row + j, *to = is_whole ? out : edge;
      const ptrdiff_t apart = is_whole ? p->out_row : width;
      for (ptrdiff_t r = 0; r < MOST_ROWS; r++)
        row[r] = (const T *)p->a + (i + (r < rows ? r : rows - 1)) * p->a_row + l;
      if (vectors == 4)
        NAME(tile_4)(to, apart, row, b, b_row, steps, adds);
      else if (vectors == 2)
        NAME(tile_2)(to, apart, row, b, b_row, steps, adds);
      else
        NAME(tile_1)(to, apart, row, b, b_row, steps, adds);
      if (!is_whole) NAME(store_edge)(out, p->out_row, edge, width, rows, columns, l > 0);
    }
  }
}
#undef LANES
