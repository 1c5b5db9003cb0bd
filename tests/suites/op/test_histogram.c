// SPDX-License-Identifier: MIT
/// Histograms and counts against plain loops over the edges, exactly; sums of weights within a few roundings.
#include <float.h>
#include <stdio.h>

#include "views.h"

/* ---- elements as numbers ---- */

/* The value that NumPy compares: 64-bit integers rounded to f64, all others exact. */
static double number(weft_dtype dtype, const void *elements, int64_t i) {
  return (double)element_get(dtype, (const char *)elements + (size_t)i * weft_dtype_size_bytes(dtype));
}

static double rounded(weft_dtype dtype, double v) {
  if (dtype == WEFT_F32) return (double)(float)v;
  if (dtype == WEFT_BF16) return (double)element_of_bf16(element_bf16((long double)v));
  return dtype == WEFT_F16 ? weft_f16_to_double(weft_f16_from_double(v)) : v;
}

static weft_dtype edge_dtype(weft_dtype x) {
  return weft_dtype_kind(x) == 'f' ? x : WEFT_F64;
}

/* numpy.linspace, computed in double and then rounded. */
static void make_edges(double *edges, weft_dtype dtype, int bins, double low, double high) {
  const double step = (high - low) / bins;
  for (int j = 0; j <= bins; j++) {
    volatile double product = j * step; /* not fused */
    edges[j] = rounded(dtype, j == bins ? high : product + low);
  }
}

static void count_by(int64_t *counts, double *sums, const double *edges, int bins, weft_dtype dtype, const void *x,
                     const double *weights, int64_t n) {
  memset(counts, 0, (size_t)bins * sizeof *counts);
  if (sums) memset(sums, 0, (size_t)bins * sizeof *sums);
  for (int64_t i = 0; i < n; i++) {
    const double v = number(dtype, x, i);
    if (!(v >= edges[0] && v <= edges[bins])) continue;
    int low = 0, high = bins; /* the bin is in [low, high) */
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      *(edges[middle] <= v ? &low : &high) = middle;
    }
    counts[low]++;
    if (sums) sums[low] += weights[i];
  }
}

static void check_counts(const weft_array *got, const int64_t *want, int bins, const char *what) {
  int64_t *counts = malloc((size_t)bins * sizeof *counts + 1);
  ck_assert_int_eq(weft_array_dtype(got), WEFT_I64);
  ck_assert_int_eq(weft_array_size(got), bins);
  ok(weft_to_host(counts, (size_t)bins * sizeof *counts, got));
  for (int j = 0; j < bins; j++)
    ck_assert_msg(counts[j] == want[j], "%s: bin %d of %d has %" PRId64 ", not %" PRId64, what, j, bins, counts[j],
                  want[j]);
  free(counts);
  harness_count(1);
}

/* ---- data ---- */

enum { UNIFORM, EQUAL, FEW, ON_EDGES, ANY, KINDS };

static const double REACH[WEFT_DTYPE_COUNT] = {
    [WEFT_BOOL] = 1,          [WEFT_I8] = 127,          [WEFT_U8] = 255,     [WEFT_I16] = 32767,  [WEFT_U16] = 65535,
    [WEFT_I32] = 2147483647., [WEFT_U32] = 4294967295., [WEFT_I64] = 0x1p62, [WEFT_U64] = 0x1p63, [WEFT_F16] = 2000,
    [WEFT_F32] = 1e6,         [WEFT_F64] = 1e9,         [WEFT_BF16] = 300,
};

static void fill_data(harness_random *random, weft_dtype dtype, void *x, int64_t n, int kind, const double *edges,
                      int bins) {
  const size_t size = weft_dtype_size_bytes(dtype);
  const double low = edges[0], width = edges[bins] - low, one = low + width * 0.37;
  for (int64_t i = 0; i < n; i++) {
    unsigned char *at = (unsigned char *)x + (size_t)i * size;
    const double u = (double)harness_between(random, 0, 1 << 30) * 0x1p-30;
    double v = low + width * (u * 1.1 - 0.05);
    if (kind == ANY) {
      element_random(random, dtype, at);
      continue;
    }
    if (kind == EQUAL) v = one;
    if (kind == FEW) v = low + width * (double)(harness_bits(random) % 3) * 0.33;
    if (kind == ON_EDGES) v = edges[harness_between(random, 0, bins)];
    if (kind == ON_EDGES && i % 3 == 1) v = nextafter(v, -INFINITY);
    if (kind == ON_EDGES && i % 3 == 2 && dtype == WEFT_F32) v = (double)nextafterf((float)v, -INFINITY);
    const double reach = REACH[dtype], least = weft_dtype_kind(dtype) == 'u' || dtype == WEFT_BOOL ? 0 : -reach;
    if (weft_dtype_kind(dtype) != 'f' || weft_dtype_size_bytes(dtype) == 2) v = fmin(fmax(v, least), reach);
    element_set(dtype, at, v, 0);
  }
}

