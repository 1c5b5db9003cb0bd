// SPDX-License-Identifier: MIT
/// Reads the status files (src/watch/status_file.h) of Weft programs that publish their memory use.
#include <weft/monitor.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/object.h"
#include "machine/proc.h"
#include "watch/status_file.h"

enum { LARGEST_FILE = 65536 };

/// A status file's content. The fields after `program` are not for the caller.
typedef struct content {
  weft_monitor_program program;
  int64_t format, namespace, start_ticks, parent, active_ns;
} content;

typedef struct listing {
  weft_monitor_program *programs;
  size_t count;
  char *room; /* for a file's text */
  bool no_memory;
} listing;

/// Reads a size or count, which is never negative.
static uint64_t size(weft__json *json) {
  int64_t value = weft__json_integer(json);
  if (value < 0) json->failed = true;
  return value < 0 ? 0 : (uint64_t)value;
}

static int number(weft__json *json) {
  int64_t value = weft__json_integer(json);
  if (value < INT_MIN || value > INT_MAX) json->failed = true;
  return json->failed ? 0 : (int)value;
}

static void parse_sites(weft__json *json, weft_monitor_program *p) {
  weft_monitor_site beyond;
  char key[32];
  weft__json_open(json, '[');
  while (weft__json_item(json)) {
    weft_monitor_site *site = p->site_count < WEFT_MONITOR_SITES ? &p->sites[p->site_count++] : &beyond;
    weft__json_open(json, '{');
    while (weft__json_key(json, key, sizeof key)) {
      if (strcmp(key, "site") == 0)
        weft__json_string(json, site->site, sizeof site->site);
      else if (strcmp(key, "storages") == 0)
        site->storages = size(json);
      else if (strcmp(key, "size_bytes") == 0)
        site->size_bytes = size(json);
      else
        weft__json_skip(json);
    }
  }
}

/// Parses a status file's text. Returns false if it is not one. Unknown keys are ignored.
static bool parse(content *c, const char *text) {
  weft__json json = {.at = text};
  weft_monitor_program *p = &c->program;
  char key[32];
  *c = (content){0};
  weft__json_open(&json, '{');
  while (weft__json_key(&json, key, sizeof key)) {
    if (strcmp(key, "format") == 0)
      c->format = weft__json_integer(&json);
    else if (strcmp(key, "pid") == 0)
      p->pid = weft__json_integer(&json);
    else if (strcmp(key, "pid_namespace") == 0)
      c->namespace = weft__json_integer(&json);
    else if (strcmp(key, "start_ticks") == 0)
      c->start_ticks = weft__json_integer(&json);
    else if (strcmp(key, "parent") == 0)
      c->parent = weft__json_integer(&json);
    else if (strcmp(key, "name") == 0)
      weft__json_string(&json, p->name, sizeof p->name);
    else if (strcmp(key, "context") == 0)
      p->context = number(&json);
    else if (strcmp(key, "device") == 0)
      weft__json_string(&json, p->device, sizeof p->device);
    else if (strcmp(key, "device_index") == 0)
      p->device_index = number(&json);
    else if (strcmp(key, "pci_bus_id") == 0)
      weft__json_string(&json, p->pci_bus_id, sizeof p->pci_bus_id);
    else if (strcmp(key, "started_ns") == 0)
      p->started_ns = weft__json_integer(&json);
    else if (strcmp(key, "active_ns") == 0)
      c->active_ns = weft__json_integer(&json);
    else if (strcmp(key, "active_bytes") == 0)
      p->active_bytes = size(&json);
    else if (strcmp(key, "held_bytes") == 0)
      p->held_bytes = size(&json);
    else if (strcmp(key, "peak_active_bytes") == 0)
      p->peak_active_bytes = size(&json);
    else if (strcmp(key, "kernel_programs") == 0)
      p->kernel_programs = size(&json);
    else if (strcmp(key, "kernel_bytes") == 0)
      p->kernel_bytes = size(&json);
    else if (strcmp(key, "launches") == 0)
      p->launches = size(&json);
    else if (strcmp(key, "sites") == 0)
      parse_sites(&json, p);
    else
      weft__json_skip(&json);
  }
  weft__json_end(&json);
  return !json.failed && p->pid > 0 && c->format > 0;
}

