// SPDX-License-Identifier: MIT
// Pi from random points: the share of them that lie in a quarter of a circle. The kernel generates each point from its
// number, counts it and never stores it. For a given seed, the digits are therefore the same on every device.
//
// Mirrors "Introduction to CUDA Python with Numba", "Trying out numba with monte carlo pi simulation". In NumPy:
//   rng = np.random.Generator(np.random.Philox(seed))
//   x, y = rng.random((n, 2), dtype=np.float32).T
//   pi = 4 * np.mean(x * x + y * y <= 1)
// (NumPy's digits differ: its Philox has words of 64 bits. weft_uniform would store the points in an array.)
#include <inttypes.h>
#include <math.h>

#include "example.h"

#define SLOTS 256                                      // counters, as in the kernel
enum { BLOCK = 256, CALLS = 64, MOST_BLOCKS = 4096 };  // CALLS: the least generator calls per thread, two points each

typedef struct task {
  weft_context *context;
  weft_kernel *kernel;
  weft_array *counts;
  uint64_t seed, n, inside;
} task;

static weft_status count(void *argument) {
  task *t = argument;
  uint32_t counts[SLOTS];
  uint64_t blocks = weft_ceil_div(t->n / 2 + 1, BLOCK * CALLS);
  weft_status status = weft_fill(t->counts, 0);
  if (status == WEFT_OK)
    status = weft_launch(t->kernel, WEFT_DIM3(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS), WEFT_DIM3(BLOCK), t->counts,
                         t->seed, t->n);
  if (status == WEFT_OK) status = weft_to_host(counts, sizeof counts, t->counts);
  t->inside = 0;
  for (int k = 0; k < SLOTS && status == WEFT_OK; k++) t->inside += counts[k];
  return status;
}

int main(int argc, char **argv) {
  task t = {.seed = 1, .n = 1 << 24};
  const example_option options[] = {
      {"-n", &t.n, 1, (uint64_t)1 << 38, "points"},
      {"--seed", &t.seed, 0, UINT64_MAX, "what the points are made of"},
  };
  int status =
      example_arguments(argc, argv, "Estimates pi from random points.", options, sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  const char *const defines[] = {"SLOTS=" WEFT_STRINGIFY(SLOTS), NULL};
  weft_timing timing;
  weft_device_info device;
  WEFT_TRY(weft_context_default(&t.context), done);
  WEFT_TRY(weft_context_get_device(&device, t.context), done);
  WEFT_TRY(weft_kernel_create(&t.kernel, t.context, .file = EXAMPLE_KERNEL("monte_carlo_pi.cl"), .defines = defines),
           done);
  WEFT_TRY(weft_empty(&t.counts, t.context, WEFT_U32, WEFT_SHAPE(SLOTS)), done);
  WEFT_TRY(weft_timeit(&timing, t.context, count, &t, .runs = 3, .loops = 1), done);

  double pi = 4 * (double)t.inside / (double)t.n;
  printf("seed    %" PRIu64 "\n", t.seed);
  printf("points  %" PRIu64 ", of which %" PRIu64 " inside\n", t.n, t.inside);
  printf("pi      %.12f\n", pi);
  printf("error   %+.12f, where %.12f is to be expected\n", pi - acos(-1),
         sqrt(acos(-1) * (4 - acos(-1)) / (double)t.n));
  printf("time    %.3f ms on %s: %.2f points a nanosecond\n", 1e-6 * timing.best_ns, device.name,
         (double)t.n / timing.best_ns);
  status = EXIT_SUCCESS;

done:
  weft_release(&t.counts, &t.kernel);
  return example_close(&t.context, status);
}
