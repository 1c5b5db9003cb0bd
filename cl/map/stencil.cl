// SPDX-License-Identifier: MIT
// A function of elements and their neighbours. The text in front (src/map/stencil.c writes it) defines
//   WEFT_CPU               1: a work-item computes parts of rows
//   WEFT_ROWS              else: elements of a column that a work-item computes; 0: one element of any row
//   WEFT_COLUMNS           elements of a row that it computes, 1 or 2; the first is at an even place
//   WEFT_WIDE              1 where elements need 64-bit numbers
//   WEFT_ARRAYS, WEFT_AXES, WEFT_SCALARS   as for common.clh; the axes are not merged
//   WEFT_BORDER            WEFT__BORDER_*
//   WEFT_OUTS(X), WEFT_INS(X)   X(k, type, place, step): step is the stride along the last axis in bytes
//   WEFT_NEAR, WEFT_PAST   how many elements in front and behind along the last axis the neighbours are
//   WEFT_ROW_INSIDE(p)     whether the neighbours along all other axes are inside
//   WEFT_INSIDE(j)         computes and stores elements j to j + WEFT_COLUMNS - 1 of a row, without tests of the border
//   WEFT_OUTSIDE(j)        computes and stores element j, with tests
// lint: -DWEFT_LINT=1 -DWEFT_CPU=1
// lint: -DWEFT_LINT=1 -DWEFT_CPU=0 -DWEFT_ROWS=0
// lint: -DWEFT_LINT=1 -DWEFT_CPU=0 -DWEFT_ROWS=4
#ifdef WEFT_LINT
#define WEFT_COLUMNS 1
#define WEFT_WIDE 0
#define WEFT_ARRAYS 2
#define WEFT_AXES 2
#define WEFT_SCALARS 0
#define WEFT_BORDER 4
#define WEFT_OUTS(X) X(0, float, 0, 4)
#define WEFT_INS(X) X(0, float, 1, 4)
#define WEFT_NEAR 1
#define WEFT_PAST 0
#define WEFT_ROW_INSIDE(p) ((p)[0] >= 0)
#define WEFT_INSIDE(j) *WEFT_TO(0, float, j, 4) = *WEFT_FROM(0, float, (j) - 1, 4);
#define WEFT_OUTSIDE(j) \
  { \
    long at = 0; \
    bool is_in = true; \
    WEFT_REACH((p)[0], 0, 1) \
    *WEFT_TO(0, float, j, 4) = is_in ? *WEFT_AT(0, float) : 0; \
  }
#endif
#define WEFT__STENCIL_TAIL WEFT__STENCIL_WORDS(WEFT_ARRAYS, WEFT_SCALARS, WEFT_AXES)
#include "map/stencil_args.h"
#include "chunk.clh"
#include "rearrange/args.h"
#include "rearrange/border.clh"

#define OFFSET(k) ((long)args.tail[WEFT__STENCIL_OFFSET(k)])
#define LENGTH(d) ((long)args.tail[WEFT__STENCIL_LENGTH(WEFT_ARRAYS, d)])
#define STRIDE(k, d) ((long)args.tail[WEFT__STENCIL_STRIDE(WEFT_ARRAYS, WEFT_AXES, k, d)])
#define LAST (WEFT_AXES - 1)
#define WEFT_TO(k, type, j, step) ((__global type *)(y##k + (to##k + (long)(j) * (step))))
#define WEFT_FROM(k, type, j, step) ((__global const type *)(x##k + (from##k + (long)(j) * (step))))
#define WEFT_AT(k, type) ((__global const type *)(x##k + at))
#define WEFT_LOAD_PAIR(name, type, raw, from) \
  WEFT_PACK(type, 2, raw) name;               \
  WEFT_SPLIT(raw, name.word, *(__global const raw *)(from))
#define WEFT_STORE_PAIR(type, raw, to, first, second) \
  {                                                   \
    WEFT_PACK(type, 2, raw) pair;                     \
    pair.e[0] = first;                                \
    pair.e[1] = second;                               \
    *(__global raw *)(to) = WEFT_WHOLE(raw, pair.word); \
  }
// Adds position t along axis d of array `place` to `at`; clears is_in where a constant is outside.
#define WEFT_REACH(t, d, place)                 \
  {                                             \
    const long inside = weft_reach(t, LENGTH(d)); \
    is_in = is_in && inside >= 0;               \
    at += inside * STRIDE(place, d);            \
  }
static inline long weft_reach(long t, long n) {
  return weft_inside(t, n, WEFT_BORDER);
}

#if WEFT_WIDE
typedef ulong weft_number;
#else
typedef uint weft_number;
#endif