static const int64_t SIZES[] = {0, 1, 2, 255, 257, 4095, 4096, 4099, 16384, 33000, 70001};

static int64_t random_size(harness_random *random) {
  return SIZES[harness_between(random, 0, (int64_t)(sizeof SIZES / sizeof *SIZES) - 1)];
}

static void random_range(harness_random *random, weft_dtype dtype, double *low, double *high) {
  const double reach = REACH[dtype], u = (double)harness_between(random, 0, 1000) / 1000,
               v = (double)harness_between(random, 1, 1000) / 1000;
  switch (harness_between(random, 0, 4)) {
    case 0:
      *low = 0, *high = 1;
      break;
    case 1:
      *low = 0, *high = floor(reach / 4) + 1;
      break;
    case 2:
      *low = weft_dtype_kind(dtype) == 'f' || weft_dtype_kind(dtype) == 'i' ? -reach * u : reach / 8 * u,
      *high = *low + reach * v;
      break;
    case 3:
      *low = -2 * reach, *high = 3 * reach; /* beyond the range of an integer dtype */
      break;
    default:
      *low = *high = floor(reach / 3);
  }
}

/* A run tests half of the dtypes, other runs the others; with the GPU's kernels on a CPU a quarter: building kernels
   takes most of the time. f32 is always tested. */
static bool is_sampled(weft_dtype dtype, uint64_t salt) {
  if (weft_dtype_kind(dtype) == 'c' || !harness_has_dtype(dtype)) return false;
  harness_random random = harness_random_start(salt + (uint64_t)dtype);
  const char *quirks = getenv("WEFT_QUIRKS");
  bool is_slow = quirks && strstr(quirks, "gpu_kernels");
  return dtype == WEFT_F32 || harness_bits(&random) >> (is_slow ? 62 : 63) == (is_slow ? 3 : 1);
}

/* ---- even bins ---- */

START_TEST(even_bins)
{
  const weft_dtype dtype = (weft_dtype)_i;
  static const int BINS[] = {1, 2, 7, 10, 256, 500, 513, 3000, 9000};
  harness_random random = harness_random_start(100 + (uint64_t)_i);
  if (!is_sampled(dtype, 40)) return;
  for (int round = 0; round < 30; round++) {
    const int bins = BINS[harness_between(&random, 0, dtype == WEFT_F16 ? 3 : dtype == WEFT_BF16 ? 2 : 8)];
    const int64_t n = random_size(&random);
    double low, high, *edges = malloc((size_t)(bins + 1) * sizeof *edges);
    int64_t *want = malloc((size_t)bins * sizeof *want);
    unsigned char *data = malloc((size_t)(n + 3) * 8);
    weft_array *base = NULL, *x = NULL, *counts = NULL, *got_edges = NULL;
    char what[120];
    random_range(&random, dtype, &low, &high);
    const double from = low == high ? low - 0.5 : low, to = low == high ? high + 0.5 : high;
    make_edges(edges, edge_dtype(dtype), bins, from, to);
    bool distinct = true;
    for (int j = 0; j < bins; j++) distinct &= edges[j] < edges[j + 1];
    const int shift = (int)harness_between(&random, 0, 3), data_kind = (int)harness_between(&random, 0, KINDS - 1);
    fill_data(&random, dtype, data, n + 3, data_kind, edges, bins);
    ok(weft_from_host(&base, ctx, dtype, WEFT_SHAPE(n + 3), data));
    ok(weft_slice(&x, base, 0, shift, shift + n));
    snprintf(what, sizeof what, "%s[%lld] +%d data %d, %d bins from %.17g to %.17g", weft_dtype_name(dtype),
             (long long)n, shift, data_kind, bins, low, high);
    const bool with_edges = device.has_fp64 || weft_dtype_kind(dtype) == 'f';
    if (!distinct) {
      expect_error(weft_histogram(&counts, x, bins, .range = WEFT_RANGE(low, high)), WEFT_ERROR_ARGUMENT,
                   "weft_histogram", "@bins", "are the same");
    } else {
      count_by(want, NULL, edges, bins, dtype, data + (size_t)shift * weft_dtype_size_bytes(dtype), NULL, n);
      if (with_edges)
        ok(weft_histogram(&counts, x, bins, .range = WEFT_RANGE(low, high), .edges = &got_edges));
      else
        ok(weft_histogram(&counts, x, bins, .range = WEFT_RANGE(low, high)));
      check_counts(counts, want, bins, what);
      if (with_edges) {
        unsigned char *host = malloc((size_t)(bins + 1) * 8);
        ck_assert_int_eq(weft_array_dtype(got_edges), edge_dtype(dtype));
        ok(weft_to_host(host, (size_t)(bins + 1) * weft_dtype_size_bytes(edge_dtype(dtype)), got_edges));
        for (int j = 0; j <= bins; j++)
          ck_assert_msg(number(edge_dtype(dtype), host, j) == edges[j], "%s: edge %d is %.17g, not %.17g", what, j,
                        number(edge_dtype(dtype), host, j), edges[j]);
        free(host);
      }
    }
    weft_array_release(&counts);
    weft_array_release(&got_edges);
    weft_array_release(&x);
    weft_array_release(&base);
    free(data);
    free(want);
    free(edges);
  }
}
END_TEST

