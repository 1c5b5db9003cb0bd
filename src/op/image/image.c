// SPDX-License-Identifier: MIT
/// Images as objects: made, adopted, described, released.
#include "op/image/image.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "interop/adopt.h"
#include "ocl/codes.h"

#define MAX_AXES 3

weft_status weft__image_check_device(const weft_context *context) {
  const weft_device_info *device = &context->core.device->info;
  if (device->has_images) return WEFT_OK;
  return weft__fail(WEFT_ERROR_UNSUPPORTED, "context",
                    "%s has no images (CL_DEVICE_IMAGE_SUPPORT is false); kernels can read arrays instead",
                    device->name);
}

weft_status weft__image_check(const weft_image *image, const char *argument) {
  WEFT__TRY_RETURN(weft__handle_check(image, WEFT__MAGIC_IMAGE, argument));
  return weft__core_check(&image->context->core);
}

/* ---- forms ---- */

/// The type in OpenCL C of an image with `axes` axes, of which the first may count layers. NULL: OpenCL has no such
/// type.
static const char *kind_of(int axes, bool layered) {
  static const char *const kinds[2][MAX_AXES + 1] = {{NULL, "image1d_t", "image2d_t", "image3d_t"},
                                                     {NULL, NULL, "image1d_array_t", "image2d_array_t"}};
  return axes < 0 || axes > MAX_AXES ? NULL : kinds[layered][axes];
}

static bool is_layered(const weft__image_form *form) {
  return strstr(form->kind, "_array_") != NULL;
}

/// The number of axes of the extent, and the shape of the array that an image of this form holds.
static weft_shape shape_of(const weft__image_form *form) {
  weft_shape shape = {0};
  for (int axes = 1; axes <= MAX_AXES; axes++)
    for (int layered = 0; layered < 2; layered++) {
      const char *kind = kind_of(axes, layered != 0);
      if (kind && strcmp(kind, form->kind) == 0) shape.ndim = axes;
    }
  for (int d = 0; d < shape.ndim; d++) shape.dim[d] = (int64_t)form->extent[shape.ndim - 1 - d];
  if (form->channels > 1) shape.dim[shape.ndim++] = form->channels;
  return shape;
}

static uint64_t size_bytes_of(const weft__image_form *form) {
  return form->extent[0] * form->extent[1] * form->extent[2] * (uint64_t)form->channels *
         weft_dtype_size_bytes(form->dtype);
}

static weft_status check_dtype(weft_dtype dtype, bool normalized) {
  static const weft_dtype takes[] = {WEFT_U8, WEFT_I8, WEFT_U16, WEFT_I16, WEFT_U32, WEFT_I32, WEFT_F16, WEFT_F32};
  bool is_known = false;
  if (!weft__dtype(dtype))
    return weft__fail(WEFT_ERROR_DTYPE, "dtype", "`dtype` is %d, which is no weft_dtype", (int)dtype);
  for (size_t k = 0; k < sizeof takes / sizeof *takes; k++) is_known = is_known || takes[k] == dtype;
  if (!is_known)
    return weft__fail(WEFT_ERROR_DTYPE, "dtype",
                      "an image of %s: images hold u8, i8, u16, i16, u32, i32, f16 or f32; weft_cast converts arrays",
                      weft_dtype_name(dtype));
  if (normalized && !(weft__is_whole(dtype) && weft_dtype_size_bytes(dtype) <= 2))
    return weft__fail(WEFT_ERROR_ARGUMENT, "normalized",
                      "`.normalized` is set for an image of %s; expected u8, i8, u16 or i16", weft_dtype_name(dtype));
  return WEFT_OK;
}

/// Takes the axis of channels from the shape.
static weft_status take_channels(weft_shape *shape, int channels) {
  if (channels == 0 || channels == 1) return WEFT_OK;
  if (channels != 2 && channels != 4)
    return weft__fail(WEFT_ERROR_ARGUMENT, "channels",
                      "`.channels` is %d; expected 1, 2 or 4 (weft_pad or weft_concatenate make 4 of 3)", channels);
  const int last = shape->ndim - 1;
  if (last < 1 || shape->dim[last] != channels)
    return weft__fail(WEFT_ERROR_SHAPE, "shape",
                      "`.channels` is %d, and the last axis of the array has length %" PRId64 "; expected %d", channels,
                      last < 0 ? 0 : shape->dim[last], channels);
  shape->ndim--;
  return WEFT_OK;
}

