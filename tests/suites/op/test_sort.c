// SPDX-License-Identifier: MIT
/// Sorting against plain C, bit by bit: each result is unique to a stable sort in NumPy's order.
#include <stdio.h>

#include "sorts.h"

typedef enum call { SORT, ARGSORT, TOPK, CALLS } call;
static const char *const call_names[CALLS] = {"sort", "argsort", "topk"};

/// Counts of the cases, for the report.
typedef struct tally {
  int cases[CALLS][WEFT_DTYPE_COUNT];
  int by_key[WEFT_DTYPE_COUNT];
} tally;
static tally *counts;

static bool is_emulated(void) {
  const char *quirks = getenv("WEFT_QUIRKS");
  return quirks && strstr(quirks, "gpu_kernels");
}

/* ---- one call ---- */

/// The operand's elements in row-major order of `shape`, and a view of them in some layout.
typedef struct source {
  weft_dtype dtype;
  weft_shape shape;
  unsigned char *elements;
  weft_array *base, *view;
} source;

/// `placing` 0: contiguous; 1: every second element of the last axis, from the second on; 2: axes reversed in memory;
/// 3: the first axis backwards.
static source source_make(weft_dtype dtype, weft_shape shape, sorts_fill fill, int placing, harness_random *random) {
  source s = {.dtype = dtype, .shape = shape};
  size_t size = weft_dtype_size_bytes(dtype);
  int64_t n = shape_count(shape), last = shape.ndim - 1;
  s.elements = malloc(((size_t)n + 1) * size);
  sorts_elements(random, dtype, s.elements, n, fill);
  if (placing == 1) {
    weft_shape wide = shape;
    wide.dim[last] = 2 * shape.dim[last] + 1;
    unsigned char *all = calloc((size_t)shape_count(wide) + 1, size);
    for (int64_t i = 0; i < n; i++)
      memcpy(all + ((i / shape.dim[last]) * wide.dim[last] + 2 * (i % shape.dim[last]) + 1) * (int64_t)size,
             s.elements + i * (int64_t)size, size);
    ok(weft_from_host(&s.base, ctx, dtype, wide, all));
    ok(weft_slice(&s.view, s.base, (int)last, 1, WEFT_END, .step = 2));
    free(all);
  } else {
    ok(weft_from_host(&s.base, ctx, dtype, shape, s.elements));
    if (placing == 2) {
      weft_array *turned = NULL, *copy = NULL;
      ok(weft_transpose(&turned, s.base, WEFT_ALL_AXES));
      ok(weft_copy(&copy, turned));
      ok(weft_transpose(&s.view, copy, WEFT_ALL_AXES));
      weft_array_release(&turned);
      weft_array_release(&copy);
    } else if (placing == 3) {
      weft_array *copy = NULL, *flipped = NULL;
      ok(weft_flip(&flipped, s.base, 0));
      ok(weft_copy(&copy, flipped));
      ok(weft_flip(&s.view, copy, 0));
      weft_array_release(&flipped);
      weft_array_release(&copy);
    } else {
      s.view = weft_array_retain(s.base);
    }
  }
  return s;
}

static void source_release(source *s) {
  free(s->elements);
  weft_array_release(&s->base);
  weft_array_release(&s->view);
}

/// The expected values and indices, k of each row along the axis.
static void expected(const source *s, int axis, bool descending, int64_t k, unsigned char *values, int64_t *numbers) {
  int64_t size = (int64_t)weft_dtype_size_bytes(s->dtype), outer = 1, length, inner = 1;
  if (axis == WEFT__EVERY_AXIS) {
    length = shape_count(s->shape);
  } else {
    for (int d = 0; d < axis; d++) outer *= s->shape.dim[d];
    length = s->shape.dim[axis];
    for (int d = axis + 1; d < s->shape.ndim; d++) inner *= s->shape.dim[d];
  }
  int64_t *order = malloc(((size_t)length + 1) * sizeof *order);
  for (int64_t o = 0; o < outer; o++)
    for (int64_t i = 0; i < inner; i++) {
      const unsigned char *row = s->elements + (o * length * inner + i) * size;
      sorts_order(order, s->dtype, row, length, inner, descending);
      for (int64_t at = 0; at < k; at++) {
        int64_t to = (o * k + at) * inner + i;
        memcpy(values + to * size, row + order[at] * inner * size, (size_t)size);
        numbers[to] = order[at];
      }
    }
  free(order);
}

