// SPDX-License-Identifier: MIT
// The program about products of matrices: with an epilogue, added to a result, in place, of host memory, of vectors.
#include <weft/weft.h>

#include "fault_driver.h"
#include "fault_programs.h"

int program_matmuls(int argc, char **argv) {
  static const float rows[] = {1, 2, 3, 4, 5, 6}, square[] = {1, 1, 0, 1};
  static const int8_t whole[] = {1, 2, 3, 4, 5, 6};
  int status = 0;
  float host[4];
  weft_context *context = NULL;
  weft_array *a = NULL, *b = NULL, *turned = NULL, *y = NULL, *bias = NULL, *small = NULL, *wide = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&a, weft_from_host(&a, context, WEFT_F32, WEFT_SHAPE(2, 3), rows));
  MAKE(&turned, weft_transpose(&turned, a, WEFT_ALL_AXES));
  MAKE(&bias, weft_ones(&bias, context, WEFT_F32, WEFT_SHAPE(2)));
  MAKE(&y, weft_matmul(&y, a, turned,
                       .epilogue = WEFT_EPILOGUE("value + bias * k", WEFT_VAR(bias), WEFT_NAMED("k", 0.5f))));
  TRY(weft_to_host(host, sizeof host, y));
  KEPT(host[0] == 14.5f && host[1] == 32.5f && host[3] == 77.5f);
  TRY(weft_matmul(&y, a, turned, .scale = WEFT_SCALAR(2), .accumulate = WEFT_SCALAR(-2)));
  TRY(weft_to_host(host, sizeof host, y));
  KEPT(host[0] == -1 && host[2] == -1 && host[3] == -1);
  TRY(weft_matmul(&y, y, WEFT_HOST(square, WEFT_F32, WEFT_SHAPE(2, 2)))); /* in place */
  TRY(weft_to_host(host, sizeof host, y));
  KEPT(host[0] == -1 && host[1] == -2 && host[2] == -1);
  TRY(weft_matmul(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(2)), a, WEFT_HOST(rows, WEFT_F32, WEFT_SHAPE(3)),
                  .accumulate = WEFT_SCALAR(1)));
  KEPT(host[0] == 13 && host[1] == 30);
  MAKE(&small, weft_from_host(&small, context, WEFT_I8, WEFT_SHAPE(1, 6), whole));
  MAKE(&b, weft_transpose(&b, small, WEFT_ALL_AXES));
  MAKE(&wide, weft_matmul(&wide, b, small, .dtype = WEFT_I32));
  FAILS(WEFT_ERROR_SHAPE, weft_matmul(&wide, small, small));

done:
  fault_leave();
  weft_release(&a, &b, &turned, &y, &bias, &small, &wide);
  weft_context_release(&context);
  return status;
}
