// SPDX-License-Identifier: MIT
// One array composed of parts of another (weft__arrange_args), for CPUs. A work-item makes `chunks` words of the
// result, run by run, in plain loops that the compiler vectorizes. Needs WEFT_SIZE and WEFT_BAND, as in arrange_gpu.cl.
// lint: -DWEFT_SIZE=4 -DWEFT_BAND=1
// lint: -DWEFT_SIZE=8 -DWEFT_BAND=2
// lint: -DWEFT_SIZE=8 -DWEFT_BAND=0
#define WEFT_WIDE 1
#include "rearrange/chunk.clh"
#include "rearrange/border.clh"

static inline void weft_fill_run(__global weft_word *restrict to, long count, const ulong *fill, ulong i) {
  const weft_word even = (weft_word)fill[i & 1], odd = (weft_word)fill[(i + 1) & 1];
  if (even == odd) {
    if (WEFT_BAND == 2) { // only stores, of which aligned ones save 3 to 7 %
      for (; count > 0 && ((ulong)to & 31); count--) *to++ = even;
    }
    for (long j = 0; j < count; j++) to[j] = even;
  } else
    for (long j = 0; j < count; j++) to[j] = j & 1 ? odd : even;
}

static inline void weft_copy_run(__global weft_word *restrict to, __global const uchar *restrict from, long count,
                                 long stride) {
  if (stride == WEFT_SIZE) {
    __global const weft_word *run = (__global const weft_word *)from;
    for (long j = 0; j < count; j++) to[j] = run[j];
  } else if (stride == 0) {
    const weft_word one = *(__global const weft_word *)from;
    for (long j = 0; j < count; j++) to[j] = one;
  } else {
    for (long j = 0; j < count; j++) to[j] = *(__global const weft_word *)(from + j * stride);
  }
}

// Makes `count` words of a row of the result, from `column` on. The first is word i.
static inline void weft_row_part(__global weft_word *to, __global const uchar *from, const weft__arrange_args *a,
                                 long column, long count,
                                 ulong i) {
  const int last = a->axes - 1, border = a->border[last];
  const long n = a->from_length[last], stride = a->stride[last];
  long t = column + a->shift[last];
  while (count > 0) {
    long s = t, run = 1;
    if (t >= 0 && t < n) {
      run = min(count, n - t);
    } else {
      s = weft_inside(t, n, border);
      /* wrapped positions ascend to the end of the axis; a constant or an edge lasts to the axis, or to the end of the
         row */
      if (border == WEFT__BORDER_WRAP) run = min(count, n - s);
      if (border == WEFT__BORDER_CONSTANT || border == WEFT__BORDER_EDGE) run = t < 0 ? min(count, -t) : count;
    }
    if (s < 0)
      weft_fill_run(to, run, a->fill, i);
    else if (WEFT_BAND == 2)
      weft_fill_run(to, run, a->fill + 2, i);
    else
      weft_copy_run(to, from + s * stride, run, t != s && border == WEFT__BORDER_EDGE ? 0 : stride);
    to += run;
    t += run;
    i += (ulong)run;
    count -= run;
  }
}

// Makes `rows` whole rows that are too short for loops of their own and lie in the source entirely.
#define WEFT_SHORT 16
static inline void weft_short_rows(__global weft_word *restrict to, __global const uchar *restrict from, long rows,
                                   long length,
                                   long row_stride, long stride) {
  if (stride == 0 && length == 2) {
    for (long r = 0; r < rows; r++) to[2 * r] = to[2 * r + 1] = *(__global const weft_word *)(from + r * row_stride);
  } else if (stride == 0) {
    for (long r = 0; r < rows; r++) {
      const weft_word one = *(__global const weft_word *)(from + r * row_stride);
      for (long j = 0; j < length; j++) to[r * length + j] = one;
    }
  } else {
    for (long r = 0; r < rows; r++)
      for (long j = 0; j < length; j++)
        to[r * length + j] = *(__global const weft_word *)(from + (r * row_stride + j * stride));
  }
}

__kernel void weft_arrange(const weft__arrange_args a, __global uchar *restrict buffer,
                           __global const uchar *restrict from) {
  const ulong begin = (ulong)get_global_id(0) * a.chunks, end = min(begin + a.chunks, (ulong)a.number);
  const int last = a.axes - 1;
  __global weft_word *to = (__global weft_word *)(buffer + a.to_offset);
  long index[WEFT__ARRANGE_AXES], part[WEFT__ARRANGE_AXES]; /* along each axis: the index, and the place in the source;
                                                               -1 outside */
  ulong rest = begin;
  for (int d = last; d >= 0; d--) {
    const ulong above = d > 0 ? rest / (ulong)a.length[d] : 0;
    index[d] = (long)(rest - above * (ulong)a.length[d]);
    part[d] = d < last ? weft_inside(index[d] + a.shift[d], a.from_length[d], a.border[d]) : 0;
    rest = above;
  }
  const bool is_short = !WEFT_BAND && last > 0 && a.length[last] <= WEFT_SHORT && a.border[last] == WEFT__BORDER_NONE &&
                        a.border[last - 1] == WEFT__BORDER_NONE;
  for (ulong i = begin; i < end;) {
    const long count = min(a.length[last] - index[last], (long)(end - i));
    long place = a.from_offset, skip = 0, kept = count, rows = 1;
    for (int d = 0; d < last; d++) {
      if (part[d] < 0) kept = 0;
      place += part[d] * a.stride[d];
    }
    if (is_short && kept > 0 && index[last] == 0)
      rows = min(a.length[last - 1] - index[last - 1], (long)((end - i) / (ulong)a.length[last]));
    if (is_short && rows > 1) {
      weft_short_rows(to + i, from + place, rows, a.length[last], a.stride[last - 1], a.stride[last]);
      i += (ulong)(rows * a.length[last]);
      index[last - 1] += rows - 1; /* and one more below */
    } else {
#if WEFT_BAND
      /* the columns of this row that are kept */
      const long across = index[last] - index[last - 1] * a.row_words;
      skip = min(count, max(0L, a.lower - across));
      kept = min(kept, max(0L, min(count, a.upper - across + 1) - skip));
#endif
      if (kept == 0) {
        weft_fill_run(to + i, count, a.fill, i);
      } else if (WEFT_BAND && kept < WEFT_SHORT) { // one run, which begins at a cache line more often than two do
        weft_fill_run(to + i, count, a.fill, i);
        weft_row_part(to + i + skip, from + place, &a, index[last] + skip, kept, i + (ulong)skip);
      } else {
        weft_fill_run(to + i, skip, a.fill, i);
        weft_row_part(to + i + skip, from + place, &a, index[last] + skip, kept, i + (ulong)skip);
        weft_fill_run(to + i + skip + kept, count - skip - kept, a.fill, i + (ulong)(skip + kept));
      }
      i += (ulong)count;
    }
    index[last] = 0;
    for (int d = last - 1; d >= 0; d--) {
      index[d] = index[d] + 1 < a.length[d] ? index[d] + 1 : 0;
      part[d] = weft_inside(index[d] + a.shift[d], a.from_length[d], a.border[d]);
      if (index[d] > 0) break;
    }
  }
}
