// SPDX-License-Identifier: MIT
/// Distributed arrays against one rank and against one device, bit by bit: run under mpirun with any number of ranks.
///
///   dist_suite [--share N [--turn T]] [--only NAME] [--large N]   operations on arrays of many lengths: one in N, from
///                                             number T on; those whose name has NAME; "large sorts" of N elements
#include "dist_operations.h"
#include "dist_random.h"

static int share = 1, first_case = 0;
static const char *only = "";
enum { LARGE = 90001 };
static int64_t large = LARGE;

/* ---- data ---- */

typedef struct sample {
  const char *name;
  weft_dtype dtype;
  weft_shape shape;
  /* 0: random, 1: all equal, 2: sorted, 3: reversed, 4: three values, 5: many zeros of both signs, NaNs, 6: random over
     a wide range, 7: even over 2^20 integers, 8: so, and the first half of the elements are the lesser ones, 9: even
     over 128 of these integers */
  int kind;
} sample;

static double number(const sample *s, int64_t i, uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  const double random = (double)(*state >> 8) / (1 << 24);
  if (s->kind == 1) return 3;
  if (s->kind == 2) return (double)i;
  if (s->kind == 3) return -(double)i;
  if (s->kind == 4) return floor(random * 3);
  if (s->kind == 7) return floor(random * (1 << 20)) - (s->dtype == WEFT_U32 ? 0 : 1 << 19);
  if (s->kind == 8) return floor((random + (i > s->shape.dim[0] / 2)) * (1 << 19));
  if (s->kind == 9) return floor(random * 128) * 8192 + 5;
  if (s->kind == 5 && i % 20 == 7) return i % 3 == 0 ? (double)NAN : i % 3 == 1 ? -0.0 : 0.0;
  if (s->kind == 6) return floor((random - 0.5) * 0x1p40);
  if (weft_dtype_kind(s->dtype) == 'f') return i % 97 == 13 ? -0.0 : (random - 0.5) * exp2((double)(i % 40) - 20);
  return floor(random * 100);
}

/// The whole array, as rank 0 has it.
static weft_array *make(const sample *s, weft_context *context) {
  int64_t size = 1;
  uint32_t state = 12345;
  weft_array *wide = NULL, *x = NULL;
  for (int d = 0; d < s->shape.ndim; d++) size *= s->shape.dim[d];
  double *data = malloc(sizeof *data * (size_t)(size + 1));
  for (int64_t i = 0; i < size; i++) data[i] = number(s, i, &state);
  OK("make", weft_from_host(&wide, context, WEFT_F64, s->shape, data));
  OK("make", weft_cast(&x, wide, s->dtype));
  weft_array_release(&wide);
  free(data);
  return x;
}

/* ---- comparing ---- */

/// Whether the element of byte k is NaN on both sides: made as a result, it has any bits.
static bool are_nan(weft_dtype dtype, const char *x, const char *y, size_t k) {
  float a[2] = {0};
  double b[2] = {0};
  if (dtype == WEFT_F32) {
    memcpy(&a[0], x + k / 4 * 4, 4);
    memcpy(&a[1], y + k / 4 * 4, 4);
  } else if (dtype == WEFT_F64) {
    memcpy(&b[0], x + k / 8 * 8, 8);
    memcpy(&b[1], y + k / 8 * 8, 8);
  }
  return (isnan(a[0]) && isnan(a[1])) || (isnan(b[0]) && isnan(b[1]));
}

/// On rank 0.
static void compare(const char *what, const weft_array *got, const weft_array *expected) {
  const size_t bytes = (size_t)weft_array_size_bytes(expected);
  const weft_shape a = weft_array_shape(got), b = weft_array_shape(expected);
  if (weft_array_dtype(got) != weft_array_dtype(expected) || a.ndim != b.ndim ||
      memcmp(a.dim, b.dim, sizeof a.dim[0] * (size_t)a.ndim) != 0) {
    report(what, "another dtype or shape");
    return;
  }
  char *x = calloc(2, bytes + 1), *y = x + bytes;
  OK(what, weft_to_host(x, bytes, got));
  OK(what, weft_to_host(y, bytes, expected));
  checks++;
  for (size_t k = 0; k < bytes; k++)
    if (x[k] != y[k] && !are_nan(weft_array_dtype(got), x, y, k)) {
      char why[80];
      snprintf(why, sizeof why, "byte %zu of %zu differs", k, bytes);
      report(what, why);
      break;
    }
  free(x);
}

