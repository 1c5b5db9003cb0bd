// SPDX-License-Identifier: MIT
/// From a reduction's arrays to launches: the layout of the arrays, the kernel, the division of the work, and where
/// blocks store partial results.
#include <stdlib.h>
#include <string.h>

#include "core/reproducible.h"
#include "map/cast.h"
#include "op/reduce/reduce.h"

/* To be tuned. For GPUs: */
#define ROW_BLOCKS 4    /* blocks per compute unit if several share a row */
#define SHORT_ROWS 4    /* rows in flight per thread if a thread reads one chunk of each */
#define COLUMN_BLOCKS 4 /* blocks per compute unit if several share the rows of a column */
#define ROW_LOADS 8     /* chunks in flight per thread if several blocks share a row of elements of 4 bytes or more */
#define COLUMN_LOADS 4  /* rows in flight per thread; of variances, norms and across columns: */
#define COLUMN_MORE 8   /* twice as many, which halves the divisions of variances */
#define COLUMN_BYTES 64 /* of accumulators per thread */
#define COLUMN_WIDE 96  /* of variances of arrays that the cache does not hold */
#define COLUMN_ROUNDS 8 /* up to this many rounds of loads, no further blocks share the rows */
#define ROW_PART 512    /* bytes of a row that a block reads, at least */
#define CACHED_PART 64  /* of arrays of up to CACHED_BYTES, which the cache holds */
#define CACHED_BYTES (16 << 20)
#define APART_BYTES 32 /* runs between elements of other results, at least, or the array is copied first */
#define LAST_RESULTS 8 /* up to this many results, the last block finishes alone */
/* for CPUs: */
#define CPU_ITEMS 8         /* work-items per compute unit, at most */
#define CPU_ENOUGH 2        /* work-items per compute unit that are enough if more cost a second launch */
#define CPU_LEAST 32768     /* elements that justify a work-item of their own */
#define CPU_COLUMNS 128     /* columns of a work-item, at least, */
#define CPU_LONG 256        /* where that leaves enough work-items: a longer run in each page; and */
#define CPU_MERGED 256      /* lanes of several rows that are treated as one */
#define CPU_SIDE 16         /* what their number is a multiple of */
#define CPU_LAST_PARTS 1024 /* up to this many partial results, the last work-item combines them alone */
#define CPU_GAPS 4096       /* elements with gaps that the calling thread reads */
#define CPU_FINISH 64       /* results per work-item that combines partial results */
/* for both: words of 8 bytes in the memory through which blocks exchange partial results */
#define LAST_WORDS 32768

/* ---- the layout of arrays ---- */

/// The least distance between neighbours along the axes that are reduced, or those that are not.
static int64_t nearest(const weft_array *x, const bool *along, bool reduced) {
  int64_t least = INT64_MAX;
  for (int d = 0; d < x->ndim; d++)
    if (along[d] == reduced && x->shape[d] > 1 && llabs(x->stride_bytes[d]) < least) least = llabs(x->stride_bytes[d]);
  return least;
}

/// Copies the array to a contiguous one as rows or columns, whichever has its neighbours side by side.
static weft_status copy_apart(weft_array **copy, weft__strided_split *s, const weft_array *x, const bool *along,
                              const char *site) {
  weft_array turned = weft__array_borrow(x);
  const bool is_columns = nearest(x, along, false) < nearest(x, along, true);
  int64_t count[2] = {1, 1}; /* of elements kept, and of those reduced */
  int n = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int d = 0; d < x->ndim; d++)
      if (along[d] == (is_columns != (pass == 1))) {
        count[along[d]] *= x->shape[d];
        turned.shape[n] = x->shape[d];
        turned.stride_bytes[n++] = x->stride_bytes[d];
      }
  *s = is_columns ? (weft__strided_split){1, count[1], count[0], 0, count[0], 1}
                  : (weft__strided_split){count[0], count[1], 1, count[1], 1, 1};
  return weft__cast(copy, &turned, x->dtype, site);
}

static bool has_numbers(const weft__reduce_task *task) {
  return weft__reduce_is_numbered(&task->what) || (task->plan && task->plan->uses_index);
}

