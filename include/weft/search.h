// SPDX-License-Identifier: MIT
/// Ordered arrays: searching, merging, unique values.
#ifndef WEFT_SEARCH_H
#define WEFT_SEARCH_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

WEFT_END_DECLS

#endif
