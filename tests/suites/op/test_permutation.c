// SPDX-License-Identifier: MIT
/// Permutations, shuffles and choices: their elements and frequencies.
#include <stdio.h>

#include "harness.h"

static weft_rng *make(uint64_t seed, weft_generator generator) {
  weft_rng *rng = NULL;
  ok(weft_rng_create(&rng, .seed = seed, .generator = generator, .context = ctx));
  return rng;
}

/// Whether `order` has each number below n exactly once.
static bool is_permutation(const int64_t *order, int64_t n) {
  unsigned char *seen = calloc((size_t)n + 1, 1);
  bool is = seen != NULL;
  for (int64_t i = 0; i < n && is; i++) {
    is = order[i] >= 0 && order[i] < n && !seen[order[i]];
    if (is) seen[order[i]] = 1;
  }
  free(seen);
  return is;
}

START_TEST(permutations)
{
  /* around the powers of two that the sorting network uses, and its smallest size */
  static const int64_t sizes[] = {0,    1,    2,    3,    7,    100,  1023,  1024,  1025,
                                  1026, 2047, 2048, 2049, 4095, 4097, 16385, 100000};
  static int64_t order[100000], other[100000];
  for (int generator = 0; generator < 2; generator++) {
    weft_rng *rng = make(4, (weft_generator)generator);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
      const int64_t n = sizes[k];
      weft_array *x = NULL;
      ok(weft_permutation(&x, rng, n));
      ck_assert(weft_array_dtype(x) == WEFT_I64 && weft_array_size(x) == n);
      ok(weft_to_host(order, (size_t)n * 8, x));
      ck_assert_msg(is_permutation(order, n), "no permutation of %" PRId64, n);
      ok(weft_permutation(&x, rng, n));
      ok(weft_to_host(other, (size_t)n * 8, x));
      if (n > 50) ck_assert(memcmp(order, other, (size_t)n * 8) != 0);
      weft_array_release(&x);
      harness_count(2 * (long)n);
    }
    int32_t narrow[5000];
    ok(weft_permutation(WEFT_HOST_OUT(narrow, WEFT_I32, WEFT_SHAPE(5000)), rng, 5000));
    for (int i = 0; i < 5000; i++) order[i] = narrow[i];
    ck_assert(is_permutation(order, 5000));
    weft_rng_release(&rng);
  }
}
END_TEST

/// A part of an order has the whole order's numbers there, and moves the generator on by the whole.
START_TEST(parts_of_orders)
{
  static const int64_t parts[][3] = {{100, 0, 1},  {100, 99, 1},    {100, 17, 60},
                                     {5000, 0, 7}, {5000, 4990, 0}, {5000, 1025, 2049}};
  int64_t order[5000], part[5000];
  weft_rng *whole = make(4, WEFT_PHILOX4X32), *rng = make(4, WEFT_PHILOX4X32);
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
    const int64_t n = parts[k][0], first = parts[k][1], count = parts[k][2] ? parts[k][2] : n - first;
    ok(weft_permutation(WEFT_HOST_OUT(order, WEFT_I64, WEFT_SHAPE(n)), whole, n));
    ok(weft_permutation(WEFT_HOST_OUT(part, WEFT_I64, WEFT_SHAPE(count)), rng, n, .first = first,
                        .count = parts[k][2]));
    ck_assert(memcmp(order + first, part, (size_t)count * sizeof *part) == 0);
    harness_count((long)count);
  }
  weft_rng_release(&whole);
  weft_rng_release(&rng);
}
END_TEST

/// A chi-square's distance from its mean, in deviations: nearly normal for many kinds.
static double excess(const int *count, int kinds, double expected) {
  double chi_square = 0;
  for (int k = 0; k < kinds; k++) chi_square += (count[k] - expected) * (count[k] - expected) / expected;
  return (chi_square - (kinds - 1)) / sqrt(2.0 * (kinds - 1));
}

static void judge(const char *what, double deviations) {
  printf("  %-48s %6.2f deviations\n", what, deviations);
  ck_assert_msg(fabs(deviations) < 4, "%s: %g deviations", what, deviations);
  harness_count(1);
}

