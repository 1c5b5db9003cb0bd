// SPDX-License-Identifier: MIT
/// Streams: further queues of a context, whose work may overlap. Timers: device time between two points of a stream.
///
/// A context has a stream of its own, on which everything runs unless another is used (weft_stream_use) or named. Work
/// on one stream runs in order. Arrays remember which stream wrote and read them last, so that work on another stream
/// waits for it without the user's help.
#ifndef WEFT_STREAM_H
#define WEFT_STREAM_H

#include <weft/context.h>

WEFT_BEGIN_DECLS

typedef struct weft_stream weft_stream;
typedef struct weft_timer weft_timer;

/// Makes a stream. *out must be NULL. It holds the context. Errors: WEFT_ERROR_ARGUMENT, WEFT_ERROR_HANDLE,
/// WEFT_ERROR_DRIVER, WEFT_ERROR_HOST_MEMORY. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_stream_create(weft_stream **out, weft_context *context);
WEFT_API weft_stream *weft_stream_retain(weft_stream *stream);
/// Drops a reference and sets *stream to NULL; the last one waits until the work on it has finished. NULL is fine.
/// Thread: any.
WEFT_API void weft_stream_release(weft_stream **stream);
/// Waits until everything enqueued on `stream` has finished. Errors as weft_context_wait. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_stream_wait(weft_stream *stream);

/// From here on this thread's calls in `stream`'s context run on it, functions over arrays and copies as well as
/// launches that name no stream, until another is used. NULL: each context's own again. The thread keeps a reference to
/// the stream while it uses it; closing the context ends that in the thread that closes it. Work of two streams may
/// overlap; what one needs of the other is waited for on the device, by itself.
/// Errors: WEFT_ERROR_HANDLE, WEFT_ERROR_CLOSED. Thread: any, for itself.
WEFT_API WEFT_NODISCARD weft_status weft_stream_use(weft_stream *stream);
/// The stream that this thread uses, borrowed; NULL: none, each context's own.
WEFT_API weft_stream *weft_stream_used(void);

/// Makes a timer. *out must be NULL; the context must have been created with .profiling = true (else
/// WEFT_ERROR_UNSUPPORTED). Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_timer_create(weft_timer **out, weft_context *context);
WEFT_API void weft_timer_release(weft_timer **timer);
/// Marks the start on `stream` (NULL: the one this thread uses, else the context's own). Does not block. Thread: one at
/// a time per timer, as for the next two.
WEFT_API WEFT_NODISCARD weft_status weft_timer_start(weft_timer *timer, weft_stream *stream);
/// Marks the stop on the same stream. Does not block. Errors: WEFT_ERROR_ARGUMENT without a start.
WEFT_API WEFT_NODISCARD weft_status weft_timer_stop(weft_timer *timer);
/// Waits for the stop mark and writes the device time between the two marks, in nanoseconds.
WEFT_API WEFT_NODISCARD weft_status weft_timer_get(uint64_t *time_ns, weft_timer *timer);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__stream_create_at(weft_stream **out, weft_context *context, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__timer_create_at(weft_timer **out, weft_context *context, const char *site);

#define weft_stream_create(out, context) weft__stream_create_at((out), (context), WEFT_SITE)
#define weft_timer_create(out, context) weft__timer_create_at((out), (context), WEFT_SITE)

WEFT_END_DECLS

#endif
