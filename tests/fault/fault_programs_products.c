// SPDX-License-Identifier: MIT
// The program about sums of products: several steps, copies of operands, results in place, chains.
#include <weft/weft.h>

#include "fault_driver.h"
#include "fault_programs.h"

int program_products(int argc, char **argv) {
  static const float numbers[] = {1, 2, 3, 4, 5, 6};
  int status = 0;
  float host[6];
  char *text = NULL;
  weft_context *context = NULL;
  weft_array *a = NULL, *b = NULL, *y = NULL, *z = NULL, *chain[3];
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&a, weft_from_host(&a, context, WEFT_F32, WEFT_SHAPE(2, 3), numbers));
  MAKE(&b, weft_from_host(&b, context, WEFT_F32, WEFT_SHAPE(3, 2), numbers));
  MAKE(&y, weft_einsum(&y, "ij,jk,kl->li", a, b, a));
  TRY(weft_to_host(host, sizeof host, y));
  KEPT(host[0] == 134 && host[1] == 305 && host[2] == 184 && host[5] == 531);
  TRY(weft_einsum(&b, "ij->ji", WEFT_HOST(numbers, WEFT_F32, WEFT_SHAPE(2, 3))));
  TRY(weft_einsum(&b, "ji->ij", a)); /* b is a's transpose */
  TRY(weft_tensordot(&z, a, b, WEFT_AXES(0, 1), WEFT_AXES(1, 0)));
  TRY(weft_to_host(host, sizeof(float), z));
  KEPT(host[0] == 91);
  TRY(weft_kron(WEFT_HOST_OUT(host, WEFT_F32, WEFT_SHAPE(2, 3)), a, WEFT_HOST(numbers, WEFT_F32, WEFT_SHAPE(1, 1))));
  KEPT(host[0] == 1 && host[5] == 6);
  TRY(weft_einsum_path(&text, "ij,jk,kl->li", a, b, a));
  weft_array_release(&z);
  chain[0] = a, chain[1] = b, chain[2] = a;
  MAKE(&z, weft_multi_dot(&z, chain, 3));
  TRY(weft_to_host(host, sizeof host, z));
  KEPT(host[0] == 142 && host[5] == 558);
  weft_array_release(&z);
  MAKE(&z, weft_cross(&z, a, WEFT_HOST(numbers, WEFT_F32, WEFT_SHAPE(3)), -1));
  TRY(weft_to_host(host, sizeof host, z));
  KEPT(host[0] == 0 && host[3] == 3 && host[4] == -6 && host[5] == 3);
  weft_array_release(&z);
  MAKE(&z, weft_inner(&z, a, a));
  weft_array_release(&z);
  MAKE(&z, weft_outer(&z, a, 2.0f));
  weft_array_release(&z);
  MAKE(&z, weft_matvec(&z, a, WEFT_HOST(numbers, WEFT_F32, WEFT_SHAPE(3))));
  TRY(weft_to_host(host, 2 * sizeof(float), z));
  KEPT(host[0] == 14 && host[1] == 32);
  weft_array_release(&z);
  MAKE(&z, weft_matrix_trace(&z, a, WEFT_AXES(0, 1)));
  FAILS(WEFT_ERROR_EXPRESSION, weft_einsum(&y, "ij,jk,kl->lz", a, b, a));

done:
  fault_leave();
  weft_free(text);
  weft_release(&a, &b, &y, &z);
  weft_context_release(&context);
  return status;
}
