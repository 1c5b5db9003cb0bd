// SPDX-License-Identifier: MIT
/// Draws: how many words of the stream a distribution uses, and the launch.
#include <string.h>

#include "dtype/opencl.h"
#include "op/random/random.h"
#include "op/random/tuning.h"

/* A thread of a GPU makes WEFT__DRAW_CHUNKS chunks, a block's width apart, of 16 bytes or more (at least one counter).
   A work-item of a CPU makes the elements of WEFT__DRAW_CPU_COUNTERS counters in order. */

/// What distinguishes the kernels; only bytes, so that there is no padding.
typedef struct draw_key {
  unsigned char wide, kind, dtype, is_long, is_shifted, is_coarse;
  unsigned char chunks; /* GPUs: of a thread */
} draw_key;

static int words_of(const draw_key *key) {
  return key->wide ? 8 : 4;
}

/// Elements per counter.
static int each_of(const draw_key *key) {
  return words_of(key) / (key->is_long ? 2 : 1);
}

/// Counters per chunk of at least 16 bytes.
static int counters_of(const draw_key *key) {
  int bytes = each_of(key) * (int)weft_dtype_size_bytes((weft_dtype)key->dtype);
  return bytes < 16 ? 16 / bytes : 1;
}

static void write_common(weft__text *text, const draw_key *key) {
  const weft_dtype dtype = (weft_dtype)key->dtype;
  weft__cl_define(text, dtype);
  weft__text_add(text, "#define WEFT_WIDE %d\n#define WEFT_BYTES %d\n#define WEFT_LONG %d\n", key->wide,
                 (int)weft_dtype_size_bytes(dtype), key->is_long);
  if (key->kind != WEFT__DRAW_TABLED) weft__text_add(text, "#define WEFT_NO_TABLE 1\n");
}

static void write_draw(weft__text *text, const void *data) {
  const draw_key *key = data;
  write_common(text, key);
  weft__text_add(text, "#define WEFT_DRAW %d\n", key->kind);
  if (key->is_coarse)
    weft__text_add(text, "#define WEFT_ITEM %d\n", WEFT__DRAW_CPU_COUNTERS);
  else
    weft__text_add(text,
                   "#define WEFT_BLOCK %d\n#define WEFT_U %d\n#define WEFT_COUNTERS %d\n#define WEFT_SHIFTED %d\n",
                   WEFT__GPU_BLOCK, key->chunks, counters_of(key), key->is_shifted);
}

/// Whether an element is made of two random numbers, of eight words each.
static bool is_double(int kind) {
  return kind == WEFT__DRAW_BETA || kind == WEFT__DRAW_F || kind == WEFT__DRAW_STUDENT ||
         kind == WEFT__DRAW_NEGATIVE_BINOMIAL;
}

static bool is_pair(int kind) {
  return kind == WEFT__DRAW_NORMAL || kind == WEFT__DRAW_LOGNORMAL;
}

static void write_rejection(weft__text *text, const void *data) {
  const draw_key *key = data;
  write_common(text, key);
  weft__text_add(text, "#define WEFT_DRAW %d\n#define WEFT_SPAN %d\n#define WEFT_ITEM %d\n", key->kind,
                 is_double(key->kind) ? 16 : 8, key->is_coarse ? WEFT__DRAW_CPU_REJECTED : 1);
}

static weft_status run(weft_array *x, const draw_key *key, const weft__draw_args *draw, uint64_t blocks,
                       const weft__distribution *d, const char *site) {
  const uint64_t block = key->is_coarse ? 1 : WEFT__GPU_BLOCK;
  static const char *const fixed[] = {"weft_draw"}, *const rejecting[] = {"weft_draw_by_rejection"};
  const bool rejects = d->kind > WEFT__DRAW_LAST_FIXED;
  const weft__kernel_source source = {.name = d->name,
                                      .key = {.file = rejects          ? "random/reject.cl"
                                                      : key->is_coarse ? "random/draw_cpu.cl"
                                                                       : "random/draw_gpu.cl",
                                              .kernel = rejects ? rejecting : fixed,
                                              .kernels = 1,
                                              WEFT__KEY_BYTES(draw_key, key)},
                                      .write = rejects ? write_rejection : write_draw};
  const weft__use use = {x->storage, true};
  weft__kernel *kernel;
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &x->context->store, &source));
  const size_t size = d->kind == WEFT__DRAW_TABLED ? sizeof *draw : offsetof(weft__draw_args, table);
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(blocks), WEFT_DIM3(block), draw, size, 1, &use,
                                              .what = d->name, .site = site});
}

