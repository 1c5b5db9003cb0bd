// SPDX-License-Identifier: MIT
/// Selection: the elements for which something holds.
#ifndef WEFT_SELECT_H
#define WEFT_SELECT_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

WEFT_END_DECLS

#endif
