// SPDX-License-Identifier: MIT
// The side of Weft in against_peers.py: reads a measurement per line from the standard input, times it on WEFT_DEVICE,
// and prints a line of JSON, {"us": 12.3, "first_us": 4567.8} or {"error": "..."}. The first line of output is the
// device's name. A line of input:
//   what dtype precision batch m n k
// Products, transforms, solvers and filters write into given results where they can, as in a loop of a user's program.
// Calls over whole arrays make a new result each time, from the pool, and so do their peers.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weft/weft.h>

#define RUNS 5
#define RUN_S 0.02        // a run has as many calls as take this long
#define LONGEST_RUN 1000  // calls
// Products in place of a power, as in PyTorch's: `** 3` is a power of floats, of 40 instructions.
#define GELU                                   \
  "0.5 * (value + x) * (1 + tanh(0.7978845608" \
  " * ((value + x) + 0.044715 * (value + x) * (value + x) * (value + x))))"

typedef struct bench {
  weft_context *context;
  weft_rng *rng;
  char what[32], dtype_name[16], precision_name[16];
  weft_dtype dtype;
  weft_precision precision;
  int64_t batch, m, n, k;
  weft_array *a, *b, *x, *y, *y2, *y3;
  weft_csr *csr;
} bench;

typedef weft_status bench_function(bench *w);

typedef struct bench_case {
  const char *what;
  bench_function *make;
  bench_function *call;
  bool is_new; // each call makes a new result
} bench_case;

