// SPDX-License-Identifier: MIT
/// Sorting.
///
///     weft_array *y = NULL, *order = NULL;
///     rc = weft_sort(&y, x, -1);                                     along the last axis
///     rc = weft_sort(&x, x, WEFT_ALL_AXES, .descending = true);      x of one axis in place
///     rc = weft_argsort(&order, x, 0);                               where they were, i64
///     rc = weft_sort_by_key(&keys, &rows, keys, rows);               rows in the order of their keys, in place
///     rc = weft_topk(&best, &where, x, 10, -1);                      the ten largest and where they were
///
/// What follows holds for every function here.
///
/// Order: NumPy's. bool, integers; floats with NaN last, whatever its sign, and -0 equal to 0; complex numbers by the
/// real part, then the imaginary one, those with a NaN last (real numbers with a NaN imaginary part, then NaN with a
/// number, then two NaNs). With .descending the exact reverse: NaN first. Elements are moved as they are: a NaN keeps
/// its bits, a zero its sign. All sorts are stable, descending ones too: equal elements (NaNs among themselves, zeros
/// of either sign) keep their order. Dtypes: all of them. Shapes: `axis` is counted from the end where negative;
/// WEFT_ALL_AXES sorts all elements as one row, and the result has one axis. Arrays without elements and of one element
/// are fine. Operands are arrays or host memory (WEFT_HOST), with any strides; what is not contiguous along the axis is
/// copied first. Results come first: &array, where NULL becomes a new array and an array must have the result's shape
/// and a dtype that it casts to (same kind), or WEFT_HOST_OUT, which blocks. A result may be its own operand, which
/// saves memory. Memory: beside the result as much again as the elements (and, with them, the numbers or values) take,
/// for the time of the call, and a few percent more; nothing where rows are short. Blocking: none, but for a result in
/// host memory, and while kernels are built at their first use in a context. Method: least significant digit first. On
/// GPUs rows over a few thousand elements by onesweep (Adinets and Merrill 2022): one histogram of all digits of 8
/// bits, then a pass for each with decoupled look-back, but for digits that are the same in all elements; a pass is
/// three launches where blocks cannot talk to each other. Shorter rows are sorted by a block each, in one launch, those
/// up to 32 by counting. On CPUs digits of 11 bits, chunk by chunk; short rows are merged.
/// Errors: WEFT_ERROR_AXIS, WEFT_ERROR_SHAPE, WEFT_ERROR_DTYPE, WEFT_ERROR_ARGUMENT, WEFT_ERROR_READ_ONLY,
/// WEFT_ERROR_LAYOUT, WEFT_ERROR_CONTEXT, WEFT_ERROR_MEMORY, WEFT_ERROR_BUDGET, WEFT_ERROR_HANDLE, WEFT_ERROR_LOST,
/// WEFT_ERROR_CLOSED. On failure *out that was NULL is NULL.
/// Thread: any; an array belongs to one thread at a time.
#ifndef WEFT_SORT_H
#define WEFT_SORT_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/// Options of weft_sort, weft_argsort and weft_sort_by_key.
typedef struct weft_sort_params {
  bool descending;  /* greatest first, NaN before it */
  const char *site; /* set by the macros */
} weft_sort_params;

/// Options of weft_topk.
typedef struct weft_topk_params {
  bool smallest;    /* the k smallest, smallest first */
  const char *site; /* set by the macro */
} weft_topk_params;

/// The elements of `x` in order along `axis`. `out`: x's shape (with WEFT_ALL_AXES one axis), x's dtype.
WEFT_API WEFT_NODISCARD weft_status weft_sort(weft_array **out, const weft_array *x, weft_axes axis,
                                              const weft_sort_params *params);

/// Where the sorted elements were: i64, x's shape (with WEFT_ALL_AXES one axis, of numbers in row-major order); element
/// i of a sorted row is element out[i] of the row.
WEFT_API WEFT_NODISCARD weft_status weft_argsort(weft_array **out, const weft_array *x, weft_axes axis,
                                                 const weft_sort_params *params);

/// Sorts `keys`, of one axis, and brings `values` into the same order along their first axis, which is as long: numbers
/// of any dtype, or rows of them. Values of one axis and 4 or 8 bytes are sorted along with the keys; others are put in
/// order by the keys' places afterwards. `keys_out`: keys' shape and dtype; `values_out`: values'.
WEFT_API WEFT_NODISCARD weft_status weft_sort_by_key(weft_array **keys_out, weft_array **values_out,
                                                     const weft_array *keys, const weft_array *values,
                                                     const weft_sort_params *params);

/// The `k` largest elements of `x` along `axis`, largest first (NaN counts as larger than all numbers), and where they
/// were; with .smallest the k smallest, smallest first. Of equal elements those that come first are taken, in their
/// order. `values_out`: x's dtype; `indices_out`: i64; both x's shape with length k along `axis` (with WEFT_ALL_AXES
/// one axis of length k). k is from 0 to the length of the axis (WEFT_ERROR_ARGUMENT).
WEFT_API WEFT_NODISCARD weft_status weft_topk(weft_array **values_out, weft_array **indices_out, const weft_array *x,
                                              int64_t k, weft_axes axis, const weft_topk_params *params);

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

#define weft_sort(out, x, ...)                                                             \
  weft__sort_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                WEFT__OPTIONS(weft_sort_params, __VA_ARGS__))
#define weft_argsort(out, x, ...)                                                             \
  weft__argsort_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                   WEFT__OPTIONS(weft_sort_params, __VA_ARGS__))
#define weft_sort_by_key(keys_out, values_out, keys, ...)                                     \
  weft__sort_by_key_at(WEFT__RESULT(keys_out), WEFT__RESULT(values_out), WEFT__OPERAND(keys), \
                       WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), WEFT__OPTIONS(weft_sort_params, __VA_ARGS__))
#define weft_topk(values_out, indices_out, x, k, ...)                                       \
  weft__topk_at(WEFT__RESULT(values_out), WEFT__RESULT(indices_out), WEFT__OPERAND(x), (k), \
                WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), WEFT__OPTIONS(weft_topk_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
