// SPDX-License-Identifier: MIT
/// Sorting: values, positions, pairs of keys and values, the k largest.
///
///     rc = weft_sort(&y, x, -1);                                     along the last axis
///     rc = weft_sort(&x, x, WEFT_ALL_AXES, .descending = true);      x of one axis in place
///     rc = weft_argsort(&order, x, 0);                               the sorted elements' positions, i64
///     rc = weft_sort_by_key(&keys, &rows, keys, rows);               rows in the order of their keys, in place
///     rc = weft_topk(&best, &where, x, 10, -1);                      the ten largest and their positions
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_SORT_H
#define WEFT_SORT_H

#include <weft/axes.h>
#include <weft/operand.h>
#include <weft/rearrange.h>

WEFT_BEGIN_DECLS

/* ---- all sorts ----
   Order, as in NumPy: floats with NaN last, whatever its sign, and -0 equal to 0; complex numbers by their real, then
   by their imaginary part, with NaNs last (first a NaN imaginary part alone, then a NaN real part alone, then both).
   .descending is the exact reverse: NaN first. Elements keep their bits: a NaN its payload, a zero its sign. All sorts
   are stable, descending ones too: equal elements (NaNs among themselves, zeros of either sign) keep their order.

   All dtypes can be sorted. With WEFT_ALL_AXES the elements are one row and the result has one axis. A result may be
   its own operand, which saves memory. Operands that are not contiguous along the axis are copied first. Scratch during
   the call: as much memory as the elements, plus the positions or values moved with them, plus a few percent; short
   rows need none. */

/// Options of weft_sort, weft_argsort and weft_sort_by_key.
typedef struct weft_sort_params {
  bool descending;  /* greatest first, after NaN */
  const char *site; /* set by the macros */
} weft_sort_params;

/// Options of weft_topk.
typedef struct weft_topk_params {
  bool smallest;    /* the k smallest, smallest first */
  const char *site; /* set by the macro */
} weft_topk_params;

/// The elements of `x` in order along `axis`: x's dtype and shape (with WEFT_ALL_AXES one axis).
WEFT_API WEFT_NODISCARD weft_status weft_sort(weft_array **out, const weft_array *x, weft_axes axis,
                                              const weft_sort_params *params);

/// The positions of the sorted elements, i64: element i of a sorted row is element out[i] of the row. x's shape (with
/// WEFT_ALL_AXES one axis, of row-major positions).
WEFT_API WEFT_NODISCARD weft_status weft_argsort(weft_array **out, const weft_array *x, weft_axes axis,
                                                 const weft_sort_params *params);

/// Sorts `keys`, of one axis, and puts `values` into the same order along their first axis, which has the keys' length
/// (WEFT_ERROR_SHAPE). The values may have any dtype and further axes: rows move as a whole. `keys_out` has keys' shape
/// and dtype, `values_out` values'. Values of one axis and 4 or 8 bytes are fastest: they are sorted together with the
/// keys, any others are gathered afterwards.
WEFT_API WEFT_NODISCARD weft_status weft_sort_by_key(weft_array **keys_out, weft_array **values_out,
                                                     const weft_array *keys, const weft_array *values,
                                                     const weft_sort_params *params);

/// The `k` largest elements of `x` along `axis`, largest first (NaN counts as larger than all numbers), and their
/// positions; with .smallest the k smallest, smallest first. The first of equal elements are taken, in their order.
/// `values_out` has x's dtype, `indices_out` is i64; both have x's shape with length k along `axis` (with WEFT_ALL_AXES
/// one axis). One of the results may be NULL. WEFT_ERROR_ARGUMENT: k is not from 0 to the length of the axis.
WEFT_API WEFT_NODISCARD weft_status weft_topk(weft_array **values_out, weft_array **indices_out, const weft_array *x,
                                              int64_t k, weft_axes axis, const weft_topk_params *params);

/// numpy.partition: x with element `kth` of each row as in sorted order, no greater one before it and no lesser one
/// behind; negative ranks count from the end. `kth` is a C integer or several as a shape, WEFT_SHAPE(3, 7). (NumPy's
/// name is another function here: weft_partition divides by a mask.) Long rows of real numbers (on CPUs of over 1024
/// elements; on GPUs few, as in weft_quantile, or of 4 or 8 bytes and over 4096 elements) are not sorted: the elements
/// are found, and the others keep their order on each side. Other rows are sorted. WEFT_ERROR_ARGUMENT: `kth` is out of
/// range.
WEFT_API WEFT_NODISCARD weft_status weft_partition_kth(weft_array **out, const weft_array *x, weft_shape kth,
                                                       weft_axes axis);
/// numpy.argpartition: the positions of the elements as weft_partition_kth puts them: i64.
WEFT_API WEFT_NODISCARD weft_status weft_argpartition(weft_array **out, const weft_array *x, weft_shape kth,
                                                      weft_axes axis);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__sort_at(weft_operand out, weft_operand x, weft_axes axis,
                                                  const weft_sort_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__argsort_at(weft_operand out, weft_operand x, weft_axes axis,
                                                     const weft_sort_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__sort_by_key_at(weft_operand keys_out, weft_operand values_out,
                                                         weft_operand keys, weft_operand values,
                                                         const weft_sort_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__topk_at(weft_operand values_out, weft_operand indices_out, weft_operand x,
                                                  int64_t k, weft_axes axis, const weft_topk_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__partition_kth_at(weft_operand out, weft_operand x, weft_shape kth,
                                                           weft_axes axis, bool numbers, const char *site);

#define weft_sort(out, x, ...)                                                             \
  weft__sort_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                WEFT__OPTIONS(weft_sort_params, __VA_ARGS__))
#define weft_argsort(out, x, ...)                                                             \
  weft__argsort_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                   WEFT__OPTIONS(weft_sort_params, __VA_ARGS__))
#define weft_sort_by_key(keys_out, values_out, keys, ...)                                     \
  weft__sort_by_key_at(WEFT__RESULT(keys_out), WEFT__RESULT(values_out), WEFT__OPERAND(keys), \
                       WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), WEFT__OPTIONS(weft_sort_params, __VA_ARGS__))
#define weft_topk(values_out, indices_out, x, k, ...)                                                       \
  weft__topk_at(WEFT__RESULT_OR_NULL(values_out), WEFT__RESULT_OR_NULL(indices_out), WEFT__OPERAND(x), (k), \
                WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), WEFT__OPTIONS(weft_topk_params, __VA_ARGS__))
#define weft_partition_kth(out, x, kth, axis) \
  weft__partition_kth_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__SHIFT(kth), WEFT__AXES(axis), false, WEFT_SITE)
#define weft_argpartition(out, x, kth, axis) \
  weft__partition_kth_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__SHIFT(kth), WEFT__AXES(axis), true, WEFT_SITE)

WEFT_END_DECLS

#endif
