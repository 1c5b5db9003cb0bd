// SPDX-License-Identifier: MIT
// The programs about histograms and ordered arrays: new and given results, host memory, scratch, and calls that wait.
#include <weft/weft.h>

#include "fault_programs.h"

enum { N = 40 };

/// Even bins with their edges, given edges, the data's range, sums of weights.
int program_histograms(int argc, char **argv) {
  int status = 0;
  const float edges[] = {0, 10, 20, 40};
  int64_t host[3];
  weft_context *context = NULL;
  weft_array *x = NULL, *counts = NULL, *made = NULL, *sums = NULL, *again = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_arange(&x, context, WEFT_F32, 0, N, 1));
  weft_status rc = weft_histogram(&counts, x, 4, .range = WEFT_RANGE(0, 40), .edges = &made);
  KEPT((counts != NULL) == (rc == WEFT_OK) && (made != NULL) == (rc == WEFT_OK));
  TRY(rc);
  MAKE(&again, weft_histogram(&again, x, WEFT_HOST(edges, WEFT_F32, WEFT_SHAPE(4))));
  TRY(weft_histogram(WEFT_HOST_OUT(host, WEFT_I64, WEFT_SHAPE(3)), x, 3));
  KEPT(host[0] == 13 && host[1] == 13 && host[2] == 14);
  MAKE(&sums, weft_histogram(&sums, x, 4, .range = WEFT_RANGE(0, 40), .weights = x));
  FAILS(WEFT_ERROR_ARGUMENT, weft_histogram(&counts, x, 4, .range = WEFT_RANGE(1, 0)));

done:
  fault_leave();
  weft_array_release(&sums);
  weft_array_release(&again);
  weft_array_release(&made);
  weft_array_release(&counts);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}

/// Counts of integers, and sums of weights by integer.
int program_bincounts(int argc, char **argv) {
  int status = 0;
  const int32_t bad[] = {1, 2, -3};
  weft_context *context = NULL;
  weft_array *x = NULL, *counts = NULL, *sums = NULL, *wrong = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_full(&x, context, WEFT_I32, WEFT_SHAPE(N), 5));
  MAKE(&counts, weft_bincount(&counts, x));
  KEPT(weft_array_size(counts) == 6);
  MAKE(&sums, weft_bincount(&sums, x, .minlength = 10, .weights = x));
  KEPT(weft_array_size(sums) == 10);
  weft_array_release(&sums);
  MAKE(&wrong, weft_from_host(&wrong, context, WEFT_I32, WEFT_SHAPE(3), bad));
  FAILS(WEFT_ERROR_INDEX, weft_bincount(&sums, wrong));

done:
  fault_leave();
  weft_array_release(&wrong);
  weft_array_release(&sums);
  weft_array_release(&counts);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}

/// Ordered arrays.
int program_ordered(int argc, char **argv) {
  int status = 0;
  const int32_t values[] = {3, 50, -1};
  int64_t places[3];
  bool is_sorted;
  weft_context *context = NULL;
  weft_array *x = NULL, *both = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_arange(&x, context, WEFT_I32, 0, N, 1));
  TRY(weft_searchsorted(WEFT_HOST_OUT(places, WEFT_I64, WEFT_SHAPE(3)), x, WEFT_HOST(values, WEFT_I32, WEFT_SHAPE(3))));
  KEPT(places[0] == 3 && places[1] == N && places[2] == 0);
  MAKE(&both, weft_merge(&both, x, x));
  TRY(weft_is_sorted(WEFT_HOST_OUT(&is_sorted, WEFT_BOOL, WEFT_SHAPE_0D), both));
  KEPT(is_sorted);

done:
  fault_leave();
  weft_array_release(&both);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}

/// Unique elements, and arrays as sets.
int program_sets(int argc, char **argv) {
  int status = 0;
  const int32_t few[] = {3, 50, 3, 7};
  int64_t counts[3];
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL, *values = NULL, *inverse = NULL, *many = NULL, *mask = NULL, *both = NULL,
             *left = NULL, *either = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_from_host(&x, context, WEFT_I32, WEFT_SHAPE(4), few));
  MAKE(&y, weft_full(&y, context, WEFT_I32, WEFT_SHAPE(2), 7));
  MAKE(&values, weft_unique(&values, x));
  KEPT(weft_array_size(values) == 3);
  MAKE(&inverse, weft_unique(NULL, x, .inverse = &inverse));
  MAKE(&many, weft_unique(NULL, x, .counts = &many));
  TRY(weft_to_host(counts, sizeof counts, many));
  KEPT(counts[0] == 2 && counts[1] == 1 && counts[2] == 1);
  MAKE(&mask, weft_isin(&mask, x, y));
  MAKE(&both, weft_intersect1d(&both, x, y));
  KEPT(weft_array_size(both) == 1);
  MAKE(&left, weft_setdiff1d(&left, x, y));
  KEPT(weft_array_size(left) == 2);
  MAKE(&either, weft_union1d(&either, x, y));
  KEPT(weft_array_size(either) == 3);

done:
  fault_leave();
  weft_array_release(&either);
  weft_array_release(&left);
  weft_array_release(&both);
  weft_array_release(&mask);
  weft_array_release(&many);
  weft_array_release(&inverse);
  weft_array_release(&values);
  weft_array_release(&y);
  weft_array_release(&x);
  weft_context_release(&context);
  return status;
}
