// SPDX-License-Identifier: MIT
// The programs about scans and selection: kernels in one pass and in several, scratch that blocks share, sizes that the
// host reads. They use few kernels: each is built again for every call that fails.
#include <weft/weft.h>

#include "fault_driver.h"
#include "fault_programs.h"

enum { N = 24 };

int program_scans(int argc, char **argv) {
  int status = 0;
  float sums[N];
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL, *none = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_full(&x, context, WEFT_F32, WEFT_SHAPE(4, 6), 2));
  MAKE(&y, weft_cumsum(&y, x, WEFT_ALL_AXES));
  TRY(weft_to_host(sums, sizeof sums, y));
  KEPT(sums[1] == 4 && sums[N - 1] == 2 * N);
  TRY(weft_scan(&x, x, 1, .combine = "a * b", .neutral = WEFT_SCALAR(1), .deterministic = true));
  TRY(weft_to_host(sums, sizeof sums, x));
  KEPT(sums[0] == 2 && sums[5] == 64 && sums[6] == 2);
  FAILS(WEFT_ERROR_AXIS, weft_cummax(&none, x, 2));
  KEPT(none == NULL);

done:
  fault_leave();
  weft_array_release(&none);
  weft_array_release(&y);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}

int program_selections(int argc, char **argv) {
  static const uint8_t bits[N] = {0, 1, 1, 0, 1};
  int status = 0;
  int32_t host[N];
  int64_t many = 0;
  weft_context *context = NULL;
  weft_array *x = NULL, *mask = NULL, *y = NULL, *into = NULL, *count = NULL, *none = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_full(&x, context, WEFT_I32, WEFT_SHAPE(N), 7));
  MAKE(&mask, weft_from_host(&mask, context, WEFT_BOOL, WEFT_SHAPE(N), bits));
  MAKE(&y, weft_compress(&y, mask, x, WEFT_ALL_AXES));
  KEPT(weft_array_size(y) == 3);
  TRY(weft_to_host(host, 3 * sizeof *host, y));
  KEPT(host[0] == 7 && host[2] == 7);
  weft_status rc = weft_select(&into, context, "x > 3", x, WEFT_SELECTION(.count = &count));
  KEPT((into != NULL) == (rc == WEFT_OK) && (count != NULL) == (rc == WEFT_OK));
  TRY(rc);
  TRY(weft_to_host(&many, sizeof many, count));
  KEPT(many == N);
  FAILS(WEFT_ERROR_LAYOUT, weft_compress(&x, mask, x, WEFT_ALL_AXES, .count = &count));
  FAILS(WEFT_ERROR_EXPRESSION, weft_select(&none, context, "x >", x));
  FAILS(WEFT_ERROR_DTYPE, weft_partition(&none, x, x));
  KEPT(none == NULL);

done:
  fault_leave();
  weft_array_release(&none);
  weft_array_release(&count);
  weft_array_release(&into);
  weft_array_release(&y);
  weft_array_release(&mask);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}

int program_positions(int argc, char **argv) {
  static const uint8_t bits[4] = {0, 1, 0, 1};
  int status = 0;
  int32_t host[N];
  weft_context *context = NULL;
  weft_array *table = NULL, *mask = NULL, *where = NULL, *y = NULL, *none = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&table, weft_full(&table, context, WEFT_I32, WEFT_SHAPE(4, 6), 5));
  MAKE(&mask, weft_from_host(&mask, context, WEFT_BOOL, WEFT_SHAPE(4), bits));
  MAKE(&where, weft_flatnonzero(&where, mask));
  KEPT(weft_array_size(where) == 2);
  MAKE(&y, weft_compress(&y, mask, table, 0));
  TRY(weft_to_host(host, 12 * sizeof *host, y));
  KEPT(host[0] == 5 && host[11] == 5);
  FAILS(WEFT_ERROR_HANDLE, weft_nonzero(&none, none));

done:
  fault_leave();
  weft_array_release(&none);
  weft_array_release(&y);
  weft_array_release(&where);
  weft_array_release(&mask);
  weft_array_release(&table);
  weft_context_release(&context);
  return status;
}
