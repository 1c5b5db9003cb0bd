// SPDX-License-Identifier: MIT
/// Searches by a tree over the ordered array, on GPUs: cl/search/gpu_tree.cl.
///
/// The floor is a read of one sector of 32 bytes (elements of 8 bytes: of two) of the array for each value, if the
/// array is longer than the cache; a search by halves reads a sector for each halving beyond the cache.
#include "dtype/opencl.h"
#include "op/search/search.h"
#include "op/search/tuning.h"

#define TEST_LEAST (UINT64_C(1) << 12) /* on CPUs, which stand in for GPUs in tests */
#define LEAST_LOCAL 16384

static bool is_aligned(const weft_array *x) {
  return x->offset_bytes % (int64_t)(8 * weft_dtype_size_bytes(x->dtype)) == 0;
}

bool weft__search_tree_fits(const void *task) {
  const weft__ordered *o = task;
  const weft_device_info *info = &o->b->context->core.device->info;
  const uint64_t m = (uint64_t)o->b->size, n = (uint64_t)o->a->size;
  const bool is_test = info->type == WEFT_DEVICE_TYPE_CPU;
  const uint64_t least = is_test ? TEST_LEAST : WEFT__TREE_LEAST_LENGTH,
                 least_values = is_test ? 0 : WEFT__TREE_LEAST_VALUES;
  return weft_dtype_kind(o->b->dtype) != 'c' && weft_dtype_size_bytes(o->b->dtype) >= 4 && m >= least &&
         n >= least_values && m / WEFT__TREE_MOST_PER_VALUE <= n && is_aligned(o->b) &&
         info->local_memory_bytes >= LEAST_LOCAL;
}

/* ---- launches ---- */

typedef struct tree_key {
  uint8_t dtype, what;
} tree_key;

static void write_defines(weft__text *text, const void *data) {
  const tree_key *key = data;
  const weft_dtype dtype = (weft_dtype)key->dtype;
  weft__cl_define(text, dtype);
  weft__text_add(text, "#define WEFT_BLOCK %d\n#define WEFT_U %d\n#define SEARCH_RIGHT %d\n#define SEARCH_IN %d\n",
                 WEFT__GPU_BLOCK, weft_dtype_size_bytes(dtype) == 8 ? WEFT__TREE_EACH_WIDE : WEFT__TREE_EACH,
                 key->what == WEFT__SEARCH_RIGHT, key->what == WEFT__SEARCH_IN);
}

/// Places the levels; returns the tree's elements.
static int64_t place_levels(weft__tree_args *a) {
  uint64_t at = 0;
  for (uint64_t length = a->m / 8;; length /= 8) {
    a->level_at[++a->top] = at;
    at += (length + 7) / 8 * 8;
    if (length <= WEFT__TREE_TOP) return (int64_t)at;
  }
}

weft_status weft__search_tree_run(bool *is_done, const void *task) {
  static const char *const names[] = {"weft_tree_make", "weft_tree_search"};
  const weft__ordered *o = task;
  const weft_array *ordered = o->b, *values = o->a;
  weft_context *context = ordered->context;
  const tree_key key = {(uint8_t)weft__number_dtype(ordered->dtype), (uint8_t)o->what};
  const weft__kernel_source source = {
      .name = "search",
      .key = {.file = "search/gpu_tree.cl", .kernel = names, .kernels = 2, WEFT__KEY_BYTES(tree_key, &key)},
      .write = write_defines};
  weft__tree_args a = {.n = (uint64_t)values->size,
                       .m = (uint64_t)ordered->size,
                       .to = (uint64_t)o->out->offset_bytes,
                       .ordered = (uint64_t)ordered->offset_bytes,
                       .values = (uint64_t)values->offset_bytes,
                       .is_inverted = o->is_inverted};
  weft__kernel *kernel[2];
  weft_array *tree = NULL;
  weft_status rc;
  *is_done = true;
  WEFT__TRY(weft__kernels_get(kernel, &context->store, &source));
  WEFT__TRY(weft__array_create(&tree, context, ordered->dtype, WEFT_SHAPE(place_levels(&a)), o->site));
  a.tree = (uint64_t)tree->offset_bytes;
  const weft_dim3 block = WEFT_DIM3(WEFT__GPU_BLOCK);
  const uint64_t step =
      WEFT__GPU_BLOCK * (uint64_t)(weft_dtype_size_bytes(ordered->dtype) == 8 ? WEFT__TREE_EACH_WIDE : WEFT__TREE_EACH);
  const uint64_t most = (uint64_t)context->core.device->info.compute_units * WEFT__SEARCH_BLOCKS;
  const uint64_t wanted = weft_ceil_div(a.n, step), blocks = wanted < most ? wanted : most;
  const weft__use make[] = {{tree->storage, true}, {ordered->storage, false}};
  const weft__use search[] = {
      {o->out->storage, true}, {ordered->storage, false}, {values->storage, false}, {tree->storage, false}};
  WEFT__TRY(weft__run_kernel(&(weft__kernel_run){kernel[0], WEFT_DIM3(weft_ceil_div(a.m / 8, WEFT__GPU_BLOCK)), block,
                                                 &a, sizeof a, 2, make, .what = "search", .site = o->site}));
  rc = weft__run_kernel(&(weft__kernel_run){kernel[1], WEFT_DIM3(blocks), block, &a, sizeof a, 4, search,
                                            .what = "search", .site = o->site});
done:
  weft_array_release(&tree);
  return rc;
}
