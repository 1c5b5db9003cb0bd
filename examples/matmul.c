// SPDX-License-Identifier: MIT
// Times a product of two square matrices, and checks some of its elements against the host. In NumPy:
//   a = rng.uniform(-1, 1, (n, n)).astype(np.float32);  b = ...
//   c = a @ b
// The rate counts 2 n^3 operations: a multiplication and an addition for each of n terms of n^2 sums.
#include <inttypes.h>
#include <math.h>

#include "example.h"

#define CHECKED 16  // rows and columns of c that the host computes, too

// The largest error of the checked elements, as a part of the sum of the terms' magnitudes.
static double largest_error(const float *a, const float *b, const float *c, uint64_t n, uint64_t checked) {
  double largest = 0;
  for (uint64_t i = 0; i < checked; i++)
    for (uint64_t j = 0; j < checked; j++) {
      double sum = 0, magnitude = 0;
      for (uint64_t k = 0; k < n; k++) {
        sum += (double)a[i * n + k] * (double)b[k * checked + j];
        magnitude += fabs((double)a[i * n + k] * (double)b[k * checked + j]);
      }
      largest = fmax(largest, fabs((double)c[i * checked + j] - sum) / magnitude);
    }
  return largest;
}

int main(int argc, char **argv) {
  uint64_t n = 1024, loops = 5, seed = 1;
  const example_option options[] = {
      {"-n", &n, 1, 1 << 15, "rows and columns"},
      {"--loops", &loops, 1, 1000, "products that are timed"},
      {"--seed", &seed, 0, UINT64_MAX, "what the matrices are made of"},
  };
  int status =
      example_arguments(argc, argv, "Times a product of two matrices.", options, sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  weft_context *context = NULL;
  weft_rng *rng = NULL;
  weft_array *a = NULL, *b = NULL, *c = NULL, *rows = NULL, *columns = NULL, *corner = NULL;
  const uint64_t checked = n < CHECKED ? n : CHECKED;
  float *row = malloc(n * checked * sizeof *row), *column = malloc(n * checked * sizeof *column),
        *got = malloc(checked * checked * sizeof *got);
  REQUIRE(row && column && got, "no memory for %" PRIu64 " rows", checked);
  WEFT_TRY(weft_context_default(&context), done);
  WEFT_TRY(weft_rng_create(&rng, .seed = seed), done);
  WEFT_TRY(weft_uniform(&a, rng, WEFT_F32, WEFT_SHAPE(n, n), -1, 1), done);
  WEFT_TRY(weft_uniform(&b, rng, WEFT_F32, WEFT_SHAPE(n, n), -1, 1), done);

  double start_s = example_clock_s();
  WEFT_TRY(weft_matmul(&c, a, b), done);
  WEFT_TRY(weft_context_wait(context), done);
  const double first_s = example_clock_s() - start_s;
  double best_s = first_s;
  for (uint64_t loop = 0; loop < loops; loop++) {
    start_s = example_clock_s();
    WEFT_TRY(weft_matmul(&c, a, b), done);  // into the same array
    WEFT_TRY(weft_context_wait(context), done);
    best_s = fmin(best_s, example_clock_s() - start_s);
  }

  WEFT_TRY(weft_slice(&rows, a, 0, 0, (int64_t)checked), done);
  WEFT_TRY(weft_slice(&columns, b, 1, 0, (int64_t)checked), done);
  WEFT_TRY(weft_matmul(&corner, rows, columns), done);  // views: nothing is copied
  WEFT_TRY(weft_to_host(row, n * checked * sizeof *row, rows), done);
  WEFT_TRY(weft_to_host(column, n * checked * sizeof *column, columns), done);
  WEFT_TRY(weft_to_host(got, checked * checked * sizeof *got, corner), done);
  double error = largest_error(row, column, got, n, checked);
  weft_array_release(&corner);
  WEFT_TRY(weft_view(&corner, c, ":16, :16"), done);
  WEFT_TRY(weft_to_host(got, checked * checked * sizeof *got, corner), done);
  error = fmax(error, largest_error(row, column, got, n, checked));
  REQUIRE(error < 1e-6, "an element is wrong by %g of its terms", error);

  printf("%" PRIu64 " x %" PRIu64 " f32: %.3f ms, %.4g TFLOP/s; the first took %.1f ms\n", n, n, best_s * 1e3,
         2 * pow((double)n, 3) / best_s * 1e-12, first_s * 1e3);
  printf("largest error of %" PRIu64 " checked elements: %.1e of the terms' magnitudes\n", 2 * checked * checked,
         error);
  status = EXIT_SUCCESS;

done:
  free(row);
  free(column);
  free(got);
  weft_release(&a, &b, &c, &rows, &columns, &corner, &rng);
  return example_close(&context, status);
}
