// SPDX-License-Identifier: MIT
/// The row `split`: a product with few elements and a large k becomes a batch of products of parts of k, whose sums
/// cl/matmul/sums.cl adds in order. The number of parts depends on shapes and device only.
#include "op/matmul/matmul.h"

#define LEAST_K 256    /* of a part */
#define PART_STEP 64   /* parts have a multiple of it, so that they stay aligned */
#define GROUP_ROWS 32  /* of a matrix by a vector: rows of a work-group */
#define LARGE_TILE 128 /* rows and columns of a work-group */
#define SMALL_TILE 64

/// Parts of k that give every compute unit work: twice, if the work is short.
static int64_t parts_of(const weft__matmul_task *t) {
  const uint64_t tile = t->m > SMALL_TILE && t->n > SMALL_TILE ? LARGE_TILE : SMALL_TILE;
  const uint64_t rows = t->n == 1 ? GROUP_ROWS : tile;
  const int64_t units = (t->n == 1 ? 1 : 2) * (int64_t)t->context->core.device->info.compute_units;
  const int64_t groups =
      t->batches * (int64_t)(weft_ceil_div((uint64_t)t->m, rows) * weft_ceil_div((uint64_t)t->n, tile));
  int64_t parts = groups < units ? units / groups : 1;
  if (parts > t->k / LEAST_K) parts = t->k / LEAST_K;
  return parts < 2 ? 1 : parts;
}

static bool fits(const weft__matmul_task *t) {
  return !t->context->store.is_cpu && t->split == 0 && t->axes < WEFT__MATMUL_AXES && parts_of(t) > 1;
}

/// The task of the parts: `sums` has their products, as accumulators.
static weft__matmul_task task_of_parts(const weft__matmul_task *t, int64_t parts, const weft_array *sums) {
  weft__matmul_task p = *t;
  p.k = (int64_t)weft_ceil_div((uint64_t)t->k, (uint64_t)parts);
  p.k = (p.k + PART_STEP - 1) / PART_STEP * PART_STEP;
  p.batches = parts * t->batches;
  if (parts * p.k != t->k) { /* the last part has fewer */
    p.k_all = t->k;
    p.split = t->batches;
  }
  p.has_scale = p.has_accumulate = false;
  p.epilogue = NULL;
  p.sides = 0;
  p.out = (weft__matmul_matrix){
      .storage = sums->storage, .dtype = t->accumulator, .offset_bytes = sums->offset_bytes, .row = t->n, .column = 1};
  for (int d = t->axes; d > 0; d--) {
    p.length[d] = t->length[d - 1];
    p.a.batch[d] = t->a.batch[d - 1];
    p.b.batch[d] = t->b.batch[d - 1];
  }
  p.axes++;
  p.length[0] = parts;
  p.a.batch[0] = p.k * t->a.column;
  p.b.batch[0] = p.k * t->b.row;
  int64_t stride = t->m * t->n;
  for (int d = p.axes - 1; d >= 0; d--) {
    p.out.batch[d] = stride;
    stride *= p.length[d];
  }
  return p;
}

static void define(weft__text *text, const weft__matmul_task *t, const uint8_t *option) {
  (void)t;
  (void)option;
  weft__text_add(text, "#define WEFT_BLOCK %d\n", WEFT__GPU_BLOCK);
}

static weft_status finish(const weft__matmul_task *t, int64_t parts, const weft_array *sums) {
  static const char *const name[] = {"weft_matmul_sums"};
  const weft__matmul_source source = {.file = "matmul/sums.cl", .kernel = name, .kernels = 1, .define = define};
  weft__matmul_task f = *t;
  weft__matmul_args args;
  weft__kernel *kernel;
  f.a = f.b = (weft__matmul_matrix){
      .storage = sums->storage, .dtype = t->accumulator, .offset_bytes = sums->offset_bytes, .row = 1};
  WEFT__TRY_RETURN(weft__matmul_kernels_get(&kernel, &f, &source));
  weft__matmul_fill(&args, &f);
  args.own[0] = (uint64_t)parts;
  args.own[1] = (uint64_t)(t->batches * t->m * t->n);
  return weft__matmul_launch(&f, kernel, weft__matmul_grid(weft_ceil_div(args.own[1], WEFT__GPU_BLOCK)),
                             weft__dim3(WEFT__GPU_BLOCK, 1, 1), &args);
}

static weft_status run(bool *done, const weft__matmul_task *t) {
  weft_status rc;
  weft_array *sums = NULL;
  int64_t parts = parts_of(t);
  const int64_t k = (int64_t)weft_ceil_div(weft_ceil_div((uint64_t)t->k, (uint64_t)parts), PART_STEP) * PART_STEP;
  parts = (int64_t)weft_ceil_div((uint64_t)t->k, (uint64_t)k); /* rounding up may have left fewer */
  WEFT__TRY(weft__array_create(&sums, t->context, t->accumulator, WEFT_SHAPE(parts * t->batches, t->m, t->n), t->site));
  const weft__matmul_task p = task_of_parts(t, parts, sums);
  WEFT__TRY(weft__matmul_run(&p));
  WEFT__TRY(finish(t, parts, sums));
  *done = true;
done:
  weft_array_release(&sums);
  return rc;
}

const weft__matmul_row weft__matmul_split = {"split", fits, run};
