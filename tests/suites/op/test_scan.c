// SPDX-License-Identifier: MIT
/// Scans against a plain loop on the host: dtype x operation x direction x segments x axis, at sizes around blocks and
/// tiles. Values are chosen so that every partial result is exact in any grouping; sums of reals have their own tests,
/// within a bound.
#include "views.h"

#define LONGEST 70000

/* ---- elements on the host ---- */

typedef union number {
  int64_t i; /* integers, two's complement; also u64 */
  double c[2];
} number;

static bool is_integer(weft_dtype dtype) {
  char kind = weft_dtype_kind(dtype);
  return kind == 'b' || kind == 'i' || kind == 'u';
}

static number get(weft_dtype dtype, const void *data, int64_t i) {
  number v = {.c = {0, 0}};
  switch (dtype) {
    case WEFT_BOOL:
    case WEFT_U8:
      v.i = ((const uint8_t *)data)[i];
      break;
    case WEFT_I8:
      v.i = ((const int8_t *)data)[i];
      break;
    case WEFT_U16:
      v.i = ((const uint16_t *)data)[i];
      break;
    case WEFT_I16:
      v.i = ((const int16_t *)data)[i];
      break;
    case WEFT_U32:
      v.i = ((const uint32_t *)data)[i];
      break;
    case WEFT_I32:
      v.i = ((const int32_t *)data)[i];
      break;
    case WEFT_F16:
    case WEFT_BF16:
      v.c[0] = (double)element_get(dtype, (const uint16_t *)data + i);
      break;
    case WEFT_F32:
      v.c[0] = (double)((const float *)data)[i];
      break;
    case WEFT_F64:
      v.c[0] = ((const double *)data)[i];
      break;
    case WEFT_C64:
      v.c[0] = (double)((const float *)data)[2 * i];
      v.c[1] = (double)((const float *)data)[2 * i + 1];
      break;
    case WEFT_C128:
      v.c[0] = ((const double *)data)[2 * i];
      v.c[1] = ((const double *)data)[2 * i + 1];
      break;
    default:
      v.i = ((const int64_t *)data)[i];
  }
  return v;
}

static void put(weft_dtype dtype, void *data, int64_t i, number v) {
  switch (weft_dtype_size_bytes(dtype)) {
    case 1:
      ((uint8_t *)data)[i] = (uint8_t)v.i;
      return;
    case 2:
      if (weft_dtype_kind(dtype) == 'f')
        element_set(dtype, (uint16_t *)data + i, v.c[0], 0);
      else
        ((uint16_t *)data)[i] = (uint16_t)v.i;
      return;
    case 4:
      if (dtype == WEFT_F32)
        ((float *)data)[i] = (float)v.c[0];
      else
        ((uint32_t *)data)[i] = (uint32_t)v.i;
      return;
    case 8:
      if (dtype == WEFT_C64)
        ((float *)data)[2 * i] = (float)v.c[0], ((float *)data)[2 * i + 1] = (float)v.c[1];
      else
        memcpy((char *)data + 8 * i, &v, 8);
      return;
    default:
      memcpy((char *)data + 16 * i, &v, 16);
  }
}

/* ---- the operations ---- */

enum { SUM = WEFT_SCAN_SUM, PROD = WEFT_SCAN_PROD, MAX = WEFT_SCAN_MAX, MIN = WEFT_SCAN_MIN, LAST, TIMES };

