// SPDX-License-Identifier: MIT
/// Matrices of few elements by the calling thread (mem/at_once.h): from the arrays of other libraries, checked and
/// copied, where three launches with a wait after each take ten times as long for 10^5 elements; as dense arrays.
#include <string.h>

#include "base/wide.h"
#include "mem/at_once.h"
#include "op/sparse/csr.h"
#include "op/sparse/stored.h"

#define MOST_BYTES (16 << 20) /* of the three arrays */
#define BLOCK 64              /* elements: a loop of this constant length becomes vector code */

/// The columns of `count` elements: false if one is outside of the matrix. Adds to *falls how often a column is not
/// beyond the one before.
typedef bool check_columns(int64_t *falls, const void *columns, int64_t count, int64_t width);
/// False if indptr does not rise from 0 to `count`. Takes from *falls those from one row to the next. Copies indptr.
typedef bool check_rows(int64_t *falls, void *to, const void *indptr, int64_t rows, const void *columns, int64_t count);

#define CHECK_COLUMNS(TARGET, NAME, T, U)                                                      \
  TARGET static bool NAME(int64_t *falls, const void *columns, int64_t count, int64_t width) { \
    const T *column = columns;                                                                 \
    U outside = count > 0 && (U)column[0] >= (U)width;                                         \
    int64_t k = 1;                                                                             \
    for (; k + BLOCK <= count; k += BLOCK) {                                                   \
      U fell = 0;                                                                              \
      for (int i = 0; i < BLOCK; i++) {                                                        \
        outside |= (U)((U)column[k + i] >= (U)width);                                          \
        fell += (U)(column[k + i] <= column[k + i - 1]);                                       \
      }                                                                                        \
      *falls += (int64_t)fell;                                                                 \
    }                                                                                          \
    for (; k < count; k++) {                                                                   \
      outside |= (U)((U)column[k] >= (U)width);                                                \
      *falls += column[k] <= column[k - 1];                                                    \
    }                                                                                          \
    return outside == 0;                                                                       \
  }

/// G: the integers of the given indptr.
#define CHECK_ROWS(NAME, T, G)                                                                                       \
  static bool NAME(int64_t *falls, void *to, const void *indptr, int64_t rows, const void *columns, int64_t count) { \
    const G *start = indptr;                                                                                         \
    const T *column = columns;                                                                                       \
    T *copy = to;                                                                                                    \
    bool rises = start[0] == 0 && start[rows] == (G)count;                                                           \
    for (int64_t r = 0; r < rows && rises; r++) rises = start[r] <= start[r + 1];                                    \
    for (int64_t r = 0; r <= rows && rises; r++) {                                                                   \
      const int64_t at = (int64_t)start[r];                                                                          \
      copy[r] = (T)at;                                                                                               \
      if (r < rows && at > 0 && at < (int64_t)start[r + 1]) *falls -= column[at] <= column[at - 1];                  \
    }                                                                                                                \
    return rises;                                                                                                    \
  }

WEFT__BOTH(CHECK_COLUMNS, columns_i32, int32_t, uint32_t)
WEFT__BOTH(CHECK_COLUMNS, columns_i64, int64_t, uint64_t)
CHECK_ROWS(rows_i32, int32_t, int32_t)
CHECK_ROWS(rows_of_i64, int32_t, int64_t)
CHECK_ROWS(rows_i64, int64_t, int64_t)

/// The first rows of the tiles, as cl/sparse/tiles.cl finds them.
static void find_tiles(int64_t *first, int64_t tiles, int64_t tile, const void *indptr, int64_t rows, bool is_long) {
  int64_t row = 0;
  for (int64_t t = 0; t <= tiles; t++) {
    for (; row < rows; row++) {
      const int64_t end = is_long ? ((const int64_t *)indptr)[row + 1] : ((const int32_t *)indptr)[row + 1];
      if (end + row >= t * tile) break;
    }
    first[t] = row;
  }
}

enum { INDPTR, INDICES, DATA, TILES, PARTS };

/// The places of the given arrays and of the copies.
typedef struct copying {
  char *from[TILES], *to[PARTS];
  weft_dtype given, index; /* of indptr, and of the indices */
  int64_t rows, columns, count, tiles, tile;
} copying;

/// Checks the arrays and copies them. False if they are not right, or the columns of a row do not ascend.
static bool copy(const copying *c, size_t indices_bytes, size_t data_bytes) {
  static check_columns *const of_columns[2][2] = {WEFT__PAIR(columns_i32), WEFT__PAIR(columns_i64)};
  const bool is_long = c->index == WEFT_I64;
  check_rows *const of_rows = is_long ? rows_i64 : c->given == WEFT_I64 ? rows_of_i64 : rows_i32;
  int64_t falls = 0;
  if (!of_columns[is_long][WEFT__IS_WIDE](&falls, c->from[INDICES], c->count, c->columns) ||
      !of_rows(&falls, c->to[INDPTR], c->from[INDPTR], c->rows, c->from[INDICES], c->count) || falls != 0)
    return false;
  memcpy(c->to[INDICES], c->from[INDICES], indices_bytes);
  memcpy(c->to[DATA], c->from[DATA], data_bytes);
  find_tiles((int64_t *)(void *)c->to[TILES], c->tiles, c->tile, c->to[INDPTR], c->rows, is_long);
  return true;
}

