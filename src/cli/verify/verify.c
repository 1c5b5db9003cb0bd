// SPDX-License-Identifier: MIT
/// `weft verify`: whether two devices give the same bits in reproducible contexts.
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/child.h"
#include "cli/base/options.h"
#include "cli/base/progress.h"
#include "cli/verify/verify.h"

enum { DEVICES = 2, NAME_WIDTH = 40, MOST_CHILDREN = 12 };

/// A row of the output: the calls of one function.
typedef struct task {
  const char *name;
  const verify_row *row; /* NULL: an element-wise function, `id` */
  weft_ufunc_id id;
} task;

typedef struct verification {
  const cli_args *args;
  const char *on;   /* the devices, separated by commas */
  const char *only; /* NULL: all */
  int64_t seed;
  task *task;
  int tasks, children;
  int same, different;
} verification;

/// A child, which makes the calls of the tasks number, number + children, ... on both devices.
typedef struct part {
  const verification *v;
  int number, devices, output;
  verify_run run[DEVICES];
  weft_device_info info[DEVICES];
} part;

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
static void add_difference(weft__text *text, const verify_run *run) {
  const char *a = weft__text_chars(&run[0].bytes), *b = weft__text_chars(&run[1].bytes);
  for (int r = 0; r < run[0].results; r++) {
    const verify_result *result = &run[0].result[r], *other = &run[1].result[r];
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

/// Writes a line of the output to the parent.
static int send(const part *p, weft__text *line) {
  size_t sent = 0;
  weft__text_add(line, "\n");
  if (line->failed) return cli_fail(p->v->args, "not enough memory");
  while (sent < line->length) {
    const ssize_t count = write(p->output, weft__text_chars(line) + sent, line->length - sent);
    if (count < 0 && errno != EINTR) return CLI_FAILED; /* the parent has ended */
    if (count > 0) sent += (size_t)count;
  }
  weft__text_clear(line);
  return CLI_OK;
}

static int report(const part *p, const char *name) {
  weft__text line = {0};
  const weft__text *a = &p->run[0].bytes, *b = &p->run[1].bytes;
  if (a->failed || b->failed) return cli_fail(p->v->args, "not enough memory");
  const bool same = p->devices == 1 || (a->length == b->length && p->run[0].results == p->run[1].results &&
                                        memcmp(weft__text_chars(a), weft__text_chars(b), a->length) == 0);
  const bool is_long = strlen(name) > NAME_WIDTH;
  weft__text_add(&line, "%-9s %-*.*s%s %016" PRIx64,
                 p->devices == 1 ? "computed"
                 : same          ? "same"
                                 : "DIFFERENT",
                 is_long ? NAME_WIDTH - 3 : NAME_WIDTH, is_long ? NAME_WIDTH - 3 : NAME_WIDTH, name,
                 is_long ? "..." : "", hash_of(a));
  if (!same) {
    weft__text_add(&line, "  ");
    add_difference(&line, p->run);
  }
  const int status = send(p, &line);
  weft__text_free(&line);
  return status;
}

/* ---- a child ---- */

/// Makes a task's calls on the devices.
static int compare(part *p, const task *t) {
  for (int d = 0; d < p->devices; d++) {
    verify_run *run = &p->run[d];
    weft__text_clear(&run->bytes);
    run->results = 0;
    if ((t->row ? t->row->call(run) : verify_ufunc(run, t->id)) == WEFT_OK) continue;
    cli_fail(p->v->args, "%s on device %d, %s:", t->name, p->info[d].index, p->info[d].name);
    return cli_report(p->v->args);
  }
  return report(p, t->name);
}

/// Opens a reproducible context on the device that the `length` letters of `selector` name.
static int open_device(part *p, const char *selector, size_t length) {
  char name[256] = "";
  const int d = p->devices++;
  verify_run *run = &p->run[d];
  memcpy(name, selector, length < sizeof name ? length : sizeof name - 1);
  run->seed = (uint64_t)p->v->seed;
  if (weft_context_create(&run->context, .device = name[0] ? name : NULL, .reproducible = true) != WEFT_OK ||
      weft_context_get_device(&p->info[d], run->context) != WEFT_OK || verify_open(run) != WEFT_OK)
    return cli_report(p->v->args);
  return CLI_OK;
}

/// Opens the devices. The first child sends their names.
static int open_devices(part *p) {
  weft__text line = {0};
  int status = CLI_OK;
  const char *on = p->v->on;
  for (size_t length; status == CLI_OK && p->devices < DEVICES; on += length + 1) {
    length = strcspn(on, ",");
    status = open_device(p, on, length);
    if (!on[length]) break;
  }
  for (int d = 0; d < p->devices; d++)
    weft__text_add(&line, "%s %d, %s (%s)", d ? " and" : "device", p->info[d].index, p->info[d].name,
                   p->info[d].driver_version);
  if (status == CLI_OK && p->number == 0) status = send(p, &line);
  weft__text_free(&line);
  return status;
}

static int be_child(int output, const void *of) {
  part p = *(const part *)of;
  p.output = output;
  int status = open_devices(&p);
  for (int k = p.number; status == CLI_OK && k < p.v->tasks; k += p.v->children) status = compare(&p, &p.v->task[k]);
  for (int d = 0; d < p.devices; d++) {
    verify_close(&p.run[d]);
    if (p.run[d].context && weft_context_close(&p.run[d].context) != WEFT_OK && status == CLI_OK)
      status = cli_report(p.v->args);
  }
  return status;
}

/* ---- the parent ---- */

/// Adds the wanted functions to the tasks.
static void find_tasks(verification *v) {
  for (weft_ufunc_id id = 1; weft_ufunc_name(id); id++)
    if (!verify_ufunc_bound(weft_ufunc_name(id)) && is_wanted(v, weft_ufunc_name(id)))
      v->task[v->tasks++] = (task){weft_ufunc_name(id), NULL, id};
  for (const verify_row *row = verify_rows; row->name; row++)
    if (row->call && is_wanted(v, row->name)) v->task[v->tasks++] = (task){row->name, row, 0};
}

typedef struct family {
  child_process process[MOST_CHILDREN];
  FILE *input[MOST_CHILDREN];
  int started;
} family;

/// Prints the next line of a child. False: it has ended.
static bool print_line(verification *v, FILE *input, bool counts) {
  char *line = NULL;
  size_t room = 0;
  const bool is_there = getline(&line, &room, input) > 0;
  if (is_there) {
    cli_print(line);
    cli_flush();
    if (counts) *(line[0] == 'D' ? &v->different : &v->same) += 1;
  }
  free(line);
  return is_there;
}

static int start(family *f, const verification *v) {
  const int k = f->started;
  const part p = {.v = v, .number = k};
  if (!child_start(&f->process[k], &(child){be_child, &p, .messages = STDERR_FILENO}))
    return cli_fail(v->args, "cannot make a process: %s", strerror(errno));
  f->started++;
  f->input[k] = fdopen(f->process[k].descriptor, "r");
  return f->input[k] ? CLI_OK : cli_fail(v->args, "not enough memory");
}

/// Ends the children; `ended`: the one that failed, which has said why if it could.
static int end(family *f, const verification *v, int ended) {
  int status = CLI_OK;
  for (int k = 0; k < f->started; k++) {
    child_end how = {0};
    weft__text why = {0};
    if (ended >= 0 && k != ended) kill(f->process[k].pid, SIGTERM);
    child_wait(&how, &f->process[k]);
    if (f->input[k]) fclose(f->input[k]);
    if (k == ended) status = how.exit_status ? how.exit_status : CLI_FAILED;
    child_describe_end(&why, &how);
    if (k == ended && how.signal) cli_fail(v->args, "%s", weft__text_chars(&why));
    weft__text_free(&why);
  }
  return status;
}

/// Runs the tasks in several processes: the drivers' compilers take most of the time, and use one core of a process.
/// The children after the first one start when that has opened the devices. This process makes no OpenCL call: a driver
/// may hang in the child of one that did.
static int verify_all(verification *v) {
  family f = {0};
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  int ended = -1, status = CLI_OK;
  v->children = MOST_CHILDREN < v->tasks ? MOST_CHILDREN : v->tasks;
  if (v->children > cores) v->children = cores > 1 ? (int)cores : 1;
  while (status == CLI_OK && ended < 0 && f.started < v->children) {
    status = start(&f, v);
    if (status == CLI_OK && f.started == 1 && !print_line(v, f.input[0], false)) ended = 0;
  }
  cli_progress_begin("verify", (uint64_t)v->tasks, "functions");
  for (int k = 0; status == CLI_OK && ended < 0 && k < v->tasks; k++) {
    cli_progress_at((uint64_t)k, v->task[k].name);
    if (!print_line(v, f.input[k % v->children], true)) ended = k % v->children;
  }
  cli_progress_end();
  const int children = end(&f, v, status == CLI_OK ? ended : f.started);
  return status == CLI_OK ? children : status;
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

static int run(const cli_args *args) {
  verification v = {.args = args, .on = cli_value(args, "--on"), .only = cli_value(args, "--only"), .seed = 1};
  const char *device = cli_value(args, "--device"), *comma;
  int most = WEFT_UFUNC_COUNT;
  if (cli_flag(args, "--list")) return list();
  int status = cli_parse_number(&v.seed, args, "--seed", 0, INT64_MAX);
  if (status != CLI_OK) return status;
  if (v.on && device) return cli_usage_error(args, "--on and --device: expected one of them");
  if (!v.on) v.on = device ? device : "";
  comma = strchr(v.on, ',');
  if (comma && strchr(comma + 1, ',')) return cli_usage_error(args, "--on: expected at most two devices");
  for (const verify_row *row = verify_rows; row->name; row++) most++;
  v.task = malloc((size_t)most * sizeof *v.task);
  if (!v.task) return cli_fail(args, "not enough memory");
  find_tasks(&v);
  if (v.tasks == 0) {
    cli_fail(args, "no function of --only %s is known; `weft verify --list` has all", v.only);
    status = CLI_USAGE;
  } else {
    status = verify_all(&v);
  }
  free(v.task);
  if (status == CLI_OK && comma) {
    char line[96];
    snprintf(line, sizeof line, "%d the same, %d different\n", v.same, v.different);
    cli_print(line);
  }
  return status == CLI_OK && v.different ? CLI_FAILED : status;
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
