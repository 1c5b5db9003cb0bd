// SPDX-License-Identifier: MIT
/// Loops that combine values of one dtype with elements, for index_loops.c: cl/index/combine.clh in C. Define before
/// including: T, a stored number; NAME(name), the loops' names; of floats also SUM, the type of sums; LOAD(x) and
/// STORE(x), to a number that is computed with and back, if it is another one; LANES, numbers of an element, if not 1.
#ifdef SUM
#define IS_NUMBER(x) ((int)((x) == (x))) /* combined with `&`, of which clang warns for bool */
#else
#define SUM uint64_t
#define IS_NUMBER(x) true
#endif
#ifndef LOAD
#define LOAD(x) (x)
#define STORE(x) (x)
#endif
#ifndef LANES
#define LANES 1
#endif

static inline T NAME(both)(T a, T b, int32_t operation) {
  switch (operation) {
    case WEFT__SCATTER_ADD:
      return (T)STORE((SUM)LOAD(a) + (SUM)LOAD(b));
    case WEFT__SCATTER_MIN: /* the first NaN stays, as in numpy.minimum */
      return (IS_NUMBER(LOAD(a)) & !(LOAD(b) >= LOAD(a))) ? b : a;
    case WEFT__SCATTER_MAX:
      return (IS_NUMBER(LOAD(a)) & !(LOAD(b) <= LOAD(a))) ? b : a;
    default:
      return (T)(LOAD(a) != 0 || LOAD(b) != 0);
  }
}

/// Combines n adjacent elements; `repeats`: with one value.
static inline void NAME(run)(char *to, const char *from, int64_t n, bool repeats, int32_t operation) {
  WEFT__NO_OVERLAP
  for (int64_t k = 0; k < n * LANES; k++) {
    T a, b;
    memcpy(&a, to + (size_t)k * sizeof a, sizeof a);
    memcpy(&b, from + (size_t)(repeats ? k % LANES : k) * sizeof b, sizeof b);
    a = NAME(both)(a, b, operation);
    memcpy(to + (size_t)k * sizeof a, &a, sizeof a);
  }
}

static inline void NAME(scattered)(char *indexed, const char *values, const int64_t *number, const int64_t *place,
                                   int64_t n, int32_t operation) {
  for (int64_t k = 0; k < WEFT__INDEX_AHEAD && k < n; k++) FETCH(indexed + place[k]);
  for (int64_t k = 0; k < n; k++) {
    FETCH(indexed + place[k + WEFT__INDEX_AHEAD < n ? k + WEFT__INDEX_AHEAD : k]);
    NAME(run)(indexed + place[k], values + (size_t)(number ? number[k] : k) * LANES * sizeof(T), 1, false, operation);
  }
}

/* with the operation known, the loops have no branch on it */
#define OF_OPERATION(loop, ...)                 \
  if (operation == WEFT__SCATTER_ADD)           \
    NAME(loop)(__VA_ARGS__, WEFT__SCATTER_ADD); \
  else if (operation == WEFT__SCATTER_MIN)      \
    NAME(loop)(__VA_ARGS__, WEFT__SCATTER_MIN); \
  else if (operation == WEFT__SCATTER_MAX)      \
    NAME(loop)(__VA_ARGS__, WEFT__SCATTER_MAX); \
  else                                          \
    NAME(loop)(__VA_ARGS__, operation)

static void NAME(combine_run)(char *to, const char *from, int64_t n, bool repeats, int32_t operation) {
  OF_OPERATION(run, to, from, n, repeats);
}

static void NAME(combine)(char *indexed, const char *values, const int64_t *number, const int64_t *place, int64_t n,
                          int32_t operation) {
  OF_OPERATION(scattered, indexed, values, number, place, n);
}

#undef OF_OPERATION
#undef T
#undef LANES
#undef LOAD
#undef STORE
#undef IS_NUMBER
#undef SUM
#undef NAME
