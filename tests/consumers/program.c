// SPDX-License-Identifier: MIT
// What each consumer project compiles: the version of the header and of the library, and a sum where there is a device.
#include <stdio.h>
#include <string.h>

#include <weft/weft.h>

int main(void) {
  float sums[4] = {0};
  weft_context *context = NULL;
  weft_array *x = NULL;
  weft_status rc = WEFT_OK;

  if (strcmp(weft_version(), WEFT_VERSION_STRING) != 0) {
    fprintf(stderr, "the library is %s, the headers are %s\n", weft_version(), WEFT_VERSION_STRING);
    return 1;
  }
  printf("Weft %s\n", weft_version());
  rc = weft_context_create(&context);
  if (rc == WEFT_ERROR_NO_DEVICE) return 0;
  WEFT_CHECK(rc);
  WEFT_CHECK(weft_arange(&x, context, WEFT_F32, 0, 4, 1));
  WEFT_CHECK(weft_add(WEFT_HOST_OUT(sums, WEFT_F32, WEFT_SHAPE(4)), x, x));
  printf("%g %g %g %g\n", sums[0], sums[1], sums[2], sums[3]);
  weft_release(&x);
  WEFT_CHECK(weft_context_close(&context));
  return 0;
}
