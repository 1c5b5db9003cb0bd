// SPDX-License-Identifier: MIT
/// Expressions with reduced values of rows in one launch on GPUs, "exp(x - max(x, axis=-1))", where a row fits the
/// registers of a block (cl/reduce/gpu_whole.cl). The reduced values have the bits of the calls: rows are divided as in
/// op/reduce/schedule.c.
#include <string.h>

#include "base/scratch.h"
#include "core/reproducible.h"
#include "expr/emit.h"
#include "expr/part.h"
#include "op/reduce/reduce.h"
#include "op/reduce/tuning.h"
#include "op/ufunc/reduced.h"

/// What an array has: all elements, one for each place in a row, one for each row, one.
enum { WHOLE = 0, ALONG, BESIDE, SINGLE, KINDS };

/// What distinguishes the kernels of a plan.
typedef struct whole_key {
  uint8_t lanes_before, chunks, elements, packed; /* lanes_before: threads of a row, less 1 */
  uint8_t kind[WEFT__REDUCE_INPUTS];              /* of the arrays, in the order of the operands */
} whole_key;

/// A call in progress.
typedef struct whole {
  weft__call *call;
  const weft__plan *plan;
  const weft__plan_part *part[WEFT__MAX_INPUTS], *results;
  weft__reduce_task task[WEFT__MAX_INPUTS];
  whole_key key;
  weft__reduce_key arrays; /* its inputs: those with all elements, those beside, and then those along */
  int along;               /* number of these */
  weft_shape shape;
  int first;                   /* of the axes along which is reduced */
  uint64_t rows, length, size; /* size: bytes of an element of the arrays with all elements, and along */
  weft__reduce_args args;
} whole;

/* ---- which calls ---- */

/// Sets the shape: of the array with the most elements. False: operands that the kernel does not take.
static bool takes_operands(whole *w) {
  const weft__call *c = w->call;
  const weft_array *most = NULL;
  int arrays = 0;
  for (int k = 0; k < c->inputs; k++) {
    if (weft__call_is_scalar(c, k)) continue;
    const weft_array *x = c->operand[k].kind == WEFT_OPERAND_ARRAY ? c->operand[k].as.array : NULL;
    if (!x || x->size == 0 || !weft__is_contiguous(x) || ++arrays > WEFT__REDUCE_INPUTS) return false;
    if (!most || x->size > most->size) most = x;
  }
  if (!most) return false;
  w->shape = weft__array_shape(most);
  w->size = weft_dtype_size_bytes(most->dtype);
  return w->size <= 8;
}

/// How an array lies beside the rows; KINDS: not at all.
static int kind_of(const whole *w, const weft_array *x) {
  const int missing = w->shape.ndim - x->ndim;
  bool has_rows = missing == 0, has_places = x->ndim >= w->shape.ndim - w->first, is_one_row = true,
       is_one_place = true;
  if (x->size == 1 && w->rows * w->length > 1) return SINGLE;
  for (int d = 0; d < x->ndim && missing >= 0; d++) {
    const int64_t all = w->shape.dim[d + missing];
    bool *has = d + missing < w->first ? &has_rows : &has_places;
    bool *is_one = d + missing < w->first ? &is_one_row : &is_one_place;
    *has = *has && x->shape[d] == all;
    *is_one = *is_one && x->shape[d] == 1;
  }
  if (missing < 0) return KINDS;
  return has_rows && has_places ? WHOLE : is_one_row && has_places ? ALONG : has_rows && is_one_place ? BESIDE : KINDS;
}

/// Lists the arrays. Those that are read in chunks have elements of one size, and begin at a chunk.
static bool takes_arrays(whole *w) {
  const weft__call *c = w->call;
  int at = 0, listed = 0;
  for (int k = 0; k < c->inputs; k++) {
    if (weft__call_is_scalar(c, k)) continue;
    const weft_array *x = c->operand[k].as.array;
    const int kind = kind_of(w, x);
    if (kind == KINDS || (kind <= ALONG && (weft_dtype_size_bytes(x->dtype) != w->size || x->offset_bytes % 16)))
      return false;
    w->key.kind[at++] = (uint8_t)kind;
  }
  static const uint8_t order[] = {WHOLE, BESIDE, SINGLE, ALONG};
  for (size_t pass = 0; pass < sizeof order; pass++)
    for (int k = 0, array = 0; k < c->inputs; k++) {
      if (weft__call_is_scalar(c, k) || w->key.kind[array++] != order[pass]) continue;
      w->arrays.number[listed] = (uint8_t)k;
      w->arrays.dtype[listed] = (uint8_t)c->operand[k].as.array->dtype;
      w->arrays.step[listed++] = order[pass] == BESIDE;
      w->arrays.inputs = (uint8_t)(w->arrays.inputs + (order[pass] == WHOLE));
      w->arrays.beside = (uint8_t)(w->arrays.beside + (order[pass] == BESIDE || order[pass] == SINGLE));
      w->along += order[pass] == ALONG;
    }
  return w->arrays.inputs > 0;
}

