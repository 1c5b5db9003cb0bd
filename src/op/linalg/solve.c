// SPDX-License-Identifier: MIT
/// weft_solve, weft_lu_solve, weft_solve_triangular, weft_inv, weft_det, weft_slogdet.
#include <weft/ufunc.h>

#include "map/cast.h"
#include "op/linalg/solver.h"

/* ---- systems of equations ---- */

/// The result x, for the right-hand sides; *flat: [batch, n, columns].
static weft_status start_solution(weft_array *flat, weft__solver *s, int k) {
  int64_t columns;
  bool is_vector;
  weft_array *x;
  WEFT__TRY_RETURN(weft__solver_right(&columns, &is_vector, s, k));
  WEFT__TRY_RETURN(weft__solver_result(&x, s, 0, s->dtype, is_vector ? 1 : 2, s->n, columns));
  *flat = weft__array_borrow(x);
  weft__set_contiguous(flat, WEFT_SHAPE(s->batch, s->n, columns));
  return WEFT_OK;
}

static weft_status solve(weft__solver *s) {
  weft_array x, *work;
  WEFT__TRY_RETURN(weft__solver_begin(s, true));
  WEFT__TRY_RETURN(start_solution(&x, s, 1));
  WEFT__TRY_RETURN(weft__solver_load(&x, s, 1, false));
  WEFT__TRY_RETURN(weft__solver_info(s));
  WEFT__TRY_RETURN(weft__solver_systems(&work, s, &x));
  WEFT__TRY_RETURN(weft__solver_gesv(s, &x, work, false));
  return weft__solver_report(s, WEFT__SINGULAR);
}

weft_status weft__solve_at(weft_operand x, weft_operand a, weft_operand b, const weft_solve_params *params) {
  static const weft__solver_function function = {.name = "weft_solve", .result = {"x"}, .operand = {"a", "b"}};
  const weft_operand operands[] = {a, b};
  const weft_solve_params p = WEFT__PARAMS(params);
  weft__solver s;
  weft__solver_open(&s, &function, &x, operands, p.info, p.site);
  return weft__solver_close(&s, solve(&s));
}

/// Sets *flat to the right-hand sides as they are, `[batch, n, columns]` like x. Returns false if they must be cast,
/// broadcast or made contiguous.
static bool read_right(weft_array *flat, const weft__solver *s, const weft_array *x) {
  const weft_array *b = s->call.array[s->call.results + 1];
  *flat = weft__array_borrow(b);
  weft__set_contiguous(flat, weft__array_shape(x));
  return b->dtype == x->dtype && b->size == x->size && weft__is_contiguous(b) &&
         (uint64_t)b->offset_bytes % weft_dtype_size_bytes(b->dtype) == 0;
}

static weft_status solve_triangular(weft__solver *s, weft__triangle triangle) {
  weft_array x, b;
  const weft_array *t;
  WEFT__TRY_RETURN(weft__solver_begin(s, true));
  WEFT__TRY_RETURN(start_solution(&x, s, 1));
  const bool is_cpu = s->call.context->store.is_cpu, is_apart = !is_cpu && read_right(&b, s, &x);
  if (is_cpu) WEFT__TRY_RETURN(weft__solver_load(&x, s, 1, false)); /* the thread's copy would wait for a launch */
  WEFT__TRY_RETURN(weft__solver_info(s));
  WEFT__TRY_RETURN(weft__solver_read(&t, s, 0));
  weft_array flat = weft__solver_flat(s, t, 2), places = weft__solver_flat(s, s->info, 0), *info = &places;
  WEFT__TRY_RETURN(weft__step_zero_pivot(&info, &x, &flat, triangle, s->call.site));
  if (!info) WEFT__TRY_RETURN(weft__solver_ask(s));
  if (!is_cpu && !is_apart) WEFT__TRY_RETURN(weft__solver_load(&x, s, 1, false));
  WEFT__TRY_RETURN(weft__step_trsm(&x, is_apart ? &b : NULL, &flat, triangle, info, s->call.site));
  return weft__solver_report(s, WEFT__SINGULAR_DIAGONAL);
}

