// SPDX-License-Identifier: MIT
/// The table of engines and host steps. Stand-ins take the place of the libraries (suites/engine/stand_in.c): missing,
/// too old, without a function, and failing in the middle of the work.
#include <dlfcn.h>
#include <pthread.h>

#include "engine/host_step.h"
#include "harness.h"

/* ---- the table ---- */

typedef void gemm(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
typedef struct blas_functions {
  gemm *sgemm;
  void (*missing)(void);
} blas_functions;

static blas_functions blas;
static const weft__engine_symbol blas_symbols[] = {{"cblas_sgemm", offsetof(blas_functions, sgemm), false},
                                                   {"cblas_no_such", offsetof(blas_functions, missing), true}};
static weft__engine_binding blas_binding = WEFT__ENGINE_BINDING(WEFT__LIBRARY_CBLAS, blas_symbols, &blas);

/// Loads the stand-in of this name and case; the engines' dlopen finds it from now on.
static void *stand_in(const char *kind, const char *file) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s_%s.so", getenv("WEFT_TEST_STAND_INS"), kind, file);
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  ck_assert_msg(handle, "%s", dlerror());
  return handle;
}

static void all_stand_ins(const char *kind) {
  static const char *const files[] = {"libopenblas.so.0", "libblis.so.4",   "libcblas.so.3",
                                      "libblas.so.3",     "libmkl_rt.so.2", "libmkl_rt.so"};
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) stand_in(kind, files[k]);
}

static weft_engine_info cblas(void) {
  weft_engine_info info;
  ok(weft_engine_get(&info, WEFT__LIBRARY_CBLAS));
  ck_assert_str_eq(info.name, "cblas");
  return info;
}

static void expect_text(const char *text, const char *part) {
  ck_assert_msg(strstr(text, part), "`%s` does not have `%s`", text, part);
}

START_TEST(the_table_is_complete)
{
  int count = 0;
  weft_engine_info info;
  ok(weft_engine_count(&count));
  ck_assert_int_eq(count, WEFT__LIBRARY_COUNT);
  for (int k = 0; k < count; k++) {
    ok(weft_engine_get(&info, k));
    ck_assert(info.name[0] && info.purpose[0] && info.package[0] && info.is_allowed);
    ck_assert_int_eq(info.is_found, info.library[0] != 0);
    ck_assert_int_eq(info.is_found && k != WEFT__LIBRARY_VKFFT, info.path[0] != 0);
    ck_assert_int_eq(info.is_found, info.problem[0] == 0);
  }
  expect_error(weft_engine_get(&info, count), WEFT_ERROR_ARGUMENT, "@index", "expected 0 to");
  expect_error(weft_engine_get(&info, -1), WEFT_ERROR_ARGUMENT, "@index");
  expect_error(weft_engine_get(NULL, 0), WEFT_ERROR_ARGUMENT, "@info");
  expect_error(weft_engine_count(NULL), WEFT_ERROR_ARGUMENT, "@count");
}
END_TEST

START_TEST(a_library_that_serves)
{
  stand_in("serving", "libopenblas.so.0");
  weft_engine_info info = cblas();
  ck_assert(info.is_found);
  ck_assert_str_eq(info.library, "libopenblas.so.0");
  ck_assert_str_eq(info.version, "OpenBLAS 9.8.7");
  expect_text(info.path, "serving_libopenblas.so.0");
  ck_assert(weft__engine_find(&blas_binding));
  ck_assert(blas.sgemm && !blas.missing);
  ck_assert_str_eq(weft__engine_library(WEFT__LIBRARY_CBLAS), "libopenblas.so.0");
}
END_TEST

START_TEST(missing_libraries)
{
  all_stand_ins("empty");
  weft_engine_info info = cblas();
  ck_assert(!info.is_found && !weft__engine_find(&blas_binding) && !weft__engine_find(&blas_binding));
  expect_text(info.problem, "libopenblas.so.0 has no cblas_sgemm");
  expect_text(info.problem, "libmkl_rt.so has no cblas_sgemm");
  ck_assert_str_eq(info.package, "libopenblas0");
}
END_TEST

