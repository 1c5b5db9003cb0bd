// SPDX-License-Identifier: MIT
/// The array object and the functions that its operations share.
#ifndef WEFT_ARRAY_ARRAY_H
#define WEFT_ARRAY_ARRAY_H

#include <weft/array.h>

#include "array/scope.h"
#include "cl/shared.h"
#include "context/context.h"
#include "dtype/dtype.h"
#include "mem/host_memory.h"
#include "mem/lifetime.h"
#include "mem/transfer.h"

struct weft_array {
  weft__object object;
  weft_context *context;
  weft__storage *storage;
  weft_dtype dtype;
  int ndim;
  int64_t shape[WEFT_MAX_NDIM];
  int64_t stride_bytes[WEFT_MAX_NDIM];
  int64_t offset_bytes;
  int64_t size; /* elements */
  weft__ledger_entry entry;
  weft__scope_entry in_scope;
};

/// Checks that x is a live array whose context can be used. Errors: HANDLE, CLOSED, FORKED, LOST.
weft_status weft__array_check(const weft_array *x, const char *argument);
/// weft__array_check for a result, which in addition must not be read-only and must not have two elements that share
/// memory (a broadcast view). Errors: also READ_ONLY, LAYOUT.
weft_status weft__array_check_writable(const weft_array *x, const char *argument);
/// As weft__array_check_writable, for an array that weft__array_check accepts.
weft_status weft__array_refuse_writes(const weft_array *x, const char *argument);

/// The end of the message that an array belongs to another context.
#define WEFT__COPY_HINT "; weft_copy(..., .context = ...) copies an array to another context"

/// Checks a shape and computes its size. Errors: SHAPE; OVERFLOW if elements or bytes do not fit 63 bits.
weft_status weft__shape_check(int64_t *size, weft_shape shape, weft_dtype dtype, const char *argument);
/// Checks a dtype against the device. Errors: DTYPE, UNSUPPORTED.
weft_status weft__dtype_check(weft_dtype dtype, const weft_context *context);

/// Makes a contiguous array that owns its memory.
weft_status weft__array_create(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                               const char *site);
/// Makes a handle on a storage, which is retained. The caller sets shape and strides. `size_bytes` is for the ledger:
/// the memory that came with the handle; 0 for a view.
weft_status weft__array_wrap(weft_array **out, weft_context *context, weft__storage *storage, weft_dtype dtype,
                             uint64_t size_bytes, const char *site);
/// Names the storage after an array like x, for guard mode's messages. Errors: HOST_MEMORY.
weft_status weft__array_name_storage(const weft_array *x, weft__storage *storage);
/// A contiguous array on the caller's memory from `data` on, on a CPU device. `read_only` as weft__storage's. The
/// device requires an alignment, so the buffer begins at the aligned address at or before `data`.
weft_status weft__array_wrap_host(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                                  void *data, const char *read_only, weft__lender lender, const char *site);
/// Whether the contiguous array x is the caller's memory from `data` on, so that no copy between them is needed.
bool weft__array_is_at(const weft_array *x, const void *data);
/// A temporary copy of x that the caller may change: a handle that nobody retains or releases. Not a plain copy of the
/// structure, because other threads write the ledger's links in x.
weft_array weft__array_borrow(const weft_array *x);
/// The contiguous array x with one axis, as a temporary copy.
weft_array weft__array_flat(const weft_array *x);
/// x with `axis` last; with `back`, with the last axis at `axis`: as a temporary copy.
weft_array weft__array_turned(const weft_array *x, int axis, bool back);
/// x with its last two axes exchanged, as a temporary copy.
weft_array weft__array_transposed(const weft_array *x);
/// `length` elements of x along an axis, from `begin` on, as a temporary copy.
weft_array weft__array_part(const weft_array *x, int axis, int64_t begin, int64_t length);
/// A new handle on x's storage, with x's shape and strides.
weft_status weft__array_view(weft_array **out, const weft_array *x, const char *site);
/// Frees a handle that has no reference left and is in no scope.
void weft__array_free(weft_array *x);
/// The context of a call that creates an array: `given`, else the context of the array in *out, else the default one.
/// Errors as weft__context_resolve.
weft_status weft__array_context(weft_context **context, weft_context *given, weft_array *const *out);

weft_shape weft__array_shape(const weft_array *x);
void weft__set_contiguous(weft_array *x, weft_shape shape);
bool weft__is_contiguous(const weft_array *x);
/// "f32[3,4]"; "f32[]" for no axes.
void weft__add_shape(weft__text *text, weft_dtype dtype, weft_shape shape);
/// `axis` as 0 to ndim - 1, where a negative one counts from the end; -1 if it is out of range.
int weft__axis(int axis, int ndim);

/// Launches one of Weft's internal kernels with the arguments (to, from, the structure). `from` may be NULL.
weft_status weft__run_own(weft__kernel *kernel, uint64_t threads, weft_array *to, const weft_array *from,
                          const void *arguments, size_t argument_bytes, const char *site);

/// Copies elementwise, for equal shapes and dtypes. The arrays may overlap: the result is as if `from` had been read
/// first. Contiguous copies use the driver's copy command.
weft_status weft__assign(weft_array *to, const weft_array *from, const char *site);
/// Sets every element; any strides. Errors: OVERFLOW.
weft_status weft__fill(weft_array *x, weft_scalar value, const char *site);

/// Copies contiguous host memory to x, or x to host memory, in order after the work on x. With `waits` the copy is done
/// on return. Otherwise a copy of pinned memory may still be under way, and the caller waits for it.
weft_status weft__array_write(weft_array *x, const void *data, bool waits, const char *site);
weft_status weft__array_read(void *data, const weft_array *x, bool waits, const char *site);
/// Makes an array with these contents.
weft_status weft__array_of(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                           const void *data, const char *site);

#endif
