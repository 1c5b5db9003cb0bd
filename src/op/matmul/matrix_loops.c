// SPDX-License-Identifier: MIT
/// Tiles of the result are added up in registers, in the order of k, and with more than STEPS steps in blocks, whose
/// sums are added in order. Columns of `b` are read where they are; they are copied first if they end within a vector,
/// which zeros then fill, or if rows are pages apart.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "fp-contract=fast") /* else the sums are not kept in registers; fused multiplications */
#endif
#include "op/matmul/matrix_loops.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/wide.h"

#ifdef __clang__
#define FUSES _Pragma("clang fp contract(fast)")
#else
#define FUSES
#endif
#define UNROLL _Pragma("GCC unroll 16")

enum {
  STEPS = 256, /* of k: the columns of `b` stay in the caches */
  MOST_ROWS = 8,
  WIDE_ROWS = 6, /* of a tile of four vectors: 24 of 32 registers are sums */
  FAR_BYTES = 4096,
  FAR_ROWS = 64 /* of `a`: fewer do not pay for a copy */
};
#define LANES(T, BYTES) ((ptrdiff_t)((BYTES) / sizeof(T)))

/// Adds up products of ROWS rows, which begin at row[r], and VECTORS vectors of columns.
#define TILE(TARGET, NAME, T_, BYTES, ROWS, VECTORS)                                                              \
  TARGET static void NAME(T_ *restrict out, ptrdiff_t apart, const T_ *const *restrict row, const T_ *restrict b, \
                          ptrdiff_t b_row, ptrdiff_t k, bool adds) {                                              \
    FUSES                                                                                                         \
    typedef T_ vector __attribute__((vector_size(BYTES), may_alias, aligned(sizeof(T_))));                        \
    const ptrdiff_t lanes = LANES(T_, BYTES);                                                                     \
    vector sum[ROWS][VECTORS];                                                                                    \
    const T_ *x[ROWS];                                                                                            \
    UNROLL for (int r = 0; r < ROWS; r++) {                                                                       \
      x[r] = row[r];                                                                                              \
      UNROLL for (int v = 0; v < VECTORS; v++) {                                                                  \
        sum[r][v] = (vector){0};                                                                                  \
        __builtin_prefetch(out + r * apart + v * lanes, 1);                                                       \
      }                                                                                                           \
    }                                                                                                             \
    for (ptrdiff_t l = 0; l < k; l++, b += b_row) {                                                               \
      vector y[VECTORS];                                                                                          \
      UNROLL for (int v = 0; v < VECTORS; v++) y[v] = *(const vector *)(const void *)(b + v * lanes);             \
      UNROLL for (int r = 0; r < ROWS; r++) UNROLL for (int v = 0; v < VECTORS; v++) sum[r][v] += x[r][l] * y[v]; \
    }                                                                                                             \
    UNROLL for (int r = 0; r < ROWS; r++) UNROLL for (int v = 0; v < VECTORS; v++) {                              \
      vector *to = (vector *)(void *)(out + r * apart + v * lanes);                                               \
      if (adds) sum[r][v] += *to;                                                                                 \
      *to = sum[r][v];                                                                                            \
    }                                                                                                             \
  }

/// Stores a part of a tile.
#define STORE_EDGE(TARGET, NAME, T)                                                                                   \
  TARGET static void NAME(T *out, ptrdiff_t apart, const T *edge, ptrdiff_t width, ptrdiff_t rows, ptrdiff_t columns, \
                          bool adds) {                                                                                \
    for (ptrdiff_t r = 0; r < rows; r++)                                                                              \
      for (ptrdiff_t c = 0; c < columns; c++)                                                                         \
        out[r * apart + c] = adds ? out[r * apart + c] + edge[r * width + c] : edge[r * width + c];                   \
  }

