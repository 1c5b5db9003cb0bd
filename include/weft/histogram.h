// SPDX-License-Identifier: MIT
/// Histograms and counts.
#ifndef WEFT_HISTOGRAM_H
#define WEFT_HISTOGRAM_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

WEFT_END_DECLS

#endif
