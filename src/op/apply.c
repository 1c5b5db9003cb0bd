// SPDX-License-Identifier: MIT
#include "op/apply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/scalar.h"

#define KEY_ROOM 1024

/// A call under way. Arrays: results first, then the operands that are arrays or host memory.
typedef struct call {
  const weft__map *function;
  const weft_operand *results, *operands;
  const char *const *result_names, *const *operand_names;
  const char *site;
  weft_context *context;
  weft_shape shape;
  int arrays;
  weft_array *array[WEFT__MAX_ARRAYS]; /* what the kernel gets */
  weft_array *mine[WEFT__MAX_ARRAYS];  /* made here for this call only: host memory's copies, results that overlap operands */
  bool made[WEFT__MAX_ARRAYS];         /* the result in *out is new */
  weft__plan *plan;
} call;

static const char *operand_name(const call *c, int k) {
  static const char *const letters[] = {"a", "b", "c", "d"};
  if (c->operand_names) return c->operand_names[k];
  return k < 4 ? letters[k] : "operand";
}

static const char *result_name(const call *c, int k) {
  if (c->result_names) return c->result_names[k];
  return k == 0 ? "out" : "out2";
}

/// Whose memory the steps from here on are about; only the trace asks.
static void about(const char *name) {
  char quoted[80];
  if (!weft__tracing()) return;
  snprintf(quoted, sizeof quoted, "`%s`", name);
  weft__trace_about(quoted);
}

/* ---- context ---- */

static weft_status use_context(call *c, const weft_array *x, const char *name) {
  weft_status rc = weft__array_check(x, name);
  if (rc) return rc;
  if (!c->context) c->context = x->context;
  if (c->context != x->context)
    return weft__fail(WEFT_ERROR_CONTEXT, name, "`%s` belongs to another context than the arrays before it", name);
  return WEFT_OK;
}

static weft_status find_context(call *c) {
  weft_status rc = c->context ? weft__context_check(c->context) : WEFT_OK;
  for (int k = 0; k < c->function->inputs && rc == WEFT_OK; k++)
    if (c->operands[k].kind == WEFT_OPERAND_ARRAY) rc = use_context(c, c->operands[k].as.array, operand_name(c, k));
  for (int k = 0; k < c->function->results && rc == WEFT_OK; k++)
    if (c->results[k].kind == WEFT_OPERAND_RESULT && c->results[k].as.result && *c->results[k].as.result)
      rc = use_context(c, *c->results[k].as.result, result_name(c, k));
  if (rc == WEFT_OK && !c->context) rc = weft__context_resolve(&c->context, NULL);
  return rc;
}

/* ---- operands ---- */

static weft_status check_operand(const call *c, int k) {
  const weft_operand *operand = &c->operands[k];
  const char *name = operand_name(c, k);
  switch (operand->kind) {
    case WEFT_OPERAND_ARRAY:
      return WEFT_OK;
    case WEFT_OPERAND_SCALAR:
      if (weft__dtype(operand->as.scalar.dtype)) return WEFT_OK;
      return weft__fail(WEFT_ERROR_ARGUMENT, name, "`%s` is a scalar of dtype %d, which is no weft_dtype", name,
                        (int)operand->as.scalar.dtype);
    case WEFT_OPERAND_HOST: {
      int64_t size;
      weft_status rc = weft__dtype_check(operand->as.host.dtype, c->context);
      if (rc == WEFT_OK) rc = weft__shape_check(&size, operand->as.host.shape, operand->as.host.dtype, name);
      if (rc == WEFT_OK && !operand->as.host.data && size > 0)
        rc = weft__fail(WEFT_ERROR_ARGUMENT, name, "`%s` is host memory at NULL", name);
      return rc;
    }
    case WEFT_OPERAND_RESULT:
    case WEFT_OPERAND_HOST_RESULT:
      return weft__fail(WEFT_ERROR_ARGUMENT, name, "`%s` is a place for a result; results come first, and there are %d of them", name,
                        c->function->results);
    default:
      return weft__fail(WEFT_ERROR_ARGUMENT, name, "`%s` is nothing an operand can be", name);
  }
}

