// SPDX-License-Identifier: MIT
#include "call/call.h"

#include <inttypes.h>
#include <stdio.h>

#include "array/numbers.h"
#include "base/clock.h"
#include "base/divisor.h"
#include "dtype/scalar.h"
#include "map/cast.h"
#include "mem/recorder.h"

void weft__call_open(weft__call *c, weft_context *context, int results, const weft_operand *result, int inputs,
                     const weft_operand *operand, const char *const *operand_names, const char *site) {
  c->site = site;
  c->context = context;
  c->context_owner = "context";
  c->results = results;
  c->inputs = inputs;
  c->result = result;
  c->operand = operand;
  c->is_raw = NULL;
  c->result_name = NULL;
  c->operand_name = operand_names;
  c->wraps = c->was_finite = false;
  for (int k = 0; k < results + inputs; k++) {
    c->array[k] = c->temporary[k] = NULL;
    c->is_new[k] = false;
  }
}

const char *weft__call_operand_name(const weft__call *c, int k) {
  static const char *const letters[] = {"a", "b", "c", "d"};
  if (c->operand_name) return c->operand_name[k];
  return k < 4 ? letters[k] : "operand";
}

const char *weft__call_result_name(const weft__call *c, int k) {
  if (c->result_name) return c->result_name[k];
  return k == 0 ? "out" : "out2";
}

void weft__call_about(const char *name) {
  char quoted[80];
  if (!weft__tracing()) return;
  snprintf(quoted, sizeof quoted, "`%s`", name);
  weft__trace_about(quoted);
}

/* ---- context and operands ---- */

/// The call's own context has been checked.
static weft_status use_context(weft__call *c, const weft_array *x, const char *name) {
  WEFT__TRY_RETURN(weft__handle_check(x, WEFT__MAGIC_ARRAY, name));
  if (c->context != x->context) WEFT__TRY_RETURN(weft__core_check(&x->context->core));
  if (!c->context) {
    c->context = x->context;
    c->context_owner = name;
  }
  if (c->context != x->context)
    return weft__fail(WEFT_ERROR_CONTEXT, name, "`%s` belongs to another context than `%s`" WEFT__COPY_HINT, name,
                      c->context_owner);
  return WEFT_OK;
}

static weft_status find_context(weft__call *c) {
  if (c->context) WEFT__TRY_RETURN(weft__context_check(c->context));
  for (int k = 0; k < c->inputs; k++)
    if (c->operand[k].kind == WEFT_OPERAND_ARRAY)
      WEFT__TRY_RETURN(use_context(c, c->operand[k].as.array, weft__call_operand_name(c, k)));
  for (int k = 0; k < c->results; k++)
    if (c->result[k].kind == WEFT_OPERAND_RESULT && c->result[k].as.result && *c->result[k].as.result)
      WEFT__TRY_RETURN(use_context(c, *c->result[k].as.result, weft__call_result_name(c, k)));
  return c->context ? WEFT_OK : weft__context_resolve(&c->context, NULL);
}

static weft_status check_operand(const weft__call *c, int k) {
  const weft_operand *operand = &c->operand[k];
  const char *name = weft__call_operand_name(c, k);
  switch (operand->kind) {
    case WEFT_OPERAND_ARRAY:
      return WEFT_OK;
    case WEFT_OPERAND_SCALAR:
      if (weft__dtype(operand->as.scalar.dtype)) return WEFT_OK;
      return weft__fail(WEFT_ERROR_ARGUMENT, name, "`%s` is a scalar of dtype %d, which is no weft_dtype", name,
                        (int)operand->as.scalar.dtype);
    case WEFT_OPERAND_HOST: {
      int64_t size;
      if (!weft__dtype(operand->as.host.dtype))
        return weft__fail(WEFT_ERROR_DTYPE, name, "`%s` is host memory of dtype %d, which is no weft_dtype", name,
                          (int)operand->as.host.dtype);
      WEFT__TRY_RETURN(weft__dtype_check(operand->as.host.dtype, c->context));
      WEFT__TRY_RETURN(weft__shape_check(&size, operand->as.host.shape, operand->as.host.dtype, name));
      if (operand->as.host.data || size == 0) return WEFT_OK;
      return weft__fail(WEFT_ERROR_ARGUMENT, name, "`%s` is host memory at NULL", name);
    }
    case WEFT_OPERAND_RESULT:
    case WEFT_OPERAND_HOST_RESULT:
      return weft__fail(WEFT_ERROR_ARGUMENT, name,
                        "`%s` is a place for a result; results come first, and there are %d of them", name, c->results);
    default:
      return weft__fail(WEFT_ERROR_ARGUMENT, name, "`%s` is not a valid operand", name);
  }
}

