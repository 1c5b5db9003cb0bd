// SPDX-License-Identifier: MIT
/// Arrays joined, repeated, padded, rolled, with elements added or removed, and packed into bits. Functions that only
/// make a view (split, moveaxis, rot90) are in weft/view.h. Names, shapes and dtypes are NumPy's.
///
///     rc = weft_concatenate(&all, parts, 3, 0);              parts is a weft_array *[3]
///     rc = weft_roll(&x, x, 1, -1);                          in place
///     rc = weft_pad(&framed, x, WEFT_SHAPE(1, 1), WEFT_SHAPE(1, 1), .mode = WEFT_PAD_EDGE);
///
/// Elements are moved bit by bit: every dtype works on every device. WEFT_ALL_AXES, where it is allowed, is NumPy's
/// axis=None: the elements in row-major order, as one axis. WEFT_ERROR_OVERFLOW: a result of more than 2^63-1 bytes.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_REARRANGE_H
#define WEFT_REARRANGE_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/* ---- put together ---- */

/// numpy.concatenate: `count` arrays one after the other along `axis`. All other axes have the same lengths, and there
/// is at least one axis; with WEFT_ALL_AXES any shapes do, and the result has one axis. dtypes promote as NumPy's
/// promote_types. Fastest for contiguous arrays of the result's dtype: up to 24 share a launch; any others need one
/// each. `arrays` itself is not kept. WEFT_ERROR_ARGUMENT: count is 0, or over 2^20. WEFT_ERROR_SHAPE: lengths differ.
WEFT_API WEFT_NODISCARD weft_status weft_concatenate(weft_array **out, weft_array *const *arrays, int64_t count,
                                                     weft_axes axis);
/// numpy.stack: `count` arrays of one shape along a new axis, axis `axis` of the result. Otherwise as weft_concatenate.
WEFT_API WEFT_NODISCARD weft_status weft_stack(weft_array **out, weft_array *const *arrays, int64_t count,
                                               weft_axes axis);

/// numpy.vstack, hstack, dstack, column_stack: `count` arrays below one another (arrays with one axis are rows), side
/// by side (along the second axis, of a single axis along it), behind one another (along the third axis), and as
/// columns (arrays with one axis; others as for hstack). Otherwise as weft_concatenate.
WEFT_API WEFT_NODISCARD weft_status weft_vstack(weft_array **out, weft_array *const *arrays, int64_t count);
WEFT_API WEFT_NODISCARD weft_status weft_hstack(weft_array **out, weft_array *const *arrays, int64_t count);
WEFT_API WEFT_NODISCARD weft_status weft_dstack(weft_array **out, weft_array *const *arrays, int64_t count);
WEFT_API WEFT_NODISCARD weft_status weft_column_stack(weft_array **out, weft_array *const *arrays, int64_t count);

/* ---- added and removed ---- */

/// numpy.append: `values` behind `x` along `axis`, of the same shape except along it; with WEFT_ALL_AXES any shapes. A
/// C scalar takes x's dtype where its kind fits.
WEFT_API WEFT_NODISCARD weft_status weft_append(weft_array **out, const weft_array *x, const weft_array *values,
                                                weft_axes axis);
/// numpy.insert: `values`, cast to x's dtype, before the positions `indices` of x along `axis`: a C integer, or
/// integers in one axis or none, for which it waits; negative ones count from the end. They broadcast to one slice for
/// each position. At a single position more slices may be given: along `axis`, or, for a C integer and an array without
/// axes, along their first axis.
/// WEFT_ERROR_INDEX: out of range.
WEFT_API WEFT_NODISCARD weft_status weft_insert(weft_array **out, const weft_array *x, const weft_array *indices,
                                                const weft_array *values, weft_axes axis);
/// numpy.delete: x without the positions `indices` along `axis`: a C integer, or integers of any shape, where it waits
/// for the number of different ones. (x without the elements of a mask: weft_compress of its opposite.)
/// WEFT_ERROR_INDEX: out of range.
WEFT_API WEFT_NODISCARD weft_status weft_delete(weft_array **out, const weft_array *x, const weft_array *indices,
                                                weft_axes axis);

/// Options of weft_trim_zeros.
typedef struct weft_trim_zeros_params {
  bool keep_front, keep_back; /* zeros at this end stay */
  const char *site;           /* set by the macro */
} weft_trim_zeros_params;
/// numpy.trim_zeros: `x`, of one axis, without the zeros at its ends: a view, so *out must be NULL. Waits.
/// WEFT_ERROR_SHAPE: x has other than one axis.
WEFT_API WEFT_NODISCARD weft_status weft_trim_zeros(weft_array **out, const weft_array *x,
                                                    const weft_trim_zeros_params *params);

