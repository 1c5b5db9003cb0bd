// SPDX-License-Identifier: MIT
/// Products of matrices against plain C. Elements are multiples of 1/8 of small size, so that sums in every float dtype
/// are exact and each result has one right value, whatever the order of the additions.
#include <math.h>
#include <stdio.h>

#include "views.h"

/// A number of a product: integers as 64 bits, which wrap; floats as the two parts of a complex number.
typedef struct number {
  uint64_t whole;
  double re, im;
} number;

static bool is_whole(weft_dtype dtype) {
  const char kind = weft_dtype_kind(dtype);
  return kind == 'b' || kind == 'i' || kind == 'u';
}

static number number_read(weft_dtype dtype, const unsigned char *element) {
  number x = {0};
  if (dtype == WEFT_C64) {
    const float *parts = (const float *)(const void *)element;
    x.re = parts[0], x.im = parts[1];
  } else if (dtype == WEFT_C128) {
    const double *parts = (const double *)(const void *)element;
    x.re = parts[0], x.im = parts[1];
  } else if (is_whole(dtype)) {
    const size_t size = weft_dtype_size_bytes(dtype);
    memcpy(&x.whole, element, size);
    if (weft_dtype_kind(dtype) == 'i' && size < 8 && x.whole >> (8 * size - 1)) x.whole |= UINT64_MAX << 8 * size;
    x.re = weft_dtype_kind(dtype) == 'i' ? (double)(int64_t)x.whole : (double)x.whole;
  } else {
    x.re = (double)element_get(dtype, element);
  }
  return x;
}

static void number_write(weft_dtype dtype, unsigned char *element, number x, weft_dtype from) {
  if (is_whole(dtype))
    memcpy(element, &x.whole, weft_dtype_size_bytes(dtype));
  else
    element_set(dtype, element, is_whole(from) ? (double)(int64_t)x.whole : x.re, x.im);
}

/* ---- operands ---- */

/// The elements of an array in row-major order, and the array.
typedef struct operand {
  weft_dtype dtype;
  weft_shape shape;
  unsigned char *elements;
  weft_array *view;
} operand;

enum { PLAIN, TURNED, STEPPED, FLIPPED, REVERSED, PLACINGS };

static void random_element(harness_random *random, weft_dtype dtype, unsigned char *element) {
  const double re = (double)harness_between(random, -16, 16) / 8, im = (double)harness_between(random, -16, 16) / 8;
  if (dtype == WEFT_BOOL)
    *element = harness_between(random, 0, 9) == 0;
  else if (is_whole(dtype))
    for (size_t i = 0; i < weft_dtype_size_bytes(dtype); i++) element[i] = (unsigned char)harness_bits(random);
  else
    element_set(dtype, element, re, im);
}

static void from_host(weft_array **x, weft_dtype dtype, weft_shape shape, const void *data) {
  ok(weft_from_host(x, ctx, dtype, shape, data));
}

/// The position in memory of element i of an array in row-major order of `shape`. PLAIN: i; TURNED: the last two axes
/// are exchanged; STEPPED: every second element of the last axis, from the second on; FLIPPED: the first axis is
/// backwards; REVERSED: the axes are in reverse order.
static int64_t position(weft_shape shape, int64_t i, int placing) {
  int64_t index[WEFT_MAX_NDIM] = {0}, at = 0, step = 1;
  int order[WEFT_MAX_NDIM]; /* of the axes in memory, the outermost first */
  const int ndim = shape.ndim;
  for (int d = ndim - 1; d >= 0; d--) index[d] = i % shape.dim[d], i /= shape.dim[d];
  for (int d = 0; d < ndim; d++) order[d] = placing == REVERSED ? ndim - 1 - d : d;
  if (placing == TURNED) order[ndim - 2] = ndim - 1, order[ndim - 1] = ndim - 2;
  for (int d = ndim - 1; d >= 0; d--) {
    const int axis = order[d];
    int64_t length = shape.dim[axis], i_along = index[axis];
    if (placing == FLIPPED && axis == 0) i_along = length - 1 - i_along;
    if (placing == STEPPED && axis == ndim - 1) i_along = 2 * i_along + 1, length = 2 * length + 1;
    at += i_along * step;
    step *= length;
  }
  return at;
}

/// A view of these elements, laid out in memory in another way. No kernel is needed for it.
static void place(weft_array **view, weft_dtype dtype, weft_shape shape, const unsigned char *elements, int placing) {
  const int ndim = shape.ndim;
  const int64_t size = (int64_t)weft_dtype_size_bytes(dtype), count = shape_count(shape);
  weft_shape memory = shape;
  weft_array *base = NULL;
  if (placing == TURNED && (ndim < 2 || ndim > 4)) placing = REVERSED;
  if (placing == STEPPED) memory.dim[ndim - 1] = 2 * shape.dim[ndim - 1] + 1;
  if (placing == TURNED) memory.dim[ndim - 2] = shape.dim[ndim - 1], memory.dim[ndim - 1] = shape.dim[ndim - 2];
  for (int d = 0; d < ndim && placing == REVERSED; d++) memory.dim[d] = shape.dim[ndim - 1 - d];
  unsigned char *bytes = calloc((size_t)shape_count(memory) + 1, (size_t)size);
  for (int64_t i = 0; i < count; i++)
    memcpy(bytes + position(shape, i, placing) * size, elements + i * size, (size_t)size);
  from_host(&base, dtype, memory, bytes);
  if (placing == STEPPED) ok(weft_slice(view, base, ndim - 1, 1, WEFT_END, .step = 2));
  if (placing == FLIPPED) ok(weft_flip(view, base, 0));
  if (placing == REVERSED) ok(weft_transpose(view, base, WEFT_ALL_AXES));
  if (placing == TURNED && ndim == 2) ok(weft_transpose(view, base, WEFT_AXES(1, 0)));
  if (placing == TURNED && ndim == 3) ok(weft_transpose(view, base, WEFT_AXES(0, 2, 1)));
  if (placing == TURNED && ndim == 4) ok(weft_transpose(view, base, WEFT_AXES(0, 1, 3, 2)));
  if (placing == PLAIN) *view = weft_array_retain(base);
  free(bytes);
  weft_array_release(&base);
}