/* ---- the check mode for numbers ---- */

static int64_t shape_size(weft_shape shape) {
  int64_t size = 1;
  for (int d = 0; d < shape.ndim; d++) size *= shape.dim[d];
  return size;
}

static weft_status look_at_operands(weft__call *c) {
  int64_t special = 0, first;
  for (int k = 0; k < c->inputs && special == 0; k++) {
    const weft_operand *o = &c->operand[k];
    if (o->kind == WEFT_OPERAND_ARRAY)
      WEFT__TRY_RETURN(weft__array_count_special(&special, &first, o->as.array, c->site));
    else if (o->kind == WEFT_OPERAND_HOST)
      special = weft__count_special(&first, o->as.host.dtype, o->as.host.data, shape_size(o->as.host.shape));
    else if (o->kind == WEFT_OPERAND_SCALAR)
      special = weft__is_special(o->as.scalar);
  }
  c->was_finite = special == 0 && c->inputs > 0; /* without operands, numbers come from elsewhere */
  return WEFT_OK;
}

static weft_status look_at_results(const weft__call *c) {
  int64_t special = 0, first = -1, all = 0;
  for (int k = 0; k < c->results; k++) {
    const weft_host_out *host = &c->result[k].as.host_result;
    if (c->array[k]) {
      all = c->array[k]->size;
      WEFT__TRY_RETURN(weft__array_count_special(&special, &first, c->array[k], c->site));
    } else if (c->result[k].kind == WEFT_OPERAND_HOST_RESULT) { /* written chunk by chunk */
      all = shape_size(host->shape);
      special = weft__count_special(&first, host->dtype, host->data, all);
    }
    if (special) return weft__fail_special(weft__call_result_name(c, k), special, all, first);
  }
  return WEFT_OK;
}

weft_status weft__call_check(weft__call *c) {
  WEFT__TRY_RETURN(find_context(c));
  for (int k = 0; k < c->inputs; k++) WEFT__TRY_RETURN(check_operand(c, k));
  return c->context->core.checks_numbers ? look_at_operands(c) : WEFT_OK;
}

bool weft__call_is_scalar(const weft__call *c, int k) {
  return c->operand[k].kind == WEFT_OPERAND_SCALAR;
}

bool weft__call_is_shaped(const weft__call *c, int k) {
  return !weft__call_is_scalar(c, k) && !(c->is_raw && c->is_raw[k]);
}

weft_dtype weft__call_dtype(const weft__call *c, int k) {
  const weft_operand *operand = &c->operand[k];
  switch (operand->kind) {
    case WEFT_OPERAND_ARRAY:
      return operand->as.array->dtype;
    case WEFT_OPERAND_HOST:
      return operand->as.host.dtype;
    default:
      return weft__weak_dtype(operand->as.scalar.dtype);
  }
}

/// Written in place: returning a shape and copying it costs every launch some 10 ns.
static void get_shape(weft_shape *shape, const weft_operand *operand) {
  if (operand->kind != WEFT_OPERAND_ARRAY) {
    *shape = operand->kind == WEFT_OPERAND_HOST ? operand->as.host.shape : WEFT_SHAPE_0D;
    return;
  }
  shape->ndim = operand->as.array->ndim;
  memcpy(shape->dim, operand->as.array->shape, sizeof shape->dim);
}

