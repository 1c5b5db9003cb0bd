// SPDX-License-Identifier: MIT
/// Reductions on the host, in a step: by threads that share rows, parts of long rows, or columns. Elements with gaps,
/// and elements of dtypes without loops, are moved to a block beside each other first.
#include <string.h>

#include "base/scratch.h"
#include "core/reproducible.h"
#include "engine/shares.h"
#include "mem/recorder.h"
#include "op/reduce/row_loops.h"
#include "op/reduce/tuning.h"

/// What the threads share.
typedef struct work {
  const weft__row_sharing *t;
  weft__row_loop *loop;
  char *to;
  const char *from[2];
  size_t size, stored, result_bytes; /* of elements, in the loops and in the arrays */
  int64_t side;                      /* results at once, whose elements are moved */
  char *room;                        /* of each share, for these elements */
  weft__row_part *part;              /* of each row of a split, split after split */
} work;

/* ---- rows ---- */

/// The part of `all` items that a share has.
static void items_of(int64_t *begin, int64_t *end, const weft__share *share, int64_t all) {
  const weft__row_sharing *t = ((const work *)share->all)->t;
  *begin = 0;
  *end = all;
  if (t->shares == 1) return; /* divisions take longer than a short row */
  *begin = all * (int64_t)share->number / t->shares;
  *end = all * ((int64_t)share->number + 1) / t->shares;
}

/// The bytes from the first element to the first one of a result's.
static int64_t place_of(const work *w, int64_t result) {
  const weft__strided_split *s = &w->t->s;
  if (s->inner == 1) return result * s->outer_stride * (int64_t)w->stored;
  return (result / s->inner * s->outer_stride + result % s->inner * s->inner_stride) * (int64_t)w->stored;
}

/// Reduces elements `first` to `first + n` of each of a few results to a part. Their elements are moved block by block.
static void reduce_moved(weft__row_part *part, const work *w, char *room, int64_t result, int64_t results,
                         int64_t first, int64_t n) {
  const weft__row_sharing *t = w->t;
  const int64_t most = WEFT__ROW_ROOM_BYTES / 8 / results;
  const bool has_two = w->from[1] != w->from[0];
  for (int64_t m = 0, some; m < n; m += some) {
    some = n - m < most ? n - m : most;
    const int64_t at = place_of(w, result) + (first + m) * t->s.length_stride * (int64_t)w->stored;
    for (int k = 0; k <= has_two; k++)
      weft__row_load(room + k * WEFT__ROW_ROOM_BYTES, t, w->from[k] + at, t->s.inner_stride, t->s.length_stride,
                     results, some);
    for (int64_t r = 0; r < results; r++) {
      const char *x = room + (size_t)(r * some) * w->size, *y = has_two ? x + WEFT__ROW_ROOM_BYTES : x;
      weft__row_part two[2];
      weft__row_reduce(&two[m > 0], w->loop, &t->what, (weft_dtype)t->dtype, (const void *const[]){x, y}, (size_t)some,
                       some < WEFT__REDUCE_CPU_SHORT);
      weft__row_move_place(&two[m > 0], &t->what, first + m);
      if (m) {
        two[0] = part[r];
        weft__row_join(two, &t->what, (weft_dtype)t->dtype, 2, 1);
      }
      part[r] = two[0];
    }
  }
}

/// The elements of one of the `each` rows of a result.
static weft__row_elements elements_of(const work *w, int64_t result) {
  const weft__row_sharing *t = w->t;
  const int64_t results = t->each == 1 ? t->s.outer : t->s.outer / t->each;
  return (weft__row_elements){w->from[0] + place_of(w, result), t->each, results * t->s.outer_stride, t->s.length,
                              t->s.length_stride};
}

static void store(const work *w, int64_t result, const weft__row_part *part) {
  const weft__row_elements of = elements_of(w, result);
  weft__row_store(w->to + (size_t)result * w->result_bytes, &w->t->what, (weft_dtype)w->t->dtype, part, &of,
                  w->t->ddof);
}

