// SPDX-License-Identifier: MIT
/// Takes and scatters: strides, and the ways by kernels: the unit moved, and the launches.
#include "op/index/gather.h"

#include <string.h>

#include "base/divisor.h"
#include "base/launch_log.h"
#include "cl/index/args.h"
#include "dtype/opencl.h"
#include "map/cast.h"
#include "op/index/tuning.h"

static int64_t count_of(const weft__indexing *i, const weft__strided_split *l) {
  return i->along ? i->indices->size / (l->outer * l->inner) : i->indices->size;
}

/// The widest unit, up to 16 bytes, that divides all offsets, strides and run lengths.
static int unit_bytes(const weft__indexing *i, const weft__strided_split *l) {
  int64_t size = (int64_t)weft_dtype_size_bytes(i->indexed->dtype),
          all = 16 | i->indexed->offset_bytes | i->dense->offset_bytes;
  int unit = 1;
  all |= size * (i->along ? 1 : l->inner);
  if (l->outer > 1) all |= l->outer_stride;
  if (l->length > 1) all |= l->length_stride;
  if (i->dense->size < l->outer * count_of(i, l) * l->inner) all |= i->dense->size * size;
  while (!(all & unit)) unit *= 2;
  return unit;
}

/* ---- which kernels ---- */

/// What distinguishes the kernels of one file.
typedef struct key {
  uint8_t index; /* dtype of the indices */
  uint8_t columns;
  uint8_t mode, along, simple, wide;
  uint8_t unit;  /* bytes; 0: the kernel computes with elements of `dtype` */
  uint8_t dtype; /* stored */
  uint8_t operation, word;
} key;

const char *weft__index_unit(int bytes) {
  return bytes == 1 ? "uchar" : bytes == 2 ? "ushort" : bytes == 4 ? "uint" : bytes == 8 ? "ulong" : "uint4";
}

void weft__index_write(weft__text *text, weft_dtype index, unsigned mode) {
  weft__text_add(text, "#define WEFT_INDEX %s\n#define WEFT_INDEX_SIGNED %d\n#define WEFT_MODE %u\n",
                 weft__cl_stored(index), weft_dtype_kind(index) == 'i', mode);
}

static void write_defines(weft__text *text, const void *data) {
  const key *k = data;
  weft_dtype dtype = (weft_dtype)k->dtype;
  weft__index_write(text, (weft_dtype)k->index, k->mode);
  weft__text_add(text,
                 "#define WEFT_SIMPLE %d\n#define WEFT_BLOCK %d\n#define WEFT_ITEMS %d\n#define WEFT_OPERATION %d\n",
                 k->simple, WEFT__GPU_BLOCK, WEFT__INDEX_ITEMS, k->operation);
  weft__text_add(text, "#define WEFT_COLUMNS %d\n", k->columns);
  if (!k->word) weft__text_add(text, "#define WEFT_ALONG %d\n", k->along);
  if (k->wide != 2) weft__text_add(text, "#define WEFT_WIDE %d\n", k->wide);
  if (k->unit)
    weft__text_add(text, "#define WEFT_UNIT %s\n#define T WEFT_UNIT\n#define WEFT_RAW 1\n", weft__index_unit(k->unit));
  else
    weft__cl_define(text, dtype);
  if (k->word)
    weft__text_add(text, "#define WEFT_WORD %d\n#define WEFT_WORD_BYTES %zu\n", k->word, weft_dtype_size_bytes(dtype));
}

static weft_status get_kernels(weft__kernel **kernels, const weft__indexing *i, const char *file, const key *k,
                               int count, const char *const *names) {
  const weft__kernel_source source = {.name = i->what,
                                      .key = {.file = file, .kernel = names, .kernels = count, WEFT__KEY_BYTES(key, k)},
                                      .write = write_defines};
  return weft__kernels_get(kernels, &i->context->store, &source);
}

static key key_of(const weft__indexing *i, const weft__strided_split *l, bool wide) {
  return (key){.index = (uint8_t)i->indices->dtype,
               .mode = (uint8_t)i->mode,
               .along = i->along,
               .simple = l->outer == 1 && l->inner == 1,
               .wide = wide};
}

