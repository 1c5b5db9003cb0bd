// SPDX-License-Identifier: MIT
/// Ordered arrays: the choice of kernels, and their launches.
#include "base/wide.h"
#include "dtype/opencl.h"
#include "mem/at_once.h"
#include "op/search/unique.h"

/* ---- sizes, to be tuned ---- */

#define BLOCKS_PER_UNIT 8 /* size of persistent grids */
#define SEARCHES 4        /* searches in flight per thread of a GPU */
#define CPU_SEARCHES 32   /* of a CPU's work-item */
#define PIVOTS 1024       /* elements of the ordered array in local memory: 8 KiB for 64-bit elements */
#define PIVOTS_WORTH 2048 /* values per block from which on loading the pivots pays */
#define MERGE_ITEMS 15    /* elements per thread; odd. For 64-bit elements: */
#define MERGE_ITEMS_WIDE 7
#define MERGE_DIVIDE_TILES 128 /* from this many tiles on, a launch of its own finds where they begin */

/* where a thread has one value: a load of each thread, in place of eight steps; -DFEW_PIVOTS=1024 measures others */
#ifndef FEW_PIVOTS
#define FEW_PIVOTS 256
#endif

#define CPU_CHUNKS_PER_UNIT 4
#define CPU_LEAST_SEARCHES 2048 /* per chunk */
#define CPU_LEAST_CHUNK 32768   /* per chunk, if elements are not searched for */

#define TABLE_LEAST 4096 /* values from which on a table pays */
#define TABLE_BITS 8     /* of the table, at most, for each value and each element of the ordered array */
#define TABLE_MOST_BITS (UINT64_C(1) << 28)

typedef struct search_key {
  unsigned char dtype, what, is_cpu;
} search_key;
#define FEW 0x80 /* beside `what`: a value for each thread of a GPU */

static void write_defines(weft__text *text, const void *data) {
  const search_key *key = data;
  const weft_dtype dtype = (weft_dtype)key->dtype;
  const int what = key->what & ~FEW;
  const int searches = what == key->what ? SEARCHES : 1, pivots = what == key->what ? PIVOTS : FEW_PIVOTS;
  if (weft_dtype_kind(dtype) == 'c')
    weft__text_add(text, "#define T %s2\n#define T_COMPLEX 1\n", weft__cl_stored(weft__real_dtype(dtype)));
  else
    weft__cl_define(text, dtype);
  weft__text_add(text, "#define WEFT_BLOCK %d\n#define WEFT_U %d\n#define WEFT_PIVOTS %d\n#define WEFT_ITEMS %d\n",
                 key->is_cpu ? 1 : WEFT__GPU_BLOCK, key->is_cpu ? CPU_SEARCHES : searches, key->is_cpu ? 0 : pivots,
                 weft_dtype_size_bytes(dtype) >= 8 ? MERGE_ITEMS_WIDE : MERGE_ITEMS);
  weft__text_add(text, "#define SEARCH_RIGHT %d\n#define SEARCH_IN %d\n", what == WEFT__SEARCH_RIGHT,
                 what >= WEFT__SEARCH_IN);
  if (what == WEFT__SEARCH_IN_TABLE)
    weft__text_add(text, "#define SEARCH_OFFSET %s\n", weft_dtype_size_bytes(dtype) == 8 ? "ulong" : "uint");
}

static weft_status get_kernels(weft__kernel **kernels, weft_context *context, const char *file,
                               const char *const *names, int count, weft_dtype dtype, unsigned char what) {
  const weft_dtype number = weft_dtype_kind(dtype) == 'c' ? dtype : weft__number_dtype(dtype);
  const search_key key = {(unsigned char)number, what, context->store.is_cpu};
  return weft__kernels_get(
      kernels, &context->store,
      &(weft__kernel_source){
          .name = "search",
          .key = {.file = file, .kernel = names, .kernels = count, WEFT__KEY_BYTES(search_key, &key)},
          .write = write_defines});
}

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint32_t blocks_for(const weft_context *context, uint64_t wanted, uint32_t per_unit) {
  const uint64_t blocks = least(wanted, (uint64_t)context->core.device->info.compute_units * per_unit);
  return (uint32_t)(blocks ? blocks : 1);
}

