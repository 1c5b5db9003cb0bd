// SPDX-License-Identifier: MIT
#include "primitive.h"

/// An index that is out of range is told by the next call that waits. Where none is, what reads the result waits.
static weft_status waited(const primitive *p, weft_status rc) {
  return rc || !p->t.status ? rc : weft_context_wait(judge.context);
}

/// Results k, and all operands from `first` on.
static void list_views(primitive *p, weft_array **outs, const weft_array **arrays, int first) {
  for (int k = 0; k < p->t.results; k++) outs[k] = INTO(k);
  for (int k = first; k < p->t.operands; k++) arrays[k - first] = VIEW(k);
}

/// Operands: the indices, then the arrays.
static weft_status take_many(primitive *p) {
  weft_array *outs[MAX_RESULTS] = {NULL};
  const weft_array *arrays[MAX_OPERANDS] = {NULL};
  list_views(p, outs, arrays, 1);
  weft_status rc = waited(p, weft_take_many(outs, arrays, p->t.results, X(0), U(0)));
  for (int k = 0; k < p->t.results; k++) INTO(k) = outs[k];
  return rc;
}

static weft_status put_many(primitive *p) {
  weft_array *targets[MAX_RESULTS] = {NULL};
  const weft_array *values[MAX_OPERANDS] = {NULL};
  list_views(p, targets, values, 1);
  return waited(p, weft_put_many(targets, values, p->t.results, X(0), U(0)));
}

/// Parameters: axis, mode; of put the mode only.
#define CALLS_INDEX(C)                                                                  \
  C(take, waited(p, weft_take(R(0), X(0), X(1), AXIS(0), U(1))))                        \
  C(take_along_axis, waited(p, weft_take_along_axis(R(0), X(0), X(1), AXIS(0), U(1))))  \
  C(take_many, take_many(p))                                                            \
  C(put, waited(p, weft_put(INTO(0), X(0), X(1), U(0))))                                \
  C(put_along_axis, waited(p, weft_put_along_axis(INTO(0), X(0), X(1), AXIS(0), U(1)))) \
  C(scatter, waited(p, weft_scatter(INTO(0), X(0), X(1), AXIS(0), U(1))))               \
  C(scatter_add, waited(p, weft_scatter_add(INTO(0), X(0), X(1), AXIS(0), U(1))))       \
  C(scatter_min, waited(p, weft_scatter_min(INTO(0), X(0), X(1), AXIS(0), U(1))))       \
  C(scatter_max, waited(p, weft_scatter_max(INTO(0), X(0), X(1), AXIS(0), U(1))))       \
  C(subset_sum, waited(p, weft_subset_sum(R(0), X(0), X(1))))                           \
  C(subset_min, waited(p, weft_subset_min(R(0), X(0), X(1))))                           \
  C(subset_max, waited(p, weft_subset_max(R(0), X(0), X(1))))                           \
  C(subset_dot, waited(p, weft_subset_dot(R(0), X(0), X(1), X(2))))                     \
  C(put_many, put_many(p))

CALLS_INDEX(DEFINE_CALL)
const call_row calls_of_index[] = {CALLS_INDEX(CALL_ROW){NULL, NULL}};
