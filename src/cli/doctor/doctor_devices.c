// SPDX-License-Identifier: MIT
// Each device, in a process of its own: a context opens, a kernel builds and runs, weft_add is right, memory is copied.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/secure.h"
#include "cli/doctor/doctor.h"

enum {
  STEP_SECONDS = 300, /* PoCL builds Weft's core program for seconds, with an empty cache */
  NUMBERS = 1024,     /* 4 KiB, from which size on WEFT_CHUNK is read */
  COPY_BYTES = 16 << 20,
};

/* ---- the child ----
   It sends records of three strings, zero-terminated: the step, "begin", "ok" or "failed", and a text. A step that
   failed sends "cause" too. */

typedef struct order {
  int index;
  const icd_folder *folder; /* NULL: the usual drivers */
} order;

typedef struct trial {
  FILE *out;
  const char *step;
  weft_context *context;
  char device[16];
  char source[160];
} trial;

static void send(const trial *t, const char *kind, const char *text) {
  const char *strings[] = {t->step, kind, text};
  for (int i = 0; i < 3; i++) fwrite(strings[i], 1, strlen(strings[i]) + 1, t->out);
  fflush(t->out); /* the next call may kill the process */
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void add_time(weft__text *text, double seconds) {
  if (seconds < 1)
    weft__text_add(text, "%.1f ms", 1e3 * seconds);
  else
    weft__text_add(text, "%.1f s", seconds);
}

static weft_status open_context(trial *t, weft__text *text) {
  double start = seconds_now();
  weft_status status = weft_context_create(&t->context, .device = t->device);
  weft__text_add(text, "opens in ");
  add_time(text, seconds_now() - start);
  return status;
}

static weft_status build(trial *t, double *seconds) {
  weft_kernel *kernel = NULL;
  double start = seconds_now();
  weft_status status = weft_kernel_create(&kernel, t->context, .source = t->source, .source_name = "doctor.cl");
  if (status == WEFT_OK) status = weft_launch(kernel, WEFT_DIM3(1), WEFT_DIM3(1), (uint32_t)1);
  if (status == WEFT_OK) status = weft_context_wait(t->context); /* PoCL compiles at the first launch */
  *seconds = seconds_now() - start;
  weft_release(&kernel);
  return status;
}

/// Builds a kernel that no cache has, then again in a second context, where only the driver's cache has it.
static weft_status build_kernel(trial *t, weft__text *text) {
  double cold = 0, warm = 0;
  snprintf(t->source, sizeof t->source, "__kernel void doctor(uint n) { if (n == %uu) n /= n - %uu; } /* %ld %.9f */\n",
           (unsigned)getpid(), (unsigned)getpid(), (long)time(NULL), seconds_now());
  weft_status status = build(t, &cold);
  if (status == WEFT_OK) status = weft_context_close(&t->context);
  if (status == WEFT_OK) status = weft_context_create(&t->context, .device = t->device);
  if (status == WEFT_OK) status = build(t, &warm);
  if (status != WEFT_OK) return status;
  weft__text_add(text, "builds and runs in ");
  add_time(text, cold);
  weft__text_add(text, ", again in ");
  add_time(text, warm);
  return status;
}

static weft_status add_numbers(trial *t, weft__text *text) {
  float numbers[NUMBERS], sums[NUMBERS];
  weft_array *x = NULL, *y = NULL;
  int wrong = 0;
  for (int i = 0; i < NUMBERS; i++) numbers[i] = 0.25f * (float)i;
  weft_status status = weft_from_host(&x, t->context, WEFT_F32, WEFT_SHAPE(NUMBERS), numbers);
  if (status == WEFT_OK) status = weft_add(&y, x, WEFT_HOST(numbers, WEFT_F32, WEFT_SHAPE(NUMBERS)));
  if (status == WEFT_OK) status = weft_to_host(sums, sizeof sums, y);
  for (int i = 0; i < NUMBERS && status == WEFT_OK; i++) wrong += sums[i] != 0.5f * (float)i;
  weft_release(&x, &y);
  if (wrong)
    weft__text_add(text, "!%d of %d sums of weft_add are wrong", wrong, NUMBERS);
  else
    weft__text_add(text, "weft_add of %d numbers is right", NUMBERS);
  return status;
}

static weft_status copy_memory(trial *t, weft__text *text) {
  weft_array *x = NULL;
  unsigned char *bytes = malloc(COPY_BYTES), *back = calloc(1, COPY_BYTES);
  weft_status status = WEFT_OK;
  double start = 0, seconds = 0;
  if (!bytes || !back) {
    weft__text_add(text, "!the host has no memory for the test");
    goto done;
  }
  for (size_t i = 0; i < COPY_BYTES; i++) bytes[i] = (unsigned char)(i * 2654435761u >> 13);
  start = seconds_now();
  status = weft_from_host(&x, t->context, WEFT_U8, WEFT_SHAPE(COPY_BYTES), bytes);
  if (status == WEFT_OK) status = weft_to_host(back, COPY_BYTES, x);
  seconds = seconds_now() - start;
  if (status == WEFT_OK && memcmp(bytes, back, COPY_BYTES) != 0)
    weft__text_add(text, "!memory that was copied to the device and back differs");
  weft__text_add_size(text, COPY_BYTES);
  weft__text_add(text, " to the device and back, %.1f GB/s", 2e-9 * COPY_BYTES / seconds);
done:
  weft_release(&x);
  free(bytes);
  free(back);
  return status;
}

static const struct {
  const char *name;
  weft_status (*run)(trial *t, weft__text *text); /* a text that begins with ! names a wrong result */
} steps[] = {
    {"  context", open_context}, {"  kernel", build_kernel}, {"  add", add_numbers}, {"  memory", copy_memory}};
enum { STEPS = sizeof steps / sizeof *steps };

/// The lines of a build log that name errors; else its first line.
static void send_cause(const trial *t, const char *detail) {
  weft__text cause = {0};
  int lines = 0;
  const char *log = strstr(detail, "log:\n");
  for (const char *at = log ? log + 5 : detail; *at && lines < 3;) {
    size_t length = strcspn(at, "\n");
    char line[301];
    snprintf(line, sizeof line, "%.*s", (int)length, at);
    if (strstr(line, "error")) weft__text_add(&cause, "%s%s", lines++ ? "\n" : "", line);
    at += length + (at[length] == '\n');
  }
  if (lines) send(t, "cause", weft__text_chars(&cause));
  weft__text_free(&cause);
}

/// Runs a step. A wrong variable of Weft's is reported, and removed, so that the rest can be checked.
static bool run_step(trial *t, int i) {
  for (;;) {
    weft__text text = {0};
    t->step = steps[i].name;
    send(t, "begin", "");
    weft_status status = steps[i].run(t, &text);
    const weft_error *error = weft_error_last();
    const bool fine = status == WEFT_OK && *weft__text_chars(&text) != '!';
    if (fine) send(t, "ok", weft__text_chars(&text));
    if (status == WEFT_OK && !fine) send(t, "failed", weft__text_chars(&text) + 1);
    weft__text_free(&text);
    if (status == WEFT_OK) return fine;
    if (status == WEFT_ERROR_ARGUMENT && strncmp(error->argument, "WEFT_", 5) == 0 &&
        weft__getenv_filled(error->argument)) {
      char name[64];
      snprintf(name, sizeof name, "%s", error->argument);
      t->step = name;
      send(t, "variable", error->message);
      unsetenv(name);
      continue;
    }
    send(t, "failed", error->message);
    send_cause(t, error->detail);
    return false;
  }
}

static int try_device(int descriptor, const void *of) {
  const order *o = of;
  trial t = {.out = fdopen(descriptor, "w")};
  bool fine = t.out != NULL;
  if (o->folder) icd_folder_enter(o->folder);
  snprintf(t.device, sizeof t.device, "%d", o->index);
  for (int i = 0; i < STEPS && fine; i++) fine = run_step(&t, i);
  if (t.context && weft_context_close(&t.context) != WEFT_OK) fine = false;
  return fine ? CLI_OK : CLI_FAILED;
}

/* ---- the parent ---- */

static const char *take(const weft__text *bytes, size_t *at) {
  const char *start = weft__text_chars(bytes) + *at;
  const char *end = *at < bytes->length ? memchr(start, 0, bytes->length - *at) : NULL;
  if (!end) return NULL;
  *at += (size_t)(end + 1 - start);
  return start;
}

/// What mends a kernel that does not build.
static void fix_build(doctor *d, const weft_device_info *info, const char *why) {
  const bool is_pocl = strstr(info->platform, "Portable Computing Language") != NULL;
  if (is_pocl && (strstr(why, "\"ld\"") || strstr(why, "linker") || strstr(why, "Executable")))
    doctor_fix_by_package(d, DOCTOR_LINKER, false);
  else if (is_pocl)
    doctor_fix_by_package(d, DOCTOR_POCL, true);
  else if (strstr(info->platform, "NVIDIA") && doctor_in_container())
    doctor_fix_by_container(d);
  else if (strstr(info->platform, "NVIDIA"))
    doctor_fix_by_package(d, DOCTOR_NVIDIA, true);
}

/// The name of a step, whose string the child's record does not outlive.
static const char *step_named(const char *name) {
  for (int i = 0; i < STEPS; i++)
    if (strcmp(steps[i].name, name) == 0) return steps[i].name;
  return "  device";
}

/// Adds a row for each step. True if all succeeded.
static bool report(doctor *d, const weft__text *bytes, const child_end *end, const weft_device_info *info,
                   const char *message) {
  const char *step, *begun = "  context";
  bool failed = false, open = true;
  for (size_t at = 0; (step = take(bytes, &at));) {
    const char *kind = take(bytes, &at), *text = kind ? take(bytes, &at) : NULL;
    if (!text) break;
    open = strcmp(kind, "begin") == 0;
    if (open) {
      begun = step_named(step);
    } else if (strcmp(kind, "ok") == 0) {
      doctor_add(d, begun, DOCTOR_OK, "%s", text);
    } else if (strcmp(kind, "variable") == 0) {
      doctor_add(d, "environment", DOCTOR_FAILED, "%s", text);
      doctor_fix(d, "unset %s", step);
    } else if (strcmp(kind, "cause") == 0) {
      doctor_cause(d, "%s", text);
      fix_build(d, info, text);
    } else {
      failed = true;
      doctor_add(d, begun, DOCTOR_FAILED, "%.*s", (int)strcspn(text, "\n"), text);
    }
  }
  if (end->answered || (failed && !end->signal)) return !failed;
  weft__text how = {0};
  child_describe_end(&how, end);
  doctor_add(d, begun, DOCTOR_FAILED, "the driver fails in this step: %s", weft__text_chars(&how));
  if (*message) doctor_cause(d, "%s", message);
  fix_build(d, info, message);
  weft__text_free(&how);
  return false;
}

static void check_device(doctor *d, const weft_device_info *info, const icd_folder *folder) {
  weft__text bytes = {0}, memory = {0};
  child_end end;
  char message[301];
  const order o = {info->index, folder};
  FILE *messages = tmpfile();
  weft__text_add_size(&memory, info->memory_size_bytes);
  /* "OpenCL 3.0 CUDA 13.0.98": the text after the number is the vendor's, and long */
  const char *version = info->opencl_version;
  const size_t prefix = strlen("OpenCL "), length = strlen(version);
  const int shown = (int)(length > prefix ? prefix + strcspn(version + prefix, " ") : length);
  doctor_add(d, "device", DOCTOR_OK, "%d: %s (%s): %.*s, driver %s, %s, fp64 %s, fp16 %s", info->index, info->name,
             weft_device_type_name(info->type), shown, version, info->driver_version, weft__text_chars(&memory),
             info->has_fp64 ? "yes" : "no", info->has_fp16 ? "yes" : "no");
  d->tried++;
  const bool made = child_run(
      &bytes, &end, &(child){try_device, &o, .seconds = STEP_SECONDS, .messages = messages ? fileno(messages) : -1});
  doctor_message(message, sizeof message, messages);
  if (!made)
    doctor_add(d, "  context", DOCTOR_FAILED, "no child process can be made: %s", strerror(errno));
  else
    d->working += report(d, &bytes, &end, info, message);
  weft__text_free(&bytes);
  weft__text_free(&memory);
}

void doctor_check_devices(doctor *d) {
  const char *selector = cli_value(d->args, "--device"), *variable = weft__getenv_filled("WEFT_DEVICE");
  icd_folder folder = {.path = ""};
  const bool apart = d->kills && icd_folder_make(&folder, &d->drivers);
  for (int i = 0; i < d->listing.count; i++)
    if (!selector || i == d->listing.used) check_device(d, &d->listing.devices[i], apart ? &folder : NULL);
  if (*d->listing.error && d->listing.count > 0) {
    doctor_add(d, "choice", DOCTOR_FAILED, "%.*s", (int)strcspn(d->listing.error, "\n"), d->listing.error);
    if (!selector && variable) doctor_fix(d, "unset WEFT_DEVICE  # or name one of these devices in it");
  } else if (d->listing.used >= 0) {
    const bool is_named = !selector && variable;
    doctor_add(d, "choice", DOCTOR_OK, "programs use device %d: %s%s", d->listing.used,
               selector   ? "--device names it"
               : is_named ? "WEFT_DEVICE="
                          : "the best one; WEFT_DEVICE is not set",
               is_named ? variable : "");
  }
  icd_folder_remove(&folder);
}
