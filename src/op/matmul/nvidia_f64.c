// SPDX-License-Identifier: MIT
/// The row `nvidia_f64`: f64 matrices with any strides, by cl/matmul/nvidia_f64.cl; in rows, by
/// cl/matmul/nvidia_f64_maps.cl.
#include "op/matmul/nvidia.h"

#include <stdlib.h>

/// The option bytes of the kernel.
enum { TILE, A_WIDE, B_WIDE, A_LINES, B_LINES };

/// By measurement on an H200. The first tile is for cl/matmul/nvidia_f64_maps.cl.
static const weft__nvidia_tile tiles[] = {
    {.m = 64, .n = 128, .k = 16, .warp_m = 32, .warp_n = 32, .stages = 8, .threads = 288, .blocks = 1, .rate = 6.2f},
    {.m = 128, .n = 128, .k = 16, .warp_m = 64, .warp_n = 32, .stages = 4, .threads = 256, .blocks = 1, .rate = 5.6f},
    {.m = 64, .n = 128, .k = 16, .warp_m = 32, .warp_n = 64, .stages = 3, .threads = 128, .blocks = 2, .rate = 5.3f},
    {.m = 64, .n = 128, .k = 16, .warp_m = 32, .warp_n = 32, .stages = 4, .threads = 256, .blocks = 1, .rate = 5.3f},
    {.m = 64, .n = 64, .k = 16, .warp_m = 32, .warp_n = 32, .stages = 3, .threads = 128, .blocks = 2, .rate = 4.2f},
};

static void define(weft__text *text, const weft__matmul_task *task, const uint8_t *option) {
  (void)task;
  weft__nvidia_define(text, &tiles[option[TILE]]);
  weft__text_add(text, "#define A_WIDE %d\n#define B_WIDE %d\n#define A_LINES %d\n#define B_LINES %d\n", option[A_WIDE],
                 option[B_WIDE], option[A_LINES], option[B_LINES]);
}

bool weft__matmul_nvidia_f64_fits(const void *task) {
  const weft__matmul_task *t = task;
  return weft__nvidia_capability(t) && t->context->core.device->capability >= 90 && weft__matmul_is_of(t, WEFT_F64) &&
         t->m > 16 && t->n > 16;
}

weft_status weft__matmul_nvidia_f64_run(bool *done, const void *task) {
  const weft__matmul_task *t = task;
  static const char *const names[][1] = {{"weft_matmul_f64"}, {"weft_matmul_f64_maps"}};
  const bool a_wide = weft__nvidia_is_wide(t, &t->a, t->a.row, t->a.column);
  const bool b_wide = weft__nvidia_is_wide(t, &t->b, t->b.row, t->b.column);
  const int first = a_wide && b_wide && weft__nvidia_has_maps(t) && weft__nvidia_capability(t) == 90 ? 0 : 1;
  const weft__nvidia_tile *tile = weft__nvidia_choose(tiles + first, (int)(sizeof tiles / sizeof *tiles) - first, t);
  const bool maps = tile == tiles;
  weft__matmul_source source = {.file = maps ? "matmul/nvidia_f64_maps.cl" : "matmul/nvidia_f64.cl",
                                .kernel = names[maps],
                                .kernels = 1,
                                .define = define,
                                .is_for_90a = maps};
  weft__kernel *kernel;
  bool refused;
  source.option[TILE] = (uint8_t)(tile - tiles);
  source.option[A_WIDE] = a_wide;
  source.option[B_WIDE] = b_wide;
  source.option[A_LINES] = llabs(t->a.row) < llabs(t->a.column);
  source.option[B_LINES] = llabs(t->b.column) < llabs(t->b.row);
  source.elements = weft__matmul_store_elements(t) >= 2 ? 2 : 1;
  WEFT__TRY_RETURN(weft__nvidia_kernels_get(&kernel, &refused, t, &source));
  if (refused) return weft__matmul_nvidia_f64_run(done, t);
  *done = true;
  return maps ? weft__nvidia_launch_maps(t, kernel, tile) : weft__nvidia_launch(t, kernel, tile, 0);
}
