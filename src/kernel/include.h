// SPDX-License-Identifier: MIT
/// The headers of a source: where they are, and their texts.
#ifndef WEFT_KERNEL_INCLUDE_H
#define WEFT_KERNEL_INCLUDE_H

#include <sys/types.h>

#include "kernel/macros.h"
#include "kernel/source.h"

/// A file that is included: one of the disk, which has one entry under all of its names, or one of Weft's.
typedef struct weft__header {
  struct weft__header *next;
  const char *text;
  bool is_embedded;
  dev_t device; /* of a file of the disk */
  ino_t number;
  weft__macro *guard; /* once defined, the file has nothing more to say; NULL: no macro */
  bool defines_guard; /* in the line that follows, so that no one else does */
  weft__macro *once;  /* that `#pragma once` in it becomes; NULL: no macro */
  weft__text content;
} weft__header;

/// What a source includes, its own text first. All zero is empty.
typedef struct weft__headers {
  weft__header *first;
  unsigned count;
} weft__headers;

/// Who includes a header.
typedef struct weft__includer {
  const weft__source *source;
  const char *folder; /* where it lies; NULL: nowhere */
  const char *shown;  /* that folder in messages, with a slash behind it, or "" */
  bool is_embedded;
  bool sees_all; /* all of Weft's sources, not only those that begin with weft/ */
} weft__includer;

/// Where a header was found.
typedef struct weft__found {
  weft__header *header; /* NULL: nowhere */
  weft__text path;      /* on the disk */
  weft__text shown;     /* its name in messages */
} weft__found;

void weft__headers_free(weft__headers *headers);
void weft__found_free(weft__found *found);

/// Finds `name`, from #include "name" if `is_quoted`, else from #include <name>, and reads it. Searched: Weft's sources
/// that the includer sees; for "name" the includer's folder, then the source's; the folders of include_path and
/// of -I options; the current folder.
/// Errors: WEFT_ERROR_FILE (it is there but cannot be read, or is not text), WEFT_ERROR_HOST_MEMORY.
weft_status weft__include_find(weft__found *found, weft__headers *headers, weft__macros *macros,
                               const weft__includer *includer, const char *name, bool is_quoted);

/// Tells the macros what -D and -U options define.
void weft__options_define(weft__macros *macros, const char *options);

/// A text without the byte order mark that some editors put first.
const char *weft__text_begin(const char *text);

#endif
