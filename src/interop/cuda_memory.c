// SPDX-License-Identifier: MIT
/// Arrays for CUDA, and CUDA's memory as arrays.
#include <weft/cuda.h>

#include <inttypes.h>

#include "interop/adopt.h"
#include "interop/cuda_memory.h"
#include "ocl/codes.h"

/* Copies of arrays that CUDA does not see go through a window of this size. */
#define WINDOW_BYTES ((uint64_t)64 << 20)

#define MADE_READ_ONLY "it was made read-only by weft_from_cuda"

enum { MEMORY_TYPE = 2, DEVICE_MEMORY = 2 };

/* ---- arrays for CUDA ---- */

static weft_status refuse_unseen(const weft_array *x) {
  const weft__core *core = &x->context->core;
  if (x->context->pool.takes_slabs && x->storage->capacity_bytes > core->cuda->most_bytes)
    return weft__fail(WEFT_ERROR_UNSUPPORTED, "x",
                      "`x` has %" PRIu64 " bytes; on this machine OpenCL imports CUDA's memory only up to %" PRIu64
                      " bytes an array (quirk small_imports). weft_to_cuda copies it",
                      x->storage->size_bytes, core->cuda->most_bytes);
  return weft__fail(WEFT_ERROR_UNSUPPORTED, "x",
                    "`x` is in memory that CUDA does not see. Make its context with .cuda = true or WEFT_CUDA=1, or "
                    "copy it with weft_cuda_share");
}

weft_status weft__cuda_pointer_of(uint64_t *address, const weft_array *x) {
  *address = 0;
  if (x->size == 0) return WEFT_OK;
  if (!x->storage->cuda_address) return refuse_unseen(x);
  x->storage->is_public = true;
  *address = x->storage->cuda_address + (uint64_t)x->offset_bytes;
  return WEFT_OK;
}

weft_status weft_cuda_pointer(void **out, const weft_array *x) {
  uint64_t address;
  weft_status rc;
  weft__enter("weft_cuda_pointer", NULL);
  WEFT__NEED(out);
  *out = NULL;
  WEFT__TRY(weft__array_check(x, "x"));
  WEFT__TRY(weft__cuda_pointer_of(&address, x));
  *out = (void *)(uintptr_t)address;
done:
  return weft__leave(rc);
}

/// Makes a contiguous array whose memory CUDA sees. Errors: UNSUPPORTED (too large).
static weft_status make_shared(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                               const char *site) {
  weft__storage *storage = NULL;
  int64_t size;
  weft_status rc;
  WEFT__TRY_RETURN(weft__shape_check(&size, shape, dtype, "shape"));
  const uint64_t size_bytes = (uint64_t)size * weft_dtype_size_bytes(dtype);
  WEFT__TRY(weft__storage_create_shared(&storage, &context->pool, size_bytes, site));
  if (!storage->cuda_address)
    WEFT__TRY(weft__fail(WEFT_ERROR_UNSUPPORTED, "x",
                         "%" PRIu64 " bytes are asked; on this machine OpenCL imports CUDA's memory only up to %" PRIu64
                         " bytes an array (quirk small_imports). weft_to_cuda copies arrays of any size",
                         size_bytes, context->core.cuda->most_bytes));
  WEFT__TRY(weft__array_wrap(out, context, storage, dtype, size_bytes, site));
  weft__set_contiguous(*out, shape);
done:
  weft__storage_release(storage);
  return rc;
}

static weft_status share(weft_array **out, const weft_array *x, const char *site) {
  weft_array *y = NULL;
  weft_status rc;
  WEFT__TRY_RETURN(weft__array_check(x, "x"));
  if (x->storage->cuda_address) return weft__array_view(out, x, site);
  WEFT__TRY(make_shared(&y, x->context, x->dtype, weft__array_shape(x), site));
  WEFT__TRY(weft__assign(y, x, site));
  *out = y;
  y = NULL;
done:
  weft_array_release(&y);
  return rc;
}

