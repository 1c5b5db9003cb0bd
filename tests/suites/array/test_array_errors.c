// SPDX-License-Identifier: MIT
/// Wrong calls on arrays: the status, the text, and unchanged arguments.
#include <stdio.h>

#include "views.h"

/* ---- creation ---- */

START_TEST(wrong_contexts)
{
  weft_context *wrong[] = {harness_garbage(), harness_zeroed()};
  float data[3] = {0};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    weft_array *x = NULL;
    expect_error(weft_empty(&x, wrong[i], WEFT_F32, WEFT_SHAPE(3)), WEFT_ERROR_HANDLE, "weft_empty", "@context");
    expect_error(weft_full(&x, wrong[i], WEFT_F32, WEFT_SHAPE(3), 1), WEFT_ERROR_HANDLE, "weft_full", "@context");
    expect_error(weft_arange(&x, wrong[i], WEFT_F32, 0, 3, 1), WEFT_ERROR_HANDLE, "weft_arange", "@context");
    expect_error(weft_linspace(&x, ctx, WEFT_F32, 0, 1, 3, .base = 2), WEFT_ERROR_ARGUMENT, "only weft_logspace",
                 "@base");
    expect_error(weft_geomspace(&x, ctx, WEFT_F32, 1, 2, 3, .base = 2), WEFT_ERROR_ARGUMENT, "only weft_logspace");
    expect_error(weft_linspace(&x, wrong[i], WEFT_F32, 0, 1, 3), WEFT_ERROR_HANDLE, "weft_linspace", "@context");
    expect_error(weft_from_host(&x, wrong[i], WEFT_F32, WEFT_SHAPE(3), data), WEFT_ERROR_HANDLE, "weft_from_host",
                 "@context");
    ck_assert_ptr_null(x);
    harness_count(5);
  }
}
END_TEST

START_TEST(no_result_pointer)
{
  weft_array *x = NULL;
  float data[3] = {0};
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(3)));
  expect_error(weft_empty((weft_array **)NULL, ctx, WEFT_F32, WEFT_SHAPE(3)), WEFT_ERROR_ARGUMENT, "weft_empty", "@out",
               "NULL");
  expect_error(weft_full((weft_array **)NULL, ctx, WEFT_F32, WEFT_SHAPE(3), 1), WEFT_ERROR_ARGUMENT, "weft_full",
               "@out", "NULL");
  expect_error(weft_empty_like((weft_array **)NULL, x), WEFT_ERROR_ARGUMENT, "weft_empty_like", "@out", "NULL");
  expect_error(weft_full_like((weft_array **)NULL, x, 1), WEFT_ERROR_ARGUMENT, "weft_full_like", "@out", "NULL");
  expect_error(weft_arange((weft_array **)NULL, ctx, WEFT_F32, 0, 3, 1), WEFT_ERROR_ARGUMENT, "weft_arange", "@out",
               "NULL");
  expect_error(weft_linspace((weft_array **)NULL, ctx, WEFT_F32, 0, 1, 3), WEFT_ERROR_ARGUMENT, "weft_linspace", "@out",
               "NULL");
  expect_error(weft_from_host((weft_array **)NULL, ctx, WEFT_F32, WEFT_SHAPE(3), data), WEFT_ERROR_ARGUMENT,
               "weft_from_host", "@out", "NULL");
  expect_error(weft_copy((weft_array **)NULL, x), WEFT_ERROR_ARGUMENT, "weft_copy", "@out", "NULL");
  expect_error(weft_cast((weft_array **)NULL, x, WEFT_I32), WEFT_ERROR_ARGUMENT, "weft_cast", "@out", "NULL");
  expect_error(weft_array_describe(NULL, x), WEFT_ERROR_ARGUMENT, "weft_array_describe", "@text", "NULL");
  expect_error(weft_to_host(NULL, 12, x), WEFT_ERROR_ARGUMENT, "weft_to_host", "@data", "NULL");
  weft_array_release(&x);
  expect_error(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(3), NULL), WEFT_ERROR_ARGUMENT, "weft_from_host", "@data",
               "NULL");
  ck_assert_ptr_null(x);
}
END_TEST

