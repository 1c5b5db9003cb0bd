// SPDX-License-Identifier: MIT
// Runs a file's kernel `planted` with 64 threads on an array of 60 elements, for oclgrind.py to check.
#include <weft/weft.h>

enum { COUNT = 60, BLOCK = 16 };

int main(int argc, char **argv) {
  int status = EXIT_FAILURE;
  int32_t host[COUNT];
  weft_context *context = NULL;
  weft_kernel *planted = NULL;
  weft_array *x = NULL;

  if (argc != 2) {
    fprintf(stderr, "usage: planted FILE\n");
    return 2;
  }
  // Without the pool the buffer has exactly the array's size.
  if (weft_context_create(&context, .pool_off = true) != WEFT_OK) goto done;
  if (weft_kernel_create(&planted, context, .file = argv[1], .name = "planted") != WEFT_OK) goto done;
  if (weft_zeros(&x, context, WEFT_I32, WEFT_SHAPE(COUNT)) != WEFT_OK) goto done;
  if (weft_launch(planted, WEFT_DIM3(weft_ceil_div(COUNT, BLOCK)), WEFT_DIM3(BLOCK), x, COUNT) != WEFT_OK) goto done;
  if (weft_to_host(host, sizeof host, x) != WEFT_OK) goto done;
  status = EXIT_SUCCESS;

done:
  if (status != EXIT_SUCCESS) weft_error_print(stderr);
  weft_array_release(&x);
  weft_kernel_release(&planted);
  weft_context_release(&context);
  return status;
}
