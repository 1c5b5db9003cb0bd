// SPDX-License-Identifier: MIT
// The program about monitoring: readings, and a program that publishes itself. It does so by hand, because Weft
// continues without an error where it cannot publish a context.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weft/weft.h>

#include "fault_programs.h"

/// Writes the file that Weft would publish for this process.
static bool publish(const char *path) {
  char text[1024];
  uint64_t start_ticks = 0;
  struct stat numbers;
  FILE *file = fopen("/proc/self/stat", "r");
  if (file == NULL || stat("/proc/self/ns/pid", &numbers) != 0) return false;
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  const char *rest = strrchr(text, ')');
  /* the 22nd field; the second field is the name in brackets */
  for (int field = 2; rest != NULL && field < 22; field++) rest = strchr(rest + 1, ' ');
  if (rest != NULL) start_ticks = strtoull(rest, NULL, 10);
  file = fopen(path, "w");
  if (file == NULL) return false;
  fprintf(file,
          "{\"format\": 1, \"pid\": %d, \"pid_namespace\": %" PRIu64 ", \"start_ticks\": %" PRIu64
          ", \"context\": 7, \"sites\": [{\"site\": \"a.c:1\", \"storages\": 1, \"size_bytes\": 2}]}\n",
          (int)getpid(), (uint64_t)numbers.st_ino, start_ticks);
  return fclose(file) == 0;
}

int program_monitored(int argc, char **argv) {
  char folder[] = "/tmp/fault_monitor_XXXXXX", inside[64], path[96];
  int status = 0, count = 0, index = 0, found = 0;
  weft_monitor_program *programs = NULL;
  weft_monitor_reading reading = {0};
  (void)argc, (void)argv;

  if (mkdtemp(folder) == NULL) return FAULT_BROKEN;
  snprintf(inside, sizeof inside, "%s/weft", folder);
  setenv("XDG_RUNTIME_DIR", folder, 1);
  snprintf(path, sizeof path, "%s/%d-7.json", inside, (int)getpid());
  if (mkdir(inside, 0700) != 0 || !publish(path)) status = FAULT_BROKEN;
  if (status != 0) goto done;
  TRY(weft_device_used(&index));
  TRY(weft_monitor_get(&reading, index));
  KEPT(reading.device.index == index && reading.memory_total_bytes > 0);
  TRY(weft_monitor_get_programs(&programs, &count));
  /* other processes may publish themselves in /tmp meanwhile */
  for (int i = 0; i < count; i++)
    found += programs[i].pid == getpid() && programs[i].context == 7 && programs[i].sites[0].size_bytes == 2;
  KEPT(found == 1);

done:
  fault_leave();
  weft_monitor_free(&reading);
  weft_free(programs);
  unlink(path);
  rmdir(inside);
  rmdir(folder);
  return status;
}
