// SPDX-License-Identifier: MIT
// Adds two vectors on the device, with every step to the device and back written out.
//
// Mirrors the program of "Python and the GPU: Memory Management": add_vectors_gpu and main(), there with NumPy and
// numba.cuda. The ten steps follow its explanation. The document does not seed NumPy's generator, so its numbers differ
// from run to run. This program seeds it (--seed), and prints what NumPy prints after np.random.seed(1).

// Step 1: the libraries: arrays on the device and kernels (weft), and NumPy's random vectors.
#include <inttypes.h>

#include "example.h"
#include "numpy_random.h"

// Step 2: the function that runs on the device, add_vectors_gpu. It is in vector_add.cl, which is compiled when the
// program runs. Step 3: each thread computes its index from its block and its place in the block, and adds one pair of
// elements.

int main(int argc, char **argv) {
  uint64_t n = 10000, seed = 1, threads_per_block = 32;
  const example_option options[] = {
      {"-n", &n, 1, (uint64_t)1 << 32, "elements of each vector"},
      {"--seed", &seed, 0, UINT32_MAX, "seed of the random numbers"},
      {"--block", &threads_per_block, 1, 1 << 20, "threads per block"},
  };
  int status = example_arguments(argc, argv, "Adds two random vectors on the device.", options,
                                 sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  numpy_random random;
  weft_context *context = NULL;
  weft_kernel *add_vectors_gpu = NULL;
  weft_array *vec_a_device = NULL, *vec_b_device = NULL, *result_device = NULL;

  // Step 4: the data, two large arrays of random numbers from [0, 1).
  float *vec_a = malloc(n * sizeof(float)), *vec_b = malloc(n * sizeof(float));
  // Step 5: a result array of the same length on the host, filled with zeros.
  float *result_host = calloc(n, sizeof(float));
  REQUIRE(vec_a != NULL && vec_b != NULL && result_host != NULL, "no memory for %" PRIu64 " elements", n);
  numpy_seed(&random, (uint32_t)seed);
  numpy_rand_f32(&random, vec_a, n);
  numpy_rand_f32(&random, vec_b, n);

  // Step 6: memory on the device; the two vectors are copied into it, the result's memory is not initialised.
  WEFT_TRY(weft_context_create(&context), done);
  WEFT_TRY(
      weft_kernel_create(&add_vectors_gpu, context, .file = EXAMPLE_KERNEL("vector_add.cl"), .name = "add_vectors_gpu"),
      done);
  WEFT_TRY(weft_from_host(&vec_a_device, context, WEFT_F32, WEFT_SHAPE(n), vec_a), done);
  WEFT_TRY(weft_from_host(&vec_b_device, context, WEFT_F32, WEFT_SHAPE(n), vec_b), done);
  WEFT_TRY(weft_empty_like(&result_device, vec_a_device), done);

  // Step 7: the grid: enough blocks to cover n elements, 313 blocks of 32 threads for 10000. The kernel skips the 16
  // surplus threads.
  uint64_t blocks_per_grid = weft_ceil_div(n, threads_per_block);

  // Step 8: the launch. It returns at once; the device works in the background.
  WEFT_TRY(weft_launch(add_vectors_gpu, WEFT_DIM3(blocks_per_grid), WEFT_DIM3(threads_per_block), vec_a_device,
                       vec_b_device, result_device, n),
           done);

  // Step 9: the result goes back to the host. This waits until the kernel has finished.
  WEFT_TRY(weft_to_host(result_host, n * sizeof(float), result_device), done);

  // Step 10: the result is printed. Printing waits for the device and copies from it, so keep it out of code that must
  // be fast.
  WEFT_TRY(weft_array_print(stdout, result_device), done);

  uint64_t wrong = 0;
  for (uint64_t i = 0; i < n; i++) wrong += result_host[i] != vec_a[i] + vec_b[i];
  REQUIRE(wrong == 0, "%" PRIu64 " of %" PRIu64 " elements differ from the host's sums", wrong, n);
  printf("All %" PRIu64 " elements equal the host's sums (grid %" PRIu64 ", block %" PRIu64 ", seed %" PRIu64 ").\n", n,
         blocks_per_grid, threads_per_block, seed);
  status = EXIT_SUCCESS;

done:
  weft_release(&result_device, &vec_b_device, &vec_a_device, &add_vectors_gpu);
  free(result_host);
  free(vec_b);
  free(vec_a);
  return example_close(&context, status);
}
