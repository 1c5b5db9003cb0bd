// SPDX-License-Identifier: MIT
/// Loops over numbers of one type, that find the number of a rank. Define before including: T, uint32_t or uint64_t; S,
/// its signed type; NAME(name), the names of the loops; TARGET, an attribute.
///
/// AVX2 compares signed numbers alone.
#define SIGNED(x) ((S)((x) ^ ((T)1 << (8 * sizeof(T) - 1))))

TARGET static size_t NAME(between)(void *to, size_t *inside, const void *numbers, size_t n, const uint64_t bound[2]) {
  const T *restrict x = numbers, least = (T)bound[0], span = (T)(bound[1] - bound[0]);
  T *restrict y = to;
  size_t kept = *inside;
  T below = 0;
  for (size_t i = 0; i < n; i++) {
    y[kept] = x[i];
    kept += (T)(x[i] - least) <= span;
  }
  for (size_t i = 0; i < n; i++) below += SIGNED(x[i]) < SIGNED(least);
  *inside = kept;
  return (size_t)below;
}

TARGET static void NAME(extent)(T bound[2], const T *x, size_t n) {
  T least = x[0], most = x[0];
  for (size_t i = 1; i < n; i++) {
    least = x[i] < least ? x[i] : least;
    most = x[i] > most ? x[i] : most;
  }
  bound[0] = least;
  bound[1] = most;
}

/// Counts the numbers in at most WEFT__RANK_BINS bins of 2^shift, and returns the bin of the rank. *lesser: numbers in
/// the bins before.
TARGET static T NAME(bin_of)(size_t *lesser, size_t rank, const T *x, size_t n, T least, int shift) {
  uint32_t count[WEFT__RANK_BINS];
  size_t before = 0;
  T bin = 0;
  memset(count, 0, (n <= WEFT__RANK_BINS ? WEFT__RANK_FEW_BINS : WEFT__RANK_BINS) * sizeof *count);
  for (size_t i = 0; i < n; i++) count[(T)(x[i] - least) >> shift]++;
  for (; rank - before >= count[bin]; bin++) before += count[bin];
  *lesser = before;
  return bin;
}

/// The least number above `most`, which some are.
TARGET static T NAME(least_above)(const T *x, size_t n, T most) {
  T least = (T) ~(T)0;
  for (size_t i = 0; i < n; i++) {
    const T apart = (T)(x[i] - most - 1); /* of those above less than of any other */
    least = apart < least ? apart : least;
  }
  return (T)(least + most + 1);
}

/// Keeps the numbers from `least` to `most`. (GCC makes vectors of single numbers where it is part of another loop.)
__attribute__((noinline)) TARGET static size_t NAME(keep)(T *x, size_t n, T least, T most) {
  const T span = (T)(most - least);
  size_t kept = 0;
  for (size_t i = 0; i < n; i++) {
    const T one = x[i];
    x[kept] = one;
    kept += (T)(one - least) <= span;
  }
  return kept;
}

/// Numbers are counted in bins of one width, and the numbers of the rank's bin again, until they are equal.
TARGET static void NAME(select)(weft__rank_found *f, void *numbers, size_t n, size_t rank) {
  T *x = numbers, next = (T) ~(T)0;
  const size_t all = n;
  size_t lesser = 0;
  for (;;) {
    const T bins = n <= WEFT__RANK_BINS ? WEFT__RANK_FEW_BINS : WEFT__RANK_BINS;
    T bound[2];
    int shift = 0;
    NAME(extent)(bound, x, n);
    if (bound[0] == bound[1]) break;
    while ((T)(bound[1] - bound[0]) >> shift >= bins) shift++;
    size_t before;
    const T bin = NAME(bin_of)(&before, rank - lesser, x, n, bound[0], shift);
    const T least = (T)(bound[0] + (bin << shift)), last = (T)(least + (((T)1 << shift) - 1));
    const T most = last < bound[1] ? last : bound[1];
    if (most < bound[1]) next = NAME(least_above)(x, n, most);
    lesser += before;
    n = NAME(keep)(x, n, least, most);
  }
  *f = (weft__rank_found){.number = x[0], .lesser = lesser, .equal = n, .next = next, .has_next = lesser + n < all};
}

TARGET static void NAME(compare)(weft__rank_found *f, const void *numbers, size_t n, uint64_t number) {
  const T *x = numbers, bound = (T)number;
  T less = 0, same = 0;
  for (size_t i = 0; i < n; i++) {
    less += SIGNED(x[i]) < SIGNED(bound);
    same += x[i] == bound;
  }
  *f = (weft__rank_found){.number = number, .lesser = (size_t)less, .equal = (size_t)same};
  f->has_next = f->lesser + f->equal < n;
  if (f->has_next) f->next = NAME(least_above)(x, n, bound);
}

TARGET static bool NAME(any)(const void *numbers, uint64_t number, bool greatest) {
  const T *x = numbers, bound = (T)number;
  T beyond = 0, before = 0;
  for (size_t i = 0; i < WEFT__RANK_GROUP; i++) {
    beyond |= (T)(SIGNED(x[i]) >= SIGNED(bound));
    before |= (T)(SIGNED(x[i]) <= SIGNED(bound));
  }
  return greatest ? beyond : before;
}

TARGET static void NAME(classes)(uint8_t *classes, const void *numbers, size_t n, uint64_t number) {
  const T *x = numbers, bound = (T)number;
  for (size_t i = 0; i < n; i++)
    classes[i] = (uint8_t)(classes[i] + (SIGNED(x[i]) >= SIGNED(bound)) + (SIGNED(x[i]) > SIGNED(bound)));
}

static const weft__rank_loops NAME(loops) = {NAME(between), NAME(select), NAME(compare), NAME(any), NAME(classes)};

#undef SIGNED
