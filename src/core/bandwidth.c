// SPDX-License-Identifier: MIT
#include "core/bandwidth.h"

/// What a cache holds is not to be measured.
static size_t copied_bytes(const weft_device_info *device) {
  uint64_t size = device->type == WEFT_DEVICE_TYPE_CPU ? (uint64_t)32 << 20 : (uint64_t)256 << 20;
  if (size > device->memory_size_bytes / 16) size = device->memory_size_bytes / 16;
  if (size > device->max_allocation_bytes) size = device->max_allocation_bytes;
  return (size_t)size;
}

/// Device time of one copy; 0: it failed.
static uint64_t time_copy(cl_command_queue queue, cl_mem from, cl_mem to, size_t size) {
  cl_event event = NULL;
  cl_ulong start = 0, end = 0;
  cl_int code = clEnqueueCopyBuffer(queue, from, to, 0, 0, size, 0, NULL, &event);
  if (code == CL_SUCCESS) code = clFinish(queue);
  if (code == CL_SUCCESS) code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
  if (code == CL_SUCCESS) code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
  if (event) clReleaseEvent(event);
  return code == CL_SUCCESS && end > start ? end - start : 0;
}

uint64_t weft__copy_rate(weft__core *core) {
  enum { RUNS = 4 }; /* the first warms up */
  uint64_t rate = atomic_load(&core->device->copy_rate), best_ns = 0;
  size_t size = copied_bytes(&core->device->info);
  cl_mem buffer[2] = {NULL, NULL};
  cl_int code;
  if (rate) return rate;
  cl_command_queue queue = clCreateCommandQueue(core->cl, core->device->id, CL_QUEUE_PROFILING_ENABLE, &code);
  if (code != CL_SUCCESS) queue = NULL;
  for (int i = 0; i < 2 && code == CL_SUCCESS; i++) {
    const cl_uchar one = 1;
    buffer[i] = clCreateBuffer(core->cl, CL_MEM_READ_WRITE, size, NULL, &code);
    if (code != CL_SUCCESS)
      buffer[i] = NULL;
    else /* pages that nobody wrote are all the same one */
      code = clEnqueueFillBuffer(queue, buffer[i], &one, sizeof one, 0, size, 0, NULL, NULL);
  }
  for (int run = 0; run < RUNS && code == CL_SUCCESS; run++) {
    uint64_t time_ns = time_copy(queue, buffer[0], buffer[1], size);
    if (run > 0 && time_ns && (!best_ns || time_ns < best_ns)) best_ns = time_ns;
  }
  for (int i = 0; i < 2; i++)
    if (buffer[i]) clReleaseMemObject(buffer[i]);
  if (queue) clReleaseCommandQueue(queue);
  if (best_ns) rate = (uint64_t)(2.0 * (double)size / (double)best_ns * 1e9);
  if (best_ns) atomic_store(&core->device->copy_rate, rate);
  return rate;
}
