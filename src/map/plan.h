// SPDX-License-Identifier: MIT
/// Plans: formulas for given operand dtypes, kept in the context with the kernels built of them so far (map/special.h). Formulas that differ in
/// the numbers that launches pass share a plan.
#ifndef WEFT_MAP_PLAN_H
#define WEFT_MAP_PLAN_H

#include "call/queues.h"
#include "map/choice.h"
#include "store/lookback.h"

typedef struct weft__special {
  struct weft__special *next;
  weft__special_key key;
  weft__kernel kernel;
} weft__special;

typedef struct weft__plan {
  struct weft__plan *next;
  const char *name; /* what messages and launches call it; interned */
  weft__formula formula;
  weft_dtype result[WEFT__MAX_ARRAYS];
  bool uses_index;
  bool is_slow; /* has functions that take longer to compute than to move, on GPUs */
  _Atomic(weft__special *) specials;
  size_t key_size;
  unsigned char key[]; /* all that distinguishes it from other plans */
} weft__plan;

/// A function or text and its operands' dtypes, and what came of it.
typedef struct weft__plan_entry {
  struct weft__plan_entry *next;
  weft__plan *plan;
  const unsigned char *key;
  size_t key_size;
  uint64_t number[]; /* weft__formula_numbers */
} weft__plan_entry;

#define WEFT__PLAN_BUCKETS 256

/// The plans of a context.
typedef struct weft__plans {
  weft__attachment attachment;
  weft_context *context; /* not retained: it owns this */
  bool is_cpu, has_fp64;
  char options[128];
  pthread_mutex_t lock; /* of insertion; readers need none */
  _Atomic(weft__plan *) bucket[WEFT__PLAN_BUCKETS];
  _Atomic(weft__plan_entry *) entry[WEFT__PLAN_BUCKETS];
  int entries_with_numbers;
  _Atomic(struct weft__family *) family[WEFT__PLAN_BUCKETS]; /* store/family.h */
  weft__lookback lookback[WEFT__MAX_STREAMS];
  weft__queues lanes;
} weft__plans;
/// Those of this context, made when first asked for.
weft_status weft__plans_of(weft__plans **plans, weft_context *context);
/// The entry of this key; NULL: there is none.
const weft__plan_entry *weft__plan_find(weft__plans *plans, const void *key, size_t key_size);
/// The plan of a formula, which it takes over, and the formula's numbers: two words for each scalar. Keeps an entry of the key, unless there
/// are many of formulas with numbers already: programs that compute a new number for each call would keep one for each.
weft_status weft__plan_add(weft__plan **plan, uint64_t *numbers, weft__plans *plans, const void *key, size_t key_size, const char *name,
                           weft__formula *formula);
/// All entries made so far.
void weft__plans_visit(weft__plans *plans, void (*visit)(const weft__plan_entry *entry, void *data), void *data);
/// Which bucket a key belongs to.
unsigned weft__plan_hash(const void *key, size_t size);
/// How many kernels were built of a plan.
int weft__plan_kernels(const weft__plan *plan);

#endif
