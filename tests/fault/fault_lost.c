// SPDX-License-Identifier: MIT
// The device is lost: a wait returns a code that means so. The context then reports LOST and names the launches that
// may be the cause. It keeps reporting LOST, with the first cause, until it is closed; afterwards nothing is alive.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

#include "fault_driver.h"
#include "fault_run.h"

static const char source[] =
    "__kernel void innocent(__global int *x) { x[get_global_id(0)] = 1; }\n"
    "__kernel void culprit(__global int *x) { x[get_global_id(0)] = 2; }\n";

typedef struct cause {
  int code;
  unsigned kinds; /* where the failure occurs */
} cause;

static fault_record record;

static void expect(bool condition, const cause *of, const char *what) {
  const weft_error *error = weft_error_last();
  if (condition) return;
  fault_problem("code %d: %s; the last error: %s, code %d %s: %s", of->code, what, weft_status_name(error->status),
                error->cl_code, error->cl_name, error->message);
}

/// Expects a call on the lost context to fail with LOST and the first cause in the text.
static void expect_lost(weft_status rc, const cause *of, const char *call) {
  char what[120];
  snprintf(what, sizeof what, "%s does not answer LOST", call);
  expect(rc == WEFT_ERROR_LOST, of, what);
  snprintf(what, sizeof what, "%s does not tell the first cause", call);
  expect(
      strstr(weft_error_last()->message, weft_cl_code_name(of->code)) != NULL || weft_error_last()->cl_code == of->code,
      of, what);
}

static void lose(const cause *of, bool at_copy) {
  static const fault_plan none;
  fault_plan plan = {.call = 1, .code = of->code, .kinds = of->kinds};
  weft_context *context = NULL;
  weft_kernel *innocent = NULL, *culprit = NULL, *late = NULL;
  weft_array *x = NULL, *fresh = NULL;
  int32_t host[16];
  weft_status rc;

  fault_begin(&record, &none);
  expect(weft_context_create(&context) == WEFT_OK, of, "no context");
  expect(weft_kernel_create(&innocent, context, .source = source, .name = "innocent") == WEFT_OK, of, "no kernel");
  expect(weft_kernel_create(&culprit, context, .source = source, .name = "culprit") == WEFT_OK, of, "no kernel");
  expect(weft_zeros(&x, context, WEFT_I32, WEFT_SHAPE(16)) == WEFT_OK, of, "no array");
  expect(weft_launch(innocent, WEFT_DIM3(1), WEFT_DIM3(16), x) == WEFT_OK, of, "no launch");
  expect(weft_launch(culprit, WEFT_DIM3(1), WEFT_DIM3(16), x) == WEFT_OK, of, "no launch");
  if (context == NULL || x == NULL || culprit == NULL) return;

  fault_change(&plan);
  rc = at_copy ? weft_to_host(host, sizeof host, x) : weft_context_wait(context);
  expect(record.failed == 1, of, "the wait makes no call that could fail");
  expect(rc == WEFT_ERROR_LOST, of, "the wait does not answer LOST");
  expect(weft_error_last()->cl_code == of->code && strcmp(weft_error_last()->cl_name, weft_cl_code_name(of->code)) == 0,
         of, "the wait does not tell the code");
  expect(strstr(weft_error_last()->message, "culprit") != NULL || strstr(weft_error_last()->detail, "culprit") != NULL,
         of, "the wait does not name the last launch");
  expect(
      strstr(weft_error_last()->message, "innocent") != NULL || strstr(weft_error_last()->detail, "innocent") != NULL,
      of, "the wait does not name the launch before the last");

  // From here on the driver works again; Weft must not.
  expect_lost(weft_context_wait(context), of, "weft_context_wait");
  expect_lost(weft_launch(innocent, WEFT_DIM3(1), WEFT_DIM3(16), x), of, "weft_launch");
  expect_lost(weft_to_host(host, sizeof host, x), of, "weft_to_host");
  expect_lost(weft_fill(x, 1), of, "weft_fill");
  expect_lost(weft_empty(&fresh, context, WEFT_I32, WEFT_SHAPE(4)), of, "weft_empty");
  expect_lost(weft_kernel_create(&late, context, .source = source, .name = "innocent"), of, "weft_kernel_create");
  expect(fresh == NULL && late == NULL, of, "a lost context made something");

  weft_array_release(&x);
  weft_kernel_release(&culprit);
  weft_kernel_release(&innocent);
  expect(weft_context_close(&context) == WEFT_ERROR_LOST && context == NULL, of,
         "weft_context_close does not answer LOST");
  fault_end();
  for (int i = 0; i < FAULT_OBJECT_COUNT; i++) {
    if (record.alive[i] != 0)
      fault_problem("code %d: %ld %s objects left", of->code, record.alive[i], fault_object_name(i));
  }

  // Another context is unaffected.
  expect(weft_context_create(&context) == WEFT_OK && weft_context_wait(context) == WEFT_OK, of,
         "the next context does not work");
  weft_context_release(&context);
}

static void lose_all(void *unused) {
  static const cause causes[] = {
      {-36, 1u << FAULT_WAIT},
      {-9999, 1u << FAULT_WAIT},
      {-36, 1u << FAULT_ENQUEUE | 1u << FAULT_MAP | 1u << FAULT_WAIT},
  };
  (void)unused;
  lose(&causes[0], false);
  lose(&causes[1], false);
  lose(&causes[2], true);
}

int main(void) {
  int status = fault_need_device("fault_lost"), problems;
  if (status != 0) return status;
  problems = fault_child(lose_all, NULL, "fault_lost");
  printf("fault_lost: 3 losses, %d problems\n", problems);
  return problems > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
