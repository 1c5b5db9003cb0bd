// SPDX-License-Identifier: MIT
/// Reductions that are made of sums and extrema.
#include <math.h>
#include <stdio.h>

#include "dist/dist_array.h"
#include "expr/reduction_table.h"

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
  weft__dist_enter(weft__dist_reduction_function(id), site);
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

weft_status weft__dist_check_real(const weft_dist_array *x) {
  const weft_dtype dtype = weft_array_dtype(x->local);
  if (weft_dtype_kind(dtype) != 'c') return WEFT_OK;
  return weft__dist_fail(WEFT_ERROR_DTYPE, "x", "`x` is of %s; expected real numbers", weft_dtype_name(dtype));
}

static weft_status check_variance(const weft_dist_array *x, const weft_var_params *options) {
  WEFT__TRY_RETURN(weft__dist_check_real(x));
  if (fabs(options->ddof) < 9e15) return WEFT_OK;
  return weft__dist_fail(WEFT_ERROR_ARGUMENT, "ddof", "`.ddof` is %g; expected a number of elements", options->ddof);
}

weft_status weft__dist_var_at(weft_reduction_id id, weft_dist_array **out, const weft_dist_array *x, weft_axes axes,
                              const weft_var_params *params) {
  const weft_var_params options = params ? *params : (weft_var_params){0};
  const char *site = options.site;
  weft_dist_array *squares = NULL, *sum = NULL;
  char text[60];
  weft_status rc;
  weft__dist_enter(weft__dist_reduction_function(id), site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check(x, "x"));
  WEFT__TRY(check_variance(x, &options));
  const weft_dtype dtype = weft_array_dtype(x->local);
  const char kind = weft_dtype_kind(dtype);
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

/* ---- without NaN ---- */

/// A reduction of `text` over x and `second`.
static weft_status reduce_text(weft_dist_array **out, weft_reduction_id id, const char *text, const weft_dist_array *x,
                               weft_operand second, weft_axes axes, const char *site) {
  weft_dist_array *values = NULL;
  weft_status rc;
  WEFT__TRY(evaluate(&values, text, x, second, site));
  rc = weft__dist_reduce_at(id, out, values, axes, site);
done:
  weft_dist_array_release(&values);
  return rc;
}

static weft_status count_numbers(weft_dist_array **count, const weft_dist_array *x, weft_axes axes, const char *site) {
  return reduce_text(count, WEFT_REDUCE_SUM, "x == x", x, (weft_operand){.name = NULL}, axes, site);
}

/// The mean of the numbers, in f64.
static weft_status mean_numbers(weft_dist_array **mean, const weft_dist_array *x, weft_axes axes, const char *site) {
  const weft_operand none = {.name = NULL};
  weft_dist_array *sum = NULL, *count = NULL;
  weft_status rc;
  WEFT__TRY(reduce_text(&sum, WEFT_REDUCE_SUM, "where(x != x, 0, f64(x))", x, none, axes, site));
  WEFT__TRY(count_numbers(&count, x, axes, site));
  rc = evaluate(mean, "x / n", sum, WEFT_DIST_NAMED("n", count), site);
done:
  weft_dist_array_release(&sum);
  weft_dist_array_release(&count);
  return rc;
}

/// The reduction of a nan form with numbers that change nothing in the place of NaNs.
static weft_status fill_and_reduce(weft_dist_array **out, weft_reduction_id id, const weft_dist_array *x,
                                   weft_axes axes, const char *site) {
  const weft_operand filling = WEFT_DIST_NAMED("f", weft__reduction_neutral(id));
  return reduce_text(out, weft__reduction_row(id)->plain, "where(x != x, f, x)", x, filling, axes, site);
}

/// Of an extremum of no numbers, which is infinite, NaN.
static weft_status extremum_of_numbers(weft_dist_array **out, weft_reduction_id id, const weft_dist_array *x,
                                       weft_axes axes, const char *site) {
  weft_dist_array *extremum = NULL, *count = NULL;
  weft_status rc;
  WEFT__TRY(fill_and_reduce(&extremum, id, x, axes, site));
  WEFT__TRY(count_numbers(&count, x, axes, site));
  rc = evaluate(out, "where(n == 0, x - x, x)", extremum, WEFT_DIST_NAMED("n", count), site);
done:
  weft_dist_array_release(&extremum);
  weft_dist_array_release(&count);
  return rc;
}

weft_status weft__dist_nan_at(weft_reduction_id id, weft_dist_array **out, const weft_dist_array *x, weft_axes axes,
                              const char *site) {
  const weft_operand none = {.name = NULL};
  weft_dist_array *mean = NULL;
  char text[20];
  weft_status rc;
  weft__dist_enter(weft__dist_reduction_function(id), site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check(x, "x"));
  WEFT__TRY(weft__dist_check_real(x));
  const weft_dtype dtype = weft_array_dtype(x->local);
  if (weft_dtype_kind(dtype) != 'f') {
    rc = weft__dist_reduce_at(weft__reduction_row(id)->plain, out, x, axes, site);
  } else if (id == WEFT_REDUCE_NANMEAN) {
    snprintf(text, sizeof text, "%s(x)", weft_dtype_name(dtype));
    WEFT__TRY(mean_numbers(&mean, x, axes, site));
    rc = evaluate(out, text, mean, none, site);
  } else if (id == WEFT_REDUCE_NANMAX || id == WEFT_REDUCE_NANMIN) {
    rc = extremum_of_numbers(out, id, x, axes, site);
  } else {
    rc = fill_and_reduce(out, id, x, axes, site);
  }
done:
  weft_dist_array_release(&mean);
  return weft__dist_leave(rc);
}

weft_status weft__dist_nanvar_at(weft_reduction_id id, weft_dist_array **out, const weft_dist_array *x, weft_axes axes,
                                 const weft_var_params *params) {
  const weft_var_params options = params ? *params : (weft_var_params){0};
  const char *site = options.site;
  weft_dist_array *mean = NULL, *sum = NULL, *count = NULL;
  weft_axes kept = axes;
  char text[120];
  weft_status rc;
  weft__dist_enter(weft__dist_reduction_function(id), site);
  WEFT__TRY(weft__dist_check_out(out, out ? *out : NULL));
  WEFT__TRY(weft__dist_check(x, "x"));
  WEFT__TRY(check_variance(x, &options));
  const weft_dtype dtype = weft_array_dtype(x->local);
  const double ddof = trunc(options.ddof);
  kept.keepdims = true;
  WEFT__TRY(mean_numbers(&mean, x, kept, site));
  WEFT__TRY(reduce_text(&sum, WEFT_REDUCE_SUM, "where(x != x, 0, (f64(x) - m) * (f64(x) - m))", x,
                        WEFT_DIST_NAMED("m", mean), axes, site));
  WEFT__TRY(count_numbers(&count, x, axes, site));
  snprintf(text, sizeof text, "%s(%s(where(n > %.0f, x / (n - %.0f), (x - x) / 0)))",
           weft_dtype_name(weft_dtype_kind(dtype) == 'f' ? dtype : WEFT_F64), id == WEFT_REDUCE_NANVAR ? "" : "sqrt",
           ddof, ddof);
  rc = evaluate(out, text, sum, WEFT_DIST_NAMED("n", count), site);
done:
  weft_dist_array_release(&mean);
  weft_dist_array_release(&sum);
  weft_dist_array_release(&count);
  return weft__dist_leave(rc);
}
