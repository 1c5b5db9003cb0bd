// SPDX-License-Identifier: MIT
/// Weft's own kernels in a context: the core ones, built with it, and those of other embedded files, built when first asked for.
#ifndef WEFT_STORE_BUILTIN_H
#define WEFT_STORE_BUILTIN_H

#include "kernel/kernel.h"

typedef enum weft__core_kernel {
  WEFT__CORE_FILL = 0,
  WEFT__CORE_COPY_STRIDED,
  WEFT__CORE_INTROSPECT,
  WEFT__CORE_KERNELS,
} weft__core_kernel;

/// A kernel of one embedded file with one set of options.
typedef struct weft__builtin {
  struct weft__builtin *next;
  const char *file;
  char *options;
  weft__kernel kernel;
} weft__builtin;

typedef struct weft__builtins {
  weft__programs *programs;
  pthread_mutex_t lock;
  weft__kernel core[WEFT__CORE_KERNELS];
  weft__builtin *first;
} weft__builtins;

/// Builds the core program. On failure there is nothing to close.
weft_status weft__builtins_open(weft__builtins *builtins, weft__programs *programs);
void weft__builtins_close(weft__builtins *builtins);
void weft__builtins_destroy(weft__builtins *builtins);

/// The kernel of an embedded file that has one, built with these options the first time. It lives as long as the context.
weft_status weft__builtin_get(weft__kernel **kernel, weft__builtins *builtins, const char *file, const char *options);

#endif
