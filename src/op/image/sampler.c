// SPDX-License-Identifier: MIT
/// Samplers as objects.
#include "op/image/image.h"

#include <stdlib.h>

#include "ocl/codes.h"

static const weft__sampler_address addresses[] = {
    [WEFT_ADDRESS_CLAMP_TO_EDGE] = WEFT__ADDRESS_CLAMP_TO_EDGE,
    [WEFT_ADDRESS_CLAMP] = WEFT__ADDRESS_CLAMP,
    [WEFT_ADDRESS_REPEAT] = WEFT__ADDRESS_REPEAT,
    [WEFT_ADDRESS_MIRRORED_REPEAT] = WEFT__ADDRESS_MIRRORED_REPEAT,
    [WEFT_ADDRESS_NONE] = WEFT__ADDRESS_NONE,
};

static weft_status check_params(const weft_sampler_params *p) {
  if (p->filter != WEFT_SAMPLER_NEAREST && p->filter != WEFT_SAMPLER_LINEAR)
    return weft__fail(WEFT_ERROR_ARGUMENT, "filter", "`.filter` is %d, which is no weft_sampler_filter",
                      (int)p->filter);
  if ((int)p->address < 0 || (size_t)p->address >= sizeof addresses / sizeof *addresses)
    return weft__fail(WEFT_ERROR_ARGUMENT, "address", "`.address` is %d, which is no weft_sampler_address",
                      (int)p->address);
  const bool repeats = p->address == WEFT_ADDRESS_REPEAT || p->address == WEFT_ADDRESS_MIRRORED_REPEAT;
  if (repeats && !p->normalized_coordinates)
    return weft__fail(WEFT_ERROR_ARGUMENT, "address",
                      "`.address` repeats the image, which OpenCL has for normalized coordinates only; set "
                      "`.normalized_coordinates`, and divide coordinates by the image's size");
  return WEFT_OK;
}

static weft_status create(weft_sampler **out, weft_context *context, const weft_sampler_params *p) {
  const weft__sampler_form form = {.linear = p->filter == WEFT_SAMPLER_LINEAR,
                                   .normalized_coordinates = p->normalized_coordinates,
                                   .address = addresses[p->address]};
  weft_sampler *sampler = weft__new(sizeof *sampler);
  if (!sampler) return WEFT_ERROR_HOST_MEMORY;
  int code = weft__driver->sampler_create(&sampler->sampler, context->core.cl, &form);
  if (code) {
    free(sampler);
    return weft__core_failed(&context->core, code, "clCreateSampler", false);
  }
  weft__object_begin(&sampler->object, WEFT__MAGIC_SAMPLER, context->object.generation);
  sampler->context = weft_context_retain(context);
  weft__ledger_add(&context->core.ledger, &sampler->entry, WEFT__LEDGER_SAMPLER, sampler, 0, p->site);
  *out = sampler;
  return WEFT_OK;
}

weft_status weft__sampler_create_at(weft_sampler **out, weft_context *context, const weft_sampler_params *params) {
  const weft_sampler_params p = WEFT__PARAMS(params);
  weft_status rc;
  weft__enter("weft_sampler_create", p.site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__TRY(weft__context_resolve(&context, context));
  WEFT__TRY(weft__image_check_device(context));
  WEFT__TRY(check_params(&p));
  rc = create(out, context, &p);
done:
  return weft__leave(rc);
}

static void destroy(weft_sampler *sampler) {
  weft__ledger_remove(&sampler->context->core.ledger, &sampler->entry);
  weft__release(sampler->sampler);
  weft_context_release(&sampler->context);
  weft__object_free(&sampler->object);
}

WEFT__DEFINE_COUNTED(weft_sampler, WEFT__MAGIC_SAMPLER, destroy)
