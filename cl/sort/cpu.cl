// SPDX-License-Identifier: MIT
// Sorting on CPUs. If there are many rows or short ones, one work-item sorts each row (sort_rows): short ones by a
// network, several side by side, or, if keys are of 8 bytes or more, by merging. A long row is cut into chunks, a
// work-item each. Keys alone are sorted by quicksort where its vectors are there (sort/parts.clh); others, and rows
// with -0 or NaN, by digits of 11 bits, the least significant first, unless sort_look finds them in order: sort_survey
// counts all digits of each chunk, and sort_plan finds the digits that need a pass. Then, for each digit, sort_count
// counts the chunks again, as the elements have moved, and sort_scatter moves them.
//
// Define before including: SORT_KEY_BYTES, SORT_KIND, SORT_VALUE_BYTES (0 4 8), SORT_WIDE (rows of 2^32 elements and
// more), QUICK_PARTS (of quicksort: 0, or up to WEFT__SORT_PARTS). The state: a mask at masks_at; the survey,
// counts[chunk][digit][2048], at bins_at; counts[chunk][2048] at status_at, where before the first number tells whether
// the chunk is in order; what quicksort keeps at quick_at.
// lint: -DSORT_KEY_BYTES=4 -DSORT_KIND=1 -DSORT_VALUE_BYTES=0 -DSORT_WIDE=0 -DQUICK_PARTS=8
// lint: -DSORT_KEY_BYTES=16 -DSORT_KIND=2 -DSORT_VALUE_BYTES=8 -DSORT_WIDE=1 -DQUICK_PARTS=0
// lint: -DSORT_KEY_BYTES=1 -DSORT_KIND=0 -DSORT_VALUE_BYTES=4 -DSORT_WIDE=0 -DQUICK_PARTS=8
#include "sort/args.h"
#include "sort/key.clh"

#if SORT_VALUE_BYTES == 0 && !SORT_WIDE && (SORT_KEY_BYTES == 4 || SORT_KEY_BYTES == 8) && SORT_KIND <= 1
#include "sort/quick.clh"
#endif
#ifndef QUICK_IS_THERE
#define QUICK_IS_THERE 0
#endif

#if SORT_KEY_BYTES <= 2
#define DIGITS SORT_KEY_BYTES
#define BINS 256
#define PART(d) 0
#define SHIFT(d) ((d)*8)
#else
#define DIGITS (SORT_PARTS * 3)
#define BINS 2048
#define PART(d) ((d) / 3)
#define SHIFT(d) ((d) % 3 * 11)
#endif

#if SORT_WIDE
typedef ulong sort_size;
#else
typedef uint sort_size;
#endif

#if SORT_VALUE_BYTES
#define VALUE_PARAMETERS , __global const uchar *value_from, __global uchar *value_to, __global uchar *value_spare
#else
#define VALUE_PARAMETERS
#endif

static inline uint flip_of(const weft__sort_args *job, uint digit) {
  return sort_flip(PART(digit), job->flip, job->flip_top);
}
static inline uint digit_of(sort_key k, uint digit, uint flip) {
  return (sort_part(k, PART(digit)) ^ flip) >> SHIFT(digit) & (BINS - 1);
}

// Source and destination of a pass, for one row or a whole array.
typedef struct {
  __global const sort_key *key;
  __global sort_key *key_to;
#if SORT_VALUE_BYTES
  __global const sort_value *value;
  __global sort_value *value_to;
#endif
  bool numbers, widen, keys;
} sort_move;

#define MOVE_PARAMETERS                                                                          \
  const weft__sort_args *job, ulong row, __global const uchar *key_from, __global uchar *key_to, \
      __global uchar *key_spare VALUE_PARAMETERS
#if SORT_VALUE_BYTES
#define MOVE_ARGUMENTS key_from, key_to, key_spare, value_from, value_to, value_spare
#else
#define MOVE_ARGUMENTS key_from, key_to, key_spare
#endif

