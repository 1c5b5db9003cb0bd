// SPDX-License-Identifier: MIT
/// The OpenCL functions that fault injection stands in front of: all of OpenCL 1.2 but sub-devices and most of images, and the newer
/// ones that may be used. `house.py fault-table` fails when the library or an example calls one that is not here.
///
/// Each macro is one shape of function:
///   STATUS(kind, name, parameters, arguments)                   returns a code
///   QUERY(name, parameters, arguments)                          the same, with a `param_name`
///   CREATE(kind, object, type, name, parameters, arguments)     returns an object; the code goes to `errcode_ret`
///   RETAIN(object, name, type), RELEASE(object, name, type)     change the count of one object
///   ENQUEUE(name, parameters, arguments)                        returns a code and may make an `event`
/// clCreateKernelsInProgram, clEnqueueMapBuffer and clEnqueueUnmapMemObject are of no such shape: SPECIAL(type, name, parameters).
#ifndef FAULT_CL_TABLE_H
#define FAULT_CL_TABLE_H

// clang-format off
#define FAULT_INFO_PARAMETERS size_t size, void *value, size_t *size_ret
#define FAULT_INFO size, value, size_ret
#define FAULT_WAIT_PARAMETERS cl_uint wait_count, const cl_event *wait_list, cl_event *event
#define FAULT_WAIT_LIST wait_count, wait_list, event

