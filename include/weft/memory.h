// SPDX-License-Identifier: MIT
/// What a context's memory is doing: figures, reports, the budget.
#ifndef WEFT_MEMORY_H
#define WEFT_MEMORY_H

#include <weft/context.h>

WEFT_BEGIN_DECLS

/// active: in arrays that are alive. held: kept by the pool for reuse. managed: both, what the driver has given.
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
} weft_memory_stats;

/// Errors: WEFT_ERROR_HANDLE, WEFT_ERROR_ARGUMENT. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_memory_get_stats(weft_memory_stats *stats, const weft_context *context);

/// Gives back to the driver all that the pool holds for reuse. Waits for the device. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_memory_trim(weft_context *context);

/// Sets the budget: allocations that would make managed_bytes exceed it answer WEFT_ERROR_BUDGET. 0: the device's memory. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_memory_set_limit(weft_context *context, uint64_t limit_bytes);

typedef enum weft_report_format {
  WEFT_REPORT_TABLE = 0,
  WEFT_REPORT_JSON,
} weft_report_format;

/// What is alive, by the line that made it (objects, bytes), with the figures above. Free *text with weft_free. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_memory_report(char **text, const weft_context *context, weft_report_format format);

WEFT_END_DECLS

#endif
