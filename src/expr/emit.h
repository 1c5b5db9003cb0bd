// SPDX-License-Identifier: MIT
/// From a formula to OpenCL C: the function that the kernels of cl/map_*.cl call for each element.
#ifndef WEFT_EXPR_EMIT_H
#define WEFT_EXPR_EMIT_H

#include "expr/formula.h"

/// The type in OpenCL C that a dtype is stored as ("ushort" for f16), and computed in ("float").
const char *weft__emit_stored(weft_dtype dtype);
const char *weft__emit_computed(weft_dtype dtype);
/// The type in OpenCL C that 1, 2, 4, 8 or 16 bytes are moved as, whatever they are.
const char *weft__emit_raw(size_t bytes);
/// The vector type that moves a chunk of `elements` of a dtype; no number crosses its words (cl/chunk.clh).
const char *weft__emit_chunk(size_t elements, weft_dtype dtype);

/// Appends the headers and functions the formula needs, then
///     void weft_element(long index, long n, ulong w0, ..., stored x0, ..., stored *y0, ...)
/// where w are the bytes of the scalars (two words each), x the inputs that are arrays (by input number) and y the results, in the dtypes
/// `out`. `fast`: a flag of the table, or 0: where the formula has functions with it, also weft_element_fast(..., int *rare), which sets *rare where
/// its result is not to be used.
void weft__emit_element(weft__text *text, const weft__formula *f, const weft_dtype *out, int fast);
bool weft__emit_has_fast(const weft__formula *f, int fast);

#endif