static inline sort_move sort_move_of(sort_way way, MOVE_PARAMETERS) {
  const ulong begin = row * job->length;
  __global uchar *to = (key_to + job->key_to) + begin * SORT_KEY_BYTES,
                 *spare = (key_spare + job->key_spare) + begin * SORT_KEY_BYTES;
  sort_move m;
  m.keys = !(way.last && (job->flags & WEFT__SORT_NO_KEYS));
  m.key = way.first ? (__global const sort_key *)(key_from + job->key_from) + begin
                    : (__global const sort_key *)(way.from_spare ? spare : to);
  m.key_to = (__global sort_key *)(way.to_spare ? spare : to);
  m.numbers = way.first && (job->flags & WEFT__SORT_NUMBERS);
  m.widen = way.last && (job->flags & WEFT__SORT_WIDEN);
#if SORT_VALUE_BYTES
  // in the result's memory, each row has the space of its final values
  to = (value_to + job->value_to) + begin * (job->flags & WEFT__SORT_WIDEN ? 8 : SORT_VALUE_BYTES);
  spare = (value_spare + job->value_spare) + begin * SORT_VALUE_BYTES;
  m.value = way.first ? (__global const sort_value *)(value_from + job->value_from) + begin
                      : (__global const sort_value *)(way.from_spare ? spare : to);
  m.value_to = (__global sort_value *)(way.to_spare ? spare : to);
#endif
  return m;
}

// Moves elements first to end - 1, each to the next place of its digit.
static inline void sort_scatter_run(const sort_move *m, ulong first, ulong end, uint digit, uint flip,
                                    sort_size *place) {
  __global const sort_key *key = m->key;
  __global sort_key *key_to = m->key_to;
#if SORT_VALUE_BYTES == 0
  for (ulong i = first; i < end; i++) {
    const sort_key k = key[i];
    key_to[place[digit_of(k, digit, flip)]++] = k;
  }
#else
  const bool keys = m->keys;
  __global const sort_value *value = m->value;
  __global sort_value *value_to = m->value_to;
  if (m->widen) {
    __global long *wide = (__global long *)value_to;
    for (ulong i = first; i < end; i++) {
      const sort_key k = key[i];
      const sort_size at = place[digit_of(k, digit, flip)]++;
      if (keys) key_to[at] = k;
      wide[at] = m->numbers ? (long)i : (long)value[i];
    }
  } else if (m->numbers) {
    for (ulong i = first; i < end; i++) {
      const sort_key k = key[i];
      const sort_size at = place[digit_of(k, digit, flip)]++;
      key_to[at] = k;
      value_to[at] = (sort_value)i;
    }
  } else {
    for (ulong i = first; i < end; i++) {
      const sort_key k = key[i];
      const sort_size at = place[digit_of(k, digit, flip)]++;
      if (keys) key_to[at] = k;
      value_to[at] = value[i];
    }
  }
#endif
}

// Elements in order are only copied, to the result, unless they are there.
#define IN_ORDER (1u << 31) // in the place of the digits that need a pass
#define WAY_IN_ORDER ((sort_way){.first = true, .last = true})

// Whether elements first to end - 1 are in order, each with the one before it; `first` is not 0.
static inline bool sort_is_in_order(__global const sort_key *x, ulong first, ulong end, const weft__sort_args *job) {
  if (job->flags & WEFT__SORT_IN_PLACE) return false;
  sort_order last = sort_order_of(x[first - 1], job->flip, job->flip_top);
  for (ulong i = first; i < end; i++) {
    const sort_order one = sort_order_of(x[i], job->flip, job->flip_top);
    if (sort_less(one, last)) return false;
    last = one;
  }
  return true;
}

static inline void sort_copy_run(const sort_move *m, ulong first, ulong end) {
  if (m->keys)
    for (ulong i = first; i < end; i++) m->key_to[i] = m->key[i];
#if SORT_VALUE_BYTES
  __global long *wide = (__global long *)m->value_to;
  for (ulong i = first; i < end; i++)
    if (m->widen)
      wide[i] = m->numbers ? (long)i : (long)m->value[i];
    else
      m->value_to[i] = m->numbers ? (sort_value)i : m->value[i];
#endif
}

