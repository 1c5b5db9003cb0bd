// SPDX-License-Identifier: MIT
/// The OpenCL calls whose failure Weft survives on purpose. Everything else that fails must end in an error.
#ifndef FAULT_SURVIVORS_H
#define FAULT_SURVIVORS_H

#define FAULT_RELEASED "a release cannot fail; the object was released"
#define FAULT_AGAIN "the pool gives back what it holds and asks once more"
#define FAULT_OPTIONAL "not every device has this property; without it a default holds"

// clang-format off
#define FAULT_SURVIVORS \
  {"clReleaseContext", 0, NULL, FAULT_RELEASED}, \
  {"clReleaseCommandQueue", 0, NULL, FAULT_RELEASED}, \
  {"clReleaseMemObject", 0, NULL, FAULT_RELEASED}, \
  {"clReleaseProgram", 0, NULL, FAULT_RELEASED}, \
  {"clReleaseKernel", 0, NULL, FAULT_RELEASED}, \
  {"clReleaseEvent", 0, NULL, FAULT_RELEASED}, \
  {"clCreateBuffer", 0, NULL, FAULT_AGAIN}, \
  {"clGetDeviceInfo", 0x1035 /* CL_DEVICE_HOST_UNIFIED_MEMORY */, NULL, FAULT_OPTIONAL}, \
  {"clGetDeviceInfo", 0x4003 /* CL_DEVICE_WARP_SIZE_NV */, NULL, FAULT_OPTIONAL}, \
  {"clGetDeviceInfo", 0x410F /* CL_DEVICE_PCI_BUS_INFO_KHR */, NULL, FAULT_OPTIONAL}
// clang-format on

#endif
