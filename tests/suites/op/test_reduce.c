// SPDX-License-Identifier: MIT
/// Reductions against plain C, over random shapes, axes and layouts: integers and selected elements exactly, floats
/// within stated bounds.
#include <math.h>
#include <stdio.h>

#include "reference.h"
#include "views.h"

/* ---- one case ---- */

typedef struct sample {
  weft_reduction_id id;
  weft_dtype dtype;
} sample;

/* Each sample needs its own kernel. Every reduction has at least two kinds of dtypes, every dtype a few reductions. */
static const sample samples[] = {
    {WEFT_REDUCE_SUM, WEFT_F32},          {WEFT_REDUCE_SUM, WEFT_F16},
    {WEFT_REDUCE_SUM, WEFT_BF16},         {WEFT_REDUCE_MAX, WEFT_BF16},
    {WEFT_REDUCE_STD, WEFT_BF16},         {WEFT_REDUCE_SUM, WEFT_F64},
    {WEFT_REDUCE_SUM, WEFT_I8},           {WEFT_REDUCE_SUM, WEFT_BOOL},
    {WEFT_REDUCE_SUM, WEFT_C64},          {WEFT_REDUCE_SUM, WEFT_C128},
    {WEFT_REDUCE_SUM, WEFT_U64},          {WEFT_REDUCE_PROD, WEFT_I32},
    {WEFT_REDUCE_PROD, WEFT_F32},         {WEFT_REDUCE_PROD, WEFT_C64},
    {WEFT_REDUCE_MIN, WEFT_F32},          {WEFT_REDUCE_MIN, WEFT_U8},
    {WEFT_REDUCE_MIN, WEFT_I64},          {WEFT_REDUCE_MAX, WEFT_F16},
    {WEFT_REDUCE_MAX, WEFT_F64},          {WEFT_REDUCE_MAX, WEFT_C64},
    {WEFT_REDUCE_MAX, WEFT_I16},          {WEFT_REDUCE_ARGMIN, WEFT_F32},
    {WEFT_REDUCE_ARGMIN, WEFT_U16},       {WEFT_REDUCE_ARGMAX, WEFT_F32},
    {WEFT_REDUCE_ARGMAX, WEFT_F64},       {WEFT_REDUCE_ARGMAX, WEFT_BOOL},
    {WEFT_REDUCE_ARGMAX, WEFT_C128},      {WEFT_REDUCE_ANY, WEFT_I32},
    {WEFT_REDUCE_ANY, WEFT_C64},          {WEFT_REDUCE_ALL, WEFT_BOOL},
    {WEFT_REDUCE_ALL, WEFT_F32},          {WEFT_REDUCE_COUNT_NONZERO, WEFT_F32},
    {WEFT_REDUCE_COUNT_NONZERO, WEFT_U8}, {WEFT_REDUCE_MEAN, WEFT_F32},
    {WEFT_REDUCE_MEAN, WEFT_I32},         {WEFT_REDUCE_MEAN, WEFT_I64},
    {WEFT_REDUCE_MEAN, WEFT_C64},         {WEFT_REDUCE_VAR, WEFT_F32},
    {WEFT_REDUCE_VAR, WEFT_F64},          {WEFT_REDUCE_VAR, WEFT_U8},
    {WEFT_REDUCE_VAR, WEFT_C64},          {WEFT_REDUCE_STD, WEFT_F16},
    {WEFT_REDUCE_NORM, WEFT_F32},         {WEFT_REDUCE_NORM, WEFT_I32},
    {WEFT_REDUCE_NORM, WEFT_C64},         {WEFT_REDUCE_NANSUM, WEFT_F32},
    {WEFT_REDUCE_NANPROD, WEFT_F64},      {WEFT_REDUCE_NANMIN, WEFT_F32},
    {WEFT_REDUCE_NANMAX, WEFT_C64},       {WEFT_REDUCE_NANARGMIN, WEFT_F64},
    {WEFT_REDUCE_NANARGMAX, WEFT_F32},    {WEFT_REDUCE_NANMEAN, WEFT_F32},
    {WEFT_REDUCE_NANVAR, WEFT_F32},       {WEFT_REDUCE_NANSTD, WEFT_F64},
    {WEFT_REDUCE_SUM, WEFT_I16},          {WEFT_REDUCE_MAX, WEFT_U32},
    {WEFT_REDUCE_PTP, WEFT_F32},          {WEFT_REDUCE_PTP, WEFT_BF16},
    {WEFT_REDUCE_PTP, WEFT_I8},           {WEFT_REDUCE_PTP, WEFT_U64},
    {WEFT_REDUCE_PTP, WEFT_C64},          {WEFT_REDUCE_PTP, WEFT_F64},
};
enum { SAMPLES = sizeof samples / sizeof *samples, TESTS = 8, CHOSEN = 4 };

