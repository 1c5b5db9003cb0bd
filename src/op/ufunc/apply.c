// SPDX-License-Identifier: MIT
#include "op/ufunc/apply.h"

#include "base/scratch.h"
#include "op/ufunc/pipeline.h"
#include "op/ufunc/reduced.h"

/// A call in progress. Its arrays are the results, then the operands; NULL for a scalar.
typedef struct application {
  weft__call call;
  const weft__elementwise *function;
  weft_shape shape;
  weft__plan_use plan;
} application;

static weft_status find_plan(application *a) {
  weft__input input[WEFT_MAX_OPERANDS];
  weft__call_inputs(input, &a->call);
  return weft__plan_get(&a->plan, a->function, a->call.context, input);
}

/// Finds the shape of the call. If all operands are scalars, it is the shape of a given result, else one element
/// without axes.
static weft_status find_shape(application *a) {
  WEFT__TRY_RETURN(weft__call_broadcast_all(&a->shape, &a->call));
  for (int k = 0; k < a->call.inputs; k++)
    if (weft__call_is_shaped(&a->call, k)) return WEFT_OK;
  for (int k = 0; k < a->call.results; k++) {
    const weft_operand *result = &a->call.result[k];
    if (result->kind == WEFT_OPERAND_HOST_RESULT) {
      a->shape = result->as.host_result.shape;
      return WEFT_OK;
    }
    if (result->kind == WEFT_OPERAND_RESULT && result->as.result && *result->as.result) {
      a->shape = weft__array_shape(*result->as.result);
      return WEFT_OK;
    }
  }
  return WEFT_OK;
}

/// Launches with the results, then the operands that are arrays, in the order of the kernels' parameters. `raw`: room
/// for handles of the raw ones; NULL if the call has none.
static weft_status launch(application *a, const uint64_t *scalars, weft_array *raw) {
  weft_array *array[WEFT__MAX_ARRAYS];
  weft__call *c = &a->call;
  int arrays = 0;
  if (c->array[0]->size == 0) return WEFT_OK;
  for (int k = 0; k < c->results + c->inputs; k++) {
    if (!c->array[k]) continue;
    array[arrays++] = c->array[k];
    if (!raw || k < c->results || !c->is_raw[k - c->results]) continue;
    raw[k] = weft__array_borrow(c->array[k]);
    raw[k].ndim = 0;
    raw[k].size = 1;
    array[arrays - 1] = &raw[k];
  }
  return weft__plan_run(a->plan.plan, a->shape, array, scalars, NULL, c->site);
}

static weft_status launch_raw(application *a, const uint64_t *scalars) {
  weft_array *raw = weft__scratch_begin(WEFT__MAX_ARRAYS * sizeof *raw);
  const weft_status rc = raw ? launch(a, scalars, raw) : WEFT_ERROR_HOST_MEMORY;
  weft__scratch_end(raw);
  return rc;
}

/// Raw operands: arrays in one piece and in the parameter's dtype.
static weft_status check_raw(const weft__call *c) {
  for (int k = 0; k < c->inputs; k++)
    if (c->is_raw[k] && weft__call_is_scalar(c, k)) {
      const char *name = weft__call_operand_name(c, k);
      return weft__fail(WEFT_ERROR_ARGUMENT, name, "`%s` is a C scalar; the parameter is raw: expected an array", name);
    }
  return WEFT_OK;
}

static weft_status make_raw(application *a) {
  weft__call *c = &a->call;
  for (int k = 0; k < c->inputs; k++)
    if (c->is_raw[k]) WEFT__TRY_RETURN(weft__call_contiguous_operand(c, k, a->plan.plan->formula.input[k].dtype));
  return WEFT_OK;
}

/// Makes result k. Threads read raw operands where others write, so it shares no memory with them.
static weft_status make_result(application *a, int k) {
  weft__call *c = &a->call;
  WEFT__TRY_RETURN(weft__call_result(c, k, a->plan.plan->result[k], a->shape));
  for (int i = 0; c->is_raw && i < c->inputs; i++)
    if (c->is_raw[i] && weft__arrays_overlap(c->array[k], c->array[c->results + i]))
      return weft__call_temporary(c, k, c->array[k]->dtype, a->shape);
  return WEFT_OK;
}