static operand operand_make(weft_dtype dtype, weft_shape shape, int placing, harness_random *random) {
  operand x = {.dtype = dtype, .shape = shape};
  const size_t size = weft_dtype_size_bytes(dtype);
  x.elements = malloc(((size_t)shape_count(shape) + 1) * size);
  for (int64_t i = 0; i < shape_count(shape); i++) random_element(random, dtype, x.elements + i * (int64_t)size);
  place(&x.view, dtype, shape, x.elements, placing);
  return x;
}

static void operand_release(operand *x) {
  free(x->elements);
  weft_array_release(&x->view);
}

/* ---- the reference ---- */

static weft_shape result_shape(weft_shape a, weft_shape b) {
  const int a_batch = a.ndim > 2 ? a.ndim - 2 : 0, b_batch = b.ndim > 2 ? b.ndim - 2 : 0;
  weft_shape shape = {.ndim = a_batch > b_batch ? a_batch : b_batch};
  for (int d = 0; d < shape.ndim; d++) {
    const int in_a = d - (shape.ndim - a_batch), in_b = d - (shape.ndim - b_batch);
    const int64_t x = in_a >= 0 ? a.dim[in_a] : 1, y = in_b >= 0 ? b.dim[in_b] : 1;
    shape.dim[d] = x == 1 ? y : x;
  }
  if (a.ndim > 1) shape.dim[shape.ndim++] = a.dim[a.ndim - 2];
  if (b.ndim > 1) shape.dim[shape.ndim++] = b.dim[b.ndim - 1];
  return shape;
}

/// The number of the matrix of x that belongs to product `batch` of a result of `axes` batch axes.
static int64_t matrix_of(weft_shape x, weft_shape result, int axes, int64_t batch) {
  const int own = x.ndim > 2 ? x.ndim - 2 : 0;
  int64_t index = 0, step = 1;
  for (int d = axes - 1; d >= 0; d--) {
    const int in_x = d - (axes - own);
    if (in_x >= 0 && x.dim[in_x] > 1) index += batch % result.dim[d] * step;
    if (in_x >= 0) step *= x.dim[in_x];
    batch /= result.dim[d];
  }
  return index;
}

static number multiply_add(number sum, number x, number y, weft_dtype product) {
  if (product == WEFT_BOOL) {
    sum.whole = sum.whole || (x.whole && y.whole);
  } else {
    sum.whole += x.whole * y.whole;
    sum.re += x.re * y.re - x.im * y.im;
    sum.im += x.re * y.im + x.im * y.re;
  }
  return sum;
}

/// The products of two operands in row-major order; the caller frees them.
static number *expected_products(const operand *a, const operand *b, weft_dtype product) {
  const weft_shape shape = result_shape(a->shape, b->shape);
  const int64_t k = a->shape.dim[a->shape.ndim - 1], m = a->shape.ndim > 1 ? a->shape.dim[a->shape.ndim - 2] : 1;
  const int64_t n = b->shape.ndim > 1 ? b->shape.dim[b->shape.ndim - 1] : 1, count = shape_count(shape);
  const int64_t a_size = (int64_t)weft_dtype_size_bytes(a->dtype), b_size = (int64_t)weft_dtype_size_bytes(b->dtype);
  const int axes = shape.ndim - (a->shape.ndim > 1) - (b->shape.ndim > 1);
  number *to = calloc((size_t)count + 1, sizeof *to);
  for (int64_t i = 0; i < count; i++) {
    const int64_t batch = i / (m * n), row = i / n % m, column = i % n;
    const unsigned char *x = a->elements + (matrix_of(a->shape, shape, axes, batch) * m + row) * k * a_size;
    const unsigned char *y = b->elements + (matrix_of(b->shape, shape, axes, batch) * k * n + column) * b_size;
    for (int64_t at = 0; at < k; at++)
      to[i] = multiply_add(to[i], number_read(a->dtype, x + at * a_size), number_read(b->dtype, y + at * n * b_size),
                           product);
  }
  return to;
}

static void check_result(const weft_array *y, const number *expected, weft_dtype product, const char *what) {
  const weft_dtype dtype = weft_array_dtype(y);
  const int64_t count = weft_array_size(y), size = (int64_t)weft_dtype_size_bytes(dtype);
  unsigned char *got = malloc((size_t)(count * size) + 1), right[16];
  ok(weft_to_host(got, (size_t)(count * size), y));
  for (int64_t i = 0; i < count; i++) {
    memset(right, 0, sizeof right);
    number_write(dtype, right, expected[i], product);
    const number x = number_read(dtype, got + i * size), z = number_read(dtype, right);
    if (x.whole != z.whole || x.re != z.re || x.im != z.im)
      ck_abort_msg("%s: element %lld of %lld is %g + %gi (%llx), not %g + %gi (%llx)", what, (long long)i,
                   (long long)count, x.re, x.im, (unsigned long long)x.whole, z.re, z.im, (unsigned long long)z.whole);
  }
  free(got);
  harness_count(count);
}