/// Host memory as an array without storage.
static weft_array like_host(const weft_host *host) {
  weft_array x = {.dtype = host->dtype};
  weft__set_contiguous(&x, host->shape);
  return x;
}

/// Whether an array of another shape than the task's has one element, or one for each result, in their order.
static bool is_beside(const weft_array *x, const weft__reduce_task *task) {
  const int ndim = task->shape.ndim, missing = ndim - x->ndim;
  if (x->size == 1) return true;
  if (!weft__is_contiguous(x)) return false;
  for (int d = 0; d < ndim; d++)
    if ((d < missing ? 1 : x->shape[d - missing]) != (task->along[d] ? 1 : task->shape.dim[d])) return false;
  return true;
}

bool weft__reduce_is_direct(const weft__call *c, const weft__reduce_task *task) {
  weft__strided_split s;
  int arrays = 0, whole = 0, beside = 0, hosts = 0;
  for (int k = 0; k < c->inputs; k++) {
    if (weft__call_is_scalar(c, k)) continue;
    const weft_operand *operand = &c->operand[k];
    const weft_array x =
        operand->kind == WEFT_OPERAND_HOST ? like_host(&operand->as.host) : weft__array_borrow(operand->as.array);
    hosts += operand->kind == WEFT_OPERAND_HOST;
    arrays++;
    if (!weft__same_shape(weft__array_shape(&x), task->shape)) {
      if (!is_beside(&x, task)) return false;
      beside++;
    } else if (!weft__is_contiguous(&x) || (x.size > 0 && !weft__split_along(&s, &x, task->along, has_numbers(task)))) {
      return false;
    } else {
      whole++;
    }
  }
  /* a call in chunks cuts all its operands alike */
  return arrays <= WEFT__REDUCE_INPUTS && whole > 0 && (beside == 0 || hosts == 0);
}

bool weft__reduce_turns(const weft__reduce_task *task) {
  weft__strided_split s;
  const weft_host any = {.dtype = WEFT_U8, .shape = task->shape};
  const weft_array x = like_host(&any);
  return !weft__split_along(&s, &x, task->along, has_numbers(task));
}

/// Sees the array as outer x length x inner, of which length and inner are reduced; outer lies between them.
static bool split_apart(weft__strided_split *s, const weft_array *x, const bool *along) {
  const int64_t size = (int64_t)weft_dtype_size_bytes(x->dtype);
  int at[3] = {0}, group = 0; /* the ends of the axes reduced, kept, and reduced */
  for (int d = 0; d < x->ndim; d++) {
    if (x->shape[d] != 1 && along[d] == (group == 1)) group++;
    if (group == 3) return false;
    at[group] = d + 1;
  }
  int64_t inner_stride;
  if (group < 2 || !weft__merge_axes(x, 0, at[0], &s->length, &s->length_stride) ||
      !weft__merge_axes(x, at[0], at[1], &s->outer, &s->outer_stride) ||
      !weft__merge_axes(x, at[1], x->ndim, &s->inner, &inner_stride) || inner_stride != size)
    return false;
  if (s->length_stride <= 0 || s->outer_stride <= 0 || (s->length_stride | s->outer_stride | x->offset_bytes) % size)
    return false;
  s->length_stride /= size;
  s->outer_stride /= size;
  s->inner_stride = 1;
  return s->inner * size >= APART_BYTES;
}

/* ---- the division of the work ---- */

typedef struct division {
  const weft__call *call;
  const weft__reduce_task *task;
  weft_array *out;
  bool is_cpu;
  weft__reduce_key key;
  weft__strided_split s;
  uint64_t words;                /* words of 4 bytes for the partial results */
  const weft__reduce_part *part; /* NULL: the operands are complete */
  uint64_t rows_each;            /* rows that have one result; of more than one a second launch makes it */
  int arrays, beside;            /* with all elements, and then those beside (weft__reduce_key) */
  weft_array *array[WEFT__REDUCE_INPUTS];
  weft__reduce_args args; /* the formula's scalars at its end are set for a launch only */
} division;

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