weft_dtype weft__call_promoted(const weft__call *c) {
  weft__dtypes all = 0;
  weft_dtype dtype = WEFT_DTYPE_NONE;
  for (int k = 0; k < c->inputs; k++)
    if (!weft__call_is_scalar(c, k)) all |= WEFT__DTYPE_SET(weft__call_dtype(c, k));
  if (all) dtype = weft__promote_all(all);
  for (int k = 0; k < c->inputs; k++)
    if (weft__call_is_scalar(c, k)) {
      const weft_dtype scalar = weft__call_dtype(c, k);
      dtype = !dtype ? scalar
              : all  ? weft__promote_weak(dtype, weft__weak_dtype(scalar))
                     : weft__promote(dtype, scalar);
    }
  return dtype;
}

weft_shape weft__call_shape(const weft__call *c, int k) {
  weft_shape shape;
  get_shape(&shape, &c->operand[k]);
  return shape;
}

void weft__call_inputs(weft__input *input, const weft__call *c) {
  for (int k = 0; k < c->inputs; k++)
    input[k] = (weft__input){weft__call_dtype(c, k), weft__call_is_scalar(c, k), c->is_raw && c->is_raw[k]};
}

uint64_t weft__shape_bytes(weft_shape shape, weft_dtype dtype) {
  uint64_t bytes = weft_dtype_size_bytes(dtype);
  for (int d = 0; d < shape.ndim; d++) bytes *= (uint64_t)shape.dim[d];
  return bytes;
}

weft_status weft__call_fail_shapes(const weft__call *c, int other, int wrong, const char *reason, ...) {
  weft__text text = {0};
  char why[160];
  va_list arguments;
  va_start(arguments, reason);
  vsnprintf(why, sizeof why, reason, arguments);
  va_end(arguments);
  for (int k = 0; k < 2; k++) {
    const int operand = k ? wrong : other;
    weft__text_add(&text, "%s`%s` is ", k ? ", " : "", weft__call_operand_name(c, operand));
    weft__add_shape(&text, weft__call_dtype(c, operand), weft__call_shape(c, operand));
  }
  weft__fail(WEFT_ERROR_SHAPE, weft__call_operand_name(c, wrong), "%s: %s", weft__text_chars(&text), why);
  weft__text_free(&text);
  return WEFT_ERROR_SHAPE;
}

static weft_status fail_broadcast(const weft__call *c, int k, int first, int axis) {
  const bool same_axes = weft__call_shape(c, first).ndim == weft__call_shape(c, k).ndim;
  return weft__call_fail_shapes(c, first, k, "they differ in axis %d%s", axis,
                                same_axes ? "" : " of the longer one (shapes are aligned at the last axis)");
}

weft_status weft__call_broadcast_all(weft_shape *shape, const weft__call *c) {
  int shaped = 0, axis, last = 0;
  *shape = WEFT_SHAPE_0D;
  for (int k = 0; k < c->inputs; k++) {
    if (!weft__call_is_shaped(c, k)) continue;
    if (shaped++ == 0) {
      get_shape(shape, &c->operand[k]);
    } else if (c->operand[k].kind != WEFT_OPERAND_ARRAY || !weft__has_shape(c->operand[k].as.array, shape)) {
      const weft_shape more = weft__call_shape(c, k);
      if (weft__broadcast_shapes(shape, more, &axis)) {
        last = k;
        continue;
      }
      /* name the operand that does not match, which need not be the one before */
      for (int other = 0; other < k; other++) {
        weft_shape pair = more;
        if (weft__call_is_shaped(c, other) && !weft__broadcast_shapes(&pair, weft__call_shape(c, other), &axis))
          return fail_broadcast(c, k, other, axis);
      }
      return fail_broadcast(c, k, last, axis);
    }
    last = k;
  }
  return WEFT_OK;
}

