// SPDX-License-Identifier: MIT
/// The unique elements of a short array, sorted, in one launch on GPUs: cl/sort/gpu_tiles.cl.
#include "map/cast.h"
#include "op/sort/rows.h"
#include "op/sort/tuning.h"
#include "store/lookback.h"

/// Launches the kernel: blocks that sort a tile, that place elements, and that keep the unique ones.
static weft_status launch(weft__sort_work *work, const weft_array *room, const weft_array *count) {
  static const char *const name[] = {"sort_tiles"};
  weft__sort_args *job = &work->job;
  weft__store *store = &work->sort->context->store;
  weft__kernel *kernel;
  weft__lookback *lookback;
  job->share = job->tiles > 1 ? weft_ceil_div(job->length, WEFT__GPU_BLOCK) : 0;
  const uint64_t blocks =
      job->tiles + job->share + weft_ceil_div(job->length, (uint64_t)WEFT__GPU_BLOCK * WEFT__SORT_KEPT);
  WEFT__TRY_RETURN(weft__sort_kernels(&kernel, work, "sort/gpu_tiles.cl", name, 1));
  WEFT__TRY_RETURN(weft__sort_spare(work));
  if (job->share)
    WEFT__TRY_RETURN(weft__sort_scratch(&work->key_to, &job->key_to, work, job->length * work->key.key_bytes));
  WEFT__TRY_RETURN(weft__lookback_begin(&lookback, &job->lookback, store, blocks));
  const weft__use use[] = {{work->key_from, false},   {work->key_to, job->share > 0}, {work->key_spare, true},
                           {lookback->storage, true}, {room->storage, true},          {count->storage, true}};
  const weft_status rc = weft__sort_launch_with(work, kernel, blocks, WEFT__GPU_BLOCK, 6, use);
  weft__lookback_end(lookback, blocks, rc);
  return rc;
}

static weft__sort sort_of(const weft_array *x, const char *site) {
  return (weft__sort){.context = x->context,
                      .what = "unique",
                      .site = site,
                      .rows = 1,
                      .length = (uint64_t)x->size,
                      .key_from = (weft_array *)x};
}

bool weft__sort_unique_works(const weft_array *x) {
  const weft__sort sort = sort_of(x, NULL);
  return x->size > 0 && x->size <= WEFT__SORT_SMALL_UNIQUE && weft_dtype_kind(x->dtype) != 'c' &&
         weft__sort_tiled_items(&sort, true) > 0;
}

weft_status weft__sort_unique(weft_array **values, const weft_array *x, bool distinct_nan, const char *site) {
  const weft__sort sort = sort_of(x, site);
  weft_array *room = NULL, *count = NULL;
  weft__sort_work work;
  int64_t kept = 0;
  weft_status rc;
  weft__sort_begin(&work, &sort);
  weft__sort_choose_tiles(&work, true);
  WEFT__TRY(weft__array_create(&room, x->context, x->dtype, WEFT_SHAPE(x->size), site));
  WEFT__TRY(weft__array_create(&count, x->context, WEFT_I64, WEFT_SHAPE_0D, site));
  work.key.unique = 1;
  work.job.flags = distinct_nan ? WEFT__SORT_DISTINCT_NAN : 0;
  work.job.value_to = (uint64_t)room->offset_bytes;
  work.job.value_spare = (uint64_t)count->offset_bytes;
  WEFT__TRY(launch(&work, room, count));
  WEFT__TRY(weft__array_read(&kept, count, true, site));
  WEFT__TRY(weft__keep_part(values, &room, WEFT_SHAPE(kept), site));
done:
  weft__sort_end(&work);
  weft_array_release(&count);
  weft_array_release(&room);
  return rc;
}
