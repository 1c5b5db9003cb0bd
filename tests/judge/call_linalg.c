// SPDX-License-Identifier: MIT
#include "primitive.h"

/* Vectors of a factorization are unique up to their signs or phases only, so these calls return products of results: of
   all factors, which is the operand, and of a factor with its adjoint, which is the identity. */

/// The adjoint of the matrices of x.
static weft_status adjoint_of(weft_array **out, weft_array *x) {
  weft_array *turned = NULL;
  weft_status rc = weft_swapaxes(&turned, x, -2, -1);
  if (rc == WEFT_OK) rc = weft_conj(out, turned);
  weft_array_release(&turned);
  return rc;
}

/// The product of x and its adjoint, or with `columns` of its adjoint and x.
static weft_status square_of(weft_operand out, weft_array *x, bool columns) {
  weft_array *adjoint = NULL;
  weft_status rc = adjoint_of(&adjoint, x);
  if (rc == WEFT_OK) rc = columns ? weft_matmul(out, adjoint, x) : weft_matmul(out, x, adjoint);
  weft_array_release(&adjoint);
  return rc;
}

/// u * s @ vh, where s has an axis less.
static weft_status product_of(weft_operand out, weft_array *u, weft_array *s, weft_array *vh) {
  weft_array *row = NULL, *scaled = NULL;
  weft_status rc = weft_expand(&row, s, -2);
  if (rc == WEFT_OK) rc = weft_multiply(&scaled, u, row);
  if (rc == WEFT_OK) rc = weft_matmul(out, scaled, vh);
  weft_array_release(&scaled);
  weft_array_release(&row);
  return rc;
}

typedef enum product { WHOLE, LEFT, RIGHT } product;

static weft_status eigh_product(primitive *p, product which, bool upper) {
  weft_array *w = NULL, *v = NULL, *adjoint = NULL;
  weft_status rc = weft_eigh(&w, &v, X(0), .upper = upper);
  if (rc == WEFT_OK && which == LEFT) rc = square_of(R(0), v, true);
  if (rc == WEFT_OK && which == WHOLE) rc = adjoint_of(&adjoint, v);
  if (rc == WEFT_OK && which == WHOLE) rc = product_of(R(0), v, w, adjoint);
  weft_release(&adjoint, &v, &w);
  return rc;
}

static weft_status svd_product(primitive *p, product which, bool full) {
  weft_array *u = NULL, *s = NULL, *vh = NULL;
  weft_status rc = weft_svd(&u, &s, &vh, X(0), .full_matrices = full);
  if (rc == WEFT_OK && which == WHOLE) rc = product_of(R(0), u, s, vh);
  if (rc == WEFT_OK && which == LEFT) rc = square_of(R(0), u, true);
  if (rc == WEFT_OK && which == RIGHT) rc = square_of(R(0), vh, false);
  weft_release(&vh, &s, &u);
  return rc;
}

static weft_status qr_product(primitive *p, product which, bool complete) {
  weft_array *q = NULL, *r = NULL;
  weft_status rc = weft_qr(&q, &r, X(0), .complete = complete);
  if (rc == WEFT_OK) rc = which == LEFT ? square_of(R(0), q, true) : weft_matmul(R(0), q, r);
  weft_release(&r, &q);
  return rc;
}

static weft_status lu_product(primitive *p) {
  weft_array *permutation = NULL, *l = NULL, *u = NULL, *rows = NULL;
  weft_status rc = weft_lu(&permutation, &l, &u, X(0));
  if (rc == WEFT_OK) rc = weft_matmul(&rows, permutation, l);
  if (rc == WEFT_OK) rc = weft_matmul(R(0), rows, u);
  weft_release(&rows, &u, &l, &permutation);
  return rc;
}

static weft_status lu_indices(primitive *p) { /* of one matrix */
  weft_array *order = NULL, *l = NULL, *u = NULL, *rows = NULL;
  weft_status rc = weft_lu(&order, &l, &u, X(0), .indices = true);
  if (rc == WEFT_OK) rc = weft_take(&rows, l, order, 0);
  if (rc == WEFT_OK) rc = weft_matmul(R(0), rows, u);
  weft_release(&rows, &u, &l, &order);
  return rc;
}

