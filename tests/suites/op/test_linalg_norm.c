// SPDX-License-Identifier: MIT
/// Norms, condition numbers, powers and Hermitian inverses of matrices, by hand. NumPy judges random ones
/// (tests/judge).
#include "harness.h"

/// Singular values 5.1166727 and 1.9543951; the inverse is [[4, 2], [-3, 1]] / 10.
static const float square[] = {1, -2, 3, 4};

static const struct {
  weft_norm_order order;
  float norm, condition;
} rows[] = {{WEFT_NORM_DEFAULT, 5.4772256f, 2.6180340f},
            {WEFT_NORM_FRO, 5.4772256f, 3},
            {WEFT_NORM_NUC, 7.0710678f, 5},
            {WEFT_NORM_1, 6, 4.2f},
            {WEFT_NORM_MINUS_1, 4, 1.2f},
            {WEFT_NORM_2, 5.1166727f, 2.6180340f},
            {WEFT_NORM_MINUS_2, 1.9543951f, 0.3819660f},
            {WEFT_NORM_INF, 7, 4.2f},
            {WEFT_NORM_MINUS_INF, 3, 1.2f}};
enum { ORDERS = sizeof rows / sizeof *rows };

static void check_near(const char *what, float got, float wanted) {
  ck_assert_msg(fabsf(got - wanted) <= 4e-6f * fabsf(wanted), "%s: %.9g, expected %.9g", what, (double)got,
                (double)wanted);
}

START_TEST(orders)
{
  const weft_norm_order order = rows[_i].order;
  float host[2] = {0, 0};
  weft_array *stack = NULL, *x = NULL, *y = NULL;
  if (!harness_has_kernels()) return;
  ok(weft_matrix_norm(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE_0D), WEFT_HOST(square, WEFT_F32, WEFT_SHAPE(2, 2)),
                      WEFT_AXES(-2, -1), .order = order));
  check_near("norm", host[0], rows[_i].norm);
  ok(weft_cond(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE_0D), WEFT_HOST(square, WEFT_F32, WEFT_SHAPE(2, 2)),
               .order = order));
  check_near("condition", host[0], rows[_i].condition);
  /* the matrix and twice its transpose, whose rows lie along the last axis, with other axes around */
  const float both[] = {1, 2, 3, 6, -2, -4, 4, 8}; /* [column, row, matrix] */
  ok(weft_from_host(&stack, ctx, WEFT_F32, WEFT_SHAPE(2, 2, 2), both));
  ok(weft_swapaxes(&x, stack, 1, 2)); /* [column, matrix, row] */
  ok(weft_matrix_norm(&y, x, weft_keepdims(WEFT_AXES(-1, 0)), .order = order));
  const weft_shape shape = weft_array_shape(y);
  ck_assert(shape.ndim == 3 && shape.dim[0] == 1 && shape.dim[1] == 2 && shape.dim[2] == 1);
  ok(weft_to_host(host, sizeof host, y));
  check_near("first of the stack", host[0], rows[_i].norm);
  check_near("second of the stack", host[1], 2 * rows[_i].norm);
  weft_array_release(&y);
  ok(weft_matrix_norm(&y, x, WEFT_AXES(2, 0), .order = order));
  ck_assert(weft_array_ndim(y) == 1 && weft_array_dtype(y) == WEFT_F32);
  weft_release(&y, &x, &stack);
  harness_count(5);
}
END_TEST

START_TEST(numbers_are_numpys)
{ ck_assert(WEFT_NORM_1 == 1 && WEFT_NORM_MINUS_1 == -1 && WEFT_NORM_2 == 2 && WEFT_NORM_MINUS_2 == -2); }
END_TEST

START_TEST(bad_matrices)
{
  const float nan[] = {1, 2, NAN, 4, 1, -2, 3, 4, 1, 2, 2, 4};
  float host[3];
  weft_array *a = NULL, *y = NULL;
  if (!harness_has_kernels()) return;
  ok(weft_from_host(&a, ctx, WEFT_F32, WEFT_SHAPE(3, 2, 2), nan));
  for (int k = 0; k < ORDERS; k++) {
    ok(weft_matrix_norm(&y, a, WEFT_AXES(1, 2), .order = rows[k].order));
    ok(weft_to_host(host, sizeof host, y));
    ck_assert_msg(isnan(host[0]), "order %d: %g", (int)rows[k].order, (double)host[0]);
    check_near("beside NaN", host[1], rows[k].norm);
    ok(weft_cond(&y, a, .order = rows[k].order));
    ok(weft_to_host(host, sizeof host, y));
    ck_assert_msg(isnan(host[0]), "order %d: %g", (int)rows[k].order, (double)host[0]);
    check_near("beside NaN", host[1], rows[k].condition);
    if (rows[k].order == WEFT_NORM_MINUS_2)
      ck_assert(host[2] < 1e-6f);
    else
      ck_assert_msg(host[2] > 1e6f, "order %d: %g", (int)rows[k].order, (double)host[2]);
  }
  weft_release(&a, &y);
  harness_count(4 * ORDERS);
}
END_TEST

