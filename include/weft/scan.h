// SPDX-License-Identifier: MIT
/// Scans: running sums and their like.
#ifndef WEFT_SCAN_H
#define WEFT_SCAN_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

WEFT_END_DECLS

#endif
