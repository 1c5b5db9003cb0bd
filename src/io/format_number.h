// SPDX-License-Identifier: MIT
/// One floating-point number as decimal text. The arithmetic is exact, on integers: locale and rounding mode have no
/// effect.
#ifndef WEFT_IO_FORMAT_NUMBER_H
#define WEFT_IO_FORMAT_NUMBER_H

#include <weft/dtype.h>

#include "base/text.h"

/// The parts of a float. The magnitude of a finite float is mantissa * 2^exponent.
typedef struct weft__float {
  uint64_t mantissa;
  int exponent;
  bool negative;
  bool finite;
  bool nan;
  bool gap_below_is_half; /* a power of two: the next smaller float is nearer than the next larger one */
} weft__float;

/// Reads an element of a float dtype. It need not be aligned.
weft__float weft__float_read(weft_dtype dtype, const void *item);
/// The exact magnitude of a finite float.
double weft__float_magnitude(const weft__float *x);

/// The end of a number without digits after the point.
typedef enum weft__decimal_point {
  WEFT__POINT_KEPT,    /* "1."  */
  WEFT__POINT_ZERO,    /* "1.0" */
  WEFT__POINT_DROPPED, /* "1"   */
} weft__decimal_point;

typedef struct weft__float_format {
  bool scientific;
  int precision;       /* most digits after the point; negative: as many as make the number unique in its dtype */
  int fraction_digits; /* scientific only: least digits after the point */
  int exponent_digits; /* scientific only: least digits of the exponent */
  int left, right;     /* padded to this many characters left of the point (with the sign) and right of it; a finite
                          number in scientific form is not padded on the right */
  bool plus;           /* nonnegative numbers get a sign too */
  weft__decimal_point point;
} weft__float_format;

/// The lengths of a number's parts: before the point with the sign, after the point, and the exponent without 'e' and
/// sign.
typedef struct weft__float_lengths {
  int left, right, exponent;
} weft__float_lengths;

/// Measures a finite number, without padding.
weft__float_lengths weft__float_measure(const weft__float *x, const weft__float_format *format);
/// Appends a padded number. NaN and infinity end in the column where the other numbers' fractions end.
void weft__float_add(weft__text *text, const weft__float *x, const weft__float_format *format);

#endif
