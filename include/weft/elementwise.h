// SPDX-License-Identifier: MIT
/// Element-wise functions with options: numbers that are close, rounding to decimals, values in place of NaN, choices
/// between several arrays; and whether two arrays are equal. weft/ufuncs.h has the functions without options.
///
///     rc = weft_isclose(&mask, a, b, .rtol = 1e-3);
///     rc = weft_allclose(&same, a, b);                                       `same` is a bool
///     rc = weft_around(&y, x, .decimals = 2);
///     rc = weft_where_first(&y, c0, v0, c1, v1, 0.0f);                       numpy.select
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_ELEMENTWISE_H
#define WEFT_ELEMENTWISE_H

#include <weft/index.h>
#include <weft/ufunc.h>

WEFT_BEGIN_DECLS

/* ---- close and equal ----
   Dtypes promote as in weft/ufunc.h. a is close to b if b is finite and |a - b| <= atol + rtol * |b|, or if they are
   equal, as for infinities. Integers of `b` count as f64. Narrow floats are compared in f32. One of the two operands
   has a shape. weft_allclose, weft_array_equal and weft_array_equiv wait for the device. */

/// Options of weft_isclose and weft_allclose.
typedef struct weft_isclose_params {
  double rtol;      /* relative tolerance: 0 is 1e-5; negative: none */
  double atol;      /* absolute tolerance: 0 is 1e-8; negative: none */
  bool equal_nan;   /* NaN is close to NaN */
  const char *site; /* set by the macros */
} weft_isclose_params;
/// Options of weft_array_equal.
typedef struct weft_array_equal_params {
  bool equal_nan;   /* NaN equals NaN */
  const char *site; /* set by the macro */
} weft_array_equal_params;

/// numpy.isclose: whether each element of `a` is close to `b`, bool.
WEFT_API WEFT_NODISCARD weft_status weft_isclose(weft_array **out, const weft_array *a, const weft_array *b,
                                                 const weft_isclose_params *params);
/// numpy.allclose: whether all elements are close, in one pass without an array of results.
WEFT_API WEFT_NODISCARD weft_status weft_allclose(bool *is_close, const weft_array *a, const weft_array *b,
                                                  const weft_isclose_params *params);
/// numpy.array_equal: whether `a` and `b` have one shape and equal elements, of any dtypes.
WEFT_API WEFT_NODISCARD weft_status weft_array_equal(bool *equal, const weft_array *a, const weft_array *b,
                                                     const weft_array_equal_params *params);
/// numpy.array_equiv: as weft_array_equal, of shapes that broadcast.
WEFT_API WEFT_NODISCARD weft_status weft_array_equiv(bool *equal, const weft_array *a, const weft_array *b);

/* ---- rounded and replaced ---- */

/// Options of weft_around.
typedef struct weft_around_params {
  int decimals;     /* digits behind the point; negative: in front of it */
  const char *site; /* set by the macro */
} weft_around_params;
/// numpy.around (and numpy.round): the nearest number with `.decimals` digits, of two equally near ones the even one,
/// computed as rint(x * 10^decimals) / 10^decimals; of complex numbers both parts. x's dtype; integers are rounded in
/// f64. weft_round is C's. WEFT_ERROR_DTYPE: bool.
WEFT_API WEFT_NODISCARD weft_status weft_around(weft_array **out, const weft_array *x,
                                                const weft_around_params *params);

/// Options of weft_nan_to_num: numbers as WEFT_SCALAR(-1).
typedef struct weft_nan_to_num_params {
  weft_scalar nan;            /* in place of NaN; default 0 */
  weft_scalar posinf, neginf; /* in place of infinity and -infinity; default the dtype's greatest and least number */
  const char *site;           /* set by the macro */
} weft_nan_to_num_params;
/// numpy.nan_to_num: x with numbers in place of NaN and infinities, in complex numbers of each part. Integers and bool
/// are copied. WEFT_ERROR_DTYPE: an option is complex.
WEFT_API WEFT_NODISCARD weft_status weft_nan_to_num(weft_array **out, const weft_array *x,
                                                    const weft_nan_to_num_params *params);

