// SPDX-License-Identifier: MIT
/// Sizes by which scans divide the work. `weft bench ways` measures the ways anew. Measured in November 2026: GPUs on
/// an H200, hosts on a Xeon of 16 cores with AVX-512.
#ifndef WEFT_OP_SCAN_TUNING_H
#define WEFT_OP_SCAN_TUNING_H

/* ---- GPUs ---- */

/* cumsum of 2^28 f32, threads x chunks, as a fraction of the copy rate: 128 x 16 0.96, 256 x 8 0.93, 128 x 8 0.89, 256
   x 4 0.88; layout 1 0.90 at best */
#define WEFT__SCAN_BLOCK 128      /* threads of a block, */
#define WEFT__SCAN_VPT 16         /* each with as many chunks of 16 bytes of results, */
#define WEFT__SCAN_MOST_WORDS 64  /* at most as many words: they are held in registers, */
#define WEFT__SCAN_MOST_ITEMS 32  /* and as many elements: starts of segments are bits of one word */
#define WEFT__SCAN_LAYOUT 0       /* of cl/scan/gpu.cl; scans with segments always use 1 */
#define WEFT__SCAN_SMALL_BLOCK 64 /* if warps are emulated, or local memory has fewer bytes than */
#define WEFT__SCAN_SMALL_LOCAL_BYTES (48 << 10)
#define WEFT__SCAN_SMALL_VPT 2
#define WEFT__SCAN_SMALL_N (1 << 16)   /* up to this many elements, WEFT__SCAN_SMALL_VPT too: more blocks */
#define WEFT__SCAN_COLUMN_BYTES 32     /* adjacent columns of fewer bytes are transposed */
#define WEFT__SCAN_COLUMN_THREADS 1024 /* wanted for each compute unit; fewer columns are split along the rows */
#define WEFT__SCAN_LEAST_ROWS 32       /* of a chunk of columns, on hosts too */

/* ---- CPUs: kernels of users' operations ---- */

#define WEFT__SCAN_RUN 8192      /* elements that a work-item combines: in longer runs sums lose digits; */
#define WEFT__SCAN_ONE_RUN 32768 /* but up to this many are scanned in one launch instead of three */

/* ---- hosts ---- */

#define WEFT__SCAN_TILE_BYTES (64 << 10)    /* of results: fits the second-level cache, as a tile is read twice */
#define WEFT__SCAN_SHARE_BYTES (256 << 10)  /* of results: fewer do not pay for a thread */
#define WEFT__SCAN_ITEMS 8                  /* strips of columns for each core; fewer are cut into chunks of rows */
#define WEFT__SCAN_TOTALS_BYTES (512 << 10) /* of elements that a thread adds up at least */
#define WEFT__SCAN_CONVERTED 192            /* elements that are converted, turned or shifted at once */
#define WEFT__SCAN_FEW_COLUMNS 8            /* fewer go one by one, */
#define WEFT__SCAN_FEW_ROWS 256             /* as many rows at once */

#endif
