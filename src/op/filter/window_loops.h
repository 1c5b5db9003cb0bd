// SPDX-License-Identifier: MIT
/// The elements of a result from their windows, for window_types.h. Define before including: TARGET, an attribute;
/// NAME(name), the functions' names; T, the type of elements; SHOWN(x), an element of a sum. N, the type in which
/// elements are compared, with LOAD(x) and STORE(x); S, the type of sums; NEAREST(x), which SHOWN rounds to the nearest
/// element; and O, of numbers in order, with ORDERED(n) and NUMBER(o), follow from T if they are not defined.
#ifndef N
#define N T
#define LOAD(x) (x)
#define STORE(x) (x)
#endif
#ifndef S
#define S double
#endif
#ifndef NEAREST
#define NEAREST(x) ((x) > 0 ? (x) + 0.5 : (x)-0.5)
#endif
#ifndef O
#define O N
#define ORDERED(n) (n)
#define NUMBER(o) (o)
#define IS_NAN(x) false
#else
#define IS_NAN(x) ((x) != (x))
#endif
#define TAP(k) ((const T *)w->tap[k])

/// Sums of products, in the order of the window's elements. Several are added at a time, which saves loads and stores.
TARGET static void NAME(sum)(T *restrict y, const weft__windows *w, int64_t count) {
  const S *weight = w->weight, divisor = (S)w->taps;
  S sum[WEFT__WINDOW_CHUNK];
  int64_t k = 1;
  for (int64_t i = 0; i < count; i++) sum[i] = weight[0] * (S)LOAD(TAP(0)[i]);
  for (; k + 4 <= w->taps; k += 4) {
    const T *a = TAP(k), *b = TAP(k + 1), *c = TAP(k + 2), *d = TAP(k + 3);
    for (int64_t i = 0; i < count; i++)
      sum[i] = sum[i] + weight[k] * (S)LOAD(a[i]) + weight[k + 1] * (S)LOAD(b[i]) + weight[k + 2] * (S)LOAD(c[i]) +
               weight[k + 3] * (S)LOAD(d[i]);
  }
  for (; k < w->taps; k++)
    for (int64_t i = 0; i < count; i++) sum[i] += weight[k] * (S)LOAD(TAP(k)[i]);
  if (w->op == WEFT__FILTER_MEAN)
    for (int64_t i = 0; i < count; i++) sum[i] /= divisor;
  for (int64_t i = 0; i < count; i++) y[i] = (T)SHOWN(sum[i]);
}

/// NaN wins, as in weft_minimum.
TARGET static inline N NAME(better)(N best, N x, bool is_least) {
  return (is_least ? x < best : x > best) || IS_NAN(x) ? x : best;
}

TARGET static inline void NAME(extreme)(T *restrict y, const weft__windows *w, int64_t count, const bool is_least) {
  N best[WEFT__WINDOW_CHUNK];
  int64_t k = 1;
  for (int64_t i = 0; i < count; i++) best[i] = LOAD(TAP(0)[i]);
  for (; k + 2 <= w->taps; k += 2) {
    const T *a = TAP(k), *b = TAP(k + 1);
    for (int64_t i = 0; i < count; i++)
      best[i] = NAME(better)(NAME(better)(best[i], LOAD(a[i]), is_least), LOAD(b[i]), is_least);
  }
  for (; k < w->taps; k++)
    for (int64_t i = 0; i < count; i++) best[i] = NAME(better)(best[i], LOAD(TAP(k)[i]), is_least);
  for (int64_t i = 0; i < count; i++) y[i] = (T)STORE(best[i]);
}

/// Exchanges of `lanes` windows' elements.
TARGET static inline void NAME(exchange)(O *v, const weft__window_order *rank, const int lanes) {
  for (int k = 0; k < rank->exchanges; k++) {
    O *a = v + rank->exchange[k][0] * lanes, *b = v + rank->exchange[k][1] * lanes;
    WEFT__NO_OVERLAP
    for (int l = 0; l < lanes; l++) {
      const O one = a[l], other = b[l];
      a[l] = one < other ? one : other;
      b[l] = one < other ? other : one;
    }
  }
}

TARGET static inline void NAME(rank_lanes)(T *y, const weft__windows *w, int64_t at, const int lanes) {
  O *v = w->scratch, *to = v;
  for (int64_t k = 0; k < w->taps; k++, to += lanes) {
    const T *x = TAP(k) + at;
    WEFT__NO_OVERLAP
    for (int l = 0; l < lanes; l++) to[l] = ORDERED((N)LOAD(x[l]));
  }
  NAME(exchange)(v, w->rank, lanes);
  const O *wanted = v + w->rank->place * lanes;
  WEFT__NO_OVERLAP
  for (int l = 0; l < lanes; l++) y[at + l] = (T)STORE(NUMBER(wanted[l]));
}

/// The last elements are computed with some that are there already.
TARGET static void NAME(rank)(T *y, const weft__windows *w, int64_t count) {
  enum { MANY = WEFT__RANK_BYTES / sizeof(O), FEW = WEFT__WINDOW_FEW_BYTES / sizeof(O) };
  int64_t i = 0;
  for (; i < count && count >= MANY; i += MANY) NAME(rank_lanes)(y, w, i + MANY < count ? i : count - MANY, MANY);
  for (; i < count && count >= FEW; i += FEW) NAME(rank_lanes)(y, w, i + FEW < count ? i : count - FEW, FEW);
  for (; i < count; i++) NAME(rank_lanes)(y, w, i, 1);
}

TARGET static void NAME(window)(void *to, const weft__windows *w, int64_t count) {
  switch (w->op) {
    case WEFT__FILTER_LEAST:
      NAME(extreme)(to, w, count, true);
      break;
    case WEFT__FILTER_GREATEST:
      NAME(extreme)(to, w, count, false);
      break;
    case WEFT__FILTER_RANK:
      NAME(rank)(to, w, count);
      break;
    default:
      NAME(sum)(to, w, count);
  }
}

/* ---- splines ---- */

TARGET static void NAME(take)(void *to, const void *from, const int32_t *where, const int32_t *at, bool is_row,
                              int64_t count) {
  const T *x = (const T *)from + (is_row ? where[0] : 0);
  S *restrict y = to;
  int64_t c = 0;
  for (; c + 4 <= count && is_row; c += 4) {
    const T one = x[at[c]], two = x[at[c + 1]], three = x[at[c + 2]], four = x[at[c + 3]];
    y[c] = (S)LOAD(one);
    y[c + 1] = (S)LOAD(two);
    y[c + 2] = (S)LOAD(three);
    y[c + 3] = (S)LOAD(four);
  }
  for (; c < count; c++) y[c] = (S)LOAD(x[(is_row ? 0 : where[c]) + at[c]]);
}

TARGET static void NAME(show)(void *to, const void *from, const uint8_t *is_outside, uint64_t fill, int64_t count) {
  const S *restrict sum = from;
  T *restrict y = to, outside;
  memcpy(&outside, &fill, sizeof outside);
  for (int64_t c = 0; c < count; c++) {
    const S number = NEAREST(sum[c]);
    y[c] = (T)SHOWN(number);
  }
  for (int64_t c = 0; c < count && is_outside; c++) y[c] = is_outside[c] ? outside : y[c];
}

#undef TAP
#undef T
#undef N
#undef S
#undef O
#undef LOAD
#undef STORE
#undef SHOWN
#undef NEAREST
#undef ORDERED
#undef NUMBER
#undef IS_NAN
#undef NAME
