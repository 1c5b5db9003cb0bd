// SPDX-License-Identifier: MIT
/// Loops over ordered elements, for ordered_host.c, which includes this for each type and width of vectors. To define
/// before including: T, the type of the elements, and KEY, the type in which they are compared; KIND; TARGET, an
/// attribute; NAME(name), the names of the loops. NaN comes after all numbers, and 0 equals -0.

/* LOAD(x): the key of an element, which may be in a KEY, by `form`; EQUAL: no NaN equals one */
#if KIND == WHOLE
#define LOAD(x) ((KEY)(T)((T)(x) ^ (T)form)) /* form: the sign's bit of signed integers */
#define LESS(a, b) ((a) < (b))
#define EQUAL(a, b) ((a) == (b))
#elif KIND == NUMBERED /* as integers: LOAD */
#define LESS(a, b) ((a) < (b))
#define EQUAL(a, b) (((a) == (b)) & ((a) < HALF_NAN))
#elif KIND == REAL
#define LOAD(x) (x)
#define LESS(a, b) (!((a) >= (b)) & ((a) == (a)))
#define EQUAL(a, b) ((a) == (b))
#else
#define LOAD(x) (x)
#define LESS(a, b) weft__complex_less((a).re, (a).im, (b).re, (b).im)
#define EQUAL(a, b) (((a).re == (b).re) & ((a).im == (b).im))
#endif

TARGET static inline bool NAME(is_before)(KEY element, KEY value, bool right) {
  return right ? !LESS(value, element) : LESS(element, value);
}

/// The places of values that are in order, each found from the one before by doubled steps. Returns how many are.
TARGET static inline size_t NAME(search_in_order)(int64_t *place, const T *x, size_t length, const T *values, size_t n,
                                                  bool right, uint64_t form) {
  (void)form;
  size_t at = 0, i = 0;
  for (; i < n; i++) {
    const KEY value = LOAD(values[i]);
    if (i > 0 && LESS(value, LOAD(values[i - 1]))) break;
    size_t step = i > 0 || length == 0 ? 1 : length;
    for (; at + step <= length && NAME(is_before)(LOAD(x[at + step - 1]), value, right); step *= 2) at += step;
    for (size_t left = length - at < step - 1 ? length - at : step - 1, part; left > 0; left -= part) {
      part = (left + 1) / 2;
      at += NAME(is_before)(LOAD(x[at + part - 1]), value, right) ? part : 0;
    }
    place[i] = (int64_t)at;
  }
  return i;
}

/// The places of n values in any order, at most WEFT__SEARCH_FOUND. The reads of one search wait for each other, the
/// reads of several searches do not; a step has no branch, which could not be predicted.
TARGET static inline void NAME(search_apart)(int64_t *place, const T *x, size_t length, const T *values, size_t n,
                                             bool right, uint64_t form) {
  (void)form;
  KEY value[WEFT__SEARCH_FOUND], element[WEFT__SEARCH_FOUND];
  uint32_t at[WEFT__SEARCH_FOUND] = {0};
  for (size_t k = 0; k < n; k++) value[k] = LOAD(values[k]);
  for (size_t k = n; k < WEFT__SEARCH_FOUND; k++) value[k] = value[0];
  for (uint32_t left = (uint32_t)length, part; left > 0; left -= part) {
    part = (left + 1) / 2;
#if HAS_GATHER
    if (sizeof(T) <= 8 && length >= 4)
      WIDTH(weft__gather)(element, x, at, part - 1, sizeof(T));
    else
#endif
      for (size_t k = 0; k < WEFT__SEARCH_FOUND; k++) element[k] = x[at[k] + part - 1];
    for (size_t k = 0; k < WEFT__SEARCH_FOUND; k++)
      at[k] += part & -(uint32_t)NAME(is_before)(LOAD(element[k]), value[k], right);
  }
  for (size_t k = 0; k < n; k++) place[k] = at[k];
}

