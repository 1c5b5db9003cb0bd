// SPDX-License-Identifier: MIT
/// Distributed arrays against one rank and against one device, bit by bit: run under mpirun with any number of ranks.
///
///   dist_suite [--share N]   operations on arrays of many lengths; with N a part of them, one in N
#include "dist_support.h"

static int share = 1;

/* ---- data ---- */

typedef struct sample {
  const char *name;
  weft_dtype dtype;
  weft_shape shape;
  int kind; /* 0: random, 1: all equal, 2: sorted, 3: reversed */
} sample;

static double number(const sample *s, int64_t i, uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  const double random = (double)(*state >> 8) / (1 << 24);
  if (s->kind == 1) return 3;
  if (s->kind == 2) return (double)i;
  if (s->kind == 3) return -(double)i;
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

/* ---- operations ---- */

typedef weft_status operation(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid);
typedef weft_status plain(weft_array **out, const weft_array *x);

static weft_status same(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  (void)grid;
  return weft_dist_resplit(out, x, 0);
}
static weft_status formula(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_dist_array *row = NULL, *whole = NULL;
  weft_status rc = weft_dist_resplit(&whole, x, WEFT_DIST_WHOLE);
  if (rc == WEFT_OK)
    rc =
        weft_dist_eval(&row, grid, "x + w * k", WEFT_DIST_VAR(x), WEFT_DIST_NAMED("w", whole), WEFT_DIST_NAMED("k", 3));
  if (rc == WEFT_OK)
    rc = weft_dist_eval(out, grid, "where(a > x, a - x, a)", WEFT_DIST_NAMED("a", row), WEFT_DIST_VAR(x));
  weft_dist_array_release(&row);
  weft_dist_array_release(&whole);
  return rc;
}
#define REDUCTION(name, call, axes)                                                           \
  static weft_status name(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) { \
    (void)grid;                                                                               \
    return weft_dist_##call(out, x, axes);                                                    \
  }
REDUCTION(sum_all, sum, WEFT_ALL_AXES)
REDUCTION(sum_first, sum, 0)
REDUCTION(sum_last_kept, sum, weft_keepdims(-1))
REDUCTION(prod_all, prod, WEFT_ALL_AXES)
REDUCTION(mean_all, mean, WEFT_ALL_AXES)
REDUCTION(mean_last, mean, -1)
REDUCTION(max_all, max, WEFT_ALL_AXES)
REDUCTION(min_first, min, 0)
REDUCTION(argmax_all, argmax, WEFT_ALL_AXES)
REDUCTION(argmin_first, argmin, 0)
REDUCTION(cumsum_first, cumsum, 0)
REDUCTION(cumsum_last, cumsum, -1)
REDUCTION(cumprod_first, cumprod, 0)
REDUCTION(cummax_first, cummax, 0)
REDUCTION(cummin_last, cummin, -1)
REDUCTION(any_all, any, WEFT_ALL_AXES)
REDUCTION(all_first, all, 0)
REDUCTION(count_first, count_nonzero, 0)
REDUCTION(ptp_all, ptp, WEFT_ALL_AXES)
REDUCTION(sort_first, sort, 0)
REDUCTION(argsort_first, argsort, 0)
REDUCTION(sort_last, sort, -1)

static weft_status var_all(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  (void)grid;
  return weft_dist_var(out, x, WEFT_ALL_AXES, .ddof = 1);
}
static weft_status std_first(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  (void)grid;
  return weft_dist_std(out, x, 0);
}

static weft_status turn(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_dist_array *other = NULL;
  (void)grid;
  weft_status rc = weft_dist_resplit(&other, x, weft_array_ndim(weft_dist_local(x)) - 1);
  if (rc == WEFT_OK) rc = weft_dist_resplit(out, other, 0);
  weft_dist_array_release(&other);
  return rc;
}
static weft_status turned_sum(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_dist_array *other = NULL;
  (void)grid;
  weft_status rc = weft_dist_resplit(&other, x, weft_array_ndim(weft_dist_local(x)) - 1);
  if (rc == WEFT_OK) rc = weft_dist_sum(out, other, -1);
  weft_dist_array_release(&other);
  return rc;
}

/// The sum of the rows before and behind, by a halo.
static weft_status neighbours(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid,
                              weft_dist_border border) {
  weft_array *wide = NULL, *before = NULL, *after = NULL, *sum = NULL;
  weft_dist_array_info info;
  weft_status rc = weft_dist_array_get(&info, x);
  if (rc == WEFT_OK) rc = weft_dist_halo(&wide, x, .border = border);
  if (rc == WEFT_OK) rc = weft_slice(&before, wide, 0, 0, info.count);
  if (rc == WEFT_OK) rc = weft_slice(&after, wide, 0, 2, info.count + 2);
  if (rc == WEFT_OK) rc = weft_subtract(&sum, before, after);
  if (rc == WEFT_OK) rc = weft_dist_from_local(out, grid, sum, 0);
  weft_release(&wide, &before, &after, &sum);
  return rc;
}
static weft_status halo_zero(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  return neighbours(out, x, grid, WEFT_DIST_ZERO);
}
static weft_status halo_wrap(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  return neighbours(out, x, grid, WEFT_DIST_WRAP);
}
/// In two halves; in between x is changed, and something is computed that does not move rows.
static weft_status halves(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid, weft_dist_border border) {
  weft_dist_exchange *exchange = NULL;
  weft_array *wide = NULL, *before = NULL, *after = NULL, *sum = NULL;
  weft_dist_array *copy = NULL, *meanwhile = NULL;
  weft_dist_array_info info;
  weft_status rc = weft_dist_array_get(&info, x);
  if (rc == WEFT_OK) rc = weft_dist_eval(&copy, grid, "x", WEFT_DIST_VAR(x));
  if (rc == WEFT_OK) rc = weft_dist_halo_begin(&exchange, &wide, copy, .border = border);
  if (rc == WEFT_OK) rc = weft_fill(weft_dist_local(copy), 7);
  weft_dist_array_release(&copy);
  if (rc == WEFT_OK) rc = weft_dist_eval(&meanwhile, grid, "x + 1", WEFT_DIST_VAR(x));
  weft_dist_array_release(&meanwhile);
  if (exchange && weft_dist_halo_end(&exchange) != WEFT_OK) rc = WEFT_ERROR_DIST;
  if (rc == WEFT_OK) rc = weft_slice(&before, wide, 0, 0, info.count);
  if (rc == WEFT_OK) rc = weft_slice(&after, wide, 0, 2, info.count + 2);
  if (rc == WEFT_OK) rc = weft_subtract(&sum, before, after);
  if (rc == WEFT_OK) rc = weft_dist_from_local(out, grid, sum, 0);
  weft_release(&wide, &before, &after, &sum);
  return rc;
}
static weft_status halves_zero(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  return halves(out, x, grid, WEFT_DIST_ZERO);
}
static weft_status halves_wrap(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  return halves(out, x, grid, WEFT_DIST_WRAP);
}
static weft_status halves_edge(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  return halves(out, x, grid, WEFT_DIST_EDGE);
}
static weft_status plain_halo(weft_array **out, const weft_array *x, weft_pad_mode mode) {
  weft_array *wide = NULL, *before = NULL, *after = NULL;
  const int64_t n = weft_array_length(x, 0);
  weft_shape margins = weft_array_shape(x);
  for (int d = 0; d < margins.ndim; d++) margins.dim[d] = d == 0;
  weft_status rc = weft_pad(&wide, x, margins, margins, .mode = mode);
  if (rc == WEFT_OK) rc = weft_slice(&before, wide, 0, 0, n);
  if (rc == WEFT_OK) rc = weft_slice(&after, wide, 0, 2, n + 2);
  if (rc == WEFT_OK) rc = weft_subtract(out, before, after);
  weft_release(&wide, &before, &after);
  return rc;
}
static weft_status plain_zero(weft_array **out, const weft_array *x) {
  return plain_halo(out, x, WEFT_PAD_CONSTANT);
}
static weft_status plain_wrap(weft_array **out, const weft_array *x) {
  return plain_halo(out, x, WEFT_PAD_WRAP);
}
static weft_status plain_edge(weft_array **out, const weft_array *x) {
  return plain_halo(out, x, WEFT_PAD_EDGE);
}
static weft_status halo_edge(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  return neighbours(out, x, grid, WEFT_DIST_EDGE);
}

/// The last rank alone gives rows; they are the numbers 0 to 99.
static weft_status from_the_last(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_array *part = NULL;
  weft_dist_array *joined = NULL;
  weft_dist_info info;
  (void)x;
  weft_status rc = weft_dist_get(&info, grid);
  if (rc == WEFT_OK) rc = weft_arange(&part, info.context, WEFT_F64, 0, info.rank == info.ranks - 1 ? 100 : 0, 1);
  if (rc == WEFT_OK) rc = weft_dist_from_local(&joined, grid, part, 0);
  if (rc == WEFT_OK) rc = weft_dist_eval(out, grid, "j * 2", WEFT_DIST_NAMED("j", joined));
  weft_dist_array_release(&joined);
  weft_array_release(&part);
  return rc;
}

static weft_status where_small(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_dist_array *first = NULL, *mask = NULL;
  weft_dist_array_info info;
  weft_array *one = NULL;
  weft_status rc = weft_dist_array_get(&info, x);
  /* by the first column */
  if (rc == WEFT_OK)
    rc = info.shape.ndim == 1 ? weft_copy(&one, weft_dist_local(x))
                              : weft_view(&one, weft_dist_local(x), info.shape.ndim == 2 ? ":, 0" : ":, 0, 0");
  if (rc == WEFT_OK) rc = weft_dist_from_local(&first, grid, one, 0);
  if (rc == WEFT_OK) rc = weft_dist_eval(&mask, grid, "f < 20", WEFT_DIST_NAMED("f", first));
  if (rc == WEFT_OK) rc = weft_dist_compress(out, mask, x);
  weft_dist_array_release(&first);
  weft_dist_array_release(&mask);
  weft_array_release(&one);
  return rc;
}
static weft_status distinct(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  (void)grid;
  return weft_dist_unique(out, x);
}
static weft_status plain_unique(weft_array **out, const weft_array *x) {
  return weft_unique(out, x);
}
/// Rows of all ranks, each twice, in no order, by indices from the start and from the end.
static weft_status scattered_rows(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_dist_array *numbers = NULL, *indices = NULL;
  weft_dist_array_info info;
  weft_status rc = weft_dist_array_get(&info, x);
  if (rc == WEFT_OK) rc = weft_dist_arange(&numbers, grid, WEFT_I64, 0, 2 * info.shape.dim[0], 1);
  if (rc == WEFT_OK)
    rc = weft_dist_eval(&indices, grid, "i * 7919 % n - where(i % 3 == 0, n, 0)", WEFT_DIST_NAMED("i", numbers),
                        WEFT_DIST_NAMED("n", info.shape.dim[0] > 0 ? info.shape.dim[0] : 1));
  if (rc == WEFT_OK) rc = weft_dist_take(out, x, indices);
  weft_dist_array_release(&numbers);
  weft_dist_array_release(&indices);
  return rc;
}
static weft_status counts(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  (void)grid;
  return weft_dist_histogram(out, x, 17, -3, 90);
}
static weft_status plain_counts(weft_array **out, const weft_array *x) {
  return weft_histogram(out, x, 17, .range = WEFT_RANGE(-3, 90));
}
static weft_status occurrences(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  (void)grid;
  return weft_dist_bincount(out, x, 5);
}
static weft_status plain_occurrences(weft_array **out, const weft_array *x) {
  return weft_bincount(out, x, .minlength = 5);
}
static weft_status largest(weft_dist_array **out, const weft_dist_array *x, bool wants_indices) {
  weft_dist_array *values = NULL, *indices = NULL;
  weft_dist_array_info info;
  weft_status rc = weft_dist_array_get(&info, x);
  if (rc == WEFT_OK) rc = weft_dist_topk(&values, &indices, x, info.shape.dim[0] < 9 ? info.shape.dim[0] : 9);
  *out = wants_indices ? indices : values;
  weft_dist_array_release(wants_indices ? &values : &indices);
  return rc;
}
static weft_status largest_values(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  (void)grid;
  return largest(out, x, false);
}
static weft_status largest_places(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  (void)grid;
  return largest(out, x, true);
}
static weft_status plain_largest(weft_array **out, const weft_array *x) {
  const int64_t n = weft_array_size(x);
  return weft_topk(out, NULL, x, n < 9 ? n : 9, 0);
}
static weft_status plain_places(weft_array **out, const weft_array *x) {
  const int64_t n = weft_array_size(x);
  return weft_topk(NULL, out, x, n < 9 ? n : 9, 0);
}

static char file_name[64];
static weft_status through_a_file(weft_dist_array **out, const weft_dist_array *x, weft_dist *grid) {
  weft_status rc = weft_dist_save(file_name, x);
  if (rc == WEFT_OK) rc = weft_dist_load(out, grid, file_name, weft_array_ndim(weft_dist_local(x)) - 1);
  return rc;
}

static weft_status plain_sort(weft_array **out, const weft_array *x) {
  return weft_sort(out, x, 0);
}
static weft_status plain_argsort(weft_array **out, const weft_array *x) {
  return weft_argsort(out, x, 0);
}
static weft_status plain_argmax(weft_array **out, const weft_array *x) {
  return weft_argmax(out, x, WEFT_ALL_AXES);
}
static weft_status plain_argmin(weft_array **out, const weft_array *x) {
  return weft_argmin(out, x, 0);
}
#define PLAIN(name, call, axes)                                            \
  static weft_status plain_##name(weft_array **out, const weft_array *x) { \
    return weft_##call(out, x, axes);                                      \
  }