/// A random element of a config, such that partial results stay exact.
static number random_element(harness_random *random, weft_dtype dtype, int op) {
  static const double turns[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  number v = {.c = {0, 0}};
  uint64_t bits = harness_bits(random);
  if (is_integer(dtype)) {
    v.i = (int64_t)bits;
    if (op == LAST && bits >> 60) v.i = 0;
    if (dtype == WEFT_BOOL) v.i &= 1;
    return v;
  }
  if (op == PROD || op == TIMES) {
    v.c[0] = bits & 1 ? -1 : 1;
    if ((bits >> 8 & 63) == 0) v.c[0] *= bits & 2 ? 2 : 0.5;
    if (weft_dtype_kind(dtype) == 'c') memcpy(v.c, turns[bits >> 2 & 3], sizeof v.c);
    return v;
  }
  v.c[0] = (double)(int)(bits & 15) - 8;
  if (weft_dtype_kind(dtype) == 'c') v.c[1] = (double)(int)(bits >> 4 & 15) - 7;
  if ((op == MAX || op == MIN) && (bits >> 8 & 4095) == 0) v.c[0] = NAN;
  if ((op == MAX || op == MIN) && (bits >> 8 & 4095) == 1) v.c[0] = bits & 1 ? INFINITY : -INFINITY;
  if (op == LAST && bits >> 60) v.c[0] = v.c[1] = 0;
  return v;
}

static number as_dtype(weft_dtype dtype, number v) {
  char room[16];
  put(dtype, room, 0, v);
  return get(dtype, room, 0);
}

/// Whether a precedes b in the order of maxima.
static bool is_greater(weft_dtype dtype, number a, number b) {
  if (is_integer(dtype)) return dtype == WEFT_U64 ? (uint64_t)a.i > (uint64_t)b.i : a.i > b.i;
  return a.c[0] > b.c[0] || (a.c[0] == b.c[0] && a.c[1] > b.c[1]);
}

static number combine(weft_dtype dtype, int op, number a, number b) {
  bool integer = is_integer(dtype);
  number v = {.c = {0, 0}};
  switch (op) {
    case SUM:
      if (integer)
        v.i = (int64_t)((uint64_t)a.i + (uint64_t)b.i);
      else
        v.c[0] = a.c[0] + b.c[0], v.c[1] = a.c[1] + b.c[1];
      return v;
    case PROD:
    case TIMES:
      if (integer)
        v.i = (int64_t)((uint64_t)a.i * (uint64_t)b.i);
      else
        v.c[0] = a.c[0] * b.c[0] - a.c[1] * b.c[1], v.c[1] = a.c[0] * b.c[1] + a.c[1] * b.c[0];
      return integer ? as_dtype(dtype, v) : v;
    case LAST:
      return (integer ? b.i == 0 : b.c[0] == 0 && b.c[1] == 0) ? a : b;
    default:
      if (!integer && (isnan(a.c[0]) || isnan(b.c[0]))) return isnan(a.c[0]) ? a : b;
      return is_greater(dtype, op == MAX ? b : a, op == MAX ? a : b) ? b : a;
  }
}

static number neutral_of(weft_dtype dtype, int op) {
  number v = {.c = {0, 0}};
  size_t bits = 8 * weft_dtype_size_bytes(dtype);
  if (op == SUM || op == LAST) return v;
  if (op == PROD || op == TIMES) {
    if (is_integer(dtype))
      v.i = 1;
    else
      v.c[0] = 1;
    return v;
  }
  if (!is_integer(dtype)) {
    v.c[0] = op == MAX ? -INFINITY : INFINITY;
    if (weft_dtype_kind(dtype) == 'c') v.c[1] = v.c[0];
  } else if (weft_dtype_kind(dtype) == 'i') {
    v.i = op == MAX ? INT64_MIN >> (64 - bits) : INT64_MAX >> (64 - bits);
  } else if (op == MIN) {
    v.i = dtype == WEFT_BOOL ? 1 : (int64_t)(UINT64_MAX >> (64 - bits));
  }
  return v;
}

/* ---- cases ---- */

enum { FLAT = 1, ROWS = 2, COLUMNS = 4, SHIFTED = 8 };

typedef struct config {
  weft_dtype dtype;
  int op;
  bool exclusive, reverse, flags, deterministic;
  int where, where_slow; /* slow: the GPUs' kernels on a CPU, which take long to build */
} config;

static const config configs[] = {
    {WEFT_F32, SUM, false, false, false, false, FLAT | ROWS | COLUMNS | SHIFTED, FLAT | ROWS | COLUMNS | SHIFTED},
    {WEFT_F32, SUM, true, true, false, true, FLAT | ROWS | COLUMNS, 0},
    {WEFT_F32, SUM, true, false, true, true, FLAT | ROWS, 0},
    {WEFT_F32, MAX, true, false, false, false, FLAT, 0},
    {WEFT_F32, MIN, false, true, false, false, FLAT | COLUMNS, 0},
    {WEFT_F32, TIMES, false, false, false, false, FLAT | ROWS, 0},
    {WEFT_F32, LAST, true, true, true, true, FLAT, FLAT},
    {WEFT_I32, SUM, false, false, false, false, FLAT | ROWS | COLUMNS, 0},
    {WEFT_I32, SUM, false, true, true, false, FLAT | ROWS | COLUMNS, COLUMNS},
    {WEFT_I32, LAST, false, false, true, false, FLAT | COLUMNS, 0},
    {WEFT_I32, LAST, true, true, false, false, FLAT | ROWS, 0},
    {WEFT_U32, MAX, false, true, false, false, FLAT | ROWS | SHIFTED, 0},
    {WEFT_I8, SUM, true, false, false, false, FLAT | COLUMNS, 0},
    {WEFT_I8, MIN, false, false, true, false, FLAT, 0},
    {WEFT_U8, MAX, true, true, false, false, FLAT | ROWS, 0},
    {WEFT_BOOL, SUM, false, false, false, false, FLAT, 0},
    {WEFT_BOOL, MIN, true, false, false, false, FLAT, 0},
    {WEFT_I16, PROD, false, false, false, false, FLAT, 0},
    {WEFT_U16, SUM, false, true, false, false, FLAT, 0},
    {WEFT_I64, SUM, false, false, true, false, FLAT | ROWS, 0},
    {WEFT_U64, MAX, false, false, false, false, FLAT | ROWS, ROWS},
    {WEFT_I64, MIN, true, false, false, false, FLAT | COLUMNS, 0},
    {WEFT_F16, SUM, false, false, false, false, FLAT | ROWS, 0},
    {WEFT_F16, MAX, false, true, true, false, FLAT, FLAT},
    {WEFT_BF16, SUM, false, false, false, false, FLAT | ROWS, 0},
    {WEFT_F64, SUM, false, false, false, false, FLAT | COLUMNS, 0},
    {WEFT_F64, PROD, true, true, false, true, FLAT, 0},
    {WEFT_C64, SUM, true, false, false, false, FLAT | ROWS, 0},
    {WEFT_C64, PROD, false, false, true, true, FLAT, 0},
    {WEFT_C64, PROD, true, true, false, false, FLAT | COLUMNS, FLAT},
    {WEFT_C128, SUM, false, true, true, false, FLAT, FLAT},
    {WEFT_C128, MAX, false, false, false, false, FLAT | COLUMNS, 0},
};

enum { CONFIGS = sizeof configs / sizeof *configs };

static bool is_slow(void) {
  const char *quirks = getenv("WEFT_QUIRKS");
  return quirks && strstr(quirks, "gpu_kernels");
}

static weft_dtype result_dtype(const config *g) {
  char kind = weft_dtype_kind(g->dtype);
  if ((g->op == SUM || g->op == PROD) && is_integer(g->dtype)) return kind == 'u' ? WEFT_U64 : WEFT_I64;
  return g->dtype;
}

static weft_scan_params params_of(const config *g, const weft_array *flags) {
  weft_scan_params params = {.exclusive = g->exclusive,
                             .reverse = g->reverse,
                             .deterministic = g->deterministic,
                             .flags = g->flags ? flags : NULL};
  if (g->op == LAST) {
    params.combine = "where(b == 0, a, b)";
    params.neutral = WEFT_SCALAR(0);
  } else if (g->op == TIMES) {
    params.combine = "a * b";
    params.neutral = WEFT_SCALAR(1);
  } else {
    params.op = (weft_scan_op)g->op;
  }
  return params;
}

/// The expected result, element by element in the order of the scan.
static void reference(const config *g, void *y, const void *x, const uint8_t *flags, int64_t outer, int64_t length,
                      int64_t inner) {
  weft_dtype to = result_dtype(g);
  for (int64_t o = 0; o < outer; o++)
    for (int64_t c = 0; c < inner; c++) {
      number before = neutral_of(to, g->op);
      bool first = true;
      for (int64_t k = 0; k < length; k++) {
        int64_t r = g->reverse ? length - 1 - k : k, at = (o * length + r) * inner + c;
        number value = as_dtype(to, get(g->dtype, x, at));
        /* flags mark the beginnings of segments in memory: from the end, a segment ends after its flag */
        bool begins = first || (g->flags && (g->reverse ? flags[at + inner] : flags[at]));
        number now = begins ? value : combine(to, g->op, before, value);
        put(to, y, at, g->exclusive ? (begins ? neutral_of(to, g->op) : before) : now);
        before = now;
        first = false;
      }
    }
}

static bool same_element(weft_dtype dtype, const void *a, const void *b, int64_t i) {
  number v = get(dtype, a, i), w = get(dtype, b, i);
  if (is_integer(dtype)) return v.i == w.i;
  if (weft_dtype_kind(dtype) == 'c' && isnan(v.c[0]) && isnan(w.c[0])) return true;
  /* zeros of either sign: products of complex numbers give both */
  return (v.c[0] == w.c[0] || (isnan(v.c[0]) && isnan(w.c[0]))) &&
         (v.c[1] == w.c[1] || (isnan(v.c[1]) && isnan(w.c[1])));
}

static void check_same(const config *g, weft_dtype dtype, const void *got, const void *wanted, int64_t n,
                       const char *what) {
  for (int64_t i = 0; i < n; i++)
    if (!same_element(dtype, got, wanted, i)) {
      number a = get(dtype, got, i), b = get(dtype, wanted, i);
      ck_abort_msg("%s of %s, operation %d%s%s%s%s: element %lld of %lld is %lld (%g %g), expected %lld (%g %g)", what,
                   weft_dtype_name(g->dtype), g->op, g->exclusive ? " exclusive" : "", g->reverse ? " reverse" : "",
                   g->flags ? " flags" : "", g->deterministic ? " deterministic" : "", (long long)i, (long long)n,
                   (long long)a.i, a.c[0], a.c[1], (long long)b.i, b.c[0], b.c[1]);
    }
}

typedef struct room {
  char x[16 * (LONGEST + 8)], got[16 * LONGEST], wanted[16 * LONGEST];
  uint8_t flags[LONGEST + 8];
} room;

/// One case: `shape` around the axis; x begins `shift` elements into its storage.
static void check_case(const config *g, room *r, harness_random *random, int64_t outer, int64_t length, int64_t inner,
                       int64_t shift) {
  int64_t n = outer * length * inner;
  weft_dtype to = result_dtype(g);
  weft_array *whole = NULL, *part = NULL, *x = NULL, *flags = NULL, *y = NULL;
  int often = (int)harness_between(random, 0, 3); /* segments of one element, short ones, long ones */
  for (int64_t i = 0; i < n + shift; i++) put(g->dtype, r->x, i, random_element(random, g->dtype, g->op));
  for (int64_t i = 0; i < n; i++)
    r->flags[i] = (uint8_t)(harness_bits(random) % (often == 0   ? 1
                                                    : often == 1 ? 7
                                                    : often == 2 ? 300
                                                                 : 20000) ==
                                    0
                                ? 1 + (i & 1)
                                : 0);
  ok(weft_from_host(&whole, ctx, g->dtype, WEFT_SHAPE(n + shift), r->x));
  ok(weft_slice(&part, whole, 0, shift, n + shift));
  ok(weft_reshape(&x, part, WEFT_SHAPE(outer, length, inner)));
  ok(weft_from_host(&flags, ctx, WEFT_U8, WEFT_SHAPE(outer, length, inner), r->flags));
  const weft_scan_params params = params_of(g, flags);
  const void *from = r->x + (size_t)shift * weft_dtype_size_bytes(g->dtype);
  if (outer == 1 && inner == 1)
    ok((weft_scan)(&y, x, WEFT_ALL_AXES, &params));
  else
    ok((weft_scan)(&y, x, WEFT_AXES(inner == 1 ? -2 : 1), &params));
  ck_assert_int_eq(weft_array_dtype(y), to);
  ok(weft_to_host(r->got, (size_t)n * weft_dtype_size_bytes(to), y));
  reference(g, r->wanted, from, r->flags, outer, length, inner);
  check_same(g, to, r->got, r->wanted, n, inner > 1 ? "columns" : outer > 1 ? "rows" : "run");
  harness_count(1);
  weft_array_release(&y);
  weft_array_release(&flags);
  weft_array_release(&x);
  weft_array_release(&part);
  weft_array_release(&whole);
}

static int64_t edge(harness_random *random, int64_t most) {
  static const int64_t edges[] = {1, 2, 16, 31, 64, 127, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536};
  int64_t n = edges[harness_between(random, 0, sizeof edges / sizeof *edges - 1)] + harness_between(random, -2, 2);
  if (harness_between(random, 0, 2) == 0) n = harness_between(random, 0, most);
  return n < 0 ? 0 : n > most ? most : n;
}

START_TEST(against_loop)
{
  const config *g = &configs[_i];
  int places = is_slow() ? g->where_slow : g->where;
  harness_random any = harness_random_start(1), random = harness_random_start(100 + (uint64_t)_i);
  if (places == 0 || !harness_has_dtype(g->dtype)) return;
  /* kernels take long to build: a run tests half of them, on GPUs all */
  if (device.type == WEFT_DEVICE_TYPE_CPU && (harness_bits(&any) + (uint64_t)_i) % 2 == 0) return;
  room *r = malloc(sizeof *r);
  ck_assert_ptr_nonnull(r);
  /* one tile, then several, at their edges */
  for (int k = 0; k < (is_slow() ? 5 : 10) && places & FLAT; k++)
    check_case(g, r, &random, 1, edge(&random, k & 1 ? 5000 : 66000), 1, 0);
  if (places & FLAT) check_case(g, r, &random, 1, 0, 1, 0);
  for (int k = 0; k < 3 && places & SHIFTED; k++) check_case(g, r, &random, 1, edge(&random, 5000), 1, 1);
  for (int k = 0; k < 7 && places & ROWS; k++) {
    int64_t length = k == 0 ? 1 : edge(&random, k & 1 ? 30 : 32000);
    check_case(g, r, &random, harness_between(&random, 2, length ? 66000 / length : 3), length, 1, 0);
  }
  for (int k = 0; k < 7 && places & COLUMNS; k++) {
    int64_t inner = k < 2 ? harness_between(&random, 2, 5) : harness_between(&random, 20, 400),
            length = edge(&random, 60000 / inner);
    check_case(g, r, &random, length ? harness_between(&random, 1, 65000 / (inner * length)) : 2, length, inner, 0);
  }
  free(r);
}
END_TEST

/* ---- results and operands of other forms ---- */

START_TEST(forms)
{
  static const int32_t table[2][3] = {{1, -2, 3}, {4, 5, -6}};
  static const float reals[4] = {-0.0f, 1.5f, NAN, 2};
  int64_t sums[6], more[6];
  int32_t narrow[6];
  float real[4];
  if (is_slow()) return;
  weft_array *x = NULL, *turned = NULL, *y = NULL, *z = NULL, *every_other = NULL, *none = NULL;
  ok(weft_from_host(&x, ctx, WEFT_I32, WEFT_SHAPE(2, 3), table));
  ok(weft_cumsum(WEFT_HOST_OUT(sums, WEFT_I64, WEFT_SHAPE(6)), x, WEFT_ALL_AXES));
  ck_assert(sums[0] == 1 && sums[1] == -1 && sums[2] == 2 && sums[5] == 5);
  ok(weft_zeros(&y, ctx, WEFT_I64, WEFT_SHAPE(2, 3)));
  ok(weft_cumsum(&y, WEFT_HOST(table, WEFT_I32, WEFT_SHAPE(2, 3)), 0));
  ok(weft_to_host(sums, sizeof sums, y));
  weft_array_release(&y);
  ck_assert(sums[0] == 1 && sums[3] == 5 && sums[4] == 3 && sums[5] == -3);
  /* a transposed view as operand, and as result */
  ok(weft_transpose(&turned, x, WEFT_ALL_AXES));
  ok(weft_cumsum(&y, turned, 1));
  ok(weft_to_host(sums, sizeof sums, y));
  ck_assert(sums[0] == 1 && sums[1] == 5 && sums[2] == -2 && sums[3] == 3 && sums[5] == -3);
  ok(weft_zeros(&z, ctx, WEFT_I32, WEFT_SHAPE(3, 4)));
  ok(weft_slice(&every_other, z, 1, 0, 4, .step = 2));
  ok(weft_scan(&every_other, turned, -1, .dtype = WEFT_I32, .reverse = true));
  ok(weft_copy(&none, every_other));
  ok(weft_to_host(narrow, sizeof narrow, none));
  ck_assert(narrow[0] == 5 && narrow[1] == 4 && narrow[2] == 3 && narrow[4] == -3 && narrow[5] == -6);
  weft_array_release(&none);
  /* in place, and over a part of itself */
  ok(weft_cummax(&x, x, 1));
  ok(weft_to_host(narrow, sizeof narrow, x));
  ck_assert(narrow[0] == 1 && narrow[1] == 1 && narrow[2] == 3 && narrow[3] == 4 && narrow[4] == 5 && narrow[5] == 5);
  weft_array_release(&y);
  ok(weft_full(&y, ctx, WEFT_I64, WEFT_SHAPE(6), 3));
  weft_array *front = NULL, *back = NULL;
  ok(weft_slice(&front, y, 0, 0, 5));
  ok(weft_slice(&back, y, 0, 1, 6));
  ok(weft_cumprod(&back, front, 0));
  ok(weft_to_host(more, sizeof more, y));
  ck_assert(more[0] == 3 && more[1] == 3 && more[2] == 9 && more[5] == 243);
  /* signs of zero, and NaN */
  weft_array *special = NULL;
  ok(weft_from_host(&special, ctx, WEFT_F32, WEFT_SHAPE(4), reals));
  ok(weft_cumsum(WEFT_HOST_OUT(real, WEFT_F32, WEFT_SHAPE(4)), special, 0));
  ck_assert(real[0] == 0 && signbit(real[0]) && real[1] == 1.5f && isnan(real[2]) && isnan(real[3]));
  ok(weft_scan(WEFT_HOST_OUT(real, WEFT_F32, WEFT_SHAPE(4)), special, 0, .exclusive = true));
  ck_assert(real[0] == 0 && !signbit(real[0]) && !signbit(real[1]) && real[2] == 1.5f && isnan(real[3]));
  ok(weft_cummin(WEFT_HOST_OUT(real, WEFT_F32, WEFT_SHAPE(4)), special, 0));
  ck_assert(real[1] == 0 && isnan(real[2]) && isnan(real[3]));
  /* no axes: one element; also a scalar */
  weft_array_release(&none);
  weft_array_release(&z);
  ok(weft_full(&z, ctx, WEFT_I32, WEFT_SHAPE_0D, 7));
  ok(weft_cumsum(&none, z, WEFT_ALL_AXES));
  ck_assert(weft_array_ndim(none) == 1 && weft_array_size(none) == 1 && weft_array_dtype(none) == WEFT_I64);
  ok(weft_to_host(sums, sizeof *sums, none));
  ck_assert(sums[0] == 7);
  harness_count(11);
  weft_array_release(&special);
  weft_array_release(&front);
  weft_array_release(&back);
  weft_array_release(&none);
  weft_array_release(&every_other);
  weft_array_release(&z);
  weft_array_release(&y);
  weft_array_release(&turned);
  weft_array_release(&x);
}
END_TEST

/* ---- sums of reals ---- */

/* Floats are grouped in the same way in every run, whichever tiles are finished first. */
START_TEST(real_sums)
{
  enum { N = 500021 };
  harness_random random = harness_random_start(7);
  float *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y), *again = malloc(N * sizeof *again);
  weft_array *a = NULL, *b = NULL;
  ck_assert(x && y && again);
  for (int i = 0; i < N; i++) x[i] = (float)((double)(harness_bits(&random) >> 11) * 0x1p-53 - 0.25);
  ok(weft_from_host(&a, ctx, WEFT_F32, WEFT_SHAPE(N), x));
  for (int deterministic = 0; deterministic < 2; deterministic++) {
    ok(weft_scan(&b, a, 0, .deterministic = deterministic));
    ok(weft_to_host(y, N * sizeof *y, b));
    double sum = 0, magnitude = 0;
    for (int i = 0; i < N; i++) {
      sum += (double)x[i];
      magnitude += fabs((double)x[i]);
      /* at worst, a tile's elements in sequence, then the tiles */
      ck_assert_msg(fabs((double)y[i] - sum) <= magnitude * 0x1p-24 * 128, "element %d is %.9g, expected %.9g", i,
                    (double)y[i], sum);
    }
    for (int k = 0; k < 20; k++) {
      ok(weft_cumsum(&b, a, 0, .deterministic = deterministic));
      ok(weft_to_host(again, N * sizeof *again, b));
      ck_assert(memcmp(y, again, N * sizeof *y) == 0);
    }
    harness_count(1);
  }
  weft_array_release(&b);
  weft_array_release(&a);
  free(x);
  free(y);
  free(again);
}
END_TEST

