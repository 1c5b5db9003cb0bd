// SPDX-License-Identifier: MIT
/// Ways to compute an operation (engine/ways.h): every way of a table that fits gives the result of the last one, which
/// fits every task, in the loops for every processor; WEFT_WAY forces them. On a CPU also the ways of GPUs, in a
/// context of their own. The ways of linear algebra: op/test_linalg_steps.c.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/wide.h"
#include "engine/ways.h"
#include "harness.h"
#include "op/create/range.h"
#include "op/fft/fft.h"
#include "op/filter/filter.h"
#include "op/histogram/histogram.h"
#include "op/index/gather.h"
#include "op/matmul/matmul.h"
#include "op/normalize/normalize.h"
#include "op/rearrange/arrange.h"
#include "op/rearrange/bits.h"
#include "op/rearrange/join.h"
#include "op/rearrange/triangle.h"
#include "op/reduce/division.h"
#include "op/scan/scanning.h"
#include "op/search/unique.h"
#include "op/select/compact.h"
#include "op/sort/rows.h"
#include "op/sparse/sparse_product.h"
#include "op/statistics/quantile.h"
#include "op/statistics/rolling.h"
#include "ways_data.h"
#include "ways_filters.h"
#include "ways_moves.h"
#include "ways_sorts.h"

/* ---- products ---- */

/// A product: dtype, batch, sides.
typedef struct product {
  weft_dtype dtype;
  int batch, m, n, k;
} product;

static const product products[] = {
    {WEFT_F32, 1, 70, 50, 40},    {WEFT_F64, 1, 70, 50, 40},     {WEFT_C64, 1, 40, 36, 50},
    {WEFT_C128, 1, 33, 20, 30},   {WEFT_F16, 1, 64, 48, 32},     {WEFT_F32, 1, 90, 1, 70},
    {WEFT_F64, 3, 17, 5, 9},      {WEFT_F32, 300, 16, 16, 16},   {WEFT_F32, 1, 4, 3, 20000},
    {WEFT_F32, 1, 4, 5, 70001},   {WEFT_F64, 1, 8, 3, 300000},   {WEFT_I32, 1, 20, 30, 40},
    {WEFT_F64, 1, 1, 1, 5000},    {WEFT_C128, 1, 300, 300, 300}, {WEFT_F32, 1, 512, 512, 512},
    {WEFT_BF16, 2, 128, 128, 64}, {WEFT_F32, 1, 1500, 1500, 40},
};

static weft_array *operand(const product *p, bool is_b) {
  const weft_shape shape = is_b ? WEFT_SHAPE(p->batch, p->k, p->n) : WEFT_SHAPE(p->batch, p->m, p->k);
  const int64_t size = shape.dim[0] * shape.dim[1] * shape.dim[2];
  weft_array *wide = NULL, *x = NULL;
  int8_t *data = malloc((size_t)size);
  for (int64_t i = 0; i < size; i++) data[i] = (int8_t)((i * (is_b ? 7 : 5) + i / 11) % 9 - 4);
  ok(weft_from_host(&wide, ctx, WEFT_I8, shape, data));
  make_elements(&x, wide, p->dtype);
  free(data);
  weft_array_release(&wide);
  return x;
}

/// Of small integers: every order of a sum is exact. A CPU takes a minute for large ones by the kernels of GPUs.
static void multiply(weft_array **y, int number) {
  const product *p = &products[number];
  const bool is_slow = device.type == WEFT_DEVICE_TYPE_CPU && !ctx->store.is_cpu;
  if (!harness_has_dtype(p->dtype) || (is_slow && (int64_t)p->m * p->n * p->k > 10000000)) return;
  weft_array *a = operand(p, false), *b = operand(p, true);
  ok(weft_matmul(&y[0], a, b));
  weft_release(&a, &b);
}

/* ---- transforms ---- */

/// Along axis 1 of [batch, length, inner].
typedef struct transform {
  weft_dtype dtype; /* real: forward to the half of the values, and back */
  int batch, length, inner;
} transform;

