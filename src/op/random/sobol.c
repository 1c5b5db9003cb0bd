// SPDX-License-Identifier: MIT
/// Sobol sequences.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dtype/opencl.h"
#include "kernel/embedded.h"
#include "op/random/random.h"
#include "op/random/tuning.h"

#define MOST_DIMENSIONS 5715 /* what cl/random/sobol.base64 has, and the first */

/* ---- direction numbers ---- */

/// The dimensions' numbers, in order. cl/random/sobol_numbers.py describes the text.
typedef struct numbers {
  const char *letter;
  uint64_t bits;
  int count; /* of bits that were read from the text and not used */
  uint32_t polynomial;
} numbers;

static numbers numbers_begin(void) {
  numbers from = {.letter = weft__embedded_find("random/sobol.base64")};
  while (*from.letter == '#') from.letter = strchr(from.letter, '\n') + 1;
  return from;
}

static uint32_t value_of(char letter) {
  if (letter >= 'A' && letter <= 'Z') return (uint32_t)(letter - 'A');
  if (letter >= 'a' && letter <= 'z') return (uint32_t)(letter - 'a' + 26);
  return letter == '+' ? 62 : letter == '/' ? 63 : (uint32_t)(letter - '0' + 52);
}

static uint32_t take_bits(numbers *from, int count) {
  for (; from->count < count; from->letter++) {
    if (*from->letter == '\n') continue;
    from->bits = from->bits << 6 | value_of(*from->letter);
    from->count += 6;
  }
  from->count -= count;
  return (uint32_t)(from->bits >> from->count) & ((UINT32_C(1) << count) - 1);
}

/// The next dimension's direction numbers v_k = m_k / 2^k as multiples of 2^-32. Beyond the first ones, with a
/// polynomial of degree s, m_k is the exclusive or of m_(k - s), and of 2^i m_(k - i) for each power s - i of the
/// polynomial.
static void take_directions(uint32_t v[WEFT__SOBOL_BITS], numbers *from) {
  int degree = 0;
  if (from->polynomial == 0) { /* the first dimension's */
    from->polynomial = 1;
    for (int k = 0; k < WEFT__SOBOL_BITS; k++) v[k] = UINT32_C(1) << (WEFT__SOBOL_BITS - 1 - k);
    return;
  }
  from->polynomial += 2 * take_bits(from, 7);
  while (from->polynomial >> (degree + 1)) degree++;
  for (int k = 0; k < degree; k++) v[k] = (2 * take_bits(from, k) + 1) << (WEFT__SOBOL_BITS - 1 - k);
  for (int k = degree; k < WEFT__SOBOL_BITS; k++) {
    v[k] = v[k - degree] >> degree;
    for (int i = 1; i <= degree; i++)
      if (from->polynomial >> (degree - i) & 1) v[k] ^= v[k - i];
  }
}

/* ---- kernels ---- */

typedef struct sobol_key {
  uint8_t dtype, is_coarse, is_many;
} sobol_key;

static void write_sobol(weft__text *text, const void *data) {
  const sobol_key *key = data;
  weft__cl_define(text, (weft_dtype)key->dtype);
  weft__text_add(text, "#define WEFT_LONG %d\n#define WEFT_ITEM %d\n", key->dtype == WEFT_F64,
                 !key->is_coarse ? 1
                 : key->is_many  ? WEFT__SOBOL_CPU_MANY_POINTS
                                 : WEFT__SOBOL_CPU_POINTS);
}

/// Points to make.
typedef struct sobol {
  weft_array *x; /* contiguous, [points, dimensions] */
  int64_t first;
  const weft_rng_state *shifts; /* NULL: none */
  weft__rng_words words;        /* of the shifts */
  weft__grain grain;
  const char *site;
} sobol;

static uint32_t shift_of(const sobol *s, int dimension) {
  if (!s->shifts) return 0;
  if (dimension == 0 && s->words.has_kept) return s->words.kept;
  return weft__rng_word(s->shifts, s->words.base + (uint64_t)dimension);
}

/// Launches the kernel of `items` work-items. `table`: NULL for few dimensions.
static weft_status run_items(const sobol *s, const weft_array *table, uint64_t items, const void *arguments,
                             size_t size) {
  static const char *const few[] = {"weft_sobol"}, *const many[] = {"weft_sobol_many"};
  const sobol_key key = {(uint8_t)s->x->dtype, weft__is_coarse(s->grain), table != NULL};
  const weft__kernel_source source = {.name = "sobol",
                                      .key = {.file = table ? "random/sobol_many.cl" : "random/sobol.cl",
                                              .kernel = table ? many : few,
                                              .kernels = 1,
                                              WEFT__KEY_BYTES(sobol_key, &key)},
                                      .write = write_sobol};
  const weft__use use[] = {{table ? table->storage : s->x->storage, !table}, {s->x->storage, true}};
  weft__kernel *kernel;
  WEFT__TRY_RETURN(weft__kernels_get(&kernel, &s->x->context->store, &source));
  const uint64_t block = s->grain.block;
  return weft__run_kernel(&(weft__kernel_run){kernel, weft__own_grid(items, block), WEFT_DIM3(block), arguments, size,
                                              table ? 2 : 1, use, .what = "sobol", .site = s->site});
}

