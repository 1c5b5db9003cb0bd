// SPDX-License-Identifier: MIT
/// Arrays joined and split, differences, views that only rearrange the axes; and errors of weft/rearrange.h.
#include <stdio.h>

#include "samples.h"

enum { CASES = 50, MOST_PARTS = 60 };

/* ---- concatenate and stack ---- */

/* The parts' elements in the result's order, all of one dtype. */
static unsigned char *joined(const sample *part, const weft_shape *shape, int count, int axis, size_t size,
                             int64_t total) {
  unsigned char *expected = malloc((size_t)total * size + 1), *at = expected;
  int64_t outer = 1;
  ck_assert_ptr_nonnull(expected);
  for (int d = 0; d < axis; d++) outer *= shape[0].dim[d];
  for (int64_t o = 0; o < outer; o++)
    for (int k = 0; k < count; k++) {
      int64_t width = outer ? shape_count(shape[k]) / outer : 0;
      memcpy(at, part[k].values + (size_t)(o * width) * size, (size_t)width * size);
      at += (size_t)width * size;
    }
  return expected;
}

static void try_join(harness_random *random, int count, bool is_stack) {
  static sample part[MOST_PARTS];
  weft_shape shape[MOST_PARTS], to;
  weft_array *array[MOST_PARTS], *out = NULL;
  weft_dtype dtype = random_dtype(random);
  size_t size = weft_dtype_size_bytes(dtype);
  int ndim = (int)harness_between(random, is_stack ? 0 : 1, 3),
      axis = (int)harness_between(random, 0, is_stack ? ndim : ndim - 1);
  bool flat = !is_stack && harness_between(random, 0, 4) == 0, all_plain = harness_between(random, 0, 2) > 0;
  int64_t total = 0;
  char what[100];
  to = random_shape(random, ndim, 2000 / count + 2);
  if (is_stack) {
    for (int d = ndim; d > axis; d--) to.dim[d] = to.dim[d - 1];
    to.ndim++;
  }
  to.dim[axis] = 0;
  for (int k = 0; k < count; k++) {
    shape[k] = to;
    if (is_stack) {
      for (int d = axis; d < ndim; d++) shape[k].dim[d] = to.dim[d + 1];
      shape[k].ndim = ndim;
    } else {
      shape[k].dim[axis] =
          harness_between(random, 0, 4) ? harness_between(random, 1, 9) : harness_between(random, 0, 60);
    }
    sample_make(&part[k], random, dtype, shape[k], all_plain || harness_between(random, 0, 3));
    array[k] = part[k].view;
    total += shape_count(shape[k]);
  }
  for (int k = 0; k < count; k++) to.dim[axis] += is_stack ? 1 : shape[k].dim[axis];
  unsigned char *expected = joined(part, shape, count, flat ? 0 : axis, size, total);
  if (flat) to = WEFT_SHAPE(total);
  snprintf(what, sizeof what, "%s of %d %s along %d of %d", is_stack ? "stack" : "concatenate", count,
           weft_dtype_name(dtype), axis, ndim);
  int way = (int)harness_between(random, 0, 3), spelled = flat                            ? WEFT__EVERY_AXIS
                                                          : harness_between(random, 0, 1) ? axis
                                                                                          : axis - to.ndim;
  sample given;
  if (way == 1 || way == 2) {
    sample_make(&given, random, dtype, to, way == 1);
    out = weft_array_retain(given.view);
  }
  if (is_stack)
    ok(weft_stack(&out, array, count, spelled));
  else
    ok(weft_concatenate(&out, array, count, spelled));
  if (way == 1 || way == 2) {
    sample_check(&given, expected, what);
    sample_release(&given);
  } else {
    ck_assert_int_eq(weft_array_ndim(out), to.ndim);
    for (int d = 0; d < to.ndim; d++) ck_assert_int_eq(weft_array_length(out, d), to.dim[d]);
    check_elements(out, expected, total, what);
  }
  weft_array_release(&out);
  for (int k = 0; k < count; k++) sample_release(&part[k]);
  free(expected);
  harness_count(1);
}

START_TEST(concatenates)
{
  harness_random random = harness_random_start(11);
  for (int k = 0; k < CASES; k++) {
    bool many = harness_between(&random, 0, 7) == 0; /* more parts than a launch takes */
    try_join(&random, (int)harness_between(&random, 1, many ? MOST_PARTS : 6), false);
  }
}
END_TEST

