// SPDX-License-Identifier: MIT
/// The driver of a program that fails if a compiler says anything of Weft's own kernels: they are built with the
/// warnings that the library switches off. With WEFT_TEST_PLANTED each text has a macro with two values.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ocl/driver.h"

static weft__driver_table table;
const weft__driver_table *const weft__driver = &table;
static int builds, said;

static void check(void) {
  if (builds == 0) fprintf(stderr, "quiet: nothing was built\n");
  if (said == 0 && builds > 0) return;
  fflush(NULL);
  _exit(EXIT_FAILURE);
}

/// Whether the log has a line that is not about the processor: its way to pass vectors, loops that it does not unroll.
static bool says(const char *log) {
  static const char *const passed[] = {"changes the ABI", "loop not unrolled"};
  for (const char *line = log; line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
    const size_t length = strcspn(line, "\n");
    bool is_passed = strspn(line, " \t\r") >= length;
    for (size_t k = 0; k < sizeof passed / sizeof *passed; k++) {
      const char *at = strstr(line, passed[k]);
      is_passed = is_passed || (at && at < line + length);
    }
    if (!is_passed) return true;
  }
  return false;
}

static int create(weft__cl_program *out, weft__cl_context context, const char *text) {
  static const char planted[] = "#define WEFT_PLANTED 1\n#define WEFT_PLANTED 2\n";
  if (!getenv("WEFT_TEST_PLANTED")) return weft__opencl.program_create(out, context, text);
  char *longer = malloc(sizeof planted + strlen(text));
  if (!longer) return weft__opencl.program_create(out, context, text);
  strcat(strcpy(longer, planted), text);
  const int code = weft__opencl.program_create(out, context, longer);
  free(longer);
  return code;
}

static int build(weft__cl_program program, weft__cl_device device, const char *options) {
  static const char fast[] = "-cl-opt-disable "; /* warnings come before the optimiser, which takes most of the time */
  char *log = NULL, *warning = malloc(sizeof fast + strlen(options)),
       *off = warning ? strstr(strcat(strcpy(warning, fast), options), " -w ") : NULL;
  if (!off) {
    fprintf(stderr, "quiet: `%s` does not have -w, or there is no memory\n", options);
    exit(EXIT_FAILURE);
  }
  memset(off, ' ', strlen(" -w "));
  const int code = weft__opencl.program_build(program, device, warning);
  builds++;
  weft__driver_text(&log, &(weft__text_of){.kind = WEFT__TEXT_BUILD_LOG, .program = program, .device = device});
  if (says(log)) {
    said++;
    fprintf(stderr, "quiet: a build with `%s` says\n%s\n", warning, log);
  }
  free(log);
  free(warning);
  return code;
}

__attribute__((constructor)) static void fill(void) {
  table = weft__opencl;
  table.program_create = create;
  table.program_build = build;
  atexit(check);
}
