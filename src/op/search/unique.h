// SPDX-License-Identifier: MIT
/// Between the files of unique elements.
#ifndef WEFT_OP_SEARCH_UNIQUE_H
#define WEFT_OP_SEARCH_UNIQUE_H

#include "op/search/search.h"

/// As weft__unique_flags. `count` (i64, one element) becomes the number of flags; NULL: it is not wanted.
weft_status weft__unique_flags_on_host(weft_array **flags, weft_array *count, const weft_array *ordered,
                                       bool distinct_nan, const char *site);
/// As weft__unique_run, without places.
weft_status weft__unique_on_host(const weft__unique *unique, const char *site);
extern const weft__host_function weft__host_unique, weft__host_unique_flags;

/// The task of weft__unique_flags_ways.
typedef struct weft__flagging {
  weft_array **flags;
  const weft_array *ordered;
  const char *site;
} weft__flagging;

/* The rows of the tables of ways (ways.c). Those to find unique elements have unique.c's calls. */
WEFT__WAY_FUNCTION(unique, host);
WEFT__WAY_FUNCTIONS(unique, short);
WEFT__WAY_FUNCTION(unique, kernels);
WEFT__WAY_FUNCTION(unique_flags, host);
WEFT__WAY_FUNCTION(unique_flags, kernels);

extern const weft__ways weft__unique_ways, weft__unique_flags_ways;

#endif
