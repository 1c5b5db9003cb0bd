// SPDX-License-Identifier: MIT
/// The environment variables that Weft reads, and their grammars. The guide's table (section 13)
/// has the same rows (tests/house).
#ifndef WEFT_BASE_ENVIRONMENT_H
#define WEFT_BASE_ENVIRONMENT_H

#include "base/error.h"

/* WEFT_ and this name, its grammar, an example, its effect in one line */
// clang-format off
#define WEFT__VARIABLES(X) \
  X(DEVICE, TEXT, "", "the device: a number, `cpu`, `gpu`, or part of a device's or platform's name") \
  X(SYNC, FLAG, "1", "wait after each launch, so that a failure names the launch that caused it") \
  X(TRACE, FLAG, "1", "the steps of each call, with their times, on stderr") \
  X(PROFILE, TEXT, "1", "where the time went, as a table on stderr at the end; `trace.json`: also writes this file, for Perfetto") \
  X(TRACKING, OFF, "off", "streams do not wait for each other automatically") \
  X(AHEAD, OFF, "off", "the host may run ahead of the device without limit, instead of by half a second of work") \
  X(REPRODUCIBLE, FLAG, "1", "contexts are made with `.reproducible`: floats have the same bits on every device, in more time") \
  X(POOL, OFF, "off", "every array gets a buffer of its exact size, for memory checkers") \
  X(CHECKS, TEXT, "1", "guard mode: a kernel that writes outside its arrays is named, with the array and the launch; `numbers`: a call " \
    "that makes NaN or infinity of finite numbers is an error") \
  X(MEMORY_LIMIT, LIMIT, "4G", "a budget for contexts made without one, in bytes or as a percentage of the device's memory (`80%`)") \
  X(CHUNK, CHUNK, "8M", "calls over more host memory than this are done in chunks of this size; `off`: no call is") \
  X(CACHE, TEXT, "0", "built kernels are neither read from the cache on disk nor written to it") \
  X(CACHE_DIR, TEXT, "/tmp/kernels", "the folder of this cache, in place of `$XDG_CACHE_HOME/weft` or `~/.cache/weft`") \
  X(CACHE_LIMIT, TEXT, "512M", "the most bytes that the cache keeps; the least recently used files go first") \
  X(LEAKS, TEXT, "1", "objects still alive when a context is closed are also written to stderr; `error`: also those alive at the end " \
    "in contexts that were never closed, or without a context; after any leak the process ends with status 23") \
  X(TOP, FLAG, "1", "`weft top` shows what this program's arrays hold") \
  X(ENGINE, TEXT, "own", "the engines to use, of `own,cblas,lapack,fftw,vkfft,cublas,cusolver,cufft,cusparse`; Weft's own kernels do what the others cannot") \
  X(WAY, TEXT, "matmul:tile,...", "the way to compute an operation, where it fits, instead of the fastest; `weft ways` lists them") \
  X(DIST_CHECKS, TEXT, "0", "ranks of MPI do not compare their calls before they exchange data (libweft-mpi)") \
  X(DIST_TIMEOUT, TEXT, "60", "seconds that a rank of MPI waits for the others (libweft-mpi)") \
  X(DIST_TRANSPORT, TEXT, "staged", "how ranks of MPI exchange arrays: `window`, `nccl`, `mpi`, `staged` or `host` (libweft-mpi)") \
  X(DIST_PIECE, TEXT, "1048576", "bytes of the pieces of `window` and `staged` (libweft-mpi)") \
  X(PROGRESS, FLAG, "1", "rank 0 writes a line for each collective call to stderr: when, what, how long (libweft-mpi)") \
  X(CUDA, FLAG, "1", "contexts on devices that can share memory with CUDA are made with `.cuda`") \
  X(CUDA_LIBRARY, TEXT, "/usr/lib/libcuda.so.1", "CUDA's driver library, if it is not the one that the system finds") \
  X(NCCL_LIBRARY, TEXT, "/usr/lib/libnccl.so.2", "NCCL for ranks of MPI, if it is not the one that the system finds") \
  X(NVML, TEXT, "off", "NVIDIA's management library is not used; a path: this library is used") \
  X(PCI_BUS_ID, TEXT, "0000:1b:00.0", "the PCI bus id of devices whose driver does not report it; NVML finds them by it") \
  X(QUIRKS, TEXT, "no_fp64,...", "treat the device as if it lacked something (`no_fp64`, `no_int64_atomics`, `small_local`), for tests")
// clang-format on

typedef enum weft__variable {
#define WEFT__VARIABLE(name, grammar, example, effect) WEFT__ENV_##name,
  WEFT__VARIABLES(WEFT__VARIABLE)
#undef WEFT__VARIABLE
} weft__variable;

/// The text; NULL if it is unset or empty.
const char *weft__environment_text(weft__variable variable);
/// FLAG, or a TEXT that can be a flag: set if it is neither empty nor "0".
bool weft__environment_flag(weft__variable variable);
/// Whether WEFT_WAY lists elements:commands (engine/ways.h). Errors: ARGUMENT (a way that elements has not).
weft_status weft__environment_elements(bool *launches);
/// OFF: "off", or unset. Errors: ARGUMENT.
weft_status weft__environment_off(bool *off, weft__variable variable);
/// LIMIT: bytes with K, M, G or T behind them, or a percentage of `whole_bytes`. CHUNK: bytes, or "off", which gives
/// UINT64_MAX. 0: unset. Errors: ARGUMENT.
weft_status weft__environment_size(uint64_t *size_bytes, weft__variable variable, uint64_t whole_bytes);

#endif
