// SPDX-License-Identifier: MIT
/// The steps of linear algebra: factorizations and solutions of matrices, each in one of several ways.
///
/// Arrays are contiguous and row-major, `[batch, m, n]`, of one dtype out of f32, f64, c64 and c128 (reals: f32 or f64
/// for c64 and c128). The batch has one axis, of any length from 0 on; m and n may be 0. The arrays of one call share
/// no memory. Steps enqueue their work as all other calls do; the rows of LAPACK wait for it.
///
/// `info` is an i32 array `[batch]`: 0, or the 1-based place of the first failure, as in LAPACK. A failure of one
/// matrix is no failure of the call, and does not affect the other matrices of the batch. The caller reads `info`.
///
/// The tables of op/linalg/ways.c have the ways of each step:
///     cuda     cuSOLVER and cuBLAS in contexts made with .cuda (cusolver.h), where they are faster
///     small    own kernels, a matrix for each work-group (small.h), n <= 64
///     lapack   a LAPACK library on the host (lapack.h)
///     blocked  own kernels and weft_matmul (blocked.h), any n
///     jacobi   own kernels, any n (jacobi.h): eigenvalues and singular values
/// WEFT_ENGINE=own leaves out cuda and lapack, and WEFT_ENGINE=lapack, where there is one, prefers it to all
/// others.
#ifndef WEFT_OP_LINALG_STEPS_H
#define WEFT_OP_LINALG_STEPS_H

#include "array/array.h"
#include "engine/ways.h"

extern const weft__ways weft__potrf_ways, weft__getrf_ways, weft__getrs_ways, weft__trsm_ways, weft__geqrf_ways,
    weft__syevd_ways, weft__gesdd_ways;

/// Sizes up to which the way `small` fits.
#define WEFT__SMALL_MATRIX 64

/// Whether the way `small` is taken for the LU factorization of a `[batch, m, n]`.
bool weft__step_is_small(const weft_array *a);

/// The matrix op(T) of a triangular solve. Elements outside of the triangle are not read.
typedef struct weft__triangle {
  bool is_upper;   /* T is upper triangular */
  bool is_unit;    /* the diagonal is taken as 1 and not read */
  bool transposes; /* op(T) is the transposed T */
  bool conjugates; /* op(T) is conjugated: with `transposes` the adjoint */
} weft__triangle;

/// Cholesky: the lower triangle of a `[batch, n, n]`, of which only this triangle is read, becomes L with
/// a = L * adjoint(L). The elements above the diagonal become 0. info: the order of the leading minor that is not
/// positive definite (also if it has NaN); then the matrix's elements are indeterminate.
weft_status weft__step_potrf(weft_array *a, weft_array *info, const char *site);

/// LU with partial pivoting: a `[batch, m, n]` becomes L (unit diagonal, not stored) and U. pivots: i32 `[batch, min(m,
/// n)]`; row i was exchanged with row pivots[i] >= i, counted from 0, for i from 0 on. info: the place of the first
/// diagonal element of U that is exactly 0; the factorization is complete even then.
weft_status weft__step_getrf(weft_array *a, weft_array *pivots, weft_array *info, const char *site);

/// Solves A X = b for b `[batch, n, k]` in place, with the results of weft__step_getrf.
weft_status weft__step_getrs(weft_array *b, const weft_array *lu, const weft_array *pivots, const char *site);

/// Sets x `[batch, n, n]` to the inverse of A, from the results of weft__step_getrf.
weft_status weft__step_getri(weft_array *x, const weft_array *lu, const weft_array *pivots, const char *site);

/// Solves op(T) X = b for b `[batch, n, k]` in place, t `[batch, n, n]`. from (NULL: b itself): where the right-hand
/// sides are, as many, which b is not. info (NULL: not wanted): the place of the first diagonal element that is exactly
/// 0, where the solution has infinities or NaN.
weft_status weft__step_trsm(weft_array *b, const weft_array *from, const weft_array *t, weft__triangle triangle,
                            weft_array *info, const char *site);
/// The part of weft__step_trsm that sets info, if that takes a launch of its own: then *info becomes NULL. b is not
/// read.
weft_status weft__step_zero_pivot(weft_array **info, const weft_array *b, const weft_array *t, weft__triangle triangle,
                                  const char *site);

/// QR by Householder reflections, with LAPACK's signs: a `[batch, m, n]`, which is overwritten. r: `[batch, k, n]`,
/// zero below the diagonal; q: `[batch, m, k]` (NULL: not wanted), where k is min(m, n), or m for all columns of Q.
weft_status weft__step_geqrf(weft_array *q, weft_array *r, weft_array *a, const char *site);

/// Eigenvalues w `[batch, n]`, ascending, of the Hermitian matrices a `[batch, n, n]`, of which the lower triangle is
/// read. With `wants_vectors` the columns of a become the eigenvectors, else its elements are indeterminate. info: not
/// 0 if the iteration did not converge (also for NaN).
weft_status weft__step_syevd(weft_array *w, weft_array *a, bool wants_vectors, weft_array *info, const char *site);

/// Singular values s `[batch, k]`, descending, k = min(m, n), of a `[batch, m, n]`, which is overwritten. With u
/// `[batch, m, k or m]` and vh `[batch, k or n, n]`, a = u * s * vh; both NULL: values only. info as in
/// weft__step_syevd.
weft_status weft__step_gesdd(weft_array *u, weft_array *s, weft_array *vh, weft_array *a, weft_array *info,
                             const char *site);

/// The least squares solution of least norm: x `[batch, n, k]` of a x = b, a `[batch, m, n]`, b `[batch, m, k]`; a and
/// b are overwritten. s: the singular values `[batch, min(m, n)]`; rank: i32 `[batch]`, the singular values above rcond
/// times the largest. info as in weft__step_syevd. Without `wants_s`, s may stay indeterminate.
typedef struct weft__gelsd {
  weft_array *x, *s, *rank, *info;
  weft_array *a, *b;
  double rcond; /* below 0: the dtype's epsilon */
  bool wants_s;
} weft__gelsd;
weft_status weft__step_gelsd(const weft__gelsd *step, const char *site);

#endif
