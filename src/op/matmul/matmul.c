// SPDX-License-Identifier: MIT
/// weft_matmul: checks, dtypes, results, the epilogue.
#include "op/matmul/matmul.h"

#include <string.h>

#include "base/scratch.h"
#include "expr/lexer.h"
#include "expr/parser.h"
#include "op/matmul/layout.h"

/// A call in progress. The operands are a, b, and the epilogue's variables.
typedef struct product {
  weft__call call;
  const weft_matmul_params *params;
  weft_operand operand[WEFT_MAX_OPERANDS];
  const char *name[WEFT_MAX_OPERANDS];
  int variables;
  weft__matmul_shapes shapes;
  weft__plan_use plan; /* of the epilogue */
  weft__matmul_task task;
} product;

/* ---- the caller's arguments ---- */

static weft_status check_params(const weft_matmul_params *p) {
  if ((int)p->precision < 0 || (int)p->precision >= WEFT_PRECISION_COUNT)
    return weft__fail(WEFT_ERROR_ARGUMENT, "precision", "`precision` is %d, which is no weft_precision",
                      (int)p->precision);
  if (p->epilogue.variable_count && !p->epilogue.text)
    return weft__fail(WEFT_ERROR_ARGUMENT, "epilogue", "the epilogue has variables and no text");
  if (p->epilogue.variable_count < 0 || p->epilogue.variable_count > WEFT_MAX_OPERANDS - 3)
    return weft__fail(WEFT_ERROR_ARGUMENT, "epilogue", "the epilogue has %d variables; expected 0 to %d",
                      p->epilogue.variable_count, WEFT_MAX_OPERANDS - 3);
  if (p->epilogue.variable_count && !p->epilogue.variables)
    return weft__fail(WEFT_ERROR_ARGUMENT, "epilogue", "the epilogue's `variables` is NULL");
  return WEFT_OK;
}

static weft_status add_variable(product *p, const weft_operand *o, int number) {
  if (!o->name)
    return weft__fail(WEFT_ERROR_ARGUMENT, "epilogue",
                      "variable %d of the epilogue has no name; expected WEFT_VAR(x) or WEFT_NAMED(\"x\", ...)",
                      number);
  const char *name = weft__plain_name(o->name);
  if (o->kind != WEFT_OPERAND_ARRAY && o->kind != WEFT_OPERAND_SCALAR && o->kind != WEFT_OPERAND_HOST)
    return weft__fail(WEFT_ERROR_ARGUMENT, name, "`%s` is not an array, a scalar or host memory", name);
  if (!weft__is_name(name, strlen(name)))
    return weft__fail(WEFT_ERROR_ARGUMENT, name,
                      "`%s` is no name that an expression can use; WEFT_NAMED(\"x\", %s) gives it one", name, name);
  if (strcmp(name, "value") == 0)
    return weft__fail(WEFT_ERROR_ARGUMENT, name, "`value` is the product's element in an epilogue, not a variable");
  for (int other = 2; other < 2 + p->variables; other++)
    if (strcmp(p->name[other], name) == 0) return weft__fail(WEFT_ERROR_ARGUMENT, name, "`%s` is given twice", name);
  p->operand[2 + p->variables] = *o;
  p->name[2 + p->variables++] = name;
  return WEFT_OK;
}

/* ---- dtypes and numbers ---- */

weft_dtype weft__matmul_accumulator(weft_dtype dtype) {
  const weft__dtype_row *row = weft__dtype(dtype);
  if (row->kind == 'f' || row->kind == 'c') return weft__computed_dtype(dtype);
  return row->size_bytes == 8 ? WEFT_U64 : WEFT_U32;
}

