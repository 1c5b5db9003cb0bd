// SPDX-License-Identifier: MIT
/// What a context's memory is doing: figures, reports, the budget.
#ifndef WEFT_MEMORY_H
#define WEFT_MEMORY_H

#include <weft/context.h>

WEFT_BEGIN_DECLS

/// The pool keeps released memory for reuse, and gives the driver back what was unused longest, so that managed_bytes
/// are at most 1.3 times the largest sum that arrays alive asked for so far (each counted with 512 bytes at least), or
/// 1/1024 of the device's memory where that is more (at least 1 MiB), and reserved_bytes besides.
///
/// active: in arrays that are alive. held: kept by the pool for reuse. managed: both, what the driver has given.
/// requested: what the arrays alive asked for; active is that rounded up to what their buffers have. Some 36 KiB for
/// each stream that sums and scans ran on are the library's own: they count as active, in no array, until the context
/// is closed.
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
WEFT_API WEFT_NODISCARD weft_status weft_memory_get(weft_memory_stats *stats, const weft_context *context);

/// Makes memory for one array of `size_bytes` now, so that making the array later asks no driver; called several times,
/// for several. The pool keeps it, when it is not in use, until weft_memory_trim, or until memory runs out and the pool
/// gives all back. Where the pool is off it does nothing. Does not block. Errors: WEFT_ERROR_MEMORY, WEFT_ERROR_BUDGET,
/// WEFT_ERROR_OVERFLOW (over 2^63-1 bytes), WEFT_ERROR_DRIVER, WEFT_ERROR_HOST_MEMORY. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_memory_reserve(weft_context *context, uint64_t size_bytes);

/// Gives back to the driver all that the pool holds for reuse, also what was reserved. Waits for the device. Thread:
/// any.
WEFT_API WEFT_NODISCARD weft_status weft_memory_trim(weft_context *context);

/// Sets the budget: allocations that would make managed_bytes exceed it answer WEFT_ERROR_BUDGET, when the pool has
/// given back what it can. 0: the device's memory. WEFT_MEMORY_LIMIT in the environment does the same for contexts made
/// with no limit of their own. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_memory_set_limit(weft_context *context, uint64_t limit_bytes);

/// Looks at the guards of all arrays; waits for the device. Without guard mode it only waits.
///
/// In guard mode (`checks` of weft_context_params, or WEFT_CHECKS=1 in the environment when a context is made) every
/// array lies between two zones of known bytes, each 4 KiB or more, and weft_empty's arrays begin as bytes 0xdb. Each
/// launch waits for itself, one at a time, and then the zones of its arrays are looked at: where something wrote there,
/// the launch returns WEFT_ERROR_BOUNDS and names kernel, array, place and the lines that launched and made them. What
/// the launch did is done; the zones are as new, so that nothing is told twice. Released memory is filled with 0xdb and
/// kept aside (up to 8 MiB, 64 arrays), to see late writes. weft_context_wait, weft_context_close and this function
/// look at everything; what is found at a release is told by the first of them that follows.
///
/// Kernels that include weft/prelude.clh may write WEFT_AT(x, i) for x[i]: an index outside the array is then found
/// before it does harm, with line and thread. Without guard mode it is x[i]. It knows the arrays whose pointer is the
/// kernel's parameter; where a view that does not start its buffer is passed, it is unchecked. Not seen: writes beyond
/// a zone, writes into another array or elsewhere in the same one, reads without WEFT_AT, and a byte that is written as
/// it was. Zones are no part of the budget. weft_array_cl_mem gives a sub-buffer, from which OpenCL makes no further
/// ones.
/// Errors: WEFT_ERROR_BOUNDS, and as weft_context_wait. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_memory_check(weft_context *context);

typedef enum weft_report_format {
  WEFT_REPORT_TABLE = 0,
  WEFT_REPORT_JSON,
} weft_report_format;

/// Options of weft_memory_report, weft_snapshot_compare and weft_profile_report.
typedef struct weft_report_params {
  weft_report_format format;
  const char *site; /* set by the macros */
} weft_report_params;

/// The live objects, by the line that made them (number, bytes) and tag, with the figures above; then the process's
/// objects without a context: generators, ufunc objects, mapped .npy files and snapshots ("rng", "ufunc", "npy",
/// "snapshot").
/// Free *text with weft_free. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_memory_report(char **text, const weft_context *context,
                                                       const weft_report_params *params);

/* ---- tags ---- */

/// What this thread makes from here on, arrays, kernels, streams and the like in any context, carries `tag` in reports,
/// beside the line that made it: for lines that serve several purposes. NULL or "": none. The text is copied, once for
/// the life of the process: use names, not numbers. weft_array_set_tag gives one array another. Errors:
/// WEFT_ERROR_HOST_MEMORY. Thread: any, for itself.
WEFT_API WEFT_NODISCARD weft_status weft_memory_tag(const char *tag);
/// This thread's tag, NULL when there is none; valid as long as the process, so that it can be set again. Thread: any.
WEFT_API const char *weft_memory_tag_used(void);