static weft_dtype operand_dtype(const weft_operand *operand) {
  switch (operand->kind) {
    case WEFT_OPERAND_ARRAY:
      return operand->as.array->dtype;
    case WEFT_OPERAND_HOST:
      return operand->as.host.dtype;
    default:
      return weft__weak_dtype(operand->as.scalar.dtype);
  }
}

static bool is_scalar(const weft_operand *operand) {
  return operand->kind == WEFT_OPERAND_SCALAR;
}

static weft_shape operand_shape(const weft_operand *operand) {
  return operand->kind == WEFT_OPERAND_ARRAY ? weft__array_shape(operand->as.array) : operand->as.host.shape;
}

/* ---- the plan ---- */

static weft_status make_plan(call *c, weft__plans *plans, const void *key, size_t key_size) {
  weft__formula formula = {.has_fp64 = c->context->core.device->info.has_fp64, .inputs = c->function->inputs};
  for (int k = 0; k < c->function->inputs; k++)
    formula.input[k] = (weft__input){operand_dtype(&c->operands[k]), is_scalar(&c->operands[k])};
  weft_status rc = c->function->build(&formula, c->function);
  if (rc == WEFT_OK && formula.failed) rc = weft__fail_host_memory(sizeof(weft__node));
  if (rc) {
    weft__formula_free(&formula);
    return rc;
  }
  return weft__plan_add(&c->plan, plans, key, key_size, c->function->name, &formula);
}

static weft_status find_plan(call *c) {
  unsigned char room[KEY_ROOM], *key = room;
  const weft__map *function = c->function;
  size_t size = function->key_size + (size_t)function->inputs;
  weft__plans *plans;
  weft_status rc = weft__plans_of(&plans, c->context);
  if (rc) return rc;
  if (size > sizeof room && !(key = weft__new(size))) return WEFT_ERROR_HOST_MEMORY;
  memcpy(key, function->key, function->key_size);
  for (int k = 0; k < function->inputs; k++)
    key[function->key_size + (size_t)k] = (unsigned char)((int)operand_dtype(&c->operands[k]) | (is_scalar(&c->operands[k]) ? 0x80 : 0));
  c->plan = weft__plan_find(plans, key, size);
  if (!c->plan) rc = make_plan(c, plans, key, size);
  if (key != room) free(key);
  return rc;
}

/* ---- shapes and results ---- */

static weft_status fail_shapes(const call *c, int k, int first, int axis) {
  weft__text text = {0};
  weft_shape a = operand_shape(&c->operands[first]), b = operand_shape(&c->operands[k]);
  weft__text_add(&text, "`%s` is ", operand_name(c, first));
  weft__add_shape(&text, operand_dtype(&c->operands[first]), a);
  weft__text_add(&text, ", `%s` is ", operand_name(c, k));
  weft__add_shape(&text, operand_dtype(&c->operands[k]), b);
  weft__text_add(&text, ": they differ in axis %d", axis);
  if (a.ndim != b.ndim) weft__text_add(&text, " of the longer one (shapes are aligned at the last axis)");
  weft__fail(WEFT_ERROR_SHAPE, operand_name(c, k), "%s", weft__text_chars(&text));
  weft__text_free(&text);
  return WEFT_ERROR_SHAPE;
}

