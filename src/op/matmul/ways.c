// SPDX-License-Identifier: MIT
/// The ways to compute a product of matrices.
#include "engine/engine.h"
#include "op/matmul/matmul.h"

/* The order of the sums depends on the device in all ways but the last. */
#define WAY(way, on, by, when) \
  { #way, WEFT__ON_##on, WEFT__BY_##by, when, weft__matmul_##way##_fits, weft__matmul_##way##_run, true }

static const weft__way ways[] = {
    WAY(inner, CPUS, HOST, "f32, f64: 2 to 8 rows and columns, k from 65536 on, without an epilogue: parts of k"),
    WAY(blas, CPUS, HOST, "f32, f64, c64, c128 by a CBLAS, or by loops for small matrices of a batch"),
    WAY(cublas, ALL, CUDA, "contexts with .cuda: large f32, f64, c64, c128 in rows, without an epilogue"),
    WAY(complex, GPUS, KERNELS, "NVIDIA: large c128 as a product of f64 of twice the sides"),
    WAY(nvidia_panels, GPUS, KERNELS, "sm_90: large f32 by tf32 if .precision permits, 8-bit integers, f16, bf16"),
    WAY(split, GPUS, KERNELS, "a long k and few elements, as a batch of parts of k"),
    WAY(vector, GPUS, KERNELS, "one column"),
    WAY(narrow, GPUS, KERNELS, "few rows and columns, a long k"),
    WAY(nvidia_16, GPUS, KERNELS, "sm_80 and later: f16 and bf16 whose rows or columns are side by side"),
    WAY(nvidia_f32, GPUS, KERNELS, "sm_80 and later: f32 and c64 of more than 32 rows and columns"),
    WAY(nvidia_f64, GPUS, KERNELS, "sm_90: f64 of more than 16 rows and columns"),
    WAY(cpu_vector, CPUS, KERNELS, "one column"),
    {"cpu", WEFT__ON_CPUS, WEFT__BY_KERNELS, "all", NULL, weft__matmul_cpu_run, true},
    WEFT__WAY_FOR_ALL(matmul, tile, ALL, KERNELS, "all; adds in the order of k"),
};
const weft__ways weft__matmul_ways = WEFT__WAYS("matmul", ways);

weft_status weft__matmul_run(const weft__matmul_task *task) {
  WEFT__TRY_RETURN(weft__engine_check());
  return weft__ways_run(&weft__matmul_ways, task->context, task);
}
