// SPDX-License-Identifier: MIT
/// Evenly spaced integers for other functions.
#ifndef WEFT_OP_CREATE_RANGE_H
#define WEFT_OP_CREATE_RANGE_H

#include "array/array.h"

/// Fills x, which is contiguous and of i64, with begin, begin + 1 and so on.
weft_status weft__count_up(weft_array *x, int64_t begin, const char *site);

#endif
