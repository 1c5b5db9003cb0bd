// SPDX-License-Identifier: MIT
/// Products on the host by tiles, for product_host.c. Define before including: TARGET, an attribute; NAME(name), the
/// functions' names; T, the type of elements; INDEX(p, k), number k of the indices or of indptr at p; IS_VECTOR: x is
/// one. If they differ: A, the type of sums, with LOAD(x) and STORE(sum), an element as a sum and back; PLUS(a, b) and
/// TIMES(a, b), where they are no operators. Numbers that vectors hold also: VECTOR_BYTES.
#ifdef A
#define IS_PLAIN 0
#else
#define A T
#define IS_PLAIN 1
#define LOAD(x) (x)
#define STORE(sum) (sum)
#endif
#ifndef PLUS
#define PLUS(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))
#endif

TARGET static inline void NAME(put)(const weft__csr_work *w, int64_t row, int64_t column, A sum) {
  const weft__csr_product *t = w->t;
  T *to = (T *)w->to + row * t->to_row + column * t->to_column;
  A factor;
  if (t->flags & CSR_SCALES) {
    memcpy(&factor, t->scale, sizeof factor);
    sum = TIMES(factor, sum);
  }
  if (t->flags & CSR_ACCUMULATES) {
    memcpy(&factor, t->accumulate, sizeof factor);
    sum = PLUS(sum, TIMES(factor, LOAD(*to)));
  }
  *to = STORE(sum);
}

#if !IS_VECTOR
/// Sums of the elements from `from` to before `end` times the columns of x from `first` on, WEFT__CSR_COLUMNS or less.
TARGET static inline void NAME(add_rows)(A *sum, const weft__csr_work *w, int64_t from, int64_t end, int64_t first) {
  const T *data = (const T *)w->data, *x = (const T *)w->x + first;
  const int64_t n = w->t->n, width = n - first;
  for (int c = 0; c < WEFT__CSR_COLUMNS; c++) sum[c] = (A){0};
  for (int64_t k = from; k < end; k++) {
    const A value = LOAD(data[k]);
    const T *row = x + INDEX(w->column, k) * n;
    for (int c = 0; c < (width < WEFT__CSR_COLUMNS ? width : WEFT__CSR_COLUMNS); c++)
      sum[c] = PLUS(sum[c], TIMES(value, LOAD(row[c])));
  }
}

#ifdef VECTOR_BYTES
/// add_rows for WEFT__CSR_COLUMNS columns.
TARGET static inline void NAME(add_vectors)(A *to, const weft__csr_work *w, int64_t from, int64_t end, int64_t first) {
  typedef A vector __attribute__((vector_size(VECTOR_BYTES)));
  enum { IN_VECTOR = VECTOR_BYTES / sizeof(A), VECTORS = WEFT__CSR_COLUMNS / IN_VECTOR };
  const T *data = (const T *)w->data, *x = (const T *)w->x + first;
  const int64_t n = w->t->n;
  vector sum[VECTORS] = {{0}};
  for (int64_t k = from; k < end; k++) {
    const A value = LOAD(data[k]);
    const T *row = x + INDEX(w->column, k) * n;
    for (int v = 0; v < VECTORS; v++) {
      vector one;
      A room[IN_VECTOR];
      for (int c = 0; c < IN_VECTOR; c++) room[c] = LOAD(row[v * IN_VECTOR + c]);
      memcpy(&one, IS_PLAIN ? (const void *)(row + v * IN_VECTOR) : room, sizeof one);
      sum[v] = PLUS(sum[v], TIMES(value, one));
    }
  }
  memcpy(to, sum, sizeof sum);
}
#endif
#endif

/// Stores the sums of the row's elements from `from` to before `end`: in `part`, a sum for each column, or as the
/// result's row.
TARGET static inline void NAME(add_up)(const weft__csr_work *w, A *part, int64_t row, int64_t from, int64_t end) {
#if IS_VECTOR
  const T *data = (const T *)w->data, *x = (const T *)w->x;
  A sum[4] = {0};
  int64_t k = from;
  for (; k + 4 <= end; k += 4)
    for (int j = 0; j < 4; j++) sum[j] = PLUS(sum[j], TIMES(LOAD(data[k + j]), LOAD(x[INDEX(w->column, k + j)])));
  for (; k < end; k++) sum[0] = PLUS(sum[0], TIMES(LOAD(data[k]), LOAD(x[INDEX(w->column, k)])));
  sum[0] = PLUS(PLUS(sum[0], sum[1]), PLUS(sum[2], sum[3]));
  if (part)
    *part = sum[0];
  else
    NAME(put)(w, row, 0, sum[0]);
#else
  const int64_t n = w->t->n;
  for (int64_t first = 0, width; first < n; first += width) {
    A sum[WEFT__CSR_COLUMNS];
    width = n - first < WEFT__CSR_COLUMNS ? n - first : WEFT__CSR_COLUMNS;
#ifdef VECTOR_BYTES
    if (width == WEFT__CSR_COLUMNS)
      NAME(add_vectors)(sum, w, from, end, first);
    else
#endif
      NAME(add_rows)(sum, w, from, end, first);
    for (int64_t c = 0; c < width && part; c++) part[first + c] = sum[c];
    for (int64_t c = 0; c < width && !part; c++) NAME(put)(w, row, first + c, sum[c]);
  }
#endif
}

/// Tiles `tile` to before `end_tile`.
TARGET static void NAME(tiles)(const weft__csr_work *w, int64_t tile, int64_t end_tile) {
  const int64_t rows = w->t->rows, items = rows + w->t->count, n = w->t->n;
  int64_t row = weft__csr_rows_before(w, tile * WEFT__CSR_HOST_TILE), element = tile * WEFT__CSR_HOST_TILE - row;
  for (; tile < end_tile; tile++) {
    const int64_t behind = (tile + 1) * WEFT__CSR_HOST_TILE < items ? (tile + 1) * WEFT__CSR_HOST_TILE : items;
    bool begins_inside = row < rows && INDEX(w->indptr, row) < element;
    w->head_row[tile] = -1;
    for (int64_t end; row < rows && (end = INDEX(w->indptr, row + 1)) + row < behind; row++) {
      if (begins_inside) w->head_row[tile] = row;
      NAME(add_up)(w, begins_inside ? (A *)w->heads + tile * n : NULL, row, element, end);
      begins_inside = false;
      element = end;
    }
    NAME(add_up)(w, (A *)w->tails + tile * n, row, element, behind - row);
    element = behind - row;
  }
}

/// Stores the rows that end in another tile than the one they begin in.
TARGET static void NAME(join)(const weft__csr_work *w, int64_t tiles) {
  const int64_t n = w->t->n;
  for (int64_t tile = 1; tile < tiles; tile++) {
    const int64_t row = w->head_row[tile];
    if (row < 0) continue;
    for (int64_t c = 0; c < n; c++) {
      A sum = {0};
      for (int64_t k = (INDEX(w->indptr, row) + row) / WEFT__CSR_HOST_TILE; k < tile; k++)
        sum = PLUS(sum, ((const A *)w->tails)[k * n + c]);
      NAME(put)(w, row, c, PLUS(sum, ((const A *)w->heads)[tile * n + c]));
    }
  }
}

#undef NAME
#undef T
#undef A
#undef LOAD
#undef STORE
#undef PLUS
#undef TIMES
#undef IS_PLAIN
#undef VECTOR_BYTES