/* The bits of all devices, whatever the place of the elements in memory. */
START_TEST(reproducible_sums)
{
  enum { N = 100003 };
  float *x = malloc((N + 1) * sizeof *x);
  uint32_t sum = 0, last = 0;
  weft_context *context = NULL;
  weft_array *a = NULL, *later = NULL, *copy = NULL, *y = NULL, *end = NULL;
  ck_assert(x);
  x[0] = 0;
  for (int i = 1; i <= N; i++) x[i] = (float)(i % 2 ? 1.0 / i : -0.5 / i);
  weft_status rc = weft_context_create(&context, .device = device.selector, .reproducible = true);
  if (rc == WEFT_ERROR_UNSUPPORTED) {
    ck_assert_msg(strstr(weft_error_last()->message, "reproducible context needs"), "%s", weft_error_last()->message);
    free(x);
    return;
  }
  ok(rc);
  ok(weft_from_host(&a, context, WEFT_F32, WEFT_SHAPE(N + 1), x));
  ok(weft_slice(&later, a, 0, 1, N + 1));
  ok(weft_sum(WEFT_HOST_OUT(&sum, WEFT_F32, WEFT_SHAPE_0D), later, 0));
  ck_assert_msg(sum == 0x4062b6d1u, "the sum's bits are 0x%x", sum);
  ok(weft_copy(&copy, later));
  ok(weft_sum(WEFT_HOST_OUT(&sum, WEFT_F32, WEFT_SHAPE_0D), copy, 0));
  ck_assert_msg(sum == 0x4062b6d1u, "the sum of a copy has the bits 0x%x", sum);
  ok(weft_cumsum(&y, later, 0));
  ok(weft_slice(&end, y, 0, N - 1, N));
  ok(weft_to_host(&last, sizeof last, end));
  ck_assert_msg(last == 0x4062b6d1u, "the last running sum's bits are 0x%x", last);
  weft_release(&a, &later, &copy, &y, &end);
  ok(weft_context_close(&context));
  free(x);
  harness_count(3);
}
END_TEST