/// Whether the formula has only what the kernel computes: numbers of elements and the user's functions it does not.
static bool takes_nodes(const weft__formula *f) {
  for (int k = 0; k < f->count; k++) {
    const weft__node *node = &f->node[k];
    if (node->kind == WEFT__NODE_TAP || node->kind == WEFT__NODE_INDEX || node->kind == WEFT__NODE_POSITION ||
        node->kind == WEFT__NODE_SIZE || node->kind == WEFT__NODE_RAW || node->kind == WEFT__NODE_CALL ||
        weft_dtype_kind(node->dtype) == 'c')
      return false;
  }
  return true;
}

/// Whether a reduction is along the last axes, from axis *first on; -1: not known yet.
static bool takes_axes(int *first, const weft__node *node, int ndim) {
  uint32_t along = node->index < 0 ? (1u << ndim) - 1 : 0;
  for (int k = 0; k < node->index; k++) {
    const int axis = node->argument[1 + k] < 0 ? node->argument[1 + k] + ndim : node->argument[1 + k];
    if (axis < 0 || axis >= ndim || along >> axis & 1) return false;
    along |= 1u << axis;
  }
  int begin = 0;
  while (begin < ndim && !(along >> begin & 1)) begin++;
  if (along != ((1u << ndim) - 1) - ((1u << begin) - 1) || along == 0 || (*first >= 0 && *first != begin)) return false;
  *first = begin;
  return true;
}

/// Divides the rows as the reductions do. False: a row is too long, or begins or ends within a chunk.
static bool divide(whole *w) {
  const uint64_t elements = w->length % (16 / w->size) == 0 ? 16 / w->size : 1, chunks = w->length / elements;
  const bool is_short = w->rows > 1 && w->length * w->size <= WEFT__REDUCE_SHORT_BYTES;
  uint64_t lanes = is_short ? 1 : WEFT__GPU_BLOCK;
  while (is_short && lanes < chunks && lanes < 32) lanes *= 2;
  const uint64_t of_thread = weft_ceil_div(chunks, lanes);
  if ((!is_short && elements == 1) || w->length > WEFT__REDUCE_ONE_BLOCK ||
      of_thread * elements > WEFT__REDUCE_WHOLE_ELEMENTS ||
      of_thread * elements * w->size * (uint64_t)(w->arrays.inputs + w->along) > WEFT__REDUCE_WHOLE_BYTES)
    return false;
  w->arrays.elements = (uint8_t)elements;
  w->key =
      (whole_key){.lanes_before = (uint8_t)(lanes - 1), .chunks = (uint8_t)of_thread, .elements = (uint8_t)elements};
  return true;
}

/// Whether a part has an array with all elements, and none along rows if it is reduced: weft_reduce would compute its
/// values into an array.
static bool takes_part(const whole *w, const weft__plan_part *part) {
  const weft__formula *f = &part->plan->formula;
  bool has = false;
  for (int k = 0; k < f->inputs; k++)
    for (int i = 0; i < w->arrays.inputs + w->arrays.beside + w->along; i++) {
      if (part->from[k] != w->arrays.number[i] || f->input[k].is_scalar) continue;
      has = has || i < w->arrays.inputs;
      if (part != w->results && i >= w->arrays.inputs + w->arrays.beside) return false;
    }
  return has && (part == w->results || f->inputs <= WEFT__REDUCE_INPUTS);
}

