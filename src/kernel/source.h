// SPDX-License-Identifier: MIT
/// A kernel's source, made whole: embedded headers, headers beside the file, definitions in front.
#ifndef WEFT_KERNEL_SOURCE_H
#define WEFT_KERNEL_SOURCE_H

#include "base/error.h"

typedef struct weft__source {
  const char *name; /* what messages call it */
  const char *text;
  const char *const *defines; /* "NAME" or "NAME=VALUE", ended by NULL; NULL for none */
  const char *folder;         /* where #include "..." looks first; NULL or "": nowhere */
  const char *include_path;   /* and then; NULL: nowhere */
  const char *options;        /* for the compiler; NULL: none */
  bool checks;                /* guard mode: WEFT_CHECKS is defined */
  bool is_own;                /* Weft's source: errors say so and do not show it */
  bool is_generated;          /* Weft's source around a user's part: not shown either */
} weft__source;

/// Appends the whole text: definitions, then the source with every #include "..." that can be found replaced by its
/// text, and #line directives so that the compiler speaks of the user's own lines. What cannot be found is left for the
/// compiler to complain about.
/// Errors: WEFT_ERROR_ARGUMENT (a malformed definition), WEFT_ERROR_BUILD (includes nested too deep), WEFT_ERROR_FILE
/// (an include exists but cannot be read), WEFT_ERROR_HOST_MEMORY.
weft_status weft__source_expand(weft__text *out, const weft__source *source);

/// Where line `wanted` of an expanded text comes from, by its #line directives.
void weft__source_origin(const char *text, unsigned wanted, weft__text *name, unsigned *line);

/// Reads a file; a pipe or a device is an error. Errors: WEFT_ERROR_FILE, WEFT_ERROR_HOST_MEMORY.
weft_status weft__read_file(weft__text *out, const char *path);

#endif
