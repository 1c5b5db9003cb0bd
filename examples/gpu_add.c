// SPDX-License-Identifier: MIT
// b += a on a million random numbers, a hundred times, on the device and on the host, with the time of each.
//
// Mirrors gpu_add.py of the article "Basic Python implementation of GPU acceleration": seed(1), two arrays of 2**20
// normal float32 numbers, made anew and copied to the device in each of 100 iterations. The first iteration is checked
// and not timed. (The page has lost the names of its NumPy functions; this program uses randn, or rand with --uniform
// 1.) The article launches gpu[DATA_DIMENSION,4], four times too many threads in blocks that are too small. This
// program launches a grid that fits, and measures the article's grid too at the end.
//
// The result overwrites one of the sources, which saves a third array; only do this with sources that are no longer
// needed.
#include <inttypes.h>
#include <string.h>

#include "example.h"
#include "numpy_random.h"

static void add_on_host(float *d, const float *a, const float *b, size_t n) {
  for (size_t i = 0; i < n; i++) d[i] = a[i] + b[i];
}

enum { BLOCK = 256, ARTICLE_BLOCK = 4 };

static int run_article(uint64_t n, uint64_t iterations, uint32_t seed, bool uniform) {
  int status = EXIT_FAILURE;
  weft_context *context = NULL;
  weft_kernel *gpu = NULL;
  weft_array *a_device = NULL, *b_device = NULL;
  weft_kernel_info info;
  weft_device_info device;
  double enqueue_s = 0, wall_s = 0, host_s = 0, first_s = 0;
  char text[EXAMPLE_REPR_SIZE];
  numpy_random random;
  float *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c), *d = malloc(n * sizeof *d);
  REQUIRE(a != NULL && b != NULL && c != NULL && d != NULL, "no memory for %" PRIu64 " elements", n);

  WEFT_TRY(weft_context_create(&context), done);
  WEFT_TRY(weft_context_get_device(&device, context), done);
  WEFT_TRY(weft_kernel_create(&gpu, context, .file = EXAMPLE_KERNEL("gpu_add.cl"), .name = "gpu_add"), done);
  WEFT_TRY(weft_kernel_get(&info, gpu), done);
  printf("%" PRIu64 " numbers added to as many, %" PRIu64 " times, on %s\n", n, iterations, device.name);
  numpy_seed(&random, seed);
  for (uint64_t i = 0; i < iterations; i++) {
    (uniform ? numpy_rand_f32 : numpy_randn_f32)(&random, a, n);
    (uniform ? numpy_rand_f32 : numpy_randn_f32)(&random, b, n);
    WEFT_TRY(weft_from_host(&a_device, context, WEFT_F32, WEFT_SHAPE(n), a), done);
    WEFT_TRY(weft_from_host(&b_device, context, WEFT_F32, WEFT_SHAPE(n), b), done);
    WEFT_TRY(weft_context_wait(context), done);  // keeps the copies out of the measured time

    double time0 = example_clock_s();
    WEFT_TRY(weft_launch(gpu, WEFT_DIM3(weft_ceil_div(n, BLOCK)), WEFT_DIM3(BLOCK), a_device, b_device, n), done);
    double time1 = example_clock_s();
    WEFT_TRY(weft_context_wait(context), done);
    double time_done = example_clock_s();
    WEFT_TRY(weft_to_host(c, n * sizeof *c, b_device), done);
    double time2 = example_clock_s();
    add_on_host(d, a, b, n);
    double time3 = example_clock_s();

    weft_release(&a_device, &b_device);
    REQUIRE(memcmp(c, d, n * sizeof *c) == 0, "weft and host differ in iteration %" PRIu64, i);
    if (i == 0) {
      double error = 0;
      for (uint64_t k = 0; k < n; k++) error += (double)(c[k] - d[k]);
      printf("The error between weft and host is:  %s\n", example_repr(text, error));
      first_s = time_done - time0;
      continue;
    }
    enqueue_s += time1 - time0;
    wall_s += time_done - time0;
    host_s += time3 - time2;
  }
  printf("The time cost of weft is: %ss\n", example_repr(text, wall_s));
  printf("The time cost of host is: %ss\n", example_repr(text, host_s));
  if (device.type == WEFT_DEVICE_TYPE_CPU) {
    printf("(This device is the host's own CPU: the times show the method, not what a GPU gains.)\n");
  }

  double counted = (double)(iterations - 1);
  printf("\nFor one addition, average of %.0f:\n", counted);
  printf("  enqueue %10.1f us   until the launch returns\n", 1e6 * enqueue_s / counted);
  printf("  wall    %10.1f us   until the device has finished\n", 1e6 * wall_s / counted);
  printf("  host    %10.1f us   the same sums on the host, by one thread\n", 1e6 * host_s / counted);
  printf("Once, before that: building the kernel %.1f ms, its first launch %.1f ms.\n",
         1e-6 * (double)info.build_time_ns, 1e3 * first_s);
  printf("The article reports 0.0187 s for its GPU and 0.0950 s for NumPy: a speedup of 5. But its clock stops when\n");
  printf(
      "the launch returns: 0.0187 s / 99 is 189 us for each enqueue. How long the GPU then worked, it does not say.\n");
  status = EXIT_SUCCESS;

