// SPDX-License-Identifier: MIT
/// The ways to compute evenly spaced numbers.
#include "op/create/range.h"

static const weft__way ways[] = {
    {"host", "CPUs", WEFT__BY_HOST, weft__range_host_fits, weft__range_host_run, false},
    {"kernels", "all: a thread for each element", WEFT__BY_KERNELS, NULL, weft__range_kernels_run, false},
};
const weft__ways weft__range_ways = WEFT__WAYS("range", ways);
