// SPDX-License-Identifier: MIT
/// Arrays in memory that CUDA sees.
#ifndef WEFT_INTEROP_CUDA_MEMORY_H
#define WEFT_INTEROP_CUDA_MEMORY_H

#include <weft/cuda.h>

#include "array/array.h"

/// The address of the first element for CUDA; 0 for an empty array. Errors: UNSUPPORTED.
weft_status weft__cuda_pointer_of(uint64_t *address, const weft_array *x);
/// Makes a handle with the dtype, shape and strides of `like` on a storage, `offset_bytes` from its beginning.
/// `size_bytes` as weft__array_wrap.
weft_status weft__array_put(weft_array **out, weft_context *context, const weft_array *like, weft__storage *storage,
                            uint64_t offset_bytes, uint64_t size_bytes, const char *site);
/// Makes an array of CUDA's memory, shared or copied: `like` has context, dtype, shape, strides and a size above 0.
weft_status weft__array_from_cuda(weft_array **out, const weft_array *like, const void *data,
                                  const weft_cuda_params *params);

#endif
