// SPDX-License-Identifier: MIT
/// The order of rows by their keys, and their groups.
#include "op/group/group.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <weft/eval.h>
#include <weft/index.h>
#include <weft/scan.h>
#include <weft/select.h>
#include <weft/sort.h>

#include "array/axes.h"
#include "call/call.h"
#include "map/cast.h"

#define MOST_KEYS 32 /* the groups' keys are as many results */

/* ---- order ---- */

static weft_status take(weft_array **out, const weft_array *x, const weft_array *numbers, weft_axes axis,
                        const char *site) {
  return weft__take_along_axis_at(WEFT_OPERAND(out), WEFT_OPERAND(x), WEFT_OPERAND(numbers), axis,
                                  &(const weft_index_params){.site = site});
}

/// Sorts by one more key, which orders before all keys so far. *order NULL: no key so far.
static weft_status order_by(weft_array **order, const weft_array *key, weft_axes axis, const char *site) {
  weft_status rc;
  weft_array *moved = NULL, *numbers = NULL, *both = NULL;
  const weft_sort_params ascending = {.site = site};
  if (!*order) return weft__argsort_at(WEFT_OPERAND(order), WEFT_OPERAND(key), axis, &ascending);
  WEFT__TRY(take(&moved, key, *order, axis, site));
  WEFT__TRY(weft__argsort_at(WEFT_OPERAND(&numbers), WEFT_OPERAND(moved), axis, &ascending));
  WEFT__TRY(take(&both, *order, numbers, axis, site));
  weft_array_release(order);
  *order = both;
  both = NULL;
done:
  weft_array_release(&moved);
  weft_array_release(&numbers);
  weft_array_release(&both);
  return rc;
}

/// The keys of a call as its operands.
typedef struct key_list {
  weft_operand key[MOST_KEYS];
  const char *name[MOST_KEYS];
} key_list;

/// Opens the call. Errors: ARGUMENT.
static weft_status open_keys(weft__call *c, key_list *list, weft_array *const *keys, int64_t count, int results,
                             const weft_operand *result, const char *site) {
  if (!keys) return weft__fail(WEFT_ERROR_ARGUMENT, "keys", "`keys` is NULL");
  if (count < 1 || count > MOST_KEYS)
    return weft__fail(WEFT_ERROR_ARGUMENT, "count", "`count` is %" PRId64 "; expected 1 to %d keys", count, MOST_KEYS);
  for (int64_t k = 0; k < count; k++) {
    list->key[k] = WEFT_OPERAND(keys[k]);
    list->name[k] = "keys";
  }
  weft__call_open(c, NULL, results, result, (int)count, list->key, list->name, site);
  return WEFT_OK;
}

static weft_status lexsort(weft__call *c, weft_axes axes) {
  weft_status rc;
  int axis;
  weft_array *order = NULL;
  WEFT__TRY(weft__call_operands(c));
  for (int k = 1; k < c->inputs; k++)
    if (!weft__same_shape(weft__call_shape(c, 0), weft__call_shape(c, k)))
      WEFT__TRY(weft__call_fail_shapes(c, 0, k, "the keys have different shapes"));
  WEFT__TRY(weft__only_axis(&axis, axes, weft__call_shape(c, 0).ndim, "axis"));
  for (int k = 0; k < c->inputs; k++) WEFT__TRY(order_by(&order, c->array[c->results + k], WEFT__AXES(axis), c->site));
  WEFT__TRY(weft__call_contiguous_result(c, 0, WEFT_I64, weft__array_shape(order)));
  rc = weft__assign(c->array[0], order, c->site);
done:
  weft_array_release(&order);
  return rc;
}

weft_status weft__lexsort_at(weft_operand out, weft_array *const *keys, int64_t count, weft_axes axis,
                             const char *site) {
  key_list list;
  weft__call c;
  weft_status rc;
  weft__enter("weft_lexsort", site);
  WEFT__TRY(open_keys(&c, &list, keys, count, 1, &out, site));
  rc = weft__call_close(&c, lexsort(&c, axis));
done:
  return weft__leave(rc);
}

/* ---- groups ---- */

/// flags[1:] or= whether elements differ from the one before; with `is_first` flags[1:] = that.
static weft_status add_flags(weft_array *flags, const weft_array *x, bool distinct_nan, bool is_first,
                             const char *site) {
  if (x->size < 2) return WEFT_OK;
  weft_array rest = weft__array_part(flags, 0, 1, x->size - 1), *to = &rest;
  const weft_array before = weft__array_part(x, 0, 0, x->size - 1), here = weft__array_part(x, 0, 1, x->size - 1);
  const bool has_nan = !weft__is_whole(x->dtype) && !distinct_nan;
  const char *text = is_first  ? has_nan ? "a != b and (a == a or b == b)" : "a != b"
                     : has_nan ? "f or (a != b and (a == a or b == b))"
                               : "f or a != b";
  const weft_operand parts[] = {WEFT_NAMED("a", &before), WEFT_NAMED("b", &here), WEFT_NAMED("f", &rest)};
  return weft__eval_at(WEFT_OPERAND(&to), x->context, text, is_first ? 2 : 3, parts, site);
}