/// Elements of the widest array in 16 bytes, if all arrays begin at the same position of a 16-byte chunk and all given
/// lengths are whole chunks; else 1. With `shifts` the kernel treats the elements before the first chunk separately, so
/// that only the positions must agree.
static uint64_t chunk_of(const division *l, bool shifts, int64_t a, int64_t b, int64_t c) {
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

static void divide_rows(division *l, uint64_t units) {
  uint64_t elements = chunk_of(l, true, 0, 0, 0), length = (uint64_t)l->s.length, outer = (uint64_t)l->s.outer;
  l->key.kernel = WEFT__REDUCE_ROWS;
  l->key.elements = (uint8_t)elements;
  const uint64_t wanted = units * ROW_BLOCKS;
  const bool is_shared = length > WEFT__REDUCE_ONE_BLOCK && outer < wanted;
  l->key.unroll = elements == 1 ? 2 * WEFT__REDUCE_ROW_LOADS : WEFT__REDUCE_ROW_LOADS;
  if (is_shared && elements > 1 && elements <= 4) l->key.unroll = ROW_LOADS;
  const uint64_t tiles = length / (WEFT__GPU_BLOCK * elements * l->key.unroll);
  l->args.splits = is_shared ? at_least_one(least(tiles, wanted / outer)) : 1;
  l->args.blocks = outer * l->args.splits;
}

static void divide_short_rows(division *l) {
  uint64_t elements = chunk_of(l, false, l->s.length, l->s.outer_stride, 0);
  uint64_t chunks = (uint64_t)l->s.length / elements;
  l->key.kernel = WEFT__REDUCE_SHORT;
  l->key.elements = (uint8_t)elements;
  l->args.lanes = power_of_two_from(chunks, 32);
  l->key.unroll = chunks <= l->args.lanes ? SHORT_ROWS : 1;
  l->args.blocks = weft_ceil_div((uint64_t)l->s.outer, WEFT__GPU_BLOCK / l->args.lanes * l->key.unroll);
}

static void divide_columns(division *l, uint64_t units, uint64_t size) {
  uint64_t inner = (uint64_t)l->s.inner, outer = (uint64_t)l->s.outer, length = (uint64_t)l->s.length;
  uint64_t elements = chunk_of(l, false, l->s.inner, l->s.outer_stride, l->s.length_stride);
  const bool is_cached = inner * outer * length * size <= CACHED_BYTES;
  const bool varies = l->key.what.gather == WEFT__GATHER_VARIANCE;
  const uint64_t most = varies && !is_cached ? COLUMN_WIDE : COLUMN_BYTES;
  while (elements > 1 && elements * weft__reduce_accumulator_bytes(&l->key.what, l->key.has_fp64) > most) elements /= 2;
  const bool has_more = varies || l->key.across || l->key.what.term == WEFT__TERM_SQUARE;
  const uint64_t loads = has_more ? COLUMN_MORE : COLUMN_LOADS;
  l->key.kernel = WEFT__REDUCE_COLUMNS;
  l->key.elements = (uint8_t)elements;
  l->key.unroll = (uint8_t)loads;
  const uint64_t chunks = inner / elements, wanted = units * COLUMN_BLOCKS;
  const uint64_t part = l->key.across ? inner * size : is_cached ? CACHED_PART : ROW_PART;
  uint64_t lanes = least(chunks, WEFT__GPU_BLOCK);
  /* more rows per block, in the place of columns, until there are enough blocks */
  while (weft_ceil_div(chunks, lanes) * outer < wanted && weft_ceil_div(lanes, 2) * elements * size >= part &&
         length >= WEFT__GPU_BLOCK / weft_ceil_div(lanes, 2) * loads)
    lanes = weft_ceil_div(lanes, 2);
  l->args.lanes = lanes;
  l->args.tiles = weft_ceil_div(chunks, lanes);
  const uint64_t rounds = length / (WEFT__GPU_BLOCK / lanes * loads); /* each split has at least one */
  const uint64_t across = l->args.tiles * outer;
  if (across < wanted && rounds > COLUMN_ROUNDS && length * inner * outer > WEFT__REDUCE_ONE_BLOCK)
    l->args.splits = at_least_one(least(rounds, wanted / across));
  l->args.blocks = across * l->args.splits;
  if (l->key.across) l->args.splits *= l->args.tiles;
}

/// Whether a CPU reduces rows without gaps, or a few elements with gaps: what the calling thread may do.
static bool is_of_rows(const division *l) {
  return l->is_cpu && !l->part && l->beside == 0 && l->s.inner == 1 && l->s.outer_stride >= 0 &&
         (l->s.length_stride == 1 || (l->s.length_stride > 1 && l->s.length * l->s.outer <= CPU_GAPS) ||
          l->s.length == 1);
}

/// Whether a CPU's work-items read columns of whole rows, each by one accumulator: the calling thread may do it too.
static bool is_of_columns(const division *l) {
  return l->is_cpu && !l->part && l->arrays == 1 && l->beside == 0 && !l->task->plan && l->s.inner > 1 &&
         !l->key.steps && l->s.outer_stride >= 0 && l->s.length_stride > 0 && l->args.merge == 1 &&
         l->args.splits == 1 && l->rows_each == 1;
}

static void divide_for_cpu(division *l, uint64_t units, uint64_t size) {
  uint64_t inner = (uint64_t)l->s.inner, outer = (uint64_t)l->s.outer, length = (uint64_t)l->s.length;
  l->key.kernel = WEFT__REDUCE_CPU;
  l->key.elements = 1;
  uint64_t wanted = least(at_least_one(outer * length * inner / CPU_LEAST), units * CPU_ITEMS);
  if (l->s.outer == 1 && is_of_rows(l) && weft__reduce_may_at_once(l->call, l->task, l->array, l->arrays)) wanted = 1;
  /* rather fewer columns for each item than rows: then no partial results are left to combine. But long runs of an
     array that comes from memory */
  uint64_t share = weft_ceil_div(weft_ceil_div(inner * outer, wanted), CPU_SIDE) * CPU_SIDE;
  const bool is_cached = outer * length * inner * size <= CACHED_BYTES;
  const uint64_t enough = inner * outer / (units * CPU_ENOUGH) / CPU_SIDE * CPU_SIDE;
  if (share < least(enough, CPU_LONG)) share = least(enough, CPU_LONG);
  if (share < CPU_COLUMNS) share = CPU_COLUMNS;
  l->args.lanes = is_cached ? least(share, WEFT__REDUCE_LANES) : WEFT__REDUCE_LANES;
  l->args.tiles = weft_ceil_div(inner, l->args.lanes);
  const bool is_short = inner == 1 && length < WEFT__REDUCE_CPU_SHORT;
  const bool has_gaps = inner == 1 && l->s.length_stride != 1; /* the calling thread reads a few in their order */
  if (has_gaps && !is_short && !is_of_rows(l)) l->key.steps = 1;
  if (inner <= CPU_MERGED && !is_short && (has_gaps ? l->key.steps : !l->key.steps && l->s.length_stride == l->s.inner))
    l->args.merge = least(CPU_MERGED / inner, length);
  const uint64_t across = outer * l->args.tiles;
  if (across < wanted && outer * inner * 2 > CPU_LAST_PARTS) wanted = least(wanted, units * CPU_ENOUGH);
  if (across * 2 > wanted) {
    l->args.rows = least(outer, at_least_one(across / wanted));
    l->args.per = length;
  } else {
    l->args.per = weft_ceil_div(weft_ceil_div(length, weft_ceil_div(wanted, across)), l->args.merge) * l->args.merge;
    l->args.splits = weft_ceil_div(length, l->args.per);
  }
  l->args.blocks = weft_ceil_div(outer, l->args.rows) * l->args.tiles * l->args.splits;
}

static bool goes_on(const division *l) {
  return l->part && l->part->goes_on;
}

/// Limits the splits of a later part to the room in `partials`.
static void limit_splits(division *l, uint64_t room) {
  uint64_t across = l->args.blocks / l->args.splits;
  if (room == 0 || l->args.splits <= room) return;
  l->args.splits = room;
  if (l->is_cpu) {
    l->args.per = weft_ceil_div(weft_ceil_div((uint64_t)l->s.length, room), l->args.merge) * l->args.merge;
    l->args.splits = weft_ceil_div((uint64_t)l->s.length, l->args.per);
  }
  l->args.blocks = across * l->args.splits;
}

static void divide(division *l) {
  weft_context *context = l->call->context;
  uint64_t units = weft__grouping_units(&context->core), size = 1;
  l->args.splits = l->args.tiles = l->args.lanes = l->args.merge = l->args.rows = 1;
  l->args.mode = WEFT__REDUCE_DIRECT;
  l->key.steps = l->s.inner > 1 && l->s.inner_stride != 1;
  l->args.outputs = (uint64_t)(l->key.across ? l->s.outer : l->s.outer * l->s.inner);
  for (int k = 0; k < l->arrays; k++)
    if (weft_dtype_size_bytes(l->array[k]->dtype) > size) size = weft_dtype_size_bytes(l->array[k]->dtype);
  if (l->is_cpu)
    divide_for_cpu(l, units, size);
  else if (l->s.inner > 1 || l->s.length_stride != 1)
    divide_columns(l, units, size);
  else if (l->s.outer > 1 && (uint64_t)l->s.length * size <= WEFT__REDUCE_SHORT_BYTES && !goes_on(l) &&
           l->rows_each == 1)
    divide_short_rows(l);
  else
    divide_rows(l, units);
  if (goes_on(l)) limit_splits(l, l->part->room);
  if (l->args.splits == 1 && l->rows_each == 1 && !goes_on(l)) return;
  uint64_t parts = l->args.outputs * l->args.splits;
  l->words = parts * weft__reduce_accumulator_bytes(&l->key.what, l->key.has_fp64) / 4;
  bool few = l->is_cpu ? parts <= CPU_LAST_PARTS : l->args.outputs <= LAST_RESULTS;
  l->args.mode =
      weft__has_device_scope(&context->core) && few && l->words <= LAST_WORDS && !goes_on(l) && l->rows_each == 1
          ? WEFT__REDUCE_LAST
          : WEFT__REDUCE_SCRATCH;
}

/* ---- launches ---- */

/// Sets the other arguments.
static void fill_arguments(division *l) {
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
static weft_status run(const division *l, weft__kernel *kernel, const weft__plan *plan, uint64_t blocks, int uses,
                       const weft__use *use) {
  const int scalars = plan ? plan->formula.scalars : 0;
  const size_t bytes =
      offsetof(weft__reduce_args, scalar) + (size_t)(scalars ? 2 * scalars : 1) * sizeof *l->args.scalar;
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(blocks), WEFT_DIM3(l->is_cpu ? 1 : WEFT__GPU_BLOCK),
                                              &l->args, bytes, uses, use, .what = l->task->name,
                                              .site = l->call->site});
}

