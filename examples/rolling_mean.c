// SPDX-License-Identifier: MIT
// The rolling mean and deviation of a noisy signal with one enormous reading. A rolling mean by running sums would lose
// the readings behind it to rounding; here means without it have the same bits as in a signal without it. In pandas:
//   s = pandas.Series(x);  means = s.rolling(window).mean();  deviations = s.rolling(window).std(ddof=0)
#include <inttypes.h>
#include <math.h>

#include "example.h"

int main(int argc, char **argv) {
  uint64_t n = 1000000, window = 100, seed = 1;
  const example_option options[] = {
      {"-n", &n, 2, (uint64_t)1 << 28, "readings"},
      {"--window", &window, 1, 1 << 20, "neighbours in a mean"},
      {"--seed", &seed, 0, UINT64_MAX, "what the noise is made of"},
  };
  int status = example_arguments(argc, argv, "Means of moving windows.", options, sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  weft_context *context = NULL;
  weft_rng *rng = NULL;
  weft_array *x = NULL, *one = NULL, *means = NULL, *deviations = NULL;
  float *reading = malloc(n * sizeof *reading), *mean = malloc(n * sizeof *mean),
        *deviation = malloc(n * sizeof *deviation);
  REQUIRE(reading && mean && deviation, "no memory for %" PRIu64 " readings", n);
  REQUIRE(window <= n, "a window of %" PRIu64 " in %" PRIu64 " readings", window, n);
  WEFT_TRY(weft_context_default(&context), done);
  WEFT_TRY(weft_rng_create(&rng, .seed = seed), done);
  WEFT_TRY(weft_normal(&x, rng, WEFT_F32, WEFT_SHAPE(n), 20, 0.5), done);
  WEFT_TRY(weft_slice(&one, x, 0, (int64_t)(n / 2), (int64_t)(n / 2 + 1)), done);
  WEFT_TRY(weft_fill(one, WEFT_SCALAR(1e30f)), done);

  WEFT_TRY(weft_rolling(&means, x, (int64_t)window, 0, .op = WEFT_REDUCE_MEAN), done);
  WEFT_TRY(weft_rolling(&deviations, x, (int64_t)window, 0, .op = WEFT_REDUCE_STD), done);

  const uint64_t windows = n - window + 1;
  WEFT_TRY(weft_to_host(reading, n * sizeof *reading, x), done);
  WEFT_TRY(weft_to_host(mean, windows * sizeof *mean, means), done);
  WEFT_TRY(weft_to_host(deviation, windows * sizeof *deviation, deviations), done);
  double worst = 0;
  const uint64_t step = windows / 1000 + 1;  // plain C looks at a thousand windows
  for (uint64_t i = 0; i < windows; i += step) {
    if (i <= n / 2 && i + window > n / 2) continue;
    double sum = 0;
    for (uint64_t k = 0; k < window; k++) sum += (double)reading[i + k];
    worst = fmax(worst, fabs((double)mean[i] - sum / (double)window));
  }
  REQUIRE(worst < 1e-5, "plain C finds other means: %g away", worst);

  printf("%" PRIu64 " readings, windows of %" PRIu64 ", seed %" PRIu64 ":\n", n, window, seed);
  printf("  %10s %12s %12s\n", "from", "mean", "deviation");
  const uint64_t shown[] = {0, windows / 4, n / 2 < windows ? n / 2 : windows - 1, windows - 1};
  for (int k = 0; k < 4; k++)
    printf("  %10" PRIu64 " %12.5g %12.5g\n", shown[k], (double)mean[shown[k]], (double)deviation[shown[k]]);
  printf("The means without the enormous reading are those of plain C.\n");
  status = EXIT_SUCCESS;

done:
  weft_release(&deviations, &means, &one, &x, &rng);
  free(deviation);
  free(mean);
  free(reading);
  return example_close(&context, status);
}
