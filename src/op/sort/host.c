// SPDX-License-Identifier: MIT
/// Sorting on the host: the step of all its ways.
#include "op/sort/host.h"

#include <string.h>

#include "base/scratch.h"
#include "op/sort/quick.h"

/// What a recording keeps of a sort. Its arrays in this order, as far as there are: keys, sorted keys, values, sorted
/// values.
typedef struct sort_task {
  uint64_t rows, length;
  int32_t way, dtype, value_bytes, cores, descending, gives_keys, has_values, gives_values, in_place, unused;
} sort_task;

weft__sort_kind weft__sort_kind_of(const weft__sort *s) {
  const weft_dtype dtype = s->key_from->dtype;
  if (weft_dtype_kind(dtype) == 'c') return WEFT__SORT_PAIRS;
  if (!s->value_to) return WEFT__SORT_ALONE;
  return weft_dtype_size_bytes(dtype) <= 4 && s->length <= UINT32_MAX ? WEFT__SORT_PACKED : WEFT__SORT_PAIRS;
}

static void open_rows(weft__sort_rows *s, const sort_task *t, void *const *data) {
  int next = 0;
  *s = (weft__sort_rows){.rows = t->rows,
                         .length = t->length,
                         .key_bytes = weft_dtype_size_bytes((weft_dtype)t->dtype),
                         .value_bytes = (size_t)t->value_bytes,
                         .cores = t->cores,
                         .dtype = (weft_dtype)t->dtype,
                         .descending = t->descending,
                         .is_float = weft_dtype_kind((weft_dtype)t->dtype) == 'f',
                         .loops = weft__sort_loops_of((weft_dtype)t->dtype)};
  s->key_from = data[next++];
  if (t->gives_keys) s->key_to = data[next++];
  if (t->has_values) s->value_from = data[next++];
  if (t->gives_values) s->value_to = data[next++];
  weft__sort_form_of(&s->form, s->dtype, s->descending);
}

static bool is_in_place(const weft__sort *s) {
  return (s->key_to && weft__arrays_overlap(s->key_to, s->key_from)) ||
         (s->value_from && weft__arrays_overlap(s->value_to, s->value_from));
}

/// Copies what is gathered. *memory: to give back.
static int move_away(void **memory, weft__sort_rows *s) {
  const size_t n = s->rows * s->length, key_bytes = s->key_to ? n * s->key_bytes : 0;
  const size_t at = (key_bytes + 15) / 16 * 16, value_bytes = s->value_from ? n * s->value_bytes : 0;
  char *copy = *memory = weft__scratch_begin(at + value_bytes);
  if (!copy) return WEFT__HOST_NO_MEMORY;
  if (key_bytes) s->key_from = memcpy(copy, s->key_from, key_bytes);
  if (value_bytes) s->value_from = memcpy(copy + at, s->value_from, value_bytes);
  return 0;
}

/// Whether complex numbers of 8 bytes have NaNs or -0, which are not taken out of them.
static bool has_others(const weft__sort_rows *s) {
  enum { BLOCK = 512 };
  uint64_t number[BLOCK];
  const size_t n = s->rows * s->length;
  bool has = false;
  for (size_t i = 0; i < n && !has; i += BLOCK)
    has = s->loops->numbers_of(number, s->key_from + i * s->key_bytes, n - i < BLOCK ? n - i : BLOCK, &s->form);
  return has;
}

static int sort_rows(void *const *data, const void *task) {
  static int (*const ways[])(const weft__sort_rows *) = {weft__sort_by_counts, weft__sort_by_vectors,
                                                         weft__sort_by_sides, weft__sort_by_digits};
  const sort_task *t = task;
  weft__sort_rows s;
  void *memory = NULL;
  open_rows(&s, t, data);
  const bool is_packed = t->length <= UINT32_MAX && s.loops->packed_of;
  const bool is_complex = weft_dtype_kind(s.dtype) == 'c';
  const bool is_alone = !t->gives_values && s.loops->numbers_of && (t->way != WEFT__BY_SIDES || is_packed) &&
                        !(is_complex && has_others(&s));
  s.kind = is_alone ? WEFT__SORT_ALONE : is_packed ? WEFT__SORT_PACKED : WEFT__SORT_PAIRS;
  s.number_bytes = s.kind == WEFT__SORT_PAIRS    ? sizeof(weft__sort_pair)
                   : s.kind == WEFT__SORT_PACKED ? 8
                   : s.key_bytes < 4             ? 4
                                                 : s.key_bytes;
  if (t->in_place && !is_alone && move_away(&memory, &s)) return WEFT__HOST_NO_MEMORY;
  /* a recording may be replayed by another processor */
  const int code = ways[t->way == WEFT__BY_VECTORS && !weft__quick_is_there() ? WEFT__BY_DIGITS : t->way](&s);
  weft__scratch_end(memory);
  return code;
}

const weft__host_function weft__host_sort = {"sort", WEFT__LIBRARY_NONE, sizeof(sort_task), sort_rows, NULL, NULL};

weft_status weft__sort_on_host(bool *is_done, const weft__sort *s, weft__sort_host_way way) {
  const sort_task task = {.rows = s->rows,
                          .length = s->length,
                          .way = (int32_t)way,
                          .dtype = (int32_t)s->key_from->dtype,
                          .value_bytes = s->value_from ? (int32_t)weft_dtype_size_bytes(s->value_from->dtype) : 0,
                          .cores = weft__host_cores(s->context),
                          .descending = s->descending,
                          .gives_keys = s->key_to != NULL,
                          .has_values = s->value_from != NULL,
                          .gives_values = s->value_to != NULL,
                          .in_place = is_in_place(s)};
  weft__host_use use[4];
  int uses = 0;
  use[uses++] = (weft__host_use){.array = s->key_from, .reads = true};
  if (s->key_to) use[uses++] = (weft__host_use){.array = s->key_to, .writes = true};
  if (s->value_from) use[uses++] = (weft__host_use){.array = s->value_from, .reads = true};
  if (s->value_to) use[uses++] = (weft__host_use){.array = s->value_to, .writes = true};
  *is_done = true;
  return weft__host_run(s->context, &weft__host_sort, &task, uses, use, s->what, s->site);
}

weft_status weft__sort_digits_run(bool *is_done, const void *task) {
  return weft__sort_on_host(is_done, task, WEFT__BY_DIGITS);
}