done:
  weft_release(&b_device, &a_device, &gpu);
  free(d);
  free(c);
  free(b);
  free(a);
  return example_close(&context, status);
}

// Compares the article's grid with the one above: consecutive launches without copies between them, on a context whose
// queue records the device's time.
static int compare_grids(uint64_t n, uint64_t launches) {
  const struct {
    const char *name;
    uint64_t grid, block;
  } cases[] = {{"one that fits", weft_ceil_div(n, BLOCK), BLOCK}, {"the article's", n, ARTICLE_BLOCK}};
  int status = EXIT_FAILURE;
  weft_context *context = NULL;
  weft_kernel *gpu = NULL;
  weft_timer *timer = NULL;
  weft_array *a = NULL, *b = NULL;
  weft_device_info device;
  float *c = malloc(n * sizeof *c);
  REQUIRE(c != NULL, "no memory for %" PRIu64 " elements", n);

  WEFT_TRY(weft_context_create(&context, .profiling = true), done);
  WEFT_TRY(weft_context_get_device(&device, context), done);
  WEFT_TRY(weft_kernel_create(&gpu, context, .file = EXAMPLE_KERNEL("gpu_add.cl"), .name = "gpu_add"), done);
  WEFT_TRY(weft_timer_create(&timer, context), done);
  WEFT_TRY(weft_ones(&a, context, WEFT_F32, WEFT_SHAPE(n)), done);
  printf("\nTwo grids for %" PRIu64 " elements on %s, us per launch, average of %" PRIu64 " in a row:\n", n,
         device.name, launches);
  printf("  %-14s %10s x %-5s %10s %10s %10s\n", "", "grid", "block", "enqueue", "device", "wall");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t device_ns = 0, wrong = 0;
    weft_dim3 grid = WEFT_DIM3(cases[i].grid), block = WEFT_DIM3(cases[i].block);
    WEFT_TRY(weft_zeros(&b, context, WEFT_F32, WEFT_SHAPE(n)), done);
    WEFT_TRY(weft_launch(gpu, grid, block, a, b, n), done);  // the first launch may compile; it is not counted
    WEFT_TRY(weft_context_wait(context), done);

    WEFT_TRY(weft_timer_start(timer, NULL), done);
    double start_s = example_clock_s();
    for (uint64_t k = 0; k < launches; k++) WEFT_TRY(weft_launch(gpu, grid, block, a, b, n), done);
    double enqueued_s = example_clock_s();
    WEFT_TRY(weft_timer_stop(timer), done);
    WEFT_TRY(weft_context_wait(context), done);
    double done_s = example_clock_s();
    WEFT_TRY(weft_timer_get(&device_ns, timer), done);
    printf("  %-14s %10" PRIu64 " x %-5" PRIu64 " %10.1f %10.1f %10.1f\n", cases[i].name, cases[i].grid, cases[i].block,
           1e6 * (enqueued_s - start_s) / (double)launches, 1e-3 * (double)device_ns / (double)launches,
           1e6 * (done_s - start_s) / (double)launches);

    WEFT_TRY(weft_to_host(c, n * sizeof *c, b), done);
    for (uint64_t k = 0; k < n; k++) wrong += c[k] != (float)(launches + 1);
    REQUIRE(wrong == 0, "%" PRIu64 " of %" PRIu64 " sums are wrong", wrong, n);
    weft_array_release(&b);
  }
  printf(
      "(The article launches a block of %d threads for each number: four times too many threads, in blocks too small "
      "for any device.)\n",
      ARTICLE_BLOCK);
  status = EXIT_SUCCESS;

