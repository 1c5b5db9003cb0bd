// SPDX-License-Identifier: MIT
/* Elements by their indices: every function against loops over host memory, in every layout. */
#include "views.h"

enum { MOST = 4000 };

/* ---- indices ---- */

typedef struct picks {
  weft_dtype dtype;
  weft_shape shape;
  int64_t count, value[MOST];
  unsigned char bytes[MOST * 8];
} picks;

static void store(picks *p, int64_t k, int64_t v) {
  size_t size = weft_dtype_size_bytes(p->dtype);
  p->value[k] = v;
  memcpy(p->bytes + (size_t)k * size, &v, size); /* little-endian, as all that the suite runs on */
}

/* Of a dtype that goes with the mode, so that the kernels are few. In ERROR mode all are in range, half of them counted from the end. */
static void make_picks(picks *p, weft_shape shape, int64_t length, unsigned mode, harness_random *random) {
  p->shape = shape;
  p->count = shape_count(shape);
  p->dtype = (mode & 3) == WEFT_INDEX_ERROR ? WEFT_I32 : (mode & 3) == WEFT_INDEX_CLIP ? WEFT_I64 : WEFT_I32;
  ck_assert_int_le(p->count, MOST);
  for (int64_t k = 0; k < p->count; k++) {
    bool from_end = harness_bits(random) & 1;
    int64_t v = harness_between(random, 0, length - 1);
    if ((mode & 3) == WEFT_INDEX_ERROR)
      v -= from_end ? length : 0;
    else
      v = harness_between(random, -2 * length - 3, 2 * length + 3);
    store(p, k, v);
  }
}

static weft_array *upload(const picks *p) {
  weft_array *x = NULL;
  ok(weft_from_host(&x, ctx, p->dtype, p->shape, p->bytes));
  return x;
}

static int64_t resolve(int64_t v, int64_t length, unsigned mode) {
  switch (mode & 3) {
    case WEFT_INDEX_CLIP:
      return v < 0 ? 0 : v >= length ? length - 1 : v;
    case WEFT_INDEX_WRAP:
      return (v % length + length) % length;
    default:
      return v < 0 ? v + length : v;
  }
}

/* ---- the loops ---- */

typedef struct around {
  int64_t outer, length, run;
} around;

static around around_of(weft_shape shape, int axis) {
  around a = {1, 1, 1};
  if (axis == WEFT_EVERY_AXIS) {
    a.length = shape_count(shape);
    return a;
  }
  for (int d = 0; d < shape.ndim; d++) *(d < axis ? &a.outer : d == axis ? &a.length : &a.run) *= shape.dim[d];
  return a;
}

/* The element of x that element e of the dense side belongs to; `along`: there is an index for each e. */
static int64_t place_of(const around *a, int64_t e, const picks *p, int64_t count, bool along, unsigned mode) {
  int64_t i = e % a->run, k = e / a->run % count, o = e / a->run / count;
  return (o * a->length + resolve(p->value[along ? e : k], a->length, mode)) * a->run + i;
}

static weft_shape random_shape(harness_random *random, int64_t most) {
  weft_shape shape = {(int)harness_between(random, 0, 2), {0}};
  int64_t n = harness_between(random, 0, 9) == 0 ? harness_between(random, 0, 1) : harness_between(random, 1, most);
  if (shape.ndim == 1) shape.dim[0] = n;
  if (shape.ndim == 2) {
    shape.dim[0] = harness_between(random, 1, 3);
    shape.dim[1] = n / shape.dim[0];
  }
  return shape;
}

static weft_dtype random_dtype(harness_random *random) {
  weft_dtype dtype;
  do {
    dtype = (weft_dtype)harness_between(random, 1, WEFT_DTYPE_COUNT - 1);
  } while (!harness_has_dtype(dtype));
  return dtype;
}

/* Kernels move bytes: clip and wrap with elements of one size are enough. */
static unsigned random_mode(harness_random *random, weft_dtype dtype) {
  return weft_dtype_size_bytes(dtype) == 4 ? (unsigned)harness_between(random, 0, 2) : WEFT_INDEX_ERROR;
}

/* And so are views of one dtype for each size. */
static layout random_layout(harness_random *random, weft_dtype dtype, bool is_written) {
  layout kind;
  if (dtype != WEFT_U8 && dtype != WEFT_F16 && dtype != WEFT_F32 && dtype != WEFT_C64 && dtype != WEFT_C128)
    return harness_bits(random) & 1 ? LAYOUT_CONTIGUOUS : LAYOUT_INNER;
  do {
    kind = (layout)harness_between(random, 0, LAYOUT_COUNT - 1);
  } while (kind == LAYOUT_EMPTY || (is_written && kind == LAYOUT_BROADCAST));
  return kind;
}