static bool is_handled(const copying *c, const weft_array *const given[3]) {
  int64_t bytes = 0;
  for (int k = 0; k < TILES; k++) bytes += weft_array_size_bytes(given[k]);
  return c->count > 0 && bytes <= MOST_BYTES && given[INDICES]->dtype == c->index &&
         (c->given == c->index || (c->given == WEFT_I64 && c->index == WEFT_I32));
}

weft_status weft__csr_create_at_once(weft_csr **out, int64_t rows, int64_t columns, const weft_array *const given[3],
                                     const char *site) {
  weft_context *context = given[DATA]->context;
  copying c = {.rows = rows, .columns = columns, .count = given[INDICES]->size, .given = given[INDPTR]->dtype};
  c.index = weft__csr_index_dtype(rows, columns, c.count);
  c.tile = weft__csr_tiling_of(context).tile;
  c.tiles = (int64_t)weft_ceil_div((uint64_t)(rows + c.count), (uint64_t)c.tile);
  const int64_t size[PARTS] = {rows + 1, c.count, c.count, c.tiles + 1};
  const weft_dtype dtype[PARTS] = {c.index, c.index, given[DATA]->dtype, WEFT_I64};
  weft_array *made[PARTS] = {NULL};
  weft__use use[PARTS + TILES];
  char *place[PARTS + TILES];
  bool may;
  weft_status rc = WEFT_OK;
  if (!is_handled(&c, given)) return WEFT_OK;
  for (int k = 0; k < PARTS; k++) {
    WEFT__TRY(weft__array_create(&made[k], context, dtype[k], WEFT_SHAPE(size[k]), site));
    use[k] = (weft__use){made[k]->storage, true};
    if (k < TILES) use[PARTS + k] = (weft__use){given[k]->storage, false};
  }
  WEFT__TRY(weft__at_once(&may, place, &context->core, PARTS + TILES, use));
  if (!may) goto done;
  for (int k = 0; k < PARTS; k++) {
    c.to[k] = place[k] + made[k]->offset_bytes;
    if (k < TILES) c.from[k] = place[PARTS + k] + given[k]->offset_bytes;
  }
  if (!copy(&c, (size_t)weft_array_size_bytes(given[INDICES]), (size_t)weft_array_size_bytes(given[DATA]))) goto done;
  rc = weft__csr_make(out, rows, columns, &made[INDPTR], &made[INDICES], &made[DATA], &made[TILES], site);
done:
  for (int k = 0; k < PARTS; k++) weft_array_release(&made[k]);
  return rc;
}

/* ---- a dense matrix ---- */

#define MOST_STORED (1 << 16)

typedef struct storing {
  const char *indptr, *indices, *data;
  int64_t rows, columns;
  bool is_long;
} storing;

static int64_t index_at(const char *indices, int64_t k, bool is_long) {
  return is_long ? ((const int64_t *)(const void *)indices)[k] : ((const int32_t *)(const void *)indices)[k];
}

/// Stores the elements in a matrix of zeros.
static inline void store(char *to, const storing *m, size_t size) {
  for (int64_t r = 0, k = 0; r < m->rows; r++, to += m->columns * (int64_t)size)
    for (const int64_t end = index_at(m->indptr, r + 1, m->is_long); k < end; k++)
      memcpy(to + index_at(m->indices, k, m->is_long) * (int64_t)size, m->data + k * (int64_t)size, size);
}

weft_status weft__csr_dense_at_once(bool *is_done, weft_array *to, const weft__csr_elements *m) {
  const weft_array *const part[] = {to, m->indptr, m->indices, m->data};
  weft__use use[4];
  char *place[4];
  *is_done = false;
  if (!to->context->store.is_cpu || m->data->size > MOST_STORED || m->indptr->dtype != m->indices->dtype)
    return WEFT_OK;
  for (int k = 0; k < 4; k++) use[k] = (weft__use){part[k]->storage, k == 0};
  WEFT__TRY_RETURN(weft__at_once(is_done, place, &to->context->core, 4, use));
  if (!*is_done) return WEFT_OK;
  for (int k = 0; k < 4; k++) place[k] += part[k]->offset_bytes;
  const storing s = {place[1], place[2], place[3], m->indptr->size - 1, to->shape[1], m->indptr->dtype == WEFT_I64};
  switch (weft_dtype_size_bytes(to->dtype)) {
    case 4:
      store(place[0], &s, 4);
      break;
    case 8:
      store(place[0], &s, 8);
      break;
    default:
      store(place[0], &s, weft_dtype_size_bytes(to->dtype));
  }
  return WEFT_OK;
}
