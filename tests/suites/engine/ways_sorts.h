// SPDX-License-Identifier: MIT
// For test_ways.c: sorts, elements of ranks, and searches.
#ifndef WAYS_SORTS_H
#define WAYS_SORTS_H

#include "ways_data.h"

/* ---- sorts ---- */

/// Rows with few different elements, NaN and zeros of both signs, along the last axis.
typedef struct sorting {
  weft_dtype dtype;
  int rows, length;
  bool descending;
} sorting;

static const sorting sorts[] = {
    {WEFT_F32, 1, 1, false},    {WEFT_F32, 50, 20, false},   {WEFT_F32, 3, 300, true},    {WEFT_F32, 2, 5000, false},
    {WEFT_F32, 1, 70000, true}, {WEFT_F64, 4, 900, false},   {WEFT_F64, 1, 30000, false}, {WEFT_I8, 5, 1000, false},
    {WEFT_U16, 2, 20000, true}, {WEFT_F16, 1, 40000, false}, {WEFT_I64, 3, 6000, true},   {WEFT_C64, 2, 4000, false},
    {WEFT_F16, 37, 100, true},  {WEFT_BOOL, 9, 700, false},  {WEFT_F64, 5, 70, true},     {WEFT_C128, 3, 200, false},
    {WEFT_C128, 1, 9000, true}, {WEFT_I32, 21, 1000, true},  {WEFT_BF16, 3, 3000, false}, {WEFT_C64, 1, 50000, true},
    {WEFT_F32, 3, 9000, false}, {WEFT_U32, 1, 135000, true}, {WEFT_F32, 19, 257, false},  {WEFT_I64, 19, 256, true},
};

static void sort_all(weft_array **y, int number) {
  const sorting *s = &sorts[number];
  const int64_t size = (int64_t)s->rows * s->length;
  if (!harness_has_dtype(s->dtype)) return;
  float *data = malloc((size_t)size * sizeof *data);
  weft_array *wide = NULL, *x = NULL, *keys = NULL, *values = NULL;
  const bool has_nan = weft_dtype_kind(s->dtype) != 'i' && weft_dtype_kind(s->dtype) != 'u';
  for (int64_t i = 0; i < size; i++) {
    const int64_t random = (i * 7919 + i * i % 104729) % 1009;
    data[i] = random == 7 && has_nan ? NAN : random == 11 ? -0.0f : (float)(random % 100);
  }
  ok(weft_from_host(&wide, ctx, WEFT_F32, WEFT_SHAPE(s->rows, s->length), data));
  make_elements(&x, wide, s->dtype);
  ok(weft_sort(&y[0], x, -1, .descending = s->descending));
  ok(weft_argsort(&y[1], x, -1, .descending = s->descending));
  ok(weft_ravel(&keys, x));
  ok(weft_arange(&values, ctx, WEFT_I32, 0, (double)size, 1));
  ok(weft_sort_by_key(&y[2], &y[3], keys, values, .descending = s->descending));
  free(data);
  weft_release(&wide, &x, &keys, &values);
}

/* ---- keys that are evenly distributed, or nearly so ---- */

/// GPUs sort these, of 4 bytes, in another way, which the device chooses by a sample and by the sizes of all parts
/// (op/sort/uniform.c).
enum {
  EVEN,
  IN_RANGE,  /* evenly distributed between two bounds */
  RISING,    /* evenly distributed, in order */
  FALLING,   /* in reverse order */
  CLUSTERS,  /* 2^16 values; all bits differ */
  MULTIPLES, /* of 4096 */
  EQUAL,
  FEW,     /* 1000 values */
  SKEWED,  /* most are small */
  CLUMP,   /* many are equal, none of them in the sample */
  PILE,    /* many are equal, few enough for one part */
  OUTSIDE, /* as IN_RANGE, but one that is not in the sample is 0, another one 2^32 - 1 */
  DISTRIBUTIONS
};

static const struct {
  int distribution;
  int64_t length; /* on CPUs */
} distributed[] = {{EVEN, 20011},     {IN_RANGE, 20011},  {RISING, 20011}, {FALLING, 20011},
                   {CLUSTERS, 20011}, {MULTIPLES, 20011}, {EQUAL, 20011},  {FEW, 20011},
                   {SKEWED, 20011},   {CLUMP, 20011},     {PILE, 20011},   {OUTSIDE, 20011},
                   {EVEN, 8193},      {IN_RANGE, 9000},   {EVEN, 16384},   {IN_RANGE, 70001}};

/// Whether the sample of cl/sort/gpu_uniform.cl, one of each step, has element i.
static bool is_sampled(int64_t i, int64_t n, bool is_cpu) {
  const int64_t samples = is_cpu ? 4096 : 16384, step = n / samples, s = i / step;
  return s < samples && i % step == (int64_t)((uint32_t)s * 2654435761u % (uint32_t)step);
}

