// SPDX-License-Identifier: MIT
// Preloaded by tests/process/cli.py: makes every launch fail (WEFT_TEST_LAUNCH=fail), or answer success and run nothing
// (WEFT_TEST_LAUNCH=drop), so that a demo which printed ids of its own making would be caught.
#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint wait_count, const cl_event *wait,
                              cl_event *event) {
  const char *how = getenv("WEFT_TEST_LAUNCH");
  (void)kernel, (void)dimensions, (void)offset, (void)global, (void)local;
  if (how && strcmp(how, "drop") == 0) return clEnqueueMarkerWithWaitList(queue, wait_count, wait, event);
  return CL_OUT_OF_RESOURCES;
}
