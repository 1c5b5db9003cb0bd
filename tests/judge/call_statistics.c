// SPDX-License-Identifier: MIT
#include "primitive.h"

/// Parameters: the axes, whether there are weights. A second result is the sum of the weights.
static weft_status average(primitive *p) {
  const weft_average_params params = {.weights = I(1) ? VIEW(1) : NULL,
                                      .sum_of_weights = p->t.results > 1 ? &INTO(1) : NULL};
  return weft__average_at(R(0), X(0), AXES(0), &params);
}

/// Parameters: the operands that are y, fweights and aweights (0: none), columns, bias, ddof, dtype.
static weft_status cov(primitive *p) {
  const weft_cov_params params = {.y = I(0) ? VIEW(I(0)) : NULL,
                                  .fweights = I(1) ? VIEW(I(1)) : NULL,
                                  .aweights = I(2) ? VIEW(I(2)) : NULL,
                                  .columns = I(3),
                                  .bias = I(4),
                                  .ddof = F(5),
                                  .dtype = (weft_dtype)I(6)};
  return weft__cov_at(R(0), X(0), &params);
}

static weft_status corrcoef(primitive *p) {
  return weft_corrcoef(R(0), X(0), .y = I(0) ? VIEW(I(0)) : NULL, .columns = I(3), .dtype = (weft_dtype)I(6));
}

/// Parameters: the window, the axis, the reduction, ddof, min_count.
static weft_status rolling(primitive *p) {
  return weft_rolling(R(0), X(0), I(0), AXIS(1), .op = (weft_reduction_id)I(2), .ddof = F(3), .min_count = I(4));
}

/// Parameters: the windows' lengths, the axes.
static weft_status sliding_window(primitive *p) {
  weft_array *view = NULL;
  weft_status rc = weft_sliding_window(&view, VIEW(0), SHAPE(0), AXES(1));
  if (rc == WEFT_OK) rc = weft_eval(R(0), NULL, "x", WEFT_NAMED("x", view));
  weft_array_release(&view);
  return rc;
}

/// Parameters: the axis, dx, whether it begins with 0. A second operand is x.
static weft_status trapezoid(primitive *p, bool runs) {
  const weft_trapezoid_params params = {.x = p->t.operands > 1 ? VIEW(1) : NULL, .dx = F(1), .initial = I(2)};
  return runs ? weft__cumulative_trapezoid_at(R(0), X(0), WEFT__AXES(AXIS(0)), &params)
              : weft__trapezoid_at(R(0), X(0), WEFT__AXES(AXIS(0)), &params);
}

/// Parameters as of quantiles; the third operand is the weights.
static weft_status weighted_quantile(primitive *p) {
  const weft_quantile_params params = {.method = WEFT_QUANTILE_INVERTED_CDF, .weights = VIEW(2), .site = WEFT_SITE};
  return weft__quantile_at(R(0), X(0), X(1), AXES(0), AXIS(2), I(1), &params);
}

/* parameters of quantiles: the axes, whether NaNs are ignored, the greatest q, the method */
#define CALLS_STATISTICS(C)                                                                \
  C(average, average(p))                                                                   \
  C(rolling, rolling(p))                                                                   \
  C(sliding_window, sliding_window(p))                                                     \
  C(cov, cov(p))                                                                           \
  C(corrcoef, corrcoef(p))                                                                 \
  C(trapezoid, trapezoid(p, false))                                                        \
  C(cumulative_trapezoid, trapezoid(p, true))                                              \
  C(median, I(1) ? weft_nanmedian(R(0), X(0), AXES(0)) : weft_median(R(0), X(0), AXES(0))) \
  C(weighted_quantile, weighted_quantile(p))                                               \
  C(quantile, weft__quantile_at(R(0), X(0), X(1), AXES(0), AXIS(2), I(1),                  \
                                &(weft_quantile_params){.method = (weft_quantile_method)I(3), .site = WEFT_SITE}))

CALLS_STATISTICS(DEFINE_CALL)
const call_row calls_of_statistics[] = {CALLS_STATISTICS(CALL_ROW){NULL, NULL}};