#define FAULT_CL_TABLE(STATUS, QUERY, CREATE, RETAIN, RELEASE, ENQUEUE, SPECIAL) \
  STATUS(FAULT_QUERY, clGetPlatformIDs, (cl_uint count, cl_platform_id *platforms, cl_uint *found), (count, platforms, found)) \
  QUERY(clGetPlatformInfo, (cl_platform_id platform, cl_platform_info param_name, FAULT_INFO_PARAMETERS), (platform, param_name, FAULT_INFO)) \
  STATUS(FAULT_QUERY, clGetDeviceIDs, (cl_platform_id platform, cl_device_type type, cl_uint count, cl_device_id *devices, cl_uint *found), \
         (platform, type, count, devices, found)) \
  QUERY(clGetDeviceInfo, (cl_device_id device, cl_device_info param_name, FAULT_INFO_PARAMETERS), (device, param_name, FAULT_INFO)) \
  RETAIN(FAULT_DEVICE, clRetainDevice, cl_device_id) \
  RELEASE(FAULT_DEVICE, clReleaseDevice, cl_device_id) \
  \
  CREATE(FAULT_CREATE, FAULT_CONTEXT, cl_context, clCreateContext, \
         (const cl_context_properties *properties, cl_uint count, const cl_device_id *devices, \
          void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, cl_int *errcode_ret), \
         (properties, count, devices, notify, user, errcode_ret)) \
  RETAIN(FAULT_CONTEXT, clRetainContext, cl_context) \
  RELEASE(FAULT_CONTEXT, clReleaseContext, cl_context) \
  QUERY(clGetContextInfo, (cl_context context, cl_context_info param_name, FAULT_INFO_PARAMETERS), (context, param_name, FAULT_INFO)) \
  \
  CREATE(FAULT_CREATE, FAULT_COMMAND_QUEUE, cl_command_queue, clCreateCommandQueue, \
         (cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *errcode_ret), \
         (context, device, properties, errcode_ret)) \
  CREATE(FAULT_CREATE, FAULT_COMMAND_QUEUE, cl_command_queue, clCreateCommandQueueWithProperties, \
         (cl_context context, cl_device_id device, const cl_queue_properties *properties, cl_int *errcode_ret), \
         (context, device, properties, errcode_ret)) \
  RETAIN(FAULT_COMMAND_QUEUE, clRetainCommandQueue, cl_command_queue) \
  RELEASE(FAULT_COMMAND_QUEUE, clReleaseCommandQueue, cl_command_queue) \
  QUERY(clGetCommandQueueInfo, (cl_command_queue queue, cl_command_queue_info param_name, FAULT_INFO_PARAMETERS), \
        (queue, param_name, FAULT_INFO)) \
  STATUS(FAULT_WAIT, clFlush, (cl_command_queue queue), (queue)) \
  STATUS(FAULT_WAIT, clFinish, (cl_command_queue queue), (queue)) \
  \
  CREATE(FAULT_CREATE, FAULT_MEMORY, cl_mem, clCreateBuffer, \
         (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *errcode_ret), (context, flags, size, host, errcode_ret)) \
  CREATE(FAULT_CREATE, FAULT_MEMORY, cl_mem, clCreateSubBuffer, \
         (cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void *info, cl_int *errcode_ret), \
         (buffer, flags, type, info, errcode_ret)) \
  CREATE(FAULT_CREATE, FAULT_MEMORY, cl_mem, clCreateImage, \
         (cl_context context, cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc, void *host, cl_int *errcode_ret), \
         (context, flags, format, desc, host, errcode_ret)) \
  QUERY(clGetImageInfo, (cl_mem image, cl_image_info param_name, FAULT_INFO_PARAMETERS), (image, param_name, FAULT_INFO)) \
  CREATE(FAULT_CREATE, FAULT_SAMPLER, cl_sampler, clCreateSampler, \
         (cl_context context, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter, cl_int *errcode_ret), \
         (context, normalized, addressing, filter, errcode_ret)) \
  RETAIN(FAULT_SAMPLER, clRetainSampler, cl_sampler) \
  RELEASE(FAULT_SAMPLER, clReleaseSampler, cl_sampler) \
  QUERY(clGetSamplerInfo, (cl_sampler sampler, cl_sampler_info param_name, FAULT_INFO_PARAMETERS), (sampler, param_name, FAULT_INFO)) \
  RETAIN(FAULT_MEMORY, clRetainMemObject, cl_mem) \
  RELEASE(FAULT_MEMORY, clReleaseMemObject, cl_mem) \
  QUERY(clGetMemObjectInfo, (cl_mem memory, cl_mem_info param_name, FAULT_INFO_PARAMETERS), (memory, param_name, FAULT_INFO)) \
  STATUS(FAULT_CALLBACK, clSetMemObjectDestructorCallback, (cl_mem memory, void(CL_CALLBACK *notify)(cl_mem, void *), void *user), \
         (memory, notify, user)) \
  \
  CREATE(FAULT_CREATE, FAULT_PROGRAM, cl_program, clCreateProgramWithSource, \
         (cl_context context, cl_uint count, const char **strings, const size_t *lengths, cl_int *errcode_ret), \
         (context, count, strings, lengths, errcode_ret)) \
  CREATE(FAULT_CREATE, FAULT_PROGRAM, cl_program, clCreateProgramWithBinary, \
         (cl_context context, cl_uint count, const cl_device_id *devices, const size_t *lengths, const unsigned char **binaries, \
          cl_int *binary_status, cl_int *errcode_ret), \
         (context, count, devices, lengths, binaries, binary_status, errcode_ret)) \
  CREATE(FAULT_BUILD, FAULT_PROGRAM, cl_program, clLinkProgram, \
         (cl_context context, cl_uint count, const cl_device_id *devices, const char *options, cl_uint program_count, \
          const cl_program *programs, void(CL_CALLBACK *notify)(cl_program, void *), void *user, cl_int *errcode_ret), \
         (context, count, devices, options, program_count, programs, notify, user, errcode_ret)) \
  RETAIN(FAULT_PROGRAM, clRetainProgram, cl_program) \
  RELEASE(FAULT_PROGRAM, clReleaseProgram, cl_program) \
  STATUS(FAULT_BUILD, clBuildProgram, \
         (cl_program program, cl_uint count, const cl_device_id *devices, const char *options, \
          void(CL_CALLBACK *notify)(cl_program, void *), void *user), \
         (program, count, devices, options, notify, user)) \
  STATUS(FAULT_BUILD, clCompileProgram, \
         (cl_program program, cl_uint count, const cl_device_id *devices, const char *options, cl_uint header_count, \
          const cl_program *headers, const char **names, void(CL_CALLBACK *notify)(cl_program, void *), void *user), \
         (program, count, devices, options, header_count, headers, names, notify, user)) \
  STATUS(FAULT_QUERY, clUnloadPlatformCompiler, (cl_platform_id platform), (platform)) \
  QUERY(clGetProgramInfo, (cl_program program, cl_program_info param_name, FAULT_INFO_PARAMETERS), (program, param_name, FAULT_INFO)) \
  QUERY(clGetProgramBuildInfo, (cl_program program, cl_device_id device, cl_program_build_info param_name, FAULT_INFO_PARAMETERS), \
        (program, device, param_name, FAULT_INFO)) \
  \
  CREATE(FAULT_CREATE, FAULT_KERNEL, cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *errcode_ret), \
         (program, name, errcode_ret)) \
  SPECIAL(cl_int, clCreateKernelsInProgram, (cl_program program, cl_uint count, cl_kernel *kernels, cl_uint *found)) \
  CREATE(FAULT_CREATE, FAULT_KERNEL, cl_kernel, clCloneKernel, (cl_kernel kernel, cl_int *errcode_ret), (kernel, errcode_ret)) \
  RETAIN(FAULT_KERNEL, clRetainKernel, cl_kernel) \
  RELEASE(FAULT_KERNEL, clReleaseKernel, cl_kernel) \
  STATUS(FAULT_ARGUMENT, clSetKernelArg, (cl_kernel kernel, cl_uint index, size_t size, const void *value), (kernel, index, size, value)) \
  QUERY(clGetKernelInfo, (cl_kernel kernel, cl_kernel_info param_name, FAULT_INFO_PARAMETERS), (kernel, param_name, FAULT_INFO)) \
  QUERY(clGetKernelArgInfo, (cl_kernel kernel, cl_uint index, cl_kernel_arg_info param_name, FAULT_INFO_PARAMETERS), \
        (kernel, index, param_name, FAULT_INFO)) \
  QUERY(clGetKernelWorkGroupInfo, (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info param_name, FAULT_INFO_PARAMETERS), \
        (kernel, device, param_name, FAULT_INFO)) \
  \
  STATUS(FAULT_WAIT, clWaitForEvents, (cl_uint count, const cl_event *events), (count, events)) \
  QUERY(clGetEventInfo, (cl_event of, cl_event_info param_name, FAULT_INFO_PARAMETERS), (of, param_name, FAULT_INFO)) \
  QUERY(clGetEventProfilingInfo, (cl_event of, cl_profiling_info param_name, FAULT_INFO_PARAMETERS), (of, param_name, FAULT_INFO)) \
  CREATE(FAULT_CREATE, FAULT_EVENT, cl_event, clCreateUserEvent, (cl_context context, cl_int *errcode_ret), (context, errcode_ret)) \
  RETAIN(FAULT_EVENT, clRetainEvent, cl_event) \
  RELEASE(FAULT_EVENT, clReleaseEvent, cl_event) \
  STATUS(FAULT_CALLBACK, clSetUserEventStatus, (cl_event of, cl_int status), (of, status)) \
  STATUS(FAULT_CALLBACK, clSetEventCallback, \
         (cl_event of, cl_int type, void(CL_CALLBACK *notify)(cl_event, cl_int, void *), void *user), (of, type, notify, user)) \
  \
  ENQUEUE(clEnqueueReadBuffer, \
          (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, void *data, FAULT_WAIT_PARAMETERS), \
          (queue, buffer, blocking, offset, size, data, FAULT_WAIT_LIST)) \
  ENQUEUE(clEnqueueWriteBuffer, \
          (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, const void *data, FAULT_WAIT_PARAMETERS), \
          (queue, buffer, blocking, offset, size, data, FAULT_WAIT_LIST)) \
  ENQUEUE(clEnqueueReadBufferRect, \
          (cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *origin, const size_t *host_origin, const size_t *region, \
           size_t row, size_t slice, size_t host_row, size_t host_slice, void *data, FAULT_WAIT_PARAMETERS), \
          (queue, buffer, blocking, origin, host_origin, region, row, slice, host_row, host_slice, data, FAULT_WAIT_LIST)) \
  ENQUEUE(clEnqueueWriteBufferRect, \
          (cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *origin, const size_t *host_origin, const size_t *region, \
           size_t row, size_t slice, size_t host_row, size_t host_slice, const void *data, FAULT_WAIT_PARAMETERS), \
          (queue, buffer, blocking, origin, host_origin, region, row, slice, host_row, host_slice, data, FAULT_WAIT_LIST)) \
  ENQUEUE(clEnqueueCopyBuffer, \
          (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t size, FAULT_WAIT_PARAMETERS), \
          (queue, from, to, from_offset, to_offset, size, FAULT_WAIT_LIST)) \
  ENQUEUE(clEnqueueCopyBufferRect, \
          (cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin, const size_t *to_origin, const size_t *region, \
           size_t from_row, size_t from_slice, size_t to_row, size_t to_slice, FAULT_WAIT_PARAMETERS), \
          (queue, from, to, from_origin, to_origin, region, from_row, from_slice, to_row, to_slice, FAULT_WAIT_LIST)) \
  ENQUEUE(clEnqueueFillBuffer, \
          (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size, size_t offset, size_t size, \
           FAULT_WAIT_PARAMETERS), \
          (queue, buffer, pattern, pattern_size, offset, size, FAULT_WAIT_LIST)) \
  ENQUEUE(clEnqueueMigrateMemObjects, \
          (cl_command_queue queue, cl_uint count, const cl_mem *memories, cl_mem_migration_flags flags, FAULT_WAIT_PARAMETERS), \
          (queue, count, memories, flags, FAULT_WAIT_LIST)) \
  ENQUEUE(clEnqueueNDRangeKernel, \
          (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global, const size_t *local, \
           FAULT_WAIT_PARAMETERS), \
          (queue, kernel, dimensions, offset, global, local, FAULT_WAIT_LIST)) \
  ENQUEUE(clEnqueueMarkerWithWaitList, (cl_command_queue queue, FAULT_WAIT_PARAMETERS), (queue, FAULT_WAIT_LIST)) \
  ENQUEUE(clEnqueueBarrierWithWaitList, (cl_command_queue queue, FAULT_WAIT_PARAMETERS), (queue, FAULT_WAIT_LIST)) \
  SPECIAL(void *, clEnqueueMapBuffer, \
          (cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset, size_t size, FAULT_WAIT_PARAMETERS, \
           cl_int *errcode_ret)) \
  SPECIAL(cl_int, clEnqueueUnmapMemObject, (cl_command_queue queue, cl_mem memory, void *mapped, FAULT_WAIT_PARAMETERS))
// clang-format on

#endif
