// SPDX-License-Identifier: MIT
/// Sorting on CPUs: cl/sort/cpu.cl.
#include "op/sort/rows.h"

/// Shorter rows are sorted by one work-item each. So are longer rows if there are enough for all cores.
#define LONG_ROW (1 << 15)
/// Chunks of a long row per core: more than one, since some cores may be busy with other work.
#define CHUNKS_PER_CORE 4

static weft_status sort_rows(weft__sort_work *work, uint64_t cores, int digits) {
  static const char *const names[] = {"sort_rows"};
  weft__kernel *kernel;
  WEFT__TRY_RETURN(weft__sort_kernels(&kernel, work, "sort/cpu.cl", names, 1));
  const bool is_short = WEFT__SORT_SHORT(work->key.key_bytes, work->job.rows, work->job.length);
  if (!is_short) WEFT__TRY_RETURN(weft__sort_prepare_passes(work, 1, digits));
  uint64_t items = work->job.rows * work->job.length < 4096 ? 1 : 8 * cores;
  work->job.share = weft_ceil_div(work->job.rows, items);
  const uint64_t side = work->key.value_bytes ? WEFT__SORT_SIDE : 2 * WEFT__SORT_SIDE;
  if (is_short && work->key.key_bytes <= 4) /* whole networks */
    work->job.share = weft_ceil_div(work->job.share, side) * side;
  return weft__sort_launch(work, kernel, weft_ceil_div(work->job.rows, work->job.share), 1);
}

/// The parts of a row for quicksort, whose vectors hold keys alone, which are integers or floats; 0: it is not tried.
/// With more cores than parts some would wait.
static uint8_t quick_parts(const weft__sort_key *key, uint64_t cores) {
  const bool suits = key->value_bytes == 0 && !key->wide && (key->key_bytes == 4 || key->key_bytes == 8);
  return !suits || key->kind > 1 || cores > WEFT__SORT_PARTS ? 0 : cores <= 4 ? 8 : WEFT__SORT_PARTS;
}

static weft_status sort_quick(weft__sort_work *work, weft__kernel *const kernel[4]) {
  const weft__use from[] = {{work->key_from, false}, {work->state, true}};
  const weft__use move[] = {{work->key_from, false}, {work->key_spare, true}, {work->state, true}};
  const weft__use parts[] = {{work->key_to, true}, {work->key_spare, true}, {work->state, true}};
  WEFT__TRY_RETURN(weft__sort_launch_with(work, kernel[0], 1, 1, 2, from));
  WEFT__TRY_RETURN(weft__sort_launch_with(work, kernel[1], work->job.tiles, 1, 2, from));
  WEFT__TRY_RETURN(weft__sort_launch_with(work, kernel[2], work->job.tiles, 1, 3, move));
  return weft__sort_launch_with(work, kernel[3], work->key.parts, 1, 3, parts);
}

/// Sorts the rows one after the other, each with all cores.
static weft_status sort_chunks(weft__sort_work *work, uint64_t cores, int digits, uint64_t bins) {
  static const char *const names[] = {"sort_look",        "sort_survey",     "sort_plan",
                                      "sort_count",       "sort_scatter",    "sort_quick_begin",
                                      "sort_quick_count", "sort_quick_move", "sort_quick_parts"};
  enum { LOOK, SURVEY, PLAN, COUNT, SCATTER, QUICK, KERNELS = QUICK + 4 };
  weft__kernel *kernel[KERNELS];
  weft__sort_args *job = &work->job;
  uint64_t size = work->key.wide ? 8 : 4;
  job->share = weft_ceil_div(job->length, CHUNKS_PER_CORE * cores);
  job->tiles = weft_ceil_div(job->length, job->share);
  job->bins_at = 64;
  job->status_at = job->bins_at + job->tiles * (uint64_t)digits * bins * size;
  uint64_t state_bytes = job->status_at + job->tiles * bins * size;
  const uint64_t parts = work->key.parts = quick_parts(&work->key, cores);
  if (parts) {
    job->quick_at = weft_ceil_div(state_bytes, 64) * 64;
    state_bytes = job->quick_at + 8 + 8 * parts + 4 * parts * job->tiles + job->length;
  }
  WEFT__TRY_RETURN(weft__sort_kernels(kernel, work, "sort/cpu.cl", names, parts ? KERNELS : QUICK));
  WEFT__TRY_RETURN(weft__sort_prepare_passes(work, state_bytes, digits));
  for (uint64_t row = 0; row < job->rows; row++) {
    const weft__use survey[] = {{work->key_from, false}, {work->state, true}}, plan[] = {{work->state, true}};
    const weft__use count[] = {{work->key_to, false}, {work->key_spare, false}, {work->state, true}};
    if (parts) WEFT__TRY_RETURN(sort_quick(work, kernel + QUICK));
    WEFT__TRY_RETURN(weft__sort_launch_with(work, kernel[LOOK], job->tiles, 1, 2, survey));
    WEFT__TRY_RETURN(weft__sort_launch_with(work, kernel[SURVEY], job->tiles, 1, 2, survey));
    WEFT__TRY_RETURN(weft__sort_launch_with(work, kernel[PLAN], 1, 1, 1, plan));
    for (int d = 0; d < digits; d++) {
      job->digit = (uint32_t)d;
      if (d > 0) WEFT__TRY_RETURN(weft__sort_launch_with(work, kernel[COUNT], job->tiles, 1, 3, count));
      WEFT__TRY_RETURN(weft__sort_launch(work, kernel[SCATTER], job->tiles, 1));
    }
    /* each row in turn uses the scratch */
    job->key_from += job->length * work->key.key_bytes;
    if (work->sort->key_to) job->key_to += job->length * work->key.key_bytes;
    job->value_from += job->length * work->key.value_bytes;
    job->value_to += job->length * (job->flags & WEFT__SORT_NUMBERS ? 8 : work->key.value_bytes);
  }
  return WEFT_OK;
}

static weft_status sort_cpu(weft__sort_work *work) {
  uint64_t cores = work->sort->context->core.device->info.compute_units;
  int digits = work->key.key_bytes <= 2 ? work->key.key_bytes : 3 * ((work->key.key_bytes + 3) / 4);
  if (cores == 0) cores = 1;
  work->key.wide = work->job.length > UINT32_MAX;
  if (work->job.length < LONG_ROW || work->job.rows >= 2 * cores) return sort_rows(work, cores, digits);
  return sort_chunks(work, cores, digits, work->key.key_bytes <= 2 ? 256 : 2048);
}

WEFT__SORT_RUN(cpu, sort_cpu)
