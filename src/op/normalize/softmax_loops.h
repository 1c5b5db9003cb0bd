// SPDX-License-Identifier: MIT
/// Rows on the host, for rows_host.c. Define before including: TARGET, an attribute; NAME(name), the functions' names;
/// T and N, the types of elements and of what is computed; LOAD(x) and STORE(x), an element as a number and back; and
/// ROOT, the square root of an N. ALL(step) does the step for each element `at` of n, whose lane is `l`.
#define BLOCK (WEFT__NORMALIZE_BYTES / (int)sizeof(N))

/// Adds up the lanes, by halves.
TARGET static N NAME(total)(N *lane) {
  for (int half = NORMALIZE_LANES / 2; half > 0; half /= 2)
    for (int l = 0; l < half; l++) lane[l] += lane[l + half];
  return lane[0];
}

TARGET static void NAME(add)(N *lane, const N *x, size_t n){ALL(lane[l] += x[at])}

/// The sum of the elements, in the lanes' order; lanes that no element of a short row has are left out.
TARGET static N NAME(sum)(const N *x, size_t n) {
  N lane[NORMALIZE_LANES];
  size_t half = 1;
  if (n < 2) return x[0];
  if (n > NORMALIZE_LANES) {
    memset(lane, 0, sizeof lane);
    NAME(add)(lane, x, n);
    return NAME(total)(lane);
  }
  while (2 * half < n) half *= 2;
  for (size_t l = 0; l < half; l++) lane[l] = l + half < n ? x[l] + x[l + half] : x[l];
  for (half /= 2; half > 0; half /= 2)
    for (size_t l = 0; l < half; l++) lane[l] += lane[l + half];
  return lane[0];
}

TARGET static N NAME(most)(const T *x, size_t n) {
  N most[NORMALIZE_LANES];
  most[0] = -INFINITY;
  if (n <= NORMALIZE_LANES) {
    for (size_t k = 0; k < n; k++) most[0] = LOAD(x[k]) > most[0] ? LOAD(x[k]) : most[0];
    return most[0];
  }
  for (int l = 1; l < NORMALIZE_LANES; l++) most[l] = -INFINITY;
  ALL(most[l] = LOAD(x[at]) > most[l] ? LOAD(x[at]) : most[l])
  for (int l = 1; l < NORMALIZE_LANES; l++) most[0] = most[l] > most[0] ? most[l] : most[0];
  return most[0];
}

/// What is subtracted before powers are taken: of infinite maxima the logarithms of sums need nothing, softmax's result
/// is NaN.
TARGET static N NAME(shift)(const T *x, size_t n, bool is_softmax) {
  const N most = NAME(most)(x, n);
  return is_softmax || isfinite(most) ? most : 0;
}

/// y[k] = f(x[k]) by a loop for whole blocks: x has room for them, and gets `rest` behind its n elements.
TARGET static void NAME(apply)(weft__host_loop *f, N *y, N *x, size_t n, N rest) {
  const void *const from[WEFT__HOST_FORMULA_OPERANDS] = {x, x, x};
  for (; n % WEFT__HOST_FORMULA_BLOCK != 0; n++) x[n] = rest;
  f(y, from, n, 0);
}

TARGET static void NAME(less)(N *to, const T *x, size_t n, N shift) {
  for (size_t k = 0; k < n; k++) to[k] = LOAD(x[k]) - shift;
}

TARGET static void NAME(put_less)(T *to, const N *x, size_t n, N of) {
  for (size_t k = 0; k < n; k++) to[k] = (T)STORE(x[k] - of);
}

TARGET static void NAME(put_quotients)(T *to, const N *x, size_t n, N of) {
  for (size_t k = 0; k < n; k++) to[k] = (T)STORE(x[k] / of);
}

/// Rows that fit a block together: functions are applied to all of them at once.
TARGET static void NAME(short_rows)(const weft__normalize_work *w, size_t row, size_t rows) {
  const size_t n = w->t->length;
  const T *x = (const T *)w->x + row * n;
  T *y = (T *)w->y + row * (w->function == WEFT__NORMALIZE_LOGSUMEXP ? 1 : n);
  N shift[BLOCK], less[BLOCK], power[BLOCK], sum[BLOCK];
  for (size_t r = 0; r < rows; r++) {
    shift[r] = NAME(shift)(x + r * n, n, w->function == WEFT__NORMALIZE_SOFTMAX);
    NAME(less)(less + r * n, x + r * n, n, shift[r]);
  }
  NAME(apply)(w->exp, power, less, rows * n, 0);
  for (size_t r = 0; r < rows; r++) sum[r] = NAME(sum)(power + r * n, n);
  if (w->function == WEFT__NORMALIZE_SOFTMAX) {
    for (size_t r = 0; r < rows; r++) NAME(put_quotients)(y + r * n, power + r * n, n, sum[r]);
    return;
  }
  NAME(apply)(w->log, power, sum, rows, 1);
  for (size_t r = 0; r < rows; r++)
    if (w->function == WEFT__NORMALIZE_LOGSUMEXP)
      y[r] = (T)STORE(shift[r] + power[r]);
    else
      NAME(put_less)(y + r * n, less + r * n, n, power[r]);
}

