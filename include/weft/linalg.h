// SPDX-License-Identifier: MIT
/// Linear algebra: factorizations of matrices, systems of equations, least squares, inverses, determinants, eigenvalues
/// and singular values.
///
///     rc = weft_solve(&x, a, b);                                     A X = B
///     rc = weft_svd(&u, &s, &vh, a);                                 A = U diag(s) V^H
///     rc = weft_eigh(&w, NULL, a);                                   eigenvalues alone
///     rc = weft_cholesky(&l, stack, .info = &info);                  10 000 matrices; info says which failed
///     rc = weft_lstsq(&x, a, b, .rank = &rank);                      the least squares solution
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_LINALG_H
#define WEFT_LINALG_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/* ---- all functions ----
   A matrix is the last two axes of an operand; axes before them make a stack, and the function works on each matrix of
   it. The stacks of two operands broadcast. Operands may have any strides, and are copied.

   Dtypes: f32, f64, c64 and c128; of two, the one that NumPy promotes to. Integers and bool are computed in f64 (in f32
   on a device without f64). f16 and bf16 are WEFT_ERROR_DTYPE, as in NumPy: cast them (weft_cast). Singular values,
   eigenvalues and logarithms are real.

   Matrices up to 64 by 64 are computed by Weft's kernels, a whole stack in one launch. Larger ones are computed by
   blocks on the device, or on CPU devices by a LAPACK library where there is one (docs/linalg.md). A call by LAPACK
   waits; so do eigenvalues and singular values of matrices over 64 by 64.
   LAPACK's 32-bit integers do not count the workspace for eigenvectors beyond a side of 32 766, nor for singular
   vectors beyond about 23 000, complex ones 15 000: WEFT_ERROR_UNSUPPORTED.

   Failures: WEFT_ERROR_SINGULAR (a matrix is singular, or not positive definite) and WEFT_ERROR_CONVERGENCE (an
   iteration did not converge: the matrix has NaN or infinities). The message names the first such matrix of the stack
   and the place in it. To find out, the call waits. With .info it does not wait and reports neither: the i32 array, of
   the stack's shape, has 0 for each matrix that succeeded, else the 1-based place of the failure as in LAPACK, and such
   a matrix's results are indeterminate.

   A matrix with NaN is WEFT_ERROR_CONVERGENCE for functions of eigenvalues and singular values, and no positive
   definite one for weft_cholesky. All other functions return NaN for it; it is singular only if a pivot before its
   first column with NaN is 0. */

/// Options of weft_cholesky and weft_eigh.
typedef struct weft_hermitian_params {
  bool upper;        /* reads the upper triangle, not the lower one; weft_cholesky returns U with A = U^H U */
  weft_array **info; /* receives the places of failures */
  const char *site;  /* set by the macros */
} weft_hermitian_params;

/// Options of weft_lu.
typedef struct weft_lu_params {
  bool indices;     /* `p` is the permutation's indices, i64 [..., m], with A = L[p] U; not a matrix */
  const char *site; /* set by the macro */
} weft_lu_params;

/// Options of weft_qr.
typedef struct weft_qr_params {
  bool complete;    /* Q is m x m and R is m x n */
  const char *site; /* set by the macro */
} weft_qr_params;

/// Options of weft_lu_factor, weft_solve and weft_inv.
typedef struct weft_solve_params {
  weft_array **info; /* receives the places of failures */
  const char *site;  /* set by the macros */
} weft_solve_params;

/// Options of weft_solve_triangular.
typedef struct weft_triangular_params {
  bool lower;         /* A is lower triangular, not upper */
  bool unit_diagonal; /* the diagonal is taken as 1 and not read */
  bool transpose;     /* solves with A transposed; with .conjugate with A^H */
  bool conjugate;     /* solves with A conjugated */
  weft_array **info;  /* receives the places of failures */
  const char *site;   /* set by the macro */
} weft_triangular_params;

