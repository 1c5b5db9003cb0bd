// SPDX-License-Identifier: MIT
/// The ways to count elements by bin, and to find the range of the elements.
#include "op/histogram/histogram.h"

#define WAY(name, operation, when) \
  { #name, when, WEFT__BY_KERNELS, weft__##operation##_##name##_fits, weft__##operation##_##name##_run, false }

static const weft__way ways[] = {
    WAY(weights, count, "GPUs: sums of weights, in fixed point"),
    WAY(parts, count, "GPUs: over 8192 bins, and many elements for each: these are sorted by part of the bins first"),
    WAY(blocks, count, "GPUs: counters in local memory, of more bins in global memory"),
    {"host", "all: cores count chunks of the elements", WEFT__BY_HOST, NULL, weft__count_host_run, true},
};
const weft__ways weft__histogram_ways = WEFT__WAYS("histogram", ways);

static const weft__way extent_ways[] = {
    WAY(blocks, extent, "GPUs"),
    {"host", "all", WEFT__BY_HOST, NULL, weft__extent_host_run, false},
};
const weft__ways weft__extent_ways = WEFT__WAYS("extent", extent_ways);
