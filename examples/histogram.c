// SPDX-License-Identifier: MIT
// A histogram of normal numbers, and dice counted by their faces. The numbers are generated on the device and only the
// counts are copied to the host. In NumPy:
//   rng = np.random.Generator(np.random.Philox(seed))
//   x = rng.normal(size=n).astype(np.float32);  dice = rng.integers(1, 7, size=n)
//   counts, edges = np.histogram(x, bins=bins, range=(-4, 4))
//   faces = np.bincount(dice, minlength=7)
// (Weft's Philox differs from NumPy's, so the numbers differ too.)
#include <inttypes.h>
#include <string.h>

#include "example.h"

enum { WIDTH = 50, FACES = 7 };  // a bar's characters; the six faces, and 0

// Computes these counts in plain C: the last edge belongs to the last bin.
static int64_t count_on_host(int64_t *counts, const float *edges, uint64_t bins, const float *x, uint64_t n) {
  int64_t outside = 0;
  memset(counts, 0, bins * sizeof *counts);
  for (uint64_t i = 0; i < n; i++) {
    uint64_t low = 0, high = bins;
    if (!(x[i] >= edges[0] && x[i] <= edges[bins])) {
      outside++;
      continue;
    }
    while (high - low > 1) {
      uint64_t middle = (low + high) / 2;
      if (x[i] >= edges[middle])
        low = middle;
      else
        high = middle;
    }
    counts[low]++;
  }
  return outside;
}

int main(int argc, char **argv) {
  uint64_t n = 1000000, bins = 16, seed = 1;
  const example_option options[] = {
      {"-n", &n, 1, (uint64_t)1 << 30, "numbers, and as many dice"},
      {"--bins", &bins, 1, 4096, "bins from -4 to 4"},
      {"--seed", &seed, 0, UINT64_MAX, "what the numbers are made of"},
  };
  int status =
      example_arguments(argc, argv, "Counts random numbers in bins.", options, sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  weft_context *context = NULL;
  weft_rng *rng = NULL;
  weft_array *x = NULL, *dice = NULL, *counts = NULL, *edges = NULL, *faces = NULL;
  int64_t *found = malloc(bins * sizeof *found), *expected = malloc(bins * sizeof *expected), face[FACES], most = 1;
  float *edge = malloc((bins + 1) * sizeof *edge), *data = malloc(n * sizeof *data);
  REQUIRE(found && expected && edge && data, "no memory for %" PRIu64 " numbers", n);
  WEFT_TRY(weft_context_default(&context), done);
  WEFT_TRY(weft_rng_create(&rng, .seed = seed), done);

  WEFT_TRY(weft_normal(&x, rng, WEFT_F32, WEFT_SHAPE(n), 0, 1), done);
  WEFT_TRY(weft_integers(&dice, rng, WEFT_U8, WEFT_SHAPE(n), 1, 7), done);
  WEFT_TRY(weft_histogram(&counts, x, bins, .range = WEFT_RANGE(-4, 4), .edges = &edges), done);
  // given, so that the call need not count the faces first
  WEFT_TRY(weft_zeros(&faces, context, WEFT_I64, WEFT_SHAPE(FACES)), done);
  WEFT_TRY(weft_bincount(&faces, dice, .minlength = FACES), done);

  WEFT_TRY(weft_to_host(found, bins * sizeof *found, counts), done);
  WEFT_TRY(weft_to_host(edge, (bins + 1) * sizeof *edge, edges), done);
  WEFT_TRY(weft_to_host(face, sizeof face, faces), done);
  WEFT_TRY(weft_to_host(data, n * sizeof *data, x), done);
  int64_t outside = count_on_host(expected, edge, bins, data, n);
  REQUIRE(memcmp(found, expected, bins * sizeof *found) == 0, "plain C counts otherwise");

  printf("%" PRIu64 " normal numbers, seed %" PRIu64 ", in %" PRIu64 " bins:\n", n, seed, bins);
  for (uint64_t k = 0; k < bins; k++) most = found[k] > most ? found[k] : most;
  for (uint64_t k = 0; k < bins; k++) {
    printf("  %7.3f to %7.3f %10" PRId64 "  ", (double)edge[k], (double)edge[k + 1], found[k]);
    for (int64_t i = 0; i < found[k] * WIDTH / most; i++) putchar('#');
    putchar('\n');
  }
  printf("  outside %20" PRId64 "\n\n%" PRIu64 " dice:\n", outside, n);
  for (int k = 1; k < FACES; k++) printf("  %d %10" PRId64 "\n", k, face[k]);
  REQUIRE(face[0] == 0, "a die shows no 0");
  printf("The bins are what plain C counts.\n");
  status = EXIT_SUCCESS;

done:
  weft_release(&faces, &edges, &counts, &dice, &x, &rng);
  free(data);
  free(edge);
  free(expected);
  free(found);
  return example_close(&context, status);
}
