// SPDX-License-Identifier: MIT
/// Ordered arrays by kernels: their choice, and their launches.
#include "dtype/opencl.h"
#include "op/search/tuning.h"
#include "op/search/unique.h"

typedef struct search_key {
  unsigned char dtype, what;
} search_key;
#define FEW 0x80 /* beside `what`: a value for each thread */

static void write_defines(weft__text *text, const void *data) {
  const search_key *key = data;
  const weft_dtype dtype = (weft_dtype)key->dtype;
  const int what = key->what & ~FEW;
  const int searches = what == key->what ? WEFT__SEARCH_EACH : 1,
            pivots = what == key->what ? WEFT__SEARCH_PIVOTS : WEFT__SEARCH_FEW_PIVOTS;
  if (weft_dtype_kind(dtype) == 'c')
    weft__text_add(text, "#define T %s2\n#define T_COMPLEX 1\n", weft__cl_stored(weft__real_dtype(dtype)));
  else
    weft__cl_define(text, dtype);
  weft__text_add(text, "#define WEFT_BLOCK %d\n#define WEFT_U %d\n#define WEFT_PIVOTS %d\n#define WEFT_ITEMS %d\n",
                 WEFT__GPU_BLOCK, searches, pivots,
                 weft_dtype_size_bytes(dtype) >= 8 ? WEFT__MERGE_ITEMS_WIDE : WEFT__MERGE_ITEMS);
  weft__text_add(text, "#define SEARCH_RIGHT %d\n#define SEARCH_IN %d\n", what == WEFT__SEARCH_RIGHT,
                 what == WEFT__SEARCH_IN);
}

static weft_status get_kernels(weft__kernel **kernels, weft_context *context, const char *file,
                               const char *const *names, int count, weft_dtype dtype, unsigned char what) {
  const weft_dtype number = weft_dtype_kind(dtype) == 'c' ? dtype : weft__number_dtype(dtype);
  const search_key key = {(unsigned char)number, what};
  return weft__kernels_get(
      kernels, &context->store,
      &(weft__kernel_source){
          .name = "search",
          .key = {.file = file, .kernel = names, .kernels = count, WEFT__KEY_BYTES(search_key, &key)},
          .write = write_defines});
}

static uint32_t blocks_for(const weft_context *context, uint64_t wanted) {
  const uint64_t most = (uint64_t)context->core.device->info.compute_units * WEFT__SEARCH_BLOCKS;
  return (uint32_t)(wanted < 1 ? 1 : wanted < most ? wanted : most);
}

weft_status weft__search_halves_run(bool *is_done, const void *task) {
  static const char *const names[] = {"weft_search"};
  const weft__ordered *o = task;
  weft_context *context = o->out->context;
  weft__kernel *kernel;
  weft__search_args a = {.n = (uint64_t)o->a->size, .m = (uint64_t)o->b->size, .is_inverted = o->is_inverted};
  *is_done = true;
  a.offset[0] = (uint64_t)o->out->offset_bytes;
  a.offset[1] = (uint64_t)o->b->offset_bytes;
  a.offset[2] = (uint64_t)o->a->offset_bytes;
  /* so few values that blocks of four for each thread would leave multiprocessors idle */
  const bool is_few = a.n <= (uint64_t)context->core.device->info.compute_units * WEFT__GPU_BLOCK;
  WEFT__TRY_RETURN(get_kernels(&kernel, context, "search/search.cl", names, 1, o->b->dtype,
                               (unsigned char)(is_few ? o->what | FEW : o->what)));
  const uint64_t values_per_block = WEFT__GPU_BLOCK * (is_few ? 1 : WEFT__SEARCH_EACH),
                 most = is_few ? WEFT__SEARCH_FEW_PIVOTS : WEFT__SEARCH_PIVOTS;
  const uint32_t blocks = blocks_for(context, (a.n + values_per_block - 1) / values_per_block);
  if (a.m && (is_few || a.n / blocks >= WEFT__SEARCH_PIVOTS_WORTH || a.m < WEFT__SEARCH_PIVOTS)) {
    a.stride = a.m / most + 1;
    a.pivots = (uint32_t)(a.m / a.stride);
  }
  const weft__use use[] = {{o->out->storage, true}, {o->b->storage, false}, {o->a->storage, false}};
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(blocks), WEFT_DIM3(WEFT__GPU_BLOCK), &a, sizeof a, 3,
                                              use, .what = "search", .site = o->site});
}

weft_status weft__search_run(weft_array *out, const weft_array *ordered, const weft_array *values,
                             weft__search_for what, bool is_inverted, const char *site) {
  const weft__ordered o = {
      .out = out, .a = values, .b = ordered, .what = what, .is_inverted = is_inverted, .site = site};
  return values->size == 0 ? WEFT_OK : weft__ways_run(&weft__search_ways, out->context, &o);
}

