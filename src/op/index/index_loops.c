// SPDX-License-Identifier: MIT
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include "op/index/index_loops.h"

#include <string.h>

#include "base/float_bits.h"
#include "base/wide.h"
#include "op/index/tuning.h"

#if defined(__GNUC__)
#define FETCH(place) __builtin_prefetch(place, 1)
#else
#define FETCH(place) (void)0
#endif

/* ---- places ---- */

/// The stride as a power of two; -1: it is none, or a large one.
static inline int weft__index_shift(int64_t stride) {
  int shift = 0;
  while (shift < 12 && (int64_t)1 << shift != stride) shift++;
  return shift < 12 ? shift : -1;
}

#define LOOPS "op/index/place_types.h"
#include "base/each_width.h"

/// Of a type of indices: the row of the tables.
static int number_of(int32_t dtype) {
  return dtype == WEFT_I32 ? 0 : dtype == WEFT_U32 ? 1 : dtype == WEFT_I64 ? 2 : 3;
}

weft__index_find *weft__index_finder(const weft__indexed_axis *axis) {
  static weft__index_find *const(*const finders[3])[4] = WEFT__ALL(index_finders);
  return finders[WEFT__WIDTH][number_of(axis->dtype)][axis->mode];
}

uint64_t weft__index_bits(const void *indices, int64_t k, int32_t dtype) {
  const char *const from = (const char *)indices + (size_t)k * weft_dtype_size_bytes((weft_dtype)dtype);
  uint64_t wide;
  int32_t narrow;
  if (dtype == WEFT_I64 || dtype == WEFT_U64) {
    memcpy(&wide, from, sizeof wide);
    return wide;
  }
  memcpy(&narrow, from, sizeof narrow);
  return dtype == WEFT_U32 ? (uint32_t)narrow : (uint64_t)(int64_t)narrow;
}

int64_t weft__index_find_each(int64_t *place, const void *indices, int64_t n, const weft__indexed_axis *axis) {
  const size_t size = weft_dtype_size_bytes((weft_dtype)axis->dtype);
  weft__index_find *const find = weft__index_finder(axis);
  int64_t first = n;
  for (int64_t k = 0; k < n; k++) {
    int64_t distance;
    if (!find(&distance, (const char *)indices + (size_t)k * size, 1, axis, false)) {
      if (first == n) first = k;
      place[k] = WEFT__INDEX_NOWHERE;
    } else if (place[k] != WEFT__INDEX_NOWHERE) {
      place[k] += distance;
    }
  }
  return first;
}

/* ---- moves ---- */

typedef struct weft__index_wide {
  uint64_t half[2];
} weft__index_wide;
#define T uint8_t
#define NAME(name) index_##name##_1
#include "op/index/move_loops.h"
#define T uint16_t
#define NAME(name) index_##name##_2
#include "op/index/move_loops.h"
#define T uint32_t
#define NAME(name) index_##name##_4
#include "op/index/move_loops.h"
#define T uint64_t
#define NAME(name) index_##name##_8
#include "op/index/move_loops.h"
#define T weft__index_wide
#define NAME(name) index_##name##_16
#include "op/index/move_loops.h"

/// Of a power of two up to 16: the row of the tables.
static int row_of(size_t size) {
  return (size > 1) + (size > 2) + (size > 4) + (size > 8);
}

/// The bytes of a row that are brought to the cache before it is moved.
static size_t ahead_of(size_t bytes) {
  return bytes < WEFT__INDEX_LEAST_LONG ? 0 : bytes < WEFT__INDEX_MOST_LONG ? bytes : WEFT__INDEX_MOST_LONG;
}

static void take_rows(char *restrict dense, char *restrict indexed, const int64_t *place, int64_t n, size_t bytes,
                      size_t step) {
  const size_t ahead = ahead_of(bytes);
  for (int64_t k = 0; k < n; k++, dense += step) {
    for (size_t at = 0; at < ahead && k + 1 < n; at += 64) FETCH(dense + step + at);
    memcpy(dense, indexed + place[k], bytes);
  }
}

static void put_rows(char *restrict dense, char *restrict indexed, const int64_t *place, int64_t n, size_t bytes,
                     size_t step) {
  const size_t ahead = ahead_of(bytes);
  for (int64_t k = 0; k < n; k++, dense += step) {
    for (size_t at = 0; at < ahead && k + 1 < n; at += 64) FETCH(indexed + place[k + 1] + at);
    memcpy(indexed + place[k], dense, bytes);
  }
}

