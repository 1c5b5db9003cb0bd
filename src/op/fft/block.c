// SPDX-License-Identifier: MIT
/// Weft's own transforms of powers of two on GPUs: a length that fits a work-group's local memory in one pass over
/// global memory, and the product of two such lengths in two.
#include "cl/fft/args.h"
#include "dtype/scalar.h"
#include "engine/engine.h"
#include "op/fft/fft.h"

enum {
  EACH = 16,         /* values of a work-item */
  REGISTERS = 64,    /* so that 1024 work-items fit on a multiprocessor */
  LEAST = 5,         /* log2 of the shortest length that is a step */
  LONGEST_ROW = 13,  /* log2 of the longest row that is one step */
  LONGEST_STEP = 10, /* likewise of those that work-groups do side by side */
  SIDE_BY_SIDE = 8,  /* transforms of a work-group: neighbours in memory, 64 bytes */
};

typedef struct block_key {
  uint8_t log2; /* of the length */
  uint8_t columns, from_across, to_across, factors, inverse;
} block_key;

static void write_key(weft__text *text, const void *data) {
  const block_key *key = data;
  const int passes = (key->log2 + 3) / 4; /* of radix 16 at most, the larger ones last */
  int done = 0;
  weft__text_add(text,
                 "#define LENGTH %d\n#define EACH %d\n#define COLUMNS %d\n#define FROM_ACROSS %d\n"
                 "#define TO_ACROSS %d\n#define FACTORS %d\n#define INVERSE %d\n#define WIDE 0\n#define PASSES",
                 1 << key->log2, EACH, key->columns, key->from_across, key->to_across, key->factors, key->inverse);
  for (int k = 0; k < passes - 1; k++) {
    const int log2 = (key->log2 - done) / (passes - k);
    weft__text_add(text, " PASS(%d, %d, %d)", 1 << log2, 1 << done,
                   k == passes - 2 ? key->to_across : key->from_across);
    done += log2;
  }
  weft__text_add(text, "\n#define LAST %d\n", 1 << (key->log2 - done));
}

static weft_status run(const weft__fft_step *step, block_key key, weft__fft_block_args a, const weft_array *from,
                       const weft_array *to) {
  static const char *const name[] = {"weft_fft_block"};
  const uint64_t length = UINT64_C(1) << key.log2, size = (uint64_t)to->size;
  const weft__kernel_source source = {
      .name = "fft",
      .key = {.file = "fft/block.cl", .kernel = name, .kernels = 1, WEFT__KEY_BYTES(block_key, &key)},
      .write = write_key,
      .registers = REGISTERS};
  const weft__use uses[] = {{from->storage, false}, {to->storage, true}};
  weft__kernel *kernel;
  a.from_offset = (uint64_t)from->offset_bytes;
  a.to_offset = (uint64_t)to->offset_bytes;
  a.groups = weft_ceil_div(a.columns, key.columns);
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &to->context->store, &source));
  return weft__run_kernel(&(weft__kernel_run){.kernel = kernel,
                                              .grid = weft__dim3(size / (a.columns * length) * a.groups, 1, 1),
                                              .block = weft__dim3(length / EACH * key.columns, 1, 1),
                                              .arguments = &a,
                                              .argument_bytes = sizeof a,
                                              .uses = 2,
                                              .use = uses,
                                              .bytes = 16 * size,
                                              .what = step->what,
                                              .site = step->site});
}

/// One step: rows, or columns side by side.
static weft_status whole(const weft__fft_step *step, int log2) {
  const uint64_t length = step->length, inner = step->inner;
  const bool is_row = inner == 1;
  const int columns = !is_row ? SIDE_BY_SIDE : log2 < 11 ? 1 << (11 - log2) : 1;
  const block_key key = {
      .log2 = (uint8_t)log2, (uint8_t)columns, !is_row, !is_row, .factors = false, .inverse = step->inverse};
  const weft__fft_block_args a = {.columns = is_row ? step->batch : inner,
                                  .from_split = is_row ? 1 : inner,
                                  .from_far = is_row ? length : 0,
                                  .from_step = inner,
                                  .to_column = is_row ? length : 1,
                                  .to_step = inner,
                                  .scale = weft__float_bits(WEFT_F32, step->scale)};
  return run(step, key, a, step->from, step->to);
}

/// Two steps: columns of the first factor of the length, times the roots of unity between the two, then rows of the
/// second factor, whose results are stored as columns.
static weft_status in_two(const weft__fft_step *step, int log2) {
  const int first = log2 / 2, second = log2 - first;
  const uint64_t rows = UINT64_C(1) << first, per_row = (step->length >> first) * step->inner;
  const bool is_far = step->inner < SIDE_BY_SIDE; /* neighbours of the second step's loads are in its rows */
  block_key key = {(uint8_t)first, SIDE_BY_SIDE, true, true, .factors = true, .inverse = step->inverse};
  weft__fft_block_args a = {.columns = per_row,
                            .from_split = step->inner,
                            .from_far = step->inner,
                            .from_step = per_row,
                            .to_column = 1,
                            .to_step = per_row,
                            .whole = step->length,
                            .scale = weft__float_bits(WEFT_F32, 1)};
  weft_array *scratch = NULL;
  weft_status rc;
  const bool in_place = weft__arrays_same(step->from, step->to);
  if (in_place || !step->from_is_temporary)
    WEFT__TRY(weft__fft_scratch(&scratch, step->to, step->to->dtype, (uint64_t)step->to->size, step->site));
  const weft_array *between = scratch ? scratch : step->from;
  WEFT__TRY(run(step, key, a, step->from, between));
  key = (block_key){(uint8_t)second, SIDE_BY_SIDE, !is_far, true, .factors = false, .inverse = step->inverse};
  a = (weft__fft_block_args){.columns = rows * step->inner,
                             .from_split = step->inner,
                             .from_far = per_row,
                             .from_step = step->inner,
                             .to_column = 1,
                             .to_step = rows * step->inner,
                             .scale = weft__float_bits(WEFT_F32, step->scale)};
  rc = run(step, key, a, between, step->to);
done:
  weft_array_release(&scratch);
  return rc;
}

weft_status weft__fft_block(bool *done, const weft__fft_step *step) {
  const weft__device *device = step->to->context->core.device;
  int log2 = 0;
  while (UINT64_C(2) << log2 <= step->length && log2 < 2 * LONGEST_STEP) log2++;
  *done = false;
  if (step->to->context->store.is_cpu || device->quirks.small_local || !weft__engine_allowed(WEFT__ENGINE_OWN))
    return WEFT_OK;
  if (step->kind != WEFT__FFT_COMPLEX || step->to->dtype != WEFT_C64 || step->length != UINT64_C(1) << log2)
    return WEFT_OK;
  if (device->info.max_block_threads < 512 || device->info.local_memory_bytes < 40 << 10) return WEFT_OK;
  if (step->from->offset_bytes % 8 || step->to->offset_bytes % 8) return WEFT_OK;
  if ((uint64_t)step->to->size >= UINT32_MAX / 2) return WEFT_OK; /* columns are counted in 32 bits */
  const bool is_whole = log2 >= LEAST && log2 <= (step->inner == 1 ? LONGEST_ROW : LONGEST_STEP);
  *done = is_whole || log2 >= 2 * LEAST;
  if (!*done) return WEFT_OK;
  return is_whole ? whole(step, log2) : in_two(step, log2);
}
