// SPDX-License-Identifier: MIT
/// The division of a reduction's work among blocks and work-items, where these store partial results, and the launches.
#include "op/reduce/division.h"

#include <string.h>

#include "core/reproducible.h"
#include "op/reduce/tuning.h"

/* words of 8 bytes in the memory through which blocks exchange partial results */
#define LAST_WORDS 32768

/* ---- the division of the work ---- */

static uint64_t at_least_one(uint64_t n) {
  return n ? n : 1;
}

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t power_of_two_from(uint64_t n, uint64_t most) {
  uint64_t p = 1;
  while (p < n && p < most) p *= 2;
  return p;
}

/// Begins to divide the work for the kernel: among blocks that have all elements of one result.
static void begin(weft__division *l, weft__reduce_kernel kernel) {
  l->key.kernel = (uint8_t)kernel;
  l->key.steps = l->s.inner > 1 && l->s.inner_stride != 1;
  l->args.splits = l->args.tiles = l->args.lanes = l->args.merge = l->args.rows = 1;
  l->args.mode = WEFT__REDUCE_DIRECT;
  l->args.outputs = (uint64_t)(l->key.across ? l->s.outer : l->s.outer * l->s.inner);
}

/// Elements of the widest array in 16 bytes, if all arrays begin at the same position of a 16-byte chunk and all given
/// lengths are whole chunks; else 1. With `shifts` the kernel treats the elements before the first chunk separately, so
/// that only the positions must agree.
static uint64_t chunk_of(const weft__division *l, bool shifts, int64_t a, int64_t b, int64_t c) {
  size_t widest = 1;
  for (int k = 0; k < l->arrays; k++)
    if (weft_dtype_size_bytes(l->array[k]->dtype) > widest) widest = weft_dtype_size_bytes(l->array[k]->dtype);
  int64_t elements = l->call->context->core.reproducible || l->key.steps ? 1 : 16 / (int64_t)widest, phase = 0;
  for (int k = 0; k < l->arrays; k++) {
    int64_t at = l->array[k]->offset_bytes / (int64_t)weft_dtype_size_bytes(l->array[k]->dtype) % elements;
    if (k > 0 && at != phase) return 1;
    phase = at;
  }
  if (!shifts && (phase | a % elements | b % elements | c % elements) != 0) return 1;
  return (uint64_t)elements;
}

static void divide_rows(weft__division *l) {
  uint64_t elements = chunk_of(l, true, 0, 0, 0), length = (uint64_t)l->s.length, outer = (uint64_t)l->s.outer;
  begin(l, WEFT__REDUCE_ROWS);
  l->key.elements = (uint8_t)elements;
  const uint64_t wanted = weft__grouping_units(&l->call->context->core) * WEFT__REDUCE_ROW_BLOCKS;
  const bool is_shared = length > WEFT__REDUCE_ONE_BLOCK && outer < wanted;
  l->key.unroll = elements == 1 ? 2 * WEFT__REDUCE_ROW_LOADS : WEFT__REDUCE_ROW_LOADS;
  if (is_shared && elements > 1 && elements <= 4) l->key.unroll = WEFT__REDUCE_SHARED_LOADS;
  const uint64_t tiles = length / (WEFT__GPU_BLOCK * elements * l->key.unroll);
  l->args.splits = is_shared ? at_least_one(least(tiles, wanted / outer)) : 1;
  l->args.blocks = outer * l->args.splits;
}

static void divide_short_rows(weft__division *l) {
  uint64_t elements = chunk_of(l, false, l->s.length, l->s.outer_stride, 0);
  uint64_t chunks = (uint64_t)l->s.length / elements;
  begin(l, WEFT__REDUCE_SHORT);
  l->key.elements = (uint8_t)elements;
  l->args.lanes = power_of_two_from(chunks, 32);
  l->key.unroll = chunks <= l->args.lanes ? WEFT__REDUCE_SHORT_ROWS : 1;
  l->args.blocks = weft_ceil_div((uint64_t)l->s.outer, WEFT__GPU_BLOCK / l->args.lanes * l->key.unroll);
}