weft_status weft__solve_triangular_at(weft_operand x, weft_operand a, weft_operand b,
                                      const weft_triangular_params *params) {
  static const weft__solver_function function = {
      .name = "weft_solve_triangular", .result = {"x"}, .operand = {"a", "b"}};
  const weft_operand operands[] = {a, b};
  const weft_triangular_params p = WEFT__PARAMS(params);
  weft__solver s;
  weft__solver_open(&s, &function, &x, operands, p.info, p.site);
  return weft__solver_close(&s, solve_triangular(&s, (weft__triangle){.is_upper = !p.lower,
                                                                      .is_unit = p.unit_diagonal,
                                                                      .transposes = p.transpose,
                                                                      .conjugates = p.conjugate}));
}

/// The pivots, within the rows whatever the caller passed, and broadcast to the stack.
static weft_status load_pivots(weft_array **out, weft__solver *s) {
  const weft_shape shape = weft__call_shape(&s->call, 1);
  weft_shape all = s->stack;
  weft_array *bounded = NULL;
  int axis;
  if (weft__call_dtype(&s->call, 1) != WEFT_I32)
    return weft__fail(WEFT_ERROR_DTYPE, "pivots", "`pivots` is %s; expected i32, as weft_lu_factor returns",
                      weft_dtype_name(weft__call_dtype(&s->call, 1)));
  all.dim[all.ndim++] = s->n;
  weft_shape both = all;
  if (!weft__broadcast_shapes(&both, shape, &axis) || !weft__same_shape(both, all) || shape.ndim == 0) {
    weft__text text = {0};
    weft__text_add(&text, "`pivots` is ");
    weft__add_shape(&text, WEFT_I32, shape);
    weft__text_add(&text, "; expected ");
    weft__add_shape(&text, WEFT_I32, all);
    weft__fail(WEFT_ERROR_SHAPE, "pivots", "%s, as weft_lu_factor returns with `lu`", weft__text_chars(&text));
    weft__text_free(&text);
    return WEFT_ERROR_SHAPE;
  }
  const weft_operand operands[] = {WEFT_OPERAND(&bounded), WEFT_OPERAND(s->call.array[s->call.results + 1]),
                                   WEFT_OPERAND(0), WEFT_OPERAND((int32_t)(s->n > 0 ? s->n - 1 : 0))};
  WEFT__TRY_RETURN(weft_ufunc_apply(WEFT_UFUNC_CLIP, 4, operands));
  s->work[s->works++] = bounded;
  const weft_array view = weft__array_broadcast(bounded, all);
  WEFT__TRY_RETURN(weft__solver_work(out, s, WEFT_I32, 1, s->n, 0));
  return weft__cast_into(*out, &view, WEFT_I32, s->call.site);
}

static weft_status lu_solve(weft__solver *s) {
  weft_array x, *pivots;
  const weft_array *lu;
  WEFT__TRY_RETURN(weft__solver_begin(s, true));
  WEFT__TRY_RETURN(start_solution(&x, s, 2));
  WEFT__TRY_RETURN(weft__solver_load(&x, s, 2, false));
  WEFT__TRY_RETURN(load_pivots(&pivots, s));
  WEFT__TRY_RETURN(weft__solver_read(&lu, s, 0));
  const weft_array flat = weft__solver_flat(s, lu, 2), flat_pivots = weft__solver_flat(s, pivots, 1);
  return weft__step_getrs(&x, &flat, &flat_pivots, s->call.site);
}

