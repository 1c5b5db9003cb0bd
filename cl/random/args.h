// SPDX-License-Identifier: MIT
/// Arguments of the kernels of cl/random/.
#ifndef WEFT_CL_RANDOM_ARGS_H
#define WEFT_CL_RANDOM_ARGS_H

#include "shared.h"

/// The distributions. To WEFT__DRAW_LAST_FIXED each element takes the same number of words (cl/random/draw.clh); those
/// behind it reject (cl/random/reject.cl).
#define WEFT__DRAW_BITS 0
#define WEFT__DRAW_UNIFORM 1
#define WEFT__DRAW_NORMAL 2
#define WEFT__DRAW_EXPONENTIAL 3
#define WEFT__DRAW_BERNOULLI 4
#define WEFT__DRAW_INTEGERS 5
#define WEFT__DRAW_TABLED 6
#define WEFT__DRAW_LAPLACE 7
#define WEFT__DRAW_LOGISTIC 8
#define WEFT__DRAW_GUMBEL 9
#define WEFT__DRAW_WEIBULL 10
#define WEFT__DRAW_PARETO 11
#define WEFT__DRAW_RAYLEIGH 12
#define WEFT__DRAW_TRIANGULAR 13
#define WEFT__DRAW_LOGNORMAL 14
#define WEFT__DRAW_GEOMETRIC 15
#define WEFT__DRAW_LAST_FIXED 15
#define WEFT__DRAW_GAMMA 16
#define WEFT__DRAW_POISSON 17
#define WEFT__DRAW_BETA 18
#define WEFT__DRAW_F 19
#define WEFT__DRAW_STUDENT 20
#define WEFT__DRAW_VONMISES 21
#define WEFT__DRAW_TRUNCATED 22
#define WEFT__DRAW_BINOMIAL 23
#define WEFT__DRAW_NEGATIVE_BINOMIAL 24

/// Methods of truncated normal numbers.
#define WEFT__TRUNCATED_PLAIN 0       /* normal numbers; those outside are rejected */
#define WEFT__TRUNCATED_UNIFORM 1     /* numbers of the interval, accepted by their density */
#define WEFT__TRUNCATED_EXPONENTIAL 2 /* exponential numbers beyond the lower bound */

/// A stream. Positions in it count 32-bit words from its beginning.
typedef struct weft__stream_at {
  WEFT__U64 wide[20]; /* Philox4x64: the keys of the rounds, two each */
  WEFT__U64 space;    /* the counter's third word */
  WEFT__U32 key[20];  /* Philox4x32: the keys of the rounds, two each */
} weft__stream_at;
WEFT__SHARED_SIZE(weft__stream_at, 8 * 21 + 4 * 20);

/// Entries of the table of a distribution over few values.
#define WEFT__DRAW_TABLE 64

typedef struct weft__draw_args {
  WEFT__U64 n;                    /* elements */
  WEFT__U64 base;                 /* position of element 0's first word */
  WEFT__U64 offset;               /* of element 0 in the buffer, in bytes */
  WEFT__U64 head;                 /* elements before the first chunk; 0 if `blocks` is 0 */
  WEFT__U64 blocks;               /* blocks that make whole chunks */
  WEFT__U64 first;                /* counter where the first chunk begins */
  WEFT__U64 low, size, threshold; /* integers: low to low + size - 1 (size 0: 2^64), and the threshold of rejection;
                                     tables and binomial: low + size * k, k up to the threshold */
  WEFT__U64 real[8];              /* parameters, as the bits of doubles */
  weft__stream_at stream;
  WEFT__U32 single[8];      /* parameters, as the bits of floats */
  WEFT__U32 shift;          /* elements of counter `first` before the first chunk */
  WEFT__U32 kept, has_kept; /* has_kept: element 0 is made of the word `kept` */
  WEFT__U32 item;           /* GPUs, by rejection: elements of a thread */
#ifndef WEFT_NO_TABLE
  WEFT__U64 table[WEFT__DRAW_TABLE]; /* passed only to distributions that have a table */
#endif
} weft__draw_args;
#ifdef WEFT_NO_TABLE
WEFT__SHARED_SIZE(weft__draw_args, sizeof(weft__stream_at) + 8 * 17 + 4 * 12);
#else
WEFT__SHARED_SIZE(weft__draw_args, sizeof(weft__stream_at) + 8 * (17 + WEFT__DRAW_TABLE) + 4 * 12);
#endif

/// Rows of `columns` elements that depend on each other, 8 words for each element.
typedef struct weft__rows_args {
  WEFT__U64 n, columns;
  WEFT__U64 base;                /* position of the first word */
  WEFT__U64 from_offset, offset; /* of the columns' parameters and of the result, in bytes */
  WEFT__U64 trials;              /* multinomial */
  weft__stream_at stream;
} weft__rows_args;
WEFT__SHARED_SIZE(weft__rows_args, sizeof(weft__stream_at) + 8 * 6);

/// Sobol points: WEFT__SOBOL_GROUP dimensions, side by side in an array of `columns`.
#define WEFT__SOBOL_GROUP 4
#define WEFT__SOBOL_BITS 32
typedef struct weft__sobol_args {
  WEFT__U64 n, first, columns; /* points; the number of the first one */
  WEFT__U64 offset;            /* of the group's first element, in bytes */
  WEFT__U32 group, none;       /* dimensions, up to WEFT__SOBOL_GROUP */
  WEFT__U32 shift[WEFT__SOBOL_GROUP];
  WEFT__U32 direction[WEFT__SOBOL_GROUP][WEFT__SOBOL_BITS];
} weft__sobol_args;
WEFT__SHARED_SIZE(weft__sobol_args, 8 * 4 + 4 * (2 + WEFT__SOBOL_GROUP * (1 + WEFT__SOBOL_BITS)));

/// Sobol points of more dimensions, `columns`, by a table.
#define WEFT__SOBOL_TILE 64 /* CPUs: dimensions that a work-item makes side by side */
typedef struct weft__sobol_many_args {
  WEFT__U64 n, first, columns, offset; /* as above */
  WEFT__U32 step, none;                /* GPUs: a work-item's points are 2^step apart, 1 to 31 */
} weft__sobol_many_args;
WEFT__SHARED_SIZE(weft__sobol_many_args, 8 * 4 + 4 * 2);

/// A permutation of `n` numbers by a keyed network over `left` + `right` bits.
typedef struct weft__shuffle_args {
  WEFT__U64 n;
  WEFT__U64 first, count; /* its elements that are wanted */
  WEFT__U64 offset;       /* bytes */
  WEFT__U32 key[24];
  WEFT__U32 left, right;
} weft__shuffle_args;
WEFT__SHARED_SIZE(weft__shuffle_args, 8 * 4 + 4 * 26);

/// Sums of weights, level by level, and the search in them. A sum is over a run of elements of the level below.
#define WEFT__WEIGHT_RUN 256
typedef struct weft__weights_args {
  WEFT__U64 n;     /* weights or sums that are read */
  WEFT__U64 count; /* numbers to be found */
  WEFT__U64 base;  /* position of the first word */
  WEFT__U64 from_offset, to_offset;
  weft__stream_at stream;
} weft__weights_args;
WEFT__SHARED_SIZE(weft__weights_args, sizeof(weft__stream_at) + 8 * 5);

#endif
