// SPDX-License-Identifier: MIT
/// The objects that a context hands out: streams, timers, events, kernels, images, samplers. Each holds a reference to
/// its context and an entry in the context's ledger.
#ifndef WEFT_CONTEXT_OBJECTS_H
#define WEFT_CONTEXT_OBJECTS_H

#include <weft/event.h>
#include <weft/image.h>
#include <weft/kernel.h>

#include "context/context.h"
#include "mem/storage.h"

struct weft_stream {
  weft__object object;
  weft_context *context;
  int slot;
  weft__ledger_entry entry;
};

struct weft_timer {
  weft__object object;
  weft_context *context;
  weft_stream *stream; /* retained between start and stop; NULL: the context's default stream */
  weft__cl_event start, stop;
  weft__ledger_entry entry;
};

struct weft_event {
  weft__object object;
  weft_context *context;
  weft_stream *stream; /* the stream of the point, retained; NULL: the context's default stream */
  weft__point point;
  weft__ledger_entry entry;
};

struct weft_kernel {
  weft__object object;
  weft_context *context;
  weft__kernel kernel;
  weft__ledger_entry entry;
};

struct weft_image {
  weft__object object;
  weft_context *context;
  weft__storage *storage;
  weft__image_form form;
  weft_shape shape;        /* of the array that it holds: layers, depth, height, width, channels */
  bool only_kernels_write; /* adopted, and made with CL_MEM_WRITE_ONLY: kernels may not read it */
  weft__ledger_entry entry;
};

struct weft_sampler {
  weft__object object;
  weft_context *context;
  weft__cl_sampler sampler; /* NULL after its context was closed */
  weft__ledger_entry entry;
};

/// Called while the context is being closed: they release the driver's objects and keep the handle.
void weft__stream_close(weft_stream *stream);
void weft__timer_close(weft_timer *timer);
void weft__event_close(weft_event *event);

/// Stops this thread's use of a stream of the context.
void weft__stream_unuse(const weft_context *context);

/// The slot of a stream; NULL is the context's default stream. Errors: HANDLE, CONTEXT (the stream belongs to another
/// context).
weft_status weft__stream_slot(int *slot, const weft_stream *stream, const weft_context *context);

#endif
