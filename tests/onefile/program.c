// SPDX-License-Identifier: MIT
/// A program of the one-file form: a kernel of its own, functions of Weft's, and an array as text.
#include <stdio.h>
#include <stdlib.h>

#include "weft.h"

static const char source[] =
    "kernel void saxpy(global float *y, global const float *x, float a) {\n"
    "  size_t i = get_global_id(0);\n"
    "  y[i] += a * x[i];\n"
    "}\n";

/// Ends the program if an element is not start + i * step, rounded twice. A CPU's calling thread writes the later ones.
static void check_rounding(weft_context *context) {
  enum { COUNT = 1000, TURNS = 4 };
  static double x[COUNT];
  weft_device_info info;
  WEFT_CHECK(weft_context_get_device(&info, context));
  for (int turn = 0; turn < TURNS && info.has_fp64; turn++) {
    weft_array *range = NULL;
    WEFT_CHECK(weft_arange(&range, context, WEFT_F64, 0.1, 299.95, 0.3));
    WEFT_CHECK(weft_to_host(x, sizeof x, range));
    for (int i = 0; i < COUNT; i++) {
      const volatile double part = i * (x[1] - x[0]); /* as in NumPy: the step of the first two */
      if (x[i] == x[0] + part) continue;
      printf("element %d is %.17g\n", i, x[i]);
      exit(2);
    }
    weft_release(&range);
  }
}

int main(void) {
  weft_context *context = NULL;
  weft_kernel *saxpy = NULL;
  weft_array *x = NULL, *y = NULL, *sorted = NULL;

  WEFT_CHECK(weft_context_create(&context));
  WEFT_CHECK(weft_kernel_create(&saxpy, context, .source = source, .name = "saxpy"));
  WEFT_CHECK(weft_arange(&x, context, WEFT_F32, 0, 4, 1));
  WEFT_CHECK(weft_ones(&y, context, WEFT_F32, WEFT_SHAPE(4)));
  WEFT_CHECK(weft_launch(saxpy, WEFT_DIM3(4), WEFT_DIM3(1), y, x, 3.0f));
  WEFT_CHECK(weft_sort(&sorted, y, -1, .descending = true));
  WEFT_CHECK(weft_array_print(stdout, sorted));
  check_rounding(context);

  weft_release(&x, &y, &sorted, &saxpy);
  WEFT_CHECK(weft_context_close(&context));
  return 0;
}
