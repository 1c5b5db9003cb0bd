// SPDX-License-Identifier: MIT
/// Views: each operation, hundreds of random chains of them against the plain-C model, and wrong calls.
#include <stdio.h>

#include "views.h"

/* ---- comparing a view with its model ---- */

static const char *describe(const weft_array *x) {
  static char copy[300];
  char *text = NULL;
  if (weft_array_describe(&text, x) != WEFT_OK) return "?";
  snprintf(copy, sizeof copy, "%s", text);
  weft_free(text);
  return copy;
}

/* Checks shape, strides, offset and contiguity: everything that needs no read. */
static void check_form(const weft_array *x, const model *m, const char *what) {
  int64_t strides[WEFT_MAX_NDIM], size = (int64_t)weft_dtype_size_bytes(weft_array_dtype(x));
  bool contiguous = true;
  size_t offset = 0;
  ck_assert_msg(weft_array_ndim(x) == m->shape.ndim, "%s: %s: %d axes expected", what, describe(x), m->shape.ndim);
  for (int axis = 0; axis < m->shape.ndim; axis++) {
    ck_assert_msg(weft_array_length(x, axis) == m->shape.dim[axis], "%s: %s: length %" PRId64 " expected in axis %d",
                  what, describe(x), m->shape.dim[axis], axis);
  }
  ck_assert_int_eq(weft_array_size(x), m->count);
  ck_assert_int_eq(weft_array_size_bytes(x), m->count * size);
  ck_assert(model_strides(m, m->shape, strides));
  for (int axis = 0; axis < m->shape.ndim && m->count > 0; axis++) {
    if (m->shape.dim[axis] < 2) continue;
    ck_assert_msg(weft_array_stride_bytes(x, axis) == strides[axis] * size,
                  "%s: %s: stride %" PRId64 " in axis %d, expected %" PRId64, what, describe(x),
                  weft_array_stride_bytes(x, axis), axis, strides[axis] * size);
  }
  for (int64_t k = 0; k < m->count; k++) contiguous = contiguous && m->index[k] == m->index[0] + k;
  ck_assert_msg(weft_array_is_contiguous(x) == contiguous, "%s: %s: contiguous %d expected", what, describe(x),
                contiguous);
  ck_assert_ptr_nonnull(weft_array_cl_mem(x, &offset));
  if (m->count > 0)
    ck_assert_msg((int64_t)offset == m->index[0] * size, "%s: %s: offset %zu", what, describe(x), offset);
}

/* ---- slices: NumPy's rules, exhaustively for short axes ---- */

START_TEST(every_slice_of_short_axes)
{
  const int64_t n = _i;
  int32_t data[8] = {10, 11, 12, 13, 14, 15, 16, 17};
  weft_array *x = NULL;
  model base = model_base(WEFT_SHAPE(n));
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(n), data));
  for (int64_t start = -n - 2; start <= n + 3; start++) {
    for (int64_t stop = -n - 2; stop <= n + 3; stop++) {
      for (int64_t step = -3; step <= 3; step++) {
        int64_t from = start == n + 3 ? WEFT_END : start, to = stop == n + 3 ? WEFT_END : stop;
        weft_array *view = NULL;
        char what[80];
        if (step == 0) continue;
        snprintf(what, sizeof what, "[%" PRId64 "][%" PRId64 ":%" PRId64 ":%" PRId64 "]", n, from, to, step);
        model m = model_slice(&base, 0, from, to, step);
        ok(weft_slice(&view, x, 0, from, to, .step = step));
        check_form(view, &m, what);
        weft_array_release(&view);
        model_free(&m);
        harness_count(1);
      }
    }
  }
  model_free(&base);
  weft_array_release(&x);
}
END_TEST

START_TEST(extreme_slices)
{
  const int64_t ends[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 5, INT64_MAX - 1, WEFT_END};
  const int64_t steps[] = {1, 2, INT64_MAX - 1, INT64_MAX, -1, -2, INT64_MIN + 1, INT64_MIN};
  weft_array *x = NULL;
  model base = model_base(WEFT_SHAPE(10));
  ok(weft_zeros(&x, ctx, WEFT_U8, WEFT_SHAPE(10)));
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
      for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        weft_array *view = NULL;
        model m = model_slice(&base, 0, ends[i], ends[k], steps[s]);
        ok(weft_slice(&view, x, 0, ends[i], ends[k], .step = steps[s]));
        check_form(view, &m, "extreme slice");
        weft_array_release(&view);
        model_free(&m);
        harness_count(1);
      }
    }
  }
  model_free(&base);
  weft_array_release(&x);
}
END_TEST

