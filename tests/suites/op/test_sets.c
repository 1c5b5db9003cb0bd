// SPDX-License-Identifier: MIT
/// Unique elements, their positions and counts, and arrays as sets, against plain loops; all exact.
#include "views.h"

/* ---- the reference ---- */

static bool is_less(long double a, long double b) {
  return a < b || (b != b && a == a);
}

static bool is_same(long double a, long double b) {
  return a == b || (a != a && b != b);
}

typedef struct data {
  weft_dtype dtype;
  int64_t count;
  unsigned char *bytes;
  long double *value;
  weft_array *array;
} data;

static data make_data(harness_random *random, weft_dtype dtype, int64_t count, int64_t spread) {
  data d = {dtype, count, calloc((size_t)count + 1, 8), calloc((size_t)count + 1, sizeof(long double)), NULL};
  const char kind = weft_dtype_kind(dtype);
  for (int64_t i = 0; i < count; i++) {
    unsigned char *element = d.bytes + (size_t)i * weft_dtype_size_bytes(dtype);
    element_set(dtype, element, (double)harness_between(random, kind == 'f' || kind == 'i' ? -spread : 0, spread), 0);
    if (kind == 'f' && harness_between(random, 0, 40) == 0) element_set(dtype, element, NAN, 0);
    if (kind == 'f' && harness_between(random, 0, 40) == 0) element_set(dtype, element, i % 2 ? -INFINITY : -0.0, 0);
    d.value[i] = element_get(dtype, element);
  }
  ok(weft_from_host(&d.array, ctx, dtype, WEFT_SHAPE(count), d.bytes));
  return d;
}

static void free_data(data *d) {
  weft_array_release(&d->array);
  free(d->bytes);
  free(d->value);
}

static int compare(const void *a, const void *b) {
  const long double x = *(const long double *)a, y = *(const long double *)b;
  return is_less(y, x) - is_less(x, y);
}

/* The distinct values of d, ascending; the caller frees them. */
static long double *different(const data *d, int64_t *count) {
  long double *all = malloc(((size_t)d->count + 1) * sizeof *all);
  int64_t kept = 0;
  memcpy(all, d->value, (size_t)d->count * sizeof *all);
  qsort(all, (size_t)d->count, sizeof *all, compare);
  for (int64_t i = 0; i < d->count; i++)
    if (i == 0 || !is_same(all[i], all[i - 1])) all[kept++] = all[i];
  *count = kept;
  return all;
}

static bool holds(const data *d, long double value) {
  for (int64_t i = 0; i < d->count; i++)
    if (d->value[i] == value) return true;
  return false;
}

/* Compares a 1-d result with values. */
static void check_values(const weft_array *got, weft_dtype dtype, const long double *want, int64_t count,
                         const char *what) {
  unsigned char *bytes = malloc((size_t)weft_array_size_bytes(got) + 1);
  ck_assert_int_eq(weft_array_dtype(got), dtype);
  ck_assert_int_eq(weft_array_ndim(got), 1);
  ck_assert_msg(weft_array_size(got) == count, "%s of %s: %lld elements, not %lld", what, weft_dtype_name(dtype),
                (long long)weft_array_size(got), (long long)count);
  ok(weft_to_host(bytes, (size_t)weft_array_size_bytes(got), got));
  for (int64_t i = 0; i < count; i++) {
    const long double value = element_get(dtype, bytes + (size_t)i * weft_dtype_size_bytes(dtype));
    ck_assert_msg(is_same(value, want[i]), "%s of %s: element %lld is %Lg, not %Lg", what, weft_dtype_name(dtype),
                  (long long)i, value, want[i]);
  }
  free(bytes);
  harness_count(1);
}

static int64_t *numbers_of(const weft_array *x) {
  int64_t *numbers = malloc((size_t)weft_array_size_bytes(x) + 1);
  ck_assert_int_eq(weft_array_dtype(x), WEFT_I64);
  ok(weft_to_host(numbers, (size_t)weft_array_size_bytes(x), x));
  return numbers;
}

