// SPDX-License-Identifier: MIT
/// Selection against plain loops on the host: elements of every size, masks of every density, sizes around blocks and
/// tiles; exact.
#include "harness.h"

#define LONGEST 70000

static bool is_slow(void) {
  const char *quirks = getenv("WEFT_QUIRKS");
  return quirks && strstr(quirks, "gpu_kernels");
}

static int64_t edge(harness_random *random, int64_t most) {
  static const int64_t edges[] = {1, 2, 16, 31, 64, 127, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536};
  int64_t n = edges[harness_between(random, 0, sizeof edges / sizeof *edges - 1)] + harness_between(random, -2, 2);
  if (harness_between(random, 0, 2) == 0) n = harness_between(random, 0, most);
  return n < 0 ? 0 : n > most ? most : n;
}

/// Fills a mask with nothing, everything, half, one in a thousand, or runs.
static void fill_mask(harness_random *random, uint8_t *mask, int64_t n) {
  int64_t kind = harness_between(random, 0, 5);
  bool on = false;
  for (int64_t i = 0; i < n; i++) {
    uint64_t bits = harness_bits(random);
    if (bits % 200 == 0) on = !on;
    mask[i] = kind == 0 ? 0 : kind == 1 ? 1 : kind == 2 ? bits % 1000 == 0 : kind == 3 ? on : (bits >> 32 & 1);
  }
}

static void fill_random(harness_random *random, void *data, size_t size_bytes) {
  for (size_t i = 0; i < size_bytes; i++) ((uint8_t *)data)[i] = (uint8_t)(harness_bits(random) >> 20);
}

typedef struct room {
  uint8_t x[16 * (LONGEST + 8)], wanted[16 * LONGEST], got[16 * LONGEST], mask[LONGEST + 8];
} room;

static void check_bytes(const uint8_t *got, const uint8_t *wanted, int64_t n, size_t size, const char *what) {
  if (n == 0 || memcmp(got, wanted, (size_t)n * size) == 0) return;
  int64_t i = 0;
  while (memcmp(got + (size_t)i * size, wanted + (size_t)i * size, size) == 0) i++;
  ck_abort_msg("%s of elements of %d bytes: element %lld of %lld differs", what, (int)size, (long long)i, (long long)n);
}

static int64_t count_on(const weft_array *count) {
  int64_t n;
  ok(weft_to_host(&n, sizeof n, count));
  ck_assert(weft_array_dtype(count) == WEFT_I64 && weft_array_ndim(count) == 0);
  return n;
}

/// Checks compress, compress_into and partition of n elements that begin `shift` elements into their storage.
static void check_masked(weft_dtype dtype, room *r, harness_random *random, int64_t n, int64_t shift) {
  size_t size = weft_dtype_size_bytes(dtype);
  weft_array *whole = NULL, *x = NULL, *masks = NULL, *mask = NULL, *y = NULL, *count = NULL, *given = NULL;
  int64_t kept = 0, rejected = 0;
  fill_random(random, r->x, (size_t)(n + shift) * size);
  fill_mask(random, r->mask, n + shift);
  const uint8_t *from = r->x + (size_t)shift * size, *is = r->mask + shift;
  for (int64_t i = 0; i < n; i++)
    if (is[i]) memcpy(r->wanted + (size_t)kept++ * size, from + (size_t)i * size, size);
  for (int64_t i = 0; i < n; i++)
    if (!is[i]) memcpy(r->wanted + (size_t)(kept + rejected++) * size, from + (size_t)i * size, size);
  ok(weft_from_host(&whole, ctx, dtype, WEFT_SHAPE(n + shift), r->x));
  ok(weft_slice(&x, whole, 0, shift, n + shift));
  ok(weft_from_host(&masks, ctx, harness_bits(random) & 1 ? WEFT_BOOL : WEFT_U8, WEFT_SHAPE(n + shift), r->mask));
  ok(weft_slice(&mask, masks, 0, shift, n + shift));
  ok(weft_compress(&y, mask, x, WEFT_ALL_AXES));
  ck_assert(weft_array_dtype(y) == dtype && weft_array_ndim(y) == 1);
  ck_assert_int_eq(weft_array_size(y), kept);
  if (kept) ok(weft_to_host(r->got, (size_t)kept * size, y));
  check_bytes(r->got, r->wanted, kept, size, "compress");
  ok(weft_compress(&given, mask, x, WEFT_ALL_AXES, .count = &count));
  ck_assert_int_eq(weft_array_size(given), n);
  ck_assert_int_eq(count_on(count), kept);
  if (n) ok(weft_to_host(r->got, (size_t)n * size, given));
  check_bytes(r->got, r->wanted, kept, size, "compress_into");
  /* again, into an existing array */
  ok(weft_compress(&given, mask, x, WEFT_ALL_AXES, .count = &count));
  ck_assert_int_eq(count_on(count), kept);
  weft_array_release(&y);
  ok(weft_partition(&y, mask, x, .count = harness_bits(random) & 1 ? &count : NULL));
  ck_assert_int_eq(count_on(count), kept);
  if (n) ok(weft_to_host(r->got, (size_t)n * size, y));
  check_bytes(r->got, r->wanted, n, size, "partition");
  harness_count(3);
  weft_array_release(&given);
  weft_array_release(&count);
  weft_array_release(&y);
  weft_array_release(&mask);
  weft_array_release(&masks);
  weft_array_release(&x);
  weft_array_release(&whole);
}

