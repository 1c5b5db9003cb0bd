// SPDX-License-Identifier: MIT
/// Partitions by rank: rows in which the elements of given ranks are in place, with no greater ones before them. Long
/// rows are not sorted: the elements are found by counting digits, and all elements are put into classes between them.
#include <inttypes.h>
#include <stdlib.h>

#include <weft/eval.h>

#include "base/text.h"
#include "engine/ways.h"
#include "map/cast.h"
#include "op/sort/axis_rows.h"
#include "op/sort/tuning.h"

typedef struct kth_call {
  weft__call call;
  weft_shape kth; /* as given, then from 0 and ascending */
  bool numbers;   /* the result is positions */
  weft__axis_rows along;
  uint64_t rank[WEFT_MAX_NDIM];
  int ranks; /* different ones */
} kth_call;

static int compare(const void *a, const void *b) {
  const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
  return (first > second) - (first < second);
}

static weft_status find_ranks(kth_call *t) {
  const int64_t length = (int64_t)t->along.length;
  if (t->kth.ndim < 1)
    return weft__fail(WEFT_ERROR_ARGUMENT, "kth", "`kth` has no ranks; expected 1 to %d", WEFT_MAX_NDIM);
  for (int k = 0; k < t->kth.ndim; k++) {
    const int64_t rank = t->kth.dim[k] < 0 ? t->kth.dim[k] + length : t->kth.dim[k];
    if (rank < 0 || rank >= length)
      return weft__fail(WEFT_ERROR_ARGUMENT, "kth", "`kth` is %" PRId64 "; expected %" PRId64 " to %" PRId64,
                        t->kth.dim[k], -length, length - 1);
    t->rank[k] = (uint64_t)rank;
  }
  qsort(t->rank, (size_t)t->kth.ndim, sizeof *t->rank, compare);
  for (int k = 0; k < t->kth.ndim; k++)
    if (k == 0 || t->rank[k] != t->rank[t->ranks - 1]) t->rank[t->ranks++] = t->rank[k];
  return WEFT_OK;
}

/* ---- classes: GPUs ---- */

/// Makes the class of each element of the rows: how many times it is at or beyond, and beyond, the elements found.
static weft_status make_classes(weft_array **classes, const weft__partition *p, const weft_array *rows,
                                const weft_array *found) {
  static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  const bool is_float = weft_dtype_kind(rows->dtype) == 'f';
  weft__text text = {0};
  weft_array element[WEFT_MAX_NDIM];
  weft_operand variable[WEFT_MAX_NDIM + 1] = {WEFT_NAMED("x", rows)};
  for (int k = 0; k < p->ranks; k++) {
    const char *v = names[k], *plus = k ? " + " : "";
    element[k] = weft__array_part(found, 0, k, 1);
    weft__set_contiguous(&element[k], rows->shape[0] == 1 ? WEFT_SHAPE_0D : WEFT_SHAPE(rows->shape[0], 1));
    variable[1 + k] = WEFT_NAMED(v, &element[k]);
    if (is_float) /* NaN is beyond all numbers */
      weft__text_add(&text, "%su8(x >= %s or x != x) + u8(x > %s or (x != x and %s == %s))", plus, v, v, v, v);
    else
      weft__text_add(&text, "%su8(x >= %s) + u8(x > %s)", plus, v, v);
  }
  weft_status rc = text.failed ? weft__fail_host_memory(text.length)
                               : weft__eval_at(WEFT_OPERAND(classes), rows->context, weft__text_chars(&text),
                                               p->ranks + 1, variable, p->site);
  weft__text_free(&text);
  return rc;
}

/// Puts the elements of rows, or their positions, into the order of their classes: of all rows if `way` is not NULL,
/// else of one.
static weft_status divide_rows(const weft__partition *p, const weft_array *rows, weft_array *to,
                               const weft__nth_way *way) {
  weft_status rc;
  weft_array *found = NULL, *classes = NULL, *numbers = NULL, *copy = NULL;
  const size_t bytes = weft_dtype_size_bytes(rows->dtype);
  const bool moves = !p->gives_positions && (bytes == 4 || bytes == 8);
  weft_array from = weft__array_borrow(rows);
  WEFT__TRY(weft__array_create(&found, p->context, rows->dtype, WEFT_SHAPE(p->ranks, rows->shape[0]), p->site));
  weft_array of_row = weft__array_flat(found);
  const weft_array row = weft__array_flat(rows);
  WEFT__TRY(way ? weft__nth_rows_run(found, rows, way, p->rank, "partition", p->site)
                : weft__nth_run(&of_row, &row, p->rank, "partition", p->site));
  WEFT__TRY(make_classes(&classes, p, rows, found));
  if (!p->gives_positions && !moves)
    WEFT__TRY(weft__array_create(&numbers, p->context, WEFT_I64, WEFT_SHAPE(rows->size), p->site));
  const weft__sort sort = {.context = p->context,
                           .what = "partition",
                           .site = p->site,
                           .rows = (uint64_t)rows->shape[0],
                           .length = (uint64_t)rows->shape[1],
                           .key_from = classes,
                           .value_from = moves ? &from : NULL,
                           .value_to = numbers ? numbers : to};
  WEFT__TRY(weft__sort_run(&sort));
  if (numbers && weft__arrays_overlap(to, rows)) WEFT__TRY(weft__cast(&copy, rows, rows->dtype, p->site));
  if (numbers)
    rc = weft__gather_rows(to, copy ? copy : rows, numbers, (weft__axis_split){1, rows->size, 1}, "partition", p->site);
done:
  weft_array_release(&found);
  weft_array_release(&classes);
  weft_array_release(&numbers);
  weft_array_release(&copy);
  return rc;
}

