// SPDX-License-Identifier: MIT
/// The ids that each thread of a launch sees, written by the device: CUDA's threadIdx, blockIdx, blockDim and gridDim,
/// and OpenCL's.
///
///     weft_thread_record *records = NULL;
///     uint64_t count = 0;
///     rc = weft_introspect(&records, &count, context, WEFT_DIM3(4), WEFT_DIM3(64));
///
/// Results, operands, axes, options, errors, ownership and threads: docs/conventions.md
#ifndef WEFT_INTROSPECT_H
#define WEFT_INTROSPECT_H

#include <weft/context.h>
#include <weft/shape.h>

WEFT_BEGIN_DECLS

/// One thread's record; [0] is x. The first four members have CUDA's names and come through the kernel prelude, the
/// others come from OpenCL's functions directly.
typedef struct weft_thread_record {
  uint32_t thread_idx[3]; /* threadIdx */
  uint32_t block_idx[3];  /* blockIdx */
  uint32_t block_dim[3];  /* blockDim */
  uint32_t grid_dim[3];   /* gridDim */
  uint32_t local_id[3];   /* get_local_id */
  uint32_t group_id[3];   /* get_group_id */
  uint32_t local_size[3]; /* get_local_size */
  uint32_t num_groups[3]; /* get_num_groups */
  uint64_t global_id[3];  /* get_global_id */
  uint64_t flat_id;       /* block's flat number * threads per block + thread's flat number, x fastest */
} weft_thread_record;

/// Options of weft_introspect: the threads to be recorded, by flat numbers (x fastest) of blocks, and of threads within
/// a block. A count of 0 means all from the first on.
typedef struct weft_introspect_params {
  uint64_t first_block, block_count;
  uint64_t first_thread, thread_count;
  const char *site; /* set by the macro */
} weft_introspect_params;

/// Launches `grid` x `block` threads, each of which writes its record, and copies the records that the options select
/// (by default all) to *records, block by block and thread by thread; *count is their number. The whole grid always
/// runs. Waits for the device. Free *records with weft_free. WEFT_ERROR_LAUNCH_LIMIT: grid or block. WEFT_ERROR_INDEX:
/// blocks or threads outside the launch. WEFT_ERROR_OVERFLOW: more records than any memory. WEFT_ERROR_DRIVER: a thread
/// wrote no record.
WEFT_API WEFT_NODISCARD weft_status weft_introspect(weft_thread_record **records, uint64_t *count,
                                                    weft_context *context, weft_dim3 grid, weft_dim3 block,
                                                    const weft_introspect_params *params);

/* ---- behind the functions ---- */

WEFT_API WEFT_NODISCARD weft_status weft__introspect_at(weft_thread_record **records, uint64_t *count,
                                                        weft_context *context, weft_dim3 grid, weft_dim3 block,
                                                        const weft_introspect_params *params);

#define weft_introspect(records, count, context, grid, ...)                                                           \
  weft__introspect_at(WEFT__PLACE(weft_thread_record, records), (count), (context), (grid), WEFT__FIRST(__VA_ARGS__), \
                      WEFT__OPTIONS(weft_introspect_params, __VA_ARGS__))

WEFT_END_DECLS

#endif
