// SPDX-License-Identifier: MIT
/// weft_median, weft_quantile, weft_percentile, and their nan forms.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <weft/eval.h>
#include <weft/index.h>
#include <weft/reduce.h>
#include <weft/scan.h>
#include <weft/statistics.h>

#include "array/axes.h"
#include "array/view.h"
#include "call/call.h"
#include "cl/statistics/args.h"
#include "dtype/dtype.h"
#include "dtype/opencl.h"
#include "map/cast.h"
#include "op/sort/rows.h"
#include "op/statistics/quantile.h"
#include "op/statistics/weights.h"

_Static_assert((int)WEFT_QUANTILE_NORMAL_UNBIASED == WEFT__QUANTILE_NORMAL_UNBIASED, "the methods' numbers");

/// Element `low` in order, plus `weight` times the difference of element `high`.
typedef struct quantile_place {
  uint64_t low, high;
  double weight;
} quantile_place;

/* ---- what is asked ---- */

bool weft__quantile_is_element(weft_quantile_method method) {
  return method == WEFT_QUANTILE_LOWER || method == WEFT_QUANTILE_HIGHER || method == WEFT_QUANTILE_NEAREST ||
         method == WEFT_QUANTILE_INVERTED_CDF || method == WEFT_QUANTILE_CLOSEST_OBSERVATION;
}

/// Reads q, as numbers from 0 to 1.
static weft_status read_q(weft__quantile_call *t) {
  weft__call *c = &t->call;
  weft_array *copy = NULL;
  weft_status rc;
  t->count = 1;
  if (!t->is_median && !weft__call_is_scalar(c, 1)) t->count = c->array[2]->size;
  t->q = calloc(t->count ? (size_t)t->count : 1, sizeof *t->q);
  if (!t->q) return weft__fail_host_memory((size_t)t->count * sizeof *t->q);
  if (t->is_median) {
    t->q[0] = 0.5;
    return WEFT_OK;
  }
  if (weft__call_is_scalar(c, 1)) {
    t->q[0] = weft__scalar_real(c->operand[1].as.scalar);
  } else if (t->count > 0) {
    const bool has_fp64 = c->context->core.device->info.has_fp64;
    float *narrow = (float *)t->q;
    WEFT__TRY(weft__cast(&copy, c->array[2], has_fp64 ? WEFT_F64 : WEFT_F32, c->site));
    WEFT__TRY(weft__array_read(t->q, copy, true, c->site));
    for (int64_t k = t->count; !has_fp64 && k-- > 0;) t->q[k] = (double)narrow[k];
  }
  for (int64_t k = 0; k < t->count; k++) {
    if (!(t->q[k] >= 0 && t->q[k] <= t->scale))
      WEFT__TRY(weft__fail(WEFT_ERROR_ARGUMENT, "q", "`q` has %.17g; expected 0 to %d", t->q[k], t->scale));
    t->q[k] /= t->scale;
  }
  rc = WEFT_OK;
done:
  weft_array_release(&copy);
  return rc;
}

/// The result's shape: q's axes, then the other axes of x.
static weft_status find_shape(weft_shape *shape, const weft__quantile_call *t, const bool along[WEFT_MAX_NDIM]) {
  const weft__call *c = &t->call;
  const weft_shape rest = weft__axes_reduced(weft__call_shape(c, 0), along, t->axes.keepdims);
  *shape = t->is_median ? WEFT_SHAPE_0D : weft__call_shape(c, 1);
  if (shape->ndim + rest.ndim > WEFT_MAX_NDIM)
    return weft__call_fail_shapes(c, 0, 1, "the result would have %d axes; %d are the most", shape->ndim + rest.ndim,
                                  WEFT_MAX_NDIM);
  for (int d = 0; d < rest.ndim; d++) shape->dim[shape->ndim++] = rest.dim[d];
  return WEFT_OK;
}

