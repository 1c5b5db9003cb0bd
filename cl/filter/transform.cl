// SPDX-License-Identifier: MIT
// Elements at places of a contiguous array, by splines (weft__transform_args). The text in front has the macros of
// cl/element.clh for the result and
//   T_BOOL  1 for bool
//   REAL    the type of sums
//   PLACE   the type of places
//   FROM    the elements' type in memory; LOAD(x) makes a REAL of one
//   AXES    the array's axes
//   TAPS    1, 2 or 4: elements of a spline along an axis
//   MAPPED  1: the table has the places, an axis after the other; 0: AXES rows of a matrix and an offset, by which the
//           result's indices become places
// lint: -DWEFT_LINT=1 -DAXES=2 -DTAPS=4 -DMAPPED=0 -DT=float -DT_FLOAT=1 -DT_DIGITS=24 -DT_BOOL=0
// lint: -DWEFT_LINT=1 -DAXES=1 -DTAPS=2 -DMAPPED=1 -DT=int -DT_FLOAT=0 -DT_BOOL=0
// lint: -DWEFT_LINT=1 -DAXES=1 -DTAPS=1 -DMAPPED=1 -DT=uchar -DT_FLOAT=0 -DT_BOOL=1 -DWEFT_CPU
#ifdef WEFT_LINT
#define REAL float
#define PLACE float
#define FROM T
#define LOAD(x) ((REAL)(x))
#endif
#pragma OPENCL FP_CONTRACT OFF
#include "element.clh"
#include "filter/transform_args.h"
#include "rearrange/args.h"
#include "rearrange/border.clh"

#define LAST (AXES - 1)

static inline T transform_store(REAL x) {
#if T_FLOAT
  return T_STORE(x);
#elif T_BOOL
  return fabs(x) >= (REAL)0.5;
#else
#define TRANSFORM_WHOLE_OF(type) convert_##type##_sat
#define TRANSFORM_WHOLE(type) TRANSFORM_WHOLE_OF(type)
  return TRANSFORM_WHOLE(T)(x > 0 ? x + (REAL)0.5 : x - (REAL)0.5);
#endif
}

// The weights of a spline's elements at `part` behind the second of four, or the first of two.
static inline void transform_weights(REAL *w, REAL part) {
#if TAPS == 4
  const REAL rest = 1 - part;
  w[1] = (part * part * (part - 2) * 3 + 4) / 6;
  w[2] = (rest * rest * (rest - 2) * 3 + 4) / 6;
  w[0] = rest * rest * rest / 6;
  w[3] = 1 - w[0] - w[1] - w[2];
#elif TAPS == 2
  w[0] = 1 - part;
  w[1] = part;
#else
  w[0] = 1;
#endif
}

// The elements of the spline along axis d at a place, and their weights. Returns their number; 0: a constant is there,
// or no place.
static inline int transform_axis(long *at, REAL *w, int d, PLACE place, long stride, const weft__transform_args *a) {
  const long n = a->from_shape[d];
  // a border of constants mirrors the spline
  const int border = a->border == WEFT__BORDER_CONSTANT ? WEFT__BORDER_REFLECT : a->border;
  PLACE p = place + (PLACE)(a->plain >> d & 1 ? 0 : a->margin);
  // also where p is NaN
  if (a->border == WEFT__BORDER_CONSTANT && !(p >= 0 && p <= (PLACE)(n - 1))) return 0;
  if (a->border == WEFT__BORDER_EDGE)  // cubic splines go on with their last coefficient, as in SciPy
    p = TAPS < 4 ? clamp(p, (PLACE)0, (PLACE)(n - 1)) : clamp(p, (PLACE)-4, (PLACE)(n + 4));
  else if (!(fabs(p) < (PLACE)1e15f))  // no long: by the border's period; an infinity becomes NaN
    p = fmod(p, (PLACE)(border == WEFT__BORDER_WRAP        ? n
                        : border == WEFT__BORDER_SYMMETRIC ? 2 * n
                                                           : 2 * max(n - 1, 1L)));
  if (isnan(p) || isnan(place)) return 0;  // clamp of a NaN is any number
  if (TAPS == 1 || a->plain >> d & 1) {
    const long nearest = (long)floor(p + (PLACE)0.5);
    at[0] = (nearest >= 0 && nearest < n ? nearest : n == 1 ? 0 : weft_inside(nearest, n, border)) * stride;
    w[0] = 1;
    return 1;
  }
  const PLACE whole = floor(p);
  const long begin = (long)whole - (TAPS == 4);
  transform_weights(w, (REAL)(p - whole));
  if (begin >= 0 && begin + TAPS <= n)
    for (int k = 0; k < TAPS; k++) at[k] = (begin + k) * stride;
  else
    for (int k = 0; k < TAPS; k++) at[k] = (n == 1 ? 0 : weft_inside(begin + k, n, border)) * stride;
  return TAPS;
}