/* ---- random chains ---- */

typedef struct chain {
  harness_random random;
  weft_array *view;
  model model;
  bool broadcast; /* somewhere in the chain */
  char text[600];
} chain;

static void note(chain *c, const char *op, int64_t a, int64_t b, int64_t d, int64_t e) {
  size_t used = strlen(c->text);
  snprintf(c->text + used, sizeof c->text - used, " %s(%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ")", op, a, b, d,
           e);
}

static void follow(chain *c, weft_array *view, model m) {
  weft_array_release(&c->view);
  model_free(&c->model);
  c->view = view;
  c->model = m;
}

/* An axis of the view as a caller may write it, sometimes counted from the end. */
static int spelled(chain *c, int axis, int ndim) {
  return harness_between(&c->random, 0, 1) ? axis - ndim : axis;
}

static void random_slice(chain *c) {
  int ndim = c->model.shape.ndim, axis = (int)harness_between(&c->random, 0, ndim - 1);
  int64_t n = c->model.shape.dim[axis];
  int64_t start = harness_between(&c->random, -n - 1, n + 1), stop = harness_between(&c->random, -n - 1, n + 1);
  int64_t step = harness_between(&c->random, 1, 3) * (harness_between(&c->random, 0, 1) ? 1 : -1);
  if (harness_between(&c->random, 0, 2)) start = WEFT_END; /* usually keep elements */
  if (harness_between(&c->random, 0, 2)) stop = WEFT_END;
  weft_array *view = NULL;
  note(c, "slice", axis, start, stop, step);
  ok(weft_slice(&view, c->view, spelled(c, axis, ndim), start, stop, .step = step));
  follow(c, view, model_slice(&c->model, axis, start, stop, step));
}

static void random_index(chain *c) {
  int ndim = c->model.shape.ndim, axis = (int)harness_between(&c->random, 0, ndim - 1);
  int64_t n = c->model.shape.dim[axis];
  if (n == 0) return;
  int64_t index = harness_between(&c->random, -n, n - 1);
  weft_array *view = NULL;
  note(c, "index", axis, index, 0, 0);
  ok(weft_pick(&view, c->view, spelled(c, axis, ndim), index));
  follow(c, view, model_index(&c->model, axis, index));
}

static void random_transpose(chain *c) {
  int ndim = c->model.shape.ndim;
  weft_shape axes = {.ndim = ndim}, written;
  for (int i = 0; i < ndim; i++) axes.dim[i] = i;
  for (int i = ndim - 1; i > 0; i--) {
    int k = (int)harness_between(&c->random, 0, i);
    int64_t swap = axes.dim[i];
    axes.dim[i] = axes.dim[k];
    axes.dim[k] = swap;
  }
  if (harness_between(&c->random, 0, 3) == 0) axes = WEFT_SHAPE_0D;
  written = axes;
  for (int i = 0; i < axes.ndim; i++) written.dim[i] = spelled(c, (int)axes.dim[i], ndim);
  weft_array *view = NULL;
  note(c, "transpose", axes.ndim, axes.dim[0], axes.dim[1], axes.dim[2]);
  ok(weft_transpose(&view, c->view, as_axes(written)));
  follow(c, view, model_transpose(&c->model, axes));
}