/// Whole rows.
static void *share_rows(void *share) {
  const work *w = ((const weft__share *)share)->all;
  const weft__row_sharing *t = w->t;
  int64_t begin, end;
  items_of(&begin, &end, share, t->s.outer * t->s.inner);
  if (w->side) {
    weft__row_part part[WEFT__ROW_MOVED_SIDE];
    char *room = w->room + ((const weft__share *)share)->number * 2 * WEFT__ROW_ROOM_BYTES;
    for (int64_t r = begin, some; r < end; r += some) {
      some = t->s.inner - r % t->s.inner < w->side ? t->s.inner - r % t->s.inner : w->side;
      if (some > end - r) some = end - r;
      reduce_moved(part, w, room, r, some, 0, t->s.length);
      for (int64_t k = 0; k < some; k++) store(w, r + k, &part[k]);
    }
  } else {
    const int64_t at = place_of(w, begin);
    weft__row_reduce_rows(w->to + (size_t)begin * w->result_bytes, t,
                          (const char *const[]){w->from[0] + at, w->from[1] + at}, end - begin);
  }
  return NULL;
}

static void *share_parts(void *share) {
  const work *w = ((const weft__share *)share)->all;
  const weft__row_sharing *t = w->t;
  int64_t k, end;
  for (items_of(&k, &end, share, t->s.outer * t->splits); k < end; k++) {
    const int64_t first = k / t->s.outer * t->per, left = t->s.length - first, n = left < t->per ? left : t->per;
    const int64_t row = k % t->s.outer, at = place_of(w, row) + first * (int64_t)w->size;
    weft__row_part *part = &w->part[k];
    if (w->side) {
      reduce_moved(part, w, w->room + ((const weft__share *)share)->number * 2 * WEFT__ROW_ROOM_BYTES, row, 1, first,
                   n);
    } else {
      weft__row_reduce(part, w->loop, &t->what, (weft_dtype)t->dtype,
                       (const void *const[]){w->from[0] + at, w->from[1] + at}, (size_t)n, n < WEFT__REDUCE_CPU_SHORT);
      weft__row_move_place(part, &t->what, first);
    }
  }
  return NULL;
}

/// Whether the first elements of a longer row decide, which are looked at without other threads.
static bool is_decided(const work *w) {
  const weft__row_sharing *t = w->t;
  const int64_t first = WEFT__ROW_FIRST_BYTES / (int64_t)w->size;
  const bool is_any = t->what.gather == WEFT__GATHER_ANY;
  if ((!is_any && t->what.gather != WEFT__GATHER_ALL) || w->side || t->s.outer > 1 || t->s.length <= first)
    return false;
  weft__row_part part;
  weft__row_reduce(&part, w->loop, &t->what, (weft_dtype)t->dtype, (const void *const *)w->from, (size_t)first, 0);
  *w->to = part.value.bytes[0];
  return (*w->to != 0) == is_any;
}

static int reduce(void *const *data, const void *task) {
  const weft__row_sharing *t = task;
  const int64_t results = t->each == 1 ? t->s.outer : t->s.outer / t->each, parts = t->each * t->splits;
  const bool has_two = t->what.source != WEFT__SOURCE_LOAD;
  work w = {.t = t,
            .loop = weft__row_loop_of(&t->what, (weft_dtype)t->dtype),
            .to = data[0],
            .from = {data[1], data[has_two ? 2 : 1]},
            .size = weft_dtype_size_bytes((weft_dtype)t->dtype),
            .stored = weft_dtype_size_bytes((weft_dtype)t->stored),
            .result_bytes = weft_dtype_size_bytes((weft_dtype)t->what.result),
            .side = t->s.inner > 1 ? WEFT__ROW_MOVED_SIDE : weft__row_is_moved(t, t->s.length, t->s.length_stride)};
  if (t->are_columns) return weft__columns_reduce(w.to, w.from[0], t);
  if (is_decided(&w)) return 0;
  const size_t part_bytes = parts > 1 ? (size_t)(t->s.outer * t->splits) * sizeof *w.part : 0;
  const size_t room_bytes = w.side ? (size_t)t->shares * 2 * WEFT__ROW_ROOM_BYTES : 0;
  if (part_bytes + room_bytes > 0 && !(w.room = weft__scratch_begin(room_bytes + part_bytes)))
    return WEFT__HOST_NO_MEMORY;
  if (parts > 1) w.part = (weft__row_part *)(void *)(w.room + room_bytes);
  weft__run_shares(t->shares, parts > 1 ? share_parts : share_rows, &w);
  for (int64_t r = 0; r < results && parts > 1; r++) {
    weft__row_join(&w.part[r], &t->what, (weft_dtype)t->dtype, (size_t)parts, (size_t)results);
    store(&w, r, &w.part[r]);
  }
  weft__scratch_end(w.room);
  return 0;
}