START_TEST(no_dtypes)
{
  const int wrong[] = {0, WEFT_DTYPE_COUNT, -1, 1000};
  weft_array *x = NULL, *y = NULL;
  float data[3] = {0};
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(3)));
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    weft_dtype dtype = (weft_dtype)wrong[i];
    char number[16];
    snprintf(number, sizeof number, "%d", wrong[i]);
    expect_error(weft_empty(&x, ctx, dtype, WEFT_SHAPE(3)), WEFT_ERROR_DTYPE, "weft_empty", "@dtype", number);
    expect_error(weft_full(&x, ctx, dtype, WEFT_SHAPE(3), 1), WEFT_ERROR_DTYPE, "weft_full", "@dtype", number);
    expect_error(weft_arange(&x, ctx, dtype, 0, 3, 1), WEFT_ERROR_DTYPE, "weft_arange", "@dtype", number);
    expect_error(weft_linspace(&x, ctx, dtype, 0, 1, 3), WEFT_ERROR_DTYPE, "weft_linspace", "@dtype", number);
    expect_error(weft_from_host(&x, ctx, dtype, WEFT_SHAPE(3), data), WEFT_ERROR_DTYPE, "weft_from_host", "@dtype",
                 number);
    expect_error(weft_cast(&x, y, dtype), WEFT_ERROR_DTYPE, "weft_cast", "@dtype", number);
    ck_assert_ptr_null(x);
    harness_count(6);
  }
  weft_array_release(&y);
}
END_TEST

START_TEST(wrong_shapes)
{
  const struct {
    weft_shape shape;
    weft_status status;
    const char *text;
  } cases[] = {
      {WEFT_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1), WEFT_ERROR_SHAPE, "9"},
      {{-1, {0}}, WEFT_ERROR_SHAPE, "-1"},
      {{INT32_MAX, {0}}, WEFT_ERROR_SHAPE, "2147483647"},
      {WEFT_SHAPE(-1), WEFT_ERROR_SHAPE, "-1"},
      {WEFT_SHAPE(3, -4), WEFT_ERROR_SHAPE, "-4"},
      {WEFT_SHAPE(0, -4), WEFT_ERROR_SHAPE, "-4"},
      {WEFT_SHAPE(INT64_MIN), WEFT_ERROR_SHAPE, "-9223372036854775808"},
      {WEFT_SHAPE(INT64_MAX), WEFT_ERROR_OVERFLOW, "9223372036854775807"},
      {WEFT_SHAPE(INT64_MAX, 2), WEFT_ERROR_OVERFLOW, "9223372036854775807"},
      {WEFT_SHAPE(INT64_C(1) << 61), WEFT_ERROR_OVERFLOW, "2305843009213693952"},
      {WEFT_SHAPE(INT64_C(1) << 32, INT64_C(1) << 32), WEFT_ERROR_OVERFLOW, "4294967296"},
      {WEFT_SHAPE(INT64_C(1) << 31, INT64_C(1) << 31, 4), WEFT_ERROR_OVERFLOW, "2147483648"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    weft_array *x = NULL;
    float data = 0;
    expect_error(weft_empty(&x, ctx, WEFT_F32, cases[i].shape), cases[i].status, "weft_empty", cases[i].text, "@shape");
    expect_error(weft_full(&x, ctx, WEFT_F32, cases[i].shape, 1), cases[i].status, "weft_full", cases[i].text,
                 "@shape");
    expect_error(weft_from_host(&x, ctx, WEFT_F32, cases[i].shape, &data), cases[i].status, "weft_from_host",
                 cases[i].text, "@shape");
    ck_assert_ptr_null(x);
    harness_count(3);
  }
}
END_TEST

