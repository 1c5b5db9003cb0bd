// SPDX-License-Identifier: MIT
// The beginning and end of every subcommand: opening a context, and reporting errors.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/base/options.h"
#include "cli/base/progress.h"

void cli_complain(const cli_args *args, const char *format, va_list list) {
  weft__text text = {0};
  cli_progress_end();
  weft__text_add_va(&text, format, list);
  weft__text_clean(&text, true);
  fprintf(stderr, "weft %s: %s\n", args->command->name, weft__text_chars(&text));
  weft__text_free(&text);
}

int cli_fail(const cli_args *args, const char *format, ...) {
  va_list list;
  va_start(list, format);
  cli_complain(args, format, list);
  va_end(list);
  return CLI_FAILED;
}

void cli_advise_install(void) {
  fputs(
      "  For the CPU install PoCL (Debian, Ubuntu: apt install pocl-opencl-icd); for an NVIDIA GPU install NVIDIA's "
      "driver with its\n"
      "  OpenCL part (Debian: apt install nvidia-opencl-icd), for an Intel GPU intel-opencl-icd, for an AMD GPU "
      "mesa-opencl-icd.\n"
      "  `weft doctor` checks what is there and names what is missing.\n",
      stderr);
}

int cli_report(const cli_args *args) {
  const weft_error *error = weft_error_last();
  cli_fail(args, "%s", *error->message ? error->message : weft_status_name(error->status));
  if (error->cl_code && !strstr(error->message, error->cl_name))
    fprintf(stderr, "  the driver returned %s (%d)\n", error->cl_name, error->cl_code);
  if (*error->detail)
    fprintf(stderr, "%s%s", error->detail, error->detail[strlen(error->detail) - 1] == '\n' ? "" : "\n");
  int count;
  if (error->status == WEFT_ERROR_NO_DEVICE && weft_device_count(&count) == WEFT_OK && count == 0) cli_advise_install();
  return CLI_FAILED;
}

/* ---- files ---- */

static int fail_file(const cli_args *args, const weft__new_file *file, const char *path, int why) {
  return cli_fail(args, "cannot %s '%s': %s", file->step, path, weft__file_error(why));
}

int cli_write_file(const cli_args *args, const char *path, const weft__text *content) {
  weft__new_file file;
  int why = weft__new_file_begin(&file, AT_FDCWD, path, WEFT__ANY_FILE);
  if (why == 0) why = weft__new_file_write(&file, weft__text_chars(content), content->length);
  if (why == 0) why = weft__new_file_end(&file, true);
  weft__new_file_drop(&file);
  return why ? fail_file(args, &file, path, why) : CLI_OK;
}

int cli_check_file(const cli_args *args, const char *path) {
  struct stat about;
  weft__new_file file;
  if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) return cli_fail(args, "'%s' is a directory", path);
  int why = weft__new_file_begin(&file, AT_FDCWD, path, WEFT__FILES_ONLY); /* opening a pipe could block */
  weft__new_file_drop(&file);
  return why && why != WEFT__NOT_A_FILE ? fail_file(args, &file, path, why) : CLI_OK;
}

/* ---- standard output ---- */

static int output_error; /* errno of the first write that failed */

static void note_output(bool failed) {
  if (failed && !output_error) output_error = errno ? errno : EIO;
}

void cli_print(const char *text) {
  cli_progress_before_output();
  errno = 0;
  note_output(fputs(text, stdout) == EOF);
}

void cli_flush(void) {
  errno = 0;
  note_output(fflush(stdout) != 0);
}

bool cli_output_failed(void) {
  return output_error != 0;
}

int cli_finish(int status) {
  cli_progress_end();
  bool failed_before = ferror(stdout) != 0;
  errno = 0;
  bool failed = fclose(stdout) != 0;
  note_output(failed || failed_before);
  if (!output_error) return status;
  /* A reader that has enough, such as head, needs no message. */
  if (output_error != EPIPE) fprintf(stderr, "weft: cannot write standard output: %s\n", strerror(output_error));
  return status == CLI_OK ? CLI_FAILED : status;
}

/* ---- a driver that kills the process while a device is opened ---- */

static const int fatal_signals[] = {SIGABRT, SIGSEGV, SIGILL, SIGBUS, SIGFPE};
enum { FATAL_SIGNALS = sizeof fatal_signals / sizeof *fatal_signals };

/// Runs once (SA_RESETHAND), prints a hint, and lets the signal take its normal effect. Only write() is safe here.
static void on_fatal_signal(int number) {
  static const char hint[] =
      "weft: an OpenCL driver killed the process while the device was opened; `weft devices` finds out which one.\n";
  cli_progress_erase_in_handler();
  ssize_t ignored = write(STDERR_FILENO, hint, sizeof hint - 1);
  (void)ignored;
  raise(number);
}

static void guard_begin(struct sigaction *before) {
  struct sigaction ours = {.sa_handler = on_fatal_signal, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&ours.sa_mask);
  for (int i = 0; i < FATAL_SIGNALS; i++) sigaction(fatal_signals[i], &ours, &before[i]);
}

static void guard_end(const struct sigaction *before) {
  for (int i = 0; i < FATAL_SIGNALS; i++) {
    /* Handlers that a driver installed stay. */
    struct sigaction now;
    if (sigaction(fatal_signals[i], NULL, &now) == 0 && now.sa_handler == on_fatal_signal)
      sigaction(fatal_signals[i], &before[i], NULL);
  }
}

weft_status cli_find_device(weft_device_info *info, const cli_args *args) {
  struct sigaction before[FATAL_SIGNALS];
  const char *selector = cli_value(args, "--device");
  int index;
  cli_progress_begin("looking for devices", 0, NULL);
  guard_begin(before);
  weft_status status = selector ? weft_device_find(&index, selector) : weft_device_used(&index);
  if (status == WEFT_OK) status = weft_device_get(info, index);
  guard_end(before);
  cli_progress_end();
  if (status != WEFT_OK) cli_report(args);
  return status;
}

weft_status cli_open_on(weft_context **context, const cli_args *args, const char *selector, bool profiling) {
  struct sigaction before[FATAL_SIGNALS];
  cli_progress_begin("opening the device", 0, NULL); /* a driver's first start builds the core kernels */
  guard_begin(before);
  weft_status status = weft_context_create(context, .device = selector, .profiling = profiling);
  guard_end(before);
  cli_progress_end();
  if (status != WEFT_OK) cli_report(args);
  return status;
}

weft_status cli_open(weft_context **context, const cli_args *args) {
  return cli_open_on(context, args, cli_value(args, "--device"), false);
}
