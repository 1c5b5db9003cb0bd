// SPDX-License-Identifier: MIT
/// Long rows of CPUs divided by the element of a rank, as cl/sort/divide.cl does it, by the calling thread without
/// launches: a pass over the row finds the numbers between two of a sample, a quickselect the rank's one among them,
/// and another pass moves the elements.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* else the loops are no vector code */
#endif
#include <math.h>
#include <string.h>

#include "base/scratch.h"
#include "base/wide.h"
#include "mem/at_once.h"
#include "op/sort/quick.h"
#include "op/sort/rows.h"

#define MOST_BYTES (2 << 20) /* of elements; more are divided faster by all cores */
enum { BLOCK = 1024, GROUP = 64, LANES = 16 };

typedef union block {
  uint32_t narrow[BLOCK];
  uint64_t wide[BLOCK];
} block;

typedef struct task {
  block *elements, *numbers; /* room for some at a time */
  weft__quick quick;         /* its x: numbers among which the rank's one is */
  size_t bytes;              /* of an element */
  bool is_float;
  uint64_t flip; /* integers: the bit to invert */
} task;

/* Zeros have one number, and NaNs the greatest one. */
#define LOOPS(T, SIGNED, name)                                                                                     \
  WEFT__WIDEST static void row_numbers_##name(T *restrict to, const T *restrict x, size_t n, T flip, T infinity) { \
    const T top = (T)1 << (8 * sizeof(T) - 1), all = (T) ~(T)0;                                                    \
    if (infinity == 0) {                                                                                           \
      for (size_t i = 0; i < n; i++) to[i] = x[i] ^ flip;                                                          \
      return;                                                                                                      \
    }                                                                                                              \
    for (size_t i = 0; i < n; i++) {                                                                               \
      const T number = x[i] ^ ((T)((SIGNED)x[i] >> (8 * sizeof(T) - 1)) | top);                                    \
      to[i] = (x[i] & (top - 1)) > infinity ? all : number == top - 1 ? top : number;                              \
    }                                                                                                              \
  }                                                                                                                \
  WEFT__WIDEST static void count_##name(size_t *lesser, size_t *equal, const T *x, size_t n, T bound) {            \
    T less = 0, same = 0;                                                                                          \
    for (size_t i = 0; i < n; i++) {                                                                               \
      less += x[i] < bound;                                                                                        \
      same += x[i] == bound;                                                                                       \
    }                                                                                                              \
    *lesser = (size_t)less;                                                                                        \
    *equal = (size_t)same;                                                                                         \
  }                                                                                                                \
  WEFT__WIDEST static bool any_##name(const T *x, T bound, bool greatest) {                                        \
    T beyond = 0, before = 0;                                                                                      \
    for (size_t i = 0; i < GROUP; i++) {                                                                           \
      beyond |= (T)(x[i] >= bound);                                                                                \
      before |= (T)(x[i] <= bound);                                                                                \
    }                                                                                                              \
    return greatest ? beyond : before;                                                                             \
  }
LOOPS(uint32_t, int32_t, u32)
LOOPS(uint64_t, int64_t, u64)

static void row_numbers(const task *t, void *to, const char *x, size_t n) {
  if (t->bytes == 4)
    row_numbers_u32(to, (const uint32_t *)x, n, (uint32_t)t->flip, t->is_float ? UINT32_C(0xff) << 23 : 0);
  else
    row_numbers_u64(to, (const uint64_t *)x, n, t->flip, t->is_float ? UINT64_C(0x7ff) << 52 : 0);
}

static uint64_t number_at(const task *t, const block *numbers, size_t k) {
  return t->bytes == 4 ? numbers->narrow[k] : numbers->wide[k];
}

