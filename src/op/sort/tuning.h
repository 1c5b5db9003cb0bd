// SPDX-License-Identifier: MIT
/// Sizes by which sorts choose their ways and divide the work. `weft bench ways` measures the ways anew. Measured in
/// November 2026: GPUs on an H200, or on the device that a line names; hosts on a Xeon of 16 cores with AVX-512.
#ifndef WEFT_OP_SORT_TUNING_H
#define WEFT_OP_SORT_TUNING_H

/* ---- GPUs: sorts ---- */

#define WEFT__SORT_SHORTEST 32 /* longest rows that are sorted by counting, several in a block */
/* local memory for the elements of a block that sorts whole rows: 16 for each thread of 8 bytes, 8 of 16 bytes */
#define WEFT__SORT_STAGED_BYTES (32 << 10)
#define WEFT__SORT_FEW_TILES 16                   /* the smallest tiles are used of which a row has at most as many */
#define WEFT__SORT_MANY_TILES 32                  /* tiles of a row that is sorted in one launch, */
#define WEFT__SORT_MOST_TILED (UINT64_C(1) << 17) /* and elements of all rows together */
#define WEFT__SORT_TEST_TILED (UINT64_C(1) << 13) /* on CPUs, which stand in for GPUs and must make passes too */
#define WEFT__SORT_TEST_ITEMS 3   /* there, elements of a thread in a pass: small arrays have many tiles */
#define WEFT__SORT_COUNT_BLOCKS 7 /* of the histogram, for each compute unit: as many as have room for their counters */
#define WEFT__SORT_SMALL_UNIQUE (1 << 13) /* elements that are made unique in one launch; of more three are as fast */

/* ---- GPUs: elements by rank ---- */

#define WEFT__NTH_BLOCKS 4          /* for each compute unit, of a launch for one row */
#define WEFT__NTH_LEAST_SHARE 16    /* elements of a thread: fewer blocks add fewer counts up */
#define WEFT__NTH_GPU_RANKS 4       /* in one pass: 32 KiB of counters in local memory */
#define WEFT__NTH_LOCAL_BYTES 40960 /* of local memory for counters, bins, sums and emulated warps */
#define WEFT__NTH_LONG_ROW 65536    /* shorter rows are left to one launch for all rows */
#define WEFT__NTH_MOST_ROWS 16      /* each of which has launches of its own */
/* what one block reads in the time that the launches for a row take, some 30 us */
#define WEFT__NTH_LAUNCHES_BYTES (512u << 10)
#define WEFT__NTH_SORTED 32              /* longest rows that are rather sorted by counting all pairs */
#define WEFT__NTH_ROOM_BYTES (32u << 10) /* keys of a block in local memory */
#define WEFT__PARTITION_SORTED 4096      /* longest rows that are sorted as fast as divided: in one pass over them */

/* ---- GPUs: the first elements ---- */

#define WEFT__TOP_LEAST_LENGTH 2048              /* shorter rows are sorted as fast */
#define WEFT__TOP_MOST_PART (UINT64_C(32) << 10) /* elements; the second read of a part comes from a cache */
#define WEFT__TOP_LEAST_PART (UINT64_C(4) << 10)
#define WEFT__TOP_BLOCKS 4                /* for each compute unit */
#define WEFT__TOP_LOCAL_BYTES (16u << 10) /* of local memory: a counter, and the elements with their places */

/* ---- hosts: sorts ---- */

#define WEFT__SORT_FEW (1 << 13)           /* elements that one thread sorts: others would begin too late */
#define WEFT__SORT_CORE_SHARES 8           /* of rows, for each core: some threads may be busy with other work */
#define WEFT__SORT_CORE_CHUNKS 4           /* of a long row, for each core */
#define WEFT__SORT_LONG_ROW (1 << 15)      /* shorter rows are not cut into chunks */
#define WEFT__SORT_NARROW_DIGITS (1 << 13) /* elements of a row: fewer have digits of 8 bits in the place of 11 */
#define WEFT__SORT_DIGITS_BLOCK 1024 /* elements whose digits are counted one after the other, from the first cache */
#define WEFT__SORT_MOST_CORES 16     /* with more, digits are faster than counts or first divisions by one thread */
#define WEFT__SORT_LEAST_COUNTED (1 << 14)   /* keys of 2 bytes of a row: fewer are sorted faster by comparisons */
#define WEFT__SORT_COUNTED_SHARE (1 << 18)   /* keys that pay for another thread and its counts */
#define WEFT__SORT_COUNTED_ALONE (1 << 18)   /* keys that are counted with more cores too */
#define WEFT__SORT_VECTORS_ALONE (1 << 17)   /* keys that one thread sorts in vectors with more cores */
#define WEFT__SORT_VECTORS_NARROW (1 << 17)  /* keys of 1 and 2 bytes: more are sorted faster by their digits */
#define WEFT__SORT_VECTORS_SIDE (1 << 12)    /* keys of short rows: more are sorted faster side by side */
#define WEFT__SORT_VECTORS_BYTES (128 << 10) /* numbers that pay for another thread */
#define WEFT__SORT_VECTORS_TRIES 200         /* to find a part, before a thread sleeps */
#define WEFT__SORT_LEAST_PART 8192           /* numbers that are not divided among threads */
#define WEFT__SORT_PARTS 8                   /* for each thread at least: all end at nearly the same time */
#define WEFT__SORT_LEAST_LEFT 8 /* smaller parts than this share of such numbers are not left to another thread */
#define WEFT__SORT_MOST_BAD 8   /* divisions whose lesser side has less than a sixteenth of the numbers */
#define WEFT__SORT_GATHER_BYTES (64u << 10) /* that a CPU's work-item moves */

/// Whether the way `sides` sorts such rows. A network of more than 256 elements pays from four rows on.
#define WEFT__SORT_SHORT(key_bytes, rows, length) \
  ((length) <= 256 || ((key_bytes) <= 4 && (length) <= 1024 && (rows) >= 4))

/* ---- hosts: elements by rank ---- */

#define WEFT__DIVIDE_LEAST 1024          /* elements of a row: shorter ones are sorted as fast */
#define WEFT__DIVIDE_LEAST_TAKEN 256     /* elements of a row whose first ones are found, */
#define WEFT__DIVIDE_LEFT 8              /* if these are at most an eighth of it */
#define WEFT__RANK_BINS 2048             /* in which numbers are counted, */
#define WEFT__RANK_FEW_BINS 256          /* for up to as many numbers as WEFT__RANK_BINS */
#define WEFT__RANK_UNSAMPLED (1 << 14)   /* a row of up to this many elements has no sample, */
#define WEFT__RANK_FEW_SAMPLED (1 << 19) /* one of up to this many the least */
#define WEFT__RANK_LEAST_SAMPLE 1024
#define WEFT__RANK_MOST_SAMPLE 4096
#define WEFT__RANK_ROWS_BYTES (64 << 10)   /* of rows: more pay for another thread */
#define WEFT__RANK_CHUNK_BYTES (256 << 10) /* of a row that has WEFT__RANK_LEAST_CHUNKS */
#define WEFT__RANK_LEAST_CHUNKS 4

#endif
