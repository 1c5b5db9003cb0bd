// SPDX-License-Identifier: MIT
#include "primitive.h"

#define CALLS_POLYNOMIAL(C)                                               \
  C(polyval, weft_polyval(R(0), X(0), X(1)))                              \
  C(vander, weft_vander(R(0), X(0), .columns = I(0), .increasing = I(1))) \
  C(polyfit, weft_polyfit(R(0), X(0), X(1), (int)I(0), .weights = p->t.operands > 2 ? VIEW(2) : NULL))

CALLS_POLYNOMIAL(DEFINE_CALL)
const call_row calls_of_polynomial[] = {CALLS_POLYNOMIAL(CALL_ROW){NULL, NULL}};
