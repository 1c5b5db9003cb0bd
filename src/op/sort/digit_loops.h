// SPDX-License-Identifier: MIT
/// Loops of a pass over numbers of one type, for digits.c, which includes this for each type. Define before including:
/// T, the type; NUMBER_OF(x), its number as an integer; NAME(name), the loops' names.

/// Whether elements 0 to n - 1 are in order, with the one before them if `follows`.
static bool NAME(are_in_order)(const void *numbers, size_t n, bool follows) {
  const T *x = numbers;
  size_t less = 0;
  for (size_t i = !follows; i < n; i++) less += NUMBER_OF(x[i]) < NUMBER_OF((x - 1)[i]);
  return less == 0;
}
static void NAME(count)(size_t *counts, const void *numbers, size_t n, weft__sort_digit digit) {
  const T *x = numbers;
  for (size_t i = 0; i < n; i++) counts[(size_t)(NUMBER_OF(x[i]) >> digit.shift) & digit.mask]++;
}
/// Moves each element to the next place of its digit.
static void NAME(scatter)(void *restrict to, const void *restrict numbers, size_t n, weft__sort_digit digit,
                          size_t *restrict place) {
  const T *x = numbers;
  T *y = to;
  for (size_t i = 0; i < n; i++) y[place[(size_t)(NUMBER_OF(x[i]) >> digit.shift) & digit.mask]++] = x[i];
}
static const weft__digit_loops NAME(loops) = {NAME(are_in_order), NAME(count), NAME(scatter)};

#undef T
#undef NUMBER_OF
#undef NAME
