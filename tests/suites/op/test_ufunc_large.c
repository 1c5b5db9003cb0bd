// SPDX-License-Identifier: MIT
/// Functions over more elements than 31 and 32 bits count, on devices with enough memory.
#include "harness.h"

/// u8 values that identify their position.
static unsigned char where(int64_t i) {
  return (unsigned char)((uint64_t)i * 2654435761u >> 24);
}

static unsigned char *allocate_or_fail(size_t size_bytes) {
  unsigned char *memory = malloc(size_bytes);
  ck_assert_msg(memory != NULL, "no %zu bytes of host memory", size_bytes);
  return memory;
}

static void check_large(int64_t n) {
  weft_array *x = NULL, *y = NULL, *flags = NULL;
  unsigned char *data = allocate_or_fail((size_t)n);
  for (int64_t i = 0; i < n; i++) data[i] = where(i);
  ok(weft_from_host(&x, ctx, WEFT_U8, WEFT_SHAPE(n), data));
  ok(weft_add(&y, x, 3));
  ok(weft_to_host(data, (size_t)n, y));
  for (int64_t i = 0; i < n; i++)
    if (data[i] != (unsigned char)(where(i) + 3)) ck_abort_msg("element %lld of %lld", (long long)i, (long long)n);
  ok(weft_add(&y, y, x));
  ok(weft_less(&flags, y, x));
  ok(weft_to_host(data, (size_t)n, flags));
  for (int64_t i = 0; i < n; i++)
    if (data[i] != ((unsigned char)(2 * where(i) + 3) < where(i)))
      ck_abort_msg("less: element %lld of %lld", (long long)i, (long long)n);
  weft_array_release(&flags);
  weft_array *back = NULL; /* strided, with 64-bit numbers where needed */
  ok(weft_flip(&back, x, 0));
  ok(weft_add(&y, back, 1));
  ok(weft_to_host(data, (size_t)n, y));
  for (int64_t i = 0; i < n; i++)
    if (data[i] != (unsigned char)(where(n - 1 - i) + 1))
      ck_abort_msg("backwards: element %lld of %lld", (long long)i, (long long)n);
  weft_array_release(&back);
  weft_array_release(&x);
  weft_array_release(&y);
  free(data);
}

START_TEST(over_two_to_the_31_elements)
{
  if (harness_large("over_two_to_the_31_elements", 12)) check_large((INT64_C(1) << 31) + 4099);
}
END_TEST

START_TEST(over_two_to_the_32_elements)
{
  if (harness_large("over_two_to_the_32_elements", 24)) check_large((INT64_C(1) << 32) + 4099);
}
END_TEST

/* Just under 2^31 elements, the limit of division by multiplication, and just over. */
START_TEST(numbers_near_two_to_the_31)
{
  static const int64_t sides[][2] = {{46337, 46337}, {3, 715827881}, {715827881, 3}, {46349, 46351}, {65537, 32769}};
  if (!harness_large("numbers_near_two_to_the_31", 16)) return;
  for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
    int64_t r = sides[k][0], c = sides[k][1], n = r * c;
    weft_array *x = NULL, *table = NULL, *turned = NULL, *row = NULL, *y = NULL;
    unsigned char *data = allocate_or_fail((size_t)n);
    for (int64_t i = 0; i < n; i++) data[i] = where(i);
    ok(weft_from_host(&x, ctx, WEFT_U8, WEFT_SHAPE(n), data));
    ok(weft_reshape(&table, x, WEFT_SHAPE(c, r)));
    ok(weft_transpose(&turned, table, WEFT_ALL_AXES));
    ok(weft_slice(&row, x, 0, 0, c));
    ok(weft_add(&y, turned, row)); /* c is the long axis */
    ok(weft_to_host(data, (size_t)n, y));
    for (int64_t i = 0, at = 0; i < r; i++)
      for (int64_t j = 0; j < c; j++, at++)
        if (data[at] != (unsigned char)(where(j * r + i) + where(j)))
          ck_abort_msg("%lld x %lld: element %lld", (long long)r, (long long)c, (long long)at);
    weft_array_release(&x);
    weft_array_release(&table);
    weft_array_release(&turned);
    weft_array_release(&row);
    weft_array_release(&y);
    free(data);
    harness_count(1);
  }
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "large");
  tcase_add_test(tc, over_two_to_the_31_elements);
  tcase_add_test(tc, over_two_to_the_32_elements);
  tcase_add_test(tc, numbers_near_two_to_the_31);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "ufunc_large", .add = add});
}
