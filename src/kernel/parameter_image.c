// SPDX-License-Identifier: MIT
/// Images and samplers as kernel arguments. Some drivers crash on one that does not fit the parameter, so everything is
/// checked first.
#include <string.h>

#include "kernel/parameter.h"
#include "ocl/codes.h"

static weft_status fail_query(int code, const char *call, const weft__parameter *p, const char *kernel, int index) {
  return weft__while(weft__cl_fail(code, call), "passing argument %d `%s` of %s", index, p->name, kernel);
}

static weft_status fail_context(const weft__parameter *p, const char *what, const char *kernel, int index) {
  return weft__fail(WEFT_ERROR_CONTEXT, p->name,
                    "%s: argument %d `%s` is %s of another cl_context than the kernel's; weft_context_adopt makes a "
                    "context of an existing cl_context",
                    kernel, index, p->name, what);
}

/// Checks the image's kind if the parameter's type is one of OpenCL C's image types. Other types, such as typedefs, are
/// not checked: only the compiler knows them.
static weft_status check_kind(const weft__parameter *p, const char *is, const char *kernel, int index) {
  static const char *const kinds[] = {"image1d_t",       "image1d_array_t",      "image1d_buffer_t",
                                      "image2d_t",       "image2d_array_t",      "image3d_t",
                                      "image2d_depth_t", "image2d_array_depth_t"};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (strstr(p->type, kinds[k]) && (!is || strcmp(is, kinds[k]) != 0))
      return weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, p->name, "%s: argument %d `%s` is %s here, the kernel takes %s",
                        kernel, index, p->name, is ? is : "an image of another kind", p->type);
  return WEFT_OK;
}

static weft_status check_access(const weft__parameter *p, const weft__image_value *image, const char *kernel,
                                int index) {
  if (p->writes && image->read_only)
    return weft__fail(WEFT_ERROR_READ_ONLY, p->name,
                      "%s: argument %d `%s` is an image made with CL_MEM_READ_ONLY, but the kernel may write its %s",
                      kernel, index, p->name, p->type);
  if (p->reads && image->write_only)
    return weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, p->name,
                      "%s: argument %d `%s` is an image made with CL_MEM_WRITE_ONLY, but the kernel may read its %s",
                      kernel, index, p->name, p->type);
  return WEFT_OK;
}

weft_status weft__parameter_put_image(weft__value *value, const weft__parameter *p, const weft__image_value *image,
                                      const char *kernel, int index) {
  const bool is_known = p->kind != WEFT__PARAMETER_UNKNOWN;
  if (is_known && p->kind != WEFT__PARAMETER_IMAGE) return weft__parameter_mismatch(p, "an image", kernel, index);
  if (is_known) WEFT__TRY_RETURN(check_kind(p, image->kind, kernel, index));
  if (is_known) WEFT__TRY_RETURN(check_access(p, image, kernel, index));
  value->room.mem = image->mem;
  weft__value_set(value, &value->room, sizeof value->room.mem);
  return WEFT_OK;
}

weft_status weft__parameter_set_image(weft__value *value, const weft__parameter *p, weft__cl_mem image,
                                      weft__cl_context context, const char *kernel, int index) {
  weft__mem_info info = {0};
  const char *kind;
  if (p->kind != WEFT__PARAMETER_UNKNOWN && p->kind != WEFT__PARAMETER_IMAGE)
    return weft__parameter_mismatch(p, "a WEFT_CL_IMAGE", kernel, index);
  if (!image)
    return weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, p->name,
                      "%s: argument %d `%s` is WEFT_CL_IMAGE(NULL); expected a cl_mem", kernel, index, p->name);
  int code = weft__driver->mem_info(&info, image);
  if (code) return fail_query(code, "clGetMemObjectInfo", p, kernel, index);
  if (info.is_buffer)
    return weft__fail(
        WEFT_ERROR_KERNEL_ARGUMENT, p->name,
        "%s: argument %d `%s` is a buffer here, the kernel takes %s; weft_array_adopt makes an array of a buffer",
        kernel, index, p->name, p->type);
  if (info.context != context) return fail_context(p, "an image", kernel, index);
  code = weft__driver->image_kind(&kind, image);
  if (code) return fail_query(code, "clGetImageInfo", p, kernel, index);
  const weft__image_value given = {image, kind, info.read_only, info.write_only};
  WEFT__TRY_RETURN(weft__parameter_put_image(value, p, &given, kernel, index));
  value->is_set_always = true;
  return WEFT_OK;
}

weft_status weft__parameter_put_sampler(weft__value *value, const weft__parameter *p, weft__cl_sampler sampler,
                                        const char *kernel, int index) {
  if (p->kind != WEFT__PARAMETER_SAMPLER && p->kind != WEFT__PARAMETER_UNKNOWN)
    return weft__parameter_mismatch(p, "a sampler", kernel, index);
  value->room.sampler = sampler;
  weft__value_set(value, &value->room, sizeof value->room.sampler);
  return WEFT_OK;
}

weft_status weft__parameter_set_sampler(weft__value *value, const weft__parameter *p, weft__cl_sampler sampler,
                                        weft__cl_context context, const char *kernel, int index) {
  weft__cl_context owner;
  if (p->kind != WEFT__PARAMETER_SAMPLER && p->kind != WEFT__PARAMETER_UNKNOWN)
    return weft__parameter_mismatch(p, "a WEFT_CL_SAMPLER", kernel, index);
  if (!sampler)
    return weft__fail(WEFT_ERROR_KERNEL_ARGUMENT, p->name,
                      "%s: argument %d `%s` is WEFT_CL_SAMPLER(NULL); expected a cl_sampler", kernel, index, p->name);
  int code = weft__driver->sampler_context(&owner, sampler);
  if (code) return fail_query(code, "clGetSamplerInfo", p, kernel, index);
  if (owner != context) return fail_context(p, "a sampler", kernel, index);
  WEFT__TRY_RETURN(weft__parameter_put_sampler(value, p, sampler, kernel, index));
  value->is_set_always = true;
  return WEFT_OK;
}
