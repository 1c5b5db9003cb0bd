// SPDX-License-Identifier: MIT
/// Plans: formulas for given operand dtypes, kept in the context with the kernels built of them so far (op/special.h).
#ifndef WEFT_OP_PLAN_H
#define WEFT_OP_PLAN_H

#include "op/choice.h"
#include "op/lanes.h"
#include "op/lookback.h"

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
  unsigned char key[]; /* what it was made from: the function or text, and the operands' dtypes */
} weft__plan;

#define WEFT__PLAN_BUCKETS 256

/// The plans of a context.
typedef struct weft__plans {
  weft__attachment attachment;
  weft_context *context; /* not retained: it owns this */
  bool is_cpu, has_fp64;
  char options[128];
  pthread_mutex_t lock; /* of insertion; readers need none */
  _Atomic(weft__plan *) bucket[WEFT__PLAN_BUCKETS];
  _Atomic(struct weft__family *) family[WEFT__PLAN_BUCKETS]; /* op/family.h */
  weft__lookback lookback[WEFT__MAX_STREAMS];
  weft__lanes lanes;
} weft__plans;
/// Those of this context, made when first asked for.
weft_status weft__plans_of(weft__plans **plans, weft_context *context);
/// NULL where there is none yet.
weft__plan *weft__plan_find(weft__plans *plans, const void *key, size_t key_size);
/// Keeps a plan whose formula is done; takes the formula over. Where another thread was first, *plan is that one's.
weft_status weft__plan_add(weft__plan **plan, weft__plans *plans, const void *key, size_t key_size, const char *name,
                           weft__formula *formula);
/// All plans made so far.
void weft__plans_visit(weft__plans *plans, void (*visit)(const weft__plan *plan, void *data), void *data);
/// Which bucket a key belongs to.
unsigned weft__plan_hash(const void *key, size_t size);
/// How many kernels were built of a plan.
int weft__plan_kernels(const weft__plan *plan);

#endif
