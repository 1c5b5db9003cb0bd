// SPDX-License-Identifier: MIT
// The driver has no memory: when a buffer is made, when it is first used, when a kernel is launched. After a single
// failure, the pool releases its unused memory and the call succeeds. With lasting failures, the status names the
// holders of memory. Afterwards the context works as before.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

#include "fault_driver.h"
#include "fault_run.h"

enum { N = 1000, MEGA = 1 << 20, SIZE = MEGA - 5 }; /* SIZE is rounded up by the pool */

typedef struct shortage {
  const char *call;
  int code;
  const char *quirks;
  uint64_t pool_bytes; /* memory that the pool keeps anyway */
} shortage;

static fault_record record;
static const fault_plan none;

static void expect(bool condition, const shortage *of, const char *what) {
  const weft_error *error = weft_error_last();
  if (condition) return;
  fault_problem("%s = %d: %s; the last error: %s, code %d %s: %s\n%s", of->call, of->code, what,
                weft_status_name(error->status), error->cl_code, error->cl_name, error->message, error->detail);
}

static void expect_works(weft_context *context, const shortage *of) {
  static int32_t got[N];
  weft_array *x = NULL, *y = NULL;
  bool same = weft_arange(&x, context, WEFT_I32, 0, N, 1) == WEFT_OK && weft_copy(&y, x) == WEFT_OK &&
              weft_to_host(got, sizeof got, y) == WEFT_OK;
  for (int i = 0; i < N && same; i++) same = got[i] == i;
  expect(same, of, "the context does not work any more");
  weft_array_release(&x);
  weft_array_release(&y);
}

/// Gives the pool memory that it may release.
static void fill_pool(weft_context *context, const shortage *of) {
  weft_array *x = NULL;
  expect(weft_empty(&x, context, WEFT_U8, WEFT_SHAPE(4 * MEGA)) == WEFT_OK, of, "no array");
  weft_array_release(&x);
}

static uint64_t held(weft_context *context) {
  weft_memory_stats s = {0};
  return weft_memory_get(&s, context) ? 0 : s.held_bytes;
}

static bool says(const char *part) {
  return strstr(weft_error_last()->message, part) || strstr(weft_error_last()->detail, part);
}

/// Requests memory from a driver that has none, once and then for good.
static void run_short(weft_context *context, const shortage *of) {
  weft_array *kept = NULL, *x = NULL;
  fault_plan plan = {.call = 1, .code = of->code, .function = of->call};
  expect(weft_zeros(&kept, context, WEFT_U8, WEFT_SHAPE(2 * MEGA)) == WEFT_OK, of, "no array");
  fill_pool(context, of);
  fault_change(&plan);
  expect(weft_empty(&x, context, WEFT_U8, WEFT_SHAPE(SIZE)) == WEFT_OK, of, "one refusal is not survived");
  expect(record.failed == 1, of, "nothing was refused");
  expect(held(context) == of->pool_bytes, of, "the pool has not given back what it held");
  weft_array_release(&x);
  plan.onwards = true;
  fault_change(&none);
  expect(weft_memory_trim(context) == WEFT_OK, of, "no trim");
  fill_pool(context, of);
  for (int round = 0; round < 2; round++) {
    fault_change(&plan);
    weft_status rc = round ? weft_memory_reserve(context, SIZE) : weft_empty(&x, context, WEFT_U8, WEFT_SHAPE(SIZE));
    expect(rc == WEFT_ERROR_MEMORY && x == NULL, of, "a driver without memory is not told as that");
    expect(record.failed == 2, of, "it was not asked twice");
    expect(weft_error_last()->cl_code == of->code, of, "the code is lost");
    expect(says("1024.0 KiB asked; 2.0 MiB of ") && says("fault_shortage.c:") &&
               says(of->pool_bytes ? "kept by the pool: 4.0 MiB" : "kept by the pool: 0 bytes") &&
               says("not of this context: "),
           of, "it does not say who holds what");
    fault_change(&none);
  }
  weft_memory_stats s = {0};
  expect(weft_memory_get(&s, context) == WEFT_OK && s.held_bytes == of->pool_bytes && s.requested_bytes == 2 * MEGA &&
             s.arrays == 1 && s.peak_requested_bytes == 6 * MEGA && s.reserved_bytes == 0,
         of, "what was refused is counted");
  expect_works(context, of);
  expect(weft_memory_reserve(context, SIZE) == WEFT_OK && held(context) >= SIZE, of,
         "no memory can be reserved afterwards");
  weft_array_release(&kept);
}

