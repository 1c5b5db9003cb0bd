// SPDX-License-Identifier: MIT
/// `weft verify`: whether two devices give the same bits in reproducible contexts.
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/options.h"
#include "cli/base/progress.h"
#include "cli/verify/verify.h"

enum { DEVICES = 2, NAME_WIDTH = 40 };

typedef struct verification {
  const cli_args *args;
  const char *only; /* NULL: all */
  int devices;
  verify_run run[DEVICES];
  weft_device_info info[DEVICES];
  int same, different;
} verification;

/// FNV-1a's hash.
static uint64_t hash_of(const weft__text *bytes) {
  const char *at = weft__text_chars(bytes);
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t k = 0; k < bytes->length; k++) hash = (hash ^ (unsigned char)at[k]) * UINT64_C(0x100000001b3);
  return hash;
}

/// Whether a name of the row "max, min, argmax" is one of the words of --only.
static bool is_wanted(const verification *v, const char *row) {
  for (const char *name = row; v->only && *name; name += strspn(name, ", ")) {
    const size_t length = strcspn(name, ",");
    for (const char *word = v->only; *word; word += strspn(word, ",")) {
      const size_t letters = strcspn(word, ",");
      if (letters == length && memcmp(word, name, length) == 0) return true;
      word += letters;
    }
    name += length;
  }
  return !v->only;
}

/* ---- comparison ---- */

/// Adds where the runs differ first: "result 2 (f32), element 17: 0x3f800000, 0x3f800001".
static void add_difference(weft__text *text, const verification *v) {
  const char *a = weft__text_chars(&v->run[0].bytes), *b = weft__text_chars(&v->run[1].bytes);
  for (int r = 0; r < v->run[0].results; r++) {
    const verify_result *result = &v->run[0].result[r], *other = &v->run[1].result[r];
    const size_t size = weft_dtype_size_bytes(result->dtype);
    if (other->count != result->count || other->dtype != result->dtype) {
      weft__text_add(text, "result %d has %zu elements, %zu", r + 1, result->count, other->count);
      return;
    }
    for (size_t k = 0; k < result->count; k++) {
      const char *x = a + result->offset + k * size, *y = b + result->offset + k * size;
      uint64_t bits[2] = {0, 0};
      if (memcmp(x, y, size) == 0) continue;
      memcpy(&bits[0], x, size);
      memcpy(&bits[1], y, size);
      weft__text_add(text, "result %d (%s), element %zu: 0x%" PRIx64 ", 0x%" PRIx64, r + 1,
                     weft_dtype_name(result->dtype), k, bits[0], bits[1]);
      return;
    }
  }
}

static int report(verification *v, const char *name) {
  weft__text line = {0};
  const weft__text *a = &v->run[0].bytes, *b = &v->run[1].bytes;
  const bool same = v->devices == 1 || (a->length == b->length && v->run[0].results == v->run[1].results &&
                                        memcmp(weft__text_chars(a), weft__text_chars(b), a->length) == 0);
  const bool is_long = strlen(name) > NAME_WIDTH;
  weft__text_add(&line, "%-9s %-*.*s%s %016" PRIx64,
                 v->devices == 1 ? "computed"
                 : same          ? "same"
                                 : "DIFFERENT",
                 is_long ? NAME_WIDTH - 3 : NAME_WIDTH, is_long ? NAME_WIDTH - 3 : NAME_WIDTH, name,
                 is_long ? "..." : "", hash_of(a));
  if (!same) {
    weft__text_add(&line, "  ");
    add_difference(&line, v);
  }
  weft__text_add(&line, "\n");
  if (a->failed || b->failed || line.failed) return cli_fail(v->args, "not enough memory");
  *(same ? &v->same : &v->different) += 1;
  cli_print(weft__text_chars(&line));
  cli_flush();
  weft__text_free(&line);
  return CLI_OK;
}

/// A row's calls on one device; `row` is NULL for an element-wise function.
typedef struct calls {
  verify_run *run;
  const verify_row *row;
  weft_ufunc_id id;
  weft_status status;
} calls;

static void *make_calls(void *data) {
  calls *c = data;
  weft__text_clear(&c->run->bytes);
  c->run->results = 0;
  c->status = c->row ? c->row->call(c->run) : verify_ufunc(c->run, c->id);
  return NULL;
}

/// Makes a row's calls on all devices at the same time, as most of it is the time of the drivers' compilers.
static int verify(verification *v, const char *name, const verify_row *row, weft_ufunc_id id) {
  calls of[DEVICES];
  for (int d = 0; d < v->devices; d++) of[d] = (calls){&v->run[d], row, id, WEFT_OK};
  pthread_t second;
  const bool has_second = v->devices > 1 && pthread_create(&second, NULL, make_calls, &of[1]) == 0;
  make_calls(&of[0]);
  if (has_second) pthread_join(second, NULL);
  /* an error belongs to its thread: what failed in the other one is called again in this one */
  if (v->devices > 1 && (!has_second || of[1].status != WEFT_OK) && of[0].status == WEFT_OK) make_calls(&of[1]);
  for (int d = 0; d < v->devices; d++) {
    if (of[d].status == WEFT_OK) continue;
    cli_fail(v->args, "%s on device %d, %s:", name, v->info[d].index, v->info[d].name);
    return cli_report(v->args);
  }
  return report(v, name);
}