/* Factors the view's size differently; the library must return a view exactly if strides for it exist. */
static void random_reshape(chain *c) {
  weft_shape shape = WEFT_SHAPE_0D, written;
  int64_t rest = c->model.count, strides[WEFT_MAX_NDIM];
  while (rest > 0 && shape.ndim < 5 && (rest > 1 || harness_between(&c->random, 0, 2) == 0)) {
    int64_t factor = harness_between(&c->random, 1, rest < 6 ? rest : 6);
    if (rest % factor != 0) factor = rest % 2 == 0 ? 2 : rest;
    shape.dim[shape.ndim++] = factor;
    rest /= factor;
  }
  if (rest != 1) shape.dim[shape.ndim++] = rest; /* the remaining factor, or 0 without elements */
  written = shape;
  if (c->model.count > 0 && shape.ndim > 0 && harness_between(&c->random, 0, 1)) {
    written.dim[harness_between(&c->random, 0, shape.ndim - 1)] = -1;
  }
  weft_array *view = NULL;
  if (!model_strides(&c->model, shape, strides)) {
    note(c, "no reshape", shape.ndim, shape.dim[0], shape.dim[1], shape.dim[2]);
    expect_error(weft_reshape(&view, c->view, written), WEFT_ERROR_LAYOUT, "weft_reshape", "weft_copy");
    ck_assert_ptr_null(view);
    return;
  }
  note(c, "reshape", shape.ndim, shape.dim[0], shape.dim[1], shape.dim[2]);
  ok(weft_reshape(&view, c->view, written));
  follow(c, view, model_reshape(&c->model, shape));
}

static void random_broadcast(chain *c) {
  weft_shape shape = WEFT_SHAPE_0D;
  int front = (int)harness_between(&c->random, 0, 1);
  if (c->model.shape.ndim + front > 6 || c->model.count > 500) return;
  for (int i = 0; i < front; i++) shape.dim[shape.ndim++] = harness_between(&c->random, 1, 3);
  for (int i = 0; i < c->model.shape.ndim; i++) {
    int64_t n = c->model.shape.dim[i];
    shape.dim[shape.ndim++] = n == 1 ? harness_between(&c->random, 0, 9) ? harness_between(&c->random, 1, 3) : 0 : n;
  }
  weft_array *view = NULL;
  note(c, "broadcast", shape.ndim, shape.dim[0], shape.dim[1], shape.dim[2]);
  ok(weft_broadcast(&view, c->view, shape));
  follow(c, view, model_broadcast(&c->model, shape));
  c->broadcast = true;
}

static void random_squeeze(chain *c) {
  int axis = WEFT__EVERY_AXIS, ndim = c->model.shape.ndim;
  for (int i = 0; i < ndim; i++) {
    if (c->model.shape.dim[i] == 1 && harness_between(&c->random, 0, 1)) axis = i;
  }
  weft_array *view = NULL;
  note(c, "squeeze", axis, 0, 0, 0);
  ok(weft_squeeze(&view, c->view, axis == WEFT__EVERY_AXIS ? WEFT_ALL_AXES : WEFT_AXES(spelled(c, axis, ndim))));
  follow(c, view, model_squeeze(&c->model, axis));
}

static void random_expand(chain *c) {
  int ndim = c->model.shape.ndim, axis = (int)harness_between(&c->random, 0, ndim);
  if (ndim >= 7) return;
  weft_array *view = NULL;
  note(c, "expand", axis, 0, 0, 0);
  ok(weft_expand(&view, c->view, spelled(c, axis, ndim + 1)));
  follow(c, view, model_expand(&c->model, axis));
}

static void random_flip(chain *c) {
  int ndim = c->model.shape.ndim, axis = ndim == 0 ? WEFT__EVERY_AXIS : (int)harness_between(&c->random, 0, ndim - 1);
  if (harness_between(&c->random, 0, 3) == 0) axis = WEFT__EVERY_AXIS;
  weft_array *view = NULL;
  note(c, "flip", axis, 0, 0, 0);
  ok(weft_flip(&view, c->view, axis == WEFT__EVERY_AXIS ? WEFT_ALL_AXES : WEFT_AXES(spelled(c, axis, ndim))));
  follow(c, view, model_flip(&c->model, axis));
}

static void random_step(chain *c) {
  bool has_axes = c->model.shape.ndim > 0;
  switch (harness_between(&c->random, 0, 8)) {
    case 0:
    case 1:
      if (has_axes) random_slice(c);
      break;
    case 2:
      if (has_axes && harness_between(&c->random, 0, 2) == 0) random_index(c);
      break;
    case 3:
      random_transpose(c);
      break;
    case 4:
      random_reshape(c);
      break;
    case 5:
      random_broadcast(c);
      break;
    case 6:
      random_squeeze(c);
      break;
    case 7:
      random_expand(c);
      break;
    default:
      random_flip(c);
  }
}

