// SPDX-License-Identifier: MIT
/// Making, filling, copying and reading arrays: every dtype, every operation, every layout, against plain C. Casts
/// between all pairs of dtypes are in test_cast.c, wrong calls in test_array_errors.c, the sizes and edges in
/// test_array_edges.c.
#include <stdio.h>

#include "views.h"

/* ---- the matrix ---- */

typedef enum operation {
  OP_FULL,
  OP_FILL,
  OP_LIKE,
  OP_FROM_HOST,
  OP_TO_HOST,
  OP_COPY_OUT,
  OP_COPY_INTO,
  OP_CAST_OUT,
  OP_CAST_INTO,
  OP_ARANGE,
  OP_LINSPACE,
  OP_DESCRIBE,
  OP_COUNT,
} operation;

static const char *const OP_NAMES[OP_COUNT] = {"full",      "fill",     "like",      "from_host",
                                               "to_host",   "copy out", "copy into", "cast out",
                                               "cast into", "arange",   "linspace",  "describe"};

typedef struct matrix {
  long cell[WEFT_DTYPE_COUNT][OP_COUNT][LAYOUT_COUNT];
} matrix;
static matrix *tested;

/* arange and linspace make one axis; all other cells of the matrix must be filled. */
static bool applies(operation op, layout kind) {
  if (op != OP_ARANGE && op != OP_LINSPACE) return true;
  return kind == LAYOUT_CONTIGUOUS || kind == LAYOUT_STEP || kind == LAYOUT_FLIPPED;
}

static bool matrix_is_full(void) {
  bool full = true;
  printf("cells: cases of dtype (row) x operation (column), least over layouts:");
  for (int kind = 0; kind < LAYOUT_COUNT; kind++) printf(" %s", LAYOUT_NAMES[kind]);
  printf("\n%-6s", "");
  for (int op = 0; op < OP_COUNT; op++) printf(" %9s", OP_NAMES[op]);
  printf("\n");
  for (int d = 1; d < WEFT_DTYPE_COUNT; d++) {
    printf("%-6s", weft_dtype_name((weft_dtype)d));
    for (int op = 0; op < OP_COUNT; op++) {
      long least = -1;
      for (int kind = 0; kind < LAYOUT_COUNT; kind++) {
        if (!applies((operation)op, (layout)kind)) continue;
        if (least < 0 || tested->cell[d][op][kind] < least) least = tested->cell[d][op][kind];
      }
      printf(harness_has_dtype((weft_dtype)d) ? " %9ld" : "   no fp64", least);
      if (least == 0 && harness_has_dtype((weft_dtype)d)) full = false;
    }
    printf("\n");
  }
  if (!full) printf("FAIL: a cell of the matrix is empty\n");
  return full;
}

/* ---- one cell ---- */

/* Values that every dtype represents exactly. */
static double small_value(harness_random *random, weft_dtype dtype) {
  return (double)harness_between(random, weft_dtype_kind(dtype) == 'i' ? -100 : 0,
                                 weft_dtype_kind(dtype) == 'b' ? 1 : 100);
}

static weft_scalar scalar_of(weft_dtype dtype, double value) {
  weft_c128 complex = {value, -value};
  if (weft_dtype_kind(dtype) == 'c') return WEFT_SCALAR(complex);
  if (weft_dtype_kind(dtype) == 'f') return WEFT_SCALAR(value);
  return WEFT_SCALAR((int)value);
}

static void expect_all(strided *s, double value) {
  unsigned char element[16];
  element_set(s->dtype, element, value, weft_dtype_kind(s->dtype) == 'c' ? -value : 0);
  for (int64_t k = 0; k < s->model.count; k++) strided_expect(s, k, element);
}

/* The dtype to cast from and to: one exact integer or float of the other kind. */
static weft_dtype partner(weft_dtype dtype) {
  return dtype == WEFT_I32 ? WEFT_F32 : WEFT_I32;
}

static void do_like(const strided *s, const char *what) {
  weft_array *y = NULL;
  unsigned char *zeros = calloc((size_t)s->model.count + 1, weft_dtype_size_bytes(s->dtype));
  ok(weft_zeros_like(&y, s->view));
  ck_assert_int_eq(weft_array_dtype(y), s->dtype);
  ck_assert_int_eq(weft_array_ndim(y), s->model.shape.ndim);
  for (int axis = 0; axis < s->model.shape.ndim; axis++)
    ck_assert_int_eq(weft_array_length(y, axis), s->model.shape.dim[axis]);
  ck_assert_msg(weft_array_is_contiguous(y), "%s", what);
  check_elements(y, zeros, s->model.count, what);
  free(zeros);
  weft_array_release(&y);
}