START_TEST(every_order_is_as_likely)
{
  /* the 24 permutations of 4 */
  enum { DRAWS = 2400 };
  int count[256] = {0}, kept[24], kinds = 0;
  weft_rng *rng = make(14, WEFT_PHILOX4X32);
  for (int k = 0; k < DRAWS; k++) {
    int64_t p[4];
    ok(weft_permutation(WEFT_HOST_OUT(p, WEFT_I64, WEFT_SHAPE(4)), rng, 4));
    count[p[0] + 4 * p[1] + 16 * p[2] + 64 * p[3]]++;
  }
  for (int k = 0; k < 256; k++)
    if (count[k]) {
      ck_assert_int_lt(kinds, 24);
      kept[kinds++] = count[k];
    }
  ck_assert_int_eq(kinds, 24);
  judge("orders of 4", excess(kept, 24, DRAWS / 24.0));
  weft_rng_release(&rng);
}
END_TEST

START_TEST(networks_are_random)
{
  /* over many permutations of 1500: positions of a number, positions of two neighbours, fixed points, descents */
  enum { SIZE = 1500, DRAWS = 400, CELLS = 15 };
  static int where[CELLS * CELLS], pair[CELLS * CELLS];
  static int64_t p[SIZE];
  double fixed = 0, descents = 0;
  weft_rng *rng = make(24, WEFT_PHILOX4X32);
  for (int k = 0; k < DRAWS; k++) {
    ok(weft_permutation(WEFT_HOST_OUT(p, WEFT_I64, WEFT_SHAPE(SIZE)), rng, SIZE));
    for (int i = 0; i < SIZE; i++) {
      where[i / 100 * CELLS + p[i] / 100]++;
      fixed += p[i] == i;
      if (i + 1 < SIZE) pair[p[i] / 100 * CELLS + p[i + 1] / 100]++;
      if (i + 1 < SIZE) descents += p[i] > p[i + 1];
    }
  }
  judge("cells that numbers of a cell go to", excess(where, CELLS * CELLS, DRAWS * (double)SIZE / (CELLS * CELLS)));
  judge("cells that neighbours go to", excess(pair, CELLS * CELLS, DRAWS * (SIZE - 1.0) / (CELLS * CELLS)));
  judge("fixed points", (fixed - DRAWS) / sqrt(DRAWS));
  judge("descents", (descents - DRAWS * (SIZE - 1) / 2.0) / sqrt(DRAWS * (SIZE + 1) / 12.0));
  weft_rng_release(&rng);
}
END_TEST

START_TEST(shuffles)
{
  /* rows of many sizes and dtypes, views, in place, host memory: the rows follow the permutation of the same state */
  static const weft_dtype dtypes[] = {WEFT_U8, WEFT_I16, WEFT_F32, WEFT_I64, WEFT_C64};
  static const int64_t widths[] = {1, 2, 3, 5, 8, 16};
  static unsigned char from[1100 * 16 * 8], to[1100 * 16 * 8];
  static int64_t order[1100];
  harness_random random = harness_random_start(5);
  for (int k = 0; k < 60; k++) {
    const weft_dtype dtype = dtypes[harness_between(&random, 0, 4)];
    const int64_t rows = harness_between(&random, 0, 9) ? harness_between(&random, 0, 60) : 1100,
                  width = widths[harness_between(&random, 0, 5)];
    const size_t row = (size_t)width * weft_dtype_size_bytes(dtype), size = (size_t)rows * row;
    const int way = (int)harness_between(&random, 0, 3);
    weft_rng *rng = make((uint64_t)k, (weft_generator)(k % 2)), *same = make((uint64_t)k, (weft_generator)(k % 2));
    weft_array *x = NULL, *y = NULL, *whole = NULL;
    for (size_t i = 0; i < size; i++) from[i] = (unsigned char)harness_bits(&random);
    const weft_shape shape = width == 1 && k % 3 ? WEFT_SHAPE(rows) : WEFT_SHAPE(rows, width);
    ok(weft_from_host(&x, ctx, dtype, shape, from));
    if (way == 0) {
      ok(weft_shuffle(&y, rng, x));
    } else if (way == 1) { /* in place */
      ok(weft_shuffle(&x, rng, x));
      y = weft_array_retain(x);
    } else if (way == 2) { /* into a view with an odd offset */
      ok(weft_zeros(&whole, ctx, dtype, WEFT_SHAPE(rows * width + 1)));
      weft_array *part = NULL;
      ok(weft_slice(&part, whole, 0, 1, WEFT_END));
      ok(weft_reshape(&y, part, shape));
      weft_array_release(&part);
      ok(weft_shuffle(&y, rng, x));
    } else {
      ok(weft_shuffle(&y, rng, WEFT_HOST(from, dtype, shape)));
    }
    ok(weft_to_host(to, size, y));
    ok(weft_permutation(WEFT_HOST_OUT(order, WEFT_I64, WEFT_SHAPE(rows)), same, rows));
    for (int64_t i = 0; i < rows; i++) ck_assert(memcmp(to + (size_t)i * row, from + (size_t)order[i] * row, row) == 0);
    weft_rng_state a, b;
    ok(weft_rng_get_state(&a, rng));
    ok(weft_rng_get_state(&b, same));
    ck_assert_mem_eq(&a, &b, sizeof a);
    weft_array_release(&whole);
    weft_array_release(&y);
    weft_array_release(&x);
    weft_rng_release(&same);
    weft_rng_release(&rng);
    harness_count((long)rows);
  }
}
END_TEST

