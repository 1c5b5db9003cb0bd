// SPDX-License-Identifier: MIT
/// Reductions of a formula over several arrays, by name or by the user's own combination. The formula becomes a
/// function in the kernel. Its first result is the value of an element; its second result, for a combination, combines
/// two further inputs.
#include <string.h>
#include <weft/eval.h>

#include "base/scratch.h"
#include "call/chunk.h"
#include "dtype/scalar.h"
#include "expr/lexer.h"
#include "expr/parser.h"
#include "expr/reduction.h"
#include "map/cast.h"
#include "map/function.h"
#include "op/reduce/reduce.h"
#include "op/reduce/tuning.h"
#include "op/ufunc/reduced.h"

typedef struct reduction {
  weft__call call;
  int64_t size; /* elements to which the variables are broadcast */
  const char *text;
  weft_reduction how;
  bool is_given; /* whether `how` was given */
  const weft_operand *out;
  weft_axes axes;
  const char *site;
  bool is_second; /* `text` names an array that holds the formula's values */
  int variables;
  weft_operand variable[WEFT_MAX_OPERANDS];
  const char *name[WEFT_MAX_OPERANDS];
  bool is_apart; /* the plan computes the values into an array, as weft_eval does, outside a reduction's kernel */
  const weft__plan_call *given; /* its values are reduced, not the text's */
  weft__plan_use plan;
  weft_dtype mapped; /* the dtype of the formula's values */
  weft__reduce_task task;
  uint64_t scalars[2 * WEFT__MAX_SCALARS]; /* the formula's, for `task` */
} reduction;

/* ---- the caller's arguments ---- */

/// `item`: the number of the variable among the arguments after the axes.
static weft_status check_variable(const reduction *r, int k, int item) {
  const weft_operand *o = &r->variable[k];
  if (!o->name)
    return weft__fail(WEFT_ERROR_ARGUMENT, "variable",
                      "argument %d after the axes has no name; expected WEFT_VAR(x) or WEFT_NAMED(\"x\", ...)", item);
  if (o->kind != WEFT_OPERAND_ARRAY && o->kind != WEFT_OPERAND_SCALAR && o->kind != WEFT_OPERAND_HOST)
    return weft__fail(WEFT_ERROR_ARGUMENT, o->name, "`%s` is not an array, a scalar or host memory", o->name);
  if (!weft__is_name(o->name, strlen(o->name)))
    return weft__fail(WEFT_ERROR_ARGUMENT, o->name,
                      "`%s` is no name that an expression can use; WEFT_NAMED(\"x\", %s) gives it one", o->name,
                      o->name);
  for (int other = 0; other < k; other++)
    if (strcmp(r->name[other], o->name) == 0)
      return weft__fail(WEFT_ERROR_ARGUMENT, o->name, "`%s` is given twice", o->name);
  return WEFT_OK;
}

static weft_status check_how(const reduction *r) {
  if ((int)r->how.op < 0 || (int)r->how.op >= WEFT_REDUCE_COUNT)
    return weft__fail(WEFT_ERROR_ARGUMENT, "reduction", "`op` is %d, which is no reduction", (int)r->how.op);
  if (r->how.combine && r->how.op)
    return weft__fail(WEFT_ERROR_ARGUMENT, "reduction", "both `op` and `combine` are given; expected one of them");
  if (r->how.combine && !weft__dtype(r->how.neutral.dtype))
    return weft__fail(WEFT_ERROR_ARGUMENT, "reduction",
                      "`combine` is given without `neutral`; expected the value that changes nothing, such as "
                      "WEFT_SCALAR(0)");
  if (!r->how.combine && r->how.neutral.dtype)
    return weft__fail(WEFT_ERROR_ARGUMENT, "reduction", "`neutral` is given without `combine`, which needs it");
  if (r->how.ddof != 0 && !weft__is_variance(r->how.op))
    return weft__fail(WEFT_ERROR_ARGUMENT, "reduction", "`ddof` is %g, but `op` is no variance or deviation",
                      r->how.ddof);
  if (r->how.order != 0 && r->how.op != WEFT_REDUCE_NORM)
    return weft__fail(WEFT_ERROR_ARGUMENT, "reduction", "`order` is %g, but `op` is not WEFT_REDUCE_NORM",
                      r->how.order);
  if (r->how.dtype && !weft__dtype(r->how.dtype))
    return weft__fail(WEFT_ERROR_DTYPE, "reduction", "`dtype` is %d, which is no weft_dtype", (int)r->how.dtype);
  return WEFT_OK;
}

