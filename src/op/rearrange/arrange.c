// SPDX-License-Identifier: MIT
#include "op/rearrange/arrange.h"

#include <stdlib.h>
#include <string.h>

#include "array/view.h"
#include "base/divisor.h"
#include "op/rearrange/tuning.h"

#define NARROW (INT64_C(1) << 31)

/* ---- words ---- */

void weft__wording_of(weft__wording *w, weft_dtype dtype, int64_t elements, int64_t to_offset) {
  const size_t bytes = weft_dtype_size_bytes(dtype);
  w->size = bytes == 16 ? 8 : (int)bytes;
  w->per_element = (int)bytes / w->size;
  w->skew = (int)(to_offset % 16) / w->size;
  const uint64_t number = (uint64_t)elements * (uint64_t)w->per_element;
  w->chunks = weft_ceil_div(number + (uint64_t)w->skew, 16 / (uint64_t)w->size);
  w->is_wide = number >= (uint64_t)NARROW - 16;
  w->groups = weft_ceil_div(w->chunks, WEFT__GPU_BLOCK);
}

void weft__write_wording(weft__text *text, int size, bool is_wide) {
  weft__text_add(text, "#define WEFT_SIZE %d\n#define WEFT_BLOCK %d\n#define WEFT_WIDE %d\n", size, WEFT__GPU_BLOCK,
                 is_wide);
}

uint64_t weft__buffer_end(const weft_array *x) {
  return x->storage->capacity_bytes ? x->storage->capacity_bytes : x->storage->size_bytes;
}

/* ---- axes ---- */

void weft__arrangement_add(weft__arrangement *a, int64_t length, int64_t from_length, int64_t shift,
                           int64_t stride_bytes, int border) {
  if (border == WEFT__BORDER_REFLECT && from_length == 1) border = WEFT__BORDER_EDGE; /* nothing else to mirror */
  if (length == from_length && shift == 0) border = WEFT__BORDER_NONE;
  a->axis[a->axes++] = (weft__arranged_axis){length, from_length, shift, stride_bytes, border};
}

static bool is_itself(const weft__arranged_axis *axis) {
  return axis->border == WEFT__BORDER_NONE && axis->shift == 0 && axis->length == axis->from_length;
}

/// Whether an axis merges with the next one, which must be unchanged.
static bool can_merge(const weft__arranged_axis *axis, const weft__arranged_axis *next) {
  return is_itself(next) && axis->stride_bytes == next->stride_bytes * next->length &&
         (axis->border == WEFT__BORDER_NONE || axis->border == WEFT__BORDER_CONSTANT ||
          axis->border == WEFT__BORDER_WRAP);
}

int weft__arrange_merge(weft__arranged_axis *to, const weft__arranged_axis *axis, int axes, int kept) {
  int n = 0;
  for (int d = 0; d < axes; d++) {
    if (axis[d].length == 1 && is_itself(&axis[d]) && d < kept) continue;
    const bool merges = n > 0 && d != kept && d != kept + 1 && can_merge(&to[n - 1], &axis[d]);
    if (!merges) {
      to[n++] = axis[d];
      continue;
    }
    weft__arranged_axis *last = &to[n - 1];
    last->length *= axis[d].length;
    last->from_length *= axis[d].length;
    last->shift *= axis[d].length;
    last->stride_bytes = axis[d].stride_bytes;
  }
  if (n == 0) to[n++] = (weft__arranged_axis){1, 1, 0, 0, WEFT__BORDER_NONE};
  return n;
}

/// Stores merged axes in the kernel's arguments.
static void pack_axes(weft__arrange_args *k, const weft__arranged_axis *axis, int axes, int kept) {
  weft__arranged_axis to[WEFT__ARRANGE_AXES];
  k->axes = weft__arrange_merge(to, axis, axes, kept);
  for (int d = 0; d < k->axes; d++) {
    const weft__divisor divisor = weft__divisor_of((uint64_t)to[d].length);
    k->length[d] = to[d].length;
    k->from_length[d] = to[d].from_length;
    k->shift[d] = to[d].shift;
    k->stride[d] = to[d].stride_bytes;
    k->border[d] = (int32_t)to[d].border;
    k->multiplier[d] = divisor.multiplier;
    k->divisor_shift[d] = divisor.shift;
  }
}

/// Repeats the element's bytes to the pattern of an even and an odd word.
static void pack_fill(uint64_t to[2], const uint64_t fill[2], size_t element_bytes) {
  unsigned char bytes[16];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = ((const unsigned char *)fill)[i % element_bytes];
  memcpy(to, bytes, sizeof bytes);
}

/* ---- the launch ---- */

typedef struct arrange_key {
  uint8_t size, is_wide, band, is_one;
} arrange_key;