static void check_call(call what, weft_dtype dtype, weft_shape shape, int axis, bool descending, sorts_fill fill,
                       int placing, harness_random *random) {
  char text[200];
  source s = source_make(dtype, shape, fill, placing, random);
  bool flat = axis == WEFT__EVERY_AXIS;
  int d = flat ? 0 : axis < 0 ? axis + shape.ndim : axis;
  int64_t length = flat ? shape_count(shape) : shape.dim[d],
          most = harness_between(random, 0, 1) && length > 128 ? 128 : length, /* few are not sorted on GPUs */
      k = what == TOPK ? harness_between(random, 0, most) : length;
  weft_shape result = flat ? WEFT_SHAPE(length) : shape;
  weft_array *out = NULL, *where = NULL;
  result.dim[d] = k;
  int64_t n = shape_count(result);
  unsigned char *values = malloc(((size_t)n + 1) * weft_dtype_size_bytes(dtype));
  int64_t *numbers = malloc(((size_t)n + 1) * sizeof *numbers);
  expected(&s, flat ? axis : d, descending, k, values, numbers);
  snprintf(text, sizeof text, "%s of %s, %d axes, length %lld of %lld, axis %d, fill %d, layout %d%s", call_names[what],
           weft_dtype_name(dtype), shape.ndim, (long long)length, (long long)shape_count(shape), axis, (int)fill,
           placing, descending ? ", descending" : "");
  switch (what) {
    case SORT:
      if (placing % 2 == 0 && !flat && harness_between(random, 0, 1)) { /* in place */
        out = weft_array_retain(s.view);
        ok(weft_sort(&out, out, axis, .descending = descending));
      } else {
        ok(weft_sort(&out, s.view, axis, .descending = descending));
      }
      break;
    case ARGSORT:
      ok(weft_argsort(&where, s.view, axis, .descending = descending));
      break;
    default:
      ok(weft_topk(&out, NULL, s.view, k, axis, .smallest = !descending)); /* then in place */
      ok(weft_topk(NULL, &where, s.view, k, axis, .smallest = !descending));
      ok(weft_topk(&out, &where, s.view, k, axis, .smallest = !descending));
  }
  if (out) {
    weft_shape is = weft_array_shape(out);
    ck_assert_int_eq(is.ndim, result.ndim);
    for (int i = 0; i < is.ndim; i++) ck_assert_msg(is.dim[i] == result.dim[i], "%s: axis %d", text, i);
    ck_assert_int_eq(weft_array_dtype(out), dtype);
    check_elements(out, values, n, text);
  }
  if (where) {
    ck_assert_int_eq(weft_array_dtype(where), WEFT_I64);
    check_elements(where, numbers, n, text);
  }
  harness_count(1);
  counts->cases[what][dtype]++;
  weft_array_release(&out);
  weft_array_release(&where);
  free(values);
  free(numbers);
  source_release(&s);
}

static sorts_fill any_fill(harness_random *random) {
  return (sorts_fill)harness_between(random, 0, SORTS_FILLS - 1);
}

/* ---- the tests ---- */

/// Every dtype with every method of sorting a row: counted or merged, by a block or one work-item, by passes over all.
START_TEST(every_dtype)
{
  static const int64_t lengths[] = {20, 700, 40000};
  harness_random random = harness_random_start(1);
  int64_t turn = harness_between(&random, 0, 2);
  for (int dtype = harness_next_dtype(0); dtype; dtype = harness_next_dtype(dtype + 1))
    for (int way = 0; way < 3; way++) {
      if (is_emulated() && (dtype + way + turn) % 3) continue; /* each takes long to build */
      int64_t length = lengths[way];
      if (way == 2 && is_emulated()) length = (dtype / 3 + turn) % 2 ? 5000 : 8300; /* of a few tiles, and of more */
      for (int fill = 0; fill < SORTS_FILLS; fill++) {
        if (is_emulated() && (fill + dtype) % 3) continue;
        bool descending = harness_between(&random, 0, 1);
        call what = (dtype + way + turn) / 3 % 2 && is_emulated() ? ARGSORT : SORT;
        check_call(what, (weft_dtype)dtype, WEFT_SHAPE(length + harness_between(&random, 0, 9)), 0, descending,
                   (sorts_fill)fill, 0, &random);
        if (is_emulated()) continue;
        check_call(ARGSORT, (weft_dtype)dtype, WEFT_SHAPE(length + harness_between(&random, 0, 9)), -1, !descending,
                   (sorts_fill)fill, 0, &random);
      }
    }
}
END_TEST