/// Divides `size` elements into chunks for a CPU's work-items; returns the number of work-items.
static uint32_t cut_chunks(weft__search_args *a, const weft_context *context, uint64_t size, uint64_t least_chunk) {
  const uint32_t chunks = blocks_for(context, size / least_chunk, CPU_CHUNKS_PER_UNIT);
  a->chunk = (size + chunks - 1) / chunks;
  return chunks;
}

/// Launches a search on a CPU that begins with a table if the integers of the array are close enough. The kernels look,
/// so the host does not wait.
static weft_status run_with_table(weft__search_args *a, weft_array *out, const weft_array *ordered,
                                  const weft_array *values, const char *site) {
  static const char *const names[] = {"weft_search_table", "weft_search"};
  weft_context *context = out->context;
  weft_status rc;
  weft__kernel *kernel[2];
  weft_array *table = NULL;
  WEFT__TRY(get_kernels(kernel, context, "search/search.cl", names, 2, ordered->dtype, WEFT__SEARCH_IN_TABLE));
  a->stride = least(TABLE_BITS * (a->n + a->m), TABLE_MOST_BITS);
  WEFT__TRY(weft__array_create(&table, context, WEFT_U32, WEFT_SHAPE((int64_t)(a->stride / 32 + 1)), site));
  const weft__use use[] = {
      {out->storage, true}, {ordered->storage, false}, {values->storage, false}, {table->storage, false}};
  const weft__use make[] = {{table->storage, true}, {ordered->storage, false}};
  const uint32_t parts = blocks_for(context, a->m / CPU_LEAST_SEARCHES, CPU_CHUNKS_PER_UNIT);
  WEFT__TRY(weft__run_kernel(&(weft__kernel_run){kernel[0], WEFT_DIM3(parts), WEFT_DIM3(1), a, sizeof *a, 2, make,
                                                 .what = "search", .site = site}));
  const uint32_t chunks = cut_chunks(a, context, a->n, CPU_LEAST_SEARCHES);
  rc = weft__run_kernel(&(weft__kernel_run){kernel[1], WEFT_DIM3(chunks), WEFT_DIM3(1), a, sizeof *a, 4, use,
                                            .what = "search", .site = site});
done:
  weft_array_release(&table);
  return rc;
}

weft_status weft__search_run(weft_array *out, const weft_array *ordered, const weft_array *values,
                             weft__search_for what, bool is_inverted, const char *site) {
  static const char *const names[] = {"weft_search"};
  weft_context *context = out->context;
  weft__kernel *kernel;
  const bool is_cpu = context->store.is_cpu;
  if (values->size == 0) return WEFT_OK;
  if (weft__tree_pays(ordered, values)) return weft__tree_run(out, ordered, values, what, is_inverted, site);
  weft__search_args a = {.n = (uint64_t)values->size, .m = (uint64_t)ordered->size, .is_inverted = is_inverted};
  a.offset[0] = (uint64_t)out->offset_bytes;
  a.offset[1] = (uint64_t)ordered->offset_bytes;
  a.offset[2] = (uint64_t)values->offset_bytes;
  if (is_cpu && what == WEFT__SEARCH_IN && weft__is_whole(ordered->dtype) && a.m && a.n >= TABLE_LEAST)
    return run_with_table(&a, out, ordered, values, site);
  /* so few values that blocks of four for each thread would leave multiprocessors idle */
  const bool is_few = !is_cpu && a.n <= (uint64_t)context->core.device->info.compute_units * WEFT__GPU_BLOCK;
  WEFT__TRY_RETURN(get_kernels(&kernel, context, "search/search.cl", names, 1, ordered->dtype,
                               (unsigned char)(is_few ? what | FEW : what)));
  uint32_t blocks;
  if (is_cpu) {
    blocks = cut_chunks(&a, context, a.n, CPU_LEAST_SEARCHES);
  } else {
    const uint64_t values_per_block = WEFT__GPU_BLOCK * (is_few ? 1 : SEARCHES), most = is_few ? FEW_PIVOTS : PIVOTS;
    blocks = blocks_for(context, (a.n + values_per_block - 1) / values_per_block, BLOCKS_PER_UNIT);
    if (a.m && (is_few || a.n / blocks >= PIVOTS_WORTH || a.m < PIVOTS)) {
      a.stride = a.m / most + 1;
      a.pivots = (uint32_t)(a.m / a.stride);
    }
  }
  const weft__use use[] = {{out->storage, true}, {ordered->storage, false}, {values->storage, false}};
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(blocks), WEFT_DIM3(is_cpu ? 1 : WEFT__GPU_BLOCK), &a,
                                              sizeof a, 3, use, .what = "search", .site = site});
}

