// SPDX-License-Identifier: MIT
/// The number of a rank in a row, on the host.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include "op/sort/find_rank.h"

#include <math.h>
#include <string.h>

#include "base/wide.h"
#include "op/sort/quick.h"
#include "op/sort/tuning.h"

#define SLACK_BYTES 64 /* behind the numbers that a chunk copies */

/* ---- loops ---- */

#define T uint32_t
#define S int32_t
#define NAME(name) WIDTH(rank_##name##_u32)
#define LOOPS "op/sort/rank_loops.h"
#include "base/each_width.h"
#undef S
#define T uint64_t
#define S int64_t
#define NAME(name) WIDTH(rank_##name##_u64)
#define LOOPS "op/sort/rank_loops.h"
#include "base/each_width.h"

static size_t between(const weft__ranked *r, void *to, size_t *inside, const void *numbers, size_t n,
                      const uint64_t bound[2]) {
  const weft__quick quick = {.x = (void *)numbers, .is_wide = r->number_bytes == 8};
  return weft__quick_is_there() ? weft__quick_between(to, inside, &quick, n, bound)
                                : r->loops->between(to, inside, numbers, n, bound);
}

static void select_number(weft__rank_found *f, const weft__ranked *r, void *numbers, size_t n, size_t rank) {
  const weft__quick quick = {.x = numbers, .is_wide = r->number_bytes == 8};
  if (weft__quick_is_there())
    r->loops->compare(f, numbers, n, weft__quick_select(&quick, n, rank));
  else
    r->loops->select(f, numbers, n, rank);
}

/* ---- the row ---- */

void weft__rank_open(weft__ranked *r, weft_dtype dtype) {
  static const weft__rank_loops *const loops[2][3] = {WEFT__ALL(&rank_loops_u32), WEFT__ALL(&rank_loops_u64)};
  r->bytes = weft_dtype_size_bytes(dtype);
  r->number_bytes = r->bytes == 8 ? 8 : 4;
  r->is_float = weft_dtype_kind(dtype) == 'f';
  r->loops = loops[r->bytes == 8][WEFT__WIDTH];
  r->of_keys = weft__sort_loops_of(dtype);
  weft__sort_form_of(&r->form, dtype, false);
}

void weft__rank_split(int *shares, weft__ranked *r, uint64_t rows, int cores) {
  const uint64_t most = (uint64_t)weft__shares_of(UINT64_MAX, (uint64_t)cores), row = r->length * r->bytes;
  const bool has_rows = rows >= 2 * most || row < WEFT__RANK_LEAST_CHUNKS * WEFT__RANK_CHUNK_BYTES;
  const uint64_t parts = has_rows ? rows * row / WEFT__RANK_ROWS_BYTES : row / WEFT__RANK_CHUNK_BYTES;
  const int used = weft__shares_of(has_rows && rows < parts ? rows : parts, most);
  *shares = has_rows ? used : 1;
  r->chunks = has_rows ? 1 : used;
}

static size_t chunk_length(const weft__ranked *r) {
  return (r->length + (size_t)r->chunks - 1) / (size_t)r->chunks;
}

weft__rank_range weft__rank_chunk(const weft__ranked *r, size_t chunk) {
  const size_t n = chunk_length(r), first = chunk * n < r->length ? chunk * n : r->length;
  return (weft__rank_range){first, first + n < r->length ? first + n : r->length};
}

size_t weft__rank_room_bytes(const weft__ranked *r) {
  const size_t chunk = chunk_length(r) * r->number_bytes + SLACK_BYTES,
               least = 3 * WEFT__RANK_MOST_SAMPLE * sizeof(uint64_t);
  return chunk * (size_t)r->chunks > least ? chunk * (size_t)r->chunks : least;
}

static char *room_of(const weft__ranked *r, size_t chunk) {
  return (char *)r->room + chunk * (chunk_length(r) * r->number_bytes + SLACK_BYTES);
}

void weft__rank_numbers(weft__rank_block *numbers, const weft__ranked *r, size_t first, size_t n) {
  r->of_keys->orders_of(numbers, r->row + first * r->bytes, n, &r->form);
}

uint64_t weft__rank_number(const weft__ranked *r, const weft__rank_block *numbers, size_t k) {
  return r->number_bytes == 8 ? numbers->wide[k] : numbers->narrow[k];
}

/* ---- finding ---- */

static inline void take(char *to, const char *from, size_t size, size_t apart, size_t bytes) {
  for (size_t k = 0; k < size; k++) memcpy(to + k * bytes, from + k * apart, bytes);
}

/// Takes numbers of a sample, twice: to select is to change them.
static void take_sample(char *numbers[2], const weft__ranked *r, size_t size) {
  const size_t apart = r->length / size * r->bytes;
  char *elements = r->room;
  switch (r->bytes) {
    case 1:
      take(elements, r->row, size, apart, 1);
      break;
    case 2:
      take(elements, r->row, size, apart, 2);
      break;
    case 4:
      take(elements, r->row, size, apart, 4);
      break;
    default:
      take(elements, r->row, size, apart, 8);
  }
  for (size_t k = 0; k < 2; k++) {
    numbers[k] = elements + (1 + k) * WEFT__RANK_MOST_SAMPLE * sizeof(uint64_t);
    r->of_keys->orders_of(numbers[k], elements, size, &r->form);
  }
}

