// SPDX-License-Identifier: MIT
/// Arguments of the kernels in cl/fft/. Offsets are in bytes, lengths in elements; `scale` has the bits of a double, or
/// of a float in the low half.
#ifndef WEFT_CL_FFT_ARGS_H
#define WEFT_CL_FFT_ARGS_H

#include "shared.h"

/// A pass over [batch, length, inner]: `done` is the length that is transformed already.
typedef struct weft__fft_pass_args {
  WEFT__U64 from_offset, to_offset;
  WEFT__U64 threads;
  WEFT__U64 length, inner, done;
  WEFT__U64 scale;
} weft__fft_pass_args;
WEFT__SHARED_SIZE(weft__fft_pass_args, 8 * 7);

/// Transforms of whole lengths in local memory. A work-group does some of `columns`; `groups` do them all, and the next
/// groups do the next columns * length values. Value k of column c is read at c / from_split * from_far +
/// c % from_split * from_near + k * from_step, and written at c * to_column + k * to_step.
typedef struct weft__fft_local_args {
  WEFT__U64 from_offset, to_offset;
  WEFT__U64 columns, groups;
  WEFT__U64 from_split, from_far, from_near, from_step;
  WEFT__U64 to_column, to_step;
  WEFT__U64 whole; /* a power of two below 2^32 */
  WEFT__U64 scale;
} weft__fft_local_args;
WEFT__SHARED_SIZE(weft__fft_local_args, 8 * 12);

/// A step of Bluestein's algorithm, or of a transform to real numbers: between arrays [batch, from_length, inner] and
/// [batch, to_length, inner].
typedef struct weft__fft_step_args {
  WEFT__U64 from_offset, to_offset;
  WEFT__U64 threads;
  WEFT__U64 from_length, to_length, inner;
  WEFT__U64 length; /* of the transform */
  WEFT__U64 scale;
} weft__fft_step_args;
WEFT__SHARED_SIZE(weft__fft_step_args, 8 * 8);

#define WEFT__DCT_SHARE 1024 /* values of a CPU's work-item */

/// Rows of a cosine transform. The factors have the bits of a double, or of a float: before the Fourier transform of
/// the values at the edge and of all others, and after it.
typedef struct weft__dct_args {
  WEFT__U64 from_offset, to_offset;
  WEFT__U64 rows, n;
  WEFT__U64 length; /* of the Fourier transform */
  WEFT__U64 in_edge, in_rest, out_edge, out_rest;
} weft__dct_args;
WEFT__SHARED_SIZE(weft__dct_args, 8 * 9);

/// A direct convolution: to[i] is the sum of a[i + start - j] * v[j].
typedef struct weft__convolve_args {
  WEFT__U64 a_offset, v_offset, to_offset;
  WEFT__U64 a_length, v_length, to_length;
  WEFT__U64 start;
  WEFT__U64 share; /* elements of a work-item */
} weft__convolve_args;
WEFT__SHARED_SIZE(weft__convolve_args, 8 * 8);

#endif