static weft_dtype product_dtype(weft_dtype a, weft_dtype b) {
  weft_array *x = NULL, *y = NULL, *z = NULL;
  ok(weft_empty(&x, ctx, a, WEFT_SHAPE(0))); /* no elements: no kernel */
  ok(weft_empty(&y, ctx, b, WEFT_SHAPE(0)));
  ok(weft_multiply(&z, x, y));
  const weft_dtype dtype = weft_array_dtype(z);
  weft_release(&x, &y, &z);
  return dtype;
}

/// One product with operands in these placings.
static void check_product(weft_dtype a_dtype, weft_dtype b_dtype, weft_shape a_shape, weft_shape b_shape, int a_placing,
                          int b_placing, harness_random *random) {
  char what[200];
  operand a = operand_make(a_dtype, a_shape, a_placing, random), b = operand_make(b_dtype, b_shape, b_placing, random);
  const weft_dtype product = product_dtype(a_dtype, b_dtype);
  weft_array *y = NULL;
  snprintf(what, sizeof what, "%s x %s, axes %d x %d, m %lld, k %lld, n %lld, placings %d %d", weft_dtype_name(a_dtype),
           weft_dtype_name(b_dtype), a_shape.ndim, b_shape.ndim,
           (long long)a_shape.dim[a_shape.ndim > 1 ? a_shape.ndim - 2 : 0], (long long)a_shape.dim[a_shape.ndim - 1],
           (long long)b_shape.dim[b_shape.ndim - 1], a_placing, b_placing);
  ok(weft_matmul(&y, a.view, b.view));
  ck_assert_msg(weft_array_dtype(y) == product, "%s: the result is %s", what, weft_dtype_name(weft_array_dtype(y)));
  const weft_shape shape = result_shape(a_shape, b_shape), got = weft_array_shape(y);
  ck_assert_int_eq(got.ndim, shape.ndim);
  for (int d = 0; d < shape.ndim; d++) ck_assert_int_eq(got.dim[d], shape.dim[d]);
  number *expected = expected_products(&a, &b, product);
  check_result(y, expected, product, what);
  free(expected);
  weft_array_release(&y);
  operand_release(&a);
  operand_release(&b);
}

/* ---- products ---- */

START_TEST(every_dtype)
{
  harness_random random = harness_random_start(1);
  for (int d = harness_next_dtype(0); d; d = harness_next_dtype(d + 1)) {
    const weft_dtype dtype = (weft_dtype)d;
    check_product(dtype, dtype, WEFT_SHAPE(67, 35), WEFT_SHAPE(35, 81), PLAIN, PLAIN, &random);
    check_product(dtype, dtype, WEFT_SHAPE(64, 48), WEFT_SHAPE(48, 128), TURNED, TURNED, &random);
    check_product(dtype, dtype, WEFT_SHAPE(3, 5, 7), WEFT_SHAPE(3, 7, 2), STEPPED, FLIPPED, &random);
    check_product(dtype, dtype, WEFT_SHAPE(200), WEFT_SHAPE(200, 65), PLAIN, REVERSED, &random);
  }
}
END_TEST

START_TEST(shapes)
{
  harness_random random = harness_random_start(2);
  const weft_shape pairs[][2] = {
      {WEFT_SHAPE(1), WEFT_SHAPE(1)},
      {WEFT_SHAPE(300), WEFT_SHAPE(300)},
      {WEFT_SHAPE(5), WEFT_SHAPE(5, 3)},
      {WEFT_SHAPE(3, 5), WEFT_SHAPE(5)},
      {WEFT_SHAPE(4, 3, 5), WEFT_SHAPE(5)},
      {WEFT_SHAPE(5), WEFT_SHAPE(4, 5, 3)},
      {WEFT_SHAPE(7, 3, 5), WEFT_SHAPE(5, 2)},
      {WEFT_SHAPE(3, 5), WEFT_SHAPE(7, 5, 2)},
      {WEFT_SHAPE(2, 1, 3, 5), WEFT_SHAPE(6, 5, 4)},
      {WEFT_SHAPE(2, 1, 1, 5), WEFT_SHAPE(1, 6, 5, 1)},
      {WEFT_SHAPE(2, 3, 1, 2, 4, 3), WEFT_SHAPE(3, 2, 1, 3, 5)},
      {WEFT_SHAPE(2, 1, 2, 1, 2, 1, 4, 3), WEFT_SHAPE(1, 2, 1, 2, 1, 2, 3, 5)},
      {WEFT_SHAPE(0, 5), WEFT_SHAPE(5, 3)},
      {WEFT_SHAPE(4, 0), WEFT_SHAPE(0, 3)},
      {WEFT_SHAPE(2, 4, 0), WEFT_SHAPE(0)},
      {WEFT_SHAPE(0), WEFT_SHAPE(0)},
      {WEFT_SHAPE(0, 4, 2), WEFT_SHAPE(2, 3)},
      {WEFT_SHAPE(1, 1), WEFT_SHAPE(1, 1)},
      {WEFT_SHAPE(65, 1), WEFT_SHAPE(1, 65)},
      {WEFT_SHAPE(1, 1000), WEFT_SHAPE(1000, 1)},
      {WEFT_SHAPE(129, 17), WEFT_SHAPE(17, 127)},
      {WEFT_SHAPE(24, 16, 20), WEFT_SHAPE(24, 20, 32)},
      {WEFT_SHAPE(37, 9, 11), WEFT_SHAPE(37, 11, 10)}, /* several in a work-group */
      {WEFT_SHAPE(1030, 33), WEFT_SHAPE(33)},          /* two and four rows at a time */
      {WEFT_SHAPE(4101, 36), WEFT_SHAPE(36)},
  };
  for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
    for (int placing = 0; placing < PLACINGS; placing++)
      check_product(WEFT_F32, WEFT_F32, pairs[p][0], pairs[p][1], placing, (placing + (int)p) % PLACINGS, &random);
}
END_TEST

