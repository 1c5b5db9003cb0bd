// SPDX-License-Identifier: MIT
/// cuBLAS's functions, for steps on CUDA's stream (engine/cuda_step.h): products here, triangular solves in op/linalg.
#ifndef WEFT_OP_MATMUL_CUBLAS_H
#define WEFT_OP_MATMUL_CUBLAS_H

#include "engine/cuda_step.h"
#include "op/matmul/matmul.h"

/// Constants of NVIDIA's libraries: cublasFillMode_t, cublasSideMode_t, cublasOperation_t, cublasDiagType_t,
/// cudaDataType_t, cublasComputeType_t.
enum { WEFT__CUBLAS_LOWER = 0, WEFT__CUBLAS_UPPER = 1, WEFT__CUBLAS_RIGHT = 1, WEFT__CUBLAS_UNIT = 1 };
enum { WEFT__CUBLAS_PLAIN = 0, WEFT__CUBLAS_TRANSPOSED = 1, WEFT__CUBLAS_ADJOINT = 2 };
enum { WEFT__CUDA_R_32F = 0, WEFT__CUDA_R_64F = 1, WEFT__CUDA_C_32F = 4, WEFT__CUDA_C_64F = 5 };
enum { WEFT__CUBLAS_COMPUTE_32F = 68, WEFT__CUBLAS_COMPUTE_64F = 70, WEFT__CUBLAS_COMPUTE_TF32 = 77 };

#define WEFT__CUBLAS_TYPES 4

typedef struct weft__cublas_functions {
  int (*create)(void **handle);
  int (*destroy)(void *handle);
  int (*set_stream)(void *handle, weft__cuda_stream stream);
  int (*gemm)(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a, int type_a,
              int lda, long long step_a, const void *b, int type_b, int ldb, long long step_b, const void *beta,
              void *c, int type_c, int ldc, long long step_c, int batch, int computed, int algorithm);
  int (*trsm[WEFT__CUBLAS_TYPES])(void *handle, int side, int uplo, int op, int diag, int m, int n, const void *alpha,
                                  const void *a, int lda, void *b, int ldb);
} weft__cublas_functions;

/// Complete once weft__cuda_engine_is_there(&weft__cublas, ...) has returned true.
extern weft__cublas_functions weft__cublas_api;
extern const weft__cuda_engine weft__cublas;

/// f32, f64, c64 and c128 are 0 to 3.
static inline int weft__cublas_place(weft_dtype dtype) {
  return dtype == WEFT_F32 ? 0 : dtype == WEFT_F64 ? 1 : dtype == WEFT_C64 ? 2 : 3;
}
/// cudaDataType_t of these dtypes.
static inline int weft__cuda_data_type(weft_dtype dtype) {
  static const int types[WEFT__CUBLAS_TYPES] = {WEFT__CUDA_R_32F, WEFT__CUDA_R_64F, WEFT__CUDA_C_32F, WEFT__CUDA_C_64F};
  return types[weft__cublas_place(dtype)];
}

/// The numbers that the product and the old result are multiplied with: elements of the accumulator's dtype.
const void *weft__cublas_scale(const weft__matmul_task *task);
const void *weft__cublas_accumulate(const weft__matmul_task *task);

#endif
