// SPDX-License-Identifier: MIT
/// Formulas on the host: on a CPU device a function of few elements is computed by the calling thread, at once
/// (mem/at_once.h). A formula's nodes are computed one after the other, for a block of elements that stays in the
/// first-level cache, by the loops of map/host_loops.h.
#ifndef WEFT_MAP_HOST_FORMULA_H
#define WEFT_MAP_HOST_FORMULA_H

#include "expr/formula.h"
#include "map/host_loops.h"

#define WEFT__HOST_FORMULA_NODES 12

struct weft__map_run;

/// How a node of a formula is computed.
typedef struct weft__host_node {
  enum { WEFT__HOST_NODE_NONE = 0, WEFT__HOST_NODE_ARRAY, WEFT__HOST_NODE_NUMBER, WEFT__HOST_NODE_LOOP } kind;
  weft__host_loop *loop;
  uint8_t
      from[WEFT__HOST_FORMULA_OPERANDS]; /* nodes; of an array its number among the call's arrays, of a launch's scalar
                                        its place */
  uint8_t repeated;                  /* of a loop: which operands are numbers, a bit each */
  uint8_t size_bytes;                /* of an element */
  bool is_passed;                    /* a number that the launch passes */
  uint64_t number[2];
} weft__host_node;

typedef struct weft__host_formula {
  int nodes; /* 0: kernels alone compute the formula */
  int result;
  int loops;
  bool is_slow;        /* casts that are no vector code are among them */
  size_t widest_bytes; /* the widest element of a node */
  size_t most;         /* elements of a call: beyond, one of the loops is slower than a launch */
  weft__host_node node[WEFT__HOST_FORMULA_NODES];
} weft__host_formula;

/// How the host computes a formula all of whose nodes are arrays, numbers, casts and functions that have loops.
void weft__host_formula_of(weft__host_formula *host, const weft__formula *formula);
/// Computes the call and sets *is_done, unless it must be a launch. `to`: host memory for the elements of the result's
/// array, which then needs no storage; NULL: the array's own. Errors: as weft__at_once.
weft_status weft__host_formula_run(bool *is_done, const struct weft__map_run *map, char *to);

#endif
