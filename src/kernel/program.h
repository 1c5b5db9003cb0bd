// SPDX-License-Identifier: MIT
/// Programs: a source, built. The store (store/store.h) keeps them.
#ifndef WEFT_KERNEL_PROGRAM_H
#define WEFT_KERNEL_PROGRAM_H

#include "core/core.h"
#include "kernel/source.h"

typedef struct weft__program {
  const char *text; /* what the driver got; its owner's */
  weft__cl_program cl;
  bool has_arg_info; /* its kernels' parameters can be asked for */
  uint64_t build_time_ns;
  weft__ledger_entry entry;
} weft__program;

/// Builds `text`, the whole of `source`. Blocks while compiling. `program` is zeroed; it is to be closed also on
/// failure.
/// Errors: BUILD (the detail has the log and the user's numbered source), HOST_MEMORY, DRIVER, UNSUPPORTED
/// (weft__no_kernels).
weft_status weft__program_build(weft__program *program, weft__core *core, const weft__source *source, const char *text,
                                const char *options);
/// Releases the driver's object.
void weft__program_close(weft__program *program, weft__core *core);

/// Records that a kernel is asked of a driver that runs none. Returns WEFT_ERROR_UNSUPPORTED.
weft_status weft__no_kernels(void);

/// The names of its kernels, separated by ';'. *names is to be freed.
weft_status weft__program_kernel_names(char **names, const weft__program *program);

#endif
