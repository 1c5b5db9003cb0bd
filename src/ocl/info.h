// SPDX-License-Identifier: MIT
/// Typed answers to clGet*Info. A query that fails records the failure and names what was asked.
#ifndef WEFT_OCL_INFO_H
#define WEFT_OCL_INFO_H

#include <CL/cl.h>

#include "base/error.h"

/// *text is to be freed by the caller; "" where the driver has nothing to say. Trailing blanks are cut.
weft_status weft__platform_text(char **text, cl_platform_id platform, cl_platform_info what);
weft_status weft__device_text(char **text, cl_device_id device, cl_device_info what);
/// A fixed-size answer, into `value` of `size_bytes`; `name` is for the message.
weft_status weft__device_value(void *value, size_t size_bytes, cl_device_id device, cl_device_info what, const char *name);
/// The same for what a device need not know: false, and `value` untouched, where it does not; nothing is recorded.
bool weft__device_has_value(void *value, size_t size_bytes, cl_device_id device, cl_device_info what);
weft_status weft__kernel_arg_text(char **text, cl_kernel kernel, cl_uint index, cl_kernel_arg_info what);

#endif
