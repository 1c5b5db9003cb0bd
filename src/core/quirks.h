// SPDX-License-Identifier: MIT
/// What drivers do that OpenCL does not say, in one table with the source of each entry. WEFT_QUIRKS in the environment
/// switches entries on by name ("no_fp64,small_local"), to test here what another machine lacks.
#ifndef WEFT_CORE_QUIRKS_H
#define WEFT_CORE_QUIRKS_H

#include <weft/device.h>

typedef struct weft__quirks {
  bool wait_burns_core;    /* clFinish and clWaitForEvents spin: poll an event and sleep instead */
  bool lazy_allocation;    /* memory is taken at the first use: touch buffers when they are made */
  bool overcommits;        /* gives more memory than there is: hold the sum under the device's memory ourselves */
  bool allocation_is_hint; /* buffers over CL_DEVICE_MAX_MEM_ALLOC_SIZE work */
  bool unlisted_fp16;      /* half arithmetic compiles and works though cl_khr_fp16 is not listed */
  bool few_blocks;         /* dies at 2^32 blocks or more in a launch */
  bool own_block_limit;    /* says 256 threads for every kernel, and runs as many as the device allows */
  bool arg_info_breaks;    /* -cl-kernel-arg-info makes programs with a kernel without parameters fail to build */
  bool ignores_line;       /* build logs count the lines of the whole text and call it <kernel>, whatever #line says */
  bool device_scope;    /* blocks of a launch can talk: device-scope loads and stores, and blocks that were started make
                        progress */
  bool wraps_in_place;  /* a buffer around host memory is that memory, at any address: nothing is copied, also not to
                          hand it over */
  bool rect_whole_rows; /* copies of rectangles are refused where the last row's whole pitch would leave the buffer */
  bool stages_slowly;   /* copies of pageable memory are far below the bus's rate: stage them ourselves */
  bool finish_at_exit;  /* its threads crash where the process ends under them: wait for all work first */
  bool prefixes_builtins; /* kernels and parameters called like OpenCL's functions have `_cl_` in front of their names
                             */
  bool builds_in_files;   /* needs a writable cache folder, and does not report a missing one */
  bool roomy_local;       /* a kernel's own local memory may be twice what the device says it has */
  bool wraps_small;       /* host operands of any size are wrapped, not only large ones: tests */
  bool no_device_scope;   /* they cannot, whatever device_scope says */
  bool no_arg_info;       /* kernels' parameters cannot be asked for */
  bool no_fp64;
  bool no_int64_atomics;
  bool small_local; /* local memory of 4 KiB */
  bool gpu_kernels; /* run the GPU kernels on a CPU too, despite cpu_kernels: slow, but tests them */
  bool cpu_kernels; /* and the other way round */
} weft__quirks;

/// The quirks of a device on a platform, with those that WEFT_QUIRKS adds. Errors: WEFT_ERROR_ARGUMENT (a name in
/// WEFT_QUIRKS that is none).
weft_status weft__quirks_find(weft__quirks *quirks, const char *platform, weft_device_type type);

#endif