/* Views, host memory, given results, and other result dtypes. */
START_TEST(operands_and_results)
{
  harness_random random = harness_random_start(7);
  for (int kind = 0; kind < LAYOUT_COUNT; kind++) {
    strided s;
    double edges[11];
    int64_t want[10], got[10];
    int32_t narrow[10];
    weft_array *counts = NULL;
    strided_make(&s, WEFT_I16, (layout)kind, 700, &random);
    unsigned char *values = strided_values(&s);
    make_edges(edges, WEFT_F64, 10, -20000, 20000);
    count_by(want, NULL, edges, 10, WEFT_I16, values, NULL, s.model.count);
    ok(weft_histogram(&counts, s.view, 10, .range = WEFT_RANGE(-20000, 20000)));
    check_counts(counts, want, 10, LAYOUT_NAMES[kind]);
    ok(weft_histogram(&counts, s.view, 10, .range = WEFT_RANGE(-20000, 20000))); /* overwrites instead of adding */
    check_counts(counts, want, 10, LAYOUT_NAMES[kind]);
    ok(weft_histogram(WEFT_HOST_OUT(got, WEFT_I64, WEFT_SHAPE(10)),
                      WEFT_HOST(values, WEFT_I16, WEFT_SHAPE(s.model.count)), 10, .range = WEFT_RANGE(-20000, 20000)));
    ck_assert_mem_eq(got, want, sizeof got);
    ok(weft_histogram(WEFT_HOST_OUT(narrow, WEFT_I32, WEFT_SHAPE(10)), s.view, 10, .range = WEFT_RANGE(-20000, 20000)));
    for (int j = 0; j < 10; j++) ck_assert_int_eq(narrow[j], want[j]);
    weft_array_release(&counts);
    free(values);
    strided_release(&s);
  }
}
END_TEST

START_TEST(range_of_the_data)
{
  static const weft_dtype dtypes[] = {WEFT_U8, WEFT_I8, WEFT_I32, WEFT_U64, WEFT_I64, WEFT_F32, WEFT_F16, WEFT_F64};
  const weft_dtype dtype = dtypes[_i];
  harness_random random = harness_random_start(300 + (uint64_t)_i);
  if (!is_sampled(dtype, 90)) return;
  for (int round = 0; round < 8; round++) {
    enum { BINS = 10 };
    const int64_t n = random_size(&random);
    unsigned char *data = malloc((size_t)n * 8 + 8);
    double ends[2] = {0, dtype == WEFT_F16 ? 100 : fmin(REACH[dtype], 5000)}, edges[BINS + 1], least = 0, most = 1;
    int64_t want[BINS];
    weft_array *x = NULL, *counts = NULL;
    fill_data(&random, dtype, data, n, round % 2 ? UNIFORM : EQUAL, ends, 1);
    for (int64_t i = 0; i < n; i++) {
      const double v = number(dtype, data, i);
      least = i == 0 || v < least ? v : least;
      most = i == 0 || v > most ? v : most;
    }

    const weft_dtype edge = edge_dtype(dtype);
    if (least == most) least = rounded(edge, least - 0.5), most = rounded(edge, most + 0.5);
    const double width = rounded(edge, most - least), step = rounded(edge, width / BINS);
    for (int j = 0; j <= BINS; j++) edges[j] = j == BINS ? most : rounded(edge, rounded(edge, j * step) + least);
    ok(weft_from_host(&x, ctx, dtype, WEFT_SHAPE(n), data));
    bool meet = false; /* adjacent halves leave no room for the edges between them */
    for (int j = 0; j < BINS; j++) meet |= edges[j] >= edges[j + 1];
    if (meet) {
      expect_error(weft_histogram(&counts, x, BINS), WEFT_ERROR_ARGUMENT, "too many");
      weft_array_release(&x);
      free(data);
      continue;
    }
    count_by(want, NULL, edges, BINS, dtype, data, NULL, n);
    ok(weft_histogram(&counts, x, BINS));
    check_counts(counts, want, BINS, weft_dtype_name(dtype));
    int64_t sum = 0, all[BINS];
    ok(weft_to_host(all, sizeof all, counts));
    for (int j = 0; j < BINS; j++) sum += all[j];
    ck_assert_int_eq(sum, n);
    weft_array_release(&counts);
    weft_array_release(&x);
    free(data);
  }
}
END_TEST

