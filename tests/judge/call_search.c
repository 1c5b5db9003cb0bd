// SPDX-License-Identifier: MIT
#include "primitive.h"

/// Histograms: array options, made from the case's host memory.
typedef struct given {
  weft_array *weights, *edges;
  weft_histogram_params params;
} given;

static weft_status open_given(given *g, primitive *p, bool weighted) {
  const weft_operand weights = weighted ? X(1) : X(0);
  weft_status rc = WEFT_OK;
  *g = (given){.params = {.site = WEFT_SITE}};
  if (p->t.results > 1) g->params.edges = p->t.result[1].kind == PLACE_HOST_RESULT ? &g->edges : &INTO(1);
  if (weighted && weights.kind == WEFT_OPERAND_HOST)
    rc = weft_from_host(&g->weights, judge.context, weights.as.host.dtype, weights.as.host.shape, weights.as.host.data);
  if (weighted) g->params.weights = g->weights ? g->weights : weights.as.array;
  return rc;
}

static weft_status close_given(given *g, primitive *p, weft_status rc) {
  if (rc == WEFT_OK && g->edges) rc = weft_positive(R(1), g->edges);
  weft_array_release(&g->weights);
  weft_array_release(&g->edges);
  return rc;
}

static weft_status histogram(primitive *p, bool weighted, bool with_range) {
  given g;
  weft_status rc = open_given(&g, p, weighted);
  if (with_range) g.params.range = WEFT_RANGE(F(1), F(2));
  if (rc == WEFT_OK) rc = weft__histogram_at(R(0), X(0), WEFT_OPERAND(I(0)), &g.params);
  return close_given(&g, p, rc);
}

static weft_status bincount_weighted(primitive *p) {
  given g;
  weft_status rc = open_given(&g, p, true);
  if (rc == WEFT_OK) rc = weft_bincount(R(0), X(0), .minlength = I(0), .weights = g.params.weights);
  return close_given(&g, p, rc);
}

/// Parameters: the bins, whether there are weights, density, then the ranges, if any. The further results are edges. An
/// operand more than the sample and the weights has edges of the last dimension. `two`: x and y in place of the sample.
static weft_status histogramdd(primitive *p, bool two) {
  weft_range range[3];
  weft_array **edges[3] = {NULL};
  const weft_array *bounds[3] = {NULL};
  const weft_shape bins = SHAPE(0);
  const int weights = two ? 2 : 1, more = weights + (I(1) ? 1 : 0);
  weft_histogramdd_params params = {.density = I(2), .weights = I(1) ? VIEW(weights) : NULL};
  for (int k = 0; 3 + 2 * k < COUNT; k++) {
    range[k] = WEFT_RANGE(F(3 + 2 * k), F(4 + 2 * k));
    params.ranges = range;
  }
  for (int k = 0; k + 1 < p->t.results; k++) edges[k] = &INTO(1 + k);
  if (p->t.results > 1) params.edges = edges;
  if (p->t.operands > more) bounds[bins.ndim - 1] = VIEW(more);
  if (p->t.operands > more) params.given = bounds;
  return two ? weft__histogram2d_at(R(0), X(0), X(1), bins, &params) : weft__histogramdd_at(R(0), X(0), bins, &params);
}

#define CALLS_HISTOGRAM(C)                                  \
  C(histogram, histogram(p, false, true))                   \
  C(histogram_auto, histogram(p, false, false))             \
  C(histogram_weighted, histogram(p, true, true))           \
  C(histogram_edges, weft_histogram(R(0), X(0), X(1)))      \
  C(histogramdd, histogramdd(p, false))                     \
  C(histogram2d, histogramdd(p, true))                      \
  C(bincount, weft_bincount(R(0), X(0), .minlength = I(0))) \
  C(bincount_weighted, bincount_weighted(p))

/// Parameters: the axis, whether NaNs differ.
static weft_status unique_axis(primitive *p) {
  return weft_unique(R(0), X(0), .index = &INTO(1), .inverse = &INTO(2), .counts = &INTO(3), .axis = WEFT_AXES(AXIS(0)),
                     .distinct_nan = I(1));
}

#define CALLS_SEARCH(C)                                                                              \
  C(searchsorted, weft_searchsorted(R(0), X(0), X(1), .side = (weft_side)I(0)))                      \
  C(merge, weft_merge(R(0), X(0), X(1)))                                                             \
  C(is_sorted, weft_is_sorted(R(0), X(0), .descending = I(0) & 1, .strict = I(0) & 2))               \
  C(unique, weft_unique(R(0), X(0)))                                                                 \
  C(unique_all, weft_unique(R(0), X(0), .index = &INTO(1), .inverse = &INTO(2), .counts = &INTO(3))) \
  C(unique_axis, unique_axis(p))                                                                     \
  C(digitize, weft_digitize(R(0), X(0), X(1), .right = I(0), .descending = I(1)))                    \
  C(setxor1d, weft_setxor1d(R(0), X(0), X(1)))                                                       \
  C(isin, weft_isin(R(0), X(0), X(1), .invert = I(0)))                                               \
  C(intersect1d, weft_intersect1d(R(0), X(0), X(1)))                                                 \
  C(setdiff1d, weft_setdiff1d(R(0), X(0), X(1)))                                                     \
  C(union1d, weft_union1d(R(0), X(0), X(1)))

CALLS_HISTOGRAM(DEFINE_CALL)
CALLS_SEARCH(DEFINE_CALL)
const call_row calls_of_search[] = {CALLS_HISTOGRAM(CALL_ROW) CALLS_SEARCH(CALL_ROW){NULL, NULL}};
