// SPDX-License-Identifier: MIT
/// The ways to find quantiles of rows.
#include "op/statistics/quantile.h"

static const weft__way ways[] = {
    WEFT__WAY(quantile, host, CPUS, HOST, "few quantiles of long rows: their elements are found"),
    WEFT__WAY_FOR_ALL(quantile, sorted, CPUS, HOST, "all: rows are sorted"),
    WEFT__WAY(quantile, each, GPUS, KERNELS, "few long rows: launches for each row"),
    WEFT__WAY(quantile, rows, GPUS, KERNELS, "at most 8 quantiles of rows of more than 32"),
    WEFT__WAY_FOR_ALL(quantile, sort, ALL, KERNELS, "all: rows are sorted"),
};
const weft__ways weft__quantile_ways = WEFT__WAYS("quantile", ways);
