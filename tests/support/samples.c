// SPDX-License-Identifier: MIT
#include "samples.h"

#include <stdio.h>

static void follow(sample *s, weft_array *view, model m) {
  weft_array_release(&s->view);
  model_free(&s->model);
  s->view = view;
  s->model = m;
}

/* Any bits will do: they are only moved. elements_random is slower, as Check records each of its checks. */
static void fill_random(sample *s, harness_random *random) {
  size_t bytes = (size_t)s->base_count * weft_dtype_size_bytes(s->dtype);
  for (size_t i = 0; i < bytes; i++)
    s->base_data[i] = (unsigned char)(harness_bits(random) & (s->dtype == WEFT_BOOL ? 1 : 0xff));
}

/* Takes a random run of a longer one. */
static void take_run(sample *s, harness_random *random, weft_shape shape) {
  int64_t count = shape_count(shape), begin = harness_between(random, 0, 9);
  weft_array *view = NULL;
  s->base_count = begin + count + harness_between(random, 0, 9);
  s->base_data = malloc((size_t)s->base_count * weft_dtype_size_bytes(s->dtype) + 1);
  ck_assert_ptr_nonnull(s->base_data);
  fill_random(s, random);
  ok(weft_from_host(&s->base, ctx, s->dtype, WEFT_SHAPE(s->base_count), s->base_data));
  s->model = model_base(WEFT_SHAPE(s->base_count));
  ok(weft_slice(&view, s->base, 0, begin, begin + count));
  follow(s, view, model_slice(&s->model, 0, begin, begin + count, 1));
  view = NULL;
  ok(weft_reshape(&view, s->view, shape));
  follow(s, view, model_reshape(&s->model, shape));
}

static void take_steps(sample *s, harness_random *random, weft_shape shape) {
  weft_shape order = {.ndim = shape.ndim}, wide = {.ndim = shape.ndim};
  int64_t step[WEFT_MAX_NDIM], first[WEFT_MAX_NDIM];
  weft_array *view = NULL;
  for (int d = 0; d < shape.ndim; d++) order.dim[d] = d;
  for (int d = shape.ndim - 1; d > 0 && harness_between(random, 0, 2); d--) {
    int other = (int)harness_between(random, 0, d);
    int64_t kept = order.dim[d];
    order.dim[d] = order.dim[other];
    order.dim[other] = kept;
  }
  int64_t room = 4; /* the base is about this many times larger than the view, at most */
  for (int d = 0; d < shape.ndim; d++) {
    int64_t length = shape.dim[d];
    step[d] = length < 2 || room < 2 || harness_between(random, 0, 2) ? 1 : 2;
    room /= step[d];
    bool has_gaps = length < 2 ? room > 2 : length > 20;
    first[d] = has_gaps ? harness_between(random, 0, 2) : 0;
    wide.dim[order.dim[d]] =
        first[d] + (length ? (length - 1) * step[d] + 1 : 0) + (has_gaps ? harness_between(random, 0, 2) : 0);
    if (length < 2 && has_gaps) room /= 3;
  }
  s->base_count = shape_count(wide);
  s->base_data = malloc((size_t)s->base_count * weft_dtype_size_bytes(s->dtype) + 1);
  ck_assert_ptr_nonnull(s->base_data);
  fill_random(s, random);
  ok(weft_from_host(&s->base, ctx, s->dtype, wide, s->base_data));
  s->model = model_base(wide);
  if (shape.ndim == 0) {
    s->view = weft_array_retain(s->base);
    return;
  }
  ok(weft_transpose(&view, s->base, as_axes(order)));
  follow(s, view, model_transpose(&s->model, order));
  for (int d = 0; d < shape.ndim; d++) {
    int64_t stop = first[d] + (shape.dim[d] ? (shape.dim[d] - 1) * step[d] + 1 : 0);
    view = NULL;
    ok(weft_slice(&view, s->view, d, first[d], stop, .step = step[d]));
    follow(s, view, model_slice(&s->model, d, first[d], stop, step[d]));
    if (harness_between(random, 0, 3)) continue;
    view = NULL;
    ok(weft_flip(&view, s->view, d));
    follow(s, view, model_flip(&s->model, d));
  }
}

void sample_make(sample *s, harness_random *random, weft_dtype dtype, weft_shape shape, bool plain) {
  size_t size = weft_dtype_size_bytes(dtype);
  memset(s, 0, sizeof *s);
  s->dtype = dtype;
  if (plain)
    take_run(s, random, shape);
  else
    take_steps(s, random, shape);
  s->values = malloc((size_t)s->model.count * size + 1);
  ck_assert_ptr_nonnull(s->values);
  for (int64_t k = 0; k < s->model.count; k++)
    memcpy(s->values + (size_t)k * size, s->base_data + (size_t)s->model.index[k] * size, size);
  ck_assert_int_eq(s->model.count, shape_count(shape));
}

void sample_check(const sample *s, const void *elements, const char *what) {
  size_t size = weft_dtype_size_bytes(s->dtype);
  for (int64_t k = 0; k < s->model.count; k++)
    memcpy(s->base_data + (size_t)s->model.index[k] * size, (const unsigned char *)elements + (size_t)k * size, size);
  check_elements(s->base, s->base_data, s->base_count, what);
}

