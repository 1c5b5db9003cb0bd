// SPDX-License-Identifier: MIT
#include "views.h"

const char *const LAYOUT_NAMES[LAYOUT_COUNT] = {"contig", "scalar", "empty",   "inner",
                                                "step",   "flip",   "general", "broadcast"};

weft_axes as_axes(weft_shape order) {
  weft_axes axes = WEFT_ALL_AXES;
  if (order.ndim > 0) axes.count = order.ndim;
  for (int d = 0; d < order.ndim; d++) axes.axis[d] = (int)order.dim[d];
  return axes;
}

int64_t shape_count(weft_shape shape) {
  int64_t count = 1;
  for (int i = 0; i < shape.ndim; i++) count *= shape.dim[i];
  return count;
}

/* ---- models ---- */

static model model_new(weft_shape shape) {
  model m = {shape, shape_count(shape), NULL};
  m.index = malloc(((size_t)m.count + 1) * sizeof *m.index);
  ck_assert_ptr_nonnull(m.index);
  return m;
}

void model_free(model *m) {
  free(m->index);
  m->index = NULL;
}

model model_base(weft_shape shape) {
  model m = model_new(shape);
  for (int64_t k = 0; k < m.count; k++) m.index[k] = k;
  return m;
}

static void coordinates(weft_shape shape, int64_t k, int64_t *c) {
  for (int axis = shape.ndim - 1; axis >= 0; axis--) {
    c[axis] = k % shape.dim[axis];
    k /= shape.dim[axis];
  }
}

static int64_t element_at(const model *m, const int64_t *c) {
  int64_t k = 0;
  for (int axis = 0; axis < m->shape.ndim; axis++) {
    /* Check records every assertion, which would take most of the time here */
    if (c[axis] < 0 || c[axis] >= m->shape.dim[axis]) ck_abort_msg("a place outside the model");
    k = k * m->shape.dim[axis] + c[axis];
  }
  return m->index[k];
}

/* Maps a coordinate of the result to one of the source. */
typedef struct mapping {
  int from[WEFT_MAX_NDIM]; /* for each source axis: the result's axis, -1 for none */
  int64_t start[WEFT_MAX_NDIM], step[WEFT_MAX_NDIM];
} mapping;

static mapping identity(int ndim) {
  mapping map;
  for (int axis = 0; axis < WEFT_MAX_NDIM; axis++) {
    map.from[axis] = axis < ndim ? axis : -1;
    map.start[axis] = 0;
    map.step[axis] = 1;
  }
  return map;
}

static model apply(const model *in, weft_shape shape, const mapping *map) {
  model m = model_new(shape);
  for (int64_t k = 0; k < m.count; k++) {
    int64_t to[WEFT_MAX_NDIM] = {0}, from[WEFT_MAX_NDIM] = {0};
    coordinates(shape, k, to);
    for (int axis = 0; axis < in->shape.ndim; axis++) {
      from[axis] = map->start[axis] + (map->from[axis] < 0 ? 0 : map->step[axis] * to[map->from[axis]]);
    }
    m.index[k] = element_at(in, from);
  }
  return m;
}

/* Python's rules, position by position: walk from start until stop is reached or passed, and skip only positions that
   are out of range. */
model model_slice(const model *in, int axis, int64_t start, int64_t stop, int64_t step) {
  int64_t n = in->shape.dim[axis], low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
  if (start == WEFT_END) {
    start = step > 0 ? 0 : n - 1;
  } else {
    if (start < 0) start += n;
    start = start < low ? low : start > high ? high : start;
  }
  if (stop == WEFT_END) {
    stop = step > 0 ? n : -1;
  } else {
    if (stop < 0) stop += n;
    stop = stop < low ? low : stop > high ? high : stop;
  }
  mapping map = identity(in->shape.ndim);
  weft_shape shape = in->shape;
  map.start[axis] = start;
  map.step[axis] = step;
  shape.dim[axis] = 0;
  for (int64_t at = start; step > 0 ? at < stop : at > stop;) {
    shape.dim[axis]++;
    if (step > 0 ? step >= stop - at : step <= stop - at) break;
    at += step;
  }
  return apply(in, shape, &map);
}

model model_index(const model *in, int axis, int64_t index) {
  mapping map = identity(in->shape.ndim);
  weft_shape shape = WEFT_SHAPE_0D;
  for (int i = 0; i < in->shape.ndim; i++) {
    map.from[i] = i == axis ? -1 : shape.ndim;
    if (i != axis) shape.dim[shape.ndim++] = in->shape.dim[i];
  }
  map.start[axis] = index < 0 ? index + in->shape.dim[axis] : index;
  return apply(in, shape, &map);
}

