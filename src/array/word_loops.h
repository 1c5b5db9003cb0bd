// SPDX-License-Identifier: MIT
/// The loops of strided_move.c (word_loops) for one size of words and one width of vectors. To define before including:
/// T, the word; NAME(name), the names of its loops; TARGET, an attribute.
#define EVERY(step) \
  for (int64_t i = 0; i < count; i++) y[i] = x[(step)*i]
TARGET static void NAME(run)(char *to, const char *from, int64_t stride, int64_t count) {
  T *restrict y = (T *)(void *)to;
  const T *x = (const T *)(const void *)from;
  switch (stride) {
    case -1:
      EVERY(-1);
      break;
    case 0:
      EVERY(0);
      break;
    case 2:
      EVERY(2);
      break;
    case 3:
      EVERY(3);
      break;
    case 4:
      EVERY(4);
      break;
    default:
      EVERY(stride);
  }
}
#undef EVERY

/// Whole vectors are stored, also over the places of the next elements, except at the end.
TARGET static void NAME(repeat)(char *to, const char *from, int64_t from_stride, int64_t rows, int64_t length) {
  const int64_t bytes = length * (int64_t)sizeof(T);
  const char *const end = to + rows * bytes;
  for (int64_t r = 0; r < rows; r++, to += bytes, from += from_stride) {
    T block[VECTOR_BYTES / sizeof(T)];
    int64_t j = 0;
    for (size_t i = 0; i < VECTOR_BYTES / sizeof(T); i++) block[i] = *(const T *)(const void *)from;
    for (; j < bytes && end - to - j >= VECTOR_BYTES; j += VECTOR_BYTES) memcpy(to + j, block, VECTOR_BYTES);
    if (j < bytes) memcpy(to + j, block, (size_t)(bytes - j));
  }
}

TARGET static void NAME(pair)(char *to, const char *x, const char *z, int64_t count) {
  T *restrict y = (T *)(void *)to;
  const T *a = (const T *)(const void *)x, *b = (const T *)(const void *)z;
  for (int64_t i = 0; i < count; i++) {
    y[2 * i] = a[i];
    y[2 * i + 1] = b[i];
  }
}

/// Elements of both halves in turns: this rotates the bits of an element's place, row and column, by one.
TARGET static inline void NAME(mix)(T *restrict y, const T *restrict x) {
  for (int i = 0; i < PLACES / 2; i++) {
    y[2 * i] = x[i];
    y[2 * i + 1] = x[PLACES / 2 + i];
  }
}

TARGET static void NAME(turn)(char *to, int64_t to_row, const char *from, int64_t from_row) {
  T a[PLACES], b[PLACES];
  for (int r = 0; r < TILE; r++) memcpy(a + TILE * r, from + r * from_row, sizeof(T) * TILE);
  NAME(mix)(b, a);
  NAME(mix)(a, b);
  NAME(mix)(b, a);
  NAME(mix)(a, b);
  for (int r = 0; r < TILE; r++) memcpy(to + r * to_row, a + TILE * r, sizeof(T) * TILE);
}
#undef NAME
#undef T