/// The kernel's arguments in units of `unit` bytes. Only indices are still counted in elements.
static weft__index_args args_of(const weft__indexing *i, const weft__strided_split *l, int unit) {
  int64_t size = (int64_t)weft_dtype_size_bytes(i->indexed->dtype), run = l->inner * size / unit,
          count = count_of(i, l);
  weft__index_args a = {.total = (uint64_t)(l->outer * count * run),
                        .outer = (uint64_t)l->outer,
                        .count = (uint64_t)count,
                        .run = (uint64_t)run,
                        .length = l->length,
                        .outer_stride = l->outer_stride / unit,
                        .axis_stride = l->length_stride / unit,
                        .indexed_offset = i->indexed->offset_bytes,
                        .dense_offset = i->dense->offset_bytes,
                        .index_offset = i->indices->offset_bytes,
                        .values = (uint64_t)(i->dense->size * size / unit)};
  const weft__divisor by_run = weft__divisor_of(a.run), by_count = weft__divisor_of(a.count),
                      by_rows = weft__divisor_of(a.outer * a.count);
  a.run_multiplier = by_run.multiplier, a.run_shift = by_run.shift;
  a.count_multiplier = by_count.multiplier, a.count_shift = by_count.shift;
  a.rows_multiplier = by_rows.multiplier, a.rows_shift = by_rows.shift;
  return a;
}

static bool is_wide(const weft__index_args *a) {
  return a->total >> 31 != 0;
}

weft_status weft__index_run(const weft__indexing *i, const weft__index_launch *launch) {
  weft__core *core = &i->context->core;
  weft__deferred_use deferred;
  weft__storage records = {.core = core, .pool = &i->context->pool};
  bool checks = i->mode == WEFT_INDEX_ERROR;
  const weft__deferred_check check = {
      .function = weft__function(),
      .site = i->site ? weft__lasting_site(i->site) : "", /* errors are reported later */
      .argument = "indices",
      .axis = i->axis == WEFT__EVERY_AXIS ? WEFT__DEFERRED_FLAT : i->axis,
      .length = i->axis == WEFT__EVERY_AXIS ? i->indexed->size : i->indexed->shape[i->axis],
      .is_unsigned = weft_dtype_kind(i->indices->dtype) == 'u'};
  weft__checked checked = {.check = &check};
  if (checks) {
    WEFT__TRY_RETURN(weft__deferred_begin(&deferred, core, &check));
    records.mem = deferred.records;
    *launch->record = deferred.record;
    *launch->epoch = deferred.epoch;
    checked.record_at = (size_t)((const char *)launch->record - (const char *)launch->arguments);
    checked.epoch_at = (size_t)((const char *)launch->epoch - (const char *)launch->arguments);
  }
  for (int k = 0; k < launch->uses; k++)
    if (!launch->use[k].storage) /* without checks, the kernel does not use this buffer */
      launch->use[k] = checks ? (weft__use){&records, true} : (weft__use){i->indices->storage, false};
  weft_status rc = weft__run_kernel(&(weft__kernel_run){launch->kernel, weft__own_grid(launch->threads, launch->block),
                                                        WEFT_DIM3(launch->block), launch->arguments, launch->size_bytes,
                                                        launch->uses, launch->use, .what = i->what, .site = i->site,
                                                        .checked = checks ? &checked : NULL});
  if (checks) weft__deferred_end(core, &deferred, weft__slot_now(core), rc);
  return rc;
}

static weft_status run(const weft__indexing *i, weft__kernel *kernel, uint64_t threads, uint64_t block,
                       weft__index_args *a, int uses, weft__use *use) {
  const weft__index_launch launch = {kernel, threads, block, a, sizeof *a, &a->record, &a->epoch, uses, use};
  return weft__index_run(i, &launch);
}

/* ---- take ---- */

