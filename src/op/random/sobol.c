// SPDX-License-Identifier: MIT
/// Sobol sequences.
#include <inttypes.h>

#include "dtype/opencl.h"
#include "op/random/random.h"

/* To be tuned: points that a CPU's work-item makes in order. */
#define CPU_POINTS 1024
#define MOST_DIMENSIONS 64

/// A primitive polynomial over two elements, its bits from the highest power down, and the first numbers m, one for
/// each power.
typedef struct start {
  uint16_t polynomial;
  uint16_t m[9];
} start;

/* Dimensions from the second on. Source: S. Joe, F. Kuo, "Constructing Sobol sequences with better two-dimensional
   projections", SIAM J. Sci. Comput. 30 (2008), their numbers of the criterion D(6). */
// clang-format off
static const start starts[MOST_DIMENSIONS - 1] = {
    {3, {1}}, {7, {1, 3}}, {11, {1, 3, 1}}, {13, {1, 1, 1}}, {19, {1, 1, 3, 3}}, {25, {1, 3, 5, 13}},
    {37, {1, 1, 5, 5, 17}}, {41, {1, 1, 5, 5, 5}}, {47, {1, 1, 7, 11, 19}}, {55, {1, 1, 5, 1, 1}},
    {59, {1, 1, 1, 3, 11}}, {61, {1, 3, 5, 5, 31}}, {67, {1, 3, 3, 9, 7, 49}}, {91, {1, 1, 1, 15, 21, 21}},
    {97, {1, 3, 1, 13, 27, 49}}, {103, {1, 1, 1, 15, 7, 5}}, {109, {1, 3, 1, 15, 13, 25}},
    {115, {1, 1, 5, 5, 19, 61}}, {131, {1, 3, 7, 11, 23, 15, 103}}, {137, {1, 3, 7, 13, 13, 15, 69}},
    {143, {1, 1, 3, 13, 7, 35, 63}}, {145, {1, 3, 5, 9, 1, 25, 53}}, {157, {1, 3, 1, 13, 9, 35, 107}},
    {167, {1, 3, 1, 5, 27, 61, 31}}, {171, {1, 1, 5, 11, 19, 41, 61}}, {185, {1, 3, 5, 3, 3, 13, 69}},
    {191, {1, 1, 7, 13, 1, 19, 1}}, {193, {1, 3, 7, 5, 13, 19, 59}}, {203, {1, 1, 3, 9, 25, 29, 41}},
    {211, {1, 3, 5, 13, 23, 1, 55}}, {213, {1, 3, 7, 3, 13, 59, 17}}, {229, {1, 3, 1, 3, 5, 53, 69}},
    {239, {1, 1, 5, 5, 23, 33, 13}}, {241, {1, 1, 7, 7, 1, 61, 123}}, {247, {1, 1, 7, 9, 13, 61, 49}},
    {253, {1, 3, 3, 5, 3, 55, 33}}, {285, {1, 3, 1, 15, 31, 13, 49, 245}}, {299, {1, 3, 5, 15, 31, 59, 63, 97}},
    {301, {1, 3, 1, 11, 11, 11, 77, 249}}, {333, {1, 3, 1, 11, 27, 43, 71, 9}}, {351, {1, 1, 7, 15, 21, 11, 81, 45}},
    {355, {1, 3, 7, 3, 25, 31, 65, 79}}, {357, {1, 3, 1, 1, 19, 11, 3, 205}}, {361, {1, 1, 5, 9, 19, 21, 29, 157}},
    {369, {1, 3, 7, 11, 1, 33, 89, 185}}, {391, {1, 3, 3, 3, 15, 9, 79, 71}}, {397, {1, 3, 7, 11, 15, 39, 119, 27}},
    {425, {1, 1, 3, 1, 11, 31, 97, 225}}, {451, {1, 1, 1, 3, 23, 43, 57, 177}}, {463, {1, 3, 7, 7, 17, 17, 37, 71}},
    {487, {1, 3, 1, 5, 27, 63, 123, 213}}, {501, {1, 1, 3, 5, 11, 43, 53, 133}},
    {529, {1, 3, 5, 5, 29, 17, 47, 173, 479}}, {539, {1, 3, 3, 11, 3, 1, 109, 9, 69}},
    {545, {1, 1, 1, 5, 17, 39, 23, 5, 343}}, {557, {1, 3, 1, 5, 25, 15, 31, 103, 499}},
    {563, {1, 1, 1, 11, 11, 17, 63, 105, 183}}, {601, {1, 1, 5, 11, 9, 29, 97, 231, 363}},
    {607, {1, 1, 5, 15, 19, 45, 41, 7, 383}}, {617, {1, 3, 7, 7, 31, 19, 83, 137, 221}},
    {623, {1, 1, 1, 3, 23, 15, 111, 223, 83}}, {631, {1, 1, 5, 13, 31, 15, 55, 25, 161}},
    {637, {1, 1, 3, 13, 25, 47, 39, 87, 257}},
};
// clang-format on

