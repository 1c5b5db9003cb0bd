// SPDX-License-Identifier: MIT
/// The value of a constant expression of C's preprocessor.
#ifndef WEFT_KERNEL_EVALUATE_H
#define WEFT_KERNEL_EVALUATE_H

#include <stdbool.h>
#include <stdint.h>

/// An operand of which nothing is known.
#define WEFT__NOT_KNOWN "@"

/// Evaluates a text without macros. False: its value is not known, or it is no expression.
bool weft__evaluate(int64_t *value, const char *text);

#endif
