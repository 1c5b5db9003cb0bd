// SPDX-License-Identifier: MIT
/// Sorting integers of 4 bytes with uniform values, on GPUs, in three passes in the place of four. Two spread
/// the keys over bins and parts of bins by their highest bits (cl/sort/gpu_spread.cl; with values cl/sort/gpu_pass.cl);
/// then a block sorts each part in local memory (cl/sort/gpu_settle.cl). A sample tells whether to try it, the sizes of
/// all parts whether it is possible (cl/sort/gpu_uniform.cl). The host does not wait for this: it also launches the
/// passes by digits, and the kernels of the way that is not taken return at once.
#include "op/sort/rows.h"

/// What fits a device. On CPUs, which stand in for GPUs in tests, small arrays have many parts.
typedef struct tuning {
  uint64_t least, most;               /* elements */
  uint8_t first_second, least_second; /* SORT_SECOND, for the longest arrays and at least */
  uint64_t part;                      /* elements of a part on average, at least if there can be more parts */
  uint8_t sample_warps, spread_warps, spread_items, settle_warps, settle_items[2];
} tuning;
static const tuning on_gpu = {.least = UINT64_C(1) << 25,
                              .most = UINT64_C(9400) << 16,
                              .first_second = 8,
                              .least_second = 5,
                              .part = 2560,
                              .sample_warps = 32,
                              .spread_warps = 16,
                              .spread_items = 24,
                              .settle_warps = 16,
                              .settle_items = {12, 20}};
static const tuning on_cpu = {.least = 1 << 13,
                              .most = 1 << 20,
                              .first_second = 4,
                              .least_second = 3,
                              .part = 16,
                              .sample_warps = 8,
                              .spread_warps = 8,
                              .spread_items = 3,
                              .settle_warps = 8,
                              .settle_items = {1, 8}};

#define SAMPLES 16 /* of a thread */

static const tuning *tuning_of(const weft__sort_work *work) {
  return work->sort->context->core.device->info.type == WEFT_DEVICE_TYPE_CPU ? &on_cpu : &on_gpu;
}

/// Elements of a thread in the last pass, so that a part may have a quarter more elements than on average.
static uint8_t settle_items(uint64_t part, const tuning *t) {
  return t->settle_items[part + part / 8 + 16 > 32u * t->settle_warps * t->settle_items[0]];
}

/// Bytes of local memory for emulated warps and their sums.
static uint64_t scratch(uint64_t warps) {
  return warps * (32 * 8 + 8) + 64;
}
/// Bytes of local memory for counters of 2 bytes for each part.
static uint64_t count_local(const tuning *t, uint8_t second) {
  return (uint64_t)WEFT__UNIFORM_PARTS(second) * 2 + scratch(t->sample_warps);
}
/// Whether a block can have the threads and the local memory of the other kernels. items: of a thread in the last pass.
static bool blocks_fit(const weft__sort_work *work, const tuning *t, uint64_t items, uint64_t local_bytes) {
  const uint64_t most_threads = work->sort->context->core.device->info.max_block_threads;
  const uint64_t sample = 32u * t->sample_warps, spread = 32u * t->spread_warps, settle = 32u * t->settle_warps;
  return sample <= most_threads && spread <= most_threads && settle <= most_threads &&
         sample * SAMPLES * 2 + 256 * 4 + 64 <= local_bytes &&
         spread * t->spread_items * 4 + 256 * 8 + scratch(t->spread_warps) <= local_bytes &&
         settle * 8 * 4 + (settle * items + 16) * 9 / 8 * 4 + settle * items * work->key.value_bytes +
                 scratch(t->settle_warps) <=
             local_bytes;
}

