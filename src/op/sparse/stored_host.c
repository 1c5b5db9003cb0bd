// SPDX-License-Identifier: MIT
/// Rows and columns of a sparse matrix's elements, on the host: threads have ranges of the elements.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include <string.h>

#include "base/scratch.h"
#include "op/sparse/csr.h"
#include "op/sparse/stored.h"

enum {
  STEP_ARRAYS = 6,
};

typedef enum step_kind { STEP_ROWS, STEP_ORDER, STEP_DENSE, STEP_SPLIT, STEP_TURN, STEP_TURN_PAIRS } step_kind;

/// What a recording keeps.
typedef struct stored_task {
  int64_t rows, columns, count;      /* of the matrix that is read; dense and keys: the columns of a row */
  int32_t kind, index, unit, shares; /* dtype of the indices; bytes of an element */
} stored_task;

typedef struct stored_work {
  const stored_task *t;
  char *place[STEP_ARRAYS];
  uint32_t *counts; /* a table for each share, of the columns: elements, then the place of the next one */
  uint64_t *word;   /* NULL, or room for the elements of 4 bytes with their rows: one store in any order, not two */
  void (*run)(const struct stored_work *w, int64_t begin, int64_t end, uint32_t *counts);
} stored_work;

static inline int64_t index_at(const char *indices, int64_t k, bool is_long) {
  return is_long ? ((const int64_t *)(const void *)indices)[k] : ((const int32_t *)(const void *)indices)[k];
}

static inline void put_index(char *indices, int64_t k, int64_t value, bool is_long) {
  if (is_long)
    ((int64_t *)(void *)indices)[k] = value;
  else
    ((int32_t *)(void *)indices)[k] = (int32_t)value;
}

