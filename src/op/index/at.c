// SPDX-License-Identifier: MIT
/// weft_at, weft_ravel_multi_index and weft_unravel_index, and the ways to do them by kernels: index arrays become one
/// flat index per element, with which weft_at takes.
#include <weft/eval.h>

#include "array/axes.h"
#include "base/launch_log.h"
#include "cl/index/args.h"
#include "mem/recorder.h"
#include "op/index/gather.h"
#include "op/index/tuning.h"

typedef struct key {
  uint8_t index, mode;
} key;

static void write_defines(weft__text *text, const void *data) {
  const key *k = data;
  weft__index_write(text, (weft_dtype)k->index, k->mode);
}

/// flat = flat * length + indices, for one axis of x.
static weft_status add_axis(weft__indexing *i, weft_array *flat) {
  static const char *const name = "weft_flat";
  weft__kernel *kernel;
  weft__index_flat_args a = {.total = (uint64_t)flat->size,
                             .length = i->indexed->shape[i->axis],
                             .index_offset = i->indices->offset_bytes,
                             .flat_offset = flat->offset_bytes / 8,
                             .is_first = i->axis == 0};
  const key k = {(uint8_t)i->indices->dtype, (uint8_t)i->mode};
  const weft__kernel_source source = {
      .name = i->what,
      .key = {.file = "index/flat.cl", .kernel = &name, .kernels = 1, WEFT__KEY_BYTES(key, &k)},
      .write = write_defines};
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &i->context->store, &source));
  weft__use use[] = {{flat->storage, true}, {i->indices->storage, false}, {NULL, true}};
  const weft__index_launch launch = {kernel, a.total, WEFT__GPU_BLOCK, &a, sizeof a, &a.record, &a.epoch, 3, use};
  return weft__index_run(i, &launch);
}

/* ---- elements of a matrix, or their numbers, in one launch ---- */

typedef struct pair_key {
  uint8_t index, mode, unit, numbers;
} pair_key;

static void write_pair_key(weft__text *text, const void *data) {
  const pair_key *k = data;
  weft__index_write(text, (weft_dtype)k->index, k->mode);
  weft__text_add(text, "#define WEFT_UNIT %s\n#define WEFT_BLOCK %d\n#define WEFT_ITEMS %d\n#define WEFT_NUMBERS %d\n",
                 k->numbers ? "long" : weft__index_unit(k->unit), WEFT__GPU_BLOCK, WEFT__INDEX_PAIR_ITEMS, k->numbers);
}

/// Whether cl/index/gpu_pair.cl takes the lists. A recording notes one check for each launch; this one has two.
static bool is_pair(const weft__call *c, int count) {
  return count == 2 && c->array[c->results + 1]->dtype == c->array[c->results + 2]->dtype &&
         !weft__recorder_of(&c->context->core);
}

/// `x`: the matrix whose elements are read; NULL: none are.
static weft_status launch_pair(const weft__call *c, weft__kernel *kernel, weft__index_pair_args *a, bool checks,
                               weft_array *to, const weft_array *x, const char *what) {
  weft__core *core = &c->context->core;
  weft__deferred_use deferred[2];
  weft__storage records = {.core = core, .pool = &c->context->pool};
  weft_status rc = WEFT_OK;
  int begun = 0;
  while (checks && begun < 2) {
    const weft__deferred_check check = {.function = weft__function(),
                                        .site = c->site ? weft__lasting_site(c->site) : "",
                                        .argument = "indices",
                                        .axis = begun,
                                        .length = a->length[begun],
                                        .is_unsigned = weft_dtype_kind(c->array[2]->dtype) == 'u'};
    WEFT__TRY(weft__deferred_begin(&deferred[begun], core, &check));
    a->record[begun] = deferred[begun].record;
    a->epoch[begun] = deferred[begun].epoch;
    records.mem = deferred[begun++].records;
  }
  const weft__use use[] = {{to->storage, true},
                           {x ? x->storage : c->array[2]->storage, false},
                           {c->array[2]->storage, false},
                           {c->array[3]->storage, false},
                           checks ? (weft__use){&records, true} : (weft__use){c->array[2]->storage, false}};
  const uint64_t block = WEFT__GPU_BLOCK;
  rc = weft__run_kernel(&(weft__kernel_run){kernel,
                                            weft__own_grid(weft_ceil_div(a->total, WEFT__INDEX_PAIR_ITEMS), block),
                                            WEFT_DIM3(block), a, sizeof *a, 5, use, .what = what, .site = c->site});
done:
  for (int k = 0; k < begun; k++) weft__deferred_end(core, &deferred[k], weft__slot_now(core), rc);
  return rc;
}

