// SPDX-License-Identifier: MIT
/// weft_inside of the kernels, for the host.
#ifndef WEFT_OP_REARRANGE_BORDER_H
#define WEFT_OP_REARRANGE_BORDER_H

#include <stdint.h>

#include "cl/rearrange/args.h"

#if __SIZEOF_LONG__ != 8
#define long int64_t
#endif
#define abs(x) ((x) < 0 ? -(x) : (x))
#include "cl/rearrange/border.clh"
#undef abs
#undef long

#endif
