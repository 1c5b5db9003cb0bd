// SPDX-License-Identifier: MIT
/// The ways to arrange parts of an array, to join arrays, to repeat elements, to pack bits, and to write indices.
#include "op/rearrange/arrange.h"
#include "op/rearrange/bits.h"
#include "op/rearrange/join.h"
#include "op/rearrange/triangle.h"

static const weft__way arrange_ways[] = {
    WEFT__WAY_FOR_ALL(arrange, host, CPUS, HOST, "all"),
    WEFT__WAY(arrange, diagonal, GPUS, KERNELS, "one diagonal of 32 MiB and more: zeros, and then the diagonal"),
    WEFT__WAY_FOR_ALL(arrange, kernels, ALL, KERNELS, "all: a thread for 16 bytes of the result"),
};
const weft__ways weft__arrange_ways = WEFT__EXACT_WAYS("arrange", arrange_ways);

static const weft__way join_ways[] = {
    WEFT__WAY_FOR_ALL(join, host, CPUS, HOST, "all: 15 arrays in a step"),
    WEFT__WAY_FOR_ALL(join, kernels, ALL, KERNELS, "all: 24 arrays in a launch, a thread for 16 bytes of the result"),
};
const weft__ways weft__join_ways = WEFT__EXACT_WAYS("join", join_ways);

static const weft__way repeat_ways[] = {
    WEFT__WAY_FOR_ALL(repeat, host, CPUS, HOST, "all"),
    WEFT__WAY_FOR_ALL(repeat, kernels, ALL, KERNELS, "all: a thread for 16 bytes of the result"),
};
const weft__ways weft__repeat_ways = WEFT__EXACT_WAYS("repeat", repeat_ways);

static const weft__way bits_ways[] = {
    WEFT__WAY_FOR_ALL(bits, host, CPUS, HOST, "all"),
    WEFT__WAY_FOR_ALL(bits, kernels, ALL, KERNELS, "all: a thread for 4 packed or 16 unpacked bytes"),
};
const weft__ways weft__bits_ways = WEFT__EXACT_WAYS("bits", bits_ways);

static const weft__way triangle_ways[] = {
    WEFT__WAY(triangle, host, CPUS, HOST, "to contiguous arrays of i64"),
    WEFT__WAY_FOR_ALL(triangle, formula, ALL, KERNELS, "all: the roots of the elements' numbers"),
};
const weft__ways weft__triangle_ways = WEFT__EXACT_WAYS("triangle", triangle_ways);

static const weft__way indices_ways[] = {
    WEFT__WAY(indices, copies, CPUS, KERNELS, "results of the call's dtype: a range for each axis, and copies of it"),
    {"large", WEFT__ON_GPUS, WEFT__BY_KERNELS, "by ranges and copies too: 2^24 elements and more",
     weft__indices_large_fits, weft__indices_copies_run, false},
    WEFT__WAY_FOR_ALL(indices, formula, ALL, KERNELS, "all"),
};
const weft__ways weft__indices_ways = WEFT__WAYS("indices", indices_ways);
