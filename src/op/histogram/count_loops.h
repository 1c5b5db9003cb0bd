// SPDX-License-Identifier: MIT
/// Loops over values of one type, for count_types.h. Define before including: V, the type; K, an integer as wide;
/// IS_FLOAT; TARGET, an attribute; NAME(name), the loops' names.

/// Elements of the dtype as values.
TARGET static void NAME(load)(void *to, const void *from, size_t n, weft_dtype dtype, int64_t flip) {
  V *v = to;
  (void)flip;
  switch (dtype) {
    LOAD(BOOL, uint8_t, x[k])
    LOAD(I8, int8_t, x[k])
    LOAD(U8, uint8_t, x[k])
    LOAD(I16, int16_t, x[k])
    LOAD(U16, uint16_t, x[k])
    LOAD(I32, int32_t, x[k])
    LOAD(U32, uint32_t, x[k])
    LOAD(I64, int64_t, x[k])
    LOAD(U64, uint64_t, x[k])
    LOAD(F16, uint16_t, weft__f32_of_f16(x[k]))
    LOAD(BF16, uint16_t, weft__f32_of_bits((uint32_t)x[k] << 16))
    LOAD(F32, float, x[k])
    LOAD(F64, double, x[k])
    default:
      break;
  }
}

#if !IS_FLOAT
/// A value is its bin's number.
TARGET static void NAME(direct)(uint32_t *bin, const void *values, const void *edges, size_t n,
                                const weft__histogram_args *a) {
  const V *x = values;
  const V bins = (V)a->bins;
  (void)edges;
  for (size_t k = 0; k < n; k++) bin[k] = (uint32_t)(((x[k] >= 0) & (x[k] < bins)) ? x[k] : bins);
}
#endif

/// Bins of equal width. The guess is less than half a bin wrong (op/histogram/even_bins.c): the nearest edge decides.
/// Without edges: from the formula.
TARGET static void NAME(even)(uint32_t *bin, const void *values, const void *edges, size_t n,
                              const weft__histogram_args *a) {
  const V *x = values, *edge = edges;
  const V first = IS_FLOAT ? (V)weft__f64_of_bits(a->least) : edge[0],
          last = IS_FLOAT ? (V)weft__f64_of_bits(a->span) : edge[a->bins];
  const uint32_t bins = a->bins, used = a->used;
  const double low = weft__f64_of_bits(a->low), step = weft__f64_of_bits(a->step), shift = (double)a->shift;
#if IS_FLOAT
  const V scale = (V)weft__f64_of_bits(a->wide_scale);
#else
  const double scale = weft__f64_of_bits(a->wide_scale);
#endif
  for (size_t k = 0; k < n; k++) {
#if IS_FLOAT
    const V above = x[k] - first;
#else
    const double above = weft__of_distance((uint64_t)x[k] - (uint64_t)first);
#endif
    const float guess = (float)(above * scale) + (float)shift;
    const uint32_t nearest = weft__bits_of_f32(guess + ROUND) - ROUND_BITS;
    const int32_t e = (int32_t)(nearest < bins ? nearest : bins);
    const bool is_below = x[k] < (edge ? edge[e] : (V)((double)e * step + low));
    const uint32_t found = (uint32_t)e - (((uint32_t)e >= used) | is_below);
    bin[k] = bins + ((found - bins) & (0u - (uint32_t)((x[k] >= first) & (x[k] <= last)))); /* without a branch */
  }
}

/// Bins between edges: a binary search of all values side by side.
TARGET static void NAME(search)(uint32_t *bin, const void *values, const void *edges, size_t n,
                                const weft__histogram_args *a) {
  const V *x = values, *edge = edges, first = edge[0], last = edge[a->bins];
  const uint32_t bins = a->bins;
  for (size_t k = 0; k < n; k++) bin[k] = 0;
  for (uint32_t count = a->used, half; count > 1; count -= half) {
    half = count / 2;
    for (size_t k = 0; k < n; k++) bin[k] += edge[bin[k] + half] <= x[k] ? half : 0;
  }
  for (size_t k = 0; k < n; k++) bin[k] = ((x[k] >= first) & (x[k] <= last)) ? bin[k] : bins;
}

/// Widens the range from ends[0] to ends[1], which are values as integers in their order.
TARGET static void NAME(widen)(void *ends, const void *values, size_t n, bool begins) {
  const K *x = values;
  K *end = ends, low = begins ? ORDERED(x[0]) : end[0], high = begins ? low : end[1];
  for (size_t k = 0; k < n; k++) {
    const K v = ORDERED(x[k]);
    low = v < low ? v : low;
    high = v > high ? v : high;
  }
  end[0] = low;
  end[1] = high;
}
/// Whether a value is negative or a NaN.
static bool NAME(is_bad)(const void *value) {
  V v;
  memcpy(&v, value, sizeof v);
  return IS_FLOAT ? isnan((double)v) : v < 0;
}
/// Makes bits of values of the ends. Whether one of the values is bad.
static bool NAME(end_range)(uint64_t *word, const void *ends, int64_t flip) {
  const K low = ORDERED(((const K *)ends)[0]) ^ (K)flip, high = ORDERED(((const K *)ends)[1]) ^ (K)flip;
  word[0] = (uint64_t)low & UINT64_MAX >> (64 - 8 * sizeof(K));
  word[1] = (uint64_t)high & UINT64_MAX >> (64 - 8 * sizeof(K));
  return NAME(is_bad)(&low) || NAME(is_bad)(&high);
}

#undef V
#undef K
#undef IS_FLOAT
#undef NAME
