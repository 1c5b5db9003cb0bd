// SPDX-License-Identifier: MIT
/// The way `jacobi` of the steps (steps.h): eigenvalues and singular values of matrices of any size by one-sided Jacobi
/// rotations. It takes some 10 sweeps of n^2 / 2 rotations of rows, on GPUs by blocks in local memory; elsewhere it is
/// slow, but it needs no library. Arguments and results are the steps'; no matrix is empty.
#ifndef WEFT_OP_LINALG_JACOBI_H
#define WEFT_OP_LINALG_JACOBI_H

#include "op/linalg/steps.h"

weft_status weft__jacobi_syevd(weft_array *w, weft_array *a, bool wants_vectors, weft_array *info, const char *site);
weft_status weft__jacobi_gesdd(weft_array *u, weft_array *s, weft_array *vh, weft_array *a, weft_array *info,
                               const char *site);

#endif
