// SPDX-License-Identifier: MIT
/// Searching and merging ordered arrays, and tests of their order, against plain loops; all exact.
#include <stdio.h>

#include "views.h"

/* ---- the reference ---- */

static bool is_less(long double a, long double b) {
  return a < b || (b != b && a == a);
}

static int compare(const void *a, const void *b) {
  const long double x = *(const long double *)a, y = *(const long double *)b;
  return is_less(y, x) - is_less(x, y);
}

/* `count` ordered elements, as bytes and as numbers. */
typedef struct ordered {
  weft_dtype dtype;
  int64_t count;
  unsigned char *data;
  long double *value;
} ordered;

static const void *at(const ordered *o, int64_t i) {
  return o->data + (size_t)i * weft_dtype_size_bytes(o->dtype);
}

static void read_values(ordered *o) {
  for (int64_t i = 0; i < o->count; i++) o->value[i] = element_get(o->dtype, at(o, i));
}

/* A small `spread` gives few distinct values, with repetitions; floats are occasionally NaN, infinite or -0. */
static ordered make_elements(harness_random *random, weft_dtype dtype, int64_t count, int64_t spread) {
  ordered o = {dtype, count, calloc((size_t)count + 1, 16), calloc((size_t)count + 1, sizeof(long double))};
  const bool is_float = weft_dtype_kind(dtype) == 'f', is_signed = is_float || weft_dtype_kind(dtype) == 'i';
  const int64_t top = dtype == WEFT_BOOL                  ? 1
                      : weft_dtype_size_bytes(dtype) == 1 ? 100
                      : dtype == WEFT_F16                 ? 2000
                      : dtype == WEFT_BF16                ? 250
                                                          : 30000;
  for (int64_t i = 0; i < count; i++) {
    void *element = o.data + (size_t)i * weft_dtype_size_bytes(dtype);
    if (spread == 0) {
      element_random(random, dtype, element);
    } else {
      const int64_t reach = spread < top ? spread : top;
      element_set(dtype, element, (double)harness_between(random, is_signed ? -reach : 0, reach), 0);
      if (is_float && harness_between(random, 0, 60) == 0) element_set(dtype, element, NAN, 0);
      if (is_float && harness_between(random, 0, 60) == 0) element_set(dtype, element, i % 2 ? INFINITY : -0.0, 0);
    }
  }
  read_values(&o);
  return o;
}

static ordered make_ordered(harness_random *random, weft_dtype dtype, int64_t count, int64_t spread) {
  ordered o = make_elements(random, dtype, count, spread);
  typedef struct pair {
    long double value;
    unsigned char element[8];
  } pair;
  pair *pairs = calloc((size_t)count + 1, sizeof *pairs);
  const size_t size = weft_dtype_size_bytes(dtype);
  for (int64_t i = 0; i < count; i++) {
    pairs[i].value = o.value[i];
    memcpy(pairs[i].element, at(&o, i), size);
  }
  qsort(pairs, (size_t)count, sizeof *pairs, compare);
  for (int64_t i = 0; i < count; i++) memcpy(o.data + (size_t)i * size, pairs[i].element, size);
  free(pairs);
  read_values(&o);
  return o;
}

static void free_ordered(ordered *o) {
  free(o->data);
  free(o->value);
}

