// SPDX-License-Identifier: MIT
/// The cache of built kernels: a folder on disk that all of a user's programs share, and kernels linked into a program
/// (`weft pack`). It is on without a call, and no failure of it is an error of another call. The environment chooses
/// folder and size: WEFT_CACHE, WEFT_CACHE_DIR, WEFT_CACHE_LIMIT.
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_CACHE_H
#define WEFT_CACHE_H

#include <weft/context.h>

WEFT_BEGIN_DECLS

/// The cache as this process sees it.
typedef struct weft_cache_info {
  bool is_on;           /* the folder can be used, or will be made by the first program */
  char folder[4096];    /* "" if the environment switches the cache off or names no folder */
  char why[256];        /* why the folder is not used; "" if it is */
  uint64_t limit_bytes; /* of all files */
  uint64_t files;       /* one for each built program */
  uint64_t size_bytes;
  uint64_t hits;        /* since the process began: programs read from the folder, */
  uint64_t packed_hits; /* added by weft_cache_add, */
  uint64_t misses;      /* not found, */
  uint64_t refused;     /* found in a file that was damaged or may be another user's, and built anew; */
  uint64_t stored;      /* written to the folder */
} weft_cache_info;

/// Describes the cache: reads the folder, and needs no device. That the cache is off is no error.
/// Errors: WEFT_ERROR_FILE (the folder cannot be read).
WEFT_API WEFT_NODISCARD weft_status weft_cache_get(weft_cache_info *info);

/// Removes all files of the cache, also while other programs use it; they build anew. Other files in the folder stay.
/// Errors: WEFT_ERROR_FILE (the folder cannot be used, or a file not be removed).
WEFT_API WEFT_NODISCARD weft_status weft_cache_clear(void);

/// Adds a built program to this process, before contexts are made: the bytes of one of the cache's files, as in the
/// source that `weft pack` writes, which calls this before main(). They are not copied and must stay. A program is used
/// where platform, device and driver are the same, without the folder; elsewhere it is built from its source. Errors:
/// WEFT_ERROR_ARGUMENT (the bytes are damaged or not such a file's).
WEFT_API WEFT_NODISCARD weft_status weft_cache_add(const void *bytes, size_t size_bytes);

/// Builds the program of one of the cache's files, made on another machine or with another driver, for the device of
/// `context` (NULL: the thread's default), and keeps it in the cache: when the context is closed, where the driver
/// compiles at launches. Blocks. Errors: WEFT_ERROR_ARGUMENT (the bytes are damaged), WEFT_ERROR_UNSUPPORTED (another
/// version of Weft made them, or a CPU for a GPU or the reverse), as weft_kernel_create.
WEFT_API WEFT_NODISCARD weft_status weft_cache_prepare(weft_context *context, const void *bytes, size_t size_bytes);

WEFT_END_DECLS

#endif
