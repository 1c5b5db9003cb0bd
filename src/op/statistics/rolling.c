// SPDX-License-Identifier: MIT
/// Reductions of moving windows. The elements along the axis are cut into blocks as long as the window. A window is the
/// rest of one block and the beginning of the next; both are scans within blocks (van Herk, 1992). Short windows take
/// one launch.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <weft/eval.h>
#include <weft/index.h>
#include <weft/rearrange.h>
#include <weft/reduce.h>
#include <weft/rolling.h>
#include <weft/scan.h>

#include "array/axes.h"
#include "call/call.h"
#include "cl/statistics/args.h"
#include "dtype/opencl.h"
#include "expr/overload.h"
#include "expr/reduction.h"
#include "map/cast.h"
#include "op/statistics/rolling.h"
#include "op/statistics/tuning.h"
#include "store/kernel_set.h"

typedef struct rolling_call {
  weft__call call;
  weft_rolling_params p;
  weft_reduction_id op;            /* of a nan form, the reduction of the numbers */
  bool skips, counts;              /* NaNs do not count; the numbers of each window are counted */
  int64_t window, length, windows; /* elements of a window, along the axis, of the result */
  int axis, last;
  weft_dtype dtype;   /* of the elements */
  weft_dtype wide;    /* in which floats are added up */
  weft_array *padded; /* [..., blocks * window]: the axis is the last one */
  weft_array view;    /* the result with this axis last */
  weft_array *rest, *begin, *rest_squares, *begin_squares;
  weft_array *is_number, *rest_numbers, *begin_numbers; /* with `counts` */
} rolling_call;

static weft_dtype result_dtype(const rolling_call *t) {
  return weft__reduction_dtype(t->op, t->dtype);
}

/* ---- shapes ---- */

/// Copies the elements, and fills the last block up with zeros; there is a block behind the last element.
static weft_status pad(rolling_call *t, bool in_blocks) {
  const weft_array x = weft__array_turned(t->call.array[1], t->axis, false);
  weft_shape before = weft__array_shape(&x), after = before;
  for (int d = 0; d < x.ndim; d++) before.dim[d] = after.dim[d] = 0;
  after.dim[t->last] = in_blocks ? (t->length / t->window + 1) * t->window - t->length : 1;
  return weft__pad_at(WEFT_OPERAND(&t->padded), WEFT_OPERAND(&x), before, after,
                      &(const weft_pad_params){.site = t->call.site});
}

/// A padded array as rows of one block each.
static weft_array blocks_of(const rolling_call *t, const weft_array *x) {
  weft_array blocks = weft__array_borrow(x);
  weft__set_contiguous(&blocks, WEFT_SHAPE(x->size / t->window, t->window));
  return blocks;
}

/// The part of a padded array that belongs to the windows: element i, or i + window.
static weft_array part_of(const rolling_call *t, const weft_array *x, int64_t first) {
  return weft__array_part(x, t->last, first, t->windows);
}

/* ---- scans ---- */

/// Scans each block from its end (what is left of it), or without the element itself from its beginning.
static weft_status scan_blocks(weft_array **out, const rolling_call *t, const weft_array *x, weft_scan_op op,
                               bool reverse) {
  const weft_array blocks = blocks_of(t, x);
  const bool adds = (op == WEFT_SCAN_SUM || op == WEFT_SCAN_PROD) && !weft__is_whole(x->dtype);
  const weft_scan_params params = {.op = op,
                                   .reverse = reverse,
                                   .exclusive = !reverse,
                                   .deterministic = adds,
                                   .dtype = adds ? t->wide : WEFT_DTYPE_NONE,
                                   .site = t->call.site};
  WEFT__TRY_RETURN(weft__scan_at(WEFT_OPERAND(out), WEFT_OPERAND(&blocks), WEFT__AXES(1), &params));
  weft__set_contiguous(*out, weft__array_shape(x));
  return WEFT_OK;
}

static weft_status scan_both(weft_array **rest, weft_array **begin, const rolling_call *t, const weft_array *x,
                             weft_scan_op op) {
  WEFT__TRY_RETURN(scan_blocks(rest, t, x, op, true));
  return scan_blocks(begin, t, x, op, false);
}

