// SPDX-License-Identifier: MIT
/// Few elements and rows by their indices, and back, by the calling thread (mem/at_once.h). An index out of range is
/// left to the launch, which reports it.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include <string.h>

#include "array/strided_move.h"
#include "base/wide.h"
#include "mem/at_once.h"
#include "op/index/gather.h"

#define MOST_INDICES (1 << 18)

#define MOST_VALUE 16  /* bytes of an element */
#define BLOCK 256      /* indices whose places are found at once, in vectors */
#define LEAST_LONG 256 /* bytes of a row before which the place of the next one is brought to the cache: */
#define MOST_LONG 4096 /* its first bytes. 316 rows of 316 floats: 7.3 us, 8.9 without */

#if defined(__GNUC__)
#define FETCH(place) __builtin_prefetch(place, 1)
#else
#define FETCH(place) (void)0
#endif

/// Finds how many bytes from the first row the rows of `count` indices are; negative indices count from the end. False
/// if one is out of range.
typedef bool find_places(int64_t *place, const void *indices, int64_t count, int64_t length, int64_t step);

/// BEFORE: what is added to place k. A product of 64 bits takes vectors three instructions, and a shift one.
#define FIND_BY(BEFORE, scaled)                                                       \
  for (int64_t k = 0; k < count; k++) {                                               \
    const int64_t at = index[k] < 0 ? (int64_t)index[k] + length : (int64_t)index[k]; \
    outside |= (uint64_t)at >= (uint64_t)length;                                      \
    place[k] = (int64_t)(BEFORE + ((uint64_t)at scaled)); /* may be out of range */   \
  }
#define FIND_LOOP(TARGET, NAME, T, BEFORE)                                                                    \
  TARGET static bool NAME(int64_t *place, const void *indices, int64_t count, int64_t length, int64_t step) { \
    const T *restrict index = indices;                                                                        \
    uint64_t outside = 0;                                                                                     \
    int shift = 0;                                                                                            \
    while (shift < 12 && (int64_t)1 << shift != step) shift++;                                                \
    if (shift < 12)                                                                                           \
      FIND_BY(BEFORE, << shift)                                                                               \
    else                                                                                                      \
      FIND_BY(BEFORE, *(uint64_t)step)                                                                        \
    return outside == 0;                                                                                      \
  }
WEFT__EACH(FIND_LOOP, find_i32, int32_t, 0)
WEFT__EACH(FIND_LOOP, find_i64, int64_t, 0)
WEFT__EACH(FIND_LOOP, add_i32, int32_t, (uint64_t)place[k])
WEFT__EACH(FIND_LOOP, add_i64, int64_t, (uint64_t)place[k])

/// Moves `count` rows of `run` bytes between a dense array and their places. Eight are loaded before they are stored:
/// most places are outside of the first-level cache.
typedef void move_rows(char *restrict dense, char *restrict indexed, const int64_t *place, int64_t count, size_t run);

#define VALUE(k) (dense + (k) * (int64_t)sizeof v[0])
#define ROW(k) (indexed + place[k])
#define MOVE_LOOP(NAME, T, from, to)                                                                                \
  static void NAME(char *restrict dense, char *restrict indexed, const int64_t *place, int64_t count, size_t run) { \
    T v[8];                                                                                                         \
    int64_t k = 0;                                                                                                  \
    (void)run;                                                                                                      \
    for (; k + 8 <= count; k += 8) {                                                                                \
      for (int j = 0; j < 8; j++) memcpy(&v[j], from(k + j), sizeof v[0]);                                          \
      for (int j = 0; j < 8; j++) memcpy(to(k + j), &v[j], sizeof v[0]);                                            \
    }                                                                                                               \
    for (; k < count; k++) memcpy(to(k), from(k), sizeof v[0]);                                                     \
  }
#define ROW_LOOP(NAME, from, to)                                                                                    \
  static void NAME(char *restrict dense, char *restrict indexed, const int64_t *place, int64_t count, size_t run) { \
    const size_t ahead = run < LEAST_LONG ? 0 : run < MOST_LONG ? run : MOST_LONG;                                  \
    for (int64_t k = 0; k < count; k++) {                                                                           \
      for (size_t at = 0; at < ahead && k + 1 < count; at += 64) FETCH(to(k + 1) + at);                             \
      memcpy(to(k), from(k), run);                                                                                  \
    }                                                                                                               \
  }