/// Whether long rows are taken column by column (cl/index/gpu_take.cl), which pays where they do not fit the caches.
bool weft__take_columns_fits(const void *of) {
  const weft__index_task *task = of;
  const weft__indexing *i = task->indexing;
  const weft__strided_split *l = task->split;
  const uint64_t row = (uint64_t)l->inner * weft_dtype_size_bytes(i->indexed->dtype),
                 column = 16 * WEFT__INDEX_COLUMN_UNITS;
  const uint64_t rows = (uint64_t)(l->outer * count_of(i, l)),
                 places = weft_ceil_div(row, column) * WEFT__INDEX_COLUMN_UNITS * rows;
  const bool pays =
      row >= 2 * column && (uint64_t)(l->length * l->outer) * row >= WEFT__INDEX_COLUMNS_BYTES && rows > 1;
  return !i->along && pays && places >> 31 == 0 && unit_bytes(i, l) == 16;
}

static weft_status launch_take(const weft__index_task *task, int columns) {
  static const char *const name = "weft_take";
  const weft__indexing *i = task->indexing;
  weft__kernel *kernel;
  int unit = unit_bytes(i, task->split);
  weft__index_args a = args_of(i, task->split, unit);
  weft__strided_split in_units = *task->split;
  in_units.inner = (int64_t)a.run;
  key k = key_of(i, &in_units, is_wide(&a));
  k.unit = (uint8_t)unit;
  k.columns = (uint8_t)columns;
  WEFT__TRY_RETURN(get_kernels(&kernel, i, "index/gpu_take.cl", &k, 1, &name));
  weft__use use[] = {
      {i->dense->storage, true}, {i->indexed->storage, false}, {i->indices->storage, false}, {NULL, true}};
  uint64_t places = a.total;
  if (columns) places = weft_ceil_div(a.run, WEFT__INDEX_COLUMN_UNITS) * WEFT__INDEX_COLUMN_UNITS * a.outer * a.count;
  /* a row's last column may have units that it has not */
  a.full = places != a.total ? 0 : a.total / (WEFT__GPU_BLOCK * WEFT__INDEX_ITEMS);
  return run(i, kernel, weft_ceil_div(places, WEFT__INDEX_ITEMS), WEFT__GPU_BLOCK, &a, 4, use);
}

weft_status weft__take_columns_run(bool *is_done, const void *task) {
  *is_done = true;
  return launch_take(task, WEFT__INDEX_COLUMN_UNITS);
}

weft_status weft__take_units_run(bool *is_done, const void *task) {
  *is_done = true;
  return launch_take(task, 0);
}

/// Whether the kernels can read the array in place. With one index per element (`along`), offsets and strides must be
/// multiples of the element's size, since each element is moved as one unit.
static bool fits(weft__strided_split *l, const weft__indexing *i) {
  int64_t size = (int64_t)weft_dtype_size_bytes(i->indexed->dtype), all = i->indexed->offset_bytes;
  if (!weft__split_strided(l, i->indexed, i->axis)) return false;
  if (l->outer > 1) all |= l->outer_stride;
  if (l->length > 1) all |= l->length_stride;
  return !i->along || all % size == 0;
}

/// Whether the dense array is aligned to its elements where each is moved as one unit (`along`). A c128 in wrapped
/// memory may begin at a multiple of 8 bytes.
static bool is_aligned(const weft__indexing *i) {
  return !i->along || i->dense->offset_bytes % (int64_t)weft_dtype_size_bytes(i->dense->dtype) == 0;
}

weft_status weft__index_take(const weft__indexing *indexing) {
  weft__strided_split l;
  weft_array *plain = NULL, *aligned = NULL;
  weft__indexing i = *indexing;
  weft_status rc;
  if (i.dense->size == 0) return WEFT_OK;
  if (!fits(&l, &i)) {
    WEFT__TRY(weft__cast(&plain, i.indexed, i.indexed->dtype, i.site));
    i.indexed = plain;
    fits(&l, &i);
  }
  if (!is_aligned(&i)) {
    WEFT__TRY(weft__array_create(&aligned, i.context, i.dense->dtype, weft__array_shape(i.dense), i.site));
    i.dense = aligned;
  }
  const weft__index_task task = {&i, &l, WEFT__TAKE};
  WEFT__TRY(weft__ways_run(&weft__take_ways, i.context, &task));
  if (aligned) WEFT__TRY(weft__assign(indexing->dense, aligned, i.site));
done:
  weft_array_release(&plain);
  weft_array_release(&aligned);
  return rc;
}