static int random_axis(harness_random *random, int ndim) {
  return ndim == 0 || harness_between(random, 0, 3) == 0 ? WEFT_EVERY_AXIS : (int)harness_between(random, 0, ndim - 1);
}

static const char *describe(char *text, size_t size, const char *what, weft_dtype dtype, layout kind, int axis, const picks *p,
                            unsigned mode) {
  snprintf(text, size, "%s %s %s axis %d, %" PRId64 " indices of %s, mode %x", what, weft_dtype_name(dtype), LAYOUT_NAMES[kind],
           axis == WEFT_EVERY_AXIS ? -1 : axis, p->count, weft_dtype_name(p->dtype), mode);
  return text;
}

/* ---- take ---- */

START_TEST(take_is_a_loop)
{
  harness_random random = harness_random_start(100 + (uint64_t)_i);
  static picks p;
  char what[200];
  for (int round = 0; round < 30; round++) {
    weft_dtype dtype = random_dtype(&random);
    size_t size = weft_dtype_size_bytes(dtype);
    layout kind = random_layout(&random, dtype, false);
    unsigned mode = random_mode(&random, dtype);
    strided x;
    strided_make(&x, dtype, kind, harness_between(&random, 1, 600), &random);
    weft_shape shape = weft_array_shape(x.view);
    int axis = random_axis(&random, shape.ndim);
    around a = around_of(shape, axis);
    make_picks(&p, random_shape(&random, a.outer * a.run > 20 ? 40 : 1500), a.length, mode, &random);
    describe(what, sizeof what, "take", dtype, kind, axis, &p, mode);
    unsigned char *from = strided_values(&x);
    int64_t count = a.outer * p.count * a.run;
    unsigned char *expected = malloc((size_t)count * size + 1), *host = malloc((size_t)count * size + 1);
    for (int64_t e = 0; e < count; e++)
      memcpy(expected + (size_t)e * size, from + (size_t)place_of(&a, e, &p, p.count, false, mode) * size, size);
    weft_array *indices = upload(&p), *y = NULL;
    int given = axis != WEFT_EVERY_AXIS && (harness_bits(&random) & 1) ? axis - shape.ndim : axis;
    ok(weft_take(&y, x.view, indices, given, mode));
    ck_assert_int_eq(weft_array_ndim(y), axis == WEFT_EVERY_AXIS ? p.shape.ndim : shape.ndim - 1 + p.shape.ndim);
    ck_assert_int_eq(weft_array_dtype(y), dtype);
    check_elements(y, expected, count, what);
    /* into the same array, by indices in host memory; and to host memory */
    ok(weft_take(&y, x.view, WEFT_HOST(p.bytes, p.dtype, p.shape), axis, mode));
    check_elements(y, expected, count, what);
    ok(weft_take(WEFT_HOST_OUT(host, dtype, weft_array_shape(y)), x.view, indices, axis, mode));
    ck_assert_msg(memcmp(host, expected, (size_t)count * size) == 0, "%s, to the host", what);
    weft_array_release(&y);
    weft_array_release(&indices);
    free(from);
    free(expected);
    free(host);
    strided_release(&x);
    harness_count(3);
  }
}
END_TEST

START_TEST(take_along_axis_is_a_loop)
{
  harness_random random = harness_random_start(200 + (uint64_t)_i);
  static picks p;
  char what[200];
  for (int round = 0; round < 20; round++) {
    weft_dtype dtype = random_dtype(&random);
    size_t size = weft_dtype_size_bytes(dtype);
    layout kind;
    do {
      kind = random_layout(&random, dtype, false);
    } while (kind == LAYOUT_SCALAR);
    unsigned mode = random_mode(&random, dtype);
    strided x;
    strided_make(&x, dtype, kind, harness_between(&random, 1, 600), &random);
    weft_shape shape = weft_array_shape(x.view), wanted = shape;
    int axis = (int)harness_between(&random, 0, shape.ndim - 1);
    around a = around_of(shape, axis);
    wanted.dim[axis] = harness_between(&random, 0, 4) == 0 ? 0 : harness_between(&random, 1, MOST / (a.outer * a.run));
    make_picks(&p, wanted, a.length, mode, &random);
    describe(what, sizeof what, "take_along_axis", dtype, kind, axis, &p, mode);
    unsigned char *from = strided_values(&x), *expected = malloc((size_t)p.count * size + 1);
    for (int64_t e = 0; e < p.count; e++)
      memcpy(expected + (size_t)e * size, from + (size_t)place_of(&a, e, &p, wanted.dim[axis], true, mode) * size, size);
    weft_array *indices = upload(&p), *y = NULL;
    ok(weft_take_along_axis(&y, x.view, indices, axis, mode));
    check_elements(y, expected, p.count, what);
    weft_array_release(&y);
    weft_array_release(&indices);
    free(from);
    free(expected);
    strided_release(&x);
    harness_count(1);
  }
}
END_TEST