static weft_status set_how(reduction *r, const weft_reduction *how) {
  if (r->is_given)
    return weft__fail(WEFT_ERROR_ARGUMENT, "reduction", "WEFT_REDUCTION is given twice; expected it once");
  r->is_given = true;
  if (how) r->how = *how;
  return check_how(r);
}

static weft_status set_variables(reduction *r, int count, const weft_operand *items) {
  bool shaped = false;
  r->variables = 0;
  for (int k = 0; k < count; k++) r->variables += items[k].kind != WEFT_OPERAND_REDUCTION;
  if (r->variables < 1 || r->variables > WEFT_MAX_OPERANDS - 3)
    return weft__fail(WEFT_ERROR_ARGUMENT, "variable_count", "%d variables given; expected 1 to %d", r->variables,
                      WEFT_MAX_OPERANDS - 3);
  for (int item = 0, k = 0; item < count; item++) {
    if (items[item].kind == WEFT_OPERAND_REDUCTION) {
      WEFT__TRY_RETURN(set_how(r, items[item].as.reduction));
      continue;
    }
    r->variable[k] = items[item];
    WEFT__TRY_RETURN(check_variable(r, k, item + 1));
    r->name[k++] = items[item].name;
    shaped = shaped || items[item].kind != WEFT_OPERAND_SCALAR;
  }
  if (shaped) return WEFT_OK;
  return weft__fail(WEFT_ERROR_ARGUMENT, "variable", "no variable has a shape; there is nothing to reduce");
}

/* ---- the plan ---- */

static weft_status parse_map(weft__formula *f, const reduction *r) {
  const weft__expression expression = {.text = r->text,
                                       .variable = r->name,
                                       .may_reduce = true,
                                       .has_value = true,
                                       .results = 1,
                                       .result_dtype = r->how.dtype ? &r->how.dtype : NULL};
  return weft__parse(f, &expression);
}

/// Parses the combination, an expression of two further inputs `a` and `b`. The formula's own variables are renamed to
/// "", so that it cannot use them.
static weft_status parse_combination(weft__formula *f, const reduction *r) {
  const char *name[WEFT_MAX_OPERANDS];
  const weft_dtype dtype = weft__computed_dtype(f->node[f->result[0]].dtype);
  for (int k = 0; k < r->variables; k++) name[k] = "";
  for (int k = 0; k < 2; k++) {
    name[r->variables + k] = k ? "b" : "a";
    f->input[f->inputs++] = (weft__input){.dtype = dtype};
  }
  const weft__expression expression = {.text = r->how.combine,
                                       .variable = name,
                                       .may_ignore = true,
                                       .has_value = true,
                                       .results = 1,
                                       .result_dtype = &dtype};
  return weft__while(weft__parse(f, &expression), "reading the combination `%s`", r->how.combine);
}

static weft_status build_map(weft__formula *f, const weft__elementwise *function) {
  const reduction *r = function->data;
  WEFT__TRY_RETURN(parse_map(f, r));
  return f->failed || !r->how.combine ? WEFT_OK : parse_combination(f, r);
}

