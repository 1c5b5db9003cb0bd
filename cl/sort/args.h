// SPDX-License-Identifier: MIT
/// What the kernels of cl/sort/ are passed.
///
/// An array of rows is sorted, each for itself. A sort by digits moves the elements once for each digit, between the
/// result and scratch memory. Which digits need not be looked at, all elements of the row having the same one, is found
/// out on the device and written there as a mask of those that do; from it every kernel knows where the elements are
/// and where they go to.
#ifndef WEFT_CL_SORT_ARGS_H
#define WEFT_CL_SORT_ARGS_H

#include "shared.h"

typedef struct weft__sort_args {
  WEFT__U64 rows, length;                /* length: elements in a row */
  WEFT__U64 key_from, key_to, key_spare; /* where the arrays begin, in bytes */
  WEFT__U64 value_from, value_to, value_spare;
  WEFT__U64 tiles; /* GPUs: tiles in a row; CPUs: chunks of a row */
  WEFT__U64 share; /* GPUs: tiles of a row that a block counts; CPUs: elements in a chunk, or rows of a work-item */
  WEFT__U64 masks_at, bins_at, status_at; /* in the state, bytes */
  WEFT__U32 digit;                        /* which one this launch sorts by, from the least significant one */
  WEFT__U32 flip, flip_top; /* bits to be inverted in all 32-bit parts of a key but the last, and in the last one */
  WEFT__U32 flags;
} weft__sort_args;
WEFT__SHARED_SIZE(weft__sort_args, 8 * 13 + 4 * 4);

/// Rows by their numbers: row r of the result is number[r] of x; of `count` rows each from a table of `length` rows,
/// where there are several.
typedef struct weft__gather_rows_args {
  WEFT__U64 rows, units, share; /* rows of the result, units in each; CPUs: units of a work-item */
  WEFT__U64 count, length;
  WEFT__U64 to, from, numbers; /* bytes */
} weft__gather_rows_args;
WEFT__SHARED_SIZE(weft__gather_rows_args, 8 * 8);

#define WEFT__SORT_NUMBERS 1u  /* values are the elements' numbers in their row: there are none to be loaded */
#define WEFT__SORT_WIDEN 2u    /* and the last pass writes them as 64-bit ones */
#define WEFT__SORT_NO_KEYS 4u  /* sorted keys are not wanted */
#define WEFT__SORT_IN_PLACE 8u /* key_from is key_to, or value_from value_to */

/// The state begins with a ticket counter for each digit (32-bit words), 16 at most.
#define WEFT__SORT_COUNTERS 64

/// The histogram's blocks: threads, the columns of 8-bit counters in local memory, the loads of 16 bytes that a thread
/// makes between two sums of the columns (one key is spared for elements outside the chunks), and the elements that a
/// block counts between them.
#define WEFT__SORT_COUNT_BLOCK 128
#define WEFT__SORT_COLUMNS(key_bytes) ((key_bytes) <= 4 ? 32 : 128 / (key_bytes))
#define WEFT__SORT_LOADS(key_bytes) \
  ((255 / (WEFT__SORT_COUNT_BLOCK / WEFT__SORT_COLUMNS(key_bytes)) - 1) / (16 / (key_bytes)))
#define WEFT__SORT_CHUNK(key_bytes) (WEFT__SORT_COUNT_BLOCK * WEFT__SORT_LOADS(key_bytes) * (16 / (key_bytes)))

#endif