START_TEST(random_shapes)
{
  harness_random random = harness_random_start(3);
  for (int round = 0; round < 60; round++) {
    weft_shape a = {.ndim = (int)harness_between(&random, 1, 4)}, b = {.ndim = (int)harness_between(&random, 1, 4)};
    const int64_t k = harness_between(&random, 1, 40);
    for (int d = 0; d < a.ndim; d++) a.dim[d] = harness_between(&random, 1, d < a.ndim - 2 ? 3 : 70);
    for (int d = 0; d < b.ndim; d++) b.dim[d] = harness_between(&random, 1, d < b.ndim - 2 ? 3 : 70);
    a.dim[a.ndim - 1] = b.dim[b.ndim > 1 ? b.ndim - 2 : 0] = k;
    for (int d = 3; d <= a.ndim && d <= b.ndim; d++) /* batches broadcast */
      if (a.dim[a.ndim - d] != b.dim[b.ndim - d]) *(round % 2 ? &a.dim[a.ndim - d] : &b.dim[b.ndim - d]) = 1;
    const weft_dtype dtype = round % 3 == 0 ? WEFT_F64 : round % 3 == 1 ? WEFT_C64 : WEFT_I16;
    if (!device.has_fp64 && dtype == WEFT_F64) continue;
    check_product(dtype, dtype, a, b, (int)harness_between(&random, 0, PLACINGS - 1),
                  (int)harness_between(&random, 0, PLACINGS - 1), &random);
  }
}
END_TEST

START_TEST(promotion)
{
  harness_random random = harness_random_start(4);
  int pairs = 0;
  for (int a = harness_next_dtype(0); a; a = harness_next_dtype(a + 1)) {
    const weft_dtype others[] = {WEFT_F32, WEFT_I16, WEFT_BOOL};
    for (int k = 0; k < 3; k++) {
      const weft_dtype product = product_dtype((weft_dtype)a, others[k]);
      if (!device.has_fp64 && (product == WEFT_F64 || product == WEFT_C128)) continue;
      if (is_whole(product) != is_whole((weft_dtype)a) || is_whole(product) != is_whole(others[k]))
        continue; /* not exact */
      if (device.type == WEFT_DEVICE_TYPE_CPU && pairs++ % 4)
        continue; /* each pair has a kernel, which takes long there */
      check_product((weft_dtype)a, others[k], WEFT_SHAPE(9, 6), WEFT_SHAPE(6, 20), PLAIN, TURNED, &random);
    }
  }
}
END_TEST

/* ---- results, factors ---- */

static void check_floats(const weft_array *y, int64_t count, const double *expected, const char *what) {
  const weft_dtype dtype = weft_array_dtype(y);
  const size_t size = weft_dtype_size_bytes(dtype);
  unsigned char *got = malloc((size_t)count * size);
  ck_assert_int_eq(weft_array_size(y), count);
  ok(weft_to_host(got, (size_t)count * size, y));
  for (int64_t i = 0; i < count; i++) {
    const double element = number_read(dtype, got + i * (int64_t)size).re;
    ck_assert_msg(element == expected[i], "%s: element %lld is %g, not %g", what, (long long)i, element, expected[i]);
  }
  free(got);
  harness_count(count);
}

static const float A[] = {1, 2, 3, 4, 5, 6};          /* 2 x 3 */
static const float B[] = {1, 0, 2, 1, 3, 1, 0, 1, 2}; /* 3 x 3 */
static const double AB[] = {3, 9, 10, 9, 21, 25};
static const float C[] = {1, 1, 1, 2, 2, 2};

typedef struct matrices {
  weft_array *a, *b, *c;
} matrices;

static matrices matrices_make(void) {
  matrices x = {NULL, NULL, NULL};
  from_host(&x.a, WEFT_F32, WEFT_SHAPE(2, 3), A);
  from_host(&x.b, WEFT_F32, WEFT_SHAPE(3, 3), B);
  from_host(&x.c, WEFT_F32, WEFT_SHAPE(2, 3), C);
  return x;
}

static void matrices_release(matrices *x) {
  weft_release(&x->a, &x->b, &x->c);
}

