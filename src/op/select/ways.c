// SPDX-License-Identifier: MIT
/// The ways to select elements by bytes or a predicate. On CPUs predicates of users are evaluated to bytes first.
#include "op/select/compact.h"

static const weft__way ways[] = {
    WEFT__WAY(select, sweep, GPUS, KERNELS,
              "blocks that can wait for each other: selected elements or their numbers, in one launch"),
    WEFT__WAY_FOR_ALL(select, passes, GPUS, KERNELS, "all: counts of tiles, then the elements"),
    WEFT__WAY(select, host, ALL, HOST, "by bytes, or elements that are not 0"),
};
const weft__ways weft__select_ways = WEFT__WAYS("select", ways);