static weft_array *whole_of(const char *what, const weft_dist_array *x) {
  weft_array *all = NULL;
  OK(what, weft_dist_gather(&all, x, 0));
  return all;
}

/// Whole and summarised, split along the first and the last axis, as one device prints it.
static void try_text(const sample *s, weft_dist *grid, const weft_array *data) {
  static const weft_print_params options[] = {
      {0}, {.threshold = 5}, {.threshold = 5, .edge_items = 1}, {.threshold = -1, .precision = 3, .line_width = 40}};
  for (int k = 0; k < 8; k++) {
    const weft_print_params *o = &options[k / 2];
    weft_dist_array *x = NULL;
    char *text = NULL, *expected = NULL;
    if (s->shape.dim[0] > 1000 && o->threshold < 0) continue;
    OK("text", weft_dist_scatter(&x, grid, data, 0, k % 2 ? s->shape.ndim - 1 : 0));
    OK("text", weft_dist_array_to_text(&text, x, .threshold = o->threshold, .edge_items = o->edge_items,
                                       .precision = o->precision, .line_width = o->line_width));
    if (rank == 0)
      OK("text", weft_array_to_text(&expected, data, .threshold = o->threshold, .edge_items = o->edge_items,
                                    .precision = o->precision, .line_width = o->line_width));
    if (rank == 0 && text && expected && strcmp(text, expected) != 0) report(text, expected);
    if (rank > 0 && text) report("text", "on another rank than 0");
    checks += rank == 0;
    weft_free(text);
    weft_free(expected);
    weft_dist_array_release(&x);
  }
}

static bool applies(int needs, const sample *s) {
  const bool is_float = weft_dtype_kind(s->dtype) == 'f';
  int64_t size = 1;
  for (int d = 0; d < s->shape.ndim; d++) size *= s->shape.dim[d];
  return (!(needs & ONE_AXIS) || s->shape.ndim == 1) && (!(needs & TWO_AXES) || s->shape.ndim > 1) &&
         (!(needs & INTEGERS) || !is_float) && (!(needs & MATRIX) || s->shape.ndim == 2) &&
         (!(needs & NOT_EMPTY) || size > 0);
}

/// What one rank makes of the whole array, and one device, if that is comparable.
static void run_alone(int k, const sample *s, weft_dist *single, const weft_array *data, weft_array *expected[2]) {
  const bool is_float = weft_dtype_kind(s->dtype) == 'f';
  weft_dist_array *x = NULL, *y = NULL;
  OK(s->name, weft_dist_scatter(&x, single, data, 0, 0));
  OK(operations[k].name, operations[k].run(&y, x, single));
  if (y) expected[0] = whole_of(operations[k].name, y);
  if (operations[k].reference && !(is_float && operations[k].needs & NOT_PLAIN_FLOATS))
    OK(operations[k].name, operations[k].reference(&expected[1], data));
  weft_dist_array_release(&x);
  weft_dist_array_release(&y);
}

static void try_operation(int k, const sample *s, weft_dist *grid, weft_dist *single, const weft_array *data) {
  char what[160];
  weft_dist_array *x = NULL, *y = NULL;
  weft_array *expected[2] = {NULL};
  snprintf(what, sizeof what, "%s, %s", operations[k].name, s->name);
  if (!applies(operations[k].needs, s)) return;
  /* first: it builds the kernels, which the other ranks then find in the driver's cache */
  if (rank == 0) run_alone(k, s, single, data, expected);
  OK(what, weft_dist_scatter(&x, grid, data, 0, 0));
  OK(what, operations[k].run(&y, x, grid));
  weft_array *got = y ? whole_of(what, y) : NULL;
  for (int e = 0; e < 2 && got; e++)
    if (expected[e]) compare(what, got, expected[e]);
  weft_dist_array_release(&x);
  weft_dist_array_release(&y);
  weft_release(&got, &expected[0], &expected[1]);
}

/* ---- random numbers ---- */