const weft__host_function weft__host_reduce = {
    .name = "reduce", .library = WEFT__LIBRARY_NONE, .task_bytes = sizeof(weft__row_sharing), .run = reduce};

/* ---- what the loops reduce ---- */

/// Sees complex numbers as twice as many real ones: sums as columns of both parts, where no part decides alone as rows.
static bool see_parts(weft__row_sharing *t) {
  weft__strided_split *s = &t->s;
  const bool is_row = s->inner == 1 && s->length_stride == 1;
  const bool is_sum = t->what.gather == WEFT__GATHER_SUM && t->what.term == WEFT__TERM_VALUE;
  const bool is_square = t->what.gather == WEFT__GATHER_SUM && t->what.term == WEFT__TERM_SQUARE;
  t->dtype = t->stored = (int32_t)weft__real_dtype((weft_dtype)t->dtype);
  const bool is_equality = t->what.source == WEFT__SOURCE_EQUAL;
  if (t->what.skip_nan || t->what.magnitude || (t->what.source && !is_equality)) return false;
  s->outer_stride *= 2;
  if (is_row && (is_square || is_equality || t->what.gather == WEFT__GATHER_ANY)) {
    s->length *= 2;
  } else if (is_sum && t->each == 1 && (s->inner == 1 || s->inner_stride == 1) &&
             (s->length >= WEFT__ROW_LEAST_LENGTH || s->outer * s->length * s->inner <= WEFT__ROW_MOST_SHORT)) {
    s->length_stride *= 2;
    s->inner *= 2;
    s->inner_stride = 1;
    t->what.result = (uint8_t)weft__real_dtype((weft_dtype)t->what.result);
  } else {
    return false;
  }
  t->what.two = false;
  return true;
}

/// Whether a formula only asks whether two arrays are equal.
static bool is_equality(const weft__division *l) {
  const weft__formula *f = &l->task->plan->formula;
  if (f->count != 3 || f->inputs != 2 || l->arrays != 2 || l->task->what.gather != WEFT__GATHER_ALL) return false;
  const weft__node *node = &f->node[2], *a = &f->node[0], *b = &f->node[1];
  return node->kind == WEFT__NODE_APPLY && node->op == WEFT_UFUNC_EQUAL && a->kind == WEFT__NODE_INPUT &&
         b->kind == WEFT__NODE_INPUT && a->index != b->index && a->dtype == b->dtype && a->dtype == l->array[0]->dtype;
}

/// Whether the loops may read the operands: arrays of one dtype at multiples of its size.
static bool has_operands(const weft__division *l) {
  if (l->part || l->beside > 0 || l->out->dtype != (weft_dtype)l->task->what.result) return false;
  for (int k = 0; k < l->arrays; k++)
    if (l->array[k]->dtype != l->array[0]->dtype || l->array[k]->offset_bytes & (int64_t)(l->size - 1)) return false;
  return !l->task->plan || is_equality(l);
}

/// Sees short rows as columns, and decides whether columns have accumulators side by side.
static void choose_columns(weft__row_sharing *t, const weft__division *l) {
  weft__strided_split *s = &t->s;
  const bool is_complex = weft_dtype_kind(l->array[0]->dtype) == 'c';
  if (t->each > 1 || l->arrays > 1 || !weft__columns_work(&t->what, (weft_dtype)t->dtype)) return;
  if (s->inner == 1 && s->length < WEFT__REDUCE_CPU_SHORT && s->outer >= WEFT__ROW_LEAST_BESIDE)
    *s = (weft__strided_split){1, s->length, s->outer, 0, s->length_stride, s->outer_stride};
  t->are_columns = s->inner > 1 && s->length <= INT32_MAX &&
                   (t->what.gather != WEFT__GATHER_WHERE || s->inner >= WEFT__ROW_LEAST_BESIDE) &&
                   !(is_complex && s->inner == 2 && s->length < WEFT__ROW_LEAST_PAIRS);
}