void sample_release(sample *s) {
  weft_array_release(&s->view);
  weft_array_release(&s->base);
  model_free(&s->model);
  free(s->base_data);
  free(s->values);
}

weft_shape random_shape(harness_random *random, int ndim, int64_t most) {
  weft_shape shape = {.ndim = ndim};
  for (int d = 0; d < ndim; d++) shape.dim[d] = 1;
  for (int d = 0; d < ndim; d++) {
    int at = (d + (int)harness_between(random, 0, ndim - 1)) % ndim;
    int64_t room = most / shape_count(shape);
    if (shape.dim[at] != 1 || room < 2) continue;
    int64_t length = harness_between(random, 0, 3) ? harness_between(random, 1, room < 9 ? room : 9)
                                                   : harness_between(random, 1, room);
    shape.dim[at] = length;
  }
  if (ndim > 0 && harness_between(random, 0, 19) == 0) shape.dim[harness_between(random, 0, ndim - 1)] = 0;
  return shape;
}

weft_dtype random_dtype(harness_random *random) {
  static const weft_dtype each[] = {WEFT_U8, WEFT_I16, WEFT_F32, WEFT_C64, WEFT_C128};
  weft_dtype dtype = each[harness_between(random, 0, 4)];
  if (harness_between(random, 0, 9) == 0) dtype = (weft_dtype)harness_between(random, 1, WEFT_DTYPE_COUNT - 1);
  return harness_has_dtype(dtype) ? dtype : WEFT_F32;
}

void shape_text(char *text, size_t size, weft_shape shape) {
  size_t used = (size_t)snprintf(text, size, "[");
  for (int d = 0; d < shape.ndim && used < size; d++)
    used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, d ? "," : "", shape.dim[d]);
  if (used < size) snprintf(text + used, size - used, "]");
}

void place_of(int64_t *place, weft_shape shape, int64_t i) {
  for (int d = shape.ndim - 1; d >= 0; d--) {
    place[d] = i % shape.dim[d];
    i /= shape.dim[d];
  }
}

int64_t number_of(const int64_t *place, weft_shape shape) {
  int64_t i = 0;
  for (int d = 0; d < shape.ndim; d++) i = i * shape.dim[d] + place[d];
  return i;
}

static bool same_shape(weft_shape a, weft_shape b) {
  bool same = a.ndim == b.ndim;
  for (int d = 0; d < a.ndim && same; d++) same = a.dim[d] == b.dim[d];
  return same;
}

void try_moving(const moving *m, harness_random *random, weft_dtype dtype) {
  size_t size = weft_dtype_size_bytes(dtype);
  int64_t count = shape_count(m->to), place[WEFT_MAX_NDIM];
  char what[300], from[100], to[100];
  sample x, given;
  sample_make(&x, random, dtype, m->from, harness_between(random, 0, 1));
  unsigned char *expected = malloc((size_t)count * size + 1);
  ck_assert_ptr_nonnull(expected);
  for (int64_t i = 0; i < count; i++) {
    place_of(place, m->to, i);
    int64_t k = m->source(place, m->from, m->arguments);
    memcpy(expected + (size_t)i * size, k < 0 ? m->fill : x.values + (size_t)k * size, size);
  }
  int way = (int)harness_between(random, 0, 4);
  shape_text(from, sizeof from, m->from);
  shape_text(to, sizeof to, m->to);
  snprintf(what, sizeof what, "%s of %s%s to %s, way %d", m->what, weft_dtype_name(dtype), from, to, way);
  weft_array *out = NULL;
  if (way == 4 && same_shape(m->from, m->to)) {
    out = weft_array_retain(x.view);
    ok(m->call(WEFT_OPERAND(&out), WEFT_OPERAND(x.view), m->arguments));
    sample_check(&x, expected, what);
  } else if (way == 1 || way == 2) {
    sample_make(&given, random, dtype, m->to, way == 1);
    out = weft_array_retain(given.view);
    /* if the result is an array, the operand may be host memory: the call still runs in this context */
    bool from_host = harness_between(random, 0, 2) == 0;
    ok(m->call(WEFT_OPERAND(&out), from_host ? WEFT_OPERAND(WEFT_HOST(x.values, dtype, m->from)) : WEFT_OPERAND(x.view),
               m->arguments));
    ck_assert_ptr_eq(out, given.view);
    sample_check(&given, expected, what);
    sample_release(&given);
  } else if (way == 3) {
    unsigned char *host = malloc((size_t)count * size + 1);
    ck_assert_ptr_nonnull(host);
    ok(m->call(WEFT_OPERAND(WEFT_HOST_OUT(host, dtype, m->to)), WEFT_OPERAND(x.view), m->arguments));
    ck_assert_msg(memcmp(host, expected, (size_t)count * size) == 0, "%s differs", what);
    free(host);
  } else {
    ok(m->call(WEFT_OPERAND(&out), WEFT_OPERAND(x.view), m->arguments));
    ck_assert_msg(same_shape(weft_array_shape(out), m->to), "%s: another shape", what);
    ck_assert_int_eq(weft_array_dtype(out), dtype);
    ck_assert(weft_array_is_contiguous(out));
    check_elements(out, expected, count, what);
  }
  weft_array_release(&out);
  sample_release(&x);
  free(expected);
  harness_count(1);
}