static bool is_where(weft_reduction_id id) {
  return id == WEFT_REDUCE_ARGMIN || id == WEFT_REDUCE_ARGMAX || id == WEFT_REDUCE_NANARGMIN ||
         id == WEFT_REDUCE_NANARGMAX;
}

/// Reduces `x`, whose elements `data` are described by `view`, and compares.
static void check_case(const sample *s, const weft_array *x, const unsigned char *data, const model *view,
                       weft_axes axes, double parameter) {
  bool along[WEFT_MAX_NDIM] = {false};
  weft_shape shape = view->shape, left = {0};
  size_t size = weft_dtype_size_bytes(s->dtype);
  for (int d = 0; d < shape.ndim; d++) along[d] = axes.count == WEFT__EVERY_AXIS;
  for (int k = 0; k < axes.count; k++) along[axes.axis[k] < 0 ? axes.axis[k] + shape.ndim : axes.axis[k]] = true;
  int64_t count = 1, results = 1;
  for (int d = 0; d < shape.ndim; d++) {
    *(along[d] ? &count : &results) *= shape.dim[d];
    if (!along[d] || axes.keepdims) left.dim[left.ndim++] = along[d] ? 1 : shape.dim[d];
  }
  weft_array *out = NULL;
  ok(weft__reduce_apply_at(s->id, WEFT_OPERAND(&out), WEFT_OPERAND(x), axes, parameter, WEFT_SITE));
  weft_dtype expected = reference_dtype(s->id, s->dtype);
  ck_assert_msg(weft_array_dtype(out) == expected, "%d of %s is %s", (int)s->id, weft_dtype_name(s->dtype),
                weft_dtype_name(weft_array_dtype(out)));
  ck_assert_int_eq(weft_array_ndim(out), left.ndim);
  for (int d = 0; d < left.ndim; d++) ck_assert_int_eq(weft_array_length(out, d), left.dim[d]);
  unsigned char *got = malloc((size_t)results * 16 + 1);
  void *elements = malloc((size_t)count * 16 + 1);
  ok(weft_to_host(got, (size_t)weft_array_size_bytes(out), out));
  for (int64_t r = 0; r < results; r++) {
    /* the elements of result r, in row-major order */
    int64_t at[WEFT_MAX_NDIM] = {0}, rest = r;
    for (int d = shape.ndim - 1; d >= 0; d--)
      if (!along[d]) at[d] = rest % shape.dim[d], rest /= shape.dim[d];
    for (int64_t k = 0; k < count; k++) {
      int64_t number = 0;
      rest = k;
      for (int d = shape.ndim - 1; d >= 0; d--)
        if (along[d]) at[d] = rest % shape.dim[d], rest /= shape.dim[d];
      for (int d = 0; d < shape.ndim; d++) number = number * shape.dim[d] + at[d];
      memcpy((char *)elements + (size_t)k * size, data + (size_t)view->index[number] * size, size);
    }
    const char *why =
        reference_check(s->id, s->dtype, parameter, elements, count, got + (size_t)r * weft_dtype_size_bytes(expected));
    if (why) {
      char text[200] = "";
      for (int d = 0; d < shape.ndim; d++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%lld%s", d ? "," : "", (long long)shape.dim[d],
                 along[d] ? "*" : "");
      ck_abort_msg("reduction %d of %s over [%s], %scontiguous, result %lld: %s", (int)s->id, weft_dtype_name(s->dtype),
                   text, weft_array_is_contiguous(x) ? "" : "not ", (long long)r, why);
    }
  }
  free(elements);
  free(got);
  weft_array_release(&out);
  harness_count(1);
}

