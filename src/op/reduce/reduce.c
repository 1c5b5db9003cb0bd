// SPDX-License-Identifier: MIT
/// The reductions by name: their dtypes and NaN rules, and the calls.
#include "op/reduce/reduce.h"

#include <math.h>

#include "expr/overload.h"
#include "expr/reduction.h"

#define ROW(ID, name, rule, gather, term, finish, op, values, result) \
  [WEFT_REDUCE_##ID] = {WEFT__GATHER_##gather, WEFT__TERM_##term, WEFT__FINISH_##finish},
static const struct { uint8_t gather, term, finish; } rows[WEFT_REDUCE_COUNT] = {WEFT__REDUCTIONS(ROW)};

#define NO_RESULT ((weft_scalar){.dtype = WEFT_DTYPE_NONE}) /* without elements: an error */

/* ---- dtypes ---- */

/// The dtype in which elements are computed.
static weft_dtype value_dtype(weft_dtype dtype) {
  const char kind = weft_dtype_kind(dtype);
  if (kind == 'f' || kind == 'c' || weft_dtype_size_bytes(dtype) >= 4) return weft__computed_dtype(dtype);
  return kind == 'i' ? WEFT_I32 : WEFT_U32;
}

/// Chooses the accumulator of a float sum. Narrow floats, f32 and c64 are summed in f64 if the device has it. f64 and
/// c128, and all floats on devices without fp64, use compensated summation: a pair of numbers.
static void choose_cell(weft__reduce_what *what, weft_dtype dtype, bool has_fp64) {
  const bool is_wide = weft__needs_fp64(dtype);
  what->cell = has_fp64 ? WEFT_F64 : WEFT_F32;
  what->pair = is_wide || !has_fp64;
  what->two = weft_dtype_kind(dtype) == 'c';
}

static void describe_sum(weft__reduce_what *what, weft_dtype dtype, bool has_fp64) {
  weft_dtype real = weft__real_dtype(dtype);
  bool whole = weft__is_whole(dtype);
  if (what->term == WEFT__TERM_NOT_ZERO) {
    what->cell = WEFT_U64;
  } else if (what->finish == WEFT__FINISH_MEAN && whole) {
    bool fits = weft_dtype_size_bytes(dtype) < 8;
    what->cell = fits ? WEFT_I64 : WEFT_F64;
    what->pair = !fits;
  } else if (what->term != WEFT__TERM_VALUE) { /* norms */
    choose_cell(what, whole ? WEFT_F64 : real, has_fp64);
    what->far = what->term == WEFT__TERM_SQUARE && !whole &&
                weft__exponent_bits(real) >= weft__exponent_bits((weft_dtype)what->cell);
  } else if (whole) {
    what->cell = WEFT_U64;
  } else {
    choose_cell(what, dtype, has_fp64);
  }
  what->counted = what->skip_nan && what->finish == WEFT__FINISH_MEAN;
}

static void describe_product(weft__reduce_what *what, weft_dtype dtype, bool has_fp64) {
  what->cell = dtype == WEFT_F64 || (weft_dtype_kind(dtype) == 'f' && has_fp64) ? WEFT_F64 : WEFT_F32;
  if (weft__is_whole(dtype)) what->cell = WEFT_U64;
  if (weft_dtype_kind(dtype) == 'c') what->cell = (uint8_t)dtype;
}

weft_status weft__ddof_check(double ddof) {
  return fabs(ddof) < 9e15
             ? WEFT_OK
             : weft__fail(WEFT_ERROR_ARGUMENT, "ddof", "`.ddof` is %g; expected a number of elements", ddof);
}

/// The order selects one of several reductions.
static weft_status describe_norm(weft__reduce_what *what, weft_dtype dtype, bool has_fp64, double order) {
  if (order == 0 || order == 2) {
    describe_sum(what, dtype, has_fp64);
  } else if (order == 1) {
    what->term = WEFT__TERM_MAGNITUDE;
    what->finish = WEFT__FINISH_PLAIN;
    describe_sum(what, dtype, has_fp64);
  } else if (isinf(order)) {
    what->gather = WEFT__GATHER_BEST;
    what->term = WEFT__TERM_VALUE;
    what->finish = WEFT__FINISH_PLAIN;
    what->magnitude = 1;
    what->greatest = order > 0;
    what->value = (uint8_t)value_dtype((weft_dtype)what->result);
  } else {
    return weft__fail(WEFT_ERROR_ARGUMENT, "order", "the order of a norm is %g; expected 2, 1, INFINITY or -INFINITY",
                      order);
  }
  return WEFT_OK;
}

weft_status weft__reduce_describe(weft__reduce_task *task, weft_reduction_id id, weft_dtype dtype, bool has_fp64,
                                  double parameter) {
  const weft__reduction *row = weft__reduction_row(id);
  const int gather = rows[row->plain].gather;
  weft__reduce_what *what = &task->what;
  char kind = weft_dtype_kind(dtype);
  task->name = weft__reduction_function(id) + WEFT__REDUCTION_PREFIX;
  task->empty = WEFT_SCALAR(0);
  *what = (weft__reduce_what){.gather = (uint8_t)gather,
                              .term = rows[row->plain].term,
                              .finish = rows[row->plain].finish,
                              .value = (uint8_t)value_dtype(dtype)};
  what->result = (uint8_t)weft__reduction_dtype(id, dtype);
  what->skip_nan = weft__skips_nan(id) && (kind == 'f' || kind == 'c');
  what->greatest = row->op == WEFT_SCAN_MAX && (gather == WEFT__GATHER_BEST || gather == WEFT__GATHER_WHERE);
  switch (gather) {
    case WEFT__GATHER_SUM:
      if (id == WEFT_REDUCE_NORM)
        WEFT__TRY_RETURN(describe_norm(what, dtype, has_fp64, parameter));
      else
        describe_sum(what, dtype, has_fp64);
      if (what->gather == WEFT__GATHER_BEST) task->empty = NO_RESULT; /* norms of order INFINITY and -INFINITY */
      if (what->finish == WEFT__FINISH_MEAN)
        task->empty = kind == 'c' ? WEFT_SCALAR(((weft_c128){(double)NAN, (double)NAN})) : WEFT_SCALAR((double)NAN);
      break;
    case WEFT__GATHER_PROD:
      describe_product(what, dtype, has_fp64);
      task->empty = WEFT_SCALAR(1);
      break;
    case WEFT__GATHER_BEST:
    case WEFT__GATHER_WHERE:
      task->empty = NO_RESULT;
      break;
    case WEFT__GATHER_RANGE:
      if (kind == 'b')
        return weft__fail(WEFT_ERROR_DTYPE, "x",
                          "`x` is bool, which cannot be subtracted; weft_max and weft_min give both ends");
      task->empty = NO_RESULT;
      break;
    case WEFT__GATHER_ALL:
      task->empty = WEFT_SCALAR(1);
      break;
    case WEFT__GATHER_ANY:
      break;
    default:
      task->empty = WEFT_SCALAR((double)NAN);
      WEFT__TRY_RETURN(weft__ddof_check(parameter));
      task->ddof = (int64_t)parameter;
  }
  if (what->result != WEFT_F64 || has_fp64) return WEFT_OK;
  return weft__fail(WEFT_ERROR_UNSUPPORTED, "x",
                    "the %s of %s is computed in f64, which the device lacks (no fp64): cast `x` to f32 first",
                    task->name, weft_dtype_name(dtype));
}

weft_status weft__reduce_axes(weft__reduce_task *task, weft_reduction_id id, weft_shape shape, weft_axes axes) {
  int reduced = 0;
  WEFT__TRY_RETURN(weft__axes_resolve(task->along, axes, shape.ndim));
  for (int d = 0; d < shape.ndim; d++) reduced += task->along[d];
  task->shape = shape;
  task->keepdims = axes.keepdims;
  const bool has_place = rows[weft__reduction_row(id)->plain].gather == WEFT__GATHER_WHERE;
  if (!has_place || reduced == shape.ndim || reduced == 1) return WEFT_OK;
  return weft__fail(WEFT_ERROR_AXIS, "axes", "%d axes were given; %s works along one, or all", reduced,
                    weft__reduction_function(id) + WEFT__REDUCTION_PREFIX);
}

/* ---- calls ---- */

static weft_status run(weft__call *c, weft_reduction_id id, weft_axes axes, double parameter) {
  weft__reduce_task task = {.name = NULL};
  uint64_t chunk_bytes = 0;
  WEFT__TRY_RETURN(weft__call_check(c));
  WEFT__TRY_RETURN(weft__reduce_axes(&task, id, weft__call_shape(c, 0), axes));
  WEFT__TRY_RETURN(
      weft__reduce_describe(&task, id, weft__call_dtype(c, 0), c->context->core.device->info.has_fp64, parameter));
  WEFT__TRY_RETURN(weft__reduce_chunk_bytes(&chunk_bytes, c, &task, NULL));
  if (chunk_bytes) return weft__reduce_in_chunks(c, &task, NULL, chunk_bytes);
  WEFT__TRY_RETURN(weft__call_upload(c));
  if (weft__call_is_scalar(c, 0)) WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  return weft__reduce_run(c, &task);
}

weft_status weft__reduce_apply_at(weft_reduction_id id, weft_operand out, weft_operand x, weft_axes axes,
                                  double parameter, const char *site) {
  static const char *const names[] = {"x"};
  weft_status rc;
  weft__call c;
  bool known = (int)id >= 0 && (int)id < WEFT_REDUCE_COUNT;
  weft__enter(known ? weft__reduction_function(id) : "weft_reduce_apply", site);
  if (!known) WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "id", "`id` is %d, which is no reduction", (int)id));
  weft__call_open(&c, NULL, 1, &out, 1, &x, names, site);
  rc = weft__call_close(&c, run(&c, id, axes, parameter));
