// SPDX-License-Identifier: MIT
/// Matrices of few elements by the calling thread (mem/at_once.h): from the arrays of other libraries and from elements
/// in order, checked and copied, where three launches with a wait after each take ten times as long for 10^5 elements;
/// transposed; as dense arrays.
#include <string.h>

#include "base/wide.h"
#include "mem/at_once.h"
#include "op/sparse/csr.h"
#include "op/sparse/stored.h"

#define MOST_BYTES (16 << 20) /* of the three arrays, and of an indptr of I32 */
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

/// The matrix's indptr from the row of each element: false if an element is outside of the matrix or not beyond the one
/// before.
typedef bool check_places(void *indptr, const void *rows_of, const void *columns, int64_t count, int64_t rows,
                          int64_t width);

/// G, H: the integers of the given rows, signed and unsigned.
#define CHECK_PLACES(TARGET, NAME, T, U, G, H)                                                                 \
  TARGET static bool NAME(void *indptr, const void *rows_of, const void *columns, int64_t count, int64_t rows, \
                          int64_t width) {                                                                     \
    const G *row = rows_of;                                                                                    \
    const T *column = columns;                                                                                 \
    T *start = indptr;                                                                                         \
    int wrong = (H)row[0] >= (H)rows || (U)column[0] >= (U)width;                                              \
    int64_t k = 1;                                                                                             \
    for (; k < count && !wrong; k += BLOCK)                                                                    \
      for (int64_t i = k; i < (k + BLOCK < count ? k + BLOCK : count); i++)                                    \
        wrong |= ((H)row[i] >= (H)rows) | ((U)column[i] >= (U)width) | (row[i] < row[i - 1]) |                 \
                 ((row[i] == row[i - 1]) & (column[i] <= column[i - 1]));                                      \
    int64_t next = 0; /* the first row whose beginning is not known */                                         \
    for (k = 0; k < count && !wrong; k++)                                                                      \
      for (; next <= (int64_t)row[k]; next++) start[next] = (T)k;                                              \
    for (; next <= rows && !wrong; next++) start[next] = (T)count;                                             \
    return !wrong;                                                                                             \
  }

WEFT__EACH(CHECK_PLACES, places_i32, int32_t, uint32_t, int32_t, uint32_t)
WEFT__EACH(CHECK_PLACES, places_of_i64, int32_t, uint32_t, int64_t, uint64_t)
WEFT__EACH(CHECK_PLACES, places_i64, int64_t, uint64_t, int64_t, uint64_t)

enum { PART_INDPTR, PART_INDICES, PART_DATA, PARTS };

/// The places of the given arrays and of the copies.
typedef struct copying {
  char *from[PARTS], *to[PARTS];
  bool has_rows;           /* the first given array has the row of each element, and is no indptr */
  weft_dtype given, index; /* of that array, and of the indices */
  int64_t rows, columns, count;
} copying;

/// Makes indptr, if the arrays are right and the elements in order.
static bool check(const copying *c) {
  static check_columns *const of_columns[2][2] = {WEFT__PAIR(columns_i32), WEFT__PAIR(columns_i64)};
  static check_places *const of_places[3][3] = {WEFT__ALL(places_i32), WEFT__ALL(places_of_i64), WEFT__ALL(places_i64)};
  const bool is_long = c->index == WEFT_I64;
  const int kind = is_long ? 2 : c->given == WEFT_I64;
  static check_rows *const of_rows[3] = {rows_i32, rows_of_i64, rows_i64};
  int64_t falls = 0;
  if (c->has_rows)
    return of_places[kind][WEFT__WIDTH](c->to[PART_INDPTR], c->from[PART_INDPTR], c->from[PART_INDICES], c->count,
                                        c->rows, c->columns);
  return of_columns[is_long][WEFT__IS_WIDE](&falls, c->from[PART_INDICES], c->count, c->columns) &&
         of_rows[kind](&falls, c->to[PART_INDPTR], c->from[PART_INDPTR], c->rows, c->from[PART_INDICES], c->count) &&
         falls == 0;
}

