// SPDX-License-Identifier: MIT
#include "machine/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "machine/reading.h"

/// Reads the beginning of a file into `text`, NUL-terminated. Returns its length, negative if it cannot be read.
static ssize_t read_file(char *text, size_t room, const char *path) {
  int file;
  size_t length;
  if (weft__file_open(&file, NULL, AT_FDCWD, path, 0)) return -1;
  weft__file_read(file, text, room - 1, &length);
  close(file);
  text[length] = 0;
  return (ssize_t)length;
}

static ssize_t read_of_process(char *text, size_t room, int64_t pid, const char *what) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%" PRId64 "/%s", pid, what);
  return read_file(text, room, path);
}

/* ---- one process ---- */

bool weft__proc_stat_read(weft__proc_stat *stat, int64_t pid) {
  char text[1024];
  if (read_of_process(text, sizeof text, pid, "stat") <= 0) return false;
  /* the name is in parentheses and may contain any character */
  const char *rest = strrchr(text, ')');
  return rest && sscanf(rest,
                        ") %*c %" SCNd64 " %*d %" SCNd64
                        " %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %" SCNu64,
                        &stat->parent, &stat->session, &stat->start_ticks) == 3;
}

void weft__proc_short_name(char *name, size_t room, const char *path) {
  const char *slash = strrchr(path, '/');
  if (slash && slash[1]) path = slash + 1;
  size_t length = strlen(path);
  if (length >= room) length = room - 1;
  memcpy(name, path, length);
  name[length] = 0;
  /* names are shown on terminals: control characters could move the cursor */
  for (char *c = name; *c; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
}

/// Reads the first word of the command line, or else the kernel's name of the process (15 characters).
static void read_name(weft_monitor_process *process) {
  char text[4096];
  process->name[0] = 0;
  if (read_of_process(text, sizeof text, process->pid, "cmdline") > 0 && text[0])
    weft__proc_short_name(process->name, sizeof process->name, text);
  else if (read_of_process(text, sizeof text, process->pid, "comm") > 0) {
    text[strcspn(text, "\n")] = 0;
    weft__proc_short_name(process->name, sizeof process->name, text);
  }
}

bool weft__proc_describe(weft_monitor_process *process) {
  weft__proc_stat stat;
  if (!weft__proc_stat_read(&stat, process->pid)) return false;
  read_name(process);
  /* children that process 1 started lead a session or, in a container, share the session of process 1 */
  process->is_orphan = stat.parent == 1 && stat.session > 1 && stat.session != process->pid;
  return true;
}

uint64_t weft__proc_namespace(void) {
  struct stat namespace;
  return stat("/proc/self/ns/pid", &namespace) == 0 ? (uint64_t) namespace.st_ino : 0;
}

/* ---- the machine ---- */

bool weft__proc_memory(int64_t *total_bytes, int64_t *available_bytes) {
  char text[4096];
  if (read_file(text, sizeof text, "/proc/meminfo") < 0) return false;
  const char *total = strstr(text, "MemTotal:"), *available = strstr(text, "MemAvailable:");
  if (!total || !available || sscanf(total, "MemTotal: %" SCNd64, total_bytes) != 1 ||
      sscanf(available, "MemAvailable: %" SCNd64, available_bytes) != 1)
    return false;
  *total_bytes *= 1024;
  *available_bytes *= 1024;
  return true;
}

/// Reads the ticks that all processors together spent since boot.
static bool read_ticks(uint64_t *busy, uint64_t *all) {
  char text[512];
  uint64_t t[8]; /* user, nice, system, idle, iowait, irq, softirq, steal */
  if (read_file(text, sizeof text, "/proc/stat") < 0 ||
      sscanf(text, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
             &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) != 8)
    return false;
  *all = 0;
  for (int i = 0; i < 8; i++) *all += t[i];
  *busy = *all - t[3] - t[4];
  return true;
}

/// The hottest temperature of the sensors that are named as a processor's.
static int read_temperature(void) {
  int hottest = -1;
  for (int zone = 0; zone < 64; zone++) {
    char path[64], text[64];
    snprintf(path, sizeof path, "/sys/class/thermal/thermal_zone%d/type", zone);
    if (read_file(text, sizeof text, path) < 0) break;
    if (!strstr(text, "pkg_temp") && !strstr(text, "cpu") && !strstr(text, "CPU") && !strstr(text, "soc")) continue;
    snprintf(path, sizeof path, "/sys/class/thermal/thermal_zone%d/temp", zone);
    int millidegrees;
    if (read_file(text, sizeof text, path) > 0 && sscanf(text, "%d", &millidegrees) == 1 &&
        millidegrees / 1000 > hottest)
      hottest = millidegrees / 1000;
  }
  return hottest;
}

void weft__proc_read_machine(weft_monitor_reading *reading) {
  uint64_t busy[2], all[2];
  int64_t total, available;
  if (weft__proc_memory(&total, &available)) {
    reading->memory_total_bytes = total;
    reading->memory_used_bytes = total - available;
  }
  reading->temperature_c = read_temperature();
  if (!read_ticks(&busy[0], &all[0])) return;
  struct timespec left = {.tv_nsec = 100000000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
  if (read_ticks(&busy[1], &all[1]) && all[1] > all[0] && busy[1] >= busy[0])
    reading->utilisation_percent = (int)((busy[1] - busy[0]) * 100 / (all[1] - all[0]));
}

/* ---- processes that map a library ---- */

/// 1: mapped, 0: not mapped, -1: this user may not read the maps.
static int maps(int64_t pid, const char *library) {
  enum { ROOM = 4096 };
  char path[64], text[ROOM + 1];
  size_t overlap = strlen(library), kept = 0;
  size_t count;
  int found = 0, file;
  snprintf(path, sizeof path, "/proc/%" PRId64 "/maps", pid);
  const int why = weft__file_open(&file, NULL, AT_FDCWD, path, 0);
  if (why) return why == EACCES || why == EPERM ? -1 : 0;
  while (!found && kept < ROOM && weft__file_read(file, text + kept, ROOM - kept, &count) == 0 && count > 0) {
    size_t length = kept + count;
    text[length] = 0;
    found = strstr(text, library) != NULL;
    /* the name may straddle two reads */
    kept = length < overlap ? length : overlap;
    memmove(text, text + length - kept, kept);
  }
  close(file);
  return found;
}

static int64_t resident_bytes(int64_t pid) {
  char text[128];
  int64_t pages;
  if (read_of_process(text, sizeof text, pid, "statm") <= 0 || sscanf(text, "%*d %" SCNd64, &pages) != 1) return -1;
  return pages * sysconf(_SC_PAGESIZE);
}

void weft__proc_find_users(weft_monitor_reading *reading, const char *library, bool *no_memory) {
  DIR *folder = opendir("/proc");
  if (!folder) return;
  reading->process_count = 0;
  for (const struct dirent *entry; (entry = readdir(folder));) {
    char *end, first[2];
    int64_t pid = strtoll(entry->d_name, &end, 10);
    if (*end || pid <= 0) continue;
    /* kernel threads have no command line */
    if (read_of_process(first, sizeof first, pid, "cmdline") <= 0) continue;
    int has = maps(pid, library);
    if (has < 0) reading->hidden_processes++;
    if (has <= 0) continue;
    weft_monitor_process process = {.pid = pid, .type = WEFT_PROCESS_DRIVER, .memory_bytes = resident_bytes(pid)};
    if (weft__proc_describe(&process) && !weft__reading_add(reading, &process)) *no_memory = true;
  }
  closedir(folder);
}