START_TEST(more_than_the_device_has)
{
  weft_array *x = NULL;
  const int64_t n = INT64_C(1) << 60; /* the byte count fits in int64_t, but in no machine */
  weft_status rc = weft_empty(&x, ctx, WEFT_F32, WEFT_SHAPE(n));
  ck_assert_msg(rc == WEFT_ERROR_MEMORY || rc == WEFT_ERROR_BUDGET, "%s", harness_error_text());
  ck_assert_ptr_null(x);
  ck_assert_msg(strstr(weft_error_last()->message, "weft_empty") != NULL, "%s", harness_error_text());
  ck_assert_msg(strstr(weft_error_last()->message, "EiB") || strstr(weft_error_last()->message, "GiB"), "%s",
                harness_error_text());
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(3))); /* the context still works */
  weft_array_release(&x);
}
END_TEST

START_TEST(out_that_does_not_fit)
{
  weft_array *x = NULL, *y = NULL;
  float data[12] = {0};
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(3, 4)));
  ok(weft_ones(&y, ctx, WEFT_F32, WEFT_SHAPE(4, 3)));
  weft_array *same = x;
  expect_error(weft_empty(&x, ctx, WEFT_F32, WEFT_SHAPE(3, 4)), WEFT_ERROR_ARGUMENT, "weft_empty", "@out", "NULL");
  expect_error(weft_empty_like(&x, y), WEFT_ERROR_ARGUMENT, "weft_empty_like", "@out", "NULL");
  expect_error(weft_full(&x, ctx, WEFT_F32, WEFT_SHAPE(4, 3), 2), WEFT_ERROR_SHAPE, "weft_full", "[3,4]", "[4,3]");
  expect_error(weft_full(&x, ctx, WEFT_F32, WEFT_SHAPE(12), 2), WEFT_ERROR_SHAPE, "weft_full", "[3,4]", "[12]");
  expect_error(weft_full(&x, ctx, WEFT_C64, WEFT_SHAPE(3, 4), 2), WEFT_ERROR_DTYPE, "weft_full", "f32", "c64");
  expect_error(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(4, 3), data), WEFT_ERROR_SHAPE, "weft_from_host", "[3,4]",
               "[4,3]");
  expect_error(weft_from_host(&x, ctx, WEFT_C64, WEFT_SHAPE(3, 4), data), WEFT_ERROR_DTYPE, "weft_from_host", "f32",
               "c64");
  expect_error(weft_copy(&x, y), WEFT_ERROR_SHAPE, "weft_copy", "[3,4]", "[4,3]");
  expect_error(weft_cast(&x, y, WEFT_F32), WEFT_ERROR_SHAPE, "weft_cast", "[3,4]", "[4,3]");
  expect_error(weft_arange(&x, ctx, WEFT_F32, 0, 12, 1), WEFT_ERROR_SHAPE, "weft_arange", "[3,4]", "[12]");
  expect_error(weft_linspace(&x, ctx, WEFT_F32, 0, 1, 5), WEFT_ERROR_SHAPE, "weft_linspace", "[3,4]", "[5]");
  expect_error(weft_full_like(&x, y, 1), WEFT_ERROR_SHAPE, "weft_full_like", "[3,4]", "[4,3]");
  weft_array_release(&y);
  ok(weft_ones(&y, ctx, WEFT_C64, WEFT_SHAPE(3, 4)));
  expect_error(weft_copy(&x, y), WEFT_ERROR_DTYPE, "weft_copy", "f32", "c64");
  expect_error(weft_cast(&x, y, WEFT_C64), WEFT_ERROR_DTYPE, "weft_cast", "f32", "c64");
  ck_assert_ptr_eq(x, same); /* "On failure *out is as it was" */
  ok(weft_to_host(data, sizeof data, x));
  for (int i = 0; i < 12; i++) ck_assert_float_eq(data[i], 1.0f);
  weft_array_release(&x);
  weft_array_release(&y);
  x = harness_garbage();
  expect_error(weft_full(&x, ctx, WEFT_F32, WEFT_SHAPE(3), 1), WEFT_ERROR_HANDLE, "weft_full", "@out");
  ck_assert_ptr_eq(x, harness_garbage());
}
END_TEST