START_TEST(masked)
{
  static const weft_dtype dtypes[] = {WEFT_I8, WEFT_F16, WEFT_F32, WEFT_I64, WEFT_C64, WEFT_C128, WEFT_U32};
  weft_dtype dtype = dtypes[_i];
  if (!harness_has_dtype(dtype) || (is_slow() && _i != 2 && _i != 5)) return;
  harness_random random = harness_random_start(10 + (uint64_t)_i);
  room *r = malloc(sizeof *r);
  ck_assert_ptr_nonnull(r);
  check_masked(dtype, r, &random, 0, 0);
  for (int k = 0; k < 12; k++) check_masked(dtype, r, &random, edge(&random, k & 1 ? 5000 : 66000), 0);
  for (int k = 0; k < 3 && dtype == WEFT_F32; k++) check_masked(dtype, r, &random, edge(&random, 20000), 1 + k);
  free(r);
}
END_TEST

/* ---- by an expression ---- */

START_TEST(expressions)
{
  harness_random random = harness_random_start(30);
  float *x = malloc(LONGEST * sizeof *x), *wanted = malloc(LONGEST * sizeof *x), *got = malloc(LONGEST * sizeof *x);
  ck_assert(x && wanted && got);
  for (int k = 0; k < 10; k++) {
    int64_t n = edge(&random, 66000), kept = 0;
    float limit = (float)harness_between(&random, -10, 110);
    weft_array *a = NULL, *b = NULL, *y = NULL, *count = NULL;
    for (int64_t i = 0; i < n; i++) {
      x[i] = (float)harness_between(&random, 0, 100);
      if (x[i] == 50) x[i] = NAN;
      if (x[i] > limit) wanted[kept++] = x[i];
    }
    ok(weft_from_host(&a, ctx, WEFT_F32, WEFT_SHAPE(n), x));
    ok(weft_select(&y, ctx, "x > k", WEFT_NAMED("x", a), WEFT_NAMED("k", limit)));
    ck_assert_int_eq(weft_array_size(y), kept);
    if (kept) ok(weft_to_host(got, (size_t)kept * sizeof *got, y));
    check_bytes((uint8_t *)got, (uint8_t *)wanted, kept, sizeof *got, "select");
    weft_array_release(&y);
    ok(weft_select(&y, NULL, "x > k", WEFT_NAMED("x", a), WEFT_NAMED("k", limit), WEFT_SELECTION(.count = &count)));
    ck_assert_int_eq(count_on(count), kept);
    if (n) ok(weft_to_host(got, (size_t)n * sizeof *got, y));
    check_bytes((uint8_t *)got, (uint8_t *)wanted, kept, sizeof *got, "select_into");
    harness_count(2);
    weft_array_release(&y);
    if (k == 0) {
      /* with another array and an element's number: by a mask */
      ok(weft_full(&b, ctx, WEFT_F32, WEFT_SHAPE(1), limit));
      ok(weft_select(&y, ctx, "x > b", WEFT_NAMED("x", a), WEFT_VAR(b)));
      ck_assert_int_eq(weft_array_size(y), kept);
      weft_array_release(&y);
      ok(weft_select(&y, ctx, "x > b", WEFT_NAMED("x", a), WEFT_VAR(b), WEFT_SELECTION(.count = &count)));
      ck_assert_int_eq(count_on(count), kept);
      weft_array_release(&y);
      ok(weft_select(&y, ctx, "(i < 3) & (x == x)", a));
      ck_assert_int_le(weft_array_size(y), 3);
      weft_array_release(&b);
      harness_count(3);
    }
    weft_array_release(&y);
    weft_array_release(&count);
    weft_array_release(&a);
  }
  free(x);
  free(wanted);
  free(got);
}
END_TEST

