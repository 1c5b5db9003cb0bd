// SPDX-License-Identifier: MIT
/// Reductions that are made of sums and extrema.
#include <math.h>

#include "dist/dist_array.h"

/// weft_dist_eval of `text` over `x` and a second operand; one without a name is left out.
static weft_status evaluate(weft_dist_array **out, const char *text, const weft_dist_array *x, weft_operand second,
                            const char *site) {
  const weft_operand list[] = {weft__operand_named("x", weft__operand_dist(x)), second};
  return weft__dist_eval_at(out, x->grid, text, second.name ? 2 : 1, list, site);
}

/// The number of elements in each result.
static int64_t elements_of(const weft_dist_array *x, weft_axes axes) {
  int64_t elements = 1;
  for (int d = 0; d < x->shape.ndim && axes.count == WEFT__EVERY_AXIS; d++) elements *= x->shape.dim[d];
  for (int k = 0; k < axes.count && axes.count != WEFT__EVERY_AXIS; k++)
    elements *= x->shape.dim[axes.axis[k] < 0 ? axes.axis[k] + x->shape.ndim : axes.axis[k]];
  return elements;
}

weft_status weft__dist_nonzero_at(weft_reduction_id id, weft_dist_array **out, const weft_dist_array *x, weft_axes axes,
                                  const char *site) {
  const weft_operand none = {.name = NULL};
  weft_dist_array *ones = NULL, *count = NULL;
  weft_status rc;
  weft__dist_enter(id == WEFT_REDUCE_ANY   ? "weft_dist_any"
                   : id == WEFT_REDUCE_ALL ? "weft_dist_all"
                                           : "weft_dist_count_nonzero",
                   site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check(x, "x"));
  WEFT__TRY(evaluate(&ones, "x != 0", x, none, site));
  WEFT__TRY(weft__dist_reduce_at(WEFT_REDUCE_SUM, &count, ones, axes, site));
  if (id == WEFT_REDUCE_COUNT_NONZERO) {
    *out = count;
    count = NULL;
  } else {
    const int64_t least = id == WEFT_REDUCE_ANY ? 1 : elements_of(x, axes);
    rc = evaluate(out, "x >= n", count, WEFT_DIST_NAMED("n", least), site);
  }
done:
  weft_dist_array_release(&ones);
  weft_dist_array_release(&count);
  return weft__dist_leave(rc);
}

/// The squares of the distances from the mean, in f64.
static weft_status square_distances(weft_dist_array **out, const weft_dist_array *x, weft_axes axes, const char *site) {
  const weft_operand none = {.name = NULL};
  weft_dist_array *wide = NULL, *mean = NULL;
  weft_status rc;
  axes.keepdims = true;
  WEFT__TRY(evaluate(&wide, "f64(x)", x, none, site));
  WEFT__TRY(weft__dist_reduce_at(WEFT_REDUCE_MEAN, &mean, wide, axes, site));
  *out = wide; /* the squares take its place */
  wide = NULL;
  rc = evaluate(out, "(x - m) * (x - m)", *out, WEFT_DIST_NAMED("m", mean), site);
done:
  weft_dist_array_release(&wide);
  weft_dist_array_release(&mean);
  return rc;
}

weft_status weft__dist_var_at(weft_reduction_id id, weft_dist_array **out, const weft_dist_array *x, weft_axes axes,
                              const weft_var_params *params) {
  const weft_var_params options = params ? *params : (weft_var_params){0};
  const char *site = options.site;
  weft_dist_array *squares = NULL, *sum = NULL;
  char text[60];
  weft_status rc;
  weft__dist_enter(id == WEFT_REDUCE_VAR ? "weft_dist_var" : "weft_dist_std", site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check(x, "x"));
  const weft_dtype dtype = weft_array_dtype(x->local);
  const char kind = weft_dtype_kind(dtype);
  if (kind == 'c')
    WEFT__TRY(weft__dist_fail(WEFT_ERROR_DTYPE, "x", "`x` is of %s; expected real numbers", weft_dtype_name(dtype)));
  if (!(fabs(options.ddof) < 9e15))
    WEFT__TRY(
        weft__dist_fail(WEFT_ERROR_ARGUMENT, "ddof", "`.ddof` is %g; expected a number of elements", options.ddof));
  WEFT__TRY(square_distances(&squares, x, axes, site));
  WEFT__TRY(weft__dist_reduce_at(WEFT_REDUCE_SUM, &sum, squares, axes, site));
  const double divisor = (double)elements_of(x, axes) - trunc(options.ddof);
  snprintf(text, sizeof text, id == WEFT_REDUCE_VAR ? "%s(x / n)" : "%s(sqrt(x / n))",
           weft_dtype_name(kind == 'f' ? dtype : WEFT_F64));
  rc = evaluate(out, text, sum, WEFT_DIST_NAMED("n", divisor > 0 ? divisor : 0.0), site);
done:
  weft_dist_array_release(&squares);
  weft_dist_array_release(&sum);
  return weft__dist_leave(rc);
}

weft_status weft__dist_ptp_at(weft_dist_array **out, const weft_dist_array *x, weft_axes axes, const char *site) {
  weft_dist_array *greatest = NULL, *least = NULL;
  weft_status rc;
  weft__dist_enter("weft_dist_ptp", site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check(x, "x"));
  WEFT__TRY(weft__dist_reduce_at(WEFT_REDUCE_MAX, &greatest, x, axes, site));
  WEFT__TRY(weft__dist_reduce_at(WEFT_REDUCE_MIN, &least, x, axes, site));
  rc = evaluate(out, "x - m", greatest, WEFT_DIST_NAMED("m", least), site);
done:
  weft_dist_array_release(&greatest);
  weft_dist_array_release(&least);
  return weft__dist_leave(rc);
}