/// Copies host memory to the device for this call alone.
static weft_status copy_in(const weft__call *c, weft_array *x, const void *data, const char *name) {
  WEFT__TRY_RETURN(weft__array_write(x, data, true, c->site));
  if (x->size) weft__counters_copy_in(&c->context->core.usage, (uint64_t)weft_array_size_bytes(x), name);
  return WEFT_OK;
}

static weft_status copy_back(const weft__call *c, void *data, const weft_array *x, const char *name) {
  weft__call_about(name);
  WEFT__TRY_RETURN(weft__array_read(data, x, true, c->site));
  if (x->size) weft__counters_copy_back(&c->context->core.usage, (uint64_t)weft_array_size_bytes(x), name);
  return WEFT_OK;
}

/* Below this size a copy costs less than waiting for the work on the memory. */
#define WRAP_BYTES (1u << 20)

/* Kernels require offsets in whole elements; C's alignment may be smaller. */
bool weft__call_wraps(const weft__call *c, const void *data, weft_dtype dtype, uint64_t size_bytes) {
  const weft__quirks *quirks = &c->context->core.device->quirks;
  if (weft__recorder_of(&c->context->core)) return false; /* a recording keeps a copy */
  return quirks->wraps_in_place && size_bytes >= (quirks->wraps_small ? 1 : WRAP_BYTES) &&
         (uintptr_t)data % weft_dtype_size_bytes(dtype) == 0;
}

static weft_status wrap(weft__call *c, weft_array **out, weft_dtype dtype, weft_shape shape, void *data,
                        const char *read_only) {
  WEFT__TRY_RETURN(weft__array_wrap_host(out, c->context, dtype, shape, data, read_only, (weft__lender){0}, c->site));
  c->wraps = true;
  return WEFT_OK;
}

static void tell_wrapped(weft__step step, uint64_t start_ns, const weft_array *x, const char *name, const char *how) {
  if (start_ns)
    weft__trace_step(step, weft__now_ns() - start_ns, 0, "%" PRId64 " bytes of `%s` %s", weft_array_size_bytes(x), name,
                     how);
}

/// Makes an array of operand k, which is in host memory.
static weft_status upload_host(weft__call *c, int k) {
  const weft_host *host = &c->operand[k].as.host;
  const char *name = weft__call_operand_name(c, k);
  int64_t size;
  weft_array **x = &c->temporary[c->results + k];
  weft__call_about(name);
  WEFT__TRY_RETURN(weft__shape_check(&size, host->shape, host->dtype, name));
  if (weft__call_wraps(c, host->data, host->dtype, (uint64_t)size * weft_dtype_size_bytes(host->dtype))) {
    uint64_t start_ns = weft__tracing() ? weft__now_ns() : 0;
    WEFT__TRY_RETURN(wrap(c, x, host->dtype, host->shape, (void *)(uintptr_t)host->data, "it is the caller's operand"));
    tell_wrapped(WEFT__STEP_COPY_IN, start_ns, *x, name, "used where they are, no copy");
    return WEFT_OK;
  }
  WEFT__TRY_RETURN(weft__array_create(x, c->context, host->dtype, host->shape, c->site));
  return copy_in(c, *x, host->data, name);
}

weft_status weft__call_upload_one(weft__call *c, int k) {
  const weft_operand *operand = &c->operand[k];
  int at = c->results + k;
  if (operand->kind == WEFT_OPERAND_ARRAY) {
    c->array[at] = (weft_array *)operand->as.array;
  } else if (operand->kind == WEFT_OPERAND_HOST) {
    WEFT__TRY_RETURN(upload_host(c, k));
    c->array[at] = c->temporary[at];
  }
  return WEFT_OK;
}

weft_status weft__call_upload(weft__call *c) {
  for (int k = 0; k < c->inputs; k++) WEFT__TRY_RETURN(weft__call_upload_one(c, k));
  return WEFT_OK;
}

