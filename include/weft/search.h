// SPDX-License-Identifier: MIT
/// Ordered arrays: searching, merging, whether an array is in order; different elements, sets.
///
///     rc = weft_searchsorted(&places, sorted, values, WEFT_LEFT);
///     rc = weft_isin(&mask, x, WEFT_HOST(wanted, WEFT_I32, WEFT_SHAPE(3)), false);
///     rc = weft_merge(&both, a, b);
///
/// The order is NumPy's: NaN behind all numbers, -0 equal to 0. Dtypes are bool, the integers and the floats (WEFT_ERROR_DTYPE for complex
/// ones); operands of different dtypes are compared in the one that numpy.promote_types gives, to which they are copied first. A C scalar
/// takes the array's dtype if that fits the scalar's kind (as in weft/ufunc.h) and holds its value; else it counts as
/// an
/// i64 (NumPy always makes an i64 or f64 array of it here). Operands are arrays with any strides and host memory;
/// results are made where *out is NULL, or WEFT_HOST_OUT.
/// That an array is ordered is the caller's word: where it is not, results are unspecified (but nothing outside the results is written).
/// Blocking: does not wait, but for a result in host memory, and where a function says so.
/// Errors: WEFT_ERROR_DTYPE, WEFT_ERROR_SHAPE, WEFT_ERROR_ARGUMENT, and those of functions over whole arrays (ufunc.h). On failure results
/// are as they were. Thread: any; an array belongs to one thread at a time.
#ifndef WEFT_SEARCH_H
#define WEFT_SEARCH_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

typedef enum weft_side {
  WEFT_LEFT = 0, /* in front of equal elements */
  WEFT_RIGHT,    /* behind them */
} weft_side;

/// Where each of `values` (any shape; a C scalar too) would go in `sorted` (one axis, ascending) so that it stays so: i64, of the shape of
/// `values`. numpy.searchsorted. Method: binary search, several at once in a thread; its first steps in local memory.
#define weft_searchsorted(out, sorted, values, side) \
  weft__searchsorted_at(WEFT__RESULT_OR_NULL(out), WEFT_OPERAND(sorted), WEFT_OPERAND(values), (side), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__searchsorted_at(weft_operand out, weft_operand sorted, weft_operand values, weft_side side,
                                                          const char *site);

/// The elements of `a` and `b` (one axis each, ascending) in order, in one array; of equal ones those of `a` first. Method: merge path.
#define weft_merge(out, a, b) weft__merge_at(WEFT__RESULT_OR_NULL(out), WEFT_OPERAND(a), WEFT_OPERAND(b), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__merge_at(weft_operand out, weft_operand a, weft_operand b, const char *site);

/// What order weft_is_sorted asks for; values of an int, 0 is ascending.
enum {
  WEFT_SORTED_DESCENDING = 1, /* an ascending array read backwards: NaN first */
  WEFT_SORTED_STRICT = 2,     /* without equal neighbours */
};

/// Whether x (one axis) is in order: a bool without axes. An array of one element or none is.
#define weft_is_sorted(out, x, flags) weft__is_sorted_at(WEFT__RESULT_OR_NULL(out), WEFT_OPERAND(x), (flags), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__is_sorted_at(weft_operand out, weft_operand x, int flags, const char *site);

/* ---- different elements and sets ----
   Those that make an array of a size that only the data say wait for that size. */

/// The different elements of x (any shape), ascending, in an array of one axis. numpy.unique. All NaN are one element, and so are 0 and -0.
/// Waits for how many there are. Method: sort, compare neighbours, compress.
#define weft_unique(out, x) weft__unique_at(WEFT__RESULT_OR_NULL(out), WEFT_OPERAND(x), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__unique_at(weft_operand out, weft_operand x, const char *site);

/// The same, with where each was first in x (`index`, i64, in row-major order), which one each element of x is (`inverse`, i64, of x's
/// shape: values[inverse] is x), and how often each occurs (`counts`, i64). Each of the four may be NULL: not wanted.
#define weft_unique_all(values, index, inverse, counts, x)                                                      \
  weft__unique_all_at(WEFT__RESULT_OR_NULL(values), WEFT__RESULT_OR_NULL(index), WEFT__RESULT_OR_NULL(inverse), \
                      WEFT__RESULT_OR_NULL(counts), WEFT_OPERAND(x), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__unique_all_at(weft_operand values, weft_operand index, weft_operand inverse, weft_operand counts,
                                                        weft_operand x, const char *site);

/// Whether each element of x is among those of `set` (any shape): a bool of x's shape; with `invert` whether it is not. numpy.isin: NaN is
/// in no set. Does not wait. Method: sort the set, search it.
#define weft_isin(out, x, set, invert) weft__isin_at(WEFT__RESULT_OR_NULL(out), WEFT_OPERAND(x), WEFT_OPERAND(set), (invert), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__isin_at(weft_operand out, weft_operand x, weft_operand set, bool invert, const char *site);

/// The different elements that are in both a and b, in a but not in b, or in either, ascending. numpy.intersect1d, numpy.setdiff1d,
/// numpy.union1d. In none of them NaN equals NaN, but for weft_union1d. They wait.
#define weft_intersect1d(out, a, b) weft__intersect1d_at(WEFT__RESULT_OR_NULL(out), WEFT_OPERAND(a), WEFT_OPERAND(b), WEFT_SITE)
#define weft_setdiff1d(out, a, b) weft__setdiff1d_at(WEFT__RESULT_OR_NULL(out), WEFT_OPERAND(a), WEFT_OPERAND(b), WEFT_SITE)
#define weft_union1d(out, a, b) weft__union1d_at(WEFT__RESULT_OR_NULL(out), WEFT_OPERAND(a), WEFT_OPERAND(b), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__intersect1d_at(weft_operand out, weft_operand a, weft_operand b, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__setdiff1d_at(weft_operand out, weft_operand a, weft_operand b, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__union1d_at(weft_operand out, weft_operand a, weft_operand b, const char *site);

WEFT_END_DECLS

#endif
