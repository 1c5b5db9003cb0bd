// SPDX-License-Identifier: MIT
#include "primitive.h"

#define CALLS_MATMUL(C)                                                                                    \
  C(matmul, weft_matmul(R(0), X(0), X(1)))                                                                 \
  C(matmul_as, weft_matmul(R(0), X(0), X(1), .dtype = (weft_dtype)I(0)))                                   \
  C(matmul_scaled, weft_matmul(R(0), X(0), X(1), .scale = scalar_of(p, 0), .accumulate = scalar_of(p, 1))) \
  C(matmul_epilogue, weft_matmul(R(0), X(0), X(1), .scale = scalar_of(p, 1),                               \
                                 .epilogue = WEFT_EPILOGUE(text_of(p, 0), WEFT_NAMED("bias", X(2)))))

CALLS_MATMUL(DEFINE_CALL)
const call_row calls_of_matmul[] = {CALLS_MATMUL(CALL_ROW){NULL, NULL}};
