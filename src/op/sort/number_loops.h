// SPDX-License-Identifier: MIT
/// Loops that make numbers of keys, for key_numbers.c, which includes this for each type. Define before including: KEY,
/// the unsigned type of the keys' bits; NUMBER, uint32_t, or uint64_t for keys of 8 bytes; IS_FLOAT; TARGET, an
/// attribute; NAME(name), the names of the loops.

#if IS_FLOAT
/// The number of a key in a total order of the bits.
TARGET static inline KEY NAME(raw)(KEY x, KEY top) {
  return (KEY)(x ^ (x & top ? (KEY) ~(KEY)0 : top));
}
/// All NaNs have the greatest number, and zeros one.
TARGET static inline KEY NAME(number)(KEY x, const weft__sort_form *f) {
  const KEY top = (KEY)f->zero, all = (KEY) ~(KEY)0, raw = NAME(raw)(x, top);
  const KEY number = raw == (KEY)(top - 1) ? top : raw;
  return (KEY)((raw < (KEY)f->least || raw > (KEY)f->most ? all : number) ^ (KEY)f->flip);
}
TARGET static bool NAME(numbers_of)(void *to, const void *from, size_t n, const weft__sort_form *f) {
  const KEY *x = from, top = (KEY)f->zero, least = (KEY)f->least, most = (KEY)f->most, flip = (KEY)f->flip;
  KEY others = 0;
  NUMBER *y = to;
  for (size_t i = 0; i < n; i++) {
    const KEY raw = NAME(raw)(x[i], top);
    others |= (KEY)((raw < least) | (raw > most) | (raw == (KEY)(top - 1)));
    y[i] = (NUMBER)(KEY)(raw ^ flip);
  }
  return others != 0;
}
TARGET static size_t NAME(count_nans)(const void *from, size_t n, const weft__sort_form *f) {
  const KEY *x = from, top = (KEY)f->zero, infinity = (KEY)(f->most - f->zero);
  NUMBER nans = 0;
  for (size_t i = 0; i < n; i++) nans += (KEY)(x[i] & (KEY)~top) > infinity;
  return nans;
}
TARGET static void NAME(keys_of)(void *to, const void *from, size_t n, const weft__sort_form *f) {
  const NUMBER *x = from, flip = (NUMBER)f->flip;
  const KEY top = (KEY)f->zero;
  KEY *y = to;
  for (size_t i = 0; i < n; i++) {
    const KEY raw = (KEY)(x[i] ^ flip);
    y[i] = (KEY)(raw ^ (raw & top ? top : (KEY) ~(KEY)0));
  }
}
#else
TARGET static inline KEY NAME(number)(KEY x, const weft__sort_form *f) {
  return (KEY)(x ^ (KEY)f->flip);
}
TARGET static bool NAME(numbers_of)(void *to, const void *from, size_t n, const weft__sort_form *f) {
  const KEY *x = from, flip = (KEY)f->flip;
  NUMBER *y = to;
  for (size_t i = 0; i < n; i++) y[i] = (NUMBER)(KEY)(x[i] ^ flip);
  return false;
}
TARGET static size_t NAME(count_nans)(const void *from, size_t n, const weft__sort_form *f) {
  (void)from, (void)n, (void)f;
  return 0;
}
TARGET static void NAME(keys_of)(void *to, const void *from, size_t n, const weft__sort_form *f) {
  const NUMBER *x = from, flip = (NUMBER)f->flip;
  KEY *y = to;
  for (size_t i = 0; i < n; i++) y[i] = (KEY)(x[i] ^ flip);
}
#endif

TARGET static void NAME(orders_of)(void *restrict to, const void *restrict from, size_t n, const weft__sort_form *f) {
  const weft__sort_form form = *f; /* may be written through `to`, for all that compilers know */
  const KEY *x = from;
  NUMBER *y = to;
  for (size_t i = 0; i < n; i++) y[i] = NAME(number)(x[i], &form);
}
TARGET static void NAME(packed_of)(uint64_t *to, const void *from, size_t n, size_t first, const weft__sort_form *f) {
  const KEY *x = from;
  for (size_t i = 0; i < n; i++) to[i] = (uint64_t)NAME(number)(x[i], f) << 32 | (uint32_t)(first + i);
}
TARGET static void NAME(pairs_of)(weft__sort_pair *to, const void *from, size_t n, size_t first,
                                  const weft__sort_form *f) {
  const KEY *x = from;
  for (size_t i = 0; i < n; i++) to[i] = (weft__sort_pair){NAME(number)(x[i], f), first + i};
}
static const weft__sort_loops NAME(loops) = {NAME(numbers_of),
                                             NAME(orders_of),
                                             NAME(count_nans),
                                             NAME(keys_of),
                                             sizeof(KEY) <= 4 ? NAME(packed_of) : NULL,
                                             NAME(pairs_of),
                                             NULL};

#undef KEY
#undef NUMBER
#undef IS_FLOAT
#undef NAME
