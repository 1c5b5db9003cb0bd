// SPDX-License-Identifier: MIT
/// weft_topk.
#include "engine/ways.h"
#include "map/cast.h"
#include "op/sort/axis_rows.h"

/// Copies the first k columns of fully sorted rows.
static weft_status copy_columns(weft_array *to, const weft_array *rows, int64_t k, const char *site) {
  const weft_array from = weft__array_part(rows, rows->ndim - 1, 0, k);
  /* `to` has the same elements but may have more axes */
  weft_array flat = weft__array_borrow(to);
  weft__set_contiguous(&flat, weft__array_shape(&from));
  return weft__cast_into(&flat, &from, to->dtype, site);
}

weft_status weft__topk_sort_run(bool *is_done, const void *task) {
  const weft__topk *t = task;
  weft_status rc;
  weft_array *sorted = NULL, *order = NULL;
  const weft_shape shape = WEFT_SHAPE((int64_t)t->rows, (int64_t)t->length);
  WEFT__TRY(weft__array_create(&sorted, t->context, t->from->dtype, shape, t->site));
  WEFT__TRY(weft__array_create(&order, t->context, WEFT_I64, shape, t->site));
  WEFT__TRY(weft__sort_run(&(const weft__sort){.context = t->context,
                                               .what = "topk",
                                               .site = t->site,
                                               .rows = t->rows,
                                               .length = t->length,
                                               .descending = !t->smallest,
                                               .key_from = t->from,
                                               .key_to = sorted,
                                               .value_to = order}));
  WEFT__TRY(copy_columns(t->values, sorted, (int64_t)t->count, t->site));
  WEFT__TRY(copy_columns(t->numbers, order, (int64_t)t->count, t->site));
  *is_done = true;
done:
  weft_array_release(&sorted);
  weft_array_release(&order);
  return rc;
}

static weft_status find_top(weft__call *c, int64_t k, weft_axes axes, bool smallest) {
  weft_status rc;
  int axis;
  weft__axis_rows a = {0};
  weft_array *rows[2] = {NULL}, *temporary[2] = {NULL};
  WEFT__TRY(weft__one_axis(&axis, axes));
  WEFT__TRY(weft__call_operands(c));
  if (weft__call_is_scalar(c, 0)) WEFT__TRY(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  WEFT__TRY(weft__axis_rows_open(&a, c, axis));
  if (k < 0 || (uint64_t)k > a.length)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "k", "`k` is %lld; expected 0 to %llu, the length of the axis",
                         (long long)k, (unsigned long long)a.length));
  for (int i = 0; i < 2; i++) WEFT__TRY(weft__axis_rows_result(&rows[i], &temporary[i], &a, i, i == 1, k));
  if (a.rows > 0 && k > 0) {
    const weft__topk task = {.context = c->context,
                             .site = c->site,
                             .from = a.from,
                             .values = rows[0],
                             .numbers = rows[1],
                             .rows = a.rows,
                             .length = a.length,
                             .count = (uint64_t)k,
                             .smallest = smallest};
    WEFT__TRY(weft__ways_run(&weft__topk_ways, c->context, &task));
  }
  for (int i = 0; i < 2; i++) WEFT__TRY(weft__axis_rows_deliver(temporary[i], &a, i));
done:
  for (int i = 0; i < 2; i++) weft_array_release(&temporary[i]);
  weft__axis_rows_close(&a);
  return rc;
}

static bool is_unwanted(const weft_operand *result) {
  return result->kind == WEFT_OPERAND_RESULT && !result->as.result;
}

weft_status weft__topk_at(weft_operand values_out, weft_operand indices_out, weft_operand x, int64_t k, weft_axes axis,
                          const weft_topk_params *params) {
  static const char *const result_names[] = {"values_out", "indices_out"}, *const names[] = {"x"};
  weft_operand results[] = {values_out, indices_out};
  weft_array *unwanted = NULL;
  const weft_topk_params p = WEFT__PARAMS(params);
  weft__call c;
  weft__enter("weft_topk", p.site);
  if (is_unwanted(&values_out) && is_unwanted(&indices_out))
    return weft__leave(weft__fail(WEFT_ERROR_ARGUMENT, "values_out", "`values_out` and `indices_out` are both NULL"));
  for (int i = 0; i < 2; i++)
    if (is_unwanted(&results[i])) results[i] = WEFT_OPERAND(&unwanted);
  weft__call_open(&c, NULL, 2, results, 1, &x, names, p.site);
  c.result_name = result_names;
  weft_status rc = weft__call_close(&c, find_top(&c, k, axis, p.smallest));
  weft_array_release(&unwanted);
  return weft__leave(rc);
}