START_TEST(an_old_library_gives_way)
{
  stand_in("old", "libopenblas.so.0");
  stand_in("reference", "libblis.so.4");
  stand_in("serving", "libcblas.so.3");
  weft_engine_info info = cblas();
  ck_assert(info.is_found && weft__engine_find(&blas_binding));
  ck_assert_str_eq(info.library, "libcblas.so.3");
  ck_assert_str_eq(info.problem, "");
}
END_TEST

START_TEST(nothing_but_old_libraries)
{
  static const char *const others[] = {"libcblas.so.3", "libblas.so.3", "libmkl_rt.so.2", "libmkl_rt.so"};
  stand_in("old", "libopenblas.so.0");
  stand_in("reference", "libblis.so.4");
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) stand_in("empty", others[k]);
  weft_engine_info info = cblas();
  ck_assert(!info.is_found && !weft__engine_find(&blas_binding));
  expect_text(info.problem, "libopenblas.so.0 is OpenBLAS 0.2.20; 0.3.7 is needed");
  expect_text(info.problem, "libblis.so.4 is a reference BLAS");
}
END_TEST

static int warnings;
static char warning[400];
static void count_warning(void *user, weft_log_level level, const char *message) {
  (void)user;
  if (level != WEFT_LOG_WARNING) return;
  warnings++;
  snprintf(warning, sizeof warning, "%s", message);
}

START_TEST(a_library_without_a_function)
{
  static const weft__engine_symbol symbols[] = {{"cblas_no_such", offsetof(blas_functions, missing), false}};
  static weft__engine_binding binding = WEFT__ENGINE_BINDING(WEFT__LIBRARY_CBLAS, symbols, &blas);
  weft_log_set(WEFT_LOG_WARNING, count_warning, NULL);
  stand_in("serving", "libopenblas.so.0");
  ck_assert(!weft__engine_find(&binding) && !weft__engine_find(&binding));
  ck_assert_int_eq(warnings, 1); /* remembered */
  expect_text(warning, "libopenblas.so.0 has no cblas_no_such");
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
}
END_TEST

START_TEST(the_environment_allows)
{
  stand_in("serving", "libopenblas.so.0");
  setenv("WEFT_ENGINE", "own", 1);
  ck_assert(weft__engine_allowed(WEFT__ENGINE_OWN) && !weft__engine_allowed(WEFT__ENGINE_CBLAS));
  ck_assert(!weft__engine_find(&blas_binding));
  weft_engine_info info = cblas();
  ck_assert(info.is_found && !info.is_allowed);
  setenv("WEFT_ENGINE", "lapack, cblas", 1);
  ok(weft__engine_check());
  ck_assert(weft__engine_allowed(WEFT__ENGINE_LAPACK) && !weft__engine_allowed(WEFT__ENGINE_FFTW) &&
            !weft__engine_allowed(WEFT__ENGINE_OWN));
  ck_assert(weft__engine_find(&blas_binding));
  setenv("WEFT_ENGINE", "cblas,blas", 1);
  ck_assert(weft__engine_find(&blas_binding));
  expect_error(weft__engine_check(), WEFT_ERROR_ARGUMENT, "@WEFT_ENGINE", "`cblas,blas`", "`blas` is no engine");
  expect_error(weft_engine_get(&info, 0), WEFT_ERROR_ARGUMENT, "`blas` is no engine");
  setenv("WEFT_ENGINE", "", 1);
  ck_assert(weft__engine_allowed(WEFT__ENGINE_FFTW));
}
END_TEST

/* ---- host steps ---- */

/// b += a elementwise, of `count` floats; fails after the first element if `code` is set.
typedef struct addition {
  int count, code;
} addition;
static int additions;

static int add(void *const *data, const void *task) {
  const addition *t = task;
  const float *a = data[0];
  float *b = data[1];
  additions++;
  for (int i = 0; i < t->count; i++) {
    b[i] += a[i];
    if (t->code) return t->code;
  }
  return 0;
}

static const weft__host_function addition_function = {"addition", WEFT__LIBRARY_CBLAS, sizeof(addition), add, NULL,
                                                      NULL};