bool weft__sort_uniform_works(weft__sort_work *work) {
  const tuning *t = tuning_of(work);
  const weft__device *device = work->sort->context->core.device;
  const uint64_t n = work->job.length;
  if (work->key.key_bytes != 4 || work->key.kind != 0 || work->key.value_bytes > 4 || work->job.rows > 1) return false;
  if (n < t->least || n > t->most) return false;
  /* values that grow are not settled in place */
  const weft__sort *s = work->sort;
  if (work->job.flags & WEFT__SORT_WIDEN && s->key_to && weft__arrays_overlap(s->key_to, s->key_from)) return false;
  /* with capability 8.0 and 9.0 a block can have more than the driver reports, enough for the most counters */
  const bool is_roomy = device->quirks.roomy_local && (device->capability == 80 || device->capability == 90);
  const uint64_t local_bytes = is_roomy ? 160 << 10 : device->info.local_memory_bytes;
  uint8_t second = t->first_second;
  while (second > t->least_second &&
         (n / (uint64_t)WEFT__UNIFORM_PARTS(second) < t->part || count_local(t, second) > local_bytes))
    second--;
  const uint8_t items = settle_items(n / (uint64_t)WEFT__UNIFORM_PARTS(second), t);
  if (count_local(t, second) > local_bytes || !blocks_fit(work, t, items, local_bytes)) return false;
  work->key.second = second;
  work->job.uniform_tile =
      work->key.value_bytes ? (uint32_t)WEFT__GPU_BLOCK * work->key.items : 32u * t->spread_warps * t->spread_items;
  work->job.uniform_most = 32u * t->settle_warps * items;
  return true;
}

/// Kernels of a file with their own threads and elements of a thread.
static weft_status get(weft__kernel **kernels, weft__sort_work *work, const char *file, const char *const *names,
                       int count, uint8_t warps, uint8_t items) {
  const weft__sort_key key = work->key;
  work->key.block_warps = warps;
  work->key.items = items;
  const weft_status rc = weft__sort_kernels(kernels, work, file, names, count);
  work->key = key;
  return rc;
}

/// Keys alone need no order; with values the passes are stable.
static weft_status get_passes(weft__kernel **pass, uint64_t *block, weft__sort_work *work, const tuning *t) {
  static const char *const stable[] = {"sort_pass"}, *const any[] = {"sort_spread"};
  *block = work->key.value_bytes ? WEFT__GPU_BLOCK : 32u * t->spread_warps;
  if (!work->key.value_bytes) return get(pass, work, "sort/gpu_spread.cl", any, 1, t->spread_warps, t->spread_items);
  work->key.uniform = 1;
  const weft_status rc = weft__sort_kernels(pass, work, "sort/gpu_pass.cl", stable, 1);
  work->key.uniform = 0;
  return rc;
}

weft_status weft__sort_uniform(weft__sort_work *work) {
  static const char *const before[] = {"sort_sample", "sort_sizes", "sort_places"}, *const after[] = {"sort_settle"};
  const tuning *t = tuning_of(work);
  const weft__use reads[] = {{work->key_from, false}, {work->state, true}}, *state = reads + 1;
  const uint64_t threads = 32u * t->sample_warps, units = work->sort->context->core.device->info.compute_units;
  const uint64_t parts = (uint64_t)WEFT__UNIFORM_PARTS(work->key.second);
  weft__sort_args *job = &work->job;
  weft__kernel *sample[3], *pass, *settle;
  uint64_t block;
  WEFT__TRY_RETURN(get(sample, work, "sort/gpu_uniform.cl", before, 3, t->sample_warps, SAMPLES));
  WEFT__TRY_RETURN(get_passes(&pass, &block, work, t));
  WEFT__TRY_RETURN(get(&settle, work, "sort/gpu_settle.cl", after, 1, t->settle_warps,
                       (uint8_t)(job->uniform_most / (32u * t->settle_warps))));
  WEFT__TRY_RETURN(weft__sort_launch_with(work, sample[0], 1, threads, 2, reads));
  WEFT__TRY_RETURN(weft__sort_launch_with(work, sample[1], units, threads, 2, reads));
  WEFT__TRY_RETURN(weft__sort_launch_with(work, sample[2], 256, threads, 1, state));
  const uint64_t tiles = weft_ceil_div(job->length, job->uniform_tile);
  for (job->digit = 0; job->digit < 2; job->digit++)
    WEFT__TRY_RETURN(weft__sort_launch(work, pass, tiles + (job->digit ? WEFT__UNIFORM_MORE_TILES : 0), block));
  work->key.second = 0;
  return weft__sort_launch(work, settle, parts, 32u * t->settle_warps);
}
