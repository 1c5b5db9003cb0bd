// SPDX-License-Identifier: MIT
#include "op/rearrange/arrange.h"

#include <stdlib.h>
#include <string.h>

#include "array/strided_move.h"
#include "base/divisor.h"
#include "mem/at_once.h"

#define CPU_CHUNK_BYTES 65536 /* per work-item */
#define CPU_LEAST_CHUNK 2048  /* words per work-item at least, if there are not enough for all cores */
#define NARROW (INT64_C(1) << 31)
#define MOST_ROWS 1024         /* by the calling thread, */
#define MOST_GATHERED 2048     /* and words that are not beside each other: a launch takes as long */
#define LEAST_TURNED 16 /* a shorter axis does not justify a copy first */

/* ---- words ---- */

void weft__wording_of(weft__wording *w, const weft_context *context, weft_dtype dtype, int64_t elements,
                      int64_t to_offset) {
  size_t bytes = weft_dtype_size_bytes(dtype);
  w->is_cpu = context->store.is_cpu;
  w->size = bytes == 16 ? 8 : (int)bytes;
  w->per_element = (int)bytes / w->size;
  uint64_t number = (uint64_t)elements * (uint64_t)w->per_element, in_chunk = 16 / (uint64_t)w->size;
  if (w->is_cpu) {
    w->skew = 0;
    w->is_wide = true;
    w->chunks = (uint64_t)(CPU_CHUNK_BYTES / w->size);
    if (number < w->chunks * 64) w->chunks = weft_ceil_div(number, 64);
    if (w->chunks < CPU_LEAST_CHUNK) w->chunks = CPU_LEAST_CHUNK;
    w->groups = weft_ceil_div(number, w->chunks);
    w->block = weft__dim3(1, 1, 1);
    return;
  }
  w->skew = (int)(to_offset % 16) / w->size;
  w->chunks = weft_ceil_div(number + (uint64_t)w->skew, in_chunk);
  w->is_wide = number >= (uint64_t)NARROW - 16;
  w->groups = weft_ceil_div(w->chunks, WEFT__GPU_BLOCK);
  w->block = weft__dim3(WEFT__GPU_BLOCK, 1, 1);
}

