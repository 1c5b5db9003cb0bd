// SPDX-License-Identifier: MIT
// NumPy's broadcasting: an array of 4 with one of 4 x 4, shapes that do not fit, and Weft's advice on such small
// inputs.
//
// Mirrors the course "Introduction to CUDA Python with Numba", its ufunc on the GPU and the first of its misuses, "Our
// inputs are too small ... only 4 and 16 integers":
//   a = np.array([1, 2, 3, 4]);  b = np.array([10, 20, 30, 40]);  c = np.arange(4 * 4).reshape((4, 4))
//   add_ufunc(a, b);  add_ufunc(b, c)            # int64, in host memory
#include <inttypes.h>

#include "example.h"

// Prints Weft's advice on a line of its own. The call's site is a path, of which the file's name is enough here.
static void print_advice(void *user, weft_log_level level, const char *message) {
  (void)user, (void)level;
  printf("advice: %s\n", message);
}

static weft_status print(weft_context *context, const int64_t *data, weft_shape shape) {
  weft_array *array = NULL;
  weft_status status = weft_from_host(&array, context, WEFT_I64, shape, data);
  if (status == WEFT_OK) status = weft_array_print(stdout, array);
  weft_array_release(&array);
  return status;
}

int main(int argc, char **argv) {
  int status = example_arguments(argc, argv, "Adds arrays of different shapes.", NULL, 0);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  const int64_t a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40};
  int64_t c[16], sum[16];
  weft_context *context = NULL;
  weft_usage usage;
  const weft_shape four = WEFT_SHAPE(4), four_by_four = WEFT_SHAPE(4, 4);
  for (int i = 0; i < 16; i++) c[i] = i;

  WEFT_TRY(weft_context_default(&context), done);
  weft_log_set(WEFT_LOG_WARNING, print_advice, NULL);

  // Host memory in, host memory out: only the advice shows that a device was used.
  WEFT_TRY(weft_add(WEFT_HOST_OUT(sum, WEFT_I64, four), WEFT_HOST(a, WEFT_I64, four), WEFT_HOST(b, WEFT_I64, four)),
           done);
  printf("\na + b\n");
  WEFT_TRY(print(context, sum, four), done);

  // b is repeated along the first axis, as if it were 4 x 4, without a copy.
  WEFT_TRY(weft_add(WEFT_HOST_OUT(sum, WEFT_I64, four_by_four), WEFT_HOST(b, WEFT_I64, four),
                    WEFT_HOST(c, WEFT_I64, four_by_four)),
           done);
  printf("b + c\n");
  WEFT_TRY(print(context, sum, four_by_four), done);

  // Shapes are aligned at the last axis, where 3 and 4 differ.
  weft_status rc = weft_add(WEFT_HOST_OUT(sum, WEFT_I64, four_by_four), WEFT_HOST(a, WEFT_I64, WEFT_SHAPE(3)),
                            WEFT_HOST(c, WEFT_I64, four_by_four));
  if (rc != WEFT_ERROR_SHAPE) WEFT_TRY(rc, done);
  REQUIRE(rc == WEFT_ERROR_SHAPE, "3 and 4 x 4 fit");
  printf("\na[:3] + c\n%s: %s\n", weft_status_name(rc), weft_error_last()->message);

  WEFT_TRY(weft_usage_get(&usage, context), done);
  printf("\n%" PRIu64 " copies in, %" PRIu64 " back, %" PRIu64 " of 2 launches too small for the device.\n",
         usage.copies_in, usage.copies_back, usage.small_launches);
  status = EXIT_SUCCESS;

done:
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
  return example_close(&context, status);
}
