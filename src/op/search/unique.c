// SPDX-License-Identifier: MIT
/// The unique elements of an array.
#include <stdlib.h>

#include <weft/index.h>
#include <weft/scan.h>
#include <weft/select.h>
#include <weft/sort.h>

#include "array/axes.h"
#include "call/call.h"
#include "map/cast.h"
#include "op/group/group.h"
#include "op/search/unique.h"
#include "op/sort/rows.h"

/// Makes operand 0 contiguous. *flat: a borrowed view of it with one axis.
static weft_status take_flat(weft_array *flat, weft__call *c) {
  WEFT__TRY_RETURN(weft__call_operands(c));
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  *flat = weft__array_flat(c->array[c->results]);
  return WEFT_OK;
}

/// Marks the first element of each value of an ordered array.
static weft_status make_flags(weft_array **flags, const weft_array *ordered, bool distinct_nan, const char *site) {
  return distinct_nan ? weft__group_flags(flags, ordered, true, site) : weft__unique_flags(flags, ordered, site);
}

/* ---- elements ---- */

enum { VALUES, INDEX, INVERSE, COUNTS, RESULTS };
static const char *const x_name[] = {"x"};

typedef struct unique_call {
  weft__call call;
  weft_operand result[RESULTS]; /* the wanted results, without gaps */
  const char *name[RESULTS];
  int at[RESULTS]; /* index of each result there; -1: not wanted */
  bool distinct_nan;
  weft_axes axis; /* of slices */
  weft_array flat, *aligned, *sorted, *numbers, *order, *flags, *places, *values;
} unique_call;

/// Sorts x, and keeps the elements' positions if a result needs them.
static weft_status sort(unique_call *u) {
  const char *site = u->call.site;
  const weft_shape shape = WEFT_SHAPE(u->flat.size);
  const bool is_plain = weft__sort_is_plain(&u->flat);
  if (!is_plain) WEFT__TRY_RETURN(weft__cast(&u->aligned, &u->flat, u->flat.dtype, site));
  WEFT__TRY_RETURN(weft__array_create(&u->sorted, u->call.context, u->flat.dtype, shape, site));
  if (u->at[INDEX] >= 0 || u->at[INVERSE] >= 0)
    WEFT__TRY_RETURN(weft__array_create(&u->order, u->call.context, WEFT_I64, shape, site));
  const weft__sort run = {.context = u->call.context,
                          .what = "unique",
                          .site = site,
                          .rows = 1,
                          .length = (uint64_t)u->flat.size,
                          .key_from = is_plain ? &u->flat : u->aligned,
                          .key_to = u->sorted,
                          .value_to = u->order};
  return weft__sort_run(&run);
}

static weft_array *result_of(const unique_call *u, int k) {
  return u->at[k] < 0 ? NULL : u->call.array[u->at[k]];
}

/// Makes the results for `count` unique elements.
static weft_status make_results(weft__unique *unique, unique_call *u, int64_t count) {
  weft__call *c = &u->call;
  for (int k = 0; k < RESULTS; k++)
    if (u->at[k] >= 0)
      WEFT__TRY_RETURN(weft__call_contiguous_result(c, u->at[k], k == VALUES ? u->flat.dtype : WEFT_I64,
                                                    k == INVERSE ? weft__call_shape(c, 0) : WEFT_SHAPE(count)));
  if (count > 0 && u->at[VALUES] < 0)
    WEFT__TRY_RETURN(weft__array_create(&u->values, c->context, u->flat.dtype, WEFT_SHAPE(count), c->site));
  *unique = (weft__unique){
      .ordered = u->sorted,
      .flags = u->flags,
      .places = u->places,
      .order = u->order,
      .values = u->at[VALUES] < 0 ? u->values : result_of(u, VALUES),
      .first = result_of(u, INDEX),
      .inverse = result_of(u, INVERSE),
      .counts = result_of(u, COUNTS),
  };
  return WEFT_OK;
}

/* ---- the ways ---- */

