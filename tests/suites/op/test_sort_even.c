// SPDX-License-Identifier: MIT
/// Sorts of integers of 4 bytes that are evenly distributed, or nearly so: GPUs sort these in another way, which the
/// device chooses by a sample and by the sizes of all parts (src/op/sort/even.c).
#include <stdio.h>

#include "sorts.h"

typedef enum kind {
  EVEN,
  IN_RANGE,  /* evenly distributed between two bounds */
  RISING,    /* evenly distributed, in order */
  FALLING,   /* in reverse order */
  CLUSTERS,  /* 2^16 values; all bits differ */
  MULTIPLES, /* of 4096 */
  EQUAL,
  FEW,     /* 1000 values */
  SKEWED,  /* most are small */
  CLUMP,   /* many are equal, none of them in the sample */
  PILE,    /* many are equal, few enough for one part */
  OUTSIDE, /* as IN_RANGE, but one that is not in the sample is 0, another one 2^32 - 1 */
  KINDS
} kind;
static const char *const kind_names[KINDS] = {"even",  "in range", "rising", "falling", "clusters", "multiples",
                                              "equal", "few",      "skewed", "clump",   "pile",     "outside"};

static int64_t length_of_device(void) {
  return device.type == WEFT_DEVICE_TYPE_CPU ? 20011 : (INT64_C(1) << 25) + 4099;
}
/// Samples of cl/sort/gpu_even.cl: one of each step.
static int64_t samples_of_device(void) {
  return device.type == WEFT_DEVICE_TYPE_CPU ? 4096 : 16384;
}
static bool is_sampled(int64_t i, int64_t n) {
  const int64_t samples = samples_of_device(), step = n / samples, s = i / step;
  return s < samples && i % step == (int64_t)((uint32_t)s * 2654435761u % (uint32_t)step);
}

static void fill(uint32_t *x, int64_t n, kind what, harness_random *random) {
  for (int64_t i = 0; i < n; i++) {
    const uint32_t bits = (uint32_t)harness_bits(random), low = 1000000000, range = 400000000;
    const uint32_t rising = (uint32_t)(((double)i + 0.5) / (double)n * 4294967296.0);
    const uint32_t value[KINDS] = {bits,
                                   low + (uint32_t)((uint64_t)bits * range >> 32),
                                   rising,
                                   ~rising,
                                   (bits & 0xffff0000u) | (bits >> 16 & 0xfff),
                                   bits & 0xfffff000u,
                                   7,
                                   bits % 1000,
                                   bits >> (bits & 15),
                                   bits,
                                   bits,
                                   low + (uint32_t)((uint64_t)bits * range >> 32)};
    x[i] = value[what];
    if (what == CLUMP && i % 4 == 1 && !is_sampled(i, n)) x[i] = 3000000000u;
  }
  const int64_t pile = device.type == WEFT_DEVICE_TYPE_CPU ? 100 : 1000;
  for (int64_t i = n / 3, k = 0; what == PILE && k < pile; i += 3)
    if (!is_sampled(i, n)) x[i] = 3000000000u + (uint32_t)(k++ % 3);
  for (int64_t i = n / 2, k = 0; what == OUTSIDE && k < 2; i++)
    if (!is_sampled(i, n)) x[i] = k++ ? UINT32_MAX : 0;
}

/// The order of a stable sort, by counting 16 bits at a time.
static void order_of(uint32_t *order, uint32_t *spare, const uint32_t *x, int64_t n, uint32_t flip) {
  int64_t *at = malloc(65537 * sizeof *at);
  for (int64_t i = 0; i < n; i++) spare[i] = (uint32_t)i;
  for (int shift = 0; shift < 32; shift += 16) {
    const uint32_t *from = shift ? order : spare;
    uint32_t *to = shift ? spare : order;
    memset(at, 0, 65537 * sizeof *at);
    for (int64_t i = 0; i < n; i++) at[((x[i] ^ flip) >> shift & 0xffff) + 1]++;
    for (int k = 0; k < 65536; k++) at[k + 1] += at[k];
    for (int64_t i = 0; i < n; i++) to[at[(x[from[i]] ^ flip) >> shift & 0xffff]++] = from[i];
  }
  memcpy(order, spare, (size_t)n * sizeof *order);
  free(at);
}