static weft_status find_plan(reduction *r) {
  weft_status rc;
  weft__text text = {0};
  if (r->given) {
    r->plan.plan = r->given->plan;
    r->plan.numbers = r->given->numbers;
    return WEFT_OK;
  }
  weft__input input[WEFT_MAX_OPERANDS];
  const char begin[] = {(char)r->how.dtype, r->how.combine != NULL, r->is_apart};
  weft__text_add_bytes(&text, begin, sizeof begin);
  weft__text_add_bytes(&text, r->text, strlen(r->text) + 1);
  if (r->how.combine) weft__text_add_bytes(&text, r->how.combine, strlen(r->how.combine) + 1);
  for (int k = 0; k < r->variables; k++) weft__text_add_bytes(&text, r->name[k], strlen(r->name[k]) + 1);
  if (text.failed) WEFT__TRY(weft__fail_host_memory(text.length));
  const weft__elementwise function = {.name = r->is_apart ? "eval" : "reduce",
                                      .kind = WEFT__KIND_REDUCE,
                                      .key = weft__text_chars(&text),
                                      .key_size = text.length,
                                      .inputs = r->variables,
                                      .build = build_map,
                                      .data = r};
  weft__call_inputs(input, &r->call);
  rc = weft__plan_get(&r->plan, &function, r->call.context, input);
done:
  weft__text_free(&text);
  return rc;
}

/* ---- the call ---- */

static double parameter_of(const weft_reduction *how) {
  return how->op == WEFT_REDUCE_NORM ? how->order : how->ddof;
}

static weft_status describe(reduction *r) {
  weft__reduce_what *what = &r->task.what;
  bool has_fp64 = r->call.context->core.device->info.has_fp64;
  weft_dtype dtype = r->plan.plan->result[0];
  /* values are read alike for all reductions: a combination takes the maximum's description */
  weft_reduction_id id = r->how.combine ? WEFT_REDUCE_MAX : r->how.op;
  WEFT__TRY_RETURN(weft__reduce_describe(&r->task, id, dtype, has_fp64, parameter_of(&r->how)));
  what->source = WEFT__SOURCE_FORMULA;
  what->mapped = (uint8_t)dtype;
  r->task.plan = r->plan.plan;
  if (!r->how.combine) return WEFT_OK;
  what->gather = WEFT__GATHER_USER;
  what->greatest = 0;
  r->task.name = "reduce";
  r->task.empty = r->how.neutral;
  return weft__element_bytes(r->task.neutral, weft__computed_dtype(dtype), r->how.neutral, "reduction");
}

static weft_status reduce_variables(reduction *r, weft_context *context, int count, const weft_operand *variables);

/// Computes the values into an array.
static weft_status make_values(weft_array **values, const reduction *r) {
  const weft_operand out = WEFT_OPERAND(values);
  return r->given ? weft__apply_plan(r->given, 1, &out, NULL)
                  : weft__eval_at(out, r->call.context, r->text, r->variables, r->variable, r->site);
}

