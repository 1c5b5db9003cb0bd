// SPDX-License-Identifier: MIT
#include "op/sort/rows.h"

#include "array/strides.h"
#include "dtype/opencl.h"
#include "map/cast.h"
#include "op/sort/tuning.h"

bool weft__sort_is_plain(const weft_array *x) {
  return weft__is_contiguous(x) && x->offset_bytes % (int64_t)weft_dtype_size_bytes(x->dtype) == 0;
}

/// SORT_KIND of cl/sort/key.clh.
static uint8_t kind_of(weft_dtype dtype) {
  switch (weft_dtype_kind(dtype)) {
    case 'f':
      return 1;
    case 'c':
      return 2;
    default:
      return 0;
  }
}

void weft__sort_flips(uint32_t *flip, uint32_t *flip_top, weft_dtype dtype, bool descending) {
  size_t bits = 8 * weft_dtype_size_bytes(dtype);
  *flip = *flip_top = descending ? UINT32_MAX : 0;
  if (weft_dtype_kind(dtype) == 'i') *flip_top ^= UINT32_C(1) << (bits > 32 ? 31 : bits - 1);
}

/* ---- the kernels ---- */

static void write_defines(weft__text *text, const void *data) {
  const weft__sort_key *key = data;
  weft__text_add(text,
                 "#define SORT_KEY_BYTES %d\n#define SORT_KIND %d\n#define SORT_VALUE_BYTES %d\n#define SORT_WIDE %d\n"
                 "#define SORT_UNIQUE %d\n",
                 key->key_bytes, key->kind, key->value_bytes, key->wide, key->unique);
  if (key->second) weft__text_add(text, "#define SORT_UNIFORM %d\n#define SORT_SECOND %d\n", key->uniform, key->second);
  if (key->narrow)
    weft__text_add(text, "#define SORT_INFINITY %u\n", (unsigned)weft__infinity_bits((weft_dtype)key->narrow));
  if (key->block_warps)
    weft__text_add(text,
                   "#define SORT_LOOKBACK %d\n#define WEFT_BLOCK %d\n#define SORT_ITEMS %d\n#define SORT_SHORT %d\n",
                   key->lookback, 32 * key->block_warps, key->items, key->shortest);
}

weft_status weft__sort_kernels(weft__kernel **kernels, weft__sort_work *work, const char *file,
                               const char *const *names, int count) {
  const weft__kernel_source source = {
      .name = work->sort->what,
      .key = {.file = file, .kernel = names, .kernels = count, WEFT__KEY_BYTES(weft__sort_key, &work->key)},
      .write = write_defines};
  return weft__kernels_get(kernels, &work->sort->context->store, &source);
}

/* ---- memory ---- */

weft_status weft__sort_scratch(weft__storage **storage, uint64_t *offset, weft__sort_work *work, uint64_t size_bytes) {
  weft_array *bytes = NULL;
  const weft_shape shape = WEFT_SHAPE((int64_t)(size_bytes ? size_bytes : 1));
  WEFT__TRY_RETURN(weft__array_create(&bytes, work->sort->context, WEFT_U8, shape, work->sort->site));
  work->scratch[work->scratches++] = bytes;
  *storage = bytes->storage;
  if (offset) *offset = (uint64_t)bytes->offset_bytes;
  return WEFT_OK;
}

/// Copies the source: with an odd number of passes the first one would overwrite it while reading.
static weft_status move_away(weft__storage **storage, uint64_t *offset, weft__sort_work *work, const weft_array *x) {
  weft_array *copy = NULL;
  WEFT__TRY_RETURN(weft__cast(&copy, x, x->dtype, work->sort->site));
  work->scratch[work->scratches++] = copy;
  *storage = copy->storage;
  *offset = (uint64_t)copy->offset_bytes;
  return WEFT_OK;
}

weft_status weft__sort_spare(weft__sort_work *work) {
  const uint64_t n = work->job.rows * work->job.length;
  WEFT__TRY_RETURN(weft__sort_scratch(&work->key_spare, &work->job.key_spare, work, n * work->key.key_bytes));
  if (!work->key.value_bytes) return WEFT_OK;
  return weft__sort_scratch(&work->value_spare, &work->job.value_spare, work, n * work->key.value_bytes);
}

