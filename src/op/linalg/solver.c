// SPDX-License-Identifier: MIT
/// Calls over stacks of matrices: operands, results, and the report of failures.
#include "op/linalg/solver.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/eval.h>
#include <weft/rearrange.h>

#include "context/objects.h"
#include "engine/host_step.h"
#include "expr/overload.h"
#include "map/cast.h"
#include "mem/host_memory.h"
#include "mem/recorder.h"
#include "mem/transfer.h"
#include "op/linalg/tuning.h"

static bool is_unwanted(const weft_operand *result) {
  return result->kind == WEFT_OPERAND_RESULT && !result->as.result;
}

void weft__solver_open(weft__solver *s, const weft__solver_function *function, const weft_operand *results,
                       const weft_operand *operands, weft_array **info, const char *site) {
  int wanted = 0, inputs = 0;
  *s = (weft__solver){.pivots = function->pivots, .info_at = -1, .stack = WEFT_SHAPE_0D, .batch = 1};
  weft__enter(function->name, site);
  for (int k = 0; function->result[k]; k++) {
    s->at[k] = -1;
    if (is_unwanted(&results[k])) continue;
    s->result[wanted] = results[k];
    s->name[wanted] = function->result[k];
    s->at[k] = wanted++;
  }
  if (info) {
    s->result[wanted] = WEFT_OPERAND(info);
    s->name[wanted] = "info";
    s->info_at = wanted++;
  }
  while (function->operand[inputs]) inputs++;
  weft__call_open(&s->call, NULL, wanted, s->result, inputs, operands, function->operand, site);
  s->call.result_name = s->name;
}

weft_status weft__solver_close(weft__solver *s, weft_status rc) {
  if (s->sent.mem) {
    weft__core *core = &s->call.context->core;
    if (rc) (void)weft__slot_wait(core, weft__slot_now(core)); /* the device may write there still */
    weft__point_release(&s->arrival);
    weft__pinned_spare_give(&s->sent, &s->call.context->pinned);
  }
  while (s->works > 0) weft_array_release(&s->work[--s->works]);
  return weft__leave(weft__call_close(&s->call, rc));
}

/* ---- operands ---- */

/// "`a` is f32[3]; expected ..."
static weft_status fail_operand(const weft__solver *s, int k, weft_status status, const char *expected) {
  weft__text text = {0};
  const char *name = weft__call_operand_name(&s->call, k);
  weft__text_add(&text, "`%s` is ", name);
  weft__add_shape(&text, weft__call_dtype(&s->call, k), weft__call_shape(&s->call, k));
  weft__text_add(&text, "; expected %s", expected);
  weft__fail(status, name, "%s", weft__text_chars(&text));
  weft__text_free(&text);
  return status;
}

/// numpy.linalg's common dtype: integers count as f64.
static weft_status find_dtype(weft__solver *s) {
  weft__dtypes all = 0;
  const bool has_fp64 = s->call.context->core.device->info.has_fp64;
  for (int k = 0; k < s->call.inputs; k++) {
    const weft_dtype dtype = weft__call_dtype(&s->call, k);
    if (k > 0 && k == s->pivots) continue;
    if (weft__is_narrow(dtype))
      return fail_operand(s, k, WEFT_ERROR_DTYPE, "f32, f64, c64, c128 or integers; weft_cast converts");
    all |= WEFT__DTYPE_SET(weft__is_whole(dtype) ? has_fp64 ? WEFT_F64 : WEFT_F32 : dtype);
  }
  s->dtype = weft__promote_all(all);
  s->real = weft__real_dtype(s->dtype);
  return WEFT_OK;
}

static weft_shape stack_of(weft_shape shape, int axes) {
  shape.ndim = shape.ndim > axes ? shape.ndim - axes : 0;
  return shape;
}

static int64_t count_of(weft_shape shape) {
  int64_t count = 1;
  for (int d = 0; d < shape.ndim; d++) count *= shape.dim[d];
  return count;
}

weft_status weft__solver_matrices(weft__solver *s, bool is_square) {
  weft__call *c = &s->call;
  WEFT__TRY_RETURN(weft__call_operands(c));
  const weft_shape shape = weft__call_shape(c, 0);
  if (shape.ndim < 2) return fail_operand(s, 0, WEFT_ERROR_SHAPE, "a matrix, or a stack of matrices");
  s->m = shape.dim[shape.ndim - 2];
  s->n = shape.dim[shape.ndim - 1];
  if (is_square && s->m != s->n) return fail_operand(s, 0, WEFT_ERROR_SHAPE, "square matrices");
  if (s->m > INT32_MAX || s->n > INT32_MAX)
    return fail_operand(s, 0, WEFT_ERROR_SHAPE, "matrices with sides below 2^31");
  s->stack = stack_of(shape, 2);
  s->batch = count_of(s->stack);
  return WEFT_OK;
}

