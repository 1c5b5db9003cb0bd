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

static inline T transform_at(const PLACE *place, __global const FROM *from, const weft__transform_args *a) {
  long at[AXES][TAPS];
  REAL w[AXES][TAPS];
  int taps[AXES];
  long stride = 1;
  for (int d = AXES - 1; d >= 0; d--) {
    const long n = a->from_shape[d];
    // a border of constants mirrors the spline
    const int border = a->border == WEFT__BORDER_CONSTANT ? WEFT__BORDER_REFLECT : a->border;
    PLACE p = place[d] + (PLACE)(a->plain >> d & 1 ? 0 : a->margin);
    // also where p is NaN
    if (a->border == WEFT__BORDER_CONSTANT && !(p >= 0 && p <= (PLACE)(n - 1))) return *(__private const T *)&a->fill;
    if (a->border == WEFT__BORDER_EDGE) // cubic splines go on with their last coefficient, as in SciPy
      p = TAPS < 4 ? clamp(p, (PLACE)0, (PLACE)(n - 1)) : clamp(p, (PLACE)-4, (PLACE)(n + 4));
    else if (!(fabs(p) < (PLACE)1e15f)) // no long: by the border's period; an infinity becomes NaN
      p = fmod(p, (PLACE)(border == WEFT__BORDER_WRAP        ? n
                          : border == WEFT__BORDER_SYMMETRIC ? 2 * n
                                                             : 2 * max(n - 1, 1L)));
    if (isnan(p) || isnan(place[d])) return transform_store((REAL)NAN); // clamp of a NaN is any number
    taps[d] = a->plain >> d & 1 ? 1 : TAPS;
    if (taps[d] == 1) {
      const long nearest = (long)floor(p + (PLACE)0.5);
      at[d][0] = (n == 1 ? 0 : weft_inside(nearest, n, border)) * stride;
      w[d][0] = 1;
    } else {
      const PLACE whole = floor(p);
      transform_weights(w[d], (REAL)(p - whole));
      for (int k = 0; k < TAPS; k++) {
        const long tap = (long)whole - (TAPS == 4) + k;
        at[d][k] = (n == 1 ? 0 : weft_inside(tap, n, border)) * stride;
      }
    }
    stride *= n;
  }
  REAL sum = 0;
  int digit[AXES] = {0}, all = 1;
#if WEFT_CPU // these additions, too, in their order, but without digits in the innermost loop
  for (int d = 0; d < AXES - 1; d++) all *= taps[d];
  for (int k = 0; k < all; k++) {
    long where = 0;
    REAL weight = 1;
    for (int d = 0; d < AXES - 1; d++) {
      where += at[d][digit[d]];
      weight *= w[d][digit[d]];
    }
    if (taps[AXES - 1] == TAPS)
      for (int j = 0; j < TAPS; j++) sum += weight * w[AXES - 1][j] * LOAD(from[where + at[AXES - 1][j]]);
    else
      sum += weight * LOAD(from[where + at[AXES - 1][0]]);
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

__kernel void weft_transform(const weft__transform_args a, __global uchar *to, __global const uchar *from,
                             __global const uchar *tables) {
  __global const PLACE *table = (__global const PLACE *)(tables + a.table);
  const ulong first = (ulong)get_global_id(0) * a.share, last = min(first + a.share, (ulong)a.n);
  for (ulong i = first; i < last; i++) {
    PLACE place[AXES];
#if MAPPED
    for (int d = 0; d < AXES; d++) place[d] = table[d * a.n + i];
#else
    PLACE index[AXES];
    ulong rest = i;
    for (int d = AXES - 1; d >= 0; d--) {
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
}
