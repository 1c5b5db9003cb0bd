// SPDX-License-Identifier: MIT
/// The ways to find the unique elements of an array.
#include "op/search/unique.h"

static const weft__way ways[] = {
    WEFT__WAY_FOR_ALL(unique, host, CPUS, HOST, "all: by a sort and loops"),
    WEFT__WAY(unique, short, GPUS, KERNELS, "values alone of at most 8192 real elements, in one launch"),
    WEFT__WAY_FOR_ALL(unique, kernels, ALL, KERNELS, "all: by a sort, flags, and the places of these"),
};
const weft__ways weft__unique_ways = WEFT__WAYS("unique", ways);
