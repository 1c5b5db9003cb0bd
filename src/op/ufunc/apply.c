// SPDX-License-Identifier: MIT
#include "op/ufunc/apply.h"

#include "op/ufunc/apply_chunks.h"

/// A call under way. Arrays: results first, then the operands; of a scalar NULL.
typedef struct application {
  weft__call call;
  const weft__map *function;
  weft_shape shape;
  weft__plan_use plan;
} application;

static weft_status find_plan(application *a) {
  weft__input input[WEFT_MAX_OPERANDS];
  weft__call_inputs(input, &a->call);
  return weft__map_plan(&a->plan, a->function, a->call.context, input);
}

/* ---- shapes ---- */

static weft_status fail_shapes(const application *a, int k, int first, int axis) {
  weft__text text = {0};
  weft_shape one = weft__call_shape(&a->call, first), two = weft__call_shape(&a->call, k);
  weft__text_add(&text, "`%s` is ", weft__call_operand_name(&a->call, first));
  weft__add_shape(&text, weft__call_dtype(&a->call, first), one);
  weft__text_add(&text, ", `%s` is ", weft__call_operand_name(&a->call, k));
  weft__add_shape(&text, weft__call_dtype(&a->call, k), two);
  weft__text_add(&text, ": they differ in axis %d", axis);
  if (one.ndim != two.ndim) weft__text_add(&text, " of the longer one (shapes are aligned at the last axis)");
  weft__fail(WEFT_ERROR_SHAPE, weft__call_operand_name(&a->call, k), "%s", weft__text_chars(&text));
  weft__text_free(&text);
  return WEFT_ERROR_SHAPE;
}

static weft_status find_shape(application *a) {
  int shaped = 0, axis, last = 0;
  a->shape = weft__shape(0, NULL);
  for (int k = 0; k < a->function->inputs; k++) {
    if (weft__call_is_scalar(&a->call, k)) continue;
    weft_shape shape = weft__call_shape(&a->call, k);
    if (shaped++ == 0) {
      a->shape = shape;
    } else if (!weft__broadcast_shapes(&a->shape, shape, &axis)) {
      /* name the operand that it does not go with, which need not be the one before */
      for (int other = 0; other < k; other++) {
        weft_shape pair = shape;
        if (!weft__call_is_scalar(&a->call, other) && !weft__broadcast_shapes(&pair, weft__call_shape(&a->call, other), &axis))
          return fail_shapes(a, k, other, axis);
      }
      return fail_shapes(a, k, last, axis);
    }
    last = k;
  }
  if (shaped > 0) return WEFT_OK;
  /* nothing but scalars: a result says the shape */
  for (int k = 0; k < a->function->results; k++) {
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
  return WEFT_OK; /* no axes: one element */
}

/// Results, then the operands that are arrays, as kernels have them.
static weft_status launch(application *a, const uint64_t *scalars) {
  weft_array *array[WEFT__MAX_ARRAYS];
  weft__call *c = &a->call;
  int arrays = 0;
  if (c->array[0]->size == 0) return WEFT_OK;
  for (int k = 0; k < c->results + c->inputs; k++)
    if (c->array[k]) array[arrays++] = c->array[k];
  return weft__plan_run(a->plan.plan, a->shape, array, scalars, NULL, c->site);
}

static weft_status run(application *a) {
  weft_status rc;
  uint64_t scalars[2 * WEFT__MAX_SCALARS], chunk_bytes = 0;
  weft__call *c = &a->call;
  bool overlaps = false;
  WEFT__TRY(weft__call_check(c));
  WEFT__TRY(find_plan(a));
  WEFT__TRY(find_shape(a));
  WEFT__TRY(weft__call_scalars(scalars, c, &a->plan.plan->formula, a->plan.numbers));
  WEFT__TRY(weft__apply_chunk(&chunk_bytes, &overlaps, c, a->plan.plan, a->shape));
  if (chunk_bytes) return weft__apply_in_chunks(c, a->plan.plan, a->shape, scalars, chunk_bytes);
  WEFT__TRY(weft__call_gather(c));
  for (int k = 0; k < c->results; k++) WEFT__TRY(weft__call_result(c, k, a->plan.plan->result[k], a->shape));
  return launch(a, scalars);
done:
  if (overlaps && (rc == WEFT_ERROR_BUDGET || rc == WEFT_ERROR_MEMORY))
    weft__while(rc, "working on all at once, as a result in host memory shares a part of an operand's");
  return rc;
}

weft_status weft__apply(const weft__map *function, weft_context *context, const weft_operand *results, const weft_operand *operands,
                        const char *const *result_names, const char *const *operand_names, const char *site) {
  application a;
  a.function = function;
  weft__call_open(&a.call, context, function->results, results, function->inputs, operands, result_names, operand_names, site);
  return weft__call_close(&a.call, run(&a));
}

weft_status weft__apply_prepare(const weft__map *function, weft_context *context, const weft_dtype *inputs) {
  weft_operand operand[WEFT_MAX_OPERANDS];
  application a = {.function = function};
  for (int k = 0; k < function->inputs; k++) operand[k] = (weft_operand){.kind = WEFT_OPERAND_HOST, .as.host.dtype = inputs[k]};
  weft__call_open(&a.call, context, 0, NULL, function->inputs, operand, NULL, NULL, NULL);
  WEFT__TRY_RETURN(find_plan(&a));
  return weft__plan_prepare(a.plan.plan, context);
}