static weft_status make_flags(weft_array **flags, weft_context *context, int64_t rows, const char *site) {
  WEFT__TRY_RETURN(weft__array_create(flags, context, WEFT_BOOL, WEFT_SHAPE(rows), site));
  return weft__fill(*flags, WEFT_SCALAR(1), site);
}

weft_status weft__group_flags(weft_array **flags, const weft_array *x, bool distinct_nan, const char *site) {
  WEFT__TRY_RETURN(make_flags(flags, x->context, x->size, site));
  return add_flags(*flags, x, distinct_nan, true, site);
}

/// Marks where groups begin in the order of the rows.
static weft_status flag_groups(weft__grouping *g, const weft_array *const *keys, int64_t count) {
  weft_status rc = WEFT_OK;
  weft_array *moved = NULL;
  WEFT__TRY(make_flags(&g->flags, g->context, g->rows, g->site));
  for (int64_t k = 0; k < count; k++) {
    if (g->order) WEFT__TRY(take(&moved, keys[k], g->order, WEFT__AXES(0), g->site));
    WEFT__TRY(add_flags(g->flags, moved ? moved : keys[k], g->distinct_nan, k == 0, g->site));
    weft_array_release(&moved);
  }
done:
  weft_array_release(&moved);
  return rc;
}

weft_status weft__grouping_make(weft__grouping *g, const weft_array *const *keys, int64_t count) {
  for (int64_t k = count; k-- > 0 && !g->sorted && g->rows > 0;)
    WEFT__TRY_RETURN(order_by(&g->order, keys[k], WEFT__AXES(0), g->site));
  WEFT__TRY_RETURN(flag_groups(g, keys, count));
  WEFT__TRY_RETURN(weft__flatnonzero_at(WEFT_OPERAND(&g->starts), WEFT_OPERAND(g->flags), g->site));
  WEFT__TRY_RETURN(weft__array_create(&g->offsets, g->context, WEFT_I64, WEFT_SHAPE(g->starts->size + 1), g->site));
  weft_array begin = weft__array_part(g->offsets, 0, 0, g->starts->size),
             end = weft__array_part(g->offsets, 0, g->starts->size, 1);
  WEFT__TRY_RETURN(weft__assign(&begin, g->starts, g->site));
  return weft__fill(&end, WEFT_SCALAR(g->rows), g->site);
}

void weft__grouping_free(weft__grouping *g) {
  weft_array_release(&g->order);
  weft_array_release(&g->flags);
  weft_array_release(&g->starts);
  weft_array_release(&g->offsets);
}

/// Writes each row's group.
static weft_status write_inverse(const weft__grouping *g, weft_array *inverse) {
  weft_status rc;
  weft_array *places = NULL, *groups = NULL;
  WEFT__TRY(weft__cumulate_at(WEFT_SCAN_SUM, WEFT_OPERAND(&places), WEFT_OPERAND(g->flags), WEFT__AXES(0),
                              &(const weft_scan_params){.site = g->site}));
  const weft_operand variable[] = {WEFT_NAMED("x", places)};
  if (!g->order) {
    rc = weft__eval_at(WEFT_OPERAND(&inverse), g->context, "x - 1", 1, variable, g->site);
  } else {
    WEFT__TRY(weft__eval_at(WEFT_OPERAND(&groups), g->context, "x - 1", 1, variable, g->site));
    rc = weft__scatter_at(inverse, WEFT_OPERAND(g->order), WEFT_OPERAND(groups), WEFT__AXES(0),
                          &(const weft_index_params){.site = g->site});
  }
done:
  weft_array_release(&places);
  weft_array_release(&groups);
  return rc;
}

weft_status weft__grouping_results(const weft__grouping *g, weft_array *index, weft_array *inverse,
                                   weft_array *counts) {
  const int64_t groups = g->starts->size;
  if (g->rows == 0) return WEFT_OK;
  if (index && g->order)
    WEFT__TRY_RETURN(weft__take_at(WEFT_OPERAND(&index), WEFT_OPERAND(g->order), WEFT_OPERAND(g->starts), WEFT__AXES(0),
                                   &(const weft_index_params){.site = g->site}));
  if (index && !g->order) WEFT__TRY_RETURN(weft__assign(index, g->starts, g->site));
  if (inverse) WEFT__TRY_RETURN(write_inverse(g, inverse));
  if (!counts) return WEFT_OK;
  const weft_array begin = weft__array_part(g->offsets, 0, 0, groups), end = weft__array_part(g->offsets, 0, 1, groups);
  const weft_operand parts[] = {WEFT_NAMED("a", &begin), WEFT_NAMED("b", &end)};
  return weft__eval_at(WEFT_OPERAND(&counts), g->context, "b - a", 2, parts, g->site);
}

/* ---- weft_group_by ---- */

enum { ORDER, OFFSETS, INDEX, INVERSE, COUNTS, FIXED };

