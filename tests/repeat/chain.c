// SPDX-License-Identifier: MIT
/// Every primitive on the results of other primitives: chains of sorts, sets, scans, searches, counts, selections,
/// moves, reductions and random orders. Arrays have from a few elements up to several tiles, sizes at which the
/// handling of an array's end matters most. Every result is compared completely.
///
///   chain [--times N] [--seed S]
///
/// A tenth of the chains run in guard mode, where a write outside an array is an error. Then all run without it, where
/// such a write damages the heap. The device is WEFT_TEST_DEVICE; WEFT_QUIRKS=gpu_kernels makes CPUs run the GPUs'
/// kernels. Exit status 0, 1 for a wrong result or an error, 77 without the device.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

enum { EXIT_SKIP = 77, MOST = 5000, ROWS = 3 };

static weft_context *context;
static weft_rng *rng;
static bool has_fp64;

/// A chain's arrays, on the host and on the device.
enum { X, SORTED, ORDER, VALUES, INDEX, INVERSE, COUNTS, SUMS, STARTS, PLACES, KEPT, A, B, ARRAYS };
typedef struct chain {
  int64_t n, values;
  uint32_t x[MOST], sorted[MOST], value[MOST];
  int64_t inverse[MOST], counts[MOST];
  weft_array *on[ARRAYS];
} chain;

/// A wrong result, as a value outside Weft's statuses; `wrong` describes it.
#define WRONG ((weft_status)-1)
static char wrong[200];

#define TRY(call)                 \
  do {                            \
    weft_status try_rc_ = (call); \
    if (try_rc_) return try_rc_;  \
  } while (0)

/// Reads array `k` as int64_t, of `count` elements.
static weft_status look(int64_t *out, const chain *c, int k, int64_t count, const char *what) {
  if (weft_array_size(c->on[k]) != count) {
    snprintf(wrong, sizeof wrong, "%s has %" PRId64 " elements, not %" PRId64, what, weft_array_size(c->on[k]), count);
    return WRONG;
  }
  weft_array *wide = NULL;
  weft_status rc = weft_cast(&wide, c->on[k], WEFT_I64);
  if (rc == WEFT_OK) rc = weft_to_host(out, (size_t)count * sizeof *out, wide);
  weft_array_release(&wide);
  return rc;
}

static weft_status expect(const chain *c, int k, int64_t count, int64_t (*wanted)(const chain *c, int64_t i),
                          const char *what) {
  static int64_t got[2 * MOST];
  TRY(look(got, c, k, count, what));
  for (int64_t i = 0; i < count; i++)
    if (got[i] != wanted(c, i)) {
      snprintf(wrong, sizeof wrong, "%s: element %" PRId64 " of %" PRId64 " is %" PRId64 ", expected %" PRId64, what, i,
               count, got[i], wanted(c, i));
      return WRONG;
    }
  return WEFT_OK;
}

static void drop(chain *c, int k) {
  weft_array_release(&c->on[k]);
}

/* ---- the host's results ---- */

static int by_value(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static void draw(chain *c, uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  uint32_t different = 1 + (uint32_t)(*state >> 40) % (uint32_t)(2 * c->n);
  for (int64_t i = 0; i < c->n; i++) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    c->x[i] = c->sorted[i] = (uint32_t)(*state >> 33) % different;
  }
  qsort(c->sorted, (size_t)c->n, sizeof *c->sorted, by_value);
  c->values = 0;
  for (int64_t i = 0; i < c->n; i++) {
    if (i == 0 || c->sorted[i] != c->sorted[i - 1]) {
      c->value[c->values] = c->sorted[i];
      c->counts[c->values++] = 0;
    }
    c->counts[c->values - 1]++;
  }
  for (int64_t i = 0; i < c->n; i++) {
    const uint32_t *at = bsearch(&c->x[i], c->value, (size_t)c->values, sizeof *c->value, by_value);
    c->inverse[i] = at - c->value;
  }
}

