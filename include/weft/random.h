// SPDX-License-Identifier: MIT
/// Random numbers.
#ifndef WEFT_RANDOM_H
#define WEFT_RANDOM_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

WEFT_END_DECLS

#endif
