// SPDX-License-Identifier: MIT
#include "core/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/// PoCL 3.1 ends the process where less than 1 MiB is left for Weft's core program, built before or not ("LLVM ERROR: IO failure").
#define LEAST_BYTES (UINT64_C(4) << 20)

static const char *set_in(const char *variable) {
  const char *value = getenv(variable);
  return value && value[0] ? value : NULL;
}

/// Where PoCL (3.1 to 6.0) has it.
static void add_folder(weft__text *path) {
  const char *named = set_in("POCL_CACHE_DIR"), *caches = set_in("XDG_CACHE_HOME"), *home = getenv("HOME"),
             *keeps = set_in("POCL_KERNEL_CACHE");
  const char *kind = keeps && strcmp(keeps, "0") == 0 ? "uncached" : "kcache";
  if (named)
    weft__text_add(path, "%s", named);
  else if (caches)
    weft__text_add(path, "%s/pocl/%s", caches, kind);
  else if (home)
    weft__text_add(path, "%s/.cache/pocl/%s", home, kind);
  else
    weft__text_add(path, "/tmp/pocl/%s", kind);
}

/// Makes the folder with those above it; 0 or errno.
static int make_folders(char *path) {
  for (char *end = path; end;) {
    end = strchr(end + 1, '/');
    if (end) *end = 0;
    const int result = mkdir(path, 0700), why = errno;
    if (end) *end = '/';
    if (result != 0 && why != EEXIST) return why;
  }
  return 0;
}

bool weft__cache_works(weft__text *why) {
  static const char advice[] = "set POCL_CACHE_DIR to a folder that this user can write";
  weft__text path = {0};
  struct statvfs disk;
  add_folder(&path);
  if (path.failed || !path.length) {
    weft__text_free(&path);
    return true; /* nothing is known of it */
  }
  int code = make_folders(path.chars);
  if (code == 0 && faccessat(AT_FDCWD, path.chars, W_OK | X_OK, AT_EACCESS) != 0) code = errno;
  const bool is_open = code == 0;
  if (is_open && statvfs(path.chars, &disk) == 0 && disk.f_blocks > 0 && (uint64_t)disk.f_bavail * disk.f_frsize < LEAST_BYTES) {
    weft__text_add(why, "PoCL needs room in its kernel cache `%s`, where ", path.chars);
    weft__text_add_size(why, (uint64_t)disk.f_bavail * disk.f_frsize);
    weft__text_add(why, " are left: make room, or %s and has more", advice);
    code = ENOSPC;
  }
  if (!is_open) weft__text_add(why, "PoCL cannot write its kernel cache `%s` (%s): %s", path.chars, strerror(code), advice);
  weft__text_free(&path);
  return code == 0;
}
