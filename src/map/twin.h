// SPDX-License-Identifier: MIT
/// Native twins: on a CPU device a function of few elements is computed by the calling thread, at once
/// (mem/at_once.h). A formula's nodes are computed one after the other, for a block of elements that stays in the
/// first-level cache, by the loops of map/twin_loops.h.
#ifndef WEFT_MAP_TWIN_H
#define WEFT_MAP_TWIN_H

#include "expr/formula.h"
#include "map/twin_loops.h"

#define WEFT__TWIN_NODES 12

struct weft__map_run;

/// How a node of a formula is computed.
typedef struct weft__twin_node {
  enum { WEFT__TWIN_NONE = 0, WEFT__TWIN_ARRAY, WEFT__TWIN_NUMBER, WEFT__TWIN_LOOP } kind;
  weft__twin_loop *loop;
  uint8_t from[WEFT__TWIN_OPERANDS]; /* nodes; of an array its number among the call's arrays, of a launch's scalar
                                        its place */
  uint8_t repeated;                  /* of a loop: which operands are numbers, a bit each */
  uint8_t size_bytes;                /* of an element */
  bool is_passed;                    /* a number that the launch passes */
  uint64_t number[2];
} weft__twin_node;

typedef struct weft__twin {
  int nodes; /* 0: the formula has no twin */
  int result;
  int loops;
  bool is_slow;        /* casts that are no vector code are among them */
  size_t widest_bytes; /* the widest element of a node */
  size_t most;         /* elements of a call: beyond, one of the loops is slower than a launch */
  weft__twin_node node[WEFT__TWIN_NODES];
} weft__twin;

/// Makes the twin of a formula if all its nodes are arrays, numbers, casts and functions that have loops.
void weft__twin_of(weft__twin *twin, const weft__formula *formula);
/// Computes the call and sets *is_done, unless it must be a launch. `to`: host memory for the elements of the result's
/// array, which then needs no storage; NULL: the array's own. Errors: as weft__at_once.
weft_status weft__twin_run(bool *is_done, const struct weft__map_run *map, char *to);

#endif