done:
  return weft__leave(rc);
}

weft_status weft__var_at(weft_reduction_id id, weft_operand out, weft_operand x, weft_axes axes,
                         const weft_var_params *params) {
  const weft_var_params p = WEFT__PARAMS(params);
  return weft__reduce_apply_at(id, out, x, axes, p.ddof, p.site);
}

weft_status weft__norm_at(weft_operand out, weft_operand x, weft_axes axes, const weft_norm_params *params) {
  const weft_norm_params p = WEFT__PARAMS(params);
  return weft__reduce_apply_at(WEFT_REDUCE_NORM, out, x, axes, p.order, p.site);
}

/* ---- inner products ---- */

static weft_status check_vector(const weft__call *c, int k) {
  const char *name = weft__call_operand_name(c, k);
  if (weft__call_is_scalar(c, k))
    return weft__fail(WEFT_ERROR_SHAPE, name,
                      "`%s` is a number; expected an array with one axis (weft_multiply scales)", name);
  int ndim = weft__call_shape(c, k).ndim;
  if (ndim == 1) return WEFT_OK;
  return weft__fail(WEFT_ERROR_SHAPE, name, "`%s` has %d axes; an inner product is of two arrays with one axis each",
                    name, ndim);
}

static weft_status describe_dot(weft__reduce_task *task, const weft__call *c, bool conjugate) {
  weft__reduce_what *what = &task->what;
  bool has_fp64 = c->context->core.device->info.has_fp64;
  weft_dtype dtype = weft__promote(weft__call_dtype(c, 0), weft__call_dtype(c, 1));
  char kind = weft_dtype_kind(dtype);
  task->name = conjugate ? "vdot" : "dot";
  task->empty = WEFT_SCALAR(0);
  *what = (weft__reduce_what){.gather = WEFT__GATHER_SUM,
                              .source = conjugate ? WEFT__SOURCE_CONJUGATE_PRODUCT : WEFT__SOURCE_PRODUCT};
  what->result = (uint8_t)dtype;
  if (kind == 'b') {
    what->gather = WEFT__GATHER_ANY;
    what->source = WEFT__SOURCE_BOTH;
    what->value = WEFT_U32;
  } else if (kind == 'i' || kind == 'u') {
    what->value = what->cell = WEFT_U64;
  } else {
    choose_cell(what, dtype, has_fp64);
    /* a product of two numbers with f32's exponent range can overflow f32; a product of two f16 cannot */
    const bool widens = has_fp64 && weft__exponent_bits(weft__real_dtype(dtype)) == weft__exponent_bits(WEFT_F32);
    what->value = (uint8_t)(widens ? (kind == 'c' ? WEFT_C128 : WEFT_F64) : value_dtype(dtype));
  }
  return weft__dtype_check(dtype, c->context);
}