START_TEST(along_repeats_axes_of_length_1)
{
  weft_array *x = NULL, *y = NULL;
  ok(weft_arange(&x, ctx, WEFT_I32, 0, 6, 1));
  weft_array *table = NULL, *row = NULL;
  ok(weft_reshape(&table, x, WEFT_SHAPE(2, 3)));
  ok(weft_take_along_axis(&y, table, WEFT_HOST(((const int32_t[]){2, 0}), WEFT_I32, WEFT_SHAPE(1, 2)), 1, WEFT_INDEX_ERROR));
  check_elements(y, (const int32_t[]){2, 0, 5, 3}, 4, "indices repeated");
  weft_array_release(&y);
  ok(weft_reshape(&row, x, WEFT_SHAPE(1, 6)));
  ok(weft_take_along_axis(&y, row, WEFT_HOST(((const int32_t[]){5, 0, 1}), WEFT_I32, WEFT_SHAPE(3, 1)), -1, WEFT_INDEX_ERROR));
  check_elements(y, (const int32_t[]){5, 0, 1}, 3, "x repeated");
  ok(weft_put_along_axis(table, WEFT_HOST(((const int32_t[]){1}), WEFT_I32, WEFT_SHAPE(1, 1)), -7, 1, WEFT_INDEX_ERROR));
  check_elements(table, (const int32_t[]){0, -7, 2, 3, -7, 5}, 6, "put, indices repeated");
  weft_array_release(&y);
  weft_array_release(&row);
  weft_array_release(&table);
  weft_array_release(&x);
}
END_TEST

/* Runs behind the axis of all lengths: the units that they are moved in. */
START_TEST(rows_of_all_lengths)
{
  static unsigned char data[6 * 67];
  static picks p;
  harness_random random = harness_random_start(7);
  for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)harness_bits(&random);
  for (int64_t run = 1; run <= 67; run += run < 18 ? 1 : 7) {
    weft_array *x = NULL, *y = NULL, *part = NULL;
    unsigned char expected[9 * 67];
    ok(weft_from_host(&x, ctx, WEFT_U8, WEFT_SHAPE(6, run), data));
    make_picks(&p, WEFT_SHAPE(9), 6, WEFT_INDEX_ERROR, &random);
    weft_array *indices = upload(&p);
    for (int k = 0; k < 9; k++) memcpy(expected + k * run, data + resolve(p.value[k], 6, 0) * run, (size_t)run);
    ok(weft_take(&y, x, indices, 0, WEFT_INDEX_ERROR));
    check_elements(y, expected, 9 * run, "whole rows");
    weft_array_release(&y);
    if (run > 2) { /* and not from the beginning */
      for (int k = 0; k < 9; k++) memcpy(expected + k * (run - 2), data + resolve(p.value[k], 6, 0) * run + 1, (size_t)run - 2);
      ok(weft_slice(&part, x, 1, 1, run - 1, 1));
      ok(weft_take(&y, part, indices, 0, WEFT_INDEX_ERROR));
      check_elements(y, expected, 9 * (run - 2), "parts of rows");
    }
    weft_array_release(&y);
    weft_array_release(&part);
    weft_array_release(&indices);
    weft_array_release(&x);
    harness_count(2);
  }
}
END_TEST

