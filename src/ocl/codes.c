// SPDX-License-Identifier: MIT
/// Names of OpenCL's codes. Sources: cl.h and cl_ext.h of OpenCL 3.0. Code -9999 is NVIDIA's, and undocumented.
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300 /* for the names only: no function of that version is called */
#include <CL/cl.h>
#include <stdio.h>

#include "ocl/codes.h"

// clang-format off
#define CODES(X) \
  X(SUCCESS) X(DEVICE_NOT_FOUND) X(DEVICE_NOT_AVAILABLE) X(COMPILER_NOT_AVAILABLE) X(MEM_OBJECT_ALLOCATION_FAILURE) \
  X(OUT_OF_RESOURCES) X(OUT_OF_HOST_MEMORY) X(PROFILING_INFO_NOT_AVAILABLE) X(MEM_COPY_OVERLAP) \
  X(IMAGE_FORMAT_MISMATCH) X(IMAGE_FORMAT_NOT_SUPPORTED) X(BUILD_PROGRAM_FAILURE) X(MAP_FAILURE) \
  X(MISALIGNED_SUB_BUFFER_OFFSET) X(EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) X(COMPILE_PROGRAM_FAILURE) \
  X(LINKER_NOT_AVAILABLE) X(LINK_PROGRAM_FAILURE) X(DEVICE_PARTITION_FAILED) X(KERNEL_ARG_INFO_NOT_AVAILABLE) \
  X(INVALID_VALUE) X(INVALID_DEVICE_TYPE) X(INVALID_PLATFORM) X(INVALID_DEVICE) X(INVALID_CONTEXT) \
  X(INVALID_QUEUE_PROPERTIES) X(INVALID_COMMAND_QUEUE) X(INVALID_HOST_PTR) X(INVALID_MEM_OBJECT) \
  X(INVALID_IMAGE_FORMAT_DESCRIPTOR) X(INVALID_IMAGE_SIZE) X(INVALID_SAMPLER) X(INVALID_BINARY) \
  X(INVALID_BUILD_OPTIONS) X(INVALID_PROGRAM) X(INVALID_PROGRAM_EXECUTABLE) X(INVALID_KERNEL_NAME) \
  X(INVALID_KERNEL_DEFINITION) X(INVALID_KERNEL) X(INVALID_ARG_INDEX) X(INVALID_ARG_VALUE) X(INVALID_ARG_SIZE) \
  X(INVALID_KERNEL_ARGS) X(INVALID_WORK_DIMENSION) X(INVALID_WORK_GROUP_SIZE) X(INVALID_WORK_ITEM_SIZE) \
  X(INVALID_GLOBAL_OFFSET) X(INVALID_EVENT_WAIT_LIST) X(INVALID_EVENT) X(INVALID_OPERATION) X(INVALID_GL_OBJECT) \
  X(INVALID_BUFFER_SIZE) X(INVALID_MIP_LEVEL) X(INVALID_GLOBAL_WORK_SIZE) X(INVALID_PROPERTY) \
  X(INVALID_IMAGE_DESCRIPTOR) X(INVALID_COMPILER_OPTIONS) X(INVALID_LINKER_OPTIONS) X(INVALID_DEVICE_PARTITION_COUNT) \
  X(INVALID_PIPE_SIZE) X(INVALID_DEVICE_QUEUE) X(INVALID_SPEC_ID) X(MAX_SIZE_RESTRICTION_EXCEEDED)
// clang-format on

const char *weft__cl_code_name(int cl_code) {
  static _Thread_local char unknown[32];
  switch (cl_code) {
#define NAME(name) \
  case CL_##name:  \
    return "CL_" #name;
    CODES(NAME)
#undef NAME
    case -1000:
      return "CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR";
    case -1001:
      return "CL_PLATFORM_NOT_FOUND_KHR";
    case -9999:
      return "NVIDIA: illegal read or write by a kernel";
    default:
      snprintf(unknown, sizeof unknown, "CL error %d", cl_code);
      return unknown;
  }
}

weft_status weft__cl_fail(int cl_code, const char *call) {
  const char *name = weft__cl_code_name(cl_code);
  if (cl_code == CL_MEM_OBJECT_ALLOCATION_FAILURE)
    return weft__fail_code(WEFT_ERROR_MEMORY, cl_code, name, "the device has no more memory: %s returned %s", call,
                           name);
  if (cl_code == CL_OUT_OF_HOST_MEMORY)
    return weft__fail_code(WEFT_ERROR_HOST_MEMORY, cl_code, name, "the host has no more memory: %s returned %s", call,
                           name);
  return weft__fail_code(WEFT_ERROR_DRIVER, cl_code, name, "%s returned %s (%d)", call, name, cl_code);
}

bool weft__cl_is_fatal(int cl_code) {
  switch (cl_code) {
    case CL_OUT_OF_RESOURCES:      /* NVIDIA's first code at a wait after a kernel died */
    case CL_INVALID_COMMAND_QUEUE: /* NVIDIA's code for every later call on the queue */
    case CL_INVALID_CONTEXT:
    case CL_INVALID_PROGRAM_EXECUTABLE:
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
    case -9999:
      return true;
    default:
      return false;
  }
}

bool weft__cl_is_out_of_memory(int cl_code) {
  return cl_code == CL_MEM_OBJECT_ALLOCATION_FAILURE || cl_code == CL_OUT_OF_RESOURCES ||
         cl_code == CL_OUT_OF_HOST_MEMORY || cl_code == CL_INVALID_BUFFER_SIZE;
}

bool weft__cl_is_build_error(int cl_code) {
  return cl_code == CL_BUILD_PROGRAM_FAILURE || cl_code == CL_INVALID_BUILD_OPTIONS ||
         cl_code == CL_COMPILE_PROGRAM_FAILURE || cl_code == CL_LINK_PROGRAM_FAILURE;
}