static const transform transforms[] = {
    {WEFT_C64, 1, 8, 1},      {WEFT_C64, 3, 1000, 1},  {WEFT_C128, 2, 1024, 1}, {WEFT_C64, 1, 97, 1},
    {WEFT_C64, 2, 64, 40},    {WEFT_C128, 1, 60, 33},  {WEFT_F32, 5, 512, 1},   {WEFT_F64, 2, 90, 7},
    {WEFT_C64, 1000, 128, 1}, {WEFT_C64, 1, 16384, 1}, {WEFT_C64, 1, 4099, 1},
};

static void transform_all(weft_array **y, int number) {
  const transform *t = &transforms[number];
  const weft_shape shape = WEFT_SHAPE(t->batch, t->length, t->inner);
  const int64_t size = (int64_t)t->batch * t->length * t->inner;
  weft_array *wide = NULL, *x = NULL;
  if (!harness_has_dtype(t->dtype)) return;
  float *data = malloc((size_t)size * sizeof *data);
  for (int64_t i = 0; i < size; i++) data[i] = (float)((i * 7919 + i * i % 104729) % 1009) / 1009;
  ok(weft_from_host(&wide, ctx, WEFT_F32, shape, data));
  make_elements(&x, wide, t->dtype);
  if (weft_dtype_kind(t->dtype) == 'c') {
    ok(weft_fft(&y[0], x, 1));
    ok(weft_ifft(&y[1], x, 1));
  } else {
    ok(weft_rfft(&y[0], x, 1));
    ok(weft_irfft(&y[1], y[0], 1, .n = t->length));
  }
  free(data);
  weft_release(&wide, &x);
}

/* ---- reductions ---- */

enum { FEW_REDUCTIONS = 6, ALL_REDUCTIONS = 14 };

/// Of rows along an axis; 2: along both.
typedef struct reducing {
  weft_dtype dtype;
  int rows, length, axis;
} reducing;

static const reducing reductions[] = {
    {WEFT_F32, 1, 1000, 2},    {WEFT_F32, 1, 70001, 2},    {WEFT_F32, 3, 400000, 1}, {WEFT_F32, 900, 7, 1},
    {WEFT_F32, 700, 500, 1},   {WEFT_F32, 500, 700, 0},    {WEFT_F64, 400, 300, 0},  {WEFT_I32, 7000, 3, 0},
    {WEFT_F32, 1, 1500000, 2}, {WEFT_F64, 1, 5000, 2},     {WEFT_F64, 2, 300000, 2}, {WEFT_F64, 300, 200, 1},
    {WEFT_I32, 1, 333333, 2},  {WEFT_I32, 200, 90, 1},     {WEFT_I8, 1, 800001, 2},  {WEFT_U16, 1, 600000, 2},
    {WEFT_U64, 9, 50000, 1},   {WEFT_BOOL, 1, 2000000, 2}, {WEFT_F16, 30, 200, 1},   {WEFT_BF16, 200, 30, 0},
    {WEFT_C64, 5, 9000, 1},    {WEFT_C128, 90, 30, 0},
};

static void reduce_by_others(weft_array **y, const weft_array *x, weft_axes axes, char kind, bool has_rows) {
  ok(weft_max(&y[2], x, axes));
  ok(weft_argmin(&y[3], x, axes));
  ok(weft_argmax(&y[4], x, axes));
  ok(weft_any(&y[5], x, axes));
  ok(weft_all(&y[6], x, axes));
  ok(weft_count_nonzero(&y[7], x, axes));
  ok(weft_mean(&y[8], x, axes));
  ok(weft_norm(&y[9], x, axes));
  ok(weft_prod(&y[10], x, axes));
  if (kind != 'b') ok(weft_ptp(&y[11], x, axes));
  ok(weft_nanmax(&y[12], x, axes));
  ok(weft_nansum(&y[14], x, axes));
  ok(weft_nanargmax(&y[15], x, axes));
  if (weft_array_ndim(y[2]) == 0)
    ok(weft_reduce(&y[16], ctx, "x > 1", axes, WEFT_VAR(x), WEFT_REDUCTION(.op = WEFT_REDUCE_COUNT_NONZERO)));
  if (has_rows) ok(weft_std(&y[13], x, axes)); /* of columns in another order, which rounds */
}

