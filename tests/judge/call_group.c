// SPDX-License-Identifier: MIT
#include "primitive.h"

enum { MOST_KEYS = 8 };

/// Parameters: the axis. The operands are the keys.
static weft_status lexsort(primitive *p) {
  weft_array *keys[MOST_KEYS];
  for (int k = 0; k < p->t.operands; k++) keys[k] = VIEW(k);
  return weft__lexsort_at(R(0), keys, p->t.operands, WEFT__AXES(AXIS(0)), WEFT_SITE);
}

/// Parameters: whether equal keys are neighbours, whether NaNs differ. The results are order, offsets, index, inverse,
/// counts, then the groups' keys.
static weft_status group_by(primitive *p) {
  weft_array *keys[MOST_KEYS], *outs[MOST_KEYS] = {NULL};
  for (int k = 0; k < p->t.operands; k++) keys[k] = VIEW(k);
  weft_status rc = weft_group_by(outs, keys, p->t.operands, .order = &INTO(0), .offsets = &INTO(1), .index = &INTO(2),
                                 .inverse = &INTO(3), .counts = &INTO(4), .sorted = I(0), .distinct_nan = I(1));
  for (int k = 0; k < p->t.operands && rc == WEFT_OK; k++) INTO(5 + k) = outs[k];
  return rc;
}

/// Parameters: the reduction, ddof, whether equal keys are neighbours. The results are keys, values, counts.
static weft_status reduce_by_key(primitive *p) {
  return weft_reduce_by_key(&INTO(0), R(1), X(0), X(1), .op = (weft_reduction_id)I(0), .ddof = F(1), .sorted = I(2),
                            .counts = &INTO(2));
}

/// Parameters: the reduction, ddof. A third operand is the order.
static weft_status reduce_segments(primitive *p) {
  return weft_reduce_segments(R(0), X(0), X(1), .op = (weft_reduction_id)I(0), .ddof = F(1),
                              .order = p->t.operands > 2 ? VIEW(2) : NULL);
}

#define CALLS_GROUP(C)               \
  C(lexsort, lexsort(p))             \
  C(group_by, group_by(p))           \
  C(reduce_by_key, reduce_by_key(p)) \
  C(reduce_segments, reduce_segments(p))

CALLS_GROUP(DEFINE_CALL)
const call_row calls_of_group[] = {CALLS_GROUP(CALL_ROW){NULL, NULL}};
