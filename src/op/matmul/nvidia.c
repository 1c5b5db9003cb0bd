// SPDX-License-Identifier: MIT
#include "op/matmul/nvidia.h"

#include "array/array.h"
#include "base/log.h"

#define MAPS_BYTES 256 /* of a work-group */

/// Work-groups number less than this, so that their numbers fit 32 bits.
#define MAX_GROUPS (INT64_C(1) << 30)

uint32_t weft__nvidia_capability(const weft__matmul_task *t) {
  const weft__device *device = t->context->core.device;
  const int64_t groups = weft_ceil_div((uint64_t)t->m, 32) * weft_ceil_div((uint64_t)t->n, 32);
  if (t->m > INT32_MAX || t->n > INT32_MAX || t->k > INT32_MAX || groups > MAX_GROUPS / t->batches) return 0;
  if (device->quirks.cpu_kernels || device->quirks.small_local || !device->quirks.roomy_local) return 0;
  return device->capability == 90 && device->refuses_90a ? 89 : device->capability;
}

weft_status weft__nvidia_kernels_get(weft__kernel **kernels, bool *refused, const weft__matmul_task *t,
                                     const weft__matmul_source *source) {
  const weft_status rc = weft__matmul_kernels_get(kernels, t, source);
  *refused = source->is_for_90a && (rc == WEFT_ERROR_BUILD || rc == WEFT_ERROR_DRIVER);
  if (!*refused) return rc;
  weft__log(WEFT_LOG_WARNING, "%s: kernels for sm_90a are not used: %s", t->context->core.device->info.name,
            weft_error_last()->message);
  weft_error_clear();
  t->context->core.device->refuses_90a = true;
  return WEFT_OK;
}

static float time_of(const weft__nvidia_tile *tile, const weft__matmul_task *t) {
  const uint64_t tiles = weft_ceil_div((uint64_t)t->m, (uint64_t)tile->m) *
                         weft_ceil_div((uint64_t)t->n, (uint64_t)tile->n) * (uint64_t)t->batches;
  const uint64_t running = (uint64_t)tile->blocks * t->context->core.device->info.compute_units;
  const uint64_t rounds = weft_ceil_div(tiles, running);
  /* the last round may have one tile on a multiprocessor where others have `blocks`, which is faster for it */
  const uint64_t last = weft_ceil_div(tiles - (rounds - 1) * running, t->context->core.device->info.compute_units);
  const float share = (float)(rounds - 1) + 0.2f + 0.8f * (float)last / (float)tile->blocks;
  return share * (float)tile->blocks * (float)(tile->m * tile->n) / tile->rate;
}

const weft__nvidia_tile *weft__nvidia_choose(const weft__nvidia_tile *tile, int tiles, const weft__matmul_task *t) {
  const weft__nvidia_tile *best = NULL;
  for (int i = 0; i < tiles; i++)
    if (!best || time_of(&tile[i], t) < time_of(best, t)) best = &tile[i];
  return best;
}

void weft__nvidia_define(weft__text *text, const weft__nvidia_tile *tile) {
  weft__text_add(text,
                 "#define TILE_M %d\n#define TILE_N %d\n#define TILE_K %d\n#define WARP_M %d\n#define WARP_N %d\n",
                 tile->m, tile->n, tile->k, tile->warp_m, tile->warp_n);
  weft__text_add(text, "#define STAGES %d\n", tile->stages);
}

bool weft__nvidia_is_wide(const weft__matmul_task *t, const weft__matmul_matrix *x, int64_t line, int64_t step) {
  return step == 1 && weft__matmul_chunk(t, x, line) == 16 / (int)weft_dtype_size_bytes(x->dtype);
}

weft_status weft__nvidia_launch(const weft__matmul_task *t, weft__kernel *kernel, const weft__nvidia_tile *tile,
                                uint64_t own) {
  weft__matmul_args args;
  weft__matmul_fill(&args, t);
  args.own[0] = weft_ceil_div((uint64_t)t->m, (uint64_t)tile->m);
  args.own[1] = weft_ceil_div((uint64_t)t->n, (uint64_t)tile->n);
  args.own[2] = own;
  return weft__matmul_launch(t, kernel, weft__dim3(args.own[0] * args.own[1] * args.batches, 1, 1),
                             weft__dim3((uint64_t)tile->threads, 1, 1), &args);
}

bool weft__nvidia_has_maps(const weft__matmul_task *t) {
  return t->batches == 1 && t->a.row > 0 && t->a.column > 0 && t->b.row > 0 && t->b.column > 0;
}

weft_status weft__nvidia_launch_maps(const weft__matmul_task *t, weft__kernel *kernel, const weft__nvidia_tile *tile) {
  weft__matmul_task mapped = *t;
  weft__matmul_args args;
  weft_array *maps = NULL;
  weft_status rc;
  weft__matmul_fill(&args, t);
  args.own[0] = weft_ceil_div((uint64_t)t->m, (uint64_t)tile->m);
  args.own[1] = weft_ceil_div((uint64_t)t->n, (uint64_t)tile->n);
  args.own[3] = args.own[0] * args.own[1];
  const uint64_t units = t->context->core.device->info.compute_units;
  if (args.own[3] > units) args.own[3] = units;
  WEFT__TRY(
      weft__array_create(&maps, t->context, WEFT_U8, WEFT_SHAPE((int64_t)((args.own[3] + 1) * MAPS_BYTES)), t->site));
  args.own[2] = (uint64_t)maps->offset_bytes;
  mapped.work = maps->storage;
  rc = weft__matmul_launch(&mapped, kernel, weft__dim3(args.own[3], 1, 1), weft__dim3((uint64_t)tile->threads, 1, 1),
                           &args);
done:
  weft_array_release(&maps);
  return rc;
}
