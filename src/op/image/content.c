// SPDX-License-Identifier: MIT
/// The content of images: from arrays and to arrays, on the device.
#include <inttypes.h>
#include <string.h>

#include "mem/submit.h"
#include "ocl/codes.h"
#include "op/image/image.h"

static const char *const names[] = {"x"};

/// Replaces a sub-buffer, in which a place is `offset_bytes`, by the whole buffer, where the driver asks for that.
static weft_status find_whole(weft__cl_mem *mem, uint64_t *offset_bytes, const weft__core *core) {
  weft__mem_info info = {0};
  if (!core->device->quirks.images_of_whole) return WEFT_OK;
  int code = weft__driver->mem_info(&info, *mem);
  if (code) return weft__cl_fail(code, "clGetMemObjectInfo");
  if (!info.whole) return WEFT_OK;
  *mem = info.whole;
  *offset_bytes += info.begin_bytes;
  return WEFT_OK;
}

/* ---- parts ---- */

/// The axes that count pixels: all but the channels'.
static int pixel_axes(const weft_image *image) {
  return image->shape.ndim - (image->form.channels > 1);
}

static weft_status check_count(const weft_image *image, weft_shape given, const char *argument) {
  const int axes = pixel_axes(image);
  if (given.ndim == axes) return WEFT_OK;
  return weft__fail(WEFT_ERROR_ARGUMENT, argument, "`%s` has %d number%s; expected %d, one for each axis of `image`%s",
                    argument, given.ndim, given.ndim == 1 ? "" : "s", axes,
                    image->form.channels > 1 ? " but the channels'" : "");
}

/// The part with this origin (no numbers: the first pixel) and shape in pixels (no numbers: up to the end). Sets
/// *shape: of the array that the part holds.
static weft_status find_part(weft__image_part *part, weft_shape *shape, const weft_image *image, weft_shape origin,
                             weft_shape pixels) {
  const int axes = pixel_axes(image);
  *part = (weft__image_part){.extent = {1, 1, 1}};
  *shape = image->shape;
  if (origin.ndim) WEFT__TRY_RETURN(check_count(image, origin, "origin"));
  if (pixels.ndim) WEFT__TRY_RETURN(check_count(image, pixels, "shape"));
  for (int d = 0; d < axes; d++) {
    const int64_t length = image->shape.dim[d], first = origin.ndim ? origin.dim[d] : 0;
    const bool begins = first >= 0 && first <= length;
    const int64_t count = pixels.ndim ? pixels.dim[d] : begins ? length - first : 0;
    if (!begins || count < 0 || count > length - first)
      return weft__fail(WEFT_ERROR_INDEX, origin.ndim ? "origin" : "shape",
                        "the part would be %" PRId64 " pixels from number %" PRId64
                        " on along axis %d; `image` has %" PRId64,
                        count, first, d, length);
    shape->dim[d] = count;
    part->origin[axes - 1 - d] = (uint64_t)first;
    part->extent[axes - 1 - d] = (uint64_t)count;
  }
  return WEFT_OK;
}

/// Copies between a contiguous array and a part of an image that has its shape and dtype.
static weft_status copy(const weft_image *image, weft__image_part *part, const weft_array *x, bool to_image,
                        const char *site) {
  weft__core *core = &image->context->core;
  const uint64_t size_bytes = (uint64_t)weft_array_size_bytes(x);
  weft__command command = {.part = part, .size_bytes = size_bytes};
  part->by_host = core->device->quirks.rows_by_host && strcmp(image->form.kind, "image1d_array_t") == 0;
  weft__cl_mem buffer = x->storage->mem;
  uint64_t offset_bytes = (uint64_t)x->offset_bytes;
  if (x->size == 0) return WEFT_OK; /* OpenCL refuses an empty part */
  WEFT__TRY_RETURN(find_whole(&buffer, &offset_bytes, core));
  if (to_image) {
    command.kind = WEFT__COMMAND_COPY_TO_IMAGE;
    command.mem = image->storage->mem;
    command.from = buffer;
    command.from_offset_bytes = offset_bytes;
  } else {
    command.kind = WEFT__COMMAND_COPY_FROM_IMAGE;
    command.from = image->storage->mem;
    command.mem = buffer;
    command.offset_bytes = offset_bytes;
  }
  const weft__use use[] = {{image->storage, to_image}, {x->storage, !to_image}};
  return weft__submit(&(weft__submission){.core = core,
                                          .slot = weft__slot_now(core),
                                          .command = &command,
                                          .uses = 2,
                                          .use = use,
                                          .bytes = 2 * size_bytes,
                                          .what = to_image ? "image_write" : "image_read",
                                          .site = site});
}

