// SPDX-License-Identifier: MIT
// The program about sparse matrices: from elements with duplicates, from other arrays and a dense one, and back; the
// transposed matrix; products with a vector and with a matrix.
#include <weft/weft.h>

#include "fault_driver.h"
#include "fault_programs.h"

int program_sparse(int argc, char **argv) {
  static const int32_t row[] = {1, 0, 1, 1}, column[] = {2, 0, 0, 2}, indptr[] = {0, 2, 2}, indices[] = {2, 0};
  static const float value[] = {1, 2, 3, 4}, three[] = {1, 2, 3}, six[] = {1, 2, 3, 4, 5, 6};
  int status = 0;
  float host[6];
  weft_context *context = NULL;
  weft_csr *a = NULL, *turned = NULL, *other = NULL, *kept = NULL;
  weft_csr_info info;
  weft_array *x = NULL, *y = NULL, *wide = NULL, *many = NULL, *dense = NULL, *rows = NULL, *data = NULL,
             *values = NULL, *where = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_from_host(&x, context, WEFT_F32, WEFT_SHAPE(3), three));
  MAKE(&values, weft_from_host(&values, context, WEFT_F32, WEFT_SHAPE(4), value));
  MAKE(&where, weft_from_host(&where, context, WEFT_I32, WEFT_SHAPE(3), indptr));
  MAKE(&a, weft_csr_from_coo(&a, NULL, WEFT_HOST(row, WEFT_I32, WEFT_SHAPE(4)),
                             WEFT_HOST(column, WEFT_I32, WEFT_SHAPE(4)), values, WEFT_SHAPE(2, 3)));
  MAKE(&y, weft_csr_matmul(&y, a, x));
  TRY(weft_csr_matmul(&y, a, x, .scale = WEFT_SCALAR(2), .accumulate = WEFT_SCALAR(1)));
  TRY(weft_to_host(host, 2 * sizeof *host, y));
  KEPT(host[0] == 6 && host[1] == 54);
  MAKE(&wide, weft_from_host(&wide, context, WEFT_F32, WEFT_SHAPE(3, 2), six));
  MAKE(&many, weft_csr_matmul(&many, a, wide));
  TRY(weft_to_host(host, 4 * sizeof *host, many));
  KEPT(host[0] == 2 && host[1] == 4 && host[2] == 28 && host[3] == 36);
  MAKE(&turned, weft_csr_transpose(&turned, a));
  MAKE(&dense, weft_csr_to_dense(&dense, turned));
  TRY(weft_to_host(host, sizeof host, dense));
  KEPT(host[0] == 2 && host[1] == 3 && host[5] == 5);
  MAKE(&other, weft_csr_from_dense(&other, NULL, dense));
  MAKE(&rows, weft_csr_to_coo(&rows, NULL, NULL, other));
  weft_csr_release(&other);
  MAKE(&other, weft_csr_create(&other, NULL, where, WEFT_HOST(indices, WEFT_I32, WEFT_SHAPE(2)),
                               WEFT_HOST(value, WEFT_F32, WEFT_SHAPE(2)), WEFT_SHAPE(2, 3)));
  MAKE(&data, weft_csr_parts(NULL, NULL, &data, other));
  TRY(weft_csr_get(&info, other));
  KEPT(info.count == 2);
  kept = weft_csr_retain(other);
  weft_csr_release(&kept);
  FAILS(WEFT_ERROR_SHAPE, weft_csr_matmul(&y, turned, x));

done:
  fault_leave();
  weft_release(&a, &turned, &other, &x, &y, &wide, &many, &dense, &rows, &data, &values, &where);
  weft_context_release(&context);
  return status;
}
