// SPDX-License-Identifier: MIT
/// Arrays put together, taken apart, repeated, turned.
#ifndef WEFT_REARRANGE_H
#define WEFT_REARRANGE_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

WEFT_END_DECLS

#endif
