// SPDX-License-Identifier: MIT
/// Rows of `weft bench wide`: reductions, scans, order, counts, statistics.
#include "cli/bench/bench_wide.h"

static const weft_range unit[] = {{0, 1, true}, {0, 1, true}};

// clang-format off
#define ROWS(X) \
  X(sum, weft_sum(&w->y, w->x, WEFT_ALL_AXES)) \
  X(prod, weft_prod(&w->y, w->x, WEFT_ALL_AXES)) \
  X(min, weft_min(&w->y, w->x, WEFT_ALL_AXES)) \
  X(max, weft_max(&w->y, w->x, WEFT_ALL_AXES)) \
  X(argmin, weft_argmin(&w->y, w->x, WEFT_ALL_AXES)) \
  X(argmax, weft_argmax(&w->y, w->x, WEFT_ALL_AXES)) \
  X(mean, weft_mean(&w->y, w->x, WEFT_ALL_AXES)) \
  X(var, weft_var(&w->y, w->x, WEFT_ALL_AXES)) \
  X(std, weft_std(&w->y, w->x, WEFT_ALL_AXES)) \
  X(ptp, weft_ptp(&w->y, w->x, WEFT_ALL_AXES)) \
  X(norm, weft_norm(&w->y, w->x, WEFT_ALL_AXES)) \
  X(count_nonzero, weft_count_nonzero(&w->y, w->x, WEFT_ALL_AXES)) \
  X(sum_axis_0, weft_sum(&w->y, w->m, 0)) \
  X(prod_axis_0, weft_prod(&w->y, w->m, 0)) \
  X(min_axis_0, weft_min(&w->y, w->m, 0)) \
  X(max_axis_0, weft_max(&w->y, w->m, 0)) \
  X(argmin_axis_0, weft_argmin(&w->y, w->m, 0)) \
  X(argmax_axis_0, weft_argmax(&w->y, w->m, 0)) \
  X(mean_axis_0, weft_mean(&w->y, w->m, 0)) \
  X(var_axis_0, weft_var(&w->y, w->m, 0)) \
  X(std_axis_0, weft_std(&w->y, w->m, 0)) \
  X(ptp_axis_0, weft_ptp(&w->y, w->m, 0)) \
  X(norm_axis_0, weft_norm(&w->y, w->m, 0)) \
  X(sum_axis_1, weft_sum(&w->y, w->m, 1)) \
  X(prod_axis_1, weft_prod(&w->y, w->m, 1)) \
  X(min_axis_1, weft_min(&w->y, w->m, 1)) \
  X(max_axis_1, weft_max(&w->y, w->m, 1)) \
  X(argmin_axis_1, weft_argmin(&w->y, w->m, 1)) \
  X(argmax_axis_1, weft_argmax(&w->y, w->m, 1)) \
  X(mean_axis_1, weft_mean(&w->y, w->m, 1)) \
  X(var_axis_1, weft_var(&w->y, w->m, 1)) \
  X(std_axis_1, weft_std(&w->y, w->m, 1)) \
  X(ptp_axis_1, weft_ptp(&w->y, w->m, 1)) \
  X(norm_axis_1, weft_norm(&w->y, w->m, 1)) \
  X(any, weft_any(&w->y, w->mask, WEFT_ALL_AXES)) \
  X(all, weft_all(&w->y, w->mask, WEFT_ALL_AXES)) \
  X(any_of_none, weft_any(&w->y, w->unset, WEFT_ALL_AXES)) \
  X(sum_1000, weft_sum(&w->y, w->small, WEFT_ALL_AXES)) \
  X(sum_turned, weft_sum(&w->y, w->turned, 1)) \
  X(sum_middle, weft_sum(&w->y, w->cube, 1)) \
  X(sum_outer_and_inner, weft_sum(&w->y, w->cube, WEFT_AXES(0, 2))) \
  X(sum_f16, weft_sum(&w->y, w->h, WEFT_ALL_AXES)) \
  X(sum_u8, weft_sum(&w->y, w->u8, WEFT_ALL_AXES)) \
  X(sum_i64, weft_sum(&w->y, w->i64, WEFT_ALL_AXES)) \
  X(sum_f64, weft_sum(&w->y, w->d, WEFT_ALL_AXES)) \
  X(sum_f64_axis_0, weft_sum(&w->y, w->md, 0)) \
  X(sum_f64_axis_1, weft_sum(&w->y, w->md, 1)) \
  X(sum_c64, weft_sum(&w->y, w->c, WEFT_ALL_AXES)) \
  X(nansum, weft_nansum(&w->y, w->nans, WEFT_ALL_AXES)) \
  X(nanprod, weft_nanprod(&w->y, w->nans, WEFT_ALL_AXES)) \
  X(nanmin, weft_nanmin(&w->y, w->nans, WEFT_ALL_AXES)) \
  X(nanmax, weft_nanmax(&w->y, w->nans, WEFT_ALL_AXES)) \
  X(nanargmin, weft_nanargmin(&w->y, w->nans, WEFT_ALL_AXES)) \
  X(nanargmax, weft_nanargmax(&w->y, w->nans, WEFT_ALL_AXES)) \
  X(nanmean, weft_nanmean(&w->y, w->nans, WEFT_ALL_AXES)) \
  X(nanvar, weft_nanvar(&w->y, w->nans, WEFT_ALL_AXES)) \
  X(nanstd, weft_nanstd(&w->y, w->nans, WEFT_ALL_AXES)) \
  X(nanmedian, weft_nanmedian(&w->y, w->nans, WEFT_ALL_AXES)) \
  X(dot, weft_dot(&w->y, w->a, w->b)) \
  X(vdot, weft_vdot(&w->y, w->a, w->b)) \
  X(dot_f64, weft_dot(&w->y, w->d, w->e)) \
  X(reduce, weft_reduce(&w->y, w->context, "(a - b) ** 2", WEFT_ALL_AXES, WEFT_REDUCTION(.op = WEFT_REDUCE_MEAN), \
    WEFT_NAMED("a", w->a), WEFT_NAMED("b", w->b))) \
  X(reduce_segments, weft_reduce_segments(&w->y, w->a, w->offsets)) \
  X(reduce_by_key, weft_reduce_by_key(&w->y, &w->y2, w->groups, w->a)) \
  X(group_by, weft_group_by(w->parts, ((weft_array *[]){w->groups}), 1, .order = &w->y, .offsets = &w->y2)) \
  X(subset_sum, weft_subset_sum(&w->y, w->a, w->index)) \
  X(subset_min, weft_subset_min(&w->y, w->a, w->index)) \
  X(subset_max, weft_subset_max(&w->y, w->a, w->index)) \
  X(subset_dot, weft_subset_dot(&w->y, w->a, w->b, w->index)) \
  X(softmax, weft_softmax(&w->y, w->m, 1)) \
  X(log_softmax, weft_log_softmax(&w->y, w->m, 1)) \
  X(logsumexp, weft_logsumexp(&w->y, w->m, 1)) \
  X(standardize, weft_standardize(&w->y, w->m, 1)) \
  X(softmax_axis_0, weft_softmax(&w->y, w->m, 0)) \
  X(cumsum, weft_cumsum(&w->y, w->a, 0)) \
  X(cumprod, weft_cumprod(&w->y, w->a, 0)) \
  X(cummax, weft_cummax(&w->y, w->a, 0)) \
  X(cummin, weft_cummin(&w->y, w->a, 0)) \
  X(nancumsum, weft_nancumsum(&w->y, w->nans, 0)) \
  X(nancumprod, weft_nancumprod(&w->y, w->nans, 0)) \
  X(cumsum_axis_0, weft_cumsum(&w->y, w->m, 0)) \
  X(cumsum_axis_1, weft_cumsum(&w->y, w->m, 1)) \
  X(cumsum_i64, weft_cumsum(&w->y, w->i64, 0)) \
  X(cumprod_f64, weft_cumprod(&w->y, w->d, 0)) \
  X(scan, weft_scan(&w->y, w->a, 0, .combine = "a + b - a * b", .neutral = WEFT_SCALAR(0))) \
  X(rolling, weft_rolling(&w->y, w->a, 16, 0)) \
  X(rolling_max, weft_rolling(&w->y, w->a, 16, 0, .op = WEFT_REDUCE_MAX)) \
  X(sort, weft_sort(&w->y, w->a, 0)) \
  X(argsort, weft_argsort(&w->y, w->a, 0)) \
  X(sort_axis_0, weft_sort(&w->y, w->m, 0)) \
  X(argsort_axis_0, weft_argsort(&w->y, w->m, 0)) \
  X(sort_axis_1, weft_sort(&w->y, w->m, 1)) \
  X(argsort_axis_1, weft_argsort(&w->y, w->m, 1)) \
  X(sort_1000, weft_sort(&w->y, w->small, 0)) \
  X(sort_f64, weft_sort(&w->y, w->d, 0)) \
  X(sort_i64, weft_sort(&w->y, w->i64, 0)) \
  X(sort_u32, weft_sort(&w->y, w->u32, 0)) \
  X(sort_u16, weft_sort(&w->y, w->u16, 0)) \
  X(sort_u8, weft_sort(&w->y, w->u8, 0)) \
  X(sort_c64, weft_sort(&w->y, w->c, 0)) \
  X(sort_rows_of_32, weft_sort(&w->y, w->rows32, 1)) \
  X(sort_rows_of_1024, weft_sort(&w->y, w->rows1024, 1)) \
  X(sort_rows_of_65536, weft_sort(&w->y, w->rows65536, 1)) \
  X(sort_by_key, weft_sort_by_key(&w->y, &w->y2, w->i32, w->a)) \
  X(lexsort, weft_lexsort(&w->y, ((weft_array *[]){w->a, w->groups}), 2, 0)) \
  X(topk, weft_topk(&w->y, &w->y2, w->a, 100, 0)) \
  X(topk_axis_1, weft_topk(&w->y, &w->y2, w->m, 10, 1)) \
  X(partition_kth, weft_partition_kth(&w->y, w->a, WEFT_SHAPE(w->n / 2), 0)) \
  X(argpartition, weft_argpartition(&w->y, w->a, WEFT_SHAPE(w->n / 2), 0)) \
  X(is_sorted, weft_is_sorted(&w->y, w->ascending)) \
  X(searchsorted, weft_searchsorted(&w->y, w->ascending, w->b)) \
  X(searchsorted_1000, weft_searchsorted(&w->y, w->ascending_1000, w->b)) \
  X(digitize, weft_digitize(&w->y, w->b, w->ascending_1000)) \
  X(merge, weft_merge(&w->y, w->ascending, w->ascending2)) \
  X(unique, weft_unique(&w->y, w->i32)) \
  X(unique_inverse, weft_unique(&w->y, w->i32, .inverse = &w->y2)) \
  X(isin, weft_isin(&w->y, w->i32, w->table)) \
  X(intersect1d, weft_intersect1d(&w->y, w->i32, w->table)) \
  X(setdiff1d, weft_setdiff1d(&w->y, w->i32, w->table)) \
  X(union1d, weft_union1d(&w->y, w->i32, w->table)) \
  X(setxor1d, weft_setxor1d(&w->y, w->i32, w->table)) \
  X(histogram_10, weft_histogram(&w->y, w->a, 10, .range = WEFT_RANGE(0, 1))) \
  X(histogram, weft_histogram(&w->y, w->a, 256, .range = WEFT_RANGE(0, 1))) \
  X(histogram_16384, weft_histogram(&w->y, w->a, 16384, .range = WEFT_RANGE(0, 1))) \
  X(histogram_65536, weft_histogram(&w->y, w->a, 65536, .range = WEFT_RANGE(0, 1))) \
  X(histogram2d, weft_histogram2d(&w->y, w->a, w->b, WEFT_SHAPE(64, 64), .ranges = unit)) \
  X(histogramdd, weft_histogramdd(&w->y, w->points, WEFT_SHAPE(64, 64), .ranges = unit)) \
  X(bincount, weft_bincount(&w->y, w->keys, .minlength = 1 << 20)) \
  X(bincount_u8, weft_bincount(&w->y, w->u8, .minlength = 256)) \
  X(bincount_weights, weft_bincount(&w->y, w->keys, .minlength = 1 << 20, .weights = w->a)) \
  X(median, weft_median(&w->y, w->a, WEFT_ALL_AXES)) \
  X(median_axis_1, weft_median(&w->y, w->m, 1)) \
  X(median_rows_of_1024, weft_median(&w->y, w->rows1024, 1)) \
  X(median_rows_of_65536, weft_median(&w->y, w->rows65536, 1)) \
  X(quantile, weft_quantile(&w->y, w->a, 0.9, WEFT_ALL_AXES)) \
  X(percentile, weft_percentile(&w->y, w->a, 90.0, WEFT_ALL_AXES)) \
  X(nanquantile, weft_nanquantile(&w->y, w->nans, 0.9, WEFT_ALL_AXES)) \
  X(nanpercentile, weft_nanpercentile(&w->y, w->nans, 90.0, WEFT_ALL_AXES)) \
  X(average, weft_average(&w->y, w->a, WEFT_ALL_AXES, .weights = w->b)) \
  X(cov, weft_cov(&w->y, w->few_rows)) \
  X(corrcoef, weft_corrcoef(&w->y, w->few_rows)) \
  X(trapezoid, weft_trapezoid(&w->y, w->a, 0)) \
  X(cumulative_trapezoid, weft_cumulative_trapezoid(&w->y, w->a, 0))
// clang-format on

WIDE_TABLE(wide_reductions)
