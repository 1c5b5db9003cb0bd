// SPDX-License-Identifier: MIT
// Four kernels that add up an array as CUDA programs do: all threads add to one word; a tree in shared memory; warp
// shuffles; weft_block_sum. The words are CUDA's, by #include "weft/cuda.clh". Integers wrap around and do not round,
// so all sums are equal. In NumPy: x.sum(dtype=np.uint32). weft_sum does the same without a kernel.
#include <inttypes.h>

#include "example.h"

#define BLOCK 256
enum { MOST_BLOCKS = 1024 };

typedef struct task {
  weft_kernel *kernel;
  weft_array *total, *x;
  uint64_t n, blocks;
} task;

static weft_status add_up(void *argument) {
  task *t = argument;
  weft_status status = weft_fill(t->total, 0);
  if (status == WEFT_OK) status = weft_launch(t->kernel, WEFT_DIM3(t->blocks), WEFT_DIM3(BLOCK), t->total, t->x, t->n);
  return status;
}

int main(int argc, char **argv) {
  static const char *const names[] = {"one_word", "shared_tree", "shuffles", "block_sum"};
  static const char *const defines[] = {"BLOCK=" WEFT_STRINGIFY(BLOCK), NULL};
  task t = {.n = 1 << 20};
  const example_option options[] = {{"-n", &t.n, 1, (uint64_t)1 << 32, "numbers to add up"}};
  int status = example_arguments(argc, argv, "Adds up an array by four kernels in CUDA's words.", options,
                                 sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  weft_context *context = NULL;
  weft_device_info device;
  weft_timing timing;
  uint32_t expected, sum;
  WEFT_TRY(weft_context_default(&context), done);
  WEFT_TRY(weft_context_get_device(&device, context), done);
  WEFT_TRY(weft_arange(&t.x, context, WEFT_U32, 0, (int64_t)t.n, 1), done);
  WEFT_TRY(weft_zeros(&t.total, context, WEFT_U32, WEFT_SHAPE_0D), done);
  expected = (uint32_t)(t.n % 2 ? (t.n - 1) / 2 * t.n : t.n / 2 * (t.n - 1));
  printf("%" PRIu64 " numbers on %s\n", t.n, device.name);
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    const uint64_t blocks = weft_ceil_div(t.n, BLOCK);
    t.blocks = k > 0 && blocks > MOST_BLOCKS ? MOST_BLOCKS : blocks;  // the first kernel has a thread for each number
    WEFT_TRY(weft_kernel_create(&t.kernel, context, .file = EXAMPLE_KERNEL("reduction_cuda_style.cl"), .name = names[k],
                                .defines = defines),
             done);
    WEFT_TRY(weft_timeit(&timing, context, add_up, &t, .runs = 3, .loops = 1), done);
    WEFT_TRY(weft_to_host(&sum, sizeof sum, t.total), done);
    printf("%-12s sum %10" PRIu32 " %12.3f us %10.3f GB/s\n", names[k], sum, 1e-3 * timing.best_ns,
           4 * (double)t.n / timing.best_ns);
    REQUIRE(sum == expected, "the sum is %" PRIu32 ", not %" PRIu32, sum, expected);
    weft_kernel_release(&t.kernel);
  }
  puts("All sums are right.");
  status = EXIT_SUCCESS;

done:
  weft_release(&t.kernel, &t.total, &t.x);
  return example_close(&context, status);
}
