// SPDX-License-Identifier: MIT
// The program about sorting: a short array and a long one, in place, with indices, with rows, the first few elements.
#include <weft/weft.h>

#include "fault_driver.h"
#include "fault_programs.h"

enum { N = 40, LONG = 300 };

static bool is_rising(const int32_t *x, int n) {
  bool rising = true;
  for (int i = 1; i < n; i++) rising = rising && x[i - 1] <= x[i];
  return rising;
}

int program_sorts(int argc, char **argv) {
  int status = 0;
  int32_t host[LONG];
  int64_t where[N];
  weft_context *context = NULL;
  weft_array *x = NULL, *table = NULL, *y = NULL, *order = NULL, *keys = NULL, *rows = NULL, *best = NULL,
             *places = NULL, *columns = NULL, *middle = NULL, *part = NULL, *q = NULL, *many = NULL, *deep = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  for (int i = 0; i < LONG; i++) host[i] = i * 7919 % 1000 - 500;
  MAKE(&x, weft_from_host(&x, context, WEFT_I32, WEFT_SHAPE(LONG), host));
  MAKE(&y, weft_sort(&y, x, 0));
  TRY(weft_to_host(host, sizeof host, y));
  KEPT(is_rising(host, LONG));
  TRY(weft_sort(&x, x, 0)); /* in place */
  TRY(weft_to_host(host, sizeof host, x));
  KEPT(is_rising(host, LONG));
  MAKE(&table, weft_arange(&table, context, WEFT_I32, N, 0, -1));
  MAKE(&order, weft_argsort(&order, table, 0));
  TRY(weft_to_host(where, sizeof where, order));
  KEPT(where[0] == N - 1 && where[N - 1] == 0);
  weft_status rc = weft_sort_by_key(&keys, &rows, table, table, .descending = true);
  KEPT((keys != NULL) == (rc == WEFT_OK) && (rows != NULL) == (rc == WEFT_OK));
  TRY(rc);
  MAKE(&columns, weft_reshape(&columns, table, WEFT_SHAPE(8, 5)));
  rc = weft_topk(&best, &places, columns, 2, 1, .smallest = true);
  KEPT((best != NULL) == (rc == WEFT_OK) && (places != NULL) == (rc == WEFT_OK));
  TRY(rc);
  TRY(weft_to_host(host, 16 * sizeof *host, best));
  KEPT(host[0] == 36 && host[1] == 37 && host[15] == 2);
  FAILS(WEFT_ERROR_AXIS, weft_sort(&best, table, 1));
  MAKE(&middle, weft_median(&middle, columns, 1));
  MAKE(&q, weft_full(&q, context, WEFT_F32, WEFT_SHAPE(2), WEFT_SCALAR(0.25)));
  MAKE(&part, weft_quantile(&part, columns, q, 0, .method = WEFT_QUANTILE_LOWER));
  weft_array_release(&part);
  MAKE(&part, weft_nanquantile(&part, columns, q, 0, .method = WEFT_QUANTILE_INVERTED_CDF, .weights = columns));
  weft_array_release(&part);
  MAKE(&many, weft_ones(&many, context, WEFT_F32, WEFT_SHAPE(65536))); /* not sorted */
  MAKE(&part, weft_nanquantile(&part, many, 0.3, 0));
  weft_array_release(&part);
  MAKE(&deep, weft_reshape(&deep, many, WEFT_SHAPE(2, 32768)));
  MAKE(&part, weft_median(&part, deep, 1));
  weft_array_release(&part);
  MAKE(&part, weft_partition_kth(&part, deep, 5, 1));

done:
  fault_leave();
  weft_release(&middle, &part, &q, &many, &deep);
  weft_array_release(&columns);
  weft_array_release(&places);
  weft_array_release(&best);
  weft_array_release(&rows);
  weft_array_release(&keys);
  weft_array_release(&order);
  weft_array_release(&table);
  weft_array_release(&y);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}