START_TEST(empty)
{
  float host[2];
  weft_array *a = NULL, *y = NULL;
  ok(weft_zeros(&a, ctx, WEFT_F32, WEFT_SHAPE(2, 0, 3)));
  for (int k = 0; k < ORDERS; k++) {
    const weft_norm_order order = rows[k].order;
    if (order == WEFT_NORM_MINUS_2)
      expect_error(weft_matrix_norm(&y, a, WEFT_AXES(1, 2), .order = order), WEFT_ERROR_SHAPE,
                   "`a` has matrices of 0 x 3, which have no least singular value", "@a");
    else if (order == WEFT_NORM_MINUS_INF)
      expect_error(weft_matrix_norm(&y, a, WEFT_AXES(1, 2), .order = order), WEFT_ERROR_SHAPE, "no least sum", "@a");
    else if (harness_has_kernels()) {
      host[0] = host[1] = 7;
      ok(weft_matrix_norm(&y, a, WEFT_AXES(1, 2), .order = order));
      ok(weft_to_host(host, sizeof host, y));
      ck_assert(host[0] == 0 && host[1] == 0);
    }
  }
  weft_release(&a, &y);
}
END_TEST

/// Compares [n, n] of i32.
static void check_power(const weft_array *a, int64_t exponent, const int32_t wanted[4]) {
  int32_t host[4];
  weft_array *y = NULL;
  ok(weft_matrix_power(&y, a, exponent));
  ck_assert_int_eq(weft_array_dtype(y), WEFT_I32);
  ok(weft_to_host(host, sizeof host, y));
  for (int k = 0; k < 4; k++)
    ck_assert_msg(host[k] == wanted[k], "power %lld, element %d: %d, expected %d", (long long)exponent, k, (int)host[k],
                  (int)wanted[k]);
  weft_array_release(&y);
  harness_count(1);
}

START_TEST(powers)
{
  const int32_t host[] = {1, 1, 1, 0};
  uint32_t power[4] = {1, 0, 0, 1}; /* Fibonacci's numbers, which wrap */
  double inverse[4];
  weft_array *a = NULL, *b = NULL;
  if (!harness_has_kernels()) return;
  ok(weft_from_host(&a, ctx, WEFT_I32, WEFT_SHAPE(2, 2), host));
  for (int exponent = 0; exponent < 70; exponent++) {
    check_power(a, exponent, (const int32_t *)power);
    const uint32_t next[] = {power[0] + power[1], power[0], power[2] + power[3], power[2]};
    memcpy(power, next, sizeof next);
  }
  const int32_t turn[] = {0, 1, -1, 0}, back[] = {0, -1, 1, 0};
  ok(weft_from_host(&b, ctx, WEFT_I32, WEFT_SHAPE(2, 2), turn)); /* its fourth power is the identity */
  check_power(b, INT64_MAX, back);
  if (device.has_fp64) {
    ok(weft_matrix_power(WEFT_HOST_OUT(inverse, WEFT_F64, WEFT_SHAPE(2, 2)), b, INT64_MIN + 1));
    for (int k = 0; k < 4; k++) ck_assert(inverse[k] == turn[k]);
    ok(weft_matrix_power(WEFT_HOST_OUT(inverse, WEFT_F64, WEFT_SHAPE(2, 2)), b, INT64_MIN));
    ck_assert(inverse[0] == 1 && inverse[1] == 0 && inverse[2] == 0 && inverse[3] == 1);
    ok(weft_matrix_power(WEFT_HOST_OUT(inverse, WEFT_F64, WEFT_SHAPE(2, 2)), a, -2));
    ck_assert(inverse[0] == 1 && inverse[1] == -1 && inverse[2] == -1 && inverse[3] == 2);
  }
  for (int64_t exponent = 1; exponent < 4; exponent++) { /* in place: a, a^2, a^6 */
    int32_t got[4];
    ok(weft_matrix_power(&a, a, exponent));
    ok(weft_to_host(got, sizeof got, a));
    ck_assert_int_eq(got[0], exponent == 1 ? 1 : exponent == 2 ? 2 : 13);
  }
  weft_release(&a, &b);
  harness_count(7);
}
END_TEST

