// SPDX-License-Identifier: MIT
// The programs about statistics and tables: calls that consist of several steps, and what they keep between them. They
// use few kernels: each is built again for every call that fails.
#include <weft/weft.h>

#include "fault_driver.h"
#include "fault_programs.h"

int program_averages(int argc, char **argv) {
  int status = 0;
  const float numbers[] = {1, 2, 3, 4, 6, 8};
  float host[2] = {0};
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL, *total = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_from_host(&x, context, WEFT_F32, WEFT_SHAPE(2, 3), numbers));
  weft_status rc = weft_average(&y, x, 1, .weights = x, .sum_of_weights = &total);
  KEPT((y != NULL) == (rc == WEFT_OK) && (total != NULL) == (rc == WEFT_OK));
  TRY(rc);
  TRY(weft_to_host(host, sizeof host, total));
  KEPT(host[0] == 6 && host[1] == 18);
  weft_array_release(&y);
  MAKE(&y, weft_cov(&y, x, .columns = true, .dtype = WEFT_F32));
  weft_array_release(&y);
  MAKE(&y, weft_corrcoef(&y, x, .dtype = WEFT_F32));
  weft_array_release(&y);
  MAKE(&y, weft_trapezoid(&y, x, 1));
  TRY(weft_to_host(host, sizeof host, y));
  KEPT(host[0] == 4 && host[1] == 12);
  TRY(weft_cumulative_trapezoid(&x, x, 1, .initial = true));
  weft_array_release(&y);
  MAKE(&y, weft_nancumsum(&y, x, 1));
  FAILS(WEFT_ERROR_SHAPE, weft_trapezoid(&y, x, 1, .x = total));

done:
  fault_leave();
  weft_release(&x, &y, &total);
  weft_context_release(&context);
  return status;
}
