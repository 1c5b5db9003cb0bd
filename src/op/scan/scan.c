// SPDX-License-Identifier: MIT
/// weft_scan and the cumulative functions: checks of the arguments, and the calls.
#include "op/scan/scan.h"

#include <weft/eval.h>

#include "base/scratch.h"
#include "call/call.h"
#include "dtype/scalar.h"
#include "expr/parser.h"
#include "map/cast.h"

/// Sets the dtype in which elements are read (scan->in), and the result's (scan->out).
static weft_status find_dtypes(weft__scan *scan, const weft_scan_params *params, weft_dtype x,
                               const weft_context *context) {
  bool adds_up = !params->combine && (params->op == WEFT_SCAN_SUM || params->op == WEFT_SCAN_PROD);
  char kind = weft_dtype_kind(x);
  scan->in = scan->out = x;
  if (params->dtype) {
    WEFT__TRY_RETURN(weft__dtype_check(params->dtype, context));
    if (!weft__casts_same_kind(x, params->dtype))
      return weft__fail(WEFT_ERROR_DTYPE, "dtype", "`x` is %s, which is not cast to %s implicitly; use weft_cast",
                        weft_dtype_name(x), weft_dtype_name(params->dtype));
    if (adds_up && params->dtype == WEFT_BOOL)
      return weft__fail(WEFT_ERROR_DTYPE, "dtype", "`dtype` is bool; sums and products need a number");
    scan->in = scan->out = params->dtype;
  } else if (adds_up && weft__is_whole(x)) {
    scan->out = kind == 'u' ? WEFT_U64 : WEFT_I64;
  }
  return WEFT_OK;
}

static weft_status check_params(const weft_scan_params *params) {
  if (params->combine) {
    if (!params->neutral.dtype)
      return weft__fail(WEFT_ERROR_ARGUMENT, "neutral",
                        "`combine` is given without `neutral`; expected the value that changes nothing, as "
                        "WEFT_SCALAR(0) for \"a + b\"");
    if (params->op)
      return weft__fail(WEFT_ERROR_ARGUMENT, "op", "both `op` and `combine` are given; expected one of them");
    return WEFT_OK;
  }
  if (params->neutral.dtype)
    return weft__fail(WEFT_ERROR_ARGUMENT, "neutral", "`neutral` is given without `combine`, which needs it");
  if (params->op == WEFT_SCAN_SUM || params->op == WEFT_SCAN_PROD || params->op == WEFT_SCAN_MAX ||
      params->op == WEFT_SCAN_MIN)
    return WEFT_OK;
  return weft__fail(WEFT_ERROR_ARGUMENT, "op", "`op` is %d, which is no weft_scan_op", (int)params->op);
}

/// Parses the user's operation, an expression of two elements in the dtype in which they are computed.
static weft_status parse_combine(weft__formula *f, weft__scan *scan, const weft_scan_params *params) {
  static const char *const names[] = {"a", "b"};
  weft_status rc;
  const weft_dtype dtype = weft__computed_dtype(scan->in), dtypes[] = {dtype, dtype};
  const weft__expression expression = {.text = params->combine,
                                       .variable = names,
                                       .variable_dtype = dtypes,
                                       .may_ignore = true,
                                       .keeps_numbers = true,
                                       .has_value = true,
                                       .results = 1,
                                       .result_dtype = dtypes};
  f->input[0] = f->input[1] = (weft__input){.dtype = dtype};
  scan->combine = f;
  scan->text = params->combine;
  WEFT__TRY(weft__parse(f, &expression));
  if (f->failed) WEFT__TRY(weft__fail_host_memory(sizeof(weft__node)));
  for (int k = 0; k < f->count; k++)
    if (f->node[k].kind == WEFT__NODE_INDEX || f->node[k].kind == WEFT__NODE_SIZE)
      WEFT__TRY(weft__fail(WEFT_ERROR_EXPRESSION, "combine",
                           "expr: elements have no number here; expected an expression of `a` and `b`"));
  rc = weft__element_bytes(scan->neutral, dtype, params->neutral, "neutral");
done:
  return weft__while(rc, "reading `combine`");
}

