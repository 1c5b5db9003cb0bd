// SPDX-License-Identifier: MIT
/// Shared by the public calls of weft/fft.h.
#ifndef WEFT_OP_FFT_TRANSFORM_H
#define WEFT_OP_FFT_TRANSFORM_H

#include <weft/fft.h>
#include <weft/ufunc.h>

#include "array/axes.h"
#include "call/call.h"
#include "map/cast.h"
#include "op/fft/fft.h"

/// A call that transforms its one operand.
typedef struct weft__transform {
  weft__call *call;
  const char *what; /* for messages and the profile: "rfft" */
  weft__fft_kind kind;
  bool inverse;
  bool is_single;  /* along one axis */
  bool is_plane;   /* along the last two axes */
  bool conjugates; /* the operand */
  weft_fft_norm norm;
  int axes, axis[WEFT_MAX_NDIM];
  int64_t length[WEFT_MAX_NDIM]; /* along each of the axes: of the real side of real transforms */
  bool is_temporary;             /* the operand was copied, and may be overwritten */
} weft__transform;

/// The complex and the real dtype in which operands of this dtype are transformed.
weft_dtype weft__fft_complex_dtype(weft_dtype dtype);
weft_dtype weft__fft_real_dtype(weft_dtype dtype);
/// A contiguous copy of x in this dtype and shape, cropped or padded with zeros behind.
weft_status weft__fft_fit(weft_array **out, const weft_array *x, weft_dtype dtype, weft_shape shape, const char *site);

#endif
