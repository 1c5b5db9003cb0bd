// SPDX-License-Identifier: MIT
/// What the demos share: the launch that was asked for.
#ifndef WEFT_CLI_DEMO_H
#define WEFT_CLI_DEMO_H

#include "base/text.h"
#include "cli/cli.h"

typedef struct demo_run {
  const cli_args *args;
  const char *name; /* "threadIdx" */
  weft_dim3 grid, block;
  weft_context *context;
  weft_device_info device;
} demo_run;

/* Each runs its demo and returns an exit status, after saying on stderr what went wrong. */
int demo_index(const demo_run *run);  /* threadIdx, blockIdx, blockDim, gridDim from records in memory */
int demo_printf(const demo_run *run); /* the same four, printed by the device itself */
int demo_grid(const demo_run *run);
int demo_empty(const demo_run *run);

/// x * y * z; 2^64-1 where that overflows, which no device allows either.
uint64_t demo_count(weft_dim3 dim);
/// True where grid and block have one dimension, so that plain numbers say it all.
bool demo_is_flat(const demo_run *run);
/// "7", or "(7, 0, 0)" where the launch has more dimensions.
void demo_add_index(weft__text *text, const demo_run *run, const uint32_t index[3]);
/// "demo", "device", "grid" and "block" as JSON members, without braces; no comma behind the last.
void demo_add_json(weft__text *text, const demo_run *run);

#endif
