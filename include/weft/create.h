// SPDX-License-Identifier: MIT
/// Makes and fills arrays: one value, ranges, host memory, elements of other arrays. weft/array.h includes this file.
///
///     rc = weft_full(&x, context, WEFT_F32, WEFT_SHAPE(3, 4), 1.5);
///     rc = weft_arange(&y, NULL, WEFT_I32, 0, 10, 2);                   0 2 4 6 8, in the default context
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_CREATE_H
#define WEFT_CREATE_H

#include <weft/array.h>

WEFT_BEGIN_DECLS

/* ---- making arrays ----
   Errors of all: WEFT_ERROR_SHAPE (over 8 axes, a negative length), WEFT_ERROR_OVERFLOW (over 2^63-1 bytes). */

/// A new array whose elements are undefined. *out must be NULL.
WEFT_API WEFT_NODISCARD weft_status weft_empty(weft_array **out, weft_context *context, weft_dtype dtype,
                                               weft_shape shape);
/// All elements are `value` (any C scalar), converted as C does. WEFT_ERROR_OVERFLOW: an integer dtype cannot hold
/// `value`.
WEFT_API WEFT_NODISCARD weft_status weft_full(weft_array **out, weft_context *context, weft_dtype dtype,
                                              weft_shape shape, weft_scalar value);
/// All elements are 0.
WEFT_API WEFT_NODISCARD weft_status weft_zeros(weft_array **out, weft_context *context, weft_dtype dtype,
                                               weft_shape shape);
/// All elements are 1.
WEFT_API WEFT_NODISCARD weft_status weft_ones(weft_array **out, weft_context *context, weft_dtype dtype,
                                              weft_shape shape);

/// weft_empty, weft_full, weft_zeros and weft_ones with dtype, shape and context of `x`. New arrays are contiguous.
WEFT_API WEFT_NODISCARD weft_status weft_empty_like(weft_array **out, const weft_array *x);
WEFT_API WEFT_NODISCARD weft_status weft_full_like(weft_array **out, const weft_array *x, weft_scalar value);
WEFT_API WEFT_NODISCARD weft_status weft_zeros_like(weft_array **out, const weft_array *x);
WEFT_API WEFT_NODISCARD weft_status weft_ones_like(weft_array **out, const weft_array *x);

/// Elements start, start + step, ... without `stop`, as numpy.arange: ceil((stop - start) / step) elements. Element i
/// is start + i * step, computed in the dtype as NumPy does; integer arguments are exact in 64 bits. As in NumPy, the
/// first two elements must fit an integer dtype (WEFT_ERROR_OVERFLOW), and later ones wrap around. Errors:
/// WEFT_ERROR_DTYPE (bool, complex), WEFT_ERROR_ARGUMENT (a step of 0, a NaN), WEFT_ERROR_OVERFLOW (more than 2^63-1
/// elements).
WEFT_API WEFT_NODISCARD weft_status weft_arange(weft_array **out, weft_context *context, weft_dtype dtype,
                                                weft_scalar start, weft_scalar stop, weft_scalar step);

/// Options of weft_linspace, weft_logspace and weft_geomspace.
typedef struct weft_linspace_params {
  bool exclude_stop; /* NumPy's endpoint=False: one value more is the stop, which is left out */
  double base;       /* of weft_logspace, which alone takes it; 0: 10 */
  const char *site;  /* set by the macros */
} weft_linspace_params;
/// `count` values evenly spaced from `start` to `stop`, both included, as numpy.linspace. The last one is exactly
/// `stop`. Values are computed in f64 where the device has it, else in f32. Errors: WEFT_ERROR_DTYPE (not a float
/// dtype), WEFT_ERROR_ARGUMENT (count is negative).
WEFT_API WEFT_NODISCARD weft_status weft_linspace(weft_array **out, weft_context *context, weft_dtype dtype,
                                                  double start, double stop, int64_t count,
                                                  const weft_linspace_params *params);
/// numpy.logspace: .base to the powers of weft_linspace's values.
WEFT_API WEFT_NODISCARD weft_status weft_logspace(weft_array **out, weft_context *context, weft_dtype dtype,
                                                  double start, double stop, int64_t count,
                                                  const weft_linspace_params *params);
/// numpy.geomspace of real numbers: values from `start` to `stop`, each the same multiple of the one before; the first
/// is exactly `start`, the last exactly `stop`. WEFT_ERROR_ARGUMENT: one of them is 0 or not finite, or their signs
/// differ.
WEFT_API WEFT_NODISCARD weft_status weft_geomspace(weft_array **out, weft_context *context, weft_dtype dtype,
                                                   double start, double stop, int64_t count,
                                                   const weft_linspace_params *params);

/// Copies `data` (`shape` elements of `dtype`, contiguous, outermost axis first) to the device. The copy runs after
/// earlier work; the call waits for it, and `data` may be changed on return.
WEFT_API WEFT_NODISCARD weft_status weft_from_host(weft_array **out, weft_context *context, weft_dtype dtype,
                                                   weft_shape shape, const void *data);

/* ---- copies ---- */

/// Sets every element of `x`, an array or a view, to `value`. WEFT_ERROR_OVERFLOW: an integer dtype cannot hold
/// `value`.
WEFT_API WEFT_NODISCARD weft_status weft_fill(weft_array *x, weft_scalar value);

/* ---- copies between contexts ----
   weft_copy also copies to another context, of the same device or another one of any kind: the option's, or *out's. The
   copy runs after the work on `x`; work that the calling thread enqueues on it later, on its stream of that context,
   runs after the copy. weft_copy_way tells how the bytes travel: "on the device" does not block; the other ways block
   until `x` may be changed, and report failures of the work on `x`. The message of an error names the device of the
   context that failed. If *out was given, a failure on the way leaves it partly written. */

