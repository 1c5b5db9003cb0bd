// SPDX-License-Identifier: MIT
// One array composed of parts of another: shifted, wrapped around, repeated, with a border, turned
// (weft__arrange_args). For GPUs: a thread stores 16 aligned bytes of the result. If these are 16 consecutive bytes of
// the source, at any address, it also loads them at once. Macros needed:
//   WEFT_SIZE    bytes of a word
//   WEFT_WIDE    1: numbers of words need 64 bits
//   WEFT_BAND    1: words outside a band around the diagonal of the last two axes are constant; 2: those within are
//                another constant, and nothing is read
//   WEFT_BLOCK   threads per block
//   WEFT_ONE     1: the result has one axis, whose arguments then have constant places
// lint: -DWEFT_SIZE=4 -DWEFT_WIDE=0 -DWEFT_BAND=1 -DWEFT_BLOCK=256 -DWEFT_ONE=0
// lint: -DWEFT_SIZE=2 -DWEFT_WIDE=0 -DWEFT_BAND=2 -DWEFT_BLOCK=256 -DWEFT_ONE=0
// lint: -DWEFT_SIZE=1 -DWEFT_WIDE=1 -DWEFT_BAND=0 -DWEFT_BLOCK=256 -DWEFT_ONE=1
// lint: -DWEFT_SIZE=8 -DWEFT_WIDE=0 -DWEFT_BAND=0 -DWEFT_BLOCK=256 -DWEFT_ONE=0
#include "divide.clh"
#include "rearrange/chunk.clh"
#include "rearrange/border.clh"

#if WEFT_ONE
#define WEFT_LAST(a) 0
#else
#define WEFT_LAST(a) ((a)->axes - 1)
#endif

// The position of a word of the result.
typedef struct {
  long base;    // of its row in the source, in bytes
  weft_number column; // along the last axis
  weft_number row;    // along the axis before the last
  bool is_outside;    // whether the row is outside the source
} weft_place;

static inline weft_number weft_divide_by(const weft__arrange_args *a, weft_number n, int d) {
#if WEFT_WIDE
  return n / (ulong)a->length[d];
#else
  return weft_divide(n, a->multiplier[d], a->divisor_shift[d]);
#endif
}

// Finds the position of word i. The outermost axis needs no division. The loop is not unrolled: axes are few, most
// often one or two.
static inline weft_place weft_locate(const weft__arrange_args *a, weft_number i) {
  weft_place p = {a->from_offset, i, 0, false};
  int d = WEFT_LAST(a);
  if (d == 0) return p;
  weft_number rest = weft_divide_by(a, i, d);
  p.column = i - rest * (weft_number)a->length[d];
#pragma unroll 1
  for (d--; d >= 0; d--) {
    const weft_number above = d > 0 ? weft_divide_by(a, rest, d) : 0;
    const weft_number index = rest - above * (weft_number)a->length[d];
    const long t = weft_inside((long)index + a->shift[d], a->from_length[d], a->border[d]);
    if (d == WEFT_LAST(a) - 1) p.row = index;
    if (t < 0) p.is_outside = true;
    p.base += t * a->stride[d];
    rest = above;
  }
  return p;
}

static inline bool weft_keeps(const weft__arrange_args *a, const weft_place *p) {
#if WEFT_BAND
  const long across = (long)p->column - (long)p->row * a->row_words;
  return across >= a->lower && across <= a->upper;
#else
  return true;
#endif
}

// Returns the word at *p, and moves *p to the next word.
static inline weft_word weft_next(const weft__arrange_args *a, __global const uchar *from, weft_place *p,
                                  weft_number i) {
  const int last = WEFT_LAST(a);
  if (p->column == (weft_number)a->length[last]) *p = weft_locate(a, i);
  long t = -1;
  if (!p->is_outside && weft_keeps(a, p))
    t = weft_inside((long)p->column + a->shift[last], a->from_length[last], a->border[last]);
  p->column++;
  if (t < 0) return (weft_word)a->fill[i & 1];
#if WEFT_BAND == 2
  return (weft_word)a->fill[2 + (i & 1)];
#else
  return *(__global const weft_word *)(from + (p->base + t * a->stride[last]));
#endif
}

