// SPDX-License-Identifier: MIT
/// Sizes by which reductions choose their ways and divide the work. `weft bench ways` measures the ways anew. Measured
/// in November 2026: GPUs on an H200; hosts and CPUs' kernels on a Xeon of 16 cores with AVX-512.
#ifndef WEFT_OP_REDUCE_TUNING_H
#define WEFT_OP_REDUCE_TUNING_H

/* ---- GPUs ---- */

#define WEFT__REDUCE_SHORT_BYTES 4096 /* rows up to this are reduced by at most a warp */
#define WEFT__REDUCE_ROW_LOADS 4      /* chunks in flight for each thread of longer ones, */
#define WEFT__REDUCE_SHARED_LOADS 8   /* and if several blocks share a row of elements of 4 bytes or more */
#define WEFT__REDUCE_ONE_BLOCK 16384  /* up to this many elements, one block is enough */
#define WEFT__REDUCE_ROW_BLOCKS 4     /* for each compute unit, if several share a row */
#define WEFT__REDUCE_SHORT_ROWS 4     /* in flight for each thread, if a thread reads one chunk of each */
#define WEFT__REDUCE_COLUMN_BLOCKS 4  /* for each compute unit, if several share the rows of a column */
#define WEFT__REDUCE_COLUMN_LOADS 4   /* rows in flight for each thread; of variances, norms and across columns */
#define WEFT__REDUCE_COLUMN_MORE 8    /* twice as many, which halves the divisions of variances */
#define WEFT__REDUCE_COLUMN_BYTES 64  /* of accumulators for each thread; */
#define WEFT__REDUCE_COLUMN_WIDE 96   /* of variances of arrays that the cache does not hold */
#define WEFT__REDUCE_COLUMN_ROUNDS 8  /* up to this many rounds of loads, no further blocks share the rows */
#define WEFT__REDUCE_ROW_PART 512     /* bytes of a row that a block reads, at least; */
#define WEFT__REDUCE_CACHED_PART 64   /* of arrays of up to WEFT__REDUCE_CACHED_BYTES, which the cache holds */
#define WEFT__REDUCE_CACHED_BYTES (16 << 20)
#define WEFT__REDUCE_LAST_RESULTS 8    /* up to this many results, the last block finishes alone */
#define WEFT__REDUCE_WHOLE_BYTES 256   /* of a row of an expression, in the registers of a thread, over all arrays; */
#define WEFT__REDUCE_WHOLE_ELEMENTS 32 /* and of one array */
/* of an array's runs between elements of other results, at least, or it is copied first; on all devices */
#define WEFT__REDUCE_APART_BYTES 32
/* chunks of values, and of copies of the operands of inner products */
#define WEFT__REDUCE_GPU_VALUES_BYTES (UINT64_C(64) << 20)
#define WEFT__REDUCE_CPU_VALUES_BYTES (UINT64_C(4) << 20)
#define WEFT__REDUCE_MANY_VALUES (INT64_C(1) << 22)   /* of a formula: more may be reduced in chunks */
#define WEFT__REDUCE_PART_ELEMENTS (INT64_C(1) << 22) /* of the copy of a part of a view */

/* ---- CPUs: kernels ---- */

/* sums of long rows depend on the first two, on hosts too */
#define WEFT__REDUCE_CPU_ITEMS 8     /* work-items for each compute unit, or parts of rows on hosts, at most */
#define WEFT__REDUCE_CPU_LEAST 32768 /* elements that justify a work-item, or part, of their own */
#define WEFT__REDUCE_CPU_ENOUGH 2    /* work-items that are enough if more cost a second launch */
#define WEFT__REDUCE_CPU_COLUMNS 128 /* of a work-item, at least, */
#define WEFT__REDUCE_CPU_LONG 256    /* where that leaves enough work-items: a longer run in each page; and */
#define WEFT__REDUCE_CPU_MERGED 256  /* lanes of several rows that are treated as one */
#define WEFT__REDUCE_CPU_SIDE 16     /* what their number is a multiple of */
#define WEFT__REDUCE_CPU_LAST 1024   /* up to this many partial results, the last work-item combines them alone */
#define WEFT__REDUCE_CPU_FINISHED 64 /* results of a work-item that combines partial results */

/* ---- hosts ---- */

/* sums depend on the next three, and on WEFT__REDUCE_CPU_ITEMS and _LEAST: a single row of up to ONE_LENGTH elements
   and ONE_BYTES is one part, others are divided into parts of a multiple of some elements, each of a thread */
#define WEFT__ROW_ONE_LENGTH (1 << 18)
#define WEFT__ROW_ONE_BYTES (1 << 20)
#define WEFT__ROW_PART_MULTIPLE 256
#define WEFT__ROW_LEAST_LENGTH 64         /* columns of complex numbers: shorter ones are rather the kernel's */
#define WEFT__ROW_MOST_SHORT (1 << 14)    /* elements of these that are not */
#define WEFT__ROW_LEAST_PAIRS (1 << 13)   /* complex numbers of a row whose parts are columns */
#define WEFT__ROW_LEAST_BESIDE 16         /* columns or short rows that have accumulators side by side */
#define WEFT__ROW_SHARE_BYTES (256 << 10) /* of a thread, at least: 10 us, as the start of a thread of the pool */
#define WEFT__ROW_CORE_SHARES 4           /* for each core: some threads may be busy with other work */
#define WEFT__ROW_ROOM_BYTES (16 << 10)   /* of a block of moved elements, of each array */
#define WEFT__ROW_MOVED_SIDE 16           /* columns that are turned to rows at once */
#define WEFT__ROW_MOST_QUEUED (1 << 14)   /* elements that a kernel takes a few us for */
#define WEFT__ROW_FIRST_BYTES (16 << 10)  /* which may decide any and all of a longer row */
#define WEFT__ROW_WHERE_BLOCK 4096        /* elements of which the best is found before its place is */
#define WEFT__ROW_AHEAD_BYTES 1024        /* that a row's loops ask for ahead, */
#define WEFT__ROW_AHEAD_LEAST (128 << 10) /* of rows of more bytes: 32 MiB of f32 in 0.68 of the time, AVX2, 2 cores */
#define WEFT__COLUMN_LEAST_PART 64        /* rows of a thread, where few columns are divided by rows */
#define WEFT__COLUMN_MOVED 64             /* rows that are moved at once */
#define WEFT__VALUES_BYTES (64 << 10)     /* of a formula's values that are computed and then reduced, */
#define WEFT__VALUES_BLOCK 32768          /* or elements of them, where parts may be reduced apart */

#endif
