// SPDX-License-Identifier: MIT
/// A context's memory: statistics, reports, the budget, leaks, guard mode. See docs/guide.md, section 6.
///
///     rc = weft_memory_reserve(context, 1 << 20);
///     rc = weft_memory_report(&text, context);
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_MEMORY_H
#define WEFT_MEMORY_H

#include <weft/context.h>

WEFT_BEGIN_DECLS

/// Frees a text or a table that a function of Weft returned. NULL is ignored.
WEFT_API void weft_free(void *memory);

/// Statistics of a context's memory. Released memory stays in the pool for reuse, with the bound of docs/guide.md,
/// section 6. Each stream that ran a reduction or scan keeps about 36 KiB of scratch until the context closes, which
/// counts as active.
typedef struct weft_memory_stats {
  uint64_t active_bytes;  /* in live arrays and images */
  uint64_t held_bytes;    /* kept by the pool for reuse */
  uint64_t managed_bytes; /* active and held: given by the driver */
  uint64_t peak_active_bytes;
  uint64_t peak_managed_bytes;
  uint64_t limit_bytes;     /* the budget; the device's memory if none was set */
  uint64_t device_bytes;    /* the device's memory */
  uint64_t arrays;          /* number of live storages (views share one; an image has one) */
  uint64_t allocations;     /* requests so far */
  uint64_t pool_hits;       /* requests served without the driver */
  uint64_t to_device_bytes; /* copied from the host so far */
  uint64_t to_host_bytes;
  uint64_t launches;        /* kernels enqueued so far */
  uint64_t requested_bytes; /* what live arrays asked for; active is rounded up to buffer sizes */
  uint64_t peak_requested_bytes;
  uint64_t reserved_bytes;     /* from weft_memory_reserve: in arrays or held */
  uint64_t slab_bytes;         /* taken from CUDA: for arrays that it sees, with free pieces; for copies between GPUs */
  uint64_t driver_allocations; /* buffers made by the driver so far */
  uint64_t driver_releases;    /* buffers given back to the driver so far */
} weft_memory_stats;

/// Returns the statistics.
WEFT_API WEFT_NODISCARD weft_status weft_memory_get(weft_memory_stats *stats, const weft_context *context);

/// Makes memory for one array of `size_bytes` now, so that creating the array needs no driver call. Call it once per
/// array. The pool keeps the memory, whenever it is not in use, until weft_memory_trim or until memory runs out. Does
/// nothing if the pool is off. Does not wait. WEFT_ERROR_MEMORY, WEFT_ERROR_BUDGET: as for an array.
/// WEFT_ERROR_OVERFLOW: over 2^63-1 bytes.
WEFT_API WEFT_NODISCARD weft_status weft_memory_reserve(weft_context *context, uint64_t size_bytes);

/// Gives all memory that the pool holds back to the driver, reserved memory too. Waits for the device.
WEFT_API WEFT_NODISCARD weft_status weft_memory_trim(weft_context *context);

/// Sets the budget: an allocation that would make managed_bytes exceed it is WEFT_ERROR_BUDGET, after the pool has
/// given back what it can. 0: the device's memory. WEFT_MEMORY_LIMIT in the environment does the same for contexts made
/// without a limit.
WEFT_API WEFT_NODISCARD weft_status weft_memory_set_limit(weft_context *context, uint64_t limit_bytes);

/// Checks the guard zones of all arrays and the released memory kept aside. Guard mode (`.checks` of
/// weft_context_create, or WEFT_CHECKS=1) puts each array between two zones of known bytes, which each launch checks
/// too: docs/guide.md, section 6. Waits for the device, without guard mode too. WEFT_ERROR_BOUNDS: something wrote
/// outside an array; the message names the kernel, the array, the place, and the lines that launched and made them. The
/// zones are repaired, so each overrun is reported once. Further errors: as weft_context_wait.
WEFT_API WEFT_NODISCARD weft_status weft_memory_check(weft_context *context);

/// The form of a report.
typedef enum weft_report_format {
  WEFT_REPORT_TABLE = 0,
  WEFT_REPORT_JSON,
} weft_report_format;

/// Options of weft_memory_report, weft_snapshot_compare and weft_profile_report.
typedef struct weft_report_params {
  weft_report_format format;
  const char *site; /* set by the macros */
} weft_report_params;