START_TEST(factors)
{
  matrices x = matrices_make();
  weft_array *y = NULL;
  ok(weft_matmul(&y, x.a, x.b, .scale = WEFT_SCALAR(2.0)));
  check_floats(y, 6, (const double[]){6, 18, 20, 18, 42, 50}, "scale");
  ok(weft_matmul(&y, x.a, x.b, .accumulate = WEFT_SCALAR(1)));
  check_floats(y, 6, (const double[]){9, 27, 30, 27, 63, 75}, "accumulate");
  ok(weft_matmul(&x.c, x.a, x.b, .scale = WEFT_SCALAR(-1), .accumulate = WEFT_SCALAR(10.0f)));
  check_floats(x.c, 6, (const double[]){7, 1, 0, 11, -1, -5}, "both");
  ok(weft_fill(y, NAN));
  ok(weft_matmul(&y, x.a, x.b, .accumulate = WEFT_SCALAR(0.0))); /* the old elements are not read */
  check_floats(y, 6, AB, "accumulate 0");
  ok(weft_matmul(&y, x.a, x.b, .scale = WEFT_SCALAR(0)));
  check_floats(y, 6, (const double[6]){0}, "scale 0");
  weft_array *complex = NULL, *i8 = NULL, *z = NULL, *w = NULL;
  ok(weft_cast(&complex, x.a, WEFT_C64));
  ok(weft_matmul(&z, complex, x.b, .scale = WEFT_SCALAR(((weft_c64){0, 1}))));
  ok(weft_imag(&w, z));
  check_floats(w, 6, AB, "scale i");
  weft_release(&z, &w);
  ok(weft_cast(&i8, x.a, WEFT_I8));
  weft_array *turned = NULL;
  ok(weft_transpose(&turned, i8, WEFT_ALL_AXES));
  ok(weft_matmul(&z, i8, turned, .scale = WEFT_SCALAR(-2)));
  ck_assert_int_eq(weft_array_dtype(z), WEFT_I8);
  check_floats(z, 4, (const double[]){-28, -64, -64, 102}, "scale of i8"); /* -154 wraps */
  ok(weft_matmul(&z, i8, turned, .accumulate = WEFT_SCALAR(3)));
  check_floats(z, 4, (const double[]){-70, 96, 96, 127}, "accumulate of i8");
  weft_array_release(&turned);
  matrices_release(&x);
  weft_release(&y, &complex, &i8, &z, &w);
}
END_TEST

START_TEST(results)
{
  matrices x = matrices_make();
  weft_array *y = NULL, *wide = NULL, *square = NULL, *host_y = NULL;
  /* strided, flipped, turned, and in other dtypes */
  ok(weft_zeros(&wide, ctx, WEFT_F32, WEFT_SHAPE(4, 7)));
  ok(weft_slice(&y, wide, 1, 1, WEFT_END, .step = 2));
  weft_array *rows = NULL, *turned = NULL, *column_major = NULL, *f16 = NULL, *bits = NULL;
  ok(weft_slice(&rows, y, 0, WEFT_END, 1, .step = -1));
  ok(weft_matmul(&rows, x.a, x.b));
  check_floats(rows, 6, AB, "a strided result");
  double all[28] = {0};
  for (int i = 0; i < 6; i++) all[(3 - i / 3) * 7 + 1 + i % 3 * 2] = AB[i];
  check_floats(wide, 28, all, "around a strided result");
  ok(weft_zeros(&column_major, ctx, WEFT_F32, WEFT_SHAPE(3, 2)));
  ok(weft_transpose(&turned, column_major, WEFT_ALL_AXES));
  ok(weft_matmul(&turned, x.a, x.b));
  check_floats(turned, 6, AB, "a result in columns");
  ok(weft_zeros(&f16, ctx, WEFT_F16, WEFT_SHAPE(2, 3)));
  ok(weft_matmul(&f16, x.a, x.b));
  check_floats(f16, 6, AB, "an f16 result");
  /* operands that are the result */
  from_host(&square, WEFT_F32, WEFT_SHAPE(3, 3), B);
  ok(weft_matmul(&square, square, square));
  check_floats(square, 9, (const double[]){1, 2, 6, 4, 10, 7, 1, 5, 5}, "in place");
  ok(weft_copy(&square, x.b));
  ok(weft_matmul(&square, square, square, .accumulate = WEFT_SCALAR(1)));
  check_floats(square, 9, (const double[]){2, 2, 8, 5, 13, 8, 1, 6, 7}, "in place, accumulated");
  ok(weft_copy(&square, x.b));
  weft_array *first = NULL;
  ok(weft_slice(&first, square, 0, 0, 2));
  ok(weft_matmul(&first, x.a, square));
  check_floats(first, 6, AB, "overlapping");
  /* host memory */
  float got[6] = {1, 1, 1, 1, 1, 1};
  double expected[6];
  ok(weft_matmul(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE(2, 3)), WEFT_HOST(A, WEFT_F32, WEFT_SHAPE(2, 3)), x.b));
  for (int i = 0; i < 6; i++) ck_assert(got[i] == (float)AB[i]);
  ok(weft_matmul(WEFT_HOST_OUT(got, WEFT_F32, WEFT_SHAPE(2, 3)), WEFT_HOST(A, WEFT_F32, WEFT_SHAPE(2, 3)),
                 WEFT_HOST(B, WEFT_F32, WEFT_SHAPE(3, 3)), .accumulate = WEFT_SCALAR(3)));
  for (int i = 0; i < 6; i++) expected[i] = 4 * AB[i];
  for (int i = 0; i < 6; i++) ck_assert(got[i] == (float)expected[i]);
  /* elements that begin at no multiple of their size are copied */
  char shifted[sizeof A + 1];
  memcpy(shifted + 1, A, sizeof A);
  from_host(&bits, WEFT_U8, WEFT_SHAPE(sizeof shifted), shifted);
  ok(weft_matmul(&host_y, WEFT_HOST(shifted + 1, WEFT_F32, WEFT_SHAPE(2, 3)), x.b));
  check_floats(host_y, 6, AB, "unaligned");
  matrices_release(&x);
  weft_release(&y, &wide, &square, &host_y, &rows, &turned, &column_major, &f16, &bits, &first);
}
END_TEST