START_TEST(stacks)
{
  harness_random random = harness_random_start(12);
  for (int k = 0; k < CASES; k++) {
    bool many = harness_between(&random, 0, 7) == 0;
    try_join(&random, (int)harness_between(&random, 1, many ? MOST_PARTS : 6), true);
  }
}
END_TEST

START_TEST(dtypes_promote)
{
  const int32_t ints[] = {1, -2};
  const uint8_t bytes[] = {200};
  const float floats[] = {0.5f, -0.0f, 3};
  weft_array *a = NULL, *b = NULL, *c = NULL, *out = NULL;
  ok(weft_from_host(&a, ctx, WEFT_I32, WEFT_SHAPE(2), ints));
  ok(weft_from_host(&b, ctx, WEFT_U8, WEFT_SHAPE(1), bytes));
  ok(weft_from_host(&c, ctx, WEFT_F32, WEFT_SHAPE(3), floats));
  weft_array *two[] = {a, b}, *small[] = {b, c};
  ok(weft_concatenate(&out, two, 2, 0));
  ck_assert_int_eq(weft_array_dtype(out), WEFT_I32);
  check_elements(out, (const int32_t[]){1, -2, 200}, 3, "i32 and u8");
  weft_array_release(&out);
  ok(weft_concatenate(&out, small, 2, 0));
  ck_assert_int_eq(weft_array_dtype(out), WEFT_F32);
  check_elements(out, (const float[]){200, 0.5f, -0.0f, 3}, 4, "u8 and f32");
  /* a result of a wider dtype, and a dtype that the result cannot be cast to */
  double wide[3];
  if (device.has_fp64) {
    ok(weft_concatenate(WEFT_HOST_OUT(wide, WEFT_F64, WEFT_SHAPE(3)), two, 2, 0));
    ck_assert(wide[0] == 1 && wide[1] == -2 && wide[2] == 200);
  }
  weft_array_release(&out);
  ok(weft_full(&out, ctx, WEFT_U8, WEFT_SHAPE(4), 0));
  expect_error(weft_concatenate(&out, small, 2, 0), WEFT_ERROR_DTYPE, "weft_concatenate", "f32", "u8", "@out");
  if (device.has_fp64) {
    weft_array *both[] = {a, c}, *mixed = NULL;
    ok(weft_concatenate(&mixed, both, 2, 0));
    ck_assert_int_eq(weft_array_dtype(mixed), WEFT_F64);
    weft_array_release(&mixed);
  }
  weft_array_release(&a);
  weft_array_release(&b);
  weft_array_release(&c);
  weft_array_release(&out);
}
END_TEST

/* The result's halves are its own operands, exchanged. */
START_TEST(joins_over_its_operands)
{
  int32_t data[1000], expected[1000];
  weft_array *x = NULL, *low = NULL, *high = NULL;
  for (int i = 0; i < 1000; i++) {
    data[i] = i;
    expected[i] = (i + 300) % 1000;
  }
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(1000), data));
  ok(weft_slice(&low, x, 0, 0, 300));
  ok(weft_slice(&high, x, 0, 300, WEFT_END));
  weft_array *parts[] = {high, low}, *out = x;
  ok(weft_concatenate(&out, parts, 2, 0));
  check_elements(x, expected, 1000, "halves exchanged");
  weft_array_release(&x);
  weft_array_release(&low);
  weft_array_release(&high);
}
END_TEST

/* ---- split ---- */

