// SPDX-License-Identifier: MIT
/// Panels: an operand of a product, copied so that one bulk copy fetches what a tile needs. A panel is 128 rows of
/// `a` or columns of `b`. A block of it has ROW_BYTES bytes along k of each of these lines, once for each plane; a
/// line's 16-byte pieces are permuted as matrix instructions read them. The blocks of a panel follow each other along
/// k, panels along m or n, matrices of a batch behind each other. What lies beyond the operand is 0.
#ifndef WEFT_CL_MATMUL_PANELS_H
#define WEFT_CL_MATMUL_PANELS_H

#include "matmul/args.h"

#define WEFT__PANEL_LINES 128

typedef struct weft__panel_args {
  WEFT__I64 from, to;    /* offsets in bytes */
  WEFT__U64 lines, k;    /* of the operand, along m or n, and along k */
  WEFT__I64 line, step;  /* strides in elements */
  WEFT__U64 panels, blocks; /* of a matrix, and of a panel */
  WEFT__U64 axes;
  WEFT__U64 length[WEFT__MATMUL_AXES]; /* of the batch axes, the outermost first */
  WEFT__I64 batch[WEFT__MATMUL_AXES];  /* their strides in elements */
} weft__panel_args;
WEFT__SHARED_SIZE(weft__panel_args, 8 * (9 + 2 * WEFT__MATMUL_AXES));

/// Both operands, in one launch: its first work-groups copy `a`.
typedef struct weft__pack_args {
  weft__panel_args a, b;
  WEFT__U64 a_groups;
} weft__pack_args;
WEFT__SHARED_SIZE(weft__pack_args, 2 * sizeof(weft__panel_args) + 8);

#endif