static const int64_t SIZES[] = {0, 1, 2, 255, 257, 3000};
static const weft_dtype DTYPES[] = {WEFT_U8, WEFT_I32, WEFT_F32, WEFT_F16, WEFT_BF16, WEFT_F64};
enum { DTYPE_COUNT = sizeof DTYPES / sizeof *DTYPES };

/* ---- unique ---- */

START_TEST(different_elements)
{
  const weft_dtype dtype = DTYPES[_i];
  harness_random random = harness_random_start(100 + (uint64_t)_i);
  if (!harness_has_dtype(dtype)) return;
  for (int round = 0; round < 12; round++) {
    data d = make_data(&random, dtype, SIZES[round % 6], round % 2 ? 5 : 200);
    int64_t count;
    long double *want = different(&d, &count);
    weft_array *values = NULL, *first = NULL, *inverse = NULL, *counts = NULL, *again = NULL, *table = NULL;
    ok(weft_unique(&values, d.array));
    check_values(values, dtype, want, count, "unique");
    weft_array_release(&values);
    ok(weft_unique(&values, d.array, .index = &first, .inverse = &inverse, .counts = &counts));
    check_values(values, dtype, want, count, "unique_all");
    int64_t *firsts = numbers_of(first), *places = numbers_of(inverse), *times = numbers_of(counts);
    ck_assert_int_eq(weft_array_size(first), count);
    ck_assert_int_eq(weft_array_size(inverse), d.count);
    ck_assert_int_eq(weft_array_size(counts), count);
    for (int64_t k = 0; k < count; k++) {
      int64_t where = -1, times_found = 0;
      for (int64_t i = d.count; i-- > 0;)
        if (is_same(d.value[i], want[k])) where = i, times_found++;
      ck_assert_int_eq(firsts[k], where);
      ck_assert_int_eq(times[k], times_found);
    }
    for (int64_t i = 0; i < d.count; i++) ck_assert(is_same(want[places[i]], d.value[i]));
    free(firsts), free(places), free(times);
    weft_array_release(&counts);
    ok(weft_unique(NULL, d.array, .counts = &counts)); /* only some results */
    ck_assert_int_eq(weft_array_size(counts), count);
    if (d.count % 3 == 0) { /* for a table, the inverse has its shape */
      weft_array_release(&inverse);
      ok(weft_reshape(&table, d.array, WEFT_SHAPE(3, d.count / 3)));
      ok(weft_unique(&again, table, .inverse = &inverse));
      check_values(again, dtype, want, count, "of a table");
      ck_assert_int_eq(weft_array_ndim(inverse), 2);
      ck_assert_int_eq(weft_array_length(inverse, 1), d.count / 3);
    }
    weft_array_release(&table);
    weft_array_release(&again);
    weft_array_release(&counts);
    weft_array_release(&inverse);
    weft_array_release(&first);
    weft_array_release(&values);
    free(want);
    free_data(&d);
  }
}
END_TEST

/* Checks the bytes of the unique elements of x: of each value the first in its sorted copy. */
static void check_unique(const data *d, bool distinct_nan, int64_t launches) {
  const size_t size = weft_dtype_size_bytes(d->dtype);
  weft_array *sorted = NULL, *values = NULL;
  unsigned char *want = malloc((size_t)d->count * size + 1), *got = malloc((size_t)d->count * size + 1);
  int64_t kept = 0;
  long double before = 0;
  ok(weft_sort(&sorted, d->array, 0));
  ok(weft_to_host(want, (size_t)d->count * size, sorted));
  for (int64_t i = 0; i < d->count; i++) {
    const long double value = element_get(d->dtype, want + (size_t)i * size);
    if (i == 0 || (distinct_nan ? value != before : !is_same(value, before)))
      memmove(want + (size_t)kept++ * size, want + (size_t)i * size, size);
    before = value;
  }
  const uint64_t start = harness_launches();
  ok(weft_unique(&values, d->array, .distinct_nan = distinct_nan));
  if (harness_blocks_wait()) ck_assert_int_eq((int64_t)(harness_launches() - start), launches);
  ck_assert_int_eq(weft_array_size(values), kept);
  ok(weft_to_host(got, (size_t)kept * size, values));
  ck_assert_msg(memcmp(got, want, (size_t)kept * size) == 0, "unique elements of %lld %s", (long long)d->count,
                weft_dtype_name(d->dtype));
  harness_count(1);
  weft_release(&sorted, &values);
  free(want), free(got);
}

