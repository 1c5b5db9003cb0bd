// SPDX-License-Identifier: MIT
/// Loops of scans by one operation, for scan_loops.c, which includes this through scan_types.h. Define before
/// including: TARGET, an attribute; T, the type in which elements are combined; NAME(name), the loops' names;
/// BOTH(a, b), of two elements of which a is the first, and SHOWN(a), as in cl/scan/common.clh. Real types also: LANES,
/// of a vector. VECTOR; PUSH_1(a, b), PUSH_2(a, b) and PUSH_4(a, b), the last lanes of a before the first ones of b;
/// and BOTH_OF, as BOTH.

TARGET static inline T NAME(both)(T a, T b) {
  return BOTH(a, b);
}

#ifdef LANES
/// Sixteen elements, each combined with the 1, 2, 4 and 8 before it (W. D. Hillis and G. L. Steele 1986), then with
/// `before`.
TARGET static inline T NAME(sixteen)(T *to, const T *from, T before, T neutral) {
#ifdef VECTOR
  enum { VECTORS = 16 / LANES };
  VECTOR v[1 + VECTORS], *const x = v + 1;
  v[0] = neutral - (VECTOR){0};
  for (int k = 0; k < VECTORS; k++) {
    VECTOR one; /* copied to the array, it would stay in memory */
    memcpy(&one, from + k * LANES, sizeof one);
    x[k] = one;
  }
  for (int k = VECTORS - 1; k >= 0; k--) x[k] = BOTH_OF(PUSH_1(x[k - 1], x[k]), x[k]);
  for (int k = VECTORS - 1; k >= 0 && LANES > 2; k--) x[k] = BOTH_OF(PUSH_2(x[k - 1], x[k]), x[k]);
  for (int k = VECTORS - 1; k >= 0 && LANES > 4; k--) x[k] = BOTH_OF(PUSH_4(x[k - 1], x[k]), x[k]);
  for (int d = 1; d < VECTORS; d *= 2)
    for (int k = VECTORS - 1; k >= d; k--) x[k] = BOTH_OF(x[k - d], x[k]);
  v[0] = before - (VECTOR){0};
  for (int k = 0; k < VECTORS; k++) {
    const VECTOR one = BOTH_OF(v[0], x[k]);
    memcpy(to + k * LANES, &one, sizeof one);
  }
#else
  T x[16];
  (void)neutral;
  memcpy(x, from, sizeof x);
  for (int d = 1; d < 16; d *= 2)
    for (int k = 15; k >= d; k--) x[k] = NAME(both)(x[k - d], x[k]);
  for (int k = 0; k < 16; k++) to[k] = NAME(both)(before, x[k]);
#endif
  return to[15];
}
#endif

TARGET static void NAME(run)(void *to, const void *from, size_t n, void *before, const void *neutral) {
  const T *x = from;
  T *y = to, total = *(T *)before;
  size_t i = 0;
#ifdef LANES
  const bool is_wide_integer = sizeof(T) == 8 && (T)0.5 == 0; /* whose vectors gain nothing over one after the other */
  for (; i + 16 <= n && !is_wide_integer; i += 16) total = NAME(sixteen)(y + i, x + i, total, *(const T *)neutral);
#endif
  (void)neutral;
#pragma GCC unroll 8
  for (; i < n; i++) y[i] = total = NAME(both)(total, x[i]);
  *(T *)before = total;
}

TARGET static void NAME(flagged)(void *to, const void *from, const uint8_t *flag, size_t n, void *before) {
  const T *x = from;
  T *y = to, total = *(T *)before;
  for (size_t i = 0; i < n; i++) y[i] = total = flag[i] ? x[i] : NAME(both)(total, x[i]);
  *(T *)before = total;
}

TARGET static void NAME(shown)(void *to, const void *from, const uint8_t *flag, size_t n, const void *neutral) {
  const T *x = from;
  T *y = to;
  for (size_t i = 0; i < n; i++) {
    const T v = flag && flag[i] ? *(const T *)neutral : x[i];
    y[i] = SHOWN(v);
  }
}

TARGET static void NAME(turned)(void *restrict to, const void *restrict from, size_t n) {
  const T *x = from;
  T *y = to;
  for (size_t i = 0; i < n; i++) y[i] = x[n - 1 - i];
}

TARGET static void NAME(total)(void *of, const void *from, size_t n, const void *neutral) {
  const T *x = from;
  T total = *(T *)of;
  size_t i = 0;
#ifdef LANES
  if (n >= 32) {
    T lane[32];
    for (int l = 0; l < 32; l++) lane[l] = *(const T *)neutral;
    for (; i + 32 <= n; i += 32)
      for (size_t l = 0; l < 32; l++) lane[l] = NAME(both)(lane[l], x[i + l]);
    for (int l = 0; l < 16; l++) total = NAME(both)(total, NAME(both)(lane[l], lane[l + 16]));
  }
#endif
  (void)neutral;
  for (; i < n; i++) total = NAME(both)(total, x[i]);
  *(T *)of = total;
}

/// One column.
TARGET static inline T NAME(column)(T *y, const T *x, size_t rows, ptrdiff_t step, T total, bool exclusive) {
  for (size_t r = 0; r < rows; r++, x += step) {
    const T before = total;
    total = NAME(both)(before, *x);
    if (!y) continue;
    *y = exclusive ? SHOWN(before) : total;
    y += step;
  }
  return total;
}

TARGET static inline void NAME(row)(T *y, const T *x, T *restrict total, size_t width, bool exclusive) {
  if (!y) {
    for (size_t j = 0; j < width; j++) total[j] = NAME(both)(total[j], x[j]);
  } else if (!exclusive) {
    WEFT__NO_OVERLAP
    for (size_t j = 0; j < width; j++) y[j] = total[j] = NAME(both)(total[j], x[j]);
  } else {
    WEFT__NO_OVERLAP
    for (size_t j = 0; j < width; j++) {
      const T before = total[j];
      total[j] = NAME(both)(before, x[j]);
      y[j] = SHOWN(before);
    }
  }
}

TARGET static void NAME(columns)(void *to, const void *from, size_t rows, size_t width, ptrdiff_t step, void *totals,
                                 bool exclusive) {
  const T *x = from;
  T *y = to, *total = totals;
  if (width < WEFT__SCAN_FEW_COLUMNS && rows > 1) { /* which are no vectors */
    for (size_t r = 0, n; r < rows; r += n, x += (ptrdiff_t)n * step, y += y ? (ptrdiff_t)n * step : 0) {
      n = rows - r < WEFT__SCAN_FEW_ROWS ? rows - r : WEFT__SCAN_FEW_ROWS;
      for (size_t j = 0; j < width; j++) total[j] = NAME(column)(y ? y + j : NULL, x + j, n, step, total[j], exclusive);
    }
    return;
  }
  for (size_t r = 0; r < rows; r++, x += step, y += y ? step : 0) {
    if (width == WEFT__SCAN_STRIP)
      NAME(row)(y, x, total, WEFT__SCAN_STRIP, exclusive);
    else
      NAME(row)(y, x, total, width, exclusive);
  }
}

static const weft__scan_loops NAME(loops) = {NAME(run),   NAME(flagged), NAME(shown), NAME(turned),
                                             NAME(total), NAME(columns), sizeof(T)};

#undef NAME
#undef BOTH
#undef BOTH_OF
#undef SHOWN
