// SPDX-License-Identifier: MIT
/// The loop of triangular_loops.c for one dtype and one width of vectors (base/each_width.h). To define before
/// including: T, the dtype; FUSED, its fused multiplication; NAME(name), the names of its loops.
#define LANES ((int)(VECTOR_BYTES / sizeof(T)))

/// rest[row][right] of a block: what its own triangle must give.
TARGET static void NAME(find_rest)(T (*rest)[RIGHTS], const weft__triangular_task *p, ptrdiff_t first, ptrdiff_t end,
                                   ptrdiff_t right) {
  const ptrdiff_t n = p->n, begin = p->is_upper ? end : 0, done = p->is_upper ? n : first;
  const T *known = p->room, *x = p->x;
  for (ptrdiff_t r = first; r < end; r++) {
    const T *row = (const T *)p->t + r * n;
    T lane[RIGHTS * LANES] = {0};
    for (ptrdiff_t j = begin; j < done; j += LANES)
      for (int c = 0; c < RIGHTS; c++)
        for (int l = 0; l < LANES; l++)
          lane[c * LANES + l] = FUSED(row[j + l], known[c * n + j + l], lane[c * LANES + l]);
    for (int c = 0; c < RIGHTS; c++) {
      T *one = lane + c * LANES;
      for (int l = 0; l < 8 && LANES > 8; l++) one[l] += one[8 + l];
      for (int l = 0; l < 4; l++) one[l] += one[4 + l];
      const T sum = (one[0] + one[2]) + (one[1] + one[3]);
      rest[r - first][c] = right + c < p->columns ? x[r * p->columns + right + c] - sum : 0;
    }
  }
}

TARGET static void NAME(solve)(const weft__triangular_task *p) {
  const ptrdiff_t n = p->n;
  T *known = p->room, *x = p->x, rest[BLOCK][RIGHTS];
  for (ptrdiff_t right = 0; right < p->columns; right += RIGHTS)
    for (ptrdiff_t before = 0; before < n; before += BLOCK) {
      const ptrdiff_t rows = n - before < BLOCK ? n - before : BLOCK;
      const ptrdiff_t first = p->is_upper ? n - before - rows : before;
      const T *t = (const T *)p->t + first * n + first;
      NAME(find_rest)(rest, p, first, first + rows, right);
      for (ptrdiff_t s = 0; s < rows; s++) {
        const ptrdiff_t i = p->is_upper ? rows - 1 - s : s;
        const ptrdiff_t next = p->is_upper ? 0 : i + 1, end = p->is_upper ? i : rows;
        T v[RIGHTS];
        for (int c = 0; c < RIGHTS; c++) v[c] = p->is_unit ? rest[i][c] : rest[i][c] / t[i * n + i];
        for (ptrdiff_t r = next; r < end; r++)
          for (int c = 0; c < RIGHTS; c++) rest[r][c] = FUSED(-t[r * n + i], v[c], rest[r][c]);
        for (int c = 0; c < RIGHTS; c++) {
          known[c * n + first + i] = v[c];
          if (right + c < p->columns) x[(first + i) * p->columns + right + c] = v[c];
        }
      }
    }
}
#undef LANES
