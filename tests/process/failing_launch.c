// SPDX-License-Identifier: MIT
// Preloaded by tests/process/cli.py. It makes every launch fail (WEFT_TEST_LAUNCH=fail), or return success without
// running anything (WEFT_TEST_LAUNCH=drop), so that a demo that prints invented ids is caught.
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
