// SPDX-License-Identifier: MIT
/// Sorted arrays: binary search, merging, tests for order; distinct elements and sets.
///
///     rc = weft_searchsorted(&places, sorted, values);
///     rc = weft_isin(&mask, x, WEFT_HOST(wanted, WEFT_I32, WEFT_SHAPE(3)));
///     rc = weft_unique(&values, x, .counts = &counts);
///     rc = weft_merge(&both, a, b);
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_SEARCH_H
#define WEFT_SEARCH_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/* ---- all functions here ----
   The order is NumPy's: NaN after all numbers, -0 equal to 0; complex numbers by the real part, then by the imaginary
   part, last those with a NaN part. Operands of different dtypes are copied to, and compared in, the dtype of
   numpy.promote_types; but u64 and signed integers are compared exactly, not as f64, by weft_searchsorted,
   weft_digitize, weft_isin, weft_intersect1d, weft_setdiff1d and weft_setxor1d. A C scalar takes the array's dtype
   where its kind fits (as in weft/ufunc.h), unless its value does not fit: then it counts as i64, beyond i64's range as
   u64. (NumPy always makes it an i64 or f64 array here.)

   Sorted operands are not checked: for unsorted ones results are unspecified, but nothing outside the results is
   written. */

/// Where weft_searchsorted puts an element among equal ones.
typedef enum weft_side {
  WEFT_LEFT = 0, /* before equal elements */
  WEFT_RIGHT,    /* after equal elements */
} weft_side;

/// Options of weft_searchsorted.
typedef struct weft_searchsorted_params {
  weft_side side;   /* WEFT_RIGHT: the index after equal elements */
  const char *site; /* set by the macro */
} weft_searchsorted_params;

/// Options of weft_is_sorted.
typedef struct weft_is_sorted_params {
  bool descending;  /* the reverse of ascending order: NaN first */
  bool strict;      /* and without equal neighbours */
  const char *site; /* set by the macro */
} weft_is_sorted_params;

/// Options of weft_unique: further results, each the address of an array's handle (NULL: not wanted), and how it works.
typedef struct weft_unique_params {
  weft_array **index;   /* each value's first position in x, in row-major order: i64 */
  weft_array **inverse; /* i64, x's shape: values[inverse] == x; of slices: each slice's number among the values */
  weft_array **counts;  /* the number of occurrences of each value: i64 */
  weft_axes axis;    /* WEFT_AXES(0): the distinct slices along this axis, in the order of their elements; any dtype */
  bool distinct_nan; /* a NaN equals no other: NumPy's equal_nan=False */
  const char *site;  /* set by the macro */
} weft_unique_params;

/// Options of weft_isin.
typedef struct weft_isin_params {
  bool invert;      /* true for elements that are not in the set */
  const char *site; /* set by the macro */
} weft_isin_params;

/// The index at which each of `values` (any shape; a C scalar too) can be inserted into `sorted` (one axis, ascending)
/// so that it stays sorted: i64, values' shape. Equal elements come after the index, with WEFT_RIGHT before it.
/// numpy.searchsorted, by binary search.
WEFT_API WEFT_NODISCARD weft_status weft_searchsorted(weft_array **out, const weft_array *sorted,
                                                      const weft_array *values, const weft_searchsorted_params *params);

/// Options of weft_digitize.
typedef struct weft_digitize_params {
  bool right;       /* an element equal to an edge belongs to the bin that ends there */
  bool descending;  /* the edges descend */
  const char *site; /* set by the macro */
} weft_digitize_params;
/// numpy.digitize: the number of the bin of each element of x: i64, x's shape. `bins` are edges along one axis,
/// ascending unless .descending: bin k reaches from edge k - 1 up to, but without, edge k; 0 is in front of all edges.
/// WEFT_ERROR_DTYPE: complex numbers.
WEFT_API WEFT_NODISCARD weft_status weft_digitize(weft_array **out, const weft_array *x, const weft_array *bins,
                                                  const weft_digitize_params *params);

/// The elements of `a` and `b` (one axis each, ascending) as one sorted array. Elements of `a` come before equal ones
/// of `b`. Of arrays out of order, some elements can be missing and others repeated. Method: merge path.
WEFT_API WEFT_NODISCARD weft_status weft_merge(weft_array **out, const weft_array *a, const weft_array *b);

/// Whether x (one axis) is sorted, ascending by default: bool, without axes. An array of one element or none is sorted.
WEFT_API WEFT_NODISCARD weft_status weft_is_sorted(weft_array **out, const weft_array *x,
                                                   const weft_is_sorted_params *params);

/* ---- distinct elements and sets ----
   All except weft_isin wait for the number of elements of their result. */

/// The distinct elements of x (any shape), ascending, in one axis. `values` may be NULL if only the options' results
/// are wanted. numpy.unique. All numbers with NaN are one element, and so are 0 and -0. With .axis, x is sorted once
/// for each element of a slice. Waits.
WEFT_API WEFT_NODISCARD weft_status weft_unique(weft_array **values, const weft_array *x,
                                                const weft_unique_params *params);

/// Whether each element of x is in `set` (any shape): bool, x's shape. numpy.isin: NaN is in no set. Does not wait.
WEFT_API WEFT_NODISCARD weft_status weft_isin(weft_array **out, const weft_array *x, const weft_array *set,
                                              const weft_isin_params *params);

/// The distinct elements in both a and b, in a and not in b, in either, or in only one; ascending, in one axis.
/// numpy.intersect1d, numpy.setdiff1d, numpy.union1d, numpy.setxor1d. NaN equals NaN in weft_union1d only. They wait.
WEFT_API WEFT_NODISCARD weft_status weft_intersect1d(weft_array **out, const weft_array *a, const weft_array *b);
WEFT_API WEFT_NODISCARD weft_status weft_setdiff1d(weft_array **out, const weft_array *a, const weft_array *b);
WEFT_API WEFT_NODISCARD weft_status weft_union1d(weft_array **out, const weft_array *a, const weft_array *b);
WEFT_API WEFT_NODISCARD weft_status weft_setxor1d(weft_array **out, const weft_array *a, const weft_array *b);

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
WEFT_API WEFT_NODISCARD weft_status weft__setxor1d_at(weft_operand out, weft_operand a, weft_operand b,
                                                      const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__digitize_at(weft_operand out, weft_operand x, weft_operand bins,
                                                      const weft_digitize_params *params);

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
#define weft_setxor1d(out, a, b) weft__setxor1d_at(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__OPERAND(b), WEFT_SITE)
#define weft_digitize(out, x, ...)                                                                \
  weft__digitize_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                    WEFT__OPTIONS(weft_digitize_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
