// SPDX-License-Identifier: MIT
#include "disk/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

#define LOOKS_PER_LIMIT 16 /* the folder is looked through once this part of the limit was written */
#define LEFTOVER_S 3600    /* no process writes a file for that long */
#define CLOCKS_DIFFER_S 60 /* of machines that share the folder */

typedef struct kept_file {
  char name[WEFT__DISK_NAME_BYTES];
  uint64_t bytes;
  int64_t used_ns;
} kept_file;

typedef struct listing {
  kept_file *file;
  size_t count, room;
  uint64_t bytes;
  int code; /* 0, or the errno value of what kept files out of the list */
} listing;

/// Whether the name is a program's file's.
static bool is_ours(const char *name) {
  const size_t digits = strspn(name, "0123456789abcdef");
  return digits == 16 && strcmp(name + digits, ".weft") == 0;
}

/// Whether `name` is a temporary file whose process is gone, or has hung for long.
static bool is_left_over(const char *name, const struct stat *about) {
  const long maker = weft__new_file_maker(name);
  if (maker == 0) return false;
  return (kill((pid_t)maker, 0) != 0 && errno == ESRCH) || time(NULL) - about->st_mtime > LEFTOVER_S ||
         about->st_mtime - LEFTOVER_S > time(NULL);
}

static void add_file(listing *l, const char *name, const struct stat *about) {
  if (l->count == l->room) {
    const size_t room = l->room ? 2 * l->room : 256;
    kept_file *larger = realloc(l->file, room * sizeof *larger);
    if (!larger) {
      l->code = ENOMEM;
      return;
    }
    l->file = larger;
    l->room = room;
  }
  kept_file *file = &l->file[l->count++];
  strcpy(file->name, name);
  file->bytes = (uint64_t)about->st_size;
  /* a date in the future, from a clock that was wrong, says nothing: such a file goes first */
  const bool is_known = about->st_mtim.tv_sec >= 0 && about->st_mtim.tv_sec - CLOCKS_DIFFER_S <= time(NULL);
  file->used_ns = is_known ? (int64_t)about->st_mtim.tv_sec * 1000000000 + about->st_mtim.tv_nsec : 0;
  l->bytes += file->bytes;
}

/// NULL: there are no more, or no more can be read.
static const struct dirent *next_entry(listing *l, DIR *entries) {
  errno = 0;
  const struct dirent *e = readdir(entries);
  if (!e && errno) l->code = errno;
  return e;
}

/// Lists the programs' files, and removes leftovers. The caller frees l->file.
static void list(listing *l, const weft__disk *disk) {
  /* with a position of its own */
  const int folder = weft__file_above_output(openat(disk->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR *entries = folder < 0 ? NULL : fdopendir(folder);
  struct stat about;
  *l = (listing){.code = entries ? 0 : errno};
  if (!entries && folder >= 0) close(folder);
  for (const struct dirent *e; entries && (e = next_entry(l, entries));) {
    const bool ours = is_ours(e->d_name);
    if (!ours && weft__new_file_maker(e->d_name) == 0) continue;
    if (fstatat(disk->folder, e->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode)) continue;
    if (ours)
      add_file(l, e->d_name, &about);
    else if (is_left_over(e->d_name, &about))
      unlinkat(disk->folder, e->d_name, 0);
  }
  if (entries) closedir(entries);
}

static int compare_use(const void *a, const void *b) {
  const int64_t x = ((const kept_file *)a)->used_ns, y = ((const kept_file *)b)->used_ns;
  return (x > y) - (x < y);
}

/// Removes the least recently used files until a quarter of the limit is free.
static void shrink(const weft__disk *disk) {
  listing l;
  list(&l, disk);
  const uint64_t wanted = disk->limit_bytes - disk->limit_bytes / 4;
  if (l.bytes > disk->limit_bytes) {
    qsort(l.file, l.count, sizeof *l.file, compare_use);
    for (size_t k = 0; k < l.count && l.bytes > wanted; k++) {
      unlinkat(disk->folder, l.file[k].name, 0);
      l.bytes -= l.file[k].bytes;
    }
  }
  free(l.file);
}

void weft__disk_written(const weft__disk *disk, uint64_t bytes) {
  static _Atomic(uint64_t) since = UINT64_MAX / 2; /* so that the first write looks */
  if (atomic_fetch_add(&since, bytes) + bytes < disk->limit_bytes / LOOKS_PER_LIMIT) return;
  atomic_store(&since, 0);
  shrink(disk);
}

int weft__disk_measure(const weft__disk *disk, uint64_t *files, uint64_t *bytes) {
  listing l;
  list(&l, disk);
  *files = l.count;
  *bytes = l.bytes;
  free(l.file);
  return l.code;
}

int weft__disk_clear(const weft__disk *disk, uint64_t *left) {
  listing l;
  list(&l, disk);
  *left = 0;
  for (size_t k = 0; k < l.count; k++)
    if (unlinkat(disk->folder, l.file[k].name, 0) != 0 && errno != ENOENT) ++*left;
  free(l.file);
  return l.code;
}