static void write_key(weft__text *text, const void *data) {
  const arrange_key *key = data;
  weft__write_wording(text, key->size, key->is_wide);
  weft__text_add(text, "#define WEFT_BAND %d\n#define WEFT_ONE %d\n", key->band, key->is_one);
}

weft_status weft__arrange_kernels_run(bool *is_done, const void *task) {
  const weft__arrange_task *t = task;
  const weft__arrangement *a = t->arrangement;
  weft_array *const to = t->to;
  const weft_array *const from = t->from ? t->from : to; /* which the kernel does not read */
  weft__arranged_axis axis[WEFT__ARRANGE_AXES + 1];
  weft__wording w;
  weft__kernel *kernel;
  static const char *const kernels[] = {"weft_arrange"};
  *is_done = true;
  weft__wording_of(&w, to->dtype, to->size, to->offset_bytes);
  int axes = a->axes, rows = a->band ? axes - 2 : WEFT__ARRANGE_AXES + 1;
  memcpy(axis, a->axis, (size_t)axes * sizeof *axis);
  if (w.per_element == 2) axis[axes++] = (weft__arranged_axis){2, 2, 0, 8, WEFT__BORDER_NONE};
  weft__arrange_args k = {
      .number = (uint64_t)to->size * (uint64_t)w.per_element,
      .chunks = w.chunks,
      .to_offset = to->offset_bytes,
      .from_offset = from->offset_bytes,
      .from_end = weft__buffer_end(from),
      .lower = a->lower * w.per_element,
      .upper = a->upper * w.per_element + (w.per_element - 1),
      .skew = w.skew,
      .row_words = w.per_element,
  };
  pack_axes(&k, axis, axes, rows);
  pack_fill(k.fill, a->fill, weft_dtype_size_bytes(to->dtype));
  pack_fill(k.fill + 2, a->kept, weft_dtype_size_bytes(to->dtype));
  const arrange_key key = {(uint8_t)w.size, w.is_wide, (uint8_t)(a->band + !t->from), k.axes == 1};
  const weft__kernel_source source = {
      .name = a->what,
      .key = {.file = "rearrange/arrange_gpu.cl", .kernel = kernels, .kernels = 1, WEFT__KEY_BYTES(arrange_key, &key)},
      .write = write_key};
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &to->context->store, &source));
  const weft__use use[] = {{to->storage, true}, {from->storage, false}};
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(w.groups), WEFT_DIM3(WEFT__GPU_BLOCK), &k, sizeof k, 2,
                                              use, .what = a->what, .site = t->site});
}

/* ---- one diagonal ---- */

bool weft__arrange_diagonal_fits(const void *task) {
  const weft__arrange_task *t = task;
  const weft__arrangement *a = t->arrangement;
  return a->band && a->lower == a->upper && a->axes == 2 && weft_array_size_bytes(t->to) >= WEFT__ARRANGE_TWO_LAUNCHES;
}

weft_status weft__arrange_diagonal_run(bool *is_done, const void *task) {
  const weft__arrange_task *t = task;
  const weft__arranged_axis *axis = t->arrangement->axis;
  const int64_t k = t->arrangement->upper, row = k < 0 ? -k : 0, column = k > 0 ? k : 0;
  const int64_t rows = axis[0].length - row, columns = axis[1].length - column,
                length = rows < columns ? rows : columns;
  *is_done = true;
  WEFT__TRY_RETURN(weft__fill(t->to, WEFT_SCALAR(0), t->site));
  if (length <= 0) return WEFT_OK;
  weft_array diagonal = weft__array_flat(t->to);
  diagonal.offset_bytes += (row * axis[1].length + column) * diagonal.stride_bytes[0];
  diagonal.stride_bytes[0] *= axis[1].length + 1;
  diagonal.shape[0] = diagonal.size = length;
  if (!t->from) return weft__fill(&diagonal, WEFT_SCALAR(1), t->site);
  const weft_array from = weft__array_part(t->from, 0, column + axis[1].shift, length);
  return weft__assign(&diagonal, &from, t->site);
}

/* ---- the ways ---- */

weft_status weft__arrange_run(weft_array *to, const weft_array *from, const weft__arrangement *arrangement,
                              const char *site) {
  const weft__arrange_task t = {to, from, arrangement, site};
  return to->size == 0 ? WEFT_OK : weft__ways_run(&weft__arrange_ways, to->context, &t);
}

bool weft__arrange_wants_copy(const weft_array *x) {
  if (x->context->store.is_cpu) return false;
  int64_t bytes = (int64_t)weft_dtype_size_bytes(x->dtype);
  int last = x->ndim - 1;
  while (last >= 0 && x->shape[last] == 1) last--;
  if (last < 0 || llabs(x->stride_bytes[last]) <= 2 * bytes) return false;
  for (int d = 0; d < last; d++)
    if (llabs(x->stride_bytes[d]) == bytes && x->shape[d] >= WEFT__ARRANGE_LEAST_TURNED) return true;
  return false;
}
