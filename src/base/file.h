// SPDX-License-Identifier: MIT
/// Files read and written whole: what waits is not waited for, what signals interrupt goes on, and an old file stays until the new one is whole.
/// Functions answer with 0 or an errno value; nothing is recorded as an error.
#ifndef WEFT_BASE_FILE_H
#define WEFT_BASE_FILE_H

#include <limits.h>
#include <sys/stat.h>

#include "base/text.h"

/* ---- reading ---- */

/// Instead of an errno value: it is there, and is a directory, a pipe or a device.
#define WEFT__NOT_A_FILE (-1)

/// strerror, and a text for WEFT__NOT_A_FILE.
const char *weft__file_error(int why);

/// Opens a file for reading; what is no file is refused, not waited for. A relative path begins at `folder`, AT_FDCWD or a descriptor.
/// `flags`: of open(), besides, as O_NOFOLLOW. `about` may be NULL.
int weft__file_open(int *descriptor, struct stat *about, int folder, const char *path, int flags);
/// Reads until `room` is full or the file ends.
int weft__file_read(int descriptor, void *room, size_t room_bytes, size_t *read_bytes);
/// The whole of a file.
int weft__file_text(weft__text *out, const char *path);

/* ---- writing ---- */

/// Writes all of it.
int weft__file_write(int descriptor, const void *bytes, size_t count);

/// A file that is being made. It is written beside its target, where no other user can read it and under a name that nobody can know before,
/// and takes the target's place and its mode when it is whole; until then what was there is untouched. A link at the target is followed if it
/// is the user's own or root's. What is no file, as a device or a pipe, is written to itself.
typedef struct weft__new_file {
  int descriptor;   /* to be written to; -1: there is none */
  const char *step; /* what it failed in, for "cannot STEP `path`" */
  bool in_place;    /* it is a device or a pipe */
  bool replaces;    /* there is an old file */
  int folder;       /* of the target */
  mode_t mode;      /* for the new file */
  uid_t owner;      /* of the old one */
  gid_t group;
  char name[NAME_MAX + 1]; /* in the folder */
  char beside[64];         /* where it is written, there too */
} weft__new_file;

/// One that never began.
#define WEFT__NO_NEW_FILE ((weft__new_file){.descriptor = -1, .folder = -1, .step = "make"})

typedef enum weft__new_file_kind {
  WEFT__ANY_FILE,   /* a device or a pipe is opened: of a pipe that nobody reads yet it waits for the reader */
  WEFT__FILES_ONLY, /* a device, a pipe or a directory is WEFT__NOT_A_FILE */
} weft__new_file_kind;

/// Begins one; on failure there is nothing to end. A relative path begins at `folder`, AT_FDCWD or a descriptor.
int weft__new_file_begin(weft__new_file *file, int folder, const char *path, weft__new_file_kind kind);
/// Takes blocks on the disk for all of its bytes.
int weft__new_file_reserve(weft__new_file *file, uint64_t size_bytes);
int weft__new_file_write(weft__new_file *file, const void *bytes, size_t count);
/// Puts it in its place; if that fails it is gone. `is_lasting`: it is on the disk before it takes the old one's place.
int weft__new_file_end(weft__new_file *file, bool is_lasting);
/// Gives it up. Nothing to do where it never began, or was ended.
void weft__new_file_drop(weft__new_file *file);
/// The PID of the process that makes a file of this name beside its target; 0 for another name.
long weft__new_file_maker(const char *name);

#endif
