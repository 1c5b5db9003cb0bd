// SPDX-License-Identifier: MIT
#include "primitive.h"

/// A bool in host memory as the case's result, an array.
static weft_status into_array(primitive *p, weft_status rc, const bool *value) {
  return rc ? rc : weft_full(&INTO(0), judge.context, WEFT_BOOL, WEFT_SHAPE_0D, *value);
}

/// Parameters: the tolerances, whether NaN is close to NaN.
static weft_status allclose(primitive *p) {
  bool value = false;
  return into_array(p, weft_allclose(&value, X(0), X(1), .rtol = F(0), .atol = F(1), .equal_nan = I(2)), &value);
}

static weft_status array_equal(primitive *p) {
  bool value = false;
  return into_array(p, weft_array_equal(&value, X(0), X(1), .equal_nan = I(0)), &value);
}

static weft_status array_equiv(primitive *p) {
  bool value = false;
  return into_array(p, weft_array_equiv(&value, X(0), X(1)), &value);
}

static weft_status where_first(primitive *p) {
  weft_operand list[MAX_OPERANDS];
  for (int k = 0; k < p->t.operands; k++) list[k] = X(k);
  return weft__where_first_at(R(0), p->t.operands, list, WEFT_SITE);
}

/// Operands: the indices, then the choices. Parameter: the mode.
static weft_status choose(primitive *p) {
  weft_operand list[MAX_OPERANDS + 1] = {WEFT_INDEXING(.mode = (weft_index_mode)U(0))};
  for (int k = 1; k < p->t.operands; k++) list[k] = X(k);
  const weft_status rc = weft__choose_at(R(0), X(0), p->t.operands, list, WEFT_SITE);
  return rc || !p->t.status ? rc : weft_context_wait(judge.context); /* reports an index out of range */
}

/// The option, or none for a parameter that is no scalar.
static weft_scalar option(primitive *p, int k) {
  return p->param[k].letter == 's' ? scalar_of(p, k) : (weft_scalar){0};
}

#define CALLS_ELEMENTWISE(C)                                                                                      \
  C(isclose, weft_isclose(R(0), X(0), X(1), .rtol = F(0), .atol = F(1), .equal_nan = I(2)))                       \
  C(allclose, allclose(p))                                                                                        \
  C(array_equal, array_equal(p))                                                                                  \
  C(array_equiv, array_equiv(p))                                                                                  \
  C(around, weft_around(R(0), X(0), .decimals = (int)I(0)))                                                       \
  C(nan_to_num, weft_nan_to_num(R(0), X(0), .nan = option(p, 0), .posinf = option(p, 1), .neginf = option(p, 2))) \
  C(where_first, where_first(p))                                                                                  \
  C(choose, choose(p))

CALLS_ELEMENTWISE(DEFINE_CALL)
const call_row calls_of_elementwise[] = {CALLS_ELEMENTWISE(CALL_ROW){NULL, NULL}};
