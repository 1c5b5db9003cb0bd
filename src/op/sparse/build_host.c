// SPDX-License-Identifier: MIT
/// Matrices from the arrays of other libraries and from elements in order, on the host: checked and copied.
#include <string.h>

#include "base/wide.h"
#include "op/sparse/csr.h"

#define BLOCK 64 /* elements: a loop of this constant length becomes vector code */

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

/// What a recording keeps of arrays that become a matrix. has_rows: the first one has the row of each element, of which
/// indptr is made; else it is copied, as the others are.
typedef struct creating {
  int64_t rows, columns, count, data_bytes;
  int32_t given, index, has_rows, unused; /* dtypes of the first array, and of the indices */
} creating;

enum { TO_INDPTR, TO_INDICES, TO_DATA, INDPTR, INDICES, DATA, ARRAYS };

/// Makes indptr, if the arrays are right and the elements in order.
static bool check(void *const *data, const creating *c) {
  static check_columns *const of_columns[2][2] = {WEFT__PAIR(columns_i32), WEFT__PAIR(columns_i64)};
  static check_places *const of_places[3][3] = {WEFT__ALL(places_i32), WEFT__ALL(places_of_i64), WEFT__ALL(places_i64)};
  static check_rows *const of_rows[3] = {rows_i32, rows_of_i64, rows_i64};
  const bool is_long = c->index == WEFT_I64;
  const int kind = is_long ? 2 : c->given == WEFT_I64;
  int64_t falls = 0;
  if (c->has_rows)
    return of_places[kind][WEFT__WIDTH](data[TO_INDPTR], data[INDPTR], data[INDICES], c->count, c->rows, c->columns);
  return of_columns[is_long][WEFT__IS_WIDE](&falls, data[INDICES], c->count, c->columns) &&
         of_rows[kind](&falls, data[TO_INDPTR], data[INDPTR], c->rows, data[INDICES], c->count) && falls == 0;
}

static int run_create(void *const *data, const void *task) {
  const creating *c = task;
  if (!check(data, c)) return WEFT__HOST_REFUSED;
  memcpy(data[TO_INDICES], data[INDICES], (size_t)c->count * weft_dtype_size_bytes((weft_dtype)c->index));
  memcpy(data[TO_DATA], data[DATA], (size_t)c->data_bytes);
  return 0;
}

const weft__host_function weft__host_csr_create = {"csr_create", WEFT__LIBRARY_NONE, sizeof(creating), run_create, NULL,
                                                   NULL};

weft_status weft__csr_create_host(weft_csr **out, int64_t rows, int64_t columns, const weft_array *const given[3],
                                  bool has_rows, const char *site) {
  weft_context *context = given[2]->context;
  const creating c = {.rows = rows,
                      .columns = columns,
                      .count = given[1]->size,
                      .data_bytes = weft_array_size_bytes(given[2]),
                      .given = (int32_t)given[0]->dtype,
                      .index = (int32_t)weft__csr_index_dtype(rows, columns, given[1]->size),
                      .has_rows = has_rows};
  const weft_dtype index = (weft_dtype)c.index, dtype[] = {index, index, given[2]->dtype};
  const int64_t size[] = {rows + 1, c.count, c.count};
  weft_array *made[3] = {NULL};
  weft__host_use use[ARRAYS];
  int code;
  weft_status rc = WEFT_OK;
  if (!weft__csr_host_computes(context) || c.count == 0 || given[1]->dtype != index ||
      (given[0]->dtype != index && !(given[0]->dtype == WEFT_I64 && index == WEFT_I32)))
    return WEFT_OK;
  for (int k = 0; k < 3; k++) {
    WEFT__TRY(weft__array_create(&made[k], context, dtype[k], WEFT_SHAPE(size[k]), site));
    use[k] = (weft__host_use){.array = made[k], .writes = true};
    use[INDPTR + k] = (weft__host_use){.array = given[k], .reads = true};
  }
  WEFT__TRY(weft__host_step(&code, &(const weft__host_work){.context = context,
                                                            .uses = ARRAYS,
                                                            .use = use,
                                                            .function = &weft__host_csr_create,
                                                            .task = &c,
                                                            .what = "csr create",
                                                            .site = site}));
  if (!code) rc = weft__csr_make(out, rows, columns, &made[TO_INDPTR], &made[TO_INDICES], &made[TO_DATA], site);
done:
  for (int k = 0; k < 3; k++) weft_array_release(&made[k]);
  return rc;
}