static weft_status find_shape(call *c) {
  int shaped = 0, axis, last = 0;
  c->shape = weft__shape(0, NULL);
  for (int k = 0; k < c->function->inputs; k++) {
    if (is_scalar(&c->operands[k])) continue;
    weft_shape shape = operand_shape(&c->operands[k]);
    if (shaped++ == 0) {
      c->shape = shape;
    } else if (!weft__broadcast_shapes(&c->shape, shape, &axis)) {
      /* name the operand that it does not go with, which need not be the one before */
      for (int other = 0; other < k; other++) {
        weft_shape pair = shape;
        if (!is_scalar(&c->operands[other]) && !weft__broadcast_shapes(&pair, operand_shape(&c->operands[other]), &axis))
          return fail_shapes(c, k, other, axis);
      }
      return fail_shapes(c, k, last, axis);
    }
    last = k;
  }
  if (shaped > 0) return WEFT_OK;
  /* nothing but scalars: a result says the shape */
  for (int k = 0; k < c->function->results; k++) {
    const weft_operand *result = &c->results[k];
    if (result->kind == WEFT_OPERAND_HOST_RESULT) {
      c->shape = result->as.host_result.shape;
      return WEFT_OK;
    }
    if (result->kind == WEFT_OPERAND_RESULT && result->as.result && *result->as.result) {
      c->shape = weft__array_shape(*result->as.result);
      return WEFT_OK;
    }
  }
  return WEFT_OK; /* no axes: one element */
}

static weft_status check_cast(const call *c, int k, weft_dtype to) {
  weft_dtype from = c->plan->result[k];
  if (weft__casts_same_kind(from, to)) return WEFT_OK;
  return weft__fail(WEFT_ERROR_DTYPE, result_name(c, k),
                    "the result is %s, which is not cast to %s, the dtype of `%s`, by itself; weft_cast does", weft_dtype_name(from),
                    weft_dtype_name(to), result_name(c, k));
}

static bool same_shape(weft_shape a, weft_shape b) {
  bool same = a.ndim == b.ndim;
  for (int d = 0; d < a.ndim && same; d++) same = a.dim[d] == b.dim[d];
  return same;
}

static weft_status fail_result_shape(const call *c, int k, weft_dtype dtype, weft_shape shape) {
  weft__text text = {0};
  weft__text_add(&text, "`%s` is ", result_name(c, k));
  weft__add_shape(&text, dtype, shape);
  weft__text_add(&text, ", the result is ");
  weft__add_shape(&text, c->plan->result[k], c->shape);
  for (int d = 0; d < shape.ndim && shape.ndim == c->shape.ndim; d++)
    if (shape.dim[d] != c->shape.dim[d]) {
      weft__text_add(&text, ": they differ in axis %d", d);
      break;
    }
  weft__fail(WEFT_ERROR_SHAPE, result_name(c, k), "%s", weft__text_chars(&text));
  weft__text_free(&text);
  return WEFT_ERROR_SHAPE;
}

static weft_status fail_shared(const call *c, int i, int k) {
  return weft__fail(WEFT_ERROR_LAYOUT, result_name(c, k), "`%s` and `%s` share memory: two results cannot", result_name(c, i),
                    result_name(c, k));
}

static bool host_results_overlap(const weft_host_out *a, const weft_host_out *b, int64_t size) {
  const char *a_begin = a->data, *b_begin = b->data;
  return a_begin < b_begin + (size_t)size * weft_dtype_size_bytes(b->dtype) &&
         b_begin < a_begin + (size_t)size * weft_dtype_size_bytes(a->dtype);
}

/// A result in host memory is computed on the device first.
static weft_status host_result(call *c, int k) {
  const weft_host_out *host = &c->results[k].as.host_result;
  const char *name = result_name(c, k);
  int64_t size;
  about(name);
  weft_status rc = weft__dtype_check(host->dtype, c->context);
  if (rc == WEFT_OK) rc = weft__shape_check(&size, host->shape, host->dtype, name);
  if (rc == WEFT_OK && !host->data && size > 0) rc = weft__fail(WEFT_ERROR_ARGUMENT, name, "`%s` is host memory at NULL", name);
  if (rc == WEFT_OK && !same_shape(host->shape, c->shape)) rc = fail_result_shape(c, k, host->dtype, host->shape);
  if (rc == WEFT_OK) rc = check_cast(c, k, host->dtype);
  for (int i = 0; i < k && rc == WEFT_OK; i++)
    if (c->results[i].kind == WEFT_OPERAND_HOST_RESULT && size > 0 && host_results_overlap(&c->results[i].as.host_result, host, size))
      rc = fail_shared(c, i, k);
  if (rc == WEFT_OK) rc = weft__array_create(&c->mine[k], c->context, host->dtype, c->shape, c->site);
  c->array[k] = c->mine[k];
  return rc;
}

