// SPDX-License-Identifier: MIT
/// Names of OpenCL's codes. Sources: cl.h and cl_ext.h of OpenCL 3.0; -9999 from NVIDIA's driver, which documents it nowhere.
#undef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300 /* for the names only: no call of that version is made */
#include <CL/cl.h>
#include <stdio.h>

#include "ocl/codes.h"

const char *weft__cl_code_name(int cl_code) {
  switch (cl_code) {
#define NAME(code) \
  case code:       \
    return #code
    NAME(CL_SUCCESS);
    NAME(CL_DEVICE_NOT_FOUND);
    NAME(CL_DEVICE_NOT_AVAILABLE);
    NAME(CL_COMPILER_NOT_AVAILABLE);
    NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
    NAME(CL_OUT_OF_RESOURCES);
    NAME(CL_OUT_OF_HOST_MEMORY);
    NAME(CL_PROFILING_INFO_NOT_AVAILABLE);
    NAME(CL_MEM_COPY_OVERLAP);
    NAME(CL_IMAGE_FORMAT_MISMATCH);
    NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED);
    NAME(CL_BUILD_PROGRAM_FAILURE);
    NAME(CL_MAP_FAILURE);
    NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET);
    NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    NAME(CL_COMPILE_PROGRAM_FAILURE);
    NAME(CL_LINKER_NOT_AVAILABLE);
    NAME(CL_LINK_PROGRAM_FAILURE);
    NAME(CL_DEVICE_PARTITION_FAILED);
    NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    NAME(CL_INVALID_VALUE);
    NAME(CL_INVALID_DEVICE_TYPE);
    NAME(CL_INVALID_PLATFORM);
    NAME(CL_INVALID_DEVICE);
    NAME(CL_INVALID_CONTEXT);
    NAME(CL_INVALID_QUEUE_PROPERTIES);
    NAME(CL_INVALID_COMMAND_QUEUE);
    NAME(CL_INVALID_HOST_PTR);
    NAME(CL_INVALID_MEM_OBJECT);
    NAME(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    NAME(CL_INVALID_IMAGE_SIZE);
    NAME(CL_INVALID_SAMPLER);
    NAME(CL_INVALID_BINARY);
    NAME(CL_INVALID_BUILD_OPTIONS);
    NAME(CL_INVALID_PROGRAM);
    NAME(CL_INVALID_PROGRAM_EXECUTABLE);
    NAME(CL_INVALID_KERNEL_NAME);
    NAME(CL_INVALID_KERNEL_DEFINITION);
    NAME(CL_INVALID_KERNEL);
    NAME(CL_INVALID_ARG_INDEX);
    NAME(CL_INVALID_ARG_VALUE);
    NAME(CL_INVALID_ARG_SIZE);
    NAME(CL_INVALID_KERNEL_ARGS);
    NAME(CL_INVALID_WORK_DIMENSION);
    NAME(CL_INVALID_WORK_GROUP_SIZE);
    NAME(CL_INVALID_WORK_ITEM_SIZE);
    NAME(CL_INVALID_GLOBAL_OFFSET);
    NAME(CL_INVALID_EVENT_WAIT_LIST);
    NAME(CL_INVALID_EVENT);
    NAME(CL_INVALID_OPERATION);
    NAME(CL_INVALID_GL_OBJECT);
    NAME(CL_INVALID_BUFFER_SIZE);
    NAME(CL_INVALID_MIP_LEVEL);
    NAME(CL_INVALID_GLOBAL_WORK_SIZE);
    NAME(CL_INVALID_PROPERTY);
    NAME(CL_INVALID_IMAGE_DESCRIPTOR);
    NAME(CL_INVALID_COMPILER_OPTIONS);
    NAME(CL_INVALID_LINKER_OPTIONS);
    NAME(CL_INVALID_DEVICE_PARTITION_COUNT);
    NAME(CL_INVALID_PIPE_SIZE);
    NAME(CL_INVALID_DEVICE_QUEUE);
    NAME(CL_INVALID_SPEC_ID);
    NAME(CL_MAX_SIZE_RESTRICTION_EXCEEDED);
#undef NAME
    case -1000:
      return "CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR";
    case -1001:
      return "CL_PLATFORM_NOT_FOUND_KHR";
    case -9999:
      return "NVIDIA: illegal read or write by a kernel";
    default:
      break;
  }
  static _Thread_local char unknown[32];
  snprintf(unknown, sizeof unknown, "CL error %d", cl_code);
  return unknown;
}

weft_status weft__cl_fail(int cl_code, const char *call) {
  const char *name = weft__cl_code_name(cl_code);
  if (cl_code == CL_MEM_OBJECT_ALLOCATION_FAILURE)
    return weft__fail_code(WEFT_ERROR_MEMORY, cl_code, name, "the device has no more memory: %s answered %s", call, name);
  if (cl_code == CL_OUT_OF_HOST_MEMORY)
    return weft__fail_code(WEFT_ERROR_HOST_MEMORY, cl_code, name, "the host has no more memory: %s answered %s", call, name);
  return weft__fail_code(WEFT_ERROR_DRIVER, cl_code, name, "%s answered %s (%d)", call, name, cl_code);
}

bool weft__cl_is_fatal(int cl_code) {
  switch (cl_code) {
    case CL_OUT_OF_RESOURCES:      /* NVIDIA's first answer at a wait after a kernel died */
    case CL_INVALID_COMMAND_QUEUE: /* its answer to everything on the queue afterwards */
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
  return cl_code == CL_MEM_OBJECT_ALLOCATION_FAILURE || cl_code == CL_OUT_OF_RESOURCES || cl_code == CL_OUT_OF_HOST_MEMORY ||
         cl_code == CL_INVALID_BUFFER_SIZE;
}

bool weft__cl_is_build_error(int cl_code) {
  return cl_code == CL_BUILD_PROGRAM_FAILURE || cl_code == CL_INVALID_BUILD_OPTIONS || cl_code == CL_COMPILE_PROGRAM_FAILURE ||
         cl_code == CL_LINK_PROGRAM_FAILURE;
}
