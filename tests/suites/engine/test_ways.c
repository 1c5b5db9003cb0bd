// SPDX-License-Identifier: MIT
// Ways to compute an operation (engine/ways.h): every way of a table that fits gives the result of the last one, which
// fits every task; WEFT_WAY forces them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/ways.h"
#include "harness.h"
#include "op/matmul/matmul.h"

/// A product: dtype, batch, sides.
typedef struct product {
  weft_dtype dtype;
  int batch, m, n, k;
} product;

static const product products[] = {
    {WEFT_F32, 1, 70, 50, 40},     {WEFT_F64, 1, 70, 50, 40},   {WEFT_C64, 1, 40, 36, 50},
    {WEFT_C128, 1, 33, 20, 30},    {WEFT_F16, 1, 64, 48, 32},   {WEFT_F32, 1, 90, 1, 70},
    {WEFT_F64, 3, 17, 5, 9},       {WEFT_F32, 300, 16, 16, 16}, {WEFT_F32, 1, 4, 3, 20000},
    {WEFT_C128, 1, 300, 300, 300}, {WEFT_I32, 1, 20, 30, 40},   {WEFT_F32, 1, 512, 512, 512},
    {WEFT_BF16, 2, 128, 128, 64},  {WEFT_F64, 1, 1, 1, 5000},   {WEFT_F32, 1, 1500, 1500, 40},
};

static weft_array *operand(const product *p, bool is_b) {
  const weft_shape shape = is_b ? WEFT_SHAPE(p->batch, p->k, p->n) : WEFT_SHAPE(p->batch, p->m, p->k);
  const int64_t size = shape.dim[0] * shape.dim[1] * shape.dim[2];
  weft_array *wide = NULL, *x = NULL;
  int8_t *data = malloc((size_t)size);
  for (int64_t i = 0; i < size; i++) data[i] = (int8_t)((i * (is_b ? 7 : 5) + i / 11) % 9 - 4);
  ok(weft_from_host(&wide, ctx, WEFT_I8, shape, data));
  ok(weft_cast(&x, wide, p->dtype));
  free(data);
  weft_array_release(&wide);
  return x;
}

/// Small integers: every order of the sum is exact.
static void expect_equal(const weft_array *got, const weft_array *expected, const char *way, const product *p) {
  bool are_equal = false;
  ok(weft_array_equal(&are_equal, got, expected));
  ck_assert_msg(are_equal, "way %s, dtype %d, %d of %d x %d x %d: another result than the last way's", way,
                (int)p->dtype, p->batch, p->m, p->n, p->k);
}

static void force(const char *operation, const char *way) {
  char text[64];
  snprintf(text, sizeof text, "%s:%s", operation, way);
  setenv("WEFT_WAY", text, 1);
}

START_TEST(every_way_that_fits)
{
  const weft__ways *ways = &weft__matmul_ways;
  for (size_t k = 0; k < sizeof products / sizeof *products; k++) {
    const product *p = &products[k];
    if (!harness_has_dtype(p->dtype)) continue;
    weft_array *a = operand(p, false), *b = operand(p, true), *expected = NULL;
    force("matmul", ways->way[ways->count - 1].name);
    ok(weft_matmul(&expected, a, b));
    for (int w = 0; w < ways->count; w++) {
      weft_array *y = NULL;
      force("matmul", ways->way[w].name);
      ok(weft_matmul(&y, a, b));
      expect_equal(y, expected, ways->way[w].name, p);
      weft_array_release(&y);
      harness_count(1);
    }
    weft_release(&a, &b, &expected);
  }
  unsetenv("WEFT_WAY");
}
END_TEST

START_TEST(the_trace_names_the_way)
{
  const product p = {WEFT_F32, 1, 30, 20, 10};
  weft_array *a = operand(&p, false), *b = operand(&p, true), *y = NULL;
  setenv("WEFT_WAY", "sort:any,matmul:tile", 1);
  ok(weft_matmul(&y, a, b)); /* builds the kernel */
  harness_catch_stderr();
  weft_trace(true);
  ok(weft_matmul(&y, a, b));
  weft_trace(false);
  ck_assert_ptr_nonnull(strstr(harness_caught_text(), "by the way tile"));
  unsetenv("WEFT_WAY");
  weft_release(&a, &b, &y);
}
END_TEST

START_TEST(a_way_that_is_not_there)
{
  const product p = {WEFT_F32, 1, 3, 2, 1};
  weft_array *a = operand(&p, false), *b = operand(&p, true), *y = NULL;
  setenv("WEFT_WAY", "matmul:quick", 1);
  expect_error(weft_matmul(&y, a, b), WEFT_ERROR_ARGUMENT, "@WEFT_WAY", "`matmul:quick`", "no way `quick`", "blas",
               "tile");
  setenv("WEFT_WAY", "matmul:", 1);
  expect_error(weft_matmul(&y, a, b), WEFT_ERROR_ARGUMENT, "no way ``");
  setenv("WEFT_WAY", "matmult:quick,other", 1); /* of an operation without ways: not matmul's matter */
  ok(weft_matmul(&y, a, b));
  unsetenv("WEFT_WAY");
  weft_release(&a, &b, &y);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_case(suite, "ways");
  tcase_add_checked_fixture(tc, harness_context_open, harness_context_close);
  tcase_set_timeout(tc, 200);
  tcase_add_test(tc, every_way_that_fits);
  tcase_add_test(tc, the_trace_names_the_way);
  tcase_add_test(tc, a_way_that_is_not_there);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "ways", .add = add});
}
