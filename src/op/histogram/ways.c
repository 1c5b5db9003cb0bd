// SPDX-License-Identifier: MIT
/// The ways to count elements by bin, and to find the range of the elements.
#include "op/histogram/histogram.h"

static const weft__way ways[] = {
    WEFT__WAY(histogram, weights, GPUS, KERNELS, "sums of weights, in fixed point"),
    WEFT__WAY(
        histogram, parts, GPUS, KERNELS,
        "without weights, over 8192 bins, and many elements for each: these are sorted by part of the bins first"),
    WEFT__WAY(histogram, blocks, GPUS, KERNELS,
              "without weights: counters in local memory, up to 33792 bins by ranges; of more in global memory"),
    {"host", WEFT__ON_ALL, WEFT__BY_HOST, "all: cores count chunks of the elements", NULL, weft__histogram_host_run,
     .groups_floats = true},
};
const weft__ways weft__histogram_ways = WEFT__WAYS("histogram", ways);

static const weft__way extent_ways[] = {
    WEFT__WAY_FOR_ALL(extent, blocks, GPUS, KERNELS, "all"),
    WEFT__WAY_FOR_ALL(extent, host, ALL, HOST, "all"),
};
const weft__ways weft__extent_ways = WEFT__EXACT_WAYS("extent", extent_ways);