// ---- one work-item for a row ----

#if SORT_PARTS == 1
#define SIDE WEFT__SORT_SIDE
#define KEYS_SIDE (2 * SIDE) // of keys alone, 16
#if SORT_KEY_BYTES == 1
#define KEYS_OF(numbers) convert_uchar16(numbers)
#elif SORT_KEY_BYTES == 2
#define KEYS_OF(numbers) convert_ushort16(numbers)
#else
#define KEYS_OF(numbers) (numbers)
#endif
#define NETWORK_MOST 1024

// Plain loads and stores are faster than the gathers and scatters that the compiler would make of them (AMD's Zen 4).
#ifdef __clang__
#define ONE_BY_ONE _Pragma("clang loop vectorize(disable) unroll_count(4)")
#else
#define ONE_BY_ONE
#endif

// Sorts up to SIDE rows side by side by merge exchange (K. E. Batcher 1968; D. E. Knuth, "The Art of Computer
// Programming" 3, 5.2.2, algorithm M), whose exchanges do not depend on the elements. Below each key is the element's
// number in its row: the order is stable. All elements of a row are read before any is written: the result may be the
// source.
static inline void sort_by_network(uint rows, MOVE_PARAMETERS) {
  ulong8 side[NETWORK_MOST];
  __private ulong *each = (__private ulong *)side;
  sort_order order[NETWORK_MOST];
  sort_key keys[NETWORK_MOST];
  const ulong begin = row * job->length;
  const uint n = (uint)job->length;
  __global const sort_key *x = (__global const sort_key *)(key_from + job->key_from) + begin;
  uint top = 1;
  for (uint r = 0; r < SIDE; r++) {
    __global const sort_key *from = x + min(r, rows - 1) * n; /* the last row stands in for missing ones */
    for (uint i = 0; i < n; i++) order[i] = sort_order_of(from[i], job->flip, job->flip_top);
    ONE_BY_ONE
    for (uint i = 0; i < n; i++) each[i * SIDE + r] = (ulong)order[i] << 32 | i;
  }
  while (2 * top < n) top *= 2;
  for (uint p = top; p > 0; p /= 2)
    for (uint q = top, first = 0, apart = p, is_last = 0; !is_last; apart = q - p, q /= 2, first = p) {
      is_last = q == p;
      for (uint from = first; from + apart < n; from += 2 * p) {
        const uint end = min(from + p, n - apart);
        for (uint i = from; i < end; i++) {
          const ulong8 a = side[i], b = side[i + apart];
          side[i] = min(a, b);
          side[i + apart] = max(a, b);
        }
      }
    }
  for (uint r = 0; r < rows; r++) {
    if ((job->flags & WEFT__SORT_NO_KEYS) == 0) {
      __global sort_key *y = (__global sort_key *)(key_to + job->key_to) + begin + r * n;
      for (uint i = 0; i < n; i++) keys[i] = x[r * n + i];
      ONE_BY_ONE
      for (uint i = 0; i < n; i++) y[i] = keys[(uint)each[i * SIDE + r]];
    }
#if SORT_VALUE_BYTES
    if (job->flags & WEFT__SORT_NUMBERS) {
      __global long *w = (__global long *)(value_to + job->value_to) + begin + r * n;
      ONE_BY_ONE
      for (uint i = 0; i < n; i++) w[i] = (uint)each[i * SIDE + r];
    } else {
      sort_value values[NETWORK_MOST];
      __global const sort_value *v = (__global const sort_value *)(value_from + job->value_from) + begin + r * n;
      __global sort_value *w = (__global sort_value *)(value_to + job->value_to) + begin + r * n;
      for (uint i = 0; i < n; i++) values[i] = v[i];
      ONE_BY_ONE
      for (uint i = 0; i < n; i++) w[i] = values[(uint)each[i * SIDE + r]];
    }
#endif
  }
}