/// Options of weft_lstsq. The arrays are further results, each the address of a handle. NULL: not wanted.
typedef struct weft_lstsq_params {
  weft_array **residuals; /* the squared length of each column of B - A X: [..., k], for a vector b without the k */
  weft_array **rank;      /* i32, of the stack's shape: the singular values above the bound */
  weft_array **s;         /* the singular values [..., min(m, n)], descending */
  double rtol;            /* singular values up to this times the largest count as 0; 0: max(m, n) times epsilon */
  weft_array **info;      /* receives the places of failures */
  const char *site;       /* set by the macro */
} weft_lstsq_params;

/// Options of weft_svd.
typedef struct weft_svd_params {
  bool full_matrices; /* U is m x m and V^H is n x n; NumPy's default */
  weft_array **info;  /* receives the places of failures */
  const char *site;   /* set by the macro */
} weft_svd_params;

/// Options of weft_pinv and weft_matrix_rank.
typedef struct weft_rank_params {
  double rtol;       /* singular values up to this times the largest count as 0; 0: max(m, n) times epsilon */
  bool hermitian;    /* the matrices are Hermitian: their eigenvalues are computed instead, in less time, from the lower
                        triangle alone */
  weft_array **info; /* receives the places of failures */
  const char *site;  /* set by the macros */
} weft_rank_params;

/// Norms of matrices, for weft_matrix_norm and weft_cond. The numbers are NumPy's: `.order = -2` is WEFT_NORM_MINUS_2.
typedef enum weft_norm_order {
  WEFT_NORM_DEFAULT = 0,   /* of weft_matrix_norm: FRO; of weft_cond: 2 */
  WEFT_NORM_1 = 1,         /* the greatest sum of the magnitudes in a column, */
  WEFT_NORM_MINUS_1 = -1,  /* and the least */
  WEFT_NORM_2 = 2,         /* the greatest singular value, */
  WEFT_NORM_MINUS_2 = -2,  /* and the least */
  WEFT_NORM_FRO = 3,       /* Frobenius: the square root of the sum of the squared magnitudes */
  WEFT_NORM_NUC = 4,       /* nuclear: the sum of the singular values */
  WEFT_NORM_INF = 5,       /* the greatest sum of the magnitudes in a row, */
  WEFT_NORM_MINUS_INF = -5 /* and the least */
} weft_norm_order;

/// Options of weft_matrix_norm and weft_cond.
typedef struct weft_matrix_norm_params {
  weft_norm_order order;
  const char *site; /* set by the macros */
} weft_matrix_norm_params;

/* ---- factorizations ---- */

/// numpy.linalg.cholesky: L with A = L L^H, zero above the diagonal, of Hermitian positive definite matrices `a` [...,
/// n, n], of which only the lower triangle is read. WEFT_ERROR_SINGULAR: not positive definite; info has the order of
/// the first leading minor that is not. WEFT_ERROR_SHAPE: not square.
WEFT_API WEFT_NODISCARD weft_status weft_cholesky(weft_array **l, const weft_array *a,
                                                  const weft_hermitian_params *params);

/// scipy.linalg.lu: A = P L U for `a` [..., m, n], k = min(m, n), with partial pivoting. `p` is a permutation matrix
/// [..., m, m] of the real dtype (.indices: its indices), `l` [..., m, k] has a diagonal of ones, `u` is [..., k, n]. A
/// result that is NULL is not made. Never fails for a singular matrix.
WEFT_API WEFT_NODISCARD weft_status weft_lu(weft_array **p, weft_array **l, weft_array **u, const weft_array *a,
                                            const weft_lu_params *params);
/// scipy.linalg.lu_factor: L (without its diagonal of ones) and U in one array of a's shape, and `pivots`, i32
/// [..., min(m, n)]: row i was exchanged with row pivots[i]. Never fails for a singular matrix; .info tells.
WEFT_API WEFT_NODISCARD weft_status weft_lu_factor(weft_array **lu, weft_array **pivots, const weft_array *a,
                                                   const weft_solve_params *params);
/// scipy.linalg.lu_solve: solves A X = B with the results of weft_lu_factor for a square A; shapes as for weft_solve.
/// The solution of a singular system has infinities or NaN. WEFT_ERROR_DTYPE: the pivots are not i32.
WEFT_API WEFT_NODISCARD weft_status weft_lu_solve(weft_array **x, const weft_array *lu, const weft_array *pivots,
                                                  const weft_array *b);

