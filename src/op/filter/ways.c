// SPDX-License-Identifier: MIT
/// The ways to filter along axes and with windows of any shape, to find the coefficients of splines and elements at
/// other places, to find distances to zeros, and to label connected regions.
#include "op/filter/filter.h"

static const weft__way passes_ways[] = {
    WEFT__WAY(
        passes, plane, GPUS, KERNELS,
        "two along the last two axes, of windows of up to 33 elements: tiles in local memory, if they are filled"),
    WEFT__WAY_FOR_ALL(passes, each, ALL, KERNELS, "all: one pass after the other"),
};
const weft__ways weft__passes_ways = WEFT__WAYS("passes", passes_ways);

static const weft__way pass_ways[] = {
    WEFT__WAY(pass, rolling, CPUS, KERNELS,
              "no weights, windows of 32 elements and more, all windows of 2^17: moving windows of padded lines"),
    {"longer", WEFT__ON_GPUS, WEFT__BY_KERNELS, "by moving windows too: 128 elements and more, all windows of 2^27",
     weft__pass_longer_fits, weft__pass_rolling_run, false},
    WEFT__WAY(pass, host, CPUS, HOST, "weights, or windows of up to 2^20; not sums of integers without f64"),
    WEFT__WAY(pass, tiles, ALL, KERNELS, "neighbours up to 16 elements apart, windows of up to 2 KiB: local memory"),
    WEFT__WAY_FOR_ALL(pass, steps, ALL, KERNELS, "all: a thread for 8 elements along the axis"),
};
const weft__ways weft__pass_ways = WEFT__WAYS("pass", pass_ways);

static const weft__way footprint_ways[] = {
    WEFT__WAY(footprint, host, CPUS, HOST, "ranks in windows of up to 49 elements; sums and extremes as of a pass"),
    WEFT__WAY(footprint, slide, ALL, KERNELS,
              "ranks: windows that slide over sorted elements; on GPUs long ones of more than 1024 elements"),
    WEFT__WAY_FOR_ALL(footprint, kernels, ALL, KERNELS,
                      "all: a thread for an element, or for four of a box; ranks by a network, or bit by bit"),
};
const weft__ways weft__footprint_ways = WEFT__WAYS("footprint", footprint_ways);

static const weft__way spline_ways[] = {
    WEFT__WAY(spline, tiles, GPUS, KERNELS, "lines of 64 elements and more, local memory for them: parts of lines"),
    WEFT__WAY_FOR_ALL(spline, lines, ALL, KERNELS, "all: a thread for a line, on CPUs for 16 lines"),
};
const weft__ways weft__spline_ways = WEFT__WAYS("spline", spline_ways);

static const weft__way transform_ways[] = {
    WEFT__WAY(transform, host, CPUS, HOST,
              "devices with f64, sources of up to 2^29 elements: chunks of rows, places axis by axis"),
    WEFT__WAY_FOR_ALL(transform, kernels, ALL, KERNELS, "all: a thread for an element"),
};
const weft__ways weft__transform_ways = WEFT__WAYS("transform", transform_ways);

static const weft__way distance_ways[] = {
    WEFT__WAY_FOR_ALL(distance, host, CPUS, HOST, "all: the envelope of a line's parabolas"),
    WEFT__WAY_FOR_ALL(distance, kernels, ALL, KERNELS, "all: many threads for a line, which search between bounds"),
};
const weft__ways weft__distance_ways = WEFT__WAYS("distance", distance_ways);

static const weft__way label_ways[] = {
    WEFT__WAY(label, host, CPUS, HOST, "at most 4 cores, or 2^17 elements: by one thread, over bits"),
    WEFT__WAY_FOR_ALL(label, kernels, ALL, KERNELS, "all: a forest of elements, whose trees are joined"),
};
const weft__ways weft__label_ways = WEFT__EXACT_WAYS("label", label_ways);