static bool repeats(const model *m, int64_t base_count) {
  bool *seen = calloc((size_t)base_count + 1, sizeof *seen), repeated = false;
  for (int64_t k = 0; k < m->count; k++) {
    repeated = repeated || seen[m->index[k]];
    seen[m->index[k]] = true;
  }
  free(seen);
  return repeated;
}

/* Writes through the view, and checks the whole base. */
static void check_write(chain *c, weft_array *base, unsigned char *data, int64_t base_count, weft_dtype dtype) {
  size_t size = weft_dtype_size_bytes(dtype);
  unsigned char *values = malloc((size_t)c->model.count * size + 1);
  weft_array *y = NULL;
  elements_random(&c->random, dtype, values, c->model.count);
  ok(weft_from_host(&y, ctx, dtype, c->model.shape, values));
  if (repeats(&c->model, base_count)) {
    expect_error(weft_copy(&c->view, y), WEFT_ERROR_LAYOUT, "weft_copy", "broadcast", "@out");
  } else if (!c->broadcast) {
    ok(weft_copy(&c->view, y));
    for (int64_t k = 0; k < c->model.count; k++)
      memcpy(data + (size_t)c->model.index[k] * size, values + (size_t)k * size, size);
  }
  check_elements(base, data, base_count, c->text);
  weft_array_release(&y);
  free(values);
}

static void run_chain(uint64_t salt) {
  static const weft_dtype dtypes[] = {WEFT_U8, WEFT_I16, WEFT_F32, WEFT_I64};
  chain c = {.random = harness_random_start(salt)};
  weft_dtype dtype = dtypes[harness_between(&c.random, 0, 3)];
  size_t size = weft_dtype_size_bytes(dtype);
  weft_shape shape = {.ndim = (int)harness_between(&c.random, 1, 4)};
  weft_array *base = NULL, *copy = NULL;
  for (int i = 0; i < shape.ndim; i++)
    shape.dim[i] = harness_between(&c.random, harness_between(&c.random, 0, 9) ? 1 : 0, 6);
  int64_t count = shape_count(shape);
  unsigned char *data = malloc((size_t)count * size + 1);
  elements_random(&c.random, dtype, data, count);
  ok(weft_from_host(&base, ctx, dtype, shape, data));
  c.view = weft_array_retain(base);
  c.model = model_base(shape);
  snprintf(c.text, sizeof c.text, "chain %" PRIu64 ": %s", salt, describe(base));
  for (int64_t steps = harness_between(&c.random, 1, 6); steps > 0; steps--) {
    random_step(&c);
    check_form(c.view, &c.model, c.text);
  }
  unsigned char *values = malloc((size_t)c.model.count * size + 1);
  for (int64_t k = 0; k < c.model.count; k++)
    memcpy(values + (size_t)k * size, data + (size_t)c.model.index[k] * size, size);
  check_elements(c.view, values, c.model.count, c.text);
  ok(weft_copy(&copy, c.view));
  ck_assert(weft_array_is_contiguous(copy));
  check_elements(copy, values, c.model.count, c.text);
  check_write(&c, base, data, count, dtype);
  free(values);
  free(data);
  model_free(&c.model);
  weft_array_release(&copy);
  weft_array_release(&c.view);
  weft_array_release(&base);
  harness_count(1);
}

enum { CHAINS = 150 };

START_TEST(random_chains)
{
  for (uint64_t i = 0; i < CHAINS; i++) run_chain((uint64_t)_i * CHAINS + i);
}
END_TEST

/* ---- wrong calls ---- */

static weft_array *new_cube(void) {
  weft_array *x = NULL;
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(3, 1, 4)));
  return x;
}

