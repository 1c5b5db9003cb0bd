// SPDX-License-Identifier: MIT
/// The ways to compute softmax and its like. The task is a pointer to a weft__normalizing, whose arrays the ways make.
#include "op/normalize/normalize.h"

static const weft__way ways[] = {
    WEFT__WAY(normalize, single, ALL, KERNELS, "softmax and log_softmax of rows of one element"),
    WEFT__WAY(normalize, host, CPUS, HOST,
              "with fused multiplications: rows along the last axes, of up to 65536 elements"),
    WEFT__WAY(normalize, block, ALL, KERNELS, "rows along the last axes, of up to 8192 elements of 4 bytes: read once"),
    WEFT__WAY_FOR_ALL(normalize, passes, ALL, KERNELS, "all: an expression with reduced values"),
};
const weft__ways weft__normalize_ways = WEFT__WAYS("normalize", ways);
