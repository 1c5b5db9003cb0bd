// SPDX-License-Identifier: MIT
/// Small programs that together call every public function of Weft, for fault injection. Each returns 0, 1 if Weft
/// returned an error, or FAULT_BROKEN if Weft broke a promise. Each releases everything on every path.
#ifndef FAULT_PROGRAMS_H
#define FAULT_PROGRAMS_H

#include "fault_run.h"

/* X(program, whole). Calls that make a context are many and nearly the same in each program. If `whole` is false, only
   later calls are failed. */
#define FAULT_PROGRAMS(X)     \
  X(devices, true)            \
  X(arrays, true)             \
  X(dtypes, false)            \
  X(views, false)             \
  X(print, false)             \
  X(kernels, false)           \
  X(cached, true)             \
  X(build_error, false)       \
  X(streams, false)           \
  X(introspect, false)        \
  X(adopt, true)              \
  X(dlpack, false)            \
  X(memory, false)            \
  X(expressions, false)       \
  X(user_ufuncs, false)       \
  X(ufuncs, false)            \
  X(ufunc_views, false)       \
  X(ufunc_host, false)        \
  X(factors, false)           \
  X(filters, false)           \
  X(solvers, false)           \
  X(blocks, false)            \
  X(indices, false)           \
  X(histograms, false)        \
  X(bincounts, false)         \
  X(ordered, false)           \
  X(sorts, false)             \
  X(reductions, false)        \
  X(sets, false)              \
  X(averages, false)          \
  X(tables, false)            \
  X(windows, false)           \
  X(bins, false)              \
  X(moved, false)             \
  X(matrices, false)          \
  X(edits, false)             \
  X(neighbours, false)        \
  X(images, false)            \
  X(close, false)             \
  X(polynomials, false)       \
  X(matmuls, false)           \
  X(products, false)          \
  X(sparse, false)            \
  X(recordings, false)        \
  X(parted, false)            \
  X(pinned, false)            \
  X(random_draws, false)      \
  X(random_forms, false)      \
  X(random_rows, false)       \
  X(permutations, false)      \
  X(scans, false)             \
  X(selections, false)        \
  X(staged, false)            \
  X(positions, false)         \
  X(chunks, false)            \
  X(npy_files, false)         \
  X(npz_files, false)         \
  X(transforms, false)        \
  X(fft_rooms, false)         \
  X(own_fft, false)           \
  X(vkfft, false)             \
  X(timing, false)            \
  X(guard, false)             \
  X(cuda_memory, false)       \
  X(monitored, true)          \
  X(profiles, false)          \
  X(transfers, false)         \
  X(events, false)            \
  X(context_copy, false)      \
  X(context_copy_ring, false) \
  X(host_memory, false)       \
  X(scopes, false)            \
  X(ledger, false)            \
  X(default, false)

#define FAULT_DECLARE(of, whole) int program_##of(int argc, char **argv);
FAULT_PROGRAMS(FAULT_DECLARE)
#undef FAULT_DECLARE

/// The programs' list for a fault_suite.
extern const fault_program fault_programs[];

/* A program begins with `int status = 0;` and ends with the label `done`, where it releases everything and returns
   `status`. */

/// Calls Weft; an error leads to `done` with status 1.
#define TRY(call)            \
  do {                       \
    if ((call) != WEFT_OK) { \
      status = 1;            \
      goto done;             \
    }                        \
  } while (0)
/// TRY for a call that makes *pointer: it must have made something, or left NULL.
#define MAKE(pointer, call)                           \
  do {                                                \
    weft_status made_ = (call);                       \
    KEPT((*(pointer) != NULL) == (made_ == WEFT_OK)); \
    TRY(made_);                                       \
  } while (0)
/// Calls Weft; the call must fail with `wanted`, or with an error of OpenCL or of host memory.
#define FAILS(wanted, call)                \
  do {                                     \
    weft_status failed_;                   \
    fault_expect(true);                    \
    failed_ = (call);                      \
    fault_expect(false);                   \
    KEPT(failed_ != WEFT_OK);              \
    if (failed_ != (wanted)) TRY(failed_); \
  } while (0)
/// A condition that must hold, with failures or without.
#define KEPT(condition)                                                              \
  do {                                                                               \
    if (!(condition)) {                                                              \
      fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      status = FAULT_BROKEN;                                                         \
      goto done;                                                                     \
    }                                                                                \
  } while (0)

#endif
