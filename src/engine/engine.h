// SPDX-License-Identifier: MIT
/// The engines: libraries that compute what Weft has no kernels for, or compute it faster. They are loaded with dlopen
/// at their first use, so Weft links none of them. WEFT_ENGINE restricts which ones are used. engine.c has the table.
///
///     typedef struct functions {
///       void (*sgemm)(int, int, ...);
///     } functions;
///     static functions blas;
///     static const weft__engine_symbol symbols[] = {{"cblas_sgemm", offsetof(functions, sgemm), false}};
///     static weft__engine_binding binding = WEFT__ENGINE_BINDING(WEFT__LIBRARY_CBLAS, symbols, &blas);
///
///     if (weft__engine_find(&binding)) ... blas.sgemm(...) inside a weft__host_step (engine/host_step.h) ...
#ifndef WEFT_ENGINE_ENGINE_H
#define WEFT_ENGINE_ENGINE_H

#include <stdatomic.h>
#include <stddef.h>
#include <weft/engine.h>

#include "base/error.h"

/// The names of WEFT_ENGINE's list.
typedef enum weft__engine {
  WEFT__ENGINE_OWN, /* Weft's own kernels, which need no library */
  WEFT__ENGINE_CBLAS,
  WEFT__ENGINE_LAPACK,
  WEFT__ENGINE_FFTW,
  WEFT__ENGINE_VKFFT, /* part of the build */
  WEFT__ENGINE_CUBLAS,
  WEFT__ENGINE_CUSOLVER,
  WEFT__ENGINE_CUFFT,
  WEFT__ENGINE_CUSPARSE,
  WEFT__ENGINE_COUNT
} weft__engine;

/// What is loaded, or part of the build: an engine may consist of several libraries.
typedef enum weft__library {
  WEFT__LIBRARY_CBLAS,
  WEFT__LIBRARY_LAPACK,   /* Fortran's functions: dpotrf_ */
  WEFT__LIBRARY_FFTW_F64, /* libfftw3 */
  WEFT__LIBRARY_FFTW_F32, /* libfftw3f */
  WEFT__LIBRARY_VKFFT,    /* part of the build */
  WEFT__LIBRARY_CUBLAS,   /* NVIDIA's, for contexts made with .cuda (engine/cuda_step.h) */
  WEFT__LIBRARY_CUSOLVER,
  WEFT__LIBRARY_CUFFT,
  WEFT__LIBRARY_CUSPARSE,
  WEFT__LIBRARY_CUDA_END,
  WEFT__LIBRARY_COUNT = WEFT__LIBRARY_CUDA_END,
  WEFT__LIBRARY_NONE = WEFT__LIBRARY_COUNT /* of a host step: Weft's own loops */
} weft__library;

/// A function to find in a library.
typedef struct weft__engine_symbol {
  const char *name;
  size_t offset;       /* of its pointer in the structure of functions */
  bool may_be_missing; /* then its pointer is NULL */
} weft__engine_symbol;

/// The functions that a part of Weft calls in a library. A static variable; its structure of pointers is complete once
/// weft__engine_find has returned true.
typedef struct weft__engine_binding {
  weft__library library;
  int symbols;
  const weft__engine_symbol *symbol;
  void *functions;
  atomic_int state; /* engine.c's */
} weft__engine_binding;

#define WEFT__ENGINE_BINDING(library_, symbols_, functions_)                                              \
  {                                                                                                       \
    .library = (library_), .symbols = (int)(sizeof(symbols_) / sizeof *(symbols_)), .symbol = (symbols_), \
    .functions = (functions_)                                                                             \
  }

/// Whether WEFT_ENGINE allows the engine: it is unset, or its list has the name. Unknown names are ignored here. Weft's
/// own kernels also do what no allowed engine can, even if `own` is not in the list.
bool weft__engine_allowed(weft__engine engine);
/// Call it once in a public function that chooses among engines. Errors: ARGUMENT (WEFT_ENGINE has an unknown name).
weft_status weft__engine_check(void);

/// Whether the engine is allowed and its library is here with all needed functions. The first call loads the library;
/// a failure is remembered. May be called from any thread. Does not record an error.
bool weft__engine_find(weft__engine_binding *binding);
/// The name of the library's engine: "cblas"; of WEFT__LIBRARY_NONE "own".
const char *weft__engine_name(weft__library library);
/// "libopenblas.so.0", of a library that was found; "" if none was; "the host" for WEFT__LIBRARY_NONE.
const char *weft__engine_library(weft__library library);
/// Whether the library is there, also if WEFT_ENGINE does not allow it.
bool weft__engine_is_found(weft__library library);
/// The version of VkFFT in this build, 10000 * major + 100 * minor + patch; 0: none. op/fft/vkfft_plan.c sets it.
extern int (*const weft__vkfft_version)(void);

/// One line of the log (WARNING): the engine failed in `what`, and the next one is used.
void weft__engine_failed(weft__library library, const char *what, int code);

#endif
