// SPDX-License-Identifier: MIT
// Layers of a neural network: y = gelu(x @ w + bias), each in one call, whose epilogue adds the bias and applies the
// activation. On GPUs the kernel of the product computes it before it stores an element; three calls would store and
// read every element twice more. In NumPy:
//   for w, bias in zip(weights, biases):
//     t = x @ w + bias
//     x = 0.5 * t * (1 + scipy.special.erf(t / np.sqrt(2)))
#include <inttypes.h>
#include <math.h>

#include "example.h"

#define LAYERS 3

static double gelu(double t) {
  return 0.5 * t * (1 + erf(t * sqrt(0.5)));
}

// Row 0 of the last layer on the host; `x` has its inputs, and gets its outputs.
static void run_on_host(double *x, double *y, float *const *weights, float *const *biases, uint64_t width) {
  for (int l = 0; l < LAYERS; l++) {
    for (uint64_t j = 0; j < width; j++) {
      double sum = biases[l][j];
      for (uint64_t k = 0; k < width; k++) sum += x[k] * (double)weights[l][k * width + j];
      y[j] = gelu(sum);
    }
    for (uint64_t j = 0; j < width; j++) x[j] = y[j];
  }
}

static weft_status run_fused(weft_array **y, const weft_array *x, const weft_array *w, const weft_array *bias) {
  return weft_matmul(
      y, x, w,
      .epilogue = WEFT_EPILOGUE("t = value + bias; 0.5 * t * (1 + erf(t * 0.7071067811865476))", WEFT_VAR(bias)));
}

static weft_status run_apart(weft_array **y, const weft_array *x, const weft_array *w, const weft_array *bias) {
  weft_status rc = weft_matmul(y, x, w);
  if (rc == WEFT_OK) rc = weft_add(y, *y, bias);
  if (rc == WEFT_OK) rc = weft_eval(y, NULL, "0.5 * t * (1 + erf(t * 0.7071067811865476))", WEFT_NAMED("t", *y));
  return rc;
}

typedef weft_status run_layer(weft_array **, const weft_array *, const weft_array *, const weft_array *);

int main(int argc, char **argv) {
  uint64_t rows = 512, width = 256, loops = 3, seed = 1;
  const example_option options[] = {
      {"--rows", &rows, 1, 1 << 20, "inputs that go through the layers together"},
      {"--width", &width, 1, 1 << 14, "inputs and outputs of a layer"},
      {"--loops", &loops, 1, 1000, "runs that are timed"},
      {"--seed", &seed, 0, UINT64_MAX, "what inputs and weights are made of"},
  };
  int status =
      example_arguments(argc, argv, "Runs layers of a neural network.", options, sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  static run_layer *const run[2] = {run_fused, run_apart};
  weft_context *context = NULL;
  weft_rng *rng = NULL;
  weft_array *x[LAYERS + 1] = {NULL}, *w[LAYERS] = {NULL}, *bias[LAYERS] = {NULL}, *first = NULL;
  float *weights[LAYERS] = {NULL}, *biases[LAYERS] = {NULL}, *row = malloc(width * sizeof *row);
  double *expected = malloc(width * sizeof *expected), *next = malloc(width * sizeof *next), error = 0;
  REQUIRE(row && expected && next, "no memory for %" PRIu64 " numbers", width);
  WEFT_TRY(weft_context_default(&context), done);
  WEFT_TRY(weft_rng_create(&rng, .seed = seed), done);
  WEFT_TRY(weft_normal(&x[0], rng, WEFT_F32, WEFT_SHAPE(rows, width), 0, 1), done);
  for (int l = 0; l < LAYERS; l++) {
    weights[l] = malloc(width * width * sizeof *weights[l]);
    biases[l] = malloc(width * sizeof *biases[l]);
    REQUIRE(weights[l] && biases[l], "no memory for a layer's weights");
    WEFT_TRY(weft_normal(&w[l], rng, WEFT_F32, WEFT_SHAPE(width, width), 0, 1 / sqrt((double)width)), done);
    WEFT_TRY(weft_normal(&bias[l], rng, WEFT_F32, WEFT_SHAPE(width), 0, 0.1), done);
    WEFT_TRY(weft_to_host(weights[l], width * width * sizeof *weights[l], w[l]), done);
    WEFT_TRY(weft_to_host(biases[l], width * sizeof *biases[l], bias[l]), done);
  }

  WEFT_TRY(weft_view(&first, x[0], "0"), done);
  WEFT_TRY(weft_to_host(row, width * sizeof *row, first), done);
  for (uint64_t k = 0; k < width; k++) expected[k] = (double)row[k];
  run_on_host(expected, next, weights, biases, width);

  printf("%d layers of %" PRIu64 " by %" PRIu64 ", %" PRIu64 " rows, seed %" PRIu64 "\n", LAYERS, width, width, rows,
         seed);
  for (int how = 0; how < 2; how++) {
    double best_s = INFINITY;
    for (uint64_t loop = 0; loop <= loops; loop++) {  // the first run builds kernels and makes the arrays
      const double start_s = example_clock_s();
      for (int l = 0; l < LAYERS; l++) WEFT_TRY(run[how](&x[l + 1], x[l], w[l], bias[l]), done);
      WEFT_TRY(weft_context_wait(context), done);
      if (loop > 0) best_s = fmin(best_s, example_clock_s() - start_s);
    }
    weft_array_release(&first);
    WEFT_TRY(weft_view(&first, x[LAYERS], "0"), done);
    WEFT_TRY(weft_to_host(row, width * sizeof *row, first), done);
    for (uint64_t k = 0; k < width; k++) error = fmax(error, fabs((double)row[k] - expected[k]));
    printf("%s %10.3f ms\n", how == 0 ? "one call for each layer:   " : "three calls for each layer:", best_s * 1e3);
  }
  REQUIRE(error < 1e-4, "an output is wrong by %g", error);
  printf("largest error of row 0: %.1e\n", error);
  status = EXIT_SUCCESS;

done:
  free(row);
  free(expected);
  free(next);
  for (int l = 0; l < LAYERS; l++) {
    free(weights[l]);
    free(biases[l]);
    weft_release(&x[l + 1], &w[l], &bias[l]);
  }
  weft_release(&x[0], &first, &rng);
  return example_close(&context, status);
}