weft_status weft__merge_run(weft_array *out, const weft_array *a, const weft_array *b, const char *site) {
  static const char *const names[] = {"weft_merge", "weft_merge_divide"};
  weft_context *context = out->context;
  weft__kernel *kernel[2];
  weft_array *places = NULL;
  const bool is_cpu = context->store.is_cpu;
  if (out->size == 0) return WEFT_OK;
  weft_status rc;
  WEFT__TRY(get_kernels(kernel, context, "search/merge.cl", names, is_cpu ? 1 : 2, out->dtype, 0));
  weft__search_args args = {.n = (uint64_t)a->size, .m = (uint64_t)b->size};
  args.offset[0] = (uint64_t)out->offset_bytes;
  args.offset[1] = (uint64_t)a->offset_bytes;
  args.offset[2] = (uint64_t)b->offset_bytes;
  weft__use use[] = {{out->storage, true}, {a->storage, false}, {b->storage, false}, {out->storage, true}};
  if (is_cpu) {
    const uint32_t chunks = cut_chunks(&args, context, args.n + args.m, CPU_LEAST_CHUNK);
    return weft__run_kernel(&(weft__kernel_run){kernel[0], WEFT_DIM3(chunks), WEFT_DIM3(1), &args, sizeof args, 3, use,
                                                .what = "merge", .site = site});
  }
  const uint64_t tile =
      (uint64_t)WEFT__GPU_BLOCK * (weft_dtype_size_bytes(out->dtype) >= 8 ? MERGE_ITEMS_WIDE : MERGE_ITEMS);
  const uint64_t tiles = (args.n + args.m + tile - 1) / tile;
  if (tiles >= MERGE_DIVIDE_TILES) {
    args.is_divided = 1;
    WEFT__TRY(weft__array_create(&places, context, WEFT_U64, WEFT_SHAPE((int64_t)tiles), site));
    const weft__use divide[] = {{places->storage, true}, {a->storage, false}, {b->storage, false}};
    WEFT__TRY(weft__run_kernel(
        &(weft__kernel_run){kernel[1], WEFT_DIM3((tiles + WEFT__GPU_BLOCK - 1) / WEFT__GPU_BLOCK),
                            WEFT_DIM3(WEFT__GPU_BLOCK), &args, sizeof args, 3, divide, .what = "merge", .site = site}));
    use[3] = (weft__use){places->storage, false};
  }
  WEFT__TRY(weft__run_kernel(&(weft__kernel_run){kernel[0], WEFT_DIM3(tiles), WEFT_DIM3(WEFT__GPU_BLOCK), &args,
                                                 sizeof args, 4, use, .what = "merge", .site = site}));
done:
  weft_array_release(&places);
  return rc;
}

/* ---- whether elements are in order ---- */

