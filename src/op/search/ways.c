// SPDX-License-Identifier: MIT
/// The ways to search in ordered arrays, to merge and to test them, and to find unique elements.
#include "op/search/unique.h"

static const weft__way search_ways[] = {
    WEFT__WAY_FOR_ALL(search, host, CPUS, HOST, "all: by halves; sets of integers in a table with a bit for each"),
    WEFT__WAY(search, tree, GPUS, KERNELS, "many values in a long array of real elements of 4 or 8 bytes"),
    WEFT__WAY_FOR_ALL(search, halves, ALL, KERNELS, "all: by halves"),
};
const weft__ways weft__search_ways = WEFT__EXACT_WAYS("search", search_ways);

static const weft__way merge_ways[] = {
    WEFT__WAY_FOR_ALL(merge, host, CPUS, HOST, "all: threads have ranges of the result"),
    WEFT__WAY_FOR_ALL(merge, kernels, ALL, KERNELS, "all: work-groups have tiles of the result"),
};
const weft__ways weft__merge_ways = WEFT__EXACT_WAYS("merge", merge_ways);

static const weft__way is_sorted_ways[] = {
    WEFT__WAY_FOR_ALL(is_sorted, host, CPUS, HOST, "all: threads have ranges of the elements"),
    WEFT__WAY_FOR_ALL(is_sorted, kernels, ALL, KERNELS, "all: each pair of neighbours is compared"),
};
const weft__ways weft__is_sorted_ways = WEFT__EXACT_WAYS("is_sorted", is_sorted_ways);

static const weft__way unique_ways[] = {
    WEFT__WAY_FOR_ALL(unique, host, CPUS, HOST, "all: by a sort and loops"),
    WEFT__WAY(unique, short, GPUS, KERNELS, "values alone of at most 8192 real elements, in one launch"),
    WEFT__WAY_FOR_ALL(unique, kernels, ALL, KERNELS, "all: by a sort, flags, and the places of these"),
};
const weft__ways weft__unique_ways = WEFT__EXACT_WAYS("unique", unique_ways);

static const weft__way unique_flags_ways[] = {
    WEFT__WAY_FOR_ALL(unique_flags, host, CPUS, HOST, "all: elements are compared as numbers"),
    WEFT__WAY_FOR_ALL(unique_flags, kernels, ALL, KERNELS, "all: a work-item for each element"),
};
const weft__ways weft__unique_flags_ways = WEFT__EXACT_WAYS("unique_flags", unique_flags_ways);