#define OUT_PARAMETER(k, type, place, step) , __global uchar *restrict y##k
#define IN_PARAMETER(k, type, place, step) , __global const uchar *restrict x##k
#define BEGIN_OUT(k, type, place, step) long to##k = OFFSET(place);
#define BEGIN_IN(k, type, place, step) long from##k = OFFSET(place);
#define MOVE_OUT(k, type, place, step) to##k += p[d] * STRIDE(place, d);
#define MOVE_IN(k, type, place, step) from##k += p[d] * STRIDE(place, d);
#define NEXT_OUT(k, type, place, step) to##k += STRIDE(place, LAST - 1);
#define NEXT_IN(k, type, place, step) from##k += STRIDE(place, LAST - 1);
// The places of a row's first elements, and its indices.
#define BEGIN_ROW                                                                    \
  long p[WEFT_AXES];                                                                 \
  WEFT_OUTS(BEGIN_OUT)                                                               \
  WEFT_INS(BEGIN_IN)                                                                 \
  {                                                                                  \
    weft_number rest = (weft_number)row;                                             \
    _Pragma("unroll") for (int d = LAST - 1; d >= 0; d--) {                          \
      const weft_number above = d > 0 ? rest / (weft_number)LENGTH(d) : 0;           \
      p[d] = (long)(rest - above * (weft_number)LENGTH(d));                          \
      rest = above;                                                                  \
      WEFT_OUTS(MOVE_OUT)                                                            \
      WEFT_INS(MOVE_IN)                                                              \
    }                                                                                \
  }

#if WEFT_CPU
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void weft_stencil(const weft__stencil_args args WEFT_OUTS(OUT_PARAMETER) WEFT_INS(IN_PARAMETER)) {
  const ulong item = get_global_id(0), first = item / args.segments * args.each;
  const long begin = (long)(item % args.segments * args.columns), end = min(begin + (long)args.columns, LENGTH(LAST));
  const ulong rows = min(first + args.each, args.rows);
  for (ulong row = first; row < rows; row++) {
    BEGIN_ROW
    const bool is_inside = WEFT_ROW_INSIDE(p);
    const long from = is_inside ? clamp((long)WEFT_NEAR, begin, end) : end;
    const long to = is_inside ? clamp(LENGTH(LAST) - WEFT_PAST, from, end) : end;
    for (long j = from; j < to; j++) {
      WEFT_INSIDE(j)
    }
    for (long j = from > begin ? begin : to; j < end; j = j + 1 == from ? to : j + 1) {
      WEFT_OUTSIDE(j)
    }
  }
}
#else
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void weft_stencil(const weft__stencil_args args WEFT_OUTS(OUT_PARAMETER) WEFT_INS(IN_PARAMETER)) {
#if WEFT_ROWS == 0
  const ulong i = get_global_id(0);
  if (i >= args.n) return;
  const weft_number row = (weft_number)i / (weft_number)LENGTH(LAST);
  const long j = (long)((weft_number)i - row * (weft_number)LENGTH(LAST));
  BEGIN_ROW
  if (WEFT_ROW_INSIDE(p) && j >= WEFT_NEAR && j < LENGTH(LAST) - WEFT_PAST) {
    WEFT_INSIDE(j)
  } else {
    WEFT_OUTSIDE(j)
  }
#else
  const weft_number group = (weft_number)get_group_id(0), band = group / (weft_number)args.segments;
  const long j = ((long)(group - band * (weft_number)args.segments) * 256 + (long)get_local_id(0)) * WEFT_COLUMNS;
  const weft_number first = band * WEFT_ROWS, end = (weft_number)min((ulong)first + WEFT_ROWS, args.rows);
  if (j >= LENGTH(LAST)) return;
  const long behind = min(j + WEFT_COLUMNS, LENGTH(LAST));
  const bool is_column_inside = j >= WEFT_NEAR && j + WEFT_COLUMNS <= LENGTH(LAST) - WEFT_PAST;
#if WEFT_AXES > 1
  {
    // Rows that follow each other along an axis: their places are not computed anew, and all loads can be on their way.
    weft_number row = first;
    BEGIN_ROW
    long q[WEFT_AXES];
    for (int d = 0; d < LAST; d++) q[d] = p[d];
    q[LAST - 1] += WEFT_ROWS - 1;
    if (is_column_inside && q[LAST - 1] < LENGTH(LAST - 1) && WEFT_ROW_INSIDE(p) && WEFT_ROW_INSIDE(q)) {
#pragma unroll
      for (int k = 0; k < WEFT_ROWS; k++, row++, p[LAST - 1]++) {
        WEFT_INSIDE(j)
        WEFT_OUTS(NEXT_OUT)
        WEFT_INS(NEXT_IN)
      }
      return;
    }
  }
#endif
  for (weft_number row = first; row < end; row++) {
    BEGIN_ROW
    if (is_column_inside && WEFT_ROW_INSIDE(p)) {
      WEFT_INSIDE(j)
    } else {
      for (long column = j; column < behind; column++) {
        WEFT_OUTSIDE(column)
      }
    }
  }
#endif
}
#endif