TARGET static inline void NAME(search)(int64_t *place, const T *x, size_t length, const T *values, size_t n, bool right,
                                       uint64_t form) {
  size_t i = NAME(search_in_order)(place, x, length, values, n, right, form);
  for (size_t some; i < n; i += some) {
    const bool is_alone = n - i < WEFT__SEARCH_ALONE || length > INT32_MAX;
    some = is_alone ? 1 : n - i < WEFT__SEARCH_FOUND ? n - i : WEFT__SEARCH_FOUND;
    if (is_alone)
      NAME(search_in_order)(place + i, x, length, values + i, 1, right, form);
    else
      NAME(search_apart)(place + i, x, length, values + i, some, right, form);
  }
}
TARGET static void NAME(search_left)(int64_t *place, const void *ordered, size_t length, const void *values, size_t n,
                                     uint64_t form) {
  NAME(search)(place, ordered, length, values, n, false, form);
}
TARGET static void NAME(search_right)(int64_t *place, const void *ordered, size_t length, const void *values, size_t n,
                                      uint64_t form) {
  NAME(search)(place, ordered, length, values, n, true, form);
}

/// Whether values are in the array, by their places. A value that all elements come before is not its last one.
TARGET static void NAME(are_in)(uint8_t *to, const int64_t *place, const void *ordered, size_t length,
                                const void *values, size_t n, uint64_t form) {
  (void)form;
  const T *x = ordered, *value = values;
  const int64_t last = (int64_t)length - 1;
  size_t i = 0;
#if HAS_GATHER
  for (; sizeof(T) <= 8 && length >= 4 && length <= INT32_MAX && i + WEFT__SEARCH_FOUND <= n; i += WEFT__SEARCH_FOUND) {
    KEY element[WEFT__SEARCH_FOUND];
    uint32_t at[WEFT__SEARCH_FOUND];
    for (size_t k = 0; k < WEFT__SEARCH_FOUND; k++) at[k] = (uint32_t)(place[i + k] < last ? place[i + k] : last);
    WIDTH(weft__gather)(element, x, at, 0, sizeof(T));
    for (size_t k = 0; k < WEFT__SEARCH_FOUND; k++) {
      const KEY a = LOAD(element[k]), b = LOAD(value[i + k]);
      to[i + k] = EQUAL(a, b);
    }
  }
#endif
  for (; i < n; i++) {
    const KEY a = LOAD(x[place[i] < last ? place[i] : last]), b = LOAD(value[i]);
    to[i] = EQUAL(a, b);
  }
}

#if KIND == WHOLE
/// The bits of a table of all integers from the array's first to its last one; 0: `most` or more.
TARGET static size_t NAME(table_bits)(const void *ordered, size_t length, size_t most, uint64_t form) {
  const T *x = ordered;
  const KEY apart = (KEY)(LOAD(x[length - 1]) - LOAD(x[0]));
  return apart < most ? (size_t)apart + 1 : 0;
}
/// Makes the words first to end - 1 of the table.
TARGET static void NAME(fill_table)(uint32_t *table, size_t first, size_t end, const void *ordered, size_t length,
                                    uint64_t form) {
  const T *x = ordered;
  const KEY least = LOAD(x[0]);
  const T value = LOAD((T)(least + 32 * first)); /* loaded twice it is itself */
  int64_t at;
  memset(table + first, 0, (end - first) * sizeof *table);
  NAME(search_left)(&at, x, length, &value, 1, form);
  for (size_t i = (size_t)at; i < length; i++) {
    const size_t bit = (KEY)(LOAD(x[i]) - least);
    if (bit >= 32 * end) break;
    table[bit / 32] |= UINT32_C(1) << bit % 32;
  }
}
/// Whether values are in the array, by its table.
TARGET static void NAME(look_up)(uint8_t *to, const uint32_t *table, size_t bits, const void *ordered,
                                 const void *values, size_t n, uint64_t form) {
  const T *value = values;
  const KEY least = LOAD(*(const T *)ordered), last = (KEY)(bits - 1);
  size_t i = 0;
#if HAS_GATHER
  for (; i + WEFT__SEARCH_FOUND <= n; i += WEFT__SEARCH_FOUND) {
    uint32_t at[WEFT__SEARCH_FOUND], word[WEFT__SEARCH_FOUND], shift[WEFT__SEARCH_FOUND];
    for (size_t k = 0; k < WEFT__SEARCH_FOUND; k++) {
      const KEY bit = (KEY)(LOAD(value[i + k]) - least);
      at[k] = (uint32_t)(bit < last ? bit : last) / 32;
      shift[k] = bit <= last ? (uint32_t)bit % 32 : 32;
    }
    WIDTH(weft__gather)(word, table, at, 0, sizeof *table);
    for (size_t k = 0; k < WEFT__SEARCH_FOUND; k++) to[i + k] = (uint8_t)(((uint64_t)word[k] >> shift[k]) & 1);
  }
#endif
  for (; i < n; i++) {
    const KEY bit = (KEY)(LOAD(value[i]) - least), at = bit < last ? bit : last;
    to[i] = (uint8_t)((table[at / 32] >> at % 32 & 1) & (bit <= last));
  }
}
#endif

