// SPDX-License-Identifier: MIT
/// Arguments of the kernels of cl/rearrange/.
#ifndef WEFT_CL_REARRANGE_ARGS_H
#define WEFT_CL_REARRANGE_ARGS_H

#include "shared.h"

/// Axes of a result: each axis of an array may become two (tile), and an element of 16 bytes is an axis of two words.
#define WEFT__ARRANGE_AXES 17
/// Arrays that one launch joins.
#define WEFT__JOIN_PIECES 24

/// How positions outside the source are filled. NONE: no position is outside.
#define WEFT__BORDER_NONE 0
#define WEFT__BORDER_CONSTANT 1
#define WEFT__BORDER_EDGE 2
#define WEFT__BORDER_WRAP 3
#define WEFT__BORDER_REFLECT 4
#define WEFT__BORDER_SYMMETRIC 5

/// A result whose element at (i0, i1, ...) is the source's at (i0 + shift[0], i1 + shift[1], ...). Outside the source,
/// the border of the axis decides. The result is one run of `number` words. A word is an element, or half an element of
/// 16 bytes.
typedef struct weft__arrange_args {
  WEFT__U64 number;      /* words of the result */
  WEFT__U64 chunks;      /* of 16 aligned bytes */
  WEFT__I64 to_offset;   /* bytes */
  WEFT__I64 from_offset; /* bytes, of the source's element (0, 0, ...) */
  WEFT__U64 from_end;    /* bytes of the source's buffer */
  WEFT__U64 fill[4];     /* even and odd words, repeated to 8 bytes: for positions outside; and, where there is no
                            source, for kept ones */
  WEFT__I64 lower;       /* band: words with lower <= column - row * row_words <= upper are kept, others are `fill` */
  WEFT__I64 upper;
  WEFT__I64 length[WEFT__ARRANGE_AXES]; /* of the result */
  WEFT__I64 from_length[WEFT__ARRANGE_AXES];
  WEFT__I64 shift[WEFT__ARRANGE_AXES];
  WEFT__I64 stride[WEFT__ARRANGE_AXES]; /* of the source, in bytes */
  WEFT__U32 multiplier[WEFT__ARRANGE_AXES];
  WEFT__U32 divisor_shift[WEFT__ARRANGE_AXES]; /* n / length, see divide.clh */
  WEFT__I32 border[WEFT__ARRANGE_AXES];
  WEFT__I32 axes;
  WEFT__I32 skew;      /* words between the aligned 16 bytes in which the result begins and its first word */
  WEFT__I32 row_words; /* band: words of an element */
} weft__arrange_args;
WEFT__SHARED_SIZE(weft__arrange_args, 8 * (11 + 4 * WEFT__ARRANGE_AXES) + 4 * (3 + 3 * WEFT__ARRANGE_AXES));

/// Arrays side by side: each row of the result gets `width` words, which are a row of each piece in turn.
typedef struct weft__join_args {
  WEFT__U64 number; /* rows * width */
  WEFT__U64 chunks; /* as in weft__arrange_args */
  WEFT__I64 width;
  WEFT__I64 pitch;                        /* words from a row of the result to the next */
  WEFT__I64 to_offset;                    /* bytes, of the first word */
  WEFT__I64 first[WEFT__JOIN_PIECES + 1]; /* where a piece's words begin in `width`; after the last one, `width` */
  WEFT__I64 from_offset[WEFT__JOIN_PIECES];
  WEFT__U64 from_end[WEFT__JOIN_PIECES];
  WEFT__I32 pieces;
  WEFT__I32 skew;
  WEFT__I32 is_whole; /* chunks can be stored whole: one row, or `width` is `pitch`, or all rows begin at multiples of
                         16 bytes */
  WEFT__I32 reserved;
} weft__join_args;
WEFT__SHARED_SIZE(weft__join_args, 8 * (6 + 3 * WEFT__JOIN_PIECES) + 4 * 4);

/// Each of `count` elements along an axis is repeated its own number of times: the copies of element k end before
/// position ends[k].
typedef struct weft__repeat_args {
  WEFT__U64 number; /* words of the result: outer * total * inner */
  WEFT__U64 chunks;
  WEFT__I64 count, total;
  WEFT__I64 inner; /* words of an element along the axis */
  WEFT__I64 to_offset, from_offset, ends_offset;
  WEFT__U64 from_end;
  WEFT__I32 skew;
  WEFT__I32 reserved;
} weft__repeat_args;
WEFT__SHARED_SIZE(weft__repeat_args, 8 * 9 + 4 * 2);

/// Bits to bytes or back: outer x from_length x inner elements become outer x to_length x inner elements.
typedef struct weft__bits_args {
  WEFT__U64 number; /* bytes of the result */
  WEFT__U64 each;   /* bytes per work-item */
  WEFT__U64 from_length, to_length, inner;
  WEFT__I64 to_offset, from_offset; /* bytes */
  WEFT__I32 is_little;              /* the first bit of a byte is its lowest */
  WEFT__I32 reserved;
} weft__bits_args;
WEFT__SHARED_SIZE(weft__bits_args, 8 * 7 + 4 * 2);

#endif