weft_status weft__call_operands(weft__call *c) {
  WEFT__TRY_RETURN(weft__call_check(c));
  return weft__call_upload(c);
}

weft_status weft__call_copy(weft__call *c, int at, const weft_array *x, weft_dtype dtype) {
  weft_array *copy = NULL;
  WEFT__TRY_RETURN(weft__cast(&copy, x, dtype, c->site));
  weft__call_replace(c, at, copy);
  return WEFT_OK;
}

weft_status weft__call_temporary(weft__call *c, int at, weft_dtype dtype, weft_shape shape) {
  weft_array *temporary = NULL;
  WEFT__TRY_RETURN(weft__array_create(&temporary, c->context, dtype, shape, c->site));
  weft__call_replace(c, at, temporary);
  return WEFT_OK;
}

weft_status weft__call_broadcast(weft__call *c, int at, weft_shape shape) {
  const weft_array *x = c->array[at], view = weft__array_broadcast(x, shape);
  return x->size > 0 && x->size == view.size ? WEFT_OK : weft__call_copy(c, at, &view, x->dtype);
}

static weft_status scalar_array(weft__call *c, int k, weft_dtype dtype) {
  uint64_t bytes[2];
  const char *name = weft__call_operand_name(c, k);
  WEFT__TRY_RETURN(weft__dtype_check(dtype, c->context));
  WEFT__TRY_RETURN(weft__element_bytes(bytes, dtype, c->operand[k].as.scalar, name));
  WEFT__TRY_RETURN(weft__call_temporary(c, c->results + k, dtype, WEFT_SHAPE_0D));
  /* a fill takes its value with the launch; a write is a transfer of its own, or a wait */
  return weft__fill(c->array[c->results + k], c->operand[k].as.scalar, c->site);
}

weft_status weft__call_contiguous_operand(weft__call *c, int k, weft_dtype dtype) {
  const weft_array *x = c->array[c->results + k];
  if (weft__call_is_scalar(c, k)) return scalar_array(c, k, dtype ? dtype : weft__call_dtype(c, k));
  if (weft__is_contiguous(x) && (!dtype || dtype == x->dtype)) return WEFT_OK;
  return weft__call_copy(c, c->results + k, x, dtype ? dtype : x->dtype);
}

/* ---- results ---- */

static weft_status fail_shape(const char *name, weft_dtype given_dtype, weft_shape given, weft_dtype dtype,
                              weft_shape shape) {
  weft__text text = {0};
  weft__text_add(&text, "`%s` is ", name);
  weft__add_shape(&text, given_dtype, given);
  weft__text_add(&text, ", the result is ");
  weft__add_shape(&text, dtype, shape);
  for (int d = 0; d < given.ndim && given.ndim == shape.ndim; d++)
    if (given.dim[d] != shape.dim[d]) {
      weft__text_add(&text, ": they differ in axis %d", d);
      break;
    }
  weft__fail(WEFT_ERROR_SHAPE, name, "%s", weft__text_chars(&text));
  weft__text_free(&text);
  return WEFT_ERROR_SHAPE;
}

weft_status weft__result_check(const char *name, weft_dtype given_dtype, weft_shape given, weft_dtype dtype,
                               weft_shape shape) {
  if (!weft__same_shape(given, shape)) return fail_shape(name, given_dtype, given, dtype, shape);
  if (weft__casts_same_kind(dtype, given_dtype)) return WEFT_OK;
  return weft__fail(WEFT_ERROR_DTYPE, name,
                    "the result is %s, which is not cast to %s, the dtype of `%s`, implicitly; use weft_cast",
                    weft_dtype_name(dtype), weft_dtype_name(given_dtype), name);
}

static weft_status fail_shared(const weft__call *c, int i, int k) {
  return weft__fail(WEFT_ERROR_LAYOUT, weft__call_result_name(c, k), "`%s` and `%s` share memory: two results cannot",
                    weft__call_result_name(c, i), weft__call_result_name(c, k));
}