START_TEST(infinite_factors)
{
  const weft_c64 x[3] = {{INFINITY, 0}, {2, 0}, {0, 1}};
  weft_c64 y[3];
  weft_array *a = NULL;
  ok(weft_from_host(&a, ctx, WEFT_C64, WEFT_SHAPE(3), x));
  ok(weft_cumprod(WEFT_HOST_OUT(y, WEFT_C64, WEFT_SHAPE(3)), a, 0));
  ck_assert(isinf(y[0].re) && y[0].im == 0 && isinf(y[1].re) && isnan(y[1].im));
  ok(weft_scan(WEFT_HOST_OUT(y, WEFT_C64, WEFT_SHAPE(3)), a, 0, .op = WEFT_SCAN_PROD, .exclusive = true));
  ck_assert(y[0].re == 1 && y[0].im == 0 && isinf(y[1].re) && y[1].im == 0);
  weft_array_release(&a);
  harness_count(2);
}
END_TEST

/* ---- errors ---- */

START_TEST(errors)
{
  weft_array *x = NULL, *y = NULL, *flags = NULL, *wide = NULL, *none = NULL;
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(2, 3)));
  ok(weft_ones(&wide, ctx, WEFT_I32, WEFT_SHAPE(2, 3)));
  ok(weft_ones(&flags, ctx, WEFT_BOOL, WEFT_SHAPE(3, 2)));
  expect_error(weft_cumsum(&y, x, 2), WEFT_ERROR_AXIS, "axis 2", "-2 to 1", "@axis");
  ok(weft_reshape(&none, wide, WEFT_SHAPE(6)));
  ok(weft_pick(&y, none, 0, 0));
  expect_error(weft_cumsum(&wide, y, 0), WEFT_ERROR_AXIS, "axis 0", "no axes");
  weft_array_release(&y);
  weft_array_release(&none);
  expect_error(weft_cumsum(&y, none, 0), WEFT_ERROR_HANDLE, "`x`", "@x");
  expect_error(weft_cummax(&flags, x, 0), WEFT_ERROR_SHAPE, "`out` is bool[3,2], the result is f32[2,3]");
  expect_error(weft_cumsum(&wide, x, 0), WEFT_ERROR_DTYPE, "f32", "i32", "@out");
  expect_error(weft_cumsum(&wide, x, WEFT_ALL_AXES), WEFT_ERROR_SHAPE, "f32[6]", "i32[2,3]");
  expect_error(weft_scan(&y, x, 0, .flags = flags), WEFT_ERROR_SHAPE, "`x` is f32[2,3], `flags` is bool[3,2]",
               "@flags");
  expect_error(weft_scan(&y, x, 0, .flags = x), WEFT_ERROR_DTYPE, "`flags` is f32; expected bool or u8", "@flags");
  expect_error(weft_scan(&y, x, 0, .op = WEFT_SCAN_MAX, .combine = "a + b", .neutral = WEFT_SCALAR(0)),
               WEFT_ERROR_ARGUMENT, "both `op` and `combine`", "@op");
  expect_error(weft_cumsum(&y, x, 0, .neutral = WEFT_SCALAR(0)), WEFT_ERROR_ARGUMENT, "without `combine`", "@neutral");
  expect_error(weft_scan(&y, x, 0, .op = (weft_scan_op)9), WEFT_ERROR_ARGUMENT, "`op` is 9", "@op");
  expect_error(weft__cumulate_at((weft_scan_op)-1, WEFT_OPERAND(&y), WEFT_OPERAND(x), WEFT_AXES(0), NULL),
               WEFT_ERROR_ARGUMENT, "`op` is -1", "@op");
  expect_error(weft_scan(&y, x, 0, .combine = "a + b"), WEFT_ERROR_ARGUMENT, "without `neutral`", "@neutral");
  expect_error(weft_scan(&y, x, 0, .combine = "a + c", .neutral = WEFT_SCALAR(0)), WEFT_ERROR_EXPRESSION, "expr:1:5",
               "`c`");
  if (device.has_fp64)
    expect_error(weft_scan(&y, wide, 0, .combine = "a / b", .neutral = WEFT_SCALAR(1)), WEFT_ERROR_EXPRESSION, "f64",
                 "i32");
  expect_error(weft_scan(&y, x, 0, .dtype = WEFT_I32), WEFT_ERROR_DTYPE, "`x` is f32", "i32", "@dtype");
  expect_error(weft_scan(&y, flags, 0, .dtype = WEFT_BOOL), WEFT_ERROR_DTYPE, "`dtype` is bool", "@dtype");
  expect_error(weft_scan(&y, x, 0, .dtype = (weft_dtype)77), WEFT_ERROR_DTYPE, "77");
  expect_error(weft_cummax(&y, x, 0, .op = WEFT_SCAN_MIN), WEFT_ERROR_ARGUMENT, "only weft_scan takes it", "@op");
  expect_error(weft_cumsum(&y, x, 0, .combine = "a + b"), WEFT_ERROR_ARGUMENT, "only weft_scan takes it", "@combine");
  expect_error(weft_cumsum(&y, x, WEFT_AXES(0, 1)), WEFT_ERROR_AXIS, "2 axes were given; expected one", "@axis");
  expect_error(weft_scan(&y, x, weft_keepdims(1)), WEFT_ERROR_AXIS, "weft_keepdims", "@axis");
  ck_assert_ptr_null(y);
  ok(weft_scan(&y, x, 0));
  weft_array_release(&y);
  ok(weft_cumsum(&y, x, WEFT_AXES(-1)));
  harness_count(22);
  weft_array_release(&y);
  weft_array_release(&wide);
  weft_array_release(&flags);
  weft_array_release(&x);
}
END_TEST

