// SPDX-License-Identifier: MIT
/// `weft doctor`: checks everything that Weft needs on this machine, and names the command that mends what is missing.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/doctor/doctor.h"

static const char *const state_names[] = {"ok", "-", "warning", "failed"};
static const char *const json_states[] = {"ok", "not applicable", "warning", "failed"};

/// Width of the columns of checks and states.
enum { CHECK_WIDTH = 13, STATE_WIDTH = 9 };

/* ---- the report ---- */

static void row_free(doctor_row *row) {
  weft__text_free(&row->text);
  weft__text_free(&row->cause);
  weft__text_free(&row->fix);
  *row = (doctor_row){0};
}

/// Adds the lines of `text` to `out`, each behind the columns and `title`.
static void add_lines(weft__text *out, const char *title, const weft__text *text) {
  for (const char *line = weft__text_chars(text); *line;) {
    size_t length = strcspn(line, "\n");
    weft__text_fill(out, ' ', CHECK_WIDTH + STATE_WIDTH);
    weft__text_add(out, "%s", title);
    weft__text_add_bytes(out, line, length);
    weft__text_add(out, "\n");
    line += length + (line[length] == '\n');
  }
}

static void print_row(const doctor_row *row) {
  weft__text out = {0};
  weft__text_add(&out, "%-*s%-*s%s\n", CHECK_WIDTH, row->check, STATE_WIDTH, state_names[row->state],
                 weft__text_chars(&row->text));
  add_lines(&out, "cause: ", &row->cause);
  add_lines(&out, "fix:   ", &row->fix);
  weft__text_clean(&out, true);
  cli_print(weft__text_chars(&out));
  cli_flush(); /* a later check may take seconds */
  weft__text_free(&out);
}

static void add_json_lines(weft__text *json, const char *key, const weft__text *text) {
  weft__text line = {0};
  weft__text_add(json, ", \"%s\": [", key);
  const char *at = weft__text_chars(text);
  for (bool first = true; *at; first = false) {
    size_t length = strcspn(at, "\n");
    weft__text_clear(&line);
    weft__text_add_bytes(&line, at, length);
    if (!first) weft__text_add(json, ", ");
    weft__text_add_json(json, weft__text_chars(&line));
    at += length + (at[length] == '\n');
  }
  weft__text_add(json, "]");
  weft__text_free(&line);
}

static void add_json_row(weft__text *json, const doctor_row *row) {
  weft__text_add(json, "%s\n    {\"check\": ", json->length ? "," : "");
  weft__text_add_json(json, row->check + strspn(row->check, " "));
  weft__text_add(json, ", \"state\": \"%s\", \"text\": ", json_states[row->state]);
  weft__text_add_json(json, weft__text_chars(&row->text));
  add_json_lines(json, "cause", &row->cause);
  add_json_lines(json, "fix", &row->fix);
  weft__text_add(json, "}");
}

/// Prints the last row and counts it.
static void end_row(doctor *d) {
  if (!d->row.check) return;
  if (cli_flag(d->args, "--json"))
    add_json_row(&d->json, &d->row);
  else
    print_row(&d->row);
  d->warnings += d->row.state == DOCTOR_WARNING;
  d->failures += d->row.state == DOCTOR_FAILED;
  if (d->row.state >= DOCTOR_WARNING && d->row.state > d->worst.state) {
    row_free(&d->worst);
    d->worst = d->row;
    d->row = (doctor_row){0};
  }
  row_free(&d->row);
}

void doctor_add(doctor *d, const char *check, doctor_state state, const char *format, ...) {
  va_list list;
  end_row(d);
  d->row = (doctor_row){.check = check, .state = state};
  va_start(list, format);
  weft__text_add_va(&d->row.text, format, list);
  va_end(list);
}

void doctor_cause(doctor *d, const char *format, ...) {
  va_list list;
  va_start(list, format);
  if (d->row.cause.length) weft__text_add(&d->row.cause, "\n");
  weft__text_add_va(&d->row.cause, format, list);
  va_end(list);
}

void doctor_fix(doctor *d, const char *format, ...) {
  va_list list;
  va_start(list, format);
  if (d->row.fix.length) weft__text_add(&d->row.fix, "\n");
  weft__text_add_va(&d->row.fix, format, list);
  va_end(list);
}

