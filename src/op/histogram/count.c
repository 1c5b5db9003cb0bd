// SPDX-License-Identifier: MIT
/// Counting on GPUs: the launches. On CPUs: op/histogram/count_host.c.
#include <stdlib.h>
#include <string.h>

#include "dtype/opencl.h"
#include "map/cast.h"
#include "op/histogram/histogram.h"
#include "op/histogram/tuning.h"

#define LOCAL_OF(words) ((words)*4 + 8) /* bytes of local memory: the counters, and what a block measures */
#define PART_TILE (WEFT__COUNT_PART_BLOCK * WEFT__COUNT_PART_ELEMENTS)
/* bytes of local memory: sorted elements, four counters and a sum for each part, and the scratch of emulated warps */
#define PART_LOCAL \
  (PART_TILE * 2 + 5 * WEFT__COUNT_PARTS * 4 + WEFT__COUNT_PART_BLOCK * 8 + WEFT__COUNT_PART_BLOCK / 32 * 4)

/* ---- which kernels ---- */

typedef struct count_key {
  /* words: 0 none, 1 small, 2 large, 3 of a range */
  unsigned char x, value, mode, table, bytes, words, tickets, wide;
  unsigned char weight; /* of weights: their dtype, f32 or f64 */
  unsigned char unroll; /* loads of a thread before it counts */
} count_key;

static void write_defines(weft__text *text, const void *data) {
  const count_key *key = data;
  static const char *const modes[] = {"", "DIRECT", "EVEN", "SEARCH"};
  static const int words[] = {0, WEFT__COUNT_SMALL_WORDS, WEFT__COUNT_LARGE_WORDS, WEFT__COUNT_RANGE_BINS};
  const weft_dtype x = (weft_dtype)key->x, value = (weft_dtype)key->value;
  const char *unsigned_value = weft_dtype_size_bytes(value) == 8 ? "ulong" : "uint";
  weft__cl_define(text, x);
  weft__text_add(text, "#define VALUE %s\n#define UVALUE %s\n#define VALUE_FLOAT %d\n#define VALUE_WIDE %d\n",
                 weft__cl_stored(value), unsigned_value, weft_dtype_kind(value) == 'f', weft__needs_fp64(value));
  if (key->mode) weft__text_add(text, "#define BIN_%s 1\n#define BIN_TABLE %d\n", modes[key->mode], key->table);
  weft__text_add(text, "#define BYTES %d\n#define TICKETS %d\n#define WIDE_COUNTS %d\n", key->bytes, key->tickets,
                 key->wide);
  if (key->weight) weft__text_add(text, "#define WEIGHT %s\n", weft__cl_stored((weft_dtype)key->weight));
  weft__text_add(text, "#define WEFT_U %d\n#define WEFT_E %d\n", key->unroll ? key->unroll : WEFT__COUNT_LOADS,
                 (int)(16 / weft_dtype_size_bytes(x)));
  weft__text_add(text, "#define LOCAL_WORDS %d\n#define LOCAL_EDGES %d\n#define RANGES %d\n", words[key->words],
                 key->words == 1 ? WEFT__COUNT_SMALL_BINS + 1 : 0, key->words == 3);
}

static void write_gpu(weft__text *text, const void *data) {
  const count_key *key = data;
  weft__text_add(text, "#define WEFT_BLOCK %d\n", key->words == 3 ? WEFT__COUNT_RANGE_BLOCK : WEFT__GPU_BLOCK);
  write_defines(text, data);
}

static void write_parts(weft__text *text, const void *data) {
  weft__text_add(text, "#define WEFT_BLOCK %d\n#define PARTS %d\n#define PART_BINS %d\n", WEFT__COUNT_PART_BLOCK,
                 WEFT__COUNT_PARTS, WEFT__COUNT_LARGE_BINS);
  write_defines(text, data);
}

static weft_status get_kernels(weft__kernel **kernels, weft_context *context, const char *file,
                               const char *const *names, int count, const count_key *key,
                               void (*write)(weft__text *text, const void *data)) {
  const weft__kernel_source source = {
      .name = "histogram",
      .key = {.file = file, .kernel = names, .kernels = count, WEFT__KEY_BYTES(count_key, key)},
      .write = write};
  return weft__kernels_get(kernels, &context->store, &source);
}

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b) {
  return a < b ? b : a;
}

