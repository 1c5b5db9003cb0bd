// SPDX-License-Identifier: MIT
/// The loops of column_loops.c for one dtype (op/reduce/each_dtype.h) and one width of vectors.
#define IS_NAN(v) ((v) != (v))
#define IS_NUMBER(v) ((v) == (v))

#if !SIGNED
/* a truth of an element's size: a vector has as many of them as elements */
COLUMN_LOOP(any, TRUTH, uint8_t, 0, a | (v != 0))
COLUMN_LOOP(all, TRUTH, uint8_t, 1, a &(v != 0))
COLUMN_LOOP(count, uint64_t, uint64_t, 0, a + (v != 0))
#endif
COLUMN_LOOP(min, T, T, MOST, v < a || IS_NAN(v) ? v : a)
COLUMN_LOOP(max, T, T, LEAST, v > a || IS_NAN(v) ? v : a)
#if !FLOAT_BITS
COLUMN_LOOP(sum, uint64_t, uint64_t, 0, a + (uint64_t)v)
COLUMN_LOOP(prod, uint64_t, uint64_t, 1, a *(uint64_t)v)
#else
COLUMN_LOOP(prod, double, double, 1, a *(double)v)
COLUMN_LOOP(nanprod, double, double, 1, a *(v == v ? (double)v : 1))
COLUMN_LOOP(numbers, uint64_t, uint64_t, 0, a + (v == v))
/* GCC makes no vector code of a condition on the accumulator alone, as a != a */
COLUMN_LOOP(nanmin, T, T, (T)NAN, !(v >= a) && v == v ? v : a)
COLUMN_LOOP(nanmax, T, T, (T)NAN, !(v <= a) && v == v ? v : a)
#if FLOAT_BITS == 32
#define COLUMN_SUM(name, term) COLUMN_LOOP(name, double, double, -0.0, a + (term))
#else
#define COLUMN_SUM(name, term) COLUMN_PAIRS(name, term)
#endif
COLUMN_SUM(sum, (double)v)
COLUMN_SUM(squares, (double)v *(double)v)
COLUMN_SUM(magnitudes, fabs((double)v))
COLUMN_SUM(nansum, (v == v ? (double)v : 0)) /* 0, not -0: a sum of no numbers is 0 */
#undef COLUMN_SUM
#endif

/// The first of the best. `skips`: of the numbers; -1: there are only NaNs.
INLINE void NAME(column_place)(COLUMN_PARAMETERS, const bool greatest, const bool skips) {
  const T *x = from;
  int32_t place[COLUMNS];
  T best[COLUMNS];
  for (size_t l = 0; l < columns && !done; l++) best[l] = x[l], place[l] = skips && IS_NAN(x[l]) ? -1 : 0;
  for (size_t l = 0; l < columns && done; l++) {
    memcpy(&best[l], &part[l], sizeof(T));
    place[l] = (int32_t)part[l].place;
  }
  for (size_t r = !done; r < rows; r++)
    for (size_t l = 0; l < columns; l++) {
      const T v = x[(ptrdiff_t)r * step + (ptrdiff_t)l], a = best[l];
      const bool is_beyond = greatest ? v > a : v < a;
      const bool is_better = skips ? IS_NUMBER(v) & (IS_NAN(a) | is_beyond) : is_beyond | (IS_NAN(v) & IS_NUMBER(a));
      best[l] = is_better ? v : a;
      place[l] = is_better ? (int32_t)(done + r) : place[l];
    }
  for (size_t l = 0; l < columns; l++) {
    memcpy(&part[l], &best[l], sizeof(T));
    part[l].place = place[l];
  }
}
TARGET static void NAME(column_argmin)(COLUMN_PARAMETERS) {
  NAME(column_place)(part, from, rows, done, step, columns, false, false);
}
TARGET static void NAME(column_argmax)(COLUMN_PARAMETERS) {
  NAME(column_place)(part, from, rows, done, step, columns, true, false);
}
#if FLOAT_BITS
TARGET static void NAME(column_nanargmin)(COLUMN_PARAMETERS) {
  NAME(column_place)(part, from, rows, done, step, columns, false, true);
}
TARGET static void NAME(column_nanargmax)(COLUMN_PARAMETERS) {
  NAME(column_place)(part, from, rows, done, step, columns, true, true);
}
#endif

/* ---- variances ---- */

/// Adds the distances of the elements of some rows from x[l], or the squares of those from x[l] + mean[l].
INLINE void NAME(column_add)(double *restrict sum, const T *restrict x, const double *restrict mean, size_t some,
                             ptrdiff_t step, size_t columns) {
  for (size_t r = 0; r + 4 <= some; r += 4)
    for (size_t l = 0; l < columns; l++) {
      const double at = mean ? (double)x[l] + mean[l] : (double)x[l];
      double a = sum[l];
      for (size_t k = 0; k < 4; k++) {
        const double v = (double)x[(ptrdiff_t)(r + k) * step + (ptrdiff_t)l] - at;
        a += mean ? v * v : v;
      }
      sum[l] = a;
    }
  for (size_t r = some / 4 * 4; r < some; r++)
    for (size_t l = 0; l < columns; l++) {
      const double v = (double)x[(ptrdiff_t)r * step + (ptrdiff_t)l] - (mean ? (double)x[l] + mean[l] : (double)x[l]);
      sum[l] += mean ? v * v : v;
    }
}

