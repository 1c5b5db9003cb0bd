// SPDX-License-Identifier: MIT
/// OpenCL's codes as Weft's statuses.
#ifndef WEFT_OCL_CODES_H
#define WEFT_OCL_CODES_H

#include "base/error.h"

/// "CL_OUT_OF_RESOURCES" for -5; "CL error N" for codes unknown.
const char *weft__cl_code_name(int cl_code);

/// Records that `call` ("clCreateBuffer") answered `cl_code`, and returns the status that fits.
weft_status weft__cl_fail(int cl_code, const char *call);

/// Whether a code, met at a wait or a copy, means that the device's context is gone. Sources: NVIDIA 580: a stray write
/// gives -36 at clFinish, then -5, -9999 and -34 from every later call.
bool weft__cl_is_fatal(int cl_code);

/// Whether the answer to making a buffer, or to its first use, says that there is no room for it.
bool weft__cl_is_out_of_memory(int cl_code);

/// Whether a build's code means that the source or its options are wrong.
bool weft__cl_is_build_error(int cl_code);

#endif