START_TEST(splits)
{
  harness_random random = harness_random_start(13);
  for (int k = 0; k < CASES; k++) {
    int ndim = (int)harness_between(&random, 1, 3), axis = (int)harness_between(&random, 0, ndim - 1);
    weft_shape shape = random_shape(&random, ndim, 300);
    int64_t sections = harness_between(&random, 1, 7), length = shape.dim[axis], positions[7], begin = 0;
    int way = (int)harness_between(&random, 0, 2), spelled = harness_between(&random, 0, 1) ? axis : axis - ndim;
    weft_array *part[8] = {NULL};
    sample x;
    sample_make(&x, &random, WEFT_I32, shape, false);
    if (way == 0 && length % sections) {
      expect_error(weft_split(part, x.view, sections, spelled), WEFT_ERROR_SHAPE, "weft_split", "equal parts",
                   "@sections");
      ck_assert_ptr_null(part[0]);
      way = 1;
    }
    for (int64_t i = 0; i < sections; i++) positions[i] = harness_between(&random, -length - 2, length + 2);
    if (way == 0) ok(weft_split(part, x.view, sections, spelled));
    if (way == 1) ok(weft_array_split(part, x.view, sections, spelled));
    if (way == 2) ok(weft_split_at(part, x.view, positions, sections - 1, spelled));
    for (int64_t i = 0; i < sections; i++) {
      int64_t end = begin + length / sections + (i < length % sections);
      model m;
      if (way == 2)
        m = model_slice(&x.model, axis, i > 0 ? positions[i - 1] : 0, i < sections - 1 ? positions[i] : WEFT_END, 1);
      else
        m = model_slice(&x.model, axis, begin, end, 1);
      begin = end;
      int32_t *expected = calloc((size_t)m.count + 1, sizeof *expected);
      for (int64_t j = 0; j < m.count; j++) expected[j] = ((int32_t *)x.base_data)[m.index[j]];
      ck_assert_int_eq(weft_array_length(part[i], axis), m.shape.dim[axis]);
      check_elements(part[i], expected, m.count, "split");
      free(expected);
      model_free(&m);
      weft_array_release(&part[i]);
    }
    sample_release(&x);
    harness_count(1);
  }
}
END_TEST

/* ---- views ---- */

START_TEST(turned_views)
{
  const int32_t data[] = {1, 2, 3, 4, 5, 6};
  const int32_t quarter[4][6] = {{1, 2, 3, 4, 5, 6}, {3, 6, 2, 5, 1, 4}, {6, 5, 4, 3, 2, 1}, {4, 1, 5, 2, 6, 3}};
  weft_array *x = NULL, *v = NULL;
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(2, 3), data));
  for (int64_t k = -5; k <= 5; k++) {
    ok(weft_rot90(&v, x, k, WEFT_AXES(0, 1)));
    ck_assert_int_eq(weft_array_length(v, 0), k % 2 ? 3 : 2);
    check_elements(v, quarter[(k + 8) % 4], 6, "rot90");
    weft_array_release(&v);
    ok(weft_rot90(&v, x, -k, WEFT_AXES(-1, -2))); /* backwards, with exchanged axes */
    check_elements(v, quarter[(k + 8) % 4], 6, "rot90 backwards");
    weft_array_release(&v);
  }
  /* diagonals, from NumPy */
  const int32_t diagonal[7][3] = {{0}, {0}, {4}, {1, 5}, {2, 6}, {3}, {0}};
  const int64_t length[7] = {0, 0, 1, 2, 2, 1, 0};
  for (int k = -3; k <= 3; k++) {
    ok(weft_diagonal(&v, x, WEFT_AXES(0, 1), .k = k));
    ck_assert_int_eq(weft_array_ndim(v), 1);
    check_elements(v, diagonal[k + 3], length[k + 3], "diagonal");
    weft_array_release(&v);
  }
  ok(weft_diagonal(&v, x, WEFT_AXES(1, 0), .k = 1)); /* of the transposed array */
  check_elements(v, (const int32_t[]){4}, 1, "diagonal");
  ok(weft_fill(v, 9));
  weft_array_release(&v);
  check_elements(x, (const int32_t[]){1, 2, 3, 9, 5, 6}, 6, "written through its diagonal");
  weft_array_release(&x);
  ok(weft_zeros(&x, ctx, WEFT_U8, WEFT_SHAPE(2, 3, 4, 5)));
  ok(weft_moveaxis(&v, x, 0, -1));
  ck_assert(weft_array_length(v, 0) == 3 && weft_array_length(v, 1) == 4 && weft_array_length(v, 2) == 5 &&
            weft_array_length(v, 3) == 2);
  ck_assert_int_eq(weft_array_stride_bytes(v, 3), 60);
  weft_array_release(&v);
  ok(weft_moveaxis(&v, x, -1, 1));
  ck_assert(weft_array_length(v, 0) == 2 && weft_array_length(v, 1) == 5 && weft_array_length(v, 2) == 3 &&
            weft_array_length(v, 3) == 4);
  weft_array_release(&v);
  ok(weft_swapaxes(&v, x, 0, -2));
  ck_assert(weft_array_length(v, 0) == 4 && weft_array_length(v, 1) == 3 && weft_array_length(v, 2) == 2 &&
            weft_array_length(v, 3) == 5);
  weft_array_release(&v);
  weft_array_release(&x);
}
END_TEST