START_TEST(wrong_axes)
{
  const int wrong[] = {3, -4, 100, INT32_MAX, INT32_MIN + 1};
  weft_array *x = new_cube(), *out = NULL;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    int axis = wrong[i];
    char number[16];
    snprintf(number, sizeof number, "%d", axis);
    expect_error(weft_slice(&out, x, axis, 0, 1), WEFT_ERROR_AXIS, "weft_slice", "@axis", number, "3");
    expect_error(weft_pick(&out, x, axis, 0), WEFT_ERROR_AXIS, "weft_pick", "@axis", number, "3");
    expect_error(weft_squeeze(&out, x, axis), WEFT_ERROR_AXIS, "weft_squeeze", "@axes", number, "3");
    expect_error(weft_flip(&out, x, axis), WEFT_ERROR_AXIS, "weft_flip", "@axes", number, "3");
    if (axis != 3 && axis != -4)
      expect_error(weft_expand(&out, x, axis), WEFT_ERROR_AXIS, "weft_expand", "@axes", number);
    ck_assert_ptr_null(out);
    harness_count(5);
  }
  expect_error(weft_expand(&out, x, 4), WEFT_ERROR_AXIS, "weft_expand", "@axes", "4");
  expect_error(weft_expand(&out, x, -5), WEFT_ERROR_AXIS, "weft_expand", "@axes", "-5");
  expect_error(weft_slice(&out, x, WEFT_ALL_AXES, 0, 1), WEFT_ERROR_AXIS, "weft_slice", "@axis");
  expect_error(weft_pick(&out, x, WEFT_ALL_AXES, 0), WEFT_ERROR_AXIS, "weft_pick", "@axis");
  expect_error(weft_expand(&out, x, WEFT_ALL_AXES), WEFT_ERROR_AXIS, "weft_expand", "@axes");
  expect_error(weft_slice(&out, x, WEFT_AXES(0, 1), 0, 1), WEFT_ERROR_AXIS, "2 axes were given; expected one", "@axis");
  expect_error(weft_pick(&out, x, weft_keepdims(0), 0), WEFT_ERROR_AXIS, "weft_keepdims", "@axis");
  expect_error(weft_flip(&out, x, weft_keepdims(0)), WEFT_ERROR_AXIS, "weft_keepdims", "@axes");
  expect_error(weft_flip(&out, x, WEFT_AXES(1, -2)), WEFT_ERROR_AXIS, "axis 1 is given twice", "@axes");
  expect_error(weft_squeeze(&out, x, WEFT_AXES(1, 1)), WEFT_ERROR_AXIS, "axis 1 is given twice", "@axes");
  expect_error(weft_expand(&out, x, WEFT_AXES(0, -5)), WEFT_ERROR_AXIS, "axis 0 is given twice", "@axes");
  expect_error(weft_moveaxis(&out, x, WEFT_AXES(0, 1), 0), WEFT_ERROR_AXIS, "`source` has 2 axes, `destination` 1",
               "@destination");
  expect_error(weft_swapaxes(&out, x, WEFT_ALL_AXES, 0), WEFT_ERROR_AXIS, "WEFT_ALL_AXES", "@axis1");
  expect_error(weft_rot90(&out, x, 1, 0), WEFT_ERROR_AXIS, "1 axis was given; expected two", "@axes");
  expect_error(weft_diagonal(&out, x, WEFT_ALL_AXES), WEFT_ERROR_AXIS, "3 axes were given; expected two", "@axes");
  weft_array_release(&x);
}
END_TEST

START_TEST(wrong_steps_and_indices)
{
  weft_array *x = new_cube(), *out = NULL;
  const int64_t wrong[] = {4, -5, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char number[32];
    snprintf(number, sizeof number, "%" PRId64, wrong[i]);
    expect_error(weft_pick(&out, x, 2, wrong[i]), WEFT_ERROR_INDEX, "weft_pick", "@index", number, "4");
    harness_count(1);
  }
  expect_error(weft_squeeze(&out, x, 0), WEFT_ERROR_SHAPE, "weft_squeeze", "3");
  weft_array *one = NULL;
  ok(weft_full(&one, ctx, WEFT_F32, WEFT_SHAPE_0D, 5));
  for (int axis = -1; axis < 1; axis++) { /* no axes: 0 and -1 are accepted, as in NumPy */
    ok(weft_squeeze(&out, one, axis));
    ck_assert_int_eq(weft_array_ndim(out), 0);
    weft_array_release(&out);
  }
  expect_error(weft_squeeze(&out, one, 1), WEFT_ERROR_AXIS, "weft_squeeze", "@axes");
  weft_array_release(&one);
  weft_array_release(&x);
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(0)));
  expect_error(weft_pick(&out, x, 0, 0), WEFT_ERROR_INDEX, "weft_pick", "@index", "0");
  ck_assert_ptr_null(out);
  weft_array_release(&x);
}
END_TEST