// The sum of the elements of all axes, of which axis d has taps[d].
static inline T transform_sum(long at[AXES][TAPS], REAL w[AXES][TAPS], const int *taps, __global const FROM *from,
                              const weft__transform_args *a) {
  for (int d = 0; d < AXES; d++)
    if (!taps[d])
      return a->border == WEFT__BORDER_CONSTANT ? *(__private const T *)&a->fill : transform_store((REAL)NAN);
  REAL sum = 0;
  int digit[AXES] = {0}, all = 1;
#if WEFT_CPU  // these additions, too, in their order, but without digits in the innermost loop
  for (int d = 0; d < AXES - 1; d++) all *= taps[d];
  for (int k = 0; k < all; k++) {
    long where = 0;
    REAL weight = 1;
    for (int d = 0; d < AXES - 1; d++) {
      where += at[d][digit[d]];
      weight *= w[d][digit[d]];
    }
    if (taps[LAST] == TAPS)
      for (int j = 0; j < TAPS; j++) sum += weight * w[LAST][j] * LOAD(from[where + at[LAST][j]]);
    else
      sum += weight * LOAD(from[where + at[LAST][0]]);
    for (int d = AXES - 2; d >= 0; d--) {
      if (++digit[d] < taps[d]) break;
      digit[d] = 0;
    }
  }
#else
  for (int d = 0; d < AXES; d++) all *= taps[d];
  for (int k = 0; k < all; k++) {
    long where = 0;
    REAL weight = 1;
    for (int d = 0; d < AXES; d++) {
      where += at[d][digit[d]];
      weight *= w[d][digit[d]];
    }
    sum += weight * LOAD(from[where]);
    for (int d = AXES - 1; d >= 0; d--) {
      if (++digit[d] < taps[d]) break;
      digit[d] = 0;
    }
  }
#endif
  return transform_store(sum);
}

#if MAPPED || !WEFT_CPU
static inline T transform_at(const PLACE *place, __global const FROM *from, const weft__transform_args *a) {
  long at[AXES][TAPS], stride = 1;
  REAL w[AXES][TAPS];
  int taps[AXES];
  for (int d = LAST; d >= 0; d--) {
    taps[d] = transform_axis(at[d], w[d], d, place[d], stride, a);
    if (!taps[d])
      return a->border == WEFT__BORDER_CONSTANT ? *(__private const T *)&a->fill : transform_store((REAL)NAN);
    stride *= a->from_shape[d];
  }
  return transform_sum(at, w, taps, from, a);
}
#endif

#if WEFT_CPU && !MAPPED && AXES <= 3
#define BESIDE 64
#define OUTER (AXES > 2 ? TAPS : 1)
#define MIDDLE (AXES > 1 ? TAPS : 1)
// `count` elements of a row from `column` on, if all of their splines are inside; else false, and nothing is done. The
// same additions as transform_sum's, in loops that compilers make vectors of. The array has less than 2^31 elements.
static inline bool transform_beside(__global T *restrict y, uint count, ulong column, __global const FROM *restrict x,
                                    const PLACE *before, const PLACE *slope, const PLACE *offset, const long *stride,
                                    const weft__transform_args *a) {
  int begin[AXES][BESIDE], is_inside = 1;
  REAL w[AXES][TAPS][BESIDE];
  uint each[AXES];
  for (int d = 0; d < AXES; d++) {
    const PLACE base = before[d], by = slope[d], to = offset[d], first = (PLACE)column;
    const PLACE margin = (PLACE)a->margin, least = TAPS == 4, end = (PLACE)(a->from_shape[d] - TAPS + (TAPS == 4) + 1);
    const PLACE most = (PLACE)(a->from_shape[d] - 1);
    const int step = (int)stride[d];
    const uint different = by != 0 ? BESIDE : 1;  // of an axis along which the row does not move all places are one
    each[d] = by != 0 ? BESIDE - 1 : 0;
    for (uint c = 0; c < different; c++) {
      const PLACE p = base + by * (first + (PLACE)c) + to + margin, q = TAPS == 1 ? p + (PLACE)0.5 : p,
                  whole = floor(q);
      REAL v[TAPS];
      is_inside &= c >= count || (whole >= least && whole < end && p >= 0 && p <= most);
      transform_weights(v, (REAL)(p - whole));
      begin[d][c] = ((int)whole - (TAPS == 4)) * step;
      for (int k = 0; k < TAPS; k++) w[d][k][c] = v[k];
    }
  }
  if (!is_inside) return false;
  const int outer = AXES > 2 ? (int)stride[0] : 0, middle = AXES > 1 ? (int)stride[LAST - (AXES > 1)] : 0;
  for (uint c = 0; c < count; c++) {
    REAL sum = 0;
    int where = 0;
    for (int d = 0; d < AXES; d++) where += begin[d][c & each[d]];
#pragma unroll
    for (int i = 0; i < OUTER; i++)
#pragma unroll
      for (int j = 0; j < MIDDLE; j++) {
        REAL weight = 1;
        if (AXES > 2) weight *= w[0][i][c & each[0]];
        if (AXES > 1) weight *= w[LAST - (AXES > 1)][j][c & each[LAST - (AXES > 1)]];
#pragma unroll
        for (int k = 0; k < TAPS; k++) sum += weight * w[LAST][k][c] * LOAD(x[where + i * outer + j * middle + k]);
      }
    y[c] = transform_store(sum);
  }
  return true;
}
#endif

