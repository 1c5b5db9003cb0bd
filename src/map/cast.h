// SPDX-License-Identifier: MIT
/// weft_cast for the library's own use.
#ifndef WEFT_MAP_CAST_H
#define WEFT_MAP_CAST_H

#include "array/array.h"

/// x in another dtype, or its own: *out NULL becomes a new contiguous array, else an array of that dtype and x's shape.
weft_status weft__cast(weft_array **out, const weft_array *x, weft_dtype dtype, const char *site);

#endif
