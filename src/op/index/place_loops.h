// SPDX-License-Identifier: MIT
/// Loops from indices of one type to places, for place_types.h. Define before including: T, the type of the indices;
/// IS_SIGNED; TARGET, an attribute; NAME(name), the loops' names.

/// In the modes without a bend.
TARGET static bool NAME(find)(int64_t *restrict place, const void *indices, int64_t n, const weft__indexed_axis *axis,
                              bool adds) {
  const char *const from = indices;
  const int64_t length = axis->length, from_end = IS_SIGNED && axis->mode == WEFT_INDEX_ERROR ? length : 0;
  const uint64_t stride = (uint64_t)axis->stride;
  const int shift = weft__index_shift(axis->stride);
  uint64_t outside = 0;
  for (int64_t k = 0; k < n; k++) {
    T index;
    memcpy(&index, from + (size_t)k * sizeof index, sizeof index);
    const int64_t given = (int64_t)index, at = given < 0 ? given + from_end : given;
    outside |= (uint64_t)at >= (uint64_t)length;
    /* a product of 64 bits takes vectors three instructions, and a shift one */
    const uint64_t distance = shift >= 0 ? (uint64_t)at << shift : (uint64_t)at * stride;
    place[k] = (int64_t)(adds ? (uint64_t)place[k] + distance : distance); /* may be out of range */
  }
  return outside == 0;
}

/// The nearest index in range.
TARGET static bool NAME(clip)(int64_t *restrict place, const void *indices, int64_t n, const weft__indexed_axis *axis,
                              bool adds) {
  const char *const from = indices;
  const int64_t last = axis->length - 1;
  const uint64_t stride = (uint64_t)axis->stride;
  for (int64_t k = 0; k < n; k++) {
    T index;
    memcpy(&index, from + (size_t)k * sizeof index, sizeof index);
    const int64_t given = (int64_t)index, below = (uint64_t)given > (uint64_t)last ? last : given;
    const uint64_t distance = (uint64_t)(IS_SIGNED && given < 0 ? 0 : below) * stride;
    place[k] = (int64_t)(adds ? (uint64_t)place[k] + distance : distance);
  }
  return true;
}

/// The index modulo the length.
static bool NAME(wrap)(int64_t *restrict place, const void *indices, int64_t n, const weft__indexed_axis *axis,
                       bool adds) {
  const char *const from = indices;
  const int64_t length = axis->length;
  for (int64_t k = 0; k < n; k++) {
    T index;
    memcpy(&index, from + (size_t)k * sizeof index, sizeof index);
    int64_t at = (int64_t)index;
    if ((uint64_t)at >= (uint64_t)length) {
      at = IS_SIGNED ? at % length : (int64_t)((uint64_t)at % (uint64_t)length);
      if (at < 0) at += length;
    }
    const uint64_t distance = (uint64_t)at * (uint64_t)axis->stride;
    place[k] = (int64_t)(adds ? (uint64_t)place[k] + distance : distance);
  }
  return true;
}

#undef T
#undef IS_SIGNED
#undef NAME
