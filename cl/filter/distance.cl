// SPDX-License-Identifier: MIT
// Euclidean distances to the nearest zero, along one axis after the other (weft__distance_args). A work-item computes a
// line: from the squared distances f(k) to zeros in other axes' planes the least step * (i - k)^2 + f(k) of each i.
// These parabolas' lower envelope is kept as a stack of the k whose parabola is lowest somewhere.
// lint: -DREAL=float
// lint: -DREAL=double -DWEFT_FP64=1 -DWEFT_CPU
#include "filter/distance.clh"

// Where the parabola of k becomes lower than the one of j, which is in front.
static inline REAL distance_meets(__global const REAL *f, long inner, long j, long k, REAL step) {
  const REAL rise = f[k * inner] - f[j * inner] + step * ((REAL)k * (REAL)k - (REAL)j * (REAL)j);
  return rise / (2 * step * (REAL)(k - j));
}

// from: bytes, zero or not, in the first pass; afterwards squared distances.
__kernel void weft_distance_pass(const weft__distance_args a, __global uchar *to, __global const uchar *from,
                                 __global uchar *nearest_to, __global const uchar *nearest_from,
                                 __global uchar *stacks) {
  const ulong line = get_global_id(0), row = line / a.inner;
  if (row >= a.outer) return;
  const long n = (long)a.length, inner = (long)a.inner, place = (long)(row * a.length * a.inner + line - row * a.inner);
  const REAL step = STEP_OF(a.step);
  __global REAL *y = (__global REAL *)(to + a.to) + place;
  __global int *near_to = (__global int *)(nearest_to + a.nearest_to) + place;
  if (a.is_first) {
    __global const uchar *x = from + a.from + place;
    long zero = -1;
    for (long i = 0; i < n; i++) {
      if (!x[i * inner]) zero = i;
      near_to[i * inner] = zero < 0 ? -1 : (int)(place + zero * inner);
      y[i * inner] = zero < 0 ? INFINITY : step * (REAL)(i - zero) * (REAL)(i - zero);
    }
    zero = -1;
    for (long i = n - 1; i >= 0; i--) {
      if (!x[i * inner]) zero = i;
      const REAL square = zero < 0 ? (REAL)INFINITY : step * (REAL)(zero - i) * (REAL)(zero - i);
      if (square < y[i * inner]) {
        y[i * inner] = square;
        near_to[i * inner] = (int)(place + zero * inner);
      }
    }
  } else {
    __global const REAL *f = (__global const REAL *)(from + a.from) + place;
    __global const int *near_from = (__global const int *)(nearest_from + a.nearest_from) + place;
    __global int *stack = (__global int *)(stacks + a.stack) + place;
    long top = -1;
    for (long k = 0; k < n; k++) {
      if (f[k * inner] == (REAL)INFINITY) continue;
      while (top >= 1 && distance_meets(f, inner, stack[top * inner], k, step) <=
                             distance_meets(f, inner, stack[(top - 1) * inner], stack[top * inner], step))
        top--;
      top++;
      stack[top * inner] = (int)k;
    }
    long at = 0;
    for (long i = 0; i < n; i++) {
      while (at < top && distance_meets(f, inner, stack[at * inner], stack[(at + 1) * inner], step) < (REAL)i) at++;
      const long k = top < 0 ? 0 : stack[at * inner];
      y[i * inner] = top < 0 ? (REAL)INFINITY : step * (REAL)(i - k) * (REAL)(i - k) + f[k * inner];
      near_to[i * inner] = top < 0 ? -1 : near_from[k * inner];
    }
  }
  if (!a.is_last) return;
  for (long i = 0; i < n; i++) y[i * inner] = sqrt(y[i * inner]);
}

// The index of the nearest zeros along one axis.
__kernel void weft_distance_index(const weft__nearest_args a, __global uchar *to, __global const uchar *from) {
  const ulong i = get_global_id(0);
  if (i >= a.n) return;
  const int nearest = ((__global const int *)(from + a.from))[i];
  ((__global int *)(to + a.to))[i] = nearest < 0 ? -1 : (int)((ulong)nearest / a.inner % a.length);
}
