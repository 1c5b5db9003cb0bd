// SPDX-License-Identifier: MIT
/// Contexts and arrays made from foreign OpenCL objects, and access to the OpenCL objects of Weft's.
#include "interop/adopt.h"

#include <weft/opencl.h>

#include <inttypes.h>

#include "context/objects.h"
#include "ocl/codes.h"

weft_status weft__buffer_inspect(size_t *size_bytes, bool *read_only, weft__cl_mem mem, const weft_context *context,
                                 const char *argument) {
  weft__mem_info info;
  int code = weft__driver->mem_info(&info, mem);
  if (code) return weft__cl_fail(code, "clGetMemObjectInfo");
  if (!info.is_buffer)
    return weft__fail(WEFT_ERROR_ARGUMENT, argument, "`%s` is an image or pipe; expected a buffer", argument);
  if (info.context != context->core.cl)
    return weft__fail(
        WEFT_ERROR_CONTEXT, argument,
        "`%s` belongs to another cl_context than the weft_context; weft_context_adopt makes one around its own",
        argument);
  *size_bytes = info.size_bytes;
  *read_only = info.read_only;
  return WEFT_OK;
}

bool weft__elements_overlap(const weft_array *x) {
  int64_t covered = (int64_t)weft_dtype_size_bytes(x->dtype), last = 0;
  for (;;) {
    int next = -1, same = 0;
    int64_t step = INT64_MAX;
    for (int d = 0; d < x->ndim; d++) {
      int64_t stride = x->stride_bytes[d] < 0 ? -x->stride_bytes[d] : x->stride_bytes[d];
      if (x->shape[d] < 2 || stride <= last || stride > step) continue;
      same = stride == step ? same + 1 : 1;
      step = stride;
      next = d;
    }
    if (next < 0) return false;
    if (same > 1 || step < covered) return true;
    covered += (x->shape[next] - 1) * step;
    last = step;
  }
}

weft_status weft__array_adopt_at(weft_array **out, weft_context *context, weft__cl_mem mem, size_t offset_bytes,
                                 weft_dtype dtype, weft_shape shape, const char *site) {
  weft__storage *storage = NULL;
  bool read_only = false;
  size_t mem_bytes = 0;
  int64_t size;
  weft_status rc;
  weft__enter("weft_array_adopt", site);
  WEFT__NEED_NULL_RESULT(out);
  if (!mem) WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "cl_mem", "`cl_mem` is NULL"));
  WEFT__TRY(weft__context_resolve(&context, context));
  WEFT__TRY(weft__dtype_check(dtype, context));
  WEFT__TRY(weft__shape_check(&size, shape, dtype, "shape"));
  WEFT__TRY(weft__buffer_inspect(&mem_bytes, &read_only, mem, context, "cl_mem"));
  size_t element = weft_dtype_size_bytes(dtype);
  uint64_t size_bytes = (uint64_t)size * element;
  if (offset_bytes % element)
    WEFT__TRY(weft__fail(WEFT_ERROR_LAYOUT, "offset_bytes",
                         "`offset_bytes` is %zu, not a multiple of the %zu bytes of %s", offset_bytes, element,
                         weft_dtype_name(dtype)));
  if (offset_bytes > mem_bytes || size_bytes > mem_bytes - offset_bytes)
    WEFT__TRY(weft__fail(WEFT_ERROR_SHAPE, "shape",
                         "`shape` needs %" PRIu64 " bytes from byte %zu on; the buffer has %zu", size_bytes,
                         offset_bytes, mem_bytes));
  WEFT__TRY(
      weft__storage_adopt(&storage, &context->pool, mem, mem_bytes, read_only ? WEFT__MADE_READ_ONLY : NULL, site));
  WEFT__TRY(weft__array_wrap(out, context, storage, dtype, size_bytes, site));
  weft__set_contiguous(*out, shape);
  (*out)->offset_bytes = (int64_t)offset_bytes;
done:
  weft__storage_release(storage);
  return weft__leave(rc);
}

weft__cl_mem weft_array_cl_mem(const weft_array *x, size_t *offset_bytes) {
  if (!weft__handle_is(x, WEFT__MAGIC_ARRAY)) return NULL;
  if (offset_bytes) *offset_bytes = (size_t)x->offset_bytes;
  x->storage->is_public = true;
  return x->storage->mem;
}

weft_status weft__context_adopt_at(weft_context **out, weft__cl_context cl_context_, weft__cl_queue cl_queue,
                                   const weft_context_params *params, int header_version) {
  const weft_context_params p = WEFT__PARAMS(params);
  weft__enter("weft_context_adopt", p.site);
  WEFT__NEED(out);
  *out = NULL;
  if (!cl_context_) return weft__leave(weft__fail(WEFT_ERROR_ARGUMENT, "cl_context", "`cl_context` is NULL"));
  WEFT__NEED(cl_queue);
  return weft__leave(weft__context_adopt(out, cl_context_, cl_queue, &p, header_version));
}

weft__cl_context weft_context_cl_context(const weft_context *context) {
  return weft__handle_is(context, WEFT__MAGIC_CONTEXT) ? context->core.cl : NULL;
}

weft__cl_device weft_context_cl_device(const weft_context *context) {
  return weft__handle_is(context, WEFT__MAGIC_CONTEXT) ? context->core.device->id : NULL;
}

weft__cl_queue weft_context_cl_queue(const weft_context *context) {
  if (!weft__handle_is(context, WEFT__MAGIC_CONTEXT)) return NULL;
  weft__pace_lend((weft__core *)&context->core);
  return context->core.slot[0].queue;
}

weft__cl_queue weft_stream_cl_queue(const weft_stream *stream) {
  if (!weft__handle_is(stream, WEFT__MAGIC_STREAM) || atomic_load(&stream->context->core.closed)) return NULL;
  weft__pace_lend(&stream->context->core);
  return stream->context->core.slot[stream->slot].queue;
}

const char *weft_cl_code_name(int cl_code) {
  return weft__cl_code_name(cl_code);
}
