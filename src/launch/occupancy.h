// SPDX-License-Identifier: MIT
/// The block of a launch over a number of elements, and what limits the blocks at once.
#ifndef WEFT_LAUNCH_OCCUPANCY_H
#define WEFT_LAUNCH_OCCUPANCY_H

#include "kernel/kernel.h"

/// Chooses the block for `columns` threads along x and, unless `rows` is NULL, *rows along y. Errors: LAUNCH_LIMIT (the
/// kernel requires a block with threads along other axes).
weft_status weft__choose_block(weft_dim3 *block, const weft__kernel *kernel, const uint64_t *rows, uint64_t columns);

/// The registers of a thread that NVIDIA's compiler names in its log; 0: it names none.
uint32_t weft__log_registers(const char *log, const char *kernel);
/// The blocks that a multiprocessor of NVIDIA's runs at once, and the most threads it holds. 0: unknown.
uint32_t weft__blocks_at_once(uint32_t *most_threads, uint32_t capability, uint32_t registers, uint64_t block_threads,
                              uint64_t local_bytes);

#endif
