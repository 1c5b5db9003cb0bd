// SPDX-License-Identifier: MIT
/// Plans: formulas for given operand dtypes, kept in the context's store. Formulas that differ in the numbers that
/// launches pass share a plan, and with it the kernels built of it (map/run.h).
#ifndef WEFT_MAP_PLAN_H
#define WEFT_MAP_PLAN_H

#include "map/choice.h"

typedef struct weft__plan {
  weft__entry entry; /* by all that distinguishes it from other plans */
  const char *name;  /* what messages and launches call it; interned */
  weft__formula formula;
  weft_dtype result[WEFT__MAX_ARRAYS];
  bool uses_index;
  bool is_slow; /* has functions that take longer to compute than to move, on GPUs */
} weft__plan;

/// A function or text with its operands' dtypes, and what came of it: an entry of one of the kinds of functions.
typedef struct weft__planned_function {
  weft__entry entry;
  weft__plan *plan;
  uint64_t number[]; /* weft__formula_numbers */
} weft__planned_function;

/// The plan of a formula, which it takes over, and the formula's numbers: two words for each scalar. Keeps a
/// weft__planned_function of the key, unless there are many of formulas with numbers already: programs that compute a
/// new number for each call would keep one for each.
weft_status weft__plan_add(weft__plan **plan, uint64_t *numbers, weft__store *store, const weft__key *key,
                           const char *name, weft__formula *formula);
/// How many kernels were built of a plan for weft__plan_run.
int weft__plan_kernel_count(const weft__plan *plan, const weft__store *store);

#endif
