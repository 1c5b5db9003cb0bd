// SPDX-License-Identifier: MIT
/// Writes a formula as OpenCL C: the function that the kernels of cl/map/ call for each element.
#ifndef WEFT_EXPR_EMIT_H
#define WEFT_EXPR_EMIT_H

#include "dtype/opencl.h"
#include "expr/formula.h"

/// Appends the headers and functions the formula needs, then
///     void weft_element(long index, long n, ulong w0, ..., stored x0, ..., stored *y0, ...)
/// w are the bytes of the scalars (two words each), x the array inputs (by input number) and y the results, in the
/// dtypes `out`. A stencil's function has the indices p0, p1, ... along the axes behind n, and in the place of x the
/// value tN of each TAP, node number N. `fast` is WEFT__OP_FAST, WEFT__OP_FAST_GPU or 0. If the formula has functions
/// with this flag, weft_element_fast(..., int *rare) is appended too. It sets *rare if its result must not be used.
void weft__emit_element(weft__text *text, const weft__formula *f, const weft_dtype *out, int fast);
/// weft__emit_element in two steps, for the parts of a formula (expr/part.h): the headers and functions that the whole
/// and its parts need, then the function `name` of each part.
void weft__emit_functions(weft__text *text, const weft__formula *f);
void weft__emit_part(weft__text *text, const weft__formula *f, const weft_dtype *out, const char *name);
bool weft__emit_has_fast(const weft__formula *f, int fast);

#endif
