// SPDX-License-Identifier: MIT
/// Sorts of long rows of keys of 2 bytes alone: the keys of each value are counted and written. Zeros and NaNs keep the
/// order of the source, if there are -0 or NaNs.
#include <string.h>

#include "base/scratch.h"
#include "dtype/opencl.h"
#include "op/sort/host.h"
#include "op/sort/tuning.h"

enum { VALUES = 1 << 16, TOP = 1 << 15, FOUR = 4 };

typedef struct counting {
  const uint16_t *from;
  size_t n;
  int shares;
  uint32_t *counts; /* of each value, by share */
} counting;

static void *count_share(void *user) {
  const weft__share *share = user;
  const counting *c = share->all;
  const size_t each = c->n / (size_t)c->shares, begin = share->number * each;
  const size_t end = share->number + 1 == (size_t)c->shares ? c->n : begin + each;
  uint32_t *counts = c->counts + share->number * VALUES;
  memset(counts, 0, VALUES * sizeof *counts);
  for (size_t i = begin; i < end; i++) counts[c->from[i]]++;
  return NULL;
}

static void count_row(const counting *c) {
  weft__run_shares(c->shares, count_share, c);
  for (int k = 1; k < c->shares; k++)
    for (size_t v = 0; v < VALUES; v++) c->counts[v] += c->counts[(size_t)k * VALUES + v];
}

/// Zeros, then NaNs of a row that has -0 or NaNs, in their order.
typedef struct others {
  uint16_t *zero, *nan;
  size_t zeros, nans;
} others;

/// Takes them out of the counts. *memory: to give back; NULL: no element is taken out.
static int take_others(others *o, void **memory, const counting *c, uint32_t infinity) {
  size_t zeros = c->counts[0] + c->counts[TOP], nans = 0;
  for (size_t v = infinity + 1; v < TOP; v++) nans += c->counts[v] + c->counts[v + TOP];
  if (c->counts[TOP] + nans == 0) return 0;
  if (!(*memory = weft__scratch_begin((zeros + nans) * sizeof(uint16_t)))) return WEFT__HOST_NO_MEMORY;
  o->zero = *memory;
  o->nan = o->zero + zeros;
  for (size_t i = 0; i < c->n; i++) {
    const uint16_t magnitude = c->from[i] & (TOP - 1);
    if (magnitude == 0) o->zero[o->zeros++] = c->from[i];
    if (magnitude > infinity) o->nan[o->nans++] = c->from[i];
  }
  c->counts[0] = c->counts[TOP] = 0;
  for (size_t v = infinity + 1; v < TOP; v++) c->counts[v] = c->counts[v + TOP] = 0;
  return 0;
}

static uint16_t *write_others(uint16_t *to, const uint16_t *from, size_t n) {
  if (n > 0) memcpy(to, from, n * sizeof *to);
  return to + n;
}

/// Writes the keys of numbers from `number` to before `most`; the row ends at `end`.
static uint16_t *write_keys(uint16_t *to, const uint16_t *end, const counting *c, const weft__sort_rows *s,
                            uint32_t number, uint32_t most) {
  const uint16_t flip = (uint16_t)s->form.flip;
  const uint32_t *const counts = c->counts;
  const bool is_float = s->is_float;
  for (; number < most; number++) {
    const uint32_t flipped = number ^ flip;
    const uint16_t key = (uint16_t)(!is_float ? flipped : flipped & TOP ? flipped ^ TOP : ~flipped);
    const uint32_t count = counts[key];
    if (count <= FOUR && end - to >= FOUR) { /* most of few keys: not a loop */
      const uint16_t four[FOUR] = {key, key, key, key};
      memcpy(to, four, sizeof four);
    } else {
      for (uint32_t i = 0; i < count; i++) to[i] = key;
    }
    to += count;
  }
  return to;
}

static void write_row(uint16_t *to, const counting *c, const weft__sort_rows *s, const others *o) {
  const uint32_t zero = (uint32_t)(s->form.zero ^ s->form.flip);
  const uint16_t *const end = to + c->n;
  if (s->descending) to = write_others(to, o->nan, o->nans);
  to = write_keys(to, end, c, s, 0, zero);
  to = write_others(to, o->zero, o->zeros);
  to = write_keys(to, end, c, s, zero, VALUES);
  if (!s->descending) write_others(to, o->nan, o->nans);
}

int weft__sort_by_counts(const weft__sort_rows *s) {
  counting c = {.n = s->length, .shares = weft__shares_of(s->length / WEFT__SORT_COUNTED_SHARE, (uint64_t)s->cores)};
  int code = 0;
  if (!(c.counts = weft__scratch_begin((size_t)c.shares * VALUES * sizeof *c.counts))) return WEFT__HOST_NO_MEMORY;
  for (size_t row = 0; row < s->rows && !code; row++) {
    void *memory = NULL;
    others o = {NULL, NULL, 0, 0};
    c.from = (const uint16_t *)(const void *)s->key_from + row * s->length;
    count_row(&c);
    if (s->is_float) code = take_others(&o, &memory, &c, (uint32_t)weft__infinity_bits(s->dtype));
    if (!code) write_row((uint16_t *)(void *)s->key_to + row * s->length, &c, s, &o);
    weft__scratch_end(memory);
  }
  weft__scratch_end(c.counts);
  return code;
}

bool weft__sort_counted_fits(const void *task) {
  const weft__sort *s = task;
  const weft_dtype dtype = s->key_from->dtype;
  if (s->value_to || !s->key_to || weft_dtype_size_bytes(dtype) != 2) return false;
  return s->length >= WEFT__SORT_LEAST_COUNTED && s->length <= UINT32_MAX &&
         (s->rows * s->length <= WEFT__SORT_COUNTED_ALONE ||
          s->context->core.device->info.compute_units <= WEFT__SORT_MOST_CORES);
}

weft_status weft__sort_counted_run(bool *is_done, const void *task) {
  return weft__sort_on_host(is_done, task, WEFT__BY_COUNTS);
}
