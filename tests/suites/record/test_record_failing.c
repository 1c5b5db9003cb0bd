// SPDX-License-Identifier: MIT
// A replay whose launch the driver refuses, while the commands before it are under way.
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <time.h>
#include <weft/opencl.h>

#include "harness.h"

static bool launches_fail;

/// In the place of the driver's.
cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint count, const cl_event *events,
                              cl_event *event) {
  static cl_int (*real)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,
                        const cl_event *, cl_event *);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
  if (launches_fail) return CL_OUT_OF_HOST_MEMORY;
  return real(queue, kernel, dimensions, offset, global, local, count, events, event);
}

static void *open_gate(void *gate) {
  nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  ck_assert_int_eq(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  return NULL;
}

/// The write of a constant is under way when the replay fails: the recording keeps its memory until it has ended.
START_TEST(constants_live_until_they_are_written)
{
  enum { MANY = 16384 };
  static float ones[MANY], found[MANY];
  weft_array *x = NULL, *y = NULL;
  weft_recording *r = NULL;
  pthread_t thread;
  cl_int code;
  for (int k = 0; k < MANY; k++) ones[k] = 1;
  ok(weft_zeros(&x, ctx, WEFT_F32, WEFT_SHAPE(MANY)));
  ok(weft_zeros(&y, ctx, WEFT_F32, WEFT_SHAPE(MANY)));
  ok(weft_record_begin(ctx));
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(MANY), ones));
  ok(weft_add(&y, x, x));
  ok(weft_record_end(&r));
  const cl_event gate = clCreateUserEvent(weft_context_cl_context(ctx), &code);
  ck_assert_int_eq(code, CL_SUCCESS);
  ck_assert_int_eq(clEnqueueBarrierWithWaitList(weft_context_cl_queue(ctx), 1, &gate, NULL), CL_SUCCESS);
  launches_fail = true;
  expect_error(weft_replay(r), WEFT_ERROR_HOST_MEMORY, "weft_replay");
  launches_fail = false;
  ck_assert_int_eq(pthread_create(&thread, NULL, open_gate, gate), 0);
  weft_recording_release(&r);
  void *block[20];
  for (int k = 0; k < 20; k++) memset(block[k] = malloc(sizeof ones), 7, sizeof ones);
  pthread_join(thread, NULL);
  clReleaseEvent(gate);
  ok(weft_to_host(found, sizeof found, x));
  int right = 0; /* no assertion per element: each writes to a file */
  for (int k = 0; k < MANY; k++) right += found[k] == 1;
  ck_assert_int_eq(right, MANY);
  for (int k = 0; k < 20; k++) free(block[k]);
  weft_release(&x, &y);
}
END_TEST

static void add(Suite *suite) {
  tcase_add_test(harness_context_case(suite, "driver"), constants_live_until_they_are_written);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "record_failing", .add = add});
}
