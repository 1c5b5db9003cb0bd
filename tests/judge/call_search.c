// SPDX-License-Identifier: MIT
#include "primitive.h"

#ifdef weft_histogram
/// Counts, and the edges where they are asked for.
#define EDGES (p->t.results > 1 ? R(1) : WEFT_OPERAND((weft_array **)NULL))
#define CALLS_HISTOGRAM(C)                                                                  \
  C(histogram, weft_histogram(R(0), EDGES, X(0), I(0), F(1), F(2)))                         \
  C(histogram_auto, weft_histogram_auto(R(0), EDGES, X(0), I(0)))                           \
  C(histogram_weighted, weft_histogram_weighted(R(0), EDGES, X(0), X(1), I(0), F(1), F(2))) \
  C(histogram_edges, weft_histogram_edges(R(0), X(0), X(1)))                                \
  C(bincount, weft_bincount(R(0), X(0), I(0)))                                              \
  C(bincount_weighted, weft_bincount_weighted(R(0), X(0), X(1), I(0)))
#else
#define CALLS_HISTOGRAM(C)
#endif

CALLS_HISTOGRAM(DEFINE_CALL)
const call_row calls_of_search[] = {CALLS_HISTOGRAM(CALL_ROW){NULL, NULL}};
