// SPDX-License-Identifier: MIT
/// The row `split`: a product with few elements and a large k becomes a batch of products of parts of k, whose sums
/// cl/matmul/sums.cl adds in order. The number of parts depends on shapes and device only.
#include <stdlib.h>

#include "base/scratch.h"
#include "op/matmul/matmul.h"
#include "op/matmul/tuning.h"

/// `parts` products of `k` elements along k each; the last one may have fewer.
typedef struct division {
  int64_t parts, k;
} division;

static uint64_t part_length(int64_t k, int64_t parts) {
  return weft_ceil_div(weft_ceil_div((uint64_t)k, (uint64_t)parts), WEFT__MATMUL_PART_STEP) * WEFT__MATMUL_PART_STEP;
}

/// Whether small tiles alone keep the device busy, without the sums of parts. H200, 1024^3, one product and four parts,
/// us: f16 9 and 24, f32 57 and 63, f64 46 and 66.
static bool has_enough_tiles(const weft__matmul_task *t) {
  const uint64_t tiles = (uint64_t)t->batches * weft_ceil_div((uint64_t)t->m, WEFT__MATMUL_SMALL_TILE) *
                         weft_ceil_div((uint64_t)t->n, WEFT__MATMUL_SMALL_TILE);
  return t->n > 1 && 2 * tiles >= 3 * (uint64_t)t->context->core.device->info.compute_units;
}

/// Parts of k that give every compute unit two work-groups, or four of few elements each; of a matrix by a vector,
/// whose work-groups are small, four, or one of its large groups, whose chunks lie along m: H200, f32 8192 x 8192, one
/// part 64.4 us, two parts 68.4.
static division divide(const weft__matmul_task *t) {
  const int64_t row_bytes = t->k * (int64_t)weft_dtype_size_bytes(t->a.dtype);
  if (t->n == 1 && row_bytes <= WEFT__MATMUL_FEW_BYTES / WEFT__MATMUL_GROUP_ROWS) return (division){1, t->k};
  const bool is_narrow = weft__matmul_narrow_fits(t);
  const uint64_t tile = t->m > WEFT__MATMUL_SMALL_TILE && t->n > WEFT__MATMUL_SMALL_TILE ? WEFT__MATMUL_LARGE_TILE
                                                                                         : WEFT__MATMUL_SMALL_TILE;
  const bool is_along_m = llabs(t->a.row) < llabs(t->a.column);
  const uint64_t rows = t->n > 1 ? tile : is_along_m ? 2 * WEFT__MATMUL_GROUP_ROWS : WEFT__MATMUL_GROUP_ROWS;
  const int64_t units = (is_narrow    ? 4
                         : t->n > 1   ? 2
                         : is_along_m ? 1
                                      : 4) *
                        (int64_t)t->context->core.device->info.compute_units;
  const int64_t groups =
      t->batches * (int64_t)(weft_ceil_div((uint64_t)t->m, rows) * weft_ceil_div((uint64_t)t->n, tile));
  int64_t parts = groups < units ? units / groups : 1;
  const int64_t most = t->k / (is_narrow ? WEFT__MATMUL_NARROW_K : WEFT__MATMUL_PART_K);
  if (parts > most) parts = most;
  if (parts < 2 || has_enough_tiles(t)) return (division){1, t->k};
  parts = (int64_t)weft_ceil_div((uint64_t)t->k, part_length(t->k, parts)); /* rounding up may have left fewer */
  return (division){parts, (int64_t)part_length(t->k, parts)};
}

bool weft__matmul_split_fits(const void *task) {
  const weft__matmul_task *t = task;
  return t->split == 0 && t->axes < WEFT__MATMUL_AXES && divide(t).parts > 1;
}

/// The task of the parts: `sums` has their products, as accumulators.
static void describe_parts(weft__matmul_task *p, const weft__matmul_task *t, division d, const weft_array *sums) {
  *p = *t;
  p->k = d.k;
  p->batches = d.parts * t->batches;
  if (d.parts * d.k != t->k) {
    p->k_all = t->k;
    p->split = t->batches;
  }
  p->has_scale = p->has_accumulate = false;
  p->epilogue = NULL;
  p->sides = 0;
  p->out = (weft__matmul_matrix){
      .storage = sums->storage, .dtype = t->accumulator, .offset_bytes = sums->offset_bytes, .row = t->n, .column = 1};
  for (int axis = t->axes; axis > 0; axis--) {
    p->length[axis] = t->length[axis - 1];
    p->a.batch[axis] = t->a.batch[axis - 1];
    p->b.batch[axis] = t->b.batch[axis - 1];
  }
  p->axes++;
  p->length[0] = d.parts;
  p->a.batch[0] = p->k * t->a.column;
  p->b.batch[0] = p->k * t->b.row;
  int64_t stride = t->m * t->n;
  for (int axis = p->axes - 1; axis >= 0; axis--) {
    p->out.batch[axis] = stride;
    stride *= p->length[axis];
  }
}

static void define(weft__text *text, const weft__matmul_task *t, const uint8_t *option) {
  (void)t;
  (void)option;
  weft__text_add(text, "#define WEFT_BLOCK %d\n", WEFT__GPU_BLOCK);
}

/// What a run takes from the scratch memory, because it is large.
typedef struct work {
  weft__matmul_task task; /* of the parts, then of their sums */
  weft__matmul_args args;
} work;

static weft_status finish(const weft__matmul_task *t, int64_t parts, const weft_array *sums, work *w) {
  static const char *const name[] = {"weft_matmul_sums"};
  const weft__matmul_source source = {.file = "matmul/sums.cl", .kernel = name, .kernels = 1, .define = define};
  weft__matmul_task *f = &w->task;
  weft__matmul_args *args = &w->args;
  weft__kernel *kernel;
  *f = *t;
  f->a = f->b = (weft__matmul_matrix){
      .storage = sums->storage, .dtype = t->accumulator, .offset_bytes = sums->offset_bytes, .row = 1};
  WEFT__TRY_RETURN(weft__matmul_kernels_get(&kernel, f, &source));
  weft__matmul_fill(args, f);
  args->own[0] = (uint64_t)parts;
  args->own[1] = (uint64_t)(t->batches * t->m * t->n);
  return weft__matmul_launch(f, kernel, weft__matmul_grid(weft_ceil_div(args->own[1], WEFT__GPU_BLOCK)),
                             weft__dim3(WEFT__GPU_BLOCK, 1, 1), args);
}

weft_status weft__matmul_split_run(bool *done, const void *task) {
  const weft__matmul_task *t = task;
  weft_status rc;
  weft_array *sums = NULL;
  const division d = divide(t);
  work *w = weft__scratch_begin(sizeof *w);
  WEFT__TRY(w ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
  WEFT__TRY(
      weft__array_create(&sums, t->context, t->accumulator, WEFT_SHAPE(d.parts * t->batches, t->m, t->n), t->site));
  describe_parts(&w->task, t, d, sums);
  WEFT__TRY(weft__matmul_run(&w->task));
  WEFT__TRY(finish(t, d.parts, sums, w));
  *done = true;
done:
  weft__scratch_end(w);
  weft_array_release(&sums);
  return rc;
}
