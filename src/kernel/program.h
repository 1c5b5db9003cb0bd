// SPDX-License-Identifier: MIT
/// Programs: built once for each source and options, and kept until their context ends.
#ifndef WEFT_KERNEL_PROGRAM_H
#define WEFT_KERNEL_PROGRAM_H

#include "core/core.h"
#include "kernel/source.h"

typedef struct weft__program {
  struct weft__program *next;
  char *key;        /* options and the whole text */
  const char *text; /* the part of it that the driver got */
  weft__cl_program cl;
  bool has_arg_info; /* its kernels' parameters can be asked for */
  uint64_t build_time_ns;
  weft__ledger_entry entry;
} weft__program;

typedef struct weft__programs {
  weft__core *core;
  pthread_mutex_t lock;
  weft__program *first;
} weft__programs;

void weft__programs_init(weft__programs *programs, weft__core *core);
/// Releases all programs.
void weft__programs_close(weft__programs *programs);
void weft__programs_destroy(weft__programs *programs);

/// The program of this source and these options (NULL: none), built if it is new. Blocks while compiling. It lives as long as the context.
/// Errors: BUILD (the detail has the log and the user's numbered source), ARGUMENT, HOST_MEMORY, DRIVER, UNSUPPORTED (weft__no_kernels).
weft_status weft__program_get(weft__program **out, bool *was_cached, weft__programs *programs, const weft__source *source,
                              const char *options);

/// Records that a kernel is asked of a driver that runs none. Returns WEFT_ERROR_UNSUPPORTED.
weft_status weft__no_kernels(void);

/// The names of its kernels, separated by ';'. *names is to be freed.
weft_status weft__program_kernel_names(char **names, const weft__program *program);

#endif