PLAIN(cumprod, cumprod, 0)
PLAIN(cummax, cummax, 0)
PLAIN(cummin, cummin, -1)
PLAIN(any, any, WEFT_ALL_AXES)
PLAIN(all, all, 0)
PLAIN(count, count_nonzero, 0)
PLAIN(ptp, ptp, WEFT_ALL_AXES)
static weft_status plain_same(weft_array **out, const weft_array *x) {
  return weft_copy(out, x);
}
/* of integers alone: float sums are grouped otherwise */
static weft_status plain_sum(weft_array **out, const weft_array *x) {
  return weft_sum(out, x, WEFT_ALL_AXES);
}
static weft_status plain_cumsum(weft_array **out, const weft_array *x) {
  return weft_cumsum(out, x, 0);
}

/// Of arrays of one axis alone, of integers alone, with elements alone.
enum { ONE_AXIS = 1, TWO_AXES = 2, INTEGERS = 4, NOT_EMPTY = 8, NOT_PLAIN_FLOATS = 16 };

static const struct {
  const char *name;
  operation *run;
  plain *reference; /* on one device; NULL: one rank is the reference */
  int needs;
} operations[] = {
    {"the same", same, plain_same, 0},
    {"eval", formula, NULL, 0},
    {"sum of all", sum_all, plain_sum, NOT_PLAIN_FLOATS},
    {"sum along 0", sum_first, NULL, 0},
    {"sum along -1, kept", sum_last_kept, NULL, 0},
    {"prod of all", prod_all, NULL, 0},
    {"mean of all", mean_all, NULL, NOT_EMPTY},
    {"mean along -1", mean_last, NULL, NOT_EMPTY},
    {"max of all", max_all, NULL, NOT_EMPTY},
    {"min along 0", min_first, NULL, NOT_EMPTY},
    {"argmax of all", argmax_all, plain_argmax, NOT_EMPTY},
    {"argmin along 0", argmin_first, plain_argmin, NOT_EMPTY},
    {"cumsum along 0", cumsum_first, plain_cumsum, NOT_PLAIN_FLOATS},
    {"cumsum along -1", cumsum_last, NULL, 0},
    {"cumprod along 0", cumprod_first, plain_cumprod, NOT_PLAIN_FLOATS},
    {"cummax along 0", cummax_first, plain_cummax, 0},
    {"cummin along -1", cummin_last, plain_cummin, 0},
    {"any", any_all, plain_any, 0},
    {"all along 0", all_first, plain_all, 0},
    {"count_nonzero along 0", count_first, plain_count, 0},
    {"ptp", ptp_all, plain_ptp, NOT_EMPTY},
    {"var of all", var_all, NULL, NOT_EMPTY},
    {"std along 0", std_first, NULL, NOT_EMPTY},
    {"sort", sort_first, plain_sort, ONE_AXIS},
    {"argsort", argsort_first, plain_argsort, ONE_AXIS},
    {"sort along -1", sort_last, NULL, TWO_AXES},
    {"split along the last axis and back", turn, plain_same, 0},
    {"sum of an array split along the last axis", turned_sum, NULL, 0},
    {"halo, zeros", halo_zero, plain_zero, NOT_EMPTY},
    {"halo, wrapped", halo_wrap, plain_wrap, NOT_EMPTY},
    {"halo, edges", halo_edge, plain_edge, NOT_EMPTY},
    {"halo in halves, zeros", halves_zero, plain_zero, NOT_EMPTY},
    {"halo in halves, wrapped", halves_wrap, plain_wrap, NOT_EMPTY},
    {"halo in halves, edges", halves_edge, plain_edge, NOT_EMPTY},
    {"halo without rows", halo_edge, NULL, 0},
    {"compress", where_small, NULL, NOT_EMPTY},
    {"unique", distinct, plain_unique, ONE_AXIS},
    {"take", scattered_rows, NULL, 0},
    {"histogram", counts, plain_counts, 0},
    {"bincount", occurrences, plain_occurrences, ONE_AXIS | INTEGERS},
    {"topk", largest_values, plain_largest, ONE_AXIS},
    {"topk, places", largest_places, plain_places, ONE_AXIS},
    {"rows from the last rank", from_the_last, NULL, 0},
    {"through a file", through_a_file, plain_same, 0},
};

