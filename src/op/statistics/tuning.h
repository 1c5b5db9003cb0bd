// SPDX-License-Identifier: MIT
/// Sizes by which quantiles, moving windows and covariances choose their ways. `weft bench ways` measures the ways
/// anew. Measured in November 2026: GPUs on an H200, CPUs on a Xeon of 16 cores with AVX-512.
#ifndef WEFT_OP_STATISTICS_TUNING_H
#define WEFT_OP_STATISTICS_TUNING_H

/* ---- quantiles on hosts ---- */

#define WEFT__QUANTILE_MOST_FOUND 6    /* quantiles: each is a pass over its row */
#define WEFT__QUANTILE_LEAST_FOUND 512 /* elements of a row: shorter ones are sorted as fast; */
#define WEFT__QUANTILE_LEAST_WIDE 128  /* of 8 bytes */

/* ---- moving windows ---- */

#define WEFT__ROLLING_GPU_WINDOW 128 /* a work-item scans a block: longer ones leave most work-items without work */
#define WEFT__ROLLING_GPU_BYTES (24 << 10) /* of local memory */
/* CPUs, 100 000 elements of f32, processor time: sums 72 us with windows of 16, 147 of 256, 187 to 241 of 511 and 512,
   280 of 700; by two scans 331 */
#define WEFT__ROLLING_CPU_WINDOW 512

/* ---- covariances on hosts ---- */

#define WEFT__CENTRED_MOST_VARIABLES 32 /* more are a product for CBLAS */
#define WEFT__CENTRED_BLOCK 256         /* observations whose differences are stored at once */
#define WEFT__CENTRED_SHARE (1 << 17)   /* elements that are worth a thread */

#endif