#if SORT_VALUE_BYTES == 0

// Keys alone: numbers in the order of the elements, from which the elements are made again, without positions. -0,
// which is equal to 0, and NaNs do not have such a number.
static inline uint16 sort_numbers_of(uint16 u, uint flip_top, __private int16 *is_other) {
#if SORT_KIND == 1 && SORT_KEY_BYTES == 4
  *is_other |= (u << 1 > 0xff000000u) | (u == 0x80000000u);
  u ^= as_uint16(as_int16(u) >> 31) | 0x80000000u;
#elif SORT_KIND == 1
  *is_other |= ((u & 0x7fff) > SORT_INFINITY) | (u == 0x8000);
  u ^= (0u - (u >> 15) & 0x7fff) | 0x8000;
#endif
  return u ^ flip_top;
}
static inline uint16 sort_keys_of(uint16 number, uint flip_top) {
  uint16 u = number ^ flip_top;
#if SORT_KIND == 1 && SORT_KEY_BYTES == 4
  u ^= as_uint16(as_int16(~u) >> 31) | 0x80000000u;
#elif SORT_KIND == 1
  u ^= ((u >> 15 & 1) - 1 & 0x7fff) | 0x8000;
#endif
  return u;
}

// Lanes of 16 vectors become vectors, and vectors lanes: four perfect shuffles turn the bits of an element's place,
// four for the vector and four for the lane, by half a circle.
#define SHUFFLED(a, b, s0, s1, s2, s3, s4, s5, s6, s7)                                                              \
  (uint16)(a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3, a.s4, b.s4, a.s5, b.s5, a.s6, b.s6, a.s7, b.s7)
static inline __attribute__((always_inline)) void sort_turn(__private uint16 *v) {
#pragma unroll
  for (uint shuffle = 0; shuffle < 4; shuffle++) {
    uint16 w[16];
#pragma unroll
    for (uint i = 0; i < 8; i++) {
      w[2 * i] = SHUFFLED(v[i], v[i + 8], s0, s1, s2, s3, s4, s5, s6, s7);
      w[2 * i + 1] = SHUFFLED(v[i], v[i + 8], s8, s9, sa, sb, sc, sd, se, sf);
    }
#pragma unroll
    for (uint i = 0; i < 16; i++) v[i] = w[i];
  }
}

// Bitonic sorting of vectors, a row in each lane (K. E. Batcher 1968): pairs of sorted blocks, the second one
// backwards, are cut into halves of which one has the lesser elements, down to single ones. Steps within 16 vectors are
// done in registers; two of the others at once.
#define EXCHANGE(a, b)                 \
  {                                    \
    const uint16 lesser = min((a), (b)); \
    (b) = max((a), (b));               \
    (a) = lesser;                      \
  }
#define STEP(distance, other) \
  _Pragma("unroll") for (uint i = 0; i < 16; i++) if ((i & (distance)) == 0) EXCHANGE(v[i], v[other])
#define BACKWARDS(distance) STEP(distance, i ^ (2 * (distance) - 1))
#define HALVES(distance) STEP(distance, i | (distance))
#define LAST_HALVES HALVES(4) HALVES(2) HALVES(1)

static inline __attribute__((always_inline)) void sort_sixteen(__private uint16 *at, bool is_first) {
  uint16 v[16];
#pragma unroll
  for (uint i = 0; i < 16; i++) v[i] = at[i];
  if (is_first) {
    BACKWARDS(1)
    BACKWARDS(2) HALVES(1)
    BACKWARDS(4) HALVES(2) HALVES(1)
    BACKWARDS(8) LAST_HALVES
  } else {
    HALVES(8) LAST_HALVES
  }
#pragma unroll
  for (uint i = 0; i < 16; i++) at[i] = v[i];
}