static weft_status launch(weft_array *y, weft_array *x) {
  (void)x;
  return weft_fill(y, 7);
}

static weft_status copy(weft_array *y, weft_array *x) {
  return weft_copy(&y, x);
}

/// Runs a command, a kernel or a copy, that finds no memory.
static void command_short(weft_context *context, const shortage *of,
                          weft_status (*command)(weft_array *y, weft_array *x)) {
  weft_array *x = NULL, *y = NULL;
  fault_plan plan = {.call = 1, .code = of->code, .function = of->call};
  expect(weft_empty(&x, context, WEFT_I32, WEFT_SHAPE(N)) == WEFT_OK, of, "no array");
  expect(weft_empty(&y, context, WEFT_I32, WEFT_SHAPE(N)) == WEFT_OK, of, "no array");
  fill_pool(context, of);
  fault_change(&plan);
  expect(command(y, x) == WEFT_OK, of, "one refusal is not survived");
  expect(record.failed == 1 && held(context) == 0, of, "the pool has not given back what it held");
  fill_pool(context, of);
  plan.onwards = true;
  fault_change(&plan);
  expect(command(y, x) == WEFT_ERROR_MEMORY && weft_error_last()->cl_code == of->code, of,
         "a command without memory is not told as that");
  fault_change(&plan);
  expect(command(y, x) == WEFT_ERROR_MEMORY && record.failed == 1, of, "with nothing in the pool it is asked again");
  fault_change(&none);
  expect_works(context, of);
  weft_array_release(&x);
  weft_array_release(&y);
}

static void run(void *argument) {
  const shortage *of = argument;
  weft_context *context = NULL;
  if (of->quirks) setenv("WEFT_QUIRKS", of->quirks, 1);
  fault_begin(&record, &none);
  expect(weft_context_create(&context) == WEFT_OK, of, "no context");
  if (strcmp(of->call, "clEnqueueNDRangeKernel") == 0)
    command_short(context, of, launch);
  else if (strcmp(of->call, "clEnqueueCopyBuffer") == 0)
    command_short(context, of, copy);
  else
    run_short(context, of);
  expect(weft_context_close(&context) == WEFT_OK, of, "something is left");
  fault_end();
  for (int k = 0; k < FAULT_OBJECT_COUNT; k++) {
    if (record.alive[k] != 0)
      fault_problem("%s = %d: %ld %s objects left", of->call, of->code, record.alive[k], fault_object_name(k));
  }
}

int main(void) {
  setenv("WEFT_WAY", "elements:commands", 1); /* few elements are launched too */
  static shortage shortages[] = {
      {"buffer_create", -4, NULL, 0},
      {"buffer_create", -5, NULL, 0},
      {"buffer_create", -6, NULL, 0},
      {"buffer_create", -61, NULL, 4 * MEGA}, /* releasing memory does not help with this code */
      {"clEnqueueFillBuffer", -4, "lazy_allocation", 0},
      {"clEnqueueFillBuffer", -5, "lazy_allocation", 0},
      {"clEnqueueNDRangeKernel", -4, NULL, 0},
      {"clEnqueueCopyBuffer", -4, NULL, 0},
  };
  int status = fault_need_device("fault_shortage"), problems = 0, count = (int)(sizeof shortages / sizeof *shortages);
  if (status != 0) return status;
  /* one process each: the quirks are read once per process */
  for (int i = 0; i < count; i++) problems += fault_child(run, &shortages[i], "fault_shortage");
  printf("fault_shortage: %d shortages, %d problems\n", count, problems);
  return problems > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
