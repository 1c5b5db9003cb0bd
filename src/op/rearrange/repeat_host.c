// SPDX-License-Identifier: MIT
/// Elements repeated on the host, each its own number of times.
#include <string.h>

#include "array/strided_move.h"
#include "engine/blocks.h"
#include "op/rearrange/arrange.h"
#include "op/rearrange/tuning.h"

/// What a recording keeps: the result is outer x total x inner elements, the source outer x count x inner.
typedef struct repeat_work {
  int64_t outer, count, total, inner;
  int32_t size, cores;
} repeat_work;

typedef struct repeat_job {
  const repeat_work *w;
  char *to;
  const char *from;
  const int64_t *ends;
} repeat_job;

/// The element whose copies are at a place along the axis.
static int64_t source_of(const int64_t *ends, int64_t count, int64_t place) {
  int64_t low = 0, high = count - 1;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (place < ends[middle])
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// Stores copies of an element.
static inline void store_copies(char *to, const char *from, size_t size, int64_t copies) {
  if (copies > WEFT__REPEAT_FEW_COPIES)
    weft__move_run(to, (int64_t)size, from, 0, size, copies);
  else
    for (int64_t i = 0; i < copies; i++) memcpy(to + i * (int64_t)size, from, size);
}

static void copy_elements(const repeat_work *w, char *to, const char *from, int64_t copies, const weft__block *b) {
  if (w->inner > 1)
    weft__move_rows(to, w->inner * w->size, from + b->column * w->size, 0, w->size, w->size, copies, b->columns);
  else if (w->size == 4)
    store_copies(to, from, 4, copies);
  else if (w->size == 8)
    store_copies(to, from, 8, copies);
  else
    store_copies(to, from, (size_t)w->size, copies);
}

static void repeat_block(const weft__block *b, const void *job) {
  const repeat_job *j = job;
  const repeat_work *w = j->w;
  const int64_t bytes = w->inner * w->size, end = b->row + b->rows;
  int64_t outer = b->row / w->total, along = b->row % w->total, k = source_of(j->ends, w->count, along);
  for (int64_t row = b->row, copies; row < end; row += copies, along += copies) {
    if (along == w->total) {
      along = k = 0;
      outer++;
    }
    while (along >= j->ends[k]) k++;
    copies = j->ends[k] - along < end - row ? j->ends[k] - along : end - row;
    copy_elements(w, j->to + row * bytes + b->column * w->size, j->from + (outer * w->count + k) * bytes, copies, b);
  }
}

static int repeat_elements(void *const *data, const void *task) {
  const repeat_work *w = task;
  const repeat_job j = {w, data[0], data[1], data[2]};
  weft__run_blocks(&(const weft__blocks){.rows = w->outer * w->total,
                                         .columns = w->inner,
                                         .bytes = w->size,
                                         .cores = w->cores,
                                         .function = repeat_block,
                                         .job = &j});
  return 0;
}

const weft__host_function weft__host_repeat = {"repeat", WEFT__LIBRARY_NONE, sizeof(repeat_work), repeat_elements, NULL,
                                               NULL};

weft_status weft__repeat_host_run(bool *is_done, const void *task) {
  const weft__repeat_task *t = task;
  const weft__host_use use[] = {
      {.array = t->to, .writes = true}, {.array = t->from, .reads = true}, {.array = t->ends, .reads = true}};
  repeat_work w;
  memset(&w, 0, sizeof w); /* recordings keep all its bytes */
  w.outer = t->parts.outer;
  w.count = t->parts.length;
  w.total = t->to->size / (t->parts.outer * t->parts.inner);
  w.inner = t->parts.inner;
  w.size = (int32_t)weft_dtype_size_bytes(t->to->dtype);
  w.cores = weft__host_cores(t->to->context);
  *is_done = true;
  return weft__host_run(t->to->context, &weft__host_repeat, &w, 3, use, "repeat", t->site);
}
