// SPDX-License-Identifier: MIT
/// Elements in OpenCL C: the types of dtypes, and how values are loaded, stored and written down.
#ifndef WEFT_DTYPE_OPENCL_H
#define WEFT_DTYPE_OPENCL_H

#include "base/error.h"
#include "dtype/dtype.h"

/// The type that a dtype is stored as ("ushort" for f16), and computed in ("float").
const char *weft__cl_stored(weft_dtype dtype);
const char *weft__cl_computed(weft_dtype dtype);
/// The type that 1, 2, 4, 8 or 16 bytes are moved as, whatever they are.
const char *weft__cl_raw(size_t bytes);
/// The vector type that moves a chunk of `elements` of a dtype; no number crosses its words (cl/chunk.clh).
const char *weft__cl_chunk(size_t elements, weft_dtype dtype);
/// The smallest and the greatest number of a dtype, in OpenCL C; of complex numbers that of a part.
const char *weft__cl_least(weft_dtype dtype);
const char *weft__cl_greatest(weft_dtype dtype);

/// What comes in front of a kernel that works on elements of a dtype: the macros of cl/element.clh.
void weft__cl_define(weft__text *text, weft_dtype dtype);
/// A stored element as what it is computed in. cl/math/narrow.clh must be included where the dtype is narrow; so below.
void weft__cl_add_load(weft__text *text, weft_dtype dtype, const char *stored);
/// A real value of dtype `from`, as computed, as a stored element of the narrow dtype `to`, rounded once.
void weft__cl_add_narrowed(weft__text *text, weft_dtype to, weft_dtype from, const char *value);
/// The value, as computed, of an element whose bytes are two 64-bit words.
void weft__cl_add_words(weft__text *text, weft_dtype dtype, const char *low, const char *high);

#endif
