// SPDX-License-Identifier: MIT
/// weft_topk.
#include "map/cast.h"
#include "op/sort/along.h"

/// Copies the first k columns of fully sorted rows.
static weft_status copy_columns(weft_array *to, const weft_array *rows, int64_t k, const char *site) {
  const weft_array from = weft__array_part(rows, rows->ndim - 1, 0, k);
  /* `to` has the same elements but may have more axes */
  weft_array flat = weft__array_borrow(to);
  weft__set_contiguous(&flat, weft__array_shape(&from));
  return weft__cast_into(&flat, &from, to->dtype, site);
}

static weft_status fill_rows(weft__call *c, const weft__sort_along *a, weft_array *values, weft_array *numbers,
                             int64_t k, bool smallest) {
  weft_status rc;
  weft_array *sorted = NULL, *order = NULL;
  const weft_shape shape = WEFT_SHAPE((int64_t)a->rows, (int64_t)a->length);
  weft__sort sort = {.context = c->context,
                     .what = "topk",
                     .site = c->site,
                     .rows = a->rows,
                     .length = a->length,
                     .descending = !smallest,
                     .key_from = a->from,
                     .key_to = values,
                     .value_to = numbers};
  if (weft__top_pays(a->from, a->length, k)) return weft__top_run(&sort, k);
  WEFT__TRY(weft__array_create(&sorted, c->context, a->from->dtype, shape, c->site));
  WEFT__TRY(weft__array_create(&order, c->context, WEFT_I64, shape, c->site));
  sort.key_to = sorted;
  sort.value_to = order;
  WEFT__TRY(weft__sort_run(&sort));
  WEFT__TRY(copy_columns(values, sorted, k, c->site));
  rc = copy_columns(numbers, order, k, c->site);
done:
  weft_array_release(&sorted);
  weft_array_release(&order);
  return rc;
}

/// Sorts the k elements alone that are to be found, if there are few.
static weft_status divide_first(weft__call *c, const weft__sort_along *a, weft_array *values, weft_array *numbers,
                                int64_t k, bool smallest) {
  weft_status rc;
  weft_array *some = NULL, *places = NULL;
  const weft_shape shape = WEFT_SHAPE((int64_t)a->rows, k);
  bool is_done = false;
  weft__divide divide = {.what = "topk",
                         .site = c->site,
                         .from = a->from,
                         .to = values,
                         .numbers = numbers,
                         .rows = a->rows,
                         .length = a->length,
                         .rank = smallest ? (uint64_t)k - 1 : a->length - (uint64_t)k,
                         .taken = (uint64_t)k,
                         .greatest = !smallest,
                         .in_order = true};
  if (k <= WEFT__MOST_ORDERED && weft__nth_pays(a->from, a->rows, a->length, 1))
    WEFT__TRY(weft__divide_at_once(&is_done, &divide));
  if (is_done) return WEFT_OK;
  divide.in_order = false;
  WEFT__TRY(weft__array_create(&some, c->context, a->from->dtype, shape, c->site));
  WEFT__TRY(weft__array_create(&places, c->context, WEFT_I64, shape, c->site));
  divide.to = some;
  divide.numbers = places;
  WEFT__TRY(weft__divide_run(&divide));
  rc = weft__sort_run(&(const weft__sort){.context = c->context,
                                          .what = "topk",
                                          .site = c->site,
                                          .rows = a->rows,
                                          .length = (uint64_t)k,
                                          .descending = !smallest,
                                          .key_from = some,
                                          .key_to = values,
                                          .value_from = places,
                                          .value_to = numbers});
done:
  weft_array_release(&some);
  weft_array_release(&places);
  return rc;
}

#define FEW 8 /* in rows of at least LONG elements, at most 1 / FEW of them */
#define LONG 256

static weft_status find_top(weft__call *c, int64_t k, weft_axes axes, bool smallest) {
  weft_status rc;
  int axis;
  weft__sort_along a = {0};
  weft_array *rows[2] = {NULL}, *temporary[2] = {NULL};
  WEFT__TRY(weft__one_axis(&axis, axes));
  WEFT__TRY(weft__call_operands(c));
  if (weft__call_is_scalar(c, 0)) WEFT__TRY(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  WEFT__TRY(weft__sort_along_open(&a, c, axis));
  if (k < 0 || (uint64_t)k > a.length)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "k", "`k` is %lld; expected 0 to %llu, the length of the axis",
                         (long long)k, (unsigned long long)a.length));
  for (int i = 0; i < 2; i++) WEFT__TRY(weft__sort_along_result(&rows[i], &temporary[i], &a, i, i == 1, k));
  if (a.rows > 0 && k > 0) {
    const bool is_few = a.length >= LONG && (uint64_t)k <= a.length / FEW && weft__divide_works(a.from, a.length);
    WEFT__TRY((is_few ? divide_first : fill_rows)(c, &a, rows[0], rows[1], k, smallest));
  }
  for (int i = 0; i < 2; i++) WEFT__TRY(weft__sort_along_deliver(temporary[i], &a, i));
done:
  for (int i = 0; i < 2; i++) weft_array_release(&temporary[i]);
  weft__sort_along_close(&a);
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