/* ---- comparing ---- */

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
    if (x[k] != y[k]) {
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
         (!(needs & INTEGERS) || !is_float) && (!(needs & NOT_EMPTY) || size > 0);
}

static void try_operation(int k, const sample *s, weft_dist *grid, weft_dist *single, const weft_array *data) {
  char what[160];
  weft_dist_array *x = NULL, *y = NULL;
  snprintf(what, sizeof what, "%s, %s", operations[k].name, s->name);
  if (!applies(operations[k].needs, s)) return;
  OK(what, weft_dist_scatter(&x, grid, data, 0, 0));
  OK(what, operations[k].run(&y, x, grid));
  weft_array *got = y ? whole_of(what, y) : NULL;
  weft_dist_array_release(&x);
  weft_dist_array_release(&y);
  if (rank == 0 && got) {
    const bool is_float = weft_dtype_kind(s->dtype) == 'f';
    const bool has_plain = operations[k].reference && !(is_float && operations[k].needs & NOT_PLAIN_FLOATS);
    weft_array *expected = NULL;
    OK(what, weft_dist_scatter(&x, single, data, 0, 0));
    OK(what, operations[k].run(&y, x, single));
    if (y) expected = whole_of(what, y);
    if (expected) compare(what, got, expected);
    weft_array_release(&expected);
    if (has_plain) OK(what, operations[k].reference(&expected, data));
    if (expected) compare(what, got, expected);
    weft_array_release(&expected);
    weft_dist_array_release(&x);
    weft_dist_array_release(&y);
  }
  weft_array_release(&got);
}

