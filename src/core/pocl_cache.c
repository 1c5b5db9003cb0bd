// SPDX-License-Identifier: MIT
#include "core/pocl_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/secure.h"

static const char *set_in(const char *variable) {
  const char *text = weft__getenv_of_driver(variable);
  return text && text[0] ? text : NULL;
}

/// With less than 1 MiB free, PoCL 3.1 ends the process while it builds Weft's core program, cached or not ("LLVM
/// ERROR: IO failure").
#define LEAST_BYTES (UINT64_C(4) << 20)

bool weft__cache_folder(char path[PATH_MAX]) {
  const char *named = set_in("POCL_CACHE_DIR"), *caches = set_in("XDG_CACHE_HOME"),
             *home = weft__getenv_of_driver("HOME");
  const char *keeps = set_in("POCL_KERNEL_CACHE"), *kind = keeps && strcmp(keeps, "0") == 0 ? "uncached" : "kcache";
  int length;
  if (named)
    length = snprintf(path, PATH_MAX, "%s", named);
  else if (caches)
    length = snprintf(path, PATH_MAX, "%s/pocl/%s", caches, kind);
  else if (home)
    length = snprintf(path, PATH_MAX, "%s/.cache/pocl/%s", home, kind);
  else
    length = snprintf(path, PATH_MAX, "/tmp/pocl/%s", kind);
  return length > 0 && length < PATH_MAX;
}

bool weft__cache_is_fatal(void) {
  const char *named = weft__getenv_of_driver("POCL_CACHE_DIR");
  return named && !named[0];
}

static int try_folder(const char *path) {
  return faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

bool weft__cache_works(weft__text *why) {
  static const char advice[] = "set POCL_CACHE_DIR to a folder that this user can write";
  char path[PATH_MAX];
  struct statvfs disk;
  if (weft__cache_is_fatal()) {
    weft__text_add(why, "PoCL cannot write its kernel cache `` (POCL_CACHE_DIR is empty): %s", advice);
    return false;
  }
  if (!weft__cache_folder(path)) return true; /* cannot be checked */
  int code = try_folder(path);
  if (code == ENOENT && (code = weft__file_make_folders(path)) == 0) code = try_folder(path);
  if (code) {
    weft__text_add(why, "PoCL cannot write its kernel cache `%s` (%s): %s", path, strerror(code), advice);
    return false;
  }
  if (statvfs(path, &disk) != 0 || disk.f_blocks == 0 || (uint64_t)disk.f_bavail * disk.f_frsize >= LEAST_BYTES)
    return true;
  weft__text_add(why, "PoCL's kernel cache `%s` has too little free space: ", path);
  weft__text_add_size(why, (uint64_t)disk.f_bavail * disk.f_frsize);
  weft__text_add(why, " are left; free some, or %s and has more space", advice);
  return false;
}