weft_status weft__sort_prepare_passes(weft__sort_work *work, uint64_t state_bytes, int digits) {
  const weft__sort *s = work->sort;
  weft__sort_args *job = &work->job;
  uint64_t n = s->rows * s->length;
  bool keys_in_place = s->key_to && weft__arrays_overlap(s->key_to, s->key_from);
  bool values_in_place = s->value_to && s->value_from && weft__arrays_overlap(s->value_to, s->value_from);
  WEFT__TRY_RETURN(weft__sort_scratch(&work->state, NULL, work, state_bytes));
  if (digits % 2 == 1) {
    if (keys_in_place) WEFT__TRY_RETURN(move_away(&work->key_from, &job->key_from, work, s->key_from));
    if (values_in_place) WEFT__TRY_RETURN(move_away(&work->value_from, &job->value_from, work, s->value_from));
  } else if (keys_in_place || values_in_place) {
    job->flags |= WEFT__SORT_IN_PLACE;
  }
  if (digits == 1) return WEFT_OK; /* a single pass has no intermediate result */
  /* if keys are not wanted, the last of two passes writes none */
  if (digits > 2 && !s->key_to)
    WEFT__TRY_RETURN(weft__sort_scratch(&work->key_to, &job->key_to, work, n * work->key.key_bytes));
  return weft__sort_spare(work);
}

/* ---- launches ---- */

weft_status weft__sort_launch_with(weft__sort_work *work, weft__kernel *kernel, uint64_t blocks, uint64_t block,
                                   int uses, const weft__use *use) {
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(blocks), WEFT_DIM3(block), &work->job, sizeof work->job,
                                              uses, use, .what = work->sort->what, .site = work->sort->site});
}

weft_status weft__sort_launch(weft__sort_work *work, weft__kernel *kernel, uint64_t blocks, uint64_t block) {
  const weft__use use[] = {{work->key_from, false},
                           {work->key_to, work->key_to != work->key_from || work->sort->key_to},
                           {work->key_spare, work->key_spare != work->key_from},
                           {work->state, true},
                           {work->value_from, false},
                           {work->value_to, true},
                           {work->value_spare, work->value_spare != work->value_from}};
  return weft__sort_launch_with(work, kernel, blocks, block, work->key.value_bytes ? 7 : 4, use);
}

uint8_t weft__sort_value_bytes(const weft__sort *s) {
  if (!s->value_to) return 0;
  return s->value_from ? (uint8_t)weft_dtype_size_bytes(s->value_from->dtype) : s->length > UINT32_MAX ? 8 : 4;
}

void weft__sort_begin(weft__sort_work *work, const weft__sort *s) {
  *work = (weft__sort_work){.sort = s};
  bool numbers = s->value_to && !s->value_from;
  work->key.key_bytes = (uint8_t)weft_dtype_size_bytes(s->key_from->dtype);
  work->key.kind = kind_of(s->key_from->dtype);
  if (weft__is_narrow(s->key_from->dtype)) work->key.narrow = (uint8_t)s->key_from->dtype;
  work->key.value_bytes = weft__sort_value_bytes(s);
  work->job.rows = s->rows;
  work->job.length = s->length;
  work->job.key_from = (uint64_t)s->key_from->offset_bytes;
  work->job.flags = (numbers ? WEFT__SORT_NUMBERS : 0) |
                    (numbers && work->key.value_bytes == 4 ? WEFT__SORT_WIDEN : 0) |
                    (s->key_to ? 0 : WEFT__SORT_NO_KEYS);
  weft__sort_flips(&work->job.flip, &work->job.flip_top, s->key_from->dtype, s->descending);
  /* the source, which is only read, stands in for missing buffers */
  work->key_from = work->key_to = work->key_spare = work->value_from = work->value_to = work->value_spare =
      s->key_from->storage;
  if (s->key_to) {
    work->key_to = s->key_to->storage;
    work->job.key_to = (uint64_t)s->key_to->offset_bytes;
  }
  if (s->value_to) {
    work->value_to = s->value_to->storage;
    work->job.value_to = (uint64_t)s->value_to->offset_bytes;
  }
  if (s->value_from) {
    work->value_from = s->value_from->storage;
    work->job.value_from = (uint64_t)s->value_from->offset_bytes;
  }
  work->state = work->key_from;
}