/// numpy.linalg.qr: A = Q R for `a` [..., m, n], by Householder reflections with LAPACK's signs: `q` [..., m, k] and
/// `r` [..., k, n], k = min(m, n) (.complete: m). One of the results may be NULL.
WEFT_API WEFT_NODISCARD weft_status weft_qr(weft_array **q, weft_array **r, const weft_array *a,
                                            const weft_qr_params *params);

/// numpy.linalg.eigh: the eigenvalues `w` [..., n], ascending, of Hermitian matrices `a` [..., n, n], of which one
/// triangle is read, and their eigenvectors, the columns of `v` [..., n, n] (NULL: values alone, as eigvalsh).
WEFT_API WEFT_NODISCARD weft_status weft_eigh(weft_array **w, weft_array **v, const weft_array *a,
                                              const weft_hermitian_params *params);

/// numpy.linalg.svd: A = U diag(s) V^H for `a` [..., m, n], k = min(m, n): `u` [..., m, k], the singular values `s`
/// [..., k], descending, and `vh` [..., k, n]. `u` and `vh` may be NULL; both: values alone.
WEFT_API WEFT_NODISCARD weft_status weft_svd(weft_array **u, weft_array **s, weft_array **vh, const weft_array *a,
                                             const weft_svd_params *params);

/* ---- equations ---- */

/// numpy.linalg.solve: X with A X = B for square `a` [..., n, n]. As in NumPy 2, a `b` of one axis is a vector (also
/// for a stack of matrices); all others are matrices [..., n, k]. WEFT_ERROR_SINGULAR: a pivot is exactly 0; info has
/// its place. WEFT_ERROR_SHAPE: not square, or b has another number of rows.
WEFT_API WEFT_NODISCARD weft_status weft_solve(weft_array **x, const weft_array *a, const weft_array *b,
                                               const weft_solve_params *params);

/// scipy.linalg.solve_triangular: X with A X = B for triangular `a`; the other triangle is not read. Shapes and errors
/// as for weft_solve; singular: an element of the diagonal is exactly 0.
WEFT_API WEFT_NODISCARD weft_status weft_solve_triangular(weft_array **x, const weft_array *a, const weft_array *b,
                                                          const weft_triangular_params *params);

/// numpy.linalg.lstsq: X [..., n, k] of least norm that minimizes the length of B - A X for each column of B [..., m,
/// k]; `a` [..., m, n] of any rank. A `b` of one axis is a vector. Works on stacks, too; residuals are made for every
/// rank.
WEFT_API WEFT_NODISCARD weft_status weft_lstsq(weft_array **x, const weft_array *a, const weft_array *b,
                                               const weft_lstsq_params *params);

/* ---- inverses, determinants, rank ---- */

/// numpy.linalg.inv. Errors as for weft_solve, which is faster and more accurate for a system of equations.
WEFT_API WEFT_NODISCARD weft_status weft_inv(weft_array **out, const weft_array *a, const weft_solve_params *params);
/// numpy.linalg.pinv: the Moore-Penrose inverse [..., n, m] of `a` [..., m, n]. The default of .rtol is SciPy's, not
/// NumPy's 1e-15.
WEFT_API WEFT_NODISCARD weft_status weft_pinv(weft_array **out, const weft_array *a, const weft_rank_params *params);

/// numpy.linalg.det, of the stack's shape; 0 for a singular matrix. Overflows only if the determinant does.
WEFT_API WEFT_NODISCARD weft_status weft_det(weft_array **out, const weft_array *a);
/// numpy.linalg.slogdet: det(A) = sign * exp(logabsdet). `sign` is -1, 0 or 1, for complex matrices of length 1 or 0;
/// `logabsdet` is real, -infinity for a singular matrix. One of the results may be NULL.
WEFT_API WEFT_NODISCARD weft_status weft_slogdet(weft_array **sign, weft_array **logabsdet, const weft_array *a);