static bool host_results_overlap(const weft_host_out *a, const weft_host_out *b) {
  return weft__bytes_overlap(a->data, weft__shape_bytes(a->shape, a->dtype), b->data,
                             weft__shape_bytes(b->shape, b->dtype));
}

/// Whether a result may be written while operand x is read.
static bool is_safe(const weft_array *out, const weft_array *x) {
  return weft__arrays_same(out, x) || !weft__arrays_overlap(out, x);
}

/// Wraps host memory that the device then writes directly. If this would overwrite an operand, *out stays NULL.
static weft_status wrap_result(weft__call *c, weft_array **out, const weft_host_out *host) {
  weft_status rc = wrap(c, out, host->dtype, host->shape, host->data, NULL);
  for (int i = c->results; i < c->results + c->inputs && *out; i++)
    if (c->array[i] && !is_safe(*out, c->array[i])) weft_array_release(out);
  return rc;
}

weft_status weft__call_check_host_result(const weft__call *c, int k, weft_dtype dtype, weft_shape shape) {
  const weft_host_out *host = &c->result[k].as.host_result;
  const char *name = weft__call_result_name(c, k);
  int64_t size;
  weft__call_about(name);
  WEFT__TRY_RETURN(weft__dtype_check(host->dtype, c->context));
  WEFT__TRY_RETURN(weft__shape_check(&size, host->shape, host->dtype, name));
  if (!host->data && size > 0)
    return weft__fail(WEFT_ERROR_ARGUMENT, name,
                      "`%s` is host memory at NULL, or a file that weft_npy_create did not make", name);
  WEFT__TRY_RETURN(weft__result_check(name, host->dtype, host->shape, dtype, shape));
  for (int i = 0; i < k; i++)
    if (c->result[i].kind == WEFT_OPERAND_HOST_RESULT && size > 0 &&
        host_results_overlap(&c->result[i].as.host_result, host))
      return fail_shared(c, i, k);
  return WEFT_OK;
}

/// A result in host memory is computed on the device first, unless the device can write to the host memory directly.
static weft_status host_result(weft__call *c, int k, weft_dtype dtype, weft_shape shape) {
  const weft_host_out *host = &c->result[k].as.host_result;
  WEFT__TRY_RETURN(weft__call_check_host_result(c, k, dtype, shape));
  if (weft__call_wraps(c, host->data, host->dtype, weft__shape_bytes(shape, host->dtype)))
    WEFT__TRY_RETURN(wrap_result(c, &c->temporary[k], host));
  for (int i = 0; i < k && c->temporary[k]; i++)
    if (c->array[i] && weft__arrays_overlap(c->array[i], c->temporary[k])) return fail_shared(c, i, k);
  c->array[k] = c->temporary[k];
  return c->temporary[k] ? WEFT_OK : weft__call_temporary(c, k, host->dtype, shape);
}

static weft_status array_result(weft__call *c, int k, weft_dtype dtype, weft_shape shape) {
  weft_array **out = c->result[k].as.result, *x;
  const char *name = weft__call_result_name(c, k);
  weft__call_about(name);
  if (!out) return weft__fail(WEFT_ERROR_ARGUMENT, name, "`%s` is NULL", name);
  if (!*out) {
    WEFT__TRY_RETURN(weft__array_create(out, c->context, dtype, shape, c->site));
    c->is_new[k] = true;
    c->array[k] = *out;
    return WEFT_OK;
  }
  c->array[k] = x = *out;
  WEFT__TRY_RETURN(use_context(c, x, name));
  WEFT__TRY_RETURN(weft__array_refuse_writes(x, name));
  if (x->dtype != dtype || !weft__has_shape(x, &shape))
    WEFT__TRY_RETURN(weft__result_check(name, x->dtype, weft__array_shape(x), dtype, shape));
  /* not c->array[i], which may be a temporary instead of the result */
  for (int i = 0; i < k; i++) {
    const weft_array *other = c->result[i].kind == WEFT_OPERAND_RESULT ? *c->result[i].as.result : c->array[i];
    if (other && weft__arrays_overlap(other, x)) return fail_shared(c, i, k);
  }
  for (int i = c->results; i < c->results + c->inputs; i++)
    if (c->array[i] && !is_safe(x, c->array[i])) return weft__call_temporary(c, k, x->dtype, shape);
  return WEFT_OK;
}

