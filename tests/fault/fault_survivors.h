// SPDX-License-Identifier: MIT
/// The OpenCL calls whose failure Weft survives on purpose. Everything else that fails must end in an error.
#ifndef FAULT_SURVIVORS_H
#define FAULT_SURVIVORS_H

#define FAULT_SURVIVORS                                                                                     \
  {"clReleaseContext", 0, NULL, "a release cannot fail; the object was released"},                          \
      {"clReleaseCommandQueue", 0, NULL, "a release cannot fail; the object was released"},                 \
      {"clReleaseMemObject", 0, NULL, "a release cannot fail; the object was released"},                    \
      {"clReleaseProgram", 0, NULL, "a release cannot fail; the object was released"},                      \
      {"clReleaseKernel", 0, NULL, "a release cannot fail; the object was released"},                       \
      {"clReleaseEvent", 0, NULL, "a release cannot fail; the object was released"}

#endif
