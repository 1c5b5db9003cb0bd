// SPDX-License-Identifier: MIT
/// Rows divided by their sums: softmax, its logarithm, logarithms of sums, and rows of mean 0 and deviation 1.
///
///     rc = weft_softmax(&p, scores, -1);
///     rc = weft_logsumexp(&s, scores, weft_keepdims(-1));
///     rc = weft_standardize(&y, x, -1, .epsilon = 1e-5);          as a layer normalization without weights
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_NORMALIZE_H
#define WEFT_NORMALIZE_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/* ---- all functions ----
   The elements along the axes are one row. x has a real dtype; complex numbers are WEFT_ERROR_DTYPE. Results have x's
   dtype for floats, f64 for bool and integers; f16 and bf16 are computed in f32 and rounded once.

   Rows along the last axes are computed by one kernel, which reads and writes the memory once: up to 8192 elements on
   GPUs (4096 of f64), and 65536 on CPUs. Others take three passes. A NaN in a row makes all of it NaN. */

/// scipy.special.softmax: exp(x) divided by the row's sum of it, computed as exp(x - max) so that nothing overflows.
WEFT_API WEFT_NODISCARD weft_status weft_softmax(weft_array **out, const weft_array *x, weft_axes axes);
/// scipy.special.log_softmax: the logarithm of weft_softmax, also where that is too small for a float.
WEFT_API WEFT_NODISCARD weft_status weft_log_softmax(weft_array **out, const weft_array *x, weft_axes axes);
/// scipy.special.logsumexp: log(sum(exp(x))) of each row. Rows of -infinity give -infinity. WEFT_ERROR_SHAPE: rows
/// without elements.
WEFT_API WEFT_NODISCARD weft_status weft_logsumexp(weft_array **out, const weft_array *x, weft_axes axes);

/// Options of weft_standardize.
typedef struct weft_standardize_params {
  int64_t ddof;     /* the variance is the sum of squares divided by the number of elements minus this */
  double epsilon;   /* added to the variance; 0: rows of equal elements become NaN */
  const char *site; /* set by the macro */
} weft_standardize_params;
/// (x - mean) / sqrt(variance + epsilon) of each row.
WEFT_API WEFT_NODISCARD weft_status weft_standardize(weft_array **out, const weft_array *x, weft_axes axes,
                                                     const weft_standardize_params *params);

/* ---- behind the functions ---- */

/// Which function; as WEFT__NORMALIZE_... of cl/normalize/args.h.
typedef enum weft__normalize_id {
  WEFT__SOFTMAX = 0,
  WEFT__LOG_SOFTMAX,
  WEFT__LOGSUMEXP,
} weft__normalize_id;

WEFT_API WEFT_NODISCARD weft_status weft__softmax_at(weft__normalize_id id, weft_operand out, weft_operand x,
                                                     weft_axes axes, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__standardize_at(weft_operand out, weft_operand x, weft_axes axes,
                                                         const weft_standardize_params *params);

#define weft_softmax(out, x, axes) \
  weft__softmax_at(WEFT__SOFTMAX, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), WEFT_SITE)
#define weft_log_softmax(out, x, axes) \
  weft__softmax_at(WEFT__LOG_SOFTMAX, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), WEFT_SITE)
#define weft_logsumexp(out, x, axes) \
  weft__softmax_at(WEFT__LOGSUMEXP, WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(axes), WEFT_SITE)
#define weft_standardize(out, x, ...)                                                                                 \
  weft__standardize_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)),                    \
                       WEFT__OPTIONS(weft_standardize_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
