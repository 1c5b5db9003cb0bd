// SPDX-License-Identifier: MIT
/// Reductions over the elements that an index array selects: a take, then the reduction.
#include <weft/reduce.h>

#include "op/index/gather.h"

static weft_status subset(const char *function, weft_reduction_id id, weft_operand out, weft_operand x,
                          weft_operand indices, const char *site) {
  weft_array *part = NULL;
  weft__enter(function, site);
  weft_status rc;
  WEFT__TRY(weft__take_at(WEFT_OPERAND(&part), x, indices, WEFT_ALL_AXES, &(weft_index_params){.site = site}));
  WEFT__TRY(weft__reduce_apply_at(id, out, WEFT_OPERAND(part), WEFT_ALL_AXES, 0, site));
done:
  weft_array_release(&part);
  return weft__leave(rc);
}

weft_status weft__subset_sum_at(weft_operand out, weft_operand x, weft_operand indices, const char *site) {
  return subset("weft_subset_sum", WEFT_REDUCE_SUM, out, x, indices, site);
}

weft_status weft__subset_min_at(weft_operand out, weft_operand x, weft_operand indices, const char *site) {
  return subset("weft_subset_min", WEFT_REDUCE_MIN, out, x, indices, site);
}

weft_status weft__subset_max_at(weft_operand out, weft_operand x, weft_operand indices, const char *site) {
  return subset("weft_subset_max", WEFT_REDUCE_MAX, out, x, indices, site);
}

weft_status weft__subset_dot_at(weft_operand out, weft_operand a, weft_operand b, weft_operand indices,
                                const char *site) {
  weft_array *x = NULL, *y = NULL;
  weft__enter("weft_subset_dot", site);
  weft_status rc;
  WEFT__TRY(weft__take_at(WEFT_OPERAND(&x), a, indices, WEFT_ALL_AXES, &(weft_index_params){.site = site}));
  WEFT__TRY(weft__take_at(WEFT_OPERAND(&y), b, indices, WEFT_ALL_AXES, &(weft_index_params){.site = site}));
  /* an inner product needs arrays with one axis */
  const weft_array x_flat = weft__array_flat(x), y_flat = weft__array_flat(y);
  WEFT__TRY(weft__dot_at(out, WEFT_OPERAND(&x_flat), WEFT_OPERAND(&y_flat), false, site));
done:
  weft_array_release(&x);
  weft_array_release(&y);
  return weft__leave(rc);
}
