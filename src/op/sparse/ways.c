// SPDX-License-Identifier: MIT
/// The ways to multiply sparse matrices.
#include "op/sparse/sparse_product.h"

static const weft__way ways[] = {
    {"host", "CPUs: threads have ranges of tiles", WEFT__BY_HOST, weft__csr_matmul_host_fits, weft__csr_matmul_host_run,
     false},
    {"cusparse", "contexts with .cuda: large products with a vector, of long rows or in f64", WEFT__BY_CUDA,
     weft__csr_matmul_cusparse_fits, weft__csr_matmul_cusparse_run, true},
    {"kernels", "all: a tile for each work-group", WEFT__BY_KERNELS, NULL, weft__csr_matmul_kernels_run, false},
};
const weft__ways weft__csr_matmul_ways = WEFT__WAYS("csr_matmul", ways);