static void check(kind what, weft_dtype dtype, bool descending, bool in_place, int64_t n, harness_random *random) {
  char text[100];
  const size_t size = (size_t)n + 1;
  uint32_t *x = malloc(4 * size), *order = malloc(4 * size), *wanted = malloc(4 * size), *values = malloc(4 * size);
  int64_t *numbers = malloc(8 * size);
  weft_array *keys = NULL, *out = NULL, *rows = NULL, *given = NULL, *where = NULL;
  const uint32_t flip = (descending ? UINT32_MAX : 0) ^ (dtype == WEFT_I32 ? 0x80000000u : 0);
  fill(x, n, what, random);
  order_of(order, wanted, x, n, flip);
  for (int64_t i = 0; i < n; i++) {
    values[i] = (uint32_t)i * 3 + 1;
    wanted[i] = x[order[i]];
    numbers[i] = order[i];
  }
  snprintf(text, sizeof text, "%lld %s, %s%s%s", (long long)n, weft_dtype_name(dtype), kind_names[what],
           descending ? ", descending" : "", in_place ? ", in place" : "");
  ok(weft_from_host(&keys, ctx, dtype, WEFT_SHAPE(n), x));
  ok(weft_argsort(&where, keys, 0, .descending = descending));
  check_elements(where, numbers, n, text);
  if (in_place) ok(weft_copy(&out, keys));
  ok(weft_sort(&out, in_place ? out : keys, 0, .descending = descending));
  check_elements(out, wanted, n, text);
  weft_array_release(&out);
  ok(weft_from_host(&given, ctx, WEFT_U32, WEFT_SHAPE(n), values));
  for (int64_t i = 0; i < n; i++) values[i] = order[i] * 3 + 1;
  if (in_place) {
    out = weft_array_retain(keys);
    rows = weft_array_retain(given);
  }
  ok(weft_sort_by_key(&out, &rows, keys, given, .descending = descending));
  check_elements(out, wanted, n, text);
  check_elements(rows, values, n, text);
  harness_count(3);
  weft_release(&keys, &out, &rows, &given, &where);
  free(x);
  free(order);
  free(wanted);
  free(values);
  free(numbers);
}

START_TEST(kinds)
{
  harness_random random = harness_random_start(1 + (uint64_t)_i);
  for (int k = 0; k < (device.type == WEFT_DEVICE_TYPE_CPU ? 2 : 1); k++)
    check((kind)_i, (_i + k) % 2 ? WEFT_I32 : WEFT_U32, (_i + k) % 3 == 0, (_i + k) % 2, length_of_device(), &random);
}
END_TEST

START_TEST(lengths)
{
  static const int64_t shorter[] = {8193, 9000, 16384, 70001};
  harness_random random = harness_random_start(2);
  for (int i = 0; i < (device.type == WEFT_DEVICE_TYPE_CPU ? 4 : 2); i++) {
    const int64_t n = device.type == WEFT_DEVICE_TYPE_CPU ? shorter[i] : length_of_device() + 3000007 * i;
    check(i % 2 ? IN_RANGE : EVEN, WEFT_U32, false, i / 2, n, &random);
  }
}
END_TEST

static void add(Suite *suite) {
  TCase *c = harness_context_case(suite, "sort_even");
  tcase_add_loop_test(c, kinds, 0, KINDS);
  tcase_add_test(c, lengths);
}

int main(void) {
  const harness_suite suite = {.name = "sort_even", .add = add};
  return harness_main(&suite);
}