/* One tile, and the most elements that tests sort in one launch: the bytes of the first of equal elements (also zeros
   of both signs and NaNs), one launch. */
START_TEST(few_elements)
{
  static const int64_t sizes[] = {3000, 8192};
  static const weft_dtype dtypes[] = {WEFT_F32, WEFT_I64};
  const weft_dtype dtype = dtypes[_i];
  harness_random random = harness_random_start(300 + (uint64_t)_i);
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    for (int64_t spread = 3; spread < 5000000; spread *= 1000) {
      data d = make_data(&random, dtype, sizes[k], spread);
      weft_array *first = NULL;
      if (k == 0) ok(weft_unique(&first, d.array)); /* also makes the memory by which blocks wait */
      weft_array_release(&first);
      check_unique(&d, false, 1);
      check_unique(&d, weft_dtype_kind(dtype) == 'f', 1);
      free_data(&d);
    }
  }
}
END_TEST

/* ---- sets ---- */

START_TEST(sets)
{
  const weft_dtype dtype = DTYPES[_i];
  harness_random random = harness_random_start(200 + (uint64_t)_i);
  if (!harness_has_dtype(dtype)) return;
  for (int round = 0; round < 8; round++) {
    data a = make_data(&random, dtype, SIZES[harness_between(&random, 0, 5)], 100),
         b = make_data(&random, dtype, SIZES[round % 6], 60);
    weft_array *mask = NULL, *out = NULL;
    unsigned char *bits = malloc((size_t)a.count + 1);
    const bool invert = round % 2;
    ok(weft_isin(&mask, a.array, b.array, .invert = invert));
    ck_assert_int_eq(weft_array_dtype(mask), WEFT_BOOL);
    ok(weft_to_host(bits, (size_t)a.count, mask));
    for (int64_t i = 0; i < a.count; i++) ck_assert_int_eq(bits[i], holds(&b, a.value[i]) != invert);
    free(bits);
    harness_count(1);

    int64_t count, kept = 0, left = 0;
    long double *all = different(&a, &count), *in = malloc(((size_t)count + 1) * sizeof *in),
                *out_of = malloc(((size_t)count + 1) * sizeof *in);
    for (int64_t k = 0; k < count; k++) {
      if (holds(&b, all[k]))
        in[kept++] = all[k];
      else
        out_of[left++] = all[k];
    }
    ok(weft_intersect1d(&out, a.array, b.array));
    check_values(out, dtype, in, kept, "intersect1d");
    weft_array_release(&out);
    ok(weft_setdiff1d(&out, a.array, b.array));
    check_values(out, dtype, out_of, left, "setdiff1d");
    weft_array_release(&out);
    free(all), free(in), free(out_of);

    data both = {dtype, a.count + b.count, NULL, malloc(((size_t)(a.count + b.count) + 1) * sizeof(long double)), NULL};
    memcpy(both.value, a.value, (size_t)a.count * sizeof *a.value);
    memcpy(both.value + a.count, b.value, (size_t)b.count * sizeof *b.value);
    all = different(&both, &count);
    ok(weft_union1d(&out, a.array, b.array));
    check_values(out, dtype, all, count, "union1d");
    free(all);
    free_data(&both);
    weft_array_release(&out);
    weft_array_release(&mask);
    free_data(&b);
    free_data(&a);
  }
}
END_TEST

/* Many integers: on CPUs the kernels choose a table of bits if the set's integers are close enough. The spreads are on
   both sides of its limit (8 bits for each value and each element of the set), and as wide as the dtype. */