/// Lengths around the share of a thread, a block, a tile and a work-item.
START_TEST(edges)
{
  static const int64_t edge[] = {0,    1,    2,    7,    8,    9,    31,    32,    33,    255,   256,  257,  511,
                                 512,  513,  1023, 1024, 1025, 4095, 4096,  4097,  5119,  5120,  5121, 6144, 6145,
                                 8191, 8192, 8193, 8447, 8448, 8449, 9215,  9216,  9217,  15360, 15361,
                                 32767, 32768, 32769, 65535, 65536, 65537};
  harness_random random = harness_random_start(2);
  int64_t most = is_emulated() ? 16000 : INT64_MAX;
  for (size_t i = 0; i < sizeof edge / sizeof *edge; i++) {
    if (edge[i] > most) continue;
    weft_dtype dtype = i % 2 ? WEFT_F32 : WEFT_I32;
    check_call(SORT, dtype, WEFT_SHAPE(edge[i]), WEFT__EVERY_AXIS, i % 3 == 0, any_fill(&random), 0, &random);
    check_call(ARGSORT, WEFT_F32, WEFT_SHAPE(edge[i]), 0, i % 3 != 0, any_fill(&random), 0, &random);
  }
  check_call(SORT, WEFT_F32, WEFT_SHAPE(is_emulated() ? 40000 : 300000), 0, false, SORTS_RANDOM, 0, &random);
  check_call(ARGSORT, WEFT_F32, WEFT_SHAPE(is_emulated() ? 40000 : 300000), 0, true, SORTS_SPECIAL, 0, &random);
}
END_TEST

/// Views with any offset: loads of 16 bytes must find their alignment.
START_TEST(beginnings)
{
  static const weft_dtype dtypes[] = {WEFT_U16, WEFT_I32, WEFT_U64};
  harness_random random = harness_random_start(3);
  for (size_t d = 0; d < (is_emulated() ? 2 : 3); d++)
    for (int64_t begin = 1; begin < 4; begin++) {
      int64_t n = is_emulated() ? 8200 : 33000;
      source s = source_make(dtypes[d], WEFT_SHAPE(n), SORTS_RANDOM, 0, &random);
      size_t size = weft_dtype_size_bytes(dtypes[d]);
      weft_array *part = NULL, *out = NULL;
      ok(weft_slice(&part, s.base, 0, begin, n - begin));
      int64_t length = n - 2 * begin, *order = malloc((size_t)n * sizeof *order);
      sorts_order(order, dtypes[d], s.elements + (size_t)begin * size, length, 1, false);
      unsigned char *wanted = malloc((size_t)n * size);
      memcpy(wanted, s.elements, (size_t)n * size);
      for (int64_t i = 0; i < length; i++)
        memcpy(wanted + (size_t)(begin + i) * size, s.elements + (size_t)(begin + order[i]) * size, size);
      ok(weft_sort(&out, part, 0));
      check_elements(out, wanted + (size_t)begin * size, length, "a part");
      ok(weft_sort(&part, part, 0));
      check_elements(s.base, wanted, n, "a part in place");
      harness_count(2);
      weft_array_release(&part);
      weft_array_release(&out);
      free(order);
      free(wanted);
      source_release(&s);
    }
}
END_TEST