// What a chunk within a row is: a run of the source (returns its position), constant (-1), or neither (-2). Where
// nothing is read, a chunk within the band is -3.
static inline long weft_run(const weft__arrange_args *a, __global const uchar *from, const weft_place *p) {
  const int last = WEFT_LAST(a);
  const long n = a->from_length[last];
  long begin = (long)p->column + a->shift[last], end = begin + (WEFT_E - 1);
  bool is_kept = true;
#if WEFT_BAND
  const long across = (long)p->column - (long)p->row * a->row_words;
  if (across > a->upper || across + (WEFT_E - 1) < a->lower) return -1;
  is_kept = across >= a->lower && across + (WEFT_E - 1) <= a->upper;
#endif
  if (p->is_outside) return -1;
  if (begin < 0 || end >= n) {
    const int border = a->border[last];
    if (border == WEFT__BORDER_CONSTANT && (end < 0 || begin >= n)) return -1;
    begin = weft_inside(begin, n, border);
    end = weft_inside(end, n, border);
  }
#if WEFT_BAND == 2
  return is_kept && begin >= 0 && end >= 0 ? -3 : -2;
#else
  /* with any border, neighbouring positions ascend by at most one: if the ends are E - 1 apart, the chunk is a run */
  const long place = p->base + begin * WEFT_SIZE;
  const bool is_run = is_kept && begin >= 0 && end - begin == WEFT_E - 1 && a->stride[last] == WEFT_SIZE;
  return is_run && weft_can_load16(from, a->from_end, place) ? place : -2;
#endif
}

__kernel __attribute__((reqd_work_group_size(WEFT_BLOCK, 1, 1)))
void weft_arrange(const weft__arrange_args a, __global uchar *restrict to, __global const uchar *restrict from) {
  const ulong chunk = (ulong)get_group_id(0) * WEFT_BLOCK + get_local_id(0);
  if (chunk >= a.chunks) return;
  /* the first chunk and the last one may lie partly outside the result */
  const long first = (long)(chunk * WEFT_E) - a.skew;
  const long begin = max(first, 0L), end = min(first + WEFT_E, (long)a.number);
  weft_place p = weft_locate(&a, (weft_number)begin);
  to += a.to_offset + begin * WEFT_SIZE;
  if (end - begin < WEFT_E) {
#pragma unroll 1
    for (long i = begin; i < end; i++, to += WEFT_SIZE)
      *(__global weft_word *)to = weft_next(&a, from, &p, (weft_number)i);
    return;
  }
  uint4 whole;
  long place = -2;
  const bool is_in_row = (ulong)p.column + WEFT_E <= (ulong)a.length[WEFT_LAST(&a)];
  if (is_in_row) place = weft_run(&a, from, &p);
  if (place >= 0) {
    whole = weft_load16(from + place);
#if !WEFT_BAND
  } else if (place == -2 && is_in_row && a.stride[WEFT_LAST(&a)] == 0 &&
             a.border[WEFT_LAST(&a)] == WEFT__BORDER_NONE) { // one word of the source, repeated
    weft_pair pair = {0, 0};
    const weft_word word = *(__global const weft_word *)(from + p.base);
#pragma unroll
    for (uint j = 0; j < WEFT_E; j++) weft_push(&pair, word);
    whole = weft_whole(pair);
#endif
  } else {
    const uint of = WEFT_BAND == 2 && place == -3 ? 2 : 0;
    weft_pair pair = {a.fill[of + (begin & 1)], a.fill[of + ((begin + 1) & 1)]};
#if WEFT_SIZE < 8
    pair.high = pair.low;
#endif
    if (place == -2) {
      /* several loads in flight; unrolling all E would make much code to compile */
#pragma unroll 4
      for (uint j = 0; j < WEFT_E; j++) weft_push(&pair, weft_next(&a, from, &p, (weft_number)begin + j));
    }
    whole = weft_whole(pair);
  }
  *(__global uint4 *)to = whole;
}