weft_status weft__solver_begin(weft__solver *s, bool is_square) {
  WEFT__TRY_RETURN(weft__solver_matrices(s, is_square));
  return find_dtype(s);
}

weft_status weft__solver_right(int64_t *columns, bool *is_vector, weft__solver *s, int k) {
  const weft_shape b = weft__call_shape(&s->call, k);
  int axis;
  *is_vector = b.ndim == 1;
  if (b.ndim == 0) return fail_operand(s, k, WEFT_ERROR_SHAPE, "a vector, a matrix, or a stack of matrices");
  const int64_t rows = b.dim[*is_vector ? 0 : b.ndim - 2];
  *columns = *is_vector ? 1 : b.dim[b.ndim - 1];
  if (rows != s->m || !weft__broadcast_shapes(&s->stack, stack_of(b, 2), &axis)) {
    weft__text text = {0};
    const char *a_name = weft__call_operand_name(&s->call, 0), *name = weft__call_operand_name(&s->call, k);
    weft__text_add(&text, "`%s` is ", a_name);
    weft__add_shape(&text, weft__call_dtype(&s->call, 0), weft__call_shape(&s->call, 0));
    weft__text_add(&text, ", `%s` is ", name);
    weft__add_shape(&text, weft__call_dtype(&s->call, k), b);
    if (rows != s->m)
      weft__text_add(&text, "; expected `%s` with %" PRId64 " rows%s", name, s->m,
                     b.ndim > 1 ? ", its axis before the last" : "");
    else
      weft__text_add(&text, ": their stacks do not broadcast");
    weft__fail(WEFT_ERROR_SHAPE, name, "%s", weft__text_chars(&text));
    weft__text_free(&text);
    return WEFT_ERROR_SHAPE;
  }
  s->batch = count_of(s->stack);
  return WEFT_OK;
}

static weft_shape shape_of(const weft__solver *s, int axes, int64_t rows, int64_t columns) {
  weft_shape shape = s->stack;
  if (axes > 0) shape.dim[shape.ndim++] = rows;
  if (axes > 1) shape.dim[shape.ndim++] = columns;
  return shape;
}

weft_status weft__solver_load(weft_array *to, const weft__solver *s, int k, bool is_turned) {
  weft_array from = weft__array_borrow(s->call.array[s->call.results + k]), all = weft__array_borrow(to);
  if (from.ndim == 1) { /* a vector, as a column */
    from.ndim = 2;
    from.shape[1] = 1;
    from.stride_bytes[1] = from.stride_bytes[0];
  }
  if (is_turned) from = weft__array_transposed(&from);
  const weft_shape shape = shape_of(s, 2, from.shape[from.ndim - 2], from.shape[from.ndim - 1]);
  if (to->ndim != shape.ndim) weft__set_contiguous(&all, shape);
  const weft_array view = weft__array_broadcast(&from, shape);
  return weft__cast_into(&all, &view, s->dtype, s->call.site);
}

weft_status weft__solver_read(const weft_array **out, weft__solver *s, int k) {
  const weft_array *x = s->call.array[s->call.results + k];
  const weft_shape shape = shape_of(s, 2, s->m, s->n);
  weft_array *copy;
  *out = x;
  if (x->dtype == s->dtype && weft__has_shape(x, &shape) && weft__is_contiguous(x) &&
      (uint64_t)x->offset_bytes % weft_dtype_size_bytes(x->dtype) == 0)
    return WEFT_OK;
  WEFT__TRY_RETURN(weft__solver_work(&copy, s, s->dtype, 2, s->m, s->n));
  *out = copy;
  return weft__solver_load(copy, s, k, false);
}

/* ---- powers of two ---- */

