// SPDX-License-Identifier: MIT
/// Arguments of the kernels in cl/create/.
#ifndef WEFT_CL_CREATE_ARGS_H
#define WEFT_CL_CREATE_ARGS_H

#include "shared.h"

/// Element i is start + i * step, except the one with an explicit value. The numbers hold the bits of the type that the
/// kernel computes in: a long, a double, or a float in the low half.
typedef struct weft__range_args {
  WEFT__U64 offset; /* bytes */
  WEFT__U64 size;   /* elements */
  WEFT__U64 given;  /* the element whose value is `given_value` */
  WEFT__U64 start, step, given_value;
  WEFT__U64 parts; /* if the step would underflow: elements are start + i / parts * step */
} weft__range_args;
WEFT__SHARED_SIZE(weft__range_args, 8 * 7);

#endif