/// The dtype of counts that divide.
static const char *real_of(const rolling_call *t) {
  return t->call.context->core.device->info.has_fp64 ? "f64" : "f32";
}

/// The fewest numbers of a window that has a result.
static int64_t least_of(const rolling_call *t) {
  const double least = weft__is_variance(t->op) ? floor(t->p.ddof) + 1 : 1;
  return (int64_t)fmin(fmax(least, (double)t->p.min_count), (double)t->window + 1);
}

/// What a window without enough numbers gives, as the nan forms of weft/reduce.h: in both parts of complex numbers.
static weft_scalar no_number(const rolling_call *t) {
  const double none = (double)NAN;
  return weft_dtype_kind(t->dtype) == 'c' ? WEFT_SCALAR(((weft_c128){none, none})) : WEFT_SCALAR(none);
}

/// Writes `y` of the text, which may use p, q and n: the numbers of the first block, of the second, of both. `variable`
/// has room for four more.
static weft_status write(rolling_call *t, const char *text, int count, weft_operand *variable) {
  weft_array *to = &t->view, numbers[2];
  char all[600];
  snprintf(all, sizeof all, "%s; y", text);
  if (t->counts) {
    numbers[0] = part_of(t, t->rest_numbers, 0);
    numbers[1] = part_of(t, t->begin_numbers, t->window);
    variable[count++] = WEFT_NAMED("np", &numbers[0]);
    variable[count++] = WEFT_NAMED("nq", &numbers[1]);
    variable[count++] = WEFT_NAMED("least", least_of(t));
    variable[count++] = WEFT_NAMED("none", no_number(t));
    snprintf(all, sizeof all, "p = %s(np); q = %s(nq); n = p + q; %s; y if np + nq >= least else none", real_of(t),
             real_of(t), text);
  }
  return weft__eval_at(WEFT_OPERAND(&to), t->call.context, all, count, variable, t->call.site);
}

/* ---- short windows in one launch ---- */

typedef struct tile_key {
  uint8_t dtype, wide, result, op, mean;
} tile_key;

static void write_tile_key(weft__text *text, const void *data) {
  const tile_key *key = data;
  weft__cl_define(text, (weft_dtype)key->dtype);
  weft__text_add(text, "#define WIDE %s\n#define RESULT %s\n#define OP %d\n#define MEAN %d\n",
                 weft__cl_stored((weft_dtype)key->wide), weft__cl_stored((weft_dtype)key->result), key->op, key->mean);
}

static int tiled_op(weft_reduction_id op) {
  return op == WEFT_REDUCE_SUM || op == WEFT_REDUCE_MEAN ? WEFT__ROLLING_SUM
         : op == WEFT_REDUCE_PROD                        ? WEFT__ROLLING_PROD
         : op == WEFT_REDUCE_MIN                         ? WEFT__ROLLING_LEAST
         : op == WEFT_REDUCE_MAX                         ? WEFT__ROLLING_GREATEST
                                                         : -1;
}

/// Whether a tile of a CPU holds all elements of a slab.
static bool is_in_tile(weft__axis_split split) {
  return split.length <= WEFT__ROLLING_TILE / split.inner;
}

/// The columns of a CPU's tile: so few that most of its rows begin a window, but 8 at least, half a line of the cache.
static int64_t columns_of(const rolling_call *t, weft__axis_split split) {
  const int64_t most = WEFT__ROLLING_TILE / (8 * t->window) / 8 * 8, columns = most < 8 ? 8 : most;
  return is_in_tile(split) || split.inner < columns ? split.inner : columns;
}

/// Whether cl/statistics/rolling.cl has the reduction: of contiguous arrays, into a result as the call would make it.
static bool has_kernel(const rolling_call *t) {
  const weft_array *x = t->call.array[1], *y = t->call.array[0];
  return t->window >= 2 && !t->skips && tiled_op(t->op) >= 0 && weft_dtype_kind(t->dtype) != 'c' &&
         !weft__is_narrow(t->dtype) && weft__is_contiguous(x) && weft__is_contiguous(y) && y->dtype == result_dtype(t);
}

static const rolling_call *call_of(const void *task) {
  return *(rolling_call *const *)task;
}