START_TEST(wrong_transposes)
{
  weft_array *x = new_cube(), *out = NULL;
  expect_error(weft_transpose(&out, x, WEFT_AXES(0, 1)), WEFT_ERROR_AXIS, "weft_transpose", "@axes", "2", "3");
  expect_error(weft_transpose(&out, x, WEFT_AXES(0, 1, 2, 3)), WEFT_ERROR_AXIS, "weft_transpose", "@axes", "axis 3");
  expect_error(weft_transpose(&out, x, WEFT_AXES(0, 1, 3)), WEFT_ERROR_AXIS, "weft_transpose", "@axes", "3");
  expect_error(weft_transpose(&out, x, WEFT_AXES(0, 1, -4)), WEFT_ERROR_AXIS, "weft_transpose", "@axes", "-4");
  expect_error(weft_transpose(&out, x, WEFT_AXES(0, 1, 1)), WEFT_ERROR_AXIS, "weft_transpose", "@axes", "1", "twice");
  expect_error(weft_transpose(&out, x, WEFT_AXES(0, 1, -2)), WEFT_ERROR_AXIS, "weft_transpose", "@axes", "twice");
  expect_error(weft_transpose(&out, x, WEFT_AXES(0, 1, INT32_MAX)), WEFT_ERROR_AXIS, "weft_transpose", "@axes");
  expect_error(weft_transpose(&out, x, WEFT_AXES(0, 1, 2, 3, 4, 5, 6, 7, 8)), WEFT_ERROR_AXIS, "weft_transpose",
               "@axes", "9");
  ck_assert_ptr_null(out);
  weft_array_release(&x);
}
END_TEST

START_TEST(wrong_reshapes)
{
  const struct {
    weft_shape shape;
    weft_status status;
    const char *text;
  } cases[] = {
      {WEFT_SHAPE(13), WEFT_ERROR_SHAPE, "13"},
      {WEFT_SHAPE_0D, WEFT_ERROR_SHAPE, "12"},
      {WEFT_SHAPE(5, -1), WEFT_ERROR_SHAPE, "5"},
      {WEFT_SHAPE(-1, -1), WEFT_ERROR_SHAPE, "-1"},
      {WEFT_SHAPE(-2, 6), WEFT_ERROR_SHAPE, "-2"},
      {WEFT_SHAPE(0, -1), WEFT_ERROR_SHAPE, "0"},
      {WEFT_SHAPE(INT64_C(1) << 62, 4, 12), WEFT_ERROR_SHAPE, "4611686018427387904"}, /* 2^64 * 12 wraps to 0 */
      {WEFT_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 12), WEFT_ERROR_SHAPE, "9"},
  };
  weft_array *x = new_cube(), *out = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    weft_error_clear();
    weft_status rc = weft_reshape(&out, x, cases[i].shape);
    ck_assert_msg(rc == cases[i].status || (i == 6 && rc == WEFT_ERROR_OVERFLOW), "%zu: %s", i, harness_error_text());
    ck_assert_msg(
        strstr(weft_error_last()->message, cases[i].text) && strstr(weft_error_last()->message, "weft_reshape"),
        "%zu: %s", i, harness_error_text());
    ck_assert_str_eq(weft_error_last()->argument, "shape");
    ck_assert_ptr_null(out);
    harness_count(1);
  }
  weft_array_release(&x);
}
END_TEST

START_TEST(wrong_broadcasts)
{
  weft_array *x = new_cube(), *out = NULL;
  expect_error(weft_broadcast(&out, x, WEFT_SHAPE(3, 2, 5)), WEFT_ERROR_SHAPE, "weft_broadcast", "[3,1,4]", "[3,2,5]",
               "axis 2");
  expect_error(weft_broadcast(&out, x, WEFT_SHAPE(1, 1, 4)), WEFT_ERROR_SHAPE, "weft_broadcast", "[3,1,4]", "[1,1,4]");
  expect_error(weft_broadcast(&out, x, WEFT_SHAPE(1, 4)), WEFT_ERROR_SHAPE, "weft_broadcast", "[3,1,4]", "[1,4]");
  expect_error(weft_broadcast(&out, x, WEFT_SHAPE(3, -1, 4)), WEFT_ERROR_SHAPE, "weft_broadcast", "-1");
  expect_error(weft_broadcast(&out, x, WEFT_SHAPE(1, 1, 1, 1, 1, 1, 3, 1, 4)), WEFT_ERROR_SHAPE, "weft_broadcast", "9");
  expect_error(weft_broadcast(&out, x, WEFT_SHAPE(INT64_MAX, 3, 1, 4)), WEFT_ERROR_OVERFLOW, "weft_broadcast",
               "9223372036854775807");
  ck_assert_ptr_null(out);
  weft_array_release(&x);
}
END_TEST

