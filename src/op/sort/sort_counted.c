// SPDX-License-Identifier: MIT
/// Sorts of long rows of keys of 2 bytes alone on CPUs, without launches: the keys of each value are counted and
/// written. NaNs and -0 keep the order of the source, so that rows with these are left to others.
#include <string.h>

#include "dtype/opencl.h"
#include "engine/shares.h"
#include "mem/at_once.h"
#include "op/sort/rows.h"

#define LEAST (1 << 14) /* keys of a row: fewer are sorted faster by comparisons */
#define SHARE (1 << 18) /* keys that pay for another thread and its counts */
#define MOST_CORES 16   /* with more, digits are faster for more than MOST_ALONE keys */
#define MOST_ALONE (1 << 18)
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

/// Counts a row's keys. False: some have an order among equal ones.
static bool count_row(const counting *c, uint32_t infinity) {
  uint32_t others = 0;
  weft__run_shares(c->shares, count_share, c);
  for (int k = 1; k < c->shares; k++)
    for (size_t v = 0; v < VALUES; v++) c->counts[v] += c->counts[(size_t)k * VALUES + v];
  if (infinity == 0) return true;
  for (size_t v = infinity + 1; v < TOP; v++) others |= c->counts[v] | c->counts[v + TOP];
  return (others | c->counts[TOP]) == 0;
}

static void write_row(uint16_t *to, const counting *c, uint16_t flip, bool is_float) {
  uint16_t *const end = to + c->n;
  for (uint32_t number = 0; number < VALUES; number++) {
    const uint32_t flipped = number ^ flip;
    const uint16_t key = (uint16_t)(!is_float ? flipped : flipped & TOP ? flipped ^ TOP : ~flipped);
    const uint32_t count = c->counts[key];
    if (count <= FOUR && end - to >= FOUR) { /* most of few keys: not a loop */
      const uint16_t four[FOUR] = {key, key, key, key};
      memcpy(to, four, sizeof four);
    } else {
      for (uint32_t i = 0; i < count; i++) to[i] = key;
    }
    to += count;
  }
}

static int threads_of(const weft__sort *s) {
  const uint64_t cores = s->context->core.device->info.compute_units, shares = s->length / SHARE;
  return (int)(shares <= 1 || cores <= 1 ? 1 : shares < cores ? shares : cores);
}

bool weft__sort_counted_fits(const void *task) {
  const weft__sort *s = task;
  const weft_dtype dtype = s->key_from->dtype;
  if (!s->context->store.is_cpu || s->value_to || !s->key_to || weft_dtype_size_bytes(dtype) != 2) return false;
  return s->length >= LEAST && s->length <= UINT32_MAX &&
         (s->rows * s->length <= MOST_ALONE || s->context->core.device->info.compute_units <= MOST_CORES);
}

weft_status weft__sort_counted_run(bool *is_done, const void *task) {
  const weft__sort *s = task;
  const weft_dtype dtype = s->key_from->dtype;
  const bool is_float = weft_dtype_kind(dtype) == 'f';
  weft_array *counts = NULL;
  char *place[3];
  uint32_t flip, flip_top;
  weft_status rc;
  *is_done = false;
  const int shares = threads_of(s);
  WEFT__TRY(weft__array_create(&counts, s->context, WEFT_U32, WEFT_SHAPE(shares, VALUES), s->site));
  const weft__use use[] = {{s->key_from->storage, false}, {s->key_to->storage, true}, {counts->storage, true}};
  WEFT__TRY(weft__at_once_waiting(is_done, place, &s->context->core, 3, use));
  weft__sort_flips(&flip, &flip_top, dtype, s->descending);
  for (size_t row = 0; *is_done && row < s->rows; row++) {
    const counting c = {.from = (const uint16_t *)(place[0] + s->key_from->offset_bytes) + row * s->length,
                        .n = s->length,
                        .shares = shares,
                        .counts = (uint32_t *)(place[2] + counts->offset_bytes)};
    *is_done = count_row(&c, is_float ? (uint32_t)weft__infinity_bits(dtype) : 0);
    if (*is_done)
      write_row((uint16_t *)(place[1] + s->key_to->offset_bytes) + row * s->length, &c, (uint16_t)flip_top, is_float);
  }
  rc = WEFT_OK;
done:
  weft_array_release(&counts);
  return rc;
}
