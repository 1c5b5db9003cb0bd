// SPDX-License-Identifier: MIT
/// Quantiles (weft/statistics.h) and partitions by rank (weft/sort.h) along many rows, which are not sorted, against a
/// stable sort in plain C, bit by bit: the same zeros and the same NaNs.
#include <stdio.h>

#include "sorts.h"

enum { LENGTHS = 4, ALONE = LENGTHS, QUANTILES = 2 }; /* ALONE: one long row; more quantiles are sorted on CPUs */
static const double some_quantiles[][QUANTILES] = {{0, 0.31}, {0.5, 1}};
static const weft_dtype dtypes[] = {WEFT_F32, WEFT_F64, WEFT_F16, WEFT_BF16, WEFT_I64, WEFT_U32, WEFT_I16, WEFT_U8};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/// Rows of every kind that cl/sort/nth_rows.clh distinguishes on GPUs: several in a block, one in a block, and longer
/// than the room.
static int64_t length_of(weft_dtype dtype, int kind, harness_random *random) {
  const int64_t room = (32 << 10) / (int64_t)weft_dtype_size_bytes(dtype);
  const int64_t least[] = {33, 257, 1025, room + 1, 1 << 17}, most[] = {256, 1024, 3000, room + 4000, 135000};
  if (harness_bits(random) % 4 == 0) return harness_bits(random) % 2 ? most[kind] : least[kind];
  return least[kind] + (int64_t)(harness_bits(random) % (uint64_t)(most[kind] - least[kind] + 1));
}

typedef struct rows {
  weft_dtype dtype;
  int64_t count, length;
  size_t size;
  unsigned char *elements, *sorted;
  int64_t *numbers; /* of each row's elements: how many are not NaN */
  weft_array *array;
} rows;

static bool is_nan(weft_dtype dtype, const void *x) {
  static const unsigned char zeros[8];
  if (dtype == WEFT_F64) return *(const double *)x != *(const double *)x;
  if (dtype == WEFT_F32) return *(const float *)x != *(const float *)x;
  if (dtype != WEFT_F16 && dtype != WEFT_BF16) return false;
  const uint16_t infinity = dtype == WEFT_F16 ? 0x7c00 : 0x7f80, bits = *(const uint16_t *)x & 0x7fff;
  return bits > infinity && memcmp(x, zeros, 2) != 0;
}

static rows make_rows(weft_dtype dtype, int kind, sorts_fill fill, harness_random *random) {
  rows r = {.dtype = dtype, .size = weft_dtype_size_bytes(dtype)};
  r.count = kind == ALONE ? 1 : kind == LENGTHS - 1 ? 3 : 19;
  r.length = length_of(dtype, kind, random);
  const int64_t n = r.count * r.length;
  int64_t *order = malloc((size_t)r.length * sizeof *order);
  r.elements = malloc((size_t)n * r.size);
  r.sorted = malloc((size_t)n * r.size);
  r.numbers = calloc((size_t)r.count, sizeof *r.numbers);
  sorts_elements(random, dtype, r.elements, n, fill);
  for (int64_t row = 0; row < r.count; row++) {
    const unsigned char *from = r.elements + (size_t)(row * r.length) * r.size;
    sorts_order(order, dtype, from, r.length, 1, false);
    for (int64_t i = 0; i < r.length; i++) {
      memcpy(r.sorted + (size_t)(row * r.length + i) * r.size, from + (size_t)order[i] * r.size, r.size);
      r.numbers[row] += !is_nan(dtype, from + (size_t)i * r.size);
    }
  }
  ok(weft_from_host(&r.array, ctx, dtype, WEFT_SHAPE(r.count, r.length), r.elements));
  free(order);
  return r;
}

static void free_rows(rows *r) {
  weft_array_release(&r->array);
  free(r->elements);
  free(r->sorted);
  free(r->numbers);
}

static const unsigned char *element(const rows *r, int64_t row, int64_t rank) {
  return r->sorted + (size_t)(row * r->length + rank) * r->size;
}

/// The place of a quantile in a row, by the method `linear`.
static double place_of(const rows *r, int64_t row, double q, bool ignores_nans) {
  if (!ignores_nans) return r->numbers[row] < r->length ? (double)(r->length - 1) : (double)(r->length - 1) * q;
  return r->numbers[row] ? (double)(r->numbers[row] - 1) * q : 0;
}

/* ---- quantiles ---- */

