// SPDX-License-Identifier: MIT
/// The ways to take elements by their indices, and to put or combine them there; of several arrays, by several lists;
/// the numbers of elements.
#include "op/index/gather.h"

#define WAY(name, operation, when) \
  { #name, when, WEFT__BY_KERNELS, weft__##operation##_##name##_fits, weft__##operation##_##name##_run, false }
#define HOST(when) \
  { "host", when, WEFT__BY_HOST, weft__index_host_fits, weft__index_host_run, false }

static const weft__way take_ways[] = {
    HOST("CPUs"),
    WAY(columns, take, "rows of 2 KiB or more, of over 64 MiB: column by column"),
    {"units", "all: units of up to 16 bytes", WEFT__BY_KERNELS, NULL, weft__take_units_run, false},
};
const weft__ways weft__take_ways = WEFT__WAYS("take", take_ways);

static const weft__way scatter_ways[] = {
    HOST("CPUs: in the order of the indices"),
    WAY(stores, scatter, "puts, in any order"),
    WAY(last, scatter, "puts in the order of the indices, fewer than 2^31: the last one of each place is marked first"),
    WAY(atomic, scatter, "sums, least and greatest values by atomics; not of floats in order"),
    {"ranges", "all, in order: each thread reads all indices for a range of places", WEFT__BY_KERNELS, NULL,
     weft__scatter_ranges_run, false},
};
const weft__ways weft__scatter_ways = WEFT__WAYS("scatter", scatter_ways);

static const weft__way many_ways[] = {
    {"host", "CPUs: one array after the other", WEFT__BY_HOST, weft__many_host_fits, weft__many_each_run, false},
    WAY(each, many, "puts in the order of the indices: one array after the other"),
    {"together", "all: up to four arrays of one element size", WEFT__BY_KERNELS, NULL, weft__many_together_run, false},
};
const weft__ways weft__many_ways = WEFT__WAYS("many", many_ways);

static const weft__way at_ways[] = {
    {"host", "CPUs", WEFT__BY_HOST, weft__at_host_fits, weft__at_host_run, false},
    WAY(pair, at, "two lists of one dtype, of a matrix of elements of up to 8 bytes; not in recordings"),
    {"numbers", "all: the numbers of the elements, and a take by these", WEFT__BY_KERNELS, NULL, weft__at_numbers_run,
     false},
};
const weft__ways weft__at_ways = WEFT__WAYS("at", at_ways);

static const weft__way numbers_ways[] = {
    {"host", "CPUs", WEFT__BY_HOST, weft__numbers_host_fits, weft__numbers_host_run, false},
    WAY(pair, numbers, "two lists of one dtype; not in recordings"),
    {"axes", "all: one axis after the other", WEFT__BY_KERNELS, NULL, weft__numbers_axes_run, false},
};
const weft__ways weft__numbers_ways = WEFT__WAYS("numbers", numbers_ways);