/// Three draws of different generators, each of which begins where the one before has ended.
static void try_draws(int d, int round, weft_dist *grid, weft_context *context) {
  const weft_generator generator = round % 3 == 2 ? WEFT_PHILOX4X64 : WEFT_PHILOX4X32;
  const weft_dtype dtype = distributions[d].dtypes[round % 2];
  const weft_shape shape = round % 2 ? WEFT_SHAPE(37, 5) : WEFT_SHAPE(1001);
  char what[60];
  weft_rng *rng = NULL, *other = NULL;
  weft_rng_state state, expected_state;
  snprintf(what, sizeof what, "%s of %s", distributions[d].name, weft_dtype_name(dtype));
  OK(what, weft_rng_create(&rng, .seed = 7, .generator = generator));
  OK(what, weft_rng_create(&other, .seed = 7, .generator = generator, .context = context));
  OK(what, weft_rng_skip(rng, (uint64_t)(round % 4)));
  OK(what, weft_rng_skip(other, (uint64_t)(round % 4)));
  for (int draw = 0; draw < 3; draw++) {
    weft_dist_array *x = NULL;
    weft_array *expected = NULL;
    if (rank == 0) OK(what, distributions[d].plain(&expected, other, dtype, shape));
    OK(what, distributions[d].dist(&x, grid, rng, dtype, shape));
    weft_array *got = x ? whole_of(what, x) : NULL;
    if (got && expected) compare(what, got, expected);
    weft_release(&got, &expected);
    weft_dist_array_release(&x);
  }
  OK(what, weft_rng_get_state(&state, rng));
  OK(what, weft_rng_get_state(&expected_state, other));
  if (rank == 0 && memcmp(&state, &expected_state, sizeof state) != 0) report(what, "another state behind it");
  weft_rng_release(&rng);
  weft_rng_release(&other);
}

static void try_random(weft_dist *grid, weft_context *context) {
  for (int round = 0; round < 6; round++)
    for (int d = 0; d < DISTRIBUTIONS; d++)
      if ((round * DISTRIBUTIONS + d + ranks + first_case) % share == 0) try_draws(d, round, grid, context);
}

/// The transport that WEFT_DIST_TRANSPORT names was not left for another one.
static void check_transport(const weft_dist *grid) {
  static const char *const names[][2] = {{"window", "windows in the GPUs' memory"},
                                         {"nccl", "NCCL"},
                                         {"mpi", "MPI on the GPU's memory"},
                                         {"shared", "memory of the host that ranks share"},
                                         {"staged", "pinned staging"},
                                         {"host", "host memory"}};
  const char *wanted = getenv("WEFT_DIST_TRANSPORT");
  weft_dist_info info;
  OK("info", weft_dist_get(&info, grid));
  if (getenv("WEFT_TEST_TWO_HOSTS") && info.host_ranks == info.ranks) report("two hosts", "there is one");
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (wanted && strcmp(wanted, names[k][0]) == 0 && strcmp(info.transport, names[k][1]) != 0)
      report("transport", info.transport);
}

/// Rows of any number on each rank, in memory of the host's on devices that take it (CUDA does not see it).
static void try_own_memory(weft_dist *grid, weft_context *context) {
  enum { MOST = 20480 };
  const int64_t mine = 7000 * (rank % 3), before = 7000 * (rank / 3 * 3 + (rank % 3 == 2));
  float *data = aligned_alloc(4096, MOST * sizeof *data);
  weft_array *local = NULL, *expected = NULL;
  weft_dist_array *x = NULL;
  for (int64_t k = 0; k < mine; k++) data[k] = (float)(before + k);
  if (mine == 0 || weft_wrap_host(&local, context, WEFT_F32, WEFT_SHAPE(mine), data) == WEFT_ERROR_UNSUPPORTED)
    OK("own memory", weft_from_host(&local, context, WEFT_F32, WEFT_SHAPE(mine), data));
  OK("own memory", weft_dist_from_local(&x, grid, local, 0));
  weft_array *got = whole_of("own memory", x);
  if (rank == 0)
    OK("own memory", weft_arange(&expected, context, WEFT_F32, 0, 7000 * (ranks / 3 * 3 + (ranks % 3 == 2)), 1));
  if (rank == 0) compare("own memory", got, expected);
  weft_release(&local, &got, &expected);
  weft_dist_array_release(&x);
  free(data);
}

