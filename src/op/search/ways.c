// SPDX-License-Identifier: MIT
/// The ways to find the unique elements of an array.
#include "op/search/unique.h"

#define WAY(name, by, when) \
  { #name, when, by, weft__unique_##name##_fits, weft__unique_##name##_run, false }

static const weft__way ways[] = {
    WAY(host, WEFT__BY_HOST, "CPUs: by a sort and loops"),
    WAY(short, WEFT__BY_KERNELS, "GPUs: values alone of at most 8192 real elements, in one launch"),
    {"kernels", "all: by a sort, flags, and the places of these", WEFT__BY_KERNELS, NULL, weft__unique_kernels_run,
     false},
};
const weft__ways weft__unique_ways = WEFT__WAYS("unique", ways);
