// SPDX-License-Identifier: MIT
// Sales of several shops: for each shop the number of sales, their sum, mean and largest, and a histogram of their
// sizes. All shops are treated in one call, whatever their number of sales. In pandas and NumPy:
//   table = pandas.DataFrame({"shop": shops, "size": sizes})
//   groups = table.groupby("shop")["size"];  groups.count(), groups.sum(), groups.mean(), groups.max()
//   counts, _, _ = np.histogram2d(shops, sizes, bins=[count, bins], range=[(0, count), (0, 100)])
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "example.h"

enum { BINS = 5, TOP = 100 };

// The histogram and the sums in plain C.
static void count_on_host(int64_t *counts, double *sums, const uint32_t *shop, const float *size, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
    const int bin = size[i] >= 80 ? 4 : size[i] >= 60 ? 3 : size[i] >= 40 ? 2 : size[i] >= 20 ? 1 : 0;
    counts[shop[i] * BINS + bin]++;
    sums[shop[i]] += (double)size[i];
  }
}

int main(int argc, char **argv) {
  uint64_t n = 1000000, count = 8, seed = 1;
  const example_option options[] = {
      {"-n", &n, 1, (uint64_t)1 << 28, "sales"},
      {"--shops", &count, 1, 1 << 16, "shops"},
      {"--seed", &seed, 0, UINT64_MAX, "what the sales are made of"},
  };
  int status = example_arguments(argc, argv, "Counts and adds up sales by their shops.", options,
                                 sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  const weft_range ranges[] = {WEFT_RANGE(0, (double)count), WEFT_RANGE(0, TOP)};
  weft_context *context = NULL;
  weft_rng *rng = NULL;
  weft_array *shops = NULL, *sizes = NULL, *names = NULL, *numbers = NULL, *sums = NULL, *means = NULL, *largest = NULL,
             *histogram = NULL;
  uint32_t *shop = malloc(n * sizeof *shop), *name = malloc(count * sizeof *name);
  float *size = malloc(n * sizeof *size), *sum = malloc(count * sizeof *sum), *mean = malloc(count * sizeof *mean),
        *most = malloc(count * sizeof *most);
  double *added = calloc(count, sizeof *added);
  int64_t *number = malloc(count * sizeof *number), *counts = malloc(count * BINS * sizeof *counts),
          *expected = calloc(count * BINS, sizeof *expected);
  REQUIRE(shop && name && size && sum && mean && most && added && number && counts && expected,
          "no memory for %" PRIu64 " sales", n);
  WEFT_TRY(weft_context_default(&context), done);
  WEFT_TRY(weft_rng_create(&rng, .seed = seed), done);
  WEFT_TRY(weft_integers(&shops, rng, WEFT_U32, WEFT_SHAPE(n), 0, count), done);
  WEFT_TRY(weft_uniform(&sizes, rng, WEFT_F32, WEFT_SHAPE(n), 0, TOP), done);

  WEFT_TRY(weft_reduce_by_key(&names, &sums, shops, sizes, .counts = &numbers), done);
  WEFT_TRY(weft_reduce_by_key(NULL, &means, shops, sizes, .op = WEFT_REDUCE_MEAN), done);
  WEFT_TRY(weft_reduce_by_key(NULL, &largest, shops, sizes, .op = WEFT_REDUCE_MAX), done);
  WEFT_TRY(weft_histogram2d(&histogram, shops, sizes, WEFT_SHAPE(count, BINS), .ranges = ranges), done);

  const uint64_t there = (uint64_t)weft_array_size(names);  // shops with a sale
  WEFT_TRY(weft_to_host(name, there * sizeof *name, names), done);
  WEFT_TRY(weft_to_host(number, there * sizeof *number, numbers), done);
  WEFT_TRY(weft_to_host(sum, there * sizeof *sum, sums), done);
  WEFT_TRY(weft_to_host(mean, there * sizeof *mean, means), done);
  WEFT_TRY(weft_to_host(most, there * sizeof *most, largest), done);
  WEFT_TRY(weft_to_host(counts, count * BINS * sizeof *counts, histogram), done);
  WEFT_TRY(weft_to_host(shop, n * sizeof *shop, shops), done);
  WEFT_TRY(weft_to_host(size, n * sizeof *size, sizes), done);
  count_on_host(expected, added, shop, size, n);
  REQUIRE(memcmp(counts, expected, count * BINS * sizeof *counts) == 0, "plain C counts otherwise");
  for (uint64_t k = 0; k < there; k++)
    REQUIRE(fabs((double)sum[k] - added[name[k]]) <= 1e-6 * added[name[k]], "plain C adds up otherwise");

  printf("%" PRIu64 " sales of %" PRIu64 " shops, seed %" PRIu64 ":\n", n, count, seed);
  printf("  %6s %8s %12s %8s %8s %28s\n", "shop", "sales", "sum", "mean", "largest", "of each size, by twenties");
  for (uint64_t k = 0; k < there && k < 20; k++) {
    printf("  %6" PRIu32 " %8" PRId64 " %12.2f %8.3f %8.3f", name[k], number[k], (double)sum[k], (double)mean[k],
           (double)most[k]);
    for (int bin = 0; bin < BINS; bin++) printf(" %6" PRId64, counts[name[k] * BINS + (uint32_t)bin]);
    printf("\n");
  }
  printf("Counts and sums are those of plain C.\n");
  status = EXIT_SUCCESS;

done:
  weft_release(&histogram, &largest, &means, &sums, &numbers, &names, &sizes, &shops, &rng);
  free(expected);
  free(counts);
  free(number);
  free(added);
  free(most);
  free(mean);
  free(sum);
  free(size);
  free(name);
  free(shop);
  return example_close(&context, status);
}
