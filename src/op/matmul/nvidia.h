// SPDX-License-Identifier: MIT
/// Shared by the rows for NVIDIA GPUs: tiles of a product, and which of them is fastest for a shape.
#ifndef WEFT_OP_MATMUL_NVIDIA_H
#define WEFT_OP_MATMUL_NVIDIA_H

#include "op/matmul/matmul.h"

/// One variant of a kernel.
typedef struct weft__nvidia_tile {
  int m, n;           /* elements of a work-group's tile */
  int warp_m, warp_n; /* of a warp's */
  int k, stages;      /* elements along k of a stage, and stages */
  int threads;        /* of a work-group */
  int blocks;         /* work-groups on a multiprocessor at once */
  float rate;         /* elements of the result times k that a multiprocessor adds up in a time unit */
} weft__nvidia_tile;

/// The device's capability, if the task may run on NVIDIA's kernels there: 0 otherwise. 89 of a device of 9.0 whose
/// driver refuses instructions for sm_90a.
uint32_t weft__nvidia_capability(const weft__matmul_task *task);
/// The variant that needs least time for the task: in each round every multiprocessor computes `blocks` tiles.
const weft__nvidia_tile *weft__nvidia_choose(const weft__nvidia_tile *tile, int tiles, const weft__matmul_task *task);
/// Calls weft__matmul_kernels_get. If kernels for sm_90a do not build, *refused is true, the capability is less from
/// then on, and this is no failure.
weft_status weft__nvidia_kernels_get(weft__kernel **kernels, bool *refused, const weft__matmul_task *task,
                                     const weft__matmul_source *source);
/// The `#define` lines of cl/matmul/nvidia.clh.
void weft__nvidia_define(weft__text *text, const weft__nvidia_tile *tile);

/// Whether the elements of a line are neighbours, and all lines of all products begin at multiples of 16 bytes. `line`
/// and `step` are the strides of lines and of a line's elements.
bool weft__nvidia_is_wide(const weft__matmul_task *task, const weft__matmul_matrix *x, int64_t line, int64_t step);
/// Launches a kernel with a work-group for each tile. own[2] of its arguments is `own`.
weft_status weft__nvidia_launch(const weft__matmul_task *task, weft__kernel *kernel, const weft__nvidia_tile *tile,
                                uint64_t own);

/// Whether maps (cl/matmul/tensor_map.clh) can describe the operands: there is one product, and lines are a positive
/// distance apart.
bool weft__nvidia_has_maps(const weft__matmul_task *task);
/// Launches a kernel that makes maps: as many work-groups as multiprocessors at most.
weft_status weft__nvidia_launch_maps(const weft__matmul_task *task, weft__kernel *kernel,
                                     const weft__nvidia_tile *tile);

#endif
