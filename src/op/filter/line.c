// SPDX-License-Identifier: MIT
/// Passes with a window along one axis.
#include "cl/rearrange/args.h"
#include "dtype/opencl.h"
#include "map/cast.h"
#include "op/filter/filter.h"

#define CPU_ELEMENTS 16384 /* of a work-item */
#define UNROLLED 33        /* GPUs: the most elements of a window that the kernel knows when it is built */
/* GPUs: lines are read by way of local memory if neighbours are this near, and the elements beyond a tile have at most
   HALO_BYTES */
#define NEAR 16
#define HALO_BYTES 2048

typedef struct line_key {
  uint8_t dtype, op, taps, lanes, is_narrow_sum;
  uint8_t tile; /* in 16 elements */
} line_key;

void weft__filter_define(weft__text *text, weft_dtype dtype) {
  weft__cl_define(text, dtype);
  if (weft_dtype_kind(dtype) != 'f' && weft_dtype_size_bytes(dtype) <= 2)
    weft__text_add(text, "#define T_LEAST %s\n#define T_GREATEST %s\n", weft__cl_least(dtype),
                   weft__cl_greatest(dtype));
}

static void write_key(weft__text *text, const void *data) {
  const line_key *key = data;
  weft__filter_define(text, (weft_dtype)key->dtype);
  weft__text_add(text, "#define T_BOOL %d\n#define REAL %s\n#define OP %d\n#define TAPS %d\n#define TILE %d\n",
                 key->dtype == WEFT_BOOL, key->is_narrow_sum ? "float" : "double", key->op, key->taps, 16 * key->tile);
  weft__text_add(text, "#define LANES %d\n", key->lanes);
}

weft_dtype weft__filter_sum_dtype(const weft_context *context, weft_dtype dtype) {
  const bool is_narrow = weft_dtype_kind(dtype) == 'f' && dtype != WEFT_F64;
  return is_narrow || !context->core.device->info.has_fp64 ? WEFT_F32 : WEFT_F64;
}

/// Work-items side by side in a line of this many elements, as many as it needs.
static uint8_t lanes_of(uint64_t elements) {
  uint8_t lanes = 32;
  while (lanes < 128 && (uint64_t)lanes * WEFT__FILTER_EACH < elements) lanes = (uint8_t)(lanes * 2);
  return lanes;
}

/// Whether lines go through local memory: then the halo in 16 elements, so that few kernels are built.
static uint8_t tile_of(const weft__line_args *a, size_t element_bytes) {
  const uint64_t halo = a->inner <= NEAR ? (a->taps - 1) * a->inner : UINT64_MAX;
  if (halo > HALO_BYTES / element_bytes) return 0;
  return (uint8_t)(halo / 16 + 1);
}

weft_status weft__filter_pass(const weft__filtering *t, weft_array *to, const weft_array *from,
                              const weft__line *line) {
  static const char *const names[] = {"weft_filter_line"};
  weft_context *context = to->context;
  const bool is_cpu = context->store.is_cpu;
  const weft__axis_split split = weft__split_at_axis(weft__array_shape(from), line->axis);
  const weft_array *weights = line->weights ? line->weights : from;
  weft__line_args a = {.outer = (uint64_t)split.outer,
                       .length = (uint64_t)split.length,
                       .inner = (uint64_t)split.inner,
                       .taps = (uint64_t)line->taps,
                       .before = (uint64_t)line->before,
                       .to = (uint64_t)to->offset_bytes,
                       .from = (uint64_t)from->offset_bytes,
                       .weights = (uint64_t)weights->offset_bytes,
                       .fill = t->edge.fill[0],
                       .border = t->edge.border,
                       .is_reversed = line->is_reversed};
  const uint64_t elements = a.length * a.inner;
  line_key key = {.dtype = (uint8_t)to->dtype,
                  .op = (uint8_t)line->op,
                  .lanes = 1,
                  .is_narrow_sum = weft__filter_sum_dtype(context, to->dtype) == WEFT_F32};
  weft__kernel *kernel;
  uint64_t threads;
  if (is_cpu) {
    a.parts = weft_ceil_div(elements, WEFT__FILTER_CHUNK);
    a.share = weft_ceil_div(CPU_ELEMENTS, elements < WEFT__FILTER_CHUNK ? elements : WEFT__FILTER_CHUNK);
    threads = weft_ceil_div(a.outer * a.parts, a.share);
  } else {
    key.tile = tile_of(&a, weft_dtype_size_bytes(to->dtype));
    if (a.taps <= UNROLLED) key.taps = (uint8_t)a.taps;
    if (key.tile) key.lanes = lanes_of(elements);
    a.parts = key.tile ? weft_ceil_div(elements, (uint64_t)key.lanes * WEFT__FILTER_EACH)
                       : weft_ceil_div(a.length, WEFT__FILTER_STEP);
    threads = key.tile ? weft_ceil_div(a.outer, 256 / key.lanes) * a.parts * 256 : a.outer * a.parts * a.inner;
  }
  const weft__kernel_source source = {
      .name = t->what,
      .key = {.file = "filter/line.cl", .kernel = names, .kernels = 1, WEFT__KEY_BYTES(line_key, &key)},
      .write = write_key};
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &context->store, &source));
  const weft__use use[] = {{to->storage, true}, {from->storage, false}, {weights->storage, false}};
  const uint64_t block = is_cpu ? 1 : WEFT__GPU_BLOCK;
  return weft__run_kernel(&(weft__kernel_run){kernel, weft__own_grid(threads, block), weft__dim3(block, 1, 1), &a,
                                              sizeof a, 3, use, .what = t->what, .site = t->call.site,
                                              .bytes = 2 * (uint64_t)to->size * weft_dtype_size_bytes(to->dtype)});
}

weft_status weft__filter_passes(weft__filtering *t, const weft__line *line, int lines) {
  weft__call *c = &t->call;
  weft_array *to = c->array[0], *spare = NULL;
  const weft_array *from = c->array[1];
  bool is_done = false;
  weft_status rc;
  if (to->size == 0) return WEFT_OK;
  if (lines == 0) return weft__cast_into(to, from, to->dtype, c->site);
  if (lines == 2) WEFT__TRY_RETURN(weft__filter_plane(&is_done, t, line));
  if (is_done) return WEFT_OK;
  if (lines > 1) WEFT__TRY_RETURN(weft__array_create(&spare, c->context, to->dtype, weft__array_shape(to), c->site));
  for (int k = 0; k < lines; k++) {
    weft_array *next = (lines - 1 - k) % 2 == 0 ? to : spare; /* the last pass writes the result */
    WEFT__TRY(weft__filter_pass(t, next, from, &line[k]));
    from = next;
  }
  rc = WEFT_OK;
done:
  weft_array_release(&spare);
  return rc;
}