/// Sorts `n` vectors, a power of 2 from 16 on.
static inline void sort_bitonic(__private uint16 *side, uint n) {
  for (uint b = 0; b < n; b += 16) sort_sixteen(side + b, true);
  for (uint size = 32; size <= n; size *= 2) {
    for (uint b = 0; b < n; b += size)
      for (uint i = 0; i < size / 2; i++) EXCHANGE(side[b + i], side[b + size - 1 - i])
    uint k = size / 4;
    for (; k >= 32; k /= 4)
      for (uint b = 0; b < n; b += 2 * k)
        for (uint i = b; i < b + k / 2; i++) {
          uint16 v0 = side[i], v1 = side[i + k / 2], v2 = side[i + k], v3 = side[i + k + k / 2];
          EXCHANGE(v0, v2)
          EXCHANGE(v1, v3)
          EXCHANGE(v0, v1)
          EXCHANGE(v2, v3)
          side[i] = v0, side[i + k / 2] = v1, side[i + k] = v2, side[i + k + k / 2] = v3;
        }
    if (k == 16)
      for (uint b = 0; b < n; b += 32)
        for (uint i = b; i < b + 16; i++) EXCHANGE(side[i], side[i + 16])
    for (uint b = 0; b < n; b += 16) sort_sixteen(side + b, false);
  }
}

// As sort_by_network, for rows of keys alone; false: they have other elements, and nothing is done.
static inline bool sort_keys_by_network(uint rows, MOVE_PARAMETERS) {
  uint16 side[NETWORK_MOST], v[KEYS_SIDE];
  sort_key some[KEYS_SIDE];
  int16 is_other = 0;
  const ulong begin = row * job->length;
  const uint n = (uint)job->length;
  __global const sort_key *x = (__global const sort_key *)(key_from + job->key_from) + begin;
  __global sort_key *y = (__global sort_key *)(key_to + job->key_to) + begin;
  uint padded = KEYS_SIDE;
  while (padded < n) padded *= 2;
  for (uint i = 0; i < n; i += KEYS_SIDE) {
#pragma unroll
    for (uint r = 0; r < KEYS_SIDE; r++) {
      __global const sort_key *from = x + min(r, rows - 1) * n + i; /* the last row stands in for missing ones */
      if (i + KEYS_SIDE <= n) {
        v[r] = convert_uint16(vload16(0, from));
      } else {
        for (uint j = 0; j < KEYS_SIDE; j++) some[j] = from[min(j, n - 1 - i)];
        v[r] = convert_uint16(vload16(0, some));
      }
      v[r] = sort_numbers_of(v[r], job->flip_top, &is_other);
    }
    sort_turn(v);
#pragma unroll
    for (uint j = 0; j < KEYS_SIDE; j++) side[i + j] = v[j];
  }
  if (any(is_other)) return false;
  for (uint i = n; i < padded; i++) side[i] = (uint16)(~0u);
  sort_bitonic(side, padded);
  for (uint i = 0; i < n; i += KEYS_SIDE) {
#pragma unroll
    for (uint j = 0; j < KEYS_SIDE; j++) v[j] = sort_keys_of(side[i + j], job->flip_top);
    sort_turn(v);
#pragma unroll
    for (uint r = 0; r < KEYS_SIDE; r++) {
      __global sort_key *to = y + r * n + i;
      if (r >= rows) continue;
      if (i + KEYS_SIDE <= n) {
        vstore16(KEYS_OF(v[r]), 0, to);
      } else {
        vstore16(KEYS_OF(v[r]), 0, some);
        for (uint j = 0; j < n - i; j++) to[j] = some[j];
      }
    }
  }
  return true;
}
#endif

#else
#define SIDE 1
#define MERGE_MOST 256
#define RUN 8

