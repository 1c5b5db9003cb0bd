# SPDX-License-Identifier: MIT
"""The peers' calls for the rows of `weft bench shapes`, by the same names, in the form of peer_rows.py."""

ROWS = """
sum_narrow | narrow.sum(1) |
max_narrow | narrow.max(1) | narrow.amax(1)
argmax_narrow | narrow.argmax(1) |
var_narrow | narrow.var(1) | narrow.var(1, correction=0)
cumsum_narrow | narrow.cumsum(1) |
sort_narrow | np.sort(narrow, 1) | narrow.sort(1)[0]
argsort_narrow | narrow.argsort(1) |
median_narrow | np.median(narrow, 1) | narrow.quantile(0.5, 1)
softmax_narrow | special.softmax(narrow, 1) | F.softmax(narrow, 1)
sum_narrow_down | narrow.sum(0) |
argmax_narrow_down | narrow.argmax(0) |
cumsum_narrow_down | narrow.cumsum(0) |
sort_narrow_down | np.sort(narrow, 0) | narrow.sort(0)[0]
argsort_narrow_down | narrow.argsort(0) |
median_narrow_down | np.median(narrow, 0) | narrow.median(0)[0]
sum_long_row | long_row.sum(1) |
sum_long_row_down | long_row.sum(0) |
cumsum_long_row | long_row.cumsum(1) |
sort_long_row | np.sort(long_row, 1) | long_row.sort(1)[0]
sort_long_row_down | np.sort(long_row, 0) | long_row.sort(0)[0]
median_long_row | np.median(long_row, 1) | long_row.median(1)[0]
softmax_long_row | special.softmax(long_row, 1) | F.softmax(long_row, 1)
sum_pairs | pairs.sum(1) |
sum_pairs_down | pairs.sum(0) |
argmax_pairs | pairs.argmax(1) |
var_pairs | pairs.var(1) | pairs.var(1, correction=0)
cumsum_pairs | pairs.cumsum(1) |
cumsum_pairs_down | pairs.cumsum(0) |
sort_pairs | np.sort(pairs, 1) | pairs.sort(1)[0]
argsort_pairs | pairs.argsort(1) |
sort_pairs_down | np.sort(pairs, 0) | pairs.sort(0)[0]
median_pairs | np.median(pairs, 1) | pairs.quantile(0.5, 1)
softmax_pairs | special.softmax(pairs, 1) | F.softmax(pairs, 1)
sum_two_rows | two_rows.sum(1) |
sum_two_rows_down | two_rows.sum(0) |
argmax_two_rows_down | two_rows.argmax(0) |
cumsum_two_rows_down | two_rows.cumsum(0) |
sort_two_rows_down | np.sort(two_rows, 0) | two_rows.sort(0)[0]
median_two_rows_down | np.median(two_rows, 0) | two_rows.quantile(0.5, 0)
sum_eight_odd | eight.sum((1, 3, 5, 7)) |
sum_eight_even | eight.sum((0, 2, 4, 6)) |
sum_eight_turned | eight_turned.sum() |
max_eight_turned_0 | eight_turned.max(0) | eight_turned.amax(0)
copy_eight_turned | np.ascontiguousarray(eight_turned) | eight_turned.contiguous()
sum_halves | halves.sum() |
max_halves | halves.max() |
argmax_halves | halves.argmax() |
var_halves | halves.var() | halves.var(correction=0)
cumsum_halves | halves.cumsum() | halves.cumsum(0)
sort_halves | np.sort(halves) | halves.sort()[0]
median_halves | np.median(halves) | halves.median()
add_halves | halves + halves |
dot_halves | halves.dot(halves) |
sum_row_steps | row_steps.sum(1) |
sum_row_steps_down | row_steps.sum(0) |
var_row_steps | row_steps.var(1) | row_steps.var(1, correction=0)
sum_column_steps | column_steps.sum(1) |
sum_column_steps_down | column_steps.sum(0) |
argmax_column_steps_down | column_steps.argmax(0) |
sum_turned | turned.sum(0) |
var_turned | turned.var(1) | turned.var(1, correction=0)
sort_turned | np.sort(turned, 0) | turned.sort(0)[0]
sum_reverse | reverse.sum() | -
cumsum_reverse | reverse.cumsum() | -
sum_stretched_down | stretched_down.sum(0) |
sum_stretched_down_rows | stretched_down.sum(1) |
sum_stretched_down_all | stretched_down.sum() |
sum_stretched_across | stretched_across.sum(1) |
max_stretched_across | stretched_across.max(1) | stretched_across.amax(1)
argmax_stretched_across | stretched_across.argmax(1) |
var_stretched_across | stretched_across.var(1) | stretched_across.var(1, correction=0)
sort_ascending | np.sort(ascending) | ascending.sort()[0]
sort_descending | np.sort(descending) | descending.sort()[0]
sort_reversed_view | np.sort(reverse) | -
sort_equal | np.sort(equal) | equal.sort()[0]
sort_few | np.sort(few) | few.sort()[0]
sort_nan_rich | np.sort(nan_rich) | nan_rich.sort()[0]
argsort_ascending | ascending.argsort() |
argsort_descending | descending.argsort() |
argsort_equal | equal.argsort() |
argsort_few | few.argsort() |
argsort_nan_rich | nan_rich.argsort() |
median_ascending | np.median(ascending) | ascending.median()
median_descending | np.median(descending) | descending.median()
median_equal | np.median(equal) | equal.median()
median_few | np.median(few) | few.median()
nanmedian_nan_rich | np.nanmedian(nan_rich) | nan_rich.nanmedian()
nanmedian_nan_rows | np.nanmedian(nan_rows, 1) | nan_rows.nanmedian(1)[0]
partition_kth_equal | np.partition(equal, n // 2) | -
partition_kth_ascending | np.partition(ascending, n // 2) | -
unique_equal | np.unique(equal) | t.unique(equal)
unique_ascending | np.unique(ascending) | t.unique(ascending)
unique_nan_rich | np.unique(nan_rich) | t.unique(nan_rich)
searchsorted_ascending | np.searchsorted(ascending, ascending) | t.searchsorted(ascending, ascending)
searchsorted_descending | np.searchsorted(ascending, descending) | t.searchsorted(ascending, descending)
searchsorted_equal | np.searchsorted(equal, equal) | t.searchsorted(equal, equal)
nansum_nan_rich | np.nansum(nan_rich) | nan_rich.nansum()
nanmax_nan_rich | np.nanmax(nan_rich) | -
nanvar_nan_rows | np.nanvar(nan_rows, 1) | -
nanmax_nan_rows_down | np.nanmax(nan_rows, 0) | -
nanargmax_nan_rows | np.nanargmax(nan_rows, 1) | -
all_rows | nan_rows.all(1) |
histogram_equal | np.histogram(equal, 256, (0, 1))[0] | t.histc(equal, 256, 0, 1)
matmul_four_rows | four_rows @ fours |
matmul_fours | fours @ square4 |
matmul_long_row | long_row @ narrow |
median_filter_5 | ndimage.median_filter(a, 5) | -
median_filter_49 | ndimage.median_filter(a, 49) | -
median_filter_51 | ndimage.median_filter(a, 51) | -
median_filter_401 | ndimage.median_filter(a, 401) | -
median_filter_9x9 | ndimage.median_filter(m, 9) | -
percentile_filter_801 | ndimage.percentile_filter(a, 20, 801) | -
uniform_filter_3 | ndimage.uniform_filter(a, 3) | -
uniform_filter_801 | ndimage.uniform_filter(a, 801) | -
uniform_filter_3201 | ndimage.uniform_filter(a, 3201) | -
uniform_filter_101x101 | ndimage.uniform_filter(m, 101) | -
maximum_filter_3 | ndimage.maximum_filter(a, 3) | -
maximum_filter_801 | ndimage.maximum_filter(a, 801) | -
maximum_filter_3201 | ndimage.maximum_filter(a, 3201) | -
minimum_filter_101x101 | ndimage.minimum_filter(m, 101) | -
grey_erosion_801 | ndimage.grey_erosion(a, 801) | -
grey_opening_801 | ndimage.grey_opening(a, 801) | -
grey_closing_101x101 | ndimage.grey_closing(m, (101, 101)) | -
zoom_half | ndimage.zoom(m, 0.5, order=1) | -
rotate_30 | ndimage.rotate(m, 30, order=1, reshape=False) | -
"""
