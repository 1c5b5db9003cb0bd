// SPDX-License-Identifier: MIT
// How large a launch may be: an empty kernel on ever larger grids.
//
// Mirrors the programs numba_cuda_test.py of "Basic Python implementation of GPU acceleration", section "Maximum
// parallelism supported by the GPU": gpu[2**50,1]() ends in an error, gpu[2**30,1]() and gpu[2**30,2**10]() print
// "Running Success!", and the last one again after cuda.select_device(1).
//
// The document prints its line right after the launch, which only enqueues. Here the line comes after waiting for the
// device; otherwise it would mean nothing. Weft itself refuses a grid that is too large, before the driver sees it:
// some drivers end the process, others run for days.
#include <inttypes.h>

#include "example.h"

// Launches 2^grid_exponent blocks of 2^block_exponent threads that do nothing, and waits for them.
static int run_empty(uint64_t grid_exponent, uint64_t block_exponent) {
  int status = EXIT_FAILURE;
  weft_context *context = NULL;
  weft_kernel *empty = NULL;
  weft_device_info device;

  WEFT_TRY(weft_context_create(&context), done);
  WEFT_TRY(weft_context_get_device(&device, context), done);
  WEFT_TRY(weft_kernel_create(&empty, context, .file = EXAMPLE_KERNEL("launch_limits.cl"), .name = "empty"), done);

  printf("gpu[2^%" PRIu64 ", 2^%" PRIu64 "] on %s\n", grid_exponent, block_exponent, device.name);
  double start_s = example_clock_s();
  WEFT_TRY(weft_launch(empty, WEFT_DIM3((uint64_t)1 << grid_exponent), WEFT_DIM3((uint64_t)1 << block_exponent)), done);
  WEFT_TRY(weft_context_wait(context), done);
  printf("Running Success!\n%.3f s\n\n", example_clock_s() - start_s);
  status = EXIT_SUCCESS;

done:
  weft_kernel_release(&empty);
  return example_close(&context, status);
}

// Launches a grid that Weft must refuse.
static int run_refused(uint64_t grid_exponent) {
  int status = EXIT_FAILURE;
  weft_context *context = NULL;
  weft_kernel *empty = NULL;

  WEFT_TRY(weft_context_create(&context), done);
  WEFT_TRY(weft_kernel_create(&empty, context, .file = EXAMPLE_KERNEL("launch_limits.cl"), .name = "empty"), done);

  printf("gpu[2^%" PRIu64 ", 1]\n", grid_exponent);
  double start_s = example_clock_s();
  weft_status launch = weft_launch(empty, WEFT_DIM3((uint64_t)1 << grid_exponent), WEFT_DIM3(1));
  double time_s = example_clock_s() - start_s;
  REQUIRE(launch != WEFT_OK, "2^%" PRIu64 " blocks were accepted", grid_exponent);
  if (launch != WEFT_ERROR_LAUNCH_LIMIT) WEFT_TRY(launch, done);
  weft_error_print(stdout);
  printf("Refused after %.3f ms.\n\n", 1e3 * time_s);
  status = EXIT_SUCCESS;

done:
  weft_kernel_release(&empty);
  return example_close(&context, status);
}

int main(int argc, char **argv) {
  uint64_t refused = 50, grid = 30, block = 10, device = 1;
  bool selected = false;
  const example_option options[] = {
      {"--refused", &refused, 32, 63, "exponent of a grid that is too large"},
      {"--exponent", &grid, 0, 30, "exponent of a grid that is allowed"},
      {"--block-exponent", &block, 0, 16, "exponent of the block"},
      {"--device", &device, 0, 1000, "number of the second device"},
  };
  int status = example_arguments(argc, argv, "Launches empty kernels up to the limits.", options,
                                 sizeof options / sizeof *options);
  if (status >= 0) return status;

  if (run_refused(refused) != EXIT_SUCCESS) return EXIT_FAILURE;
  if (run_empty(grid, 0) != EXIT_SUCCESS) return EXIT_FAILURE;
  if (run_empty(grid, block) != EXIT_SUCCESS) return EXIT_FAILURE;

  // The last launch again on a second device. On a machine without one, this line prints a message and nothing runs.
  if (example_select_device(&selected, device) != WEFT_OK) return example_failed();
  return selected ? run_empty(grid, block) : EXIT_SUCCESS;
}
