// SPDX-License-Identifier: MIT
/// The row `tile`: cl/matmul/tile.cl, which computes every task on every device.
#include "op/matmul/matmul.h"
#include "store/kernel_set.h"

/// The option bytes of cl/matmul/tile.cl. TILE_M and TILE_N are multiples of 16.
enum { TILE_M, TILE_N, TILE_K, TILE_R, TILE_C };

static void define(weft__text *text, const uint8_t *option) {
  weft__text_add(text,
                 "#define TILE_M %d\n#define TILE_N %d\n#define TILE_K %d\n#define TILE_R %d\n#define TILE_C %d\n",
                 option[TILE_M], option[TILE_N], option[TILE_K], option[TILE_R], option[TILE_C]);
  weft__text_add(text, "#define TILE_GROUP 8\n");
}

static bool fits(const weft__matmul_task *task) {
  (void)task;
  return true;
}

/// The least tile that is not mostly empty, and fits local memory.
static void choose_tile(uint8_t *option, const weft__matmul_task *t, uint64_t local_bytes) {
  const uint64_t size = weft_dtype_size_bytes(t->accumulator);
  uint8_t side = t->m > 32 && t->n > 32 && size <= 8 ? 64 : t->m > 16 && t->n > 16 ? 32 : 16;
  option[TILE_K] = 16;
  while (side > 16 && (uint64_t)option[TILE_K] * 2 * (side + 1u) * size > local_bytes) side /= 2;
  while ((uint64_t)option[TILE_K] * 2 * (side + 1u) * size > local_bytes) option[TILE_K] /= 2;
  option[TILE_M] = option[TILE_N] = side;
  option[TILE_R] = option[TILE_C] = (uint8_t)(side / 16);
}

static weft_status run(bool *done, const weft__matmul_task *t) {
  static const char *const name[] = {"weft_matmul_tile"};
  const weft__device *device = t->context->core.device;
  weft__matmul_source source = {.file = "matmul/tile.cl", .kernel = name, .kernels = 1, .define = define};
  uint8_t *option = source.option;
  weft__matmul_args args;
  weft__kernel *kernel;
  choose_tile(option, t, device->info.local_memory_bytes);
  source.elements = weft__matmul_store_elements(t);
  source.elements = source.elements < option[TILE_C] ? 1 : option[TILE_C];
  weft__matmul_fill(&args, t);
  args.own[0] = weft_ceil_div((uint64_t)t->m, option[TILE_M]);
  args.own[1] = weft_ceil_div((uint64_t)t->n, option[TILE_N]);
  args.own[2] = llabs(t->a.row) < llabs(t->a.column);
  args.own[3] = llabs(t->b.column) <= llabs(t->b.row);
  WEFT__TRY_RETURN(weft__matmul_kernels_get(&kernel, t, &source));
  *done = true;
  const uint64_t threads = (uint64_t)(option[TILE_M] / option[TILE_R]) * (option[TILE_N] / option[TILE_C]);
  return weft__matmul_launch(t, kernel, weft__matmul_grid(args.own[0] * args.own[1] * args.batches),
                             weft__dim3(threads, 1, 1), &args);
}

const weft__matmul_row weft__matmul_tile = {"tile", fits, run};