static weft__host_work work_of(const weft__host_use *use, int uses, const weft__host_function *function,
                               const void *task) {
  return (weft__host_work){.context = ctx,
                           .uses = uses,
                           .use = use,
                           .function = function,
                           .task = task,
                           .what = "addition",
                           .site = "here.c:1"};
}

/// The step as a function of the library: with the names and messages of a call.
static weft_status step(int *code, const weft__host_work *work) {
  weft__enter("weft_step", "here.c:1");
  return weft__leave(weft__host_step(code, work));
}

static weft_array *counting(int count, float first) {
  weft_array *x = NULL;
  float data[4096];
  for (int i = 0; i < count; i++) data[i] = first + (float)i;
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(count), data));
  return x;
}

static void expect_counting(const weft_array *x, int count, float first, float by) {
  float data[4096];
  ok(weft_to_host(data, (size_t)count * sizeof *data, x));
  for (int i = 0; i < count; i++) ck_assert_msg(data[i] == first + by * (float)i, "%d: %g", i, (double)data[i]);
}

enum { N = 3000 };

START_TEST(a_step_works_on_arrays)
{
  const addition t = {.count = N};
  const int before = additions;
  int code = 7;
  weft_array *a = counting(N, 1), *b = counting(N, 2);
  const weft__host_use use[] = {{.array = a, .reads = true}, {.array = b, .reads = true, .writes = true}};
  const weft__host_work work = work_of(use, 2, &addition_function, &t);
  for (int k = 0; k < 3; k++) ok(step(&code, &work));
  ck_assert_int_eq(code, 0);
  ck_assert_int_eq(additions - before, 3);
  expect_counting(a, N, 1, 1);
  expect_counting(b, N, 5, 4);
  weft_release(&a, &b);
}
END_TEST

START_TEST(a_step_is_in_order_with_kernels)
{
  if (!harness_has_kernels()) return;
  const addition t = {.count = N};
  int code;
  weft_array *a = counting(N, 0), *b = counting(N, 0);
  weft_stream *stream = NULL;
  const weft__host_use use[] = {{.array = a, .reads = true}, {.array = b, .reads = true, .writes = true}};
  const weft__host_work work = work_of(use, 2, &addition_function, &t);
  ok(weft_stream_create(&stream, ctx));
  float by = 1;
  for (int k = 0; k < 10; k++) {
    ok(weft_stream_use(k % 3 ? stream : NULL)); /* the kernel and the step on different streams */
    ok(weft_multiply(&b, b, 2.0f));
    ok(weft_stream_use(k % 2 ? stream : NULL));
    ok(step(&code, &work));
    by = 2 * by + 1;
  }
  expect_counting(b, N, 0, by);
  ok(weft_stream_use(NULL));
  weft_release(&a, &b, &stream);
}
END_TEST

START_TEST(a_failure_restores)
{
  const addition t = {.count = N, .code = 42};
  int code = 0;
  weft_array *a = counting(N, 1), *b = counting(N, 2);
  const weft__host_use use[] = {{.array = a, .reads = true},
                                {.array = b, .reads = true, .writes = true, .restores = true}};
  const weft__host_work work = work_of(use, 2, &addition_function, &t);
  weft_log_set(WEFT_LOG_WARNING, count_warning, NULL);
  ok(step(&code, &work));
  ck_assert_int_eq(code, 42);
  ck_assert_int_eq(warnings, 1);
  expect_text(warning, "failed in addition (42)");
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
  expect_counting(a, N, 1, 1);
  expect_counting(b, N, 2, 1);
  weft_release(&a, &b);
}
END_TEST

typedef struct lapack_functions {
  void (*dpotrf)(const char *, const int *, double *, const int *, int *);
} lapack_functions;
static lapack_functions lapack;

static int factor(void *const *data, const void *task) {
  const int n = *(const int *)task;
  int info = 0;
  lapack.dpotrf("L", &n, data[0], &n, &info);
  return info;
}