/// Variances are grouped otherwise than on one device: the same numbers up to rounding.
static void compare_nearly(const char *what, const weft_dist_array *y, const weft_array *single) {
  double got[7] = {0}, expected[7] = {0};
  OK(what, weft_to_host(got, sizeof got, weft_dist_local(y)));
  if (rank == 0) OK(what, weft_to_host(expected, sizeof expected, single));
  for (int k = 0; k < 7 && rank == 0; k++) {
    checks++;
    if (!(fabs(got[k] - expected[k]) < 1e-12)) report(what, "other numbers than on one device");
  }
}

static void try_variance(weft_dist *grid, weft_context *context) {
  weft_rng *rng = NULL;
  weft_array *data = NULL, *single = NULL, *single_nan = NULL;
  weft_dist_array *x = NULL, *y = NULL, *z = NULL;
  OK("variance", weft_rng_create(&rng, .seed = 3, .context = context));
  if (rank == 0) OK("variance", weft_normal(&data, rng, WEFT_F64, WEFT_SHAPE(1000, 7), 0.5, 2));
  if (rank == 0) OK("variance", weft_std(&single, data, 0, .ddof = 1));
  if (rank == 0) OK("variance", plain_nanstd(&single_nan, data));
  OK("variance", weft_dist_scatter(&x, grid, data, 0, 0));
  OK("variance", weft_dist_std(&y, x, 0, .ddof = 1));
  OK("variance", dist_nanstd(&z, x, grid));
  compare_nearly("variance", y, single);
  compare_nearly("variance without NaN", z, single_nan);
  weft_release(&data, &single, &single_nan);
  weft_rng_release(&rng);
  weft_dist_array_release(&x);
  weft_dist_array_release(&y);
  weft_dist_array_release(&z);
}

/// Sums of several panels, and tiles whose rows two ranks have.
static void try_long_product(weft_dist *grid, weft_dist *single) {
  weft_dist_array *a[2] = {NULL}, *b[2] = {NULL}, *c[2] = {NULL};
  weft_array *got[2] = {NULL}, *plain_a = NULL, *plain_b = NULL, *plain_c = NULL, *difference = NULL;
  for (int k = 0; k < 2; k++) {
    weft_dist *of = k ? single : grid;
    weft_rng *rng = NULL;
    OK("product", weft_rng_create(&rng, .seed = 5));
    OK("product", weft_dist_uniform(&a[k], of, rng, WEFT_F32, WEFT_SHAPE(150, 20000), -1, 1));
    OK("product", weft_dist_uniform(&b[k], of, rng, WEFT_F32, WEFT_SHAPE(20000, 9), -1, 1));
    OK("product", weft_dist_matmul(&c[k], a[k], b[k]));
    OK("product", weft_dist_gather(&got[k], c[k], 0));
    weft_rng_release(&rng);
  }
  OK("product", weft_dist_gather(&plain_a, a[1], 0));
  OK("product", weft_dist_gather(&plain_b, b[1], 0));
  if (rank == 0) {
    double most = 1;
    compare("product of 20000 columns", got[0], got[1]);
    OK("product", weft_matmul(&plain_c, plain_a, plain_b, .dtype = WEFT_F64));
    OK("product", weft_subtract(&plain_c, plain_c, got[0]));
    OK("product", weft_norm(&difference, plain_c, WEFT_ALL_AXES, .order = INFINITY));
    OK("product", weft_to_host(&most, sizeof most, difference));
    checks++;
    if (!(most < 1e-3)) report("product", "other numbers than on one device");
  }
  weft_release(&got[0], &got[1], &plain_a, &plain_b, &plain_c, &difference);
  for (int k = 0; k < 2; k++) {
    weft_dist_array_release(&a[k]);
    weft_dist_array_release(&b[k]);
    weft_dist_array_release(&c[k]);
  }
}

