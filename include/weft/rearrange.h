// SPDX-License-Identifier: MIT
/// Arrays put together, repeated, bordered, rolled. What makes only a view (split, moveaxis, rot90, ...) is in weft/view.h.
///
///     rc = weft_concatenate(&all, parts, 3, 0);              parts is a weft_array *[3]
///     rc = weft_roll(&x, x, 1, -1);                          in place
///     rc = weft_pad(&framed, x, WEFT_SHAPE(1, 1), WEFT_SHAPE(1, 1), WEFT_PAD_EDGE);
///
/// What weft/ufunc.h says of operands, results, context, blocking and errors holds here too: operands are arrays or host memory, results
/// come first (`&out` of an array that is NULL, or of one with the result's shape and any strides, or WEFT_HOST_OUT, which blocks), and a
/// result may overlap an operand. Names, shapes and dtypes are NumPy's. Axes are counted from the end where negative; WEFT_EVERY_AXIS,
/// where it is allowed, is NumPy's axis=None: the elements in row-major order, as one axis.
/// Elements are moved as they are, bit by bit: every dtype works on every device. One launch each, where nothing else is said; arrays of
/// any strides are read where they lie, but transposed ones are copied first, with a launch more.
/// Errors, besides those of weft/ufunc.h: WEFT_ERROR_AXIS, and WEFT_ERROR_OVERFLOW for a result of more than 2^63-1 bytes.
/// Thread: any; an array belongs to one thread at a time.
#ifndef WEFT_REARRANGE_H
#define WEFT_REARRANGE_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/* ---- put together ---- */

/// numpy.concatenate: `count` arrays one after the other along `axis`. They have the same lengths in all other axes, and at least one axis;
/// with WEFT_EVERY_AXIS any shapes do, and the result has one axis. dtypes promote as NumPy's promote_types.
/// Contiguous arrays of the result's dtype are copied 24 to a launch, whatever their sizes; each of the others takes a launch of its own.
/// An array that is all of a launch, whole rows of the result, is copied by the driver. `arrays` itself is not kept.
/// Errors: WEFT_ERROR_ARGUMENT (count 0, or over 2^20), WEFT_ERROR_SHAPE.
#define weft_concatenate(out, arrays, count, axis) weft__concatenate_at(WEFT_OPERAND(out), (arrays), (count), (axis), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__concatenate_at(weft_operand out, weft_array *const *arrays, int64_t count, int axis,
                                                         const char *site);
/// numpy.stack: `count` arrays of one shape along a new axis, which becomes axis `axis` of the result. Otherwise as weft_concatenate.
#define weft_stack(out, arrays, count, axis) weft__stack_at(WEFT_OPERAND(out), (arrays), (count), (axis), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__stack_at(weft_operand out, weft_array *const *arrays, int64_t count, int axis, const char *site);

/* ---- repeated ---- */

/// numpy.repeat: each element `count` times, along `axis` or with WEFT_EVERY_AXIS along the one axis of the result.
/// Errors: WEFT_ERROR_ARGUMENT (count negative).
#define weft_repeat(out, x, count, axis) weft__repeat_at(WEFT_OPERAND(out), WEFT_OPERAND(x), (count), (axis), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__repeat_at(weft_operand out, weft_operand x, int64_t count, int axis, const char *site);
/// The same with a count for each element along the axis: `counts` is an array or host memory of integers or bool, with one axis as long as
/// that of `x` (or of length 1: for all). Their sum is the result's length, so the call waits for it: up to 65536 counts are copied to the
/// host and added up there, more of them on the device. Errors: WEFT_ERROR_DTYPE, WEFT_ERROR_SHAPE, WEFT_ERROR_ARGUMENT (a negative count,
/// named with its position).
/// Method: binary search in the running sums, from a block's bounds on.
#define weft_repeat_each(out, x, counts, axis) \
  weft__repeat_each_at(WEFT_OPERAND(out), WEFT_OPERAND(x), WEFT_OPERAND(counts), (axis), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__repeat_each_at(weft_operand out, weft_operand x, weft_operand counts, int axis, const char *site);
/// numpy.tile: `reps` copies along each axis. Where `reps` and `x` have different numbers of axes, the shorter one gets ones in front.
/// Errors: WEFT_ERROR_SHAPE (a negative number).
#define weft_tile(out, x, reps) weft__tile_at(WEFT_OPERAND(out), WEFT_OPERAND(x), (reps), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__tile_at(weft_operand out, weft_operand x, weft_shape reps, const char *site);

/* ---- turned and bordered ---- */

/// numpy.roll: element i becomes element i + shift, and what falls off the end comes in at the front. With WEFT_EVERY_AXIS over the
/// elements in row-major order; the shape stays.
#define weft_roll(out, x, shift, axis) weft__roll_at(WEFT_OPERAND(out), WEFT_OPERAND(x), (shift), (axis), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__roll_at(weft_operand out, weft_operand x, int64_t shift, int axis, const char *site);
/// Along several axes in one launch, shifts.dim[i] along axis axes.axis[i]:
/// weft_roll_axes(&y, x, WEFT_SHAPE(1, -2), WEFT_AXES(0, 1)). The shifts of an axis given twice add up. A single shift
/// applies to all axes; a single axis gets the sum of all shifts.
/// Errors: WEFT_ERROR_ARGUMENT (not as many shifts as axes).
#define weft_roll_axes(out, x, shifts, axes) weft__roll_axes_at(WEFT_OPERAND(out), WEFT_OPERAND(x), (shifts), (axes), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__roll_axes_at(weft_operand out, weft_operand x, weft_shape shifts, weft_axes axes,
                                                       const char *site);

