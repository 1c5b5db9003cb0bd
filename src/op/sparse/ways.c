// SPDX-License-Identifier: MIT
/// The ways to multiply sparse matrices, and to transpose them.
#include "op/sparse/sparse_product.h"

static const weft__way ways[] = {
    {"cusparse", WEFT__ON_ALL, WEFT__BY_CUDA,
     "contexts with .cuda: large products with a vector, of long rows or in f64", weft__csr_matmul_cusparse_fits,
     weft__csr_matmul_cusparse_run, .groups_floats = true},
    WEFT__WAY_FOR_ALL(csr_matmul, host, CPUS, HOST, "all: threads have ranges of tiles"),
    WEFT__WAY_FOR_ALL(csr_matmul, kernels, ALL, KERNELS, "all: a tile for each work-group"),
};
const weft__ways weft__csr_matmul_ways = WEFT__WAYS("csr_matmul", ways);

static const weft__way transpose_ways[] = {
    WEFT__WAY(csr_transpose, host, CPUS, HOST,
              "not many more rows and columns than elements, which are sorted by counting"),
    WEFT__WAY(csr_transpose, words, GPUS, KERNELS,
              "elements of 4 bytes are sorted by column, with their rows in words"),
    WEFT__WAY_FOR_ALL(csr_transpose, keys, ALL, KERNELS,
                      "all: elements are sorted by their numbers in the dense matrix"),
};
const weft__ways weft__csr_transpose_ways = WEFT__WAYS("csr_transpose", transpose_ways);