weft_status weft__call_result(weft__call *c, int k, weft_dtype dtype, weft_shape shape) {
  if (c->result[k].kind == WEFT_OPERAND_RESULT) return array_result(c, k, dtype, shape);
  if (c->result[k].kind == WEFT_OPERAND_HOST_RESULT) return host_result(c, k, dtype, shape);
  const char *name = weft__call_result_name(c, k);
  return weft__fail(WEFT_ERROR_ARGUMENT, name,
                    "`%s` is no place for a result; expected the address of a weft_array *, or WEFT_HOST_OUT", name);
}

weft_status weft__call_contiguous_result(weft__call *c, int k, weft_dtype dtype, weft_shape shape) {
  WEFT__TRY_RETURN(weft__call_result(c, k, dtype, shape));
  const weft_array *x = c->array[k];
  bool is_plain = x->dtype == dtype && weft__is_contiguous(x);
  for (int i = c->results; i < c->results + c->inputs && is_plain; i++)
    if (c->array[i] && weft__arrays_overlap(x, c->array[i])) is_plain = false;
  return is_plain ? WEFT_OK : weft__call_temporary(c, k, dtype, shape);
}

weft_status weft__call_take_result(weft__call *c, int k, weft_array **x) {
  const weft_operand *result = &c->result[k];
  if (result->kind == WEFT_OPERAND_RESULT && result->as.result && !*result->as.result) {
    *result->as.result = c->array[k] = *x;
    c->is_new[k] = true;
    *x = NULL;
    return WEFT_OK;
  }
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, k, (*x)->dtype, weft__array_shape(*x)));
  return weft__assign(c->array[k], *x, c->site);
}

/// For a result that the device wrote directly to its destination.
static weft_status keep_in_place(const weft__call *c, weft_array *x, const char *name) {
  uint64_t start_ns = weft__tracing() ? weft__now_ns() : 0;
  WEFT__TRY_RETURN(weft__storage_sync(x->storage, weft__slot_now(&c->context->core)));
  tell_wrapped(WEFT__STEP_COPY_BACK, start_ns, x, name, "written where they belong, no copy");
  return WEFT_OK;
}

/// Copies a result from its temporary to its destination.
static weft_status deliver_one(weft__call *c, int k) {
  const weft_operand *result = &c->result[k];
  const weft_host_out *host = &result->as.host_result;
  weft_array *x = c->temporary[k], *cast = NULL;
  weft_status rc;
  if (result->kind != WEFT_OPERAND_HOST_RESULT) {
    weft_array *to = *result->as.result;
    return to->dtype == x->dtype ? weft__assign(to, x, c->site) : weft__cast_into(to, x, to->dtype, c->site);
  }
  if (weft__array_is_at(x, host->data)) return keep_in_place(c, x, weft__call_result_name(c, k));
  if (x->dtype != host->dtype) WEFT__TRY(weft__cast(&cast, x, host->dtype, c->site));
  WEFT__TRY(copy_back(c, host->data, cast ? cast : x, weft__call_result_name(c, k)));
done:
  weft_array_release(&cast);
  return rc;
}

static weft_status scalar_bytes(uint64_t bytes[2], const weft__scalar_place *place, weft_scalar value,
                                const char *name) {
  return weft__element_bytes(bytes, place->dtype, weft__scalar_fitted(value, place->dtype, place->fit), name);
}

