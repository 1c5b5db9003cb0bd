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
/// Whether two elements may share bytes. Axes of stride 0 are ignored: every writing call checks for them. Elements are
/// distinct if each axis, by rising stride, steps over all bytes that the axes before it cover.
bool weft__elements_overlap(const weft_array *x);

#endif
