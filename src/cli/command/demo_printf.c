// SPDX-License-Identifier: MIT
// --device-printf: the four index demos, printed by the device itself. It shows why this is not the default: the device
// chooses the order, and lines beyond the driver's buffer are lost without an error (of 200 000, 43 162 arrive from an
// H200; PoCL garbles a few). Lines are counted here, and missing ones are reported.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/capture.h"
#include "cli/command/demo.h"
#include "cli/base/progress.h"
#include "demo_printf.cl.h"

int demo_printf(const demo_run *run) {
  weft_kernel *kernel = NULL;
  weft__text name = {0}, prefix = {0};
  capture lines;
  bool flat = demo_is_flat(run);
  int status = CLI_FAILED;
  weft__text_add(&name, "print_%s", run->name);
  weft__text_add(&prefix, "%s: %s", run->name, flat ? "" : "(");
  if (name.failed || prefix.failed) {
    cli_fail(run->args, "not enough memory");
    goto done;
  }
  if (weft_kernel_create(&kernel, run->context, .source = demo_printf_source, .name = weft__text_chars(&name)) !=
      WEFT_OK) {
    cli_report(run->args);
    goto done;
  }
  if (!capture_start(&lines, weft__text_chars(&prefix), flat ? "0123456789" : "0123456789, )")) {
    cli_fail(run->args, "cannot count the device's lines: %s", strerror(errno));
    goto done;
  }
  if (!isatty(lines.output)) cli_progress_begin("demo", 0, NULL); /* else the lines are enough */
  weft_status launched = weft_launch(kernel, run->grid, run->block, (uint32_t)!flat);
  if (launched == WEFT_OK) launched = weft_context_wait(run->context);
  cli_progress_end();
  capture_stop(&lines);

  uint64_t blocks = demo_count(run->grid), threads = blocks * demo_count(run->block);
  if (launched != WEFT_OK)
    cli_report(run->args);
  else if (lines.write_error)
    cli_fail(run->args, "cannot write standard output: %s", strerror(lines.write_error));
  else if (lines.lines < threads)
    cli_fail(run->args,
             "%llu of %llu lines were lost or garbled: the driver's printf buffer is small, and a full buffer is "
             "no error.\n"
             "  Without --device-printf every thread's line is printed, in order.",
             (unsigned long long)(threads - lines.lines), (unsigned long long)threads);
  else
    status = CLI_OK;
done:
  weft_kernel_release(&kernel);
  weft__text_free(&name);
  weft__text_free(&prefix);
  return status;
}
