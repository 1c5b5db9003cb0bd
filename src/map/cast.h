// SPDX-License-Identifier: MIT
/// Casts and copies of whole arrays.
#ifndef WEFT_MAP_CAST_H
#define WEFT_MAP_CAST_H

#include "array/array.h"

/// A new contiguous array: x in another dtype, or its own.
weft_status weft__cast(weft_array **out, const weft_array *x, weft_dtype dtype, const char *site);
/// The elements of `from`, as they are in `dtype`, to an array of the same shape, whatever its dtype and strides. The
/// two share no memory, or are the same elements.
weft_status weft__cast_into(weft_array *to, const weft_array *from, weft_dtype dtype, const char *site);

#endif
