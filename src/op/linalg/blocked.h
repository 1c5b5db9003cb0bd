// SPDX-License-Identifier: MIT
/// The way `blocked` of the steps (steps.h): factorizations and solves of matrices of any size, by kernels for blocks
/// of up to 64 columns (block.h) and weft_matmul for everything else. Arguments and results are the steps'; no matrix
/// is empty.
#ifndef WEFT_OP_LINALG_BLOCKED_H
#define WEFT_OP_LINALG_BLOCKED_H

#include "op/linalg/block.h"
#include "op/linalg/steps.h"

weft_status weft__blocked_potrf(weft_array *a, weft_array *info, const char *site);
weft_status weft__blocked_getrf(weft_array *a, weft_array *pivots, weft_array *info, const char *site);
weft_status weft__blocked_trsm(weft_array *b, const weft_array *from, const weft_array *t, weft__triangle triangle,
                               const char *site);
/// weft__step_getri, if the device and the size suit.
weft_status weft__blocked_getri(bool *is_done, weft_array *x, const weft_array *lu, const weft_array *pivots,
                                const char *site);
weft_status weft__blocked_geqrf(weft_array *q, weft_array *r, weft_array *a, const char *site);

#endif
