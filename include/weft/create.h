// SPDX-License-Identifier: MIT
/// How arrays are made and filled: with one value, ranges, host memory, other arrays' elements. weft/array.h includes
/// it.
#ifndef WEFT_CREATE_H
#define WEFT_CREATE_H

#include <weft/array.h>

WEFT_BEGIN_DECLS

/* ---- making arrays ----
   `context` may be NULL: the default context of the thread's device. `out` must point to NULL or to an array to fill.
   Errors common to all: WEFT_ERROR_ARGUMENT, WEFT_ERROR_HANDLE, WEFT_ERROR_SHAPE (over 8 axes, negative, not the shape
   of *out), WEFT_ERROR_DTYPE (not cast to that of *out by itself), WEFT_ERROR_CONTEXT (*out is of another one),
   WEFT_ERROR_OVERFLOW (more than 2^63-1 bytes), WEFT_ERROR_UNSUPPORTED (f64 or c128 without fp64), WEFT_ERROR_MEMORY,
   WEFT_ERROR_BUDGET, WEFT_ERROR_LOST, WEFT_ERROR_CLOSED. Thread: any. */

/// A new array with whatever its memory held. *out must be NULL.
WEFT_API WEFT_NODISCARD weft_status weft_empty(weft_array **out, weft_context *context, weft_dtype dtype,
                                               weft_shape shape);
/// All elements `value` (any C scalar). The conversion is C's; a value that does not fit an integer dtype is
/// WEFT_ERROR_OVERFLOW.
WEFT_API WEFT_NODISCARD weft_status weft_full(weft_array **out, weft_context *context, weft_dtype dtype,
                                              weft_shape shape, weft_scalar value);
WEFT_API WEFT_NODISCARD weft_status weft_zeros(weft_array **out, weft_context *context, weft_dtype dtype,
                                               weft_shape shape);
WEFT_API WEFT_NODISCARD weft_status weft_ones(weft_array **out, weft_context *context, weft_dtype dtype,
                                              weft_shape shape);

/// The same with dtype, shape and context of `x`; always contiguous.
WEFT_API WEFT_NODISCARD weft_status weft_empty_like(weft_array **out, const weft_array *x);
WEFT_API WEFT_NODISCARD weft_status weft_full_like(weft_array **out, const weft_array *x, weft_scalar value);
WEFT_API WEFT_NODISCARD weft_status weft_zeros_like(weft_array **out, const weft_array *x);
WEFT_API WEFT_NODISCARD weft_status weft_ones_like(weft_array **out, const weft_array *x);

/// start, start + step, ... up to but without `stop`: ceil((stop - start) / step) elements, as numpy.arange; element i
/// is start + i * step, computed in the dtype as NumPy does. Integer arguments are exact in 64 bits. As in NumPy, the
/// first two elements must fit an integer dtype (WEFT_ERROR_OVERFLOW); later ones wrap around. Not for bool and complex
/// (WEFT_ERROR_DTYPE). Errors: WEFT_ERROR_ARGUMENT (step 0 or a NaN).
WEFT_API WEFT_NODISCARD weft_status weft_arange(weft_array **out, weft_context *context, weft_dtype dtype,
                                                weft_scalar start, weft_scalar stop, weft_scalar step);

/// `count` values evenly spaced from `start` to `stop`, both included, as numpy.linspace. Float dtypes; computed in f64
/// where the device has it, else in f32. The last element is exactly `stop`.
WEFT_API WEFT_NODISCARD weft_status weft_linspace(weft_array **out, weft_context *context, weft_dtype dtype,
                                                  double start, double stop, int64_t count);

/// Copies `data` (contiguous, outermost axis first, `shape` elements of `dtype`) to the device; `data` may be changed
/// on return. Blocks until it is copied, behind the work enqueued before. With a *out that is not NULL the copy goes
/// into it.
WEFT_API WEFT_NODISCARD weft_status weft_from_host(weft_array **out, weft_context *context, weft_dtype dtype,
                                                   weft_shape shape, const void *data);

/* ---- copies ---- */

