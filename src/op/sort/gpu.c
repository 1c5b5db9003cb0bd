// SPDX-License-Identifier: MIT
/// Sorting on GPUs: cl/sort/gpu_block.cl if a row fits one block, cl/sort/gpu_tiles.cl if it is a few of these, else
/// cl/sort/gpu_pass.cl.
#include "op/sort/rows.h"
#include "op/sort/tuning.h"
#include "store/lookback.h"

/// Elements per thread in a block that sorts whole rows: the least that holds a row is used.
static const uint8_t block_items[] = {1, 4, 16};
/// Elements per thread in a pass over long rows. `staged`: bytes of local memory per element, the larger of key and
/// value. H200, elements and ms for 2^28 u32: 24 5.04, 36 4.67, 48 4.41, 56 4.78; with u32 values 36 7.59, 44 7.33, 48
/// 7.18, 52 10.0; for 2^27 u64: 20 6.84, 24 6.58, 28 6.98. Of few elements a pass takes as long as a tile. H100, us for
/// u32: 2^19 elements 12 52, 16 52, 32 57, 48 69; 2^20 12 72, 16 68, 32 69, 48 75; 2^21 16 88, 32 83, 48 88; 2^22 32
/// 140, 48 133; with values 2^20 16 66, 48 76; 2^21 32 89, 48 100; 2^22 32 159, 48 178; 2^23 32 274, 48 282; i64: 2^18
/// 12 81, 24 93; 2^19 12 102, 24 103; 2^20 12 130, 24 129.
static uint8_t pass_items(int staged, bool has_values, uint64_t elements, uint64_t units) {
  const uint64_t share = elements / (WEFT__GPU_BLOCK * (units ? units : 1)); /* if each unit had a block */
  if (staged <= 4) return share <= 32 ? 16 : share <= (has_values ? 256 : 64) ? 32 : 48;
  if (staged == 8) return has_values ? 16 : share <= 16 ? 12 : 24;
  return 6;
}

/* ---- local memory ---- */

/// Bytes of local memory for a pass: staged elements, the warps' counters, the digits' positions, and the scratch of
/// emulated warps.
static uint64_t pass_local(uint64_t staged, uint64_t items) {
  return WEFT__GPU_BLOCK * items * staged + WEFT__GPU_BLOCK / 32 * 256 * 4 + 256 * 8 + WEFT__GPU_BLOCK * 8 +
         WEFT__GPU_BLOCK / 32 * 8 + 64;
}
/// Bytes of local memory for the histogram: counters and sums.
#define COUNT_LOCAL ((32 << 10) + WEFT__SORT_COUNT_BLOCK * 8 + 64)

static uint64_t local_bytes_of(const weft__core *core) {
  const weft__device *device = core->device;
  return device->info.local_memory_bytes * (device->quirks.roomy_local && !device->quirks.small_local ? 2 : 1);
}

/* ---- rows that fit one block ---- */

static weft_status launch_block(weft__sort_work *work, const char *name, uint64_t blocks) {
  const weft__use use[] = {{work->key_from, false},
                           {work->key_to, work->sort->key_to != NULL},
                           {work->value_from, false},
                           {work->value_to, true}};
  weft__kernel *kernel;
  WEFT__TRY_RETURN(weft__sort_kernels(&kernel, work, "sort/gpu_block.cl", &name, 1));
  return weft__sort_launch_with(work, kernel, blocks, WEFT__GPU_BLOCK, work->key.value_bytes ? 4 : 2, use);
}

/// What all kernels here know of blocks.
static void begin(weft__sort_work *work, uint8_t items) {
  work->key.block_warps = WEFT__GPU_BLOCK / 32;
  work->key.shortest = WEFT__SORT_SHORTEST;
  work->key.items = items;
}

bool weft__sort_short_fits(const void *task) {
  return ((const weft__sort *)task)->length <= WEFT__SORT_SHORTEST;
}

static weft_status sort_short(weft__sort_work *work) {
  begin(work, 1);
  work->job.share = WEFT__GPU_BLOCK / work->job.length;
  return launch_block(work, "sort_short", weft_ceil_div(work->job.rows, work->job.share));
}

/// Elements per thread for rows of at most `tiles` tiles; 0: rows are too long.
static uint8_t items_of_tiles(const weft__sort *s, uint64_t tiles) {
  const uint64_t key_bytes = weft_dtype_size_bytes(s->key_from->dtype), staged = key_bytes < 2 ? 2 : key_bytes;
  const uint64_t local_bytes = local_bytes_of(&s->context->core);
  for (size_t i = 0; i < sizeof block_items / sizeof *block_items; i++) {
    uint64_t items = block_items[i], most = WEFT__SORT_STAGED_BYTES / (WEFT__GPU_BLOCK * key_bytes);
    if (items > most) items = most;
    if (s->length <= tiles * WEFT__GPU_BLOCK * items && pass_local(staged, items) <= local_bytes) return (uint8_t)items;
  }
  return 0;
}