weft_status weft__cuda_share_at(weft_array **out, const weft_array *x, const char *site) {
  weft_status rc;
  weft__enter("weft_cuda_share", site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__TRY(share(out, x, site));
done:
  return weft__leave(rc);
}

/* ---- copies ---- */

static weft_status check_address(weft__core *core, const void *data) {
  int type = 0;
  WEFT__TRY_RETURN(weft__cuda_enter(core->cuda));
  const int code = weft__cuda_api.pointer_attribute(&type, MEMORY_TYPE, (uint64_t)(uintptr_t)data);
  weft__cuda_leave();
  if (!code && type == DEVICE_MEMORY) return WEFT_OK;
  return weft__fail(WEFT_ERROR_ARGUMENT, "data", "`data` is %p, which is no device memory of CUDA's", data);
}

/// Enqueues a copy on the stream, behind the context's work and before its later work.
static weft_status copy_on(weft__cuda_stream stream, weft__core *core, uint64_t to, uint64_t from,
                           uint64_t size_bytes) {
  WEFT__TRY_RETURN(weft__cuda_after(core, stream, WEFT__EVERY_SLOT));
  WEFT__TRY_RETURN(weft__cuda_enter_stream(core->cuda, stream));
  const int code = weft__cuda_api.copy_async(to, from, size_bytes, stream);
  weft__cuda_leave();
  if (code) return weft__cuda_fail(code, "cuMemcpyDtoDAsync");
  return weft__after_cuda(core, WEFT__EVERY_SLOT, stream);
}

/// Copies between CUDA's memory and an array that CUDA does not see.
static weft_status copy_by_window(weft__cuda_stream stream, weft_array *x, uint64_t address, bool to_cuda,
                                  const char *site) {
  weft_context *context = x->context;
  const uint64_t size_bytes = (uint64_t)weft_array_size_bytes(x);
  const uint64_t window_bytes = size_bytes < WINDOW_BYTES ? size_bytes : WINDOW_BYTES;
  const int slot = weft__slot_now(&context->core);
  weft__storage *window = NULL;
  weft_status rc;
  WEFT__TRY(weft__storage_create_shared(&window, &context->pool, window_bytes, site));
  for (uint64_t at = 0; at < size_bytes; at += window_bytes) {
    const uint64_t part = size_bytes - at < window_bytes ? size_bytes - at : window_bytes;
    const uint64_t in_x = (uint64_t)x->offset_bytes + at;
    if (to_cuda) WEFT__TRY(weft__transfer_copy(window, 0, x->storage, in_x, slot, part));
    WEFT__TRY(copy_on(stream, &context->core, to_cuda ? address + at : window->cuda_address,
                      to_cuda ? window->cuda_address : address + at, part));
    if (!to_cuda) WEFT__TRY(weft__transfer_copy(x->storage, in_x, window, 0, slot, part));
  }
done:
  weft__storage_release(window);
  return rc;
}

/// Copies between CUDA's memory and a contiguous array.
static weft_status copy(weft__cuda_stream stream, weft_array *x, uint64_t address, bool to_cuda, const char *site) {
  if (!x->storage->cuda_address) return copy_by_window(stream, x, address, to_cuda, site);
  const uint64_t here = x->storage->cuda_address + (uint64_t)x->offset_bytes;
  return copy_on(stream, &x->context->core, to_cuda ? address : here, to_cuda ? here : address,
                 (uint64_t)weft_array_size_bytes(x));
}

weft_status weft__to_cuda_at(void *data, const weft_array *x, const weft_cuda_params *params) {
  const weft_cuda_params p = WEFT__PARAMS(params);
  weft_array *contiguous = NULL;
  weft_status rc;
  weft__enter("weft_to_cuda", p.site);
  WEFT__TRY(weft__array_check(x, "x"));
  if (x->size == 0) goto done;
  WEFT__NEED(data);
  WEFT__TRY(weft__cuda_open(&x->context->core));
  WEFT__TRY(check_address(&x->context->core, data));
  if (weft__is_contiguous(x)) {
    WEFT__TRY(weft__array_view(&contiguous, x, p.site));
  } else {
    WEFT__TRY(weft__array_create(&contiguous, x->context, x->dtype, weft__array_shape(x), p.site));
    WEFT__TRY(weft__assign(contiguous, x, p.site));
  }
  rc = copy(p.cuda_stream, contiguous, (uint64_t)(uintptr_t)data, true, p.site);
done:
  weft_array_release(&contiguous);
  return weft__leave(rc);
}

/* ---- CUDA's memory as an array ---- */

/// The bytes before and behind `data` that the array's elements reach.
static weft_status find_reach(uint64_t *before, uint64_t *behind, const weft_array *x, const void *data) {
  const int64_t element = (int64_t)weft_dtype_size_bytes(x->dtype);
  *before = 0;
  *behind = (uint64_t)element;
  if ((uintptr_t)data % (uintptr_t)element)
    return weft__fail(WEFT_ERROR_LAYOUT, "data", "`data` is %p, not a multiple of the %" PRId64 " bytes of %s", data,
                      element, weft_dtype_name(x->dtype));
  for (int d = 0; d < x->ndim; d++) {
    const int64_t stride = x->stride_bytes[d];
    int64_t reach;
    if (stride % element)
      return weft__fail(WEFT_ERROR_LAYOUT, "stride_bytes",
                        "`.stride_bytes[%d]` is %" PRId64 ", not a multiple of the %" PRId64 " bytes of %s", d, stride,
                        element, weft_dtype_name(x->dtype));
    if (__builtin_mul_overflow(x->shape[d] - 1, stride, &reach) || reach > INT64_MAX / 16 || reach < -INT64_MAX / 16)
      return weft__fail(WEFT_ERROR_OVERFLOW, "stride_bytes",
                        "`.stride_bytes[%d]` is %" PRId64 ", which exceeds the address range", d, stride);
    *(reach < 0 ? before : behind) += (uint64_t)(reach < 0 ? -reach : reach);
  }
  return WEFT_OK;
}

/// The memory's allocation, imported: *storage is NULL if it cannot be shared.
static weft_status import(weft__storage **storage, uint64_t *offset_bytes, weft_context *context, uint64_t address,
                          uint64_t size_bytes, const char *site) {
  weft__cuda_memory memory;
  weft__core *core = &context->core;
  const weft__cuda_failure failure = weft__cuda_memory_around(&memory, offset_bytes, core, address, size_bytes);
  if (failure.code) return weft__while(weft__cuda_failed(core, &failure), "sharing CUDA's memory");
  if (!memory.mem) return WEFT_OK;
  const weft_status rc = weft__storage_adopt(storage, &context->pool, memory.mem, memory.size_bytes, NULL, site);
  weft__release(memory.mem); /* the storage holds its own reference */
  if (rc == WEFT_OK) (*storage)->cuda_address = memory.address;
  return rc;
}

static void nobody(void *user) {
  (void)user;
}

weft_status weft__array_put(weft_array **out, weft_context *context, const weft_array *like, weft__storage *storage,
                            uint64_t offset_bytes, uint64_t size_bytes, const char *site) {
  WEFT__TRY_RETURN(weft__array_wrap(out, context, storage, like->dtype, size_bytes, site));
  weft_array *x = *out;
  x->ndim = like->ndim;
  x->size = like->size;
  for (int d = 0; d < x->ndim; d++) {
    x->shape[d] = like->shape[d];
    x->stride_bytes[d] = like->stride_bytes[d];
  }
  x->offset_bytes = (int64_t)offset_bytes;
  return WEFT_OK;
}

/// Makes the array on CUDA's own memory, or *out stays NULL.
static weft_status adopt(weft_array **out, const weft_array *like, uint64_t first, uint64_t before, uint64_t size_bytes,
                         const weft_cuda_params *p) {
  weft__storage *storage = NULL;
  uint64_t offset_bytes = 0;
  weft_status rc = WEFT_OK;
  if (p->copy) return WEFT_OK;
  WEFT__TRY(import(&storage, &offset_bytes, like->context, first - before, size_bytes, p->site));
  if (!storage) return WEFT_OK;
  WEFT__TRY(weft__after_cuda(&like->context->core, WEFT__EVERY_SLOT, p->cuda_stream));
  WEFT__TRY(weft__array_put(out, like->context, like, storage, offset_bytes + before, size_bytes, p->site));
  if (p->read_only) storage->read_only = MADE_READ_ONLY;
  if (weft__elements_overlap(*out)) storage->read_only = "the strides of CUDA's memory put elements over each other";
  storage->lender = (weft__lender){p->give_back ? p->give_back : nobody, p->user};
done:
  weft__storage_release(storage);
  return rc;
}

/// Makes the array on a copy of the range of memory.
static weft_status take_copy(weft_array **out, const weft_array *like, uint64_t first, uint64_t before,
                             uint64_t size_bytes, const weft_cuda_params *p) {
  const int64_t length = (int64_t)size_bytes;
  const weft_shape bytes = weft__shape(1, &length);
  weft_array *range = NULL;
  weft_status rc;
  weft__core *core = &like->context->core;
  WEFT__TRY(size_bytes <= core->cuda->most_bytes ? make_shared(&range, like->context, WEFT_U8, bytes, p->site)
                                                 : weft__array_create(&range, like->context, WEFT_U8, bytes, p->site));
  WEFT__TRY(copy(p->cuda_stream, range, first - before, false, p->site));
  WEFT__TRY(weft__array_put(out, like->context, like, range->storage, before, size_bytes, p->site));
  if (p->read_only) range->storage->read_only = MADE_READ_ONLY;
  if (weft__elements_overlap(*out))
    range->storage->read_only = "the strides of CUDA's memory put elements over each other";
  if (p->give_back) WEFT__TRY(weft__core_wait(core));
done:
  weft_array_release(&range);
  if (rc) weft_array_release(out);
  if (rc == WEFT_OK && p->give_back) p->give_back(p->user);
  return rc;
}

weft_status weft__array_from_cuda(weft_array **out, const weft_array *like, const void *data,
                                  const weft_cuda_params *params) {
  weft__core *core = &like->context->core;
  const uint64_t first = (uint64_t)(uintptr_t)data;
  uint64_t before, behind;
  WEFT__TRY_RETURN(weft__cuda_open(core));
  WEFT__TRY_RETURN(check_address(core, data));
  WEFT__TRY_RETURN(find_reach(&before, &behind, like, data));
  WEFT__TRY_RETURN(adopt(out, like, first, before, before + behind, params));
  const bool is_shared = *out != NULL;
  if (!is_shared) WEFT__TRY_RETURN(take_copy(out, like, first, before, before + behind, params));
  if (weft__tracing())
    weft__trace_step(WEFT__STEP_ALLOCATE, 0, 0, "%" PRIu64 " bytes of CUDA's memory, %s", before + behind,
                     is_shared ? "shared" : "copied on the device");
  return WEFT_OK;
}

weft_status weft__from_cuda_at(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                               const void *data, const weft_cuda_params *params) {
  const weft_cuda_params p = WEFT__PARAMS(params);
  weft_status rc;
  int64_t size;
  weft__enter("weft_from_cuda", p.site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__TRY(weft__context_resolve(&context, context));
  WEFT__TRY(weft__dtype_check(dtype, context));
  WEFT__TRY(weft__shape_check(&size, shape, dtype, "shape"));
  if (size == 0) {
    WEFT__TRY(weft__array_create(out, context, dtype, shape, p.site));
    if (p.give_back) p.give_back(p.user);
    goto done;
  }
  WEFT__NEED(data);
  weft_array like = {.context = context, .dtype = dtype};
  weft__set_contiguous(&like, shape);
  for (int d = 0; p.stride_bytes && d < like.ndim; d++) like.stride_bytes[d] = p.stride_bytes[d];
  rc = weft__array_from_cuda(out, &like, data, &p);
done:
  return weft__leave(rc);
}

/* ---- order ---- */

weft_status weft_cuda_stream_after(struct CUstream_st *cuda_stream, weft_context *context) {
  weft_status rc;
  weft__enter("weft_cuda_stream_after", NULL);
  WEFT__TRY(weft__context_check(context));
  WEFT__TRY(weft__cuda_open(&context->core));
  rc = weft__cuda_after(&context->core, cuda_stream, WEFT__EVERY_SLOT);
done:
  return weft__leave(rc);
}

weft_status weft_context_after_cuda(weft_context *context, struct CUstream_st *cuda_stream) {
  weft_status rc;
  weft__enter("weft_context_after_cuda", NULL);
  WEFT__TRY(weft__context_check(context));
  WEFT__TRY(weft__cuda_open(&context->core));
  rc = weft__after_cuda(&context->core, WEFT__EVERY_SLOT, cuda_stream);
done:
  return weft__leave(rc);
}

weft_status weft_context_cuda_stream(struct CUstream_st **out, weft_context *context) {
  weft_status rc;
  weft__enter("weft_context_cuda_stream", NULL);
  WEFT__NEED(out);
  *out = NULL;
  WEFT__TRY(weft__context_check(context));
  WEFT__TRY(weft__cuda_open(&context->core));
  rc = weft__cuda_own_stream(out, &context->core);
done:
  return weft__leave(rc);
}