static weft_status choose_dtypes(product *p) {
  weft__matmul_task *t = &p->task;
  const weft_dtype promoted = weft__promote(weft__call_dtype(&p->call, 0), weft__call_dtype(&p->call, 1));
  const weft_dtype wanted = p->params->dtype;
  if (wanted) WEFT__TRY_RETURN(weft__dtype_check(wanted, p->call.context));
  if (wanted && !weft__casts_same_kind(promoted, wanted))
    return weft__fail(WEFT_ERROR_DTYPE, "dtype",
                      "`a` and `b` promote to %s, which is not cast to %s, the given dtype, implicitly; use weft_cast",
                      weft_dtype_name(promoted), weft_dtype_name(wanted));
  t->product = wanted ? wanted : promoted;
  WEFT__TRY_RETURN(weft__dtype_check(t->product, p->call.context));
  t->accumulator = weft__matmul_accumulator(t->product);
  return WEFT_OK;
}

/// The bytes of `scale` or `accumulate` as an accumulator of the task. *is_given: it is another number than `neutral`.
static weft_status read_factor(bool *is_given, uint64_t bytes[2], const weft__matmul_task *t, weft_scalar factor,
                               int neutral, const char *name) {
  uint64_t plain[2], exact[2];
  *is_given = false;
  if (factor.dtype == WEFT_DTYPE_NONE && factor.value.f != 0) /* C takes `.scale = 2` for the struct's first member */
    return weft__fail(WEFT_ERROR_ARGUMENT, name, "`%s` has a value without a dtype; expected WEFT_SCALAR(%g)", name,
                      factor.value.f);
  if (factor.dtype == WEFT_DTYPE_NONE) return WEFT_OK;
  if (!weft__dtype(factor.dtype))
    return weft__fail(WEFT_ERROR_ARGUMENT, name, "`%s` has dtype %d, which is no weft_dtype", name, (int)factor.dtype);
  if (weft__promote_weak(t->product, weft__weak_dtype(factor.dtype)) != t->product)
    return weft__fail(WEFT_ERROR_DTYPE, name, "`%s` is %s, which the product's dtype %s cannot hold", name,
                      weft_dtype_name(factor.dtype), weft_dtype_name(t->product));
  WEFT__TRY_RETURN(weft__element_bytes(exact, weft__computed_dtype(t->product), factor, name));
  WEFT__TRY_RETURN(
      weft__element_bytes(bytes, t->accumulator, weft__scalar_fitted(factor, t->accumulator, WEFT__FIT_WRAP), name));
  if (t->product == WEFT_BOOL) bytes[0] = bytes[0] != 0;
  WEFT__TRY_RETURN(weft__element_bytes(plain, t->accumulator, WEFT_SCALAR(neutral), name));
  *is_given = bytes[0] != plain[0] || bytes[1] != plain[1];
  return WEFT_OK;
}

weft_status weft__matmul_factors(weft__matmul_task *t, weft_scalar scale, weft_scalar accumulate,
                                 const weft_operand *out) {
  WEFT__TRY_RETURN(read_factor(&t->has_scale, t->scale, t, scale, 1, "scale"));
  WEFT__TRY_RETURN(read_factor(&t->has_accumulate, t->accumulate, t, accumulate, 0, "accumulate"));
  if (!t->has_accumulate) return WEFT_OK;
  if (out->kind == WEFT_OPERAND_RESULT && out->as.result && !*out->as.result)
    return weft__fail(WEFT_ERROR_ARGUMENT, "out",
                      "`out` is a new array; `accumulate` adds to a given one, whose elements are there already");
  const weft_dtype dtype = out->kind == WEFT_OPERAND_RESULT && out->as.result ? (*out->as.result)->dtype
                           : out->kind == WEFT_OPERAND_HOST_RESULT            ? out->as.host_result.dtype
                                                                              : t->product;
  if (weft__casts_same_kind(dtype, t->product)) return WEFT_OK;
  return weft__fail(WEFT_ERROR_DTYPE, "out",
                    "`out` is %s, which is not cast to %s, the product's dtype, implicitly: `accumulate` adds in this "
                    "dtype",
                    weft_dtype_name(dtype), weft_dtype_name(t->product));
}

