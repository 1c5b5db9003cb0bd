// SPDX-License-Identifier: MIT
/// Ordered arrays: the ways. All arrays are contiguous, with aligned elements, and of one dtype, except positions (i64)
/// and truth values (bool).
#ifndef WEFT_OP_SEARCH_SEARCH_H
#define WEFT_OP_SEARCH_SEARCH_H

#include <weft/search.h>

#include "array/array.h"
#include "call/call.h"
#include "cl/search/args.h"
#include "engine/host_step.h"
#include "engine/ways.h"

typedef enum weft__search_for {
  WEFT__SEARCH_LEFT = 0, /* positions */
  WEFT__SEARCH_RIGHT,
  WEFT__SEARCH_IN, /* truth values */
} weft__search_for;

weft_status weft__search_run(weft_array *out, const weft_array *ordered, const weft_array *values,
                             weft__search_for what, bool is_inverted, const char *site);
weft_status weft__merge_run(weft_array *out, const weft_array *a, const weft_array *b, const char *site);
/// out: bool, without axes.
weft_status weft__is_sorted_run(weft_array *out, const weft_array *x, bool descending, bool strict, const char *site);

/// Makes *flags (bool): whether each element of an ordered array differs from the element before it.
weft_status weft__unique_flags(weft_array **flags, const weft_array *ordered, const char *site);

typedef struct weft__unique {
  const weft_array *ordered, *flags, *places, *order; /* order: NULL if no result needs it */
  weft_array *values, *first, *inverse, *counts;      /* results; each except values may be NULL */
} weft__unique;
weft_status weft__unique_run(const weft__unique *unique, const char *site);

/// The task of the tables of ways to search, to merge and to test the order (ways.c).
typedef struct weft__ordered {
  weft_array *out;
  const weft_array *a, *b; /* values and the ordered array; two ordered arrays; an array and NULL */
  weft__search_for what;
  bool is_inverted;           /* truth values are inverted */
  bool is_falling, is_strict; /* the order to test for */
  const char *site;
} weft__ordered;
extern const weft__ways weft__search_ways, weft__merge_ways, weft__is_sorted_ways;
extern const weft__host_function weft__host_search, weft__host_merge, weft__host_is_sorted;
WEFT__WAY_FUNCTION(search, host);
WEFT__WAY_FUNCTIONS(search, tree);
WEFT__WAY_FUNCTION(search, halves);
WEFT__WAY_FUNCTION(merge, host);
WEFT__WAY_FUNCTION(merge, kernels);
WEFT__WAY_FUNCTION(is_sorted, host);
WEFT__WAY_FUNCTION(is_sorted, kernels);

/// Takes the call's two operands, contiguous and of one dtype.
weft_status weft__search_take_both(weft__call *c);
/// As weft__search_take_both, but u64 and signed integers, which no dtype holds both, stay u64 and i64: then *mixed.
weft_status weft__search_take_exact(bool *mixed, weft__call *c);
/// As weft__search_take_exact, to search in operand `ordered` for the elements of the other one, which gets its dtype.
/// *outside (bool, else NULL) marks elements that this dtype does not hold: weft__search_settle sets their results.
weft_status weft__search_take(weft_array **outside, weft__call *c, int ordered);
/// u64 elements as i64 or i64 elements as u64, and which of them `dtype` does not hold: they become its nearest value.
weft_status weft__search_hold(weft_array **held, weft_array **outside, const weft_array *values, weft_dtype dtype,
                              const char *site);
/// Sets the results, positions or truth values, of elements outside to `value`. Releases *outside.
weft_status weft__search_settle(weft_array *out, weft_array **outside, int64_t value, const char *site);

#endif
