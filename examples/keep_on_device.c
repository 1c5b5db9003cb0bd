// SPDX-License-Identifier: MIT
// Three operations in a row: with a round trip to the host for each, with the data kept on the device, and as one
// kernel.
//
// Mirrors the course "Introduction to CUDA Python with Numba", the third of its misuses: "We copy the data to and from
// the GPU ... it makes sense to send data to the GPU and keep it there until all of our processing is complete".
//   y = np.multiply(x, 2);  y = np.add(y, 1);  y = np.sqrt(y)
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "example.h"

typedef struct data {
  weft_context *context;
  uint64_t n;
  float *x, *y;  // on the host
} data;

// Each call copies its operand to the device and its result back, but a CPU device may use large operands in place.
static weft_status by_way_of_the_host(void *argument) {
  data *d = argument;
  weft_shape shape = WEFT_SHAPE(d->n);
  weft_host_out out = WEFT_HOST_OUT(d->y, WEFT_F32, shape);
  weft_status status = weft_multiply(out, WEFT_HOST(d->x, WEFT_F32, shape), 2);
  if (status == WEFT_OK) status = weft_add(out, WEFT_HOST(d->y, WEFT_F32, shape), 1);
  if (status == WEFT_OK) status = weft_sqrt(out, WEFT_HOST(d->y, WEFT_F32, shape));
  return status;
}

// The data goes to the device once and back once; each result is the next operand, in place.
static weft_status kept_on_the_device(void *argument) {
  data *d = argument;
  weft_array *y = NULL;
  weft_status status = weft_from_host(&y, d->context, WEFT_F32, WEFT_SHAPE(d->n), d->x);
  if (status == WEFT_OK) status = weft_multiply(&y, y, 2);
  if (status == WEFT_OK) status = weft_add(&y, y, 1);
  if (status == WEFT_OK) status = weft_sqrt(&y, y);
  if (status == WEFT_OK) status = weft_to_host(d->y, d->n * sizeof *d->y, y);
  weft_array_release(&y);
  return status;
}

// The three operations as one kernel, which reads and writes each element once.
static weft_status one_kernel(void *argument) {
  data *d = argument;
  weft_array *y = NULL;
  weft_status status = weft_from_host(&y, d->context, WEFT_F32, WEFT_SHAPE(d->n), d->x);
  if (status == WEFT_OK) status = weft_eval(&y, d->context, "sqrt(x * 2 + 1)", WEFT_NAMED("x", y));
  if (status == WEFT_OK) status = weft_to_host(d->y, d->n * sizeof *d->y, y);
  weft_array_release(&y);
  return status;
}

int main(int argc, char **argv) {
  uint64_t n = 1 << 20, runs = 3, loops = 10;
  const example_option options[] = {
      {"-n", &n, 1, (uint64_t)1 << 30, "elements"},
      {"--runs", &runs, 1, 1000, "runs of a timing"},
      {"--loops", &loops, 0, 1000000000, "passes in a run; 0: as many as take 0.2 s"},
  };
  static const struct {
    const char *name;
    weft_timeit_function *pass;
  } ways[] = {{"by way of the host", by_way_of_the_host},
              {"kept on the device", kept_on_the_device},
              {"one kernel", one_kernel}};
  int status = example_arguments(argc, argv, "Chains three operations.", options, sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  weft_timing timing;
  weft_usage before, after;
  weft_memory_stats stats_before, stats;
  uint64_t first_copies = 0;
  double us[3];
  data d = {0};
  WEFT_TRY(weft_context_default(&d.context), done);
  d.n = n;
  d.x = malloc(n * sizeof(float));
  d.y = malloc(n * sizeof(float));
  REQUIRE(d.x != NULL && d.y != NULL, "no memory for %" PRIu64 " elements", n);
  for (uint64_t i = 0; i < n; i++) d.x[i] = (float)i;

  printf("sqrt(2 * x + 1) of %" PRIu64 " floats, host memory to host memory, for one pass (of the fastest run):\n", n);
  printf("  %-20s %12s %12s %10s %10s %12s\n", "", "bytes in", "bytes back", "unasked", "launches", "us");
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    WEFT_TRY(ways[w].pass(&d), done);  // builds the kernels
    memset(d.y, 0, n * sizeof *d.y);
    WEFT_TRY(weft_usage_get(&before, d.context), done);
    WEFT_TRY(weft_memory_get(&stats_before, d.context), done);
    WEFT_TRY(ways[w].pass(&d), done);
    WEFT_TRY(weft_usage_get(&after, d.context), done);
    WEFT_TRY(weft_memory_get(&stats, d.context), done);
    for (uint64_t i = 0; i < n; i++)
      REQUIRE(fabsf(d.y[i] - sqrtf(2 * d.x[i] + 1)) <= 2e-7f * d.y[i], "%s: element %" PRIu64 " is %g", ways[w].name, i,
              (double)d.y[i]);
    WEFT_TRY(weft_timeit(&timing, d.context, ways[w].pass, &d, .runs = (int)runs, .loops = loops), done);
    uint64_t copies = after.copies_in - before.copies_in + after.copies_back - before.copies_back;
    if (w == 0) first_copies = copies;
    us[w] = 1e-3 * timing.best_ns;
    printf("  %-20s %12" PRIu64 " %12" PRIu64 " %10" PRIu64 " %10" PRIu64 " %12.1f\n", ways[w].name,
           stats.to_device_bytes - stats_before.to_device_bytes, stats.to_host_bytes - stats_before.to_host_bytes,
           copies, after.launches - before.launches, us[w]);
  }
  printf("(unasked: copies that a call made itself, because it was given host memory)\n");
  if (first_copies > 0) {
    printf("Kept on the device the three operations take %.2f of the time by way of the host, as one kernel %.2f.\n",
           us[1] / us[0], us[2] / us[0]);
  } else {
    printf("This CPU device uses host memory of this size in place: going through the host makes no copies, so\n");
    printf("there are none to save by keeping the data on the device. With 2^16 elements there are (-n 2^16).\n");
  }
  status = EXIT_SUCCESS;

done:
  free(d.y);
  free(d.x);
  return example_close(&d.context, status);
}