/// Options of weft_copy.
typedef struct weft_copy_params {
  weft_context *context; /* where the copy is made; NULL: in *out's context, for a new array in x's own */
  const char *site;      /* set by the macro */
} weft_copy_params;

/// Copies `x`, with any strides, into a new contiguous array or into *out of the same shape, in any context (above).
/// WEFT_ERROR_CONTEXT: `.context` is not *out's.
WEFT_API WEFT_NODISCARD weft_status weft_copy(weft_array **out, const weft_array *x, const weft_copy_params *params);

/// How weft_copy moves large arrays from context `from` to context `to`. *way is a literal: "on the device" (both
/// contexts share a cl_context: weft_context_adopt), "in place" (one device works in the host's memory, which the
/// other one reads or writes as weft_from_host and weft_to_host do), "peer window" (GPUs of NVIDIA with CUDA's driver:
/// over memory that both contexts import) or "pinned ring" (in pieces through pinned host memory: both buses work at
/// the same time, and no processor touches the bytes).
WEFT_API WEFT_NODISCARD weft_status weft_copy_way(const char **way, const weft_context *to, const weft_context *from);

/// Converts `x` to `dtype`: floats to integers truncate, beyond the integers' range to the nearest one, NaN to 0; to
/// bool is "not zero", true for NaN; complex to real takes the real part; casts to narrow floats round once. If *out
/// has another dtype, the converted elements are cast once more, to that dtype.
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
                                                      double start, double stop, int64_t count,
                                                      const weft_linspace_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__logspace_at(weft_array **out, weft_context *context, weft_dtype dtype,
                                                      double start, double stop, int64_t count,
                                                      const weft_linspace_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__geomspace_at(weft_array **out, weft_context *context, weft_dtype dtype,
                                                       double start, double stop, int64_t count,
                                                       const weft_linspace_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__from_host_at(weft_array **out, weft_context *context, weft_dtype dtype,
                                                       weft_shape shape, const void *data, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__fill_at(weft_array *x, weft_scalar value, const char *site);
WEFT_API WEFT_NODISCARD weft_status weft__copy_at(weft_array **out, const weft_array *x,
                                                  const weft_copy_params *params);
WEFT_API WEFT_NODISCARD weft_status weft__cast_at(weft_array **out, const weft_array *x, weft_dtype dtype,
                                                  const char *site);

#define weft_empty(out, context, dtype, shape) \
  weft__empty_at(WEFT__PLACE(weft_array, out), (context), (dtype), (shape), WEFT_SITE)
#define weft_full(out, context, dtype, shape, ...) \
  weft__full_at(WEFT__PLACE(weft_array, out), (context), (dtype), (shape), WEFT_SCALAR((__VA_ARGS__)), WEFT_SITE)
#define weft_zeros(out, context, dtype, shape) \
  weft__zeros_at(WEFT__PLACE(weft_array, out), (context), (dtype), (shape), WEFT_SITE)
#define weft_ones(out, context, dtype, shape) \
  weft__ones_at(WEFT__PLACE(weft_array, out), (context), (dtype), (shape), WEFT_SITE)
#define weft_empty_like(out, x) weft__empty_like_at(WEFT__PLACE(weft_array, out), (x), WEFT_SITE)
#define weft_full_like(out, x, ...) \
  weft__full_like_at(WEFT__PLACE(weft_array, out), (x), WEFT_SCALAR((__VA_ARGS__)), WEFT_SITE)
#define weft_zeros_like(out, x) weft__zeros_like_at(WEFT__PLACE(weft_array, out), (x), WEFT_SITE)
#define weft_ones_like(out, x) weft__ones_like_at(WEFT__PLACE(weft_array, out), (x), WEFT_SITE)
#define weft_arange(out, context, dtype, start, stop, step)                                                \
  weft__arange_at(WEFT__PLACE(weft_array, out), (context), (dtype), WEFT_SCALAR(start), WEFT_SCALAR(stop), \
                  WEFT_SCALAR(step), WEFT_SITE)
#define weft_linspace(out, context, dtype, start, stop, ...)                                                       \
  weft__linspace_at(WEFT__PLACE(weft_array, out), (context), (dtype), (start), (stop), (WEFT__FIRST(__VA_ARGS__)), \
                    WEFT__OPTIONS(weft_linspace_params, __VA_ARGS__))
#define weft_logspace(out, context, dtype, start, stop, ...)                                                       \
  weft__logspace_at(WEFT__PLACE(weft_array, out), (context), (dtype), (start), (stop), (WEFT__FIRST(__VA_ARGS__)), \
                    WEFT__OPTIONS(weft_linspace_params, __VA_ARGS__))
#define weft_geomspace(out, context, dtype, start, stop, ...)                                                       \
  weft__geomspace_at(WEFT__PLACE(weft_array, out), (context), (dtype), (start), (stop), (WEFT__FIRST(__VA_ARGS__)), \
                     WEFT__OPTIONS(weft_linspace_params, __VA_ARGS__))
#define weft_from_host(out, context, dtype, shape, data) \
  weft__from_host_at(WEFT__PLACE(weft_array, out), (context), (dtype), (shape), (data), WEFT_SITE)
#define weft_fill(x, ...) weft__fill_at((x), WEFT_SCALAR((__VA_ARGS__)), WEFT_SITE)
#define weft_copy(out, ...) \
  weft__copy_at(WEFT__PLACE(weft_array, out), (WEFT__FIRST(__VA_ARGS__)), WEFT__OPTIONS(weft_copy_params, __VA_ARGS__))
#define weft_cast(out, x, dtype) weft__cast_at(WEFT__PLACE(weft_array, out), (x), (dtype), WEFT_SITE)

WEFT_END_DECLS

#endif
