// SPDX-License-Identifier: MIT
/// A host step: a function on the host that works on arrays' memory, in order with the device's work on them. On a CPU
/// device it gets the arrays' own memory; on other devices pinned copies, which are written back.
///
///     static int factor(void *const *data, void *user) {
///       const task *t = user;
///       return lapack.potrf(ROW_MAJOR, 'L', t->n, data[0], t->n);
///     }
///
///     const weft__host_use uses[] = {{.array = a, .reads = true, .writes = true, .restores = true}};
///     WEFT__TRY(weft__host_step(&code, &(weft__host_work){.context = context, .uses = 1, .use = uses,
///                               .function = factor, .user = &t, .library = WEFT__LIBRARY_LAPACK,
///                               .what = "cholesky", .site = site}));
///     if (code) ... the next engine ...
#ifndef WEFT_ENGINE_HOST_STEP_H
#define WEFT_ENGINE_HOST_STEP_H

#include "array/array.h"
#include "engine/engine.h"

#define WEFT__HOST_USES 8

/// An array that the function uses, or without an array a range of a storage.
typedef struct weft__host_use {
  const weft_array *array; /* any strides; at least one element; NULL: the range */
  weft__storage *storage;
  int64_t begin_bytes, end_bytes, at_bytes; /* the range, and the place in it that the function gets */
  bool has_gaps;                            /* the function does not write all bytes of the range */
  bool reads;                               /* its old elements are needed */
  bool writes;
  bool restores; /* if the function fails, the array gets its old elements back; this costs a copy of them */
} weft__host_use;

/// `data[k]` is the address of the first element of use[k]'s array (index 0, 0, ...), whose strides are valid there, or
/// of at_bytes.
/// Returns 0, or a code of failure: what it wrote is discarded where the use restores (and on devices without the
/// host's memory everywhere). Must not call Weft.
typedef int weft__host_function(void *const *data, void *user);

typedef struct weft__host_work {
  weft_context *context;
  int uses; /* 1 to WEFT__HOST_USES */
  const weft__host_use *use;
  weft__host_function *function;
  void *user;
  weft__library library; /* whose functions it calls, for trace and log; WEFT__LIBRARY_NONE: Weft's own loops */
  const char *what;      /* the operation: "matmul". A literal */
  const char *site;
} weft__host_work;

/// Waits for the device's work on the arrays, calls the function, and orders later work after it. *code: what the
/// function returned; if it is not 0, a line was logged and the arrays are as described above. Errors: ARGUMENT (an
/// array is mapped), MEMORY, HOST_MEMORY, DRIVER, LOST; then the function was not called, or the device is lost.
weft_status weft__host_step(int *code, const weft__host_work *work);

#endif
