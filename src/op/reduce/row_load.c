// SPDX-License-Identifier: MIT
/// Elements for the loops of op/reduce/row_loops.c and op/reduce/column_loops.c, which take them side by side and do
/// not know all dtypes.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include "array/strided_move.h"
#include "base/float_bits.h"
#include "base/wide.h"
#include "op/reduce/row_loops.h"

/// Elements that are `stride` apart, as another dtype.
typedef void load_loop(void *to, const void *from, int64_t stride, int64_t n);

#define LOAD(TARGET, NAME, T, A, value)                                            \
  TARGET static void NAME(void *to, const void *from, int64_t stride, int64_t n) { \
    const T *x = from;                                                             \
    A *restrict y = to;                                                            \
    for (int64_t i = 0; stride == 1 && i < n; i++) {                               \
      const T v = x[i];                                                            \
      y[i] = (value);                                                              \
    }                                                                              \
    for (int64_t i = 0; stride != 1 && i < n; i++) {                               \
      const T v = x[i * stride];                                                   \
      y[i] = (value);                                                              \
    }                                                                              \
  }
#define LOAD_INTEGER(D, T, least, most) WEFT__EACH(LOAD, load_##D, T, double, (double)v)
#define OF_INTEGER(D, T, least, most) [WEFT_##D] = WEFT__ALL(load_##D),
WEFT__ROW_INTEGERS(LOAD_INTEGER)
LOAD_INTEGER(BOOL, uint8_t, , )
WEFT__EACH(LOAD, load_F16, uint16_t, float, weft__f32_of_f16(v))
WEFT__EACH(LOAD, load_BF16, uint16_t, float, weft__f32_of_bits((uint32_t)v << 16))
static load_loop *const load_loops[WEFT_DTYPE_COUNT][3] = {WEFT__ROW_INTEGERS(OF_INTEGER) OF_INTEGER(BOOL, , , )
                                                               OF_INTEGER(F16, , , ) OF_INTEGER(BF16, , , )};

/// Both parts of complex numbers.
#define UNPAIR(TARGET, NAME, T)                                    \
  TARGET static void NAME(void *to, const void *from, int64_t n) { \
    const T *x = from;                                             \
    T *restrict y = to;                                            \
    for (int64_t i = 0; i < n; i++) {                              \
      y[i] = x[2 * i];                                             \
      y[n + i] = x[2 * i + 1];                                     \
    }                                                              \
  }
WEFT__EACH(UNPAIR, unpair_4, uint32_t)
WEFT__EACH(UNPAIR, unpair_8, uint64_t)

void weft__row_load(char *to, const weft__row_sharing *t, const char *from, int64_t row_stride, int64_t stride,
                    int64_t rows, int64_t n) {
  const int64_t stored = (int64_t)weft_dtype_size_bytes((weft_dtype)t->stored);
  const int64_t size = (int64_t)weft_dtype_size_bytes((weft_dtype)t->dtype);
  if (t->stored != t->dtype) {
    load_loop *const loop = load_loops[t->stored][WEFT__WIDTH];
    for (int64_t r = 0; r < rows; r++) loop(to + r * n * size, from + r * row_stride * stored, stride, n);
  } else if (rows == 2 && row_stride == 1 && stride == 2 && size >= 4) {
    static void (*const unpair[2][3])(void *, const void *, int64_t) = {WEFT__ALL(unpair_4), WEFT__ALL(unpair_8)};
    unpair[size == 8][WEFT__WIDTH](to, from, n);
  } else {
    weft__move_rows(to, n * size, from, row_stride * stored, stride * stored, size, rows, n);
  }
}
