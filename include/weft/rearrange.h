// SPDX-License-Identifier: MIT
/// Arrays put together, repeated, bordered, rolled. What makes only a view (split, moveaxis, rot90, ...) is in
/// weft/view.h.
///
///     rc = weft_concatenate(&all, parts, 3, 0);              parts is a weft_array *[3]
///     rc = weft_roll(&x, x, 1, -1);                          in place
///     rc = weft_pad(&framed, x, WEFT_SHAPE(1, 1), WEFT_SHAPE(1, 1), .mode = WEFT_PAD_EDGE);
///
/// What weft/ufunc.h says of operands, results, context, blocking and errors holds here too: operands are arrays or
/// host memory, results come first (`&out` of an array that is NULL, or of one with the result's shape and any strides,
/// or WEFT_HOST_OUT, which blocks), and a result may overlap an operand. Names, shapes and dtypes are NumPy's. Axes are
/// counted from the end where negative; WEFT_ALL_AXES, where it is allowed, is NumPy's axis=None: the elements in
/// row-major order, as one axis. Elements are moved as they are, bit by bit: every dtype works on every device. One
/// launch each, where nothing else is said; arrays of any strides are read where they lie, but transposed ones are
/// copied first, with a launch more. Errors, besides those of weft/ufunc.h: WEFT_ERROR_AXIS, and WEFT_ERROR_OVERFLOW
/// for a result of more than 2^63-1 bytes.
/// Thread: any; an array belongs to one thread at a time.
#ifndef WEFT_REARRANGE_H
#define WEFT_REARRANGE_H

#include <weft/axes.h>
#include <weft/operand.h>

WEFT_BEGIN_DECLS

/* ---- put together ---- */

/// numpy.concatenate: `count` arrays one after the other along `axis`. They have the same lengths in all other axes,
/// and at least one axis; with WEFT_ALL_AXES any shapes do, and the result has one axis. dtypes promote as NumPy's
/// promote_types. Contiguous arrays of the result's dtype are copied 24 to a launch, whatever their sizes; each of the
/// others takes a launch of its own. An array that is all of a launch, whole rows of the result, is copied by the
/// driver. `arrays` itself is not kept.
/// Errors: WEFT_ERROR_ARGUMENT (count 0, or over 2^20), WEFT_ERROR_SHAPE.
WEFT_API WEFT_NODISCARD weft_status weft_concatenate(weft_array **out, weft_array *const *arrays, int64_t count,
                                                     weft_axes axis);
/// numpy.stack: `count` arrays of one shape along a new axis, which becomes axis `axis` of the result. Otherwise as
/// weft_concatenate.
WEFT_API WEFT_NODISCARD weft_status weft_stack(weft_array **out, weft_array *const *arrays, int64_t count,
                                               weft_axes axis);

/* ---- repeated ---- */

/// numpy.repeat: each element so many times, along `axis` or with WEFT_ALL_AXES along the one axis of the result.
/// `counts` is a C integer, or an array or host memory of integers or bool with a count for each element along the axis
/// (or one for all): one axis. Their sum is the result's length, so the call waits for it: up to 65536 counts are
/// copied to the host and added up there, more of them on the device. Method: binary search in the running sums, from a
/// block's bounds on. Errors: WEFT_ERROR_DTYPE, WEFT_ERROR_SHAPE, WEFT_ERROR_ARGUMENT (a negative count, named with its
/// position).
WEFT_API WEFT_NODISCARD weft_status weft_repeat(weft_array **out, const weft_array *x, const weft_array *counts,
                                                weft_axes axis);
/// numpy.tile: `reps` copies along each axis. Where `reps` and `x` have different numbers of axes, the shorter one gets
/// ones in front.
/// Errors: WEFT_ERROR_SHAPE (a negative number).
WEFT_API WEFT_NODISCARD weft_status weft_tile(weft_array **out, const weft_array *x, weft_shape reps);

/* ---- turned and bordered ---- */

/// numpy.roll: element i becomes element i + shift, and what falls off the end comes in at the front. With
/// WEFT_ALL_AXES over the elements in row-major order; the shape stays. `shift` is a C integer, or one for each axis:
/// weft_roll(&y, x, WEFT_SHAPE(1, -2), WEFT_AXES(0, 1)), in one launch. The shifts of an axis given twice add up. A
/// single shift applies to all of `axes`; a single axis gets the sum of all shifts. Errors: WEFT_ERROR_ARGUMENT (not as
/// many shifts as axes).
WEFT_API WEFT_NODISCARD weft_status weft_roll(weft_array **out, const weft_array *x, weft_shape shift, weft_axes axes);

/// What stands in a border; numpy.pad's modes of these names.
typedef enum weft_pad_mode {
  WEFT_PAD_ZERO = 0,  /* mode="constant": .value, or zero */
  WEFT_PAD_EDGE,      /* a a | a b c | c c */
  WEFT_PAD_REFLECT,   /* c b | a b c | b a */
  WEFT_PAD_SYMMETRIC, /* b a | a b c | c b */
  WEFT_PAD_WRAP,      /* b c | a b c | a b */
} weft_pad_mode;
typedef struct weft_pad_params {
  weft_pad_mode mode;
  weft_scalar value; /* WEFT_SCALAR(7): what stands in a border of WEFT_PAD_ZERO, converted as by weft_full */
  const char *site;  /* set by the macro */
} weft_pad_params;
/// numpy.pad: before.dim[d] elements in front of axis d and after.dim[d] behind it; one number for all axes where there
/// is only one. A border may be longer than the axis. Errors: WEFT_ERROR_SHAPE (not as many numbers as axes, negative
/// ones, a border of an axis of length 0 that needs elements), WEFT_ERROR_ARGUMENT (a value with another mode).
WEFT_API WEFT_NODISCARD weft_status weft_pad(weft_array **out, const weft_array *x, weft_shape before, weft_shape after,
                                             const weft_pad_params *params);