/// A scan of one run of elements is one launch.
START_TEST(one_launch)
{
  weft_array *x = NULL, *y = NULL;
  ok(weft_ones(&x, ctx, WEFT_F32, WEFT_SHAPE(1 << 16)));
  ok(weft_cumsum(&y, x, 0)); /* also makes the memory by which blocks wait */
  const uint64_t before = harness_launches();
  ok(weft_cumsum(&y, x, 0));
  if (harness_blocks_wait()) ck_assert_uint_eq(harness_launches() - before, 1);
  float last = 0;
  weft_array *end = NULL;
  ok(weft_pick(&end, y, 0, -1));
  ok(weft_to_host(&last, sizeof last, end));
  ck_assert(last == 65536.0f);
  harness_count(1);
  weft_release(&x, &y, &end);
}
END_TEST

static void add(Suite *suite) {
  TCase *tc = harness_context_case(suite, "values");
  tcase_add_loop_test(tc, against_loop, 0, CONFIGS);
  tc = harness_context_case(suite, "forms");
  tcase_add_test(tc, forms);
  tcase_add_test(tc, real_sums);
  tcase_add_test(tc, reproducible_sums);
  tcase_add_test(tc, infinite_factors);
  tcase_add_test(tc, one_launch);
  tcase_add_test(tc, errors);
}

int main(void) {
  static const harness_suite suite = {.name = "scan", .add = add};
  return harness_main(&suite);
}
