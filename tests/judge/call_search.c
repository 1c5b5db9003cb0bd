// SPDX-License-Identifier: MIT
#include "primitive.h"

/// Counts, and the edges where they are asked for.
#define EDGES (p->t.results > 1 ? R(1) : WEFT__RESULT_OR_NULL(NULL))
#define CALLS_HISTOGRAM(C)                                                                  \
  C(histogram, weft_histogram(R(0), EDGES, X(0), I(0), F(1), F(2)))                         \
  C(histogram_auto, weft_histogram_auto(R(0), EDGES, X(0), I(0)))                           \
  C(histogram_weighted, weft_histogram_weighted(R(0), EDGES, X(0), X(1), I(0), F(1), F(2))) \
  C(histogram_edges, weft_histogram_edges(R(0), X(0), X(1)))                                \
  C(bincount, weft_bincount(R(0), X(0), I(0)))                                              \
  C(bincount_weighted, weft_bincount_weighted(R(0), X(0), X(1), I(0)))

#define CALLS_SEARCH(C)                                                                              \
  C(searchsorted, weft_searchsorted(R(0), X(0), X(1), .side = (weft_side)I(0)))                      \
  C(merge, weft_merge(R(0), X(0), X(1)))                                                             \
  C(is_sorted, weft_is_sorted(R(0), X(0), .descending = I(0) & 1, .strict = I(0) & 2))               \
  C(unique, weft_unique(R(0), X(0)))                                                                 \
  C(unique_all, weft_unique(R(0), X(0), .index = &INTO(1), .inverse = &INTO(2), .counts = &INTO(3))) \
  C(isin, weft_isin(R(0), X(0), X(1), .invert = I(0)))                                               \
  C(intersect1d, weft_intersect1d(R(0), X(0), X(1)))                                                 \
  C(setdiff1d, weft_setdiff1d(R(0), X(0), X(1)))                                                     \
  C(union1d, weft_union1d(R(0), X(0), X(1)))

CALLS_HISTOGRAM(DEFINE_CALL)
CALLS_SEARCH(DEFINE_CALL)
const call_row calls_of_search[] = {CALLS_HISTOGRAM(CALL_ROW) CALLS_SEARCH(CALL_ROW){NULL, NULL}};
