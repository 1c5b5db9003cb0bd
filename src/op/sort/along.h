// SPDX-License-Identifier: MIT
/// An operand and results along one axis as contiguous rows: what weft_sort, weft_argsort and weft_topk share.
#ifndef WEFT_OP_SORT_ALONG_H
#define WEFT_OP_SORT_ALONG_H

#include <weft/sort.h>

#include "array/axes.h"
#include "call/call.h"
#include "op/sort/rows.h"

typedef struct weft__sort_along {
  weft__call *call;
  weft_shape shape; /* of a result that is as long as the operand */
  int axis;         /* of `shape` */
  uint64_t rows, length;
  weft_array *from; /* the rows; belongs to the call, or is `moved` */
  weft_array *moved;
  bool is_moved; /* the axis was not the last one */
} weft__sort_along;

/// The operand, which must be gathered (weft__call_operands), as rows. Errors: AXIS.
weft_status weft__sort_along_open(weft__sort_along *along, weft__call *call, int axis);
/// Rows to be filled, `length` long, that become result k, of the operand's dtype or i64 (`numbers`): the result itself
/// where it can be, else *temporary is what they are in, the caller's to release. Only those of the operand's dtype may
/// be the operand's own elements.
weft_status weft__sort_along_result(weft_array **rows, weft_array **temporary, weft__sort_along *along, int k,
                                    bool numbers, int64_t length);
/// Brings `temporary` to the result; NULL: the rows are the result.
weft_status weft__sort_along_deliver(const weft_array *temporary, const weft__sort_along *along, int k);
void weft__sort_along_close(weft__sort_along *along);

#endif