/// Finds the parts and describes the reductions. *takes: the kernel can compute them.
static weft_status find_parts(bool *takes, whole *w) {
  const weft__formula *f = &w->plan->formula;
  weft__store *store = &w->call->context->store;
  const bool has_fp64 = w->call->context->core.device->info.has_fp64;
  WEFT__TRY_RETURN(weft__plan_part_get(&w->results, store, w->plan, WEFT__PART_RESULTS));
  *takes = takes_part(w, w->results);
  for (int k = 0; k < f->reductions && *takes; k++) {
    const weft__node *node = &f->node[f->reduced[k]];
    WEFT__TRY_RETURN(weft__plan_part_get(&w->part[k], store, w->plan, k));
    const weft_dtype dtype = w->part[k]->plan->result[0];
    *takes = takes_part(w, w->part[k]) && !(node->op == WEFT_REDUCE_PTP && dtype == WEFT_BOOL);
    if (!*takes) break;
    WEFT__TRY_RETURN(
        weft__reduce_describe(&w->task[k], (weft_reduction_id)node->op, dtype, has_fp64, node->number.value.f));
    w->task[k].what.source = WEFT__SOURCE_FORMULA;
    w->task[k].what.mapped = (uint8_t)dtype;
    *takes = !weft__reduce_is_numbered(&w->task[k].what);
  }
  return WEFT_OK;
}

/// Whether the call can be computed in one launch.
static weft_status choose(bool *takes, whole *w) {
  const weft__call *c = w->call;
  const weft__formula *f = &w->plan->formula;
  *takes = !c->context->store.is_cpu && !c->context->core.reproducible && c->results == 1 &&
           c->result[0].kind == WEFT_OPERAND_RESULT && takes_nodes(f) && takes_operands(w);
  w->first = -1;
  for (int k = 0; k < f->reductions; k++)
    *takes = *takes && takes_axes(&w->first, &f->node[f->reduced[k]], w->shape.ndim);
  if (!*takes) return WEFT_OK;
  w->rows = w->length = 1;
  for (int d = 0; d < w->shape.ndim; d++) *(d < w->first ? &w->rows : &w->length) *= (uint64_t)w->shape.dim[d];
  *takes = takes_arrays(w) && divide(w);
  return *takes ? find_parts(takes, w) : WEFT_OK;
}

/* ---- the text in front ---- */

static void write_result(weft__text *text, const whole *w) {
  const weft__plan_part *part = w->results;
  const weft_dtype out = part->plan->result[0];
  const weft__reduce_what what = {.mapped = (uint8_t)out, .value = (uint8_t)out};
  const weft__reduce_value value = {.macro = "WHOLE_RESULT(IN, v)",
                                    .function = "weft_results",
                                    .index = "0",
                                    .formula = &part->plan->formula,
                                    .key = &w->arrays,
                                    .from = part->from,
                                    .place = part->place,
                                    .is_stored = true};
  weft__text_add(text, "#define WHOLE_OUT %s\n#define WHOLE_PACKED %d\n#define WHOLE_RAW %s\n", weft__cl_stored(out),
                 w->key.packed, weft__cl_chunk(w->key.packed ? w->key.elements : 1, out));
  weft__emit_part(text, &part->plan->formula, &out, value.function);
  weft__reduce_write_value(text, &value, &what);
}

static void write_reduced(weft__text *text, const whole *w, int k) {
  const weft__plan_part *part = w->part[k];
  const weft_dtype out = weft__computed_dtype(part->plan->result[0]);
  const weft__reduce_key key = {.what = w->task[k].what, .has_fp64 = w->call->context->core.device->info.has_fp64};
  char macro[32], function[32];
  snprintf(macro, sizeof macro, "WHOLE_VALUE_%d(IN, v)", k);
  snprintf(function, sizeof function, "weft_value_%d", k);
  const weft__reduce_value value = {.macro = macro,
                                    .function = function,
                                    .index = "0",
                                    .formula = &part->plan->formula,
                                    .key = &w->arrays,
                                    .from = part->from,
                                    .place = part->place};
  weft__emit_part(text, &part->plan->formula, &out, function);
  weft__reduce_write_value(text, &value, &key.what);
  weft__text_add(text, "#define R_NUMBER %d\n", k);
  weft__reduce_write_operation(text, &key);
  weft__text_add(text, "#include \"reduce/part.clh\"\n");
}