/// Random shapes, axes and layouts.
START_TEST(axes)
{
  static const weft_dtype dtypes[] = {WEFT_F32, WEFT_I16, WEFT_U64, WEFT_F32, WEFT_C64, WEFT_BOOL};
  harness_random random = harness_random_start(4);
  for (int round = 0; round < (is_emulated() ? 24 : 150); round++) {
    weft_shape shape = WEFT_SHAPE_0D;
    int64_t left = is_emulated() ? 6000 : 60000;
    shape.ndim = (int)harness_between(&random, 1, 4);
    int big = (int)harness_between(&random, 0, shape.ndim - 1);
    for (int d = 0; d < shape.ndim; d++) {
      int64_t most = left < 6 ? left : 6;
      shape.dim[d] = harness_between(&random, round % 16 == 0 ? 0 : 1, most);
      left /= shape.dim[d] ? shape.dim[d] : 1;
    }
    if (round % 3) shape.dim[big] *= harness_between(&random, 1, left > 6 ? left / 6 : 1);
    int axis = (int)harness_between(&random, -shape.ndim, shape.ndim - 1);
    if (round % 7 == 6) axis = WEFT__EVERY_AXIS;
    weft_dtype dtype = dtypes[harness_between(&random, 0, is_emulated() ? 1 : 5)];
    check_call((call)(round % 3), dtype, shape, axis, harness_between(&random, 0, 1), any_fill(&random),
               (int)harness_between(&random, 0, 3), &random);
  }
  /* rows that all cores sort together, one after the other, and rows of several tiles */
  check_call(SORT, WEFT_F32, WEFT_SHAPE(3, is_emulated() ? 5000 : 40000), 1, false, SORTS_RANDOM, 0, &random);
  check_call(ARGSORT, WEFT_F32, WEFT_SHAPE(3, is_emulated() ? 5000 : 40000), 1, false, SORTS_FEW, 0, &random);
  check_call(SORT, WEFT_F32, WEFT_SHAPE(is_emulated() ? 5000 : 40000, 3), 0, true, SORTS_NARROW, 0, &random);
}
END_TEST

/// Rows that a CPU sorts side by side, and others: lengths and numbers of rows around a network's.
START_TEST(side_by_side)
{
  static const weft_dtype dtypes[] = {WEFT_F32, WEFT_I16, WEFT_F32, WEFT_U8, WEFT_F64};
  static const int64_t lengths[] = {2, 33, 256, 257, 1000, 1024, 1025}, rows[] = {3, 4, 7, 8, 9, 17};
  harness_random random = harness_random_start(7);
  int turn = (int)harness_between(&random, 0, 4);
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++, turn++) {
      if (is_emulated() && turn % 5) continue; /* f32 or another one */
      check_call((call)(turn % 3), dtypes[turn % 5], WEFT_SHAPE(rows[k], lengths[i]), 1, turn % 2,
                 any_fill(&random), turn % 4, &random);
    }
}
END_TEST

/// Sorts x to another array and in place.
static void check_both(const weft_array *x, const unsigned char *sorted, bool descending, const char *text) {
  weft_array *out = NULL, *own = NULL;
  const int64_t n = weft_array_size(x);
  ok(weft_sort(&out, x, 1, .descending = descending));
  ok(weft_copy(&own, x));
  ok(weft_sort(&own, own, 1, .descending = descending));
  check_elements(out, sorted, n, text);
  check_elements(own, sorted, n, text);
  weft_release(&out, &own);
}

/// Keys alone: lengths around a vector's and a few vectors', and rows that do not begin where a vector does.
START_TEST(keys_alone)
{
  static const int64_t lengths[] = {1,   2,   15,  17,  64,   65,   127,   128,    129,
                                    200, 256, 257, 1000, 3000, 70000, 140000, 600001};
  harness_random random = harness_random_start(9);
  char text[120];
  for (int dtype = harness_next_dtype(0); dtype; dtype = harness_next_dtype(dtype + 1)) {
    if (weft_dtype_kind((weft_dtype)dtype) == 'c') continue;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
      for (int fill = 0; fill < SORTS_FILLS; fill++) {
        const int64_t rows = lengths[i] > 10000 ? 1 : harness_between(&random, 1, 3), size = rows * lengths[i];
        if (lengths[i] > 10000 && (fill + dtype) % 3) continue;
        if (lengths[i] > 500000 && weft_dtype_size_bytes((weft_dtype)dtype) != 2) continue; /* counted by two threads */
        const bool descending = harness_between(&random, 0, 1);
        source s = source_make((weft_dtype)dtype, WEFT_SHAPE(size + 1), (sorts_fill)fill, 0, &random);
        weft_array *part = NULL, *x = NULL;
        ok(weft_slice(&part, s.base, 0, 1, WEFT_END));
        ok(weft_reshape(&x, part, WEFT_SHAPE(rows, lengths[i])));
        const size_t bytes = weft_dtype_size_bytes((weft_dtype)dtype);
        unsigned char *sorted = malloc((size_t)size * bytes);
        int64_t *numbers = malloc((size_t)size * sizeof *numbers);
        const source rest = {.dtype = s.dtype, .shape = WEFT_SHAPE(rows, lengths[i]), .elements = s.elements + bytes};
        expected(&rest, 1, descending, lengths[i], sorted, numbers);
        snprintf(text, sizeof text, "%s, %d rows of %d, fill %d%s", weft_dtype_name((weft_dtype)dtype), (int)rows,
                 (int)lengths[i], fill, descending ? ", descending" : "");
        check_both(x, sorted, descending, text);
        harness_count(2);
        free(sorted);
        free(numbers);
        weft_release(&part, &x);
        source_release(&s);
      }
  }
}
END_TEST