/// to = the elements of the matrix `x` at the lists, or, as `numbers`, their numbers; x's other axes do not count.
static weft_status run_pair(weft__call *c, weft_array *to, const weft_array *x, bool numbers, weft_index_mode mode,
                            const char *what) {
  static const char *const name = "weft_pair";
  const int64_t size = (int64_t)weft_dtype_size_bytes(to->dtype);
  weft__kernel *kernel;
  weft__index_pair_args a = {
      .total = (uint64_t)to->size, .indexed_offset = numbers ? 0 : x->offset_bytes, .dense_offset = to->offset_bytes};
  for (int d = 0; d < 2; d++) {
    WEFT__TRY_RETURN(weft__index_check_length(to->size, x->shape[d], "x"));
    a.length[d] = x->shape[d];
    a.stride[d] = !numbers ? x->stride_bytes[d] / size : d == 0 ? x->shape[1] : 1;
    a.index_offset[d] = c->array[2 + d]->offset_bytes;
  }
  if (a.total == 0) return WEFT_OK;
  const pair_key k = {(uint8_t)c->array[2]->dtype, (uint8_t)mode, (uint8_t)size, numbers};
  const weft__kernel_source source = {
      .name = what,
      .key = {.file = "index/gpu_pair.cl", .kernel = &name, .kernels = 1, WEFT__KEY_BYTES(pair_key, &k)},
      .write = write_pair_key};
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &c->context->store, &source));
  return launch_pair(c, kernel, &a, mode == WEFT_INDEX_ERROR, to, numbers ? NULL : x, what);
}

/* ---- numbers of elements, and elements ---- */

/// flat = the numbers of the elements at the lists of indices, operands 1 to `count`, of an array of x's shape.
typedef struct numbering {
  weft__call *call;
  weft_array *flat, *x;
  int count;
  weft_index_mode mode;
  const char *what;
} numbering;

static weft__indexing indexing_of(const numbering *n) {
  return (weft__indexing){.context = n->call->context,
                          .what = n->what,
                          .site = n->call->site,
                          .indexed = n->x,
                          .dense = n->flat,
                          .mode = n->mode};
}

static weft_array **lists_of(const weft__call *c) {
  return (weft_array **)&c->array[c->results + 1];
}

weft_status weft__numbers_host_run(bool *is_done, const void *of) {
  const numbering *n = of;
  const weft__indexing i = indexing_of(n);
  *is_done = true;
  return weft__index_number_lists(&i, n->count, lists_of(n->call));
}

bool weft__numbers_pair_fits(const void *of) {
  const numbering *n = of;
  return is_pair(n->call, n->count);
}

weft_status weft__numbers_pair_run(bool *is_done, const void *of) {
  const numbering *n = of;
  *is_done = true;
  return run_pair(n->call, n->flat, n->x, true, n->mode, n->what);
}

weft_status weft__numbers_axes_run(bool *is_done, const void *of) {
  const numbering *n = of;
  weft__indexing i = indexing_of(n);
  *is_done = true;
  for (i.axis = 0; i.axis < n->count; i.axis++) {
    i.indices = lists_of(n->call)[i.axis];
    WEFT__TRY_RETURN(add_axis(&i, n->flat));
  }
  return WEFT_OK;
}

static weft_status check_lengths(int64_t indices, const weft_array *x, int count) {
  const char *argument = x->storage ? "x" : "shape";
  for (int d = 0; d < count; d++) WEFT__TRY_RETURN(weft__index_check_length(indices, x->shape[d], argument));
  return WEFT_OK;
}