/// Mean and squares of some rows, then of more.
TARGET static void NAME(column_variance)(COLUMN_PARAMETERS) {
  const bool is_shifted = FLOAT_BITS != 32;
  const T *restrict x = from;
  double mean[COLUMNS], squares[COLUMNS];
  for (size_t some; rows > 0; rows -= some, done += some, x += (ptrdiff_t)some * step) {
    some = rows < BLOCK ? rows : BLOCK;
    for (size_t l = 0; l < columns; l++) mean[l] = squares[l] = 0;
    NAME(column_add)(mean, x, NULL, some, step, columns);
    for (size_t l = 0; l < columns; l++) mean[l] /= (double)some;
    NAME(column_add)(squares, x, mean, some, step, columns);
    for (size_t l = 0; l < columns; l++) {
      const double origin = (double)x[l];
      add_block(&part[l].variance, !done, is_shifted ? mean[l] : origin + mean[l], is_shifted ? origin : 0, squares[l],
                some);
    }
  }
}

#if FLOAT_BITS
/// The variances of the numbers among the elements. The mean is the distance from the first number of each block.
TARGET static void NAME(column_nanvariance)(COLUMN_PARAMETERS) {
  const T *restrict x = from;
  double mean[COLUMNS], squares[COLUMNS];
  T origin[COLUMNS];
  uint32_t n[COLUMNS];
  for (size_t some; rows > 0; rows -= some, done += some, x += (ptrdiff_t)some * step) {
    some = rows < BLOCK ? rows : BLOCK;
    for (size_t l = 0; l < columns; l++) mean[l] = squares[l] = 0, n[l] = 0, origin[l] = (T)NAN;
    for (size_t r = 0; r < some; r++)
      for (size_t l = 0; l < columns; l++) {
        const T v = x[(ptrdiff_t)r * step + (ptrdiff_t)l], a = origin[l];
        const double away = (double)v - (double)(a == a ? a : v);
        n[l] += v == v;
        origin[l] = a == a ? a : v;
        mean[l] += v == v ? away : 0;
      }
    for (size_t l = 0; l < columns; l++) mean[l] /= n[l] > 0 ? n[l] : 1;
    for (size_t r = 0; r < some; r++)
      for (size_t l = 0; l < columns; l++) {
        const T v = x[(ptrdiff_t)r * step + (ptrdiff_t)l];
        const double away = (double)v - ((double)origin[l] + mean[l]);
        squares[l] += v == v ? away * away : 0;
      }
    for (size_t l = 0; l < columns; l++)
      add_block(&part[l].variance, !done, mean[l], n[l] > 0 ? (double)origin[l] : 0, squares[l], n[l]);
  }
}
#endif

static column_loop *const NAME(column_loops)[WEFT__ROW_LOOPS] = {
#if !SIGNED
    [WEFT__ROW_ANY] = NAME(column_any),
    [WEFT__ROW_ALL] = NAME(column_all),
    [WEFT__ROW_COUNT] = NAME(column_count),
#endif
    [WEFT__ROW_MIN] = NAME(column_min),
    [WEFT__ROW_MAX] = NAME(column_max),
    [WEFT__ROW_ARGMIN] = NAME(column_argmin),
    [WEFT__ROW_ARGMAX] = NAME(column_argmax),
    [WEFT__ROW_SUM] = NAME(column_sum),
    [WEFT__ROW_PROD] = NAME(column_prod),
    [WEFT__ROW_VARIANCE] = NAME(column_variance),
#if FLOAT_BITS
    [WEFT__ROW_NANMIN] = NAME(column_nanmin),
    [WEFT__ROW_NANMAX] = NAME(column_nanmax),
    [WEFT__ROW_SQUARES] = NAME(column_squares),
    [WEFT__ROW_MAGNITUDES] = NAME(column_magnitudes),
    [WEFT__ROW_NUMBERS] = NAME(column_numbers),
    [WEFT__ROW_NANSUM] = NAME(column_nansum),
    [WEFT__ROW_NANPROD] = NAME(column_nanprod),
    [WEFT__ROW_NANARGMIN] = NAME(column_nanargmin),
    [WEFT__ROW_NANARGMAX] = NAME(column_nanargmax),
    [WEFT__ROW_NANVARIANCE] = NAME(column_nanvariance),
#endif
};
#undef IS_NAN
#undef IS_NUMBER
#undef T
#undef NAME
