// SPDX-License-Identifier: MIT
/// OpenCL's functions for opencl_driver.c: CL(clFlush)(queue). They are linked, or with WEFT_DLOPEN_OPENCL loaded from
/// libOpenCL.so.1 at the first use, so that a program starts on a machine without an OpenCL loader.
#ifndef WEFT__OCL_OPENCL_CALLS_H
#define WEFT__OCL_OPENCL_CALLS_H

#include <CL/cl.h>
#include <dlfcn.h>
#include <stdbool.h>

#ifdef WEFT_DLOPEN_OPENCL

// clang-format off
#define WEFT__OPENCL_CALLS(X) \
  X(clBuildProgram) X(clCreateBuffer) X(clCreateCommandQueue) X(clCreateContext) X(clCreateImage) X(clCreateKernel) \
  X(clCreateProgramWithBinary) X(clCreateProgramWithSource) X(clCreateSampler) X(clCreateSubBuffer) \
  X(clCreateUserEvent) X(clEnqueueBarrierWithWaitList) X(clEnqueueCopyBuffer) X(clEnqueueCopyBufferToImage) \
  X(clEnqueueCopyImageToBuffer) X(clEnqueueFillBuffer) X(clEnqueueMapBuffer) X(clEnqueueMarkerWithWaitList) \
  X(clEnqueueNDRangeKernel) X(clEnqueueReadBuffer) X(clEnqueueReadBufferRect) X(clEnqueueReadImage) \
  X(clEnqueueUnmapMemObject) X(clEnqueueWriteBuffer) X(clEnqueueWriteBufferRect) X(clEnqueueWriteImage) X(clFinish) X(clFlush) X(clGetCommandQueueInfo) \
  X(clGetDeviceIDs) X(clGetDeviceInfo) X(clGetEventInfo) X(clGetEventProfilingInfo) X(clGetImageInfo) \
  X(clGetKernelArgInfo) X(clGetKernelInfo) X(clGetKernelWorkGroupInfo) X(clGetMemObjectInfo) X(clGetPlatformIDs) \
  X(clGetPlatformInfo) X(clGetProgramBuildInfo) X(clGetProgramInfo) X(clGetSamplerInfo) X(clGetSupportedImageFormats) \
  X(clReleaseCommandQueue) X(clReleaseContext) X(clReleaseEvent) X(clReleaseKernel) X(clReleaseMemObject) \
  X(clReleaseProgram) X(clReleaseSampler) X(clRetainCommandQueue) X(clRetainContext) X(clRetainEvent) \
  X(clRetainKernel) X(clRetainMemObject) X(clRetainProgram) X(clRetainSampler) X(clSetKernelArg) \
  X(clSetUserEventStatus) X(clWaitForEvents)
// clang-format on

typedef struct weft__opencl_calls {
#define WEFT__CALL(name) __typeof__(name) *name;
  WEFT__OPENCL_CALLS(WEFT__CALL)
#undef WEFT__CALL
} weft__opencl_calls;

#define CL(name) weft__opencl_loaded.name
/// The functions, once weft__opencl_load has returned true.
extern weft__opencl_calls weft__opencl_loaded;
/// Loads the functions at the first call. False: there is no usable OpenCL loader, or it is too old.
bool weft__opencl_load(void);
/// Why weft__opencl_load returned false.
const char *weft__opencl_problem(void);

#else

#define CL(name) name
static inline bool weft__opencl_load(void) {
  return true;
}
static inline const char *weft__opencl_problem(void) {
  return "";
}

#endif

/// Ends a create function.
#define WEFT__ANSWER(code)               \
  do {                                   \
    if (code != CL_SUCCESS) *out = NULL; \
    return code;                         \
  } while (0)

/// A function that older loaders do not have; NULL: it is missing. For use after weft__opencl_load.
static inline void *weft__opencl_optional(const char *name) {
  return dlsym(RTLD_DEFAULT, name);
}

#endif
