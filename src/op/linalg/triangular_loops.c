// SPDX-License-Identifier: MIT
/// Blocks of rows: first the products with all solutions before the block, in vectors along a row, then the block's own
/// triangle, a row after the other. The solutions are also kept as rows, which the vectors are read from.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the lanes are not kept in registers */
#endif
#include "op/linalg/triangular_loops.h"

#include <stddef.h>

#include "base/wide.h"

#define VECTOR_BYTES 64
#define LANES(T) ((int)(VECTOR_BYTES / sizeof(T)))
#define BLOCK 16 /* rows, a multiple of the lanes */
#define RIGHTS WEFT__TRIANGULAR_ROOM

#define FOLD(lane, half) \
  for (int l = 0; l < (half); l++) (lane)[l] += (lane)[(half) + l];

/// rest[row][right] of a block: what its own triangle must give.
#define REST(TARGET, NAME, T, FUSED)                                                                        \
  TARGET static void NAME(T(*rest)[RIGHTS], const weft__triangular_task *p, ptrdiff_t first, ptrdiff_t end, \
                          ptrdiff_t right) {                                                                \
    const ptrdiff_t n = p->n, begin = p->is_upper ? end : 0, done = p->is_upper ? n : first;                \
    const T *known = p->room, *x = p->x;                                                                    \
    for (ptrdiff_t r = first; r < end; r++) {                                                               \
      const T *row = (const T *)p->t + r * n;                                                               \
      T lane[RIGHTS * LANES(T)] = {0};                                                                      \
      for (ptrdiff_t j = begin; j < done; j += LANES(T))                                                    \
        for (int c = 0; c < RIGHTS; c++)                                                                    \
          for (int l = 0; l < LANES(T); l++)                                                                \
            lane[c * LANES(T) + l] = FUSED(row[j + l], known[c * n + j + l], lane[c * LANES(T) + l]);       \
      for (int c = 0; c < RIGHTS; c++) {                                                                    \
        T *one = lane + c * LANES(T);                                                                       \
        if (LANES(T) > 8) FOLD(one, 8)                                                                      \
        FOLD(one, 4)                                                                                        \
        const T sum = (one[0] + one[2]) + (one[1] + one[3]);                                                \
        rest[r - first][c] = right + c < p->columns ? x[r * p->columns + right + c] - sum : 0;              \
      }                                                                                                     \
    }                                                                                                       \
  }

#define SOLVE(TARGET, NAME, T, FUSED)                                                                  \
  REST(TARGET, NAME##_rest, T, FUSED)                                                                  \
  TARGET static void NAME(const weft__triangular_task *p) {                                            \
    const ptrdiff_t n = p->n;                                                                          \
    T *known = p->room, *x = p->x, rest[BLOCK][RIGHTS];                                                \
    for (ptrdiff_t right = 0; right < p->columns; right += RIGHTS)                                     \
      for (ptrdiff_t before = 0; before < n; before += BLOCK) {                                        \
        const ptrdiff_t rows = n - before < BLOCK ? n - before : BLOCK;                                \
        const ptrdiff_t first = p->is_upper ? n - before - rows : before;                              \
        const T *t = (const T *)p->t + first * n + first;                                              \
        NAME##_rest(rest, p, first, first + rows, right);                                              \
        for (ptrdiff_t s = 0; s < rows; s++) {                                                         \
          const ptrdiff_t i = p->is_upper ? rows - 1 - s : s;                                          \
          const ptrdiff_t next = p->is_upper ? 0 : i + 1, end = p->is_upper ? i : rows;                \
          T v[RIGHTS];                                                                                 \
          for (int c = 0; c < RIGHTS; c++) v[c] = p->is_unit ? rest[i][c] : rest[i][c] / t[i * n + i]; \
          for (ptrdiff_t r = next; r < end; r++)                                                       \
            for (int c = 0; c < RIGHTS; c++) rest[r][c] = FUSED(-t[r * n + i], v[c], rest[r][c]);      \
          for (int c = 0; c < RIGHTS; c++) {                                                           \
            known[c * n + first + i] = v[c];                                                           \
            if (right + c < p->columns) x[(first + i) * p->columns + right + c] = v[c];                \
          }                                                                                            \
        }                                                                                              \
      }                                                                                                \
  }

WEFT__EACH_FUSED(SOLVE, solve_f32, float, __builtin_fmaf)
WEFT__EACH_FUSED(SOLVE, solve_f64, double, __builtin_fma)

weft__triangular_loop *weft__triangular_loop_of(weft_dtype dtype) {
  static weft__triangular_loop *const of_f32[] = WEFT__ALL_FUSED(solve_f32);
  static weft__triangular_loop *const of_f64[] = WEFT__ALL_FUSED(solve_f64);
  if (!WEFT__HAS_FUSED || (dtype != WEFT_F32 && dtype != WEFT_F64)) return NULL;
  return (dtype == WEFT_F32 ? of_f32 : of_f64)[WEFT__WIDTH];
}