/// Sums and maxima of a row on each rank.
static void try_all_reduce(weft_dist *grid, weft_dist *single) {
  for (int k = 0; k < 4; k++) {
    weft_dist_array *x[2] = {NULL}, *y[2] = {NULL};
    weft_array *got[2] = {NULL};
    for (int j = 0; j < 2; j++) {
      const weft_shape shape = WEFT_SHAPE(ranks, 9001);
      weft_rng *rng = NULL;
      OK("all-reduce", weft_rng_create(&rng, .seed = 6));
      OK("all-reduce", k < 2 ? weft_dist_uniform(&x[j], j ? single : grid, rng, WEFT_F32, shape, -1, 1)
                             : weft_dist_integers(&x[j], j ? single : grid, rng, WEFT_I16, shape, -30000, 30000));
      OK("all-reduce", k % 2 ? weft_dist_max(&y[j], x[j], 0) : weft_dist_sum(&y[j], x[j], 0));
      got[j] = whole_of("all-reduce", y[j]);
      weft_rng_release(&rng);
    }
    if (rank == 0) compare(k % 2 ? "maxima of a row on each rank" : "sums of a row on each rank", got[0], got[1]);
    weft_release(&got[0], &got[1]);
    for (int j = 0; j < 2; j++) {
      weft_dist_array_release(&x[j]);
      weft_dist_array_release(&y[j]);
    }
  }
}

/// The bytes that Weft's commands of a kind have copied since the profile was started.
static uint64_t copied_bytes(weft_context *context, weft_profile_kind kind) {
  weft_profile_row *rows = NULL;
  uint64_t count = 0, bytes = 0;
  OK("profile", weft_profile_get(&rows, &count, NULL, context));
  for (uint64_t k = 0; k < count; k++)
    if (rows[k].kind == kind) bytes += rows[k].bytes;
  weft_free(rows);
  return bytes;
}

/// By memory that the ranks share, a byte is copied there and from there, and nowhere else.
static void check_shared(weft_context *context, const weft_dist_array_info *x) {
  const uint64_t own = 8 * (uint64_t)x->count, all = 8 * (uint64_t)x->shape.dim[0], others = (uint64_t)ranks - 1;
  const uint64_t back = copied_bytes(context, WEFT_PROFILE_COPY_BACK), in = copied_bytes(context, WEFT_PROFILE_COPY_IN);
  char why[100];
  snprintf(why, sizeof why, "%llu bytes into it, %llu out of it", (unsigned long long)back, (unsigned long long)in);
  checks++;
  if (back != own * others || in != all - own) report("copies by shared memory", why);
}

/// On CPU devices MPI has the arrays' own memory: an exchange copies nothing that MPI does not copy.
static void try_copies(weft_dist *grid, weft_context *context) {
  enum { N = 270000 }; /* over 2 MiB: fewer bytes are collected by mail, which takes the own ones too */
  weft_dist_array *x = NULL, *y = NULL, *z = NULL;
  weft_array *whole = NULL;
  weft_dist_info info;
  weft_dist_array_info split;
  OK("copies", weft_dist_get(&info, grid));
  const bool is_shared = strcmp(info.transport, "memory of the host that ranks share") == 0;
  if (!is_shared && strcmp(info.transport, "host memory") != 0) return;
  OK("copies", weft_dist_arange(&x, grid, WEFT_F64, 0, N, 1));
  OK("copies", weft_dist_array_get(&split, x));
  OK("copies", weft_profile_start(context));
  OK("copies", weft_dist_resplit(&y, x, WEFT_DIST_WHOLE));
  if (is_shared) check_shared(context, &split);
  OK("copies", weft_dist_gather(&whole, x, 0));
  OK("copies", weft_dist_scatter(&z, grid, whole, 0, 0));
  const uint64_t moved = copied_bytes(context, WEFT_PROFILE_COPY_IN) + copied_bytes(context, WEFT_PROFILE_COPY) +
                         copied_bytes(context, WEFT_PROFILE_COPY_BACK);
  OK("copies", weft_profile_stop(context));
  char why[40];
  snprintf(why, sizeof why, "%llu bytes", (unsigned long long)moved);
  checks++;
  if (!is_shared && moved != 0) report("copies by resplit, gather and scatter", why);
  weft_dist_array_release(&x);
  weft_dist_array_release(&y);
  weft_dist_array_release(&z);
  weft_array_release(&whole);
}

/// Launches of the kernels that sort by windows: of the pass that divides, of those over bins, and of their last one.
typedef struct launches {
  int64_t divide, spread, settle;
} launches;