/// A base of random elements, occasionally with special values, and a view of it in a random layout.
static void random_case(harness_random *random, const sample *s, weft_shape shape) {
  weft_array *base = NULL, *x = NULL;
  model all = model_base(shape), view = model_base(shape);
  size_t size = weft_dtype_size_bytes(s->dtype);
  unsigned char *data = malloc((size_t)all.count * size + 1);
  reference_fill(random, s->dtype, data, all.count, s->id);
  ok(weft_from_host(&base, ctx, s->dtype, shape, data));
  x = weft_array_retain(base);
  for (int turn = (int)harness_between(random, -2, 2); turn > 0; turn--) {
    weft_array *next = NULL;
    model with = {0};
    int axis = shape.ndim ? (int)harness_between(random, 0, shape.ndim - 1) : 0;
    int64_t length = shape.ndim ? view.shape.dim[axis] : 0;
    switch (shape.ndim ? harness_between(random, 0, 2) : 3) {
      case 0: {
        int64_t start = harness_between(random, 0, length / 2), step = harness_between(random, 1, 2);
        ok(weft_slice(&next, x, axis, start, length, .step = step));
        with = model_slice(&view, axis, start, length, step);
        break;
      }
      case 1: {
        weft_shape order = {.ndim = shape.ndim};
        int shift = (int)harness_between(random, 0, shape.ndim - 1);
        for (int d = 0; d < shape.ndim; d++) order.dim[d] = (d + shift) % shape.ndim;
        ok(weft_transpose(&next, x, as_axes(order)));
        with = model_transpose(&view, order);
        break;
      }
      case 2:
        ok(weft_flip(&next, x, axis));
        with = model_flip(&view, axis);
        break;
      default:
        continue;
    }
    weft_array_release(&x);
    x = next;
    model_free(&view);
    view = with;
  }
  weft_axes axes = WEFT_ALL_AXES;
  if (shape.ndim && harness_between(random, 0, 3)) {
    int first = (int)harness_between(random, 0, shape.ndim - 1),
        second = (int)harness_between(random, 0, shape.ndim - 1);
    axes = WEFT_AXES(first);
    if (second != first && !is_where(s->id)) axes = WEFT_AXES(first, second - shape.ndim);
    if (harness_between(random, 0, 7) == 0 && !is_where(s->id)) axes.count = 0;
  }
  axes.keepdims = harness_between(random, 0, 3) == 0;
  double parameter = 0;
  if (s->id == WEFT_REDUCE_NORM) parameter = 2;
  if (s->id == WEFT_REDUCE_VAR || s->id == WEFT_REDUCE_NANSTD) parameter = (double)harness_between(random, 0, 1);
  if (view.count > 0) check_case(s, x, data, &view, axes, parameter);
  weft_array_release(&x);
  weft_array_release(&base);
  model_free(&view);
  model_free(&all);
  free(data);
}

/* ---- shapes around the kernels' divisors ---- */

static int64_t edge(harness_random *random, int64_t most) {
  static const int64_t edges[] = {1,   2,   3,   4,    7,    8,    16,   31,   32,   33,   64,    100,
                                  255, 256, 257, 1000, 1023, 1024, 1025, 4095, 4096, 4097, 16384, 16385};
  int64_t n = edges[harness_between(random, 0, (int64_t)(sizeof edges / sizeof *edges) - 1)];
  if (harness_between(random, 0, 3) == 0) n = harness_between(random, 1, 5000);
  return n < most ? n : harness_between(random, 1, most);
}

