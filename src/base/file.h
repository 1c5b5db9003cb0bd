// SPDX-License-Identifier: MIT
/// Reads and writes whole files. Reading never blocks on a pipe, interrupted system calls are repeated, and an old file
/// stays until the new one is complete. Functions return 0 or an errno value and record no error.
#ifndef WEFT_BASE_FILE_H
#define WEFT_BASE_FILE_H

#include <limits.h>
#include <sys/stat.h>

#include "base/text.h"

/* ---- reading ---- */

/// Used like an errno value: the path is a directory, a pipe or a device.
#define WEFT__NOT_A_FILE (-1)

/// The text for an errno value (strerror) or WEFT__NOT_A_FILE.
const char *weft__file_error(int why);

/// A descriptor that open() or its like gave, or another one for the same file: not 0 to 2, which a program may have
/// closed, and to which it then writes its output and its messages. Below 0: it failed, and errno says why.
int weft__file_above_output(int descriptor);
/// Opens a regular file for reading; anything else is WEFT__NOT_A_FILE, without blocking. A relative path begins at
/// `folder` (a descriptor or AT_FDCWD). `flags`: further flags of open(), such as O_NOFOLLOW. `about` may be NULL.
int weft__file_open(int *descriptor, struct stat *about, int folder, const char *path, int flags);
/// Reads until `room` is full or the file ends.
int weft__file_read(int descriptor, void *room, size_t room_bytes, size_t *read_bytes);
/// Appends a file's content to `out`.
int weft__file_text(weft__text *out, const char *path);

/* ---- writing ---- */

/// Makes the folder and its parents, for this user alone. `path` is as before on return.
int weft__file_make_folders(char *path);
/// Whether the folder, or else the first of its parents that exists, can be written: 0, or why not.
int weft__file_can_make(const char *folder);
/// The folder "weft" in the user's cache folder: $XDG_CACHE_HOME, else ~/.cache. False: the user has none.
bool weft__file_cache_folder(char path[PATH_MAX]);
/// Writes all `count` bytes.
int weft__file_write(int descriptor, const void *bytes, size_t count);

/// A file being written. It gets a random temporary name in the target's folder, unreadable to other users. Once
/// complete, it replaces the target and takes over its mode; until then the target is unchanged. A symbolic link at the
/// target is followed if the user or root owns it. A device or a pipe is written to directly.
typedef struct weft__new_file {
  int descriptor;   /* open for writing; -1: none */
  const char *step; /* the failed step, for "cannot STEP `path`" */
  bool in_place;    /* the target is a device or a pipe */
  bool replaces;    /* there is an old file */
  int folder;       /* the target's */
  mode_t mode;      /* of the new file */
  uid_t owner;      /* of the old file */
  gid_t group;
  char name[NAME_MAX + 1]; /* the target's, in the folder */
  char beside[64];         /* the temporary name, in the folder */
} weft__new_file;

/// A file that has not been begun.
#define WEFT__NO_NEW_FILE ((weft__new_file){.descriptor = -1, .folder = -1, .step = "make"})

typedef enum weft__new_file_kind {
  WEFT__ANY_FILE,   /* a device or a pipe is opened; opening a pipe blocks until it has a reader */
  WEFT__FILES_ONLY, /* a device, a pipe or a directory is WEFT__NOT_A_FILE */
} weft__new_file_kind;

/// Begins a file; after a failure there is nothing to end. A relative path begins at `folder` (a descriptor or
/// AT_FDCWD).
int weft__new_file_begin(weft__new_file *file, int folder, const char *path, weft__new_file_kind kind);
/// Reserves disk blocks for `size_bytes` bytes.
int weft__new_file_reserve(weft__new_file *file, uint64_t size_bytes);
int weft__new_file_write(weft__new_file *file, const void *bytes, size_t count);
/// Replaces the target; on failure the new file is removed. `is_lasting`: it is synced to disk before that.
int weft__new_file_end(weft__new_file *file, bool is_lasting);
/// Removes the new file. Does nothing if it was not begun, or was ended.
void weft__new_file_drop(weft__new_file *file);
/// The PID in a temporary file's name; 0 for any other name.
long weft__new_file_maker(const char *name);

#endif