/// Whether a result may be written while operand x is read.
static bool is_safe(const weft_array *out, const weft_array *x) {
  return weft__arrays_same(out, x) || !weft__arrays_overlap(out, x);
}

static weft_status array_result(call *c, int k) {
  weft_array **out = c->results[k].as.result;
  const char *name = result_name(c, k);
  about(name);
  if (!out) return weft__fail(WEFT_ERROR_ARGUMENT, name, "`%s` is NULL", name);
  if (!*out) {
    weft_status rc = weft__array_create(out, c->context, c->plan->result[k], c->shape, c->site);
    c->made[k] = rc == WEFT_OK;
    c->array[k] = *out;
    return rc;
  }
  weft_array *x = *out;
  weft_status rc = weft__array_check_writable(x, name);
  if (rc == WEFT_OK && !same_shape(weft__array_shape(x), c->shape)) rc = fail_result_shape(c, k, x->dtype, weft__array_shape(x));
  if (rc == WEFT_OK) rc = check_cast(c, k, x->dtype);
  c->array[k] = x;
  /* not c->array[i], which may be memory that stands in for a result */
  for (int i = 0; i < k && rc == WEFT_OK; i++)
    if (c->results[i].kind == WEFT_OPERAND_RESULT && weft__arrays_overlap(*c->results[i].as.result, x)) rc = fail_shared(c, i, k);
  for (int i = c->function->results; i < c->arrays && rc == WEFT_OK && !c->mine[k]; i++)
    if (!is_safe(x, c->array[i])) rc = weft__array_create(&c->mine[k], c->context, x->dtype, c->shape, c->site);
  if (c->mine[k]) c->array[k] = c->mine[k];
  return rc;
}

static weft_status make_results(call *c) {
  weft_status rc = WEFT_OK;
  for (int k = 0; k < c->function->results && rc == WEFT_OK; k++) {
    if (c->results[k].kind == WEFT_OPERAND_RESULT)
      rc = array_result(c, k);
    else if (c->results[k].kind == WEFT_OPERAND_HOST_RESULT)
      rc = host_result(c, k);
    else
      rc = weft__fail(WEFT_ERROR_ARGUMENT, result_name(c, k),
                      "`%s` is no place for a result; expected the address of a weft_array * or WEFT_HOST_OUT", result_name(c, k));
  }
  return rc;
}

/// Host memory to the device and back, for this call alone.
static weft_status copy_in(const call *c, weft_array *x, const void *data, const char *name) {
  uint64_t size_bytes = (uint64_t)weft_array_size_bytes(x);
  weft_status rc = weft__transfer_to_device(x->storage, 0, 0, size_bytes, data);
  if (rc == WEFT_OK && size_bytes) weft__usage_copy_in(&c->context->core.usage, size_bytes, name);
  return rc;
}

static weft_status copy_back(const call *c, void *data, const weft_array *x, const char *name) {
  uint64_t size_bytes = (uint64_t)weft_array_size_bytes(x);
  about(name);
  weft_status rc = weft__transfer_to_host(data, x->storage, 0, 0, size_bytes);
  if (rc == WEFT_OK && size_bytes) weft__usage_copy_back(&c->context->core.usage, size_bytes, name);
  return rc;
}

