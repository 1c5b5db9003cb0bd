// SPDX-License-Identifier: MIT
/// What the kernels of cl/rearrange/ are passed.
#ifndef WEFT_CL_REARRANGE_ARGS_H
#define WEFT_CL_REARRANGE_ARGS_H

#include "shared.h"

/// Axes of a result, where each of an array's can be two (tile) and an element of 16 bytes is an axis of two words.
#define WEFT__ARRANGE_AXES 17
/// Arrays that one launch puts together.
#define WEFT__JOIN_PIECES 24

/// Where a place outside the source comes from. NONE: there are no such places.
#define WEFT__BORDER_NONE 0
#define WEFT__BORDER_CONSTANT 1
#define WEFT__BORDER_EDGE 2
#define WEFT__BORDER_WRAP 3
#define WEFT__BORDER_REFLECT 4
#define WEFT__BORDER_SYMMETRIC 5

/// A result whose element at (i0, i1, ...) is the source's at (i0 + shift[0], i1 + shift[1], ...), or what the axis'
/// border says. The result is one run of words; `number` of them. Words are the elements, or the halves of those of 16
/// bytes.
typedef struct weft__arrange_args {
  WEFT__U64 number;      /* words of the result */
  WEFT__U64 chunks;      /* GPU: of 16 aligned bytes; CPU: words of a work-item */
  WEFT__I64 to_offset;   /* bytes */
  WEFT__I64 from_offset; /* bytes, of the source's element (0, 0, ...) */
  WEFT__U64 from_end;    /* bytes that the source's buffer has */
  WEFT__U64 fill[2];     /* what is outside: of even and of odd words, repeated to 8 bytes */
  WEFT__I64 lower;       /* band: kept is where lower <= column - row * row_words <= upper; the others are `fill` */
  WEFT__I64 upper;
  WEFT__I64 length[WEFT__ARRANGE_AXES]; /* of the result */
  WEFT__I64 from_length[WEFT__ARRANGE_AXES];
  WEFT__I64 shift[WEFT__ARRANGE_AXES];
  WEFT__I64 stride[WEFT__ARRANGE_AXES]; /* of the source, bytes */
  WEFT__U32 multiplier[WEFT__ARRANGE_AXES];
  WEFT__U32 divisor_shift[WEFT__ARRANGE_AXES]; /* n / length, see divide.clh */
  WEFT__I32 border[WEFT__ARRANGE_AXES];
  WEFT__I32 axes;
  WEFT__I32 skew;      /* words between the aligned 16 bytes the result begins in and its beginning */
  WEFT__I32 row_words; /* band */
} weft__arrange_args;
WEFT__SHARED_SIZE(weft__arrange_args, 8 * (9 + 4 * WEFT__ARRANGE_AXES) + 4 * (3 + 3 * WEFT__ARRANGE_AXES));

/// Arrays put side by side: each of `rows` rows of the result gets `width` words, which are a row of each piece, one
/// after the other.
typedef struct weft__join_args {
  WEFT__U64 number; /* rows * width */
  WEFT__U64 chunks; /* as above */
  WEFT__I64 width;
  WEFT__I64 pitch;                        /* words from a row of the result to the next */
  WEFT__I64 to_offset;                    /* bytes, of the first word */
  WEFT__I64 first[WEFT__JOIN_PIECES + 1]; /* where a piece's words begin in `width`; `width` after the last one */
  WEFT__I64 from_offset[WEFT__JOIN_PIECES];
  WEFT__U64 from_end[WEFT__JOIN_PIECES];
  WEFT__I32 pieces;
  WEFT__I32 skew;
  WEFT__I32 is_whole; /* chunks can be stored whole: `width` is `pitch`, or all begin at multiples of 16 bytes */
  WEFT__I32 reserved;
} weft__join_args;
WEFT__SHARED_SIZE(weft__join_args, 8 * (6 + 3 * WEFT__JOIN_PIECES) + 4 * 4);

/// Each of `count` elements along an axis repeated by a number of its own: those of element k end before place ends[k].
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

/// Bits to bytes or back, of outer x from_length x inner elements, which become outer x to_length x inner ones.
typedef struct weft__bits_args {
  WEFT__U64 number; /* bytes of the result */
  WEFT__U64 each;   /* of a work-item */
  WEFT__U64 from_length, to_length, inner;
  WEFT__I64 to_offset, from_offset; /* bytes */
  WEFT__I32 is_little;              /* a byte's first bit is its lowest */
  WEFT__I32 reserved;
} weft__bits_args;
WEFT__SHARED_SIZE(weft__bits_args, 8 * 7 + 4 * 2);

#endif