void weft__sort_end(weft__sort_work *work) {
  while (work->scratches > 0) weft_array_release(&work->scratch[--work->scratches]);
}

/* ---- rows of one element ---- */

bool weft__sort_single_fits(const void *task) {
  return ((const weft__sort *)task)->length == 1;
}

weft_status weft__sort_single_run(bool *is_done, const void *task) {
  const weft__sort *s = task;
  weft_array *const to[] = {s->key_to, s->value_to}, *const from[] = {s->key_from, s->value_from};
  for (int k = 0; k < 2; k++) {
    if (!to[k] || (from[k] && weft__arrays_same(to[k], from[k]))) continue;
    if (!from[k]) {
      WEFT__TRY_RETURN(weft__fill(to[k], WEFT_SCALAR(0), s->site));
      continue;
    }
    weft_array flat[] = {weft__array_borrow(to[k]), weft__array_borrow(from[k])};
    for (int side = 0; side < 2; side++) weft__set_contiguous(&flat[side], WEFT_SHAPE((int64_t)s->rows));
    WEFT__TRY_RETURN(weft__cast_into(&flat[0], &flat[1], from[k]->dtype, s->site));
  }
  *is_done = true;
  return WEFT_OK;
}

/* ---- gathering rows ---- */

typedef struct gather_key {
  uint8_t unit, number; /* bytes */
} gather_key;

static void write_gather(weft__text *text, const void *data) {
  const gather_key *key = data;
  weft__text_add(text, "#define UNIT %s\n#define NUMBER %s\n", weft__cl_raw(key->unit),
                 key->number == 4 ? "uint" : "ulong");
}

weft_status weft__gather_rows(weft_array *to, const weft_array *from, const weft_array *numbers, weft__axis_split split,
                              const char *what, const char *site) {
  static const char *const name[] = {"weft_gather_rows"};
  weft__kernel *kernel;
  weft__store *store = &to->context->store;
  uint64_t row_bytes = (uint64_t)split.inner * weft_dtype_size_bytes(from->dtype);
  gather_key key = {.unit = 16, .number = (uint8_t)weft_dtype_size_bytes(numbers->dtype)};
  weft__gather_rows_args args = {.rows = (uint64_t)(split.outer * numbers->size),
                                 .count = (uint64_t)numbers->size,
                                 .length = (uint64_t)split.length,
                                 .to = (uint64_t)to->offset_bytes,
                                 .from = (uint64_t)from->offset_bytes,
                                 .numbers = (uint64_t)numbers->offset_bytes};
  if (to->size == 0) return WEFT_OK;
  while ((row_bytes | args.from | args.to) % key.unit) key.unit /= 2;
  args.units = row_bytes / key.unit;
  args.share = WEFT__SORT_GATHER_BYTES / key.unit;
  const weft__kernel_source source = {
      .name = what,
      .key = {.file = "sort/gather.cl", .kernel = name, .kernels = 1, WEFT__KEY_BYTES(gather_key, &key)},
      .write = write_gather};
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, store, &source));
  const weft__grain grain = weft__grain_of(store, (uint32_t)args.share);
  const uint64_t blocks = weft_ceil_div(args.rows * args.units, (uint64_t)grain.items * grain.block);
  if (blocks > INT32_MAX)
    return weft__fail(WEFT_ERROR_UNSUPPORTED, "x", "`x` makes %llu blocks; 2^31 - 1 are the most",
                      (unsigned long long)blocks);
  const weft__use use[] = {{to->storage, true}, {from->storage, false}, {numbers->storage, false}};
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(blocks), WEFT_DIM3(grain.block), &args, sizeof args, 3,
                                              use, .what = what, .site = site});
}