/// numpy.linalg.matrix_rank: the number of singular values above .rtol times the largest, i64, of the stack's shape. An
/// `a` of fewer than two axes has rank 1, or 0 if all its elements are 0.
WEFT_API WEFT_NODISCARD weft_status weft_matrix_rank(weft_array **out, const weft_array *a,
                                                     const weft_rank_params *params);

/* ---- powers, norms, condition ----
   WEFT_NORM_FRO, WEFT_NORM_1, WEFT_NORM_INF and the negatives are sums as weft_norm's (weft/reduce.h), of all dtypes.
   WEFT_NORM_NUC, _2 and _MINUS_2 need singular values: a norm is NaN if their iteration does not converge, and f16 and
   bf16 are WEFT_ERROR_DTYPE. These norms, and condition numbers, wait only for matrices over 64 by 64. The norm of
   an empty matrix is 0, but the least of no sums or of no singular values is WEFT_ERROR_SHAPE. */

/// numpy.linalg.matrix_power: A A ... A, `exponent` times; 0: the identity; negative: the power of the inverse (errors
/// as for weft_inv). Products are weft_matmul's: of all dtypes, integers wrap; inverses are of weft_inv's dtypes. For
/// an exponent of b bits at most 2 b - 2 products. WEFT_ERROR_SHAPE: not square.
WEFT_API WEFT_NODISCARD weft_status weft_matrix_power(weft_array **out, const weft_array *a, int64_t exponent);
/// numpy.linalg.matrix_norm, and numpy.linalg.norm of two axes: the norms of the matrices whose row is numbered by the
/// first of `axes` and whose column by the second, usually WEFT_AXES(-2, -1). weft_keepdims keeps both.
/// WEFT_ERROR_AXIS: not two axes.
WEFT_API WEFT_NODISCARD weft_status weft_matrix_norm(weft_array **out, const weft_array *a, weft_axes axes,
                                                     const weft_matrix_norm_params *params);