static int64_t place_of(const ordered *o, long double value, bool right) {
  int64_t low = 0, high = o->count;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (right ? !is_less(value, o->value[middle]) : is_less(o->value[middle], value))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static const int64_t SIZES[] = {0, 1, 2, 3, 255, 256, 257, 1023, 1024, 1025, 3839, 3840, 3841, 20000, 70001};
static int64_t random_size(harness_random *random) {
  return SIZES[harness_between(random, 0, (int64_t)(sizeof SIZES / sizeof *SIZES) - 1)];
}
static int64_t random_spread(harness_random *random) {
  static const int64_t spreads[] = {0, 3, 1000, 30000};
  return spreads[harness_between(random, 0, 3)];
}

/* A run tests every other dtype, other runs the others: building kernels takes most of the time. f32 is always tested.
   */
static bool is_sampled(weft_dtype dtype) {
  if (weft_dtype_kind(dtype) == 'c' || !harness_has_dtype(dtype)) return false;
  harness_random random = harness_random_start(50 + (uint64_t)dtype);
  return dtype == WEFT_F32 || harness_bits(&random) >> 60 < 7;
}

/* ---- searching ---- */

static void check_search(const ordered *s, const ordered *v, bool right) {
  weft_array *sorted = NULL, *values = NULL, *places = NULL;
  int64_t *got = malloc((size_t)v->count * sizeof *got + 1);
  ok(weft_from_host(&sorted, ctx, s->dtype, WEFT_SHAPE(s->count), s->data));
  ok(weft_from_host(&values, ctx, v->dtype, WEFT_SHAPE(v->count), v->data));
  ok(weft_searchsorted(&places, sorted, values, .side = right ? WEFT_RIGHT : WEFT_LEFT));
  ck_assert_int_eq(weft_array_dtype(places), WEFT_I64);
  ok(weft_to_host(got, (size_t)v->count * sizeof *got, places));
  for (int64_t i = 0; i < v->count; i++) {
    const int64_t want = place_of(s, v->value[i], right);
    ck_assert_msg(got[i] == want, "%s[%lld] in %s[%lld], %s: %Lg belongs at %lld, not %lld", weft_dtype_name(v->dtype),
                  (long long)v->count, weft_dtype_name(s->dtype), (long long)s->count, right ? "right" : "left",
                  v->value[i], (long long)want, (long long)got[i]);
  }
  harness_count(1);
  free(got);
  weft_array_release(&places);
  weft_array_release(&values);
  weft_array_release(&sorted);
}

START_TEST(places_of_values)
{
  const weft_dtype dtype = (weft_dtype)_i;
  harness_random random = harness_random_start(100 + (uint64_t)_i);
  if (!is_sampled(dtype)) return;
  const bool only_left = harness_bits(&random) >> 63;
  for (int round = 0; round < 14; round++) {
    ordered s = make_ordered(&random, dtype, random_size(&random), random_spread(&random));
    ordered v = make_elements(&random, dtype, random_size(&random), random_spread(&random));
    check_search(&s, &v, dtype == WEFT_F32 ? round % 2 : !only_left);
    free_ordered(&v);
    free_ordered(&s);
  }
}
END_TEST

/// Many values in a long array: GPUs search by a tree. Its levels end with whole nodes, or some elements behind them.
START_TEST(places_in_long_arrays)
{
  static const int64_t lengths[] = {131072, 131071, 140009};
  static const weft_dtype dtypes[] = {WEFT_F32, WEFT_I64, WEFT_I32};
  harness_random random = harness_random_start(500 + (uint64_t)_i);
  for (int round = 0; round < 3; round++) {
    ordered s = make_ordered(&random, dtypes[_i], lengths[round], round == 1 ? 30000 : 10000000);
    ordered v = make_elements(&random, dtypes[_i], 66000 + round, 10000000);
    check_search(&s, &v, round == 1);
    weft_array *set = NULL, *values = NULL, *in = NULL;
    uint8_t *got = malloc((size_t)v.count);
    ok(weft_from_host(&set, ctx, s.dtype, WEFT_SHAPE(s.count), s.data));
    ok(weft_from_host(&values, ctx, v.dtype, WEFT_SHAPE(v.count), v.data));
    ok(weft_isin(&in, values, set, .invert = round == 2));
    ok(weft_to_host(got, (size_t)v.count, in));
    for (int64_t i = 0; i < v.count; i++) {
      const int64_t place = place_of(&s, v.value[i], false);
      const bool is_in = place < s.count && s.value[place] == v.value[i];
      ck_assert_msg(got[i] == (is_in != (round == 2)), "isin %s: %Lg", weft_dtype_name(v.dtype), v.value[i]);
    }
    free(got);
    weft_release(&in, &values, &set);
    free_ordered(&v);
    free_ordered(&s);
  }
}
END_TEST

START_TEST(places_of_other_dtypes)
{
  static const weft_dtype pairs[][2] = {
      {WEFT_I16, WEFT_U8}, {WEFT_I32, WEFT_F32}, {WEFT_F32, WEFT_F16}, {WEFT_U64, WEFT_I64}};
  harness_random random = harness_random_start(200 + (uint64_t)_i);
  const weft_dtype one = pairs[_i][0], other = pairs[_i][1];
  if (!device.has_fp64 && (one == WEFT_I32 || one == WEFT_U64)) return;
  for (int round = 0; round < 4; round++) {
    ordered s = make_ordered(&random, one, random_size(&random), 1000),
            v = make_elements(&random, other, random_size(&random), 1000);
    check_search(&s, &v, round % 2);
    free_ordered(&v);
    free_ordered(&s);
  }
}
END_TEST

START_TEST(places_of_views_and_scalars)
{
  harness_random random = harness_random_start(7);
  ordered s = make_ordered(&random, WEFT_F32, 3000, 1000);
  weft_array *base = NULL, *sorted = NULL, *places = NULL;
  unsigned char *turned = calloc(3000, 4);
  int64_t got;
  for (int i = 0; i < 3000; i++) memcpy(turned + (size_t)(2999 - i) * 4, at(&s, i), 4);
  ok(weft_from_host(&base, ctx, WEFT_F32, WEFT_SHAPE(3000), turned));
  ok(weft_flip(&sorted, base, 0));
  for (int kind = 0; kind < LAYOUT_COUNT; kind++) {
    strided values;
    strided_make(&values, WEFT_F32, (layout)kind, 300, &random);
    unsigned char *elements = strided_values(&values);
    ok(weft_searchsorted(&places, sorted, values.view, .side = WEFT_RIGHT));
    int64_t *all = malloc((size_t)values.model.count * sizeof *all + 1);
    ok(weft_to_host(all, (size_t)values.model.count * sizeof *all, places));
    ck_assert_int_eq(weft_array_ndim(places), weft_array_ndim(values.view));
    for (int64_t i = 0; i < values.model.count; i++)
      ck_assert_int_eq(all[i], place_of(&s, element_get(WEFT_F32, elements + (size_t)i * 4), true));
    free(all);
    free(elements);
    weft_array_release(&places);
    strided_release(&values);
  }
  ok(weft_searchsorted(WEFT_HOST_OUT(&got, WEFT_I64, WEFT_SHAPE_0D), sorted, 17));
  ck_assert_int_eq(got, place_of(&s, 17, false));
  int32_t narrow[2];
  const int32_t wanted[2] = {-5, 5};
  ok(weft_searchsorted(WEFT_HOST_OUT(narrow, WEFT_I32, WEFT_SHAPE(2)), WEFT_HOST(wanted, WEFT_I32, WEFT_SHAPE(2)),
                       WEFT_HOST(wanted, WEFT_I32, WEFT_SHAPE(2)), .side = WEFT_RIGHT));
  ck_assert_int_eq(narrow[0], 1);
  ck_assert_int_eq(narrow[1], 2);
  free(turned);
  weft_array_release(&sorted);
  weft_array_release(&base);
  free_ordered(&s);
}
END_TEST

/* ---- merging ---- */

START_TEST(merges)
{
  const weft_dtype dtype = (weft_dtype)_i;
  harness_random random = harness_random_start(300 + (uint64_t)_i);
  if (!is_sampled(dtype)) return;
  for (int round = 0; round < 12; round++) {
    const bool is_large = round == 11 && dtype == WEFT_I32; /* more tiles, whose beginnings are found first */
    const int64_t spread = random_spread(&random);
    ordered a = make_ordered(&random, dtype, is_large ? 300001 : random_size(&random), spread);
    ordered b = make_ordered(&random, dtype, is_large ? 290000 : random_size(&random), random_spread(&random));
    const size_t size = weft_dtype_size_bytes(dtype);
    const int64_t count = a.count + b.count;
    unsigned char *want = malloc((size_t)count * size + 1);
    weft_array *x = NULL, *y = NULL, *out = NULL;
    for (int64_t i = 0, j = 0; i + j < count;) {
      const bool is_b = i == a.count || (j < b.count && is_less(b.value[j], a.value[i]));
      memcpy(want + (size_t)(i + j) * size, is_b ? at(&b, j) : at(&a, i), size);
      if (is_b)
        j++;
      else
        i++;
    }
    ok(weft_from_host(&x, ctx, dtype, WEFT_SHAPE(a.count), a.data));
    ok(weft_from_host(&y, ctx, dtype, WEFT_SHAPE(b.count), b.data));
    ok(weft_merge(&out, x, y));
    check_elements(out, want, count, weft_dtype_name(dtype));
    harness_count(1);
    weft_array_release(&out);
    weft_array_release(&y);
    weft_array_release(&x);
    free(want);
    free_ordered(&b);
    free_ordered(&a);
  }
}
END_TEST

START_TEST(merges_of_other_dtypes)
{
  const uint8_t a[] = {1, 5, 200};
  const int8_t b[] = {-3, 5, 100};
  const int16_t want[] = {-3, 1, 5, 5, 100, 200};
  weft_array *x = NULL, *out = NULL, *base = NULL, *view = NULL;
  ok(weft_from_host(&x, ctx, WEFT_U8, WEFT_SHAPE(3), a));
  ok(weft_merge(&out, x, WEFT_HOST(b, WEFT_I8, WEFT_SHAPE(3))));
  ck_assert_int_eq(weft_array_dtype(out), WEFT_I16);
  check_elements(out, want, 6, "u8 and i8");
  ok(weft_zeros(&base, ctx, WEFT_I32, WEFT_SHAPE(12)));
  ok(weft_slice(&view, base, 0, 0, 12, .step = 2));
  ok(weft_merge(&view, out, WEFT_HOST(a, WEFT_U8, WEFT_SHAPE(0))));
  const int32_t spread[] = {-3, 0, 1, 0, 5, 0, 5, 0, 100, 0, 200, 0};
  check_elements(base, spread, 12, "into a view of another dtype");
  weft_array_release(&view);
  weft_array_release(&base);
  weft_array_release(&out);
  weft_array_release(&x);
}
END_TEST

/* Which elements stand where is not specified, but all are the arrays' own. */
START_TEST(merges_of_arrays_out_of_order)
{
  enum { A = 70001, B = 20003, APART = 1 << 20 };
  harness_random random = harness_random_start(350);
  int32_t *a = malloc(A * sizeof *a), *b = malloc(B * sizeof *b), *got = malloc((A + B) * sizeof *got);
  weft_array *x = NULL, *out = NULL;
  for (int i = 0; i < A; i++) a[i] = (int32_t)harness_between(&random, 1, 1000);
  for (int i = 0; i < B; i++) b[i] = (int32_t)harness_between(&random, 1, 1000) + (i % 3 ? APART : -APART);
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(A), a));
  ok(weft_merge(&out, x, WEFT_HOST(b, WEFT_I32, WEFT_SHAPE(B))));
  ok(weft_to_host(got, (A + B) * sizeof *got, out));
  for (int i = 0; i < A + B; i++) {
    const int32_t value = got[i] > 1000 ? got[i] - APART : got[i] < 0 ? got[i] + APART : got[i];
    ck_assert_msg(value >= 1 && value <= 1000, "element %d is %d, of neither array", i, (int)got[i]);
  }
  harness_count(1);
  weft_array_release(&out);
  weft_array_release(&x);
  free(got);
  free(b);
  free(a);
}
END_TEST

