// SPDX-License-Identifier: MIT
/// Sizes that measurements chose, of arrangements, joins, bits and indices, with the machine and the date.
/// `weft bench ways` measures anew.
#ifndef WEFT_OP_REARRANGE_TUNING_H
#define WEFT_OP_REARRANGE_TUNING_H

#include <stdint.h>

/* GPUs: H200, 2026-11 */
#define WEFT__ARRANGE_LEAST_TURNED 16 /* a shorter axis does not justify a copy first */
/* bytes of a result that is written at a fill's or a copy's rate */
#define WEFT__ARRANGE_TWO_LAUNCHES (INT64_C(32) << 20)
#define WEFT__JOIN_FEW 4                      /* a kernel for up to this many pieces, and one for WEFT__JOIN_PIECES */
#define WEFT__INDICES_MOST_COMPUTED (1 << 24) /* fewer elements take less time than two launches for each axis */

/* CPUs: 2 cores with AVX2, 2026-11 */
#define WEFT__ARRANGE_SHORT_AXIS 16                  /* an axis as short is no axis of rows, */
#define WEFT__ARRANGE_SHORT_UNIT 64                  /* if as few elements are inside of it */
#define WEFT__ARRANGE_TURNED_COLUMNS 64              /* of a block whose columns are runs of the source */
#define WEFT__BITS_PART 512                          /* elements whose truth is found at once */
#define WEFT__REPEAT_MOST_ON_HOST (INT64_C(1) << 16) /* counts that are added up on the host, without launches */
#define WEFT__REPEAT_FEW_COPIES 8                    /* are stored one by one */

#endif