/// numpy.linalg.cond, of the stack's shape. By default the largest singular value divided by the smallest;
/// WEFT_NORM_MINUS_2: the reverse; of the other orders the norm of A times the norm of its inverse, of square matrices.
/// Infinity for a singular matrix, NaN for a matrix with NaN. WEFT_ERROR_SHAPE: the matrices are empty, or not square.
WEFT_API WEFT_NODISCARD weft_status weft_cond(weft_array **out, const weft_array *a,
                                              const weft_matrix_norm_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__cholesky_at(weft_operand l, weft_operand a,
                                                      const weft_hermitian_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__lu_at(weft_operand p, weft_operand l, weft_operand u, weft_operand a,
                                                const weft_lu_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__lu_factor_at(weft_operand lu, weft_operand pivots, weft_operand a,
                                                       const weft_solve_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__lu_solve_at(weft_operand x, weft_operand lu, weft_operand pivots,
                                                      weft_operand b, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__qr_at(weft_operand q, weft_operand r, weft_operand a,
                                                const weft_qr_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__eigh_at(weft_operand w, weft_operand v, weft_operand a,
                                                  const weft_hermitian_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__svd_at(weft_operand u, weft_operand s, weft_operand vh, weft_operand a,
                                                 const weft_svd_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__solve_at(weft_operand x, weft_operand a, weft_operand b,
                                                   const weft_solve_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__solve_triangular_at(weft_operand x, weft_operand a, weft_operand b,
                                                              const weft_triangular_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__lstsq_at(weft_operand x, weft_operand a, weft_operand b,
                                                   const weft_lstsq_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__inv_at(weft_operand out, weft_operand a, const weft_solve_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__pinv_at(weft_operand out, weft_operand a, const weft_rank_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__det_at(weft_operand out, weft_operand a, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__slogdet_at(weft_operand sign, weft_operand logabsdet, weft_operand a,
                                                     const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__matrix_rank_at(weft_operand out, weft_operand a,
                                                         const weft_rank_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__matrix_power_at(weft_operand out, weft_operand a, int64_t exponent,
                                                          const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__matrix_norm_at(weft_operand out, weft_operand a, weft_axes axes,
                                                         const weft_matrix_norm_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__cond_at(weft_operand out, weft_operand a,
                                                  const weft_matrix_norm_params *params);

#define weft_cholesky(l, ...)                                                 \
  weft__cholesky_at(WEFT__RESULT(l), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                    WEFT__OPTIONS(weft_hermitian_params, __VA_ARGS__))
#define weft_lu(p, l, u, ...)                                                            \
  weft__lu_at(WEFT__RESULT_OR_NULL(p), WEFT__RESULT_OR_NULL(l), WEFT__RESULT_OR_NULL(u), \
              WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), WEFT__OPTIONS(weft_lu_params, __VA_ARGS__))
#define weft_lu_factor(lu, pivots, ...)                                                               \
  weft__lu_factor_at(WEFT__RESULT(lu), WEFT__RESULT(pivots), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                     WEFT__OPTIONS(weft_solve_params, __VA_ARGS__))
#define weft_lu_solve(x, lu, pivots, b) \
  weft__lu_solve_at(WEFT__RESULT(x), WEFT__OPERAND(lu), WEFT__OPERAND(pivots), WEFT__OPERAND(b), WEFT_SITE)
#define weft_qr(q, r, ...)                                                                               \
  weft__qr_at(WEFT__RESULT_OR_NULL(q), WEFT__RESULT_OR_NULL(r), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
              WEFT__OPTIONS(weft_qr_params, __VA_ARGS__))
#define weft_eigh(w, v, ...)                                                                       \
  weft__eigh_at(WEFT__RESULT(w), WEFT__RESULT_OR_NULL(v), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                WEFT__OPTIONS(weft_hermitian_params, __VA_ARGS__))
#define weft_svd(u, s, vh, ...)                                                    \
  weft__svd_at(WEFT__RESULT_OR_NULL(u), WEFT__RESULT(s), WEFT__RESULT_OR_NULL(vh), \
               WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), WEFT__OPTIONS(weft_svd_params, __VA_ARGS__))
#define weft_solve(x, a, ...)                                                                \
  weft__solve_at(WEFT__RESULT(x), WEFT__OPERAND(a), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                 WEFT__OPTIONS(weft_solve_params, __VA_ARGS__))
#define weft_solve_triangular(x, a, ...)                                                                \
  weft__solve_triangular_at(WEFT__RESULT(x), WEFT__OPERAND(a), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                            WEFT__OPTIONS(weft_triangular_params, __VA_ARGS__))
#define weft_lstsq(x, a, ...)                                                                \
  weft__lstsq_at(WEFT__RESULT(x), WEFT__OPERAND(a), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                 WEFT__OPTIONS(weft_lstsq_params, __VA_ARGS__))
#define weft_inv(out, ...)                                                 \
  weft__inv_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
               WEFT__OPTIONS(weft_solve_params, __VA_ARGS__))
#define weft_pinv(out, ...)                                                 \
  weft__pinv_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                WEFT__OPTIONS(weft_rank_params, __VA_ARGS__))
#define weft_det(out, a) weft__det_at(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT_SITE)
#define weft_slogdet(sign, logabsdet, a) \
  weft__slogdet_at(WEFT__RESULT_OR_NULL(sign), WEFT__RESULT_OR_NULL(logabsdet), WEFT__OPERAND(a), WEFT_SITE)
#define weft_matrix_rank(out, ...)                                                 \
  weft__matrix_rank_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                       WEFT__OPTIONS(weft_rank_params, __VA_ARGS__))
#define weft_matrix_power(out, a, exponent) \
  weft__matrix_power_at(WEFT__RESULT(out), WEFT__OPERAND(a), (exponent), WEFT_SITE)
#define weft_matrix_norm(out, a, ...)                                                             \
  weft__matrix_norm_at(WEFT__RESULT(out), WEFT__OPERAND(a), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                       WEFT__OPTIONS(weft_matrix_norm_params, __VA_ARGS__))
#define weft_cond(out, ...)                                                 \
  weft__cond_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                WEFT__OPTIONS(weft_matrix_norm_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
