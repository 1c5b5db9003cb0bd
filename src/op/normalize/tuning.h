// SPDX-License-Identifier: MIT
/// Sizes by which softmax and its like choose their ways and divide the work. `weft bench ways` measures the ways anew.
/// Measured in November 2026: GPUs on an H200, hosts on a Xeon of 16 cores with AVX-512.
#ifndef WEFT_OP_NORMALIZE_TUNING_H
#define WEFT_OP_NORMALIZE_TUNING_H

#define WEFT__NORMALIZE_MOST_COPIED (INT64_C(64) << 20) /* bytes of a view, which may be larger than its memory */

/* ---- GPUs ---- */

#define WEFT__NORMALIZE_MOST_ELEMENTS 32 /* of 4 bytes, of a row, that a thread keeps in registers */
#define WEFT__NORMALIZE_LEAST_ITEMS 2    /* chunks that a thread has before a row gets more threads */
#define WEFT__NORMALIZE_MOST_THREADS 512 /* of a long row */

/* ---- hosts ---- */

#define WEFT__NORMALIZE_LONGEST (1 << 16) /* longer rows leave the first caches, and few keep few cores busy */
#define WEFT__NORMALIZE_SHARE (1 << 14)   /* elements that are worth a thread; */
#define WEFT__NORMALIZE_ROW 8             /* what a row takes besides its own */
#define WEFT__NORMALIZE_CORE_SHARES 4     /* for each core */
#define WEFT__NORMALIZE_BYTES 1024        /* of numbers to which a function is applied at once */

#endif
