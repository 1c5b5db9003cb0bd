// SPDX-License-Identifier: MIT
/// An operand and results along one axis as contiguous rows, for weft_sort, weft_argsort and weft_topk.
#ifndef WEFT_OP_SORT_AXIS_ROWS_H
#define WEFT_OP_SORT_AXIS_ROWS_H

#include <weft/sort.h>

#include "array/axes.h"
#include "call/call.h"
#include "op/sort/rows.h"

typedef struct weft__axis_rows {
  weft__call *call;
  weft_shape shape; /* of a result as long as the operand */
  int axis;         /* of `shape` */
  uint64_t rows, length;
  weft_array *from; /* the rows; belongs to the call, or is `moved` */
  weft_array *moved;
  bool is_moved; /* the axis was not the last one */
} weft__axis_rows;

/// Makes rows of the operand, which must be gathered (weft__call_operands). Errors: AXIS.
weft_status weft__axis_rows_open(weft__axis_rows *along, weft__call *call, int axis);
/// Sets *rows to rows of `length` elements for result k, of the operand's dtype or i64 (`numbers`). *rows is the result
/// itself if possible, else *temporary, which the caller releases. Only rows of the operand's dtype may share the
/// operand's elements.
weft_status weft__axis_rows_result(weft_array **rows, weft_array **temporary, weft__axis_rows *along, int k,
                                   bool numbers, int64_t length);
/// Copies `temporary` to result k. NULL: the rows are the result itself.
weft_status weft__axis_rows_deliver(const weft_array *temporary, const weft__axis_rows *along, int k);
void weft__axis_rows_close(weft__axis_rows *along);

#endif
