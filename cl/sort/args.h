// SPDX-License-Identifier: MIT
/// Arguments of the kernels in cl/sort/.
///
/// Each row of the array is sorted on its own. A sort by digits moves the elements once per digit, between the result
/// and scratch. The device finds the digits that all elements of a row share, which need no pass, and stores a mask of
/// the others; from it every kernel derives where the elements are and where they go.
#ifndef WEFT_CL_SORT_ARGS_H
#define WEFT_CL_SORT_ARGS_H

#include "shared.h"

typedef struct weft__sort_args {
  WEFT__U64 rows, length;                /* length: elements in a row */
  WEFT__U64 key_from, key_to, key_spare; /* where the arrays begin, in bytes */
  WEFT__U64 value_from, value_to, value_spare;
  WEFT__U64 tiles; /* in a row */
  WEFT__U64 share; /* tiles of a row that a block counts, or blocks that place a row's elements */
  WEFT__U64 masks_at, bins_at, status_at; /* in the state, bytes */
  WEFT__U64 uniform_at;                   /* in the state, of uniform keys (cl/sort/uniform.clh); 0: not tried */
  WEFT__U32 digit;          /* the digit that this launch sorts by, 0 the least significant */
  WEFT__U32 flip, flip_top; /* bits to invert in all 32-bit parts of a key except the last, and in the last one */
  WEFT__U32 flags;
  WEFT__U32 uniform_tile, uniform_most; /* uniform keys: elements of a tile, and of a part at most */
  weft__lookback_use lookback;    /* sort_tiles */
} weft__sort_args;
WEFT__SHARED_SIZE(weft__sort_args, 8 * 14 + 4 * 8);

/// Gathers rows by their numbers: row r of the result is row number[r] of x. With several tables of `length` rows, the
/// `count` numbers apply to each table.
typedef struct weft__gather_rows_args {
  WEFT__U64 rows, units, share; /* rows of the result; units in a row; CPUs: units per work-item */
  WEFT__U64 count, length;
  WEFT__U64 to, from, numbers; /* bytes */
} weft__gather_rows_args;
WEFT__SHARED_SIZE(weft__gather_rows_args, 8 * 8);

/// Elements of given ranks of one row, found by their digits, the most significant first: a pass reads the row and
/// counts the next digit of the elements that agree with the digits found so far.
#define WEFT__NTH_RANKS 8
typedef struct weft__nth_args {
  WEFT__U64 length, from, to;      /* elements of the row; where it and the result begin, in bytes */
  WEFT__U64 rank[WEFT__NTH_RANKS]; /* of the elements wanted */
  WEFT__U32 ranks, digit;          /* digit 0 is the most significant */
  WEFT__U32 flip_top, unused;      /* flip_top: as in weft__sort_args */
} weft__nth_args;
WEFT__SHARED_SIZE(weft__nth_args, 8 * (3 + WEFT__NTH_RANKS) + 4 * 4);
#define WEFT__NTH_BINS 2048

/// Elements of given ranks of each row, found in one launch (cl/sort/nth_rows.clh).
typedef struct weft__nth_rows_args {
  WEFT__U64 rows, length, from, to; /* from, to: in bytes */
  WEFT__U64 rank[WEFT__NTH_RANKS];
  WEFT__U32 ranks, flip_top; /* flip_top: as in weft__sort_args */
} weft__nth_rows_args;
WEFT__SHARED_SIZE(weft__nth_rows_args, 8 * (4 + WEFT__NTH_RANKS) + 4 * 2);

/// The first elements of each part of each row, and their numbers (cl/sort/gpu_top.cl).
typedef struct weft__top_args {
  WEFT__U64 length, parts;                      /* of a row: elements, and parts of less than 2^32 */
  WEFT__U64 from, to, from_numbers, to_numbers; /* where the arrays begin, in bytes; numbers are i64 */
  WEFT__U32 count, has_numbers;                 /* has_numbers: elements have these numbers, not their places */
  WEFT__U32 flip, flip_top;                     /* as in weft__sort_args */
} weft__top_args;
WEFT__SHARED_SIZE(weft__top_args, 8 * 6 + 4 * 4);
#define WEFT__TOP_MOST 128 /* elements wanted */

#define WEFT__SORT_NUMBERS 1u       /* values are the elements' numbers in their row: no values are loaded */
#define WEFT__SORT_WIDEN 2u         /* the last pass writes values as 64-bit numbers */
#define WEFT__SORT_NO_KEYS 4u       /* sorted keys are not wanted */
#define WEFT__SORT_IN_PLACE 8u      /* key_from is key_to, or value_from value_to */
#define WEFT__SORT_DISTINCT_NAN 16u /* unique elements: a NaN equals no other */

/// Elements of a thread that keeps unique ones. These go to value_to, and their number to value_spare.
#define WEFT__SORT_KEPT 4

/// Words of uniform keys in the state, and of their bins and parts.
#define WEFT__UNIFORM_PARTS(second) (256 << (second))
#define WEFT__UNIFORM_WORDS 64
#define WEFT__UNIFORM_MORE_TILES 512 /* at most, of the second pass, as each bin begins a tile */
#define WEFT__UNIFORM_BYTES(second) (4 * (WEFT__UNIFORM_WORDS + 3 * 512 + 2 * WEFT__UNIFORM_PARTS(second) + 64))

/// The state begins with a ticket counter for each digit (32-bit words), 16 at most.
#define WEFT__SORT_COUNTERS 64

/// The histogram's blocks: threads, columns of 8-bit counters in local memory, 16-byte loads that a thread makes
/// between two sums of the columns (leaving room in the counters for one key outside the chunks), and elements that a
/// block counts between two sums.
#define WEFT__SORT_COUNT_BLOCK 128
#define WEFT__SORT_COLUMNS(key_bytes) ((key_bytes) <= 4 ? 32 : 128 / (key_bytes))
#define WEFT__SORT_LOADS(key_bytes) \
  ((255 / (WEFT__SORT_COUNT_BLOCK / WEFT__SORT_COLUMNS(key_bytes)) - 1) / (16 / (key_bytes)))
#define WEFT__SORT_CHUNK(key_bytes) (WEFT__SORT_COUNT_BLOCK * WEFT__SORT_LOADS(key_bytes) * (16 / (key_bytes)))

#endif
