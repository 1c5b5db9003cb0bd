// SPDX-License-Identifier: MIT
/// Sizes by which selections divide the work. `weft bench ways` measures the ways anew. Measured in November 2026: GPUs
/// on an H200, hosts on a Xeon of 16 cores with AVX-512.
#ifndef WEFT_OP_SELECT_TUNING_H
#define WEFT_OP_SELECT_TUNING_H

/* ---- GPUs ---- */

#define WEFT__SELECT_VPT 8          /* chunks of 16 bytes of x for each thread, */
#define WEFT__SELECT_MOST_ITEMS 32  /* and elements at most: the selected ones are bits of one word */
#define WEFT__SELECT_SMALL_BLOCK 64 /* if warps are emulated, or local memory has fewer bytes than */
#define WEFT__SELECT_SMALL_LOCAL_BYTES (48 << 10)
#define WEFT__SELECT_SMALL_VPT 2
#define WEFT__SELECT_SMALL_N (1 << 16)    /* up to this many elements, WEFT__SELECT_SMALL_VPT too: more blocks; */
#define WEFT__SELECT_SMALL_ROOM (1 << 16) /* and one launch to memory for all of them */

/* ---- hosts ---- */

#define WEFT__SELECT_TILE 512              /* elements whose bytes are made at once */
#define WEFT__SELECT_LEAST_SHARE (1 << 17) /* elements that are worth a thread */
#define WEFT__SELECT_CORE_SHARES 4         /* for each core, at most */

#endif