/* ---- where ---- */

static void check_nonzero(weft_dtype dtype, room *r, harness_random *random, int64_t a, int64_t b, int64_t c) {
  size_t size = weft_dtype_size_bytes(dtype);
  int64_t n = a * b * c, kept = 0, *flat = (int64_t *)(void *)r->wanted, *got = (int64_t *)(void *)r->got;
  weft_array *x = NULL, *y = NULL;
  fill_mask(random, r->mask, n);
  memset(r->x, 0, (size_t)n * size);
  for (int64_t i = 0; i < n; i++) {
    /* a byte of 1 anywhere makes a number nonzero; -0 counts as zero */
    if (r->mask[i])
      r->x[(size_t)i * size +
           (dtype == WEFT_BOOL ? 0 : (size_t)harness_between(random, 0, (int64_t)size - 1))] = 1,
                                                                                        flat[kept++] = i;
    else if (weft_dtype_kind(dtype) == 'f' && i & 1)
      r->x[(size_t)(i + 1) * size - 1] = 0x80;
  }
  ok(weft_from_host(&x, ctx, dtype, WEFT_SHAPE(a, b, c), r->x));
  ok(weft_flatnonzero(&y, x));
  ck_assert(weft_array_dtype(y) == WEFT_I64 && weft_array_ndim(y) == 1);
  ck_assert_int_eq(weft_array_size(y), kept);
  if (kept) ok(weft_to_host(got, (size_t)kept * sizeof *got, y));
  check_bytes(r->got, r->wanted, kept, sizeof *got, "flatnonzero");
  weft_array_release(&y);
  if (kept > LONGEST / 2) kept = 0; /* no room for three coordinates each */
  ok(weft_nonzero(&y, x));
  ck_assert(weft_array_ndim(y) == 2 && weft_array_length(y, 1) == 3);
  if (kept) {
    ok(weft_to_host(got, (size_t)kept * 3 * sizeof *got, y));
    for (int64_t k = 0; k < kept; k++)
      ck_assert_msg(
          got[3 * k] == flat[k] / (b * c) && got[3 * k + 1] == flat[k] / c % b && got[3 * k + 2] == flat[k] % c,
          "nonzero of %s: row %lld", weft_dtype_name(dtype), (long long)k);
  }
  harness_count(2);
  weft_array_release(&y);
  weft_array_release(&x);
}

START_TEST(nonzero)
{
  static const weft_dtype dtypes[] = {WEFT_BOOL, WEFT_F32, WEFT_I64, WEFT_U16, WEFT_F16, WEFT_BF16};
  weft_dtype dtype = dtypes[_i];
  if (is_slow() && _i > 1) return;
  harness_random random = harness_random_start(50 + (uint64_t)_i);
  room *r = malloc(sizeof *r);
  ck_assert_ptr_nonnull(r);
  for (int k = 0; k < 8; k++) {
    int64_t c = edge(&random, k & 1 ? 3000 : 60), b = harness_between(&random, 1, 20);
    check_nonzero(dtype, r, &random, c ? harness_between(&random, 0, 66000 / (b * c)) : 2, b, c);
  }
  free(r);
}
END_TEST

/* ---- slices, shapes, results ---- */

