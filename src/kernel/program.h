// SPDX-License-Identifier: MIT
/// Programs: built sources. The store (store/store.h) keeps them.
#ifndef WEFT_KERNEL_PROGRAM_H
#define WEFT_KERNEL_PROGRAM_H

#include "kernel/binary.h"
#include "kernel/source.h"

/// Where the cache on disk has a program: kernel/cached.h.
typedef enum weft__cached {
  WEFT__UNCACHED = 0, /* it is not to have it */
  WEFT__CACHE_MISS,   /* it is to have it */
  WEFT__CACHE_HIT,    /* it has it */
} weft__cached;

/// The launches of a program's kernels for which its driver has made code, each "KERNEL 64-1-1-goffs0-smallgrid".
typedef struct weft__launched weft__launched;

typedef struct weft__program {
  const char *text;    /* the built text; not owned. "" for code */
  const char *options; /* of the text; not owned */
  char *head;          /* weft__code's, owned */
  weft__cl_program cl;
  bool has_arg_info; /* the kernels' parameters are known */
  bool is_for_90a;   /* weft__source's */
  weft__cached cached;
  weft__launched *launched; /* NULL: not noted */
  uint64_t build_time_ns;
  weft__ledger_entry entry;
} weft__program;

/// Builds `text`, the expanded `source`. Blocks while compiling. `program` must be zeroed, and the caller closes it
/// even after a failure.
/// Errors: BUILD (the detail has the log and the user's numbered source), HOST_MEMORY, DRIVER, UNSUPPORTED
/// (weft__no_kernels).
weft_status weft__program_build(weft__program *program, weft__core *core, const weft__source *source, const char *text,
                                const char *options);
/// As weft__program_build, of code, whose head it takes over. `name` stands for the code in messages.
weft_status weft__program_load(weft__program *program, weft__core *core, const char *name, weft__code *code,
                               const char *options);
/// Builds a program from its text, options and is_for_90a, without errors recorded: returns the driver's code, and in
/// `call` the function that gave it. `cl` may be set after a failure too.
int weft__program_compile(weft__program *program, weft__core *core, const char **call);
/// Releases the driver's object.
void weft__program_close(weft__program *program, weft__core *core);

/// Records that a kernel was requested but the driver runs none. Returns WEFT_ERROR_UNSUPPORTED.
weft_status weft__no_kernels(void);

/// The names of the program's kernels, separated by ';'. The caller frees *names.
weft_status weft__program_kernel_names(char **names, const weft__program *program);

#endif
