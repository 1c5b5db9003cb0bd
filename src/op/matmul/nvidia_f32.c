// SPDX-License-Identifier: MIT
/// The row `nvidia_f32`: f32 matrices with any strides, exactly, by cl/matmul/nvidia_f32.cl.
#include "op/matmul/nvidia.h"

#include <stdlib.h>

/// The option bytes of the kernel.
enum { TILE, A_WIDE, B_WIDE, EVEN };

/// By measurement on an H200.
static const weft__nvidia_tile tiles[] = {
    {.m = 128, .n = 128, .k = 16, .warp_m = 64, .warp_n = 32, .stages = 3, .threads = 256, .blocks = 2, .rate = 4.6f},
    {.m = 64, .n = 128, .k = 16, .warp_m = 32, .warp_n = 64, .stages = 3, .threads = 128, .blocks = 4, .rate = 4.65f},
    {.m = 64, .n = 64, .k = 16, .warp_m = 32, .warp_n = 32, .stages = 3, .threads = 128, .blocks = 4, .rate = 4.2f},
};

static void define(weft__text *text, const weft__matmul_task *task, const uint8_t *option) {
  (void)task;
  const weft__nvidia_tile *tile = &tiles[option[TILE]];
  weft__nvidia_define(text, tile);
  weft__text_add(text, "#define LANES_M %d\n#define A_WIDE %d\n#define B_WIDE %d\n#define EVEN %d\n",
                 tile->warp_m == 64 ? 8 : 4, option[A_WIDE], option[B_WIDE], option[EVEN]);
}

/// Distances of copies in bytes fit 31 bits (cl/matmul/nvidia_f32.cl).
static bool is_near(int64_t stride) {
  return llabs(stride) < INT64_C(1) << 22;
}

static bool fits(const weft__matmul_task *t) {
  return weft__nvidia_capability(t) >= 80 && weft__matmul_is_of(t, WEFT_F32) && t->m > 32 && t->n > 32 &&
         is_near(t->a.row) && is_near(t->a.column) && is_near(t->b.row) && is_near(t->b.column);
}

static weft_status run(bool *done, const weft__matmul_task *t) {
  static const char *const name[] = {"weft_matmul_f32"};
  const weft__nvidia_tile *tile = weft__nvidia_choose(tiles, sizeof tiles / sizeof *tiles, t);
  weft__matmul_source source = {.file = "matmul/nvidia_f32.cl", .kernel = name, .kernels = 1, .define = define};
  weft__kernel *kernel;
  source.option[TILE] = (uint8_t)(tile - tiles);
  source.option[A_WIDE] = weft__nvidia_is_wide(t, &t->a, t->a.column, t->a.row);
  source.option[B_WIDE] = weft__nvidia_is_wide(t, &t->b, t->b.row, t->b.column);
  source.option[EVEN] = t->split == 0 && t->m % tile->m == 0 && t->n % tile->n == 0 && t->k % tile->k == 0;
  source.elements = weft__matmul_store_elements(t) >= 4 ? 4 : 1;
  WEFT__TRY_RETURN(weft__matmul_kernels_get(&kernel, t, &source));
  *done = true;
  return weft__nvidia_launch(t, kernel, tile, 0);
}

const weft__matmul_row weft__matmul_nvidia_f32 = {fits, run};