START_TEST(indices_of_every_integer_dtype)
{
  static const weft_dtype dtypes[] = {WEFT_I8, WEFT_U8, WEFT_I16, WEFT_U16, WEFT_I32, WEFT_U32, WEFT_I64, WEFT_U64};
  static picks p;
  harness_random random = harness_random_start(8);
  weft_array *x = NULL, *step = NULL, *strided_indices = NULL, *y = NULL;
  uint32_t data[300], expected[100];
  for (uint32_t i = 0; i < 300; i++) data[i] = i * 2654435761u;
  ok(weft_from_host(&x, ctx, WEFT_U32, WEFT_SHAPE(300), data));
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
    bool is_signed = weft_dtype_kind(dtypes[d]) == 'i', small = weft_dtype_size_bytes(dtypes[d]) == 1;
    p.dtype = dtypes[d];
    p.shape = WEFT_SHAPE(200);
    p.count = 200;
    for (int k = 0; k < 200; k++) store(&p, k, harness_between(&random, is_signed ? (small ? -128 : -300) : 0, small ? 127 : 299));
    step = upload(&p);
    ok(weft_slice(&strided_indices, step, 0, 1, WEFT_END, 2)); /* every second */
    for (int k = 0; k < 100; k++) expected[k] = data[resolve(p.value[2 * k + 1], 300, 0)];
    ok(weft_take(&y, x, strided_indices, 0, WEFT_INDEX_ERROR));
    check_elements(y, expected, 100, weft_dtype_name(p.dtype));
    weft_array_release(&y);
    weft_array_release(&strided_indices);
    weft_array_release(&step);
    harness_count(1);
  }
  ok(weft_take(&y, x, -3, 0, WEFT_INDEX_ERROR)); /* a C integer */
  ck_assert_int_eq(weft_array_ndim(y), 0);
  check_elements(y, &data[297], 1, "a number");
  weft_array_release(&y);
  const uint64_t huge[] = {UINT64_MAX, UINT64_C(1) << 63, 299};
  const uint32_t clipped[] = {data[299], data[299], data[299]},
                 wrapped[] = {data[UINT64_MAX % 300], data[(UINT64_C(1) << 63) % 300], data[299]};
  ok(weft_take(&y, x, WEFT_HOST(huge, WEFT_U64, WEFT_SHAPE(3)), 0, WEFT_INDEX_CLIP));
  check_elements(y, clipped, 3, "u64 beyond i64, clipped");
  ok(weft_take(&y, x, WEFT_HOST(huge, WEFT_U64, WEFT_SHAPE(3)), 0, WEFT_INDEX_WRAP));
  check_elements(y, wrapped, 3, "u64 beyond i64, wrapped");
  weft_array_release(&y);
  weft_array_release(&x);
}
END_TEST

