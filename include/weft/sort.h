// SPDX-License-Identifier: MIT
/// Sorting.
#ifndef WEFT_SORT_H
#define WEFT_SORT_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

WEFT_END_DECLS

#endif