START_TEST(grids)
{
  const int32_t columns[] = {1, 2, 3}, rows[] = {10, 20};
  weft_array *a = NULL, *b = NULL, *grid[2] = {NULL, NULL};
  ok(weft_from_host(&a, ctx, WEFT_I32, WEFT_SHAPE(3), columns));
  ok(weft_from_host(&b, ctx, WEFT_I32, WEFT_SHAPE(2), rows));
  weft_array *both[] = {a, b};
  ok(weft_meshgrid(grid, both, 2));
  ck_assert_int_eq(weft_array_length(grid[0], 0), 2);
  check_elements(grid[0], (const int32_t[]){1, 2, 3, 1, 2, 3}, 6, "xy, 0");
  check_elements(grid[1], (const int32_t[]){10, 10, 10, 20, 20, 20}, 6, "xy, 1");
  weft_array_release(&grid[0]);
  weft_array_release(&grid[1]);
  ok(weft_meshgrid(grid, both, 2, .indexing = WEFT_INDEXING_IJ));
  ck_assert_int_eq(weft_array_length(grid[0], 0), 3);
  check_elements(grid[0], (const int32_t[]){1, 1, 2, 2, 3, 3}, 6, "ij, 0");
  check_elements(grid[1], (const int32_t[]){10, 20, 10, 20, 10, 20}, 6, "ij, 1");
  expect_error(weft_fill(grid[0], 1), WEFT_ERROR_LAYOUT, "weft_fill");
  expect_error(weft_meshgrid(grid, both, 2, .indexing = WEFT_INDEXING_IJ), WEFT_ERROR_ARGUMENT, "weft_meshgrid",
               "outs[0]", "@outs");
  weft_array *other = grid[0];
  weft_array_release(&grid[1]);
  grid[0] = NULL;
  expect_error(weft_meshgrid(grid, &other, 1, .indexing = WEFT_INDEXING_IJ), WEFT_ERROR_SHAPE, "2 axes", "@arrays");
  expect_error(weft_meshgrid(grid, both, 0, .indexing = WEFT_INDEXING_IJ), WEFT_ERROR_ARGUMENT, "@count");
  weft_array_release(&other);
  weft_array_release(&a);
  weft_array_release(&b);
}
END_TEST

/* ---- differences ---- */

START_TEST(differences)
{
  harness_random random = harness_random_start(14);
  for (int k = 0; k < CASES; k++) {
    static const weft_dtype dtypes[] = {WEFT_I32, WEFT_U8, WEFT_BOOL};
    weft_dtype dtype = dtypes[harness_between(&random, 0, 2)];
    int ndim = (int)harness_between(&random, 1, 3), axis = (int)harness_between(&random, 0, ndim - 1),
        n = (int)harness_between(&random, 1, 3);
    if (harness_between(&random, 0, 9) == 0) n = 1000000000;
    weft_shape shape = random_shape(&random, ndim, 3000), to = shape;
    sample x;
    sample_make(&x, &random, dtype, shape, harness_between(&random, 0, 1));
    size_t size = weft_dtype_size_bytes(dtype);
    int64_t count = shape_count(shape), place[WEFT_MAX_NDIM];
    int64_t *values = calloc((size_t)count + 1, sizeof *values);
    for (int64_t i = 0; i < count; i++) values[i] = size == 4 ? ((int32_t *)x.values)[i] : x.values[i];
    for (int times = 0; times < n && to.dim[axis] > 0; times++) {
      weft_shape from = to;
      to.dim[axis]--;
      for (int64_t i = 0; i < shape_count(to); i++) {
        place_of(place, to, i);
        int64_t low = values[number_of(place, from)];
        place[axis]++;
        int64_t high = values[number_of(place, from)];
        values[i] = dtype == WEFT_BOOL ? low != high : high - low;
      }
    }
    unsigned char *expected = malloc((size_t)count * size + 1);
    for (int64_t i = 0; i < shape_count(to); i++) {
      uint32_t wrapped = (uint32_t)values[i];
      memcpy(expected + (size_t)i * size, &wrapped, size);
    }
    weft_array *out = NULL;
    ok(weft_diff(&out, x.view, harness_between(&random, 0, 1) ? axis : axis - ndim, .n = n));
    ck_assert_int_eq(weft_array_dtype(out), dtype);
    ck_assert_int_eq(weft_array_length(out, axis), to.dim[axis]);
    check_elements(out, expected, shape_count(to), "diff");
    weft_array_release(&out);
    sample_release(&x);
    free(expected);
    free(values);
    harness_count(1);
  }
  float host[3];
  const float data[] = {1, 4, 9, 16};
  weft_array *x = NULL;
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(4), data));
  ok(weft_diff(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(3)), x, 0));
  ck_assert(host[0] == 3 && host[1] == 5 && host[2] == 7);
  weft_array_release(&x);
}
END_TEST

