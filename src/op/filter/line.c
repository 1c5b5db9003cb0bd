// SPDX-License-Identifier: MIT
/// Passes with a window along one axis.
#include <weft/rearrange.h>
#include <weft/rolling.h>

#include "cl/rearrange/args.h"
#include "dtype/opencl.h"
#include "map/cast.h"
#include "op/filter/filter.h"
#include "op/filter/tuning.h"

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
static uint8_t tile_of(const weft__pass *p) {
  const uint64_t inner = (uint64_t)weft__split_at_axis(weft__array_shape(p->from), p->line->axis).inner;
  const uint64_t halo = inner <= WEFT__LINE_NEAR ? (uint64_t)(p->before + p->after) * inner : UINT64_MAX;
  if (halo > WEFT__LINE_HALO_BYTES / weft_dtype_size_bytes(p->from->dtype)) return 0;
  return (uint8_t)(halo / 16 + 1);
}

/* ---- long windows ---- */

/// The pass as the reduction of moving windows: of a mean the sum, which is in the dtype of sums of integers.
static weft_rolling_params rolling_of(const weft__line *line, weft_dtype dtype, const char *site) {
  weft_reduction_id op = line->op == WEFT__FILTER_LEAST      ? WEFT_REDUCE_MIN
                         : line->op == WEFT__FILTER_GREATEST ? WEFT_REDUCE_MAX
                                                             : WEFT_REDUCE_MEAN;
  if (op == WEFT_REDUCE_MEAN && dtype == WEFT_BOOL) op = WEFT_REDUCE_MIN; /* a mean of 1 */
  return (weft_rolling_params){.op = op, .site = site};
}

/// The window of a least or greatest element that is as long as this has every element of a line in it: a longer one
/// gives the same.
static void clamp_extremes(int64_t *before, int64_t *after, const weft__line *line, int64_t length) {
  if (line->op == WEFT__FILTER_MEAN || line->op == WEFT__FILTER_SUM) return;
  if (*before > 2 * length) *before = 2 * length;
  if (*after > 2 * length) *after = 2 * length;
}

/// Whether the window has `least` elements, all windows have `work` and the lines with their borders have room.
static bool is_long(const weft__pass *p, int64_t least, int64_t work) {
  const weft_array *from = p->from;
  const int64_t taps = p->before + p->after + 1, length = from->shape[p->line->axis];
  if (p->line->op == WEFT__FILTER_SUM || taps < least || taps < work / from->size) return false;
  if (p->line->op == WEFT__FILTER_MEAN && weft__filter_sum_dtype(from->context, from->dtype) != WEFT_F64 &&
      weft__is_whole(from->dtype))
    return false; /* sums in f32, and no f64 for them */
  const int64_t lines = from->size / length;
  return taps <= (WEFT__LINE_LONG_ELEMENTS + WEFT__LINE_LONG_TIMES * from->size) / lines - length;
}

bool weft__pass_rolling_fits(const void *task) {
  return is_long(task, WEFT__LINE_CPU_LONG, WEFT__LINE_CPU_LONG_WORK);
}
bool weft__pass_longer_fits(const void *task) {
  return is_long(task, WEFT__LINE_GPU_LONG, WEFT__LINE_GPU_LONG_WORK);
}

/// A pass with a long window: windows of the lines with their borders.
weft_status weft__pass_rolling_run(bool *is_done, const void *task) {
  static const weft_pad_mode modes[] = {
      [WEFT__BORDER_CONSTANT] = WEFT_PAD_CONSTANT,   [WEFT__BORDER_EDGE] = WEFT_PAD_EDGE,
      [WEFT__BORDER_WRAP] = WEFT_PAD_WRAP,           [WEFT__BORDER_REFLECT] = WEFT_PAD_REFLECT,
      [WEFT__BORDER_SYMMETRIC] = WEFT_PAD_SYMMETRIC,
  };
  const weft__pass *p = task;
  weft_array *to = p->to;
  const weft_array *from = p->from, *x = from;
  const weft__filtering *t = p->filtering;
  const weft__line *line = p->line;
  const int64_t taps = p->before + p->after + 1;
  const char *site = t->call.site;
  const weft_rolling_params rolling = rolling_of(line, from->dtype, site);
  const bool is_mean_of_whole = rolling.op == WEFT_REDUCE_MEAN && weft__is_whole(from->dtype);
  weft_shape front = {.ndim = from->ndim}, back = front;
  weft_array *framed = NULL, *wide = NULL, *means = NULL;
  weft_status rc;
  *is_done = true;
  front.dim[line->axis] = p->before;
  back.dim[line->axis] = p->after;
  WEFT__TRY(
      weft__pad_at(WEFT_OPERAND(&framed), WEFT_OPERAND(from), front, back,
                   &(const weft_pad_params){.mode = modes[t->edge.border], .value = t->edge.value, .site = site}));
  x = framed;
  if (is_mean_of_whole && weft_dtype_size_bytes(from->dtype) == 8) { /* sums of integers would wrap around */
    WEFT__TRY(weft__cast(&wide, framed, WEFT_F64, site));
    x = wide;
  }
  if (!is_mean_of_whole) {
    rc = weft__rolling_at(WEFT_OPERAND(&to), WEFT_OPERAND(x), taps, WEFT__AXES(line->axis), &rolling);
    goto done;
  }
  WEFT__TRY(weft__rolling_at(WEFT_OPERAND(&means), WEFT_OPERAND(x), taps, WEFT__AXES(line->axis), &rolling));
  rc = weft__cast_into(to, means, to->dtype, site);
done:
  weft_array_release(&framed);
  weft_array_release(&wide);
  weft_array_release(&means);
  return rc;
}

