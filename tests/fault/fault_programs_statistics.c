// SPDX-License-Identifier: MIT
// The programs about statistics and tables: calls that consist of several steps, and what they keep between them. They
// use few kernels: each is built again for every call that fails.
#include <weft/weft.h>

#include "fault_driver.h"
#include "fault_programs.h"

int program_averages(int argc, char **argv) {
  int status = 0;
  const float numbers[] = {1, 2, 3, 4, 6, 8};
  float host[2] = {0};
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL, *total = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_from_host(&x, context, WEFT_F32, WEFT_SHAPE(2, 3), numbers));
  weft_status rc = weft_average(&y, x, 1, .weights = x, .sum_of_weights = &total);
  KEPT((y != NULL) == (rc == WEFT_OK) && (total != NULL) == (rc == WEFT_OK));
  TRY(rc);
  TRY(weft_to_host(host, sizeof host, total));
  KEPT(host[0] == 6 && host[1] == 18);
  weft_array_release(&y);
  MAKE(&y, weft_cov(&y, x, .columns = true, .dtype = WEFT_F32));
  weft_array_release(&y);
  MAKE(&y, weft_corrcoef(&y, x, .dtype = WEFT_F32));
  weft_array_release(&y);
  MAKE(&y, weft_trapezoid(&y, x, 1));
  TRY(weft_to_host(host, sizeof host, y));
  KEPT(host[0] == 4 && host[1] == 12);
  TRY(weft_cumulative_trapezoid(&x, x, 1, .initial = true));
  weft_array_release(&y);
  MAKE(&y, weft_nancumsum(&y, x, 1));
  weft_array_release(&y);
  MAKE(&y, weft_softmax(&y, x, 1));
  TRY(weft_logsumexp(&total, x, 1));
  TRY(weft_standardize(&y, x, 0, .epsilon = 1)); /* not one pass: rows along the first axis */
  FAILS(WEFT_ERROR_SHAPE, weft_trapezoid(&y, x, 1, .x = total));

done:
  fault_leave();
  weft_release(&x, &y, &total);
  weft_context_release(&context);
  return status;
}

int program_tables(int argc, char **argv) {
  int status = 0;
  const int32_t names[] = {2, 1, 2, 1, 2};
  float host[2] = {0};
  weft_context *context = NULL;
  weft_array *x = NULL, *keys[2] = {NULL}, *groups[2] = {NULL}, *order = NULL, *offsets = NULL, *y = NULL, *z = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&keys[0], weft_from_host(&keys[0], context, WEFT_I32, WEFT_SHAPE(5), names));
  MAKE(&keys[1], weft_from_host(&keys[1], context, WEFT_I32, WEFT_SHAPE(5), names));
  MAKE(&x, weft_arange(&x, context, WEFT_F32, 0, 5, 1));
  weft_status rc = weft_group_by(groups, keys, 2, .order = &order, .offsets = &offsets);
  KEPT((order != NULL) == (rc == WEFT_OK) && (groups[1] != NULL) == (rc == WEFT_OK));
  TRY(rc);
  MAKE(&y, weft_reduce_segments(&y, x, offsets, .order = order));
  TRY(weft_to_host(host, sizeof host, y));
  KEPT(host[0] == 4 && host[1] == 6);
  rc = weft_reduce_by_key(NULL, &y, keys[0], x, .op = WEFT_REDUCE_VAR, .counts = &z);
  KEPT((z != NULL) == (rc == WEFT_OK));
  TRY(rc);
  weft_release(&y, &z);
  MAKE(&y, weft_lexsort(&y, keys, 2, 0));
  FAILS(WEFT_ERROR_ARGUMENT, weft_lexsort(&y, keys, 0, 0));

done:
  fault_leave();
  weft_release(&x, &keys[0], &keys[1], &groups[0], &groups[1], &order, &offsets, &y, &z);
  weft_context_release(&context);
  return status;
}

int program_windows(int argc, char **argv) {
  int status = 0;
  float host[4] = {0};
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL, *z = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_arange(&x, context, WEFT_F32, 0, 6, 1));
  MAKE(&y, weft_rolling(&y, x, 3, 0));
  TRY(weft_to_host(host, sizeof host, y));
  KEPT(host[0] == 3 && host[3] == 12);
  TRY(weft_rolling(&y, x, 3, 0, .op = WEFT_REDUCE_VAR));
  TRY(weft_rolling(&y, x, 3, 0, .op = WEFT_REDUCE_NANMEAN, .min_count = 2));
  weft_array_release(&y);
  MAKE(&y, weft_sliding_window(&y, x, WEFT_SHAPE(2), 0));
  MAKE(&z, weft_partition_kth(&z, x, 2, 0));
  weft_array_release(&z);
  MAKE(&z, weft_argpartition(&z, x, WEFT_SHAPE(1, 2), 0));
  FAILS(WEFT_ERROR_ARGUMENT, weft_rolling(&z, x, 9, 0));

done:
  fault_leave();
  weft_release(&x, &y, &z);
  weft_context_release(&context);
  return status;
}

int program_bins(int argc, char **argv) {
  int status = 0;
  double host[4] = {0};
  const weft_range ranges[] = {WEFT_RANGE(0, 6), WEFT_RANGE(0, 6)};
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL, *z = NULL, *edges = NULL;
  weft_array **wanted[] = {&edges, NULL};
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  MAKE(&x, weft_arange(&x, context, WEFT_F32, 0, 6, 1));
  MAKE(&y, weft_reshape(&y, x, WEFT_SHAPE(3, 2)));
  weft_status rc = weft_histogram2d(&z, x, x, WEFT_SHAPE(2, 2), .ranges = ranges, .density = true, .edges = wanted);
  KEPT((z != NULL) == (rc == WEFT_OK) && (edges != NULL) == (rc == WEFT_OK));
  TRY(rc);
  TRY(weft_to_host(host, sizeof host, z));
  KEPT(host[0] == 1.0 / 18 && host[1] == 0);
  weft_array_release(&z);
  MAKE(&z, weft_histogramdd(&z, y, WEFT_SHAPE(2, 2), .ranges = ranges));
  weft_array_release(&z);
  MAKE(&z, weft_digitize(&z, x, edges, .descending = true));
  weft_array_release(&z);
  MAKE(&z, weft_setxor1d(&z, x, y));
  weft_array_release(&z);
  MAKE(&z, weft_unique(&z, y, .axis = WEFT_AXES(0)));
  FAILS(WEFT_ERROR_ARGUMENT, weft_histogramdd(&z, y, WEFT_SHAPE(0, 1)));

done:
  fault_leave();
  weft_release(&x, &y, &z, &edges);
  weft_context_release(&context);
  return status;
}