/* ---- repeated ---- */

/// numpy.resize: x's elements in row-major order, over and over, in another shape; zeros if x has none.
WEFT_API WEFT_NODISCARD weft_status weft_resize(weft_array **out, const weft_array *x, weft_shape shape);

/// numpy.repeat: each element repeated along `axis`, or with WEFT_ALL_AXES along the result's one axis. `counts` is a C
/// integer, or an array or host memory of integers or bool of one axis: a count for each element along the axis, or one
/// for all. Counts from memory give the result's length, so the call waits for their sum. WEFT_ERROR_DTYPE,
/// WEFT_ERROR_SHAPE: of counts. WEFT_ERROR_ARGUMENT: a negative count, named with its position.
WEFT_API WEFT_NODISCARD weft_status weft_repeat(weft_array **out, const weft_array *x, const weft_array *counts,
                                                weft_axes axis);
/// numpy.tile: `reps` copies along each axis. If `reps` and `x` have different numbers of axes, ones are put in front
/// of the shorter. WEFT_ERROR_SHAPE: a negative number.
WEFT_API WEFT_NODISCARD weft_status weft_tile(weft_array **out, const weft_array *x, weft_shape reps);

/* ---- turned and bordered ---- */

/// numpy.roll: element i becomes element i + shift; elements rolled off the end come back at the front. WEFT_ALL_AXES:
/// the elements in row-major order, in x's shape. `shift` is a C integer or one for each axis: weft_roll(&y, x,
/// WEFT_SHAPE(1, -2), WEFT_AXES(0, 1)), in one launch. Shifts of an axis given twice add up. A single shift applies to
/// all of `axes`; a single axis gets the sum of all shifts. WEFT_ERROR_ARGUMENT: not as many shifts as axes.
WEFT_API WEFT_NODISCARD weft_status weft_roll(weft_array **out, const weft_array *x, weft_shape shift, weft_axes axes);

/// The elements of a border, by numpy.pad's modes of these names.
typedef enum weft_pad_mode {
  WEFT_PAD_CONSTANT = 0, /* mode="constant": .value, or zero */
  WEFT_PAD_EDGE,         /* a a | a b c | c c */
  WEFT_PAD_REFLECT,      /* c b | a b c | b a */
  WEFT_PAD_SYMMETRIC,    /* b a | a b c | c b */
  WEFT_PAD_WRAP,         /* b c | a b c | a b */
} weft_pad_mode;
typedef struct weft_pad_params {
  weft_pad_mode mode;
  weft_scalar value; /* the border of WEFT_PAD_CONSTANT, converted as by weft_full: WEFT_SCALAR(7) */
  const char *site;  /* set by the macro */
} weft_pad_params;
/// numpy.pad: before.dim[d] elements in front of axis d and after.dim[d] behind it; one number applies to all axes. A
/// border may be longer than the axis. WEFT_ERROR_SHAPE: not as many numbers as axes, a negative number, a border made
/// of an axis of length 0. WEFT_ERROR_ARGUMENT: a value together with a mode other than WEFT_PAD_CONSTANT.
WEFT_API WEFT_NODISCARD weft_status weft_pad(weft_array **out, const weft_array *x, weft_shape before, weft_shape after,
                                             const weft_pad_params *params);

/* ---- matrices: the last two axes ---- */

/// Options of weft_tril, weft_triu and weft_diag.
typedef struct weft_matrix_params {
  int64_t k;        /* the diagonal: 0 is the main one, positive ones are above it */
  const char *site; /* set by the macros */
} weft_matrix_params;

/// Options of weft_eye.
typedef struct weft_eye_params {
  int64_t columns;  /* 0: as many as rows */
  int64_t k;        /* the diagonal: 0 is the main one, positive ones are above it */
  const char *site; /* set by the macro */
} weft_eye_params;