START_TEST(slices)
{
  if (is_slow()) return;
  static const weft_dtype dtypes[] = {WEFT_U8, WEFT_F32, WEFT_I64};
  harness_random random = harness_random_start(70);
  room *r = malloc(sizeof *r);
  ck_assert_ptr_nonnull(r);
  for (int k = 0; k < 24; k++) {
    weft_dtype dtype = dtypes[k % 3];
    size_t size = weft_dtype_size_bytes(dtype);
    int64_t shape[3] = {harness_between(&random, 0, 9), harness_between(&random, 1, 40),
                        harness_between(&random, 1, 33)};
    int axis = (int)harness_between(&random, 0, 2);
    int64_t outer = axis == 0 ? 1 : axis == 1 ? shape[0] : shape[0] * shape[1], length = shape[axis];
    int64_t inner = axis == 2 ? 1 : axis == 1 ? shape[2] : shape[1] * shape[2], kept = 0, at = 0;
    weft_array *x = NULL, *mask = NULL, *y = NULL;
    fill_random(&random, r->x, (size_t)(outer * length * inner) * size);
    fill_mask(&random, r->mask, length);
    for (int64_t i = 0; i < length; i++) kept += r->mask[i];
    for (int64_t o = 0; o < outer; o++)
      for (int64_t i = 0; i < length; i++)
        if (r->mask[i]) {
          memcpy(r->wanted + (size_t)at * size, r->x + (size_t)((o * length + i) * inner) * size, (size_t)inner * size);
          at += inner;
        }
    ok(weft_from_host(&x, ctx, dtype, WEFT_SHAPE(shape[0], shape[1], shape[2]), r->x));
    ok(weft_from_host(&mask, ctx, WEFT_BOOL, WEFT_SHAPE(length), r->mask));
    ok(weft_compress(&y, mask, x, k & 1 ? axis : axis - 3));
    ck_assert_int_eq(weft_array_ndim(y), 3);
    ck_assert_int_eq(weft_array_length(y, axis), kept);
    if (at) ok(weft_to_host(r->got, (size_t)at * size, y));
    check_bytes(r->got, r->wanted, at, size, "compress_axis");
    harness_count(1);
    weft_array_release(&x);
    weft_array_release(&mask);
    weft_array_release(&y);
  }
  free(r);
}
END_TEST

START_TEST(forms)
{
  if (is_slow()) return;
  static const int32_t table[2][3] = {{1, 2, 3}, {4, 5, 6}};
  static const uint8_t row[3] = {1, 0, 1}, column[2] = {0, 1};
  int32_t got[6];
  int64_t where[4];
  weft_array *x = NULL, *turned = NULL, *y = NULL, *count = NULL, *part = NULL;
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(2, 3), table));
  /* broadcast masks, host memory, a view, results in host memory and of another dtype */
  ok(weft_compress(WEFT_HOST_OUT(got, WEFT_I32, WEFT_SHAPE(4)), WEFT_HOST(row, WEFT_BOOL, WEFT_SHAPE(3)), x,
                   WEFT_ALL_AXES));
  ck_assert(got[0] == 1 && got[1] == 3 && got[2] == 4 && got[3] == 6);
  ok(weft_compress(WEFT_HOST_OUT(got, WEFT_I32, WEFT_SHAPE(3)), WEFT_HOST(column, WEFT_BOOL, WEFT_SHAPE(2, 1)), x,
                   WEFT_ALL_AXES));
  ck_assert(got[0] == 4 && got[2] == 6);
  ok(weft_transpose(&turned, x, WEFT_ALL_AXES));
  ok(weft_zeros(&y, ctx, WEFT_I64, WEFT_SHAPE(3)));
  ok(weft_compress(&y, WEFT_HOST(column, WEFT_U8, WEFT_SHAPE(2)), turned, WEFT_ALL_AXES));
  ok(weft_to_host(where, 3 * sizeof *where, y));
  ck_assert(where[0] == 4 && where[1] == 5 && where[2] == 6);
  ok(weft_partition(WEFT_HOST_OUT(got, WEFT_I32, WEFT_SHAPE(6)), WEFT_HOST(row, WEFT_BOOL, WEFT_SHAPE(3)), x,
                    .count = &count));
  ck_assert(got[0] == 1 && got[3] == 6 && got[4] == 2 && got[5] == 5 && count_on(count) == 4);
  /* the result is the operand */
  weft_array_release(&y);
  ok(weft_reshape(&y, x, WEFT_SHAPE(6)));
  ok(weft_slice(&part, y, 0, 0, 2));
  ok(weft_select(&part, ctx, "x > 4", y));
  ok(weft_to_host(got, sizeof got, y));
  ck_assert(got[0] == 5 && got[1] == 6 && got[2] == 3);
  /* elements after the kept ones are unchanged */
  weft_array_release(&part);
  ok(weft_full(&part, ctx, WEFT_I32, WEFT_SHAPE(6), -7));
  ok(weft_select(&part, ctx, "x > 4", y, WEFT_SELECTION(.count = &count)));
  ok(weft_to_host(got, sizeof got, part));
  ck_assert(count_on(count) == 4 && got[0] == 5 && got[3] == 6 && got[4] == -7 && got[5] == -7);
  /* no axes */
  weft_array_release(&part);
  weft_array_release(&turned);
  ok(weft_ones(&turned, ctx, WEFT_I32, WEFT_SHAPE_0D));
  ok(weft_nonzero(&part, turned));
  ck_assert(weft_array_ndim(part) == 2 && weft_array_length(part, 0) == 1 && weft_array_length(part, 1) == 0);
  weft_array_release(&part);
  ok(weft_flatnonzero(&part, turned));
  ck_assert_int_eq(weft_array_size(part), 1);
  harness_count(8);
  weft_array_release(&part);
  weft_array_release(&count);
  weft_array_release(&y);
  weft_array_release(&turned);
  weft_array_release(&x);
}
END_TEST