static weft_status number_elements(weft__call *c, weft_array *flat, weft_array *x, int count, weft_index_mode mode,
                                   const char *what) {
  const numbering n = {c, flat, x, count, mode, what};
  WEFT__TRY_RETURN(check_lengths(flat->size, x, count));
  return flat->size > 0 ? weft__ways_run(&weft__numbers_ways, c->context, &n) : WEFT_OK;
}

/// Makes a view of x with its first `count` axes merged into one; copies x if they do not merge.
static weft_status merge_first(weft__call *c, int count, weft_array *view) {
  int64_t length, stride;
  if (!weft__merge_axes(c->array[1], 0, count, &length, &stride)) {
    WEFT__TRY_RETURN(weft__call_copy(c, 1, c->array[1], c->array[1]->dtype));
    weft__merge_axes(c->array[1], 0, count, &length, &stride);
  }
  *view = weft__array_borrow(c->array[1]);
  view->ndim -= count - 1;
  for (int d = 1; d < view->ndim; d++) {
    view->shape[d] = view->shape[d + count - 1];
    view->stride_bytes[d] = view->stride_bytes[d + count - 1];
  }
  view->shape[0] = length;
  view->stride_bytes[0] = stride;
  return WEFT_OK;
}

/// Makes all index arrays contiguous and of one shape.
static weft_status broadcast_lists(weft__call *c, int count, weft_shape *shape) {
  *shape = WEFT_SHAPE_0D;
  for (int k = 1; k <= count; k++) {
    WEFT__TRY_RETURN(weft__index_operand(c, k));
    const char *name = weft__call_operand_name(c, k);
    int axis;
    if (!weft__broadcast_shapes(shape, weft__array_shape(c->array[1 + k]), &axis))
      return weft__fail(WEFT_ERROR_SHAPE, name, "`%s` does not broadcast with the indices before it: axis %d differs",
                        name, axis);
  }
  for (int k = 1; k <= count; k++) WEFT__TRY_RETURN(weft__call_broadcast(c, 1 + k, *shape));
  return WEFT_OK;
}

/// Of weft_at: lists of one shape, operands 1 to `count`.
typedef struct at_task {
  weft__call *call;
  int count;
  weft_index_mode mode;
  weft_shape shape;
} at_task;

/// Makes the result of the shape [indices, x's axes behind the lists'].
static weft_status make_result(const at_task *t) {
  const weft_array *x = t->call->array[1];
  weft_shape rest = {.ndim = x->ndim - t->count + 1}, result;
  for (int d = 1; d < rest.ndim; d++) rest.dim[d] = x->shape[d + t->count - 1];
  WEFT__TRY_RETURN(weft__index_shape(&result, rest, t->shape, 0));
  return weft__call_contiguous_result(t->call, 0, x->dtype, result);
}

weft_status weft__at_host_run(bool *is_done, const void *of) {
  const at_task *t = of;
  weft__call *c = t->call;
  const weft_array *x = c->array[1];
  int64_t length, stride;
  *is_done = true;
  WEFT__TRY_RETURN(check_lengths(lists_of(c)[0]->size, x, t->count));
  if (!weft__merge_axes(x, t->count, x->ndim, &length, &stride) ||
      (length > 1 && stride != (int64_t)weft_dtype_size_bytes(x->dtype)))
    WEFT__TRY_RETURN(weft__call_copy(c, 1, c->array[1], x->dtype));
  WEFT__TRY_RETURN(make_result(t));
  const weft__indexing i = {.context = c->context,
                            .what = "at",
                            .site = c->site,
                            .indexed = c->array[1],
                            .dense = c->array[0],
                            .mode = t->mode};
  return c->array[0]->size > 0 ? weft__index_take_lists(&i, t->count, lists_of(c)) : WEFT_OK;
}

bool weft__at_pair_fits(const void *of) {
  const at_task *t = of;
  const weft_array *x = t->call->array[1];
  const int64_t size = (int64_t)weft_dtype_size_bytes(x->dtype);
  return is_pair(t->call, t->count) && x->ndim == 2 && size <= 8 &&
         (x->offset_bytes | x->stride_bytes[0] | x->stride_bytes[1]) % size == 0;
}

