// SPDX-License-Identifier: MIT
// Proof that the fault injection finds faults: programs that react wrongly when a driver call fails, each of which must
// be detected.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

#include "fault_driver.h"
#include "fault_run.h"
#include "fault_survivors.h"

/// Makes and releases a driver context; a status other than 0 is the failed call's code.
static int use_driver(bool leaks) {
  weft__cl_platform platform;
  weft__cl_device device;
  weft__cl_context context;
  uint32_t count;
  int code = weft__driver->platforms(&platform, 1, &count);
  if (code == 0) code = weft__driver->devices(&device, 1, &count, platform);
  if (code == 0) code = weft__driver->context_create(&context, platform, device);
  if (code != 0) return code;
  code = weft__retain(context);
  if (code == 0) weft__release(context);
  if (!leaks || code == 0) weft__release(context);
  return code;
}

#define BAD(name, leaks, misdeed)          \
  static int name(int argc, char **argv) { \
    (void)argc, (void)argv;                \
    if (use_driver(leaks) == 0) return 0;  \
    misdeed;                               \
    return 1;                              \
  }
BAD(leaks_context, true, )
BAD(goes_on, false, return 0)
BAD(says_nothing, false, )
BAD(crashes, false, raise(SIGSEGV))
BAD(exits, false, exit(3))
BAD(breaks, false, return FAULT_BROKEN)
/// Fails with the status of another mistake.
BAD(tells_of_another, false, if (weft_device_find(NULL, NULL) == WEFT_OK) return 0)

static int sound(int argc, char **argv) {
  weft_context *context = NULL;
  weft_status rc = weft_context_create(&context);
  (void)argc, (void)argv;
  if (rc != WEFT_OK) weft_error_print(stderr);
  fault_leave();
  weft_context_release(&context);
  return rc != WEFT_OK;
}

/// None of its calls pass the fault injection.
static int idles(int argc, char **argv) {
  (void)argc, (void)argv;
  return 0;
}

static const struct {
  fault_program program;
  const char *expected; /* NULL: no problem */
} cases[] = {
    {{.name = "sound", .run = sound}, NULL},
    {{.name = "idles", .run = idles}, "nothing of it was counted"},
    {{.name = "leaks_context", .run = leaks_context, .is_silent = true}, "were not released"},
    {{.name = "goes_on", .run = goes_on, .is_silent = true}, "went on as if nothing"},
    {{.name = "no_status", .run = says_nothing, .is_silent = true}, "failed without a status"},
    {{.name = "says_nothing", .run = says_nothing}, "failed and said nothing"},
    {{.name = "crashes", .run = crashes, .is_silent = true}, "killed by signal"},
    {{.name = "exits", .run = exits, .is_silent = true}, "ended the process"},
    {{.name = "breaks", .run = breaks, .is_silent = true}, "a broken promise"},
    {{.name = "tells_of_another", .run = tells_of_another, .is_silent = true}, "the error does not tell"},
};

int main(void) {
  static const fault_survivor survivors[] = {
      FAULT_SURVIVORS,
      {.function = NULL},
  };
  int failures = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const fault_program programs[] = {cases[i].program, {.name = NULL}};
    const fault_suite suite = {.name = "fault_selftest", .programs = programs, .survivors = survivors};
    char *name[] = {"fault_selftest", NULL};
    static char text[1 << 16];
    FILE *report = tmpfile();
    bool is_found;
    int status;
    size_t length;

    if (report == NULL) return EXIT_FAILURE;
    fault_report_to(report);
    status = fault_main(&suite, 1, name);
    if (status != EXIT_SUCCESS && status != EXIT_FAILURE) return status;
    rewind(report);
    length = fread(text, 1, sizeof text - 1, report);
    text[length] = '\0';
    fclose(report);
    is_found = cases[i].expected == NULL ? status == EXIT_SUCCESS
                                         : status == EXIT_FAILURE && strstr(text, cases[i].expected) != NULL;
    if (is_found) continue;
    failures++;
    printf("FAILED: %s: exit status %d, \"%s\" not told of; this was:\n%s\n", cases[i].program.name, status,
           cases[i].expected != NULL ? cases[i].expected : "nothing", text);
  }
  printf("fault_selftest: %zu programs, %d judged wrongly\n", sizeof cases / sizeof *cases, failures);
  return failures > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
