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
  const char *include_path;   /* searched next; NULL: not searched */
  const char *options;        /* for the compiler; NULL: none */
  bool checks;                /* guard mode: WEFT_CHECKS is defined */
  bool is_own;                /* Weft's source: errors name it as such and do not show it */
  bool is_for_90a;            /* kernels have instructions for sm_90a only (kernel/ptx.h) */
  bool is_generated;          /* Weft's source around a user's part: not shown either */
} weft__source;

/// Appends the expanded text: definitions, then the source. Each #include "..." that is found is replaced by its text,
/// with #line directives so that the compiler reports the user's own lines. Includes that are not found are left to the
/// compiler.
/// Errors: WEFT_ERROR_ARGUMENT (a malformed definition), WEFT_ERROR_BUILD (includes nested too deep), WEFT_ERROR_FILE
/// (an include exists but cannot be read), WEFT_ERROR_HOST_MEMORY.
weft_status weft__source_expand(weft__text *out, const weft__source *source);

/// The origin of line `wanted` of an expanded text, from its #line directives. Returns the line's beginning.
const char *weft__source_origin(const char *text, unsigned wanted, weft__text *name, unsigned *line);
/// The line `wanted` of the file whose name has this hash (cl/weft/assert.clh), in an expanded text; "" if it has none.
/// `name` becomes the file's.
const char *weft__source_find(const char *text, uint32_t file_hash, unsigned wanted, weft__text *name);

/// Reads a file. A pipe or a device is an error. Errors: WEFT_ERROR_FILE, WEFT_ERROR_HOST_MEMORY.
weft_status weft__read_file(weft__text *out, const char *path);

#endif
