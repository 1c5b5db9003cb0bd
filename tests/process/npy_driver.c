// SPDX-License-Identifier: MIT
// For npy_numpy.py: npy_driver IN LOADED MAPPED [IN LOADED MAPPED]... loads each file and saves it. If the file's order
// allows, it also copies it in chunks, from a mapped operand to a mapped result.
#include <stdio.h>
#include <stdlib.h>
#include <weft/weft.h>

static int copy(weft_context *context, const char *from, const char *loaded, const char *mapped) {
  weft_array *x = NULL;
  weft_npy *in = NULL, *out = NULL;
  weft_status rc = weft_npy_load(&x, context, from);
  if (rc == WEFT_OK) rc = weft_npy_save(loaded, x);
  if (rc == WEFT_OK) rc = weft_npy_open(&in, from);
  if (rc == WEFT_OK) rc = weft_npy_create(&out, mapped, weft_npy_dtype(in), weft_npy_shape(in));
  if (rc == WEFT_OK) rc = weft_eval(weft_npy_result(out), context, "x", WEFT_NAMED("x", weft_npy_operand(in)));
  /* Fortran order, or f64 on a device without it */
  if (rc == WEFT_ERROR_LAYOUT || rc == WEFT_ERROR_UNSUPPORTED) rc = WEFT_OK;
  if (rc) fprintf(stderr, "%s: %s\n", from, weft_error_last()->message);
  weft_npy_release(&out);
  weft_npy_release(&in);
  weft_array_release(&x);
  return rc != WEFT_OK;
}

int main(int argc, char **argv) {
  weft_context *context = NULL;
  const weft_context_params params = {.device = getenv("WEFT_TEST_DEVICE")};
  int status = 0;
  if ((weft_context_create)(&context, &params)) {
    fprintf(stderr, "%s\n", weft_error_last()->message);
    return weft_error_last()->status == WEFT_ERROR_NO_DEVICE ? 77 : 1;
  }
  for (int k = 1; k + 2 < argc && !status; k += 3) status = copy(context, argv[k], argv[k + 1], argv[k + 2]);
  weft_context_release(&context);
  return status;
}
