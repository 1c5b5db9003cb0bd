// SPDX-License-Identifier: MIT
/// Few elements and rows by their indices, and back, by the calling thread (mem/at_once.h). An index out of range is
/// left to the launch, which reports it.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include <string.h>

#include "base/wide.h"
#include "mem/at_once.h"
#include "op/index/gather.h"

#define MOST_INDICES (1 << 18)
#define BLOCK 256 /* indices that are checked before their elements are moved */

/// Finds the places of `count` indices, up to BLOCK: negative ones count from the end. False if one is out of range.
typedef bool resolve(int64_t *place, const void *indices, int64_t count, int64_t length);

#define RESOLVE_LOOP(TARGET, NAME, T)                                                           \
  TARGET static bool NAME(int64_t *place, const void *indices, int64_t count, int64_t length) { \
    const T *restrict index = indices;                                                          \
    uint64_t outside = 0;                                                                       \
    for (int64_t k = 0; k < count; k++) {                                                       \
      const int64_t at = index[k] < 0 ? (int64_t)index[k] + length : (int64_t)index[k];         \
      outside |= (uint64_t)at >= (uint64_t)length;                                              \
      place[k] = at;                                                                            \
    }                                                                                           \
    return outside == 0;                                                                        \
  }
WEFT__EACH(RESOLVE_LOOP, resolve_i32, int32_t)
WEFT__EACH(RESOLVE_LOOP, resolve_i64, int64_t)

/// A call: rows of `run` bytes of the indexed array, `step` bytes apart.
typedef struct moving {
  const weft__strided_split *split;
  int64_t count, run;
  size_t index_bytes;
  resolve *resolve;
  char *indexed, *dense;
  const char *indices;
} moving;

#define MOVE_EACH(bytes)                                                                      \
  for (int64_t k = 0; k < count; k++) {                                                       \
    char *const value = dense + k * (int64_t)(bytes), *const row = indexed + place[k] * step; \
    memcpy(puts ? row : value, puts ? value : row, bytes);                                    \
  }
/// Moves a block's rows.
static inline void move_block(const moving *m, char *dense, char *indexed, const int64_t *place, int64_t count,
                              bool puts) {
  const int64_t step = m->split->length_stride;
  const size_t run = (size_t)m->run;
  switch (run) {
    case 1:
      MOVE_EACH(1)
      break;
    case 2:
      MOVE_EACH(2)
      break;
    case 4:
      MOVE_EACH(4)
      break;
    case 8:
      MOVE_EACH(8)
      break;
    default:
      MOVE_EACH(run)
  }
}

static bool resolve_block(int64_t *place, const moving *m, int64_t begin, int64_t count) {
  return m->resolve(place, m->indices + begin * (int64_t)m->index_bytes, count, m->split->length);
}

static bool are_inside(const moving *m) {
  int64_t place[BLOCK];
  bool inside = true;
  for (int64_t k = 0; k < m->count && inside; k += BLOCK)
    inside = resolve_block(place, m, k, m->count - k < BLOCK ? m->count - k : BLOCK);
  return inside;
}

/// False if an index is out of range.
static bool move_all(const moving *m, bool puts) {
  int64_t place[BLOCK];
  if (puts && !are_inside(m)) return false;
  for (int64_t o = 0; o < m->split->outer; o++) {
    char *const indexed = m->indexed + o * m->split->outer_stride, *const dense = m->dense + o * m->count * m->run;
    for (int64_t k = 0; k < m->count; k += BLOCK) {
      const int64_t count = m->count - k < BLOCK ? m->count - k : BLOCK;
      if (!resolve_block(place, m, k, count)) return false;
      if (puts)
        move_block(m, dense + k * m->run, indexed, place, count, true);
      else
        move_block(m, dense + k * m->run, indexed, place, count, false);
    }
  }
  return true;
}

static bool is_few(const weft__indexing *i, const weft__strided_split *l) {
  const weft_dtype index = i->indices->dtype;
  return i->context->store.is_cpu && !i->along && i->mode == WEFT_INDEX_ERROR && i->indices->size <= MOST_INDICES &&
         (index == WEFT_I32 || index == WEFT_I64) && i->dense->size == l->outer * i->indices->size * l->inner &&
         i->indices->offset_bytes % (int64_t)weft_dtype_size_bytes(index) == 0 &&
         (uint64_t)weft_array_size_bytes(i->dense) <= weft__at_once_bytes(&i->context->core) / 2;
}

weft_status weft__index_at_once(bool *is_done, const weft__indexing *i, const weft__strided_split *l, bool puts) {
  static resolve *const loop[2][3] = {WEFT__ALL(resolve_i32), WEFT__ALL(resolve_i64)};
  const bool is_long = i->indices->dtype == WEFT_I64;
  const weft__use use[] = {{i->dense->storage, !puts}, {i->indexed->storage, puts}, {i->indices->storage, false}};
  char *place[3];
  *is_done = false;
  if (!is_few(i, l)) return WEFT_OK;
  WEFT__TRY_RETURN(weft__at_once(is_done, place, &i->context->core, 3, use));
  if (!*is_done) return WEFT_OK;
  const moving m = {.split = l,
                    .count = i->indices->size,
                    .run = l->inner * (int64_t)weft_dtype_size_bytes(i->indexed->dtype),
                    .index_bytes = is_long ? 8 : 4,
                    .resolve = loop[is_long][WEFT__WIDTH],
                    .dense = place[0] + i->dense->offset_bytes,
                    .indexed = place[1] + i->indexed->offset_bytes,
                    .indices = place[2] + i->indices->offset_bytes};
  *is_done = move_all(&m, puts);
  return WEFT_OK;
}
