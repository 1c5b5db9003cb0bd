// SPDX-License-Identifier: MIT
#include "primitive.h"

/// Parameters of ranges: dtype, start, stop, count, whether the stop is excluded, the base.
#define RANGE(function, ...) \
  function(&INTO(0), judge.context, (weft_dtype)I(0), F(1), F(2), I(3), .exclude_stop = I(4) __VA_ARGS__)
/// Parameters of Sobol points: dtype, points, dimensions, the first one.
/// Parameters of windows: their number, dtype, length, beta.
#define CALLS_CREATE(C)                                                                                   \
  C(linspace, RANGE(weft_linspace, ))                                                                     \
  C(logspace, RANGE(weft_logspace, , .base = F(5)))                                                       \
  C(geomspace, RANGE(weft_geomspace, ))                                                                   \
  C(sobol, weft_sobol(R(0), NULL, (weft_dtype)I(0), I(1), I(2), .first = I(3), .context = judge.context)) \
  C(window, weft__window_at((weft__window_kind)I(0), R(0), judge.context, (weft_dtype)I(1), I(2), F(3), WEFT_SITE))

CALLS_CREATE(DEFINE_CALL)
const call_row calls_of_create[] = {CALLS_CREATE(CALL_ROW){NULL, NULL}};
