// SPDX-License-Identifier: MIT
/// Rows of `weft bench shapes`: arrays and windows on which an algorithm may fall behind: axes of length 1 and 2, eight
/// axes, steps, orders, equal elements, NaNs, stretched axes, long windows.
#include "cli/bench/bench_wide.h"

// clang-format off
#define ROWS(X) \
  X(sum_narrow, weft_sum(&w->y, w->narrow, 1)) \
  X(max_narrow, weft_max(&w->y, w->narrow, 1)) \
  X(argmax_narrow, weft_argmax(&w->y, w->narrow, 1)) \
  X(var_narrow, weft_var(&w->y, w->narrow, 1)) \
  X(cumsum_narrow, weft_cumsum(&w->y, w->narrow, 1)) \
  X(sort_narrow, weft_sort(&w->y, w->narrow, 1)) \
  X(argsort_narrow, weft_argsort(&w->y, w->narrow, 1)) \
  X(median_narrow, weft_median(&w->y, w->narrow, 1)) \
  X(softmax_narrow, weft_softmax(&w->y, w->narrow, 1)) \
  X(sum_narrow_down, weft_sum(&w->y, w->narrow, 0)) \
  X(argmax_narrow_down, weft_argmax(&w->y, w->narrow, 0)) \
  X(cumsum_narrow_down, weft_cumsum(&w->y, w->narrow, 0)) \
  X(sort_narrow_down, weft_sort(&w->y, w->narrow, 0)) \
  X(argsort_narrow_down, weft_argsort(&w->y, w->narrow, 0)) \
  X(median_narrow_down, weft_median(&w->y, w->narrow, 0)) \
  X(sum_long_row, weft_sum(&w->y, w->long_row, 1)) \
  X(sum_long_row_down, weft_sum(&w->y, w->long_row, 0)) \
  X(cumsum_long_row, weft_cumsum(&w->y, w->long_row, 1)) \
  X(sort_long_row, weft_sort(&w->y, w->long_row, 1)) \
  X(sort_long_row_down, weft_sort(&w->y, w->long_row, 0)) \
  X(median_long_row, weft_median(&w->y, w->long_row, 1)) \
  X(softmax_long_row, weft_softmax(&w->y, w->long_row, 1)) \
  X(sum_pairs, weft_sum(&w->y, w->pairs, 1)) \
  X(sum_pairs_down, weft_sum(&w->y, w->pairs, 0)) \
  X(argmax_pairs, weft_argmax(&w->y, w->pairs, 1)) \
  X(var_pairs, weft_var(&w->y, w->pairs, 1)) \
  X(cumsum_pairs, weft_cumsum(&w->y, w->pairs, 1)) \
  X(cumsum_pairs_down, weft_cumsum(&w->y, w->pairs, 0)) \
  X(sort_pairs, weft_sort(&w->y, w->pairs, 1)) \
  X(argsort_pairs, weft_argsort(&w->y, w->pairs, 1)) \
  X(sort_pairs_down, weft_sort(&w->y, w->pairs, 0)) \
  X(median_pairs, weft_median(&w->y, w->pairs, 1)) \
  X(softmax_pairs, weft_softmax(&w->y, w->pairs, 1)) \
  X(sum_two_rows, weft_sum(&w->y, w->two_rows, 1)) \
  X(sum_two_rows_down, weft_sum(&w->y, w->two_rows, 0)) \
  X(argmax_two_rows_down, weft_argmax(&w->y, w->two_rows, 0)) \
  X(cumsum_two_rows_down, weft_cumsum(&w->y, w->two_rows, 0)) \
  X(sort_two_rows_down, weft_sort(&w->y, w->two_rows, 0)) \
  X(median_two_rows_down, weft_median(&w->y, w->two_rows, 0)) \
  X(sum_eight_odd, weft_sum(&w->y, w->eight, WEFT_AXES(1, 3, 5, 7))) \
  X(sum_eight_even, weft_sum(&w->y, w->eight, WEFT_AXES(0, 2, 4, 6))) \
  X(sum_eight_turned, weft_sum(&w->y, w->eight_turned, WEFT_ALL_AXES)) \
  X(max_eight_turned_0, weft_max(&w->y, w->eight_turned, 0)) \
  X(copy_eight_turned, weft_copy(&w->y, w->eight_turned)) \
  X(sum_halves, weft_sum(&w->y, w->halves, WEFT_ALL_AXES)) \
  X(max_halves, weft_max(&w->y, w->halves, WEFT_ALL_AXES)) \
  X(argmax_halves, weft_argmax(&w->y, w->halves, WEFT_ALL_AXES)) \
  X(var_halves, weft_var(&w->y, w->halves, WEFT_ALL_AXES)) \
  X(cumsum_halves, weft_cumsum(&w->y, w->halves, 0)) \
  X(sort_halves, weft_sort(&w->y, w->halves, 0)) \
  X(median_halves, weft_median(&w->y, w->halves, WEFT_ALL_AXES)) \
  X(add_halves, weft_add(&w->y, w->halves, w->halves)) \
  X(dot_halves, weft_dot(&w->y, w->halves, w->halves)) \
  X(sum_row_steps, weft_sum(&w->y, w->row_steps, 1)) \
  X(sum_row_steps_down, weft_sum(&w->y, w->row_steps, 0)) \
  X(var_row_steps, weft_var(&w->y, w->row_steps, 1)) \
  X(sum_column_steps, weft_sum(&w->y, w->column_steps, 1)) \
  X(sum_column_steps_down, weft_sum(&w->y, w->column_steps, 0)) \
  X(argmax_column_steps_down, weft_argmax(&w->y, w->column_steps, 0)) \
  X(sum_turned, weft_sum(&w->y, w->turned, 0)) \
  X(var_turned, weft_var(&w->y, w->turned, 1)) \
  X(sort_turned, weft_sort(&w->y, w->turned, 0)) \
  X(sum_reverse, weft_sum(&w->y, w->reverse, WEFT_ALL_AXES)) \
  X(cumsum_reverse, weft_cumsum(&w->y, w->reverse, 0)) \
  X(sum_stretched_down, weft_sum(&w->y, w->stretched_down, 0)) \
  X(sum_stretched_down_rows, weft_sum(&w->y, w->stretched_down, 1)) \
  X(sum_stretched_down_all, weft_sum(&w->y, w->stretched_down, WEFT_ALL_AXES)) \
  X(sum_stretched_across, weft_sum(&w->y, w->stretched_across, 1)) \
  X(max_stretched_across, weft_max(&w->y, w->stretched_across, 1)) \
  X(argmax_stretched_across, weft_argmax(&w->y, w->stretched_across, 1)) \
  X(var_stretched_across, weft_var(&w->y, w->stretched_across, 1)) \
  X(sort_ascending, weft_sort(&w->y, w->ascending, 0)) \
  X(sort_descending, weft_sort(&w->y, w->descending, 0)) \
  X(sort_reversed_view, weft_sort(&w->y, w->reverse, 0)) \
  X(sort_equal, weft_sort(&w->y, w->equal, 0)) \
  X(sort_few, weft_sort(&w->y, w->few, 0)) \
  X(sort_nan_rich, weft_sort(&w->y, w->nan_rich, 0)) \
  X(argsort_ascending, weft_argsort(&w->y, w->ascending, 0)) \
  X(argsort_descending, weft_argsort(&w->y, w->descending, 0)) \
  X(argsort_equal, weft_argsort(&w->y, w->equal, 0)) \
  X(argsort_few, weft_argsort(&w->y, w->few, 0)) \
  X(argsort_nan_rich, weft_argsort(&w->y, w->nan_rich, 0)) \
  X(median_ascending, weft_median(&w->y, w->ascending, WEFT_ALL_AXES)) \
  X(median_descending, weft_median(&w->y, w->descending, WEFT_ALL_AXES)) \
  X(median_equal, weft_median(&w->y, w->equal, WEFT_ALL_AXES)) \
  X(median_few, weft_median(&w->y, w->few, WEFT_ALL_AXES)) \
  X(nanmedian_nan_rich, weft_nanmedian(&w->y, w->nan_rich, WEFT_ALL_AXES)) \
  X(nanmedian_nan_rows, weft_nanmedian(&w->y, w->nan_rows, 1)) \
  X(partition_kth_equal, weft_partition_kth(&w->y, w->equal, WEFT_SHAPE(w->n / 2), 0)) \
  X(partition_kth_ascending, weft_partition_kth(&w->y, w->ascending, WEFT_SHAPE(w->n / 2), 0)) \
  X(unique_equal, weft_unique(&w->y, w->equal)) \
  X(unique_ascending, weft_unique(&w->y, w->ascending)) \
  X(unique_nan_rich, weft_unique(&w->y, w->nan_rich)) \
  X(searchsorted_ascending, weft_searchsorted(&w->y, w->ascending, w->ascending)) \
  X(searchsorted_descending, weft_searchsorted(&w->y, w->ascending, w->descending)) \
  X(searchsorted_equal, weft_searchsorted(&w->y, w->equal, w->equal)) \
  X(nansum_nan_rich, weft_nansum(&w->y, w->nan_rich, WEFT_ALL_AXES)) \
  X(nanmax_nan_rich, weft_nanmax(&w->y, w->nan_rich, WEFT_ALL_AXES)) \
  X(nanvar_nan_rows, weft_nanvar(&w->y, w->nan_rows, 1)) \
  X(nanmax_nan_rows_down, weft_nanmax(&w->y, w->nan_rows, 0)) \
  X(nanargmax_nan_rows, weft_nanargmax(&w->y, w->nan_rows, 1)) \
  X(all_rows, weft_all(&w->y, w->nan_rows, 1)) \
  X(histogram_equal, weft_histogram(&w->y, w->equal, 256, .range = WEFT_RANGE(0, 1))) \
  X(matmul_four_rows, weft_matmul(&w->y, w->four_rows, w->fours)) \
  X(matmul_fours, weft_matmul(&w->y, w->fours, w->square4)) \
  X(matmul_long_row, weft_matmul(&w->y, w->long_row, w->narrow)) \
  X(median_filter_5, weft_median_filter(&w->y, w->a, WEFT_SHAPE(5), 0)) \
  X(median_filter_49, weft_median_filter(&w->y, w->a, WEFT_SHAPE(49), 0)) \
  X(median_filter_51, weft_median_filter(&w->y, w->a, WEFT_SHAPE(51), 0)) \
  X(median_filter_401, weft_median_filter(&w->y, w->a, WEFT_SHAPE(401), 0)) \
  X(median_filter_9x9, weft_median_filter(&w->y, w->m, WEFT_SHAPE(9, 9), WEFT_ALL_AXES)) \
  X(percentile_filter_801, weft_percentile_filter(&w->y, w->a, 20, WEFT_SHAPE(801), 0)) \
  X(uniform_filter_3, weft_uniform_filter(&w->y, w->a, WEFT_SHAPE(3), 0)) \
  X(uniform_filter_801, weft_uniform_filter(&w->y, w->a, WEFT_SHAPE(801), 0)) \
  X(uniform_filter_3201, weft_uniform_filter(&w->y, w->a, WEFT_SHAPE(3201), 0)) \
  X(uniform_filter_101x101, weft_uniform_filter(&w->y, w->m, WEFT_SHAPE(101), WEFT_ALL_AXES)) \
  X(maximum_filter_3, weft_maximum_filter(&w->y, w->a, WEFT_SHAPE(3), 0)) \
  X(maximum_filter_801, weft_maximum_filter(&w->y, w->a, WEFT_SHAPE(801), 0)) \
  X(maximum_filter_3201, weft_maximum_filter(&w->y, w->a, WEFT_SHAPE(3201), 0)) \
  X(minimum_filter_101x101, weft_minimum_filter(&w->y, w->m, WEFT_SHAPE(101), WEFT_ALL_AXES)) \
  X(grey_erosion_801, weft_grey_erosion(&w->y, w->a, WEFT_SHAPE(801), 0)) \
  X(grey_opening_801, weft_grey_opening(&w->y, w->a, WEFT_SHAPE(801), 0)) \
  X(grey_closing_101x101, weft_grey_closing(&w->y, w->m, WEFT_SHAPE(101, 101), WEFT_ALL_AXES)) \
  X(zoom_half, weft_zoom(&w->y, w->m, 0.5, .order = WEFT_SPLINE_LINEAR)) \
  X(rotate_30, weft_rotate(&w->y, w->m, 30, WEFT_AXES(1, 0), .order = WEFT_SPLINE_LINEAR, .keeps_shape = true))
// clang-format on

WIDE_TABLE(wide_shapes)