START_TEST(an_engine_fails_midway)
{
  static const weft__engine_symbol symbols[] = {{"dpotrf_", offsetof(lapack_functions, dpotrf), false}};
  static weft__engine_binding binding = WEFT__ENGINE_BINDING(WEFT__LIBRARY_LAPACK, symbols, &lapack);
  const double matrix[] = {4, 2, 2, 5};
  double after[4];
  static const weft__host_function function = {"factor", WEFT__LIBRARY_LAPACK, sizeof(int), factor, NULL, NULL};
  const int n = 2;
  int code = 0;
  weft_array *a = NULL;
  if (!harness_has_dtype(WEFT_F64)) return;
  const int *calls = dlsym(stand_in("serving", "libopenblas.so.0"), "stand_in_calls");
  ck_assert(weft__engine_find(&binding));
  ok(weft_from_host(&a, ctx, WEFT_F64, WEFT_SHAPE(2, 2), matrix));
  const weft__host_use use[] = {{.array = a, .reads = true, .writes = true, .restores = true}};
  const weft__host_work work = work_of(use, 1, &function, &n);
  weft_log_set(WEFT_LOG_WARNING, count_warning, NULL);
  ok(step(&code, &work));
  weft_log_set(WEFT_LOG_NONE, NULL, NULL);
  ck_assert_int_eq(code, -1010);
  ck_assert_int_eq(*calls, 1);
  expect_text(warning, "libopenblas.so.0 failed in addition (-1010)");
  ok(weft_to_host(after, sizeof after, a));
  ck_assert(memcmp(after, matrix, sizeof matrix) == 0);
  weft_release(&a);
}
END_TEST

START_TEST(views_of_one_array)
{
  const addition t = {.count = 100};
  int code = 0;
  weft_array *x = counting(N, 0), *a = NULL, *b = NULL;
  ok(weft_slice(&a, x, 0, 1000, 1100));
  ok(weft_slice(&b, x, 0, 500, 600));
  const weft__host_use use[] = {{.array = a, .reads = true}, {.array = b, .writes = true}};
  const weft__host_work work = work_of(use, 2, &addition_function, &t);
  ok(step(&code, &work));
  float data[N];
  ok(weft_to_host(data, sizeof data, x));
  for (int i = 0; i < N; i++) ck_assert(data[i] == (float)(i >= 500 && i < 600 ? 2 * i + 500 : i));
  weft_release(&a, &b, &x);
}
END_TEST

/// Writes every second element, and must not harm the others.
static int write_second(void *const *data, const void *task) {
  float *x = data[0];
  (void)task;
  for (int i = 0; i < 100; i++) x[-2 * i] = (float)i;
  return 0;
}

START_TEST(gaps_are_kept)
{
  static const weft__host_function function = {"write", WEFT__LIBRARY_NONE, 0, write_second, NULL, NULL};
  int code;
  weft_array *x = counting(N, 0), *part = NULL, *back = NULL;
  ok(weft_slice(&part, x, 0, 1198, 998, .step = -2));
  back = weft_array_retain(part);
  const weft__host_use use[] = {{.array = back, .writes = true}};
  const weft__host_work work = work_of(use, 1, &function, NULL);
  ok(step(&code, &work));
  float data[N];
  ok(weft_to_host(data, sizeof data, x));
  for (int i = 0; i < N; i++) {
    bool is_written = i >= 1000 && i < 1200 && i % 2 == 0;
    ck_assert(data[i] == (float)(is_written ? 99 - (i - 1000) / 2 : i));
  }
  weft_release(&back, &part, &x);
}
END_TEST

START_TEST(mapped_arrays_are_refused)
{
  const addition t = {.count = N};
  const int before = additions;
  int code;
  void *data;
  weft_array *a = counting(N, 1), *b = counting(N, 2);
  const weft__host_use use[] = {{.array = a, .reads = true}, {.array = b, .reads = true, .writes = true}};
  const weft__host_work work = work_of(use, 2, &addition_function, &t);
  ok(weft_map(&data, b, WEFT_MAP_READ));
  expect_error(step(&code, &work), WEFT_ERROR_ARGUMENT, "is mapped for the host");
  ck_assert_int_eq(additions, before);
  ok(weft_unmap(b));
  ok(step(&code, &work));
  expect_counting(b, N, 3, 2);
  weft_release(&a, &b);
}
END_TEST

