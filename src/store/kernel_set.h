// SPDX-License-Identifier: MIT
/// Programs and kernels of the store: getting them, and launching one of Weft's own.
///
/// A kernel of cl/ takes one structure by value, then buffers without offsets: where an array begins in its buffer is a
/// member of the structure, in bytes.
#ifndef WEFT_STORE_KERNEL_SET_H
#define WEFT_STORE_KERNEL_SET_H

#include "cl/shared.h"
#include "store/store.h"

#define WEFT__RUN_BUFFERS 26

typedef struct weft__stored_program {
  weft__entry entry;
  weft__program program;
} weft__stored_program;

/// The kernels of one file for one choice of dtypes and options, in one program.
typedef struct weft__kernel_set {
  weft__entry entry;
  weft__kernel kernel[]; /* in the order of the key's names */
} weft__kernel_set;

/// What is to be built.
typedef struct weft__kernel_source {
  const char *name; /* for messages and the trace: "sort" */
  weft__key key;
  void (*write)(weft__text *text, const void *data); /* what goes in front of the file's text: #define lines, functions;
                                                        may be NULL */
  const void *data;                                  /* for write; NULL: the key's bytes */
  bool is_users;                                     /* the text has a part of the user's: errors tell where in it */
} weft__kernel_source;

/// The kernels of the key, in its order, built the first time. They live as long as the context. fp64 is enabled where
/// the device has it, and contraction off; WEFT_CPU, WEFT_FP64 and WEFT_DEVICE_SCOPE are defined where they hold.
/// Errors: BUILD, DRIVER, HOST_MEMORY.
weft_status weft__kernels_get(weft__kernel **kernels, weft__store *store, const weft__kernel_source *source);

/// The program of this source and these options (NULL: none), built if it is new. Blocks while compiling. It lives as
/// long as the context.
/// Errors: BUILD (the detail has the log and the user's numbered source), ARGUMENT, HOST_MEMORY, DRIVER.
weft_status weft__program_get(const weft__program **out, bool *was_cached, weft__store *store,
                              const weft__source *source, const char *options);

/// A launch of one of these kernels.
typedef struct weft__kernel_run {
  weft__kernel *kernel;
  weft_dim3 grid, block;
  const void *arguments; /* the structure */
  size_t argument_bytes;
  int uses; /* buffers, in the kernel's order */
  const weft__use *use;
  const char *what; /* for the usage and the trace, "sum": a literal or interned */
  const char *site;
  uint64_t bytes; /* what it must read and write, for the profile; 0: all of its storages */
} weft__kernel_run;

/// Work is ordered with all other work on the buffers. Does not block.
weft_status weft__run_kernel(const weft__kernel_run *run);
/// Fills bytes of a storage. It does not count as a launch.
weft_status weft__run_fill(const weft__store *store, weft__storage *storage, const weft__fill_run *run,
                           const char *site);

#endif
