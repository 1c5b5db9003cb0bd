// SPDX-License-Identifier: MIT
/// The way `block`: a row's threads keep it in their registers (cl/normalize/gpu.cl).
#include "dtype/opencl.h"
#include "dtype/scalar.h"
#include "op/normalize/normalize.h"
#include "op/normalize/tuning.h"
#include "store/kernel_set.h"

typedef struct normalize_key {
  uint8_t dtype, function;
  uint8_t parts, items, each, aligned; /* warps of a row; chunks of a thread; elements of a chunk */
} normalize_key;

/// The type that moves a chunk.
static const char *raw_type(size_t bytes, size_t element_bytes) {
  if (bytes < 8) return bytes == 2 ? "ushort" : "uint";
  if (bytes == 8) return element_bytes == 8 ? "ulong" : "uint2";
  return element_bytes == 8 ? "ulong2" : "uint4";
}

static void write_defines(weft__text *text, const void *data) {
  const normalize_key *key = data;
  const size_t bytes = weft_dtype_size_bytes((weft_dtype)key->dtype);
  weft__cl_define(text, (weft_dtype)key->dtype);
  weft__text_add(text, "#define FUNCTION %d\n", key->function);
  weft__text_add(text, "#define WIDTH %d\n#define ITEMS %d\n#define EACH %d\n#define ALIGNED %d\n#define RAW %s\n",
                 32 * key->parts, key->items, key->each, key->aligned, raw_type(bytes * key->each, bytes));
}

/// Threads of a row, from a warp to a block, and the chunks of each.
static void divide_row(normalize_key *key, uint64_t length, uint64_t most_threads) {
  const uint64_t most = 16 / weft_dtype_size_bytes((weft_dtype)key->dtype);
  uint64_t each = 1, width = 32, items = 1;
  while (each < most && length % (2 * each) == 0 && 64 * each <= length) each *= 2;
  while (width < most_threads && width * WEFT__NORMALIZE_LEAST_ITEMS * each < length) width *= 2;
  while (width * items * each < length) items *= 2;
  key->parts = (uint8_t)(width / 32);
  key->items = (uint8_t)items;
  key->each = (uint8_t)each;
}

static uint64_t bits_of(double value, weft_dtype dtype) {
  uint64_t bits[2] = {0};
  const weft_status rc = weft__element_bytes(bits, dtype, WEFT_SCALAR(value), "epsilon");
  (void)rc; /* every double has a float */
  return bits[0];
}

/// The most threads of a row. Sums of reproducible contexts are grouped in the same way on every device.
static uint64_t most_threads(const weft_context *context) {
  const bool has_many = context->core.device->info.max_block_threads >= WEFT__NORMALIZE_MOST_THREADS;
  return has_many && !context->core.reproducible ? WEFT__NORMALIZE_MOST_THREADS : WEFT__NORMALIZE_BLOCK;
}

bool weft__normalize_block_fits(const void *task) {
  const weft__normalizing *t = *(weft__normalizing *const *)task;
  return weft__normalize_has_rows(t) &&
         t->length <= WEFT__NORMALIZE_BLOCK * (WEFT__NORMALIZE_MOST_ELEMENTS * 4 / weft_dtype_size_bytes(t->work));
}

weft_status weft__normalize_block_run(bool *is_done, const void *task) {
  static const char *const names[] = {"weft_normalize_rows"};
  weft__normalizing *t = *(weft__normalizing *const *)task;
  const weft__call *c = &t->call;
  WEFT__TRY_RETURN(weft__normalize_contiguous(t));
  const weft_array *to = c->array[0], *from = c->array[1];
  normalize_key key = {.dtype = (uint8_t)t->dtype, .function = t->function};
  divide_row(&key, t->length, most_threads(c->context));
  const int64_t bytes = key.each * (int64_t)weft_dtype_size_bytes(t->dtype);
  key.aligned = from->offset_bytes % bytes == 0 && (!weft__normalize_gives_rows(t) || to->offset_bytes % bytes == 0);
  const weft__kernel_source source = {
      .name = "normalize",
      .key = {.file = "normalize/gpu.cl", .kernel = names, .kernels = 1, WEFT__KEY_BYTES(normalize_key, &key)},
      .write = write_defines};
  weft__kernel *kernel;
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &c->context->store, &source));
  const uint64_t width = 32u * key.parts, block = width > WEFT__NORMALIZE_BLOCK ? width : WEFT__NORMALIZE_BLOCK;
  const weft__normalize_args args = {.rows = t->rows,
                                     .length = t->length,
                                     .to = (uint64_t)to->offset_bytes,
                                     .from = (uint64_t)from->offset_bytes,
                                     .divisor = bits_of(weft__normalize_freedom(t), t->work),
                                     .epsilon = bits_of(t->epsilon, t->work)};
  const weft__use use[] = {{to->storage, true}, {from->storage, false}};
  *is_done = true;
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(weft_ceil_div(t->rows, block / width)),
                                              WEFT_DIM3(block), &args, sizeof args, 2, use, .what = "normalize",
                                              .site = c->site});
}