/// Refuses a number as the content.
static weft_status need_array(const weft__call *c) {
  if (!weft__call_is_scalar(c, 0)) return WEFT_OK;
  return weft__fail(WEFT_ERROR_ARGUMENT, "x", "`x` is a number; expected an array or WEFT_HOST");
}

/// The part that the call's only operand is for: the image, or with an origin what the operand covers.
static weft_status find_written(weft__image_part *part, const weft__call *c, const weft_image *image,
                                weft_shape origin) {
  weft_shape shape, x = weft__call_shape(c, 0), pixels = x;
  const int axes = pixel_axes(image), last = image->shape.ndim - 1;
  const bool has_pixels = x.ndim == image->shape.ndim && (axes > last || x.dim[last] == image->shape.dim[last]);
  pixels.ndim = axes;
  if (origin.ndim ? has_pixels : weft__same_shape(x, image->shape))
    return find_part(part, &shape, image, origin, pixels);
  weft__text text = {0};
  weft__text_add(&text, "`x` is ");
  weft__add_shape(&text, weft__call_dtype(c, 0), x);
  weft__text_add(&text, ", `image` is ");
  weft__add_shape(&text, image->form.dtype, image->shape);
  weft__text_add(&text, !origin.ndim               ? "; `.origin` writes a part of it"
                        : image->form.channels > 1 ? ": expected as many axes and channels"
                                                   : ": expected as many axes");
  const weft_status rc = weft__fail(WEFT_ERROR_SHAPE, "x", "%s", weft__text_chars(&text));
  weft__text_free(&text);
  return rc;
}

/// Writes the call's only operand, which was checked, to the image.
static weft_status write(weft__call *c, weft_image *image, weft_shape origin) {
  weft__image_part part;
  const weft_shape shape = weft__call_shape(c, 0);
  if (image->storage->read_only)
    return weft__fail(WEFT_ERROR_READ_ONLY, "image", "`image` is read-only: %s", image->storage->read_only);
  WEFT__TRY_RETURN(need_array(c));
  WEFT__TRY_RETURN(find_written(&part, c, image, origin));
  WEFT__TRY_RETURN(weft__result_check("image", image->form.dtype, shape, weft__call_dtype(c, 0), shape));
  WEFT__TRY_RETURN(weft__call_upload(c));
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, image->form.dtype));
  return copy(image, &part, c->array[0], true, c->site);
}

weft_status weft__image_write_at(weft_image *image, weft_operand x, const weft_image_write_params *params) {
  const weft_image_write_params p = WEFT__PARAMS(params);
  weft__call c;
  weft__enter("weft_image_write", p.site);
  weft_status rc = weft__image_check(image, "image");
  if (rc) return weft__leave(rc);
  weft__call_open(&c, image->context, 0, NULL, 1, &x, names, p.site);
  c.context_owner = "image";
  WEFT__TRY(weft__call_check(&c));
  rc = write(&c, image, p.origin);
done:
  return weft__leave(weft__call_close(&c, rc));
}

static weft_status from_array(weft_image **out, weft__call *c, const weft_image_params *params) {
  weft_status rc;
  weft_image *image = NULL;
  WEFT__TRY(weft__call_check(c));
  WEFT__TRY(need_array(c));
  WEFT__TRY(weft__image_create(&image, c->context, weft__call_dtype(c, 0), weft__call_shape(c, 0), params));
  WEFT__TRY(write(c, image, (weft_shape){0}));
  *out = image;
  image = NULL;
done:
  weft_image_release(&image);
  return rc;
}

weft_status weft__image_from_array_at(weft_image **out, weft_operand x, const weft_image_params *params) {
  const weft_image_params p = WEFT__PARAMS(params);
  weft__call c;
  weft__enter("weft_image_from_array", p.site);
  WEFT__NEED_NULL_RESULT(out);
  weft__call_open(&c, NULL, 0, NULL, 1, &x, names, p.site);
  return weft__leave(weft__call_close(&c, from_array(out, &c, &p)));
}

static weft_status read(weft__call *c, const weft_image *image, const weft_image_read_params *p) {
  weft__image_part part;
  weft_shape shape;
  WEFT__TRY_RETURN(weft__call_operands(c));
  WEFT__TRY_RETURN(find_part(&part, &shape, image, p->origin, p->shape));
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, image->form.dtype, shape));
  return copy(image, &part, c->array[0], false, c->site);
}

weft_status weft__image_read_at(weft_operand out, const weft_image *image, const weft_image_read_params *params) {
  const weft_image_read_params p = WEFT__PARAMS(params);
  weft__call c;
  weft__enter("weft_image_read", p.site);
  weft_status rc = weft__image_check(image, "image");
  if (rc) return weft__leave(rc);
  weft__call_open(&c, image->context, 1, &out, 0, NULL, NULL, p.site);
  c.context_owner = "image";
  return weft__leave(weft__call_close(&c, read(&c, image, &p)));
}
