// SPDX-License-Identifier: MIT
/// Elements of given ranks of one row, on GPUs, by counting digits.
#include "dtype/opencl.h"
#include "op/sort/rows.h"
#include "op/sort/tuning.h"

/* ---- when ---- */

bool weft__nth_pays(const weft_array *x, uint64_t rows, uint64_t length, int ranks) {
  const weft_device_info *info = &x->context->core.device->info;
  if (length < WEFT__NTH_LONG_ROW || length > UINT32_MAX || rows > WEFT__NTH_MOST_ROWS || ranks > WEFT__NTH_RANKS)
    return false;
  if (weft_dtype_kind(x->dtype) == 'c') return false;
  return info->local_memory_bytes >= WEFT__NTH_LOCAL_BYTES &&
         length * weft_dtype_size_bytes(x->dtype) >= rows * WEFT__NTH_LAUNCHES_BYTES;
}

/* ---- launches ---- */

typedef struct nth_key {
  uint8_t key_bytes, kind, narrow;
} nth_key;

static void write_defines(weft__text *text, const void *data) {
  const nth_key *key = data;
  weft__text_add(text, "#define SORT_KEY_BYTES %d\n#define SORT_KIND %d\n#define WEFT_BLOCK %d\n#define RANKS %d\n",
                 key->key_bytes, key->kind, WEFT__GPU_BLOCK, WEFT__NTH_GPU_RANKS);
  if (key->narrow)
    weft__text_add(text, "#define SORT_INFINITY %u\n", (unsigned)weft__infinity_bits((weft_dtype)key->narrow));
}

weft_status weft__nth_run(weft_array *to, const weft_array *row, const uint64_t *rank, const char *what,
                          const char *site) {
  static const char *const names[] = {"weft_nth_count", "weft_nth_plan"};
  weft_context *context = row->context;
  const uint64_t units = context->core.device->info.compute_units, n = (uint64_t)row->size;
  const uint64_t bytes = weft_dtype_size_bytes(row->dtype);
  const char kind = weft_dtype_kind(row->dtype);
  const nth_key key = {(uint8_t)bytes, kind == 'f', weft__is_narrow(row->dtype) ? (uint8_t)row->dtype : 0};
  const weft__kernel_source source = {
      .name = what,
      .key = {.file = "sort/nth.cl", .kernel = names, .kernels = 2, WEFT__KEY_BYTES(nth_key, &key)},
      .write = write_defines};
  const bool last_block_plans = weft__has_device_scope(&context->core);
  const uint64_t most = weft_ceil_div(n, WEFT__NTH_LEAST_SHARE * WEFT__GPU_BLOCK),
                 wanted = (units ? units : 1) * WEFT__NTH_BLOCKS;
  weft__nth_args a = {.length = n, .from = (uint64_t)row->offset_bytes, .to = (uint64_t)to->offset_bytes};
  weft__kernel *kernel[2];
  weft_array *state = NULL;
  weft_status rc;
  WEFT__TRY(weft__kernels_get(kernel, &context->store, &source));
  if (kind == 'i') a.flip_top = UINT32_C(1) << (bytes >= 4 ? 31 : 8 * bytes - 1);
  WEFT__TRY(weft__array_create(&state, context, WEFT_U64,
                               WEFT_SHAPE(2 * WEFT__NTH_RANKS + 1 + WEFT__NTH_RANKS * WEFT__NTH_BINS / 2), site));
  const weft_dim3 blocks = WEFT_DIM3(wanted < most ? wanted : most), block = WEFT_DIM3(WEFT__GPU_BLOCK);
  const weft__use count[] = {{row->storage, false}, {state->storage, true}, {to->storage, true}};
  const weft__use plan[] = {{state->storage, true}, {to->storage, true}};
  for (int64_t done = 0; done < to->size; done += a.ranks, a.to += a.ranks * bytes) {
    a.ranks = (uint32_t)(to->size - done < WEFT__NTH_GPU_RANKS ? to->size - done : WEFT__NTH_GPU_RANKS);
    for (uint32_t r = 0; r < a.ranks; r++) a.rank[r] = rank[done + r];
    if (done == 0) WEFT__TRY(weft__fill(state, WEFT_SCALAR(0), site));
    for (a.digit = 0; 11 * a.digit < 8 * bytes; a.digit++) {
      WEFT__TRY(weft__run_kernel(
          &(weft__kernel_run){kernel[0], blocks, block, &a, sizeof a, 3, count, .what = what, .site = site}));
      if (last_block_plans) continue;
      WEFT__TRY(weft__run_kernel(
          &(weft__kernel_run){kernel[1], WEFT_DIM3(1), block, &a, sizeof a, 2, plan, .what = what, .site = site}));
    }
  }
  rc = WEFT_OK;
done:
  weft_array_release(&state);
  return rc;
}
