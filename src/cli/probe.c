// SPDX-License-Identifier: MIT
#include "cli/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/options.h"

/// Longer than any driver takes to start. A driver that hangs counts as failed.
enum { ANSWER_SECONDS = 30 };

/* ---- the listing on the pipe ----
   Parent and child are the same executable, so the struct is sent unchanged; its strings follow, zero-terminated. */

typedef struct head {
  int32_t count, used;
} head;

static const char last_word[] = "weft: end of list";

/// The strings of a device, in the order in which they are sent.
static const char **string_of(weft_device_info *info, int i) {
  const char **strings[] = {&info->name, &info->vendor, &info->platform, &info->opencl_version, &info->driver_version};
  return i < (int)(sizeof strings / sizeof *strings) ? strings[i] : NULL;
}

static void put_string(FILE *out, const char *string) {
  fwrite(string, 1, strlen(string) + 1, out);
}

/// Runs in the child: `weft __list-devices DESCRIPTOR`.
static int list_devices(const cli_args *args) {
  alarm(ANSWER_SECONDS);
  int descriptor = args->word_count == 1 ? atoi(args->word[0]) : -1;
  FILE *out = descriptor > STDERR_FILENO ? fdopen(descriptor, "w") : NULL;
  if (!out) return cli_fail(args, "for the use of `weft devices` only");
  fcntl(descriptor, F_SETFD, FD_CLOEXEC); /* processes started by a driver must not keep the parent waiting */

  const char *selector = cli_value(args, "--device");
  int count = 0, used = -1;
  weft_status status = weft_device_count(&count);
  if (status == WEFT_OK && count > 0) {
    status = selector ? weft_device_find(&used, selector) : weft_device_used(&used);
    if (status != WEFT_OK) used = -1;
  }
  const char *error = status == WEFT_OK ? "" : weft_error_last()->message;
  fwrite(&(head){count, used}, sizeof(head), 1, out);
  put_string(out, error);
  for (int i = 0; i < count; i++) {
    weft_device_info info;
    /* the listing ends early: the parent looks for the driver at fault */
    if (weft_device_get(&info, i) != WEFT_OK) return cli_report(args);
    fwrite(&info, sizeof info, 1, out);
    for (int j = 0; string_of(&info, j); j++) put_string(out, *string_of(&info, j));
  }
  put_string(out, last_word);
  return fclose(out) == 0 ? CLI_OK : CLI_FAILED;
}

const cli_command cli_list_devices = {
    .name = "__list-devices", .synopsis = "DESCRIPTOR", .max_words = 1, .run = list_devices};

/// Takes `size` bytes at *at; NULL if fewer are left.
static const char *take(const weft__text *bytes, size_t *at, size_t size) {
  if (size > bytes->length - *at) return NULL;
  const char *place = bytes->chars + *at;
  *at += size;
  return place;
}

static const char *take_string(const weft__text *bytes, size_t *at) {
  const char *end = memchr(bytes->chars + *at, 0, bytes->length - *at);
  return end ? take(bytes, at, (size_t)(end + 1 - (bytes->chars + *at))) : NULL;
}

/// False if the listing is incomplete.
static bool read_listing(probe_listing *listing) {
  const weft__text *bytes = &listing->bytes;
  size_t at = 0;
  head h;
  if (bytes->failed || bytes->length < sizeof h) return false;
  memcpy(&h, take(bytes, &at, sizeof h), sizeof h);
  listing->error = take_string(bytes, &at);
  if (!listing->error || h.count < 0) return false;
  listing->devices = calloc((size_t)h.count + 1, sizeof *listing->devices);
  if (!listing->devices) return false;
  for (int i = 0; i < h.count; i++) {
    weft_device_info *info = &listing->devices[i];
    const char *place = take(bytes, &at, sizeof *info);
    if (!place) return false;
    memcpy(info, place, sizeof *info);
    for (int j = 0; string_of(info, j); j++)
      if (!(*string_of(info, j) = take_string(bytes, &at))) return false;
  }
  const char *last = take_string(bytes, &at);
  listing->count = h.count;
  listing->used = h.used;
  return last && strcmp(last, last_word) == 0;
}

void probe_free(probe_listing *listing) {
  free(listing->devices);
  weft__text_free(&listing->bytes);
  *listing = (probe_listing){.used = -1, .error = ""};
}

/* ---- the child ---- */

/// Turns the child into `weft __list-devices`; does not return.
_Noreturn static void become_lister(int descriptor, const icd_folder *folder, const char *selector, bool quiet) {
  char number[16];
  char *words[] = {(char *)"weft",   (char *)cli_list_devices.name,
                   number,           selector ? (char *)"--device" : NULL,
                   (char *)selector, NULL};
  snprintf(number, sizeof number, "%d", descriptor);
  if (folder) icd_folder_enter(folder);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* an expected death leaves no core file */
  int null = quiet ? open("/dev/null", O_WRONLY) : -1;
  if (null >= 0) dup2(null, STDERR_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO); /* output of a driver must not mix with our table */
  execv("/proc/self/exe", words);
  fprintf(stderr, "weft: cannot start /proc/self/exe: %s\n", strerror(errno));
  _exit(CLI_FAILED);
}

static void read_all(weft__text *bytes, int descriptor) {
  char block[4096];
  for (;;) {
    ssize_t count = read(descriptor, block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    weft__text_add_bytes(bytes, block, (size_t)count);
  }
}

bool probe_devices(probe_listing *listing, probe_end *end, const icd_list *drivers, const char *selector, bool quiet) {
  icd_folder folder = {.path = ""};
  int ends[2] = {-1, -1}, status = 0;
  bool made = false;
  *listing = (probe_listing){.used = -1, .error = ""};
  *end = (probe_end){0};
  if (drivers && !icd_folder_make(&folder, drivers)) return false;
  if (pipe(ends) != 0) goto done;
  fflush(NULL); /* otherwise the child would write our buffers again */
  pid_t child = fork();
  if (child < 0) goto done;
  if (child == 0) {
    close(ends[0]);
    become_lister(ends[1], drivers ? &folder : NULL, selector, quiet);
  }
  close(ends[1]);
  ends[1] = -1;
  read_all(&listing->bytes, ends[0]);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  made = true;
  if (WIFSIGNALED(status)) end->signal = WTERMSIG(status);
  if (WIFEXITED(status)) end->exit_status = WEXITSTATUS(status);
  end->answered = WIFEXITED(status) && end->exit_status == 0 && read_listing(listing);
  if (!end->answered) probe_free(listing);
done:;
  int reason = errno;
  if (ends[0] >= 0) close(ends[0]);
  if (ends[1] >= 0) close(ends[1]);
  icd_folder_remove(&folder);
  errno = reason;
  return made;
}

void probe_describe_end(weft__text *text, const probe_end *end) {
  if (end->signal == SIGALRM)
    weft__text_add(text, "no reply within %d s", ANSWER_SECONDS);
  else if (end->signal)
    weft__text_add(text, "killed by signal %d (%s)", end->signal, strsignal(end->signal));
  else
    weft__text_add(text, "it ended the process, with exit status %d", end->exit_status);
}
