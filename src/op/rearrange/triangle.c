// SPDX-License-Identifier: MIT
/// weft_tril_indices and weft_triu_indices: row numbers are repeated up to the rows' ends, as are the rows' starts.
#include <inttypes.h>
#include <stdlib.h>
#include <weft/eval.h>
#include <weft/rearrange.h>

#include "array/array.h"
#include "base/checked.h"
#include "op/rearrange/arrange.h"

typedef struct triangle {
  weft_context *context;
  int64_t rows, columns;
  int64_t total; /* elements */
  int64_t *ends; /* the number of elements up to the end of each row; then the first column less the elements before */
} triangle;

static int64_t within(int64_t column, int64_t columns) {
  return column < 0 ? 0 : column > columns ? columns : column;
}

/// Finds the rows' parts, which begin at (`upper`) or end before a column that moves by one each row, from `column` on.
static weft_status find_rows(triangle *t, int64_t column, bool upper) {
  t->ends = malloc((size_t)(t->rows ? t->rows : 1) * 2 * sizeof *t->ends);
  if (!t->ends) return weft__fail_host_memory((size_t)t->rows * 2 * sizeof *t->ends);
  for (int64_t row = 0; row < t->rows; row++) {
    const int64_t at = within(row + column, t->columns), first = upper ? at : 0;
    t->ends[t->rows + row] = first - t->total;
    t->total += (upper ? t->columns : at) - first;
    t->ends[row] = t->total;
  }
  return WEFT_OK;
}

/// Makes *to: an element of `from` for each element of the row, t->total in all.
static weft_status spread(weft_array **to, const triangle *t, const weft_array *from, const weft_array *ends,
                          const char *site) {
  WEFT__TRY_RETURN(weft__array_create(to, t->context, WEFT_I64, WEFT_SHAPE(t->total), site));
  return weft__repeat_until(*to, from, ends, (weft__axis_split){1, t->rows, 1}, site);
}

/// One kernel writes both results: `base` is the difference of an element's column and its number.
static weft_status write_indices(const triangle *t, weft_operand rows, weft_operand columns, const char *site) {
  weft_array *ends = NULL, *bases = NULL, *numbers = NULL, *row = NULL, *base = NULL;
  weft_status rc;
  WEFT__TRY(weft__array_of(&ends, t->context, WEFT_I64, WEFT_SHAPE(t->rows), t->ends, site));
  WEFT__TRY(weft__array_of(&bases, t->context, WEFT_I64, WEFT_SHAPE(t->rows), t->ends + t->rows, site));
  WEFT__TRY(
      weft__arange_at(&numbers, t->context, WEFT_I64, WEFT_SCALAR(0), WEFT_SCALAR(t->rows), WEFT_SCALAR(1), site));
  WEFT__TRY(spread(&row, t, numbers, ends, site));
  WEFT__TRY(spread(&base, t, bases, ends, site));
  rows.name = "rows";
  columns.name = "columns";
  const weft_operand variables[] = {rows, columns, WEFT_VAR(row), WEFT_VAR(base)};
  rc = weft__eval_all_at(t->context, "rows = row; columns = base + i", 4, variables, site);
done:
  weft_array_release(&ends);
  weft_array_release(&bases);
  weft_array_release(&numbers);
  weft_array_release(&row);
  weft_array_release(&base);
  return rc;
}

static weft_status indices(const char *function, weft_operand rows, weft_operand columns, weft_context *context,
                           int64_t count, const weft_eye_params *params, bool upper) {
  const weft_eye_params p = WEFT__PARAMS(params);
  triangle t = {.context = context, .rows = count, .columns = p.columns ? p.columns : count};
  int64_t elements, limit;
  weft_status rc;
  weft__enter(function, p.site);
  if (count < 0 || t.columns < 0)
    WEFT__TRY(weft__fail(WEFT_ERROR_SHAPE, count < 0 ? "count" : "columns",
                         "%" PRId64 " rows and %" PRId64 " columns are asked for", count, t.columns));
  if (!weft__multiply_i64(&elements, count, t.columns) || elements > INT64_MAX / 8)
    WEFT__TRY(weft__fail(WEFT_ERROR_OVERFLOW, "count", "%" PRId64 " x %" PRId64 " indices would exceed 2^63-1 bytes",
                         count, t.columns));
  limit = count + t.columns; /* beyond it a diagonal is outside the matrix */
  const int64_t k = p.k < -limit ? -limit : p.k > limit ? limit : p.k;
  WEFT__TRY(weft__array_context(&t.context, context, rows.kind == WEFT_OPERAND_RESULT ? rows.as.result : NULL));
  WEFT__TRY(find_rows(&t, upper ? k : k + 1, upper));
  rc = write_indices(&t, rows, columns, p.site);
done:
  free(t.ends);
  return weft__leave(rc);
}

weft_status weft__tril_indices_at(weft_operand rows, weft_operand columns, weft_context *context, int64_t count,
                                  const weft_eye_params *params) {
  return indices("weft_tril_indices", rows, columns, context, count, params, false);
}

weft_status weft__triu_indices_at(weft_operand rows, weft_operand columns, weft_context *context, int64_t count,
                                  const weft_eye_params *params) {
  return indices("weft_triu_indices", rows, columns, context, count, params, true);
}