START_TEST(choices)
{
  /* as the integers and the permutation of the same state */
  static int64_t x[3000], index[3000], got[3000];
  for (int i = 0; i < 3000; i++) x[i] = 7 * i - 100;
  static const struct {
    int64_t rows, count;
    bool unique;
  } cases[] = {{3000, 500, false}, {10, 3000, false}, {1, 5, false}, {3000, 3000, true}, {3000, 17, true},
               {200, 50, true},    {200, 200, true},  {5, 0, true},  {0, 0, false}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const int64_t rows = cases[k].rows, count = cases[k].count;
    weft_rng *rng = make(k, WEFT_PHILOX4X32), *same = make(k, WEFT_PHILOX4X32);
    weft_array *from = NULL, *y = NULL;
    ok(weft_from_host(&from, ctx, WEFT_I64, WEFT_SHAPE(rows), x));
    ok(weft_choice(&y, rng, from, count, .unique = cases[k].unique));
    ck_assert_int_eq(weft_array_size(y), count);
    ok(weft_to_host(got, (size_t)count * 8, y));
    if (cases[k].unique)
      ok(weft_permutation(WEFT_HOST_OUT(index, WEFT_I64, WEFT_SHAPE(rows)), same, rows));
    else if (count > 0)
      ok(weft_integers(WEFT_HOST_OUT(index, WEFT_I64, WEFT_SHAPE(count)), same, WEFT_I64, WEFT_SHAPE(count), 0, rows));
    for (int64_t i = 0; i < count; i++) ck_assert_int_eq(got[i], x[index[i]]);
    weft_array_release(&y);
    weft_array_release(&from);
    weft_rng_release(&same);
    weft_rng_release(&rng);
    harness_count((long)count);
  }
}
END_TEST

