// SPDX-License-Identifier: MIT
/// Ordered arrays: the launches. All arrays are contiguous and of one real dtype, but for places (i64) and answers
/// (bool).
#ifndef WEFT_OP_SEARCH_SEARCH_H
#define WEFT_OP_SEARCH_SEARCH_H

#include <weft/search.h>

#include "array/array.h"
#include "call/call.h"
#include "cl/search/args.h"

typedef enum weft__search_for {
  WEFT__SEARCH_LEFT = 0, /* places */
  WEFT__SEARCH_RIGHT,
  WEFT__SEARCH_IN, /* bools */
} weft__search_for;

weft_status weft__search_run(weft_array *out, const weft_array *ordered, const weft_array *values,
                             weft__search_for what, bool is_inverted, const char *site);
weft_status weft__merge_run(weft_array *out, const weft_array *a, const weft_array *b, const char *site);
/// out: a bool without axes.
weft_status weft__is_sorted_run(weft_array *out, const weft_array *x, bool descending, bool strict, const char *site);

/// *flags (bool, new): which elements of an ordered array differ from the one before.
weft_status weft__unique_flags(weft_array **flags, const weft_array *ordered, const char *site);

typedef struct weft__unique {
  const weft_array *ordered, *flags, *places, *order; /* order: NULL where no result needs it */
  weft_array *values, *first, *inverse, *counts;      /* results; all but values may be NULL */
} weft__unique;
weft_status weft__unique_run(const weft__unique *unique, const char *site);

/// Elements that have an order.
weft_status weft__search_check_dtype(weft_dtype dtype, const char *name);
/// Makes the call's two operands contiguous and of one dtype, and checks them.
weft_status weft__search_take_both(weft__call *c);

#endif