static uint32_t blocks_for(const weft_context *context, uint64_t tiles, uint32_t per_unit) {
  return (uint32_t)most(1, least(tiles, (uint64_t)context->core.device->info.compute_units * per_unit));
}

/// Finds where the 16-byte chunks of x begin and the number of whole tiles.
static void cut_tiles(weft__histogram_args *a, const weft_array *x, uint64_t block, uint64_t unroll) {
  const uint64_t size = weft_dtype_size_bytes(x->dtype), before = (16 - a->x_offset % 16) % 16;
  a->head = least(before / size, a->n);
  a->tiles = before % size ? 0 : (a->n - a->head) / (block * unroll * 16 / size);
  if (!a->tiles) a->head = 0;
}

static int add_edges(weft__use *use, int uses, weft__histogram_args *a, const weft__binning *binning) {
  if (!binning->edges) return uses;
  a->edges_offset = (uint64_t)binning->edges->offset_bytes;
  use[uses] = (weft__use){binning->edges->storage, false};
  return uses + 1;
}

/* ---- GPUs ---- */

/// Whether blocks have counters in local memory.
static bool has_tables(const weft_context *context) {
  return context->core.device->info.local_memory_bytes >= LOCAL_OF(WEFT__COUNT_LARGE_WORDS);
}

/// The ranges of bins that are counted in local memory, by blocks of their own; 0: not by ranges. Each element is read
/// once for each range.
static uint32_t ranges_for(const weft_context *context, const weft__binning *binning, const weft__histogram_args *a) {
  const weft_device_info *info = &context->core.device->info;
  const uint64_t ranges = weft_ceil_div(a->bins, WEFT__COUNT_RANGE_BINS);
  const bool pays = a->bins > WEFT__COUNT_LARGE_BINS && ranges <= WEFT__COUNT_MOST_RANGES &&
                    a->n / WEFT__COUNT_RANGE_ELEMENTS >= a->bins && binning->mode != WEFT__BIN_SEARCH;
  const bool fits = info->local_memory_bytes >= LOCAL_OF(WEFT__COUNT_RANGE_BINS) &&
                    info->max_block_threads >= WEFT__COUNT_RANGE_BLOCK;
  return pays && fits ? (uint32_t)ranges : 0;
}

/// Chooses a block's counters in local memory.
static void choose_counters(count_key *key, weft__histogram_args *a, const weft_array *x,
                            const weft__binning *binning) {
  const weft_context *context = x->context;
  const bool has_local = has_tables(context);
  key->bytes = has_local && weft_dtype_size_bytes(x->dtype) == 1;
  key->words = !has_local                                        ? 0
               : key->bytes || a->bins <= WEFT__COUNT_SMALL_BINS ? 1
               : a->bins <= WEFT__COUNT_LARGE_BINS               ? 2
                                                                 : 0;
  if (binning->mode == WEFT__BIN_SEARCH && key->bytes && a->bins > WEFT__COUNT_SMALL_BINS)
    key->bytes = 0, key->words = a->bins <= WEFT__COUNT_LARGE_BINS ? 2 : 0;
  a->chunks = key->words || a->measures ? 0 : ranges_for(context, binning, a);
  if (a->chunks) key->words = 3;
  const uint64_t tiles = a->n * weft_dtype_size_bytes(x->dtype) / (WEFT__GPU_BLOCK * WEFT__COUNT_LONG_LOADS * 16);
  const bool is_long =
      key->words == 1 && tiles >= WEFT__COUNT_LONG_TILES * (uint64_t)context->core.device->info.compute_units;
  key->unroll = is_long ? WEFT__COUNT_LONG_LOADS : WEFT__COUNT_LOADS;
}

/// The blocks that clear the counts, if no launch does. With counters in local memory, one is faster than several.
static uint32_t clearing_blocks(const weft__histogram_args *a, const count_key *key) {
  if (!a->adds || !key->tickets) return 0;
  if (key->words) return a->bins <= WEFT__COUNT_LARGE_BINS;
  const uint64_t blocks = weft_ceil_div(a->bins, WEFT__COUNT_CLEARED_EACH);
  return a->n <= WEFT__COUNT_CLEARED_FEW && blocks <= WEFT__GPU_BLOCK ? (uint32_t)blocks : 0;
}

