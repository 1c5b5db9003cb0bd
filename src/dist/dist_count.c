// SPDX-License-Identifier: MIT
/// Counts of all ranks added up, and the largest elements of all ranks.
#include <stdlib.h>

#include "dist/dist_array.h"

/// The ranks' counts, i64, added up: on every rank.
static weft_status add_counts(weft_dist_array **out, weft_dist *grid, const weft__dist_call *call,
                              const weft_array *counts, weft_status rc) {
  weft_array *row = NULL, *all = NULL, *sum = NULL;
  if (!rc) rc = weft__expand_at(&row, counts, weft__axes_int(0), call->site);
  WEFT__TRY(weft__dist_collect(&all, grid, call, row, rc));
  rc = weft_sum(&sum, all, 0);
  rc = weft__dist_finish(out, grid, call, weft_array_shape(sum), WEFT_DIST_WHOLE, &sum, rc);
done:
  weft_release(&row, &all, &sum);
  return rc;
}

/// Of an array that every rank has, rank 0's part is all of it.
static weft_array *counted(const weft_dist_array *x, weft_array **nothing) {
  if (x->axis != WEFT_DIST_WHOLE || x->grid->rank == 0) return x->local;
  const weft_status rc = weft_empty(nothing, x->grid->context, weft_array_dtype(x->local), WEFT_SHAPE(0));
  return rc ? NULL : *nothing;
}

weft_status weft__dist_histogram_at(weft_dist_array **out, const weft_dist_array *x, int64_t bins, double low,
                                    double high, const char *site) {
  weft_array *counts = NULL, *nothing = NULL;
  weft_status rc;
  weft__dist_enter("weft_dist_histogram", site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check(x, "x"));
  weft__dist_call call = weft__dist_call_of("weft_dist_histogram", site, x);
  call.numbers[1] = bins;
  const weft_array *own = counted(x, &nothing);
  rc = WEFT_ERROR_HOST_MEMORY;
  if (own)
    rc = weft__histogram_at(weft__operand_result(&counts), weft__operand_const_array(own),
                            weft__operand_self_scalar(WEFT_SCALAR(bins)),
                            &(weft_histogram_params){.range = WEFT_RANGE(low, high), .site = site});
  rc = add_counts(out, x->grid, &call, counts, rc);
done:
  weft_release(&counts, &nothing);
  return weft__dist_leave(rc);
}

weft_status weft__dist_bincount_at(weft_dist_array **out, const weft_dist_array *x, int64_t minlength,
                                   const char *site) {
  weft_dist_array *greatest = NULL;
  weft_array *counts = NULL, *nothing = NULL, *wide = NULL;
  int64_t most = -1;
  weft_status rc;
  weft__dist_enter("weft_dist_bincount", site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check(x, "x"));
  weft__dist_call call = weft__dist_call_of("weft_dist_bincount", site, x);
  call.numbers[1] = minlength;
  int64_t size = 1;
  for (int d = 0; d < x->shape.ndim; d++) size *= x->shape.dim[d];
  rc = WEFT_OK;
  if (size > 0) {
    WEFT__TRY(weft__dist_reduce_at(WEFT_REDUCE_MAX, &greatest, x, WEFT_ALL_AXES, site));
    rc = weft__cast_at(&wide, greatest->local, WEFT_I64, site);
    if (!rc) rc = weft_to_host(&most, sizeof most, wide);
  }
  const weft_array *own = counted(x, &nothing);
  if (!own) rc = WEFT_ERROR_HOST_MEMORY;
  if (!rc)
    rc = weft__bincount_at(
        weft__operand_result(&counts), weft__operand_const_array(own),
        &(weft_bincount_params){.minlength = most + 1 > minlength ? most + 1 : minlength, .site = site});
  rc = add_counts(out, x->grid, &call, counts, rc);
done:
  weft_dist_array_release(&greatest);
  weft_release(&counts, &nothing, &wide);
  return weft__dist_leave(rc);
}

/* ---- the largest and the least elements ---- */

/// The best k of this rank's elements, or all if it has fewer, with their indices in the whole array.
static weft_status topk_local(weft_array **values, weft_array **indices, const weft_dist_array *x, int64_t k,
                              const weft_topk_params *options) {
  const int64_t own = weft_array_size(x->local);
  weft_array *places = NULL;
  weft_status rc;
  WEFT__TRY(weft__topk_at(weft__operand_result(values), weft__operand_result(&places), weft__operand_array(x->local),
                          k < own ? k : own, weft__axes_int(0), options));
  rc = weft_add(indices, places, x->first);
done:
  weft_array_release(&places);
  return rc;
}

weft_status weft__dist_topk_at(weft_dist_array **values_out, weft_dist_array **indices_out, const weft_dist_array *x,
                               int64_t k, const weft_topk_params *params) {
  const weft_topk_params options = params ? *params : (weft_topk_params){0};
  weft_array *values = NULL, *indices = NULL, *all = NULL, *all_indices = NULL, *best = NULL, *places = NULL;
  weft_array *chosen = NULL;
  weft_status rc;
  weft__dist_enter("weft_dist_topk", options.site);
  WEFT__TRY(weft__dist_check_out(values_out, values_out ? *values_out : NULL));
  WEFT__TRY(weft__dist_check_out(indices_out, indices_out ? *indices_out : NULL));
  WEFT__TRY(weft__dist_check(x, "x"));
  if (x->shape.ndim != 1 || x->axis != 0)
    WEFT__TRY(weft__dist_fail(WEFT_ERROR_LAYOUT, "x", "`x` has %d axes and is split along %d; expected one axis, split",
                              x->shape.ndim, x->axis));
  if (k < 0 || k > x->shape.dim[0])
    WEFT__TRY(weft__dist_fail(WEFT_ERROR_ARGUMENT, "k", "`k` is %lld; expected 0 to %lld, the elements of `x`",
                              (long long)k, (long long)x->shape.dim[0]));
  weft__dist_call call = weft__dist_call_of("weft_dist_topk", options.site, x);
  call.numbers[1] = k;
  call.numbers[2] = options.smallest;
  rc = topk_local(&values, &indices, x, k, &options);
  WEFT__TRY(weft__dist_collect(&all, x->grid, &call, values, rc));
  WEFT__TRY(weft__dist_collect(&all_indices, x->grid, &call, indices, rc));
  rc = weft__topk_at(weft__operand_result(&best), weft__operand_result(&places), weft__operand_array(all), k,
                     weft__axes_int(0), &options);
  if (!rc) rc = weft_take(&chosen, all_indices, places, 0);
  WEFT__TRY(weft__dist_rendezvous(x->grid, &call, rc));
  WEFT__TRY(weft__dist_wrap(values_out, x->grid, WEFT_SHAPE(k), WEFT_DIST_WHOLE, best));
  best = NULL;
  rc = weft__dist_wrap(indices_out, x->grid, WEFT_SHAPE(k), WEFT_DIST_WHOLE, chosen);
  chosen = NULL;
  if (rc) weft_dist_array_release(values_out);
done:
  weft_release(&values, &indices, &all, &all_indices, &best, &places, &chosen);
  return weft__dist_leave(rc);
}
