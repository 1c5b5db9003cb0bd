// SPDX-License-Identifier: MIT
/// OpenCL's functions for the baselines of `weft bench`, linked or loaded as in the library (ocl/opencl_calls.h).
/// bench.c loads them.
#ifndef WEFT_CLI_BENCH_OPENCL_H
#define WEFT_CLI_BENCH_OPENCL_H

#include "ocl/opencl_calls.h"

#define clBuildProgram CL(clBuildProgram)
#define clCreateBuffer CL(clCreateBuffer)
#define clCreateCommandQueue CL(clCreateCommandQueue)
#define clCreateContext CL(clCreateContext)
#define clCreateKernel CL(clCreateKernel)
#define clCreateProgramWithSource CL(clCreateProgramWithSource)
#define clEnqueueCopyBuffer CL(clEnqueueCopyBuffer)
#define clEnqueueFillBuffer CL(clEnqueueFillBuffer)
#define clEnqueueNDRangeKernel CL(clEnqueueNDRangeKernel)
#define clEnqueueReadBuffer CL(clEnqueueReadBuffer)
#define clEnqueueWriteBuffer CL(clEnqueueWriteBuffer)
#define clFinish CL(clFinish)
#define clReleaseCommandQueue CL(clReleaseCommandQueue)
#define clReleaseContext CL(clReleaseContext)
#define clReleaseKernel CL(clReleaseKernel)
#define clReleaseMemObject CL(clReleaseMemObject)
#define clReleaseProgram CL(clReleaseProgram)
#define clSetKernelArg CL(clSetKernelArg)

#endif
