// SPDX-License-Identifier: MIT
/// Matrices from the arrays of other libraries and from elements in order, on the host: checked and copied.
#include <string.h>

#include "base/wide.h"
#include "mem/recorder.h"
#include "op/sparse/csr.h"
#include "op/sparse/tuning.h"

typedef struct weft__csr_checks {
  /// The columns of `count` elements: false if one is outside of the matrix. Adds to *falls how often a column is not
  /// beyond the one before.
  bool (*columns)(int64_t *falls, const void *columns, int64_t count, int64_t width);
  /// False if indptr does not rise from 0 to `count`. Takes from *falls those from one row to the next. Copies indptr.
  bool (*rows)(int64_t *falls, void *to, const void *indptr, int64_t rows, const void *columns, int64_t count);
  /// The matrix's indptr from the row of each element: false if an element is outside of the matrix or not beyond the
  /// one before.
  bool (*places)(void *indptr, const void *rows_of, const void *columns, int64_t count, int64_t rows, int64_t width);
} weft__csr_checks;

#define LOOPS "op/sparse/build_types.h"
#include "base/each_width.h"

/// What a recording keeps of arrays that become a matrix. has_rows: the first one has the row of each element, of which
/// indptr is made; else it is copied, as the others are.
typedef struct creating {
  int64_t rows, columns, count, data_bytes;
  int32_t given, index, has_rows, unused; /* dtypes of the first array, and of the indices */
} creating;

enum { TO_INDPTR, TO_INDICES, TO_DATA, INDPTR, INDICES, DATA, ARRAYS };

/// Makes indptr, if the arrays are right and the elements in order.
static bool check(void *const *data, const creating *c) {
  static const weft__csr_checks *const of_width[3] = WEFT__ALL(csr_checks);
  const int kind = c->index == WEFT_I64 ? 2 : c->given == WEFT_I64;
  const weft__csr_checks *checks = &of_width[WEFT__WIDTH][kind];
  int64_t falls = 0;
  if (c->has_rows) return checks->places(data[TO_INDPTR], data[INDPTR], data[INDICES], c->count, c->rows, c->columns);
  return checks->columns(&falls, data[INDICES], c->count, c->columns) &&
         checks->rows(&falls, data[TO_INDPTR], data[INDPTR], c->rows, data[INDICES], c->count) && falls == 0;
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
  /* a recording could not know that other elements in a replay are wrong or in another order */
  if (!weft__csr_host_computes(context) || weft__recorder_of(&context->core) || c.count == 0 ||
      given[1]->dtype != index || (given[0]->dtype != index && !(given[0]->dtype == WEFT_I64 && index == WEFT_I32)))
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
