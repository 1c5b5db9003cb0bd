// SPDX-License-Identifier: MIT
/// Windows that move along an axis: their sums, means, extremes and deviations.
///
///     rc = weft_rolling(&y, x, 7, -1, .op = WEFT_REDUCE_MEAN);     y[i] = the mean of x[i] to x[i + 6]
///     rc = weft_rolling(&y, x, 20, 0, .op = WEFT_REDUCE_STD, .ddof = 1);
///     rc = weft_rolling(&y, x, 20, 0, .op = WEFT_REDUCE_NANMEAN, .min_count = 5);  of 5 numbers or more, else NaN
///     rc = weft_sliding_window(&v, x, WEFT_SHAPE(3), 0);           a view (weft/view.h): v[i] = x[i] to x[i + 2]
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_ROLLING_H
#define WEFT_ROLLING_H

#include <weft/axes.h>
#include <weft/reduce.h>

WEFT_BEGIN_DECLS

/// Options of weft_rolling.
typedef struct weft_rolling_params {
  weft_reduction_id op; /* SUM (the default), PROD, MIN, MAX, MEAN, VAR, STD, their nan forms, or PTP; the dtypes are
                           weft/reduce.h's */
  double ddof;          /* for variances and deviations, as in weft_var_params */
  int64_t min_count;    /* for nan forms: windows with fewer elements besides NaNs give NaN; pandas' min_periods */
  const char *site;     /* set by the macro */
} weft_rolling_params;

/// Reduces each window of `window` neighbours along the axis: element i of the result is the reduction of elements i to
/// i + window - 1, so that the axis gets window - 1 elements shorter (pandas puts NaN in front of them; a NaN makes all
/// windows with it NaN). The time of long windows does not depend on their length. Elements outside of a window cost it
/// no accuracy.
/// WEFT_ERROR_ARGUMENT: window is not from 1 to the length of the axis, the reduction is another, .min_count.
WEFT_API WEFT_NODISCARD weft_status weft_rolling(weft_array **out, const weft_array *x, int64_t window, weft_axes axis,
                                                 const weft_rolling_params *params);

/* Short windows on CPUs are joined from windows of half the length; other sums of integers are differences of running
   sums; everything else combines two parts, the rest of a block of `window` elements and the beginning of the next (van
   Herk's method).

   Floats are added up in f64 where the device has it. Variances of the two parts grow element by element
   (Welford) from distances from the part's first element. Scratch during the call: 4 times as much memory as the
   elements in f64, for VAR and STD 8 times. SUM,
   PROD, MEAN, MIN and MAX of integers, f32 or f64 need none: on GPUs for windows of 2 to 128 elements in contiguous
   rows, on CPUs for 2 to 512 there and 2 to 97 along another axis of a contiguous array. (A given result must be
   contiguous and have a new one's dtype.)

   The nan forms reduce the elements of each window that are not NaN, by the rules of weft/reduce.h: of no elements the
   sum is 0 and the product 1 (unless .min_count asks for more), all others are NaN, of complex numbers both parts; a
   variance of no more than ddof elements is NaN. Counting the elements takes 2 times as much memory more. How many
   there are: weft_equal(&k, x, x), then weft_rolling(&n, k, 7, 0). Windows that begin in front of x, as pandas has:
   weft_pad x with NaN first. */

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__rolling_at(weft_operand out, weft_operand x, int64_t window, weft_axes axis,
                                                     const weft_rolling_params *params);

#define weft_rolling(out, x, window, ...)                                                               \
  weft__rolling_at(WEFT__RESULT(out), WEFT__OPERAND(x), (window), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                   WEFT__OPTIONS(weft_rolling_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
