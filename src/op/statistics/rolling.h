// SPDX-License-Identifier: MIT
/// The ways to reduce moving windows. Their task is a pointer to the call's description, which they complete.
#ifndef WEFT_OP_STATISTICS_ROLLING_H
#define WEFT_OP_STATISTICS_ROLLING_H

#include "engine/ways.h"

WEFT__WAY_FUNCTIONS(rolling, vary);
WEFT__WAY_FUNCTIONS(rolling, slabs);
WEFT__WAY_FUNCTIONS(rolling, rows);
WEFT__WAY_FUNCTIONS(rolling, subtract);
WEFT__WAY_FUNCTIONS(rolling, combine);
extern const weft__ways weft__rolling_ways;

#endif
