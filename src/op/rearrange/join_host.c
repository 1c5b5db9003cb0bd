// SPDX-License-Identifier: MIT
/// Arrays joined on the host, a few in each step.
#include "engine/blocks.h"
#include "op/rearrange/join.h"

#include <string.h>

#include "array/strided_move.h"

enum { PIECES = WEFT__HOST_USES - 1 };

/// What a recording keeps.
typedef struct join_work {
  int64_t rows, pitch, first[PIECES + 1]; /* elements; first: where each piece begins in a row, and the last one ends */
  int32_t size, cores, pieces, reserved;
} join_work;

typedef struct join_job {
  const join_work *w;
  void *const *data;
} join_job;

static void join_block(const weft__block *b, const void *job) {
  const join_job *j = job;
  const join_work *w = j->w;
  const int64_t size = w->size, end = b->column + b->columns, to_row = w->pitch * size;
  char *const to = (char *)j->data[0] + b->row * to_row;
  if (w->pieces == 2 && w->pitch == 2 && b->columns == 2) {
    weft__pair_elements(to, (const char *)j->data[1] + b->row * size, (const char *)j->data[2] + b->row * size,
                        (size_t)size, b->rows);
    return;
  }
  for (int k = 0; k < w->pieces; k++) {
    const int64_t begin = w->first[k] > b->column ? w->first[k] : b->column,
                  behind = w->first[k + 1] < end ? w->first[k + 1] : end,
                  from_row = (w->first[k + 1] - w->first[k]) * size;
    const char *const from = (const char *)j->data[k + 1] + b->row * from_row + (begin - w->first[k]) * size;
    if (begin < behind) weft__move_rows(to + begin * size, to_row, from, from_row, size, size, b->rows, behind - begin);
  }
}

static int join_pieces(void *const *data, const void *task) {
  const join_work *w = task;
  const join_job j = {w, data};
  weft__run_blocks(&(const weft__blocks){.rows = w->rows,
                                         .columns = w->first[w->pieces],
                                         .bytes = w->size,
                                         .cores = w->cores,
                                         .function = join_block,
                                         .job = &j});
  return 0;
}

const weft__host_function weft__host_join = {"join", WEFT__LIBRARY_NONE, sizeof(join_work), join_pieces, NULL, NULL};

/// Pieces from number `first` on, which begin at *begin of each row and end at *end then.
static weft_status run_step(int64_t *begin, const weft__join_task *t, int first) {
  const int64_t size = (int64_t)weft_dtype_size_bytes(t->out->dtype);
  weft__host_use use[WEFT__HOST_USES];
  join_work w;
  memset(&w, 0, sizeof w); /* recordings keep all its bytes */
  w.rows = t->rows;
  w.pitch = t->pitch;
  w.size = (int32_t)size;
  w.cores = weft__host_cores(t->out->context);
  w.pieces = t->pieces - first < PIECES ? t->pieces - first : PIECES;
  for (int k = 0; k < w.pieces; k++) {
    w.first[k + 1] = w.first[k] + t->width[first + k];
    use[k + 1] = (weft__host_use){.array = t->piece[first + k], .reads = true};
  }
  weft_array part = weft__array_borrow(t->out);
  weft__set_contiguous(&part, WEFT_SHAPE(t->rows, w.first[w.pieces]));
  part.stride_bytes[0] = t->pitch * size;
  part.size = t->rows * w.first[w.pieces];
  part.offset_bytes += *begin * size;
  use[0] = (weft__host_use){.array = &part, .writes = true};
  *begin += w.first[w.pieces];
  return weft__host_run(t->out->context, &weft__host_join, &w, w.pieces + 1, use, "concatenate", t->site);
}

weft_status weft__join_host_run(bool *is_done, const void *task) {
  const weft__join_task *t = task;
  int64_t begin = t->begin;
  *is_done = true;
  for (int k = 0; k < t->pieces; k += PIECES) WEFT__TRY_RETURN(run_step(&begin, t, k));
  return WEFT_OK;
}