START_TEST(results_over_their_operands)
{
  weft_array *x = NULL, *half = NULL, *indices = NULL;
  ok(weft_arange(&x, ctx, WEFT_I32, 9, -1, -1));
  ok(weft_slice(&half, x, 0, 5, 10, 1));
  ok(weft_take(&half, x, WEFT_HOST(((const int32_t[]){9, 8, 7, 6, 5}), WEFT_I32, WEFT_SHAPE(5)), 0, WEFT_INDEX_ERROR));
  check_elements(x, (const int32_t[]){9, 8, 7, 6, 5, 0, 1, 2, 3, 4}, 10, "into a part of x");
  ok(weft_take(&x, x, x, 0, WEFT_INDEX_ERROR)); /* everything is x */
  check_elements(x, (const int32_t[]){4, 3, 2, 1, 0, 9, 8, 7, 6, 5}, 10, "x[x]");
  ok(weft_put(x, x, x, WEFT_INDEX_ERROR));
  check_elements(x, (const int32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 10, "x[x] = x");
  ok(weft_slice(&indices, x, 0, 0, 5, 1));
  ok(weft_scatter_add(x, indices, half, 0, WEFT_INDEX_ERROR));
  check_elements(x, (const int32_t[]){5, 7, 9, 11, 13, 5, 6, 7, 8, 9}, 10, "values and indices in x");
  weft_array_release(&indices);
  weft_array_release(&half);
  weft_array_release(&x);
}
END_TEST

/* ---- put and scatter ---- */

/* Of what was stored at each place, one must be there; `last`: the last. */
static void check_stores(strided *x, const around *a, const picks *p, int64_t count, int64_t in_count, bool along,
                         const unsigned char *values, int64_t value_count, unsigned mode, bool last, const char *what) {
  size_t size = weft_dtype_size_bytes(x->dtype);
  unsigned char *got = malloc((size_t)x->model.count * size + 1);
  bool *met = calloc((size_t)x->model.count + 1, sizeof *met);
  ok(weft_to_host(got, (size_t)x->model.count * size, x->view));
  for (int64_t e = 0; e < count; e++) {
    int64_t place = place_of(a, e, p, in_count, along, mode);
    const unsigned char *value = values + (size_t)(e % value_count) * size;
    if (!last && memcmp(got + (size_t)place * size, value, size) == 0) met[place] = true;
    if (last || !met[place]) strided_expect(x, place, value);
    if (met[place]) strided_expect(x, place, got + (size_t)place * size);
  }
  strided_check(x, what); /* and nothing else was touched */
  free(met);
  free(got);
}

START_TEST(put_is_a_loop)
{
  harness_random random = harness_random_start(300 + (uint64_t)_i);
  static picks p;
  char what[200];
  for (int round = 0; round < 30; round++) {
    weft_dtype dtype = random_dtype(&random);
    size_t size = weft_dtype_size_bytes(dtype);
    layout kind = random_layout(&random, dtype, true);
    unsigned mode = random_mode(&random, dtype);
    bool last = harness_bits(&random) & 1, flat = harness_between(&random, 0, 2) == 0;
    strided x;
    strided_make(&x, dtype, kind, harness_between(&random, 1, 600), &random);
    weft_shape shape = weft_array_shape(x.view);
    int axis = flat ? WEFT_EVERY_AXIS : random_axis(&random, shape.ndim);
    around a = around_of(shape, axis);
    make_picks(&p, random_shape(&random, a.outer * a.run > 20 ? 40 : 1500), a.length, mode, &random);
    if (last) mode |= WEFT_DETERMINISTIC;
    describe(what, sizeof what, flat ? "put" : "scatter", dtype, kind, axis, &p, mode);
    int64_t count = a.outer * p.count * a.run, value_count = count;
    if (harness_between(&random, 0, 3) == 0 || count == 0) value_count = 1;
    if (flat && harness_bits(&random) & 1) value_count = harness_between(&random, 1, count + 3);
    unsigned char *values = malloc((size_t)value_count * size);
    elements_random(&random, dtype, values, value_count);
    weft_array *indices = upload(&p), *from = NULL;
    if (flat) {
      ok(weft_from_host(&from, ctx, dtype, WEFT_SHAPE(value_count), values));
      ok(weft_put(x.view, indices, from, mode));
    } else {
      weft_shape dense = p.shape;
      if (axis != WEFT_EVERY_AXIS) {
        dense = (weft_shape){0};
        for (int d = 0; d < axis; d++) dense.dim[dense.ndim++] = shape.dim[d];
        for (int d = 0; d < p.shape.ndim; d++) dense.dim[dense.ndim++] = p.shape.dim[d];
        for (int d = axis + 1; d < shape.ndim; d++) dense.dim[dense.ndim++] = shape.dim[d];
      }
      ok(weft_scatter(x.view, indices, WEFT_HOST(values, dtype, value_count == count ? dense : WEFT_SHAPE_0D), axis, mode));
    }
    check_stores(&x, &a, &p, count, p.count, false, values, value_count, mode, last, what);
    weft_array_release(&from);
    weft_array_release(&indices);
    free(values);
    strided_release(&x);
    harness_count(1);
  }
}
END_TEST

START_TEST(put_along_axis_is_a_loop)
{
  harness_random random = harness_random_start(400 + (uint64_t)_i);
  static picks p;
  char what[200];
  for (int round = 0; round < 20; round++) {
    weft_dtype dtype = random_dtype(&random);
    size_t size = weft_dtype_size_bytes(dtype);
    layout kind;
    do {
      kind = random_layout(&random, dtype, true);
    } while (kind == LAYOUT_SCALAR);
    unsigned mode = random_mode(&random, dtype);
    bool last = harness_bits(&random) & 1;
    strided x;
    strided_make(&x, dtype, kind, harness_between(&random, 1, 600), &random);
    weft_shape shape = weft_array_shape(x.view), wanted = shape;
    int axis = (int)harness_between(&random, 0, shape.ndim - 1);
    around a = around_of(shape, axis);
    wanted.dim[axis] = harness_between(&random, 1, MOST / (a.outer * a.run));
    make_picks(&p, wanted, a.length, mode, &random);
    if (last) mode |= WEFT_DETERMINISTIC;
    describe(what, sizeof what, "put_along_axis", dtype, kind, axis, &p, mode);
    unsigned char *values = malloc((size_t)p.count * size);
    elements_random(&random, dtype, values, p.count);
    weft_array *indices = upload(&p);
    ok(weft_put_along_axis(x.view, indices, WEFT_HOST(values, dtype, wanted), axis, mode));
    check_stores(&x, &a, &p, p.count, wanted.dim[axis], true, values, p.count, mode, last, what);
    weft_array_release(&indices);
    free(values);
    strided_release(&x);
    harness_count(1);
  }
}
END_TEST

START_TEST(values_are_broadcast_and_cast)
{
  weft_array *x = NULL, *row = NULL;
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(4, 3)));
  ok(weft_from_host(&row, ctx, WEFT_F16, WEFT_SHAPE(3), ((const uint16_t[]){0x3c00, 0x4000, 0x4200})));
  ok(weft_scatter(x, WEFT_HOST(((const int64_t[]){-1, 1}), WEFT_I64, WEFT_SHAPE(2)), row, 0, WEFT_INDEX_ERROR));
  ok(weft_scatter(x, 0, 7, 0, WEFT_INDEX_ERROR));
  ok(weft_scatter(x, 2, -0.5, 1, WEFT_INDEX_ERROR));
  check_elements(x, (const float[]){7, 7, -0.5f, 1, 2, -0.5f, 0, 0, -0.5f, 1, 2, -0.5f}, 12, "scatter");
  weft_array_release(&row);
  weft_array_release(&x);
}
END_TEST