/// Checks the arrays and copies them. False if they are not right, or the elements not in order.
static bool copy(const copying *c, size_t indices_bytes, size_t data_bytes) {
  if (!check(c)) return false;
  memcpy(c->to[PART_INDICES], c->from[PART_INDICES], indices_bytes);
  memcpy(c->to[PART_DATA], c->from[PART_DATA], data_bytes);
  return true;
}

static bool is_handled(const copying *c, const weft_array *const given[3]) {
  int64_t bytes = 0;
  for (int k = 0; k < PARTS; k++) bytes += weft_array_size_bytes(given[k]);
  return given[PART_DATA]->context->store.is_cpu && c->count > 0 && c->rows < MOST_BYTES / 4 && bytes <= MOST_BYTES &&
         given[PART_INDICES]->dtype == c->index &&
         (c->given == c->index || (c->given == WEFT_I64 && c->index == WEFT_I32));
}

weft_status weft__csr_create_at_once(weft_csr **out, int64_t rows, int64_t columns, const weft_array *const given[3],
                                     bool has_rows, const char *site) {
  weft_context *context = given[PART_DATA]->context;
  copying c = {.rows = rows,
               .columns = columns,
               .count = given[PART_INDICES]->size,
               .given = given[PART_INDPTR]->dtype,
               .has_rows = has_rows};
  c.index = weft__csr_index_dtype(rows, columns, c.count);
  const int64_t size[PARTS] = {rows + 1, c.count, c.count};
  const weft_dtype dtype[PARTS] = {c.index, c.index, given[PART_DATA]->dtype};
  weft_array *made[PARTS] = {NULL};
  weft__use use[2 * PARTS];
  char *place[2 * PARTS];
  bool may;
  weft_status rc = WEFT_OK;
  if (!is_handled(&c, given)) return WEFT_OK;
  for (int k = 0; k < PARTS; k++) {
    WEFT__TRY(weft__array_create(&made[k], context, dtype[k], WEFT_SHAPE(size[k]), site));
    use[k] = (weft__use){made[k]->storage, true};
    use[PARTS + k] = (weft__use){given[k]->storage, false};
  }
  WEFT__TRY(weft__at_once(&may, place, &context->core, 2 * PARTS, use));
  if (!may) goto done;
  for (int k = 0; k < PARTS; k++) {
    c.to[k] = place[k] + made[k]->offset_bytes;
    c.from[k] = place[PARTS + k] + given[k]->offset_bytes;
  }
  if (!copy(&c, (size_t)weft_array_size_bytes(given[PART_INDICES]), (size_t)weft_array_size_bytes(given[PART_DATA])))
    goto done;
  rc = weft__csr_make(out, rows, columns, &made[PART_INDPTR], &made[PART_INDICES], &made[PART_DATA], site);
done:
  for (int k = 0; k < PARTS; k++) weft_array_release(&made[k]);
  return rc;
}

static inline int64_t index_at(const char *indices, int64_t k, bool is_long) {
  return is_long ? ((const int64_t *)(const void *)indices)[k] : ((const int32_t *)(const void *)indices)[k];
}

/* ---- the transpose ---- */

#define MOST_TURNED (1 << 18) /* elements; of more, two cores move half each, and this takes longer */

/// Indices are I32 (weft__csr_counting_pays).
typedef struct turning {
  const int32_t *indptr, *rows_of, *column; /* rows_of: of each element, if there is no indptr */
  const char *data;
  int32_t *to_indptr, *to_indices;
  char *to_data;
  uint64_t *word;  /* elements of 4 bytes with their rows: one store in any order instead of two */
  uint32_t *place; /* of the next element of each column */
  int64_t rows, columns, count;
} turning;

/// Makes place[column] the place of its first element, and to_indptr.
static void find_places(const turning *t) {
  uint32_t sum = 0;
  memset(t->place, 0, (size_t)t->columns * sizeof *t->place);
  for (int64_t k = 0; k < t->count; k++) t->place[t->column[k]]++;
  for (int64_t c = 0; c < t->columns; c++) {
    const uint32_t here = t->place[c];
    t->place[c] = sum;
    t->to_indptr[c] = (int32_t)sum;
    sum += here;
  }
  t->to_indptr[t->columns] = (int32_t)sum;
}

