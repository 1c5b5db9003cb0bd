// SPDX-License-Identifier: MIT
// The demo empty: a kernel that does nothing, launched as large as asked. It prints only after the device has finished,
// because the launch itself only enqueues.
#include <time.h>

#include "cli/command/demo.h"
#include "cli/base/options.h"
#include "cli/base/progress.h"

static const char source[] = "__kernel void empty(void) {}\n";

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void add_dim3(weft__text *text, weft_dim3 dim) {
  weft__text_add(text, "%llu", (unsigned long long)dim.x);
  if (dim.y > 1 || dim.z > 1) weft__text_add(text, "x%llu", (unsigned long long)dim.y);
  if (dim.z > 1) weft__text_add(text, "x%llu", (unsigned long long)dim.z);
}

int demo_empty(const demo_run *run) {
  weft_kernel *kernel = NULL;
  weft__text text = {0};
  int status = CLI_FAILED;
  cli_progress_begin("demo empty", 0, NULL);
  if (weft_kernel_create(&kernel, run->context, .source = source, .name = "empty") != WEFT_OK) goto failed;
  double start = seconds_now();
  if (weft_launch(kernel, run->grid, run->block) != WEFT_OK) goto failed;
  if (weft_context_wait(run->context) != WEFT_OK) goto failed;
  double seconds = seconds_now() - start;
  cli_progress_end();

  if (cli_flag(run->args, "--json")) {
    weft__text_add(&text, "{");
    demo_add_json(&text, run);
    weft__text_add(&text, ", \"time_ns\": %.0f}\n", 1e9 * seconds);
  } else {
    weft__text_add(&text, "Running Success!\n");
    weft__text_add(&text, seconds < 1 ? "%.3f ms" : "%.3f s", seconds < 1 ? 1e3 * seconds : seconds);
    weft__text_add(&text, " from launch to finish: grid ");
    add_dim3(&text, run->grid);
    weft__text_add(&text, ", block ");
    add_dim3(&text, run->block);
    weft__text_add(&text, ", on %s\n", run->device.name);
  }
  cli_print(weft__text_chars(&text));
  status = CLI_OK;
  goto done;
failed:
  status = cli_report(run->args);
done:
  weft_kernel_release(&kernel);
  weft__text_free(&text);
  return status;
}
