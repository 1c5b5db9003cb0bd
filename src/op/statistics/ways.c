// SPDX-License-Identifier: MIT
/// The ways to find quantiles of rows.
#include "op/statistics/quantile.h"

static const weft__way ways[] = {
    {"host", "CPUs: few quantiles of long rows: their elements are found", WEFT__BY_HOST, weft__quantile_host_fits,
     weft__quantile_host_run, false},
    {"sorted", "CPUs: rows are sorted", WEFT__BY_HOST, weft__quantile_sorted_fits, weft__quantile_sorted_run, false},
    {"each", "GPUs: few long rows: launches for each row", WEFT__BY_KERNELS, weft__quantile_each_fits,
     weft__quantile_each_run, false},
    {"rows", "GPUs: at most 8 quantiles of rows of more than 32", WEFT__BY_KERNELS, weft__quantile_rows_fits,
     weft__quantile_rows_run, false},
    {"sort", "all: rows are sorted", WEFT__BY_KERNELS, NULL, weft__quantile_sort_run, false},
};
const weft__ways weft__quantile_ways = WEFT__WAYS("quantile", ways);