bool weft__rolling_slabs_fits(const void *task) {
  const rolling_call *t = call_of(task);
  const weft__axis_split split = weft__split_at_axis(weft__array_shape(t->call.array[1]), t->axis);
  return has_kernel(t) && t->window <= WEFT__ROLLING_CPU_WINDOW &&
         (is_in_tile(split) || (t->window - 1) * columns_of(t, split) <= WEFT__ROLLING_TILE / 2);
}

bool weft__rolling_rows_fits(const void *task) {
  const rolling_call *t = call_of(task);
  return has_kernel(t) && t->window <= WEFT__ROLLING_GPU_WINDOW && t->axis == t->last &&
         t->call.context->core.device->info.local_memory_bytes >= WEFT__ROLLING_GPU_BYTES;
}

static weft_status get_tile_kernel(weft__kernel **kernel, const rolling_call *t) {
  static const char *const name[] = {"weft_rolling"};
  const bool orders = t->op == WEFT_REDUCE_MIN || t->op == WEFT_REDUCE_MAX;
  const weft_dtype whole = weft_dtype_kind(t->dtype) == 'u' ? WEFT_U64 : WEFT_I64;
  const tile_key key = {.dtype = (uint8_t)t->dtype,
                        .wide = (uint8_t)(orders                     ? t->dtype
                                          : weft__is_whole(t->dtype) ? whole
                                                                     : t->wide),
                        .result = (uint8_t)t->call.array[0]->dtype,
                        .op = (uint8_t)tiled_op(t->op),
                        .mean = t->op == WEFT_REDUCE_MEAN};
  const weft__kernel_source source = {
      .name = "rolling",
      .key = {.file = "statistics/rolling.cl", .kernel = name, .kernels = 1, WEFT__KEY_BYTES(tile_key, &key)},
      .write = write_tile_key};
  return weft__kernels_get(kernel, &t->call.context->store, &source);
}

/// Each work-item reduces the windows of a tile.
weft_status weft__rolling_slabs_run(bool *is_done, const void *task) {
  const rolling_call *t = call_of(task);
  const weft_array *x = t->call.array[1], *y = t->call.array[0];
  const weft__axis_split split = weft__split_at_axis(weft__array_shape(x), t->axis);
  weft__rolling_tiles a = {.slabs = (uint64_t)split.outer,
                           .length = (uint64_t)split.length,
                           .inner = (uint64_t)split.inner,
                           .group = 1,
                           .rows = (uint64_t)t->windows,
                           .columns = (uint64_t)columns_of(t, split),
                           .to = (uint64_t)y->offset_bytes,
                           .from = (uint64_t)x->offset_bytes,
                           .window = (uint32_t)t->window};
  if (is_in_tile(split))
    a.group = WEFT__ROLLING_TILE / (a.length * a.inner);
  else
    a.rows = WEFT__ROLLING_TILE / a.columns - a.window + 1;
  a.parts = weft_ceil_div((uint64_t)t->windows, a.rows);
  a.strips = weft_ceil_div(a.inner, a.columns);
  const weft__use use[] = {{y->storage, true}, {x->storage, false}};
  weft__kernel *kernel;
  *is_done = true;
  WEFT__TRY_RETURN(get_tile_kernel(&kernel, t));
  const uint64_t items = weft_ceil_div(a.slabs, a.group) * a.parts * a.strips;
  return weft__run_kernel(&(weft__kernel_run){kernel, weft__own_grid(items, 1), WEFT_DIM3(1), &a, sizeof a, 2, use,
                                              .what = "rolling", .site = t->call.site});
}

/// Each work-group reduces the windows of a part of a row.
weft_status weft__rolling_rows_run(bool *is_done, const void *task) {
  const rolling_call *t = call_of(task);
  const weft_array *x = t->call.array[1], *y = t->call.array[0];
  weft__rolling_args a = {.rows = (uint64_t)(x->size / t->length),
                          .length = (uint64_t)t->length,
                          .to = (uint64_t)y->offset_bytes,
                          .from = (uint64_t)x->offset_bytes,
                          .window = (uint32_t)t->window,
                          .apart = (uint32_t)t->window | 1};
  a.blocks = WEFT__ROLLING_WORDS / a.apart - 1;
  a.parts = weft_ceil_div((uint64_t)t->windows, (uint64_t)a.blocks * a.window);
  const weft__use use[] = {{y->storage, true}, {x->storage, false}};
  const uint64_t block = WEFT__GPU_BLOCK;
  weft__kernel *kernel;
  *is_done = true;
  WEFT__TRY_RETURN(get_tile_kernel(&kernel, t));
  return weft__run_kernel(&(weft__kernel_run){kernel, weft__own_grid(a.rows * a.parts * block, block),
                                              weft__dim3(block, 1, 1), &a, sizeof a, 2, use, .what = "rolling",
                                              .site = t->call.site});
}