START_TEST(views_refuse_a_result_that_is_there)
{
  weft_array *x = new_cube(), *taken = new_cube(), *same = taken;
#define TAKEN(call, name)                                        \
  expect_error(call, WEFT_ERROR_ARGUMENT, name, "@out", "NULL"); \
  ck_assert_ptr_eq(taken, same);                                 \
  expect_error(call, WEFT_ERROR_ARGUMENT, name); /* and again: unchanged */
  TAKEN(weft_slice(&taken, x, 0, 0, 1), "weft_slice")
  TAKEN(weft_pick(&taken, x, 0, 0), "weft_pick")
  TAKEN(weft_transpose(&taken, x, WEFT_ALL_AXES), "weft_transpose")
  TAKEN(weft_reshape(&taken, x, WEFT_SHAPE(12)), "weft_reshape")
  TAKEN(weft_broadcast(&taken, x, WEFT_SHAPE(3, 2, 4)), "weft_broadcast")
  TAKEN(weft_squeeze(&taken, x, 1), "weft_squeeze")
  TAKEN(weft_expand(&taken, x, 0), "weft_expand")
  TAKEN(weft_flip(&taken, x, 0), "weft_flip")
#undef TAKEN
#define NO_RESULT(call, name) expect_error(call, WEFT_ERROR_ARGUMENT, name, "@out", "NULL");
  NO_RESULT(weft_slice((weft_array **)NULL, x, 0, 0, 1), "weft_slice")
  NO_RESULT(weft_pick((weft_array **)NULL, x, 0, 0), "weft_pick")
  NO_RESULT(weft_transpose((weft_array **)NULL, x, WEFT_ALL_AXES), "weft_transpose")
  NO_RESULT(weft_reshape((weft_array **)NULL, x, WEFT_SHAPE(12)), "weft_reshape")
  NO_RESULT(weft_broadcast((weft_array **)NULL, x, WEFT_SHAPE(3, 2, 4)), "weft_broadcast")
  NO_RESULT(weft_squeeze((weft_array **)NULL, x, 1), "weft_squeeze")
  NO_RESULT(weft_expand((weft_array **)NULL, x, 0), "weft_expand")
  NO_RESULT(weft_flip((weft_array **)NULL, x, 0), "weft_flip")
#undef NO_RESULT
  weft_array_release(&taken);
  weft_array_release(&x);
}
END_TEST

