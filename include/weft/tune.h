// SPDX-License-Identifier: MIT
/// Chooses a kernel's block and definitions by measuring them, and keeps the winner in a file.
///
///     weft_status run(weft_kernel *kernel, weft_dim3 block, void *user) {
///       weft_array *y = user;
///       return weft_launch(kernel, WEFT_DIM3(weft_ceil_div(1000, block.x)), block, y, 1000);
///     }
///
///     rc = weft_tune(&k, &tuning, context, run, y, .kernel = {.source = text}, .blocks = blocks, .block_count = 4);
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_TUNE_H
#define WEFT_TUNE_H

#include <weft/kernel.h>

WEFT_BEGIN_DECLS

/// Launches the kernel with a block, as often as one timed call should, always with the same work.
typedef weft_status weft_tune_function(weft_kernel *kernel, weft_dim3 block, void *user);

/// A way to launch the kernel, and its time.
typedef struct weft_tuning {
  weft_dim3 block;
  int define_set; /* the number of its list in .define_sets; 0 without them */
  double time_ns; /* of one call, the fastest of the runs; below 0: it was refused (LAUNCH_LIMIT, BUILD, UNSUPPORTED) */
  bool was_kept;  /* it comes from the file, and nothing was measured */
} weft_tuning;

/// Options of weft_tune. `kernel`, `blocks` and `block_count` are required.
typedef struct weft_tune_params {
  weft_kernel_params kernel; /* what is built; its .defines are given by define_sets */
  const weft_dim3 *blocks;
  int block_count;
  const char *const *const *define_sets; /* lists as .defines of weft_kernel_create; NULL: kernel.defines alone */
  int define_set_count;
  const char *file; /* keeps winners of several kernels, as JSON; NULL: none is kept */
  int runs;         /* of weft_timeit, for each candidate; 0: 3 */
  uint64_t loops;
  void (*progress)(void *user, const weft_tuning *tried, int done, int all); /* called for each candidate */
  const char *site;                                                          /* set by the macro */
} weft_tune_params;

/// Builds the kernel with each set of definitions, times `run` with each block, and returns the kernel of the fastest
/// with its block in *tuning. *out must be NULL; tuning may be. A candidate that the device refuses is passed over.
/// Messages of the log (INFO) tell the times. With .file the next call with the same source, lists, device and driver
/// takes the winner from it. Errors: run's; the last refusal, if all candidates were refused; WEFT_ERROR_FILE.
WEFT_API WEFT_NODISCARD weft_status weft_tune(weft_kernel **out, weft_tuning *tuning, weft_context *context,
                                              weft_tune_function *run, void *user, const weft_tune_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__tune_at(weft_kernel **out, weft_tuning *tuning, weft_context *context,
                                                  weft_tune_function *run, void *user, const weft_tune_params *params);
#define weft_tune(out, tuning, context, run, ...)                                                    \
  weft__tune_at(WEFT__PLACE(weft_kernel, out), (tuning), (context), (run), WEFT__FIRST(__VA_ARGS__), \
                WEFT__OPTIONS(weft_tune_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
