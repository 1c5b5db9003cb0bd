// SPDX-License-Identifier: MIT
/// The row `complex`: large products of c128 matrices as products of f64, by the row `nvidia_f64`. In memory a
/// row-major complex matrix [m, k] is a real one [m, 2 k], of real and imaginary parts in turn. With a matrix that has
/// each row of b, and behind it the row multiplied by i, as [2 k, 2 n], the real product is out as [m, 2 n].
#include "array/array.h"
#include "op/matmul/nvidia.h"
#include "op/matmul/tuning.h"

static void define(weft__text *text, const weft__matmul_task *t, const uint8_t *option) {
  (void)t;
  (void)option;
  weft__text_add(text, "#define WEFT_BLOCK %d\n", WEFT__GPU_BLOCK);
}

/// The task of the real matrices; `rows`: b's rows and i b's in turn, NULL: not made yet.
static weft__matmul_task real_task(const weft__matmul_task *t, const weft_array *rows) {
  weft__matmul_task r = *t;
  r.product = r.accumulator = r.a.dtype = r.out.dtype = WEFT_F64;
  r.precision = WEFT_PRECISION_EXACT;
  r.n = 2 * t->n;
  r.k = 2 * t->k;
  r.a.row = 2 * t->a.row;
  r.out.row = 2 * t->out.row;
  r.b = (weft__matmul_matrix){.dtype = WEFT_F64, .row = 2 * t->n, .column = 1};
  if (rows) r.b.storage = rows->storage, r.b.offset_bytes = rows->offset_bytes;
  return r;
}

bool weft__matmul_complex_fits(const void *task) {
  const weft__matmul_task *t = task;
  if (!weft__matmul_is_of(t, WEFT_C128) || t->out.dtype != WEFT_C128 || t->epilogue || t->has_scale ||
      t->has_accumulate || t->axes > 0 || t->split || t->a.column != 1 || t->out.column != 1 ||
      (double)t->m * (double)t->n * (double)t->k < WEFT__MATMUL_COMPLEX_WORK)
    return false;
  const weft__matmul_task r = real_task(t, NULL);
  return weft__matmul_nvidia_f64_fits(&r);
}

/// Makes *rows [2 k, n].
static weft_status turn(weft_array **rows, const weft__matmul_task *t) {
  static const char *const name[] = {"weft_matmul_turned"};
  const weft__matmul_source source = {.file = "matmul/turned.cl", .kernel = name, .kernels = 1, .define = define};
  weft__matmul_task f = *t;
  weft__matmul_args args;
  weft__kernel *kernel;
  WEFT__TRY_RETURN(weft__array_create(rows, t->context, t->product, WEFT_SHAPE(2 * t->k, t->n), t->site));
  f.a = f.b;
  f.out = (weft__matmul_matrix){.storage = (*rows)->storage,
                                .dtype = t->product,
                                .offset_bytes = (*rows)->offset_bytes,
                                .row = t->n,
                                .column = 1};
  f.m = 2 * t->k;
  WEFT__TRY_RETURN(weft__matmul_kernels_get(&kernel, &f, &source));
  weft__matmul_fill(&args, &f);
  return weft__matmul_launch(&f, kernel, weft__matmul_grid(weft_ceil_div((uint64_t)(t->k * t->n), WEFT__GPU_BLOCK)),
                             weft__dim3(WEFT__GPU_BLOCK, 1, 1), &args);
}

weft_status weft__matmul_complex_run(bool *done, const void *task) {
  const weft__matmul_task *t = task;
  weft_array *rows = NULL;
  weft_status rc = turn(&rows, t);
  if (weft__without_memory(&rc)) return WEFT_OK; /* the next row needs none */
  WEFT__TRY(rc);
  const weft__matmul_task r = real_task(t, rows);
  WEFT__TRY(weft__matmul_run(&r));
  *done = true;
done:
  weft_array_release(&rows);
  return rc;
}