/* ---- the epilogue ---- */

static weft_status build_epilogue(weft__formula *f, const weft__elementwise *function) {
  const product *p = function->data;
  const char *name[WEFT_MAX_OPERANDS] = {"value"};
  const weft_dtype dtype = weft__computed_dtype(p->task.product);
  for (int k = 0; k < p->variables; k++) name[1 + k] = p->name[2 + k];
  const weft__expression expression = {
      .text = p->params->epilogue.text, .variable = name, .has_value = true, .results = 1, .result_dtype = &dtype};
  WEFT__TRY_RETURN(weft__parse(f, &expression));
  for (int k = 0; k < f->count; k++)
    if (f->node[k].kind == WEFT__NODE_INDEX || f->node[k].kind == WEFT__NODE_SIZE)
      return weft__fail(WEFT_ERROR_EXPRESSION, "epilogue", "an epilogue has no `i` and no `n`");
  return WEFT_OK;
}

static weft_status find_plan(product *p) {
  weft_status rc;
  weft__text text = {0};
  weft__input input[WEFT_MAX_OPERANDS] = {{.dtype = weft__computed_dtype(p->task.product)}};
  weft__text_add_bytes(&text, p->params->epilogue.text, strlen(p->params->epilogue.text) + 1);
  for (int k = 0; k < p->variables; k++) {
    weft__text_add_bytes(&text, p->name[2 + k], strlen(p->name[2 + k]) + 1);
    input[1 + k] =
        (weft__input){.dtype = weft__call_dtype(&p->call, 2 + k), .is_scalar = weft__call_is_scalar(&p->call, 2 + k)};
  }
  if (text.failed) WEFT__TRY(weft__fail_host_memory(text.length));
  const weft__elementwise function = {.name = "matmul",
                                      .kind = WEFT__KIND_MATMUL,
                                      .key = weft__text_chars(&text),
                                      .key_size = text.length,
                                      .results = 1,
                                      .inputs = 1 + p->variables,
                                      .build = build_epilogue,
                                      .data = p};
  WEFT__TRY(weft__plan_get(&p->plan, &function, p->call.context, input));
  p->task.epilogue = p->plan.plan;
done:
  weft__text_free(&text);
  return rc;
}

static weft_status check_side(const product *p, int k) {
  const weft_shape shape = weft__call_shape(&p->call, 2 + k);
  weft_shape whole = p->shapes.result;
  weft__text text = {0};
  int axis;
  if (shape.ndim <= whole.ndim && weft__broadcast_shapes(&whole, shape, &axis) &&
      weft__same_shape(whole, p->shapes.result))
    return WEFT_OK;
  weft__text_add(&text, "`%s` is ", p->name[2 + k]);
  weft__add_shape(&text, weft__call_dtype(&p->call, 2 + k), shape);
  weft__text_add(&text, ", the product is ");
  weft__add_shape(&text, p->task.product, p->shapes.result);
  weft__fail(WEFT_ERROR_SHAPE, p->name[2 + k], "%s: a variable of an epilogue broadcasts to the product's shape",
             weft__text_chars(&text));
  weft__text_free(&text);
  return WEFT_ERROR_SHAPE;
}

static weft_status describe_epilogue(product *p) {
  weft__matmul_task *t = &p->task;
  if (!p->params->epilogue.text) return WEFT_OK;
  for (int k = 0; k < p->variables; k++) {
    if (weft__call_is_scalar(&p->call, 2 + k)) continue;
    WEFT__TRY_RETURN(check_side(p, k));
    if (t->sides == WEFT__MATMUL_SIDES)
      return weft__fail(WEFT_ERROR_ARGUMENT, "epilogue", "more than %d variables of the epilogue are arrays",
                        WEFT__MATMUL_SIDES);
    t->side_input[t->sides++] = 1 + k;
  }
  WEFT__TRY_RETURN(find_plan(p));
  /* the formula's input 0 is the value, and 1 the first variable: they are in the places of `b` and operand 2 */
  weft__call shifted = p->call;
  shifted.operand++;
  shifted.operand_name++;
  return weft__call_scalars(t->scalars, &shifted, &p->plan.plan->formula, p->shapes.result, p->plan.numbers);
}

