// SPDX-License-Identifier: MIT
#include "expr/part.h"

#include <stdlib.h>
#include <string.h>

/// How many of a node's arguments are nodes.
static int operands_of(const weft__node *node) {
  switch (node->kind) {
    case WEFT__NODE_POSITION:
    case WEFT__NODE_MORE:
      return 1;
    case WEFT__NODE_CAST:
    case WEFT__NODE_STORED:
    case WEFT__NODE_APPLY:
    case WEFT__NODE_REDUCED:
      return node->argument_count;
    default:
      return 0;
  }
}

/* ---- equal nodes ---- */

static bool is_same(const weft__node *a, const weft__node *b) {
  uint64_t x[2] = {0}, y[2] = {0};
  if (a->kind != b->kind || a->dtype != b->dtype || a->weak != b->weak || a->op != b->op || a->type != b->type ||
      a->index != b->index || a->argument_count != b->argument_count ||
      memcmp(a->argument, b->argument, sizeof a->argument) != 0 || a->number.dtype != b->number.dtype)
    return false;
  if (!a->number.dtype) return true;
  return weft__scalar_bytes(x, a->number.dtype, a->number) && weft__scalar_bytes(y, b->number.dtype, b->number) &&
         memcmp(x, y, sizeof x) == 0;
}

/// `first` has room for all nodes.
static void merge(weft__formula *f, int *first) {
  for (int k = 0; k < f->count; k++) {
    weft__node *node = &f->node[k];
    for (int i = 0; i < operands_of(node); i++) node->argument[i] = first[node->argument[i]];
    first[k] = k;
    for (int other = 0; other < k && first[k] == k; other++)
      if (is_same(&f->node[other], node)) first[k] = other;
  }
  for (int k = 0; k < f->results; k++) f->result[k] = first[f->result[k]];
}

/* ---- parts ---- */

/// Adds what the needed nodes are computed from; `through`: also what REDUCED nodes are.
static void add_needed(bool *needed, const weft__formula *f, int from, bool through) {
  for (int k = from; k >= 0; k--) {
    const weft__node *node = &f->node[k];
    if (!needed[k] || (node->kind == WEFT__NODE_REDUCED && !through)) continue;
    for (int i = 0; i < operands_of(node); i++) needed[node->argument[i]] = true;
    /* a function's second result stands behind it */
    if (k + 1 < f->count && f->node[k + 1].kind == WEFT__NODE_MORE && f->node[k + 1].argument[0] == k)
      needed[k + 1] = true;
  }
}

void weft__formula_merge(weft__formula *f) {
  if (f->reductions == 0) return;
  int *first = malloc((size_t)f->count * sizeof *first), kept = 0;
  bool *needed = calloc((size_t)f->count, sizeof *needed);
  f->failed = f->failed || !first || !needed;
  if (!f->failed) {
    merge(f, first);
    for (int k = 0; k < f->results; k++) needed[f->result[k]] = true;
    add_needed(needed, f, f->count - 1, true);
    for (int k = 0; k < f->reductions; k++)
      if (needed[f->reduced[k]]) f->reduced[kept++] = f->reduced[k];
    f->reductions = kept;
  }
  free(first);
  free(needed);
}

/// The part's input for an input of the whole, or for a reduced value.
static int input_of(weft__formula_part *part, int from, weft__input input) {
  weft__formula *f = &part->formula;
  for (int k = 0; k < f->inputs; k++)
    if (part->from[k] == from) return k;
  part->from[f->inputs] = from;
  f->input[f->inputs] = input;
  return f->inputs++;
}

static int place_of(weft__formula_part *part, const weft__formula *whole, int place) {
  weft__formula *f = &part->formula;
  if (place < 0) return place;
  for (int k = 0; k < f->scalars; k++)
    if (part->place[k] == place) return k;
  part->place[f->scalars] = place;
  f->scalar[f->scalars] = whole->scalar[place];
  const int input = whole->scalar[place].input;
  if (input >= 0) f->scalar[f->scalars].input = input_of(part, input, whole->input[input]);
  return f->scalars++;
}

/// Adds node `number` of the whole, whose nodes before it became at[] here. Returns its number.
static int add_node(weft__formula_part *part, const weft__formula *whole, int number, const int *at) {
  weft__node node = whole->node[number];
  int reduced = 0, input;
  for (int i = 0; i < operands_of(&node) && node.kind != WEFT__NODE_REDUCED; i++)
    node.argument[i] = at[node.argument[i]];
  switch (node.kind) {
    case WEFT__NODE_INPUT:
      node.index = input_of(part, node.index, whole->input[node.index]);
      break;
    case WEFT__NODE_SCALAR:
      if (node.weak)
        node.index = input_of(part, node.index, whole->input[node.index]);
      else
        node.argument[0] = place_of(part, whole, node.argument[0]);
      break;
    case WEFT__NODE_POSITION:
      for (int k = 1; k < 3; k++) node.argument[k] = place_of(part, whole, node.argument[k]);
      break;
    case WEFT__NODE_REDUCED:
      while (whole->reduced[reduced] != number) reduced++;
      input = input_of(part, WEFT__OF_REDUCED(reduced), (weft__input){.dtype = node.dtype});
      return weft__formula_add(&part->formula,
                               (weft__node){.kind = WEFT__NODE_INPUT, .dtype = node.dtype, .index = input});
    default:
      break;
  }
  return weft__formula_add(&part->formula, node);
}

void weft__formula_part_of(weft__formula_part *part, const weft__formula *whole, int k) {
  weft__formula *f = &part->formula;
  *part = (weft__formula_part){.formula.has_fp64 = whole->has_fp64};
  bool *needed = calloc((size_t)whole->count, sizeof *needed);
  int *at = malloc((size_t)whole->count * sizeof *at);
  const bool is_rest = k == WEFT__PART_RESULTS;
  f->failed = !needed || !at;
  f->results = is_rest ? whole->results : 1;
  for (int r = 0; r < f->results && !f->failed; r++) {
    f->result[r] = is_rest ? whole->result[r] : whole->node[whole->reduced[k]].argument[0];
    needed[f->result[r]] = true;
  }
  if (!f->failed) add_needed(needed, whole, whole->count - 1, false);
  for (int n = 0; n < whole->count && !f->failed; n++)
    if (needed[n]) at[n] = add_node(part, whole, n, at);
  for (int r = 0; r < f->results && !f->failed; r++) f->result[r] = at[f->result[r]];
  free(needed);
  free(at);
}
