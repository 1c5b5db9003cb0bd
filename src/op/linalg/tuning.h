// SPDX-License-Identifier: MIT
/// Sizes that measurements chose, of factorizations and solutions, with the machine and the date.
/// `weft bench ways` measures anew.
#ifndef WEFT_OP_LINALG_TUNING_H
#define WEFT_OP_LINALG_TUNING_H

/* GPUs: H200, of rotations H100, 2026-11 */
#define WEFT__LINALG_CHUNKS 8           /* of rows, per unit */
#define WEFT__LINALG_PANEL_THREADS 1024 /* of a work-group that factors a panel, at most */
#define WEFT__QR_PANEL 16               /* columns of a panel of few rows */
/* rows up to which each block of columns is subtracted from all on the right at once */
#define WEFT__CHOLESKY_SHORT 1024
#define WEFT__HERK_SIDE 512   /* up to here a symmetric update computes both triangles */
#define WEFT__CHAIN_COLUMNS 8 /* COLUMNS of triangle_chain.cl, whose threads share rows of at least */
#define WEFT__CHAIN_SIDE 16
#define WEFT__CHOLESKY_STEP_SIDE 16  /* of cholesky_step.cl, at least */
#define WEFT__LU_WIDTH 8             /* WIDTH of lu_right.cl */
#define WEFT__INVERT_COLUMNS 32      /* COLUMNS of lu_invert.cl */
#define WEFT__INVERT_SOLVE_SIDE 128  /* of U's inverted blocks: a power of two times weft__block_side */
#define WEFT__INVERT_ROWS_EACH 16    /* at least, of a group that exchanges columns */
#define WEFT__QR_APPLY_WIDTH 2       /* WIDTH of qr_apply.cl */
#define WEFT__ROTATE_WIDTH_OF_LONG 8 /* of blocks, in which an H100 rotates rows faster that have more than */
#define WEFT__ROTATE_SHORT_BYTES 32  /* in each thread of a warp */
#define WEFT__SMALL_BLOCK_THREADS 64 /* of a block, if a team has fewer */
#define WEFT__SMALL_SHARERS 8        /* threads that rotate a pair of vectors of few matrices, at most, of a team of */
#define WEFT__SMALL_WIDE_TEAM 128    /* threads */
#define WEFT__SMALL_FEW_PER_UNIT 4   /* few: for each unit */
#define WEFT__SOLVER_FUSED_SIDES 64  /* right-hand sides that are solved in the launch of the factorization, at most */

/* CPUs: 2 cores with AVX2, 2026-11 */
#define WEFT__LAPACK_MOST_LOOP_SIDE 512 /* of triangles that loops solve, */
#define WEFT__LAPACK_MOST_LOOP_RIGHTS 8 /* and right-hand sides */

#endif