/// A view of an array of x's shape whose last axes are those along which the quantiles are.
static weft_array turn(weft__quantile_call *t, const weft_array *x, const bool along[WEFT_MAX_NDIM]) {
  weft_array turned = weft__array_borrow(x);
  int at = 0;
  t->rows = t->length = 1;
  for (int pass = 0; pass < 2; pass++)
    for (int d = 0; d < x->ndim; d++)
      if (along[d] == (pass == 1)) {
        turned.shape[at] = x->shape[d];
        turned.stride_bytes[at++] = x->stride_bytes[d];
        *(pass ? &t->length : &t->rows) *= (uint64_t)x->shape[d];
      }
  return turned;
}

/// Makes rows of the elements along the axes.
static weft_status make_rows(weft__quantile_call *t, const bool along[WEFT_MAX_NDIM]) {
  const weft_array *x = t->call.array[1], turned = turn(t, x, along);
  if (weft__sort_is_plain(&turned)) {
    t->elements = t->call.array[1];
    return WEFT_OK;
  }
  WEFT__TRY_RETURN(weft__cast(&t->from, &turned, x->dtype, t->call.site));
  t->elements = t->from;
  return WEFT_OK;
}

/* ---- the kernel ---- */

typedef struct quantile_key {
  uint8_t dtype, is_element;
  weft__nth_key nth; /* of rows in any order */
} quantile_key;

static void write_defines(weft__text *text, const void *data) {
  const quantile_key *key = data;
  weft__cl_define(text, (weft_dtype)key->dtype);
  weft__text_add(text, "#define IS_ELEMENT %d\n", key->is_element);
  if (key->nth.key_bytes) weft__nth_define(text, &key->nth);
}

static uint64_t real_bits(const weft_context *context, double value) {
  const float narrow = (float)value;
  uint64_t bits = 0;
  if (context->core.device->info.has_fp64)
    memcpy(&bits, &value, sizeof value);
  else
    memcpy(&bits, &narrow, sizeof narrow);
  return bits;
}

/// Writes the table of places, or NULL of q's: into the arguments if it fits there, else into *table.
static weft_status write_table(weft__quantile_args *args, weft_array **table, const weft__quantile_call *t,
                               const quantile_place *place) {
  const size_t words = place ? 3 : 1, count = words * (size_t)t->count;
  weft_context *context = t->call.context;
  args->has_table = count > WEFT__QUANTILE_WORDS;
  uint64_t *word = args->has_table ? calloc(count, sizeof *word) : args->word;
  if (!word) return weft__fail_host_memory(count * sizeof *word);
  for (int64_t k = 0; k < t->count; k++) {
    if (place) {
      word[3 * k] = place[k].low;
      word[3 * k + 1] = place[k].high;
    }
    word[words * (size_t)(k + 1) - 1] = real_bits(context, place ? place[k].weight : t->q[k]);
  }
  if (!args->has_table) return WEFT_OK;
  weft_status rc = weft__array_of(table, context, WEFT_U64, WEFT_SHAPE((int64_t)count), word, t->call.site);
  args->table = rc == WEFT_OK ? (uint64_t)(*table)->offset_bytes : 0;
  free(word);
  return rc;
}

/// Computes the quantiles of rows in order, or with `way` in any order, into part of the result, which begins
/// `to_bytes` behind its first element. `place` NULL: a kernel finds the places.
static weft_status run(const weft__quantile_call *t, const weft_array *x, weft_shape shape, const quantile_place *place,
                       uint64_t to_bytes, const weft__nth_way *way) {
  static const char *const names[] = {"weft_quantiles"}, *const names_of_rows[] = {"weft_quantile_rows"};
  weft_context *context = t->call.context;
  const weft_array *to = t->call.array[0];
  quantile_key key = {.dtype = (uint8_t)x->dtype, .is_element = weft__quantile_is_element(t->method)};
  if (way) key.nth = way->key;
  const weft__kernel_source source = {.name = t->what,
                                      .key = {.file = way ? "statistics/quantile_rows.cl" : "statistics/quantile.cl",
                                              .kernel = way ? names_of_rows : names,
                                              .kernels = 1,
                                              WEFT__KEY_BYTES(quantile_key, &key)},
                                      .write = write_defines};
  weft_array *table = NULL;
  weft__kernel *kernel;
  weft_status rc;
  const uint64_t rows = (uint64_t)shape.dim[0], results = rows * (uint64_t)t->count;
  weft__quantile_args args = {.rows = rows,
                              .length = (uint64_t)shape.dim[1],
                              .quantiles = (uint64_t)t->count,
                              .apart = t->rows,
                              .to = (uint64_t)to->offset_bytes + to_bytes,
                              .from = (uint64_t)x->offset_bytes,
                              .method = (uint32_t)t->method,
                              .ignores_nans = !place,
                              .flip_top = way ? way->flip_top : 0};
  const uint64_t blocks = way ? way->blocks : weft_ceil_div(results, WEFT__GPU_BLOCK);
  WEFT__TRY(write_table(&args, &table, t, place));
  WEFT__TRY(weft__kernels_get(&kernel, &context->store, &source));
  const weft__use use[] = {{to->storage, true}, {x->storage, false}, {(table ? table : x)->storage, false}};
  rc = weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(blocks), WEFT_DIM3(WEFT__GPU_BLOCK), &args, sizeof args,
                                            3, use, .what = t->what, .site = t->call.site});
