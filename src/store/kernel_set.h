// SPDX-License-Identifier: MIT
/// Programs and kernels of the store: finds or builds them, and launches Weft's own.
///
/// A kernel of cl/ takes one structure by value, then buffers without offsets. The structure holds each array's offset
/// in its buffer, in bytes.
#ifndef WEFT_STORE_KERNEL_SET_H
#define WEFT_STORE_KERNEL_SET_H

#include "cl/shared.h"
#include "disk/entry.h"
#include "store/store.h"

#define WEFT__RUN_BUFFERS 74 /* WEFT_MAX_OPERANDS, and two of a kernel's own */

typedef struct weft__stored_program {
  weft__entry entry;
  weft__program program;
} weft__stored_program;

/// The kernels of one file for one set of dtypes and options, in one program.
typedef struct weft__kernel_set {
  weft__entry entry;
  weft__kernel kernel[]; /* in the order of the key's names */
} weft__kernel_set;

/// The source of kernels to be built.
typedef struct weft__kernel_source {
  const char *name; /* for messages and the trace: "sort" */
  weft__key key;
  void (*write)(weft__text *text, const void *data); /* writes text before the file's; may be NULL */
  const void *data;                                  /* for write; NULL: the key's bytes */
  bool is_for_90a;                                   /* has instructions for sm_90a only (kernel/ptx.h) */
  bool is_users;                                     /* contains text of the user: build errors refer to it */
} weft__kernel_source;

/// Finds or builds the kernels of the key, in its order. They live as long as the context. fp64 is enabled if the
/// device has it, and contraction is off. WEFT_CPU, WEFT_FP64 and WEFT_DEVICE_SCOPE are defined if they apply.
/// Errors: BUILD, DRIVER, HOST_MEMORY.
weft_status weft__kernels_get(weft__kernel **kernels, weft__store *store, const weft__kernel_source *source);

/// Finds or builds the program of this source. Blocks while compiling. The program lives
/// as long as the context.
/// Errors: BUILD (the detail has the log and the user's numbered source), ARGUMENT, HOST_MEMORY, DRIVER.
weft_status weft__program_get(const weft__program **out, bool *was_cached, weft__store *store,
                              const weft__source *source);

/// Builds and keeps the program of a file of the cache; `source` has its name. Errors: UNSUPPORTED (of another version
/// or kind of device), as above.
weft_status weft__program_prepare(weft__store *store, const weft__source *source, const weft__entry_parts *parts);

/// As weft__program_get, for code that is not text, by its bytes; takes its head over.
weft_status weft__program_get_code(const weft__program **out, bool *was_cached, weft__store *store, const char *name,
                                   weft__code *code, const char *options);

/// How a kernel divides its items among threads. A CPU's threads compute several in order, each in a block of its own;
/// a GPU's compute one, in blocks of WEFT__GPU_BLOCK.
typedef struct weft__grain {
  uint32_t items, block;
} weft__grain;
/// Whether threads compute several items, for keys.
static inline bool weft__is_coarse(weft__grain grain) {
  return grain.items > 1;
}
static inline weft__grain weft__grain_of(const weft__store *store, uint32_t items_on_cpus) {
  return store->is_cpu ? (weft__grain){items_on_cpus, 1} : (weft__grain){1, WEFT__GPU_BLOCK};
}
/// The blocks for a number of items.
static inline weft_dim3 weft__grain_grid(weft__grain grain, uint64_t items) {
  return weft__own_grid(weft_ceil_div(items, grain.items), grain.block);
}

/// A launch of one of Weft's own kernels.
typedef struct weft__kernel_run {
  weft__kernel *kernel;
  weft_dim3 grid, block;
  const void *arguments; /* the structure */
  size_t argument_bytes;
  int uses; /* buffers, in the kernel's order */
  const weft__use *use;
  const char *what; /* for usage and trace, "sum": a literal or interned */
  const char *site;
  uint64_t bytes;                  /* read and written at least, for the profile; 0: all bytes of its storages */
  const weft__checked *checked;    /* as weft__submission's */
  const struct weft__map_run *map; /* as weft__submission's */
} weft__kernel_run;

/// Launches the kernel without blocking. The launch is ordered with all other work on the buffers.
weft_status weft__run_kernel(const weft__kernel_run *run);
/// Fills bytes of a storage. A fill is not counted as a launch.
weft_status weft__run_fill(const weft__store *store, weft__storage *storage, const weft__fill_run *run,
                           const char *site);

#endif
