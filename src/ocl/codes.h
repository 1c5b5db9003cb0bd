// SPDX-License-Identifier: MIT
/// Maps OpenCL's codes to Weft's statuses.
#ifndef WEFT_OCL_CODES_H
#define WEFT_OCL_CODES_H

#include "base/error.h"

/// The name of a code: "CL_OUT_OF_RESOURCES" for -5; "CL error N" for unknown codes.
const char *weft__cl_code_name(int cl_code);

/// Records that `call` ("clCreateBuffer") returned `cl_code`, and returns the matching status.
weft_status weft__cl_fail(int cl_code, const char *call);

/// Whether a code returned by a wait or a copy means that the device's context is lost. Source: on NVIDIA 580 a stray
/// write gives -36 at clFinish, then -5, -9999 and -34 from every later call.
bool weft__cl_is_fatal(int cl_code);

/// Whether the code of making a buffer, or of its first use, means that memory ran out.
bool weft__cl_is_out_of_memory(int cl_code);

/// Whether the code of a build means that the source or its options are wrong.
bool weft__cl_is_build_error(int cl_code);

#endif