/* ---- given edges ---- */

static int compare_doubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

START_TEST(given_edges)
{
  static const weft_dtype pairs[][2] = {{WEFT_U8, WEFT_U8},   {WEFT_I8, WEFT_I32},  {WEFT_I32, WEFT_F64},
                                        {WEFT_U64, WEFT_I64}, {WEFT_F32, WEFT_F32}, {WEFT_F16, WEFT_F16},
                                        {WEFT_F64, WEFT_I32}, {WEFT_U16, WEFT_U8}};
  const weft_dtype dtype = pairs[_i][0], other = pairs[_i][1];
  harness_random random = harness_random_start(400 + (uint64_t)_i);
  if (_i != 4 && harness_bits(&random) >> 63) return; /* as is_sampled */
  if (!device.has_fp64 && (dtype == WEFT_F64 || other == WEFT_F64 || dtype == WEFT_U64)) return;
  for (int round = 0; round < 12; round++) {
    static const int BINS[] = {1, 2, 5, 100, 512, 700};
    const int bins = BINS[harness_between(&random, 0, 5)];
    const int64_t n = random_size(&random);
    double *edges = malloc((size_t)(bins + 1) * sizeof *edges);
    int64_t *want = malloc((size_t)bins * sizeof *want);
    unsigned char *data = malloc((size_t)n * 8 + 8), *edge_data = malloc((size_t)(bins + 1) * 8);
    weft_array *x = NULL, *e = NULL, *counts = NULL;
    const double reach = fmin(REACH[other], REACH[dtype]);
    for (int j = 0; j <= bins; j++) edges[j] = floor(reach * (double)harness_between(&random, 0, 1000) / 1000);
    qsort(edges, (size_t)bins + 1, sizeof *edges, compare_doubles);
    for (int j = 0; j <= bins; j++) {
      element_set(other, edge_data + (size_t)j * weft_dtype_size_bytes(other), edges[j], 0);
      edges[j] = number(other, edge_data, j);
    }
    fill_data(&random, dtype, data, n, round % 4 == 3 ? ANY : ON_EDGES, edges, bins);
    count_by(want, NULL, edges, bins, dtype, data, NULL, n);
    ok(weft_from_host(&x, ctx, dtype, WEFT_SHAPE(n), data));
    ok(weft_from_host(&e, ctx, other, WEFT_SHAPE(bins + 1), edge_data));
    ok(weft_histogram(&counts, x, e));
    check_counts(counts, want, bins, weft_dtype_name(dtype));
    ok(weft_histogram(&counts, x, WEFT_HOST(edge_data, other, WEFT_SHAPE(bins + 1))));
    check_counts(counts, want, bins, "edges of the host");
    if (device.has_fp64) {
      weft_array *w = NULL, *sums = NULL, *twice = NULL, *copy = NULL;
      ok(weft_full(&w, ctx, WEFT_F32, WEFT_SHAPE(n), 0.5));
      ok(weft_histogram(&sums, x, e, .weights = w, .edges = &copy));
      ok(weft_multiply(&sums, sums, 2));
      ok(weft_cast(&twice, sums, WEFT_I64));
      check_counts(twice, want, bins, "weights of a half");
      check_elements(copy, edge_data, bins + 1, "the edges again");
      weft_array_release(&copy);
      weft_array_release(&twice);
      weft_array_release(&sums);
      weft_array_release(&w);
    }
    weft_array_release(&counts);
    weft_array_release(&e);
    weft_array_release(&x);
    free(edge_data);
    free(data);
    free(want);
    free(edges);
  }
}
END_TEST

/* ---- integers ---- */

