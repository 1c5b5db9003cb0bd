// SPDX-License-Identifier: MIT
/// The devices of this machine: how many, their properties, and which one to use.
///
///     weft_device_info info;
///     int index;
///     rc = weft_device_find(&index, "gpu");
///     if (rc == WEFT_OK) rc = weft_device_get(&info, index);
///
/// Devices are numbered from 0 in the order of the OpenCL platforms. They are listed once per process, at the first
/// call that needs them. After fork() in a process that listed devices, calls return WEFT_ERROR_FORKED.
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_DEVICE_H
#define WEFT_DEVICE_H

#include <weft/status.h>

WEFT_BEGIN_DECLS

/// The kind of a device.
typedef enum weft_device_type {
  WEFT_DEVICE_TYPE_OTHER = 0,
  WEFT_DEVICE_TYPE_CPU,
  WEFT_DEVICE_TYPE_GPU,
  WEFT_DEVICE_TYPE_ACCELERATOR,
} weft_device_type;

/// Returns "cpu", "gpu", "accelerator" or "other".
WEFT_API const char *weft_device_type_name(weft_device_type type);

/// Properties and limits of a device. The strings belong to the library and live as long as the process.
typedef struct weft_device_info {
  int index; /* as for weft_device_use */
  weft_device_type type;
  bool is_discrete;           /* has its own memory, separate from the host's */
  const char *name;           /* "NVIDIA H200" */
  const char *vendor;         /* "NVIDIA Corporation" */
  const char *platform;       /* "NVIDIA CUDA" */
  const char *opencl_version; /* "OpenCL 3.0 CUDA" */
  const char *driver_version; /* "580.159.04" */
  uint32_t compute_units;
  uint32_t clock_mhz;
  uint32_t warp_size; /* threads that run in lockstep: 32 on NVIDIA, 1 where the term has no meaning */
  uint64_t memory_size_bytes;
  uint64_t memory_bandwidth;     /* bytes per second by the vendor's figures, 0 if unknown */
  uint64_t max_allocation_bytes; /* the largest buffer that the driver guarantees */
  bool allocation_is_hint;       /* larger buffers than max_allocation_bytes may work */
  uint64_t local_memory_bytes;   /* per block */
  uint64_t address_align_bytes;  /* a view that starts at a multiple of this can be a kernel's argument */
  bool has_fp16;                 /* arithmetic on halves; storing them works everywhere */
  bool has_fp64;
  bool has_int64_atomics;
  char pci_bus_id[16]; /* "0000:1b:00.0", "" if unknown */
  /* launch limits, in CUDA's terms */
  uint64_t max_block_threads; /* x * y * z of a block */
  uint64_t max_block[3];
  uint64_t max_grid[3];
  uint64_t max_grid_blocks; /* x * y * z of a grid */
  /* images (weft/image.h); the limits are 0 without them */
  bool has_images;
  uint64_t max_image_2d[2]; /* width (also of images with one axis) and height */
  uint64_t max_image_3d[3]; /* width, height and depth */
  uint64_t max_image_layers;
} weft_device_info;

/// Writes the number of devices; zero devices is not an error. Errors: WEFT_ERROR_DRIVER (also if PoCL lists no device
/// because it cannot write its cache folder, which the message names).
WEFT_API WEFT_NODISCARD weft_status weft_device_count(int *count);

/// Describes device `index`. Errors: WEFT_ERROR_NO_DEVICE (out of range).
WEFT_API WEFT_NODISCARD weft_status weft_device_get(weft_device_info *info, int index);

/// Finds a device by `selector`: a number ("1"), a type ("gpu", "cpu", "accelerator"), or part of a device's or
/// platform's name in any case ("h200", "portable"). Of several matches, and for NULL, "" or "best", it returns the
/// best: discrete GPUs first, then other GPUs, accelerators, CPUs last; in each group by memory bandwidth if the vendor
/// gives it, else by compute units times clock. Errors: WEFT_ERROR_NO_DEVICE (the message lists the devices).
WEFT_API WEFT_NODISCARD weft_status weft_device_find(int *index, const char *selector);

/// Makes device `index` the calling thread's device, for contexts created later without `.device` (numba's
/// cuda.select_device). Without this call it is WEFT_DEVICE of the environment, a selector as above, else the best
/// device. Errors: WEFT_ERROR_NO_DEVICE.
WEFT_API WEFT_NODISCARD weft_status weft_device_use(int index);

/// Writes the number of the device that a context created now by this thread would use. Errors: WEFT_ERROR_NO_DEVICE.
WEFT_API WEFT_NODISCARD weft_status weft_device_used(int *index);

WEFT_END_DECLS

#endif