// Puts runs in order by insertion, then merges them from one half of the arrays to the other and back. All elements are
// read before any is written: the result may be the source.
static inline void sort_by_merging(MOVE_PARAMETERS) {
  sort_order order[2][MERGE_MOST];
  ushort number[2][MERGE_MOST];
  sort_key keys[MERGE_MOST];
  const ulong begin = row * job->length;
  const uint n = (uint)job->length;
  __global const sort_key *x = (__global const sort_key *)(key_from + job->key_from) + begin;
  for (uint i = 0; i < n; i++) {
    const sort_order one = sort_order_of(x[i], job->flip, job->flip_top);
    uint at = i;
    keys[i] = x[i];
    for (; at % RUN != 0 && sort_less(one, order[0][at - 1]); at--) {
      order[0][at] = order[0][at - 1];
      number[0][at] = number[0][at - 1];
    }
    order[0][at] = one;
    number[0][at] = (ushort)i;
  }
  uint from = 0;
  for (uint width = RUN; width < n; width *= 2, from ^= 1)
    for (uint first = 0; first < n; first += 2 * width) {
      const uint middle = min(first + width, n), end = min(first + 2 * width, n);
      for (uint a = first, b = middle, to = first; to < end; to++) {
        const bool second = a == middle || (b < end && sort_less(order[from][b], order[from][a]));
        const uint taken = second ? b : a;
        order[from ^ 1][to] = order[from][taken];
        number[from ^ 1][to] = number[from][taken];
        b += second;
        a += !second;
      }
    }
  if ((job->flags & WEFT__SORT_NO_KEYS) == 0) {
    __global sort_key *y = (__global sort_key *)(key_to + job->key_to) + begin;
    for (uint i = 0; i < n; i++) y[i] = keys[number[from][i]];
  }
#if SORT_VALUE_BYTES
  if (job->flags & WEFT__SORT_NUMBERS) {
    __global long *w = (__global long *)(value_to + job->value_to) + begin;
    for (uint i = 0; i < n; i++) w[i] = number[from][i];
  } else {
    sort_value values[MERGE_MOST];
    __global const sort_value *v = (__global const sort_value *)(value_from + job->value_from) + begin;
    __global sort_value *w = (__global sort_value *)(value_to + job->value_to) + begin;
    for (uint i = 0; i < n; i++) values[i] = v[i];
    for (uint i = 0; i < n; i++) w[i] = values[number[from][i]];
  }
#endif
}
#endif

// Counts the digits of elements first to end - 1.
static inline void sort_count_all(__global const sort_key *x, ulong first, ulong end, const weft__sort_args *job,
                                  sort_size counts[DIGITS][BINS]) {
  for (uint d = 0; d < DIGITS; d++)
    for (uint b = 0; b < BINS; b++) counts[d][b] = 0;
  for (ulong i = first; i < end; i++) {
    const sort_key k = x[i];
#pragma unroll
    for (uint d = 0; d < DIGITS; d++) counts[d][digit_of(k, d, flip_of(job, d))]++;
  }
}

static inline void sort_by_digits(MOVE_PARAMETERS) {
  sort_size counts[DIGITS][BINS];
  uint mask = 0;
  __global const sort_key *x = (__global const sort_key *)(key_from + job->key_from) + row * job->length;
  if (sort_is_in_order(x, 1, job->length, job)) {
    const sort_move m = sort_move_of(WAY_IN_ORDER, job, row, MOVE_ARGUMENTS);
    sort_copy_run(&m, 0, job->length);
    return;
  }
  sort_count_all(x, 0, job->length, job, counts);
  for (uint d = 0; d < DIGITS; d++) {
    sort_size before = 0;
    for (uint b = 0; b < BINS; b++) {
      const sort_size count = counts[d][b];
      if (count > 0 && count < job->length) mask |= 1u << d;
      counts[d][b] = before;
      before += count;
    }
  }
  mask = sort_mask(mask, DIGITS, (job->flags & WEFT__SORT_IN_PLACE) != 0);
  for (uint d = 0; d < DIGITS; d++)
    if (mask & 1u << d) {
      const sort_move m = sort_move_of(sort_way_of(mask, d), job, row, MOVE_ARGUMENTS);
      sort_scatter_run(&m, 0, job->length, d, flip_of(job, d), counts[d]);
    }
}

