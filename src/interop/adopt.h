// SPDX-License-Identifier: MIT
/// The inspection of a foreign buffer before an array uses it.
#ifndef WEFT_INTEROP_ADOPT_H
#define WEFT_INTEROP_ADOPT_H

#include "array/array.h"

#define WEFT__MADE_READ_ONLY "its cl_mem was made with CL_MEM_READ_ONLY"

/// Checks that `mem` is a buffer of the context's cl_context. *size_bytes: its size; *read_only: kernels may not write
/// it.
/// Errors: ARGUMENT, CONTEXT, DRIVER.
weft_status weft__buffer_inspect(size_t *size_bytes, bool *read_only, weft__cl_mem mem, const weft_context *context,
                                 const char *argument);

#endif
