// SPDX-License-Identifier: MIT
#include "primitive.h"

static weft_status from_coo(weft_csr **a, primitive *p) {
  return weft_csr_from_coo(a, NULL, X(0), X(1), X(2), SHAPE(0));
}

static weft_status dense_of(primitive *p, weft_csr **a, weft_status made) {
  if (made == WEFT_OK) made = weft_csr_to_dense(R(0), *a);
  weft_csr_release(a);
  return made;
}

static weft_status dense(primitive *p) {
  weft_csr *a = NULL;
  weft_status rc = from_coo(&a, p);
  return dense_of(p, &a, rc);
}

static weft_status arrays(primitive *p) {
  weft_csr *a = NULL;
  weft_status rc = weft_csr_create(&a, NULL, X(0), X(1), X(2), SHAPE(0));
  return dense_of(p, &a, rc);
}

static weft_status transposed(primitive *p) {
  weft_csr *a = NULL, *turned = NULL;
  weft_status rc = from_coo(&a, p);
  if (rc == WEFT_OK) rc = weft_csr_transpose(&turned, a);
  weft_csr_release(&a);
  return dense_of(p, &turned, rc);
}

/// Rows and columns as NumPy has them, i64.
static weft_status elements(primitive *p) {
  weft_csr *a = NULL;
  weft_array *rows = NULL, *columns = NULL;
  weft_status rc = weft_csr_from_dense(&a, NULL, X(0));
  if (rc == WEFT_OK) rc = weft_csr_to_coo(&rows, &columns, R(2), a);
  if (rc == WEFT_OK) rc = weft_eval(R(0), NULL, "i64(x)", WEFT_NAMED("x", rows));
  if (rc == WEFT_OK) rc = weft_eval(R(1), NULL, "i64(x)", WEFT_NAMED("x", columns));
  weft_csr_release(&a);
  weft_array_release(&rows);
  weft_array_release(&columns);
  return rc;
}

static weft_status product(primitive *p) {
  weft_csr *a = NULL;
  weft_csr_matmul_params options = {.site = NULL};
  if (COUNT > 1) options.scale = scalar_of(p, 1), options.accumulate = scalar_of(p, 2);
  weft_status rc = from_coo(&a, p);
  if (rc == WEFT_OK) rc = weft_csr_matmul(R(0), a, X(3), .scale = options.scale, .accumulate = options.accumulate);
  weft_csr_release(&a);
  return rc;
}

#define CALLS_SPARSE(C)            \
  C(csr_dense, dense(p))           \
  C(csr_arrays, arrays(p))         \
  C(csr_transposed, transposed(p)) \
  C(csr_elements, elements(p))     \
  C(csr_matmul, product(p))        \
  C(csr_scaled, product(p))

CALLS_SPARSE(DEFINE_CALL)
const call_row calls_of_sparse[] = {CALLS_SPARSE(CALL_ROW){NULL, NULL}};
