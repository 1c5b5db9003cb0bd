// SPDX-License-Identifier: MIT
/// From a formula to OpenCL C: the function that the kernels of cl/map/ call for each element.
#ifndef WEFT_EXPR_EMIT_H
#define WEFT_EXPR_EMIT_H

#include "dtype/opencl.h"
#include "expr/formula.h"

/// Appends the headers and functions the formula needs, then
///     void weft_element(long index, long n, ulong w0, ..., stored x0, ..., stored *y0, ...)
/// where w are the bytes of the scalars (two words each), x the inputs that are arrays (by input number) and y the
/// results, in the dtypes `out`. `fast`: a flag of the table, or 0: where the formula has functions with it, also
/// weft_element_fast(..., int *rare), which sets *rare where its result is not to be used.
void weft__emit_element(weft__text *text, const weft__formula *f, const weft_dtype *out, int fast);
bool weft__emit_has_fast(const weft__formula *f, int fast);

#endif