static void do_copy_out(const strided *s, const char *what) {
  weft_array *y = NULL;
  unsigned char *values = strided_values(s);
  ok(weft_copy(&y, s->view));
  ck_assert_msg(weft_array_is_contiguous(y), "%s", what);
  check_elements(y, values, s->model.count, what);
  free(values);
  weft_array_release(&y);
}

static void do_to_host(const strided *s, const char *what) {
  unsigned char *values = strided_values(s);
  check_elements(s->view, values, s->model.count, what);
  free(values);
}

/* Small values in s, so that the cast is exact. */
static void set_small(strided *s, harness_random *random) {
  for (int64_t k = 0; k < s->base_count; k++) {
    element_set(s->dtype, s->expected + (size_t)k * weft_dtype_size_bytes(s->dtype), small_value(random, s->dtype), 0);
  }
  ok(weft_from_host(&s->base, ctx, s->dtype, weft_array_shape(s->base), s->expected));
}

static void do_cast_out(strided *s, harness_random *random, const char *what) {
  weft_dtype to = partner(s->dtype);
  weft_array *y = NULL, *wide = NULL;
  set_small(s, random);
  ok(weft_cast(&y, s->view, to));
  ck_assert_int_eq(weft_array_dtype(y), to);
  ok(weft_cast(&wide, y, s->dtype)); /* back to the original elements */
  unsigned char *values = strided_values(s);
  check_elements(wide, values, s->model.count, what);
  free(values);
  weft_array_release(&y);
  weft_array_release(&wide);
}

static void do_cast_into(strided *s, harness_random *random, const char *what) {
  weft_dtype from = partner(s->dtype);
  weft_array *y = NULL;
  size_t size = weft_dtype_size_bytes(from);
  unsigned char *source = malloc((size_t)s->model.count * size + 1), element[16];
  for (int64_t k = 0; k < s->model.count; k++) {
    double value = small_value(random, s->dtype);
    element_set(from, source + (size_t)k * size, value, 0);
    element_set(s->dtype, element, value, 0);
    strided_expect(s, k, element);
  }
  ok(weft_from_host(&y, ctx, from, s->model.shape, source));
  ok(weft_cast(&s->view, y, s->dtype));
  strided_check(s, what);
  free(source);
  weft_array_release(&y);
}

/* Writes random elements by weft_from_host or weft_copy. */
static void do_write(strided *s, bool by_copy, harness_random *random, const char *what) {
  size_t size = weft_dtype_size_bytes(s->dtype);
  unsigned char *values = malloc((size_t)s->model.count * size + 1);
  weft_array *y = NULL;
  elements_random(random, s->dtype, values, s->model.count);
  for (int64_t k = 0; k < s->model.count; k++) strided_expect(s, k, values + (size_t)k * size);
  if (by_copy) {
    ok(weft_from_host(&y, ctx, s->dtype, s->model.shape, values));
    ok(weft_copy(&s->view, y));
  } else {
    ok(weft_from_host(&s->view, ctx, s->dtype, s->model.shape, values));
  }
  memset(values, 0x5a, (size_t)s->model.count * size); /* "data may be changed on return" */
  strided_check(s, what);
  free(values);
  weft_array_release(&y);
}

static void do_sequence(strided *s, bool is_linspace, const char *what) {
  char kind = weft_dtype_kind(s->dtype);
  int64_t n = s->model.count;
  unsigned char element[16];
  if (is_linspace && kind != 'f') {
    expect_error(weft_linspace(&s->view, ctx, s->dtype, 0, 1, n), WEFT_ERROR_DTYPE, "weft_linspace",
                 weft_dtype_name(s->dtype));
  } else if (!is_linspace && (kind == 'b' || kind == 'c')) {
    expect_error(weft_arange(&s->view, ctx, s->dtype, 0, n, 1), WEFT_ERROR_DTYPE, "weft_arange",
                 weft_dtype_name(s->dtype));
  } else {
    if (is_linspace) {
      ok(weft_linspace(&s->view, ctx, s->dtype, 0, (double)(n - 1), n));
    } else {
      ok(weft_arange(&s->view, ctx, s->dtype, 0, n, 1));
    }
    for (int64_t k = 0; k < n; k++) {
      element_set(s->dtype, element, (double)k, 0);
      strided_expect(s, k, element);
    }
  }
  strided_check(s, what);
}

static void do_describe(const strided *s, const char *what) {
  char *text = NULL, bytes[40];
  ok(weft_array_describe(&text, s->view));
  snprintf(bytes, sizeof bytes, "%" PRId64 " bytes", s->model.count * (int64_t)weft_dtype_size_bytes(s->dtype));
  ck_assert_msg(strncmp(text, weft_dtype_name(s->dtype), strlen(weft_dtype_name(s->dtype))) == 0, "%s: %s", what, text);
  ck_assert_msg(strstr(text, bytes) != NULL, "%s: %s has no \"%s\"", what, text, bytes);
  ck_assert_msg(strstr(text, device.name) != NULL, "%s: %s has no \"%s\"", what, text, device.name);
  weft_free(text);
}