/* ---- snapshots ---- */

/// What was alive in a context at one moment. It holds no object and no context.
typedef struct weft_snapshot weft_snapshot;

/// All objects of one kind and tag that one line made.
typedef struct weft_snapshot_row {
  const char *kind; /* "array", "kernel", "stream", "timer", "event", "pinned", "rng", "storage" (the memory of arrays),
                       "program" */
  const char *site; /* "file:line" */
  const char *tag;  /* NULL: none */
  uint64_t count;
  uint64_t size_bytes; /* of an array: what it brought along, which is 0 for a view */
} weft_snapshot_row;

/// What changed between two: a row whose count or bytes are not the same.
typedef struct weft_snapshot_change {
  const char *kind, *site, *tag; /* as above */
  uint64_t before_count, after_count;
  uint64_t before_bytes, after_bytes;
} weft_snapshot_change;

/// Takes a snapshot. *out must be NULL. Does not wait. Errors: WEFT_ERROR_HANDLE, WEFT_ERROR_ARGUMENT,
/// WEFT_ERROR_HOST_MEMORY. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_snapshot_create(weft_snapshot **out, const weft_context *context);
/// Its rows, the largest in bytes first; they are the snapshot's and go with it. NULL, and *count 0, for none and for
/// what is no snapshot.
WEFT_API const weft_snapshot_row *weft_snapshot_rows(size_t *count, const weft_snapshot *snapshot);
/// Frees it and sets *snapshot to NULL. NULL is fine. Thread: any.
WEFT_API void weft_snapshot_release(weft_snapshot **snapshot);

/// What is new, gone, grown and shrunk from `before` to `after`, by line, kind and tag, the largest change in bytes
/// first; "nothing changed". Free *text with weft_free. Errors: WEFT_ERROR_HANDLE, WEFT_ERROR_ARGUMENT,
/// WEFT_ERROR_HOST_MEMORY. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_snapshot_compare(char **text, const weft_snapshot *before,
                                                          const weft_snapshot *after, const weft_report_params *params);
/// The same for programs, as tests want it: *count changes at *changes, to be freed with weft_free; NULL for none.
/// Errors as above.
WEFT_API WEFT_NODISCARD weft_status weft_snapshot_get_changes(weft_snapshot_change **changes, size_t *count,
                                                              const weft_snapshot *before, const weft_snapshot *after);

/* ---- the timeline ---- */

/// Records from here on when memory is allocated and released, by which line and with which tag, beginning with what is
/// alive now; what was recorded before is forgotten. At most `event_limit` events are kept (0: a million, some 80 MB of
/// the host's memory; an array's life is four), what comes after is counted. Errors: WEFT_ERROR_HANDLE,
/// WEFT_ERROR_CLOSED, WEFT_ERROR_HOST_MEMORY. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_memory_timeline_start(weft_context *context, uint64_t event_limit);
/// Records no more; what was recorded can still be written. Errors: WEFT_ERROR_HANDLE. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_memory_timeline_stop(weft_context *context);
/// Writes the events recorded so far to `file`, replaced as by weft_profile_write: JSON in the Trace Event Format, for
/// ui.perfetto.dev or chrome://tracing. It has graphs of active and managed memory (see weft_memory_stats), and for
/// each line a track with the life of each piece of memory that it made. Times are those of CLOCK_MONOTONIC. Does not
/// wait for the device, nor do the figures: they are the pool's.
/// Errors: WEFT_ERROR_HANDLE, WEFT_ERROR_ARGUMENT (nothing was ever recorded), WEFT_ERROR_FILE, WEFT_ERROR_HOST_MEMORY.
/// Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_memory_timeline_write(weft_context *context, const char *file);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__memory_reserve_at(weft_context *context, uint64_t size_bytes,
                                                            const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__memory_report_at(char **text, const weft_context *context,
                                                           const weft_report_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__snapshot_create_at(weft_snapshot **out, const weft_context *context,
                                                             const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__snapshot_compare_at(char **text, const weft_snapshot *before,
                                                              const weft_snapshot *after,
                                                              const weft_report_params *params);

#define weft_memory_reserve(context, size_bytes) weft__memory_reserve_at((context), (size_bytes), WEFT_SITE)
#define weft_memory_report(text, ...) \
  weft__memory_report_at((text), WEFT__FIRST(__VA_ARGS__), WEFT__OPTIONS(weft_report_params, __VA_ARGS__))
#define weft_snapshot_create(out, context) weft__snapshot_create_at((out), (context), WEFT_SITE)
#define weft_snapshot_compare(text, before, ...) \
  weft__snapshot_compare_at((text), (before), WEFT__FIRST(__VA_ARGS__), WEFT__OPTIONS(weft_report_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