/* ---- chosen ---- */

/// weft_where_first(&y, c0, v0, c1, v1, ..., otherwise): of each element the value behind the first condition that is
/// true, else `otherwise`; numpy.select, and numpy.piecewise of computed values. Conditions are bool
/// (WEFT_ERROR_DTYPE); all operands broadcast; values promote. One kernel, which reads all operands. `count` is odd and
/// less than WEFT_MAX_OPERANDS (WEFT_ERROR_ARGUMENT).
WEFT_API WEFT_NODISCARD weft_status weft_where_first(weft_array **out, int count, const weft_operand *operands);
/// weft_choose(&y, indices, a0, a1, ...): element [i] is of the choice whose number is indices[i]; numpy.choose. All
/// operands broadcast; the choices, 1 to WEFT_MAX_OPERANDS - 2 (WEFT_ERROR_ARGUMENT), promote. Indices out of range are
/// treated as in weft_take; WEFT_INDEXING(.mode = WEFT_INDEX_CLIP) among the choices sets the mode. Two kernels; the
/// second one reads all choices.
WEFT_API WEFT_NODISCARD weft_status weft_choose(weft_array **out, const weft_array *indices, int count,
                                                const weft_operand *choices);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__isclose_at(weft_operand out, weft_operand a, weft_operand b,
                                                     const weft_isclose_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__allclose_at(bool *is_close, weft_operand a, weft_operand b,
                                                      const weft_isclose_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__array_equal_at(bool *equal, weft_operand a, weft_operand b,
                                                         const weft_array_equal_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__array_equiv_at(bool *equal, weft_operand a, weft_operand b, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__around_at(weft_operand out, weft_operand x, const weft_around_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__nan_to_num_at(weft_operand out, weft_operand x,
                                                        const weft_nan_to_num_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__where_first_at(weft_operand out, int count, const weft_operand *operands,
                                                         const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__choose_at(weft_operand out, weft_operand indices, int count,
                                                    const weft_operand *choices, const char *site);

#define weft_isclose(out, a, ...)                                                                \
  weft__isclose_at(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                   WEFT__OPTIONS(weft_isclose_params, __VA_ARGS__))
#define weft_allclose(is_close, a, ...)                                                    \
  weft__allclose_at((is_close), WEFT__OPERAND(a), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                    WEFT__OPTIONS(weft_isclose_params, __VA_ARGS__))
#define weft_array_equal(equal, a, ...)                                                    \
  weft__array_equal_at((equal), WEFT__OPERAND(a), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                       WEFT__OPTIONS(weft_array_equal_params, __VA_ARGS__))
#define weft_array_equiv(equal, a, b) weft__array_equiv_at((equal), WEFT__OPERAND(a), WEFT__OPERAND(b), WEFT_SITE)
#define weft_around(out, ...)                                                 \
  weft__around_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                  WEFT__OPTIONS(weft_around_params, __VA_ARGS__))
#define weft_nan_to_num(out, ...)                                                 \
  weft__nan_to_num_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                      WEFT__OPTIONS(weft_nan_to_num_params, __VA_ARGS__))
#define weft_where_first(out, ...) \
  weft__where_first_at(WEFT__RESULT(out), (int)WEFT__COUNT(__VA_ARGS__), WEFT__OPERANDS(__VA_ARGS__), WEFT_SITE)
#define weft_choose(out, indices, ...)                                                      \
  weft__choose_at(WEFT__RESULT(out), WEFT__OPERAND(indices), (int)WEFT__COUNT(__VA_ARGS__), \
                  WEFT__OPERANDS(__VA_ARGS__), WEFT_SITE)

WEFT_END_DECLS

#endif