START_TEST(dtypes)
{
  matrices x = matrices_make();
  weft_array *y = NULL, *i8 = NULL, *turned = NULL, *f16 = NULL, *large = NULL;
  ok(weft_cast(&i8, x.a, WEFT_I8));
  ok(weft_transpose(&turned, i8, WEFT_ALL_AXES));
  ok(weft_matmul(&y, i8, turned, .dtype = WEFT_I32, .scale = WEFT_SCALAR(100)));
  ck_assert_int_eq(weft_array_dtype(y), WEFT_I32);
  check_floats(y, 4, (const double[]){1400, 3200, 3200, 7700}, "i8 as i32");
  weft_array_release(&y);
  ok(weft_cast(&f16, x.a, WEFT_F16));
  ok(weft_matmul(&y, f16, x.b, .dtype = WEFT_F32));
  check_floats(y, 6, AB, "f16 and f32");
  weft_array_release(&y);
  ok(weft_full(&large, ctx, WEFT_F16, WEFT_SHAPE(1, 2), 60000.0f)); /* the sum is over f16's range, in f32 it is not */
  const float ones[] = {1, 1};
  ok(weft_matmul(&y, large, WEFT_HOST(ones, WEFT_F32, WEFT_SHAPE(2)), .scale = WEFT_SCALAR(0.25), .dtype = WEFT_F16));
  ck_assert_int_eq(weft_array_dtype(y), WEFT_F16);
  check_floats(y, 1, (const double[]){30000}, "f16");
  weft_release(&y);
  for (int precision = 0; precision < WEFT_PRECISION_COUNT; precision++) {
    ok(weft_matmul(&y, x.a, x.b, .precision = (weft_precision)precision));
    check_floats(y, 6, AB, "a precision"); /* few bits: exact in all */
  }
  matrices_release(&x);
  weft_release(&y, &i8, &turned, &f16, &large);
}
END_TEST

/* ---- epilogues ---- */

START_TEST(epilogues)
{
  matrices x = matrices_make();
  weft_array *y = NULL, *bias = NULL, *rows = NULL, *batch = NULL, *mask = NULL;
  const float bias_of[] = {-10, 0, 10}, rows_of[] = {1, 2}, batch_of[] = {1, 2, 3, 4};
  from_host(&bias, WEFT_F32, WEFT_SHAPE(3), bias_of);
  from_host(&rows, WEFT_F32, WEFT_SHAPE(2, 1), rows_of);
  from_host(&batch, WEFT_F32, WEFT_SHAPE(4, 1, 1), batch_of);
  ok(weft_matmul(&y, x.a, x.b, .epilogue = WEFT_EPILOGUE("maximum(value + bias, 0)", WEFT_VAR(bias))));
  check_floats(y, 6, (const double[]){0, 9, 20, 0, 21, 35}, "bias and relu");
  ok(weft_matmul(&y, x.a, x.b, .epilogue = WEFT_EPILOGUE("-value")));
  check_floats(y, 6, (const double[]){-3, -9, -10, -9, -21, -25}, "no variables");
  ok(weft_matmul(&y, x.a, x.b, .scale = WEFT_SCALAR(2), .accumulate = WEFT_SCALAR(1),
                 .epilogue = WEFT_EPILOGUE("t = value * rows; t + k * bias + c", WEFT_VAR(rows), WEFT_NAMED("k", 3),
                                           WEFT_VAR(bias), WEFT_NAMED("c", x.c))));
  check_floats(y, 6,
               (const double[]){6 - 3 + 1 - 30, 18 - 9 + 1, 20 - 10 + 1 + 30, (18 - 9) * 2 + 2 - 30, (42 - 21) * 2 + 2,
                                (50 - 25) * 2 + 2 + 30},
               "all");
  ok(weft_matmul(&y, x.a, x.b, .epilogue = WEFT_EPILOGUE("value + y", WEFT_VAR(y)))); /* the result as a variable */
  check_floats(y, 6, (const double[]){3 - 26, 9 + 10, 10 + 41, 9 - 10, 21 + 44, 25 + 82}, "in place");
  weft_array_release(&y);
  ok(weft_cast(&mask, x.c, WEFT_BOOL));
  ok(weft_matmul(&y, x.a, x.b, .epilogue = WEFT_EPILOGUE("where(mask, value > 9, 5)", WEFT_VAR(mask))));
  check_floats(y, 6, (const double[]){0, 0, 1, 0, 1, 1}, "a mask");
  weft_array_release(&y);
  /* batches: variables broadcast along them */
  weft_array *stack = NULL, *wide = NULL;
  ok(weft_broadcast(&stack, x.a, WEFT_SHAPE(4, 2, 3)));
  ok(weft_matmul(&y, stack, x.b, .epilogue = WEFT_EPILOGUE("value * batch", WEFT_VAR(batch))));
  double expected[24];
  for (int i = 0; i < 24; i++) expected[i] = AB[i % 6] * (1 + i / 6);
  check_floats(y, 24, expected, "batches");
  weft_array_release(&y);
  /* rows of a variable that are the columns of an exchanged product */
  ok(weft_zeros(&wide, ctx, WEFT_F32, WEFT_SHAPE(3, 2)));
  ok(weft_transpose(&y, wide, WEFT_ALL_AXES));
  ok(weft_matmul(&y, x.a, x.b, .epilogue = WEFT_EPILOGUE("value * rows + bias", WEFT_VAR(rows), WEFT_VAR(bias))));
  check_floats(y, 6, (const double[]){3 - 10, 9, 10 + 10, 18 - 10, 42, 50 + 10}, "exchanged");
  weft_array_release(&y);
  /* narrow floats: the value is an f32 */
  weft_array *f16 = NULL;
  ok(weft_full(&f16, ctx, WEFT_F16, WEFT_SHAPE(1, 1), 60000.0f));
  ok(weft_matmul(&y, f16, f16, .epilogue = WEFT_EPILOGUE("value / 1e9")));
  ck_assert_int_eq(weft_array_dtype(y), WEFT_F16);
  float got;
  weft_array *f32 = NULL;
  ok(weft_cast(&f32, y, WEFT_F32));
  ok(weft_to_host(&got, sizeof got, f32));
  ck_assert_msg(fabsf(got - 3.6f) < 0.002f, "%g", (double)got);
  /* no products at all: the value is 0 */
  weft_release(&y, &f32);
  ok(weft_matmul(&y, WEFT_HOST(A, WEFT_F32, WEFT_SHAPE(2, 0)), WEFT_HOST(B, WEFT_F32, WEFT_SHAPE(0, 3)),
                 .epilogue = WEFT_EPILOGUE("value + bias", WEFT_VAR(bias))));
  check_floats(y, 6, (const double[]){-10, 0, 10, -10, 0, 10}, "of nothing");
  matrices_release(&x);
  weft_release(&y, &bias, &rows, &batch, &mask, &stack, &wide, &f16, &f32);
}
END_TEST

