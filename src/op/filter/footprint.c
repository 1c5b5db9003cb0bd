// SPDX-License-Identifier: MIT
/// Filters with a window of any shape.
#include <stdlib.h>

#include "cl/rearrange/args.h"
#include "dtype/opencl.h"
#include "op/filter/filter.h"
#include "op/filter/tuning.h"

typedef struct window_key {
  uint8_t dtype, op, axes, count, is_narrow_sum;
  uint8_t rank, places;
  uint8_t height, width, falls; /* of a box along the last two axes; falls: UP and LEFT of the kernel */
} window_key;

/* ---- networks ---- */

_Static_assert(WEFT__WINDOW_COUNT == 49, "WEFT__WINDOW_EXCHANGES is for 49 elements");

typedef struct network {
  weft__window_order *order;
  int v[WEFT__WINDOW_COUNT]; /* the elements that may be the wanted one */
  int size;
} network;

static void order(network *n, int i, int j) {
  uint8_t *exchange = n->order->exchange[n->order->exchanges++];
  exchange[0] = (uint8_t)n->v[i];
  exchange[1] = (uint8_t)n->v[j];
}

/// Moves the least element to the front, the greatest one to the end, or both.
static void move_ends(network *n, bool least, bool greatest) {
  const int half = n->size / 2, last = n->size - 1;
  if (least && greatest) {
    for (int i = 0; i < half; i++) order(n, i, last - i);
    for (int i = last - half; i > 0; i--) order(n, 0, i);
    for (int i = half; i < last; i++) order(n, i, last);
  } else if (least) {
    for (int i = last; i > 0; i--) order(n, i - 1, i);
  } else {
    for (int i = 0; i < last; i++) order(n, i, i + 1);
  }
}

/// A few elements at a time are compared; one that has too many on one side of it cannot be the wanted one and is left
/// out (Devillard 1998, for medians).
void weft__window_order_of(weft__window_order *to, int taps, int rank) {
  network n = {.order = to};
  int left = taps, next = 0; /* elements that are not left out; the next one that has not been compared */
  to->exchanges = 0;
  while (left > 1) {
    while (n.size < left && n.size < rank + 2 && n.size < left - rank + 1) n.v[n.size++] = next++;
    const bool greatest = n.size >= rank + 2, least = n.size >= left - rank + 1;
    move_ends(&n, least, greatest && n.size > 1);
    if (greatest) n.size--, left--;
    if (!least) continue;
    for (int i = 1; i < n.size; i++) n.v[i - 1] = n.v[i];
    n.size--, left--, rank--;
  }
  to->place = n.size ? n.v[0] : next;
}

/* ---- the kernel ---- */

static void write_key(weft__text *text, const void *data) {
  const window_key *key = data;
  const weft_dtype dtype = (weft_dtype)key->dtype;
  weft__filter_define(text, dtype);
  weft__text_add(text,
                 "#define T_BOOL %d\n#define REAL %s\n#define OP %d\n#define AXES %d\n#define COUNT %d\n"
                 "#define PLACES %d\n",
                 dtype == WEFT_BOOL, key->is_narrow_sum ? "float" : "double", key->op, key->axes, key->count,
                 key->places);
  weft__text_add(text, "#define HEIGHT %d\n#define WIDTH %d\n#define UP %d\n#define LEFT %d\n", key->height, key->width,
                 key->falls & 1, key->falls >> 1);
  if (key->op != WEFT__FILTER_RANK) return;
  if (key->count) {
    weft__window_order ranks;
    weft__window_order_of(&ranks, key->count, key->rank);
    weft__text_add(text, "#define MIDDLE %d\n#define NETWORK", ranks.place);
    for (int k = 0; k < ranks.exchanges; k++)
      weft__text_add(text, " X(%d, %d)", ranks.exchange[k][0], ranks.exchange[k][1]);
    weft__text_add(text, "\n");
    return;
  }
  weft__filter_define_keys(text, dtype);
}

void weft__filter_define_keys(weft__text *text, weft_dtype dtype) {
  weft__text_add(text, "#define SORT_KEY_BYTES %zu\n#define SORT_KIND %d\n", weft_dtype_size_bytes(dtype),
                 weft_dtype_kind(dtype) == 'f');
  if (weft__is_narrow(dtype)) weft__text_add(text, "#define SORT_INFINITY %u\n", (unsigned)weft__infinity_bits(dtype));
}

