// SPDX-License-Identifier: MIT
#include "sums.h"

const weft_dtype SUM_DTYPES[SUM_SIZES] = {WEFT_U8, WEFT_U16, WEFT_U32, WEFT_U64, WEFT_C128};

/* ---- views ---- */

static void *allocate(size_t size_bytes) {
  void *memory = malloc(size_bytes + 1);
  ck_assert_ptr_nonnull(memory);
  return memory;
}

static void fill_random(void *data, weft_dtype dtype, int64_t count, harness_random *random) {
  if (dtype == WEFT_C128) {
    for (int64_t i = 0; i < count; i++)
      ((weft_c128 *)data)[i] =
          (weft_c128){(double)harness_between(random, -1000, 1000), (double)harness_between(random, -1000, 1000)};
    return;
  }
  size_t size = (size_t)count * weft_dtype_size_bytes(dtype);
  for (size_t at = 0; at < size; at += 8) {
    uint64_t bits = harness_bits(random);
    memcpy((char *)data + at, &bits, size - at < 8 ? size - at : 8);
  }
}

placed placed_make(weft_dtype dtype, int64_t count, harness_random *random) {
  placed p = {NULL, NULL};
  void *data = allocate((size_t)count * weft_dtype_size_bytes(dtype));
  fill_random(data, dtype, count, random);
  ok(weft_from_host(&p.base, ctx, dtype, WEFT_SHAPE(count), data));
  p.view = weft_array_retain(p.base);
  free(data);
  return p;
}

placed placed_share(const placed *p) {
  return (placed){weft_array_retain(p->base), weft_array_retain(p->base)};
}

static void become(placed *p, weft_array *view) {
  weft_array_release(&p->view);
  p->view = view;
}

void placed_slice(placed *p, int axis, int64_t start, int64_t stop, int64_t step) {
  weft_array *view = NULL;
  ok(weft_slice(&view, p->view, axis, start, stop, .step = step));
  become(p, view);
}

void placed_reshape(placed *p, weft_shape shape) {
  weft_array *view = NULL;
  ok(weft_reshape(&view, p->view, shape));
  become(p, view);
}

void placed_transpose(placed *p, weft_axes axes) {
  weft_array *view = NULL;
  ok(weft_transpose(&view, p->view, axes));
  become(p, view);
}

void placed_flip(placed *p, weft_axes axis) {
  weft_array *view = NULL;
  ok(weft_flip(&view, p->view, axis));
  become(p, view);
}

void placed_broadcast(placed *p, weft_shape shape) {
  weft_array *view = NULL;
  ok(weft_broadcast(&view, p->view, shape));
  become(p, view);
}

void placed_release(placed *p) {
  weft_array_release(&p->view);
  weft_array_release(&p->base);
}

/* ---- the reference ---- */

/// Copies a base's current contents.
static char *snapshot(const placed *p) {
  size_t size = (size_t)weft_array_size_bytes(p->base);
  char *data = allocate(size);
  ok(weft_to_host(data, size, p->base));
  return data;
}

/// A view's first element in its base's snapshot, and its steps along the axes of the result.
typedef struct walk {
  char *data;
  int64_t stride[WEFT_MAX_NDIM];
} walk;

static walk walk_of(const placed *p, char *data, int ndim) {
  size_t base = 0, view = 0;
  walk w = {data, {0}};
  ck_assert_ptr_eq(weft_array_cl_mem(p->base, &base), weft_array_cl_mem(p->view, &view));
  w.data += view - base;
  int own = weft_array_ndim(p->view);
  for (int d = 0; d < own; d++)
    if (weft_array_length(p->view, d) != 1) w.stride[ndim - own + d] = weft_array_stride_bytes(p->view, d);
  return w;
}

/// The computation of one call: u8 to u64 in the wider of the operands' dtypes, cut or extended to the result's; or
/// c128.
typedef struct sum {
  weft_shape shape;
  size_t out_size, a_size, b_size;
  bool is_complex;
  walk out, a, b;
} sum;

static void add_element(const sum *s, char *out, const char *a, const char *b) {
  if (s->is_complex) {
    weft_c128 x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    x.re += y.re;
    x.im += y.im;
    memcpy(out, &x, sizeof x);
    return;
  }
  uint64_t x = 0, y = 0;
  memcpy(&x, a, s->a_size); /* little-endian, like every device and host here */
  memcpy(&y, b, s->b_size);
  size_t wide = s->a_size > s->b_size ? s->a_size : s->b_size;
  x = (x + y) & UINT64_MAX >> (64 - 8 * wide);
  memcpy(out, &x, s->out_size);
}

