// SPDX-License-Identifier: MIT
#include "op/ufunc/reduced.h"

#include "base/scratch.h"
#include "call/chunk.h"

/* ---- the parts of a plan ---- */

static weft_status make_part(const weft__plan_part **out, weft__store *store, const weft__plan *whole, int value,
                             const weft__key *key) {
  weft_status rc;
  weft__plan_part *made = NULL;
  weft__formula_part *part = weft__scratch_begin(sizeof *part);
  if (!part) return WEFT_ERROR_HOST_MEMORY;
  weft__formula_part_of(part, &whole->formula, value);
  WEFT__TRY(part->formula.failed ? weft__fail_host_memory(sizeof(weft__node)) : WEFT_OK);
  WEFT__TRY((made = weft__entry_new(sizeof *made, key)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  memcpy(made->from, part->from, sizeof made->from);
  memcpy(made->place, part->place, sizeof made->place);
  WEFT__TRY(weft__plan_of(&made->plan, store, whole->name, &part->formula));
  *out = weft__store_add(store, made);
  made = NULL;
done:
  if (made) weft__entry_free(store, made);
  weft__formula_free(&part->formula);
  weft__scratch_end(part);
  return rc;
}

weft_status weft__plan_part_get(const weft__plan_part **part, weft__store *store, const weft__plan *whole, int value) {
  const unsigned char number = (unsigned char)(value - WEFT__PART_RESULTS);
  const weft__key key = {.kind = WEFT__KIND_PART, .owner = whole, .bytes = &number, .size = sizeof number};
  *part = weft__store_find(store, &key);
  return *part ? WEFT_OK : make_part(part, store, whole, value, &key);
}

/* ---- reduced values ---- */

/// The whole call: its operands, as arrays where they could be uploaded at once.
typedef struct whole_call {
  const weft__call *call;
  const weft__plan *plan;
  const uint64_t *numbers;
} whole_call;

/// Uploads the operands once for all parts, unless the call is to work in chunks, or a result in host memory may share
/// memory with them.
static weft_status upload_once(weft__call *c) {
  uint64_t chunk_bytes = 0;
  for (int k = 0; k < c->results; k++)
    if (c->result[k].kind != WEFT_OPERAND_RESULT) return WEFT_OK;
  WEFT__TRY_RETURN(weft__chunk_bytes(&chunk_bytes, c, 0, 0));
  return chunk_bytes ? WEFT_OK : weft__call_upload(c);
}

/// Makes rest->call the call of a part; value k is rest->value[k].
static weft_status set_part(weft__remainder *rest, const whole_call *w, int value) {
  const weft__call *c = w->call;
  const weft__plan_part *part;
  WEFT__TRY_RETURN(weft__plan_part_get(&part, &c->context->store, w->plan, value));
  const weft__formula *f = &part->plan->formula;
  for (int k = 0; k < f->inputs; k++) {
    const int from = part->from[k], reduced = WEFT__OF_REDUCED(from);
    weft_array *array = from < 0 ? rest->value[reduced] : c->array[c->results + from];
    rest->name[k] =
        from < 0
            ? weft__reduction_function((weft_reduction_id)w->plan->formula.node[w->plan->formula.reduced[reduced]].op) +
                  WEFT__REDUCTION_PREFIX
            : weft__call_operand_name(c, from);
    rest->operand[k] = array ? WEFT_OPERAND(array) : c->operand[from];
  }
  for (int k = 0; k < f->scalars; k++)
    if (f->scalar[k].input == WEFT__NO_INPUT)
      memcpy(&rest->numbers[2 * k], &w->numbers[2 * part->place[k]], 2 * sizeof rest->numbers[0]);
  rest->call = (weft__plan_call){.plan = part->plan,
                                 .numbers = rest->numbers,
                                 .context = c->context,
                                 .inputs = f->inputs,
                                 .operand = rest->operand,
                                 .name = rest->name,
                                 .site = c->site};
  return WEFT_OK;
}

static weft_status reduce(weft__remainder *rest, const whole_call *w, int value) {
  const weft__formula *f = &w->plan->formula;
  const weft__node *node = &f->node[f->reduced[value]];
  const weft_axes axes = weft_keepdims(weft__axes(node->index, &node->argument[1]));
  WEFT__TRY_RETURN(set_part(rest, w, value));
  return weft__while(
      weft__value_reducer(&rest->value[value], &rest->call, (weft_reduction_id)node->op, axes, node->number.value.f),
      "computing `%s(...)` of the expression",
      weft__reduction_function((weft_reduction_id)node->op) + WEFT__REDUCTION_PREFIX);
}

weft_status weft__remainder_open(weft__remainder *rest, weft__call *c, const weft__plan *plan,
                                 const uint64_t *numbers) {
  const whole_call w = {c, plan, numbers};
  const int values = plan->formula.reductions;
  rest->values = values;
  for (int k = 0; k < values; k++) rest->value[k] = NULL;
  WEFT__TRY_RETURN(upload_once(c));
  for (int k = 0; k < values; k++) WEFT__TRY_RETURN(reduce(rest, &w, k));
  WEFT__TRY_RETURN(set_part(rest, &w, WEFT__PART_RESULTS));
  if (c->results + rest->call.inputs <= WEFT__MAX_ARRAYS) return WEFT_OK;
  return weft__fail(WEFT_ERROR_ARGUMENT, "variable_count", "%d results, variables and reduced values; %d are the most",
                    c->results + rest->call.inputs, WEFT__MAX_ARRAYS);
}

void weft__remainder_close(weft__remainder *rest) {
  for (int k = 0; k < rest->values; k++) weft_array_release(&rest->value[k]);
}