static weft_shape random_shape(harness_random *random, int64_t most) {
  weft_shape shape = {.ndim = (int)harness_between(random, 0, 4)};
  for (int d = 0; d < shape.ndim; d++) {
    int at = (d * 3 + 1) % shape.ndim; /* long axes are not always first */
    while (shape.dim[at]) at = (at + 1) % shape.ndim;
    shape.dim[at] = edge(random, most);
    most = most / shape.dim[at] > 1 ? most / shape.dim[at] : 1;
  }
  return shape;
}

static bool runs_gpu_kernels(void) {
  return getenv("WEFT_QUIRKS") && strstr(getenv("WEFT_QUIRKS"), "gpu_kernels");
}

static int64_t most_elements(void) {
  return runs_gpu_kernels() ? 40000 : 100000;
}

START_TEST(random_shapes)
{
  harness_random random = harness_random_start((uint64_t)_i + 100);
  for (int at = _i; at < SAMPLES; at += TESTS) {
    const sample *s = &samples[at];
    if (!harness_has_dtype(s->dtype) || !harness_has_dtype(reference_dtype(s->id, s->dtype))) continue;
    if (runs_gpu_kernels() && at % 17 != 10) continue; /* takes seconds to build */
    for (int k = 0; k < 12; k++) random_case(&random, s, random_shape(&random, k % 4 ? 3000 : most_elements()));
  }
}
END_TEST

/* Shapes for each kernel and each division of the work: many short rows, few long ones, narrow and wide columns, one
   long run. */
START_TEST(chosen_shapes)
{
  static const sample which[] = {{WEFT_REDUCE_SUM, WEFT_F32},
                                 {WEFT_REDUCE_ARGMAX, WEFT_F32},
                                 {WEFT_REDUCE_VAR, WEFT_F32},
                                 {WEFT_REDUCE_SUM, WEFT_I8}};
  const int64_t n = most_elements();
  const int64_t shapes[][3] = {{1, n, 1},           {1, n + 7, 1},     {n / 4, 4, 1},       {n / 3, 3, 1},
                               {n / 32, 32, 1},     {n / 128, 128, 1}, {4, n / 4, 1},       {4, n / 4 + 1, 1},
                               {n / 2000, 2000, 1}, {1, n / 4, 4},     {1, n / 5, 5},       {1, 4, n / 4},
                               {1, n / 256, 256},   {1, 256, n / 256}, {1, n / 1000, 1000}, {3, n / 300, 100},
                               {1, 3, n / 3},       {n / 600, 30, 20}, {1, 16384, 1},       {1, 16385, 1}};
  const sample *s = &which[_i];
  if (runs_gpu_kernels() && _i > 1) return; /* takes seconds to build */
  harness_random random = harness_random_start((uint64_t)_i + 300);
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
    const weft_shape shape = WEFT_SHAPE(shapes[k][0], shapes[k][1], shapes[k][2]);
    model all = model_base(shape);
    weft_array *x = NULL;
    unsigned char *data = malloc((size_t)all.count * 4 + 16);
    reference_fill(&random, s->dtype, data, all.count, s->id);
    ok(weft_from_host(&x, ctx, s->dtype, shape, data));
    check_case(s, x, data, &all, WEFT_AXES(1), 0);
    weft_array_release(&x);
    model_free(&all);
    free(data);
  }
}
END_TEST

enum { WIDE = 4096, MOST = WIDE * WIDE * 3, LIMIT = 40 << 20 };

static int32_t element_of_row(int64_t i) {
  return (int32_t)(i * 7919 % 9973);
}

