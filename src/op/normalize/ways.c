// SPDX-License-Identifier: MIT
/// The ways to compute softmax and its like. The task is a pointer to a weft__normalizing, whose arrays the ways make.
#include "op/normalize/normalize.h"

#define WAY(name, by, when) \
  { #name, when, by, weft__normalize_##name##_fits, weft__normalize_##name##_run, false }

static const weft__way ways[] = {
    WAY(single, WEFT__BY_KERNELS, "softmax and log_softmax of rows of one element"),
    WAY(host, WEFT__BY_HOST, "CPUs with fused multiplications: rows along the last axes, of up to 65536 elements"),
    WAY(block, WEFT__BY_KERNELS, "rows along the last axes, of up to 8192 elements of 4 bytes: read once"),
    {"passes", "all: an expression with reduced values", WEFT__BY_KERNELS, NULL, weft__normalize_passes_run, false},
};
const weft__ways weft__normalize_ways = WEFT__WAYS("normalize", ways);