weft_status weft__solver_even(weft_array **factor, weft__solver *s, weft_array *flat) {
  const bool is_complex = s->dtype != s->real;
  char text[192];
  const double large = s->real == WEFT_F64 ? 0x1p960 : 0x1p100;
  const weft_operand variables[] = {WEFT_NAMED("x", flat), WEFT_NAMED("large", large), WEFT_NAMED("small", 1 / large)};
  *factor = NULL;
  if (flat->size == 0) return WEFT_OK;
  /* by a factor of the matrices' own dtype: a choice between numbers alone is f64, which not every device has */
  const char *const real = weft_dtype_name(s->real);
  const char *const size = is_complex ? "fmax(abs(real(x)), abs(imag(x)))" : "abs(x)";
  snprintf(text, sizeof text,
           "t = max(%s, axis=(1, 2)); %s(large) if t > 0 and t < small else %s(small) if t > large else %s(1)", size,
           real, real, real);
  WEFT__TRY_RETURN(weft__eval_at(WEFT_OPERAND(factor), s->call.context, text, 3, variables, s->call.site));
  s->work[s->works++] = *factor;
  weft__set_contiguous(*factor, WEFT_SHAPE(flat->shape[0], 1, 1));
  const weft_operand product[] = {WEFT_OPERAND(&flat), WEFT_OPERAND(flat), WEFT_OPERAND(*factor)};
  return weft__ufunc_apply_at(WEFT_UFUNC_MULTIPLY, 3, product, s->call.site);
}

/* ---- results ---- */

bool weft__solver_wants(const weft__solver *s, int k) {
  return s->at[k] >= 0;
}

weft_status weft__solver_work(weft_array **out, weft__solver *s, weft_dtype dtype, int axes, int64_t rows,
                              int64_t columns) {
  weft_array **work = &s->work[s->works];
  WEFT__TRY_RETURN(weft__array_create(work, s->call.context, dtype, shape_of(s, axes, rows, columns), s->call.site));
  s->works++;
  *out = *work;
  return WEFT_OK;
}

weft_status weft__solver_result(weft_array **out, weft__solver *s, int k, weft_dtype dtype, int axes, int64_t rows,
                                int64_t columns) {
  const int at = s->at[k];
  if (at < 0) return weft__solver_work(out, s, dtype, axes, rows, columns);
  const weft_shape shape = shape_of(s, axes, rows, columns);
  WEFT__TRY_RETURN(weft__call_contiguous_result(&s->call, at, dtype, shape));
  if (!s->call.is_new[at]) WEFT__TRY_RETURN(weft__call_temporary(&s->call, at, dtype, shape));
  *out = s->call.array[at];
  return WEFT_OK;
}

weft_array weft__solver_flat(const weft__solver *s, const weft_array *x, int axes) {
  weft_array flat = weft__array_borrow(x);
  const int last = x->ndim - 1;
  const int64_t rows = axes > 1 ? x->shape[last - 1] : axes > 0 ? x->shape[last] : 1;
  weft__set_contiguous(&flat, axes == 0   ? WEFT_SHAPE(s->batch)
                              : axes == 1 ? WEFT_SHAPE(s->batch, rows)
                                          : WEFT_SHAPE(s->batch, rows, x->shape[last]));
  return flat;
}

weft_status weft__solver_info(weft__solver *s) {
  if (s->info_at < 0) return weft__solver_work(&s->info, s, WEFT_I32, 0, 0, 0);
  WEFT__TRY_RETURN(weft__call_contiguous_result(&s->call, s->info_at, WEFT_I32, s->stack));
  s->info = s->call.array[s->info_at];
  return WEFT_OK;
}

/* ---- failures ---- */

/// "`a`", or "`a[1,2]`" for a matrix of a stack.
static void add_matrix(weft__text *text, const weft__solver *s, int64_t number) {
  int64_t index[WEFT_MAX_NDIM];
  weft__text_add(text, "`%s", weft__call_operand_name(&s->call, 0));
  for (int d = s->stack.ndim - 1; d >= 0; d--) {
    index[d] = number % s->stack.dim[d];
    number /= s->stack.dim[d];
  }
  for (int d = 0; d < s->stack.ndim; d++) weft__text_add(text, "%s%" PRId64, d ? "," : "[", index[d]);
  weft__text_add(text, s->stack.ndim ? "]`" : "`");
}

/// 0: the element of f32, f64, c64 or c128 is finite; 1: infinite; 2: a part is NaN.
static int special_of(const void *element, weft_dtype dtype) {
  const bool is_double = weft__real_dtype(dtype) == WEFT_F64;
  int found = 0;
  for (int p = 0; p < 1 + (weft__real_dtype(dtype) != dtype); p++) {
    const double x = is_double ? ((const double *)element)[p] : (double)((const float *)element)[p];
    const int special = isnan(x) ? 2 : isinf(x) ? 1 : 0;
    if (special > found) found = special;
  }
  return found;
}