/// The only result of a reduction of all elements.
static int64_t whole(weft_reduction_id id, const weft_array *x) {
  weft_array *y = NULL, *wide = NULL;
  int64_t value;
  ok(weft__reduce_apply_at(id, WEFT_OPERAND(&y), WEFT_OPERAND(x), WEFT_ALL_AXES, 0, NULL));
  ok(weft_cast(&wide, y, WEFT_I64));
  ok(weft_to_host(&value, sizeof value, wide));
  weft_release(&y, &wide);
  return value;
}

/// A row, stretched to 64 MiB: a copy has no room.
START_TEST(stretched_rows)
{
  static int32_t row[WIDE], most[WIDE];
  static int64_t sum[WIDE];
  weft_array *x = NULL, *view = NULL, *y = NULL;
  int64_t total = 0, greatest = 0;
  for (int i = 0; i < WIDE; i++) {
    row[i] = element_of_row(i);
    total += row[i];
    if (row[i] > row[greatest]) greatest = i;
  }
  ok(weft_memory_set_limit(ctx, LIMIT));
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(WIDE), row));
  ok(weft_broadcast(&view, x, WEFT_SHAPE(WIDE, WIDE)));
  for (int axis = 0; axis < 2; axis++) {
    ok(weft_sum(&y, view, axis));
    ok(weft_to_host(sum, sizeof sum, y));
    weft_array_release(&y);
    ok(weft_max(&y, view, axis));
    ok(weft_to_host(most, sizeof most, y));
    weft_array_release(&y);
    for (int i = 0; i < WIDE; i++) {
      ck_assert_int_eq(sum[i], axis ? total : WIDE * (int64_t)row[i]);
      ck_assert_int_eq(most[i], axis ? row[greatest] : row[i]);
    }
  }
  ck_assert_int_eq(whole(WEFT_REDUCE_SUM, view), WIDE * total);
  ck_assert_int_eq(whole(WEFT_REDUCE_MAX, view), row[greatest]);
  ck_assert_int_eq(whole(WEFT_REDUCE_ARGMAX, view), greatest);
  ck_assert_int_eq(whole(WEFT_REDUCE_ALL, view), 0);
  ok(weft_memory_set_limit(ctx, 0));
  weft_release(&x, &view);
}
END_TEST

/// The only element, which is a number of f32 where the device has no f64.
static double number(weft_array **x) {
  double value;
  float narrow;
  weft_array *wide = NULL;
  ok(weft_cast(&wide, *x, device.has_fp64 ? WEFT_F64 : WEFT_F32));
  ok(weft_to_host(device.has_fp64 ? (void *)&value : &narrow, device.has_fp64 ? sizeof value : sizeof narrow, wide));
  weft_release(x, &wide);
  return device.has_fp64 ? value : (double)narrow;
}