/// Launches the kernel. `use` has room for one more buffer.
static weft_status launch_counting(weft_context *context, weft__kernel *kernel, weft__histogram_args *a,
                                   const count_key *key, int uses, weft__use *use, const char *site) {
  const uint32_t block = a->chunks ? WEFT__COUNT_RANGE_BLOCK : WEFT__GPU_BLOCK;
  uint32_t blocks = a->adds ? blocks_for(context, a->tiles, WEFT__COUNT_BLOCKS * WEFT__COUNT_LOADS / key->unroll) : 1;
  if (a->chunks) {
    blocks = blocks_for(context, a->tiles * a->chunks, WEFT__COUNT_RANGE_BLOCKS);
    blocks = (uint32_t)most(1, blocks / a->chunks) * a->chunks;
  }
  weft__lookback *lookback = NULL;
  if (!key->words) blocks += a->clears; /* which count nothing */
  if (a->clears) WEFT__TRY_RETURN(weft__lookback_begin(&lookback, &a->lookback, &context->store, a->clears));
  if (key->tickets) use[uses++] = (weft__use){lookback ? lookback->storage : use[0].storage, true};
  const weft_status rc = weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(blocks), WEFT_DIM3(block), a, sizeof *a,
                                                              uses, use, .what = "histogram", .site = site});
  if (lookback) weft__lookback_end(lookback, blocks, rc);
  return rc;
}

/// Whether additions in global memory would take longer than it takes to sort the elements by part of the bins: H100,
/// 2^26 i64 in 2^20 bins, us, 1407 and 613.
bool weft__histogram_parts_fits(const void *of) {
  const weft__count *c = of;
  const weft_context *context = c->x->context;
  const weft_device_info *info = &context->core.device->info;
  const uint64_t n = c->args.n, bins = c->args.bins, size = weft_dtype_size_bytes(c->x->dtype);
  return !c->weights && bins > WEFT__COUNT_LARGE_BINS && bins <= WEFT__COUNT_PARTS * WEFT__COUNT_LARGE_BINS &&
         n >= WEFT__COUNT_LEAST_SORTED && n / WEFT__COUNT_SORTED_FOR_BIN >= bins && size > 1 &&
         c->args.x_offset % size == 0 && info->max_block_threads >= WEFT__COUNT_PART_BLOCK &&
         info->local_memory_bytes >= PART_LOCAL && !ranges_for(context, c->binning, &c->args);
}

/// Makes room for the sorted elements of a piece of x, and before them for where the parts of each tile begin.
static weft_status make_sorted(weft_array **memory, weft__histogram_args *a, uint64_t piece, weft_context *context,
                               const char *site) {
  a->chunk = (WEFT__COUNT_PARTS + piece / PART_TILE * (WEFT__COUNT_PARTS + 1) + 3) / 4 * 16;
  return weft__array_create(memory, context, WEFT_U8, WEFT_SHAPE((int64_t)(a->chunk + piece * 2)), site);
}

/// By cl/histogram/parts.cl, a piece of x after the other: smaller ones where memory is short, and in the end none:
/// the next way.
weft_status weft__histogram_parts_run(bool *done, const void *of) {
  static const char *const names[] = {"weft_histogram_split", "weft_histogram_parts"};
  const weft__count *c = of;
  weft_array *counts = c->counts;
  const weft_array *x = c->x;
  const weft__binning *binning = c->binning;
  weft__histogram_args a = c->args;
  const char *site = c->site;
  const uint64_t n = a.n, offset = a.x_offset, size = weft_dtype_size_bytes(x->dtype);
  const count_key key = {.x = (unsigned char)x->dtype,
                         .value = (unsigned char)binning->value,
                         .mode = (unsigned char)binning->mode,
                         .table = binning->edges != NULL,
                         .unroll = (unsigned char)(WEFT__COUNT_PART_ELEMENTS * size / 16),
                         .wide = n > UINT32_MAX};
  uint64_t piece = least(n, WEFT__COUNT_PART_PIECE);
  weft__kernel *kernel[2];
  weft_array *memory = NULL;
  weft_status rc = make_sorted(&memory, &a, piece, x->context, site);
  while (weft__without_memory(&rc)) {
    piece /= 2;
    if (piece < WEFT__COUNT_LEAST_PIECE) return WEFT_OK;
    rc = make_sorted(&memory, &a, piece, x->context, site);
  }
  WEFT__TRY(rc);
  WEFT__TRY(get_kernels(kernel, x->context, "histogram/parts.cl", names, 2, &key, write_parts));
  WEFT__TRY(weft__fill(counts, WEFT_SCALAR(0), site));
  weft__use split[4] = {{counts->storage, true}, {memory->storage, true}, {x->storage, false}};
  const weft__use count[] = {{counts->storage, true}, {memory->storage, false}};
  const int uses = add_edges(split, 3, &a, binning);
  weft_array totals = weft__array_part(memory, 0, 0, WEFT__COUNT_PARTS * 4);
  a.share = WEFT__COUNT_PART_SHARE;
  for (uint64_t first = 0; first < n; first += piece) {
    a.n = least(piece, n - first);
    a.x_offset = offset + first * size;
    cut_tiles(&a, x, WEFT__COUNT_PART_BLOCK, key.unroll);
    WEFT__TRY(weft__fill(&totals, WEFT_SCALAR(0), site));
    WEFT__TRY(weft__run_kernel(&(weft__kernel_run){kernel[0], WEFT_DIM3(a.tiles + 1), WEFT_DIM3(WEFT__COUNT_PART_BLOCK),
                                                   &a, sizeof a, uses, split, .what = "histogram", .site = site}));
    WEFT__TRY(weft__run_kernel(&(weft__kernel_run){
        kernel[1], WEFT_DIM3(a.tiles * PART_TILE / WEFT__COUNT_PART_SHARE + WEFT__COUNT_PARTS),
        WEFT_DIM3(WEFT__COUNT_PART_BLOCK), &a, sizeof a, 2, count, .what = "histogram", .site = site}));
  }
  *done = true;
done:
  weft_array_release(&memory);
  return rc;
}

