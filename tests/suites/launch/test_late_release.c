// SPDX-License-Identifier: MIT
// Drivers that use a released kernel while its launches are under way (quirk late_release): Weft releases it later.
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <weft/opencl.h>

#include "harness.h"

enum {
  MOST = 4096,
  BATCH = 256 /* src/core/retired.h */,
  MANY = 900,
  HELD = BATCH + 10 /* NVIDIA's queues are full after 1000 */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cl_kernel launched[MOST]; /* since the queue was held */
static int launches, early, made, released;
static bool is_held;

#define REAL(name)                      \
  static __typeof__(name) *real_##name; \
  if (!real_##name) *(void **)&real_##name = dlsym(RTLD_NEXT, #name)

/// These three replace the driver's functions.
cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *code) {
  REAL(clCreateKernel);
  cl_kernel kernel = real_clCreateKernel(program, name, code);
  pthread_mutex_lock(&lock);
  made += kernel != NULL;
  pthread_mutex_unlock(&lock);
  return kernel;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint count, const cl_event *events,
                              cl_event *event) {
  REAL(clEnqueueNDRangeKernel);
  pthread_mutex_lock(&lock);
  if (is_held && launches < MOST) launched[launches++] = kernel;
  pthread_mutex_unlock(&lock);
  return real_clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, events, event);
}

cl_int clReleaseKernel(cl_kernel kernel) {
  REAL(clReleaseKernel);
  pthread_mutex_lock(&lock);
  for (int k = 0; k < launches; k++) early += is_held && launched[k] == kernel;
  released++;
  pthread_mutex_unlock(&lock);
  return real_clReleaseKernel(kernel);
}

static void hold(cl_event *gate) {
  cl_int code;
  ok(weft_context_wait(ctx));
  *gate = clCreateUserEvent(weft_context_cl_context(ctx), &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  ck_assert_int_eq(clEnqueueBarrierWithWaitList(weft_context_cl_queue(ctx), 1, gate, NULL), CL_SUCCESS);
  is_held = true;
  launches = early = released = 0;
}

static void let_go(cl_event gate) {
  is_held = false;
  ck_assert_int_eq(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  clReleaseEvent(gate);
}

static const char source[] = "kernel void twice(global float *y) { y[get_global_id(0)] *= 2; }";

/// A recording and a kernel are released while the queue has not begun their launches.
START_TEST(kernels_outlive_their_launches)
{
  weft_array *x = NULL, *y = NULL;
  weft_recording *r = NULL;
  weft_kernel *twice = NULL;
  cl_event gate;
  float found[4];
  ok(weft_full(&x, ctx, WEFT_F32, WEFT_SHAPE(4), 3));
  ok(weft_record_begin(ctx));
  ok(weft_sin(&y, x));
  ok(weft_record_end(&r));
  ok(weft_kernel_create(&twice, ctx, .source = source));
  ok(weft_launch(twice, WEFT_DIM3(1), WEFT_DIM3(4), x));
  hold(&gate);
  ok(weft_launch(twice, WEFT_DIM3(1), WEFT_DIM3(4), x));
  ok(weft_replay(r));
  ck_assert_int_ge(launches, 2);
  weft_release(&r, &twice);
  ck_assert_int_eq(early, 0);
  let_go(gate);
  ok(weft_context_wait(ctx));
  ck_assert_int_ge(released, launches); /* the wait releases them */
  ok(weft_to_host(found, sizeof found, x));
  for (int k = 0; k < 4; k++) ck_assert_float_eq(found[k], 12);
  weft_release(&x, &y);
}
END_TEST

static void replay_and_release(weft_array *x) {
  weft_recording *r = NULL;
  ok(weft_record_begin(ctx));
  ok(weft_add(&x, x, 1.0f)); /* runs, too */
  ok(weft_record_end(&r));
  ok(weft_replay(r));
  weft_recording_release(&r);
}

static void expect_all(weft_array *x, float value) {
  float least, most;
  ok(weft_min(WEFT_HOST_OUT(&least, WEFT_F32, WEFT_SHAPE_0D), x, WEFT_ALL_AXES));
  ok(weft_max(WEFT_HOST_OUT(&most, WEFT_F32, WEFT_SHAPE_0D), x, WEFT_ALL_AXES));
  ck_assert_float_eq(least, value);
  ck_assert_float_eq(most, value);
}

/// A release waits for nothing, however many kernels are kept; later ones release the kernels whose launches are done.
START_TEST(releases_do_not_wait)
{
  weft_array *x = NULL;
  cl_event gate;
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(4)));
  hold(&gate);
  for (int k = 0; k < HELD; k++) replay_and_release(x);
  ck_assert_int_eq(early, 0);
  ck_assert_int_eq(released, 0);
  let_go(gate);
  expect_all(x, 2 * HELD);
  for (int k = 0; k < 3; k++) replay_and_release(x);
  ck_assert_int_ge(released, BATCH);
  weft_array_release(&x);
}
END_TEST

static void *replay_often(void *x) {
  for (int k = 0; k < MANY / 3; k++) replay_and_release(x);
  return NULL;
}

START_TEST(threads_release)
{
  enum { THREADS = 3 };
  weft_array *x[THREADS] = {NULL};
  pthread_t thread[THREADS];
  for (int k = 0; k < THREADS; k++) ok(weft_full(&x[k], ctx, WEFT_F32, WEFT_SHAPE(4), (float)k));
  for (int k = 0; k < THREADS; k++) ck_assert_int_eq(pthread_create(&thread[k], NULL, replay_often, x[k]), 0);
  for (int k = 0; k < THREADS; k++) pthread_join(thread[k], NULL);
  for (int k = 0; k < THREADS; k++) expect_all(x[k], (float)k + 2 * (MANY / 3));
  ck_assert_int_ge(released, BATCH);
  weft_release(&x[0], &x[1], &x[2]);
}
END_TEST

/// Without a wait for the context: kernels are released in batches, the last ones when the context closes.
START_TEST(all_kernels_are_released)
{
  weft_array *x = NULL;
  made = released = 0;
  harness_context_open();
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(4)));
  for (int k = 0; k < MANY; k++) replay_and_release(x);
  ck_assert_int_ge(released, BATCH);
  expect_all(x, 2 * MANY);
  weft_array_release(&x);
  harness_context_close();
  ck_assert_int_ge(made, MANY);
  ck_assert_int_eq(released, made);
}
END_TEST

static void add(Suite *suite) {
  TCase *held = harness_context_case(suite, "held");
  tcase_add_test(held, kernels_outlive_their_launches);
  tcase_add_test(held, releases_do_not_wait);
  tcase_add_test(held, threads_release);
  tcase_add_test(harness_case(suite, "own context"), all_kernels_are_released);
}

int main(void) {
  setenv("WEFT_QUIRKS", "late_release", 1);
  setenv("WEFT_TEST_SHARE", "1", 0); /* with quirks, suites run a part of their tests */
  setenv("WEFT_WAY", "elements:commands", 1); /* calls launch kernels on CPUs too */
  return harness_main(&(harness_suite){.name = "late_release", .add = add});
}