/// Since the profile was started or cleared; clears it.
static launches take_launches(weft_context *context) {
  weft_profile_row *rows = NULL;
  uint64_t count = 0;
  launches l = {0};
  OK("profile", weft_profile_get(&rows, &count, NULL, context));
  for (uint64_t k = 0; k < count; k++) {
    if (strcmp(rows[k].kernel, "weft_divide") == 0) l.divide += (int64_t)rows[k].calls;
    if (strcmp(rows[k].kernel, "weft_spread") == 0) l.spread += (int64_t)rows[k].calls;
    if (strcmp(rows[k].kernel, "weft_settle") == 0) l.settle += (int64_t)rows[k].calls;
  }
  weft_free(rows);
  OK("profile", weft_profile_clear(context));
  return l;
}

/// The sort went the way that is meant for such elements, and went on from there where a room is too small: of kind 8
/// after the first pass over bins, of kind 9 after the last one.
static void check_way(const sample *s, weft_context *context) {
  const launches is = take_launches(context);
  const launches asked = {s->kind != 7, s->kind < 7 ? 0 : s->kind == 8 ? 1 : 2, s->kind == 7 || s->kind == 9};
  char why[100];
  snprintf(why, sizeof why, "launches of weft_divide %d, weft_spread %d, weft_settle %d", (int)is.divide,
           (int)is.spread, (int)is.settle);
  checks++;
  if (memcmp(&is, &asked, sizeof is) != 0) report(s->name, why);
}

/// Sorts of enough elements for each way to sort over ranks: evenly distributed ones are divided first, integers of 4
/// bytes are spread over bins.
static void try_sorts(weft_dist *grid, weft_dist *single, weft_context *context) {
  weft_dist_info info;
  weft_device_info device;
  OK("sorts", weft_dist_get(&info, grid));
  OK("sorts", weft_context_get_device(&device, context));
  const bool knows_way = device.type == WEFT_DEVICE_TYPE_CPU && large == LARGE && ranks > 1 && ranks <= 8 &&
                         strstr(info.transport, "windows");
  if (knows_way) OK("profile", weft_profile_start(context));
  static const weft_dtype dtypes[] = {WEFT_U32, WEFT_F32, WEFT_I64, WEFT_F32, WEFT_U32, WEFT_F32,
                                      WEFT_F64, WEFT_I64, WEFT_U32, WEFT_I32, WEFT_U32, WEFT_U32};
  static const int kinds[] = {0, 1, 2, 3, 4, 5, 0, 6, 7, 7, 8, 9};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    char name[60];
    const sample s = {name, dtypes[k], {1, {large}}, kinds[k]};
    snprintf(name, sizeof name, "%lld of %s, kind %d", (long long)large, weft_dtype_name(s.dtype), s.kind);
    weft_array *data = rank == 0 ? make(&s, context) : NULL;
    for (int o = 0; o < (int)(sizeof operations / sizeof *operations); o++)
      if (strcmp(operations[o].name, s.kind == 5 ? "sort, descending" : "sort") == 0 ||
          (s.kind >= 5 && strcmp(operations[o].name, "argsort") == 0))
        try_operation(o, &s, grid, single, data);
    if (knows_way) check_way(&s, context);
    weft_array_release(&data);
  }
  if (knows_way) OK("profile", weft_profile_stop(context));
}