/* ---- order ---- */

enum { DESCENDING = 1, STRICT = 2 };

static bool holds(const ordered *o, int flags) {
  bool all = true;
  for (int64_t i = 0; i + 1 < o->count; i++) {
    const long double x = o->value[flags & DESCENDING ? i + 1 : i], y = o->value[flags & DESCENDING ? i : i + 1];
    all &= flags & STRICT ? is_less(x, y) : !is_less(y, x);
  }
  return all;
}

START_TEST(order)
{
  const weft_dtype dtype = (weft_dtype)_i;
  harness_random random = harness_random_start(400 + (uint64_t)_i);
  if (!is_sampled(dtype)) return;
  for (int round = 0; round < 12; round++) {
    const int flags = (int)harness_between(&random, 0, 3);
    ordered o = make_ordered(&random, dtype, random_size(&random), random_spread(&random));
    const size_t size = weft_dtype_size_bytes(dtype);
    weft_array *x = NULL, *y = NULL, *answer = NULL;
    uint8_t got = 7;
    if (round % 3 == 0 && o.count > 2) { /* two elements are exchanged */
      unsigned char keep[8], *first = o.data + (size_t)harness_between(&random, 0, o.count - 1) * size,
                             *last = o.data + (size_t)(o.count - 1) * size;
      memcpy(keep, first, size);
      memcpy(first, last, size);
      memcpy(last, keep, size);
    }
    if (round % 3 == 1) { /* each number once */
      int64_t kept = 0;
      for (int64_t i = 0; i < o.count; i++)
        if (i == 0 || is_less(o.value[i - 1], o.value[i])) memmove(o.data + (size_t)kept++ * size, at(&o, i), size);
      o.count = kept;
    }
    read_values(&o);
    ok(weft_from_host(&x, ctx, dtype, WEFT_SHAPE(o.count), o.data));
    ok(weft_is_sorted(WEFT_HOST_OUT(&got, WEFT_BOOL, WEFT_SHAPE_0D), x, .descending = flags & DESCENDING,
                      .strict = flags & STRICT));
    ck_assert_msg(got == holds(&o, flags), "%s[%lld], flags %d: %d", weft_dtype_name(dtype), (long long)o.count, flags,
                  got);
    ok(weft_flip(&y, x, 0));
    ok(weft_is_sorted(&answer, y, .descending = !(flags & DESCENDING), .strict = flags & STRICT));
    ck_assert_int_eq(weft_array_ndim(answer), 0);
    ck_assert_int_eq(weft_array_dtype(answer), WEFT_BOOL);
    const uint8_t want = holds(&o, flags);
    check_elements(answer, &want, 1, "backwards");
    harness_count(2);
    weft_array_release(&answer);
    weft_array_release(&y);
    weft_array_release(&x);
    free_ordered(&o);
  }
}
END_TEST

