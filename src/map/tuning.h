// SPDX-License-Identifier: MIT
/// Sizes that measurements chose, of functions over arrays, with the machine and the date.
/// `weft bench ways` measures anew.
#ifndef WEFT_MAP_TUNING_H
#define WEFT_MAP_TUNING_H

#include <stdint.h>

/* GPUs: H200, 2026-11 */
#define WEFT__MAP_LEAST_TILED 16                  /* a shorter axis is not worth a tile */
#define WEFT__MAP_MANY_CHUNKS (UINT64_C(1) << 20) /* of 16 bytes: 16 MiB for each array */
#define WEFT__STENCIL_COLUMNS 2                   /* of a work-item, of elements of 4 bytes or fewer */

/* CPUs: 2 cores with AVX2, 2026-11 */
#define WEFT__MAP_CPU_LEAST 1024 /* elements of a work-item */
#define WEFT__MAP_CPU_MOST 16384
#define WEFT__MAP_CPU_ITEMS 16             /* work-items for each unit, unless they would be smaller */
#define WEFT__MAP_STREAM_BYTES (8u << 20)  /* results of this size are stored past the caches, */
#define WEFT__MAP_CACHED_BYTES (16u << 20) /* unless the caches hold the results and operands */
/* a driver copies by one thread, kernels by all. 2 MB: 127 us, and 68 of processor time */
#define WEFT__CAST_ONE_THREAD_BYTES (1 << 20)
#define WEFT__STENCIL_CPU_COLUMNS 8192     /* of a row, of a work-item, and */
#define WEFT__STENCIL_CPU_ELEMENTS 32768   /* elements */
#define WEFT__HOST_FORMULA_FEW_BYTES 6144  /* of memory for all nodes of a formula over few elements, on the stack */
#define WEFT__HOST_FORMULA_DIRECT_BYTES (32 << 10) /* of a block of an array, if no node needs a room */
#define WEFT__HOST_FORMULA_RUN_COST \
  3 /* elements that a loop reads where they are, for one moved with its neighbours, or */
#define WEFT__HOST_FORMULA_GATHER_COST \
  8 /* alone. 8192 f32 of a transposed view: 3.6 us, launched 4.4; 16384: 9 and 9 */
#define WEFT__HOST_FORMULA_FAST_ELEMENTS 256 /* computed again if an element among them is rare */

#endif