/* ---- errors ---- */

START_TEST(errors)
{
  matrices x = matrices_make();
  weft_array *none = NULL, *y = NULL, *whole = NULL, *cube = NULL, *wide = NULL;
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(2, 2)));
  ok(weft_zeros(&whole, ctx, WEFT_I32, WEFT_SHAPE(3, 3)));
  ok(weft_zeros(&cube, ctx, WEFT_F32, WEFT_SHAPE(4, 2, 3)));
  expect_error(weft_matmul(&none, x.a, x.a), WEFT_ERROR_SHAPE, "`a` is f32[2,3], `b` is f32[2,3]",
               "last axis of `a` has length 3, axis 0 of `b` 2", "@b");
  expect_error(weft_matmul(&none, 2.0f, x.a), WEFT_ERROR_SHAPE, "`a` has no axes", "weft_multiply", "@a");
  weft_array *three = NULL;
  ok(weft_zeros(&three, ctx, WEFT_F32, WEFT_SHAPE(3, 3, 2)));
  expect_error(weft_matmul(&none, cube, three), WEFT_ERROR_SHAPE, "do not broadcast", "@b");
  expect_error(weft_matmul(&y, x.a, x.b), WEFT_ERROR_SHAPE, "`out` is f32[2,2], the result is f32[2,3]", "@out");
  expect_error(weft_matmul(&whole, x.b, x.b), WEFT_ERROR_DTYPE, "the result is f32", "i32", "@out");
  expect_error(weft_matmul(&none, (weft_array *)NULL, x.b), WEFT_ERROR_HANDLE, "@a");
  expect_error(weft_matmul(&none, x.a, x.b, .dtype = WEFT_I32), WEFT_ERROR_DTYPE, "promote to f32", "i32", "@dtype");
  expect_error(weft_matmul(&none, x.a, x.b, .dtype = (weft_dtype)99), WEFT_ERROR_DTYPE, "99", "@dtype");
  expect_error(weft_matmul(&none, x.a, x.b, .precision = (weft_precision)7), WEFT_ERROR_ARGUMENT, "7", "@precision");
  expect_error(weft_matmul(&none, x.a, x.b, .accumulate = WEFT_SCALAR(1)), WEFT_ERROR_ARGUMENT, "new array", "@out");
  expect_error(weft_matmul(&none, x.a, x.b, .scale = {{0.5}}), WEFT_ERROR_ARGUMENT, "WEFT_SCALAR(0.5)", "@scale");
  expect_error(weft_matmul(&none, whole, whole, .scale = WEFT_SCALAR(0.5)), WEFT_ERROR_DTYPE, "f64", "i32", "@scale");
  expect_error(weft_matmul(&none, whole, whole, .scale = WEFT_SCALAR((int64_t)1 << 40)), WEFT_ERROR_OVERFLOW,
               "i32 cannot hold", "@scale");
  ok(weft_zeros(&wide, ctx, WEFT_F32, WEFT_SHAPE(3, 3)));
  expect_error(weft_matmul(&wide, whole, whole, .accumulate = WEFT_SCALAR(1)), WEFT_ERROR_DTYPE, "`out` is f32",
               "cast to i32", "@out");
  weft_scalar odd = WEFT_SCALAR(1);
  odd.dtype = (weft_dtype)77;
  expect_error(weft_matmul(&y, x.a, x.b, .accumulate = odd), WEFT_ERROR_ARGUMENT, "77", "@accumulate");
  expect_error(weft_matmul(&none, x.a, x.b, .epilogue = WEFT_EPILOGUE("value +")), WEFT_ERROR_EXPRESSION, "expr:1:8");
  expect_error(weft_matmul(&none, x.a, x.b, .epilogue = WEFT_EPILOGUE("value + i")), WEFT_ERROR_EXPRESSION, "no `i`");
  expect_error(weft_matmul(&none, x.a, x.b, .epilogue = WEFT_EPILOGUE("value + n")), WEFT_ERROR_EXPRESSION, "no `n`");
  expect_error(weft_matmul(&none, x.a, x.b, .epilogue = WEFT_EPILOGUE("value + y", WEFT_VAR(y))), WEFT_ERROR_SHAPE,
               "`y` is f32[2,2], the product is f32[2,3]", "@y");
  expect_error(weft_matmul(&none, x.a, x.b, .epilogue = WEFT_EPILOGUE("value + cube", WEFT_VAR(cube))),
               WEFT_ERROR_SHAPE, "broadcasts to the product", "@cube");
  expect_error(weft_matmul(&none, x.a, x.b, .epilogue = WEFT_EPILOGUE("value", WEFT_VAR(x.c))), WEFT_ERROR_ARGUMENT,
               "WEFT_NAMED", "@x.c");
  expect_error(weft_matmul(&none, x.a, x.b, .epilogue = WEFT_EPILOGUE("value", WEFT_NAMED("c", x.c))),
               WEFT_ERROR_EXPRESSION, "`c`");
  expect_error(weft_matmul(&none, x.a, x.b, .epilogue = WEFT_EPILOGUE("value + k", x.c)), WEFT_ERROR_ARGUMENT,
               "variable 1", "no name", "@epilogue");
  expect_error(weft_matmul(&none, x.a, x.b, .epilogue = WEFT_EPILOGUE("value", WEFT_NAMED("value", 1))),
               WEFT_ERROR_ARGUMENT, "not a variable", "@value");
  expect_error(weft_matmul(&none, x.a, x.b, .epilogue = WEFT_EPILOGUE("value", WEFT_NAMED("1x", 1))),
               WEFT_ERROR_ARGUMENT, "no name that an expression can use", "@1x");
  expect_error(weft_matmul(&none, x.a, x.b, .epilogue = WEFT_EPILOGUE("value", WEFT_VAR(&none))), WEFT_ERROR_ARGUMENT,
               "not an array", "@none");
  expect_error(weft_matmul(&none, x.a, x.b, .epilogue = WEFT_EPILOGUE("value", WEFT_NAMED("t", 1), WEFT_NAMED("t", 2))),
               WEFT_ERROR_ARGUMENT, "`t` is given twice", "@t");
  expect_error(weft_matmul(&none, x.a, x.b, .epilogue = {.variable_count = 1}), WEFT_ERROR_ARGUMENT, "no text");
  expect_error(weft_matmul(&none, x.a, x.b, .epilogue = {.text = "value", .variable_count = 80}), WEFT_ERROR_ARGUMENT,
               "80 variables");
  expect_error(weft_matmul(&none, x.a, x.b, .epilogue = {.text = "value", .variable_count = 1}), WEFT_ERROR_ARGUMENT,
               "`variables` is NULL");
  expect_error(weft_matmul(&none, x.a, x.b,
                           .epilogue = WEFT_EPILOGUE("value+q+r+s+t+u+v+w", WEFT_NAMED("q", x.c), WEFT_NAMED("r", x.c),
                                                     WEFT_NAMED("s", x.c), WEFT_NAMED("t", x.c), WEFT_NAMED("u", x.c),
                                                     WEFT_NAMED("v", x.c), WEFT_NAMED("w", x.c))),
               WEFT_ERROR_ARGUMENT, "more than 6", "@epilogue");
  if (device.has_fp64) {
    weft_array *c128 = NULL;
    ok(weft_zeros(&c128, ctx, WEFT_C128, WEFT_SHAPE(2, 3)));
    expect_error(weft_matmul(&none, x.a, x.b, .epilogue = WEFT_EPILOGUE("value + z", WEFT_NAMED("z", c128))),
                 WEFT_ERROR_EXPRESSION, "c128");
    weft_array_release(&c128);
  }
  ck_assert_ptr_null(none);
  matrices_release(&x);
  weft_release(&y, &whole, &cube, &three, &wide);
}
END_TEST

/* ---- the suite ---- */

static void add(Suite *suite) {
  TCase *c = harness_context_case(suite, "matmul");
  tcase_add_test(c, every_dtype);
  tcase_add_test(c, shapes);
  tcase_add_test(c, random_shapes);
  tcase_add_test(c, promotion);
  tcase_add_test(c, factors);
  tcase_add_test(c, results);
  tcase_add_test(c, dtypes);
  tcase_add_test(c, epilogues);
  tcase_add_test(c, errors);
}

int main(void) {
  const harness_suite suite = {.name = "matmul", .add = add};
  return harness_main(&suite);
}
