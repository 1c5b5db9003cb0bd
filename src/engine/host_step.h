// SPDX-License-Identifier: MIT
/// A host step: a function on the host that works on arrays' memory, in order with the device's work on them. On a CPU
/// device it gets the arrays' own memory; on other devices pinned copies, which are written back. Recordings note and
/// replay it.
///
///     static int factor(void *const *data, const void *task) {
///       const factoring *t = task;
///       return lapack.potrf(ROW_MAJOR, 'L', t->n, data[0], t->n);
///     }
///     const weft__host_function weft__host_factor = {"factor", WEFT__LIBRARY_LAPACK, sizeof(factoring), factor};
///
///     const weft__host_use uses[] = {{.array = a, .reads = true, .writes = true, .restores = true}};
///     WEFT__TRY(weft__host_step(&code, &(weft__host_work){.context = context, .uses = 1, .use = uses,
///                               .function = &weft__host_factor, .task = &t, .what = "cholesky", .site = site}));
///     if (code) ... the next engine ...
#ifndef WEFT_ENGINE_HOST_STEP_H
#define WEFT_ENGINE_HOST_STEP_H

#include "array/array.h"
#include "engine/engine.h"
#include "engine/shares.h"

#define WEFT__HOST_USES 16

/// The threads that a host step may have: the device's cores, 1 to WEFT__MOST_SHARES.
static inline int32_t weft__host_cores(const weft_context *context) {
  const uint64_t units = context->core.device->info.compute_units;
  return (int32_t)(units < 1 ? 1 : units < WEFT__MOST_SHARES ? units : WEFT__MOST_SHARES);
}

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

/// Codes of failure of Weft's own functions. Libraries' codes are negative.
enum { WEFT__HOST_NO_MEMORY = 1, WEFT__HOST_REFUSED = 2 };

/// What a function that checks indices found, behind its arrays: the first one that is out of range.
typedef struct weft__host_found {
  uint64_t position, index;
  int64_t length; /* of the axis */
  int32_t axis;   /* that the index counts along, or WEFT__DEFERRED_FLAT */
  bool is_found, is_unsigned;
} weft__host_found;

/// A function of host steps. record/host_functions.c lists all that recordings' files may name.
typedef struct weft__host_function {
  const char *name;      /* no other function has it */
  weft__library library; /* whose functions it calls, for trace and log; WEFT__LIBRARY_NONE: Weft's own loops */
  size_t task_bytes;     /* of its tasks, which have no pointers: a recording keeps their bytes */
  /// `data[k]` is the address of the first element of use[k]'s array (index 0, 0, ...), whose strides are valid there,
  /// or of at_bytes. Returns 0, or a code of failure: what it wrote is discarded where the use restores (and on devices
  /// without the host's memory everywhere). Must not call Weft.
  int (*run)(void *const *data, const void *task);
  bool (*is_there)(void); /* whether its library is there; NULL: it needs none */
  /// Reports what a code means; NULL: only Weft's codes and the library's name are known. For weft__host_failed.
  weft_status (*explain)(int code, const void *task, const char *what);
} weft__host_function;

typedef struct weft__host_work {
  weft_context *context;
  int uses; /* 1 to WEFT__HOST_USES */
  const weft__host_use *use;
  const weft__host_function *function;
  const void *task;
  /// The function checks indices, and gets a weft__host_found behind its arrays. What it finds is reported like a
  /// kernel's find (core/deferred.h), with the function, site and argument of this. NULL: it does not check.
  const weft__deferred_check *check;
  /// The caller's memory for what it waits for, or NULL: the function gets it behind its arrays. Recordings refuse it.
  void *answer;
  const char *what; /* the operation: "matmul". A literal, or as lasting as the context */
  const char *site;
} weft__host_work;

/// Waits for the device's work on the arrays, calls the function, and orders later work after it. *code: what the
/// function returned; if it is not 0, a line was logged and the arrays are as described above. Errors: ARGUMENT (an
/// array is mapped), MEMORY, HOST_MEMORY, DRIVER, LOST; then the function was not called, or the device is lost.
weft_status weft__host_step(int *code, const weft__host_work *work);
/// Reports that the function returned `code`, where nothing else computes the work. Returns the error.
weft_status weft__host_failed(int code, const weft__host_work *work);
/// A step that nothing else computes: a code of failure is an error. The arguments are the members of the work.
weft_status weft__host_run(weft_context *context, const weft__host_function *function, const void *task, int uses,
                           const weft__host_use *use, const char *what, const char *site);
/// As part of a recording, if this thread records: the function runs in each replay, after what was recorded before;
/// its work is done already. Errors: HOST_MEMORY.
weft_status weft__host_note(const weft__host_work *work);

#endif