/// Of small integers, so that every order of a sum is exact. PoCL takes a second for each kernel: narrow integers
/// are reduced by few, and GPUs' kernels reduce few.
static void reduce_all(weft_array **y, int number) {
  const reducing *r = &reductions[number];
  const int64_t size = (int64_t)r->rows * r->length;
  const char kind = weft_dtype_kind(r->dtype);
  const weft_axes axes = r->axis < 2 ? WEFT_AXES(r->axis) : WEFT_ALL_AXES;
  if (!harness_has_dtype(r->dtype) || (!ctx->store.is_cpu && number >= FEW_REDUCTIONS)) return;
  int8_t *data = malloc((size_t)size);
  weft_array *bytes = NULL, *x = NULL;
  for (int64_t i = 0; i < size; i++) data[i] = (int8_t)((i * 7 + i / 13) % 11 + (kind == 'u' ? 1 : -4));
  data[size / 3] = 0;
  ok(weft_from_host(&bytes, ctx, WEFT_I8, WEFT_SHAPE(r->rows, r->length), data));
  make_elements(&x, bytes, r->dtype);
  free(data);
  ok(weft_sum(&y[0], x, axes));
  ok(weft_min(&y[1], x, axes));
  if (ctx->store.is_cpu && number < ALL_REDUCTIONS) reduce_by_others(y, x, axes, kind, r->axis > 0);
  weft_release(&bytes, &x);
}

/* ---- scans ---- */

/// Along axis 1 of [outer, length, inner].
typedef struct scanning {
  weft_dtype dtype;
  int outer, length, inner;
  bool exclusive, reverse, has_flags;
} scanning;

static const scanning scans[] = {
    {WEFT_F32, 1, 1000, 1, false, false, false},  {WEFT_F32, 2, 70001, 1, true, true, false},
    {WEFT_F32, 1, 40000, 1, false, true, true},   {WEFT_F32, 3, 500, 40, true, false, false},
    {WEFT_I16, 1, 300000, 1, false, true, false}, {WEFT_F16, 50, 31, 1, true, false, false},
    {WEFT_C64, 1, 30000, 1, true, false, true},   {WEFT_F64, 1, 5000, 3, false, true, false},
    {WEFT_U8, 7, 9000, 1, false, false, true},    {WEFT_BF16, 2, 90, 200, true, true, false},
    {WEFT_U32, 2, 700, 9, false, false, true},    {WEFT_I64, 1, 100000, 1, true, false, false},
    {WEFT_C128, 1, 400, 300, true, true, false},  {WEFT_BOOL, 4, 3000, 2, false, true, false},
};

/// Of 0, 1 and -1, so that every order is exact in every dtype.
static void scan_all(weft_array **y, int number) {
  const scanning *s = &scans[number];
  const weft_shape shape = WEFT_SHAPE(s->outer, s->length, s->inner);
  const int64_t size = (int64_t)s->outer * s->length * s->inner;
  const char kind = weft_dtype_kind(s->dtype);
  const bool is_signed = kind != 'u' && kind != 'b';
  weft_array *bytes = NULL, *x = NULL, *flags = NULL;
  if (!harness_has_dtype(s->dtype)) return;
  int8_t *data = malloc((size_t)size);
  for (int64_t i = 0; i < size; i++) data[i] = i * 7919 % 101 == 5;
  ok(weft_from_host(&flags, ctx, WEFT_U8, shape, data));
  for (int64_t i = 0; i < size; i++) data[i] = (int8_t)(is_signed ? (i * 7 + i / 13) % 2 * 2 - 1 : i % 3 == 1);
  ok(weft_from_host(&bytes, ctx, WEFT_I8, shape, data));
  free(data);
  make_elements(&x, bytes, s->dtype);
  for (weft_scan_op op = WEFT_SCAN_SUM; op <= WEFT_SCAN_MIN; op++)
    if (op != WEFT_SCAN_PROD || kind != 'c') /* whose zeros have either sign */
      ok(weft_scan(&y[op], x, 1, .op = op, .exclusive = s->exclusive, .reverse = s->reverse,
                   .flags = s->has_flags ? flags : NULL));
  weft_release(&bytes, &x, &flags);
}

/* ---- counts ---- */

/// Small integers, also as weights, whose sums are exact.
typedef struct counted {
  weft_dtype dtype;
  int size, bins;
} counted;