static void add_axis(const sum *s, int d, int64_t out, int64_t a, int64_t b) {
  if (d == s->shape.ndim) {
    add_element(s, s->out.data + out, s->a.data + a, s->b.data + b);
    return;
  }
  for (int64_t i = 0; i < s->shape.dim[d]; i++)
    add_axis(s, d + 1, out + i * s->out.stride[d], a + i * s->a.stride[d], b + i * s->b.stride[d]);
}

static void check_same(const placed *p, const char *expected, const char *what, const char *which) {
  size_t size = (size_t)weft_array_size_bytes(p->base), element = weft_dtype_size_bytes(weft_array_dtype(p->base));
  char *data = snapshot(p);
  if (memcmp(data, expected, size) != 0) {
    size_t at = 0, last = size, differing = 0;
    while (data[at] == expected[at]) at++;
    while (data[last - 1] == expected[last - 1]) last--;
    for (size_t i = 0; i < size; i++) differing += data[i] != expected[i];
    ck_abort_msg("%s, %s: %s: bytes differ from element %zu to %zu of %zu, %zu of them (0x%02x, expected 0x%02x)", what,
                 weft_dtype_name(weft_array_dtype(p->base)), which, at / element, (last - 1) / element, size / element,
                 differing, (unsigned char)data[at], (unsigned char)expected[at]);
  }
  free(data);
}

/// Whether two operands broadcast to the result's shape, and not beyond.
static bool is_broadcast(const weft_array *a, const weft_array *b, weft_shape shape) {
  int most = weft_array_ndim(a) > weft_array_ndim(b) ? weft_array_ndim(a) : weft_array_ndim(b);
  if (most != shape.ndim) return false;
  for (int d = 1; d <= shape.ndim; d++) {
    int64_t x = d <= weft_array_ndim(a) ? weft_array_length(a, -d) : 1,
            y = d <= weft_array_ndim(b) ? weft_array_length(b, -d) : 1;
    if (shape.dim[shape.ndim - d] != (x == 1 ? y : x)) return false;
  }
  return true;
}

/// Broadcasts the view to `shape`.
static weft_array *in_shape(const weft_array *x, weft_shape shape) {
  weft_array *view = NULL;
  ok(weft_broadcast(&view, x, shape));
  return view;
}

void sum_check(const placed *out, const placed *a, const placed *b, int scalar, const char *what) {
  char *expected = snapshot(out), *a_data = snapshot(a), *b_data = b ? snapshot(b) : NULL;
  char element[16] = {0};
  weft_array *into = out->view, *x = NULL;
  sum s = {.shape = weft_array_shape(out->view)};
  s.out_size = weft_dtype_size_bytes(weft_array_dtype(out->view));
  s.a_size = weft_dtype_size_bytes(weft_array_dtype(a->view));
  s.b_size = scalar ? s.a_size : weft_dtype_size_bytes(weft_array_dtype(b->view));
  s.is_complex = s.out_size == 16;
  s.out = walk_of(out, expected, s.shape.ndim);
  s.a = walk_of(a, a_data, s.shape.ndim);
  s.b = scalar ? (walk){element, {0}} : walk_of(b, b_data, s.shape.ndim);
  if (scalar) {
    const uint64_t whole = (uint64_t)scalar;
    const double real = scalar;
    memcpy(element, s.is_complex ? (const void *)&real : &whole, 8);
    x = in_shape(a->view, s.shape);
    ok(weft_add(&into, x, scalar));
  } else {
    x = in_shape(a->view, is_broadcast(a->view, b->view, s.shape) ? weft_array_shape(a->view) : s.shape);
    ok(weft_add(&into, x, b->view));
  }
  weft_array_release(&x);
  ck_assert_ptr_eq(into, out->view);
  if (weft_array_size(out->view) > 0) add_axis(&s, 0, 0, 0, 0);
  check_same(out, expected, what, "the result's base");
  if (weft_array_cl_mem(a->base, NULL) != weft_array_cl_mem(out->base, NULL))
    check_same(a, a_data, what, "operand a's base");
  if (b && weft_array_cl_mem(b->base, NULL) != weft_array_cl_mem(out->base, NULL))
    check_same(b, b_data, what, "operand b's base");
  free(expected);
  free(a_data);
  free(b_data);
  harness_count(1);
}
