// SPDX-License-Identifier: MIT
// Finds tones in noise by the spectrum of the signal. In NumPy:
//   window = np.hanning(n)
//   power = np.abs(np.fft.rfft(signal * window)) ** 2
//   peaks = local maxima of the power, the strongest first
#include <inttypes.h>
#include <math.h>

#include "example.h"

#define RATE 48000.0  // samples per second
#define TONES 4

typedef struct tone {
  double frequency, amplitude;
} tone;

static const tone tones[TONES] = {{440, 0.5}, {1318.5, 0.25}, {5000, 0.12}, {12345.6, 0.06}};

// signal[i] = the sum of the tones at time i / RATE, and noise
static weft_status make_signal(weft_array **signal, weft_rng *rng, int64_t n) {
  weft_status rc = WEFT_ERROR_HOST_MEMORY;
  float *sum = malloc((size_t)n * sizeof *sum);
  REQUIRE(sum, "no memory for %" PRId64 " samples", n);
  for (int64_t i = 0; i < n; i++) {
    double value = 0;
    for (int k = 0; k < TONES; k++) {
      const double turns = tones[k].frequency * (double)i / RATE;
      value += tones[k].amplitude * sin(2 * acos(-1.0) * (turns - floor(turns)));
    }
    sum[i] = (float)value;
  }
  WEFT_TRY(rc = weft_normal(signal, rng, WEFT_F32, WEFT_SHAPE(n), 0, 0.5), done);
  WEFT_TRY(rc = weft_add(signal, *signal, WEFT_HOST(sum, WEFT_F32, WEFT_SHAPE(n))), done);
done:
  free(sum);
  return rc;
}

// The power of each frequency. The window makes a tone's line narrow; a line of amplitude 1 has the power 1.
static weft_status spectrum(weft_array **power, const weft_array *signal, weft_context *context, int64_t n) {
  weft_array *window = NULL, *lines = NULL;
  weft_status rc;
  WEFT_TRY(rc = weft_linspace(&window, context, WEFT_F32, -1, 1, n), done);
  WEFT_TRY(
      rc = weft_eval(&window, context, "(0.5 + 0.5 * cospi(w)) * x", WEFT_NAMED("w", window), WEFT_NAMED("x", signal)),
      done);
  WEFT_TRY(rc = weft_rfft(&lines, window, 0), done);
  WEFT_TRY(rc = weft_eval(power, context, "square(4 / n * abs(z))", WEFT_NAMED("z", lines), WEFT_NAMED("n", (double)n)),
           done);
done:
  weft_release(&window, &lines);
  return rc;
}

// The strongest local maxima, by their lines; fewer are 0.
static void find_peaks(int64_t peak[TONES], const float *power, int64_t lines) {
  for (int k = 0; k < TONES; k++) {
    peak[k] = 0;
    for (int64_t i = 2; i < lines - 2; i++) {
      bool is_new = power[i] > power[i - 1] && power[i] >= power[i + 1];
      for (int other = 0; other < k; other++) is_new &= peak[other] < i - 2 || peak[other] > i + 2;
      if (is_new && (!peak[k] || power[i] > power[peak[k]])) peak[k] = i;
    }
  }
}

// A parabola through the logarithms of a line and its neighbours has its maximum at the tone's frequency.
static tone tone_of(const float *power, int64_t line, int64_t n) {
  const double left = log(power[line - 1]), middle = log(power[line]), right = log(power[line + 1]);
  const double shift = 0.5 * (left - right) / (left - 2 * middle + right);
  return (tone){((double)line + shift) * RATE / (double)n, sqrt(exp(middle - 0.25 * (left - right) * shift))};
}

int main(int argc, char **argv) {
  uint64_t n = 1 << 16, seed = 1;
  const example_option options[] = {
      {"-n", &n, 4096, 1 << 26, "samples"},
      {"--seed", &seed, 0, UINT64_MAX, "what the noise is made of"},
  };
  int status = example_arguments(argc, argv, "Finds tones in noise.", options, sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  weft_context *context = NULL;
  weft_rng *rng = NULL;
  weft_array *signal = NULL, *power = NULL;
  const int64_t lines = (int64_t)n / 2 + 1;
  int64_t peak[TONES];
  float *host = malloc((size_t)lines * sizeof *host);
  REQUIRE(host, "no memory for %" PRId64 " lines", lines);
  WEFT_TRY(weft_context_default(&context), done);
  WEFT_TRY(weft_rng_create(&rng, .seed = seed), done);
  WEFT_TRY(make_signal(&signal, rng, (int64_t)n), done);
  WEFT_TRY(spectrum(&power, signal, context, (int64_t)n), done);
  WEFT_TRY(weft_to_host(host, (size_t)lines * sizeof *host, power), done);

  find_peaks(peak, host, lines);
  printf("%" PRIu64 " samples, %.3g Hz apart; the noise is stronger than any tone\n", n, RATE / (double)n);
  printf("%12s %12s %12s %12s\n", "found, Hz", "put in, Hz", "amplitude", "put in");
  for (int k = 0; k < TONES; k++) {
    REQUIRE(peak[k], "found %d tones of %d", k, TONES);
    const tone found = tone_of(host, peak[k], (int64_t)n);
    printf("%12.2f %12.2f %12.3f %12.3f\n", found.frequency, tones[k].frequency, found.amplitude, tones[k].amplitude);
  }
  status = EXIT_SUCCESS;

done:
  free(host);
  weft_release(&signal, &power, &rng);
  return example_close(&context, status);
}
