// SPDX-License-Identifier: MIT
// The program about reductions: one in a single launch, one whose blocks leave partial results in the context's
// scratch, one through a temporary, and a result in host memory.
#include <weft/weft.h>

#include "fault_driver.h"
#include "fault_programs.h"

enum { ROWS = 300, COLUMNS = 260, N = ROWS * COLUMNS };

int program_reductions(int argc, char **argv) {
  int status = 0;
  int64_t host = -1;
  weft_context *context = NULL;
  weft_array *x = NULL, *row = NULL, *total = NULL, *columns = NULL, *inner = NULL, *mapped = NULL, *none = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_full(&x, context, WEFT_I32, WEFT_SHAPE(ROWS, COLUMNS), 2));
  MAKE(&row, weft_full(&row, context, WEFT_I32, WEFT_SHAPE(COLUMNS), 3));
  MAKE(&total, weft_sum(&total, x, WEFT_ALL_AXES));
  TRY(weft_to_host(&host, sizeof host, total));
  KEPT(host == 2 * N);
  weft_status rc = weft_sum(WEFT_HOST_OUT(&host, WEFT_I64, WEFT_SHAPE_0D), row, WEFT_ALL_AXES);
  KEPT(host == (rc == WEFT_OK ? 3 * COLUMNS : 2 * N));
  TRY(rc);
  MAKE(&columns, weft_sum(&columns, x, 0));
  MAKE(&inner, weft_dot(&inner, row, row));
  MAKE(&mapped, weft_reduce(&mapped, context, "x * row", WEFT_ALL_AXES, WEFT_VAR(x), WEFT_VAR(row)));
  TRY(weft_to_host(&host, sizeof host, mapped));
  KEPT(host == 6 * N);
  weft_array_release(&mapped);
  MAKE(&mapped, weft_reduce(&mapped, context, "x + k", WEFT_ALL_AXES, WEFT_VAR(x), WEFT_NAMED("k", 5),
                            WEFT_REDUCTION(.combine = "max(a, b)", .neutral = WEFT_SCALAR(0))));
  weft_array_release(&inner);
  MAKE(&inner, weft_var(&inner, row, 0, .ddof = 1));
  weft_array_release(&inner);
  MAKE(&inner, weft_norm(&inner, row, 0));
  FAILS(WEFT_ERROR_AXIS, weft_sum(&none, x, 2));
  KEPT(none == NULL);
  TRY(weft_context_wait(context));

done:
  fault_leave();
  weft_array_release(&none);
  weft_array_release(&mapped);
  weft_array_release(&inner);
  weft_array_release(&columns);
  weft_array_release(&total);
  weft_array_release(&row);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}
