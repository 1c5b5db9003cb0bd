// SPDX-License-Identifier: MIT
/// The profile: device times of kernels and copies, host time and bytes, by the line that asked for them; as a table,
/// as JSON, as a trace file for Perfetto (ui.perfetto.dev) and chrome://tracing.
///
///     weft_profile_start(context);
///     weft_profile_push("epoch 1");
///     ... functions, launches, copies ...
///     weft_profile_pop();
///     weft_profile_stop(context);
///     weft_profile_report(&text, context);
///     weft_profile_write(context, "trace.json");
///
/// WEFT_PROFILE=1 in the environment starts it in every context as it is made, and prints the table on stderr when the
/// context is closed, freed, or still there when the program ends, which then waits for its work;
/// WEFT_PROFILE=trace.json writes the trace file too (a second context's is trace-2.json).
///
/// While it collects, each command has an event that is kept until it is done and read at one of the next waits: a few
/// microseconds for each launch, more on some drivers. Off, it costs a load and a branch for each command and each
/// call.
#ifndef WEFT_PROFILE_H
#define WEFT_PROFILE_H

#include <weft/memory.h>

WEFT_BEGIN_DECLS

typedef enum weft_profile_kind {
  WEFT_PROFILE_KERNEL = 0,
  WEFT_PROFILE_COPY_IN,   /* from the host to the device */
  WEFT_PROFILE_COPY_BACK, /* from the device to the host */
  WEFT_PROFILE_COPY,      /* on the device, by the driver */
  WEFT_PROFILE_FILL,      /* by the driver */
  WEFT_PROFILE_CALL,      /* a call of Weft, on the host; of the whole process, whatever its context */
  WEFT_PROFILE_RANGE,     /* weft_profile_push to weft_profile_pop */
} weft_profile_kind;

/// Options of weft_profile_start.
typedef struct weft_profile_params {
  uint64_t max_events; /* kept one by one, for the trace file; 0: 1 million, 32 bytes each. Rows count them all */
  const char *site;    /* set by the macro */
} weft_profile_params;

/// All commands of one kind, name and line; all calls of one function from one line; a range with what was done inside.
typedef struct weft_profile_row {
  weft_profile_kind kind;
  const char *name;   /* "sum", "saxpy", "copy in", "weft_add", "epoch 1" */
  const char *kernel; /* the kernel's own name; "" for others */
  const char *site;   /* the caller's "file:line"; "" where it has none */
  int64_t parent;     /* RANGE: the row of the range around it; -1: none */
  uint64_t calls;
  uint64_t unread;        /* of these, those whose times the driver did not give */
  uint64_t device_ns;     /* RANGE: of what was enqueued inside */
  uint64_t transfer_ns;   /* the part of device_ns in copies between host and device (COPY_IN, COPY_BACK) */
  uint64_t min_device_ns; /* 0 for CALL and RANGE */
  uint64_t max_device_ns;
  bool bytes_are_most; /* KERNEL: bytes is what its buffers hold; it may use a part of them */
  uint64_t bytes;   /* read and written on the device; crossed, for COPY_IN and COPY_BACK. Without the unread. RANGE: of
                     what was inside */
  uint64_t host_ns; /* in the driver's enqueue call (a blocking copy waits there); CALL, RANGE: from beginning to end */
} weft_profile_row;

typedef struct weft_profile_totals {
  uint64_t collected_ns;   /* how long it was on */
  uint64_t device_busy_ns; /* in which the device worked for the context; of the events kept */
  uint64_t call_ns;        /* inside of calls of Weft; threads add up */
  uint64_t to_device_bytes, to_host_bytes;
  uint64_t kernel_ns, to_device_ns, to_host_ns; /* device times of kernels and of host copies; concurrent ones add up */
  uint64_t copy_bytes_per_second; /* read and written by the driver's copy of a large buffer on this device, measured
                                     once; 0: unknown */
  uint64_t events_kept, events_dropped; /* dropped: over max_events; they are in the rows */
  uint64_t unread;
} weft_profile_totals;

/// One command, call or range. Times are the host's (CLOCK_MONOTONIC), in nanoseconds; those of the device are moved to
/// it, within a few microseconds.
typedef struct weft_profile_event {
  uint64_t start_ns, end_ns;
  uint64_t bytes;
  uint32_t row;   /* of weft_profile_get */
  uint32_t track; /* of a command: its stream, 0 is the context's own; of a call or range: its thread, from 1 on */
} weft_profile_event;

/// Begins to collect, after what was collected before. Starts nest: the last stop ends it. Where the context was not
/// made with .profiling, its queues and its streams' are replaced by ones that record times, and back at the stop: that
/// waits for the context; queues lent before (weft_context_cl_queue) are Weft's no longer, and no other thread may be
/// in the context at that moment. Errors: WEFT_ERROR_HANDLE, WEFT_ERROR_UNSUPPORTED (an adopted queue that records no
/// times: make it with CL_QUEUE_PROFILING_ENABLE), WEFT_ERROR_DRIVER, WEFT_ERROR_LOST, WEFT_ERROR_HOST_MEMORY. Thread:
/// any.
WEFT_API WEFT_NODISCARD weft_status weft_profile_start(weft_context *context, const weft_profile_params *params);
/// Ends what the last start began; waits for the context when it was the first one. What was collected stays.
/// Errors: as weft_context_wait; WEFT_ERROR_ARGUMENT without a start. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_profile_stop(weft_context *context);
/// Forgets what was collected so far; goes on collecting if it does. Waits for the context. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_profile_clear(weft_context *context);

/// Begins a range of this thread: a name for what follows until the pop, on the host's track and in the table. They
/// nest, 32 deep at most (WEFT_ERROR_ARGUMENT). Where nothing collects it does next to nothing. The library keeps one
/// copy of each name for good.
/// Errors: WEFT_ERROR_ARGUMENT, WEFT_ERROR_HOST_MEMORY. Thread: any, for itself.
WEFT_API WEFT_NODISCARD weft_status weft_profile_push(const char *name);
/// Ends the thread's last range. Errors: WEFT_ERROR_ARGUMENT without one.
WEFT_API WEFT_NODISCARD weft_status weft_profile_pop(void);

/// What was collected: *rows, to be freed with weft_free, by device time and then by host time, the longest first;
/// ranges last. The strings live as long as the process. `totals` may be NULL. Waits for the context if that still can
/// be; what cannot be read any more counts as unread.
/// Errors: WEFT_ERROR_HANDLE, WEFT_ERROR_ARGUMENT, WEFT_ERROR_HOST_MEMORY, WEFT_ERROR_FORKED. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_profile_get(weft_profile_row **rows, uint64_t *count,
                                                     weft_profile_totals *totals, weft_context *context);
/// The events kept, in no particular order; *events to be freed with weft_free. Else as weft_profile_get.
WEFT_API WEFT_NODISCARD weft_status weft_profile_get_events(weft_profile_event **events, uint64_t *count,
                                                            weft_context *context);
/// The rows as a table or (.format = WEFT_REPORT_JSON) as JSON, with the rate of each beside that of a plain copy on
/// the device (measured the first time, which takes two buffers for a moment). Free *text with weft_free. Else as
/// weft_profile_get.
WEFT_API WEFT_NODISCARD weft_status weft_profile_report(char **text, weft_context *context,
                                                        const weft_report_params *params);
/// Writes the events as a trace file: tracks for host threads, for each stream's kernels, and for copies. `file` is
/// replaced as a whole or not at all (as in weft/npy.h); a device or a pipe is written to directly.
/// Errors: also WEFT_ERROR_FILE. Else as weft_profile_get.
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
