// SPDX-License-Identifier: MIT
/// Weights of the elements of an array.
#ifndef WEFT_OP_STATISTICS_WEIGHTS_H
#define WEFT_OP_STATISTICS_WEIGHTS_H

#include "call/call.h"

/// Makes a view of operand `k`, weights of operand 0's shape or of its lengths along the axes, in their order: with
/// operand 0's number of axes, and length 1 along the others. Errors: WEFT_ERROR_SHAPE, WEFT_ERROR_AXIS.
weft_status weft__weights_place(weft_array *view, const weft__call *call, int k, weft_axes axes);

#endif
