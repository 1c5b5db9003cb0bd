// SPDX-License-Identifier: MIT
/// The row `tile`: cl/matmul/tile.cl, which computes every task on every device.
#include <stdlib.h>

#include "core/reproducible.h"
#include "op/matmul/matmul.h"

/// The option bytes of cl/matmul/tile.cl, by the names of its macros.
enum { TILE_M, TILE_N, TILE_K, TILE_R, TILE_C, TILE_V, TILE_TEAMS, TILE_BUFFERS, A_MODE, B_MODE };

enum { ELEMENTS, ALONG_K, ACROSS_K };

/// The shape of a tile: options TILE_M to TILE_C, TILE_TEAMS and TILE_BUFFERS.
typedef struct tile_shape {
  uint8_t m, n, k, r, c, teams, buffers;
} tile_shape;

/// Elements of a chunk of an operand.
static int chunk_of(uint8_t mode, weft_dtype dtype) {
  return mode == ELEMENTS ? 1 : 16 / (int)weft_dtype_size_bytes(dtype);
}

static void define(weft__text *text, const weft__matmul_task *t, const uint8_t *option) {
  static const char *const names[] = {"TILE_M", "TILE_N",     "TILE_K",       "TILE_R", "TILE_C",
                                      "TILE_V", "TILE_TEAMS", "TILE_BUFFERS", "A_MODE", "B_MODE"};
  const int a_chunk = chunk_of(option[A_MODE], t->a.dtype), b_chunk = chunk_of(option[B_MODE], t->b.dtype);
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    weft__text_add(text, "#define %s %d\n", names[k], option[k]);
  /* CPUs run the same code, but LLVM takes seconds for more */
  weft__text_add(text, "#define TILE_UNROLL %d\n",
                 t->context->core.device->info.type == WEFT_DEVICE_TYPE_CPU ? 1 : option[TILE_K]);
  weft__text_add(text, "#define TILE_RAW %s\n", weft__cl_chunk(option[TILE_V], t->accumulator));
  weft__text_add(text, "#define A_CHUNK %d\n#define A_RAW %s\n", a_chunk, weft__cl_chunk((size_t)a_chunk, t->a.dtype));
  weft__text_add(text, "#define B_CHUNK %d\n#define B_RAW %s\n", b_chunk, weft__cl_chunk((size_t)b_chunk, t->b.dtype));
}

/* ---- the tile ---- */

/// Bytes of local memory of a shape.
static uint64_t local_of(const tile_shape *s, uint64_t size) {
  return (uint64_t)s->teams * s->buffers * s->k * (s->m + s->n + 2u * (16 / size)) * size;
}

/// Tiles of accumulators of 4, 8 and 16 bytes: for large products, for ones of few tiles, for small ones, several of
/// which share a work-group, and for very small ones.
static const tile_shape shapes[3][4] = {
    {{128, 128, 16, 8, 8, 1, 2}, {64, 64, 16, 8, 4, 1, 2}, {32, 32, 16, 4, 4, 2, 2}, {16, 16, 16, 4, 4, 8, 1}},
    {{128, 64, 8, 8, 8, 1, 2}, {64, 64, 16, 8, 4, 1, 2}, {32, 32, 16, 4, 4, 2, 2}, {16, 16, 16, 2, 2, 2, 1}},
    {{32, 32, 8, 2, 2, 1, 2}, {32, 32, 8, 2, 2, 1, 2}, {32, 32, 8, 2, 2, 1, 2}, {16, 16, 8, 1, 2, 1, 2}},
};

/// c64: with two buffers and 8 x 8 elements of a work-item, fewer work-items have room. H100, us, by a shape above and
/// by this one: 1024^3 207 and 190, 4096^3 13477 and 11801.
static const tile_shape complex_shape = {128, 64, 16, 8, 4, 1, 1};

static uint64_t count_tiles(const weft__matmul_task *t, uint64_t m, uint64_t n) {
  return (uint64_t)t->batches * weft_ceil_div((uint64_t)t->m, m) * weft_ceil_div((uint64_t)t->n, n);
}

/// The number of tiles of 128 x 128, the largest shape.
static uint64_t count_large(const weft__matmul_task *t) {
  return count_tiles(t, 128, 128);
}

