// SPDX-License-Identifier: MIT
/// The way `cuda` of the steps (steps.h): cuSOLVER, and cuBLAS for triangular solves, in contexts made with .cuda.
/// Arguments and results are the steps'; no matrix is empty. *is_done false: the library refused, or CUDA does not see
/// an array, and nothing has changed.
///
/// The libraries' matrices are column-major: they see the transposed matrix in the memory of a row-major one.
#ifndef WEFT_OP_LINALG_CUSOLVER_H
#define WEFT_OP_LINALG_CUSOLVER_H

#include "op/linalg/steps.h"

/// Whether the context can use cuSOLVER, or cuBLAS, and WEFT_ENGINE allows it.
bool weft__cusolver_is_there(const weft_context *context);
bool weft__cublas_is_there(const weft_context *context);

weft_status weft__cuda_potrf(bool *is_done, weft_array *a, weft_array *info, const char *site);
weft_status weft__cuda_getrf(bool *is_done, weft_array *a, weft_array *pivots, weft_array *info, const char *site);
weft_status weft__cuda_trsm(bool *is_done, weft_array *b, const weft_array *t, weft__triangle triangle,
                            const char *site);
weft_status weft__cuda_geqrf(bool *is_done, weft_array *q, weft_array *r, weft_array *a, const char *site);
weft_status weft__cuda_syevd(bool *is_done, weft_array *w, weft_array *a, bool wants_vectors, weft_array *info,
                             const char *site);
weft_status weft__cuda_gesdd(bool *is_done, weft_array *u, weft_array *s, weft_array *vh, weft_array *a,
                             weft_array *info, const char *site);

#endif