START_TEST(a_step_is_traced_and_profiled)
{
  const addition t = {.count = N};
  int code;
  weft_array *a = counting(N, 1), *b = counting(N, 2);
  const weft__host_use use[] = {{.array = a, .reads = true}, {.array = b, .reads = true, .writes = true}};
  const weft__host_work work = work_of(use, 2, &addition_function, &t);
  weft_profile_row *rows = NULL;
  weft_profile_totals totals;
  uint64_t count;
  stand_in("serving", "libopenblas.so.0");
  ok(weft_profile_start(ctx));
  harness_catch_stderr();
  weft_trace(true);
  ok(step(&code, &work));
  weft_trace(false);
  const char *text = harness_caught_text();
  expect_text(text, "addition ran on cblas (libopenblas.so.0)");
  ok(weft_profile_stop(ctx));
  ok(weft_profile_get(&rows, &count, &totals, ctx));
  const weft_profile_row *row = NULL;
  for (uint64_t k = 0; k < count; k++)
    if (rows[k].kind == WEFT_PROFILE_HOST) row = &rows[k];
  ck_assert_ptr_nonnull(row);
  ck_assert_str_eq(row->name, "addition");
  ck_assert_str_eq(row->kernel, "libopenblas.so.0");
  ck_assert_str_eq(row->site, "here.c:1");
  ck_assert(row->calls == 1 && row->device_ns > 0 && row->bytes == 3 * N * sizeof(float));
  ck_assert(totals.device_busy_ns >= row->device_ns);
  weft_free(rows);
  weft_release(&a, &b);
}
END_TEST

/* ---- weft_matmul ---- */

enum { ROWS = 7, COLUMNS = 9, LENGTH = 5 };

static float element(int array, int row, int column) {
  return (float)((array * 31 + row * 7 + column * 3) % 11 - 5);
}

static weft_array *matrix(int array, int rows, int columns) {
  float data[400];
  weft_array *x = NULL;
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++) data[r * columns + c] = element(array, r, c);
  ok(weft_from_host(&x, ctx, WEFT_F32, WEFT_SHAPE(rows, columns), data));
  return x;
}

/// y holds scale * a @ b + added elementwise.
static void expect_product(const weft_array *y, float scale, float added) {
  float data[ROWS * COLUMNS];
  ok(weft_to_host(data, sizeof data, y));
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLUMNS; c++) {
      float sum = 0;
      for (int l = 0; l < LENGTH; l++) sum += element(1, r, l) * element(2, l, c);
      ck_assert_msg(data[r * COLUMNS + c] == scale * sum + added, "[%d, %d] is %g, not %g", r, c,
                    (double)data[r * COLUMNS + c], (double)(scale * sum + added));
    }
}

/// Products of plain, transposed, strided and broadcast operands, with factors and epilogues.
static void check_products(void) {
  weft_array *a = matrix(1, ROWS, LENGTH), *b = matrix(2, LENGTH, COLUMNS), *y = NULL, *turned = NULL, *wide = NULL,
             *part = NULL, *back = NULL, *ones = NULL;
  ok(weft_matmul(&y, a, b));
  expect_product(y, 1, 0);
  ok(weft_fill(y, 3.0f));
  ok(weft_matmul(&y, a, b, .scale = WEFT_SCALAR(2), .accumulate = WEFT_SCALAR(-1)));
  expect_product(y, 2, -3);
  ok(weft_matmul(&y, a, b, .scale = WEFT_SCALAR(3), .epilogue = WEFT_EPILOGUE("value + 1")));
  expect_product(y, 3, 1);
  /* columns of `a` as runs; every second column of a wider matrix, rows last to first, back in place */
  ok(weft_transpose(&part, a, WEFT_ALL_AXES));
  ok(weft_copy(&wide, part));
  ok(weft_transpose(&turned, wide, WEFT_ALL_AXES));
  ok(weft_matmul(&y, turned, b));
  expect_product(y, 1, 0);
  weft_release(&part, &wide);
  ok(weft_zeros(&wide, ctx, WEFT_F32, WEFT_SHAPE(ROWS, 2 * LENGTH)));
  ok(weft_slice(&part, wide, 1, 0, 2 * LENGTH, .step = 2));
  ok(weft_copy(&part, a));
  ok(weft_matmul(&y, part, b));
  expect_product(y, 1, 0);
  /* one row as all rows: a copy for CBLAS, and a failure of its allocation leaves the product to the next row */
  ok(weft_full(&ones, ctx, WEFT_F32, WEFT_SHAPE(1, 1), 2.0f));
  ok(weft_broadcast(&back, ones, WEFT_SHAPE(ROWS, LENGTH)));
  ok(weft_matmul(&y, back, b));
  float data[ROWS * COLUMNS];
  ok(weft_to_host(data, sizeof data, y));
  for (int c = 0; c < COLUMNS; c++) {
    float sum = 0;
    for (int l = 0; l < LENGTH; l++) sum += 2 * element(2, l, c);
    for (int r = 0; r < ROWS; r++) ck_assert(data[r * COLUMNS + c] == sum);
  }
  weft_release(&a, &b, &y, &turned, &wide, &part, &back, &ones);
}