__kernel void weft_transform(const weft__transform_args a, __global uchar *to, __global const uchar *from,
                             __global const uchar *tables) {
  __global const PLACE *table = (__global const PLACE *)(tables + a.table);
  __global const FROM *x = (__global const FROM *)(from + a.from);
  __global T *y = (__global T *)(to + a.to);
  const ulong first = (ulong)get_global_id(0) * a.share, last = min(first + a.share, (ulong)a.n);
#if MAPPED || !WEFT_CPU
  for (ulong i = first; i < last; i++) {
    PLACE place[AXES];
#if MAPPED
    for (int d = 0; d < AXES; d++) place[d] = table[d * a.n + i];
#else
    PLACE index[AXES];
    ulong rest = i;
    for (int d = LAST; d >= 0; d--) {
      const ulong above = rest / (ulong)a.to_shape[d];
      index[d] = (PLACE)(rest - above * (ulong)a.to_shape[d]);
      rest = above;
    }
    for (int d = 0; d < AXES; d++) {
      place[d] = 0;
      for (int k = 0; k < AXES; k++) place[d] += table[d * (AXES + 1) + k] * index[k];
      place[d] += table[d * (AXES + 1) + AXES];
      if (a.ends >> d & 1 && index[d] == (PLACE)(a.to_shape[d] - 1))
        place[d] = (PLACE)(a.from_shape[d] - 1 - 2 * a.margin);
    }
#endif
    y[i] = transform_at(place, x, &a);
  }
#else
  const ulong length = (ulong)a.to_shape[LAST];
  long at[AXES][TAPS], stride[AXES];
  REAL w[AXES][TAPS];
  int taps[AXES];
  stride[LAST] = 1;
  for (int d = LAST; d > 0; d--) stride[d - 1] = stride[d] * a.from_shape[d];
#if AXES <= 3
  const bool can_be_beside = a.plain == 0 && stride[0] * a.from_shape[0] <= INT_MAX;
#endif
  for (ulong i = first; i < last;) {  // parts of a row
    ulong rest = i / length, column = i - rest * length;
    const ulong end = min(last, i + (length - column));
    PLACE before[AXES], slope[AXES], offset[AXES], index[AXES];
    for (int d = LAST - 1; d >= 0; d--) {
      const ulong above = rest / (ulong)a.to_shape[d];
      index[d] = (PLACE)(rest - above * (ulong)a.to_shape[d]);
      rest = above;
    }
    bool moves[AXES];  // along the row
    for (int d = 0; d < AXES; d++) {
      before[d] = 0;
      for (int k = 0; k < LAST; k++) before[d] += table[d * (AXES + 1) + k] * index[k];
      slope[d] = table[d * (AXES + 1) + LAST];
      offset[d] = table[d * (AXES + 1) + AXES];
      moves[d] = d == LAST || slope[d] != 0;
      if (d < LAST && a.ends >> d & 1 && index[d] == (PLACE)(a.to_shape[d] - 1)) {
        before[d] = (PLACE)(a.from_shape[d] - 1 - 2 * a.margin);
        slope[d] = offset[d] = 0;
        moves[d] = false;
      }
      if (!moves[d]) taps[d] = transform_axis(at[d], w[d], d, before[d] + offset[d], stride[d], &a);
    }
#if AXES <= 3
    const ulong whole = (a.ends >> LAST & 1) && end - i == length - column ? end - 1 : end;  // without the last place
#endif
    while (i < end) {
#if AXES <= 3
      const uint some = (uint)min((ulong)BESIDE, i < whole ? whole - i : 0);
      if (some && can_be_beside && transform_beside(y + i, some, column, x, before, slope, offset, stride, &a)) {
        i += some;
        column += some;
        continue;
      }
      const ulong next = min(end, i + max(some, 1u));
#else
      const ulong next = end;
#endif
      for (; i < next; i++, column++) {
        for (int d = 0; d < AXES; d++) {
          if (!moves[d]) continue;
          PLACE place = before[d] + slope[d] * (PLACE)column + offset[d];
          if (d == LAST && a.ends >> d & 1 && column == length - 1) place = (PLACE)(a.from_shape[d] - 1 - 2 * a.margin);
          taps[d] = transform_axis(at[d], w[d], d, place, stride[d], &a);
        }
        y[i] = transform_sum(at, w, taps, x, &a);
      }
    }
  }
#endif
}
