// SPDX-License-Identifier: MIT
/// The ways to label connected regions.
#include "op/filter/filter.h"

static const weft__way label_ways[] = {
    WEFT__WAY(label, host, CPUS, HOST, "at most 4 cores, or 2^17 elements: by one thread, over bits"),
    WEFT__WAY_FOR_ALL(label, kernels, ALL, KERNELS, "all: a forest of elements, whose trees are joined"),
};
const weft__ways weft__label_ways = WEFT__WAYS("label", label_ways);