/// The loop of cl/search/sorted.cl in C. `wrong`: of the neighbours a and b; NaN is last.
#define SORTED_LOOP(TARGET, NAME, T, wrong)                    \
  TARGET static uint8_t NAME(const void *from, size_t pairs) { \
    const T *x = from;                                         \
    uint8_t is_wrong = 0;                                      \
    size_t i = 0;                                              \
    for (; i + 1024 <= pairs && !is_wrong; i += 1024)          \
      for (size_t k = 0; k < 1024; k++) {                      \
        const T a = x[i + k], b = x[i + k + 1];                \
        is_wrong |= (uint8_t)(wrong);                          \
      }                                                        \
    for (; i < pairs && !is_wrong; i++) {                      \
      const T a = x[i], b = x[i + 1];                          \
      is_wrong = (uint8_t)(wrong);                             \
    }                                                          \
    return !is_wrong;                                          \
  }
#define BOTH_WAYS(D, T)                                        \
  WEFT__EACH(SORTED_LOOP, rising_##D, T, !(a <= b) & (b == b)) \
  WEFT__EACH(SORTED_LOOP, falling_##D, T, !(a >= b) & (a == a))
#define DTYPES(X)  \
  X(BOOL, uint8_t) \
  X(I8, int8_t)    \
  X(U8, uint8_t)   \
  X(I16, int16_t)  \
  X(U16, uint16_t) X(I32, int32_t) X(U32, uint32_t) X(I64, int64_t) X(U64, uint64_t) X(F32, float) X(F64, double)
DTYPES(BOTH_WAYS)

static uint8_t (*sorted_loop_of(weft_dtype dtype, bool descending))(const void *from, size_t pairs) {
#define LOOP_ROW(D, T) {WEFT_##D, WEFT__ALL(rising_##D), WEFT__ALL(falling_##D)},
  static const struct {
    weft_dtype dtype;
    uint8_t (*rising[3])(const void *from, size_t pairs);
    uint8_t (*falling[3])(const void *from, size_t pairs);
  } rows[] = {DTYPES(LOOP_ROW)};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (rows[k].dtype == dtype) return (descending ? rows[k].falling : rows[k].rising)[WEFT__WIDTH];
  return NULL;
}

/// Tests few elements without a launch.
static weft_status test_at_once(bool *is_done, weft_array *out, const weft_array *x, bool descending) {
  const weft__use use[] = {{out->storage, true}, {x->storage, false}};
  uint8_t (*const loop)(const void *from, size_t pairs) = sorted_loop_of(x->dtype, descending);
  char *place[2];
  *is_done = false;
  if (!loop || (size_t)weft_array_size_bytes(x) > 2 * weft__at_once_bytes(&x->context->core) ||
      x->offset_bytes % (int64_t)weft_dtype_size_bytes(x->dtype))
    return WEFT_OK;
  WEFT__TRY_RETURN(weft__at_once(is_done, place, &x->context->core, 2, use));
  if (*is_done) place[0][out->offset_bytes] = (char)loop(place[1] + x->offset_bytes, (size_t)x->size - 1);
  return WEFT_OK;
}

weft_status weft__is_sorted_run(weft_array *out, const weft_array *x, bool descending, bool strict, const char *site) {
  static const char *const names[] = {"weft_is_sorted"};
  weft_context *context = out->context;
  weft__kernel *kernel;
  const bool is_cpu = context->store.is_cpu;
  bool is_done = false;
  if (is_cpu && x->size > 1 && !strict) WEFT__TRY_RETURN(test_at_once(&is_done, out, x, descending));
  if (is_done) return WEFT_OK;
  WEFT__TRY_RETURN(weft__fill(out, WEFT_SCALAR(1), site));
  if (x->size < 2) return WEFT_OK;
  WEFT__TRY_RETURN(get_kernels(&kernel, context, "search/sorted.cl", names, 1, x->dtype, 0));
  weft__search_args a = {.n = (uint64_t)x->size};
  a.offset[0] = (uint64_t)out->offset_bytes;
  a.offset[1] = (uint64_t)x->offset_bytes;
  a.is_falling = descending;
  a.is_strict = strict;
  const uint32_t blocks =
      is_cpu ? cut_chunks(&a, context, a.n, CPU_LEAST_CHUNK)
             : blocks_for(context, (a.n + WEFT__GPU_BLOCK * 8 - 1) / (WEFT__GPU_BLOCK * 8), BLOCKS_PER_UNIT);
  const weft__use use[] = {{out->storage, true}, {x->storage, false}};
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(blocks), WEFT_DIM3(is_cpu ? 1 : WEFT__GPU_BLOCK), &a,
                                              sizeof a, 2, use, .what = "is_sorted", .site = site});
}