typedef struct group_by_call {
  weft__call call; /* results: the groups' keys, then the results that are options */
  key_list list;
  weft_operand result[MOST_KEYS + FIXED];
  const char *name[MOST_KEYS + FIXED];
  int keys_out, at[FIXED]; /* index of each option's result; -1: not wanted */
  weft__grouping grouping;
} group_by_call;

static weft_array *result_of(const group_by_call *t, int option) {
  return t->at[option] < 0 ? NULL : t->call.array[t->at[option]];
}

/// Makes the results and writes them.
static weft_status deliver(group_by_call *t) {
  weft__call *c = &t->call;
  const weft__grouping *g = &t->grouping;
  const int64_t groups = g->starts->size;
  const int64_t length[FIXED] = {g->rows, groups + 1, groups, g->rows, groups};
  weft_status rc;
  weft_array *index = NULL;
  for (int k = 0; k < t->keys_out; k++)
    WEFT__TRY(weft__call_contiguous_result(c, k, weft__call_dtype(c, k), WEFT_SHAPE(groups)));
  for (int k = 0; k < FIXED; k++)
    if (t->at[k] >= 0) WEFT__TRY(weft__call_contiguous_result(c, t->at[k], WEFT_I64, WEFT_SHAPE(length[k])));
  if (t->keys_out) WEFT__TRY(weft__array_create(&index, c->context, WEFT_I64, WEFT_SHAPE(groups), c->site));
  WEFT__TRY(weft__grouping_results(g, index, result_of(t, INVERSE), result_of(t, COUNTS)));
  if (t->at[INDEX] >= 0) WEFT__TRY(weft__grouping_results(g, result_of(t, INDEX), NULL, NULL));
  for (int k = 0; k < t->keys_out && g->rows > 0; k++)
    WEFT__TRY(weft__take_at(WEFT_OPERAND(&c->array[k]), WEFT_OPERAND(c->array[c->results + k]), WEFT_OPERAND(index),
                            WEFT__AXES(0), &(const weft_index_params){.site = c->site}));
  if (t->at[OFFSETS] >= 0) WEFT__TRY(weft__assign(result_of(t, OFFSETS), g->offsets, c->site));
  rc = WEFT_OK;
  if (t->at[ORDER] >= 0 && g->order)
    rc = weft__assign(result_of(t, ORDER), g->order, c->site);
  else if (t->at[ORDER] >= 0)
    rc = weft__arange_at(&c->array[t->at[ORDER]], c->context, WEFT_I64, WEFT_SCALAR(0), WEFT_SCALAR(g->rows),
                         WEFT_SCALAR(1), c->site);
done:
  weft_array_release(&index);
  return rc;
}

static weft_status group_by(group_by_call *t) {
  weft__call *c = &t->call;
  const weft_array *keys[MOST_KEYS];
  WEFT__TRY_RETURN(weft__call_operands(c));
  for (int k = 0; k < c->inputs; k++) {
    const weft_shape shape = weft__call_shape(c, k);
    if (shape.ndim != 1) return weft__fail(WEFT_ERROR_SHAPE, "keys", "keys[%d] has %d axes; expected 1", k, shape.ndim);
    if (shape.dim[0] != weft__call_shape(c, 0).dim[0])
      return weft__call_fail_shapes(c, 0, k, "the keys have different lengths");
    keys[k] = c->array[c->results + k];
  }
  t->grouping.context = c->context;
  t->grouping.rows = weft__call_shape(c, 0).dim[0];
  WEFT__TRY_RETURN(weft__grouping_make(&t->grouping, keys, c->inputs));
  return deliver(t);
}

static void add_result(group_by_call *t, int *results, weft_array **out, const char *name) {
  t->result[*results] = WEFT_OPERAND(out);
  t->name[(*results)++] = name;
}

weft_status weft__group_by_at(weft_array **outs, weft_array *const *keys, int64_t count,
                              const weft_group_by_params *params) {
  static const char *const names[FIXED] = {"order", "offsets", "index", "inverse", "counts"};
  const weft_group_by_params p = WEFT__PARAMS(params);
  weft_array **const given[FIXED] = {p.order, p.offsets, p.index, p.inverse, p.counts};
  group_by_call *t = NULL;
  int results = 0;
  weft_status rc;
  weft__enter("weft_group_by", p.site);
  t = weft__new(sizeof *t);
  if (!t) return weft__leave(WEFT_ERROR_HOST_MEMORY);
  t->grouping = (weft__grouping){.site = p.site, .sorted = p.sorted, .distinct_nan = p.distinct_nan};
  for (int64_t k = 0; outs && k < count && k < MOST_KEYS; k++) add_result(t, &results, &outs[k], "outs");
  t->keys_out = results;
  for (int k = 0; k < FIXED; k++) {
    t->at[k] = given[k] ? results : -1;
    if (given[k]) add_result(t, &results, given[k], names[k]);
  }
  WEFT__TRY(open_keys(&t->call, &t->list, keys, count, results, t->result, p.site));
  t->call.result_name = t->name;
  rc = weft__call_close(&t->call, group_by(t));
done:
  weft__grouping_free(&t->grouping);
  free(t);
  return weft__leave(rc);
}