START_TEST(matmul_runs_on_the_engine)
{
  if (!harness_has_kernels()) return;
  void *library = stand_in("serving", "libopenblas.so.0");
  const int *calls = dlsym(library, "stand_in_calls");
  setenv("WEFT_ENGINE", "cblas", 1);
  check_products();
  ck_assert_int_eq(*calls, device.type == WEFT_DEVICE_TYPE_CPU ? 6 : 0);
  setenv("WEFT_ENGINE", "own", 1);
  check_products();
  ck_assert_int_eq(*calls, device.type == WEFT_DEVICE_TYPE_CPU ? 6 : 0);
}
END_TEST

START_TEST(matmul_runs_without_the_engine)
{
  if (!harness_has_kernels()) return;
  all_stand_ins("empty");
  check_products();
}
END_TEST

START_TEST(matmul_runs_beside_an_old_engine)
{
  static const char *const others[] = {"libblis.so.4", "libcblas.so.3", "libblas.so.3", "libmkl_rt.so.2",
                                       "libmkl_rt.so"};
  if (!harness_has_kernels()) return;
  void *library = stand_in("old", "libopenblas.so.0");
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) stand_in("empty", others[k]);
  check_products();
  ck_assert_int_eq(*(const int *)dlsym(library, "stand_in_calls"), 0);
}
END_TEST

/// Element [row, column] of a matrix of small whole numbers, of which all sums of products are exact.
static int small(int array, int64_t row, int64_t column) {
  return (int)((array * 5 + row * 7 + column * 11 + row * column) % 9) - 4;
}

static weft_array *small_matrix(int array, int64_t rows, int64_t columns, bool turned, weft_dtype dtype) {
  weft_array *x = NULL, *typed = NULL, *view = NULL;
  float *data = malloc((size_t)(rows * columns) * sizeof *data);
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < columns; c++) data[turned ? c * rows + r : r * columns + c] = (float)small(array, r, c);
  ok(weft_from_host(&x, ctx, WEFT_F32, turned ? WEFT_SHAPE(columns, rows) : WEFT_SHAPE(rows, columns), data));
  ok(weft_cast(&typed, x, dtype));
  ok(weft_transpose(&view, typed, turned ? WEFT_AXES(1, 0) : WEFT_AXES(0, 1)));
  free(data);
  weft_release(&x, &typed);
  return view;
}

static void check_large(weft_dtype dtype, int64_t m, int64_t n, int64_t k, bool turned_a, bool turned_b) {
  harness_random random = harness_random_start((uint64_t)(dtype * 1000 + m));
  weft_array *a = small_matrix(1, m, k, turned_a, dtype), *b = small_matrix(2, k, n, turned_b, dtype), *y = NULL,
             *plain = NULL;
  float *data = malloc((size_t)(m * n) * sizeof *data);
  ok(weft_matmul(&y, a, b));
  ok(weft_real(&plain, y));
  weft_array_release(&y);
  ok(weft_cast(&y, plain, WEFT_F32));
  ok(weft_to_host(data, (size_t)(m * n) * sizeof *data, y));
  for (int i = 0; i < 300; i++) {
    const int64_t r = harness_between(&random, 0, m - 1), c = harness_between(&random, 0, n - 1);
    int sum = 0;
    for (int64_t l = 0; l < k; l++) sum += small(1, r, l) * small(2, l, c);
    ck_assert_msg(data[r * n + c] == (float)sum, "%s [%d, %d] is %g, not %d", weft_dtype_name(dtype), (int)r, (int)c,
                  (double)data[r * n + c], sum);
  }
  free(data);
  weft_release(&a, &b, &y, &plain);
}

