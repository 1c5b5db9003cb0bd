// SPDX-License-Identifier: MIT
/// Ordered arrays: searching, merging, whether an array is in order; different elements, sets.
///
///     rc = weft_searchsorted(&places, sorted, values);
///     rc = weft_isin(&mask, x, WEFT_HOST(wanted, WEFT_I32, WEFT_SHAPE(3)));
///     rc = weft_unique(&values, x, .counts = &counts);
///     rc = weft_merge(&both, a, b);
///
/// The order is NumPy's: NaN behind all numbers, -0 equal to 0. Dtypes are bool, the integers and the floats
/// (WEFT_ERROR_DTYPE for complex ones); operands of different dtypes are compared in the one that numpy.promote_types
/// gives, to which they are copied first. A C scalar takes the array's dtype if that fits the scalar's kind (as in
/// weft/ufunc.h) and holds its value; else it counts as an i64 (NumPy always makes an i64 or f64 array of it here).
/// Operands are arrays with any strides and host memory; results are made where *out is NULL, or WEFT_HOST_OUT. That an
/// array is ordered is the caller's word: where it is not, results are unspecified (but nothing outside the results is
/// written). Blocking: does not wait, but for a result in host memory, and where a function says so.
/// Errors: WEFT_ERROR_DTYPE, WEFT_ERROR_SHAPE, WEFT_ERROR_ARGUMENT, and those of functions over whole arrays (ufunc.h).
/// On failure results are as they were. Thread: any; an array belongs to one thread at a time.
#ifndef WEFT_SEARCH_H
#define WEFT_SEARCH_H

#include <weft/operand.h>

WEFT_BEGIN_DECLS

typedef enum weft_side {
  WEFT_LEFT = 0, /* in front of equal elements */
  WEFT_RIGHT,    /* behind them */
} weft_side;

/// Options of weft_searchsorted.
typedef struct weft_searchsorted_params {
  weft_side side;   /* WEFT_RIGHT: behind equal elements */
  const char *site; /* set by the macro */
} weft_searchsorted_params;

/// Options of weft_is_sorted.
typedef struct weft_is_sorted_params {
  bool descending;  /* an ascending array read backwards: NaN first */
  bool strict;      /* without equal neighbours */
  const char *site; /* set by the macro */
} weft_is_sorted_params;

/// Options of weft_unique: more results. Each is an array's handle as any result; NULL: not wanted.
typedef struct weft_unique_params {
  weft_array **index;   /* where each value is first in x: i64, in row-major order */
  weft_array **inverse; /* which value each element of x is: i64 of x's shape; values[inverse] is x */
  weft_array **counts;  /* how often each value occurs: i64 */
  const char *site;     /* set by the macro */
} weft_unique_params;

/// Options of weft_isin.
typedef struct weft_isin_params {
  bool invert;      /* whether it is not in the set */
  const char *site; /* set by the macro */
} weft_isin_params;

/// Where each of `values` (any shape; a C scalar too) would go in `sorted` (one axis, ascending) so that it stays so:
/// i64, of the shape of `values`; with equal elements in front of them. numpy.searchsorted. Method: binary search,
/// several at once in a thread; its first steps in local memory.
WEFT_API WEFT_NODISCARD weft_status weft_searchsorted(weft_array **out, const weft_array *sorted,
                                                      const weft_array *values, const weft_searchsorted_params *params);

/// The elements of `a` and `b` (one axis each, ascending) in order, in one array; of equal ones those of `a` first.
/// Method: merge path.
WEFT_API WEFT_NODISCARD weft_status weft_merge(weft_array **out, const weft_array *a, const weft_array *b);

/// Whether x (one axis) is in order, ascending unless said: a bool without axes. An array of one element or none is.
WEFT_API WEFT_NODISCARD weft_status weft_is_sorted(weft_array **out, const weft_array *x,
                                                   const weft_is_sorted_params *params);

/* ---- different elements and sets ----
   Those that make an array of a size that only the data say wait for that size. */

/// The different elements of x (any shape), ascending, in an array of one axis; NULL for `values`: only the options are
/// wanted. numpy.unique. All NaN are one element, and so are 0 and -0. Waits for how many there are. Method: sort,
/// compare neighbours, compress.
WEFT_API WEFT_NODISCARD weft_status weft_unique(weft_array **values, const weft_array *x,
                                                const weft_unique_params *params);

/// Whether each element of x is among those of `set` (any shape): a bool of x's shape. numpy.isin: NaN is in no set.
/// Does not wait. Method: sort the set, search it.
WEFT_API WEFT_NODISCARD weft_status weft_isin(weft_array **out, const weft_array *x, const weft_array *set,
                                              const weft_isin_params *params);

/// The different elements that are in both a and b, in a but not in b, or in either, ascending. numpy.intersect1d,
/// numpy.setdiff1d, numpy.union1d. In none of them NaN equals NaN, but for weft_union1d. They wait.
WEFT_API WEFT_NODISCARD weft_status weft_intersect1d(weft_array **out, const weft_array *a, const weft_array *b);
WEFT_API WEFT_NODISCARD weft_status weft_setdiff1d(weft_array **out, const weft_array *a, const weft_array *b);
WEFT_API WEFT_NODISCARD weft_status weft_union1d(weft_array **out, const weft_array *a, const weft_array *b);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__searchsorted_at(weft_operand out, weft_operand sorted, weft_operand values,
                                                          const weft_searchsorted_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__merge_at(weft_operand out, weft_operand a, weft_operand b, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__is_sorted_at(weft_operand out, weft_operand x,
                                                       const weft_is_sorted_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__unique_at(weft_operand values, weft_operand x,
                                                    const weft_unique_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__isin_at(weft_operand out, weft_operand x, weft_operand set,
                                                  const weft_isin_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__intersect1d_at(weft_operand out, weft_operand a, weft_operand b,
                                                         const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__setdiff1d_at(weft_operand out, weft_operand a, weft_operand b,
                                                       const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__union1d_at(weft_operand out, weft_operand a, weft_operand b,
                                                     const char *site);

#define weft_searchsorted(out, sorted, ...)                                                                \
  weft__searchsorted_at(WEFT__RESULT(out), WEFT__OPERAND(sorted), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                        WEFT__OPTIONS(weft_searchsorted_params, __VA_ARGS__))
#define weft_merge(out, a, b) weft__merge_at(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b), WEFT_SITE)
#define weft_is_sorted(out, ...)                                                 \
  weft__is_sorted_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                     WEFT__OPTIONS(weft_is_sorted_params, __VA_ARGS__))
#define weft_unique(values, ...)                                                         \
  weft__unique_at(WEFT__RESULT_OR_NULL(values), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                  WEFT__OPTIONS(weft_unique_params, __VA_ARGS__))
#define weft_isin(out, x, ...)                                                                \
  weft__isin_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                WEFT__OPTIONS(weft_isin_params, __VA_ARGS__))
#define weft_intersect1d(out, a, b) \
  weft__intersect1d_at(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b), WEFT_SITE)
#define weft_setdiff1d(out, a, b) weft__setdiff1d_at(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b), WEFT_SITE)
#define weft_union1d(out, a, b) weft__union1d_at(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b), WEFT_SITE)

WEFT_END_DECLS

#endif