START_TEST(other_dtypes)
{
  const uint32_t bits[] = {0x3f800000, 0x40000000, 0x40400000, 0x40800000, 0x40a00000, 0x40c00000};
  weft_array *x = NULL, *turned = NULL, *seen = NULL, *halves = NULL, *row = NULL, *out = NULL;
  ok(weft_from_host(&x, ctx, WEFT_U32, WEFT_SHAPE(2, 3), bits));
  ok(weft_view_as(&seen, x, WEFT_F32));
  check_elements(seen, ((const float[]){1, 2, 3, 4, 5, 6}), 6, "u32 as f32");
  ok(weft_fill(seen, -1)); /* shares memory with x */
  check_elements(x, ((const uint32_t[]){0xbf800000, 0xbf800000, 0xbf800000, 0xbf800000, 0xbf800000, 0xbf800000}), 6,
                 "written as f32");
  weft_array_release(&seen);
  ok(weft_from_host(&x, ctx, WEFT_U32, WEFT_SHAPE(2, 3), bits));
  ok(weft_transpose(&turned, x, WEFT_ALL_AXES)); /* equal sizes work with any layout */
  ok(weft_view_as(&seen, turned, WEFT_F32));
  check_elements(seen, ((const float[]){1, 4, 2, 5, 3, 6}), 6, "transposed");
  weft_array_release(&seen);
  ok(weft_view_as(&halves, x, WEFT_U16));
  ck_assert(weft_array_ndim(halves) == 2 && weft_array_length(halves, 1) == 6);
  check_elements(halves, ((const uint16_t[]){0, 0x3f80, 0, 0x4000, 0, 0x4040, 0, 0x4080, 0, 0x40a0, 0, 0x40c0}), 12,
                 "u32 as u16");
  ok(weft_view_as(&seen, halves, WEFT_F32));
  check_elements(seen, ((const float[]){1, 2, 3, 4, 5, 6}), 6, "u16 as f32");
  weft_array_release(&seen);
  ok(weft_slice(&row, halves, 1, 2, 6)); /* a part of each row, aligned for f32 */
  ok(weft_view_as(&seen, row, WEFT_F32));
  check_elements(seen, ((const float[]){2, 3, 5, 6}), 4, "a part of u16 as f32");
  weft_array_release(&seen);
  weft_array_release(&row);
  expect_error(weft_view_as(&out, turned, WEFT_U8), WEFT_ERROR_LAYOUT, "weft_view_as",
               "last axis of `x` is not contiguous", "@x");
  expect_error(weft_view_as(&out, x, WEFT_C64), WEFT_ERROR_SHAPE,
               "axis 1 of `x` has 3 elements of 4 bytes, not a whole number of c64", "@x");
  ok(weft_slice(&row, halves, 1, 1, 5));
  expect_error(weft_view_as(&out, row, WEFT_U32), WEFT_ERROR_LAYOUT, "must begin at multiples of 4 bytes", "@x");
  weft_array_release(&row);
  ok(weft_pick(&row, turned, 0, 0));
  ok(weft_pick(&seen, row, 0, 0));
  expect_error(weft_view_as(&out, seen, WEFT_U8), WEFT_ERROR_SHAPE, "no axes", "@x");
  expect_error(weft_view_as(&out, x, (weft_dtype)99), WEFT_ERROR_DTYPE, "weft_view_as");
  expect_error(weft_view_as(&seen, x, WEFT_F32), WEFT_ERROR_ARGUMENT, "@out");
  weft_array_release(&seen);
  weft_array_release(&row);
  ok(weft_broadcast(&row, x, WEFT_SHAPE(4, 2, 3))); /* a view of a read-only view is read-only */
  ok(weft_view_as(&seen, row, WEFT_I8));
  ck_assert(weft_array_is_read_only(seen) && weft_array_length(seen, 2) == 12);
  weft_array_release(&seen);
  weft_array_release(&row);
  ok(weft_ravel(&seen, x)); /* a view */
  ok(weft_fill(seen, 7));
  check_elements(x, ((const uint32_t[]){7, 7, 7, 7, 7, 7}), 6, "through ravel");
  weft_array_release(&seen);
  ok(weft_from_host(&x, ctx, WEFT_U32, WEFT_SHAPE(2, 3), ((const uint32_t[]){1, 2, 3, 4, 5, 6})));
  ok(weft_ravel(&seen, turned)); /* a copy */
  ck_assert(weft_array_ndim(seen) == 1 && weft_array_is_contiguous(seen));
  check_elements(seen, ((const uint32_t[]){1, 4, 2, 5, 3, 6}), 6, "ravel of a transposed array");
  ok(weft_fill(seen, 0));
  check_elements(x, ((const uint32_t[]){1, 2, 3, 4, 5, 6}), 6, "behind a copy");
  weft_array_release(&seen);
  weft_array_release(&halves);
  weft_array_release(&turned);
  weft_array_release(&x);
  harness_count(22);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "slice");
  tcase_add_loop_test(tc, every_slice_of_short_axes, 0, 6);
  tcase_add_test(tc, extreme_slices);
  tc = harness_context_case(suite, "chains");
  tcase_add_loop_test(tc, random_chains, 0, 4);
  tc = harness_context_case(suite, "errors");
  tcase_add_test(tc, wrong_axes);
  tcase_add_test(tc, wrong_steps_and_indices);
  tcase_add_test(tc, wrong_transposes);
  tcase_add_test(tc, wrong_reshapes);
  tcase_add_test(tc, wrong_broadcasts);
  tcase_add_test(tc, views_refuse_a_result_that_is_there);
  tcase_add_test(tc, other_dtypes);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "view", .add = add});
}