static int64_t element(const chain *c, int64_t i) {
  return c->x[i];
}
static int64_t in_order(const chain *c, int64_t i) {
  return c->sorted[i];
}
static int64_t twice_in_order(const chain *c, int64_t i) {
  return c->sorted[i / 2];
}
static int64_t a_value(const chain *c, int64_t i) {
  return c->value[i];
}
static int64_t place_of_value(const chain *c, int64_t i) {
  return c->inverse[i];
}
static int64_t count_of_value(const chain *c, int64_t i) {
  return c->counts[i];
}
static int64_t rolled(const chain *c, int64_t i) {
  return c->x[(i + c->n - 1) % c->n];
}
static int64_t sum_so_far(const chain *c, int64_t i) {
  static int64_t sum;
  sum = i == 0 ? c->sorted[0] : sum + c->sorted[i];
  return sum;
}
static int64_t sum_of_row(const chain *c, int64_t r) {
  int64_t sum = 0, length = c->n / ROWS;
  for (int64_t i = 0; i < length; i++) sum += c->x[r * length + i];
  return sum;
}
static int64_t sum_of_column(const chain *c, int64_t i) {
  int64_t sum = 0;
  for (int64_t r = 0; r < ROWS; r++) sum += c->x[r * (c->n / ROWS) + i];
  return sum;
}
static int64_t greatest_of_row(const chain *c, int64_t r) {
  int64_t length = c->n / ROWS, at = 0;
  for (int64_t i = 1; i < length; i++)
    if (c->x[r * length + i] > c->x[r * length + at]) at = i;
  return at;
}

/* ---- the links ---- */

/// Sorts with indices and values, and the sets made from them.
static weft_status sort_and_sets(chain *c) {
  TRY(weft_unique(&c->on[VALUES], c->on[X], .index = &c->on[INDEX], .inverse = &c->on[INVERSE],
                  .counts = &c->on[COUNTS]));
  TRY(expect(c, VALUES, c->values, a_value, "unique"));
  TRY(expect(c, INVERSE, c->n, place_of_value, "the inverse of unique"));
  TRY(expect(c, COUNTS, c->values, count_of_value, "the counts of unique"));
  TRY(weft_take(&c->on[A], c->on[X], c->on[INDEX], 0, .mode = WEFT_INDEX_CLIP));
  TRY(expect(c, A, c->values, a_value, "elements by unique's index"));
  TRY(weft_repeat(&c->on[SORTED], c->on[VALUES], c->on[COUNTS], 0));
  TRY(expect(c, SORTED, c->n, in_order, "values repeated by their counts"));
  TRY(weft_argsort(&c->on[ORDER], c->on[X], 0));
  drop(c, A);
  TRY(weft_take(&c->on[A], c->on[X], c->on[ORDER], 0, .mode = WEFT_INDEX_CLIP));
  TRY(expect(c, A, c->n, in_order, "elements by argsort"));
  TRY(weft_sort(&c->on[A], c->on[X], 0));
  TRY(expect(c, A, c->n, in_order, "sort"));
  return WEFT_OK;
}

