// SPDX-License-Identifier: MIT
/// Weft's own transforms of powers of two in f32: a length that fits a work-group's local memory in one pass over
/// global memory, the product of two such lengths in two, and of three in three.
#include "cl/fft/args.h"
#include "dtype/scalar.h"
#include "engine/engine.h"
#include "op/fft/fft.h"

enum {
  LEAST = 4,         /* log2 of the shortest length that is a step, and row of pairs of real numbers */
  LONGEST_ROW = 13,  /* log2 of the longest row that is one step */
  LONGEST_STEP = 10, /* likewise of columns */
  LONGEST_HALF = 12, /* likewise of a step of two */
  MOST = 30,         /* log2 of the longest length */
};

typedef struct local_key {
  uint8_t log2, each; /* log2 of the length, and of a work-item's values */
  uint8_t columns, from_across, to_across, from_is_dense, to_is_dense; /* dense: its steps are 1 */
  uint8_t is_paired, factors, inverse, kind;
} local_key;

/// log2 of the radix of a pass. `done` is log2 of the length that is transformed already.
static int radix_of(const local_key *key, int pass, int passes, int done) {
  const int rest = key->log2 - done, left = passes - pass;
  if (key->each <= 4) return rest / left; /* the larger ones last */
  return pass == 0 && key->log2 < 10 ? key->log2 - 5 : (rest + left - 1) / left;
}

static void write_key(weft__text *text, const void *data) {
  const local_key *key = data;
  const int passes = (key->log2 + key->each - 1) / key->each;
  int done = 0;
  weft__text_add(
      text,
      "#define LENGTH %d\n#define EACH %d\n#define COLUMNS %d\n#define FROM_ACROSS %d\n"
      "#define TO_ACROSS %d\n#define FROM_STEP %s\n#define TO_STEP %s\n#define FACTORS %d\n#define INVERSE %d\n"
      "#define KIND %d\n#define WHOLE %d\n#define WIDE 0\n#define PASSES",
      1 << key->log2, 1 << key->each, key->columns, key->from_across, key->to_across,
      key->from_is_dense ? "1" : "a.from_step", key->to_is_dense ? "1" : "a.to_step", key->factors, key->inverse,
      key->kind, key->is_paired);
  for (int k = 0; k < passes - 1; k++) {
    const int radix = radix_of(key, k, passes, done);
    weft__text_add(text, " PASS(%d, %d, %d)", 1 << radix, 1 << done,
                   k == passes - 2 ? key->to_across : key->from_across);
    done += radix;
  }
  weft__text_add(text, "\n#define LAST %d\n", 1 << (key->log2 - done));
}

/// A launch: `outer` times a.columns transforms.
typedef struct local_step {
  local_key key;
  weft__fft_local_args a;
  uint64_t outer;
} local_step;

/// Bytes of local memory for the numbers of a transform of 2^log2 values.
static uint64_t room_of(int log2, bool is_paired) {
  return ((UINT64_C(17) << log2) / 16 + 33) * (is_paired ? 8 : 4);
}

/// Makes the work-groups smaller where there are few columns, or work-groups for half of the compute units at most:
/// such a launch takes as long as one work-item, so that these get few values and few barriers.
static void narrow(local_key *key, const local_step *s, const weft_device_info *info) {
  const uint64_t columns = s->a.columns, units = info->compute_units;
  const int least = s->key.from_across || s->key.to_across ? 4 : 1; /* runs of 32 bytes */
  while (key->columns > 1 && key->columns / 2u >= columns) key->columns /= 2;
  if (s->outer * weft_ceil_div(columns, key->columns) > units / 2) return;
  const uint64_t threads = (uint64_t)key->columns << (key->log2 - 4);
  if (key->each > 4 && threads <= info->max_block_threads) key->each = 4;
  while (key->columns > least && (uint64_t)key->columns << (key->log2 - key->each) > 32 &&
         s->outer * weft_ceil_div(columns, key->columns) < units)
    key->columns /= 2;
  key->is_paired = key->is_paired || key->columns * room_of(key->log2, true) <= info->local_memory_bytes;
}

