// SPDX-License-Identifier: MIT
/// Arrays on the caller's memory, and arrays mapped for the host.
#include <weft/transfer.h>

#include <inttypes.h>

#include "array/array.h"

bool weft__array_is_at(const weft_array *x, const void *data) {
  return x->storage->host && x->size && x->storage->host + x->offset_bytes == (const char *)data;
}

weft_status weft__array_wrap_host(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                                  void *data, const char *read_only, weft__lender lender, const char *site) {
  int64_t size;
  weft__storage *storage = NULL;
  weft_status rc;
  WEFT__TRY_RETURN(weft__dtype_check(dtype, context));
  WEFT__TRY_RETURN(weft__shape_check(&size, shape, dtype, "shape"));
  uint64_t size_bytes = (uint64_t)size * weft_dtype_size_bytes(dtype);
  uint64_t before = (uintptr_t)data % context->core.device->info.address_align_bytes;
  if (size_bytes)
    WEFT__TRY(
        weft__storage_wrap(&storage, &context->pool, (char *)data - before, before + size_bytes, read_only, site));
  else
    WEFT__TRY(weft__storage_create(&storage, &context->pool, 0, site)); /* OpenCL has no empty buffer */
  WEFT__TRY(weft__array_wrap(out, context, storage, dtype, size_bytes, site));
  weft__set_contiguous(*out, shape);
  (*out)->offset_bytes = size_bytes ? (int64_t)before : 0;
  storage->lender = lender;
done:
  weft__storage_release(storage);
  return rc;
}

/// Replaces a missing lender, so that the last release waits for the work on the memory.
static void nobody(void *user) {
  (void)user;
}

static weft_status check_wrap(weft_context *context, weft_dtype dtype, weft_shape shape, const void *data) {
  const weft_device_info *device = &context->core.device->info;
  int64_t size;
  WEFT__TRY_RETURN(weft__dtype_check(dtype, context));
  WEFT__TRY_RETURN(weft__shape_check(&size, shape, dtype, "shape"));
  if (device->type != WEFT_DEVICE_TYPE_CPU)
    return weft__fail(WEFT_ERROR_UNSUPPORTED, "context",
                      "%s has memory of its own, so host memory cannot be its array; weft_from_host copies",
                      device->name);
  if (size && !data)
    return weft__fail(WEFT_ERROR_ARGUMENT, "data", "`data` is NULL; expected %" PRId64 " bytes",
                      size * (int64_t)weft_dtype_size_bytes(dtype));
  uint64_t past = (uintptr_t)data % device->address_align_bytes;
  if (size && past)
    return weft__fail(WEFT_ERROR_LAYOUT, "data",
                      "`data` is %" PRIu64 " bytes past a multiple of %" PRIu64
                      ", which this device's kernels expect of an array "
                      "(aligned_alloc gives such memory); weft_from_host copies from any address",
                      past, device->address_align_bytes);
  return WEFT_OK;
}

weft_status weft__wrap_host_at(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape, void *data,
                               const weft_wrap_params *params) {
  weft_status rc;
  const weft_wrap_params p = WEFT__PARAMS(params);
  weft__enter("weft_wrap_host", p.site);
  WEFT__NEED_NULL_RESULT(out);
  const weft__lender lender = {p.give_back ? p.give_back : nobody, p.user};
  WEFT__TRY(weft__context_resolve(&context, context));
  WEFT__TRY(check_wrap(context, dtype, shape, data));
  WEFT__TRY(weft__array_wrap_host(out, context, dtype, shape, data, NULL, lender, p.site));
done:
  return weft__leave(rc);
}

static weft_status map(void **data, weft_array *x, int access) {
  bool read = access & WEFT_MAP_READ, write = access & WEFT_MAP_WRITE;
  *data = NULL;
  WEFT__TRY_RETURN(write ? weft__array_check_writable(x, "x") : weft__array_check(x, "x"));
  if (access <= 0 || access > (WEFT_MAP_READ | WEFT_MAP_WRITE))
    return weft__fail(WEFT_ERROR_ARGUMENT, "access", "`access` is %d; expected WEFT_MAP_READ, WEFT_MAP_WRITE or both",
                      access);
  if (!weft__is_contiguous(x))
    return weft__fail(WEFT_ERROR_LAYOUT, "x",
                      "`x` is a view with gaps, which cannot be mapped; weft_copy makes a contiguous array");
  if (x->size == 0) return weft__fail(WEFT_ERROR_SHAPE, "x", "`x` has no elements to map");
  return weft__storage_map(data, x->storage, weft__slot_now(&x->context->core), (uint64_t)x->offset_bytes,
                           (uint64_t)weft_array_size_bytes(x), read, write);
}

weft_status weft_map(void **data, weft_array *x, int access) {
  weft__enter("weft_map", NULL);
  WEFT__NEED(data);
  return weft__leave(map(data, x, access));
}

weft_status weft_unmap(weft_array *x) {
  weft_status rc;
  weft__enter("weft_unmap", NULL);
  WEFT__TRY(weft__array_check(x, "x"));
  WEFT__TRY(weft__storage_unmap(x->storage, weft__slot_now(&x->context->core)));
done:
  return weft__leave(rc);
}