/* ---- without NaN elements ---- */

/// The number that takes the place of a NaN.
static weft_scalar neutral(const rolling_call *t) {
  const double real = weft__reduction_neutral(t->op);
  if (weft_dtype_kind(t->dtype) != 'c') return WEFT_SCALAR(real);
  return (weft_scalar){.value.c = {real, isinf(real) ? real : 0}, .dtype = WEFT_C128};
}

/// Replaces the NaNs (variances leave them out later), and counts the numbers of the parts of windows.
static weft_status skip_nans(rolling_call *t) {
  const weft_operand variable[] = {WEFT_NAMED("x", t->padded), WEFT_NAMED("neutral", neutral(t)),
                                   WEFT_NAMED("y", &t->padded), WEFT_NAMED("k", &t->is_number)};
  const char *text = t->counts ? "k = x == x; y = x if k else neutral" : "y = x if x == x else neutral";
  WEFT__TRY_RETURN(
      weft__is_variance(t->op)
          ? weft__eval_at(WEFT_OPERAND(&t->is_number), t->call.context, "x == x", 1, variable, t->call.site)
          : weft__eval_all_at(t->call.context, text, t->counts ? 4 : 3, variable, t->call.site));
  return t->counts ? scan_both(&t->rest_numbers, &t->begin_numbers, t, t->is_number, WEFT_SCAN_SUM) : WEFT_OK;
}

/* ---- reductions ---- */

bool weft__rolling_subtract_fits(const void *task) {
  const rolling_call *t = call_of(task);
  return (t->op == WEFT_REDUCE_SUM || t->op == WEFT_REDUCE_MEAN) && weft__is_whole(t->dtype);
}

weft_status weft__rolling_subtract_run(bool *is_done, const void *task) {
  rolling_call *t = *(rolling_call *const *)task;
  weft_array *sums = NULL;
  weft_status rc;
  *is_done = true;
  WEFT__TRY(pad(t, false));
  WEFT__TRY(weft__scan_at(WEFT_OPERAND(&sums), WEFT_OPERAND(t->padded), WEFT__AXES(t->last),
                          &(const weft_scan_params){.exclusive = true, .site = t->call.site}));
  const weft_array a = part_of(t, sums, 0), b = part_of(t, sums, t->window);
  weft_operand parts[] = {WEFT_NAMED("a", &a), WEFT_NAMED("b", &b), WEFT_NAMED("w", (double)t->window)};
  const bool mean = t->op == WEFT_REDUCE_MEAN;
  rc = write(t, mean ? "y = f64(b - a) / w" : "y = b - a", mean ? 3 : 2, parts);
done:
  weft_array_release(&sums);
  return rc;
}

bool weft__rolling_combine_fits(const void *task) {
  return !weft__is_variance(call_of(task)->op);
}

/// Combines the rest of a block and the beginning of the next.
weft_status weft__rolling_combine_run(bool *is_done, const void *task) {
  rolling_call *t = *(rolling_call *const *)task;
  *is_done = true;
  WEFT__TRY_RETURN(pad(t, true));
  if (t->skips) WEFT__TRY_RETURN(skip_nans(t));
  const weft_reduction_id op = t->op;
  WEFT__TRY_RETURN(scan_both(&t->rest, &t->begin, t, t->padded, weft__reduction_row(op)->op));
  const weft_array a = part_of(t, t->rest, 0), b = part_of(t, t->begin, t->window);
  int count = 2;
  weft_operand parts[6] = {WEFT_NAMED("a", &a), WEFT_NAMED("b", &b)};
  if (op == WEFT_REDUCE_PTP) {
    WEFT__TRY_RETURN(scan_both(&t->rest_squares, &t->begin_squares, t, t->padded, WEFT_SCAN_MIN));
    const weft_array c = part_of(t, t->rest_squares, 0), d = part_of(t, t->begin_squares, t->window);
    parts[2] = WEFT_NAMED("c", &c);
    parts[3] = WEFT_NAMED("d", &d);
    return write(t, "y = max(a, b) - min(c, d)", 4, parts);
  }
  if (op == WEFT_REDUCE_MEAN && !t->counts) parts[count++] = WEFT_NAMED("n", (double)t->window);
  return write(t,
               op == WEFT_REDUCE_MEAN   ? "y = (a + b) / n"
               : op == WEFT_REDUCE_PROD ? "y = a * b"
               : op == WEFT_REDUCE_MIN  ? "y = min(a, b)"
               : op == WEFT_REDUCE_MAX  ? "y = max(a, b)"
                                        : "y = a + b",
               count, parts);
}