/// Rows whose keys of 2 bytes are counted, and of which the last one has a NaN or -0, whose order counts do not show.
START_TEST(counted_rows)
{
  enum { ROWS = 3, LENGTH = 20001, ALL = ROWS * LENGTH };
  static const uint16_t last[] = {0xffff, 0x8000, 0}; /* NaN, -0 and 0, which is counted */
  static uint16_t from[ALL], sorted[ALL];
  static int64_t numbers[ALL];
  harness_random random = harness_random_start(11);
  for (int k = 0; k < 6; k++) {
    const weft_dtype dtype = k % 2 ? WEFT_F16 : WEFT_BF16;
    weft_array *x = NULL;
    for (int i = 0; i < ALL; i++) /* numbers up to infinity, of both signs, without -0 */
      from[i] = (uint16_t)(harness_between(&random, 1, k % 2 ? 0x7c00 : 0x7f80) | harness_between(&random, 0, 1) << 15);
    from[ALL - 7] = 0;
    from[ALL - 5] = last[k / 2];
    const source s = {.dtype = dtype, .shape = WEFT_SHAPE(ROWS, LENGTH), .elements = (unsigned char *)from};
    expected(&s, 1, k % 2, LENGTH, (unsigned char *)sorted, numbers);
    ok(weft_from_host(&x, ctx, dtype, s.shape, from));
    check_both(x, (unsigned char *)sorted, k % 2, "rows of numbers of 2 bytes");
    harness_count(1);
    weft_array_release(&x);
  }
}
END_TEST

/// Sorts rows of a table, or values of any size, by their keys.
static void check_pairs(weft_dtype keys_dtype, weft_dtype values_dtype, int64_t n, int64_t columns, bool in_place,
                        harness_random *random) {
  char text[120];
  bool descending = harness_between(random, 0, 1);
  source keys = source_make(keys_dtype, WEFT_SHAPE(n), any_fill(random),
                            in_place ? 0 : (int)harness_between(random, 0, 1), random);
  source values = source_make(values_dtype, columns ? WEFT_SHAPE(n, columns) : WEFT_SHAPE(n), SORTS_RANDOM, 0, random);
  size_t key_bytes = weft_dtype_size_bytes(keys_dtype),
         row_bytes = weft_dtype_size_bytes(values_dtype) * (size_t)(columns ? columns : 1);
  int64_t *order = malloc(((size_t)n + 1) * sizeof *order);
  unsigned char *wanted_keys = malloc(((size_t)n + 1) * key_bytes), *wanted = malloc(((size_t)n + 1) * row_bytes);
  weft_array *out = in_place ? weft_array_retain(keys.view) : NULL,
             *rows = in_place ? weft_array_retain(values.view) : NULL;
  sorts_order(order, keys_dtype, keys.elements, n, 1, descending);
  for (int64_t i = 0; i < n; i++) {
    memcpy(wanted_keys + (size_t)i * key_bytes, keys.elements + (size_t)order[i] * key_bytes, key_bytes);
    memcpy(wanted + (size_t)i * row_bytes, values.elements + (size_t)order[i] * row_bytes, row_bytes);
  }
  snprintf(text, sizeof text, "%lld %s by %s, %lld columns%s", (long long)n, weft_dtype_name(values_dtype),
           weft_dtype_name(keys_dtype), (long long)columns, in_place ? ", in place" : "");
  ok(weft_sort_by_key(&out, &rows, keys.view, values.view, .descending = descending));
  check_elements(out, wanted_keys, n, text);
  check_elements(rows, wanted, n * (columns ? columns : 1), text);
  harness_count(1);
  counts->by_key[values_dtype]++;
  weft_array_release(&out);
  weft_array_release(&rows);
  free(order);
  free(wanted_keys);
  free(wanted);
  source_release(&keys);
  source_release(&values);
}

