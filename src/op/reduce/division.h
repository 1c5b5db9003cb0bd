// SPDX-License-Identifier: MIT
/// A reduction of arrays whose layout is known, divided among blocks or threads: what the ways to reduce
/// (op/reduce/ways.c) work on.
#ifndef WEFT_OP_REDUCE_DIVISION_H
#define WEFT_OP_REDUCE_DIVISION_H

#include "engine/ways.h"
#include "op/reduce/reduce.h"

typedef struct weft__division {
  const weft__call *call;
  const weft__reduce_task *task;
  weft_array *out;
  weft__reduce_key key;
  weft__strided_split s;
  uint64_t size;           /* bytes of the widest element */
  uint64_t words;          /* words of 4 bytes for the partial results */
  weft__reduce_part *part; /* NULL: the operands are complete */
  uint64_t rows_each;      /* rows that have one result; of more than one a second launch makes it */
  int arrays, beside;      /* with all elements, and then those beside (weft__reduce_key) */
  weft_array *array[WEFT__REDUCE_INPUTS];
  weft__reduce_args args; /* the formula's scalars at its end are set for a launch only */
} weft__division;

/// Computes the division by the first way that does it; `args` is set by the ways.
weft_status weft__reduce_division_run(weft__division *division);
/// The division that a way's task is.
static inline weft__division *weft__division_of(const void *task) {
  return *(weft__division *const *)task;
}

/// Whether the kernels of CPUs compute it.
static inline bool weft__division_is_for_cpu(const weft__division *l) {
  return l->key.kernel == WEFT__REDUCE_CPU;
}
/// Whether the results span several calls in parts, whose accumulators stay.
static inline bool weft__division_goes_on(const weft__division *l) {
  return l->part && l->part->goes_on;
}
/// Computes the results from the parts so far.
weft_status weft__division_conclude(weft__division *l);

/* the ways */
WEFT__WAY_FUNCTION(reduce, host);
WEFT__WAY_FUNCTIONS(reduce, values);
WEFT__WAY_FUNCTIONS(reduce, short);
WEFT__WAY_FUNCTIONS(reduce, rows);
WEFT__WAY_FUNCTION(reduce, columns);
WEFT__WAY_FUNCTION(reduce, cpu);

extern const weft__ways weft__reduce_ways;

#endif