/// Values that are computed of stretched operands are not all in memory at once. The sums are exact.
START_TEST(values_of_stretched_operands)
{
  const bool is_cpu = device.type == WEFT_DEVICE_TYPE_CPU;
  const int64_t n = is_cpu ? 4096 : 16384;
  weft_array *line = NULL, *a = NULL, *b = NULL, *wide = NULL, *y = NULL, *sum = NULL;
  bool is_equal;
  if (!device.has_fp64) return;
  ok(weft_arange(&line, ctx, WEFT_F64, 0, n, 1));
  ok(weft_reshape(&a, line, WEFT_SHAPE(n, 1)));
  ok(weft_reshape(&b, line, WEFT_SHAPE(1, n)));
  ok(weft_broadcast(&wide, a, WEFT_SHAPE(n, n)));
  ok(weft_memory_set_limit(ctx, (is_cpu ? 64 : 512) << 20));
  const double m = (double)n, total = m * (m - 1) / 2, squares = (m - 1) * m * (2 * m - 1) / 6;
  for (int axis = 0; axis < 2; axis++) {
    ok(weft_reduce(&y, ctx, "abs(a - b)", axis, WEFT_VAR(a), WEFT_VAR(b)));
    ck_assert_int_eq(weft_array_size(y), n);
    ok(weft_sum(&sum, y, WEFT_ALL_AXES));
    weft_array_release(&y);
    ck_assert(number(&sum) == (m * m * m - m) / 3);
  }
  ok(weft_reduce(&y, ctx, "a * b", WEFT_ALL_AXES, WEFT_VAR(a), WEFT_VAR(b)));
  ck_assert(number(&y) == total * total);
  ok(weft_reduce(&y, ctx, "a + b", WEFT_ALL_AXES, WEFT_VAR(a), WEFT_VAR(b), WEFT_REDUCTION(.op = WEFT_REDUCE_ARGMAX)));
  ck_assert(number(&y) == m * m - 1);
  ok(weft_reduce(&y, ctx, "a + b", WEFT_ALL_AXES, WEFT_VAR(a), WEFT_VAR(b),
                 WEFT_REDUCTION(.combine = "fmax(a, b)", .neutral = WEFT_SCALAR(0.0))));
  ck_assert(number(&y) == 2 * (m - 1));
  ok(weft_eval(&y, ctx, "max(wide + b) - min(wide * b)", WEFT_VAR(wide), WEFT_VAR(b)));
  ck_assert(number(&y) == 2 * (m - 1));
  ok(weft_average(&y, wide, WEFT_ALL_AXES, .weights = wide));
  ck_assert(number(&y) == squares / total);
  ok(weft_array_equal(&is_equal, wide, wide));
  ck_assert(is_equal);
  ok(weft_logsumexp(&y, wide, 1));
  ck_assert_int_eq(weft_array_size(y), n);
  ok(weft_memory_set_limit(ctx, 0));
  weft_release(&line, &a, &b, &wide, &y);
}
END_TEST

/// Variables that are broadcast to more elements than there are numbers, 70032296 modulo 2^64.
START_TEST(too_many_values)
{
  weft_array *one = NULL, *a = NULL, *b = NULL, *y = NULL;
  ok(weft_ones(&one, ctx, WEFT_F32, WEFT_SHAPE(1, 1)));
  ok(weft_broadcast(&a, one, WEFT_SHAPE(4295032296, 1)));
  ok(weft_broadcast(&b, one, WEFT_SHAPE(1, 4294902297)));
  weft_status rc = weft_reduce(&y, ctx, "a + b", WEFT_ALL_AXES, WEFT_VAR(a), WEFT_VAR(b));
  ck_assert_int_eq(rc, WEFT_ERROR_OVERFLOW);
  rc = weft_eval(&y, ctx, "sum(a + b)", WEFT_VAR(a), WEFT_VAR(b));
  ck_assert_int_eq(rc, WEFT_ERROR_OVERFLOW);
  ck_assert_ptr_null(y);
  weft_release(&one, &a, &b);
}
END_TEST

/// The magnitude of -0 is 0; rows and columns in the other direction.
START_TEST(zeros_and_turned_rows)
{
  static const weft_dtype dtypes[] = {WEFT_F32, WEFT_BF16};
  enum { SIDE = 100 };
  weft_array *x = NULL, *line = NULL, *turned = NULL, *y = NULL;
  float sum[SIDE];
  for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
    for (int sign = 0; sign < 2; sign++) {
      ok(weft_full(&x, ctx, dtypes[k], WEFT_SHAPE(40), -0.0));
      ok(weft_norm(&y, x, WEFT_ALL_AXES, .order = sign ? INFINITY : -INFINITY));
      ck_assert(!signbit(number(&y)));
      weft_array_release(&x);
    }
  ok(weft_arange(&line, ctx, WEFT_F32, 0, SIDE * SIDE, 1));
  ok(weft_reshape(&x, line, WEFT_SHAPE(SIDE, SIDE)));
  for (int axis = 0; axis < 2; axis++)
    for (int turns = 0; turns < 2; turns++) {
      ok(weft_flip(&turned, x, turns));
      ok(weft_sum(&y, turned, axis));
      ok(weft_to_host(sum, sizeof sum, y));
      for (int i = 0; i < SIDE; i++) {
        const int at = turns != axis ? SIDE - 1 - i : i;
        const int wanted = (axis ? SIDE * SIDE * at : SIDE * at) + (axis ? 1 : SIDE) * (SIDE - 1) * SIDE / 2;
        ck_assert((double)sum[i] == wanted);
      }
      weft_release(&turned, &y);
    }
  weft_release(&line, &x);
}
END_TEST