/* ---- unique elements ---- */

static weft_status unique_kernels(weft__kernel **kernels, const weft_array *x) {
  static const char *const names[] = {"weft_unique_flags", "weft_unique_scatter", "weft_unique_counts"};
  return get_kernels(kernels, x->context, "search/unique.cl", names, 3, x->dtype, 0);
}

/// Launches with one element per thread.
static weft_status run_each(weft__kernel *kernel, const weft__search_args *a, uint64_t count, int uses,
                            const weft__use *use, const char *site) {
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(weft_ceil_div(count, WEFT__GPU_BLOCK)),
                                              WEFT_DIM3(WEFT__GPU_BLOCK), a, sizeof *a, uses, use, .what = "unique",
                                              .site = site});
}

weft_status weft__unique_flags(weft_array **flags, const weft_array *ordered, const char *site) {
  if (ordered->context->store.is_cpu) return weft__unique_flags_on_host(flags, NULL, ordered, false, site);
  weft__kernel *kernel[3];
  weft__search_args a = {.n = (uint64_t)ordered->size, .offset[0] = (uint64_t)ordered->offset_bytes};
  WEFT__TRY_RETURN(weft__array_create(flags, ordered->context, WEFT_BOOL, WEFT_SHAPE(ordered->size), site));
  if (a.n == 0) return WEFT_OK;
  WEFT__TRY_RETURN(unique_kernels(kernel, ordered));
  const weft__use use[] = {{(*flags)->storage, true}, {ordered->storage, false}};
  return run_each(kernel[0], &a, a.n, 2, use, site);
}

weft_status weft__unique_run(const weft__unique *unique, const char *site) {
  const weft_array *x = unique->ordered;
  weft__kernel *kernel[3];
  weft_array *starts = NULL;
  weft_status rc;
  WEFT__TRY(unique_kernels(kernel, x));
  weft__search_args a = {.n = (uint64_t)x->size, .m = (uint64_t)unique->values->size};
  if (unique->counts)
    WEFT__TRY(weft__array_create(&starts, x->context, WEFT_I64, WEFT_SHAPE(unique->values->size), site));
  a.wants = (unique->first ? 1u : 0) | (unique->inverse ? 2u : 0) | (unique->counts ? 4u : 0);
  a.offset[0] = (uint64_t)unique->values->offset_bytes;
  a.offset[1] = unique->first ? (uint64_t)unique->first->offset_bytes : 0;
  a.offset[2] = unique->inverse ? (uint64_t)unique->inverse->offset_bytes : 0;
  a.offset[3] = (uint64_t)x->offset_bytes;
  weft__storage *none = unique->flags->storage; /* stands in for results that are not wanted */
  const weft__use use[] = {
      {unique->values->storage, true},
      {unique->first ? unique->first->storage : none, unique->first != NULL},
      {starts ? starts->storage : none, starts != NULL},
      {unique->inverse ? unique->inverse->storage : none, unique->inverse != NULL},
      {x->storage, false},
      {unique->flags->storage, false},
      {unique->places->storage, false},
      {unique->order ? unique->order->storage : none, false},
  };
  WEFT__TRY(run_each(kernel[1], &a, a.n, 8, use, site));
  if (unique->counts) {
    const weft__use count[] = {{unique->counts->storage, true}, {starts->storage, false}};
    a.offset[0] = (uint64_t)unique->counts->offset_bytes;
    WEFT__TRY(run_each(kernel[2], &a, a.m, 2, count, site));
  }
done:
  weft_array_release(&starts);
  return rc;
}