weft_status weft__lu_solve_at(weft_operand x, weft_operand lu, weft_operand pivots, weft_operand b, const char *site) {
  static const weft__solver_function function = {
      .name = "weft_lu_solve", .result = {"x"}, .operand = {"lu", "pivots", "b"}, .pivots = 1};
  const weft_operand operands[] = {lu, pivots, b};
  weft__solver s;
  weft__solver_open(&s, &function, &x, operands, NULL, site);
  return weft__solver_close(&s, lu_solve(&s));
}

/* ---- inverses ---- */

static weft_status invert(weft__solver *s) {
  weft_array *x, *work;
  WEFT__TRY_RETURN(weft__solver_begin(s, true));
  WEFT__TRY_RETURN(weft__solver_result(&x, s, 0, s->dtype, 2, s->n, s->n));
  WEFT__TRY_RETURN(weft__solver_info(s));
  weft_array flat = weft__solver_flat(s, x, 2);
  WEFT__TRY_RETURN(weft__solver_systems(&work, s, &flat));
  WEFT__TRY_RETURN(weft__solver_gesv(s, &flat, work, true));
  return weft__solver_report(s, WEFT__SINGULAR);
}

weft_status weft__inv_at(weft_operand out, weft_operand a, const weft_solve_params *params) {
  static const weft__solver_function function = {.name = "weft_inv", .result = {"out"}, .operand = {"a"}};
  const weft_solve_params p = WEFT__PARAMS(params);
  weft__solver s;
  weft__solver_open(&s, &function, &out, &a, p.info, p.site);
  return weft__solver_close(&s, invert(&s));
}

/* ---- determinants ---- */

/// Result 0: the determinants, or with `logarithm` their signs; result 1: their logarithms.
static weft_status find_determinants(weft__solver *s, bool logarithm) {
  weft_array *out, *sum = NULL, *work, *pivots;
  WEFT__TRY_RETURN(weft__solver_begin(s, true));
  WEFT__TRY_RETURN(weft__solver_result(&out, s, 0, s->dtype, 0, 0, 0));
  if (logarithm) WEFT__TRY_RETURN(weft__solver_result(&sum, s, 1, s->real, 0, 0, 0));
  if (s->n == 0) {
    if (sum && sum->size > 0) WEFT__TRY_RETURN(weft__fill(sum, WEFT_SCALAR(0), s->call.site));
    return out->size > 0 ? weft__fill(out, WEFT_SCALAR(1), s->call.site) : WEFT_OK;
  }
  WEFT__TRY_RETURN(weft__solver_info(s));
  WEFT__TRY_RETURN(weft__solver_work(&work, s, s->dtype, 2, s->n, s->n));
  WEFT__TRY_RETURN(weft__solver_work(&pivots, s, WEFT_I32, 1, s->n, 0));
  WEFT__TRY_RETURN(weft__solver_load(work, s, 0, false));
  weft_array flat = weft__solver_flat(s, work, 2), flat_pivots = weft__solver_flat(s, pivots, 1),
             info = weft__solver_flat(s, s->info, 0);
  WEFT__TRY_RETURN(weft__step_getrf(&flat, &flat_pivots, &info, s->call.site));
  return weft__determinant(out, sum, &flat, &flat_pivots, s->call.site);
}

weft_status weft__det_at(weft_operand out, weft_operand a, const char *site) {
  static const weft__solver_function function = {.name = "weft_det", .result = {"out"}, .operand = {"a"}};
  weft__solver s;
  weft__solver_open(&s, &function, &out, &a, NULL, site);
  return weft__solver_close(&s, find_determinants(&s, false));
}

weft_status weft__slogdet_at(weft_operand sign, weft_operand logabsdet, weft_operand a, const char *site) {
  static const weft__solver_function function = {
      .name = "weft_slogdet", .result = {"sign", "logabsdet"}, .operand = {"a"}};
  const weft_operand results[] = {sign, logabsdet};
  weft__solver s;
  weft__solver_open(&s, &function, results, &a, NULL, site);
  return weft__solver_close(&s, find_determinants(&s, true));
}