static weft_status check_flags(const weft__call *c) {
  weft_dtype dtype = weft__call_dtype(c, 1);
  weft_shape x = weft__call_shape(c, 0), flags = weft__call_shape(c, 1);
  if (dtype != WEFT_BOOL && dtype != WEFT_U8)
    return weft__fail(WEFT_ERROR_DTYPE, "flags", "`flags` is %s; expected bool or u8", weft_dtype_name(dtype));
  if (weft__same_shape(x, flags)) return WEFT_OK;
  return weft__call_fail_shapes(c, 0, 1, "expected a flag for each element");
}

/// Makes result 0 in the layout that the kernels need. Unlike weft__call_contiguous_result, it may be x itself: each
/// element is read by the block that writes it.
static weft_status make_result(weft__call *c, const weft__scan *scan, weft_shape shape) {
  WEFT__TRY_RETURN(weft__call_result(c, 0, scan->out, shape));
  const weft_array *y = c->array[0], *x = c->array[1];
  bool is_plain =
      y->dtype == scan->out && weft__is_contiguous(y) && !(c->inputs > 1 && weft__arrays_overlap(y, c->array[2]));
  if (is_plain && weft__arrays_overlap(y, x)) is_plain = weft__arrays_same(y, x);
  return is_plain ? WEFT_OK : weft__call_temporary(c, 0, scan->out, shape);
}

static weft_status scan_along(const weft_operand *out, weft_operand x, weft_axes axis, const weft_scan_params *params);

/// Scans the rows of `few`, which x repeats along other axes, and repeats the result.
static weft_status scan_few(weft__call *c, const weft__scan *scan, const weft_array *few, weft_axes axis,
                            const weft_scan_params *params) {
  weft_array *once = NULL;
  const weft_operand out = WEFT_OPERAND(&once);
  const weft_shape shape = weft__call_shape(c, 0);
  weft_status rc;
  WEFT__TRY(scan_along(&out, WEFT_OPERAND(few), axis, params));
  WEFT__TRY(weft__call_result(c, 0, scan->out, shape));
  const weft_array all = weft__array_broadcast(once, shape);
  rc = weft__cast_into(c->array[0], &all, c->array[0]->dtype, c->site);
done:
  weft_array_release(&once);
  return rc;
}

static weft_status run(weft__call *c, weft_axes axes, const weft_scan_params *params, weft__formula *f) {
  bool kept[WEFT_MAX_NDIM] = {false};
  weft_array few;
  int axis;
  weft__scan scan = {.op = params->op,
                     .exclusive = params->exclusive,
                     .reverse = params->reverse,
                     .deterministic = params->deterministic};
  bool has_flags = c->inputs > 1;
  WEFT__TRY_RETURN(weft__one_axis(&axis, axes));
  WEFT__TRY_RETURN(check_params(params));
  WEFT__TRY_RETURN(weft__call_check(c));
  WEFT__TRY_RETURN(find_dtypes(&scan, params, weft__call_dtype(c, 0), c->context));
  if (has_flags) WEFT__TRY_RETURN(check_flags(c));
  weft_shape shape = weft__call_shape(c, 0);
  weft__axis_split split = {1, 1, 1};
  if (axis == WEFT__EVERY_AXIS) {
    for (int d = 0; d < shape.ndim; d++) split.length *= shape.dim[d];
    shape = WEFT_SHAPE(split.length);
  } else {
    WEFT__TRY_RETURN(weft__axis_resolve(&axis, shape.ndim));
    split = weft__split_at_axis(shape, axis);
    kept[axis] = true;
  }
  f->has_fp64 = c->context->core.device->info.has_fp64;
  f->inputs = 2;
  if (params->combine) WEFT__TRY_RETURN(parse_combine(f, &scan, params));
  WEFT__TRY_RETURN(weft__call_upload(c));
  if (axis != WEFT__EVERY_AXIS && !has_flags && c->array[1] && weft__array_without_copies(&few, c->array[1], kept))
    return scan_few(c, &scan, &few, axes, params);
  WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, scan.in));
  if (has_flags) WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 1, WEFT_DTYPE_NONE));
  WEFT__TRY_RETURN(make_result(c, &scan, shape));
  return weft__scan_run(&scan, c->array[0], c->array[1], has_flags ? c->array[2] : NULL, split, c->site);
}