/// ROWS: rows of a tile of two vectors; VECTORS: of a tile at most, 2 or 4.
#define PRODUCT(TARGET, NAME, T, BYTES, ROWS, VECTORS)                                               \
  TILE(TARGET, NAME##_1, T, BYTES, MOST_ROWS, 1)                                                     \
  TILE(TARGET, NAME##_2, T, BYTES, ROWS, 2)                                                          \
  TILE(TARGET, NAME##_4, T, BYTES, WIDE_ROWS, 4)                                                     \
  STORE_EDGE(TARGET, NAME##_edge, T)                                                                 \
  TARGET static void NAME(const weft__matrix_product *p) {                                           \
    const ptrdiff_t lanes = LANES(T, BYTES), k = p->k, m = p->m, n = p->n;                           \
    const bool is_far = p->b_row * (ptrdiff_t)sizeof(T) >= FAR_BYTES && m >= FAR_ROWS;               \
    for (ptrdiff_t l = 0, j = 0, width; l < k; j + width < n ? (j += width) : (j = 0, l += STEPS)) { \
      const int vectors = VECTORS == 4 && n - j > 3 * lanes ? 4 : n - j > lanes ? 2 : 1;             \
      const ptrdiff_t most_rows = vectors == 4 ? WIDE_ROWS : vectors == 2 ? ROWS : MOST_ROWS;        \
      const ptrdiff_t steps = k - l < STEPS ? k - l : STEPS;                                         \
      width = vectors * lanes;                                                                       \
      const ptrdiff_t columns = n - j < width ? n - j : width;                                       \
      const T *b = (const T *)p->b + l * p->b_row + j;                                               \
      ptrdiff_t b_row = p->b_row;                                                                    \
      if (columns < width || is_far) {                                                               \
        T *to = p->room;                                                                             \
        for (ptrdiff_t s = 0; s < steps; s++, to += width) {                                         \
          for (ptrdiff_t c = 0; c < columns; c++) to[c] = b[s * b_row + c];                          \
          for (ptrdiff_t c = columns; c < width; c++) to[c] = 0;                                     \
        }                                                                                            \
        b = p->room;                                                                                 \
        b_row = width;                                                                               \
      }                                                                                              \
      for (ptrdiff_t i = 0; i < m; i += most_rows) {                                                 \
        T edge[MOST_ROWS * 4 * LANES(T, BYTES)];                                                     \
        const T *row[MOST_ROWS];                                                                     \
        const ptrdiff_t rows = m - i < most_rows ? m - i : most_rows;                                \
        const bool is_whole = rows == most_rows && columns == width, adds = is_whole && l > 0;       \
        T *out = (T *)p->out + i * p->out_row + j, *to = is_whole ? out : edge;                      \
        const ptrdiff_t apart = is_whole ? p->out_row : width;                                       \
        for (ptrdiff_t r = 0; r < MOST_ROWS; r++)                                                    \
          row[r] = (const T *)p->a + (i + (r < rows ? r : rows - 1)) * p->a_row + l;                 \
        if (vectors == 4)                                                                            \
          NAME##_4(to, apart, row, b, b_row, steps, adds);                                           \
        else if (vectors == 2)                                                                       \
          NAME##_2(to, apart, row, b, b_row, steps, adds);                                           \
        else                                                                                         \
          NAME##_1(to, apart, row, b, b_row, steps, adds);                                           \
        if (!is_whole) NAME##_edge(out, p->out_row, edge, width, rows, columns, l > 0);              \
      }                                                                                              \
    }                                                                                                \
  }

#if defined(WEFT__WIDEST_TARGET)
PRODUCT(WEFT__FUSED("avx2"), product_f32_wide, float, 32, 6, 2)
PRODUCT(WEFT__FUSED("avx2"), product_f64_wide, double, 32, 6, 2)
PRODUCT(WEFT__WIDEST_FUSED_TARGET, product_f32_widest, float, 64, 8, 4)
PRODUCT(WEFT__WIDEST_FUSED_TARGET, product_f64_widest, double, 64, 8, 4)
#elif WEFT__HAS_FUSED
PRODUCT(, product_f32, float, 16, 8, 4)
PRODUCT(, product_f64, double, 16, 8, 4)
#endif

weft__matrix_loop *weft__matrix_loop_of(weft_dtype dtype) {
  static weft__matrix_loop *const of_f32[] = WEFT__ALL_FUSED(product_f32);
  static weft__matrix_loop *const of_f64[] = WEFT__ALL_FUSED(product_f64);
  if (!WEFT__HAS_FUSED || (dtype != WEFT_F32 && dtype != WEFT_F64)) return NULL;
  return (dtype == WEFT_F32 ? of_f32 : of_f64)[WEFT__WIDTH];
}
