// SPDX-License-Identifier: MIT
/// A program of the one-file form: a kernel of its own, a function of Weft's, and an array as text.
#include "weft.h"

static const char source[] =
    "kernel void saxpy(global float *y, global const float *x, float a) {\n"
    "  size_t i = get_global_id(0);\n"
    "  y[i] += a * x[i];\n"
    "}\n";

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

  weft_release(&x, &y, &sorted, &saxpy);
  WEFT_CHECK(weft_context_close(&context));
  return 0;
}