int64_t weft__footprint_offsets(int64_t **offset, const weft__filtering *t, const int64_t size[],
                                const int64_t before[], bool is_reversed, const uint8_t *keeps) {
  const int ndim = t->call.array[1]->ndim;
  int64_t all = 1, kept = 0, index[WEFT_MAX_NDIM] = {0};
  for (int k = 0; k < t->axes; k++) all *= size[k];
  *offset = calloc((size_t)all * (size_t)ndim + 1, sizeof **offset);
  if (!*offset) return -1;
  for (int64_t i = 0; i < all; i++) {
    if (!keeps || keeps[i]) {
      for (int k = 0; k < t->axes; k++)
        (*offset)[kept * ndim + t->axis[k]] = (is_reversed ? size[k] - 1 - index[k] : index[k]) - before[k];
      kept++;
    }
    for (int k = t->axes - 1; k >= 0 && ++index[k] == size[k]; k--) index[k] = 0;
  }
  return kept;
}

/// Whether the window's places fit the arguments.
static bool has_places(const weft__footprint *w, int ndim) {
  bool fits = w->taps <= WEFT__WINDOW_COUNT && w->taps * ndim <= WEFT__WINDOW_PLACES;
  for (int64_t k = 0; fits && k < w->taps * ndim; k++) fits = w->offset[k] >= INT8_MIN && w->offset[k] <= INT8_MAX;
  return fits;
}

/// Whether element k of the window is `steps` steps of one element along an axis from element `from`.
static bool is_beside(const weft__footprint *w, int ndim, int64_t k, int64_t from, int axis, int64_t steps) {
  for (int d = 0; d < ndim; d++)
    if (w->offset[k * ndim + d] - w->offset[from * ndim + d] != (d == axis ? steps : 0)) return false;
  return true;
}

/// The number of elements, `stride` apart in the list, that follow each other along the axis; *falls: in falling order.
static int64_t run_along(bool *falls, const weft__footprint *w, int ndim, int axis, int64_t stride) {
  int64_t run = 1;
  *falls = stride < w->taps && is_beside(w, ndim, stride, 0, axis, -1);
  while (run * stride < w->taps && is_beside(w, ndim, run * stride, 0, axis, *falls ? -run : run)) run++;
  return run;
}

/// Finds whether the window is boxes along the last two axes, of which the first box is representative.
static void find_box(window_key *key, const weft__footprint *w, int ndim) {
  bool left, up;
  if (ndim < 2) return;
  const int64_t width = run_along(&left, w, ndim, ndim - 1, 1), height = run_along(&up, w, ndim, ndim - 2, width);
  const int64_t area = width * height;
  if (height < 2 || w->taps % area) return;
  for (int64_t k = 0; k < w->taps; k++) {
    const int64_t line = k / width * width, box = k / area * area, row = (line - box) / width;
    if (!is_beside(w, ndim, k, line, ndim - 1, left ? line - k : k - line) ||
        !is_beside(w, ndim, line, box, ndim - 2, up ? -row : row))
      return;
  }
  key->height = (uint8_t)height;
  key->width = (uint8_t)width;
  key->falls = (uint8_t)(up | left << 1);
}

/// The table of the kernel, and how far the window reaches. `table` NULL: the places in the arguments instead.
static weft_status make_table(weft_array **table, weft__window_args *a, const weft_array *x, const weft__footprint *w,
                              const char *site) {
  const int ndim = x->ndim;
  weft_status rc = WEFT_OK;
  const size_t words = (size_t)w->taps * (size_t)(ndim + 1);
  int64_t *word = malloc(words * sizeof *word), *at = word;
  if (!word) return weft__fail_host_memory(words * sizeof *word);
  for (int64_t k = 0; k < w->taps; k++) {
    int64_t *linear = at++;
    *linear = 0;
    for (int d = 0; d < ndim; d++) {
      const int64_t offset = w->offset[k * ndim + d];
      *linear = *linear * x->shape[d] + offset;
      *at++ = offset;
      if (!table) a->place[k * ndim + d] = (int8_t)offset;
      if (-offset > a->near[d]) a->near[d] = -offset;
      if (offset > a->past[d]) a->past[d] = offset;
    }
    if (k < WEFT__WINDOW_COUNT) a->linear[k] = *linear;
  }
  if (table) rc = weft__array_of(table, x->context, WEFT_I64, WEFT_SHAPE((int64_t)words), word, site);
  free(word);
  return rc;
}

/* ---- the ways ---- */

