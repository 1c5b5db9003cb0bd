// SPDX-License-Identifier: MIT
#include "call_array.h"

/// Host memory to an array that is there. Parameter: how.
static weft_status write_array(primitive *p) {
  const storage *from = &p->t.storage[p->t.operand[0].storage];
  size_t size = (size_t)weft_array_size_bytes(INTO(0));
  switch (I(0)) {
    case 0:
      return weft_from_host(&INTO(0), judge.context, weft_array_dtype(INTO(0)), weft_array_shape(INTO(0)), from->bytes);
    case 1:
      return weft_write_async(INTO(0), from->bytes, size, NULL);
    default:
      return weft_write_strided(INTO(0), from->bytes, NULL);
  }
}

/// The variables are a, b, c. Parameter: the text.
static weft_status eval(primitive *p) {
  static const char *const names[] = {"a", "b", "c"};
  weft_operand operand[5] = {R(0), WEFT_OPERAND(text_of(p, 0))};
  for (int k = 0; k < p->t.operands && k < 3; k++) operand[2 + k] = WEFT_NAMED(names[k], X(k));
  return weft_eval_at(judge.context, 2 + p->t.operands, operand, WEFT_SITE);
}

#define DTYPE(k) ((weft_dtype)I(k))
#define CALLS_ARRAY(C)                                                                                  \
  C(copy, weft_copy(&INTO(0), VIEW(0)))                                                                 \
  C(cast, weft_cast(&INTO(0), VIEW(0), DTYPE(0)))                                                       \
  C(fill, weft_fill(INTO(0), scalar_of(p, 0)))                                                          \
  C(write, write_array(p))                                                                              \
  C(full, weft_full(&INTO(0), judge.context, DTYPE(0), SHAPE(1), scalar_of(p, 2)))                      \
  C(zeros, weft_zeros(&INTO(0), judge.context, DTYPE(0), SHAPE(1)))                                     \
  C(ones, weft_ones(&INTO(0), judge.context, DTYPE(0), SHAPE(1)))                                       \
  C(arange, weft_arange(&INTO(0), judge.context, DTYPE(0), scalar_of(p, 1), scalar_of(p, 2), scalar_of(p, 3))) \
  C(view, (INTO(0) = weft_array_retain(VIEW(0)), WEFT_OK))                                              \
  C(eval, eval(p))

CALLS_ARRAY(DEFINE_CALL)
const call_row calls_of_array[] = {CALLS_ARRAY(CALL_ROW){NULL, NULL}};