/* ---- random numbers ---- */

static void try_random(weft_dist *grid, weft_context *context) {
  static const weft_dtype dtypes[] = {WEFT_F32, WEFT_F64, WEFT_I32};
  for (int round = 0; round < 3 * 3 * 2; round++) {
    if ((round + ranks) % share) continue;
    const int kind = round % 3, of = round / 3 % 3;
    const weft_shape shape = round < 9 ? WEFT_SHAPE(1001) : WEFT_SHAPE(37, 5);
    const weft_dtype dtype = kind == 2 ? WEFT_I32 : dtypes[of % 2];
    weft_rng *rng = NULL, *other = NULL;
    weft_dist_array *x = NULL;
    weft_array *got = NULL, *expected = NULL, *before = NULL;
    OK("rng", weft_rng_create(&rng, .seed = 7, .generator = of == 2 ? WEFT_PHILOX4X64 : WEFT_PHILOX4X32));
    OK("rng", weft_rng_create(&other, .seed = 7, .generator = of == 2 ? WEFT_PHILOX4X64 : WEFT_PHILOX4X32,
                              .context = context));
    OK("rng", weft_rng_skip(rng, (uint64_t)(round % 4)));
    OK("rng", weft_rng_skip(other, (uint64_t)(round % 4)));
    for (int draw = 0; draw < 3; draw++) { /* each begins where the one before has ended */
      if (kind == 0) OK("uniform", weft_dist_uniform(&x, grid, rng, dtype, shape, -1, 2));
      if (kind == 1) OK("normal", weft_dist_normal(&x, grid, rng, dtype, shape, 1, 2));
      if (kind == 2) OK("integers", weft_dist_integers(&x, grid, rng, dtype, shape, -5, 100));
      if (!x) return;
      got = whole_of("random", x);
      if (rank == 0) {
        if (kind == 0) OK("uniform", weft_uniform(&expected, other, dtype, shape, -1, 2));
        if (kind == 1) OK("normal", weft_normal(&expected, other, dtype, shape, 1, 2));
        if (kind == 2) OK("integers", weft_integers(&expected, other, dtype, shape, -5, 100));
        compare(kind == 0 ? "uniform" : kind == 1 ? "normal" : "integers", got, expected);
      }
      weft_release(&got, &expected, &before);
      weft_dist_array_release(&x);
    }
    weft_rng_release(&rng);
    weft_rng_release(&other);
  }
}

