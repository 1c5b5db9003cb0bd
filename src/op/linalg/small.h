// SPDX-License-Identifier: MIT
/// The way `small` of the steps (steps.h): own kernels, a matrix for each work-group. Arguments and results are the
/// steps'; no side of a matrix is over WEFT__SMALL_MATRIX, except the columns of a triangular solve's right-hand side.
#ifndef WEFT_OP_LINALG_SMALL_H
#define WEFT_OP_LINALG_SMALL_H

#include "op/linalg/steps.h"

weft_status weft__small_potrf(weft_array *a, weft_array *info, const char *site);
weft_status weft__small_getrf(weft_array *a, weft_array *pivots, weft_array *info, const char *site);
weft_status weft__small_getrs(weft_array *b, const weft_array *lu, const weft_array *pivots, const char *site);
weft_status weft__small_trsm(weft_array *b, const weft_array *t, weft__triangle triangle, weft_array *info,
                             const char *site);
weft_status weft__small_geqrf(weft_array *q, weft_array *r, weft_array *a, const char *site);
weft_status weft__small_syevd(weft_array *w, weft_array *a, bool wants_vectors, weft_array *info, const char *site);
weft_status weft__small_gesdd(weft_array *u, weft_array *s, weft_array *vh, weft_array *a, weft_array *info,
                              const char *site);

/// LU and solution in one launch: b `[batch, n, k]` becomes the solution of a X = b, or with `inverts` the inverse of a
/// (b is not read). a is overwritten, unless weft__small_gesv_reads it with as many right-hand sides.
bool weft__small_gesv_reads(const weft_array *a, int64_t right);
weft_status weft__small_gesv(weft_array *b, weft_array *a, weft_array *info, bool inverts, const char *site);

/* ---- any size ---- */

/// From the results of weft__step_getrf: the determinants `[batch]`; with `logarithm` (else NULL) their signs, and the
/// logarithms of their sizes.
weft_status weft__determinant(weft_array *determinant, weft_array *logarithm, const weft_array *lu,
                              const weft_array *pivots, const char *site);
/// From pivots `[batch, k]` of matrices of `rows` rows: the permutation P in A = P L U, `[batch, rows, rows]` of f32 or
/// f64; or as i64 `[batch, rows]` its indices p, with A = L[p] U.
weft_status weft__permutation_of(weft_array *out, const weft_array *pivots, int64_t rows, const char *site);

#endif