/// Compares quantiles that are elements.
static void check_quantiles(const rows *r, bool higher, bool ignores_nans) {
  const double *quantiles = some_quantiles[ignores_nans == higher];
  unsigned char *got = malloc((size_t)(QUANTILES * r->count) * r->size);
  weft_array *q = NULL, *y = NULL;
  const weft_quantile_method method = higher ? WEFT_QUANTILE_HIGHER : WEFT_QUANTILE_LOWER;
  ok(weft_from_host(&q, ctx, WEFT_F64, WEFT_SHAPE(QUANTILES), quantiles));
  ok(ignores_nans ? weft_nanquantile(&y, r->array, q, 1, .method = method)
                  : weft_quantile(&y, r->array, q, 1, .method = method));
  ok(weft_to_host(got, (size_t)(QUANTILES * r->count) * r->size, y));
  for (int64_t k = 0; k < QUANTILES; k++)
    for (int64_t row = 0; row < r->count; row++) {
      const double place = place_of(r, row, quantiles[k], ignores_nans);
      const unsigned char *wanted = element(r, row, (int64_t)(higher ? ceil(place) : floor(place)));
      const unsigned char *is = got + (size_t)(k * r->count + row) * r->size;
      /* of a row alone zeros are +0 and NaNs one NaN */
      ck_assert_msg(r->count == 1 ? sorts_compare(r->dtype, is, wanted) == 0 : !memcmp(is, wanted, r->size),
                    "%s, rows of %" PRId64 ": quantile %g of row %" PRId64 "%s is not element %g",
                    weft_dtype_name(r->dtype), r->length, quantiles[k], row, ignores_nans ? ", without NaNs," : "",
                    place);
    }
  weft_release(&q, &y);
  free(got);
}

START_TEST(elements_of_rows)
{
  harness_random random = harness_random_start((uint64_t)_i);
  const weft_dtype dtype = dtypes[_i % DTYPES];
  if (!harness_has_dtype(WEFT_F64)) return; /* the quantiles are in f64 */
  for (int fill = 0; fill < SORTS_FILLS; fill++) {
    rows r = make_rows(dtype, _i / DTYPES, (sorts_fill)fill, &random);
    check_quantiles(&r, fill % 2, false);
    check_quantiles(&r, fill % 2, true);
    harness_count(2);
    free_rows(&r);
  }
}
END_TEST

/// The median of a row as weft_median computes it, from the reference's elements.
static double median_of(const rows *r, int64_t row, bool ignores_nans) {
  const double place = place_of(r, row, 0.5, ignores_nans);
  const unsigned char *a = element(r, row, (int64_t)floor(place)), *b = element(r, row, (int64_t)ceil(place));
  const double low = r->dtype == WEFT_F32 ? (double)*(const float *)a : *(const double *)a;
  const double high = r->dtype == WEFT_F32 ? (double)*(const float *)b : *(const double *)b;
  if (place == (double)(r->length - 1) || low == high) return low;
  const double half = place == floor(place) ? low : low / 2 + high / 2;
  return r->dtype == WEFT_F32 ? (double)(float)half : half;
}

START_TEST(medians_of_rows)
{
  harness_random random = harness_random_start((uint64_t)_i);
  if (!harness_has_dtype(WEFT_F64)) return;
  for (int fill = 0; fill < SORTS_FILLS; fill++) {
    rows r = make_rows(_i % 2 ? WEFT_F64 : WEFT_F32, _i / 2, (sorts_fill)fill, &random);
    double *got = malloc((size_t)r.count * sizeof *got);
    for (int ignores_nans = 0; ignores_nans < 2; ignores_nans++) {
      weft_array *y = NULL, *wide = NULL;
      ok(ignores_nans ? weft_nanmedian(&y, r.array, 1) : weft_median(&y, r.array, 1));
      ok(weft_cast(&wide, y, WEFT_F64));
      ok(weft_to_host(got, (size_t)r.count * sizeof *got, wide));
      for (int64_t row = 0; row < r.count; row++) {
        const double wanted = median_of(&r, row, ignores_nans);
        ck_assert_msg(got[row] == wanted || (isnan(got[row]) && isnan(wanted)),
                      "rows of %" PRId64 ": the median of row %" PRId64 " is %.17g, not %.17g", r.length, row, got[row],
                      wanted);
        ck_assert(isnan(wanted) || signbit(got[row]) == signbit(wanted));
      }
      weft_release(&y, &wide);
    }
    harness_count(2);
    free(got);
    free_rows(&r);
  }
}
END_TEST