/// Describes the division for the loops. False: they do not compute it.
static bool describe(weft__row_sharing *t, const weft__division *l) {
  const weft_dtype dtype = l->array[0]->dtype;
  if (!has_operands(l)) return false;
  memset(t, 0, offsetof(weft__row_sharing, s)); /* recordings keep all its bytes; the others are set */
  t->what = l->task->what;
  t->dtype = t->stored = (int32_t)dtype;
  t->s = l->s;
  t->each = (int64_t)l->rows_each;
  t->ddof = l->task->ddof;
  if (l->task->plan) t->what.source = WEFT__SOURCE_EQUAL;
  if (weft_dtype_kind(dtype) == 'c' && !see_parts(t)) return false;
  if (weft__is_narrow(dtype)) t->dtype = WEFT_F32;
  if (weft__is_whole(dtype) && (t->what.cell == WEFT_F64 || t->what.magnitude)) t->dtype = WEFT_F64;
  if (!weft__row_loop_of(&t->what, (weft_dtype)t->dtype)) return false;
  if (t->what.gather == WEFT__GATHER_VARIANCE && !l->key.has_fp64) return false;
  choose_columns(t, l);
  return t->s.inner == 1 || t->each == 1;
}

/// Sets splits, per and shares of rows.
static void divide_rows(weft__row_sharing *t, uint64_t units, uint64_t grouping_units, uint64_t wanted) {
  const uint64_t outer = (uint64_t)(t->s.outer * t->s.inner), length = (uint64_t)t->s.length, all = outer * length;
  const bool is_one = outer == 1 && length <= WEFT__ROW_ONE_LENGTH &&
                      length * weft_dtype_size_bytes((weft_dtype)t->stored) <= WEFT__ROW_ONE_BYTES;
  uint64_t parts = all / WEFT__REDUCE_CPU_LEAST < grouping_units * WEFT__REDUCE_CPU_ITEMS
                       ? all / WEFT__REDUCE_CPU_LEAST
                       : grouping_units * WEFT__REDUCE_CPU_ITEMS;
  t->splits = 1;
  t->per = t->s.length;
  if (!is_one && t->s.inner == 1 && outer * 2 <= parts) {
    t->per =
        weft_ceil_div(weft_ceil_div(t->s.length, weft_ceil_div((int64_t)parts, t->s.outer)), WEFT__ROW_PART_MULTIPLE) *
        WEFT__ROW_PART_MULTIPLE;
    t->splits = weft_ceil_div(t->s.length, t->per);
  }
  const uint64_t most = outer * (uint64_t)t->splits;
  t->shares = weft__shares_of(wanted < most ? wanted : most, WEFT__ROW_CORE_SHARES * units);
}

/// Whether little work is better a command of the kernel, which gives the same bits, than a wait for the queue's work:
/// also in each replay of a recording.
static bool is_rather_queued(const weft__row_sharing *t, weft__core *core) {
  const weft_dtype dtype = (weft_dtype)t->dtype;
  const bool are_rows = !t->are_columns && t->s.inner == 1 && t->s.length_stride == 1 && t->each == 1;
  const bool is_alike = t->stored == t->dtype && !t->what.skip_nan && !t->what.magnitude && !t->what.source;
  if (!are_rows || !is_alike || t->s.outer * t->s.length > WEFT__ROW_MOST_QUEUED || !weft__driver->runs_kernels)
    return false;
  if (t->s.length < WEFT__ROW_LANES && weft_dtype_kind(dtype) == 'f') return false;
  const int slot = weft__slot_now(core);
  return weft__recorder_of(core) || atomic_load(&core->slot[slot].completed) != atomic_load(&core->slot[slot].issued);
}

weft_status weft__reduce_host_run(bool *is_done, const void *of) {
  const weft__division *l = weft__division_of(of);
  weft_context *context = l->call->context;
  weft__row_sharing t;
  if (!describe(&t, l) || is_rather_queued(&t, &context->core)) return WEFT_OK;
  const uint64_t units = (uint64_t)weft__host_cores(context), grouping_units = weft__grouping_units(&context->core);
  const uint64_t bytes = (uint64_t)(l->s.outer * l->s.length * l->s.inner * l->arrays) * l->size;
  (t.are_columns ? weft__columns_divide : divide_rows)(&t, units, grouping_units, bytes / WEFT__ROW_SHARE_BYTES);
  weft__host_use uses[3]; /* not zeroed as one: that takes longer than a short row */
  uses[0] = (weft__host_use){.array = l->out, .writes = true};
  for (int k = 0; k < l->arrays; k++) uses[1 + k] = (weft__host_use){.array = l->array[k], .reads = true};
  *is_done = true;
  return weft__host_run(context, &weft__host_reduce, &t, 1 + l->arrays, uses, l->task->name, l->call->site);
}