static weft_status run_dot(weft__call *c, weft__reduce_task *task) {
  WEFT__TRY_RETURN(weft__call_upload(c));
  for (int k = 0; k < 2; k++) WEFT__TRY_RETURN(weft__call_contiguous_operand(c, k, WEFT_DTYPE_NONE));
  return weft__reduce_run(c, task);
}

static weft_status dot(weft__call *c, bool conjugate) {
  weft__reduce_task task = {.along = {true}};
  uint64_t chunk_bytes = 0;
  WEFT__TRY_RETURN(weft__call_check(c));
  for (int k = 0; k < 2; k++) WEFT__TRY_RETURN(check_vector(c, k));
  int64_t a = weft__call_shape(c, 0).dim[0], b = weft__call_shape(c, 1).dim[0];
  if (a != b)
    return weft__fail(WEFT_ERROR_SHAPE, "b", "`a` has %lld elements, `b` %lld; expected as many", (long long)a,
                      (long long)b);
  task.shape = weft__call_shape(c, 0);
  WEFT__TRY_RETURN(describe_dot(&task, c, conjugate));
  WEFT__TRY_RETURN(weft__reduce_chunk_bytes(&chunk_bytes, c, &task, NULL));
  if (chunk_bytes) return weft__reduce_in_chunks(c, &task, NULL, chunk_bytes);
  return run_dot(c, &task);
}