#if QUICK_IS_THERE
// Sorts a row by quicksort, in scratch; false: it has elements without numbers, and nothing is done.
static inline bool sort_row_by_parts(MOVE_PARAMETERS) {
  const ulong begin = row * job->length;
  __global const lane_number *x = (__global const lane_number *)(key_from + job->key_from) + begin;
  __global lane_number *spare = (__global lane_number *)(key_spare + job->key_spare) + begin,
                        *to = (__global lane_number *)(key_to + job->key_to) + begin;
  const lane_number flip = QUICK_FLIP(job);
  lane_number is_other = 0;
  for (uint i = 0; i < (uint)job->length; i++) spare[i] = quick_number_of(x[i], flip, &is_other);
  if (is_other) return false;
  quick_sort(spare, to, 0, (uint)job->length, flip);
  return true;
}
#endif

// `share` rows for each work-item.
__kernel void sort_rows(const weft__sort_args job, __global const uchar *key_from, __global uchar *key_to,
                        __global uchar *key_spare,
                        __global uchar *state VALUE_PARAMETERS) {
  const ulong first = (ulong)get_global_id(0) * job.share, end = min(first + job.share, (ulong)job.rows);
  if (WEFT__SORT_SHORT(SORT_KEY_BYTES, job.rows, job.length)) {
    for (ulong row = first; row < end; row += SIDE)
#if SORT_PARTS == 1
#if SORT_VALUE_BYTES == 0
      if (sort_keys_by_network((uint)min((ulong)KEYS_SIDE, end - row), &job, row, MOVE_ARGUMENTS))
        row += SIDE;
      else
#endif
      sort_by_network((uint)min((ulong)SIDE, end - row), &job, row, MOVE_ARGUMENTS);
#else
      sort_by_merging(&job, row, MOVE_ARGUMENTS);
#endif
  } else {
    for (ulong row = first; row < end; row++)
#if QUICK_IS_THERE
      if (!sort_row_by_parts(&job, row, MOVE_ARGUMENTS))
#endif
        sort_by_digits(&job, row, MOVE_ARGUMENTS);
  }
}

#if QUICK_PARTS
#include "sort/parts.clh"
#define IF_BY_DIGITS \
  if (job.quick_at && !((__global const sort_quick_state *)(state + job.quick_at))->by_digits) return;
#else
#define IF_BY_DIGITS
#endif

// ---- a row in chunks of `share` elements, `tiles` of them ----

__kernel void sort_look(const weft__sort_args job, __global const uchar *key_from, __global uchar *state) {
  const ulong chunk = get_global_id(0);
  IF_BY_DIGITS
  if (chunk >= job.tiles) return;
  const ulong first = max(chunk * job.share, 1ul), end = min((chunk + 1) * job.share, (ulong)job.length);
  ((__global sort_size *)(state + job.status_at))[chunk * BINS] =
      sort_is_in_order((__global const sort_key *)(key_from + job.key_from), first, end, &job);
}

static inline bool sort_are_in_order(const weft__sort_args *job, __global const uchar *state) {
  __global const sort_size *look = (__global const sort_size *)(state + job->status_at);
  bool are = true;
  for (ulong c = 0; c < job->tiles; c++) are = are && look[c * BINS];
  return are;
}

__kernel void sort_survey(const weft__sort_args job, __global const uchar *key_from, __global uchar *state) {
  const ulong chunk = get_global_id(0);
  IF_BY_DIGITS
  if (chunk >= job.tiles || sort_are_in_order(&job, state)) return;
  sort_size counts[DIGITS][BINS];
  sort_count_all((__global const sort_key *)(key_from + job.key_from), chunk * job.share,
                 min((chunk + 1) * job.share, (ulong)job.length),
                 &job, counts);
  __global sort_size *to = (__global sort_size *)(state + job.bins_at) + chunk * (DIGITS * BINS);
  for (uint d = 0; d < DIGITS; d++)
    for (uint b = 0; b < BINS; b++) to[d * BINS + b] = counts[d][b];
}