/// v_k = m_k / 2^k as multiples of 2^-32. Beyond the first ones, with a polynomial of degree s, m_k is the exclusive or
/// of m_(k - s), and of 2^i m_(k - i) for each power s - i of the polynomial.
static void find_directions(uint32_t v[WEFT__SOBOL_BITS], int dimension) {
  uint64_t m[WEFT__SOBOL_BITS];
  int degree = 0;
  for (int k = 0; k < WEFT__SOBOL_BITS; k++) m[k] = 1; /* the first dimension's */
  if (dimension > 0) {
    const start *s = &starts[dimension - 1];
    while (s->polynomial >> (degree + 1)) degree++;
    for (int k = 0; k < degree; k++) m[k] = s->m[k];
    for (int k = degree; k < WEFT__SOBOL_BITS; k++) {
      m[k] = m[k - degree];
      for (int i = 1; i <= degree; i++)
        if (s->polynomial >> (degree - i) & 1) m[k] ^= m[k - i] << i;
    }
  }
  for (int k = 0; k < WEFT__SOBOL_BITS; k++) v[k] = (uint32_t)(m[k] << (WEFT__SOBOL_BITS - 1 - k));
}

typedef struct sobol_key {
  uint8_t dtype, is_cpu;
} sobol_key;

static void write_sobol(weft__text *text, const void *data) {
  const sobol_key *key = data;
  weft__cl_define(text, (weft_dtype)key->dtype);
  weft__text_add(text, "#define WEFT_LONG %d\n#define WEFT_ITEM %d\n", key->dtype == WEFT_F64,
                 key->is_cpu ? CPU_POINTS : 1);
}

/// Fills a contiguous [points, dimensions]. `state`: NULL, or where the shifts are drawn from.
static weft_status sobol_into(weft_array *x, weft_rng_state *state, int64_t first, const char *site) {
  static const char *const names[] = {"weft_sobol"};
  const int dimensions = (int)x->shape[1];
  const sobol_key key = {(uint8_t)x->dtype, x->context->store.is_cpu};
  const weft__kernel_source source = {
      .name = "sobol",
      .key = {.file = "random/sobol.cl", .kernel = names, .kernels = 1, WEFT__KEY_BYTES(sobol_key, &key)},
      .write = write_sobol};
  const weft__use use = {x->storage, true};
  const uint64_t n = (uint64_t)x->shape[0], block = key.is_cpu ? 1 : WEFT__GPU_BLOCK,
                 items = weft_ceil_div(n, key.is_cpu ? CPU_POINTS : 1);
  weft__rng_words words = {0};
  weft__kernel *kernel;
  if (x->size == 0) return WEFT_OK;
  const weft_rng_state before = state ? *state : (weft_rng_state){0};
  if (state) WEFT__TRY_RETURN(weft__rng_take(&words, state, WEFT__TAKES_WORD, (uint64_t)dimensions));
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &x->context->store, &source));
  for (int d = 0; d < dimensions; d += WEFT__SOBOL_GROUP) {
    weft__sobol_args a = {.n = n,
                          .first = (uint64_t)first,
                          .columns = (uint64_t)dimensions,
                          .offset = (uint64_t)x->offset_bytes + (uint64_t)d * weft_dtype_size_bytes(x->dtype)};
    for (int k = d; k < dimensions && k < d + WEFT__SOBOL_GROUP; k++) {
      find_directions(a.direction[a.group], k);
      if (state)
        a.shift[a.group] = k == 0 && words.has_kept ? words.kept : weft__rng_word(&before, words.base + (uint64_t)k);
      a.group++;
    }
    WEFT__TRY_RETURN(
        weft__run_kernel(&(weft__kernel_run){kernel, WEFT_DIM3(weft_ceil_div(items, block)), WEFT_DIM3(block), &a,
                                             sizeof a, 1, &use, .what = "sobol", .site = site}));
  }
  return WEFT_OK;
}

static weft_status check_points(int64_t points, int64_t dimensions, int64_t first) {
  const int64_t most = INT64_C(1) << WEFT__SOBOL_BITS;
  if (dimensions < 1 || dimensions > MOST_DIMENSIONS)
    return weft__fail(WEFT_ERROR_ARGUMENT, "dimensions", "`dimensions` is %" PRId64 "; expected 1 to %d", dimensions,
                      MOST_DIMENSIONS);
  if (first < 0) return weft__fail(WEFT_ERROR_ARGUMENT, "first", "`first` is %" PRId64 "; expected 0 or more", first);
  if (points < 0 || points > most || first > most - points)
    return weft__fail(WEFT_ERROR_ARGUMENT, "points",
                      "`points` is %" PRId64 ", from point %" PRId64 " on; a sequence has 2^32 points", points, first);
  return WEFT_OK;
}

weft_status weft__sobol_at(weft_operand out, weft_rng *rng, weft_dtype dtype, int64_t points, int64_t dimensions,
                           const weft_sobol_params *params) {
  const weft_sobol_params p = WEFT__PARAMS(params);
  const weft__drawing w = {"weft_sobol", &out, rng, dtype, WEFT_SHAPE(points, dimensions), p.site};
  weft__distribution d = {0};
  weft__call c;
  weft_rng_state after;
  weft_status rc;
  weft__enter(w.function, p.site);
  weft__call_open(&c, p.context, 1, &out, 0, NULL, NULL, p.site);
  WEFT__TRY(weft__choose_float(&d, &w));
  WEFT__TRY(check_points(points, dimensions, p.first));
  if (rng) WEFT__TRY(weft__rng_begin(&after, &c, rng));
  WEFT__TRY(weft__call_check(&c));
  WEFT__TRY(weft__dtype_check(d.dtype, c.context));
  WEFT__TRY(weft__call_contiguous_result(&c, 0, d.dtype, w.shape));
  rc = sobol_into(c.array[0], rng ? &after : NULL, p.first, p.site);
done:
  if (!rng) return weft__leave(weft__call_close(&c, rc));
  return weft__leave(weft__rng_close(rng, &after, &c, rc));
}