/// The elements of inner products are copied in parts.
START_TEST(dot_of_steps)
{
  const bool is_cpu = device.type == WEFT_DEVICE_TYPE_CPU;
  const int64_t n = is_cpu ? INT64_C(1) << 23 : INT64_C(1) << 26;
  weft_array *x = NULL, *steps = NULL, *y = NULL;
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(2 * n)));
  ok(weft_view(&steps, x, "::2"));
  ok(weft_memory_set_limit(ctx, (uint64_t)n * 8 + ((is_cpu ? 40 : 300) << 20)));
  ok(weft_dot(&y, steps, steps));
  ck_assert(number(&y) == (double)n);
  ok(weft_memory_set_limit(ctx, 0));
  weft_release(&x, &steps);
}
END_TEST

/// Axes that are not one run, stretched between each other, and in steps: only parts are copied, or nothing.
START_TEST(views_of_many_runs)
{
  enum { A = 8, B = 24, C = 16, D = 40, E = 96 };
  static int32_t data[A * C * E];
  weft_array *x = NULL, *view = NULL, *large = NULL, *steps = NULL;
  int64_t total = 0, greatest = 0, index;
  for (int i = 0; i < A * C * E; i++) {
    data[i] = element_of_row(i) - (i == 0);
    total += data[i];
    if (data[i] > data[greatest]) greatest = i;
  }
  index = ((greatest / (C * E) * B * C) + greatest / E % C) * D * E + greatest % E;
  ok(weft_memory_set_limit(ctx, LIMIT));
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(A, 1, C, 1, E), data));
  ok(weft_broadcast(&view, x, WEFT_SHAPE(A, B, C, D, E)));
  ck_assert_int_eq(whole(WEFT_REDUCE_SUM, view), B * D * total);
  ck_assert_int_eq(whole(WEFT_REDUCE_MIN, view), -1);
  ck_assert_int_eq(whole(WEFT_REDUCE_ARGMAX, view), index);
  ok(weft_memory_set_limit(ctx, 0));
  ok(weft_arange(&large, ctx, WEFT_I32, 0, MOST, 1));
  ok(weft_memory_set_limit(ctx, MOST * sizeof(int32_t) + (20 << 20))); /* less than half of the array */
  ok(weft_view(&steps, large, "::-2"));
  ck_assert_int_eq(whole(WEFT_REDUCE_SUM, steps), (int64_t)(MOST / 2) * (MOST / 2));
  ck_assert_int_eq(whole(WEFT_REDUCE_MIN, steps), 1);
  ck_assert_int_eq(whole(WEFT_REDUCE_ARGMIN, steps), MOST / 2 - 1);
  ok(weft_memory_set_limit(ctx, 0));
  weft_release(&x, &view, &large, &steps);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "random");
  tcase_add_loop_test(tc, random_shapes, 0, TESTS);
  tc = harness_context_case(suite, "chosen");
  tcase_add_loop_test(tc, chosen_shapes, 0, CHOSEN);
  tc = harness_context_case(suite, "views");
  tcase_add_test(tc, stretched_rows);
  tcase_add_test(tc, values_of_stretched_operands);
  tcase_add_test(tc, too_many_values);
  tcase_add_test(tc, zeros_and_turned_rows);
  tcase_add_test(tc, dot_of_steps);
  tcase_add_test(tc, views_of_many_runs);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "reduce", .add = add});
}