static bool writes_view(operation op) {
  return op == OP_FULL || op == OP_FILL || op == OP_FROM_HOST || op == OP_COPY_INTO || op == OP_CAST_INTO;
}

/* A broadcast view cannot be written: each call returns an error, and nothing changes. */
static void refuse(strided *s, operation op, const char *what) {
  weft_array *y = NULL;
  void *data = calloc((size_t)s->model.count + 1, 16);
  weft_status rc = WEFT_OK;
  ok(weft_zeros(&y, ctx, op == OP_CAST_INTO ? partner(s->dtype) : s->dtype, s->model.shape));
  weft_error_clear();
  if (op == OP_FULL) rc = weft_ones(&s->view, ctx, s->dtype, s->model.shape);
  if (op == OP_FILL) rc = weft_fill(s->view, 1);
  if (op == OP_FROM_HOST) rc = weft_from_host(&s->view, ctx, s->dtype, s->model.shape, data);
  if (op == OP_COPY_INTO) rc = weft_copy(&s->view, y);
  if (op == OP_CAST_INTO) rc = weft_cast(&s->view, y, s->dtype);
  ck_assert_msg(rc == WEFT_ERROR_LAYOUT, "%s: %s", what, harness_error_text());
  ck_assert_msg(strstr(weft_error_last()->message, "broadcast") != NULL, "%s: %s", what, harness_error_text());
  strided_check(s, what);
  weft_array_release(&y);
  free(data);
}

static void do_cell(weft_dtype dtype, operation op, layout kind, harness_random *random) {
  strided s;
  char what[80];
  int64_t n = harness_between(random, 30, 60);
  double value = small_value(random, dtype);
  if (weft_dtype_kind(dtype) == 'b') value = 1;
  snprintf(what, sizeof what, "%s %s %s n=%" PRId64, weft_dtype_name(dtype), OP_NAMES[op], LAYOUT_NAMES[kind], n);
  strided_make(&s, dtype, kind, n, random);
  if (kind == LAYOUT_BROADCAST && writes_view(op)) {
    refuse(&s, op, what);
  } else if (op == OP_FULL) {
    ok(weft_full(&s.view, ctx, dtype, s.model.shape, scalar_of(dtype, value)));
    expect_all(&s, value);
    strided_check(&s, what);
  } else if (op == OP_FILL) {
    ok(weft_fill(s.view, scalar_of(dtype, value)));
    expect_all(&s, value);
    strided_check(&s, what);
  } else if (op == OP_LIKE) {
    do_like(&s, what);
  } else if (op == OP_FROM_HOST) {
    do_write(&s, false, random, what);
  } else if (op == OP_TO_HOST) {
    do_to_host(&s, what);
  } else if (op == OP_COPY_OUT) {
    do_copy_out(&s, what);
  } else if (op == OP_COPY_INTO) {
    do_write(&s, true, random, what);
  } else if (op == OP_CAST_OUT) {
    do_cast_out(&s, random, what);
  } else if (op == OP_CAST_INTO) {
    do_cast_into(&s, random, what);
  } else if (op == OP_ARANGE || op == OP_LINSPACE) {
    do_sequence(&s, op == OP_LINSPACE, what);
  } else {
    do_describe(&s, what);
  }
  strided_release(&s);
  tested->cell[dtype][op][kind]++;
  harness_count(1);
}

START_TEST(every_operation_in_every_layout)
{
  weft_dtype dtype = (weft_dtype)_i;
  harness_random random = harness_random_start((uint64_t)_i);
  if (!harness_has_dtype(dtype)) {
    weft_array *x = NULL;
    expect_error(weft_zeros(&x, ctx, dtype, WEFT_SHAPE(3)), WEFT_ERROR_UNSUPPORTED, weft_dtype_name(dtype),
                 "double precision", "@dtype");
    ck_assert_ptr_null(x);
    return;
  }
  for (int op = 0; op < OP_COUNT; op++) {
    for (int kind = 0; kind < LAYOUT_COUNT; kind++) {
      if (applies((operation)op, (layout)kind)) do_cell(dtype, (operation)op, (layout)kind, &random);
    }
  }
}
END_TEST

/* ---- attributes of arrays ---- */

