// SPDX-License-Identifier: MIT
/// Elements of given ranks in each of many rows, in one launch, on GPUs: cl/sort/nth_rows.clh.
///
/// The floor is one read of the elements: a row that fits a block's local memory is read once, a longer one
/// once and a sample of it, and the results are small. A sort reads and writes them once if a row fits a block, else
/// it reads them five times and writes them four times (keys of 4 bytes).
#include "dtype/opencl.h"
#include "op/sort/rows.h"
#include "op/sort/tuning.h"

/* ---- when ---- */

/// The digit that makes as many lanes of a row as keep each lane busy with 4 to 32 elements. Few rows have a block
/// each: the launch takes as long as one row, and larger digits need fewer passes.
static uint8_t digit_of(uint64_t rows, uint64_t length, uint64_t units) {
  return rows <= 2 * units || length > 1024 ? 8 : length <= 256 ? 4 : 6;
}

static uint64_t room_of(const weft__nth_key *key) {
  return key->digit == 4 ? 256 : key->digit == 6 ? 1024 : WEFT__NTH_ROOM_BYTES / key->key_bytes;
}

bool weft__nth_rows_pays(weft__nth_way *way, const weft_array *x, uint64_t rows, uint64_t length, int64_t ranks) {
  const weft_context *context = x->context;
  const weft_device_info *info = &context->core.device->info;
  const uint8_t bytes = (uint8_t)weft_dtype_size_bytes(x->dtype);
  const char kind = weft_dtype_kind(x->dtype);
  if (length > INT32_MAX || length <= WEFT__NTH_SORTED || ranks > WEFT__NTH_RANKS || rows > INT32_MAX || kind == 'c' ||
      info->local_memory_bytes < WEFT__NTH_LOCAL_BYTES)
    return false;
  *way = (weft__nth_way){.key = {.key_bytes = bytes,
                                 .kind = kind == 'f',
                                 .narrow = weft__is_narrow(x->dtype) ? (uint8_t)x->dtype : 0,
                                 .digit = digit_of(rows, length, info->compute_units)}};
  if (kind == 'i') way->flip_top = UINT32_C(1) << (bytes >= 4 ? 31 : 8 * bytes - 1);
  way->key.is_long = length > room_of(&way->key);
  way->blocks = weft_ceil_div(rows, WEFT__GPU_BLOCK >> way->key.digit);
  return true;
}

/* ---- launches ---- */

void weft__nth_define(weft__text *text, const weft__nth_key *key) {
  weft__text_add(text, "#define SORT_KEY_BYTES %d\n#define SORT_KIND %d\n#define NTH_LONG %d\n", key->key_bytes,
                 key->kind, key->is_long);
  weft__text_add(text, "#define WEFT_BLOCK %d\n#define NTH_DIGIT %d\n#define NTH_ROOM %d\n", WEFT__GPU_BLOCK,
                 key->digit, (int)room_of(key));
  if (key->narrow)
    weft__text_add(text, "#define SORT_INFINITY %u\n", (unsigned)weft__infinity_bits((weft_dtype)key->narrow));
}

static void write_defines(weft__text *text, const void *data) {
  weft__nth_define(text, data);
}

weft_status weft__nth_rows_run(weft_array *to, const weft_array *x, const weft__nth_way *way, const uint64_t *rank,
                               const char *what, const char *site) {
  static const char *const names[] = {"weft_nth_rows"};
  weft__kernel *kernel;
  const weft__kernel_source source = {
      .name = what,
      .key = {.file = "sort/nth_rows.cl", .kernel = names, .kernels = 1, WEFT__KEY_BYTES(weft__nth_key, &way->key)},
      .write = write_defines};
  weft__nth_rows_args a = {.rows = (uint64_t)to->shape[1],
                           .length = (uint64_t)(x->size / to->shape[1]),
                           .from = (uint64_t)x->offset_bytes,
                           .to = (uint64_t)to->offset_bytes,
                           .ranks = (uint32_t)to->shape[0],
                           .flip_top = way->flip_top};
  for (uint32_t r = 0; r < a.ranks; r++) a.rank[r] = rank[r];
  const weft__use use[] = {{to->storage, true}, {x->storage, false}};
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &x->context->store, &source));
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(way->blocks), WEFT_DIM3(WEFT__GPU_BLOCK), &a, sizeof a,
                                              2, use, .what = what, .site = site});
}