done:
  weft_release(&b, &a, &timer, &gpu);
  free(c);
  return example_close(&context, status);
}

// The parts of the first call's cost: building a source that is new to the driver, building it again once it is in the
// driver's cache (usually on disk, also for later runs), and the first launch after each build. Some drivers finish the
// build at the first launch.
static int measure_first_calls(uint64_t n) {
  static const char *const names[] = {"new to the driver", "kept by the driver"};
  int status = EXIT_FAILURE;
  weft_context *context = NULL;
  weft_kernel *gpu = NULL;
  weft_array *a = NULL, *b = NULL;
  weft_kernel_info info;
  char unique[64];
  snprintf(unique, sizeof unique, "MADE_AT=%.9f", example_clock_s());
  const char *const defines[] = {unique, NULL};

  printf("\nThe first call, ms:\n  %-18s %10s %14s\n", "the kernel is", "build", "first launch");
  for (int k = 0; k < 2; k++) {
    WEFT_TRY(weft_context_create(&context), done);
    WEFT_TRY(weft_kernel_create(&gpu, context, .file = EXAMPLE_KERNEL("gpu_add.cl"), .defines = defines), done);
    WEFT_TRY(weft_kernel_get(&info, gpu), done);
    WEFT_TRY(weft_ones(&a, context, WEFT_F32, WEFT_SHAPE(n)), done);
    WEFT_TRY(weft_ones(&b, context, WEFT_F32, WEFT_SHAPE(n)), done);
    WEFT_TRY(weft_context_wait(context), done);
    double start_s = example_clock_s();
    WEFT_TRY(weft_launch(gpu, WEFT_DIM3(weft_ceil_div(n, BLOCK)), WEFT_DIM3(BLOCK), a, b, n), done);
    WEFT_TRY(weft_context_wait(context), done);
    double done_s = example_clock_s();
    printf("  %-18s %10.1f %14.1f\n", names[k], 1e-6 * (double)info.build_time_ns, 1e3 * (done_s - start_s));
    weft_release(&b, &a, &gpu);
    if (k == 0) WEFT_TRY(weft_context_close(&context), done);
  }
  status = EXIT_SUCCESS;

done:
  weft_release(&b, &a, &gpu);
  return example_close(&context, status);
}

int main(int argc, char **argv) {
  uint64_t exponent = 20, iterations = 100, seed = 1, uniform = 0, device = 1;
  const example_option options[] = {
      {"--exponent", &exponent, 0, 30, "the arrays have 2^EXPONENT elements"},
      {"--iterations", &iterations, 2, 1000000, "iterations, the first of which is not counted"},
      {"--seed", &seed, 0, UINT32_MAX, "seed of the random numbers"},
      {"--uniform", &uniform, 0, 1, "1 for rand instead of randn"},
      {"--device", &device, 0, 1000, "device to select"},
  };
  int status = example_arguments(argc, argv, "Adds arrays on the device and on the host.", options,
                                 sizeof options / sizeof *options);
  if (status >= 0) return status;

  printf("b += a, after gpu_add.py of the article \"Basic Python implementation of GPU acceleration\" (numba.cuda)\n");
  if (example_select_device(NULL, device) != WEFT_OK) return example_failed();
  status = run_article((uint64_t)1 << exponent, iterations, (uint32_t)seed, uniform != 0);
  if (status == EXIT_SUCCESS) status = measure_first_calls((uint64_t)1 << exponent);
  if (status == EXIT_SUCCESS) status = compare_grids((uint64_t)1 << exponent, iterations - 1);
  return status;
}