/// The most pixels along axis `d` of the extent.
static uint64_t limit(const weft_device_info *device, const weft__image_form *form, int axes, int d) {
  if (is_layered(form) && d + 1 == axes) return device->max_image_layers;
  return axes - is_layered(form) == MAX_AXES ? device->max_image_3d[d] : device->max_image_2d[d];
}

static weft_status check_extent(const weft_device_info *device, const weft__image_form *form, int axes) {
  static const char *const names[] = {"wide", "high", "deep"};
  for (int d = 0; d < axes; d++) {
    const bool layers = is_layered(form) && d + 1 == axes;
    const uint64_t most = limit(device, form, axes, d);
    if (form->extent[d] == 0)
      return weft__fail(WEFT_ERROR_SHAPE, "shape", "axis %d of the image is empty; images have no empty axes",
                        axes - 1 - d);
    if (form->extent[d] > most)
      return weft__fail(WEFT_ERROR_SHAPE, "shape",
                        "the image would be %" PRIu64 "%s %s (axis %d); %s of %s has at most %" PRIu64, form->extent[d],
                        layers ? "" : " pixels", layers ? "layers" : names[d], axes - 1 - d, form->kind, device->name,
                        most);
  }
  return WEFT_OK;
}

/// The form of an image for an array of this shape.
static weft_status find_form(weft__image_form *form, const weft_context *context, weft_dtype dtype, weft_shape shape,
                             const weft_image_params *params) {
  int64_t size;
  WEFT__TRY_RETURN(check_dtype(dtype, params->normalized));
  WEFT__TRY_RETURN(weft__shape_check(&size, shape, dtype, "shape"));
  const int given = shape.ndim;
  WEFT__TRY_RETURN(take_channels(&shape, params->channels));
  *form = (weft__image_form){.kind = kind_of(shape.ndim, params->layered),
                             .extent = {1, 1, 1},
                             .dtype = dtype,
                             .channels = params->channels > 1 ? params->channels : 1,
                             .normalized = params->normalized};
  if (!form->kind)
    return weft__fail(WEFT_ERROR_SHAPE, "shape",
                      "an array of %d axes%s%s; expected %s for an image, and one more with `.channels` of 2 or 4",
                      given, params->layered ? ", layered" : "", given > shape.ndim ? ", one of them channels" : "",
                      params->layered ? "2 or 3 (the layers first)" : "1 to 3");
  for (int d = 0; d < shape.ndim; d++) form->extent[d] = (uint64_t)shape.dim[shape.ndim - 1 - d];
  return check_extent(&context->core.device->info, form, shape.ndim);
}

static weft_status check_supported(const weft_context *context, const weft__image_form *form) {
  bool is = false;
  int code = weft__driver->image_supported(&is, context->core.cl, form);
  if (code) return weft__cl_fail(code, "clGetSupportedImageFormats");
  if (is) return WEFT_OK;
  return weft__fail(WEFT_ERROR_UNSUPPORTED, "dtype", "%s has no %s of %d channel%s of %s%s%s",
                    context->core.device->info.name, form->kind, form->channels, form->channels == 1 ? "" : "s",
                    weft_dtype_name(form->dtype), form->normalized ? ", normalized" : "",
                    form->channels == 2 ? "; 1 and 4 channels work on every device with images" : "");
}

/* ---- the object ---- */

static weft_status wrap(weft_image **out, weft_context *context, weft__storage *storage, const weft__image_form *form,
                        const char *site) {
  weft_image *image = weft__new(sizeof *image);
  if (!image) return WEFT_ERROR_HOST_MEMORY;
  weft__object_begin(&image->object, WEFT__MAGIC_IMAGE, context->object.generation);
  image->context = weft_context_retain(context);
  image->storage = storage;
  image->form = *form;
  image->shape = shape_of(form);
  weft__storage_retain(storage);
  weft__ledger_add(&context->core.ledger, &image->entry, WEFT__LEDGER_IMAGE, image, storage->size_bytes, site);
  *out = image;
  return WEFT_OK;
}

static void destroy(weft_image *image) {
  weft__ledger_remove(&image->context->core.ledger, &image->entry);
  weft__storage_release(image->storage);
  weft_context_release(&image->context);
  weft__object_free(&image->object);
}

WEFT__DEFINE_COUNTED(weft_image, WEFT__MAGIC_IMAGE, destroy)