/// Two numbers of a sample between which the rank's one nearly always is.
static void find_bounds(uint64_t bound[2], const task *t, const char *from, size_t n, size_t rank) {
  const size_t distance = n / BLOCK;
  block *elements = t->elements, *numbers = t->numbers;
  for (size_t k = 0; k < BLOCK; k++) {
    if (t->bytes == 4)
      elements->narrow[k] = ((const uint32_t *)(const void *)from)[k * distance];
    else
      elements->wide[k] = ((const uint64_t *)(const void *)from)[k * distance];
  }
  row_numbers(t, numbers, (const char *)elements, BLOCK);
  weft__quick_sort(&(const weft__quick){.x = numbers, .is_wide = t->quick.is_wide}, 0, BLOCK);
  /* three times the standard deviation of the place of the rank's number in the sample */
  const double at = (double)rank / (double)n, deviation = sqrt(BLOCK * at * (1 - at));
  const double least = BLOCK * at - 3 * deviation - 2, most = BLOCK * at + 3 * deviation + 2;
  bound[0] = least < 0 ? 0 : number_at(t, numbers, (size_t)least);
  bound[1] = most > BLOCK - 1 ? UINT64_MAX : number_at(t, numbers, (size_t)most);
}

typedef struct range {
  size_t first, end;
} range;

/// Where a row is divided.
typedef struct found {
  uint64_t number;
  size_t lesser, equal; /* numbers */
} found;

static found find(const task *t, const char *from, size_t n, size_t rank) {
  size_t below = 0, inside = 0;
  uint64_t bound[2];
  const weft__quick part = {.x = t->numbers, .is_wide = t->quick.is_wide};
  found f;
  find_bounds(bound, t, from, n, rank);
  for (bool is_found = false; !is_found;) {
    below = inside = 0;
    for (size_t i = 0; i < n; i += BLOCK) {
      const size_t some = n - i < BLOCK ? n - i : BLOCK;
      row_numbers(t, t->numbers, from + i * t->bytes, some);
      below += weft__quick_between((char *)t->quick.x, &inside, &part, some, bound);
    }
    is_found = rank >= below && rank - below < inside;
    bound[0] = 0; /* else among all */
    bound[1] = UINT64_MAX;
  }
  f.number = weft__quick_select(&t->quick, inside, rank - below);
  if (t->bytes == 4)
    count_u32(&f.lesser, &f.equal, t->quick.x, inside, (uint32_t)f.number);
  else
    count_u64(&f.lesser, &f.equal, t->quick.x, inside, f.number);
  f.lesser += below;
  return f;
}

/// Moves the row's elements.
static void move_row(const task *t, char *to, const char *from, size_t n, found f) {
  const weft__quick part = {.x = t->numbers, .is_wide = t->quick.is_wide};
  char *place[3] = {to, to + f.lesser * t->bytes, to + (f.lesser + f.equal) * t->bytes};
  for (size_t i = 0; i < n; i += BLOCK) {
    const size_t some = n - i < BLOCK ? n - i : BLOCK;
    row_numbers(t, t->numbers, from + i * t->bytes, some);
    weft__quick_move(&part, some, place, from + i * t->bytes, f.number);
  }
}

/// The elements that are taken.
typedef struct taking {
  size_t beyond, same; /* places of the next ones: beyond the number, and equal to it if there is room */
  char *to;
  int64_t *places;
  uint64_t number[WEFT__MOST_ORDERED]; /* of those beyond, if they are put in order */
} taking;

/// The place of a number among those beyond in their order, where it is made free.
static size_t make_room(const task *t, taking *w, uint64_t number, bool greatest) {
  size_t at = w->beyond;
  for (; at > 0 && (greatest ? w->number[at - 1] < number : w->number[at - 1] > number); at--) {
    w->number[at] = w->number[at - 1];
    w->places[at] = w->places[at - 1];
    memcpy(w->to + at * t->bytes, w->to + (at - 1) * t->bytes, t->bytes);
  }
  w->number[at] = number;
  return at;
}