static weft_status launch_parts(const division *l, weft__kernel *kernel, weft__storage *partials) {
  weft__use use[WEFT__REDUCE_INPUTS + 2] = {{l->out->storage, true}, {partials, true}};
  const int arrays = l->arrays + l->beside;
  for (int k = 0; k < arrays; k++) use[k + 2] = (weft__use){l->array[k]->storage, false};
  return run(l, kernel, l->task->plan, l->args.blocks, arrays + 2, use);
}

static weft_status launch_finish(division *l, weft__storage *partials) {
  weft__kernel *kernel;
  const weft__plan *plan = l->key.what.gather == WEFT__GATHER_USER ? l->task->plan : NULL;
  weft__reduce_key key = {.what = l->key.what, .elements = 1, .unroll = 1, .has_fp64 = l->key.has_fp64};
  key.kernel = l->is_cpu ? WEFT__REDUCE_CPU_FINISH : WEFT__REDUCE_GPU_FINISH;
  if (!plan) /* the values exist already: neither their source nor the formula's scalars matter */
    key.what.source = key.what.mapped = key.what.magnitude = key.what.term = 0;
  const weft__use use[] = {{l->out->storage, true}, {partials, false}};
  l->args.per = CPU_FINISH;
  l->args.splits *= l->rows_each;
  l->args.outputs /= l->rows_each;
  l->args.lanes = WEFT__GPU_BLOCK / power_of_two_from(l->args.splits, WEFT__GPU_BLOCK / WEFT__REDUCE_SIDE);
  WEFT__TRY_RETURN(weft__reduce_kernel_get(&kernel, l->call->context, &key, plan));
  return run(l, kernel, plan, weft_ceil_div(l->args.outputs, l->is_cpu ? CPU_FINISH : l->args.lanes), 2, use);
}