/// Of rank 1, with an imaginary part and a negative eigenvalue, -10: -v v^H of v = [1, 3i]. Only the lower triangle is
/// read.
START_TEST(hermitian)
{
  const float a[] = {-1, 0, 70, 70, 0, -3, -9, 0};
  const float wanted[] = {-0.01f, 0, 0, 0.03f, 0, -0.03f, -0.09f, 0};
  float host[8];
  int64_t rank = 7;
  weft_array *x = NULL, *y = NULL, *wide = NULL;
  if (!harness_has_kernels()) return;
  ok(weft_from_host(&x, ctx, WEFT_C64, WEFT_SHAPE(2, 2), a));
  ok(weft_pinv(&y, x, .hermitian = true));
  ok(weft_to_host(host, sizeof host, y));
  for (int k = 0; k < 8; k++)
    ck_assert_msg(fabsf(host[k] - wanted[k]) < 1e-7f, "part %d: %g, expected %g", k, (double)host[k],
                  (double)wanted[k]);
  ok(weft_matrix_rank(WEFT_HOST_OUT(&rank, WEFT_I64, WEFT_SHAPE_0D), x, .hermitian = true));
  ck_assert_int_eq(rank, 1);
  weft_array_release(&y);
  ok(weft_zeros(&wide, ctx, WEFT_F32, WEFT_SHAPE(2, 3)));
  expect_error(weft_pinv(&y, wide, .hermitian = true), WEFT_ERROR_SHAPE, "f32[2,3]; expected square matrices", "@a");
  expect_error(weft_matrix_rank(&y, wide, .hermitian = true), WEFT_ERROR_SHAPE, "expected square matrices", "@a");
  weft_release(&x, &y, &wide);
  harness_count(4);
}
END_TEST

START_TEST(errors)
{
  weft_array *a = NULL, *v = NULL, *wide = NULL, *half = NULL, *y = NULL;
  ok(weft_zeros(&a, ctx, WEFT_F32, WEFT_SHAPE(2, 2)));
  ok(weft_zeros(&v, ctx, WEFT_F32, WEFT_SHAPE(2)));
  ok(weft_zeros(&wide, ctx, WEFT_F32, WEFT_SHAPE(2, 3)));
  ok(weft_zeros(&half, ctx, WEFT_F16, WEFT_SHAPE(2, 2)));
  expect_error(weft_matrix_norm(&y, v, WEFT_AXES(-2, -1)), WEFT_ERROR_AXIS, "weft_matrix_norm", "@axes");
  expect_error(weft_matrix_norm(&y, a, 0), WEFT_ERROR_AXIS, "`axes` has 1 of `a`'s 2; expected 2, such as", "@axes");
  expect_error(weft_matrix_norm(&y, v, WEFT_ALL_AXES), WEFT_ERROR_AXIS, "`axes` has 1 of `a`'s 1", "@axes");
  expect_error(weft_matrix_norm(&y, a, WEFT_AXES(0, -2)), WEFT_ERROR_AXIS, "given twice", "@axes");
  expect_error(weft_matrix_norm(&y, 1.0f, WEFT_AXES(0, 1)), WEFT_ERROR_AXIS, "@axes");
  expect_error(weft_matrix_norm(&y, a, WEFT_AXES(0, 1), .order = (weft_norm_order)7), WEFT_ERROR_ARGUMENT,
               "`order` is 7; expected a weft_norm_order", "@order");
  expect_error(weft_matrix_norm(&y, half, WEFT_AXES(0, 1), .order = WEFT_NORM_NUC), WEFT_ERROR_DTYPE,
               "`a` is f16; expected f32", "weft_cast", "@a");
  expect_error(weft_matrix_norm(&wide, a, WEFT_AXES(0, 1)), WEFT_ERROR_SHAPE, "`out` is f32[2,3]", "@out");
  expect_error(weft_cond(&y, a, .order = (weft_norm_order)-3), WEFT_ERROR_ARGUMENT, "`order` is -3", "@order");
  expect_error(weft_cond(&y, wide, .order = WEFT_NORM_FRO), WEFT_ERROR_SHAPE, "f32[2,3]; expected square", "@a");
  expect_error(weft_cond(&y, half), WEFT_ERROR_DTYPE, "`a` is f16[2,2]", "@a");
  expect_error(weft_matrix_power(&y, wide, 2), WEFT_ERROR_SHAPE, "f32[2,3]; expected square matrices", "@a");
  expect_error(weft_matrix_power(&y, v, 0), WEFT_ERROR_SHAPE, "`a` is f32[2]; expected a matrix", "@a");
  expect_error(weft_matrix_power(&wide, a, 1), WEFT_ERROR_SHAPE, "`out` is f32[2,3]", "@out");
  if (harness_has_kernels()) {
    expect_error(weft_matrix_power(&y, a, -2), WEFT_ERROR_SINGULAR, "weft_matrix_power: `a` is singular", "@a");
    expect_error(weft_matrix_power(&y, half, -1), WEFT_ERROR_DTYPE, "`a` is f16[2,2]", "@a");
  }
  ck_assert_ptr_null(y);
  weft_release(&a, &v, &wide, &half);
}
END_TEST

static void add(Suite *suite) {
  TCase *c = harness_context_case(suite, "linalg_norm");
  tcase_add_loop_test(c, orders, 0, ORDERS);
  tcase_add_test(c, numbers_are_numpys);
  tcase_add_test(c, bad_matrices);
  tcase_add_test(c, empty);
  tcase_add_test(c, powers);
  tcase_add_test(c, hermitian);
  tcase_add_test(c, errors);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "linalg_norm", .add = add});
}
