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

/// The `call`th wait of a copy between contexts, by the pinned ring, finds one side's device lost. The error names it,
/// and the other side goes on. Returns false if the copy has fewer waits.
static bool lose_a_side(const cause *of, unsigned call, int *sides) {
  enum { COUNT = 150000 };
  static const fault_plan none;
  fault_plan plan = {.call = call, .code = of->code, .kinds = of->kinds};
  weft_context *from = NULL, *to = NULL;
  weft_array *x = NULL, *y = NULL;
  char text[2000];
  fault_begin(&record, &none);
  expect(weft_context_create(&from) == WEFT_OK && weft_context_create(&to) == WEFT_OK, of, "no contexts");
  expect(weft_full(&x, from, WEFT_I32, WEFT_SHAPE(COUNT), 1) == WEFT_OK, of, "no array");
  fault_change(&plan);
  weft_status rc = weft_copy(&y, x, .context = to);
  snprintf(text, sizeof text, "%s%s", weft_error_last()->message, weft_error_last()->detail);
  const bool has_failed = record.failed == 1;
  fault_change(&none);
  bool lost_from = false, lost_to = false;
  if (has_failed) {
    expect(rc == WEFT_ERROR_LOST && y == NULL, of, "the copy does not answer LOST");
    lost_from = weft_context_wait(from) == WEFT_ERROR_LOST;
    lost_to = weft_context_wait(to) == WEFT_ERROR_LOST;
    expect(lost_from != lost_to, of, "not one side is lost");
    expect(strstr(text, lost_from ? "reading it from the context of device" : "writing it to the context of device") !=
               NULL,
           of, "the copy does not name the side that is lost");
    expect(weft_copy(&y, x, .context = to) == WEFT_ERROR_LOST && y == NULL, of, "a copy with a lost side is made");
    weft_context *alive = lost_from ? to : from;
    expect(weft_ones(&y, alive, WEFT_I32, WEFT_SHAPE(4)) == WEFT_OK, of, "the other side does not go on");
    sides[lost_to]++;
  } else {
    expect(rc == WEFT_OK, of, "the copy fails without a loss");
  }
  weft_release(&x, &y);
  expect(weft_context_close(&to) == (lost_to ? WEFT_ERROR_LOST : WEFT_OK), of, "closing the target answers wrongly");
  expect(weft_context_close(&from) == (lost_from ? WEFT_ERROR_LOST : WEFT_OK), of,
         "closing the source answers wrongly");
  fault_end();
  for (int i = 0; i < FAULT_OBJECT_COUNT; i++)
    if (record.alive[i] != 0) fault_problem("copy, wait %u: %ld %s left", call, record.alive[i], fault_object_name(i));
  return has_failed;
}

static void lose_sides(void *unused) {
  static const cause lost = {-36, 1u << FAULT_WAIT};
  int sides[2] = {0};
  unsigned call = 1;
  (void)unused;
  setenv("WEFT_QUIRKS", "stages_slowly", 1);
  while (call < 100 && lose_a_side(&lost, call, sides)) call++;
  expect(sides[0] > 0 && sides[1] > 0, &lost, "only one side of a copy was ever lost");
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
  problems = fault_child(lose_all, NULL, "fault_lost") + fault_child(lose_sides, NULL, "fault_lost");
  printf("fault_lost: 3 losses, and those of a copy's sides, %d problems\n", problems);
  return problems > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
