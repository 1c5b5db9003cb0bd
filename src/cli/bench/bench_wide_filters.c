// SPDX-License-Identifier: MIT
/// Rows of `weft bench wide`: filters over neighbours, elements at other places, regions.
#include "cli/bench/bench_wide.h"

// clang-format off
#define ROWS(X) \
  X(correlate1d, weft_correlate1d(&w->y, w->m, w->kernel, 1)) \
  X(convolve1d, weft_convolve1d(&w->y, w->m, w->kernel, 0)) \
  X(correlate_nd, weft_correlate_nd(&w->y, w->m, w->window, WEFT_ALL_AXES)) \
  X(convolve_nd, weft_convolve_nd(&w->y, w->m, w->window, WEFT_ALL_AXES)) \
  X(gaussian_filter, weft_gaussian_filter(&w->y, w->m, 1, WEFT_ALL_AXES)) \
  X(uniform_filter, weft_uniform_filter(&w->y, w->m, WEFT_SHAPE(5, 5), WEFT_ALL_AXES)) \
  X(sobel, weft_sobel(&w->y, w->m, 0)) \
  X(prewitt, weft_prewitt(&w->y, w->m, 0)) \
  X(laplace_filter, weft_laplace_filter(&w->y, w->m, WEFT_ALL_AXES)) \
  X(gaussian_laplace, weft_gaussian_laplace(&w->y, w->m, 1, WEFT_ALL_AXES)) \
  X(minimum_filter, weft_minimum_filter(&w->y, w->m, WEFT_SHAPE(5, 5), WEFT_ALL_AXES)) \
  X(maximum_filter, weft_maximum_filter(&w->y, w->m, WEFT_SHAPE(5, 5), WEFT_ALL_AXES)) \
  X(median_filter, weft_median_filter(&w->y, w->m, WEFT_SHAPE(3, 3), WEFT_ALL_AXES)) \
  X(median_filter_7x7, weft_median_filter(&w->y, w->m, WEFT_SHAPE(7, 7), WEFT_ALL_AXES)) \
  X(rank_filter, weft_rank_filter(&w->y, w->m, 2, WEFT_SHAPE(3, 3), WEFT_ALL_AXES)) \
  X(percentile_filter, weft_percentile_filter(&w->y, w->m, 20, WEFT_SHAPE(3, 3), WEFT_ALL_AXES)) \
  X(grey_erosion, weft_grey_erosion(&w->y, w->m, WEFT_SHAPE(5, 5), WEFT_ALL_AXES)) \
  X(grey_dilation, weft_grey_dilation(&w->y, w->m, WEFT_SHAPE(5, 5), WEFT_ALL_AXES)) \
  X(grey_opening, weft_grey_opening(&w->y, w->m, WEFT_SHAPE(5, 5), WEFT_ALL_AXES)) \
  X(grey_closing, weft_grey_closing(&w->y, w->m, WEFT_SHAPE(5, 5), WEFT_ALL_AXES)) \
  X(binary_erosion, weft_binary_erosion(&w->y, w->blobs)) \
  X(binary_dilation, weft_binary_dilation(&w->y, w->blobs)) \
  X(binary_opening, weft_binary_opening(&w->y, w->blobs)) \
  X(binary_closing, weft_binary_closing(&w->y, w->blobs)) \
  X(interp, weft_interp(&w->y, w->b, w->ascending_1000, w->small)) \
  X(map_coordinates, weft_map_coordinates(&w->y, w->m, w->places)) \
  X(affine_transform, weft_affine_transform(&w->y, w->m, w->affine)) \
  X(zoom, weft_zoom(&w->y, w->m, 0.5)) \
  X(shift, weft_shift(&w->y, w->m, 1.5)) \
  X(rotate, weft_rotate(&w->y, w->m, 30, WEFT_AXES(1, 0), .keeps_shape = true)) \
  X(label, weft_label(&w->y, w->blobs)) \
  X(distance_transform, weft_distance_transform(&w->y, w->blobs))
// clang-format on

WIDE_TABLE(wide_filters)