weft_status weft__merge_kernels_run(bool *is_done, const void *task) {
  static const char *const names[] = {"weft_merge", "weft_merge_divide"};
  const weft__ordered *o = task;
  const weft_array *out = o->out, *a = o->a, *b = o->b;
  weft_context *context = out->context;
  weft__kernel *kernel[2];
  weft_array *places = NULL;
  weft_status rc;
  *is_done = true;
  WEFT__TRY(get_kernels(kernel, context, "search/merge.cl", names, 2, out->dtype, 0));
  weft__search_args args = {.n = (uint64_t)a->size, .m = (uint64_t)b->size};
  args.offset[0] = (uint64_t)out->offset_bytes;
  args.offset[1] = (uint64_t)a->offset_bytes;
  args.offset[2] = (uint64_t)b->offset_bytes;
  weft__use use[] = {{out->storage, true}, {a->storage, false}, {b->storage, false}, {out->storage, true}};
  const uint64_t tile =
      (uint64_t)WEFT__GPU_BLOCK * (weft_dtype_size_bytes(out->dtype) >= 8 ? WEFT__MERGE_ITEMS_WIDE : WEFT__MERGE_ITEMS);
  const uint64_t tiles = (args.n + args.m + tile - 1) / tile;
  if (tiles >= WEFT__MERGE_DIVIDE_TILES) {
    args.is_divided = 1;
    WEFT__TRY(weft__array_create(&places, context, WEFT_U64, WEFT_SHAPE((int64_t)tiles), o->site));
    const weft__use divide[] = {{places->storage, true}, {a->storage, false}, {b->storage, false}};
    WEFT__TRY(weft__run_kernel(&(weft__kernel_run){
        kernel[1], WEFT_DIM3((tiles + WEFT__GPU_BLOCK - 1) / WEFT__GPU_BLOCK), WEFT_DIM3(WEFT__GPU_BLOCK), &args,
        sizeof args, 3, divide, .what = "merge", .site = o->site}));
    use[3] = (weft__use){places->storage, false};
  }
  WEFT__TRY(weft__run_kernel(&(weft__kernel_run){kernel[0], WEFT_DIM3(tiles), WEFT_DIM3(WEFT__GPU_BLOCK), &args,
                                                 sizeof args, 4, use, .what = "merge", .site = o->site}));
done:
  weft_array_release(&places);
  return rc;
}

weft_status weft__merge_run(weft_array *out, const weft_array *a, const weft_array *b, const char *site) {
  const weft__ordered o = {.out = out, .a = a, .b = b, .site = site};
  return out->size == 0 ? WEFT_OK : weft__ways_run(&weft__merge_ways, out->context, &o);
}

weft_status weft__is_sorted_kernels_run(bool *is_done, const void *task) {
  static const char *const names[] = {"weft_is_sorted"};
  const weft__ordered *o = task;
  const weft_array *x = o->a;
  weft__kernel *kernel;
  weft__search_args a = {.n = (uint64_t)x->size, .is_falling = o->is_falling, .is_strict = o->is_strict};
  *is_done = true;
  a.offset[0] = (uint64_t)o->out->offset_bytes;
  a.offset[1] = (uint64_t)x->offset_bytes;
  WEFT__TRY_RETURN(weft__fill(o->out, WEFT_SCALAR(1), o->site));
  WEFT__TRY_RETURN(get_kernels(&kernel, x->context, "search/sorted.cl", names, 1, x->dtype, 0));
  const uint32_t blocks = blocks_for(x->context, (a.n + WEFT__GPU_BLOCK * 8 - 1) / (WEFT__GPU_BLOCK * 8));
  const weft__use use[] = {{o->out->storage, true}, {x->storage, false}};
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(blocks), WEFT_DIM3(WEFT__GPU_BLOCK), &a, sizeof a, 2,
                                              use, .what = "is_sorted", .site = o->site});
}

weft_status weft__is_sorted_run(weft_array *out, const weft_array *x, bool descending, bool strict, const char *site) {
  const weft__ordered o = {.out = out, .a = x, .is_falling = descending, .is_strict = strict, .site = site};
  return x->size < 2 ? weft__fill(out, WEFT_SCALAR(1), site) : weft__ways_run(&weft__is_sorted_ways, x->context, &o);
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

weft_status weft__unique_flags_kernels_run(bool *is_done, const void *task) {
  const weft__flagging *f = task;
  const weft_array *x = f->ordered;
  weft__kernel *kernel[3];
  weft__search_args a = {.n = (uint64_t)x->size, .offset[0] = (uint64_t)x->offset_bytes};
  *is_done = true;
  WEFT__TRY_RETURN(weft__array_create(f->flags, x->context, WEFT_BOOL, WEFT_SHAPE(x->size), f->site));
  if (a.n == 0) return WEFT_OK;
  WEFT__TRY_RETURN(unique_kernels(kernel, x));
  const weft__use use[] = {{(*f->flags)->storage, true}, {x->storage, false}};
  return run_each(kernel[0], &a, a.n, 2, use, f->site);
}

weft_status weft__unique_flags(weft_array **flags, const weft_array *ordered, const char *site) {
  const weft__flagging f = {flags, ordered, site};
  return weft__ways_run(&weft__unique_flags_ways, ordered->context, &f);
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
