// SPDX-License-Identifier: MIT
#include "primitive.h"

/// Parameter k: a weft_index_mode, plus 0x100 for `deterministic`.
#define MODE(k) .mode = (weft_index_mode)(U(k) & 0xffu), .deterministic = U(k) >> 8

/// The next call that waits reports an index out of range. Cases without such an index wait when they read the result.
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
  weft_status rc = waited(p, weft_take_many(outs, arrays, p->t.results, X(0), MODE(0)));
  for (int k = 0; k < p->t.results; k++) INTO(k) = outs[k];
  return rc;
}

static weft_status put_many(primitive *p) {
  weft_array *targets[MAX_RESULTS] = {NULL};
  const weft_array *values[MAX_OPERANDS] = {NULL};
  list_views(p, targets, values, 1);
  return waited(p, weft_put_many(targets, values, p->t.results, X(0), MODE(0)));
}

/// Operands: x, then the lists of indices. Parameter: the mode.
static weft_status at(primitive *p) {
  weft_operand list[MAX_OPERANDS + 1] = {WEFT_INDEXING(.mode = (weft_index_mode)U(0))};
  for (int k = 1; k < p->t.operands; k++) list[k] = X(k);
  return waited(p, weft__at_at(R(0), X(0), p->t.operands, list, WEFT_SITE));
}

/// Parameters: the shape, the mode.
static weft_status ravel_multi_index(primitive *p) {
  weft_operand list[MAX_OPERANDS + 1] = {WEFT_INDEXING(.mode = (weft_index_mode)U(1))};
  for (int k = 0; k < p->t.operands; k++) list[k + 1] = X(k);
  return waited(p, weft__ravel_multi_index_at(R(0), SHAPE(0), p->t.operands + 1, list, WEFT_SITE));
}

static weft_status unravel_index(primitive *p) {
  weft_array *outs[WEFT_MAX_NDIM] = {NULL};
  weft_status rc = weft_unravel_index(outs, X(0), SHAPE(0));
  if (!rc) rc = waited(p, rc);
  for (int k = 0; k < p->t.results && !rc; k++) INTO(k) = outs[k];
  for (int k = 0; k < WEFT_MAX_NDIM && rc; k++) weft_array_release(&outs[k]);
  return rc;
}

/// Parameters: axis, mode; put has the mode only.
#define CALLS_INDEX(C)                                                                     \
  C(take, waited(p, weft_take(R(0), X(0), X(1), AXIS(0), MODE(1))))                        \
  C(take_along_axis, waited(p, weft_take_along_axis(R(0), X(0), X(1), AXIS(0), MODE(1))))  \
  C(take_many, take_many(p))                                                               \
  C(at, at(p))                                                                             \
  C(put, waited(p, weft_put(INTO(0), X(0), X(1), MODE(0))))                                \
  C(put_along_axis, waited(p, weft_put_along_axis(INTO(0), X(0), X(1), AXIS(0), MODE(1)))) \
  C(scatter, waited(p, weft_scatter(INTO(0), X(0), X(1), AXIS(0), MODE(1))))               \
  C(scatter_add, waited(p, weft_scatter_add(INTO(0), X(0), X(1), AXIS(0), MODE(1))))       \
  C(scatter_min, waited(p, weft_scatter_min(INTO(0), X(0), X(1), AXIS(0), MODE(1))))       \
  C(scatter_max, waited(p, weft_scatter_max(INTO(0), X(0), X(1), AXIS(0), MODE(1))))       \
  C(subset_sum, waited(p, weft_subset_sum(R(0), X(0), X(1))))                              \
  C(subset_min, waited(p, weft_subset_min(R(0), X(0), X(1))))                              \
  C(subset_max, waited(p, weft_subset_max(R(0), X(0), X(1))))                              \
  C(subset_dot, waited(p, weft_subset_dot(R(0), X(0), X(1), X(2))))                        \
  C(put_many, put_many(p))                                                                 \
  C(place, weft_place(INTO(0), X(0), X(1)))                                                \
  C(putmask, weft_putmask(INTO(0), X(0), X(1)))                                            \
  C(fill_diagonal, weft_fill_diagonal(INTO(0), X(0), .wrap = I(0)))                        \
  C(ravel_multi_index, ravel_multi_index(p))                                               \
  C(unravel_index, unravel_index(p))                                                       \
  C(assign, weft_assign(INTO(0), X(0), X(1)))

CALLS_INDEX(DEFINE_CALL)
const call_row calls_of_index[] = {CALLS_INDEX(CALL_ROW){NULL, NULL}};
