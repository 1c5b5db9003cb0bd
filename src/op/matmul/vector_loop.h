// SPDX-License-Identifier: MIT
/// The loops of vector_loops.c for one dtype and one width of vectors (base/each_width.h). To define before including:
/// T, the dtype; FUSED, its fused multiplication; NAME(name), the names of its loops.
#define LANES ((int)(VECTOR_BYTES / sizeof(T)))

/// The sums of `rows` rows, a constant in each call. Adjacent lanes of all rows are added up together.
TARGET static inline __attribute__((always_inline)) void NAME(add_up)(T *y, const T *row, int64_t apart, const T *v,
                                                                      int64_t k, T *lane, const int rows) {
  int64_t i = 0;
  for (; i + LANES <= k; i += LANES)
    for (int j = 0; j < rows; j++)
      for (int l = 0; l < LANES; l++)
        lane[j * LANES + l] = FUSED(row[j * apart + i + l], v[i + l], lane[j * LANES + l]);
  for (int l = 0; i < k; i++, l++)
    for (int j = 0; j < rows; j++) lane[j * LANES + l] = FUSED(row[j * apart + i], v[i], lane[j * LANES + l]);
  for (int j = 0; j < rows; j++) {
    T *one = lane + j * LANES;
    for (int l = 0; l < 8 && LANES > 8; l++) one[l] += one[8 + l];
    for (int l = 0; l < 4; l++) one[l] += one[4 + l];
    y[j] = (one[0] + one[2]) + (one[1] + one[3]);
  }
}

/// Of m rows, `rows` or more: the last ones overlap others.
TARGET static inline __attribute__((always_inline)) void NAME(add_all)(T *y, const T *a, int64_t apart, const T *x,
                                                                       int64_t m, int64_t k, const int rows) {
  for (int64_t at = 0; at < m; at += rows) {
    const int64_t r = at < m - rows ? at : m - rows;
    T lane[ROWS * LANES];
    for (int l = 0; l < rows * LANES; l++) lane[l] = 0;
    NAME(add_up)(y + r, a + r * apart, apart, x, k, lane, rows);
  }
}

TARGET static void NAME(rows)(void *out, const void *a, int64_t apart, const void *x, int64_t m, int64_t k) {
  if (m >= ROWS)
    NAME(add_all)(out, a, apart, x, m, k, ROWS);
  else if (m >= 4)
    NAME(add_all)(out, a, apart, x, m, k, 4);
  else if (m >= 2)
    NAME(add_all)(out, a, apart, x, m, k, 2);
  else
    NAME(add_all)(out, a, apart, x, m, k, 1);
}

TARGET static void NAME(columns)(void *out, const void *a, int64_t apart, const void *x, int64_t m, int64_t k) {
  const T *from = a, *v = x;
  T *y = out;
  int64_t r = 0;
  for (; r + COLUMNS * LANES <= m; r += COLUMNS * LANES) {
    T lane[COLUMNS * LANES] = {0};
    for (int64_t i = 0; i < k; i++)
      for (int l = 0; l < COLUMNS * LANES; l++) lane[l] = FUSED(from[i * apart + r + l], v[i], lane[l]);
    for (int l = 0; l < COLUMNS * LANES; l++) y[r + l] = lane[l];
  }
  for (int64_t l = r; l < m; l++) y[l] = 0;
  for (int64_t i = 0; i < k && r < m; i++)
    for (int64_t l = r; l < m; l++) y[l] = FUSED(from[i * apart + l], v[i], y[l]);
}
#undef LANES
