// SPDX-License-Identifier: MIT
/// Arrays on another context's memory.
#include "interop/cuda_memory.h"
#include "ocl/codes.h"

static weft_status check(const weft_context *context, const weft_array *x) {
  const weft_device_info *here = &context->core.device->info, *there = &x->context->core.device->info;
  if (context->core.cl == x->context->core.cl)
    return weft__fail(WEFT_ERROR_CONTEXT, "x", "`x` belongs to `context` already, or to its cl_context");
  if (x->size && !x->storage->slab)
    return weft__fail(WEFT_ERROR_UNSUPPORTED, "x",
                      "`x` is in memory that another context cannot import. Make its context with .cuda = true or "
                      "WEFT_CUDA=1, or copy it with weft_cuda_share; weft_copy with .context = copies it to another "
                      "context");
  if (!weft__cuda_reaches(&context->core, &x->context->core))
    return weft__fail(WEFT_ERROR_UNSUPPORTED, "context",
                      "device %d (%s) cannot use memory of device %d (%s); weft_copy with .context = copies the array",
                      here->index, here->name, there->index, there->name);
  return WEFT_OK;
}

static void give_back(void *user) {
  weft_array *x = user;
  weft_array_release(&x);
}

/// Imports the slab of x's memory and puts a handle like `x` on it.
static weft_status import(weft_array **out, weft_context *context, const weft_array *x, const char *site) {
  const weft__slab *slab = x->storage->slab;
  weft__cl_mem mem = NULL;
  weft__storage *storage = NULL;
  weft_array *held = NULL;
  weft_status rc;
  const weft__cuda_failure failure = weft__cuda_memory_for(&mem, &context->core, &slab->memory, &x->context->core);
  if (failure.code) WEFT__TRY(weft__cuda_failed(&context->core, &failure));
  WEFT__TRY(weft__storage_adopt(&storage, &context->pool, mem, slab->memory.size_bytes, x->storage->read_only, site));
  WEFT__TRY(weft__array_view(&held, x, site));
  weft__scope_leave(held); /* the new array owns it */
  const uint64_t in_slab = x->storage->cuda_address - slab->memory.address;
  WEFT__TRY(weft__array_put(out, context, x, storage, in_slab + (uint64_t)x->offset_bytes, 0, site));
  storage->lender = (weft__lender){give_back, held};
  held = NULL;
done:
  weft__release(mem);
  weft__storage_release(storage);
  weft_array_release(&held);
  return rc;
}

static weft_status make(weft_array **out, weft_context *context, const weft_array *x, const char *site) {
  weft__core *there = &x->context->core;
  WEFT__TRY_RETURN(weft__dtype_check(x->dtype, context));
  WEFT__TRY_RETURN(check(context, x));
  if (x->size == 0) return weft__array_create(out, context, x->dtype, weft__array_shape(x), site);
  const int slot = weft__slot_now(there);
  WEFT__TRY_RETURN(weft__storage_order(x->storage, slot, true));
  const weft__covered covered = weft__slot_covers(there, slot);
  WEFT__TRY_RETURN(weft__slot_wait(there, slot));
  WEFT__TRY_RETURN(weft__deferred_report(there, &covered));
  return import(out, context, x, site);
}

weft_status weft__peer_array_at(weft_array **out, weft_context *context, const weft_array *x, const char *site) {
  weft_status rc;
  weft__enter("weft_peer_array", site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__TRY(weft__array_check(x, "x"));
  WEFT__TRY(weft__context_resolve(&context, context));
  WEFT__TRY(make(out, context, x, site));
done:
  return weft__leave(rc);
}
