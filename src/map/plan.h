// SPDX-License-Identifier: MIT
/// Plans: formulas for given operand dtypes, kept in the context's store. Formulas that differ only in the numbers that
/// launches pass share a plan, and its kernels (map/run.h).
#ifndef WEFT_MAP_PLAN_H
#define WEFT_MAP_PLAN_H

#include "map/choice.h"
#include "map/host_formula.h"

typedef struct weft__plan {
  weft__entry entry; /* by all that distinguishes it from other plans */
  const char *name;  /* its name in messages and launches; interned */
  weft__formula formula;
  weft_dtype result[WEFT__MAX_ARRAYS];
  weft__host_formula host; /* the calling thread's way to compute it */
  bool uses_index;
  weft__work work;
} weft__plan;

/// The plan found for a function or text with its operands' dtypes: an entry of one of the kinds of functions.
typedef struct weft__planned_function {
  weft__entry entry;
  weft__plan *plan;
  uint64_t number[]; /* weft__formula_numbers */
} weft__planned_function;

/// Finds or makes the plan of a formula, of which it keeps a copy.
weft_status weft__plan_of(weft__plan **plan, weft__store *store, const char *name, const weft__formula *formula);
/// Finds or makes the plan of a formula, which it takes over, and the formula's numbers (two words per scalar). Keeps a
/// weft__planned_function of the key, unless many with numbers are kept already: a program that computes a new number
/// for each call would add an entry per call.
weft_status weft__plan_add(weft__plan **plan, uint64_t *numbers, weft__store *store, const weft__key *key,
                           const char *name, weft__formula *formula);
/// The number of kernels built for weft__plan_run from a plan.
int weft__plan_kernel_count(const weft__plan *plan, const weft__store *store);

#endif