/// How many of the first `count` elements of the merged arrays are of a.
TARGET static size_t NAME(path)(const T *a, size_t n, const T *b, size_t m, size_t count, uint64_t form) {
  (void)form;
  size_t low = count > m ? count - m : 0, high = count < n ? count : n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (LESS(LOAD(b[count - 1 - middle]), LOAD(a[middle])))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}
/// The elements first to end - 1 of the merged arrays. Among equal elements a's come first.
TARGET static void NAME(merge)(void *to, const void *a_from, size_t n, const void *b_from, size_t m, size_t first,
                               size_t end, uint64_t form) {
  const T *a = a_from, *b = b_from;
  T *y = (T *)to + first;
  size_t i = NAME(path)(a, n, b, m, first, form), j = first - i;
  const size_t i_end = NAME(path)(a, n, b, m, end, form), j_end = end - i_end;
  while (i < i_end && j < j_end) {
    const T x = a[i], z = b[j];
    const bool is_b = LESS(LOAD(z), LOAD(x));
    *y++ = is_b ? z : x;
    i += !is_b;
    j += is_b;
  }
  if (i < i_end) memcpy(y, a + i, (i_end - i) * sizeof(T));
  if (j < j_end) memcpy(y, b + j, (j_end - j) * sizeof(T));
}

TARGET static bool NAME(is_sorted)(const void *from, size_t pairs, bool falling, bool strict, uint64_t form) {
  /* wrong: of a strict order, a pair whose first element is not less; else one whose second element is */
  const T *const x = (const T *)from + (falling == strict), *const y = (const T *)from + (falling != strict);
  (void)form;
  for (size_t i = 0, n; i < pairs; i += n) {
    uint8_t is_wrong = 0;
    n = pairs - i < WEFT__ORDERED_BLOCK ? pairs - i : WEFT__ORDERED_BLOCK;
    for (size_t k = i; k < i + n; k++) is_wrong |= (uint8_t)(LESS(LOAD(x[k]), LOAD(y[k])) != strict);
    if (is_wrong) return false;
  }
  return true;
}

static const weft__ordered_loops NAME(loops) = {
    .search = {NAME(search_left), NAME(search_right)},
    .are_in = NAME(are_in),
    .merge = NAME(merge),
    .is_sorted = NAME(is_sorted),
#if KIND == WHOLE
    .table_bits = NAME(table_bits),
    .fill_table = NAME(fill_table),
    .look_up = NAME(look_up),
#endif
};

#undef KIND
#undef T
#undef KEY
#undef LOAD
#undef LESS
#undef EQUAL
#undef NAME
