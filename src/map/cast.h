// SPDX-License-Identifier: MIT
/// Casts and copies of whole arrays.
#ifndef WEFT_MAP_CAST_H
#define WEFT_MAP_CAST_H

#include "array/array.h"

/// Makes a contiguous copy of x, in another dtype or its own.
weft_status weft__cast(weft_array **out, const weft_array *x, weft_dtype dtype, const char *site);
/// Casts the elements of `from` to `dtype` and stores them in an array of equal shape and any dtype and strides. The
/// arrays must share no memory, or be the same elements.
weft_status weft__cast_into(weft_array *to, const weft_array *from, weft_dtype dtype, const char *site);
/// Makes *out the first elements of *room, in `shape`: the same memory, and *room becomes NULL, or a copy if the memory
/// would keep too much without need. *room is contiguous, of one axis or as many as `shape`, and nobody else's.
weft_status weft__keep_part(weft_array **out, weft_array **room, weft_shape shape, const char *site);

#endif