/* ---- scatter ---- */

/// Scatters in the order of the indices.
weft_status weft__scatter_ranges_run(bool *is_done, const void *of) {
  static const char *const name = "weft_scatter_ranges";
  const weft__index_task *task = of;
  const weft__indexing *i = task->indexing;
  const weft__strided_split *l = task->split;
  const bool puts = task->operation == WEFT__SCATTER_PUT;
  weft__kernel *kernel;
  weft_dtype number = weft__number_dtype(i->indexed->dtype);
  int unit = puts ? unit_bytes(i, l) : (int)weft_dtype_size_bytes(number);
  weft__index_args a = args_of(i, l, unit);
  weft__strided_split in_units = *l;
  in_units.inner = (int64_t)a.run;
  key k = key_of(i, &in_units, true);
  k.wide = 2; /* the file defines WEFT_WIDE itself */
  k.operation = (uint8_t)task->operation;
  k.unit = puts ? (uint8_t)unit : 0;
  k.dtype = puts ? 0 : (uint8_t)number;
  WEFT__TRY_RETURN(get_kernels(&kernel, i, "index/ranges.cl", &k, 1, &name));
  const uint64_t places = (uint64_t)l->outer * (uint64_t)l->length * a.run;
  a.full = weft_ceil_div(places, (uint64_t)i->context->core.device->info.compute_units * WEFT__INDEX_ORDERED_RANGES);
  weft__use use[] = {
      {i->indexed->storage, true}, {i->dense->storage, false}, {i->indices->storage, false}, {NULL, true}};
  *is_done = true;
  return run(i, kernel, weft_ceil_div(places, a.full), WEFT__INDEX_ORDERED_BLOCK, &a, 4, use);
}

/// Scatters with one store per unit, in any order. With `last`, the last of several equal indices wins.
static weft_status scatter_stores(const weft__index_task *task, bool last) {
  static const char *const names[] = {"weft_scatter", "weft_mark", "weft_scatter_last"};
  const weft__indexing *i = task->indexing;
  const weft__strided_split *l = task->split;
  weft__kernel *kernel[3];
  weft_array *winners = NULL;
  int unit = unit_bytes(i, l);
  weft__index_args a = args_of(i, l, unit);
  weft__strided_split in_units = *l;
  in_units.inner = (int64_t)a.run;
  key k = key_of(i, &in_units, is_wide(&a));
  k.unit = (uint8_t)unit;
  weft_status rc;
  WEFT__TRY(get_kernels(kernel, i, "index/gpu_scatter.cl", &k, 3, names));
  weft__storage *to = i->indexed->storage, *values = i->dense->storage, *indices = i->indices->storage;
  if (!last) {
    weft__use use[] = {{to, true}, {values, false}, {indices, false}, {NULL, true}};
    return run(i, kernel[0], a.total, WEFT__GPU_BLOCK, &a, 4, use);
  }
  WEFT__TRY(weft__array_create(&winners, i->context, WEFT_U32,
                               WEFT_SHAPE(i->along ? l->outer * l->length * l->inner : l->length), i->site));
  WEFT__TRY(weft__fill(winners, WEFT_SCALAR(0), i->site));
  weft__use mark[] = {{indices, false}, {winners->storage, true}, {NULL, true}};
  WEFT__TRY(run(i, kernel[1], i->along ? a.total : a.count, WEFT__GPU_BLOCK, &a, 3, mark));
  const weft__use use[] = {{to, true}, {values, false}, {indices, false}, {winners->storage, false}};
  WEFT__TRY(weft__run_kernel(&(weft__kernel_run){kernel[2], weft__own_grid(a.total, WEFT__GPU_BLOCK),
                                                 WEFT_DIM3(WEFT__GPU_BLOCK), &a, sizeof a, 4, use, .what = i->what,
                                                 .site = i->site}));
done:
  weft_array_release(&winners);
  return rc;
}

