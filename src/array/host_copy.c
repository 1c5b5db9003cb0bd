// SPDX-License-Identifier: MIT
/// Copies between host and device on a stream.
#include <weft/transfer.h>

#include <inttypes.h>

#include "array/array.h"
#include "context/objects.h"
#include "mem/pinned_memory.h"

static weft_status check_bytes(const weft_array *x, const void *data, size_t size_bytes, const char *what) {
  int64_t needed = weft_array_size_bytes(x);
  if (size_bytes != (uint64_t)needed)
    return weft__fail(WEFT_ERROR_SHAPE, "size_bytes", "`size_bytes` is %zu, the array has %" PRId64, size_bytes, needed);
  if (size_bytes && !data) return weft__fail(WEFT_ERROR_ARGUMENT, "data", "`data` is NULL; expected %s%zu bytes", what, size_bytes);
  return WEFT_OK;
}

/// Until it is set back, what this thread does in the context goes to the slot.
static weft__thread_stream use_slot(const weft__core *core, int slot) {
  weft__thread_stream before = weft__thread_uses;
  weft__thread_uses.core = core;
  weft__thread_uses.slot = slot;
  return before;
}

static weft_status write_bytes(weft_array *x, const void *data, uint64_t size_bytes) {
  weft__core *core = &x->context->core;
  int slot = weft__slot_now(core);
  if (weft__array_is_at(x, data)) return WEFT_OK;
  if (weft__pinned_holds(x->storage->pool->pinned, data, size_bytes))
    return weft__transfer_write_async(x->storage, slot, (uint64_t)x->offset_bytes, size_bytes, data);
  return weft__transfer_to_device(x->storage, slot, (uint64_t)x->offset_bytes, size_bytes, data);
}

static weft_status read_bytes(void *data, const weft_array *x, uint64_t size_bytes) {
  weft__core *core = &x->context->core;
  int slot = weft__slot_now(core);
  if (weft__array_is_at(x, data)) return weft__storage_sync(x->storage, slot);
  if (weft__pinned_holds(x->storage->pool->pinned, data, size_bytes))
    return weft__transfer_read_async(data, x->storage, slot, (uint64_t)x->offset_bytes, size_bytes);
  return weft__transfer_to_host(data, x->storage, slot, (uint64_t)x->offset_bytes, size_bytes);
}

weft_status weft_write_async_at(weft_array *x, const void *data, size_t size_bytes, weft_stream *stream, const char *site) {
  weft_array *apart = NULL;
  int slot;
  weft__enter("weft_write_async", site);
  weft_status rc = weft__array_check_writable(x, "x");
  if (rc == WEFT_OK) rc = weft__stream_slot(&slot, stream, x->context);
  if (rc == WEFT_OK) rc = check_bytes(x, data, size_bytes, "");
  if (rc) return weft__leave(rc);
  const weft__thread_stream before = use_slot(&x->context->core, slot);
  if (weft__is_contiguous(x)) {
    rc = write_bytes(x, data, size_bytes);
  } else {
    rc = weft__array_create(&apart, x->context, x->dtype, weft__array_shape(x), site);
    if (rc == WEFT_OK) rc = write_bytes(apart, data, size_bytes);
    if (rc == WEFT_OK) rc = weft__assign(x, apart, site);
    weft_array_release(&apart);
  }
  weft__thread_uses = before;
  return weft__leave(rc);
}

weft_status weft_read_async_at(void *data, size_t size_bytes, const weft_array *x, weft_stream *stream, const char *site) {
  weft_array *apart = NULL;
  int slot;
  weft__enter("weft_read_async", site);
  weft_status rc = weft__array_check(x, "x");
  if (rc == WEFT_OK) rc = weft__stream_slot(&slot, stream, x->context);
  if (rc == WEFT_OK) rc = check_bytes(x, data, size_bytes, "room for ");
  if (rc) return weft__leave(rc);
  const weft__thread_stream before = use_slot(&x->context->core, slot);
  if (weft__is_contiguous(x)) {
    rc = read_bytes(data, x, size_bytes);
  } else {
    rc = weft__array_create(&apart, x->context, x->dtype, weft__array_shape(x), site);
    if (rc == WEFT_OK) rc = weft__assign(apart, x, site);
    if (rc == WEFT_OK) rc = read_bytes(data, apart, size_bytes);
    weft_array_release(&apart);
  }
  weft__thread_uses = before;
  return weft__leave(rc);
}