model model_transpose(const model *in, weft_shape axes) {
  mapping map = identity(in->shape.ndim);
  weft_shape shape = in->shape;
  for (int i = 0; i < in->shape.ndim; i++) {
    int source = axes.ndim == 0 ? in->shape.ndim - 1 - i : (int)axes.dim[i];
    shape.dim[i] = in->shape.dim[source];
    map.from[source] = i;
  }
  return apply(in, shape, &map);
}

model model_reshape(const model *in, weft_shape shape) {
  model m = model_new(shape);
  ck_assert_int_eq(m.count, in->count);
  if (m.count > 0) memcpy(m.index, in->index, (size_t)m.count * sizeof *m.index);
  return m;
}

model model_broadcast(const model *in, weft_shape shape) {
  mapping map = identity(in->shape.ndim);
  for (int i = 0; i < in->shape.ndim; i++) {
    map.from[i] = shape.ndim - in->shape.ndim + i;
    if (in->shape.dim[i] == 1) map.step[i] = 0;
  }
  return apply(in, shape, &map);
}

model model_squeeze(const model *in, int axis) {
  weft_shape shape = WEFT_SHAPE_0D;
  for (int i = 0; i < in->shape.ndim; i++) {
    bool drop = axis == WEFT__EVERY_AXIS ? in->shape.dim[i] == 1 : i == axis;
    if (!drop) shape.dim[shape.ndim++] = in->shape.dim[i];
  }
  return model_reshape(in, shape);
}

model model_expand(const model *in, int axis) {
  weft_shape shape = WEFT_SHAPE_0D;
  for (int i = 0; i <= in->shape.ndim; i++) {
    if (i == axis) shape.dim[shape.ndim++] = 1;
    if (i < in->shape.ndim) shape.dim[shape.ndim++] = in->shape.dim[i];
  }
  return model_reshape(in, shape);
}

model model_flip(const model *in, int axis) {
  mapping map = identity(in->shape.ndim);
  for (int i = 0; i < in->shape.ndim; i++) {
    if (axis != WEFT__EVERY_AXIS && axis != i) continue;
    map.start[i] = in->shape.dim[i] - 1;
    map.step[i] = -1;
  }
  return apply(in, in->shape, &map);
}

bool model_strides(const model *m, weft_shape shape, int64_t *strides) {
  int64_t pitch = 1;
  memset(strides, 0, WEFT_MAX_NDIM * sizeof *strides);
  if (m->count == 0) return true;
  for (int axis = shape.ndim - 1; axis >= 0; axis--) {
    if (shape.dim[axis] > 1) strides[axis] = m->index[pitch] - m->index[0];
    pitch *= shape.dim[axis];
  }
  for (int64_t k = 0; k < m->count; k++) {
    int64_t c[WEFT_MAX_NDIM] = {0}, at = m->index[0];
    coordinates(shape, k, c);
    for (int axis = 0; axis < shape.ndim; axis++) at += c[axis] * strides[axis];
    if (at != m->index[k]) return false;
  }
  return true;
}

/* ---- elements ---- */

static double random_double(harness_random *random) {
  static const double special[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1.0, -1.0, 65504.0, 0x1p-24};
  if (harness_between(random, 0, 7) == 0) return special[harness_between(random, 0, 8)];
  return ldexp((double)(int64_t)harness_bits(random), (int)harness_between(random, -75, -50));
}

void element_random(harness_random *random, weft_dtype dtype, void *element) {
  uint64_t bits = harness_bits(random);
  switch (weft_dtype_kind(dtype)) {
    case 'b':
      bits &= 1;
      memcpy(element, &bits, 1);
      break;
    case 'f':
    case 'c': {
      double re = random_double(random), im = random_double(random);
      element_set(dtype, element, re, im);
      break;
    }
    default:
      memcpy(element, &bits, weft_dtype_size_bytes(dtype));
  }
}

void elements_random(harness_random *random, weft_dtype dtype, void *elements, int64_t count) {
  size_t size = weft_dtype_size_bytes(dtype);
  for (int64_t i = 0; i < count; i++) element_random(random, dtype, (char *)elements + (size_t)i * size);
}

