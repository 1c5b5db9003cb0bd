// SPDX-License-Identifier: MIT
#include "map/plan.h"

#include <string.h>

#include "expr/emit.h"

#define MOST_NUMBERED 1024 /* most functions kept whose formulas have numbers */

/// Writes all that a plan depends on: its name, the dtypes, the sources of the scalars, and the text of its element
/// function.
static void write_key(weft__text *key, const char *name, const weft__formula *f) {
  weft_dtype out[WEFT__MAX_ARRAYS];
  unsigned char head[4 + 3 * WEFT__MAX_ARRAYS + 2 * WEFT__MAX_SCALARS], *at = head;
  *at++ = (unsigned char)f->inputs;
  *at++ = (unsigned char)f->results;
  *at++ = (unsigned char)f->scalars;
  *at++ = (unsigned char)f->axes;
  for (int k = 0; k < f->inputs; k++) *at++ = (unsigned char)f->input[k].dtype, *at++ = f->input[k].is_scalar;
  for (int k = 0; k < f->results; k++) *at++ = (unsigned char)(out[k] = f->node[f->result[k]].dtype);
  for (int k = 0; k < f->scalars; k++)
    *at++ = (unsigned char)f->scalar[k].input, *at++ = (unsigned char)f->scalar[k].dtype;
  weft__text_add_bytes(key, (const char *)head, (size_t)(at - head));
  weft__text_add_bytes(key, name, strlen(name) + 1);
  for (int k = 0; k < f->count; k++)
    if (f->node[k].kind == WEFT__NODE_TAP) {
      weft__text_add_bytes(key, (const char *)&f->node[k].index, sizeof f->node[k].index);
      weft__text_add_bytes(key, (const char *)f->node[k].argument, (size_t)f->axes * sizeof f->node[k].argument[0]);
    }
  weft__emit_element(key, f, out, 0);
}

/// A function's work. Quotients of c64 are computed in doubles.
static weft__work work_of_node(const weft__node *node) {
  const bool is_complex = weft_dtype_kind(node->type) == 'c', is_c64 = node->type == WEFT_C64;
  if (is_c64 && node->op == WEFT_UFUNC_DIVIDE) return WEFT__WORK_LONGER;
  if (is_c64 && (node->op == WEFT_UFUNC_EXP || node->op == WEFT_UFUNC_ABS || node->op == WEFT_UFUNC_ANGLE))
    return WEFT__WORK_LONG;
  return !is_complex && weft__op_row(node->op)->flags & WEFT__OP_LONG ? WEFT__WORK_LONG : WEFT__WORK_PLAIN;
}

static weft__work work_of(const weft__formula *f) {
  weft__work work = weft__emit_has_fast(f, WEFT__OP_FAST_GPU) ? WEFT__WORK_LONGER : WEFT__WORK_PLAIN;
  for (int k = 0; k < f->count; k++) {
    const weft__work of_node = f->node[k].kind == WEFT__NODE_APPLY ? work_of_node(&f->node[k]) : WEFT__WORK_PLAIN;
    if (of_node > work) work = of_node;
  }
  return work;
}

/// The bytes of the texts of a user's function, which the plan outlives.
static size_t text_bytes(const weft__formula *f) {
  size_t bytes = f->body ? strlen(f->body) + 1 : 0;
  if (f->preamble) bytes += strlen(f->preamble) + 1;
  for (int k = 0; k < WEFT__MAX_INPUTS; k++) bytes += f->parameter[k] ? strlen(f->parameter[k]) + 1 : 0;
  return bytes;
}

static void copy_text(const char **text, char **room) {
  if (!*text) return;
  const size_t size = strlen(*text) + 1;
  *text = memcpy(*room, *text, size);
  *room += size;
}

static void copy_texts(weft__formula *f, char *room) {
  copy_text(&f->body, &room);
  copy_text(&f->preamble, &room);
  for (int k = 0; k < WEFT__MAX_INPUTS; k++) copy_text(&f->parameter[k], &room);
}

/// A plan, its nodes and its texts are one allocation.
weft_status weft__plan_of(weft__plan **out, weft__store *store, const char *name, const weft__formula *formula) {
  weft__text structure = {0};
  weft__plan *made = NULL;
  weft_status rc = WEFT_OK;
  write_key(&structure, name, formula);
  const weft__key key = {.kind = WEFT__KIND_PLAN, .bytes = weft__text_chars(&structure), .size = structure.length};
  const size_t node_bytes = (size_t)formula->count * sizeof formula->node[0];
  const size_t texts = (text_bytes(formula) + 7) / 8 * 8;
  WEFT__TRY(structure.failed ? weft__fail_host_memory(structure.length) : WEFT_OK);
  if ((*out = weft__store_find(store, &key))) goto done;
  const char *interned = weft__intern(name);
  WEFT__TRY(interned && (made = weft__entry_new(sizeof *made + node_bytes + texts, &key)) ? WEFT_OK
                                                                                          : WEFT_ERROR_HOST_MEMORY);
  made->name = interned;
  made->formula = *formula;
  made->formula.node = (weft__node *)(made + 1);
  memcpy(made->formula.node, formula->node, node_bytes);
  copy_texts(&made->formula, (char *)(made->formula.node + formula->count));
  for (int k = 0; k < formula->results; k++) made->result[k] = formula->node[formula->result[k]].dtype;
  for (int k = 0; k < formula->count; k++) made->uses_index |= formula->node[k].kind == WEFT__NODE_INDEX;
  /* without doubles kernels compute powers, angles and complex numbers otherwise */
  if (store->is_cpu && formula->has_fp64) weft__host_formula_of(&made->host, formula);
  made->work = work_of(formula);
  *out = weft__store_add(store, made);
done:
  weft__text_free(&structure);
  return rc;
}

static weft_status keep_planned(weft__store *store, weft__plan *plan, const uint64_t *numbers, int scalars,
                                const weft__key *key) {
  if (scalars && atomic_fetch_add_explicit(&store->numbered, 1, memory_order_relaxed) >= MOST_NUMBERED) return WEFT_OK;
  const size_t number_bytes = 2 * (size_t)scalars * sizeof *numbers;
  weft__planned_function *planned = weft__entry_new(sizeof *planned + number_bytes, key);
  if (!planned) return WEFT_ERROR_HOST_MEMORY;
  planned->plan = plan;
  memcpy(planned->number, numbers, number_bytes);
  weft__store_add(store, planned);
  return WEFT_OK;
}

weft_status weft__plan_add(weft__plan **plan, uint64_t *numbers, weft__store *store, const weft__key *key,
                           const char *name, weft__formula *formula) {
  int passed = 0, scalars = formula->scalars;
  for (int k = 0; k < scalars; k++) passed += formula->scalar[k].input == WEFT__NO_INPUT;
  weft__formula_numbers(numbers, formula);
  weft_status rc = weft__plan_of(plan, store, name, formula);
  weft__formula_free(formula);
  return rc ? rc : keep_planned(store, *plan, numbers, passed ? scalars : 0, key);
}

int weft__plan_kernel_count(const weft__plan *plan, const weft__store *store) {
  int count = 0;
  for (const weft__entry *entry = NULL; (entry = weft__store_next(store, entry));)
    count += entry->key.kind == WEFT__KIND_MAP_KERNEL && entry->key.owner == plan;
  return count;
}
