// SPDX-License-Identifier: MIT
/// What the kernels of cl/random/ are passed.
#ifndef WEFT_CL_RANDOM_ARGS_H
#define WEFT_CL_RANDOM_ARGS_H

#include "shared.h"

/// Where a stream is. Positions are in 32-bit words from its beginning.
typedef struct weft__stream_at {
  WEFT__U64 wide[20]; /* Philox4x64: the keys of each round, two and two */
  WEFT__U64 space;    /* the counter's third word */
  WEFT__U32 key[20];  /* Philox4x32: the same */
} weft__stream_at;
WEFT__SHARED_SIZE(weft__stream_at, 8 * 21 + 4 * 20);

/// Entries of the table of a distribution over few values.
#define WEFT__DRAW_TABLE 64

typedef struct weft__draw_args {
  WEFT__U64 n;                    /* elements */
  WEFT__U64 base;                 /* the word where element 0 begins */
  WEFT__U64 offset;               /* the byte of the buffer where it goes */
  WEFT__U64 head;                 /* elements in front of the first chunk; 0 where blocks is */
  WEFT__U64 blocks;               /* that do whole chunks */
  WEFT__U64 first;                /* the counter where the first chunk begins */
  WEFT__U64 low, size, threshold; /* integers: low to low + size - 1 (size 0: 2^64); which words are too many of a kind
                                     */
  WEFT__U64 real[8];              /* parameters, as the bits of doubles */
  weft__stream_at stream;
  WEFT__U32 single[8];      /* parameters, as the bits of floats */
  WEFT__U32 shift;          /* elements of counter `first` in front of the first chunk */
  WEFT__U32 kept, has_kept; /* the word of element 0, where it is none of the counters that follow */
  WEFT__U32 none;
#ifndef WEFT_NO_TABLE
  WEFT__U64 table[WEFT__DRAW_TABLE]; /* only distributions that have one are given it */
#endif
} weft__draw_args;
#ifdef WEFT_NO_TABLE
WEFT__SHARED_SIZE(weft__draw_args, sizeof(weft__stream_at) + 8 * 17 + 4 * 12);
#else
WEFT__SHARED_SIZE(weft__draw_args, sizeof(weft__stream_at) + 8 * (17 + WEFT__DRAW_TABLE) + 4 * 12);
#endif

/// A permutation of `n` numbers by a keyed network over `left` + `right` bits.
typedef struct weft__shuffle_args {
  WEFT__U64 n;
  WEFT__U64 count;  /* how many of its elements are wanted */
  WEFT__U64 base;   /* of the keys, where there are few numbers */
  WEFT__U64 offset; /* bytes */
  weft__stream_at stream;
  WEFT__U32 key[24];
  WEFT__U32 left, right;
} weft__shuffle_args;
WEFT__SHARED_SIZE(weft__shuffle_args, sizeof(weft__stream_at) + 8 * 4 + 4 * 26);

/// Sums of weights, level by level, each of a run of those of the level below; and the search in them.
#define WEFT__WEIGHT_RUN 256
typedef struct weft__weights_args {
  WEFT__U64 n;     /* weights, or sums, in */
  WEFT__U64 count; /* sums out, or numbers to be found */
  WEFT__U64 base;  /* of the words */
  WEFT__U64 from_offset, to_offset;
  weft__stream_at stream;
} weft__weights_args;
WEFT__SHARED_SIZE(weft__weights_args, sizeof(weft__stream_at) + 8 * 5);

#endif