bool weft__histogram_blocks_fits(const void *of) {
  return !((const weft__count *)of)->weights;
}

weft_status weft__histogram_blocks_run(bool *done, const void *of) {
  static const char *const names[] = {"weft_histogram"};
  const weft__count *c = of;
  const weft_array *x = c->x;
  const weft__binning *binning = c->binning;
  weft__histogram_args a = c->args;
  weft_context *context = x->context;
  weft__kernel *kernel;
  count_key key = {.x = (unsigned char)x->dtype,
                   .value = (unsigned char)binning->value,
                   .mode = (unsigned char)binning->mode,
                   .table = binning->edges != NULL,
                   .tickets = weft__has_device_scope(&context->core),
                   .wide = (uint64_t)x->size > UINT32_MAX};
  *done = true;
  choose_counters(&key, &a, x, binning);
  WEFT__TRY_RETURN(get_kernels(&kernel, context, "histogram/gpu.cl", names, 1, &key, write_gpu));
  cut_tiles(&a, x, a.chunks ? WEFT__COUNT_RANGE_BLOCK : WEFT__GPU_BLOCK, key.unroll);
  a.stride = key.bytes ? 256 : a.chunks ? WEFT__COUNT_RANGE_BINS : a.bins;
  a.copies = 1;
  if (key.words == 1 || key.words == 2)
    a.copies = (uint32_t)least(WEFT__GPU_BLOCK / 32,
                               (key.words == 1 ? WEFT__COUNT_SMALL_WORDS : WEFT__COUNT_LARGE_WORDS) / a.stride);
  a.adds = !key.words || key.bytes || a.measures || a.tiles > WEFT__COUNT_ALONE_TILES;
  a.clears = clearing_blocks(&a, &key);
  if (a.adds && !a.clears) WEFT__TRY_RETURN(weft__fill(c->counts, WEFT_SCALAR(0), c->site));
  weft__use use[4] = {{c->counts->storage, true}, {x->storage, false}};
  const int uses = add_edges(use, 2, &a, binning);
  return launch_counting(context, kernel, &a, &key, uses, use, c->site);
}

bool weft__histogram_weights_fits(const void *of) {
  return ((const weft__count *)of)->weights != NULL;
}

