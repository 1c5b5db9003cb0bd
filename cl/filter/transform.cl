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
// lint: -DWEFT_LINT=1 -DAXES=1 -DTAPS=1 -DMAPPED=1 -DT=uchar -DT_FLOAT=0 -DT_BOOL=1
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

// The sum of the elements of all axes.
static inline T transform_at(const PLACE *place, __global const FROM *from, const weft__transform_args *a) {
  long at[AXES][TAPS], stride = 1;
  REAL w[AXES][TAPS], sum = 0;
  int taps[AXES], digit[AXES] = {0}, all = 1;
  for (int d = LAST; d >= 0; d--) {
    taps[d] = transform_axis(at[d], w[d], d, place[d], stride, a);
    if (!taps[d]) return *(__private const T *)&a->fill;
    stride *= a->from_shape[d];
    all *= taps[d];
  }
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
  return transform_store(sum);
}

__kernel void weft_transform(const weft__transform_args a, __global uchar *to, __global const uchar *from,
                             __global const uchar *tables) {
  __global const PLACE *table = (__global const PLACE *)(tables + a.table);
  const ulong i = get_global_id(0);
  PLACE place[AXES];
  if (i >= a.n) return;
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
  ((__global T *)(to + a.to))[i] = transform_at(place, (__global const FROM *)(from + a.from), &a);
}
