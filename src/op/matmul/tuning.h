// SPDX-License-Identifier: MIT
/// Sizes by which products choose their ways and divide the work. `weft bench ways --only matmul` measures the ways
/// anew. Measured in November 2026: GPUs on an H200; hosts and CPUs' kernels on 2 cores with AVX2 and on a Xeon of 16
/// cores with AVX-512. Shapes of tiles and their rates: the tables of nvidia_*.c and matmul_tile.c.
#ifndef WEFT_OP_MATMUL_TUNING_H
#define WEFT_OP_MATMUL_TUNING_H

/* ---- GPUs ---- */

#define WEFT__MATMUL_COMPLEX_WORK \
  0x1p30 /* multiply-adds of c128 from which tensor cores gain more than a copy of b takes */
/* multiply-adds from which cuBLAS is faster, with the way there and back; of real numbers it never is */
#define WEFT__MATMUL_CUBLAS_C64_WORK (INT64_C(1) << 33)
#define WEFT__MATMUL_CUBLAS_C128_WORK (INT64_C(1) << 28)
/* From this side on, a b of f32 whose columns lie side by side is copied to rows first. Of 8192 x 8192 the kernel then
   takes 6 % less, and the copy 1 %. Of c64 the copy does not pay. */
#define WEFT__MATMUL_TURNED_SIDE 4096
#define WEFT__MATMUL_NARROW_SIDE 8 /* rows and columns at most of few elements with a long k, */
#define WEFT__MATMUL_NARROW_K 1024 /* steps at least, of a part too */
#define WEFT__MATMUL_NARROW_BLOCK 128
#define WEFT__MATMUL_PART_K 256     /* of a part of k at least, */
#define WEFT__MATMUL_PART_STEP 64   /* which has a multiple of it, so that parts stay aligned */
#define WEFT__MATMUL_LARGE_TILE 128 /* rows and columns of a work-group, by which parts are counted */
#define WEFT__MATMUL_SMALL_TILE 64
#define WEFT__MATMUL_GROUP_ROWS 16 /* of a work-group of a matrix by a vector; twice as many if they lie side by side */
#define WEFT__MATMUL_FEW_BYTES (128 << 10) /* of a matrix that such a group reads before a second launch would begin */
#define WEFT__MATMUL_VECTOR_BYTES \
  (16 << 10) /* of local memory that a work-group of a matrix by a vector takes at most */

/* ---- CPUs: kernels ---- */

#define WEFT__MATMUL_CPU_TILES 4              /* for each core, so that all end at about the same time */
#define WEFT__MATMUL_CPU_LEAST_TILE (48 * 64) /* elements: smaller tiles copy much for what they multiply */
#define WEFT__MATMUL_CPU_GROUP_WORK \
  (1 << 20)                               /* multiplications of a work-group: fewer take no longer than its launch */
#define WEFT__MATMUL_CPU_VECTOR_ROWS 2048 /* of a work-group of a matrix by a vector, */
#define WEFT__MATMUL_CPU_VECTOR_LEAST_ROWS 64 /* at least */
#define WEFT__MATMUL_CPU_VECTOR_K 2048        /* steps at a time */
#define WEFT__MATMUL_CPU_VECTOR_GROUPS 8      /* for each core, so that all end at about the same time */

/* ---- hosts ---- */

#define WEFT__MATMUL_INNER_SIDE 8          /* rows and columns, at most, of a product with a long k, */
#define WEFT__MATMUL_INNER_LEAST 8         /* elements, and */
#define WEFT__MATMUL_INNER_K (1 << 16)     /* k, at least: OpenBLAS is as fast for fewer */
#define WEFT__MATMUL_INNER_STEPS 512       /* of k at a time */
#define WEFT__MATMUL_INNER_SHARE (1 << 18) /* elements of the operands that are worth a thread */
/* Bytes of a matrix up to which one thread multiplies it by a vector: OpenBLAS's threads take 4.7 us for 256 x 256 f32
   on two busy cores, one 2.3. */
#define WEFT__MATMUL_VECTOR_LOOP_BYTES (512 << 10)
/* Multiplications, at most, of a product of a batch that a loop computes on one thread; of many products for each core.
   OpenBLAS shares a product of over 2^18 among its threads, which wait for it. */
#define WEFT__MATMUL_LOOP_WORK 0x1p18
#define WEFT__MATMUL_LOOP_WORK_OF_MANY 0x1p25
#define WEFT__MATMUL_MANY 4               /* for each core */
#define WEFT__MATMUL_LOOP_ROWS 4          /* at least */
#define WEFT__MATMUL_SHARE_WORK (1 << 22) /* multiplications that are worth another thread's start */
#define WEFT__MATMUL_LOOP_STEPS 256       /* of k at a time: the columns of `b` stay in the caches */
/* The least distance of rows of `b` in bytes, and the least rows of `a`, for which columns of `b` are copied first. */
#define WEFT__MATMUL_FAR_BYTES 4096
#define WEFT__MATMUL_FAR_ROWS 64

#endif