done:
  weft_array_release(&table);
  return rc;
}

/* ---- the ways of GPUs ---- */

weft_status weft__quantile_sort(const weft__quantile_call *t, weft_array *sorted, weft_array *order) {
  const weft__sort sort = {.context = t->call.context,
                           .what = t->what,
                           .site = t->call.site,
                           .rows = t->rows,
                           .length = t->length,
                           .key_from = t->elements,
                           .key_to = sorted,
                           .value_to = order};
  return weft__sort_run(&sort);
}

static void find_places(quantile_place *place, const weft__quantile_call *t, uint64_t count) {
  for (int64_t k = 0; k < t->count; k++)
    place[k].weight = weft__quantile_place(&place[k].low, &place[k].high, (uint32_t)t->method, (double)count, t->q[k]);
}

/// The places of a row of `length` numbers; free them. NULL: HOST_MEMORY is recorded.
static quantile_place *make_places(const weft__quantile_call *t) {
  quantile_place *place = weft__new((size_t)t->count * sizeof *place);
  if (place) find_places(place, t, t->length);
  return place;
}

weft_status weft__quantile_sort_run(bool *is_done, const void *task) {
  const weft__quantile_call *t = task;
  const weft_shape shape = WEFT_SHAPE((int64_t)t->rows, (int64_t)t->length);
  weft_array *sorted = NULL;
  quantile_place *place = make_places(t);
  weft_status rc = WEFT_ERROR_HOST_MEMORY;
  if (!place) goto done;
  WEFT__TRY(weft__array_create(&sorted, t->call.context, t->elements->dtype, shape, t->call.site));
  WEFT__TRY(weft__quantile_sort(t, sorted, NULL));
  WEFT__TRY(run(t, sorted, shape, t->ignores_nans ? NULL : place, 0, NULL));
  *is_done = true;
done:
  free(place);
  weft_array_release(&sorted);
  return rc;
}

bool weft__quantile_rows_fits(const void *task) {
  const weft__quantile_call *t = task;
  weft__nth_way way;
  return weft__nth_rows_pays(&way, t->elements, t->rows, t->length, t->count);
}

weft_status weft__quantile_rows_run(bool *is_done, const void *task) {
  const weft__quantile_call *t = task;
  const weft_shape shape = WEFT_SHAPE((int64_t)t->rows, (int64_t)t->length);
  weft__nth_way way;
  if (!weft__nth_rows_pays(&way, t->elements, t->rows, t->length, t->count)) return WEFT_OK;
  quantile_place *place = make_places(t);
  if (!place) return WEFT_ERROR_HOST_MEMORY;
  const weft_status rc = run(t, t->elements, shape, t->ignores_nans ? NULL : place, 0, &way);
  *is_done = rc == WEFT_OK;
  free(place);
  return rc;
}

static int compare_ranks(const void *a, const void *b) {
  const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
  return (first > second) - (first < second);
}

static uint64_t index_of(const uint64_t *rank, int ranks, uint64_t wanted) {
  const uint64_t *found = bsearch(&wanted, rank, (size_t)ranks, sizeof *rank, compare_ranks);
  return (uint64_t)(found - rank);
}

