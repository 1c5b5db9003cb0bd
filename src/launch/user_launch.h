// SPDX-License-Identifier: MIT
/// The launch of a user's kernel, behind weft_launch and the launches that choose the block.
#ifndef WEFT_LAUNCH_USER_LAUNCH_H
#define WEFT_LAUNCH_USER_LAUNCH_H

#include <weft/kernel.h>

/// Checks grid, block and arguments, and submits the launch. `stream` NULL: the thread's, else the context's own.
weft_status weft__launch_user(weft_kernel *kernel, weft_stream *stream, weft_dim3 grid, weft_dim3 block,
                              int argument_count, const weft_arg *arguments, const char *site);

/// Extends *hash by all that a kernel is built from: its text with includes and definitions, or its bytes, and options.
weft_status weft__kernel_source_hash(uint64_t *hash, weft_context *context, const weft_kernel_params *params);

#endif
