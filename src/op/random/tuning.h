// SPDX-License-Identifier: MIT
/// Sizes that measurements chose, of random numbers, with the machine and the date.
/// `weft bench ways` measures anew.
#ifndef WEFT_OP_RANDOM_TUNING_H
#define WEFT_OP_RANDOM_TUNING_H

/* GPUs: H200, of many normals H100, 2026-11 */
#define WEFT__DRAW_CHUNKS 4 /* of 16 bytes or more, a block's width apart, of a thread */
/* of many f32 normals, for which a thread prepares once. 2^28 of them, us: 4 394, 8 386, 16 377 */
#define WEFT__DRAW_MANY_CHUNKS 16
#define WEFT__DRAW_MANY_BLOCKS 16   /* of a unit, at least */
#define WEFT__DRAW_REJECTED 32      /* elements that a thread makes by rejection, if there are threads of */
#define WEFT__DRAW_BLOCKS 8         /* blocks for each unit */
#define WEFT__SOBOL_ITEMS (1 << 18) /* work-items */

/* CPUs, of a work-item: 2 cores with AVX2, 2026-11 */
#define WEFT__DRAW_CPU_COUNTERS 4096    /* counters whose elements are made in order */
#define WEFT__DRAW_CPU_REJECTED 1024    /* elements made by rejection */
#define WEFT__PICK_CPU_ELEMENTS 4096    /* elements made in order */
#define WEFT__ROW_DRAWS_CPU_ROWS 64     /* rows made in order */
#define WEFT__SOBOL_CPU_POINTS 1024     /* points made in order, and */
#define WEFT__SOBOL_CPU_MANY_POINTS 256 /* of many dimensions */

#endif