weft_status weft__image_create(weft_image **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                               const weft_image_params *params) {
  weft__image_form form;
  weft__storage *storage = NULL;
  weft_status rc;
  WEFT__TRY(weft__image_check_device(context));
  WEFT__TRY(find_form(&form, context, dtype, shape, params));
  WEFT__TRY(check_supported(context, &form));
  WEFT__TRY(weft__storage_create_image(&storage, &context->pool, &form, size_bytes_of(&form), params->site));
  WEFT__TRY(wrap(out, context, storage, &form, params->site));
done:
  weft__storage_release(storage);
  return rc;
}

weft_status weft__image_create_at(weft_image **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                                  const weft_image_params *params) {
  const weft_image_params p = WEFT__PARAMS(params);
  weft_status rc;
  weft__enter("weft_image_create", p.site);
  WEFT__NEED_NULL_RESULT(out);
  WEFT__TRY(weft__context_resolve(&context, context));
  rc = weft__image_create(out, context, dtype, shape, &p);
done:
  return weft__leave(rc);
}

/* ---- foreign images ---- */

/// Reads a foreign image's form. Errors: ARGUMENT, CONTEXT, UNSUPPORTED, DRIVER.
static weft_status inspect(weft__image_form *form, weft__mem_info *info, weft__cl_mem mem,
                           const weft_context *context) {
  int code = weft__driver->mem_info(info, mem);
  if (code) return weft__cl_fail(code, "clGetMemObjectInfo");
  if (info->is_buffer)
    return weft__fail(WEFT_ERROR_ARGUMENT, "cl_mem",
                      "`cl_mem` is a buffer; expected an image (weft_array_adopt takes "
                      "buffers)");
  if (info->context != context->core.cl)
    return weft__fail(WEFT_ERROR_CONTEXT, "cl_mem",
                      "`cl_mem` belongs to another cl_context than the weft_context; weft_context_adopt makes one "
                      "around its own");
  code = weft__driver->image_form(form, mem);
  if (code) return weft__cl_fail(code, "clGetImageInfo");
  if (!form->kind || shape_of(form).ndim < 1)
    return weft__fail(WEFT_ERROR_UNSUPPORTED, "cl_mem",
                      "`cl_mem` is %s; expected an image with 1, 2 or 3 axes, or an array of images, of colours; "
                      "WEFT_CL_IMAGE passes others to kernels",
                      form->kind ? form->kind : "of a kind that Weft does not know");
  if (form->dtype != WEFT_DTYPE_NONE && form->channels > 0) return WEFT_OK;
  return weft__fail(WEFT_ERROR_UNSUPPORTED, "cl_mem",
                    "`cl_mem` has a format that no array has: expected the channels CL_R, CL_RG or CL_RGBA, of "
                    "integers, normalized or not, of halves or floats; WEFT_CL_IMAGE passes it to kernels");
}

weft_status weft__image_adopt_at(weft_image **out, weft_context *context, weft__cl_mem mem, const char *site) {
  weft__image_form form;
  weft__mem_info info = {0};
  weft__storage *storage = NULL;
  weft_status rc;
  weft__enter("weft_image_adopt", site);
  WEFT__NEED_NULL_RESULT(out);
  if (!mem) WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "cl_mem", "`cl_mem` is NULL"));
  WEFT__TRY(weft__context_resolve(&context, context));
  WEFT__TRY(weft__image_check_device(context));
  WEFT__TRY(inspect(&form, &info, mem, context));
  WEFT__TRY(weft__storage_adopt(&storage, &context->pool, mem, size_bytes_of(&form),
                                info.read_only ? WEFT__MADE_READ_ONLY : NULL, site));
  WEFT__TRY(wrap(out, context, storage, &form, site));
  storage->is_image = true;
  (*out)->only_kernels_write = info.write_only;
done:
  weft__storage_release(storage);
  return weft__leave(rc);
}

/* ---- properties ---- */

weft_status weft_image_get(weft_image_info *info, const weft_image *image) {
  weft_status rc;
  weft__enter("weft_image_get", NULL);
  WEFT__NEED(info);
  WEFT__TRY(weft__handle_check(image, WEFT__MAGIC_IMAGE, "image"));
  *info = (weft_image_info){.kind = image->form.kind,
                            .dtype = image->form.dtype,
                            .shape = image->shape,
                            .channels = image->form.channels,
                            .normalized = image->form.normalized,
                            .layered = is_layered(&image->form),
                            .size_bytes = size_bytes_of(&image->form)};
done:
  return weft__leave(rc);
}

weft__cl_mem weft_image_cl_mem(const weft_image *image) {
  return weft__handle_is(image, WEFT__MAGIC_IMAGE) ? image->storage->mem : NULL;
}