static tile_shape choose_shape(const weft__matmul_task *t) {
  const weft_device_info *device = &t->context->core.device->info;
  const uint64_t size = weft_dtype_size_bytes(t->accumulator);
  const int64_t side = t->m > t->n ? t->m : t->n;
  const tile_shape *of_size = shapes[size == 4 ? 0 : size == 8 ? 1 : 2];
  tile_shape s = side <= 16 ? of_size[3] : side <= 32 ? of_size[2] : of_size[1];
  const uint64_t units = weft__grouping_units(&t->context->core);
  if (t->m > 64 && t->n > 64 && count_large(t) >= units) s = of_size[0];
  if (t->accumulator == WEFT_C64 && t->m > 64 && t->n > 64 && 8 * count_tiles(t, 128, 64) >= 7 * units)
    s = complex_shape;
  if (t->context->store.is_cpu) s = of_size[side <= 16 ? 3 : 2];
  while (local_of(&s, size) > device->local_memory_bytes && s.k > 1)
    if (s.teams > 1)
      s.teams /= 2;
    else if (s.m > 16)
      s = of_size[s.m > 32 ? 2 : 3];
    else
      s.k /= 2;
  while (s.teams > 1 && t->batches < s.teams) s.teams /= 2;
  return s;
}

/// How the kernel reads an operand whose lines (rows of a, columns of b) and steps of k have these strides.
static uint8_t mode_of(const weft__matmul_task *t, const weft__matmul_matrix *x, int64_t lines, int64_t line_stride,
                       int64_t step_stride) {
  const int whole = 16 / (int)weft_dtype_size_bytes(x->dtype);
  if (t->context->store.is_cpu) return ELEMENTS;
  if (step_stride == 1 && weft__matmul_chunk(t, x, line_stride | t->k | t->k_all) == whole) return ALONG_K;
  if (line_stride == 1 && weft__matmul_chunk(t, x, step_stride | lines) == whole) return ACROSS_K;
  return ELEMENTS;
}

weft_status weft__matmul_tile_run(bool *done, const void *task) {
  const weft__matmul_task *t = task;
  static const char *const name[] = {"weft_matmul_tile"};
  const tile_shape s = choose_shape(t);
  const uint8_t vector = (uint8_t)(16 / weft_dtype_size_bytes(t->accumulator));
  weft__matmul_source source = {.file = "matmul/tile.cl",
                                .kernel = name,
                                .kernels = 1,
                                .define = define,
                                .option = {[TILE_M] = s.m,
                                           [TILE_N] = s.n,
                                           [TILE_K] = s.k,
                                           [TILE_R] = s.r,
                                           [TILE_C] = s.c,
                                           [TILE_V] = s.r % vector || s.c % vector ? 1 : vector,
                                           [TILE_TEAMS] = s.teams,
                                           [TILE_BUFFERS] = s.buffers,
                                           [A_MODE] = mode_of(t, &t->a, t->m, t->a.row, t->a.column),
                                           [B_MODE] = mode_of(t, &t->b, t->n, t->b.column, t->b.row)}};
  weft__matmul_args args;
  weft__kernel *kernel;
  source.elements = weft__matmul_store_elements(t) < source.option[TILE_V] ? 1 : source.option[TILE_V];
  weft__matmul_fill(&args, t);
  args.own[0] = weft_ceil_div((uint64_t)t->m, s.m);
  args.own[1] = weft_ceil_div((uint64_t)t->n, s.n);
  args.own[2] = llabs(t->a.row) < llabs(t->a.column);
  args.own[3] = llabs(t->b.column) <= llabs(t->b.row);
  WEFT__TRY_RETURN(weft__matmul_kernels_get(&kernel, t, &source));
  *done = true;
  const uint64_t groups = args.own[0] * args.own[1] * weft_ceil_div(args.batches, s.teams);
  const uint64_t threads = (uint64_t)(s.m / s.r) * (s.n / s.c) * s.teams;
  return weft__matmul_launch(t, kernel, weft__matmul_grid(groups), weft__dim3(threads, 1, 1), &args);
}