static weft_status make_few(const sobol *s) {
  const int columns = (int)s->x->shape[1];
  numbers from = numbers_begin();
  weft__sobol_args a = {.n = (uint64_t)s->x->shape[0],
                        .first = (uint64_t)s->first,
                        .columns = (uint64_t)columns,
                        .offset = (uint64_t)s->x->offset_bytes,
                        .group = (uint32_t)columns};
  for (int d = 0; d < columns; d++) {
    take_directions(a.direction[d], &from);
    a.shift[d] = shift_of(s, d);
  }
  return run_items(s, NULL, weft_ceil_div(a.n, s->grain.items), &a, sizeof a);
}

/// The table of weft_sobol_many.
static weft_status make_table(weft_array **table, const sobol *s) {
  const int columns = (int)s->x->shape[1], rows = WEFT__SOBOL_BITS + 1;
  const size_t bytes = sizeof(uint32_t) * (size_t)rows * (size_t)columns;
  numbers from = numbers_begin();
  uint32_t *word = malloc(bytes), v[WEFT__SOBOL_BITS];
  if (!word) return weft__fail_host_memory(bytes);
  for (int d = 0; d < columns; d++) {
    take_directions(v, &from);
    for (int k = 0; k < WEFT__SOBOL_BITS; k++) word[k * columns + d] = v[k];
    word[WEFT__SOBOL_BITS * columns + d] = shift_of(s, d);
  }
  const weft_status rc =
      weft__array_of(table, s->x->context, WEFT_U32, WEFT_SHAPE((int64_t)rows, (int64_t)columns), word, s->site);
  free(word);
  return rc;
}

static weft_status make_many(const sobol *s) {
  const uint64_t columns = (uint64_t)s->x->shape[1];
  weft__sobol_many_args a = {.n = (uint64_t)s->x->shape[0],
                             .first = (uint64_t)s->first,
                             .columns = columns,
                             .offset = (uint64_t)s->x->offset_bytes,
                             .step = 1};
  uint64_t items = weft_ceil_div(a.n, WEFT__SOBOL_CPU_MANY_POINTS) * weft_ceil_div(columns, WEFT__SOBOL_TILE);
  weft_array *table = NULL;
  weft_status rc;
  if (!weft__is_coarse(s->grain)) {
    while (columns << a.step < WEFT__SOBOL_ITEMS && a.n >> a.step > 1) a.step++;
    items = columns << a.step;
  }
  WEFT__TRY(make_table(&table, s));
  rc = run_items(s, table, items, &a, sizeof a);
done:
  weft_array_release(&table);
  return rc;
}

/// Fills a contiguous [points, dimensions]. `state`: NULL, or where the shifts are drawn from.
static weft_status sobol_into(weft_array *x, weft_rng_state *state, int64_t first, const char *site) {
  const weft_rng_state before = state ? *state : (weft_rng_state){0};
  const bool is_many = x->shape[1] > WEFT__SOBOL_GROUP;
  sobol s = {
      .x = x,
      .first = first,
      .shifts = state ? &before : NULL,
      .grain = weft__grain_of(&x->context->store, is_many ? WEFT__SOBOL_CPU_MANY_POINTS : WEFT__SOBOL_CPU_POINTS),
      .site = site};
  if (x->size == 0) return WEFT_OK;
  if (state) WEFT__TRY_RETURN(weft__rng_take(&s.words, state, WEFT__TAKES_WORD, (uint64_t)x->shape[1]));
  return is_many ? make_many(&s) : make_few(&s);
}

static weft_status check_points(int64_t points, int64_t dimensions, int64_t first) {
  const int64_t most = INT64_C(1) << WEFT__SOBOL_BITS;
  if (dimensions < 1 || dimensions > MOST_DIMENSIONS)
    return weft__fail(WEFT_ERROR_ARGUMENT, "dimensions", "`dimensions` is %" PRId64 "; expected 1 to %d", dimensions,
                      MOST_DIMENSIONS);
  if (first < 0) return weft__fail(WEFT_ERROR_ARGUMENT, "first", "`first` is %" PRId64 "; expected 0 or more", first);
  if (points < 0)
    return weft__fail(WEFT_ERROR_ARGUMENT, "points", "`points` is %" PRId64 "; expected 0 or more", points);
  if (points > most || first > most - points)
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
