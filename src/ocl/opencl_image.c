// SPDX-License-Identifier: MIT
#include "ocl/opencl_image.h"

#include <stdlib.h>
#include <string.h>

#include "ocl/opencl_calls.h"

/* of OpenCL 2.0, missing in older headers */
#define DEPTH 0x10BD
#define DEPTH_STENCIL 0x10BE

/* ---- kinds and formats ---- */

/// The kinds of images. `axes`: how many axes the extent has.
static const struct {
  const char *name;
  cl_mem_object_type type;
  bool is_depth, is_array;
  int axes;
} kinds[] = {
    {"image1d_t", CL_MEM_OBJECT_IMAGE1D, false, false, 1},
    {"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY, false, true, 2},
    {"image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER, false, false, 1},
    {"image2d_t", CL_MEM_OBJECT_IMAGE2D, false, false, 2},
    {"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, false, true, 3},
    {"image3d_t", CL_MEM_OBJECT_IMAGE3D, false, false, 3},
    {"image2d_depth_t", CL_MEM_OBJECT_IMAGE2D, true, false, 2},
    {"image2d_array_depth_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, true, true, 3},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static const struct {
  cl_channel_type type;
  weft_dtype dtype;
  bool normalized;
} types[] = {
    {CL_SIGNED_INT8, WEFT_I8, false},   {CL_SIGNED_INT16, WEFT_I16, false},   {CL_SIGNED_INT32, WEFT_I32, false},
    {CL_UNSIGNED_INT8, WEFT_U8, false}, {CL_UNSIGNED_INT16, WEFT_U16, false}, {CL_UNSIGNED_INT32, WEFT_U32, false},
    {CL_SNORM_INT8, WEFT_I8, true},     {CL_SNORM_INT16, WEFT_I16, true},     {CL_UNORM_INT8, WEFT_U8, true},
    {CL_UNORM_INT16, WEFT_U16, true},   {CL_HALF_FLOAT, WEFT_F16, false},     {CL_FLOAT, WEFT_F32, false},
};

static const struct {
  cl_channel_order order;
  int channels;
} orders[] = {{CL_R, 1}, {CL_RG, 2}, {CL_RGBA, 4}};

static size_t kind_named(const char *name) {
  size_t k = 0;
  while (k < KINDS && strcmp(kinds[k].name, name) != 0) k++;
  return k;
}

/// The format of a form. False: OpenCL has none.
static bool format_of(cl_image_format *format, const weft__image_form *form) {
  *format = (cl_image_format){0};
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    if (types[k].dtype == form->dtype && types[k].normalized == form->normalized)
      format->image_channel_data_type = types[k].type;
  for (size_t k = 0; k < sizeof orders / sizeof *orders; k++)
    if (orders[k].channels == form->channels) format->image_channel_order = orders[k].order;
  return format->image_channel_data_type && format->image_channel_order && kind_named(form->kind) < KINDS;
}

/* ---- queries ---- */

void weft__opencl_image_facts(weft__device_facts *facts, weft__cl_device device) {
  static const cl_device_info what[] = {CL_DEVICE_IMAGE2D_MAX_WIDTH, CL_DEVICE_IMAGE2D_MAX_HEIGHT,
                                        CL_DEVICE_IMAGE3D_MAX_WIDTH, CL_DEVICE_IMAGE3D_MAX_HEIGHT,
                                        CL_DEVICE_IMAGE3D_MAX_DEPTH, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE};
  uint64_t *const into[] = {&facts->max_image_2d[0], &facts->max_image_2d[1], &facts->max_image_3d[0],
                            &facts->max_image_3d[1], &facts->max_image_3d[2], &facts->max_image_layers};
  cl_bool support = CL_FALSE;
  if (CL(clGetDeviceInfo)(device, CL_DEVICE_IMAGE_SUPPORT, sizeof support, &support, NULL) != CL_SUCCESS) return;
  facts->has_images = support;
  for (size_t k = 0; k < sizeof what / sizeof *what && facts->has_images; k++) {
    size_t most = 0;
    if (CL(clGetDeviceInfo)(device, what[k], sizeof most, &most, NULL) != CL_SUCCESS) facts->has_images = false;
    *into[k] = most;
  }
}

static int read_kind(size_t *kind, cl_image_format *format, weft__cl_mem image) {
  cl_mem_object_type type = 0;
  *format = (cl_image_format){0};
  cl_int code = CL(clGetMemObjectInfo)(image, CL_MEM_TYPE, sizeof type, &type, NULL);
  if (code == CL_SUCCESS) code = CL(clGetImageInfo)(image, CL_IMAGE_FORMAT, sizeof *format, format, NULL);
  const bool is_depth = format->image_channel_order == DEPTH || format->image_channel_order == DEPTH_STENCIL;
  *kind = 0;
  while (*kind < KINDS && !(kinds[*kind].type == type && kinds[*kind].is_depth == is_depth)) ++*kind;
  return code;
}

int weft__opencl_image_kind(const char **kind, weft__cl_mem image) {
  cl_image_format format;
  size_t k;
  int code = read_kind(&k, &format, image);
  *kind = code == CL_SUCCESS && k < KINDS ? kinds[k].name : NULL;
  return code;
}

int weft__opencl_image_form(weft__image_form *form, weft__cl_mem image) {
  static const cl_image_info lengths[] = {CL_IMAGE_WIDTH, CL_IMAGE_HEIGHT, CL_IMAGE_DEPTH};
  cl_image_format format;
  size_t k;
  int code = read_kind(&k, &format, image);
  *form = (weft__image_form){.extent = {1, 1, 1}};
  if (code != CL_SUCCESS || k == KINDS) return code;
  form->kind = kinds[k].name;
  for (int d = 0; d < kinds[k].axes && code == CL_SUCCESS; d++) {
    const bool is_layers = kinds[k].is_array && d + 1 == kinds[k].axes;
    size_t length = 0;
    code = CL(clGetImageInfo)(image, is_layers ? CL_IMAGE_ARRAY_SIZE : lengths[d], sizeof length, &length, NULL);
    form->extent[d] = length;
  }
  for (size_t t = 0; t < sizeof types / sizeof *types; t++)
    if (types[t].type == format.image_channel_data_type) {
      form->dtype = types[t].dtype;
      form->normalized = types[t].normalized;
    }
  for (size_t o = 0; o < sizeof orders / sizeof *orders; o++)
    if (orders[o].order == format.image_channel_order) form->channels = orders[o].channels;
  return code;
}

int weft__opencl_image_supported(bool *is, weft__cl_context context, const weft__image_form *form) {
  cl_image_format wanted, *formats;
  cl_uint count = 0;
  *is = false;
  if (!format_of(&wanted, form)) return CL_SUCCESS;
  const cl_mem_object_type type = kinds[kind_named(form->kind)].type;
  cl_int code = CL(clGetSupportedImageFormats)(context, CL_MEM_READ_WRITE, type, 0, NULL, &count);
  if (code != CL_SUCCESS || !count) return code;
  if (!(formats = calloc(count, sizeof *formats))) return CL_OUT_OF_HOST_MEMORY;
  code = CL(clGetSupportedImageFormats)(context, CL_MEM_READ_WRITE, type, count, formats, NULL);
  for (cl_uint k = 0; k < count && code == CL_SUCCESS; k++)
    if (formats[k].image_channel_order == wanted.image_channel_order &&
        formats[k].image_channel_data_type == wanted.image_channel_data_type)
      *is = true;
  free(formats);
  return code;
}

/* ---- images and samplers ---- */

int weft__opencl_image_create(weft__cl_mem *out, weft__cl_context context, const weft__image_form *form) {
  cl_image_format format;
  cl_int code = CL_IMAGE_FORMAT_NOT_SUPPORTED;
  *out = NULL;
  if (!format_of(&format, form)) return code;
  const size_t k = kind_named(form->kind);
  const int axes = kinds[k].axes;
  cl_image_desc shape = {.image_type = kinds[k].type, .image_width = form->extent[0]};
  if (kinds[k].is_array) shape.image_array_size = form->extent[axes - 1];
  if (axes - kinds[k].is_array > 1) shape.image_height = form->extent[1];
  if (axes - kinds[k].is_array > 2) shape.image_depth = form->extent[2];
  *out = CL(clCreateImage)(context, CL_MEM_READ_WRITE, &format, &shape, NULL, &code);
  WEFT__ANSWER(code);
}

int weft__opencl_sampler_create(weft__cl_sampler *out, weft__cl_context context, const weft__sampler_form *form) {
  static const cl_addressing_mode modes[] = {
      [WEFT__ADDRESS_CLAMP_TO_EDGE] = CL_ADDRESS_CLAMP_TO_EDGE,
      [WEFT__ADDRESS_CLAMP] = CL_ADDRESS_CLAMP,
      [WEFT__ADDRESS_REPEAT] = CL_ADDRESS_REPEAT,
      [WEFT__ADDRESS_MIRRORED_REPEAT] = CL_ADDRESS_MIRRORED_REPEAT,
      [WEFT__ADDRESS_NONE] = CL_ADDRESS_NONE,
  };
  cl_int code;
  *out = CL(clCreateSampler)(context, form->normalized_coordinates, modes[form->address],
                             form->linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &code);
  WEFT__ANSWER(code);
}

int weft__opencl_sampler_context(weft__cl_context *context, weft__cl_sampler sampler) {
  return CL(clGetSamplerInfo)(sampler, CL_SAMPLER_CONTEXT, sizeof(cl_context), context, NULL);
}

/// A copy in two steps with host memory between them.
static cl_int copy_by_host(const weft__command *c, const size_t *origin, const size_t *region) {
  void *host = malloc(c->size_bytes);
  cl_int code = CL_OUT_OF_HOST_MEMORY;
  if (!host) return code;
  if (c->kind == WEFT__COMMAND_COPY_TO_IMAGE) {
    code =
        CL(clEnqueueReadBuffer)(c->queue, c->from, CL_TRUE, c->from_offset_bytes, c->size_bytes, host, 0, NULL, NULL);
    if (code == CL_SUCCESS)
      code = CL(clEnqueueWriteImage)(c->queue, c->mem, CL_TRUE, origin, region, 0, 0, host, 0, NULL, c->event);
  } else {
    code = CL(clEnqueueReadImage)(c->queue, c->from, CL_TRUE, origin, region, 0, 0, host, 0, NULL, NULL);
    if (code == CL_SUCCESS)
      code = CL(clEnqueueWriteBuffer)(c->queue, c->mem, CL_TRUE, c->offset_bytes, c->size_bytes, host, 0, NULL,
                                      c->event);
  }
  free(host);
  return code;
}

int weft__opencl_image_copy(const weft__command *c) {
  const weft__image_part *p = c->part;
  const size_t origin[3] = {p->origin[0], p->origin[1], p->origin[2]},
               region[3] = {p->extent[0], p->extent[1], p->extent[2]};
  if (p->by_host) return copy_by_host(c, origin, region);
  if (c->kind == WEFT__COMMAND_COPY_TO_IMAGE)
    return CL(clEnqueueCopyBufferToImage)(c->queue, c->from, c->mem, c->from_offset_bytes, origin, region, 0, NULL,
                                          c->event);
  return CL(clEnqueueCopyImageToBuffer)(c->queue, c->from, c->mem, origin, region, c->offset_bytes, 0, NULL, c->event);
}