/* ---- operands and the result ---- */

static weft_status align_operands(product *p) {
  weft__call *c = &p->call;
  for (int k = 0; k < c->inputs; k++) {
    const weft_array *x = c->array[1 + k];
    if (x && !weft__matmul_is_aligned(x)) WEFT__TRY_RETURN(weft__call_copy(c, 1 + k, x, x->dtype));
  }
  return WEFT_OK;
}

weft_status weft__matmul_read_old(weft__call *c) {
  const weft_operand *out = &c->result[0];
  weft_array *x = c->temporary[0];
  if (out->kind == WEFT_OPERAND_RESULT) return weft__assign(x, *out->as.result, c->site);
  return weft__array_is_at(x, out->as.host_result.data) ? WEFT_OK
                                                        : weft__array_write(x, out->as.host_result.data, true, c->site);
}

static weft_status make_result(product *p) {
  weft__call *c = &p->call;
  WEFT__TRY_RETURN(weft__call_result(c, 0, p->task.product, p->shapes.result));
  const weft_array *x = c->array[0];
  bool is_apart = weft__matmul_is_aligned(x);
  for (int k = 0; k < 2; k++) is_apart = is_apart && !weft__arrays_overlap(x, c->array[1 + k]);
  if (!is_apart) WEFT__TRY_RETURN(weft__call_temporary(c, 0, x->dtype, p->shapes.result));
  return c->temporary[0] && p->task.has_accumulate ? weft__matmul_read_old(c) : WEFT_OK;
}

static weft_status multiply(product *p) {
  weft__call *c = &p->call;
  weft__matmul_task *t = &p->task;
  weft_array *side[WEFT__MATMUL_SIDES];
  WEFT__TRY_RETURN(weft__call_check(c));
  WEFT__TRY_RETURN(weft__matmul_shapes_of(&p->shapes, c));
  WEFT__TRY_RETURN(choose_dtypes(p));
  WEFT__TRY_RETURN(weft__matmul_factors(t, p->params->scale, p->params->accumulate, c->result));
  WEFT__TRY_RETURN(describe_epilogue(p));
  WEFT__TRY_RETURN(weft__call_upload(c));
  WEFT__TRY_RETURN(align_operands(p));
  WEFT__TRY_RETURN(make_result(p));
  if (c->array[0]->size == 0) return WEFT_OK;
  for (int s = 0; s < t->sides; s++) side[s] = c->array[2 + t->side_input[s]];
  t->context = c->context;
  t->site = c->site;
  t->precision = p->params->precision;
  weft__matmul_layout(t, &p->shapes, side, c->array[1], c->array[2], c->array[0]);
  return weft__matmul_run(t);
}

weft_status weft__matmul_at(weft_operand out, weft_operand a, weft_operand b, const weft_matmul_params *params) {
  static const weft_matmul_params none;
  weft_status rc;
  if (!params) params = &none;
  weft__enter("weft_matmul", params->site);
  product *p = weft__scratch_begin_zeroed(sizeof *p);
  WEFT__TRY(p ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  p->params = params;
  p->operand[0] = a, p->operand[1] = b;
  p->name[0] = "a", p->name[1] = "b";
  WEFT__TRY(check_params(params));
  for (int k = 0; k < params->epilogue.variable_count; k++)
    WEFT__TRY(add_variable(p, &params->epilogue.variables[k], k + 1));
  weft__call_open(&p->call, NULL, 1, &out, 2 + p->variables, p->operand, p->name, params->site);
  rc = weft__call_close(&p->call, multiply(p));
done:
  weft__scratch_end(p);
  return weft__leave(rc);
}