static void divide_columns(weft__division *l) {
  begin(l, WEFT__REDUCE_COLUMNS);
  uint64_t inner = (uint64_t)l->s.inner, outer = (uint64_t)l->s.outer, length = (uint64_t)l->s.length;
  uint64_t elements = chunk_of(l, false, l->s.inner, l->s.outer_stride, l->s.length_stride);
  const bool is_cached = inner * outer * length * l->size <= WEFT__REDUCE_CACHED_BYTES;
  const bool varies = l->key.what.gather == WEFT__GATHER_VARIANCE;
  const uint64_t most = varies && !is_cached ? WEFT__REDUCE_COLUMN_WIDE : WEFT__REDUCE_COLUMN_BYTES;
  while (elements > 1 && elements * weft__reduce_accumulator_bytes(&l->key.what, l->key.has_fp64) > most) elements /= 2;
  const bool has_more = varies || l->key.across || l->key.what.term == WEFT__TERM_SQUARE;
  const uint64_t loads = has_more ? WEFT__REDUCE_COLUMN_MORE : WEFT__REDUCE_COLUMN_LOADS;
  l->key.elements = (uint8_t)elements;
  l->key.unroll = (uint8_t)loads;
  const uint64_t chunks = inner / elements,
                 wanted = weft__grouping_units(&l->call->context->core) * WEFT__REDUCE_COLUMN_BLOCKS;
  const uint64_t part = l->key.across ? inner * l->size : is_cached ? WEFT__REDUCE_CACHED_PART : WEFT__REDUCE_ROW_PART;
  uint64_t lanes = least(chunks, WEFT__GPU_BLOCK);
  /* more rows per block, in the place of columns, until there are enough blocks */
  while (weft_ceil_div(chunks, lanes) * outer < wanted && weft_ceil_div(lanes, 2) * elements * l->size >= part &&
         length >= WEFT__GPU_BLOCK / weft_ceil_div(lanes, 2) * loads)
    lanes = weft_ceil_div(lanes, 2);
  l->args.lanes = lanes;
  l->args.tiles = weft_ceil_div(chunks, lanes);
  const uint64_t rounds = length / (WEFT__GPU_BLOCK / lanes * loads); /* each split has at least one */
  const uint64_t across = l->args.tiles * outer;
  if (across < wanted && rounds > WEFT__REDUCE_COLUMN_ROUNDS && length * inner * outer > WEFT__REDUCE_ONE_BLOCK)
    l->args.splits = at_least_one(least(rounds, wanted / across));
  l->args.blocks = across * l->args.splits;
  if (l->key.across) l->args.splits *= l->args.tiles;
}

/// Divides the work among a CPU's work-items.
static void divide_for_cpu(weft__division *l) {
  const uint64_t units = weft__grouping_units(&l->call->context->core);
  uint64_t inner = (uint64_t)l->s.inner, outer = (uint64_t)l->s.outer, length = (uint64_t)l->s.length;
  begin(l, WEFT__REDUCE_CPU);
  l->key.elements = 1;
  uint64_t wanted =
      least(at_least_one(outer * length * inner / WEFT__REDUCE_CPU_LEAST), units * WEFT__REDUCE_CPU_ITEMS);
  /* rather fewer columns for each item than rows: then no partial results are left to combine. But long runs of an
     array that comes from memory */
  uint64_t share = weft_ceil_div(weft_ceil_div(inner * outer, wanted), WEFT__REDUCE_CPU_SIDE) * WEFT__REDUCE_CPU_SIDE;
  const bool is_cached = outer * length * inner * l->size <= WEFT__REDUCE_CACHED_BYTES;
  const uint64_t enough =
      inner * outer / (units * WEFT__REDUCE_CPU_ENOUGH) / WEFT__REDUCE_CPU_SIDE * WEFT__REDUCE_CPU_SIDE;
  if (share < least(enough, WEFT__REDUCE_CPU_LONG)) share = least(enough, WEFT__REDUCE_CPU_LONG);
  if (share < WEFT__REDUCE_CPU_COLUMNS) share = WEFT__REDUCE_CPU_COLUMNS;
  l->args.lanes = is_cached ? least(share, WEFT__REDUCE_LANES) : WEFT__REDUCE_LANES;
  l->args.tiles = weft_ceil_div(inner, l->args.lanes);
  const bool is_short = inner == 1 && length < WEFT__REDUCE_CPU_SHORT;
  const bool has_gaps = inner == 1 && l->s.length_stride != 1;
  if (has_gaps && !is_short) l->key.steps = 1;
  if (inner <= WEFT__REDUCE_CPU_MERGED && !is_short &&
      (has_gaps || (!l->key.steps && l->s.length_stride == l->s.inner)))
    l->args.merge = least(WEFT__REDUCE_CPU_MERGED / inner, length);
  const uint64_t across = outer * l->args.tiles;
  if (across < wanted && outer * inner * 2 > WEFT__REDUCE_CPU_LAST)
    wanted = least(wanted, units * WEFT__REDUCE_CPU_ENOUGH);
  if (across * 2 > wanted) {
    l->args.rows = least(outer, at_least_one(across / wanted));
    l->args.per = length;
  } else {
    l->args.per = weft_ceil_div(weft_ceil_div(length, weft_ceil_div(wanted, across)), l->args.merge) * l->args.merge;
    l->args.splits = weft_ceil_div(length, l->args.per);
  }
  l->args.blocks = weft_ceil_div(outer, l->args.rows) * l->args.tiles * l->args.splits;
}