static weft_status run(const weft__fft_step *step, const local_step *s, const weft_array *from, const weft_array *to) {
  static const char *const name[] = {"weft_fft_local"};
  local_key key = s->key;
  const weft__kernel_source source = {
      .name = "fft",
      .key = {.file = "fft/local.cl", .kernel = name, .kernels = 1, WEFT__KEY_BYTES(local_key, &key)},
      .write = write_key};
  const weft__use uses[] = {{from->storage, false}, {to->storage, true}};
  weft__fft_local_args a = s->a;
  weft__kernel *kernel;
  a.from_offset = (uint64_t)from->offset_bytes;
  a.to_offset = (uint64_t)to->offset_bytes;
  narrow(&key, s, &to->context->core.device->info);
  a.groups = weft_ceil_div(a.columns, key.columns);
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &to->context->store, &source));
  return weft__run_kernel(
      &(weft__kernel_run){.kernel = kernel,
                          .grid = weft__dim3(s->outer * a.groups, 1, 1),
                          .block = weft__dim3((UINT64_C(1) << (key.log2 - key.each)) * key.columns, 1, 1),
                          .arguments = &a,
                          .argument_bytes = sizeof a,
                          .uses = 2,
                          .use = uses,
                          .bytes = (uint64_t)from->size * weft_dtype_size_bytes(from->dtype) +
                                   (uint64_t)to->size * weft_dtype_size_bytes(to->dtype),
                          .what = step->what,
                          .site = step->site});
}

/// Sizes of work-groups, the fastest of those measured on an H200.
typedef struct local_size {
  uint8_t each;    /* log2 of a work-item's values */
  uint8_t columns; /* transforms of a work-group */
  bool is_paired;    /* real and imaginary parts are exchanged at once */
} local_size;

/// Columns, by log2 of the length: runs of 32 to 256 bytes.
static const local_size sides[] = {
    [4] = {4, 64, false}, [5] = {4, 32, false}, [6] = {5, 32, false}, [7] = {5, 32, false}, [8] = {4, 16, false},
    [9] = {4, 8, false},  [10] = {5, 8, false}, [11] = {4, 4, false}, [12] = {4, 4, false}};

static local_size of_rows(int log2, bool is_real) {
  const uint8_t each = log2 == LEAST ? 2 : log2 == LONGEST_ROW && !is_real ? 5 : 4;
  return (local_size){each, (uint8_t)(log2 == LEAST ? 32 : log2 < 11 ? 1 << (11 - log2) : 1), log2 < LONGEST_ROW};
}

