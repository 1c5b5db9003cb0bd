// SPDX-License-Identifier: MIT
/// The folder of built programs that all of a user's programs share: WEFT_CACHE_DIR, else $XDG_CACHE_HOME/weft, else
/// ~/.cache/weft. Folder and files are used only if they belong to this user and no other user may write them, because
/// their content is run. Every failure ends in a text that says why, never in an error: callers go on without.
/// Functions are safe beside other processes that use the folder.
#ifndef WEFT_DISK_FOLDER_H
#define WEFT_DISK_FOLDER_H

#include <limits.h>

#include "base/text.h"

typedef struct weft__disk {
  int folder; /* a descriptor; -1: not open */
  uint64_t limit_bytes;
  char path[PATH_MAX]; /* "": the cache is off */
} weft__disk;

/// Opens the folder, with `make` after making it. False: the cache is off, or the folder cannot be used, and `why` says
/// so; a folder that is not there yet is no reason. Close it in any case.
bool weft__disk_open(weft__disk *disk, bool make, weft__text *why);
void weft__disk_close(weft__disk *disk);

/// Whether the environment allows the cache at all.
bool weft__disk_is_on(void);

/// Whether the user named the folder.
bool weft__disk_is_named(void);

#define WEFT__DISK_NAME_BYTES 24 /* "0123456789abcdef.weft" */
/// The name of the file for a key.
void weft__disk_name(char name[WEFT__DISK_NAME_BYTES], const char *key, size_t key_bytes);

/// Reads a file of the folder and marks it as used. False: it is not there, or `why` says why it is not believed.
bool weft__disk_read(weft__text *out, const weft__disk *disk, const char *name, weft__text *why);
/// Writes a file, whole or not at all, and removes the least recently used ones above the limit.
bool weft__disk_write(const weft__disk *disk, const char *name, const weft__text *content, weft__text *why);
/// Counts the files and their bytes. 0, or the errno value of what kept it from counting all.
int weft__disk_measure(const weft__disk *disk, uint64_t *files, uint64_t *bytes);
/// Removes all files of the cache, and what ended processes left behind; other files of the folder stay. `left`: files
/// that cannot be removed. 0, or the errno value of what kept it from finding all.
int weft__disk_clear(const weft__disk *disk, uint64_t *left);

#endif
