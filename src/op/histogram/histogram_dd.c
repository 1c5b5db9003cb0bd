// SPDX-License-Identifier: MIT
/// Histograms of several dimensions: each coordinate's bin by a search in the edges, then the bins' numbers counted.
#include <inttypes.h>
#include <math.h>

#include <weft/differences.h>
#include <weft/eval.h>
#include <weft/histogram.h>
#include <weft/reduce.h>
#include <weft/search.h>

#include "call/call.h"
#include "expr/overload.h"
#include "map/cast.h"
#include "op/histogram/histogram.h"

#define MOST WEFT_MAX_NDIM

typedef struct dd_call {
  weft__call call; /* operands: the sample or x and y, then the weights; results: counts, then the edges wanted */
  weft_operand result[1 + MOST];
  const char *result_name[1 + MOST];
  int edges_at[MOST]; /* the result of each dimension's edges; 0: not wanted */
  weft_histogramdd_params p;
  weft_shape bins;
  int dimensions;
  bool weighted;
  weft_array coordinate[MOST]; /* borrowed: [n] */
  weft_array *edges[MOST];
  weft_array *places; /* i64: the number of each element's bin; -1: none */
} dd_call;

/* ---- edges ---- */

static weft_status make_even_edges(dd_call *t, int k) {
  weft__call *c = &t->call;
  weft_status rc;
  weft_array *flat = NULL;
  const weft_array *x = &t->coordinate[k];
  const weft_range *range = t->p.ranges ? &t->p.ranges[k] : NULL;
  const bool has_fp64 = c->context->core.device->info.has_fp64, is_float = weft_dtype_kind(x->dtype) == 'f';
  weft__even even = {
      .bins = t->bins.dim[k], .low = 0, .high = 1, .x = x->dtype, .edge = WEFT_F64, .arithmetic = WEFT_F64};
  if (is_float && (!range || !has_fp64)) even.edge = x->dtype;
  if (range) {
    even.low = range->low;
    even.high = range->high;
  } else if (x->size > 0) {
    weft__extent extent = {0};
    WEFT__TRY(weft__cast(&flat, x, x->dtype, c->site));
    WEFT__TRY(weft__histogram_extent(&extent, flat, c->site));
    if (is_float && (extent.bad >= 0 || !isfinite(extent.least) || !isfinite(extent.most)))
      WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, weft__call_operand_name(c, 0),
                           "the range of coordinate %d is not finite; expected `ranges`", k));
    even.low = extent.least;
    even.high = extent.most;
    if (is_float) even.arithmetic = x->dtype;
  }
  WEFT__TRY(weft__even_check(&even));
  WEFT__TRY(weft__array_create(&t->edges[k], c->context, even.edge, WEFT_SHAPE(even.bins + 1), c->site));
  rc = weft__even_edges(t->edges[k], &even, c->site);
done:
  weft_array_release(&flat);
  return rc;
}

static weft_status make_edges(dd_call *t) {
  weft__call *c = &t->call;
  int64_t all = 1;
  for (int k = 0; k < t->dimensions; k++) {
    const weft_array *given = t->p.given ? t->p.given[k] : NULL;
    if (given) {
      WEFT__TRY_RETURN(weft__array_check(given, "given"));
      if (given->context != c->context)
        return weft__fail(WEFT_ERROR_CONTEXT, "given", "given[%d] belongs to another context" WEFT__COPY_HINT, k);
      if (given->ndim != 1 || given->size < 2)
        return weft__fail(WEFT_ERROR_SHAPE, "given",
                          "given[%d] has %d axes and %" PRId64 " elements; expected two edges or more along one axis",
                          k, given->ndim, given->size);
      if (weft_dtype_kind(given->dtype) == 'c')
        return weft__fail(WEFT_ERROR_DTYPE, "given", "given[%d] is %s; expected a real dtype", k,
                          weft_dtype_name(given->dtype));
      WEFT__TRY_RETURN(weft__cast(&t->edges[k], given, given->dtype, c->site));
      t->bins.dim[k] = given->size - 1;
    } else {
      WEFT__TRY_RETURN(make_even_edges(t, k));
    }
    all = all > INT32_MAX / t->bins.dim[k] ? INT32_MAX : all * t->bins.dim[k];
    if (all >= INT32_MAX)
      return weft__fail(WEFT_ERROR_ARGUMENT, "bins", "the bins of all dimensions are more than %d", INT32_MAX - 1);
  }
  return WEFT_OK;
}

/* ---- counts ---- */

