// SPDX-License-Identifier: MIT
/// The ways to take elements by their indices, and to put or combine them there; of several arrays, by several lists;
/// the numbers of elements.
#include "op/index/gather.h"

#define HOST(when) \
  { "host", WEFT__ON_CPUS, WEFT__BY_HOST, when, NULL, weft__index_host_run, false }

static const weft__way take_ways[] = {
    HOST("all"),
    WEFT__WAY(take, columns, ALL, KERNELS, "rows of 2 KiB or more, of over 64 MiB: column by column"),
    WEFT__WAY_FOR_ALL(take, units, ALL, KERNELS, "all: units of up to 16 bytes"),
};
const weft__ways weft__take_ways = WEFT__EXACT_WAYS("take", take_ways);

static const weft__way scatter_ways[] = {
    HOST("all: in the order of the indices"),
    WEFT__WAY(scatter, stores, ALL, KERNELS, "puts, in any order"),
    WEFT__WAY(scatter, last, ALL, KERNELS,
              "puts in the order of the indices, fewer than 2^31: the last one of each place is marked first"),
    WEFT__WAY(scatter, atomic, ALL, KERNELS, "sums, least and greatest values by atomics; not of floats in order"),
    WEFT__WAY_FOR_ALL(scatter, ranges, ALL, KERNELS,
                      "all, in order: each thread reads all indices for a range of places"),
};
const weft__ways weft__scatter_ways = WEFT__EXACT_WAYS("scatter", scatter_ways);

static const weft__way many_ways[] = {
    {"host", WEFT__ON_CPUS, WEFT__BY_HOST, "all: one array after the other", NULL, weft__many_each_run, false},
    WEFT__WAY(many, each, ALL, KERNELS, "puts in the order of the indices: one array after the other"),
    WEFT__WAY_FOR_ALL(many, together, ALL, KERNELS, "all: up to four arrays of one element size"),
};
const weft__ways weft__many_ways = WEFT__EXACT_WAYS("many", many_ways);

static const weft__way at_ways[] = {
    WEFT__WAY_FOR_ALL(at, host, CPUS, HOST, "all"),
    WEFT__WAY(at, pair, ALL, KERNELS,
              "two lists of one dtype, of a matrix of elements of up to 8 bytes; not in recordings"),
    WEFT__WAY_FOR_ALL(at, numbers, ALL, KERNELS, "all: the numbers of the elements, and a take by these"),
};
const weft__ways weft__at_ways = WEFT__EXACT_WAYS("at", at_ways);

static const weft__way numbers_ways[] = {
    WEFT__WAY_FOR_ALL(numbers, host, CPUS, HOST, "all"),
    WEFT__WAY(numbers, pair, ALL, KERNELS, "two lists of one dtype; not in recordings"),
    WEFT__WAY_FOR_ALL(numbers, axes, ALL, KERNELS, "all: one axis after the other"),
};
const weft__ways weft__numbers_ways = WEFT__EXACT_WAYS("numbers", numbers_ways);