/* ---- errors ---- */

START_TEST(errors)
{
  weft_array *x = NULL, *table = NULL, *z = NULL, *none = NULL;
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(9)));
  ok(weft_ones(&table, ctx, WEFT_F32, WEFT_SHAPE(3, 3)));
  ok(weft_ones(&z, ctx, WEFT_C64, WEFT_SHAPE(9)));
  expect_error(weft_searchsorted(&none, table, x), WEFT_ERROR_SHAPE, "weft_searchsorted", "@sorted", "2 axes");
  expect_error(weft_digitize(&none, x, z), WEFT_ERROR_DTYPE, "@bins", "c64");
  expect_error(weft_searchsorted(&none, x, x, .side = (weft_side)5), WEFT_ERROR_ARGUMENT, "@side", "5");
  expect_error(weft_searchsorted(&table, x, x), WEFT_ERROR_SHAPE, "@out");
  expect_error(weft_searchsorted(&none, (const weft_array *)NULL, x), WEFT_ERROR_HANDLE, "@sorted");
  expect_error(weft_merge(&none, table, x), WEFT_ERROR_SHAPE, "weft_merge", "@a", "2 axes");
  expect_error(weft_merge(&none, x, 3), WEFT_ERROR_SHAPE, "@b", "0 axes");
  expect_error(weft_merge(&x, x, x), WEFT_ERROR_SHAPE, "@out", "f32[9]", "f32[18]");
  expect_error(weft_is_sorted(&none, table), WEFT_ERROR_SHAPE, "weft_is_sorted", "@x", "2 axes");
  ck_assert_ptr_null(none);
  weft_array_release(&z);
  weft_array_release(&table);
  weft_array_release(&x);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "search");
  tcase_add_loop_test(tc, places_of_values, 1, WEFT_DTYPE_COUNT);
  tcase_add_loop_test(tc, places_in_long_arrays, 0, 3);
  tcase_add_loop_test(tc, places_of_other_dtypes, 0, 4);
  tcase_add_test(tc, places_of_views_and_scalars);
  tcase_add_loop_test(tc, merges, 1, WEFT_DTYPE_COUNT);
  tcase_add_test(tc, merges_of_other_dtypes);
  tcase_add_test(tc, merges_of_arrays_out_of_order);
  tcase_add_loop_test(tc, order, 1, WEFT_DTYPE_COUNT);
  tcase_add_test(tc, errors);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "search", .add = add});
}
