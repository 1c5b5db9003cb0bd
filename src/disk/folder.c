// SPDX-License-Identifier: MIT
#include "disk/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/secure.h"
#include "disk/files.h"

#define DEFAULT_LIMIT (UINT64_C(512) << 20)
#define LARGEST_FILE (UINT64_C(256) << 20) /* of one program */
#define USED_AGAIN_S 60                    /* uses within this time leave the file's time alone */

/* ---- where ---- */

bool weft__disk_is_on(void) {
  const char *text = weft__environment_text(WEFT__ENV_CACHE);
  return !(text && (strcmp(text, "0") == 0 || strcmp(text, "off") == 0)) && !weft__is_privileged();
}

bool weft__disk_is_named(void) {
  return weft__environment_text(WEFT__ENV_CACHE_DIR) != NULL;
}

static bool find_path(weft__disk *disk, weft__text *why) {
  const char *named = weft__environment_text(WEFT__ENV_CACHE_DIR);
  if (!weft__disk_is_on())
    weft__text_add(why, weft__is_privileged() ? "the program has more rights than its user" : "WEFT_CACHE is off");
  else if (named && snprintf(disk->path, sizeof disk->path, "%s", named) < (int)sizeof disk->path)
    return true;
  else if (!named && weft__file_cache_folder(disk->path))
    return true;
  else
    weft__text_add(why, named ? "the path in WEFT_CACHE_DIR is too long" : "neither XDG_CACHE_HOME nor HOME is set");
  disk->path[0] = 0;
  return false;
}

static bool find_limit(weft__disk *disk, weft__text *why) {
  const char *text = weft__environment_text(WEFT__ENV_CACHE_LIMIT);
  disk->limit_bytes = DEFAULT_LIMIT;
  if (!text || weft__text_read_size(text, &disk->limit_bytes)) return true;
  weft__text_add(why, "WEFT_CACHE_LIMIT is `%s`; expected bytes, with K, M, G or T behind them (512M)", text);
  return false;
}

/* ---- trust ---- */

/// Whether only this user can have written what `about` describes. If not, `why` says so.
static bool is_trusted(const struct stat *about, const char *what, weft__text *why) {
  if (about->st_uid != geteuid())
    weft__text_add(why, "%s belongs to user %lu, not to user %lu", what, (unsigned long)about->st_uid,
                   (unsigned long)geteuid());
  else if (about->st_mode & (S_IWGRP | S_IWOTH))
    weft__text_add(why, "%s may be written by other users (mode %03o)", what, (unsigned)about->st_mode & 0777);
  else
    return true;
  return false;
}

bool weft__disk_open(weft__disk *disk, bool make, weft__text *why) {
  struct stat about;
  disk->folder = -1;
  disk->path[0] = 0;
  disk->limit_bytes = 0;
  if (!find_path(disk, why) || !find_limit(disk, why)) return false;
  int code = make ? weft__file_make_folders(disk->path) : 0;
  if (code == 0) {
    disk->folder = weft__file_above_output(open(disk->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    code = disk->folder < 0 || fstat(disk->folder, &about) != 0 ? errno : 0;
  }
  if (code == ENOENT && !make && (code = weft__file_can_make(disk->path)) == 0) return false;
  if (code)
    weft__text_add(why, "cannot use the folder `%s`: %s", disk->path, strerror(code));
  else if (is_trusted(&about, "the folder", why))
    return true;
  weft__disk_close(disk);
  return false;
}

void weft__disk_close(weft__disk *disk) {
  if (disk->folder >= 0) close(disk->folder);
  disk->folder = -1;
}

/* ---- files ---- */

void weft__disk_name(char name[WEFT__DISK_NAME_BYTES], const char *key, size_t key_bytes) {
  snprintf(name, WEFT__DISK_NAME_BYTES, "%016" PRIx64 ".weft", weft__hash(key, key_bytes, 1));
}

/// Reads what is in `file`, all of it.
static bool read_all(weft__text *out, int file, uint64_t size, weft__text *why) {
  char block[4096];
  size_t count = sizeof block;
  int code = 0;
  while (code == 0 && count == sizeof block && out->length <= size) {
    code = weft__file_read(file, block, sizeof block, &count);
    weft__text_add_bytes(out, block, count);
  }
  if (code || out->failed || out->length != size)
    weft__text_add(why, "its file cannot be read: %s",
                   code          ? strerror(code)
                   : out->failed ? "no memory"
                                 : "it changed meanwhile");
  return !code && !out->failed && out->length == size;
}

bool weft__disk_read(weft__text *out, const weft__disk *disk, const char *name, weft__text *why) {
  struct stat about;
  int file;
  const int code = weft__file_open(&file, &about, disk->folder, name, O_NOFOLLOW);
  if (code) {
    if (code != ENOENT) weft__text_add(why, "its file cannot be opened: %s", weft__file_error(code));
    return false;
  }
  bool is_read = is_trusted(&about, "its file", why);
  if (is_read && (uint64_t)about.st_size > LARGEST_FILE) {
    weft__text_add(why, "its file is too large");
    is_read = false;
  }
  is_read = is_read && read_all(out, file, (uint64_t)about.st_size, why);
  /* the time of the last use orders the files when some must go; it may fail */
  const int64_t age_s = (int64_t)time(NULL) - about.st_mtime;
  if (is_read && (age_s > USED_AGAIN_S || age_s < -USED_AGAIN_S)) (void)futimens(file, NULL);
  close(file);
  return is_read;
}

/// Removes what a new file may not replace: one that is not believed could keep its rights.
static void remove_untrusted(int folder, const char *name) {
  struct stat about;
  weft__text why = {0};
  if (fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
      (!S_ISREG(about.st_mode) || !is_trusted(&about, "", &why)))
    unlinkat(folder, name, 0);
  weft__text_free(&why);
}

bool weft__disk_write(const weft__disk *disk, const char *name, const weft__text *content, weft__text *why) {
  weft__new_file file = WEFT__NO_NEW_FILE;
  const size_t size = content->length;
  if (size > disk->limit_bytes || size > LARGEST_FILE) {
    weft__text_add(why, "its %zu bytes are over the limit of the cache", size);
    return false;
  }
  remove_untrusted(disk->folder, name);
  int code = weft__new_file_begin(&file, disk->folder, name, WEFT__FILES_ONLY);
  if (code == 0 && (code = weft__new_file_write(&file, content->chars, size)) != 0) weft__new_file_drop(&file);
  if (code == 0) code = weft__new_file_end(&file, false);
  if (code) weft__text_add(why, "cannot %s its file: %s", file.step, weft__file_error(code));
  weft__disk_written(disk, size);
  return code == 0;
}
