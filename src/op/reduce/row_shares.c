// SPDX-License-Identifier: MIT
/// Reductions of rows and columns by threads of the host: each reduces what a work-item of cl/reduce/cpu.cl would, and
/// the parts of a row are combined in the order of that kernel. The same bits.
#include <stdlib.h>
#include <string.h>

#include "core/reproducible.h"
#include "engine/host_step.h"
#include "engine/shares.h"
#include "mem/host_memory.h"
#include "op/reduce/row_loops.h"

#define LEAST_LENGTH 64 /* rows of columns: of fewer, to store the results takes longer than to read the elements */
#define MOST_IN_SHORT (1 << 17) /* elements of shorter columns: the launch of a kernel takes longer */
#define LEAST_BESIDE 16         /* columns whose best elements' places are found side by side */
#define MOST_TWICE (1 << 17)    /* elements that are read once for the least and once for the greatest of a column */
#define SHARE_BYTES (256 << 10) /* of a thread, at least: it takes 10 us then, as the start of a thread of the pool */

/// What the threads share.
typedef struct work {
  const weft__row_sharing *t;
  char *to;
  const char *from[2];
  size_t size, result_bytes; /* of elements */
  weft__row_part *part;      /* of each row of a split, split after split */
} work;

/// The part of `all` items that a share has.
static void items_of(int64_t *begin, int64_t *end, const weft__share *share, int64_t all) {
  const weft__row_sharing *t = ((const work *)share->all)->t;
  *begin = all * (int64_t)share->number / t->shares;
  *end = all * ((int64_t)share->number + 1) / t->shares;
}

static void *share_rows(void *share) {
  const work *w = ((const weft__share *)share)->all;
  weft__strided_split s = w->t->s;
  int64_t begin, end;
  items_of(&begin, &end, share, s.outer);
  const size_t at = (size_t)(begin * s.outer_stride) * w->size;
  s.outer = end - begin;
  weft__row_reduce_rows(w->to + (size_t)begin * w->result_bytes, &w->t->what, (weft_dtype)w->t->dtype,
                        (const char *const[]){w->from[0] + at, w->from[1] + at}, (const size_t[]){w->size, w->size}, &s,
                        w->t->ddof);
  return NULL;
}

static void *share_parts(void *share) {
  const work *w = ((const weft__share *)share)->all;
  const weft__row_sharing *t = w->t;
  int64_t k, end;
  for (items_of(&k, &end, share, t->s.outer * t->splits); k < end; k++) {
    const int64_t first = k / t->s.outer * t->per, left = t->s.length - first;
    const size_t at = (size_t)(k % t->s.outer * t->s.outer_stride + first) * w->size;
    weft__row_part *part = &w->part[k];
    weft__row_reduce(part, &t->what, (weft_dtype)t->dtype, (const void *const[]){w->from[0] + at, w->from[1] + at},
                     (size_t)(left < t->per ? left : t->per), 0);
    if (t->what.gather == WEFT__GATHER_WHERE) part->place += first;
  }
  return NULL;
}

static int reduce_shares(void *const *data, const void *task) {
  const weft__row_sharing *t = task;
  const int64_t results = t->s.outer / t->each, parts = t->each * t->splits;
  const bool has_two = t->what.source == WEFT__SOURCE_PRODUCT || t->what.source == WEFT__SOURCE_CONJUGATE_PRODUCT;
  work w = {.t = t,
            .to = data[0],
            .from = {data[1], data[has_two ? 2 : 1]},
            .size = weft_dtype_size_bytes((weft_dtype)t->dtype),
            .result_bytes = weft_dtype_size_bytes((weft_dtype)t->what.result)};
  if (t->s.inner > 1) return weft__columns_reduce(w.to, w.from[0], t);
  if (parts == 1) {
    weft__run_shares(t->shares, share_rows, &w);
    return 0;
  }
  w.part = malloc((size_t)(t->s.outer * t->splits) * sizeof *w.part);
  if (!w.part) return WEFT__HOST_NO_MEMORY;
  weft__run_shares(t->shares, share_parts, &w);
  for (int64_t r = 0; r < results; r++) {
    weft__row_join(&w.part[r], &t->what, (weft_dtype)t->dtype, (size_t)parts, (size_t)results);
    const weft__row_elements of = {w.from[0] + (size_t)(r * t->s.outer_stride) * w.size, (size_t)t->each,
                                   (size_t)(results * t->s.outer_stride), (size_t)t->s.length, 1};
    weft__row_store(w.to + (size_t)r * w.result_bytes, &t->what, (weft_dtype)t->dtype, &w.part[r], &of, t->ddof);
  }
  free(w.part);
  return 0;
}

