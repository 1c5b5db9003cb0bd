// SPDX-License-Identifier: MIT
/// Reductions on the host: of few elements by the calling thread (mem/at_once.h), of more in a step of the host
/// (op/reduce/row_shares.c).
#include <stdlib.h>
#include <string.h>

#include "map/run.h"
#include "mem/at_once.h"
#include "mem/recorder.h"
#include "op/reduce/row_loops.h"

#define VALUES_ROOM (64 << 10)    /* bytes of a formula's values */
#define VALUES_BLOCK 32768        /* elements of them, where parts may be reduced apart */
#define MOST_BYTES (1 << 20)      /* of each array: PoCL 3.1 on two cores takes as long for these */
#define MOST_ELEMENTS (1 << 18)   /* a small element may take as long as a large one */
#define MOST_SHORT (1 << 14)      /* elements of rows shorter than the lanes, which take as long as the rows */
#define FIRST_BYTES (16 << 10)    /* which may decide any and all of a larger array */

/// Reduces a row; `stride`: as of a loop.
static void reduce(char *to, const weft__reduce_task *task, weft_dtype dtype, const void *const from[2], size_t n,
                   size_t stride) {
  weft__row_part part;
  weft__row_reduce(&part, &task->what, dtype, from, n, stride);
  const weft__row_elements of = {from[0], 1, 0, n, stride ? stride : 1};
  weft__row_store(to, &task->what, dtype, &part, &of, task->ddof);
}

/// Whether parts of a row may be reduced apart: their results do not depend on the order.
static bool goes_by_parts(int id) {
  return id == WEFT__ROW_ANY || id == WEFT__ROW_ALL || id == WEFT__ROW_COUNT;
}

bool weft__reduce_may_at_once(const weft__call *c, const weft__reduce_task *task, weft_array *const *inputs,
                              int arrays) {
  const weft__core *core = &c->context->core;
  const weft__reduce_what *what = &task->what;
  const weft_dtype dtype = task->plan ? task->plan->result[0] : inputs[0]->dtype;
  const int id = weft__row_loop_id(what, dtype);
  const size_t most = weft__at_once_bytes(core);
  size_t bytes = 0;
  if ((inputs[0]->size > MOST_ELEMENTS && id != WEFT__ROW_ANY && id != WEFT__ROW_ALL) ||
      !weft__row_loop_find(id, dtype) || (id == WEFT__ROW_VARIANCE && !core->device->info.has_fp64) ||
      !core->device->quirks.wraps_in_place)
    return false;
  for (int k = 0; k < arrays; k++) {
    const size_t one = (size_t)weft_array_size_bytes(inputs[k]);
    if (inputs[k]->offset_bytes % (int64_t)weft_dtype_size_bytes(inputs[k]->dtype)) return false;
    if (one > MOST_BYTES || (!task->plan && inputs[k]->dtype != dtype)) return false;
    bytes += one;
  }
  if (!task->plan) return arrays <= 2 && bytes <= most;
  if (what->source != WEFT__SOURCE_FORMULA || !task->plan->twin.nodes || what->mapped != dtype) return false;
  if (goes_by_parts(id)) return bytes <= most;
  return (size_t)inputs[0]->size * weft_dtype_size_bytes(dtype) <= VALUES_ROOM;
}

/// The loop over both arrays if a formula only asks whether they are equal; NULL: another one.
static weft__row_loop *equality_of(const weft__reduce_task *task, weft_array *const *inputs) {
  const weft__formula *f = task->plan ? &task->plan->formula : NULL;
  if (!f || f->count != 3 || f->inputs != 2 || task->what.gather != WEFT__GATHER_ALL) return NULL;
  const weft__node *node = &f->node[2], *a = &f->node[0], *b = &f->node[1];
  const bool are_inputs = a->kind == WEFT__NODE_INPUT && b->kind == WEFT__NODE_INPUT && a->index != b->index;
  if (node->kind != WEFT__NODE_APPLY || node->op != WEFT_UFUNC_EQUAL || !are_inputs) return NULL;
  if (a->dtype != b->dtype || a->dtype != inputs[0]->dtype || a->dtype != inputs[1]->dtype) return NULL;
  return weft__row_loop_find(WEFT__ROW_EQUAL, a->dtype);
}