/// Sets every element of `x`, which may be a view, to `value` (as weft_full).
WEFT_API WEFT_NODISCARD weft_status weft_fill(weft_array *x, weft_scalar value);

/// Copies `x` into a new contiguous array, or into *out (same shape, any strides; may overlap x: the result is as if x
/// had been read first).
WEFT_API WEFT_NODISCARD weft_status weft_copy(weft_array **out, const weft_array *x);

/// Converts `x` to `dtype` as C does: floats to integers truncate (out of range: unspecified), to bool is "not zero",
/// complex to real takes the real part; casts to narrow floats round once. A *out of another dtype than `dtype` gets
/// what that one holds, cast once more.
WEFT_API WEFT_NODISCARD weft_status weft_cast(weft_array **out, const weft_array *x, weft_dtype dtype);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__empty_at(weft_array **out, weft_context *context, weft_dtype dtype,
                                                   weft_shape shape, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__full_at(weft_array **out, weft_context *context, weft_dtype dtype,
                                                  weft_shape shape, weft_scalar value, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__zeros_at(weft_array **out, weft_context *context, weft_dtype dtype,
                                                   weft_shape shape, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__ones_at(weft_array **out, weft_context *context, weft_dtype dtype,
                                                  weft_shape shape, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__empty_like_at(weft_array **out, const weft_array *x, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__full_like_at(weft_array **out, const weft_array *x, weft_scalar value,
                                                       const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__zeros_like_at(weft_array **out, const weft_array *x, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__ones_like_at(weft_array **out, const weft_array *x, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__arange_at(weft_array **out, weft_context *context, weft_dtype dtype,
                                                    weft_scalar start, weft_scalar stop, weft_scalar step,
                                                    const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__linspace_at(weft_array **out, weft_context *context, weft_dtype dtype,
                                                      double start, double stop, int64_t count, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__from_host_at(weft_array **out, weft_context *context, weft_dtype dtype,
                                                       weft_shape shape, const void *data, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__fill_at(weft_array *x, weft_scalar value, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__copy_at(weft_array **out, const weft_array *x, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__cast_at(weft_array **out, const weft_array *x, weft_dtype dtype,
                                                  const char *site);

#define weft_empty(out, context, dtype, shape) weft__empty_at((out), (context), (dtype), (shape), WEFT_SITE)
#define weft_full(out, context, dtype, shape, ...) \
  weft__full_at((out), (context), (dtype), (shape), WEFT_SCALAR((__VA_ARGS__)), WEFT_SITE)
#define weft_zeros(out, context, dtype, shape) weft__zeros_at((out), (context), (dtype), (shape), WEFT_SITE)
#define weft_ones(out, context, dtype, shape) weft__ones_at((out), (context), (dtype), (shape), WEFT_SITE)
#define weft_empty_like(out, x) weft__empty_like_at((out), (x), WEFT_SITE)
#define weft_full_like(out, x, ...) weft__full_like_at((out), (x), WEFT_SCALAR((__VA_ARGS__)), WEFT_SITE)
#define weft_zeros_like(out, x) weft__zeros_like_at((out), (x), WEFT_SITE)
#define weft_ones_like(out, x) weft__ones_like_at((out), (x), WEFT_SITE)
#define weft_arange(out, context, dtype, start, stop, step) \
  weft__arange_at((out), (context), (dtype), WEFT_SCALAR(start), WEFT_SCALAR(stop), WEFT_SCALAR(step), WEFT_SITE)
#define weft_linspace(out, context, dtype, start, stop, count) \
  weft__linspace_at((out), (context), (dtype), (start), (stop), (count), WEFT_SITE)
#define weft_from_host(out, context, dtype, shape, data) \
  weft__from_host_at((out), (context), (dtype), (shape), (data), WEFT_SITE)
#define weft_fill(x, ...) weft__fill_at((x), WEFT_SCALAR((__VA_ARGS__)), WEFT_SITE)
#define weft_copy(out, x) weft__copy_at((out), (x), WEFT_SITE)
#define weft_cast(out, x, dtype) weft__cast_at((out), (x), (dtype), WEFT_SITE)

WEFT_END_DECLS

#endif