bool weft__sort_block_fits(const void *task) {
  return items_of_tiles(task, 1) > 0;
}

static weft_status sort_block(weft__sort_work *work) {
  begin(work, items_of_tiles(work->sort, 1));
  return launch_block(work, "sort_block", work->job.rows);
}

/* ---- rows of a few tiles ---- */

uint8_t weft__sort_tiled_items(const weft__sort *s, bool one_tile) {
  const weft__core *core = &s->context->core;
  const uint64_t most = core->device->info.type == WEFT_DEVICE_TYPE_CPU ? WEFT__SORT_TEST_TILED : WEFT__SORT_MOST_TILED;
  if (!weft__has_device_scope(core) || s->rows * s->length > most) return 0;
  uint8_t items = one_tile ? items_of_tiles(s, 1) : 0;
  if (!items) items = items_of_tiles(s, WEFT__SORT_FEW_TILES);
  return items ? items : items_of_tiles(s, WEFT__SORT_MANY_TILES);
}

void weft__sort_choose_tiles(weft__sort_work *work, bool one_tile) {
  begin(work, weft__sort_tiled_items(work->sort, one_tile));
  work->job.tiles = weft_ceil_div(work->job.length, (uint64_t)WEFT__GPU_BLOCK * work->key.items);
}

bool weft__sort_tiles_fits(const void *task) {
  return weft__sort_tiled_items(task, false) > 0;
}

static weft_status sort_tiles(weft__sort_work *work) {
  weft__sort_choose_tiles(work, false);
  static const char *const name[] = {"sort_tiles"};
  weft__kernel *kernel;
  weft__lookback *lookback;
  weft__sort_args *job = &work->job;
  weft__store *store = &work->sort->context->store;
  job->share = weft_ceil_div(job->length, WEFT__GPU_BLOCK);
  const uint64_t tiles = job->rows * job->tiles, blocks = tiles + job->rows * job->share;
  WEFT__TRY_RETURN(weft__sort_kernels(&kernel, work, "sort/gpu_tiles.cl", name, 1));
  WEFT__TRY_RETURN(weft__sort_spare(work));
  WEFT__TRY_RETURN(weft__lookback_begin(&lookback, &job->lookback, store, tiles));
  work->state = lookback->storage;
  const weft_status rc = weft__sort_launch(work, kernel, blocks, WEFT__GPU_BLOCK);
  weft__lookback_end(lookback, blocks, rc);
  return rc;
}

/* ---- long rows ---- */

static uint64_t round_up(uint64_t n, uint64_t to) {
  return weft_ceil_div(n, to) * to;
}

/// Clears the state, except the area that the first pass clears for the second.
static weft_status clear_state(weft__sort_work *work, uint64_t size_bytes) {
  weft_status rc;
  weft_array *part = NULL;
  const weft_array *state = NULL;
  for (int i = 0; i < work->scratches; i++)
    if (work->scratch[i]->storage == work->state) state = work->scratch[i];
  WEFT__TRY(weft__array_view(&part, state, work->sort->site));
  weft__set_contiguous(part, WEFT_SHAPE((int64_t)size_bytes));
  rc = weft__fill(part, WEFT_SCALAR(0), work->sort->site);
done:
  weft_array_release(&part);
  return rc;
}

static weft_status count_digits(weft__sort_work *work, weft__kernel *kernel) {
  const weft__use use[] = {{work->key_from, false}, {work->state, true}};
  weft__sort_args *job = &work->job;
  uint64_t tiles = job->tiles, units = work->sort->context->core.device->info.compute_units;
  uint64_t chunks = job->length / (uint64_t)WEFT__SORT_CHUNK(work->key.key_bytes);
  uint64_t blocks = units * WEFT__SORT_COUNT_BLOCKS / job->rows; /* per row */
  if (blocks > chunks) blocks = chunks;
  if (blocks == 0) blocks = 1;
  job->share = chunks ? weft_ceil_div(chunks, blocks) : 1;
  job->tiles = chunks ? weft_ceil_div(chunks, job->share) : 1;
  weft_status rc = weft__sort_launch_with(work, kernel, job->rows * job->tiles, WEFT__SORT_COUNT_BLOCK, 2, use);
  job->tiles = tiles;
  return rc;
}

