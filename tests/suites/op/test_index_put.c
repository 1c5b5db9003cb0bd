// SPDX-License-Identifier: MIT
/* Elements written by indices: values cast and broadcast, sums in order, NaN. NumPy judges the rest
   (tests/judge/primitives/index.py). */
#include "selection.h"

START_TEST(assigned)
{
  weft_array *x = NULL, *turned = NULL, *mask = NULL, *row = NULL;
  const bool column[] = {true, false, true};
  ok(weft_arange(&x, ctx, WEFT_I32, 0, 12, 1));
  ok(weft_reshape(&turned, x, WEFT_SHAPE(4, 3)));
  ok(weft_from_host(&row, ctx, WEFT_I16, WEFT_SHAPE(3), ((const int16_t[]){-1, -2, -3})));
  ok(weft_assign(turned, WEFT_HOST(column, WEFT_BOOL, WEFT_SHAPE(3)), row));
  check_elements(x, (const int32_t[]){-1, 1, -3, -1, 4, -3, -1, 7, -3, -1, 10, -3}, 12, "a row of another dtype");
  ok(weft_greater(&mask, x, 5));
  ok(weft_assign(x, mask, 100));
  check_elements(x, (const int32_t[]){-1, 1, -3, -1, 4, -3, -1, 100, -3, -1, 100, -3}, 12, "a number");
  weft_array_release(&row);
  ok(weft_flip(&row, x, 0));
  ok(weft_assign(x, mask, row)); /* a reversed view of x as value */
  check_elements(x, (const int32_t[]){-1, 1, -3, -1, 4, -3, -1, 4, -3, -1, 1, -3}, 12, "overlap");
  ok(weft_assign(x, (bool)false, 1));
  ok(weft_assign(x, (bool)true, x));
  expect_error(weft_assign(x, x, 1), WEFT_ERROR_DTYPE, "`mask` is i32; expected bool", "@mask");
  expect_error(weft_assign(turned, mask, 1), WEFT_ERROR_SHAPE, "`mask` is bool[12], the written elements are i32[4,3]",
               "@mask");
  expect_error(weft_assign(turned, (bool)true, x), WEFT_ERROR_SHAPE,
               "`value` is i32[12], the written elements are i32[4,3]", "@value");
  expect_error(weft_assign(x, mask, WEFT_HOST(((const float[]){1}), WEFT_F32, WEFT_SHAPE(1))), WEFT_ERROR_DTYPE,
               "`value` is f32", "@value");
  expect_error(weft_assign(NULL, mask, 1), WEFT_ERROR_HANDLE, "@x");
  weft_array_release(&row);
  weft_array_release(&mask);
  weft_array_release(&turned);
  weft_array_release(&x);
}
END_TEST

START_TEST(values_are_broadcast_and_cast)
{
  weft_array *x = NULL, *row = NULL;
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(4, 3)));
  ok(weft_from_host(&row, ctx, WEFT_F16, WEFT_SHAPE(3), ((const uint16_t[]){0x3c00, 0x4000, 0x4200})));
  ok(weft_scatter(x, WEFT_HOST(((const int64_t[]){-1, 1}), WEFT_I64, WEFT_SHAPE(2)), row, 0));
  ok(weft_scatter(x, 0, 7, 0));
  ok(weft_scatter(x, 2, -0.5, 1));
  check_elements(x, (const float[]){7, 7, -0.5f, 1, 2, -0.5f, 0, 0, -0.5f, 1, 2, -0.5f}, 12, "scatter");
  weft_array_release(&row);
  weft_array_release(&x);
}
END_TEST

/* ---- additions, minima, maxima ---- */