/* ---- additions and the like ---- */

/* What a loop makes of two elements. Floats are whole numbers small enough that every order has the same sum. */
static void combine(weft_dtype dtype, void *to, const void *value, int operation) {
#define COMBINE(type)                         \
  {                                           \
    type *a = to;                             \
    const type b = *(const type *)value;      \
    if (operation == 0) *a = (type)(*a + b);  \
    if (operation == 1) *a = b < *a ? b : *a; \
    if (operation == 2) *a = b > *a ? b : *a; \
    break;                                    \
  }
  switch (dtype) {
    case WEFT_BOOL:
      *(uint8_t *)to = operation == 1 ? *(uint8_t *)to & *(const uint8_t *)value : *(uint8_t *)to | *(const uint8_t *)value;
      break;
    case WEFT_I8:
      COMBINE(int8_t)
    case WEFT_U8:
      COMBINE(uint8_t)
    case WEFT_I16:
      COMBINE(int16_t)
    case WEFT_U16:
      COMBINE(uint16_t)
    case WEFT_I32: {
      uint32_t sum = *(const uint32_t *)to + *(const uint32_t *)value;
      if (operation == 0) {
        memcpy(to, &sum, sizeof sum);
        break;
      }
      COMBINE(int32_t)
    }
    case WEFT_U32:
      COMBINE(uint32_t)
    case WEFT_I64: {
      uint64_t sum = *(const uint64_t *)to + *(const uint64_t *)value;
      if (operation == 0) {
        memcpy(to, &sum, sizeof sum);
        break;
      }
      COMBINE(int64_t)
    }
    case WEFT_U64:
      COMBINE(uint64_t)
    case WEFT_F16: {
      weft_f16 *a = to;
      double x = weft_f16_to_double(*a), y = weft_f16_to_double(*(const weft_f16 *)value);
      *a = weft_f16_from_double(operation == 0 ? x + y : operation == 1 ? (y < x ? y : x) : (y > x ? y : x));
      break;
    }
    case WEFT_F32:
      COMBINE(float)
    case WEFT_F64:
      COMBINE(double)
    case WEFT_C64:
      ((float *)to)[0] += ((const float *)value)[0];
      ((float *)to)[1] += ((const float *)value)[1];
      break;
    default:
      ((double *)to)[0] += ((const double *)value)[0];
      ((double *)to)[1] += ((const double *)value)[1];
      break;
  }
#undef COMBINE
}

static void whole_numbers(weft_dtype dtype, unsigned char *elements, int64_t count, harness_random *random) {
  size_t size = weft_dtype_size_bytes(dtype);
  char kind = weft_dtype_kind(dtype);
  for (int64_t k = 0; k < count; k++) {
    if (kind == 'i' || kind == 'u')
      element_random(random, dtype, elements + (size_t)k * size);
    else
      element_set(dtype, elements + (size_t)k * size,
                  kind == 'b' ? (double)(harness_between(random, 0, 9) == 0) : (double)harness_between(random, 0, 3),
                  kind == 'c' ? (double)harness_between(random, 0, 3) : 0);
  }
}

static weft_status scatter_with(int operation, weft_array *x, const weft_array *indices, const weft_array *values, int axis,
                                unsigned mode) {
  if (operation == 0) return weft_scatter_add(x, indices, values, axis, mode);
  return operation == 1 ? weft_scatter_min(x, indices, values, axis, mode) : weft_scatter_max(x, indices, values, axis, mode);
}