static const counted counts[] = {
    {WEFT_F32, 10, 7},      {WEFT_F32, 70001, 100}, {WEFT_F64, 5000, 9000},  {WEFT_F16, 3000, 16},
    {WEFT_I8, 100000, 50},  {WEFT_U16, 777, 300},   {WEFT_I32, 90000, 2000}, {WEFT_I64, 40000, 5000},
    {WEFT_U8, 200000, 256}, {WEFT_BF16, 66000, 10}, {WEFT_I64, 300, 70000},
};

static void count_all(weft_array **y, int number) {
  const counted *c = &counts[number];
  weft_array *wide = NULL, *x = NULL, *weights = NULL, *edges = NULL;
  if (!harness_has_dtype(c->dtype) || !harness_has_dtype(WEFT_F64)) return;
  const bool is_narrow = weft_dtype_size_bytes(c->dtype) == 1, is_float = weft_dtype_kind(c->dtype) == 'f';
  int32_t *data = malloc((size_t)c->size * sizeof *data);
  for (int i = 0; i < c->size; i++) data[i] = (int32_t)(((int64_t)i * 7919 + i / 13) % (is_narrow ? 128 : 1000));
  ok(weft_from_host(&wide, ctx, WEFT_I32, WEFT_SHAPE(c->size), data));
  free(data);
  make_elements(&x, wide, c->dtype);
  make_elements(&weights, wide, number % 2 ? WEFT_F32 : WEFT_F64);
  ok(weft_linspace(&edges, ctx, is_float ? c->dtype : WEFT_F64, 3, 700, 12));
  ok(weft_histogram(&y[0], x, c->bins, .range = WEFT_RANGE(-20, 900)));
  ok(weft_histogram(&y[1], x, 10, .weights = weights));
  ok(weft_histogram(&y[2], x, edges));
  if (!is_float) ok(weft_bincount(&y[3], x, .minlength = c->bins));
  if (!is_float) ok(weft_bincount(&y[4], x, .minlength = c->bins, .weights = weights));
  weft_release(&wide, &x, &weights, &edges);
}

/* ---- selections ---- */

/// Of an array [size / 6, 2, 3].
typedef struct selected {
  weft_dtype dtype;
  int size;
} selected;

static const selected selections[] = {{WEFT_F32, 6},    {WEFT_F32, 90000}, {WEFT_I8, 300000},  {WEFT_F16, 5004},
                                      {WEFT_I64, 9000}, {WEFT_C64, 4800},  {WEFT_C128, 70002}, {WEFT_BOOL, 1200}};

static void select_all(weft_array **y, int number) {
  const selected *s = &selections[number];
  int32_t *data = malloc((size_t)s->size * sizeof *data);
  weft_array *wide = NULL, *x = NULL, *mask = NULL;
  if (harness_has_dtype(s->dtype)) {
    for (int i = 0; i < s->size; i++) data[i] = (i * 7 + i / 13) % 5 / 2;
    ok(weft_from_host(&wide, ctx, WEFT_I32, WEFT_SHAPE(s->size / 6, 2, 3), data));
    make_elements(&x, wide, s->dtype);
    ok(weft_equal(&mask, wide, 1));
    ok(weft_compress(&y[0], mask, x, WEFT_ALL_AXES));
    ok(weft_nonzero(&y[1], x));
    ok(weft_flatnonzero(&y[2], x));
    ok(weft_partition(&y[3], mask, x, .count = &y[4]));
    ok(weft_zeros(&y[5], ctx, s->dtype, WEFT_SHAPE(s->size)));
    ok(weft_compress(&y[5], mask, x, WEFT_ALL_AXES, .count = &y[6]));
    if (weft_dtype_kind(s->dtype) != 'c') ok(weft_select(&y[7], ctx, "x == 1", WEFT_NAMED("x", x)));
  }
  free(data);
  weft_release(&wide, &x, &mask);
}

/* ---- rows ---- */

static const struct {
  weft_dtype dtype;
  int rows, length;
} normalized[] = {{WEFT_F32, 700, 3}, {WEFT_F32, 5, 1000}, {WEFT_F64, 40, 130}, {WEFT_F32, 9, 33}, {WEFT_F32, 90, 1}};

