// SPDX-License-Identifier: MIT
/// Polynomials as arrays of coefficients, the one of the highest power first: values, fits, powers of numbers.
///
///     rc = weft_polyval(&y, p, x);                 p[0] * x ** 2 + p[1] * x + p[2] for three coefficients
///     rc = weft_polyfit(&p, x, y, 2);
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_POLYNOMIAL_H
#define WEFT_POLYNOMIAL_H

#include <weft/operand.h>

WEFT_BEGIN_DECLS

/// numpy.polyval: the polynomial's values at each of `x`, x's shape, by Horner's rule, in the dtype to which `p` and
/// `x` promote. `p` has one axis (WEFT_ERROR_SHAPE); without coefficients the values are 0. Each 16 coefficients are a
/// launch, so that only up to 16 different numbers of them build kernels.
WEFT_API WEFT_NODISCARD weft_status weft_polyval(weft_array **out, const weft_array *p, const weft_array *x);

/// Options of weft_vander.
typedef struct weft_vander_params {
  int64_t columns;  /* 0: as many as x has elements */
  bool increasing;  /* the power 0 first, not last */
  const char *site; /* set by the macro */
} weft_vander_params;
/// numpy.vander: the powers of each element of `x`, which has one axis, as a row. x's dtype for floats and complex
/// numbers, i64 for bool and signed integers, u64 for unsigned ones, with wraparound. WEFT_ERROR_SHAPE: x has other
/// than one axis, or .columns is negative.
WEFT_API WEFT_NODISCARD weft_status weft_vander(weft_array **out, const weft_array *x,
                                                const weft_vander_params *params);

/// Options of weft_polyfit.
typedef struct weft_polyfit_params {
  double rtol;               /* as of weft_lstsq; 0: the number of elements of `x` times epsilon */
  const weft_array *weights; /* of the elements' residuals, not squared: x's shape */
  const char *site;          /* set by the macro */
} weft_polyfit_params;
/// numpy.polyfit: the coefficients [degree + 1] of the least squares fit to `y` at `x`, one axis each and real; for
/// each column of a `y` with two axes. f64 for integers, else the dtype to which both promote (narrow floats: f32).
/// WEFT_ERROR_SHAPE: of x, y or the weights. WEFT_ERROR_ARGUMENT: degree is not 0 to 1000.
WEFT_API WEFT_NODISCARD weft_status weft_polyfit(weft_array **out, const weft_array *x, const weft_array *y, int degree,
                                                 const weft_polyfit_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__polyval_at(weft_operand out, weft_operand p, weft_operand x,
                                                     const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__vander_at(weft_operand out, weft_operand x, const weft_vander_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__polyfit_at(weft_operand out, weft_operand x, weft_operand y, int degree,
                                                     const weft_polyfit_params *params);

#define weft_polyval(out, p, x) weft__polyval_at(WEFT__RESULT(out), WEFT__OPERAND(p), WEFT__OPERAND(x), WEFT_SITE)
#define weft_vander(out, ...)                                                 \
  weft__vander_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                  WEFT__OPTIONS(weft_vander_params, __VA_ARGS__))
#define weft_polyfit(out, x, y, ...)                                                                \
  weft__polyfit_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(y), WEFT__FIRST(__VA_ARGS__), \
                   WEFT__OPTIONS(weft_polyfit_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
