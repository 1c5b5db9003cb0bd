// SPDX-License-Identifier: MIT
#include "cuda/imports.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

/* ---- the machine ---- */

/// Entries of a folder whose names begin with `prefix` and a digit.
static int count_entries(const char *folder, const char *prefix) {
  const size_t length = strlen(prefix);
  int count = 0;
  DIR *list = opendir(folder);
  if (!list) return 0;
  for (const struct dirent *entry; (entry = readdir(list));)
    count += strncmp(entry->d_name, prefix, length) == 0 && isdigit((unsigned char)entry->d_name[length]);
  closedir(list);
  return count;
}

/// GPUs of the machine, also those that the environment hides from CUDA and OpenCL, by the driver's own lists.
static int count_gpus(void) {
  const int listed = count_entries("/proc/driver/nvidia/gpus", ""), files = count_entries("/dev", "nvidia");
  return listed > files ? listed : files;
}

/// One line for the machine, its driver and its GPUs.
static void describe(char line[300], const weft__core *core) {
  weft__text id = {0};
  char name[100] = "";
  weft__file_text(&id, "/etc/machine-id");
  gethostname(name, sizeof name - 1);
  const char *text = weft__text_chars(&id);
  snprintf(line, 300, "%.*s %s driver %s gpus %d\n", (int)strcspn(text, "\n"), text, name,
           core->device->info.driver_version, count_gpus());
  weft__text_free(&id);
}

/* ---- what was remembered ---- */

#define FILE_NAME "/large_imports"

/// The folder, with room for the file's name. False: the user has none.
static bool find_folder(char path[PATH_MAX]) {
  return weft__file_cache_folder(path) && strlen(path) < PATH_MAX - sizeof FILE_NAME;
}

static bool is_remembered(const char *line) {
  weft__text known = {0};
  char path[PATH_MAX];
  bool found = false;
  if (find_folder(path) && weft__file_text(&known, strcat(path, FILE_NAME)) == 0)
    found = strstr(weft__text_chars(&known), line) != NULL;
  weft__text_free(&known);
  return found;
}

uint64_t weft__imports_most_bytes(const weft__core *core) {
  char line[300];
  const weft__quirks *quirks = &core->device->quirks;
  /* a list of GPUs that cannot be read may hide some */
  if (!quirks->small_imports || quirks->large_imports || count_gpus() == 1) return UINT64_MAX;
  describe(line, core);
  return is_remembered(line) ? UINT64_MAX : WEFT__SMALL_IMPORT_BYTES;
}

void weft__imports_remember(const weft__core *core, uint64_t size_bytes) {
  const weft__quirks *quirks = &core->device->quirks;
  char line[300], path[PATH_MAX];
  weft__new_file file;
  weft__text text = {0};
  if (size_bytes <= WEFT__SMALL_IMPORT_BYTES || !quirks->small_imports || !quirks->large_imports) return;
  describe(line, core);
  if (is_remembered(line) || !find_folder(path) || weft__file_make_folders(path)) return;
  weft__file_text(&text, strcat(path, FILE_NAME));
  weft__text_add(&text, "%s", line);
  if (!text.failed && weft__new_file_begin(&file, AT_FDCWD, path, WEFT__FILES_ONLY) == 0) {
    if (weft__new_file_write(&file, weft__text_chars(&text), text.length) == 0)
      weft__new_file_end(&file, false);
    else
      weft__new_file_drop(&file);
  }
  weft__text_free(&text);
}
