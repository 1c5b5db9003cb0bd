// SPDX-License-Identifier: MIT
/// Elements by rank in windows of many elements, which slide along an axis (cl/filter/slide.cl).
#include <stdlib.h>

#include "dtype/opencl.h"
#include "op/filter/filter.h"
#include "op/filter/tuning.h"

typedef struct slide_key {
  uint8_t dtype, axes, block;
} slide_key;

static void write_key(weft__text *text, const void *data) {
  const slide_key *key = data;
  const weft_dtype dtype = (weft_dtype)key->dtype;
  weft__filter_define(text, dtype);
  weft__filter_define_keys(text, dtype);
  weft__text_add(text, "#define T_BOOL %d\n#define REAL float\n#define OP %d\n#define AXES %d\n#define BLOCK %d\n",
                 dtype == WEFT_BOOL, WEFT__FILTER_RANK, key->axes, key->block);
}

/// An element of the window: the number of its line, and where it is along the axis.
typedef struct tap {
  int64_t line, at;
} tap;

typedef struct sliding {
  const weft__filtering *call;
  const weft_array *from;
  const weft__footprint *window;
  int axis;                                          /* along which it slides */
  int64_t least[WEFT_MAX_NDIM], span[WEFT_MAX_NDIM]; /* of the window's box: its first place, and its length */
  tap *tap;                                          /* by line, then by place */
  int64_t *word;                                     /* the kernel's table */
  weft__slide_args a;
} sliding;

static int by_place(const void *x, const void *y) {
  const tap *a = x, *b = y;
  return a->line != b->line ? (a->line > b->line) - (a->line < b->line) : (a->at > b->at) - (a->at < b->at);
}

/// The window's box, and the axis along which it is longest.
static void find_box(sliding *s) {
  const int ndim = s->from->ndim;
  for (int d = 0; d < ndim; d++) {
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (int64_t k = 0; k < s->window->taps; k++) {
      const int64_t at = s->window->offset[k * ndim + d];
      if (at < least) least = at;
      if (at > most) most = at;
    }
    s->least[d] = least;
    s->span[d] = most - least + 1;
    if (s->span[d] >= s->span[s->axis]) s->axis = d;
  }
}

static void sort_taps(sliding *s) {
  const int ndim = s->from->ndim;
  for (int64_t k = 0; k < s->window->taps; k++) {
    const int64_t *offset = s->window->offset + k * ndim;
    int64_t line = 0;
    for (int d = 0; d < ndim; d++)
      if (d != s->axis) line = line * s->span[d] + (offset[d] - s->least[d]);
    s->tap[k] = (tap){line, offset[s->axis]};
  }
  qsort(s->tap, (size_t)s->window->taps, sizeof *s->tap, by_place);
}

/// Whether tap k + step is the neighbour of tap k, in its line.
static bool is_beside(const sliding *s, int64_t k, int step) {
  const int64_t other = k + step;
  return other >= 0 && other < s->window->taps && s->tap[other].line == s->tap[k].line &&
         s->tap[other].at == s->tap[k].at + step;
}

static bool begins_line(const sliding *s, int64_t k) {
  return k == 0 || s->tap[k].line != s->tap[k - 1].line;
}

/// Counts lines and elements of a step.
static void count_lines(sliding *s) {
  for (int64_t k = 0; k < s->window->taps; k++) {
    s->a.lines += begins_line(s, k);
    s->a.steps += !is_beside(s, k, -1);
  }
}

/// The parts of rows: as long as the windows at least, and as many as all units need.
static void choose_parts(sliding *s, uint64_t wanted) {
  weft__slide_args *a = &s->a;
  const uint64_t span = (uint64_t)s->span[s->axis], whole = (uint64_t)s->from->shape[s->axis];
  uint64_t length = WEFT__SLIDE_WINDOWS * span;
  if (length < WEFT__SLIDE_REACH / a->lines) length = WEFT__SLIDE_REACH / a->lines;
  while (length > span && weft_ceil_div(whole, length) * a->rows < wanted) length = (length + 1) / 2;
  if (length > whole) length = whole;
  a->parts = weft_ceil_div(whole, length);
  a->length = weft_ceil_div(whole, a->parts);
}

/// Writes the table for parts of a known length, and with it the list's length.
static void fill_table(sliding *s) {
  const int ndim = s->from->ndim;
  const int64_t taps = s->window->taps, length = (int64_t)s->a.length;
  int64_t *line = s->word, *place = s->word + s->a.lines * (uint64_t)(ndim + 2), *leaves = place + taps;
  int64_t *comes = leaves + s->a.steps, reach = 0, begin = 0, first = 0;
  for (int64_t k = 0; k < taps; k++) {
    if (begins_line(s, k)) {
      int64_t rest = s->tap[k].line;
      int column = ndim - 2; /* the axes without the one that is the kernel's last */
      for (int d = ndim - 1; d >= 0; d--) {
        if (d == s->axis) continue;
        line[column--] = rest % s->span[d] + s->least[d];
        rest /= s->span[d];
      }
      first = s->tap[k].at;
      begin = reach;
      line[ndim - 1] = first;
      line[ndim] = begin;
      line += ndim + 2;
    }
    const int64_t at = begin + s->tap[k].at - first;
    *place++ = at;
    if (!is_beside(s, k, -1)) *leaves++ = at;
    if (!is_beside(s, k, 1)) *comes++ = at;
    reach = at + length;
    line[-1] = reach - begin;
  }
  s->a.reach = (uint64_t)reach;
}