void weft__write_wording(weft__text *text, int size, int is_wide) {
  weft__text_add(text, "#define WEFT_SIZE %d\n#define WEFT_BLOCK %d\n", size, WEFT__GPU_BLOCK);
  /* kernels for CPUs are always wide */
  if (is_wide >= 0) weft__text_add(text, "#define WEFT_WIDE %d\n", is_wide);
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

/// Drops axes of length 1, merges others, and stores them in the kernel's arguments. Axes from number `kept` on are not
/// dropped, and axes `kept` and `kept` + 1 are not merged into the axis before.
static void pack_axes(weft__arrange_args *k, const weft__arranged_axis *axis, int axes, int kept) {
  weft__arranged_axis to[WEFT__ARRANGE_AXES];
  int n = 0;
  for (int d = 0; d < axes; d++) {
    if (axis[d].length == 1 && is_itself(&axis[d]) && d < kept) continue;
    bool merges = n > 0 && d != kept && d != kept + 1 && can_merge(&to[n - 1], &axis[d]);
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
  if (n == 0) to[n++] = (weft__arranged_axis){1, 1, 0, k->row_words, WEFT__BORDER_NONE};
  k->axes = n;
  for (int d = 0; d < n; d++) {
    const weft__divisor divisor = weft__divisor_of((uint64_t)to[d].length);
    k->length[d] = to[d].length;
    k->from_length[d] = to[d].from_length;
    k->shift[d] = to[d].shift;
    k->stride[d] = to[d].stride_bytes;
    k->border[d] = to[d].border;
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

/* ---- by the calling thread ---- */

#if __SIZEOF_LONG__ != 8
#define long int64_t
#endif
#define abs(x) ((x) < 0 ? -(x) : (x))
#include "cl/rearrange/border.clh"
#undef abs
#undef long

/// Stores `count` words of the constant; the first is word i of the result.
static void fill_run(char *to, int64_t count, const weft__arrange_args *k, uint64_t i, size_t size) {
  for (int64_t j = 0; j < count; j++) memcpy(to + j * (int64_t)size, &k->fill[(i + (uint64_t)j) & 1], size);
}

/// Makes a row of the result, whose first word is word i; `from`: the row of the source.
static void make_row(char *to, const char *from, const weft__arrange_args *k, uint64_t i, size_t size) {
  const int last = k->axes - 1, border = k->border[last];
  const int64_t n = k->from_length[last], stride = k->stride[last], begin = k->shift[last];
  for (int64_t t = begin, end = begin + k->length[last], run; t < end; t += run) {
    int64_t place = t;
    run = 1;
    if (t >= 0 && t < n) {
      run = end - t < n - t ? end - t : n - t;
    } else {
      place = weft_inside(t, n, border);
      if (border == WEFT__BORDER_WRAP) run = end - t < n - place ? end - t : n - place;
    }
    char *const part = to + (t - begin) * (int64_t)size;
    if (place < 0)
      fill_run(part, run, k, i + (uint64_t)(t - begin), size);
    else
      weft__move_run(part, (int64_t)size, from + place * stride, stride, size, run);
  }
}

/// Whether the result is each element of one axis several times.
static bool repeats(const weft__arrange_args *k) {
  return k->axes == 2 && k->stride[1] == 0 && k->border[0] == WEFT__BORDER_NONE && k->border[1] == WEFT__BORDER_NONE;
}

/// Composes a small result of few rows without a launch.
static weft_status arrange_at_once(bool *is_done, const weft__arrange_args *k, size_t size, const weft_array *to,
                                   const weft_array *from) {
  const weft__use use[] = {{to->storage, true}, {from->storage, false}};
  const weft__core *core = &to->context->core;
  const int last = k->axes - 1;
  const uint64_t length = (uint64_t)k->length[last], most = weft__at_once_bytes(core) / 2;
  const bool is_run = k->stride[last] == (int64_t)size;
  int64_t index[WEFT__ARRANGE_AXES] = {0};
  char *place[2];
  *is_done = false;
  if (k->number * size > most) return WEFT_OK;
  if (!repeats(k) && (k->number / length > MOST_ROWS || (!is_run && k->number > MOST_GATHERED))) return WEFT_OK;
  WEFT__TRY_RETURN(weft__at_once(is_done, place, &to->context->core, 2, use));
  if (*is_done && repeats(k)) {
    weft__repeat_elements(place[0] + k->to_offset, place[1] + k->from_offset + k->shift[0] * k->stride[0], k->stride[0],
                          size, k->length[0], k->length[1]);
    return WEFT_OK;
  }
  for (uint64_t i = 0; i < k->number && *is_done; i += length) {
    const char *row = place[1] + k->from_offset;
    char *const out = place[0] + k->to_offset + i * size;
    bool is_inside = true;
    for (int d = 0; d < last; d++) {
      const int64_t at = weft_inside(index[d] + k->shift[d], k->from_length[d], k->border[d]);
      is_inside = is_inside && at >= 0;
      row += at * k->stride[d];
    }
    if (is_inside)
      make_row(out, row, k, i, size);
    else
      fill_run(out, (int64_t)length, k, i, size);
    for (int d = last - 1; d >= 0 && ++index[d] == k->length[d]; d--) index[d] = 0;
  }
  return WEFT_OK;
}

/* ---- the launch ---- */

typedef struct arrange_key {
  uint8_t size, is_wide, band, is_one;
} arrange_key;

static void write_key(weft__text *text, const void *data) {
  const arrange_key *key = data;
  weft__write_wording(text, key->size, key->is_wide == 2 ? -1 : key->is_wide);
  weft__text_add(text, "#define WEFT_BAND %d\n#define WEFT_ONE %d\n", key->band, key->is_one);
}

weft_status weft__arrange_run(weft_array *to, const weft_array *from, const weft__arrangement *arrangement,
                              const char *site) {
  weft__arranged_axis axis[WEFT__ARRANGE_AXES + 1];
  weft__wording w;
  weft__kernel *kernel;
  static const char *const kernels[] = {"weft_arrange"};
  const uint8_t band = (uint8_t)(arrangement->band + !from);
  if (to->size == 0) return WEFT_OK;
  if (!from) from = to; /* which the kernel does not read */
  weft__wording_of(&w, to->context, to->dtype, to->size, to->offset_bytes);
  int axes = arrangement->axes, rows = arrangement->band ? axes - 2 : WEFT__ARRANGE_AXES + 1;
  memcpy(axis, arrangement->axis, (size_t)axes * sizeof *axis);
  if (w.per_element == 2) axis[axes++] = (weft__arranged_axis){2, 2, 0, 8, WEFT__BORDER_NONE};
  weft__arrange_args k = {
      .number = (uint64_t)to->size * (uint64_t)w.per_element,
      .chunks = w.chunks,
      .to_offset = to->offset_bytes,
      .from_offset = from->offset_bytes,
      .from_end = weft__buffer_end(from),
      .lower = arrangement->lower * w.per_element,
      .upper = arrangement->upper * w.per_element + (w.per_element - 1),
      .skew = w.skew,
      .row_words = w.per_element,
  };
  pack_axes(&k, axis, axes, rows);
  pack_fill(k.fill, arrangement->fill, weft_dtype_size_bytes(to->dtype));
  pack_fill(k.fill + 2, arrangement->kept, weft_dtype_size_bytes(to->dtype));
  bool is_done = false;
  if (w.is_cpu && !arrangement->band) WEFT__TRY_RETURN(arrange_at_once(&is_done, &k, (size_t)w.size, to, from));
  if (is_done) return WEFT_OK;
  const arrange_key key = {(uint8_t)w.size, (uint8_t)(w.is_cpu ? 2 : w.is_wide), band,
                           !w.is_cpu && k.axes == 1};
  const weft__kernel_source source = {
      .name = arrangement->what,
      .key = {.file = w.is_cpu ? "rearrange/arrange_cpu.cl" : "rearrange/arrange_gpu.cl",
              .kernel = kernels,
              .kernels = 1,
              WEFT__KEY_BYTES(arrange_key, &key)},
      .write = write_key};
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &to->context->store, &source));
  const weft__use use[] = {{to->storage, true}, {from->storage, false}};
  return weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(w.groups), w.block, &k, sizeof k, 2, use,
                                              .what = arrangement->what, .site = site});
}

bool weft__arrange_wants_copy(const weft_array *x) {
  int64_t bytes = (int64_t)weft_dtype_size_bytes(x->dtype);
  int last = x->ndim - 1;
  while (last >= 0 && x->shape[last] == 1) last--;
  if (last < 0 || llabs(x->stride_bytes[last]) <= 2 * bytes) return false;
  for (int d = 0; d < last; d++)
    if (llabs(x->stride_bytes[d]) == bytes && x->shape[d] >= LEAST_TURNED) return !x->context->store.is_cpu;
  return false;
}
