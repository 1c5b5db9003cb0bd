// SPDX-License-Identifier: MIT
/// Elements by their indices: take, put, gather, scatter.
#ifndef WEFT_INDEX_H
#define WEFT_INDEX_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

WEFT_END_DECLS

#endif
