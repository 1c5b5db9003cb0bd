// SPDX-License-Identifier: MIT
/// The ways to select elements by bytes or a predicate. On CPUs predicates of users are evaluated to bytes first.
#include "op/select/compact.h"

#define WAY(name, by, when) \
  { #name, when, by, weft__select_##name##_fits, weft__select_##name##_run, false }

static const weft__way ways[] = {
    WAY(sweep, WEFT__BY_KERNELS,
        "GPUs whose blocks can wait for each other: selected elements or their numbers, in one launch"),
    WAY(passes, WEFT__BY_KERNELS, "GPUs: counts of tiles, then the elements"),
    WAY(host, WEFT__BY_HOST, "by bytes, or elements that are not 0"),
};
const weft__ways weft__select_ways = WEFT__WAYS("select", ways);
