// SPDX-License-Identifier: MIT
/// Pinned host memory: pages that stay in place, so that the device reads and writes them directly (CUDA's
/// cudaHostAlloc).
///
///     float *data = NULL;
///     rc = weft_pinned_alloc(&data, context, n * sizeof *data);
///     ... fill it; calls that read host memory recognise it by its address ...
///     weft_pinned_free(&data);
///
/// Copies to and from a device with its own memory reach the bus's full rate without the processor. Pinned memory
/// cannot be swapped out, so much of it slows the machine down. Pinning pays for memory that is copied often or while
/// other work runs: other memory, above some megabytes, is copied by several threads through a small pinned ring.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_PINNED_H
#define WEFT_PINNED_H

#include <weft/context.h>

WEFT_BEGIN_DECLS

/// Allocates `size_bytes` of pinned memory, aligned to a page, with undefined contents. `data` is the address of a
/// pointer of any type, which must be NULL. The memory holds its context and is listed in leak reports. On a CPU device
/// it is plain memory. Blocks while the system finds the pages. Errors: WEFT_ERROR_MEMORY (the system pins no more).
WEFT_API WEFT_NODISCARD weft_status weft_pinned_alloc(void **data, weft_context *context, size_t size_bytes);

/// Pins memory of the program's own, also memory that processes share, until weft_pinned_free, before which it must
/// stay where it is. Whole pages are best. A driver need not pin it (OpenCL's CL_MEM_USE_HOST_PTR promises nothing):
/// then copies are right, and slower; `weft bench memory` measures it. Blocks while pages are pinned. Errors:
/// WEFT_ERROR_ARGUMENT (NULL, 0 bytes, `data` is pinned already), WEFT_ERROR_MEMORY (the system pins no more).
WEFT_API WEFT_NODISCARD weft_status weft_pinned_register(void *data, weft_context *context, size_t size_bytes);

/// Waits for the work of the memory's context, frees the memory and sets *data to NULL. Registered memory stays the
/// program's. NULL is allowed. An address where no pinned memory begins is left alone, with a line in the log.
/// weft_context_close frees all pinned memory of its context.
WEFT_API void weft_pinned_free(void **data);

/// Whether the `size_bytes` bytes from `data` lie in one block of pinned memory of `context`.
WEFT_API bool weft_is_pinned(const weft_context *context, const void *data, size_t size_bytes);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__pinned_alloc_at(void **data, weft_context *context, size_t size_bytes,
                                                          const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__pinned_register_at(void *data, weft_context *context, size_t size_bytes,
                                                             const char *site);
WEFT_API void weft__pinned_free_at(void **data);

/* `data` is the address of a pointer of any type */
#define weft_pinned_alloc(data, context, size_bytes) \
  weft__pinned_alloc_at((void **)(data), (context), (size_bytes), WEFT_SITE)
#define weft_pinned_register(data, context, size_bytes) \
  weft__pinned_register_at((data), (context), (size_bytes), WEFT_SITE)
#define weft_pinned_free(data) weft__pinned_free_at((void **)(data))

WEFT_END_DECLS

#endif
