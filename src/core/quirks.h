// SPDX-License-Identifier: MIT
/// Behaviour of drivers that OpenCL does not specify, in one table with the source of each entry. WEFT_QUIRKS switches
/// entries on by name ("no_fp64,small_local"), to test here what another machine lacks.
#ifndef WEFT_CORE_QUIRKS_H
#define WEFT_CORE_QUIRKS_H

#include <weft/device.h>

typedef struct weft__quirks {
  bool wait_burns_core;    /* clFinish and clWaitForEvents spin: poll an event and sleep instead */
  bool lazy_allocation;    /* memory is allocated at the first use: touch buffers when they are made */
  bool overcommits;        /* allocates more memory than there is: Weft keeps the sum within the device's memory */
  bool allocation_is_hint; /* buffers over CL_DEVICE_MAX_MEM_ALLOC_SIZE work */
  bool unlisted_fp16;      /* half arithmetic compiles and works though cl_khr_fp16 is not listed */
  bool unlisted_rounding;  /* quotients and roots of f32 are rounded correctly though the device does not say so */
  bool few_blocks;         /* dies at 2^32 blocks or more in a launch */
  bool own_block_limit;    /* reports 256 threads for every kernel, but runs as many as the device allows */
  bool arg_info_breaks;    /* -cl-kernel-arg-info makes programs with a kernel without parameters fail to build */
  bool ignores_line;       /* build logs count the lines of the whole text and name it <kernel>, whatever #line says */
  bool device_scope;    /* blocks of one launch can communicate: device-scope loads and stores, and forward progress */
  bool wraps_in_place;  /* a buffer on host memory uses it directly, at any address: making and mapping copy nothing */
  bool rect_whole_rows; /* refuses rectangular copies in which the last row's whole pitch would exceed the buffer */
  bool stages_slowly;   /* copies of pageable memory are far below the bus's rate: Weft uses staging buffers */
  bool late_release;    /* uses a kernel's freed memory while a launch of it is under way: release it after a wait */
  bool finish_at_exit;  /* its threads crash if the process ends while they work: wait for all work first */
  bool prefixes_builtins; /* kernels and parameters named like OpenCL functions get the prefix `_cl_` */
  bool builds_in_files;   /* needs a writable cache folder, and does not report a missing one */
  bool short_names;       /* damages or ends the process where the name of a kernel is longer than a file's may be */
  bool builds_at_launch;  /* compiles kernels for each size of block at the first launch; then binaries have it */
  bool roomy_local;       /* a kernel's local memory may be twice what the device reports */
  bool images_of_whole;   /* crashes where a sub-buffer is copied to or from an image: name the whole buffer */
  bool rows_by_host;      /* does not copy between buffers and image1d_array_t: go through host memory */
  bool large_imports;     /* only by WEFT_QUIRKS: small_imports is not heeded, to try whether it must be */
  bool small_imports;     /* memory of CUDA of 512 MiB and more cannot be imported where the machine has several GPUs */
  bool wraps_small;       /* wraps host operands of any size, not only large ones, for tests */
  bool no_device_scope;   /* overrides device_scope: blocks of a launch cannot communicate */
  bool no_arg_info;       /* kernels' parameters cannot be queried */
  bool no_fp64;
  bool no_images;
  bool no_imports; /* memory of CUDA cannot be imported */
  bool no_int64_atomics;
  bool small_local; /* local memory is 4 KiB */
  bool gpu_kernels; /* runs the GPU kernels on a CPU, also if cpu_kernels is set: slow, but tests them */
  bool cpu_kernels; /* runs the CPU kernels on a GPU */
  bool no_avx512;   /* the calling thread's loops are those for processors without AVX-512 */
  bool no_avx2;     /* without AVX2 and fused multiplications either */
} weft__quirks;

/// The quirks of a device on a platform, plus those named in WEFT_QUIRKS. Errors: WEFT_ERROR_ARGUMENT (WEFT_QUIRKS has
/// a name that is not in the table).
weft_status weft__quirks_find(weft__quirks *quirks, const char *platform, weft_device_type type);

#endif