START_TEST(columns)
{
  enum { ROWS = 1201, COLUMNS = 5 };
  static float from[ROWS][COLUMNS];
  float got[COLUMNS];
  weft_array *x = NULL, *part = NULL;
  for (int i = 0; i < ROWS; i++)
    for (int c = 0; c < COLUMNS; c++) from[i][c] = (float)(i * 7 % ROWS + c);
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(ROWS, COLUMNS), from));
  ok(weft_median(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE(COLUMNS)), x, 0));
  for (int c = 0; c < COLUMNS; c++) ck_assert(got[c] == (float)(ROWS / 2 + c));
  ok(weft_slice(&part, x, 0, ROWS - 1, WEFT_END, .step = -1));
  ok(weft_quantile(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE(COLUMNS)), part, 1, 0)); /* backwards */
  for (int c = 0; c < COLUMNS; c++) ck_assert(got[c] == (float)(ROWS - 1 + c));
  weft_release(&x, &part);
}
END_TEST

/* ---- partitions ---- */

static int compare_ranks(const void *a, const void *b) {
  const int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;
  return (first > second) - (first < second);
}

/// Checks a row: the elements of the ranks are in place, and none between them belongs elsewhere; with `order`, that
/// the elements are x's at these positions.
static void check_parts(const rows *r, int64_t row, const unsigned char *got, int64_t *rank, int ranks) {
  for (int k = 0; k < ranks; k++)
    ck_assert_msg(!memcmp(got + (size_t)rank[k] * r->size, element(r, row, rank[k]), r->size),
                  "%s, rows of %" PRId64 ": element %" PRId64 " of row %" PRId64 " is another one",
                  weft_dtype_name(r->dtype), r->length, rank[k], row);
  for (int64_t i = 0; i < r->length; i++)
    for (int k = 0; k < ranks; k++) {
      const int order = sorts_compare(r->dtype, got + (size_t)i * r->size, element(r, row, rank[k]));
      ck_assert(i < rank[k] ? order <= 0 : order >= 0);
    }
}

START_TEST(partitions_of_rows)
{
  harness_random random = harness_random_start((uint64_t)_i);
  const weft_dtype some[] = {WEFT_F32, WEFT_I64, WEFT_U16};
  for (int fill = 0; fill < SORTS_FILLS; fill++) {
    rows r = make_rows(some[_i % 3], _i < 3 ? LENGTHS - 1 : ALONE, (sorts_fill)fill, &random);
    const int ranks = _i % 3 < 2 && fill % 2 ? 1 : 1 + fill % 3; /* one has a way of its own on CPUs */
    int64_t rank[3], *positions = malloc((size_t)(r.count * r.length) * sizeof *positions);
    unsigned char *got = malloc((size_t)(r.count * r.length) * r.size), *moved = malloc((size_t)r.length * r.size);
    weft_array *y = NULL, *order = NULL, *sorted = NULL;
    if (_i >= 3 && harness_has_dtype(WEFT_F64)) check_quantiles(&r, fill % 2, false);
    weft_shape kth = {.ndim = ranks};
    for (int k = 0; k < ranks; k++) kth.dim[k] = rank[k] = (int64_t)(harness_bits(&random) % (uint64_t)r.length);
    qsort(rank, (size_t)ranks, sizeof *rank, compare_ranks);
    ok(weft_partition_kth(&y, r.array, kth, 1));
    ok(weft_argpartition(&order, r.array, kth, 1));
    ok(weft_to_host(got, (size_t)(r.count * r.length) * r.size, y));
    ok(weft_to_host(positions, (size_t)(r.count * r.length) * sizeof *positions, order));
    for (int64_t row = 0; row < r.count; row++) {
      const unsigned char *to = got + (size_t)(row * r.length) * r.size;
      check_parts(&r, row, to, rank, ranks);
      for (int64_t i = 0; i < r.length; i++)
        memcpy(moved + (size_t)i * r.size,
               r.elements + (size_t)(row * r.length + positions[row * r.length + i]) * r.size, r.size);
      ck_assert(!memcmp(moved, to, (size_t)r.length * r.size)); /* so no element is lost if no position is */
    }
    ok(weft_sort(&sorted, order, 1));
    ok(weft_to_host(positions, (size_t)(r.count * r.length) * sizeof *positions, sorted));
    for (int64_t i = 0; i < r.count * r.length; i++) ck_assert(positions[i] == i % r.length);
    harness_count(1);
    weft_release(&y, &order, &sorted);
    free(positions);
    free(got);
    free(moved);
    free_rows(&r);
  }
}
END_TEST