weft_status weft__dot_at(weft_operand out, weft_operand a, weft_operand b, bool conjugate, const char *site) {
  static const char *const names[] = {"a", "b"};
  const weft_operand operands[] = {a, b};
  weft__call c;
  weft__enter(conjugate ? "weft_vdot" : "weft_dot", site);
  weft__call_open(&c, NULL, 1, &out, 2, operands, names, site);
  return weft__leave(weft__call_close(&c, dot(&c, conjugate)));
}

static weft_status dots(weft__call *c, weft_axes axes) {
  weft__reduce_task task = {.name = NULL};
  WEFT__TRY_RETURN(weft__call_check(c));
  task.shape = weft__call_shape(c, 0);
  WEFT__TRY_RETURN(weft__axes_resolve(task.along, axes, task.shape.ndim));
  WEFT__TRY_RETURN(describe_dot(&task, c, false));
  return run_dot(c, &task);
}

weft_status weft__dots_at(weft_operand out, weft_operand a, weft_operand b, weft_axes axes, const char *site) {
  static const char *const names[] = {"a", "b"};
  const weft_operand operands[] = {a, b};
  weft__call c;
  weft__enter("weft_dot", site);
  weft__call_open(&c, NULL, 1, &out, 2, operands, names, site);
  return weft__leave(weft__call_close(&c, dots(&c, axes)));
}