START_TEST(attributes)
{
  for (int d = harness_next_dtype(0); d; d = harness_next_dtype(d + 1)) {
    weft_array *x = NULL;
    int64_t size = (int64_t)weft_dtype_size_bytes((weft_dtype)d);
    ok(weft_empty(&x, ctx, (weft_dtype)d, WEFT_SHAPE(2, 3, 4)));
    ck_assert_int_eq(weft_array_dtype(x), d);
    ck_assert_int_eq(weft_array_ndim(x), 3);
    ck_assert_int_eq(weft_array_shape(x).ndim, 3);
    ck_assert_int_eq(weft_array_shape(x).dim[2], 4);
    ck_assert_int_eq(weft_array_size(x), 24);
    ck_assert_int_eq(weft_array_size_bytes(x), 24 * size);
    const int64_t length[3] = {2, 3, 4}, stride[3] = {12, 4, 1};
    for (int axis = 0; axis < 3; axis++) {
      ck_assert_int_eq(weft_array_length(x, axis), length[axis]);
      ck_assert_int_eq(weft_array_length(x, axis - 3), length[axis]);
      ck_assert_int_eq(weft_array_stride_bytes(x, axis), stride[axis] * size);
      ck_assert_int_eq(weft_array_stride_bytes(x, axis - 3), stride[axis] * size);
    }
    ck_assert_int_eq(weft_array_length(x, 3), 0);
    ck_assert_int_eq(weft_array_length(x, -4), 0);
    ck_assert_int_eq(weft_array_length(x, INT32_MIN), 0);
    ck_assert_int_eq(weft_array_stride_bytes(x, 3), 0);
    ck_assert(weft_array_is_contiguous(x));
    ck_assert_ptr_eq(weft_array_context(x), ctx);
    weft_array_release(&x);
    harness_count(1);
  }
}
END_TEST

START_TEST(description_as_in_the_header)
{
  weft_array *x = NULL;
  char *text = NULL, expected[256];
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(100000)));
  ok(weft_array_describe(&text, x));
  snprintf(expected, sizeof expected, "f32[100000] on %s, contiguous, 400000 bytes", device.name);
  ck_assert_str_eq(text, expected);
  weft_free(text);
  weft_array_release(&x);
  ok(weft_zeros(&x, ctx, WEFT_U8, WEFT_SHAPE(3, 4)));
  ok(weft_array_describe(&text, x));
  snprintf(expected, sizeof expected, "u8[3,4] on %s, contiguous, 12 bytes", device.name);
  ck_assert_str_eq(text, expected);
  weft_free(text);
  weft_array *view = NULL;
  ok(weft_transpose(&view, x, WEFT_ALL_AXES));
  ok(weft_array_describe(&text, view));
  ck_assert_msg(strncmp(text, "u8[4,3] on ", 11) == 0 && !strstr(text, ", contiguous"), "%s", text);
  weft_free(text);
  weft_array_release(&view);
  weft_array_release(&x);
}
END_TEST

START_TEST(references_and_views_share_the_storage)
{
  weft_array *x = NULL, *view = NULL, *second;
  int32_t data[4] = {0};
  ok(weft_arange(&x, ctx, WEFT_I32, 0, 8, 1));
  second = weft_array_retain(x);
  ck_assert_ptr_eq(second, x);
  ok(weft_slice(&view, x, 0, 1, WEFT_END, .step = 2));
  weft_array_release(&x);
  ck_assert_ptr_null(x);
  ok(weft_fill(second, 5));
  weft_array_release(&second);
  ok(weft_to_host(data, sizeof data, view)); /* the view keeps the memory alive */
  for (int i = 0; i < 4; i++) ck_assert_int_eq(data[i], 5);
  weft_array_release(&view);
  weft_array_release(&view);
  weft_array_release(NULL);
  ck_assert_ptr_null(weft_array_retain(NULL));
}
END_TEST

START_TEST(out_is_written_in_place)
{
  weft_array *x = NULL;
  int32_t data[6] = {0};
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(2, 3)));
  weft_array *same = x;
  ok(weft_full(&x, ctx, WEFT_I32, WEFT_SHAPE(2, 3), 7));
  ck_assert_ptr_eq(x, same);
  ok(weft_to_host(data, sizeof data, same));
  for (int i = 0; i < 6; i++) ck_assert_int_eq(data[i], 7);
  ok(weft_ones_like(&x, x));
  ok(weft_copy(&x, x)); /* onto itself */
  ok(weft_cast(&x, x, WEFT_I32));
  ok(weft_to_host(data, sizeof data, x));
  for (int i = 0; i < 6; i++) ck_assert_int_eq(data[i], 1);
  weft_array_release(&x);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "matrix");
  tcase_add_loop_test(tc, every_operation_in_every_layout, 1, WEFT_DTYPE_COUNT);
  tc = harness_context_case(suite, "array");
  tcase_add_test(tc, attributes);
  tcase_add_test(tc, description_as_in_the_header);
  tcase_add_test(tc, references_and_views_share_the_storage);
  tcase_add_test(tc, out_is_written_in_place);
}

int main(void) {
  tested = harness_shared(sizeof *tested);
  return harness_main(&(harness_suite){.name = "array", .add = add, .after = matrix_is_full});
}
