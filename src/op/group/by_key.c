// SPDX-License-Identifier: MIT
/// Reductions of segments and of the values of each key: checks of the arguments, and the calls.
#include <weft/index.h>

#include "call/call.h"
#include "op/group/group.h"

/* ---- segments ---- */

static weft_status check_rows(const weft__call *c, int k, const char *what) {
  const char *name = weft__call_operand_name(c, k);
  if (!weft__call_is_scalar(c, k) && weft__call_shape(c, k).ndim >= 1) return WEFT_OK;
  return weft__fail(WEFT_ERROR_SHAPE, name, "`%s` has no axes; expected %s", name, what);
}

static weft_status reduce_segments(weft_operand out, weft__call *c, const weft_segments_params *p) {
  WEFT__TRY_RETURN(weft__call_operands(c));
  WEFT__TRY_RETURN(check_rows(c, 0, "rows along the first axis"));
  for (int k = 1; k < c->inputs; k++) {
    const char *name = weft__call_operand_name(c, k);
    const weft_shape shape = weft__call_shape(c, k);
    if (weft__call_is_scalar(c, k) || shape.ndim != 1 || (k == 1 && shape.dim[0] == 0))
      return weft__fail(WEFT_ERROR_SHAPE, name, "`%s` has %s; expected one axis%s", name,
                        shape.ndim == 1 ? "no elements" : "another number of axes",
                        k == 1 ? " with one element more than there are segments" : "");
    if (weft__call_dtype(c, k) != WEFT_I64)
      return weft__fail(WEFT_ERROR_DTYPE, name, "`%s` is %s; expected i64", name,
                        weft_dtype_name(weft__call_dtype(c, k)));
  }
  return weft__segments_run(out, &(const weft__segments){.context = c->context,
                                                         .site = c->site,
                                                         .op = p->op,
                                                         .ddof = p->ddof,
                                                         .x = c->array[c->results],
                                                         .offsets = c->array[c->results + 1],
                                                         .order = c->inputs > 2 ? c->array[c->results + 2] : NULL});
}

weft_status weft__reduce_segments_at(weft_operand out, weft_operand x, weft_operand offsets,
                                     const weft_segments_params *params) {
  static const char *const names[] = {"x", "offsets", "order"};
  const weft_segments_params p = WEFT__PARAMS(params);
  const weft_operand operand[] = {x, offsets, WEFT_OPERAND(p.order)};
  weft__call c;
  weft__enter("weft_reduce_segments", p.site);
  weft__call_open(&c, NULL, 1, &out, p.order ? 3 : 2, operand, names,
                  p.site); /* weft__segments_run writes the result */
  return weft__leave(weft__call_close(&c, reduce_segments(out, &c, &p)));
}

/* ---- by key ---- */

enum { VALUES, KEYS, COUNTS, RESULTS };

typedef struct by_key_call {
  weft__call call;
  weft_operand result[RESULTS]; /* the wanted results, without gaps; values first */
  const char *name[RESULTS];
  int at[RESULTS]; /* index of each there; -1: not wanted */
  weft__grouping grouping;
  weft_array *index, *reduced;
} by_key_call;

static weft_status reduce_by_key(by_key_call *t, const weft_reduce_by_key_params *p) {
  weft__call *c = &t->call;
  weft__grouping *g = &t->grouping;
  WEFT__TRY_RETURN(weft__call_operands(c));
  if (weft__call_is_scalar(c, 0) || weft__call_shape(c, 0).ndim != 1)
    return weft__fail(WEFT_ERROR_SHAPE, "keys", "`keys` has %d axes; expected 1", weft__call_shape(c, 0).ndim);
  WEFT__TRY_RETURN(check_rows(c, 1, "a row for each key"));
  if (weft__call_shape(c, 0).dim[0] != weft__call_shape(c, 1).dim[0])
    return weft__call_fail_shapes(c, 0, 1, "expected a row of values for each key");
  const weft_array *keys = c->array[c->results], *values = c->array[c->results + 1];
  WEFT__TRY_RETURN(weft__segments_check(p->op, p->ddof, values->dtype));
  *g = (weft__grouping){.context = c->context, .site = c->site, .rows = keys->size, .sorted = p->sorted};
  WEFT__TRY_RETURN(weft__grouping_make(g, &keys, 1));
  WEFT__TRY_RETURN(weft__segments_run(WEFT_OPERAND(&t->reduced), &(const weft__segments){.context = c->context,
                                                                                         .site = c->site,
                                                                                         .op = p->op,
                                                                                         .ddof = p->ddof,
                                                                                         .x = values,
                                                                                         .offsets = g->offsets,
                                                                                         .order = g->order}));
  const weft_shape groups = WEFT_SHAPE(g->starts->size);
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, t->reduced->dtype, weft__array_shape(t->reduced)));
  if (t->at[KEYS] > 0) WEFT__TRY_RETURN(weft__call_contiguous_result(c, t->at[KEYS], keys->dtype, groups));
  if (t->at[COUNTS] > 0) WEFT__TRY_RETURN(weft__call_contiguous_result(c, t->at[COUNTS], WEFT_I64, groups));
  WEFT__TRY_RETURN(weft__assign(c->array[0], t->reduced, c->site));
  WEFT__TRY_RETURN(weft__array_create(&t->index, c->context, WEFT_I64, groups, c->site));
  WEFT__TRY_RETURN(weft__grouping_results(g, t->index, NULL, t->at[COUNTS] > 0 ? c->array[t->at[COUNTS]] : NULL));
  if (t->at[KEYS] < 0 || g->rows == 0) return WEFT_OK;
  return weft__take_at(WEFT_OPERAND(&c->array[t->at[KEYS]]), WEFT_OPERAND(keys), WEFT_OPERAND(t->index), WEFT__AXES(0),
                       &(const weft_index_params){.site = c->site});
}

weft_status weft__reduce_by_key_at(weft_operand keys_out, weft_operand values_out, weft_operand keys,
                                   weft_operand values, const weft_reduce_by_key_params *params) {
  static const char *const names[] = {"keys", "values"};
  static const char *const result_names[RESULTS] = {"values_out", "keys_out", "counts"};
  const weft_reduce_by_key_params p = WEFT__PARAMS(params);
  const weft_operand operand[] = {keys, values};
  const weft_operand given[RESULTS] = {values_out, keys_out, WEFT_OPERAND(p.counts)};
  by_key_call t = {.at = {-1, -1, -1}};
  int results = 0;
  weft__enter("weft_reduce_by_key", p.site);
  for (int k = 0; k < RESULTS; k++)
    if (k == VALUES || given[k].kind != WEFT_OPERAND_RESULT || given[k].as.result) {
      t.result[results] = given[k];
      t.name[results] = result_names[k];
      t.at[k] = results++;
    }
  weft__call_open(&t.call, NULL, results, t.result, 2, operand, names, p.site);
  t.call.result_name = t.name;
  weft_status rc = reduce_by_key(&t, &p);
  weft__grouping_free(&t.grouping);
  weft_array_release(&t.index);
  weft_array_release(&t.reduced);
  return weft__leave(weft__call_close(&t.call, rc));
}
