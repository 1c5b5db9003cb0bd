// SPDX-License-Identifier: MIT
/// Constant folding of the numbers in a text, with Python's arithmetic.
#ifndef WEFT_EXPR_FOLD_H
#define WEFT_EXPR_FOLD_H

#include <weft/ufunc.h>

typedef enum weft__fold_result { WEFT__NOT_FOLDED = 0, WEFT__FOLDED, WEFT__FOLD_OVERFLOW } weft__fold_result;

/// Applies a function of the ufunc table to one number or two (b NULL: one). An integer result is exact or reported as
/// WEFT__FOLD_OVERFLOW. Operations that are not folded are computed on the device.
weft__fold_result weft__fold(weft_scalar *result, int op, const weft_scalar *a, const weft_scalar *b);

#endif