START_TEST(room_for_the_host_must_be_exact)
{
  weft_array *x = NULL;
  float data[16];
  for (int i = 0; i < 16; i++) data[i] = 42;
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(3, 4)));
  const struct {
    size_t size_bytes;
    const char *text;
  } wrong[] = {{0, "0"}, {47, "47"}, {49, "49"}, {12, "12"}, {SIZE_MAX, "18446744073709551615"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    expect_error(weft_to_host(data, wrong[i].size_bytes, x), WEFT_ERROR_SHAPE, "weft_to_host", "48", wrong[i].text,
                 "@size_bytes");
    harness_count(1);
  }
  for (int i = 0; i < 16; i++) ck_assert_float_eq(data[i], 42.0f);
  weft_array_release(&x);
}
END_TEST

START_TEST(wrong_sequences)
{
  weft_array *x = NULL;
  expect_error(weft_arange(&x, ctx, WEFT_F32, 0, 10, 0), WEFT_ERROR_ARGUMENT, "weft_arange", "@step", "0");
  expect_error(weft_arange(&x, ctx, WEFT_I32, 0, 10, 0.0), WEFT_ERROR_ARGUMENT, "weft_arange", "@step", "0");
  expect_error(weft_arange(&x, ctx, WEFT_F32, 0, 10, NAN), WEFT_ERROR_ARGUMENT, "weft_arange", "@step", "`step`");
  expect_error(weft_arange(&x, ctx, WEFT_F32, NAN, 10, 1), WEFT_ERROR_ARGUMENT, "weft_arange", "@start", "`start`");
  expect_error(weft_arange(&x, ctx, WEFT_F32, 0, NAN, 1), WEFT_ERROR_ARGUMENT, "weft_arange", "@stop", "`stop`");
  weft_error_clear();
  ck_assert_int_ne(weft_arange(&x, ctx, WEFT_F32, 0, INFINITY, 1), WEFT_OK);
  ck_assert_msg(strstr(weft_error_last()->message, "weft_arange") != NULL, "%s", harness_error_text());
  expect_error(weft_arange(&x, ctx, WEFT_U8, -1, 3, 1), WEFT_ERROR_OVERFLOW, "weft_arange", "@start",
               "`start` is -1, which u8 cannot hold");
  expect_error(weft_arange(&x, ctx, WEFT_I32, 1e16, 1e16 + 8, 1), WEFT_ERROR_OVERFLOW, "@start",
               "1e+16, which i32 cannot hold");
  expect_error(weft_arange(&x, ctx, WEFT_I32, 0, 1e10, 5e9), WEFT_ERROR_OVERFLOW, "@step", "the second element",
               "5e+09");
  expect_error(weft_arange(&x, ctx, WEFT_I32, 0, 10000000000, 5000000000), WEFT_ERROR_OVERFLOW, "@step",
               "is 5000000000, which i32");
  expect_error(weft_arange(&x, ctx, WEFT_U8, 250, 300, 10), WEFT_ERROR_OVERFLOW, "@step",
               "is 260, which u8 cannot hold");
  expect_error(weft_arange(&x, ctx, WEFT_U8, 0, -3, -1), WEFT_ERROR_OVERFLOW, "@step", "is -1, which u8 cannot hold");
  expect_error(weft_arange(&x, ctx, WEFT_I64, UINT64_MAX - 2, UINT64_MAX, 1), WEFT_ERROR_OVERFLOW, "@start",
               "18446744073709551613");
  expect_error(weft_arange(&x, ctx, WEFT_BOOL, 0, 2, 1), WEFT_ERROR_DTYPE, "weft_arange", "@dtype", "bool");
  expect_error(weft_arange(&x, ctx, WEFT_C64, 0, 2, 1), WEFT_ERROR_DTYPE, "weft_arange", "@dtype", "c64");
  expect_error(weft_linspace(&x, ctx, WEFT_I32, 0, 1, 3), WEFT_ERROR_DTYPE, "weft_linspace", "@dtype", "i32");
  weft_error_clear();
  weft_status rc = weft_linspace(&x, ctx, WEFT_F32, 0, 1, -1);
  ck_assert_msg(rc == WEFT_ERROR_ARGUMENT || rc == WEFT_ERROR_SHAPE, "%s", harness_error_text());
  ck_assert_msg(strstr(weft_error_last()->message, "-1") != NULL, "%s", harness_error_text());
  ck_assert_ptr_null(x);
}
END_TEST

