// SPDX-License-Identifier: MIT
/// A C scalar as an element of a dtype.
#ifndef WEFT_ARRAY_SCALAR_H
#define WEFT_ARRAY_SCALAR_H

#include <weft/dtype.h>

#include "base/error.h"

/// The bytes of one element of `dtype` with a scalar's value, zero-padded to 16. False where an integer dtype cannot hold it.
bool weft__scalar_bytes(uint64_t bytes[2], weft_dtype dtype, weft_scalar value);
/// The same, checked: ARGUMENT (no dtype), OVERFLOW.
weft_status weft__element_bytes(uint64_t bytes[2], weft_dtype dtype, weft_scalar value, const char *argument);
/// What becomes of an integer that an integer dtype does not hold.
typedef enum weft__fit {
  WEFT__FIT_EXACT = 0, /* it is refused */
  WEFT__FIT_WRAP,      /* modulo 2 to the power of the dtype's bits */
  WEFT__FIT_FLOOR,     /* the dtype's least where it is below; above it is refused */
  WEFT__FIT_CEILING,   /* the dtype's greatest where it is above; below it is refused */
} weft__fit;
/// The scalar so that it fits, as far as `fit` says; else as it is.
weft_scalar weft__scalar_fitted(weft_scalar value, weft_dtype dtype, weft__fit fit);
/// Its value as text.
void weft__scalar_describe(weft__text *text, weft_scalar value);

#endif