/// Computes the values into an array, then reduces the array in a second call with one variable.
static weft_status reduce_apart(const reduction *r) {
  weft_status rc;
  weft_array *values = NULL, *cast = NULL;
  reduction *second = NULL;
  WEFT__TRY(make_values(&values, r));
  if (r->how.combine) {
    const weft_operand value = WEFT_NAMED("value", values);
    WEFT__TRY((second = weft__scratch_begin_zeroed(sizeof *second)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
    second->text = "value";
    second->how = r->how;
    second->out = r->out;
    second->axes = r->axes;
    second->site = r->site;
    second->is_second = true;
    rc = reduce_variables(second, r->call.context, 1, &value);
  } else {
    if (r->how.dtype) WEFT__TRY(weft__cast(&cast, values, r->how.dtype, r->site));
    rc = weft__reduce_apply_at(r->how.op, *r->out, WEFT_OPERAND(cast ? cast : values), r->axes, parameter_of(&r->how),
                               r->site);
  }
done:
  weft__scratch_end(second);
  weft_array_release(&cast);
  weft_array_release(&values);
  return rc;
}

/// Finds the variables' shape and the task. The plan is found.
static weft_status find_task(reduction *r) {
  weft_shape shape = WEFT_SHAPE_0D;
  WEFT__TRY_RETURN(weft__call_broadcast_all(&shape, &r->call));
  WEFT__TRY_RETURN(weft__shape_check(&r->size, shape, r->plan.plan->result[0], "variable"));
  WEFT__TRY_RETURN(weft__reduce_axes(&r->task, r->how.combine ? WEFT_REDUCE_DEFAULT : r->how.op, shape, r->axes));
  WEFT__TRY_RETURN(describe(r));
  r->task.scalars = r->scalars;
  return weft__call_scalars(r->scalars, &r->call, &r->plan.plan->formula, shape, r->plan.numbers);
}

/// The two steps of reduce_apart_in_chunks.
typedef struct two_steps {
  reduction first, then;
} two_steps;

static weft_status run_two_steps(bool *is_made, reduction *r, two_steps *w) {
  uint64_t scalars[2 * WEFT__MAX_SCALARS], chunk_bytes = 0;
  reduction *first = &w->first, *then = &w->then;
  weft__reduce_task *task = &then->task;
  *first = *r;
  first->how = (weft_reduction){.dtype = WEFT_DTYPE_NONE};
  first->is_apart = true;
  then->call = r->call;
  then->text = "value";
  then->how = r->how;
  then->axes = r->axes;
  WEFT__TRY_RETURN(find_plan(first));
  WEFT__TRY_RETURN(
      weft__call_scalars(scalars, &first->call, &first->plan.plan->formula, r->task.shape, first->plan.numbers));
  const weft__reduce_values values = {
      .plan = first->plan.plan, .scalars = scalars, .cast = r->how.combine ? WEFT_DTYPE_NONE : r->how.dtype};
  weft_dtype dtype = values.cast ? values.cast : first->plan.plan->result[0];
  if (r->how.combine) {
    const weft_operand value = WEFT_NAMED("value", WEFT_HOST(NULL, dtype, r->task.shape));
    WEFT__TRY_RETURN(set_variables(then, 1, &value));
    weft__call_open(&then->call, r->call.context, 1, r->call.result, 1, then->variable, then->name, r->site);
    WEFT__TRY_RETURN(find_plan(then));
    WEFT__TRY_RETURN(find_task(then));
  } else {
    bool has_fp64 = r->call.context->core.device->info.has_fp64;
    WEFT__TRY_RETURN(weft__reduce_axes(task, r->how.op, r->task.shape, r->axes));
    WEFT__TRY_RETURN(weft__reduce_describe(task, r->how.op, dtype, has_fp64, parameter_of(&r->how)));
  }
  WEFT__TRY_RETURN(weft__reduce_chunk_bytes(&chunk_bytes, &r->call, task, &values));
  *is_made = chunk_bytes > 0;
  return *is_made ? weft__reduce_in_chunks(&r->call, task, &values, chunk_bytes) : WEFT_OK;
}

/// Does what reduce_apart does chunk by chunk, if the host memory or the number of values calls for chunks; *is_made is
/// true then.
static weft_status reduce_apart_in_chunks(bool *is_made, reduction *r) {
  two_steps *w = weft__scratch_begin_zeroed(sizeof *w);
  const weft_status rc = w ? run_two_steps(is_made, r, w) : WEFT_ERROR_HOST_MEMORY;
  weft__scratch_end(w);
  return rc;
}

static weft_status reduce_plan(reduction *r);

/// Reduces values that depend on reduced values.
static weft_status reduce_in_parts(reduction *r) {
  typedef struct parts {
    weft__remainder rest;
    reduction last;
  } parts;
  weft_status rc;
  if (r->how.combine) return reduce_apart(r);
  parts *w = weft__scratch_begin_zeroed(sizeof *w);
  if (!w) return WEFT_ERROR_HOST_MEMORY;
  WEFT__TRY(weft__remainder_open(&w->rest, &r->call, r->plan.plan, r->plan.numbers));
  w->last.how = r->how;
  w->last.how.dtype = WEFT_DTYPE_NONE; /* the plan casts */
  w->last.out = r->out;
  w->last.axes = r->axes;
  w->last.site = r->site;
  w->last.given = &w->rest.call;
  rc = reduce_plan(&w->last);
done:
  weft__remainder_close(&w->rest);
  weft__scratch_end(w);
  return rc;
}

static weft_status run(reduction *r) {
  uint64_t chunk_bytes = 0;
  bool is_made = false;
  WEFT__TRY_RETURN(weft__call_check(&r->call));
  WEFT__TRY_RETURN(find_plan(r));
  if (r->plan.plan->formula.reductions) return reduce_in_parts(r);
  WEFT__TRY_RETURN(find_task(r));
  bool is_direct = weft__reduce_is_direct(&r->call, &r->task);
  if (!is_direct && !r->is_second) {
    if (weft__uses_host_memory(&r->call) || r->size > WEFT__REDUCE_MANY_VALUES)
      WEFT__TRY_RETURN(reduce_apart_in_chunks(&is_made, r));
    return is_made ? WEFT_OK : reduce_apart(r);
  }
  if (is_direct) WEFT__TRY_RETURN(weft__reduce_chunk_bytes(&chunk_bytes, &r->call, &r->task, NULL));
  if (chunk_bytes) return weft__reduce_in_chunks(&r->call, &r->task, NULL, chunk_bytes);
  WEFT__TRY_RETURN(weft__call_upload(&r->call));
  /* the launch copies this array again if its reduced axes do not follow each other */
  if (!is_direct) WEFT__TRY_RETURN(weft__call_contiguous_operand(&r->call, 0, WEFT_DTYPE_NONE));
  return weft__reduce_run(&r->call, &r->task);
}

static weft_status reduce_variables(reduction *r, weft_context *context, int count, const weft_operand *variables) {
  WEFT__TRY_RETURN(set_variables(r, count, variables));
  weft__call_open(&r->call, context, 1, r->out, r->variables, r->variable, r->name, r->site);
  return weft__call_close(&r->call, run(r));
}

/// Reduces the values of r->given.
static weft_status reduce_plan(reduction *r) {
  const weft__plan_call *values = r->given;
  r->variables = values->inputs;
  weft__call_open(&r->call, values->context, 1, r->out, r->variables, values->operand, values->name, r->site);
  return weft__call_close(&r->call, run(r));
}

static weft_status reduce_values(weft_array **out, const weft__plan_call *values, weft_reduction_id id, weft_axes axes,
                                 double parameter) {
  const weft_operand result = WEFT_OPERAND(out);
  const weft__formula *f = &values->plan->formula;
  if (f->node[f->result[0]].kind == WEFT__NODE_INPUT && values->operand[0].kind == WEFT_OPERAND_ARRAY)
    return weft__reduce_apply_at(id, result, values->operand[0], axes, parameter, values->site);
  reduction *r = weft__scratch_begin_zeroed(sizeof *r);
  if (!r) return WEFT_ERROR_HOST_MEMORY;
  r->how = (weft_reduction){.op = id, .ddof = parameter, .order = parameter};
  r->out = &result;
  r->axes = axes;
  r->site = values->site;
  r->given = values;
  const weft_status rc = reduce_plan(r);
  weft__scratch_end(r);
  return rc;
}

weft__value_reducer_function *const weft__value_reducer = reduce_values;

weft_status weft__reduce_at(weft_operand out, weft_context *context, const char *text, weft_axes axes,
                            int variable_count, const weft_operand *variables, const char *site) {
  weft__enter("weft_reduce", site);
  WEFT__NEED(text);
  WEFT__NEED(variables);
  reduction *r = weft__scratch_begin_zeroed(sizeof *r);
  if (!r) return weft__leave(WEFT_ERROR_HOST_MEMORY);
  r->text = text;
  r->out = &out;
  r->axes = axes;
  r->site = site;
  const weft_status rc = reduce_variables(r, context, variable_count, variables);
  weft__scratch_end(r);
  return weft__leave(rc);
}