/// Onesweep: one histogram of all digits, then one pass per digit.
static weft_status one_sweep(weft__sort_work *work) {
  static const char *const names[] = {"sort_histogram", "sort_pass"};
  weft__kernel *kernel[2];
  weft__sort_args *job = &work->job;
  int digits = work->key.key_bytes;
  uint64_t size = work->key.wide ? 8 : 4, tiles = job->rows * job->tiles;
  job->masks_at = round_up(WEFT__SORT_COUNTERS + job->rows * 4, 64);
  job->bins_at = round_up(job->masks_at + job->rows * 4, 256);
  job->status_at = job->bins_at + job->rows * (uint64_t)digits * 256 * size;
  uint64_t area = tiles * 256 * size, cleared = area, all = 2 * area;
  const bool may_be_uniform = weft__sort_uniform_works(work);
  if (may_be_uniform) {
    job->uniform_at = job->status_at;
    job->status_at += round_up(WEFT__UNIFORM_BYTES(work->key.second), 256);
    if (work->key.value_bytes) cleared = all = (2 * tiles + WEFT__UNIFORM_MORE_TILES) * 256 * size;
  }
  WEFT__TRY_RETURN(weft__sort_prepare_passes(work, job->status_at + all, digits));
  WEFT__TRY_RETURN(clear_state(work, job->status_at + cleared));
  if (may_be_uniform) WEFT__TRY_RETURN(weft__sort_uniform(work));
  WEFT__TRY_RETURN(weft__sort_kernels(kernel, work, "sort/gpu_pass.cl", names, 2));
  WEFT__TRY_RETURN(count_digits(work, kernel[0]));
  for (int d = 0; d < digits; d++) {
    job->digit = (uint32_t)d;
    WEFT__TRY_RETURN(weft__sort_launch(work, kernel[1], tiles, WEFT__GPU_BLOCK));
  }
  return WEFT_OK;
}

/// Sorts on devices whose blocks cannot wait for each other: three launches per pass.
static weft_status count_and_scatter(weft__sort_work *work) {
  static const char *const names[] = {"sort_tally", "sort_totals", "sort_pass"};
  weft__kernel *kernel[3];
  weft__sort_args *job = &work->job;
  int digits = work->key.key_bytes;
  uint64_t size = work->key.wide ? 8 : 4, tiles = job->rows * job->tiles;
  job->bins_at = 0;
  job->status_at = job->rows * 256 * size;
  WEFT__TRY_RETURN(weft__sort_kernels(kernel, work, "sort/gpu_pass.cl", names, 3));
  WEFT__TRY_RETURN(weft__sort_prepare_passes(work, job->status_at + tiles * 256 * size, digits));
  for (int d = 0; d < digits; d++) {
    const weft__use tally[] = {
        {work->key_from, false}, {work->key_to, false}, {work->key_spare, false}, {work->state, true}};
    const weft__use totals[] = {{work->state, true}};
    job->digit = (uint32_t)d;
    WEFT__TRY_RETURN(weft__sort_launch_with(work, kernel[0], tiles, WEFT__GPU_BLOCK, 4, tally));
    WEFT__TRY_RETURN(weft__sort_launch_with(work, kernel[1], job->rows * 256, WEFT__GPU_BLOCK, 1, totals));
    WEFT__TRY_RETURN(weft__sort_launch(work, kernel[2], tiles, WEFT__GPU_BLOCK));
  }
  return WEFT_OK;
}

/* ---- the ways ---- */

/// Elements per thread of a pass; 0: a block has too little local memory.
static uint8_t digit_items(const weft__sort *s) {
  const weft__device *device = s->context->core.device;
  const uint64_t key_bytes = weft_dtype_size_bytes(s->key_from->dtype), value_bytes = weft__sort_value_bytes(s);
  const uint64_t staged = key_bytes > value_bytes ? key_bytes : value_bytes;
  const uint64_t local_bytes = local_bytes_of(&s->context->core);
  uint8_t items = device->info.type == WEFT_DEVICE_TYPE_CPU
                      ? WEFT__SORT_TEST_ITEMS
                      : pass_items((int)staged, value_bytes != 0, s->rows * s->length, device->info.compute_units);
  while (items > 1 && pass_local(staged, items) > local_bytes) items--;
  return pass_local(staged, items) > local_bytes ? 0 : items;
}

static weft_status sort_digits(weft__sort_work *work, bool sweeps) {
  begin(work, digit_items(work->sort));
  work->key.wide = work->job.length > INT32_MAX;
  work->key.lookback = sweeps;
  work->job.tiles = weft_ceil_div(work->job.length, (uint64_t)WEFT__GPU_BLOCK * work->key.items);
  return sweeps ? one_sweep(work) : count_and_scatter(work);
}

bool weft__sort_passes_fits(const void *task) {
  return digit_items(task) > 0;
}

bool weft__sort_sweep_fits(const void *task) {
  const weft__core *core = &((const weft__sort *)task)->context->core;
  return digit_items(task) > 0 && weft__has_device_scope(core) && local_bytes_of(core) >= COUNT_LOCAL;
}

static weft_status sort_passes(weft__sort_work *work) {
  return sort_digits(work, false);
}

static weft_status sort_sweep(weft__sort_work *work) {
  return sort_digits(work, true);
}

WEFT__SORT_RUN(short, sort_short)
WEFT__SORT_RUN(block, sort_block)
WEFT__SORT_RUN(tiles, sort_tiles)
WEFT__SORT_RUN(sweep, sort_sweep)
WEFT__SORT_RUN(passes, sort_passes)