bool weft__partition_each_fits(const void *task) {
  const weft__partition *p = task;
  return weft__nth_pays(p->from, p->rows, p->length, p->ranks);
}

weft_status weft__partition_each_run(bool *is_done, const void *task) {
  const weft__partition *p = task;
  const int64_t length = (int64_t)p->length;
  const weft_array flat = weft__array_flat(p->from), flat_to = weft__array_flat(p->to);
  for (uint64_t row = 0; row < p->rows; row++) {
    weft_array part = weft__array_part(&flat, 0, (int64_t)row * length, length);
    weft_array to = weft__array_part(&flat_to, 0, (int64_t)row * length, length);
    weft__set_contiguous(&part, WEFT_SHAPE(1, length));
    WEFT__TRY_RETURN(divide_rows(p, &part, &to, NULL));
  }
  *is_done = true;
  return WEFT_OK;
}

/// Elements of 1 and 2 bytes are sorted as fast as moved.
bool weft__partition_rows_fits(const void *task) {
  const weft__partition *p = task;
  weft__nth_way way;
  return weft_dtype_size_bytes(p->from->dtype) >= 4 && p->length > WEFT__PARTITION_SORTED &&
         weft__nth_rows_pays(&way, p->from, p->rows, p->length, p->ranks);
}

weft_status weft__partition_rows_run(bool *is_done, const void *task) {
  const weft__partition *p = task;
  weft__nth_way way;
  weft_array all = weft__array_borrow(p->from);
  if (!weft__nth_rows_pays(&way, p->from, p->rows, p->length, p->ranks)) return WEFT_OK;
  weft__set_contiguous(&all, WEFT_SHAPE((int64_t)p->rows, (int64_t)p->length));
  WEFT__TRY_RETURN(divide_rows(p, &all, p->to, &way));
  *is_done = true;
  return WEFT_OK;
}

/* ---- the call ---- */

weft_status weft__partition_sort_run(bool *is_done, const void *task) {
  const weft__partition *p = task;
  WEFT__TRY_RETURN(weft__sort_run(&(const weft__sort){.context = p->context,
                                                      .what = "partition",
                                                      .site = p->site,
                                                      .rows = p->rows,
                                                      .length = p->length,
                                                      .key_from = (weft_array *)p->from,
                                                      .key_to = p->gives_positions ? NULL : p->to,
                                                      .value_to = p->gives_positions ? p->to : NULL}));
  *is_done = true;
  return WEFT_OK;
}

static weft_status partition_rows(const kth_call *t, weft_array *rows) {
  const weft__partition task = {.context = t->call.context,
                                .site = t->call.site,
                                .from = t->along.from,
                                .to = rows,
                                .gives_positions = t->numbers,
                                .rows = t->along.rows,
                                .length = t->along.length,
                                .ranks = t->ranks,
                                .rank = t->rank};
  return weft__ways_run(&weft__partition_ways, task.context, &task);
}

static weft_status partition(kth_call *t, weft_axes axes) {
  weft__call *c = &t->call;
  weft_status rc;
  weft_array *rows = NULL, *temporary = NULL;
  int axis;
  WEFT__TRY(weft__one_axis(&axis, axes));
  WEFT__TRY(weft__call_operands(c));
  if (weft__call_is_scalar(c, 0)) WEFT__TRY(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  WEFT__TRY(weft__axis_rows_open(&t->along, c, axis));
  WEFT__TRY(find_ranks(t));
  WEFT__TRY(weft__axis_rows_result(&rows, &temporary, &t->along, 0, t->numbers, (int64_t)t->along.length));
  if (rows->size > 0) WEFT__TRY(partition_rows(t, rows));
  rc = weft__axis_rows_deliver(temporary, &t->along, 0);
done:
  weft_array_release(&temporary);
  weft__axis_rows_close(&t->along);
  return rc;
}

weft_status weft__partition_kth_at(weft_operand out, weft_operand x, weft_shape kth, weft_axes axis, bool numbers,
                                   const char *site) {
  static const char *const names[] = {"x"};
  kth_call t = {.kth = kth, .numbers = numbers};
  weft__enter(numbers ? "weft_argpartition" : "weft_partition_kth", site);
  weft__call_open(&t.call, NULL, 1, &out, 1, &x, names, site);
  return weft__leave(weft__call_close(&t.call, partition(&t, axis)));
}