/// The two words of cl/map/position.clh.
static weft_status axis_words(uint64_t *words, int axis, weft_shape shape) {
  uint64_t after = 1;
  if (axis >= shape.ndim)
    return weft__fail(WEFT_ERROR_EXPRESSION, "text", "`i%d` is the index along axis %d; the elements have %d %s", axis,
                      axis, shape.ndim, shape.ndim == 1 ? "axis" : "axes");
  for (int d = axis + 1; d < shape.ndim; d++) after *= (uint64_t)shape.dim[d];
  const weft__wide_divisor divisor = weft__wide_divisor_of(after ? after : 1);
  words[0] = divisor.multiplier;
  words[1] = divisor.shift | (uint64_t)shape.dim[axis] << 6;
  return WEFT_OK;
}

weft_status weft__call_scalars(uint64_t *words, const weft__call *c, const weft__formula *f, weft_shape shape,
                               const uint64_t *numbers) {
  for (int k = 0; k < f->scalars; k++) {
    const weft__scalar_place *place = &f->scalar[k];
    if (place->input == WEFT__NO_INPUT)
      words[2 * k] = numbers[2 * k], words[2 * k + 1] = numbers[2 * k + 1];
    else if (place->input <= WEFT__OF_RAW(0))
      words[2 * k] = (uint64_t)shape_size(weft__call_shape(c, WEFT__OF_RAW(place->input))), words[2 * k + 1] = 0;
    else if (place->input < 0)
      WEFT__TRY_RETURN(axis_words(&words[2 * k], WEFT__OF_AXIS(place->input), shape));
    else
      WEFT__TRY_RETURN(scalar_bytes(&words[2 * k], place, c->operand[place->input].as.scalar,
                                    weft__call_operand_name(c, place->input)));
  }
  return WEFT_OK;
}

void weft__call_count_host(const weft__call *c) {
  weft__counters *usage = &c->context->core.usage;
  for (int k = 0; k < c->inputs; k++) {
    const weft_host *host = &c->operand[k].as.host;
    if (c->operand[k].kind == WEFT_OPERAND_HOST && !c->temporary[c->results + k])
      weft__counters_copy_in(usage, weft__shape_bytes(host->shape, host->dtype), weft__call_operand_name(c, k));
  }
  for (int k = 0; k < c->results; k++) {
    const weft_host_out *host = &c->result[k].as.host_result;
    if (c->result[k].kind == WEFT_OPERAND_HOST_RESULT && !c->temporary[k])
      weft__counters_copy_back(usage, weft__shape_bytes(host->shape, host->dtype), weft__call_result_name(c, k));
  }
}

/// Waits for the work on wrapped host memory; chunks may have such work on other slots.
static weft_status let_go(const weft__call *c) {
  weft__core *core = &c->context->core;
  int slot = weft__slot_now(core);
  weft_status rc = WEFT_OK, waited;
  if (core->untracked) return weft__core_wait(core);
  for (int k = 0; k < c->results + c->inputs; k++)
    if (c->temporary[k] && c->temporary[k]->storage->host)
      WEFT__TRY(weft__storage_order(c->temporary[k]->storage, slot, true));
done:
  waited = weft__slot_wait(core, slot);
  return rc ? rc : waited;
}

weft_status weft__call_close(weft__call *c, weft_status rc) {
  if (rc == WEFT_OK && c->was_finite) rc = look_at_results(c);
  for (int k = 0; k < c->results && rc == WEFT_OK; k++)
    if (c->temporary[k]) rc = deliver_one(c, k);
  if (c->wraps) {
    weft_status waited = let_go(c);
    if (rc == WEFT_OK) rc = waited;
  }
  for (int k = 0; k < c->results + c->inputs; k++) {
    if (rc && c->is_new[k]) weft_array_release(c->result[k].as.result);
    if (c->temporary[k]) weft_array_release(&c->temporary[k]);
  }
  return rc;
}