/// Limits the splits of a later part to the room in `partials`.
static void limit_splits(weft__division *l, uint64_t room) {
  uint64_t across = l->args.blocks / l->args.splits;
  if (room == 0 || l->args.splits <= room) return;
  l->args.splits = room;
  if (weft__division_is_for_cpu(l)) {
    l->args.per = weft_ceil_div(weft_ceil_div((uint64_t)l->s.length, room), l->args.merge) * l->args.merge;
    l->args.splits = weft_ceil_div((uint64_t)l->s.length, l->args.per);
  }
  l->args.blocks = across * l->args.splits;
}

/// Decides where blocks that share a result leave what they have of it.
static void choose_mode(weft__division *l) {
  const weft__core *core = &l->call->context->core;
  if (weft__division_goes_on(l)) limit_splits(l, l->part->room);
  if (l->args.splits == 1 && l->rows_each == 1 && !weft__division_goes_on(l)) return;
  const uint64_t parts = l->args.outputs * l->args.splits;
  l->words = parts * weft__reduce_accumulator_bytes(&l->key.what, l->key.has_fp64) / 4;
  const bool few =
      weft__division_is_for_cpu(l) ? parts <= WEFT__REDUCE_CPU_LAST : l->args.outputs <= WEFT__REDUCE_LAST_RESULTS;
  const bool is_last =
      weft__has_device_scope(core) && few && l->words <= LAST_WORDS && !weft__division_goes_on(l) && l->rows_each == 1;
  l->args.mode = is_last ? WEFT__REDUCE_LAST : WEFT__REDUCE_SCRATCH;
}

/* ---- launches ---- */

/// Sets the other arguments.
static void fill_arguments(weft__division *l) {
  static const weft__reduce_part none = {0};
  const weft__reduce_task *task = l->task;
  const weft__reduce_part *part = l->part ? l->part : &none;
  weft__reduce_args *args = &l->args;
  args->outer = (uint64_t)l->s.outer;
  args->length = (uint64_t)l->s.length;
  args->inner = (uint64_t)l->s.inner;
  args->outer_stride = l->s.outer_stride;
  args->length_stride = l->s.length_stride;
  args->inner_stride = l->s.inner_stride;
  args->count = args->all = 1;
  for (int d = 0; d < task->shape.ndim; d++) {
    args->all *= (uint64_t)task->shape.dim[d];
    if (task->along[d]) args->count *= (uint64_t)task->shape.dim[d];
  }
  if (l->part) args->count = (uint64_t)part->count, args->all = (uint64_t)part->all;
  args->first = part->first;
  args->row = part->row;
  args->there = part->there;
  args->ddof = task->ddof;
  args->out = l->out->offset_bytes;
  for (int k = 0; k < l->arrays + l->beside; k++) args->offset[k] = l->array[k]->offset_bytes;
  memcpy(args->neutral, task->neutral, sizeof args->neutral);
  for (int k = 0; task->plan && k < 2 * task->plan->formula.scalars; k++) args->scalar[k] = task->scalars[k];
}

/// Launches a kernel that was built with `plan`; NULL: without one.
static weft_status run(const weft__division *l, weft__kernel *kernel, const weft__plan *plan, uint64_t blocks, int uses,
                       const weft__use *use) {
  const int scalars = plan ? plan->formula.scalars : 0;
  const size_t bytes =
      offsetof(weft__reduce_args, scalar) + (size_t)(scalars ? 2 * scalars : 1) * sizeof *l->args.scalar;
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(blocks),
                                              WEFT_DIM3(weft__division_is_for_cpu(l) ? 1 : WEFT__GPU_BLOCK), &l->args,
                                              bytes, uses, use, .what = l->task->name, .site = l->call->site});
}

static weft_status launch_parts(const weft__division *l, weft__kernel *kernel, weft__storage *partials) {
  weft__use use[WEFT__REDUCE_INPUTS + 2] = {{l->out->storage, true}, {partials, true}};
  const int arrays = l->arrays + l->beside;
  for (int k = 0; k < arrays; k++) use[k + 2] = (weft__use){l->array[k]->storage, false};
  return run(l, kernel, l->task->plan, l->args.blocks, arrays + 2, use);
}