static weft_status scan_along(const weft_operand *out, weft_operand x, weft_axes axis, const weft_scan_params *params) {
  static const char *const names[] = {"x", "flags"};
  const weft_operand operand[] = {x, WEFT_OPERAND(params->flags)};
  weft__formula *formula = weft__scratch_begin_zeroed(sizeof *formula);
  weft__call c;
  if (!formula) return WEFT_ERROR_HOST_MEMORY;
  weft__call_open(&c, NULL, 1, out, params->flags ? 2 : 1, operand, names, params->site);
  weft_status rc = weft__call_close(&c, run(&c, axis, params, formula));
  weft__formula_free(formula);
  weft__scratch_end(formula);
  return rc;
}

weft_status weft__scan_at(weft_operand out, weft_operand x, weft_axes axis, const weft_scan_params *params) {
  const weft_scan_params p = WEFT__PARAMS(params);
  weft__enter("weft_scan", p.site);
  return weft__leave(scan_along(&out, x, axis, &p));
}

static weft_status check_no_op(const weft_scan_params *p) {
  if (!p->op && !p->combine) return WEFT_OK;
  return weft__fail(WEFT_ERROR_ARGUMENT, p->combine ? "combine" : "op", "`%s` is given; only weft_scan takes it",
                    p->combine ? "combine" : "op");
}

weft_status weft__cumulate_at(weft_scan_op op, weft_operand out, weft_operand x, weft_axes axis,
                              const weft_scan_params *params) {
  static const char *const names[] = {"weft_cumsum", "weft_cumprod", "weft_cummax", "weft_cummin"};
  bool is_known = (unsigned)op < sizeof names / sizeof *names;
  weft_scan_params p = WEFT__PARAMS(params);
  weft__enter(is_known ? names[op] : "weft_cumulate", p.site);
  weft_status rc = check_no_op(&p);
  p.op = op;
  return weft__leave(rc == WEFT_OK ? scan_along(&out, x, axis, &p) : rc);
}

/* ---- without NaN elements ---- */

/// Scans x with the neutral element in the place of each NaN.
static weft_status scan_numbers(const weft_operand *out, weft_operand x, weft_axes axis, const weft_scan_params *p) {
  static const char *const names[] = {"x"};
  weft__call c;
  weft_array *numbers = NULL;
  weft_status rc;
  weft__call_open(&c, NULL, 1, out, 1, &x, names, p->site); /* the scan writes the result */
  WEFT__TRY(weft__call_operands(&c));
  if (!weft__is_whole(weft__call_dtype(&c, 0)) && c.array[1]) {
    const weft_operand variable[] = {WEFT_NAMED("x", c.array[1])};
    WEFT__TRY(weft__eval_at(WEFT_OPERAND(&numbers), c.context,
                            p->op == WEFT_SCAN_PROD ? "where(x == x, x, 1)" : "where(x == x, x, 0)", 1, variable,
                            p->site));
    x = WEFT_OPERAND(numbers);
  }
  rc = scan_along(out, x, axis, p);
done:
  weft_array_release(&numbers);
  return weft__call_close(&c, rc);
}

weft_status weft__nancumulate_at(weft_scan_op op, weft_operand out, weft_operand x, weft_axes axis,
                                 const weft_scan_params *params) {
  weft_scan_params p = WEFT__PARAMS(params);
  weft__enter(op == WEFT_SCAN_PROD ? "weft_nancumprod" : "weft_nancumsum", p.site);
  weft_status rc = check_no_op(&p);
  p.op = op;
  return weft__leave(rc == WEFT_OK ? scan_numbers(&out, x, axis, &p) : rc);
}
