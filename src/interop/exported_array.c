// SPDX-License-Identifier: MIT
/// Arrays whose memory other processes use.
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "cuda/imports.h"
#include "interop/cuda_memory.h"

weft_status weft_cuda_export(weft_cuda_handle *out, const weft_array *x) {
  weft_cuda_handle made = {.file = -1};
  weft_status rc;
  weft__enter("weft_cuda_export", NULL);
  WEFT__NEED(out);
  WEFT__TRY(weft__array_check(x, "x"));
  if (x->size == 0) WEFT__TRY(weft__fail(WEFT_ERROR_SHAPE, "x", "`x` has no elements, and so no memory"));
  if (!weft__is_contiguous(x))
    WEFT__TRY(weft__fail(WEFT_ERROR_LAYOUT, "x", "`x` is not contiguous; weft_copy makes it so"));
  const weft__slab *slab = x->storage->slab;
  if (!slab)
    WEFT__TRY(weft__fail(WEFT_ERROR_UNSUPPORTED, "x",
                         "`x` is in memory that another process cannot import. Make its context with .cuda = true or "
                         "WEFT_CUDA=1, or copy it with weft_cuda_share"));
  const weft__cuda_failure failure = weft__cuda_memory_export(&made.file, &slab->memory, &x->context->core);
  if (failure.code) WEFT__TRY(weft__cuda_failed(&x->context->core, &failure));
  made.size_bytes = (int64_t)slab->memory.size_bytes;
  made.offset_bytes = (int64_t)(x->storage->cuda_address - slab->memory.address) + x->offset_bytes;
  *out = made;
  rc = WEFT_OK;
done:
  return weft__leave(rc);
}

static weft_status check_import(int64_t *size, const weft_context *context, weft_dtype dtype, weft_shape shape,
                                const weft_cuda_handle *handle) {
  const int64_t element = (int64_t)weft_dtype_size_bytes(dtype);
  int64_t end;
  WEFT__TRY_RETURN(weft__dtype_check(dtype, context));
  WEFT__TRY_RETURN(weft__shape_check(size, shape, dtype, "shape"));
  if (handle->size_bytes < 1 || handle->offset_bytes < 0 || handle->offset_bytes % element)
    return weft__fail(WEFT_ERROR_ARGUMENT, "handle",
                      "`handle` has %" PRId64 " bytes, %s from byte %" PRId64
                      " on; expected what weft_cuda_export wrote",
                      handle->size_bytes, weft_dtype_name(dtype), handle->offset_bytes);
  if (__builtin_add_overflow(handle->offset_bytes, *size * element, &end) || end > handle->size_bytes)
    return weft__fail(WEFT_ERROR_ARGUMENT, "shape",
                      "`shape` has %" PRId64 " elements of %s from byte %" PRId64 " on; the memory has %" PRId64
                      " bytes",
                      *size, weft_dtype_name(dtype), handle->offset_bytes, handle->size_bytes);
  if (!weft__cuda_imports(&context->core) || (uint64_t)handle->size_bytes > weft__imports_most_bytes(&context->core))
    return weft__fail(WEFT_ERROR_UNSUPPORTED, "context",
                      "device %d (%s) cannot import %" PRId64 " bytes of CUDA's memory",
                      context->core.device->info.index, context->core.device->info.name, handle->size_bytes);
  return WEFT_OK;
}

static weft_status import(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                          const weft_cuda_handle *handle, const char *site) {
  weft__core *core = &context->core;
  weft__cl_mem mem = NULL;
  weft__storage *storage = NULL;
  int64_t size;
  weft_status rc;
  WEFT__TRY_RETURN(check_import(&size, context, dtype, shape, handle));
  if (size == 0) return weft__array_create(out, context, dtype, shape, site);
  const int file = fcntl(handle->file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (file < 0)
    return weft__fail(WEFT_ERROR_ARGUMENT, "handle", "`handle` has the file descriptor %d, which is not open",
                      handle->file);
  const weft__cuda_failure failure = weft__cuda_memory_import(&mem, core, file, (uint64_t)handle->size_bytes);
  if (failure.code) {
    close(file);
    WEFT__TRY(weft__cuda_failed(core, &failure));
  }
  WEFT__TRY(weft__storage_adopt(&storage, &context->pool, mem, (uint64_t)handle->size_bytes, false, site));
  WEFT__TRY(weft__array_wrap(out, context, storage, dtype, 0, site));
  weft__set_contiguous(*out, shape);
  (*out)->offset_bytes = handle->offset_bytes;
done:
  weft__release(mem);
  weft__storage_release(storage);
  return rc;
}

weft_status weft__cuda_import_at(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                                 const weft_cuda_handle *handle, const char *site) {
  weft_status rc;
  weft__enter("weft_cuda_import", site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__NEED(handle);
  WEFT__TRY(weft__context_resolve(&context, context));
  WEFT__TRY(import(out, context, dtype, shape, handle, site));
done:
  return weft__leave(rc);
}
