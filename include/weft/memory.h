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

/// Looks at the guards of all arrays; waits for the device. Without guard mode it only waits.
///
/// In guard mode (`checks` of weft_context_params, or WEFT_CHECKS=1 in the environment when a context is made) every array lies between two
/// zones of known bytes, each 4 KiB or more, and weft_empty's arrays begin as bytes 0xdb. Each launch waits for itself, one at a time, and
/// then the zones of its arrays are looked at: where something wrote there, the launch returns WEFT_ERROR_BOUNDS and names kernel, array,
/// place and the lines that launched and made them. What the launch did is done; the zones are as new, so that nothing is told twice.
/// Released memory is filled with 0xdb and kept aside (up to 8 MiB, 64 arrays), to see late writes. weft_context_wait, weft_context_close
/// and this function look at everything; what is found at a release is told by the first of them that follows.
///
/// Kernels that include weft/prelude.clh may write WEFT_AT(x, i) for x[i]: an index outside the array is then found before it does harm,
/// with line and thread. Without guard mode it is x[i]. It knows the arrays whose pointer is the kernel's parameter; where a view that
/// does not start its buffer is passed, it is unchecked.
/// Not seen: writes beyond a zone, writes into another array or elsewhere in the same one, reads without WEFT_AT, and a byte that is
/// written as it was. Zones are no part of the budget. weft_array_cl_mem gives a sub-buffer, from which OpenCL makes no further ones.
/// Errors: WEFT_ERROR_BOUNDS, and as weft_context_wait. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_memory_check(weft_context *context);

typedef enum weft_report_format {
  WEFT_REPORT_TABLE = 0,
  WEFT_REPORT_JSON,
} weft_report_format;

/// What is alive, by the line that made it (objects, bytes), with the figures above. Free *text with weft_free. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_memory_report(char **text, const weft_context *context, weft_report_format format);

WEFT_END_DECLS

#endif
