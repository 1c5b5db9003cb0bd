// SPDX-License-Identifier: MIT
/// One floating-point number as decimal text. Exact arithmetic on integers: neither the locale nor the rounding mode
/// matters.
#ifndef WEFT_IO_FORMAT_NUMBER_H
#define WEFT_IO_FORMAT_NUMBER_H

#include <weft/dtype.h>

#include "base/text.h"

/// The parts of a float: magnitude is mantissa * 2^exponent where it is finite.
typedef struct weft__float {
  uint64_t mantissa;
  int exponent;
  bool negative;
  bool finite;
  bool nan;
  bool gap_below_is_half; /* a power of two: the next float down is nearer than the next one up */
} weft__float;

/// Reads an element of a float dtype, which need not be aligned.
weft__float weft__float_read(weft_dtype dtype, const void *item);
/// The magnitude of a finite one; exact.
double weft__float_magnitude(const weft__float *x);

/// How a number without digits after the point ends.
typedef enum weft__point {
  WEFT__POINT_KEPT,    /* "1."  */
  WEFT__POINT_ZERO,    /* "1.0" */
  WEFT__POINT_DROPPED, /* "1"   */
} weft__point;

typedef struct weft__float_format {
  bool scientific;
  int precision;       /* most digits after the point; negative: as many as make the number unique in its type */
  int fraction_digits; /* scientific only: digits after the point at least */
  int exponent_digits; /* scientific only: at least */
  int left, right;     /* blanks up to this many characters left of the point (sign included) and right of it; the
                      scientific form of a finite number has none on the right */
  bool plus;           /* a sign also on what is not negative */
  weft__point point;
} weft__float_format;

/// The lengths a number would have: before the point with its sign, after the point, and of the exponent without 'e'
/// and sign.
typedef struct weft__float_lengths {
  int left, right, exponent;
} weft__float_lengths;

/// Without padding. `x` must be finite.
weft__float_lengths weft__float_measure(const weft__float *x, const weft__float_format *format);
/// Appends a number, padded. NaN and infinity end where the fraction of the others does.
void weft__float_add(weft__text *text, const weft__float *x, const weft__float_format *format);

#endif