/// The PID in "1234-0.json" or in the temporary name of such a file; 0 for any other name.
static int64_t pid_in(const char *name, bool *is_temporary) {
  int64_t pid = 0;
  int context, end = 0;
  *is_temporary = name[0] == '.';
  if (*is_temporary) return weft__new_file_maker(name);
  return sscanf(name, "%" SCNd64 "-%d.json%n", &pid, &context, &end) == 2 && end > 0 && !name[end] ? pid : 0;
}

/// The file's text; NULL if it cannot be read or does not belong to this user.
static const char *read_file(const listing *l, int folder, const char *name) {
  struct stat found;
  size_t length = 0;
  int file;
  if (weft__file_open(&file, &found, folder, name, O_NOFOLLOW)) return NULL;
  const bool is_ours = found.st_uid == geteuid() && found.st_size <= LARGEST_FILE;
  const int why = is_ours ? weft__file_read(file, l->room, LARGEST_FILE, &length) : EACCES;
  close(file);
  l->room[length] = 0;
  return why ? NULL : l->room;
}

static void add(listing *l, const weft_monitor_program *program) {
  if ((l->count & (l->count - 1)) == 0) {
    weft_monitor_program *larger = realloc(l->programs, (l->count ? 2 * l->count : 1) * sizeof *larger);
    if (!larger) {
      l->no_memory = true;
      return;
    }
    l->programs = larger;
  }
  l->programs[l->count++] = *program;
}

/// Handles one file: lists it, ignores it, or removes it if its process has ended.
static void look_at(listing *l, int folder, const char *name) {
  bool is_temporary;
  int64_t pid = pid_in(name, &is_temporary);
  weft__proc_stat stat;
  content c;
  if (pid <= 0) return;
  bool lives = weft__proc_stat_read(&stat, pid);
  const char *text = is_temporary ? NULL : read_file(l, folder, name);
  if (!text && !is_temporary) return;
  bool parsed = text && parse(&c, text);
  if (parsed) {
    /* written by another Weft version, or in a container with its own PIDs: cannot be judged here */
    if (c.format != WEFT__STATUS_FILE_FORMAT || (uint64_t)c.namespace != weft__proc_namespace()) return;
    lives = lives && c.program.pid == pid && (uint64_t)c.start_ticks == stat.start_ticks;
  }
  if (!lives) {
    unlinkat(folder, name, 0);
    return;
  }
  if (!parsed) return;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  c.program.idle_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - c.active_ns;
  if (c.program.idle_ns < 0) c.program.idle_ns = 0;
  c.program.is_orphan = stat.parent != c.parent || (stat.parent == 1 && stat.session > 1 && stat.session != pid);
  add(l, &c.program);
}

static int by_pid(const void *a, const void *b) {
  const weft_monitor_program *x = a, *y = b;
  if (x->pid != y->pid) return x->pid < y->pid ? -1 : 1;
  return (x->context > y->context) - (x->context < y->context);
}

weft_status weft_monitor_get_programs(weft_monitor_program **programs, int *count) {
  listing l = {0};
  weft__enter("weft_monitor_get_programs", NULL);
  WEFT__NEED(programs);
  *programs = NULL;
  WEFT__NEED(count);
  *count = 0;
  if (!(l.room = weft__new(LARGEST_FILE + 1))) return weft__leave(WEFT_ERROR_HOST_MEMORY);
  for (int i = 0; i < WEFT__STATUS_FILE_FOLDERS; i++) {
    int descriptor = weft__status_file_folder(i, false);
    DIR *folder = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    if (!folder) {
      if (descriptor >= 0) close(descriptor);
      continue;
    }
    for (const struct dirent *entry; (entry = readdir(folder));) look_at(&l, descriptor, entry->d_name);
    closedir(folder);
  }
  free(l.room);
  if (l.no_memory) {
    free(l.programs);
    return weft__leave(weft__fail_host_memory(sizeof *l.programs));
  }
  if (l.count > 1) qsort(l.programs, l.count, sizeof *l.programs, by_pid);
  *programs = l.programs;
  *count = (int)l.count;
  return weft__leave(WEFT_OK);
}