START_TEST(counts_of_integers)
{
  const weft_dtype dtype = (weft_dtype)_i;
  harness_random random = harness_random_start(500 + (uint64_t)_i);
  const char kind = weft_dtype_kind(dtype);
  if (kind == 'f' || (dtype != WEFT_I32 && !is_sampled(dtype, 70))) return;
  for (int round = 0; round < 16; round++) {
    static const int64_t TOPS[] = {0, 1, 100, 300, 5000, 20000};
    const int64_t n = random_size(&random), minlength = round % 4 == 1 ? 256 : harness_between(&random, 0, 300);
    int64_t top = TOPS[harness_between(&random, 0, 5)], greatest = -1;
    if ((double)top > REACH[dtype]) top = (int64_t)REACH[dtype];
    unsigned char *data = malloc((size_t)n * 8 + 8);
    int64_t *want = calloc(30000, sizeof *want);
    weft_array *x = NULL, *counts = NULL, *fixed = NULL;
    for (int64_t i = 0; i < n; i++) {
      const int64_t v = round % 3 == 0 ? top : harness_between(&random, 0, top);
      element_set(dtype, data + (size_t)i * weft_dtype_size_bytes(dtype), (double)v, 0);
      greatest = v > greatest ? v : greatest;
      want[v]++;
    }
    ok(weft_from_host(&x, ctx, dtype, WEFT_SHAPE(n), data));
    ok(weft_bincount(&counts, x, .minlength = minlength));
    check_counts(counts, want, (int)(greatest + 1 > minlength ? greatest + 1 : minlength), weft_dtype_name(dtype));
    ok(weft_empty(&fixed, ctx, WEFT_I64, WEFT_SHAPE(77)));
    ok(weft_bincount(&fixed, x)); /* values beyond it are not counted */
    check_counts(fixed, want, 77, "as many counts as are given");
    weft_array_release(&fixed);
    weft_array_release(&counts);
    weft_array_release(&x);
    free(want);
    free(data);
  }
}
END_TEST

START_TEST(negative_integers)
{
  weft_array *x = NULL, *counts = NULL;
  int32_t data[40000] = {0};
  int8_t bytes[] = {0, 1, -3, 2, -128};
  int64_t got[2];
  data[31234] = -17;
  data[39000] = -1;
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(200, 200), data));
  expect_error(weft_bincount(&counts, x), WEFT_ERROR_INDEX, "weft_bincount", "@x",
               "negative element: -17 at position 31234");
  ck_assert_ptr_null(counts);
  expect_error(weft_bincount(&counts, WEFT_HOST(bytes, WEFT_I8, WEFT_SHAPE(5))), WEFT_ERROR_INDEX, "-3 at position 2");
  ok(weft_bincount(WEFT_HOST_OUT(got, WEFT_I64, WEFT_SHAPE(2)), x));
  ck_assert_int_eq(got[0], 39998);
  ck_assert_int_eq(got[1], 0);
  weft_array_release(&x);
}
END_TEST

/// The launches of counts of 2^16 elements: one, unless numbers are too great to be counted before the greatest is
/// known. One of these fills the counts with zeros, which the calling thread may do.
START_TEST(few_elements)
{
  enum { N = 1 << 16 };
  static const struct {
    int32_t top;
    uint64_t launches, fills;
  } cases[] = {{0, 1, 0}, {8191, 1, 0}, {8192, 4, 1}};
  int32_t *data = calloc(N, sizeof *data);
  int64_t *want = calloc(8193, sizeof *want);
  weft_array *x = NULL, *counts = NULL;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    memset(want, 0, 8193 * sizeof *want);
    for (int i = 0; i < N; i++) data[i] = (int32_t)((uint32_t)i * 2654435761u >> 8) % (cases[k].top + 1);
    data[N - 5] = cases[k].top;
    for (int i = 0; i < N; i++) want[data[i]]++;
    ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(N), data));
    ok(weft_bincount(&counts, x)); /* also makes the memory by which blocks wait */
    weft_array_release(&counts);
    uint64_t before = harness_launches();
    ok(weft_bincount(&counts, x));
    const uint64_t launches = harness_launches() - before;
    if (harness_blocks_wait() && launches + cases[k].fills != cases[k].launches)
      ck_assert_uint_eq(launches, cases[k].launches);
    check_counts(counts, want, cases[k].top + 1, "bincount");
    weft_array_release(&counts);
    for (int again = 0; again < 3 && k == 0; again++) { /* the counts are cleared in each launch */
      before = harness_launches();
      ok(weft_histogram(&counts, x, 200, .range = WEFT_RANGE(-1, 1)));
      if (harness_blocks_wait()) ck_assert_uint_eq(harness_launches() - before, 1);
      int64_t all[200] = {0};
      all[100] = N;
      check_counts(counts, all, 200, "histogram");
    }
    weft_release(&counts, &x);
  }
  free(data);
  free(want);
}
END_TEST

/* ---- weights ---- */