/* ---- refused calls ---- */

START_TEST(wrong_calls)
{
  weft_array *x = NULL, *y = NULL, *zero = NULL, *row = NULL, *out = NULL, *empty = NULL, *none[4] = {NULL};
  weft_array **nothing = NULL;
  ok(weft_zeros(&x, ctx, WEFT_I32, WEFT_SHAPE(3, 4)));
  ok(weft_zeros(&y, ctx, WEFT_I32, WEFT_SHAPE(3, 5)));
  ok(weft_zeros(&row, ctx, WEFT_I32, WEFT_SHAPE(4)));
  ok(weft_zeros(&zero, ctx, WEFT_I32, WEFT_SHAPE_0D));
  ok(weft_zeros(&empty, ctx, WEFT_I32, WEFT_SHAPE(0, 2)));
  weft_array *both[] = {x, y}, *mixed[] = {x, row}, *scalars[] = {zero, zero}, *broken[] = {x, NULL};
  expect_error(weft_concatenate(&out, both, 2, 0), WEFT_ERROR_SHAPE, "weft_concatenate", "arrays[1] is i32[3,5]",
               "axis 1", "@arrays");
  expect_error(weft_concatenate(&out, mixed, 2, 0), WEFT_ERROR_SHAPE, "different numbers of axes", "@arrays");
  expect_error(weft_concatenate(&out, scalars, 2, 0), WEFT_ERROR_SHAPE, "no axes", "@arrays");
  expect_error(weft_concatenate(&out, both, 2, 2), WEFT_ERROR_AXIS, "axis 2", "@axis");
  expect_error(weft_concatenate(&out, both, 0, 0), WEFT_ERROR_ARGUMENT, "`count` is 0", "@count");
  expect_error(weft_concatenate(&out, both, -3, 0), WEFT_ERROR_ARGUMENT, "@count");
  expect_error(weft_concatenate(&out, broken, 2, 0), WEFT_ERROR_HANDLE, "@arrays");
  expect_error(weft_concatenate(&out, (weft_array *const *)NULL, 2, 0), WEFT_ERROR_ARGUMENT, "`arrays` is NULL",
               "@arrays");
  expect_error(weft_concatenate(nothing, both, 1, 0), WEFT_ERROR_ARGUMENT, "`out` is NULL", "@out");
  expect_error(weft_stack(&out, both, 2, 0), WEFT_ERROR_SHAPE, "weft_stack", "axis 1", "@arrays");
  expect_error(weft_stack(&out, both, 1, 3), WEFT_ERROR_AXIS, "@axis");
  /* the given result does not fit */
  out = weft_array_retain(y);
  expect_error(weft_concatenate(&out, both, 1, 0), WEFT_ERROR_SHAPE, "`out` is i32[3,5]", "axis 1", "@out");
  expect_error(weft_roll(&out, x, 1, 0), WEFT_ERROR_SHAPE, "weft_roll", "@out");
  weft_array_release(&out);

  expect_error(weft_split(none, x, 0, 0), WEFT_ERROR_ARGUMENT, "weft_split", "@sections");
  expect_error(weft_split(none, x, 2, 0), WEFT_ERROR_SHAPE, "3 elements", "2 equal parts", "@sections");
  expect_error(weft_split(none, zero, 1, 0), WEFT_ERROR_AXIS, "no axes", "@axis");
  expect_error(weft_array_split(none, NULL, 1, 0), WEFT_ERROR_HANDLE, "weft_array_split", "@x");
  expect_error(weft_split_at(none, x, NULL, 1, 0), WEFT_ERROR_ARGUMENT, "weft_split_at", "@positions");
  expect_error(weft_split_at(none, x, NULL, -1, 0), WEFT_ERROR_ARGUMENT, "@count");
  none[1] = x;
  expect_error(weft_array_split(none, x, 2, 0), WEFT_ERROR_ARGUMENT, "outs[1] is not NULL", "@outs");
  ck_assert_ptr_null(none[0]);
  none[1] = NULL;

  expect_error(weft_roll(&out, x, 1, 2), WEFT_ERROR_AXIS, "weft_roll", "@axes");
  expect_error(weft_roll(&out, x, 1, weft_keepdims(0)), WEFT_ERROR_AXIS, "weft_keepdims was given");
  expect_error(weft_concatenate(&out, both, 2, WEFT_AXES(0, 1)), WEFT_ERROR_AXIS, "2 axes were given; expected one",
               "@axis");
  expect_error(weft_repeat(&out, x, 2, WEFT_AXES(0, 1)), WEFT_ERROR_AXIS, "2 axes were given; expected one", "@axis");
  expect_error(weft_diff(&out, x, weft_keepdims(0)), WEFT_ERROR_AXIS, "weft_keepdims was given", "@axis");
  expect_error(weft_pad(&out, x, WEFT_SHAPE(1), WEFT_SHAPE(1), .value = {{7}}), WEFT_ERROR_ARGUMENT, "@value",
               "has no dtype", "WEFT_SCALAR(7)");
  expect_error(weft_pad(&out, x, WEFT_SHAPE(1), WEFT_SHAPE(1), .mode = WEFT_PAD_EDGE, .value = WEFT_SCALAR(1)),
               WEFT_ERROR_ARGUMENT, "expected one of them", "@value");
  expect_error(weft_repeat(&out, x, 1.5, 0), WEFT_ERROR_DTYPE, "`counts` is f64", "@counts");
  expect_error(weft_roll(&out, zero, 1, 0), WEFT_ERROR_AXIS, "no axes", "@axes");
  expect_error(weft_roll(&out, x, WEFT_SHAPE(1, 2, 3), WEFT_AXES(0, 1)), WEFT_ERROR_ARGUMENT, "3 numbers, for 2 axes",
               "@shift");
  expect_error(weft_roll(&out, x, WEFT_SHAPE(1, 1), WEFT_AXES(0, -3)), WEFT_ERROR_AXIS, "axis -3", "@axes");
  expect_error(weft_repeat(&out, x, -1, 0), WEFT_ERROR_ARGUMENT, "weft_repeat", "`counts` is -1", "@counts");
  expect_error(weft_repeat(&out, x, INT64_MAX, 0), WEFT_ERROR_OVERFLOW, "2^63-1", "@counts");
  expect_error(weft_repeat(&out, x, 2, -3), WEFT_ERROR_AXIS, "@axis");
  expect_error(weft_tile(&out, x, WEFT_SHAPE(2, -1)), WEFT_ERROR_SHAPE, "weft_tile", "-1 for axis 1", "@reps");
  expect_error(weft_tile(&out, x, WEFT_SHAPE(INT64_MAX)), WEFT_ERROR_OVERFLOW, "@reps");
  expect_error(weft_pad(&out, x, WEFT_SHAPE(1, 1, 1), WEFT_SHAPE(1), .mode = WEFT_PAD_EDGE), WEFT_ERROR_SHAPE,
               "weft_pad", "3 numbers", "@before");
  expect_error(weft_pad(&out, x, WEFT_SHAPE(1), WEFT_SHAPE(1, -1), .mode = WEFT_PAD_EDGE), WEFT_ERROR_SHAPE,
               "-1 for axis 1", "@after");
  expect_error(weft_pad(&out, x, WEFT_SHAPE(1), WEFT_SHAPE(1), .mode = (weft_pad_mode)9), WEFT_ERROR_ARGUMENT,
               "`mode` is 9", "@mode");
  expect_error(weft_pad(&out, empty, WEFT_SHAPE(1), WEFT_SHAPE(1), .mode = WEFT_PAD_WRAP), WEFT_ERROR_SHAPE,
               "axis 0 has no elements", "@x");
  expect_error(weft_pad(&out, x, WEFT_SHAPE(INT64_MAX), WEFT_SHAPE(1)), WEFT_ERROR_OVERFLOW, "@before");
  expect_error(weft_pad(&out, x, WEFT_SHAPE(1), WEFT_SHAPE(1), .value = WEFT_SCALAR(1LL << 40)), WEFT_ERROR_OVERFLOW,
               "weft_pad", "@value");
  expect_error(weft_triu(&out, zero), WEFT_ERROR_SHAPE, "weft_triu", "no axes", "@x");
  expect_error(weft_diag(&out, x), WEFT_ERROR_SHAPE, "weft_diagonal", "@x");
  expect_error(weft_diag(&out, row, .k = INT64_MIN), WEFT_ERROR_OVERFLOW, "@k");
  expect_error(weft_eye(&out, ctx, WEFT_I32, -1, .columns = 2), WEFT_ERROR_SHAPE, "weft_eye", "@rows");
  expect_error(weft_eye(&out, ctx, (weft_dtype)99, 1, .columns = 2), WEFT_ERROR_DTYPE, "weft_eye");
  expect_error(weft_diff(&out, x, 0, .n = -1), WEFT_ERROR_ARGUMENT, "weft_diff", "`n` is -1", "@n");
  expect_error(weft_diff(&out, zero, 0), WEFT_ERROR_AXIS, "no axes", "@axis");
  expect_error(weft_diff(&out, WEFT_OPERAND(&out), 0), WEFT_ERROR_ARGUMENT, "`x`", "@x");
  ck_assert_ptr_null(out);

  const int32_t negative[] = {1, 2, -5, 1};
  const float real[] = {1, 2, 3, 4};
  expect_error(weft_repeat(&out, row, WEFT_HOST(negative, WEFT_I32, WEFT_SHAPE(4)), 0), WEFT_ERROR_ARGUMENT,
               "weft_repeat", "-5 at position 2", "@counts");
  expect_error(weft_repeat(&out, row, WEFT_HOST(negative, WEFT_I32, WEFT_SHAPE(3)), 0), WEFT_ERROR_SHAPE, "i32[3]",
               "one axis of 4", "@counts");
  expect_error(weft_repeat(&out, row, WEFT_HOST(real, WEFT_F32, WEFT_SHAPE(4)), 0), WEFT_ERROR_DTYPE, "f32", "@counts");
  expect_error(weft_repeat(&out, x, row, 0), WEFT_ERROR_SHAPE, "one axis of 3", "@counts");
  expect_error(weft_repeat(&out, zero, row, 0), WEFT_ERROR_AXIS, "@axis");

  out = weft_array_retain(y);
  expect_error(weft_moveaxis(&out, x, 0, 1), WEFT_ERROR_ARGUMENT, "weft_moveaxis", "@out");
  weft_array_release(&out);
  expect_error(weft_moveaxis(&out, x, 2, 0), WEFT_ERROR_AXIS, "axis 2 was asked for", "@source");
  expect_error(weft_moveaxis(&out, x, 0, -3), WEFT_ERROR_AXIS, "@destination");
  expect_error(weft_swapaxes(&out, zero, 0, 0), WEFT_ERROR_AXIS, "weft_swapaxes", "no axes", "@axis1");
  expect_error(weft_rot90(&out, x, 1, WEFT_AXES(1, -1)), WEFT_ERROR_AXIS, "weft_rot90", "axis 1 is given twice",
               "@axes");
  expect_error(weft_diagonal(&out, x, WEFT_AXES(0, 5)), WEFT_ERROR_AXIS, "weft_diagonal", "@axes");
  weft_array_release(&x);
  weft_array_release(&y);
  weft_array_release(&row);
  weft_array_release(&zero);
  weft_array_release(&empty);
}
END_TEST

static void add(Suite *suite) {
  TCase *joins = harness_context_case(suite, "joins");
  tcase_add_test(joins, concatenates);
  tcase_add_test(joins, stacks);
  tcase_add_test(joins, dtypes_promote);
  tcase_add_test(joins, joins_over_its_operands);
  tcase_add_test(joins, splits);
  TCase *others = harness_context_case(suite, "others");
  tcase_add_test(others, turned_views);
  tcase_add_test(others, grids);
  tcase_add_test(others, differences);
  tcase_add_test(others, wrong_calls);
}

int main(void) {
  const harness_suite suite = {.name = "rearrange_join", .add = add};
  return harness_main(&suite);
}
