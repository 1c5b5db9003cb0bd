// SPDX-License-Identifier: MIT
// A shared library that looks like an OpenCL driver to the ICD loaders: one platform without devices, like a driver
// whose hardware is missing. tests/process/cli.py lists devices with it.
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <string.h>

cl_int clIcdGetPlatformIDsKHR(cl_uint count, cl_platform_id *platforms, cl_uint *found);
void *clGetExtensionFunctionAddress(const char *name);

static cl_int get_info(cl_platform_id platform, cl_platform_info what, size_t room, void *value, size_t *size) {
  const char *text = what == CL_PLATFORM_VERSION          ? "OpenCL 1.2 none"
                     : what == CL_PLATFORM_PROFILE        ? "FULL_PROFILE"
                     : what == CL_PLATFORM_EXTENSIONS     ? "cl_khr_icd"
                     : what == CL_PLATFORM_ICD_SUFFIX_KHR ? "NONE"
                                                          : "A platform without devices";
  (void)platform;
  if (value && room < strlen(text) + 1) return CL_INVALID_VALUE;
  if (value) memcpy(value, text, strlen(text) + 1);
  if (size) *size = strlen(text) + 1;
  return CL_SUCCESS;
}

static cl_int get_devices(cl_platform_id platform, cl_device_type type, cl_uint count, cl_device_id *devices,
                          cl_uint *found) {
  (void)platform, (void)type, (void)count, (void)devices;
  if (found) *found = 0;
  return CL_DEVICE_NOT_FOUND;
}

static cl_icd_dispatch dispatch;
static struct _cl_platform_id { cl_icd_dispatch *dispatch; } empty = {&dispatch};

cl_int clIcdGetPlatformIDsKHR(cl_uint count, cl_platform_id *platforms, cl_uint *found) {
  dispatch.clGetPlatformInfo = get_info;
  dispatch.clGetDeviceIDs = get_devices;
  if (platforms && count) platforms[0] = &empty;
  if (found) *found = 1;
  return CL_SUCCESS;
}

void *clGetExtensionFunctionAddress(const char *name) {
  union {
    cl_int (*ids)(cl_uint, cl_platform_id *, cl_uint *);
    cl_int (*info)(cl_platform_id, cl_platform_info, size_t, void *, size_t *);
    void *any;
  } function = {.any = NULL};
  if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0) function.ids = clIcdGetPlatformIDsKHR;
  if (strcmp(name, "clGetPlatformInfo") == 0) function.info = get_info;
  return function.any;
}
