// SPDX-License-Identifier: MIT
/// A C scalar as an element of a dtype.
#ifndef WEFT_DTYPE_SCALAR_H
#define WEFT_DTYPE_SCALAR_H

#include <weft/dtype.h>

#include "base/error.h"

/// The bytes of one element of `dtype` with a scalar's value, zero-padded to 16. False if an integer dtype cannot hold
/// it.
bool weft__scalar_bytes(uint64_t bytes[2], weft_dtype dtype, weft_scalar value);
/// Like weft__scalar_bytes, but records the error: ARGUMENT (not a dtype), OVERFLOW.
weft_status weft__element_bytes(uint64_t bytes[2], weft_dtype dtype, weft_scalar value, const char *argument);
/// How an integer outside an integer dtype's range is treated.
typedef enum weft__fit {
  WEFT__FIT_EXACT = 0, /* an error */
  WEFT__FIT_WRAP,      /* modulo 2 to the power of the dtype's bits */
  WEFT__FIT_FLOOR,     /* below: the dtype's minimum; above: an error */
  WEFT__FIT_CEILING,   /* above: the dtype's maximum; below: an error */
} weft__fit;
/// The scalar, converted as `fit` says if it is out of range.
weft_scalar weft__scalar_fitted(weft_scalar value, weft_dtype dtype, weft__fit fit);
/// Adds the value as text.
void weft__scalar_describe(weft__text *text, weft_scalar value);

#endif
