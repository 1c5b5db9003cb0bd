// SPDX-License-Identifier: MIT
/// Shared by the demos: the launch that the user asked for.
#ifndef WEFT_CLI_DEMO_H
#define WEFT_CLI_DEMO_H

#include "base/text.h"
#include "cli/base/cli.h"

typedef struct demo_run {
  const cli_args *args;
  const char *name; /* "threadIdx" */
  weft_dim3 grid, block;
  weft_context *context;
  weft_device_info device;
} demo_run;

/* Each runs its demo and returns an exit status. On failure it has printed the reason on stderr. */
int demo_index(const demo_run *run);  /* threadIdx, blockIdx, blockDim, gridDim from records in memory */
int demo_printf(const demo_run *run); /* these four too, printed by the device */
int demo_grid(const demo_run *run);
int demo_empty(const demo_run *run);

/// x * y * z; 2^64-1 if it overflows, which exceeds every device's limit too.
uint64_t demo_count(weft_dim3 dim);
/// True if grid and block have one dimension, so that plain numbers suffice.
bool demo_is_flat(const demo_run *run);
/// "7", or "(7, 0, 0)" if the launch has more dimensions.
void demo_add_index(weft__text *text, const demo_run *run, const uint32_t index[3]);
/// Adds "demo", "device", "grid" and "block" as JSON members, without braces and without a final comma.
void demo_add_json(weft__text *text, const demo_run *run);

#endif