static weft_status columns(const weft__fft_step *step, int log2) {
  return run(step,
             &(local_step){.key = {.log2 = (uint8_t)log2,
                                   .each = sides[log2].each,
                                   .columns = sides[log2].columns,
                                   .from_across = true,
                                   .to_across = true,
                                   .inverse = step->inverse},
                           .a = {.columns = step->inner,
                                 .from_split = step->inner,
                                 .from_near = 1,
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
  const local_size size = of_rows(log2, step->kind != WEFT__FFT_COMPLEX);
  const double scale = step->kind == WEFT__FFT_TO_COMPLEX ? step->scale / 2 : step->scale;
  return run(step,
             &(local_step){.key = {.log2 = (uint8_t)log2,
                                   .each = size.each,
                                   .columns = size.columns,
                                   .is_paired = size.is_paired,
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

/* ---- longer transforms ---- */

/// Columns of 2^log2 values, the first factor of `length`, times the roots of unity between it and the rest.
static local_step first_step(const weft__fft_step *step, int log2, uint64_t outer, uint64_t length) {
  const uint64_t per_row = (length >> log2) * step->inner;
  return (local_step){.key = {.log2 = (uint8_t)log2,
                              .each = sides[log2].each,
                              .columns = sides[log2].columns,
                              .from_across = true,
                              .to_across = true,
                              .factors = true,
                              .inverse = step->inverse},
                      .a = {.columns = per_row,
                            .from_split = step->inner,
                            .from_far = step->inner,
                            .from_near = 1,
                            .from_step = per_row,
                            .to_column = 1,
                            .to_step = per_row,
                            .whole = length,
                            .scale = weft__float_bits(WEFT_F32, 1)},
                      .outer = outer};
}

/// Rows of 2^log2 values, the last factor, whose results are stored as columns.
static local_step last_step(const weft__fft_step *step, int log2) {
  const uint64_t columns = (step->length >> log2) * step->inner;
  return (local_step){.key = {.log2 = (uint8_t)log2,
                              .each = sides[log2].each,
                              .columns = sides[log2].columns,
                              /* else the neighbours in memory are in the rows */
                              .from_across = step->inner >= sides[log2].columns,
                              .to_across = true,
                              .from_is_dense = step->inner == 1,
                              .inverse = step->inverse},
                      .a = {.columns = columns,
                            .from_split = step->inner,
                            .from_far = step->inner << log2,
                            .from_near = 1,
                            .from_step = step->inner,
                            .to_column = 1,
                            .to_step = columns,
                            .scale = weft__float_bits(WEFT_F32, step->scale)},
                      .outer = step->batch};
}

/// The factors' log2, of a length of two or three steps; `part` is 0 if it is left out. False: there are too many.
static bool split_length(int part[3], int log2, bool is_row) {
  const bool in_three = log2 > 2 * LONGEST_HALF;
  part[2] = in_three ? log2 / 3 : log2 / 2;
  part[0] = in_three ? (log2 - part[2] + 1) / 2 : log2 - part[2];
  part[1] = log2 - part[2] - part[0];
  return part[2] >= LEAST && log2 <= (is_row ? 3 * LONGEST_STEP : 2 * LONGEST_HALF);
}

/// Two steps, or three of rows, whose first results are in `between`, which may be step->from (NULL: new memory).
static weft_status in_steps(const weft__fft_step *step, int log2, const weft_array *between) {
  int part[3];
  weft_array *scratch = NULL;
  weft_status rc;
  split_length(part, log2, step->inner == 1);
  if (!between) WEFT__TRY(weft__fft_scratch(&scratch, step->to, step->to->dtype, (uint64_t)step->to->size, step->site));
  if (!between) between = scratch;
  local_step first = first_step(step, part[0], step->batch, step->length), last = last_step(step, part[2]);
  WEFT__TRY(run(step, &first, step->from, between));
  if (part[1]) {
    /* the rows of the second step, whose results are stored as columns: their first step is in place */
    const uint64_t rows = UINT64_C(1) << part[0], length = step->length >> part[0];
    local_step second = first_step(step, part[1], step->batch * rows, length);
    WEFT__TRY(run(step, &second, between, between));
    last.a.from_split = rows;
    last.a.from_near = length;
  }
  rc = run(step, &last, between, step->to);
done:
  weft_array_release(&scratch);
  return rc;
}

static void write_halves(weft__text *text, const void *data) {
  weft__text_add(text, "#define TO_REAL %d\n#define WIDE 0\n#define INVERSE 0\n", *(const uint8_t *)data);
}

/// The values between the transforms of real numbers and of their pairs.
static weft_status run_halves(const weft__fft_step *step, const weft_array *from, const weft_array *to) {
  static const char *const name[] = {"weft_fft_halves"};
  const uint8_t to_real = step->kind == WEFT__FFT_TO_REAL;
  const uint64_t half = step->length / 2;
  const weft__kernel_source source = {
      .name = "fft",
      .key = {.file = "fft/halves.cl", .kernel = name, .kernels = 1, WEFT__KEY_BYTES(uint8_t, &to_real)},
      .write = write_halves};
  const weft__fft_step_args a = {.from_offset = (uint64_t)from->offset_bytes,
                                 .to_offset = (uint64_t)to->offset_bytes,
                                 .threads = step->batch * (half / 2 + 1),
                                 .from_length = to_real ? half + 1 : half,
                                 .to_length = to_real ? half : half + 1,
                                 .length = step->length,
                                 .scale = weft__float_bits(WEFT_F32, step->scale / 2)};
  weft__kernel *kernel;
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &to->context->store, &source));
  return weft__fft_launch(&(weft__fft_kernel){kernel, &a, sizeof a, a.threads}, from, to, step->what, step->site);
}

/// Rows of twice 2^log2 real numbers, too long for one step: the transform of their pairs in steps.
static weft_status long_real_rows(const weft__fft_step *step, int log2) {
  const bool to_real = step->kind == WEFT__FFT_TO_REAL;
  weft_array *pairs = NULL;
  weft_status rc;
  WEFT__TRY(weft__fft_scratch(&pairs, step->to, WEFT_C64, step->batch << log2, step->site));
  weft__fft_step whole = *step;
  whole.kind = WEFT__FFT_COMPLEX;
  whole.length = UINT64_C(1) << log2;
  whole.from = to_real ? pairs : step->from;
  whole.to = to_real ? step->to : pairs;
  if (!to_real) whole.scale = 1;
  if (to_real) WEFT__TRY(run_halves(step, step->from, pairs));
  WEFT__TRY(in_steps(&whole, log2, to_real ? pairs : step->to));
  rc = to_real ? WEFT_OK : run_halves(step, pairs, step->to);
done:
  weft_array_release(&pairs);
  return rc;
}

/* ---- what the kernels do ---- */

/// Whether the kernel does the arrays' elements: it loads pairs, and counts in 32 bits.
static bool suits(const weft__fft_step *step) {
  return weft__engine_allowed(WEFT__ENGINE_OWN) && !weft__needs_fp64(step->to->dtype) &&
         step->from->offset_bytes % 8 == 0 && step->to->offset_bytes % 8 == 0 &&
         step->batch * step->length * step->inner < UINT64_C(1) << 31;
}

/// Whether such work-groups are possible for 2^log2 values.
static bool fits(const weft__fft_step *step, int log2, local_size size) {
  const weft__device *device = step->to->context->core.device;
  const uint64_t local = device->info.local_memory_bytes * (device->quirks.roomy_local ? 2 : 1);
  return !device->quirks.small_local && size.columns * room_of(log2, size.is_paired) <= local &&
         (uint64_t)size.columns << (log2 - size.each) <= device->info.max_block_threads;
}

/// Whether a length of two or three steps is possible.
static bool fits_steps(const weft__fft_step *step, int log2) {
  int part[3];
  bool fit = split_length(part, log2, step->inner == 1);
  for (int k = 0; k < 3 && fit; k++) fit = part[k] == 0 || fits(step, part[k], sides[part[k]]);
  return fit;
}

/// The logarithm of the length, in pairs where elements are real; a length over 2^MOST has MOST.
static int log2_of(const weft__fft_step *step) {
  int log2 = 0;
  while (UINT64_C(2) << log2 <= step->length && log2 < MOST) log2++;
  return step->kind == WEFT__FFT_COMPLEX ? log2 : log2 - 1;
}

/// Whether one work-group transforms a row, or columns.
static bool fits_once(const weft__fft_step *step, int log2) {
  const bool is_row = step->inner == 1;
  return log2 >= LEAST && log2 <= (is_row ? LONGEST_ROW : LONGEST_STEP) &&
         fits(step, log2, is_row ? of_rows(log2, step->kind != WEFT__FFT_COMPLEX) : sides[log2]);
}

bool weft__fft_local_fits(const void *task) {
  const weft__fft_step *step = task;
  const int log2 = log2_of(step);
  return step->length == UINT64_C(1) << (step->kind == WEFT__FFT_COMPLEX ? log2 : log2 + 1) && suits(step) &&
         (fits_once(step, log2) || fits_steps(step, log2));
}

weft_status weft__fft_local_run(bool *is_done, const void *of) {
  const weft__fft_step *step = of;
  const int log2 = log2_of(step);
  *is_done = true;
  if (fits_once(step, log2)) return step->inner == 1 ? rows(step, log2) : columns(step, log2);
  if (step->kind != WEFT__FFT_COMPLEX) return long_real_rows(step, log2);
  const bool in_place = weft__arrays_same(step->from, step->to);
  return in_steps(step, log2, in_place || !step->from_is_temporary ? NULL : step->from);
}