/// A longer row, block by block. The powers are kept where the result will be, if its elements can hold them.
TARGET static void NAME(long_row)(const weft__normalize_work *w, size_t row) {
  const size_t n = w->t->length;
  const bool is_softmax = w->function == WEFT__NORMALIZE_SOFTMAX, keeps = is_softmax && sizeof(T) == sizeof(N);
  const T *x = (const T *)w->x + row * n;
  T *y = (T *)w->y + row * (w->function == WEFT__NORMALIZE_LOGSUMEXP ? 1 : n);
  N less[BLOCK], power[BLOCK], lane[NORMALIZE_LANES] = {0}, log[WEFT__HOST_FORMULA_BLOCK];
  const N shift = NAME(shift)(x, n, is_softmax);
  for (size_t at = 0, m; at < n; at += m) {
    m = n - at < BLOCK ? n - at : BLOCK;
    NAME(less)(less, x + at, m, shift);
    NAME(apply)(w->exp, power, less, m, 0);
    NAME(add)(lane, power, m);
    if (keeps) memcpy(y + at, power, m * sizeof *y);
  }
  const N sum = NAME(total)(lane);
  lane[0] = sum;
  if (!is_softmax) NAME(apply)(w->log, log, lane, 1, 1);
  if (w->function == WEFT__NORMALIZE_LOGSUMEXP) {
    *y = (T)STORE(shift + log[0]);
    return;
  }
  if (keeps) {
    for (size_t k = 0; k < n; k++) y[k] = (T)STORE(LOAD(y[k]) / sum);
    return;
  }
  for (size_t at = 0, m; at < n; at += m) {
    m = n - at < BLOCK ? n - at : BLOCK;
    NAME(less)(less, x + at, m, shift);
    if (!is_softmax) {
      NAME(put_less)(y + at, less, m, log[0]);
      continue;
    }
    NAME(apply)(w->exp, power, less, m, 0);
    NAME(put_quotients)(y + at, power, m, sum);
  }
}

TARGET static void NAME(by_powers)(const weft__normalize_work *w, size_t begin, size_t end) {
  const size_t n = w->t->length, most = n <= BLOCK ? BLOCK / n : 1;
  for (size_t row = begin, rows; row < end; row += rows) {
    rows = end - row < most ? end - row : most;
    if (n <= BLOCK)
      NAME(short_rows)(w, row, rows);
    else
      NAME(long_row)(w, row);
  }
}

/// Sums of distances from `origin`, or of their squares.
TARGET static N NAME(sum_apart)(const T *x, size_t n, N origin, bool squares) {
  N lane[NORMALIZE_LANES];
  if (n <= NORMALIZE_LANES) {
    for (size_t k = 0; k < n; k++) {
      const N apart = LOAD(x[k]) - origin;
      lane[k] = squares ? apart * apart : apart;
    }
    return NAME(sum)(lane, n);
  }
  memset(lane, 0, sizeof lane);
  if (squares)
    ALL(lane[l] += (LOAD(x[at]) - origin) * (LOAD(x[at]) - origin))
  else
    ALL(lane[l] += LOAD(x[at]) - origin)
  return NAME(total)(lane);
}

TARGET static void NAME(standardize)(const weft__normalize_work *w, size_t begin, size_t end) {
  const size_t n = w->t->length;
  const N divisor = (N)w->t->divisor, epsilon = (N)w->t->epsilon;
  for (size_t row = begin; row < end; row++) {
    const T *x = (const T *)w->x + row * n;
    T *y = (T *)w->y + row * n;
    const N first = LOAD(x[0]); /* equal elements have exactly their mean, if distances from it are added up */
    const N mean = first + NAME(sum_apart)(x, n, first, false) / (N)n;
    const N deviation = ROOT(NAME(sum_apart)(x, n, mean, true) / divisor + epsilon);
    for (size_t k = 0; k < n; k++) y[k] = (T)STORE((LOAD(x[k]) - mean) / deviation);
  }
}

#undef BLOCK
#undef T
#undef N
#undef LOAD
#undef STORE
#undef ROOT
#undef NAME
