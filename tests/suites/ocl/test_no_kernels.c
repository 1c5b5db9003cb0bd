// SPDX-License-Identifier: MIT
// The library on the driver without OpenCL: calls that need a kernel are refused, nothing is leaked, and the process
// has no OpenCL.
#include "harness.h"
#include "host_driver.h"

static const char source[] = "kernel void k(global float *x) { x[0] = 1; }\n";

#define refused(call) expect_error(call, WEFT_ERROR_UNSUPPORTED, "the driver runs no kernels")

START_TEST(kernels_are_refused)
{
  weft_array *x = NULL, *y = NULL, *z = NULL;
  weft_kernel *kernel = NULL;
  weft_rng *rng = NULL;
  ck_assert_int_eq(device.type, WEFT_DEVICE_TYPE_CPU);
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(3, 4)));
  ok(weft_ones(&z, ctx, WEFT_C64, WEFT_SHAPE(3)));
  ok(weft_rng_create(&rng, .context = ctx));
  refused(weft_kernel_create(&kernel, ctx, .source = source));
  refused(weft_add(&y, x, 1));
  refused(weft_add(&x, x, x)); /* into an existing array */
  refused(weft_cast(&y, x, WEFT_F64));
  refused(weft_prod(&y, z, WEFT_ALL_AXES));
  refused(weft_uniform(&y, rng, WEFT_F32, WEFT_SHAPE(5), 0, 1));
  ck_assert(!kernel && !y);
  float got[12];
  ok(weft_to_host(got, sizeof got, x));
  for (int i = 0; i < 12; i++) ck_assert(got[i] == 1);
  ok(weft_cumsum(&y, x, 1)); /* the host does it */
  ok(weft_to_host(got, sizeof got, y));
  for (int i = 0; i < 12; i++) ck_assert(got[i] == (float)(i % 4 + 1));
  weft_array_release(&y);
  ok(weft_sum(&y, x, 0));
  ok(weft_to_host(got, 4 * sizeof *got, y));
  for (int i = 0; i < 4; i++) ck_assert(got[i] == 3);
  weft_array_release(&y);
  ok(weft_arange(&y, ctx, WEFT_F32, 0, 12, 1));
  ok(weft_roll(&y, y, 3, 0));
  ok(weft_to_host(got, sizeof got, y));
  for (int i = 0; i < 12; i++) ck_assert(got[i] == (float)((i + 9) % 12));
  weft_rng_release(&rng);
  weft_release(&x, &y, &z);
}
END_TEST

/// Fills and copies of every dtype and stride, which use kernels on other drivers.
START_TEST(fills_and_copies_need_none)
{
  for (int d = harness_next_dtype(0); d; d = harness_next_dtype(d + 1)) {
    size_t size = weft_dtype_size_bytes((weft_dtype)d);
    weft_array *x = NULL, *part = NULL, *turned = NULL, *copy = NULL;
    unsigned char got[7 * 5 * 16], zero[16] = {0};
    ok(weft_full(&x, ctx, (weft_dtype)d, WEFT_SHAPE(7, 5), 1));
    ok(weft_slice(&part, x, 0, 0, 7, .step = 2));
    ok(weft_fill(part, 0));
    ok(weft_transpose(&turned, x, WEFT_AXES(1, 0)));
    ok(weft_copy(&copy, turned));
    ok(weft_to_host(got, sizeof got / 16 * size, copy));
    for (size_t i = 0; i < 35; i++) ck_assert((memcmp(got + i * size, zero, size) == 0) == (i % 7 % 2 == 0));
    weft_array_release(&copy);
    weft_array_release(&turned);
    weft_array_release(&part);
    weft_array_release(&x);
    harness_count(1);
  }
}
END_TEST

/// The host sorts.
START_TEST(sorts_need_none)
{
  const float data[] = {3, 1, 2, 1};
  const int64_t expected[] = {1, 3, 2, 0};
  int64_t got[4];
  weft_array *x = NULL, *y = NULL;
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(4), data));
  ok(weft_argsort(&y, x, 0));
  ok(weft_to_host(got, sizeof got, y));
  for (int i = 0; i < 4; i++) ck_assert_int_eq(got[i], expected[i]);
  weft_release(&x, &y);
}
END_TEST

START_TEST(leaves_nothing)
{
  weft_array *x = NULL, *y = NULL;
  weft_stream *stream = NULL;
  harness_context_open();
  ck_assert_int_gt(host_driver_alive(), 0);
  ok(weft_stream_create(&stream, ctx));
  ok(weft_full(&x, ctx, WEFT_I32, WEFT_SHAPE(1000, 7), 3));
  ok(weft_stream_use(stream));
  ok(weft_copy(&y, x));
  ok(weft_stream_use(NULL));
  weft_array_release(&x);
  weft_array_release(&y);
  weft_stream_release(&stream);
  harness_context_close();
  ck_assert_int_eq(host_driver_alive(), 0);
  ck_assert(!host_driver_sees_opencl());
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "no kernels");
  tcase_add_test(tc, kernels_are_refused);
  tcase_add_test(tc, fills_and_copies_need_none);
  tcase_add_test(tc, sorts_need_none);
  tcase_add_test(harness_case(suite, "own context"), leaves_nothing);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "no_kernels", .add = add});
}
