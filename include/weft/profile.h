// SPDX-License-Identifier: MIT
/// The profile: device times of kernels and copies, host times and bytes, by the caller's line; as a table, as JSON, or
/// as a trace file for ui.perfetto.dev and chrome://tracing. WEFT_PROFILE=1 profiles a program: docs/guide.md, section
/// 14.
///
///     weft_profile_start(context);
///     weft_profile_push("epoch 1");
///     ... functions, launches, copies ...
///     weft_profile_pop();
///     weft_profile_stop(context);
///     weft_profile_report(&text, context);
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_PROFILE_H
#define WEFT_PROFILE_H

#include <weft/memory.h>

WEFT_BEGIN_DECLS

/// The kinds of rows.
typedef enum weft_profile_kind {
  WEFT_PROFILE_KERNEL = 0,
  WEFT_PROFILE_COPY_IN,   /* from the host to the device */
  WEFT_PROFILE_COPY_BACK, /* from the device to the host */
  WEFT_PROFILE_COPY,      /* on the device, by the driver */
  WEFT_PROFILE_FILL,      /* by the driver */
  WEFT_PROFILE_CALL,      /* a call of Weft on the host; of all contexts of the process */
  WEFT_PROFILE_RANGE,     /* weft_profile_push to weft_profile_pop */
  WEFT_PROFILE_HOST,      /* an engine's work (weft/engine.h), on the host or a CUDA stream; device_ns is its time */
} weft_profile_kind;

/// Options of weft_profile_start.
typedef struct weft_profile_params {
  uint64_t max_events; /* kept for the trace file; 0: a million, 32 bytes each. Rows count all events */
  const char *site;    /* set by the macro */
} weft_profile_params;

/// All commands of one kind, name and line; all calls of one function from one line; or a range with the work inside.
typedef struct weft_profile_row {
  weft_profile_kind kind;
  const char *name;   /* "sum", "saxpy", "copy in", "weft_add", "epoch 1" */
  const char *kernel; /* the kernel function's name; "" for other kinds */
  const char *way;    /* by which the operation was computed, as WEFT_WAY names it: "sort:tiles"; "" without a choice */
  const char *site;   /* the caller's "file:line"; "" if unknown */
  int64_t parent;     /* RANGE: the row of the enclosing range; -1: none */
  uint64_t calls;
  uint64_t unread;        /* calls without times from the driver */
  uint64_t device_ns;     /* RANGE: of the work enqueued inside */
  uint64_t transfer_ns;   /* the part of device_ns in copies between host and device (COPY_IN, COPY_BACK) */
  uint64_t min_device_ns; /* 0 for CALL and RANGE */
  uint64_t max_device_ns;
  bool bytes_are_most; /* KERNEL: `bytes` counts whole buffers, an upper bound */
  uint64_t bytes;   /* without unread calls: read and written; COPY_IN, COPY_BACK: copied; RANGE: of the work inside */
  uint64_t host_ns; /* in the driver's enqueue call (blocking copies wait there); CALL, RANGE: from begin to end */
} weft_profile_row;

/// Sums over all rows, and figures of the whole time.
typedef struct weft_profile_totals {
  uint64_t collected_ns;   /* the time that the profile was on */
  uint64_t device_busy_ns; /* the time that the device worked for the context; of kept events */
  uint64_t call_ns;        /* inside calls of Weft; threads add up */
  uint64_t to_device_bytes, to_host_bytes;
  uint64_t kernel_ns, to_device_ns, to_host_ns; /* device times; concurrent ones add up */
  uint64_t copy_bytes_per_second;               /* read and written by a plain copy on the device; 0: not measured */
  uint64_t events_kept, events_dropped;         /* dropped: over max_events; rows count them */
  uint64_t unread;
} weft_profile_totals;

/// One command, call or range. Times are on the host's clock (CLOCK_MONOTONIC), in nanoseconds; device times are
/// converted to it, within a few microseconds.
typedef struct weft_profile_event {
  uint64_t start_ns, end_ns;
  uint64_t bytes;
  uint32_t row;   /* its index in weft_profile_get's rows */
  uint32_t track; /* a command's stream, 0: the context's own; a call's or range's thread, from 1 on */
} weft_profile_event;

/// Starts collecting, in addition to earlier events. Starts nest: the last stop ends them. For a context made without
/// .profiling, the start and the stop replace its queues and its streams' queues: both wait, and no other thread may
/// use the context meanwhile; queues from weft_context_cl_queue are then no longer Weft's. WEFT_ERROR_UNSUPPORTED: an
/// adopted queue that records no times (make it with CL_QUEUE_PROFILING_ENABLE).
WEFT_API WEFT_NODISCARD weft_status weft_profile_start(weft_context *context, const weft_profile_params *params);
/// Ends the last start; the first start's stop waits for the context. The collected events stay. WEFT_ERROR_ARGUMENT:
/// nothing was started. Further errors: as weft_context_wait.
WEFT_API WEFT_NODISCARD weft_status weft_profile_stop(weft_context *context);
/// Discards the collected events, and continues if the profile is on. Waits for the context.
WEFT_API WEFT_NODISCARD weft_status weft_profile_clear(weft_context *context);

/// Begins a range of this thread: a name for the work until the pop, on the host's track and in the table. Ranges nest,
/// up to 32 deep (WEFT_ERROR_ARGUMENT). Without a profile the call costs almost nothing. Each name is kept for the life
/// of the process.
WEFT_API WEFT_NODISCARD weft_status weft_profile_push(const char *name);
/// Ends this thread's last range. WEFT_ERROR_ARGUMENT: there is no range.
WEFT_API WEFT_NODISCARD weft_status weft_profile_pop(void);

/// Returns the rows: by device time, then by host time, the longest first; ranges last. Free *rows with weft_free; the
/// strings live as long as the process. `totals` may be NULL. Waits for the context if that is possible; times that can
/// no longer be read count as unread.
WEFT_API WEFT_NODISCARD weft_status weft_profile_get(weft_profile_row **rows, uint64_t *count,
                                                     weft_profile_totals *totals, weft_context *context);
/// Returns the kept events, in no particular order. Free *events with weft_free. Waits as weft_profile_get.
WEFT_API WEFT_NODISCARD weft_status weft_profile_get_events(weft_profile_event **events, uint64_t *count,
                                                            weft_context *context);
/// Writes the rows as a table, or with .format = WEFT_REPORT_JSON as JSON, with each row's rate beside the rate of a
/// plain copy on the device (measured the first time, which takes two buffers for a moment). Free *text with weft_free.
/// Waits as weft_profile_get.
WEFT_API WEFT_NODISCARD weft_status weft_profile_report(char **text, weft_context *context,
                                                        const weft_report_params *params);
/// Writes the events as a trace file: tracks for host threads, for each stream's kernels, and for copies. `file` is
/// replaced as a whole or not at all (as in weft/npy.h); a device or a pipe is written to directly. Waits as
/// weft_profile_get. WEFT_ERROR_FILE: writing failed.
WEFT_API WEFT_NODISCARD weft_status weft_profile_write(weft_context *context, const char *file);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__profile_start_at(weft_context *context, const weft_profile_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__profile_report_at(char **text, weft_context *context,
                                                            const weft_report_params *params);

#define weft_profile_start(...) \
  weft__profile_start_at(WEFT__FIRST(__VA_ARGS__), WEFT__OPTIONS(weft_profile_params, __VA_ARGS__))
#define weft_profile_report(text, ...) \
  weft__profile_report_at((text), WEFT__FIRST(__VA_ARGS__), WEFT__OPTIONS(weft_report_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