/// The row of element i.
static int64_t row_of(const char *indptr, int64_t rows, int64_t i, bool is_long) {
  int64_t low = 0;
  for (int64_t high = rows; high - low > 1;) {
    const int64_t middle = low + (high - low) / 2;
    if (index_at(indptr, middle, is_long) <= i)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* ---- of elements from `begin` to before `end` ---- */

/// to[i], of place 0, is the row of element i of the indptr at place 1.
static inline void put_rows(const stored_work *w, int64_t begin, int64_t end, bool is_long) {
  const char *indptr = w->place[1];
  for (int64_t i = begin, row = row_of(indptr, w->t->rows, begin, is_long); i < end; row++) {
    const int64_t next = index_at(indptr, row + 1, is_long), behind = next < end ? next : end;
    for (; i < behind; i++) put_index(w->place[0], i, row, is_long);
  }
}

static void share_rows(const stored_work *w, int64_t begin, int64_t end, uint32_t *counts) {
  (void)counts;
  if (w->t->index == WEFT_I64)
    put_rows(w, begin, end, true);
  else
    put_rows(w, begin, end, false);
}

/// Adds to *counts the elements that are not beyond the one before in their row.
static inline void find_falls(const stored_work *w, int64_t begin, int64_t end, uint32_t *counts, bool is_long) {
  const char *indptr = w->place[1], *column = w->place[2];
  for (int64_t i = begin, row = row_of(indptr, w->t->rows, begin, is_long); i < end; row++) {
    const int64_t next = index_at(indptr, row + 1, is_long), behind = next < end ? next : end;
    uint32_t falls = 0;
    if (i < behind && i == index_at(indptr, row, is_long)) i++; /* the first one of a row */
    for (; i < behind; i++) falls += index_at(column, i - 1, is_long) >= index_at(column, i, is_long);
    *counts |= falls;
  }
}

static void share_order(const stored_work *w, int64_t begin, int64_t end, uint32_t *counts) {
  *counts = 0;
  if (w->t->index == WEFT_I64)
    find_falls(w, begin, end, counts, true);
  else
    find_falls(w, begin, end, counts, false);
}

/// Stores elements in a matrix of zeros.
static inline void store(const stored_work *w, int64_t i, int64_t end, size_t size, bool is_long) {
  const char *indptr = w->place[1], *column = w->place[2], *value = w->place[3];
  for (int64_t row = row_of(indptr, w->t->rows, i, is_long); i < end; row++) {
    const int64_t next = index_at(indptr, row + 1, is_long), behind = next < end ? next : end;
    char *to = w->place[0] + row * w->t->columns * (int64_t)size;
    for (; i < behind; i++) memcpy(to + index_at(column, i, is_long) * (int64_t)size, value + i * (int64_t)size, size);
  }
}

static void share_dense(const stored_work *w, int64_t begin, int64_t end, uint32_t *counts) {
  const bool is_long = w->t->index == WEFT_I64;
  (void)counts;
  if (w->t->unit == 4 && !is_long)
    store(w, begin, end, 4, false);
  else if (w->t->unit == 8 && !is_long)
    store(w, begin, end, 8, false);
  else
    store(w, begin, end, (size_t)w->t->unit, is_long);
}

/// Makes indptr and indices from ascending keys, row * columns + column.
static inline void split(const stored_work *w, int64_t begin, int64_t end, bool is_long) {
  const uint64_t *key = (const uint64_t *)(const void *)w->place[2], columns = (uint64_t)w->t->columns;
  int64_t next = begin ? (int64_t)(key[begin - 1] / columns) + 1 : 0; /* the first row whose beginning is not known */
  for (int64_t i = begin; i < end; i++) {
    const uint64_t row = key[i] / columns;
    put_index(w->place[1], i, (int64_t)(key[i] - row * columns), is_long);
    for (; next <= (int64_t)row; next++) put_index(w->place[0], next, i, is_long);
  }
  for (; end == w->t->count && next <= w->t->rows; next++) put_index(w->place[0], next, end, is_long);
}

static void share_split(const stored_work *w, int64_t begin, int64_t end, uint32_t *counts) {
  (void)counts;
  if (w->t->index == WEFT_I64)
    split(w, begin, end, true);
  else
    split(w, begin, end, false);
}

/* ---- sorting by counting: indices are I32 (weft__csr_counting_pays) ---- */

enum { TO_INDPTR, TO_INDICES, TO_DATA, FROM_ROWS, FROM_INDICES, FROM_DATA };

static void share_count(const stored_work *w, int64_t begin, int64_t end, uint32_t *counts) {
  const int32_t *column = (const int32_t *)(const void *)w->place[FROM_INDICES];
  memset(counts, 0, (size_t)w->t->columns * sizeof *counts);
  for (int64_t i = begin; i < end; i++) counts[column[i]]++;
}

/// Makes each count the place of the share's first element of that column.
static void find_places(const stored_work *w) {
  int32_t *indptr = (int32_t *)(void *)w->place[TO_INDPTR];
  const int64_t columns = w->t->columns;
  uint32_t sum = 0;
  for (int64_t c = 0; c < columns; c++) {
    indptr[c] = (int32_t)sum;
    for (int64_t share = 0; share < w->t->shares; share++) {
      const uint32_t here = w->counts[share * columns + c];
      w->counts[share * columns + c] = sum;
      sum += here;
    }
  }
  indptr[columns] = (int32_t)sum;
}

/// Moves element i to the next place of its column.
static inline void move(const stored_work *w, int64_t i, int32_t row, uint32_t *place, size_t size, bool to_words) {
  const uint32_t at = place[((const int32_t *)(const void *)w->place[FROM_INDICES])[i]]++;
  if (to_words) {
    w->word[at] = (uint32_t)row | (uint64_t)((const uint32_t *)(const void *)w->place[FROM_DATA])[i] << 32;
    return;
  }
  ((int32_t *)(void *)w->place[TO_INDICES])[at] = row;
  memcpy(w->place[TO_DATA] + at * size, w->place[FROM_DATA] + (size_t)i * size, size);
}

static inline void move_all(const stored_work *w, int64_t i, int64_t end, uint32_t *place, size_t size, bool to_words) {
  const int32_t *rows = (const int32_t *)(const void *)w->place[FROM_ROWS];
  if (w->t->kind == STEP_TURN_PAIRS) {
    for (; i < end; i++) move(w, i, rows[i], place, size, to_words);
    return;
  }
  for (int64_t row = row_of(w->place[FROM_ROWS], w->t->rows, i, false); i < end; row++)
    for (const int64_t behind = rows[row + 1] < end ? rows[row + 1] : end; i < behind; i++)
      move(w, i, (int32_t)row, place, size, to_words);
}

static void share_move(const stored_work *w, int64_t begin, int64_t end, uint32_t *counts) {
  const size_t size = (size_t)w->t->unit;
  if (w->word)
    move_all(w, begin, end, counts, 4, true);
  else if (size == 4)
    move_all(w, begin, end, counts, 4, false);
  else if (size == 8)
    move_all(w, begin, end, counts, 8, false);
  else
    move_all(w, begin, end, counts, size, false);
}

static void split_words(const stored_work *w) {
  uint32_t *restrict row = (uint32_t *)(void *)w->place[TO_INDICES];
  uint32_t *restrict value = (uint32_t *)(void *)w->place[TO_DATA];
  const uint64_t *restrict word = w->word;
  for (int64_t k = 0; k < w->t->count; k++) {
    row[k] = (uint32_t)word[k];
    value[k] = (uint32_t)(word[k] >> 32);
  }
}

/* ---- the step ---- */

static void *run_share(void *user) {
  const weft__share *share = user;
  const stored_work *w = share->all;
  const int64_t number = (int64_t)share->number, shares = w->t->shares, count = w->t->count;
  const int64_t stride = w->t->kind >= STEP_TURN ? w->t->columns : 1;
  const int64_t begin = count * number / shares, end = count * (number + 1) / shares;
  w->run(w, begin, end, w->counts + number * stride);
  return NULL;
}

static int turn(stored_work *w) {
  const stored_task *t = w->t;
  const size_t words = t->shares == 1 && t->unit == 4 ? (size_t)t->count * sizeof *w->word : 0;
  char *memory = weft__scratch_begin(words + (size_t)(t->shares * t->columns) * sizeof *w->counts);
  if (!memory) return WEFT__HOST_NO_MEMORY;
  w->word = words ? (uint64_t *)(void *)memory : NULL;
  w->counts = (uint32_t *)(void *)(memory + words);
  w->run = share_count;
  weft__run_shares(t->shares, run_share, w);
  find_places(w);
  w->run = share_move;
  weft__run_shares(t->shares, run_share, w);
  if (w->word) split_words(w);
  weft__scratch_end(memory);
  return 0;
}

static int run_stored(void *const *data, const void *task) {
  static void (*const run[])(const stored_work *, int64_t, int64_t, uint32_t *) = {share_rows, share_order, share_dense,
                                                                                   share_split};
  static const int arrays[] = {2, 3, 4, 3, 6, 6};
  const stored_task *t = task;
  uint32_t counts[WEFT__MOST_SHARES], falls = 0;
  stored_work w = {.t = t, .counts = counts};
  for (int k = 0; k < arrays[t->kind]; k++) w.place[k] = data[k];
  if (t->kind >= STEP_TURN) return turn(&w);
  w.run = run[t->kind];
  weft__run_shares(t->shares, run_share, &w);
  for (int k = 0; k < t->shares && t->kind == STEP_ORDER; k++) falls |= counts[k];
  if (t->kind == STEP_ORDER) *(int32_t *)(void *)w.place[0] = falls != 0;
  return 0;
}

const weft__host_function weft__host_csr_stored = {
    "csr_stored", WEFT__LIBRARY_NONE, sizeof(stored_task), run_stored, NULL, NULL};

static int32_t shares_of(const weft_context *context, const stored_task *t) {
  const uint64_t cores = (uint64_t)weft__host_cores(context), count = (uint64_t)t->count;
  if (t->kind < STEP_TURN) return weft__csr_shares(context, count / WEFT__CSR_SHARE);
  const bool is_shared = cores > 1 && count > WEFT__CSR_MOST_TURNED / cores && t->columns > 0;
  return is_shared ? weft__shares_of(count / (uint64_t)t->columns, WEFT__CSR_TABLES_OF_CORE * cores) : 1;
}

/// The first `written` arrays are written.
static weft_status run_step(stored_task t, int written, int arrays, const weft_array *const *array, const char *site) {
  weft_context *context = array[0]->context;
  weft__host_use use[STEP_ARRAYS];
  t.shares = shares_of(context, &t);
  for (int k = 0; k < arrays; k++)
    use[k] = (weft__host_use){.array = array[k], .reads = k >= written || t.kind == STEP_DENSE, .writes = k < written};
  return weft__host_run(context, &weft__host_csr_stored, &t, arrays, use, "csr rows", site);
}

static stored_task task_of(step_kind kind, const weft_array *indptr, int64_t columns, int64_t count, size_t unit) {
  return (stored_task){.rows = indptr->size - 1,
                       .columns = columns,
                       .count = count,
                       .kind = kind,
                       .index = (int32_t)indptr->dtype,
                       .unit = (int32_t)unit};
}

weft_status weft__csr_rows_host(weft_array *to, const weft_array *indptr, const char *site) {
  const weft_array *const array[] = {to, indptr};
  return run_step(task_of(STEP_ROWS, indptr, 0, to->size, 4), 1, 2, array, site);
}

weft_status weft__csr_order_host(weft_array *falls, const weft_array *indptr, const weft_array *indices,
                                 const char *site) {
  const weft_array *const array[] = {falls, indptr, indices};
  return run_step(task_of(STEP_ORDER, indptr, 0, indices->size, 4), 1, 3, array, site);
}

weft_status weft__csr_dense_host(weft_array *to, const weft__csr_elements *m, const char *site) {
  const weft_array *const array[] = {to, m->indptr, m->indices, m->data};
  return run_step(task_of(STEP_DENSE, m->indptr, to->shape[1], m->data->size, weft_dtype_size_bytes(to->dtype)), 1, 4,
                  array, site);
}

weft_status weft__csr_split(weft_array *indptr, weft_array *indices, const weft_array *keys, int64_t columns,
                            const char *site) {
  const weft_array *const array[] = {indptr, indices, keys};
  return run_step(task_of(STEP_SPLIT, indptr, columns, keys->size, 4), 2, 3, array, site);
}

weft_status weft__csr_turn(weft__csr_elements *out, const weft__csr_elements *m, int64_t columns, const char *site) {
  weft_context *context = m->data->context;
  const int64_t count = m->data->size;
  const weft_array *rows = m->indptr ? m->indptr : m->rows;
  WEFT__TRY_RETURN(weft__array_create(&out->indptr, context, WEFT_I32, WEFT_SHAPE(columns + 1), site));
  WEFT__TRY_RETURN(weft__array_create(&out->indices, context, WEFT_I32, WEFT_SHAPE(count), site));
  WEFT__TRY_RETURN(weft__array_create(&out->data, context, m->data->dtype, WEFT_SHAPE(count), site));
  const weft_array *const array[] = {out->indptr, out->indices, out->data, rows, m->indices, m->data};
  return run_step(
      task_of(m->indptr ? STEP_TURN : STEP_TURN_PAIRS, rows, columns, count, weft_dtype_size_bytes(m->data->dtype)), 3,
      6, array, site);
}