static void check_sums(const weft_array *got, const double *want, const double *scale, int bins, const char *what) {
  double *sums = malloc((size_t)bins * sizeof *sums);
  ck_assert_int_eq(weft_array_dtype(got), WEFT_F64);
  ok(weft_to_host(sums, (size_t)bins * sizeof *sums, got));
  for (int j = 0; j < bins; j++)
    ck_assert_msg(
        fabs(sums[j] - want[j]) <= scale[j] * 1e-12 || (isnan(sums[j]) && isnan(want[j])) || sums[j] == want[j],
        "%s: bin %d has the sum %.17g, not %.17g", what, j, sums[j], want[j]);
  free(sums);
  harness_count(1);
}

START_TEST(sums_of_weights)
{
  static const weft_dtype dtypes[] = {WEFT_U8, WEFT_I32, WEFT_F32};
  const weft_dtype dtype = dtypes[_i];
  harness_random random = harness_random_start(600 + (uint64_t)_i);
  weft_array *x = NULL, *w = NULL, *sums = NULL, *again = NULL;
  if (!device.has_fp64) {
    float data[3] = {0};
    ok(weft_zeros(&w, ctx, WEFT_F32, WEFT_SHAPE(3)));
    expect_error(
        weft_histogram(&sums, WEFT_HOST(data, WEFT_F32, WEFT_SHAPE(3)), 2, .range = WEFT_RANGE(0, 1), .weights = w),
        WEFT_ERROR_UNSUPPORTED, "weft_histogram", "double precision");
    weft_array_release(&w);
    return;
  }
  for (int round = 0; round < 10; round++) {
    static const int BINS[] = {1, 10, 300, 3000};
    const int bins = BINS[harness_between(&random, 0, 3)];
    const int64_t n = random_size(&random);
    unsigned char *data = malloc((size_t)n * 8 + 8);
    double *weights = malloc((size_t)n * sizeof *weights + 8), *magnitudes = malloc((size_t)n * sizeof *weights + 8);
    double *edges = malloc((size_t)(bins + 1) * sizeof *edges), *want = malloc((size_t)bins * sizeof *want),
           *scale = malloc((size_t)bins * sizeof *want);
    int64_t *counts = malloc((size_t)bins * sizeof *counts);
    make_edges(edges, edge_dtype(dtype), bins, 0, 200);
    fill_data(&random, dtype, data, n, round % 2 ? UNIFORM : FEW, edges, bins);
    for (int64_t i = 0; i < n; i++) {
      weights[i] = ((double)harness_between(&random, -1000000, 1000000) * 1e-3 + 0.1) * (round % 3 ? 1 : 1e-310);
      if (round == 7 && i % 1000 == 17) weights[i] = i % 2000 == 17 ? INFINITY : i % 3000 == 17 ? NAN : -INFINITY;
      magnitudes[i] = fabs(weights[i]);
    }
    count_by(counts, scale, edges, bins, dtype, data, magnitudes, n);
    count_by(counts, want, edges, bins, dtype, data, weights, n);
    ok(weft_from_host(&x, ctx, dtype, WEFT_SHAPE(n), data));
    ok(weft_from_host(&w, ctx, WEFT_F64, WEFT_SHAPE(n), weights));
    ok(weft_histogram(&sums, x, bins, .range = WEFT_RANGE(0, 200), .weights = w));
    for (int j = 0; j < bins; j++)
      if (round % 3 == 0) scale[j] += 1e-305; /* denormals below the last bit of the largest weight may be lost */
    check_sums(sums, want, scale, bins, weft_dtype_name(dtype));
    ok(weft_histogram(&again, x, bins, .range = WEFT_RANGE(0, 200), .weights = w));
    double *first = malloc((size_t)bins * 8), *second = malloc((size_t)bins * 8);
    ok(weft_to_host(first, (size_t)bins * 8, sums));
    ok(weft_to_host(second, (size_t)bins * 8, again));
    ck_assert_mem_eq(first, second, (size_t)bins * 8);
    weft_array *narrow = NULL, *wide = NULL; /* f32 has the sums of the same numbers in f64, bit for bit */
    ok(weft_cast(&narrow, w, WEFT_F32));
    ok(weft_cast(&wide, narrow, WEFT_F64));
    ok(weft_histogram(&sums, x, bins, .range = WEFT_RANGE(0, 200), .weights = narrow));
    ok(weft_histogram(&again, x, bins, .range = WEFT_RANGE(0, 200), .weights = wide));
    ok(weft_to_host(first, (size_t)bins * 8, sums));
    ok(weft_to_host(second, (size_t)bins * 8, again));
    ck_assert_mem_eq(first, second, (size_t)bins * 8);
    weft_release(&narrow, &wide);
    free(first);
    free(second);
    weft_array_release(&sums);
    weft_array_release(&again);
    if (weft_dtype_kind(dtype) != 'f') {
      static int32_t integers[70001];
      weft_array *i32 = NULL;
      double sum[4] = {0}, got[4];
      for (int64_t i = 0; i < n; i++) {
        integers[i] = (int32_t)harness_between(&random, 0, 3);
        sum[integers[i]] += 3;
      }
      ok(weft_from_host(&i32, ctx, WEFT_I32, WEFT_SHAPE(n), integers));
      ok(weft_full(&again, ctx, WEFT_U8, WEFT_SHAPE(n), 3));
      ok(weft_bincount(WEFT_HOST_OUT(got, WEFT_F64, WEFT_SHAPE(4)), i32, .weights = again));
      for (int j = 0; j < 4; j++) ck_assert(got[j] == sum[j]);
      weft_array_release(&again);
      weft_array_release(&i32);
    }
    weft_array_release(&w);
    weft_array_release(&x);
    free(counts), free(scale), free(want), free(edges), free(magnitudes), free(weights), free(data);
  }
}
END_TEST