weft_status weft__unique_host_run(bool *is_done, const void *task) {
  unique_call *u = *(unique_call *const *)task;
  const char *site = u->call.site;
  weft_array *number = NULL;
  weft__unique unique;
  int64_t count = 0;
  weft_status rc;
  WEFT__TRY(sort(u));
  WEFT__TRY(weft__array_create(&number, u->call.context, WEFT_I64, WEFT_SHAPE_0D, site));
  WEFT__TRY(weft__unique_flags_on_host(&u->flags, number, u->sorted, u->distinct_nan, site));
  if (u->flat.size > 0) WEFT__TRY(weft__array_read(&count, number, true, site));
  WEFT__TRY(make_results(&unique, u, count));
  if (count > 0) WEFT__TRY(weft__unique_on_host(&unique, site));
  *is_done = true;
done:
  weft_array_release(&number);
  return rc;
}

static bool wants_values_alone(const unique_call *u) {
  return u->at[INDEX] < 0 && u->at[INVERSE] < 0 && u->at[COUNTS] < 0;
}

bool weft__unique_short_fits(const void *task) {
  const unique_call *u = *(unique_call *const *)task;
  return wants_values_alone(u) && weft__sort_is_plain(&u->flat) && weft__sort_unique_works(&u->flat);
}

weft_status weft__unique_short_run(bool *is_done, const void *task) {
  unique_call *u = *(unique_call *const *)task;
  weft_array *values = NULL;
  WEFT__TRY_RETURN(weft__sort_unique(&values, &u->flat, u->distinct_nan, u->call.site));
  *is_done = true;
  const weft_status rc = weft__call_take_result(&u->call, 0, &values);
  weft_array_release(&values);
  return rc;
}

weft_status weft__unique_kernels_run(bool *is_done, const void *task) {
  unique_call *u = *(unique_call *const *)task;
  const char *site = u->call.site;
  weft__unique unique;
  int64_t count = 0;
  *is_done = true;
  WEFT__TRY_RETURN(sort(u));
  WEFT__TRY_RETURN(make_flags(&u->flags, u->sorted, u->distinct_nan, site));
  if (wants_values_alone(u)) {
    WEFT__TRY_RETURN(weft__compress_at(WEFT_OPERAND(&u->values), WEFT_OPERAND(u->flags), WEFT_OPERAND(u->sorted),
                                       WEFT_ALL_AXES, &(const weft_compress_params){.site = site}));
    return weft__call_take_result(&u->call, 0, &u->values);
  }
  if (u->flat.size > 0) {
    WEFT__TRY_RETURN(weft__cumulate_at(WEFT_SCAN_SUM, WEFT_OPERAND(&u->places), WEFT_OPERAND(u->flags), WEFT__AXES(0),
                                       &(const weft_scan_params){.site = site}));
    const weft_array last = weft__array_part(u->places, 0, u->places->size - 1, 1);
    WEFT__TRY_RETURN(weft__array_read(&count, &last, true, site));
  }
  WEFT__TRY_RETURN(make_results(&unique, u, count));
  return count > 0 ? weft__unique_run(&unique, site) : WEFT_OK;
}

/* ---- slices along an axis ---- */

/// The slices along the axis as keys: a view of one axis for each element of a slice.
static weft_status make_keys(const weft_array ***keys, weft_array **view, const weft_array *slices) {
  const int64_t rows = slices->shape[0], columns = rows ? slices->size / rows : 0;
  *keys = weft__new((size_t)(columns ? columns : 1) * sizeof **keys);
  *view = weft__new((size_t)(columns ? columns : 1) * sizeof **view);
  if (!*keys || !*view) return WEFT_ERROR_HOST_MEMORY;
  const int64_t size = (int64_t)weft_dtype_size_bytes(slices->dtype);
  for (int64_t k = 0; k < columns; k++) {
    weft_array *column = &(*view)[k];
    *column = weft__array_borrow(slices);
    column->ndim = 1;
    column->size = rows;
    column->stride_bytes[0] = columns * size;
    column->offset_bytes += k * size;
    (*keys)[k] = column;
  }
  return WEFT_OK;
}