#define BOTH_WAYS(bytes, T)              \
  MOVE_LOOP(take_##bytes, T, ROW, VALUE) \
  MOVE_LOOP(put_##bytes, T, VALUE, ROW)
BOTH_WAYS(1, uint8_t)
BOTH_WAYS(2, uint16_t)
BOTH_WAYS(4, uint32_t)
BOTH_WAYS(8, uint64_t)
#undef VALUE
#define VALUE(k) (dense + (k) * (int64_t)run)
ROW_LOOP(take_rows, ROW, VALUE)
ROW_LOOP(put_rows, VALUE, ROW)

/* ---- elements that are combined: cl/index/combine.clh in C ---- */

#define COMBINED 512 /* indices whose places are found at once */
#define AHEAD 64     /* elements that are brought to the cache meanwhile */

/// Combines `count` values, `step` bytes apart, with the elements at their places.
typedef void combine_values(char *indexed, const char *values, int64_t step, const int64_t *place, int64_t count);

#define COMBINE_LOOP(NAME, T, text)                                                                        \
  static void NAME(char *indexed, const char *values, int64_t step, const int64_t *place, int64_t count) { \
    for (int64_t k = 0; k < AHEAD && k < count; k++) FETCH(indexed + place[k]);                            \
    for (int64_t k = 0; k < count; k++, values += step) {                                                  \
      T a, b;                                                                                              \
      FETCH(indexed + place[k + AHEAD < count ? k + AHEAD : k]);                                           \
      memcpy(&a, indexed + place[k], sizeof a);                                                            \
      memcpy(&b, values, sizeof b);                                                                        \
      a = (T)(text);                                                                                       \
      memcpy(indexed + place[k], &a, sizeof a);                                                            \
    }                                                                                                      \
  }
/* the first NaN stays, as in numpy.minimum */
#define COMBINATIONS(D, T, U)                                      \
  COMBINE_LOOP(combine_add_##D, T, (U)a + (U)b)                    \
  COMBINE_LOOP(combine_min_##D, T, ((a == a) & !(b >= a)) ? b : a) \
  COMBINE_LOOP(combine_max_##D, T, ((a == a) & !(b <= a)) ? b : a)
#define NUMBERS(X)           \
  X(I8, int8_t, uint32_t)    \
  X(U8, uint8_t, uint32_t)   \
  X(I16, int16_t, uint32_t)  \
  X(U16, uint16_t, uint32_t) \
  X(I32, int32_t, uint32_t)  \
  X(U32, uint32_t, uint32_t) \
  X(I64, int64_t, uint64_t)  \
  X(U64, uint64_t, uint64_t) \
  X(F32, float, float)       \
  X(F64, double, double)
NUMBERS(COMBINATIONS)

/// The loop that combines elements; NULL: none.
static combine_values *combination_of(weft_dtype dtype, weft__scatter operation) {
  switch (dtype) {
#define CASE(D, T, U)                                         \
  case WEFT_##D:                                              \
    return operation == WEFT__SCATTER_ADD   ? combine_add_##D \
           : operation == WEFT__SCATTER_MIN ? combine_min_##D \
           : operation == WEFT__SCATTER_MAX ? combine_max_##D \
                                            : NULL;
    NUMBERS(CASE)
    default:
      return NULL;
  }
}

static move_rows *loop_of(int64_t run, bool puts) {
  switch (run) {
    case 1:
      return puts ? put_1 : take_1;
    case 2:
      return puts ? put_2 : take_2;
    case 4:
      return puts ? put_4 : take_4;
    case 8:
      return puts ? put_8 : take_8;
    default:
      return puts ? put_rows : take_rows;
  }
}

/// Whether one value is put to all places.
static bool is_one_value(const weft__indexing *i, const weft__strided_split *l) {
  return i->dense->size == 1 && i->indices->size > 1 && l->inner == 1;
}

/// Whether there are loops for the indices.
static bool are_few(const weft_array *indices) {
  const weft_dtype dtype = indices->dtype;
  return indices->context->store.is_cpu && indices->size <= MOST_INDICES && (dtype == WEFT_I32 || dtype == WEFT_I64) &&
         indices->offset_bytes % (int64_t)weft_dtype_size_bytes(dtype) == 0;
}

static bool is_few(const weft__indexing *i, const weft__strided_split *l) {
  return are_few(i->indices) && !i->along && i->mode == WEFT_INDEX_ERROR &&
         (i->dense->size == l->outer * i->indices->size * l->inner || is_one_value(i, l)) &&
         (uint64_t)weft_array_size_bytes(i->dense) <= weft__at_once_bytes(&i->context->core) / 2;
}

static find_places *finder_of(const weft_array *indices, bool adds) {
  static find_places *const loop[2][2][3] = {{WEFT__ALL(find_i32), WEFT__ALL(find_i64)},
                                             {WEFT__ALL(add_i32), WEFT__ALL(add_i64)}};
  return loop[adds][indices->dtype == WEFT_I64][WEFT__WIDTH];
}

/// False if an index is out of range; the launch then moves all elements again.
static bool move_all(char *dense, char *indexed, const char *indices, const weft__indexing *i,
                     const weft__strided_split *l, bool puts) {
  const int64_t index_bytes = (int64_t)weft_dtype_size_bytes(i->indices->dtype), all = i->indices->size;
  const int64_t run = l->inner * (int64_t)weft_dtype_size_bytes(i->indexed->dtype);
  find_places *const find = finder_of(i->indices, false);
  move_rows *const move = loop_of(run, puts);
  int64_t place[BLOCK], step = run;
  char values[BLOCK * MOST_VALUE];
  if (is_one_value(i, l)) {
    weft__repeat_elements(values, dense, 0, (size_t)run, 1, BLOCK);
    dense = values;
    step = 0;
  }
  for (int64_t o = 0; o < l->outer; o++, indexed += l->outer_stride)
    for (int64_t k = 0, count; k < all; k += count, dense += count * step) {
      count = all - k < BLOCK ? all - k : BLOCK;
      if (!find(place, indices + k * index_bytes, count, l->length, l->length_stride)) return false;
      move(dense, indexed, place, count, (size_t)run);
    }
  return true;
}

/// False, with nothing combined, if an index is out of range.
static bool combine_all(const char *values, char *indexed, const char *indices, const weft__indexing *i,
                        const weft__strided_split *l, combine_values *combine) {
  const int64_t index_bytes = (int64_t)weft_dtype_size_bytes(i->indices->dtype), all = i->indices->size;
  const int64_t step = is_one_value(i, l) ? 0 : (int64_t)weft_dtype_size_bytes(i->indexed->dtype);
  find_places *const find = finder_of(i->indices, false);
  int64_t place[COMBINED];
  for (int combines = 0; combines < 2; combines++)
    for (int64_t k = 0, count; k < all; k += count) {
      count = all - k < COMBINED ? all - k : COMBINED;
      if (!find(place, indices + k * index_bytes, count, l->length, l->length_stride)) return false;
      if (combines) combine(indexed, values + k * step, step, place, count);
    }
  return true;
}

weft_status weft__index_at_once(bool *is_done, const weft__indexing *i, const weft__strided_split *l,
                                weft__scatter operation) {
  const bool takes = operation == WEFT__TAKE, moves = takes || operation == WEFT__SCATTER_PUT;
  const weft__use use[] = {{i->dense->storage, takes}, {i->indexed->storage, !takes}, {i->indices->storage, false}};
  combine_values *const combine = moves ? NULL : combination_of(i->indexed->dtype, operation);
  char *place[3];
  *is_done = false;
  if (!is_few(i, l) || (!moves && (!combine || l->outer > 1 || l->inner > 1))) return WEFT_OK;
  WEFT__TRY_RETURN(weft__at_once(is_done, place, &i->context->core, 3, use));
  if (!*is_done) return WEFT_OK;
  const weft_array *const array[] = {i->dense, i->indexed, i->indices};
  for (int k = 0; k < 3; k++) place[k] += array[k]->offset_bytes;
  *is_done = moves ? move_all(place[0], place[1], place[2], i, l, !takes)
                   : combine_all(place[0], place[1], place[2], i, l, combine);
  return WEFT_OK;
}

/* ---- numbers of elements ---- */

weft_status weft__index_numbers_at_once(bool *is_done, weft_array *flat, weft_array *const *list, int lists,
                                        const weft_array *x) {
  weft__use use[1 + WEFT_MAX_NDIM] = {{flat->storage, true}};
  char *place[1 + WEFT_MAX_NDIM];
  uint64_t bytes = (uint64_t)weft_array_size_bytes(flat);
  *is_done = false;
  for (int d = 0; d < lists; d++) {
    if (!are_few(list[d])) return WEFT_OK;
    use[1 + d] = (weft__use){list[d]->storage, false};
    bytes += (uint64_t)weft_array_size_bytes(list[d]);
  }
  if (bytes > weft__at_once_bytes(&flat->context->core)) return WEFT_OK;
  WEFT__TRY_RETURN(weft__at_once(is_done, place, &flat->context->core, 1 + lists, use));
  if (!*is_done) return WEFT_OK;
  int64_t *const to = (int64_t *)(void *)(place[0] + flat->offset_bytes);
  for (int64_t k = 0, count; k < flat->size && *is_done; k += count) {
    int64_t step = 1;
    count = flat->size - k < COMBINED ? flat->size - k : COMBINED;
    for (int d = lists - 1; d >= 0 && *is_done; step *= x->shape[d--]) {
      const char *from = place[1 + d] + list[d]->offset_bytes + k * (int64_t)weft_dtype_size_bytes(list[d]->dtype);
      *is_done = finder_of(list[d], d < lists - 1)(to + k, from, count, x->shape[d], step);
    }
  }
  return WEFT_OK;
}