START_TEST(in_table)
{
  enum { VALUES = 5000, SET = 300 };
  static const weft_dtype dtypes[] = {WEFT_I16, WEFT_I32, WEFT_I64};
  static const int64_t lows[] = {-20000, INT32_MIN, INT64_MIN};
  const weft_dtype dtype = dtypes[_i];
  const int size = (int)weft_dtype_size_bytes(dtype);
  const int64_t limit = (VALUES + SET) * 8;
  harness_random random = harness_random_start(300 + (uint64_t)_i);
  for (int round = 0; round < 6; round++) {
    const int64_t least = round < 4 ? lows[_i] : -7, spread = round % 2   ? limit
                                                              : round % 4 ? 90
                                                                          : limit - 1; /* of the set */
    const int64_t most = round == 5                                        ? (dtype == WEFT_I64   ? INT64_MAX
                                                                              : dtype == WEFT_I32 ? INT32_MAX
                                                                                                  : INT16_MAX)
                         : dtype == WEFT_I16 && least + spread > INT16_MAX ? INT16_MAX
                                                                           : least + spread;
    int64_t set[SET], value[VALUES];
    unsigned char set_bytes[SET * 8], bytes[VALUES * 8], bits[VALUES];
    weft_array *a = NULL, *b = NULL, *mask = NULL;
    for (int k = 0; k < SET; k++) set[k] = harness_between(&random, least, least + 90);
    set[17] = most, set[40] = least;
    for (int i = 0; i < VALUES; i++) {
      value[i] = i % 3 ? harness_between(&random, least, least + 95) : set[i % SET];
      if (i % 50 == 1) value[i] = i % 4 == 1 ? most : most - 1;
      if (i % 50 == 2 && least == -7) value[i] = least - 1 - i % 3;
    }
    for (int k = 0; k < SET; k++) memcpy(set_bytes + k * size, &set[k], (size_t)size); /* little endian, as devices */
    for (int i = 0; i < VALUES; i++) memcpy(bytes + i * size, &value[i], (size_t)size);
    ok(weft_from_host(&a, ctx, dtype, WEFT_SHAPE(VALUES), bytes));
    ok(weft_from_host(&b, ctx, dtype, WEFT_SHAPE(SET), set_bytes));
    ok(weft_isin(&mask, a, b, .invert = round == 2));
    ok(weft_to_host(bits, sizeof bits, mask));
    for (int i = 0; i < VALUES; i++) {
      bool is_in = false;
      for (int k = 0; k < SET && !is_in; k++) is_in = set[k] == value[i];
      ck_assert_msg(bits[i] == (is_in != (round == 2)), "round %d: %lld", round, (long long)value[i]);
    }
    harness_count(1);
    weft_release(&mask, &b, &a);
  }
}
END_TEST

START_TEST(operands_and_errors)
{
  const int32_t few[] = {3, 1, 3, 2};
  int64_t host[3];
  int16_t narrow[3];
  bool bits[4];
  weft_array *x = NULL, *flipped = NULL, *index = NULL, *none = NULL;
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(2, 2), few));
  ok(weft_flip(&flipped, x, 1));
  ok(weft_unique(WEFT_HOST_OUT(narrow, WEFT_I16, WEFT_SHAPE(3)), flipped, .index = &index));
  ok(weft_to_host(host, sizeof host, index));
  weft_array_release(&index);
  ck_assert(narrow[0] == 1 && narrow[1] == 2 && narrow[2] == 3);
  ck_assert(host[0] == 0 && host[1] == 2 && host[2] == 1);
  ok(weft_isin(WEFT_HOST_OUT(bits, WEFT_BOOL, WEFT_SHAPE(2, 2)), x, 3));
  ck_assert(bits[0] && !bits[1] && bits[2] && !bits[3]);
  expect_error(weft_unique(&none, x, .index = &x), WEFT_ERROR_SHAPE, "weft_unique", "@index", "i64[3]");
  expect_error(weft_unique(NULL, x), WEFT_ERROR_ARGUMENT, "weft_unique");
  ck_assert_ptr_null(none);
  expect_error(weft_union1d(&x, x, x), WEFT_ERROR_SHAPE, "weft_union1d", "@out");
  weft_array_release(&flipped);
  weft_array_release(&x);
}
END_TEST