/// Calls `function` for each wanted function; returns their number.
static int for_all(verification *v, int (*function)(verification *, const char *, const verify_row *, weft_ufunc_id),
                   int *status) {
  int done = 0;
  for (weft_ufunc_id id = 1; *status == CLI_OK && weft_ufunc_name(id); id++) {
    const char *name = weft_ufunc_name(id);
    if (verify_ufunc_bound(name) || !is_wanted(v, name)) continue;
    cli_progress_at((uint64_t)done++, name);
    *status = function(v, name, NULL, id);
  }
  for (const verify_row *row = verify_rows; *status == CLI_OK && row->name; row++) {
    if (!row->call || !is_wanted(v, row->name)) continue;
    cli_progress_at((uint64_t)done++, row->name);
    *status = function(v, row->name, row, 0);
  }
  return done;
}

static int count_only(verification *v, const char *name, const verify_row *row, weft_ufunc_id id) {
  (void)v, (void)name, (void)row, (void)id;
  return CLI_OK;
}

static int verify_all(verification *v) {
  int status = CLI_OK;
  const int wanted = for_all(v, count_only, &status);
  if (wanted == 0) {
    cli_fail(v->args, "no function of --only %s is known; `weft verify --list` has all", v->only);
    return CLI_USAGE;
  }
  cli_progress_begin("verify", (uint64_t)wanted, "functions");
  for_all(v, verify, &status);
  cli_progress_end();
  return status;
}

/* ---- the list ---- */

static void add_entry(weft__text *text, const char *name, const char *bound) {
  weft__text_add(text, "| %s | %s |\n", name, bound ? bound : "the same bits everywhere");
}

/// The table of docs/accuracy.md.
static int list(void) {
  weft__text text = {0};
  weft__text_add(&text, "| function | in reproducible contexts |\n|---|---|\n| ");
  for (weft_ufunc_id id = 1; weft_ufunc_name(id); id++)
    if (!verify_ufunc_bound(weft_ufunc_name(id)))
      weft__text_add(&text, "%s%s", id > 1 ? ", " : "", weft_ufunc_name(id));
  weft__text_add(&text, " | the same bits everywhere |\n");
  for (weft_ufunc_id id = 1; weft_ufunc_name(id); id++)
    if (verify_ufunc_bound(weft_ufunc_name(id)))
      add_entry(&text, weft_ufunc_name(id), verify_ufunc_bound(weft_ufunc_name(id)));
  for (const verify_row *row = verify_rows; row->name; row++) add_entry(&text, row->name, row->bound);
  cli_print(weft__text_chars(&text));
  weft__text_free(&text);
  return CLI_OK;
}

/* ---- the command ---- */

/// Opens a reproducible context on the device that the `length` letters of `selector` name.
static int open_device(verification *v, int d, const char *selector, size_t length, int64_t seed) {
  char name[256] = "";
  verify_run *run = &v->run[d];
  memcpy(name, selector, length < sizeof name ? length : sizeof name - 1);
  run->seed = (uint64_t)seed;
  if (weft_context_create(&run->context, .device = name[0] ? name : NULL, .reproducible = true) != WEFT_OK ||
      weft_context_get_device(&v->info[d], run->context) != WEFT_OK || verify_open(run) != WEFT_OK)
    return cli_report(v->args);
  return CLI_OK;
}

static void print_devices(const verification *v) {
  weft__text text = {0};
  for (int d = 0; d < v->devices; d++)
    weft__text_add(&text, "%s %d, %s (%s)", d ? " and" : "device", v->info[d].index, v->info[d].name,
                   v->info[d].driver_version);
  weft__text_add(&text, "\n");
  cli_print(weft__text_chars(&text));
  weft__text_free(&text);
}

static int run(const cli_args *args) {
  verification v = {.args = args, .only = cli_value(args, "--only")};
  const char *on = cli_value(args, "--on"), *device = cli_value(args, "--device");
  int64_t seed = 1;
  if (cli_flag(args, "--list")) return list();
  int status = cli_parse_number(&seed, args, "--seed", 0, INT64_MAX);
  if (status != CLI_OK) return status;
  if (on && device) return cli_usage_error(args, "--on and --device: expected one of them");
  if (!on) on = device ? device : "";
  for (; status == CLI_OK && v.devices < DEVICES; v.devices++) {
    const size_t length = strcspn(on, ",");
    status = open_device(&v, v.devices, on, length, seed);
    on += length;
    if (!*on) {
      v.devices++;
      break;
    }
    on++;
  }
  if (status == CLI_OK) print_devices(&v);
  if (status == CLI_OK) status = verify_all(&v);
  if (status == CLI_OK && v.devices > 1) {
    char line[96];
    snprintf(line, sizeof line, "%d the same, %d different\n", v.same, v.different);
    cli_print(line);
  }
  if (status == CLI_OK && v.different) status = CLI_FAILED;
  for (int d = 0; d < DEVICES; d++) {
    verify_close(&v.run[d]);
    if (v.run[d].context && weft_context_close(&v.run[d].context) != WEFT_OK && status == CLI_OK)
      status = cli_report(args);
  }
  return status;
}

const cli_command cli_verify = {
    .name = "verify",
    .synopsis = "",
    .summary = "Compares the bits of two devices, function by function",
    .description =
        "Makes contexts with .reproducible on two devices (--on gpu,cpu), calls every function that promises the same\n"
        "bits there with the same operands, and compares all bits of the results; any NaN equals any other. A line "
        "per\n"
        "function has a hash of the first device's results: with one device, or none named, the lines of two machines\n"
        "can be compared. Exit status 1: a difference, or a failure. The first run on a machine takes minutes: the\n"
        "drivers compile the kernels of all functions.\n",
    .options = (const cli_option[]){{"--on", "SEL,SEL", "the two devices, each as in --device"},
                                    {"--only", "NAME,NAME", "these functions"},
                                    {"--seed", "N", "other operands (default: 1)"},
                                    {"--list", NULL, "prints all functions, and what they promise"},
                                    {NULL, NULL, NULL}},
    .run = run,
};
