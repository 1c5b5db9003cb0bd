// SPDX-License-Identifier: MIT
/// The ways to find quantiles of rows, and to reduce moving windows.
#include "op/statistics/quantile.h"
#include "op/statistics/rolling.h"

static const weft__way ways[] = {
    WEFT__WAY(quantile, host, CPUS, HOST, "few quantiles of long rows: their elements are found"),
    WEFT__WAY_FOR_ALL(quantile, sorted, CPUS, HOST, "all: rows are sorted"),
    WEFT__WAY(quantile, each, GPUS, KERNELS, "few long rows: launches for each row"),
    WEFT__WAY(quantile, rows, GPUS, KERNELS, "at most 8 quantiles of rows of more than 32"),
    WEFT__WAY_FOR_ALL(quantile, sort, ALL, KERNELS, "all: rows are sorted"),
};
const weft__ways weft__quantile_ways = WEFT__WAYS("quantile", ways);

static const weft__way rolling_ways[] = {
    WEFT__WAY(rolling, vary, ALL, KERNELS, "variances: of the two parts of a window"),
    WEFT__WAY(rolling, slabs, CPUS, KERNELS, "sums, products, least and greatest elements of up to 512: in tiles"),
    WEFT__WAY(rolling, rows, GPUS, KERNELS, "these of up to 128 elements along rows: in local memory"),
    WEFT__WAY(rolling, subtract, ALL, KERNELS, "sums and means of integers: differences of running sums"),
    WEFT__WAY(rolling, combine, ALL, KERNELS,
              "all but variances: the end of a block and the beginning of the next one"),
};
const weft__ways weft__rolling_ways = WEFT__WAYS("rolling", rolling_ways);