/* ---- invalid handles ---- */

#define VIEW_CALLS(X)                       \
  X(weft_slice(&out, x, 0, 0, 1))           \
  X(weft_pick(&out, x, 0, 0))               \
  X(weft_transpose(&out, x, WEFT_ALL_AXES)) \
  X(weft_reshape(&out, x, WEFT_SHAPE(3)))   \
  X(weft_broadcast(&out, x, WEFT_SHAPE(3))) \
  X(weft_squeeze(&out, x, WEFT_ALL_AXES))   \
  X(weft_expand(&out, x, 0))                \
  X(weft_flip(&out, x, 0))
#define COPY_CALLS(X)           \
  X(weft_empty_like(&out, x))   \
  X(weft_full_like(&out, x, 1)) \
  X(weft_copy(&out, x))         \
  X(weft_cast(&out, x, WEFT_I32))

/* A handle without `= NULL` often holds an invalid address: reading it would crash. */
START_TEST(uninitialised_handles)
{
  static const uintptr_t left[] = {1,
                                   0x40,
                                   4095,
                                   0x7fff0001,
                                   (uintptr_t)INTPTR_MAX,
                                   (uintptr_t)-8,
                                   (uintptr_t)0x3ff0000000000000,
                                   (uintptr_t)0xa5a5a5a5a5a5a5a0};
#ifdef __x86_64__
  const size_t count = sizeof left / sizeof *left;
#else
  const size_t count = 4; /* other values may be valid addresses */
#endif
  for (size_t i = 0; i < count; i++) {
    void *handle = (void *)left[i];
    weft_array *x = handle, *y = NULL;
    weft_context *context = handle;
    weft_kernel *kernel = handle;
    expect_error(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(3)), WEFT_ERROR_HANDLE, "weft_zeros: `out`",
                 "uninitialised (begin with `= NULL`)");
    expect_error(weft_add(&y, x, 1), WEFT_ERROR_HANDLE, "weft_add: `a`", "uninitialised (begin with `= NULL`)");
    expect_error(weft_add(&x, 1, 1), WEFT_ERROR_HANDLE, "weft_add: `out`", "uninitialised (begin with `= NULL`)");
    expect_error(weft_slice(&x, x, 0, 0, 1), WEFT_ERROR_ARGUMENT, "`*out` is not NULL",
                 "uninitialised (begin with `= NULL`)");
    expect_error(weft_context_wait(context), WEFT_ERROR_HANDLE, "`context`", "uninitialised (begin with `= NULL`)");
    expect_error(weft_kernel_create(&kernel, ctx, .source = ""), WEFT_ERROR_ARGUMENT,
                 "`*out` is not NULL, but this call makes a new object",
                 "uninitialised (begin with `= NULL`), or still holds an old one");
    expect_error(weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1)), WEFT_ERROR_HANDLE, "`kernel`",
                 "uninitialised (begin with `= NULL`)");
    ck_assert(x == handle && context == handle && !y);
    ck_assert_int_eq(weft_array_ndim(x), 0);
    weft_array_release(&x);
    weft_context_release(&context);
    weft_kernel_release(&kernel);
    harness_count(1);
  }
}
END_TEST

