// SPDX-License-Identifier: MIT
/* Runs Weft's own kernels but introspection (which the example thread_index runs) on odd sizes and views, for Oclgrind to watch. */
#include <stdlib.h>
#include <weft/weft.h>

#define TRY(call)               \
  do {                          \
    if ((call) != WEFT_OK) {    \
      weft_error_print(stderr); \
      status = EXIT_FAILURE;    \
      goto done;                \
    }                           \
  } while (0)

int main(void) {
  int status = EXIT_SUCCESS;
  weft_context *context = NULL;
  weft_array *bytes = NULL, *range = NULL, *square = NULL, *turned = NULL, *copy = NULL, *ints = NULL, *part = NULL;
  TRY(weft_context_create(&context, NULL));
  TRY(weft_ones(&bytes, context, WEFT_U8, WEFT_SHAPE(1037))); /* a run that ends inside a block of 16 */
  TRY(weft_slice(&part, bytes, 0, 3, -2, 1));                 /* and one that begins there */
  TRY(weft_fill(part, 7));
  weft_array_release(&part);
  TRY(weft_arange(&range, context, WEFT_F32, 0, 35 * 29, 1));
  TRY(weft_reshape(&square, range, WEFT_SHAPE(35, 29)));
  TRY(weft_transpose(&turned, square, WEFT_SHAPE_0D));
  TRY(weft_copy(&copy, turned));
  TRY(weft_slice(&part, square, 1, 1, WEFT_END, 3));
  TRY(weft_fill(part, 2.5f));
  TRY(weft_cast(&ints, turned, WEFT_I32)); /* Oclgrind 21.10 takes what vstore_half writes for uninitialised */
  TRY(weft_context_wait(context));
done:
  weft_array_release(&bytes);
  weft_array_release(&range);
  weft_array_release(&square);
  weft_array_release(&turned);
  weft_array_release(&copy);
  weft_array_release(&ints);
  weft_array_release(&part);
  weft_context_release(&context);
  return status;
}
