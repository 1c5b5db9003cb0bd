// SPDX-License-Identifier: MIT
// Two files of numbers, larger than the device memory that the program may use: the mean and standard deviation of the
// first file, and a second file made from it with mean 0 and standard deviation 1. In NumPy, with as much memory as the
// files have bytes:
//   x = np.load('numbers.npy', mmap_mode='r')
//   np.save('normal.npy', (x - x.mean(dtype=np.float64)) / x.std(dtype=np.float64))
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "example.h"

typedef struct figures {
  float mean, std;
  double seconds;
} figures;

// Writes random-looking numbers from 20 to 23; computes their mean and standard deviation in plain C.
static void write_numbers(float *x, uint64_t n, double *mean, double *std) {
  double sum = 0, squares = 0;
  for (uint64_t i = 0; i < n; i++) {
    x[i] = 20 + 3 * (float)((uint32_t)(i * UINT64_C(2654435761)) >> 8) / (float)(1 << 24);
    sum += (double)x[i] - 20;
    squares += ((double)x[i] - 20) * ((double)x[i] - 20);
  }
  *mean = 20 + sum / (double)n;
  *std = sqrt(squares / (double)n - sum / (double)n * (sum / (double)n));
}

static weft_status measure(figures *f, const weft_npy *file) {
  double start = example_clock_s();
  weft_status status =
      weft_mean(WEFT_HOST_OUT(&f->mean, WEFT_F32, WEFT_SHAPE_0D), weft_npy_operand(file), WEFT_ALL_AXES);
  if (status == WEFT_OK)
    status = weft_std(WEFT_HOST_OUT(&f->std, WEFT_F32, WEFT_SHAPE_0D), weft_npy_operand(file), WEFT_ALL_AXES);
  f->seconds = example_clock_s() - start;
  return status;
}

static void print_figures(const char *name, const figures *f, uint64_t bytes) {
  printf("%-8s mean %9.5f, standard deviation %8.5f; %.3f s, %.2f GB/s\n", name, (double)f->mean, (double)f->std,
         f->seconds, 2e-9 * (double)bytes / f->seconds);
}

int main(int argc, char **argv) {
  uint64_t n = (uint64_t)1 << 20, budget = 1;
  const example_option options[] = {
      {"-n", &n, 16, (uint64_t)1 << 40, "numbers in the file; 2^34 are 64 GiB"},
      {"--budget", &budget, 1, (uint64_t)1 << 20, "MiB of the device's memory that the program may have"},
  };
  int status = example_arguments(argc, argv, "Works on files that are larger than the device's memory.", options,
                                 sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  char folder[] = "larger_than_memory.XXXXXX", numbers[64] = "", normal[64] = "";
  weft_context *context = NULL;
  weft_npy *in = NULL, *out = NULL;
  weft_memory_stats stats;
  figures before, after;
  double mean, std;
  const uint64_t bytes = n * sizeof(float);
  REQUIRE(mkdtemp(folder), "cannot make a folder here");
  snprintf(numbers, sizeof numbers, "%s/numbers.npy", folder);
  snprintf(normal, sizeof normal, "%s/normal.npy", folder);
  WEFT_TRY(weft_context_default(&context), done);
  WEFT_TRY(weft_memory_set_limit(context, budget << 20), done);

  WEFT_TRY(weft_npy_create(&in, numbers, WEFT_F32, WEFT_SHAPE((int64_t)n)), done);
  write_numbers(weft_npy_data(in), n, &mean, &std);
  weft_npy_release(&in);
  WEFT_TRY(weft_npy_open(&in, numbers), done);
  WEFT_TRY(weft_npy_create(&out, normal, WEFT_F32, weft_npy_shape(in)), done);
  printf("%" PRIu64 " numbers, %.1f MiB in a file; %" PRIu64 " MiB of the device's memory.\n", n,
         (double)bytes / (1 << 20), budget);

  WEFT_TRY(measure(&before, in), done);
  print_figures("numbers", &before, bytes);
  double start = example_clock_s();
  WEFT_TRY(weft_eval(weft_npy_result(out), context, "(x - mean) / std", WEFT_NAMED("x", weft_npy_operand(in)),
                     WEFT_NAMED("mean", before.mean), WEFT_NAMED("std", before.std)),
           done);
  double seconds = example_clock_s() - start;
  printf("%-8s read, computed and written in %.3f s, %.2f GB/s\n", "normal", seconds, 2e-9 * (double)bytes / seconds);
  WEFT_TRY(measure(&after, out), done);
  print_figures("normal", &after, bytes);

  WEFT_TRY(weft_memory_get(&stats, context), done);
  printf("On the device were %.2f MiB at most.\n", (double)stats.peak_managed_bytes / (1 << 20));
  REQUIRE(stats.peak_managed_bytes <= budget << 20, "that is more than it may have");
  REQUIRE(fabs((double)before.mean - mean) < 1e-4 && fabs((double)before.std - std) < 1e-4,
          "plain C finds %.6f and %.6f", mean, std);
  REQUIRE(fabs((double)after.mean) < 1e-4 && fabs((double)after.std - 1) < 1e-4, "the file is not what was asked for");
  printf("Mean and standard deviation are those of plain C.\n");
  status = EXIT_SUCCESS;

done:
  weft_release(&out, &in);
  if (normal[0]) unlink(normal);
  if (numbers[0]) unlink(numbers);
  rmdir(folder);
  return example_close(&context, status);
}