/// What stands in a border; numpy.pad's modes of these names.
typedef enum weft_pad_mode {
  WEFT_PAD_ZERO = 0,  /* mode="constant", constant_values=0 */
  WEFT_PAD_EDGE,      /* a a | a b c | c c */
  WEFT_PAD_REFLECT,   /* c b | a b c | b a */
  WEFT_PAD_SYMMETRIC, /* b a | a b c | c b */
  WEFT_PAD_WRAP,      /* b c | a b c | a b */
} weft_pad_mode;
/// numpy.pad: before.dim[d] elements in front of axis d and after.dim[d] behind it; one number for all axes where there is only one. A
/// border may be longer than the axis. Errors: WEFT_ERROR_SHAPE (not as many numbers as axes, negative ones, a border of an axis of length
/// 0 that needs elements).
#define weft_pad(out, x, before, after, mode) weft__pad_at(WEFT_OPERAND(out), WEFT_OPERAND(x), (before), (after), (mode), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__pad_at(weft_operand out, weft_operand x, weft_shape before, weft_shape after, weft_pad_mode mode,
                                                 const char *site);
/// The same with the border `value` (any C scalar, converted as by weft_full).
#define weft_pad_constant(out, x, before, after, ...) \
  weft__pad_constant_at(WEFT_OPERAND(out), WEFT_OPERAND(x), (before), (after), WEFT_SCALAR((__VA_ARGS__)), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__pad_constant_at(weft_operand out, weft_operand x, weft_shape before, weft_shape after,
                                                          weft_scalar value, const char *site);

/* ---- matrices: the last two axes ---- */

/// numpy.tril, numpy.triu: zero above (below) diagonal `k`; 0 is the main one, positive ones are above it. A
/// one-dimensional `x` of n elements is repeated as each row of n x n; no axes are WEFT_ERROR_SHAPE. Elements that
/// become zero are not read.
#define weft_tril(out, x, k) weft__tril_at(WEFT_OPERAND(out), WEFT_OPERAND(x), (k), WEFT_SITE)
#define weft_triu(out, x, k) weft__triu_at(WEFT_OPERAND(out), WEFT_OPERAND(x), (k), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__tril_at(weft_operand out, weft_operand x, int64_t k, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__triu_at(weft_operand out, weft_operand x, int64_t k, const char *site);
/// numpy.diag of one axis (WEFT_ERROR_SHAPE): a square matrix with `x` as its diagonal `k` and zeros elsewhere. The diagonal of a matrix is
/// weft_diagonal.
#define weft_diag(out, x, k) weft__diag_at(WEFT_OPERAND(out), WEFT_OPERAND(x), (k), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__diag_at(weft_operand out, weft_operand x, int64_t k, const char *site);
/// numpy.eye: `rows` x `columns`, ones on diagonal `k`. `context` may be NULL: that of a result that is given, else the default
/// one. Two launches. Errors: WEFT_ERROR_SHAPE.
#define weft_eye(out, context, dtype, rows, columns, k) \
  weft__eye_at(WEFT_OPERAND(out), (context), (dtype), (rows), (columns), (k), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__eye_at(weft_operand out, weft_context *context, weft_dtype dtype, int64_t rows, int64_t columns,
                                                 int64_t k, const char *site);

/* ---- differences ---- */

/// numpy.diff: x[i + 1] - x[i] along `axis`, `n` times over; one element less each time, none left when there are no more. The dtype stays
/// (integers wrap around); of bool it is whether they differ. n = 0 is a copy. `n` launches. Errors: WEFT_ERROR_ARGUMENT (n negative),
/// WEFT_ERROR_AXIS (also without axes).
#define weft_diff(out, x, n, axis) weft__diff_at(WEFT_OPERAND(out), WEFT_OPERAND(x), (n), (axis), WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__diff_at(weft_operand out, weft_operand x, int n, int axis, const char *site);

/* ---- bits ---- */

/// numpy.packbits: eight elements along `axis` (with WEFT_EVERY_AXIS of all of them in row-major order) become a byte, a u8: a bit is 1
/// where the element is not 0. The first one is the highest bit, with _little the lowest; where the length is no multiple of 8 zeros
/// follow. Errors: WEFT_ERROR_DTYPE (neither bool nor integers).
#define weft_packbits(out, x, axis) weft__packbits_at(WEFT_OPERAND(out), WEFT_OPERAND(x), (axis), false, WEFT_SITE)
#define weft_packbits_little(out, x, axis) weft__packbits_at(WEFT_OPERAND(out), WEFT_OPERAND(x), (axis), true, WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__packbits_at(weft_operand out, weft_operand x, int axis, bool little, const char *site);
/// numpy.unpackbits: the bits of each byte along `axis` as u8, 0 or 1, in the same order. `count` of them, and zeros where there are not as
/// many; of a negative count all but so many at the end; with WEFT_END all.
/// Errors: WEFT_ERROR_DTYPE (not u8), WEFT_ERROR_ARGUMENT (a negative count of more than there are).
#define weft_unpackbits(out, x, count, axis) weft__unpackbits_at(WEFT_OPERAND(out), WEFT_OPERAND(x), (count), (axis), false, WEFT_SITE)
#define weft_unpackbits_little(out, x, count, axis) \
  weft__unpackbits_at(WEFT_OPERAND(out), WEFT_OPERAND(x), (count), (axis), true, WEFT_SITE)
WEFT_API WEFT_NODISCARD weft_status weft__unpackbits_at(weft_operand out, weft_operand x, int64_t count, int axis, bool little,
                                                        const char *site);

WEFT_END_DECLS

#endif
