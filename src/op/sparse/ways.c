// SPDX-License-Identifier: MIT
/// The ways to multiply sparse matrices, and to transpose them.
#include "op/sparse/sparse_product.h"

static const weft__way ways[] = {
    {"host", "CPUs: threads have ranges of tiles", WEFT__BY_HOST, weft__csr_matmul_host_fits, weft__csr_matmul_host_run,
     false},
    {"cusparse", "contexts with .cuda: large products with a vector, of long rows or in f64", WEFT__BY_CUDA,
     weft__csr_matmul_cusparse_fits, weft__csr_matmul_cusparse_run, true},
    {"kernels", "all: a tile for each work-group", WEFT__BY_KERNELS, NULL, weft__csr_matmul_kernels_run, false},
};
const weft__ways weft__csr_matmul_ways = WEFT__WAYS("csr_matmul", ways);

#define WAY(name, by, when) \
  { #name, when, by, weft__csr_transpose_##name##_fits, weft__csr_transpose_##name##_run, false }

static const weft__way transpose_ways[] = {
    WAY(host, WEFT__BY_HOST, "CPUs: not many more rows and columns than elements, which are sorted by counting"),
    WAY(words, WEFT__BY_KERNELS, "GPUs: elements of 4 bytes are sorted by column, with their rows in words"),
    {"keys", "all: elements are sorted by their numbers in the dense matrix", WEFT__BY_KERNELS, NULL,
     weft__csr_transpose_keys_run, false},
};
const weft__ways weft__csr_transpose_ways = WEFT__WAYS("csr_transpose", transpose_ways);