/// The operands that are arrays, host memory copied to the device.
static weft_status gather_arrays(call *c) {
  weft_status rc = WEFT_OK;
  c->arrays = c->function->results;
  for (int k = 0; k < c->function->inputs && rc == WEFT_OK; k++) {
    const weft_operand *operand = &c->operands[k];
    if (is_scalar(operand)) continue;
    int at = c->arrays++;
    if (operand->kind == WEFT_OPERAND_ARRAY) {
      c->array[at] = (weft_array *)operand->as.array;
      continue;
    }
    about(operand_name(c, k));
    rc = weft__array_create(&c->mine[at], c->context, operand->as.host.dtype, operand->as.host.shape, c->site);
    if (rc == WEFT_OK) rc = copy_in(c, c->mine[at], operand->as.host.data, operand_name(c, k));
    c->array[at] = c->mine[at];
  }
  return rc;
}

static weft_status pack_scalars(const call *c, uint64_t *words) {
  weft_status rc = WEFT_OK;
  for (int k = 0; k < c->plan->formula.scalars && rc == WEFT_OK; k++) {
    const weft__scalar_place *place = &c->plan->formula.scalar[k];
    rc = weft__element_bytes(&words[2 * k], place->dtype, c->operands[place->input].as.scalar, operand_name(c, place->input));
  }
  return rc;
}

/// Results that were computed elsewhere go where they belong.
static weft_status deliver(call *c) {
  weft_status rc = WEFT_OK;
  for (int k = 0; k < c->function->results && rc == WEFT_OK; k++) {
    if (!c->mine[k]) continue;
    if (c->results[k].kind == WEFT_OPERAND_HOST_RESULT)
      rc = copy_back(c, c->results[k].as.host_result.data, c->mine[k], result_name(c, k));
    else
      rc = weft__assign(*c->results[k].as.result, c->mine[k], c->site);
  }
  return rc;
}

static weft_status run(call *c) {
  uint64_t scalars[2 * WEFT__MAX_SCALARS];
  weft_status rc = find_context(c);
  for (int k = 0; k < c->function->inputs && rc == WEFT_OK; k++) rc = check_operand(c, k);
  if (rc == WEFT_OK) rc = find_plan(c);
  if (rc == WEFT_OK) rc = find_shape(c);
  if (rc == WEFT_OK) rc = pack_scalars(c, scalars);
  if (rc == WEFT_OK) rc = gather_arrays(c);
  if (rc == WEFT_OK) rc = make_results(c);
  if (rc == WEFT_OK && c->array[0]->size > 0)
    rc = weft__plan_run(c->plan, c->context, c->shape, c->function->results, c->arrays, c->array, scalars, c->site);
  return rc == WEFT_OK ? deliver(c) : rc;
}

weft_status weft__apply(const weft__map *function, weft_context *context, const weft_operand *results, const weft_operand *operands,
                        const char *const *result_names, const char *const *operand_names, const char *site) {
  call c;
  c.function = function;
  c.results = results;
  c.operands = operands;
  c.result_names = result_names;
  c.operand_names = operand_names;
  c.site = site;
  c.context = context;
  c.arrays = 0;
  int most = function->results + function->inputs;
  for (int k = 0; k < most; k++) {
    c.mine[k] = NULL;
    c.made[k] = false;
  }
  weft_status rc = run(&c);
  for (int k = 0; k < most; k++) {
    if (rc && c.made[k]) weft_array_release(results[k].as.result);
    if (c.mine[k]) weft_array_release(&c.mine[k]);
  }
  return rc;
}

weft_status weft__apply_prepare(const weft__map *function, weft_context *context, const weft_dtype *inputs) {
  weft_operand operand[WEFT_MAX_OPERANDS];
  call c = {.function = function, .operands = operand, .context = context};
  for (int k = 0; k < function->inputs; k++) operand[k] = (weft_operand){.kind = WEFT_OPERAND_HOST, .as.host.dtype = inputs[k]};
  weft_status rc = find_plan(&c);
  return rc == WEFT_OK ? weft__plan_prepare(c.plan, context) : rc;
}