static void write_front(weft__text *text, const void *data) {
  const whole *w = data;
  const weft__formula *f = &w->plan->formula;
  weft__text_add(text, "#define WEFT_BLOCK %d\n#define WHOLE_LANES %d\n#define WHOLE_CHUNKS %d\n", WEFT__GPU_BLOCK,
                 w->key.lanes_before + 1, w->key.chunks);
  weft__text_add(text, "#define R_E %d\n#define R_U %d\n", w->key.elements, WEFT__REDUCE_ROW_LOADS);
  weft__text_add(text, "#include \"math/narrow.clh\"\n#include \"math/complex.clh\"\n");
  if (f->scalars) weft__text_add(text, "#define R_SCALARS %d\n", 2 * f->scalars);
  weft__emit_functions(text, f);
  weft__reduce_write_inputs(text, &w->arrays);
  weft__text_add(text, "#define WHOLE_ALONG(X)");
  for (int k = w->arrays.inputs + w->arrays.beside, end = k + w->along; k < end; k++) {
    const weft_dtype dtype = (weft_dtype)w->arrays.dtype[k];
    weft__text_add(text, " X(%d, %s, %s, %d)", w->arrays.number[k], weft__cl_stored(dtype),
                   weft__cl_chunk(w->key.elements, dtype), k);
  }
  weft__text_add(text, "\n");
  for (int k = 0; k < f->reductions; k++) write_reduced(text, w, k);
  weft__text_add(text, "#define WHOLE_REDUCED(X)");
  for (int k = 0; k < f->reductions; k++) weft__text_add(text, " X(%d, %lld)", k, (long long)w->task[k].ddof);
  weft__text_add(text, "\n");
  write_result(text, w);
}

/* ---- the launch ---- */

/// Makes the result: contiguous, of its own dtype. It may be an operand, as a row is read before it is written.
static weft_status make_result(whole *w) {
  weft__call *c = w->call;
  const weft_dtype dtype = w->results->plan->result[0];
  WEFT__TRY_RETURN(weft__call_result(c, 0, dtype, w->shape));
  if (weft__is_contiguous(c->array[0]) && c->array[0]->dtype == dtype) return WEFT_OK;
  return weft__call_temporary(c, 0, dtype, w->shape);
}

static weft_status launch(whole *w, const uint64_t *numbers) {
  static const char *const name[] = {"weft_reduce_whole"};
  weft__call *c = w->call;
  const weft__formula *f = &w->plan->formula;
  weft__reduce_args *args = &w->args; /* zeroed */
  args->outer = w->rows;
  args->length = args->count = w->length;
  args->all = w->rows * w->length;
  args->out = c->array[0]->offset_bytes;
  weft__use use[WEFT__REDUCE_INPUTS + 1] = {{c->array[0]->storage, true}};
  weft__kernel *kernel;
  WEFT__TRY_RETURN(weft__call_scalars(args->scalar, c, f, w->shape, numbers));
  const int arrays = w->arrays.inputs + w->arrays.beside + w->along;
  for (int k = 0; k < arrays; k++) {
    const weft_array *x = c->array[c->results + w->arrays.number[k]];
    args->offset[k] = x->offset_bytes;
    use[k + 1] = (weft__use){x->storage, false};
  }
  w->key.packed = c->array[0]->offset_bytes % 16 == 0 && weft_dtype_size_bytes(c->array[0]->dtype) == w->size;
  const weft__kernel_source source = {.name = "rows of an expression",
                                      .key = {.file = "reduce/gpu_whole.cl",
                                              .kernel = name,
                                              .kernels = 1,
                                              .owner = w->plan,
                                              WEFT__KEY_BYTES(whole_key, &w->key)},
                                      .write = write_front,
                                      .data = w};
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &c->context->store, &source));
  const int words = f->scalars ? 2 * f->scalars : 1;
  const size_t bytes = offsetof(weft__reduce_args, scalar) + (size_t)words * sizeof *args->scalar;
  const uint64_t blocks = weft_ceil_div(w->rows, WEFT__GPU_BLOCK / (w->key.lanes_before + 1u));
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(blocks), WEFT_DIM3(WEFT__GPU_BLOCK), args, bytes,
                                              arrays + 1, use, .what = "eval", .site = c->site});
}

static weft_status evaluate_rows(bool *done, weft__call *c, const weft__plan *plan, const uint64_t *numbers) {
  weft_status rc;
  whole *w = weft__scratch_begin_zeroed(sizeof *w);
  if (!w) return WEFT_ERROR_HOST_MEMORY;
  w->call = c;
  w->plan = plan;
  WEFT__TRY(choose(done, w));
  if (!*done) goto done;
  WEFT__TRY(weft__call_upload(c));
  WEFT__TRY(make_result(w));
  rc = launch(w, numbers);
done:
  weft__scratch_end(w);
  return rc;
}

weft__row_evaluator_function *const weft__row_evaluator = evaluate_rows;