/* The loop's combination of two elements. Floats are whole numbers, small enough that their sum does not depend on the
   order. */
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
      *(uint8_t *)to =
          operation == 1 ? *(uint8_t *)to & *(const uint8_t *)value : *(uint8_t *)to | *(const uint8_t *)value;
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
    case WEFT_F16:
    case WEFT_BF16: {
      const double x = (double)element_get(dtype, to), y = (double)element_get(dtype, value);
      element_set(dtype, to, operation == 0 ? x + y : operation == 1 ? (y < x ? y : x) : (y > x ? y : x), 0);
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

/// Numbers whose sums over 1200 elements are exact in the dtype: GPUs add in any order.
static void whole_numbers(weft_dtype dtype, unsigned char *elements, int64_t count, harness_random *random) {
  size_t size = weft_dtype_size_bytes(dtype);
  char kind = weft_dtype_kind(dtype);
  const bool is_sparse = kind == 'b' || dtype == WEFT_BF16;
  for (int64_t k = 0; k < count; k++) {
    if (kind == 'i' || kind == 'u')
      element_random(random, dtype, elements + (size_t)k * size);
    else
      element_set(dtype, elements + (size_t)k * size,
                  is_sparse ? (double)(harness_between(random, 0, 9) == 0)
                            : (double)harness_between(random, 0, dtype == WEFT_F16 ? 1 : 3),
                  kind == 'c' ? (double)harness_between(random, 0, 3) : 0);
  }
}

static weft_status scatter_with(int operation, weft_array *x, const weft_array *indices, const weft_array *values,
                                int axis, bool fixed) {
  if (operation == 0) return weft_scatter_add(x, indices, values, axis, .deterministic = fixed);
  return operation == 1 ? weft_scatter_min(x, indices, values, axis, .deterministic = fixed)
                        : weft_scatter_max(x, indices, values, axis, .deterministic = fixed);
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
    int axis = kind == LAYOUT_STEP ? WEFT__EVERY_AXIS : (int)(harness_bits(&random) & 1);
    around a = around_of(shape, axis);
    bool fixed = (dtype == WEFT_F32 || dtype == WEFT_C64) && harness_bits(&random) & 1;
    picks_make(&p, WEFT_SHAPE(harness_between(&random, 1, 1200 / (a.outer * a.run))), a.length, 0, &random);
    picks_describe(what, sizeof what,
                   operation == 0   ? "add"
                   : operation == 1 ? "min"
                                    : "max",
                   dtype, kind, axis, &p, 0);
    int64_t count = a.outer * p.count * a.run;
    unsigned char *values = malloc((size_t)count * size), *start = malloc((size_t)x.model.count * size);
    whole_numbers(dtype, values, count, &random);
    whole_numbers(dtype, start, x.model.count, &random);
    ok(weft_from_host(&x.view, ctx, dtype, shape, start));
    weft_array *from = NULL, *indices = picks_upload(&p);
    weft_shape dense = axis == WEFT__EVERY_AXIS ? p.shape : shape;
    if (axis != WEFT__EVERY_AXIS) dense.dim[axis] = p.count;
    ok(weft_from_host(&from, ctx, dtype, dense, values));
    ok(scatter_with(operation, x.view, indices, from, axis, fixed));
    for (int64_t e = 0; e < count; e++)
      combine(dtype, start + (size_t)around_place(&a, e, &p, p.count, false, 0) * size, values + (size_t)e * size,
              operation);
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

/* With .deterministic, each addition is rounded, in the order of the indices. */
START_TEST(float_additions_in_order)
{
  enum { N = 3000, PLACES = 17 };
  static float values[N];
  static int32_t keys[N];
  harness_random random = harness_random_start(9);
  float expected[PLACES] = {0};
  weft_array *x = NULL;
  for (int i = 0; i < N; i++) {
    values[i] =
        (float)ldexp((double)harness_between(&random, -1000000, 1000000), (int)harness_between(&random, -30, 10));
    keys[i] = (int32_t)harness_between(&random, 0, PLACES - 1);
    expected[keys[i]] += values[i];
  }
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(PLACES)));
  ok(weft_scatter_add(x, WEFT_HOST(keys, WEFT_I32, WEFT_SHAPE(N)), WEFT_HOST(values, WEFT_F32, WEFT_SHAPE(N)), 0,
                      .deterministic = true));
  check_elements(x, expected, PLACES, "sums");
  /* in any order: within the bounds of rounding */
  float got[PLACES], sum_of_sizes[PLACES] = {0};
  ok(weft_fill(x, 0));
  ok(weft_scatter_add(x, WEFT_HOST(keys, WEFT_I32, WEFT_SHAPE(N)), WEFT_HOST(values, WEFT_F32, WEFT_SHAPE(N)), 0));
  ok(weft_to_host(got, sizeof got, x));
  for (int i = 0; i < N; i++) sum_of_sizes[keys[i]] += fabsf(values[i]);
  for (int i = 0; i < PLACES; i++)
    ck_assert_msg(fabsf(got[i] - expected[i]) <= sum_of_sizes[i] * (float)N * 0x1p-24f, "place %d: %g, not %g", i,
                  (double)got[i], (double)expected[i]);
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
    ck_assert(isnan(got[0]) && isnan(got[1]) && got[2] == (operation == 1 ? -3 : 2) &&
              got[3] == (operation == 1 ? -INFINITY : 0));
    weft_array_release(&v);
    weft_array_release(&k);
    weft_array_release(&x);
  }
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "put");
  tcase_add_test(tc, assigned);
  tcase_add_test(tc, values_are_broadcast_and_cast);
  tc = harness_context_case(suite, "add");
  tcase_add_loop_test(tc, additions_are_a_loop, 1, WEFT_DTYPE_COUNT);
  tcase_add_test(tc, float_additions_in_order);
  tcase_add_test(tc, a_nan_stays);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "index_put", .add = add});
}