START_TEST(by_key)
{
  static const weft_dtype keys[] = {WEFT_U32, WEFT_F32, WEFT_U8, WEFT_I64};
  static const int64_t lengths[] = {0, 1, 30, 700, 5000, 40000};
  harness_random random = harness_random_start(5);
  for (int dtype = harness_next_dtype(0); dtype; dtype = harness_next_dtype(dtype + 1)) {
    int64_t n = lengths[harness_between(&random, 2, is_emulated() ? 4 : 5)];
    check_pairs(keys[dtype % (is_emulated() ? 2 : 4)], (weft_dtype)dtype, n, 0, dtype % 2, &random);
  }
  for (int i = 0; i < 6; i++) {
    if (lengths[i] > 10000 && is_emulated()) continue;
    check_pairs(WEFT_F32, WEFT_I32, lengths[i], 0, i % 2, &random);
    check_pairs(WEFT_U32, WEFT_F32, lengths[i], harness_between(&random, 0, 5), i % 2, &random);
  }
  check_pairs(WEFT_U8, WEFT_F32, is_emulated() ? 5000 : 40000, 0, true, &random);
}
END_TEST

START_TEST(places)
{
  const float x[] = {3, NAN, -1, 2, -0.0f, 0};
  const float rising[] = {-1, -0.0f, 0, 2, 3, NAN};
  const int64_t falling[] = {1, 0, 3, 4, 5, 2};
  float host[6];
  double wide[6];
  int64_t numbers[6];
  weft_array *given = NULL, *ints = NULL, *narrow = NULL;
  /* host memory as operand and result */
  ok(weft_sort(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(6)), WEFT_HOST(x, WEFT_F32, WEFT_SHAPE(6)), 0));
  ck_assert_mem_eq(host, rising, sizeof rising - sizeof *rising);
  ck_assert(isnan(host[5]));
  ok(weft_argsort(WEFT_HOST_OUT(numbers, WEFT_I64, WEFT_SHAPE(6)), WEFT_HOST(x, WEFT_F32, WEFT_SHAPE(6)), 0,
                  .descending = true));
  ck_assert_mem_eq(numbers, falling, sizeof falling);
  /* cast to the result's dtype */
  if (device.has_fp64) {
    ok(weft_sort(WEFT_HOST_OUT(wide, WEFT_F64, WEFT_SHAPE(6)), WEFT_HOST(x, WEFT_F32, WEFT_SHAPE(6)), 0));
    ck_assert(wide[4] == 3 && isnan(wide[5]));
  }
  /* indices into the sorted array itself, and in fewer bits */
  ok(weft_from_host(&ints, ctx, WEFT_I64, WEFT_SHAPE(6), falling));
  ok(weft_argsort(&ints, ints, 0));
  check_elements(ints, (const int64_t[]){1, 0, 5, 2, 3, 4}, 6, "in its own place");
  ok(weft_empty(&narrow, ctx, WEFT_I32, WEFT_SHAPE(6)));
  ok(weft_argsort(&narrow, ints, 0));
  check_elements(narrow, (const int32_t[]){1, 0, 3, 4, 5, 2}, 6, "in fewer bits");
  /* a scalar is an array of one element */
  ok(weft_sort(&given, 2, WEFT_ALL_AXES));
  ck_assert_int_eq(weft_array_size(given), 1);
  harness_count(6);
  weft_array_release(&given);
  weft_array_release(&ints);
  weft_array_release(&narrow);
}
END_TEST

