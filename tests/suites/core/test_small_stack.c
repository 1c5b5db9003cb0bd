// SPDX-License-Identifier: MIT
/// Calls on a thread whose stack is small (docs/conventions.md). Their kernels are built before, by another thread, as
/// a driver's compiler may run on the caller's stack.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

/// Weft's part; what a driver of a GPU needs to launch is not known. Intel's runtime runs work-groups on the stack of a
/// thread that waits, and its frames grow with the width of the processor's vectors.
enum {
  STACK_BYTES = 64 << 10,
  GPU_STACK_BYTES = 256 << 10,
  INTEL_STACK_BYTES = 1 << 20,
  SANITIZED_STACK_BYTES = 2 << 20
};

static size_t stack_bytes(void) {
  if (HARNESS_SANITIZED) return SANITIZED_STACK_BYTES;
  if (device.type != WEFT_DEVICE_TYPE_CPU) return GPU_STACK_BYTES;
  return strstr(device.platform, "Intel") ? INTEL_STACK_BYTES : STACK_BYTES;
}

typedef struct operands {
  weft_array *x, *y, *m, *out;
} operands;

/* Each call has a function, because the frames of the test count too. */
#define CALL(name, call)                        \
  static weft_status name(operands *o) {        \
    weft_array *x = o->x, *y = o->y, *m = o->m; \
    (void)x, (void)y, (void)m;                  \
    return call;                                \
  }
CALL(call_add, weft_add(&o->out, x, y))
CALL(call_add_number, weft_add(&o->out, x, 2.5f))
CALL(call_power, weft_pow(&o->out, x, y))
CALL(call_host, weft_multiply(&o->out, x, WEFT_HOST(&(float){3}, WEFT_F32, WEFT_SHAPE(1))))
CALL(call_copy, weft_copy(&o->out, m))
CALL(call_sum, weft_sum(&o->out, x, WEFT_ALL_AXES))
CALL(call_var, weft_var(&o->out, m, 1))
CALL(call_argmax, weft_argmax(&o->out, m, 0))
CALL(call_reduce,
     weft_reduce(&o->out, ctx, "x * y", WEFT_ALL_AXES, WEFT_VAR(x), WEFT_VAR(y), WEFT_REDUCTION(.op = WEFT_REDUCE_MAX)))
CALL(call_cumsum, weft_cumsum(&o->out, x, 0))
CALL(call_sort, weft_sort(&o->out, x, 0))
CALL(call_argsort, weft_argsort(&o->out, m, -1))
CALL(call_median, weft_median(&o->out, m, 0))
CALL(call_eval, weft_eval(&o->out, ctx, "x * 2 + exp(-y)", WEFT_VAR(x), WEFT_VAR(y)))
CALL(call_eval_reduced, weft_eval(&o->out, ctx, "m - max(m, axis=1)", WEFT_VAR(m)))
CALL(call_select, weft_select(&o->out, ctx, "x > 3", WEFT_VAR(x)))
CALL(call_matmul, weft_matmul(&o->out, m, m))
CALL(call_epilogue, weft_matmul(&o->out, m, m, .epilogue = WEFT_EPILOGUE("maximum(value, 0)")))
CALL(call_softmax, weft_softmax(&o->out, m, 1))
CALL(call_fft, weft_fft(&o->out, x, 0))
CALL(call_inv, weft_inv(&o->out, m))

#define ROW(name) \
  { #name, call_##name }
static const struct {
  const char *name;
  weft_status (*call)(operands *o);
} rows[] = {ROW(add),          ROW(add_number), ROW(power),  ROW(host),     ROW(copy),    ROW(sum),    ROW(var),
            ROW(argmax),       ROW(reduce),     ROW(cumsum), ROW(sort),     ROW(argsort), ROW(median), ROW(eval),
            ROW(eval_reduced), ROW(select),     ROW(matmul), ROW(epilogue), ROW(softmax), ROW(fft),    ROW(inv)};
enum { ROWS = sizeof rows / sizeof *rows };

static operands given;
static int at;             /* the row that is called */
static weft_status status; /* of the first call that failed */

static void *call_all(void *unused) {
  status = WEFT_OK;
  for (at = 0; at < ROWS && status == WEFT_OK; at++) {
    status = rows[at].call(&given);
    weft_array_release(&given.out);
  }
  if (status == WEFT_OK) status = weft_context_wait(ctx);
  return unused;
}

/// With few elements, which a CPU's caller computes itself, and with more.
START_TEST(calls)
{
  const int64_t n = _i ? 20000 : 200, side = _i ? 70 : 6;
  pthread_t thread;
  pthread_attr_t small;
  ok(weft_linspace(&given.x, ctx, WEFT_F32, 0, 9, n));
  ok(weft_linspace(&given.y, ctx, WEFT_F32, 1, 2, n));
  ok(weft_eye(&given.m, ctx, WEFT_F32, side));
  call_all(NULL);
  ck_assert_msg(status == WEFT_OK, "%s: %s", rows[at - 1].name, weft_error_last()->message);
  ck_assert_int_eq(pthread_attr_init(&small), 0);
  ck_assert_int_eq(pthread_attr_setstacksize(&small, stack_bytes()), 0);
  ck_assert_int_eq(pthread_create(&thread, &small, call_all, NULL), 0);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  pthread_attr_destroy(&small);
  ck_assert_msg(status == WEFT_OK, "%s on the small stack: %s", rows[at - 1].name, weft_status_name(status));
  weft_release(&given.x, &given.y, &given.m);
  harness_count(ROWS);
}
END_TEST

static void *call_add_alone(void *unused) {
  status = call_add(&given);
  weft_array_release(&given.out);
  return unused;
}

/// Where a thread ends, kernels are kept in the cache on disk, for which PoCL compiles.
START_TEST(kernels_are_kept)
{
  char folder[] = "small_stack_XXXXXX", command[64], path[4096];
  pthread_t thread;
  pthread_attr_t small;
  weft_context *kept = NULL;
  ck_assert_ptr_nonnull(mkdtemp(folder));
  ck_assert_ptr_nonnull(getcwd(path, sizeof path - sizeof folder));
  strcat(strcat(path, "/"), folder);
  setenv("WEFT_CACHE_DIR", path, 1);
  setenv("POCL_CACHE_DIR", path, 1); /* without kernels that are compiled already */
  setenv("WEFT_CACHE", "1", 1);
  ok(weft_context_create(&kept, .device = device.selector));
  ok(weft_linspace(&given.x, kept, WEFT_F32, 0, 9, 20000));
  ok(weft_linspace(&given.y, kept, WEFT_F32, 1, 2, 20000));
  ok(weft_eval(&given.out, kept, "x * 3 + y", WEFT_NAMED("x", given.x), WEFT_NAMED("y", given.y)));
  weft_array_release(&given.out);
  call_add_alone(NULL);
  ck_assert_int_eq(pthread_attr_init(&small), 0);
  ck_assert_int_eq(pthread_attr_setstacksize(&small, stack_bytes()), 0);
  ck_assert_int_eq(pthread_create(&thread, &small, call_add_alone, NULL), 0);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  pthread_attr_destroy(&small);
  ck_assert_int_eq(status, WEFT_OK);
  weft_release(&given.x, &given.y);
  ok(weft_context_close(&kept));
  snprintf(command, sizeof command, "rm -rf %s", folder);
  ck_assert_int_eq(system(command), 0);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "small stacks");
  tcase_add_loop_test(tc, calls, 0, 2);
  tcase_add_test(harness_case(suite, "kept kernels"), kernels_are_kept);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "small_stack", .add = add});
}