/// numpy.tril, numpy.triu: zeros above (below) diagonal .k of the last two axes. An `x` of one axis and n elements
/// becomes each row of n x n. WEFT_ERROR_SHAPE: x has no axes.
WEFT_API WEFT_NODISCARD weft_status weft_tril(weft_array **out, const weft_array *x, const weft_matrix_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_triu(weft_array **out, const weft_array *x, const weft_matrix_params *params);
/// numpy.diag of one axis: a square matrix with `x` as its diagonal .k and zeros elsewhere. WEFT_ERROR_SHAPE: x has
/// other than one axis; weft_diagonal returns the diagonal of a matrix.
WEFT_API WEFT_NODISCARD weft_status weft_diag(weft_array **out, const weft_array *x, const weft_matrix_params *params);
/// numpy.eye: `rows` x .columns, ones on diagonal .k. `context` may be NULL: a given result's, else the default one.
/// WEFT_ERROR_SHAPE: a negative number.
WEFT_API WEFT_NODISCARD weft_status weft_eye(weft_array **out, weft_context *context, weft_dtype dtype, int64_t rows,
                                             const weft_eye_params *params);

/// numpy.tri: `rows` x .columns, ones on and below diagonal .k, zeros above. Otherwise as weft_eye.
WEFT_API WEFT_NODISCARD weft_status weft_tri(weft_array **out, weft_context *context, weft_dtype dtype, int64_t rows,
                                             const weft_eye_params *params);
/// numpy.tril_indices, numpy.triu_indices: the rows and the columns, i64, of the elements on and below (above) diagonal
/// .k of a matrix of `count` rows and .columns, row after row; for weft_at. `context` as for weft_eye.
WEFT_API WEFT_NODISCARD weft_status weft_tril_indices(weft_array **rows, weft_array **columns, weft_context *context,
                                                      int64_t count, const weft_eye_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_triu_indices(weft_array **rows, weft_array **columns, weft_context *context,
                                                      int64_t count, const weft_eye_params *params);
/// numpy.diag_indices: the rows and the columns of the elements on diagonal .k; without options both are 0, 1, ..., as
/// are the indices along each further axis. Otherwise as weft_tril_indices.
WEFT_API WEFT_NODISCARD weft_status weft_diag_indices(weft_array **rows, weft_array **columns, weft_context *context,
                                                      int64_t count, const weft_eye_params *params);

/// numpy.indices: [k, ...] of the result is the index along axis k of element [...] of an array of `shape`, which may
/// have up to 7 axes (WEFT_ERROR_SHAPE: more). `context` as for weft_eye. start + step * indices is numpy.mgrid.
WEFT_API WEFT_NODISCARD weft_status weft_indices(weft_array **out, weft_context *context, weft_dtype dtype,
                                                 weft_shape shape);

/* ---- bits ---- */

/// Options of weft_packbits.
typedef struct weft_packbits_params {
  bool little;      /* the first element is the lowest bit, not the highest */
  const char *site; /* set by the macro */
} weft_packbits_params;
/// Options of weft_unpackbits.
typedef struct weft_unpackbits_params {
  int64_t count;    /* the result's length, filled up with zeros; negative: without the last -count; 0: all */
  bool little;      /* as for packbits */
  const char *site; /* set by the macro */
} weft_unpackbits_params;
/// numpy.packbits: each eight elements along `axis` (with WEFT_ALL_AXES of all in row-major order) become one byte, u8:
/// a bit is 1 where the element is nonzero, and zeros fill the last byte. WEFT_ERROR_DTYPE: neither bool nor integers.
WEFT_API WEFT_NODISCARD weft_status weft_packbits(weft_array **out, const weft_array *x, weft_axes axis,
                                                  const weft_packbits_params *params);
/// numpy.unpackbits: the bits of each byte along `axis`, as u8, 0 or 1, in the same order. WEFT_ERROR_DTYPE: not u8.
/// WEFT_ERROR_ARGUMENT: a negative count that leaves out more bits than there are.
WEFT_API WEFT_NODISCARD weft_status weft_unpackbits(weft_array **out, const weft_array *x, weft_axes axis,
                                                    const weft_unpackbits_params *params);

/* ---- behind the functions ---- */

static inline weft_shape weft__shift_self(weft_shape shift) {
  return shift;
}
static inline weft_shape weft__shift_int(int64_t shift) {
  return weft__shape(1, &shift);
}

WEFT_API WEFT_NODISCARD weft_status weft__concatenate_at(weft_operand out, weft_array *const *arrays, int64_t count,
                                                         weft_axes axis, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__stack_at(weft_operand out, weft_array *const *arrays, int64_t count,
                                                   weft_axes axis, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__vstack_at(weft_operand out, weft_array *const *arrays, int64_t count,
                                                    const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__hstack_at(weft_operand out, weft_array *const *arrays, int64_t count,
                                                    const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__dstack_at(weft_operand out, weft_array *const *arrays, int64_t count,
                                                    const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__column_stack_at(weft_operand out, weft_array *const *arrays, int64_t count,
                                                          const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__append_at(weft_operand out, weft_operand x, weft_operand values,
                                                    weft_axes axis, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__insert_at(weft_operand out, weft_operand x, weft_operand indices,
                                                    weft_operand values, weft_axes axis, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__delete_at(weft_operand out, weft_operand x, weft_operand indices,
                                                    weft_axes axis, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__trim_zeros_at(weft_array **out, const weft_array *x,
                                                        const weft_trim_zeros_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__resize_at(weft_operand out, weft_operand x, weft_shape shape,
                                                    const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__repeat_at(weft_operand out, weft_operand x, weft_operand counts,
                                                    weft_axes axis, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__tile_at(weft_operand out, weft_operand x, weft_shape reps, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__roll_at(weft_operand out, weft_operand x, weft_shape shift, weft_axes axes,
                                                  const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__pad_at(weft_operand out, weft_operand x, weft_shape before, weft_shape after,
                                                 const weft_pad_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__tril_at(weft_operand out, weft_operand x, const weft_matrix_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__triu_at(weft_operand out, weft_operand x, const weft_matrix_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__diag_at(weft_operand out, weft_operand x, const weft_matrix_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__eye_at(weft_operand out, weft_context *context, weft_dtype dtype,
                                                 int64_t rows, const weft_eye_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__tri_at(weft_operand out, weft_context *context, weft_dtype dtype,
                                                 int64_t rows, const weft_eye_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__tril_indices_at(weft_operand rows, weft_operand columns,
                                                          weft_context *context, int64_t count,
                                                          const weft_eye_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__triu_indices_at(weft_operand rows, weft_operand columns,
                                                          weft_context *context, int64_t count,
                                                          const weft_eye_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__diag_indices_at(weft_operand rows, weft_operand columns,
                                                          weft_context *context, int64_t count,
                                                          const weft_eye_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__indices_at(weft_operand out, weft_context *context, weft_dtype dtype,
                                                     weft_shape shape, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__packbits_at(weft_operand out, weft_operand x, weft_axes axis,
                                                      const weft_packbits_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__unpackbits_at(weft_operand out, weft_operand x, weft_axes axis,
                                                        const weft_unpackbits_params *params);

#define weft_concatenate(out, arrays, count, axis) \
  weft__concatenate_at(WEFT__RESULT(out), (arrays), (count), WEFT__AXES(axis), WEFT_SITE)
#define weft_stack(out, arrays, count, axis) \
  weft__stack_at(WEFT__RESULT(out), (arrays), (count), WEFT__AXES(axis), WEFT_SITE)
#define weft_vstack(out, arrays, count) weft__vstack_at(WEFT__RESULT(out), (arrays), (count), WEFT_SITE)
#define weft_hstack(out, arrays, count) weft__hstack_at(WEFT__RESULT(out), (arrays), (count), WEFT_SITE)
#define weft_dstack(out, arrays, count) weft__dstack_at(WEFT__RESULT(out), (arrays), (count), WEFT_SITE)
#define weft_column_stack(out, arrays, count) weft__column_stack_at(WEFT__RESULT(out), (arrays), (count), WEFT_SITE)
#define weft_append(out, x, values, axis) \
  weft__append_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(values), WEFT__AXES(axis), WEFT_SITE)
#define weft_insert(out, x, indices, values, axis)                                                    \
  weft__insert_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(indices), WEFT__OPERAND(values), \
                  WEFT__AXES(axis), WEFT_SITE)
#define weft_delete(out, x, indices, axis) \
  weft__delete_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(indices), WEFT__AXES(axis), WEFT_SITE)
#define weft_trim_zeros(out, ...)                                               \
  weft__trim_zeros_at(WEFT__PLACE(weft_array, out), (WEFT__FIRST(__VA_ARGS__)), \
                      WEFT__OPTIONS(weft_trim_zeros_params, __VA_ARGS__))
#define weft_resize(out, x, shape) weft__resize_at(WEFT__RESULT(out), WEFT__OPERAND(x), (shape), WEFT_SITE)
#define weft_repeat(out, x, counts, axis) \
  weft__repeat_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__OPERAND(counts), WEFT__AXES(axis), WEFT_SITE)
#define weft_tile(out, x, reps) weft__tile_at(WEFT__RESULT(out), WEFT__OPERAND(x), (reps), WEFT_SITE)
#define weft_roll(out, x, shift, axes) \
  weft__roll_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__SHIFT(shift), WEFT__AXES(axes), WEFT_SITE)
#define weft_pad(out, x, before, ...)                                                   \
  weft__pad_at(WEFT__RESULT(out), WEFT__OPERAND(x), (before), WEFT__FIRST(__VA_ARGS__), \
               WEFT__OPTIONS(weft_pad_params, __VA_ARGS__))
#define weft_tril(out, ...)                                                 \
  weft__tril_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                WEFT__OPTIONS(weft_matrix_params, __VA_ARGS__))
#define weft_triu(out, ...)                                                 \
  weft__triu_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                WEFT__OPTIONS(weft_matrix_params, __VA_ARGS__))
#define weft_diag(out, ...)                                                 \
  weft__diag_at(WEFT__RESULT(out), WEFT__OPERAND(WEFT__FIRST(__VA_ARGS__)), \
                WEFT__OPTIONS(weft_matrix_params, __VA_ARGS__))
#define weft_eye(out, context, dtype, ...)                                      \
  weft__eye_at(WEFT__RESULT(out), (context), (dtype), WEFT__FIRST(__VA_ARGS__), \
               WEFT__OPTIONS(weft_eye_params, __VA_ARGS__))
#define weft_tri(out, context, dtype, ...)                                      \
  weft__tri_at(WEFT__RESULT(out), (context), (dtype), WEFT__FIRST(__VA_ARGS__), \
               WEFT__OPTIONS(weft_eye_params, __VA_ARGS__))
#define weft_tril_indices(rows, columns, context, ...)                                                    \
  weft__tril_indices_at(WEFT__RESULT(rows), WEFT__RESULT(columns), (context), (WEFT__FIRST(__VA_ARGS__)), \
                        WEFT__OPTIONS(weft_eye_params, __VA_ARGS__))
#define weft_triu_indices(rows, columns, context, ...)                                                    \
  weft__triu_indices_at(WEFT__RESULT(rows), WEFT__RESULT(columns), (context), (WEFT__FIRST(__VA_ARGS__)), \
                        WEFT__OPTIONS(weft_eye_params, __VA_ARGS__))
#define weft_diag_indices(rows, columns, context, ...)                                                    \
  weft__diag_indices_at(WEFT__RESULT(rows), WEFT__RESULT(columns), (context), (WEFT__FIRST(__VA_ARGS__)), \
                        WEFT__OPTIONS(weft_eye_params, __VA_ARGS__))
#define weft_indices(out, context, dtype, shape) \
  weft__indices_at(WEFT__RESULT(out), (context), (dtype), (shape), WEFT_SITE)
#define weft_packbits(out, x, ...)                                                             \
  weft__packbits_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                    WEFT__OPTIONS(weft_packbits_params, __VA_ARGS__))
#define weft_unpackbits(out, x, ...)                                                             \
  weft__unpackbits_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                      WEFT__OPTIONS(weft_unpackbits_params, __VA_ARGS__))

WEFT_END_DECLS

#define WEFT__NO_SHIFT "Weft: not a shift: pass an integer, or one for each axis: WEFT_SHAPE(1, -2)"
#ifdef __cplusplus
template <typename T>
inline weft_shape weft__shift_of(T shift) {
  static_assert(std::is_integral<T>::value || std::is_enum<T>::value, WEFT__NO_SHIFT);
  return weft__shift_int(static_cast<int64_t>(shift));
}
inline weft_shape weft__shift_of(weft_shape shift) {
  return shift;
}
#define WEFT__SHIFT(x) weft__shift_of(x)
#else
WEFT__REFUSING_BEGINS
weft_shape weft__no_shift_see_WEFT_SHAPE(WEFT__A_POINTER) WEFT__REFUSED(WEFT__NO_SHIFT);
weft_shape weft__no_shift_see_WEFT_SHAPE(WEFT__ANYTHING) WEFT__REFUSED(WEFT__NO_SHIFT);
WEFT__REFUSING_ENDS
#define WEFT__SHIFT(x)                                                  \
  _Generic((x), weft_shape                                              \
           : weft__shift_self, WEFT__INTEGERS(weft__shift_int), default \
           : weft__no_shift_see_WEFT_SHAPE)(x)
#endif

#endif