weft_status weft__histogram_weights_run(bool *done, const void *of) {
  static const char *const names[] = {"weft_weights_greatest", "weft_weights_add", "weft_weights_end"};
  const weft__count *c = of;
  const weft_array *sums = c->counts, *x = c->x, *weights = c->weights;
  const weft__binning *binning = c->binning;
  weft__histogram_args a = c->args;
  const char *site = c->site;
  weft_context *context = x->context;
  weft__kernel *kernel[3];
  weft_array *memory = NULL;
  if (!context->core.device->info.has_int64_atomics)
    return weft__fail(WEFT_ERROR_UNSUPPORTED, "weights", "sums of weights need 64-bit atomics, which %s lacks",
                      context->core.device->info.name);
  count_key key = {
      .x = (unsigned char)x->dtype, .value = (unsigned char)binning->value, .mode = (unsigned char)binning->mode};
  *done = true;
  key.table = binning->edges != NULL;
  key.weight = (unsigned char)weights->dtype;
  weft_status rc;
  WEFT__TRY(get_kernels(kernel, context, "histogram/weights.cl", names, 3, &key, write_gpu));
  a.weights_offset = (uint64_t)weights->offset_bytes;
  a.copies = (uint32_t)most(1, least(WEFT__COUNT_WEIGHT_COPIES, least(WEFT__COUNT_WEIGHT_BYTES / 16, a.n) / a.bins));
  a.chunk = 64 + ((uint64_t)a.bins + 3) / 4 * 16;
  WEFT__TRY(weft__array_create(&memory, context, WEFT_U8,
                               WEFT_SHAPE((int64_t)(a.chunk + (uint64_t)a.copies * a.bins * 16)), site));
  const uint32_t blocks = blocks_for(context, a.n / (WEFT__GPU_BLOCK * 4), WEFT__COUNT_BLOCKS);
  weft__use add[4] = {{memory->storage, true}, {x->storage, false}, {weights->storage, false}};
  const weft__use top[] = {{memory->storage, true}, {weights->storage, false}},
                  end[] = {{sums->storage, true}, {memory->storage, false}};
  const int uses = add_edges(add, 3, &a, binning);
  WEFT__TRY(weft__fill(memory, WEFT_SCALAR(0), site));
  WEFT__TRY(weft__run_kernel(&(weft__kernel_run){kernel[0], WEFT_DIM3(blocks), WEFT_DIM3(WEFT__GPU_BLOCK), &a, sizeof a,
                                                 2, top, .what = "histogram", .site = site}));
  WEFT__TRY(weft__run_kernel(&(weft__kernel_run){kernel[1], WEFT_DIM3(blocks), WEFT_DIM3(WEFT__GPU_BLOCK), &a, sizeof a,
                                                 uses, add, .what = "histogram", .site = site}));
  WEFT__TRY(weft__run_kernel(&(weft__kernel_run){kernel[2], WEFT_DIM3((a.bins + WEFT__GPU_BLOCK - 1) / WEFT__GPU_BLOCK),
                                                 WEFT_DIM3(WEFT__GPU_BLOCK), &a, sizeof a, 2, end, .what = "histogram",
                                                 .site = site}));
done:
  weft_array_release(&memory);
  return rc;
}

/* ---- all ---- */

weft_status weft__histogram_run(weft_array *counts, const weft_array *x, const weft_array *weights,
                                const weft__binning *binning, const char *site) {
  weft__count count = {counts, x, weights, binning, binning->args, site};
  if (counts->size == 0) return WEFT_OK;
  if (x->size == 0) return weft__fill(counts, WEFT_SCALAR(0), site);
  count.args.n = (uint64_t)x->size;
  count.args.x_offset = (uint64_t)x->offset_bytes;
  count.args.counts_offset = (uint64_t)counts->offset_bytes;
  return weft__ways_run(&weft__histogram_ways, x->context, &count);
}

weft_status weft__histogram_small(weft_array **counts, const weft_array *x, int64_t minlength, const char *site) {
  weft_context *context = x->context;
  weft_array *room = NULL;
  int64_t found[2] = {0};
  weft_status rc = WEFT_OK;
  if (context->store.is_cpu || !weft__has_device_scope(&context->core) || !has_tables(context)) return WEFT_OK;
  if (x->size == 0 || x->size > WEFT__COUNT_SMALL_COUNTED || minlength > WEFT__COUNT_LARGE_BINS) return WEFT_OK;
  const weft__binning binning = {
      .mode = WEFT__BIN_DIRECT,
      .value = weft__bin_value(x->dtype),
      .args = {.bins = WEFT__COUNT_LARGE_BINS, .used = WEFT__COUNT_LARGE_BINS, .measures = 1}};
  WEFT__TRY(weft__array_create(&room, context, WEFT_I64, WEFT_SHAPE(WEFT__COUNT_LARGE_BINS + 2), site));
  WEFT__TRY(weft__histogram_run(room, x, NULL, &binning, site));
  const weft_array measured = weft__array_part(room, 0, WEFT__COUNT_LARGE_BINS, 2);
  WEFT__TRY(weft__array_read(found, &measured, true, site));
  if (found[1] == x->size)
    WEFT__TRY(weft__keep_part(counts, &room, WEFT_SHAPE(found[0] < minlength ? minlength : found[0]), site));
done:
  weft_array_release(&room);
  return rc;
}