/// No dtype holds u64 and i64; f64, their promoted one, takes neighbours for equal.
START_TEST(exact_integers)
{
  const uint64_t u[] = {0, 1, (UINT64_C(1) << 53) + 1, UINT64_C(1) << 63, UINT64_MAX};
  const int64_t i[] = {-5, 0, INT64_C(1) << 53, (INT64_C(1) << 53) + 1, INT64_MAX};
  const int64_t left_u[] = {0, 0, 2, 2, 3}, right_u[] = {0, 1, 2, 3, 3}, left_i[] = {1, 2, 3, 5, 5},
                right_i[] = {2, 2, 4, 5, 5};
  const bool i_in_u[] = {false, true, false, true, false}, u_in_i[] = {true, false, true, false, false};
  int64_t place[5];
  bool is_in[5];
  double both[6];
#define U WEFT_HOST(u, WEFT_U64, WEFT_SHAPE(5))
#define I WEFT_HOST(i, WEFT_I64, WEFT_SHAPE(5))
#define PLACES WEFT_HOST_OUT(place, WEFT_I64, WEFT_SHAPE(5))
#define IS_IN WEFT_HOST_OUT(is_in, WEFT_BOOL, WEFT_SHAPE(5))
  ok(weft_searchsorted(PLACES, U, I));
  ck_assert(memcmp(place, left_u, sizeof place) == 0);
  ok(weft_searchsorted(PLACES, U, I, .side = WEFT_RIGHT));
  ck_assert(memcmp(place, right_u, sizeof place) == 0);
  ok(weft_searchsorted(PLACES, I, U));
  ck_assert(memcmp(place, left_i, sizeof place) == 0);
  ok(weft_digitize(PLACES, U, I));
  ck_assert(memcmp(place, right_i, sizeof place) == 0);
  ok(weft_searchsorted(WEFT_HOST_OUT(place, WEFT_I64, WEFT_SHAPE_0D), I, UINT64_C(1) << 63));
  ck_assert_int_eq(place[0], 5);
  ok(weft_searchsorted(WEFT_HOST_OUT(place, WEFT_I64, WEFT_SHAPE_0D), U, -1, .side = WEFT_RIGHT));
  ck_assert_int_eq(place[0], 0);
  for (int invert = 0; invert < 2; invert++) {
    ok(weft_isin(IS_IN, I, U, .invert = invert != 0));
    for (int k = 0; k < 5; k++) ck_assert(is_in[k] == (i_in_u[k] != (invert != 0)));
    ok(weft_isin(IS_IN, U, I, .invert = invert != 0));
    for (int k = 0; k < 5; k++) ck_assert(is_in[k] == (u_in_i[k] != (invert != 0)));
  }
  if (harness_has_dtype(WEFT_F64)) {
    ok(weft_intersect1d(WEFT_HOST_OUT(both, WEFT_F64, WEFT_SHAPE(2)), U, I));
    ck_assert(both[0] == 0 && both[1] == 0x1p53);
    ok(weft_setdiff1d(WEFT_HOST_OUT(both, WEFT_F64, WEFT_SHAPE(3)), I, U));
    ck_assert(both[0] == -5 && both[1] == 0x1p53 && both[2] == 0x1p63);
    ok(weft_setxor1d(WEFT_HOST_OUT(both, WEFT_F64, WEFT_SHAPE(6)), U, I));
    ck_assert(both[0] == -5 && both[1] == 1 && both[2] == 0x1p53 && both[3] == 0x1p63 && both[5] == 0x1p64);
  }
#undef U
#undef I
#undef PLACES
#undef IS_IN
}
END_TEST