uint16_t element_bf16(long double value) {
  uint32_t bits;
  float narrow = (float)value;
  if (isfinite(value) && value != 0) {
    const int exponent = ilogbl(value), place = (exponent < -126 ? -126 : exponent) - 7;
    narrow = (float)ldexpl(rintl(ldexpl(value, -place)), place); /* exact, or infinite */
  }
  memcpy(&bits, &narrow, sizeof bits);
  return (uint16_t)(bits >> 16 | (isnan(value) ? 0x7fc0 : 0));
}

float element_of_bf16(uint16_t value) {
  const uint32_t bits = (uint32_t)value << 16;
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

long double element_get(weft_dtype dtype, const void *element) {
#define GET(type)                        \
  do {                                   \
    type get_;                           \
    memcpy(&get_, element, sizeof get_); \
    return (long double)get_;            \
  } while (0)
  weft_f16 half;
  switch (dtype) {
    case WEFT_BOOL:
    case WEFT_U8:
      GET(uint8_t);
    case WEFT_I8:
      GET(int8_t);
    case WEFT_U16:
      GET(uint16_t);
    case WEFT_I16:
      GET(int16_t);
    case WEFT_U32:
      GET(uint32_t);
    case WEFT_I32:
      GET(int32_t);
    case WEFT_U64:
      GET(uint64_t);
    case WEFT_I64:
      GET(int64_t);
    case WEFT_F32:
      GET(float);
    case WEFT_F64:
      GET(double);
    case WEFT_BF16:
      memcpy(&half, element, sizeof half);
      return (long double)element_of_bf16(half.bits);
    default:
      ck_assert_int_eq(dtype, WEFT_F16);
      memcpy(&half, element, sizeof half);
      return weft_f16_to_double(half);
  }
#undef GET
}

void element_set(weft_dtype dtype, void *element, double re, double im) {
#define PUT(type, value)                 \
  do {                                   \
    type put_ = (value);                 \
    memcpy(element, &put_, sizeof put_); \
  } while (0)
  switch (dtype) {
    case WEFT_BOOL:
      PUT(bool, re != 0 || im != 0);
      break;
    case WEFT_I8:
      PUT(int8_t, (int8_t)re);
      break;
    case WEFT_I16:
      PUT(int16_t, (int16_t)re);
      break;
    case WEFT_I32:
      PUT(int32_t, (int32_t)re);
      break;
    case WEFT_I64:
      PUT(int64_t, (int64_t)re);
      break;
    case WEFT_U8:
      PUT(uint8_t, (uint8_t)re);
      break;
    case WEFT_U16:
      PUT(uint16_t, (uint16_t)re);
      break;
    case WEFT_U32:
      PUT(uint32_t, (uint32_t)re);
      break;
    case WEFT_U64:
      PUT(uint64_t, (uint64_t)re);
      break;
    case WEFT_F16:
      PUT(weft_f16, weft_f16_from_double(re));
      break;
    case WEFT_BF16:
      PUT(uint16_t, element_bf16((long double)re));
      break;
    case WEFT_F32:
      PUT(float, (float)re);
      break;
    case WEFT_F64:
      PUT(double, re);
      break;
    case WEFT_C64:
      PUT(weft_c64, ((weft_c64){(float)re, (float)im}));
      break;
    case WEFT_C128:
      PUT(weft_c128, ((weft_c128){re, im}));
      break;
    default:
      ck_abort_msg("no dtype %d", (int)dtype);
  }
#undef PUT
}

/* ---- arrays in every layout ---- */

static void follow(strided *s, weft_array *view, model m) {
  weft_array_release(&s->view);
  model_free(&s->model);
  s->view = view;
  s->model = m;
}

static void step_slice(strided *s, int axis, int64_t start, int64_t stop, int64_t step) {
  weft_array *view = NULL;
  ok(weft_slice(&view, s->view, axis, start, stop, .step = step));
  follow(s, view, model_slice(&s->model, axis, start, stop, step));
}

static void step_transpose(strided *s, weft_shape axes) {
  weft_array *view = NULL;
  ok(weft_transpose(&view, s->view, as_axes(axes)));
  follow(s, view, model_transpose(&s->model, axes));
}

static void step_flip(strided *s, int axis) {
  weft_array *view = NULL;
  ok(weft_flip(&view, s->view, axis));
  follow(s, view, model_flip(&s->model, axis));
}

static void step_index(strided *s, int axis, int64_t index) {
  weft_array *view = NULL;
  ok(weft_pick(&view, s->view, axis, index));
  follow(s, view, model_index(&s->model, axis, index));
}

static void step_broadcast(strided *s, weft_shape shape) {
  weft_array *view = NULL;
  ok(weft_broadcast(&view, s->view, shape));
  follow(s, view, model_broadcast(&s->model, shape));
}

void strided_make(strided *s, weft_dtype dtype, layout kind, int64_t n, harness_random *random) {
  int64_t rows = (n + 6) / 7, side = n < 24 ? 1 : n / 24;
  weft_shape shape = WEFT_SHAPE(n);
  if (kind == LAYOUT_SCALAR) shape = WEFT_SHAPE(5);
  if (kind == LAYOUT_EMPTY) shape = WEFT_SHAPE(4, 6);
  if (kind == LAYOUT_INNER) shape = WEFT_SHAPE(rows, 10);
  if (kind == LAYOUT_STEP) shape = WEFT_SHAPE(3 * n + 1);
  if (kind == LAYOUT_GENERAL) shape = WEFT_SHAPE(4, side, 12);
  memset(s, 0, sizeof *s);
  s->dtype = dtype;
  s->base_count = shape_count(shape);
  s->expected = malloc((size_t)s->base_count * weft_dtype_size_bytes(dtype) + 1);
  ck_assert_ptr_nonnull(s->expected);
  elements_random(random, dtype, s->expected, s->base_count);
  ok(weft_from_host(&s->base, ctx, dtype, shape, s->expected));
  s->view = weft_array_retain(s->base);
  s->model = model_base(shape);
  switch (kind) {
    case LAYOUT_SCALAR:
      step_index(s, 0, 3);
      break;
    case LAYOUT_EMPTY:
      step_slice(s, 1, 2, 2, 1);
      break;
    case LAYOUT_INNER:
      step_slice(s, 1, 2, 9, 1);
      break;
    case LAYOUT_STEP:
      step_slice(s, 0, 1, WEFT_END, 3);
      break;
    case LAYOUT_FLIPPED:
      step_flip(s, 0);
      break;
    case LAYOUT_GENERAL:
      step_transpose(s, WEFT_SHAPE(2, 0, 1));
      step_slice(s, 0, 10, 0, -2);
      step_flip(s, 2);
      break;
    case LAYOUT_BROADCAST:
      step_broadcast(s, WEFT_SHAPE(3, n));
      break;
    default:
      break;
  }
  ck_assert_int_eq(weft_array_size(s->view), s->model.count);
  ck_assert_int_eq(weft_array_ndim(s->view), s->model.shape.ndim);
}

unsigned char *strided_values(const strided *s) {
  size_t size = weft_dtype_size_bytes(s->dtype);
  unsigned char *values = malloc((size_t)s->model.count * size + 1);
  ck_assert_ptr_nonnull(values);
  for (int64_t k = 0; k < s->model.count; k++)
    memcpy(values + (size_t)k * size, s->expected + (size_t)s->model.index[k] * size, size);
  return values;
}

void strided_expect(strided *s, int64_t i, const void *element) {
  size_t size = weft_dtype_size_bytes(s->dtype);
  memcpy(s->expected + (size_t)s->model.index[i] * size, element, size);
}

void strided_check(const strided *s, const char *what) {
  check_elements(s->base, s->expected, s->base_count, what);
}

void strided_release(strided *s) {
  weft_array_release(&s->view);
  weft_array_release(&s->base);
  model_free(&s->model);
  free(s->expected);
}

void check_elements(const weft_array *x, const void *elements, int64_t count, const char *what) {
  size_t size = weft_dtype_size_bytes(weft_array_dtype(x)), bytes = size * (size_t)count;
  unsigned char *data = malloc(bytes + 16);
  ck_assert_ptr_nonnull(data);
  memset(data, 0xc3, bytes + 16);
  ck_assert_msg(weft_array_size(x) == count, "%s: %" PRId64 " elements, not %" PRId64, what, weft_array_size(x), count);
  ok(weft_to_host(data, bytes, x));
  for (size_t i = 0; i < bytes; i++) {
    if (data[i] == ((const unsigned char *)elements)[i]) continue;
    ck_abort_msg("%s: %s: element %zu of %" PRId64 " differs (byte %zu: 0x%02x, expected 0x%02x)", what,
                 weft_dtype_name(weft_array_dtype(x)), i / size, count, i, data[i],
                 ((const unsigned char *)elements)[i]);
  }
  for (size_t i = bytes; i < bytes + 16; i++) ck_assert_msg(data[i] == 0xc3, "%s: wrote beyond the end", what);
  free(data);
}