/// More than a tile and more than a block of k, with tiles and vectors that end early.
START_TEST(own_kernels_of_tiles_and_vectors)
{
  static const weft_dtype dtypes[] = {WEFT_F32, WEFT_F64, WEFT_C64, WEFT_C128, WEFT_I64};
  if (!harness_has_kernels()) return;
  setenv("WEFT_ENGINE", "own", 1);
  for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
    if (!harness_has_dtype(dtypes[k])) continue;
    check_large(dtypes[k], 205, 411, 530, false, false);
    check_large(dtypes[k], 205, 411, 530, true, true);
    if (k % 2 == 0) check_large(dtypes[k], 333, 1, 5003, false, false);
    if (k % 2 == 0) check_large(dtypes[k], 333, 1, 5003, true, false);
  }
}
END_TEST

START_TEST(matmul_checks_the_environment)
{
  if (!harness_has_kernels()) return;
  weft_array *a = matrix(1, 3, 3), *y = NULL;
  setenv("WEFT_ENGINE", "openblas", 1);
  expect_error(weft_matmul(&y, a, a), WEFT_ERROR_ARGUMENT, "@WEFT_ENGINE", "`openblas` is no engine");
  weft_release(&a, &y);
}
END_TEST

enum { THREADS = 4, ROUNDS = 20 };

static void *steps(void *user) {
  const addition t = {.count = N};
  int code;
  weft_array *a = counting(N, 1), *b = counting(N, 0);
  const weft__host_use use[] = {{.array = a, .reads = true}, {.array = b, .reads = true, .writes = true}};
  const weft__host_work work = work_of(use, 2, &addition_function, &t);
  (void)user;
  for (int k = 0; k < ROUNDS; k++) ok(step(&code, &work));
  expect_counting(b, N, ROUNDS, ROUNDS + 1);
  weft_release(&a, &b);
  return NULL;
}

START_TEST(threads_at_once)
{
  pthread_t thread[THREADS];
  for (int k = 0; k < THREADS; k++) ck_assert_int_eq(pthread_create(&thread[k], NULL, steps, NULL), 0);
  for (int k = 0; k < THREADS; k++) pthread_join(thread[k], NULL);
}
END_TEST

static void add_tests(Suite *suite) {
  TCase *table = harness_case(suite, "table");
  tcase_add_test(table, the_table_is_complete);
  tcase_add_test(table, a_library_that_serves);
  tcase_add_test(table, missing_libraries);
  tcase_add_test(table, an_old_library_gives_way);
  tcase_add_test(table, nothing_but_old_libraries);
  tcase_add_test(table, a_library_without_a_function);
  tcase_add_test(table, the_environment_allows);
  TCase *host = harness_context_case(suite, "host steps");
  tcase_add_test(host, a_step_works_on_arrays);
  tcase_add_test(host, a_step_is_in_order_with_kernels);
  tcase_add_test(host, a_failure_restores);
  tcase_add_test(host, an_engine_fails_midway);
  tcase_add_test(host, views_of_one_array);
  tcase_add_test(host, gaps_are_kept);
  tcase_add_test(host, mapped_arrays_are_refused);
  tcase_add_test(host, a_step_is_traced_and_profiled);
  tcase_add_test(host, threads_at_once);
  TCase *matmul = harness_context_case(suite, "matmul");
  tcase_add_test(matmul, matmul_runs_on_the_engine);
  tcase_add_test(matmul, matmul_runs_without_the_engine);
  tcase_add_test(matmul, matmul_runs_beside_an_old_engine);
  tcase_add_test(matmul, own_kernels_of_tiles_and_vectors);
  tcase_add_test(matmul, matmul_checks_the_environment);
}

int main(void) {
  return harness_main(&(harness_suite){.name = "engine", .add = add_tests});
}