static void distribute(uint32_t *x, int64_t n, int distribution, bool is_cpu) {
  harness_random random = harness_random_start(1 + (uint64_t)distribution);
  for (int64_t i = 0; i < n; i++) {
    const uint32_t any = (uint32_t)harness_bits(&random), low = 1000000000, range = 400000000;
    const uint32_t rising = (uint32_t)(((double)i + 0.5) / (double)n * 4294967296.0);
    const uint32_t value[DISTRIBUTIONS] = {any,
                                           low + (uint32_t)((uint64_t)any * range >> 32),
                                           rising,
                                           ~rising,
                                           (any & 0xffff0000u) | (any >> 16 & 0xfff),
                                           any & 0xfffff000u,
                                           7,
                                           any % 1000,
                                           any >> (any & 15),
                                           any,
                                           any,
                                           low + (uint32_t)((uint64_t)any * range >> 32)};
    x[i] = value[distribution];
    if (distribution == CLUMP && i % 4 == 1 && !is_sampled(i, n, is_cpu)) x[i] = 3000000000u;
  }
  for (int64_t i = n / 3, k = 0; distribution == PILE && k < (is_cpu ? 100 : 1000); i += 3)
    if (!is_sampled(i, n, is_cpu)) x[i] = 3000000000u + (uint32_t)(k++ % 3);
  for (int64_t i = n / 2, k = 0; distribution == OUTSIDE && k < 2; i++)
    if (!is_sampled(i, n, is_cpu)) x[i] = k++ ? UINT32_MAX : 0;
}

static void sort_distributed(weft_array **y, int number) {
  const bool is_cpu = device.type == WEFT_DEVICE_TYPE_CPU, falls = number % 3 == 0;
  const int64_t shorter = distributed[number].length, n = is_cpu ? shorter : (INT64_C(1) << 25) + shorter;
  uint32_t *x = malloc((size_t)n * sizeof *x);
  weft_array *keys = NULL, *values = NULL;
  distribute(x, n, distributed[number].distribution, is_cpu);
  ok(weft_from_host(&keys, ctx, number % 2 ? WEFT_I32 : WEFT_U32, WEFT_SHAPE(n), x));
  free(x);
  ok(weft_arange(&values, ctx, WEFT_U32, 0, (double)n, 1));
  ok(weft_sort(&y[0], keys, 0, .descending = falls));
  ok(weft_argsort(&y[1], keys, 0, .descending = falls));
  ok(weft_sort_by_key(&y[2], &y[3], keys, values, .descending = falls));
  ok(weft_copy(&y[4], keys)); /* sorted in place */
  ok(weft_sort(&y[4], y[4], 0, .descending = falls));
  y[5] = values;
  ok(weft_sort_by_key(&keys, &y[5], keys, values, .descending = falls));
  weft_array_release(&keys);
}

/* ---- elements of ranks ---- */

/// The rows of `number`, all of whose elements but NaN have one representation: ways divide zeros differently. They
/// have few different elements, many, or runs. NULL: of no real dtype, or the device has not got it.
static weft_array *make_rows(int number) {
  const sorting *s = &sorts[number];
  const char kind = weft_dtype_kind(s->dtype);
  const int64_t size = (int64_t)s->rows * s->length;
  if (!harness_has_dtype(s->dtype) || kind == 'c') return NULL;
  float *data = malloc((size_t)size * sizeof *data);
  weft_array *wide = NULL, *x = NULL;
  for (int64_t i = 0; i < size; i++) {
    const int64_t random = (i * 7919 + i * i % 104729) % 1009;
    const int64_t element = number % 3 == 0 ? random % 100 : number % 3 == 1 ? i * 7919 % 65521 : i / 50 % 90;
    data[i] = random == 7 && kind == 'f' ? NAN : (float)(element + 1);
  }
  ok(weft_from_host(&wide, ctx, WEFT_F32, WEFT_SHAPE(s->rows, s->length), data));
  make_elements(&x, wide, s->dtype);
  free(data);
  weft_array_release(&wide);
  return x;
}

/// The elements of ranks, and those on both sides of one, which ways leave in different orders.
static void divide_all(weft_array **y, int number) {
  weft_array *x = make_rows(number), *divided = NULL, *places = NULL, *below = NULL;
  if (!x) return;
  const int64_t n = sorts[number].length, middle = n / 2;
  ok(weft_partition_kth(&divided, x, WEFT_SHAPE(middle, n - 1 - n / 5), -1));
  ok(weft_slice(&y[0], divided, -1, middle, middle + 1));
  ok(weft_slice(&below, divided, -1, 0, middle));
  ok(weft_sort(&y[1], below, -1));
  ok(weft_argpartition(&places, x, middle, -1));
  weft_array_release(&divided);
  ok(weft_take_along_axis(&divided, x, places, -1));
  ok(weft_slice(&y[2], divided, -1, middle, middle + 1));
  ok(weft_sort(&y[3], divided, -1));
  weft_release(&x, &divided, &places, &below);
}

