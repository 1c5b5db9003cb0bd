// SPDX-License-Identifier: MIT
/// Weft's own transforms of powers of two in f32: a length that fits a work-group's local memory in one pass over
/// global memory, and the product of two such lengths in two.
#include "cl/fft/args.h"
#include "dtype/scalar.h"
#include "engine/engine.h"
#include "op/fft/fft.h"

enum {
  EACH = 16,         /* values of a work-item */
  LEAST = 5,         /* log2 of the shortest length that is a step */
  LEAST_REAL = 9,    /* log2 of the shortest row of real numbers */
  LONGEST_ROW = 13,  /* log2 of the longest row of complex numbers that is one step */
  LONGEST_STEP = 10, /* likewise of those that work-groups do side by side */
};

typedef struct local_key {
  uint8_t log2;                                                        /* of the length */
  uint8_t columns, from_across, to_across, from_is_dense, to_is_dense; /* dense: its steps are 1 */
  uint8_t factors, inverse, kind;
} local_key;

static void write_key(weft__text *text, const void *data) {
  const local_key *key = data;
  const int passes = (key->log2 + 3) / 4; /* of radix 16 at most, the larger ones last */
  int done = 0;
  weft__text_add(
      text,
      "#define LENGTH %d\n#define EACH %d\n#define COLUMNS %d\n#define FROM_ACROSS %d\n"
      "#define TO_ACROSS %d\n#define FROM_STEP %s\n#define TO_STEP %s\n#define FACTORS %d\n#define INVERSE %d\n"
      "#define KIND %d\n#define WHOLE 0\n#define WIDE 0\n#define PASSES",
      1 << key->log2, EACH, key->columns, key->from_across, key->to_across, key->from_is_dense ? "1" : "a.from_step",
      key->to_is_dense ? "1" : "a.to_step", key->factors, key->inverse, key->kind);
  for (int k = 0; k < passes - 1; k++) {
    const int log2 = (key->log2 - done) / (passes - k);
    weft__text_add(text, " PASS(%d, %d, %d)", 1 << log2, 1 << done,
                   k == passes - 2 ? key->to_across : key->from_across);
    done += log2;
  }
  weft__text_add(text, "\n#define LAST %d\n", 1 << (key->log2 - done));
}

/// A launch: `outer` times a.columns transforms.
typedef struct local_step {
  local_key key;
  weft__fft_local_args a;
  uint64_t outer;
} local_step;

static weft_status run(const weft__fft_step *step, const local_step *s, const weft_array *from, const weft_array *to) {
  static const char *const name[] = {"weft_fft_local"};
  const weft__kernel_source source = {
      .name = "fft",
      .key = {.file = "fft/local.cl", .kernel = name, .kernels = 1, WEFT__KEY_BYTES(local_key, &s->key)},
      .write = write_key};
  const weft__use uses[] = {{from->storage, false}, {to->storage, true}};
  weft__fft_local_args a = s->a;
  weft__kernel *kernel;
  a.from_offset = (uint64_t)from->offset_bytes;
  a.to_offset = (uint64_t)to->offset_bytes;
  a.groups = weft_ceil_div(a.columns, s->key.columns);
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &to->context->store, &source));
  return weft__run_kernel(
      &(weft__kernel_run){.kernel = kernel,
                          .grid = weft__dim3(s->outer * a.groups, 1, 1),
                          .block = weft__dim3((UINT64_C(1) << s->key.log2) / EACH * s->key.columns, 1, 1),
                          .arguments = &a,
                          .argument_bytes = sizeof a,
                          .uses = 2,
                          .use = uses,
                          .bytes = (uint64_t)(from->size + to->size) * weft_dtype_size_bytes(to->dtype),
                          .what = step->what,
                          .site = step->site});
}

/// Columns that a work-group does side by side: it has 128 work-items or more, and runs of 64 to 256 bytes.
static uint8_t side_by_side(int log2) {
  return (uint8_t)(log2 >= 8 ? 8 : log2 >= 6 ? 1 << (11 - log2) : 32);
}

static weft_status columns(const weft__fft_step *step, int log2) {
  return run(step,
             &(local_step){.key = {.log2 = (uint8_t)log2,
                                   .columns = side_by_side(log2),
                                   .from_across = true,
                                   .to_across = true,
                                   .inverse = step->inverse},
                           .a = {.columns = step->inner,
                                 .from_split = step->inner,
                                 .from_step = step->inner,
                                 .to_column = 1,
                                 .to_step = step->inner,
                                 .scale = weft__float_bits(WEFT_F32, step->scale)},
                           .outer = step->batch},
             step->from, step->to);
}

