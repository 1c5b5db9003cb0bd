// SPDX-License-Identifier: MIT
#include "primitive.h"

static weft_status einsum(primitive *p) {
  weft_operand operands[MAX_OPERANDS];
  for (int k = 0; k < p->t.operands; k++) operands[k] = X(k);
  return weft__einsum_at(R(0), text_of(p, 0), p->t.operands, operands, WEFT_SITE);
}

static weft_status multi_dot(primitive *p) {
  weft_array *arrays[MAX_OPERANDS];
  for (int k = 0; k < p->t.operands; k++) arrays[k] = VIEW(k);
  return weft_multi_dot(R(0), arrays, p->t.operands);
}

#define CALLS_PRODUCTS(C)                                          \
  C(einsum, einsum(p))                                             \
  C(multi_dot, multi_dot(p))                                       \
  C(tensordot, weft_tensordot(R(0), X(0), X(1), AXES(0), AXES(1))) \
  C(inner, weft_inner(R(0), X(0), X(1)))                           \
  C(outer, weft_outer(R(0), X(0), X(1)))                           \
  C(matvec, weft_matvec(R(0), X(0), X(1)))                         \
  C(kron, weft_kron(R(0), X(0), X(1)))                             \
  C(cross, weft_cross(R(0), X(0), X(1), AXIS(0)))                  \
  C(matrix_trace, weft_matrix_trace(R(0), X(0), WEFT_AXES(AXIS(1), AXIS(2)), .k = I(0)))

CALLS_PRODUCTS(DEFINE_CALL)
const call_row calls_of_products[] = {CALLS_PRODUCTS(CALL_ROW){NULL, NULL}};
