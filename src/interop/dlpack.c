// SPDX-License-Identifier: MIT
/// DLPack: exports arrays as tensors, imports tensors as arrays.
#include <weft/dlpack.h>

#include <inttypes.h>
#include <stdlib.h>

#include "interop/adopt.h"
#include "interop/cuda_memory.h"
#include "interop/dlpack_abi.h"
#include "ocl/codes.h"

__extension__ typedef __int128 wide;

/* ---- dtypes ---- */

static weft_status dtype_of(weft_dtype *dtype, const weft__dlpack_tensor *tensor) {
  static const char *const names[] = {"int", "uint", "float", "opaque handle", "bfloat", "complex", "bool"};
  const char *name = tensor->code < sizeof names / sizeof *names ? names[tensor->code] : "of a kind Weft does not know";
  if (tensor->lanes != 1)
    return weft__fail(WEFT_ERROR_UNSUPPORTED, "tensor",
                      "`tensor->dl_tensor.dtype.lanes` is %u; expected 1: Weft has no vector elements", tensor->lanes);
  for (int d = 1; d < WEFT_DTYPE_COUNT; d++)
    if (weft__dtype((weft_dtype)d)->dlpack == tensor->code &&
        weft_dtype_size_bytes((weft_dtype)d) * 8 == tensor->bits) {
      *dtype = (weft_dtype)d;
      return WEFT_OK;
    }
  return weft__fail(WEFT_ERROR_DTYPE, "tensor",
                    "`tensor->dl_tensor.dtype` is code %u (%s) with %u bits, for which Weft has no dtype", tensor->code,
                    name, tensor->bits);
}

/* ---- export ---- */

typedef struct exported {
  union {
    struct DLManagedTensorVersioned versioned;
    struct DLManagedTensor unversioned;
  } as;
  weft_array *array; /* a view, which keeps the memory alive */
  weft__cl_mem mem;  /* retained, because closing the context releases its reference */
  int64_t shape[WEFT_MAX_NDIM], strides[WEFT_MAX_NDIM];
} exported;

static void end_export(exported *e) {
  if (!e) return;
  /* a forked child must not call the driver */
  if (e->mem && weft__core_is_of_this_process(&e->array->context->core)) weft__release(e->mem);
  weft_array_release(&e->array);
  free(e);
}

static void delete_versioned(struct DLManagedTensorVersioned *self) {
  if (self) end_export(self->manager);
}

static void delete_unversioned(struct DLManagedTensor *self) {
  if (self) end_export(self->manager);
}

static weft_status check_queue(weft__cl_queue queue, const weft_context *context) {
  weft__queue_info info;
  if (!queue) return WEFT_OK;
  int code = weft__driver->queue_info(&info, queue);
  if (code) return weft__cl_fail(code, "clGetCommandQueueInfo");
  if (info.context == context->core.cl) return WEFT_OK;
  return weft__fail(WEFT_ERROR_CONTEXT, "cl_queue", "`.cl_queue` belongs to another cl_context than `x`");
}

/// Whether the array is exported as CUDA's: a consumer with an OpenCL queue gets OpenCL's buffer.
static bool is_for_cuda(const weft_array *x, const weft_dlpack_params *params) {
  return x->storage->cuda_address && !params->cl_queue;
}

/// Orders the work on the array before all that CUDA's stream or `queue` gets from now on. Without a queue, waits.
static weft_status finish_for(const weft_dlpack_params *params, const weft_array *x) {
  weft__core *core = &x->context->core;
  weft__cl_queue queue = params->cl_queue;
  if (is_for_cuda(x, params)) return weft__cuda_after(core, params->cuda_stream, WEFT__EVERY_SLOT);
  if (!queue) return weft__core_wait(core);
  WEFT__TRY_RETURN(weft__storage_order(x->storage, 0, true));
  return weft__queue_after_slot(core, queue, 0);
}