/// The first element of each block in one direction, of those that are not skipped; *made is to be released.
static weft_status begin_of(weft_array *begin, weft_array **made, const rolling_call *t, bool reverse) {
  const char *site = t->call.site;
  weft_status rc;
  weft_array *place = NULL;
  const weft_array blocks = blocks_of(t, t->padded);
  *begin = weft__array_part(&blocks, 1, reverse ? t->window - 1 : 0, 1);
  if (!t->skips) return WEFT_OK;
  weft_array part[] = {blocks, blocks_of(t, t->is_number)};
  for (int k = 0; reverse && k < 2; k++) {
    part[k].offset_bytes += part[k].stride_bytes[1] * (t->window - 1);
    part[k].stride_bytes[1] = -part[k].stride_bytes[1];
  }
  WEFT__TRY(weft__reduce_apply_at(WEFT_REDUCE_ARGMAX, WEFT_OPERAND(&place), WEFT_OPERAND(&part[1]),
                                  weft_keepdims(WEFT__AXES(1)), 0, site));
  WEFT__TRY(weft__take_along_axis_at(WEFT_OPERAND(made), WEFT_OPERAND(&part[0]), WEFT_OPERAND(place), WEFT__AXES(1),
                                     &(const weft_index_params){.mode = WEFT_INDEX_CLIP, .site = site}));
  *begin = weft__array_borrow(*made);
done:
  weft_array_release(&place);
  return rc;
}

/// Variances of the parts of blocks in one direction: their sums of distances from the element that begins the part,
/// and of squared distances from their mean. The latter grow by (d - mean before)^2 (n - 1) / n with each element
/// (Welford, 1962), so that nothing is subtracted and no element outside of a part touches it.
static weft_status vary_parts(weft_array **sums, weft_array **squares, weft_array **origin, const rolling_call *t,
                              bool reverse) {
  const weft__call *c = &t->call;
  weft_status rc;
  weft_array *distances = NULL, *terms = NULL, *made = NULL, begin;
  weft_array *const numbers = reverse ? t->rest_numbers : t->begin_numbers;
  const char *wide = weft_dtype_name(t->wide);
  const weft_array blocks = blocks_of(t, t->padded);
  char text[240];
  WEFT__TRY(begin_of(&begin, &made, t, reverse));
  const weft_array origins = weft__array_broadcast(&begin, weft__array_shape(&blocks));
  const weft_operand one[] = {WEFT_NAMED("x", &origins)};
  snprintf(text, sizeof text, t->skips ? "%s(x) if x == x else 0" : "%s(x)", wide); /* a block of NaNs has none */
  WEFT__TRY(weft__eval_at(WEFT_OPERAND(origin), c->context, text, 1, one, c->site));
  const weft_operand pair[] = {WEFT_NAMED("x", &blocks), WEFT_NAMED("m", *origin)};
  snprintf(text, sizeof text, t->skips ? "%s(x) - m if x == x else 0" : "%s(x) - m", wide);
  WEFT__TRY(weft__eval_at(WEFT_OPERAND(&distances), c->context, text, 2, pair, c->site));
  weft__set_contiguous(*origin, weft__array_shape(t->padded));
  weft__set_contiguous(distances, weft__array_shape(t->padded));
  WEFT__TRY(scan_blocks(sums, t, distances, WEFT_SCAN_SUM, reverse));
  weft_operand parts[4] = {WEFT_NAMED("d", distances), WEFT_NAMED("s", *sums), WEFT_NAMED("w", t->window)};
  if (numbers) parts[2] = WEFT_NAMED("k", numbers);
  if (t->skips) parts[3] = WEFT_NAMED("there", t->is_number);
  snprintf(text, sizeof text, "n = %s(%s); e = d - %s / max(n, 1); %s(e * e * n / (n + 1)%s)", real_of(t),
           numbers   ? reverse ? "max(k, 1) - 1" : "k"
           : reverse ? "w - 1 - i % w"
                     : "i % w",
           reverse ? "(s - d)" : "s", wide, t->skips ? " if there else 0" : "");
  WEFT__TRY(weft__eval_at(WEFT_OPERAND(&terms), c->context, text, t->skips ? 4 : 3, parts, c->site));
  rc = scan_blocks(squares, t, terms, WEFT_SCAN_SUM, reverse);
done:
  weft_array_release(&distances);
  weft_array_release(&terms);
  weft_array_release(&made);
  return rc;
}