weft_status weft__at_pair_run(bool *is_done, const void *of) {
  const at_task *t = of;
  *is_done = true;
  WEFT__TRY_RETURN(weft__call_contiguous_result(t->call, 0, t->call->array[1]->dtype, t->shape));
  return run_pair(t->call, t->call->array[0], t->call->array[1], false, t->mode, "at");
}

weft_status weft__at_numbers_run(bool *is_done, const void *of) {
  const at_task *t = of;
  weft__call *c = t->call;
  weft_array *flat = NULL, view;
  weft_status rc;
  *is_done = true;
  WEFT__TRY(weft__array_create(&flat, c->context, WEFT_I64, t->shape, c->site));
  WEFT__TRY(number_elements(c, flat, c->array[1], t->count, t->mode, "at"));
  WEFT__TRY(merge_first(c, t->count, &view));
  WEFT__TRY(make_result(t));
  const weft__indexing i = {.context = c->context,
                            .what = "at",
                            .site = c->site,
                            .indexed = &view,
                            .dense = c->array[0],
                            .indices = flat,
                            .mode = WEFT__INDEX_SKIP};
  rc = weft__index_take(&i);
done:
  weft_array_release(&flat);
  return rc;
}

static weft_status at(weft__call *c, int count, weft_index_mode mode) {
  at_task task = {.call = c, .count = count, .mode = mode};
  WEFT__TRY_RETURN(weft__index_check_mode(mode));
  WEFT__TRY_RETURN(weft__call_operands(c));
  if (weft__call_is_scalar(c, 0) || c->array[1]->ndim < count)
    return weft__fail(WEFT_ERROR_SHAPE, "x", "`x` has %d axes; there are indices for %d", weft__call_shape(c, 0).ndim,
                      count);
  WEFT__TRY_RETURN(broadcast_lists(c, count, &task.shape));
  return weft__ways_run(&weft__at_ways, c->context, &task);
}

static const char *const names[] = {"x",          "indices[0]", "indices[1]", "indices[2]", "indices[3]",
                                    "indices[4]", "indices[5]", "indices[6]", "indices[7]"};

/// Sorts the arguments into lists, operands 1 to *lists, and the mode.
static weft_status sort_arguments(weft_operand operands[1 + WEFT_MAX_NDIM], int *lists, weft_index_mode *mode,
                                  int count, const weft_operand *indices) {
  *mode = WEFT_INDEX_ERROR;
  *lists = 0;
  for (int k = 0; k < count; k++) {
    if (indices[k].kind == WEFT_OPERAND_INDEXING)
      *mode = weft__index_mode_of(&indices[k]);
    else if ((*lists)++ < WEFT_MAX_NDIM)
      operands[*lists] = indices[k];
  }
  if (*lists >= 1 && *lists <= WEFT_MAX_NDIM) return WEFT_OK;
  return weft__fail(WEFT_ERROR_ARGUMENT, "indices", "%d lists of indices; expected 1 to %d", *lists, WEFT_MAX_NDIM);
}

weft_status weft__at_at(weft_operand out, weft_operand x, int count, const weft_operand *indices, const char *site) {
  weft_operand operands[1 + WEFT_MAX_NDIM] = {x};
  weft_index_mode mode;
  int lists;
  weft__call c;
  weft__enter("weft_at", site);
  WEFT__NEED(indices);
  const weft_status rc = sort_arguments(operands, &lists, &mode, count, indices);
  if (rc) return weft__leave(rc);
  weft__call_open(&c, NULL, 1, &out, 1 + lists, operands, names, site);
  return weft__leave(weft__call_close(&c, at(&c, lists, mode)));
}

/* ---- numbers of elements ---- */

static weft_status ravel(weft__call *c, weft_array *shaped, int lists, weft_index_mode mode) {
  weft_shape shape;
  WEFT__TRY_RETURN(weft__index_check_mode(mode));
  WEFT__TRY_RETURN(weft__call_operands(c));
  WEFT__TRY_RETURN(broadcast_lists(c, lists, &shape));
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, WEFT_I64, shape));
  return number_elements(c, c->array[0], shaped, lists, mode, "ravel_multi_index");
}