/// Few elements for many bins, which a CPU's core sifts for its own range; values beyond the last bin are not counted.
START_TEST(many_bins)
{
  enum { N = 3001, BINS = 30000 };
  static int64_t data[N], counts[BINS + 100];
  static double weights[N], sums[BINS + 100], got[BINS];
  harness_random random = harness_random_start(640);
  weft_array *x = NULL, *w = NULL, *y = NULL;
  if (!device.has_fp64) return;
  for (int i = 0; i < N; i++) {
    counts[data[i] = harness_between(&random, 0, i % 3 ? BINS + 99 : 50)]++;
    sums[data[i]] += weights[i] = harness_between(&random, -99, 99);
  }
  ok(weft_from_host(&x, ctx, WEFT_I64, WEFT_SHAPE(N), data));
  ok(weft_from_host(&w, ctx, WEFT_F64, WEFT_SHAPE(N), weights));
  ok(weft_empty(&y, ctx, WEFT_I64, WEFT_SHAPE(BINS)));
  ok(weft_bincount(&y, x));
  check_counts(y, counts, BINS, "many bins");
  ok(weft_bincount(WEFT_HOST_OUT(got, WEFT_F64, WEFT_SHAPE(BINS)), x, .weights = w));
  ck_assert_mem_eq(got, sums, sizeof got);
  weft_release(&x, &w, &y);
}
END_TEST

/// More bins than a block of a GPU has counters for, and elements enough to sort them first: small numbers of 8 bytes,
/// most of them equal where memory is short, in the end for any piece of them, and not all in the range.
START_TEST(parts_of_bins)
{
  enum { BINS = 300001, COUNT = (1 << 22) + 24077 };
  static float data[COUNT];
  static int64_t expected[BINS];
  uint32_t state = 1, bins = _i ? BINS : 12000;
  weft_memory_stats memory;
  weft_array *all = NULL, *x = NULL, *y = NULL;
  memset(expected, 0, sizeof expected);
  for (int i = 0; i < COUNT; i++) {
    state = state * 1664525u + 1013904223u;
    data[i] = _i % 2 && state >> 30 ? 77 : (float)((state >> 8) % bins) + (_i == 2 && state >> 29 == 0) * 9e5f;
    if (i > 0 && data[i] < (float)bins) expected[(int)data[i]]++;
  }
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(COUNT), data));
  ok(weft_cast(&all, x, _i == 0 ? WEFT_I64 : _i == 2 ? WEFT_F32 : WEFT_I32));
  weft_array_release(&x);
  ok(weft_slice(&x, all, 0, 1, COUNT) || weft_memory_get(&memory, ctx));
  if (_i % 2 && harness_takes_gpu_kernels())
    ok(weft_memory_set_limit(ctx, memory.active_bytes + BINS * 8 + (_i == 1 ? COUNT : 0) + (1 << 20)));
  ok(_i == 2 ? weft_histogram(&y, x, bins, .range = WEFT_RANGE(0, bins)) : weft_bincount(&y, x, .minlength = bins));
  ck_assert_int_eq(weft_error_last()->status, WEFT_OK); /* that memory was short is no failure */
  check_counts(y, expected, bins, "parts of bins");
  weft_release(&all, &x, &y);
  ok(weft_memory_set_limit(ctx, 0)); /* other tests may run in this context */
}
END_TEST