/* ---- the launch ---- */

/// A pass that reads each window's elements; `tile`: tile_of.
static weft_status pass_once(const weft__pass *p, uint8_t tile) {
  static const char *const names[] = {"weft_filter_line"};
  weft_array *to = p->to;
  const weft_array *from = p->from, *weights = p->line->weights ? p->line->weights : from;
  const weft__filtering *t = p->filtering;
  weft_context *context = to->context;
  const weft__axis_split split = weft__split_at_axis(weft__array_shape(from), p->line->axis);
  weft__line_args a = {.outer = (uint64_t)split.outer,
                       .length = (uint64_t)split.length,
                       .inner = (uint64_t)split.inner,
                       .taps = (uint64_t)(p->before + p->after + 1),
                       .before = (uint64_t)p->before,
                       .to = (uint64_t)to->offset_bytes,
                       .from = (uint64_t)from->offset_bytes,
                       .weights = (uint64_t)weights->offset_bytes,
                       .fill = t->edge.fill[0],
                       .border = t->edge.border,
                       .is_reversed = p->line->is_reversed};
  const uint64_t elements = a.length * a.inner;
  const line_key key = {.dtype = (uint8_t)to->dtype,
                        .op = (uint8_t)p->line->op,
                        .taps = a.taps <= WEFT__LINE_UNROLLED ? (uint8_t)a.taps : 0,
                        .lanes = tile ? lanes_of(elements) : 1,
                        .is_narrow_sum = weft__filter_sum_dtype(context, to->dtype) == WEFT_F32,
                        .tile = tile};
  a.parts = tile ? weft_ceil_div(elements, (uint64_t)key.lanes * WEFT__FILTER_EACH)
                 : weft_ceil_div(a.length, WEFT__FILTER_STEP);
  const uint64_t threads = tile ? weft_ceil_div(a.outer, WEFT__GPU_BLOCK / key.lanes) * a.parts * WEFT__GPU_BLOCK
                                : a.outer * a.parts * a.inner;
  const weft__kernel_source source = {
      .name = t->what,
      .key = {.file = "filter/line.cl", .kernel = names, .kernels = 1, WEFT__KEY_BYTES(line_key, &key)},
      .write = write_key};
  weft__kernel *kernel;
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &context->store, &source));
  const weft__use use[] = {{to->storage, true}, {from->storage, false}, {weights->storage, false}};
  return weft__run_kernel(&(weft__kernel_run){
      kernel, weft__own_grid(threads, WEFT__GPU_BLOCK), WEFT_DIM3(WEFT__GPU_BLOCK), &a, sizeof a, 3, use,
      .what = t->what, .site = t->call.site, .bytes = 2 * (uint64_t)to->size * weft_dtype_size_bytes(to->dtype)});
}

bool weft__pass_tiles_fits(const void *task) {
  return tile_of(task) > 0;
}
weft_status weft__pass_tiles_run(bool *is_done, const void *task) {
  *is_done = true;
  return pass_once(task, tile_of(task));
}
weft_status weft__pass_steps_run(bool *is_done, const void *task) {
  *is_done = true;
  return pass_once(task, 0);
}

static weft_status run_pass(const weft__filtering *t, weft_array *to, const weft_array *from, const weft__line *line) {
  weft__pass p = {t, to, from, line, line->before, line->taps - 1 - line->before};
  clamp_extremes(&p.before, &p.after, line, from->shape[line->axis]);
  return weft__ways_run(&weft__pass_ways, to->context, &p);
}

weft_status weft__passes_each_run(bool *is_done, const void *task) {
  const weft__passes *p = task;
  weft__call *c = &p->filtering->call;
  weft_array *to = c->array[0], *spare = NULL;
  const weft_array *from = c->array[1];
  weft_status rc;
  *is_done = true;
  if (p->lines > 1) WEFT__TRY_RETURN(weft__array_create(&spare, c->context, to->dtype, weft__array_shape(to), c->site));
  for (int k = 0; k < p->lines; k++) {
    weft_array *next = (p->lines - 1 - k) % 2 == 0 ? to : spare; /* the last pass writes the result */
    WEFT__TRY(run_pass(p->filtering, next, from, &p->line[k]));
    from = next;
  }
  rc = WEFT_OK;
done:
  weft_array_release(&spare);
  return rc;
}

weft_status weft__filter_passes(weft__filtering *t, const weft__line *line, int lines) {
  const weft__call *c = &t->call;
  if (c->array[0]->size == 0) return WEFT_OK;
  if (lines == 0) return weft__cast_into(c->array[0], c->array[1], c->array[0]->dtype, c->site);
  return weft__ways_run(&weft__passes_ways, c->context, &(const weft__passes){t, line, lines});
}