/* ---- matrices: the last two axes ---- */

/// Options of weft_tril, weft_triu and weft_diag.
typedef struct weft_matrix_params {
  int64_t k;        /* which diagonal: 0 is the main one, positive ones are above it */
  const char *site; /* set by the macros */
} weft_matrix_params;

/// Options of weft_eye.
typedef struct weft_eye_params {
  int64_t columns;  /* 0: as many as rows */
  int64_t k;        /* which diagonal */
  const char *site; /* set by the macro */
} weft_eye_params;

/// numpy.tril, numpy.triu: zero above (below) diagonal .k. A
/// one-dimensional `x` of n elements is repeated as each row of n x n; no axes are WEFT_ERROR_SHAPE. Elements that
/// become zero are not read.
WEFT_API WEFT_NODISCARD weft_status weft_tril(weft_array **out, const weft_array *x, const weft_matrix_params *params);
WEFT_API WEFT_NODISCARD weft_status weft_triu(weft_array **out, const weft_array *x, const weft_matrix_params *params);
/// numpy.diag of one axis (WEFT_ERROR_SHAPE): a square matrix with `x` as its diagonal .k and zeros elsewhere. The
/// diagonal of a matrix is weft_diagonal.
WEFT_API WEFT_NODISCARD weft_status weft_diag(weft_array **out, const weft_array *x, const weft_matrix_params *params);
/// numpy.eye: `rows` x .columns, ones on diagonal .k. `context` may be NULL: that of a result that is given, else the
/// default one. Two launches. Errors: WEFT_ERROR_SHAPE.
WEFT_API WEFT_NODISCARD weft_status weft_eye(weft_array **out, weft_context *context, weft_dtype dtype, int64_t rows,
                                             const weft_eye_params *params);

/* ---- differences ---- */

/// Options of weft_diff.
typedef struct weft_diff_params {
  int n;            /* how often, 0: once */
  const char *site; /* set by the macro */
} weft_diff_params;
/// numpy.diff: x[i + 1] - x[i] along `axis`, .n times over; one element less each time, none left when there are no
/// more. The dtype stays (integers wrap around); of bool it is whether they differ. .n launches. Errors:
/// WEFT_ERROR_ARGUMENT (n negative), WEFT_ERROR_AXIS (also without axes).
WEFT_API WEFT_NODISCARD weft_status weft_diff(weft_array **out, const weft_array *x, weft_axes axis,
                                              const weft_diff_params *params);

/* ---- bits ---- */

typedef struct weft_packbits_params {
  bool little;      /* the first element is the lowest bit; else the highest */
  const char *site; /* set by the macro */
} weft_packbits_params;
typedef struct weft_unpackbits_params {
  int64_t count;    /* so many, and zeros where there are not as many; negative: all but so many at the end; 0: all */
  bool little;      /* as above */
  const char *site; /* set by the macro */
} weft_unpackbits_params;
/// numpy.packbits: eight elements along `axis` (with WEFT_ALL_AXES of all of them in row-major order) become a byte, a
/// u8: a bit is 1 where the element is not 0; where the length is no multiple of 8 zeros follow. Errors:
/// WEFT_ERROR_DTYPE (neither bool nor integers).
WEFT_API WEFT_NODISCARD weft_status weft_packbits(weft_array **out, const weft_array *x, weft_axes axis,
                                                  const weft_packbits_params *params);
/// numpy.unpackbits: the bits of each byte along `axis` as u8, 0 or 1, in the same order.
/// Errors: WEFT_ERROR_DTYPE (not u8), WEFT_ERROR_ARGUMENT (a negative count of more than there are).
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
WEFT_API WEFT_NODISCARD weft_status weft__diff_at(weft_operand out, weft_operand x, weft_axes axis,
                                                  const weft_diff_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__packbits_at(weft_operand out, weft_operand x, weft_axes axis,
                                                      const weft_packbits_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__unpackbits_at(weft_operand out, weft_operand x, weft_axes axis,
                                                        const weft_unpackbits_params *params);

#define weft_concatenate(out, arrays, count, axis) \
  weft__concatenate_at(WEFT__RESULT(out), (arrays), (count), WEFT__AXES(axis), WEFT_SITE)
#define weft_stack(out, arrays, count, axis) \
  weft__stack_at(WEFT__RESULT(out), (arrays), (count), WEFT__AXES(axis), WEFT_SITE)
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
#define weft_diff(out, x, ...)                                                             \
  weft__diff_at(WEFT__RESULT(out), WEFT__OPERAND(x), WEFT__AXES(WEFT__FIRST(__VA_ARGS__)), \
                WEFT__OPTIONS(weft_diff_params, __VA_ARGS__))
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
#define WEFT__SHIFT(x)                           \
  _Generic((x), weft_shape                       \
           : weft__shift_self, signed char       \
           : weft__shift_int, short              \
           : weft__shift_int, int                \
           : weft__shift_int, long               \
           : weft__shift_int, long long          \
           : weft__shift_int, unsigned char      \
           : weft__shift_int, unsigned short     \
           : weft__shift_int, unsigned           \
           : weft__shift_int, unsigned long      \
           : weft__shift_int, unsigned long long \
           : weft__shift_int, default            \
           : weft__no_shift_see_WEFT_SHAPE)(x)
#endif

#endif
