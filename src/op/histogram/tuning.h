// SPDX-License-Identifier: MIT
/// Sizes by which counts choose their ways and divide the work. `weft bench ways` measures the ways anew. Measured in
/// November 2026: GPUs on an H200, or on the device that a line names; hosts on a Xeon of 16 cores with AVX-512.
#ifndef WEFT_OP_HISTOGRAM_TUNING_H
#define WEFT_OP_HISTOGRAM_TUNING_H

/* ---- GPUs: counters of a block ---- */

#define WEFT__COUNT_LOADS 4  /* of 16 bytes, of a thread before it counts: 16 KiB in flight for each block */
#define WEFT__COUNT_BLOCKS 8 /* for each compute unit: the size of the persistent grid, also to find a range */
/* Many elements and small tables: half as many blocks, with twice the loads. H100, 2^28 f32, us, loads and blocks for
   each unit: 4 8 385, 4 4 367, 2 8 365, 8 4 360; 2 8 with a branch around the nearest edge 372, values on edges 487. */
#define WEFT__COUNT_LONG_LOADS 8
#define WEFT__COUNT_LONG_TILES 16  /* of a unit, at least */
#define WEFT__COUNT_ALONE_TILES 4  /* up to this many, one block counts all and stores: no launch clears the counts */
#define WEFT__COUNT_SMALL_BINS 512 /* up to this many bins, a block has 8 KiB of counters */
#define WEFT__COUNT_SMALL_WORDS 2048
#define WEFT__COUNT_LARGE_BINS 8192 /* up to this many 32 KiB, and the first block clears the counts: no launch */
#define WEFT__COUNT_LARGE_WORDS 8192
/* Up to MOST_RANGES ranges of 44 KiB of counters, which blocks of their own count, if there are enough elements for
   each bin: more ranges are slower than elements that are sorted first. H200, f32 in 16384 bins, us, by ranges and
   sorted first: 2^22 elements 49 and 50, 2^24 83 and 129, 2^26 230 and 403. */
#define WEFT__COUNT_RANGE_BINS 11264
#define WEFT__COUNT_MOST_RANGES 3
#define WEFT__COUNT_RANGE_ELEMENTS 256 /* for each bin, at least */
#define WEFT__COUNT_RANGE_BLOCK 512    /* threads */
#define WEFT__COUNT_RANGE_BLOCKS 3     /* for each compute unit */
/* Of more bins and few elements, the first blocks clear some counts each, and count nothing. 65536 bins, us, 2^14
   elements 8.5, and 13.9 with a launch to clear them; 2^20 21.3 (with 512 each 21.9, with 8192 21.0) and 20.2. */
#define WEFT__COUNT_CLEARED_EACH 2048
#define WEFT__COUNT_CLEARED_FEW (1 << 18)
#define WEFT__COUNT_SMALL_COUNTED (1 << 16) /* integers: the launch that counts up to as many also finds the greatest */

/* ---- GPUs: elements sorted by part of the bins, and sums of weights ---- */

#define WEFT__COUNT_PARTS 128
#define WEFT__COUNT_PART_BLOCK 1024      /* threads, */
#define WEFT__COUNT_PART_ELEMENTS 16     /* each with as many elements */
#define WEFT__COUNT_PART_SHARE (1 << 18) /* elements of a block that counts */
#define WEFT__COUNT_PART_PIECE (1 << 28) /* elements that are sorted before they are counted; or fewer */
#define WEFT__COUNT_LEAST_PIECE (1 << 20)
#define WEFT__COUNT_LEAST_SORTED (1 << 22) /* elements in all, */
#define WEFT__COUNT_SORTED_FOR_BIN 4       /* and for each bin, at least */
#define WEFT__COUNT_WEIGHT_COPIES 16      /* tables of fixed-point sums in global memory, so that blocks contend less */
#define WEFT__COUNT_WEIGHT_BYTES 16777216 /* bound for all tables but the first: a part of the cache */

/* ---- hosts ---- */

#define WEFT__COUNT_FOUND 256             /* elements whose bins are found before they are counted */
#define WEFT__COUNT_LEAST_CHUNK (1 << 15) /* elements that are worth a thread */
#define WEFT__COUNT_CORE_CHUNKS 4         /* for each core */
#define WEFT__COUNT_TABLES_BINS 4096 /* up to this many, a chunk has several tables: no addition waits for another */
#define WEFT__COUNT_SHARE_BINS (1 << 15) /* that are worth a thread */

#endif