/// In the order of the real part, then of the imaginary part, NaN last; all NaN are one element of weft_unique.
START_TEST(complex_elements)
{
  const weft_c64 x[] = {{1, 2}, {NAN, 1}, {1, 1}, {2, NAN}, {1, 2}, {-1, 5}, {NAN, NAN}}, set[] = {{1, 1}, {NAN, 1}};
  const bool wanted[] = {false, false, true, false, false, false, false};
  const int64_t counts_wanted[] = {1, 1, 2, 3};
  weft_c64 found[7];
  bool is_in[7];
  int64_t at[7], counts[4];
  weft_array *values = NULL, *index = NULL, *count = NULL;
#define X WEFT_HOST(x, WEFT_C64, WEFT_SHAPE(7))
  ok(weft_unique(&values, X, .index = &index, .counts = &count));
  ok(weft_to_host(found, 4 * sizeof *found, values));
  ck_assert(found[0].re == -1 && found[1].im == 1 && found[2].im == 2 && found[3].re == 2 && isnan(found[3].im));
  ok(weft_to_host(at, 4 * sizeof *at, index));
  ok(weft_to_host(counts, sizeof counts, count));
  ck_assert(at[0] == 5 && at[1] == 2 && at[2] == 0 && at[3] == 3);
  ck_assert(memcmp(counts, counts_wanted, sizeof counts) == 0);
  ok(weft_isin(WEFT_HOST_OUT(is_in, WEFT_BOOL, WEFT_SHAPE(7)), X, WEFT_HOST(set, WEFT_C64, WEFT_SHAPE(2))));
  ck_assert(memcmp(is_in, wanted, sizeof is_in) == 0);
  ok(weft_searchsorted(WEFT_HOST_OUT(at, WEFT_I64, WEFT_SHAPE(7)), values, X));
  ck_assert(at[0] == 2 && at[2] == 1 && at[3] == 3 && at[5] == 0 && at[1] == 4 && at[6] == 4);
  ok(weft_setdiff1d(WEFT_HOST_OUT(found, WEFT_C64, WEFT_SHAPE(3)), X, WEFT_HOST(set, WEFT_C64, WEFT_SHAPE(2))));
  ck_assert(found[0].re == -1 && found[1].im == 2 && isnan(found[2].im));
#undef X
  weft_release(&values, &index, &count);
}
END_TEST

START_TEST(slices_and_differences)
{
  const int32_t rows[] = {3, 1, 2, 2, 3, 1}, other[] = {2, 5};
  weft_array *x = NULL, *table = NULL, *values = NULL, *inverse = NULL;
  int32_t host[4];
  int64_t numbers[3];
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(6), rows));
  ok(weft_reshape(&table, x, WEFT_SHAPE(3, 2)));
  ok(weft_unique(&values, table, .axis = WEFT_AXES(0), .inverse = &inverse));
  ok(weft_to_host(host, sizeof host, values));
  ok(weft_to_host(numbers, sizeof numbers, inverse));
  ck_assert(host[0] == 2 && host[1] == 2 && host[2] == 3 && host[3] == 1);
  ck_assert(numbers[0] == 1 && numbers[1] == 0 && numbers[2] == 1);
  weft_release(&values, &inverse);
  expect_error(weft_unique(&values, table, .axis = WEFT_AXES(2)), WEFT_ERROR_AXIS, "weft_unique", "axis");
  expect_error(weft_unique(&values, table, .axis = WEFT_AXES(0, 1)), WEFT_ERROR_AXIS, "2 axes were given");
  ok(weft_setxor1d(&values, x, WEFT_HOST(other, WEFT_I32, WEFT_SHAPE(2))));
  ck_assert(weft_array_size(values) == 3);
  ok(weft_to_host(host, 3 * sizeof *host, values));
  ck_assert(host[0] == 1 && host[1] == 3 && host[2] == 5);
  weft_release(&x, &table, &values);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "sets");
  tcase_add_loop_test(tc, different_elements, 0, DTYPE_COUNT);
  tcase_add_loop_test(tc, few_elements, 0, 2);
  tcase_add_loop_test(tc, sets, 0, DTYPE_COUNT);
  tcase_add_loop_test(tc, in_table, 0, 3);
  tcase_add_test(tc, operands_and_errors);
  tcase_add_test(tc, exact_integers);
  tcase_add_test(tc, complex_elements);
  tcase_add_test(tc, slices_and_differences);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "sets", .add = add});
}
