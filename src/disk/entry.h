// SPDX-License-Identifier: MIT
/// A program's file in the cache: a line "weft-cache 1 HASH KEY FACTS CODE" with the hash of key and facts and the
/// lengths of the three parts behind it. The code is a file of kernel/binary.h, which has its own hash.
#ifndef WEFT_DISK_ENTRY_H
#define WEFT_DISK_ENTRY_H

#include "base/text.h"

/// A part of the file's bytes; not ended by a zero.
typedef struct weft__part {
  const char *bytes;
  size_t size;
} weft__part;

typedef struct weft__entry_parts {
  weft__part key;   /* everything that the code depends on */
  weft__part facts; /* lines about the code */
  weft__part code;
} weft__entry_parts;

void weft__entry_write(weft__text *out, const weft__entry_parts *parts);
/// Finds the parts of a file. NULL, or what is wrong with it.
const char *weft__entry_read(weft__entry_parts *parts, const void *bytes, size_t size_bytes);

/// The rest of the line "NAME rest" in a part that begins with such lines; .bytes NULL: it has none.
weft__part weft__part_line(const weft__part *part, const char *name);

/// As weft__part_line, and moves `rest` behind the line: for names of several lines.
weft__part weft__part_next(weft__part *rest, const char *name);

#endif