static weft_status make_table(weft_array **table, sliding *s, uint64_t wanted) {
  const size_t taps = (size_t)s->window->taps;
  s->tap = malloc(taps * sizeof *s->tap);
  if (!s->tap) return weft__fail_host_memory(taps * sizeof *s->tap);
  find_box(s);
  sort_taps(s);
  s->a.taps = taps;
  count_lines(s);
  s->a.rows = (uint64_t)(s->from->size / s->from->shape[s->axis]);
  choose_parts(s, wanted);
  const uint64_t words = s->a.lines * (uint64_t)(s->from->ndim + 2) + taps + 2 * s->a.steps;
  s->word = malloc(words * sizeof *s->word);
  if (!s->word) return weft__fail_host_memory(words * sizeof *s->word);
  fill_table(s);
  if (s->a.reach > UINT32_MAX)
    return weft__fail(WEFT_ERROR_UNSUPPORTED, "size", "windows that reach 2^32 elements in a row");
  return weft__array_of(table, s->from->context, WEFT_I64, WEFT_SHAPE((int64_t)words), s->word, s->call->call.site);
}

/// The array's axes, the one along which the window slides last.
static void turn_axes(sliding *s) {
  const int ndim = s->from->ndim;
  int64_t stride = 1;
  for (int d = ndim - 1, column = ndim - 2; d >= 0; d--) {
    const int at = d == s->axis ? ndim - 1 : column--;
    s->a.shape[at] = s->from->shape[d];
    s->a.stride[at] = stride;
    stride *= s->from->shape[d];
  }
}

static weft_status launch(const sliding *s, weft__slide_args *a, weft_array *to, const weft_array *table,
                          const weft_array *scratch, uint64_t items) {
  static const char *const names[] = {"weft_filter_slide"};
  weft_context *context = to->context;
  const uint64_t block = context->store.is_cpu ? 1 : WEFT__SLIDE_GPU_BLOCK;
  const slide_key key = {.dtype = (uint8_t)to->dtype, .axes = (uint8_t)to->ndim, .block = (uint8_t)block};
  const weft__kernel_source source = {
      .name = s->call->what,
      .key = {.file = "filter/slide.cl", .kernel = names, .kernels = 1, WEFT__KEY_BYTES(slide_key, &key)},
      .write = write_key};
  weft__kernel *kernel;
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &context->store, &source));
  a->to = (uint64_t)to->offset_bytes;
  a->from = (uint64_t)s->from->offset_bytes;
  a->table = (uint64_t)table->offset_bytes;
  a->scratch = (uint64_t)scratch->offset_bytes;
  const weft__use use[] = {
      {to->storage, true}, {s->from->storage, false}, {table->storage, false}, {scratch->storage, true}};
  return weft__run_kernel(&(weft__kernel_run){kernel, weft__own_grid(items, block), weft__dim3(block, 1, 1), a,
                                              sizeof *a, 4, use, .what = s->call->what, .site = s->call->call.site,
                                              .bytes = 2 * weft_array_size_bytes(to)});
}

weft_status weft__footprint_slide_run(bool *is_done, const void *task) {
  const weft__footprint_task *f = task;
  const weft__filtering *t = f->filtering;
  const weft__footprint *w = f->window;
  weft_array *to = f->to;
  const weft_array *from = f->from;
  const weft_context *context = to->context;
  const uint64_t bytes = weft_dtype_size_bytes(to->dtype);
  const bool is_cpu = context->store.is_cpu;
  uint64_t items =
      context->core.device->info.compute_units * (is_cpu ? WEFT__SLIDE_PER_UNIT : WEFT__SLIDE_GPU_PER_UNIT);
  sliding s = {.call = t, .from = from, .window = w};
  weft__slide_args *a = &s.a;
  weft_array *table = NULL, *scratch = NULL;
  weft_status rc;
  *is_done = true;
  a->rank = (uint64_t)w->rank;
  a->fill = t->edge.fill[0];
  a->border = t->edge.border;
  if (weft_dtype_kind(to->dtype) == 'i') a->flip_top = UINT32_C(1) << (bytes >= 4 ? 31 : 8 * bytes - 1);
  WEFT__TRY(make_table(&table, &s, items));
  turn_axes(&s);
  a->pitch = ((bytes > 4 ? 8 : 4) + 2 * sizeof(uint32_t) + bytes + 1) * (a->reach + 64) / 64 * 64;
  if (items > WEFT__SLIDE_SCRATCH_BYTES / a->pitch + 1) items = WEFT__SLIDE_SCRATCH_BYTES / a->pitch + 1;
  a->share = weft_ceil_div(a->rows * a->parts, items);
  items = weft_ceil_div(a->rows * a->parts, a->share);
  if (!is_cpu) items = weft_ceil_div(items, WEFT__SLIDE_GPU_BLOCK) * WEFT__SLIDE_GPU_BLOCK;
  WEFT__TRY(weft__array_create(&scratch, to->context, WEFT_U8, WEFT_SHAPE((int64_t)(items * a->pitch)), t->call.site));
  rc = launch(&s, a, to, table, scratch, items);
done:
  free(s.tap);
  free(s.word);
  weft_array_release(&table);
  weft_array_release(&scratch);
  return rc;
}
