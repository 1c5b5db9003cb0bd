// SPDX-License-Identifier: MIT
/// Sizes that measurements chose, of filters, with the machine and the date. `weft bench ways` measures anew.
#ifndef WEFT_OP_FILTER_TUNING_H
#define WEFT_OP_FILTER_TUNING_H

#include <stdint.h>

/* GPUs: H200, 2026-11 */
#define WEFT__LINE_UNROLLED 33     /* the most elements of a window that the kernel knows when it is built */
#define WEFT__LINE_NEAR 16         /* lines are read by way of local memory if neighbours are this near, */
#define WEFT__LINE_HALO_BYTES 2048 /* and the elements beyond a tile have at most these bytes */
/* elements of a window that moves (its time does not depend on its length), if all windows together have */
#define WEFT__LINE_GPU_LONG 128
#define WEFT__LINE_GPU_LONG_WORK (INT64_C(1) << 27)
/* lines of moving windows and their borders in memory: at most this many times the array, and */
#define WEFT__LINE_LONG_TIMES 6
#define WEFT__LINE_LONG_ELEMENTS (INT64_C(1) << 22) /* some elements of a small one */
#define WEFT__PLANE_MOST_TAPS 33                    /* elements of the windows */
#define WEFT__PLANE_LOCAL_BYTES 24576               /* of a work-group, at most */
#define WEFT__PLANE_SMALL 4096 /* elements for each unit up to which a work-item has one: there are few work-groups */
/* in tiles for an element, unless tiles are few: small planes fill little of theirs */
#define WEFT__PLANE_MOST_PLACES 4
#define WEFT__SPLINE_LEAST 64 /* length of lines that are computed in parts */

/* CPUs: 2 cores with AVX2, 2026-11 */
#define WEFT__LINE_CPU_LONG 32 /* elements of a window that moves, if all windows together have */
/* f32, 100 000: 0.33 ms of processor time, as much as windows of 30 to 50 */
#define WEFT__LINE_CPU_LONG_WORK (INT64_C(1) << 17)
#define WEFT__WINDOW_MOST_BYTES 128 /* of an element, as the threads' work is divided: 1024 elements of many taps */
#define WEFT__WINDOW_CHUNK 512      /* elements of a result that a loop computes */
#define WEFT__RANK_BYTES 256        /* of each element of the windows that exchanges compare together, */
#define WEFT__WINDOW_FEW_BYTES 32   /* of these, in short runs */
#define WEFT__SLIDE_WINDOWS 4       /* side by side in a part of a row: the more, the fewer elements of two parts */
/* elements that a part's windows reach, at least: fewer do not pay for the sort's counters */
#define WEFT__SLIDE_REACH 4096
#define WEFT__SLIDE_PER_UNIT 4              /* work-items for each unit of CPUs, */
#define WEFT__SLIDE_GPU_PER_UNIT 128        /* and of GPUs, which hide the memory's latency */
#define WEFT__SLIDE_GPU_BLOCK 64            /* of these in a block */
#define WEFT__SLIDE_GPU_TAPS 1024           /* GPUs: smaller windows are read for each bit of an element, */
#define WEFT__SLIDE_GPU_LINES 8             /* and those that are not so long: 61 x 61 211 ms of 352, 1601 85 of 11 */
#define WEFT__SLIDE_SCRATCH_BYTES (1 << 28) /* of all work-items, about */
#define WEFT__SPLINE_LINES 16               /* of a work-item */
#define WEFT__TRANSFORM_HOST_MOST (1 << 29) /* elements of a source: places in it have 32 bits */
#define WEFT__TRANSFORM_CHUNK 512           /* elements of a row that are computed together */
#define WEFT__LABEL_SHARE 4096              /* elements of a work-item that labels */
#define WEFT__LABEL_FEW_UNITS 4             /* with more the kernels are faster (16 cores), */
#define WEFT__LABEL_MOST_ALONE (1 << 17)    /* but not for so few elements */
#define WEFT__LABEL_MOST_PADDED 4           /* bits for each element */
#define WEFT__DISTANCE_LINES 8              /* neighbours, that a thread copies and computes together, */
#define WEFT__DISTANCE_GROUP (1 << 15)      /* if they have at most this many elements */
#define WEFT__DISTANCE_SHARE (1 << 12)      /* elements that are worth a thread */

#endif