/// Rows of 2^log2 complex numbers, or of twice as many real ones.
static weft_status rows(const weft__fft_step *step, int log2) {
  const uint64_t dense = UINT64_C(1) << log2, half = dense + 1;
  const double scale = step->kind == WEFT__FFT_TO_COMPLEX ? step->scale / 2 : step->scale;
  return run(step,
             &(local_step){.key = {.log2 = (uint8_t)log2,
                                   .columns = (uint8_t)(log2 < 11 ? 1 << (11 - log2) : 1),
                                   .from_is_dense = true,
                                   .to_is_dense = true,
                                   .inverse = step->inverse,
                                   .kind = (uint8_t)step->kind},
                           .a = {.columns = step->batch,
                                 .from_split = 1,
                                 .from_far = step->kind == WEFT__FFT_TO_REAL ? half : dense,
                                 .from_step = 1,
                                 .to_column = step->kind == WEFT__FFT_TO_COMPLEX ? half : dense,
                                 .to_step = 1,
                                 .scale = weft__float_bits(WEFT_F32, scale)},
                           .outer = 1},
             step->from, step->to);
}

/// Two steps: columns of the first factor of the length, times the roots of unity between the two, then rows of the
/// second factor, whose results are stored as columns.
static weft_status in_two(const weft__fft_step *step, int log2) {
  const int first = log2 / 2, second = log2 - first;
  const uint64_t count = UINT64_C(1) << first, per_row = (step->length >> first) * step->inner;
  local_step s = {.key = {.log2 = (uint8_t)first,
                          .columns = side_by_side(first),
                          .from_across = true,
                          .to_across = true,
                          .factors = true,
                          .inverse = step->inverse},
                  .a = {.columns = per_row,
                        .from_split = step->inner,
                        .from_far = step->inner,
                        .from_step = per_row,
                        .to_column = 1,
                        .to_step = per_row,
                        .whole = step->length,
                        .scale = weft__float_bits(WEFT_F32, 1)},
                  .outer = step->batch};
  weft_array *scratch = NULL;
  weft_status rc;
  const bool in_place = weft__arrays_same(step->from, step->to);
  if (in_place || !step->from_is_temporary)
    WEFT__TRY(weft__fft_scratch(&scratch, step->to, step->to->dtype, (uint64_t)step->to->size, step->site));
  const weft_array *between = scratch ? scratch : step->from;
  WEFT__TRY(run(step, &s, step->from, between));
  s.key.log2 = (uint8_t)second;
  s.key.columns = side_by_side(second);
  s.key.from_across = step->inner >= s.key.columns; /* else the neighbours in memory are in the rows */
  s.key.from_is_dense = step->inner == 1;
  s.key.factors = false;
  s.a.columns = count * step->inner;
  s.a.from_far = per_row;
  s.a.from_step = step->inner;
  s.a.to_step = count * step->inner;
  s.a.scale = weft__float_bits(WEFT_F32, step->scale);
  rc = run(step, &s, between, step->to);
done:
  weft_array_release(&scratch);
  return rc;
}

/// Whether the device and the arrays suit the kernel.
static bool suits(const weft__fft_step *step) {
  const weft__device *device = step->to->context->core.device;
  return weft__engine_allowed(WEFT__ENGINE_OWN) && !weft__needs_fp64(step->to->dtype) &&
         step->from->offset_bytes % 8 == 0 && step->to->offset_bytes % 8 == 0 &&
         device->info.max_block_threads >= 512 && device->info.local_memory_bytes >= 40 << 10 &&
         !device->quirks.small_local && step->batch * step->length * step->inner < UINT64_C(1) << 31;
}

weft_status weft__fft_local(bool *done, const weft__fft_step *step) {
  int log2 = 0;
  while (UINT64_C(2) << log2 <= step->length && log2 < 2 * LONGEST_STEP) log2++;
  *done = step->length == UINT64_C(1) << log2 && suits(step);
  if (!*done) return WEFT_OK;
  if (step->kind != WEFT__FFT_COMPLEX && log2 >= LEAST_REAL && log2 <= LONGEST_ROW + 1) return rows(step, log2 - 1);
  if (step->kind == WEFT__FFT_COMPLEX && step->inner == 1 && log2 >= LEAST && log2 <= LONGEST_ROW)
    return rows(step, log2);
  if (step->kind == WEFT__FFT_COMPLEX && log2 >= LEAST && log2 <= LONGEST_STEP && step->inner > 1)
    return columns(step, log2);
  *done = step->kind == WEFT__FFT_COMPLEX && log2 > LONGEST_STEP;
  return *done ? in_two(step, log2) : WEFT_OK;
}
