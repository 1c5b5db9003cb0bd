// SPDX-License-Identifier: MIT
#include "primitive.h"

#define CALLS_SORT(C)                                                          \
  C(sort, weft_sort(R(0), X(0), AXIS(0), .descending = U(1)))                  \
  C(argsort, weft_argsort(R(0), X(0), AXIS(0), .descending = U(1)))            \
  C(partition_kth, weft_partition_kth(R(0), X(0), SHAPE(0), AXIS(1)))          \
  C(argpartition, weft_argpartition(R(0), X(0), SHAPE(0), AXIS(1)))            \
  C(sort_by_key, weft_sort_by_key(R(0), R(1), X(0), X(1), .descending = U(0))) \
  C(topk, weft_topk(R(0), R(1), X(0), I(0), AXIS(1), .smallest = U(2) == 2))

CALLS_SORT(DEFINE_CALL)
const call_row calls_of_sort[] = {CALLS_SORT(CALL_ROW){NULL, NULL}};