bool weft__rolling_vary_fits(const void *task) {
  return weft__is_variance(call_of(task)->op);
}

/// Variances: of the two parts, joined as Chan, Golub and LeVeque (1979) do.
weft_status weft__rolling_vary_run(bool *is_done, const void *task) {
  rolling_call *t = *(rolling_call *const *)task;
  weft_status rc;
  *is_done = true;
  weft_array *last = NULL, *first = NULL; /* of each block */
  WEFT__TRY(pad(t, true));
  if (t->skips) WEFT__TRY(skip_nans(t));
  WEFT__TRY(vary_parts(&t->rest, &t->rest_squares, &last, t, true));
  WEFT__TRY(vary_parts(&t->begin, &t->begin_squares, &first, t, false));
  const weft_array a = part_of(t, t->rest, 0), b = part_of(t, t->begin, t->window), aa = part_of(t, t->rest_squares, 0),
                   bb = part_of(t, t->begin_squares, t->window), m = part_of(t, last, 0),
                   o = part_of(t, first, t->window);
  weft_operand parts[11] = {WEFT_NAMED("a", &a),
                            WEFT_NAMED("b", &b),
                            WEFT_NAMED("aa", &aa),
                            WEFT_NAMED("bb", &bb),
                            WEFT_NAMED("m", &m),
                            WEFT_NAMED("o", &o),
                            WEFT_NAMED("ddof", floor(t->p.ddof))};
  int count = 7;
  char text[400], numbers[100] = "";
  if (!t->counts) {
    parts[count++] = WEFT_NAMED("w", t->window);
    parts[count++] = WEFT_NAMED("windows", t->windows);
    snprintf(numbers, sizeof numbers, "k = i %% windows %% w; q = %s(k); p = %s(w - k); n = p + q; ", real_of(t),
             real_of(t));
  }
  /* a - a: NaN where a window has an infinity */
  snprintf(text, sizeof text,
           "%sapart = (b / max(q, 1) - a / max(p, 1)) + (o - m) if p * q > 0 else 0; "
           "all = aa + bb + apart * apart * p * q / max(n, 1) + ((a - a) + (b - b)); "
           "y = %s",
           numbers, t->op == WEFT_REDUCE_STD ? "sqrt(all / max(n - ddof, 0))" : "all / max(n - ddof, 0)");
  rc = write(t, text, count, parts);
done:
  weft_array_release(&last);
  weft_array_release(&first);
  return rc;
}

/* ---- the call ---- */

static weft_status check_counts(const rolling_call *t) {
  if (t->p.ddof != 0 && !weft__is_variance(t->op))
    return weft__fail(WEFT_ERROR_ARGUMENT, "ddof", "`ddof` is %g, but `op` is no variance or deviation", t->p.ddof);
  if (t->p.min_count < 0 || t->p.min_count > t->window)
    return weft__fail(WEFT_ERROR_ARGUMENT, "min_count",
                      "`min_count` is %" PRId64 "; expected 0 to %" PRId64 ", the elements of a window", t->p.min_count,
                      t->window);
  if (t->p.min_count > 0 && t->op == t->p.op)
    return weft__fail(WEFT_ERROR_ARGUMENT, "min_count",
                      "`min_count` is %" PRId64
                      ", but `op` takes all elements; expected a nan form, as "
                      "WEFT_REDUCE_NANMEAN",
                      t->p.min_count);
  return WEFT_OK;
}

