// SPDX-License-Identifier: MIT
/// Checks of a matrix's arrays (weft__csr_checks), for build_host.c. Define before including: TARGET, an attribute;
/// NAME(name), the functions' names; T and U, the indices' integers, signed and unsigned; G and H, those that are given
/// as indptr or rows.

TARGET static bool NAME(columns)(int64_t *falls, const void *columns, int64_t count, int64_t width) {
  const T *column = columns;
  U outside = count > 0 && (U)column[0] >= (U)width;
  int64_t k = 1;
  for (; k + WEFT__CSR_BLOCK <= count; k += WEFT__CSR_BLOCK) {
    U fell = 0;
    for (int i = 0; i < WEFT__CSR_BLOCK; i++) {
      outside |= (U)((U)column[k + i] >= (U)width);
      fell += (U)(column[k + i] <= column[k + i - 1]);
    }
    *falls += (int64_t)fell;
  }
  for (; k < count; k++) {
    outside |= (U)((U)column[k] >= (U)width);
    *falls += column[k] <= column[k - 1];
  }
  return outside == 0;
}

TARGET static bool NAME(rows)(int64_t *falls, void *to, const void *indptr, int64_t rows, const void *columns,
                              int64_t count) {
  const G *start = indptr;
  const T *column = columns;
  T *copy = to;
  bool rises = start[0] == 0 && start[rows] == (G)count;
  for (int64_t r = 0; r < rows && rises; r++) rises = start[r] <= start[r + 1];
  for (int64_t r = 0; r <= rows && rises; r++) {
    const int64_t at = (int64_t)start[r];
    copy[r] = (T)at;
    if (r < rows && at > 0 && at < (int64_t)start[r + 1]) *falls -= column[at] <= column[at - 1];
  }
  return rises;
}

TARGET static bool NAME(places)(void *indptr, const void *rows_of, const void *columns, int64_t count, int64_t rows,
                                int64_t width) {
  const G *row = rows_of;
  const T *column = columns;
  T *start = indptr;
  int wrong = (H)row[0] >= (H)rows || (U)column[0] >= (U)width;
  int64_t k = 1;
  for (; k < count && !wrong; k += WEFT__CSR_BLOCK)
    for (int64_t i = k; i < (k + WEFT__CSR_BLOCK < count ? k + WEFT__CSR_BLOCK : count); i++)
      wrong |= ((H)row[i] >= (H)rows) | ((U)column[i] >= (U)width) | (row[i] < row[i - 1]) |
               ((row[i] == row[i - 1]) & (column[i] <= column[i - 1]));
  int64_t next = 0; /* the first row whose beginning is not known */
  for (k = 0; k < count && !wrong; k++)
    for (; next <= (int64_t)row[k]; next++) start[next] = (T)k;
  for (; next <= rows && !wrong; next++) start[next] = (T)count;
  return !wrong;
}

#undef T
#undef U
#undef G
#undef H
#undef NAME