/// Moves element k to the next place of its column.
static inline void move(const turning *t, int64_t k, int32_t row, size_t size, bool to_words) {
  const uint32_t at = t->place[t->column[k]]++;
  if (to_words) {
    t->word[at] = (uint32_t)row | (uint64_t)((const uint32_t *)(const void *)t->data)[k] << 32;
    return;
  }
  t->to_indices[at] = row;
  memcpy(t->to_data + at * size, t->data + (size_t)k * size, size);
}

static inline void turn(const turning *t, size_t size, bool to_words) {
  find_places(t);
  for (int64_t k = 0; k < t->count && !t->indptr; k++) move(t, k, t->rows_of[k], size, to_words);
  for (int64_t r = 0, k = 0; r < t->rows && t->indptr; r++)
    for (const int64_t end = t->indptr[r + 1]; k < end; k++) move(t, k, (int32_t)r, size, to_words);
}

static void split_words(const turning *t) {
  uint32_t *restrict row = (uint32_t *)t->to_indices, *restrict value = (uint32_t *)(void *)t->to_data;
  const uint64_t *restrict word = t->word;
  for (int64_t k = 0; k < t->count; k++) {
    row[k] = (uint32_t)word[k];
    value[k] = (uint32_t)(word[k] >> 32);
  }
}

weft_status weft__csr_turn_at_once(bool *is_done, const weft__csr_elements *out, const weft__csr_elements *m,
                                   const char *site) {
  enum { ROWS, FROM_INDICES, FROM_DATA, TO_INDPTR, TO_INDICES, TO_DATA, ROOM, ARRAYS };
  weft_context *context = m->data->context;
  const size_t size = weft_dtype_size_bytes(m->data->dtype);
  const int64_t count = m->data->size, columns = out->indptr->size - 1, words = size == 4 ? count : 0;
  const weft_array *array[ARRAYS] = {
      m->indptr ? m->indptr : m->rows, m->indices, m->data, out->indptr, out->indices, out->data};
  weft_array *room = NULL;
  weft__use use[ARRAYS];
  char *place[ARRAYS];
  weft_status rc;
  *is_done = false;
  if (count > MOST_TURNED) return WEFT_OK;
  WEFT__TRY(weft__array_create(&room, context, WEFT_U32, WEFT_SHAPE(2 * words + columns), site));
  array[ROOM] = room;
  for (int k = 0; k < ARRAYS; k++) use[k] = (weft__use){array[k]->storage, k >= TO_INDPTR};
  WEFT__TRY(weft__at_once_waiting(is_done, place, &context->core, ARRAYS, use));
  if (!*is_done) goto done;
  for (int k = 0; k < ARRAYS; k++) place[k] += array[k]->offset_bytes;
  const turning t = {.indptr = m->indptr ? (const int32_t *)(void *)place[ROWS] : NULL,
                     .rows_of = (const int32_t *)(void *)place[ROWS],
                     .column = (const int32_t *)(void *)place[FROM_INDICES],
                     .data = place[FROM_DATA],
                     .to_indptr = (int32_t *)(void *)place[TO_INDPTR],
                     .to_indices = (int32_t *)(void *)place[TO_INDICES],
                     .to_data = place[TO_DATA],
                     .word = (uint64_t *)(void *)place[ROOM],
                     .place = (uint32_t *)(void *)place[ROOM] + 2 * words,
                     .rows = array[ROWS]->size - 1,
                     .columns = columns,
                     .count = count};
  if (size == 4) {
    turn(&t, 4, true);
    split_words(&t);
  } else if (size == 8) {
    turn(&t, 8, false);
  } else {
    turn(&t, size, false);
  }
done:
  weft_array_release(&room);
  return rc;
}

/* ---- a dense matrix ---- */

#define MOST_STORED (1 << 16)

typedef struct storing {
  const char *indptr, *indices, *data;
  int64_t rows, columns;
  bool is_long;
} storing;

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
