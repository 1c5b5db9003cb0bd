// SPDX-License-Identifier: MIT
/// Tables by their keys: the order of rows, groups of equal keys, reductions of each group.
///
///     rc = weft_reduce_by_key(&names, &sums, keys, values);                          values added up for each key
///     rc = weft_reduce_by_key(&names, &means, keys, values, .op = WEFT_REDUCE_MEAN);
///     rc = weft_group_by(groups, keys, 2, .order = &order, .offsets = &offsets);     keys is a weft_array *[2]
///     rc = weft_reduce_segments(&y, x, offsets, .order = order);                     the sum of each group
///     rc = weft_lexsort(&order, keys, 2, 0);                                         by keys[1], then by keys[0]
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_GROUP_H
#define WEFT_GROUP_H

#include <weft/axes.h>
#include <weft/reduce.h>

WEFT_BEGIN_DECLS

/* ---- keys ----
   Keys have one axis, an element for each row, and any dtype. Groups come in the order of their keys (NaN last, complex
   numbers as in weft/sort.h), rows of a group in their own order. NaN equals NaN, and 0 equals -0. */

/// numpy.lexsort: the positions that sort by several keys, by the last one first: i64. The keys, 1 to 32, have one
/// shape, and are sorted along `axis`. Stable. Method: a sort of positions for each key.
WEFT_API WEFT_NODISCARD weft_status weft_lexsort(weft_array **out, weft_array *const *keys, int64_t count,
                                                 weft_axes axis);

/// Options of weft_group_by: results, each the address of an array's handle (NULL: not wanted), and how keys are read.
typedef struct weft_group_by_params {
  weft_array **order;   /* the rows' numbers, group after group: i64 */
  weft_array **offsets; /* where each group begins in `order`, and behind the last one the number of rows: i64 */
  weft_array **index;   /* each group's first row: i64 */
  weft_array **inverse; /* the group of each row: i64 */
  weft_array **counts;  /* the number of rows of each group: i64 */
  bool sorted;          /* equal keys are neighbours: their runs are the groups, in this order; nothing is sorted */
  bool distinct_nan;    /* a NaN equals no other */
  const char *site;     /* set by the macro */
} weft_group_by_params;
/// Groups rows by 1 to 32 keys; keys[0] is the first to order them. `outs` has room for `count` handles and gets the
/// groups' keys, or is NULL. pandas.DataFrame.groupby, numpy.unique of records. Waits for the number of groups.
/// WEFT_ERROR_SHAPE: keys of several axes or of different lengths. WEFT_ERROR_ARGUMENT: count.
WEFT_API WEFT_NODISCARD weft_status weft_group_by(weft_array **outs, weft_array *const *keys, int64_t count,
                                                  const weft_group_by_params *params);

/* ---- reductions of groups ----
   .op is a reduction of weft/reduce.h, with its dtypes and its treatment of NaN: SUM (the default), PROD, MIN, MAX,
   ANY, ALL, COUNT_NONZERO, MEAN, VAR, STD, PTP, and the nan forms NANSUM, NANPROD, NANMIN, NANMAX, NANMEAN, NANVAR and
   NANSTD; any other is WEFT_ERROR_ARGUMENT. Groups are slices along the first axis; other axes are reduced apart.
   Floats are added up in f64 where the device has it, each group alone, so that a group's sum owes nothing to other
   groups; results have the same bits in every run. A group without elements gives 0 for sums and counts, 1 for
   products, false for ANY, true for ALL, else NaN (integers 0). */

/// Options of weft_reduce_segments.
typedef struct weft_segments_params {
  weft_reduction_id op;
  double ddof;             /* for VAR and STD, as in weft_var_params */
  const weft_array *order; /* the rows of x in the order of the groups, as from weft_group_by; default: as they are */
  const char *site;        /* set by the macro */
} weft_segments_params;
/// Reduces x's slices offsets[k] to offsets[k + 1] - 1 along its first axis to slice k of the result. `offsets` is i64
/// with one axis, ascending, from 0 to the length of x (unspecified results if it does not ascend); one more than there
/// are segments. numpy.add.reduceat, CUB's DeviceSegmentedReduce. Does not wait. WEFT_ERROR_SHAPE, WEFT_ERROR_DTYPE: of
/// offsets. WEFT_ERROR_INDEX: an offset out of range, as of weft_scatter.
WEFT_API WEFT_NODISCARD weft_status weft_reduce_segments(weft_array **out, const weft_array *x,
                                                         const weft_array *offsets, const weft_segments_params *params);

/// Options of weft_reduce_by_key.
typedef struct weft_reduce_by_key_params {
  weft_reduction_id op;
  double ddof;         /* for VAR and STD */
  weft_array **counts; /* a result: the number of values of each key: i64 */
  bool sorted;         /* equal keys are neighbours: nothing is sorted, and each run is a group */
  const char *site;    /* set by the macro */
} weft_reduce_by_key_params;
/// The different keys, in order, and the reduction of each key's values: rows along the first axis, as many as there
/// are keys (WEFT_ERROR_SHAPE). `keys_out` may be NULL. pandas.Series.groupby, thrust::reduce_by_key (with .sorted).
/// Waits for the number of keys.
WEFT_API WEFT_NODISCARD weft_status weft_reduce_by_key(weft_array **keys_out, weft_array **values_out,
                                                       const weft_array *keys, const weft_array *values,
                                                       const weft_reduce_by_key_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__lexsort_at(weft_operand out, weft_array *const *keys, int64_t count,
                                                     weft_axes axis, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__group_by_at(weft_array **outs, weft_array *const *keys, int64_t count,
                                                      const weft_group_by_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__reduce_segments_at(weft_operand out, weft_operand x, weft_operand offsets,
                                                             const weft_segments_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__reduce_by_key_at(weft_operand keys_out, weft_operand values_out,
                                                           weft_operand keys, weft_operand values,
                                                           const weft_reduce_by_key_params *params);

#define weft_lexsort(out, keys, count, axis) \
  weft__lexsort_at(WEFT__RESULT(out), (keys), (count), WEFT__AXES(axis), WEFT_SITE)
#define weft_group_by(outs, keys, ...) \
  weft__group_by_at((outs), (keys), (WEFT__FIRST(__VA_ARGS__)), WEFT__OPTIONS(weft_group_by_params, __VA_ARGS__))
#define weft_reduce_segments(out, x, ...)                                                                \
  weft__reduce_segments_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                           WEFT__OPTIONS(weft_segments_params, __VA_ARGS__))
#define weft_reduce_by_key(keys_out, values_out, keys, ...)                                             \
  weft__reduce_by_key_at(WEFT__RESULT_OR_NULL(keys_out), WEFT__RESULT(values_out), WEFT__OPERAND(keys), \
                         WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)),                                       \
                         WEFT__OPTIONS(weft_reduce_by_key_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