weft__index_move *weft__index_mover(size_t bytes, size_t step, bool puts) {
  static weft__index_move *const loops[][2] = {{index_take_1, index_put_1},
                                               {index_take_2, index_put_2},
                                               {index_take_4, index_put_4},
                                               {index_take_8, index_put_8},
                                               {index_take_16, index_put_16}};
  if (bytes == step && bytes <= 16 && (bytes & (bytes - 1)) == 0) return loops[row_of(bytes)][puts];
  return puts ? put_rows : take_rows;
}

void weft__index_put_one(char *indexed, const char *value, const int64_t *place, int64_t n, size_t size) {
  static void (*const loops[])(char *, const char *, const int64_t *, int64_t) = {
      index_put_one_1, index_put_one_2, index_put_one_4, index_put_one_8, index_put_one_16};
  loops[row_of(size)](indexed, value, place, n);
}

void weft__index_put_numbered(char *indexed, const char *values, const int64_t *number, const int64_t *place, int64_t n,
                              size_t size) {
  static void (*const loops[])(char *, const char *, const int64_t *, const int64_t *, int64_t) = {
      index_put_numbered_1, index_put_numbered_2, index_put_numbered_4, index_put_numbered_8, index_put_numbered_16};
  loops[row_of(size)](indexed, values, number, place, n);
}

/* ---- combinations ---- */

#define FROM_BF16(x) weft__f32_of_bits((uint32_t)(x) << 16)
#define T int8_t
#define NAME(name) index_i8_##name
#include "op/index/combine_loops.h"
#define T uint8_t
#define NAME(name) index_u8_##name
#include "op/index/combine_loops.h"
#define T int16_t
#define NAME(name) index_i16_##name
#include "op/index/combine_loops.h"
#define T uint16_t
#define NAME(name) index_u16_##name
#include "op/index/combine_loops.h"
#define T int32_t
#define NAME(name) index_i32_##name
#include "op/index/combine_loops.h"
#define T uint32_t
#define NAME(name) index_u32_##name
#include "op/index/combine_loops.h"
#define T int64_t
#define NAME(name) index_i64_##name
#include "op/index/combine_loops.h"
#define T uint64_t
#define NAME(name) index_u64_##name
#include "op/index/combine_loops.h"
#define T uint16_t
#define LOAD weft__f32_of_f16
#define STORE weft__f16_of_f32
#define SUM float
#define NAME(name) index_f16_##name
#include "op/index/combine_loops.h"
#define T uint16_t
#define LOAD FROM_BF16
#define STORE weft__bf16_of_f32
#define SUM float
#define NAME(name) index_bf16_##name
#include "op/index/combine_loops.h"
#define T float
#define SUM float
#define NAME(name) index_f32_##name
#include "op/index/combine_loops.h"
#define T double
#define SUM double
#define NAME(name) index_f64_##name
#include "op/index/combine_loops.h"
#define T float
#define LANES 2
#define SUM float
#define NAME(name) index_c64_##name
#include "op/index/combine_loops.h"
#define T double
#define LANES 2
#define SUM double
#define NAME(name) index_c128_##name
#include "op/index/combine_loops.h"

const weft__index_combining *weft__index_combining_of(weft_dtype dtype) {
#define OF(type) \
  { index_##type##_combine_run, index_##type##_combine }
  static const weft__index_combining all[WEFT_DTYPE_COUNT] = {
      [WEFT_BOOL] = OF(u8),   [WEFT_I8] = OF(i8),   [WEFT_U8] = OF(u8),   [WEFT_I16] = OF(i16), [WEFT_U16] = OF(u16),
      [WEFT_I32] = OF(i32),   [WEFT_U32] = OF(u32), [WEFT_I64] = OF(i64), [WEFT_U64] = OF(u64), [WEFT_F16] = OF(f16),
      [WEFT_BF16] = OF(bf16), [WEFT_F32] = OF(f32), [WEFT_F64] = OF(f64), [WEFT_C64] = OF(c64), [WEFT_C128] = OF(c128)};
  return &all[dtype];
}