static void describe(exported *e, weft__dlpack_tensor *tensor, bool for_cuda) {
  const weft_array *x = e->array;
  const weft__storage *storage = x->storage;
  int64_t element = (int64_t)weft_dtype_size_bytes(x->dtype);
  for (int d = 0; d < x->ndim; d++) {
    e->shape[d] = x->shape[d];
    e->strides[d] = x->stride_bytes[d] / element;
  }
  *tensor = (weft__dlpack_tensor){
      .data = x->size == 0 ? NULL
              : for_cuda   ? (void *)(uintptr_t)storage->cuda_address
                           : (void *)e->mem,
      .device_type = for_cuda ? WEFT__DLPACK_CUDA : WEFT__DLPACK_OPENCL,
      .device_id = for_cuda ? x->context->core.cuda->device : x->context->core.device->info.index,
      .ndim = x->ndim,
      .code = weft__dtype(x->dtype)->dlpack,
      .bits = (uint8_t)(element * 8),
      .lanes = 1,
      .shape = x->ndim ? e->shape : NULL,
      .strides = x->ndim ? e->strides : NULL,
      .byte_offset = x->size ? (uint64_t)x->offset_bytes : 0,
  };
}

/// Makes the export, except for the struct that the consumer sees.
static weft_status begin_export(exported **out, const weft_array *x, const weft_dlpack_params *params) {
  exported *e = NULL;
  weft__cl_queue queue = params->cl_queue;
  weft_status rc;
  WEFT__TRY(check_queue(queue, x->context));
  if (!(e = weft__new(sizeof *e))) WEFT__TRY(WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(weft__array_view(&e->array, x, params->site));
  weft__scope_leave(e->array); /* the consumer owns the view; scopes must not release it */
  int code = weft__retain(x->storage->mem);
  if (code) WEFT__TRY(weft__cl_fail(code, "clRetainMemObject"));
  e->mem = x->storage->mem;
  x->storage->is_public = true;
  WEFT__TRY(finish_for(params, x));
  *out = e;
done:
  if (rc) end_export(e);
  return rc;
}

weft_status weft__to_dlpack_at(struct DLManagedTensorVersioned **out, const weft_array *x,
                               const weft_dlpack_params *params) {
  exported *e = NULL;
  const weft_dlpack_params p = WEFT__PARAMS(params);
  weft_status rc;
  weft__enter("weft_to_dlpack", p.site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__TRY(weft__array_check(x, "x"));
  WEFT__TRY(begin_export(&e, x, &p));
  bool read_only = weft_array_is_read_only(x) || p.read_only;
  e->as.versioned = (struct DLManagedTensorVersioned){
      .major = WEFT__DLPACK_MAJOR,
      .minor = WEFT__DLPACK_MINOR,
      .manager = e,
      .deleter = delete_versioned,
      .flags = read_only ? WEFT__DLPACK_READ_ONLY : 0,
  };
  describe(e, &e->as.versioned.tensor, is_for_cuda(x, &p));
  *out = &e->as.versioned;
done:
  return weft__leave(rc);
}

weft_status weft__to_dlpack_unversioned_at(struct DLManagedTensor **out, const weft_array *x,
                                           const weft_dlpack_params *params) {
  exported *e = NULL;
  const weft_dlpack_params p = WEFT__PARAMS(params);
  weft_status rc;
  weft__enter("weft_to_dlpack_unversioned", p.site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__TRY(weft__array_check(x, "x"));
  if (weft_array_is_read_only(x) || p.read_only)
    WEFT__TRY(
        weft__fail(WEFT_ERROR_READ_ONLY, "x",
                   "`x` is read-only, which this struct cannot express; weft_to_dlpack can, and weft_copy makes one "
                   "that can be written"));
  WEFT__TRY(begin_export(&e, x, &p));
  e->as.unversioned = (struct DLManagedTensor){.manager = e, .deleter = delete_unversioned};
  describe(e, &e->as.unversioned.tensor, is_for_cuda(x, &p));
  *out = &e->as.unversioned;
done:
  return weft__leave(rc);
}

/* ---- import ---- */

static int64_t saturate(wide value) {
  return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : (int64_t)value;
}

/// Sets the strides of an array that has shape, size and C-order strides already.
static weft_status set_strides(weft_array *x, const weft__dlpack_tensor *tensor) {
  const int64_t element = (int64_t)weft_dtype_size_bytes(x->dtype);
  for (int d = 0; d < x->ndim && tensor->strides; d++) {
    if (x->shape[d] == 1) continue; /* the stride has no effect */
    const wide stride = (wide)tensor->strides[d] * element;
    if (stride != saturate(stride))
      return weft__fail(WEFT_ERROR_OVERFLOW, "tensor",
                        "`tensor->dl_tensor.strides[%d]` is %" PRId64 ", more than 2^63-1 bytes of %s", d,
                        tensor->strides[d], weft_dtype_name(x->dtype));
    x->stride_bytes[d] = (int64_t)stride;
  }
  return WEFT_OK;
}

/// Sets strides and offset, and checks that all elements lie in the buffer.
static weft_status place(weft_array *x, const weft__dlpack_tensor *tensor, size_t mem_bytes) {
  int64_t element = (int64_t)weft_dtype_size_bytes(x->dtype);
  if (tensor->byte_offset % (uint64_t)element)
    return weft__fail(WEFT_ERROR_LAYOUT, "tensor",
                      "`tensor->dl_tensor.byte_offset` is %" PRIu64 ", not a multiple of the %" PRId64 " bytes of %s",
                      tensor->byte_offset, element, weft_dtype_name(x->dtype));
  WEFT__TRY_RETURN(set_strides(x, tensor));
  wide begin = tensor->byte_offset, end = begin + element;
  for (int d = 0; d < x->ndim; d++) {
    wide reach = (wide)(x->shape[d] - 1) * x->stride_bytes[d];
    /* the sum of eight saturated values fits; a saturated value is far outside the buffer anyway */
    *(reach < 0 ? &begin : &end) += saturate(reach);
  }
  if (begin < 0 || end > (wide)mem_bytes)
    return weft__fail(WEFT_ERROR_SHAPE, "tensor",
                      "`tensor->dl_tensor` with its shape, strides and byte_offset (%" PRIu64
                      ") reaches from byte %" PRId64 " to %" PRId64 "; the buffer has %zu",
                      tensor->byte_offset, saturate(begin), saturate(end), mem_bytes);
  x->offset_bytes = (int64_t)tensor->byte_offset;
  return WEFT_OK;
}

static weft_status check_tensor(weft_dtype *dtype, weft_shape *shape, int64_t *size, const weft__dlpack_tensor *tensor,
                                const weft_context *context) {
  static const char *const known[] = {"", ", the host's memory", ", CUDA", ", CUDA's pinned host memory"};
  if (tensor->device_type != WEFT__DLPACK_OPENCL && tensor->device_type != WEFT__DLPACK_CUDA)
    return weft__fail(WEFT_ERROR_UNSUPPORTED, "tensor",
                      "`tensor->dl_tensor.device.device_type` is %" PRId32 "%s; expected 4, kDLOpenCL, or 2, kDLCUDA",
                      tensor->device_type,
                      tensor->device_type > 0 && tensor->device_type < 4 ? known[tensor->device_type] : "");
  WEFT__TRY_RETURN(dtype_of(dtype, tensor));
  WEFT__TRY_RETURN(weft__while(weft__dtype_check(*dtype, context), "looking at `tensor->dl_tensor.dtype`"));
  if (tensor->ndim < 0 || tensor->ndim > WEFT_MAX_NDIM)
    return weft__fail(WEFT_ERROR_SHAPE, "tensor", "`tensor->dl_tensor.ndim` is %" PRId32 "; expected 0 to %d",
                      tensor->ndim, WEFT_MAX_NDIM);
  if (tensor->ndim && !tensor->shape)
    return weft__fail(WEFT_ERROR_ARGUMENT, "tensor", "`tensor->dl_tensor.shape` is NULL; expected %" PRId32 " lengths",
                      tensor->ndim);
  *shape = weft__shape(tensor->ndim, tensor->shape);
  WEFT__TRY_RETURN(weft__shape_check(size, *shape, *dtype, "tensor->dl_tensor.shape"));
  if (*size && !tensor->data)
    return weft__fail(WEFT_ERROR_ARGUMENT, "tensor",
                      "`tensor->dl_tensor.data` is NULL; expected a cl_mem or an address of CUDA's");
  return WEFT_OK;
}

/// Makes the array of a tensor with elements in CUDA's memory. CUDA's default stream is waited for.
static weft_status import_cuda(weft_array **out, weft_context *context, const weft__dlpack_tensor *tensor,
                               const weft_array *like, const char *why, weft__lender lender, const char *site) {
  weft_array shape = *like;
  const weft_cuda_params params = {.give_back = lender.give_back, .user = lender.user, .site = site};
  WEFT__TRY_RETURN(
      weft__while(weft__cuda_open(&context->core), "taking a tensor whose `dl_tensor.device.device_type` is 2, CUDA"));
  if (tensor->device_id != context->core.cuda->device)
    return weft__fail(WEFT_ERROR_CONTEXT, "tensor",
                      "`tensor->dl_tensor.device.device_id` is %" PRId32
                      "; CUDA's number of the context's device is %d",
                      tensor->device_id, context->core.cuda->device);
  WEFT__TRY_RETURN(set_strides(&shape, tensor));
  WEFT__TRY_RETURN(weft__array_from_cuda(out, &shape, (const char *)tensor->data + tensor->byte_offset, &params));
  if (why) (*out)->storage->read_only = why;
  return WEFT_OK;
}

/// `why`: the reason why the array is read-only; NULL if it is writable.
static weft_status import(weft_array **out, weft_context *context, const weft__dlpack_tensor *tensor, const char *why,
                          weft__lender lender, const char *site) {
  weft_dtype dtype = WEFT_DTYPE_NONE;
  weft_shape shape;
  int64_t size;
  size_t mem_bytes = 0;
  bool made_read_only = false;
  weft__storage *storage = NULL;
  weft_array *x = NULL;
  weft_status rc;
  WEFT__TRY_RETURN(check_tensor(&dtype, &shape, &size, tensor, context));
  if (size && tensor->device_type == WEFT__DLPACK_CUDA) {
    weft_array like = {.context = context, .dtype = dtype};
    weft__set_contiguous(&like, shape);
    return import_cuda(out, context, tensor, &like, why, lender, site);
  }
  /* an empty tensor has no cl_mem */
  if (size)
    WEFT__TRY_RETURN(
        weft__buffer_inspect(&mem_bytes, &made_read_only, tensor->data, context, "tensor->dl_tensor.data"));
  WEFT__TRY(size ? weft__storage_adopt(&storage, &context->pool, tensor->data, mem_bytes, NULL, site)
                 : weft__storage_create(&storage, &context->pool, 0, site));
  WEFT__TRY(weft__array_wrap(&x, context, storage, dtype, (uint64_t)size * weft_dtype_size_bytes(dtype), site));
  weft__set_contiguous(x, shape);
  if (size) WEFT__TRY(place(x, tensor, mem_bytes));
  if (!why && made_read_only) why = WEFT__MADE_READ_ONLY;
  if (!why && size && weft__elements_overlap(x)) why = "the strides of its DLPack tensor put elements over each other";
  storage->read_only = why;
  storage->lender = lender;
  *out = x;
done:
  if (rc) weft_array_release(&x);
  weft__storage_release(storage);
  return rc;
}

static void give_back_versioned(void *user) {
  struct DLManagedTensorVersioned *tensor = user;
  if (tensor->deleter) tensor->deleter(tensor);
}

static void give_back_unversioned(void *user) {
  struct DLManagedTensor *tensor = user;
  if (tensor->deleter) tensor->deleter(tensor);
}

weft_status weft__from_dlpack_at(weft_array **out, weft_context *context, struct DLManagedTensorVersioned *tensor,
                                 const char *site) {
  weft_status rc;
  weft__enter("weft_from_dlpack", site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__NEED(tensor);
  /* in a tensor of another major version only the deleter may be touched */
  if (tensor->major != WEFT__DLPACK_MAJOR)
    WEFT__TRY(weft__fail(WEFT_ERROR_VERSION, "tensor", "`tensor->version` is %" PRIu32 ".%" PRIu32 "; expected %u.x",
                         tensor->major, tensor->minor, WEFT__DLPACK_MAJOR));
  WEFT__TRY(weft__context_resolve(&context, context));
  const char *why = tensor->flags & WEFT__DLPACK_READ_ONLY ? "its DLPack tensor has the read-only flag" : NULL;
  rc = import(out, context, &tensor->tensor, why, (weft__lender){give_back_versioned, tensor}, site);
done:
  return weft__leave(rc);
}

weft_status weft__from_dlpack_unversioned_at(weft_array **out, weft_context *context, struct DLManagedTensor *tensor,
                                             const char *site) {
  weft_status rc;
  weft__enter("weft_from_dlpack_unversioned", site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__NEED(tensor);
  WEFT__TRY(weft__context_resolve(&context, context));
  rc = import(out, context, &tensor->tensor, NULL, (weft__lender){give_back_unversioned, tensor}, site);
done:
  return weft__leave(rc);
}