/// A call that waits for the count keeps no more memory than it must, however few elements are selected.
START_TEST(memory_kept)
{
  const int64_t n = 60000, kept[] = {0, 1, 20, 29000, 60000};
  weft_array *x = NULL, *y = NULL, *given = NULL;
  weft_memory_stats before, after;
  if (is_slow()) return;
  ok(weft_arange(&x, ctx, WEFT_I64, 0, n, 1));
  for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) {
    ok(weft_memory_get(&before, ctx));
    ok(weft_select(&y, ctx, "x < most", WEFT_NAMED("x", x), WEFT_NAMED("most", kept[k])));
    ok(weft_memory_get(&after, ctx));
    ck_assert_int_eq(weft_array_size(y), kept[k]);
    ck_assert_uint_le(after.requested_bytes - before.requested_bytes, 4 * (size_t)kept[k] * 8 + (64 << 10));
    int64_t *got = malloc(((size_t)kept[k] + 1) * sizeof *got);
    ok(weft_to_host(got, (size_t)kept[k] * sizeof *got, y));
    for (int64_t i = 0; i < kept[k]; i++) ck_assert_int_eq(got[i], i);
    /* to given arrays: of another dtype, too long, and the operand's own elements */
    int32_t *narrow = malloc(((size_t)kept[k] + 1) * sizeof *narrow);
    ok(weft_zeros(&given, ctx, WEFT_I32, WEFT_SHAPE(kept[k])));
    ok(weft_select(&given, ctx, "x < most", WEFT_NAMED("x", x), WEFT_NAMED("most", kept[k])));
    ok(weft_to_host(narrow, (size_t)kept[k] * sizeof *narrow, given));
    for (int64_t i = 0; i < kept[k]; i++) ck_assert_int_eq(narrow[i], i);
    free(narrow);
    weft_array_release(&given);
    ok(weft_zeros(&given, ctx, WEFT_I64, WEFT_SHAPE(kept[k] + 1)));
    expect_error(weft_select(&given, ctx, "x < most", WEFT_NAMED("x", x), WEFT_NAMED("most", kept[k])),
                 WEFT_ERROR_SHAPE, "`out` is i64", "@out");
    weft_array_release(&given);
    ok(weft_slice(&given, x, 0, 0, kept[k]));
    ok(weft_select(&given, ctx, "x < most", WEFT_NAMED("x", x), WEFT_NAMED("most", kept[k])));
    int64_t *again = malloc(((size_t)kept[k] + 1) * sizeof *again);
    ok(weft_to_host(again, (size_t)kept[k] * sizeof *again, given));
    ck_assert_mem_eq(again, got, (size_t)kept[k] * sizeof *again);
    free(again);
    free(got);
    weft_release(&given, &y);
    harness_count(4);
  }
  weft_array_release(&x);
}
END_TEST