/// The different ranks of the places and, if NaNs count, the last one; 2 * count + 1 at most.
static int list_ranks(uint64_t *rank, const weft__quantile_call *t, const quantile_place *place) {
  int listed = 0, ranks = 0;
  for (int64_t k = 0; k < t->count; k++) {
    rank[listed++] = place[k].low;
    rank[listed++] = place[k].high;
  }
  if (weft_dtype_kind(t->elements->dtype) == 'f' && !t->ignores_nans) rank[listed++] = t->length - 1;
  qsort(rank, (size_t)listed, sizeof *rank, compare_ranks);
  for (int k = 0; k < listed; k++)
    if (k == 0 || rank[k] != rank[ranks - 1]) rank[ranks++] = rank[k];
  return ranks;
}

/// The number of elements of a row that are not NaN. Waits.
static weft_status count_numbers(int64_t *count, const weft__quantile_call *t, const weft_array *row) {
  weft_status rc;
  weft_array *counted = NULL;
  const weft_operand variable[] = {WEFT_NAMED("x", row)};
  WEFT__TRY(
      weft__reduce_at(WEFT_OPERAND(&counted), t->call.context, "x == x", WEFT_ALL_AXES, 1, variable, t->call.site));
  rc = weft__array_read(count, counted, true, t->call.site);
done:
  weft_array_release(&counted);
  return rc;
}

/// Finds the elements of one row by their ranks.
static weft_status find_in_row(const weft__quantile_call *t, uint64_t row, quantile_place *place, uint64_t *rank) {
  const weft__call *c = &t->call;
  weft_status rc;
  weft_array part = weft__array_flat(t->elements), *found = NULL;
  part = weft__array_part(&part, 0, (int64_t)(row * t->length), (int64_t)t->length);
  if (t->ignores_nans) {
    int64_t numbers;
    WEFT__TRY_RETURN(count_numbers(&numbers, t, &part));
    find_places(place, t, numbers ? (uint64_t)numbers : 1);
  }
  const int ranks = list_ranks(rank, t, place);
  WEFT__TRY(weft__array_create(&found, c->context, part.dtype, WEFT_SHAPE(ranks), c->site));
  WEFT__TRY(weft__nth_run(found, &part, rank, t->what, c->site));
  quantile_place here[WEFT__NTH_RANKS];
  for (int64_t k = 0; k < t->count; k++)
    here[k] =
        (quantile_place){index_of(rank, ranks, place[k].low), index_of(rank, ranks, place[k].high), place[k].weight};
  rc = run(t, found, WEFT_SHAPE(1, ranks), here, row * weft_dtype_size_bytes(c->array[0]->dtype), NULL);
done:
  weft_array_release(&found);
  return rc;
}

bool weft__quantile_each_fits(const void *task) {
  const weft__quantile_call *t = task;
  const bool is_float = weft_dtype_kind(t->elements->dtype) == 'f';
  uint64_t rank[2 * WEFT__NTH_RANKS + 1];
  quantile_place place[WEFT__NTH_RANKS];
  if (t->count > WEFT__NTH_RANKS || !weft__nth_pays(t->elements, t->rows, t->length, 1 + is_float)) return false;
  find_places(place, t, t->length);
  return weft__nth_pays(t->elements, t->rows, t->length, list_ranks(rank, t, place));
}

weft_status weft__quantile_each_run(bool *is_done, const void *task) {
  const weft__quantile_call *t = task;
  uint64_t rank[2 * WEFT__NTH_RANKS + 1];
  quantile_place place[WEFT__NTH_RANKS];
  find_places(place, t, t->length);
  for (uint64_t row = 0; row < t->rows; row++) WEFT__TRY_RETURN(find_in_row(t, row, place, rank));
  *is_done = true;
  return WEFT_OK;
}

/* ---- with weights ---- */

/// The arrays of a call with weights, each [rows, length].
typedef struct weighing {
  weft_array *weights, *order, *sorted, *moved, *sums; /* sums: of the weights up to each element, in order */
} weighing;

