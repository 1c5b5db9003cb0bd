// SPDX-License-Identifier: MIT
#include "ocl/info.h"

#include <stdlib.h>

#include "ocl/codes.h"

/// OpenCL asks for every text twice: how long, then the text. `query(room, space, size)` is the one call behind both.
#define TEXT_QUERY(call_name, query)                               \
  do {                                                             \
    size_t size = 0;                                               \
    *text = NULL;                                                  \
    cl_int code = query(0, NULL, &size);                           \
    if (code != CL_SUCCESS) return weft__cl_fail(code, call_name); \
    char *chars = weft__new(size + 1);                             \
    if (!chars) return WEFT_ERROR_HOST_MEMORY;                     \
    if (size) code = query(size, chars, NULL);                     \
    if (code != CL_SUCCESS) {                                      \
      free(chars);                                                 \
      return weft__cl_fail(code, call_name);                       \
    }                                                              \
    cut_blanks(chars);                                             \
    *text = chars;                                                 \
    return WEFT_OK;                                                \
  } while (0)

static void cut_blanks(char *chars) {
  size_t n = 0;
  while (chars[n]) n++;
  while (n && chars[n - 1] == ' ') chars[--n] = 0;
}

weft_status weft__platform_text(char **text, cl_platform_id platform, cl_platform_info what) {
#define QUERY(room, space, size) clGetPlatformInfo(platform, what, room, space, size)
  TEXT_QUERY("clGetPlatformInfo", QUERY);
#undef QUERY
}

weft_status weft__device_text(char **text, cl_device_id device, cl_device_info what) {
#define QUERY(room, space, size) clGetDeviceInfo(device, what, room, space, size)
  TEXT_QUERY("clGetDeviceInfo", QUERY);
#undef QUERY
}

weft_status weft__kernel_arg_text(char **text, cl_kernel kernel, cl_uint index, cl_kernel_arg_info what) {
#define QUERY(room, space, size) clGetKernelArgInfo(kernel, index, what, room, space, size)
  TEXT_QUERY("clGetKernelArgInfo", QUERY);
#undef QUERY
}

weft_status weft__device_value(void *value, size_t size_bytes, cl_device_id device, cl_device_info what, const char *name) {
  cl_int code = clGetDeviceInfo(device, what, size_bytes, value, NULL);
  if (code == CL_SUCCESS) return WEFT_OK;
  return weft__while(weft__cl_fail(code, "clGetDeviceInfo"), "asking the device for %s", name);
}

bool weft__device_has_value(void *value, size_t size_bytes, cl_device_id device, cl_device_info what) {
  return clGetDeviceInfo(device, what, size_bytes, value, NULL) == CL_SUCCESS;
}
