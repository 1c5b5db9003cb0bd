// SPDX-License-Identifier: MIT
/// The ways to compute evenly spaced numbers.
#include "op/create/range.h"

static const weft__way ways[] = {
    WEFT__WAY_FOR_ALL(range, host, CPUS, HOST, "all"),
    WEFT__WAY_FOR_ALL(range, kernels, ALL, KERNELS, "all: a thread for each element"),
};
const weft__ways weft__range_ways = WEFT__WAYS("range", ways);
