// SPDX-License-Identifier: MIT
/// Events: points of a stream that the host or another stream can wait for.
///
/// Arrays carry their own order, so that work on several streams needs no event. Events are for what Weft cannot see:
/// when memory that an asynchronous copy reads or writes may be used again (weft/transfer.h), and how far a stream has
/// come.
#ifndef WEFT_EVENT_H
#define WEFT_EVENT_H

#include <weft/stream.h>

WEFT_BEGIN_DECLS

typedef struct weft_event weft_event;

/// Marks the point of `stream` (NULL: the one this thread uses, else the context's own) behind all that was enqueued on
/// it so far. Where *event is NULL a new event is made, else that one is set to the new point. It holds its context and
/// stream. Does not block. On failure *event is as it was. Errors: WEFT_ERROR_ARGUMENT, WEFT_ERROR_HANDLE,
/// WEFT_ERROR_CONTEXT (stream or *event of another one), WEFT_ERROR_HOST_MEMORY, WEFT_ERROR_DRIVER, WEFT_ERROR_LOST,
/// WEFT_ERROR_CLOSED. Thread: any; setting an event that there is needs it alone.
WEFT_API WEFT_NODISCARD weft_status weft_event_record(weft_event **event, weft_context *context, weft_stream *stream);
WEFT_API weft_event *weft_event_retain(weft_event *event);
/// Drops a reference and sets *event to NULL. Does not wait. NULL is fine. Thread: any.
WEFT_API void weft_event_release(weft_event **event);

/// Waits until the event's point is reached; sleeps while it waits as the context's wait policy says. Errors as
/// weft_context_wait: a failure of the work before the point is reported here, an index out of range too. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_event_wait(weft_event *event);
/// Whether the point is reached. Does not block. Errors: WEFT_ERROR_HANDLE, WEFT_ERROR_ARGUMENT, WEFT_ERROR_LOST,
/// WEFT_ERROR_CLOSED.
/// Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_event_is_done(bool *done, weft_event *event);
/// What is enqueued on `stream` (NULL: the one this thread uses, else the context's own) from now on waits, on the
/// device, for the event's point. Does not block. Errors: WEFT_ERROR_HANDLE, WEFT_ERROR_CONTEXT, WEFT_ERROR_DRIVER,
/// WEFT_ERROR_LOST, WEFT_ERROR_CLOSED. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_stream_after(weft_stream *stream, weft_event *event);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__event_record_at(weft_event **event, weft_context *context,
                                                          weft_stream *stream, const char *site);

#define weft_event_record(event, context, stream) weft__event_record_at((event), (context), (stream), WEFT_SITE)

WEFT_END_DECLS

#endif
