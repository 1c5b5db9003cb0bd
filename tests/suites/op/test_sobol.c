// SPDX-License-Identifier: MIT
/// Sobol points: SciPy's, evenly spread, the same in parts, shifted by a generator's words.
#include <stdio.h>

#include "harness.h"

/* scipy.stats.qmc.Sobol(d=64, scramble=False, bits=32) of SciPy 1.17.1: points, and some of their dimensions, times
   2^32 */
static const int dimension[8] = {0, 1, 2, 3, 7, 20, 40, 63};
static const struct {
  int64_t number;
  uint32_t bits[8];
} scipy[] = {
    {0, {0, 0, 0, 0, 0, 0, 0, 0}},
    {1, {2147483648u, 2147483648u, 2147483648u, 2147483648u, 2147483648u, 2147483648u, 2147483648u, 2147483648u}},
    {2, {3221225472u, 1073741824u, 1073741824u, 1073741824u, 3221225472u, 1073741824u, 1073741824u, 3221225472u}},
    {7, {536870912u, 2684354560u, 1610612736u, 536870912u, 2684354560u, 3758096384u, 536870912u, 1610612736u}},
    {100, {1778384896u, 1107296256u, 3321888768u, 3120562176u, 2046820352u, 3254779904u, 3053453312u, 2785017856u}},
    {1023, {4194304u, 3233808384u, 2629828608u, 624951296u, 2654994432u, 3720347648u, 2713714688u, 171966464u}},
    {4095, {1048576u, 4042260480u, 1435500544u, 3872391168u, 1678770176u, 969932800u, 862978048u, 2377121792u}},
    {INT64_C(2147495993),
     {2752774147u, 2238272853u, 1645001659u, 4141547569u, 1458714307u, 2550464515u, 2677556307u, 1439752459u}},
};
enum { POINTS = sizeof scipy / sizeof *scipy };

START_TEST(as_scipy)
{
  for (int k = 0; k < POINTS; k++) {
    float single[64];
    double wide[64];
    ok(weft_sobol(WEFT_HOST_OUT(single, WEFT_F32, WEFT_SHAPE(1, 64)), NULL, WEFT_F32, 1, 64, .first = scipy[k].number,
                  .context = ctx));
    for (int j = 0; j < 8; j++)
      ck_assert((double)single[dimension[j]] * 0x1p32 == (double)(scipy[k].bits[j] & 0xffffff00u));
    if (!harness_has_dtype(WEFT_F64)) continue;
    ok(weft_sobol(WEFT_HOST_OUT(wide, WEFT_F64, WEFT_SHAPE(1, 64)), NULL, WEFT_F64, 1, 64, .first = scipy[k].number,
                  .context = ctx));
    for (int j = 0; j < 8; j++) ck_assert(wide[dimension[j]] * 0x1p32 == (double)scipy[k].bits[j]);
  }
  harness_count(2 * POINTS);
}
END_TEST

/* sums of bits[d] (d + 1) over all dimensions d, of SciPy's direction numbers */
static const struct {
  int64_t number;
  uint64_t sum;
} sums[] = {
    {INT64_C(1), UINT64_C(35075859740098560)},
    {INT64_C(1023), UINT64_C(35248104957542400)},
    {INT64_C(2147495993), UINT64_C(35342223815200208)},
    {INT64_C(4294967295), UINT64_C(34880281173673896)},
};

START_TEST(all_dimensions_as_scipy)
{
  enum { ALL = 5715 };
  static double wide[ALL];
  if (!harness_has_dtype(WEFT_F64)) return;
  for (size_t k = 0; k < sizeof sums / sizeof *sums; k++) {
    uint64_t sum = 0;
    ok(weft_sobol(WEFT_HOST_OUT(wide, WEFT_F64, WEFT_SHAPE(1, ALL)), NULL, WEFT_F64, 1, ALL, .first = sums[k].number,
                  .context = ctx));
    for (uint64_t d = 0; d < ALL; d++) sum += (uint64_t)(wide[d] * 0x1p32) * (d + 1);
    ck_assert_msg(sum == sums[k].sum, "point %lld", (long long)sums[k].number);
  }
  harness_count(sizeof sums / sizeof *sums);
}
END_TEST

/// Few and many dimensions are different kernels.
START_TEST(same_in_any_number_of_dimensions)
{
  enum { COUNT = 700, MOST = 70 };
  static const int some[] = {1, 3, 4, 5, 64, 65};
  static float all[COUNT * MOST], part[COUNT * MOST];
  const int64_t first = INT64_C(4294967296) - COUNT; /* up to the sequence's end */
  ok(weft_sobol(WEFT_HOST_OUT(all, WEFT_F32, WEFT_SHAPE(COUNT, MOST)), NULL, WEFT_F32, COUNT, MOST, .first = first,
                .context = ctx));
  for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
    ok(weft_sobol(WEFT_HOST_OUT(part, WEFT_F32, WEFT_SHAPE(COUNT, some[k])), NULL, WEFT_F32, COUNT, some[k],
                  .first = first, .context = ctx));
    for (int i = 0; i < COUNT; i++)
      for (int d = 0; d < some[k]; d++) ck_assert(part[i * some[k] + d] == all[i * MOST + d]);
    harness_count(1);
  }
}
END_TEST

/// Each dimension of 2^k points from a multiple on has one in each of 2^k equal parts.
static bool is_even(const float *x, int points, int dimensions, int d) {
  bool *seen = calloc((size_t)points, sizeof *seen);
  ck_assert_ptr_nonnull(seen);
  int parts = 0;
  for (int i = 0; i < points; i++) {
    const int part = (int)(x[i * dimensions + d] * (float)points);
    parts += !seen[part];
    seen[part] = true;
  }
  free(seen);
  return parts == points;
}