START_TEST(additions_are_a_loop)
{
  static picks p;
  weft_dtype dtype = (weft_dtype)_i;
  harness_random random = harness_random_start(500 + (uint64_t)_i);
  size_t size = weft_dtype_size_bytes(dtype);
  char what[200];
  if (!harness_has_dtype(dtype)) return;
  int operations = weft_dtype_kind(dtype) == 'c'                                                     ? 1
                   : dtype == WEFT_F16 || dtype == WEFT_U8 || dtype == WEFT_I32 || dtype == WEFT_U64 ? 3
                                                                                                     : 1;
  for (int round = 0; round < 4 * operations; round++) {
    int operation = round % operations;
    strided x;
    layout kind = dtype == WEFT_F32 ? LAYOUT_GENERAL : dtype % 2 ? LAYOUT_INNER : LAYOUT_STEP;
    strided_make(&x, dtype, kind, harness_between(&random, 1, 90), &random);
    weft_shape shape = weft_array_shape(x.view);
    int axis = kind == LAYOUT_STEP ? WEFT_EVERY_AXIS : (int)(harness_bits(&random) & 1);
    around a = around_of(shape, axis);
    unsigned mode = (dtype == WEFT_F32 || dtype == WEFT_C64) && harness_bits(&random) & 1 ? WEFT_DETERMINISTIC : 0;
    make_picks(&p, WEFT_SHAPE(harness_between(&random, 1, 1200 / (a.outer * a.run))), a.length, 0, &random);
    describe(what, sizeof what, operation == 0 ? "add" : operation == 1 ? "min" : "max", dtype, kind, axis, &p, mode);
    int64_t count = a.outer * p.count * a.run;
    unsigned char *values = malloc((size_t)count * size), *start = malloc((size_t)x.model.count * size);
    whole_numbers(dtype, values, count, &random);
    whole_numbers(dtype, start, x.model.count, &random);
    ok(weft_from_host(&x.view, ctx, dtype, shape, start));
    weft_array *from = NULL, *indices = upload(&p);
    weft_shape dense = axis == WEFT_EVERY_AXIS ? p.shape : shape;
    if (axis != WEFT_EVERY_AXIS) dense.dim[axis] = p.count;
    ok(weft_from_host(&from, ctx, dtype, dense, values));
    ok(scatter_with(operation, x.view, indices, from, axis, mode));
    for (int64_t e = 0; e < count; e++)
      combine(dtype, start + (size_t)place_of(&a, e, &p, p.count, false, 0) * size, values + (size_t)e * size, operation);
    for (int64_t i = 0; i < x.model.count; i++) strided_expect(&x, i, start + (size_t)i * size);
    strided_check(&x, what);
    weft_array_release(&from);
    weft_array_release(&indices);
    free(values);
    free(start);
    strided_release(&x);
    harness_count(1);
  }
}
END_TEST

/* WEFT_DETERMINISTIC: each addition rounded, in the order of the indices. */
START_TEST(float_additions_in_order)
{
  enum { N = 3000, PLACES = 17 };
  static float values[N];
  static int32_t keys[N];
  harness_random random = harness_random_start(9);
  float expected[PLACES] = {0};
  weft_array *x = NULL;
  for (int i = 0; i < N; i++) {
    values[i] = (float)ldexp((double)harness_between(&random, -1000000, 1000000), (int)harness_between(&random, -30, 10));
    keys[i] = (int32_t)harness_between(&random, 0, PLACES - 1);
    expected[keys[i]] += values[i];
  }
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(PLACES)));
  ok(weft_scatter_add(x, WEFT_HOST(keys, WEFT_I32, WEFT_SHAPE(N)), WEFT_HOST(values, WEFT_F32, WEFT_SHAPE(N)), 0, WEFT_DETERMINISTIC));
  check_elements(x, expected, PLACES, "sums");
  /* in any order: as near as rounding lets them be */
  float got[PLACES], sum_of_sizes[PLACES] = {0};
  ok(weft_fill(x, 0));
  ok(weft_scatter_add(x, WEFT_HOST(keys, WEFT_I32, WEFT_SHAPE(N)), WEFT_HOST(values, WEFT_F32, WEFT_SHAPE(N)), 0, WEFT_INDEX_ERROR));
  ok(weft_to_host(got, sizeof got, x));
  for (int i = 0; i < N; i++) sum_of_sizes[keys[i]] += fabsf(values[i]);
  for (int i = 0; i < PLACES; i++)
    ck_assert_msg(fabsf(got[i] - expected[i]) <= sum_of_sizes[i] * (float)N * 0x1p-24f, "place %d: %g, not %g", i, (double)got[i],
                  (double)expected[i]);
  weft_array_release(&x);
}
END_TEST

START_TEST(a_nan_stays)
{
  const float start[] = {1, NAN, -3, 0}, values[] = {NAN, 5, 2, -INFINITY, 4};
  weft_array *x = NULL;
  float got[4];
  for (int operation = 1; operation <= 2; operation++) {
    weft_array *v = NULL, *k = NULL;
    ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(4), start));
    ok(weft_from_host(&v, ctx, WEFT_F32, WEFT_SHAPE(5), values));
    ok(weft_from_host(&k, ctx, WEFT_I32, WEFT_SHAPE(5), ((const int32_t[]){0, 1, 2, 3, 0})));
    ok(scatter_with(operation, x, k, v, 0, WEFT_INDEX_ERROR));
    ok(weft_to_host(got, sizeof got, x));
    ck_assert(isnan(got[0]) && isnan(got[1]) && got[2] == (operation == 1 ? -3 : 2) && got[3] == (operation == 1 ? -INFINITY : 0));
    weft_array_release(&v);
    weft_array_release(&k);
    weft_array_release(&x);
  }
}
END_TEST