static void normalize_all(weft_array **y, int number) {
  const int rows = normalized[number].rows, length = normalized[number].length;
  weft_array *wide = NULL, *x = NULL;
  int32_t *data = malloc((size_t)rows * (size_t)length * sizeof *data);
  if (harness_has_dtype(normalized[number].dtype)) {
    for (int i = 0; i < rows * length; i++) data[i] = (i * 7 + i / 13) % 9 - 4;
    ok(weft_from_host(&wide, ctx, WEFT_I32, WEFT_SHAPE(rows, length), data));
    make_elements(&x, wide, normalized[number].dtype);
    ok(weft_softmax(&y[0], x, 1));
    ok(weft_log_softmax(&y[1], x, 1));
    ok(weft_logsumexp(&y[2], x, 1));
    if (length > 1) ok(weft_standardize(&y[3], x, 1, .epsilon = 0.5));
  }
  free(data);
  weft_release(&wide, &x);
}

/* ---- sparse products ---- */

/// Of whole numbers, so that every order of a sum is exact. The matrix has a long row, over several tiles.
static const struct {
  weft_dtype dtype, out;
  int rows, columns, x; /* x: its columns; 0: a vector */
} sparse_products[] = {{WEFT_F32, WEFT_F32, 300, 200, 0}, {WEFT_F64, WEFT_F64, 3, 30000, 0},
                       {WEFT_F32, WEFT_F64, 40, 70, 20},  {WEFT_U8, WEFT_U8, 90, 50, 3},
                       {WEFT_F16, WEFT_F16, 20, 30, 17},  {WEFT_C64, WEFT_C64, 50, 400, 0},
                       {WEFT_BOOL, WEFT_BOOL, 30, 40, 2}, {WEFT_I64, WEFT_I64, 5, 9000, 16}};

static void multiply_sparse(weft_array **y, int number) {
  const weft_dtype dtype = sparse_products[number].dtype, to = sparse_products[number].out;
  const int rows = sparse_products[number].rows, columns = sparse_products[number].columns;
  const int n = sparse_products[number].x, width = n ? n : 1;
  int8_t *data = malloc((size_t)columns * (size_t)(rows > width ? rows : width));
  weft_array *wide = NULL, *dense = NULL, *factors = NULL, *x = NULL;
  weft_csr *matrix = NULL;
  if (harness_has_dtype(dtype) && harness_has_dtype(to)) {
    for (int i = 0; i < rows * columns; i++) data[i] = (int8_t)(i / columns == 1 || i % 5 == 0 ? i % 3 : 0);
    ok(weft_from_host(&wide, ctx, WEFT_I8, WEFT_SHAPE(rows, columns), data));
    for (int i = 0; i < columns * width; i++) data[i] = (int8_t)(i % 2);
    ok(weft_from_host(&factors, ctx, WEFT_I8, n ? WEFT_SHAPE(columns, n) : WEFT_SHAPE(columns), data));
    make_elements(&dense, wide, dtype);
    make_elements(&x, factors, dtype);
    ok(weft_csr_from_dense(&matrix, ctx, dense));
    ok(weft_csr_matmul(&y[0], matrix, x));
    if (dtype != WEFT_BOOL) {
      ok(weft_ones(&y[1], ctx, to, n ? WEFT_SHAPE(rows, n) : WEFT_SHAPE(rows)));
      ok(weft_csr_matmul(&y[1], matrix, x, .scale = WEFT_SCALAR(2), .accumulate = WEFT_SCALAR(3)));
    }
  }
  free(data);
  weft_csr_release(&matrix);
  weft_release(&wide, &dense, &factors, &x);
}

static void transpose_sparse(weft_array **y, int number) {
  const int rows = sparse_products[number].rows, columns = sparse_products[number].columns;
  int8_t *data = malloc((size_t)rows * (size_t)columns);
  weft_array *wide = NULL, *dense = NULL;
  weft_csr *matrix = NULL, *turned = NULL;
  if (harness_has_dtype(sparse_products[number].dtype)) {
    for (int i = 0; i < rows * columns; i++) data[i] = (int8_t)(i / columns == 1 || i % 5 == 0 ? i % 3 : 0);
    ok(weft_from_host(&wide, ctx, WEFT_I8, WEFT_SHAPE(rows, columns), data));
    make_elements(&dense, wide, sparse_products[number].dtype);
    ok(weft_csr_from_dense(&matrix, ctx, dense));
    ok(weft_csr_transpose(&turned, matrix));
    ok(weft_csr_parts(&y[0], &y[1], &y[2], turned));
  }
  free(data);
  weft_csr_release(&turned);
  weft_csr_release(&matrix);
  weft_release(&wide, &dense);
}

