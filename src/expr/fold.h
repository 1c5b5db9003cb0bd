// SPDX-License-Identifier: MIT
/// Arithmetic of the numbers in a text, as Python does it.
#ifndef WEFT_EXPR_FOLD_H
#define WEFT_EXPR_FOLD_H

#include <weft/ufunc.h>

typedef enum weft__fold_result { WEFT__NOT_FOLDED = 0, WEFT__FOLDED, WEFT__FOLD_OVERFLOW } weft__fold_result;

/// A function of the table of one number or two (b NULL: one). Integers are exact or an overflow. What is not folded is
/// computed on the device.
weft__fold_result weft__fold(weft_scalar *result, int op, const weft_scalar *a, const weft_scalar *b);

#endif
