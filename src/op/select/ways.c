// SPDX-License-Identifier: MIT
/// The ways to select elements: by an expression, and by bytes or a predicate.
#include "op/select/compact.h"

static const weft__way select_ways[] = {
    WEFT__WAY(select, sweep, GPUS, KERNELS,
              "blocks that can wait for each other: selected elements or their numbers, in one launch"),
    WEFT__WAY_FOR_ALL(select, passes, GPUS, KERNELS, "all: counts of tiles, then the elements"),
    WEFT__WAY(select, host, ALL, HOST, "by bytes, or elements that are not 0"),
};
const weft__ways weft__select_ways = WEFT__EXACT_WAYS("select", select_ways);

static const weft__way choose_ways[] = {
    WEFT__WAY(choose, fused, GPUS, KERNELS, "an expression of one array and numbers: a predicate of the elements"),
    WEFT__WAY_FOR_ALL(choose, mask, ALL, KERNELS, "all: evaluated to bytes, which select"),
};
const weft__ways weft__choose_ways = WEFT__EXACT_WAYS("choose", choose_ways);
