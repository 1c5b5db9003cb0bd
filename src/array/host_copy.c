// SPDX-License-Identifier: MIT
/// Copies between contiguous host memory and arrays. All such copies pass through here, unless host and device share
/// the memory.
#include <weft/transfer.h>

#include <inttypes.h>

#include "array/array.h"
#include "context/objects.h"
#include "mem/pinned_memory.h"

static weft_status write_bytes(weft_array *x, const void *data, bool waits) {
  int slot = weft__slot_now(&x->context->core);
  uint64_t offset = (uint64_t)x->offset_bytes, size_bytes = (uint64_t)weft_array_size_bytes(x);
  if (weft__array_is_at(x, data)) return waits ? weft__storage_sync(x->storage, slot) : WEFT_OK;
  if (!waits && weft__pinned_holds(x->storage->pool->pinned, data, size_bytes))
    return weft__transfer_write_async(x->storage, slot, offset, size_bytes, data);
  return weft__transfer_to_device(x->storage, slot, offset, size_bytes, data);
}

static weft_status read_bytes(void *data, const weft_array *x, bool waits) {
  int slot = weft__slot_now(&x->context->core);
  uint64_t offset = (uint64_t)x->offset_bytes, size_bytes = (uint64_t)weft_array_size_bytes(x);
  if (weft__array_is_at(x, data)) return weft__storage_sync(x->storage, slot);
  if (!waits && weft__pinned_holds(x->storage->pool->pinned, data, size_bytes))
    return weft__transfer_read_async(data, x->storage, slot, offset, size_bytes);
  return weft__transfer_to_host(data, x->storage, slot, offset, size_bytes);
}

weft_status weft__array_write(weft_array *x, const void *data, bool waits, const char *site) {
  weft_array *plain = NULL;
  weft_status rc;
  if (weft__is_contiguous(x)) return write_bytes(x, data, waits);
  WEFT__TRY(weft__array_create(&plain, x->context, x->dtype, weft__array_shape(x), site));
  WEFT__TRY(write_bytes(plain, data, waits));
  WEFT__TRY(weft__assign(x, plain, site));
done:
  weft_array_release(&plain);
  return rc;
}

weft_status weft__array_read(void *data, const weft_array *x, bool waits, const char *site) {
  weft_array *plain = NULL;
  weft_status rc;
  if (weft__is_contiguous(x)) return read_bytes(data, x, waits);
  WEFT__TRY(weft__array_create(&plain, x->context, x->dtype, weft__array_shape(x), site));
  WEFT__TRY(weft__assign(plain, x, site));
  WEFT__TRY(read_bytes(data, plain, waits));
done:
  weft_array_release(&plain);
  return rc;
}

weft_status weft__array_of(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                           const void *data, const char *site) {
  WEFT__TRY_RETURN(weft__array_create(out, context, dtype, shape, site));
  weft_status rc = weft__array_write(*out, data, true, site);
  if (rc) weft_array_release(out);
  return rc;
}

static weft_status check_bytes(const weft_array *x, const void *data, size_t size_bytes, const char *what) {
  int64_t needed = weft_array_size_bytes(x);
  if (size_bytes != (uint64_t)needed)
    return weft__fail(WEFT_ERROR_SHAPE, "size_bytes", "`size_bytes` is %zu, the array has %" PRId64, size_bytes,
                      needed);
  if (size_bytes && !data)
    return weft__fail(WEFT_ERROR_ARGUMENT, "data", "`data` is NULL; expected %s%zu bytes", what, size_bytes);
  return WEFT_OK;
}

weft_status weft__to_host_at(void *data, size_t size_bytes, const weft_array *x, const char *site) {
  weft_status rc;
  weft__enter("weft_to_host", site);
  WEFT__TRY(weft__array_check(x, "x"));
  WEFT__TRY(check_bytes(x, data, size_bytes, "room for "));
  WEFT__TRY(weft__array_read(data, x, true, site));
done:
  return weft__leave(rc);
}

weft_status weft__write_async_at(weft_array *x, const void *data, size_t size_bytes, weft_stream *stream,
                                 const char *site) {
  int slot;
  weft_status rc;
  weft__enter("weft_write_async", site);
  WEFT__TRY(weft__array_check_writable(x, "x"));
  WEFT__TRY(weft__stream_slot(&slot, stream, x->context));
  WEFT__TRY(check_bytes(x, data, size_bytes, ""));
  const weft__thread_stream before = weft__slot_use(&x->context->core, slot);
  rc = weft__array_write(x, data, false, site);
  weft__thread_uses = before;
done:
  return weft__leave(rc);
}

weft_status weft__read_async_at(void *data, size_t size_bytes, const weft_array *x, weft_stream *stream,
                                const char *site) {
  int slot;
  weft_status rc;
  weft__enter("weft_read_async", site);
  WEFT__TRY(weft__array_check(x, "x"));
  WEFT__TRY(weft__stream_slot(&slot, stream, x->context));
  WEFT__TRY(check_bytes(x, data, size_bytes, "room for "));
  const weft__thread_stream before = weft__slot_use(&x->context->core, slot);
  rc = weft__array_read(data, x, false, site);
  weft__thread_uses = before;
done:
  return weft__leave(rc);
}