/// A formula's values, as far as its twin has computed them.
typedef struct values {
  weft_context *context;
  const weft__reduce_task *task;
  weft_array *const *inputs;
  int arrays;
  weft_dtype dtype;
  char *room; /* for a block */
} values;

/// Reduces elements `begin` to `begin + count`.
static weft_status reduce_block(bool *is_done, char *to, const values *w, int64_t begin, int64_t count) {
  const weft__reduce_task *task = w->task;
  const weft_shape shape = WEFT_SHAPE(count);
  weft_array part[1 + WEFT__REDUCE_INPUTS]; /* not zeroed: it is large */
  weft_array *array[1 + WEFT__REDUCE_INPUTS];
  const void *const from[2] = {w->room, w->room};
  for (int k = 0; k <= w->arrays; k++) {
    array[k] = &part[k];
    if (k == 0) {
      part[k] = (weft_array){.context = w->context, .dtype = w->dtype};
    } else {
      part[k] = weft__array_borrow(w->inputs[k - 1]);
      part[k].offset_bytes += begin * (int64_t)weft_dtype_size_bytes(part[k].dtype);
    }
    weft__set_contiguous(&part[k], shape);
  }
  const weft__map_run map = {task->plan, shape, array, task->scalars};
  WEFT__TRY_RETURN(weft__twin_run(is_done, &map, w->room));
  const size_t n = (size_t)count;
  if (*is_done) reduce(to, task, w->dtype, from, n, n < WEFT__REDUCE_CPU_SHORT);
  return WEFT_OK;
}

/// Reduces the values of a formula: all of them, or block after block until the result is known.
static weft_status reduce_values(bool *is_done, char *to, const weft__call *c, const weft__reduce_task *task,
                                 weft_array *const *inputs, int arrays) {
  values w = {c->context, task, inputs, arrays, task->plan->result[0], NULL};
  const int id = weft__row_loop_id(&task->what, w.dtype);
  const int64_t n = inputs[0]->size, block = goes_by_parts(id) && n > VALUES_BLOCK ? VALUES_BLOCK : n;
  const size_t bytes = (size_t)block * weft_dtype_size_bytes(w.dtype);
  uint64_t total = 0, count = 0;
  weft_status rc = WEFT_OK;
  bool is_decided = false;
  w.room = malloc(bytes);
  if (!w.room) return weft__fail_host_memory(bytes);
  *is_done = true;
  for (int64_t begin = 0; begin < n && *is_done && !is_decided; begin += block) {
    WEFT__TRY(reduce_block(is_done, id == WEFT__ROW_COUNT ? (char *)&count : to, &w, begin,
                           n - begin < block ? n - begin : block));
    total += count;
    is_decided = (id == WEFT__ROW_ANY && *to) || (id == WEFT__ROW_ALL && !*to);
  }
  if (*is_done && id == WEFT__ROW_COUNT) memcpy(to, &total, sizeof total);
done:
  free(w.room);
  return rc;
}

/// Whether the first elements of a larger array may decide.
static bool may_look(const weft__reduce_task *task, const weft_array *x, const weft__strided_split *s) {
  const int id = weft__row_loop_id(&task->what, x->dtype);
  return !task->plan && s->outer == 1 && s->length_stride == 1 && (id == WEFT__ROW_ANY || id == WEFT__ROW_ALL) &&
         x->offset_bytes % (int64_t)weft_dtype_size_bytes(x->dtype) == 0 &&
         (size_t)weft_array_size_bytes(x) > FIRST_BYTES;
}

/// Whether the loops here serve this division of the elements.
static bool fits_loops(const weft__reduce_task *task, weft_array *const *inputs, const weft__strided_split *s,
                       int64_t each) {
  const bool adds = weft__row_adds_rows(&task->what, inputs[0]->dtype);
  if (task->plan && (s->outer > 1 || s->length_stride != 1)) return false;
  if (each > 1 && !adds) return false;
  if (s->inner > 1) return false; /* a step of the host */
  return s->outer == 1 || s->length >= WEFT__ROW_LANES || inputs[0]->size <= MOST_SHORT;
}

