// SPDX-License-Identifier: MIT
/// The OpenCL calls whose failure Weft survives on purpose. Everything else that fails must end in an error.
#ifndef FAULT_SURVIVORS_H
#define FAULT_SURVIVORS_H

#define FAULT_RELEASED "a release cannot fail; the object was released"
#define FAULT_AGAIN "the pool gives back what it holds and asks once more"
#define FAULT_PLAIN "NVIDIA's driver fails so over argument info; it is built once more without"
#define FAULT_UNREAD "the profile counts the command as one whose times could not be read"
#define FAULT_UNSTAGED "without the pinned ring copies take the driver's own way"
#define FAULT_ASKED_AGAIN "whether a block of the ring is free is asked again when it is needed"
#define FAULT_OPTIONAL "not every device has this property; without it a default holds"

// clang-format off
#define FAULT_SURVIVORS \
  {"clReleaseContext", 0, NULL, FAULT_RELEASED, false}, \
  {"clReleaseCommandQueue", 0, NULL, FAULT_RELEASED, false}, \
  {"clReleaseMemObject", 0, NULL, FAULT_RELEASED, false}, \
  {"clReleaseProgram", 0, NULL, FAULT_RELEASED, false}, \
  {"clReleaseKernel", 0, NULL, FAULT_RELEASED, false}, \
  {"clReleaseEvent", 0, NULL, FAULT_RELEASED, false}, \
  {"clCreateBuffer", 0, NULL, FAULT_AGAIN, false}, \
  {"clCreateSubBuffer", 0, "guard", FAULT_AGAIN, false}, \
  {"clEnqueueFillBuffer", 0, NULL, FAULT_AGAIN, true}, \
  {"clGetEventInfo", 0, "profiles", FAULT_UNREAD, false}, \
  {"clGetEventProfilingInfo", 0, "profiles", FAULT_UNREAD, false}, \
  {"clCreateCommandQueue", 0, "staged", FAULT_UNSTAGED, false}, \
  {"clGetEventInfo", 0, "staged", FAULT_ASKED_AGAIN, false}, \
  {"clEnqueueMapBuffer", 0, "staged", FAULT_UNSTAGED, false}, \
  {"clEnqueueUnmapMemObject", 0, NULL, FAULT_RELEASED, false}, \
  {"clBuildProgram", 0, NULL, FAULT_PLAIN, true}, \
  {"clGetDeviceInfo", 0x1035 /* CL_DEVICE_HOST_UNIFIED_MEMORY */, NULL, FAULT_OPTIONAL, false}, \
  {"clGetDeviceInfo", 0x4003 /* CL_DEVICE_WARP_SIZE_NV */, NULL, FAULT_OPTIONAL, false}, \
  {"clGetDeviceInfo", 0x410F /* CL_DEVICE_PCI_BUS_INFO_KHR */, NULL, FAULT_OPTIONAL, false}
// clang-format on

#endif