/// Launches a distribution whose elements all take the same number of words.
static weft_status run_fixed(weft_array *x, draw_key *key, weft__draw_args *draw, const weft__distribution *d,
                             const char *site) {
  const uint64_t takes = d->is_long ? 2 : 1, words = (uint64_t)words_of(key), n = draw->n;
  if (key->is_coarse) {
    draw->first = draw->base / words;
    uint64_t counters = (draw->base + (n - 1) * takes) / words - draw->first + 1;
    return run(x, key, draw, weft_ceil_div(counters, WEFT__DRAW_CPU_COUNTERS), d, site);
  }
  const uint64_t bytes = weft_dtype_size_bytes(d->dtype), chunk = (uint64_t)counters_of(key) * (uint64_t)each_of(key);
  const uint64_t least = (uint64_t)x->context->core.device->info.compute_units * WEFT__DRAW_MANY_BLOCKS;
  const bool is_many = d->kind == WEFT__DRAW_NORMAL && d->dtype == WEFT_F32 &&
                       n / (WEFT__GPU_BLOCK * WEFT__DRAW_MANY_CHUNKS * chunk) >= least;
  key->chunks = is_many ? WEFT__DRAW_MANY_CHUNKS : WEFT__DRAW_CHUNKS;
  const uint64_t in_block = WEFT__GPU_BLOCK * key->chunks * chunk;
  draw->head = (16 - draw->offset % 16) % 16 / bytes;
  if (draw->has_kept && draw->head == 0) draw->head = 16 / bytes;
  if (n > draw->head) draw->blocks = (n - draw->head) / in_block;
  if (draw->blocks == 0) draw->head = 0;
  const uint64_t begin = draw->base + draw->head * takes;
  draw->first = begin / words;
  draw->shift = (uint32_t)(begin % words / takes);
  key->is_shifted = draw->blocks > 0 && draw->shift != 0;
  const uint64_t left = n - draw->blocks * in_block;
  return run(x, key, draw, draw->blocks + weft_ceil_div(left, WEFT__GPU_BLOCK), d, site);
}

/// Launches a distribution by rejection.
static weft_status run_rejection(weft_array *x, const draw_key *key, weft__draw_args *draw, const weft__distribution *d,
                                 const char *site) {
  if (key->is_coarse) return run(x, key, draw, weft_ceil_div(draw->n, WEFT__DRAW_CPU_REJECTED), d, site);
  const uint64_t room = (uint64_t)x->context->core.device->info.compute_units * WEFT__DRAW_BLOCKS * WEFT__GPU_BLOCK;
  const uint64_t most = draw->n / room < WEFT__DRAW_REJECTED ? draw->n / room : WEFT__DRAW_REJECTED;
  draw->item = most ? (uint32_t)most : 1;
  return run(x, key, draw, weft_ceil_div(draw->n, (uint64_t)WEFT__GPU_BLOCK * draw->item), d, site);
}

weft_status weft__draw_into(weft_array *x, weft_rng_state *state, const weft__distribution *d, const char *site) {
  weft__rng_words words;
  const bool is_fixed = d->kind <= WEFT__DRAW_LAST_FIXED;
  const weft__takes takes = is_double(d->kind) ? WEFT__TAKES_SIXTEEN
                            : !is_fixed        ? WEFT__TAKES_EIGHT
                            : is_pair(d->kind) ? (d->is_long ? WEFT__TAKES_LONG_PAIR : WEFT__TAKES_PAIR)
                            : d->is_long       ? WEFT__TAKES_LONG
                                               : WEFT__TAKES_WORD;
  weft__draw_args draw = {.n = (uint64_t)x->size,
                          .offset = (uint64_t)x->offset_bytes,
                          .low = d->low,
                          .size = d->size,
                          .threshold = d->threshold};
  weft__rng_stream(&draw.stream, state);
  WEFT__TRY_RETURN(weft__rng_take(&words, state, takes, draw.n));
  if (draw.n == 0) return WEFT_OK;
  draw.base = words.base;
  draw.has_kept = words.has_kept;
  draw.kept = words.kept;
  for (int k = 0; k < d->parameters; k++) {
    const float single = (float)d->parameter[k];
    memcpy(&draw.real[k], &d->parameter[k], sizeof draw.real[k]);
    memcpy(&draw.single[k], &single, sizeof draw.single[k]);
  }
  if (d->table) memcpy(draw.table, d->table, sizeof draw.table);
  draw_key key = {.wide = state->generator == WEFT_PHILOX4X64,
                  .kind = (unsigned char)d->kind,
                  .dtype = (unsigned char)d->dtype,
                  .is_long = d->is_long,
                  .is_coarse = weft__is_coarse(weft__grain_of(&x->context->store, WEFT__DRAW_CPU_REJECTED))};
  if (is_fixed) return run_fixed(x, &key, &draw, d, site);
  return run_rejection(x, &key, &draw, d, site);
}
