// SPDX-License-Identifier: MIT
/// Formulas whose values the calling thread computes (map/host_formula.h), and then reduces: few values at once. Of
/// values whose order does not matter one block after the other is computed, until the result is known.
#include <string.h>

#include "base/scratch.h"
#include "map/run.h"
#include "op/reduce/row_loops.h"
#include "op/reduce/tuning.h"

static bool goes_by_parts(int id) {
  return id == WEFT__ROW_ANY || id == WEFT__ROW_ALL || id == WEFT__ROW_COUNT;
}

bool weft__reduce_values_fits(const void *of) {
  const weft__division *l = weft__division_of(of);
  const weft__reduce_what *what = &l->task->what;
  const weft__plan *plan = l->task->plan;
  if (!plan || !plan->host.nodes || l->part || l->beside > 0 || what->source != WEFT__SOURCE_FORMULA) return false;
  const weft_dtype dtype = plan->result[0];
  const int id = weft__row_loop_id(what, dtype);
  return what->mapped == dtype && weft__row_loop_find(id, dtype) && l->s.outer == 1 && l->s.inner == 1 &&
         l->s.length_stride == 1 && (what->gather != WEFT__GATHER_VARIANCE || l->key.has_fp64) &&
         (goes_by_parts(id) || (size_t)l->s.length * weft_dtype_size_bytes(dtype) <= WEFT__VALUES_BYTES);
}

/// Reduces the values of elements `begin` to `begin + count`, which `room` has room for.
static weft_status reduce_block(bool *is_done, void *result, const weft__division *l, char *room, int64_t begin,
                                int64_t count) {
  const weft__reduce_task *task = l->task;
  const weft_dtype dtype = task->plan->result[0];
  const weft_shape shape = WEFT_SHAPE(count);
  weft_array part[1 + WEFT__REDUCE_INPUTS]; /* not zeroed: it is large */
  weft_array *array[1 + WEFT__REDUCE_INPUTS];
  for (int k = 0; k <= l->arrays; k++) {
    array[k] = &part[k];
    if (k == 0) {
      part[k] = (weft_array){.context = l->call->context, .dtype = dtype};
    } else {
      part[k] = weft__array_borrow(l->array[k - 1]);
      part[k].offset_bytes += begin * (int64_t)weft_dtype_size_bytes(part[k].dtype);
    }
    weft__set_contiguous(&part[k], shape);
  }
  const weft__map_run map = {task->plan, shape, array, task->scalars};
  WEFT__TRY_RETURN(weft__host_formula_run(is_done, &map, room));
  if (!*is_done) return WEFT_OK;
  const bool is_short = count < WEFT__REDUCE_CPU_SHORT;
  const weft__row_elements of = {room, 1, 0, count, 1};
  weft__row_part of_block;
  weft__row_reduce(&of_block, weft__row_loop_of(&task->what, dtype), &task->what, dtype,
                   (const void *const[]){room, room}, (size_t)count, is_short);
  weft__row_store(result, &task->what, dtype, &of_block, &of, task->ddof);
  return WEFT_OK;
}

weft_status weft__reduce_values_run(bool *is_done, const void *of) {
  const weft__division *l = weft__division_of(of);
  const weft_dtype dtype = l->task->plan->result[0], to = (weft_dtype)l->task->what.result;
  const int id = weft__row_loop_id(&l->task->what, dtype);
  const int64_t n = l->s.length, block = goes_by_parts(id) && n > WEFT__VALUES_BLOCK ? WEFT__VALUES_BLOCK : n;
  uint64_t result[2] = {0}, total = 0;
  weft_status rc = WEFT_OK;
  bool is_decided = false;
  char *room = weft__scratch_begin((size_t)block * weft_dtype_size_bytes(dtype));
  if (!room) return WEFT_ERROR_HOST_MEMORY;
  *is_done = true;
  for (int64_t begin = 0; begin < n && *is_done && !is_decided; begin += block) {
    WEFT__TRY(reduce_block(is_done, result, l, room, begin, n - begin < block ? n - begin : block));
    total += *result;
    const bool is_true = *(const uint8_t *)result;
    is_decided = (id == WEFT__ROW_ANY && is_true) || (id == WEFT__ROW_ALL && !is_true);
  }
  if (id == WEFT__ROW_COUNT) *result = total;
  if (*is_done) rc = weft__fill(l->out, weft__scalar_read(to, result), l->call->site);
done:
  weft__scratch_end(room);
  return rc;
}