static weft_status lu_solve(primitive *p) {
  weft_array *lu = NULL, *pivots = NULL;
  weft_status rc = weft_lu_factor(&lu, &pivots, X(0));
  if (rc == WEFT_OK) rc = weft_lu_solve(R(0), lu, pivots, X(1));
  weft_release(&pivots, &lu);
  return rc;
}

/// A call with an option .info in place of a result in a place of any kind.
static weft_status with_info(primitive *p, bool inverts) {
  weft_array *info = NULL;
  weft_status rc = inverts ? weft_inv(R(0), X(0), .info = &info) : weft_cholesky(R(0), X(0), .info = &info);
  if (rc == WEFT_OK) rc = weft_positive(R(1), info);
  weft_release(&info);
  return rc;
}

static weft_status lstsq_all(primitive *p) {
  weft_array *residuals = NULL, *rank = NULL, *s = NULL;
  weft_status rc = weft_lstsq(R(0), X(0), X(1), .residuals = &residuals, .rank = &rank, .s = &s, .rtol = F(0));
  if (rc == WEFT_OK) rc = weft_positive(R(1), residuals);
  if (rc == WEFT_OK) rc = weft_positive(R(2), rank);
  if (rc == WEFT_OK) rc = weft_positive(R(3), s);
  weft_release(&residuals, &rank, &s);
  return rc;
}

#define CALLS_LINALG(C)                                                                                                \
  C(cholesky, weft_cholesky(R(0), X(0), .upper = I(0)))                                                                \
  C(cholesky_info, with_info(p, false))                                                                                \
  C(lu_product, lu_product(p))                                                                                         \
  C(lu_indices, lu_indices(p))                                                                                         \
  C(lu_pivots, weft_lu_factor(R(0), R(1), X(0)))                                                                       \
  C(lu_solve, lu_solve(p))                                                                                             \
  C(qr_product, qr_product(p, WHOLE, I(0)))                                                                            \
  C(qr_unitary, qr_product(p, LEFT, I(0)))                                                                             \
  C(qr_r, weft_qr(NULL, R(0), X(0), .complete = I(0)))                                                                 \
  C(eigh_product, eigh_product(p, WHOLE, I(0)))                                                                        \
  C(eigh_unitary, eigh_product(p, LEFT, I(0)))                                                                         \
  C(eigvalsh, weft_eigh(R(0), NULL, X(0), .upper = I(0)))                                                              \
  C(svd_product, svd_product(p, WHOLE, false))                                                                         \
  C(svd_left, svd_product(p, LEFT, I(0)))                                                                              \
  C(svd_right, svd_product(p, RIGHT, I(0)))                                                                            \
  C(svdvals, weft_svd(NULL, R(0), NULL, X(0)))                                                                         \
  C(solve, weft_solve(R(0), X(0), X(1)))                                                                               \
  C(solve_triangular, weft_solve_triangular(R(0), X(0), X(1), .lower = I(0), .unit_diagonal = I(1), .transpose = I(2), \
                                            .conjugate = I(3)))                                                        \
  C(lstsq, weft_lstsq(R(0), X(0), X(1)))                                                                               \
  C(lstsq_all, lstsq_all(p))                                                                                           \
  C(inv, weft_inv(R(0), X(0)))                                                                                         \
  C(inv_info, with_info(p, true))                                                                                      \
  C(pinv, weft_pinv(R(0), X(0), .rtol = F(0), .hermitian = I(1)))                                                      \
  C(det, weft_det(R(0), X(0)))                                                                                         \
  C(slogdet, weft_slogdet(R(0), R(1), X(0)))                                                                           \
  C(matrix_rank, weft_matrix_rank(R(0), X(0), .rtol = F(0), .hermitian = I(1)))                                        \
  C(cond, weft_cond(R(0), X(0), .order = (weft_norm_order)I(0)))                                                       \
  C(matrix_norm, weft_matrix_norm(R(0), X(0), AXES(1), .order = (weft_norm_order)I(0)))                                \
  C(matrix_power, weft_matrix_power(R(0), X(0), I(0)))

CALLS_LINALG(DEFINE_CALL)
const call_row calls_of_linalg[] = {CALLS_LINALG(CALL_ROW){NULL, NULL}};