/// Runs a plan that is found.
static weft_status run_plan(application *a) {
  weft_status rc;
  uint64_t scalars[2 * WEFT__MAX_SCALARS], chunk_bytes = 0;
  weft__call *c = &a->call;
  bool overlaps = false;
  WEFT__TRY(find_shape(a));
  WEFT__TRY(weft__call_scalars(scalars, c, &a->plan.plan->formula, a->shape, a->plan.numbers));
  if (!c->is_raw) WEFT__TRY(weft__apply_chunk_bytes(&chunk_bytes, &overlaps, c, a->plan.plan, a->shape));
  if (chunk_bytes) return weft__apply_in_chunks(c, a->plan.plan, a->shape, scalars, chunk_bytes);
  WEFT__TRY(weft__call_upload(c));
  if (c->is_raw) WEFT__TRY(make_raw(a));
  for (int k = 0; k < c->results; k++) WEFT__TRY(make_result(a, k));
  return c->is_raw ? launch_raw(a, scalars) : launch(a, scalars, NULL);
done:
  if (overlaps && (rc == WEFT_ERROR_BUDGET || rc == WEFT_ERROR_MEMORY))
    weft__while(rc, "working on the whole call at once: a result in host memory shares part of an operand's memory");
  return rc;
}

/// Computes the reduced values of the call's plan, then the elements.
static weft_status run_in_parts(application *a) {
  weft_status rc;
  weft__remainder *rest;
  weft__call *c = &a->call;
  bool done;
  WEFT__TRY_RETURN(weft__row_evaluator(&done, c, a->plan.plan, a->plan.numbers));
  if (done) return WEFT_OK;
  if (!(rest = weft__scratch_begin(sizeof *rest))) return WEFT_ERROR_HOST_MEMORY;
  WEFT__TRY(weft__remainder_open(rest, c, a->plan.plan, a->plan.numbers));
  rc = weft__apply_plan(&rest->call, c->results, c->result, c->result_name);
done:
  weft__remainder_close(rest);
  weft__scratch_end(rest);
  return rc;
}

static weft_status run(application *a) {
  WEFT__TRY_RETURN(weft__call_check(&a->call));
  if (a->call.is_raw) WEFT__TRY_RETURN(check_raw(&a->call));
  WEFT__TRY_RETURN(find_plan(a));
  return a->plan.plan->formula.reductions ? run_in_parts(a) : run_plan(a);
}

weft_status weft__apply_plan(const weft__plan_call *p, int results, const weft_operand *result,
                             const char *const *result_names) {
  application a;
  a.plan.plan = p->plan;
  a.plan.numbers = p->numbers;
  weft__call_open(&a.call, p->context, results, result, p->inputs, p->operand, p->name, p->site);
  a.call.result_name = result_names;
  const weft_status rc = weft__call_check(&a.call);
  return weft__call_close(&a.call, rc ? rc : run_plan(&a));
}

weft_status weft__apply(const weft__elementwise *function, weft_context *context, const weft_operand *results,
                        const weft_operand *operands, const char *const *result_names, const char *const *operand_names,
                        const char *site) {
  application a;
  a.function = function;
  weft__call_open(&a.call, context, function->results, results, function->inputs, operands, operand_names, site);
  a.call.result_name = result_names;
  a.call.is_raw = function->is_raw;
  return weft__call_close(&a.call, run(&a));
}

weft_status weft__apply_prepare(const weft__elementwise *function, weft_context *context, const weft_dtype *inputs) {
  application a;
  weft_status rc;
  weft_operand *operand = weft__scratch_begin(WEFT_MAX_OPERANDS * sizeof *operand);
  if (!operand) return WEFT_ERROR_HOST_MEMORY;
  a.function = function;
  for (int k = 0; k < function->inputs; k++)
    operand[k] = (weft_operand){.kind = WEFT_OPERAND_HOST, .as.host.dtype = inputs[k]};
  weft__call_open(&a.call, context, 0, NULL, function->inputs, operand, NULL, NULL);
  a.call.is_raw = function->is_raw;
  WEFT__TRY(find_plan(&a));
  rc = weft__plan_prepare(a.plan.plan, context);
done:
  weft__scratch_end(operand);
  return rc;
}
