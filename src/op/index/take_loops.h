// SPDX-License-Identifier: MIT
/// Loops that take elements of one size by indices of one type, without places in between, for index_loops.c: more
/// loads are in flight, which pays where most miss the second-level cache. Define before including: T, the type of the
/// indices; IS_SIGNED; V, a type of the elements' size; NAME(name), the loops' names.

static bool NAME(take)(char *restrict dense, const char *restrict indexed, const void *indices, int64_t n,
                       const weft__indexed_axis *axis) {
  const char *const from = indices;
  const int64_t length = axis->length, from_end = IS_SIGNED && axis->mode == WEFT_INDEX_ERROR ? length : 0;
  const bool clips = axis->mode == WEFT_INDEX_CLIP;
  uint64_t outside = 0;
  for (int64_t k = 0; k < n; k++) {
    T index;
    V value;
    memcpy(&index, from + (size_t)k * sizeof index, sizeof index);
    const int64_t given = (int64_t)index, at = given < 0 ? given + from_end : given;
    const bool is_outside = (uint64_t)at >= (uint64_t)length;
    const int64_t nearest = clips && (!IS_SIGNED || at > 0) ? length - 1 : 0;
    outside |= is_outside & !clips;
    memcpy(&value, indexed + (is_outside ? nearest : at) * axis->stride, sizeof value);
    memcpy(dense + (size_t)k * sizeof value, &value, sizeof value);
  }
  return outside == 0;
}

#undef V
#undef NAME