const weft__host_function weft__host_reduce = {
    .name = "reduce", .library = WEFT__LIBRARY_NONE, .task_bytes = sizeof(weft__row_sharing), .run = reduce_shares};

bool weft__row_may_share(const weft__division *l) {
  const weft__reduce_what *what = &l->task->what;
  const weft_dtype dtype = l->array[0]->dtype;
  const int id = weft__row_loop_id(what, dtype);
  const int64_t size = (int64_t)weft_dtype_size_bytes(dtype);
  if (l->task->plan || !weft__row_loop_find(id, dtype) || !weft__host_reaches(&l->call->context->core)) return false;
  if (id == WEFT__ROW_VARIANCE && !l->key.has_fp64) return false;
  for (int k = 0; k < l->arrays; k++)
    if (l->array[k]->dtype != dtype || l->array[k]->offset_bytes % size) return false;
  if (l->s.inner > 1)
    return weft__columns_work(what, dtype) && l->arrays == 1 && l->rows_each == 1 && l->s.inner_stride == 1 &&
           l->s.outer_stride >= 0 && l->s.length_stride > 0 &&
           (l->s.length >= LEAST_LENGTH || l->array[0]->size <= MOST_IN_SHORT) && l->s.length <= INT32_MAX &&
           (what->gather != WEFT__GATHER_WHERE || l->s.inner >= LEAST_BESIDE);
  return l->s.length_stride == 1 && l->s.outer_stride >= 0 && l->s.length >= WEFT__ROW_LANES;
}

weft_status weft__row_share(const weft__division *l) {
  const weft__call *c = l->call;
  const uint64_t units = (uint64_t)weft__host_cores(c->context);
  const uint64_t bytes = (uint64_t)(l->s.outer * l->s.length * l->s.inner * l->arrays) * l->size;
  uint64_t shares = units;
  if (shares > bytes / SHARE_BYTES) shares = bytes / SHARE_BYTES;
  weft__row_sharing t; /* recordings keep all its bytes */
  memset(&t, 0, sizeof t);
  t.what = l->task->what;
  t.dtype = l->array[0]->dtype;
  t.shares = shares ? (int32_t)shares : 1;
  t.s = l->s;
  t.each = (int64_t)l->rows_each;
  t.splits = (int64_t)l->args.splits;
  t.per = (int64_t)(l->args.splits > 1 ? l->args.per : (uint64_t)l->s.length);
  t.ddof = l->task->ddof;
  if (l->s.inner > 1) weft__columns_divide(&t, units, weft__grouping_units(&c->context->core), bytes / SHARE_BYTES);
  const weft__host_use uses[] = {{.array = l->out, .writes = true},
                                 {.array = l->array[0], .reads = true},
                                 {.array = l->array[l->arrays - 1], .reads = true}};
  const weft__host_work step = {.context = c->context,
                                .uses = 1 + l->arrays,
                                .use = uses,
                                .function = &weft__host_reduce,
                                .task = &t,
                                .what = l->task->name,
                                .site = c->site};
  int code;
  WEFT__TRY_RETURN(weft__host_step(&code, &step));
  return code ? weft__host_failed(code, &step) : WEFT_OK;
}
