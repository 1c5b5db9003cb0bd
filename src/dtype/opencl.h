// SPDX-License-Identifier: MIT
/// Elements in OpenCL C: types of dtypes, and code that loads, stores and writes values.
#ifndef WEFT_DTYPE_OPENCL_H
#define WEFT_DTYPE_OPENCL_H

#include "base/error.h"
#include "dtype/dtype.h"

/// The types in which a dtype is stored ("ushort" for f16) and computed ("float").
const char *weft__cl_stored(weft_dtype dtype);
const char *weft__cl_computed(weft_dtype dtype);
/// The type that copies 1, 2, 4, 8 or 16 bytes of any content.
const char *weft__cl_raw(size_t bytes);
/// The vector type that copies a chunk of `elements` of a dtype; no number spans two of its words (cl/chunk.clh).
const char *weft__cl_chunk(size_t elements, weft_dtype dtype);
/// The smallest and the greatest number of a dtype, in OpenCL C; of a complex dtype the limits of its parts.
const char *weft__cl_least(weft_dtype dtype);
const char *weft__cl_greatest(weft_dtype dtype);

/// Adds the macros of cl/element.clh, which a kernel needs for elements of a dtype.
void weft__cl_define(weft__text *text, weft_dtype dtype);
/// Adds the conversion of a stored element to the computed dtype. A narrow dtype needs cl/math/narrow.clh, here and
/// below.
void weft__cl_add_load(weft__text *text, weft_dtype dtype, const char *stored);
/// Adds the conversion of a real value of dtype `from`, as computed, to a stored element of the narrow dtype `to`,
/// rounded once.
void weft__cl_add_narrowed(weft__text *text, weft_dtype to, weft_dtype from, const char *value);
/// Adds the value, as computed, of an element whose bytes are in two 64-bit words.
void weft__cl_add_words(weft__text *text, weft_dtype dtype, const char *low, const char *high);

#endif
