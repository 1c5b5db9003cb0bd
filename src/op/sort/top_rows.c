// SPDX-License-Identifier: MIT
/// The first elements of sorted rows without sorting them, on GPUs: launches of cl/sort/gpu_top.cl. The first one finds
/// the first elements of the parts of each row, each later one finds the first among the last one's results.
///
/// The floor is one read of the elements. A sort reads and writes them at least once, with their places.
#include "dtype/opencl.h"
#include "op/sort/rows.h"
#include "op/sort/tuning.h"

bool weft__topk_parts_fits(const void *task) {
  const weft__topk *t = task;
  return t->context->core.device->info.local_memory_bytes >= WEFT__TOP_LOCAL_BYTES &&
         weft_dtype_kind(t->from->dtype) != 'c' && t->count <= WEFT__TOP_MOST && t->length >= WEFT__TOP_LEAST_LENGTH;
}

static uint64_t parts_of(uint64_t rows, uint64_t length, uint64_t units) {
  const uint64_t least = weft_ceil_div(length, WEFT__TOP_MOST_PART), most = length / WEFT__TOP_LEAST_PART;
  const uint64_t filling = weft_ceil_div(WEFT__TOP_BLOCKS * units, rows); /* parts that keep all units busy */
  const uint64_t parts = filling < most ? filling : most;
  return parts > least ? parts : least;
}

typedef struct top_key {
  uint8_t key_bytes, kind, narrow;
} top_key;

static void write_defines(weft__text *text, const void *data) {
  const top_key *key = data;
  weft__text_add(text, "#define SORT_KEY_BYTES %d\n#define SORT_KIND %d\n#define WEFT_BLOCK %d\n", key->key_bytes,
                 key->kind, WEFT__GPU_BLOCK);
  if (key->narrow)
    weft__text_add(text, "#define SORT_INFINITY %u\n", (unsigned)weft__infinity_bits((weft_dtype)key->narrow));
}

static weft_status get_kernel(weft__kernel **kernel, const weft__topk *t) {
  static const char *const names[] = {"weft_top"};
  const weft_dtype dtype = t->from->dtype;
  const top_key key = {(uint8_t)weft_dtype_size_bytes(dtype), weft_dtype_kind(dtype) == 'f',
                       weft__is_narrow(dtype) ? (uint8_t)dtype : 0};
  const weft__kernel_source source = {
      .name = "topk",
      .key = {.file = "sort/gpu_top.cl", .kernel = names, .kernels = 1, WEFT__KEY_BYTES(top_key, &key)},
      .write = write_defines};
  return weft__kernels_get(kernel, &t->context->store, &source);
}

/// One launch; *from and *numbers become its results, and the scratch they were in is released.
static weft_status find_in_parts(weft__kernel *kernel, const weft__topk *t, weft__top_args *a, weft_array **from,
                                 weft_array **numbers) {
  weft_status rc;
  weft_array *values = NULL, *places = NULL;
  const weft_array *x = *from ? *from : t->from;
  const weft_shape shape = WEFT_SHAPE((int64_t)(t->rows * a->parts), (int64_t)a->count);
  if (a->parts > 1) {
    WEFT__TRY(weft__array_create(&values, t->context, x->dtype, shape, t->site));
    WEFT__TRY(weft__array_create(&places, t->context, WEFT_I64, shape, t->site));
  }
  const weft_array *to = values ? values : t->values, *to_places = places ? places : t->numbers;
  const weft_array *from_places = *numbers ? *numbers : to_places; /* not read */
  a->has_numbers = *numbers != NULL;
  a->from = (uint64_t)x->offset_bytes;
  a->to = (uint64_t)to->offset_bytes;
  a->from_numbers = (uint64_t)from_places->offset_bytes;
  a->to_numbers = (uint64_t)to_places->offset_bytes;
  const weft__use use[] = {
      {x->storage, false}, {to->storage, true}, {from_places->storage, false}, {to_places->storage, true}};
  const uint64_t blocks = t->rows * a->parts;
  WEFT__TRY(weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(blocks), WEFT_DIM3(WEFT__GPU_BLOCK), a, sizeof *a, 4,
                                                 use, .what = "topk", .site = t->site}));
  weft_array_release(from);
  weft_array_release(numbers);
  *from = values;
  *numbers = places;
  return WEFT_OK;
done:
  weft_array_release(&values);
  weft_array_release(&places);
  return rc;
}

weft_status weft__topk_parts_run(bool *is_done, const void *task) {
  const weft__topk *t = task;
  weft_status rc;
  weft_array *from = NULL, *numbers = NULL;
  weft__kernel *kernel;
  const uint64_t units = t->context->core.device->info.compute_units;
  weft__top_args a = {.length = t->length, .count = (uint32_t)t->count};
  weft__sort_flips(&a.flip, &a.flip_top, t->from->dtype, !t->smallest);
  WEFT__TRY(get_kernel(&kernel, t));
  do {
    a.parts = parts_of(t->rows, a.length, units);
    if (t->rows * a.parts > INT32_MAX)
      WEFT__TRY(weft__fail(WEFT_ERROR_UNSUPPORTED, "x", "`x` makes %llu blocks; 2^31 - 1 are the most",
                           (unsigned long long)(t->rows * a.parts)));
    WEFT__TRY(find_in_parts(kernel, t, &a, &from, &numbers));
    a.length = a.parts * a.count;
  } while (a.parts > 1);
  *is_done = true;
  rc = WEFT_OK;
done:
  weft_array_release(&from);
  weft_array_release(&numbers);
  return rc;
}
