// SPDX-License-Identifier: MIT
/// A kernel of a program: its parameters, its limits, and launching it.
#ifndef WEFT_KERNEL_KERNEL_H
#define WEFT_KERNEL_KERNEL_H

#include "kernel/parameter.h"
#include "kernel/program.h"
#include "mem/submit.h"

/// Setting arguments and enqueuing is not atomic on a cl_kernel, so each launch borrows one; threads that launch at the
/// same time get one each.
#define WEFT__IDLE_INSTANCES 8

typedef struct weft__kernel {
  weft__core *core;
  weft__cl_program program; /* retained; NULL once closed */
  const char *name;         /* interned */
  const char *text;         /* the whole source; as long as the context is open */
  const char *prefix; /* of messages: "saxpy: " for a user's kernel; "" for Weft's own, of which the user knows nothing.
                         Interned */
  int parameter_count;
  weft__parameter *parameter;
  weft_kernel_info info;
  _Atomic(weft__cl_kernel) idle[WEFT__IDLE_INSTANCES];
} weft__kernel;

/// The kernel `name` of the program; NULL: the only one there is. Errors: KERNEL_NAME (lists the names),
/// KERNEL_ARGUMENT (over 128 parameters), DRIVER, HOST_MEMORY. On failure there is nothing to close.
weft_status weft__kernel_open(weft__kernel *kernel, weft__core *core, const weft__program *program, const char *name);
/// Releases the driver's objects, which ends launching; the rest, parameters and name, goes with weft__kernel_destroy.
void weft__kernel_close(weft__kernel *kernel);
void weft__kernel_destroy(weft__kernel *kernel);

/// Checks grid and block against the device's and the kernel's limits, in 64 bits and before the driver sees them.
/// `local_bytes`: what the arguments add to the kernel's own local memory. Errors: LAUNCH_LIMIT.
weft_status weft__launch_check(const weft__kernel *kernel, weft_dim3 grid, weft_dim3 block, uint64_t local_bytes);

/// Sets the arguments and submits the launch. `launch` has slot, command.grid and .block, uses, bytes, what and site;
/// grid, block and values (as many as the kernel has parameters) were checked. `parameter`: of each use, for messages;
/// NULL: the kernel's own words mean nothing to the user. Does not block.
weft_status weft__launch(weft__kernel *kernel, const weft__value *values, const int *parameter,
                         weft__submission *launch);

/// Of weft__launch in guard mode: waits for the launch and looks at what it did. Errors: BOUNDS, as weft__slot_wait.
weft_status weft__launch_check_zones(const weft__kernel *kernel, const int *parameter, const weft__submission *launch);

/// Threads in a block of most of Weft's own kernels on a GPU: eight warps.
#define WEFT__GPU_BLOCK 256
/// For Weft's own one-dimensional kernels: the number of threads in a block that suits the device.
uint64_t weft__own_block(const weft__core *core);
/// Enough blocks of `block` threads for `threads` of them; at least one. 2^31 - 1 blocks reach further than any
/// device's memory.
weft_dim3 weft__own_grid(uint64_t threads, uint64_t block);

#endif
