// SPDX-License-Identifier: MIT
// Readings of several stations in order of arrival, sorted by station; then the first reading of each station and the
// number of its readings. In NumPy:
//   rng = np.random.Generator(np.random.Philox(seed))
//   stations = rng.integers(0, count, size=n, dtype=np.uint32);  readings = rng.normal(15, 5,
//                                                                size=n).astype(np.float32)
//   order = np.argsort(stations, kind="stable")
//   stations, readings = stations[order], readings[order]
//   begins = np.searchsorted(stations, np.arange(count + 1))
//   lengths = np.diff(begins)
// (Weft's Philox differs from NumPy's, so the numbers differ too.)
#include <inttypes.h>
#include <string.h>

#include "example.h"

// A stable sort in plain C, one station after the other.
static void sort_on_host(float *sorted, int64_t *begins, const uint32_t *stations, const float *readings, uint64_t n,
                         uint64_t count) {
  for (uint64_t s = 0; s <= count; s++) begins[s] = 0;
  for (uint64_t i = 0; i < n; i++) begins[stations[i] + 1]++;
  for (uint64_t s = 0; s < count; s++) begins[s + 1] += begins[s];
  for (uint64_t i = 0; i < n; i++) sorted[begins[stations[i]]++] = readings[i];
  // each entry has advanced to the next station's beginning
  for (uint64_t s = count; s > 0; s--) begins[s] = begins[s - 1];
  begins[0] = 0;
}

int main(int argc, char **argv) {
  uint64_t n = 1000000, count = 8, seed = 1;
  const example_option options[] = {
      {"-n", &n, 1, (uint64_t)1 << 28, "readings"},
      {"--stations", &count, 1, 1 << 20, "stations"},
      {"--seed", &seed, 0, UINT64_MAX, "what the readings are made of"},
  };
  int status =
      example_arguments(argc, argv, "Sorts readings by their stations.", options, sizeof options / sizeof *options);
  if (status >= 0) return status;
  status = EXIT_FAILURE;

  weft_context *context = NULL;
  weft_rng *rng = NULL;
  weft_array *stations = NULL, *readings = NULL, *all = NULL, *begins = NULL, *lengths = NULL;
  uint32_t *station = malloc(n * sizeof *station);
  float *reading = malloc(n * sizeof *reading), *sorted = malloc(n * sizeof *sorted),
        *expected = malloc(n * sizeof *expected);
  int64_t *begin = malloc((count + 1) * sizeof *begin), *wanted = malloc((count + 1) * sizeof *wanted),
          *length = malloc(count * sizeof *length);
  REQUIRE(station && reading && sorted && expected && begin && wanted && length, "no memory for %" PRIu64 " readings",
          n);
  WEFT_TRY(weft_context_default(&context), done);
  WEFT_TRY(weft_rng_create(&rng, .seed = seed), done);
  WEFT_TRY(weft_integers(&stations, rng, WEFT_U32, WEFT_SHAPE(n), 0, count), done);
  WEFT_TRY(weft_normal(&readings, rng, WEFT_F32, WEFT_SHAPE(n), 15, 5), done);
  WEFT_TRY(weft_to_host(station, n * sizeof *station, stations), done);  // for the comparison below
  WEFT_TRY(weft_to_host(reading, n * sizeof *reading, readings), done);

  WEFT_TRY(weft_sort_by_key(&stations, &readings, stations, readings), done);  // sorts both in place
  WEFT_TRY(weft_arange(&all, context, WEFT_U32, 0, count + 1, 1), done);
  WEFT_TRY(weft_searchsorted(&begins, stations, all), done);
  WEFT_TRY(weft_diff(&lengths, begins, 0), done);

  WEFT_TRY(weft_to_host(sorted, n * sizeof *sorted, readings), done);
  WEFT_TRY(weft_to_host(begin, (count + 1) * sizeof *begin, begins), done);
  WEFT_TRY(weft_to_host(length, count * sizeof *length, lengths), done);
  sort_on_host(expected, wanted, station, reading, n, count);
  REQUIRE(memcmp(sorted, expected, n * sizeof *sorted) == 0, "plain C sorts otherwise");
  REQUIRE(memcmp(begin, wanted, (count + 1) * sizeof *begin) == 0, "plain C finds other beginnings");

  printf("%" PRIu64 " readings of %" PRIu64 " stations, seed %" PRIu64 ":\n", n, count, seed);
  printf("  %8s %10s %10s %10s %10s\n", "station", "begins", "readings", "first", "last");
  for (uint64_t s = 0; s < count && s < 20; s++) {
    printf("  %8" PRIu64 " %10" PRId64 " %10" PRId64, s, begin[s], length[s]);
    if (length[s] > 0)
      printf(" %10.3f %10.3f\n", (double)sorted[begin[s]], (double)sorted[begin[s + 1] - 1]);
    else
      printf(" %10s %10s\n", "-", "-");
  }
  printf("Each station's readings are in the order in which they came.\n");
  status = EXIT_SUCCESS;

done:
  weft_release(&lengths, &begins, &all, &readings, &stations, &rng);
  free(length);
  free(wanted);
  free(begin);
  free(expected);
  free(sorted);
  free(reading);
  free(station);
  return example_close(&context, status);
}
