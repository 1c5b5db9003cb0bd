// SPDX-License-Identifier: MIT
/// The row `narrow`: products of few elements and a long k, by cl/matmul/narrow.cl.
#include "op/matmul/matmul.h"
#include "op/matmul/tuning.h"

/// The option bytes of cl/matmul/narrow.cl, by the names of its macros.
enum { ROWS, COLUMNS };

#define LOCAL_BYTES (WEFT__MATMUL_NARROW_SIDE * WEFT__MATMUL_NARROW_BLOCK * 8)

static void define(weft__text *text, const weft__matmul_task *t, const uint8_t *option) {
  (void)t;
  weft__text_add(text, "#define N_ROWS %d\n#define N_COLUMNS %d\n#define N_BLOCK %d\n", option[ROWS], option[COLUMNS],
                 WEFT__MATMUL_NARROW_BLOCK);
}

bool weft__matmul_narrow_fits(const void *task) {
  const weft__matmul_task *t = task;
  return t->m <= WEFT__MATMUL_NARROW_SIDE && t->n > 1 && t->n <= WEFT__MATMUL_NARROW_SIDE &&
         t->k >= WEFT__MATMUL_NARROW_K && weft_dtype_size_bytes(t->accumulator) <= 8 &&
         t->context->core.device->info.local_memory_bytes >= LOCAL_BYTES;
}

weft_status weft__matmul_narrow_run(bool *done, const void *task) {
  const weft__matmul_task *t = task;
  static const char *const name[] = {"weft_matmul_narrow"};
  const weft__matmul_source source = {.file = "matmul/narrow.cl",
                                      .kernel = name,
                                      .kernels = 1,
                                      .define = define,
                                      .option = {[ROWS] = (uint8_t)t->m, [COLUMNS] = (uint8_t)t->n}};
  weft__matmul_args args;
  weft__kernel *kernel;
  weft__matmul_fill(&args, t);
  WEFT__TRY_RETURN(weft__matmul_kernels_get(&kernel, t, &source));
  *done = true;
  return weft__matmul_launch(t, kernel, weft__matmul_grid((uint64_t)t->batches),
                             weft__dim3(WEFT__MATMUL_NARROW_BLOCK, 1, 1), &args);
}
