// SPDX-License-Identifier: MIT
#include "primitive.h"

/* parameters of quantiles: the axes, whether NaNs are ignored, the greatest q, the method */
#define CALLS_STATISTICS(C)                                                                \
  C(median, I(1) ? weft_nanmedian(R(0), X(0), AXES(0)) : weft_median(R(0), X(0), AXES(0))) \
  C(quantile, weft__quantile_at(R(0), X(0), X(1), AXES(0), AXIS(2), I(1),                  \
                                &(weft_quantile_params){.method = (weft_quantile_method)I(3), .site = WEFT_SITE}))

CALLS_STATISTICS(DEFINE_CALL)
const call_row calls_of_statistics[] = {CALLS_STATISTICS(CALL_ROW){NULL, NULL}};