/// The few greatest or least elements of rows, and their positions, as a stable sort has them.
START_TEST(firsts_of_rows)
{
  harness_random random = harness_random_start((uint64_t)_i);
  const weft_dtype some[] = {WEFT_F32, WEFT_I64, WEFT_F64};
  for (int fill = 0; fill < SORTS_FILLS; fill++) {
    const bool smallest = harness_bits(&random) % 2;
    rows r = make_rows(some[_i % 3], _i / 3 + 1, (sorts_fill)fill, &random);
    const int64_t most = fill % 2 ? 128 : r.length / (_i % 2 ? 8 : 64); /* up to 128 may be put in order one by one */
    const int64_t k = 1 + (int64_t)(harness_bits(&random) % (uint64_t)most);
    int64_t *positions = malloc((size_t)(r.count * k) * sizeof *positions), *order = malloc((size_t)r.length * 8);
    unsigned char *got = malloc((size_t)(r.count * k) * r.size);
    weft_array *y = NULL, *where = NULL;
    ok(weft_topk(&y, &where, r.array, k, 1, .smallest = smallest));
    ok(weft_to_host(got, (size_t)(r.count * k) * r.size, y));
    ok(weft_to_host(positions, (size_t)(r.count * k) * sizeof *positions, where));
    for (int64_t row = 0; row < r.count; row++) {
      const unsigned char *from = r.elements + (size_t)(row * r.length) * r.size;
      sorts_order(order, r.dtype, from, r.length, 1, !smallest);
      for (int64_t i = 0; i < k; i++) {
        ck_assert_msg(positions[row * k + i] == order[i],
                      "%s, rows of %" PRId64 ", fill %d: element %" PRId64 " of row %" PRId64 " is at %" PRId64
                      ", not %" PRId64,
                      weft_dtype_name(r.dtype), r.length, fill, i, row, positions[row * k + i], order[i]);
        ck_assert(!memcmp(got + (size_t)(row * k + i) * r.size, from + (size_t)order[i] * r.size, r.size));
      }
    }
    harness_count(1);
    weft_release(&y, &where);
    free(positions);
    free(order);
    free(got);
    free_rows(&r);
  }
}
END_TEST

/// A row of which a sample shows the greatest elements alone: the element of the rank is none of them. The sample has
/// runs of 8 at equal distances, as nth_take_sample has them (0), or single elements, as the calling thread's (1).
START_TEST(misled)
{
  enum { LENGTH = 70000, RUNS = 512, SINGLE = 1024, RANK = 30000 };
  float *from = malloc(LENGTH * sizeof *from), *got = malloc(LENGTH * sizeof *got);
  weft_array *x = NULL, *y = NULL;
  for (int i = 0; i < LENGTH; i++) from[i] = (float)((int64_t)i * 7919 % LENGTH);
  for (int64_t run = 0; run < RUNS && _i == 0; run++)
    for (int i = 0; i < 8; i++) from[run * (LENGTH - 8) / (RUNS - 1) + i] = 2.0f * LENGTH;
  for (int k = 0; k < SINGLE && _i == 1; k++) from[k * (LENGTH / SINGLE)] = 2.0f * LENGTH;
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(LENGTH), from));
  ok(weft_partition_kth(&y, x, RANK, 0));
  ok(weft_to_host(got, LENGTH * sizeof *got, y));
  for (int i = 0; i < LENGTH; i++)
    ck_assert(i < RANK ? got[i] < got[RANK] : got[i] > got[RANK] || i == RANK || got[i] == 2.0f * LENGTH);
  ok(weft_sort(&y, x, 0));
  ok(weft_to_host(from, LENGTH * sizeof *from, y));
  ck_assert(got[RANK] == from[RANK]);
  weft_release(&x, &y);
  free(from);
  free(got);
}
END_TEST

static void add(Suite *suite) {
  TCase *c = harness_context_case(suite, "nth_rows");
  tcase_add_loop_test(c, elements_of_rows, 0, DTYPES * LENGTHS);
  tcase_add_loop_test(c, medians_of_rows, 0, 2 * LENGTHS);
  tcase_add_loop_test(c, partitions_of_rows, 0, 6);
  tcase_add_loop_test(c, firsts_of_rows, 0, 3 * LENGTHS);
  tcase_add_test(c, columns);
  tcase_add_loop_test(c, misled, 0, 2);
}

int main(void) {
  const harness_suite suite = {.name = "nth_rows", .add = add};
  return harness_main(&suite);
}