/// The extent of a window along the axis in which it is longest.
static int64_t longest_side(const weft__footprint *w, int ndim) {
  int64_t longest = 0;
  for (int d = 0; d < ndim; d++) {
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (int64_t k = 0; k < w->taps; k++) {
      const int64_t offset = w->offset[k * ndim + d];
      if (offset < least) least = offset;
      if (offset > most) most = offset;
    }
    if (most - least + 1 > longest) longest = most - least + 1;
  }
  return longest;
}

bool weft__footprint_slide_fits(const void *of) {
  const weft__footprint_task *task = of;
  const weft__footprint *w = task->window;
  if (w->op != WEFT__FILTER_RANK || task->to->context->store.is_cpu) return w->op == WEFT__FILTER_RANK;
  return w->taps > WEFT__SLIDE_GPU_TAPS && longest_side(w, task->to->ndim) >= w->taps / WEFT__SLIDE_GPU_LINES;
}

weft_status weft__footprint_kernels_run(bool *is_done, const void *task) {
  static const char *const names[] = {"weft_filter_window"};
  const weft__footprint_task *f = task;
  const weft__filtering *t = f->filtering;
  const weft__footprint *w = f->window;
  const weft_array *to = f->to, *from = f->from;
  weft_context *context = to->context;
  const size_t bytes = weft_dtype_size_bytes(to->dtype);
  const bool is_rank = w->op == WEFT__FILTER_RANK, has_count = w->taps <= WEFT__WINDOW_COUNT;
  window_key key = {.dtype = (uint8_t)to->dtype,
                    .op = (uint8_t)w->op,
                    .axes = (uint8_t)from->ndim,
                    .count = has_count ? (uint8_t)w->taps : 0,
                    .is_narrow_sum = weft__filter_sum_dtype(context, to->dtype) == WEFT_F32,
                    .rank = has_count && is_rank ? (uint8_t)w->rank : 0,
                    .places = has_places(w, from->ndim)};
  if (has_count && !is_rank) find_box(&key, w, from->ndim);
  const weft__kernel_source source = {
      .name = t->what,
      .key = {.file = "filter/window.cl", .kernel = names, .kernels = 1, WEFT__KEY_BYTES(window_key, &key)},
      .write = write_key};
  weft__kernel *kernel;
  weft_array *table = NULL;
  weft_status rc;
  const weft_array *weights = w->weights ? w->weights : from;
  const uint64_t length = (uint64_t)from->shape[from->ndim - 1];
  weft__window_args a = {.n = (uint64_t)to->size,
                         .rows = (uint64_t)to->size / length,
                         .taps = (uint64_t)w->taps,
                         .rank = (uint64_t)w->rank,
                         .to = (uint64_t)to->offset_bytes,
                         .from = (uint64_t)from->offset_bytes,
                         .weights = (uint64_t)weights->offset_bytes,
                         .fill = t->edge.fill[0],
                         .border = t->edge.border};
  *is_done = true;
  for (int d = 0; d < from->ndim; d++) a.shape[d] = from->shape[d];
  if (key.height) {
    a.parts = weft_ceil_div((uint64_t)from->shape[from->ndim - 2], WEFT__WINDOW_EACH);
    a.n = a.rows / (uint64_t)from->shape[from->ndim - 2] * a.parts * length;
  }
  if (weft_dtype_kind(to->dtype) == 'i') a.flip_top = UINT32_C(1) << (bytes >= 4 ? 31 : 8 * bytes - 1);
  WEFT__TRY(weft__kernels_get(&kernel, &context->store, &source));
  WEFT__TRY(make_table(key.places ? NULL : &table, &a, from, w, t->call.site));
  const weft_array *places = table ? table : from;
  a.table = (uint64_t)places->offset_bytes;
  const weft__use use[] = {
      {to->storage, true}, {from->storage, false}, {places->storage, false}, {weights->storage, false}};
  rc = weft__run_kernel(&(weft__kernel_run){kernel, weft__own_grid(a.n, WEFT__GPU_BLOCK), WEFT_DIM3(WEFT__GPU_BLOCK),
                                            &a, sizeof a, 4, use, .what = t->what, .site = t->call.site,
                                            .bytes = 2 * (uint64_t)to->size * bytes});
done:
  weft_array_release(&table);
  return rc;
}

weft_status weft__filter_footprint(const weft__filtering *t, weft_array *to, const weft_array *from,
                                   const weft__footprint *w) {
  return weft__ways_run(&weft__footprint_ways, to->context, &(const weft__footprint_task){t, to, from, w});
}