/// Writes a report: the statistics and the live objects by the line that made them and by tag; then the process's
/// objects without a context: generators, ufunc objects, mapped .npy files and snapshots ("rng", "ufunc", "npy",
/// "snapshot"). Free *text with weft_free.
WEFT_API WEFT_NODISCARD weft_status weft_memory_report(char **text, const weft_context *context,
                                                       const weft_report_params *params);

/* ---- tags ---- */

/// Sets this thread's tag: arrays, kernels, streams and other objects that it makes from now on, in any context, carry
/// it in reports beside the line that made them. NULL or "": no tag. The text is copied, once for the life of the
/// process: use names, not numbers. weft_array_set_tag changes the tag of one array.
WEFT_API WEFT_NODISCARD weft_status weft_memory_tag(const char *tag);
/// Returns this thread's tag, NULL if it has none; valid as long as the process, so that it can be set again.
WEFT_API const char *weft_memory_tag_used(void);

/* ---- snapshots ---- */

/// The live objects of a context at one moment. A snapshot keeps no object and no context alive.
typedef struct weft_snapshot weft_snapshot;

/// All objects of one kind and tag that one line made. Kinds: "array", "image", "storage" (the memory of both),
/// "kernel", "program", "sampler", "stream", "timer", "event", "pinned", "rng", "csr".
typedef struct weft_snapshot_row {
  const char *kind; /* see above */
  const char *site; /* "file:line" */
  const char *tag;  /* NULL: no tag */
  uint64_t count;
  uint64_t size_bytes; /* for an array the memory made with it; 0 for a view */
} weft_snapshot_row;

/// A row whose count or bytes differ between two snapshots.
typedef struct weft_snapshot_change {
  const char *kind, *site, *tag; /* as in weft_snapshot_row */
  uint64_t before_count, after_count;
  uint64_t before_bytes, after_bytes;
} weft_snapshot_change;

/// Takes a snapshot. *out must be NULL. Does not wait.
WEFT_API WEFT_NODISCARD weft_status weft_snapshot_create(weft_snapshot **out, const weft_context *context);
/// Returns the snapshot's rows, the largest in bytes first; they live as long as the snapshot. NULL, with *count 0,
/// without rows and for a handle that is no snapshot.
WEFT_API const weft_snapshot_row *weft_snapshot_rows(size_t *count, const weft_snapshot *snapshot);
/// Frees a snapshot and sets *snapshot to NULL. NULL is allowed.
WEFT_API void weft_snapshot_release(weft_snapshot **snapshot);

/// Writes the changes from `before` to `after`: new, gone, grown and shrunk rows by line, kind and tag, the largest
/// change in bytes first; "nothing changed" without changes. Free *text with weft_free.
WEFT_API WEFT_NODISCARD weft_status weft_snapshot_compare(char **text, const weft_snapshot *before,
                                                          const weft_snapshot *after, const weft_report_params *params);
/// Returns the changes as an array of *count structs, for tests. Free *changes with weft_free; NULL without changes.
WEFT_API WEFT_NODISCARD weft_status weft_snapshot_get_changes(weft_snapshot_change **changes, size_t *count,
                                                              const weft_snapshot *before, const weft_snapshot *after);

/* ---- the timeline ---- */

/// Starts a recording of allocations and releases, with their lines and tags; it begins with the memory alive now and
/// discards any earlier recording. At most `event_limit` events are kept (0: a million, some 80 MB of host memory; an
/// array's life is four events); further ones are counted.
WEFT_API WEFT_NODISCARD weft_status weft_memory_timeline_start(weft_context *context, uint64_t event_limit);
/// Stops the recording; the recorded events can still be written.
WEFT_API WEFT_NODISCARD weft_status weft_memory_timeline_stop(weft_context *context);
/// Writes the recorded events to `file` (replaced as by weft_profile_write), as JSON in the Trace Event Format, for
/// ui.perfetto.dev or chrome://tracing: graphs of active and managed memory, and for each line a track with the life of
/// each piece of memory that it made. Times are CLOCK_MONOTONIC's. Does not wait for the device: the figures are the
/// pool's. WEFT_ERROR_ARGUMENT: nothing was ever recorded. WEFT_ERROR_FILE: writing failed.
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
#define weft_snapshot_create(out, context) \
  weft__snapshot_create_at(WEFT__PLACE(weft_snapshot, out), (context), WEFT_SITE)
#define weft_snapshot_compare(text, before, ...) \
  weft__snapshot_compare_at((text), (before), WEFT__FIRST(__VA_ARGS__), WEFT__OPTIONS(weft_report_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