/// "its element [1,0] is NaN", or the other text if all elements are finite, or cannot be read.
static void add_cause(weft__text *text, const weft__solver *s, int64_t number, const char *other) {
  weft_array *all = NULL;
  const int64_t count = s->m * s->n;
  const size_t size_bytes = weft_dtype_size_bytes(s->dtype);
  char *elements = weft__new((size_t)count * size_bytes);
  int64_t at = count;
  weft_status rc;
  WEFT__TRY(elements ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(weft__array_create(&all, s->call.context, s->dtype, shape_of(s, 2, s->m, s->n), s->call.site));
  WEFT__TRY(weft__solver_load(all, s, 0, false));
  weft_array flat = weft__solver_flat(s, all, 2);
  const weft_array matrix = weft__array_part(&flat, 0, number, 1);
  WEFT__TRY(weft__array_read(elements, &matrix, true, s->call.site));
  at = 0;
  while (at < count && special_of(elements + (size_t)at * size_bytes, s->dtype) == 0) at++;
done:
  if (rc == WEFT_OK && at < count)
    weft__text_add(text, "its element [%" PRId64 ",%" PRId64 "] is %s", at / s->n, at % s->n,
                   special_of(elements + (size_t)at * size_bytes, s->dtype) == 2 ? "NaN" : "infinite");
  else
    weft__text_add(text, "%s", other);
  free(elements);
  weft_array_release(&all);
}

static weft_status fail_matrix(const weft__solver *s, weft__solver_failure failure, int64_t number, int place,
                               int64_t others) {
  weft__text text = {0};
  char minor[80];
  snprintf(minor, sizeof minor, "its leading minor of order %d is not", place);
  add_matrix(&text, s, number);
  switch (failure) {
    case WEFT__NOT_POSITIVE:
      weft__text_add(&text, " is not positive definite: ");
      add_cause(&text, s, number, minor);
      break;
    case WEFT__SINGULAR:
      weft__text_add(&text, " is singular: pivot %d, counted from 1, is 0", place);
      break;
    case WEFT__SINGULAR_DIAGONAL:
      weft__text_add(&text, " is singular: its element [%d,%d] is 0", place - 1, place - 1);
      break;
    default:
      weft__text_add(&text, ": the iteration did not converge; ");
      add_cause(&text, s, number, "all elements are finite");
  }
  if (others > 0)
    weft__text_add(&text, "; %" PRId64 " more matri%s of the stack failed; .info receives all", others,
                   others == 1 ? "x" : "ces");
  const weft_status status = failure == WEFT__NOT_CONVERGED ? WEFT_ERROR_CONVERGENCE : WEFT_ERROR_SINGULAR;
  weft__fail(status, weft__call_operand_name(&s->call, 0), "%s", weft__text_chars(&text));
  weft__text_free(&text);
  return status;
}

weft_status weft__solver_ask(weft__solver *s) {
  weft__core *core = &s->call.context->core;
  const int slot = weft__slot_now(core);
  const uint64_t size_bytes = (uint64_t)s->batch * sizeof(int32_t);
  if (s->info_at >= 0 || size_bytes == 0 || weft__host_reaches(core) || weft__recorder_of(core)) return WEFT_OK;
  weft_status rc = weft__pinned_spare_take(&s->sent, &s->call.context->pinned, core, size_bytes);
  if (weft__without_memory(&rc)) return WEFT_OK; /* weft__solver_report reads */
  WEFT__TRY_RETURN(rc);
  WEFT__TRY_RETURN(
      weft__transfer_read_async(s->sent.data, s->info->storage, slot, (uint64_t)s->info->offset_bytes, size_bytes));
  return weft__point_set(&s->arrival, core, slot);
}

/// Waits for what weft__solver_ask asked for.
static weft_status await_places(int32_t *places, const weft__solver *s) {
  weft__core *core = &s->call.context->core;
  WEFT__TRY_RETURN(weft__point_wait(core, &s->arrival));
  memcpy(places, s->sent.data, (size_t)s->batch * sizeof *places);
  return weft__deferred_report(core, &s->arrival.covered);
}

/// What a replay reports.
typedef struct report {
  weft__solver_failure failure;
  int64_t batch;
} report;

/// data: info.
static int find_failed(void *const *data, const void *task) {
  const report *t = task;
  const int32_t *places = data[0];
  for (int64_t i = 0; i < t->batch; i++)
    if (places[i]) return i < INT_MAX ? (int)i + 1 : INT_MAX;
  return 0;
}

static weft_status explain(int code, const void *task, const char *what) {
  static const char *const how[] = {[WEFT__NOT_POSITIVE] = "is not positive definite",
                                    [WEFT__SINGULAR] = "is singular",
                                    [WEFT__SINGULAR_DIAGONAL] = "is singular: its diagonal has a 0",
                                    [WEFT__NOT_CONVERGED] = "has NaN or infinities: the iteration did not converge"};
  const report *t = task;
  return weft__fail(t->failure == WEFT__NOT_CONVERGED ? WEFT_ERROR_CONVERGENCE : WEFT_ERROR_SINGULAR, NULL,
                    "matrix %d of %" PRId64 ", counted from 0, of the recorded %s %s", code - 1, t->batch, what,
                    how[t->failure]);
}

const weft__host_function weft__host_solved = {"solved", WEFT__LIBRARY_NONE, sizeof(report), find_failed, NULL,
                                               explain};

/// Reads info. In a recording each replay looks at it, as nothing reads it there.
static weft_status read_places(int32_t *places, const weft__solver *s, weft__solver_failure failure) {
  if (s->arrival.event) return await_places(places, s);
  const report task = {failure, s->batch};
  const weft__host_use use = {.array = s->info, .reads = true};
  weft__recorder *recorder = weft__recorder_of(&s->call.context->core) ? weft__recorder_pause() : NULL;
  const weft_status rc = weft__array_read(places, s->info, true, s->call.site);
  if (!recorder) return rc;
  weft__recorder_now = recorder;
  return rc ? rc
            : weft__host_note(&(weft__host_work){.context = s->call.context,
                                                 .uses = 1,
                                                 .use = &use,
                                                 .function = &weft__host_solved,
                                                 .task = &task,
                                                 .what = weft__function(),
                                                 .site = s->call.site});
}

weft_status weft__solver_report(weft__solver *s, weft__solver_failure failure) {
  if (s->info_at >= 0 || s->batch == 0) return WEFT_OK;
  weft_status rc;
  int64_t first = -1, failed = 0;
  int32_t *places = weft__new((size_t)s->batch * sizeof *places);
  WEFT__TRY(places ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(read_places(places, s, failure));
  for (int64_t i = 0; i < s->batch; i++)
    if (places[i] != 0) {
      if (failed++ == 0) first = i;
    }
  if (failed > 0) rc = fail_matrix(s, failure, first, places[first], failed - 1);
done:
  free(places);
  return rc;
}

/* ---- systems of equations ---- */

weft_status weft__solver_systems(weft_array **a, weft__solver *s, const weft_array *b) {
  const weft_array *x = s->call.array[s->call.results];
  weft_array like = weft__array_borrow(b);
  weft__set_contiguous(&like, WEFT_SHAPE(s->batch, s->n, s->n));
  if (b->shape[2] <= WEFT__SOLVER_FUSED_SIDES && b->size > 0 && x->storage != b->storage &&
      weft__step_is_small(&like) && weft__small_gesv_reads(&like, b->shape[2]))
    return weft__solver_read((const weft_array **)a, s, 0);
  WEFT__TRY_RETURN(weft__solver_work(a, s, s->dtype, 2, s->n, s->n));
  return weft__solver_load(*a, s, 0, false);
}

weft_status weft__solver_gesv(weft__solver *s, weft_array *b, weft_array *a, bool inverts) {
  const char *site = s->call.site;
  weft_array *pivots, flat_a = weft__solver_flat(s, a, 2), flat_info = weft__solver_flat(s, s->info, 0), flat_b = *b;
  if (b->shape[2] <= WEFT__SOLVER_FUSED_SIDES && b->size > 0 && weft__step_is_small(&flat_a))
    return weft__small_gesv(&flat_b, &flat_a, &flat_info, inverts, site);
  WEFT__TRY_RETURN(weft__solver_work(&pivots, s, WEFT_I32, 1, s->n, 0));
  weft_array flat_pivots = weft__solver_flat(s, pivots, 1);
  WEFT__TRY_RETURN(weft__step_getrf(&flat_a, &flat_pivots, &flat_info, site));
  WEFT__TRY_RETURN(weft__solver_ask(s));
  return inverts ? weft__step_getri(b, &flat_a, &flat_pivots, site) : weft__step_getrs(b, &flat_a, &flat_pivots, site);
}