START_TEST(errors)
{
  weft_array *x = NULL, *z = NULL, *counts = NULL, *none = NULL;
  float nans[] = {1, NAN, 2}, edges[] = {0, 2, 1};
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(5, 4)));
  ok(weft_ones(&z, ctx, WEFT_C64, WEFT_SHAPE(5)));
  ok(weft_zeros(&counts, ctx, WEFT_I64, WEFT_SHAPE(9)));
  expect_error(weft_histogram(&none, x, 5, .range = {2, 1}), WEFT_ERROR_ARGUMENT, "weft_histogram", "@range");
  expect_error(weft_histogram(&none, z, 5, .range = WEFT_RANGE(0, 1)), WEFT_ERROR_DTYPE, "weft_histogram", "@x", "c64",
               "real");
  expect_error(weft_histogram(&none, x, 0, .range = WEFT_RANGE(0, 1)), WEFT_ERROR_ARGUMENT, "@bins", "`bins` is 0");
  expect_error(weft_histogram(&none, x, 3, .range = WEFT_RANGE(2, 1)), WEFT_ERROR_ARGUMENT, "@range", "above its end");
  expect_error(weft_histogram(&none, x, 3, .range = WEFT_RANGE(0, INFINITY)), WEFT_ERROR_ARGUMENT, "not finite");
  expect_error(weft_histogram(&none, x, 3, .range = WEFT_RANGE(0, 1e300)), WEFT_ERROR_ARGUMENT, "f32 cannot hold");
  expect_error(weft_histogram(&none, x, 100, .range = WEFT_RANGE(1, 1.000001)), WEFT_ERROR_ARGUMENT, "@bins",
               "too many", "f32");
  expect_error(weft_histogram(&counts, x, 3, .range = WEFT_RANGE(0, 1)), WEFT_ERROR_SHAPE, "@counts", "i64[9]",
               "i64[3]");
  expect_error(weft_histogram((weft_array **)NULL, x, 3, .range = WEFT_RANGE(0, 1)), WEFT_ERROR_ARGUMENT, "@counts",
               "NULL");
  expect_error(weft_histogram(&none, WEFT_HOST(nans, WEFT_F32, WEFT_SHAPE(3)), 3), WEFT_ERROR_ARGUMENT,
               "weft_histogram", "NaN");
  expect_error(weft_histogram(&none, x, WEFT_HOST(edges, WEFT_F32, WEFT_SHAPE(3))), WEFT_ERROR_ARGUMENT,
               "weft_histogram", "@bins", "element 2");
  expect_error(weft_histogram(&none, x, WEFT_HOST(edges, WEFT_F32, WEFT_SHAPE(1))), WEFT_ERROR_SHAPE, "1 elements");
  expect_error(weft_histogram(&none, x, x), WEFT_ERROR_SHAPE, "@bins", "2 axes");
  expect_error(weft_histogram(&none, x, counts, .range = WEFT_RANGE(0, 1)), WEFT_ERROR_ARGUMENT, "@range",
               "edges as `bins`");
  expect_error(weft_histogram(&none, x, 2.5), WEFT_ERROR_ARGUMENT, "@bins", "expected an integer");
  expect_error(weft_bincount(&none, x), WEFT_ERROR_DTYPE, "weft_bincount", "@x", "f32", "integer");
  expect_error(weft_bincount(&counts, counts, .minlength = 10), WEFT_ERROR_SHAPE, "@counts", "9 elements");
  expect_error(weft_bincount(&none, counts, .minlength = -1), WEFT_ERROR_ARGUMENT, "@minlength");
  if (device.has_fp64)
    expect_error(weft_bincount(&none, counts, .weights = x), WEFT_ERROR_SHAPE, "weft_bincount", "@weights", "i64[9]",
                 "f32[5,4]");
  ck_assert_ptr_null(none);
  weft_array_release(&counts);
  weft_array_release(&z);
  weft_array_release(&x);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "histogram");
  tcase_add_loop_test(tc, even_bins, 1, WEFT_DTYPE_COUNT);
  tcase_add_test(tc, operands_and_results);
  tcase_add_loop_test(tc, range_of_the_data, 0, 8);
  tcase_add_loop_test(tc, given_edges, 0, 8);
  tcase_add_loop_test(tc, counts_of_integers, 1, WEFT_DTYPE_COUNT);
  tcase_add_test(tc, negative_integers);
  tcase_add_test(tc, few_elements);
  tcase_add_loop_test(tc, sums_of_weights, 0, 3);
  tcase_add_test(tc, many_bins);
  tcase_add_loop_test(tc, parts_of_bins, 0, 4);
  tcase_add_test(tc, errors);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "histogram", .add = add});
}