/// The transport that WEFT_DIST_TRANSPORT names was not left for another one.
static void check_transport(const weft_dist *grid) {
  static const char *const names[][2] = {{"window", "windows in the GPUs' memory"},
                                         {"mpi", "MPI on the GPU's memory"},
                                         {"staged", "pinned staging"},
                                         {"host", "host memory"}};
  const char *wanted = getenv("WEFT_DIST_TRANSPORT");
  weft_dist_info info;
  OK("info", weft_dist_get(&info, grid));
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (strcmp(wanted ? wanted : "host", names[k][0]) == 0 && strcmp(info.transport, names[k][1]) != 0)
      report("transport", info.transport);
}

/// Variances are grouped otherwise than on one device: the same numbers up to rounding.
static void try_variance(weft_dist *grid, weft_context *context) {
  weft_rng *rng = NULL;
  weft_array *data = NULL, *plain = NULL;
  weft_dist_array *x = NULL, *y = NULL;
  double got[7] = {0}, expected[7] = {0};
  OK("variance", weft_rng_create(&rng, .seed = 3, .context = context));
  if (rank == 0) OK("variance", weft_normal(&data, rng, WEFT_F64, WEFT_SHAPE(1000, 7), 5, 2));
  OK("variance", weft_dist_scatter(&x, grid, data, 0, 0));
  OK("variance", weft_dist_std(&y, x, 0, .ddof = 1));
  OK("variance", weft_to_host(got, sizeof got, weft_dist_local(y)));
  if (rank == 0) {
    OK("variance", weft_std(&plain, data, 0, .ddof = 1));
    OK("variance", weft_to_host(expected, sizeof expected, plain));
    for (int k = 0; k < 7; k++) {
      checks++;
      if (!(fabs(got[k] - expected[k]) < 1e-12)) report("variance", "other numbers than on one device");
    }
  }
  weft_release(&data, &plain);
  weft_rng_release(&rng);
  weft_dist_array_release(&x);
  weft_dist_array_release(&y);
}