/// Two numbers of a sample between which the rank's one nearly always is.
static void find_bounds(uint64_t bound[2], const weft__ranked *r, size_t rank) {
  const size_t n = r->length, size = n <= WEFT__RANK_FEW_SAMPLED ? WEFT__RANK_LEAST_SAMPLE : WEFT__RANK_MOST_SAMPLE;
  bound[0] = 0;
  bound[1] = r->number_bytes == 8 ? UINT64_MAX : UINT32_MAX;
  if (n <= WEFT__RANK_UNSAMPLED) return;
  weft__rank_found f;
  char *numbers[2];
  /* three times the standard deviation of the place of the rank's number in the sample */
  const double all = (double)size, at = (double)rank / (double)n, deviation = sqrt(all * at * (1 - at));
  const double least = all * at - 3 * deviation - 2, most = all * at + 3 * deviation + 2;
  take_sample(numbers, r, size);
  if (least >= 0) {
    select_number(&f, r, numbers[0], size, (size_t)least);
    bound[0] = f.number;
  }
  if (most <= all - 1) {
    select_number(&f, r, numbers[1], size, (size_t)most);
    bound[1] = f.number;
  }
}

/// A pass over the row.
typedef struct pass {
  const weft__ranked *r;
  const uint64_t *bound;
  bool takes_all;
  size_t below[WEFT__MOST_SHARES], inside[WEFT__MOST_SHARES];
} pass;

static void *pass_chunk(void *user) {
  const weft__share *share = user;
  pass *p = *(pass *const *)share->all;
  const weft__rank_range all = weft__rank_chunk(p->r, share->number);
  weft__rank_block numbers;
  size_t below = 0, inside = 0;
  if (p->takes_all) {
    inside = all.end - all.first;
    p->r->of_keys->orders_of(room_of(p->r, share->number), p->r->row + all.first * p->r->bytes, inside, &p->r->form);
  }
  for (size_t i = all.first; i < all.end && !p->takes_all; i += WEFT__RANK_BLOCK) {
    const size_t n = all.end - i < WEFT__RANK_BLOCK ? all.end - i : WEFT__RANK_BLOCK;
    weft__rank_numbers(&numbers, p->r, i, n);
    below += between(p->r, room_of(p->r, share->number), &inside, &numbers, n, p->bound);
  }
  p->below[share->number] = below;
  p->inside[share->number] = inside;
  return NULL;
}

/// Counts the elements below the bounds, and puts the numbers between them into the room.
static void pass_row(size_t *below, size_t *inside, const weft__ranked *r, const uint64_t bound[2]) {
  const uint64_t greatest = r->number_bytes == 8 ? UINT64_MAX : UINT32_MAX;
  pass all = {.r = r, .bound = bound, .takes_all = bound[0] == 0 && bound[1] == greatest}, *p = &all;
  weft__run_shares(r->chunks, pass_chunk, &p);
  *below = *inside = 0;
  for (size_t c = 0; c < (size_t)r->chunks; c++) {
    memmove((char *)r->room + *inside * r->number_bytes, room_of(r, c), all.inside[c] * r->number_bytes);
    *below += all.below[c];
    *inside += all.inside[c];
  }
}

void weft__rank_find(weft__rank_found *f, const weft__ranked *r, size_t rank) {
  size_t below, inside;
  uint64_t bound[2];
  find_bounds(bound, r, rank);
  pass_row(&below, &inside, r, bound);
  if (rank < below || rank - below >= inside) {
    bound[0] = 0;
    bound[1] = r->number_bytes == 8 ? UINT64_MAX : UINT32_MAX;
    pass_row(&below, &inside, r, bound);
  }
  select_number(f, r, r->room, inside, rank - below);
  f->lesser += below;
}

/* ---- elements ---- */

/// The place of one of the elements with this number.
static size_t place_of(const weft__ranked *r, uint64_t number, size_t which) {
  weft__rank_block numbers;
  for (size_t i = 0; i < r->length; i++) {
    const size_t k = i % WEFT__RANK_BLOCK, left = r->length - i;
    if (k == 0) weft__rank_numbers(&numbers, r, i, left < WEFT__RANK_BLOCK ? left : WEFT__RANK_BLOCK);
    if (weft__rank_number(r, &numbers, k) == number && which-- == 0) return i;
  }
  return 0;
}

void weft__rank_copy(void *to, const weft__ranked *r, const weft__rank_found *f, size_t rank) {
  const uint64_t nan = r->number_bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * r->bytes) - 1;
  const uint32_t narrow = (uint32_t)f->number;
  if (r->is_float && (f->number == r->form.zero || f->number == nan)) /* elements of different bits */
    memcpy(to, r->row + place_of(r, f->number, rank - f->lesser) * r->bytes, r->bytes);
  else
    r->of_keys->keys_of(to, r->number_bytes == 8 ? (const void *)&f->number : &narrow, 1, &r->form);
}

size_t weft__rank_count_nans(const weft__ranked *r) {
  return r->of_keys->count_nans(r->row, r->length, &r->form);
}
