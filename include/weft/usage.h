// SPDX-License-Identifier: MIT
/// Counters of a context: launches, builds, and the copies that calls with host memory made.
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_USAGE_H
#define WEFT_USAGE_H

#include <weft/context.h>

WEFT_BEGIN_DECLS

/// What a context has done since it was created: counts, times and bytes.
typedef struct weft_usage {
  uint64_t launches;       /* of all kernels, Weft's fills, copies and casts included */
  uint64_t small_launches; /* by weft_launch and functions over arrays: fewer threads or blocks than the two below */
  uint64_t full_threads;   /* of a GPU: an estimate of the threads it holds at once; 0 on CPUs */
  uint64_t full_blocks;    /* of a CPU: its compute units; 0 on GPUs */
  uint64_t builds;         /* programs built; the first is the context's own */
  uint64_t build_time_ns;
  uint64_t copies_in; /* host memory (WEFT_HOST) copied to the device for one call; not where a CPU device uses it */
  uint64_t copies_in_bytes;
  uint64_t copies_back; /* results copied to host memory (WEFT_HOST_OUT) */
  uint64_t copies_back_bytes;
  uint64_t cached_builds; /* of the builds, those that the cache on disk or in the program had (weft/cache.h) */
} weft_usage;

/// Writes the counts since `context` was created. A launch below full_threads leaves a part of a GPU without work; the
/// estimate is compute units times the largest block, 132 * 1024 on an H200. A GPU thread of weft_add does 16 bytes and
/// more. The first copy in, copy back and small launch are also reported in the log (WEFT_LOG_WARNING) with the line of
/// the program and advice. weft_memory_get has the bytes of all copies. Does not wait.
WEFT_API WEFT_NODISCARD weft_status weft_usage_get(weft_usage *usage, const weft_context *context);

WEFT_END_DECLS

#endif