/* ---- the range of the data ---- */

static double float_of_bits(uint64_t bits, weft_dtype value) {
  float narrow;
  double wide;
  const uint32_t half = (uint32_t)bits;
  memcpy(&narrow, &half, sizeof narrow);
  memcpy(&wide, &bits, sizeof wide);
  return value == WEFT_F32 ? (double)narrow : wide;
}

static int64_t integer_of_bits(uint64_t bits, weft_dtype value) {
  return value == WEFT_I32 ? (int32_t)(uint32_t)bits : (int64_t)bits;
}

/// Joins the extents that the blocks found.
static void join(weft__extent *extent, const uint64_t *partial, uint64_t blocks, weft_dtype value) {
  const bool is_float = weft_dtype_kind(value) == 'f', is_unsigned = weft_dtype_kind(value) == 'u';
  uint64_t bad = UINT64_MAX, least_bits = partial[0], most_bits = partial[1];
  for (uint64_t b = 0; b < blocks; b++) {
    const uint64_t low = partial[3 * b], high = partial[3 * b + 1];
    bad = least(bad, partial[3 * b + 2]);
    if (is_float      ? float_of_bits(low, value) < float_of_bits(least_bits, value)
        : is_unsigned ? low < least_bits
                      : integer_of_bits(low, value) < integer_of_bits(least_bits, value))
      least_bits = low;
    if (is_float      ? float_of_bits(high, value) > float_of_bits(most_bits, value)
        : is_unsigned ? high > most_bits
                      : integer_of_bits(high, value) > integer_of_bits(most_bits, value))
      most_bits = high;
  }
  extent->bad = bad == UINT64_MAX ? -1 : (int64_t)bad;
  extent->least_integer = integer_of_bits(least_bits, value);
  extent->most_integer = is_unsigned ? most_bits : (uint64_t)integer_of_bits(most_bits, value);
  extent->least = is_float      ? float_of_bits(least_bits, value)
                  : is_unsigned ? (double)least_bits
                                : (double)extent->least_integer;
  extent->most = is_float      ? float_of_bits(most_bits, value)
                 : is_unsigned ? (double)most_bits
                               : (double)(int64_t)extent->most_integer;
}

weft_status weft__extent_blocks_run(bool *done, const void *of) {
  static const char *const names[] = {"weft_histogram_extent"};
  const weft__extent_parts *e = of;
  const weft_array *x = e->x;
  weft_context *context = x->context;
  weft__kernel *kernel;
  const weft_dtype value = weft__bin_value(x->dtype);
  const count_key key = {.x = (unsigned char)x->dtype, .value = (unsigned char)value, .mode = WEFT__BIN_DIRECT};
  const weft__histogram_args a = {.n = (uint64_t)x->size, .x_offset = (uint64_t)x->offset_bytes};
  const uint32_t blocks = blocks_for(context, a.n / (WEFT__GPU_BLOCK * 16), WEFT__COUNT_BLOCKS);
  *done = true;
  WEFT__TRY_RETURN(get_kernels(&kernel, context, "histogram/extent.cl", names, 1, &key, write_gpu));
  WEFT__TRY_RETURN(weft__array_create(e->partials, context, WEFT_U64, WEFT_SHAPE(3 * (int64_t)blocks), e->site));
  const weft__use use[] = {{(*e->partials)->storage, true}, {x->storage, false}};
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(blocks), WEFT_DIM3(WEFT__GPU_BLOCK), &a, sizeof a, 2,
                                              use, .what = "range of the data", .site = e->site});
}

weft_status weft__histogram_extent(weft__extent *extent, const weft_array *x, const char *site) {
  weft_array *partials = NULL;
  uint64_t *host = NULL;
  weft_status rc;
  WEFT__TRY(weft__ways_run(&weft__extent_ways, x->context, &(weft__extent_parts){x, &partials, site}));
  const size_t size_bytes = (size_t)weft_array_size_bytes(partials);
  host = malloc(size_bytes);
  if (!host) WEFT__TRY(weft__fail_host_memory(size_bytes));
  WEFT__TRY(weft__array_read(host, partials, true, site));
  join(extent, host, (uint64_t)partials->size / 3, weft__bin_value(x->dtype));
done:
  weft_array_release(&partials);
  free(host);
  return rc;
}
