// SPDX-License-Identifier: MIT
/// Reductions: an array, or some of its axes, to one value.
#ifndef WEFT_REDUCE_H
#define WEFT_REDUCE_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

WEFT_END_DECLS

#endif
