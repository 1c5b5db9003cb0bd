// SPDX-License-Identifier: MIT
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the lanes are not kept in registers */
#endif
#include "op/matmul/vector_loops.h"

#include "base/wide.h"

#define VECTOR_BYTES 64
#define LANES(T) ((int)(VECTOR_BYTES / sizeof(T)))
#define ROWS 8    /* whose sums are added up side by side */
#define COLUMNS 8 /* vectors of sums of a transposed matrix */

#define FOLD(lane, half) \
  for (int l = 0; l < (half); l++) (lane)[l] += (lane)[(half) + l];

/// The sums of `rows` rows, 1 or ROWS. Adjacent lanes of all rows are added up together.
#define SUMS(T, FUSED, rows)                                                                        \
  {                                                                                                 \
    const T *row = from + r * apart;                                                                \
    T lane[(rows)*LANES(T)] = {0};                                                                  \
    int64_t i = 0;                                                                                  \
    for (; i + LANES(T) <= k; i += LANES(T))                                                        \
      for (int j = 0; j < (rows); j++)                                                              \
        for (int l = 0; l < LANES(T); l++)                                                          \
          lane[j * LANES(T) + l] = FUSED(row[j * apart + i + l], v[i + l], lane[j * LANES(T) + l]); \
    for (int l = 0; i < k; i++, l++)                                                                \
      for (int j = 0; j < (rows); j++)                                                              \
        lane[j * LANES(T) + l] = FUSED(row[j * apart + i], v[i], lane[j * LANES(T) + l]);           \
    for (int j = 0; j < (rows); j++) {                                                              \
      T *one = lane + j * LANES(T);                                                                 \
      if (LANES(T) > 8) FOLD(one, 8)                                                                \
      FOLD(one, 4)                                                                                  \
      y[r + j] = (one[0] + one[2]) + (one[1] + one[3]);                                             \
    }                                                                                               \
  }

/// The last rows overlap others.
#define ROW_LOOP(TARGET, NAME, T, FUSED)                                                                  \
  TARGET static void NAME(void *out, const void *a, int64_t apart, const void *x, int64_t m, int64_t k) { \
    const T *from = a, *v = x;                                                                            \
    T *y = out;                                                                                           \
    for (int64_t r = 0; r < m && m < ROWS; r++) SUMS(T, FUSED, 1)                                         \
    for (int64_t at = 0; at < m && m >= ROWS; at += ROWS) {                                               \
      const int64_t r = at < m - ROWS ? at : m - ROWS;                                                    \
      SUMS(T, FUSED, ROWS)                                                                                \
    }                                                                                                     \
  }

#define COLUMN_LOOP(TARGET, NAME, T, FUSED)                                                                   \
  TARGET static void NAME(void *out, const void *a, int64_t apart, const void *x, int64_t m, int64_t k) {     \
    const T *from = a, *v = x;                                                                                \
    T *y = out;                                                                                               \
    int64_t r = 0;                                                                                            \
    for (; r + COLUMNS * LANES(T) <= m; r += COLUMNS * LANES(T)) {                                            \
      T lane[COLUMNS * LANES(T)] = {0};                                                                       \
      for (int64_t i = 0; i < k; i++)                                                                         \
        for (int l = 0; l < COLUMNS * LANES(T); l++) lane[l] = FUSED(from[i * apart + r + l], v[i], lane[l]); \
      for (int l = 0; l < COLUMNS * LANES(T); l++) y[r + l] = lane[l];                                        \
    }                                                                                                         \
    for (int64_t l = r; l < m; l++) y[l] = 0;                                                                 \
    for (int64_t i = 0; i < k && r < m; i++)                                                                  \
      for (int64_t l = r; l < m; l++) y[l] = FUSED(from[i * apart + l], v[i], y[l]);                          \
  }

WEFT__EACH_FUSED(ROW_LOOP, rows_f32, float, __builtin_fmaf)
WEFT__EACH_FUSED(ROW_LOOP, rows_f64, double, __builtin_fma)
WEFT__EACH_FUSED(COLUMN_LOOP, columns_f32, float, __builtin_fmaf)
WEFT__EACH_FUSED(COLUMN_LOOP, columns_f64, double, __builtin_fma)

weft__vector_loop *weft__vector_loop_of(weft_dtype dtype, bool is_transposed) {
  static weft__vector_loop *const of_f32[][3] = {WEFT__ALL_FUSED(rows_f32), WEFT__ALL_FUSED(columns_f32)};
  static weft__vector_loop *const of_f64[][3] = {WEFT__ALL_FUSED(rows_f64), WEFT__ALL_FUSED(columns_f64)};
  if (!WEFT__HAS_FUSED || (dtype != WEFT_F32 && dtype != WEFT_F64)) return NULL;
  return (dtype == WEFT_F32 ? of_f32 : of_f64)[is_transposed][WEFT__WIDTH];
}
