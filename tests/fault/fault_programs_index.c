// SPDX-License-Identifier: MIT
// The program about elements selected by indices: each function once, and an index out of range, reported at a wait.
#include <string.h>
#include <weft/weft.h>

#include "fault_programs.h"

enum { N = 12 };

int program_indices(int argc, char **argv) {
  int status = 0;
  int32_t host[N];
  weft_context *context = NULL;
  weft_array *x = NULL, *k = NULL, *table = NULL, *none = NULL, *along = NULL, *y = NULL, *none_made = NULL,
             *each = NULL, *many[2] = {NULL};
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_arange(&x, context, WEFT_I32, 0, N, 1));
  MAKE(&k, weft_from_host(&k, context, WEFT_I32, WEFT_SHAPE(1, 4), ((const int32_t[]){3, 0, 2, 1})));
  MAKE(&table, weft_reshape(&table, x, WEFT_SHAPE(3, 4)));
  MAKE(&along, weft_take_along_axis(&along, table, k, 1));
  MAKE(&y, weft_take(&y, x, k, WEFT_ALL_AXES));
  TRY(weft_to_host(host, 4 * sizeof *host, y));
  KEPT(host[0] == 3 && host[1] == 0 && host[2] == 2 && host[3] == 1);
  TRY(weft_put(x, k, y));
  MAKE(&each, weft_at(&each, table, 1, k));
  TRY(weft_assign(x, WEFT_HOST(((const bool[]){true}), WEFT_BOOL, WEFT_SHAPE(1)), x));
  TRY(weft_scatter(x, k, y, 0, .deterministic = true));
  TRY(weft_scatter_add(x, k, 5, 0));
  /* calls with another form of kernel, or without a kernel */
  MAKE(&none, weft_zeros(&none, context, WEFT_I32, WEFT_SHAPE(3, 0)));
  TRY(weft_put_along_axis(table, none, 1, 1));
  TRY(weft_scatter_min(x, none, 1, 0));
  TRY(weft_scatter_max(x, none, 1, 0));
  /* both results or neither */
  const weft_array *const sources[] = {x, table};
  weft_status rc = weft_take_many(many, sources, 2, k);
  KEPT((many[0] != NULL) == (rc == WEFT_OK) && (many[1] != NULL) == (rc == WEFT_OK));
  TRY(rc);
  TRY(weft_put_many(&x, (const weft_array *const *)many, 1, k));
  TRY(weft_to_host(host, sizeof host, x));
  for (int i = 0; i < 4; i++) KEPT(host[i] == i + 5);
  FAILS(WEFT_ERROR_DTYPE, weft_subset_sum(&none_made, x, 1.5));
  FAILS(WEFT_ERROR_DTYPE, weft_subset_min(&none_made, x, 1.5));
  FAILS(WEFT_ERROR_DTYPE, weft_subset_max(&none_made, x, 1.5));
  FAILS(WEFT_ERROR_DTYPE, weft_subset_dot(&none_made, x, x, 1.5));
  KEPT(none_made == NULL);
  TRY(weft_put(x, 99, 1));
  FAILS(WEFT_ERROR_INDEX, weft_context_wait(context));
  TRY(weft_context_wait(context));

done:
  fault_leave();
  weft_array_release(&x);
  weft_array_release(&k);
  weft_array_release(&table);
  weft_array_release(&none);
  weft_array_release(&along);
  weft_array_release(&each);
  weft_array_release(&y);
  weft_array_release(&many[0]);
  weft_array_release(&many[1]);
  weft_context_release(&context);
  return status;
}
