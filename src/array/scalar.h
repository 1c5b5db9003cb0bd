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
/// Its value as text.
void weft__scalar_describe(weft__text *text, weft_scalar value);

#endif