static void take_some(const task *t, const weft__divide *d, taking *w, const char *from, const block *numbers,
                      range some, uint64_t bound) {
  for (size_t i = some.first; i < some.end; i++) {
    const uint64_t number = number_at(t, numbers, i % BLOCK);
    if (d->greatest ? number < bound : number > bound) continue;
    size_t place = w->same;
    if (number == bound)
      w->same++;
    else {
      place = d->in_order ? make_room(t, w, number, d->greatest) : w->beyond;
      w->beyond++;
    }
    if (place >= d->taken) continue;
    memcpy(w->to + place * t->bytes, from + i * t->bytes, t->bytes);
    w->places[place] = (int64_t)i;
  }
}

static void take_row(const task *t, const weft__divide *d, taking *w, const char *from, found f) {
  const size_t n = d->length;
  block *numbers = t->numbers;
  w->beyond = 0;
  w->same = d->greatest ? n - f.lesser - f.equal : f.lesser;
  for (size_t i = 0; i < n; i += GROUP) {
    const range some = {i, n - i < GROUP ? n : i + GROUP};
    const size_t k = i % BLOCK;
    if (k == 0) row_numbers(t, numbers, from + i * t->bytes, n - i < BLOCK ? n - i : BLOCK);
    if (n - i < GROUP || (t->bytes == 4 ? any_u32(numbers->narrow + k, (uint32_t)f.number, d->greatest)
                                        : any_u64(numbers->wide + k, f.number, d->greatest)))
      take_some(t, d, w, from, numbers, some, f.number);
  }
}

typedef struct workspace {
  block elements, numbers;
  taking taken;
} workspace;

weft_status weft__divide_at_once(bool *is_done, const weft__divide *d) {
  const size_t bytes = weft_dtype_size_bytes(d->from->dtype);
  const char kind = weft_dtype_kind(d->from->dtype);
  const bool wants_positions = !d->taken && !d->to;
  weft_array *numbers = NULL;
  workspace *w = NULL;
  char *place[4];
  weft_status rc;
  *is_done = false;
  if (d->finds || wants_positions || d->length * bytes > MOST_BYTES || !weft__quick_is_there()) return WEFT_OK;
  if (d->length * bytes > weft__at_once_bytes(&d->from->context->core)) return WEFT_OK; /* not measured on many cores */
  WEFT__TRY(weft__array_create(&numbers, d->from->context, bytes == 8 ? WEFT_U64 : WEFT_U32,
                               WEFT_SHAPE((int64_t)d->length + LANES), d->site));
  const weft__use use[] = {{d->from->storage, false},
                           {numbers->storage, true},
                           {d->to->storage, true},
                           {d->numbers ? d->numbers->storage : NULL, true}};
  WEFT__TRY(weft__at_once_waiting(is_done, place, &d->from->context->core, d->numbers ? 4 : 3, use));
  if (*is_done) {
    WEFT__TRY((w = weft__scratch_begin(sizeof *w)) ? WEFT_OK : WEFT_ERROR_HOST_MEMORY);
    const task t = {.elements = &w->elements,
                    .numbers = &w->numbers,
                    .quick = {.x = place[1] + numbers->offset_bytes, .is_wide = bytes == 8},
                    .bytes = bytes,
                    .is_float = kind == 'f',
                    .flip = kind == 'i' ? UINT64_C(1) << (8 * bytes - 1) : 0};
    const size_t results = d->taken ? d->taken : d->length;
    for (size_t row = 0; row < d->rows; row++) {
      const char *from = place[0] + d->from->offset_bytes + row * d->length * bytes;
      char *to = place[2] + d->to->offset_bytes + row * results * bytes;
      const found f = find(&t, from, d->length, d->rank);
      if (!d->taken) {
        move_row(&t, to, from, d->length, f);
        continue;
      }
      w->taken.to = to;
      w->taken.places = (int64_t *)(place[3] + d->numbers->offset_bytes) + row * results;
      take_row(&t, d, &w->taken, from, f);
    }
  }
  rc = WEFT_OK;
done:
  weft__scratch_end(w);
  weft_array_release(&numbers);
  return rc;
}