static void try_all(weft_dist *grid, weft_dist *single, weft_context *context) {
  static const struct {
    weft_dtype dtype;
    int kind;
    weft_shape shape;
  } samples[] = {
      {WEFT_F32, 0, {1, {0}}},      {WEFT_F32, 0, {1, {1}}},        {WEFT_F64, 0, {1, {5}}},
      {WEFT_I32, 0, {1, {6}}},      {WEFT_F32, 0, {1, {70001}}},    {WEFT_F64, 0, {1, {200003}}},
      {WEFT_I32, 0, {1, {70001}}},  {WEFT_U8, 1, {1, {5000}}},      {WEFT_F32, 2, {1, {3000}}},
      {WEFT_F32, 3, {1, {3000}}},   {WEFT_I64, 1, {1, {7}}},        {WEFT_F32, 0, {2, {40, 300}}},
      {WEFT_F64, 0, {2, {300, 7}}}, {WEFT_I16, 0, {3, {9, 4, 11}}}, {WEFT_F32, 0, {2, {3, 0}}},
      {WEFT_F16, 0, {2, {17, 33}}},
  };
  for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
    char name[80];
    static const char *const kinds[] = {"random", "all equal", "sorted", "reversed"};
    const sample s = {name, samples[k].dtype, samples[k].shape, samples[k].kind};
    snprintf(name, sizeof name, "%s of %d axes, %lld rows, %s", weft_dtype_name(s.dtype), s.shape.ndim,
             (long long)s.shape.dim[0], kinds[s.kind]);
    weft_array *data = rank == 0 ? make(&s, context) : NULL;
    for (int o = 0; o < (int)(sizeof operations / sizeof *operations); o++)
      if ((o + (int)k + ranks) % share == 0) try_operation(o, &s, grid, single, data);
    if ((k + (size_t)ranks) % (share < 4 ? 1 : 4) == 0) try_text(&s, grid, data);
    weft_array_release(&data);
  }
  weft_dist_array *numbers = NULL;
  OK("arange", weft_dist_arange(&numbers, grid, WEFT_I64, 5, -1000, -3));
  weft_array *got = whole_of("arange", numbers), *expected = NULL;
  if (rank == 0) OK("arange", weft_arange(&expected, context, WEFT_I64, 5, -1000, -3));
  if (rank == 0) compare("arange", got, expected);
  weft_release(&got, &expected);
  weft_dist_array_release(&numbers);
  try_random(grid, context);
  try_variance(grid, context);
}

int main(int argc, char **argv) {
  int total = 0;
  weft_context *context = NULL;
  weft_dist *grid = NULL, *single = NULL;
  if (argc > 2 && strcmp(argv[1], "--share") == 0) share = atoi(argv[2]) > 0 ? atoi(argv[2]) : 1;
  begin(&argc, &argv);
  snprintf(file_name, sizeof file_name, "dist_suite_%d.npy", ranks);
  WEFT_CHECK(weft_context_default(&context));
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
