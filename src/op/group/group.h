// SPDX-License-Identifier: MIT
/// Rows in groups of equal keys, and reductions of segments.
#ifndef WEFT_OP_GROUP_GROUP_H
#define WEFT_OP_GROUP_GROUP_H

#include <weft/group.h>

#include "array/array.h"

/// Rows in groups. Begin with a structure whose first members are set.
typedef struct weft__grouping {
  weft_context *context;
  const char *site;
  int64_t rows;
  bool sorted;       /* equal keys are neighbours already */
  bool distinct_nan; /* a NaN equals no other */
  /* made by weft__grouping_make, released by weft__grouping_free: */
  weft_array *order;   /* the rows' numbers, group after group; NULL: as they are */
  weft_array *flags;   /* bool, for each place in this order: whether a group begins */
  weft_array *starts;  /* i64: where the groups begin */
  weft_array *offsets; /* `starts` and, behind the last group, the number of rows */
} weft__grouping;

/// Groups by keys of one axis and of `rows` elements each; keys[0] comes first in the order. Waits for the number of
/// groups.
weft_status weft__grouping_make(weft__grouping *g, const weft_array *const *keys, int64_t count);
void weft__grouping_free(weft__grouping *g);
/// Writes results into arrays of one element for each group (index, counts) or row (inverse). NULL: not wanted.
weft_status weft__grouping_results(const weft__grouping *g, weft_array *index, weft_array *inverse, weft_array *counts);

/// Makes *flags (bool): whether each element differs from the one before it; the first one does. x has one axis.
weft_status weft__group_flags(weft_array **flags, const weft_array *x, bool distinct_nan, const char *site);

/// A reduction of segments along the first axis of x. `order`: NULL, or the rows' numbers in the order of the segments.
typedef struct weft__segments {
  weft_context *context;
  const char *site;
  weft_reduction_id op;
  double ddof;
  const weft_array *x, *offsets, *order;
} weft__segments;
weft_status weft__segments_run(weft_operand out, const weft__segments *segments);
/// Fails for reductions that segments do not have, and for dtypes that a reduction does not have.
weft_status weft__segments_check(weft_reduction_id op, double ddof, weft_dtype dtype);

#endif
