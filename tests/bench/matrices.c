// SPDX-License-Identifier: MIT
// The side of Weft in against_peers.py: reads a measurement per line from the standard input, times it on WEFT_DEVICE,
// and prints a line of JSON, {"us": 12.3, "first_us": 4567.8} or {"error": "..."}. The first line of output is the
// device's name. A line of input:
//   what dtype precision batch m n k
// Results are given where a call can write into them, as in a loop of a user's program.
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

static const bench_case cases[] = {
    {"matmul", make_product, call_matmul},
    {"epilogue", make_product, call_epilogue},
    {"matvec", make_matvec, call_matvec},
    {"copy", make_matvec, call_copy},
    {"stencil", make_cube, call_stencil},
    {"gaussian", make_cube, call_gaussian},
    {"median", make_cube, call_median},
    {"fft", make_rows, call_fft},
    {"rfft", make_rows, call_rfft},
    {"fftn", make_cube, call_fftn},
    {"spmv_random", make_sparse, call_spmv},
    {"spmv_band", make_sparse, call_spmv},
    {"cholesky", make_symmetric, call_cholesky},
    {"lu_factor", make_system, call_lu},
    {"solve", make_system, call_solve},
    {"inv", make_system, call_inv},
    {"qr", make_system, call_qr},
    {"eigh", make_symmetric, call_eigh},
    {"svd", make_system, call_svd},
};

/* ---- timing ---- */

static int by_size(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

// The time of a call, from runs of calls with one wait at the end of each.
static weft_status measure(bench *w, bench_function *call, double *us, double *first_us) {
  double runs[RUNS];
  double start = now_s();
  weft_status rc = call(w);
  if (!rc) rc = weft_context_wait(w->context);
  *first_us = 1e6 * (now_s() - start);
  start = now_s();
  for (int i = 0; i < 2 && !rc; i++) rc = call(w);
  if (!rc) rc = weft_context_wait(w->context);
  const double one_s = (now_s() - start) / 2;
  const int loops = one_s * LONGEST_RUN < RUN_S ? LONGEST_RUN : one_s > RUN_S ? 1 : (int)(RUN_S / one_s);
  const int count = one_s > 0.2 ? 1 : RUNS;
  for (int run = 0; run < count && !rc; run++) {
    start = now_s();
    for (int i = 0; i < loops && !rc; i++) rc = call(w);
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
  if (!wrong && (chosen->make(w) != WEFT_OK || measure(w, chosen->call, &us, &first_us) != WEFT_OK))
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
