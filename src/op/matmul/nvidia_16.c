// SPDX-License-Identifier: MIT
/// The row `nvidia_16`: f16 and bf16 matrices in which elements of rows or columns are neighbours, by
/// cl/matmul/nvidia_16_maps.cl or, for batches and unusual strides, cl/matmul/nvidia_16_groups.cl on devices of compute
/// capability 9.0, and by cl/matmul/nvidia_16.cl.
#include "op/matmul/nvidia.h"

#include <stdlib.h>

/// The option bytes of the kernels.
enum { TILE, IS_BF16, A_ALONG, B_ALONG };

#define GROUP_TILES 3 /* the first tiles, of warp groups */

/// By measurement on an H200.
static const weft__nvidia_tile tiles[] = {
    {.m = 128, .n = 256, .k = 64, .stages = 4, .threads = 384, .blocks = 1, .rate = 6.0f},
    {.m = 128, .n = 128, .k = 64, .stages = 6, .threads = 384, .blocks = 1, .rate = 4.0f},
    {.m = 128, .n = 64, .k = 64, .stages = 8, .threads = 384, .blocks = 1, .rate = 2.5f},
    {.m = 128, .n = 256, .k = 32, .warp_m = 64, .warp_n = 64, .stages = 3, .threads = 256, .blocks = 1, .rate = 3.5f},
    {.m = 128, .n = 128, .k = 32, .warp_m = 64, .warp_n = 32, .stages = 4, .threads = 256, .blocks = 1, .rate = 2.7f},
    {.m = 64, .n = 64, .k = 32, .warp_m = 32, .warp_n = 32, .stages = 4, .threads = 128, .blocks = 3, .rate = 2.2f},
};

static bool is_of_groups(const weft__nvidia_tile *tile) {
  return tile < tiles + GROUP_TILES;
}

static void define(weft__text *text, const weft__matmul_task *task, const uint8_t *option) {
  (void)task;
  const weft__nvidia_tile *tile = &tiles[option[TILE]];
  weft__nvidia_define(text, tile);
  weft__text_add(text, "#define TYPE_16 \"%s\"\n#define A_ALONG %d\n#define B_ALONG %d\n",
                 option[IS_BF16] ? "bf16" : "f16", option[A_ALONG], option[B_ALONG]);
}

static bool is_near(int64_t stride) {
  return llabs(stride) < INT64_C(1) << 23;
}

/// Whether 16 bytes can be copied at once, and the 256 lines of a tile lie within 2^31 elements.
static bool is_wide(bool *along, const weft__matmul_task *t, const weft__matmul_matrix *x, int64_t line, int64_t step) {
  *along = weft__nvidia_is_wide(t, x, line, step);
  return is_near(line) && is_near(step) && (*along || weft__nvidia_is_wide(t, x, step, line));
}

bool weft__matmul_nvidia_16_fits(const void *task) {
  const weft__matmul_task *t = task;
  bool along;
  return weft__nvidia_capability(t) >= 80 && (weft__matmul_is_of(t, WEFT_F16) || weft__matmul_is_of(t, WEFT_BF16)) &&
         t->m > 16 && t->n > 16 && is_wide(&along, t, &t->a, t->a.row, t->a.column) &&
         is_wide(&along, t, &t->b, t->b.column, t->b.row);
}

weft_status weft__matmul_nvidia_16_run(bool *done, const void *task) {
  const weft__matmul_task *t = task;
  static const char *const names[][1] = {{"weft_matmul_16"}, {"weft_matmul_16_groups"}, {"weft_matmul_16_maps"}};
  static const char *const files[] = {"matmul/nvidia_16.cl", "matmul/nvidia_16_groups.cl", "matmul/nvidia_16_maps.cl"};
  const int first = weft__nvidia_capability(t) == 90 ? 0 : GROUP_TILES, all = sizeof tiles / sizeof *tiles;
  const weft__nvidia_tile *tile = weft__nvidia_choose(tiles + first, all - first, t);
  const bool groups = is_of_groups(tile), maps = groups && weft__nvidia_has_maps(t);
  const int which = groups + maps;
  weft__matmul_source source = {
      .file = files[which], .kernel = names[which], .kernels = 1, .define = define, .is_for_90a = groups};
  weft__kernel *kernel;
  bool a_along, b_along, refused;
  is_wide(&a_along, t, &t->a, t->a.row, t->a.column);
  is_wide(&b_along, t, &t->b, t->b.column, t->b.row);
  source.option[TILE] = (uint8_t)(tile - tiles);
  source.option[IS_BF16] = t->product == WEFT_BF16;
  source.option[A_ALONG] = a_along;
  source.option[B_ALONG] = b_along;
  source.elements = weft__matmul_store_elements(t);
  if (!maps && source.elements > 2) source.elements = 2;
  WEFT__TRY_RETURN(weft__nvidia_kernels_get(&kernel, &refused, t, &source));
  if (refused) return weft__matmul_nvidia_16_run(done, t);
  *done = true;
  return maps ? weft__nvidia_launch_maps(t, kernel, tile) : weft__nvidia_launch(t, kernel, tile, 0);
}