/// Scans; also of the widest complex numbers, with segments and from the end, whose threads need the most memory.
static weft_status scans(chain *c) {
  static double x[2 * MOST], y[2 * MOST];
  static uint8_t starts[MOST];
  TRY(weft_cumsum(&c->on[SUMS], c->on[SORTED], 0));
  TRY(expect(c, SUMS, c->n, sum_so_far, "cumsum"));
  for (int64_t i = 0; i < c->n; i++) {
    x[2 * i] = (double)(c->x[i] % 8);
    x[2 * i + 1] = (double)(i % 5);
    starts[i] = c->x[i] % 7 == 0;
  }
  TRY(weft_from_host(&c->on[STARTS], context, WEFT_U8, WEFT_SHAPE(c->n), starts));
  if (!has_fp64) return WEFT_OK;
  drop(c, A);
  TRY(weft_from_host(&c->on[A], context, WEFT_C128, WEFT_SHAPE(c->n), x));
  TRY(weft_scan(&c->on[B], c->on[A], 0, .reverse = true, .flags = c->on[STARTS]));
  TRY(weft_to_host(y, (size_t)c->n * 16, c->on[B]));
  double real = 0, imaginary = 0;
  for (int64_t i = c->n - 1; i >= 0; i--) {
    if (i + 1 < c->n && starts[i + 1]) real = imaginary = 0;
    real += x[2 * i];
    imaginary += x[2 * i + 1];
    if (y[2 * i] == real && y[2 * i + 1] == imaginary) continue;
    snprintf(wrong, sizeof wrong,
             "a scan of complex numbers from the end: element %" PRId64 " is (%g %g), expected (%g %g)", i, y[2 * i],
             y[2 * i + 1], real, imaginary);
    return WRONG;
  }
  return WEFT_OK;
}

static weft_status searches_and_counts(chain *c) {
  for (int k = A; k <= B; k++) drop(c, k);
  TRY(weft_searchsorted(&c->on[A], c->on[VALUES], c->on[X]));
  TRY(expect(c, A, c->n, place_of_value, "searchsorted"));
  TRY(weft_merge(&c->on[B], c->on[SORTED], c->on[SORTED]));
  TRY(expect(c, B, 2 * c->n, twice_in_order, "merge"));
  drop(c, B);
  TRY(weft_zeros(&c->on[B], context, WEFT_I64, WEFT_SHAPE(c->values)));
  TRY(weft_scatter_add(c->on[B], c->on[A], 1, 0, .mode = WEFT_INDEX_CLIP));
  TRY(expect(c, B, c->values, count_of_value, "scatter_add"));
  drop(c, B);
  TRY(weft_histogram(&c->on[B], c->on[INVERSE], c->values, .range = WEFT_RANGE(0, c->values)));
  TRY(expect(c, B, c->values, count_of_value, "histogram"));
  return WEFT_OK;
}

static weft_status selections_and_moves(chain *c) {
  static int64_t got[MOST];
  int64_t kept = 0;
  for (int k = A; k <= B; k++) drop(c, k);
  TRY(weft_flatnonzero(&c->on[PLACES], c->on[STARTS]));
  TRY(weft_compress(&c->on[KEPT], c->on[STARTS], c->on[X], WEFT_ALL_AXES));
  for (int64_t i = 0; i < c->n; i++) kept += c->x[i] % 7 == 0;
  TRY(look(got, c, PLACES, kept, "flatnonzero"));
  for (int64_t i = 0, at = 0; i < c->n; i++)
    if (c->x[i] % 7 == 0 && got[at++] != i) {
      snprintf(wrong, sizeof wrong, "flatnonzero: element %" PRId64 " is %" PRId64 ", expected %" PRId64, at - 1,
               got[at - 1], i);
      return WRONG;
    }
  TRY(look(got, c, KEPT, kept, "compress"));
  for (int64_t i = 0, at = 0; i < c->n; i++)
    if (c->x[i] % 7 == 0 && got[at++] != c->x[i]) {
      snprintf(wrong, sizeof wrong, "compress: element %" PRId64 " is %" PRId64 ", expected %" PRIu32, at - 1,
               got[at - 1], c->x[i]);
      return WRONG;
    }
  TRY(weft_roll(&c->on[A], c->on[X], 1, 0));
  TRY(expect(c, A, c->n, rolled, "roll"));
  TRY(weft_permutation(&c->on[B], rng, c->n));
  drop(c, A);
  TRY(weft_take(&c->on[A], c->on[X], c->on[B], 0, .mode = WEFT_INDEX_CLIP));
  TRY(weft_sort(&c->on[A], c->on[A], 0));
  TRY(expect(c, A, c->n, in_order, "a permutation, sorted"));
  return WEFT_OK;
}