// For one work-item.
__kernel void sort_plan(const weft__sort_args job, __global uchar *state) {
  __global const sort_size *counts = (__global const sort_size *)(state + job.bins_at);
  uint needed = 0;
  IF_BY_DIGITS
  if (get_global_id(0) != 0) return;
  if (sort_are_in_order(&job, state)) {
    *(__global uint *)(state + job.masks_at) = IN_ORDER;
    return;
  }
  for (uint d = 0; d < DIGITS; d++)
    for (uint b = 0; b < BINS; b++) {
      sort_size sum = 0;
      for (ulong c = 0; c < job.tiles; c++) sum += counts[c * (DIGITS * BINS) + d * BINS + b];
      if (sum > 0 && sum < job.length) needed |= 1u << d;
      if (sum > 0 && sum != job.length) break;
    }
  *(__global uint *)(state + job.masks_at) = sort_mask(needed, DIGITS, (job.flags & WEFT__SORT_IN_PLACE) != 0);
}

__kernel void sort_count(const weft__sort_args job, __global const uchar *key_to, __global const uchar *key_spare,
                         __global uchar *state) {
  IF_BY_DIGITS
  const ulong chunk = get_global_id(0);
  const uint mask = *(__global const uint *)(state + job.masks_at), flip = flip_of(&job, job.digit);
  if (chunk >= job.tiles || (mask & 1u << job.digit) == 0) return;
  const sort_way way = sort_way_of(mask, job.digit);
  if (way.first) return; /* the survey has the counts */
  __global const sort_key *x =
      (__global const sort_key *)(way.from_spare ? key_spare + job.key_spare : key_to + job.key_to);
  sort_size counts[BINS];
  for (uint b = 0; b < BINS; b++) counts[b] = 0;
  const ulong end = min((chunk + 1) * job.share, (ulong)job.length);
  for (ulong i = chunk * job.share; i < end; i++) counts[digit_of(x[i], job.digit, flip)]++;
  __global sort_size *to = (__global sort_size *)(state + job.status_at) + chunk * BINS;
  for (uint b = 0; b < BINS; b++) to[b] = counts[b];
}

__kernel void sort_scatter(const weft__sort_args job, __global const uchar *key_from, __global uchar *key_to,
                           __global uchar *key_spare,
                           __global uchar *state VALUE_PARAMETERS) {
  IF_BY_DIGITS
  const ulong chunk = get_global_id(0);
  const uint mask = *(__global const uint *)(state + job.masks_at);
  if (chunk < job.tiles && mask == IN_ORDER && job.digit == 0) {
    const sort_move m = sort_move_of(WAY_IN_ORDER, &job, 0, MOVE_ARGUMENTS);
    sort_copy_run(&m, chunk * job.share, min((chunk + 1) * job.share, (ulong)job.length));
  }
  if (chunk >= job.tiles || (mask & 1u << job.digit) == 0) return;
  const sort_way way = sort_way_of(mask, job.digit);
  const sort_move m = sort_move_of(way, &job, 0, MOVE_ARGUMENTS);
  __global const sort_size *counts = (__global const sort_size *)(state + (way.first ? job.bins_at : job.status_at));
  const ulong step = way.first ? DIGITS * BINS : BINS;
  sort_size place[BINS], all[BINS];
  if (way.first) counts += job.digit * BINS;
  for (uint b = 0; b < BINS; b++) place[b] = all[b] = 0;
  for (ulong c = 0; c < job.tiles; c++) {
    const sort_size before = c < chunk;
    for (uint b = 0; b < BINS; b++) {
      const sort_size count = counts[c * step + b];
      all[b] += count;
      place[b] += before * count;
    }
  }
  sort_size sum = 0;
  for (uint b = 0; b < BINS; b++) {
    place[b] += sum;
    sum += all[b];
  }
  sort_scatter_run(&m, chunk * job.share, min((chunk + 1) * job.share, (ulong)job.length), job.digit,
                   flip_of(&job, job.digit), place);
}
