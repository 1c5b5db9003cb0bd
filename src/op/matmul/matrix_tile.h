// SPDX-License-Identifier: MIT
/// A tile of matrix_loop.h: adds up products of TILE_ROWS rows, which begin at row[r], and TILE_VECTORS vectors of
/// columns. To define before including, beside what matrix_loop.h needs: TILE, the function's name, and these two.
TARGET static void TILE(T *restrict out, ptrdiff_t apart, const T *const *restrict row, const T *restrict b,
                        ptrdiff_t b_row, ptrdiff_t k, bool adds) {
  FUSES
  NAME(vector) sum[TILE_ROWS][TILE_VECTORS];
  const T *x[TILE_ROWS];
  UNROLL for (int r = 0; r < TILE_ROWS; r++) {
    x[r] = row[r];
    UNROLL for (int v = 0; v < TILE_VECTORS; v++) {
      sum[r][v] = (NAME(vector)){0};
      __builtin_prefetch(out + r * apart + v * LANES, 1);
    }
  }
  for (ptrdiff_t l = 0; l < k; l++, b += b_row) {
    NAME(vector) y[TILE_VECTORS];
    UNROLL for (int v = 0; v < TILE_VECTORS; v++) y[v] = *(const NAME(vector) *)(const void *)(b + v * LANES);
    UNROLL for (int r = 0; r < TILE_ROWS; r++) UNROLL for (int v = 0; v < TILE_VECTORS; v++) sum[r][v] +=
        x[r][l] * y[v];
  }
  UNROLL for (int r = 0; r < TILE_ROWS; r++) UNROLL for (int v = 0; v < TILE_VECTORS; v++) {
    NAME(vector) *to = (NAME(vector) *)(void *)(out + r * apart + v * LANES);
    if (adds) sum[r][v] += *to;
    *to = sum[r][v];
  }
}
#undef TILE
#undef TILE_ROWS
#undef TILE_VECTORS
