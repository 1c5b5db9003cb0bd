// SPDX-License-Identifier: MIT
/// Streams: further queues of a context, whose work may overlap. Timers: device time between two points of a stream.
///
///     rc = weft_stream_use(stream);
///     rc = weft_add(&y, x, 1);
///     rc = weft_stream_use(NULL);
///
/// Work runs on the context's own stream unless weft_stream_use or an argument selects another. Work on one stream runs
/// in order. Arrays record the streams that wrote and read them last: work on another stream waits for these
/// automatically.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_STREAM_H
#define WEFT_STREAM_H

#include <weft/context.h>

WEFT_BEGIN_DECLS

/// A queue of work on the device.
typedef struct weft_stream weft_stream;
/// Measures device time between two points of a stream.
typedef struct weft_timer weft_timer;

/// Makes a stream, which holds its context. *out must be NULL. Errors: WEFT_ERROR_UNSUPPORTED (more than 63 streams).
WEFT_API WEFT_NODISCARD weft_status weft_stream_create(weft_stream **out, weft_context *context);
/// Adds a reference and returns its argument. NULL is allowed.
WEFT_API weft_stream *weft_stream_retain(weft_stream *stream);
/// Drops a reference and sets *stream to NULL. The last release waits until the stream's work has finished. NULL is
/// allowed.
WEFT_API void weft_stream_release(weft_stream **stream);
/// Waits until all work enqueued on `stream` has finished. Errors: as for weft_context_wait.
WEFT_API WEFT_NODISCARD weft_status weft_stream_wait(weft_stream *stream);

/// Makes `stream` the thread's stream: this thread's calls in the stream's context run on it, including launches and
/// copies that name no stream, until another stream is used. NULL selects each context's own stream again. The thread
/// holds a reference to the stream; weft_context_close drops it if called by this thread. Work of two streams may
/// overlap; dependencies between them are waited for on the device, automatically.
WEFT_API WEFT_NODISCARD weft_status weft_stream_use(weft_stream *stream);
/// Returns the thread's stream, borrowed; NULL: each context's own stream.
WEFT_API weft_stream *weft_stream_used(void);

/// Makes a timer. *out must be NULL. Errors: WEFT_ERROR_UNSUPPORTED (the context was created without .profiling =
/// true).
WEFT_API WEFT_NODISCARD weft_status weft_timer_create(weft_timer **out, weft_context *context);
/// Drops the timer and sets *timer to NULL. NULL is allowed.
WEFT_API void weft_timer_release(weft_timer **timer);
/// Marks the start on `stream` (NULL: the thread's stream). Does not block.
WEFT_API WEFT_NODISCARD weft_status weft_timer_start(weft_timer *timer, weft_stream *stream);
/// Marks the stop on the stream of the start. Does not block. Errors: WEFT_ERROR_ARGUMENT (not started).
WEFT_API WEFT_NODISCARD weft_status weft_timer_stop(weft_timer *timer);
/// Waits for the stop and writes the device time between start and stop in nanoseconds. Errors: WEFT_ERROR_ARGUMENT
/// (not stopped).
WEFT_API WEFT_NODISCARD weft_status weft_timer_get(uint64_t *time_ns, weft_timer *timer);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__stream_create_at(weft_stream **out, weft_context *context, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__timer_create_at(weft_timer **out, weft_context *context, const char *site);

#define weft_stream_create(out, context) weft__stream_create_at(WEFT__PLACE(weft_stream, out), (context), WEFT_SITE)
#define weft_timer_create(out, context) weft__timer_create_at(WEFT__PLACE(weft_timer, out), (context), WEFT_SITE)

WEFT_END_DECLS

#endif
