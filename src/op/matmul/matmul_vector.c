// SPDX-License-Identifier: MIT
/// The row `vector`: products of matrices with vectors, by cl/matmul/vector.cl.
#include <stdlib.h>

#include "op/matmul/matmul.h"
#include "op/matmul/tuning.h"

/// The option bytes of cl/matmul/vector.cl, by the names of its macros.
enum { ALONG_K, ITEMS, TEAMS, ROWS, A_CHUNK, B_CHUNK };

static void define(weft__text *text, const weft__matmul_task *t, const uint8_t *option) {
  static const char *const names[] = {"V_ALONG_K", "V_ITEMS", "V_TEAMS", "V_ROWS", "A_CHUNK", "B_CHUNK"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    weft__text_add(text, "#define %s %d\n", names[k], option[k]);
  weft__text_add(text, "#define A_RAW %s\n#define B_RAW %s\n", weft__cl_chunk(option[A_CHUNK], t->a.dtype),
                 weft__cl_chunk(option[B_CHUNK], t->b.dtype));
}

bool weft__matmul_vector_fits(const void *task) {
  const weft__matmul_task *t = task;
  return t->n == 1 && t->context->core.device->info.local_memory_bytes >= WEFT__MATMUL_VECTOR_BYTES;
}

/// The largest power of two up to `most` that is at most n; 1 at least.
static uint8_t power_up_to(int64_t n, int most) {
  int power = 1;
  while (2 * power <= most && 2 * power <= n) power *= 2;
  return (uint8_t)power;
}

/// Rows along k: a team divides a row.
static uint64_t choose_along_k(uint8_t *option, const weft__matmul_task *t) {
  const uint64_t size = weft_dtype_size_bytes(t->accumulator);
  option[ALONG_K] = 1;
  option[A_CHUNK] = t->a.column == 1 ? (uint8_t)weft__matmul_chunk(t, &t->a, t->a.row | t->k | t->k_all) : 1;
  option[B_CHUNK] = t->b.row == 1 ? (uint8_t)weft__matmul_chunk(t, &t->b, t->k | t->k_all) : 1;
  if (option[B_CHUNK] > option[A_CHUNK]) option[B_CHUNK] = option[A_CHUNK];
  /* H200, f32 8192 x 8192, items, teams and rows, GB/s: 64 4 4 3985, 32 8 4 3676 to 3898, 128 2 4 3821, 32 8 8 2624 */
  option[ITEMS] = power_up_to((t->k / option[A_CHUNK] + 3) / 4, 64);
  option[ROWS] = t->m * t->batches >= 4096 && size < 16 ? 4 : t->m * t->batches >= 1024 ? 2 : 1;
  option[TEAMS] = (uint8_t)(option[ITEMS] > 1 ? 256 / option[ITEMS] : 128);
  while (option[TEAMS] > 1 && (option[TEAMS] - 1) * option[ROWS] >= t->m) option[TEAMS] /= 2;
  return (uint64_t)option[TEAMS] * option[ROWS];
}

/// Chunks along m: teams divide k.
static uint64_t choose_along_m(uint8_t *option, const weft__matmul_task *t) {
  option[ALONG_K] = 0;
  option[A_CHUNK] = t->a.row == 1 ? (uint8_t)weft__matmul_chunk(t, &t->a, t->a.column | t->m) : 1;
  option[B_CHUNK] = 1;
  /* items, teams and rows: 8 64 4 4170, 16 64 4 4167, 8 32 16 3928, 8 32 8 3863, 8 128 4 3861, 8 64 8 3576 */
  option[ITEMS] = power_up_to(weft_ceil_div(t->m, option[A_CHUNK]), 8);
  option[TEAMS] = power_up_to(t->k, 64);
  const uint64_t team_bytes = (uint64_t)option[ITEMS] * option[A_CHUNK] * weft_dtype_size_bytes(t->accumulator);
  while (option[TEAMS] * team_bytes > WEFT__MATMUL_VECTOR_BYTES ||
         option[TEAMS] * option[ITEMS] > t->context->core.device->info.max_block_threads)
    option[TEAMS] /= 2;
  option[ROWS] = 4;
  return (uint64_t)option[ITEMS] * option[A_CHUNK];
}

weft_status weft__matmul_vector_run(bool *done, const void *task) {
  const weft__matmul_task *t = task;
  static const char *const name[] = {"weft_matmul_vector"};
  weft__matmul_source source = {.file = "matmul/vector.cl", .kernel = name, .kernels = 1, .define = define};
  weft__matmul_args args;
  weft__kernel *kernel;
  const bool is_along_m = llabs(t->a.row) < llabs(t->a.column) && t->m > 1;
  const uint64_t rows = is_along_m ? choose_along_m(source.option, t) : choose_along_k(source.option, t);
  weft__matmul_fill(&args, t);
  args.own[0] = weft_ceil_div(args.m, rows);
  WEFT__TRY_RETURN(weft__matmul_kernels_get(&kernel, t, &source));
  *done = true;
  return weft__matmul_launch(t, kernel, weft__matmul_grid(args.own[0] * args.batches),
                             weft__dim3((uint64_t)source.option[ITEMS] * source.option[TEAMS], 1, 1), &args);
}