static weft_array as_rows(const weft__quantile_call *t, const weft_array *x) {
  weft_array rows = weft__array_borrow(x);
  weft__set_contiguous(&rows, WEFT_SHAPE((int64_t)t->rows, (int64_t)t->length));
  return rows;
}

/// Sorts the rows, and adds the weights up in that order. A NaN that is ignored has the weight 0, and so has a negative
/// weight.
static weft_status weigh(weighing *w, weft__quantile_call *t, const bool along[WEFT_MAX_NDIM]) {
  weft__call *c = &t->call;
  const bool has_fp64 = c->context->core.device->info.has_fp64;
  const weft_shape shape = WEFT_SHAPE((int64_t)t->rows, (int64_t)t->length);
  weft_array view;
  WEFT__TRY_RETURN(weft__weights_place(&view, c, 2, t->axes));
  view = weft__array_broadcast(&view, weft__call_shape(c, 0));
  view = turn(t, &view, along);
  const weft_operand given[] = {WEFT_NAMED("w", &view)};
  WEFT__TRY_RETURN(weft__eval_at(WEFT_OPERAND(&w->weights), c->context, has_fp64 ? "max(f64(w), 0)" : "max(f32(w), 0)",
                                 1, given, c->site));
  weft__set_contiguous(w->weights, shape);
  const weft_array elements = as_rows(t, t->elements);
  const weft_operand both[] = {WEFT_NAMED("x", &elements), WEFT_NAMED("w", w->weights)};
  if (t->ignores_nans)
    WEFT__TRY_RETURN(weft__eval_at(WEFT_OPERAND(&w->weights), c->context, "w if x == x else 0", 2, both, c->site));
  WEFT__TRY_RETURN(weft__array_create(&w->sorted, c->context, elements.dtype, shape, c->site));
  WEFT__TRY_RETURN(weft__array_create(&w->order, c->context, WEFT_I64, shape, c->site));
  WEFT__TRY_RETURN(weft__quantile_sort(t, w->sorted, w->order));
  WEFT__TRY_RETURN(weft__take_along_axis_at(WEFT_OPERAND(&w->moved), WEFT_OPERAND(w->weights), WEFT_OPERAND(w->order),
                                            WEFT__AXES(1), &(const weft_index_params){.site = c->site}));
  return weft__scan_at(WEFT_OPERAND(&w->sums), WEFT_OPERAND(w->moved), WEFT__AXES(1),
                       &(const weft_scan_params){.site = c->site});
}

/// Writes one quantile of each row: the element behind as many as have too small a sum, or the sum 0.
static weft_status pick(const weft__quantile_call *t, const weighing *w, int64_t k) {
  const weft__call *c = &t->call;
  weft_status rc;
  weft_array *count = NULL, *place = NULL, *element = NULL;
  const int64_t rows = (int64_t)t->rows, last = (int64_t)t->length - 1;
  const weft_array total = weft__array_part(w->sums, 1, last, 1), top = weft__array_part(w->sorted, 1, last, 1),
                   wide = weft__array_broadcast(&total, weft__array_shape(w->sums)),
                   flat = weft__array_flat(c->array[0]);
  weft_array to = weft__array_part(&flat, 0, k * rows, rows), *result = &to;
  weft__set_contiguous(&to, WEFT_SHAPE(rows, 1));
  const weft_operand sums[] = {WEFT_NAMED("c", w->sums), WEFT_NAMED("t", &wide), WEFT_NAMED("q", t->q[k])};
  WEFT__TRY(weft__reduce_at(WEFT_OPERAND(&count), c->context, "c / t < q or c == 0", weft_keepdims(WEFT__AXES(1)), 3,
                            sums, c->site));
  const weft_operand found[] = {WEFT_NAMED("n", count), WEFT_NAMED("last", last)};
  WEFT__TRY(weft__eval_at(WEFT_OPERAND(&place), c->context, "min(n, last)", 2, found, c->site));
  WEFT__TRY(weft__take_along_axis_at(WEFT_OPERAND(&element), WEFT_OPERAND(w->sorted), WEFT_OPERAND(place),
                                     WEFT__AXES(1), &(const weft_index_params){.site = c->site}));
  const weft_operand parts[] = {WEFT_NAMED("x", element), WEFT_NAMED("t", &total), WEFT_NAMED("top", &top)};
  const bool is_float = weft_dtype_kind(to.dtype) == 'f', watches_nan = is_float && !t->ignores_nans;
  rc = weft__eval_at(WEFT_OPERAND(&result), c->context,
                     watches_nan ? "x if t > 0 and top == top else nan"
                     : is_float  ? "x if t > 0 else nan"
                                 : "x",
                     1 + is_float + watches_nan, parts, c->site);
done:
  weft_array_release(&count);
  weft_array_release(&place);
  weft_array_release(&element);
  return rc;
}

