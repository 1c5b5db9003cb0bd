// SPDX-License-Identifier: MIT
/// Loops that move elements of one size, for index_loops.c. Define before including: T, a type of that size;
/// NAME(name), the loops' names. Eight are loaded before they are stored: most places are outside of the first-level
/// cache.

static void NAME(take)(char *restrict dense, char *restrict indexed, const int64_t *place, int64_t n, size_t bytes,
                       size_t step) {
  T v[8];
  int64_t k = 0;
  (void)bytes, (void)step;
  for (; k + 8 <= n; k += 8) {
    for (int j = 0; j < 8; j++) memcpy(&v[j], indexed + place[k + j], sizeof v[0]);
    for (int j = 0; j < 8; j++) memcpy(dense + (size_t)(k + j) * sizeof v[0], &v[j], sizeof v[0]);
  }
  for (; k < n; k++) memcpy(dense + (size_t)k * sizeof v[0], indexed + place[k], sizeof v[0]);
}

static void NAME(put)(char *restrict dense, char *restrict indexed, const int64_t *place, int64_t n, size_t bytes,
                      size_t step) {
  T v[8];
  int64_t k = 0;
  (void)bytes, (void)step;
  for (; k + 8 <= n; k += 8) {
    for (int j = 0; j < 8; j++) memcpy(&v[j], dense + (size_t)(k + j) * sizeof v[0], sizeof v[0]);
    for (int j = 0; j < 8; j++) memcpy(indexed + place[k + j], &v[j], sizeof v[0]);
  }
  for (; k < n; k++) memcpy(indexed + place[k], dense + (size_t)k * sizeof v[0], sizeof v[0]);
}

static void NAME(put_numbered)(char *restrict indexed, const char *restrict values, const int64_t *number,
                               const int64_t *place, int64_t n) {
  T v[8];
  int64_t k = 0;
  for (; k + 8 <= n; k += 8) {
    for (int j = 0; j < 8; j++) memcpy(&v[j], values + (size_t)number[k + j] * sizeof v[0], sizeof v[0]);
    for (int j = 0; j < 8; j++) memcpy(indexed + place[k + j], &v[j], sizeof v[0]);
  }
  for (; k < n; k++) memcpy(indexed + place[k], values + (size_t)number[k] * sizeof v[0], sizeof v[0]);
}

static void NAME(put_one)(char *restrict indexed, const char *restrict value, const int64_t *place, int64_t n) {
  T v;
  memcpy(&v, value, sizeof v);
  for (int64_t k = 0; k < n; k++) memcpy(indexed + place[k], &v, sizeof v);
}

#undef T
#undef NAME