static weft_status reductions(chain *c) {
  const int64_t length = c->n / ROWS;
  for (int k = A; k <= B; k++) drop(c, k);
  TRY(weft_slice(&c->on[B], c->on[X], 0, 0, ROWS * length));
  TRY(weft_reshape(&c->on[A], c->on[B], WEFT_SHAPE(ROWS, length)));
  drop(c, B);
  TRY(weft_sum(&c->on[B], c->on[A], 1));
  TRY(expect(c, B, ROWS, sum_of_row, "sums of rows"));
  drop(c, B);
  TRY(weft_sum(&c->on[B], c->on[A], 0));
  TRY(expect(c, B, length, sum_of_column, "sums of columns"));
  drop(c, B);
  TRY(weft_argmax(&c->on[B], c->on[A], 1));
  TRY(expect(c, B, ROWS, greatest_of_row, "argmax of rows"));
  return WEFT_OK;
}

static weft_status run_chain(chain *c) {
  TRY(weft_from_host(&c->on[X], context, WEFT_U32, WEFT_SHAPE(c->n), c->x));
  TRY(sort_and_sets(c));
  TRY(scans(c));
  TRY(searches_and_counts(c));
  TRY(selections_and_moves(c));
  TRY(reductions(c));
  TRY(expect(c, X, c->n, element, "what was sorted, in the end"));
  return weft_context_wait(context);
}

/// Runs chains in their own context, in guard mode or without. Returns the number of failures, or -1 without the
/// device.
static int run_chains(bool guarded, long times, uint64_t seed) {
  static const int64_t sizes[] = {33, 100, 255, 257, 1500, MOST};
  static chain c;
  const char *selector = getenv("WEFT_TEST_DEVICE");
  const weft_context_params params = {.device = selector && *selector ? selector : NULL, .checks = guarded};
  weft_device_info info = {0};
  uint64_t state = seed;
  int failed = 0;
  weft_status rc = (weft_context_create)(&context, &params);
  if (rc == WEFT_ERROR_NO_DEVICE) {
    printf("SKIP: no device \"%s\" here\n", selector ? selector : "");
    return -1;
  }
  if (rc == WEFT_OK) rc = weft_context_get_device(&info, context);
  if (rc == WEFT_OK) rc = weft_rng_create(&rng, .seed = seed, .context = context);
  has_fp64 = info.has_fp64;
  if (rc) {
    printf("FAIL: %s\n", weft_error_last()->message);
    return 1;
  }
  for (long time = 0; time < times && failed < 5; time++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      c.n = sizes[s] > 300 ? sizes[s] - (int64_t)(state >> 58) : sizes[s];
      draw(&c, &state);
      rc = run_chain(&c);
      for (int k = 0; k < ARRAYS; k++) drop(&c, k);
      if (rc == WEFT_OK) continue;
      printf("FAIL: chain %ld over %" PRId64 " elements: %s\n", time, c.n,
             rc == WRONG ? wrong : weft_error_last()->message);
      failed++;
    }
  weft_rng_release(&rng);
  if (weft_context_close(&context)) {
    printf("FAIL: %s\n", weft_error_last()->message);
    failed++;
  }
  printf("%ld times %zu chains%s, seed %" PRIu64 ", %d wrong\n", times, sizeof sizes / sizeof *sizes,
         guarded ? " in guard mode" : "", seed, failed);
  return failed;
}

int main(int argc, char **argv) {
  long times = 1;
  uint64_t seed = 1;
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int k = 1; k + 1 < argc; k += 2) {
    if (strcmp(argv[k], "--times") == 0) times = strtol(argv[k + 1], NULL, 10);
    if (strcmp(argv[k], "--seed") == 0) seed = strtoull(argv[k + 1], NULL, 10);
  }
  int guarded = run_chains(true, (times + 9) / 10, seed), plain = guarded < 0 ? 0 : run_chains(false, times, seed);
  if (guarded < 0) return EXIT_SKIP;
  return guarded + plain ? EXIT_FAILURE : EXIT_SUCCESS;
}
