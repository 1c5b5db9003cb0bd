// SPDX-License-Identifier: MIT
/// Foreign images and samplers as kernel arguments. Some drivers crash if one does not fit the parameter, so everything
/// is checked before.
#include <string.h>

#include "kernel/parameter.h"
#include "ocl/codes.h"

/* OpenCL 2.0's, which older headers lack */
#ifndef CL_DEPTH
#define CL_DEPTH 0x10BD
#endif
#ifndef CL_DEPTH_STENCIL
#define CL_DEPTH_STENCIL 0x10BE
#endif

/// OpenCL C's image types. Other types, such as typedefs, are not checked: only the compiler knows them.
static const struct {
  const char *name;
  cl_mem_object_type type;
  bool is_depth;
} kinds[] = {
    {"image1d_t", CL_MEM_OBJECT_IMAGE1D, false},
    {"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY, false},
    {"image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER, false},
    {"image2d_t", CL_MEM_OBJECT_IMAGE2D, false},
    {"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, false},
    {"image3d_t", CL_MEM_OBJECT_IMAGE3D, false},
    {"image2d_depth_t", CL_MEM_OBJECT_IMAGE2D, true},
    {"image2d_array_depth_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static weft_status fail_query(cl_int code, const char *call, const weft__parameter *p, const char *kernel, int index) {
  return weft__while(weft__cl_fail(code, call), "passing argument %d `%s` of %s", index, p->name, kernel);
}

static weft_status fail_context(const weft__parameter *p, const char *what, const char *kernel, int index) {
  return weft__fail(WEFT_ERROR_CONTEXT, p->name,
                    "%s: argument %d `%s` is %s of another cl_context than the kernel's; weft_context_adopt makes a "
                    "context of an existing cl_context",
                    kernel, index, p->name, what);
}

static weft_status check_kind(const weft__parameter *p, cl_mem image, cl_mem_object_type type, const char *kernel, int index) {
  cl_image_format format = {0};
  cl_int code = clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof format, &format, NULL);
  if (code != CL_SUCCESS) return fail_query(code, "clGetImageInfo", p, kernel, index);
  const bool is_depth = format.image_channel_order == CL_DEPTH || format.image_channel_order == CL_DEPTH_STENCIL;
  const char *is = "an image of another kind";
  for (int k = 0; k < KINDS; k++)
    if (kinds[k].type == type && kinds[k].is_depth == is_depth) is = kinds[k].name;
  for (int k = 0; k < KINDS; k++)
    if (strstr(p->type, kinds[k].name) && strcmp(is, kinds[k].name) != 0)
      return weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, p->name, "%s: argument %d `%s` is %s here, the kernel takes %s", kernel, index, p->name,
                        is, p->type);
  return WEFT_OK;
}

static weft_status check_access(const weft__parameter *p, cl_mem_flags flags, const char *kernel, int index) {
  const bool reads = p->access != CL_KERNEL_ARG_ACCESS_WRITE_ONLY, writes = p->access != CL_KERNEL_ARG_ACCESS_READ_ONLY;
  if (writes && (flags & CL_MEM_READ_ONLY))
    return weft__fail(WEFT_ERROR_READ_ONLY, p->name,
                      "%s: argument %d `%s` is an image made with CL_MEM_READ_ONLY, but the kernel may write its %s", kernel, index,
                      p->name, p->type);
  if (reads && (flags & CL_MEM_WRITE_ONLY))
    return weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, p->name,
                      "%s: argument %d `%s` is an image made with CL_MEM_WRITE_ONLY, but the kernel may read its %s", kernel, index,
                      p->name, p->type);
  return WEFT_OK;
}

weft_status weft__parameter_set_image(weft__value *value, const weft__parameter *p, cl_mem image, cl_context context, const char *kernel,
                                      int index) {
  cl_mem_object_type type = 0;
  cl_context owner = NULL;
  cl_mem_flags flags = 0;
  const bool is_known = p->kind != WEFT__PARAMETER_UNKNOWN;
  if (is_known && p->kind != WEFT__PARAMETER_IMAGE) return weft__parameter_mismatch(p, "a WEFT_CL_IMAGE", kernel, index);
  if (!image)
    return weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, p->name, "%s: argument %d `%s` is WEFT_CL_IMAGE(NULL); expected a cl_mem", kernel, index,
                      p->name);
  cl_int code = clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof type, &type, NULL);
  if (code == CL_SUCCESS) code = clGetMemObjectInfo(image, CL_MEM_CONTEXT, sizeof(cl_context), &owner, NULL);
  if (code == CL_SUCCESS) code = clGetMemObjectInfo(image, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
  if (code != CL_SUCCESS) return fail_query(code, "clGetMemObjectInfo", p, kernel, index);
  if (type == CL_MEM_OBJECT_BUFFER)
    return weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, p->name,
                      "%s: argument %d `%s` is a buffer here, the kernel takes %s; weft_array_adopt makes an array of a buffer", kernel,
                      index, p->name, p->type);
  if (owner != context) return fail_context(p, "an image", kernel, index);
  weft_status rc = is_known ? check_kind(p, image, type, kernel, index) : WEFT_OK;
  if (rc == WEFT_OK && is_known) rc = check_access(p, flags, kernel, index);
  if (rc) return rc;
  value->any_width = false;
  value->room.mem = image;
  value->data = &value->room;
  value->size_bytes = sizeof(cl_mem);
  return WEFT_OK;
}

weft_status weft__parameter_set_sampler(weft__value *value, const weft__parameter *p, cl_sampler sampler, cl_context context,
                                        const char *kernel, int index) {
  cl_context owner = NULL;
  if (p->kind != WEFT__PARAMETER_SAMPLER && p->kind != WEFT__PARAMETER_UNKNOWN)
    return weft__parameter_mismatch(p, "a WEFT_CL_SAMPLER", kernel, index);
  if (!sampler)
    return weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, p->name, "%s: argument %d `%s` is WEFT_CL_SAMPLER(NULL); expected a cl_sampler", kernel,
                      index, p->name);
  cl_int code = clGetSamplerInfo(sampler, CL_SAMPLER_CONTEXT, sizeof(cl_context), &owner, NULL);
  if (code != CL_SUCCESS) return fail_query(code, "clGetSamplerInfo", p, kernel, index);
  if (owner != context) return fail_context(p, "a sampler", kernel, index);
  value->any_width = false;
  value->room.sampler = sampler;
  value->data = &value->room;
  value->size_bytes = sizeof(cl_sampler);
  return WEFT_OK;
}