/// Whether the calling thread may reduce the arrays or look at their first elements, if the storages are idle.
static bool may_now(const weft__division *l) {
  return (l->may_at_once || may_look(l->task, l->array[0], &l->s)) &&
         fits_loops(l->task, l->array, &l->s, (int64_t)l->rows_each);
}

/// Whether little work is better a command behind others than a wait for them: also in each replay of a recording.
static bool must_queue(weft__core *core) {
  const int slot = weft__slot_now(core);
  return weft__recorder_of(core) || atomic_load(&core->slot[slot].completed) != atomic_load(&core->slot[slot].issued);
}

bool weft__reduce_host_fits(const void *of) {
  const weft__division *l = weft__division_of(of);
  return !l->part && l->beside == 0 && l->out->dtype == (weft_dtype)l->task->what.result &&
         (may_now(l) || weft__row_may_share(l));
}

/// Does so, unless *is_done is false then.
static weft_status reduce_now(bool *is_done, const weft__division *l) {
  const weft__call *c = l->call;
  const weft__reduce_task *task = l->task;
  const weft__strided_split *s = &l->s;
  weft_array *const *inputs = l->array, *const out = l->out;
  const int arrays = l->arrays;
  weft__use use[3] = {{out->storage, true}};
  char *place[3];
  const char *from[2];
  weft__row_loop *const equality = arrays == 2 ? equality_of(task, inputs) : NULL;
  const bool is_formula = task->plan && !equality;
  for (int k = 0; k < arrays && !is_formula; k++) use[k + 1] = (weft__use){inputs[k]->storage, false};
  WEFT__TRY_RETURN(weft__at_once(is_done, place, &c->context->core, is_formula ? 1 : arrays + 1, use));
  if (!*is_done) return WEFT_OK;
  char *const to = place[0] + out->offset_bytes;
  if (is_formula) return reduce_values(is_done, to, c, task, inputs, arrays);
  size_t size[2];
  for (int k = 0; k < 2; k++) {
    const int at = k < arrays ? k : 0;
    from[k] = place[at + 1] + inputs[at]->offset_bytes;
    size[k] = weft_dtype_size_bytes(inputs[at]->dtype);
  }
  if (equality) {
    equality(to, (const void *const[]){from[0], from[1]}, (size_t)inputs[0]->size, 0);
    return WEFT_OK;
  }
  if (l->rows_each > 1) {
    weft__row_add_rows(to, &task->what, from[0], s, (int64_t)l->rows_each);
    return WEFT_OK;
  }
  const int64_t first = (int64_t)(FIRST_BYTES / weft_dtype_size_bytes(inputs[0]->dtype));
  const weft__strided_split looked = {.outer = 1, .length = first, .inner = 1, .length_stride = 1};
  weft__row_reduce_rows(to, &task->what, inputs[0]->dtype, from, size, l->may_at_once ? s : &looked, task->ddof);
  *is_done = l->may_at_once || (*to != 0) == (task->what.gather == WEFT__GATHER_ANY);
  return WEFT_OK;
}

weft_status weft__reduce_host_run(bool *is_done, const void *of) {
  weft__division *l = weft__division_of(of);
  weft__division_for_cpu(l);
  *is_done = false;
  const bool is_whole = l->s.outer == 1 || l->args.splits == 1;
  if (l->s.inner == 1 && !weft__division_has_rows(l)) return WEFT_OK;
  if (may_now(l) && is_whole) WEFT__TRY_RETURN(reduce_now(is_done, l));
  if (*is_done || !weft__row_may_share(l)) return WEFT_OK;
  if (l->s.inner == 1 && l->may_at_once && must_queue(&l->call->context->core)) return WEFT_OK;
  *is_done = true;
  return weft__row_share(l);
}
