// SPDX-License-Identifier: MIT
/// What a context's memory is doing: figures, reports, the budget.
#ifndef WEFT_MEMORY_H
#define WEFT_MEMORY_H

#include <weft/context.h>

WEFT_BEGIN_DECLS

/// The pool keeps released memory for reuse, and gives the driver back what was unused longest, so that managed_bytes are at most 1.3 times
/// the largest sum that arrays alive asked for so far (each counted with 512 bytes at least), or 1/1024 of the device's memory where that is
/// more (at least 1 MiB), and reserved_bytes besides.
///
/// active: in arrays that are alive. held: kept by the pool for reuse. managed: both, what the driver has given. requested: what the arrays
/// alive asked for; active is that rounded up to what their buffers have.
typedef struct weft_memory_stats {
  uint64_t active_bytes;
  uint64_t held_bytes;
  uint64_t managed_bytes;
  uint64_t peak_active_bytes;
  uint64_t peak_managed_bytes;
  uint64_t limit_bytes;     /* the budget; the device's memory if none was set */
  uint64_t device_bytes;    /* the device's memory */
  uint64_t arrays;          /* storages alive */
  uint64_t allocations;     /* asked for so far */
  uint64_t pool_hits;       /* of these, served without the driver */
  uint64_t to_device_bytes; /* copied from the host so far */
  uint64_t to_host_bytes;
  uint64_t launches; /* kernels enqueued so far */
  uint64_t requested_bytes;
  uint64_t peak_requested_bytes;
  uint64_t reserved_bytes;     /* of weft_memory_reserve: in arrays or held */
  uint64_t driver_allocations; /* buffers made by the driver so far */
  uint64_t driver_releases;    /* and given back to it */
} weft_memory_stats;

/// Errors: WEFT_ERROR_HANDLE, WEFT_ERROR_ARGUMENT. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_memory_get_stats(weft_memory_stats *stats, const weft_context *context);

/// Makes memory for one array of `size_bytes` now, so that making the array later asks no driver; called several times, for several. The pool
/// keeps it, when it is not in use, until weft_memory_trim, or until memory runs out and the pool gives all back. Where the pool is off
/// it does nothing. Does not block. Errors: WEFT_ERROR_MEMORY, WEFT_ERROR_BUDGET, WEFT_ERROR_OVERFLOW (over 2^63-1 bytes), WEFT_ERROR_DRIVER,
/// WEFT_ERROR_HOST_MEMORY. Thread: any.
#define weft_memory_reserve(context, size_bytes) weft_memory_reserve_at((context), (size_bytes), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft_memory_reserve_at(weft_context *context, uint64_t size_bytes, const char *site);

/// Gives back to the driver all that the pool holds for reuse, also what was reserved. Waits for the device. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_memory_trim(weft_context *context);

/// Sets the budget: allocations that would make managed_bytes exceed it answer WEFT_ERROR_BUDGET, when the pool has given back what it can.
/// 0: the device's memory. WEFT_MEMORY_LIMIT in the environment does the same for contexts made with no limit of their own. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_memory_set_limit(weft_context *context, uint64_t limit_bytes);

typedef enum weft_report_format {
  WEFT_REPORT_TABLE = 0,
  WEFT_REPORT_JSON,
} weft_report_format;

/// What is alive, by the line that made it (objects, bytes), with the figures above. Free *text with weft_free. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_memory_report(char **text, const weft_context *context, weft_report_format format);

WEFT_END_DECLS

#endif