static weft_status compute_weighted(weft__quantile_call *t, const bool along[WEFT_MAX_NDIM]) {
  weft_status rc;
  weighing w = {0};
  WEFT__TRY(weigh(&w, t, along));
  for (int64_t k = 0; k < t->count; k++) WEFT__TRY(pick(t, &w, k));
  rc = WEFT_OK;
done:
  weft_array_release(&w.weights);
  weft_array_release(&w.order);
  weft_array_release(&w.sorted);
  weft_array_release(&w.moved);
  weft_array_release(&w.sums);
  return rc;
}

/* ---- the call ---- */

static weft_status fill_nan(weft_array *x, const char *site) {
  return weft__fill(x, WEFT_SCALAR((double)NAN), site);
}

/// All quantiles of one element are this element.
static weft_status copy_single(const weft__quantile_call *t, const bool along[WEFT_MAX_NDIM]) {
  const weft__call *c = &t->call;
  weft_array rows = weft__array_borrow(t->elements);
  weft__set_contiguous(&rows, weft__axes_reduced(weft__call_shape(c, 0), along, t->axes.keepdims));
  const weft_array all = weft__array_broadcast(&rows, weft__array_shape(c->array[0]));
  return weft__cast_into(c->array[0], &all, c->array[0]->dtype, c->site);
}

/// Whether x repeats rows, which then are `few`. A row of copies of one element has this element alone; in others
/// copies along one axis count.
static bool repeats_rows(weft_array *few, const weft_array *x, const bool along[WEFT_MAX_NDIM]) {
  bool kept[WEFT_MAX_NDIM] = {false}, is_even = true;
  for (int d = 0; d < x->ndim; d++) is_even = is_even && (!along[d] || x->shape[d] <= 1 || x->stride_bytes[d] == 0);
  for (int d = 0; d < x->ndim; d++) kept[d] = (along[d] && !is_even) || x->size == 0;
  return weft__array_without_copies(few, x, kept);
}

static weft_status quantile(weft__quantile_call *t, weft_operand out, int count, const weft_operand *operand,
                            const char *name, const char *site);

/// The quantiles of `few`, repeated.
static weft_status find_few(weft__quantile_call *t, const weft_array *few, weft_shape shape) {
  weft__call *c = &t->call;
  weft_array *once = NULL;
  const weft_operand operand[] = {WEFT_OPERAND(few), c->inputs > 1 ? c->operand[1] : c->operand[0]};
  weft__quantile_call again = {.what = t->what,
                               .method = t->method,
                               .scale = t->scale,
                               .is_median = t->is_median,
                               .ignores_nans = t->ignores_nans,
                               .axes = t->axes};
  weft_status rc;
  WEFT__TRY(quantile(&again, WEFT_OPERAND(&once), c->inputs, operand, t->name, c->site));
  WEFT__TRY(weft__call_result(c, 0, once->dtype, shape));
  const weft_array all = weft__array_broadcast(once, shape);
  rc = weft__cast_into(c->array[0], &all, c->array[0]->dtype, c->site);
done:
  weft_array_release(&once);
  return rc;
}

