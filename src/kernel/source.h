// SPDX-License-Identifier: MIT
/// Expands a kernel's source: definitions first, includes replaced by embedded headers and by files.
#ifndef WEFT_KERNEL_SOURCE_H
#define WEFT_KERNEL_SOURCE_H

#include <stdint.h>

#include "base/error.h"

typedef struct weft__source {
  const char *name; /* its name in messages */
  const char *text;
  const char *const *defines; /* "NAME" or "NAME=VALUE", ended by NULL; NULL for none */
  const char *folder;         /* searched first for #include "..."; NULL or "": not searched */
  const char *include_path;   /* folders searched next, with colons between them; NULL: none */
  const char *options;        /* for the compiler; NULL: none. Folders of -I are searched next */
  bool checks;                /* guard mode: WEFT_CHECKS is defined */
  bool is_own;                /* Weft's source: errors name it as such and do not show it */
  bool is_for_90a;            /* kernels have instructions for sm_90a only (kernel/ptx.h) */
  bool is_generated;          /* Weft's source around a user's part, which a #line names: not shown either */
  bool is_expanded;           /* the text is the result of weft__source_expand */
} weft__source;

/// Appends the expanded text: definitions, then the source, without a byte order mark. Each #include that is found is
/// replaced by the header's text (kernel/splice.h), with #line directives so that the compiler reports the user's own
/// lines; `#pragma once`, __has_include and names that macros stand for are understood. Includes that are not found are
/// left to the compiler. Users' sources see of Weft's only those whose names begin with "weft/".
/// Errors: WEFT_ERROR_ARGUMENT (a malformed definition), WEFT_ERROR_BUILD (includes nested too deep, or too long a
/// text), WEFT_ERROR_FILE (an include exists but cannot be read), WEFT_ERROR_HOST_MEMORY.
weft_status weft__source_expand(weft__text *out, const weft__source *source);

/// The origin of line `wanted` of an expanded text, from its #line directives. Returns the line's beginning.
const char *weft__source_origin(const char *text, unsigned wanted, weft__text *name, unsigned *line);
/// The line `wanted` of the file whose name has this hash (cl/weft/assert.clh), in an expanded text; "" if it has none.
/// `name` becomes the file's.
const char *weft__source_find(const char *text, uint32_t file_hash, unsigned wanted, weft__text *name);

/// Reads a file. A pipe or a device is an error. Errors: WEFT_ERROR_FILE, WEFT_ERROR_HOST_MEMORY.
weft_status weft__read_file(weft__text *out, const char *path);

#endif
