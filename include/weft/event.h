// SPDX-License-Identifier: MIT
/// Events: points of a stream that the host or another stream can wait for.
///
///     weft_event *event = NULL;
///     rc = weft_event_record(&event, context, stream);
///     rc = weft_stream_after(other, event);
///     rc = weft_event_wait(event);
///     weft_event_release(&event);
///
/// Work on several streams needs no event: arrays record their order. Events serve what Weft cannot see: when memory of
/// an asynchronous copy may be used again (weft/transfer.h), and how far a stream has come.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_EVENT_H
#define WEFT_EVENT_H

#include <weft/stream.h>

WEFT_BEGIN_DECLS

/// A point in the work of a stream.
typedef struct weft_event weft_event;

/// Marks the point of `stream` (NULL: the thread's stream) behind all work enqueued so far. If *event is NULL, a new
/// event is made, which holds its context and stream; else *event moves to the new point, and no other thread may use
/// it meanwhile. Does not block. Errors: WEFT_ERROR_CONTEXT (stream or *event of another context).
WEFT_API WEFT_NODISCARD weft_status weft_event_record(weft_event **event, weft_context *context, weft_stream *stream);
/// Adds a reference and returns its argument. NULL is allowed.
WEFT_API weft_event *weft_event_retain(weft_event *event);
/// Drops a reference and sets *event to NULL. Does not wait. NULL is allowed.
WEFT_API void weft_event_release(weft_event **event);

/// Waits until the event's point is reached, with the context's wait policy. A failure of the work before the point, or
/// an index out of range in it, is reported here. Errors: as for weft_context_wait.
WEFT_API WEFT_NODISCARD weft_status weft_event_wait(weft_event *event);
/// Writes whether the point is reached. Does not block.
WEFT_API WEFT_NODISCARD weft_status weft_event_is_done(bool *done, weft_event *event);
/// Work enqueued on `stream` (NULL: the thread's stream) from now on waits, on the device, for the event's point. Does
/// not block. Errors: WEFT_ERROR_CONTEXT (`stream` of another context).
WEFT_API WEFT_NODISCARD weft_status weft_stream_after(weft_stream *stream, weft_event *event);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__event_record_at(weft_event **event, weft_context *context,
                                                          weft_stream *stream, const char *site);

#define weft_event_record(event, context, stream) \
  weft__event_record_at(WEFT__PLACE(weft_event, event), (context), (stream), WEFT_SITE)

WEFT_END_DECLS

#endif