static void try_all(weft_dist *grid, weft_dist *single, weft_context *context) {
  static const struct {
    weft_dtype dtype;
    int kind;
    weft_shape shape;
  } samples[] = {
      {WEFT_F32, 0, {1, {0}}},        {WEFT_F32, 0, {1, {1}}},        {WEFT_F64, 0, {1, {5}}},
      {WEFT_I32, 0, {1, {6}}},        {WEFT_F32, 0, {1, {70001}}},    {WEFT_F64, 0, {1, {200003}}},
      {WEFT_I32, 0, {1, {70001}}},    {WEFT_U8, 1, {1, {5000}}},      {WEFT_F32, 2, {1, {3000}}},
      {WEFT_F32, 3, {1, {3000}}},     {WEFT_I64, 1, {1, {7}}},        {WEFT_F32, 0, {2, {40, 300}}},
      {WEFT_F64, 0, {2, {300, 7}}},   {WEFT_I16, 0, {3, {9, 4, 11}}}, {WEFT_F32, 0, {2, {3, 0}}},
      {WEFT_F64, 0, {2, {512, 300}}}, {WEFT_F16, 0, {2, {17, 33}}},   {WEFT_I32, 0, {2, {200, 30}}},
      {WEFT_F32, 0, {2, {5, 9001}}},
  };
  enum { SAMPLES = sizeof samples / sizeof *samples };
  for (size_t k = 0; k < SAMPLES; k++) {
    char name[80];
    static const char *const kinds[] = {"random", "all equal", "sorted", "reversed"};
    const sample s = {name, samples[k].dtype, samples[k].shape, samples[k].kind};
    snprintf(name, sizeof name, "%s of %d axes, %lld rows, %s", weft_dtype_name(s.dtype), s.shape.ndim,
             (long long)s.shape.dim[0], kinds[s.kind]);
    weft_array *data = rank == 0 ? make(&s, context) : NULL;
    for (int o = 0; o < (int)(sizeof operations / sizeof *operations); o++)
      if ((o * SAMPLES + (int)k + first_case) % share == 0 && strstr(operations[o].name, only))
        try_operation(o, &s, grid, single, data);
    if (!only[0] && (k + (size_t)ranks) % (share < 4 ? 1 : 4) == 0) try_text(&s, grid, data);
    weft_array_release(&data);
  }
  if (strstr("all-reduce", only)) try_all_reduce(grid, single);
  if (strstr("large sorts", only)) try_sorts(grid, single, context);
  if (only[0]) return;
  weft_dist_array *numbers = NULL;
  OK("arange", weft_dist_arange(&numbers, grid, WEFT_I64, 5, -1000, -3));
  weft_array *got = whole_of("arange", numbers), *expected = NULL;
  if (rank == 0) OK("arange", weft_arange(&expected, context, WEFT_I64, 5, -1000, -3));
  if (rank == 0) compare("arange", got, expected);
  weft_release(&got, &expected);
  weft_dist_array_release(&numbers);
  try_random(grid, context);
  try_own_memory(grid, context);
  try_variance(grid, context);
  try_long_product(grid, single);
  try_copies(grid, context);
}

/// The default context, on the device that a grid takes for this rank.
static weft_context *own_context(void) {
  weft_dist *grid = NULL;
  weft_dist_info info;
  weft_device_info device;
  weft_context *context = NULL;
  WEFT_CHECK(weft_dist_create(&grid, MPI_COMM_WORLD));
  WEFT_CHECK(weft_dist_get(&info, grid));
  WEFT_CHECK(weft_context_get_device(&device, info.context));
  weft_dist_release(&grid);
  WEFT_CHECK(weft_device_use(device.index));
  WEFT_CHECK(weft_context_default(&context));
  return context;
}

int main(int argc, char **argv) {
  int total = 0;
  weft_dist *grid = NULL, *single = NULL;
  for (int k = 1; k + 1 < argc; k += 2) {
    if (strcmp(argv[k], "--share") == 0) share = atoi(argv[k + 1]) > 0 ? atoi(argv[k + 1]) : 1;
    if (strcmp(argv[k], "--turn") == 0) first_case = atoi(argv[k + 1]);
    if (strcmp(argv[k], "--only") == 0) only = argv[k + 1];
    if (strcmp(argv[k], "--large") == 0) large = atoll(argv[k + 1]);
  }
  begin(&argc, &argv);
  snprintf(file_name, sizeof file_name, "dist_suite_%d.npy", process);
  weft_context *context = own_context();
  WEFT_CHECK(weft_dist_create(&grid, MPI_COMM_WORLD, .context = context));
  WEFT_CHECK(weft_dist_create(&single, MPI_COMM_SELF, .context = context));
  check_transport(grid);
  try_all(grid, single, context);
  MPI_Allreduce(&failures, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    unlink(file_name);
    printf("%d ranks: %d comparisons, %d failed\n", ranks, checks, total);
  }
  weft_dist_release(&grid);
  weft_dist_release(&single);
  weft_context_release(&context);
  MPI_Finalize();
  return total ? 1 : 0;
}
