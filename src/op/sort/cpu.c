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

/// Sorts the rows one after the other, each with all cores.
static weft_status sort_chunks(weft__sort_work *work, uint64_t cores, int digits, uint64_t bins) {
  static const char *const names[] = {"sort_survey", "sort_plan", "sort_count", "sort_scatter"};
  enum { SURVEY, PLAN, COUNT, SCATTER, KERNELS };
  weft__kernel *kernel[KERNELS];
  weft__sort_args *job = &work->job;
  uint64_t size = work->key.wide ? 8 : 4;
  job->share = weft_ceil_div(job->length, CHUNKS_PER_CORE * cores);
  job->tiles = weft_ceil_div(job->length, job->share);
  job->bins_at = 64;
  job->status_at = job->bins_at + job->tiles * (uint64_t)digits * bins * size;
  WEFT__TRY_RETURN(weft__sort_kernels(kernel, work, "sort/cpu.cl", names, KERNELS));
  WEFT__TRY_RETURN(weft__sort_prepare_passes(work, job->status_at + job->tiles * bins * size, digits));
  for (uint64_t row = 0; row < job->rows; row++) {
    const weft__use survey[] = {{work->key_from, false}, {work->state, true}}, plan[] = {{work->state, true}};
    const weft__use count[] = {{work->key_to, false}, {work->key_spare, false}, {work->state, true}};
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

weft_status weft__sort_cpu(weft__sort_work *work) {
  uint64_t cores = work->sort->context->core.device->info.compute_units;
  int digits = work->key.key_bytes <= 2 ? work->key.key_bytes : 3 * ((work->key.key_bytes + 3) / 4);
  if (cores == 0) cores = 1;
  work->key.wide = work->job.length > UINT32_MAX;
  if (work->job.length < LONG_ROW || work->job.rows >= 2 * cores) return sort_rows(work, cores, digits);
  return sort_chunks(work, cores, digits, work->key.key_bytes <= 2 ? 256 : 2048);
}