/* ---- all operations ---- */

static const struct {
  const weft__ways *ways;
  void (*call)(weft_array **results, int number);
  int cases;
  bool rounds; /* the ways round in their own ways */
} operations[] = {
    {&weft__arrange_ways, arrange_all, sizeof moves / sizeof *moves, false},
    {&weft__fft_ways, transform_all, sizeof transforms / sizeof *transforms, true},
    {&weft__at_ways, take_all, sizeof indexings / sizeof *indexings, false},
    {&weft__bits_ways, convert_bits, sizeof bits / sizeof *bits, false},
    {&weft__choose_ways, select_all, sizeof selections / sizeof *selections, false},
    {&weft__csr_matmul_ways, multiply_sparse, sizeof sparse_products / sizeof *sparse_products, false},
    {&weft__csr_transpose_ways, transpose_sparse, sizeof sparse_products / sizeof *sparse_products, false},
    {&weft__distance_ways, find_distances, sizeof grids / sizeof *grids, false},
    {&weft__extent_ways, count_all, sizeof counts / sizeof *counts, false},
    {&weft__footprint_ways, filter_shapes, sizeof filtered / sizeof *filtered, false},
    {&weft__histogram_ways, count_all, sizeof counts / sizeof *counts, false},
    {&weft__join_ways, join_all, sizeof moves / sizeof *moves, false},
    {&weft__label_ways, label_all, sizeof grids / sizeof *grids, false},
    {&weft__many_ways, take_many_all, sizeof indexings / sizeof *indexings, false},
    {&weft__matmul_ways, multiply, sizeof products / sizeof *products, false},
    {&weft__normalize_ways, normalize_all, sizeof normalized / sizeof *normalized, true},
    {&weft__numbers_ways, take_all, sizeof indexings / sizeof *indexings, false},
    {&weft__partition_ways, divide_all, sizeof sorts / sizeof *sorts, false},
    {&weft__pass_ways, filter_lines, sizeof filtered / sizeof *filtered, false},
    {&weft__passes_ways, filter_lines, sizeof filtered / sizeof *filtered, false},
    {&weft__quantile_ways, find_quantiles, sizeof sorts / sizeof *sorts, false},
    {&weft__range_ways, space_all, sizeof spaced / sizeof *spaced, false},
    {&weft__reduce_ways, reduce_all, sizeof reductions / sizeof *reductions, false},
    {&weft__repeat_ways, repeat_all, sizeof moves / sizeof *moves, false},
    {&weft__rolling_ways, roll_windows, sizeof filtered / sizeof *filtered, true},
    {&weft__scan_ways, scan_all, sizeof scans / sizeof *scans, false},
    {&weft__scatter_ways, scatter_all, sizeof indexings / sizeof *indexings, false},
    {&weft__select_ways, select_all, sizeof selections / sizeof *selections, false},
    {&weft__sort_ways, sort_all, sizeof sorts / sizeof *sorts, false},
    {&weft__sort_ways, sort_distributed, sizeof distributed / sizeof *distributed, false},
    {&weft__spline_ways, move_all, sizeof filtered / sizeof *filtered, true},
    {&weft__take_ways, take_all, sizeof indexings / sizeof *indexings, false},
    {&weft__topk_ways, take_first, sizeof sorts / sizeof *sorts, false},
    {&weft__transform_ways, move_everywhere, sizeof placed / sizeof *placed, false},
    {&weft__triangle_ways, write_all, sizeof triangles / sizeof *triangles, false},
    {&weft__indices_ways, write_all, sizeof triangles / sizeof *triangles, false},
    {&weft__unique_ways, find_unique, sizeof sorts / sizeof *sorts, false},
    {&weft__unique_flags_ways, search_all, sizeof sorts / sizeof *sorts, false},
    {&weft__search_ways, search_all, sizeof sorts / sizeof *sorts, false},
    {&weft__merge_ways, search_all, sizeof sorts / sizeof *sorts, false},
    {&weft__is_sorted_ways, search_all, sizeof sorts / sizeof *sorts, false},
};

