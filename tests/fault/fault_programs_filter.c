// SPDX-License-Identifier: MIT
// The program about filters: passes along axes and windows of other shapes, into new and existing results.
#include <weft/weft.h>

#include "fault_driver.h"
#include "fault_programs.h"

enum { ROWS = 5, COLUMNS = 12, N = ROWS * COLUMNS };

int program_filters(int argc, char **argv) {
  int status = 0;
  int32_t host[N];
  weft_context *context = NULL;
  weft_array *x = NULL, *y = NULL, *cross = NULL, *b = NULL, *edges = NULL, *sigma = NULL, *turned = NULL,
             *places = NULL, *values = NULL, *linear = NULL, *labels = NULL, *count = NULL, *distance = NULL,
             *indices = NULL;
  (void)argc, (void)argv;

  MAKE(&context, weft_context_create(&context));
  fault_mark();
  for (int i = 0; i < N; i++) host[i] = i % 7;
  MAKE(&x, weft_from_host(&x, context, WEFT_I32, WEFT_SHAPE(ROWS, COLUMNS), host));
  const uint8_t structure[] = {0, 1, 0, 1, 1, 1, 0, 1, 0};
  MAKE(&cross, weft_from_host(&cross, context, WEFT_U8, WEFT_SHAPE(3, 3), structure));
  MAKE(&sigma, weft_full(&sigma, context, WEFT_F32, WEFT_SHAPE(2), 0.5f));
  MAKE(&y, weft_correlate_nd(&y, x, cross, WEFT_ALL_AXES));
  TRY(weft_to_host(host, sizeof host, y));
  KEPT(host[COLUMNS + 1] == 1 % 7 + 12 % 7 + 13 % 7 + 14 % 7 + 25 % 7);
  TRY(weft_laplace_filter(&y, x, WEFT_ALL_AXES));                /* into an existing result, by the same kernel */
  TRY(weft_maximum_filter(&y, x, WEFT_SHAPE(3), WEFT_ALL_AXES)); /* two passes */
  TRY(weft_uniform_filter(&y, y, WEFT_SHAPE(3), 1));
  MAKE(&edges, weft_sobel(&edges, x, 0));
  TRY(weft_gaussian_laplace(&edges, x, sigma, WEFT_ALL_AXES));
  MAKE(&b, weft_binary_erosion(&b, x, .structure = cross, .iterations = 2));
  MAKE(&turned, weft_rotate(&turned, x, 30, WEFT_ALL_AXES, .mode = WEFT_BORDER_EDGE));
  TRY(weft_shift(&x, x, sigma, .order = WEFT_SPLINE_LINEAR)); /* in place */
  MAKE(&places, weft_ones(&places, context, WEFT_F32, WEFT_SHAPE(2, 3)));
  MAKE(&values, weft_map_coordinates(&values, x, places));
  MAKE(&labels, weft_label(&labels, cross, .count = &count));
  MAKE(&distance, weft_distance_transform(&distance, cross, .indices = &indices));
  MAKE(&linear, weft_interp(&linear, places, sigma, sigma, .period = 5));
  TRY(weft_context_wait(context));

done:
  fault_leave();
  weft_release(&x, &y, &cross, &b, &edges, &sigma, &turned, &places, &values, &linear, &labels, &count, &distance,
               &indices);
  weft_context_release(&context);
  return status;
}
