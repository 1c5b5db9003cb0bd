// SPDX-License-Identifier: MIT
/// Pinned host memory: memory that the system keeps in its place, so that the device reads and writes it by itself.
/// Copies between it and a device with its own memory take the bus's full rate and no processor; what CUDA's
/// programmers know as cudaHostAlloc.
///
///     float *data = NULL;
///     rc = weft_pinned_alloc(&data, context, n * sizeof *data);
///     ... fill it; weft_from_host and every other call that reads host memory see by the address that it is pinned ...
///     weft_pinned_free(&data);
///
/// Pinned memory cannot be swapped out: a machine slows down when much of it is. Other host memory, above some
/// megabytes, is copied through a small pinned ring by several threads, at most of the bus's rate; so pinning pays for
/// what is copied often, or while other work runs.
#ifndef WEFT_PINNED_H
#define WEFT_PINNED_H

#include <weft/context.h>

WEFT_BEGIN_DECLS

/// Allocates `size_bytes` of pinned memory, aligned to a page, for `context` (NULL: the default one), which it holds.
/// `data` is the address of a pointer of any type, which must be NULL; the bytes are whatever they were. It is listed
/// with arrays in reports of leaks. On a CPU device it is plain memory.
/// Errors: WEFT_ERROR_ARGUMENT, WEFT_ERROR_MEMORY (the system pins no more), WEFT_ERROR_HOST_MEMORY, as
/// weft_context_default. Blocks while the system finds the pages. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_pinned_alloc(void **data, weft_context *context, size_t size_bytes);

/// Frees it and sets *data to NULL, after waiting for the work of its context, which may still read or write it. NULL
/// is fine; an address that no block begins at is left as it is, with a line in the log. Memory of a context that was
/// closed is gone with it. Thread: any.
WEFT_API void weft_pinned_free(void **data);

/// Whether the bytes from `data` on are in one block of pinned memory of `context`. Thread: any.
WEFT_API bool weft_is_pinned(const weft_context *context, const void *data, size_t size_bytes);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__pinned_alloc_at(void **data, weft_context *context, size_t size_bytes,
                                                          const char *site);
WEFT_API void weft__pinned_free_at(void **data);

/* the address of a pointer of any type */
#define weft_pinned_alloc(data, context, size_bytes) \
  weft__pinned_alloc_at((void **)(data), (context), (size_bytes), WEFT_SITE)
#define weft_pinned_free(data) weft__pinned_free_at((void **)(data))

WEFT_END_DECLS

#endif