START_TEST(errors)
{
  weft_array *x = NULL, *y = NULL, *none = NULL, *other = NULL, *flat = NULL, *bits = NULL;
  ok(weft_zeros(&bits, ctx, WEFT_U32, WEFT_SHAPE(3, 4)));
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(3, 4)));
  ok(weft_zeros(&flat, ctx, WEFT_F32, WEFT_SHAPE(3)));
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(4, 3)));
  ok(weft_zeros(&other, ctx, WEFT_I32, WEFT_SHAPE(3, 4)));
  expect_error(weft_sort(&none, x, 2), WEFT_ERROR_AXIS, "weft_sort", "axis 2", "-2 to 1", "@axis");
  expect_error(weft_sort(&none, x, WEFT_AXES(0, 1)), WEFT_ERROR_AXIS, "2 axes were given; expected one", "@axis");
  expect_error(weft_sort(&none, x, weft_keepdims(0)), WEFT_ERROR_AXIS, "weft_keepdims", "@axis");
  expect_error(weft_sort(&y, x, 0), WEFT_ERROR_SHAPE, "`out` is f32[4,3]", "f32[3,4]", "@out");
  expect_error(weft_sort(&other, x, 0), WEFT_ERROR_DTYPE, "i32", "@out");
  expect_error(weft_argsort(&bits, x, 0), WEFT_ERROR_DTYPE, "weft_argsort", "@out");
  expect_error(weft_sort(&none, (weft_array *)NULL, 0), WEFT_ERROR_HANDLE, "@x");
  expect_error(weft_topk(&none, &none, x, 5, 1), WEFT_ERROR_ARGUMENT, "`k` is 5", "0 to 4", "@k");
  expect_error(weft_topk(NULL, NULL, x, 1, 1), WEFT_ERROR_ARGUMENT, "both NULL", "@values_out");
  expect_error(weft_sort_by_key(&none, &none, x, flat), WEFT_ERROR_SHAPE, "keys of one axis", "@keys");
  expect_error(weft_sort_by_key(&none, &none, flat, y), WEFT_ERROR_SHAPE, "`values` is f32[4,3]", "@values");
  ck_assert_ptr_null(none);
  weft_array_release(&x);
  weft_array_release(&y);
  weft_array_release(&other);
  weft_array_release(&bits);
  weft_array_release(&flat);
}
END_TEST

/// The first of long rows: of one part and of several, with all first elements at a few places.
START_TEST(tops)
{
  static const weft_dtype dtypes[] = {WEFT_F32, WEFT_I64, WEFT_U8, WEFT_F64, WEFT_F16, WEFT_I32};
  static const int64_t rows[] = {5, 4, 1}, lengths[] = {520, 16384, 70000};
  harness_random random = harness_random_start(8);
  const int step = is_emulated() ? 2 : 1;
  for (int d = (int)harness_between(&random, 0, step - 1); d < 6; d += step)
    for (int way = 0; way < 3; way++)
      for (int fill = 0; fill <= SORTS_RUNS; fill++)
        if (!is_emulated() || (fill + way + d) % 3 == 0 || fill == SORTS_RUNS)
          check_call(TOPK, dtypes[d], WEFT_SHAPE(rows[way], lengths[way]), 1, (fill + way) % 2, (sorts_fill)fill, 0,
                     &random);
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

/* ---- the suite ---- */

static bool report(void) {
  bool good = true;
  if (is_emulated()) return true; /* a run tests only some of them */
  for (int d = harness_next_dtype(0); d; d = harness_next_dtype(d + 1)) {
    if (counts->cases[SORT][d] + counts->cases[ARGSORT][d] > 0 && counts->by_key[d] > 0) continue;
    printf("sort: FAIL: no case of %s\n", weft_dtype_name((weft_dtype)d));
    good = false;
  }
  return good;
}

static void add(Suite *suite) {
  counts = harness_shared(sizeof *counts);
  TCase *c = harness_context_case(suite, "sort");
  tcase_add_test(c, every_dtype);
  tcase_add_test(c, edges);
  tcase_add_test(c, beginnings);
  tcase_add_test(c, axes);
  tcase_add_test(c, side_by_side);
  tcase_add_test(c, keys_alone);
  tcase_add_test(c, counted_rows);
  tcase_add_test(c, by_key);
  tcase_add_test(c, places);
  tcase_add_test(c, tops);
  tcase_add_loop_test(c, misled, 0, 2);
  tcase_add_test(c, errors);
}

int main(void) {
  const harness_suite suite = {.name = "sort", .add = add, .after = report};
  return harness_main(&suite);
}
