// SPDX-License-Identifier: MIT
// Which arguments of a launch are set: those that the kernel does not have from its last launch, also a failed one, and
// all of them once a buffer was released, because a new one may have its handle.
#include <stdio.h>
#include <stdlib.h>
#include <weft/weft.h>

#include "fault_driver.h"
#include "fault_run.h"

static const fault_plan none, sets = {.function = "kernel_set"};
static fault_record record;

static void expect(bool condition, const char *what) {
  if (!condition) fault_problem("%s; the last error: %s", what, weft_error_last()->message);
}

static void expect_sets(long count, weft_kernel *add, weft_array *y, int v, int at, const char *what) {
  fault_change(&sets);
  expect(weft_launch(add, WEFT_DIM3(1), WEFT_DIM3(1), y, v, at) == WEFT_OK, what);
  if (record.calls != count) fault_problem("%s: %ld arguments are set, %ld expected", what, record.calls, count);
  fault_change(&none);
}

static void expect_failure(const fault_plan *plan, weft_kernel *add, weft_array *y, int v, int at, const char *what) {
  fault_change(plan);
  expect(weft_launch(add, WEFT_DIM3(1), WEFT_DIM3(1), y, v, at) != WEFT_OK && record.failed == 1, what);
  fault_change(&none);
}

static void release_a_buffer(weft_context *context) {
  weft_array *x = NULL;
  expect(weft_zeros(&x, context, WEFT_U8, WEFT_SHAPE(1 << 20)) == WEFT_OK, "no array");
  weft_array_release(&x);
  expect(weft_memory_trim(context) == WEFT_OK, "no trim");
}

static void run(void *argument) {
  const fault_plan second_set = {.function = "kernel_set", .call = 2};
  const fault_plan enqueue = {
      .function = "clEnqueueNDRangeKernel", .call = 1, .code = WEFT__CL_INVALID_WORK_GROUP_SIZE};
  weft_context *context = NULL;
  weft_kernel *add = NULL;
  weft_array *x = NULL, *y = NULL;
  int32_t got[2][2];
  (void)argument;
  fault_begin(&record, &none);
  expect(weft_context_create(&context) == WEFT_OK, "no context");
  expect(weft_kernel_create(&add, context,
                            .source = "kernel void add(global int *y, int v, int at) { y[at] += v; }\n") == WEFT_OK,
         "no kernel");
  expect(weft_zeros(&x, context, WEFT_I32, WEFT_SHAPE(2)) == WEFT_OK, "no array");
  expect(weft_zeros(&y, context, WEFT_I32, WEFT_SHAPE(2)) == WEFT_OK, "no array");
  expect_sets(3, add, y, 1, 0, "the first launch");
  expect_sets(0, add, y, 1, 0, "the same again");
  expect_sets(1, add, y, 20, 0, "another number");
  expect_sets(2, add, x, 20, 1, "another array and another number");
  release_a_buffer(context);
  expect_sets(3, add, x, 20, 1, "after the release of a buffer");
  expect_failure(&second_set, add, y, 300, 0, "the second of three arguments fails");
  expect_sets(2, add, x, 20, 1, "as before the failure");
  release_a_buffer(context);
  expect_failure(&second_set, add, y, 300, 0, "the second argument fails after a release");
  expect_sets(3, add, y, 300, 1, "after that failure");
  expect_failure(&enqueue, add, y, 4000, 0, "the driver refuses the launch");
  expect_sets(0, add, y, 4000, 0, "the refused launch again");
  expect(weft_to_host(got[0], sizeof got[0], x) == WEFT_OK && weft_to_host(got[1], sizeof got[1], y) == WEFT_OK,
         "no copy");
  if (got[0][0] != 0 || got[0][1] != 60 || got[1][0] != 4022 || got[1][1] != 300)
    fault_problem("x is {%d, %d}, expected {0, 60}; y is {%d, %d}, expected {4022, 300}", got[0][0], got[0][1],
                  got[1][0], got[1][1]);
  weft_array_release(&x);
  weft_array_release(&y);
  weft_kernel_release(&add);
  expect(weft_context_close(&context) == WEFT_OK, "something is left");
  fault_end();
}

int main(void) {
  const int status = fault_need_device("fault_arguments");
  if (status != 0) return status;
  const int problems = fault_child(run, NULL, "fault_arguments");
  printf("fault_arguments: %d problems\n", problems);
  return problems > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