static weft_status find(weft__quantile_call *t) {
  weft__call *c = &t->call;
  bool along[WEFT_MAX_NDIM];
  weft_shape shape;
  weft_array few;
  WEFT__TRY_RETURN(weft__call_check(c));
  if ((int)t->method < 0 || t->method > WEFT_QUANTILE_NORMAL_UNBIASED)
    return weft__fail(WEFT_ERROR_ARGUMENT, "method", "`method` is %d, which is no weft_quantile_method",
                      (int)t->method);
  if (c->inputs > 2 && t->method != WEFT_QUANTILE_INVERTED_CDF)
    return weft__fail(WEFT_ERROR_ARGUMENT, "method",
                      "`method` is %d; with `weights` only WEFT_QUANTILE_INVERTED_CDF is defined", (int)t->method);
  const weft_dtype dtype = weft__call_dtype(c, 0);
  for (int k = 0; k < c->inputs; k++)
    if (weft_dtype_kind(weft__call_dtype(c, k)) == 'c')
      return weft__fail(WEFT_ERROR_DTYPE, weft__call_operand_name(c, k), "`%s` is %s; expected real numbers",
                        weft__call_operand_name(c, k), weft_dtype_name(weft__call_dtype(c, k)));
  WEFT__TRY_RETURN(weft__axes_resolve(along, t->axes, weft__call_shape(c, 0).ndim));
  WEFT__TRY_RETURN(find_shape(&shape, t, along));
  WEFT__TRY_RETURN(weft__call_upload(c));
  if (weft__call_is_scalar(c, 0)) WEFT__TRY_RETURN(weft__call_contiguous_operand(c, 0, WEFT_DTYPE_NONE));
  if (c->inputs <= 2 && repeats_rows(&few, c->array[1], along)) return find_few(t, &few, shape);
  WEFT__TRY_RETURN(read_q(t));
  const bool is_float = weft_dtype_kind(dtype) == 'f';
  if (!is_float) t->ignores_nans = false;
  WEFT__TRY_RETURN(make_rows(t, along));
  WEFT__TRY_RETURN(weft__call_contiguous_result(
      c, 0, is_float || weft__quantile_is_element(t->method) ? c->array[1]->dtype : WEFT_F64, shape));
  if (c->array[0]->size == 0) return WEFT_OK;
  if (t->length == 0 && (t->is_median || t->ignores_nans)) return fill_nan(c->array[0], c->site);
  if (t->length == 0)
    return weft__fail(WEFT_ERROR_SHAPE, "x", "`x` has no elements along the axes, so it has no quantile");
  if (t->length == 1 && c->inputs <= 2) return copy_single(t, along);
  return c->inputs > 2 ? compute_weighted(t, along) : weft__ways_run(&weft__quantile_ways, c->context, t);
}

static weft_status quantile(weft__quantile_call *t, weft_operand out, int count, const weft_operand *operand,
                            const char *name, const char *site) {
  static const char *const names[] = {"x", "q", "weights"};
  t->name = name;
  weft__enter(name, site);
  weft__call_open(&t->call, NULL, 1, &out, count, operand, names, site);
  weft_status rc = find(t);
  free(t->q);
  weft_array_release(&t->from);
  return weft__leave(weft__call_close(&t->call, rc));
}

weft_status weft__median_at(weft_operand out, weft_operand x, weft_axes axes, bool is_nan_form, const char *site) {
  weft__quantile_call t = {.what = "median", .scale = 1, .is_median = true, .ignores_nans = is_nan_form, .axes = axes};
  return quantile(&t, out, 1, &x, is_nan_form ? "weft_nanmedian" : "weft_median", site);
}

weft_status weft__quantile_at(weft_operand out, weft_operand x, weft_operand q, weft_axes axes, int scale,
                              bool is_nan_form, const weft_quantile_params *params) {
  static const char *const names[] = {"weft_quantile", "weft_nanquantile", "weft_percentile", "weft_nanpercentile"};
  const weft_quantile_params p = WEFT__PARAMS(params);
  const weft_operand operand[] = {x, q, WEFT_OPERAND(p.weights)};
  weft__quantile_call t = {
      .what = "quantile", .method = p.method, .scale = scale, .ignores_nans = is_nan_form, .axes = axes};
  return quantile(&t, out, p.weights ? 3 : 2, operand, names[2 * (scale == 100) + is_nan_form], p.site);
}
