// SPDX-License-Identifier: MIT
/// The variance of a row in blocks, as cl/reduce/cpu.cl computes it: a block's mean, then the distances from it, read
/// from the first-level cache. A part of row_dtype.h.
enum {
  NAME(variance_block) = 1024,
  /* whether the mean is kept as a distance from an element: a double has digits enough for the mean of f32 */
  NAME(variance_is_shifted) = FLOAT_BITS != 32
};

/// The sum of the lanes, of which the farthest are added first.
TARGET static inline double NAME(variance_total)(double lane[LANES]) {
  FOLD_ALL(double, a + b)
  return lane[0];
}

/// Sums of the elements' distances from `centre`, or of their squares, in lanes. `skips`: of the numbers alone.
TARGET static inline void NAME(variance_sums)(double lane[LANES], const T *x, size_t n, double centre, bool squares,
                                              const bool skips) {
#define DISTANCE(m) (skips && IS_NAN(x[m]) ? 0 : (double)x[m] - centre)
  size_t m = 0;
  for (size_t l = 0; l < LANES; l++) lane[l] = 0;
  if (squares) {
    for (; m + LANES <= n; m += LANES)
      for (size_t l = 0; l < LANES; l++) lane[l] += DISTANCE(m + l) * DISTANCE(m + l);
    for (size_t l = 0; m < n; m++, l++) lane[l] += DISTANCE(m) * DISTANCE(m);
  } else {
    for (; m + LANES <= n; m += LANES)
      for (size_t l = 0; l < LANES; l++) lane[l] += DISTANCE(m + l);
    for (size_t l = 0; m < n; m++, l++) lane[l] += DISTANCE(m);
  }
#undef DISTANCE
}

TARGET static inline void NAME(variance_blocks)(void *to, const void *const from[2], size_t n, size_t stride,
                                                const bool skips) {
  weft__row_variance all = {0};
  double lane[LANES];
  for (size_t m = 0; stride && m < n; m++) {
    const T v = ((const T *)from[0])[m * stride];
    if (!skips || !IS_NAN(v)) weft__row_vary(&all, (double)v, NAME(variance_is_shifted));
  }
  for (size_t begin = 0; !stride && begin < n; begin += NAME(variance_block)) {
    const T *x = (const T *)from[0] + begin;
    const size_t left = n - begin, count = left < NAME(variance_block) ? left : NAME(variance_block);
    uint32_t others = 0;
    size_t first = 0;
    for (size_t k = 0; skips && k < count; k++) others += IS_NAN(x[k]);
    if (others == count) continue;
    while (skips && IS_NAN(x[first])) first++;
    weft__row_variance block = {.n = count - others};
    const double origin = (double)x[first];
    NAME(variance_sums)(lane, x, count, origin, false, skips);
    const double mean = NAME(variance_total)(lane) / (double)block.n, centre = origin + mean;
    block.origin = NAME(variance_is_shifted) ? origin : 0;
    block.mean = NAME(variance_is_shifted) ? mean : centre;
    NAME(variance_sums)(lane, x, count, centre, true, skips);
    block.squares = NAME(variance_total)(lane);
    weft__row_join_variances(&all, &block);
  }
  *(weft__row_variance *)to = all;
}

TARGET static void NAME(variance)(void *to, const void *const from[2], size_t n, size_t stride) {
  NAME(variance_blocks)(to, from, n, stride, false);
}
#if FLOAT_BITS
TARGET static void NAME(nanvariance)(void *to, const void *const from[2], size_t n, size_t stride) {
  NAME(variance_blocks)(to, from, n, stride, true);
}
#endif
