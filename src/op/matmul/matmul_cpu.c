// SPDX-License-Identifier: MIT
/// The rows `cpu` and `cpu_vector`: cl/matmul/cpu.cl and cpu_vector.cl, for CPU devices without a CBLAS, and for dtypes
/// that CBLAS does not have.
#include <stdlib.h>

#include "op/matmul/matmul.h"
#include "op/matmul/tuning.h"

/// The option bytes of cl/matmul/cpu.cl: the largest tile and the block of k, in units that make them fit bytes. A unit
/// of rows or columns is a multiple of every device's registers and panels (cl/matmul/cpu.clh).
enum { ROWS, COLUMNS, STEPS };
enum { ROW_UNIT = 24, COLUMN_UNIT = 32, STEP_UNIT = 32 };

static void add_vectors(weft__text *text, const weft__matmul_task *t) {
  const weft_dtype real = weft__real_dtype(t->accumulator);
  weft__text_add(text, "#define CPU_REAL %s\n#define CPU_REAL_BYTES %d\n", weft__cl_stored(real),
                 (int)weft_dtype_size_bytes(real));
}

static void define(weft__text *text, const weft__matmul_task *t, const uint8_t *option) {
  add_vectors(text, t);
  weft__text_add(text, "#define CPU_M %d\n#define CPU_N %d\n#define CPU_K %d\n", option[ROWS] * ROW_UNIT,
                 option[COLUMNS] * COLUMN_UNIT, option[STEPS] * STEP_UNIT);
}

/// Local memory of a tile, in bytes.
static uint64_t tile_bytes(const uint8_t *option, uint64_t size) {
  const uint64_t rows = option[ROWS] * ROW_UNIT, columns = option[COLUMNS] * COLUMN_UNIT;
  const uint64_t steps = option[STEPS] * STEP_UNIT;
  return rows * (steps + 16) * size + steps * 128 + rows * columns * size;
}

/// The largest tile that fits local memory. It depends on the device and the dtype alone, so that the kernels are few.
static void choose_most(uint8_t *option, const weft__matmul_task *t) {
  const uint64_t room_bytes = t->context->core.device->info.local_memory_bytes;
  const uint64_t size = weft_dtype_size_bytes(t->accumulator);
  option[ROWS] = 8;
  option[COLUMNS] = 12;
  option[STEPS] = 8;
  while (option[ROWS] > 1 && tile_bytes(option, size) > room_bytes)
    if (option[COLUMNS] > 1 && option[COLUMNS] * COLUMN_UNIT > option[ROWS] * ROW_UNIT)
      option[COLUMNS] /= 2;
    else if (option[ROWS] > 2 || option[STEPS] == 1)
      option[ROWS] /= 2;
    else
      option[STEPS] /= 2;
}

static uint64_t round_up(uint64_t x, uint64_t unit) {
  return weft_ceil_div(x, unit) * unit;
}

static uint64_t least(uint64_t x, uint64_t y) {
  return x < y ? x : y;
}

/// Tiles of at most the largest size, so small that all cores have some.
static void choose_tiles(weft__matmul_args *args, const uint8_t *option, const weft__matmul_task *t) {
  const uint64_t cores = t->context->core.device->info.compute_units, m = args->m, n = args->n;
  uint64_t rows = least((uint64_t)option[ROWS] * ROW_UNIT, round_up(m, ROW_UNIT));
  uint64_t columns = least((uint64_t)option[COLUMNS] * COLUMN_UNIT, round_up(n, COLUMN_UNIT)), tiles;
  while ((tiles = weft_ceil_div(m, rows) * weft_ceil_div(n, columns) * args->batches) <
             WEFT__MATMUL_CPU_TILES * cores &&
         rows * columns > WEFT__MATMUL_CPU_LEAST_TILE) {
    if (rows > columns)
      rows = round_up(rows / 2, ROW_UNIT);
    else
      columns = round_up(columns / 2, COLUMN_UNIT);
  }
  const uint64_t products = rows * columns * (args->k ? args->k : 1);
  args->own[0] = rows;
  args->own[1] = columns;
  args->own[2] = products < WEFT__MATMUL_CPU_GROUP_WORK ? WEFT__MATMUL_CPU_GROUP_WORK / products : 1;
  args->own[2] = least(args->own[2], weft_ceil_div(tiles, WEFT__MATMUL_CPU_TILES * cores));
  args->own[3] = tiles;
}

weft_status weft__matmul_cpu_run(bool *done, const void *task) {
  const weft__matmul_task *t = task;
  static const char *const name[] = {"weft_matmul_cpu"};
  weft__matmul_source source = {.file = "matmul/cpu.cl", .kernel = name, .kernels = 1, .define = define};
  const int most = 16 / (int)weft_dtype_size_bytes(t->out.dtype);
  weft__matmul_args args;
  weft__kernel *kernel;
  source.elements = weft__matmul_store_elements(t) == most ? most : 1; /* kernels take long to build: two, not five */
  choose_most(source.option, t);
  weft__matmul_fill(&args, t);
  choose_tiles(&args, source.option, t);
  WEFT__TRY_RETURN(weft__matmul_kernels_get(&kernel, t, &source));
  *done = true;
  return weft__matmul_launch(t, kernel, weft__matmul_grid(weft_ceil_div(args.own[3], args.own[2])), weft__dim3(1, 1, 1),
                             &args);
}

/* ---- a matrix and a vector ---- */

/// The option bytes of cl/matmul/cpu_vector.cl.
enum { ALONG_K, IS_PLAIN };

static void define_vector(weft__text *text, const weft__matmul_task *t, const uint8_t *option) {
  add_vectors(text, t);
  weft__text_add(text, "#define V_ALONG_K %d\n#define V_IS_PLAIN %d\n#define V_ROWS %d\n#define V_K %d\n",
                 option[ALONG_K], option[IS_PLAIN], WEFT__MATMUL_CPU_VECTOR_ROWS, WEFT__MATMUL_CPU_VECTOR_K);
}

bool weft__matmul_cpu_vector_fits(const void *task) {
  const weft__matmul_task *t = task;
  return t->n == 1 && t->context->core.device->info.local_memory_bytes >= 128 << 10;
}

weft_status weft__matmul_cpu_vector_run(bool *done, const void *task) {
  const weft__matmul_task *t = task;
  static const char *const name[] = {"weft_matmul_cpu_vector"};
  weft__matmul_source source = {.file = "matmul/cpu_vector.cl", .kernel = name, .kernels = 1, .define = define_vector};
  const bool is_along_m = t->m > 1 && llabs(t->a.row) < llabs(t->a.column);
  const uint64_t cores = t->context->core.device->info.compute_units;
  weft__matmul_args args;
  weft__kernel *kernel;
  source.option[ALONG_K] = !is_along_m;
  source.option[IS_PLAIN] = t->a.dtype == t->accumulator && (is_along_m ? t->a.row : t->a.column) == 1;
  weft__matmul_fill(&args, t);
  args.own[0] = round_up(weft_ceil_div(args.m * args.batches, WEFT__MATMUL_CPU_VECTOR_GROUPS * cores),
                         WEFT__MATMUL_CPU_VECTOR_LEAST_ROWS);
  args.own[0] = least(args.own[0], WEFT__MATMUL_CPU_VECTOR_ROWS);
  WEFT__TRY_RETURN(weft__matmul_kernels_get(&kernel, t, &source));
  *done = true;
  return weft__matmul_launch(t, kernel, weft__matmul_grid(weft_ceil_div(args.m, args.own[0]) * args.batches),
                             weft__dim3(1, 1, 1), &args);
}
