// SPDX-License-Identifier: MIT
/// Expressions with neighbours: the caller's text and variables as for weft_eval, applied by a kernel that knows the
/// axes.
#include <weft/stencil.h>

#include <string.h>

#include "base/scratch.h"
#include "cl/rearrange/args.h"
#include "map/stencil.h"
#include "op/ufunc/eval.h"

typedef struct stencil {
  weft__call call;
  weft__elementwise function;
  weft_shape shape;
  weft__plan_use plan;
  weft__border border;
} stencil;

/// Variables with offsets have no axis that is broadcast.
static weft_status check_shapes(const stencil *t) {
  const weft__formula *f = &t->plan.plan->formula;
  for (int k = 0; k < f->count; k++) {
    const weft__node *node = &f->node[k];
    bool moves = false;
    for (int d = 0; d < f->axes && node->kind == WEFT__NODE_TAP; d++) moves = moves || node->argument[d];
    if (!moves || weft__same_shape(weft__call_shape(&t->call, node->index), t->shape)) continue;
    weft__text given = {0}, all = {0};
    const char *name = weft__call_operand_name(&t->call, node->index);
    weft__add_shape(&given, weft__call_dtype(&t->call, node->index), weft__call_shape(&t->call, node->index));
    weft__add_shape(&all, t->plan.plan->result[0], t->shape);
    weft__fail(WEFT_ERROR_SHAPE, name, "`%s` is %s and is read at an offset; expected the result's shape, %s", name,
               weft__text_chars(&given), weft__text_chars(&all));
    weft__text_free(&given);
    weft__text_free(&all);
    return WEFT_ERROR_SHAPE;
  }
  return WEFT_OK;
}

static weft_status set_border(stencil *t, const weft_stencil_params *p) {
  static const int borders[] = {WEFT__BORDER_CONSTANT, WEFT__BORDER_EDGE, WEFT__BORDER_REFLECT, WEFT__BORDER_SYMMETRIC,
                                WEFT__BORDER_WRAP};
  if ((int)p->mode < 0 || (int)p->mode > WEFT_PAD_WRAP)
    return weft__fail(WEFT_ERROR_ARGUMENT, "mode", "`mode` is %d, which is no weft_pad_mode", (int)p->mode);
  if (p->value.dtype && p->mode)
    return weft__fail(WEFT_ERROR_ARGUMENT, "value", "a value and a mode were given; expected one of them");
  if (!p->value.dtype && p->value.value.u)
    return weft__fail(WEFT_ERROR_ARGUMENT, "value", "`value` has no dtype; expected WEFT_SCALAR(7)");
  t->border = (weft__border){.kind = borders[p->mode]};
  for (int k = 0, place = t->call.results; k < t->call.inputs && p->value.dtype; k++)
    if (!weft__call_is_scalar(&t->call, k))
      WEFT__TRY_RETURN(
          weft__element_bytes(&t->border.fill[2 * place++], weft__call_dtype(&t->call, k), p->value, "value"));
  return WEFT_OK;
}

/// Makes result k. Threads read what others write, so it shares no memory with an operand.
static weft_status make_result(weft__call *c, int k, weft_dtype dtype, weft_shape shape) {
  WEFT__TRY_RETURN(weft__call_result(c, k, dtype, shape));
  for (int i = c->results; i < c->results + c->inputs; i++)
    if (c->array[i] && weft__arrays_overlap(c->array[k], c->array[i]))
      return weft__call_temporary(c, k, c->array[k]->dtype, shape);
  return WEFT_OK;
}

static weft_status run(stencil *t, const weft_stencil_params *how) {
  uint64_t scalars[2 * WEFT__MAX_SCALARS];
  weft__input input[WEFT_MAX_OPERANDS];
  weft_array *array[WEFT__MAX_ARRAYS];
  weft__call *c = &t->call;
  int arrays = 0;
  WEFT__TRY_RETURN(weft__call_check(c));
  WEFT__TRY_RETURN(weft__call_broadcast_all(&t->shape, c));
  if (t->shape.ndim == 0)
    return weft__fail(WEFT_ERROR_SHAPE, "variables", "no variable has axes; expected an array with at least one");
  t->function.axes = t->shape.ndim;
  weft__call_inputs(input, c);
  WEFT__TRY_RETURN(weft__plan_get(&t->plan, &t->function, c->context, input));
  WEFT__TRY_RETURN(check_shapes(t));
  WEFT__TRY_RETURN(set_border(t, how));
  WEFT__TRY_RETURN(weft__call_scalars(scalars, c, &t->plan.plan->formula, t->shape, t->plan.numbers));
  WEFT__TRY_RETURN(weft__call_upload(c));
  for (int k = 0; k < c->results; k++) WEFT__TRY_RETURN(make_result(c, k, t->plan.plan->result[k], t->shape));
  if (c->array[0]->size == 0) return WEFT_OK;
  for (int k = 0; k < c->results + c->inputs; k++)
    if (c->array[k]) array[arrays++] = c->array[k];
  return weft__stencil_run(t->plan.plan, t->shape, array, scalars, &t->border, c->site);
}

static weft_status apply(const weft__elementwise *function, const weft__evaluation *e, weft_context *context,
                         const char *site) {
  stencil *t = weft__scratch_begin_zeroed(sizeof *t);
  if (!t) return WEFT_ERROR_HOST_MEMORY;
  t->function = *function;
  weft__call_open(&t->call, context, e->results, e->result, e->variables, e->variable, e->variable_name, site);
  t->call.result_name = e->result_name;
  const weft_status rc = weft__call_close(&t->call, run(t, e->how));
  weft__scratch_end(t);
  return rc;
}

weft_status weft__stencil_at(weft_operand out, weft_context *context, const char *text, int variable_count,
                             const weft_operand *variables, const char *site) {
  weft_status rc;
  weft_stencil_params how = {.mode = WEFT_PAD_CONSTANT};
  weft__enter("weft_stencil", site);
  weft__evaluation_room *room = weft__scratch_begin(sizeof *room);
  WEFT__TRY(room ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  weft__evaluation e = weft__evaluation_in(room);
  e.how = &how;
  e.is_elementwise = true;
  WEFT__TRY(weft__evaluation_set(&e, &out, text, variable_count, variables));
  rc = weft__evaluation_run(&e, apply, context, site);
done:
  weft__scratch_end(room);
  return weft__leave(rc);
}