static weft_status check(rolling_call *t, weft_axes axis) {
  weft__call *c = &t->call;
  const weft_reduction_id op = t->op;
  WEFT__TRY_RETURN(weft__call_operands(c));
  WEFT__TRY_RETURN(weft__only_axis(&t->axis, axis, weft__call_shape(c, 0).ndim, "axis"));
  t->dtype = weft__call_dtype(c, 0);
  t->last = weft__call_shape(c, 0).ndim - 1;
  t->length = weft__call_shape(c, 0).dim[t->axis];
  t->windows = t->length - t->window + 1;
  const weft__reduction *how = (unsigned)op < WEFT_REDUCE_COUNT ? weft__reduction_row(op) : NULL;
  if (!how || !how->result || how->values)
    return weft__fail(WEFT_ERROR_ARGUMENT, "op",
                      "`op` is %d; expected the sum, product, minimum, maximum, mean, variance, deviation, their nan "
                      "forms, or ptp",
                      (int)t->p.op);
  if (t->window < 1 || t->windows < 1)
    return weft__fail(WEFT_ERROR_ARGUMENT, "window",
                      "`window` is %" PRId64 "; expected 1 to %" PRId64 ", the length of axis %d", t->window, t->length,
                      t->axis);
  WEFT__TRY_RETURN(check_counts(t));
  const char kind = weft_dtype_kind(t->dtype);
  if ((op == WEFT_REDUCE_PTP && kind == 'b') || (weft__is_variance(op) && kind == 'c'))
    return weft__fail(WEFT_ERROR_DTYPE, "x", "`x` is %s; expected %s", weft_dtype_name(t->dtype),
                      kind == 'c' ? "real numbers" : "numbers, which have a difference");
  return WEFT_OK;
}

static weft_status roll(rolling_call *t, weft_axes axis) {
  weft__call *c = &t->call;
  WEFT__TRY_RETURN(check(t, axis));
  const bool has_fp64 = c->context->core.device->info.has_fp64, is_complex = weft_dtype_kind(t->dtype) == 'c';
  t->wide = is_complex ? has_fp64 ? WEFT_C128 : WEFT_C64 : has_fp64 ? WEFT_F64 : WEFT_F32;
  weft_shape shape = weft__call_shape(c, 0);
  shape.dim[t->axis] = t->windows;
  const weft_dtype dtype = result_dtype(t);
  WEFT__TRY_RETURN(weft__dtype_check(dtype, c->context));
  WEFT__TRY_RETURN(weft__call_result(c, 0, dtype, shape));
  if (c->array[0]->size == 0) return WEFT_OK;
  t->view = weft__array_turned(c->array[0], t->axis, false);
  t->skips = t->op != t->p.op && !weft__is_whole(t->dtype);
  t->counts = t->skips && (t->p.min_count > 0 || (t->op != WEFT_REDUCE_SUM && t->op != WEFT_REDUCE_PROD));
  return weft__ways_run(&weft__rolling_ways, c->context, &t);
}

weft_status weft__rolling_at(weft_operand out, weft_operand x, int64_t window, weft_axes axis,
                             const weft_rolling_params *params) {
  static const char *const names[] = {"x"};
  rolling_call t = {.p = WEFT__PARAMS(params), .window = window};
  if (!t.p.op) t.p.op = WEFT_REDUCE_SUM;
  t.op = (unsigned)t.p.op < WEFT_REDUCE_COUNT ? weft__reduction_row(t.p.op)->plain : t.p.op;
  weft__enter("weft_rolling", t.p.site);
  weft__call_open(&t.call, NULL, 1, &out, 1, &x, names, t.p.site);
  weft_status rc = roll(&t, axis);
  weft_array **const made[] = {&t.padded,        &t.rest,      &t.begin,        &t.rest_squares,
                               &t.begin_squares, &t.is_number, &t.rest_numbers, &t.begin_numbers};
  for (size_t k = 0; k < sizeof made / sizeof *made; k++) weft_array_release(made[k]);
  return weft__leave(weft__call_close(&t.call, rc));
}
