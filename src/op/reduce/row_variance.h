// SPDX-License-Identifier: MIT
/// The variance of a row in blocks, as cl/reduce/cpu.cl computes it: a block's mean, then the distances from it, read
/// from the first-level cache. A template, included for each dtype and width of vectors:
///   NAME, TARGET   of the function
///   T              of the elements
///   IS_SHIFTED     whether the mean is kept as a distance from an element: a double has digits enough for the mean of
///                  f32
enum { NAME_OF(NAME, block) = 1024 };

/// The sum of the lanes, of which the farthest are added first.
TARGET static inline double NAME_OF(NAME, total)(double lane[LANES]) {
  FOLD_ALL(double, a + b)
  return lane[0];
}

/// Sums of the elements' distances from `centre`, or of their squares, in lanes.
TARGET static inline void NAME_OF(NAME, sums)(double lane[LANES], const T *x, size_t n, double centre, bool squares) {
  size_t m = 0;
  for (size_t l = 0; l < LANES; l++) lane[l] = 0;
  if (squares) {
    for (; m + LANES <= n; m += LANES)
      for (size_t l = 0; l < LANES; l++) lane[l] += ((double)x[m + l] - centre) * ((double)x[m + l] - centre);
    for (size_t l = 0; m < n; m++, l++) lane[l] += ((double)x[m] - centre) * ((double)x[m] - centre);
  } else {
    for (; m + LANES <= n; m += LANES)
      for (size_t l = 0; l < LANES; l++) lane[l] += (double)x[m + l] - centre;
    for (size_t l = 0; m < n; m++, l++) lane[l] += (double)x[m] - centre;
  }
}

TARGET static void NAME(void *to, const void *const from[2], size_t n, size_t stride) {
  weft__row_variance all = {0};
  double lane[LANES];
  for (size_t m = 0; stride && m < n; m++) weft__row_vary(&all, (double)((const T *)from[0])[m * stride], IS_SHIFTED);
  for (size_t begin = 0; !stride && begin < n; begin += NAME_OF(NAME, block)) {
    const T *x = (const T *)from[0] + begin;
    const size_t left = n - begin, count = left < NAME_OF(NAME, block) ? left : NAME_OF(NAME, block);
    weft__row_variance block = {.n = count};
    NAME_OF(NAME, sums)(lane, x, count, (double)x[0], false);
    const double mean = NAME_OF(NAME, total)(lane) / (double)count, centre = (double)x[0] + mean;
    block.origin = IS_SHIFTED ? (double)x[0] : 0;
    block.mean = IS_SHIFTED ? mean : centre;
    NAME_OF(NAME, sums)(lane, x, count, centre, true);
    block.squares = NAME_OF(NAME, total)(lane);
    weft__row_join_variances(&all, &block);
  }
  *(weft__row_variance *)to = all;
}
#undef NAME
#undef TARGET
