// SPDX-License-Identifier: MIT
/// The array object and what its operations share.
#ifndef WEFT_ARRAY_ARRAY_H
#define WEFT_ARRAY_ARRAY_H

#include <weft/array.h>

#include "array/scope.h"
#include "cl/shared.h"
#include "context/context.h"
#include "dtype/dtype.h"
#include "mem/host_memory.h"
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

/// A live array whose context can be used. Errors: HANDLE, CLOSED, FORKED, LOST.
weft_status weft__array_check(const weft_array *x, const char *argument);
/// The same for a result: also that it is not read-only, and that no two of its elements share memory (a broadcast
/// view). Errors: READ_ONLY, LAYOUT.
weft_status weft__array_check_writable(const weft_array *x, const char *argument);

/// Checks a shape and computes its size: SHAPE, or OVERFLOW where elements or bytes do not fit 63 bits.
weft_status weft__shape_check(int64_t *size, weft_shape shape, weft_dtype dtype, const char *argument);
/// Checks a dtype against the device: DTYPE, UNSUPPORTED.
weft_status weft__dtype_check(weft_dtype dtype, const weft_context *context);

/// Makes a contiguous array with memory of its own.
weft_status weft__array_create(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                               const char *site);
/// Makes a handle on a storage, which is retained; shape and strides are the caller's to set. `size_bytes` is for the
/// ledger: what the handle brought along.
weft_status weft__array_wrap(weft_array **out, weft_context *context, weft__storage *storage, weft_dtype dtype,
                             uint64_t size_bytes, const char *site);
/// For guard mode's messages: the storage is that of an array like x. Errors: HOST_MEMORY.
weft_status weft__array_name_storage(const weft_array *x, weft__storage *storage);
/// An array that is the caller's memory, on a CPU device: contiguous, from `data` on. `read_only` as weft__storage's.
/// The device's alignment is asked of the buffer, so that it begins somewhat before `data` where that is not aligned
/// so.
weft_status weft__array_wrap_host(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                                  void *data, const char *read_only, weft__lender lender, const char *site);
/// Whether x, contiguous, is the caller's memory from `data` on: then no bytes need be moved between the two.
bool weft__array_is_at(const weft_array *x, const void *data);
/// x as it is, for this moment and to be changed: a handle that nobody retains or releases. Not a plain copy: the
/// ledger's links in x are other threads' to write.
weft_array weft__array_borrow(const weft_array *x);
/// x, contiguous, with one axis; borrowed too.
weft_array weft__array_flat(const weft_array *x);
/// `length` elements of x along an axis, from `begin` on; borrowed too.
weft_array weft__array_part(const weft_array *x, int axis, int64_t begin, int64_t length);
/// A handle on x's storage that begins as x itself.
weft_status weft__array_view(weft_array **out, const weft_array *x, const char *site);
/// Frees a handle whose last reference is gone and that is in no scope.
void weft__array_free(weft_array *x);
/// The context a creating call works in: `given`, else that of the array in *out, else the default one. Errors as
/// weft__context_resolve.
weft_status weft__array_context(weft_context **context, weft_context *given, weft_array *const *out);

weft_shape weft__array_shape(const weft_array *x);
void weft__set_contiguous(weft_array *x, weft_shape shape);
bool weft__is_contiguous(const weft_array *x);
/// "f32[3,4]"; "f32[]" for no axes.
void weft__add_shape(weft__text *text, weft_dtype dtype, weft_shape shape);
/// -1 where it is none: `axis` counted from the end where negative.
int weft__axis(int axis, int ndim);

/// Launches one of Weft's own kernels over the arrays' storages: (to, from, the structure). `from` may be NULL.
weft_status weft__run_own(weft__kernel *kernel, uint64_t threads, weft_array *to, const weft_array *from,
                          const void *arguments, size_t argument_bytes, const char *site);

/// Elementwise, same shape and dtype; as if `from` had been read first. Contiguous copies go through the driver.
weft_status weft__assign(weft_array *to, const weft_array *from, const char *site);
/// Every element; any strides. Errors: OVERFLOW.
weft_status weft__fill(weft_array *x, weft_scalar value, const char *site);

/// Host memory to x and back: contiguous at the host, in order behind the work on x. `waits`: on return `data` may be
/// changed, and has what was read; else pinned memory is left to the queue, and the caller waits for it.
weft_status weft__array_write(weft_array *x, const void *data, bool waits, const char *site);
weft_status weft__array_read(void *data, const weft_array *x, bool waits, const char *site);
/// A new array with these contents.
weft_status weft__array_of(weft_array **out, weft_context *context, weft_dtype dtype, weft_shape shape,
                           const void *data, const char *site);

#endif
