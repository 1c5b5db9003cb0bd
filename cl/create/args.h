// SPDX-License-Identifier: MIT
/// What the kernel of cl/create/ is passed.
#ifndef WEFT_CL_CREATE_ARGS_H
#define WEFT_CL_CREATE_ARGS_H

#include "shared.h"

/// Element i is start + i * step, but for the one that is given outright. Numbers are the bits of what the kernel
/// computes in: a long, a double, or a float in the low half.
typedef struct weft__range_args {
  WEFT__U64 offset; /* bytes */
  WEFT__U64 size;   /* elements */
  WEFT__U64 given;  /* the element that is `given_value` */
  WEFT__U64 start, step, given_value;
  WEFT__U64 parts; /* where the step would underflow: start + i / parts * step */
} weft__range_args;
WEFT__SHARED_SIZE(weft__range_args, 8 * 7);

#endif