static double now_s(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- operands ---- */

// Normal numbers; integers from -8 to 7; complex numbers of two normal parts.
static weft_status numbers(weft_array **out, bench *w, weft_shape shape) {
  const char kind = weft_dtype_kind(w->dtype);
  if (kind == 'i') return weft_integers(out, w->rng, w->dtype, shape, WEFT_SCALAR(-8), WEFT_SCALAR(8));
  if (kind != 'c') return weft_normal(out, w->rng, w->dtype, shape, 0, 1);
  weft_array *parts = NULL;
  const weft_dtype part = w->dtype == WEFT_C64 ? WEFT_F32 : WEFT_F64;
  shape.dim[shape.ndim - 1] *= 2;
  weft_status rc = weft_normal(&parts, w->rng, part, shape, 0, 1);
  if (!rc) rc = weft_view_as(out, parts, w->dtype);
  weft_array_release(&parts);
  return rc;
}

static weft_shape shape_of(int64_t batch, int64_t rows, int64_t columns) {
  return batch > 1 ? WEFT_SHAPE(batch, rows, columns) : WEFT_SHAPE(rows, columns);
}

static weft_status make_product(bench *w) {
  weft_status rc = numbers(&w->a, w, shape_of(w->batch, w->m, w->k));
  if (!rc) rc = numbers(&w->b, w, shape_of(w->batch, w->k, w->n));
  if (!rc) rc = numbers(&w->x, w, WEFT_SHAPE(w->n));
  return rc;
}

static weft_status make_matvec(bench *w) {
  const weft_status rc = numbers(&w->a, w, WEFT_SHAPE(w->m, w->n));
  return rc ? rc : numbers(&w->x, w, WEFT_SHAPE(w->n));
}

static weft_status make_rows(bench *w) {
  return numbers(&w->a, w, WEFT_SHAPE(w->batch, w->n));
}

static weft_status make_cube(bench *w) {
  return numbers(&w->a, w, shape_of(w->batch, w->m, w->n));
}

// Square matrices with a large diagonal, and right sides of k columns.
static weft_status make_system(bench *w) {
  weft_array *eye = NULL, *raw = NULL;
  const double weight = 2.0 * (double)w->n;
  weft_status rc = numbers(&raw, w, shape_of(w->batch, w->n, w->n));
  if (!rc) rc = weft_eye(&eye, w->context, w->dtype, w->n);
  if (!rc) rc = weft_multiply(&eye, eye, WEFT_SCALAR(weight));
  if (!rc) rc = weft_add(&w->a, raw, eye);
  if (!rc) rc = numbers(&w->b, w, shape_of(w->batch, w->n, w->k));
  weft_release(&eye, &raw);
  return rc;
}

// Positive definite matrices: a product with itself transposed, and n on the diagonal.
static weft_status make_symmetric(bench *w) {
  weft_array *raw = NULL, *square = NULL, *eye = NULL;
  const double weight = (double)w->n;
  weft_status rc = numbers(&raw, w, shape_of(w->batch, w->n, w->n));
  if (!rc) rc = weft_einsum(&square, "...ij,...kj->...ik", raw, raw);
  if (!rc) rc = weft_eye(&eye, w->context, w->dtype, w->n);
  if (!rc) rc = weft_multiply(&eye, eye, WEFT_SCALAR(weight));
  if (!rc) rc = weft_add(&w->a, square, eye);
  weft_release(&raw, &square, &eye);
  return rc;
}

// k stored elements in each row: in random columns, or around the diagonal.
static weft_status make_sparse(bench *w) {
  const int64_t m = w->m, k = w->k, half = k / 2, most = m - k;
  weft_array *place = NULL, *columns = NULL, *data = NULL, *starts = NULL;
  weft_status rc = weft_normal(&data, w->rng, w->dtype, WEFT_SHAPE(m * k), 0, 1);
  if (!rc) rc = weft_arange(&starts, w->context, WEFT_I64, 0, m * k + 1, k);
  if (!rc && strcmp(w->what, "spmv_random") == 0)
    rc = weft_integers(&columns, w->rng, WEFT_I32, WEFT_SHAPE(m * k), WEFT_SCALAR(0), WEFT_SCALAR(m));
  else if (!rc) {
    rc = weft_arange(&place, w->context, WEFT_I64, 0, m * k, 1);
    if (!rc)
      rc = weft_eval(&columns, w->context, "minimum(maximum(place // k - half, 0), most) + place % k", WEFT_VAR(place),
                     WEFT_VAR(k), WEFT_VAR(half), WEFT_VAR(most));
  }
  if (!rc) rc = weft_csr_create(&w->csr, NULL, starts, columns, data, WEFT_SHAPE(m, m));
  if (!rc) rc = weft_normal(&w->x, w->rng, w->dtype, WEFT_SHAPE(m), 0, 1);
  weft_release(&place, &columns, &data, &starts);
  return rc;
}

/* ---- operands of calls over whole arrays ---- */

#define KEYS 1000000 // integers of rows with a range are below this

// Bools, half of them true; all other dtypes as in numbers().
static weft_status some(weft_array **out, bench *w, weft_shape shape) {
  if (w->dtype != WEFT_BOOL) return numbers(out, w, shape);
  weft_array *parts = NULL;
  weft_status rc = weft_normal(&parts, w->rng, WEFT_F32, shape, 0, 1);
  if (!rc) rc = weft_greater(out, parts, 0);
  weft_array_release(&parts);
  return rc;
}

// Two arrays and a row; with one row of m, one axis.
static weft_status make_arrays(bench *w) {
  const weft_shape shape = w->m > 1 ? WEFT_SHAPE(w->m, w->n) : WEFT_SHAPE(w->n);
  weft_status rc = some(&w->a, w, shape);
  if (!rc) rc = some(&w->b, w, shape);
  return rc ? rc : some(&w->x, w, WEFT_SHAPE(w->n));
}

static weft_status make_zeros(bench *w) {
  return weft_zeros(&w->a, w->context, w->dtype, WEFT_SHAPE(w->m, w->n));
}

// Integers, and a set of k.
static weft_status make_set(bench *w) {
  weft_status rc = weft_integers(&w->a, w->rng, w->dtype, WEFT_SHAPE(w->n), 0, KEYS);
  return rc ? rc : weft_integers(&w->b, w->rng, w->dtype, WEFT_SHAPE(w->k), 0, KEYS);
}

// k numbers in order, and n to search for.
static weft_status make_ordered(bench *w) {
  weft_status rc = numbers(&w->a, w, WEFT_SHAPE(w->n));
  if (!rc) rc = numbers(&w->b, w, WEFT_SHAPE(w->k));
  return rc ? rc : weft_sort(&w->b, w->b, 0);
}

// n numbers, as many values, and indices up to k.
static weft_status make_indices(bench *w) {
  weft_status rc = numbers(&w->a, w, WEFT_SHAPE(w->k));
  if (!rc) rc = numbers(&w->x, w, WEFT_SHAPE(w->n));
  return rc ? rc : weft_integers(&w->b, w->rng, WEFT_I64, WEFT_SHAPE(w->n), 0, w->k);
}

/* ---- calls ---- */

static weft_status call_matmul(bench *w) {
  if (w->dtype == WEFT_I8) return weft_matmul(&w->y, w->a, w->b, .dtype = WEFT_I32);
  return weft_matmul(&w->y, w->a, w->b, .precision = w->precision);
}
static weft_status call_epilogue(bench *w) {
  const weft_array *x = w->x;
  return weft_matmul(&w->y, w->a, w->b, .precision = w->precision, .epilogue = WEFT_EPILOGUE(GELU, WEFT_VAR(x)));
}
static weft_status call_matvec(bench *w) {
  return weft_matvec(&w->y, w->a, w->x);
}
static weft_status call_copy(bench *w) {
  return weft_copy(&w->y, w->a);
}
// The five points of a step of heat.
static weft_status call_stencil(bench *w) {
  const weft_array *x = w->a;
  return weft_stencil(&w->y, w->context, "x[-1, 0] + x[1, 0] + x[0, -1] + x[0, 1] - 4 * x", WEFT_VAR(x));
}
// Windows of 9 x 9: four standard deviations of 1 on each side.
static weft_status call_gaussian(bench *w) {
  return weft_gaussian_filter(&w->y, w->a, 1, WEFT_ALL_AXES);
}
static weft_status call_median(bench *w) {
  return weft_median_filter(&w->y, w->a, WEFT_SHAPE(w->k), WEFT_ALL_AXES);
}
static weft_status call_fft(bench *w) {
  return weft_fft(&w->y, w->a, -1);
}
static weft_status call_rfft(bench *w) {
  return weft_rfft(&w->y, w->a, -1);
}
static weft_status call_fftn(bench *w) {
  return weft_fftn(&w->y, w->a, WEFT_ALL_AXES);
}
static weft_status call_spmv(bench *w) {
  return weft_csr_matmul(&w->y, w->csr, w->x);
}
static weft_status call_cholesky(bench *w) {
  return weft_cholesky(&w->y, w->a);
}
static weft_status call_lu(bench *w) {
  return weft_lu_factor(&w->y, &w->y2, w->a);
}
static weft_status call_solve(bench *w) {
  return weft_solve(&w->y, w->a, w->b);
}
static weft_status call_inv(bench *w) {
  return weft_inv(&w->y, w->a);
}
static weft_status call_qr(bench *w) {
  return weft_qr(&w->y, &w->y2, w->a);
}
static weft_status call_eigh(bench *w) {
  return weft_eigh(&w->y, &w->y2, w->a);
}
static weft_status call_svd(bench *w) {
  return weft_svd(&w->y, &w->y2, &w->y3, w->a);
}

/* ---- calls over whole arrays ---- */

// Reductions along axis k, or with -1 along all.
static weft_axes along(const bench *w) {
  return w->k < 0 ? WEFT_ALL_AXES : WEFT_AXES((int)w->k);
}
static weft_status call_any(bench *w) {
  return weft_any(&w->y, w->a, along(w));
}
static weft_status call_all(bench *w) {
  return weft_all(&w->y, w->a, along(w));
}
static weft_status call_argmax(bench *w) {
  return weft_argmax(&w->y, w->a, along(w));
}
static weft_status call_max(bench *w) {
  return weft_max(&w->y, w->a, along(w));
}
static weft_status call_sum(bench *w) {
  return weft_sum(&w->y, w->a, along(w));
}
static weft_status call_mean(bench *w) {
  return weft_mean(&w->y, w->a, along(w));
}
static weft_status call_std(bench *w) {
  return weft_std(&w->y, w->a, along(w));
}
static weft_status call_dot(bench *w) {
  return weft_dot(&w->y, w->a, w->b);
}
static weft_status call_clip(bench *w) {
  return weft_clip(&w->y, w->a, -0.5f, 0.5f);
}
static weft_status call_floor_divide(bench *w) {
  return weft_floor_divide(&w->y, w->a, 7);
}
static weft_status call_add(bench *w) {
  return weft_add(&w->y, w->a, w->b);
}
static weft_status call_multiply(bench *w) {
  return weft_multiply(&w->y, w->a, w->b);
}
static weft_status call_abs(bench *w) {
  return weft_abs(&w->y, w->a);
}
static weft_status call_exp(bench *w) {
  return weft_exp(&w->y, w->a);
}
static weft_status call_atan2(bench *w) {
  return weft_atan2(&w->y, w->a, w->b);
}
static weft_status call_sort(bench *w) {
  return weft_sort(&w->y, w->a, -1);
}
static weft_status call_isin(bench *w) {
  return weft_isin(&w->y, w->a, w->b);
}
static weft_status call_searchsorted(bench *w) {
  return weft_searchsorted(&w->y, w->b, w->a);
}
static weft_status call_nonzero(bench *w) {
  return weft_flatnonzero(&w->y, w->a);
}
static weft_status call_full(bench *w) {
  return weft_full(&w->y, w->context, w->dtype, WEFT_SHAPE(w->m, w->n), 1);
}
static weft_status call_tile(bench *w) {
  return weft_tile(&w->y, w->x, WEFT_SHAPE(w->m, 1));
}
static weft_status call_repeat(bench *w) {
  return weft_repeat(&w->y, w->a, w->k, 0);
}
static weft_status call_bincount(bench *w) {
  return weft_bincount(&w->y, w->b, .minlength = w->k);
}
static weft_status call_bincount_weighted(bench *w) {
  return weft_bincount(&w->y, w->b, .minlength = w->k, .weights = w->x);
}
static weft_status call_put(bench *w) {
  return weft_put(w->a, w->b, w->x);
}
static weft_status call_scatter_add(bench *w) {
  return weft_scatter_add(w->a, w->b, w->x, 0);
}

static const bench_case cases[] = {
    {"matmul", make_product, call_matmul, false},
    {"epilogue", make_product, call_epilogue, false},
    {"matvec", make_matvec, call_matvec, false},
    {"copy", make_matvec, call_copy, false},
    {"stencil", make_cube, call_stencil, false},
    {"gaussian", make_cube, call_gaussian, false},
    {"median", make_cube, call_median, false},
    {"fft", make_rows, call_fft, false},
    {"rfft", make_rows, call_rfft, false},
    {"fftn", make_cube, call_fftn, false},
    {"spmv_random", make_sparse, call_spmv, false},
    {"spmv_band", make_sparse, call_spmv, false},
    {"cholesky", make_symmetric, call_cholesky, false},
    {"lu_factor", make_system, call_lu, false},
    {"solve", make_system, call_solve, false},
    {"inv", make_system, call_inv, false},
    {"qr", make_system, call_qr, false},
    {"eigh", make_symmetric, call_eigh, false},
    {"svd", make_system, call_svd, false},
    {"any", make_arrays, call_any, true},
    {"any_zeros", make_zeros, call_any, true},
    {"all", make_arrays, call_all, true},
    {"argmax", make_arrays, call_argmax, true},
    {"max", make_arrays, call_max, true},
    {"sum", make_arrays, call_sum, true},
    {"mean", make_arrays, call_mean, true},
    {"std", make_arrays, call_std, true},
    {"dot", make_arrays, call_dot, true},
    {"clip", make_arrays, call_clip, true},
    {"floor_divide", make_set, call_floor_divide, true},
    {"add", make_arrays, call_add, true},
    {"multiply", make_arrays, call_multiply, true},
    {"abs", make_arrays, call_abs, true},
    {"exp", make_arrays, call_exp, true},
    {"atan2", make_arrays, call_atan2, true},
    {"sort", make_arrays, call_sort, true},
    {"isin", make_set, call_isin, true},
    {"searchsorted", make_ordered, call_searchsorted, true},
    {"nonzero", make_arrays, call_nonzero, true},
    {"full", make_arrays, call_full, true},
    {"tile", make_arrays, call_tile, true},
    {"repeat", make_arrays, call_repeat, true},
    {"bincount", make_indices, call_bincount, true},
    {"bincount_weighted", make_indices, call_bincount_weighted, true},
    {"put", make_indices, call_put, false},
    {"scatter_add", make_indices, call_scatter_add, false},
};

/* ---- timing ---- */

static int by_size(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static weft_status call_again(bench *w, const bench_case *one) {
  if (one->is_new) weft_array_release(&w->y);
  return one->call(w);
}

// The time of a call, from runs of calls with one wait at the end of each.
static weft_status measure(bench *w, const bench_case *one, double *us, double *first_us) {
  double runs[RUNS];
  double start = now_s();
  weft_status rc = one->call(w);
  if (!rc) rc = weft_context_wait(w->context);
  *first_us = 1e6 * (now_s() - start);
  start = now_s();
  for (int i = 0; i < 2 && !rc; i++) rc = call_again(w, one);
  if (!rc) rc = weft_context_wait(w->context);
  const double one_s = (now_s() - start) / 2;
  const int loops = one_s * LONGEST_RUN < RUN_S ? LONGEST_RUN : one_s > RUN_S ? 1 : (int)(RUN_S / one_s);
  const int count = one_s > 0.2 ? 1 : RUNS;
  for (int run = 0; run < count && !rc; run++) {
    start = now_s();
    for (int i = 0; i < loops && !rc; i++) rc = call_again(w, one);
    if (!rc) rc = weft_context_wait(w->context);
    runs[run] = 1e6 * (now_s() - start) / loops;
  }
  if (rc) return rc;
  qsort(runs, (size_t)count, sizeof *runs, by_size);
  *us = runs[count / 2];
  return rc;
}

static void print_text(const char *text) {
  putchar('"');
  for (; *text; text++)
    if ((unsigned char)*text < ' ' || *text == '"' || *text == '\\')
      putchar(' ');
    else
      putchar(*text);
  putchar('"');
}

static const char *read_line(bench *w, const char *line) {
  static const char *const precisions[WEFT_PRECISION_COUNT] = {"exact", "f32", "tf32"};
  if (sscanf(line, "%31s %15s %15s %lld %lld %lld %lld", w->what, w->dtype_name, w->precision_name,
             (long long *)&w->batch, (long long *)&w->m, (long long *)&w->n, (long long *)&w->k) != 7)
    return "a line is: what dtype precision batch m n k";
  int dtype = 1, precision = 0;
  while (dtype < WEFT_DTYPE_COUNT && strcmp(weft_dtype_name((weft_dtype)dtype), w->dtype_name) != 0) dtype++;
  while (precision < WEFT_PRECISION_COUNT && strcmp(precisions[precision], w->precision_name) != 0) precision++;
  if (dtype == WEFT_DTYPE_COUNT) return "not a dtype";
  if (precision == WEFT_PRECISION_COUNT) return "not a precision: exact, f32, tf32";
  w->dtype = (weft_dtype)dtype;
  w->precision = (weft_precision)precision;
  return NULL;
}

static void measure_line(bench *w, const char *line) {
  const char *wrong = read_line(w, line);
  const bench_case *chosen = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (!wrong && strcmp(cases[i].what, w->what) == 0) chosen = &cases[i];
  if (!wrong && !chosen) wrong = "not a measurement";
  double us = 0, first_us = 0;
  if (!wrong && (chosen->make(w) != WEFT_OK || measure(w, chosen, &us, &first_us) != WEFT_OK))
    wrong = weft_error_last()->message;
  if (wrong) {
    fputs("{\"error\": ", stdout);
    print_text(wrong);
    puts("}");
  } else {
    printf("{\"us\": %.3f, \"first_us\": %.1f}\n", us, first_us);
  }
  fflush(stdout);
  weft_error_clear();
  weft_release(&w->a, &w->b, &w->x, &w->y, &w->y2, &w->y3);
  weft_csr_release(&w->csr);
}

int main(void) {
  bench w = {.context = NULL};
  char line[256];
  int status = EXIT_FAILURE;
  weft_device_info device;
  WEFT_TRY(weft_context_default(&w.context), done);
  WEFT_TRY(weft_context_get_device(&device, w.context), done);
  WEFT_TRY(weft_rng_create(&w.rng, .seed = 1), done);
  fputs("{\"device\": ", stdout);
  print_text(device.name);
  puts("}");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) measure_line(&w, line);
  status = EXIT_SUCCESS;
done:
  if (status) weft_error_print(stderr);
  weft_rng_release(&w.rng);
  if (weft_context_close(&w.context) != WEFT_OK) status = EXIT_FAILURE;
  return status;
}
