// SPDX-License-Identifier: MIT
/// The devices of this machine: how many, what they are, and which one to use.
///
/// Devices are numbered from 0 in the order in which the OpenCL platforms list them. Listing happens once per process,
/// at the first call that needs it; it does not block on work. After fork() in a process that listed devices, calls
/// answer WEFT_ERROR_FORKED.
#ifndef WEFT_DEVICE_H
#define WEFT_DEVICE_H

#include <weft/status.h>

WEFT_BEGIN_DECLS

typedef enum weft_device_type {
  WEFT_DEVICE_TYPE_OTHER = 0,
  WEFT_DEVICE_TYPE_CPU,
  WEFT_DEVICE_TYPE_GPU,
  WEFT_DEVICE_TYPE_ACCELERATOR,
} weft_device_type;

/// "cpu", "gpu", "accelerator" or "other". Thread: any.
WEFT_API const char *weft_device_type_name(weft_device_type type);

/// What a device is and what it allows. The strings belong to the library and live as long as the process.
typedef struct weft_device_info {
  int index; /* the number weft_device_use takes */
  weft_device_type type;
  bool is_discrete;           /* has memory of its own, apart from the host's */
  const char *name;           /* "NVIDIA H200" */
  const char *vendor;         /* "NVIDIA Corporation" */
  const char *platform;       /* "NVIDIA CUDA" */
  const char *opencl_version; /* "OpenCL 3.0 CUDA" */
  const char *driver_version; /* "580.159.04" */
  uint32_t compute_units;
  uint32_t clock_mhz;
  uint32_t warp_size; /* threads that run in step: 32 on NVIDIA, 1 where that has no meaning */
  uint64_t memory_size_bytes;
  uint64_t memory_bandwidth;     /* bytes per second by the vendor's figures, 0 where unknown */
  uint64_t max_allocation_bytes; /* what the driver promises for one buffer; more may work where allocation_is_hint */
  bool allocation_is_hint;
  uint64_t local_memory_bytes;  /* per block */
  uint64_t address_align_bytes; /* a view that starts at a multiple of this can be a kernel's argument */
  bool has_fp16;                /* arithmetic on half; storing halves works everywhere */
  bool has_fp64;
  bool has_int64_atomics;
  char pci_bus_id[16]; /* "0000:1b:00.0", "" where unknown */
  /* launch limits, in CUDA's words */
  uint64_t max_block_threads; /* x * y * z of a block */
  uint64_t max_block[3];
  uint64_t max_grid[3];
  uint64_t max_grid_blocks; /* x * y * z of a grid */
} weft_device_info;

/// Writes how many devices there are. Zero devices is not an error here. Errors: WEFT_ERROR_ARGUMENT, WEFT_ERROR_DRIVER
/// (also when PoCL lists no device because it cannot write its cache folder; the message names the folder). Thread:
/// any.
WEFT_API WEFT_NODISCARD weft_status weft_device_count(int *count);

/// Describes device `index`. Errors: WEFT_ERROR_NO_DEVICE (out of range; the message says how many there are). Thread:
/// any.
WEFT_API WEFT_NODISCARD weft_status weft_device_get(weft_device_info *info, int index);

/// Finds a device: `selector` is a number ("1"), a type ("gpu", "cpu", "accelerator"), or part of a device's or
/// platform's name, without regard to case ("h200", "portable"); the best of those that match is taken. NULL or "" or
/// "best" is the best of all: discrete GPUs first, by memory bandwidth where the vendor tells it and by compute units
/// times clock elsewhere; CPUs last.
/// Errors: WEFT_ERROR_NO_DEVICE (the message lists what there is). Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_device_find(int *index, const char *selector);

/// Makes device `index` the calling thread's device, for contexts created after it without naming one; like numba's
/// cuda.select_device. Without it: the environment's WEFT_DEVICE (a selector as above), else the best. Errors:
/// WEFT_ERROR_NO_DEVICE. Thread: any, its own.
WEFT_API WEFT_NODISCARD weft_status weft_device_use(int index);

/// The device that a context created now by this thread would use. Errors: WEFT_ERROR_NO_DEVICE. Thread: any.
WEFT_API WEFT_NODISCARD weft_status weft_device_used(int *index);

WEFT_END_DECLS

#endif
