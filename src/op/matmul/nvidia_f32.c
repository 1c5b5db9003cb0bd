// SPDX-License-Identifier: MIT
/// The row `nvidia_f32`: f32 and c64 matrices with any strides, exactly, by cl/matmul/nvidia_f32.cl.
#include "op/matmul/nvidia.h"
#include "op/matmul/tuning.h"

#include <stdlib.h>

#include "map/cast.h"

/// The option bytes of the kernel.
enum { TILE, A_WIDE, B_WIDE, EVEN };

/// Of f32, by measurement on an H200.
static const weft__nvidia_tile tiles_f32[] = {
    {.m = 128, .n = 128, .k = 16, .warp_m = 64, .warp_n = 32, .stages = 3, .threads = 256, .blocks = 2, .rate = 4.6f},
    {.m = 64, .n = 128, .k = 16, .warp_m = 32, .warp_n = 64, .stages = 3, .threads = 128, .blocks = 4, .rate = 4.65f},
    {.m = 64, .n = 64, .k = 16, .warp_m = 32, .warp_n = 32, .stages = 3, .threads = 128, .blocks = 4, .rate = 4.2f},
};
/// Of c64, by measurement on an H200. With the first one's 4 stages three work-groups fit, and NVIDIA's compiler takes
/// 162 registers; with 3 stages four fit, and with 128 registers 8192^3 takes 5 % longer. In many rounds it is fastest.
/// Of few rounds the last one leaves less of the device idle with smaller tiles, or with more warps for a tile.
static const weft__nvidia_tile tiles_c64[] = {
    {.m = 64, .n = 64, .k = 16, .warp_m = 32, .warp_n = 32, .stages = 4, .threads = 128, .blocks = 3, .rate = 5.4f},
    {.m = 64, .n = 64, .k = 16, .warp_m = 16, .warp_n = 32, .stages = 4, .threads = 256, .blocks = 2, .rate = 5.25f},
    {.m = 32, .n = 64, .k = 16, .warp_m = 16, .warp_n = 32, .stages = 4, .threads = 128, .blocks = 4, .rate = 5.2f},
};

static bool is_complex(const weft__matmul_task *t) {
  return t->product == WEFT_C64;
}

static void define(weft__text *text, const weft__matmul_task *task, const uint8_t *option) {
  const weft__nvidia_tile *tile = &(is_complex(task) ? tiles_c64 : tiles_f32)[option[TILE]];
  weft__nvidia_define(text, tile);
  weft__text_add(text, "#define LANES_M %d\n#define A_WIDE %d\n#define B_WIDE %d\n#define EVEN %d\n",
                 tile->warp_m == 64 ? 8 : 4, option[A_WIDE], option[B_WIDE], option[EVEN]);
}

/// Distances of copies in bytes fit 31 bits (cl/matmul/nvidia_f32.cl).
static bool is_near(const weft__matmul_matrix *x) {
  const int64_t end = (INT64_C(1) << 24) / (int64_t)weft_dtype_size_bytes(x->dtype);
  return llabs(x->row) < end && llabs(x->column) < end;
}

bool weft__matmul_nvidia_f32_fits(const void *task) {
  const weft__matmul_task *t = task;
  return weft__nvidia_capability(t) >= 80 && (weft__matmul_is_of(t, WEFT_F32) || weft__matmul_is_of(t, WEFT_C64)) &&
         t->m > 32 && t->n > 32 && is_near(&t->a) && is_near(&t->b);
}

static bool turns(const weft__matmul_task *t) {
  return !is_complex(t) && t->axes == 0 && t->b.row == 1 && t->a.column == 1 && t->m >= WEFT__MATMUL_TURNED_SIDE &&
         t->n >= WEFT__MATMUL_TURNED_SIDE && t->k >= WEFT__MATMUL_TURNED_SIDE;
}

/// Makes *rows: b, row-major.
static weft_status turn(weft_array **rows, const weft__matmul_task *t) {
  const int64_t size = (int64_t)weft_dtype_size_bytes(t->b.dtype);
  const weft_array b = {.context = t->context,
                        .storage = t->b.storage,
                        .dtype = t->b.dtype,
                        .ndim = 2,
                        .shape = {t->k, t->n},
                        .stride_bytes = {t->b.row * size, t->b.column * size},
                        .offset_bytes = t->b.offset_bytes,
                        .size = t->k * t->n};
  return weft__cast(rows, &b, t->b.dtype, t->site);
}

static weft_status multiply(bool *done, const weft__matmul_task *t) {
  static const char *const name[] = {"weft_matmul_f32"};
  const weft__nvidia_tile *tiles = is_complex(t) ? tiles_c64 : tiles_f32;
  const int count = is_complex(t) ? sizeof tiles_c64 / sizeof *tiles_c64 : sizeof tiles_f32 / sizeof *tiles_f32;
  const int piece = is_complex(t) ? 2 : 4; /* elements of 16 bytes */
  const weft__nvidia_tile *tile = weft__nvidia_choose(tiles, count, t);
  weft__matmul_source source = {.file = "matmul/nvidia_f32.cl", .kernel = name, .kernels = 1, .define = define};
  weft__kernel *kernel;
  source.option[TILE] = (uint8_t)(tile - tiles);
  source.option[A_WIDE] = weft__nvidia_is_wide(t, &t->a, t->a.column, t->a.row);
  source.option[B_WIDE] = weft__nvidia_is_wide(t, &t->b, t->b.row, t->b.column);
  source.option[EVEN] = t->split == 0 && t->m % tile->m == 0 && t->n % tile->n == 0 && t->k % tile->k == 0;
  source.elements = weft__matmul_store_elements(t) >= piece ? piece : 1;
  WEFT__TRY_RETURN(weft__matmul_kernels_get(&kernel, t, &source));
  *done = true;
  return weft__nvidia_launch(t, kernel, tile, 0);
}

weft_status weft__matmul_nvidia_f32_run(bool *done, const void *task) {
  const weft__matmul_task *t = task;
  weft_array *rows = NULL;
  weft__matmul_task turned = *t;
  if (!turns(t)) return multiply(done, t);
  weft_status rc = turn(&rows, t);
  if (weft__without_memory(&rc)) return multiply(done, t);
  WEFT__TRY(rc);
  turned.b = (weft__matmul_matrix){
      .storage = rows->storage, .dtype = rows->dtype, .offset_bytes = rows->offset_bytes, .row = t->n, .column = 1};
  rc = multiply(done, &turned);
done:
  weft_array_release(&rows);
  return rc;
}