/* ---- several arrays ---- */

START_TEST(several_arrays)
{
  static const weft_dtype dtypes[] = {WEFT_F32, WEFT_I32, WEFT_U8, WEFT_U32, WEFT_C64, WEFT_F32, WEFT_F32, WEFT_U32, WEFT_I32};
  enum { COUNT = 9, N = 50 };
  static picks p;
  harness_random random = harness_random_start(10);
  weft_array *x[COUNT] = {NULL}, *y[COUNT] = {NULL}, *z[COUNT] = {NULL}, *base = NULL;
  unsigned char data[COUNT][N * 8], expected[40 * 8];
  make_picks(&p, WEFT_SHAPE(4, 10), N, 0, &random);
  for (int k = 0; k < 40; k++) store(&p, k, (k * 7 + 3) % N); /* each once */
  weft_array *indices = upload(&p);
  for (int j = 0; j < COUNT; j++) {
    elements_random(&random, dtypes[j], data[j], N);
    ok(weft_from_host(&x[j], ctx, dtypes[j], WEFT_SHAPE(N), data[j]));
  }
  /* one of them with gaps */
  weft_array_release(&x[5]);
  ok(weft_zeros(&base, ctx, WEFT_F32, WEFT_SHAPE(N, 3)));
  ok(weft_index(&x[5], base, 1, 1));
  ok(weft_from_host(&x[5], ctx, WEFT_F32, WEFT_SHAPE(N), data[5]));
  ok(weft_empty(&y[2], ctx, WEFT_U8, WEFT_SHAPE(4, 10)));
  ok(weft_take_many(y, (const weft_array *const *)x, COUNT, indices, WEFT_INDEX_ERROR));
  for (int j = 0; j < COUNT; j++) {
    size_t size = weft_dtype_size_bytes(dtypes[j]);
    for (int k = 0; k < 40; k++) memcpy(expected + (size_t)k * size, data[j] + (size_t)p.value[k] * size, size);
    check_elements(y[j], expected, 40, weft_dtype_name(dtypes[j]));
    ok(weft_zeros(&z[j], ctx, dtypes[j], WEFT_SHAPE(5, N / 5)));
  }
  for (unsigned mode = 0; mode <= WEFT_DETERMINISTIC; mode += WEFT_DETERMINISTIC) {
    ok(weft_put_many(z, (const weft_array *const *)y, COUNT, indices, mode));
    for (int j = 0; j < COUNT; j++) {
      size_t size = weft_dtype_size_bytes(dtypes[j]);
      unsigned char put[N * 8] = {0};
      for (int k = 0; k < 40; k++) memcpy(put + (size_t)p.value[k] * size, data[j] + (size_t)p.value[k] * size, size);
      check_elements(z[j], put, N, weft_dtype_name(dtypes[j]));
      ok(weft_fill(z[j], 0));
    }
  }
  harness_count(2 * COUNT);
  weft_array_release(&base);
  weft_array_release(&indices);
  for (int j = 0; j < COUNT; j++) {
    weft_array_release(&x[j]);
    weft_array_release(&y[j]);
    weft_array_release(&z[j]);
  }
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "take");
  tcase_add_loop_test(tc, take_is_a_loop, 0, 4);
  tcase_add_loop_test(tc, take_along_axis_is_a_loop, 0, 2);
  tcase_add_test(tc, along_repeats_axes_of_length_1);
  tcase_add_test(tc, rows_of_all_lengths);
  tcase_add_test(tc, indices_of_every_integer_dtype);
  tcase_add_test(tc, results_over_their_operands);
  tc = harness_context_case(suite, "put");
  tcase_add_loop_test(tc, put_is_a_loop, 0, 4);
  tcase_add_loop_test(tc, put_along_axis_is_a_loop, 0, 2);
  tcase_add_test(tc, values_are_broadcast_and_cast);
  tc = harness_context_case(suite, "add");
  tcase_add_loop_test(tc, additions_are_a_loop, 1, WEFT_DTYPE_COUNT);
  tcase_add_test(tc, float_additions_in_order);
  tcase_add_test(tc, a_nan_stays);
  tc = harness_context_case(suite, "many");
  tcase_add_test(tc, several_arrays);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "index", .add = add});
}