START_TEST(wrong_arrays)
{
  weft_array *wrong[] = {NULL, harness_garbage(), harness_zeroed(), (weft_array *)ctx};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    weft_array *x = wrong[i], *out = NULL;
    char *text = NULL, data[4];
    const char *what = i == 0 ? "NULL" : "x";
#define CHECK(call)                                         \
  do {                                                      \
    expect_error(call, WEFT_ERROR_HANDLE, what, "x", "@x"); \
    ck_assert_ptr_null(out);                                \
    harness_count(1);                                       \
  } while (0);
    VIEW_CALLS(CHECK)
    COPY_CALLS(CHECK)
    CHECK(weft_fill(x, 1))
    CHECK(weft_to_host(data, 4, x))
    CHECK(weft_array_describe(&text, x))
#undef CHECK
    ck_assert_ptr_null(text);
    ck_assert_int_eq(weft_array_dtype(x), WEFT_DTYPE_NONE);
    ck_assert_int_eq(weft_array_ndim(x), 0);
    ck_assert_int_eq(weft_array_shape(x).ndim, 0);
    ck_assert_int_eq(weft_array_length(x, 0), 0);
    ck_assert_int_eq(weft_array_stride_bytes(x, 0), 0);
    ck_assert_int_eq(weft_array_size(x), 0);
    ck_assert_int_eq(weft_array_size_bytes(x), 0);
    ck_assert(!weft_array_is_contiguous(x));
    ck_assert_ptr_null(weft_array_context(x));
  }
}
END_TEST

START_TEST(released_array)
{
  if (HARNESS_SANITIZED) return; /* the sanitizer reports the read first */
  weft_array *x = NULL, *out = NULL;
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(3)));
  weft_array *stale = x;
  weft_array_release(&x);
  expect_error(weft_copy(&out, stale), WEFT_ERROR_HANDLE, "weft_copy", "@x");
  ck_assert_ptr_null(out);
  ck_assert_int_eq(weft_array_dtype(stale), WEFT_DTYPE_NONE);
}
END_TEST

START_TEST(error_names_the_callers_line)
{
  weft_array *x = NULL;
  char site[64];
  ck_assert_int_ne(weft_empty(&x, ctx, WEFT_DTYPE_NONE, WEFT_SHAPE(3)), WEFT_OK);
  snprintf(site, sizeof site, "test_array_errors.c:%d", __LINE__ - 1);
  ck_assert_msg(strstr(weft_error_last()->site, site) != NULL, "%s, expected %s", weft_error_last()->site, site);
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(3)));
  float data[3];
  ck_assert_int_ne(weft_to_host(data, 5, x), WEFT_OK);
  snprintf(site, sizeof site, "test_array_errors.c:%d", __LINE__ - 1);
  ck_assert_msg(strstr(weft_error_last()->site, site) != NULL, "%s, expected %s", weft_error_last()->site, site);
  weft_array_release(&x);
}
END_TEST

START_TEST(failures_leave_nothing_behind)
{
  weft_memory_stats before, after;
  weft_array *x = NULL;
  ok(weft_memory_get(&before, ctx));
  for (int i = 0; i < 200; i++) {
    ck_assert_int_ne(weft_full(&x, ctx, WEFT_U8, WEFT_SHAPE(1000), 256 + i), WEFT_OK);
    ck_assert_int_ne(weft_arange(&x, ctx, WEFT_F32, 0, 1, 0), WEFT_OK);
    ck_assert_int_ne(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(1000), NULL), WEFT_OK);
    ck_assert_ptr_null(x);
  }
  ok(weft_memory_get(&after, ctx));
  ck_assert_uint_eq(after.arrays, before.arrays);
  ck_assert_uint_eq(after.active_bytes, before.active_bytes);
  harness_count(600);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "creation");
  tcase_add_test(tc, wrong_contexts);
  tcase_add_test(tc, no_result_pointer);
  tcase_add_test(tc, no_dtypes);
  tcase_add_test(tc, wrong_shapes);
  tcase_add_test(tc, more_than_the_device_has);
  tcase_add_test(tc, out_that_does_not_fit);
  tcase_add_test(tc, room_for_the_host_must_be_exact);
  tcase_add_test(tc, wrong_sequences);
  tc = harness_context_case(suite, "handles");
  tcase_add_test(tc, wrong_arrays);
  tcase_add_test(tc, uninitialised_handles);
  tcase_add_test(tc, released_array);
  tcase_add_test(tc, error_names_the_callers_line);
  tcase_add_test(tc, failures_leave_nothing_behind);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "array_errors", .add = add});
}