START_TEST(weighted_choices)
{
  /* one to three levels of sums; zeros, negative weights and NaN are never chosen; weights of any real dtype */
  static const int64_t sizes[] = {1, 5, 256, 257, 3000, 70000};
  enum { COUNT = 60000 };
  static float weight[70000];
  static int32_t got[COUNT];
  static int count[70000];
  harness_random random = harness_random_start(0);
  if (!harness_has_dtype(WEFT_F64)) return;
  random.state = 12345; /* fixed, like the seeds of all statistical tests */
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    const int64_t n = sizes[k];
    double total = 0, chi_square = 0;
    int freedom = -1;
    char text[60];
    weft_rng *rng = make(k, (weft_generator)(k % 2));
    weft_array *rows = NULL, *weights = NULL, *y = NULL;
    for (int64_t i = 0; i < n; i++) {
      weight[i] = (float)harness_between(&random, 0, 20) * 0.25f;
      if (n > 4 && i % 5 == 1) weight[i] = i % 2 ? -3.0f : NAN;
      if (n == 1) weight[i] = 1;
      if (weight[i] > 0) total += (double)weight[i];
    }
    ok(weft_arange(&rows, ctx, WEFT_I32, 0, n, 1));
    ok(weft_from_host(&weights, ctx, WEFT_F32, WEFT_SHAPE(n), weight));
    ok(weft_choice(&y, rng, rows, COUNT, .weights = weights));
    ok(weft_to_host(got, sizeof got, y));
    memset(count, 0, sizeof count);
    for (int i = 0; i < COUNT; i++) {
      ck_assert(got[i] >= 0 && got[i] < n && weight[got[i]] > 0);
      count[got[i]]++;
    }
    double expected = 0, here = 0;
    for (int64_t i = 0; i < n; i++) { /* cells with an expected count of 20 or more */
      if (weight[i] > 0) expected += (double)weight[i] / total * COUNT;
      here += count[i];
      if (expected < 20) continue;
      chi_square += (here - expected) * (here - expected) / expected;
      expected = here = 0;
      freedom++;
    }
    snprintf(text, sizeof text, "choices by %" PRId64 " weights", n);
    if (freedom > 0) judge(text, (chi_square - freedom) / sqrt(2.0 * freedom));
    weft_array_release(&y);
    weft_array_release(&weights);
    weft_array_release(&rows);
    weft_rng_release(&rng);
    harness_count(COUNT);
  }
}
END_TEST

START_TEST(weighted_and_unique)
{
  /* two of four by weights 1 2 3 0: the frequencies of the first, and of pairs; then all four, those without weight
     last */
  enum { DRAWS = 1500 };
  static const float weight[4] = {1, 2, 3, 0};
  int count[16] = {0};
  double chi_square = 0;
  weft_array *rows = NULL, *weights = NULL;
  if (!harness_has_dtype(WEFT_F64)) return;
  weft_rng *rng = make(34, WEFT_PHILOX4X32);
  ok(weft_arange(&rows, ctx, WEFT_I32, 0, 4, 1));
  ok(weft_from_host(&weights, ctx, WEFT_F32, WEFT_SHAPE(4), weight));
  for (int k = 0; k < DRAWS; k++) {
    int32_t two[2];
    ok(weft_choice(WEFT_HOST_OUT(two, WEFT_I32, WEFT_SHAPE(2)), rng, rows, 2, .unique = true, .weights = weights));
    count[two[0] * 4 + two[1]]++;
  }
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 4; b++) {
      if (a == b || weight[a] == 0 || weight[b] == 0) {
        ck_assert_int_eq(count[a * 4 + b], 0);
        continue;
      }
      const double first = (double)weight[a] / 6,
                   expected = DRAWS * first * (double)weight[b] / (6 - (double)weight[a]);
      chi_square += (count[a * 4 + b] - expected) * (count[a * 4 + b] - expected) / expected;
    }
  judge("pairs by weight", (chi_square - 5) / sqrt(10));
  int32_t all[4];
  ok(weft_choice(WEFT_HOST_OUT(all, WEFT_I32, WEFT_SHAPE(4)), rng, rows, 4, .unique = true, .weights = weights));
  ck_assert_int_eq(all[3], 3);
  weft_array_release(&weights);
  weft_array_release(&rows);
  weft_rng_release(&rng);
  harness_count(DRAWS);
}
END_TEST

static void add(Suite *suite) {
  TCase *c = harness_context_case(suite, "orders");
  tcase_add_test(c, permutations);
  tcase_add_test(c, parts_of_orders);
  tcase_add_test(c, every_order_is_as_likely);
  tcase_add_test(c, networks_are_random);
  tcase_add_test(c, shuffles);
  c = harness_context_case(suite, "choices");
  tcase_add_test(c, choices);
  tcase_add_test(c, weighted_choices);
  tcase_add_test(c, weighted_and_unique);
}

int main(void) {
  static const harness_suite suite = {.name = "permutation", .add = add};
  return harness_main(&suite);
}
