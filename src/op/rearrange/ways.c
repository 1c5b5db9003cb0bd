// SPDX-License-Identifier: MIT
/// The ways to arrange parts of an array, to join arrays, to repeat elements, to pack bits, and to write indices.
#include "op/rearrange/arrange.h"
#include "op/rearrange/bits.h"
#include "op/rearrange/join.h"
#include "op/rearrange/triangle.h"

#define WAY(name, operation, by, when) \
  { #name, when, by, weft__##operation##_##name##_fits, weft__##operation##_##name##_run, false }
#define KERNELS(operation, when) \
  { "kernels", when, WEFT__BY_KERNELS, NULL, weft__##operation##_kernels_run, false }

static const weft__way arrange_ways[] = {
    WAY(host, arrange, WEFT__BY_HOST, "CPUs"),
    WAY(diagonal, arrange, WEFT__BY_KERNELS, "GPUs: one diagonal of 32 MiB and more: zeros, and then the diagonal"),
    KERNELS(arrange, "all: a thread for 16 bytes of the result"),
};
const weft__ways weft__arrange_ways = WEFT__WAYS("arrange", arrange_ways);

static const weft__way join_ways[] = {
    WAY(host, join, WEFT__BY_HOST, "CPUs: 15 arrays in a step"),
    KERNELS(join, "all: 24 arrays in a launch, a thread for 16 bytes of the result"),
};
const weft__ways weft__join_ways = WEFT__WAYS("join", join_ways);

static const weft__way repeat_ways[] = {
    WAY(host, repeat, WEFT__BY_HOST, "CPUs"),
    KERNELS(repeat, "all: a thread for 16 bytes of the result"),
};
const weft__ways weft__repeat_ways = WEFT__WAYS("repeat", repeat_ways);

static const weft__way bits_ways[] = {
    WAY(host, bits, WEFT__BY_HOST, "CPUs"),
    KERNELS(bits, "all: a thread for 4 packed or 16 unpacked bytes"),
};
const weft__ways weft__bits_ways = WEFT__WAYS("bits", bits_ways);

static const weft__way triangle_ways[] = {
    WAY(host, triangle, WEFT__BY_HOST, "CPUs: to contiguous arrays of i64"),
    {"formula", "all: the roots of the elements' numbers", WEFT__BY_KERNELS, NULL, weft__triangle_formula_run, false},
};
const weft__ways weft__triangle_ways = WEFT__WAYS("triangle", triangle_ways);

static const weft__way indices_ways[] = {
    WAY(copies, indices, WEFT__BY_KERNELS,
        "CPUs; GPUs: 2^24 elements and more: a range for each axis, and copies of it"),
    {"formula", "all", WEFT__BY_KERNELS, NULL, weft__indices_formula_run, false},
};
const weft__ways weft__indices_ways = WEFT__WAYS("indices", indices_ways);