static void take_first(weft_array **y, int number) {
  weft_array *x = make_rows(number);
  if (!x) return;
  const int64_t few = sorts[number].length / 10 + 1;
  ok(weft_topk(&y[0], &y[1], x, few, -1));
  ok(weft_topk(&y[2], &y[3], x, few < 5 ? few : 5, -1, .smallest = true));
  weft_array_release(&x);
}

static void find_quantiles(weft_array **y, int number) {
  static const double many[] = {0, 0.1, 0.2, 0.3, 0.45, 0.5, 0.7, 0.77, 0.8, 0.9, 0.91, 0.98, 0.99, 1};
  weft_array *x = make_rows(number);
  if (!x) return;
  if (harness_has_dtype(WEFT_F64) || weft_dtype_kind(sorts[number].dtype) == 'f') {
    ok(weft_median(&y[0], x, -1));
    ok(weft_nanquantile(&y[1], x, 0.3, -1, .method = WEFT_QUANTILE_HAZEN));
    ok(weft_quantile(&y[2], x, WEFT_HOST(many, WEFT_F64, WEFT_SHAPE(14)), -1));
  }
  ok(weft_quantile(&y[3], x, 0.9, -1, .method = WEFT_QUANTILE_LOWER));
  ok(weft_nanquantile(&y[4], x, 0.31, -1, .method = WEFT_QUANTILE_HIGHER));
  weft_array_release(&x);
}

static void find_unique(weft_array **y, int number) {
  weft_array *x = make_rows(number);
  if (!x) return;
  ok(weft_unique(&y[0], x, .index = &y[1], .inverse = &y[2], .counts = &y[3]));
  ok(weft_unique(&y[4], x, .distinct_nan = true));
  ok(weft_unique(NULL, x, .counts = &y[5]));
  weft_array_release(&x);
}

/// Values of `number` in the sorted elements, NaN and zeros among them, and whether they are there.
static weft_array *make_sorted(weft_array **values, int number) {
  const sorting *s = &sorts[number];
  const int64_t size = (int64_t)s->rows * s->length;
  const char kind = weft_dtype_kind(s->dtype);
  weft_array *wide = NULL, *flat = NULL, *turned = NULL, *sorted = NULL;
  if (!harness_has_dtype(s->dtype)) return NULL;
  float *data = malloc((size_t)size * sizeof *data);
  for (int64_t i = 0; i < size; i++) {
    const int64_t random = (i * 7919 + i * i % 104729) % 1009;
    data[i] = random == 7 && (kind == 'f' || kind == 'c') ? NAN : random == 11 ? -0.0f : (float)(random % 120);
  }
  ok(weft_from_host(&wide, ctx, WEFT_F32, WEFT_SHAPE(size), data));
  make_elements(&flat, wide, s->dtype);
  if (kind == 'c') { /* imaginary parts, also NaN */
    ok(weft_flip(&turned, wide, 0));
    ok(weft_eval(&flat, ctx, "x + 1j * y", WEFT_NAMED("x", flat), WEFT_NAMED("y", turned)));
  }
  ok(weft_sort(&sorted, flat, 0));
  weft_array_release(values);
  *values = flat;
  free(data);
  weft_release(&wide, &turned);
  return sorted;
}

static void search_all(weft_array **y, int number) {
  weft_array *values = NULL, *sorted = make_sorted(&values, number), *part = NULL;
  if (!sorted) return;
  const int64_t n = weft_array_size(sorted);
  ok(weft_slice(&part, sorted, 0, 0, n, .step = 3));
  ok(weft_searchsorted(&y[0], part, values));
  ok(weft_searchsorted(&y[1], part, values, .side = WEFT_RIGHT));
  ok(weft_searchsorted(&y[2], part, sorted));
  ok(weft_isin(&y[3], values, part));
  ok(weft_isin(&y[4], sorted, part, .invert = true));
  ok(weft_merge(&y[5], sorted, part));
  ok(weft_merge(&y[6], part, sorted));
  ok(weft_is_sorted(&y[7], sorted));
  ok(weft_is_sorted(&y[8], sorted, .strict = true));
  ok(weft_is_sorted(&y[9], values, .descending = true));
  ok(weft_setxor1d(&y[10], values, part));
  weft_release(&values, &sorted, &part);
}

#endif