weft_status weft__ravel_multi_index_at(weft_operand out, weft_shape shape, int count, const weft_operand *indices,
                                       const char *site) {
  weft_operand operands[1 + WEFT_MAX_NDIM] = {WEFT_OPERAND(0)}; /* in the place of x */
  weft_index_mode mode;
  int lists;
  int64_t size;
  weft_array shaped = {.ndim = shape.ndim}; /* a shape: nothing is read */
  weft__call c;
  weft_status rc;
  weft__enter("weft_ravel_multi_index", site);
  WEFT__NEED(indices);
  WEFT__TRY(sort_arguments(operands, &lists, &mode, count, indices));
  WEFT__TRY(weft__shape_check(&size, shape, WEFT_U8, "shape"));
  if (lists != shape.ndim)
    WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "indices", "%d list%s of indices; expected %d, one for each axis", lists,
                         lists == 1 ? "" : "s", shape.ndim));
  weft__set_contiguous(&shaped, shape);
  shaped.size = size;
  weft__call_open(&c, NULL, 1, &out, 1 + lists, operands, names, site);
  rc = weft__call_close(&c, ravel(&c, &shaped, lists, mode));
done:
  return weft__leave(rc);
}

/// Divides checked numbers by the lengths behind each axis, in one kernel.
static weft_status divide(weft_array **outs, weft_array *numbers, weft_shape shape, const char *site) {
  static const char *const rest[] = {"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7"}, *const length[] = {
                                                                                          "n0", "n1", "n2", "n3",
                                                                                          "n4", "n5", "n6", "n7"};
  weft_operand variable[2 * WEFT_MAX_NDIM + 1];
  weft__text text = {0};
  int variables = 0;
  weft__text_add(&text, "t = numbers");
  for (int d = shape.ndim - 1; d >= 0; d--) {
    variable[variables++] = weft__operand_named(rest[d], WEFT_OPERAND(&outs[d]));
    if (d > 0) {
      variable[variables++] = weft__operand_named(length[d], WEFT_OPERAND(shape.dim[d]));
      weft__text_add(&text, "; t, r%d = divmod(t, n%d)", d, d);
    } else {
      weft__text_add(&text, "; r0 = t");
    }
  }
  variable[variables++] = WEFT_NAMED("numbers", numbers);
  const weft_status rc = text.failed
                             ? weft__fail_host_memory(1)
                             : weft__eval_all_at(numbers->context, weft__text_chars(&text), variables, variable, site);
  weft__text_free(&text);
  return rc;
}

static weft_status unravel(weft__call *c, weft_array **outs, weft_shape shape) {
  weft_array *numbers = NULL, line = {.ndim = 1};
  weft_status rc;
  WEFT__TRY_RETURN(weft__shape_check(&line.size, shape, WEFT_U8, "shape"));
  if (shape.ndim < 1)
    return weft__fail(WEFT_ERROR_SHAPE, "shape", "`shape` has no axes; expected 1 to %d", WEFT_MAX_NDIM);
  for (int d = 0; d < shape.ndim; d++)
    if (outs[d]) return weft__fail(WEFT_ERROR_ARGUMENT, "outs", "outs[%d] " WEFT__NOT_NULL, d);
  WEFT__TRY_RETURN(weft__call_operands(c));
  WEFT__TRY_RETURN(weft__index_operand(c, 1));
  line.shape[0] = line.size;
  WEFT__TRY(weft__array_create(&numbers, c->context, WEFT_I64, weft__array_shape(c->array[1]), c->site));
  WEFT__TRY(number_elements(c, numbers, &line, 1, WEFT_INDEX_ERROR, "unravel_index"));
  rc = divide(outs, numbers, shape, c->site);
done:
  weft_array_release(&numbers);
  return rc;
}

weft_status weft__unravel_index_at(weft_array **outs, weft_operand indices, weft_shape shape, const char *site) {
  static const char *const own[] = {"", "indices"};
  const weft_operand operands[] = {WEFT_OPERAND(0), indices};
  weft__call c;
  weft__enter("weft_unravel_index", site);
  WEFT__NEED(outs);
  weft__call_open(&c, NULL, 0, NULL, 2, operands, own, site);
  return weft__leave(weft__call_close(&c, unravel(&c, outs, shape)));
}