static weft_status group_slices(unique_call *u, weft__grouping *g, int axis, const weft_array *slices) {
  weft__call *c = &u->call;
  weft_status rc;
  const weft_array **keys = NULL;
  weft_array *view = NULL;
  WEFT__TRY(make_keys(&keys, &view, slices));
  WEFT__TRY(weft__grouping_make(g, keys, slices->shape[0] ? slices->size / slices->shape[0] : 0));
  const weft_shape groups = WEFT_SHAPE(g->starts->size);
  weft_shape shape = weft__call_shape(c, 0);
  shape.dim[axis] = groups.dim[0];
  for (int k = 0; k < RESULTS; k++)
    if (u->at[k] >= 0)
      WEFT__TRY(weft__call_contiguous_result(c, u->at[k], k == VALUES ? slices->dtype : WEFT_I64,
                                             k == VALUES    ? shape
                                             : k == INVERSE ? WEFT_SHAPE(slices->shape[0])
                                                            : groups));
  WEFT__TRY(weft__array_create(&u->numbers, c->context, WEFT_I64, groups, c->site));
  WEFT__TRY(weft__grouping_results(g, u->numbers, result_of(u, INVERSE), result_of(u, COUNTS)));
  rc = WEFT_OK;
  if (result_of(u, INDEX)) WEFT__TRY(weft__assign(result_of(u, INDEX), u->numbers, c->site));
  if (u->at[VALUES] >= 0 && slices->size > 0)
    rc = weft__take_at(WEFT_OPERAND(&c->array[u->at[VALUES]]), WEFT_OPERAND(c->array[c->results]),
                       WEFT_OPERAND(u->numbers), WEFT__AXES(axis), &(const weft_index_params){.site = c->site});
done:
  free(keys);
  free(view);
  return rc;
}

static weft_status unique_slices(unique_call *u) {
  weft__call *c = &u->call;
  int axis;
  weft_status rc;
  weft__grouping g = {.site = c->site, .distinct_nan = u->distinct_nan};
  WEFT__TRY(weft__call_operands(c));
  WEFT__TRY(weft__only_axis(&axis, u->axis, weft__call_shape(c, 0).ndim, "axis"));
  weft_array turned = weft__array_borrow(c->array[c->results]);
  for (int d = axis; d > 0; d--) {
    turned.shape[d] = turned.shape[d - 1];
    turned.stride_bytes[d] = turned.stride_bytes[d - 1];
  }
  turned.shape[0] = c->array[c->results]->shape[axis];
  turned.stride_bytes[0] = c->array[c->results]->stride_bytes[axis];
  WEFT__TRY(weft__cast(&u->sorted, &turned, turned.dtype, c->site));
  g.context = c->context;
  g.rows = turned.shape[0];
  rc = group_slices(u, &g, axis, u->sorted);
done:
  weft__grouping_free(&g);
  return rc;
}

static weft_status unique_elements(unique_call *u) {
  WEFT__TRY_RETURN(take_flat(&u->flat, &u->call));
  return weft__ways_run(&weft__unique_ways, u->call.context, &u);
}

static weft_status unique_all(const weft_operand given[RESULTS], const weft_operand *x, const weft_unique_params *p) {
  static const char *const result_names[RESULTS] = {"values", "index", "inverse", "counts"};
  unique_call u = {.at = {-1, -1, -1, -1}, .distinct_nan = p->distinct_nan, .axis = p->axis};
  const bool wants_others = p->index || p->inverse || p->counts || p->axis.count;
  int results = 0;
  for (int k = 0; k < RESULTS; k++)
    if (given[k].kind != WEFT_OPERAND_RESULT || given[k].as.result || (k == VALUES && !wants_others)) {
      u.result[results] = given[k];
      u.name[results] = result_names[k];
      u.at[k] = results++;
    }
  weft__call_open(&u.call, NULL, results, u.result, 1, x, x_name, p->site);
  u.call.result_name = u.name;
  weft_status rc = p->axis.count ? unique_slices(&u) : unique_elements(&u);
  weft_array_release(&u.values);
  weft_array_release(&u.places);
  weft_array_release(&u.flags);
  weft_array_release(&u.order);
  weft_array_release(&u.numbers);
  weft_array_release(&u.sorted);
  weft_array_release(&u.aligned);
  return weft__call_close(&u.call, rc);
}

weft_status weft__unique_at(weft_operand values, weft_operand x, const weft_unique_params *params) {
  const weft_unique_params p = WEFT__PARAMS(params);
  const weft_operand given[RESULTS] = {values, WEFT_OPERAND(p.index), WEFT_OPERAND(p.inverse), WEFT_OPERAND(p.counts)};
  weft__enter("weft_unique", p.site);
  return weft__leave(unique_all(given, &x, &p));
}
