// SPDX-License-Identifier: MIT
/// Elements of given ranks in each of many rows, in one launch: cl/sort/nth_rows.clh.
///
/// The floor on GPUs is one read of the elements: a row that fits a block's local memory is read once, a longer one
/// once and a sample of it, and the results are small. A sort reads and writes them once if a row fits a block, else
/// it reads them five times and writes them four times (keys of 4 bytes).
#include "dtype/opencl.h"
#include "op/sort/rows.h"

/* ---- when ---- */

#define SORTED 32              /* rows up to this length are sorted: on GPUs by counting all pairs */
#define ROOM_BYTES (32u << 10) /* GPUs: keys of a block in local memory */
#define LEAST_LOCAL 40960      /* with bins, sums and emulated warps */
#define ITEMS_PER_CORE 8

/// CPUs: shorter rows are sorted by a network or by quicksort in vectors, several or one at a time; but of keys of
/// 8 bytes rows up to MERGED are sorted by merging. ns of a core for each element of f32 (with AVX-512), the median and
/// the sort: rows of 1000 elements 2.2 and 1.0, of 1025 2.1 and 2.4, of 8192 1.1 and 3.3, of 65536 0.9 and 3.5; of f64:
/// of 40 9.3 and 20, of 128 7.4 and 27, of 400 6.1 and 3.9, of 2000 3.8 and 5.4, of 65536 1.6 and 6.6.
#define SHORT 1024
#define MERGED 256
#define CPU_RANKS 2

static bool is_worthwhile(bool is_cpu, uint64_t bytes, uint64_t length, int64_t ranks) {
  if (length > INT32_MAX || length <= SORTED) return false;
  if (!is_cpu) return ranks <= WEFT__NTH_RANKS;
  return ranks <= CPU_RANKS && (length > SHORT || (bytes > 4 && length <= MERGED));
}

/// The digit that makes as many lanes of a row as keep each lane busy with 4 to 32 elements. Few rows have a block
/// each: the launch takes as long as one row, and larger digits need fewer passes.
static uint8_t digit_of(uint64_t rows, uint64_t length, uint64_t units) {
  return rows <= 2 * units || length > 1024 ? 8 : length <= 256 ? 4 : 6;
}

static uint64_t room_of(const weft__nth_key *key) {
  return key->digit == 4 ? 256 : key->digit == 6 ? 1024 : ROOM_BYTES / key->key_bytes;
}

bool weft__nth_rows_pays(weft__nth_way *way, const weft_array *x, uint64_t rows, uint64_t length, int64_t ranks) {
  const weft_context *context = x->context;
  const weft_device_info *info = &context->core.device->info;
  const bool is_cpu = context->store.is_cpu;
  const uint8_t bytes = (uint8_t)weft_dtype_size_bytes(x->dtype);
  const char kind = weft_dtype_kind(x->dtype);
  if (!is_worthwhile(is_cpu, bytes, length, ranks) || rows > INT32_MAX || kind == 'c' ||
      (!is_cpu && info->local_memory_bytes < LEAST_LOCAL))
    return false;
  *way = (weft__nth_way){.key = {.key_bytes = bytes,
                                 .kind = kind == 'f',
                                 .narrow = weft__is_narrow(x->dtype) ? (uint8_t)x->dtype : 0,
                                 .is_cpu = is_cpu,
                                 .digit = is_cpu ? 0 : digit_of(rows, length, info->compute_units)},
                         .block = is_cpu ? 1 : WEFT__GPU_BLOCK,
                         .share = 1};
  if (kind == 'i') way->flip_top = UINT32_C(1) << (bytes >= 4 ? 31 : 8 * bytes - 1);
  if (is_cpu) {
    const uint64_t items = (info->compute_units ? info->compute_units : 1) * ITEMS_PER_CORE;
    way->key.is_long = true;
    way->share = weft_ceil_div(rows, items);
    way->blocks = weft_ceil_div(rows, way->share);
  } else {
    way->key.is_long = length > room_of(&way->key);
    way->blocks = weft_ceil_div(rows, WEFT__GPU_BLOCK >> way->key.digit);
  }
  return true;
}

/* ---- launches ---- */

void weft__nth_define(weft__text *text, const weft__nth_key *key) {
  weft__text_add(text, "#define SORT_KEY_BYTES %d\n#define SORT_KIND %d\n#define NTH_LONG %d\n", key->key_bytes,
                 key->kind, key->is_long);
  if (!key->is_cpu)
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
                           .share = way->share,
                           .ranks = (uint32_t)to->shape[0],
                           .flip_top = way->flip_top};
  for (uint32_t r = 0; r < a.ranks; r++) a.rank[r] = rank[r];
  const weft__use use[] = {{to->storage, true}, {x->storage, false}};
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &x->context->store, &source));
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(way->blocks), WEFT_DIM3(way->block), &a, sizeof a, 2,
                                              use, .what = what, .site = site});
}