/* ---- the run ---- */

static void check_versions(doctor *d) {
  if (strcmp(weft_version(), WEFT_VERSION_STRING) == 0) {
    doctor_add(d, "weft", DOCTOR_OK, "command and library have version %s", weft_version());
    return;
  }
  doctor_add(d, "weft", DOCTOR_FAILED, "the command has version %s, the library %s", WEFT_VERSION_STRING,
             weft_version());
  doctor_cause(d, "the command finds the library of another installation");
  doctor_fix(d, "install both from one build, and see that LD_LIBRARY_PATH names no other libweft.so");
}

static void write_verdict(weft__text *text, const doctor *d) {
  weft__text first = {0};
  if (d->tried == 0)
    weft__text_add(text, "Weft finds no %s.", d->listing.count ? "such device" : "device on this machine");
  else
    weft__text_add(text, "Weft works on %d of %d device%s%s.", d->working, d->tried, d->tried == 1 ? "" : "s",
                   d->kills ? ", without the driver that fails" : "");
  const char *fix = weft__text_chars(&d->worst.fix);
  if (d->worst.state >= DOCTOR_WARNING) {
    weft__text_add_bytes(&first, fix, strcspn(fix, "\n"));
    weft__text_add(text, " %s (%s): %s", d->worst.state == DOCTOR_FAILED ? "Do first" : "Look at",
                   d->worst.check + strspn(d->worst.check, " "),
                   first.length ? weft__text_chars(&first) : weft__text_chars(&d->worst.text));
  }
  weft__text_free(&first);
}

static int run(const cli_args *args) {
  doctor d = {.args = args, .listing = {.used = -1, .error = ""}};
  weft__text verdict = {0}, json = {0};
  check_versions(&d);
  doctor_check_variables(&d);
  doctor_check_loader(&d);
  doctor_check_files(&d);
  doctor_check_system(&d);
  doctor_check_nvidia(&d);
  doctor_check_access(&d);
  doctor_check_caches(&d);
  doctor_check_drivers(&d);
  doctor_check_devices(&d);
  doctor_check_cuda(&d);
  doctor_check_engines(&d);
  end_row(&d);
  write_verdict(&verdict, &d);
  int status = d.failures || d.working == 0 ? CLI_FAILED : CLI_OK;
  if (cli_flag(args, "--json")) {
    weft__text_add(&json, "{\n  \"checks\": [%s\n  ],\n  \"devices\": %d, \"working\": %d,\n  \"verdict\": ",
                   weft__text_chars(&d.json), d.tried, d.working);
    weft__text_add_json(&json, weft__text_chars(&verdict));
    weft__text_add(&json, "\n}\n");
  } else {
    weft__text_clean(&verdict, true);
    weft__text_add(&json, "\n%s\n", weft__text_chars(&verdict));
  }
  if (json.failed || d.json.failed || verdict.failed)
    status = cli_fail(args, "not enough memory");
  else
    cli_print(weft__text_chars(&json));
  weft__text_free(&json);
  weft__text_free(&verdict);
  weft__text_free(&d.json);
  row_free(&d.worst);
  probe_free(&d.listing);
  icd_free(&d.drivers);
  return status;
}

static const cli_option options[] = {{"--json", NULL, "prints JSON"}, {0}};

const cli_command cli_doctor = {
    .name = "doctor",
    .synopsis = "",
    .summary = "Checks what Weft needs on this machine, and names the command that mends what is missing",
    .description =
        "Checks the versions, the environment, the OpenCL loader, the drivers (each in a process of its own, because "
        "drivers may\n"
        "crash), the device files and their permissions, the caches for compiled kernels, and then each device: a "
        "context opens,\n"
        "a kernel builds and runs, weft_add is right, memory is copied. --device: only this device is tried. Last come "
        "the\n"
        "sharing of memory with CUDA, and engines: libraries such as OpenBLAS that Weft uses where they are\n"
        "installed. Each is tried in a process of its own.\n"
        "\n"
        "States: ok; - (nothing to check on this machine); warning; failed. Under a warning or a failure is the cause, "
        "and the\n"
        "line that mends it. The exit status is 0 if at least one device works and no check failed, 1 otherwise; "
        "warnings do\n"
        "not count.\n",
    .options = options,
    .run = run,
};
