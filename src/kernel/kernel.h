// SPDX-License-Identifier: MIT
/// A kernel of a program: its parameters, its limits, and its launches.
#ifndef WEFT_KERNEL_KERNEL_H
#define WEFT_KERNEL_KERNEL_H

#include "kernel/parameter.h"
#include "kernel/program.h"
#include "mem/submit.h"

/// An argument that a cl_kernel has.
typedef struct weft__kept_argument {
  size_t size_bytes; /* 0: it is not known */
  unsigned char bytes[128];
} weft__kept_argument;

/// A cl_kernel and its arguments. Most launches repeat some of the last launch's: these are not set again.
typedef struct weft__instance {
  weft__cl_kernel cl;
  uint64_t released; /* weft__released_arguments before they were set */
  weft__kept_argument argument[];
} weft__instance;

/// A cl_kernel's arguments and its enqueue are not one atomic step, so each launch takes an instance. Concurrent
/// launches get one each: of these, or one that is made for the launch.
#define WEFT__INSTANCES 8
typedef struct weft__instance_place {
  atomic_bool is_taken;
  weft__instance *instance; /* NULL: not made yet */
} weft__instance_place;

typedef struct weft__kernel {
  weft__core *core;
  weft__cl_program program; /* retained; NULL once closed */
  const char *name;         /* interned */
  const weft__program *of;  /* lives as long as the context is open */
  const char *text;         /* the expanded source; lives as long as the context is open */
  const char *prefix;       /* begins messages: "saxpy: " for a user's kernel, "" for Weft's own; interned */
  weft__launched *launched; /* the program's; NULL: launches are not noted */
  _Atomic(uint64_t) last_launched;
  int parameter_count;
  weft__parameter *parameter;
  int hidden; /* parameters at the end that launches do not pass: WEFT_ASSERTS, or none */
  weft_kernel_info info;
  weft__instance_place place[WEFT__INSTANCES];
} weft__kernel;

/// Opens the kernel `name` of the program, or its only kernel (NULL). Errors: KERNEL_NAME (lists the names),
/// KERNEL_ARGUMENT (over 128 parameters), DRIVER, HOST_MEMORY. After a failure there is nothing to close.
weft_status weft__kernel_open(weft__kernel *kernel, weft__core *core, const weft__program *program, const char *name);
/// Releases the driver's objects, so that no more launches are possible. weft__kernel_destroy frees parameters and
/// name.
void weft__kernel_close(weft__kernel *kernel);
void weft__kernel_destroy(weft__kernel *kernel);

/// Checks grid and block against the limits of device and kernel, in 64 bits and before the driver sees them.
/// `local_bytes`: local memory of the arguments, in addition to the kernel's own. Errors: LAUNCH_LIMIT.
weft_status weft__launch_check(const weft__kernel *kernel, weft_dim3 grid, weft_dim3 block, uint64_t local_bytes);

/// Makes the instance of a driver's kernel, which it takes over, also on failure. Errors: HOST_MEMORY.
weft_status weft__instance_of(weft__instance **instance, const weft__kernel *kernel, weft__cl_kernel cl);
/// Launches of it may be under way.
void weft__instance_release(weft__core *core, weft__instance *instance);

/// Sets the arguments and submits the launch without blocking. `launch` has slot, command.grid and .block, uses, bytes,
/// what and site. The caller has checked grid, block and values (one per parameter). `parameter`: the parameter number
/// of each use, for messages; NULL for Weft's own kernels, whose parameter names the user does not know.
weft_status weft__launch(weft__kernel *kernel, const weft__value *values, const int *parameter,
                         weft__submission *launch);

/// Makes a driver's kernel with these arguments (one per parameter), for launches of the caller's own; the caller
/// gives it back with weft__core_retire. Errors: KERNEL_ARGUMENT, DRIVER.
weft_status weft__kernel_instance(weft__cl_kernel *instance, const weft__kernel *kernel, const weft__value *values);

/// Guard mode: waits for a launch and checks the guard zones of its arrays. Errors: BOUNDS, as weft__slot_wait.
weft_status weft__launch_check_zones(const weft__kernel *kernel, const int *parameter, const weft__submission *launch);

/// Threads in a block of most of Weft's own GPU kernels: eight warps.
#define WEFT__GPU_BLOCK 256
/// The block size of Weft's own one-dimensional kernels on this device.
uint64_t weft__own_block(const weft__core *core);
/// Enough blocks of `block` threads for `threads` threads, at least one. 2^31 - 1 blocks cover more elements than any
/// device's memory holds.
weft_dim3 weft__own_grid(uint64_t threads, uint64_t block);

#endif