START_TEST(errors)
{
  weft_array *x = NULL, *y = NULL, *mask = NULL, *count = NULL, *narrow = NULL, *given = NULL;
  float row[6];
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(2, 3)));
  ok(weft_ones(&mask, ctx, WEFT_BOOL, WEFT_SHAPE(2)));
  ok(weft_ones(&narrow, ctx, WEFT_I32, WEFT_SHAPE(6)));
  ok(weft_ones(&given, ctx, WEFT_F32, WEFT_SHAPE(5)));
  expect_error(weft_compress(&y, mask, x, WEFT_ALL_AXES), WEFT_ERROR_SHAPE, "`x` is f32[2,3], `mask` is bool[2]",
               "@mask");
  expect_error(weft_compress(&y, x, x, WEFT_ALL_AXES), WEFT_ERROR_DTYPE, "`mask` is f32; expected bool or u8",
               "weft_not_equal", "@mask");
  expect_error(weft_compress(&y, mask, (weft_array *)NULL, WEFT_ALL_AXES), WEFT_ERROR_HANDLE, "`x`", "@x");
  expect_error(weft_compress(&y, mask, x, 1), WEFT_ERROR_SHAPE, "`mask` is bool[2]; axis 1 of `x` has 3", "@mask");
  expect_error(weft_compress(&y, mask, x, 2), WEFT_ERROR_AXIS, "axis 2", "@axis");
  expect_error(weft_select(&given, ctx, "x > 0", x), WEFT_ERROR_SHAPE, "`out` is f32[5], the result is f32[6]", "@out");
  expect_error(weft_select(&narrow, ctx, "x > 0", x), WEFT_ERROR_DTYPE, "f32", "i32", "@out");
  expect_error(weft_select(&y, ctx, "x + 1", x), WEFT_ERROR_DTYPE, "the expression is f32; expected a bool", "@text");
  expect_error(weft_select(&y, ctx, "x >", x), WEFT_ERROR_EXPRESSION, "expr:1:4");
  expect_error(weft_select(&y, ctx, "x > k", WEFT_VAR(x), 3), WEFT_ERROR_ARGUMENT,
               "argument 2 after the text has no name");
  expect_error(weft_select(&y, ctx, "x > 0", 3.0f), WEFT_ERROR_ARGUMENT, "`x` is a C scalar", "@x");
  expect_error(weft_select(&y, ctx, NULL, x), WEFT_ERROR_ARGUMENT, "text");
  expect_error(weft_select(&given, ctx, "x > 0", x, WEFT_SELECTION(.count = &count)), WEFT_ERROR_SHAPE,
               "`out` is f32[5], the result is f32[6]", "@out");
  expect_error(weft_select(&narrow, ctx, "x > 0", x, WEFT_SELECTION(.count = &count)), WEFT_ERROR_DTYPE, "i32", "f32",
               "@out");
  expect_error(weft_select(&y, ctx, "x > 0", WEFT_SELECTION(.count = &count)), WEFT_ERROR_ARGUMENT, "0 variables",
               "@variable_count");
  expect_error(
      weft_select(WEFT_HOST_OUT(row, WEFT_F32, WEFT_SHAPE(6)), ctx, "x > 0", x, WEFT_SELECTION(.count = &count)),
      WEFT_ERROR_ARGUMENT, "`out` is host memory", "@out");
  expect_error(weft_compress(&y, mask, x, 0, .count = &count), WEFT_ERROR_ARGUMENT, "`count` is given with axis 0",
               "@count");
  expect_error(weft_compress(&y, mask, x, WEFT_AXES(0, 1)), WEFT_ERROR_AXIS, "2 axes were given; expected one",
               "@axis");
  expect_error(weft_compress(&y, mask, x, weft_keepdims(WEFT_ALL_AXES)), WEFT_ERROR_AXIS, "weft_keepdims", "@axis");
  expect_error(weft_reduce(&y, ctx, "x", WEFT_ALL_AXES, WEFT_VAR(x), WEFT_SELECTION(.count = &count)),
               WEFT_ERROR_ARGUMENT, "argument 2");
  expect_error(weft_compress((weft_array **)NULL, mask, mask, WEFT_ALL_AXES, .count = &count), WEFT_ERROR_ARGUMENT,
               "`out`");
  weft_array *flat = NULL, *host = NULL;
  ok(weft_reshape(&flat, x, WEFT_SHAPE(6)));
  expect_error(weft_select(&flat, ctx, "x > 0", x, WEFT_SELECTION(.count = &count)), WEFT_ERROR_LAYOUT,
               "`out` is not contiguous, or shares memory", "@out");
  expect_error(weft_nonzero(&y, host), WEFT_ERROR_HANDLE, "`x`");
  expect_error(weft_partition(&given, narrow, x), WEFT_ERROR_DTYPE, "`mask` is i32");
  ck_assert(y == NULL && count == NULL);
  harness_count(24);
  weft_array_release(&flat);
  weft_array_release(&given);
  weft_array_release(&narrow);
  weft_array_release(&mask);
  weft_array_release(&x);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "values");
  tcase_add_loop_test(tc, masked, 0, 7);
  tcase_add_test(tc, expressions);
  tcase_add_loop_test(tc, nonzero, 0, 5);
  tc = harness_context_case(suite, "forms");
  tcase_add_test(tc, slices);
  tcase_add_test(tc, forms);
  tcase_add_test(tc, memory_kept);
  tcase_add_test(tc, errors);
}

int main(void) {
  static const harness_suite suite = {.name = "select", .add = add};
  return harness_main(&suite);
}
