// SPDX-License-Identifier: MIT
/// The ways to compute a product of matrices.
#include "engine/engine.h"
#include "op/matmul/matmul.h"

#define WAY(name, by, when) \
  { #name, when, by, weft__matmul_##name##_fits, weft__matmul_##name##_run, .groups_floats = true }

static const weft__way ways[] = {
    WAY(blas, WEFT__BY_HOST, "CPUs: f32, f64, c64, c128 by a CBLAS, or by loops for small matrices of a batch"),
    WAY(cublas, WEFT__BY_CUDA, "contexts with .cuda: large f32, f64, c64, c128 in rows, without an epilogue"),
    WAY(complex, WEFT__BY_KERNELS, "NVIDIA: large c128 as a product of f64 of twice the sides"),
    WAY(nvidia_panels, WEFT__BY_KERNELS, "sm_90: large f32 by tf32 if .precision permits, 8-bit integers, f16, bf16"),
    WAY(split, WEFT__BY_KERNELS, "GPUs: a long k and few elements, as a batch of parts of k"),
    WAY(vector, WEFT__BY_KERNELS, "GPUs: one column"),
    WAY(narrow, WEFT__BY_KERNELS, "GPUs: few rows and columns, a long k"),
    WAY(nvidia_16, WEFT__BY_KERNELS, "sm_80 and later: f16 and bf16 whose rows or columns are side by side"),
    {"batch", "GPUs: a batch of small f32 matrices", WEFT__BY_KERNELS, weft__matmul_batch_fits, weft__matmul_tile_run,
     .groups_floats = true},
    WAY(nvidia_f32, WEFT__BY_KERNELS, "sm_80 and later: f32 and c64 of more than 32 rows and columns"),
    WAY(nvidia_f64, WEFT__BY_KERNELS, "sm_90: f64 of more than 16 rows and columns"),
    WAY(cpu_vector, WEFT__BY_KERNELS, "CPUs: one column"),
    WAY(cpu, WEFT__BY_KERNELS, "CPUs"),
    {"tile", "all; adds in the order of k", WEFT__BY_KERNELS, NULL, weft__matmul_tile_run, false},
};
const weft__ways weft__matmul_ways = WEFT__WAYS("matmul", ways);

weft_status weft__matmul_run(const weft__matmul_task *task) {
  WEFT__TRY_RETURN(weft__engine_check());
  return weft__ways_run(&weft__matmul_ways, &task->context->core, task);
}