/// WEFT_WORD of cl/index/gpu_atomic.cl: which atomic performs the operation; 0: none.
static int atomic_word(const weft__index_task *task) {
  const weft__indexing *i = task->indexing;
  weft_dtype number = weft__number_dtype(i->indexed->dtype);
  size_t size = weft_dtype_size_bytes(number);
  const weft__storage *storage = i->indexed->storage;
  if (size == 8 && !i->context->core.device->info.has_int64_atomics) return 0;
  /* the 4-byte word around a small element must lie within the buffer */
  if (size < 4 && (storage->capacity_bytes ? storage->capacity_bytes : storage->size_bytes) % 4 != 0) return 0;
  if (weft_dtype_kind(number) == 'f') return task->operation == WEFT__SCATTER_ADD && size >= 4 ? 2 : 3;
  return size == 4 || (size == 8 && task->operation == WEFT__SCATTER_ADD) ? 1 : 3;
}

static bool is_in_order(const weft__index_task *task) {
  return task->indexing->deterministic || task->indexing->context->core.reproducible;
}

bool weft__scatter_stores_fits(const void *of) {
  const weft__index_task *task = of;
  return task->operation == WEFT__SCATTER_PUT && !is_in_order(task);
}

weft_status weft__scatter_stores_run(bool *is_done, const void *task) {
  *is_done = true;
  return scatter_stores(task, false);
}

bool weft__scatter_last_fits(const void *of) {
  const weft__index_task *task = of;
  return task->operation == WEFT__SCATTER_PUT && count_of(task->indexing, task->split) >> 31 == 0;
}

weft_status weft__scatter_last_run(bool *is_done, const void *task) {
  *is_done = true;
  return scatter_stores(task, true);
}

bool weft__scatter_atomic_fits(const void *of) {
  const weft__index_task *task = of;
  const bool is_float = weft_dtype_kind(weft__number_dtype(task->indexing->indexed->dtype)) == 'f';
  return task->operation != WEFT__SCATTER_PUT && !(is_in_order(task) && is_float) && atomic_word(task) != 0;
}

weft_status weft__scatter_atomic_run(bool *is_done, const void *of) {
  static const char *const name = "weft_scatter_atomic";
  const weft__index_task *task = of;
  const weft__indexing *i = task->indexing;
  weft__kernel *kernel;
  weft_dtype number = weft__number_dtype(i->indexed->dtype);
  weft__index_args a = args_of(i, task->split, (int)weft_dtype_size_bytes(number));
  weft__strided_split in_units = *task->split;
  in_units.inner = (int64_t)a.run;
  key k = key_of(i, &in_units, is_wide(&a));
  k.dtype = (uint8_t)number;
  k.operation = (uint8_t)task->operation;
  k.word = (uint8_t)atomic_word(task);
  WEFT__TRY_RETURN(get_kernels(&kernel, i, "index/gpu_atomic.cl", &k, 1, &name));
  weft__use use[] = {
      {i->indexed->storage, true}, {i->dense->storage, false}, {i->indices->storage, false}, {NULL, true}};
  *is_done = true;
  return run(i, kernel, a.total, WEFT__GPU_BLOCK, &a, 4, use);
}

weft_status weft__index_scatter(const weft__indexing *indexing, weft__scatter operation) {
  weft__strided_split l;
  weft_array *plain = NULL, *aligned = NULL;
  weft__indexing i = *indexing;
  weft_status rc;
  if (i.indices->size == 0 || i.indexed->size == 0) return WEFT_OK;
  if (!fits(&l, &i)) {
    WEFT__TRY(weft__cast(&plain, i.indexed, i.indexed->dtype, i.site));
    i.indexed = plain;
    fits(&l, &i);
  }
  if (!is_aligned(&i)) {
    WEFT__TRY(weft__cast(&aligned, i.dense, i.dense->dtype, i.site));
    i.dense = aligned;
  }
  const weft__index_task task = {&i, &l, operation};
  WEFT__TRY(weft__ways_run(&weft__scatter_ways, i.context, &task));
  if (plain) WEFT__TRY(weft__assign(indexing->indexed, plain, i.site));
done:
  weft_array_release(&plain);
  weft_array_release(&aligned);
  return rc;
}
