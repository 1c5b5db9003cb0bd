// SPDX-License-Identifier: MIT
// The program of guard mode: stray writes are reported even when other calls fail.
#include <string.h>
#include <weft/opencl.h>
#include <weft/weft.h>

#include "fault_programs.h"

static const char poke_source[] =
    "#include \"weft/prelude.clh\"\n"
    "__kernel void poke(__global float *y, int at) { y[at] = 2.0f; }\n"
    "__kernel void reach(__global float *y, int at) { WEFT_AT(y, at) = 3.0f; }\n";

int program_guard(int argc, char **argv) {
  enum { N = 40 };
  int status = 0;
  float host[N];
  weft_context *context = NULL;
  weft_kernel *poke = NULL, *reach = NULL;
  weft_array *x = NULL, *y = NULL, *foreign = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context, .wait = WEFT_WAIT_SLEEP, .checks = true));
  fault_mark();
  MAKE(&poke, weft_kernel_create(&poke, context, .source = poke_source, .name = "poke"));
  MAKE(&reach, weft_kernel_create(&reach, context, .source = poke_source, .name = "reach"));
  MAKE(&x, weft_ones(&x, context, WEFT_F32, WEFT_SHAPE(N)));
  TRY(weft_launch(poke, WEFT_DIM3(1), WEFT_DIM3(1), x, 0));
  FAILS(WEFT_ERROR_BOUNDS, weft_launch(poke, WEFT_DIM3(1), WEFT_DIM3(1), x, N));
  FAILS(WEFT_ERROR_BOUNDS, weft_launch(reach, WEFT_DIM3(1), WEFT_DIM3(1), x, -1));
  MAKE(&y, weft_add(&y, x, 1.0f));
  TRY(weft_memory_check(context));
  weft_array_release(&y);

  // Adopted memory is launched through a shadow copy.
  MAKE(&y, weft_zeros(&y, context, WEFT_F32, WEFT_SHAPE(N)));
  MAKE(&foreign, weft_array_adopt(&foreign, context, weft_array_cl_mem(y, NULL), 0, WEFT_F32, WEFT_SHAPE(N)));
  TRY(weft_fill(foreign, 5.0f));
  TRY(weft_launch(reach, WEFT_DIM3(1), WEFT_DIM3(1), foreign, 1));
  TRY(weft_to_host(host, sizeof host, foreign));
  KEPT(host[0] == 5.0f && host[1] == 3.0f);
  TRY(weft_to_host(host, sizeof host, x));
  KEPT(host[0] == 2.0f && host[1] == 1.0f && host[N - 1] == 1.0f);
  TRY(weft_memory_trim(context));
  weft_array_release(&x);
  weft_array_release(&foreign);
  TRY(weft_context_wait(context));

done:
  fault_leave();
  weft_array_release(&foreign);
  weft_array_release(&y);
  weft_array_release(&x);
  weft_kernel_release(&reach);
  weft_kernel_release(&poke);
  weft_context_release(&context);
  return status;
}