static void set_ways(const char *text) {
  setenv("WEFT_WAY", text, 1);
  weft__ways_read();
}

static void force(const weft__ways *ways, int way) {
  char text[64];
  snprintf(text, sizeof text, "%s:%s", ways->operation, ways->way[way].name);
  set_ways(text);
}

/// Of a CPU: a context that takes the kernels of GPUs. NULL on PoCL 6, which cannot compile some (docs/drivers.md).
static weft_context *as_gpu;

static void open_contexts(void) {
  harness_context_open();
  if (!ctx->store.is_cpu || atoi(ctx->core.device->info.driver_version) == 6) return;
  weft__quirks *quirks = &ctx->core.device->quirks;
  quirks->gpu_kernels = true;
  ok(weft_context_create(&as_gpu, .device = device.selector));
  quirks->gpu_kernels = false;
}

static void close_contexts(void) {
  if (as_gpu) ok(weft_context_close(&as_gpu));
  harness_context_close();
}

static void exchange_contexts(void) {
  weft_context *other = as_gpu;
  as_gpu = ctx;
  ctx = other;
}

/// A result beside the one that is expected, which may be of another context.
static void expect(const weft_array *got, const weft_array *expected, bool same, const char *what) {
  const size_t bytes = (size_t)weft_array_size_bytes(expected);
  char *x = malloc(bytes + 1), *y = malloc(bytes + 1);
  ok(weft_to_host(x, bytes, got));
  ok(weft_to_host(y, bytes, expected));
  if (same) {
    ck_assert_msg(memcmp(x, y, bytes) == 0, "%s: other bytes", what);
  } else {
    const weft_dtype dtype = weft_array_dtype(got);
    const bool is_wide = weft_dtype_size_bytes(dtype) >= 16 || dtype == WEFT_F64;
    weft_array *there = NULL;
    bool close = false;
    ok(weft_from_host(&there, got->context, dtype, weft_array_shape(got), y));
    ok(weft_allclose(&close, got, there, .rtol = 0, .atol = is_wide ? 1e-10 : 2e-3));
    ck_assert_msg(close, "%s: other numbers", what);
    weft_array_release(&there);
  }
  free(x);
  free(y);
  harness_count(1);
}

static void expect_all(weft_array **got, weft_array *const *expected, bool same, const char *what) {
  set_ways("");
  for (int k = 0; k < MOST_RESULTS; k++)
    if (got[k] && expected[k]) expect(got[k], expected[k], same, what);
  for (int k = 0; k < MOST_RESULTS; k++) weft_array_release(&got[k]);
}

/// A case by the loops of a processor without AVX-512, and without AVX2: they have the same bits. Sums that round are
/// tried without AVX-512 alone: a processor without AVX2 has no fused multiplications.
static void check_widths(int which, int way, int number, const char *what) {
  for (int fractions = 0; fractions < 2; fractions++) {
    weft_array *expected[MOST_RESULTS] = {NULL};
    has_fractions = fractions;
    force(operations[which].ways, way);
    operations[which].call(expected, number);
    for (int width = 1; width >= fractions; width--) {
      weft_array *y[MOST_RESULTS] = {NULL};
      char text[120];
      snprintf(text, sizeof text, "%s, width %d%s", what, width, fractions ? ", fractions" : "");
      force(operations[which].ways, way);
      atomic_store(&weft__most_width, width);
      operations[which].call(y, number);
      atomic_store(&weft__most_width, 2);
      expect_all(y, expected, width > 0 || !operations[which].rounds, text);
    }
    has_fractions = false;
    for (int k = 0; k < MOST_RESULTS; k++) weft_array_release(&expected[k]);
  }
}