/// Adds coordinate k to the numbers of the bins.
static weft_status add_places(dd_call *t, int k) {
  weft__call *c = &t->call;
  weft_status rc;
  weft_array *found = NULL;
  const weft_array *x = &t->coordinate[k];
  WEFT__TRY(weft__searchsorted_at(WEFT_OPERAND(&found), WEFT_OPERAND(t->edges[k]), WEFT_OPERAND(x),
                                  &(const weft_searchsorted_params){.side = WEFT_RIGHT, .site = c->site}));
  weft_array first = weft__array_part(t->edges[k], 0, 0, 1), last = weft__array_part(t->edges[k], 0, t->bins.dim[k], 1);
  first.ndim = last.ndim = 0;
  const weft_operand parts[] = {WEFT_NAMED("s", found),
                                WEFT_NAMED("x", x),
                                WEFT_NAMED("first", &first),
                                WEFT_NAMED("last", &last),
                                WEFT_NAMED("bins", t->bins.dim[k]),
                                WEFT_NAMED("p", t->places)};
  /* the last edge belongs to the last bin */
  rc = weft__eval_at(WEFT_OPERAND(&t->places), c->context,
                     k == 0 ? "min(s, bins) - 1 if first <= x and x <= last else -1"
                            : "p * bins + min(s, bins) - 1 if first <= x and x <= last and p >= 0 else -1",
                     k == 0 ? 5 : 6, parts, c->site);
done:
  weft_array_release(&found);
  return rc;
}

/// Divides by the sum and by each bin's size.
static weft_status divide(dd_call *t, weft_array *density) {
  weft__call *c = &t->call;
  weft_status rc;
  weft_array *sum = NULL, *width = NULL;
  WEFT__TRY(
      weft__reduce_apply_at(WEFT_REDUCE_SUM, WEFT_OPERAND(&sum), WEFT_OPERAND(density), WEFT_ALL_AXES, 0, c->site));
  for (int k = 0; k < t->dimensions; k++) {
    WEFT__TRY(weft__diff_at(WEFT_OPERAND(&width), WEFT_OPERAND(t->edges[k]), WEFT__AXES(0),
                            &(const weft_diff_params){.site = c->site}));
    weft_array along = weft__array_borrow(width);
    along.ndim = t->dimensions - k; /* the axis and those behind it */
    for (int d = 1; d < along.ndim; d++) {
      along.shape[d] = 1;
      along.stride_bytes[d] = 0;
    }
    const weft_operand parts[] = {WEFT_NAMED("h", density), WEFT_NAMED("w", &along), WEFT_NAMED("s", sum)};
    WEFT__TRY(weft__eval_at(WEFT_OPERAND(&density), c->context, k == 0 ? "h / w / s" : "h / w", k == 0 ? 3 : 2, parts,
                            c->site));
    weft_array_release(&width);
  }
  rc = WEFT_OK;
done:
  weft_array_release(&sum);
  weft_array_release(&width);
  return rc;
}

static weft_status count(dd_call *t) {
  weft__call *c = &t->call;
  weft_status rc;
  weft_array *flat = NULL;
  const weft_shape shape = t->bins;
  int64_t all = 1;
  for (int k = 0; k < t->dimensions; k++) all *= shape.dim[k];
  WEFT__TRY(weft__call_contiguous_result(c, 0, t->weighted || t->p.density ? WEFT_F64 : WEFT_I64, shape));
  for (int k = 0; k < t->dimensions; k++)
    if (t->edges_at[k])
      WEFT__TRY(weft__call_contiguous_result(c, t->edges_at[k], t->edges[k]->dtype, WEFT_SHAPE(t->bins.dim[k] + 1)));
  for (int k = 0; k < t->dimensions; k++) WEFT__TRY(add_places(t, k));
  weft_array counts = weft__array_flat(c->array[0]), *to = &counts;
  if (t->p.density && !t->weighted) {
    WEFT__TRY(weft__array_create(&flat, c->context, WEFT_I64, WEFT_SHAPE(all), c->site));
    to = flat;
  }
  WEFT__TRY(
      weft__bincount_at(WEFT_OPERAND(&to), WEFT_OPERAND(t->places),
                        &(const weft_bincount_params){
                            .weights = t->weighted ? c->array[c->results + c->inputs - 1] : NULL, .site = c->site}));
  if (flat) WEFT__TRY(weft__cast_into(&counts, flat, WEFT_F64, c->site));
  if (t->p.density) WEFT__TRY(divide(t, c->array[0]));
  for (int k = 0; k < t->dimensions; k++)
    if (t->edges_at[k]) WEFT__TRY(weft__cast_into(c->array[t->edges_at[k]], t->edges[k], t->edges[k]->dtype, c->site));
  rc = WEFT_OK;
done:
  weft_array_release(&flat);
  return rc;
}

