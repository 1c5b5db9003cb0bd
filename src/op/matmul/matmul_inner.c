// SPDX-License-Identifier: MIT
/// The way `inner`: on CPU devices products of few elements and a long k, of f32 and f64. Threads share k; of each part
/// the columns of b are multiplied by the loops for a matrix and a vector, and the parts are added in f64, in order.
#include <string.h>

#include "base/scratch.h"
#include "engine/host_step.h"
#include "op/matmul/matmul.h"
#include "op/matmul/tuning.h"
#include "op/matmul/vector_loops.h"

enum { SIDE = WEFT__MATMUL_INNER_SIDE, STEPS = WEFT__MATMUL_INNER_STEPS };

/// What a recording keeps. The arrays: out, a, b.
typedef struct inner_task {
  int64_t m, n, k, a_row, b_row, b_column, out_row, out_column; /* in elements */
  int32_t dtype, cores;
} inner_task;

/// Memory of a share.
typedef struct inner_room {
  double sum[SIDE * SIDE], column[STEPS], part[SIDE]; /* column, part: of the dtype */
} inner_room;

typedef struct inner_job {
  const inner_task *t;
  const char *a, *b;
  int64_t size;
  int shares;
  inner_room *room;
} inner_job;

/// Some elements of a column of b as a run.
static const void *column_of(inner_room *r, const inner_job *j, const char *from, int64_t count) {
  const int64_t step = j->t->b_row;
  if (step == 1) return from;
  if (j->size == 4) {
    const uint32_t *x = (const uint32_t *)(const void *)from;
    uint32_t *y = (uint32_t *)(void *)r->column;
    for (int64_t k = 0; k < count; k++) y[k] = x[k * step];
  } else {
    const uint64_t *x = (const uint64_t *)(const void *)from;
    uint64_t *y = (uint64_t *)(void *)r->column;
    for (int64_t k = 0; k < count; k++) y[k] = x[k * step];
  }
  return r->column;
}

/// A weft__run_shares function.
static void *multiply_part(void *user) {
  const weft__share *share = user;
  const inner_job *j = *(const inner_job *const *)share->all;
  const inner_task *t = j->t;
  weft__vector_loop *loop = weft__vector_loop_of((weft_dtype)t->dtype, false);
  inner_room *r = &j->room[share->number];
  const int64_t blocks = (int64_t)weft_ceil_div((uint64_t)t->k, STEPS), number = (int64_t)share->number;
  const int64_t end = blocks * (number + 1) / j->shares * STEPS;
  memset(r->sum, 0, sizeof r->sum);
  for (int64_t k = blocks * number / j->shares * STEPS; k < end && k < t->k; k += STEPS) {
    const int64_t count = t->k - k < STEPS ? t->k - k : STEPS;
    for (int64_t c = 0; c < t->n; c++) {
      const void *column = column_of(r, j, j->b + (k * t->b_row + c * t->b_column) * j->size, count);
      loop(r->part, j->a + k * j->size, t->a_row, column, t->m, count);
      for (int64_t i = 0; i < t->m; i++)
        r->sum[i * t->n + c] += j->size == 4 ? (double)((const float *)(const void *)r->part)[i] : r->part[i];
    }
  }
  return NULL;
}

static int multiply_parts(void *const *data, const void *task) {
  const inner_task *t = task;
  inner_job all = {.t = t, .a = data[1], .b = data[2], .size = (int64_t)weft_dtype_size_bytes((weft_dtype)t->dtype)};
  const inner_job *j = &all;
  const uint64_t paid = (uint64_t)(t->k * (t->m + t->n)) / WEFT__MATMUL_INNER_SHARE;
  all.shares = weft__shares_of(paid, (uint64_t)t->cores);
  all.room = weft__scratch_begin((size_t)all.shares * sizeof *all.room);
  if (!all.room) return WEFT__HOST_NO_MEMORY;
  weft__run_shares(all.shares, multiply_part, &j);
  for (int64_t i = 0; i < t->m; i++)
    for (int64_t c = 0; c < t->n; c++) {
      const int64_t at = i * t->out_row + c * t->out_column;
      double sum = 0;
      for (int k = 0; k < all.shares; k++) sum += all.room[k].sum[i * t->n + c];
      if (all.size == 4)
        ((float *)data[0])[at] = (float)sum;
      else
        ((double *)data[0])[at] = sum;
    }
  weft__scratch_end(all.room);
  return 0;
}

const weft__host_function weft__host_matmul_inner = {
    .name = "matmul inner", .library = WEFT__LIBRARY_NONE, .task_bytes = sizeof(inner_task), .run = multiply_parts};

bool weft__matmul_inner_fits(const void *task) {
  const weft__matmul_task *t = task;
  return t->m * t->n >= WEFT__MATMUL_INNER_LEAST && t->m > 1 && t->m <= SIDE && t->n > 1 && t->n <= SIDE &&
         t->k >= WEFT__MATMUL_INNER_K && t->batches == 1 && t->a.column == 1 && weft__matmul_is_of(t, t->product) &&
         t->out.dtype == t->product && !t->has_scale && !t->has_accumulate && !t->epilogue &&
         weft__vector_loop_of(t->product, false);
}

weft_status weft__matmul_inner_run(bool *done, const void *task) {
  const weft__matmul_task *t = task;
  inner_task of;
  memset(&of, 0, sizeof of); /* recordings keep all its bytes */
  of = (inner_task){.m = t->m,
                    .n = t->n,
                    .k = t->k,
                    .a_row = t->a.row,
                    .b_row = t->b.row,
                    .b_column = t->b.column,
                    .out_row = t->out.row,
                    .out_column = t->out.column,
                    .dtype = (int32_t)t->product,
                    .cores = weft__host_cores(t->context)};
  weft__host_use use[] = {weft__matmul_use_of(t, &t->out, t->m, t->n), weft__matmul_use_of(t, &t->a, t->m, t->k),
                          weft__matmul_use_of(t, &t->b, t->k, t->n)};
  use[0].writes = use[1].reads = use[2].reads = true;
  *done = true;
  return weft__host_run(t->context, &weft__host_matmul_inner, &of, 3, use, "matmul", t->site);
}