/// A case by all ways of `ctx`.
static void check_ways(int which, int number, weft_array *const *expected) {
  const weft__ways *ways = operations[which].ways;
  for (int way = 0; way < ways->count; way++) {
    weft_array *y[MOST_RESULTS] = {NULL};
    char what[80];
    if (ways->way[way].on == (ctx->store.is_cpu ? WEFT__ON_GPUS : WEFT__ON_CPUS)) continue;
    snprintf(what, sizeof what, "%s:%s%s, case %d", ways->operation, ways->way[way].name,
             ctx->store.is_cpu ? "" : " of GPUs", number);
    force(ways, way);
    operations[which].call(y, number);
    expect_all(y, expected, !operations[which].rounds, what);
    if (ctx->store.is_cpu && ways->way[way].by == WEFT__BY_HOST) check_widths(which, way, number, what);
  }
}

/// Case _i of all operations'.
START_TEST(every_way_that_fits)
{
  int which = 0, number = _i;
  while (number >= operations[which].cases) number -= operations[which++].cases;
  weft_array *expected[MOST_RESULTS] = {NULL};
  force(operations[which].ways, operations[which].ways->count - 1);
  operations[which].call(expected, number);
  check_ways(which, number, expected);
  if (as_gpu) {
    exchange_contexts();
    check_ways(which, number, expected);
    exchange_contexts();
  }
  for (int k = 0; k < MOST_RESULTS; k++) weft_array_release(&expected[k]);
  harness_count(1); /* a device may lack the dtype */
}
END_TEST

/// Whether the profile has work by the way.
static bool profile_has(const char *way) {
  weft_profile_row *rows = NULL;
  uint64_t count = 0;
  bool has = false;
  ok(weft_profile_get(&rows, &count, NULL, ctx));
  for (uint64_t k = 0; k < count; k++) has = has || strcmp(rows[k].way, way) == 0;
  weft_free(rows);
  return has;
}

START_TEST(trace_and_profile_name_the_way)
{
  const product p = {WEFT_F32, 1, 30, 20, 10};
  weft_array *a = operand(&p, false), *b = operand(&p, true), *y = NULL;
  set_ways("reduce:cpu,matmul:tile");
  ok(weft_matmul(&y, a, b)); /* builds the kernel */
  harness_catch_stderr();
  weft_trace(true);
  ok(weft_profile_start(ctx));
  ok(weft_matmul(&y, a, b));
  ok(weft_profile_stop(ctx));
  weft_trace(false);
  ck_assert(profile_has("matmul:tile") && !profile_has("matmul:blas"));
  ck_assert_ptr_nonnull(strstr(harness_caught_text(), "by the way matmul:tile"));
  set_ways("");
  weft_release(&a, &b, &y);
}
END_TEST

START_TEST(a_way_that_is_not_there)
{
  const product p = {WEFT_F32, 1, 3, 2, 1};
  weft_array *a = operand(&p, false), *b = operand(&p, true), *y = NULL;
  weft_context *other = NULL;
  set_ways("matmul:quick");
  expect_error(weft_matmul(&y, a, b), WEFT_ERROR_ARGUMENT, "@WEFT_WAY", "`matmul:quick`", "no way `quick`", "blas",
               "tile");
  set_ways("matmul:");
  expect_error(weft_matmul(&y, a, b), WEFT_ERROR_ARGUMENT, "no way ``");
  set_ways("sort:tiles,matmult:tile");
  expect_error(weft_matmul(&y, a, b), WEFT_ERROR_ARGUMENT, "@WEFT_WAY", "`matmult:tile` names no operation");
  set_ways("matmul");
  expect_error(weft_matmul(&y, a, b), WEFT_ERROR_ARGUMENT, "`matmul` names no operation and way");
  set_ways("sort:tiles,elements:quick");
  expect_error(weft_context_create(&other), WEFT_ERROR_ARGUMENT, "@WEFT_WAY", "elements has no way `quick`",
               "commands");
  set_ways("sort:tiles,elements:commands");
  ok(weft_matmul(&y, a, b));
  set_ways("");
  weft_release(&a, &b, &y);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "ways");
  int cases = 0;
  for (size_t k = 0; k < sizeof operations / sizeof *operations; k++) cases += operations[k].cases;
  tcase_add_checked_fixture(tc, open_contexts, close_contexts);
  tcase_set_timeout(tc, 200);
  tcase_add_loop_test(tc, every_way_that_fits, 0, cases);
  tcase_add_test(tc, trace_and_profile_name_the_way);
  tcase_add_test(tc, a_way_that_is_not_there);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "ways", .add = add});
}