static weft_status launch(division *l) {
  bool is_done = false;
  if (is_of_columns(l) || (is_of_rows(l) && (l->s.outer == 1 || l->args.splits == 1)))
    WEFT__TRY_RETURN(
        weft__reduce_at_once(&is_done, l->call, l->task, l->out, l->array, l->arrays, &l->s, (int64_t)l->rows_each));
  if (is_done) return WEFT_OK;
  weft_status rc;
  weft_context *context = l->call->context;
  weft__kernel *kernel;
  weft__lookback *lookback;
  weft_array *scratch = NULL;
  fill_arguments(l);
  WEFT__TRY_RETURN(weft__reduce_kernel_get(&kernel, context, &l->key, l->task->plan));
  if (goes_on(l)) return launch_parts(l, kernel, l->part->partials->storage);
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

static void open_division(division *l, const weft__call *c, const weft__reduce_task *task, weft_array *out,
                          const weft__reduce_part *part) {
  memset(l, 0, offsetof(division, args.scalar[1]));
  l->call = c;
  l->task = task;
  l->out = out;
  l->part = part;
  l->rows_each = 1;
  l->key.what = task->what;
  l->key.has_fp64 = c->context->core.device->info.has_fp64;
  l->is_cpu = c->context->store.is_cpu;
}

/// Lists the call's arrays, those with all elements first.
static void list_arrays(division *l) {
  const weft__call *c = l->call;
  for (int beside = 0; beside < 2; beside++)
    for (int k = 0; k < c->inputs; k++) {
      weft_array *x = c->array[c->results + k];
      const bool is = x && !l->part && l->task->plan && !weft__same_shape(weft__array_shape(x), l->task->shape);
      if (!x || is != beside) continue;
      const int at = l->arrays + l->beside;
      l->key.number[at] = (uint8_t)k;
      l->key.dtype[at] = (uint8_t)x->dtype;
      l->key.step[at] = beside && x->size > 1;
      l->array[at] = x;
      *(beside ? &l->beside : &l->arrays) += 1;
    }
  l->key.inputs = (uint8_t)l->arrays;
  l->key.beside = (uint8_t)l->beside;
  l->key.unroll = 1;
}

/// Sees an array without axes kept as rows, of which each has a partial result: the axes to reduce are two.
static bool split_whole(division *l) {
  const weft_array *x = l->array[0];
  const int64_t size = (int64_t)weft_dtype_size_bytes(x->dtype);
  weft__layout all;
  for (int d = 0; d < x->ndim; d++)
    if (x->stride_bytes[d] % size || (x->shape[d] > 1 && !l->task->along[d])) return false;
  weft__layout_of(&all, weft__array_shape(x), 1, (const weft_array *const[]){x}, true);
  if (all.ndim != 2 || x->offset_bytes % size) return false;
  const int row = all.length[0] > all.length[1] ? 0 : 1; /* fewer partial results */
  l->rows_each = (uint64_t)all.length[!row];
  l->s = (weft__strided_split){all.length[!row],           all.length[row],           1,
                               all.stride[0][!row] / size, all.stride[0][row] / size, 1};
  return true;
}

/// Divides a reduction along axes on both sides of those kept, or along two that are not one, if the kernels can read
/// the array in place.
static bool reads_apart(division *l) {
  const weft_array *x = l->array[0];
  if (l->part || has_numbers(l->task)) return false;
  if (split_whole(l)) return true;
  if (!split_apart(&l->s, x, l->task->along)) return false;
  l->key.across = !l->is_cpu && l->s.inner * (int64_t)weft_dtype_size_bytes(x->dtype) <= WEFT__REDUCE_SHORT_BYTES;
  if (l->key.across) return true;
  if (l->is_cpu && l->s.inner < WEFT__REDUCE_CPU_SHORT) return false;
  if (l->s.length_stride != l->s.outer * l->s.outer_stride) return false;
  l->rows_each = (uint64_t)l->s.length;
  l->s = (weft__strided_split){l->s.outer * l->s.length, l->s.inner, 1, l->s.outer_stride, 1, 1};
  return true;
}

bool weft__reduce_copies(const weft__call *c, const weft__reduce_task *task) {
  division l;
  open_division(&l, c, task, c->array[0], NULL);
  list_arrays(&l);
  return !weft__split_along(&l.s, l.array[0], task->along, has_numbers(task)) && !reads_apart(&l);
}

weft_status weft__reduce_part_run(const weft__call *c, const weft__reduce_task *task, weft_array *out,
                                  weft__reduce_part *part) {
  weft_status rc;
  division l;
  weft_array *copy = NULL;
  open_division(&l, c, task, out, part);
  list_arrays(&l);
  if (!weft__split_along(&l.s, l.array[0], task->along, has_numbers(task)) && !reads_apart(&l)) {
    WEFT__TRY(copy_apart(&copy, &l.s, l.array[0], task->along, c->site));
    l.array[0] = copy;
  }
  divide(&l);
  l.args.aligned = out->offset_bytes % 16 == 0 && l.key.kernel == WEFT__REDUCE_COLUMNS &&
                   (l.s.inner * (int64_t)weft_dtype_size_bytes(out->dtype)) % 16 == 0;
  if (goes_on(&l) && !part->partials) {
    WEFT__TRY(weft__array_create(&part->partials, c->context, WEFT_U32, WEFT_SHAPE((int64_t)l.words), c->site));
    part->room = l.args.splits;
  }
  WEFT__TRY(launch(&l));
  if (goes_on(&l) && l.args.splits > part->there) part->there = l.args.splits;
done:
  weft_array_release(&copy);
  return rc;
}

weft_status weft__reduce_conclude(const weft__call *c, const weft__reduce_task *task, weft_array *out,
                                  const weft__reduce_part *part) {
  division l;
  open_division(&l, c, task, out, part);
  l.args.splits = part->there;
  l.args.outputs = part->outputs;
  fill_arguments(&l);
  return launch_finish(&l, part->partials->storage);
}

static weft_status fail_empty(const weft__reduce_task *task) {
  weft__text text = {0};
  weft__add_shape(&text, WEFT_DTYPE_NONE, task->shape);
  weft_status rc =
      weft__fail(WEFT_ERROR_SHAPE, "x", "`x` has no elements to take the %s of along the axes given (its shape is %s)",
                 task->name, strchr(weft__text_chars(&text), '[') ? strchr(weft__text_chars(&text), '[') : "");
  weft__text_free(&text);
  return rc;
}

weft_status weft__reduce_result(bool *is_made, weft__call *c, const weft__reduce_task *task) {
  const weft_shape left = weft__axes_reduced(task->shape, task->along, task->keepdims);
  weft_dtype result = (weft_dtype)task->what.result;
  int64_t count = 1, outputs = 1;
  for (int d = 0; d < task->shape.ndim; d++) *(task->along[d] ? &count : &outputs) *= task->shape.dim[d];
  *is_made = count == 0 || outputs == 0;
  if (count == 0 && !task->empty.dtype) return fail_empty(task);
  WEFT__TRY_RETURN(weft__dtype_check(result, c->context));
  WEFT__TRY_RETURN(weft__call_contiguous_result(c, 0, result, left));
  return count == 0 && outputs > 0 ? weft__fill(c->array[0], task->empty, c->site) : WEFT_OK;
}

weft_status weft__reduce_run(weft__call *c, const weft__reduce_task *task) {
  bool is_made;
  WEFT__TRY_RETURN(weft__reduce_result(&is_made, c, task));
  return is_made ? WEFT_OK : weft__reduce_view_run(c, task, c->array[0]);
}