START_TEST(spread)
{
  enum { COUNT = 4096, DIMENSIONS = 64 };
  static float all[COUNT * DIMENSIONS], part[COUNT * DIMENSIONS], shifted[COUNT * DIMENSIONS];
  uint32_t word[DIMENSIONS];
  weft_rng *rng = NULL, *words = NULL;
  const int first = 1000;
  ok(weft_sobol(WEFT_HOST_OUT(all, WEFT_F32, WEFT_SHAPE(COUNT, DIMENSIONS)), NULL, WEFT_F32, COUNT, DIMENSIONS,
                .context = ctx));
  ok(weft_sobol(WEFT_HOST_OUT(part, WEFT_F32, WEFT_SHAPE(first, DIMENSIONS)), NULL, WEFT_F32, first, DIMENSIONS,
                .context = ctx));
  ok(weft_sobol(WEFT_HOST_OUT(part + first * DIMENSIONS, WEFT_F32, WEFT_SHAPE(COUNT - first, DIMENSIONS)), NULL,
                WEFT_F32, COUNT - first, DIMENSIONS, .first = first, .context = ctx));
  ck_assert_mem_eq(all, part, sizeof all);
  for (uint64_t seed = 1; seed < 3; seed++) {
    const weft_generator generator = seed == 1 ? WEFT_PHILOX4X32 : WEFT_PHILOX4X64;
    ok(weft_rng_create(&rng, .seed = seed, .generator = generator, .context = ctx));
    ok(weft_rng_create(&words, .seed = seed, .generator = generator, .context = ctx));
    ok(weft_sobol(WEFT_HOST_OUT(shifted, WEFT_F32, WEFT_SHAPE(COUNT, DIMENSIONS)), rng, WEFT_F32, COUNT, DIMENSIONS));
    ok(weft_random_bits(WEFT_HOST_OUT(word, WEFT_U32, WEFT_SHAPE(DIMENSIONS)), words, WEFT_U32,
                        WEFT_SHAPE(DIMENSIONS)));
    for (int i = 0; i < COUNT * DIMENSIONS; i++) {
      const uint32_t bits = (uint32_t)(all[i] * 0x1p24f) ^ word[i % DIMENSIONS] >> 8;
      ck_assert(shifted[i] == (float)bits * 0x1p-24f);
    }
    weft_rng_state one, two;
    ok(weft_rng_get_state(&one, rng));
    ok(weft_rng_get_state(&two, words));
    ck_assert_uint_eq(one.position, two.position);
    weft_rng_release(&rng);
    weft_rng_release(&words);
  }
  for (int d = 0; d < DIMENSIONS; d++)
    ck_assert(is_even(all, COUNT, DIMENSIONS, d) && is_even(shifted, COUNT, DIMENSIONS, d));
  harness_count(4);
}
END_TEST

START_TEST(views_and_dtypes)
{
  weft_array *x = NULL, *column = NULL;
  weft_f16 half[4][3];
  float got[4];
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(4, 5)));
  ok(weft_slice(&column, x, 1, 1, 2));
  ok(weft_sobol(&column, NULL, WEFT_DTYPE_NONE, 4, 1));
  ok(weft_to_host(got, sizeof got, column));
  ck_assert(got[0] == 0 && got[1] == 0.5f && got[2] == 0.75f && got[3] == 0.25f);
  ok(weft_sobol(WEFT_HOST_OUT(half, WEFT_F16, WEFT_SHAPE(4, 3)), NULL, WEFT_F16, 4, 3, .first = 4, .context = ctx));
  ck_assert_uint_eq(half[0][0].bits, weft_f16_from_double(0.375).bits);
  weft_array_release(&column);
  weft_array_release(&x);
  ok(weft_sobol(&x, NULL, WEFT_F32, 0, 3, .context = ctx));
  weft_array_release(&x);
  expect_error(weft_sobol(&x, NULL, WEFT_F32, 4, 5716, .context = ctx), WEFT_ERROR_ARGUMENT,
               "`dimensions` is 5716; expected 1 to 5715", "@dimensions");
  expect_error(weft_sobol(&x, NULL, WEFT_F32, 4, 0, .context = ctx), WEFT_ERROR_ARGUMENT, "@dimensions");
  expect_error(weft_sobol(&x, NULL, WEFT_F32, -1, 2, .context = ctx), WEFT_ERROR_ARGUMENT,
               "`points` is -1; expected 0 or more", "@points");
  expect_error(weft_sobol(&x, NULL, WEFT_F32, 4, 2, .first = -1, .context = ctx), WEFT_ERROR_ARGUMENT, "@first");
  expect_error(weft_sobol(&x, NULL, WEFT_F32, 2, 2, .first = UINT32_MAX, .context = ctx), WEFT_ERROR_ARGUMENT,
               "a sequence has 2^32 points", "@points");
  expect_error(weft_sobol(&x, NULL, WEFT_I32, 2, 2, .context = ctx), WEFT_ERROR_DTYPE, "@dtype");
  expect_error(weft_sobol(&x, harness_garbage(), WEFT_F32, 2, 2), WEFT_ERROR_HANDLE, "@rng");
  ck_assert_ptr_null(x);
  harness_count(10);
}
END_TEST

static void add(Suite *suite) {
  TCase *c = harness_context_case(suite, "sobol");
  tcase_add_test(c, as_scipy);
  tcase_add_test(c, all_dimensions_as_scipy);
  tcase_add_test(c, same_in_any_number_of_dimensions);
  tcase_add_test(c, spread);
  tcase_add_test(c, views_and_dtypes);
}

int main(void) {
  static const harness_suite suite = {.name = "sobol", .add = add};
  return harness_main(&suite);
}