/* ---- the calls ---- */

static weft_status check_operands(dd_call *t, bool two) {
  weft__call *c = &t->call;
  for (int k = 0; k < c->inputs; k++) {
    const char *name = weft__call_operand_name(c, k);
    if (weft_dtype_kind(weft__call_dtype(c, k)) == 'c')
      return weft__fail(WEFT_ERROR_DTYPE, name, "`%s` is %s; expected a real dtype", name,
                        weft_dtype_name(weft__call_dtype(c, k)));
    const weft_shape shape = weft__call_shape(c, k);
    const int wanted = k == 0 && !two ? 2 : 1;
    if (shape.ndim != wanted)
      return weft__fail(WEFT_ERROR_SHAPE, name, "`%s` has %d axes; expected %d", name, shape.ndim, wanted);
    if (shape.dim[0] != weft__call_shape(c, 0).dim[0])
      return weft__call_fail_shapes(c, 0, k, "they have different lengths");
  }
  if (two) {
    for (int k = 0; k < 2; k++) t->coordinate[k] = weft__array_borrow(c->array[c->results + k]);
    return WEFT_OK;
  }
  if (weft__call_shape(c, 0).dim[1] != t->dimensions)
    return weft__fail(WEFT_ERROR_SHAPE, "bins", "`bins` has %d numbers, and a row of `sample` %" PRId64 " coordinates",
                      t->dimensions, weft__call_shape(c, 0).dim[1]);
  for (int k = 0; k < t->dimensions; k++) {
    t->coordinate[k] = weft__array_part(c->array[c->results], 1, k, 1);
    t->coordinate[k].ndim = 1;
  }
  return WEFT_OK;
}

static weft_status histogram(weft_operand counts, const weft_operand *operand, const char *const *names, int operands,
                             dd_call *t) {
  weft_status rc;
  int results = 1;
  t->dimensions = t->bins.ndim;
  t->weighted = t->p.weights != NULL;
  t->result[0] = counts;
  t->result_name[0] = "counts";
  for (int k = 0; k < t->dimensions && t->p.edges; k++)
    if (t->p.edges[k]) {
      t->edges_at[k] = results;
      t->result[results] = WEFT_OPERAND(t->p.edges[k]);
      t->result_name[results++] = "edges";
    }
  weft__call_open(&t->call, NULL, results, t->result, operands, operand, names, t->p.site);
  t->call.result_name = t->result_name;
  WEFT__TRY(weft__call_operands(&t->call));
  WEFT__TRY(check_operands(t, names[0][0] == 'x'));
  WEFT__TRY(make_edges(t));
  rc = count(t);
done:
  for (int k = 0; k < t->dimensions; k++) weft_array_release(&t->edges[k]);
  weft_array_release(&t->places);
  return weft__call_close(&t->call, rc);
}

static weft_status check_bins(weft_shape bins, int least, int most) {
  if (bins.ndim >= least && bins.ndim <= most) return WEFT_OK;
  return weft__fail(WEFT_ERROR_ARGUMENT, "bins", "`bins` has %d numbers; expected %d%s", bins.ndim, least,
                    most > least ? " to 8, one for each dimension" : "");
}

weft_status weft__histogramdd_at(weft_operand counts, weft_operand sample, weft_shape bins,
                                 const weft_histogramdd_params *params) {
  static const char *const names[] = {"sample", "weights"};
  dd_call t = {.p = WEFT__PARAMS(params), .bins = bins};
  const weft_operand operand[] = {sample, WEFT_OPERAND(t.p.weights)};
  weft__enter("weft_histogramdd", t.p.site);
  weft_status rc = check_bins(bins, 1, MOST);
  return weft__leave(rc == WEFT_OK ? histogram(counts, operand, names, t.p.weights ? 2 : 1, &t) : rc);
}

weft_status weft__histogram2d_at(weft_operand counts, weft_operand x, weft_operand y, weft_shape bins,
                                 const weft_histogramdd_params *params) {
  static const char *const names[] = {"x", "y", "weights"};
  dd_call t = {.p = WEFT__PARAMS(params), .bins = bins};
  const weft_operand operand[] = {x, y, WEFT_OPERAND(t.p.weights)};
  weft__enter("weft_histogram2d", t.p.site);
  weft_status rc = check_bins(bins, 2, 2);
  return weft__leave(rc == WEFT_OK ? histogram(counts, operand, names, t.p.weights ? 3 : 2, &t) : rc);
}
