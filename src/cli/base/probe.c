// SPDX-License-Identifier: MIT
#include "cli/base/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/child.h"
#include "cli/base/options.h"

/* ---- the listing on the pipe ----
   The child is a fork of the parent, so the struct is sent unchanged; its strings follow, zero-terminated. */

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

typedef struct order {
  const icd_folder *folder; /* NULL: the usual drivers */
  const char *selector;     /* --device's value or NULL */
} order;

/// Runs in the child.
static int list_devices(int descriptor, const void *of) {
  const order *o = of;
  FILE *out = fdopen(descriptor, "w");
  if (!out) return CLI_FAILED;
  fcntl(descriptor, F_SETFD, FD_CLOEXEC); /* processes started by a driver must not keep the parent waiting */
  if (o->folder) icd_folder_enter(o->folder);
  int count = 0, used = -1;
  weft_status status = weft_device_count(&count);
  if (status == WEFT_OK && count > 0) {
    status = o->selector ? weft_device_find(&used, o->selector) : weft_device_used(&used);
    if (status != WEFT_OK) used = -1;
  }
  const char *error = status == WEFT_OK ? "" : weft_error_last()->message;
  fwrite(&(head){count, used}, sizeof(head), 1, out);
  put_string(out, error);
  for (int i = 0; i < count; i++) {
    weft_device_info info;
    /* the listing ends early: the parent looks for the driver at fault */
    if (weft_device_get(&info, i) != WEFT_OK) {
      fprintf(stderr, "weft: %s\n", weft_error_last()->message);
      return CLI_FAILED;
    }
    fwrite(&info, sizeof info, 1, out);
    for (int j = 0; string_of(&info, j); j++) put_string(out, *string_of(&info, j));
  }
  put_string(out, last_word);
  return fclose(out) == 0 ? CLI_OK : CLI_FAILED;
}

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

bool probe_devices(probe_listing *listing, child_end *end, const icd_list *drivers, const char *selector,
                   int messages) {
  icd_folder folder = {.path = ""};
  *listing = (probe_listing){.used = -1, .error = ""};
  *end = (child_end){0};
  if (drivers && !icd_folder_make(&folder, drivers)) return false;
  const order o = {drivers ? &folder : NULL, selector};
  const bool made =
      child_run(&listing->bytes, end, &(child){list_devices, &o, .seconds = CHILD_SECONDS, .messages = messages});
  int reason = errno;
  end->answered = end->answered && read_listing(listing);
  if (!end->answered) probe_free(listing);
  icd_folder_remove(&folder);
  errno = reason;
  return made;
}