static weft_status launch_finish(weft__division *l, weft__storage *partials) {
  weft__kernel *kernel;
  const weft__plan *plan = l->key.what.gather == WEFT__GATHER_USER ? l->task->plan : NULL;
  weft__reduce_key key = {.what = l->key.what, .elements = 1, .unroll = 1, .has_fp64 = l->key.has_fp64};
  key.kernel = weft__division_is_for_cpu(l) ? WEFT__REDUCE_CPU_FINISH : WEFT__REDUCE_GPU_FINISH;
  if (!plan) /* the values exist already: neither their source nor the formula's scalars matter */
    key.what.source = key.what.mapped = key.what.magnitude = key.what.term = 0;
  const weft__use use[] = {{l->out->storage, true}, {partials, false}};
  l->args.per = WEFT__REDUCE_CPU_FINISHED;
  l->args.splits *= l->rows_each;
  l->args.outputs /= l->rows_each;
  l->args.lanes = WEFT__GPU_BLOCK / power_of_two_from(l->args.splits, WEFT__GPU_BLOCK / WEFT__REDUCE_SIDE);
  WEFT__TRY_RETURN(weft__reduce_kernel_get(&kernel, l->call->context, &key, plan));
  return run(l, kernel, plan,
             weft_ceil_div(l->args.outputs, weft__division_is_for_cpu(l) ? WEFT__REDUCE_CPU_FINISHED : l->args.lanes),
             2, use);
}

/// Launches the parts of results that span several calls, of which later ones have no more splits than the first.
static weft_status launch_part(weft__division *l, weft__kernel *kernel) {
  weft__reduce_part *part = l->part;
  const weft_shape words = WEFT_SHAPE((int64_t)l->words);
  if (!part->partials) {
    WEFT__TRY_RETURN(weft__array_create(&part->partials, l->call->context, WEFT_U32, words, l->call->site));
    part->room = l->args.splits;
  }
  WEFT__TRY_RETURN(launch_parts(l, kernel, part->partials->storage));
  if (l->args.splits > part->there) part->there = l->args.splits;
  return WEFT_OK;
}

static weft_status launch(bool *is_done, weft__division *l) {
  weft_status rc;
  weft_context *context = l->call->context;
  weft__kernel *kernel;
  weft__lookback *lookback;
  weft_array *scratch = NULL;
  *is_done = true;
  choose_mode(l);
  l->args.aligned = l->out->offset_bytes % 16 == 0 && l->key.kernel == WEFT__REDUCE_COLUMNS &&
                    (l->s.inner * (int64_t)weft_dtype_size_bytes(l->out->dtype)) % 16 == 0;
  fill_arguments(l);
  WEFT__TRY_RETURN(weft__reduce_kernel_get(&kernel, context, &l->key, l->task->plan));
  if (weft__division_goes_on(l)) return launch_part(l, kernel);
  if (l->args.mode == WEFT__REDUCE_DIRECT) return launch_parts(l, kernel, l->out->storage);
  if (l->args.mode == WEFT__REDUCE_LAST) {
    WEFT__TRY_RETURN(weft__lookback_begin(&lookback, &l->args.lookback, &context->store, l->words));
    rc = launch_parts(l, kernel, lookback->storage);
    weft__lookback_end(lookback, l->args.blocks, rc);
    return rc;
  }
  WEFT__TRY(weft__array_create(&scratch, context, WEFT_U32, WEFT_SHAPE((int64_t)l->words), l->call->site));
  WEFT__TRY(launch_parts(l, kernel, scratch->storage));
  rc = launch_finish(l, scratch->storage);
done:
  weft_array_release(&scratch);
  return rc;
}

weft_status weft__division_conclude(weft__division *l) {
  l->args.splits = l->part->there;
  l->args.outputs = l->part->outputs;
  fill_arguments(l);
  return launch_finish(l, l->part->partials->storage);
}

/* ---- the ways ---- */

/// Whether a GPU reads rows without gaps.
static bool has_rows(const weft__division *l) {
  return l->s.inner == 1 && l->s.length_stride == 1;
}

bool weft__reduce_short_fits(const void *task) {
  const weft__division *l = weft__division_of(task);
  return has_rows(l) && l->s.outer > 1 && (uint64_t)l->s.length * l->size <= WEFT__REDUCE_SHORT_BYTES &&
         !weft__division_goes_on(l) && l->rows_each == 1;
}

weft_status weft__reduce_short_run(bool *is_done, const void *task) {
  divide_short_rows(weft__division_of(task));
  return launch(is_done, weft__division_of(task));
}

bool weft__reduce_rows_fits(const void *task) {
  return has_rows(weft__division_of(task));
}

weft_status weft__reduce_rows_run(bool *is_done, const void *task) {
  divide_rows(weft__division_of(task));
  return launch(is_done, weft__division_of(task));
}

weft_status weft__reduce_columns_run(bool *is_done, const void *task) {
  divide_columns(weft__division_of(task));
  return launch(is_done, weft__division_of(task));
}

weft_status weft__reduce_cpu_run(bool *is_done, const void *task) {
  divide_for_cpu(weft__division_of(task));
  return launch(is_done, weft__division_of(task));
}
